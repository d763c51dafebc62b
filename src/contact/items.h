// SPDX-License-Identifier: MIT
#pragma once

#include "base/chunks.h"
#include "base/maths.h"
#include "contact/triangle.h"

// What trees and grids are made over, and what they give back.

// Points, edges or triangles on their way through a step: each moves straight from `from` to `to`. All arrays are the
// caller's and are only looked at during a call. An item holds all that its corners sweep over, grown by the margin.
typedef struct Items
{
	const Vec4* from;        // m, where a step begins; w is not looked at
	const Vec4* to;          // and where it ends; the same array for what stands still
	const uint32_t* corners; // [cornerCount * count] indices of positions; NULL when item i is point i
	uint32_t cornerCount;    // 1 to 3
	uint32_t count;          // at most DRAPE_MAX_ELEMENTS
	float margin;            // m, >= 0
} Items;

DRAPE_INLINE uint32_t Items_Corner(const Items* items, uint32_t item, uint32_t corner)
{
	return items->corners ? items->corners[items->cornerCount * item + corner] : item;
}

typedef struct ItemPair
{
	uint32_t a, b;
} ItemPair;

// Pairs, as a parallel loop has found them. Zeroed, it is empty.
typedef struct PairList
{
	ARRAY(ItemPair) pairs; // the result
	uint64_t tests;        // bounds of items that were compared, to get it
	ChunkList chunks;      // of pairs
} PairList;

DRAPE_INLINE void Chunk_AddPair(Chunk* chunk, uint32_t a, uint32_t b)
{
	ItemPair* pair = Chunk_Add(chunk, sizeof *pair);
	if (pair)
		*pair = (ItemPair){a, b};
}

// Runs a loop whose chunks add pairs, and puts these behind each other. False when memory is short: then there are no
// pairs.
bool drapePairList_Fill(PairList* list, uint32_t count, uint32_t grain, ChunkFcn* fcn, const void* context,
                        TaskPool* tasks);
void drapePairList_Free(PairList* list);

// A growing list of items for queries of one thread.
typedef struct ItemList
{
	ARRAY(uint32_t) items;
} ItemList;

// Where a segment meets a triangle, or the nearest point of one.
typedef struct ItemHit
{
	uint32_t item;
	float fraction; // of the segment; 0 for the nearest point
	float distance; // m, along the segment or to the nearest point
	Vec3 point;     // on the item
} ItemHit;

// Takes the triangle when the segment cuts it before the hit; of equals the first item.
static inline void ItemHit_Cut(ItemHit* hit, uint32_t item, const SeenTriangle* seen, Double3 way)
{
	double fraction, weight[3];
	if (!Triangle_Cut(seen, way, &fraction, weight))
		return;
	float at = (float)fraction;
	if (at < hit->fraction || (at == hit->fraction && item < hit->item))
	{
		hit->fraction = at;
		hit->item = item;
	}
}

// Point and distance, when there is an item.
static inline void ItemHit_Finish(ItemHit* hit, Vec3 from, Double3 way)
{
	if (hit->item == DRAPE_NONE)
		return;
	double t = (double)hit->fraction;
	hit->distance = (float)(t * sqrt(D3Dot(way, way)));
	hit->point = (Vec3){(float)((double)from.x + t * way.x), (float)((double)from.y + t * way.y),
	                    (float)((double)from.z + t * way.z)};
}
