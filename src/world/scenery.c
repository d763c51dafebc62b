// SPDX-License-Identifier: MIT
#include "world/world.h"

#include "base/checks/values.h"
#include "base/transform.h"
#include "mesh/check.h"
#include "mesh/geometry.h"

#include <string.h>

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
		.filter = drapeDefaultFilter(),
		.cookie = colliderCookie,
	};
	const drapeParameter* measure;
	for (uint32_t i = 0; (measure = drapeColliderShape_GetMeasure(i)) != NULL; ++i)
	{
		uint32_t count;
		float* values = drapeColliderShape_GetMeasureValues(measure, &def, &count);
		for (uint32_t k = 0; k < count; ++k)
			values[k] = (float)measure->initial;
	}
	return def;
}

static drapeResult CheckFriction(float friction, drapeMessage* message)
{
	if (friction >= 0.0f && friction <= 1e9f)
		return drape_ok;
	return drapeRefuse(message, "friction is %g, expected a number from 0 to 1e9", (double)friction);
}

static drapeResult CheckDef(const drapeColliderDef* def, drapeMessage* message)
{
	if (!def || def->cookie != colliderCookie)
		return drapeRefuse(message,
		                   "the definition of the collider is not initialised, expected drapeDefaultColliderDef");
	drapeResult result = drapePlacement_Check("transform", &def->transform, message);
	if (result == drape_ok)
		result = CheckFriction(def->friction, message);
	if (result == drape_ok)
		result = drapeTimes_Check(def->start, def->end, message);
	if (result == drape_ok)
		result = drapeShape_Check(def, message);
	if (result != drape_ok)
		return result;
	if (!drapeColliderShape_GetInfo(def->shape)->isMesh)
		return drape_ok;
	return def->mesh ? drapeMesh_CheckArrays(def->mesh, message)
	                 : drapeRefuse(message, "mesh is NULL, expected the mesh of the collider");
}

static drapeTransform Placement(const drapeWorld* world, const ColliderSlot* slot, drapeTransform own, double time)
{
	if (slot->motion1 == 0)
		return own;
	return drapeTransform_Compose(drapeMotions_At(world, slot->motion1, slot->hasBase ? &slot->base : NULL, time), own);
}

// --- by cloth -------------------------------------------------------------------------------------------------------

static bool IsUsed(const drapeWorld* world, uint32_t slot)
{
	return world->colliderSlots.data[slot].generation & 1;
}

static bool SeesSlot(const Cloth* cloth, uint32_t slot)
{
	return IsUsed(cloth->world, slot) && Filters_Touch(cloth->filter, cloth->world->colliders.data[slot].def.filter);
}

// Returns whether there are colliders in use that a cloth with this filter does not touch.
static bool IsPart(const drapeWorld* world, drapeFilter filter)
{
	bool isPart = false;
	for (uint32_t i = 0; i < world->colliderSlots.count; ++i)
		isPart |= IsUsed(world, i) && !Filters_Touch(filter, world->colliders.data[i].def.filter);
	return isPart;
}

static bool ReserveLists(Cloth* cloth)
{
	SeenScenery* seen = &cloth->seen;
	uint32_t count = cloth->world->colliderSlots.count;
	return ArrayReserve(&seen->colliders, count) && ArrayReserve(&seen->meshes, count) &&
	       ArrayReserve(&seen->bodies, count);
}

bool drapeScenery_ReserveSeen(Cloth* cloth, drapeFilter filter)
{
	return !IsPart(cloth->world, filter) || ReserveLists(cloth);
}

bool drapeScenery_ReserveAllSeen(drapeWorld* world)
{
	for (uint32_t i = 0; i < world->cloths.count; ++i)
	{
		if (drapeCloth_IsUsed(world->cloths.data[i]) && !ReserveLists(world->cloths.data[i]))
			return false;
	}
	return true;
}

// Reserves the lists of all cloths for a collider with this filter.
static bool ReserveForFilter(drapeWorld* world, drapeFilter filter)
{
	for (uint32_t i = 0; i < world->cloths.count; ++i)
	{
		Cloth* cloth = world->cloths.data[i];
		if (drapeCloth_IsUsed(cloth) && (cloth->seen.isPart || !Filters_Touch(cloth->filter, filter)) &&
		    !ReserveLists(cloth))
			return false;
	}
	return true;
}

void drapeSeenScenery_Free(SeenScenery* seen)
{
	ArrayFree(&seen->colliders);
	ArrayFree(&seen->meshes);
	ArrayFree(&seen->bodies);
}

void drapeScenery_ListSeen(Cloth* cloth)
{
	const drapeWorld* world = cloth->world;
	SeenScenery* seen = &cloth->seen;
	seen->isPart = IsPart(world, cloth->filter);
	seen->moves = false;
	for (uint32_t i = 0; i < world->colliderSlots.count; ++i)
		seen->moves |= SeesSlot(cloth, i) && world->colliderSlots.data[i].moves;
	seen->colliders.count = seen->meshes.count = seen->bodies.count = 0;
	if (!seen->isPart)
		return;
	DRAPE_ASSERT(seen->bodies.capacity >= world->colliderSlots.count);
	ContactFilter filter = ContactFilter_Make(cloth->filter);
	for (uint32_t i = 0; i < world->liveColliders.count; ++i)
	{
		if (!ContactFilters_Touch(filter, ContactFilter_Make(world->liveColliders.data[i].def.filter)))
			continue;
		ArrayPush(&seen->colliders, world->liveColliders.data[i]);
		ArrayPush(&seen->bodies, i);
	}
	for (uint32_t i = 0; i < world->liveMeshes.count; ++i)
	{
		if (!ContactFilters_Touch(filter, world->liveMeshes.data[i].filter))
			continue;
		ArrayPush(&seen->meshes, world->liveMeshes.data[i]);
		ArrayPush(&seen->bodies, world->liveColliders.count + i);
	}
}

// --- lists ----------------------------------------------------------------------------------------------------------

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
		if (isLive != (bool)slot->isLive)
			drapeClothSleep_DisturbCollider(world, i);
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
			                                              .slot = i,
			                                              .filter = ContactFilter_Make(collider->def.filter)}));
	}
	for (uint32_t i = 0; i < world->cloths.count; ++i)
	{
		if (drapeCloth_IsUsed(world->cloths.data[i]))
			drapeScenery_ListSeen(world->cloths.data[i]);
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

// The slot that the collider takes; DRAPE_NONE when out of memory.
static uint32_t AddCollider(drapeWorld* world, const drapeColliderDef* def, uint32_t motion1, ColliderMesh* mesh)
{
	uint32_t i = FreeSlot(world);
	if (i == DRAPE_NONE || !ReserveForFilter(world, def->filter))
		return DRAPE_NONE;
	ColliderSlot* slot = &world->colliderSlots.data[i];
	*slot = (ColliderSlot){
		.generation = slot->generation + 1, .motion1 = motion1, .own = def->transform, .ownFrom = def->transform};
	drapeTransform now = Placement(world, slot, def->transform, world->time);
	world->colliderMeshes.data[i] = mesh;
	world->sceneryRevision++;
	world->colliders.data[i] = (Collider){.def = *def, .from = now, .to = now, .slot = i};
	// These belong to the caller and are not read again.
	world->colliders.data[i].def.mesh = NULL;
	world->colliders.data[i].def.report = NULL;
	ListLive(world);
	return i;
}

drapeResult drapeCreateCollider(drapeWorldId worldId, const drapeColliderDef* def, drapeColliderId* id)
{
	drapeWorld* world = drapeWorlds_Get(worldId);
	if (id)
		*id = (drapeColliderId){0};
	if (!world)
		return drape_errorArgument;
	if (!id)
		return drapeWorld_Refuse(world, "there is nowhere to write the handle of the collider to");
	uint32_t motion1 = 0;
	drapeResult result = CheckDef(def, &world->message);
	if (result == drape_ok && !drapeMotion_Find(world, def->motion, &motion1))
		result = drape_errorArgument;
	if (result != drape_ok)
		return result;
	drapeColliderReport ownReport, *report = def->report ? def->report : &ownReport;
	ColliderMesh* mesh = NULL;
	if (drapeColliderShape_GetInfo(def->shape)->isMesh)
	{
		const ColliderSlot placed = {.motion1 = motion1};
		drapeTransform now = Placement(world, &placed, def->transform, world->time);
		result = drapeColliderMesh_Create(&mesh, def->mesh, now, world->tasks, report);
	}
	if (result != drape_ok)
		return result == drape_errorMemory
		           ? drapeWorld_FailMemory(world)
		           : drapeWorld_Fail(world, result, "mesh: %s",
		                             report->problem ? report->problem : drapeResult_GetText(result));
	uint32_t slot = AddCollider(world, def, motion1, mesh);
	if (slot == DRAPE_NONE)
	{
		drapeColliderMesh_Destroy(mesh);
		return drapeWorld_FailMemory(world);
	}
	*id = drapeCollider_Id(world, slot);
	return drape_ok;
}

// --- handles --------------------------------------------------------------------------------------------------------

static Collider* FindCollider(drapeColliderId id)
{
	drapeWorld* world = drapeWorlds_Find(id.world);
	if (!world || id.index1 == 0 || id.index1 > world->colliderSlots.count)
		return NULL;
	const ColliderSlot* slot = &world->colliderSlots.data[id.index1 - 1];
	bool isValid = (slot->generation & 1) && (uint16_t)slot->generation == id.generation;
	return isValid ? &world->colliders.data[id.index1 - 1] : NULL;
}

bool drapeCollider_IsValid(drapeColliderId id)
{
	return FindCollider(id) != NULL;
}

Collider* drapeCollider_Get(drapeColliderId id)
{
	Collider* collider = FindCollider(id);
	if (!collider)
		drapeHandle_Refuse(id.world, "collider");
	return collider;
}

drapeColliderId drapeCollider_Id(const drapeWorld* world, uint32_t slot)
{
	return (drapeColliderId){slot + 1, world->id.world, (uint16_t)world->colliderSlots.data[slot].generation};
}

bool drapeCollider_IsOf(const drapeWorld* world, drapeColliderId id)
{
	return id.world == world->id.world && FindCollider(id);
}

drapeWorldId drapeCollider_GetWorld(drapeColliderId id)
{
	return drapeCollider_Get(id) ? drapeWorlds_Find(id.world)->id : (drapeWorldId){0};
}

drapeResult drapeDestroyCollider(drapeColliderId id)
{
	if (DRAPE_IS_NULL(id))
		return drape_ok;
	if (!drapeCollider_Get(id))
		return drape_errorArgument;
	drapeWorld* world = drapeWorlds_Find(id.world);
	uint32_t slot = id.index1 - 1;
	drapeConstraints_ForgetCollider(world, slot);
	drapeContactPoints_Forget(&world->contact, (ContactSide){.collider1 = slot + 1});
	for (uint32_t i = 0; i < world->cloths.count; ++i)
	{
		drapePins_ForgetCollider(world->cloths.data[i], slot);
		drapePassed_ForgetCollider(&world->cloths.data[i]->simulation.passed, slot);
	}
	drapeClothSleep_DisturbCollider(world, slot);
	world->colliderSlots.data[slot].isLive = false;
	world->colliderSlots.data[slot].generation++;
	world->sceneryRevision++;
	world->meshesRevision++;
	drapeColliderMesh_Destroy(world->colliderMeshes.data[slot]);
	world->colliderMeshes.data[slot] = NULL;
	ListLive(world);
	return drape_ok;
}

// --- queries and settings -------------------------------------------------------------------------------------------

float drapeCollider_GetDistance(drapeColliderId id, drapeVec3 point)
{
	const Collider* collider = drapeCollider_Get(id);
	if (!collider || drapeVector_Check("point", point, "m", &drapeWorlds_Find(id.world)->message) != drape_ok)
		return 0.0f;
	const ColliderMesh* mesh = drapeWorlds_Find(id.world)->colliderMeshes.data[id.index1 - 1];
	MeshPoint nearest;
	if (mesh)
		return drapeMeshShape_Closest(&mesh->shape, point, FLT_MAX, &nearest) ? nearest.distance : INFINITY;
	Vec3 local = drapeTransform_InversePoint(collider->to, point);
	return collider->to.scale * drapeShape_Closest(&collider->def, local).distance;
}

drapeResult drapeCollider_SetTransform(drapeColliderId id, drapeTransform transform)
{
	Collider* collider = drapeCollider_Get(id);
	if (!collider)
		return drape_errorArgument;
	drapeWorld* world = drapeWorlds_Find(id.world);
	drapeResult result = drapePlacement_Check("transform", &transform, &world->message);
	if (result != drape_ok)
		return result;
	world->colliderSlots.data[id.index1 - 1].own = collider->def.transform = transform;
	return drape_ok;
}

// The collider is now where another motion, or another transform before it, would not have put it: the next step begins
// there and ends where they put it.
static void KeepPlace(drapeWorld* world, uint32_t slot)
{
	ColliderSlot* own = &world->colliderSlots.data[slot];
	drapeTransform motion = drapeMotions_At(world, own->motion1, own->hasBase ? &own->base : NULL, world->time);
	own->ownFrom = drapeTransform_Compose(drapeTransform_Inverse(motion), world->colliders.data[slot].to);
	own->ownFrom.rotation = drapeQuat_Normalize(own->ownFrom.rotation);
}

drapeResult drapeCollider_SetMotion(drapeColliderId id, drapeMotionId motion)
{
	Collider* collider = drapeCollider_Get(id);
	if (!collider)
		return drape_errorArgument;
	drapeWorld* world = drapeWorlds_Find(id.world);
	uint32_t motion1;
	if (!drapeMotion_Find(world, motion, &motion1))
		return drape_errorArgument;
	collider->def.motion = motion;
	world->colliderSlots.data[id.index1 - 1].motion1 = motion1;
	world->colliderSlots.data[id.index1 - 1].hasBase = false;
	KeepPlace(world, id.index1 - 1);
	return drape_ok;
}

drapeMotionId drapeCollider_GetMotion(drapeColliderId id)
{
	const Collider* collider = drapeCollider_Get(id);
	return collider ? collider->def.motion : (drapeMotionId){0};
}

void drapeScenery_KeepPlaces(drapeWorld* world, uint32_t motion1)
{
	for (uint32_t i = 0; i < world->colliderSlots.count; ++i)
	{
		if ((world->colliderSlots.data[i].generation & 1) && world->colliderSlots.data[i].motion1 == motion1)
			KeepPlace(world, i);
	}
}

void drapeScenery_ForgetMotion(drapeWorld* world, uint32_t motion1)
{
	for (uint32_t i = 0; i < world->colliderSlots.count; ++i)
	{
		ColliderSlot* slot = &world->colliderSlots.data[i];
		if (!(slot->generation & 1) || slot->motion1 != motion1)
			continue;
		Collider* collider = &world->colliders.data[i];
		slot->motion1 = slot->hasBase = 0;
		slot->own = slot->ownFrom = collider->def.transform = collider->to;
		collider->def.motion = (drapeMotionId){0};
	}
}

drapeResult drapeCollider_SetFriction(drapeColliderId id, float friction)
{
	Collider* collider = drapeCollider_Get(id);
	if (!collider)
		return drape_errorArgument;
	drapeWorld* world = drapeWorlds_Find(id.world);
	drapeResult result = CheckFriction(friction, &world->message);
	if (result != drape_ok)
		return result;
	collider->def.friction = friction;
	drapeClothSleep_DisturbCollider(world, id.index1 - 1);
	world->sceneryRevision++;
	world->meshesRevision++;
	ListLive(world);
	return drape_ok;
}

float drapeCollider_GetFriction(drapeColliderId id)
{
	const Collider* collider = drapeCollider_Get(id);
	return collider ? collider->def.friction : 0.0f;
}

drapeResult drapeCollider_SetTimes(drapeColliderId id, float start, float end)
{
	Collider* collider = drapeCollider_Get(id);
	if (!collider)
		return drape_errorArgument;
	drapeWorld* world = drapeWorlds_Find(id.world);
	drapeResult result = drapeTimes_Check(start, end, &world->message);
	if (result != drape_ok)
		return result;
	collider->def.start = start;
	collider->def.end = end;
	ListLive(world);
	return drape_ok;
}

// Cloths that begin or cease to touch a collider forget what they know about their colliders.
drapeResult drapeCollider_SetFilter(drapeColliderId id, drapeFilter filter)
{
	Collider* collider = drapeCollider_Get(id);
	if (!collider)
		return drape_errorArgument;
	drapeWorld* world = drapeWorlds_Find(id.world);
	const drapeFilter before = collider->def.filter;
	if (Filters_Equal(filter, before))
		return drape_ok;
	if (!ReserveForFilter(world, filter))
		return drapeWorld_FailMemory(world);
	collider->def.filter = filter;
	drapeClothSleep_DisturbCollider(world, id.index1 - 1);
	world->sceneryRevision++;
	ListLive(world);
	for (uint32_t i = 0; i < world->cloths.count; ++i)
	{
		Cloth* cloth = world->cloths.data[i];
		if (drapeCloth_IsUsed(cloth) && Filters_Touch(cloth->filter, before) != Filters_Touch(cloth->filter, filter))
		{
			drapePassed_ForgetCollider(&cloth->simulation.passed, id.index1 - 1);
			drapeCloth_ForgetColliders(cloth);
		}
	}
	return drape_ok;
}

drapeFilter drapeCollider_GetFilter(drapeColliderId id)
{
	const Collider* collider = drapeCollider_Get(id);
	return collider ? collider->def.filter : (drapeFilter){0};
}

drapeResult drapeCollider_GetTimes(drapeColliderId id, float* start, float* end)
{
	const Collider* collider = drapeCollider_Get(id);
	if (start)
		*start = collider ? collider->def.start : 0.0f;
	if (end)
		*end = collider ? collider->def.end : 0.0f;
	return collider ? drape_ok : drape_errorArgument;
}

drapeResult drapeCollider_SetPositions(drapeColliderId id, const drapeVec3* positions, uint32_t count)
{
	if (!drapeCollider_Get(id))
		return drape_errorArgument;
	drapeWorld* world = drapeWorlds_Find(id.world);
	ColliderMesh* mesh = world->colliderMeshes.data[id.index1 - 1];
	if (!mesh)
		return drapeWorld_Refuse(world, "the collider is no mesh, expected one with vertices");
	if (!positions)
		return drapeWorld_Refuse(world, "positions is NULL");
	if (count != mesh->vertexCount)
		return drapeWorld_Refuse(world, "there are %u positions, expected %u", count, mesh->vertexCount);
	for (uint32_t i = 0; i < count; ++i)
	{
		const Vec3 p = positions[i];
		if (!CoordinateIsUsable(p.x) || !CoordinateIsUsable(p.y) || !CoordinateIsUsable(p.z))
			return drapeWorld_Fail(world, drape_errorData,
			                       "positions[%u] is (%g, %g, %g), expected numbers from -1e9 to 1e9 m", i, (double)p.x,
			                       (double)p.y, (double)p.z);
	}
	memcpy(mesh->own, positions, count * sizeof *positions);
	mesh->isChanged = true;
	return drape_ok;
}

drapeResult drapeCollider_SetUserData(drapeColliderId id, void* userData)
{
	Collider* collider = drapeCollider_Get(id);
	if (!collider)
		return drape_errorArgument;
	collider->def.userData = userData;
	return drape_ok;
}

void* drapeCollider_GetUserData(drapeColliderId id)
{
	const Collider* collider = drapeCollider_Get(id);
	return collider ? collider->def.userData : NULL;
}

drapeTransform drapeCollider_GetTransform(drapeColliderId id)
{
	const Collider* collider = drapeCollider_Get(id);
	return collider ? collider->to : drapeIdentityTransform();
}

drapeColliderDef drapeCollider_GetDef(drapeColliderId id)
{
	const Collider* collider = drapeCollider_Get(id);
	return collider ? collider->def : drapeDefaultColliderDef();
}

// --- in the step ----------------------------------------------------------------------------------------------------

// Space between two parts of a mesh, in thicknesses of cloth. Below two, cloth is pinched (contact/response/pinch.h).
static const float separationGap = 2.2f;

static float FindSeparationGap(const drapeWorld* world, uint32_t slot)
{
	float most = 0.0f;
	for (uint32_t i = 0; i < world->cloths.count; ++i)
	{
		if (drapeCloth_IsUsed(world->cloths.data[i]) && SeesSlot(world->cloths.data[i], slot))
			most = MaxNumF(most, Cloth_MostThickness(world->cloths.data[i]));
	}
	return separationGap * most;
}

void drapeScenery_Animate(drapeWorld* world, float dt)
{
	bool hasMoved = world->sceneryMoves;
	world->sceneryMoves = false;
	for (uint32_t i = 0; i < world->colliderSlots.count; ++i)
	{
		ColliderSlot* slot = &world->colliderSlots.data[i];
		if (!(slot->generation & 1))
			continue;
		Collider* collider = &world->colliders.data[i];
		collider->from = Placement(world, slot, slot->ownFrom, world->time);
		collider->to = Placement(world, slot, slot->own, world->time + (double)dt);
		ColliderMesh* mesh = world->colliderMeshes.data[i];
		slot->moves = !drapeTransform_Equal(collider->from, collider->to) || (mesh && mesh->isChanged);
		world->sceneryMoves |= slot->moves;
		if (mesh)
			drapeColliderMesh_Move(mesh, collider->to, FindSeparationGap(world, i), world->tasks);
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

// The transform that this one becomes when everything makes a motion.
static drapeTransform Moved(drapeTransform t, const RigidMotion* motion)
{
	t.position = RigidMotion_Point(motion, t.position);
	t.rotation = drapeQuat_Normalize(Quat_Multiply(motion->rotation, t.rotation));
	return t;
}

void drapeScenery_Teleport(drapeWorld* world, uint32_t i, const RigidMotion* motion, bool stops)
{
	ColliderSlot* slot = &world->colliderSlots.data[i];
	Collider* collider = &world->colliders.data[i];
	DRAPE_ASSERT(slot->generation & 1);
	if (slot->motion1 > 0)
	{
		slot->base = Moved(slot->hasBase ? slot->base : drapeIdentityTransform(), motion);
		slot->hasBase = true;
	}
	else
	{
		slot->own = collider->def.transform = Moved(slot->own, motion);
		slot->ownFrom = Moved(slot->ownFrom, motion);
	}
	// The same as the next step computes, bit for bit, so that a collider at rest stays so.
	collider->from = collider->to = Placement(world, slot, slot->ownFrom, world->time);
	slot->velocity = stops ? (Vec3){0.0f, 0.0f, 0.0f} : Quat_Rotate(motion->rotation, slot->velocity);
	slot->way = Quat_Rotate(motion->rotation, slot->way);
	if (world->colliderMeshes.data[i])
		drapeColliderMesh_Teleport(world->colliderMeshes.data[i], motion, collider->to, world->tasks);
}

static bool IsNear(Vec3 a, Vec3 b)
{
	const float rounding = 2e-6f;
	return V3Length(V3Sub(a, b)) <= rounding * (1.0f + V3Length(b));
}

// True if a mesh of constant shape ends the step where it begins.
static bool MeshRests(const ColliderMesh* mesh)
{
	bool rests = !mesh->isChanged;
	for (uint32_t i = 0; i < mesh->shape.vertexCount && rests; ++i)
		rests = IsNear(V4Xyz(mesh->shape.from[i]), V4Xyz(mesh->shape.to[i]));
	return rests;
}

void drapeScenery_Settle(drapeWorld* world, uint32_t slot)
{
	const float sameRotation = 1.0f - 1e-6f;
	Collider* collider = &world->colliders.data[slot];
	ColliderMesh* mesh = world->colliderMeshes.data[slot];
	bool rests = IsNear(collider->from.position, collider->to.position) &&
	             fabsf(Quat_Dot(collider->from.rotation, collider->to.rotation)) >= sameRotation &&
	             collider->from.scale == collider->to.scale && (!mesh || MeshRests(mesh));
	if (!rests)
		return;
	collider->from = collider->to;
	if (!mesh)
		return;
	if (mesh->shape.moves)
		drapeMeshShape_Rest(&mesh->shape, world->tasks);
	mesh->maxDisplacement = 0.0f;
}

void drapeScenery_FindMoving(drapeWorld* world)
{
	world->sceneryMoves = false;
	for (uint32_t i = 0; i < world->colliderSlots.count; ++i)
	{
		ColliderSlot* slot = &world->colliderSlots.data[i];
		const Collider* collider = &world->colliders.data[i];
		const ColliderMesh* mesh = world->colliderMeshes.data[i];
		if (!(slot->generation & 1))
			continue;
		slot->moves =
			!drapeTransform_Equal(collider->from, collider->to) || (mesh && (mesh->isChanged || mesh->shape.moves));
		world->sceneryMoves |= slot->moves;
	}
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

bool drapeScenery_IsEmpty(const Cloth* cloth)
{
	const ContactDef seen = drapeScenery_Contact(cloth);
	return seen.colliderCount + seen.meshCount == 0;
}

ContactDef drapeScenery_Contact(const Cloth* cloth)
{
	const drapeWorld* world = cloth->world;
	const SeenScenery* seen = &cloth->seen;
	return (ContactDef){
		.colliders = seen->isPart ? seen->colliders.data : world->liveColliders.data,
		.colliderCount = seen->isPart ? seen->colliders.count : world->liveColliders.count,
		.meshes = seen->isPart ? seen->meshes.data : world->liveMeshes.data,
		.meshCount = seen->isPart ? seen->meshes.count : world->liveMeshes.count,
	};
}

const ContactScenery* drapeScenery_Seen(Cloth* cloth)
{
	SeenScenery* seen = &cloth->seen;
	if (!seen->isPart)
		return NULL;
	seen->contact = (ContactScenery){
		.colliders = seen->colliders.data,
		.colliderCount = seen->colliders.count,
		.meshes = seen->meshes.data,
		.meshCount = seen->meshes.count,
		.bodies = seen->bodies.data,
	};
	return &seen->contact;
}

// The highest speed of any surface point of a collider, m/s.
float drapeScenery_TopSpeed(const Cloth* cloth, float dt)
{
	float top = 0.0f;
	const ContactDef seen = drapeScenery_Contact(cloth);
	for (uint32_t i = 0; i < seen.colliderCount; ++i)
	{
		const Collider* c = &seen.colliders[i];
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
	for (uint32_t i = 0; i < seen.meshCount; ++i)
		top = MaxNumF(top, seen.meshes[i].maxDisplacement / dt);
	return top;
}

float drapeScenery_Depth(const Cloth* cloth, Vec3 point)
{
	float depth = 0.0f;
	const ContactDef seen = drapeScenery_Contact(cloth);
	for (uint32_t i = 0; i < seen.colliderCount; ++i)
	{
		const Collider* collider = &seen.colliders[i];
		const ContactDef alone = {.colliders = collider, .colliderCount = 1};
		if (!drapeContact_Contains(&alone, point))
			continue;
		drapeTransform placement = drapeCollider_At(collider, 0.0f);
		Closest closest = drapeShape_Closest(&collider->def, drapeTransform_InversePoint(placement, point));
		depth = MaxNumF(depth, -placement.scale * closest.distance);
	}
	for (uint32_t i = 0; i < seen.meshCount; ++i)
		depth = MaxNumF(depth, drapeMeshCollider_Depth(&seen.meshes[i], 0.0f, point));
	return depth;
}

bool drapeScenery_IsInside(const Cloth* cloth, Vec3 point)
{
	ContactDef contact = drapeScenery_Contact(cloth);
	return drapeContact_Contains(&contact, point);
}
