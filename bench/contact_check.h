// SPDX-License-Identifier: MIT
#pragma once

#include "contact/broad/bvh.h"
#include "world/world.h"

// What must not be, counted from outside: nothing here is shared with the stage that prevents it but the trees that
// find candidates. Triangle pairs are tested without rounding (contact/narrow/crossing.h). Boxes are the twelve triangles that
// contact sees. Spheres and capsules are tested as what they are: a triangle crosses one when it comes nearer to its
// centre line than the radius, in doubles. A triangle crosses a plane when a corner is below it.

typedef struct ContactFaults
{
	uint32_t selfIntersections; // pairs of triangles of cloths, the same one or others, without a common vertex
	uint32_t bodyCrossings;     // pairs of a triangle of a cloth and one of a collider, or a whole shape
	uint32_t insideVertices;    // particles inside a collider
	float deepest;              // m: of particles, and of faces in spheres and capsules
} ContactFaults;

typedef struct ContactCheck
{
	ARRAY(Vec4) position; // of all cloths
	ARRAY(uint32_t) triangle;
	Bvh tree;
	PairList pairs;
} ContactCheck;

void ContactCheck_Init(ContactCheck* check);
void ContactCheck_Destroy(ContactCheck* check);

// As the world is after a step.
ContactFaults ContactCheck_Run(ContactCheck* check, drapeWorldId world);

// The larger of each.
ContactFaults ContactFaults_Worst(ContactFaults a, ContactFaults b);
