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

typedef struct HistoryColumn
{
	size_t index;    // offset of its index in ClothSimulation
	bool isImplicit; // only cloths with implicit integrators have it
	ColumnDef def;
} HistoryColumn;

#define HISTORY(member) offsetof(ClothSimulation, member)

static const HistoryColumn historyColumns[] = {
	{HISTORY(previous), false, {"drape.previous", sizeof(Vec4), columnScratch, NULL, 0}},
	{HISTORY(previousVelocity), true, {"drape.previousVelocity", sizeof(Vec4), columnScratch, NULL, 0}},
	{HISTORY(historyPosition),
     true,
     {"drape.historyPosition", sizeof(Vec4), columnCustom, InheritPosition, drape_columnSaved}},
	{HISTORY(historyVelocity),
     true,
     {"drape.historyVelocity", sizeof(Vec4), columnCustom, InheritVelocity, drape_columnSaved}},
	{HISTORY(frictionState), true, {"drape.frictionState", sizeof(Vec4), columnZero, NULL, drape_columnSaved}},
	{HISTORY(pinch), true, {"drape.pinch", sizeof(PinchState), columnNearestParent, NULL, drape_columnSaved}},
};

enum
{
	historyColumnCount = sizeof historyColumns / sizeof historyColumns[0],
};

static uint32_t* IndexOf(Cloth* cloth, const HistoryColumn* column)
{
	return (uint32_t*)((char*)&cloth->simulation + column->index);
}

// Removes the column, if the cloth has it.
static void Remove(Cloth* cloth, const HistoryColumn* column)
{
	uint32_t* index = IndexOf(cloth, column);
	if (*index != DRAPE_NONE)
		drapeColumns_Remove(&cloth->active, *index);
	*index = DRAPE_NONE;
}

void drapeCloth_ClearHistory(Cloth* cloth)
{
	for (int i = 0; i < historyColumnCount; ++i)
		*IndexOf(cloth, &historyColumns[i]) = DRAPE_NONE;
}

bool drapeCloth_AddHistory(Cloth* cloth, bool isImplicit)
{
	bool isNew[historyColumnCount] = {false};
	for (int i = 0; i < historyColumnCount; ++i)
	{
		uint32_t* index = IndexOf(cloth, &historyColumns[i]);
		if (*index != DRAPE_NONE || (historyColumns[i].isImplicit && !isImplicit))
			continue;
		*index = drapeColumns_Add(&cloth->active, &historyColumns[i].def);
		isNew[i] = true;
		if (*index != DRAPE_NONE)
			continue;
		for (int k = 0; k < i; ++k)
		{
			if (isNew[k])
				Remove(cloth, &historyColumns[k]);
		}
		return false;
	}
	return true;
}

void drapeCloth_RemoveImplicitHistory(Cloth* cloth)
{
	for (int i = 0; i < historyColumnCount; ++i)
	{
		if (historyColumns[i].isImplicit)
			Remove(cloth, &historyColumns[i]);
	}
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
