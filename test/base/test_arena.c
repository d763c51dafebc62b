// SPDX-License-Identifier: MIT
#include "support.h"

#include "base/arena.h"
#include "base/random.h"

#include <string.h>

static size_t AllocationsSoFar(void)
{
	return drapeGetMemoryUse().allocations;
}

// Allocates and fills; the fill is checked by whoever holds the pointers.
static uint8_t* AllocFilled(Arena* arena, size_t size, uint8_t value)
{
	uint8_t* memory = drapeArena_Alloc(arena, size);
	assert_non_null(memory);
	assert_int_equal((uintptr_t)memory % DRAPE_ALIGNMENT, 0);
	memset(memory, value, size);
	return memory;
}

static void AllocationsAreAlignedAndDoNotOverlap(void** state)
{
	(void)state;
	Arena arena = {0};
	uint8_t* blocks[500];
	size_t sizes[500];
	Random random = Random_Seed(20, 0);
	for (uint32_t i = 0; i < 500; ++i)
	{
		sizes[i] = Random_Below(&random, i % 50 == 0 ? 100000 : 300);
		blocks[i] = AllocFilled(&arena, sizes[i], (uint8_t)i);
	}
	for (uint32_t i = 0; i < 500; ++i)
	{
		for (size_t k = 0; k < sizes[i]; ++k)
			assert_int_equal(blocks[i][k], (uint8_t)i);
	}
	drapeArena_Free(&arena);
}

static void SizeZeroGivesAnAddressOfItsOwn(void** state)
{
	(void)state;
	Arena arena = {0};
	void* a = drapeArena_Alloc(&arena, 0);
	void* b = drapeArena_Alloc(&arena, 0);
	assert_non_null(a);
	assert_true(a != b);
	drapeArena_Free(&arena);
}

static void ResetGivesTheSameMemoryAgain(void** state)
{
	(void)state;
	Arena arena = {0};
	uint8_t* kept = AllocFilled(&arena, 100, 1);
	ArenaMark mark = drapeArena_Mark(&arena);
	void* a = drapeArena_Alloc(&arena, 500);
	drapeArena_Reset(&arena, mark);
	void* b = drapeArena_Alloc(&arena, 500);
	assert_ptr_equal(a, b);
	assert_int_equal(kept[99], 1);
	drapeArena_Free(&arena);
}

// One pass like those of a step: scratch, a nested part that runs a few times, more scratch.
static void RunPass(Arena* arena, uint32_t scale)
{
	ArenaMark bottom = drapeArena_Mark(arena);
	uint8_t* first = AllocFilled(arena, 1000 * scale, 1);
	for (uint32_t i = 0; i < 3; ++i)
	{
		ArenaMark mark = drapeArena_Mark(arena);
		uint8_t* second = AllocFilled(arena, 3000 * scale, 2);
		AllocFilled(arena, 7000 * scale, 3);
		AllocFilled(arena, 100 * scale, 4);
		assert_int_equal(second[3000 * scale - 1], 2);
		drapeArena_Reset(arena, mark);
	}
	AllocFilled(arena, 2000 * scale, 5);
	assert_int_equal(first[1000 * scale - 1], 1);
	drapeArena_Reset(arena, bottom);
}

static void SettledPassAllocatesNothing(void** state)
{
	(void)state;
	Arena arena = {0};
	for (uint32_t scale = 1; scale < 200; scale *= 3)
	{
		RunPass(&arena, scale);
		RunPass(&arena, scale);
		size_t before = AllocationsSoFar();
		for (int i = 0; i < 10; ++i)
			RunPass(&arena, scale);
		assert_int_equal(AllocationsSoFar(), before);
	}
	drapeArena_Free(&arena);
}

static void NestedScratchSettlesAboveLiveData(void** state)
{
	(void)state;
	Arena arena = {0};
	uint8_t* kept = AllocFilled(&arena, 10000, 9);
	ArenaMark mark = drapeArena_Mark(&arena);
	size_t before = 0;
	for (int round = 0; round < 10; ++round)
	{
		if (round == 2)
			before = AllocationsSoFar();
		for (int i = 0; i < 12; ++i)
			AllocFilled(&arena, 20000, 8);
		drapeArena_Reset(&arena, mark);
	}
	assert_int_equal(AllocationsSoFar(), before);
	assert_int_equal(kept[9999], 9);
	drapeArena_Free(&arena);
}

static void EmptiedArenaBecomesOneBlock(void** state)
{
	(void)state;
	// The last pair ends one cache line above what the larger of its two blocks holds.
	static const size_t sizes[][2] = {{64, 1000000}, {1000000, 64}, {16384, 32768}, {16384, 16448}};
	for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; ++i)
	{
		Arena arena = {0};
		size_t base = drapeGetMemoryUse().blocks;
		ArenaMark bottom = drapeArena_Mark(&arena);
		AllocFilled(&arena, sizes[i][0], 1);
		AllocFilled(&arena, sizes[i][1], 2);
		assert_int_equal(drapeGetMemoryUse().blocks - base, 2);
		drapeArena_Reset(&arena, bottom);
		AllocFilled(&arena, sizes[i][0], 1);
		AllocFilled(&arena, sizes[i][1], 2);
		assert_int_equal(drapeGetMemoryUse().blocks - base, 1);
		drapeArena_Free(&arena);
		assert_int_equal(drapeGetMemoryUse().blocks, base);
	}
}

static void BottomMarkStaysValidWhenTheBlockIsExchanged(void** state)
{
	(void)state;
	Arena arena = {0};
	AllocFilled(&arena, 100, 1);
	drapeArena_Reset(&arena, (ArenaMark){0});
	ArenaMark bottom = drapeArena_Mark(&arena); // an empty block is there already
	for (size_t size = 100; size < 10000000; size *= 10)
	{
		AllocFilled(&arena, size, 2);
		AllocFilled(&arena, size, 3);
		drapeArena_Reset(&arena, bottom);
	}
	drapeArena_Free(&arena);
}

static void ReservedAllocationsCannotFail(void** state)
{
	(void)state;
	for (int live = 0; live < 2; ++live)
	{
		Test_FailAllocation(1000, false);
		Arena arena = {0};
		if (live)
			AllocFilled(&arena, 5000, 1);
		assert_true(drapeArena_Reserve(&arena, Arena_Cost(1) * 10 + Arena_Cost(99999)));
		size_t before = AllocationsSoFar();
		for (int i = 0; i < 10; ++i)
			AllocFilled(&arena, 1, 2);
		AllocFilled(&arena, 99999, 3);
		assert_int_equal(AllocationsSoFar(), before);
		drapeArena_Free(&arena);
		Test_FailAllocation(0, false);
	}
}

static void ShortMemoryLeavesTheArenaUsable(void** state)
{
	(void)state;
	for (size_t fail = 1; fail < 12; ++fail)
	{
		Test_FailAllocation(fail, false);
		Arena arena = {0};
		uint32_t failures = 0;
		for (int round = 0; round < 3; ++round)
		{
			ArenaMark bottom = drapeArena_Mark(&arena);
			uint8_t* last = NULL;
			for (size_t size = 1000; size < 1000000; size *= 2)
			{
				uint8_t* memory = drapeArena_Alloc(&arena, size);
				if (!memory)
				{
					failures++;
					assert_true(!last || last[0] == 6);
					continue;
				}
				memset(memory, 6, size);
				last = memory;
			}
			drapeArena_Reset(&arena, bottom);
		}
		assert_int_equal(failures, fail <= Test_AllocationCount());
		drapeArena_Free(&arena);
		Test_FailAllocation(0, false);
	}
}

static void SizesThatOverflowAreRefused(void** state)
{
	(void)state;
	Arena arena = {0};
	for (size_t less = 0; less < 300; ++less)
	{
		assert_null(drapeArena_Alloc(&arena, SIZE_MAX - less));
		assert_false(drapeArena_Reserve(&arena, SIZE_MAX - less));
	}
	AllocFilled(&arena, 10, 1);
	assert_null(drapeArena_Alloc(&arena, SIZE_MAX - 64));
	drapeArena_Free(&arena);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(AllocationsAreAlignedAndDoNotOverlap),
		cmocka_unit_test(SizeZeroGivesAnAddressOfItsOwn),
		cmocka_unit_test(ResetGivesTheSameMemoryAgain),
		cmocka_unit_test(SettledPassAllocatesNothing),
		cmocka_unit_test(NestedScratchSettlesAboveLiveData),
		cmocka_unit_test(EmptiedArenaBecomesOneBlock),
		cmocka_unit_test(BottomMarkStaysValidWhenTheBlockIsExchanged),
		cmocka_unit_test(ReservedAllocationsCannotFail),
		cmocka_unit_test(ShortMemoryLeavesTheArenaUsable),
		cmocka_unit_test(SizesThatOverflowAreRefused),
	};
	return cmocka_run_group_tests_name("arena", tests, NULL, NULL);
}
