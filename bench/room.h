// SPDX-License-Identifier: MIT
#pragma once

#include "contact/broad/bvh.h"
#include "world/world.h"

// The room that bodies leave to cloth, from their geometry alone. It is the rule by which the motion benchmark excuses
// a crossing as pinched. It shares only the trees with the contact stage; distances, windings and the shapes are its
// own, in doubles.
//
// A point is in a tight place when
// - it is inside two bodies, or inside one that overlaps itself there, or
// - a surface within `room` of it is buried in a body, and the point is inside that body, or
// - a surface within `room` of it, in its sight, faces another surface along its normal within `room`.
typedef struct RoomCheck
{
	const drapeWorld* world;
	double room;        // m: two thicknesses
	PrimitiveList near; // scratch of single queries
	PrimitiveList hits;
} RoomCheck;

void RoomCheck_Init(RoomCheck* check, drapeWorldId world, float room);
void RoomCheck_Destroy(RoomCheck* check);

// How many bodies contain the point; a body that overlaps itself counts as often as it winds around the point.
int RoomCheck_Depth(RoomCheck* check, Vec3 point);

// `depth` is that of the point.
bool RoomCheck_IsTight(RoomCheck* check, Vec3 point, int depth);
