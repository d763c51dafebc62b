// SPDX-License-Identifier: MIT
#include "contact_check.h"

#include "contact/narrow/crossing.h"
#include "mesh/geometry.h"
#include "shared/sheets.h"

#include <math.h>

void ContactCheck_Init(ContactCheck* check)
{
	*check = (ContactCheck){0};
	drapeBvh_Init(&check->tree, bvhDefaultK, bvhDefaultArity);
}

void ContactCheck_Destroy(ContactCheck* check)
{
	GivenMeshes_Destroy(&check->given);
	ArrayFree(&check->position);
	ArrayFree(&check->triangle);
	drapePairList_Free(&check->pairs);
	ArrayFree(&check->near.primitives);
	ArrayFree(&check->bodyCrossings);
	drapeBvh_Destroy(&check->tree);
}

ContactFaults ContactFaults_Worst(ContactFaults a, ContactFaults b)
{
	return (ContactFaults){MaxU32(a.selfIntersections, b.selfIntersections), MaxU32(a.bodyCrossings, b.bodyCrossings),
	                       MaxU32(a.insideVertices, b.insideVertices), fmaxf(a.deepest, b.deepest)};
}

// --- all cloths as one ----------------------------------------------------------------------------------------------

static void AddCloth(ContactCheck* check, const ActiveMesh* mesh)
{
	uint32_t first = check->position.count;
	Shared_Require(ArrayReserve(&check->position, first + mesh->particleCount) &&
	                   ArrayReserve(&check->triangle, check->triangle.count + 3 * mesh->triangleCount),
	               "out of memory");
	for (uint32_t i = 0; i < mesh->particleCount; ++i)
		ArrayPush(&check->position, mesh->position[i]);
	for (uint32_t i = 0; i < 3 * mesh->triangleCount; ++i)
		ArrayPush(&check->triangle, first + mesh->triangle[i / 3][i % 3]);
}

static void Gather(ContactCheck* check, const drapeWorld* world)
{
	check->position.count = check->triangle.count = 0;
	for (uint32_t i = 0; i < world->cloths.count; ++i)
	{
		if (drapeCloth_IsUsed(world->cloths.data[i]))
			AddCloth(check, &world->cloths.data[i]->active);
	}
	const Primitives items = {
		check->position.data, check->position.data, check->triangle.data, 3, check->triangle.count / 3, 0.0f};
	Shared_Require(drapeBvh_Build(&check->tree, &items, bvhMorton, world->tasks), "out of memory");
	check->bodyCrossings.count = 0;
}

static void Corners(const ContactCheck* check, uint32_t triangle, Vec3 corner[3])
{
	for (uint32_t k = 0; k < 3; ++k)
		corner[k] = V4Xyz(check->position.data[check->triangle.data[3 * triangle + k]]);
}

// --- triangles ------------------------------------------------------------------------------------------------------

static uint32_t CountSelf(ContactCheck* check, TaskPool* tasks)
{
	uint32_t count = 0;
	Shared_Require(drapeBvh_SelfPairs(&check->tree, NULL, &check->pairs, tasks), "out of memory");
	for (uint32_t i = 0; i < check->pairs.pairs.count; ++i)
	{
		Vec3 a[3], b[3];
		Corners(check, check->pairs.pairs.data[i].a, a);
		Corners(check, check->pairs.pairs.data[i].b, b);
		count += drapeCrossing_TriangleTriangle(a, b);
	}
	return count;
}

static void AddCrossing(ContactCheck* check, uint32_t triangle, Vec3 point)
{
	Shared_Require(ArrayGrow(&check->bodyCrossings), "out of memory");
	check->bodyCrossings.data[check->bodyCrossings.count - 1] = (BodyCrossing){triangle, point};
}

// The point in which a segment that crosses a triangle meets its plane.
static Vec3 PlanePoint(Vec3 from, Vec3 to, const Vec3 triangle[3])
{
	Double3 normal = D3Cross(D3Between(triangle[0], triangle[1]), D3Between(triangle[0], triangle[2]));
	double a = D3Dot(D3Between(triangle[0], from), normal), b = D3Dot(D3Between(triangle[0], to), normal);
	double t = a != b ? fmin(fmax(a / (a - b), 0.0), 1.0) : 0.5;
	return V3Add(from, V3Scale((float)t, V3Sub(to, from)));
}

// A point of both triangles, which cross.
static Vec3 CommonPoint(const Vec3 a[3], const Vec3 b[3])
{
	for (int k = 0; k < 3; ++k)
	{
		if (drapeCrossing_SegmentTriangle(a[k], a[(k + 1) % 3], b))
			return PlanePoint(a[k], a[(k + 1) % 3], b);
		if (drapeCrossing_SegmentTriangle(b[k], b[(k + 1) % 3], a))
			return PlanePoint(b[k], b[(k + 1) % 3], a);
	}
	return a[0];
}

static void CheckTriangles(ContactCheck* check, uint32_t triangle, const Vec3 cloth[3], const Vec3 other[3],
                           ContactFaults* faults)
{
	if (!drapeCrossing_TriangleTriangle(cloth, other))
		return;
	faults->bodyCrossings++;
	AddCrossing(check, triangle, CommonPoint(cloth, other));
}

static void CheckMesh(ContactCheck* check, const MeshShape* shape, TaskPool* tasks, ContactFaults* faults)
{
	Shared_Require(drapeBvh_Pairs(&check->tree, &shape->tree, &check->pairs, tasks), "out of memory");
	for (uint32_t i = 0; i < check->pairs.pairs.count; ++i)
	{
		Vec3 a[3], b[3];
		Corners(check, check->pairs.pairs.data[i].a, a);
		for (uint32_t k = 0; k < 3; ++k)
			b[k] = V4Xyz(shape->to[shape->triangle[3 * check->pairs.pairs.data[i].b + k]]);
		CheckTriangles(check, check->pairs.pairs.data[i].a, a, b, faults);
	}
}

static bool BoxesMeet(const Vec3 a[3], const Vec3 b[3])
{
	const float *p = &a[0].x, *q = &b[0].x;
	for (int axis = 0; axis < 3; ++axis)
	{
		float aLow = fminf(fminf(p[axis], p[axis + 3]), p[axis + 6]),
			  aHigh = fmaxf(fmaxf(p[axis], p[axis + 3]), p[axis + 6]);
		float bLow = fminf(fminf(q[axis], q[axis + 3]), q[axis + 6]),
			  bHigh = fmaxf(fmaxf(q[axis], q[axis + 3]), q[axis + 6]);
		if (aLow > bHigh || bLow > aHigh)
			return false;
	}
	return true;
}

// Finds the triangles of cloths near a shape: check->near.
static void FindNear(ContactCheck* check, const Collider* collider)
{
	Kdop bounds = Kdop_Empty();
	float radius = drapeShape_BoundingRadius(&collider->def) * collider->to.scale;
	check->near.primitives.count = 0;
	if (radius < 1e9f)
	{
		Kdop_Add(&bounds, bvhDefaultK, collider->to.position, 1.001f * radius);
		Shared_Require(drapeBvh_Query(&check->tree, &bounds, &check->near), "out of memory");
		return;
	}
	Shared_Require(ArrayReserve(&check->near.primitives, check->triangle.count / 3), "out of memory");
	for (uint32_t i = 0; i < check->triangle.count / 3; ++i)
		ArrayPush(&check->near.primitives, i);
}

static void CheckBox(ContactCheck* check, const Collider* box, ContactFaults* faults)
{
	static const uint8_t sides[6][4] = {{0, 1, 3, 2}, {4, 6, 7, 5}, {0, 4, 5, 1},
	                                    {2, 3, 7, 6}, {0, 2, 6, 4}, {1, 5, 7, 3}};
	Vec3 e = box->def.halfExtents, corner[8];
	for (int i = 0; i < 8; ++i)
		corner[i] = drapeTransform_Point(box->to, (Vec3){i & 4 ? e.x : -e.x, i & 2 ? e.y : -e.y, i & 1 ? e.z : -e.z});
	for (uint32_t i = 0; i < check->near.primitives.count; ++i)
	{
		Vec3 cloth[3];
		uint32_t triangle = check->near.primitives.data[i];
		Corners(check, triangle, cloth);
		for (int side = 0; side < 12; ++side)
		{
			const uint8_t* quad = sides[side / 2];
			const Vec3 half[3] = {corner[quad[0]], corner[quad[1 + side % 2]], corner[quad[2 + side % 2]]};
			if (BoxesMeet(cloth, half))
				CheckTriangles(check, triangle, cloth, half, faults);
		}
	}
}

// The signed distance of a point, m, from the table of shapes.
static float DistanceOf(const Collider* collider, Vec3 point)
{
	Vec3 local = drapeTransform_InversePoint(collider->to, point);
	return drapeShape_Closest(&collider->def, local).distance * collider->to.scale;
}

// Counts a triangle that reaches into a shape, at the deepest point of a lattice on it.
static void AddShapeCrossing(ContactCheck* check, const Collider* collider, uint32_t triangle, const Vec3 corner[3],
                             ContactFaults* faults)
{
	enum
	{
		parts = 4
	};
	Vec3 deepest = corner[0];
	float least = DistanceOf(collider, corner[0]);
	for (int i = 0; i <= parts; ++i)
	{
		for (int k = 0; i + k <= parts; ++k)
		{
			Vec3 at = V3Add(corner[0], V3Add(V3Scale((float)i / parts, V3Sub(corner[1], corner[0])),
			                                 V3Scale((float)k / parts, V3Sub(corner[2], corner[0]))));
			float distance = DistanceOf(collider, at);
			deepest = distance < least ? at : deepest;
			least = fminf(least, distance);
		}
	}
	faults->bodyCrossings++;
	AddCrossing(check, triangle, deepest);
}

// --- round shapes ---------------------------------------------------------------------------------------------------

static double PointTriangleSquared(Double3 p, const Double3 t[3])
{
	double best = HUGE_VAL;
	for (int k = 0; k < 3; ++k)
	{
		Double3 side = D3Sub(t[(k + 1) % 3], t[k]), d = D3Sub(p, t[k]);
		double length2 = D3Dot(side, side), at = length2 > 0.0 ? fmin(fmax(D3Dot(d, side) / length2, 0.0), 1.0) : 0.0;
		Double3 left = D3Sub(d, D3Scale(at, side));
		best = fmin(best, D3Dot(left, left));
	}
	Double3 normal = D3Cross(D3Sub(t[1], t[0]), D3Sub(t[2], t[0]));
	for (int k = 0; k < 3; ++k)
	{
		if (D3Dot(D3Cross(D3Sub(t[(k + 1) % 3], t[k]), D3Sub(p, t[k])), normal) < 0.0)
			return best;
	}
	double height = D3Dot(D3Sub(p, t[0]), normal), size2 = D3Dot(normal, normal);
	return size2 > 0.0 ? fmin(best, height * height / size2) : best;
}

static double SegmentsSquared(Double3 p, Double3 pEnd, Double3 q, Double3 qEnd)
{
	Double3 u = D3Sub(pEnd, p), v = D3Sub(qEnd, q), w = D3Sub(p, q);
	double a = D3Dot(u, u), b = D3Dot(u, v), c = D3Dot(v, v), d = D3Dot(u, w), e = D3Dot(v, w);
	double det = a * c - b * b, s = det > 1e-12 * a * c ? fmin(fmax((b * e - c * d) / det, 0.0), 1.0) : 0.0;
	double t = c > 0.0 ? fmin(fmax((b * s + e) / c, 0.0), 1.0) : 0.0;
	s = a > 0.0 ? fmin(fmax((b * t - d) / a, 0.0), 1.0) : 0.0;
	Double3 left = D3Add(w, D3Sub(D3Scale(s, u), D3Scale(t, v)));
	return D3Dot(left, left);
}

// From the centre line of a sphere or capsule to a triangle.
static double LineTriangle(const Vec3 line[2], const Vec3 corner[3])
{
	if (drapeCrossing_SegmentTriangle(line[0], line[1], corner))
		return 0.0;
	Double3 p = D3(line[0]), q = D3(line[1]), t[3] = {D3(corner[0]), D3(corner[1]), D3(corner[2])};
	double best = fmin(PointTriangleSquared(p, t), PointTriangleSquared(q, t));
	for (int k = 0; k < 3; ++k)
		best = fmin(best, SegmentsSquared(p, q, t[k], t[(k + 1) % 3]));
	return sqrt(best);
}

static void CheckRound(ContactCheck* check, const Collider* collider, ContactFaults* faults)
{
	float half = collider->def.shape == drape_shapeCapsule ? collider->def.halfHeight : 0.0f;
	double radius = (double)collider->def.radius * (double)collider->to.scale;
	const Vec3 line[2] = {drapeTransform_Point(collider->to, (Vec3){0.0f, -half, 0.0f}),
	                      drapeTransform_Point(collider->to, (Vec3){0.0f, half, 0.0f})};
	for (uint32_t i = 0; i < check->near.primitives.count; ++i)
	{
		Vec3 corner[3];
		uint32_t triangle = check->near.primitives.data[i];
		Corners(check, triangle, corner);
		double distance = LineTriangle(line, corner);
		if (distance < radius)
			AddShapeCrossing(check, collider, triangle, corner, faults);
		faults->deepest = fmaxf(faults->deepest, (float)(radius - distance));
	}
}

// --- colliders ------------------------------------------------------------------------------------------------------

// Particles in one collider.
static void CheckParticles(const ContactCheck* check, const Collider* collider, ContactFaults* faults)
{
	for (uint32_t i = 0; i < check->position.count; ++i)
	{
		float distance = DistanceOf(collider, V4Xyz(check->position.data[i]));
		faults->insideVertices += distance < 0.0f;
		faults->deepest = fmaxf(faults->deepest, -distance);
	}
}

static void CheckMeshParticles(const ContactCheck* check, const MeshShape* shape, ContactFaults* faults)
{
	for (uint32_t i = 0; i < check->position.count; ++i)
	{
		MeshPoint closest;
		Vec3 point = V4Xyz(check->position.data[i]);
		if (!drapeMeshShape_Contains(shape, point))
			continue;
		faults->insideVertices++;
		if (drapeMeshShape_Closest(shape, point, 1.0f, &closest))
			faults->deepest = fmaxf(faults->deepest, fabsf(closest.distance));
	}
}

static void CheckPlane(ContactCheck* check, const Collider* plane, ContactFaults* faults)
{
	for (uint32_t i = 0; i < check->near.primitives.count; ++i)
	{
		Vec3 corner[3];
		bool isBelow = false;
		uint32_t triangle = check->near.primitives.data[i];
		Corners(check, triangle, corner);
		for (int k = 0; k < 3; ++k)
			isBelow |= drapeTransform_InversePoint(plane->to, corner[k]).y < 0.0f;
		if (isBelow)
			AddShapeCrossing(check, plane, triangle, corner, faults);
	}
}

// --- any shape ------------------------------------------------------------------------------------------------------

static Vec3 Between(Vec3 a, Vec3 b, float weight)
{
	return V3Add(a, V3Scale(weight, V3Sub(b, a)));
}

// The least distance of a segment. The distance of a convex shape is a convex function of the point.
static float LeastOnSegment(const Collider* collider, Vec3 a, Vec3 b)
{
	float low = 0.0f, high = 1.0f;
	for (int i = 0; i < 24; ++i)
	{
		float first = (2.0f * low + high) / 3.0f, second = (low + 2.0f * high) / 3.0f;
		bool isFirst = DistanceOf(collider, Between(a, b, first)) < DistanceOf(collider, Between(a, b, second));
		*(isFirst ? &high : &low) = isFirst ? second : first;
	}
	return DistanceOf(collider, Between(a, b, 0.5f * (low + high)));
}

// The least distance of a triangle: the same search over its segments through corner 0.
static float LeastOnTriangle(const Collider* collider, const Vec3 corner[3])
{
	float low = 0.0f, high = 1.0f;
	for (int i = 0; i < 24; ++i)
	{
		float first = (2.0f * low + high) / 3.0f, second = (low + 2.0f * high) / 3.0f;
		bool isFirst = LeastOnSegment(collider, corner[0], Between(corner[1], corner[2], first)) <
		               LeastOnSegment(collider, corner[0], Between(corner[1], corner[2], second));
		*(isFirst ? &high : &low) = isFirst ? second : first;
	}
	return LeastOnSegment(collider, corner[0], Between(corner[1], corner[2], 0.5f * (low + high)));
}

// Shapes without an exact test: all analytic shapes are convex.
static void CheckConvex(ContactCheck* check, const Collider* collider, ContactFaults* faults)
{
	for (uint32_t i = 0; i < check->near.primitives.count; ++i)
	{
		Vec3 corner[3];
		uint32_t triangle = check->near.primitives.data[i];
		Corners(check, triangle, corner);
		// No point of the triangle is farther from corner 0 than both other corners are.
		float size = fmaxf(V3Length(V3Sub(corner[1], corner[0])), V3Length(V3Sub(corner[2], corner[0])));
		if (DistanceOf(collider, corner[0]) > size)
			continue;
		float distance = LeastOnTriangle(collider, corner);
		if (distance < 0.0f)
			AddShapeCrossing(check, collider, triangle, corner, faults);
		faults->deepest = fmaxf(faults->deepest, -distance);
	}
}

// --- all ------------------------------------------------------------------------------------------------------------

typedef void ColliderTest(ContactCheck* check, const Collider* collider, ContactFaults* faults);

static ColliderTest* const exactTests[] = {
	[drape_shapeSphere] = CheckRound,
	[drape_shapeCapsule] = CheckRound,
	[drape_shapeBox] = CheckBox,
	[drape_shapePlane] = CheckPlane,
};

static void CheckCollider(ContactCheck* check, const Collider* collider, ContactFaults* faults)
{
	uint32_t shape = (uint32_t)collider->def.shape;
	ColliderTest* test = shape < sizeof exactTests / sizeof *exactTests ? exactTests[shape] : NULL;
	FindNear(check, collider);
	(test ? test : CheckConvex)(check, collider, faults);
}

ContactFaults ContactCheck_Crossings(ContactCheck* check, drapeWorldId id)
{
	const drapeWorld* world = drapeWorlds_Get(id);
	ContactFaults faults = {0};
	Gather(check, world);
	faults.selfIntersections = CountSelf(check, world->tasks);
	for (uint32_t i = 0; i < world->liveColliders.count; ++i)
		CheckCollider(check, &world->liveColliders.data[i], &faults);
	for (uint32_t i = 0; i < world->liveMeshes.count; ++i)
		CheckMesh(check, GivenMeshes_At(&check->given, world, i), world->tasks, &faults);
	return faults;
}

ContactFaults ContactCheck_Run(ContactCheck* check, drapeWorldId id)
{
	const drapeWorld* world = drapeWorlds_Get(id);
	ContactFaults faults = ContactCheck_Crossings(check, id);
	for (uint32_t i = 0; i < world->liveColliders.count; ++i)
		CheckParticles(check, &world->liveColliders.data[i], &faults);
	for (uint32_t i = 0; i < world->liveMeshes.count; ++i)
		CheckMeshParticles(check, GivenMeshes_At(&check->given, world, i), &faults);
	return faults;
}
