// SPDX-License-Identifier: MIT
#pragma once

#include "base/chunks.h"
#include "base/maths.h"
#include "contact/shapes/triangle.h"

// What trees and grids are made over, and what they give back.

// Points, edges or triangles on their way through a step: each moves straight from `from` to `to`. All arrays are the
// caller's and are only looked at during a call. A primitive holds all that its corners sweep over, grown by the margin.
typedef struct Primitives
{
	const Vec4* from;        // m, where a step begins; w is not looked at
	const Vec4* to;          // and where it ends; the same array for what stands still
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

// Pairs, as a parallel loop has found them. Zeroed, it is empty.
typedef struct PairList
{
	ARRAY(PrimitivePair) pairs; // the result
	uint64_t tests;             // bounds of primitives that were compared, to get it
	ChunkList chunks;           // of pairs
} PairList;

DRAPE_INLINE void Chunk_AddPair(Chunk* chunk, uint32_t a, uint32_t b)
{
	PrimitivePair* pair = Chunk_Add(chunk, sizeof *pair);
	if (pair)
		*pair = (PrimitivePair){a, b};
}

// Runs a loop whose chunks add pairs, and puts these behind each other. False when memory is short: then there are no
// pairs.
bool drapePairList_Fill(PairList* list, uint32_t count, uint32_t grain, ChunkFcn* fcn, const void* context,
                        TaskPool* tasks);
void drapePairList_Free(PairList* list);

// A growing list of primitives for queries of one thread.
typedef struct PrimitiveList
{
	ARRAY(uint32_t) primitives;
} PrimitiveList;

// Where a segment meets a triangle, or the nearest point of one.
typedef struct PrimitiveHit
{
	uint32_t primitive;
	float fraction; // of the segment; 0 for the nearest point
	float distance; // m, along the segment or to the nearest point
	Vec3 point;     // on the primitive
} PrimitiveHit;

// Takes the triangle when the segment cuts it before the hit; of equals the first primitive.
static inline void PrimitiveHit_Cut(PrimitiveHit* hit, uint32_t primitive, const SeenTriangle* seen, Double3 way)
{
	double fraction, weight[3];
	if (!Triangle_Cut(seen, way, &fraction, weight))
		return;
	float at = (float)fraction;
	if (at < hit->fraction || (at == hit->fraction && primitive < hit->primitive))
	{
		hit->fraction = at;
		hit->primitive = primitive;
	}
}

// Point and distance, when there is a primitive.
static inline void PrimitiveHit_Finish(PrimitiveHit* hit, Vec3 from, Double3 way)
{
	if (hit->primitive == DRAPE_NONE)
		return;
	double t = (double)hit->fraction;
	hit->distance = (float)(t * sqrt(D3Dot(way, way)));
	hit->point = (Vec3){(float)((double)from.x + t * way.x), (float)((double)from.y + t * way.y),
	                    (float)((double)from.z + t * way.z)};
}
