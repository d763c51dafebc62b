// SPDX-License-Identifier: MIT
#include "support.h"

#include "base/pool.h"
#include "base/random.h"

static void FreshIndicesCountUp(void** state)
{
	(void)state;
	IndexPool pool = {0};
	assert_true(drapeIndexPool_Reserve(&pool, 10));
	for (uint32_t i = 0; i < 10; ++i)
		assert_int_equal(IndexPool_Take(&pool), i);
	assert_int_equal(pool.used, 10);
	assert_int_equal(pool.next, 10);
	drapeIndexPool_Free(&pool);
	assert_null(pool.free.data);
	assert_int_equal(pool.next, 0);
}

static void LastGivenIsFirstTaken(void** state)
{
	(void)state;
	IndexPool pool = {0};
	assert_true(drapeIndexPool_Reserve(&pool, 9));
	for (uint32_t i = 0; i < 8; ++i)
		IndexPool_Take(&pool);
	IndexPool_Give(&pool, 5);
	IndexPool_Give(&pool, 2);
	IndexPool_Give(&pool, 7);
	assert_int_equal(pool.used, 5);
	assert_int_equal(IndexPool_Bound(&pool, 3), 8);
	assert_int_equal(IndexPool_Bound(&pool, 4), 9);
	assert_int_equal(IndexPool_Take(&pool), 7);
	assert_int_equal(IndexPool_Take(&pool), 2);
	assert_int_equal(IndexPool_Take(&pool), 5);
	assert_int_equal(IndexPool_Take(&pool), 8);
	assert_int_equal(pool.used, 9);
	drapeIndexPool_Free(&pool);
}

static void NoLiveIndexIsHandedOutAgain(void** state)
{
	(void)state;
	enum
	{
		indexLimit = 4000
	};
	static bool live[indexLimit];
	static uint32_t held[indexLimit];
	uint32_t heldCount = 0, highest = 0;
	IndexPool pool = {0};
	Random random = Random_Seed(11, 0);
	for (uint32_t round = 0; round < 2000; ++round)
	{
		uint32_t takes = Random_Below(&random, 60), gives = Random_Below(&random, 60);
		takes = MinU32(takes, indexLimit - heldCount);
		size_t bound = IndexPool_Bound(&pool, takes);
		assert_true(drapeIndexPool_Reserve(&pool, takes));
		for (uint32_t i = 0; i < takes; ++i)
		{
			uint32_t index = IndexPool_Take(&pool);
			assert_true(index < bound && index < indexLimit);
			assert_false(live[index]);
			live[index] = true;
			held[heldCount++] = index;
		}
		highest = MaxU32(highest, heldCount);
		for (uint32_t i = 0; i < gives && heldCount > 0; ++i)
		{
			uint32_t k = Random_Below(&random, heldCount);
			live[held[k]] = false;
			IndexPool_Give(&pool, held[k]);
			held[k] = held[--heldCount];
		}
		assert_int_equal(pool.used, heldCount);
		assert_int_equal(pool.used + pool.free.count, pool.next);
		assert_int_equal(pool.next, highest); // an index is fresh only when none is free
	}
	drapeIndexPool_Free(&pool);
}

static void GivingAndReservedTakesAllocateNothing(void** state)
{
	(void)state;
	IndexPool pool = {0};
	assert_true(drapeIndexPool_Reserve(&pool, 1000));
	size_t before = drapeGetMemoryUse().allocations;
	for (uint32_t round = 0; round < 3; ++round)
	{
		for (uint32_t i = 0; i < 1000; ++i)
			IndexPool_Take(&pool);
		for (uint32_t i = 0; i < 1000; ++i)
			IndexPool_Give(&pool, i);
		assert_true(drapeIndexPool_Reserve(&pool, 1000));
	}
	assert_int_equal(pool.used, 0);
	assert_int_equal(drapeGetMemoryUse().allocations, before);
	drapeIndexPool_Free(&pool);
}

static void FailedReserveChangesNothing(void** state)
{
	(void)state;
	for (size_t fail = 1; fail <= 3; ++fail)
	{
		Test_FailAllocation(fail, true);
		IndexPool pool = {0};
		uint32_t taken = 0;
		bool reserved = true;
		while ((reserved = drapeIndexPool_Reserve(&pool, 20)))
		{
			for (uint32_t i = 0; i < 20; ++i)
				assert_int_equal(IndexPool_Take(&pool), taken++);
		}
		assert_int_equal(pool.next, taken);
		for (uint32_t i = 0; i < taken; ++i)
			IndexPool_Give(&pool, i);
		assert_int_equal(pool.used, 0);
		assert_true(drapeIndexPool_Reserve(&pool, taken));
		assert_false(drapeIndexPool_Reserve(&pool, UINT32_MAX));
		drapeIndexPool_Free(&pool);
		Test_FailAllocation(0, false);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(FreshIndicesCountUp),         cmocka_unit_test(LastGivenIsFirstTaken),
		cmocka_unit_test(NoLiveIndexIsHandedOutAgain), cmocka_unit_test(GivingAndReservedTakesAllocateNothing),
		cmocka_unit_test(FailedReserveChangesNothing),
	};
	return cmocka_run_group_tests_name("pool", tests, NULL, NULL);
}
