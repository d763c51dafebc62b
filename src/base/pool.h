// SPDX-License-Identifier: MIT
#pragma once

#include "base/array.h"

// Hands out the indices of items that come and go in one array, and takes them back. It owns no items: whoever holds
// the array keeps it at least as long as `next`, and keeps one pool per length of run. The index given back last is
// handed out first, while its memory is still warm. A zeroed IndexPool is empty.
typedef struct IndexPool
{
	ARRAY(uint32_t) free; // stack of indices given back; its capacity is never below `next`, so giving cannot fail
	uint32_t next;        // the high-water mark: every index handed out so far is below
	uint32_t used;        // indices handed out and not given back
} IndexPool;

// The high-water mark after `more` further takes, in the worst case: how long the array of items must be for them.
DRAPE_INLINE size_t IndexPool_Bound(const IndexPool* pool, uint32_t more)
{
	return (size_t)pool->next + (more > pool->free.count ? more - pool->free.count : 0);
}

// Makes sure that the next `more` takes cannot fail. False when memory is short or indices would pass
// DRAPE_MAX_ELEMENTS, and nothing has changed.
bool drapeIndexPool_Reserve(IndexPool* pool, uint32_t more);

// Takes every index back and keeps the room.
void drapeIndexPool_Clear(IndexPool* pool);
void drapeIndexPool_Free(IndexPool* pool);

// An index that is not in use. Needs room from drapeIndexPool_Reserve.
DRAPE_INLINE uint32_t IndexPool_Take(IndexPool* pool)
{
	pool->used++;
	if (pool->free.count > 0)
		return pool->free.data[--pool->free.count];
	DRAPE_ASSERT(pool->next < pool->free.capacity);
	return pool->next++;
}

DRAPE_INLINE void IndexPool_Give(IndexPool* pool, uint32_t index)
{
	DRAPE_ASSERT(index < pool->next);
	DRAPE_ASSERT(pool->used > 0);
	pool->used--;
	ArrayPush(&pool->free, index);
	DRAPE_ASSERT(pool->used + pool->free.count == pool->next);
}
