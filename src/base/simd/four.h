// SPDX-License-Identifier: MIT
#pragma once

#include "base/maths.h"

// The operations of simd.h with registers of four floats. An F8 is two of them: lanes 0 to 3 and 4 to 7. The files included
// here provide for four lanes (F4, M4): load and store at any alignment, one number in all lanes, arithmetic, min and max
// of the second operand when both are equal or one is NaN, comparisons, masks, and a transposition of four registers.

#if defined(__SSE2__)
#include "base/simd/sse2.h"
#elif defined(__aarch64__)
#include "base/simd/neon.h"
#else
#include "base/simd/wasm.h"
#endif

typedef struct F8
{
	F4 low, high;
} F8;

typedef struct M8
{
	M4 low, high;
} M8;

DRAPE_INLINE F8 F8_Load(const float* p)
{
	return (F8){F4_Load(p), F4_Load(p + 4)};
}

DRAPE_INLINE void F8_Store(float* p, F8 a)
{
	F4_Store(p, a.low);
	F4_Store(p + 4, a.high);
}

DRAPE_INLINE F8 F8_Splat(float x)
{
	return (F8){F4_Splat(x), F4_Splat(x)};
}

// An operation on both halves.
#define DRAPE_ONE(Type, Name, operation)                                                                               \
	DRAPE_INLINE Type Name(F8 a)                                                                                       \
	{                                                                                                                  \
		return (Type){operation(a.low), operation(a.high)};                                                            \
	}
#define DRAPE_TWO(Type, Operand, Name, operation)                                                                      \
	DRAPE_INLINE Type Name(Operand a, Operand b)                                                                       \
	{                                                                                                                  \
		return (Type){operation(a.low, b.low), operation(a.high, b.high)};                                             \
	}

DRAPE_TWO(F8, F8, F8_Add, F4_Add)
DRAPE_TWO(F8, F8, F8_Sub, F4_Sub)
DRAPE_TWO(F8, F8, F8_Mul, F4_Mul)
DRAPE_TWO(F8, F8, F8_Div, F4_Div)
DRAPE_ONE(F8, F8_Sqrt, F4_Sqrt)
DRAPE_TWO(F8, F8, F8_Min, F4_Min)
DRAPE_TWO(F8, F8, F8_Max, F4_Max)
DRAPE_ONE(F8, F8_Abs, F4_Abs)
DRAPE_ONE(F8, F8_Neg, F4_Neg)
DRAPE_TWO(M8, F8, F8_Lt, F4_Lt)
DRAPE_TWO(M8, F8, F8_Le, F4_Le)
DRAPE_TWO(M8, M8, M8_And, M4_And)
DRAPE_TWO(M8, M8, M8_Or, M4_Or)
DRAPE_TWO(M8, M8, M8_AndNot, M4_AndNot)

#undef DRAPE_TWO
#undef DRAPE_ONE

DRAPE_INLINE M8 F8_Gt(F8 a, F8 b)
{
	return F8_Lt(b, a);
}

DRAPE_INLINE M8 U8_Same(const uint32_t* p, uint32_t number)
{
	return (M8){U4_Same(p, number), U4_Same(p + 4, number)};
}

DRAPE_INLINE M8 U8_Less(const uint32_t* p, const uint32_t* q)
{
	return (M8){U4_Less(p, q), U4_Less(p + 4, q + 4)};
}

DRAPE_INLINE uint32_t M8_Bits(M8 a)
{
	return M4_Bits(a.low) | M4_Bits(a.high) << 4;
}

DRAPE_INLINE F8 F8_Blend(M8 mask, F8 yes, F8 no)
{
	return (F8){F4_Blend(mask.low, yes.low, no.low), F4_Blend(mask.high, yes.high, no.high)};
}

DRAPE_INLINE void F8_Transpose(F8 row[8])
{
	for (int i = 0; i < 4; ++i)
	{
		F4 corner = row[i].high;
		row[i].high = row[i + 4].low;
		row[i + 4].low = corner;
	}
	F4_Transpose(&row[0].low, &row[1].low, &row[2].low, &row[3].low);
	F4_Transpose(&row[0].high, &row[1].high, &row[2].high, &row[3].high);
	F4_Transpose(&row[4].low, &row[5].low, &row[6].low, &row[7].low);
	F4_Transpose(&row[4].high, &row[5].high, &row[6].high, &row[7].high);
}

// Rows are Vec4, columns F8.

DRAPE_INLINE void F8_LoadHalf(const void* a, const void* b, const void* c, const void* d, F4 column[4])
{
	column[0] = F4_Load(a);
	column[1] = F4_Load(b);
	column[2] = F4_Load(c);
	column[3] = F4_Load(d);
	F4_Transpose(&column[0], &column[1], &column[2], &column[3]);
}

DRAPE_INLINE void F8_FromHalves(const F4 low[4], const F4 high[4], F8* x, F8* y, F8* z, F8* w)
{
	*x = (F8){low[0], high[0]};
	*y = (F8){low[1], high[1]};
	*z = (F8){low[2], high[2]};
	*w = (F8){low[3], high[3]};
}

DRAPE_INLINE void F8_GatherRows4(const Vec4* rows, const uint32_t* index8, F8* x, F8* y, F8* z, F8* w)
{
	F4 low[4], high[4];
	F8_LoadHalf(&rows[index8[0]], &rows[index8[1]], &rows[index8[2]], &rows[index8[3]], low);
	F8_LoadHalf(&rows[index8[4]], &rows[index8[5]], &rows[index8[6]], &rows[index8[7]], high);
	F8_FromHalves(low, high, x, y, z, w);
}

DRAPE_INLINE void F8_LoadRows(const Vec4* rows, F8* x, F8* y, F8* z, F8* w)
{
	F4 low[4], high[4];
	F8_LoadHalf(&rows[0], &rows[1], &rows[2], &rows[3], low);
	F8_LoadHalf(&rows[4], &rows[5], &rows[6], &rows[7], high);
	F8_FromHalves(low, high, x, y, z, w);
}

// Reads rows at byte offsets from the first.
DRAPE_INLINE void F8_GatherAt(const void* rows, const uint32_t* offset8, F8* x, F8* y, F8* z, F8* w)
{
	const char* bytes = rows;
	F4 low[4], high[4];
	F8_LoadHalf(bytes + offset8[0], bytes + offset8[1], bytes + offset8[2], bytes + offset8[3], low);
	F8_LoadHalf(bytes + offset8[4], bytes + offset8[5], bytes + offset8[6], bytes + offset8[7], high);
	F8_FromHalves(low, high, x, y, z, w);
}

// Columns into rows 0 to 7.
DRAPE_INLINE void F8_ToRows(F8 x, F8 y, F8 z, F8 w, F4 row[8])
{
	F4_Transpose(&x.low, &y.low, &z.low, &w.low);
	F4_Transpose(&x.high, &y.high, &z.high, &w.high);
	row[0] = x.low;
	row[1] = y.low;
	row[2] = z.low;
	row[3] = w.low;
	row[4] = x.high;
	row[5] = y.high;
	row[6] = z.high;
	row[7] = w.high;
}

// Writes (x, y, z, w) to rows at byte offsets from the first.
DRAPE_INLINE void F8_ScatterAt(Vec4* rows, const uint32_t* offset8, F8 x, F8 y, F8 z, F8 w)
{
	F4 row[8];
	F8_ToRows(x, y, z, w, row);
	for (int i = 0; i < 8; ++i)
		F4_Store((float*)((char*)rows + offset8[i]), row[i]);
}

// Writes (x, y, z, 0) to eight rows that are `stride` apart.
DRAPE_INLINE void F8_StoreRows(Vec4* rows, size_t stride, F8 x, F8 y, F8 z)
{
	F4 row[8];
	F8_ToRows(x, y, z, F8_Splat(0.0f), row);
	for (size_t i = 0; i < 8; ++i)
		F4_Store(&rows[i * stride].x, row[i]);
}

// Adds (x, y, z, 0) to the first `count` of eight rows, which must be different ones.
DRAPE_INLINE void F8_ScatterAdd(Vec4* rows, const uint32_t* index8, uint32_t count, F8 x, F8 y, F8 z)
{
	F4 row[8];
	F8_ToRows(x, y, z, F8_Splat(0.0f), row);
	if (DRAPE_LIKELY(count >= 8))
	{
		for (int i = 0; i < 8; ++i)
			F4_Store(&rows[index8[i]].x, F4_Add(F4_Load(&rows[index8[i]].x), row[i]));
		return;
	}
	for (uint32_t i = 0; i < 8; ++i) // a loop to 8 is unrolled, so that the rows stay in registers
	{
		if (i < count)
			F4_Store(&rows[index8[i]].x, F4_Add(F4_Load(&rows[index8[i]].x), row[i]));
	}
}

// table[index] for eight indices below 16; higher bits of an index are ignored.
DRAPE_INLINE F8 F8_Lookup(const float* table16, const uint8_t* index8)
{
	float found[8];
	for (int i = 0; i < 8; ++i)
		found[i] = table16[index8[i] & 15];
	return F8_Load(found);
}

// Over the lanes: first i with i + 4, then i with i + 2, then 0 with 1.
DRAPE_INLINE float F8_SumLanes(F8 a)
{
	float v[4];
	F4_Store(v, F4_Add(a.low, a.high));
	return (v[0] + v[2]) + (v[1] + v[3]);
}

DRAPE_INLINE float F8_MinLanes(F8 a)
{
	float v[4];
	F4_Store(v, F4_Min(a.low, a.high));
	return MinF(MinF(v[0], v[2]), MinF(v[1], v[3]));
}

DRAPE_INLINE float F8_MaxLanes(F8 a)
{
	float v[4];
	F4_Store(v, F4_Max(a.low, a.high));
	return MaxF(MaxF(v[0], v[2]), MaxF(v[1], v[3]));
}
