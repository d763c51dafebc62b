// SPDX-License-Identifier: MIT
#pragma once

/// @file id.h
/// Handles of objects: small values to copy, to store and to compare.
///
/// A handle names a slot of a table and the generation of its use, so that a handle of a destroyed object never
/// names the object that reuses its slot. A handle with `index1` 0 is null. Functions that are given a null handle, or one of
/// an object that was destroyed, do nothing and return ::drape_errorArgument, or zeros unless their comment names another
/// value; debug builds assert. The sentence is in the world of the handle (drapeWorld_GetMessage). A null handle and a
/// handle of a destroyed world have no world, and leave no sentence. `drapeCloth_IsValid` and its like never assert.
///
/// A handle of a destroyed world may be given to any function on any thread, also while other threads create and destroy
/// worlds. Other handles follow the thread rule of world.h, for `drapeCloth_IsValid` and its like, too. A handle must not
/// be used while another thread destroys its object.
///
/// The meaning of the members is private. Generations have 16 bits, and objects have 9 bits for the generation of their
/// world: a handle that is kept while the slot of its object is reused 32,768 times, or that of its world 511 times, may
/// name another object.

#include "drape/base.h"

/// The largest number of worlds that exist at the same time.
#define DRAPE_MAX_WORLDS 128

/// A world.
typedef struct drapeWorldId
{
	uint32_t index1;
	uint16_t world;
	uint16_t generation;
} drapeWorldId;

/// A cloth of a world.
typedef struct drapeClothId
{
	uint32_t index1;
	uint16_t world;
	uint16_t generation;
} drapeClothId;

/// A collider of a world.
typedef struct drapeColliderId
{
	uint32_t index1;
	uint16_t world;
	uint16_t generation;
} drapeColliderId;

/// A motion of a world.
typedef struct drapeMotionId
{
	uint32_t index1;
	uint16_t world;
	uint16_t generation;
} drapeMotionId;

/// A pin of a cloth.
typedef struct drapePinId
{
	uint32_t index1;
	uint16_t world;
	uint16_t generation;
} drapePinId;

/// A constraint of a world.
typedef struct drapeConstraintId
{
	uint32_t index1;
	uint16_t world;
	uint16_t generation;
} drapeConstraintId;

/// A column of a cloth.
typedef struct drapeColumnId
{
	uint32_t index1;
	uint16_t world;
	uint16_t generation;
} drapeColumnId;

/// Tells whether a handle of any kind is null.
#define DRAPE_IS_NULL(id) ((id).index1 == 0)

/// Tells whether two handles of the same kind name the same object.
#define DRAPE_ID_EQUALS(a, b) ((a).index1 == (b).index1 && (a).world == (b).world && (a).generation == (b).generation)
