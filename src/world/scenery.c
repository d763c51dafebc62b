// SPDX-License-Identifier: MIT
#include "world/world.h"

#include "base/transform.h"
#include "mesh/geometry.h"

#include <string.h>

drapeMotionId drapeCreateMotion(drapeWorldId id, const drapeMotionDef* def)
{
	DRAPE_ASSERT(id.world && def);
	drapeMotionId none = {0};
	if (!id.world || !def || !drapeMotion_IsValid(def, NULL) ||
	    !ArrayReserve(&id.world->motions, id.world->motions.count + 1))
		return none;
	Motion motion;
	if (drapeMotion_Create(&motion, def) != drape_ok)
		return none;
	ArrayPush(&id.world->motions, motion);
	return (drapeMotionId){id.world, id.world->motions.count};
}

drapeTransform drapeMotion_At(drapeMotionId id, double time)
{
	if (!id.world || id.index1 == 0 || id.index1 > id.world->motions.count)
		return drapeIdentityTransform();
	return drapeMotion_Evaluate(&id.world->motions.data[id.index1 - 1], time);
}

// --- colliders ------------------------------------------------------------------------------------------------------

enum
{
	colliderCookie = 0x64636f6c,
};

drapeColliderDef drapeDefaultColliderDef(void)
{
	drapeColliderDef def = {
		.shape = drape_shapeSphere,
		.transform = drapeIdentityTransform(),
		.friction = 1.0f,
		.cookie = colliderCookie,
	};
	const drapeParameter* measure;
	for (uint32_t i = 0; (measure = drapeShape_Measure(i)) != NULL; ++i)
	{
		uint32_t count;
		float* values = drapeShape_MeasureValues(measure, &def, &count);
		for (uint32_t k = 0; k < count; ++k)
			values[k] = (float)measure->initial;
	}
	return def;
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
	return def && def->cookie == colliderCookie && drapeShape_IsValid(def, NULL) && isfinite(def->start) &&
	       isfinite(def->end) && (def->end == 0.0f || def->end > def->start) &&
	       (def->mesh || !drapeShape_Info(def->shape)->isMesh);
}

bool drapeMotion_IsOf(const drapeWorld* world, drapeMotionId motion)
{
	return motion.index1 == 0 || (motion.world == world && motion.index1 <= world->motions.count);
}

static drapeTransform Placement(const drapeWorld* world, uint32_t motion1, drapeTransform own, double time)
{
	return motion1 == 0 ? own
	                    : drapeTransform_Compose(drapeMotion_Evaluate(&world->motions.data[motion1 - 1], time), own);
}

// Lists the colliders that contact sees at this time, in the order of their slots. FreeSlot has reserved memory for
// them. Others may still move.
static void ListLive(drapeWorld* world)
{
	world->liveColliders.count = world->liveMeshes.count = 0;
	for (uint32_t i = 0; i < world->colliderSlots.count; ++i)
	{
		const Collider* collider = &world->colliders.data[i];
		const ColliderMesh* mesh = world->colliderMeshes.data[i];
		ColliderSlot* slot = &world->colliderSlots.data[i];
		bool isLive = (slot->generation & 1) && drapeTime_IsWithin(world->time, collider->def.start, collider->def.end);
		world->sceneryRevision += isLive != (bool)slot->isLive;
		world->meshesRevision += mesh && isLive != (bool)slot->isLive;
		slot->isLive = isLive;
		if (!isLive)
			continue;
		DRAPE_ASSERT(world->liveColliders.count + world->liveMeshes.count < world->colliderSlots.count);
		if (!mesh)
			ArrayPush(&world->liveColliders, *collider);
		else
			ArrayPush(&world->liveMeshes, ((MeshCollider){.shape = &mesh->shape,
			                                              .from = collider->from,
			                                              .to = collider->to,
			                                              .friction = collider->def.friction,
			                                              .maxDisplacement = mesh->maxDisplacement,
			                                              .moves = mesh->shape.moves,
			                                              .deforms = mesh->isChanged,
			                                              .overlaps = mesh->overlaps,
			                                              .owns = mesh->owns,
			                                              .slot = i}));
	}
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
	    !ArrayReserve(&world->liveColliders, count) || !ArrayReserve(&world->colliderMeshes, count) ||
	    !ArrayReserve(&world->liveMeshes, count))
		return DRAPE_NONE;
	ArrayPush(&world->colliderSlots, (ColliderSlot){0});
	ArrayPush(&world->colliderMeshes, NULL);
	world->colliders.count = count;
	return count - 1;
}

drapeColliderId drapeCreateCollider(drapeWorldId id, const drapeColliderDef* def)
{
	bool isValid = id.world && DefIsValid(def) && drapeMotion_IsOf(id.world, def->motion);
	DRAPE_ASSERT(isValid);
	drapeColliderId none = {0};
	if (!isValid)
		return none;
	uint32_t i = FreeSlot(id.world);
	if (i == DRAPE_NONE)
		return none;
	drapeTransform now = Placement(id.world, def->motion.index1, def->transform, id.world->time);
	drapeColliderReport ownReport, *report = def->report ? def->report : &ownReport;
	ColliderMesh* mesh = NULL;
	if (drapeShape_Info(def->shape)->isMesh &&
	    drapeColliderMesh_Create(&mesh, def->mesh, now, id.world->tasks, report) != drape_ok)
		return none;
	ColliderSlot* slot = &id.world->colliderSlots.data[i];
	*slot = (ColliderSlot){.generation = slot->generation + 1,
	                       .motion1 = def->motion.index1,
	                       .own = def->transform,
	                       .ownFrom = def->transform};
	id.world->colliderMeshes.data[i] = mesh;
	id.world->sceneryRevision++;
	id.world->colliders.data[i] = (Collider){.def = *def, .from = now, .to = now};
	// These belong to the caller and are not read again.
	id.world->colliders.data[i].def.mesh = NULL;
	id.world->colliders.data[i].def.report = NULL;
	ListLive(id.world);
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
	if (!Get(id))
		return;
	uint32_t slot = id.index1 - 1;
	drapeConstraints_ForgetCollider(id.world, slot);
	for (uint32_t i = 0; i < id.world->cloths.count; ++i)
	{
		drapePins_ForgetCollider(id.world->cloths.data[i], slot);
		drapePassed_ForgetCollider(&id.world->cloths.data[i]->simulation.passed, slot);
	}
	id.world->colliderSlots.data[slot].generation++;
	id.world->sceneryRevision++;
	id.world->meshesRevision++;
	drapeColliderMesh_Destroy(id.world->colliderMeshes.data[slot]);
	id.world->colliderMeshes.data[slot] = NULL;
	ListLive(id.world);
}

float drapeCollider_Distance(drapeColliderId id, drapeVec3 point)
{
	const Collider* collider = Get(id);
	if (!collider)
		return 0.0f;
	const ColliderMesh* mesh = id.world->colliderMeshes.data[id.index1 - 1];
	MeshPoint nearest;
	if (mesh)
		return drapeMeshShape_Closest(&mesh->shape, point, FLT_MAX, &nearest) ? nearest.distance : INFINITY;
	Vec3 local = drapeTransform_InversePoint(collider->to, point);
	return collider->to.scale * drapeShape_Closest(&collider->def, local).distance;
}

void drapeCollider_SetTransform(drapeColliderId id, drapeTransform transform)
{
	DRAPE_ASSERT(TransformIsValid(&transform));
	if (Get(id) && TransformIsValid(&transform))
		id.world->colliderSlots.data[id.index1 - 1].own = transform;
}

drapeResult drapeCollider_SetPositions(drapeColliderId id, const drapeVec3* positions, uint32_t count)
{
	ColliderMesh* mesh = Get(id) ? id.world->colliderMeshes.data[id.index1 - 1] : NULL;
	if (!mesh || !positions || count != mesh->vertexCount)
		return drape_errorArgument;
	for (uint32_t i = 0; i < count; ++i)
	{
		const Vec3 p = positions[i];
		if (!CoordinateIsUsable(p.x) || !CoordinateIsUsable(p.y) || !CoordinateIsUsable(p.z))
			return drape_errorData;
	}
	memcpy(mesh->own, positions, count * sizeof *positions);
	mesh->isChanged = true;
	return drape_ok;
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

// Space between two parts of a mesh, in thicknesses of cloth. Below two, cloth is pinched (contact/response/pinch.h).
static const float separationGap = 2.2f;

static float FindSeparationGap(const drapeWorld* world)
{
	float most = 0.0f;
	for (uint32_t i = 0; i < world->cloths.count; ++i)
	{
		if (drapeCloth_IsUsed(world->cloths.data[i]))
			most = MaxNumF(most, world->cloths.data[i]->simulation.model.material.thickness);
	}
	return separationGap * most;
}

void drapeScenery_Animate(drapeWorld* world, float dt)
{
	bool hasMoved = world->sceneryMoves;
	float gap = FindSeparationGap(world);
	world->sceneryMoves = false;
	for (uint32_t i = 0; i < world->colliderSlots.count; ++i)
	{
		ColliderSlot* slot = &world->colliderSlots.data[i];
		if (!(slot->generation & 1))
			continue;
		Collider* collider = &world->colliders.data[i];
		collider->from = Placement(world, slot->motion1, slot->ownFrom, world->time);
		collider->to = Placement(world, slot->motion1, slot->own, world->time + (double)dt);
		ColliderMesh* mesh = world->colliderMeshes.data[i];
		world->sceneryMoves |= !drapeTransform_Equal(collider->from, collider->to) || (mesh && mesh->isChanged);
		if (mesh)
			drapeColliderMesh_Move(mesh, collider->to, gap, world->tasks);
		slot->way = mesh ? drapeColliderMesh_MiddleWay(mesh) : V3Sub(collider->to.position, collider->from.position);
	}
	ListLive(world);
	// A collider that has stopped has another trajectory than in the last step.
	if (hasMoved || world->sceneryMoves)
		world->sceneryRevision++;
}

void drapeScenery_Finish(drapeWorld* world, float dt)
{
	for (uint32_t i = 0; i < world->colliderSlots.count; ++i)
	{
		ColliderSlot* slot = &world->colliderSlots.data[i];
		slot->ownFrom = slot->own;
		slot->velocity = V3Scale(1.0f / dt, slot->way);
		if (world->colliderMeshes.data[i])
			world->colliderMeshes.data[i]->isChanged = false;
	}
}

void drapeScenery_Revert(drapeWorld* world)
{
	world->sceneryRevision++;
	for (uint32_t i = 0; i < world->colliderSlots.count; ++i)
	{
		world->colliders.data[i].to = world->colliders.data[i].from;
		if (world->colliderMeshes.data[i])
			drapeColliderMesh_Revert(world->colliderMeshes.data[i], world->colliders.data[i].from, world->tasks);
	}
	ListLive(world);
}

void drapeScenery_Carry(drapeWorld* world, uint32_t slot, const RigidMotion* motion)
{
	Collider* collider = &world->colliders.data[slot];
	DRAPE_ASSERT(world->colliderSlots.data[slot].generation & 1);
	collider->from.position = RigidMotion_Point(motion, collider->from.position);
	collider->from.rotation = drapeQuat_Normalize(Quat_Multiply(motion->rotation, collider->from.rotation));
	if (world->colliderMeshes.data[slot])
		drapeColliderMesh_Carry(world->colliderMeshes.data[slot], motion, world->tasks);
}

void drapeScenery_PutBack(drapeWorld* world, uint32_t slot, drapeTransform from, const Vec3* vertices)
{
	world->colliders.data[slot].from = from;
	if (world->colliderMeshes.data[slot])
		drapeMeshShape_Put(&world->colliderMeshes.data[slot]->shape, vertices, world->tasks);
}

void drapeScenery_Relist(drapeWorld* world)
{
	world->sceneryRevision++;
	ListLive(world);
}

void drapeScenery_Replace(drapeWorld* world)
{
	world->sceneryRevision++;
	world->meshesRevision++;
	for (uint32_t i = 0; i < world->colliderSlots.count; ++i)
	{
		ColliderMesh* mesh = world->colliderMeshes.data[i];
		if (!mesh)
			continue;
		drapeMeshShape_Put(&mesh->shape, mesh->placed, world->tasks);
		mesh->at = world->colliders.data[i].to;
	}
	ListLive(world);
}

void drapeScenery_Destroy(drapeWorld* world)
{
	for (uint32_t i = 0; i < world->colliderMeshes.count; ++i)
		drapeColliderMesh_Destroy(world->colliderMeshes.data[i]);
	ArrayFree(&world->colliderMeshes);
	ArrayFree(&world->colliderSlots);
	ArrayFree(&world->colliders);
	ArrayFree(&world->liveColliders);
	ArrayFree(&world->liveMeshes);
}

bool drapeScenery_IsEmpty(const drapeWorld* world)
{
	return world->liveColliders.count + world->liveMeshes.count == 0;
}

ContactDef drapeScenery_Contact(const drapeWorld* world)
{
	return (ContactDef){
		.colliders = world->liveColliders.data,
		.colliderCount = world->liveColliders.count,
		.meshes = world->liveMeshes.data,
		.meshCount = world->liveMeshes.count,
	};
}

// The highest speed of any surface point of a collider, m/s.
float drapeScenery_TopSpeed(const drapeWorld* world, float dt)
{
	float top = 0.0f;
	for (uint32_t i = 0; i < world->liveColliders.count; ++i)
	{
		const Collider* c = &world->liveColliders.data[i];
		// At least the distance of any surface point from the origin; measures that the shape does not have count, too.
		float bound = drapeShape_BoundingRadius(&c->def);
		float size = c->def.radius + c->def.halfHeight + V3Length(c->def.halfExtents);
		size = MaxNumF(size, bound < INFINITY ? bound : 0.0f);
		for (int axis = 0; axis < 3; ++axis)
		{
			Vec3 point = {axis == 0 ? size : 0.0f, axis == 1 ? size : 0.0f, axis == 2 ? size : 0.0f};
			Vec3 moved = V3Sub(drapeTransform_Point(c->to, point), drapeTransform_Point(c->from, point));
			top = MaxNumF(top, V3Length(moved) / dt);
		}
	}
	for (uint32_t i = 0; i < world->liveMeshes.count; ++i)
		top = MaxNumF(top, world->liveMeshes.data[i].maxDisplacement / dt);
	return top;
}

float drapeScenery_Depth(const drapeWorld* world, Vec3 point)
{
	float depth = 0.0f;
	for (uint32_t i = 0; i < world->liveColliders.count; ++i)
	{
		const Collider* collider = &world->liveColliders.data[i];
		const ContactDef alone = {.colliders = collider, .colliderCount = 1};
		if (!drapeContact_Contains(&alone, point))
			continue;
		drapeTransform placement = drapeCollider_At(collider, 0.0f);
		Closest closest = drapeShape_Closest(&collider->def, drapeTransform_InversePoint(placement, point));
		depth = MaxNumF(depth, -placement.scale * closest.distance);
	}
	for (uint32_t i = 0; i < world->liveMeshes.count; ++i)
		depth = MaxNumF(depth, drapeMeshCollider_Depth(&world->liveMeshes.data[i], 0.0f, point));
	return depth;
}

bool drapeScenery_IsInside(const drapeWorld* world, Vec3 point)
{
	ContactDef contact = drapeScenery_Contact(world);
	return drapeContact_Contains(&contact, point);
}
