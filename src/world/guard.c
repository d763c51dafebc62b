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
	maxRetries = 4,  // with twice the substeps each, before a cloth is damped and then held
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
	SurveyTask task = {&cloth->active, Cloth_Gravity(cloth, world), cloth->simulation.surveys.data};
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
	double area = cloth->pattern->area, mass = Cloth_Mass(cloth);
	double pushed = (double)MaxNumF(drapePins_TopSpeed(cloth, dt), drapeScenery_TopSpeed(cloth, dt));
	double wind = (double)(V3Length(world->wind.velocity) + 3.0f * world->wind.swirlSpeed);
	double blowing = world->wind.kind == drape_windNone ? 0.0 : 2.0 * wind;
	double blown = (double)(world->wind.airDensity * (model->material.drag + model->material.lift)) * area * blowing *
	               blowing * blowing * (double)dt;
	Vec3 gravity = Cloth_Gravity(cloth, world);
	double fall = mass * (double)V3Dot(gravity, gravity) * (double)dt * (double)dt;
	return 4.0 * mass * pushed * pushed + blown + fall + 1e-6 + drapeConstraints_AllowedGain(world, cloth, dt) +
	       drapePins_AllowedWork(cloth);
}

static double ElasticEnergy(const Cloth* cloth, const Vec4* position)
{
	const Model* model = &cloth->simulation.model;
	return drapeModel_StretchEnergy(model, position) + drapeModel_BendEnergy(model, position);
}

static double MechanicalEnergy(const ClothSurvey* survey)
{
	return survey->kinetic + survey->gravity;
}

// Elastic energy is computed only when kinetic and potential energy have grown by more than the step allows.
static bool GainedTooMuch(const Cloth* cloth, const ClothSurvey* before, const ClothSurvey* after, double allowed)
{
	double gain = MechanicalEnergy(after) - MechanicalEnergy(before);
	DRAPE_ASSERT(after->isUsable && allowed >= 0.0);
	allowed += 0.5 * before->kinetic;
	if (gain <= allowed)
		return false;
	double elasticBefore = ElasticEnergy(cloth, cloth->simulation.savedPosition.data);
	double elasticAfter = ElasticEnergy(cloth, cloth->active.position);
	return gain + elasticAfter - elasticBefore > allowed + 0.5 * elasticBefore;
}

// The energy in J that the cloths of an attempt have lost. They may have given it to others, by contact or constraints.
static double LostEnergy(const drapeWorld* world)
{
	double sum = 0.0;
	for (uint32_t i = 0; i < world->substeps.count; ++i)
	{
		const Substep* s = &world->substeps.data[i];
		if (s->after.isUsable)
			sum += MaxNum(MechanicalEnergy(&s->before) - MechanicalEnergy(&s->after), 0.0);
	}
	return sum;
}

// The energy that it takes to move particles out of colliders that they begin the step in, because the application put
// them there. Slow, and rarely needed.
static double PushOutEnergy(const drapeWorld* world, const Cloth* cloth)
{
	ContactDef contact = drapeScenery_Contact(cloth);
	contact.thickness = cloth->simulation.model.material.thickness;
	drapePainted_DescribeContact(cloth, &contact);
	const ActiveMesh* active = &cloth->active;
	double energy = 0.0, gravity = (double)V3Length(Cloth_Gravity(cloth, world));
	for (uint32_t i = 0; i < active->particleCount && !drapeScenery_IsEmpty(cloth); ++i)
	{
		Vec3 outside = V4Xyz(active->position[i]);
		const ContactDef own = ContactDef_Of(&contact, i);
		if (active->position[i].w <= 0.0f || !drapeContact_PushOut(&own, &outside))
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

// The substeps of a step of dt seconds at a rate in Hz.
static uint32_t SubstepsAtRate(const drapeSolverDef* solver, float dt)
{
	float wanted = floorf(dt * solver->stepRate + 0.5f);
	DRAPE_ASSERT(solver->stepRate > 0.0f && solver->maxSubsteps > 0);
	return wanted >= (float)solver->maxSubsteps ? solver->maxSubsteps : MaxU32(1, (uint32_t)wanted);
}

// The number of substeps of a first attempt, without those that earlier steps needed.
static uint32_t ChooseSubsteps(Cloth* cloth, float dt)
{
	const ClothSimulation* simulation = &cloth->simulation;
	const drapeSolverDef* solver = &simulation->solver;
	if (solver->substeps > 0)
		return MinU32(solver->substeps, solver->maxSubsteps);
	if (solver->stepRate > 0.0f)
		return SubstepsAtRate(solver, dt);
	return drapeIntegrator_IsImplicit(solver->integrator) ? 1 : StableSubsteps(cloth, dt);
}

// Urgency of the memory: what the first repeated step adds, the value from which on steps begin with as many substeps as
// were needed, and the largest. A single repetition has no consequence. After two in a row, seven steps begin with as many
// substeps; while steps need them now and then, one of ten is tried with fewer.
enum
{
	urgencyRise = 4,
	urgencyLeast = 6,
	urgencyMost = 24,
};

// The substeps that the memory of a cloth asks for; 0 for none.
static uint32_t Remembered(const Cloth* cloth)
{
	const SubstepMemory* memory = &cloth->simulation.memory;
	return memory->urgency >= urgencyLeast ? memory->needed : 0;
}

// Stores whether cloths needed more substeps than they were given at first. A step that began with remembered substeps is
// not repeated for few of them; the next one begins with more.
static void Remember(drapeWorld* world, uint32_t usual, uint32_t first, uint32_t made)
{
	for (uint32_t i = 0; i < world->substeps.count; ++i)
	{
		const Substep* s = &world->substeps.data[i];
		SubstepMemory* memory = &s->cloth->simulation.memory;
		if (s->needsMore && made > first)
			*memory = (SubstepMemory){made, MinU32(2 * memory->urgency + urgencyRise, urgencyMost)};
		else if (s->needsMore)
			memory->needed = MaxU32(memory->needed, MinU32(2 * made, usual << poorRetries));
		else if (memory->urgency > 0)
			memory->urgency--;
	}
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
	       ArrayReserve(&s->savedBendSet, BendSetCount(cloth)) && ArrayReserve(&s->savedPinch, count) &&
	       (s->frictionState == DRAPE_NONE || ArrayReserve(&s->savedFriction, count)) &&
	       ArrayReserve(&s->savedSkinLoad, drapeSkin_HasLimits(cloth) ? count : 0) &&
	       ArrayReserve(&s->stiffness, count) && ArrayReserve(&s->surveys, TaskPool_ChunkCount(count, particleGrain));
}

static void Save(drapeWorld* world, Cloth* cloth)
{
	drapeRows_Copy(world->tasks, cloth->simulation.savedPosition.data, cloth->active.position,
	               cloth->active.particleCount);
	drapeRows_Copy(world->tasks, cloth->simulation.savedVelocity.data, cloth->active.velocity,
	               cloth->active.particleCount);
	if (Cloth_Pinches(cloth))
		memcpy(cloth->simulation.savedPinch.data, Cloth_Pinches(cloth),
		       cloth->active.particleCount * sizeof(PinchState));
	if (cloth->simulation.frictionState != DRAPE_NONE)
		drapeRows_Copy(world->tasks, cloth->simulation.savedFriction.data,
		               Cloth_Rows(cloth, cloth->simulation.frictionState), cloth->active.particleCount);
	if (drapeSkin_HasLimits(cloth))
		memcpy(cloth->simulation.savedSkinLoad.data, Cloth_Painted(cloth, paintedSkinLoad),
		       cloth->active.particleCount * sizeof(SkinLoad));
	cloth->simulation.savedPreviousStep = cloth->simulation.previousStep;
	cloth->simulation.savedMemory = cloth->simulation.memory;
	cloth->simulation.savedBendSet.count = BendSetCount(cloth);
	drapeRows_Copy(world->tasks, cloth->simulation.savedBendSet.data, cloth->active.bendSet, BendSetCount(cloth));
}

void drapeCloth_Undo(Cloth* cloth)
{
	DRAPE_ASSERT(cloth->simulation.savedPosition.capacity >= cloth->active.particleCount);
	DRAPE_ASSERT(cloth->simulation.savedBendSet.count <= cloth->active.triangleCount);
	memcpy(cloth->active.position, cloth->simulation.savedPosition.data, cloth->active.particleCount * sizeof(Vec4));
	memcpy(cloth->active.velocity, cloth->simulation.savedVelocity.data, cloth->active.particleCount * sizeof(Vec4));
	if (Cloth_Pinches(cloth))
		memcpy(Cloth_Pinches(cloth), cloth->simulation.savedPinch.data,
		       cloth->active.particleCount * sizeof(PinchState));
	if (drapeSkin_HasLimits(cloth))
		memcpy(Columns_Data(&cloth->active.columns, cloth->painted[paintedSkinLoad]),
		       cloth->simulation.savedSkinLoad.data, cloth->active.particleCount * sizeof(SkinLoad));
	if (cloth->simulation.savedBendSet.count > 0)
		memcpy(cloth->active.bendSet, cloth->simulation.savedBendSet.data,
		       cloth->simulation.savedBendSet.count * sizeof(Vec4));
	cloth->simulation.memory = cloth->simulation.savedMemory;
	// Substeps have overwritten the history: implicit integrators begin without one.
	drapeCloth_ForgetHistory(cloth);
	// A step that fails or is cancelled must not lose the friction of resting cloth.
	if (cloth->simulation.frictionState != DRAPE_NONE)
		memcpy(Cloth_Rows(cloth, cloth->simulation.frictionState), cloth->simulation.savedFriction.data,
		       cloth->active.particleCount * sizeof(Vec4));
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
		DeadlineMark mark = drapeDeadline_Mark(&world->deadline);
		if (cloths[i]->simulation.model.revision != cloths[i]->active.revision)
			Deadline_Count(&world->deadline, workFollow, cloths[i]->active.triangleCount);
		if (!drapeCloth_Follow(world, cloths[i]) || !Reserve(cloths[i]) || !drapeSubsteps_Reserve(world, cloths[i]))
			return false;
		cloths[i]->costs.followMs += drapeTimer_Ms(start);
		drapeStepBudget_AddPass(world, mark);
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

// True when so many edges changed too much that the step was too long for the cloth as a whole: it moves in straight
// lines, and cloth that hits a collider with its edge buckles. A few edges, such as those beside a fast collider or a pin,
// are corrected. They are no reason to repeat the step of the cloth and of all cloths that are solved with it.
static bool OverShot(const Cloth* cloth)
{
	const uint32_t mostFree = 200, most = 150, few = 8; // one of so many edges, if these are more than a few
	const ClothCosts* costs = &cloth->costs;
	uint32_t edges = cloth->active.edgeCount;
	bool isAlone = cloth->contact != drape_contactAll && costs->limitedEdges > 0; // nothing else corrects the edge
	return drapeIntegrator_IsImplicit(cloth->simulation.solver.integrator) &&
	       (isAlone || costs->stuckEdges > 0 || costs->freeLimitedEdges > MaxU32(few, edges / mostFree) ||
	        costs->limitedEdges > MaxU32(few, edges / most));
}

// Sets Substep::problem of each cloth: why its attempt cannot be kept, NULL when it can. Returns whether an attempt with
// more substeps is worthwhile although all can be kept.
static bool Judge(drapeWorld* world)
{
	bool isPoor = false;
	for (uint32_t i = 0; i < world->substeps.count; ++i)
		world->substeps.data[i].after = Survey(world, world->substeps.data[i].cloth);
	double lost = LostEnergy(world);
	for (uint32_t i = 0; i < world->substeps.count; ++i)
	{
		Substep* s = &world->substeps.data[i];
		bool isOwnPoor = s->cloth->simulation.isPoor || OverShot(s->cloth);
		isPoor |= isOwnPoor;
		s->problem = NULL;
		if (!s->after.isUsable)
			s->problem = "numbers stopped being finite";
		else if (GainedTooMuch(s->cloth, &s->before, &s->after, s->allowed + lost))
			s->problem = "energy came from nowhere";
		s->needsMore |= isOwnPoor || s->problem;
	}
	return isPoor;
}

static bool HasProblem(const drapeWorld* world)
{
	for (uint32_t i = 0; i < world->substeps.count; ++i)
	{
		if (world->substeps.data[i].problem)
			return true;
	}
	return false;
}

// A repeated attempt finds the loads of contacts anew: those of an impact would throw the cloth off.
static void ForgetLoads(Cloth* cloth)
{
	if (cloth->simulation.frictionState != DRAPE_NONE)
		memset(Cloth_Rows(cloth, cloth->simulation.frictionState), 0, cloth->active.particleCount * sizeof(Vec4));
}

// A step that begins with remembered substeps is the repetition that it replaces, without the attempts before it.
static void BeginAsRepetition(drapeWorld* world)
{
	for (uint32_t i = 0; i < world->substeps.count; ++i)
	{
		Cloth* cloth = world->substeps.data[i].cloth;
		world->substeps.data[i].isRepeated = true;
		if (drapeIntegrator_IsImplicit(cloth->simulation.solver.integrator))
			drapeCloth_ForgetHistory(cloth);
	}
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
		ForgetLoads(s->cloth);
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

// Runs the substeps of one attempt and judges the result.
static bool Attempt(drapeWorld* world, float dt, uint32_t substeps)
{
	for (uint32_t i = 0; i < world->substeps.count; ++i)
	{
		world->substeps.data[i].cloth->simulation.isPoor = false;
		world->substeps.data[i].cloth->costs.limitedEdges = 0;
		world->substeps.data[i].cloth->costs.freeLimitedEdges = 0;
		world->substeps.data[i].cloth->costs.stuckEdges = 0;
	}
	uint32_t made = drapeSubsteps_Run(world, dt, substeps);
	for (uint32_t i = 0; i < world->substeps.count; ++i)
		world->substeps.data[i].cloth->costs.substeps = made;
	return Judge(world);
}

static void CountRetry(drapeWorld* world)
{
	for (uint32_t i = 0; i < world->substeps.count; ++i)
	{
		world->substeps.data[i].cloth->costs.retries++;
		world->substeps.data[i].isRepeated = true;
	}
}

// Edges that changed too much in an attempt, of all cloths, per substep.
static float CountLimited(const drapeWorld* world, uint32_t substeps)
{
	uint32_t count = 0;
	for (uint32_t i = 0; i < world->substeps.count; ++i)
		count += world->substeps.data[i].cloth->costs.limitedEdges;
	return (float)count / (float)substeps;
}

// Makes the first attempt once more, because more substeps made it worse.
static void RepeatFirst(drapeWorld* world, float dt, uint32_t substeps)
{
	uint32_t stable;
	Rewind(world, dt, false, &stable);
	for (uint32_t i = 0; i < world->substeps.count; ++i)
		world->substeps.data[i].isRepeated = false;
	Attempt(world, dt, substeps);
}

// Repeats the step with more and more substeps, a bounded number of times. `usual` are the substeps of a step without
// memory. Returns the substeps of the last attempt.
static uint32_t TrySmallerSteps(drapeWorld* world, float dt, uint32_t usual, uint32_t substeps, uint32_t most)
{
	bool isPushOutKnown = false;
	const uint32_t firstSubsteps = substeps,
				   mostPoor = substeps > usual ? substeps : MinU32(usual << poorRetries, most);
	float firstLimited = 0.0f;
	for (uint32_t attempt = 0;; ++attempt)
	{
		DeadlineMark mark = drapeDeadline_Mark(&world->deadline);
		bool isPoor = Attempt(world, dt, substeps), hasProblem = HasProblem(world);
		if (attempt > 0)
			drapeDeadline_SetOptional(&world->deadline, mark);
		if (Deadline_IsCancelled(&world->deadline))
			return substeps;
		if (attempt == 0)
			firstLimited = hasProblem ? INFINITY : CountLimited(world, substeps);
		if (!hasProblem && !(isPoor && attempt < poorRetries && substeps < mostPoor))
		{
			if (!(isPoor && attempt > 0 && CountLimited(world, substeps) > 2.0f * firstLimited))
				return substeps;
			RepeatFirst(world, dt, firstSubsteps);
			return firstSubsteps;
		}
		bool isFirst = hasProblem && !isPushOutKnown;
		isPushOutKnown |= hasProblem;
		if (hasProblem && !isFirst && (attempt >= maxRetries || substeps >= most))
			return substeps;
		// The next attempt takes at least as long as this one, and twice as long with twice the substeps.
		if (drapeDeadline_Stops(&world->deadline, 2.0 * (drapeDeadline_Used(&world->deadline) - mark.used)))
			return substeps;
		uint32_t stable;
		double pushOut = Rewind(world, dt, isFirst, &stable);
		CountRetry(world);
		if (!(pushOut > 0.0))
			substeps = MinU32(MaxU32(2 * substeps, stable), most);
	}
}

// --- cloths that no number of substeps can move -----------------------------------------------------------------------

static const float dampedShare = 0.1f; // of the velocities that a damped cloth keeps

static void ScaleVelocities(Cloth* cloth, float factor)
{
	Vec4* velocity = cloth->active.velocity;
	for (uint32_t i = 0; i < cloth->active.particleCount; ++i)
		velocity[i] = (Vec4){factor * velocity[i].x, factor * velocity[i].y, factor * velocity[i].z, velocity[i].w};
}

// The cloth stays where it was when the step began, except that pins move.
static void Hold(Cloth* cloth)
{
	drapeCloth_Undo(cloth);
	ScaleVelocities(cloth, 0.0f);
	drapePins_Settle(cloth, 1.0f, cloth->active.position);
	cloth->costs.isHeld = true;
}

static void Report(drapeWorld* world, Cloth* cloth, const char* problem, const char* measure)
{
	drapeStepWarning* warning = &world->warning;
	Vec3 sum = {0.0f, 0.0f, 0.0f};
	for (uint32_t i = 0; i < cloth->pattern->vertexCount; ++i)
		sum = V3Add(sum, V4Xyz(cloth->simulation.savedPosition.data[i]));
	warning->count++;
	warning->time = world->time;
	warning->cloth = drapeCloth_Id(world, cloth->slot);
	warning->position = V3Scale(1.0f / (float)cloth->pattern->vertexCount, sum);
	snprintf(warning->text, sizeof warning->text, "%s, also with %u substeps; the cloth was %s for this step", problem,
	         cloth->costs.substeps, measure);
}

static void HoldProblems(drapeWorld* world)
{
	for (uint32_t i = 0; i < world->substeps.count; ++i)
	{
		Substep* s = &world->substeps.data[i];
		if (!s->problem)
			continue;
		Report(world, s->cloth, s->problem, "held");
		Hold(s->cloth);
	}
}

// Repeats the step with the cloths damped that have a problem; those that still have one are held. Without time for a
// repetition, all of them are held.
static void Degrade(drapeWorld* world, float dt, uint32_t substeps)
{
	uint32_t stable;
	if (!drapeDeadline_Fits(&world->deadline, 0.0))
	{
		HoldProblems(world);
		return;
	}
	for (uint32_t i = 0; i < world->substeps.count; ++i)
		world->substeps.data[i].wasDamped = world->substeps.data[i].problem != NULL;
	Rewind(world, dt, false, &stable);
	CountRetry(world);
	for (uint32_t i = 0; i < world->substeps.count; ++i)
	{
		Substep* s = &world->substeps.data[i];
		if (!s->wasDamped)
			continue;
		Report(world, s->cloth, s->problem, "damped");
		ScaleVelocities(s->cloth, dampedShare);
		s->cloth->costs.isDamped = true;
	}
	Attempt(world, dt, substeps);
	HoldProblems(world);
}

bool drapeCloths_Simulate(drapeWorld* world, Cloth* const* cloths, uint32_t count, float dt)
{
	DRAPE_ASSERT(count > 0 && dt > 0.0f);
	if (!Begin(world, cloths, count, dt))
		return false;
	uint32_t usual = 1, remembered = 1, most = 1;
	for (uint32_t i = 0; i < count; ++i)
	{
		usual = MaxU32(usual, ChooseSubsteps(cloths[i], dt));
		remembered = MaxU32(remembered, Remembered(cloths[i]));
		most = MaxU32(most, cloths[i]->simulation.solver.maxSubsteps);
	}
	uint32_t first = MinU32(MaxU32(usual, remembered), most);
	if (first > usual)
		BeginAsRepetition(world);
	uint32_t substeps = TrySmallerSteps(world, dt, usual, first, most);
	Remember(world, usual, first, substeps);
	if (HasProblem(world) && !Deadline_IsCancelled(&world->deadline))
		Degrade(world, dt, substeps);
	return true;
}
