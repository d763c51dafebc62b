// SPDX-License-Identifier: MIT
#pragma once

#include "base/array.h"
#include "base/tasks.h"

// A list that a parallel loop fills, in an order that does not depend on threads: one list per chunk of the loop, put
// behind each other in the end. Memory is asked for by the calling thread alone: a chunk that overflows is counted to
// its end, given room and run again. So a list that has been used for a while allocates nothing.

typedef struct Chunk
{
	void* data;
	uint32_t capacity; // elements
	uint32_t wanted;   // elements there are, more than the capacity when it overflowed
	uint64_t tests;    // counted by the loop, if it likes
	bool isAgain;      // to be run again
} Chunk;

// Zeroed, it is empty.
typedef struct ChunkList
{
	ARRAY(Chunk) chunks;
	uint32_t used; // chunks of the last loop
	size_t elementSize;
} ChunkList;

// Fills chunk [start, end) of a loop over some count, which may be called twice.
typedef void ChunkFcn(const void* context, uint32_t start, uint32_t end, Chunk* chunk);

// Where to write one more element; NULL when there is no room, and it is only counted.
DRAPE_INLINE void* Chunk_Add(Chunk* chunk, size_t elementSize)
{
	uint32_t at = chunk->wanted++;
	return at < chunk->capacity ? (char*)chunk->data + at * elementSize : NULL;
}

// Runs the loop; of one list always with the same size of elements. False when memory is short: the list has no
// elements then.
bool drapeChunkList_Fill(ChunkList* list, size_t elementSize, uint32_t count, uint32_t grain, ChunkFcn* fcn,
                         const void* context, TaskPool* tasks);
void drapeChunkList_Free(ChunkList* list);

uint64_t drapeChunkList_Tests(const ChunkList* list);

// Appends all elements to an ARRAY of them. False when memory is short: the array is as it was.
#define ChunkList_Join(list, array)                                                                                    \
	drapeChunkList_JoinBytes((list), (void**)&(array)->data, &(array)->count, &(array)->capacity)

bool drapeChunkList_JoinBytes(const ChunkList* list, void** data, uint32_t* count, uint32_t* capacity);
