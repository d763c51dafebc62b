// SPDX-License-Identifier: MIT
#include "contact/untangle/recovery.h"

#include "base/portable/sort.h"
#include "contact/untangle/untangle_inner.h"

#include <string.h>

enum
{
	mostVisits = 4, // of a vertex, on average, in a step
};

// The highest relative speed of the sides of a knot, m/s. It falls when knots have lasted for longer than the time, s.
static const float topSpeed = 1.0f, longTime = 3.0f;

// Contacts whose normal has less than this along the motion of a knot are ignored: for a vertex and a face, and for two
// edges. Edges that pass through a face touch its edges sideways.
static const float leastFaceAlong = 0.0f, leastEdgeAlong = 0.3f;

// Patches double in width after each of these times, up to three times, s.
static const float patience = 0.75f;

// Edges that recovery has stretched beyond this move on by a part of the distance only.
static const float mostStretch = 1.3f, stretchedShare = 0.1f;

void drapeRecovery_Destroy(Recovery* recovery)
{
	drapeTangle_Destroy(&recovery->tangle);
	ArrayFree(&recovery->knots);
	ArrayFree(&recovery->moving);
	ArrayFree(&recovery->seeds);
	ArrayFree(&recovery->marks);
	ArrayFree(&recovery->moved);
	ArrayFree(&recovery->isStretched);
	if (recovery->untangler)
	{
		drapeUntangler_Destroy(recovery->untangler);
		drapeMemFree(recovery->untangler, sizeof *recovery->untangler);
	}
	*recovery = (Recovery){0};
}

void drapeRecovery_Clear(Recovery* recovery)
{
	Tangle* tangle = &recovery->tangle;
	recovery->isActive = false;
	tangle->position.count = tangle->corners.count = tangle->surfaces.count = tangle->crossings.count = 0;
	tangle->clothCount = 0;
	recovery->knots.count = recovery->moving.count = recovery->seeds.count = 0;
}

bool drapeRecovery_AddCloth(Recovery* recovery, const TangleSurface* like, const ActiveMesh* mesh)
{
	DRAPE_ASSERT(!like->shape);
	return drapeTangle_AddSurface(&recovery->tangle, like, mesh->position, mesh->particleCount, &mesh->triangle[0][0],
	                              mesh->triangleCount);
}

static uint32_t SurfaceOf(const Tangle* tangle, uint32_t triangle)
{
	uint32_t i = 0;
	while (triangle >= tangle->surfaces.data[i].triangleEnd)
		i++;
	DRAPE_ASSERT(i < tangle->surfaces.count);
	return i;
}

bool drapeRecovery_AddCrossing(Recovery* recovery, uint32_t triangle, uint32_t other)
{
	Tangle* tangle = &recovery->tangle;
	uint32_t low = MinU32(triangle, other), high = MaxU32(triangle, other);
	if (!ArrayGrow(&tangle->crossings))
		return false;
	tangle->crossings.data[tangle->crossings.count - 1] =
		(TangleCrossing){SurfaceOf(tangle, low), SurfaceOf(tangle, high), low, high};
	return true;
}

static int CompareNumbers(uint32_t a, uint32_t b)
{
	return (a > b) - (a < b);
}

static int CompareCrossings(const void* first, const void* second)
{
	const TangleCrossing *a = first, *b = second;
	int order = CompareNumbers(a->surface, b->surface);
	order = order != 0 ? order : CompareNumbers(a->other, b->other);
	order = order != 0 ? order : CompareNumbers(a->triangle, b->triangle);
	return order != 0 ? order : CompareNumbers(a->otherTriangle, b->otherTriangle);
}

// --- marks ----------------------------------------------------------------------------------------------------------

// A vertex has up to two marks: sides of two knots, or both sides of one.
static uint32_t MarkOf(uint32_t knot, uint8_t side)
{
	return 2 * knot + side;
}

static void Mark(Recovery* recovery, uint32_t vertex, uint32_t mark)
{
	uint32_t* marks = recovery->marks.data + 2 * (size_t)vertex;
	if (marks[0] == 0)
		marks[0] = mark;
	else if (marks[1] == 0)
		marks[1] = mark;
}

// Returns the direction in which a contact may push the first vertex, relative to the second: that of the knot that has
// them on different sides. Returns false when there is none.
static bool Parts(const Recovery* recovery, uint32_t vertex, uint32_t other, Vec3* direction)
{
	for (int i = 0; i < 4; ++i)
	{
		uint32_t a = recovery->marks.data[2 * (size_t)vertex + (size_t)(i / 2)];
		uint32_t b = recovery->marks.data[2 * (size_t)other + (size_t)(i % 2)];
		if (a == 0 || b == 0 || a == b || (a - 1) / 2 != (b - 1) / 2)
			continue;
		bool isSecond = a == MarkOf((a - 1) / 2, sideSecond);
		*direction = V3Scale(isSecond ? 1.0f : -1.0f, recovery->knots.data[(a - 1) / 2].direction);
		return true;
	}
	return false;
}

bool drapeRecovery_Frees(const Recovery* recovery, const uint32_t vertex[4], uint32_t firstCount, Vec3 normal)
{
	DRAPE_ASSERT(firstCount == 1 || firstCount == 2);
	for (uint32_t i = 0; i < firstCount; ++i)
	{
		for (uint32_t k = firstCount; k < 4; ++k)
		{
			Vec3 direction;
			if (vertex[i] == DRAPE_NONE || vertex[k] == DRAPE_NONE ||
			    !Parts(recovery, vertex[i], vertex[k], &direction))
				continue;
			return !(V3Dot(normal, direction) > (firstCount == 1 ? leastFaceAlong : leastEdgeAlong));
		}
	}
	return false;
}

// --- motion ---------------------------------------------------------------------------------------------------------

// Returns the mean displacement of seeds along a direction, by mass, m.
static double MeanAlong(const Recovery* recovery, const uint32_t* seeds, uint32_t count, Vec3 direction)
{
	double sum = 0.0, mass = 0.0;
	for (uint32_t i = 0; i < count; ++i)
	{
		float inverse = recovery->tangle.position.data[seeds[i]].w;
		double weight = inverse > 0.0f ? 1.0 / (double)inverse : 0.0;
		sum += weight * (double)V3Dot(recovery->moved.data[seeds[i]], direction);
		mass += weight;
	}
	return mass > 0.0 ? sum / mass : 0.0;
}

void drapeRecovery_Move(Recovery* recovery)
{
	for (uint32_t k = 0; k < recovery->knots.count; ++k)
	{
		RecoveryKnot* knot = &recovery->knots.data[k];
		const uint32_t* seeds = recovery->seeds.data + knot->seedStart;
		double first = MeanAlong(recovery, seeds, knot->seedCount[0], knot->direction);
		double second = MeanAlong(recovery, seeds + knot->seedCount[0], knot->seedCount[1], knot->direction);
		knot->distance = (float)MaxNum((double)knot->distance - (second - first), 0.0);
	}
	memset(recovery->moved.data, 0, recovery->tangle.position.count * sizeof(Vec3));
	for (uint32_t k = 0; k < recovery->knots.count; ++k)
	{
		const RecoveryKnot* knot = &recovery->knots.data[k];
		for (uint32_t i = knot->start; i < knot->end; ++i)
		{
			RecoveryVertex at = recovery->moving.data[i];
			Vec3* moved = &recovery->moved.data[at.vertex];
			*moved = V3Add(*moved, V3Scale(at.share * knot->distance, knot->direction));
		}
	}
}

static bool IsStretched(const Recovery* recovery, uint32_t first, const ActiveMesh* mesh, uint32_t triangle, uint32_t k)
{
	uint32_t a = mesh->triangle[triangle][k], b = mesh->triangle[triangle][(k + 1) % 3];
	const Vec2* rest = mesh->material[triangle].corner;
	Vec2 flat = V2Sub(rest[(k + 1) % 3], rest[k]);
	Vec3 before = V3Sub(V4Xyz(mesh->position[b]), V4Xyz(mesh->position[a]));
	Vec3 after = V3Add(before, V3Sub(recovery->moved.data[first + b], recovery->moved.data[first + a]));
	float square = V3Dot(after, after);
	return square > V3Dot(before, before) && square > mostStretch * mostStretch * V2Dot(flat, flat);
}

void drapeRecovery_Spare(Recovery* recovery, uint32_t surface, const ActiveMesh* mesh)
{
	uint32_t first = recovery->tangle.surfaces.data[surface].vertexStart;
	memset(recovery->isStretched.data + first, 0, mesh->particleCount);
	for (uint32_t t = 0; t < mesh->triangleCount; ++t)
	{
		for (uint32_t k = 0; k < 3; ++k)
		{
			if (!IsStretched(recovery, first, mesh, t, k))
				continue;
			recovery->isStretched.data[first + mesh->triangle[t][k]] = 1;
			recovery->isStretched.data[first + mesh->triangle[t][(k + 1) % 3]] = 1;
		}
	}
	for (uint32_t v = first; v < first + mesh->particleCount; ++v)
	{
		if (recovery->isStretched.data[v])
			recovery->moved.data[v] = V3Scale(stretchedShare, recovery->moved.data[v]);
	}
}

// --- knots ----------------------------------------------------------------------------------------------------------

// Adds the vertices that move with the seeds of one side. `share` is the share of this side in the distance, negative
// for the first side.
static bool AddMoving(Recovery* recovery, Untangler* u, const KnotMotion* motion, float share)
{
	float radius = drapeUntangler_SpreadSeeds(u, fabsf(share) * motion->distance, motion->edge);
	if (radius < 0.0f || !ArrayReserve(&recovery->moving, recovery->moving.count + (size_t)u->visited.count))
		return false;
	for (uint32_t i = 0; i < u->visited.count; ++i)
	{
		uint32_t vertex = u->visited.data[i];
		if (recovery->tangle.position.data[vertex].w > 0.0f)
			ArrayPush(&recovery->moving, ((RecoveryVertex){vertex, share * Untangler_ShareOf(u, vertex, radius)}));
	}
	drapeUntangler_Forget(u);
	return true;
}

static bool AddKnot(Recovery* recovery, Untangler* u, const KnotMotion* motion, float dt)
{
	uint32_t *seeds = u->seeds.data, first = motion->seedCount[0], second = motion->seedCount[1];
	RecoveryKnot knot = {
		.direction = motion->direction,
		.distance = MinNumF(motion->distance, topSpeed * MinNumF(1.0f, longTime / MaxNumF(recovery->age, dt)) * dt),
		.start = recovery->moving.count,
		.seedStart = recovery->seeds.count,
		.seedCount = {first, second},
	};
	if (!ArrayReserve(&recovery->seeds, recovery->seeds.count + (size_t)u->seeds.count))
		return false;
	for (uint32_t i = 0; i < u->seeds.count; ++i)
		ArrayPush(&recovery->seeds, seeds[i]);
	u->seeds.count = first;
	if (!AddMoving(recovery, u, motion, motion->secondShare - 1.0f))
		return false;
	memmove(seeds, seeds + first, second * sizeof(uint32_t));
	u->seeds.count = second;
	if (!AddMoving(recovery, u, motion, motion->secondShare))
		return false;
	knot.end = recovery->moving.count;
	ArrayPush(&recovery->knots, knot);
	return true;
}

static bool RecoverKnot(Recovery* recovery, Untangler* u, uint32_t leader, float dt)
{
	KnotMotion motion;
	if (!drapeUntangler_FindMotion(u, &recovery->tangle.crossings.data[leader], &motion) ||
	    !ArrayReserve(&recovery->knots, recovery->knots.count + 1))
		return false;
	for (uint32_t i = 0; motion.distance > 0.0f && i < u->visited.count; ++i)
	{
		uint32_t vertex = u->visited.data[i];
		Mark(recovery, vertex, MarkOf(recovery->knots.count, u->side.data[vertex]));
	}
	drapeUntangler_Forget(u);
	return !(motion.distance > 0.0f) || AddKnot(recovery, u, &motion, dt);
}

static bool RecoverKnots(Recovery* recovery, Untangler* u, float dt)
{
	uint32_t vertices = recovery->tangle.position.count;
	if (!drapeUntangler_Begin(u) || !drapeUntangler_FindKnots(u) ||
	    !ArrayReserve(&recovery->marks, 2 * (size_t)vertices) || !ArrayReserve(&recovery->moved, vertices) ||
	    !ArrayReserve(&recovery->isStretched, vertices))
		return false;
	memset(recovery->marks.data, 0, 2 * (size_t)vertices * sizeof(uint32_t));
	u->widen = (float)(1u << (uint32_t)MinNumF(recovery->age / patience, 3.0f));
	u->overshoot = 0.0f;
	u->visits = 0;
	for (uint32_t i = 0; i < recovery->tangle.crossings.count && u->visits < mostVisits * (uint64_t)vertices; ++i)
	{
		if (u->leader.data[i] == i && drapeUntangler_TakeKnot(u, i) && !RecoverKnot(recovery, u, i, dt))
			return false;
	}
	return true;
}

bool drapeRecovery_Run(Recovery* recovery, float dt, TaskPool* tasks)
{
	static const UntangleDef endless = {0};
	Tangle* tangle = &recovery->tangle;
	DRAPE_ASSERT(dt > 0.0f && tangle->crossings.count > 0);
	if (!recovery->untangler)
		recovery->untangler = drapeMemAllocZero(sizeof *recovery->untangler);
	Untangler* u = recovery->untangler;
	if (!u)
		return false;
	drapeSort(tangle->crossings.data, tangle->crossings.count, sizeof(TangleCrossing), CompareCrossings);
	u->tangle = tangle;
	u->def = &endless;
	u->tasks = tasks;
	recovery->isActive = RecoverKnots(recovery, u, dt);
	recovery->age += dt;
	return recovery->isActive;
}
