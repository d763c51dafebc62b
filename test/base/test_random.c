// SPDX-License-Identifier: MIT
#include "support.h"

#include "base/random.h"
#include "base/timer.h"

#include <math.h>

// The first numbers of the reference implementation's demonstration, seed 42 and stream 54.
static void NumbersAreThePublishedOnes(void** state)
{
	(void)state;
	static const uint32_t expected[6] = {0xa15c02b7, 0x7b47f409, 0xba1d3330, 0x83d2f293, 0xbfa4784b, 0xcbed606e};
	Random random = Random_Seed(42, 54);
	for (int i = 0; i < 6; ++i)
		assert_int_equal(Random_U32(&random), expected[i]);
}

static void SeedsAndStreamsGiveDifferentNumbers(void** state)
{
	(void)state;
	Random a = Random_Seed(1, 0), copy = a, otherSeed = Random_Seed(2, 0), otherStream = Random_Seed(1, 1);
	uint32_t sameSeed = 0, sameStream = 0;
	for (int i = 0; i < 1000; ++i)
	{
		uint32_t x = Random_U32(&a);
		assert_int_equal(x, Random_U32(&copy));
		sameSeed += x == Random_U32(&otherSeed);
		sameStream += x == Random_U32(&otherStream);
	}
	assert_true(sameSeed <= 1 && sameStream <= 1);
}

static void BelowIsEvenAndInRange(void** state)
{
	(void)state;
	Random random = Random_Seed(7, 0);
	for (uint32_t n = 1; n <= 12; ++n)
	{
		uint32_t counts[12] = {0};
		for (uint32_t i = 0; i < 10000 * n; ++i)
		{
			uint32_t x = Random_Below(&random, n);
			assert_true(x < n);
			counts[x]++;
		}
		for (uint32_t i = 0; i < n; ++i)
			assert_in_range(counts[i], 9500, 10500);
	}
}

// With n = 3 * 2^30, taking the remainder would give the lower third twice as often as the rest; so would a product
// without redraws, spread out: one of three neighbours would come twice.
static void BelowIsEvenForLargeRanges(void** state)
{
	(void)state;
	Random random = Random_Seed(8, 0);
	uint32_t thirds[3] = {0}, remainders[3] = {0};
	for (uint32_t i = 0; i < 30000; ++i)
	{
		uint32_t x = Random_Below(&random, 3u << 30);
		assert_true(x < 3u << 30);
		thirds[x >> 30]++;
		remainders[x % 3]++;
	}
	for (uint32_t i = 0; i < 3; ++i)
	{
		assert_in_range(thirds[i], 9500, 10500);
		assert_in_range(remainders[i], 9500, 10500);
	}
	assert_true(Random_Below(&random, UINT32_MAX) < UINT32_MAX);
}

static void FloatsFillTheUnitInterval(void** state)
{
	(void)state;
	Random random = Random_Seed(9, 0);
	uint32_t tenths[10] = {0};
	for (uint32_t i = 0; i < 100000; ++i)
	{
		float x = Random_Float(&random);
		assert_true(x >= 0.0f && x < 1.0f);
		tenths[(uint32_t)(x * 10.0f)]++;
	}
	for (uint32_t i = 0; i < 10; ++i)
		assert_in_range(tenths[i], 9500, 10500);
	Random highest = {.state = UINT64_MAX, .increment = 1};
	for (uint32_t i = 0; i < 1000; ++i)
		assert_true(Random_Float(&highest) < 1.0f);
}

static void RangesAreNotLeft(void** state)
{
	(void)state;
	static const float ranges[][2] = {{-1, 1}, {0, 0}, {5, 5.000001f}, {-1, 1e-8f}, {-1e30f, 1e30f}, {1e-40f, 2e-40f}};
	Random random = Random_Seed(10, 0);
	for (size_t k = 0; k < sizeof ranges / sizeof ranges[0]; ++k)
	{
		for (uint32_t i = 0; i < 20000; ++i)
		{
			float x = Random_Range(&random, ranges[k][0], ranges[k][1]);
			assert_true(x >= ranges[k][0] && x <= ranges[k][1]);
		}
	}
	// Neighbouring floats and mixed sizes, with the largest factor the generator can draw.
	for (uint32_t i = 0; i < 200000; ++i)
	{
		float a = ldexpf(Random_Float(&random) - 0.5f, (int)Random_Below(&random, 60) - 30);
		float b =
			i % 2 ? nextafterf(a, INFINITY) : a + ldexpf(Random_Float(&random), (int)Random_Below(&random, 60) - 30);
		assert_true(a + (b - a) * (1.0f - 0x1p-24f) <= b);
		float x = Random_Range(&random, a, b);
		assert_true(x >= a && x <= b);
	}
}

static void ClockNeverGoesBack(void** state)
{
	(void)state;
	uint64_t start = drapeTimer_Now(), last = start;
	for (uint32_t i = 0; i < 10000; ++i)
	{
		uint64_t now = drapeTimer_Now();
		assert_true(now >= last);
		last = now;
	}
	assert_true(last > start);
	assert_true(drapeTimer_Ms(start) >= (double)(last - start) * 1e-6);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(NumbersAreThePublishedOnes), cmocka_unit_test(SeedsAndStreamsGiveDifferentNumbers),
		cmocka_unit_test(BelowIsEvenAndInRange),      cmocka_unit_test(BelowIsEvenForLargeRanges),
		cmocka_unit_test(FloatsFillTheUnitInterval),  cmocka_unit_test(RangesAreNotLeft),
		cmocka_unit_test(ClockNeverGoesBack),
	};
	return cmocka_run_group_tests_name("random", tests, NULL, NULL);
}
