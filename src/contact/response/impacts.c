// SPDX-License-Identifier: MIT
#include "contact/response/impacts.h"

#include <string.h>

enum
{
	pairGrain = 256,
	markGrain = 4096,
	settleRounds = 10,  // before vertices are held
	patientRounds = 40, // the same when something was left
	holdRounds = 6,     // before those that are held are carried along
	mostRounds = 200,
	mostSweeps = 24,
	velocitySweeps = 8,
	sliceCount = 16, // when something is left

	vertexMoved = impactMoved,
	vertexWasHeld = impactWasHeld, // in this slice or an earlier one
	vertexHeld = 1 << 1,
	vertexHolds = 1 << 2, // times how often it was given a place
	mostHolds = 8,
	vertexCarried = 1 << 6, // all the way that its carrier goes, for good
	allHolds = vertexCarried - vertexHolds,
};

void drapeImpactSolver_Destroy(ImpactSolver* solver)
{
	drapeChunkList_Free(&solver->found);
	ArrayFree(&solver->constraints);
	ArrayFree(&solver->state);
	ArrayFree(&solver->began);
	ArrayFree(&solver->wanted);
	ArrayFree(&solver->target);
	ArrayFree(&solver->collected);
	drapeKinematicMaps_Destroy(&solver->kinematicMaps);
	BitSet_Free(&solver->changed);
	ArrayFree(&solver->hasChanged);
}

// --- finding --------------------------------------------------------------------------------------------------------

typedef struct FindTask
{
	const ImpactSolver* solver;
	const ContactBodies* bodies;
	const ElementPairs* pairs;
	const uint8_t* changed;
} FindTask;

// A chunk of it.
typedef struct FindRun
{
	const FindTask* task;
	Chunk* found;
} FindRun;

// Corners of an impact, where they begin and end.
typedef struct Ways
{
	Vec3 from[4], to[4];
} Ways;

static void LoadWays(const ContactBodies* bodies, const uint32_t vertex[4], Ways* ways)
{
	for (int k = 0; k < 4; ++k)
	{
		ways->from[k] = V4Xyz(bodies->from.data[vertex[k]]);
		ways->to[k] = V4Xyz(bodies->to.data[vertex[k]]);
	}
}

static float StartDistance(const Ways* ways, bool isFace)
{
	float weights[3], s, t;
	const Vec3* x = ways->from;
	float square = isFace ? drapeClosest_PointTriangle(x[0], x[1], x[2], x[3], weights)
	                      : drapeClosest_SegmentSegment(x[0], x[1], x[2], x[3], &s, &t);
	return sqrtf(square);
}

// Distances that begin within the gap are not to shrink: they are let grow a little in every step until they are out.
static float TargetOf(const Ways* ways, bool isFace, float radius, float gap)
{
	float start = StartDistance(ways, isFace) - radius;
	return radius + fminf(1.05f * gap, 1.02f * fmaxf(start, 0.0f) + 0.002f * gap);
}

static void AddImpact(const FindRun* run, const ContactFeature* feature, const Ways* ways, const Impact* impact,
                      float radius, float gap)
{
	const ContactBodies* bodies = run->task->bodies;
	const ContactBody *first = &bodies->bodies.data[bodies->owner.data[feature->vertex[0]]],
					  *second = &bodies->bodies.data[bodies->owner.data[feature->vertex[3]]];
	ContactConstraint* c = Chunk_Add(run->found, sizeof *c);
	if (!c)
		return;
	*c = (ContactConstraint){
		.normal = impact->normal,
		.target = TargetOf(ways, feature->isFace, radius, gap),
		.friction = ContactBody_Friction(first, second),
		.time = impact->time,
	};
	c->slack = 0.01f * (c->target - radius);
	memcpy(c->vertex, feature->vertex, sizeof c->vertex);
	memcpy(c->weight, impact->weight, sizeof c->weight);
}

// What is carried goes all the way by its carrier's map.
static bool IsCarried(const ImpactSolver* solver, const ContactBodies* bodies, uint32_t vertex)
{
	return bodies->from.data[vertex].w == 0.0f || (solver->state.data[vertex] & vertexCarried);
}

// Whether all go by one map, which keeps them as far apart as they began (kinematicMaps.h).
static bool GoTogether(const ImpactSolver* solver, const ContactBodies* bodies, const uint32_t vertex[4])
{
	if (!solver->carries)
		return false;
	const uint32_t* map = solver->kinematicMaps.of.data;
	bool all = map[vertex[0]] != DRAPE_NONE;
	for (int k = 0; k < 4 && all; ++k)
		all = map[vertex[k]] == map[vertex[0]] && IsCarried(solver, bodies, vertex[k]);
	return all;
}

static void TestFeature(void* context, const ContactFeature* feature, uint32_t pair)
{
	const FindRun* run = context;
	const ContactBodies* bodies = run->task->bodies;
	if (GoTogether(run->task->solver, bodies, feature->vertex))
		return;
	ElementPair elements = run->task->pairs->data[pair];
	const ContactBody *first = &bodies->bodies.data[bodies->elements.data[elements.a].body],
					  *second = &bodies->bodies.data[bodies->elements.data[elements.b].body];
	float radius = first->radius + second->radius, gap = fmaxf(first->gap, second->gap);
	Ways ways;
	Impact impact;
	LoadWays(bodies, feature->vertex, &ways);
	bool meets = feature->isFace ? drapeContinuous_VertexTriangle(ways.from, ways.to, radius, gap, &impact)
	                             : drapeContinuous_EdgeEdge(ways.from, ways.to, radius, gap, &impact);
	if (meets)
		AddImpact(run, feature, &ways, &impact, radius, gap);
}

static void FindRange(const void* context, uint32_t start, uint32_t end, Chunk* chunk)
{
	const FindTask* task = context;
	FindRun run = {task, chunk};
	const Narrow narrow = {
		.bodies = task->bodies,
		.pairs = task->pairs,
		.from = task->bodies->from.data,
		.to = task->bodies->to.data,
		.changed = task->changed,
	};
	drapeNarrow_Find(&narrow, start, end, TestFeature, &run);
}

typedef struct MarkTask
{
	const ContactElement* elements;
	const BitSet* changed;
	uint8_t* hasChanged;
} MarkTask;

static void MarkRange(uint32_t start, uint32_t end, uint32_t worker, void* context)
{
	(void)worker;
	const MarkTask* task = context;
	for (uint32_t i = start; i < end; ++i)
	{
		const uint32_t* vertex = task->elements[i].vertex;
		task->hasChanged[i] = BitSet_Get(task->changed, vertex[0]) || BitSet_Get(task->changed, vertex[1]) ||
		                      BitSet_Get(task->changed, vertex[2]);
	}
}

// Impacts of everything that has changed, in the order of the pairs: from constraints.count on. Returns how many.
static uint32_t FindImpacts(ImpactSolver* solver, const ImpactDef* def)
{
	uint32_t before = solver->constraints.count;
	MarkTask mark = {def->bodies->elements.data, &solver->changed, solver->hasChanged.data};
	FindTask task = {solver, def->bodies, def->pairs, solver->hasChanged.data};
	drapeTaskPool_For(def->tasks, def->bodies->elements.count, markGrain, MarkRange, &mark);
	solver->outOfMemory |= !drapeChunkList_Fill(&solver->found, sizeof(ContactConstraint), def->pairs->count, pairGrain,
	                                            FindRange, &task, def->tasks) ||
	                       !ChunkList_Join(&solver->found, &solver->constraints);
	return solver->constraints.count - before;
}

// --- satisfying -----------------------------------------------------------------------------------------------------

static float InverseMass(const ImpactSolver* solver, const ContactBodies* bodies, uint32_t vertex)
{
	return solver->state.data[vertex] & vertexHeld ? 0.0f : bodies->from.data[vertex].w;
}

// The sum of weights times rows, taken relative to the first: weights add up to zero.
static Vec3 Weighted(const ContactConstraint* c, const Vec4* rows)
{
	Vec3 sum = {0.0f, 0.0f, 0.0f}, origin = V4Xyz(rows[c->vertex[0]]);
	for (int k = 1; k < 4; ++k)
		sum = V3Add(sum, V3Scale(c->weight[k], V3Sub(V4Xyz(rows[c->vertex[k]]), origin)));
	return sum;
}

// Moves what is free so that the weighted sum changes by `change`, by the least motion for the masses.
static void Shift(ImpactSolver* solver, ContactBodies* bodies, const ContactConstraint* c, Vec3 change, float share)
{
	for (int k = 0; k < 4; ++k)
	{
		uint32_t v = c->vertex[k];
		float scale = share * c->weight[k] * InverseMass(solver, bodies, v);
		if (scale == 0.0f)
			continue;
		Vec4* to = &bodies->to.data[v];
		*to = (Vec4){to->x + scale * change.x, to->y + scale * change.y, to->z + scale * change.z, 0.0f};
		solver->state.data[v] |= vertexMoved;
		BitSet_Set(&solver->changed, v);
	}
}

static float Compliance(const ImpactSolver* solver, const ContactBodies* bodies, const ContactConstraint* c)
{
	float sum = 0.0f;
	for (int k = 0; k < 4; ++k)
		sum += c->weight[k] * c->weight[k] * InverseMass(solver, bodies, c->vertex[k]);
	return sum;
}

// Against the way slid over the step: as much as the push allows, at most all of it.
static void Rub(ImpactSolver* solver, ContactBodies* bodies, ContactConstraint* c, float share)
{
	float most = c->friction * c->pushed - c->rubbed;
	if (!(most > 0.0f))
		return;
	Vec3 slid = V3Sub(Weighted(c, bodies->to.data), Weighted(c, bodies->from.data));
	slid = V3Sub(slid, V3Scale(V3Dot(slid, c->normal), c->normal));
	float length = V3Length(slid);
	if (!(length > 0.0f))
		return;
	float rubbed = fminf(most, length);
	c->rubbed += rubbed;
	Shift(solver, bodies, c, V3Scale(-rubbed / length, slid), share);
}

static void KeepOut(ImpactSolver* solver, const ImpactDef* def)
{
	uint32_t count = def->bodies->from.count;
	if (!def->keepOut || solver->isOnTheWay)
		return;
	for (uint32_t i = BitSet_Next(&solver->changed, 0, count); i != DRAPE_NONE;
	     i = BitSet_Next(&solver->changed, i + 1, count))
	{
		Vec4* to = &def->bodies->to.data[i];
		Vec3 end = V4Xyz(*to);
		if (!(InverseMass(solver, def->bodies, i) > 0.0f) || !def->keepOut(i, &end, def->context))
			continue;
		*to = (Vec4){end.x, end.y, end.z, 0.0f};
		solver->state.data[i] |= vertexMoved;
	}
}

// In turn, until all hold or enough sweeps were made.
static void Satisfy(ImpactSolver* solver, ContactBodies* bodies)
{
	for (uint32_t sweep = 0; sweep < mostSweeps; ++sweep)
	{
		bool all = true;
		for (uint32_t i = 0; i < solver->constraints.count; ++i)
		{
			ContactConstraint* c = &solver->constraints.data[i];
			float missing = c->target - V3Dot(c->normal, Weighted(c, bodies->to.data));
			float compliance = Compliance(solver, bodies, c);
			if (!(missing > c->slack) || !(compliance > 0.0f))
				continue;
			all = false;
			c->pushed += missing;
			Shift(solver, bodies, c, V3Scale(missing, c->normal), 1.0f / compliance);
			Rub(solver, bodies, c, 1.0f / compliance);
		}
		if (all)
			return;
	}
}

// --- holding --------------------------------------------------------------------------------------------------------

// The map that more of the impact goes by than by any other, among those that are told or among those that are held.
// DRAPE_NONE when there is none.
static uint32_t MapOf(const ImpactSolver* solver, const ContactBodies* bodies, const ContactConstraint* c, bool isTold)
{
	const uint32_t* map = solver->kinematicMaps.of.data;
	uint32_t best = DRAPE_NONE;
	float most = 0.0f;
	for (int k = 0; k < 4; ++k)
	{
		float sum = 0.0f;
		for (int i = 0; i < 4; ++i)
		{
			if (map[c->vertex[i]] == map[c->vertex[k]] && (bodies->from.data[c->vertex[i]].w == 0.0f) == isTold)
				sum += fabsf(c->weight[i]) + 1e-6f;
		}
		// What stands still is left behind by what moves.
		if (map[c->vertex[k]] == DRAPE_NONE || !(sum > 0.0f) || (map[c->vertex[k]] == kinematicMapStill && most > 0.0f))
			continue;
		if (sum > most || best == kinematicMapStill)
		{
			best = map[c->vertex[k]];
			most = sum;
		}
	}
	return best;
}

// The vertices of the impact that are told each their own way. Returns how many.
static uint32_t ListLoose(const ImpactSolver* solver, const ContactBodies* bodies, const ContactConstraint* c,
                          uint32_t loose[4])
{
	uint32_t count = 0;
	for (int k = 0; k < 4; ++k)
	{
		uint32_t v = c->vertex[k];
		if (bodies->from.data[v].w == 0.0f && solver->kinematicMaps.of.data[v] == DRAPE_NONE)
			loose[count++] = v;
	}
	return count;
}

// What takes the free vertices of an impact along: what is told to move, or else what is held and moves; or else they
// stay where they are.
static uint32_t KinematicMapOf(ImpactSolver* solver, const ContactBodies* bodies, const ContactConstraint* c)
{
	uint32_t loose[4], looseCount = ListLoose(solver, bodies, c, loose);
	uint32_t told = MapOf(solver, bodies, c, true);
	if (told != DRAPE_NONE && told != kinematicMapStill)
		return told;
	if (looseCount > 0 && looseCount < 4)
	{
		uint32_t added = drapeKinematicMaps_Add(&solver->kinematicMaps, bodies, loose, looseCount);
		solver->outOfMemory |= added == DRAPE_NONE;
		return added == DRAPE_NONE ? kinematicMapStill : added;
	}
	uint32_t held = MapOf(solver, bodies, c, false);
	return held == DRAPE_NONE ? kinematicMapStill : held;
}

static void Give(ImpactSolver* solver, ContactBodies* bodies, uint32_t vertex, uint32_t map, float part)
{
	Vec3 place = drapeKinematicMaps_Place(&solver->kinematicMaps, map, V4Xyz(bodies->from.data[vertex]), part);
	bodies->to.data[vertex] = (Vec4){place.x, place.y, place.z, 0.0f};
	solver->kinematicMaps.of.data[vertex] = map;
	solver->state.data[vertex] |= vertexMoved | vertexHeld | vertexWasHeld;
	BitSet_Set(&solver->changed, vertex);
}

// Back to where the step began, or along with the carrier from the moment of the impact on. Those that are held already
// only when there are no others, and not for ever.
static bool MayHold(const ImpactSolver* solver, const ContactBodies* bodies, uint32_t vertex, bool isFirst)
{
	uint8_t state = solver->state.data[vertex];
	return bodies->from.data[vertex].w > 0.0f && (!isFirst || !(state & vertexHeld)) &&
	       (state & allHolds) < vertexHolds * mostHolds;
}

// In the end, places that differ by the time of an impact get into each other's way. What goes along with its carrier
// all the way stays where it began as seen from it and from all others that do; what touches nothing that moves is back
// where it began, until something takes it along.
static bool MayCarry(const ImpactSolver* solver, const ContactBodies* bodies, uint32_t vertex)
{
	return bodies->from.data[vertex].w > 0.0f && (!(solver->state.data[vertex] & vertexCarried) ||
	                                              solver->kinematicMaps.of.data[vertex] == kinematicMapStill);
}

// False when nothing of the impact can be moved any more.
static bool Hold(ImpactSolver* solver, ContactBodies* bodies, const ContactConstraint* c)
{
	uint32_t some[4], count = 0;
	for (int pass = 0; pass < 2 && count == 0; ++pass)
	{
		for (int k = 0; k < 4; ++k)
		{
			if (MayHold(solver, bodies, c->vertex[k], pass == 0))
				some[count++] = c->vertex[k];
		}
	}
	uint32_t map = count > 0 ? KinematicMapOf(solver, bodies, c) : kinematicMapStill;
	for (uint32_t i = 0; i < count; ++i)
	{
		Give(solver, bodies, some[i], map, 1.0f - 0.98f * c->time);
		solver->state.data[some[i]] = (uint8_t)(solver->state.data[some[i]] + vertexHolds);
	}
	return count > 0;
}

static bool Carry(ImpactSolver* solver, ContactBodies* bodies, const ContactConstraint* c)
{
	uint32_t some[4], count = 0;
	for (int k = 0; k < 4; ++k)
	{
		if (MayCarry(solver, bodies, c->vertex[k]))
			some[count++] = c->vertex[k];
	}
	uint32_t map = count > 0 ? KinematicMapOf(solver, bodies, c) : kinematicMapStill;
	bool any = false;
	for (uint32_t i = 0; i < count; ++i)
	{
		if (map == kinematicMapStill && (solver->state.data[some[i]] & vertexCarried))
			continue;
		Give(solver, bodies, some[i], map, 1.0f);
		solver->state.data[some[i]] |= vertexCarried;
		any = true;
	}
	return any;
}

// --- rounds ---------------------------------------------------------------------------------------------------------

static bool Begin(ImpactSolver* solver, const ImpactDef* def)
{
	uint32_t count = def->bodies->from.count;
	solver->outOfMemory = solver->isOnTheWay = solver->isSliced = false;
	solver->patience = settleRounds;
	if (!ArrayReserve(&solver->state, count) || !ArrayReserve(&solver->began, count) ||
	    !ArrayReserve(&solver->wanted, count) || !ArrayReserve(&solver->target, count) ||
	    !ArrayReserve(&solver->collected, count) || !BitSet_Reserve(&solver->changed, count) ||
	    !ArrayReserve(&solver->hasChanged, def->bodies->elements.count))
		return false;
	memset(solver->state.data, 0, count);
	memcpy(solver->began.data, def->bodies->from.data, count * sizeof(Vec4));
	memcpy(solver->wanted.data, def->bodies->to.data, count * sizeof(Vec4));
	return true;
}

static bool Collect(ImpactSolver* solver, const ImpactDef* def)
{
	uint32_t count = def->bodies->from.count;
	memcpy(solver->collected.data, def->bodies->to.data, count * sizeof(Vec4));
	BitSet_SetAll(&solver->changed, count);
	def->pairs->count = 0;
	return def->collect(def->bodies, def->pairs, def->context);
}

// Whether a vertex has left the room in which all that it can meet is known.
static bool HasLeft(const ImpactSolver* solver, const ImpactDef* def)
{
	for (uint32_t i = 0; i < def->bodies->from.count; ++i)
	{
		if (solver->state.data[i] == 0)
			continue;
		Vec3 moved = V3Sub(V4Xyz(def->bodies->to.data[i]), V4Xyz(solver->collected.data[i]));
		if (!(V3Dot(moved, moved) <= def->room * def->room))
			return true;
	}
	return false;
}

static void HoldAll(ImpactSolver* solver, const ImpactDef* def, uint32_t first, ImpactResult* result)
{
	result->left = 0;
	if (!solver->carries && !drapeKinematicMaps_Find(&solver->kinematicMaps, def->bodies))
	{
		solver->outOfMemory = true;
		return;
	}
	solver->carries = true;
	for (uint32_t i = first; i < solver->constraints.count; ++i)
	{
		const ContactConstraint* c = &solver->constraints.data[i];
		bool isHeld = result->rounds < solver->patience + holdRounds ? Hold(solver, def->bodies, c)
		                                                             : Carry(solver, def->bodies, c);
		result->left += !isHeld;
	}
}

// What was just found is looked at again, also where nothing of it could be moved; the rest only where it is moved.
static void MarkFound(ImpactSolver* solver, uint32_t vertexCount, uint32_t first)
{
	BitSet_ClearAll(&solver->changed, vertexCount);
	for (uint32_t i = first; i < solver->constraints.count; ++i)
	{
		for (int k = 0; k < 4; ++k)
			BitSet_Set(&solver->changed, solver->constraints.data[i].vertex[k]);
	}
}

static void RunRounds(ImpactSolver* solver, const ImpactDef* def, ImpactResult* result)
{
	uint32_t count = def->bodies->from.count;
	for (; result->rounds < mostRounds; ++result->rounds)
	{
		uint32_t first = solver->constraints.count, found = FindImpacts(solver, def);
		if (solver->outOfMemory)
			return;
		result->impacts += found;
		if (found == 0)
		{
			result->left = 0;
			if (!HasLeft(solver, def))
				return;
			if (!Collect(solver, def))
			{
				solver->outOfMemory = true;
				return;
			}
			continue;
		}
		MarkFound(solver, count, first);
		if (result->rounds >= solver->patience)
		{
			HoldAll(solver, def, first, result);
			if (solver->outOfMemory)
				return;
			if (result->left == found && result->rounds >= solver->patience + holdRounds)
				return;
		}
		Satisfy(solver, def->bodies);
		KeepOut(solver, def);
	}
	result->left = MaxU32(result->left, 1);
}

// All that meets between where everything is and where it is to be.
static void Sweep(ImpactSolver* solver, const ImpactDef* def, ImpactResult* result)
{
	ImpactResult own = {0};
	solver->constraints.count = 0;
	solver->carries = false;
	for (uint32_t i = 0; i < def->bodies->from.count; ++i)
		solver->state.data[i] &= solver->isSliced ? vertexMoved | vertexWasHeld : 0;
	if (Collect(solver, def))
		RunRounds(solver, def, &own);
	else
		solver->outOfMemory = true;
	result->rounds += own.rounds;
	result->impacts += own.impacts;
	result->left += own.left;
}

static void CopyRows(const ContactBodies* bodies, Vec4* to, const Vec4* from)
{
	memcpy(to, from, bodies->from.count * sizeof(Vec4));
}

// Where slices lead everything: what had to be held goes along with its carrier, so that only what is not alike in
// their ways is left to be settled.
static void SetTargets(ImpactSolver* solver, const ContactBodies* bodies)
{
	CopyRows(bodies, solver->target.data, solver->wanted.data);
	for (uint32_t i = 0; i < bodies->from.count; ++i)
	{
		if (!(solver->state.data[i] & vertexHeld))
			continue;
		Vec3 end = drapeKinematicMaps_Place(&solver->kinematicMaps, solver->kinematicMaps.of.data[i],
		                                    V4Xyz(bodies->from.data[i]), 1.0f);
		solver->target.data[i] = (Vec4){end.x, end.y, end.z, 0.0f};
	}
}

// What is caught between things that move each in its own way may find a way out when all of them go only a little at
// a time: the step is done again in slices, each of which begins where the last one ended.
static void SweepSlices(ImpactSolver* solver, const ImpactDef* def, ImpactResult* result)
{
	ContactBodies* bodies = def->bodies;
	SetTargets(solver, bodies);
	result->left = 0;
	for (uint32_t slice = 0; slice < sliceCount && !solver->outOfMemory; ++slice)
	{
		float part = 1.0f / (float)(sliceCount - slice);
		solver->isSliced = slice > 0;
		solver->isOnTheWay = slice + 1 < sliceCount;
		for (uint32_t i = 0; i < bodies->from.count; ++i)
		{
			Vec4 *from = &bodies->from.data[i], to = bodies->to.data[i], end = solver->target.data[i];
			if (slice > 0)
				*from = (Vec4){to.x, to.y, to.z, from->w};
			if (solver->isOnTheWay)
				end = (Vec4){from->x + part * (end.x - from->x), from->y + part * (end.y - from->y),
				             from->z + part * (end.z - from->z), 0.0f};
			bodies->to.data[i] = end;
		}
		Sweep(solver, def, result);
		// What is lost takes no more time than it has to.
		if (result->left > 0 && slice + 2 < sliceCount)
			slice = sliceCount - 2;
	}
	for (uint32_t i = 0; i < bodies->from.count; ++i)
	{
		Vec4 to = bodies->to.data[i], wanted = solver->wanted.data[i];
		if (to.x != wanted.x || to.y != wanted.y || to.z != wanted.z)
			solver->state.data[i] |= vertexMoved;
	}
	CopyRows(bodies, bodies->from.data, solver->began.data);
}

ImpactResult drapeImpactSolver_Resolve(ImpactSolver* solver, const ImpactDef* def)
{
	ImpactResult result = {0};
	if (!Begin(solver, def))
		return (ImpactResult){.outOfMemory = true};
	Sweep(solver, def, &result);
	if (result.left > 0 && !solver->outOfMemory)
	{
		result.left = 0;
		solver->patience = patientRounds;
		CopyRows(def->bodies, def->bodies->to.data, solver->wanted.data);
		Sweep(solver, def, &result);
	}
	if (result.left > 0 && !solver->outOfMemory)
		SweepSlices(solver, def, &result);
	if (solver->outOfMemory)
	{
		CopyRows(def->bodies, def->bodies->to.data, solver->wanted.data);
		return (ImpactResult){.outOfMemory = true};
	}
	for (uint32_t i = 0; i < def->bodies->from.count; ++i)
		result.frozen += (solver->state.data[i] & vertexWasHeld) != 0;
	return result;
}

// --- velocities -----------------------------------------------------------------------------------------------------

static void Push(const ImpactSolver* solver, const ContactBodies* bodies, const ContactConstraint* c, Vec3 change,
                 float share, Vec4* velocity)
{
	for (int k = 0; k < 4; ++k)
	{
		float scale = share * c->weight[k] * InverseMass(solver, bodies, c->vertex[k]);
		Vec4* v = &velocity[c->vertex[k]];
		*v = (Vec4){v->x + scale * change.x, v->y + scale * change.y, v->z + scale * change.z, v->w};
	}
}

void drapeImpactSolver_StopVelocities(const ImpactSolver* solver, const ContactBodies* bodies, Vec4* velocity)
{
	for (int sweep = 0; sweep < velocitySweeps; ++sweep)
	{
		for (uint32_t i = 0; i < solver->constraints.count; ++i)
		{
			const ContactConstraint* c = &solver->constraints.data[i];
			float compliance = Compliance(solver, bodies, c);
			Vec3 relative = Weighted(c, velocity);
			float outward = V3Dot(relative, c->normal);
			if (!(c->pushed > 0.0f) || !(outward < 0.0f) || !(compliance > 0.0f))
				continue;
			Vec3 sliding = V3Sub(relative, V3Scale(outward, c->normal));
			float speed = V3Length(sliding), rubbed = fminf(-c->friction * outward, speed);
			Vec3 change = V3Scale(-outward, c->normal);
			if (speed > 0.0f)
				change = V3Sub(change, V3Scale(rubbed / speed, sliding));
			Push(solver, bodies, c, change, 1.0f / compliance, velocity);
		}
	}
}
