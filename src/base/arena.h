// SPDX-License-Identifier: MIT
#pragma once

#include "base/alloc.h"

// Scratch memory that dies with a pass. Allocation moves a pointer; Reset to a mark gives back everything since the
// mark at once. An arena that overflows its block goes on in a second one, larger, and nothing moves; when it is
// emptied, it comes back as one block that holds all a pass has needed so far. So a pass that repeats allocates nothing
// from its second repetition on.
//
//   blocks, newest first:   top -> previous -> ... -> NULL          each with its header in the first 64 bytes
//
// A zeroed Arena is empty. Not thread-safe: one arena per worker.
typedef struct ArenaBlock ArenaBlock;

typedef struct Arena
{
	ArenaBlock* top;   // where allocation goes on; NULL before the first
	ArenaBlock* spare; // an emptied block kept for the next overflow above a mark, or NULL
	size_t peak;       // bytes; the most that has been alive at once, over all blocks
} Arena;

// A height of the stack. Marks above the one that is reset to become invalid.
typedef struct ArenaMark
{
	ArenaBlock* block; // NULL for the empty arena
	size_t used;
} ArenaMark;

// What an allocation of this size takes from the arena: whole cache lines, at least one.
DRAPE_INLINE size_t Arena_Cost(size_t size)
{
	return size == 0 ? DRAPE_ALIGNMENT : (size + (DRAPE_ALIGNMENT - 1)) & ~(size_t)(DRAPE_ALIGNMENT - 1);
}

// Makes sure that allocations whose costs add up to `size` cannot fail. False when memory is short, and nothing has
// changed.
bool drapeArena_Reserve(Arena* arena, size_t size);

// Memory of this size, not cleared, aligned to DRAPE_ALIGNMENT, valid until the arena is reset to an earlier mark. NULL
// when memory is short. Size 0 gives an address like any other.
void* drapeArena_Alloc(Arena* arena, size_t size);

ArenaMark drapeArena_Mark(const Arena* arena);
void drapeArena_Reset(Arena* arena, ArenaMark mark);

// Gives everything back. The arena is empty then and can be used again.
void drapeArena_Free(Arena* arena);
