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

static void AddCosts(const drapeWorld* world, const Cloth* cloth, drapeStats* stats)
{
	const ClothCosts* costs = &cloth->costs;
	const ActiveMesh* active = &cloth->active;
	stats->particles += active->particleCount;
	stats->triangles += active->triangleCount;
	stats->edges += active->edgeCount;
	stats->substeps = MaxU32(stats->substeps, costs->substeps);
	stats->retries = MaxU32(stats->retries, costs->retries);
	stats->contacts += costs->contacts;
	stats->contactPoints += drapeCloth_CollectContactPoints(world, cloth, NULL, 0);
	stats->pinched += costs->pinched;
	stats->damped += costs->isDamped;
	stats->held += costs->isHeld;
	stats->carried += costs->isCarried;
	stats->limitedEdges += costs->limitedEdges;
	stats->splits += costs->splits;
	stats->joins += costs->joins;
	stats->solves += costs->solves;
	stats->iterations += costs->iterations;
	stats->adaptMs += (float)costs->adaptMs;
	stats->followMs += (float)costs->followMs;
	stats->simulateMs += (float)costs->simulateMs;
	stats->collideMs += (float)costs->collideMs;
	stats->surfaceMs += (float)costs->surfaceMs;
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

static void AddState(const drapeWorld* world, const Cloth* cloth, drapeStats* stats, StretchCount* stretch)
{
	const ActiveMesh* active = &cloth->active;
	stats->kineticEnergy += (float)KineticEnergy(active);
	stats->gravityEnergy += (float)GravityEnergy(active, world->gravity);
	if (cloth->simulation.model.revision == active->revision)
	{
		stats->stretchEnergy += (float)drapeModel_StretchEnergy(&cloth->simulation.model, active->position);
		stats->bendEnergy += (float)drapeModel_BendEnergy(&cloth->simulation.model, active->position);
	}
	CountStretch(active, stretch);
	stats->deepest = MaxNumF(stats->deepest, Deepest(world, cloth));
}

static void Finish(drapeStats* stats, const StretchCount* stretch)
{
	stats->stretchMedian = Percentile(stretch, 0.5);
	stats->stretch99 = Percentile(stretch, 0.99);
	stats->stretchMax = stretch->largest;
}

drapeStats drapeWorld_GetCosts(drapeWorldId id)
{
	drapeStats stats = {0};
	DRAPE_ASSERT(id.world);
	if (!id.world)
		return stats;
	stats.animateMs = (float)id.world->animateMs;
	stats.contactMs = (float)id.world->contactMs;
	stats.publishMs = (float)id.world->publishMs;
	stats.impacts = id.world->contact.impactResult.impacts;
	stats.frozenVertices = id.world->contact.impactResult.frozen;
	stats.unresolved = id.world->contact.impactResult.unresolved;
	stats.crossings = id.world->contact.crossings;
	stats.work = 1e-6f * (float)id.world->deadline.operations;
	stats.overrun = id.world->use.overrun;
	stats.cuts = id.world->deadline.cuts;
	for (uint32_t i = 0; i < id.world->cloths.count; ++i)
	{
		if (drapeCloth_IsUsed(id.world->cloths.data[i]))
			AddCosts(id.world, id.world->cloths.data[i], &stats);
	}
	return stats;
}

drapeStats drapeWorld_GetStats(drapeWorldId id)
{
	drapeStats stats = drapeWorld_GetCosts(id);
	StretchCount stretch = {0};
	for (uint32_t i = 0; id.world && i < id.world->cloths.count; ++i)
	{
		if (drapeCloth_IsUsed(id.world->cloths.data[i]))
			AddState(id.world, id.world->cloths.data[i], &stats, &stretch);
	}
	Finish(&stats, &stretch);
	return stats;
}

drapeStats drapeCloth_GetStats(drapeClothId id)
{
	drapeStats stats = {0};
	const Cloth* cloth = drapeCloth_Get(id);
	if (!cloth)
		return stats;
	StretchCount stretch = {0};
	AddCosts(id.world, cloth, &stats);
	AddState(id.world, cloth, &stats, &stretch);
	Finish(&stats, &stretch);
	return stats;
}
