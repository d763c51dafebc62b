// SPDX-License-Identifier: MIT
#include "contact/contact.h"

#include "base/transform.h"

// What lies on a collider before a substep, for solvers that take it into account: each such particle's nearest
// collider says where the ground is, how it goes on, and how rough it is.

enum
{
	findContactsColliders = 16, // placements that are worked out at a time
};

typedef struct Ground
{
	const drapeColliderDef* shape;
	drapeTransform from, to;
	float reach;    // m: farther from the origin of the collider nothing touches
	float friction; // both together
} Ground;

static Ground Ground_Make(const ContactDef* def, const Collider* collider)
{
	Ground ground = {
		.shape = &collider->def,
		.from = drapeCollider_At(collider, def->fromFraction),
		.to = drapeCollider_At(collider, def->toFraction),
		.friction = def->friction * collider->def.friction,
	};
	ground.reach = 1.0001f * (drapeShape_BoundingRadius(ground.shape) * ground.from.scale + def->activationDistance);
	return ground;
}

// True when the point lies on this ground and nearer than `nearest`, which is then its distance.
static bool Ground_Supports(const Ground* ground, const ContactDef* def, Vec3 point, float* nearest, Vec4* normal,
                            Vec4* surfaceDisplacement)
{
	Vec3 away = V3Sub(point, ground->from.position);
	if (!(V3Dot(away, away) <= ground->reach * ground->reach))
		return false;
	Vec3 local = drapeTransform_InversePoint(ground->from, point);
	Closest closest = drapeShape_Closest(ground->shape, local);
	float distance = closest.distance * ground->from.scale;
	if (!(distance <= def->activationDistance) || !(distance < *nearest))
		return false;
	*nearest = distance;
	// The normal as it will be, and the way of the point that the collider has there.
	Vec3 n = Quat_Rotate(ground->to.rotation, closest.normal);
	Vec3 way = V3Sub(drapeTransform_Point(ground->to, local), point);
	*normal = (Vec4){n.x, n.y, n.z, 1.0f + ground->friction};
	*surfaceDisplacement = (Vec4){way.x, way.y, way.z, distance};
	return true;
}

void drapeContact_FindContacts(const ContactDef* def, const Vec4* position, Vec4* normal, Vec4* surfaceDisplacement,
                               uint32_t start, uint32_t end)
{
	for (uint32_t i = start; i < end; ++i)
		normal[i] = surfaceDisplacement[i] = (Vec4){0};
	for (uint32_t first = 0; first < def->colliderCount; first += findContactsColliders)
	{
		Ground grounds[findContactsColliders];
		uint32_t count = MinU32(findContactsColliders, def->colliderCount - first);
		for (uint32_t k = 0; k < count; ++k)
			grounds[k] = Ground_Make(def, &def->colliders[first + k]);
		for (uint32_t i = start; i < end; ++i)
		{
			// A ground of an earlier round may be nearer.
			float nearest = normal[i].w > 0.0f ? surfaceDisplacement[i].w : INFINITY;
			for (uint32_t k = 0; k < count && position[i].w > 0.0f; ++k)
				Ground_Supports(&grounds[k], def, V4Xyz(position[i]), &nearest, &normal[i], &surfaceDisplacement[i]);
		}
	}
	for (uint32_t i = start; i < end && def->meshCount > 0; ++i)
	{
		float nearest = normal[i].w > 0.0f ? surfaceDisplacement[i].w : INFINITY;
		for (uint32_t k = 0; k < def->meshCount && position[i].w > 0.0f; ++k)
			drapeMeshCollider_FindContact(&def->meshes[k], def, V4Xyz(position[i]), &nearest, &normal[i],
			                              &surfaceDisplacement[i]);
	}
}
