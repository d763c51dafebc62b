// SPDX-License-Identifier: MIT
#include "base/pool.h"

bool drapeIndexPool_Reserve(IndexPool* pool, uint32_t more)
{
	size_t bound = IndexPool_Bound(pool, more);
	DRAPE_ASSERT(pool->used + pool->free.count == pool->next);
	return bound <= DRAPE_MAX_ELEMENTS && ArrayReserve(&pool->free, bound);
}

void drapeIndexPool_Free(IndexPool* pool)
{
	ArrayFree(&pool->free);
	*pool = (IndexPool){0};
}
