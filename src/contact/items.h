// SPDX-License-Identifier: MIT
#pragma once

#include "base/array.h"
#include "base/maths.h"
#include "base/tasks.h"
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

// Pairs, in an order that does not depend on threads. Workers fill one list per chunk of the loop, and memory is asked
// for by the calling thread alone: a chunk that overflows is counted to its end, given room and run again. So a list
// that has been used for a while allocates nothing. A zeroed PairList is empty.
typedef struct PairChunk
{
	ARRAY(ItemPair) pairs;
	uint32_t wanted; // pairs there are, more than the capacity when it overflowed
	uint64_t tests;
} PairChunk;

typedef struct PairList
{
	ARRAY(ItemPair) pairs; // the result
	uint64_t tests;        // bounds of items that were compared, to get it
	ARRAY(PairChunk) chunks;
} PairList;

// Pairs found by chunk `chunk` of a loop; the chunk is counted even when there is no room.
DRAPE_INLINE void PairChunk_Push(PairChunk* chunk, uint32_t a, uint32_t b)
{
	if (chunk->wanted < chunk->pairs.capacity)
		chunk->pairs.data[chunk->wanted] = (ItemPair){a, b};
	chunk->wanted++;
}

// Fills chunk [start, end) of a loop over some count.
typedef void PairFcn(const void* context, uint32_t start, uint32_t end, PairChunk* chunk);

// Runs the loop and puts the chunks' pairs behind each other. False when memory is short: then there are no pairs.
bool PairList_Fill(PairList* list, uint32_t count, uint32_t grain, PairFcn* fcn, const void* context, TaskPool* tasks);
void PairList_Free(PairList* list);

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
