// SPDX-License-Identifier: MIT
#pragma once

#include <wasm_simd128.h>

// Four floats with the 128-bit instructions of WebAssembly. simd/four.h says what each operation does.

#define DRAPE_SIMD_NAME "wasm"

typedef v128_t F4;
typedef v128_t M4;

DRAPE_INLINE F4 F4_Load(const float* p)
{
	return wasm_v128_load(p);
}

DRAPE_INLINE void F4_Store(float* p, F4 a)
{
	wasm_v128_store(p, a);
}

DRAPE_INLINE F4 F4_Splat(float x)
{
	return wasm_f32x4_splat(x);
}

DRAPE_INLINE F4 F4_Add(F4 a, F4 b)
{
	return wasm_f32x4_add(a, b);
}

DRAPE_INLINE F4 F4_Sub(F4 a, F4 b)
{
	return wasm_f32x4_sub(a, b);
}

DRAPE_INLINE F4 F4_Mul(F4 a, F4 b)
{
	return wasm_f32x4_mul(a, b);
}

DRAPE_INLINE F4 F4_Div(F4 a, F4 b)
{
	return wasm_f32x4_div(a, b);
}

DRAPE_INLINE F4 F4_Sqrt(F4 a)
{
	return wasm_f32x4_sqrt(a);
}

// pmin(x, y) is y < x ? y : x.
DRAPE_INLINE F4 F4_Min(F4 a, F4 b)
{
	return wasm_f32x4_pmin(b, a);
}

// pmax(x, y) is x < y ? y : x.
DRAPE_INLINE F4 F4_Max(F4 a, F4 b)
{
	return wasm_f32x4_pmax(b, a);
}

DRAPE_INLINE F4 F4_Abs(F4 a)
{
	return wasm_f32x4_abs(a);
}

DRAPE_INLINE F4 F4_Neg(F4 a)
{
	return wasm_f32x4_neg(a);
}

DRAPE_INLINE M4 F4_Lt(F4 a, F4 b)
{
	return wasm_f32x4_lt(a, b);
}

DRAPE_INLINE M4 F4_Le(F4 a, F4 b)
{
	return wasm_f32x4_le(a, b);
}

DRAPE_INLINE M4 U4_Same(const uint32_t* p, uint32_t number)
{
	return wasm_i32x4_eq(wasm_v128_load(p), wasm_i32x4_splat((int32_t)number));
}

DRAPE_INLINE M4 U4_Less(const uint32_t* p, const uint32_t* q)
{
	return wasm_u32x4_lt(wasm_v128_load(p), wasm_v128_load(q));
}

DRAPE_INLINE M4 M4_And(M4 a, M4 b)
{
	return wasm_v128_and(a, b);
}

DRAPE_INLINE M4 M4_Or(M4 a, M4 b)
{
	return wasm_v128_or(a, b);
}

DRAPE_INLINE M4 M4_AndNot(M4 a, M4 b)
{
	return wasm_v128_andnot(a, b);
}

DRAPE_INLINE uint32_t M4_Bits(M4 a)
{
	return (uint32_t)wasm_i32x4_bitmask(a);
}

DRAPE_INLINE F4 F4_Blend(M4 mask, F4 yes, F4 no)
{
	return wasm_v128_bitselect(yes, no, mask);
}

DRAPE_INLINE void F4_Transpose(F4* a, F4* b, F4* c, F4* d)
{
	F4 xy01 = wasm_i32x4_shuffle(*a, *b, 0, 4, 1, 5), zw01 = wasm_i32x4_shuffle(*a, *b, 2, 6, 3, 7);
	F4 xy23 = wasm_i32x4_shuffle(*c, *d, 0, 4, 1, 5), zw23 = wasm_i32x4_shuffle(*c, *d, 2, 6, 3, 7);
	*a = wasm_i32x4_shuffle(xy01, xy23, 0, 1, 4, 5);
	*b = wasm_i32x4_shuffle(xy01, xy23, 2, 3, 6, 7);
	*c = wasm_i32x4_shuffle(zw01, zw23, 0, 1, 4, 5);
	*d = wasm_i32x4_shuffle(zw01, zw23, 2, 3, 6, 7);
}
