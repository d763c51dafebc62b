// SPDX-License-Identifier: MIT
#include "contact/contact.h"

#include "base/transform.h"

// Particles against triangle meshes. Queries see a mesh at its end positions of the step (mesh_shape.h). So a particle
// at some fraction of the step is first moved to where the motion of the mesh would carry it by the end. There it moves
// linearly past a static mesh.

enum
{
	slideSteps = 4, // surfaces that a particle may slide along within a substep
};

// Search radius in thicknesses when the result is cached. It is larger than needed, so that the next search is not due
// before the particle has come nearer.
static const float cachedSearch = 4.0f;

// Slack of the lists of nearby triangles, in thicknesses.
static const float listSlack = 0.75f;

// The cached tangent plane is valid within this many thicknesses. A particle that leaves the edge of a surface is at
// most so much too high or too low until the next search.
static const float planeRadius = 0.25f;

// NULL without a cache. With several meshes there are no lists.
static NearList* ListAt(const MeshCollider* collider, const ContactDef* def, float fraction, MeshNearCache* near)
{
	const MeshShape* shape = collider->shape;
	if (!near || !def->near || def->meshCount > 1)
		return NULL;
	return &near->lists[(fraction >= 1.0f ? shape->toRevision : shape->fromRevision) % 2];
}

// A rigid motion leaves all distances as they are: a list of the start of the step serves its end, with its centre moved
// along. Rounding moves the vertices by a little.
static void CarryList(const MeshCollider* collider, const ContactDef* def, MeshNearCache* near)
{
	const float rounding = 4e-6f;
	const MeshShape* shape = collider->shape;
	NearList* end = ListAt(collider, def, 1.0f, near);
	if (!end || end->revision == shape->toRevision || !collider->moves || collider->deforms ||
	    collider->from.scale != collider->to.scale)
		return;
	const NearList* start = ListAt(collider, def, 0.0f, near);
	if (start == end || start->revision != shape->fromRevision)
		return;
	Vec3 centre = Transform_Point(collider->to, Transform_InversePoint(collider->from, start->centre));
	float size = V3MaxAbs(start->centre) + V3MaxAbs(centre) + V3MaxAbs(shape->low) + V3MaxAbs(shape->high) +
	             V3MaxAbs(shape->fromLow) + V3MaxAbs(shape->fromHigh);
	size += V3MaxAbs(collider->from.position) + V3MaxAbs(collider->to.position);
	*end = *start;
	end->centre = centre;
	end->radius -= rounding * size;
	end->clearance -= rounding * size;
	end->revision = shape->toRevision;
}

// Displacement, m, within the whole step, of the surface next to a point at a fraction of the step. Zero far from the
// surface: a particle that can neither touch it nor be reached by it is not carried along. For meshes that deform.
static Vec3 SurfaceDisplacement(const MeshCollider* collider, const ContactDef* def, float fraction, Vec3 point,
                                MeshNearCache* near)
{
	DRAPE_ASSERT(collider->deforms && fraction <= 1.0f);
	float radius = collider->maxDisplacement + MaxF(def->thickness, def->activationDistance);
	const NearQuery query = {point, radius, radius, listSlack * def->thickness, 0};
	return drapeMeshShape_DisplacementNear(collider->shape, fraction, &query, ListAt(collider, def, fraction, near));
}

static Transform PoseAt(const MeshCollider* collider, float fraction)
{
	return fraction <= 0.0f ? collider->from : drapeTransform_Interpolate(collider->from, collider->to, fraction);
}

// False for most meshes most of the time; small enough to be inlined.
static bool MovesOn(const MeshCollider* collider, float fraction)
{
	return collider->moves && !(fraction >= 1.0f);
}

static Vec3 MoveToEnd(const MeshCollider* collider, const ContactDef* def, float fraction, Vec3 point,
                      MeshNearCache* near)
{
	if (collider->deforms)
		return V3Add(point, V3Scale(1.0f - fraction, SurfaceDisplacement(collider, def, fraction, point, near)));
	return Transform_Point(collider->to, Transform_InversePoint(PoseAt(collider, fraction), point));
}

// The position to which the mesh carries a point by the end of the step.
DRAPE_INLINE Vec3 ToEnd(const MeshCollider* collider, const ContactDef* def, float fraction, Vec3 point,
                        MeshNearCache* near)
{
	return MovesOn(collider, fraction) ? MoveToEnd(collider, def, fraction, point, near) : point;
}

// The opposite, with the displacement of the surface next to the point; only meshes that deform need it.
static Vec3 FromEnd(const MeshCollider* collider, float fraction, Vec3 point, Vec3 displacement)
{
	if (!MovesOn(collider, fraction))
		return point;
	if (collider->deforms)
		return V3Sub(point, V3Scale(1.0f - fraction, displacement));
	return Transform_Point(PoseAt(collider, fraction), Transform_InversePoint(collider->to, point));
}

static Vec3 NormalFromEnd(const MeshCollider* collider, float fraction, Vec3 normal)
{
	if (!MovesOn(collider, fraction) || collider->deforms)
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

// The closest point within `need`, m; a search of the tree has the larger `searchRadius`, m. False when there is none:
// *clearance is then a lower bound of the distance.
static bool FindClosest(const MeshShape* shape, const ContactDef* def, Vec3 point, float need, float searchRadius,
                        MeshNearCache* near, MeshPoint* closest, float* clearance)
{
	if (!def->near || def->meshCount > 1)
	{
		*clearance = searchRadius;
		return drapeMeshShape_Closest(shape, point, searchRadius, closest);
	}
	DRAPE_ASSERT(need >= 0.0f && searchRadius >= 0.0f);
	const NearQuery query = {point, need, searchRadius, listSlack * def->thickness, 0};
	return drapeMeshShape_ClosestAround(shape, &query, &near->lists[shape->toRevision % 2], closest, clearance);
}

// Pushes the target out to the thickness, from the closest point; `closest` is NULL when it is not known. True when the
// target was nearer than the thickness; the cache then has the normal and the clearance of its new position.
static bool KeepOff(const MeshShape* shape, const ContactDef* def, const MeshPoint* closest, Vec3* target,
                    MeshNearCache* near)
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
		// Another surface may be near now. If nothing moves, it is not much nearer than this one was.
		if (def->meshesRest && depth < 0.1f * thickness)
			break;
	}
	return touches;
}

// Moves a particle from one position to another, both at the end of the step, and lets it slide along the surfaces that
// it hits. True when it touches; the normal in the cache is that of the last surface.
static bool Slide(const MeshShape* shape, const ContactDef* def, Vec3 from, Vec3 to, Vec3* end, MeshNearCache* near)
{
	MeshPoint hit;
	float fraction;
	bool touches = false;
	Vec3 at = from, target = to;
	const NearList* list = &near->lists[shape->toRevision % 2];
	for (int i = 0; i < slideSteps; ++i)
	{
		if (!drapeMeshShape_SweepAround(shape, 0.5f * def->thickness, at, target, list, &fraction, &hit))
			break;
		Vec3 displacement = V3Sub(target, at);
		at = V3Add(at, V3Scale(fraction, displacement));
		Vec3 rest = V3Scale(1.0f - fraction, displacement);
		target = i + 1 < slideSteps ? V3Add(at, V3Sub(rest, V3Scale(V3Dot(rest, hit.normal), hit.normal))) : at;
		near->normal = hit.normal;
		touches = true;
	}
	touches |= KeepOff(shape, def, NULL, &target, near);
	*end = target;
	return touches;
}

// As for shapes (collide.c): removes the approach, and as much of the sliding as friction can, of the velocity and of
// the displacement alike.
static void Respond(const MeshCollider* collider, const ContactDef* def, Vec3 previous, Vec3 end, MeshNearCache* near,
                    Vec4* position, Vec4* velocity)
{
	float friction = def->friction * collider->friction, rate = def->dt > 0.0f ? 1.0f / def->dt : 0.0f;
	Vec3 displacement = {0.0f, 0.0f, 0.0f};
	if (collider->deforms)
		displacement = SurfaceDisplacement(collider, def, 1.0f, end, near);
	Vec3 now = FromEnd(collider, def->toFraction, end, displacement);
	Vec3 before = FromEnd(collider, def->fromFraction, end, displacement);
	Vec3 n = NormalFromEnd(collider, def->toFraction, near->normal), carried = V3Sub(now, before);
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

// True when a segment of this length, whose ends have these distances from the surface, m, stays farther from it than
// half the thickness. It is never nearer than half of what both distances exceed the length by. Such a segment needs no
// sweep.
static bool SegmentIsClear(float before, float after, float length, float thickness)
{
	return before + after - length > 1.002f * thickness;
}

// True when the cached plane decides this substep.
static bool PlaneDecides(const MeshNearCache* near, float thickness, float before, Vec3 to, float length)
{
	if (V3Dot(near->normal, near->normal) == 0.0f || V3Length(V3Sub(to, near->position)) > planeRadius * thickness)
		return false;
	return SegmentIsClear(before, V3Dot(near->normal, to) - near->offset, length, thickness);
}

// Searches the mesh and fills the cache. True when the particle touches; `end` is then its position.
static bool Search(const MeshCollider* collider, const ContactDef* def, Vec3 from, Vec3 to, float before, Vec3* end,
                   MeshNearCache* near)
{
	float thickness = def->thickness, length = V3Length(V3Sub(to, from)), searchRadius = thickness + length, clearance;
	if (!SegmentIsClear(before, thickness, length, thickness))
	{
		const NearList* list = &near->lists[collider->shape->toRevision % 2];
		if (list->revision == collider->shape->toRevision)
			before = MaxF(before, drapeNearList_Clearance(list, collider->shape->to, from));
	}
	// The segment is clear when no surface is nearer than this.
	float need = MaxF(thickness, 1.003f * thickness + length - before);
	if (def->near)
		searchRadius = MaxF(searchRadius, cachedSearch * thickness);
	// The closest point is no farther than a known surface point.
	float known = near->hasSurfacePoint ? 1.0001f * V3Length(V3Sub(to, near->surfacePoint)) + 1e-6f : INFINITY;
	MeshPoint closest;
	bool isNear =
		FindClosest(collider->shape, def, to, need, MinF(MaxF(searchRadius, need), known), near, &closest, &clearance);
	float distance = isNear ? closest.distance : clearance;
	bool isClear = SegmentIsClear(before, distance, length, thickness);
	*end = to;
	near->position = to;
	near->normal = (Vec3){0.0f, 0.0f, 0.0f};
	near->clearance = 0.999f * distance;
	if (isNear)
		near->surfacePoint = closest.point;
	near->hasSurfacePoint |= isNear;
	if (!isNear || (isClear && distance > thickness))
		return false;
	near->clearance = 0.0f;
	if (isClear)
		return KeepOff(collider->shape, def, &closest, end, near);
	return Slide(collider->shape, def, from, to, end, near);
}

bool drapeMeshCollider_Resolve(const MeshCollider* collider, const ContactDef* def, Vec3 previous, MeshNearCache* near,
                               Vec4* position, Vec4* velocity)
{
	DRAPE_ASSERT(collider->shape && near && def->thickness >= 0.0f);
	DRAPE_ASSERT(def->fromFraction <= def->toFraction && def->toFraction <= 1.0f);
	Vec3 now = V4Xyz(*position), end;
	if (IsFar(collider, now, previous, collider->maxDisplacement + def->thickness))
	{
		near->clearance = 0.0f;
		near->normal = (Vec3){0.0f, 0.0f, 0.0f};
		near->hasSurfacePoint = false;
		return false;
	}
	CarryList(collider, def, near);
	Vec3 from = ToEnd(collider, def, def->fromFraction, previous, near);
	Vec3 to = ToEnd(collider, def, def->toFraction, now, near);
	float before = def->meshesRest ? MeshNearCache_Clearance(near, from) : 0.0f;
	if (def->meshesRest && PlaneDecides(near, def->thickness, before, to, V3Length(V3Sub(to, from))))
	{
		float depth = def->thickness + near->offset - V3Dot(near->normal, to);
		if (depth <= 0.0f)
			return false;
		end = V3Add(to, V3Scale(depth, near->normal));
		Respond(collider, def, previous, end, near, position, velocity);
		return true;
	}
	if (!Search(collider, def, from, to, before, &end, near))
		return false;
	Respond(collider, def, previous, end, near, position, velocity);
	near->offset = V3Dot(near->normal, end) - def->thickness;
	near->clearance = MaxF(near->clearance - V3Length(V3Sub(V4Xyz(*position), end)), 0.0f);
	near->position = V4Xyz(*position);
	return true;
}

// --- contacts, inside -----------------------------------------------------------------------------------------------

// The closest point within `reach`, m. The cache makes no difference to the answer: a list may know points that are
// farther, and so do searches without one.
static bool FindActive(const MeshCollider* collider, const ContactDef* def, Vec3 point, float reach,
                       MeshNearCache* near, MeshPoint* closest)
{
	const float need = 1.0001f * reach;
	const NearQuery query = {point, need, MaxF(need, cachedSearch * def->thickness), listSlack * def->thickness, 0};
	NearList* list = ListAt(collider, def, 1.0f, near);
	float clearance;
	bool isFound = list ? drapeMeshShape_ClosestAround(collider->shape, &query, list, closest, &clearance)
	                    : drapeMeshShape_Closest(collider->shape, point, need, closest);
	return isFound && fabsf(closest->distance) <= reach;
}

bool drapeMeshCollider_FindContact(const MeshCollider* collider, const ContactDef* def, Vec3 point, Vec3 travel,
                                   MeshNearCache* near, float* nearest, Vec4* normal, Vec4* surfaceDisplacement)
{
	const float share = def->toFraction - def->fromFraction, left = 1.0f - def->fromFraction;
	if (IsFar(collider, point, point, collider->maxDisplacement + ContactDef_Reach(def, travel)))
		return false;
	CarryList(collider, def, near);
	Vec3 seen = ToEnd(collider, def, def->fromFraction, point, near);
	// Until the surface next to the particle is known, its displacement is that of the point carried along.
	Vec3 carried = V3Scale(left > 0.0f ? share / left : 0.0f, V3Sub(seen, point));
	MeshPoint closest;
	if (!FindActive(collider, def, seen, ContactDef_Reach(def, V3Sub(travel, carried)), near, &closest) ||
	    !(closest.distance < *nearest))
		return false;
	Vec3 n = NormalFromEnd(collider, def->toFraction, closest.normal), displacement;
	Vec3 whole = {0.0f, 0.0f, 0.0f}; // within the step, of a mesh that deforms
	if (collider->deforms)
		whole = drapeMeshShape_Displacement(collider->shape, closest.triangle, closest.weight);
	displacement =
		collider->deforms ? V3Scale(share, whole) : V3Sub(FromEnd(collider, def->toFraction, seen, whole), point);
	if (!ContactDef_IsReached(def, closest.distance, n, V3Sub(travel, displacement)))
		return false;
	if (def->movedFrom != def->fromFraction)
		displacement =
			V3Sub(FromEnd(collider, def->toFraction, seen, whole), FromEnd(collider, def->movedFrom, seen, whole));
	*nearest = closest.distance;
	*normal = (Vec4){n.x, n.y, n.z, 1.0f + def->friction * collider->friction};
	*surfaceDisplacement = (Vec4){displacement.x, displacement.y, displacement.z, closest.distance};
	return true;
}

// A mesh that deforms, at the start of a step: queries see it as it was then.
typedef struct MeshAtStart
{
	MeshShape shape;
	MeshCollider collider;
} MeshAtStart;

// Returns the collider, or the one in `start` that is at rest where the collider is at the start of the step.
static const MeshCollider* SeeAt(const MeshCollider* collider, float fraction, MeshAtStart* start)
{
	if (!collider->deforms || !collider->moves || fraction > 0.0f)
		return collider;
	start->shape = drapeMeshShape_AtStart(collider->shape);
	start->collider = *collider;
	start->collider.shape = &start->shape;
	start->collider.maxDisplacement = 0.0f;
	start->collider.moves = start->collider.deforms = false;
	return &start->collider;
}

// From the end of the step to a fraction of it.
static Vec3 BackFromEnd(const MeshCollider* collider, const ContactDef* def, float fraction, Vec3 point)
{
	Vec3 displacement = {0.0f, 0.0f, 0.0f};
	if (collider->deforms)
		displacement = SurfaceDisplacement(collider, def, 1.0f, point, NULL);
	return FromEnd(collider, fraction, point, displacement);
}

bool drapeMeshCollider_Contains(const MeshCollider* collider, float fraction, Vec3 point)
{
	const ContactDef def = {0};
	MeshAtStart start;
	if (!collider->shape->closed || IsFar(collider, point, point, collider->maxDisplacement))
		return false;
	collider = SeeAt(collider, fraction, &start);
	return drapeMeshShape_Contains(collider->shape, ToEnd(collider, &def, fraction, point, NULL));
}

bool drapeMeshCollider_ContainsAround(const MeshCollider* collider, Vec3 point, float searchRadius, float* clearance)
{
	DRAPE_ASSERT(!collider->moves && searchRadius >= 0.0f && clearance);
	MeshPoint closest;
	*clearance = INFINITY;
	if (!collider->shape->closed || IsFar(collider, point, point, searchRadius))
		return false;
	if (!drapeMeshShape_Closest(collider->shape, point, searchRadius, &closest))
		return drapeMeshShape_Contains(collider->shape, point);
	*clearance = 0.999f * fabsf(closest.distance);
	return closest.distance < 0.0f;
}

float drapeMeshCollider_Depth(const MeshCollider* collider, float fraction, Vec3 point)
{
	const ContactDef def = {0};
	MeshPoint closest;
	MeshAtStart start;
	if (!drapeMeshCollider_Contains(collider, fraction, point))
		return 0.0f;
	collider = SeeAt(collider, fraction, &start);
	Vec3 seen = ToEnd(collider, &def, fraction, point, NULL);
	return drapeMeshShape_Closest(collider->shape, seen, INFINITY, &closest) ? fabsf(closest.distance) : 0.0f;
}

// The sum of the mesh normals next to two points outside.
static Vec3 Facing(const MeshShape* shape, const Vec3 points[2], float searchRadius)
{
	Vec3 sum = {0.0f, 0.0f, 0.0f};
	for (int i = 0; i < 2; ++i)
	{
		MeshPoint closest;
		if (drapeMeshShape_Closest(shape, points[i], searchRadius, &closest))
			sum = V3Add(sum, closest.normal);
	}
	return sum;
}

bool drapeMeshCollider_LeaveAlong(const MeshCollider* collider, const ContactDef* def, Vec3 normal,
                                  const Vec3 parents[2], Vec3* position)
{
	DRAPE_ASSERT(collider->shape && position);
	float length = V3Length(V3Sub(parents[1], parents[0])), least = INFINITY, at = def->toFraction;
	MeshAtStart atStart;
	if (!drapeMeshCollider_Contains(collider, at, *position))
		return false;
	collider = SeeAt(collider, at, &atStart);
	const MeshShape* shape = collider->shape;
	const Vec3 beside[2] = {ToEnd(collider, def, at, parents[0], NULL), ToEnd(collider, def, at, parents[1], NULL)};
	Vec3 facing = Facing(shape, beside, length), start = *position, inside = ToEnd(collider, def, at, start, NULL);
	for (int side = 1; side >= -1; side -= 2)
	{
		Vec3 outside = ToEnd(collider, def, at, V3Add(start, V3Scale((float)side * length, normal)), NULL);
		MeshPoint hit;
		float fraction;
		if (drapeMeshShape_Contains(shape, outside) ||
		    !drapeMeshShape_Sweep(shape, def->thickness, outside, inside, &fraction, &hit))
			continue;
		Vec3 out = V3Add(outside, V3Scale(fraction, V3Sub(inside, outside)));
		bool isBehind = V3Dot(facing, V3Sub(outside, inside)) < 0.0f;
		float cost = V3Length(V3Sub(out, inside)) + (isBehind ? 2.0f * length : 0.0f);
		if (cost < least)
			*position = BackFromEnd(collider, def, at, out);
		least = MinF(least, cost);
	}
	return least < INFINITY;
}

bool drapeMeshCollider_PushOut(const MeshCollider* collider, const ContactDef* def, Vec3* position)
{
	if (IsFar(collider, *position, *position, collider->maxDisplacement + def->thickness))
		return false;
	MeshAtStart start;
	collider = SeeAt(collider, def->toFraction, &start);
	Vec3 seen = ToEnd(collider, def, def->toFraction, *position, NULL);
	bool isInside = drapeMeshShape_Contains(collider->shape, seen);
	MeshPoint closest;
	if (!drapeMeshShape_Closest(collider->shape, seen, isInside ? INFINITY : def->thickness, &closest))
		return false;
	seen = V3Add(closest.point, V3Scale(def->thickness, closest.normal));
	*position = BackFromEnd(collider, def, def->toFraction, seen);
	return true;
}
