// SPDX-License-Identifier: MIT
#pragma once

#include "base/alloc.h"

// The edges of any heap of triangles whose indices are in range: an edge may have any number of triangles, wound any
// way. Everything here takes linear time (union-find apart, which is linear in practice), whatever the valence.

// An array of scratch that may be empty: one element too many, so that NULL always means that memory is short.
#define NewScratch(Type, count) ((Type*)drapeMemAllocArray((size_t)(count) + 1, sizeof(Type)))
#define FreeScratch(array, count) drapeMemFree((array), ((size_t)(count) + 1) * sizeof(*(array)))

typedef struct Topology
{
	const uint32_t* triangles; // [3 * triangleCount], the caller's, which must outlive this
	uint32_t vertexCount, triangleCount, edgeCount;
	uint32_t cornerCount; // corners of the triangles not left out
	uint32_t* edgeOf;     // [3 * triangleCount] edge that starts at each corner; DRAPE_NONE for triangles left out
	uint32_t* edgeFirst;  // [edgeCount + 1] where an edge's corners start in `corners`
	uint32_t* corners;    // [cornerCount] corners of each edge, ascending
} Topology;

// `leftOut` is [triangleCount], non-zero for triangles to ignore, or NULL. A triangle with a repeated corner must be
// left out. Edges are numbered in the order in which triangles meet them. False when memory is short.
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

// How many triangles meet in an edge.
DRAPE_INLINE uint32_t Topology_EdgeSize(const Topology* topology, uint32_t edge)
{
	return topology->edgeFirst[edge + 1] - topology->edgeFirst[edge];
}

// For each triangle the lowest one with the same three vertices in any order, or DRAPE_NONE when that is itself.
bool drapeTopology_FindRepeated(const Topology* topology, uint32_t* original);

// For each corner the lowest corner of its fan: the triangles around a vertex that hang together by edges at it.
// Corners of triangles left out are fans of their own.
void drapeTopology_FindFans(const Topology* topology, uint32_t* fan);

// Connected pieces of all edges, or of those with one triangle only, and the vertices in them.
bool drapeTopology_CountPieces(const Topology* topology, bool boundaryOnly, uint32_t* pieces, uint32_t* vertices);

// A patch is a set of triangles that hang together by edges with exactly two triangles.
typedef struct Orientation
{
	uint32_t triangleCount, patchCount;
	uint32_t* patchOf;  // [triangleCount] DRAPE_NONE for triangles left out
	uint8_t* reversed;  // [triangleCount] 1 when wound against the first triangle of its patch
	uint32_t* conflict; // [patchCount] an edge that no choice of windings satisfies; DRAPE_NONE when orientable
} Orientation;

bool drapeOrientation_Create(Orientation* orientation, const Topology* topology);
void drapeOrientation_Destroy(Orientation* orientation);

// True for an edge with two triangles that both run along it in the same direction.
bool drapeTopology_EdgeIsFlipped(const Topology* topology, uint32_t edge);

// Disjoint sets of numbers, each named by its lowest member.
void drapeSets_Clear(uint32_t* parent, uint32_t count);
uint32_t drapeSets_Find(uint32_t* parent, uint32_t member);
bool drapeSets_Join(uint32_t* parent, uint32_t a, uint32_t b); // false when they were one already
