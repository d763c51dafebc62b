// SPDX-License-Identifier: MIT
#include "contact/narrow/crossing.h"

#include <float.h>

// Every answer follows from signs of determinants of the coordinates, and every sign is exact. The test first computes
// the determinant in doubles with a bound of its error. Only when the error includes zero, it computes the determinant
// again as an exact sum of doubles that do not overlap: Shewchuk 1997, "Adaptive Precision Floating-Point Arithmetic
// and Fast Robust Geometric Predicates". Float coordinates keep it simple: the product of two is exact in a double, the
// product of three is two doubles, and neither overflows or underflows.
//
// Coplanar cases are decided in the three projections along the axes. Coplanar sets share a point when their images
// share one in each projection: in at least one projection the plane does not degenerate to a line, and the images
// there are as good as the sets. So the test need not choose an axis.

_Static_assert(FLT_EVAL_METHOD == 0, "exact sums need doubles rounded to doubles; nor may products be fused with sums");

// --- exact sums -----------------------------------------------------------------------------------------------------

enum
{
	maxParts = 48 // two for each of the 24 products in the determinant of four points
};

typedef struct Sum
{
	double parts[maxParts]; // ascending, no two have bits of the same weight, none is zero
	int count;
} Sum;

// GROW-EXPANSION of Shewchuk, without zeros.
static void Sum_Add(Sum* sum, double term)
{
	DRAPE_ASSERT(sum->count < maxParts);
	int count = 0;
	for (int i = 0; i < sum->count; ++i)
	{
		double part = sum->parts[i], total = term + part;
		double fromPart = total - term;
		double rest = (term - (total - fromPart)) + (part - fromPart);
		if (rest != 0.0)
			sum->parts[count++] = rest;
		term = total;
	}
	if (term != 0.0)
		sum->parts[count++] = term;
	sum->count = count;
}

static int SignOf(double x)
{
	return (x > 0.0) - (x < 0.0);
}

static int Sum_Sign(const Sum* sum)
{
	return sum->count > 0 ? SignOf(sum->parts[sum->count - 1]) : 0;
}

// Adds sign * x * y * z. The first product has 48 bits; cut in two (Veltkamp 1968), each part has at most 26, and so
// either can be multiplied by 24 more.
static void Sum_AddProduct(Sum* sum, double sign, float x, float y, float z)
{
	double product = sign * (double)x * (double)y;
	double shifted = 0x8000001p0 * product;
	double high = shifted - (shifted - product), low = product - high;
	Sum_Add(sum, low * (double)z);
	Sum_Add(sum, high * (double)z);
}

// Adds sign * the determinant of the rows a, b, c.
static void Sum_AddVolume(Sum* sum, double sign, Vec3 a, Vec3 b, Vec3 c)
{
	Sum_AddProduct(sum, sign, a.x, b.y, c.z);
	Sum_AddProduct(sum, -sign, a.x, b.z, c.y);
	Sum_AddProduct(sum, sign, a.y, b.z, c.x);
	Sum_AddProduct(sum, -sign, a.y, b.x, c.z);
	Sum_AddProduct(sum, sign, a.z, b.x, c.y);
	Sum_AddProduct(sum, -sign, a.z, b.y, c.x);
}

// --- signs ----------------------------------------------------------------------------------------------------------

static int ExactOrient3(Vec3 a, Vec3 b, Vec3 c, Vec3 d)
{
	Sum sum = {.count = 0};
	Sum_AddVolume(&sum, 1.0, b, c, d);
	Sum_AddVolume(&sum, -1.0, a, c, d);
	Sum_AddVolume(&sum, 1.0, a, b, d);
	Sum_AddVolume(&sum, -1.0, a, b, c);
	return Sum_Sign(&sum);
}

int drapeOrient3(Vec3 a, Vec3 b, Vec3 c, Vec3 d)
{
	double bx = (double)b.x - (double)a.x, by = (double)b.y - (double)a.y, bz = (double)b.z - (double)a.z;
	double cx = (double)c.x - (double)a.x, cy = (double)c.y - (double)a.y, cz = (double)c.z - (double)a.z;
	double dx = (double)d.x - (double)a.x, dy = (double)d.y - (double)a.y, dz = (double)d.z - (double)a.z;
	double byCz = by * cz, bzCy = bz * cy, bzCx = bz * cx, bxCz = bx * cz, bxCy = bx * cy, byCx = by * cx;
	double volume = (byCz - bzCy) * dx + (bzCx - bxCz) * dy + (bxCy - byCx) * dz;
	double size = (fabs(byCz) + fabs(bzCy)) * fabs(dx) + (fabs(bzCx) + fabs(bxCz)) * fabs(dy) +
	              (fabs(bxCy) + fabs(byCx)) * fabs(dz);
	// Each of the six products has seven roundings of 2^-53, three of them from the differences. When all products
	// are zero, their factors are exactly zero.
	if (fabs(volume) > 0x1p-49 * size || size == 0.0)
		return SignOf(volume);
	return ExactOrient3(a, b, c, d);
}

// Projects along one of the axes.
static Vec2 Project(Vec3 a, int axis)
{
	return axis == 0 ? (Vec2){a.y, a.z} : axis == 1 ? (Vec2){a.z, a.x} : (Vec2){a.x, a.y};
}

// Returns the sign of the area of abc, positive when counter-clockwise.
static int Orient2(Vec2 a, Vec2 b, Vec2 c)
{
	double left = ((double)b.x - (double)a.x) * ((double)c.y - (double)a.y);
	double right = ((double)b.y - (double)a.y) * ((double)c.x - (double)a.x);
	double area = left - right, size = fabs(left) + fabs(right);
	if (fabs(area) > 0x1p-50 * size || size == 0.0)
		return SignOf(area);
	const Vec2 corners[4] = {a, b, c, a};
	Sum sum = {.count = 0};
	for (int i = 0; i < 3; ++i)
	{
		Sum_Add(&sum, (double)corners[i].x * (double)corners[i + 1].y);
		Sum_Add(&sum, -(double)corners[i].y * (double)corners[i + 1].x);
	}
	return Sum_Sign(&sum);
}

// --- within a plane -------------------------------------------------------------------------------------------------

static bool RangesOverlap(float a, float b, float c, float d)
{
	return MaxNumF(MinNumF(a, b), MinNumF(c, d)) <= MinNumF(MaxNumF(a, b), MaxNumF(c, d));
}

static bool FlatSegmentsCross(Vec2 p, Vec2 q, Vec2 a, Vec2 b)
{
	int sideA = Orient2(p, q, a), sideB = Orient2(p, q, b);
	int sideP = Orient2(a, b, p), sideQ = Orient2(a, b, q);
	if (sideA * sideB > 0 || sideP * sideQ > 0)
		return false;
	bool onOneLine = sideA == 0 && sideB == 0 && sideP == 0 && sideQ == 0;
	return !onOneLine || (RangesOverlap(p.x, q.x, a.x, b.x) && RangesOverlap(p.y, q.y, a.y, b.y));
}

static bool SegmentsCross(Vec3 p, Vec3 q, Vec3 a, Vec3 b)
{
	for (int axis = 0; axis < 3; ++axis)
	{
		if (!FlatSegmentsCross(Project(p, axis), Project(q, axis), Project(a, axis), Project(b, axis)))
			return false;
	}
	return drapeOrient3(p, q, a, b) == 0;
}

// Returns whether a point of the triangle's plane is strictly inside.
static bool IsWithin(Vec3 p, const Vec3 triangle[3])
{
	for (int axis = 0; axis < 3; ++axis)
	{
		Vec2 flat = Project(p, axis), a = Project(triangle[0], axis);
		Vec2 b = Project(triangle[1], axis), c = Project(triangle[2], axis);
		int side = Orient2(a, b, flat);
		if (side != 0 && side == Orient2(b, c, flat) && side == Orient2(c, a, flat))
			return true;
	}
	return false;
}

// Tests a segment in the plane of a triangle, or any segment and a triangle without area.
static bool CrossesInPlane(Vec3 p, Vec3 q, const Vec3 triangle[3])
{
	return SegmentsCross(p, q, triangle[0], triangle[1]) || SegmentsCross(p, q, triangle[1], triangle[2]) ||
	       SegmentsCross(p, q, triangle[2], triangle[0]) || IsWithin(p, triangle);
}

// --- segments and triangles -----------------------------------------------------------------------------------------

// Tests a segment whose ends are on known sides of the triangle's plane.
static bool Crosses(Vec3 p, Vec3 q, int sideP, int sideQ, const Vec3 triangle[3])
{
	if (sideP * sideQ > 0)
		return false;
	if (sideP == 0 && sideQ == 0)
		return CrossesInPlane(p, q, triangle);
	// The segment crosses the plane in one point. That point is inside when all edges have the same orientation.
	int first = drapeOrient3(p, q, triangle[0], triangle[1]);
	int second = drapeOrient3(p, q, triangle[1], triangle[2]);
	if (first * second < 0)
		return false;
	int third = drapeOrient3(p, q, triangle[2], triangle[0]);
	return first * third >= 0 && second * third >= 0;
}

bool drapeCrossing_SegmentTriangle(Vec3 p, Vec3 q, const Vec3 triangle[3])
{
	int sideP = drapeOrient3(triangle[0], triangle[1], triangle[2], p);
	int sideQ = drapeOrient3(triangle[0], triangle[1], triangle[2], q);
	return Crosses(p, q, sideP, sideQ, triangle);
}

// Finds the sides of the corners relative to the other triangle's plane. Returns true when all are strictly on one
// side.
static bool IsBeside(const Vec3 corners[3], const Vec3 triangle[3], int sides[3])
{
	for (int i = 0; i < 3; ++i)
		sides[i] = drapeOrient3(triangle[0], triangle[1], triangle[2], corners[i]);
	return sides[0] != 0 && sides[0] == sides[1] && sides[0] == sides[2];
}

bool drapeCrossing_TriangleTriangle(const Vec3 a[3], const Vec3 b[3])
{
	int sidesA[3], sidesB[3];
	if (IsBeside(b, a, sidesB) || IsBeside(a, b, sidesA))
		return false;
	for (int i = 0; i < 3; ++i)
	{
		int next = (i + 1) % 3;
		if (Crosses(a[i], a[next], sidesA[i], sidesA[next], b) || Crosses(b[i], b[next], sidesB[i], sidesB[next], a))
			return true;
	}
	return false;
}
