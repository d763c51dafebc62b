// SPDX-License-Identifier: MIT
#pragma once

#include "base/simd.h"
#include "mesh/geometry.h"

// Tests of one triangle with points and segments. Exact answers use doubles; a conservative version in floats, eight at
// a time, selects the triangles that need them. Triangles without area count as segments or points; no test divides by
// zero.

// The corners relative to a point.
typedef struct SeenTriangle
{
	Double3 corner[3];
} SeenTriangle;

static inline SeenTriangle Triangle_SeenFrom(const Vec4* positions, const uint32_t* corners, Vec3 point)
{
	SeenTriangle seen;
	for (int k = 0; k < 3; ++k)
		seen.corner[k] = D3Between(point, V4Xyz(positions[corners[k]]));
	return seen;
}

// The part of a triangle that a point lies on.
typedef enum TriangleFeature
{
	triangle_edge0 = 0, // from corner 0 to corner 1, and so on
	triangle_edge1,
	triangle_edge2,
	triangle_corner0,
	triangle_corner1,
	triangle_corner2,
	triangle_face,
} TriangleFeature;

typedef struct TrianglePoint
{
	double weight[3]; // weights of the corners, >= 0; their sum is 1
	Double3 toPoint;  // from the query point to the point of the triangle
	double square;    // squared distance
	TriangleFeature feature;
} TrianglePoint;

// Returns the closest point of the edge from corner k on.
static inline TrianglePoint Triangle_ClosestOnEdge(const SeenTriangle* seen, int k)
{
	int next = (k + 1) % 3;
	Double3 a = seen->corner[k], along = D3Sub(seen->corner[next], a);
	double square = D3Dot(along, along), t = square > 0.0 ? -D3Dot(a, along) / square : 0.0;
	TrianglePoint found = {.feature = (TriangleFeature)k};
	if (!(t > 0.0))
		found.feature = (TriangleFeature)(triangle_corner0 + k);
	else if (t >= 1.0)
		found.feature = (TriangleFeature)(triangle_corner0 + next);
	t = t > 0.0 ? t < 1.0 ? t : 1.0 : 0.0;
	found.weight[k] = 1.0 - t;
	found.weight[next] = t;
	found.toPoint = t >= 1.0 ? seen->corner[next] : D3Add(a, D3Scale(t, along));
	found.square = D3Dot(found.toPoint, found.toPoint);
	return found;
}

// Returns the point of the triangle closest to the query point. In slivers the solution on the face may be noise: the
// function measures its distance and compares it with the edges.
static inline TrianglePoint Triangle_Closest(const SeenTriangle* seen)
{
	const double sliver = 1e-12; // squared ratio of height and length
	const Double3* c = seen->corner;
	Double3 u = D3Sub(c[1], c[0]), v = D3Sub(c[2], c[0]), normal = D3Cross(u, v);
	double square = D3Dot(normal, normal), longest = D3Dot(u, u) + D3Dot(v, v);
	double w1 = D3Dot(D3Cross(v, c[0]), normal) / square, w2 = D3Dot(D3Cross(c[0], u), normal) / square;
	bool isAbove = w1 > 0.0 && w2 > 0.0 && w1 + w2 < 1.0;
	TrianglePoint face = {.weight = {1.0 - (w1 + w2), w1, w2}, .feature = triangle_face};
	if (isAbove && square > sliver * longest * longest)
	{
		face.toPoint = D3Scale(D3Dot(c[0], normal) / square, normal);
		face.square = D3Dot(face.toPoint, face.toPoint);
		return face;
	}
	TrianglePoint best = Triangle_ClosestOnEdge(seen, 0);
	for (int k = 1; k < 3; ++k)
	{
		TrianglePoint other = Triangle_ClosestOnEdge(seen, k);
		if (other.square < best.square)
			best = other;
	}
	face.toPoint = D3Add(c[0], D3Add(D3Scale(w1, u), D3Scale(w2, v)));
	face.square = D3Dot(face.toPoint, face.toPoint);
	return isAbove && face.square < best.square ? face : best;
}

// Intersects a segment that starts at the query point with the triangle, from either side. An edge gives the same
// answer in both of its triangles, so no segment slips through between them. A segment in the plane of the triangle
// does not intersect it.
static inline bool Triangle_Cut(const SeenTriangle* seen, Double3 displacement, double* fraction, double weight[3])
{
	const Double3* c = seen->corner;
	double volume[3], sum = 0.0;
	bool allUp = true, allDown = true;
	for (int k = 0; k < 3; ++k)
	{
		volume[k] = D3Dot(displacement, D3Cross(c[(k + 1) % 3], c[(k + 2) % 3]));
		allUp = allUp && volume[k] >= 0.0;
		allDown = allDown && volume[k] <= 0.0;
		sum += volume[k];
	}
	if (!(allUp || allDown) || sum == 0.0)
		return false;
	Double3 point = {0.0, 0.0, 0.0};
	for (int k = 0; k < 3; ++k)
	{
		weight[k] = volume[k] / sum;
		point = D3Add(point, D3Scale(weight[k], c[k]));
	}
	*fraction = D3Dot(point, displacement) / D3Dot(displacement, displacement);
	return *fraction >= 0.0 && *fraction <= 1.0;
}

// Sets *crossing to 1 when the segment leaves through the front, -1 through the back, 0 when it misses. Returns false
// when it passes an edge or an end so closely that rounding decides.
static inline bool Triangle_Crossing(const SeenTriangle* seen, Double3 displacement, int* crossing)
{
	const double tolerance = 1e-13;
	const Double3* c = seen->corner;
	double volume[3], size = 0.0, length = sqrt(D3Dot(displacement, displacement));
	for (int k = 0; k < 3; ++k)
	{
		volume[k] = D3Dot(displacement, D3Cross(c[(k + 1) % 3], c[(k + 2) % 3]));
		size = MaxNum(size, D3Dot(c[k], c[k]));
	}
	double least = MinNum(volume[0], MinNum(volume[1], volume[2]));
	double most = MaxNum(volume[0], MaxNum(volume[1], volume[2])), doubt = tolerance * length * size;
	*crossing = 0;
	if (least < -doubt && most > doubt)
		return true;
	if (least < doubt && most > -doubt)
		return false;
	Double3 normal = D3Cross(D3Sub(c[1], c[0]), D3Sub(c[2], c[0]));
	double height = D3Dot(c[0], normal), rise = D3Dot(displacement, normal);
	double unsure = tolerance * sqrt(size * D3Dot(normal, normal));
	if (fabs(height) <= unsure || fabs(rise - height) <= unsure)
		return false;
	if (height / rise > 0.0 && height / rise < 1.0)
		*crossing = rise > 0.0 ? 1 : -1;
	return true;
}

// Squared distances of eight triangles, with corners relative to the point, in floats. The error is at most the square
// of TRIANGLE_ROUNDING times the distance of the corners.
#define TRIANGLE_ROUNDING 4e-6f

DRAPE_INLINE F8 Triangle_EdgeSquare8(V8 a, V8 b)
{
	const F8 zero = F8_Splat(0.0f), one = F8_Splat(1.0f);
	V8 along = V8_Sub(b, a);
	F8 square = F8_Max(V8_Dot(along, along), F8_Splat(1e-30f));
	F8 t = F8_Min(F8_Max(F8_Div(F8_Neg(V8_Dot(a, along)), square), zero), one);
	V8 point = V8_Add(a, V8_Scale(t, along));
	return V8_Dot(point, point);
}

static inline F8 Triangle_Square8(V8 a, V8 b, V8 c)
{
	const F8 zero = F8_Splat(0.0f);
	V8 normal = V8_Cross(V8_Sub(b, a), V8_Sub(c, a));
	F8 square = V8_Dot(normal, normal), height = V8_Dot(a, normal);
	M8 above = F8_Gt(V8_Dot(V8_Cross(b, c), normal), zero);
	above = M8_And(above, F8_Gt(V8_Dot(V8_Cross(c, a), normal), zero));
	above = M8_And(above, F8_Gt(V8_Dot(V8_Cross(a, b), normal), zero));
	F8 edges = F8_Min(Triangle_EdgeSquare8(a, b), F8_Min(Triangle_EdgeSquare8(b, c), Triangle_EdgeSquare8(c, a)));
	return F8_Blend(above, F8_Min(edges, F8_Div(F8_Mul(height, height), square)), edges);
}
