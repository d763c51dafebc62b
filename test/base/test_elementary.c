// SPDX-License-Identifier: MIT
#include "support.h"

#include "base/portable/elementary.h"
#include "base/maths.h"
#include "base/random.h"
#include "base/portable/sort.h"

#include <math.h>
#include <string.h>

// The C library is the reference of accuracy: its functions have errors below one unit in the last place. Bits are compared
// with stored ones, so that a platform with other bits fails.

enum
{
	samples = isSlow ? 20000 : 200000
};

static uint64_t Bits(double x)
{
	uint64_t bits;
	memcpy(&bits, &x, sizeof bits);
	return bits;
}

static double FromBits(uint64_t bits)
{
	double x;
	memcpy(&x, &bits, sizeof x);
	return x;
}

static uint64_t Random64(Random* random)
{
	uint64_t high = Random_U32(random);
	return high << 32 | Random_U32(random);
}

// A number of either sign whose power of two lies between two bounds.
static double Sample(Random* random, int lowest, int highest)
{
	uint64_t power = (uint64_t)(1023 + lowest) + Random_Below(random, (uint32_t)(highest - lowest + 1));
	return FromBits((Random64(random) & 0x800fffffffffffffu) | power << 52);
}

// The error in units in the last place of the expected number.
static double Error(double value, double expected)
{
	if (value == expected || (isnan(value) && isnan(expected)))
		return 0.0;
	if (!isfinite(value) || !isfinite(expected))
		return (double)INFINITY;
	double unit = nextafter(fabs(expected), (double)INFINITY) - fabs(expected);
	return fabs(value - expected) / unit;
}

typedef double Function(double x);

typedef struct Range
{
	const char* name;
	Function *own, *library;
	int lowest, highest; // powers of two
	double most;         // greatest error against the library, in units in the last place
} Range;

static void FunctionsAreAccurateOverWideRanges(void** state)
{
	(void)state;
#ifdef __MINGW32__
	skip(); // its own sine, that of the x87 processor, is wrong by 74,000 units near 8e5
#endif
	static const Range ranges[] = {
		{"sin", drapeMath_Sin, sin, -60, 1, 2.0},      {"sin", drapeMath_Sin, sin, 2, 19, 2.0},
		{"sin", drapeMath_Sin, sin, 20, 1023, 2.0},    {"cos", drapeMath_Cos, cos, -60, 1, 2.0},
		{"cos", drapeMath_Cos, cos, 2, 19, 2.0},       {"cos", drapeMath_Cos, cos, 20, 1023, 2.0},
		{"asin", drapeMath_Asin, asin, -60, -1, 3.0},  {"asin", drapeMath_Asin, asin, 0, 3, 0.0},
		{"acos", drapeMath_Acos, acos, -60, -1, 3.0},  {"acos", drapeMath_Acos, acos, 0, 3, 0.0},
		{"exp", drapeMath_Exp, exp, -60, 8, 2.0},      {"exp", drapeMath_Exp, exp, 9, 1023, 1.0},
		{"log", drapeMath_Log, log, -1022, 1023, 2.0}, {"log", drapeMath_Log, log, -2, 2, 2.0},
	};
	Random random = Random_Seed(18, 1);
	for (size_t i = 0; i < sizeof ranges / sizeof ranges[0]; ++i)
	{
		const Range* range = &ranges[i];
		double worst = 0.0, at = 0.0;
		for (int k = 0; k < samples; ++k)
		{
			double x = Sample(&random, range->lowest, range->highest);
			double error = Error(range->own(x), range->library(x));
			if (error > worst)
			{
				worst = error;
				at = x;
			}
		}
		print_message("%s, 2^%d to 2^%d: %.2f units at %.17g\n", range->name, range->lowest, range->highest, worst, at);
		assert_true(worst <= range->most);
	}
}

static void FunctionsOfTwoNumbersAreAccurate(void** state)
{
	(void)state;
	Random random = Random_Seed(18, 2);
	for (int k = 0; k < samples; ++k)
	{
		double x = Sample(&random, -30, 30), y = Sample(&random, -30, 30);
		assert_true(Error(drapeMath_Atan2(y, x), atan2(y, x)) <= 3.0);
		assert_true(drapeMath_Mod(x, y) == fmod(x, y));
		x = Sample(&random, -1022, 1022);
		y = Sample(&random, -1022, 1022);
		assert_true(Error(drapeMath_Hypot(x, y), hypot(x, y)) <= 2.0);
		double angle = drapeMath_Atan2(y, x), expected = atan2(y, x);
		assert_true(fabs(expected) < 0x1p-1000 ? fabs(angle) < 0x1p-999 : Error(angle, expected) <= 3.0);
		float base = (float)fabs(Sample(&random, -6, 6)), exponent = (float)Sample(&random, -6, 3);
		double power = pow((double)base, (double)exponent);
		if (power > 1e-37 && power < 1e38)
			assert_true(fabs((double)drapeMath_PowF(base, exponent) - power) <= 6e-8 * power);
	}
}

static void FloatsAreRoundedDoubles(void** state)
{
	(void)state;
	Random random = Random_Seed(18, 3);
	for (int k = 0; k < samples; ++k)
	{
		float x = (float)Sample(&random, -20, 20), y = (float)Sample(&random, -20, 20);
		double fraction = Sample(&random, -10, -1);
		assert_true(fabs((double)Math_SinF(x) - sin((double)x)) <= 6e-8);
		assert_true(fabs((double)Math_CosF(x) - cos((double)x)) <= 6e-8);
		assert_true(fabs((double)Math_AcosF((float)fraction) - acos((double)(float)fraction)) <= 2e-7);
		assert_true(Math_HypotF(x, y) == (float)hypot((double)x, (double)y));
		assert_true(Math_TowardsZeroF(x) == nextafterf(x, 0.0f));
	}
	assert_true(Math_ExpF(0.0f) == 1.0f && Math_ExpF(-200.0f) == 0.0f && isinf(Math_ExpF(100.0f)));
}

static bool Same(double a, double b)
{
	return Bits(a) == Bits(b) || (isnan(a) && isnan(b));
}

static void SpecialNumbersFollowTheStandard(void** state)
{
	(void)state;
	const double inf = (double)INFINITY, nan = (double)NAN;
	static Function* const functions[][2] = {{drapeMath_Sin, sin},   {drapeMath_Cos, cos}, {drapeMath_Asin, asin},
	                                         {drapeMath_Acos, acos}, {drapeMath_Exp, exp}, {drapeMath_Log, log}};
	const double numbers[] = {0.0,  -0.0,      inf,        -inf,      nan,     2.0,
	                          -2.0, 0x1p-1074, -0x1p-1074, 0x1p-1022, 1.7e308, -1.7e308};
	for (size_t f = 0; f < sizeof functions / sizeof functions[0]; ++f)
	{
		for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; ++i)
		{
			double value = functions[f][0](numbers[i]), expected = functions[f][1](numbers[i]);
			if (!Same(value, expected) && !(Error(value, expected) <= 2.0))
				fail_msg("function %zu of %g: %.17g, expected %.17g", f, numbers[i], value, expected);
		}
	}
	for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; ++i)
	{
		for (size_t k = 0; k < sizeof numbers / sizeof numbers[0]; ++k)
		{
			double a = numbers[i], b = numbers[k], arc = atan2(a, b);
			assert_true(signbit(drapeMath_Atan2(a, b)) == signbit(arc) || isnan(arc));
			assert_true(Error(drapeMath_Atan2(a, b), arc) <= 3.0);
			assert_true(Same(drapeMath_Mod(a, b), fmod(a, b)));
			assert_true(Error(drapeMath_Hypot(a, b), hypot(a, b)) <= 2.0);
		}
	}
	assert_true(drapeMath_Log(1.0) == 0.0 && drapeMath_Exp(-0.0) == 1.0 && drapeMath_Acos(1.0) == 0.0);
	assert_true(drapeMath_Exp(-745.0) == 0x1p-1074 && drapeMath_Exp(-750.0) == 0.0 && isfinite(drapeMath_Exp(709.7)));
	assert_true(drapeMath_PowF(2.0f, 10.0f) == 1024.0f && drapeMath_PowF(0.3f, 0.0f) == 1.0f);
}

// Steps of arguments between 2^-60 and 8: neighbours, and larger ones.
static void FunctionsRiseWhereTheyShould(void** state)
{
	(void)state;
	Random random = Random_Seed(18, 4);
	for (int k = 0; k < samples; ++k)
	{
		double x = Sample(&random, -40, 2), y = x * (1.0 + Sample(&random, -40, -12));
		double low = MinNum(x, y), high = MaxNum(x, y);
		assert_true(drapeMath_Exp(low) <= drapeMath_Exp(high));
		assert_true(drapeMath_Atan2(low, 1.0) <= drapeMath_Atan2(high, 1.0));
		if (low > 0.0)
			assert_true(drapeMath_Log(low) <= drapeMath_Log(high));
		if (fabs(low) <= 1.0 && fabs(high) <= 1.0)
			assert_true(drapeMath_Acos(low) >= drapeMath_Acos(high));
		// Rounded to single precision they never fall between neighbours.
		float narrow = (float)x, next = nextafterf(narrow, INFINITY);
		assert_true(Math_ExpF(narrow) <= Math_ExpF(next));
		if (fabsf(narrow) < 1.0f)
			assert_true(Math_AcosF(narrow) >= Math_AcosF(next));
		if (fabsf(next) < 1.57f)
			assert_true(Math_SinF(narrow) <= Math_SinF(next));
	}
}

// A sum over the bits of many results. The number must be the same on every platform.
static void ResultsAreTheSameBitsEverywhere(void** state)
{
	(void)state;
	uint64_t hash = 0;
	Random random = Random_Seed(18, 5);
	for (int k = 0; k < 20000; ++k)
	{
		double x = Sample(&random, -60, 8), y = Sample(&random, -60, 8), large = Sample(&random, 0, 1023);
		double fraction = Sample(&random, -30, -1);
		const double results[] = {
			drapeMath_Sin(x),      drapeMath_Cos(x),         drapeMath_Sin(large),
			drapeMath_Cos(large),  drapeMath_Asin(fraction), drapeMath_Acos(fraction),
			drapeMath_Exp(x),      drapeMath_Log(fabs(x)),   drapeMath_Atan2(y, x),
			drapeMath_Hypot(x, y), drapeMath_Mod(x, y),      (double)drapeMath_PowF((float)fabs(x), (float)fraction),
		};
		for (size_t i = 0; i < sizeof results / sizeof results[0]; ++i)
			hash = (hash ^ Bits(results[i])) * 0x9e3779b97f4a7c15u ^ hash >> 29;
	}
	print_message("0x%016llx\n", (unsigned long long)hash);
	assert_true(hash == 0x354cc704cf642668u);
}

static void LargerAndSmallerNumbersIgnoreNaN(void** state)
{
	(void)state;
	const double nan = (double)NAN;
	assert_true(MaxNumF(NAN, 1.0f) == 1.0f && MaxNumF(1.0f, NAN) == 1.0f && isnan(MaxNumF(NAN, NAN)));
	assert_true(MinNumF(NAN, 1.0f) == 1.0f && MinNumF(1.0f, NAN) == 1.0f && isnan(MinNumF(NAN, NAN)));
	assert_true(MaxNum(nan, 1.0) == 1.0 && MaxNum(1.0, nan) == 1.0 && MinNum(nan, 1.0) == 1.0 &&
	            MinNum(1.0, nan) == 1.0);
	assert_true(MaxNumF(2.0f, 1.0f) == 2.0f && MinNumF(2.0f, 1.0f) == 1.0f && MaxNum(1.0, 2.0) == 2.0);
	assert_true(signbit(MaxNumF(0.0f, -0.0f)) && !signbit(MinNumF(-0.0f, 0.0f))); // the second of equal ones
}

// --- sorting --------------------------------------------------------------------------------------------------------

typedef struct Item
{
	uint32_t key, place;
} Item;

static int CompareItems(const void* a, const void* b)
{
	uint32_t first = ((const Item*)a)->key, second = ((const Item*)b)->key;
	return first < second ? -1 : first > second;
}

static void SortingOrdersEveryItemOnce(void** state)
{
	(void)state;
	Random random = Random_Seed(18, 6);
	static Item items[300];
	static bool seen[300];
	for (uint32_t count = 0; count < 300; ++count)
	{
		memset(seen, 0, sizeof seen);
		for (uint32_t i = 0; i < count; ++i)
			items[i] = (Item){Random_Below(&random, 1 + count / (1 + count % 3)), i};
		drapeSort(items, count, sizeof *items, CompareItems);
		for (uint32_t i = 0; i < count; ++i)
		{
			assert_true(i == 0 || items[i - 1].key <= items[i].key);
			assert_false(seen[items[i].place]);
			seen[items[i].place] = true;
		}
	}
}

static void EqualItemsHaveTheSameOrderEverywhere(void** state)
{
	(void)state;
	Item items[9];
	for (uint32_t i = 0; i < 9; ++i)
		items[i] = (Item){i % 3, i};
	drapeSort(items, 9, sizeof *items, CompareItems);
	const uint32_t expected[9] = {3, 0, 6, 4, 7, 1, 5, 2, 8};
	for (uint32_t i = 0; i < 9; ++i)
		assert_int_equal(items[i].place, expected[i]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(FunctionsAreAccurateOverWideRanges),
		cmocka_unit_test(FunctionsOfTwoNumbersAreAccurate),
		cmocka_unit_test(FloatsAreRoundedDoubles),
		cmocka_unit_test(SpecialNumbersFollowTheStandard),
		cmocka_unit_test(FunctionsRiseWhereTheyShould),
		cmocka_unit_test(ResultsAreTheSameBitsEverywhere),
		cmocka_unit_test(LargerAndSmallerNumbersIgnoreNaN),
		cmocka_unit_test(SortingOrdersEveryItemOnce),
		cmocka_unit_test(EqualItemsHaveTheSameOrderEverywhere),
	};
	return cmocka_run_group_tests_name("elementary", tests, NULL, NULL);
}
