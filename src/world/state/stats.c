// SPDX-License-Identifier: MIT
#include "world/world.h"

#include <stdlib.h>

static double KineticEnergy(const ActiveMesh* mesh)
{
	double energy = 0.0;
	for (uint32_t i = 0; i < mesh->particleCount; ++i)
	{
		Vec4 v = mesh->velocity[i];
		energy += mesh->position[i].w > 0.0f ? 0.5 * (double)v.w * (double)(v.x * v.x + v.y * v.y + v.z * v.z) : 0.0;
	}
	return energy;
}

static double GravityEnergy(const ActiveMesh* mesh, Vec3 gravity)
{
	double energy = 0.0;
	for (uint32_t i = 0; i < mesh->particleCount; ++i)
		energy -= (double)mesh->velocity[i].w * (double)V3Dot(gravity, V4Xyz(mesh->position[i]));
	return energy;
}

// A histogram of stretch in thousandths, up to three times the rest length, gives percentiles without sorting.
enum
{
	stretchBins = 3000
};

typedef struct StretchCount
{
	uint32_t bins[stretchBins];
	uint32_t total;
	float largest;
} StretchCount;

static void CountStretch(const ActiveMesh* mesh, StretchCount* count)
{
	for (uint32_t i = 0; i < mesh->edgeCount; ++i)
	{
		Vec3 d = V3Sub(V4Xyz(mesh->position[mesh->edgeTo[i]]), V4Xyz(mesh->position[mesh->edgeFrom[i]]));
		float ratio = V3Length(d) / mesh->restLength[i];
		uint32_t bin = ratio < 3.0f ? (uint32_t)(1000.0f * ratio) : stretchBins - 1;
		count->bins[MinU32(bin, stretchBins - 1)]++;
		count->largest = MaxNumF(count->largest, ratio);
	}
	count->total += mesh->edgeCount;
}

static float Percentile(const StretchCount* count, double share)
{
	DRAPE_ASSERT(share >= 0.0 && share <= 1.0);
	uint32_t wanted = (uint32_t)(share * (double)count->total), seen = 0;
	for (uint32_t i = 0; i < stretchBins; ++i)
	{
		seen += count->bins[i];
		if (seen > wanted)
			return MinNumF(((float)i + 0.5f) * 1e-3f, count->largest);
	}
	return count->largest;
}

static void AddCounters(const drapeWorld* world, const Cloth* cloth, drapeCounters* counters)
{
	const ClothCosts* costs = &cloth->costs;
	const ActiveMesh* active = &cloth->active;
	counters->particles += active->particleCount;
	counters->triangles += active->triangleCount;
	counters->edges += active->edgeCount;
	counters->substeps = MaxU32(counters->substeps, costs->substeps);
	counters->retries = MaxU32(counters->retries, costs->retries);
	counters->contacts += costs->contacts;
	if (!cloth->sleep.isAsleep)
		counters->contactPoints += drapeCloth_CollectContactPoints(world, cloth, NULL, 0);
	counters->pinched += costs->pinched;
	counters->damped += costs->isDamped;
	counters->held += costs->isHeld;
	counters->carried += costs->isCarried;
	counters->asleep += cloth->sleep.isAsleep;
	counters->limitedEdges += costs->limitedEdges;
	counters->splits += costs->splits;
	counters->joins += costs->joins;
	counters->solves += costs->solves;
	counters->iterations += costs->iterations;
}

static const float secondsPerMs = 1e-3f;

static void AddProfile(const Cloth* cloth, drapeProfile* profile)
{
	const ClothCosts* costs = &cloth->costs;
	profile->adapt += secondsPerMs * (float)costs->adaptMs;
	profile->follow += secondsPerMs * (float)costs->followMs;
	profile->simulate += secondsPerMs * (float)costs->simulateMs;
	profile->collide += secondsPerMs * (float)costs->collideMs;
	profile->surface += secondsPerMs * (float)costs->surfaceMs;
}

// --- depth ---

// Depth of a point inside a collider, m; 0 outside.
static float DepthIn(const drapeWorld* world, uint32_t slot, Vec3 point)
{
	// Particles that touch are at most this deep, m.
	const float searchRadius = 0.1f;
	const ColliderMesh* mesh = world->colliderMeshes.data[slot];
	const Collider* collider = &world->colliders.data[slot];
	MeshPoint closest;
	if (mesh)
		return drapeMeshShape_Closest(&mesh->shape, point, searchRadius, &closest) ? MaxNumF(-closest.distance, 0.0f)
		                                                                           : 0.0f;
	Vec3 local = drapeTransform_InversePoint(collider->to, point);
	return MaxNumF(-drapeShape_Closest(&collider->def, local).distance * collider->to.scale, 0.0f);
}

static float Deepest(const drapeWorld* world, const Cloth* cloth)
{
	const BitSet* contacts = &cloth->simulation.contacts;
	uint32_t count = MinU32(cloth->active.particleCount, contacts->capacity);
	float deepest = 0.0f;
	for (uint32_t i = 0; i < count; ++i)
	{
		if (!BitSet_Get(contacts, i))
			continue;
		for (uint32_t k = 0; k < world->colliderSlots.count; ++k)
			if (world->colliderSlots.data[k].generation & 1)
				deepest = MaxNumF(deepest, DepthIn(world, k, V4Xyz(cloth->active.position[i])));
	}
	return deepest;
}

static void AddMeasures(const drapeWorld* world, const Cloth* cloth, drapeMeasures* measures, StretchCount* stretch)
{
	const ActiveMesh* active = &cloth->active;
	measures->kineticEnergy += (float)KineticEnergy(active);
	measures->gravityEnergy += (float)GravityEnergy(active, Cloth_Gravity(cloth, world));
	if (cloth->simulation.model.revision == active->revision)
	{
		measures->stretchEnergy += (float)drapeModel_StretchEnergy(&cloth->simulation.model, active->position);
		measures->bendEnergy += (float)drapeModel_BendEnergy(&cloth->simulation.model, active->position);
	}
	CountStretch(active, stretch);
	measures->deepest = MaxNumF(measures->deepest, Deepest(world, cloth));
}

static void Finish(drapeMeasures* measures, const StretchCount* stretch)
{
	measures->stretchMedian = Percentile(stretch, 0.5);
	measures->stretch99 = Percentile(stretch, 0.99);
	measures->stretchMax = stretch->largest;
}

drapeCounters drapeWorld_GetCounters(drapeWorldId id)
{
	drapeCounters counters = {0};
	const drapeWorld* world = drapeWorlds_Get(id);
	if (!world)
		return counters;
	counters.impacts = world->contact.impactResult.impacts;
	counters.frozenVertices = world->contact.impactResult.frozen;
	counters.unresolved = world->contact.impactResult.unresolved;
	counters.crossings = world->contact.crossings;
	counters.work = 1e-6f * (float)world->deadline.operations;
	counters.overrun = world->use.overrun;
	counters.cuts = world->deadline.cuts;
	for (uint32_t i = 0; i < world->cloths.count; ++i)
	{
		if (drapeCloth_IsUsed(world->cloths.data[i]))
			AddCounters(world, world->cloths.data[i], &counters);
	}
	return counters;
}

drapeCounters drapeCloth_GetCounters(drapeClothId id)
{
	drapeCounters counters = {0};
	const Cloth* cloth = drapeCloth_Get(id);
	if (cloth)
		AddCounters(cloth->world, cloth, &counters);
	return counters;
}

drapeProfile drapeWorld_GetProfile(drapeWorldId id)
{
	drapeProfile profile = {0};
	const drapeWorld* world = drapeWorlds_Get(id);
	if (!world)
		return profile;
	profile.animate = secondsPerMs * (float)world->animateMs;
	profile.contact = secondsPerMs * (float)world->contactMs;
	profile.publish = secondsPerMs * (float)world->publishMs;
	for (uint32_t i = 0; i < world->cloths.count; ++i)
	{
		if (drapeCloth_IsUsed(world->cloths.data[i]))
			AddProfile(world->cloths.data[i], &profile);
	}
	return profile;
}

drapeProfile drapeCloth_GetProfile(drapeClothId id)
{
	drapeProfile profile = {0};
	const Cloth* cloth = drapeCloth_Get(id);
	if (cloth)
		AddProfile(cloth, &profile);
	return profile;
}

drapeMeasures drapeWorld_GetMeasures(drapeWorldId id)
{
	drapeMeasures measures = {0};
	const drapeWorld* world = drapeWorlds_Get(id);
	if (!world)
		return measures;
	StretchCount stretch = {0};
	for (uint32_t i = 0; i < world->cloths.count; ++i)
	{
		if (drapeCloth_IsUsed(world->cloths.data[i]))
			AddMeasures(world, world->cloths.data[i], &measures, &stretch);
	}
	Finish(&measures, &stretch);
	return measures;
}

drapeMeasures drapeCloth_GetMeasures(drapeClothId id)
{
	drapeMeasures measures = {0};
	const Cloth* cloth = drapeCloth_Get(id);
	if (!cloth)
		return measures;
	StretchCount stretch = {0};
	AddMeasures(cloth->world, cloth, &measures, &stretch);
	Finish(&measures, &stretch);
	return measures;
}
