// SPDX-License-Identifier: MIT
#pragma once

#include "base/alloc.h"

// Scratch memory for one pass. An allocation moves a pointer. Resetting to a mark frees everything allocated since the
// mark at once. If a block overflows, the arena continues in a second, larger block; existing allocations do not move.
// After a reset to the bottom, the arena keeps one block that holds the peak of all passes. A pass that repeats
// therefore allocates nothing from its second repetition on.
//
//   blocks, newest first:   top -> previous -> ... -> NULL          each with its header in the first 64 bytes
//
// A zeroed Arena is empty. Not thread-safe: one arena per worker.
typedef struct ArenaBlock ArenaBlock;

typedef struct Arena
{
	ArenaBlock* top;   // block of the next allocation; NULL before the first
	ArenaBlock* spare; // an emptied block kept for the next overflow above a mark, or NULL
	size_t peak;       // bytes: the largest sum of allocations over all blocks so far
} Arena;

// A height of the stack. A reset invalidates all marks above the one that it is given.
typedef struct ArenaMark
{
	ArenaBlock* block; // NULL for the empty arena
	size_t used;
} ArenaMark;

// Returns the bytes that an allocation of this size takes from the arena: whole cache lines, at least one.
DRAPE_INLINE size_t Arena_Cost(size_t size)
{
	return size == 0 ? DRAPE_ALIGNMENT : (size + (DRAPE_ALIGNMENT - 1)) & ~(size_t)(DRAPE_ALIGNMENT - 1);
}

// Ensures that allocations whose costs add up to `size` cannot fail. Returns false and changes nothing if memory runs
// out.
bool drapeArena_Reserve(Arena* arena, size_t size);

// Returns memory of this size, not cleared, aligned to DRAPE_ALIGNMENT, valid until the arena is reset to an earlier
// mark. Returns NULL if memory runs out. Size 0 gives a valid address too.
void* drapeArena_Alloc(Arena* arena, size_t size);

ArenaMark drapeArena_Mark(const Arena* arena);
void drapeArena_Reset(Arena* arena, ArenaMark mark);

// Frees all blocks. The arena is then empty and can be used again.
void drapeArena_Free(Arena* arena);
