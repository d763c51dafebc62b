// SPDX-License-Identifier: MIT
#pragma once

#include "base/simd.h"

// Discrete oriented polytopes (k-DOPs): extents along a few fixed directions. With k sides:
//    6   the faces of a cube, an axis-aligned box
//   14   faces and corners      18   faces and edges        26   faces, edges and corners
// Directions have the components -1, 0 and 1, so projecting takes only additions. They have no unit length;
// Kdop_AxisLength gives it. Klosowski et al. 1998; the tutorial uses 14 or 18 for cloth.
//
// The axes of each k are ordered: faces, edges, corners, without those it does not use.

enum
{
	kdopMaxAxes = 13,
};

// Returns the number of axes of a k-DOP; 0 for an unsupported k.
DRAPE_INLINE uint32_t Kdop_AxisCount(uint32_t k)
{
	return k == 6 || k == 14 || k == 18 || k == 26 ? k / 2 : 0;
}

typedef struct Kdop
{
	float low[kdopMaxAxes], high[kdopMaxAxes]; // the first k / 2 are used
} Kdop;

// Returns the length of the direction of an axis: the factor of a margin in metres.
DRAPE_INLINE float Kdop_AxisLength(uint32_t k, uint32_t axis)
{
	if (axis < 3)
		return 1.0f;
	return k == 14 || axis >= 9 ? 1.7320509f : 1.4142136f;
}

// Projects eight points on all axes.
DRAPE_INLINE void Kdop_Project8(uint32_t k, V8 p, F8* along)
{
	*along++ = p.x;
	*along++ = p.y;
	*along++ = p.z;
	if (k == 6)
		return;
	F8 sum = F8_Add(p.x, p.y), difference = F8_Sub(p.x, p.y);
	if (k != 14)
	{
		*along++ = sum;
		*along++ = difference;
		*along++ = F8_Add(p.x, p.z);
		*along++ = F8_Sub(p.x, p.z);
		*along++ = F8_Add(p.y, p.z);
		*along++ = F8_Sub(p.y, p.z);
	}
	if (k == 18)
		return;
	*along++ = F8_Add(sum, p.z);
	*along++ = F8_Sub(sum, p.z);
	*along++ = F8_Add(difference, p.z);
	*along++ = F8_Sub(difference, p.z);
}

// The same for one point, with the same bits.
static inline void Kdop_Project(uint32_t k, Vec3 p, float* along)
{
	*along++ = p.x;
	*along++ = p.y;
	*along++ = p.z;
	if (k == 6)
		return;
	float sum = p.x + p.y, difference = p.x - p.y;
	if (k != 14)
	{
		*along++ = sum;
		*along++ = difference;
		*along++ = p.x + p.z;
		*along++ = p.x - p.z;
		*along++ = p.y + p.z;
		*along++ = p.y - p.z;
	}
	if (k == 18)
		return;
	*along++ = sum + p.z;
	*along++ = sum - p.z;
	*along++ = difference + p.z;
	*along++ = difference - p.z;
}

// Bound of the rounding error of a projection, as a fraction of the sum of the coordinates: up to two additions and a
// margin.
#define KDOP_ROUNDING 0x1p-21f

DRAPE_INLINE Kdop Kdop_Empty(void)
{
	Kdop dop;
	for (uint32_t a = 0; a < kdopMaxAxes; ++a)
	{
		dop.low[a] = INFINITY;
		dop.high[a] = -INFINITY;
	}
	return dop;
}

// Grows the k-DOP to contain all points within `margin`, m, of this one.
static inline void Kdop_Add(Kdop* dop, uint32_t k, Vec3 p, float margin)
{
	float along[kdopMaxAxes];
	float slop = KDOP_ROUNDING * (fabsf(p.x) + fabsf(p.y) + fabsf(p.z));
	Kdop_Project(k, p, along);
	for (uint32_t a = 0; a < k / 2; ++a)
	{
		float grow = Kdop_AxisLength(k, a) * margin + slop;
		dop->low[a] = MinNumF(dop->low[a], along[a] - grow);
		dop->high[a] = MaxNumF(dop->high[a], along[a] + grow);
	}
}

static inline bool Kdop_Overlap(const Kdop* a, const Kdop* b, uint32_t k)
{
	for (uint32_t i = 0; i < k / 2; ++i)
	{
		if (!(a->low[i] <= b->high[i] && b->low[i] <= a->high[i]))
			return false;
	}
	return true;
}
