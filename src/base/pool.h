// SPDX-License-Identifier: MIT
#pragma once

#include "base/array.h"

// Hands out indices of the elements of one array and takes them back. The pool owns no elements: the owner of the array
// keeps it at least as long as `next`, and has one pool per length of run. The pool hands out the index that was
// returned last, because its memory is still in the cache. A zeroed IndexPool is empty.
typedef struct IndexPool
{
	ARRAY(uint32_t) free; // stack of returned indices; its capacity is at least `next`, so returning cannot fail
	uint32_t next;        // high-water mark: every index handed out so far is below it
	uint32_t used;        // indices handed out and not returned
} IndexPool;

// Returns the worst-case high-water mark after `more` further takes: the length that the array of elements needs.
DRAPE_INLINE size_t IndexPool_Bound(const IndexPool* pool, uint32_t more)
{
	return (size_t)pool->next + (more > pool->free.count ? more - pool->free.count : 0);
}

// Ensures that the next `more` takes cannot fail. Returns false and changes nothing if memory runs out or an index
// would exceed DRAPE_MAX_ELEMENTS.
bool drapeIndexPool_Reserve(IndexPool* pool, uint32_t more);

void drapeIndexPool_Free(IndexPool* pool);

// Returns an unused index. Needs capacity from drapeIndexPool_Reserve.
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
