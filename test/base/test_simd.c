// SPDX-License-Identifier: MIT
#include "support.h"

#include "base/random.h"
#include "simd_ops.h"

static uint32_t Bits(float x)
{
	uint32_t bits;
	memcpy(&bits, &x, sizeof bits);
	return bits;
}

static float FromBits(uint32_t bits)
{
	float x;
	memcpy(&x, &bits, sizeof x);
	return x;
}

// Numbers of every kind: ordinary ones, any bit pattern, and the ones that go wrong.
static float HostileFloat(Random* random)
{
	static const uint32_t special[] = {
		0x00000000, 0x80000000, 0x7f800000, 0xff800000, // zeros, infinities
		0x7fc00000, 0xffc00000, 0x7fc01234, 0xffffffff, // quiet NaNs
		0x00000001, 0x807fffff, 0x00800000, 0x7f7fffff, // smallest and largest, with and without leading bit
		0x3f800000, 0xbf800000, 0x3f7fffff, 0x34000000, // about one
	};
	switch (Random_Below(random, 4))
	{
		case 0:
			return FromBits(special[Random_Below(random, sizeof special / sizeof special[0])]);
		case 1:
		{
			uint32_t bits = Random_U32(random);
			return FromBits((bits & 0x7f800000) == 0x7f800000 ? bits | 0x00400000 : bits); // no signalling NaN
		}
		default:
			return Random_Range(random, -2.0f, 2.0f);
	}
}

static SimdCase HostileCase(Random* random)
{
	SimdCase in;
	for (int i = 0; i < 8; ++i)
	{
		in.a[i] = HostileFloat(random);
		in.b[i] = Random_Below(random, 4) == 0 ? in.a[i] : HostileFloat(random);
		in.c[i] = HostileFloat(random);
		in.index[i] = Random_Below(random, 32);
		in.lookup[i] = (uint8_t)Random_U32(random);
	}
	for (int i = 0; i < 32; ++i)
		in.rows[i] = (Vec4){HostileFloat(random), HostileFloat(random), HostileFloat(random), HostileFloat(random)};
	for (int i = 0; i < 17; ++i)
		in.table[i] = HostileFloat(random);
	return in;
}

static void CompareWithTwin(SimdTwin twin)
{
	assert_int_equal(twin.count, sizeof simdOps / sizeof simdOps[0]);
	print_message("comparing %s with %s\n", DRAPE_SIMD_NAME, twin.name);
	Random random = Random_Seed(30, 0);
	for (int round = 0; round < 20000; ++round)
	{
		SimdCase in = HostileCase(&random);
		for (int op = 0; op < twin.count; ++op)
		{
			float x[32] = {0}, y[32] = {0};
			simdOps[op].run(&in, x);
			twin.ops[op].run(&in, y);
			for (int i = 0; i < simdOps[op].outputs; ++i)
			{
				if (simdOps[op].arithmetic && isnan(x[i]) && isnan(y[i]))
					continue;
				if (Bits(x[i]) != Bits(y[i]))
					fail_msg("%s, lane %d: %08x and %08x", simdOps[op].name, i, Bits(x[i]), Bits(y[i]));
			}
		}
	}
}

static void AllTwinsGiveTheSameBits(void** state)
{
	(void)state;
	assert_string_equal(Simd_ScalarTwin().name, "scalar");
	CompareWithTwin(Simd_ScalarTwin());
	CompareWithTwin(Simd_FourTwin());
#if defined(__SSE2__) && !defined(DRAPE_SCALAR)
	assert_string_equal(Simd_FourTwin().name, "sse2");
#endif
}

static void MinAndMaxGiveTheSecondWhenEqualOrUnordered(void** state)
{
	(void)state;
	float a[8] = {0.0f, -0.0f, NAN, 1.0f, 1.0f, 2.0f, INFINITY, -INFINITY};
	float b[8] = {-0.0f, 0.0f, 3.0f, NAN, 2.0f, 1.0f, 5.0f, 5.0f};
	float smaller[8], larger[8];
	F8_Store(smaller, F8_Min(F8_Load(a), F8_Load(b)));
	F8_Store(larger, F8_Max(F8_Load(a), F8_Load(b)));
	const float expectedMin[8] = {-0.0f, 0.0f, 3.0f, b[3], 1.0f, 1.0f, 5.0f, -INFINITY};
	const float expectedMax[8] = {-0.0f, 0.0f, 3.0f, b[3], 2.0f, 2.0f, INFINITY, 5.0f};
	assert_memory_equal(smaller, expectedMin, sizeof smaller);
	assert_memory_equal(larger, expectedMax, sizeof larger);
}

static void ComparisonsWithNaNAreFalse(void** state)
{
	(void)state;
	const float a[8] = {NAN, 1.0f, 1.0f, 2.0f, 1.0f, -0.0f, NAN, INFINITY};
	const float b[8] = {1.0f, NAN, 2.0f, 1.0f, 1.0f, 0.0f, NAN, INFINITY};
	assert_int_equal(M8_Bits(F8_Lt(F8_Load(a), F8_Load(b))), 0x04);
	assert_int_equal(M8_Bits(F8_Le(F8_Load(a), F8_Load(b))), 0xb4);
	assert_int_equal(M8_Bits(F8_Gt(F8_Load(a), F8_Load(b))), 0x08);
}

static void MasksCombineAndChoose(void** state)
{
	(void)state;
	const float ramp[8] = {0, 1, 2, 3, 4, 5, 6, 7};
	F8 x = F8_Load(ramp);
	M8 low = F8_Lt(x, F8_Splat(4.0f)), odd = F8_Gt(F8_Load((const float[8]){0, 1, 0, 1, 0, 1, 0, 1}), F8_Splat(0.0f));
	assert_int_equal(M8_Bits(low), 0x0f);
	assert_int_equal(M8_Bits(odd), 0xaa);
	assert_int_equal(M8_Bits(M8_And(low, odd)), 0x0a);
	assert_int_equal(M8_Bits(M8_Or(low, odd)), 0xaf);
	assert_int_equal(M8_Bits(M8_AndNot(low, odd)), 0x05);
	float out[8];
	F8_Store(out, F8_Blend(low, x, F8_Splat(-1.0f)));
	assert_memory_equal(out, ((const float[8]){0, 1, 2, 3, -1, -1, -1, -1}), sizeof out);
}

static void OperationsAreNotFused(void** state)
{
	(void)state;
	float x = 1.0f + 0x1p-12f; // x * x needs 25 bits, so rounding the product loses 2^-24
	float out[8];
	F8_Store(out, F8_Sub(F8_Mul(F8_Splat(x), F8_Splat(x)), F8_Splat(1.0f + 0x1p-11f)));
	for (int i = 0; i < 8; ++i)
		assert_int_equal(Bits(out[i]), Bits(0.0f));
}

static void LanesAreAddedInTheStatedTree(void** state)
{
	(void)state;
	// Any other order of these loses a different amount.
	const float v[8] = {1e8f, 3.0f, -1e8f, 5.0f, 7.0f, 1e8f, 11.0f, -1e8f};
	volatile float a = v[0] + v[4], b = v[1] + v[5], c = v[2] + v[6], d = v[3] + v[7];
	volatile float even = a + c, odd = b + d;
	assert_int_equal(Bits(F8_SumLanes(F8_Load(v))), Bits(even + odd));
	assert_int_equal(Bits(F8_MinLanes(F8_Load(v))), Bits(-1e8f));
	assert_int_equal(Bits(F8_MaxLanes(F8_Load(v))), Bits(1e8f));
}

static void GatheredRowsBecomeColumns(void** state)
{
	(void)state;
	Vec4 rows[20];
	for (int i = 0; i < 20; ++i)
		rows[i] = (Vec4){(float)i, (float)i + 100.0f, (float)i + 200.0f, (float)i + 300.0f};
	const uint32_t index[8] = {19, 0, 7, 7, 3, 12, 1, 18};
	F8 column[4];
	float out[4][8];
	F8_GatherRows4(rows, index, &column[0], &column[1], &column[2], &column[3]);
	for (int k = 0; k < 4; ++k)
		F8_Store(out[k], column[k]);
	for (int i = 0; i < 8; ++i)
	{
		for (int k = 0; k < 4; ++k)
			assert_true(out[k][i] == (float)index[i] + 100.0f * (float)k);
	}
}

static void ColumnsScatteredAtOffsetsAreGatheredFromThere(void** state)
{
	(void)state;
	Vec4 rows[20] = {0};
	const uint32_t index[8] = {19, 0, 7, 8, 3, 12, 1, 18};
	uint32_t offset[8];
	F8 column[4];
	float out[8];
	for (int i = 0; i < 8; ++i)
		offset[i] = index[i] * (uint32_t)sizeof(Vec4);
	const float in[8] = {0.0f, 1.0f, 2.0f, 3.0f, 4.0f, 5.0f, 6.0f, 7.0f};
	F8 x = F8_Load(in), ten = F8_Splat(10.0f), y = F8_Add(x, ten), z = F8_Add(y, ten), w = F8_Add(z, ten);
	F8_ScatterAt(rows, offset, x, y, z, w);
	for (int i = 0; i < 8; ++i)
	{
		const Vec4 row = rows[index[i]], expected = {in[i], in[i] + 10.0f, in[i] + 20.0f, in[i] + 30.0f};
		assert_memory_equal(&row, &expected, sizeof row);
	}
	F8_GatherAt(rows, offset, &column[0], &column[1], &column[2], &column[3]);
	for (int k = 0; k < 4; ++k)
	{
		F8_Store(out, column[k]);
		for (int i = 0; i < 8; ++i)
			assert_true(out[i] == in[i] + 10.0f * (float)k);
	}
}

static void LoadedRowsBecomeColumns(void** state)
{
	(void)state;
	Vec4 rows[9];
	for (int i = 0; i < 9; ++i)
		rows[i] = (Vec4){(float)i, (float)i + 100.0f, (float)i + 200.0f, (float)i + 300.0f};
	F8 column[4];
	float out[4][8];
	F8_LoadRows(rows + 1, &column[0], &column[1], &column[2], &column[3]);
	for (int k = 0; k < 4; ++k)
		F8_Store(out[k], column[k]);
	for (int i = 0; i < 8; ++i)
	{
		for (int k = 0; k < 4; ++k)
			assert_true(out[k][i] == (float)(i + 1) + 100.0f * (float)k);
	}
}

static void LookupReadsTheTable(void** state)
{
	(void)state;
	float table[16];
	for (int i = 0; i < 16; ++i)
		table[i] = (float)(i * i);
	for (uint8_t first = 0; first < 16; ++first)
	{
		uint8_t index[8];
		for (uint8_t i = 0; i < 8; ++i)
			index[i] = (uint8_t)((first + 3 * i) % 16);
		float out[8];
		F8_Store(out, F8_Lookup(table, index));
		for (int i = 0; i < 8; ++i)
			assert_true(out[i] == table[index[i]]);
	}
}

static void SameNumbersAreFound(void** state)
{
	(void)state;
	// With the bits of a NaN and of both zeros.
	const uint32_t numbers[9] = {7, 0xffffffffu, 7, 0, 0x80000000u, 0x7fc00000u, 0x7fc00000u, 8, 7};
	assert_int_equal(M8_Bits(U8_Same(numbers + 1, 7)), 1u << 1 | 1u << 7);
	assert_int_equal(M8_Bits(U8_Same(numbers, 0xffffffffu)), 1u << 1);
	assert_int_equal(M8_Bits(U8_Same(numbers, 0)), 1u << 3);
	assert_int_equal(M8_Bits(U8_Same(numbers, 0x7fc00000u)), 1u << 5 | 1u << 6);
	assert_int_equal(M8_Bits(U8_Same(numbers, 9)), 0);
}

static void LesserNumbersAreFound(void** state)
{
	(void)state;
	const uint32_t a[8] = {7, 0xffffffffu, 7, 0, 0x80000000u, 0x7fffffffu, 5, 0};
	const uint32_t b[8] = {8, 0, 7, 1, 0x7fffffffu, 0x80000000u, 4, 0xffffffffu};
	assert_int_equal(M8_Bits(U8_Less(a, b)), 1u << 0 | 1u << 3 | 1u << 5 | 1u << 7);
	assert_int_equal(M8_Bits(U8_Less(b, a)), 1u << 1 | 1u << 4 | 1u << 6);
}

static void TransposingExchangesRowsAndColumns(void** state)
{
	(void)state;
	float numbers[64];
	F8 row[8];
	for (int i = 0; i < 64; ++i)
		numbers[i] = (float)i;
	for (int i = 0; i < 8; ++i)
		row[i] = F8_Load(numbers + 8 * i);
	F8_Transpose(row);
	for (int i = 0; i < 8; ++i)
	{
		float column[8];
		F8_Store(column, row[i]);
		for (int k = 0; k < 8; ++k)
			assert_true(column[k] == numbers[8 * k + i]);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(AllTwinsGiveTheSameBits),
		cmocka_unit_test(MinAndMaxGiveTheSecondWhenEqualOrUnordered),
		cmocka_unit_test(ComparisonsWithNaNAreFalse),
		cmocka_unit_test(MasksCombineAndChoose),
		cmocka_unit_test(OperationsAreNotFused),
		cmocka_unit_test(LanesAreAddedInTheStatedTree),
		cmocka_unit_test(GatheredRowsBecomeColumns),
		cmocka_unit_test(ColumnsScatteredAtOffsetsAreGatheredFromThere),
		cmocka_unit_test(LoadedRowsBecomeColumns),
		cmocka_unit_test(LookupReadsTheTable),
		cmocka_unit_test(SameNumbersAreFound),
		cmocka_unit_test(LesserNumbersAreFound),
		cmocka_unit_test(TransposingExchangesRowsAndColumns),
	};
	return cmocka_run_group_tests_name("simd", tests, NULL, NULL);
}
