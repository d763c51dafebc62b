// SPDX-License-Identifier: MIT
#include "world/history.h"

#include "base/timer.h"
#include "mesh/geometry.h"

#include <stdio.h>
#include <string.h>

// The substeps of one cloth. A substep: forces and integration, pins, stretch limit, contact. A step that blows up is
// undone and repeated with twice the substeps.

enum
{
	particleGrain = 1024, // a multiple of 64: tasks write different words of the contact bits
	copyGrain = 4096,
	maxRetries = 8,
	poorRetries = 2, // for solves that miss what they should find: what they gave is then taken as it is
};

// A solve that ends with more than this of its right-hand side left is worth repeating with smaller steps.
static const float poorResidual = 0.05f;

// --- forces ---------------------------------------------------------------------------------------------------------

typedef struct CopyTask
{
	Vec4* to;
	const Vec4* from;
} CopyTask;

static void CopyRange(uint32_t start, uint32_t end, uint32_t worker, void* context)
{
	(void)worker;
	const CopyTask* task = context;
	memcpy(task->to + start, task->from + start, (end - start) * sizeof(Vec4));
}

static void CopyRows(drapeWorld* world, Vec4* to, const Vec4* from, uint32_t count)
{
	CopyTask task = {to, from};
	drapeTaskPool_For(world->tasks, count, copyGrain, CopyRange, &task);
}

typedef struct ForceContext
{
	drapeWorld* world;
	Cloth* cloth;
	Vec4* rows;
} ForceContext;

static void ClearRows(uint32_t start, uint32_t end, uint32_t worker, void* context)
{
	(void)worker;
	memset((Vec4*)context + start, 0, (end - start) * sizeof(Vec4));
}

// Forces become accelerations in place.
static void Accelerate(uint32_t start, uint32_t end, uint32_t worker, void* context)
{
	(void)worker;
	const ForceContext* c = context;
	const Vec4* position = c->cloth->active.position;
	Vec3 gravity = c->world->gravity;
	for (uint32_t i = start; i < end; ++i)
	{
		float w = position[i].w, g = w > 0.0f ? 1.0f : 0.0f;
		Vec4* a = &c->rows[i];
		a->x = a->x * w + g * gravity.x;
		a->y = a->y * w + g * gravity.y;
		a->z = a->z * w + g * gravity.z;
	}
}

static void Acceleration(const Vec4* position, const Vec4* velocity, double time, Vec4* acceleration, void* context)
{
	ForceContext* c = context;
	const Model* model = &c->cloth->simulation.model;
	TaskPool* tasks = c->world->tasks;
	uint32_t count = c->cloth->active.particleCount;
	ModelState state = {position, velocity, time};
	drapeTaskPool_For(tasks, count, particleGrain, ClearRows, acceleration);
	drapeModel_AddStretch(model, &state, acceleration, tasks);
	drapeModel_AddBending(model, &state, acceleration, tasks);
	drapeModel_AddAir(model, &c->world->wind, &state, acceleration, tasks);
	c->rows = acceleration;
	drapeTaskPool_For(tasks, count, particleGrain, Accelerate, c);
}

// --- a substep ------------------------------------------------------------------------------------------------------

static void DampVelocities(uint32_t start, uint32_t end, uint32_t worker, void* context)
{
	(void)worker;
	const Substep* s = context;
	Vec4* velocity = s->cloth->active.velocity;
	for (uint32_t i = start; i < end; ++i)
	{
		velocity[i].x *= s->decay;
		velocity[i].y *= s->decay;
		velocity[i].z *= s->decay;
	}
}

// What the stretch limit moved, it moved within this substep.
static void AddCorrections(uint32_t start, uint32_t end, uint32_t worker, void* context)
{
	(void)worker;
	const Substep* s = context;
	const Vec4 *before = s->cloth->simulation.unlimited.data, *after = s->cloth->active.position;
	Vec4* velocity = s->cloth->active.velocity;
	float rate = 1.0f / s->dt;
	for (uint32_t i = start; i < end; ++i)
	{
		velocity[i].x += rate * (after[i].x - before[i].x);
		velocity[i].y += rate * (after[i].y - before[i].y);
		velocity[i].z += rate * (after[i].z - before[i].z);
	}
}

static void ResolveContacts(uint32_t start, uint32_t end, uint32_t worker, void* context)
{
	(void)worker;
	Substep* s = context;
	ClothSimulation* simulation = &s->cloth->simulation;
	drapeContact_Resolve(&s->contact, &s->cloth->active, s->swept, &simulation->contacts, start, end);
}

static bool LimitsStretch(const Cloth* cloth)
{
	return cloth->simulation.model.usesEdges && cloth->simulation.solver.maxStretch > 0.0f;
}

static void ApplyLimit(drapeWorld* world, Cloth* cloth, const Vec4* previous, float keptExcess)
{
	ClothSimulation* simulation = &cloth->simulation;
	const StretchDef def = {
		.maxStretch = simulation->solver.maxStretch,
		.iterations = simulation->solver.stretchIterations,
		.previous = previous,
		.keptExcess = keptExcess,
	};
	drapeStretchLimit_Apply(&simulation->stretchLimit, &cloth->active, &simulation->model.stretch, &def, world->tasks);
}

// Edges that are too long at the beginning of a step, because sweeps are few or because particles were moved by hand or
// by adaptation, are drawn in here, without giving anything a velocity. Within the substeps they need not get shorter, so
// that what corrections add to velocities never exceeds the motion they stop: a projection towards a shape that is
// allowed gains no energy.
static void DrawIn(drapeWorld* world, Cloth* cloth)
{
	ClothSimulation* simulation = &cloth->simulation;
	if (!LimitsStretch(cloth))
		return;
	CopyRows(world, simulation->previous.data, cloth->active.position, cloth->active.particleCount);
	ApplyLimit(world, cloth, simulation->previous.data, 0.0f);
}

static void LimitStretch(Substep* s)
{
	ClothSimulation* simulation = &s->cloth->simulation;
	ActiveMesh* active = &s->cloth->active;
	if (!LimitsStretch(s->cloth))
		return;
	CopyRows(s->world, simulation->unlimited.data, active->position, active->particleCount);
	ApplyLimit(s->world, s->cloth, s->start, 1.0f);
	drapeTaskPool_For(s->world->tasks, active->particleCount, particleGrain, AddCorrections, s);
}

// What the solver held up touches as well.
static void MarkSolverContacts(Cloth* cloth)
{
	ClothSimulation* simulation = &cloth->simulation;
	for (uint32_t i = 0; i < cloth->active.particleCount; ++i)
	{
		if (simulation->contactNormal.data[i].w > 0.0f)
			BitSet_Set(&simulation->contacts, i);
	}
}

static ContactDef MakeContact(const Substep* s)
{
	const drapeMaterial* material = &s->cloth->simulation.model.material;
	ContactDef contact = drapeScenery_Contact(s->world);
	contact.thickness = material->thickness;
	contact.activationDistance = drapeImplicit_ContactActivationDistance(material->thickness);
	contact.friction = material->friction;
	contact.fromFraction = s->fromFraction;
	contact.toFraction = s->toFraction;
	contact.dt = s->dt;
	contact.near = s->world->sceneryMoves || contact.meshCount == 0 ? NULL : s->cloth->simulation.near.data;
	return contact;
}

static void Collide(Substep* s)
{
	if (drapeScenery_IsEmpty(s->world))
		return;
	uint64_t start = drapeTimer_Now();
	s->contact = MakeContact(s);
	BitSet_ClearAll(&s->cloth->simulation.contacts, s->cloth->active.particleCount);
	drapeTaskPool_For(s->world->tasks, s->cloth->active.particleCount, particleGrain, ResolveContacts, s);
	if (drapeIntegrator_IsImplicit(s->cloth->simulation.solver.integrator))
	{
		drapeCloth_RestartTouchingHistory(s->cloth);
		MarkSolverContacts(s->cloth);
	}
	s->cloth->costs.contactMs += drapeTimer_Ms(start);
}

// --- implicit integration -------------------------------------------------------------------------------------------

typedef struct FindContactsTask
{
	ContactDef contact;
	const Vec4* position;
	Vec4 *contactNormal, *surfaceDisplacement;
} FindContactsTask;

static void FindContactsRange(uint32_t start, uint32_t end, uint32_t worker, void* context)
{
	(void)worker;
	const FindContactsTask* task = context;
	drapeContact_FindContacts(&task->contact, task->position, task->contactNormal, task->surfaceDisplacement, start,
	                          end);
}

// What lies on colliders, from this fraction of the step to the end of the substep.
static void FindContacts(const Substep* s, float fromFraction, const Vec4* position, Vec4* contactNormal,
                         Vec4* surfaceDisplacement)
{
	FindContactsTask task = {MakeContact(s), position, contactNormal, surfaceDisplacement};
	task.contact.fromFraction = fromFraction;
	drapeTaskPool_For(s->world->tasks, s->cloth->active.particleCount, particleGrain, FindContactsRange, &task);
}

static void RefindContacts(const Vec4* position, Vec4* contactNormal, Vec4* surfaceDisplacement, void* context)
{
	const Substep* s = context;
	FindContacts(s, s->toFraction, position, contactNormal, surfaceDisplacement);
}

// All that the solve of a substep needs to know of a cloth.
static ImplicitJob MakeJob(Substep* s, double time)
{
	ClothSimulation* simulation = &s->cloth->simulation;
	ActiveMesh* active = &s->cloth->active;
	uint32_t count = active->particleCount;
	bool hasAir = s->world->wind.airDensity > 0.0f;
	CopyRows(s->world, simulation->previousVelocity.data, active->velocity, count);
	CopyRows(s->world, simulation->target.data, active->position, count);
	drapePins_Settle(s->cloth, s->toFraction, simulation->target.data);
	const Curvature* curvature = &simulation->model.curvature;
	bool curls = curvature->curl[0] != 0.0f || curvature->curl[1] != 0.0f;
	if (hasAir || curls)
		drapeTaskPool_For(s->world->tasks, count, particleGrain, ClearRows, simulation->outside.data);
	if (hasAir)
	{
		ModelState state = {active->position, active->velocity, time};
		drapeModel_AddAirAndDrag(&simulation->model, &s->world->wind, &state, simulation->outside.data,
		                         s->world->tasks);
	}
	drapeCurvature_AddRestForces(curvature, active->position, simulation->outside.data);
	bool hasColliders = !drapeScenery_IsEmpty(s->world);
	if (hasColliders)
	{
		uint64_t start = drapeTimer_Now();
		FindContacts(s, s->fromFraction, active->position, simulation->contactNormal.data,
		             simulation->surfaceDisplacement.data);
		s->cloth->costs.contactMs += drapeTimer_Ms(start);
	}
	const ImplicitDef def = {
		.mesh = active,
		.membrane = &simulation->model.membrane,
		.curvature = &simulation->model.curvature,
		.solver = &simulation->solver,
		.dampingTime = simulation->model.material.dampingTime,
		.gravity = s->world->gravity,
		.force = hasAir || curls ? simulation->outside.data : NULL,
		.previousPosition = simulation->historyPosition.data,
		.previousVelocity = simulation->historyVelocity.data,
		.previousStep = simulation->previousStep,
		.target = simulation->target.data,
		.thickness = simulation->model.material.thickness,
		.contactNormal = hasColliders ? simulation->contactNormal.data : NULL,
		.surfaceDisplacement = simulation->surfaceDisplacement.data,
		.bendSet = active->bendSet,
		.frictionState = simulation->frictionState.data,
		.touch = hasColliders ? RefindContacts : NULL,
		.touchContext = s,
		.dt = s->dt,
		.tasks = s->world->tasks,
	};
	return (ImplicitJob){&simulation->implicit, def, .position = active->position, .velocity = active->velocity};
}

static void RunExplicit(Substep* s, double time)
{
	ClothSimulation* simulation = &s->cloth->simulation;
	ForceContext forces = {.world = s->world, .cloth = s->cloth};
	Dynamics dynamics = {
		.count = s->cloth->active.particleCount,
		.position = s->cloth->active.position,
		.velocity = s->cloth->active.velocity,
		.acceleration = Acceleration,
		.context = &forces,
		.tasks = s->world->tasks,
		.scratch = simulation->scratch.data,
		.previousStep = simulation->previousStep,
	};
	drapeDynamics_Step(&dynamics, simulation->solver.integrator, time, s->dt);
	simulation->previousStep = dynamics.previousStep;
}

// Those of the cloths under way, all at once. Costs are the first one's: they are one solve.
static void RunImplicit(drapeWorld* world, double time)
{
	uint32_t count = world->substeps.count;
	for (uint32_t i = 0; i < count; ++i)
		world->jobs.data[i] = MakeJob(&world->substeps.data[i], time);
	ClothSimulation* first = &world->substeps.data[0].cloth->simulation;
	const Cloth* cloth = world->substeps.data[0].cloth;
	bool meets = cloth->contact == drape_contactAll && cloth->system != UINT8_MAX;
	const Substep* substep = &world->substeps.data[0];
	const ContactPoint* points = drapeContactStage_PointsAt(world, substep->fromFraction, substep->toFraction);
	ImplicitResult result = drapeImplicitSolver_StepTogether(world->jobs.data, count, &world->pairForces, points,
	                                                         meets ? world->points.count : 0, world->tasks);
	drapeContactCache_Remember(&world->contactCache, &world->pairForces);
	world->substeps.data[0].cloth->costs.solves += result.solves;
	world->substeps.data[0].cloth->costs.iterations += result.iterations;
	first->isPoor |= !result.converged && !(result.residual <= poorResidual);
	for (uint32_t i = 0; i < count; ++i)
		drapeCloth_RememberHistory(world->substeps.data[i].cloth, world->substeps.data[i].dt);
}

// What touches is held in the next substep, unless it slides anyway. Flags stay with their particles when the mesh
// changes.
static void MarkHeld(Cloth* cloth, bool hasColliders)
{
	const float slippery = 0.25f;
	ActiveMesh* active = &cloth->active;
	hasColliders &= cloth->simulation.model.material.friction >= slippery;
	for (uint32_t i = 0; i < active->particleCount; ++i)
	{
		bool isHeld = hasColliders && BitSet_Get(&cloth->simulation.contacts, i);
		uint8_t others = (uint8_t)(active->particleFlags[i] & ~drape_particleHeld);
		active->particleFlags[i] = isHeld ? (uint8_t)(others | drape_particleHeld) : others;
	}
}

static void FinishSubstep(Substep* s)
{
	if (s->decay < 1.0f)
		drapeTaskPool_For(s->world->tasks, s->cloth->active.particleCount, particleGrain, DampVelocities, s);
	drapePins_Settle(s->cloth, s->toFraction, s->cloth->active.position);
	LimitStretch(s);
	Collide(s);
	if (LimitsStretch(s->cloth))
		MarkHeld(s->cloth, !drapeScenery_IsEmpty(s->world));
}

static void RunSubstep(drapeWorld* world, double time)
{
	uint32_t count = world->substeps.count;
	for (uint32_t i = 0; i < count; ++i)
	{
		Substep* s = &world->substeps.data[i];
		s->start = s->cloth->simulation.previous.data;
		CopyRows(world, s->cloth->simulation.previous.data, s->cloth->active.position, s->cloth->active.particleCount);
		if (s->fromFraction > 0.0f)
			s->swept = s->start;
		drapePins_Place(s->cloth, s->toFraction, s->dt);
	}
	if (drapeIntegrator_IsImplicit(world->substeps.data[0].cloth->simulation.solver.integrator))
		RunImplicit(world, time);
	else
		RunExplicit(&world->substeps.data[0], time);
	for (uint32_t i = 0; i < count; ++i)
		FinishSubstep(&world->substeps.data[i]);
}

// --- the guard ------------------------------------------------------------------------------------------------------

// Energy of motion and height, and whether every number is one that can be worked with: by chunk, then summed in order.
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

// What may be gained in a step: what pins and colliders can push in, what the wind can, and half of what is there,
// since explicit integrators waver. An explosion multiplies the energy in every substep and is far beyond.
static double AllowedGain(const drapeWorld* world, const Cloth* cloth, float dt)
{
	const Model* model = &cloth->simulation.model;
	double area = cloth->pattern.area, mass = area * (double)model->material.density;
	double pushed = (double)fmaxf(drapePins_TopSpeed(cloth, dt), drapeScenery_TopSpeed(world, dt));
	double wind = (double)(V3Length(world->wind.velocity) + 3.0f * world->wind.swirlSpeed);
	double blowing = world->wind.kind == drape_windNone ? 0.0 : 2.0 * wind;
	double blown = (double)(world->wind.airDensity * (model->material.drag + model->material.lift)) * area * blowing *
	               blowing * blowing * (double)dt;
	double fall = mass * (double)V3Dot(world->gravity, world->gravity) * (double)dt * (double)dt;
	return 4.0 * mass * pushed * pushed + blown + fall + 1e-6;
}

static double ElasticEnergy(const Cloth* cloth, const Vec4* position)
{
	const Model* model = &cloth->simulation.model;
	return drapeModel_StretchEnergy(model, position) + drapeModel_BendEnergy(model, position);
}

// Elastic energy is only looked at when motion has grown by more than the rest allows.
static bool GainedTooMuch(const Cloth* cloth, const ClothSurvey* before, const ClothSurvey* after, double allowed)
{
	double gain = after->kinetic + after->gravity - before->kinetic - before->gravity;
	allowed += 0.5 * before->kinetic;
	if (gain <= allowed)
		return false;
	double elasticBefore = ElasticEnergy(cloth, cloth->simulation.savedPosition.data);
	double elasticAfter = ElasticEnergy(cloth, cloth->active.position);
	return gain + elasticAfter - elasticBefore > allowed + 0.5 * elasticBefore;
}

// What it takes to move particles out of colliders that they begin the step in, because they were put there: no energy
// from nowhere. Slow, and rarely needed.
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

// As many as the stability limit asks for, with a fifth to spare.
static uint32_t StableSubsteps(Cloth* cloth, float dt)
{
	ClothSimulation* simulation = &cloth->simulation;
	if (simulation->stableRevision != cloth->active.revision)
	{
		simulation->stableStep = drapeModel_StableStep(&simulation->model, &cloth->active, simulation->stiffness.data);
		simulation->stableRevision = cloth->active.revision;
	}
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

static void RunSubsteps(drapeWorld* world, float dt, uint32_t count)
{
	for (uint32_t i = 0; i < count; ++i)
	{
		for (uint32_t k = 0; k < world->substeps.count; ++k)
		{
			Substep* s = &world->substeps.data[k];
			const ClothSimulation* simulation = &s->cloth->simulation;
			s->dt = dt / (float)count;
			s->decay = expf(-simulation->solver.globalDamping * s->dt);
			s->fromFraction = (float)i / (float)count;
			s->toFraction = (float)(i + 1) / (float)count;
			s->swept = simulation->savedPosition.data;
		}
		RunSubstep(world, world->time + (double)dt * (double)i / (double)count);
	}
}

static bool ReserveImplicit(ClothSimulation* s, uint32_t count)
{
	return drapeCloth_ReserveHistory(s, count) && ArrayReserve(&s->target, count) && ArrayReserve(&s->outside, count) &&
	       ArrayReserve(&s->contactNormal, count) && ArrayReserve(&s->surfaceDisplacement, count);
}

// Triangles that internal friction holds.
static uint32_t BendSetCount(const Cloth* cloth)
{
	return cloth->simulation.model.curvature.hold > 0.0f ? cloth->active.triangleCount : 0;
}

// Room for the particles there are; the integrator's scratch is the largest.
static bool Reserve(Cloth* cloth)
{
	ClothSimulation* s = &cloth->simulation;
	uint32_t count = cloth->active.particleCount;
	return ArrayReserve(&s->previous, count) && ArrayReserve(&s->unlimited, count) &&
	       ArrayReserve(&s->savedPosition, count) && ArrayReserve(&s->savedVelocity, count) &&
	       ArrayReserve(&s->stiffness, count) && ArrayReserve(&s->surveys, TaskPool_ChunkCount(count, particleGrain)) &&
	       BitSet_Reserve(&s->contacts, count) && ArrayReserve(&s->savedBendSet, BendSetCount(cloth)) &&
	       (drapeIntegrator_IsImplicit(s->solver.integrator)
	            ? ReserveImplicit(s, count)
	            : ArrayReserve(&s->scratch, drapeIntegrator_ScratchRows(s->solver.integrator) * count));
}

// Distances stay true for as long as nothing moves; planes are only near enough, so each step looks for them anew and
// depends on nothing that came before.
static bool ReserveNear(const drapeWorld* world, ClothSimulation* s, uint32_t count)
{
	if (world->liveMeshes.count == 0)
		return true;
	if (!ArrayReserve(&s->near, count))
		return false;
	if (s->nearRevision != world->sceneryRevision)
		s->near.count = 0;
	for (uint32_t i = 0; i < MinU32(count, s->near.count); ++i)
		s->near.data[i].normal = (Vec3){0.0f, 0.0f, 0.0f};
	for (; s->near.count < count; ++s->near.count)
		s->near.data[s->near.count] = (NearGround){0};
	s->nearRevision = world->sceneryRevision;
	return true;
}

static void Save(drapeWorld* world, Cloth* cloth)
{
	CopyRows(world, cloth->simulation.savedPosition.data, cloth->active.position, cloth->active.particleCount);
	CopyRows(world, cloth->simulation.savedVelocity.data, cloth->active.velocity, cloth->active.particleCount);
	cloth->simulation.savedPreviousStep = cloth->simulation.previousStep;
	cloth->simulation.savedBendSet.count = BendSetCount(cloth);
	CopyRows(world, cloth->simulation.savedBendSet.data, cloth->active.bendSet, BendSetCount(cloth));
}

void drapeCloth_Undo(Cloth* cloth)
{
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

// The cloths under way, as they are when the step begins. False when memory is short.
static bool Begin(drapeWorld* world, Cloth* const* cloths, uint32_t count, float dt)
{
	world->substeps.count = 0;
	if (!ArrayReserve(&world->substeps, count) || !ArrayReserve(&world->jobs, count))
		return false;
	for (uint32_t i = 0; i < count; ++i)
	{
		uint64_t start = drapeTimer_Now();
		if (!drapeCloth_Follow(world, cloths[i]) || !Reserve(cloths[i]) ||
		    !ReserveNear(world, &cloths[i]->simulation, cloths[i]->active.particleCount))
			return false;
		cloths[i]->costs.followMs += drapeTimer_Ms(start);
	}
	for (uint32_t i = 0; i < count; ++i)
	{
		Cloth* cloth = cloths[i];
		Save(world, cloth);
		DrawIn(world, cloth);
		ArrayPush(&world->substeps, ((Substep){.world = world,
		                                       .cloth = cloth,
		                                       .before = Survey(world, cloth),
		                                       .allowed = AllowedGain(world, cloth, dt)}));
	}
	return true;
}

// An implicit step is a straight line to where the forces of its beginning lead. Cloth that meets the ground with its
// edge is pushed together in one step, and in the next buckles by far more than that line allows for. Says whether an
// edge got that much longer or shorter, over what it was and is at rest.
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

// Why the substeps that were made cannot be kept; NULL when they can. *isPoor is set when they should be repeated.
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

// Back to the beginning. Returns what it takes to get cloths out of colliders that they begin in, J, and the substeps
// that stability asks for.
static double Rewind(drapeWorld* world, float dt, bool isFirst, uint32_t* stable)
{
	double pushOut = 0.0;
	*stable = 1;
	for (uint32_t i = 0; i < world->substeps.count; ++i)
	{
		Substep* s = &world->substeps.data[i];
		drapeCloth_Undo(s->cloth);
		DrawIn(world, s->cloth);
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
		RunSubsteps(world, dt, substeps);
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
	for (uint32_t i = 0; i < count; ++i)
		drapeCloth_Undo(cloths[i]);
	snprintf(text, capacity, "%s, also with %u substeps: the cloth is too stiff or too light for this step", reason,
	         substeps);
	return drape_errorUnstable;
}
