// SPDX-License-Identifier: MIT
#include "contact/untangle/intrusion.h"

#include "contact/shapes/triangle.h"

// Flat sides cut the triangle down to the part between them (Sutherland and Hodgman 1974); what is round is measured
// from its centre or its axis to the nearest point of that part.

enum
{
	maxCorners = 9, // of a triangle after six cuts
};

typedef struct Polygon
{
	Double3 corner[maxCorners + 1];
	int count;
} Polygon;

static Polygon PolygonOf(const Vec3 triangle[3])
{
	Polygon polygon = {.count = 3};
	for (int k = 0; k < 3; ++k)
		polygon.corner[k] = D3(triangle[k]);
	return polygon;
}

// Leaves what has normal . x <= limit.
static Polygon Cut(const Polygon* from, Double3 normal, double limit)
{
	Polygon left = {.count = 0};
	for (int i = 0; i < from->count; ++i)
	{
		Double3 a = from->corner[i], b = from->corner[(i + 1) % from->count];
		double beyondA = D3Dot(normal, a) - limit, beyondB = D3Dot(normal, b) - limit;
		if (beyondA <= 0.0 && left.count < maxCorners)
			left.corner[left.count++] = a;
		if ((beyondA < 0.0) != (beyondB < 0.0) && beyondA != 0.0 && beyondB != 0.0 && left.count < maxCorners)
			left.corner[left.count++] = D3Add(a, D3Scale(beyondA / (beyondA - beyondB), D3Sub(b, a)));
	}
	return left;
}

// Between -limit and limit along an axis. What is thinner than can be told is cut to nothing but its middle.
static Polygon CutBoth(const Polygon* from, Double3 axis, double limit)
{
	limit = fmax(limit, 0.0);
	Polygon above = Cut(from, axis, limit);
	return Cut(&above, D3Scale(-1.0, axis), limit);
}

static void Add(Intrusion* intrusion, Double3 point)
{
	if (intrusion->count < intrusionMaxPoints)
		intrusion->point[intrusion->count++] = (Vec3){(float)point.x, (float)point.y, (float)point.z};
}

static bool FindInBox(Vec3 halfExtents, const Vec3 triangle[3], double slop, Intrusion* intrusion)
{
	Polygon part = PolygonOf(triangle);
	part = CutBoth(&part, (Double3){1.0, 0.0, 0.0}, (double)halfExtents.x - slop);
	part = CutBoth(&part, (Double3){0.0, 1.0, 0.0}, (double)halfExtents.y - slop);
	part = CutBoth(&part, (Double3){0.0, 0.0, 1.0}, (double)halfExtents.z - slop);
	if (part.count == 0)
		return false;
	for (int i = 0; i < part.count; ++i)
		Add(intrusion, part.corner[i]);
	return true;
}

static bool FindInPlane(const Vec3 triangle[3], double slop, Intrusion* intrusion)
{
	int deepest = 0;
	for (int k = 1; k < 3; ++k)
		deepest = triangle[k].y < triangle[deepest].y ? k : deepest;
	if (!((double)triangle[deepest].y < -slop))
		return false;
	Add(intrusion, D3(triangle[deepest]));
	return true;
}

// The part of segment ab that is nearer than `radius` to the centre, or to the y axis when `flat`: its ends.
static void AddChord(Intrusion* intrusion, Double3 a, Double3 b, Double3 centre, double radius, bool flat)
{
	Double3 from = D3Sub(a, centre), way = D3Sub(b, a), across = way;
	if (flat)
		from.y = across.y = 0.0;
	double square = D3Dot(across, across), toward = D3Dot(from, across);
	double root = toward * toward - square * (D3Dot(from, from) - radius * radius);
	if (!(square > 0.0 && root > 0.0))
		return;
	double first = fmax((-toward - sqrt(root)) / square, 0.0), last = fmin((-toward + sqrt(root)) / square, 1.0);
	if (!(first < last))
		return;
	Add(intrusion, D3Add(a, D3Scale(first, way)));
	Add(intrusion, D3Add(a, D3Scale(last, way)));
}

static bool FindInSphere(Vec3 centre, double radius, const Vec3 triangle[3], double slop, Intrusion* intrusion)
{
	SeenTriangle seen;
	for (int k = 0; k < 3; ++k)
		seen.corner[k] = D3Between(centre, triangle[k]);
	TrianglePoint near = Triangle_Closest(&seen);
	if (!(sqrt(near.square) < radius - slop))
		return false;
	Add(intrusion, D3Add(D3(centre), near.toPoint));
	for (int k = 0; k < 3; ++k)
		AddChord(intrusion, D3(triangle[k]), D3(triangle[(k + 1) % 3]), D3(centre), radius, false);
	return true;
}

// The point of a polygon that is nearest to the y axis, and the square of how far it is.
static Double3 NearestToAxis(const Polygon* polygon, double* square)
{
	Double3 best = polygon->corner[0];
	*square = INFINITY;
	for (int i = 2; i < polygon->count || i == 2; ++i)
	{
		// Fans of triangles, seen along the axis.
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

static bool FindInMantle(double radius, double halfHeight, const Vec3 triangle[3], double slop, Intrusion* intrusion)
{
	Polygon part = PolygonOf(triangle);
	part = CutBoth(&part, (Double3){0.0, 1.0, 0.0}, halfHeight - slop);
	if (part.count == 0)
		return false;
	double square;
	Double3 nearest = NearestToAxis(&part, &square);
	if (!(sqrt(square) < radius - slop))
		return false;
	Add(intrusion, nearest);
	const Double3 axis = {0.0, 0.0, 0.0};
	for (int i = 0; i < part.count; ++i)
		AddChord(intrusion, part.corner[i], part.corner[(i + 1) % part.count], axis, radius, true);
	return true;
}

static bool FindInCapsule(float radius, float halfHeight, const Vec3 triangle[3], double slop, Intrusion* intrusion)
{
	bool isIn = halfHeight > 0.0f && FindInMantle((double)radius, (double)halfHeight + slop, triangle, slop, intrusion);
	for (int end = 0; end < 2; ++end)
	{
		Vec3 centre = {0.0f, end == 0 ? -halfHeight : halfHeight, 0.0f};
		isIn |= FindInSphere(centre, (double)radius, triangle, slop, intrusion);
	}
	return isIn;
}

static bool Find(const drapeColliderDef* def, const Vec3 triangle[3], double depth, Intrusion* found)
{
	switch (def->shape)
	{
		case drape_shapeSphere:
			return FindInSphere((Vec3){0.0f, 0.0f, 0.0f}, (double)def->radius, triangle, depth, found);
		case drape_shapeCapsule:
			return FindInCapsule(def->radius, def->halfHeight, triangle, depth, found);
		case drape_shapeCylinder:
			return FindInMantle((double)def->radius, (double)def->halfHeight, triangle, depth, found);
		case drape_shapeBox:
			return FindInBox(def->halfExtents, triangle, depth, found);
		case drape_shapePlane:
			return FindInPlane(triangle, depth, found);
		case drape_shapeMesh: // crosses by its triangles: crossing.h
			break;
	}
	return false;
}

bool drapeIntrusion_Find(const drapeColliderDef* def, const Vec3 triangle[3], float slop, Intrusion* intrusion)
{
	DRAPE_ASSERT(slop >= 0.0f);
	Intrusion unused, *found = intrusion ? intrusion : &unused;
	found->count = 0;
	if (!Find(def, triangle, (double)slop, found))
		return false;
	// Ends of chords are on the surface; between them is inside.
	Double3 sum = {0.0, 0.0, 0.0};
	for (uint32_t i = 0; i < found->count; ++i)
		sum = D3Add(sum, D3(found->point[i]));
	Add(found, D3Scale(1.0 / found->count, sum));
	return true;
}
