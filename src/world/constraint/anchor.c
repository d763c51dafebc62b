// SPDX-License-Identifier: MIT
#include "world/constraint/anchor.h"

#include "base/transform.h"
#include "contact/shapes/triangle.h"
#include "world/world.h"

// Steps of time add up with rounding. A start or end that falls on a step is met there.
static const double timeTolerance = 1e-5; // s

bool drapeTime_IsWithin(double time, float start, float end)
{
	return time + timeTolerance >= (double)start && (end <= 0.0f || time + timeTolerance < (double)end);
}

// Axes of a triangle: the first edge, the normal's cross product with it, and the normal.
typedef struct TriangleFrame
{
	Vec3 point; // m: the weighted sum of the corners
	Vec3 axis[3];
} TriangleFrame;

static TriangleFrame FrameOf(const MeshShape* shape, uint32_t triangle, const float weight[3], float fraction)
{
	DRAPE_ASSERT(triangle < shape->triangleCount);
	TriangleFrame frame = {.point = {0.0f, 0.0f, 0.0f}};
	Vec3 corner[3];
	for (int k = 0; k < 3; ++k)
	{
		uint32_t v = shape->triangle[3 * triangle + k];
		Vec3 from = V4Xyz(shape->from[v]), to = V4Xyz(shape->to[v]);
		corner[k] = fraction >= 1.0f ? to : V3Add(from, V3Scale(fraction, V3Sub(to, from)));
		frame.point = V3Add(frame.point, V3Scale(weight[k], corner[k]));
	}
	Vec3 edge = V3Sub(corner[1], corner[0]);
	frame.axis[0] = V3Normalize(edge);
	frame.axis[2] = V3Normalize(V3Cross(edge, V3Sub(corner[2], corner[0])));
	frame.axis[1] = V3Cross(frame.axis[2], frame.axis[0]);
	return frame;
}

// The nearest triangle of the mesh where it stands at a fraction of the step, by the tree where it stands at the end.
// While the mesh moves the search visits every triangle: this happens once per constraint.
static MeshPoint NearestOf(const MeshShape* shape, Vec3 point, float fraction)
{
	MeshPoint nearest = {.triangle = 0, .weight = {1.0f, 0.0f, 0.0f}, .distance = INFINITY};
	if (fraction >= 1.0f || !shape->moves)
	{
		drapeMeshShape_Closest(shape, point, FLT_MAX, &nearest);
		return nearest;
	}
	for (uint32_t t = 0; t < shape->triangleCount; ++t)
	{
		SeenTriangle seen = Triangle_SeenFrom(shape->from, &shape->triangle[3 * t], point);
		TrianglePoint closest = Triangle_Closest(&seen);
		float distance = (float)sqrt(closest.square);
		if (!(distance < nearest.distance))
			continue;
		nearest.triangle = t;
		nearest.distance = distance;
		for (int k = 0; k < 3; ++k)
			nearest.weight[k] = (float)closest.weight[k];
	}
	return nearest;
}

static float FractionOf(AnchorTime when)
{
	return when == anchorStepBegins ? 0.0f : 1.0f;
}

SurfaceAnchor drapeAnchor_Bind(const drapeWorld* world, uint32_t slot, Vec3 point, AnchorTime when)
{
	SurfaceAnchor anchor = {.triangle = DRAPE_NONE, .offset = point};
	if (slot == DRAPE_NONE)
		return anchor;
	DRAPE_ASSERT(slot < world->colliders.count && (world->colliderSlots.data[slot].generation & 1));
	float fraction = FractionOf(when);
	const ColliderMesh* mesh = world->colliderMeshes.data[slot];
	anchor.collider1 = slot + 1;
	if (!mesh)
	{
		anchor.offset = drapeTransform_InversePoint(drapeCollider_At(&world->colliders.data[slot], fraction), point);
		return anchor;
	}
	MeshPoint nearest = NearestOf(&mesh->shape, point, fraction);
	anchor.triangle = nearest.triangle;
	for (int k = 0; k < 3; ++k)
		anchor.weight[k] = nearest.weight[k];
	TriangleFrame frame = FrameOf(&mesh->shape, anchor.triangle, anchor.weight, fraction);
	Vec3 from = V3Sub(point, frame.point);
	anchor.offset = (Vec3){V3Dot(from, frame.axis[0]), V3Dot(from, frame.axis[1]), V3Dot(from, frame.axis[2])};
	return anchor;
}

Vec3 drapeAnchor_Above(const drapeWorld* world, uint32_t slot, Vec3 point, float offset, AnchorTime when)
{
	DRAPE_ASSERT(slot < world->colliders.count);
	float fraction = FractionOf(when);
	const ColliderMesh* mesh = world->colliderMeshes.data[slot];
	if (mesh)
	{
		MeshPoint nearest = NearestOf(&mesh->shape, point, fraction);
		TriangleFrame frame = FrameOf(&mesh->shape, nearest.triangle, nearest.weight, fraction);
		return V3Add(frame.point, V3Scale(offset, frame.axis[2]));
	}
	const Collider* collider = &world->colliders.data[slot];
	Transform placement = drapeCollider_At(collider, fraction);
	Closest closest = drapeShape_Closest(&collider->def, drapeTransform_InversePoint(placement, point));
	Vec3 local = V3Add(closest.point, V3Scale(offset / placement.scale, closest.normal));
	return drapeTransform_Point(placement, local);
}

Vec3 drapeAnchor_At(const drapeWorld* world, const SurfaceAnchor* anchor, float fraction)
{
	if (anchor->collider1 == 0)
		return anchor->offset;
	uint32_t slot = anchor->collider1 - 1;
	DRAPE_ASSERT(slot < world->colliders.count);
	const ColliderMesh* mesh = world->colliderMeshes.data[slot];
	if (!mesh || anchor->triangle == DRAPE_NONE)
		return drapeTransform_Point(drapeCollider_At(&world->colliders.data[slot], fraction), anchor->offset);
	TriangleFrame frame = FrameOf(&mesh->shape, anchor->triangle, anchor->weight, fraction);
	Vec3 sum = frame.point;
	sum = V3Add(sum, V3Scale(anchor->offset.x, frame.axis[0]));
	sum = V3Add(sum, V3Scale(anchor->offset.y, frame.axis[1]));
	return V3Add(sum, V3Scale(anchor->offset.z, frame.axis[2]));
}
