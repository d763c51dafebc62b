// SPDX-License-Identifier: MIT
#include "support.h"

#include "base/bitset.h"
#include "base/random.h"

static void BitsAreSetClearedAndFlippedOneByOne(void** state)
{
	(void)state;
	BitSet set = {0};
	assert_true(BitSet_Reserve(&set, 200));
	for (uint32_t i = 0; i < 200; ++i)
	{
		assert_false(BitSet_Get(&set, i));
		BitSet_Set(&set, i);
		BitSet_Set(&set, i);
		assert_true(BitSet_Get(&set, i));
		assert_int_equal(BitSet_CountSet(&set, 200), 1);
		BitSet_Clear(&set, i);
		BitSet_Clear(&set, i);
		assert_int_equal(BitSet_CountSet(&set, 200), 0);
		BitSet_Flip(&set, i);
		assert_true(BitSet_Get(&set, i));
		BitSet_Flip(&set, i);
		assert_false(BitSet_Get(&set, i));
	}
	BitSet_Free(&set);
	assert_null(set.words);
	assert_int_equal(set.capacity, 0);
}

static void GrowingKeepsBitsAndAddsZeros(void** state)
{
	(void)state;
	BitSet set = {0};
	uint32_t held = 0;
	for (uint32_t bits = 1; bits < 5000; bits += 1 + bits / 3)
	{
		assert_true(BitSet_Reserve(&set, bits));
		assert_true(set.capacity >= bits && set.capacity % 64 == 0);
		for (uint32_t i = 0; i < set.capacity; ++i)
			assert_int_equal(BitSet_Get(&set, i), i < held);
		for (uint32_t i = held; i < set.capacity; ++i)
			BitSet_Set(&set, i);
		held = set.capacity;
	}
	BitSet_Free(&set);
}

static void CountLooksAtTheFirstBitsOnly(void** state)
{
	(void)state;
	BitSet set = {0};
	assert_true(BitSet_Reserve(&set, 320));
	for (uint32_t i = 0; i < 320; ++i)
		BitSet_Set(&set, i);
	for (uint32_t bits = 0; bits <= 320; ++bits)
		assert_int_equal(BitSet_CountSet(&set, bits), bits);
	BitSet_Free(&set);
}

static void ClearAllStopsAtTheWordOfTheLastBit(void** state)
{
	(void)state;
	BitSet set = {0};
	BitSet_ClearAll(&set, 0);
	assert_true(BitSet_Reserve(&set, 256));
	for (uint32_t i = 0; i < 256; ++i)
		BitSet_Set(&set, i);
	BitSet_ClearAll(&set, 0);
	assert_int_equal(BitSet_CountSet(&set, 256), 256);
	BitSet_ClearAll(&set, 65);
	assert_int_equal(BitSet_CountSet(&set, 128), 0);
	assert_int_equal(BitSet_CountSet(&set, 256), 128);
	BitSet_Free(&set);
}

static void NextFindsWhatALinearSearchFinds(void** state)
{
	(void)state;
	Random random = Random_Seed(1, 0);
	BitSet set = {0};
	assert_true(BitSet_Reserve(&set, 384));
	for (uint32_t round = 0; round < 300; ++round)
	{
		BitSet_ClearAll(&set, set.capacity);
		uint32_t density = Random_Below(&random, 40); // from empty to many
		for (uint32_t i = 0; i < density; ++i)
			BitSet_Set(&set, Random_Below(&random, 384));
		for (uint32_t from = 0; from < 384; from += 1 + Random_Below(&random, 7))
		{
			uint32_t end = Random_Below(&random, 385);
			uint32_t expected = DRAPE_NONE;
			for (uint32_t i = from; i < end && expected == DRAPE_NONE; ++i)
				expected = BitSet_Get(&set, i) ? i : DRAPE_NONE;
			assert_int_equal(BitSet_Next(&set, from, end), expected);
		}
	}
	BitSet_Free(&set);
}

static void ScanVisitsEachSetBitOnceInOrder(void** state)
{
	(void)state;
	Random random = Random_Seed(2, 0);
	BitSet set = {0};
	uint32_t bits = 1000;
	assert_true(BitSet_Reserve(&set, bits));
	for (uint32_t i = 0; i < bits; ++i)
	{
		if (Random_Below(&random, 3) == 0 || i == 0 || i == bits - 1)
			BitSet_Set(&set, i);
	}
	uint32_t visited = 0, last = 0;
	for (uint32_t i = BitSet_Next(&set, 0, bits); i != DRAPE_NONE; i = BitSet_Next(&set, i + 1, bits))
	{
		assert_true(BitSet_Get(&set, i));
		assert_true(visited == 0 || i > last);
		last = i;
		visited++;
	}
	assert_int_equal(visited, BitSet_CountSet(&set, bits));
	assert_int_equal(last, bits - 1);
	assert_int_equal(BitSet_Next(&(BitSet){0}, 0, 0), DRAPE_NONE);
	BitSet_Free(&set);
}

static void FailedReserveChangesNothing(void** state)
{
	(void)state;
	Test_FailAllocation(2, true);
	BitSet set = {0};
	assert_true(BitSet_Reserve(&set, 64));
	BitSet_Set(&set, 63);
	assert_false(BitSet_Reserve(&set, 65));
	assert_false(BitSet_Reserve(&set, UINT32_MAX));
	assert_int_equal(set.capacity, 64);
	assert_true(BitSet_Get(&set, 63));
	BitSet_Free(&set);
	Test_FailAllocation(0, false);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(BitsAreSetClearedAndFlippedOneByOne), cmocka_unit_test(GrowingKeepsBitsAndAddsZeros),
		cmocka_unit_test(CountLooksAtTheFirstBitsOnly),        cmocka_unit_test(ClearAllStopsAtTheWordOfTheLastBit),
		cmocka_unit_test(NextFindsWhatALinearSearchFinds),     cmocka_unit_test(ScanVisitsEachSetBitOnceInOrder),
		cmocka_unit_test(FailedReserveChangesNothing),
	};
	return cmocka_run_group_tests_name("bitset", tests, NULL, NULL);
}
