// SPDX-License-Identifier: MIT
#include "contact/untangle/untangle_inner.h"

#include "base/timer.h"
#include "contact/narrow/crossing.h"

#include <string.h>

// Rounds of the untangler, and the limit of its time.

enum
{
	patientRounds = 4, // without a better state, before patches grow
	widestStage = 6,
	visitsPerRound = 2, // of a vertex, on average
};

// Extra motion in edge lengths for each round without progress, so that knots that oscillate take another path.
static const float overshootStep = 0.02f;

static const double reportInterval = 0.05; // s
// --- set-up ---------------------------------------------------------------------------------------------------------

void drapeUntangler_Destroy(Untangler* u)
{
	ArrayFree(&u->ringStart);
	ArrayFree(&u->ring);
	ArrayFree(&u->neighbourStart);
	ArrayFree(&u->neighbours);
	ArrayFree(&u->edgeLength);
	ArrayFree(&u->distance);
	ArrayFree(&u->side);
	ArrayFree(&u->visited);
	ArrayFree(&u->heap);
	ArrayFree(&u->seeds);
	for (int i = 0; i < 2; ++i)
	{
		ArrayFree(&u->patch[i].corners);
		drapeBvh_Destroy(&u->patch[i].tree);
	}
	BitSet_Free(&u->core);
	ArrayFree(&u->hits);
	ArrayFree(&u->leader);
	ArrayFree(&u->next);
	ArrayFree(&u->owner);
	ArrayFree(&u->knot);
	ArrayFree(&u->isSwapped);
	ArrayFree(&u->points);
	ArrayFree(&u->part);
	ArrayFree(&u->partCrossings);
	ArrayFree(&u->start);
	ArrayFree(&u->meshes);
	ArrayFree(&u->probes);
	ArrayFree(&u->winding);
	drapeChunkList_Free(&u->intervalChunks);
	ArrayFree(&u->intervals);
	ArrayFree(&u->best);
}

static float MeanEdge(const Tangle* tangle, const TangleSurface* surface)
{
	double sum = 0.0;
	for (uint32_t t = surface->triangleStart; t < surface->triangleEnd; ++t)
	{
		Vec3 c[3];
		drapeTangle_Corners(tangle, t, c);
		for (int k = 0; k < 3; ++k)
			sum += (double)V3Length(V3Sub(c[k], c[(k + 1) % 3]));
	}
	uint32_t count = 3 * (surface->triangleEnd - surface->triangleStart);
	return count > 0 ? (float)(sum / count) : 0.0f;
}

bool drapeUntangler_Begin(Untangler* u)
{
	const Tangle* tangle = u->tangle;
	uint32_t vertices = tangle->position.count;
	for (int i = 0; i < 2; ++i)
	{
		if (u->patch[i].tree.k == 0)
			drapeBvh_Init(&u->patch[i].tree, bvhDefaultK, bvhDefaultArity);
	}
	u->edgeLength.count = u->visited.count = u->heap.count = u->seeds.count = 0;
	if (!drapeUntangler_Connect(u) || !ArrayReserve(&u->edgeLength, tangle->surfaces.count) ||
	    !ArrayReserve(&u->distance, vertices) || !ArrayReserve(&u->side, vertices) ||
	    !ArrayReserve(&u->visited, vertices) || !ArrayReserve(&u->seeds, vertices) ||
	    !ArrayReserve(&u->owner, vertices) || !ArrayReserve(&u->best, vertices) || !ArrayReserve(&u->hits, vertices) ||
	    !BitSet_Reserve(&u->core, vertices))
		return false;
	for (uint32_t i = 0; i < tangle->surfaces.count; ++i)
		ArrayPush(&u->edgeLength, MeanEdge(tangle, &tangle->surfaces.data[i]));
	for (uint32_t v = 0; v < vertices; ++v)
	{
		u->distance.data[v] = INFINITY;
		u->side.data[v] = sideNone;
		u->owner.data[v] = DRAPE_NONE;
	}
	BitSet_ClearAll(&u->core, vertices);
	return true;
}

// --- knots ----------------------------------------------------------------------------------------------------------

static uint32_t LeaderOf(Untangler* u, uint32_t crossing)
{
	uint32_t* leader = u->leader.data;
	for (; leader[crossing] != crossing; crossing = leader[crossing])
		leader[crossing] = leader[leader[crossing]];
	return crossing;
}

// The lower crossing becomes the leader.
static void Join(Untangler* u, uint32_t a, uint32_t b)
{
	a = LeaderOf(u, a);
	b = LeaderOf(u, b);
	u->leader.data[MaxU32(a, b)] = MinU32(a, b);
}

bool drapeTangle_AreAlike(const TangleCrossing* a, const TangleCrossing* b)
{
	return a->surface == b->surface && a->other == b->other &&
	       (a->other != DRAPE_NONE || a->otherTriangle == b->otherTriangle);
}

bool drapeTangle_IsSolid(const Tangle* tangle, const TangleCrossing* crossing)
{
	if (crossing->other == DRAPE_NONE)
		return true;
	const MeshShape* shape = tangle->surfaces.data[crossing->other].shape;
	return shape && shape->closed;
}

static void JoinAt(Untangler* u, uint32_t crossing, uint32_t triangle)
{
	for (int k = 0; k < 3; ++k)
	{
		uint32_t* owner = &u->owner.data[u->tangle->corners.data[3 * triangle + k]];
		if (*owner != DRAPE_NONE)
			Join(u, crossing, *owner);
		*owner = crossing;
	}
}

static void ForgetOwners(Untangler* u, uint32_t triangle)
{
	for (int k = 0; k < 3; ++k)
		u->owner.data[u->tangle->corners.data[3 * triangle + k]] = DRAPE_NONE;
}

// Crossings [start, end) of the same two surfaces form one knot when their triangles share corners.
static void JoinAlike(Untangler* u, uint32_t start, uint32_t end)
{
	DRAPE_ASSERT(start < end && end <= u->tangle->crossings.count);
	const TangleCrossing* list = u->tangle->crossings.data;
	bool hasTriangles = list[start].other != DRAPE_NONE;
	for (uint32_t i = start; i < end; ++i)
	{
		JoinAt(u, i, list[i].triangle);
		if (hasTriangles)
			JoinAt(u, i, list[i].otherTriangle);
	}
	for (uint32_t i = start; i < end; ++i)
	{
		ForgetOwners(u, list[i].triangle);
		if (hasTriangles)
			ForgetOwners(u, list[i].otherTriangle);
	}
}

bool drapeUntangler_FindKnots(Untangler* u)
{
	const TangleCrossing* list = u->tangle->crossings.data;
	uint32_t count = u->tangle->crossings.count;
	if (!ArrayReserve(&u->leader, count) || !ArrayReserve(&u->next, count) || !ArrayReserve(&u->knot, count) ||
	    !ArrayReserve(&u->isSwapped, count) || !ArrayReserve(&u->points, count))
		return false;
	for (uint32_t i = 0; i < count; ++i)
	{
		u->leader.data[i] = i;
		u->next.data[i] = DRAPE_NONE;
	}
	for (uint32_t start = 0, end; start < count; start = end)
	{
		for (end = start; end < count && drapeTangle_AreAlike(&list[start], &list[end]); ++end)
			continue;
		JoinAlike(u, start, end);
	}
	// Builds the list of each leader in ascending order; the leader comes first.
	for (uint32_t i = count; i-- > 0;)
	{
		uint32_t leader = LeaderOf(u, i);
		if (leader == i)
			continue;
		u->next.data[i] = u->next.data[leader];
		u->next.data[leader] = i;
	}
	return true;
}

static bool StillCrosses(const Tangle* tangle, const TangleCrossing* crossing)
{
	Vec3 a[3], b[3];
	if (crossing->other == DRAPE_NONE)
		return drapeTangle_Intrusion(tangle, crossing->triangle, crossing->otherTriangle, NULL);
	drapeTangle_Corners(tangle, crossing->triangle, a);
	drapeTangle_Corners(tangle, crossing->otherTriangle, b);
	return drapeCrossing_TriangleTriangle(a, b);
}

static bool CanMove(const Tangle* tangle, uint32_t triangle)
{
	const uint32_t* c = tangle->corners.data + 3 * (size_t)triangle;
	const Vec4* x = tangle->position.data;
	return x[c[0]].w > 0.0f || x[c[1]].w > 0.0f || x[c[2]].w > 0.0f;
}

// Returns whether a crossing of the list can be removed and still exists.
static bool IsOpen(const Tangle* tangle, const TangleCrossing* crossing)
{
	bool isMovable = CanMove(tangle, crossing->triangle) ||
	                 (crossing->other != DRAPE_NONE && CanMove(tangle, crossing->otherTriangle));
	return isMovable && StillCrosses(tangle, crossing);
}

// Skips crossings of pinned triangles, and crossings that the resolution of another knot has removed.
bool drapeUntangler_TakeKnot(Untangler* u, uint32_t leader)
{
	const Tangle* tangle = u->tangle;
	DRAPE_ASSERT(u->leader.data[leader] == leader);
	u->knot.count = 0;
	for (uint32_t i = leader; i != DRAPE_NONE; i = u->next.data[i])
	{
		if (!IsOpen(tangle, &tangle->crossings.data[i]))
			continue;
		ArrayPush(&u->knot, i);
		u->points.data[u->knot.count - 1] = drapeTangle_CommonPoint(tangle, &tangle->crossings.data[i]);
	}
	return u->knot.count > 0;
}

static bool ResolveKnot(Untangler* u, uint32_t leader)
{
	const TangleCrossing* like = &u->tangle->crossings.data[leader];
	if (!drapeUntangler_TakeKnot(u, leader))
		return true;
	return drapeTangle_IsSolid(u->tangle, like) ? drapeUntangler_ResolveSolid(u, like)
	                                            : drapeUntangler_ResolveSurfaces(u, like);
}

// Wide patches of many knots overlap. A round that has visited all vertices several times ends, and the next one goes on
// from there.
static bool Round(Untangler* u)
{
	uint32_t count = u->tangle->crossings.count, first = u->nextCrossing < count ? u->nextCrossing : 0;
	uint64_t enough = visitsPerRound * (uint64_t)u->tangle->position.count;
	if (!drapeUntangler_FindKnots(u))
		return false;
	u->visits = 0;
	u->nextCrossing = 0;
	for (uint32_t k = 0; k < count && !drapeUntangler_MustStop(u); ++k)
	{
		uint32_t i = first + k < count ? first + k : first + k - count;
		if (u->visits > enough)
		{
			u->nextCrossing = i;
			break;
		}
		if (u->leader.data[i] == i && !ResolveKnot(u, i))
			return false;
	}
	return true;
}

// --- the limit of time ----------------------------------------------------------------------------------------------

static float Seconds(const Untangler* u)
{
	return (float)(1e-3 * drapeTimer_Ms(u->began));
}

// Reports the share of the work that is done: of the crossings that are gone, of the stages that are over, or of the
// time, whichever is most.
static void Report(Untangler* u)
{
	float seconds = Seconds(u);
	float share = u->before > 0 ? 1.0f - (float)u->bestCount / (float)u->before : 1.0f;
	if (u->def->seconds > 0.0f)
		share = MaxNumF(share, seconds / u->def->seconds);
	u->share = MinNumF(MaxNumF(u->share, MaxNumF(share, u->stageShare)), 1.0f);
	u->reported = drapeTimer_Now();
	const UntangleProgress progress = {
		.share = u->share, .before = u->before, .left = u->bestCount, .rounds = u->rounds, .seconds = seconds};
	if (!u->def->progress(&progress, u->def->context))
		u->end = untangle_cancelled;
}

bool drapeUntangler_MustStop(Untangler* u)
{
	if (u->end == untangle_done && u->def->progress && 1e-3 * drapeTimer_Ms(u->reported) >= reportInterval)
		Report(u);
	if (u->end == untangle_done && u->def->seconds > 0.0f && Seconds(u) >= u->def->seconds)
		u->end = untangle_timeOver;
	return u->end != untangle_done;
}

// --- rounds ---------------------------------------------------------------------------------------------------------

static void Copy(Vec4* to, const Vec4* from, uint32_t count)
{
	if (count > 0)
		memcpy(to, from, count * sizeof(Vec4));
}

void drapeUntangler_Keep(Untangler* u)
{
	DRAPE_ASSERT(u->tangle->crossings.count <= u->bestCount);
	u->bestCount = u->tangle->crossings.count;
	Copy(u->best.data, u->tangle->position.data, u->tangle->position.count);
}

static void Recall(Untangler* u)
{
	Copy(u->tangle->position.data, u->best.data, u->tangle->position.count);
}

static bool Run(Untangler* u)
{
	Tangle* tangle = u->tangle;
	uint32_t idle = 0, stage = 0;
	bool isDone = true;
	while (isDone && u->bestCount > 0 && u->rounds < u->def->rounds && stage <= widestStage &&
	       !drapeUntangler_MustStop(u))
	{
		u->rounds++;
		u->widen = (float)(1u << stage);
		u->overshoot = overshootStep * (float)(idle + stage * patientRounds);
		u->stageShare = (float)(stage * patientRounds + idle) / (float)((widestStage + 1) * patientRounds);
		isDone = Round(u) && drapeTangle_Find(tangle, u->tasks);
		if (isDone && tangle->crossings.count < u->bestCount)
		{
			drapeUntangler_Keep(u);
			idle = 0;
		}
		else if (isDone && ++idle == patientRounds)
		{
			idle = 0;
			stage++;
			Recall(u);
			isDone = drapeTangle_Find(tangle, u->tasks);
		}
	}
	return isDone;
}

UntangleResult drapeTangle_Untangle(Tangle* tangle, const UntangleDef* def)
{
	DRAPE_ASSERT(tangle->clothCount <= tangle->surfaces.count && def->seconds >= 0.0f);
	Untangler u = {.tangle = tangle, .def = def, .tasks = def->tasks, .smooths = true};
	u.began = drapeTimer_Now(); // `reported` is 0: the first look reports
	bool isDone = drapeTangle_Find(tangle, def->tasks) && drapeUntangler_Begin(&u);
	if (isDone)
	{
		u.before = u.bestCount = tangle->crossings.count;
		drapeUntangler_Keep(&u);
		isDone = drapeUntangler_PushOut(&u) && Run(&u);
		Recall(&u);
		isDone = isDone && drapeUntangler_OpenGaps(&u);
		Recall(&u);
		isDone = isDone && drapeTangle_Find(tangle, def->tasks);
	}
	const UntangleResult result = {
		.before = u.before,
		.after = isDone ? tangle->crossings.count : u.bestCount,
		.rounds = u.rounds,
		.end = u.end,
		.outOfMemory = !isDone,
	};
	if (isDone && def->progress && u.end == untangle_done)
	{
		u.stageShare = 1.0f;
		Report(&u);
	}
	drapeUntangler_Destroy(&u);
	return result;
}
