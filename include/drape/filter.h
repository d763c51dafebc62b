// SPDX-License-Identifier: MIT
#pragma once

/// @file filter.h
/// Collision filters: which cloths and colliders touch each other.

#include "drape/base.h"

/// The categories that a cloth or a collider belongs to, and the categories that it touches. Bits mean what the
/// application wants them to mean.
///
/// A cloth and a collider, or two cloths, touch if each has a category that the other one's mask contains:
/// `(a.category & b.mask) != 0 && (b.category & a.mask) != 0`. Pairs that do not touch pass through each other:
/// contact, adaptation, crossings and their removal leave them out, and a body that a cloth does not touch does not
/// carry it along when it jumps. Pins and constraints work all the same. A cloth touches itself with any filter.
typedef struct drapeFilter
{
	uint64_t category; ///< bits: the categories it belongs to; 0 touches nothing
	uint64_t mask;     ///< bits: the categories it touches; 0 touches nothing
} drapeFilter;

/// Category 1, and a mask with all bits: touches everything that has the default filter. Any thread.
DRAPE_API drapeFilter drapeDefaultFilter(void);

/// Tells whether two filters let their owners touch. Any thread.
DRAPE_API bool drapeFilter_Touches(drapeFilter a, drapeFilter b);
