// SPDX-License-Identifier: MIT
#include "base/chunks.h"

#include <string.h>

typedef struct FillLoop
{
	ChunkList* list;
	uint32_t grain;
	ChunkFcn* fcn;
	const void* context;
} FillLoop;

static void FillTask(uint32_t start, uint32_t end, uint32_t worker, void* context)
{
	(void)worker;
	const FillLoop* loop = context;
	DRAPE_ASSERT(start % loop->grain == 0 && start / loop->grain < loop->list->used);
	Chunk* chunk = &loop->list->chunks.data[start / loop->grain];
	if (!chunk->mustRun)
		return;
	chunk->wanted = 0;
	chunk->tests = 0;
	loop->fcn(loop->context, start, end, chunk);
}

static bool Begin(ChunkList* list, uint32_t chunkCount)
{
	list->used = 0;
	if (!ArrayReserve(&list->chunks, chunkCount))
		return false;
	while (list->chunks.count < chunkCount)
		ArrayPush(&list->chunks, (Chunk){0});
	list->used = chunkCount;
	for (uint32_t i = 0; i < chunkCount; ++i)
		list->chunks.data[i].mustRun = true;
	return true;
}

// Grows the chunks that overflowed and marks them to run again. Returns false if memory runs out.
static bool GrowOverflown(ChunkList* list, bool* any)
{
	*any = false;
	for (uint32_t i = 0; i < list->used; ++i)
	{
		Chunk* chunk = &list->chunks.data[i];
		chunk->mustRun = chunk->wanted > chunk->capacity;
		*any |= chunk->mustRun;
		if (chunk->mustRun && !drapeArrayReserveBytes(&chunk->data, 0, &chunk->capacity,
		                                              (size_t)chunk->wanted + chunk->wanted / 4, list->elementSize))
			return false;
	}
	return true;
}

bool drapeChunkList_Fill(ChunkList* list, size_t elementSize, uint32_t count, uint32_t grain, ChunkFcn* fcn,
                         const void* context, TaskPool* tasks)
{
	DRAPE_ASSERT(list->elementSize == 0 || list->elementSize == elementSize);
	DRAPE_ASSERT(elementSize > 0 && grain > 0);
	FillLoop loop = {list, grain, fcn, context};
	bool any;
	list->elementSize = elementSize;
	if (!Begin(list, TaskPool_ChunkCount(count, grain)))
		return false;
	drapeTaskPool_For(tasks, count, grain, FillTask, &loop);
	if (!GrowOverflown(list, &any))
	{
		list->used = 0;
		return false;
	}
	if (any)
		drapeTaskPool_For(tasks, count, grain, FillTask, &loop);
	return true;
}

void drapeChunkList_Free(ChunkList* list)
{
	for (uint32_t i = 0; i < list->chunks.count; ++i)
		drapeMemFree(list->chunks.data[i].data, list->chunks.data[i].capacity * list->elementSize);
	ArrayFree(&list->chunks);
	*list = (ChunkList){0};
}

uint64_t drapeChunkList_Tests(const ChunkList* list)
{
	uint64_t tests = 0;
	for (uint32_t i = 0; i < list->used; ++i)
		tests += list->chunks.data[i].tests;
	return tests;
}

bool drapeChunkList_JoinBytes(const ChunkList* list, void** data, uint32_t* count, uint32_t* capacity)
{
	size_t total = *count;
	for (uint32_t i = 0; i < list->used; ++i)
		total += list->chunks.data[i].wanted;
	if (list->used == 0)
		return true;
	if (!drapeArrayReserveBytes(data, *count, capacity, total, list->elementSize))
		return false;
	for (uint32_t i = 0; i < list->used; ++i)
	{
		const Chunk* chunk = &list->chunks.data[i];
		DRAPE_ASSERT(chunk->wanted <= chunk->capacity);
		if (chunk->wanted > 0)
			memcpy((char*)*data + *count * list->elementSize, chunk->data, chunk->wanted * list->elementSize);
		*count += chunk->wanted;
	}
	return true;
}
