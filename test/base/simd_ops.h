// SPDX-License-Identifier: MIT
#pragma once

// Every operation of simd.h behind a plain function on arrays of eight, gathered in one table, so that the two twins,
// which cannot be in one translation unit, can be called side by side.

#include "base/simd.h"

typedef struct SimdCase
{
	float a[8], b[8], c[8];
	Vec4 rows[32];
	uint32_t index[8];   // below 32
	float table[16 + 1]; // the lookup starts at 1, to be misaligned
	uint8_t lookup[8];   // any value
} SimdCase;

typedef struct SimdOp
{
	const char* name;
	bool arithmetic; // the sign and payload of a NaN are open
	void (*run)(const SimdCase* in, float* out);
	int outputs; // floats written, at most 32
} SimdOp;

typedef struct SimdTwin
{
	const char* name;
	const SimdOp* ops;
	int count;
} SimdTwin;

SimdTwin Simd_ScalarTwin(void);
SimdTwin Simd_FourTwin(void); // with registers of four floats, where there are any

#define SIMD_RUN(name, body)                                                                                           \
	static void Run##name(const SimdCase* in, float* out)                                                              \
	{                                                                                                                  \
		F8 a = F8_Load(in->a), b = F8_Load(in->b), c = F8_Load(in->c);                                                 \
		(void)a, (void)b, (void)c;                                                                                     \
		body                                                                                                           \
	}

static void StoreBits(float* out, uint32_t bits)
{
	memcpy(out, &bits, sizeof bits);
}

SIMD_RUN(LoadStore, F8_Store(out, a);)
SIMD_RUN(Splat, F8_Store(out, F8_Splat(in->a[3]));)
SIMD_RUN(Add, F8_Store(out, F8_Add(a, b));)
SIMD_RUN(Sub, F8_Store(out, F8_Sub(a, b));)
SIMD_RUN(Mul, F8_Store(out, F8_Mul(a, b));)
SIMD_RUN(Div, F8_Store(out, F8_Div(a, b));)
SIMD_RUN(Sqrt, F8_Store(out, F8_Sqrt(a));)
SIMD_RUN(MulAdd, F8_Store(out, F8_Add(F8_Mul(a, b), c));)
SIMD_RUN(Min, F8_Store(out, F8_Min(a, b));)
SIMD_RUN(Max, F8_Store(out, F8_Max(a, b));)
SIMD_RUN(Abs, F8_Store(out, F8_Abs(a));)
SIMD_RUN(Neg, F8_Store(out, F8_Neg(a));)
SIMD_RUN(Lt, StoreBits(out, M8_Bits(F8_Lt(a, b)));)
SIMD_RUN(Le, StoreBits(out, M8_Bits(F8_Le(a, b)));)
SIMD_RUN(Gt, StoreBits(out, M8_Bits(F8_Gt(a, b)));)
SIMD_RUN(Same, StoreBits(out, M8_Bits(U8_Same(in->index, in->index[5])));)
SIMD_RUN(And, StoreBits(out, M8_Bits(M8_And(F8_Lt(a, b), F8_Lt(b, c))));)
SIMD_RUN(Or, StoreBits(out, M8_Bits(M8_Or(F8_Lt(a, b), F8_Lt(b, c))));)
SIMD_RUN(AndNot, StoreBits(out, M8_Bits(M8_AndNot(F8_Lt(a, b), F8_Lt(b, c))));)
SIMD_RUN(Blend, F8_Store(out, F8_Blend(F8_Lt(a, b), a, c));)
SIMD_RUN(Lookup, F8_Store(out, F8_Lookup(in->table + 1, in->lookup));)
SIMD_RUN(SumLanes, out[0] = F8_SumLanes(a);)
SIMD_RUN(MinLanes, out[0] = F8_MinLanes(a);)
SIMD_RUN(MaxLanes, out[0] = F8_MaxLanes(a);)

static void RunGatherRows(const SimdCase* in, float* out)
{
	F8 x, y, z;
	F8_GatherRows(in->rows, in->index, &x, &y, &z);
	F8_Store(out, x);
	F8_Store(out + 8, y);
	F8_Store(out + 16, z);
}

static void RunGatherRows4(const SimdCase* in, float* out)
{
	F8 x, y, z, w;
	F8_GatherRows4(in->rows, in->index, &x, &y, &z, &w);
	F8_Store(out, x);
	F8_Store(out + 8, y);
	F8_Store(out + 16, z);
	F8_Store(out + 24, w);
}

static void RunGatherAt(const SimdCase* in, float* out)
{
	uint32_t offset[8];
	F8 x, y, z, w;
	for (int i = 0; i < 8; ++i)
		offset[i] = in->index[i] * (uint32_t)sizeof(Vec4);
	F8_GatherAt(in->rows, offset, &x, &y, &z, &w);
	F8_Store(out, x);
	F8_Store(out + 8, y);
	F8_Store(out + 16, z);
	F8_Store(out + 24, w);
}

static void RunScatterAt(const SimdCase* in, float* out)
{
	uint32_t offset[8];
	Vec4 rows[8];
	for (uint32_t i = 0; i < 8; ++i)
		offset[i] = (5 * i + in->index[0]) % 8 * (uint32_t)sizeof(Vec4);
	F8_ScatterAt(rows, offset, F8_Load(in->a), F8_Load(in->b), F8_Load(in->c), F8_Load(in->table));
	memcpy(out, rows, sizeof rows);
}

static void RunLoadRows(const SimdCase* in, float* out)
{
	F8 x, y, z, w;
	F8_LoadRows(in->rows + in->index[0] % 25, &x, &y, &z, &w);
	F8_Store(out, x);
	F8_Store(out + 8, y);
	F8_Store(out + 16, z);
	F8_Store(out + 24, w);
}

static void RunStoreRows(const SimdCase* in, float* out)
{
	const size_t stride = 1 + in->index[0] % 3;
	Vec4 rows[8 * 3];
	F8_StoreRows(rows, stride, F8_Load(in->a), F8_Load(in->b), F8_Load(in->c));
	for (size_t i = 0; i < 8; ++i)
		memcpy(out + 4 * i, &rows[i * stride], sizeof rows[0]);
}

static const SimdOp simdOps[] = {
	{"load and store", false, RunLoadStore, 8},
	{"splat", false, RunSplat, 8},
	{"add", true, RunAdd, 8},
	{"sub", true, RunSub, 8},
	{"mul", true, RunMul, 8},
	{"div", true, RunDiv, 8},
	{"sqrt", true, RunSqrt, 8},
	{"mul, then add", true, RunMulAdd, 8},
	{"min", false, RunMin, 8},
	{"max", false, RunMax, 8},
	{"abs", false, RunAbs, 8},
	{"neg", false, RunNeg, 8},
	{"lt", false, RunLt, 1},
	{"le", false, RunLe, 1},
	{"gt", false, RunGt, 1},
	{"same", false, RunSame, 1},
	{"and", false, RunAnd, 1},
	{"or", false, RunOr, 1},
	{"andnot", false, RunAndNot, 1},
	{"blend", false, RunBlend, 8},
	{"lookup", false, RunLookup, 8},
	{"sum of lanes", true, RunSumLanes, 1},
	{"min of lanes", false, RunMinLanes, 1},
	{"max of lanes", false, RunMaxLanes, 1},
	{"gather rows", false, RunGatherRows, 24},
	{"gather rows with w", false, RunGatherRows4, 32},
	{"gather at offsets", false, RunGatherAt, 32},
	{"scatter at offsets", false, RunScatterAt, 32},
	{"load rows", false, RunLoadRows, 32},
	{"store rows", false, RunStoreRows, 32},
};
