// SPDX-License-Identifier: MIT
#include "solve/pair_forces.h"

#include <string.h>

enum
{
	contactGrain = 256,
};

// Strength of contact between cloths, in weights of the particles that are pushed.
static const float pairStrength = 40.0f;

// The same for points on kinematic geometry. Needles and corners carry a whole sheet on a few particles; the sheet
// weighs a thousand times as much as these.
static const float solidStrength = 200.0f;

// Kinematic geometry may be far inside the cloth before the solve begins. Cloths are not, and may be wrung.
static const float pairLeast = 0.05f, solidLeast = 0.2f;

void drapePairForces_Destroy(PairForces* forces)
{
	ArrayFree(&forces->points);
	ArrayFree(&forces->tilts);
	ArrayFree(&forces->frictionState);
	ArrayFree(&forces->compliance);
	ArrayFree(&forces->constraints);
	ArrayFree(&forces->constraintCompliance);
	ArrayFree(&forces->constraintForce);
	ArrayFree(&forces->isReleased);
	ArrayFree(&forces->pull);
	drapePairTable_Destroy(&forces->contacts);
	drapePairTable_Destroy(&forces->joints);
	drapePairLevels_Destroy(&forces->levels);
}

static bool ReserveContacts(PairForces* forces, uint32_t count, uint32_t tiltCount, uint32_t rowCount)
{
	return ArrayReserve(&forces->points, count) && ArrayReserve(&forces->frictionState, count) &&
	       ArrayReserve(&forces->compliance, count) && ArrayReserve(&forces->tilts, tiltCount) &&
	       drapePairTable_Reserve(&forces->contacts, contactSlots, count + tiltCount, rowCount);
}

bool drapePairForces_ReserveConstraints(PairForces* forces, uint32_t constraintCount, uint32_t rowCount)
{
	return constraintCount == 0 ||
	       (ArrayReserve(&forces->constraints, constraintCount) &&
	        ArrayReserve(&forces->constraintCompliance, constraintCount) &&
	        ArrayReserve(&forces->constraintForce, constraintCount) &&
	        ArrayReserve(&forces->isReleased, constraintCount) && ArrayReserve(&forces->pull, constraintCount) &&
	        drapePairTable_Reserve(&forces->joints, constraintSlots, constraintCount, rowCount));
}

// Fills the slots of a pair. Returns the inverse of the mass that a push on it moves, 1/kg.
DRAPE_INLINE float FillSlots(PairTable* table, uint32_t slots, uint32_t pair, const uint32_t* particles,
                             const uint8_t* systemOf, const float* weights, const PairSystem* systems)
{
	float compliance = 0.0f;
	memcpy(&table->weights.data[slots * pair], weights, slots * sizeof *weights);
	for (uint32_t k = 0; k < slots; ++k)
	{
		uint32_t particle = particles[k];
		table->rows.data[slots * pair + k] = DRAPE_NONE;
		if (particle == DRAPE_NONE)
			continue;
		const PairSystem* system = &systems[systemOf[k]];
		table->rows.data[slots * pair + k] =
			(uint32_t)systemOf[k] << pairRowBits | system->hierarchy->rowOf.data[particle];
		compliance += weights[k] * weights[k] * system->mesh->position[particle].w;
	}
	return compliance;
}

// --- tilts ----------------------------------------------------------------------------------------------------------

// A collider with a radius above this many times the size of the face on it counts as flat: its tilt stiffness is
// clamped.
static const float roundest = 100.0f;

static uint32_t MostTilts(const ContactPoint* points, uint32_t count)
{
	uint32_t most = 0;
	for (uint32_t i = 0; i < count; ++i)
		most += points[i].arm > 0.0f ? 2 : 0;
	return most;
}

static void AddTilt(PairForces* forces, uint32_t i, const float weight[4])
{
	PairTable* table = &forces->contacts;
	uint32_t pair = table->count++;
	float steepest = 0.0f;
	for (int k = 0; k < 4; ++k)
		steepest = MaxNumF(steepest, fabsf(weight[k]));
	forces->tilts.data[pair - forces->count] =
		(PairTilt){i, MinNumF(forces->points.data[i].arm, roundest / MaxNumF(steepest, FLT_MIN))};
	memcpy(&table->weights.data[contactSlots * pair], weight, contactSlots * sizeof *weight);
	memcpy(&table->rows.data[contactSlots * pair], &table->rows.data[contactSlots * i],
	       contactSlots * sizeof(uint32_t));
}

// Tilts of a face: the gradients of linear functions over it.
static void AddTiltsOfFace(PairForces* forces, uint32_t i, const uint32_t corner[3], const Vec3 x[3])
{
	Vec3 cross = V3Cross(V3Sub(x[1], x[0]), V3Sub(x[2], x[0])), sideways[2];
	float square = V3Dot(cross, cross);
	if (!(square > 0.0f))
		return;
	sideways[0] = V3Normalize(V3Sub(x[1], x[0]));
	sideways[1] = V3Scale(1.0f / sqrtf(square), V3Cross(cross, sideways[0]));
	for (int a = 0; a < 2; ++a)
	{
		float weight[4] = {0.0f, 0.0f, 0.0f, 0.0f};
		for (int k = 0; k < 3; ++k)
		{
			Vec3 opposite = V3Sub(x[(k + 2) % 3], x[(k + 1) % 3]);
			weight[corner[k]] = V3Dot(sideways[a], V3Cross(cross, opposite)) / square;
		}
		AddTilt(forces, i, weight);
	}
}

static void AddTiltOfEdge(PairForces* forces, uint32_t i, const uint32_t corner[2], const Vec3 x[2])
{
	float length = V3Length(V3Sub(x[1], x[0])), weight[4] = {0.0f, 0.0f, 0.0f, 0.0f};
	if (!(length > 0.0f))
		return;
	weight[corner[0]] = -1.0f / length;
	weight[corner[1]] = 1.0f / length;
	AddTilt(forces, i, weight);
}

// The particles that support the point are a face, an edge, or a single one, which cannot tilt.
static void AddTilts(PairForces* forces, uint32_t i, const PairSystem* systems)
{
	const ContactPoint* point = &forces->points.data[i];
	uint32_t corner[4], count = 0;
	Vec3 x[4];
	for (uint32_t k = 0; k < 4 && point->arm > 0.0f; ++k)
	{
		if (point->particle[k] == DRAPE_NONE || point->weight[k] == 0.0f)
			continue;
		x[count] = V4Xyz(systems[point->system[k]].mesh->position[point->particle[k]]);
		corner[count++] = k;
	}
	if (count == 3)
		AddTiltsOfFace(forces, i, corner, x);
	if (count == 2)
		AddTiltOfEdge(forces, i, corner, x);
}

static uint32_t CountRows(const PairSystem* systems, uint32_t systemCount)
{
	uint32_t rows = 0;
	for (uint32_t i = 0; i < systemCount; ++i)
		rows += systems[i].hierarchy->rowCount;
	return rows;
}

typedef struct BeginTask
{
	PairForces* forces;
	const ContactPoint* points;
	const PairSystem* systems;
} BeginTask;

static void BeginRange(uint32_t start, uint32_t end, uint32_t worker, void* context)
{
	(void)worker;
	const BeginTask* task = context;
	PairForces* forces = task->forces;
	for (uint32_t i = start; i < end; ++i)
	{
		const ContactPoint* point = &task->points[i];
		forces->points.data[i] = *point;
		forces->compliance.data[i] =
			FillSlots(&forces->contacts, contactSlots, i, point->particle, point->system, point->weight, task->systems);
	}
}

static void BeginContacts(PairForces* forces, const PairInput* input, const PairSystem* systems, uint32_t systemCount,
                          TaskPool* tasks)
{
	uint32_t count = input->pointCount;
	BeginTask task = {forces, input->points, systems};
	forces->count = forces->contacts.count = count;
	drapeTaskPool_For(tasks, count, contactGrain, BeginRange, &task);
	for (uint32_t i = 0; i < count; ++i)
		AddTilts(forces, i, systems);
	drapePairTable_FindRows(&forces->contacts, systems, systemCount, tasks);
}

// A limited constraint that slipped in the last substep goes on towards its place.
static void BeginSlip(PairForces* forces, uint32_t i)
{
	const Constraint* constraint = &forces->constraints.data[i];
	Vec3 gap = V3Add(constraint->gap, constraint->way);
	float distance = V3Length(gap);
	forces->pull.data[i] = (Vec4){0};
	if (!constraint->slips || !(distance > FLT_MIN))
		return;
	forces->isReleased.data[i] = pairIsReleased;
	forces->pull.data[i] = PairTable_Row(V3Scale(-constraint->maxForce / distance, gap));
}

static void BeginConstraints(PairForces* forces, const PairInput* input, const PairSystem* systems,
                             uint32_t systemCount, TaskPool* tasks)
{
	uint32_t count = input->constraintCount;
	forces->constraintCount = forces->joints.count = count;
	memcpy(forces->constraints.data, input->constraints, count * sizeof *input->constraints);
	memset(forces->isReleased.data, pairHolds, count);
	for (uint32_t i = 0; i < count; ++i)
	{
		const Constraint* constraint = &forces->constraints.data[i];
		BeginSlip(forces, i);
		forces->hasLimited |= drapeConstraint_TraitsOf(constraint->kind)->isLimited || constraint->isLimit;
		forces->constraintForce.data[i] = (Vec4){0};
		forces->constraintCompliance.data[i] = FillSlots(&forces->joints, constraintSlots, i, constraint->particle,
		                                                 constraint->system, constraint->weight, systems);
	}
	drapePairTable_FindRows(&forces->joints, systems, systemCount, tasks);
}

bool drapePairForces_Begin(PairForces* forces, const PairInput* input, const PairSystem* systems, uint32_t systemCount,
                           TaskPool* tasks)
{
	DRAPE_ASSERT(systemCount <= pairMaxSystems);
	uint32_t rows = CountRows(systems, systemCount);
	forces->count = forces->contacts.count = forces->contacts.touchedCount = 0;
	forces->constraintCount = forces->joints.count = forces->joints.touchedCount = 0;
	forces->hasLimited = forces->limitsChange = false;
	forces->rounds = 0;
	bool isReserved = true;
	if (input->constraintCount > 0)
	{
		isReserved = drapePairForces_ReserveConstraints(forces, input->constraintCount, rows);
		if (isReserved)
			BeginConstraints(forces, input, systems, systemCount, tasks);
	}
	if (input->pointCount > 0)
	{
		bool hasContacts =
			ReserveContacts(forces, input->pointCount, MostTilts(input->points, input->pointCount), rows);
		if (hasContacts)
			BeginContacts(forces, input, systems, systemCount, tasks);
		isReserved &= hasContacts;
	}
	PairTable* const tables[pairTables] = {&forces->contacts, &forces->joints};
	drapePairLevels_Build(&forces->levels, tables, systems, systemCount, tasks);
	forces->contacts.isWhole = forces->joints.isWhole = forces->levels.levelCount > 0;
	return isReserved;
}

static bool IsOnSolid(const ContactPoint* point)
{
	bool isOnSolid = false;
	for (int k = 0; k < 4; ++k)
		isOnSolid |= point->particle[k] == DRAPE_NONE;
	return isOnSolid;
}

// A point that is on the wrong side when the step begins is pushed out with a bounded force: such points may disagree,
// and must not tear the cloth. The force is in metres times the mass and s^2. It doubles from step to step while the
// point stays, because a corner may carry a whole sheet.
static const float leastLeaveForce = 0.3f, mostLeaveForce = 30.0f;

static TouchLaw LeaveLaw(const ContactPoint* point, float mass, Vec3 displacement, float s)
{
	float left = MinNumF(point->distance + V3Dot(point->normal, displacement), 0.0f);
	float force = MaxNumF(leastLeaveForce * mass, 2.0f * s * s * point->frictionState.w);
	TouchLaw law = {.normal = point->normal, .most = MinNumF(force, mostLeaveForce * mass)};
	law.along = left < 0.0f ? law.most / MaxNumF(-left, 0.5f * point->reach) : 0.0f;
	law.force = V3Scale(-law.along * left, point->normal);
	return law;
}

// s^2 times the force of one contact, and its stiffness.
static void Evaluate(PairForces* forces, uint32_t i, float s, float reach, Vec3 moved, Vec3 onward, Vec3 start)
{
	const ContactPoint* point = &forces->points.data[i];
	forces->contacts.laws.data[i] = touchNone;
	if (!(forces->compliance.data[i] > 0.0f))
		return;
	Vec3 way = V3Scale(1.0f / reach, point->way);
	Touch touch = {
		.normal = point->normal,
		.friction = point->friction,
		.mass = 1.0f / forces->compliance.data[i],
		.displacement = V3Add(moved, way),
		.expected = V3Add(onward, way),
		.start = start,
	};
	if (point->distance < 0.0f)
	{
		forces->contacts.laws.data[i] = LeaveLaw(point, touch.mass, touch.displacement, s);
		return;
	}
	Touch_Recall(&touch, point->frictionState, s);
	touch.distance = point->distance + V3Dot(touch.normal, touch.displacement);
	bool isOnSolid = IsOnSolid(point);
	float usual = (isOnSolid ? solidStrength : pairStrength) * barrierWeighing * s * s * touch.mass, stiffness;
	const Barrier barrier = {
		.activation = point->reach,
		.strength = Barrier_Strength(usual, touch.load),
		.linearShare = isOnSolid ? solidLeast : pairLeast,
	};
	// Contacts come and go. A contact that is about to end must not hold as hard as before.
	touch.load = MinNumF(touch.load, Barrier_Push(&barrier, touch.distance, &stiffness));
	forces->contacts.laws.data[i] = Touch_Law(&touch, &barrier, s);
}

// A tilt is upright when the step begins, and the push is taken as constant.
static void EvaluateTilt(PairForces* forces, uint32_t i, Vec3 moved)
{
	PairTilt tilt = forces->tilts.data[i - forces->count];
	const TouchLaw* point = &forces->contacts.laws.data[tilt.point];
	TouchLaw* law = &forces->contacts.laws.data[i];
	*law = touchNone;
	law->normal = forces->points.data[tilt.point].normal;
	law->along = tilt.arm * MaxNumF(V3Dot(law->normal, point->force), 0.0f);
	law->force = V3Scale(-law->along * V3Dot(law->normal, moved), law->normal);
}

// --- constraints ----------------------------------------------------------------------------------------------------

// A hard constraint is stiff against the cloth and against the mass that it moves.
static float HardStiffness(const Constraint* constraint, float compliance, const PairSystem* systems)
{
	const float masses = 50.0f;
	float stiffness = masses / compliance;
	for (uint32_t k = 0; k < constraintSlots; ++k)
	{
		if (constraint->particle[k] != DRAPE_NONE)
			stiffness = MaxNumF(stiffness, systems[constraint->system[k]].hardStiffness);
	}
	return stiffness;
}

typedef struct PairMotion
{
	Vec3 moved, onward, start; // m
} PairMotion;

static void EvaluateConstraint(PairForces* forces, uint32_t i, const PairSystem* systems, float s, float reach,
                               PairMotion motion)
{
	const Constraint* constraint = &forces->constraints.data[i];
	forces->joints.laws.data[i] = (TouchLaw){0};
	if (!(forces->constraintCompliance.data[i] > 0.0f))
		return;
	Vec3 way = V3Scale(1.0f / reach, constraint->way), begin = constraint->gap;
	ConstraintState state = {
		.gap = V3Add(V3Add(begin, way), motion.moved),
		.change = V3Add(way, motion.moved),
		.expected = V3Add(V3Add(begin, way), motion.onward),
		.velocity = V3Add(V3Scale(1.0f / s, V3Sub(motion.moved, motion.start)), constraint->velocity),
		.predictedVelocity = V3Add(V3Scale(1.0f / s, V3Sub(motion.onward, motion.start)), constraint->velocity),
		.s = s,
		.hardStiffness = HardStiffness(constraint, forces->constraintCompliance.data[i], systems),
		.isReleased = forces->isReleased.data[i] == pairIsReleased || forces->isReleased.data[i] == pairStaysReleased,
		.isEngaged = forces->isReleased.data[i] >= pairIsEngaged,
		.pull = V4Xyz(forces->pull.data[i]),
	};
	Vec3 ahead = V3Sub(state.expected, state.gap);
	if (constraint->isLimit)
		state.gap = state.expected;
	TouchLaw law = drapeConstraint_Evaluate(constraint, &state);
	// The force at the present gap, by the stiffness at the expected one.
	Vec3 along = V3Scale(V3Dot(law.normal, ahead), law.normal);
	if (constraint->isLimit)
		law.force = V3Add(law.force, V3Add(V3Scale(law.across, ahead), V3Scale(law.along - law.across, along)));
	forces->joints.laws.data[i] = law;
}

// A limited constraint may exceed its limit by this share, so that rounding does not repeat a solve. Its largest force
// is smaller by as much.
static const float forceTolerance = 1e-3f;

static Vec3 WithinLimit(const Constraint* constraint, Vec3 force)
{
	float length = V3Length(force), most = (1.0f - forceTolerance) * constraint->maxForce;
	return length > most ? V3Scale(most / length, force) : force;
}

// The solution in rows, and the displacement that it is added to.
typedef struct Solution
{
	Vec4 *x[pairMaxSystems], *moved[pairMaxSystems];
	float s, reach;
} Solution;

static bool ReleaseOneSided(PairForces* forces, uint32_t i, const Solution* solution)
{
	const TouchLaw* law = &forces->joints.laws.data[i];
	if (!(law->along > 0.0f))
		return false;
	Vec3 x = PairTable_Weighted(&forces->joints, constraintSlots, i, solution->x);
	bool isPushing = V3Dot(drapeConstraint_Force(law, x, solution->s), law->normal) > 0.0f;
	forces->isReleased.data[i] |= (uint8_t)isPushing;
	return isPushing;
}

// A limit may be missed by so much, m and as a share of the length, without another Newton iteration.
static const float limitDistance = 1e-4f, limitShare = 1e-3f;

// Lets a limit act in the next Newton iteration if the gap is beyond it, and no longer if it has held the gap back.
// Returns whether an iteration is needed.
static bool UpdateLimit(PairForces* forces, uint32_t i, const Solution* solution)
{
	const Constraint* constraint = &forces->constraints.data[i];
	const ConstraintTraits* traits = drapeConstraint_TraitsOf(constraint->kind);
	const TouchLaw* law = &forces->joints.laws.data[i];
	Vec3 x = PairTable_Weighted(&forces->joints, constraintSlots, i, solution->x);
	Vec3 moved = V3Add(PairTable_Weighted(&forces->joints, constraintSlots, i, solution->moved), x);
	float sign = traits->pushes ? -1.0f : 1.0f, tolerance = limitDistance + limitShare * constraint->length;
	float distance = V3Length(V3Add(V3Add(constraint->gap, constraint->way), V3Scale(solution->reach, moved)));
	float beyond = sign * (distance - (traits->hasLength ? constraint->length : 0.0f));
	Vec3 force = drapeConstraint_Force(law, x, solution->s);
	float held = sign * V3Dot(force, law->normal);
	uint8_t* state = &forces->isReleased.data[i];
	if (traits->isOneSided && law->along > 0.0f && held > 0.0f && *state != pairStaysEngaged)
	{
		// The first iteration does not know the direction of the gap at the end of a long way.
		if (forces->rounds == 1)
			return true;
		*state = pairIsReleased;
		return solution->s * solution->s * held * forces->constraintCompliance.data[i] > tolerance;
	}
	if (!(beyond > tolerance))
		return false;
	// A limit that was released too early stays.
	*state = *state == pairHolds || *state == pairIsEngaged ? pairIsEngaged : pairStaysEngaged;
	return true;
}

// Lets a limited constraint slip, or hold again. Returns whether it changed.
static bool ReleaseLimited(PairForces* forces, uint32_t i, const Solution* solution)
{
	const Constraint* constraint = &forces->constraints.data[i];
	const TouchLaw* law = &forces->joints.laws.data[i];
	Vec3 x = PairTable_Weighted(&forces->joints, constraintSlots, i, solution->x);
	uint8_t* state = &forces->isReleased.data[i];
	if (*state == pairHolds)
	{
		Vec3 force = drapeConstraint_Force(law, x, solution->s);
		if (V3Length(force) <= constraint->maxForce)
			return false;
		*state = pairStaysReleased;
		forces->pull.data[i] = PairTable_Row(WithinLimit(constraint, force));
		return true;
	}
	Vec3 moved = PairTable_Weighted(&forces->joints, constraintSlots, i, solution->moved);
	Vec3 way = V3Add(V3Scale(1.0f / solution->reach, constraint->way), V3Add(moved, x));
	if (*state == pairStaysReleased || V3Dot(V3Add(constraint->gap, way), V4Xyz(forces->pull.data[i])) <= 0.0f)
		return false;
	*state = pairHolds;
	return true;
}

// Limited constraints keep the forces that they have. The next solve ends with these.
static void KeepForces(PairForces* forces, const Solution* solution)
{
	for (uint32_t i = 0; i < forces->constraintCount; ++i)
	{
		const Constraint* constraint = &forces->constraints.data[i];
		if (!drapeConstraint_TraitsOf(constraint->kind)->isLimited || forces->isReleased.data[i] != pairHolds)
			continue;
		Vec3 x = PairTable_Weighted(&forces->joints, constraintSlots, i, solution->x);
		Vec3 force = drapeConstraint_Force(&forces->joints.laws.data[i], x, solution->s);
		forces->pull.data[i] = PairTable_Row(WithinLimit(constraint, force));
		forces->isReleased.data[i] = pairStaysReleased;
	}
}

bool drapePairForces_Release(PairForces* forces, const PairSystem* systems, uint32_t systemCount, float s, float reach,
                             bool isLast)
{
	Solution solution = {.s = s, .reach = reach};
	bool isAny = false;
	forces->limitsChange = false;
	forces->rounds++;
	for (uint32_t i = 0; i < systemCount; ++i)
	{
		solution.x[i] = systems[i].x;
		solution.moved[i] = systems[i].moved;
	}
	for (uint32_t i = 0; i < forces->constraintCount; ++i)
	{
		const ConstraintTraits* traits = drapeConstraint_TraitsOf(forces->constraints.data[i].kind);
		if (forces->constraints.data[i].isLimit)
		{
			forces->limitsChange |= UpdateLimit(forces, i, &solution);
			continue;
		}
		if (traits->isOneSided)
			isAny |= ReleaseOneSided(forces, i, &solution);
		if (traits->isLimited)
			isAny |= ReleaseLimited(forces, i, &solution);
	}
	if (isAny && isLast)
		KeepForces(forces, &solution);
	return isAny;
}

// --- the solve ------------------------------------------------------------------------------------------------------

static void ClearSurplus(BlockMatrix* matrix, bool hasPairs)
{
	if (hasPairs)
		memset(matrix->surplus.data, 0, 48 * (size_t)matrix->groupCount * sizeof(float));
}

typedef struct EvaluateTask
{
	PairForces* forces;
	float s, reach;
	Vec4 *moved[pairMaxSystems], *start[pairMaxSystems], *onward[pairMaxSystems];
} EvaluateTask;

static PairMotion MotionOf(const EvaluateTask* task, const PairTable* table, uint32_t slots, uint32_t pair)
{
	return (PairMotion){PairTable_Weighted(table, slots, pair, task->moved),
	                    PairTable_Weighted(table, slots, pair, task->onward),
	                    PairTable_Weighted(table, slots, pair, task->start)};
}

static void EvaluateRange(uint32_t start, uint32_t end, uint32_t worker, void* context)
{
	(void)worker;
	const EvaluateTask* task = context;
	for (uint32_t i = start; i < end; ++i)
	{
		PairMotion motion = MotionOf(task, &task->forces->contacts, contactSlots, i);
		Evaluate(task->forces, i, task->s, task->reach, motion.moved, motion.onward, motion.start);
	}
}

void drapePairForces_Assemble(PairForces* forces, const PairSystem* systems, uint32_t systemCount, float s, float reach,
                              TaskPool* tasks)
{
	EvaluateTask task = {.forces = forces, .s = s, .reach = reach};
	for (uint32_t i = 0; i < systemCount; ++i)
	{
		task.moved[i] = systems[i].moved;
		task.start[i] = systems[i].start;
		task.onward[i] = systems[i].onward;
	}
	drapeTaskPool_For(tasks, forces->count, contactGrain, EvaluateRange, &task);
	for (uint32_t i = forces->count; i < forces->contacts.count; ++i)
		EvaluateTilt(forces, i, PairTable_Weighted(&forces->contacts, contactSlots, i, task.moved));
	for (uint32_t i = 0; i < forces->constraintCount; ++i)
		EvaluateConstraint(forces, i, systems, s, reach, MotionOf(&task, &forces->joints, constraintSlots, i));
	if (forces->levels.levelCount == 0)
	{
		drapePairTable_Apply(&forces->contacts, systems, tasks);
		drapePairTable_Apply(&forces->joints, systems, tasks);
		return;
	}
	for (uint32_t i = 0; i < systemCount; ++i)
		ClearSurplus(systems[i].matrix, PairLevels_Has(&forces->levels, i));
	drapePairTable_ApplyWhole(&forces->contacts, systems, tasks);
	drapePairTable_ApplyWhole(&forces->joints, systems, tasks);
	drapePairLevels_Update(&forces->levels, tasks);
}

typedef struct FinishTask
{
	PairForces* forces;
	float s;
	Vec4* x[pairMaxSystems];
} FinishTask;

static void FinishRange(uint32_t start, uint32_t end, uint32_t worker, void* context)
{
	(void)worker;
	const FinishTask* task = context;
	PairForces* forces = task->forces;
	for (uint32_t i = start; i < end; ++i)
		forces->frictionState.data[i] = TouchLaw_FrictionState(
			&forces->contacts.laws.data[i], PairTable_Weighted(&forces->contacts, contactSlots, i, task->x), task->s);
}

void drapePairForces_Finish(PairForces* forces, const PairSystem* systems, uint32_t systemCount, float s,
                            TaskPool* tasks)
{
	FinishTask task = {.forces = forces, .s = s};
	for (uint32_t i = 0; i < systemCount; ++i)
		task.x[i] = systems[i].x;
	drapeTaskPool_For(tasks, forces->count, contactGrain, FinishRange, &task);
	for (uint32_t i = 0; i < forces->constraintCount; ++i)
		forces->constraintForce.data[i] = PairTable_Row(drapeConstraint_Force(
			&forces->joints.laws.data[i], PairTable_Weighted(&forces->joints, constraintSlots, i, task.x), s));
}

double drapePairForces_Multiply(PairForces* forces, Vec4* const* x, Vec4* const* y, float sign, TaskPool* tasks)
{
	if (!forces)
		return 0.0;
	double sum = drapePairTable_Multiply(&forces->contacts, x, y, sign, tasks);
	return forces->constraintCount == 0 ? sum : sum + drapePairTable_Multiply(&forces->joints, x, y, sign, tasks);
}
