// SPDX-License-Identifier: MIT
#pragma once

#include <arm_neon.h>

// Four floats with NEON of 64-bit ARM, whose arithmetic follows IEEE 754. That of 32-bit ARM flushes small numbers to zero,
// so that it uses simd/scalar.h. simd/four.h says what each operation does.

#define DRAPE_SIMD_NAME "neon"

typedef float32x4_t F4;
typedef uint32x4_t M4;

DRAPE_INLINE F4 F4_Load(const float* p)
{
	return vld1q_f32(p);
}

DRAPE_INLINE void F4_Store(float* p, F4 a)
{
	vst1q_f32(p, a);
}

DRAPE_INLINE F4 F4_Splat(float x)
{
	return vdupq_n_f32(x);
}

DRAPE_INLINE F4 F4_Add(F4 a, F4 b)
{
	return vaddq_f32(a, b);
}

DRAPE_INLINE F4 F4_Sub(F4 a, F4 b)
{
	return vsubq_f32(a, b);
}

DRAPE_INLINE F4 F4_Mul(F4 a, F4 b)
{
	return vmulq_f32(a, b);
}

DRAPE_INLINE F4 F4_Div(F4 a, F4 b)
{
	return vdivq_f32(a, b);
}

DRAPE_INLINE F4 F4_Sqrt(F4 a)
{
	return vsqrtq_f32(a);
}

// Not vminq_f32, which gives NaN when one operand is NaN.
DRAPE_INLINE F4 F4_Min(F4 a, F4 b)
{
	return vbslq_f32(vcltq_f32(a, b), a, b);
}

DRAPE_INLINE F4 F4_Max(F4 a, F4 b)
{
	return vbslq_f32(vcgtq_f32(a, b), a, b);
}

DRAPE_INLINE F4 F4_Abs(F4 a)
{
	return vabsq_f32(a);
}

DRAPE_INLINE F4 F4_Neg(F4 a)
{
	return vnegq_f32(a);
}

DRAPE_INLINE M4 F4_Lt(F4 a, F4 b)
{
	return vcltq_f32(a, b);
}

DRAPE_INLINE M4 F4_Le(F4 a, F4 b)
{
	return vcleq_f32(a, b);
}

DRAPE_INLINE M4 U4_Same(const uint32_t* p, uint32_t number)
{
	return vceqq_u32(vld1q_u32(p), vdupq_n_u32(number));
}

DRAPE_INLINE M4 U4_Less(const uint32_t* p, const uint32_t* q)
{
	return vcltq_u32(vld1q_u32(p), vld1q_u32(q));
}

DRAPE_INLINE M4 M4_And(M4 a, M4 b)
{
	return vandq_u32(a, b);
}

DRAPE_INLINE M4 M4_Or(M4 a, M4 b)
{
	return vorrq_u32(a, b);
}

DRAPE_INLINE M4 M4_AndNot(M4 a, M4 b)
{
	return vbicq_u32(a, b);
}

DRAPE_INLINE uint32_t M4_Bits(M4 a)
{
	const uint32_t bit[4] = {1, 2, 4, 8};
	return vaddvq_u32(vandq_u32(a, vld1q_u32(bit)));
}

DRAPE_INLINE F4 F4_Blend(M4 mask, F4 yes, F4 no)
{
	return vbslq_f32(mask, yes, no);
}

DRAPE_INLINE void F4_Transpose(F4* a, F4* b, F4* c, F4* d)
{
	float32x4x2_t ab = vtrnq_f32(*a, *b), cd = vtrnq_f32(*c, *d);
	*a = vcombine_f32(vget_low_f32(ab.val[0]), vget_low_f32(cd.val[0]));
	*b = vcombine_f32(vget_low_f32(ab.val[1]), vget_low_f32(cd.val[1]));
	*c = vcombine_f32(vget_high_f32(ab.val[0]), vget_high_f32(cd.val[0]));
	*d = vcombine_f32(vget_high_f32(ab.val[1]), vget_high_f32(cd.val[1]));
}
