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
	float searchRadius; // m: no particle farther from the collider's origin has a contact
	float friction;     // of cloth and collider
} PlacedShape;

static PlacedShape PlaceShape(const ContactDef* def, const Collider* collider)
{
	PlacedShape placed = {
		.shape = &collider->def,
		.from = drapeCollider_At(collider, def->fromFraction),
		.to = drapeCollider_At(collider, def->toFraction),
		.friction = def->friction * collider->def.friction,
	};
	DRAPE_ASSERT(placed.from.scale > 0.0f && placed.friction >= 0.0f);
	placed.searchRadius =
		1.0001f * (drapeShape_BoundingRadius(placed.shape) * placed.from.scale + def->activationDistance);
	return placed;
}

// True when the point has a contact that is nearer than *nearest, m, which is then updated.
static bool FindContact(const PlacedShape* placed, const ContactDef* def, Vec3 point, float* nearest, Vec4* normal,
                        Vec4* surfaceDisplacement)
{
	Vec3 away = V3Sub(point, placed->from.position);
	if (!(V3Dot(away, away) <= placed->searchRadius * placed->searchRadius))
		return false;
	Vec3 local = drapeTransform_InversePoint(placed->from, point);
	Closest closest = drapeShape_Closest(placed->shape, local);
	float distance = closest.distance * placed->from.scale;
	if (!(distance <= def->activationDistance) || !(distance < *nearest))
		return false;
	*nearest = distance;
	// The normal at the end of the substep, and the displacement of the collider's point there.
	Vec3 n = Quat_Rotate(placed->to.rotation, closest.normal);
	Vec3 displacement = V3Sub(drapeTransform_Point(placed->to, local), point);
	*normal = (Vec4){n.x, n.y, n.z, 1.0f + placed->friction};
	*surfaceDisplacement = (Vec4){displacement.x, displacement.y, displacement.z, distance};
	return true;
}

void drapeContact_FindContacts(const ContactDef* def, const Vec4* position, Vec4* normal, Vec4* surfaceDisplacement,
                               uint32_t start, uint32_t end)
{
	DRAPE_ASSERT(start <= end && def->activationDistance >= 0.0f);
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
			// A collider of an earlier round may be nearer.
			float nearest = normal[i].w > 0.0f ? surfaceDisplacement[i].w : INFINITY;
			for (uint32_t k = 0; k < count && position[i].w > 0.0f; ++k)
				FindContact(&placed[k], def, V4Xyz(position[i]), &nearest, &normal[i], &surfaceDisplacement[i]);
		}
	}
	for (uint32_t i = start; i < end && def->meshCount > 0; ++i)
	{
		float nearest = normal[i].w > 0.0f ? surfaceDisplacement[i].w : INFINITY;
		for (uint32_t k = 0; k < def->meshCount && position[i].w > 0.0f; ++k)
			drapeMeshCollider_FindContact(&def->meshes[k], def, V4Xyz(position[i]), def->near ? &def->near[i] : NULL,
			                              &nearest, &normal[i], &surfaceDisplacement[i]);
	}
}
