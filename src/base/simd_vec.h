// SPDX-License-Identifier: MIT
#pragma once

#include "base/simd.h"

// Eight vectors at a time, and eight elements of a loop with its tail: the loops over elements that touch particles are
// written with these.

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

// From rows that are so many bytes from the first.
DRAPE_INLINE V8 V8_GatherAt(const Vec4* rows, const uint32_t* offset8)
{
	V8 v;
	F8 w;
	F8_GatherAt(rows, offset8, &v.x, &v.y, &v.z, &w);
	(void)w;
	return v;
}

// Eight rows that follow each other. Fourth components are left out, and written as 0.
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

DRAPE_INLINE F8 V8_Dot(V8 a, V8 b)
{
	return F8_Add(F8_Add(F8_Mul(a.x, b.x), F8_Mul(a.y, b.y)), F8_Mul(a.z, b.z));
}

DRAPE_INLINE V8 V8_Cross(V8 a, V8 b)
{
	return (V8){F8_Sub(F8_Mul(a.y, b.z), F8_Mul(a.z, b.y)), F8_Sub(F8_Mul(a.z, b.x), F8_Mul(a.x, b.z)),
	            F8_Sub(F8_Mul(a.x, b.y), F8_Mul(a.y, b.x))};
}

DRAPE_INLINE void V8_ScatterAdd(Vec4* rows, const uint32_t* index8, uint32_t count, V8 v)
{
	F8_ScatterAdd(rows, index8, count, v.x, v.y, v.z);
}

// Up to eight indices from `source`; lanes from `count` on repeat the first, so that loads are safe.
DRAPE_INLINE const uint32_t* Lanes(const uint32_t* source, uint32_t count, uint32_t* padded8)
{
	if (count >= 8)
		return source;
	for (uint32_t i = 0; i < 8; ++i)
		padded8[i] = source[i < count ? i : 0];
	return padded8;
}
