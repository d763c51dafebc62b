// SPDX-License-Identifier: MIT
#pragma once

#include "contact/broad/bodies.h"
#include "mesh/geometry.h"

// Kinematic geometry (colliders, pins) carries along whatever it cannot push out of its way. Geometry that keeps its
// shape, or stretches evenly, moves by one affine map A of space: a collider that moves and turns, pins that follow one
// motion. Vertices that follow the same map keep their positions relative to it, so geometry that starts apart ends
// apart, whatever the angle of rotation. This holds within the step, too: all vertices move in straight lines, so space
// is mapped by (1 - t) I + t A at time t. That map is regular for rotations below half a revolution.
//
// The maps are found from the vertices when an impact needs them, because that is rare.

typedef struct KinematicMap
{
	Double3 from, to; // m: a point and its image
	Double3 x, y, z;  // change of the axes; zero for a translation
} KinematicMap;

enum
{
	kinematicMapStill = 0, // the first map is the identity
};

typedef struct KinematicMaps
{
	ARRAY(KinematicMap) maps;
	ARRAY(uint32_t) of;    // per vertex: the map that it follows; DRAPE_NONE for none
	ARRAY(uint32_t) group; // per vertex, during the search: the first pin that it is connected with
	ARRAY(uint32_t) list;
} KinematicMaps;

void drapeKinematicMaps_Destroy(KinematicMaps* kinematicMaps);

// Finds the maps of all kinematic vertices. Returns false when out of memory.
bool drapeKinematicMaps_Find(KinematicMaps* kinematicMaps, const ContactBodies* bodies);

// Adds a map for up to three vertices that follow no common map, such as those of a deforming mesh: a triangle carries
// points on it along, and points above it with its normal. Returns DRAPE_NONE when out of memory.
uint32_t drapeKinematicMaps_Add(KinematicMaps* kinematicMaps, const ContactBodies* bodies, const uint32_t* vertices,
                                uint32_t count);

// Returns the position, m, of a point that has followed the map for a fraction of the step, 0 to 1.
Vec3 drapeKinematicMaps_Apply(const KinematicMaps* kinematicMaps, uint32_t map, Vec3 point, float fraction);
