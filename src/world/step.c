// SPDX-License-Identifier: MIT
#include "base/timer.h"
#include "surface/surface.h"
#include "world/contact_input.h"
#include "world/guard.h"
#include "world/world.h"

// The step, stage by stage (docs/architecture.md).

// A step that fails after Prepare did not happen: friction states that its substeps stored are dropped.
static drapeResult FailSolve(drapeWorld* world, drapeResult result)
{
	DRAPE_ASSERT(result != drape_ok);
	drapeContactCache_Forget(&world->contact.cache);
	return result;
}

// --- animate --------------------------------------------------------------------------------------------------------

static void ClearCosts(drapeWorld* world)
{
	world->animateMs = world->contactMs = world->publishMs = 0.0;
	for (uint32_t i = 0; i < world->cloths.count; ++i)
		world->cloths.data[i]->costs = (ClothCosts){0};
}

static void Animate(drapeWorld* world, float dt)
{
	uint64_t start = drapeTimer_Now();
	drapeStepBudget_Begin(world);
	ClearCosts(world);
	drapeScenery_Animate(world, dt);
	for (uint32_t i = 0; i < world->cloths.count; ++i)
	{
		if (!drapeCloth_IsUsed(world->cloths.data[i]))
			continue;
		drapeCloth_RememberPositions(world->cloths.data[i]);
		drapePins_Animate(world, world->cloths.data[i], dt);
	}
	drapeClothSleep_Begin(world, dt);
	world->animateMs = drapeTimer_Ms(start);
}

// --- adapt ----------------------------------------------------------------------------------------------------------

static drapeResult AdaptCloth(drapeWorld* world, Cloth* cloth)
{
	AdaptCounts counts;
	uint64_t start = drapeTimer_Now();
	DeadlineMark mark = drapeDeadline_Mark(&world->deadline);
	drapeResult result = drapeCloth_RunAdaptation(world, cloth, &counts);
	cloth->costs.adaptMs += drapeTimer_Ms(start);
	drapeStepBudget_AddPass(world, mark);
	cloth->costs.splits += counts.splits;
	cloth->costs.joins += counts.joins;
	cloth->costs.joinsBlocked += counts.joinsBlocked;
	return result;
}

// A pass is due when its time comes before half of the step is over, so that rates that divide each other stay in
// phase.
static bool AdaptationIsDue(const drapeWorld* world, float dt)
{
	return world->time + 0.5 * (double)dt >= world->nextAdaptation;
}

static drapeResult Adapt(drapeWorld* world, float dt)
{
	drapeResult result = drape_ok;
	if (!AdaptationIsDue(world, dt) || !drapeStepBudget_MayAdapt(world))
		return result;
	if (!drapeWorld_DescribeContact(world))
		return drape_errorMemory;
	for (uint32_t i = 0; i < world->cloths.count && result == drape_ok; ++i)
	{
		Cloth* cloth = world->cloths.data[i];
		if (Deadline_IsCancelled(&world->deadline))
			result = drape_errorCancelled;
		else if (Cloth_IsAwake(cloth) && cloth->adapt.scheme != drape_schemeFixed)
			result = AdaptCloth(world, cloth);
	}
	if (result == drape_ok)
		world->nextAdaptation = MaxNum(world->nextAdaptation + world->adaptPeriod, world->time);
	return result;
}

// --- carry ----------------------------------------------------------------------------------------------------------

static drapeResult Carry(drapeWorld* world, float dt)
{
	uint64_t start = drapeTimer_Now();
	bool isDone = drapeJumps_Carry(world, dt);
	world->animateMs += drapeTimer_Ms(start);
	return isDone ? drape_ok : drape_errorMemory;
}

// --- simulate -------------------------------------------------------------------------------------------------------

bool drapeCloth_Follow(drapeWorld* world, Cloth* cloth)
{
	return drapeCloth_FollowMesh(cloth, world->tasks);
}

bool drapeCloth_FollowMesh(Cloth* cloth, TaskPool* tasks)
{
	ClothSimulation* simulation = &cloth->simulation;
	if (!drapeModel_Follow(&simulation->model, &cloth->active, tasks))
		return false;
	if (simulation->model.usesEdges && !drapeStretchLimit_Follow(&simulation->stretchLimit, &cloth->active))
		return false;
	if (!drapeIntegrator_IsImplicit(simulation->solver.integrator))
		return true;
	return drapeImplicitSolver_Follow(&simulation->implicit, &cloth->active, &simulation->model, tasks);
}

// Simulates one cloth, or several together. Each bears its own time for colliders, and the rest by its triangles.
static drapeResult SimulateCloths(drapeWorld* world, Cloth* const* cloths, uint32_t count, float dt)
{
	uint64_t start = drapeTimer_Now();
	drapeStepBudget_BeginSolve(world, cloths, count);
	bool isDone = drapeCloths_Simulate(world, cloths, count, dt);
	double ms = drapeTimer_Ms(start), triangles = 0.0;
	for (uint32_t i = 0; i < count; ++i)
	{
		ms -= cloths[i]->costs.collideMs;
		triangles += (double)cloths[i]->active.triangleCount;
	}
	for (uint32_t i = 0; i < count; ++i)
	{
		ClothCosts* costs = &cloths[i]->costs;
		costs->simulateMs += costs->collideMs + ms * (double)cloths[i]->active.triangleCount / triangles;
	}
	return isDone ? drape_ok : FailSolve(world, drape_errorMemory);
}

static bool FindContactPoints(drapeWorld* world, float dt)
{
	uint64_t start = drapeTimer_Now();
	bool isDone = drapeWorld_PrepareContact(world, dt);
	world->contactMs += drapeTimer_Ms(start);
	return isDone;
}

// Cloths that are solved together go first. When a later one fails, all before it are undone.
static drapeResult Simulate(drapeWorld* world, float dt)
{
	if (!drapeConstraints_Begin(world) || !FindContactPoints(world, dt))
		return FailSolve(world, drape_errorMemory);
	if (Deadline_IsCancelled(&world->deadline))
		return FailSolve(world, drape_errorCancelled);
	drapeResult result = drape_ok;
	if (world->together.count > 0)
		result = SimulateCloths(world, world->together.data, world->together.count, dt);
	if (result != drape_ok)
		return result;
	uint32_t next = 0;
	while (result == drape_ok && next < world->cloths.count)
	{
		Cloth* cloth = world->cloths.data[next];
		if (Cloth_IsAwake(cloth) && !cloth->isTogether)
			result = SimulateCloths(world, &cloth, 1, dt);
		next += result == drape_ok;
	}
	if (result == drape_ok && Deadline_IsCancelled(&world->deadline))
		result = FailSolve(world, drape_errorCancelled);
	for (uint32_t i = 0; i < world->cloths.count && result != drape_ok; ++i)
	{
		Cloth* cloth = world->cloths.data[i];
		if (Cloth_IsAwake(cloth) && (i < next || cloth->isTogether))
			drapeCloth_Undo(cloth);
	}
	return result;
}

// --- contact --------------------------------------------------------------------------------------------------------

// Undoes the cloths that took part in the step.
static void UndoCloths(drapeWorld* world)
{
	for (uint32_t i = 0; i < world->cloths.count; ++i)
	{
		if (drapeCloth_IsUsed(world->cloths.data[i]) && world->cloths.data[i]->costs.substeps > 0)
			drapeCloth_Undo(world->cloths.data[i]);
	}
}

static drapeResult Contact(drapeWorld* world, float dt)
{
	uint64_t start = drapeTimer_Now();
	drapeStepBudget_BeginImpacts(world);
	bool isDone = drapeWorld_ResolveContact(world, dt);
	world->contactMs += drapeTimer_Ms(start);
	bool isCancelled = Deadline_IsCancelled(&world->deadline);
	if (isDone && !isCancelled)
		return drape_ok;
	UndoCloths(world);
	return FailSolve(world, isDone ? drape_errorCancelled : drape_errorMemory);
}

// Finds the pairs that touch, and the contact events.
static drapeResult FindTouches(drapeWorld* world, float dt)
{
	uint64_t start = drapeTimer_Now();
	bool isDone = drapeTouches_Find(world, dt);
	world->contactMs += drapeTimer_Ms(start);
	if (isDone)
		return drape_ok;
	UndoCloths(world);
	return FailSolve(world, drape_errorMemory);
}

// --- surface --------------------------------------------------------------------------------------------------------

void drapeCloth_UpdateNormals(drapeWorld* world, Cloth* cloth)
{
	Cloth_HasMoved(cloth);
	if (drapeModel_Follow(&cloth->simulation.model, &cloth->active, world->tasks))
		drapeSurface_UpdateNormals(&cloth->active, &cloth->simulation.model.triangles, world->tasks);
}

static void Surface(drapeWorld* world)
{
	for (uint32_t i = 0; i < world->cloths.count; ++i)
	{
		Cloth* cloth = world->cloths.data[i];
		if (!Cloth_IsAwake(cloth))
			continue;
		uint64_t start = drapeTimer_Now();
		drapeCloth_UpdateNormals(world, cloth);
		Deadline_Count(&world->deadline, workNormals, cloth->active.triangleCount);
		cloth->costs.surfaceMs += drapeTimer_Ms(start);
	}
}

// --- publish --------------------------------------------------------------------------------------------------------

static void PublishCloth(Cloth* cloth, float dt)
{
	ClothCosts* costs = &cloth->costs;
	const BitSet* contacts = &cloth->simulation.contacts;
	drapePins_Finish(cloth, dt);
	drapeSkin_Finish(cloth);
	cloth->frame.from = cloth->frame.to;
	drapePassed_Commit(&cloth->simulation.passed);
	if (costs->substeps > 0) // else it slept
		costs->contacts = BitSet_CountSet(contacts, MinU32(cloth->active.particleCount, contacts->capacity));
}

static void Publish(drapeWorld* world, float dt)
{
	uint64_t start = drapeTimer_Now();
	drapeClothSleep_Finish(world, dt);
	drapeScenery_Finish(world, dt);
	world->time += (double)dt;
	drapeTouches_Commit(&world->touches);
	for (uint32_t i = 0; i < world->cloths.count; ++i)
	{
		if (drapeCloth_IsUsed(world->cloths.data[i]))
			PublishCloth(world->cloths.data[i], dt);
	}
	world->publishMs = drapeTimer_Ms(start);
	drapeStepBudget_End(world);
}

// --- the step -------------------------------------------------------------------------------------------------------

// The stages, in order. Adapt may have changed meshes when a later stage fails; positions and velocities are then those
// of the beginning of the step.
static drapeResult RunStages(drapeWorld* world, float dt)
{
	drapeTouches_Begin(&world->touches);
	Animate(world, dt);
	drapeResult result = Adapt(world, dt);
	if (result == drape_ok)
		result = Carry(world, dt);
	if (result == drape_ok)
		result = Simulate(world, dt);
	if (result == drape_ok)
		result = Contact(world, dt);
	if (result == drape_ok)
		result = FindTouches(world, dt);
	CancelFlag_Clear(&world->deadline.cancel);
	if (result != drape_ok)
	{
		drapeConstraints_Undo(world, NULL);
		drapeJumps_Undo(world);
		drapeScenery_Revert(world);
		return result;
	}
	Surface(world);
	Publish(world, dt);
	return drape_ok;
}

drapeResult drapeWorld_Step(drapeWorldId id, float dt)
{
	drapeWorld* world = drapeWorlds_Get(id);
	if (!world)
		return drape_errorArgument;
	if (!(dt > 0.0f && isfinite(dt)))
		return drapeWorld_Refuse(world, "dt is %g, expected a number above 0 s", (double)dt);
	drapeTaskPool_SetAlert(world->tasks, true);
	drapeResult result = RunStages(world, dt);
	drapeDeadline_End(&world->deadline);
	drapeTaskPool_SetAlert(world->tasks, false);
	return result == drape_ok ? result : drapeWorld_Fail(world, result, "the step: %s", drapeResult_GetText(result));
}

void drapeWorld_Cancel(drapeWorldId id)
{
	drapeWorld* world = drapeWorlds_FindId(id);
	if (world)
		CancelFlag_Set(&world->deadline.cancel);
}

drapeStepWarning drapeWorld_GetWarning(drapeWorldId id)
{
	const drapeWorld* world = drapeWorlds_Get(id);
	return world ? world->warning : (drapeStepWarning){0};
}

double drapeWorld_GetTime(drapeWorldId id)
{
	const drapeWorld* world = drapeWorlds_Get(id);
	return world ? world->time : 0.0;
}
