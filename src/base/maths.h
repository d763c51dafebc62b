// SPDX-License-Identifier: MIT
#pragma once

#include "base/base.h"
#include "base/portable/elementary.h"

#include <math.h>

typedef drapeVec2 Vec2;
typedef drapeVec3 Vec3;
typedef drapeVec4 Vec4;

_Static_assert(sizeof(Vec3) == 12 && sizeof(Vec4) == 16, "vectors are packed floats");

DRAPE_INLINE Vec2 V2Sub(Vec2 a, Vec2 b)
{
	return (Vec2){a.x - b.x, a.y - b.y};
}

// MinF and MaxF return the second operand if both are equal or one is NaN. They compile to one instruction.
DRAPE_INLINE float MinF(float a, float b)
{
	return a < b ? a : b;
}

DRAPE_INLINE float MaxF(float a, float b)
{
	return a > b ? a : b;
}

// The larger and the smaller number; a NaN counts as missing. Like fmax and fmin of the C library, which may choose either
// of two zeros and is a call.
DRAPE_INLINE float MaxNumF(float a, float b)
{
	return a > b || b != b ? a : b;
}

DRAPE_INLINE float MinNumF(float a, float b)
{
	return a < b || b != b ? a : b;
}

DRAPE_INLINE double MaxNum(double a, double b)
{
	return a > b || b != b ? a : b;
}

DRAPE_INLINE double MinNum(double a, double b)
{
	return a < b || b != b ? a : b;
}

DRAPE_INLINE float V2Cross(Vec2 a, Vec2 b)
{
	return a.x * b.y - a.y * b.x;
}

DRAPE_INLINE float V2Dot(Vec2 a, Vec2 b)
{
	return a.x * b.x + a.y * b.y;
}

DRAPE_INLINE Vec3 V3Add(Vec3 a, Vec3 b)
{
	return (Vec3){a.x + b.x, a.y + b.y, a.z + b.z};
}

DRAPE_INLINE Vec3 V3Sub(Vec3 a, Vec3 b)
{
	return (Vec3){a.x - b.x, a.y - b.y, a.z - b.z};
}

DRAPE_INLINE Vec3 V3Scale(float s, Vec3 a)
{
	return (Vec3){s * a.x, s * a.y, s * a.z};
}

DRAPE_INLINE float V3Dot(Vec3 a, Vec3 b)
{
	return a.x * b.x + a.y * b.y + a.z * b.z;
}

DRAPE_INLINE Vec3 V3Cross(Vec3 a, Vec3 b)
{
	return (Vec3){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

DRAPE_INLINE float V3Length(Vec3 a)
{
	return sqrtf(V3Dot(a, a));
}

DRAPE_INLINE float V3MaxAbs(Vec3 a)
{
	return MaxF(fabsf(a.x), MaxF(fabsf(a.y), fabsf(a.z)));
}

// Returns a unit vector; the zero vector stays zero.
// The smaller and the larger of each component.
DRAPE_INLINE Vec3 V3Min(Vec3 a, Vec3 b)
{
	return (Vec3){MinF(a.x, b.x), MinF(a.y, b.y), MinF(a.z, b.z)};
}

DRAPE_INLINE Vec3 V3Max(Vec3 a, Vec3 b)
{
	return (Vec3){MaxF(a.x, b.x), MaxF(a.y, b.y), MaxF(a.z, b.z)};
}

// a for share 0, b for share 1.
DRAPE_INLINE Vec3 V3Lerp(Vec3 a, Vec3 b, float share)
{
	return V3Add(a, V3Scale(share, V3Sub(b, a)));
}

DRAPE_INLINE Vec3 V3Normalize(Vec3 a)
{
	float length = V3Length(a);
	return length > 0.0f ? V3Scale(1.0f / length, a) : (Vec3){0.0f, 0.0f, 0.0f};
}

DRAPE_INLINE Vec3 V4Xyz(Vec4 a)
{
	return (Vec3){a.x, a.y, a.z};
}

DRAPE_INLINE bool V3IsFinite(Vec3 a)
{
	return isfinite(a.x) && isfinite(a.y) && isfinite(a.z);
}
