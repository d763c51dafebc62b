// SPDX-License-Identifier: MIT
#include "contact/stitched.h"

#include <string.h>

void drapeStitched_Destroy(StitchedVertices* stitched)
{
	ArrayFree(&stitched->list);
	ArrayFree(&stitched->ranges);
	ArrayFree(&stitched->isStitched);
	drapeHashMap_Free(&stitched->pairs);
}

bool drapeStitched_Add(StitchedVertices* stitched, StitchedParticles pair)
{
	if (!ArrayReserve(&stitched->list, stitched->list.count + 1))
		return false;
	ArrayPush(&stitched->list, pair);
	return true;
}

static uint64_t KeyOf(uint32_t a, uint32_t b)
{
	return a < b ? (uint64_t)a << 32 | b : (uint64_t)b << 32 | a;
}

bool drapeStitched_Begin(StitchedVertices* stitched, uint32_t slotCount)
{
	if (!ArrayReserve(&stitched->ranges, slotCount))
		return false;
	stitched->ranges.count = slotCount;
	memset(stitched->ranges.data, 0, slotCount * sizeof(VertexRange));
	return true;
}

void drapeStitched_SetRange(StitchedVertices* stitched, uint32_t slot, uint32_t start, uint32_t count)
{
	DRAPE_ASSERT(slot < stitched->ranges.count && count <= DRAPE_NONE - start);
	stitched->ranges.data[slot] = (VertexRange){start, start + count};
}

uint32_t drapeStitched_VertexOf(const StitchedVertices* stitched, uint32_t slot, uint32_t particle)
{
	DRAPE_ASSERT(slot < stitched->ranges.count);
	VertexRange range = stitched->ranges.data[slot];
	return particle < range.end - range.start ? range.start + particle : DRAPE_NONE;
}

bool drapeStitched_Build(StitchedVertices* stitched, uint32_t vertexCount)
{
	if (!ArrayReserve(&stitched->isStitched, vertexCount) ||
	    !drapeHashMap_Reserve(&stitched->pairs, stitched->list.count + 1))
		return false;
	stitched->isStitched.count = vertexCount;
	memset(stitched->isStitched.data, 0, vertexCount);
	drapeHashMap_Clear(&stitched->pairs);
	for (uint32_t i = 0; i < stitched->list.count; ++i)
	{
		const StitchedParticles* pair = &stitched->list.data[i];
		uint32_t a = drapeStitched_VertexOf(stitched, pair->slot[0], pair->particle[0]);
		uint32_t b = drapeStitched_VertexOf(stitched, pair->slot[1], pair->particle[1]);
		if (a == DRAPE_NONE || b == DRAPE_NONE)
			continue;
		DRAPE_ASSERT(a < vertexCount && b < vertexCount);
		stitched->isStitched.data[a] = stitched->isStitched.data[b] = 1;
		HashMap_Put(&stitched->pairs, KeyOf(a, b), 1);
	}
	return true;
}

static bool IsStitched(const StitchedVertices* stitched, uint32_t vertex)
{
	DRAPE_ASSERT(vertex == DRAPE_NONE || vertex < stitched->isStitched.count);
	return vertex != DRAPE_NONE && stitched->isStitched.data[vertex];
}

bool drapeStitched_Joins(const StitchedVertices* stitched, const uint32_t* a, uint32_t countA, const uint32_t* b,
                         uint32_t countB)
{
	for (uint32_t i = 0; i < countA; ++i)
	{
		if (!IsStitched(stitched, a[i]))
			continue;
		for (uint32_t k = 0; k < countB; ++k)
		{
			if (IsStitched(stitched, b[k]) && HashMap_Get(&stitched->pairs, KeyOf(a[i], b[k])) != DRAPE_NONE)
				return true;
		}
	}
	return false;
}

void drapeStitched_Filter(const StitchedVertices* stitched, const ContactBodies* bodies, ElementPairs* pairs,
                          uint32_t first)
{
	uint32_t kept = first;
	DRAPE_ASSERT(first <= pairs->count);
	for (uint32_t i = first; i < pairs->count; ++i)
	{
		ElementPair pair = pairs->data[i];
		const uint32_t *a = bodies->elements.data[pair.a].vertex, *b = bodies->elements.data[pair.b].vertex;
		if (!drapeStitched_Joins(stitched, a, 3, b, 3))
			pairs->data[kept++] = pair;
	}
	pairs->count = kept;
}
