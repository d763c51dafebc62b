// SPDX-License-Identifier: MIT
#pragma once

#include "base/maths.h"

// Geometry of single triangles in double precision. The examination of a mesh runs once, and its verdict on slivers
// must not depend on the rounding of float.

// Limits of the coordinates and lengths of a cloth, m. Between them a product of four lengths (a squared area) is a
// normal float; beyond them the arithmetic of the step would overflow or underflow.
#define MESH_MAX_COORDINATE 1e9f
#define MESH_MIN_LENGTH 1e-9

// A triangle counts as without area when twice its area is below this times its longest edge squared: then its height
// is of the size of the rounding error of a float coordinate as large as the edge.
#define MESH_SLIVER 1e-7

typedef struct Double2
{
	double x, y;
} Double2;

typedef struct Double3
{
	double x, y, z;
} Double3;

DRAPE_INLINE Double3 D3(Vec3 a)
{
	return (Double3){(double)a.x, (double)a.y, (double)a.z};
}

DRAPE_INLINE Double3 D3Between(Vec3 from, Vec3 to)
{
	return (Double3){(double)to.x - (double)from.x, (double)to.y - (double)from.y, (double)to.z - (double)from.z};
}

DRAPE_INLINE Double3 D3Sub(Double3 a, Double3 b)
{
	return (Double3){a.x - b.x, a.y - b.y, a.z - b.z};
}

DRAPE_INLINE Double3 D3Add(Double3 a, Double3 b)
{
	return (Double3){a.x + b.x, a.y + b.y, a.z + b.z};
}

DRAPE_INLINE Double3 D3Scale(double s, Double3 a)
{
	return (Double3){s * a.x, s * a.y, s * a.z};
}

DRAPE_INLINE double D3Dot(Double3 a, Double3 b)
{
	return a.x * b.x + a.y * b.y + a.z * b.z;
}

DRAPE_INLINE Double3 D3Cross(Double3 a, Double3 b)
{
	return (Double3){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

DRAPE_INLINE double D3Length(Double3 a)
{
	return sqrt(D3Dot(a, a));
}

DRAPE_INLINE Double2 D2Between(Vec2 from, Vec2 to)
{
	return (Double2){(double)to.x - (double)from.x, (double)to.y - (double)from.y};
}

DRAPE_INLINE double D2Dot(Double2 a, Double2 b)
{
	return a.x * b.x + a.y * b.y;
}

DRAPE_INLINE double D2Cross(Double2 a, Double2 b)
{
	return a.x * b.y - a.y * b.x;
}

DRAPE_INLINE double D2Length(Double2 a)
{
	return sqrt(D2Dot(a, a));
}

// Twice the signed area of a flat triangle, positive when it winds counter-clockwise.
DRAPE_INLINE double FlatTwiceArea(const Vec2 corners[3])
{
	return D2Cross(D2Between(corners[0], corners[1]), D2Between(corners[0], corners[2]));
}

DRAPE_INLINE bool AreaIsZero(double twiceArea, double longestSquared)
{
	return longestSquared < MESH_MIN_LENGTH * MESH_MIN_LENGTH || twiceArea < MESH_SLIVER * longestSquared;
}

DRAPE_INLINE bool FlatAreaIsZero(const Vec2 corners[3])
{
	double longestSquared = 0.0;
	for (int k = 0; k < 3; ++k)
	{
		Double2 side = D2Between(corners[k], corners[(k + 1) % 3]);
		longestSquared = MaxNum(longestSquared, D2Dot(side, side));
	}
	return AreaIsZero(fabs(FlatTwiceArea(corners)), longestSquared);
}

DRAPE_INLINE bool CoordinateIsUsable(float value)
{
	return fabsf(value) <= MESH_MAX_COORDINATE; // false for NaN
}
