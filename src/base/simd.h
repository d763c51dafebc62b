// SPDX-License-Identifier: MIT
#pragma once

#include "base/maths.h"

#include <string.h>

// Eight floats at a time (F8), and eight vectors (V8). One back end is chosen when a file is compiled:
//
//   simd/avx2.h    one register of eight floats
//   simd/four.h    two registers of four floats, over simd/sse2.h, simd/neon.h or simd/wasm.h
//   simd/scalar.h  an array of eight floats
//
// The core of one library may be compiled for several of them; simd/dispatch.c then chooses one when the program starts.
//
// All give the same bits: every operation is one correctly rounded IEEE operation per lane, none is fused, and sums over
// lanes follow one fixed tree. Only the sign and payload of a NaN that arithmetic produces may differ, because compilers
// swap operands.
//
// Min and max return the second operand when both are equal or one is NaN, as minps does: min(a, b) = a < b ? a : b.
// Comparisons with NaN are false. A mask (M8) has all bits of a lane set or none.
//
// DRAPE_SCALAR and DRAPE_FOUR choose a back end that the compiler's target alone would not.

#if defined(DRAPE_SCALAR)
#include "base/simd/scalar.h"
#elif defined(__AVX2__) && !defined(DRAPE_FOUR)
#include "base/simd/avx2.h"
#elif defined(__SSE2__) || defined(__aarch64__) || defined(__wasm_simd128__)
#include "base/simd/four.h"
#else
#include "base/simd/scalar.h"
#endif

// The same without the fourth column, which the compiler drops.
DRAPE_INLINE void F8_GatherRows(const Vec4* rows, const uint32_t* index8, F8* x, F8* y, F8* z)
{
	F8 w;
	F8_GatherRows4(rows, index8, x, y, z, &w);
	(void)w;
}

// --- eight vectors ---------------------------------------------------------------------------------------------------

// Three F8: the x, y and z of eight vectors.
typedef struct V8
{
	F8 x, y, z;
} V8;

DRAPE_INLINE V8 V8_Gather(const Vec4* rows, const uint32_t* index8)
{
	V8 v;
	F8_GatherRows(rows, index8, &v.x, &v.y, &v.z);
	return v;
}

// Reads rows at byte offsets from the first row.
DRAPE_INLINE V8 V8_GatherAt(const Vec4* rows, const uint32_t* offset8)
{
	V8 v;
	F8 w;
	F8_GatherAt(rows, offset8, &v.x, &v.y, &v.z, &w);
	(void)w;
	return v;
}

// Eight consecutive rows. Loads ignore the fourth component, stores write 0 to it.
DRAPE_INLINE V8 V8_LoadRows(const Vec4* rows)
{
	V8 v;
	F8 w;
	F8_LoadRows(rows, &v.x, &v.y, &v.z, &w);
	(void)w;
	return v;
}

DRAPE_INLINE void V8_StoreRows(Vec4* rows, V8 v)
{
	F8_StoreRows(rows, 1, v.x, v.y, v.z);
}

DRAPE_INLINE V8 V8_Splat(Vec3 v)
{
	return (V8){F8_Splat(v.x), F8_Splat(v.y), F8_Splat(v.z)};
}

DRAPE_INLINE V8 V8_Add(V8 a, V8 b)
{
	return (V8){F8_Add(a.x, b.x), F8_Add(a.y, b.y), F8_Add(a.z, b.z)};
}

DRAPE_INLINE V8 V8_Sub(V8 a, V8 b)
{
	return (V8){F8_Sub(a.x, b.x), F8_Sub(a.y, b.y), F8_Sub(a.z, b.z)};
}

DRAPE_INLINE V8 V8_Scale(F8 s, V8 a)
{
	return (V8){F8_Mul(s, a.x), F8_Mul(s, a.y), F8_Mul(s, a.z)};
}

// a + s b
DRAPE_INLINE V8 V8_AddScaled(V8 a, F8 s, V8 b)
{
	return V8_Add(a, V8_Scale(s, b));
}

DRAPE_INLINE F8 V8_Dot(V8 a, V8 b)
{
	return F8_Add(F8_Add(F8_Mul(a.x, b.x), F8_Mul(a.y, b.y)), F8_Mul(a.z, b.z));
}

DRAPE_INLINE V8 V8_Cross(V8 a, V8 b)
{
	return (V8){F8_Sub(F8_Mul(a.y, b.z), F8_Mul(a.z, b.y)), F8_Sub(F8_Mul(a.z, b.x), F8_Mul(a.x, b.z)),
	            F8_Sub(F8_Mul(a.x, b.y), F8_Mul(a.y, b.x))};
}

DRAPE_INLINE V8 V8_Blend(M8 mask, V8 yes, V8 no)
{
	return (V8){F8_Blend(mask, yes.x, no.x), F8_Blend(mask, yes.y, no.y), F8_Blend(mask, yes.z, no.z)};
}

// The largest absolute coordinate of each vector.
DRAPE_INLINE F8 V8_MaxAbs(V8 a)
{
	return F8_Max(F8_Abs(a.x), F8_Max(F8_Abs(a.y), F8_Abs(a.z)));
}

// Adds the first `count` of eight vectors to eight different rows. The fourth components stay as they are.
DRAPE_INLINE void V8_ScatterAdd(Vec4* rows, const uint32_t* index8, uint32_t count, V8 v)
{
	F8_ScatterAdd(rows, index8, count, v.x, v.y, v.z);
}

// Up to eight indices from `source`, for the tail of a loop. Lanes from `count` on repeat the first index, so that
// loads are safe.
DRAPE_INLINE const uint32_t* Lanes(const uint32_t* source, uint32_t count, uint32_t* padded8)
{
	if (count >= 8)
		return source;
	for (uint32_t i = 0; i < 8; ++i)
		padded8[i] = source[i < count ? i : 0];
	return padded8;
}
