// SPDX-License-Identifier: MIT
#include "world/substeps.h"

#include "base/timer.h"
#include "contact/response/pinch.h"
#include "world/history.h"
#include "world/world.h"

#include <string.h>

enum
{
	copyGrain = 4096,
	// Particles against colliders, and against meshes, which take long. Multiples of 64, for bits.
	colliderGrain = 512,
	meshGrain = 128,
};

// A solve that leaves more than this share of its right-hand side is worth repeating with smaller steps.
static const float poorResidual = 0.05f;

// --- rows -----------------------------------------------------------------------------------------------------------

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

void drapeRows_Copy(TaskPool* tasks, Vec4* to, const Vec4* from, uint32_t count)
{
	CopyTask task = {to, from};
	drapeTaskPool_For(tasks, count, copyGrain, CopyRange, &task);
}

static void ClearRows(uint32_t start, uint32_t end, uint32_t worker, void* context)
{
	(void)worker;
	memset((Vec4*)context + start, 0, (end - start) * sizeof(Vec4));
}

// --- forces ---------------------------------------------------------------------------------------------------------

typedef struct ForceContext
{
	drapeWorld* world;
	Cloth* cloth;
	Vec4* rows;
} ForceContext;

// Turns forces into accelerations in place.
static void Accelerate(uint32_t start, uint32_t end, uint32_t worker, void* context)
{
	(void)worker;
	const ForceContext* c = context;
	const Vec4* position = c->cloth->active.position;
	Vec3 gravity = Cloth_Gravity(c->cloth, c->world);
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
	DRAPE_ASSERT(model->revision == c->cloth->active.revision);
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

// --- the stretch limit ----------------------------------------------------------------------------------------------

static bool LimitsStretch(const Cloth* cloth)
{
	// Implicit integrators have the limit in their forces.
	const Model* model = &cloth->simulation.model;
	return model->usesEdges && !model->usesElements;
}

static void ApplyLimit(drapeWorld* world, Cloth* cloth, const Vec4* previous, float keptExcess)
{
	ClothSimulation* simulation = &cloth->simulation;
	DRAPE_ASSERT(previous != cloth->active.position);
	DRAPE_ASSERT(keptExcess >= 0.0f && keptExcess <= 1.0f);
	const StretchDef def = {
		.maxStretch = simulation->model.maxStretch,
		.iterations = simulation->solver.stretchIterations,
		.previous = previous,
		.keptExcess = keptExcess,
	};
	drapeStretchLimit_Apply(&simulation->stretchLimit, &cloth->active, &simulation->model.stretch, &def, world->tasks);
}

// Edges are too long when a step begins because sweeps are few, or because the application or adaptation moved
// particles. Corrections of the substeps become velocities. They never shorten an edge below its length at the
// beginning, so they only stop motion and gain no energy.
void drapeCloth_DrawIn(drapeWorld* world, Cloth* cloth)
{
	ClothSimulation* simulation = &cloth->simulation;
	if (!LimitsStretch(cloth))
		return;
	Vec4* previous = Cloth_Rows(cloth, simulation->previous);
	drapeRows_Copy(world->tasks, previous, cloth->active.position, cloth->active.particleCount);
	ApplyLimit(world, cloth, previous, 0.0f);
}

// The stretch limit moved particles within this substep: their velocities follow.
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

static void LimitStretch(Substep* s)
{
	ClothSimulation* simulation = &s->cloth->simulation;
	ActiveMesh* active = &s->cloth->active;
	if (!LimitsStretch(s->cloth))
		return;
	DRAPE_ASSERT(simulation->unlimited.capacity >= active->particleCount);
	drapeRows_Copy(s->world->tasks, simulation->unlimited.data, active->position, active->particleCount);
	ApplyLimit(s->world, s->cloth, s->start, 1.0f);
	drapeTaskPool_For(s->world->tasks, active->particleCount, particleGrain, AddCorrections, s);
}

// Particles that touch a collider are held in the next substep, unless friction is low and they slide anyway. Flags
// stay with their particles when the mesh changes.
static void MarkHeld(Cloth* cloth, bool hasColliders)
{
	const float slippery = 0.25f;
	ActiveMesh* active = &cloth->active;
	float friction = cloth->simulation.model.material.friction;
	const float* factors = Cloth_Painted(cloth, drape_vertexFriction);
	for (uint32_t i = 0; i < active->particleCount; ++i)
	{
		bool isSlippery = !((factors ? factors[i] * friction : friction) >= slippery);
		bool isHeld = hasColliders && !isSlippery && BitSet_Get(&cloth->simulation.contacts, i);
		uint8_t others = (uint8_t)(active->particleFlags[i] & ~drape_particleHeld);
		active->particleFlags[i] = isHeld ? (uint8_t)(others | drape_particleHeld) : others;
	}
}

static EdgeLimitsDef DescribeLimits(Substep* s)
{
	ClothSimulation* simulation = &s->cloth->simulation;
	return (EdgeLimitsDef){
		.previous = s->start,
		.supported = &simulation->contacts,
		.attached = s->hasAttached ? &simulation->attached : NULL,
		.maxStretch = simulation->model.hardStretch,
		// A step that is repeated in parts moves the cloth as a whole; corrections of single edges would disturb it.
		// Without contact of faces and edges, colliders would undo them.
		.isHardOnly = s->isRepeated || s->cloth->contact != drape_contactAll,
		.dt = s->dt,
		.tasks = s->world->tasks,
	};
}

// Corrects edges that changed too much within the substep, and their history. Returns whether particles moved.
static bool LimitEdges(Substep* s)
{
	ClothSimulation* simulation = &s->cloth->simulation;
	const EdgeLimitsDef def = DescribeLimits(s);
	uint32_t count = drapeEdgeLimits_Apply(&simulation->edgeLimits, &s->cloth->active, &def);
	const BitSet* moved = &simulation->edgeLimits.moved;
	uint32_t particles = simulation->edgeLimits.hasMoved ? s->cloth->active.particleCount : 0;
	for (uint32_t i = BitSet_Next(moved, 0, particles); i != DRAPE_NONE; i = BitSet_Next(moved, i + 1, particles))
		drapeCloth_RestartHistory(s->cloth, i);
	s->cloth->costs.limitedEdges += count;
	s->cloth->costs.freeLimitedEdges += simulation->edgeLimits.freeCount;
	return simulation->edgeLimits.hasMoved;
}

// --- colliders ------------------------------------------------------------------------------------------------------

static ContactDef MakeContact(const Substep* s)
{
	const drapeMaterial* material = &s->cloth->simulation.model.material;
	ContactDef contact = drapeScenery_Contact(s->cloth);
	DRAPE_ASSERT(s->dt > 0.0f);
	DRAPE_ASSERT(s->fromFraction >= 0.0f && s->fromFraction < s->toFraction && s->toFraction <= 1.0f);
	contact.thickness = material->thickness;
	contact.activationDistance = drapeImplicit_ContactActivationDistance(material->thickness);
	contact.friction = material->friction;
	drapePainted_DescribeContact(s->cloth, &contact);
	contact.fromFraction = s->fromFraction;
	contact.toFraction = s->toFraction;
	contact.movedFrom = s->fromFraction;
	contact.dt = s->dt;
	contact.near = contact.meshCount == 0 ? NULL : s->cloth->simulation.near;
	contact.meshesRest = !s->cloth->seen.moves;
	contact.passed = s->cloth->contact == drape_contactAll ? &s->cloth->simulation.passed : NULL;
	return contact;
}

static uint32_t ContactGrain(const ContactDef* contact)
{
	return contact->meshCount > 0 ? meshGrain : colliderGrain;
}

static void ResolveContacts(uint32_t start, uint32_t end, uint32_t worker, void* context)
{
	(void)worker;
	Substep* s = context;
	ClothSimulation* simulation = &s->cloth->simulation;
	drapeContact_Resolve(&s->contact, &s->cloth->active, s->swept, &simulation->contacts, start, end);
}

// Particles that the solver keeps off colliders count as touching.
static void MarkSolverContacts(Cloth* cloth)
{
	ClothSimulation* simulation = &cloth->simulation;
	for (uint32_t i = 0; i < cloth->active.particleCount; ++i)
	{
		if (simulation->contactNormal.data[i].w > 0.0f)
			BitSet_Set(&simulation->contacts, i);
	}
}

// Colliders pass through released particles: saves their rows, or restores them.
static void MoveReleased(Cloth* cloth, bool isBack)
{
	ClothSimulation* simulation = &cloth->simulation;
	for (uint32_t i = 0; i < simulation->released.count; ++i)
	{
		uint32_t particle = simulation->released.data[i];
		Vec4 *x = &cloth->active.position[particle], *v = &cloth->active.velocity[particle];
		Vec4* rows = &simulation->releasedRows.data[2 * i];
		Vec4 saved[2] = {*x, *v};
		if (isBack)
		{
			*x = rows[0];
			*v = rows[1];
			BitSet_Clear(&simulation->contacts, particle);
		}
		else
			memcpy(rows, saved, sizeof saved);
	}
}

static void Collide(Substep* s)
{
	if (drapeScenery_IsEmpty(s->cloth))
		return;
	uint64_t start = drapeTimer_Now();
	DRAPE_ASSERT(s->swept && s->cloth->simulation.contacts.capacity >= s->cloth->active.particleCount);
	s->contact = MakeContact(s);
	BitSet_ClearAll(&s->cloth->simulation.contacts, s->cloth->active.particleCount);
	MoveReleased(s->cloth, false);
	Deadline_Count(&s->world->deadline, workCollide, s->cloth->active.particleCount);
	drapeTaskPool_For(s->world->tasks, s->cloth->active.particleCount, ContactGrain(&s->contact), ResolveContacts, s);
	MoveReleased(s->cloth, true);
	if (drapeIntegrator_IsImplicit(s->cloth->simulation.solver.integrator))
	{
		drapeCloth_RestartTouchingHistory(s->cloth);
		MarkSolverContacts(s->cloth);
	}
	s->cloth->costs.collideMs += drapeTimer_Ms(start);
}

typedef struct FindContactsTask
{
	ContactDef contact;
	const Vec4* position;
	Vec4 *contactNormal, *surfaceDisplacement;
	const Vec4* clothNormal; // unit
	PinchState* pinch;
	BitSet* narrow;     // particles that touch a surface on which another one closes
	float outerSide;    // 1 if the cloth's normals are on its outer side, -1 if on its inner side, 0 without either
	bool testsContacts; // every particle that touches may be pinched, not only released ones
} FindContactsTask;

static bool IsTouching(const FindContactsTask* task, uint32_t particle)
{
	return task->testsContacts && task->contactNormal[particle].w > 0.0f && task->position[particle].w > 0.0f;
}

// Finds the particles that touch in narrow places. Ranges begin at multiples of the grain: no two share a word of bits.
static void FindNarrowRange(uint32_t start, uint32_t end, uint32_t worker, void* context)
{
	(void)worker;
	const FindContactsTask* task = context;
	for (uint32_t i = start; i < end; ++i)
	{
		if (!IsTouching(task, i) || task->pinch[i].depth != 0.0f)
			continue;
		const ContactDef own = ContactDef_Of(&task->contact, i);
		if (drapeContact_IsNarrow(&own, V4Xyz(task->position[i]), task->contactNormal[i], task->surfaceDisplacement[i]))
			BitSet_Set(task->narrow, i);
	}
}

// Finds out which particles are pinched between colliders or inside them.
static void FindPinchesRange(uint32_t start, uint32_t end, uint32_t worker, void* context)
{
	(void)worker;
	const FindContactsTask* task = context;
	bool hasPassed = task->contact.passed && task->contact.passed->isAny;
	for (uint32_t i = start; i < end; ++i)
	{
		bool mayBegin = IsTouching(task, i) && (hasPassed || BitSet_Get(task->narrow, i));
		if (mayBegin || (task->pinch[i].depth != 0.0f && task->position[i].w > 0.0f))
		{
			const ContactDef own = ContactDef_Of(&task->contact, i);
			drapeContact_FindPinch(&own, V4Xyz(task->position[i]),
			                       V3Scale(task->outerSide, V4Xyz(task->clothNormal[i])), &task->pinch[i],
			                       &task->contactNormal[i], &task->surfaceDisplacement[i]);
		}
	}
}

static void FindContactsRange(uint32_t start, uint32_t end, uint32_t worker, void* context)
{
	(void)worker;
	const FindContactsTask* task = context;
	drapeContact_FindContacts(&task->contact, task->position, task->contactNormal, task->surfaceDisplacement, start,
	                          end);
}

// Returns FindContactsTask::outerSide: contacts are on the inner side. A cloth that is not worn has as many on both.
// Particles in narrow places, which are about to touch surfaces on both sides, count only where no others touch.
static float FindOuterSide(const FindContactsTask* task, uint32_t count)
{
	const uint32_t clear = 2; // times as many on one side
	uint32_t sides[2][2] = {{0, 0}, {0, 0}};
	for (uint32_t i = 0; i < count; ++i)
	{
		float along = V3Dot(V4Xyz(task->contactNormal[i]), V4Xyz(task->clothNormal[i]));
		if (task->contactNormal[i].w > 0.0f && task->pinch[i].depth == 0.0f)
			sides[BitSet_Get(task->narrow, i)][along < 0.0f]++;
	}
	const uint32_t* side = sides[sides[0][0] + sides[0][1] == 0];
	return side[0] > clear * side[1] ? 1.0f : side[1] > clear * side[0] ? -1.0f : 0.0f;
}

// Contact normals and surface displacements of particles at these positions, from a fraction of the step to the end of
// the substep.
static void FindContacts(const Substep* s, float fromFraction, const Vec4* position, Vec4* contactNormal,
                         Vec4* surfaceDisplacement)
{
	FindContactsTask task = {
		.contact = MakeContact(s),
		.position = position,
		.contactNormal = contactNormal,
		.surfaceDisplacement = surfaceDisplacement,
	};
	task.contact.fromFraction = fromFraction;
	task.contact.velocity = s->cloth->seen.moves && fromFraction < s->toFraction ? s->cloth->active.velocity : NULL;
	uint32_t count = s->cloth->active.particleCount;
	drapeTaskPool_For(s->world->tasks, count, ContactGrain(&task.contact), FindContactsRange, &task);
	// Only colliders that move can close on a particle. Newton iterations keep the result of the first one.
	if (!(fromFraction < s->toFraction))
		return;
	task.pinch = Cloth_Pinches(s->cloth);
	task.testsContacts = s->cloth->seen.moves;
	task.clothNormal = s->cloth->active.normal;
	task.narrow = &s->cloth->simulation.narrow;
	BitSet_ClearAll(task.narrow, count);
	if (task.testsContacts)
	{
		drapeTaskPool_For(s->world->tasks, count, ContactGrain(&task.contact), FindNarrowRange, &task);
		task.outerSide = FindOuterSide(&task, count);
	}
	drapeTaskPool_For(s->world->tasks, count, ContactGrain(&task.contact), FindPinchesRange, &task);
}

// A particle leaves a surface if it moves away from it by more than this within a substep, in thicknesses.
static const float leavingShare = 0.25f;

// Returns whether a particle that touches a collider at rest leaves it within the substep.
static bool IsLeaving(const Substep* s, uint32_t particle)
{
	const ClothSimulation* simulation = &s->cloth->simulation;
	Vec3 travel = V3Scale(s->dt, V4Xyz(s->cloth->active.velocity[particle]));
	const float* factors = Cloth_Painted(s->cloth, drape_vertexThickness);
	float thickness = simulation->model.material.thickness;
	return V3Dot(V4Xyz(simulation->contactNormal.data[particle]), travel) >
	       leavingShare * (factors ? factors[particle] * thickness : thickness);
}

// Lists the particles that are inside colliders or pinched, and counts those that are pinched. Returns whether contacts
// may open or close within the substep: surfaces move, or most particles that touch leave.
static bool ListReleased(const Substep* s)
{
	Cloth* cloth = s->cloth;
	uint32_t touching = 0, leaving = 0;
	ClothSimulation* simulation = &cloth->simulation;
	const PinchState* pinch = Cloth_Pinches(cloth);
	simulation->released.count = cloth->costs.pinched = 0;
	for (uint32_t i = 0; i < cloth->active.particleCount; ++i)
	{
		if (simulation->contactNormal.data[i].w != 0.0f)
		{
			touching++;
			leaving += IsLeaving(s, i);
		}
		if (pinch[i].depth == 0.0f)
			continue;
		ArrayPush(&simulation->released, i);
		cloth->costs.pinched += simulation->contactNormal.data[i].w < 0.0f;
	}
	return s->cloth->seen.moves ? touching > 0 : 2 * leaving > touching;
}

static void RefindContacts(const Vec4* position, Vec4* contactNormal, Vec4* surfaceDisplacement, void* context)
{
	const Substep* s = context;
	const ClothSimulation* simulation = &s->cloth->simulation;
	FindContacts(s, s->toFraction, position, contactNormal, surfaceDisplacement);
	for (uint32_t i = 0; i < simulation->released.count; ++i)
	{
		if (simulation->contactNormal.data[simulation->released.data[i]].w == 0.0f)
			contactNormal[simulation->released.data[i]].w = 0.0f;
	}
}

// --- integration ----------------------------------------------------------------------------------------------------

// Forces of the air with drag, and of rest curvature, in `outside`. False when there are none.
static bool FindOutsideForces(Substep* s, double time)
{
	ClothSimulation* simulation = &s->cloth->simulation;
	ActiveMesh* active = &s->cloth->active;
	bool hasAir = s->world->wind.airDensity > 0.0f, hasRest = drapeModel_HasRestForces(&simulation->model);
	DRAPE_ASSERT(simulation->outside.capacity >= active->particleCount);
	if (hasAir || hasRest)
		drapeTaskPool_For(s->world->tasks, active->particleCount, particleGrain, ClearRows, simulation->outside.data);
	if (hasAir)
	{
		ModelState state = {active->position, active->velocity, time};
		drapeModel_AddAirAndDrag(&simulation->model, &s->world->wind, &state, simulation->outside.data,
		                         s->world->tasks);
	}
	if (hasRest)
		drapeModel_AddRestForces(&simulation->model, active->position, simulation->outside.data);
	return hasAir || hasRest;
}

// Everything that the solve of a substep reads and writes of a cloth.
static ImplicitJob MakeJob(Substep* s, double time)
{
	ClothSimulation* simulation = &s->cloth->simulation;
	ActiveMesh* active = &s->cloth->active;
	DRAPE_ASSERT(simulation->target.capacity >= active->particleCount);
	drapeRows_Copy(s->world->tasks, Cloth_Rows(s->cloth, simulation->previousVelocity), active->velocity,
	               active->particleCount);
	drapePins_Settle(s->cloth, s->toFraction, simulation->target.data);
	bool hasForces = FindOutsideForces(s, time), hasColliders = !drapeScenery_IsEmpty(s->cloth), isChanging = false;
	if (hasColliders)
	{
		uint64_t start = drapeTimer_Now();
		FindContacts(s, s->fromFraction, active->position, simulation->contactNormal.data,
		             simulation->surfaceDisplacement.data);
		// Velocities of the midpoint rule alternate and predict nothing.
		isChanging = ListReleased(s) && simulation->solver.integrator != drape_integratorImplicitMidpoint;
		Deadline_Count(&s->world->deadline, workCollide, active->particleCount);
		s->cloth->costs.collideMs += drapeTimer_Ms(start);
	}
	const ImplicitDef def = {
		.mesh = active,
		.model = &simulation->model,
		.solver = &simulation->solver,
		.dampingTime = simulation->model.material.dampingTime,
		.gravity = Cloth_Gravity(s->cloth, s->world),
		.force = hasForces ? simulation->outside.data : NULL,
		.previousPosition = Cloth_Rows(s->cloth, simulation->historyPosition),
		.previousVelocity = Cloth_Rows(s->cloth, simulation->historyVelocity),
		.previousStep = simulation->previousStep,
		.target = simulation->target.data,
		.thickness = simulation->model.material.thickness,
		.thicknessFactor = Cloth_Painted(s->cloth, drape_vertexThickness),
		.contactNormal = hasColliders ? simulation->contactNormal.data : NULL,
		.surfaceDisplacement = simulation->surfaceDisplacement.data,
		.bendSet = active->bendSet,
		.frictionState = Cloth_Rows(s->cloth, simulation->frictionState),
		.touch = hasColliders ? RefindContacts : NULL,
		.touchContext = s,
		.surfacesMove = isChanging && s->cloth->seen.moves,
		.contactsChange = isChanging,
		.newtonIterations = hasColliders && (s->cloth->seen.moves || s->isRepeated) ? 2 : 1,
		.dt = s->dt,
		.tasks = s->world->tasks,
		.deadline = &s->world->deadline,
	};
	return (ImplicitJob){&simulation->implicit, def, .position = active->position, .velocity = active->velocity};
}

static void RunExplicit(Substep* s, double time)
{
	ClothSimulation* simulation = &s->cloth->simulation;
	ForceContext forces = {.world = s->world, .cloth = s->cloth};
	DRAPE_ASSERT(!drapeIntegrator_IsImplicit(simulation->solver.integrator));
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
	Deadline_Count(&s->world->deadline, workForces, s->cloth->active.triangleCount);
	drapeDynamics_Step(&dynamics, simulation->solver.integrator, time, s->dt);
	simulation->previousStep = dynamics.previousStep;
}

// One solve for the first `count` cloths of the substep. Its costs are booked on the first of them.
static void RunImplicit(drapeWorld* world, uint32_t count, double time)
{
	DRAPE_ASSERT(count > 0 && count <= world->substeps.count && count <= world->jobs.capacity);
	for (uint32_t i = 0; i < count; ++i)
		world->jobs.data[i] = MakeJob(&world->substeps.data[i], time);
	ClothSimulation* first = &world->substeps.data[0].cloth->simulation;
	const Cloth* cloth = world->substeps.data[0].cloth;
	bool meets = cloth->system != contactNotSolved;
	const Substep* substep = &world->substeps.data[0];
	const ContactPoint* points =
		drapeContactStage_PointsAt(&world->contact, substep->fromFraction, substep->toFraction);
	const WorldConstraints* constraints = &world->constraints;
	const PairInput pairs = {points, meets ? world->contact.points.count : 0, constraints->solved.data,
	                         constraints->inMatrix};
	ImplicitResult result =
		drapeImplicitSolver_StepTogether(world->jobs.data, count, &world->pairForces, &pairs, world->tasks);
	drapeContactCache_Remember(&world->contact.cache, world->pairForces.frictionState.data, world->pairForces.count);
	world->substeps.data[0].cloth->costs.solves += result.solves;
	world->substeps.data[0].cloth->costs.iterations += result.iterations;
	first->isPoor |= !result.converged && !result.isCut && !(result.residual <= poorResidual);
	for (uint32_t i = 0; i < count; ++i)
		drapeCloth_RememberHistory(world->substeps.data[i].cloth, world->substeps.data[i].dt);
	drapeConstraints_StoreForces(world);
}

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

// Particles that colliders support within this substep, as far as the solver knows. The bits of the last substep are no
// part of the state.
static void MarkSupported(Substep* s)
{
	BitSet_ClearAll(&s->cloth->simulation.contacts, s->cloth->active.particleCount);
	if (!drapeScenery_IsEmpty(s->cloth) && drapeIntegrator_IsImplicit(s->cloth->simulation.solver.integrator))
		MarkSolverContacts(s->cloth);
}

static void LimitSubstep(Substep* s)
{
	if (s->decay < 1.0f)
		drapeTaskPool_For(s->world->tasks, s->cloth->active.particleCount, particleGrain, DampVelocities, s);
	drapePins_Settle(s->cloth, s->toFraction, s->cloth->active.position);
	LimitStretch(s);
	if (LimitsStretch(s->cloth))
		return;
	MarkSupported(s);
	LimitEdges(s);
}

// Pushing particles out of colliders may stretch single edges. Colliders have the last word.
static void CollideSubstep(Substep* s)
{
	Collide(s);
	if (!LimitsStretch(s->cloth) && !drapeScenery_IsEmpty(s->cloth) && LimitEdges(s))
	{
		const EdgeLimitsDef def = DescribeLimits(s);
		Collide(s);
		s->cloth->costs.stuckEdges += drapeEdgeLimits_Count(&s->cloth->simulation.edgeLimits, &s->cloth->active, &def);
	}
	if (LimitsStretch(s->cloth))
		MarkHeld(s->cloth, !drapeScenery_IsEmpty(s->cloth));
}

// Cloths with implicit integrators come first.
static uint32_t CountImplicit(const drapeWorld* world)
{
	uint32_t count = 0;
	while (count < world->substeps.count &&
	       drapeIntegrator_IsImplicit(world->substeps.data[count].cloth->simulation.solver.integrator))
		count++;
	return count;
}

// Marks the particles of hard constraints to kinematic points.
static void MarkAttached(drapeWorld* world)
{
	const WorldConstraints* constraints = &world->constraints;
	for (uint32_t i = 0; i < world->substeps.count; ++i)
		world->substeps.data[i].hasAttached = false;
	for (uint32_t i = 0; i < constraints->solved.count; ++i)
	{
		const Constraint* c = &constraints->solved.data[i];
		bool isKinematic = true;
		for (int k = 0; k < constraintSlots; ++k)
			isKinematic &= c->particle[k] == DRAPE_NONE || c->weight[k] >= 0.0f;
		// A limit that does not act holds nothing.
		isKinematic &= !c->isLimit || c->load > 0.0f || !drapeConstraint_TraitsOf(c->kind)->isOneSided;
		for (int k = 0; k < constraintSlots && isKinematic && drapeConstraint_IsHard(c); ++k)
		{
			if (c->particle[k] == DRAPE_NONE || !(c->weight[k] > 0.0f))
				continue;
			Substep* s = &world->substeps.data[c->system[k]];
			BitSet* attached = &s->cloth->simulation.attached;
			if (!s->hasAttached)
				BitSet_ClearAll(attached, s->cloth->active.particleCount);
			s->hasAttached = true;
			BitSet_Set(attached, c->particle[k]);
		}
	}
}

static void RunSubstep(drapeWorld* world, double time)
{
	uint32_t count = world->substeps.count;
	for (uint32_t i = 0; i < count; ++i)
	{
		Substep* s = &world->substeps.data[i];
		Vec4* previous = Cloth_Rows(s->cloth, s->cloth->simulation.previous);
		s->start = previous;
		drapeRows_Copy(world->tasks, previous, s->cloth->active.position, s->cloth->active.particleCount);
		if (s->fromFraction > 0.0f)
			s->swept = s->start;
		drapePins_Place(s->cloth, s->toFraction, s->dt);
	}
	drapeConstraints_Gather(world);
	MarkAttached(world);
	uint32_t implicit = CountImplicit(world);
	if (implicit > 0)
		RunImplicit(world, implicit, time);
	for (uint32_t i = implicit; i < count; ++i)
	{
		if (!world->substeps.data[i].isStill)
			RunExplicit(&world->substeps.data[i], time);
	}
	drapeStepBudget_EndSolve(world);
	for (uint32_t i = 0; i < count; ++i)
		LimitSubstep(&world->substeps.data[i]);
	drapeConstraints_Project(world);
	for (uint32_t i = 0; i < count; ++i)
		drapeSkin_Project(&world->substeps.data[i], world->tasks);
	for (uint32_t i = 0; i < count; ++i)
		CollideSubstep(&world->substeps.data[i]);
	drapeConstraints_Finish(world);
}

// Sets up a substep between two fractions of a step of dt seconds.
static void BeginSubstep(drapeWorld* world, float dt, float fromFraction, float toFraction)
{
	for (uint32_t k = 0; k < world->substeps.count; ++k)
	{
		Substep* s = &world->substeps.data[k];
		const ClothSimulation* simulation = &s->cloth->simulation;
		s->dt = dt;
		s->decay = Math_ExpF(-simulation->solver.globalDamping * s->dt);
		s->fromFraction = fromFraction;
		s->toFraction = toFraction;
		s->swept = simulation->savedPosition.data;
		s->isStill = false;
	}
}

uint32_t drapeSubsteps_Run(drapeWorld* world, float dt, uint32_t count)
{
	DRAPE_ASSERT(dt > 0.0f && count > 0 && world->substeps.count > 0);
	double cost = 0.0;
	for (uint32_t i = 0; i < count && !Deadline_IsCancelled(&world->deadline); ++i)
	{
		DeadlineMark mark = drapeDeadline_Mark(&world->deadline);
		bool isCut = i > 0 && drapeDeadline_Stops(&world->deadline, cost);
		float part = isCut ? dt * ((float)(count - i) / (float)count) : dt / (float)count;
		BeginSubstep(world, part, (float)i / (float)count, isCut ? 1.0f : (float)(i + 1) / (float)count);
		for (uint32_t k = 0; k < world->substeps.count; ++k)
			world->substeps.data[k].isStill = isCut;
		RunSubstep(world, world->time + (double)dt * (double)i / (double)count);
		if (isCut)
			return i + 1;
		if (i > 0)
			drapeDeadline_SetOptional(&world->deadline, mark);
		cost = drapeDeadline_Used(&world->deadline) - mark.used;
	}
	return count;
}

// --- memory ---------------------------------------------------------------------------------------------------------

static bool ReserveImplicit(ClothSimulation* s, uint32_t count)
{
	return ArrayReserve(&s->target, count) && ArrayReserve(&s->outside, count) &&
	       ArrayReserve(&s->contactNormal, count) && ArrayReserve(&s->surfaceDisplacement, count) &&
	       ArrayReserve(&s->released, count) && ArrayReserve(&s->releasedRows, 2 * count);
}

// Clearances hold as long as no collider moves, lists of triangles as long as the mesh is the same. Planes are
// approximate, so each step finds them again and depends on nothing that came before.
static bool ReserveNear(const drapeWorld* world, Cloth* cloth)
{
	const ColumnDef def = {.name = "drape.near", .size = sizeof(MeshNearCache), .rule = columnZero};
	ClothSimulation* s = &cloth->simulation;
	uint32_t count = cloth->active.particleCount, column = drapeColumns_Find(&cloth->active.columns, def.name);
	s->near = NULL;
	if (drapeScenery_Contact(cloth).meshCount == 0)
		return true;
	if (column == DRAPE_NONE)
		column = drapeColumns_Add(&cloth->active, &def);
	if (column == DRAPE_NONE)
		return false;
	s->near = Columns_Data(&cloth->active.columns, column);
	if (s->nearMeshes != world->meshesRevision)
		memset(s->near, 0, count * sizeof(MeshNearCache));
	const bool hasMoved = s->nearRevision != world->sceneryRevision;
	for (uint32_t i = 0; i < count; ++i)
	{
		s->near[i].normal = (Vec3){0.0f, 0.0f, 0.0f};
		s->near[i].clearance = hasMoved ? 0.0f : s->near[i].clearance;
		s->near[i].hasSurfacePoint &= !hasMoved;
	}
	s->nearRevision = world->sceneryRevision;
	s->nearMeshes = world->meshesRevision;
	return true;
}

bool drapeSubsteps_Reserve(drapeWorld* world, Cloth* cloth)
{
	ClothSimulation* s = &cloth->simulation;
	uint32_t count = cloth->active.particleCount;
	return (!LimitsStretch(cloth) || ArrayReserve(&s->unlimited, count)) && BitSet_Reserve(&s->contacts, count) &&
	       BitSet_Reserve(&s->attached, count) && BitSet_Reserve(&s->narrow, count) && ReserveNear(world, cloth) &&
	       (drapeIntegrator_IsImplicit(s->solver.integrator)
	            ? ReserveImplicit(s, count)
	            : ArrayReserve(&s->scratch, drapeIntegrator_ScratchRows(s->solver.integrator) * count));
}
