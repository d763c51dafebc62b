// SPDX-License-Identifier: MIT
#pragma once

#include "adapt/config.h"
#include "base/pool.h"

// Storage of the edge-based hierarchy, shared by all cloths of a world (Simnett 2012, 3.5). Elements are named by
// index. Elements that are created together are stored together: the halves of an edge are a pair, the children of a
// triangle are a family of four triangles and three inner edges. One index in the parent finds all of them, and a
// family is allocated and freed in one step. Arrays grow in blocks before a pass, never during it, so that a pass
// cannot fail.

typedef struct TreeEdge
{
	uint32_t vertex[2]; // from, to
	uint32_t half[2]; // triangle << 2 | k on the left and on the right, at the edge's own level; triangleOutside on the
					  // boundary
	uint32_t middle;  // vertex at the midpoint when split
	uint32_t child;   // first of two edges, when split; else DRAPE_NONE
	uint32_t active;  // index in the active mesh; DRAPE_NONE when split
	uint8_t level;
	uint8_t flags; // drape_edge...
	uint16_t unused;
} TreeEdge;

typedef struct TreeTriangle
{
	uint32_t vertex[3];
	uint32_t edge[3]; // edge << 1 | side; the k-th runs from vertex k to vertex k + 1
	uint32_t family;  // family of its children; DRAPE_NONE when whole
	uint8_t level;
	uint8_t config; // C0 to C10
	uint8_t flags;  // treeTriangle...
	// Number of children that are refined or about to be. While it is above 0, no edge of this triangle may join.
	uint8_t busy;
} TreeTriangle;

enum
{
	treeTriangleMayRefine = 1 << 0, // its parent is cut in four (the thesis marks the opposite as state S-1)
	treeTriangleDirty = 1 << 1,     // an edge was split or joined; waits for retriangulation
};

// The corners of a triangle in its pattern triangle: two barycentric coordinates per corner, as packed 14-bit fixed
// point numbers. Refinement only halves, so they are exact, and the midpoint of two corners is (a + b) >> 1 for both at
// once.
typedef struct PatternCorners
{
	uint32_t corner[3]; // weight of pattern corner 1, and of corner 2 << 16
	uint32_t pattern;   // pattern triangle
} PatternCorners;

enum
{
	barycentricOne = 1 << 14
};

typedef struct TreeFamily
{
	uint32_t parent; // triangle
	uint32_t inner;  // first of three edges
} TreeFamily;

typedef struct TreeVertex
{
	uint32_t particle; // index in the active mesh
	uint32_t edge;     // the edge whose midpoint it is; DRAPE_NONE for pattern vertices
} TreeVertex;

_Static_assert(sizeof(TreeEdge) == 32 && sizeof(TreeTriangle) == 32, "two to a cache line");
_Static_assert(DRAPE_MAX_LEVEL + 2 <= 14, "barycentric coordinates are exact to the deepest level");

// The first family is a sentinel, so that loops need no branch: triangleRoot is the parent of pattern triangles,
// triangleOutside is the neighbour beyond boundary edges.
enum
{
	triangleRoot = 0,
	triangleOutside = 1,
};

typedef struct EdgePools
{
	Configs configs;

	// Pairs and triples of edges share one array; its count is the high-water mark.
	ARRAY(TreeEdge) edges;
	ARRAY(uint32_t) freePairs;
	ARRAY(uint32_t) freeTriples;
	uint32_t edgesUsed;

	IndexPool familyPool;
	ARRAY(TreeFamily) families;
	ARRAY(TreeTriangle) triangles; // 4 * family + slot, as are the next two
	ARRAY(PatternCorners) patternCorners;
	ARRAY(uint32_t) triangleActive; // index in the active mesh; DRAPE_NONE when the triangle has children

	IndexPool vertexPool;
	ARRAY(TreeVertex) vertices;
} EdgePools;

bool drapeEdgePools_Create(EdgePools* pools);
void drapeEdgePools_Destroy(EdgePools* pools);

// Guarantees that this many more of each can be taken. False when out of memory: only capacities have changed.
bool drapeEdgePools_Reserve(EdgePools* pools, uint32_t pairs, uint32_t triples, uint32_t families, uint32_t vertices);

// Bytes of the elements in use.
size_t drapeEdgePools_BytesUsed(const EdgePools* pools);

// Vertices and families are taken from their index pools directly. The inner edges of a family are a triple; families
// of pattern triangles have none.

DRAPE_INLINE uint32_t EdgePools_TakePair(EdgePools* pools)
{
	pools->edgesUsed += 2;
	if (pools->freePairs.count > 0)
		return pools->freePairs.data[--pools->freePairs.count];
	DRAPE_ASSERT(pools->edges.count + 2 <= pools->edges.capacity);
	return (pools->edges.count += 2) - 2;
}

DRAPE_INLINE void EdgePools_GivePair(EdgePools* pools, uint32_t pair)
{
	DRAPE_ASSERT(pair + 2 <= pools->edges.count && pools->edgesUsed >= 2);
	pools->edgesUsed -= 2;
	ArrayPush(&pools->freePairs, pair);
}

DRAPE_INLINE uint32_t EdgePools_TakeTriple(EdgePools* pools)
{
	pools->edgesUsed += 3;
	if (pools->freeTriples.count > 0)
		return pools->freeTriples.data[--pools->freeTriples.count];
	DRAPE_ASSERT(pools->edges.count + 3 <= pools->edges.capacity);
	return (pools->edges.count += 3) - 3;
}

DRAPE_INLINE void EdgePools_GiveTriple(EdgePools* pools, uint32_t triple)
{
	DRAPE_ASSERT(triple + 3 <= pools->edges.count && pools->edgesUsed >= 3);
	pools->edgesUsed -= 3;
	ArrayPush(&pools->freeTriples, triple);
}
