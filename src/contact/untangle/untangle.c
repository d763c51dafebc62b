// SPDX-License-Identifier: MIT
#include "contact/untangle/untangle_inner.h"

#include "contact/narrow/crossing.h"

#include <string.h>

enum
{
	patientRounds = 4, // without a better state, until patches are taken wider
	widestStage = 6,
	maxGapPasses = 40,
};

// Edge lengths that everything goes farther than it has to, for each round that has not helped: so that what went back
// and forth takes another way.
static const float overshootStep = 0.02f;

// --- set-up ---------------------------------------------------------------------------------------------------------

static void Untangler_Destroy(Untangler* u)
{
	ArrayFree(&u->ringStart);
	ArrayFree(&u->ring);
	ArrayFree(&u->edgeLength);
	ArrayFree(&u->distance);
	ArrayFree(&u->side);
	ArrayFree(&u->reached);
	ArrayFree(&u->heap);
	ArrayFree(&u->seeds);
	for (int i = 0; i < 2; ++i)
	{
		ArrayFree(&u->patch[i].corners);
		drapeBvh_Destroy(&u->patch[i].tree);
	}
	BitSet_Free(&u->core);
	ArrayFree(&u->leader);
	ArrayFree(&u->next);
	ArrayFree(&u->owner);
	ArrayFree(&u->knot);
	ArrayFree(&u->isSwapped);
	ArrayFree(&u->places);
	ArrayFree(&u->best);
}

static bool MakeRings(Untangler* u)
{
	const Tangle* tangle = u->tangle;
	uint32_t vertices = tangle->position.count, corners = tangle->corners.count;
	if (!ArrayReserve(&u->ringStart, vertices + 1) || !ArrayReserve(&u->ring, corners))
		return false;
	memset(u->ringStart.data, 0, (vertices + 1) * sizeof(uint32_t));
	for (uint32_t i = 0; i < corners; ++i)
		u->ringStart.data[tangle->corners.data[i]]++;
	for (uint32_t v = 0, sum = 0; v <= vertices; ++v)
	{
		sum += v < vertices ? u->ringStart.data[v] : 0;
		u->ringStart.data[v] = sum;
	}
	// Filled from the end, so that each list ascends and its start is where it ought to be.
	for (uint32_t i = corners; i-- > 0;)
		u->ring.data[--u->ringStart.data[tangle->corners.data[i]]] = i / 3;
	return true;
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

static bool Untangler_Begin(Untangler* u)
{
	const Tangle* tangle = u->tangle;
	uint32_t vertices = tangle->position.count;
	drapeBvh_Init(&u->patch[0].tree, bvhDefaultK, bvhDefaultArity);
	drapeBvh_Init(&u->patch[1].tree, bvhDefaultK, bvhDefaultArity);
	if (!MakeRings(u) || !ArrayReserve(&u->edgeLength, tangle->surfaces.count) ||
	    !ArrayReserve(&u->distance, vertices) || !ArrayReserve(&u->side, vertices) ||
	    !ArrayReserve(&u->reached, vertices) || !ArrayReserve(&u->seeds, vertices) ||
	    !ArrayReserve(&u->owner, vertices) || !ArrayReserve(&u->best, vertices) || !BitSet_Reserve(&u->core, vertices))
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

// The lower one leads.
static void Join(Untangler* u, uint32_t a, uint32_t b)
{
	a = LeaderOf(u, a);
	b = LeaderOf(u, b);
	u->leader.data[MaxU32(a, b)] = MinU32(a, b);
}

static bool AreAlike(const TangleCrossing* a, const TangleCrossing* b)
{
	return a->surface == b->surface && a->other == b->other &&
	       (a->other != DRAPE_NONE || a->otherTriangle == b->otherTriangle);
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

// Crossings of the same two things, [start, end), are one knot when their triangles have corners in common.
static void JoinAlike(Untangler* u, uint32_t start, uint32_t end)
{
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

static bool FindKnots(Untangler* u)
{
	const TangleCrossing* list = u->tangle->crossings.data;
	uint32_t count = u->tangle->crossings.count;
	if (!ArrayReserve(&u->leader, count) || !ArrayReserve(&u->next, count) || !ArrayReserve(&u->knot, count) ||
	    !ArrayReserve(&u->isSwapped, count) || !ArrayReserve(&u->places, count))
		return false;
	for (uint32_t i = 0; i < count; ++i)
	{
		u->leader.data[i] = i;
		u->next.data[i] = DRAPE_NONE;
	}
	for (uint32_t start = 0, end; start < count; start = end)
	{
		for (end = start; end < count && AreAlike(&list[start], &list[end]); ++end)
			continue;
		JoinAlike(u, start, end);
	}
	// Lists by leader, ascending: the leader is the first.
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

// Others may have been resolved since the crossings were found.
static bool ResolveKnot(Untangler* u, uint32_t leader)
{
	const Tangle* tangle = u->tangle;
	u->knot.count = 0;
	for (uint32_t i = leader; i != DRAPE_NONE; i = u->next.data[i])
	{
		if (!StillCrosses(tangle, &tangle->crossings.data[i]))
			continue;
		ArrayPush(&u->knot, i);
		u->places.data[u->knot.count - 1] = drapeTangle_Place(tangle, &tangle->crossings.data[i]);
	}
	if (u->knot.count == 0)
		return true;
	const TangleCrossing* like = &tangle->crossings.data[leader];
	bool isSolid = like->other == DRAPE_NONE ||
	               (tangle->surfaces.data[like->other].shape && tangle->surfaces.data[like->other].shape->closed);
	return isSolid ? drapeUntangler_ResolveSolid(u, like) : drapeUntangler_ResolveSurfaces(u, like);
}

static bool Round(Untangler* u)
{
	if (!FindKnots(u))
		return false;
	for (uint32_t i = 0; i < u->tangle->crossings.count; ++i)
	{
		if (u->leader.data[i] == i && !ResolveKnot(u, i))
			return false;
	}
	return true;
}

// --- all of it ------------------------------------------------------------------------------------------------------

static void Copy(Vec4* to, const Vec4* from, uint32_t count)
{
	if (count > 0)
		memcpy(to, from, count * sizeof(Vec4));
}

static bool Run(Untangler* u, uint32_t rounds, UntangleResult* result)
{
	Tangle* tangle = u->tangle;
	uint32_t idle = 0, stage = 0;
	bool isDone = true;
	for (; isDone && result->after > 0 && result->rounds < rounds && stage <= widestStage; result->rounds++)
	{
		u->widen = (float)(1u << stage);
		u->overshoot = overshootStep * (float)(idle + stage * patientRounds);
		isDone = Round(u) && drapeTangle_Find(tangle, u->tasks);
		if (isDone && tangle->crossings.count < result->after)
		{
			result->after = tangle->crossings.count;
			Copy(u->best.data, tangle->position.data, tangle->position.count);
			idle = 0;
		}
		else if (isDone && ++idle == patientRounds)
		{
			idle = 0;
			stage++;
			Copy(tangle->position.data, u->best.data, tangle->position.count);
			isDone = drapeTangle_Find(tangle, u->tasks);
		}
	}
	return isDone;
}

// Opens gaps as long as nothing comes to cross by it.
static bool OpenGaps(Untangler* u, uint32_t crossings)
{
	Tangle* tangle = u->tangle;
	for (int i = 0; i < maxGapPasses; ++i)
	{
		uint32_t missing;
		if (!drapeTangle_OpenGaps(tangle, u->tasks, &missing) || !drapeTangle_Find(tangle, u->tasks))
			return false;
		if (tangle->crossings.count > crossings)
			break;
		Copy(u->best.data, tangle->position.data, tangle->position.count);
		if (missing == 0)
			break;
	}
	return true;
}

UntangleResult drapeTangle_Untangle(Tangle* tangle, const UntangleDef* def)
{
	Untangler u = {.tangle = tangle, .tasks = def->tasks};
	UntangleResult result = {0};
	bool isDone = drapeTangle_Find(tangle, def->tasks) && Untangler_Begin(&u);
	if (isDone)
	{
		result.before = result.after = tangle->crossings.count;
		Copy(u.best.data, tangle->position.data, tangle->position.count);
		isDone = Run(&u, def->rounds, &result);
		Copy(tangle->position.data, u.best.data, tangle->position.count);
		isDone = isDone && OpenGaps(&u, result.after);
		Copy(tangle->position.data, u.best.data, tangle->position.count);
		isDone = isDone && drapeTangle_Find(tangle, def->tasks);
		result.after = isDone ? tangle->crossings.count : result.after;
	}
	Untangler_Destroy(&u);
	result.outOfMemory = !isDone;
	return result;
}
