// SPDX-License-Identifier: MIT
#include "contact/response/pinch.h"

#include "base/transform.h"
#include "contact/narrow/continuous.h"
#include "contact/response/passed.h"

enum
{
	homeSteps = 8, // triangles that a home may move on by in a substep
};

// Surfaces face each other when the cosine of the angle between their normals is below this. In a wider wedge the pushes
// of both surfaces lead out.
static const float facing = -0.7f;

// A particle leaves a collider, and returns to its home, at this speed, m/s, at most.
static const float leaveSpeed = 1.0f;

// A home that is inside another part, or meets it, holds so many times as firmly as one that is not. The sleeve of an
// arm that disappears in the trunk stays on the arm, and takes the shirt along that lies between. Otherwise the arm would
// leave the sleeve through its side.
static const float firmness = 10.0f;

// Least height of a pinched particle above its home, in thicknesses.
static const float leastHeight = 0.5f;

// Rays start so many thicknesses off their surface, points count as inside shapes from this depth on, and surfaces that
// are nearer to each other meet.
static const float clearOf = 0.01f;

// A surface next to a particle.
typedef struct SurfaceSample
{
	Vec3 normal;       // unit
	float distance;    // m, negative inside
	Vec3 displacement; // m, of the surface within the substep
	Vec3 end;          // its point at the end of the step
	Vec3 endNormal;    // unit
	float friction;    // coefficient
	uint32_t collider; // as in PinchState
	uint32_t triangle;
} SurfaceSample;

// --- samples --------------------------------------------------------------------------------------------------------

// The surface of a shape next to a point at a fraction of the step. False when it is farther than the radius.
static bool SampleShape(const ContactDef* def, uint32_t index, float fraction, Vec3 point, float radius,
                        SurfaceSample* sample)
{
	DRAPE_ASSERT(index < def->colliderCount && radius >= 0.0f);
	const Collider* collider = &def->colliders[index];
	Transform at = drapeCollider_At(collider, fraction), end = drapeCollider_At(collider, 1.0f);
	Vec3 away = V3Sub(point, at.position);
	float reach = drapeShape_BoundingRadius(&collider->def) * at.scale + radius;
	if (!(V3Dot(away, away) <= reach * reach))
		return false;
	Vec3 local = Transform_InversePoint(at, point);
	Closest closest = drapeShape_Closest(&collider->def, local);
	Vec3 on = V3Sub(local, V3Scale(closest.distance, closest.normal));
	Vec3 from = Transform_Point(drapeCollider_At(collider, def->fromFraction), on);
	*sample = (SurfaceSample){
		.normal = Quat_Rotate(at.rotation, closest.normal),
		.distance = closest.distance * at.scale,
		.displacement = V3Sub(Transform_Point(drapeCollider_At(collider, def->toFraction), on), from),
		.end = Transform_Point(end, on),
		.endNormal = Quat_Rotate(end.rotation, closest.normal),
		.friction = def->friction * collider->def.friction,
		.collider = index,
	};
	return sample->distance <= radius;
}

static Vec3 VertexAt(const MeshShape* shape, uint32_t vertex, float fraction)
{
	return V3Lerp(V4Xyz(shape->from[vertex]), V4Xyz(shape->to[vertex]), fraction);
}

static void CornersAt(const MeshShape* shape, uint32_t triangle, float fraction, Vec3 corner[3])
{
	for (uint32_t k = 0; k < 3; ++k)
		corner[k] = VertexAt(shape, shape->triangle[3 * (size_t)triangle + k], fraction);
}

static Vec3 NormalOf(const Vec3 corner[3])
{
	return V3Normalize(V3Cross(V3Sub(corner[1], corner[0]), V3Sub(corner[2], corner[0])));
}

static Vec3 Blend(const Vec3 corner[3], const float weight[3])
{
	return V3Add(V3Scale(weight[0], corner[0]), V3Add(V3Scale(weight[1], corner[1]), V3Scale(weight[2], corner[2])));
}

// The surface of a triangle next to a point at a fraction of the step.
static SurfaceSample SampleTriangle(const ContactDef* def, uint32_t index, uint32_t triangle, float fraction,
                                    Vec3 point)
{
	DRAPE_ASSERT(index < def->meshCount && triangle < def->meshes[index].shape->triangleCount);
	const MeshShape* shape = def->meshes[index].shape;
	Vec3 at[3], from[3], to[3], end[3];
	float weight[3];
	CornersAt(shape, triangle, fraction, at);
	CornersAt(shape, triangle, def->fromFraction, from);
	CornersAt(shape, triangle, def->toFraction, to);
	CornersAt(shape, triangle, 1.0f, end);
	drapeClosest_PointTriangle(point, at[0], at[1], at[2], weight);
	Vec3 normal = NormalOf(at);
	return (SurfaceSample){
		.normal = normal,
		.distance = V3Dot(normal, V3Sub(point, Blend(at, weight))),
		.displacement = V3Sub(Blend(to, weight), Blend(from, weight)),
		.end = Blend(end, weight),
		.endNormal = NormalOf(end),
		.friction = def->friction * def->meshes[index].friction,
		.collider = def->colliderCount + index,
		.triangle = triangle,
	};
}

// The nearest surface of all colliders at the start of the substep or at the end of the step. False when none is within
// the radius.
static bool FindNearest(const ContactDef* def, bool isStart, Vec3 point, float radius, SurfaceSample* nearest)
{
	DRAPE_ASSERT(radius >= 0.0f && V3IsFinite(point));
	float fraction = isStart ? def->fromFraction : 1.0f;
	bool isFound = false;
	SurfaceSample sample;
	for (uint32_t i = 0; i < def->colliderCount; ++i)
	{
		if (!SampleShape(def, i, fraction, point, radius, &sample) || (isFound && nearest->distance <= sample.distance))
			continue;
		*nearest = sample;
		isFound = true;
	}
	for (uint32_t i = 0; i < def->meshCount; ++i)
	{
		MeshShape start = drapeMeshShape_AtStart(def->meshes[i].shape);
		MeshPoint closest;
		if (!drapeMeshShape_Closest(fraction < 0.5f ? &start : def->meshes[i].shape, point, radius, &closest) ||
		    (isFound && nearest->distance <= closest.distance))
			continue;
		*nearest = SampleTriangle(def, i, closest.triangle, fraction, point);
		nearest->normal = closest.normal;
		nearest->distance = closest.distance;
		isFound = true;
	}
	return isFound;
}

// --- space ----------------------------------------------------------------------------------------------------------

// Finds the first triangle of a mesh along a segment at the end of the step. Returns false when there is none.
static bool CastSegment(const MeshShape* shape, Vec3 from, Vec3 to, PrimitiveHit* hit)
{
	Primitives primitives = drapeMeshShape_Primitives(shape, 0.0f);
	return drapeBvh_FirstHit(&shape->tree, &primitives, from, to, hit);
}

// The cosine between a direction and the normal of a triangle at the end of the step.
static float AlongNormal(const MeshShape* shape, uint32_t triangle, Vec3 direction)
{
	Vec3 corner[3];
	CornersAt(shape, triangle, 1.0f, corner);
	return V3Dot(NormalOf(corner), direction);
}

// As CastSegment, along a direction. *along is the cosine between the direction and the normal of the triangle.
static bool CastMesh(const MeshShape* shape, Vec3 from, Vec3 direction, float length, float* distance, float* along)
{
	PrimitiveHit hit;
	if (!CastSegment(shape, from, V3Add(from, V3Scale(length, direction)), &hit))
		return false;
	*distance = hit.fraction * length;
	*along = AlongNormal(shape, hit.primitive, direction);
	return true;
}

static float LengthOf(const MeshShape* shape)
{
	return V3Length(V3Sub(shape->high, shape->low));
}

// The space above a point on a surface at the end of the step, m: up to a surface that faces it; negative when the point
// is inside a collider; infinite when nothing faces it.
static float SpaceAbove(const ContactDef* def, Vec3 point, Vec3 normal)
{
	float space = INFINITY, width = 2.0f * def->thickness, distance, along;
	SurfaceSample sample;
	for (uint32_t i = 0; i < def->colliderCount; ++i)
	{
		if (!SampleShape(def, i, 1.0f, point, width, &sample))
			continue;
		bool isInside = sample.distance < -clearOf * def->thickness;
		if (isInside || V3Dot(sample.normal, normal) < facing)
			space = MinF(space, sample.distance);
	}
	for (uint32_t i = 0; i < def->meshCount; ++i)
	{
		const MeshShape* shape = def->meshes[i].shape;
		Vec3 from = V3Add(point, V3Scale(clearOf * def->thickness, normal));
		float length = shape->closed ? LengthOf(shape) : width;
		if (!CastMesh(shape, from, normal, length, &distance, &along))
			continue;
		if (along > 0.0f && shape->closed)
			space = MinF(space, -distance);
		else if (along < facing)
			space = MinF(space, distance);
	}
	return space;
}

// True when another part of a mesh is buried below a point on its surface, at the end of the step: a surface that faces
// outwards, although the point below the surface is inside.
static bool IsBuriedBelow(const ContactDef* def, const SurfaceSample* home)
{
	float distance, along;
	if (home->collider < def->colliderCount)
		return false;
	const MeshShape* shape = def->meshes[home->collider - def->colliderCount].shape;
	Vec3 from = V3Sub(home->end, V3Scale(clearOf * def->thickness, home->endNormal));
	return shape->closed &&
	       CastMesh(shape, from, V3Scale(-1.0f, home->endNormal), LengthOf(shape), &distance, &along) && along < 0.0f;
}

// --- homes ----------------------------------------------------------------------------------------------------------

// A surface is on the inner side of the cloth when the cosine between its normal and the outside is above this.
static const float innerSide = 0.3f;

// The surface of another part that closes on a surface: it faces it within two thicknesses at the end of the step, or
// it has passed it by no more than `depth`. False when there is none.
static bool FindOther(const ContactDef* def, const SurfaceSample* home, Vec3 point, float depth, SurfaceSample* other)
{
	DRAPE_ASSERT(depth >= 0.0f);
	float width = 2.0f * def->thickness;
	for (uint32_t i = 0; i < def->colliderCount; ++i)
	{
		if (i != home->collider && SampleShape(def, i, 1.0f, home->end, width, other) && other->distance > -depth &&
		    V3Dot(other->normal, home->endNormal) < facing)
			return SampleShape(def, i, def->fromFraction, point, INFINITY, other);
	}
	for (uint32_t i = 0; i < def->meshCount; ++i)
	{
		const MeshShape* shape = def->meshes[i].shape;
		Vec3 up = V3Add(home->end, V3Scale(clearOf * def->thickness, home->endNormal));
		Vec3 down = V3Sub(home->end, V3Scale(clearOf * def->thickness, home->endNormal));
		PrimitiveHit hit;
		for (int k = 0; k < 2; ++k)
		{
			Vec3 to = V3Add(home->end, V3Scale(k == 0 ? width : -depth, home->endNormal));
			if (!CastSegment(shape, k == 0 ? up : down, to, &hit) ||
			    !(AlongNormal(shape, hit.primitive, home->endNormal) < facing))
				continue;
			*other = SampleTriangle(def, i, hit.primitive, def->fromFraction, point);
			return true;
		}
	}
	return false;
}

// The home of a particle that begins to be pinched: the surface that it touches, or the other one if only that is on
// the inner side of the cloth.
static SurfaceSample ChooseHome(const ContactDef* def, const SurfaceSample* touched, Vec3 point, Vec3 outside)
{
	SurfaceSample other;
	float depth = V3Length(touched->displacement) + 2.0f * def->thickness;
	if (V3Dot(touched->normal, outside) >= -innerSide || !FindOther(def, touched, point, depth, &other) ||
	    V3Dot(other.normal, outside) <= innerSide)
		return *touched;
	return other;
}

// Moves on to neighbouring triangles while one is nearer to the particle.
static SurfaceSample FollowTriangle(const ContactDef* def, uint32_t index, uint32_t triangle, Vec3 point)
{
	const MeshShape* shape = def->meshes[index].shape;
	uint32_t best = triangle;
	float least = INFINITY;
	for (int step = 0; step < homeSteps; ++step)
	{
		uint32_t last = best;
		for (uint32_t k = 0; k < 4; ++k)
		{
			uint32_t other = k == 3 ? last : shape->neighbour[3 * (size_t)last + k];
			Vec3 corner[3];
			float weight[3];
			if (other >= shape->triangleCount)
				continue;
			CornersAt(shape, other, def->fromFraction, corner);
			float square = drapeClosest_PointTriangle(point, corner[0], corner[1], corner[2], weight);
			if (square < least)
			{
				least = square;
				best = other;
			}
		}
		if (best == last)
			break;
	}
	return SampleTriangle(def, index, best, def->fromFraction, point);
}

// The home of a pinched particle at the start of the substep. False when the collider is gone.
static bool FindHome(const ContactDef* def, PinchState* state, Vec3 point, SurfaceSample* home)
{
	DRAPE_ASSERT(state->depth < 0.0f);
	if (state->collider < def->colliderCount)
		return SampleShape(def, state->collider, def->fromFraction, point, INFINITY, home);
	uint32_t index = state->collider - def->colliderCount;
	if (index >= def->meshCount || state->triangle >= def->meshes[index].shape->triangleCount)
		return false;
	*home = FollowTriangle(def, index, state->triangle, point);
	state->triangle = home->triangle;
	return true;
}

// Holds the particle in the middle of the space above its home, and not much below the thickness without space: edges of
// the home must not reach it.
static void Hold(const ContactDef* def, const SurfaceSample* home, float space, PinchState* state, Vec4* normal,
                 Vec4* surface)
{
	float wanted = MinF(MaxF(0.5f * space, leastHeight * def->thickness), def->thickness), most = leaveSpeed * def->dt;
	float along = MinF(MaxF(wanted - home->distance, -most), most);
	Vec3 displacement = V3Add(home->displacement, V3Scale(along, home->normal));
	*state = (PinchState){-MaxF(MaxF(-home->distance, -space), pinchLeastDepth), home->collider, home->triangle};
	*normal =
		(Vec4){home->normal.x, home->normal.y, home->normal.z, space < clearOf * def->thickness ? -firmness : -1.0f};
	*surface = (Vec4){displacement.x, displacement.y, displacement.z, 0.0f};
}

// The contact that takes a particle out of a surface at a bounded speed.
static void Leave(const ContactDef* def, const SurfaceSample* sample, Vec4* normal, Vec4* surface)
{
	float distance = MaxF(sample->distance, -leaveSpeed * def->dt);
	*normal = (Vec4){sample->normal.x, sample->normal.y, sample->normal.z, 1.0f + sample->friction};
	*surface = (Vec4){sample->displacement.x, sample->displacement.y, sample->displacement.z, distance};
}

// --- interface ------------------------------------------------------------------------------------------------------

// A particle that touches a collider, and that another surface may close on.
// Returns whether a surface is part of a mesh on the wrong side of the cloth (passed.h): it passes through the particle.
static bool HasPassed(const ContactDef* def, const SurfaceSample* sample)
{
	if (sample->collider < def->colliderCount)
		return false;
	uint32_t mesh = sample->collider - def->colliderCount;
	return Passed_HasTriangle(def->passed, mesh, def->meshes[mesh].shape, sample->triangle);
}

static float LongestDisplacement(const ContactDef* def)
{
	float longest = 0.0f;
	for (uint32_t i = 0; i < def->meshCount; ++i)
		longest = MaxF(longest, def->meshes[i].maxDisplacement);
	for (uint32_t i = 0; i < def->colliderCount; ++i)
		longest = MaxF(longest, V3Length(V3Sub(def->colliders[i].to.position, def->colliders[i].from.position)));
	return MinF(longest, contactLookahead);
}

// Returns whether a part on the wrong side is above a particle when the step ends: it came through the surface that the
// particle touches.
static bool IsPassedBy(const ContactDef* def, Vec3 point, Vec3 normal)
{
	float reach = LongestDisplacement(def) + 2.0f * def->thickness;
	Vec3 from = V3Add(point, V3Scale(reach, normal)), to = V3Sub(point, V3Scale(reach, normal));
	for (uint32_t i = 0; i < def->meshCount; ++i)
	{
		const MeshShape* shape = def->meshes[i].shape;
		PrimitiveHit hit;
		if (CastSegment(shape, from, to, &hit) && Passed_HasTriangle(def->passed, i, shape, hit.primitive))
			return true;
	}
	return false;
}

// Lets the surfaces of colliders pass through a particle in this step.
static void LetPass(PinchState* state, Vec4* normal, Vec4* surface)
{
	*state = (PinchState){.depth = pinchLeastDepth, .collider = pinchLetsPass};
	*normal = *surface = (Vec4){0};
}

// The space above the surface that a particle touches, at the end of the step.
static float SpaceAtContact(const ContactDef* def, Vec3 end, Vec3 normal, float distance)
{
	return SpaceAbove(def, V3Sub(end, V3Scale(distance, normal)), normal);
}

// Where a particle would be at the end of the step if it moved along with the surface that it touches.
static Vec3 EndOf(const ContactDef* def, Vec3 point, Vec4 surface)
{
	float share = (def->toFraction - def->fromFraction) / MaxF(1.0f - def->fromFraction, 1e-6f);
	return V3Add(point, V3Scale(1.0f / share, V4Xyz(surface)));
}

static void TestContact(const ContactDef* def, Vec3 point, Vec3 outside, PinchState* state, Vec4* normal, Vec4* surface)
{
	Vec3 n = V4Xyz(*normal), end = EndOf(def, point, *surface);
	float space = SpaceAtContact(def, end, n, surface->w);
	SurfaceSample home;
	bool isNarrow = space < 2.0f * def->thickness, hasPassed = def->passed && def->passed->isAny;
	if ((!isNarrow && !hasPassed) || !FindNearest(def, true, point, fabsf(surface->w) + 2.0f * def->thickness, &home))
		return;
	if (HasPassed(def, &home) || (hasPassed && IsPassedBy(def, end, n)))
	{
		LetPass(state, normal, surface);
		return;
	}
	// The first test takes the surface where the particle would be. It may be below the true one by rounding, or because
	// the mesh turns, and then every surface would be buried. The second one takes the point of the surface itself.
	if (isNarrow)
		space = SpaceAbove(def, home.end, home.endNormal);
	if (!(space < 2.0f * def->thickness))
		return;
	home = ChooseHome(def, &home, point, outside);
	Hold(def, &home, space, state, normal, surface);
}

// A particle that was inside a collider.
static void TestInside(const ContactDef* def, Vec3 point, PinchState* state, Vec4* normal, Vec4* surface)
{
	SurfaceSample nearest;
	float radius = fabsf(state->depth) + 2.0f * def->thickness + LongestDisplacement(def);
	bool letsPass = state->depth > 0.0f && state->collider == pinchLetsPass && def->passed && def->passed->isAny;
	*state = (PinchState){.depth = 0.0f};
	if (!FindNearest(def, true, point, radius, &nearest))
		return;
	// The rest of a part passes through, too, until the particle is outside.
	if ((HasPassed(def, &nearest) && nearest.distance < 2.0f * def->thickness) || (letsPass && nearest.distance < 0.0f))
	{
		LetPass(state, normal, surface);
		return;
	}
	if (nearest.distance > 0.25f * def->thickness)
		return;
	float space = SpaceAbove(def, nearest.end, nearest.endNormal);
	if (space < 2.0f * def->thickness)
	{
		Hold(def, &nearest, space, state, normal, surface);
		return;
	}
	state->depth = MaxF(-nearest.distance, pinchLeastDepth);
	Leave(def, &nearest, normal, surface);
}

// A particle that was pinched.
static void TestPinched(const ContactDef* def, Vec3 point, PinchState* state, Vec4* normal, Vec4* surface)
{
	SurfaceSample home;
	if (!FindHome(def, state, point, &home))
	{
		TestInside(def, point, state, normal, surface);
		return;
	}
	float space = SpaceAbove(def, home.end, home.endNormal);
	if (space < 2.0f * def->thickness || IsBuriedBelow(def, &home))
	{
		Hold(def, &home, space, state, normal, surface);
		return;
	}
	bool isOutside = home.distance > 0.25f * def->thickness;
	*state = (PinchState){.depth = isOutside ? 0.0f : MaxF(-home.distance, pinchLeastDepth)};
	Leave(def, &home, normal, surface);
}

bool drapeContact_IsNarrow(const ContactDef* def, Vec3 point, Vec4 normal, Vec4 surface)
{
	DRAPE_ASSERT(def->fromFraction < def->toFraction && V3IsFinite(point) && normal.w > 0.0f);
	return SpaceAtContact(def, EndOf(def, point, surface), V4Xyz(normal), surface.w) < 2.0f * def->thickness;
}

void drapeContact_FindPinch(const ContactDef* def, Vec3 point, Vec3 outside, PinchState* state, Vec4* normal,
                            Vec4* surface)
{
	DRAPE_ASSERT(def->fromFraction < def->toFraction && V3IsFinite(point));
	if (PinchState_Yields(state))
		*normal = *surface = (Vec4){0};
	else if (state->depth == 0.0f)
		TestContact(def, point, outside, state, normal, surface);
	else if (state->depth > 0.0f)
		TestInside(def, point, state, normal, surface);
	else
		TestPinched(def, point, state, normal, surface);
}
