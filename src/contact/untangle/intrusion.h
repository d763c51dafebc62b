// SPDX-License-Identifier: MIT
#pragma once

#include "contact/contact.h"

// Whether a triangle comes into one of the five shapes: a corner, an edge or the inside of its face. In doubles, with a
// depth below which it is touching and no more.

enum
{
	intrusionMaxPoints = 26,
};

// Points of the triangle that are in the shape or on its surface: corners of what they have in common, the nearest to a
// centre or an axis, and last the mean of all.
typedef struct Intrusion
{
	Vec3 point[intrusionMaxPoints];
	uint32_t count;
} Intrusion;

// Everything is in the shape's own space. `slop` >= 0: what comes in by less does not count. `intrusion` may be NULL.
bool drapeIntrusion_Find(const drapeColliderDef* def, const Vec3 triangle[3], float slop, Intrusion* intrusion);
