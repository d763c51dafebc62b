// SPDX-License-Identifier: MIT
#pragma once

#include "contact/broad/bvh.h"
#include "given_meshes.h"

// An independent count of contact faults. It shares only the trees with the contact stage. Triangle pairs are tested
// exactly (contact/narrow/crossing.h). Boxes are tested as the twelve triangles that contact uses. Spheres and capsules
// are tested analytically, in doubles: a triangle crosses one when it comes closer to the centre line than the radius.
// A triangle crosses a plane when a corner is below it. For any other shape, a search finds the least distance of the
// triangle (drapeShape_Closest).

typedef struct ContactFaults
{
	uint32_t selfIntersections; // pairs of triangles of cloths, the same one or others, without a common vertex
	uint32_t bodyCrossings;     // pairs of a triangle of a cloth and one of a collider, or a whole shape
	uint32_t insideVertices;    // particles inside a collider
	float deepest; // m: depth of particles, and of faces in spheres, capsules and shapes without an exact test
} ContactFaults;

// A triangle of a cloth that crosses a collider.
typedef struct BodyCrossing
{
	uint32_t triangle; // of all cloths together
	Vec3 point;        // m: of the crossing; for round shapes the deepest point of a lattice on the triangle
} BodyCrossing;

typedef struct ContactCheck
{
	ARRAY(Vec4) position;     // positions of all cloths
	ARRAY(uint32_t) triangle; // [3 * triangles] indices of them
	Bvh tree;
	PairList pairs;
	PrimitiveList near;                // triangles near the shape that is tested
	GivenMeshes given;
	ARRAY(BodyCrossing) bodyCrossings; // of the last check, one for each that ContactFaults counts
} ContactCheck;

void ContactCheck_Init(ContactCheck* check);
void ContactCheck_Destroy(ContactCheck* check);

// Checks the world after a step.
ContactFaults ContactCheck_Run(ContactCheck* check, drapeWorldId world);

// The same without particles: insideVertices is 0.
ContactFaults ContactCheck_Crossings(ContactCheck* check, drapeWorldId world);

// The larger value of each member.
ContactFaults ContactFaults_Worst(ContactFaults a, ContactFaults b);
