// SPDX-License-Identifier: MIT
#include "contact/response/pinch.h"

#include "base/transform.h"

// Surfaces face each other when the cosine of the angle between their normals is below this. In a wider wedge the pushes
// of both surfaces lead out.
static const float facing = -0.7f;

// A particle leaves a collider at this speed, m/s, at most.
static const float leaveSpeed = 1.0f;

// No pinched particle is moved farther than this, m, towards the middle in a substep.
static const float farthestMiddle = 0.03f;

// A surface next to a particle at the end of the step.
typedef struct SurfaceSample
{
	Vec3 normal;       // unit
	float distance;    // m, negative inside
	Vec3 displacement; // m, of the surface within the substep
	float friction;    // coefficient
	uint32_t collider; // index among shapes, then meshes
} SurfaceSample;

typedef struct SampleList
{
	SurfaceSample nearest;  // the deepest or nearest surface
	SurfaceSample opposite; // the surface that leaves the least space with it
	bool hasNearest, hasOpposite;
} SampleList;

// --- samples --------------------------------------------------------------------------------------------------------

static Vec3 Carried(const Transform from, const Transform to, Vec3 end, float share)
{
	return V3Scale(share, V3Sub(end, Transform_Point(from, Transform_InversePoint(to, end))));
}

// The surface of a shape at a fraction of the step.
static bool SampleShape(const ContactDef* def, uint32_t index, float fraction, Vec3 point, float radius,
                        SurfaceSample* sample)
{
	DRAPE_ASSERT(index < def->colliderCount && radius >= 0.0f);
	const Collider* collider = &def->colliders[index];
	Transform at = drapeCollider_At(collider, fraction);
	Vec3 away = V3Sub(point, at.position);
	float reach = drapeShape_BoundingRadius(&collider->def) * at.scale + radius;
	if (!(V3Dot(away, away) <= reach * reach))
		return false;
	Vec3 local = Transform_InversePoint(at, point);
	Closest closest = drapeShape_Closest(&collider->def, local);
	Vec3 from = Transform_Point(drapeCollider_At(collider, def->fromFraction), local);
	*sample = (SurfaceSample){
		.normal = Quat_Rotate(at.rotation, closest.normal),
		.distance = closest.distance * at.scale,
		.displacement = V3Sub(Transform_Point(drapeCollider_At(collider, def->toFraction), local), from),
		.friction = def->friction * collider->def.friction,
		.collider = index,
	};
	return sample->distance <= radius;
}

static SurfaceSample DescribeMesh(const ContactDef* def, uint32_t index, Vec3 end, Vec3 normal, float distance,
                                  uint32_t triangle, const float weight[3])
{
	const MeshCollider* mesh = &def->meshes[index];
	float share = def->toFraction - def->fromFraction;
	return (SurfaceSample){
		.normal = normal,
		.distance = distance,
		.displacement = mesh->deforms ? V3Scale(share, drapeMeshShape_Displacement(mesh->shape, triangle, weight))
	                                  : Carried(mesh->from, mesh->to, end, share),
		.friction = def->friction * mesh->friction,
		.collider = def->colliderCount + index,
	};
}

static bool SampleMesh(const ContactDef* def, uint32_t index, Vec3 end, float radius, SurfaceSample* sample)
{
	DRAPE_ASSERT(index < def->meshCount && radius >= 0.0f);
	MeshPoint closest;
	if (!drapeMeshShape_Closest(def->meshes[index].shape, end, radius, &closest))
		return false;
	*sample = DescribeMesh(def, index, end, closest.normal, closest.distance, closest.triangle, closest.weight);
	return true;
}

// The first triangle of a mesh along a direction, if it faces the normal of the nearest surface. `shape` is the mesh at
// the start or at the end of the step.
static bool CastMesh(const ContactDef* def, uint32_t index, const MeshShape* shape, Vec3 point, Vec3 direction,
                     float length, Vec3 normal, SurfaceSample* sample)
{
	Primitives primitives = drapeMeshShape_Primitives(shape, 0.0f);
	PrimitiveHit hit;
	if (!drapeBvh_FirstHit(&shape->tree, &primitives, point, V3Add(point, V3Scale(length, direction)), &hit))
		return false;
	const uint32_t* corner = shape->triangle + 3 * (size_t)hit.primitive;
	Vec3 a = V4Xyz(shape->to[corner[0]]), b = V4Xyz(shape->to[corner[1]]), c = V4Xyz(shape->to[corner[2]]);
	Vec3 cross = V3Cross(V3Sub(b, a), V3Sub(c, a));
	float size = V3Length(cross);
	if (!(size > 0.0f) || !(V3Dot(cross, normal) < facing * size))
		return false;
	Vec3 own = V3Scale(1.0f / size, cross);
	const float middle[3] = {1.0f / 3.0f, 1.0f / 3.0f, 1.0f / 3.0f};
	*sample = DescribeMesh(def, index, point, own, V3Dot(own, V3Sub(point, a)), hit.primitive, middle);
	return true;
}

// --- pairs ----------------------------------------------------------------------------------------------------------

static void OfferOpposite(SampleList* list, const SurfaceSample* sample)
{
	if (V3Dot(sample->normal, list->nearest.normal) < facing &&
	    (!list->hasOpposite || sample->distance < list->opposite.distance))
	{
		list->opposite = *sample;
		list->hasOpposite = true;
	}
}

// A particle that touches, at the start of the substep: finds the surface in front of the nearest one that leaves the
// least space when both have moved.
static void FindClosing(const ContactDef* def, Vec3 point, float lookahead, SampleList* list)
{
	const SurfaceSample* nearest = &list->nearest;
	SurfaceSample sample;
	for (uint32_t i = 0; i < def->colliderCount; ++i)
	{
		if (i == nearest->collider || !SampleShape(def, i, def->fromFraction, point, lookahead, &sample))
			continue;
		sample.distance += V3Dot(sample.normal, V3Sub(nearest->displacement, sample.displacement));
		OfferOpposite(list, &sample);
	}
	for (uint32_t i = 0; i < def->meshCount; ++i)
	{
		MeshShape start = drapeMeshShape_AtStart(def->meshes[i].shape);
		const MeshShape* shape = def->fromFraction < 0.5f ? &start : def->meshes[i].shape;
		if (!CastMesh(def, i, shape, point, nearest->normal, lookahead, nearest->normal, &sample))
			continue;
		sample.distance += V3Dot(sample.normal, V3Sub(nearest->displacement, sample.displacement));
		OfferOpposite(list, &sample);
	}
}

// True where two parts of a mesh overlap. The other side of one part faces the nearest surface, too, but there the mesh
// winds around the point only once.
static bool IsInOverlap(const MeshShape* shape, const SurfaceSample* nearest, Vec3 end)
{
	return drapeMeshShape_WindingNumber(shape, end) > (nearest->distance < 0.0f ? 1 : 0);
}

// A released particle, at the end of the step: finds the surface opposite the nearest one, in front of it, or behind
// where two colliders or two parts of a mesh overlap.
static void FindOpposite(const ContactDef* def, Vec3 end, float radius, SampleList* list)
{
	const SurfaceSample* nearest = &list->nearest;
	Vec3 behind = V3Scale(-1.0f, nearest->normal);
	// Just below the nearest surface, so that it is not hit itself.
	Vec3 below = V3Add(end, V3Scale(MaxF(nearest->distance, 0.0f) + 1e-5f, behind));
	SurfaceSample sample;
	for (uint32_t i = 0; i < def->colliderCount; ++i)
	{
		if (i != nearest->collider && SampleShape(def, i, 1.0f, end, radius, &sample))
			OfferOpposite(list, &sample);
	}
	for (uint32_t i = 0; i < def->meshCount; ++i)
	{
		const MeshShape* shape = def->meshes[i].shape;
		float space = 2.0f * def->thickness - nearest->distance;
		if (space > 0.0f && CastMesh(def, i, shape, end, nearest->normal, space, nearest->normal, &sample))
			OfferOpposite(list, &sample);
		bool mayOverlap = nearest->collider != def->colliderCount + i || IsInOverlap(shape, nearest, end);
		if (!list->hasOpposite && mayOverlap &&
		    CastMesh(def, i, shape, below, behind, 2.0f * radius, nearest->normal, &sample))
		{
			sample.distance += V3Dot(sample.normal, V3Sub(end, below));
			OfferOpposite(list, &sample);
		}
	}
}

static void FindNearest(const ContactDef* def, Vec3 end, float radius, SampleList* list)
{
	DRAPE_ASSERT(radius >= 0.0f && V3IsFinite(end));
	SurfaceSample sample;
	for (uint32_t i = 0; i < def->colliderCount + def->meshCount; ++i)
	{
		bool isShape = i < def->colliderCount;
		bool isFound = isShape ? SampleShape(def, i, 1.0f, end, radius, &sample)
		                       : SampleMesh(def, i - def->colliderCount, end, radius, &sample);
		if (!isFound || (list->hasNearest && list->nearest.distance <= sample.distance))
			continue;
		list->nearest = sample;
		list->hasNearest = true;
	}
}

// --- interface ------------------------------------------------------------------------------------------------------

static float LongestDisplacement(const ContactDef* def)
{
	float longest = 0.0f;
	for (uint32_t i = 0; i < def->meshCount; ++i)
		longest = MaxF(longest, def->meshes[i].maxDisplacement);
	for (uint32_t i = 0; i < def->colliderCount; ++i)
		longest = MaxF(longest, V3Length(V3Sub(def->colliders[i].to.position, def->colliders[i].from.position)));
	return MinF(longest, contactLookahead);
}

// Moves the particle to where both surfaces are equally far, and along with the mean of both.
static void Hold(const ContactDef* def, const SampleList* list, Vec3 point, Vec3 end, Pinch* pinch)
{
	DRAPE_ASSERT(list->hasNearest && list->hasOpposite);
	const SurfaceSample *a = &list->nearest, *b = &list->opposite;
	float share = (def->toFraction - def->fromFraction) / MaxF(1.0f - def->fromFraction, 1e-6f);
	pinch->axis = V3Normalize(V3Sub(a->normal, b->normal));
	float across = V3Dot(pinch->axis, V3Sub(a->normal, b->normal));
	float middle = across > 0.0f ? (b->distance - a->distance) / across : 0.0f;
	middle = MinF(MaxF(middle, -farthestMiddle), farthestMiddle);
	// Along the axis to the middle at the end of the step; tangentially with the mean of both surfaces.
	Vec3 mean = V3Scale(0.5f, V3Add(a->displacement, b->displacement));
	float along = V3Dot(pinch->axis, V3Sub(end, point)) + middle;
	Vec3 sideways = V3Sub(mean, V3Scale(V3Dot(mean, pinch->axis), pinch->axis));
	pinch->displacement = V3Add(sideways, V3Scale(share * along, pinch->axis));
	pinch->depth = MaxF(-MinF(a->distance, b->distance), pinchLeastDepth);
	pinch->isPinched = true;
}

// Where the particle is held, or zeros with a depth of 0 when there is space.
static Pinch HoldIfPinched(const ContactDef* def, const SampleList* list, Vec3 point, Vec3 end, Vec4* normal,
                           Vec4* surface)
{
	Pinch pinch = {.depth = 0.0f};
	if (!list->hasOpposite || !(list->nearest.distance + list->opposite.distance < 2.0f * def->thickness))
		return pinch;
	Hold(def, list, point, end, &pinch);
	*normal = (Vec4){pinch.axis.x, pinch.axis.y, pinch.axis.z, -1.0f};
	*surface = (Vec4){pinch.displacement.x, pinch.displacement.y, pinch.displacement.z, 0.0f};
	return pinch;
}

// A particle that touches a collider, and that another surface may close on.
static Pinch TestContact(const ContactDef* def, Vec3 point, Vec4* normal, Vec4* surface)
{
	if (V3Length(V4Xyz(*surface)) > contactLookahead)
		return (Pinch){.depth = 0.0f};
	SampleList list = {.hasNearest = true};
	list.nearest = (SurfaceSample){
		.normal = V4Xyz(*normal), .distance = surface->w, .displacement = V4Xyz(*surface), .collider = DRAPE_NONE};
	float lookahead = 2.0f * def->thickness + 2.0f * LongestDisplacement(def);
	FindClosing(def, point, lookahead, &list);
	float share = (def->toFraction - def->fromFraction) / MaxF(1.0f - def->fromFraction, 1e-6f);
	Vec3 end = V3Add(point, V3Scale(1.0f / share, V4Xyz(*surface)));
	return HoldIfPinched(def, &list, point, end, normal, surface);
}

// The contact that takes a particle out of the nearest surface at a bounded speed.
static void LeaveNearest(const ContactDef* def, const SurfaceSample* nearest, Vec4* normal, Vec4* surface)
{
	float distance = MaxF(nearest->distance, -leaveSpeed * def->dt);
	*normal = (Vec4){nearest->normal.x, nearest->normal.y, nearest->normal.z, 1.0f + nearest->friction};
	*surface = (Vec4){nearest->displacement.x, nearest->displacement.y, nearest->displacement.z, distance};
}

Pinch drapeContact_FindPinch(const ContactDef* def, Vec3 point, float depth, Vec4* normal, Vec4* surface)
{
	DRAPE_ASSERT(def->fromFraction < def->toFraction && depth >= 0.0f);
	if (depth == 0.0f)
		return TestContact(def, point, normal, surface);
	SampleList list = {0};
	float radius = depth + 2.0f * def->thickness + LongestDisplacement(def);
	FindNearest(def, point, radius, &list);
	if (!list.hasNearest)
		return (Pinch){.depth = 0.0f};
	FindOpposite(def, point, radius, &list);
	Pinch pinch = HoldIfPinched(def, &list, point, point, normal, surface);
	// A particle that was released stays so until it is outside.
	const SurfaceSample* nearest = &list.nearest;
	if (pinch.isPinched || nearest->distance > 0.25f * def->thickness)
		return pinch;
	pinch.depth = MaxF(-nearest->distance, pinchLeastDepth);
	pinch.axis = nearest->normal;
	LeaveNearest(def, nearest, normal, surface);
	return pinch;
}
