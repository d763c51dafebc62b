// SPDX-License-Identifier: MIT
#include "world/history.h"

#include <string.h>

// A particle's history ends where a collision changes its velocity: BDF2 would extrapolate from the velocity before the
// collision, and the cloth would bounce. A new particle inherits the history of its parents.

// --- columns --------------------------------------------------------------------------------------------------------

// A new particle moved as its parents did: its value `now` minus the weighted mean of their changes since the history.
// That is exact at the weighted mean of their positions, where it is created.
static void InheritChange(const ActiveMesh* mesh, const Vec4* now, uint32_t particle, Vec4* history)
{
	const ParticleParents* from = &mesh->parents[particle];
	DRAPE_ASSERT(from->parent[0] != DRAPE_NONE);
	Vec3 own = V4Xyz(now[particle]);
	for (int k = 0; k < 3 && from->parent[k] != DRAPE_NONE; ++k)
	{
		uint32_t parent = from->parent[k];
		Vec3 change = V3Sub(V4Xyz(now[parent]), V4Xyz(history[parent]));
		own = V3Sub(own, V3Scale(from->weight[k], change));
	}
	history[particle] = (Vec4){own.x, own.y, own.z, 0.0f};
}

static void InheritPosition(const ActiveMesh* mesh, uint32_t particle, void* values)
{
	InheritChange(mesh, mesh->position, particle, values);
}

static void InheritVelocity(const ActiveMesh* mesh, uint32_t particle, void* values)
{
	InheritChange(mesh, mesh->velocity, particle, values);
}

bool drapeCloth_AddHistory(Cloth* cloth)
{
	ClothSimulation* s = &cloth->simulation;
	const bool isImplicit = drapeIntegrator_IsImplicit(s->solver.integrator);
	const uint8_t saved = drape_columnSaved;
	const struct
	{
		uint32_t* index;
		bool isUsed;
		ColumnDef def;
	} rows[] = {
		{&s->previous, true, {"drape.previous", sizeof(Vec4), columnScratch, NULL, 0}},
		{&s->previousVelocity, isImplicit, {"drape.previousVelocity", sizeof(Vec4), columnScratch, NULL, 0}},
		{&s->historyPosition,
	     isImplicit,
	     {"drape.historyPosition", sizeof(Vec4), columnCustom, InheritPosition, saved}},
		{&s->historyVelocity,
	     isImplicit,
	     {"drape.historyVelocity", sizeof(Vec4), columnCustom, InheritVelocity, saved}},
		{&s->frictionState, isImplicit, {"drape.frictionState", sizeof(Vec4), columnZero, NULL, saved}},
		{&s->pinch, isImplicit, {"drape.pinch", sizeof(PinchState), columnNearestParent, NULL, saved}},
	};
	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; ++i)
	{
		*rows[i].index = rows[i].isUsed ? drapeColumns_Add(&cloth->active, &rows[i].def) : DRAPE_NONE;
		if (rows[i].isUsed && *rows[i].index == DRAPE_NONE)
			return false;
	}
	return true;
}

// --- single particles -----------------------------------------------------------------------------------------------

// As if the particle had come here in a straight line.
static void BeginHistory(Cloth* cloth, uint32_t particle)
{
	const ClothSimulation* simulation = &cloth->simulation;
	Vec4 x = cloth->active.position[particle], v = cloth->active.velocity[particle];
	float h = simulation->previousStep;
	Cloth_Rows(cloth, simulation->historyPosition)[particle] =
		(Vec4){x.x - h * v.x, x.y - h * v.y, x.z - h * v.z, 0.0f};
	Cloth_Rows(cloth, simulation->historyVelocity)[particle] = v;
}

void drapeCloth_RestartHistory(Cloth* cloth, uint32_t particle)
{
	DRAPE_ASSERT(particle < cloth->active.particleCount);
	if (drapeIntegrator_IsImplicit(cloth->simulation.solver.integrator))
		BeginHistory(cloth, particle);
}

static Vec3 AlongSurface(Vec3 normal, Vec3 a)
{
	return V3Sub(a, V3Scale(V3Dot(a, normal), normal));
}

// A particle that slides along a collider keeps the tangential part of its history: restarted in every step, it would
// gain only two thirds of its acceleration. False for a particle that comes to a stop, which must not slide back.
static bool KeepSliding(Cloth* cloth, uint32_t particle)
{
	const ClothSimulation* simulation = &cloth->simulation;
	const ActiveMesh* active = &cloth->active;
	Vec4 *oldPosition = &Cloth_Rows(cloth, simulation->historyPosition)[particle],
		 *oldVelocity = &Cloth_Rows(cloth, simulation->historyVelocity)[particle];
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
		if (!KeepSliding(cloth, i))
			BeginHistory(cloth, i);
	}
}

// --- the substep ----------------------------------------------------------------------------------------------------

void drapeCloth_RememberHistory(Cloth* cloth, float dt)
{
	ClothSimulation* simulation = &cloth->simulation;
	DRAPE_ASSERT(dt > 0.0f);
	DRAPE_ASSERT(drapeIntegrator_IsImplicit(simulation->solver.integrator));
	drapeColumns_Swap(&cloth->active.columns, simulation->historyPosition, simulation->previous);
	drapeColumns_Swap(&cloth->active.columns, simulation->historyVelocity, simulation->previousVelocity);
	simulation->previousStep = dt;
}

void drapeCloth_ForgetHistory(Cloth* cloth)
{
	ClothSimulation* simulation = &cloth->simulation;
	simulation->previousStep = 0.0f;
	if (simulation->frictionState != DRAPE_NONE)
		memset(Cloth_Rows(cloth, simulation->frictionState), 0, cloth->active.particleCount * sizeof(Vec4));
}
