// SPDX-License-Identifier: MIT
#include "world/world.h"

#include "base/hash.h"
#include "model/wind.h"

#include <stdio.h>

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

static bool ProcessorIsSupported(void)
{
#if defined(__AVX2__) && defined(__GNUC__)
	return __builtin_cpu_supports("avx2");
#else
	return true;
#endif
}

static bool DefIsValid(const drapeWorldDef* def)
{
	return def && def->cookie == worldCookie && def->workerCount >= 1 && def->workerCount <= DRAPE_MAX_WORKERS &&
	       (def->enqueueTask == NULL) == (def->finishTask == NULL) && V3IsFinite(def->gravity) &&
	       drapeWind_IsValid(&def->wind, NULL) && def->adaptRate > 0.0f && isfinite(def->adaptRate);
}

drapeWorldId drapeCreateWorld(const drapeWorldDef* def)
{
	DRAPE_ASSERT(DefIsValid(def));
	if (!DefIsValid(def) || !ProcessorIsSupported())
		return (drapeWorldId){NULL};
	drapeWorld* world = drapeMemAllocZero(sizeof *world);
	if (!world)
		return (drapeWorldId){NULL};
	if (!drapeEdgePools_Create(&world->edgePools))
	{
		drapeMemFree(world, sizeof *world);
		return (drapeWorldId){NULL};
	}
	world->tasks = drapeTaskPool_Create(def->workerCount, def->enqueueTask, def->finishTask, def->taskContext);
	if (!world->tasks)
	{
		drapeEdgePools_Destroy(&world->edgePools);
		drapeMemFree(world, sizeof *world);
		return (drapeWorldId){NULL};
	}
	world->gravity = def->gravity;
	world->wind = def->wind;
	world->adaptPeriod = 1.0 / (double)def->adaptRate;
	return (drapeWorldId){world};
}

void drapeDestroyWorld(drapeWorldId id)
{
	drapeWorld* world = id.world;
	if (!world)
		return;
	for (uint32_t i = 0; i < world->cloths.count; ++i)
	{
		if (drapeCloth_IsUsed(world->cloths.data[i]))
			drapeCloth_Destroy(world->cloths.data[i]);
		drapeMemFree(world->cloths.data[i], sizeof(Cloth));
	}
	ArrayFree(&world->cloths);
	for (uint32_t i = 0; i < world->motions.count; ++i)
		drapeMotion_Destroy(&world->motions.data[i]);
	ArrayFree(&world->motions);
	drapeScenery_Destroy(world);
	drapeContactStage_Destroy(&world->contact);
	drapePairForces_Destroy(&world->pairForces);
	drapeConstraints_Destroy(&world->constraints);
	drapeJumps_Destroy(&world->jumps);
	ArrayFree(&world->together);
	ArrayFree(&world->substeps);
	ArrayFree(&world->jobs);
	drapeTaskPool_Destroy(world->tasks);
	drapeEdgePools_Destroy(&world->edgePools);
	drapeMemFree(world, sizeof *world);
}

bool drapeWorld_Validate(drapeWorldId id, char* text, size_t capacity)
{
	DRAPE_ASSERT(id.world);
	if (text && capacity > 0)
		snprintf(text, capacity, "%s", id.world ? "" : "there is no such world");
	if (!id.world)
		return false;
	for (uint32_t i = 0; i < id.world->cloths.count; ++i)
	{
		const Cloth* cloth = id.world->cloths.data[i];
		const char* wrong = drapeCloth_IsUsed(cloth) ? drapeCloth_Validate(cloth) : NULL;
		if (!wrong)
			continue;
		if (text)
			snprintf(text, capacity, "cloth %u: %s", i, wrong);
		return false;
	}
	return true;
}

drapeWorldMemory drapeWorld_GetMemory(drapeWorldId id)
{
	drapeWorldMemory memory = {0};
	DRAPE_ASSERT(id.world);
	if (!id.world)
		return memory;
	memory.hierarchyBytes = drapeEdgePools_BytesUsed(&id.world->edgePools);
	for (uint32_t i = 0; i < id.world->cloths.count; ++i)
	{
		const Cloth* cloth = id.world->cloths.data[i];
		if (!drapeCloth_IsUsed(cloth))
			continue;
		memory.activeBytes += drapeActiveMesh_Bytes(&cloth->active);
		if (cloth->adapt.scheme == drape_schemeSqrt3)
			memory.hierarchyBytes += cloth->scheme->type->bytes(cloth->scheme);
	}
	return memory;
}

uint64_t drapeWorld_Hash(drapeWorldId id)
{
	DRAPE_ASSERT(id.world);
	uint64_t hash = 0;
	if (!id.world)
		return hash;
	for (uint32_t i = 0; i < id.world->cloths.count; ++i)
	{
		if (drapeCloth_IsUsed(id.world->cloths.data[i]))
			hash = Hash_U64(hash ^ drapeActiveMesh_Hash(&id.world->cloths.data[i]->active));
	}
	return hash;
}

void drapeWorld_SetGravity(drapeWorldId id, drapeVec3 gravity)
{
	DRAPE_ASSERT(id.world && V3IsFinite(gravity));
	if (id.world && V3IsFinite(gravity))
		id.world->gravity = gravity;
}

void drapeWorld_SetWind(drapeWorldId id, const drapeWindDef* wind)
{
	bool isValid = id.world && wind && drapeWind_IsValid(wind, NULL);
	DRAPE_ASSERT(isValid);
	if (isValid)
		id.world->wind = *wind;
}

drapeVec3 drapeWorld_WindAt(drapeWorldId id, drapeVec3 point, double time)
{
	DRAPE_ASSERT(id.world);
	return id.world ? drapeWind_At(&id.world->wind, point, time) : (drapeVec3){0};
}

void drapeWorld_SetCamera(drapeWorldId id, drapeVec3 position)
{
	DRAPE_ASSERT(id.world && V3IsFinite(position));
	if (id.world && V3IsFinite(position))
		id.world->camera = position;
}
