// SPDX-License-Identifier: MIT
#pragma once

#include "base/maths.h"

#include <string.h>

// The operations of simd.h without vector instructions: an F8 is an array. It defines what the others compute.

#define DRAPE_SIMD_NAME "scalar"

typedef struct F8
{
	float lane[8];
} F8;

typedef struct M8
{
	uint32_t lane[8];
} M8;

// The body of an operation that works on each lane separately.
#define DRAPE_LANES(Type, expression)                                                                                  \
	Type result;                                                                                                       \
	for (int i = 0; i < 8; ++i)                                                                                        \
		result.lane[i] = (expression);                                                                                 \
	return result;

DRAPE_INLINE F8 F8_Load(const float* p){DRAPE_LANES(F8, p[i])}

DRAPE_INLINE void F8_Store(float* p, F8 a)
{
	memcpy(p, a.lane, sizeof a.lane);
}

DRAPE_INLINE F8 F8_Splat(float x){DRAPE_LANES(F8, x)}

DRAPE_INLINE F8 F8_Add(F8 a, F8 b){DRAPE_LANES(F8, a.lane[i] + b.lane[i])}

DRAPE_INLINE F8 F8_Sub(F8 a, F8 b){DRAPE_LANES(F8, a.lane[i] - b.lane[i])}

DRAPE_INLINE F8 F8_Mul(F8 a, F8 b){DRAPE_LANES(F8, a.lane[i] * b.lane[i])}

DRAPE_INLINE F8 F8_Div(F8 a, F8 b){DRAPE_LANES(F8, a.lane[i] / b.lane[i])}

DRAPE_INLINE F8 F8_Sqrt(F8 a){DRAPE_LANES(F8, sqrtf(a.lane[i]))}

DRAPE_INLINE F8 F8_Min(F8 a, F8 b){DRAPE_LANES(F8, a.lane[i] < b.lane[i] ? a.lane[i] : b.lane[i])}

DRAPE_INLINE F8 F8_Max(F8 a, F8 b){DRAPE_LANES(F8, a.lane[i] > b.lane[i] ? a.lane[i] : b.lane[i])}

DRAPE_INLINE F8 F8_Abs(F8 a){DRAPE_LANES(F8, fabsf(a.lane[i]))}

DRAPE_INLINE F8 F8_Neg(F8 a){DRAPE_LANES(F8, -a.lane[i])}

DRAPE_INLINE M8 F8_Lt(F8 a, F8 b){DRAPE_LANES(M8, a.lane[i] < b.lane[i] ? UINT32_MAX : 0)}

DRAPE_INLINE M8 F8_Le(F8 a, F8 b){DRAPE_LANES(M8, a.lane[i] <= b.lane[i] ? UINT32_MAX : 0)}

DRAPE_INLINE M8 F8_Gt(F8 a, F8 b){DRAPE_LANES(M8, a.lane[i] > b.lane[i] ? UINT32_MAX : 0)}

DRAPE_INLINE M8 U8_Same(const uint32_t* p, uint32_t number){DRAPE_LANES(M8, p[i] == number ? UINT32_MAX : 0)}

DRAPE_INLINE M8 U8_Less(const uint32_t* p, const uint32_t* q){DRAPE_LANES(M8, p[i] < q[i] ? UINT32_MAX : 0)}

DRAPE_INLINE M8 M8_And(M8 a, M8 b){DRAPE_LANES(M8, a.lane[i] & b.lane[i])}

DRAPE_INLINE M8 M8_Or(M8 a, M8 b){DRAPE_LANES(M8, a.lane[i] | b.lane[i])}

DRAPE_INLINE M8 M8_AndNot(M8 a, M8 b){DRAPE_LANES(M8, a.lane[i] & ~b.lane[i])}

DRAPE_INLINE uint32_t M8_Bits(M8 a)
{
	uint32_t bits = 0;
	for (int i = 0; i < 8; ++i)
		bits |= (a.lane[i] & 1u) << i;
	return bits;
}

DRAPE_INLINE F8 F8_Blend(M8 mask, F8 yes, F8 no){DRAPE_LANES(F8, mask.lane[i] ? yes.lane[i] : no.lane[i])}

DRAPE_INLINE void F8_Transpose(F8 row[8])
{
	for (int i = 0; i < 8; ++i)
	{
		for (int k = 0; k < i; ++k)
		{
			float kept = row[i].lane[k];
			row[i].lane[k] = row[k].lane[i];
			row[k].lane[i] = kept;
		}
	}
}

DRAPE_INLINE void F8_GatherRows4(const Vec4* rows, const uint32_t* index8, F8* x, F8* y, F8* z, F8* w)
{
	for (int i = 0; i < 8; ++i)
	{
		const Vec4* row = &rows[index8[i]];
		x->lane[i] = row->x;
		y->lane[i] = row->y;
		z->lane[i] = row->z;
		w->lane[i] = row->w;
	}
}

DRAPE_INLINE void F8_GatherAt(const void* rows, const uint32_t* offset8, F8* x, F8* y, F8* z, F8* w)
{
	for (int i = 0; i < 8; ++i)
	{
		Vec4 row;
		memcpy(&row, (const char*)rows + offset8[i], sizeof row);
		x->lane[i] = row.x;
		y->lane[i] = row.y;
		z->lane[i] = row.z;
		w->lane[i] = row.w;
	}
}

DRAPE_INLINE void F8_ScatterAt(Vec4* rows, const uint32_t* offset8, F8 x, F8 y, F8 z, F8 w)
{
	for (int i = 0; i < 8; ++i)
		rows[offset8[i] / sizeof(Vec4)] = (Vec4){x.lane[i], y.lane[i], z.lane[i], w.lane[i]};
}

DRAPE_INLINE void F8_ScatterAdd(Vec4* rows, const uint32_t* index8, uint32_t count, F8 x, F8 y, F8 z)
{
	for (uint32_t i = 0; i < count; ++i)
	{
		Vec4* row = &rows[index8[i]];
		row->x += x.lane[i];
		row->y += y.lane[i];
		row->z += z.lane[i];
		row->w += 0.0f;
	}
}

DRAPE_INLINE void F8_StoreRows(Vec4* rows, size_t stride, F8 x, F8 y, F8 z)
{
	for (size_t i = 0; i < 8; ++i)
		rows[i * stride] = (Vec4){x.lane[i], y.lane[i], z.lane[i], 0.0f};
}

DRAPE_INLINE void F8_LoadRows(const Vec4* rows, F8* x, F8* y, F8* z, F8* w)
{
	for (int i = 0; i < 8; ++i)
	{
		x->lane[i] = rows[i].x;
		y->lane[i] = rows[i].y;
		z->lane[i] = rows[i].z;
		w->lane[i] = rows[i].w;
	}
}

DRAPE_INLINE F8 F8_Lookup(const float* table16, const uint8_t* index8){DRAPE_LANES(F8, table16[index8[i] & 15])}

#undef DRAPE_LANES

DRAPE_INLINE float F8_SumLanes(F8 a)
{
	const float* v = a.lane;
	return ((v[0] + v[4]) + (v[2] + v[6])) + ((v[1] + v[5]) + (v[3] + v[7]));
}

#define DRAPE_REDUCE(is)                                                                                               \
	for (int width = 4; width >= 1; width /= 2)                                                                        \
	{                                                                                                                  \
		for (int i = 0; i < width; ++i)                                                                                \
			a.lane[i] = a.lane[i] is a.lane[i + width] ? a.lane[i] : a.lane[i + width];                                \
	}                                                                                                                  \
	return a.lane[0];

DRAPE_INLINE float F8_MinLanes(F8 a){DRAPE_REDUCE(<)}

DRAPE_INLINE float F8_MaxLanes(F8 a)
{
	DRAPE_REDUCE(>)
}

#undef DRAPE_REDUCE
