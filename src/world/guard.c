// SPDX-License-Identifier: MIT
#include "world/guard.h"

#include "base/timer.h"
#include "mesh/geometry.h"
#include "world/history.h"
#include "world/substeps.h"
#include "world/world.h"

#include <stdio.h>
#include <string.h>

enum
{
	maxRetries = 8,
	poorRetries = 2, // for solves that miss their tolerance; after these the result is taken as it is
};

// --- survey ---------------------------------------------------------------------------------------------------------

// Kinetic energy, potential energy and whether every number is in range: by chunk, then summed in order.
typedef struct SurveyTask
{
	const ActiveMesh* active;
	Vec3 gravity;
	ClothSurvey* chunks;
} SurveyTask;

static void SurveyChunk(uint32_t start, uint32_t end, uint32_t worker, void* context)
{
	(void)worker;
	const SurveyTask* task = context;
	ClothSurvey survey = {.isUsable = true};
	for (uint32_t i = start; i < end; ++i)
	{
		Vec4 x = task->active->position[i], v = task->active->velocity[i];
		survey.isUsable &= CoordinateIsUsable(x.x) & CoordinateIsUsable(x.y) & CoordinateIsUsable(x.z);
		survey.isUsable &= CoordinateIsUsable(v.x) & CoordinateIsUsable(v.y) & CoordinateIsUsable(v.z);
		double mass = (double)v.w;
		survey.kinetic += x.w > 0.0f ? 0.5 * mass * (double)(v.x * v.x + v.y * v.y + v.z * v.z) : 0.0;
		survey.gravity -= mass * (double)V3Dot(task->gravity, V4Xyz(x));
	}
	task->chunks[start / particleGrain] = survey;
}

static ClothSurvey Survey(const drapeWorld* world, Cloth* cloth)
{
	uint32_t count = cloth->active.particleCount;
	DRAPE_ASSERT(cloth->simulation.surveys.capacity >= TaskPool_ChunkCount(count, particleGrain));
	SurveyTask task = {&cloth->active, world->gravity, cloth->simulation.surveys.data};
	drapeTaskPool_For(world->tasks, count, particleGrain, SurveyChunk, &task);
	ClothSurvey sum = {.isUsable = true};
	for (uint32_t i = 0; i < TaskPool_ChunkCount(count, particleGrain); ++i)
	{
		sum.kinetic += task.chunks[i].kinetic;
		sum.gravity += task.chunks[i].gravity;
		sum.isUsable &= task.chunks[i].isUsable;
	}
	return sum;
}

// --- energy ---------------------------------------------------------------------------------------------------------

// The energy that a step may gain: the work of pins and colliders, that of the wind, and half of the present energy,
// since explicit integrators oscillate. An explosion multiplies the energy in every substep and exceeds this by far.
static double AllowedGain(const drapeWorld* world, const Cloth* cloth, float dt)
{
	const Model* model = &cloth->simulation.model;
	DRAPE_ASSERT(dt > 0.0f);
	double area = cloth->pattern.area, mass = area * (double)model->material.density;
	double pushed = (double)fmaxf(drapePins_TopSpeed(cloth, dt), drapeScenery_TopSpeed(world, dt));
	double wind = (double)(V3Length(world->wind.velocity) + 3.0f * world->wind.swirlSpeed);
	double blowing = world->wind.kind == drape_windNone ? 0.0 : 2.0 * wind;
	double blown = (double)(world->wind.airDensity * (model->material.drag + model->material.lift)) * area * blowing *
	               blowing * blowing * (double)dt;
	double fall = mass * (double)V3Dot(world->gravity, world->gravity) * (double)dt * (double)dt;
	return 4.0 * mass * pushed * pushed + blown + fall + 1e-6 + drapeConstraints_AllowedGain(world, cloth, dt);
}

static double ElasticEnergy(const Cloth* cloth, const Vec4* position)
{
	const Model* model = &cloth->simulation.model;
	return drapeModel_StretchEnergy(model, position) + drapeModel_BendEnergy(model, position);
}

// Elastic energy is computed only when kinetic and potential energy have grown by more than the step allows.
static bool GainedTooMuch(const Cloth* cloth, const ClothSurvey* before, const ClothSurvey* after, double allowed)
{
	double gain = after->kinetic + after->gravity - before->kinetic - before->gravity;
	DRAPE_ASSERT(after->isUsable && allowed >= 0.0);
	allowed += 0.5 * before->kinetic;
	if (gain <= allowed)
		return false;
	double elasticBefore = ElasticEnergy(cloth, cloth->simulation.savedPosition.data);
	double elasticAfter = ElasticEnergy(cloth, cloth->active.position);
	return gain + elasticAfter - elasticBefore > allowed + 0.5 * elasticBefore;
}

// The energy that it takes to move particles out of colliders that they begin the step in, because the application put
// them there. Slow, and rarely needed.
static double PushOutEnergy(const drapeWorld* world, const Cloth* cloth)
{
	ContactDef contact = drapeScenery_Contact(world);
	contact.thickness = cloth->simulation.model.material.thickness;
	const ActiveMesh* active = &cloth->active;
	double energy = 0.0, gravity = (double)V3Length(world->gravity);
	for (uint32_t i = 0; i < active->particleCount && !drapeScenery_IsEmpty(world); ++i)
	{
		Vec3 outside = V4Xyz(active->position[i]);
		if (active->position[i].w <= 0.0f || !drapeContact_PushOut(&contact, &outside))
			continue;
		double depth = (double)V3Length(V3Sub(outside, V4Xyz(active->position[i])));
		double stiffness = (double)cloth->simulation.stiffness.data[i];
		energy += depth * ((double)active->velocity[i].w * gravity + stiffness * depth);
	}
	return energy;
}

// --- the number of substeps -----------------------------------------------------------------------------------------

// The stability limit, with a fifth to spare.
static uint32_t StableSubsteps(Cloth* cloth, float dt)
{
	ClothSimulation* simulation = &cloth->simulation;
	if (simulation->stableRevision != cloth->active.revision)
	{
		simulation->stableStep = drapeModel_StableStep(&simulation->model, &cloth->active, simulation->stiffness.data);
		simulation->stableRevision = cloth->active.revision;
	}
	DRAPE_ASSERT(simulation->stableStep > 0.0f);
	float needed = ceilf(dt / (0.8f * simulation->stableStep));
	return needed >= (float)simulation->solver.maxSubsteps ? simulation->solver.maxSubsteps
	                                                       : MaxU32(1, (uint32_t)needed);
}

static uint32_t ChooseSubsteps(Cloth* cloth, float dt)
{
	const ClothSimulation* simulation = &cloth->simulation;
	const drapeSolverDef* solver = &simulation->solver;
	if (solver->substeps > 0)
		return MinU32(solver->substeps, solver->maxSubsteps);
	return drapeIntegrator_IsImplicit(solver->integrator) ? 1 : StableSubsteps(cloth, dt);
}

// --- save and undo --------------------------------------------------------------------------------------------------

// Triangles that bend friction holds.
static uint32_t BendSetCount(const Cloth* cloth)
{
	return drapeModel_HasBendFriction(&cloth->simulation.model) ? cloth->active.triangleCount : 0;
}

static bool Reserve(Cloth* cloth)
{
	ClothSimulation* s = &cloth->simulation;
	uint32_t count = cloth->active.particleCount;
	return ArrayReserve(&s->savedPosition, count) && ArrayReserve(&s->savedVelocity, count) &&
	       ArrayReserve(&s->savedBendSet, BendSetCount(cloth)) && ArrayReserve(&s->stiffness, count) &&
	       ArrayReserve(&s->surveys, TaskPool_ChunkCount(count, particleGrain));
}

static void Save(drapeWorld* world, Cloth* cloth)
{
	drapeRows_Copy(world->tasks, cloth->simulation.savedPosition.data, cloth->active.position,
	               cloth->active.particleCount);
	drapeRows_Copy(world->tasks, cloth->simulation.savedVelocity.data, cloth->active.velocity,
	               cloth->active.particleCount);
	cloth->simulation.savedPreviousStep = cloth->simulation.previousStep;
	cloth->simulation.savedBendSet.count = BendSetCount(cloth);
	drapeRows_Copy(world->tasks, cloth->simulation.savedBendSet.data, cloth->active.bendSet, BendSetCount(cloth));
}

void drapeCloth_Undo(Cloth* cloth)
{
	DRAPE_ASSERT(cloth->simulation.savedPosition.capacity >= cloth->active.particleCount);
	DRAPE_ASSERT(cloth->simulation.savedBendSet.count <= cloth->active.triangleCount);
	memcpy(cloth->active.position, cloth->simulation.savedPosition.data, cloth->active.particleCount * sizeof(Vec4));
	memcpy(cloth->active.velocity, cloth->simulation.savedVelocity.data, cloth->active.particleCount * sizeof(Vec4));
	if (cloth->simulation.savedBendSet.count > 0)
		memcpy(cloth->active.bendSet, cloth->simulation.savedBendSet.data,
		       cloth->simulation.savedBendSet.count * sizeof(Vec4));
	// Substeps have overwritten the history: implicit integrators begin without one.
	drapeCloth_ForgetHistory(cloth);
	if (!drapeIntegrator_IsImplicit(cloth->simulation.solver.integrator))
		cloth->simulation.previousStep = cloth->simulation.savedPreviousStep;
}

// --- attempts -------------------------------------------------------------------------------------------------------

// Takes the cloths as they are when the step begins. False when out of memory.
static bool Begin(drapeWorld* world, Cloth* const* cloths, uint32_t count, float dt)
{
	world->substeps.count = 0;
	if (!ArrayReserve(&world->substeps, count) || !ArrayReserve(&world->jobs, count))
		return false;
	for (uint32_t i = 0; i < count; ++i)
	{
		uint64_t start = drapeTimer_Now();
		if (!drapeCloth_Follow(world, cloths[i]) || !Reserve(cloths[i]) || !drapeSubsteps_Reserve(world, cloths[i]))
			return false;
		cloths[i]->costs.followMs += drapeTimer_Ms(start);
	}
	for (uint32_t i = 0; i < count; ++i)
	{
		Cloth* cloth = cloths[i];
		Save(world, cloth);
		drapeCloth_DrawIn(world, cloth);
		ArrayPush(&world->substeps, ((Substep){.world = world,
		                                       .cloth = cloth,
		                                       .before = Survey(world, cloth),
		                                       .allowed = AllowedGain(world, cloth, dt)}));
	}
	return true;
}

// An implicit step moves particles in straight lines. Cloth that hits a collider with its edge is compressed in one
// step and buckles in the next, much farther than a straight line allows. True when an edge is much longer or shorter
// than both its rest length and its length when the step began.
static bool OverShot(const Cloth* cloth)
{
	const float most = 1.25f, least = 0.5f;
	const ActiveMesh* active = &cloth->active;
	const Vec4 *now = active->position, *before = cloth->simulation.savedPosition.data;
	bool isFar = false;
	for (uint32_t e = 0; e < active->edgeCount; ++e)
	{
		uint32_t a = active->edgeFrom[e], b = active->edgeTo[e];
		Vec3 own = V3Sub(V4Xyz(now[b]), V4Xyz(now[a])), old = V3Sub(V4Xyz(before[b]), V4Xyz(before[a]));
		float rest = active->restLength[e];
		float square = V3Dot(own, own), oldSquare = V3Dot(old, old), restSquare = rest * rest;
		isFar |= square > most * most * fmaxf(oldSquare, restSquare);
		isFar |= square < least * least * fminf(oldSquare, restSquare);
	}
	return isFar;
}

// Why the attempt cannot be kept; NULL when it can. Sets *isPoor when it should be repeated with more substeps.
static const char* Judge(drapeWorld* world, Cloth** failed, bool* isPoor)
{
	*isPoor = false;
	for (uint32_t i = 0; i < world->substeps.count; ++i)
	{
		Substep* s = &world->substeps.data[i];
		ClothSurvey after = Survey(world, s->cloth);
		bool isImplicit = drapeIntegrator_IsImplicit(s->cloth->simulation.solver.integrator);
		*isPoor |= s->cloth->simulation.isPoor || (isImplicit && OverShot(s->cloth));
		*failed = s->cloth;
		if (!after.isUsable)
			return "numbers stopped being finite";
		if (GainedTooMuch(s->cloth, &s->before, &after, s->allowed))
			return "energy came from nowhere";
	}
	return NULL;
}

// Undoes an attempt. Returns the energy in J that it takes to push cloths out of colliders that they begin in, and in
// *stable the substeps that the stability limit asks for.
static double Rewind(drapeWorld* world, float dt, bool isFirst, uint32_t* stable)
{
	double pushOut = 0.0;
	*stable = 1;
	for (uint32_t i = 0; i < world->substeps.count; ++i)
	{
		Substep* s = &world->substeps.data[i];
		drapeCloth_Undo(s->cloth);
		drapeConstraints_Undo(world, s->cloth);
		drapeCloth_DrawIn(world, s->cloth);
		uint32_t own = StableSubsteps(s->cloth, dt); // leaves the stiffness that PushOutEnergy reads
		if (!drapeIntegrator_IsImplicit(s->cloth->simulation.solver.integrator))
			*stable = MaxU32(*stable, own);
		double energy = isFirst ? PushOutEnergy(world, s->cloth) : 0.0;
		s->allowed += energy;
		pushOut += energy;
	}
	return pushOut;
}

drapeResult drapeCloths_Simulate(drapeWorld* world, Cloth* const* cloths, uint32_t count, float dt, Cloth** failed,
                                 char* text, size_t capacity)
{
	DRAPE_ASSERT(count > 0 && dt > 0.0f);
	*failed = cloths[0];
	if (!Begin(world, cloths, count, dt))
		return drape_errorMemory;
	uint32_t substeps = 1, most = 1;
	for (uint32_t i = 0; i < count; ++i)
	{
		substeps = MaxU32(substeps, ChooseSubsteps(cloths[i], dt));
		most = MaxU32(most, cloths[i]->simulation.solver.maxSubsteps);
	}
	const char* reason = NULL;
	bool isPushOutKnown = false;
	for (uint32_t attempt = 0; attempt <= maxRetries; ++attempt)
	{
		for (uint32_t i = 0; i < count; ++i)
			cloths[i]->simulation.isPoor = false;
		drapeSubsteps_Run(world, dt, substeps);
		for (uint32_t i = 0; i < count; ++i)
		{
			cloths[i]->costs.substeps = substeps;
			cloths[i]->costs.retries = attempt;
		}
		bool isPoor;
		reason = Judge(world, failed, &isPoor);
		if (!reason && !(isPoor && attempt < poorRetries && substeps < most))
			return drape_ok;
		uint32_t stable;
		bool isFirst = reason && !isPushOutKnown;
		isPushOutKnown |= reason != NULL;
		if (Rewind(world, dt, isFirst, &stable) > 0.0)
			continue;
		if (substeps == most)
			break;
		substeps = MinU32(MaxU32(2 * substeps, stable), most);
	}
	DRAPE_ASSERT(reason);
	for (uint32_t i = 0; i < count; ++i)
		drapeCloth_Undo(cloths[i]);
	snprintf(text, capacity, "%s, also with %u substeps: the cloth is too stiff or too light for this step", reason,
	         substeps);
	return drape_errorUnstable;
}
