// SPDX-License-Identifier: MIT
#pragma once

#include "contact/broad/self_culling.h"

// Distances within the material of one cloth, at rest. Two points of a cloth that are near each other in the material
// are near each other in space, too, however thick the cloth is. Contact must not push them apart.
//
// Away from cuts, the distance of two points of a chart is that of their material coordinates, and points of different
// charts are far apart. A cut is a seam, or a part of the outline that is not convex. Where both points are near a cut,
// the distance is a lower bound: from the material coordinates, from the distances of both points from the cut, and
// from the shortest path along the edges of the mesh, which leads over seams and around slits.

// Pointers name arrays of the cloth's BroadPhaseCloth and are valid while the mesh has this revision.
typedef struct MaterialMap
{
	const Vec4* material;             // Charts::material
	const uint32_t* corners;          // [3 * triangles] particles
	const uint32_t *ringStart, *ring; // per particle: the triangles around it
	uint32_t revision;                // of the mesh; 0 for none
	float reach;                      // m: paths longer than this count as infinite
	bool hasCuts;
	// [particles] m, along edges, to the nearest cut; infinite beyond the reach.
	ARRAY(float) cutDistance;
	ARRAY(uint32_t) queue; // scratch: particles whose neighbours wait for a distance, as a ring
	BitSet isWaiting;      // scratch: particles in the queue; clear between calls
} MaterialMap;

void drapeMaterialMap_Free(MaterialMap* map);

// Follows a change of the mesh or of the reach; the pointers of the map must have been set. Returns false when out of
// memory.
bool drapeMaterialMap_Follow(MaterialMap* map, const Charts* charts, const ActiveMesh* mesh, float reach);

// Returns whether a cut is within the reach of a triangle.
DRAPE_INLINE bool MaterialMap_IsNearCut(const MaterialMap* map, uint32_t triangle)
{
	const uint32_t* corner = map->corners + 3 * (size_t)triangle;
	const float* distance = map->cutDistance.data;
	return MinF(distance[corner[0]], MinF(distance[corner[1]], distance[corner[2]])) < INFINITY;
}

// Returns whether material coordinates tell the distances of two triangles within the material.
DRAPE_INLINE bool MaterialMap_IsPlane(const MaterialMap* map, uint32_t a, uint32_t b)
{
	return map->material[3 * (size_t)a].z == map->material[3 * (size_t)b].z &&
	       !(map->hasCuts && MaterialMap_IsNearCut(map, a) && MaterialMap_IsNearCut(map, b));
}

typedef struct MaterialPoint
{
	uint32_t triangle;
	float weight[3]; // of its corners; they add up to one
} MaterialPoint;

// Returns the distance of two points, m, or less where both are near a cut; infinite for points of different charts that
// are farther apart than the reach.
float drapeMaterialMap_Distance(const MaterialMap* map, const MaterialPoint* a, const MaterialPoint* b);
