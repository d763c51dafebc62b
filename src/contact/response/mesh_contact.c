// SPDX-License-Identifier: MIT
#include "contact/contact.h"

#include "base/transform.h"

// Particles against triangle meshes. A mesh is kept where it is when the step ends (mesh_shape.h), so everything is
// looked at from there: a particle at some moment of the step is put to where the mesh's own motion would take it by
// the end. There it goes straight past a mesh that stands still.

enum
{
	slideSteps = 4, // surfaces that a particle may slide along, one after the other, within a substep
};

// A search goes so many thicknesses far when its result is remembered: farther than it needs, and then not again before
// the particle has come nearer.
static const float searchReach = 4.0f;

// Lists of triangles are made so many thicknesses wide.
static const float listSlack = 0.75f;

// So many thicknesses around a place the ground next to it counts as a plane. A particle that leaves the ground's edge
// is so much too high or too low at most, until it is looked for again.
static const float planeReach = 0.25f;

// The way, m, that the surface next to a point makes from a fraction of the step to its end. Only for meshes that
// deform.
static Vec3 WayLeft(const MeshCollider* collider, float fraction, Vec3 point, float reach)
{
	Vec3 way = {0.0f, 0.0f, 0.0f};
	// The point of the surface is where it will be only after it has been found: twice is near enough.
	for (int i = 0; i < 2; ++i)
	{
		MeshPoint closest;
		if (!drapeMeshShape_Closest(collider->shape, V3Add(point, way), reach, &closest))
			break;
		way = V3Scale(1.0f - fraction, drapeMeshShape_Displacement(collider->shape, closest.triangle, closest.weight));
	}
	return way;
}

static Transform PoseAt(const MeshCollider* collider, float fraction)
{
	return fraction <= 0.0f ? collider->from : drapeTransform_Interpolate(collider->from, collider->to, fraction);
}

// Most meshes stand still most of the time: that is asked where it costs nothing.
static bool HasWayLeft(const MeshCollider* collider, float fraction)
{
	return collider->moves && !(fraction >= 1.0f);
}

static Vec3 MoveToEnd(const MeshCollider* collider, float fraction, Vec3 point)
{
	if (collider->deforms)
		return V3Add(point, WayLeft(collider, fraction, point, collider->reach));
	return Transform_Point(collider->to, Transform_InversePoint(PoseAt(collider, fraction), point));
}

// To where the mesh takes a point by the end of the step.
DRAPE_INLINE Vec3 ToEnd(const MeshCollider* collider, float fraction, Vec3 point)
{
	return HasWayLeft(collider, fraction) ? MoveToEnd(collider, fraction, point) : point;
}

static Vec3 MoveFromEnd(const MeshCollider* collider, float fraction, Vec3 point)
{
	if (collider->deforms)
	{
		MeshPoint closest;
		if (!drapeMeshShape_Closest(collider->shape, point, collider->reach, &closest))
			return point;
		Vec3 way = drapeMeshShape_Displacement(collider->shape, closest.triangle, closest.weight);
		return V3Sub(point, V3Scale(1.0f - fraction, way));
	}
	return Transform_Point(PoseAt(collider, fraction), Transform_InversePoint(collider->to, point));
}

DRAPE_INLINE Vec3 FromEnd(const MeshCollider* collider, float fraction, Vec3 point)
{
	return HasWayLeft(collider, fraction) ? MoveFromEnd(collider, fraction, point) : point;
}

static Vec3 NormalFromEnd(const MeshCollider* collider, float fraction, Vec3 normal)
{
	if (!HasWayLeft(collider, fraction) || collider->deforms)
		return normal;
	return Quat_Rotate(PoseAt(collider, fraction).rotation, Quat_InverseRotate(collider->to.rotation, normal));
}

DRAPE_INLINE bool IsFar(const MeshCollider* collider, Vec3 a, Vec3 b, float margin)
{
	const Vec3 low = collider->shape->low, high = collider->shape->high;
	return MinF(a.x, b.x) > high.x + margin || MinF(a.y, b.y) > high.y + margin || MinF(a.z, b.z) > high.z + margin ||
	       MaxF(a.x, b.x) < low.x - margin || MaxF(a.y, b.y) < low.y - margin || MaxF(a.z, b.z) < low.z - margin;
}

// --- response -------------------------------------------------------------------------------------------------------

// The closest point within `need`, m; a search goes as far as `reach`. False when there is none: *clearance is then how
// far the mesh is at least.
static bool FindClosest(const MeshShape* shape, const ContactDef* def, Vec3 point, float need, float reach,
                        NearGround* near, MeshPoint* closest, float* clearance)
{
	if (!def->near || def->meshCount > 1)
	{
		*clearance = reach;
		return drapeMeshShape_Closest(shape, point, reach, closest);
	}
	NearQuery query = {point, need, reach, listSlack * def->thickness};
	return drapeMeshShape_ClosestAround(shape, &query, &near->list, closest, clearance);
}

// Out to the thickness, from the closest point, if `closest` has one. True when it was nearer; the normal and the
// clearance that are remembered are then those of where it is.
static bool KeepOff(const MeshShape* shape, const ContactDef* def, const MeshPoint* closest, Vec3* target,
                    NearGround* near)
{
	MeshPoint found;
	float thickness = def->thickness, unused;
	bool touches = false;
	for (int i = 0; i < 2; ++i)
	{
		if (!closest && !FindClosest(shape, def, *target, thickness, thickness, near, &found, &unused))
		{
			near->clearance = 0.999f * thickness;
			break;
		}
		float depth = thickness - (closest ? closest : &found)->distance;
		near->normal = (closest ? closest : &found)->normal;
		*target = V3Add(*target, V3Scale(depth, near->normal));
		near->clearance = MaxF(0.999f * thickness - 2.0f * depth, 0.0f);
		touches = true;
		closest = NULL;
		// Another surface may be near now. Where nothing moves, it is not much nearer than this one was.
		if (def->near && depth < 0.1f * thickness)
			break;
	}
	return touches;
}

// Where a particle ends that goes from one place to another, both as seen at the end of the step: it slides along what
// it hits. True when it touches; the normal is that of the surface it touches last.
static bool Slide(const MeshShape* shape, const ContactDef* def, Vec3 from, Vec3 to, Vec3* end, NearGround* near)
{
	MeshPoint hit;
	float fraction;
	bool touches = false;
	Vec3 at = from, target = to;
	for (int i = 0; i < slideSteps; ++i)
	{
		if (!drapeMeshShape_SweepAround(shape, 0.5f * def->thickness, at, target, &near->list, &fraction, &hit))
			break;
		Vec3 way = V3Sub(target, at);
		at = V3Add(at, V3Scale(fraction, way));
		Vec3 rest = V3Scale(1.0f - fraction, way);
		target = i + 1 < slideSteps ? V3Add(at, V3Sub(rest, V3Scale(V3Dot(rest, hit.normal), hit.normal))) : at;
		near->normal = hit.normal;
		touches = true;
	}
	touches |= KeepOff(shape, def, NULL, &target, near);
	*end = target;
	return touches;
}

// As for shapes (collide.c): the approach is taken away, and of the sliding, of velocity and way alike, what friction
// can.
static void Respond(const MeshCollider* collider, const ContactDef* def, Vec3 previous, Vec3 end, Vec3 normal,
                    Vec4* position, Vec4* velocity)
{
	float friction = def->friction * collider->friction, rate = def->dt > 0.0f ? 1.0f / def->dt : 0.0f;
	Vec3 now = FromEnd(collider, def->toFraction, end), before = FromEnd(collider, def->fromFraction, end);
	Vec3 n = NormalFromEnd(collider, def->toFraction, normal), carried = V3Sub(now, before);
	Vec3 relative = V3Sub(V4Xyz(*velocity), V3Scale(rate, carried));
	float outward = V3Dot(relative, n), removed = MaxF(-outward, 0.0f);
	Vec3 sliding = V3Sub(relative, V3Scale(outward, n));
	float speed = V3Length(sliding), share = speed > 0.0f ? MinF(friction * removed / speed, 1.0f) : 0.0f;
	Vec3 travel = V3Sub(V3Sub(now, previous), carried);
	Vec3 slid = V3Sub(travel, V3Scale(V3Dot(travel, n), n));
	Vec3 x = V3Sub(now, V3Scale(share, slid));
	Vec3 v = V3Sub(V3Add(V4Xyz(*velocity), V3Scale(removed, n)), V3Scale(share, sliding));
	*position = (Vec4){x.x, x.y, x.z, position->w};
	*velocity = (Vec4){v.x, v.y, v.z, velocity->w};
}

// Between two places that are so far from a surface, a way of this length comes no nearer to it than half of what the
// distances are more than it. What stays beyond half the thickness needs no sweep.
static bool WayIsClear(float before, float after, float length, float thickness)
{
	return before + after - length > 1.002f * thickness;
}

// True when the plane that is remembered tells all about this substep.
static bool Ground_Tells(const NearGround* near, float thickness, float before, Vec3 to, float length)
{
	if (V3Dot(near->normal, near->normal) == 0.0f || V3Length(V3Sub(to, near->place)) > planeReach * thickness)
		return false;
	return WayIsClear(before, V3Dot(near->normal, to) - near->offset, length, thickness);
}

// Looks for the ground. True when it touches; `end` is then where the particle is.
static bool Search(const MeshCollider* collider, const ContactDef* def, Vec3 from, Vec3 to, float before, Vec3* end,
                   NearGround* near)
{
	float thickness = def->thickness, length = V3Length(V3Sub(to, from)), reach = thickness + length, clearance;
	if (!WayIsClear(before, thickness, length, thickness))
	{
		Primitives primitives = drapeMeshShape_Primitives(collider->shape, 0.0f);
		before = MaxF(before, drapeNearList_Clearance(&near->list, &primitives, from));
	}
	// With nothing nearer than this the way is clear.
	float need = MaxF(thickness, 1.003f * thickness + length - before);
	if (def->near)
		reach = MaxF(reach, searchReach * thickness);
	// Nothing that is farther than what is known can be the closest.
	float known = near->hasGround ? 1.0001f * V3Length(V3Sub(to, near->ground)) + 1e-6f : INFINITY;
	MeshPoint closest;
	bool isNear =
		FindClosest(collider->shape, def, to, need, MinF(MaxF(reach, need), known), near, &closest, &clearance);
	float distance = isNear ? closest.distance : clearance;
	bool isClear = WayIsClear(before, distance, length, thickness);
	*end = to;
	near->place = to;
	near->normal = (Vec3){0.0f, 0.0f, 0.0f};
	near->clearance = 0.999f * distance;
	if (isNear)
		near->ground = closest.point;
	near->hasGround |= isNear;
	if (!isNear || (isClear && distance > thickness))
		return false;
	near->clearance = 0.0f;
	if (isClear)
		return KeepOff(collider->shape, def, &closest, end, near);
	return Slide(collider->shape, def, from, to, end, near);
}

bool drapeMeshCollider_Resolve(const MeshCollider* collider, const ContactDef* def, Vec3 previous, NearGround* near,
                               Vec4* position, Vec4* velocity)
{
	Vec3 now = V4Xyz(*position), end;
	if (IsFar(collider, now, previous, collider->reach + def->thickness))
	{
		*near = (NearGround){0};
		return false;
	}
	Vec3 from = ToEnd(collider, def->fromFraction, previous), to = ToEnd(collider, def->toFraction, now);
	float before = NearGround_Clearance(near, from);
	if (Ground_Tells(near, def->thickness, before, to, V3Length(V3Sub(to, from))))
	{
		float depth = def->thickness + near->offset - V3Dot(near->normal, to);
		if (depth <= 0.0f)
			return false;
		end = V3Add(to, V3Scale(depth, near->normal));
		Respond(collider, def, previous, end, near->normal, position, velocity);
		return true;
	}
	if (!Search(collider, def, from, to, before, &end, near))
		return false;
	Respond(collider, def, previous, end, near->normal, position, velocity);
	near->offset = V3Dot(near->normal, end) - def->thickness;
	near->clearance = MaxF(near->clearance - V3Length(V3Sub(V4Xyz(*position), end)), 0.0f);
	near->place = V4Xyz(*position);
	return true;
}

// --- contactNormal, inside ------------------------------------------------------------------------------------------------

bool drapeMeshCollider_FindContact(const MeshCollider* collider, const ContactDef* def, Vec3 point, float* nearest,
                                   Vec4* normal, Vec4* surfaceDisplacement)
{
	if (IsFar(collider, point, point, collider->reach + def->activationDistance))
		return false;
	Vec3 seen = ToEnd(collider, def->fromFraction, point);
	MeshPoint closest;
	if (!drapeMeshShape_Closest(collider->shape, seen, def->activationDistance, &closest) ||
	    !(closest.distance < *nearest))
		return false;
	*nearest = closest.distance;
	Vec3 n = NormalFromEnd(collider, def->toFraction, closest.normal);
	Vec3 way = V3Sub(FromEnd(collider, def->toFraction, seen), point);
	*normal = (Vec4){n.x, n.y, n.z, 1.0f + def->friction * collider->friction};
	*surfaceDisplacement = (Vec4){way.x, way.y, way.z, closest.distance};
	return true;
}

bool drapeMeshCollider_Contains(const MeshCollider* collider, float fraction, Vec3 point)
{
	return !IsFar(collider, point, point, collider->reach) &&
	       drapeMeshShape_Contains(collider->shape, ToEnd(collider, fraction, point));
}

bool drapeMeshCollider_ContainsAround(const MeshCollider* collider, Vec3 point, float reach, float* clearance)
{
	DRAPE_ASSERT(!collider->moves);
	MeshPoint closest;
	*clearance = INFINITY;
	if (!collider->shape->closed || IsFar(collider, point, point, reach))
		return false;
	if (!drapeMeshShape_Closest(collider->shape, point, reach, &closest))
		return drapeMeshShape_Contains(collider->shape, point);
	*clearance = 0.999f * fabsf(closest.distance);
	return closest.distance < 0.0f;
}

float drapeMeshCollider_Depth(const MeshCollider* collider, float fraction, Vec3 point)
{
	MeshPoint closest;
	if (!drapeMeshCollider_Contains(collider, fraction, point) ||
	    !drapeMeshShape_Closest(collider->shape, ToEnd(collider, fraction, point), INFINITY, &closest))
		return 0.0f;
	return fabsf(closest.distance);
}

// Which way the mesh faces next to two places outside.
static Vec3 Facing(const MeshShape* shape, const Vec3 places[2], float reach)
{
	Vec3 sum = {0.0f, 0.0f, 0.0f};
	for (int i = 0; i < 2; ++i)
	{
		MeshPoint closest;
		if (drapeMeshShape_Closest(shape, places[i], reach, &closest))
			sum = V3Add(sum, closest.normal);
	}
	return sum;
}

bool drapeMeshCollider_LeaveAlong(const MeshCollider* collider, const ContactDef* def, Vec3 normal,
                                  const Vec3 parents[2], Vec3* position)
{
	const MeshShape* shape = collider->shape;
	float length = V3Length(V3Sub(parents[1], parents[0])), least = INFINITY;
	Vec3 inside = ToEnd(collider, def->toFraction, *position);
	if (IsFar(collider, *position, *position, collider->reach) || !drapeMeshShape_Contains(shape, inside))
		return false;
	const Vec3 beside[2] = {ToEnd(collider, def->toFraction, parents[0]), ToEnd(collider, def->toFraction, parents[1])};
	Vec3 facing = Facing(shape, beside, length), start = *position;
	for (int side = 1; side >= -1; side -= 2)
	{
		Vec3 outside = ToEnd(collider, def->toFraction, V3Add(start, V3Scale((float)side * length, normal)));
		MeshPoint hit;
		float fraction;
		if (drapeMeshShape_Contains(shape, outside) ||
		    !drapeMeshShape_Sweep(shape, def->thickness, outside, inside, &fraction, &hit))
			continue;
		Vec3 out = V3Add(outside, V3Scale(fraction, V3Sub(inside, outside)));
		bool isBehind = V3Dot(facing, V3Sub(outside, inside)) < 0.0f;
		float cost = V3Length(V3Sub(out, inside)) + (isBehind ? 2.0f * length : 0.0f);
		if (cost < least)
			*position = FromEnd(collider, def->toFraction, out);
		least = MinF(least, cost);
	}
	return least < INFINITY;
}

bool drapeMeshCollider_PushOut(const MeshCollider* collider, const ContactDef* def, Vec3* position)
{
	if (IsFar(collider, *position, *position, collider->reach + def->thickness))
		return false;
	Vec3 seen = ToEnd(collider, def->toFraction, *position);
	bool isInside = drapeMeshShape_Contains(collider->shape, seen);
	MeshPoint closest;
	if (!drapeMeshShape_Closest(collider->shape, seen, isInside ? INFINITY : def->thickness, &closest))
		return false;
	seen = V3Add(closest.point, V3Scale(def->thickness, closest.normal));
	*position = FromEnd(collider, def->toFraction, seen);
	return true;
}
