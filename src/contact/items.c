// SPDX-License-Identifier: MIT
#include "contact/items.h"

#include <string.h>

typedef struct FillLoop
{
	PairList* list;
	uint32_t grain;
	PairFcn* fcn;
	const void* context;
} FillLoop;

static void FillTask(uint32_t start, uint32_t end, uint32_t worker, void* taskContext)
{
	(void)worker;
	const FillLoop* loop = taskContext;
	PairChunk* chunk = &loop->list->chunks.data[start / loop->grain];
	chunk->wanted = 0;
	chunk->tests = 0;
	loop->fcn(loop->context, start, end, chunk);
}

// Chunks that had no room for all of their pairs get it and run again; which they are does not change the result.
static bool RepeatOverflows(const FillLoop* loop, uint32_t count, uint32_t chunkCount)
{
	for (uint32_t i = 0; i < chunkCount; ++i)
	{
		PairChunk* chunk = &loop->list->chunks.data[i];
		if (chunk->wanted <= chunk->pairs.capacity)
			continue;
		if (!ArrayReserve(&chunk->pairs, (size_t)chunk->wanted + chunk->wanted / 4))
			return false;
		uint32_t start = i * loop->grain;
		FillTask(start, MinU32(count - start, loop->grain) + start, 0, (void*)loop);
		DRAPE_ASSERT(chunk->wanted <= chunk->pairs.capacity);
	}
	return true;
}

static bool Concatenate(PairList* list, uint32_t chunkCount)
{
	size_t total = 0;
	for (uint32_t i = 0; i < chunkCount; ++i)
	{
		total += list->chunks.data[i].wanted;
		list->tests += list->chunks.data[i].tests;
	}
	if (!ArrayReserve(&list->pairs, total))
		return false;
	for (uint32_t i = 0; i < chunkCount; ++i)
	{
		const PairChunk* chunk = &list->chunks.data[i];
		if (chunk->wanted > 0)
			memcpy(list->pairs.data + list->pairs.count, chunk->pairs.data, chunk->wanted * sizeof(ItemPair));
		list->pairs.count += chunk->wanted;
	}
	return true;
}

bool PairList_Fill(PairList* list, uint32_t count, uint32_t grain, PairFcn* fcn, const void* context, TaskPool* tasks)
{
	uint32_t chunkCount = TaskPool_ChunkCount(count, grain);
	FillLoop loop = {list, grain, fcn, context};
	list->pairs.count = 0;
	list->tests = 0;
	if (!ArrayReserve(&list->chunks, chunkCount))
		return false;
	while (list->chunks.count < chunkCount)
		ArrayPush(&list->chunks, (PairChunk){0});
	TaskPool_For(tasks, count, grain, FillTask, &loop);
	return RepeatOverflows(&loop, count, chunkCount) && Concatenate(list, chunkCount);
}

void PairList_Free(PairList* list)
{
	for (uint32_t i = 0; i < list->chunks.count; ++i)
		ArrayFree(&list->chunks.data[i].pairs);
	ArrayFree(&list->chunks);
	ArrayFree(&list->pairs);
	list->tests = 0;
}
