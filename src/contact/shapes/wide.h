// SPDX-License-Identifier: MIT
#pragma once

#include "base/simd.h"

// Eight vectors at a time: the F8 of simd.h, three by three.
typedef struct Wide3
{
	F8 x, y, z;
} Wide3;

DRAPE_INLINE Wide3 Wide3_Splat(Vec3 a)
{
	return (Wide3){F8_Splat(a.x), F8_Splat(a.y), F8_Splat(a.z)};
}

DRAPE_INLINE Wide3 Wide3_Add(Wide3 a, Wide3 b)
{
	return (Wide3){F8_Add(a.x, b.x), F8_Add(a.y, b.y), F8_Add(a.z, b.z)};
}

DRAPE_INLINE Wide3 Wide3_Sub(Wide3 a, Wide3 b)
{
	return (Wide3){F8_Sub(a.x, b.x), F8_Sub(a.y, b.y), F8_Sub(a.z, b.z)};
}

DRAPE_INLINE Wide3 Wide3_Scale(F8 s, Wide3 a)
{
	return (Wide3){F8_Mul(s, a.x), F8_Mul(s, a.y), F8_Mul(s, a.z)};
}

// a + s b
DRAPE_INLINE Wide3 Wide3_AddScaled(Wide3 a, F8 s, Wide3 b)
{
	return Wide3_Add(a, Wide3_Scale(s, b));
}

DRAPE_INLINE F8 Wide3_Dot(Wide3 a, Wide3 b)
{
	return F8_Add(F8_Add(F8_Mul(a.x, b.x), F8_Mul(a.y, b.y)), F8_Mul(a.z, b.z));
}

DRAPE_INLINE Wide3 Wide3_Blend(M8 mask, Wide3 yes, Wide3 no)
{
	return (Wide3){F8_Blend(mask, yes.x, no.x), F8_Blend(mask, yes.y, no.y), F8_Blend(mask, yes.z, no.z)};
}

// The largest coordinate, without its sign.
DRAPE_INLINE F8 Wide3_MaxAbs(Wide3 a)
{
	return F8_Max(F8_Abs(a.x), F8_Max(F8_Abs(a.y), F8_Abs(a.z)));
}
