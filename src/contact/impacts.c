// SPDX-License-Identifier: MIT
#include "contact/impacts.h"

#include <string.h>

enum
{
	pairGrain = 256,
	markGrain = 4096,
	settleRounds = 10, // before vertices are held
	carryRounds = 16,  // before they are carried along
	mostRounds = 200,
	mostSweeps = 24,
	velocitySweeps = 8,

	vertexMoved = 1 << 0,
	vertexHeld = 1 << 1,
	vertexHolds = 1 << 2, // times how often it was given a place
	mostHolds = 8,
	vertexCarried = 1 << 6, // all the way that its carrier goes, for good
};

void ImpactSolver_Destroy(ImpactSolver* solver)
{
	ChunkList_Free(&solver->found);
	ArrayFree(&solver->constraints);
	ArrayFree(&solver->state);
	ArrayFree(&solver->wanted);
	ArrayFree(&solver->collected);
	BitSet_Free(&solver->changed);
	ArrayFree(&solver->hasChanged);
}

// --- finding --------------------------------------------------------------------------------------------------------

typedef struct FindTask
{
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
	float square = isFace ? Closest_PointTriangle(x[0], x[1], x[2], x[3], weights)
	                      : Closest_SegmentSegment(x[0], x[1], x[2], x[3], &s, &t);
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
		.friction = first->friction * second->friction,
		.time = impact->time,
	};
	c->slack = 0.01f * (c->target - radius);
	memcpy(c->vertex, feature->vertex, sizeof c->vertex);
	memcpy(c->weight, impact->weight, sizeof c->weight);
}

static void TestFeature(void* context, const ContactFeature* feature, uint32_t pair)
{
	const FindRun* run = context;
	const ContactBodies* bodies = run->task->bodies;
	ElementPair elements = run->task->pairs->data[pair];
	const ContactBody *first = &bodies->bodies.data[bodies->elements.data[elements.a].body],
					  *second = &bodies->bodies.data[bodies->elements.data[elements.b].body];
	float radius = first->radius + second->radius, gap = fmaxf(first->gap, second->gap);
	Ways ways;
	Impact impact;
	LoadWays(bodies, feature->vertex, &ways);
	bool meets = feature->isFace ? Continuous_VertexTriangle(ways.from, ways.to, radius, gap, &impact)
	                             : Continuous_EdgeEdge(ways.from, ways.to, radius, gap, &impact);
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
	Narrow_Find(&narrow, start, end, TestFeature, &run);
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
	FindTask task = {def->bodies, def->pairs, solver->hasChanged.data};
	TaskPool_For(def->tasks, def->bodies->elements.count, markGrain, MarkRange, &mark);
	solver->isShort |= !ChunkList_Fill(&solver->found, sizeof(ContactConstraint), def->pairs->count, pairGrain,
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
	if (!def->keepOut)
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

// How those of the impact that go where they are told move at it, if any are: colliders and pins, or else what is held.
static bool CarrierOf(const ImpactSolver* solver, const ContactBodies* bodies, const ContactConstraint* c, Vec3* way)
{
	for (int round = 0; round < 2; ++round)
	{
		Vec3 sum = {0.0f, 0.0f, 0.0f};
		float weights = 0.0f;
		for (int k = 0; k < 4; ++k)
		{
			uint32_t v = c->vertex[k];
			bool carries = round == 0 ? bodies->from.data[v].w == 0.0f : (solver->state.data[v] & vertexHeld) != 0;
			if (!carries)
				continue;
			float weight = fabsf(c->weight[k]) + 1e-6f;
			sum = V3Add(sum, V3Scale(weight, V3Sub(V4Xyz(bodies->to.data[v]), V4Xyz(bodies->from.data[v]))));
			weights += weight;
		}
		if (weights > 0.0f)
		{
			*way = V3Scale(1.0f / weights, sum);
			return true;
		}
	}
	return false;
}

// Back to where the step began, or along with the carrier from the moment of the impact on. False when nothing of the
// impact can be moved any more.
static bool Hold(ImpactSolver* solver, ContactBodies* bodies, const ContactConstraint* c)
{
	Vec3 way = {0.0f, 0.0f, 0.0f};
	if (CarrierOf(solver, bodies, c, &way))
		way = V3Scale(1.0f - 0.98f * c->time, way);
	bool any = false;
	for (int pass = 0; pass < 2 && !any; ++pass)
	{
		for (int k = 0; k < 4; ++k)
		{
			uint32_t v = c->vertex[k];
			uint8_t* state = &solver->state.data[v];
			// Those that are held already only when there are no others.
			if (bodies->from.data[v].w == 0.0f || (pass == 0 && (*state & vertexHeld)) ||
			    *state >= vertexHolds * mostHolds)
				continue;
			Vec3 place = V3Add(V4Xyz(bodies->from.data[v]), way);
			bodies->to.data[v] = (Vec4){place.x, place.y, place.z, 0.0f};
			*state = (uint8_t)((*state | vertexMoved | vertexHeld) + vertexHolds);
			BitSet_Set(&solver->changed, v);
			any = true;
		}
	}
	return any;
}

static Vec3 WayOf(const ContactBodies* bodies, uint32_t vertex)
{
	return V3Sub(V4Xyz(bodies->to.data[vertex]), V4Xyz(bodies->from.data[vertex]));
}

// In the end, places that differ by the time of an impact get into each other's way. What goes along with its carrier
// all the way stays as far from it, and from all others that do, as it began; what touches nothing that moves is back
// where it began. False when nothing of the impact can be moved any more.
static bool Carry(ImpactSolver* solver, ContactBodies* bodies, const ContactConstraint* c)
{
	Vec3 way[2] = {{0.0f, 0.0f, 0.0f}, {0.0f, 0.0f, 0.0f}};
	float weights[2] = {0.0f, 0.0f}; // of what is told to move, and of what is carried
	for (int k = 0; k < 4; ++k)
	{
		uint32_t v = c->vertex[k];
		Vec3 own = WayOf(bodies, v);
		bool isTold = bodies->from.data[v].w == 0.0f, isCarried = (solver->state.data[v] & vertexCarried) != 0;
		float weight = fabsf(c->weight[k]) + 1e-6f;
		if ((!isTold || V3Dot(own, own) == 0.0f) && !isCarried)
			continue;
		way[isCarried] = V3Add(way[isCarried], V3Scale(weight, own));
		weights[isCarried] += weight;
	}
	int kind = weights[0] > 0.0f ? 0 : 1;
	bool goesAlong = weights[kind] > 0.0f, any = false;
	Vec3 along = goesAlong ? V3Scale(1.0f / weights[kind], way[kind]) : way[kind];
	for (int k = 0; k < 4; ++k)
	{
		uint32_t v = c->vertex[k];
		Vec3 place = V3Add(V4Xyz(bodies->from.data[v]), along), step = V3Sub(place, V4Xyz(bodies->to.data[v]));
		uint8_t* state = &solver->state.data[v];
		if (bodies->from.data[v].w == 0.0f || (*state & vertexCarried) ||
		    (!goesAlong && (*state & vertexHeld) && V3Dot(step, step) == 0.0f))
			continue;
		bodies->to.data[v] = (Vec4){place.x, place.y, place.z, 0.0f};
		*state |= (uint8_t)(vertexMoved | vertexHeld | (goesAlong ? vertexCarried : 0));
		BitSet_Set(&solver->changed, v);
		any = true;
	}
	return any;
}

// --- rounds ---------------------------------------------------------------------------------------------------------

static bool Begin(ImpactSolver* solver, const ImpactDef* def)
{
	uint32_t count = def->bodies->from.count;
	solver->isShort = false;
	solver->constraints.count = 0;
	if (!ArrayReserve(&solver->state, count) || !ArrayReserve(&solver->wanted, count) ||
	    !ArrayReserve(&solver->collected, count) || !BitSet_Reserve(&solver->changed, count) ||
	    !ArrayReserve(&solver->hasChanged, def->bodies->elements.count))
		return false;
	memset(solver->state.data, 0, count);
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
	for (uint32_t i = first; i < solver->constraints.count; ++i)
	{
		const ContactConstraint* c = &solver->constraints.data[i];
		bool isHeld = result->rounds < carryRounds ? Hold(solver, def->bodies, c) : Carry(solver, def->bodies, c);
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
		if (solver->isShort)
			return;
		result->impacts += found;
		if (found == 0)
		{
			result->left = 0;
			if (!HasLeft(solver, def))
				return;
			if (!Collect(solver, def))
			{
				solver->isShort = true;
				return;
			}
			continue;
		}
		MarkFound(solver, count, first);
		if (result->rounds >= settleRounds)
		{
			HoldAll(solver, def, first, result);
			if (result->left == found && result->rounds >= carryRounds)
				return;
		}
		Satisfy(solver, def->bodies);
		KeepOut(solver, def);
	}
}

ImpactResult ImpactSolver_Resolve(ImpactSolver* solver, const ImpactDef* def)
{
	ImpactResult result = {0};
	if (!Begin(solver, def) || !Collect(solver, def))
	{
		result.isShort = true;
		return result;
	}
	RunRounds(solver, def, &result);
	if (solver->isShort)
	{
		memcpy(def->bodies->to.data, solver->wanted.data, def->bodies->from.count * sizeof(Vec4));
		return (ImpactResult){.isShort = true};
	}
	for (uint32_t i = 0; i < def->bodies->from.count; ++i)
		result.frozen += (solver->state.data[i] & vertexHeld) != 0;
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

void ImpactSolver_StopVelocities(const ImpactSolver* solver, const ContactBodies* bodies, Vec4* velocity)
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
