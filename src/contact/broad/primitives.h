// SPDX-License-Identifier: MIT
#pragma once

#include "base/chunks.h"
#include "base/maths.h"
#include "contact/shapes/triangle.h"

// The primitives of trees and grids, and the results of queries.

// Points, edges or triangles that move straight from `from` to `to` within a step. The caller owns all arrays; a call
// only reads them. The bounds of a primitive hold everything that its corners sweep, grown by the margin.
typedef struct Primitives
{
	const Vec4* from;        // m, at the start of the step; w is ignored
	const Vec4* to;          // m, at its end; the same array for static primitives
	const uint32_t* corners; // [cornerCount * count] indices of positions; NULL when primitive i is point i
	uint32_t cornerCount;    // 1 to 3
	uint32_t count;          // at most DRAPE_MAX_ELEMENTS
	float margin;            // m, >= 0
} Primitives;

DRAPE_INLINE uint32_t Primitives_Corner(const Primitives* primitives, uint32_t primitive, uint32_t corner)
{
	return primitives->corners ? primitives->corners[primitives->cornerCount * primitive + corner] : primitive;
}

typedef struct PrimitivePair
{
	uint32_t a, b;
} PrimitivePair;

// Pairs that a parallel loop found. A zeroed list is empty.
typedef struct PairList
{
	ARRAY(PrimitivePair) pairs; // the result
	uint64_t tests;             // comparisons of bounds that the search needed
	ChunkList chunks;           // pairs per chunk
} PairList;

DRAPE_INLINE void Chunk_AddPair(Chunk* chunk, uint32_t a, uint32_t b)
{
	PrimitivePair* pair = Chunk_Add(chunk, sizeof *pair);
	if (pair)
		*pair = (PrimitivePair){a, b};
}

// Runs a loop whose chunks add pairs, and joins them in order. Returns false when out of memory; the list is empty
// then.
bool drapePairList_Fill(PairList* list, uint32_t count, uint32_t grain, ChunkFcn* fcn, const void* context,
                        TaskPool* tasks);
void drapePairList_Free(PairList* list);

// A growing list of primitives for queries of one thread.
typedef struct PrimitiveList
{
	ARRAY(uint32_t) primitives;
} PrimitiveList;

// The point in which a segment hits a triangle.
typedef struct PrimitiveHit
{
	uint32_t primitive;
	float fraction; // fraction of the segment
	float distance; // m, along the segment
	Vec3 point;     // on the primitive
} PrimitiveHit;

// Takes the triangle when the segment hits it before the present hit. The lowest primitive wins a tie.
static inline void PrimitiveHit_Cut(PrimitiveHit* hit, uint32_t primitive, const SeenTriangle* seen,
                                    Double3 displacement)
{
	double fraction, weight[3];
	if (!Triangle_Cut(seen, displacement, &fraction, weight))
		return;
	float at = (float)fraction;
	if (at < hit->fraction || (at == hit->fraction && primitive < hit->primitive))
	{
		hit->fraction = at;
		hit->primitive = primitive;
	}
}

// Computes point and distance of a hit.
static inline void PrimitiveHit_Finish(PrimitiveHit* hit, Vec3 from, Double3 displacement)
{
	if (hit->primitive == DRAPE_NONE)
		return;
	double t = (double)hit->fraction;
	hit->distance = (float)(t * sqrt(D3Dot(displacement, displacement)));
	hit->point = (Vec3){(float)((double)from.x + t * displacement.x), (float)((double)from.y + t * displacement.y),
	                    (float)((double)from.z + t * displacement.z)};
}
