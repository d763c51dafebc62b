// SPDX-License-Identifier: MIT
#include "solve/implicit.h"

#include "base/simd.h"

#include <float.h>
#include <string.h>

enum
{
	elementGrain = 512,
	edgeGrain = 512,
	particleGrain = 1024,
};

// Pins are filtered out of the finest level. On coarser levels they are anchor terms of this many times the stiffness
// of the cloth.
static const float constraintStiffness = 10.0f;

// Hard constraints (constraint.h) are this many times stiffer than that.
static const float hardConstraint = 5.0f;

float drapeImplicit_ContactActivationDistance(float thickness)
{
	DRAPE_ASSERT(thickness >= 0.0f);
	return 1.2f * thickness + 1e-4f;
}

static BlockMatrix* Finest(ImplicitSolver* solver)
{
	DRAPE_ASSERT(solver->multigrid.levelCount > 0);
	return &solver->multigrid.levels[solver->multigrid.levelCount - 1].matrix;
}

// Per row: the positions at which the quadratic energy acts. Between solves the scratch vector of the finest level is free.
static Vec4* Shape(ImplicitSolver* solver)
{
	DRAPE_ASSERT(solver->multigrid.levelCount > 0);
	return solver->multigrid.levels[solver->multigrid.levelCount - 1].t.data;
}

static void ChooseScheme(ImplicitJob* step)
{
	DRAPE_ASSERT(step->def.dt > 0.0f && drapeIntegrator_IsImplicit(step->def.solver->integrator));
	const ImplicitDef* def = &step->def;
	step->stepScale = 1.0f;
	step->s = def->dt;
	step->history = 0.0f;
	if (def->solver->integrator == drape_integratorImplicitMidpoint)
	{
		step->s = 0.5f * def->dt;
		step->stepScale = 2.0f;
	}
	// Steps of different length: the derivative at the end of a parabola through three points in time. The method is
	// unstable for steps more than 1 + sqrt 2 times as long as the last one. Such steps, and the first one, use Euler.
	if (def->solver->integrator == drape_integratorBdf2 && def->dt <= 2.4f * def->previousStep)
	{
		float ratio = def->dt / def->previousStep;
		step->s = def->dt * (1.0f + ratio) / (1.0f + 2.0f * ratio);
		step->history = ratio * ratio / (1.0f + 2.0f * ratio);
	}
}

// --- the beginning --------------------------------------------------------------------------------------------------

static void BeginRange(uint32_t start, uint32_t end, uint32_t worker, void* context)
{
	(void)worker;
	const ImplicitJob* step = context;
	const ImplicitDef* def = &step->def;
	ImplicitSolver* solver = step->solver;
	const F8 history = F8_Splat(step->history), s = F8_Splat(step->s);
	const V8 fall = V8_Scale(F8_Splat(step->s * step->s), V8_Splat(def->gravity));
	for (uint32_t g = start; g < end; ++g)
	{
		const uint32_t* particle = &solver->hierarchy.particleOf.data[8 * g];
		V8 velocity = V8_Gather(def->mesh->velocity, particle);
		V8 zero = {F8_Splat(0.0f), F8_Splat(0.0f), F8_Splat(0.0f)}, from = zero;
		if (step->history > 0.0f)
		{
			V8 position = V8_Gather(def->mesh->position, particle);
			from = V8_Scale(history, V8_Sub(position, V8_Gather(def->previousPosition, particle)));
			V8 change = V8_Sub(velocity, V8_Gather(def->previousVelocity, particle));
			velocity = V8_Add(velocity, V8_Scale(history, change));
		}
		V8_StoreRows(solver->start.data + 8 * g, from);
		V8 onward = V8_Add(from, V8_Scale(s, velocity));
		V8_StoreRows(solver->inertia.data + 8 * g, V8_Add(onward, fall));
		V8_StoreRows(solver->pcg.x.data + 8 * g, onward);
		V8_StoreRows(solver->moved.data + 8 * g, zero);
	}
}

// --- forces and stiffness -------------------------------------------------------------------------------------------

typedef struct ElementTask
{
	const ImplicitJob* step;
	uint32_t energy;
} ElementTask;

static void ElementRange(uint32_t start, uint32_t end, uint32_t worker, void* context)
{
	(void)worker;
	const ElementTask* task = context;
	const ImplicitJob* step = task->step;
	const ModelEnergy* energy = &step->def.model->energies[task->energy];
	const ElementSpan* span = &step->solver->elements[task->energy];
	const EnergyQuery query = {
		.position = step->now,
		.velocity = step->solver->velocity.data,
		.dampingTime = step->def.dampingTime,
		.materialScale = step->s * (step->s + step->def.dampingTime),
		.geometricScale = step->s * step->s,
	};
	energy->type->evaluate(step->def.model, &energy->elements, &query, start, end,
	                       step->solver->elementForce + span->forceStart,
	                       step->solver->elementBlock + span->blockStart);
}

static void EvaluateElements(const ImplicitJob* step)
{
	ImplicitSolver* solver = step->solver;
	solver->elementForce[solver->zeroForce] = (Vec4){0};
	memset(&solver->elementBlock[solver->zeroBlock], 0, 3 * sizeof(Vec4));
	for (uint32_t i = 0; i < step->def.model->energyCount; ++i)
	{
		ElementTask task = {step, i};
		uint32_t count = solver->elements[i].count;
		DRAPE_ASSERT(count == drapeElement_Count(step->def.model->energies[i].type->elements, step->def.mesh));
		if (count > 0)
			drapeTaskPool_For(step->def.tasks, count, elementGrain, ElementRange, &task);
	}
}

typedef struct ElementBlock
{
	Vec4 column[3]; // the fourth components are 0
} ElementBlock;

DRAPE_INLINE ElementBlock LoadBlock(const Vec4* column, bool flip)
{
	Vec4 a = column[0], b = column[1], c = column[2];
	if (!flip)
		return (ElementBlock){.column = {a, b, c}};
	return (ElementBlock){.column = {{a.x, b.x, c.x, 0.0f}, {a.y, b.y, c.y, 0.0f}, {a.z, b.z, c.z, 0.0f}}};
}

DRAPE_INLINE Vec4 AddRows(Vec4 a, Vec4 b)
{
	return (Vec4){a.x + b.x, a.y + b.y, a.z + b.z, a.w + b.w};
}

// Adds up the blocks of pairs of rows.
static void PairRange(uint32_t start, uint32_t end, uint32_t worker, void* context)
{
	(void)worker;
	const ImplicitJob* step = context;
	ImplicitSolver* solver = step->solver;
	BlockMatrix* matrix = Finest(solver);
	const Vec4* element = solver->elementBlock;
	const uint32_t* source = solver->sources.data + solver->sourceStart.data[start];
	for (uint32_t e = start; e < end; ++e)
	{
		const uint32_t* last = solver->sources.data + solver->sourceStart.data[e + 1];
		// Elements are scattered in memory and fetched ahead. The list has entries past its end for this.
		for (int side = 0; side < 2; ++side)
		{
			const char* ahead = (const char*)&element[source[16 + side] >> 1];
			DRAPE_PREFETCH(ahead);
			DRAPE_PREFETCH(ahead + 47);
		}
		ElementBlock sum = LoadBlock(&element[source[0] >> 1], source[0] & 1);
		for (++source; source < last; ++source)
		{
			ElementBlock other = LoadBlock(&element[*source >> 1], *source & 1);
			for (int k = 0; k < 3; ++k)
				sum.column[k] = AddRows(sum.column[k], other.column[k]);
		}
		for (uint32_t k = 0; k < 3; ++k)
		{
			float* out = &matrix->blocks.data[blockFloats * (size_t)e + 3 * k];
			out[0] = sum.column[k].x;
			out[1] = sum.column[k].y;
			out[2] = sum.column[k].z;
		}
	}
}

static bool HasFriction(const ImplicitJob* step)
{
	return step->frictionScale > 0.0f;
}

static bool IsFirst(const ImplicitJob* step)
{
	return step->now == step->def.mesh->position;
}

static void FindInternalFriction(const ImplicitJob* step)
{
	DRAPE_ASSERT(step->def.bendSet);
	ImplicitSolver* solver = step->solver;
	const InternalFrictionQuery query = {
		.position = step->now,
		.particleCount = step->def.mesh->particleCount,
		.begins = IsFirst(step),
		.displacement = solver->pcg.x.data,
		.rowOf = solver->hierarchy.rowOf.data,
		.set = step->def.bendSet,
	};
	const Model* model = step->def.model;
	drapeModel_Quadratic(model)->findFriction(model, &query, solver->internalFriction.data, step->def.tasks);
}

// x now + damping time times v now: the positions at which the quadratic energy acts. Internal friction was evaluated
// after the expected displacement; the matrix has its stiffness from there on.
static void ShapeRange(uint32_t start, uint32_t end, uint32_t worker, void* context)
{
	(void)worker;
	const ImplicitJob* step = context;
	ImplicitSolver* solver = step->solver;
	const F8 rate = F8_Splat(step->def.dampingTime / step->s);
	const F8 hold = F8_Splat(step->frictionScale);
	bool hasExpected = HasFriction(step) && IsFirst(step);
	for (uint32_t g = start; g < end; ++g)
	{
		V8 moved = V8_LoadRows(solver->moved.data + 8 * g), from = V8_LoadRows(solver->start.data + 8 * g);
		V8 x = V8_Gather(step->now, &solver->hierarchy.particleOf.data[8 * g]);
		V8 shape = V8_Add(x, V8_Scale(rate, V8_Sub(moved, from)));
		if (hasExpected)
			shape = V8_Sub(shape, V8_Scale(hold, V8_LoadRows(solver->pcg.x.data + 8 * g)));
		V8_StoreRows(Shape(solver) + 8 * g, shape);
	}
}

// The gradient of the quadratic energy: minus its force.
DRAPE_INLINE V8 QuadraticGradient(const BlockMatrix* matrix, const Vec4* shape, uint32_t g)
{
	V8 own = V8_LoadRows(shape + 8 * g), sum = {F8_Splat(0.0f), F8_Splat(0.0f), F8_Splat(0.0f)};
	for (uint32_t slot = matrix->ringStart.data[g]; slot < matrix->ringStart.data[g + 1]; ++slot)
	{
		V8 d = V8_Sub(V8_GatherAt(shape, &matrix->ringOffset.data[8 * slot]), own);
		sum = V8_Add(sum, V8_Scale(F8_Load(&matrix->ringQuadratic.data[8 * slot]), d));
	}
	for (uint32_t slot = matrix->wideStart.data[g]; slot < matrix->wideStart.data[g + 1]; ++slot)
	{
		V8 d = V8_Sub(V8_GatherAt(shape, &matrix->wideOffset.data[8 * slot]), own);
		sum = V8_Add(sum, V8_Scale(F8_Load(&matrix->wide.data[8 * slot]), d));
	}
	return sum;
}

// Right-hand side and anchor term of eight rows: b = m (inertia - moved) + s^2 f, G = m + s drag.
static void RowRange(uint32_t start, uint32_t end, uint32_t worker, void* context)
{
	(void)worker;
	const ImplicitJob* step = context;
	const ImplicitDef* def = &step->def;
	ImplicitSolver* solver = step->solver;
	BlockMatrix* matrix = Finest(solver);
	const F8 square = F8_Splat(step->s * step->s), s = F8_Splat(step->s);
	for (uint32_t g = start; g < end; ++g)
	{
		const uint32_t* particle = &solver->hierarchy.particleOf.data[8 * g];
		V8 force = {F8_Splat(0.0f), F8_Splat(0.0f), F8_Splat(0.0f)}, v;
		if (step->hasQuadratic)
			force = V8_Scale(F8_Splat(-1.0f), QuadraticGradient(matrix, Shape(solver), g));
		for (uint32_t slot = solver->forceStart.data[g]; slot < solver->forceStart.data[g + 1]; ++slot)
			force = V8_Add(force, V8_Gather(solver->elementForce, &solver->forceRows.data[8 * slot]));
		if (HasFriction(step))
			force = V8_Add(force, V8_Gather(solver->internalFriction.data, particle));
		F8 mass, anchor;
		F8_GatherRows4(def->mesh->velocity, particle, &v.x, &v.y, &v.z, &mass);
		V8 moved = V8_LoadRows(solver->moved.data + 8 * g);
		V8 b = V8_Scale(mass, V8_Sub(V8_LoadRows(solver->inertia.data + 8 * g), moved));
		anchor = mass;
		if (def->force)
		{
			// The force of the air changes with the velocity: drag (v then - v now), with v now = (moved - start) / s.
			V8 outside, change;
			F8 drag;
			F8_GatherRows4(def->force, particle, &outside.x, &outside.y, &outside.z, &drag);
			drag = F8_Mul(s, drag);
			change = V8_Sub(V8_Add(V8_Scale(s, v), V8_LoadRows(solver->start.data + 8 * g)), moved);
			force = V8_Add(force, outside);
			b = V8_Add(b, V8_Scale(drag, change));
			anchor = F8_Add(anchor, drag);
		}
		V8_StoreRows(solver->pcg.b.data + 8 * g, V8_Add(b, V8_Scale(square, force)));
		float* out = &matrix->anchor.data[48 * g];
		const F8 zero = F8_Splat(0.0f);
		F8_Store(out, anchor);
		F8_Store(out + 8, zero);
		F8_Store(out + 16, zero);
		F8_Store(out + 24, anchor);
		F8_Store(out + 32, zero);
		F8_Store(out + 40, anchor);
	}
}

// Clears the rows past the last, which are copies of it until now.
static void ClearPadding(ImplicitSolver* solver, BlockMatrix* matrix)
{
	for (uint32_t row = matrix->rowCount; row < 8 * matrix->groupCount; ++row)
	{
		solver->pcg.b.data[row] = (Vec4){0};
		Shape(solver)[row] = (Vec4){0};
		for (int k = 0; k < 6; ++k)
			matrix->anchor.data[48 * (row / 8) + 8 * k + row % 8] = 0.0f;
	}
}

// Computes forces and matrix at x now.
static void Assemble(ImplicitJob* step)
{
	ImplicitSolver* solver = step->solver;
	TaskPool* tasks = step->def.tasks;
	BlockMatrix* matrix = Finest(solver);
	EvaluateElements(step);
	drapeTaskPool_For(tasks, matrix->edgeCount, edgeGrain, PairRange, step);
	if (HasFriction(step))
		FindInternalFriction(step);
	if (step->hasQuadratic)
		Matrix_For(tasks, matrix->groupCount, ShapeRange, step);
	Matrix_For(tasks, matrix->groupCount, RowRange, step);
	ClearPadding(solver, matrix);
	matrix->quadraticScale = step->s * (step->s + step->def.dampingTime + step->s * step->frictionScale);
}

// --- constraints ----------------------------------------------------------------------------------------------------

static float ThicknessAt(const ImplicitDef* def, uint32_t particle)
{
	return def->thicknessFactor ? def->thicknessFactor[particle] * def->thickness : def->thickness;
}

// The barrier begins a little above the thickness, which collision response enforces after the solve.
static Barrier ContactBarrier(const ImplicitJob* step, const Touch* touch, uint32_t particle)
{
	DRAPE_ASSERT(touch->mass > 0.0f);
	const float strength = 20.0f; // in weights
	float thickness = ThicknessAt(&step->def, particle),
		  usual = strength * barrierWeighing * step->s * step->s * touch->mass;
	return (Barrier){
		.activation = drapeImplicit_ContactActivationDistance(thickness),
		.floor = 0.9f * thickness - 5e-5f,
		.linearShare = 0.2f,
		.strength = Barrier_Strength(usual, touch->load),
	};
}

// A new contact. The drive, kg m, would move the particle without contact: its normal part gives the load, and friction
// reduces its tangential part.
static void Arrive(Touch* touch, Vec3 drive)
{
	Vec3 along = Touch_Tangential(touch, drive);
	float size = V3Length(along);
	touch->load = MaxNumF(-V3Dot(touch->normal, drive), 0.0f);
	float left = MaxNumF(size - touch->friction * touch->load, 0.0f);
	touch->expected = size > 0.0f ? V3Scale(left / (touch->mass * size), along) : along;
}

// Finds the contact of a particle at its present position. False when there is none.
static bool FindTouch(const ImplicitJob* step, uint32_t row, Touch* touch)
{
	const ImplicitDef* def = &step->def;
	const ImplicitSolver* solver = step->solver;
	uint32_t particle = solver->hierarchy.particleOf.data[row];
	bool isFirst = IsFirst(step);
	Vec4 from = def->contactNormal[particle], now = solver->touchNormal.data[particle];
	Vec3 moved = V4Xyz(solver->moved.data[row]);
	*touch = (Touch){.start = V4Xyz(solver->start.data[row]), .mass = def->mesh->velocity[particle].w};
	if (def->mesh->position[particle].w > 0.0f && from.w > 0.0f)
	{
		// The plane of the contact holds for small displacements. Moving surfaces are looked up again.
		bool isLookedUp = !isFirst && def->contactsChange;
		if (isLookedUp && !(now.w > 0.0f))
			return false;
		Vec4 surface = isLookedUp ? solver->touchDisplacement.data[particle] : def->surfaceDisplacement[particle];
		Vec3 displacement = V3Scale(1.0f / step->stepScale, V4Xyz(surface));
		touch->normal = isLookedUp ? V4Xyz(now) : V4Xyz(from);
		touch->friction = from.w - 1.0f;
		touch->displacement = V3Sub(moved, displacement);
		touch->expected = isFirst ? V3Sub(V4Xyz(solver->pcg.x.data[row]), displacement) : touch->displacement;
		Touch_Recall(touch, def->frictionState[particle], step->s);
		touch->distance = surface.w + (isLookedUp ? 0.0f : V3Dot(touch->normal, touch->displacement));
		return true;
	}
	if (isFirst || def->mesh->position[particle].w <= 0.0f || now.w <= 0.0f)
		return false;
	// The last iteration moved the particle into contact. Friction starts in the next step.
	touch->normal = V4Xyz(now);
	touch->displacement =
		V3Sub(moved, V3Scale(1.0f / step->stepScale, V4Xyz(solver->touchDisplacement.data[particle])));
	touch->expected = touch->displacement;
	touch->load = INFINITY;
	touch->distance = solver->touchDisplacement.data[particle].w;
	return true;
}

// Strength at which a pinched particle follows its displacement, in masses: along the axis between the surfaces, and
// sideways, where cloth that is pulled may slide through.
static const float pinchAlong = 100.0f, pinchAcross = 10.0f;

// A particle that is pinched between colliders (contact/response/pinch.h) follows the middle between them.
static TouchLaw PinchLaw(const ImplicitJob* step, uint32_t row, uint32_t particle)
{
	float mass = step->def.mesh->velocity[particle].w, firmness = -step->def.contactNormal[particle].w;
	Vec3 target = V3Scale(1.0f / step->stepScale, V4Xyz(step->def.surfaceDisplacement[particle]));
	Vec3 left = V3Sub(target, V4Xyz(step->solver->moved.data[row]));
	TouchLaw law = touchNone;
	law.normal = V4Xyz(step->def.contactNormal[particle]);
	law.along = firmness * pinchAlong * mass;
	law.across = firmness * pinchAcross * mass;
	law.force =
		V3Add(V3Scale(law.across, left), V3Scale((law.along - law.across) * V3Dot(law.normal, left), law.normal));
	return law;
}

static void AddContactsRange(uint32_t start, uint32_t end, uint32_t worker, void* context)
{
	(void)worker;
	const ImplicitJob* step = context;
	ImplicitSolver* solver = step->solver;
	bool isFirst = IsFirst(step);
	for (uint32_t row = start; row < end; ++row)
	{
		Touch touch;
		uint32_t particle = solver->hierarchy.particleOf.data[row];
		bool isPinched = step->def.contactNormal[particle].w < 0.0f;
		solver->touches.data[row] = touchNone;
		if (isPinched)
		{
			TouchLaw pinch = PinchLaw(step, row, particle);
			Vec4* load = &solver->pcg.b.data[row];
			*load = (Vec4){load->x + pinch.force.x, load->y + pinch.force.y, load->z + pinch.force.z, 0.0f};
			BlockMatrix_AddAnchor(Finest(solver), row, pinch.across, pinch.along - pinch.across, pinch.normal);
			continue;
		}
		if (!FindTouch(step, row, &touch))
			continue;
		Vec4* b = &solver->pcg.b.data[row];
		Barrier barrier = ContactBarrier(step, &touch, particle);
		float stiffness;
		// A contact that opens within the step must not hold as hard as before. The load of a new contact cannot be told
		// from the forces at the prediction: contacts between cloths are deep there, and friction would tear the cloth.
		if (!isFirst && step->def.contactsChange)
			touch.load = MinNumF(touch.load, Barrier_Push(&barrier, touch.distance, &stiffness));
		else if (!(touch.load < INFINITY))
			Arrive(&touch, V3Add(V4Xyz(*b), V3Scale(touch.mass, touch.displacement)));
		TouchLaw law = Touch_Law(&touch, &barrier, step->s);
		*b = (Vec4){b->x + law.force.x, b->y + law.force.y, b->z + law.force.z, 0.0f};
		BlockMatrix_AddAnchor(Finest(solver), row, law.across, law.along - law.across, law.normal);
		solver->touches.data[row] = law;
	}
}

// Stores the friction state for the next step.
static void StoreFrictionRange(uint32_t start, uint32_t end, uint32_t worker, void* context)
{
	(void)worker;
	const ImplicitJob* step = context;
	ImplicitSolver* solver = step->solver;
	for (uint32_t row = start; row < end; ++row)
	{
		Vec3 x = V4Xyz(solver->pcg.x.data[row]);
		solver->frictionState.data[row] = TouchLaw_FrictionState(&solver->touches.data[row], x, step->s);
	}
}

// Finds the contacts at x now, once per iteration.
static void FindTouches(ImplicitJob* step)
{
	DRAPE_ASSERT(step->def.touch && !IsFirst(step));
	ImplicitSolver* solver = step->solver;
	if (!step->hasTouches)
		step->def.touch(solver->position.data, solver->touchNormal.data, solver->touchDisplacement.data,
		                step->def.touchContext);
	step->hasTouches = true;
}

// --- distortion -----------------------------------------------------------------------------------------------------

// An edge is distorted when a step stretches or squeezes it beyond these factors. After the solve single edges are
// corrected (edge_limits.h), which a cloth that crumples does not survive: it is squeezed flat, and explodes in the next
// step.
static const float distortedGrowth = 1.15f, distortedShrink = 0.5f;

// A particle that the last iteration moved into a collider, where nothing held it.
static bool Arrives(const ImplicitJob* step, uint32_t particle)
{
	const ImplicitDef* def = &step->def;
	return step->solver->touchNormal.data[particle].w > 0.0f && def->contactNormal[particle].w == 0.0f &&
	       def->mesh->position[particle].w > 0.0f &&
	       step->solver->touchDisplacement.data[particle].w < 0.5f * ThicknessAt(def, particle);
}

// Where collision response moves a particle after the solve.
static Vec3 PushedOut(const ImplicitJob* step, uint32_t particle)
{
	Vec3 x = V4Xyz(step->now[particle]);
	if (!Arrives(step, particle))
		return x;
	float depth = ThicknessAt(&step->def, particle) - step->solver->touchDisplacement.data[particle].w;
	return V3Add(x, V3Scale(depth, V4Xyz(step->solver->touchNormal.data[particle])));
}

static bool IsDistorted(const ImplicitJob* step, uint32_t a, uint32_t b)
{
	const Vec4* start = step->def.mesh->position;
	Vec3 before = V3Sub(V4Xyz(start[b]), V4Xyz(start[a])), after = V3Sub(PushedOut(step, b), PushedOut(step, a));
	float ratio = V3Dot(after, after) / V3Dot(before, before);
	return ratio > distortedGrowth * distortedGrowth || ratio < distortedShrink * distortedShrink;
}

// Counts the distorted edges.
static void DistortionRange(uint32_t start, uint32_t end, uint32_t worker, void* context)
{
	(void)worker;
	const ImplicitJob* step = context;
	const BlockMatrix* matrix = Finest(step->solver);
	const uint32_t* particleOf = step->solver->hierarchy.particleOf.data;
	uint32_t count = 0;
	for (uint32_t row = 8 * start; row < MinU32(8 * end, matrix->rowCount); ++row)
	{
		for (uint32_t e = matrix->upperStart.data[row]; e < matrix->upperStart.data[row + 1]; ++e)
			count += IsDistorted(step, particleOf[row], particleOf[matrix->ends.data[e].b]);
	}
	matrix->partials.data[start / matrixGrain] = (double)count;
}

// The mean rest length of some edges, m.
static float TypicalEdge(const ActiveMesh* mesh)
{
	uint32_t stride = MaxU32(1, mesh->edgeCount / 64), samples = 0;
	float sum = 0.0f;
	for (uint32_t e = 0; e < mesh->edgeCount; e += stride, ++samples)
		sum += mesh->restLength[e];
	return samples > 0 ? sum / (float)samples : 0.0f;
}

// Returns whether a particle moves by so much of an edge that it may distort one. Cloth at rest is not searched.
static bool MovesFar(const ImplicitJob* step)
{
	const float share = 0.1f;
	float far = share * TypicalEdge(step->def.mesh);
	for (uint32_t row = 0; row < Finest(step->solver)->rowCount; ++row)
	{
		Vec3 moved = V4Xyz(step->solver->moved.data[row]);
		if (V3Dot(moved, moved) > far * far)
			return true;
	}
	return false;
}

// Contacts that begin within the step, and the direction in which cloth buckles, are unknown to the first iteration.
// True when the result, with particles pushed out of colliders, has distorted edges: another iteration is needed.
static bool HasDistortedEdges(ImplicitJob* step)
{
	ImplicitSolver* solver = step->solver;
	const ImplicitDef* def = &step->def;
	const BlockMatrix* matrix = Finest(solver);
	if (!def->contactNormal || !MovesFar(step))
		return false;
	double sum = 0.0;
	FindTouches(step);
	Matrix_For(def->tasks, matrix->groupCount, DistortionRange, step);
	for (uint32_t i = 0; i < TaskPool_ChunkCount(matrix->groupCount, matrixGrain); ++i)
		sum += matrix->partials.data[i];
	step->isDistorted = sum > 0.0;
	return step->isDistorted;
}

static void AddContact(ImplicitJob* step, bool isFirst)
{
	DRAPE_ASSERT(!step->def.contactNormal ||
	             (step->def.surfaceDisplacement && step->def.frictionState && step->def.touch));
	ImplicitSolver* solver = step->solver;
	const ImplicitDef* def = &step->def;
	if (!def->contactNormal)
		return;
	if (!isFirst)
		FindTouches(step);
	drapeTaskPool_For(def->tasks, Finest(solver)->rowCount, particleGrain, AddContactsRange, step);
}

// Lists the pins, with the displacement that remains until their targets, and their anchor terms for the coarser
// levels.
static void Constrain(ImplicitJob* step)
{
	DRAPE_ASSERT(step->penalty >= 0.0f && step->def.target);
	ImplicitSolver* solver = step->solver;
	const ImplicitDef* def = &step->def;
	BlockMatrix* matrix = Finest(solver);
	float p = step->penalty;
	solver->pcg.pinned.count = 0;
	for (uint32_t row = 0; row < matrix->rowCount; ++row)
	{
		uint32_t particle = solver->hierarchy.particleOf.data[row];
		if (def->mesh->position[particle].w > 0.0f)
			continue;
		Vec3 displacement = V3Sub(V4Xyz(def->target[particle]), V4Xyz(def->mesh->position[particle]));
		Vec3 left = V3Sub(V3Scale(1.0f / step->stepScale, displacement), V4Xyz(solver->moved.data[row]));
		BlockMatrix_AddAnchor(matrix, row, p, 0.0f, (Vec3){0.0f, 0.0f, 0.0f});
		solver->pcg.x.data[row] = (Vec4){left.x, left.y, left.z, 0.0f};
		ArrayPush(&solver->pcg.pinned, row);
	}
}

// --- the step -------------------------------------------------------------------------------------------------------

// (moved - x0 + x) / s, per particle.
static void VelocityRange(uint32_t start, uint32_t end, uint32_t worker, void* context)
{
	(void)worker;
	const ImplicitJob* step = context;
	const ImplicitSolver* solver = step->solver;
	float rate = 1.0f / step->s;
	for (uint32_t row = start; row < end; ++row)
	{
		Vec4 moved = solver->moved.data[row], from = solver->start.data[row];
		solver->velocity.data[solver->hierarchy.particleOf.data[row]] =
			(Vec4){rate * (moved.x - from.x), rate * (moved.y - from.y), rate * (moved.z - from.z), 0.0f};
	}
}

// Contacts that disagree may turn into a lever: a stiff contact close to one end of an edge moves the other end far. No
// update is larger than the displacement of the particle and of the surfaces that touch the cloth, plus an edge.
static Vec4 Limited(const ImplicitJob* step, uint32_t row, Vec4 x)
{
	uint32_t particle = step->solver->hierarchy.particleOf.data[row];
	if (step->def.mesh->position[particle].w <= 0.0f)
		return x;
	float most = step->mostUpdate + step->s * V3Length(V4Xyz(step->def.mesh->velocity[particle]));
	float size = V3Length(V4Xyz(x)), share = size > most ? most / size : 1.0f;
	return (Vec4){share * x.x, share * x.y, share * x.z, 0.0f};
}

static void MoveRange(uint32_t start, uint32_t end, uint32_t worker, void* context)
{
	const ImplicitJob* step = context;
	ImplicitSolver* solver = step->solver;
	for (uint32_t row = start; row < end; ++row)
	{
		Vec4 *moved = &solver->moved.data[row], x = solver->pcg.x.data[row];
		if (step->mostUpdate > 0.0f)
			x = Limited(step, row, x);
		moved->x += x.x;
		moved->y += x.y;
		moved->z += x.z;
		uint32_t particle = solver->hierarchy.particleOf.data[row];
		Vec4 old = step->def.mesh->position[particle];
		solver->position.data[particle] = (Vec4){old.x + moved->x, old.y + moved->y, old.z + moved->z, old.w};
	}
	if (step->def.dampingTime > 0.0f)
		VelocityRange(start, end, worker, context);
}

static void FinishRange(uint32_t start, uint32_t end, uint32_t worker, void* context)
{
	(void)worker;
	const ImplicitJob* step = context;
	ImplicitSolver* solver = step->solver;
	const ActiveMesh* mesh = step->def.mesh;
	float stepScale = step->stepScale, rate = stepScale / step->s;
	for (uint32_t row = start; row < end; ++row)
	{
		uint32_t particle = solver->hierarchy.particleOf.data[row];
		Vec4 x = mesh->position[particle], v = mesh->velocity[particle];
		Vec4 moved = solver->moved.data[row], from = solver->start.data[row];
		if (step->def.contactNormal)
			step->def.frictionState[particle] = solver->frictionState.data[row];
		step->position[particle] =
			(Vec4){x.x + stepScale * moved.x, x.y + stepScale * moved.y, x.z + stepScale * moved.z, x.w};
		if (x.w <= 0.0f)
			continue;
		float old = stepScale - 1.0f;
		step->velocity[particle] = (Vec4){rate * (moved.x - from.x) - old * v.x, rate * (moved.y - from.y) - old * v.y,
		                                  rate * (moved.z - from.z) - old * v.z, v.w};
	}
}

static void Begin(ImplicitJob* step)
{
	DRAPE_ASSERT(step->solver->revision == step->def.mesh->revision);
	const ImplicitDef* def = &step->def;
	BlockMatrix* matrix = Finest(step->solver);
	ChooseScheme(step);
	QuadraticEnergy quadratic;
	step->hasQuadratic = drapeModel_DescribeQuadratic(def->model, &quadratic);
	step->frictionScale = quadratic.frictionScale;
	step->penalty = constraintStiffness * step->s * step->s * drapeModel_GreatestStiffness(def->model);
	step->now = def->mesh->position;
	step->hasTouches = step->isDistorted = false;
	step->mostUpdate = 0.0f;
	Matrix_For(def->tasks, matrix->groupCount, BeginRange, step);
	if (def->dampingTime > 0.0f)
		drapeTaskPool_For(def->tasks, matrix->rowCount, particleGrain, VelocityRange, step);
}

// |b|^2 without pinned rows.
static double RightHandSide(ImplicitJob* jobs, uint32_t count, bool isFirst, TaskPool* tasks)
{
	double sum = 0.0;
	for (uint32_t k = 0; k < count; ++k)
	{
		Pcg* pcg = &jobs[k].solver->pcg;
		if (!isFirst)
			drapePcg_Filter(pcg, pcg->b.data);
		sum += drapeBlockMatrix_Dot(Finest(jobs[k].solver), pcg->b.data, pcg->b.data, tasks);
	}
	return sum;
}

static bool HasCoarseLevels(const ImplicitJob* job)
{
	return job->def.solver->preconditioner == drape_preconditionerMultigrid && job->solver->multigrid.levelCount > 1;
}

static void DescribeSystems(ImplicitJob* jobs, uint32_t count, bool isFirst, PairSystem* systems)
{
	for (uint32_t k = 0; k < count; ++k)
	{
		ImplicitSolver* solver = jobs[k].solver;
		systems[k] = (PairSystem){
			.hierarchy = &solver->hierarchy,
			.mesh = jobs[k].def.mesh,
			.matrix = Finest(solver),
			.multigrid = HasCoarseLevels(&jobs[k]) ? &solver->multigrid : NULL,
			.moved = solver->moved.data,
			.start = solver->start.data,
			// The first iteration expects constant velocity, later ones the result of the last.
			.onward = isFirst ? solver->pcg.x.data : solver->moved.data,
			.b = solver->pcg.b.data,
			.x = solver->pcg.x.data,
			.hardStiffness = hardConstraint * jobs[k].penalty,
		};
	}
}

// Tolerances and limits that hold for all cloths of a solve: the strictest and the most.
typedef struct SolveLimits
{
	float tolerance, newtonTolerance;
	float update; // m, as PcgLimits::update
	uint32_t iterations;
} SolveLimits;

// The last update of a solve may be this times the tolerance, as an acceleration, m/s^2.
static const float updateAcceleration = 10.0f;

// No update smaller than this, m, is asked for: single precision would not reach it.
static const float leastUpdate = 2e-6f;

static float LeastUpdate(const ImplicitJob* job, float tolerance)
{
	return MaxNumF(updateAcceleration * tolerance * job->s * job->s, leastUpdate);
}

// While surfaces move, contacts open and close within a step, and the linearised law of a contact that opens would pull.
// Several Newton iterations, each with a loose linear solve, are then both cheaper and more accurate than one tight solve:
// a skirt on a walking body stretches by 3 percent instead of 62, with 12 conjugate gradient iterations instead of 17.
static const float movingTolerance = 0.1f;
enum
{
	movingNewtonIterations = 4,
	// A deadline does not cut these, nor one more if edges are distorted. After a single one, contacts that open still
	// pull: steps with a single one among others stretch the skirt by up to 140 percent, and its impacts cost more than
	// the second iteration.
	leastMovingIterations = 2,
	limitIterations = 8, // at most, while limits about moving points change
};

// Newton iterations end when no particle moves by more than this many thicknesses.
static const float smallUpdate = 1.0f;

// The linear system of one Newton iteration.
static SolveLimits AssembleAll(ImplicitJob* jobs, uint32_t count, PairForces* pairs, bool isFirst, PairSystem* systems,
                               PcgSystem* pcg, TaskPool* tasks)
{
	SolveLimits limits = {1.0f, 1.0f, INFINITY, 1};
	for (uint32_t k = 0; k < count; ++k)
		Assemble(&jobs[k]);
	DescribeSystems(jobs, count, isFirst, systems);
	drapePairForces_Assemble(pairs, systems, count, jobs[0].s, jobs[0].stepScale, tasks);
	for (uint32_t k = 0; k < count; ++k)
	{
		const drapeSolverDef* solver = jobs[k].def.solver;
		AddContact(&jobs[k], isFirst);
		if (!isFirst)
			memset(jobs[k].solver->pcg.x.data, 0, 8 * (size_t)Finest(jobs[k].solver)->groupCount * sizeof(Vec4));
		Constrain(&jobs[k]);
		float tolerance = jobs[k].def.surfacesMove ? MaxNumF(solver->tolerance, movingTolerance) : solver->tolerance;
		limits.tolerance = MinNumF(limits.tolerance, tolerance);
		if (jobs[k].def.contactsChange || jobs[k].isDistorted || pairs->hasLimited)
			limits.update = MinNumF(limits.update, LeastUpdate(&jobs[k], tolerance));
		limits.newtonTolerance = MinNumF(limits.newtonTolerance, solver->newtonTolerance);
		limits.iterations = MaxU32(limits.iterations, solver->maxIterations);
		pcg[k] = (PcgSystem){&jobs[k].solver->pcg, &jobs[k].solver->multigrid, solver->preconditioner};
	}
	return limits;
}

static void SolveAll(const PcgSystem* pcg, uint32_t count, PairForces* pairs, const SolveLimits* limits,
                     Deadline* deadline, ImplicitResult* result, TaskPool* tasks)
{
	if (Deadline_IsCancelled(deadline))
		return;
	for (uint32_t k = 0; k < count; ++k)
		drapeMultigrid_Update(pcg[k].multigrid, pcg[k].preconditioner, tasks);
	if (pairs->levels.levelCount > 0)
		drapePairLevels_Factorise(&pairs->levels);
	const PcgLimits pcgLimits = {limits->tolerance, limits->update, limits->iterations, deadline};
	PcgResult solved = drapePcg_SolveTogether(pcg, count, pairs, &pcgLimits, tasks);
	result->iterations += solved.iterations;
	result->solves++;
	result->residual = solved.residual;
	result->converged = solved.converged;
	result->isCut |= solved.isCut;
}

static void CountAssembly(const ImplicitJob* jobs, uint32_t count, bool isFirst)
{
	Deadline* deadline = jobs[0].def.deadline;
	for (uint32_t k = 0; k < count; ++k)
	{
		Deadline_Count(deadline, workAssembly, jobs[k].def.mesh->triangleCount);
		if (jobs[k].def.contactNormal && !isFirst)
			Deadline_Count(deadline, workCollide, jobs[k].def.mesh->particleCount);
	}
}

static bool ContactsChange(const ImplicitJob* jobs, uint32_t count)
{
	bool isAny = false;
	for (uint32_t k = 0; k < count; ++k)
		isAny |= jobs[k].def.contactsChange;
	return isAny;
}

// Returns whether the last Newton iteration hardly moved any particle.
static bool UpdatesAreSmall(const ImplicitJob* jobs, uint32_t count)
{
	for (uint32_t k = 0; k < count; ++k)
	{
		const Vec4* x = jobs[k].solver->pcg.x.data;
		float limit = MaxNumF(smallUpdate * jobs[k].def.thickness, leastUpdate);
		for (uint32_t row = 0; row < Finest(jobs[k].solver)->rowCount; ++row)
		{
			if (!(x[row].x * x[row].x + x[row].y * x[row].y + x[row].z * x[row].z <= limit * limit))
				return false;
		}
	}
	return true;
}

// One Newton iteration. The solve is repeated when one-sided constraints turn out to push, which the repetition leaves
// out, and when limited ones need another force. Returns false when no further one is needed: the residual, or while
// contacts change the last update, is small.
static bool Iterate(ImplicitJob* jobs, uint32_t count, PairForces* pairs, bool isFirst, double* first,
                    ImplicitResult* result, TaskPool* tasks)
{
	const uint32_t mostReleases = 3;
	bool contactsChange = ContactsChange(jobs, count);
	PairSystem systems[pairMaxSystems];
	PcgSystem pcg[pairMaxSystems];
	for (uint32_t release = 0;; ++release)
	{
		CountAssembly(jobs, count, isFirst);
		SolveLimits limits = AssembleAll(jobs, count, pairs, isFirst, systems, pcg, tasks);
		double left = RightHandSide(jobs, count, isFirst, tasks);
		// While surfaces move, the first residual consists of stiff contacts alone and says nothing about the rest.
		bool isSmall = left <= (double)limits.newtonTolerance * (double)limits.newtonTolerance * *first;
		if (!isFirst && isSmall && !contactsChange && !pairs->limitsChange)
			return false;
		if (isFirst)
			*first = left;
		SolveAll(pcg, count, pairs, &limits, jobs[0].def.deadline, result, tasks);
		if (release == mostReleases || result->isCut ||
		    !drapePairForces_Release(pairs, systems, count, jobs[0].s, jobs[0].stepScale, release + 1 == mostReleases))
			break;
		for (uint32_t k = 0; k < count && isFirst; ++k)
			Begin(&jobs[k]);
	}
	drapePairForces_Finish(pairs, systems, count, jobs[0].s, jobs[0].def.tasks);
	for (uint32_t k = 0; k < count; ++k)
	{
		if (jobs[k].def.contactNormal)
			drapeTaskPool_For(tasks, Finest(jobs[k].solver)->rowCount, particleGrain, StoreFrictionRange, &jobs[k]);
		drapeTaskPool_For(tasks, Finest(jobs[k].solver)->rowCount, particleGrain, MoveRange, &jobs[k]);
		jobs[k].now = jobs[k].solver->position.data;
		jobs[k].hasTouches = false;
	}
	return !contactsChange || !UpdatesAreSmall(jobs, count);
}

// The largest displacement of a surface that touches the cloth, plus an edge, m.
static float MostUpdate(const ImplicitJob* job)
{
	const ImplicitDef* def = &job->def;
	float farthest = 0.0f;
	for (uint32_t i = 0; i < def->mesh->particleCount && def->contactNormal; ++i)
	{
		if (def->contactNormal[i].w != 0.0f)
			farthest = MaxNumF(farthest, V3Length(V4Xyz(def->surfaceDisplacement[i])));
	}
	return farthest + TypicalEdge(def->mesh);
}

// Newton's method starts where the particles would be without forces. Cloth on a moving body moves along with it, so that
// contacts are nearly where they will end. From the start of the step, single stiff contacts would see a surface that is
// centimetres away.
static void StartAtPrediction(ImplicitJob* jobs, uint32_t count, TaskPool* tasks)
{
	for (uint32_t k = 0; k < count; ++k)
	{
		if (HasFriction(&jobs[k]))
			FindInternalFriction(&jobs[k]);
		drapeTaskPool_For(tasks, Finest(jobs[k].solver)->rowCount, particleGrain, MoveRange, &jobs[k]);
		jobs[k].now = jobs[k].solver->position.data;
		jobs[k].mostUpdate = MostUpdate(&jobs[k]);
	}
}

static bool DistortsAny(ImplicitJob* jobs, uint32_t count)
{
	bool isAny = false;
	DRAPE_ASSERT(count > 0 && count <= pairMaxSystems);
	for (uint32_t k = 0; k < count; ++k)
		isAny |= HasDistortedEdges(&jobs[k]);
	return isAny;
}

// Makes Newton iterations. The deadline leaves out those that do not fit, after the first ones.
static void RunNewton(ImplicitJob* jobs, uint32_t count, PairForces* pairs, uint32_t iterations, ImplicitResult* result,
                      TaskPool* tasks)
{
	Deadline* deadline = jobs[0].def.deadline;
	DeadlineMark start = drapeDeadline_Mark(deadline);
	double first = 0.0;
	DRAPE_ASSERT(iterations > 0);
	bool isPredicted = ContactsChange(jobs, count);
	if (isPredicted)
		StartAtPrediction(jobs, count, tasks);
	if (!Iterate(jobs, count, pairs, !isPredicted, &first, result, tasks))
		return;
	// A Newton iteration takes about as long as the one before it. Half of one is worse than none.
	double cost = drapeDeadline_Used(deadline) - start.used;
	DRAPE_ASSERT(cost >= 0.0);
	for (uint32_t k = 0; k < count && iterations == 1; ++k)
		iterations = HasDistortedEdges(&jobs[k]) ? 2 : 1;
	for (uint32_t i = 1; i < (pairs->limitsChange ? MaxU32(iterations, limitIterations) : iterations); ++i)
	{
		bool isLate = result->isCut || !drapeDeadline_Fits(deadline, cost);
		bool isNeeded = isPredicted && (i < leastMovingIterations ||
		                                (i == leastMovingIterations && isLate && DistortsAny(jobs, count)));
		if (isLate && !isNeeded)
		{
			result->isCut |= drapeDeadline_Stops(deadline, cost);
			Deadline_AddMissed(deadline, cost);
			return;
		}
		start = drapeDeadline_Mark(deadline);
		bool isMade = Iterate(jobs, count, pairs, false, &first, result, tasks);
		if (!isNeeded)
			drapeDeadline_SetOptional(deadline, start);
		cost = drapeDeadline_Used(deadline) - start.used;
		if (!isMade)
			return;
	}
}

// Out of memory, contacts with colliders are left out: particles that reach a collider are stopped after the solve.
static void ReserveTouches(ImplicitJob* job)
{
	ImplicitSolver* solver = job->solver;
	uint32_t rows = 8 * Finest(solver)->groupCount, particles = job->def.mesh->particleCount;
	if (job->def.contactNormal &&
	    (!ArrayReserve(&solver->frictionState, rows) || !ArrayReserve(&solver->touches, rows) ||
	     !ArrayReserve(&solver->touchNormal, particles) || !ArrayReserve(&solver->touchDisplacement, particles)))
		job->def.contactNormal = NULL;
}

ImplicitResult drapeImplicitSolver_StepTogether(ImplicitJob* jobs, uint32_t count, PairForces* pairs,
                                                const PairInput* input, TaskPool* tasks)
{
	DRAPE_ASSERT(count <= pairMaxSystems);
	ImplicitResult result = {.converged = true};
	PairSystem systems[pairMaxSystems] = {0};
	uint32_t newtonIterations = 1;
	for (uint32_t k = 0; k < count; ++k)
	{
		ReserveTouches(&jobs[k]);
		Begin(&jobs[k]);
		jobs[k].solver->multigrid.hasPairs = false;
		newtonIterations = MaxU32(newtonIterations, jobs[k].def.solver->newtonIterations);
		// Contacts that begin within the step are unknown to the first iteration. Pushing particles out after the solve
		// would stretch single edges. A sheet on a turning mesh stretches by 1.6 percent instead of up to 70.
		newtonIterations = MaxU32(newtonIterations, jobs[k].def.newtonIterations);
		if (jobs[k].def.contactsChange)
			newtonIterations = MaxU32(newtonIterations, movingNewtonIterations);
	}
	// Out of memory, contacts are left out: the impact stage stops whatever passes through.
	DescribeSystems(jobs, count, true, systems);
	drapePairForces_Begin(pairs, input, systems, count, tasks);
	RunNewton(jobs, count, pairs, newtonIterations, &result, tasks);
	for (uint32_t k = 0; k < count; ++k)
		drapeTaskPool_For(tasks, Finest(jobs[k].solver)->rowCount, particleGrain, FinishRange, &jobs[k]);
	return result;
}
