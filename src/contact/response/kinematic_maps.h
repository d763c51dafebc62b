// SPDX-License-Identifier: MIT
#pragma once

#include "contact/broad/bodies.h"
#include "mesh/geometry.h"

// What goes where it is told takes along what it cannot push aside. Where it keeps its shape, or is stretched evenly,
// all of it goes by one affine map A of space: a collider that moves and turns, pins that follow one motion. What goes
// by the same map keeps its place relative to it, so that what began apart ends apart, by whatever angle it turns.
// That holds on the way, too: everything goes straight, so that at time t space is mapped by (1 - t) I + t A, which is
// not singular for turns of less than half a revolution.
//
// Maps are found from the vertices themselves, for only seldom has anything to be carried.

typedef struct KinematicMap
{
	Double3 from, to; // m: a point, and where it goes
	Double3 x, y, z;  // by how much the axes change: all zero for what only moves
} KinematicMap;

enum
{
	kinematicMapStill = 0, // the first map: of what stays where it is
};

typedef struct KinematicMaps
{
	ARRAY(KinematicMap) maps;
	ARRAY(uint32_t) of;    // by vertex: the map that it goes by; DRAPE_NONE for none
	ARRAY(uint32_t) group; // by vertex, while maps are looked for: the first of the pins it is connected with
	ARRAY(uint32_t) list;
} KinematicMaps;

void drapeKinematicMaps_Destroy(KinematicMaps* kinematicMaps);

// Looks for the maps of everything that is told where to go; all else has none. False when memory is short.
bool drapeKinematicMaps_Find(KinematicMaps* kinematicMaps, const ContactBodies* bodies);

// A map for up to three vertices that each go their own way, those of a mesh that deforms: a triangle takes what is on
// it along, and what is above it with its normal. DRAPE_NONE when memory is short.
uint32_t drapeKinematicMaps_Add(KinematicMaps* kinematicMaps, const ContactBodies* bodies, const uint32_t* vertices,
                                uint32_t count);

// Where a point is, m, that has gone a part of the way, 0 to 1.
Vec3 drapeKinematicMaps_Place(const KinematicMaps* kinematicMaps, uint32_t map, Vec3 point, float part);
