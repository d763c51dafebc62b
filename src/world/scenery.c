// SPDX-License-Identifier: MIT
#include "world/world.h"

#include "base/transform.h"

drapeMotionId drapeCreateMotion(drapeWorldId id, const drapeMotionDef* def)
{
	DRAPE_ASSERT(id.world && def);
	drapeMotionId none = {0};
	if (!id.world || !def || !Motion_IsValid(def, NULL) ||
	    !ArrayReserve(&id.world->motions, id.world->motions.count + 1))
		return none;
	Motion motion;
	if (Motion_Create(&motion, def) != drape_ok)
		return none;
	ArrayPush(&id.world->motions, motion);
	return (drapeMotionId){id.world, id.world->motions.count};
}

drapeTransform drapeMotion_At(drapeMotionId id, double time)
{
	if (!id.world || id.index1 == 0 || id.index1 > id.world->motions.count)
		return drapeIdentityTransform();
	return Motion_At(&id.world->motions.data[id.index1 - 1], time);
}

// --- colliders ------------------------------------------------------------------------------------------------------

enum
{
	colliderCookie = 0x64636f6c,
};

drapeColliderDef drapeDefaultColliderDef(void)
{
	return (drapeColliderDef){
		.shape = drape_shapeSphere,
		.radius = 1.0f,
		.halfHeight = 1.0f,
		.halfExtents = {1.0f, 1.0f, 1.0f},
		.transform = drapeIdentityTransform(),
		.friction = 1.0f,
		.cookie = colliderCookie,
	};
}

static bool IsLength(float value)
{
	return value > 0.0f && value < 1e9f;
}

static bool TransformIsValid(const drapeTransform* t)
{
	float norm = t->rotation.x * t->rotation.x + t->rotation.y * t->rotation.y + t->rotation.z * t->rotation.z +
	             t->rotation.w * t->rotation.w;
	return V3IsFinite(t->position) && IsLength(t->scale) && norm > 0.99f && norm < 1.01f;
}

static bool DefIsValid(const drapeColliderDef* def)
{
	return def && def->cookie == colliderCookie && Shape_IsValid(def, NULL);
}

bool Motion_IsOf(const drapeWorld* world, drapeMotionId motion)
{
	return motion.index1 == 0 || (motion.world == world && motion.index1 <= world->motions.count);
}

static drapeTransform Placement(const drapeWorld* world, uint32_t motion1, drapeTransform own, double time)
{
	return motion1 == 0 ? own : Transform_Compose(Motion_At(&world->motions.data[motion1 - 1], time), own);
}

static uint32_t FreeSlot(drapeWorld* world)
{
	for (uint32_t i = 0; i < world->colliderSlots.count; ++i)
	{
		if (!(world->colliderSlots.data[i].generation & 1))
			return i;
	}
	uint32_t count = world->colliderSlots.count + 1;
	if (!ArrayReserve(&world->colliderSlots, count) || !ArrayReserve(&world->colliders, count) ||
	    !ArrayReserve(&world->liveColliders, count))
		return DRAPE_NONE;
	ArrayPush(&world->colliderSlots, (ColliderSlot){0});
	world->colliders.count = count;
	return count - 1;
}

drapeColliderId drapeCreateCollider(drapeWorldId id, const drapeColliderDef* def)
{
	bool isValid = id.world && DefIsValid(def) && Motion_IsOf(id.world, def->motion);
	DRAPE_ASSERT(isValid);
	drapeColliderId none = {0};
	if (!isValid)
		return none;
	uint32_t i = FreeSlot(id.world);
	if (i == DRAPE_NONE)
		return none;
	ColliderSlot* slot = &id.world->colliderSlots.data[i];
	*slot = (ColliderSlot){.generation = slot->generation + 1,
	                       .motion1 = def->motion.index1,
	                       .own = def->transform,
	                       .ownFrom = def->transform};
	drapeTransform now = Placement(id.world, slot->motion1, slot->own, id.world->time);
	id.world->colliders.data[i] = (Collider){.def = *def, .from = now, .to = now};
	return (drapeColliderId){id.world, i + 1, slot->generation};
}

bool drapeCollider_IsValid(drapeColliderId id)
{
	return id.world && id.index1 > 0 && id.index1 <= id.world->colliderSlots.count &&
	       id.world->colliderSlots.data[id.index1 - 1].generation == id.generation && (id.generation & 1);
}

static Collider* Get(drapeColliderId id)
{
	bool isValid = drapeCollider_IsValid(id);
	DRAPE_ASSERT(isValid);
	return isValid ? &id.world->colliders.data[id.index1 - 1] : NULL;
}

void drapeDestroyCollider(drapeColliderId id)
{
	if (Get(id))
		id.world->colliderSlots.data[id.index1 - 1].generation++;
}

void drapeCollider_SetTransform(drapeColliderId id, drapeTransform transform)
{
	DRAPE_ASSERT(TransformIsValid(&transform));
	if (Get(id) && TransformIsValid(&transform))
		id.world->colliderSlots.data[id.index1 - 1].own = transform;
}

drapeTransform drapeCollider_GetTransform(drapeColliderId id)
{
	const Collider* collider = Get(id);
	return collider ? collider->to : drapeIdentityTransform();
}

drapeColliderDef drapeCollider_GetDef(drapeColliderId id)
{
	const Collider* collider = Get(id);
	return collider ? collider->def : drapeDefaultColliderDef();
}

// --- in the step ----------------------------------------------------------------------------------------------------

void Scenery_Animate(drapeWorld* world, float dt)
{
	world->liveColliders.count = 0;
	for (uint32_t i = 0; i < world->colliderSlots.count; ++i)
	{
		const ColliderSlot* slot = &world->colliderSlots.data[i];
		if (!(slot->generation & 1))
			continue;
		Collider* collider = &world->colliders.data[i];
		collider->from = Placement(world, slot->motion1, slot->ownFrom, world->time);
		collider->to = Placement(world, slot->motion1, slot->own, world->time + (double)dt);
		ArrayPush(&world->liveColliders, *collider);
	}
}

void Scenery_Finish(drapeWorld* world)
{
	for (uint32_t i = 0; i < world->colliderSlots.count; ++i)
		world->colliderSlots.data[i].ownFrom = world->colliderSlots.data[i].own;
}

void Scenery_Revert(drapeWorld* world)
{
	for (uint32_t i = 0; i < world->colliderSlots.count; ++i)
		world->colliders.data[i].to = world->colliders.data[i].from;
}

// How fast any point near the origin of a collider moves, and its surface with it.
float Scenery_TopSpeed(const drapeWorld* world, float dt)
{
	float top = 0.0f;
	for (uint32_t i = 0; i < world->liveColliders.count; ++i)
	{
		const Collider* c = &world->liveColliders.data[i];
		float reach = c->def.radius + c->def.halfHeight + V3Length(c->def.halfExtents);
		for (int axis = 0; axis < 3; ++axis)
		{
			Vec3 point = {axis == 0 ? reach : 0.0f, axis == 1 ? reach : 0.0f, axis == 2 ? reach : 0.0f};
			Vec3 moved = V3Sub(drapeTransform_Point(c->to, point), drapeTransform_Point(c->from, point));
			top = fmaxf(top, V3Length(moved) / dt);
		}
	}
	return top;
}

float Scenery_Depth(const drapeWorld* world, Vec3 point)
{
	float depth = 0.0f;
	for (uint32_t i = 0; i < world->liveColliders.count; ++i)
	{
		const Collider* collider = &world->liveColliders.data[i];
		if (!Colliders_Contain(collider, 1, 0.0f, point))
			continue;
		drapeTransform placement = Collider_At(collider, 0.0f);
		Closest closest = Shape_Closest(&collider->def, drapeTransform_InversePoint(placement, point));
		depth = fmaxf(depth, -placement.scale * closest.distance);
	}
	return depth;
}

bool Scenery_IsInside(const drapeWorld* world, Vec3 point)
{
	return Colliders_Contain(world->liveColliders.data, world->liveColliders.count, 0.0f, point);
}
