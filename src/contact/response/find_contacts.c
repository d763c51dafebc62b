// SPDX-License-Identifier: MIT
#include "contact/contact.h"

#include "base/transform.h"

// Contacts of particles with colliders before a substep, for solvers that have them in their equations. The nearest
// collider of each particle gives the contact normal, the displacement of its surface, and the friction.

enum
{
	findContactsColliders = 16, // placements that are computed at a time
};

typedef struct PlacedShape
{
	const drapeColliderDef* shape;
	drapeTransform from, to;
	drapeTransform start; // from where displacements count
	float radius;         // m: no point of the collider is farther from its origin
	float friction;       // coefficient of the collider
} PlacedShape;

static PlacedShape PlaceShape(const ContactDef* def, const Collider* collider)
{
	PlacedShape placed = {
		.shape = &collider->def,
		.from = drapeCollider_At(collider, def->fromFraction),
		.to = drapeCollider_At(collider, def->toFraction),
		.start = drapeCollider_At(collider, def->movedFrom),
		.friction = collider->def.friction,
	};
	DRAPE_ASSERT(placed.from.scale > 0.0f && placed.friction >= 0.0f);
	placed.radius = 1.0001f * drapeShape_BoundingRadius(placed.shape) * placed.from.scale;
	return placed;
}

// True when the point has a contact that is nearer than *nearest, m, which is then updated.
static bool FindContact(const PlacedShape* placed, const ContactDef* def, Vec3 point, Vec3 travel, float* nearest,
                        Vec4* normal, Vec4* surfaceDisplacement)
{
	Vec3 away = V3Sub(point, placed->from.position);
	float searchRadius = placed->radius + 1.0001f * (def->activationDistance + contactLookahead);
	if (!(V3Dot(away, away) <= searchRadius * searchRadius))
		return false;
	Vec3 local = drapeTransform_InversePoint(placed->from, point);
	// The normal at the end of the substep, and the displacement of the collider's point there.
	Vec3 displacement = V3Sub(drapeTransform_Point(placed->to, local), point), relative = V3Sub(travel, displacement);
	Closest closest = drapeShape_Closest(placed->shape, local);
	float distance = closest.distance * placed->from.scale;
	if (!(distance <= ContactDef_Reach(def, relative)) || !(distance < *nearest))
		return false;
	Vec3 n = Quat_Rotate(placed->to.rotation, closest.normal);
	if (!ContactDef_IsReached(def, distance, n, relative))
		return false;
	displacement = V3Sub(drapeTransform_Point(placed->to, local), drapeTransform_Point(placed->start, local));
	*nearest = distance;
	*normal = (Vec4){n.x, n.y, n.z, 1.0f + def->friction * placed->friction};
	*surfaceDisplacement = (Vec4){displacement.x, displacement.y, displacement.z, distance};
	return true;
}

// The displacement, m, of a particle within the substep if nothing stops it.
static Vec3 TravelOf(const ContactDef* def, uint32_t particle)
{
	return def->velocity ? V3Scale(def->dt, V4Xyz(def->velocity[particle])) : (Vec3){0.0f, 0.0f, 0.0f};
}

// Contacts of one particle with some colliders.
static void FindWithShapes(const ContactDef* def, const PlacedShape* placed, uint32_t count, Vec3 point, Vec3 travel,
                           Vec4* normal, Vec4* surfaceDisplacement)
{
	// A collider of an earlier round may be nearer.
	float nearest = normal->w > 0.0f ? surfaceDisplacement->w : INFINITY;
	for (uint32_t k = 0; k < count; ++k)
		FindContact(&placed[k], def, point, travel, &nearest, normal, surfaceDisplacement);
}

static void FindWithMeshes(const ContactDef* def, Vec3 point, Vec3 travel, MeshNearCache* near, Vec4* normal,
                           Vec4* surfaceDisplacement)
{
	float nearest = normal->w > 0.0f ? surfaceDisplacement->w : INFINITY;
	for (uint32_t k = 0; k < def->meshCount; ++k)
		drapeMeshCollider_FindContact(&def->meshes[k], def, point, travel, near, &nearest, normal, surfaceDisplacement);
}

void drapeContact_FindContacts(const ContactDef* def, const Vec4* position, Vec4* normal, Vec4* surfaceDisplacement,
                               uint32_t start, uint32_t end)
{
	DRAPE_ASSERT(start <= end && def->activationDistance >= 0.0f);
	const bool hasFactors = ContactDef_HasFactors(def);
	ContactDef own = *def;
	for (uint32_t i = start; i < end; ++i)
		normal[i] = surfaceDisplacement[i] = (Vec4){0};
	for (uint32_t first = 0; first < def->colliderCount; first += findContactsColliders)
	{
		PlacedShape placed[findContactsColliders];
		uint32_t count = MinU32(findContactsColliders, def->colliderCount - first);
		for (uint32_t k = 0; k < count; ++k)
			placed[k] = PlaceShape(def, &def->colliders[first + k]);
		for (uint32_t i = start; i < end; ++i)
		{
			if (!(position[i].w > 0.0f))
				continue;
			if (hasFactors)
				own = ContactDef_Of(def, i);
			FindWithShapes(&own, placed, count, V4Xyz(position[i]), TravelOf(def, i), &normal[i],
			               &surfaceDisplacement[i]);
		}
	}
	for (uint32_t i = start; i < end && def->meshCount > 0; ++i)
	{
		if (!(position[i].w > 0.0f))
			continue;
		if (hasFactors)
			own = ContactDef_Of(def, i);
		FindWithMeshes(&own, V4Xyz(position[i]), TravelOf(def, i), def->near ? &def->near[i] : NULL, &normal[i],
		               &surfaceDisplacement[i]);
	}
}
