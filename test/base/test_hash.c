// SPDX-License-Identifier: MIT
#include "support.h"

#include "base/hash.h"
#include "base/random.h"

#include <string.h>

// Values of XXH64 for the bytes 0, 1, 2, ... of each length, from the family's reference library. Together the
// lengths take every way through the function.
static void BytesHashToThePublishedValues(void** state)
{
	(void)state;
	assert_true(drapeHash_Bytes(0, NULL, 0) == 0xef46db3751d8e999u);
	assert_true(drapeHash_Bytes(0, "a", 1) == 0xd24ec4f1a98c6e5bu);
	assert_true(drapeHash_Bytes(0, "abc", 3) == 0x44bc2cf5ad770999u);
	static const struct
	{
		size_t size;
		uint64_t seed, hash;
	} cases[] = {
		{4, 0x0u, 0xffced8604453cc1eu},   {7, 0x9e3779b97f4a7c15u, 0xececf5faa8a7490eu},
		{8, 0x2u, 0x24beb25423ca85c0u},   {12, 0x9e3779b97f4a7c15u, 0x132649ea1128bfa2u},
		{31, 0x4u, 0xb0010c8218df3d3au},  {32, 0x9e3779b97f4a7c15u, 0xa1c89217e9d50750u},
		{33, 0x6u, 0x97ac41b0de3c1f82u},  {44, 0x9e3779b97f4a7c15u, 0x9c52013c05753c46u},
		{63, 0x8u, 0xdaf2aac9bd834731u},  {64, 0x9e3779b97f4a7c15u, 0x2589245e62a1969bu},
		{96, 0xau, 0x53f15bc50613de04u},  {100, 0x9e3779b97f4a7c15u, 0x3b97d91eba03e785u},
		{255, 0xcu, 0x9d701b99bf3f0382u}, {256, 0x9e3779b97f4a7c15u, 0xcc297fef2bb48bbfu},
	};
	uint8_t bytes[256];
	for (uint32_t i = 0; i < 256; ++i)
		bytes[i] = (uint8_t)i;
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i)
		assert_true(drapeHash_Bytes(cases[i].seed, bytes, cases[i].size) == cases[i].hash);
}

static void HashDoesNotDependOnAlignment(void** state)
{
	(void)state;
	uint8_t bytes[300], moved[400];
	for (uint32_t i = 0; i < 300; ++i)
		bytes[i] = (uint8_t)(i * 37);
	for (size_t shift = 0; shift < 64; ++shift)
	{
		memcpy(moved + shift, bytes, sizeof bytes);
		for (size_t size = 0; size <= 300; size += 11)
			assert_true(drapeHash_Bytes(5, bytes, size) == drapeHash_Bytes(5, moved + shift, size));
	}
}

static void EveryBitOfInputAndSeedMatters(void** state)
{
	(void)state;
	for (size_t size = 1; size <= 80; ++size)
	{
		uint8_t bytes[80] = {0};
		uint64_t plain = drapeHash_Bytes(0, bytes, size);
		assert_true(plain != drapeHash_Bytes(0, bytes, size - 1));
		for (int bit = 0; bit < 64; ++bit)
			assert_true(plain != drapeHash_Bytes((uint64_t)1 << bit, bytes, size));
		for (size_t bit = 0; bit < 8 * size; ++bit)
		{
			bytes[bit / 8] ^= (uint8_t)(1u << bit % 8);
			assert_true(plain != drapeHash_Bytes(0, bytes, size));
			bytes[bit / 8] ^= (uint8_t)(1u << bit % 8);
		}
	}
}

static void MixerFlipsHalfTheBitsForEachInputBit(void** state)
{
	(void)state;
	Random random = Random_Seed(3, 0);
	for (int bit = 0; bit < 64; ++bit)
	{
		uint32_t flipped = 0;
		for (int i = 0; i < 1000; ++i)
		{
			uint64_t x = (uint64_t)Random_U32(&random) << 32 | Random_U32(&random);
			flipped += (uint32_t)__builtin_popcountll(Hash_U64(x) ^ Hash_U64(x ^ (uint64_t)1 << bit));
		}
		assert_in_range(flipped, 31000, 33000); // of 64,000; the standard deviation is 126
	}
}

static void MapFindsWhatWasPut(void** state)
{
	(void)state;
	enum
	{
		keyCount = 5000
	};
	HashMap map = {0};
	assert_int_equal(HashMap_Get(&map, 0), DRAPE_NONE);
	Random random = Random_Seed(4, 0);
	for (uint32_t i = 0; i < keyCount; ++i)
	{
		assert_true(drapeHashMap_Reserve(&map, i + 1));
		uint64_t key = i < 100 ? i : (uint64_t)i << 32 | Random_Below(&random, 1u << 31);
		HashMap_Put(&map, key, i);
		assert_int_equal(map.count, i + 1);
	}
	random = Random_Seed(4, 0);
	for (uint32_t i = 0; i < keyCount; ++i)
	{
		uint64_t key = i < 100 ? i : (uint64_t)i << 32 | Random_Below(&random, 1u << 31);
		assert_int_equal(HashMap_Get(&map, key), i);
		assert_int_equal(HashMap_Get(&map, key | 1u << 31), DRAPE_NONE);
	}
	drapeHashMap_Free(&map);
}

static void PutReplacesTheValueOfAKey(void** state)
{
	(void)state;
	HashMap map = {0};
	assert_true(drapeHashMap_Reserve(&map, 2));
	HashMap_Put(&map, UINT64_MAX, 1);
	HashMap_Put(&map, 0, 2);
	HashMap_Put(&map, UINT64_MAX, 3);
	assert_int_equal(map.count, 2);
	assert_int_equal(HashMap_Get(&map, UINT64_MAX), 3);
	assert_int_equal(HashMap_Get(&map, 0), 2);
	drapeHashMap_Clear(&map);
	assert_int_equal(map.count, 0);
	assert_int_equal(HashMap_Get(&map, 0), DRAPE_NONE);
	HashMap_Put(&map, 0, 0);
	assert_int_equal(HashMap_Get(&map, 0), 0);
	drapeHashMap_Free(&map);
}

static void ReservedMapAllocatesNothing(void** state)
{
	(void)state;
	HashMap map = {0};
	for (uint32_t keys = 1; keys < 3000; keys = keys * 2 + 1)
	{
		assert_true(drapeHashMap_Reserve(&map, keys));
		size_t before = drapeGetMemoryUse().allocations;
		for (uint32_t i = 0; i < keys; ++i)
			HashMap_Put(&map, i, i);
		assert_true(drapeHashMap_Reserve(&map, keys));
		assert_int_equal(drapeGetMemoryUse().allocations, before);
		assert_int_equal(map.count, keys);
	}
	drapeHashMap_Free(&map);
}

static void FailedReserveChangesNothing(void** state)
{
	(void)state;
	Test_FailAllocation(2, true);
	HashMap map = {0};
	assert_true(drapeHashMap_Reserve(&map, 8));
	HashMap_Put(&map, 17, 4);
	HashMap before = map;
	assert_false(drapeHashMap_Reserve(&map, 9));
	assert_false(drapeHashMap_Reserve(&map, UINT32_MAX));
	assert_memory_equal(&map, &before, sizeof map);
	assert_int_equal(HashMap_Get(&map, 17), 4);
	drapeHashMap_Free(&map);
	Test_FailAllocation(0, false);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(BytesHashToThePublishedValues),
		cmocka_unit_test(HashDoesNotDependOnAlignment),
		cmocka_unit_test(EveryBitOfInputAndSeedMatters),
		cmocka_unit_test(MixerFlipsHalfTheBitsForEachInputBit),
		cmocka_unit_test(MapFindsWhatWasPut),
		cmocka_unit_test(PutReplacesTheValueOfAKey),
		cmocka_unit_test(ReservedMapAllocatesNothing),
		cmocka_unit_test(FailedReserveChangesNothing),
	};
	return cmocka_run_group_tests_name("hash", tests, NULL, NULL);
}
