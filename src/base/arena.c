// SPDX-License-Identifier: MIT
#include "base/arena.h"

#define ARENA_SMALLEST_BLOCK ((size_t)16 * 1024)
#define ARENA_LARGEST_BLOCK ((size_t)PTRDIFF_MAX / 4) // larger requests are errors; sums below it cannot overflow

struct ArenaBlock
{
	_Alignas(DRAPE_ALIGNMENT) ArenaBlock* previous;
	size_t capacity; // bytes behind the header
	size_t used;
	size_t below; // bytes alive in all earlier blocks
};

_Static_assert(sizeof(ArenaBlock) == DRAPE_ALIGNMENT, "memory behind the header keeps its alignment");

static size_t LiveBytes(const Arena* arena)
{
	return arena->top ? arena->top->below + arena->top->used : 0;
}

static size_t FreeBytes(const Arena* arena)
{
	return arena->top ? arena->top->capacity - arena->top->used : 0;
}

static size_t MaxSize(size_t a, size_t b)
{
	return a > b ? a : b;
}

static void FreeBlock(ArenaBlock* block)
{
	if (block)
		drapeMemFree(block, sizeof(ArenaBlock) + block->capacity);
}

// Returns a block for `size` bytes: the spare block or a new one. A new block is also large enough for the peak so far,
// and at least twice as large as the last, so that a growing arena makes few blocks.
static ArenaBlock* TakeBlock(Arena* arena, size_t size)
{
	if (arena->spare && arena->spare->capacity >= size)
	{
		ArenaBlock* block = arena->spare;
		arena->spare = NULL;
		return block;
	}
	size_t live = LiveBytes(arena);
	size_t capacity = MaxSize(Arena_Cost(size), ARENA_SMALLEST_BLOCK);
	capacity = MaxSize(capacity, arena->peak > live ? arena->peak - live : 0);
	if (arena->top)
		capacity = MaxSize(capacity, 2 * arena->top->capacity);
	ArenaBlock* block = drapeMemAlloc(sizeof(ArenaBlock) + capacity);
	if (block)
		block->capacity = capacity;
	return block;
}

bool drapeArena_Reserve(Arena* arena, size_t size)
{
	if (size <= FreeBytes(arena))
		return true;
	if (size > ARENA_LARGEST_BLOCK)
		return false;
	ArenaBlock* block = TakeBlock(arena, size);
	if (!block)
		return false;
	block->used = 0;
	block->below = LiveBytes(arena);
	block->previous = arena->top;
	if (block->below == 0)
	{
		FreeBlock(arena->top);
		block->previous = NULL;
	}
	arena->top = block;
	return true;
}

void* drapeArena_Alloc(Arena* arena, size_t size)
{
	size_t cost = Arena_Cost(size);
	if (cost < size || !drapeArena_Reserve(arena, cost))
		return NULL;
	ArenaBlock* block = arena->top;
	void* memory = (uint8_t*)(block + 1) + block->used;
	block->used += cost;
	return memory;
}

ArenaMark drapeArena_Mark(const Arena* arena)
{
	// An empty block may be replaced by a larger one, so the mark of an empty arena stores no block.
	if (LiveBytes(arena) == 0)
		return (ArenaMark){NULL, 0};
	return (ArenaMark){arena->top, arena->top->used};
}

// Frees the blocks above `bottom` and the spare block, except one with a capacity of `needed` bytes, which it empties
// and returns. Returns NULL if no block is large enough; the next block is then made large enough.
static ArenaBlock* KeepOneBlock(Arena* arena, ArenaBlock* bottom, size_t needed)
{
	ArenaBlock* block = arena->top;
	if (arena->spare)
	{
		arena->spare->previous = block;
		block = arena->spare;
	}
	ArenaBlock* kept = NULL;
	while (block != bottom)
	{
		DRAPE_ASSERT(block); // the mark belongs to this arena, which has not been reset below it
		ArenaBlock* previous = block->previous;
		if (!kept && block->capacity >= needed)
			kept = block;
		else
			FreeBlock(block);
		block = previous;
	}
	if (kept)
		*kept = (ArenaBlock){.capacity = kept->capacity};
	return kept;
}

void drapeArena_Reset(Arena* arena, ArenaMark mark)
{
	arena->peak = MaxSize(arena->peak, LiveBytes(arena));
	if (!mark.block)
	{
		arena->top = KeepOneBlock(arena, NULL, arena->peak);
		arena->spare = NULL;
		return;
	}
	DRAPE_ASSERT(mark.used <= mark.block->used);
	if (arena->top != mark.block)
	{
		arena->spare = KeepOneBlock(arena, mark.block, arena->peak - mark.block->below - mark.used);
		arena->top = mark.block;
	}
	mark.block->used = mark.used;
}

void drapeArena_Free(Arena* arena)
{
	for (ArenaBlock* block = arena->top; block;)
	{
		ArenaBlock* previous = block->previous;
		FreeBlock(block);
		block = previous;
	}
	FreeBlock(arena->spare);
	*arena = (Arena){0};
}
