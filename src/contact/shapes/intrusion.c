// SPDX-License-Identifier: MIT
#include "contact/shapes/intrusion.h"

#include "contact/shapes/triangle.h"

// Parts of shapes against a triangle. Flat sides cut the triangle down to the part between them (Sutherland and Hodgman
// 1974). Round parts measure the distance from their centre or axis to the nearest point of the remaining polygon.

Polygon drapePolygon_OfTriangle(const Vec3 triangle[3])
{
	Polygon polygon = {.count = 3};
	for (int k = 0; k < 3; ++k)
		polygon.corner[k] = D3(triangle[k]);
	return polygon;
}

Polygon drapePolygon_Cut(const Polygon* from, Double3 normal, double limit)
{
	DRAPE_ASSERT(from->count >= 0 && from->count <= polygonMaxCorners);
	Polygon left = {.count = 0};
	for (int i = 0; i < from->count; ++i)
	{
		Double3 a = from->corner[i], b = from->corner[(i + 1) % from->count];
		double beyondA = D3Dot(normal, a) - limit, beyondB = D3Dot(normal, b) - limit;
		if (beyondA <= 0.0 && left.count < polygonMaxCorners)
			left.corner[left.count++] = a;
		if ((beyondA < 0.0) != (beyondB < 0.0) && beyondA != 0.0 && beyondB != 0.0 && left.count < polygonMaxCorners)
			left.corner[left.count++] = D3Add(a, D3Scale(beyondA / (beyondA - beyondB), D3Sub(b, a)));
	}
	return left;
}

// Keeps the part between -limit and limit along an axis. A negative limit counts as zero.
static Polygon CutBoth(const Polygon* from, Double3 axis, double limit)
{
	limit = MaxNum(limit, 0.0);
	Polygon above = drapePolygon_Cut(from, axis, limit);
	return drapePolygon_Cut(&above, D3Scale(-1.0, axis), limit);
}

void drapeIntrusion_Add(Intrusion* intrusion, Double3 point)
{
	DRAPE_ASSERT(intrusion->count < intrusionMaxPoints);
	if (intrusion->count < intrusionMaxPoints)
		intrusion->point[intrusion->count++] = (Vec3){(float)point.x, (float)point.y, (float)point.z};
}

bool drapeIntrusion_AddBox(Intrusion* intrusion, Vec3 halfExtents, const Vec3 triangle[3], double slop)
{
	Polygon part = drapePolygon_OfTriangle(triangle);
	part = CutBoth(&part, (Double3){1.0, 0.0, 0.0}, (double)halfExtents.x - slop);
	part = CutBoth(&part, (Double3){0.0, 1.0, 0.0}, (double)halfExtents.y - slop);
	part = CutBoth(&part, (Double3){0.0, 0.0, 1.0}, (double)halfExtents.z - slop);
	if (part.count == 0)
		return false;
	for (int i = 0; i < part.count; ++i)
		drapeIntrusion_Add(intrusion, part.corner[i]);
	return true;
}

// Adds both ends of the part of segment ab that is nearer than `radius` to the centre, or to the y axis when `flat`.
static void AddChord(Intrusion* intrusion, Double3 a, Double3 b, Double3 centre, double radius, bool flat)
{
	Double3 from = D3Sub(a, centre), along = D3Sub(b, a), across = along;
	if (flat)
		from.y = across.y = 0.0;
	double square = D3Dot(across, across), toward = D3Dot(from, across);
	double root = toward * toward - square * (D3Dot(from, from) - radius * radius);
	if (!(square > 0.0 && root > 0.0))
		return;
	double first = MaxNum((-toward - sqrt(root)) / square, 0.0), last = MinNum((-toward + sqrt(root)) / square, 1.0);
	if (!(first < last))
		return;
	drapeIntrusion_Add(intrusion, D3Add(a, D3Scale(first, along)));
	drapeIntrusion_Add(intrusion, D3Add(a, D3Scale(last, along)));
}

bool drapeIntrusion_AddSphere(Intrusion* intrusion, Vec3 centre, double radius, const Vec3 triangle[3], double slop)
{
	DRAPE_ASSERT(radius >= 0.0 && slop >= 0.0);
	SeenTriangle seen;
	for (int k = 0; k < 3; ++k)
		seen.corner[k] = D3Between(centre, triangle[k]);
	TrianglePoint near = Triangle_Closest(&seen);
	if (!(sqrt(near.square) < radius - slop))
		return false;
	drapeIntrusion_Add(intrusion, D3Add(D3(centre), near.toPoint));
	for (int k = 0; k < 3; ++k)
		AddChord(intrusion, D3(triangle[k]), D3(triangle[(k + 1) % 3]), D3(centre), radius, false);
	return true;
}

// The point of a polygon that is nearest to the y axis, and the square of its distance.
static Double3 NearestToAxis(const Polygon* polygon, double* square)
{
	Double3 best = polygon->corner[0];
	*square = (double)INFINITY;
	for (int i = 2; i < polygon->count || i == 2; ++i)
	{
		// A fan of triangles, projected along the axis.
		SeenTriangle flat;
		const int corner[3] = {0, (i - 1) % polygon->count, i % polygon->count};
		for (int k = 0; k < 3; ++k)
			flat.corner[k] = (Double3){polygon->corner[corner[k]].x, 0.0, polygon->corner[corner[k]].z};
		TrianglePoint near = Triangle_Closest(&flat);
		if (!(near.square < *square))
			continue;
		*square = near.square;
		best = (Double3){0.0, 0.0, 0.0};
		for (int k = 0; k < 3; ++k)
			best = D3Add(best, D3Scale(near.weight[k], polygon->corner[corner[k]]));
	}
	return best;
}

bool drapeIntrusion_AddCylinder(Intrusion* intrusion, double radius, double halfHeight, const Vec3 triangle[3],
                                double slop)
{
	DRAPE_ASSERT(radius >= 0.0 && slop >= 0.0);
	Polygon part = drapePolygon_OfTriangle(triangle);
	part = CutBoth(&part, (Double3){0.0, 1.0, 0.0}, halfHeight - slop);
	if (part.count == 0)
		return false;
	double square;
	Double3 nearest = NearestToAxis(&part, &square);
	if (!(sqrt(square) < radius - slop))
		return false;
	drapeIntrusion_Add(intrusion, nearest);
	const Double3 axis = {0.0, 0.0, 0.0};
	for (int i = 0; i < part.count; ++i)
		AddChord(intrusion, part.corner[i], part.corner[(i + 1) % part.count], axis, radius, true);
	return true;
}
