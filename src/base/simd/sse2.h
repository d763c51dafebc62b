// SPDX-License-Identifier: MIT
#pragma once

#include <emmintrin.h>

// Four floats with SSE2, which every x86-64 processor has. simd/four.h says what each operation does.

#define DRAPE_SIMD_NAME "sse2"

typedef __m128 F4;
typedef __m128 M4;

DRAPE_INLINE F4 F4_Load(const float* p)
{
	return _mm_loadu_ps(p);
}

DRAPE_INLINE void F4_Store(float* p, F4 a)
{
	_mm_storeu_ps(p, a);
}

DRAPE_INLINE F4 F4_Splat(float x)
{
	return _mm_set1_ps(x);
}

DRAPE_INLINE F4 F4_Add(F4 a, F4 b)
{
	return _mm_add_ps(a, b);
}

DRAPE_INLINE F4 F4_Sub(F4 a, F4 b)
{
	return _mm_sub_ps(a, b);
}

DRAPE_INLINE F4 F4_Mul(F4 a, F4 b)
{
	return _mm_mul_ps(a, b);
}

DRAPE_INLINE F4 F4_Div(F4 a, F4 b)
{
	return _mm_div_ps(a, b);
}

DRAPE_INLINE F4 F4_Sqrt(F4 a)
{
	return _mm_sqrt_ps(a);
}

DRAPE_INLINE F4 F4_Min(F4 a, F4 b)
{
	return _mm_min_ps(a, b);
}

DRAPE_INLINE F4 F4_Max(F4 a, F4 b)
{
	return _mm_max_ps(a, b);
}

DRAPE_INLINE F4 F4_Abs(F4 a)
{
	return _mm_andnot_ps(_mm_set1_ps(-0.0f), a);
}

DRAPE_INLINE F4 F4_Neg(F4 a)
{
	return _mm_xor_ps(_mm_set1_ps(-0.0f), a);
}

DRAPE_INLINE M4 F4_Lt(F4 a, F4 b)
{
	return _mm_cmplt_ps(a, b);
}

DRAPE_INLINE M4 F4_Le(F4 a, F4 b)
{
	return _mm_cmple_ps(a, b);
}

DRAPE_INLINE M4 U4_Same(const uint32_t* p, uint32_t number)
{
	return _mm_castsi128_ps(_mm_cmpeq_epi32(_mm_loadu_si128((const __m128i*)p), _mm_set1_epi32((int)number)));
}

DRAPE_INLINE M4 U4_Less(const uint32_t* p, const uint32_t* q)
{
	const __m128i flip = _mm_set1_epi32((int)0x80000000u); // signed comparison of unsigned numbers
	__m128i a = _mm_xor_si128(_mm_loadu_si128((const __m128i*)p), flip);
	__m128i b = _mm_xor_si128(_mm_loadu_si128((const __m128i*)q), flip);
	return _mm_castsi128_ps(_mm_cmplt_epi32(a, b));
}

DRAPE_INLINE M4 M4_And(M4 a, M4 b)
{
	return _mm_and_ps(a, b);
}

DRAPE_INLINE M4 M4_Or(M4 a, M4 b)
{
	return _mm_or_ps(a, b);
}

DRAPE_INLINE M4 M4_AndNot(M4 a, M4 b)
{
	return _mm_andnot_ps(b, a);
}

DRAPE_INLINE uint32_t M4_Bits(M4 a)
{
	return (uint32_t)_mm_movemask_ps(a);
}

DRAPE_INLINE F4 F4_Blend(M4 mask, F4 yes, F4 no)
{
	return _mm_or_ps(_mm_and_ps(mask, yes), _mm_andnot_ps(mask, no));
}

DRAPE_INLINE void F4_Transpose(F4* a, F4* b, F4* c, F4* d)
{
	F4 xy01 = _mm_unpacklo_ps(*a, *b), zw01 = _mm_unpackhi_ps(*a, *b);
	F4 xy23 = _mm_unpacklo_ps(*c, *d), zw23 = _mm_unpackhi_ps(*c, *d);
	*a = _mm_movelh_ps(xy01, xy23);
	*b = _mm_movehl_ps(xy23, xy01);
	*c = _mm_movelh_ps(zw01, zw23);
	*d = _mm_movehl_ps(zw23, zw01);
}
