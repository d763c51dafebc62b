// SPDX-License-Identifier: MIT
#include "contact/stitched.h"

#include <string.h>

void drapeStitched_Destroy(StitchedVertices* stitched)
{
	ArrayFree(&stitched->list);
	ArrayFree(&stitched->vertexStart);
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

bool drapeStitched_Build(StitchedVertices* stitched, const ContactBodies* bodies, const uint32_t* vertexStart,
                         uint32_t slotCount)
{
	uint32_t vertices = bodies->from.count;
	if (!ArrayReserve(&stitched->isStitched, vertices) ||
	    !drapeHashMap_Reserve(&stitched->pairs, stitched->list.count + 1))
		return false;
	memset(stitched->isStitched.data, 0, vertices);
	drapeHashMap_Clear(&stitched->pairs);
	for (uint32_t i = 0; i < stitched->list.count; ++i)
	{
		const StitchedParticles* pair = &stitched->list.data[i];
		DRAPE_ASSERT(pair->slot[0] < slotCount && pair->slot[1] < slotCount);
		uint32_t first = vertexStart[pair->slot[0]], second = vertexStart[pair->slot[1]];
		if (first == DRAPE_NONE || second == DRAPE_NONE)
			continue;
		uint32_t a = first + pair->particle[0], b = second + pair->particle[1];
		DRAPE_ASSERT(a < vertices && b < vertices);
		stitched->isStitched.data[a] = stitched->isStitched.data[b] = 1;
		HashMap_Put(&stitched->pairs, KeyOf(a, b), 1);
	}
	(void)slotCount;
	return true;
}

static bool AreJoined(const StitchedVertices* stitched, const ContactElement* a, const ContactElement* b)
{
	const uint8_t* isStitched = stitched->isStitched.data;
	for (int i = 0; i < 3; ++i)
	{
		if (!isStitched[a->vertex[i]])
			continue;
		for (int k = 0; k < 3; ++k)
		{
			if (isStitched[b->vertex[k]] &&
			    HashMap_Get(&stitched->pairs, KeyOf(a->vertex[i], b->vertex[k])) != DRAPE_NONE)
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
		if (!AreJoined(stitched, &bodies->elements.data[pair.a], &bodies->elements.data[pair.b]))
			pairs->data[kept++] = pair;
	}
	pairs->count = kept;
}
