// SPDX-License-Identifier: MIT
#pragma once

#include "contact/broad/bvh.h"
#include "given_meshes.h"

// Places where bodies leave too little space for cloth, by their geometry alone: the rule by which the motion benchmark
// excuses a crossing as pinched. The code shares only the trees with the contact stage; distances, windings and shapes
// are its own, in doubles.
//
// A point is in a narrow place when
// - it is inside two bodies, or inside one that overlaps itself there, or
// - a surface within `width` of it is buried in a body, and the point is inside that body, or
// - a surface within `width` of it, in its sight, faces another surface along its normal within `width`.
typedef struct NarrowPlaces
{
	const drapeWorld* world;
	GivenMeshes given;
	double width;       // m: two thicknesses
	PrimitiveList near; // scratch of single queries
	PrimitiveList hits;
} NarrowPlaces;

void NarrowPlaces_Init(NarrowPlaces* check, drapeWorldId world, float width);
void NarrowPlaces_Destroy(NarrowPlaces* check);

// How many bodies contain the point; a body that overlaps itself counts as often as it winds around the point.
int NarrowPlaces_Depth(NarrowPlaces* check, Vec3 point);

// Returns whether the point is in a narrow place. `depth` is that of the point.
bool NarrowPlaces_Contain(NarrowPlaces* check, Vec3 point, int depth);
