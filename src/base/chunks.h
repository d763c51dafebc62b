// SPDX-License-Identifier: MIT
#pragma once

#include "base/array.h"
#include "base/tasks.h"

// A list that a parallel loop fills in an order that does not depend on threads. Each chunk of the loop has its own
// buffer; the buffers are appended to each other at the end. Only the calling thread allocates: a chunk that overflows
// counts its elements, gets a larger buffer and runs again. A list that was used for a while allocates nothing.

typedef struct Chunk
{
	void* data;
	uint32_t capacity; // elements
	uint32_t wanted;   // elements counted; above the capacity if the chunk overflowed
	uint64_t tests;    // a statistic that the loop may count
	bool mustRun;      // the chunk must run (again)
} Chunk;

// A zeroed ChunkList is empty.
typedef struct ChunkList
{
	ARRAY(Chunk) chunks;
	uint32_t used; // chunks of the last loop
	size_t elementSize;
} ChunkList;

// Processes items [start, end) of the loop and adds elements to the chunk. Called again if the chunk overflows.
typedef void ChunkFcn(const void* context, uint32_t start, uint32_t end, Chunk* chunk);

// Adds an element and returns its address. Returns NULL if the chunk is full; the element is then only counted.
DRAPE_INLINE void* Chunk_Add(Chunk* chunk, size_t elementSize)
{
	uint32_t at = chunk->wanted++;
	return at < chunk->capacity ? (char*)chunk->data + at * elementSize : NULL;
}

// Runs the loop over `count` items in chunks of `grain`. A list always has the same element size. Returns false if
// memory runs out; the list is then empty.
bool drapeChunkList_Fill(ChunkList* list, size_t elementSize, uint32_t count, uint32_t grain, ChunkFcn* fcn,
                         const void* context, TaskPool* tasks);
void drapeChunkList_Free(ChunkList* list);

uint64_t drapeChunkList_Tests(const ChunkList* list);

// Appends all elements to an ARRAY. False if memory runs out; the array is then unchanged.
#define ChunkList_Join(list, array)                                                                                    \
	drapeChunkList_JoinBytes((list), (void**)&(array)->data, &(array)->count, &(array)->capacity)

bool drapeChunkList_JoinBytes(const ChunkList* list, void** data, uint32_t* count, uint32_t* capacity);
