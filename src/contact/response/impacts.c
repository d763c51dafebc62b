// SPDX-License-Identifier: MIT
#include "contact/response/impacts.h"

#include <string.h>

enum
{
	pairGrain = 256,
	markGrain = 4096,
	settleRounds = 10, // before vertices are frozen
	lateRounds = 6,    // the same when the budget of the step is used up; fewer would hold cloth that settles anyway
	freezeRounds = 6,  // before frozen vertices follow their kinematic map for the whole step
	growRounds = 4,    // after these, zones grow by more and more rings of elements in each round
	mostRounds = 60,
	mostSweeps = 24,
	velocitySweeps = 8,
	sliceCount = 16,     // used by the second attempt
	mostReleases = 3,    // attempts, each of which releases the vertices that the last one could not resolve
	workPerVertex = 48,  // visits of constraints per vertex before vertices are frozen
	leastWork = 1 << 16, // the same for few vertices

	vertexMoved = impactMoved,
	vertexWasFrozen = impactWasFrozen, // in this slice or an earlier one
	vertexFrozen = 1 << 1,
	freezeCountUnit = 1 << 2, // the field counts how often the vertex was frozen
	maxFreezes = 8,
	vertexCarried = 1 << 6, // follows its kinematic map for the whole step, for good
	freezeCountMask = vertexCarried - freezeCountUnit,
};

void drapeImpactSolver_Destroy(ImpactSolver* solver)
{
	drapeChunkList_Free(&solver->found);
	ArrayFree(&solver->constraints);
	ArrayFree(&solver->state);
	ArrayFree(&solver->wanted);
	ArrayFree(&solver->began);
	ArrayFree(&solver->target);
	ArrayFree(&solver->collected);
	drapeKinematicMaps_Destroy(&solver->kinematicMaps);
	BitSet_Free(&solver->changed);
	BitSet_Free(&solver->released);
	BitSet_Free(&solver->grown);
	ArrayFree(&solver->hasChanged);
}

// --- detection ------------------------------------------------------------------------------------------------------

typedef struct FindTask
{
	const ImpactSolver* solver;
	const ImpactDef* def;
	const ContactBodies* bodies;
	const ElementPairs* pairs;
	const uint8_t* changed;
} FindTask;

// One chunk of the task.
typedef struct FindRun
{
	const FindTask* task;
	Chunk* found;
} FindRun;

// Start and end of the four vertices of an impact.
typedef struct Trajectories
{
	Vec3 from[4], to[4];
} Trajectories;

static void LoadTrajectories(const ContactBodies* bodies, const uint32_t vertex[4], Trajectories* paths)
{
	for (int k = 0; k < 4; ++k)
	{
		paths->from[k] = V4Xyz(bodies->from.data[vertex[k]]);
		paths->to[k] = V4Xyz(bodies->to.data[vertex[k]]);
	}
}

static float StartDistance(const Trajectories* paths, bool isFace)
{
	float weights[3], s, t;
	const Vec3* x = paths->from;
	float square = isFace ? drapeClosest_PointTriangle(x[0], x[1], x[2], x[3], weights)
	                      : drapeClosest_SegmentSegment(x[0], x[1], x[2], x[3], &s, &t);
	return sqrtf(square);
}

// A distance that starts below the gap must not shrink. It grows a little in every step until it reaches the gap.
static float TargetOf(const Trajectories* paths, bool isFace, float radius, float gap)
{
	float start = StartDistance(paths, isFace) - radius;
	return radius + MinNumF(1.05f * gap, 1.02f * MaxNumF(start, 0.0f) + 0.002f * gap);
}

static void AddImpact(const FindRun* run, const ContactFeature* feature, const Trajectories* paths,
                      const Impact* impact, float radius, float gap)
{
	const ContactBodies* bodies = run->task->bodies;
	ContactConstraint* c = Chunk_Add(run->found, sizeof *c);
	if (!c)
		return;
	DRAPE_ASSERT(impact->time >= 0.0f && impact->time <= 1.0f);
	*c = (ContactConstraint){
		.normal = impact->normal,
		.target = TargetOf(paths, feature->isFace, radius, gap),
		.friction = drapeContactBodies_Friction(bodies, feature->vertex, impact->weight),
		.time = impact->time,
	};
	c->slack = 0.01f * (c->target - radius);
	memcpy(c->vertex, feature->vertex, sizeof c->vertex);
	memcpy(c->weight, impact->weight, sizeof c->weight);
}

// Returns whether the vertex follows a kinematic map for the whole step.
static bool IsCarried(const ImpactSolver* solver, const ContactBodies* bodies, uint32_t vertex)
{
	return bodies->from.data[vertex].w == 0.0f || (solver->state.data[vertex] & vertexCarried);
}

// Returns whether all vertices follow one map, which keeps them apart (kinematic_maps.h).
static bool GoTogether(const ImpactSolver* solver, const ContactBodies* bodies, const uint32_t vertex[4])
{
	if (!solver->hasMaps)
		return false;
	const uint32_t* map = solver->kinematicMaps.of.data;
	bool all = map[vertex[0]] != DRAPE_NONE;
	for (int k = 0; k < 4 && all; ++k)
		all = map[vertex[k]] == map[vertex[0]] && IsCarried(solver, bodies, vertex[k]);
	return all;
}

// Returns whether a released vertex of a cloth meets kinematic geometry, which may pass through it, or released geometry
// meets a cloth.
static bool IsReleased(const ImpactSolver* solver, const ContactBodies* bodies, const uint32_t vertex[4])
{
	bool isReleased = false, isKinematic = false;
	for (int k = 0; k < 4; ++k)
	{
		isReleased |= BitSet_Get(&solver->released, vertex[k]);
		bool isPin = bodies->bodies.data[bodies->owner.data[vertex[k]]].isCloth;
		isKinematic |= bodies->from.data[vertex[k]].w == 0.0f && !isPin;
	}
	return isReleased && isKinematic;
}

static bool AllAreKinematic(const ContactBodies* bodies, const uint32_t vertex[4])
{
	const Vec4* from = bodies->from.data;
	return from[vertex[0]].w == 0.0f && from[vertex[1]].w == 0.0f && from[vertex[2]].w == 0.0f &&
	       from[vertex[3]].w == 0.0f;
}

static void TestFeature(void* context, const ContactFeature* feature, uint32_t pair)
{
	const FindRun* run = context;
	const ContactBodies* bodies = run->task->bodies;
	const ImpactSolver* solver = run->task->solver;
	if (GoTogether(solver, bodies, feature->vertex) ||
	    (solver->hasReleased && IsReleased(solver, bodies, feature->vertex)))
		return;
	ElementPair elements = run->task->pairs->data[pair];
	const ContactBody *first = &bodies->bodies.data[bodies->elements.data[elements.a].body],
					  *second = &bodies->bodies.data[bodies->elements.data[elements.b].body];
	float radius = first->radius + second->radius, gap = MaxNumF(first->gap, second->gap);
	Trajectories paths;
	Impact impact;
	LoadTrajectories(bodies, feature->vertex, &paths);
	bool isImpact = feature->isFace ? drapeContinuous_VertexTriangle(paths.from, paths.to, radius, gap, &impact)
	                                : drapeContinuous_EdgeEdge(paths.from, paths.to, radius, gap, &impact);
	// Nothing can be moved to resolve an impact of kinematic vertices: it is only counted.
	const ImpactDef* def = run->task->def;
	if (isImpact && AllAreKinematic(bodies, feature->vertex))
		run->found->tests++;
	else if (isImpact && !(def->frees && def->frees(feature, impact.normal, def->context)))
		AddImpact(run, feature, &paths, &impact, radius, gap);
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

// Appends the impacts of all changed elements to the constraints, in the order of the pairs. Returns their number.
// Elements of colliders never change: see MarkFound.
static uint32_t FindImpacts(ImpactSolver* solver, const ImpactDef* def)
{
	uint32_t before = solver->constraints.count, first = solver->firstElement;
	MarkTask mark = {def->bodies->elements.data + first, &solver->changed, solver->hasChanged.data + first};
	FindTask task = {solver, def, def->bodies, def->pairs, solver->allChanged ? NULL : solver->hasChanged.data};
	if (!solver->allChanged)
		drapeTaskPool_For(def->tasks, def->bodies->elements.count - first, markGrain, MarkRange, &mark);
	solver->allChanged = false;
	solver->outOfMemory |= !drapeChunkList_Fill(&solver->found, sizeof(ContactConstraint), def->pairs->count, pairGrain,
	                                            FindRange, &task, def->tasks) ||
	                       !ChunkList_Join(&solver->found, &solver->constraints);
	return solver->constraints.count - before;
}

// --- constraints ----------------------------------------------------------------------------------------------------

static float InverseMass(const ImpactSolver* solver, const ContactBodies* bodies, uint32_t vertex)
{
	return solver->state.data[vertex] & vertexFrozen ? 0.0f : bodies->from.data[vertex].w;
}

// Returns the weighted sum of rows, computed relative to the first: the weights add up to zero.
static Vec3 Weighted(const ContactConstraint* c, const Vec4* rows)
{
	Vec3 sum = {0.0f, 0.0f, 0.0f}, origin = V4Xyz(rows[c->vertex[0]]);
	for (int k = 1; k < 4; ++k)
		sum = V3Add(sum, V3Scale(c->weight[k], V3Sub(V4Xyz(rows[c->vertex[k]]), origin)));
	return sum;
}

// Changes the weighted sum by `change`, with the smallest motion of the free vertices for their masses.
static void Shift(ImpactSolver* solver, ContactBodies* bodies, const ContactConstraint* c, Vec3 change, float share)
{
	for (int k = 0; k < 4; ++k)
	{
		uint32_t v = c->vertex[k];
		DRAPE_ASSERT(v < bodies->to.count);
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

// Removes the sliding within the step, as far as the normal correction allows.
static void ApplyFriction(ImpactSolver* solver, ContactBodies* bodies, ContactConstraint* c, float share)
{
	float most = c->friction * c->pushed - c->dragged;
	if (!(most > 0.0f))
		return;
	Vec3 slid = V3Sub(Weighted(c, bodies->to.data), Weighted(c, bodies->from.data));
	slid = V3Sub(slid, V3Scale(V3Dot(slid, c->normal), c->normal));
	float length = V3Length(slid);
	if (!(length > 0.0f))
		return;
	float dragged = MinNumF(most, length);
	c->dragged += dragged;
	Shift(solver, bodies, c, V3Scale(-dragged / length, slid), share);
}

static void KeepOut(ImpactSolver* solver, const ImpactDef* def)
{
	uint32_t count = def->bodies->from.count;
	if (!def->keepOut || solver->isPartial)
		return;
	for (uint32_t i = BitSet_Next(&solver->changed, 0, count); i != DRAPE_NONE;
	     i = BitSet_Next(&solver->changed, i + 1, count))
	{
		Vec4* to = &def->bodies->to.data[i];
		Vec3 end = V4Xyz(*to);
		if (!(InverseMass(solver, def->bodies, i) > 0.0f) || BitSet_Get(&solver->released, i) ||
		    !def->keepOut(i, &end, def->context))
			continue;
		*to = (Vec4){end.x, end.y, end.z, 0.0f};
		solver->state.data[i] |= vertexMoved;
	}
}

// Satisfies the constraints in turn until all hold or the number of sweeps is used up.
static void Satisfy(ImpactSolver* solver, ContactBodies* bodies)
{
	for (uint32_t sweep = 0; sweep < mostSweeps; ++sweep)
	{
		bool all = true;
		solver->work += solver->constraints.count;
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
			ApplyFriction(solver, bodies, c, 1.0f / compliance);
		}
		if (all)
			return;
	}
}

// --- impact zones ---------------------------------------------------------------------------------------------------

// Returns the kinematic map with the largest weight in the impact, among its kinematic or among its frozen vertices;
// DRAPE_NONE when there is none.
static uint32_t MapOf(const ImpactSolver* solver, const ContactBodies* bodies, const ContactConstraint* c,
                      bool isKinematic)
{
	const uint32_t* map = solver->kinematicMaps.of.data;
	uint32_t best = DRAPE_NONE;
	float most = 0.0f;
	for (int k = 0; k < 4; ++k)
	{
		float sum = 0.0f;
		for (int i = 0; i < 4; ++i)
		{
			if (map[c->vertex[i]] == map[c->vertex[k]] && (bodies->from.data[c->vertex[i]].w == 0.0f) == isKinematic)
				sum += fabsf(c->weight[i]) + 1e-6f;
		}
		// A map that moves takes precedence over the map that stands still.
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

// Lists the kinematic vertices of the impact that follow no map. Returns their number.
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

// Returns the map that the free vertices of an impact have to follow: that of its moving kinematic vertices, else that
// of its frozen ones, else the map that stands still.
static uint32_t KinematicMapOf(ImpactSolver* solver, const ContactBodies* bodies, const ContactConstraint* c)
{
	uint32_t loose[4], looseCount = ListLoose(solver, bodies, c, loose);
	uint32_t kinematic = MapOf(solver, bodies, c, true);
	if (kinematic != DRAPE_NONE && kinematic != kinematicMapStill)
		return kinematic;
	if (looseCount > 0 && looseCount < 4)
	{
		uint32_t added = drapeKinematicMaps_Add(&solver->kinematicMaps, bodies, loose, looseCount);
		solver->outOfMemory |= added == DRAPE_NONE;
		return added == DRAPE_NONE ? kinematicMapStill : added;
	}
	uint32_t frozen = MapOf(solver, bodies, c, false);
	return frozen == DRAPE_NONE ? kinematicMapStill : frozen;
}

// Freezes a vertex where the map moves it over a fraction of the step.
static void Freeze(ImpactSolver* solver, ContactBodies* bodies, uint32_t vertex, uint32_t map, float fraction)
{
	DRAPE_ASSERT(bodies->from.data[vertex].w > 0.0f && map != DRAPE_NONE);
	Vec3 end = drapeKinematicMaps_Apply(&solver->kinematicMaps, map, V4Xyz(bodies->from.data[vertex]), fraction);
	bodies->to.data[vertex] = (Vec4){end.x, end.y, end.z, 0.0f};
	solver->kinematicMaps.of.data[vertex] = map;
	solver->state.data[vertex] |= vertexMoved | vertexFrozen | vertexWasFrozen;
	BitSet_Set(&solver->changed, vertex);
}

// Returns whether a vertex may be frozen. Vertices that are frozen already are moved again only when the impact has no
// others, and only a limited number of times.
static bool MayFreeze(const ImpactSolver* solver, const ContactBodies* bodies, uint32_t vertex, bool isFirst)
{
	uint8_t state = solver->state.data[vertex];
	return bodies->from.data[vertex].w > 0.0f && (!isFirst || !(state & vertexFrozen)) &&
	       (state & freezeCountMask) < freezeCountUnit * maxFreezes;
}

// Returns whether a vertex may follow a kinematic map for the whole step. Frozen positions that depend on the time of
// an impact can block each other. A vertex that follows the map throughout keeps its position relative to the kinematic
// geometry and to all others that follow it. A vertex that touches no moving geometry returns to its start.
static bool MayCarry(const ImpactSolver* solver, const ContactBodies* bodies, uint32_t vertex)
{
	return bodies->from.data[vertex].w > 0.0f && (!(solver->state.data[vertex] & vertexCarried) ||
	                                              solver->kinematicMaps.of.data[vertex] == kinematicMapStill);
}

// Freezes the vertices of an impact from the time of the impact on. Returns false when none may be frozen.
static bool FreezeImpact(ImpactSolver* solver, ContactBodies* bodies, const ContactConstraint* c)
{
	DRAPE_ASSERT(solver->hasMaps);
	uint32_t some[4], count = 0;
	for (int pass = 0; pass < 2 && count == 0; ++pass)
	{
		for (int k = 0; k < 4; ++k)
		{
			if (MayFreeze(solver, bodies, c->vertex[k], pass == 0))
				some[count++] = c->vertex[k];
		}
	}
	uint32_t map = count > 0 ? KinematicMapOf(solver, bodies, c) : kinematicMapStill;
	for (uint32_t i = 0; i < count; ++i)
	{
		Freeze(solver, bodies, some[i], map, 1.0f - 0.98f * c->time);
		solver->state.data[some[i]] = (uint8_t)(solver->state.data[some[i]] + freezeCountUnit);
	}
	return count > 0;
}

// Makes the vertices of an impact follow their kinematic map for the whole step. Returns false when none could.
static bool CarryImpact(ImpactSolver* solver, ContactBodies* bodies, const ContactConstraint* c)
{
	DRAPE_ASSERT(solver->hasMaps);
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
		Freeze(solver, bodies, some[i], map, 1.0f);
		solver->state.data[some[i]] |= vertexCarried;
		any = true;
	}
	return any;
}

// --- rounds ---------------------------------------------------------------------------------------------------------

// Finds where vertices and elements of cloths begin. Those of colliders before them are kinematic.
static void FindFirstCloth(ImpactSolver* solver, const ContactBodies* bodies)
{
	solver->firstVertex = bodies->from.count;
	solver->firstElement = bodies->elements.count;
	for (uint32_t b = bodies->bodies.count; b-- > 0;)
	{
		const ContactBody* body = &bodies->bodies.data[b];
		if (!body->isCloth)
			continue;
		solver->firstVertex = body->vertexStart;
		solver->firstElement = body->elementStart;
	}
}

static bool Begin(ImpactSolver* solver, const ImpactDef* def)
{
	uint32_t count = def->bodies->from.count;
	DRAPE_ASSERT(def->collect && def->pairs && def->margin >= 0.0f);
	DRAPE_ASSERT(def->bodies->to.count == count && def->bodies->owner.count == count);
	solver->outOfMemory = solver->isPartial = solver->isSliced = false;
	if (!ArrayReserve(&solver->state, count) || !ArrayReserve(&solver->wanted, count) ||
	    !ArrayReserve(&solver->began, count) || !ArrayReserve(&solver->target, count) ||
	    !BitSet_Reserve(&solver->released, count) || !BitSet_Reserve(&solver->grown, count) ||
	    !ArrayReserve(&solver->collected, count) || !BitSet_Reserve(&solver->changed, count) ||
	    !ArrayReserve(&solver->hasChanged, def->bodies->elements.count))
		return false;
	FindFirstCloth(solver, def->bodies);
	memset(solver->state.data, 0, count);
	memset(solver->hasChanged.data, 0, solver->firstElement);
	memcpy(solver->began.data, def->bodies->from.data, count * sizeof(Vec4));
	memcpy(solver->wanted.data, def->bodies->to.data, count * sizeof(Vec4));
	return true;
}

static bool Collect(ImpactSolver* solver, const ImpactDef* def)
{
	memcpy(solver->collected.data, def->bodies->to.data, def->bodies->from.count * sizeof(Vec4));
	def->pairs->count = 0;
	return def->collect(def->bodies, def->pairs, def->context);
}

// Collects pairs anew after corrections. Pairs of elements that have not moved since the last time need no test: either
// they were tested, or they are farther apart than the margin.
static bool CollectAgain(ImpactSolver* solver, const ImpactDef* def)
{
	const Vec4 *to = def->bodies->to.data, *last = solver->collected.data;
	BitSet_ClearAll(&solver->changed, def->bodies->from.count);
	for (uint32_t i = solver->firstVertex; i < def->bodies->from.count; ++i)
	{
		if (to[i].x != last[i].x || to[i].y != last[i].y || to[i].z != last[i].z)
			BitSet_Set(&solver->changed, i);
	}
	return Collect(solver, def);
}

// Returns whether a correction moved a vertex beyond the margin of the broad phase.
static bool IsBeyondMargin(const ImpactSolver* solver, const ImpactDef* def)
{
	for (uint32_t i = solver->firstVertex; i < def->bodies->from.count; ++i)
	{
		if (solver->state.data[i] == 0)
			continue;
		Vec3 moved = V3Sub(V4Xyz(def->bodies->to.data[i]), V4Xyz(solver->collected.data[i]));
		if (!(V3Dot(moved, moved) <= def->margin * def->margin))
			return true;
	}
	return false;
}

static bool IsCollider(const ContactBodies* bodies, uint32_t vertex)
{
	return !bodies->bodies.data[bodies->owner.data[vertex]].isCloth;
}

// The displacement of a vertex within the step, m.
static float MovedBy(const ContactBodies* bodies, uint32_t vertex)
{
	return V3Length(V3Sub(V4Xyz(bodies->to.data[vertex]), V4Xyz(bodies->from.data[vertex])));
}

// Early, only vertices of colliders are released that move by this share of the fastest one: an arm passes through the
// cloth, not the trunk that it sinks into.
static const float releasedShare = 0.5f;

// The largest displacement of a vertex of a collider in the constraints from `first` on, m.
static float FastestCollider(const ImpactSolver* solver, const ContactBodies* bodies, uint32_t first)
{
	float fastest = 0.0f;
	for (uint32_t i = first; i < solver->constraints.count; ++i)
	{
		for (int k = 0; k < 4; ++k)
		{
			uint32_t v = solver->constraints.data[i].vertex[k];
			fastest = IsCollider(bodies, v) ? MaxNumF(fastest, MovedBy(bodies, v)) : fastest;
		}
	}
	return fastest;
}

// Impacts that cannot be resolved are between kinematic geometry that closes on cloth. The next attempt lets the vertices
// of that geometry pass through all cloth; later ones release the vertices of the cloth, around which more geometry may
// close.
static void MarkCaught(ImpactSolver* solver, const ContactBodies* bodies, uint32_t first)
{
	float fastest = solver->releasesEarly ? FastestCollider(solver, bodies, first) : 0.0f;
	for (uint32_t i = first; i < solver->constraints.count; ++i)
	{
		const uint32_t* vertex = solver->constraints.data[i].vertex;
		for (int k = 0; k < 4; ++k)
		{
			bool isCollider = IsCollider(bodies, vertex[k]) && MovedBy(bodies, vertex[k]) >= releasedShare * fastest;
			if (solver->releasesColliders ? isCollider : bodies->from.data[vertex[k]].w > 0.0f)
				BitSet_Set(&solver->released, vertex[k]);
		}
	}
}

// Makes the free vertices of elements follow the map of a carried vertex of the same element: one ring.
static void CarryRing(ImpactSolver* solver, ContactBodies* bodies)
{
	DRAPE_ASSERT(solver->hasMaps && solver->grown.capacity >= bodies->from.count);
	const uint32_t* map = solver->kinematicMaps.of.data;
	for (uint32_t e = 0; e < bodies->elements.count; ++e)
	{
		const uint32_t* vertex = bodies->elements.data[e].vertex;
		uint32_t carried = DRAPE_NONE;
		for (int k = 0; k < 3; ++k)
		{
			if ((solver->state.data[vertex[k]] & vertexCarried) && !BitSet_Get(&solver->grown, vertex[k]))
				carried = map[vertex[k]];
		}
		for (int k = 0; k < 3 && carried != DRAPE_NONE; ++k)
		{
			uint32_t v = vertex[k];
			if (!(bodies->from.data[v].w > 0.0f) || (solver->state.data[v] & vertexCarried))
				continue;
			Freeze(solver, bodies, v, carried, 1.0f);
			solver->state.data[v] |= vertexCarried;
			BitSet_Set(&solver->grown, v);
		}
	}
}

// Grows carried zones by a number of rings. Vertices that one ring adds do not spread within the same ring.
static void GrowRings(ImpactSolver* solver, ContactBodies* bodies, uint32_t rings)
{
	for (uint32_t ring = 0; ring < rings; ++ring)
	{
		BitSet_ClearAll(&solver->grown, bodies->from.count);
		CarryRing(solver, bodies);
	}
}

// `round` counts from the first round that freezes vertices.
static void GrowZones(ImpactSolver* solver, const ImpactDef* def, uint32_t first, uint32_t round, ImpactResult* result)
{
	result->unresolved = 0;
	if (!solver->hasMaps && !drapeKinematicMaps_Find(&solver->kinematicMaps, def->bodies))
	{
		solver->outOfMemory = true;
		return;
	}
	solver->hasMaps = true;
	for (uint32_t i = first; i < solver->constraints.count; ++i)
	{
		const ContactConstraint* c = &solver->constraints.data[i];
		bool isResolved =
			round < freezeRounds ? FreezeImpact(solver, def->bodies, c) : CarryImpact(solver, def->bodies, c);
		result->unresolved += !isResolved;
	}
	if (round >= freezeRounds + growRounds)
		GrowRings(solver, def->bodies, round - freezeRounds - growRounds + 1);
}

// Marks the free vertices of new impacts for the next round, also when none of them could move. Each impact has one.
// Kinematic vertices do not change: other pairs of their elements need no second test.
static void MarkFound(ImpactSolver* solver, const ContactBodies* bodies, uint32_t first)
{
	BitSet_ClearAll(&solver->changed, bodies->from.count);
	for (uint32_t i = first; i < solver->constraints.count; ++i)
	{
		for (int k = 0; k < 4; ++k)
		{
			uint32_t v = solver->constraints.data[i].vertex[k];
			if (bodies->from.data[v].w > 0.0f)
				BitSet_Set(&solver->changed, v);
		}
	}
}

// Returns whether corrections have taken so much work that vertices must be frozen.
static bool IsWorkUsedUp(const ImpactSolver* solver, const ImpactDef* def)
{
	return solver->work > MaxU32(leastWork, workPerVertex * def->bodies->from.count);
}

// Returns whether a collider takes part in a new impact.
static bool HasCollider(const ImpactSolver* solver, const ImpactDef* def, uint32_t first)
{
	for (uint32_t i = first; i < solver->constraints.count; ++i)
	{
		const uint32_t* vertex = solver->constraints.data[i].vertex;
		if (IsCollider(def->bodies, vertex[0]) || IsCollider(def->bodies, vertex[3]))
			return true;
	}
	return false;
}

static void RunRounds(ImpactSolver* solver, const ImpactDef* def, ImpactResult* result)
{
	uint32_t freezing = 0;
	for (; result->rounds < mostRounds && !Deadline_IsCancelled(def->deadline); ++result->rounds)
	{
		Deadline_Count(def->deadline, workRound, def->pairs->count + def->bodies->elements.count);
		uint32_t first = solver->constraints.count, found = FindImpacts(solver, def);
		Deadline_Count(def->deadline, workImpact, found);
		if (solver->outOfMemory)
			return;
		if (result->rounds == 0)
			result->kinematic = (uint32_t)drapeChunkList_Tests(&solver->found);
		result->impacts += found;
		if (found == 0)
		{
			result->unresolved = 0;
			if (!IsBeyondMargin(solver, def))
				return;
			if (!CollectAgain(solver, def))
			{
				solver->outOfMemory = true;
				return;
			}
			continue;
		}
		MarkFound(solver, def->bodies, first);
		if (result->rounds >= settleRounds || freezing > 0 || IsWorkUsedUp(solver, def) ||
		    (result->rounds >= lateRounds && drapeDeadline_Stops(def->deadline, 0.0)))
		{
			GrowZones(solver, def, first, freezing++, result);
			if (solver->outOfMemory)
				return;
			uint32_t latest = def->isPinched ? freezeRounds + growRounds : freezeRounds;
			bool isEarly = solver->releasesEarly && freezing > latest && HasCollider(solver, def, first);
			solver->hasReleasedEarly |= isEarly;
			result->unresolved = isEarly ? found : result->unresolved;
			if (result->unresolved == found && freezing > freezeRounds)
			{
				MarkCaught(solver, def->bodies, first);
				return;
			}
		}
		// Once vertices are carried, the constraints of earlier rounds would only move others into them.
		uint32_t visits = solver->work;
		if (freezing <= freezeRounds)
			Satisfy(solver, def->bodies);
		Deadline_Count(def->deadline, workVisit, solver->work - visits);
		KeepOut(solver, def);
	}
	MarkCaught(solver, def->bodies, 0);
	result->unresolved = MaxU32(result->unresolved, 1);
}

// Resolves the impacts of the trajectories from `from` to `to`.
static void Sweep(ImpactSolver* solver, const ImpactDef* def, ImpactResult* result)
{
	ImpactResult own = {0};
	solver->constraints.count = 0;
	solver->hasMaps = false;
	solver->work = 0;
	solver->allChanged = true;
	for (uint32_t i = solver->firstVertex; i < def->bodies->from.count; ++i)
		solver->state.data[i] &= solver->isSliced ? vertexMoved | vertexWasFrozen : 0;
	if (Collect(solver, def))
		RunRounds(solver, def, &own);
	else
		solver->outOfMemory = true;
	result->rounds += own.rounds;
	result->impacts += own.impacts;
	result->unresolved += own.unresolved;
	result->kinematic = own.kinematic;
}

static void CopyRows(const ContactBodies* bodies, Vec4* to, const Vec4* from)
{
	memcpy(to, from, bodies->from.count * sizeof(Vec4));
}

// Sets where the slices move each vertex. Frozen vertices follow their kinematic map, so that only differences between
// trajectories remain to be resolved.
static void SetTargets(ImpactSolver* solver, const ContactBodies* bodies)
{
	CopyRows(bodies, solver->target.data, solver->wanted.data);
	for (uint32_t i = 0; i < bodies->from.count; ++i)
	{
		if (!(solver->state.data[i] & vertexFrozen))
			continue;
		Vec3 end = drapeKinematicMaps_Apply(&solver->kinematicMaps, solver->kinematicMaps.of.data[i],
		                                    V4Xyz(bodies->from.data[i]), 1.0f);
		solver->target.data[i] = (Vec4){end.x, end.y, end.z, 0.0f};
	}
}

// Vertices that are caught between differently moving geometry may escape when all of it moves a little at a time. This
// repeats the step in slices, each of which starts where the last one ended.
static void SweepSlices(ImpactSolver* solver, const ImpactDef* def, ImpactResult* result)
{
	ContactBodies* bodies = def->bodies;
	SetTargets(solver, bodies);
	result->unresolved = 0;
	for (uint32_t slice = 0; slice < sliceCount && !solver->outOfMemory; ++slice)
	{
		float fraction = 1.0f / (float)(sliceCount - slice);
		solver->isSliced = slice > 0;
		solver->isPartial = slice + 1 < sliceCount;
		for (uint32_t i = 0; i < bodies->from.count; ++i)
		{
			Vec4 *from = &bodies->from.data[i], to = bodies->to.data[i], end = solver->target.data[i];
			if (slice > 0)
				*from = (Vec4){to.x, to.y, to.z, from->w};
			if (solver->isPartial)
				end = (Vec4){from->x + fraction * (end.x - from->x), from->y + fraction * (end.y - from->y),
				             from->z + fraction * (end.z - from->z), 0.0f};
			bodies->to.data[i] = end;
		}
		Sweep(solver, def, result);
		// An unresolved slice makes the others pointless: jump to the last two.
		if (result->unresolved > 0 && slice + 2 < sliceCount)
			slice = sliceCount - 2;
	}
	for (uint32_t i = 0; i < bodies->from.count; ++i)
	{
		Vec4 to = bodies->to.data[i], wanted = solver->wanted.data[i];
		if (to.x != wanted.x || to.y != wanted.y || to.z != wanted.z)
			solver->state.data[i] |= vertexMoved;
	}
	CopyRows(bodies, bodies->from.data, solver->began.data);
	solver->isSliced = solver->isPartial = false;
}

// The last resort: all free vertices stay where they start, and kinematic geometry passes through them. Surfaces of
// cloth that start apart stay apart.
static void HoldAll(ImpactSolver* solver, ContactBodies* bodies)
{
	DRAPE_ASSERT(bodies->from.count == bodies->to.count);
	for (uint32_t i = 0; i < bodies->from.count; ++i)
	{
		Vec4 from = bodies->from.data[i];
		if (!(from.w > 0.0f))
			continue;
		bodies->to.data[i] = (Vec4){from.x, from.y, from.z, 0.0f};
		solver->state.data[i] |= vertexMoved | vertexFrozen | vertexWasFrozen;
	}
	solver->constraints.count = 0;
}

static uint32_t CountReleased(const ImpactSolver* solver, const ContactBodies* bodies)
{
	return BitSet_CountSet(&solver->released, bodies->from.count);
}

// Rings of elements around caught vertices that each further attempt releases as well. The last one releases whole
// cloths.
static const uint32_t releaseRings[mostReleases] = {1, 8, UINT32_MAX};

static void GrowReleased(ImpactSolver* solver, const ContactBodies* bodies, uint32_t rings)
{
	DRAPE_ASSERT(solver->released.capacity >= bodies->from.count && rings > 0);
	bool hasGrown = true;
	for (uint32_t ring = 0; ring < rings && hasGrown; ++ring)
	{
		hasGrown = false;
		memcpy(solver->grown.words, solver->released.words, BitSet_WordCount(bodies->from.count) * sizeof(uint64_t));
		for (uint32_t e = 0; e < bodies->elements.count; ++e)
		{
			const uint32_t* v = bodies->elements.data[e].vertex;
			if (!BitSet_Get(&solver->grown, v[0]) && !BitSet_Get(&solver->grown, v[1]) &&
			    !BitSet_Get(&solver->grown, v[2]))
				continue;
			for (int k = 0; k < 3; ++k)
			{
				hasGrown |= !BitSet_Get(&solver->released, v[k]);
				BitSet_Set(&solver->released, v[k]);
			}
		}
	}
}

ImpactResult drapeImpactSolver_Resolve(ImpactSolver* solver, const ImpactDef* def)
{
	ImpactResult result = {0};
	if (!Begin(solver, def))
		return (ImpactResult){.outOfMemory = true};
	BitSet_ClearAll(&solver->released, def->bodies->from.count);
	solver->hasReleasedEarly = false;
	for (uint32_t attempt = 0; attempt == 0 || (result.unresolved > 0 && attempt <= mostReleases + 1); ++attempt)
	{
		solver->releasesEarly = (def->isPinched || def->isSqueezed) && attempt == 0;
		solver->releasesColliders = attempt <= 1;
		if (attempt > 0)
			CopyRows(def->bodies, def->bodies->to.data, solver->wanted.data);
		if (attempt == 1 && !solver->hasReleasedEarly)
			BitSet_ClearAll(&solver->released, def->bodies->from.count);
		else if (attempt > 1)
			GrowReleased(solver, def->bodies, releaseRings[attempt - 2]);
		solver->hasReleased = CountReleased(solver, def->bodies) > 0;
		if (attempt == 1 && !solver->hasReleasedEarly)
			SweepSlices(solver, def, &result);
		else
		{
			result.unresolved = 0;
			Sweep(solver, def, &result);
		}
		if (solver->outOfMemory || Deadline_IsCancelled(def->deadline))
			break;
	}
	if (solver->outOfMemory)
	{
		CopyRows(def->bodies, def->bodies->to.data, solver->wanted.data);
		return (ImpactResult){.outOfMemory = true};
	}
	if (result.unresolved > 0)
		HoldAll(solver, def->bodies);
	result.released = CountReleased(solver, def->bodies);
	result.unresolved = result.kinematic + result.released;
	for (uint32_t i = 0; i < def->bodies->from.count; ++i)
		result.frozen += (solver->state.data[i] & vertexWasFrozen) != 0;
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
	DRAPE_ASSERT(bodies->from.count <= solver->state.capacity);
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
			float speed = V3Length(sliding), drag = MinNumF(-c->friction * outward, speed);
			Vec3 change = V3Scale(-outward, c->normal);
			if (speed > 0.0f)
				change = V3Sub(change, V3Scale(drag / speed, sliding));
			Push(solver, bodies, c, change, 1.0f / compliance, velocity);
		}
	}
}
