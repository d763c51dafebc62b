// SPDX-License-Identifier: MIT
#include "world/history.h"

#include <string.h>

// A particle's history ends where a collision changes its velocity: BDF2 would extrapolate from the velocity before the
// collision, and the cloth would bounce. A new particle inherits the history of its parents.

// --- single particles -----------------------------------------------------------------------------------------------

// As if the particle had come here in a straight line.
static void BeginHistory(ClothSimulation* simulation, const ActiveMesh* active, uint32_t particle)
{
	Vec4 x = active->position[particle], v = active->velocity[particle];
	float h = simulation->previousStep;
	simulation->historyPosition.data[particle] = (Vec4){x.x - h * v.x, x.y - h * v.y, x.z - h * v.z, 0.0f};
	simulation->historyVelocity.data[particle] = v;
}

void drapeCloth_RestartHistory(Cloth* cloth, uint32_t particle)
{
	if (drapeIntegrator_IsImplicit(cloth->simulation.solver.integrator))
		BeginHistory(&cloth->simulation, &cloth->active, particle);
}

static Vec3 AlongSurface(Vec3 normal, Vec3 a)
{
	return V3Sub(a, V3Scale(V3Dot(a, normal), normal));
}

// A particle that slides along a collider keeps the tangential part of its history: restarted in every step, it would
// gain only two thirds of its acceleration. False for a particle that comes to a stop, which must not slide back.
static bool KeepSliding(ClothSimulation* simulation, const ActiveMesh* active, uint32_t particle)
{
	Vec4 *oldPosition = &simulation->historyPosition.data[particle],
		 *oldVelocity = &simulation->historyVelocity.data[particle];
	Vec3 n = V4Xyz(simulation->contactNormal.data[particle]), x = V4Xyz(active->position[particle]);
	Vec3 v = V4Xyz(active->velocity[particle]), change = AlongSurface(n, V3Sub(v, V4Xyz(*oldVelocity)));
	if (simulation->contactNormal.data[particle].w <= 0.0f || !(V3Dot(change, change) < V3Dot(v, v)))
		return false;
	Vec3 displacement = AlongSurface(n, V3Sub(x, V4Xyz(*oldPosition))), before = V3Sub(v, change);
	Vec3 from = V3Sub(x, V3Add(displacement, V3Scale(simulation->previousStep * V3Dot(v, n), n)));
	*oldPosition = (Vec4){from.x, from.y, from.z, 0.0f};
	*oldVelocity = (Vec4){before.x, before.y, before.z, oldVelocity->w};
	return true;
}

void drapeCloth_RestartTouchingHistory(Cloth* cloth)
{
	const BitSet* contacts = &cloth->simulation.contacts;
	uint32_t count = cloth->active.particleCount;
	for (uint32_t i = BitSet_Next(contacts, 0, count); i != DRAPE_NONE; i = BitSet_Next(contacts, i + 1, count))
	{
		if (!KeepSliding(&cloth->simulation, &cloth->active, i))
			BeginHistory(&cloth->simulation, &cloth->active, i);
	}
}

// --- following the mesh ---------------------------------------------------------------------------------------------

// A new particle moved as its parents did. That is exact at the weighted mean of their positions, where it is created.
static void InheritHistory(ClothSimulation* simulation, const ActiveMesh* active, uint32_t particle)
{
	const ParticleParents* from = &active->parents[particle];
	Vec3 x = V4Xyz(active->position[particle]), v = V4Xyz(active->velocity[particle]);
	for (int k = 0; k < 3 && from->parent[k] != DRAPE_NONE; ++k)
	{
		uint32_t parent = from->parent[k];
		Vec3 displacement = V3Sub(V4Xyz(active->position[parent]), V4Xyz(simulation->historyPosition.data[parent]));
		Vec3 change = V3Sub(V4Xyz(active->velocity[parent]), V4Xyz(simulation->historyVelocity.data[parent]));
		x = V3Sub(x, V3Scale(from->weight[k], displacement));
		v = V3Sub(v, V3Scale(from->weight[k], change));
	}
	simulation->historyPosition.data[particle] = (Vec4){x.x, x.y, x.z, 0.0f};
	simulation->historyVelocity.data[particle] = (Vec4){v.x, v.y, v.z, 0.0f};
	simulation->frictionState.data[particle] = (Vec4){0};
}

// Coarse levels first, since parents may be new themselves.
static void InheritHistories(ClothSimulation* simulation, const ActiveMesh* active)
{
	const ChangeLog* log = &active->log;
	for (uint32_t level = 1; level <= DRAPE_MAX_LEVEL && log->born.count > 0; ++level)
	{
		for (uint32_t i = 0; i < log->born.count; ++i)
		{
			if (active->level[log->born.data[i]] == level)
				InheritHistory(simulation, active, log->born.data[i]);
		}
	}
}

bool drapeCloth_FollowHistory(Cloth* cloth)
{
	ClothSimulation* simulation = &cloth->simulation;
	const ActiveMesh* active = &cloth->active;
	if (simulation->historyRevision == active->revision || simulation->previousStep <= 0.0f)
		return true;
	if (!ArrayReserve(&simulation->historyPosition, active->particleCount) ||
	    !ArrayReserve(&simulation->historyVelocity, active->particleCount) ||
	    !ArrayReserve(&simulation->frictionState, active->particleCount))
		return false;
	const ChangeLog* log = &active->log;
	bool canFollow = simulation->historyRevision != 0 && simulation->historyRevision + 1 == active->revision;
	for (uint32_t i = 0; i < log->moved.count && canFollow; ++i)
	{
		ParticleMove move = log->moved.data[i];
		simulation->historyPosition.data[move.to] = simulation->historyPosition.data[move.from];
		simulation->historyVelocity.data[move.to] = simulation->historyVelocity.data[move.from];
		simulation->frictionState.data[move.to] = simulation->frictionState.data[move.from];
	}
	if (canFollow)
		InheritHistories(simulation, active);
	for (uint32_t i = 0; i < active->particleCount && !canFollow; ++i)
	{
		BeginHistory(simulation, active, i);
		simulation->frictionState.data[i] = (Vec4){0};
	}
	simulation->historyPosition.count = simulation->historyVelocity.count = simulation->frictionState.count =
		active->particleCount;
	simulation->historyRevision = active->revision;
	return true;
}

// --- the substep ----------------------------------------------------------------------------------------------------

bool drapeCloth_ReserveHistory(ClothSimulation* simulation, uint32_t count)
{
	if (!ArrayReserve(&simulation->previousVelocity, count) || !ArrayReserve(&simulation->historyPosition, count) ||
	    !ArrayReserve(&simulation->historyVelocity, count) || !ArrayReserve(&simulation->frictionState, count))
		return false;
	for (; simulation->frictionState.count < count; ++simulation->frictionState.count)
		simulation->frictionState.data[simulation->frictionState.count] = (Vec4){0};
	return true;
}

static void SwapRows(Vec4Array* a, Vec4Array* b)
{
	Vec4Array old = *a;
	*a = *b;
	*b = old;
}

void drapeCloth_RememberHistory(Cloth* cloth, float dt)
{
	ClothSimulation* simulation = &cloth->simulation;
	uint32_t count = cloth->active.particleCount;
	DRAPE_ASSERT(dt > 0.0f);
	DRAPE_ASSERT(simulation->previous.capacity >= count && simulation->previousVelocity.capacity >= count);
	SwapRows(&simulation->historyPosition, &simulation->previous);
	SwapRows(&simulation->historyVelocity, &simulation->previousVelocity);
	simulation->historyPosition.count = simulation->historyVelocity.count = simulation->frictionState.count = count;
	simulation->previousStep = dt;
	simulation->historyRevision = cloth->active.revision;
}

void drapeCloth_ForgetHistory(Cloth* cloth)
{
	for (uint32_t i = 0; i < cloth->simulation.frictionState.count; ++i)
		cloth->simulation.frictionState.data[i] = (Vec4){0};
	cloth->simulation.previousStep = 0.0f;
}
