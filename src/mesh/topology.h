// SPDX-License-Identifier: MIT
#pragma once

#include "base/alloc.h"

// The edges of arbitrary triangles whose indices are in range: an edge may have any number of triangles with any
// winding. All functions take linear time for any valence, except for union-find, which is linear in practice.

// A scratch array that may be empty. It has one extra element, so that NULL always means out of memory.
#define NewScratch(Type, count) ((Type*)drapeMemAllocArray((size_t)(count) + 1, sizeof(Type)))
#define FreeScratch(array, count) drapeMemFree((array), ((size_t)(count) + 1) * sizeof(*(array)))

typedef struct Topology
{
	const uint32_t* triangles; // [3 * triangleCount] of the caller; must outlive the topology
	uint32_t vertexCount, triangleCount, edgeCount;
	uint32_t cornerCount; // corners of the triangles that are not left out
	uint32_t* edgeOf;     // [3 * triangleCount] the edge that starts at a corner; DRAPE_NONE for triangles left out
	uint32_t* edgeFirst;  // [edgeCount + 1] index in `corners` of an edge's first corner
	uint32_t* corners;    // [cornerCount] corners of each edge, ascending
} Topology;

// `leftOut` is [triangleCount], non-zero for triangles to ignore, or NULL. A triangle with a repeated vertex must be
// left out. Edges are numbered in the order of their first triangles. False when out of memory.
bool drapeTopology_Create(Topology* topology, const uint32_t* triangles, uint32_t triangleCount, uint32_t vertexCount,
                          const uint8_t* leftOut);
void drapeTopology_Destroy(Topology* topology);

DRAPE_INLINE uint32_t NextCorner(uint32_t corner)
{
	return corner % 3 == 2 ? corner - 2 : corner + 1;
}

DRAPE_INLINE uint32_t PreviousCorner(uint32_t corner)
{
	return corner % 3 == 0 ? corner + 2 : corner - 1;
}

// The number of triangles at an edge.
DRAPE_INLINE uint32_t Topology_EdgeSize(const Topology* topology, uint32_t edge)
{
	return topology->edgeFirst[edge + 1] - topology->edgeFirst[edge];
}

// Writes for each triangle the lowest one with the same three vertices in any order, or DRAPE_NONE when that is the
// triangle itself. False when out of memory.
bool drapeTopology_FindRepeated(const Topology* topology, uint32_t* original);

// Writes for each corner the lowest corner of its fan. A fan is a set of triangles around a vertex that are connected
// by edges at the vertex. Corners of triangles left out are fans of their own.
void drapeTopology_FindFans(const Topology* topology, uint32_t* fan);

// Counts the connected components of all edges, or of the boundary edges only, and the vertices in them.
bool drapeTopology_CountPieces(const Topology* topology, bool boundaryOnly, uint32_t* pieces, uint32_t* vertices);

// A patch is a set of triangles that are connected by edges with exactly two triangles.
typedef struct Orientation
{
	uint32_t triangleCount, patchCount;
	uint32_t* patchOf;  // [triangleCount] DRAPE_NONE for triangles left out
	uint8_t* reversed;  // [triangleCount] 1 when its winding is opposite to that of the first triangle of its patch
	uint32_t* conflict; // [patchCount] an edge where no choice of windings is consistent; DRAPE_NONE when orientable
} Orientation;

bool drapeOrientation_Create(Orientation* orientation, const Topology* topology);
void drapeOrientation_Destroy(Orientation* orientation);

// True for an edge with two triangles that both contain it in the same direction.
bool drapeTopology_EdgeIsFlipped(const Topology* topology, uint32_t edge);

// Disjoint sets of numbers. The lowest member of a set is its name.
void drapeSets_Clear(uint32_t* parent, uint32_t count);
bool drapeSets_Join(uint32_t* parent, uint32_t a, uint32_t b); // false when they are in one set already
