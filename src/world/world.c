// SPDX-License-Identifier: MIT
#include "world/world.h"

#include "base/checks/values.h"
#include "base/hash.h"
#include "model/wind.h"

#include <math.h>

#include <string.h>

enum
{
	worldCookie = 0x64776f72,
};

drapeWorldDef drapeDefaultWorldDef(void)
{
	return (drapeWorldDef){
		.workerCount = 1,
		.gravity = {0.0f, -9.81f, 0.0f},
		.wind = drapeDefaultWindDef(),
		.adaptRate = 30.0f,
		.cookie = worldCookie,
	};
}

// --- creation -------------------------------------------------------------------------------------------------------

static drapeResult CheckAdaptRate(float adaptRate, drapeMessage* message)
{
	if (adaptRate > 0.0f && isfinite(adaptRate))
		return drape_ok;
	return drapeRefuse(message, "adaptRate is %g, expected a number above 0 Hz", (double)adaptRate);
}

static drapeResult CheckDef(const drapeWorldDef* def, drapeMessage* message)
{
	if (!def || def->cookie != worldCookie)
		return drapeRefuse(message, "the definition of the world is not initialised, expected drapeDefaultWorldDef");
	if (def->workerCount < 1 || def->workerCount > DRAPE_MAX_WORKERS)
		return drapeRefuse(message, "workerCount is %u, expected 1 to %d", def->workerCount, DRAPE_MAX_WORKERS);
	if ((def->enqueueTask == NULL) != (def->finishTask == NULL))
		return drapeRefuse(message, "%s is NULL, expected both or none of enqueueTask and finishTask",
		                   def->enqueueTask ? "finishTask" : "enqueueTask");
	drapeResult result = drapeVector_Check("gravity", def->gravity, "m/s^2", message);
	if (result == drape_ok)
		result = CheckAdaptRate(def->adaptRate, message);
	return result == drape_ok ? drapeWind_Check(&def->wind, "wind.", message) : result;
}

static drapeResult Create(drapeWorld* world, const drapeWorldDef* def, drapeMessage* message)
{
	if (!drapeEdgePools_Create(&world->edgePools))
		return drapeFail_Memory(message);
	world->tasks = drapeTaskPool_Create(def->workerCount, def->enqueueTask, def->finishTask, def->taskContext);
	bool isAdded = world->tasks && drapeWorlds_Add(world, &world->id);
	if (isAdded)
		return drape_ok;
	drapeResult result = world->tasks ? drapeFail(message, drape_errorLimit,
	                                              "there are %d worlds already, expected fewer", DRAPE_MAX_WORLDS)
	                                  : drapeFail_Memory(message);
	drapeTaskPool_Destroy(world->tasks);
	drapeEdgePools_Destroy(&world->edgePools);
	return result;
}

drapeResult drapeCreateWorld(const drapeWorldDef* def, drapeWorldId* id, drapeMessage* message)
{
	if (!id)
		return drapeRefuse(message, "there is nowhere to write the handle of the world to");
	*id = (drapeWorldId){0};
	drapeResult result = CheckDef(def, message);
	if (result != drape_ok)
		return result;
	drapeWorld* world = drapeMemAllocZero(sizeof *world);
	if (!world)
		return drapeFail_Memory(message);
	world->gravity = def->gravity;
	world->wind = def->wind;
	world->adaptPeriod = 1.0 / (double)def->adaptRate;
	world->adaptRate = def->adaptRate;
	world->userData = def->userData;
	result = Create(world, def, message);
	if (result == drape_ok)
		*id = world->id;
	else
		drapeMemFree(world, sizeof *world);
	return result;
}

drapeResult drapeDestroyWorld(drapeWorldId id)
{
	if (DRAPE_IS_NULL(id))
		return drape_ok;
	drapeWorld* world = drapeWorlds_Get(id);
	if (!world)
		return drape_errorArgument;
	drapeWorlds_Remove(id);
	for (uint32_t i = 0; i < world->cloths.count; ++i)
	{
		if (drapeCloth_IsUsed(world->cloths.data[i]))
			drapeCloth_Destroy(world->cloths.data[i]);
		drapeMemFree(world->cloths.data[i], sizeof(Cloth));
	}
	ArrayFree(&world->cloths);
	drapeHandles_Destroy(&world->pins);
	drapeHandles_Destroy(&world->columns);
	drapeMotions_Destroy(world);
	drapeScenery_Destroy(world);
	drapeContactStage_Destroy(&world->contact);
	drapePairForces_Destroy(&world->pairForces);
	drapeConstraints_Destroy(&world->constraints);
	drapeJumps_Destroy(&world->jumps);
	drapeTouches_Destroy(&world->touches);
	ArrayFree(&world->together);
	ArrayFree(&world->substeps);
	ArrayFree(&world->jobs);
	drapeTaskPool_Destroy(world->tasks);
	drapeEdgePools_Destroy(&world->edgePools);
	drapeMemFree(world, sizeof *world);
	return drape_ok;
}

// --- sentences ------------------------------------------------------------------------------------------------------

drapeResult drapeWorld_Fail(drapeWorld* world, drapeResult result, const char* format, ...)
{
	va_list arguments;
	va_start(arguments, format);
	drapeFailV(&world->message, result, format, arguments);
	va_end(arguments);
	return result;
}

drapeResult drapeWorld_Refuse(drapeWorld* world, const char* format, ...)
{
	va_list arguments;
	va_start(arguments, format);
	drapeFailV(&world->message, drape_errorArgument, format, arguments);
	va_end(arguments);
	drapeRefuse_Assert(world->message.text);
	return drape_errorArgument;
}

drapeResult drapeWorld_FailMemory(drapeWorld* world)
{
	return drapeFail_Memory(&world->message);
}

drapeResult drapeHandle_Refuse(uint16_t worldKey, const char* kind)
{
	drapeWorld* world = drapeWorlds_Find(worldKey);
	return drapeRefuse(world ? &world->message : NULL, "the %s does not exist: it was destroyed, or its handle is null",
	                   kind);
}

const char* drapeWorld_GetMessage(drapeWorldId id)
{
	const drapeWorld* world = drapeWorlds_Get(id);
	return world ? world->message.text : "the world does not exist: it was destroyed, or its handle is null";
}

// --- queries and settings -------------------------------------------------------------------------------------------

bool drapeWorld_IsValid(drapeWorldId id)
{
	return drapeWorlds_FindId(id) != NULL;
}

drapeResult drapeWorld_SetUserData(drapeWorldId id, void* userData)
{
	drapeWorld* world = drapeWorlds_Get(id);
	if (!world)
		return drape_errorArgument;
	world->userData = userData;
	return drape_ok;
}

void* drapeWorld_GetUserData(drapeWorldId id)
{
	const drapeWorld* world = drapeWorlds_Get(id);
	return world ? world->userData : NULL;
}

drapeResult drapeWorld_Validate(drapeWorldId id)
{
	drapeWorld* world = drapeWorlds_Get(id);
	if (!world)
		return drape_errorArgument;
	for (uint32_t i = 0; i < world->cloths.count; ++i)
	{
		const Cloth* cloth = world->cloths.data[i];
		const char* wrong = drapeCloth_IsUsed(cloth) ? drapeCloth_Validate(cloth) : NULL;
		if (wrong)
			return drapeWorld_Fail(world, drape_errorData, "cloth %u: %s", i, wrong);
	}
	return drape_ok;
}

drapeWorldMemory drapeWorld_GetMemory(drapeWorldId id)
{
	drapeWorldMemory memory = {0};
	const drapeWorld* world = drapeWorlds_Get(id);
	if (!world)
		return memory;
	memory.hierarchyBytes = drapeEdgePools_BytesUsed(&world->edgePools);
	for (uint32_t i = 0; i < world->cloths.count; ++i)
	{
		const Cloth* cloth = world->cloths.data[i];
		if (!drapeCloth_IsUsed(cloth))
			continue;
		memory.activeBytes += drapeActiveMesh_Bytes(&cloth->active);
		if (cloth->adapt.scheme == drape_schemeSqrt3)
			memory.hierarchyBytes += cloth->scheme->type->bytes(cloth->scheme);
	}
	return memory;
}

uint64_t drapeWorld_GetHash(drapeWorldId id)
{
	const drapeWorld* world = drapeWorlds_Get(id);
	uint64_t hash = 0;
	for (uint32_t i = 0; world && i < world->cloths.count; ++i)
	{
		if (drapeCloth_IsUsed(world->cloths.data[i]))
			hash = Hash_U64(hash ^ drapeActiveMesh_Hash(&world->cloths.data[i]->active) ^
			                drapePainted_Hash(world->cloths.data[i])) +
			       world->cloths.data[i]->sleep.isAsleep;
	}
	return hash;
}

drapeResult drapeWorld_SetGravity(drapeWorldId id, drapeVec3 gravity)
{
	drapeWorld* world = drapeWorlds_Get(id);
	if (!world)
		return drape_errorArgument;
	drapeResult result = drapeVector_Check("gravity", gravity, "m/s^2", &world->message);
	if (result != drape_ok || memcmp(&world->gravity, &gravity, sizeof gravity) == 0)
		return result;
	world->gravity = gravity;
	drapeClothSleep_WakeAll(world);
	return drape_ok;
}

drapeVec3 drapeWorld_GetGravity(drapeWorldId id)
{
	const drapeWorld* world = drapeWorlds_Get(id);
	return world ? world->gravity : (drapeVec3){0};
}

drapeResult drapeWorld_SetWind(drapeWorldId id, const drapeWindDef* wind)
{
	drapeWorld* world = drapeWorlds_Get(id);
	if (!world)
		return drape_errorArgument;
	if (!wind)
		return drapeWorld_Refuse(world, "wind is NULL");
	drapeResult result = drapeWind_Check(wind, "", &world->message);
	if (result != drape_ok || memcmp(&world->wind, wind, sizeof *wind) == 0)
		return result;
	world->wind = *wind;
	drapeClothSleep_WakeAll(world);
	return drape_ok;
}

drapeWindDef drapeWorld_GetWind(drapeWorldId id)
{
	const drapeWorld* world = drapeWorlds_Get(id);
	return world ? world->wind : (drapeWindDef){0};
}

drapeVec3 drapeWorld_GetWindVelocity(drapeWorldId id, drapeVec3 point, double time)
{
	drapeWorld* world = drapeWorlds_Get(id);
	if (!world || drapeVector_Check("point", point, "m", &world->message) != drape_ok ||
	    drapeNumber_Check("time", time, "s", &world->message) != drape_ok)
		return (drapeVec3){0};
	return drapeWind_At(&world->wind, point, time);
}

drapeResult drapeWorld_SetCamera(drapeWorldId id, drapeVec3 position)
{
	drapeWorld* world = drapeWorlds_Get(id);
	if (!world)
		return drape_errorArgument;
	drapeResult result = drapeVector_Check("position", position, "m", &world->message);
	if (result == drape_ok)
		world->camera = position;
	return result;
}

drapeVec3 drapeWorld_GetCamera(drapeWorldId id)
{
	const drapeWorld* world = drapeWorlds_Get(id);
	return world ? world->camera : (drapeVec3){0};
}

drapeResult drapeWorld_SetAdaptRate(drapeWorldId id, float adaptRate)
{
	drapeWorld* world = drapeWorlds_Get(id);
	if (!world)
		return drape_errorArgument;
	drapeResult result = CheckAdaptRate(adaptRate, &world->message);
	if (result != drape_ok)
		return result;
	world->adaptRate = adaptRate;
	world->adaptPeriod = 1.0 / (double)adaptRate;
	return drape_ok;
}

float drapeWorld_GetAdaptRate(drapeWorldId id)
{
	const drapeWorld* world = drapeWorlds_Get(id);
	return world ? world->adaptRate : 0.0f;
}

// --- enumeration ----------------------------------------------------------------------------------------------------

// The world whose objects are listed; NULL, with a sentence, if there is no array for them.
static const drapeWorld* GetForList(drapeWorldId id, const char* name, const void* array, uint32_t capacity)
{
	drapeWorld* world = drapeWorlds_Get(id);
	return world && drapeArray_Check(name, array, capacity, &world->message) == drape_ok ? world : NULL;
}

uint32_t drapeWorld_GetCloths(drapeWorldId id, drapeClothId* cloths, uint32_t capacity)
{
	const drapeWorld* world = GetForList(id, "cloths", cloths, capacity);
	uint32_t count = 0;
	for (uint32_t i = 0; world && i < world->cloths.count; ++i)
	{
		if (drapeCloth_IsUsed(world->cloths.data[i]) && count++ < capacity)
			cloths[count - 1] = drapeCloth_Id(world, i);
	}
	return count;
}

uint32_t drapeWorld_GetColliders(drapeWorldId id, drapeColliderId* colliders, uint32_t capacity)
{
	const drapeWorld* world = GetForList(id, "colliders", colliders, capacity);
	uint32_t count = 0;
	for (uint32_t i = 0; world && i < world->colliderSlots.count; ++i)
	{
		if ((world->colliderSlots.data[i].generation & 1) && count++ < capacity)
			colliders[count - 1] = drapeCollider_Id(world, i);
	}
	return count;
}

uint32_t drapeWorld_GetMotions(drapeWorldId id, drapeMotionId* motions, uint32_t capacity)
{
	const drapeWorld* world = GetForList(id, "motions", motions, capacity);
	uint32_t count = 0;
	for (uint32_t i = 0; world && i < world->motions.count; ++i)
	{
		if ((world->motions.data[i].generation & 1) && count++ < capacity)
			motions[count - 1] = drapeMotion_Id(world, i + 1);
	}
	return count;
}

uint32_t drapeWorld_GetConstraints(drapeWorldId id, drapeConstraintId* constraints, uint32_t capacity)
{
	const drapeWorld* world = GetForList(id, "constraints", constraints, capacity);
	uint32_t count = 0;
	for (uint32_t i = 0; world && i < world->constraints.list.count; ++i)
	{
		if ((world->constraints.list.data[i].generation & 1) && count++ < capacity)
			constraints[count - 1] = drapeConstraint_Id(world, i);
	}
	return count;
}
