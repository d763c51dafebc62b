// SPDX-License-Identifier: MIT
#include "contact/untangle/untangle_inner.h"

#include <string.h>

// Cloth that is a little inside a solid, such as a tight garment that a body pokes through in many places. Each vertex
// inside moves to the nearest point of the surface. That is a much smaller motion than moving whole patches, and pinned
// vertices do not matter to the others. It cannot free cloth that is deep inside, or a sheet that a thin solid passes
// through. Vertices whose edges it stretches too much go back, and so do connected parts of the cloth in which it does
// not remove most crossings.

enum
{
	maxPushes = 10,
	pushGrain = 64,
};

// The deepest vertices that are pushed out, in edge lengths and in thicknesses.
static const float deepestEdges = 3.0f, deepestThickness = 6.0f;

// Further distance from the surface with each push, in edge lengths: faces of the cloth may still cross a convex part of
// the solid when their corners are out.
static const float distanceStep = 0.04f;

// The largest growth of an edge by pushing.
static const float mostStretch = 1.4f;

typedef struct PushLoop
{
	Untangler* u;
	const Solid* solid;
	float distance; // m: to keep from the surface
	float deepest;  // m
} PushLoop;

// Finds the distance of a point from the surface of a solid, negative inside, and the outward normal. Returns false when
// it is farther than `radius`.
static bool Solid_Closest(const Solid* solid, Vec3 p, float radius, float* distance, Vec3* normal)
{
	if (solid->mesh)
	{
		MeshPoint closest;
		if (!drapeMeshShape_Closest(solid->mesh, p, radius, &closest))
			return false;
		*distance = closest.distance;
		*normal = closest.normal;
		return true;
	}
	const TangleSolid* shape = solid->shape;
	Closest closest = drapeShape_Closest(&shape->def, Transform_InversePoint(shape->at, p));
	*distance = shape->at.scale * closest.distance;
	*normal = V3Normalize(Transform_Vector(shape->at, closest.normal));
	return fabsf(*distance) <= radius;
}

static void PushTask(uint32_t start, uint32_t end, uint32_t worker, void* context)
{
	const PushLoop* loop = context;
	(void)worker;
	for (uint32_t i = start; i < end; ++i)
	{
		Vec4* x = &loop->u->tangle->position.data[loop->u->seeds.data[i]];
		float distance;
		Vec3 normal;
		if (!(x->w > 0.0f) || !Solid_Closest(loop->solid, V4Xyz(*x), loop->deepest, &distance, &normal) ||
		    distance >= loop->distance)
			continue;
		Vec3 to = V3Add(V4Xyz(*x), V3Scale(loop->distance - distance, normal));
		*x = (Vec4){to.x, to.y, to.z, x->w};
	}
}

// Pushes the cloth of the crossings [start, end), which have the same sides, out of their solid.
static void PushAlike(Untangler* u, uint32_t start, uint32_t end, int push)
{
	const Tangle* tangle = u->tangle;
	const TangleCrossing* like = &tangle->crossings.data[start];
	const TangleSurface* cloth = &tangle->surfaces.data[like->surface];
	Solid solid = drapeUntangler_SolidOf(tangle, like);
	float edge = u->edgeLength.data[like->surface], margin = MaxNumF(cloth->thickness, 2.0f * cloth->gap);
	PushLoop loop = {
		.u = u,
		.solid = &solid,
		.distance = margin + distanceStep * (float)push * edge,
		.deepest = MaxNumF(deepestEdges * edge, deepestThickness * margin),
	};
	u->knot.count = 0;
	for (uint32_t i = start; i < end; ++i)
		ArrayPush(&u->knot, i);
	drapeUntangler_FloodSolid(u, &solid);
	drapeTaskPool_For(u->tasks, u->seeds.count, pushGrain, PushTask, &loop);
}

// Pushes all cloth in solids once. Returns whether there was any.
static bool PushOnce(Untangler* u, int push)
{
	const Tangle* tangle = u->tangle;
	const TangleCrossing* list = tangle->crossings.data;
	bool isAny = false;
	for (uint32_t start = 0, end; start < tangle->crossings.count && !drapeUntangler_MustStop(u); start = end)
	{
		for (end = start; end < tangle->crossings.count && drapeTangle_AreAlike(&list[start], &list[end]); ++end)
			continue;
		if (!drapeTangle_IsSolid(tangle, &list[start]))
			continue;
		PushAlike(u, start, end, push);
		isAny = true;
	}
	return isAny;
}

// --- stretched edges ------------------------------------------------------------------------------------------------

// Edges at pinned vertices do not count: a pin inside a solid must not keep its neighbours there.
static bool IsStretched(const Untangler* u, uint32_t a, uint32_t b)
{
	const Vec4 *now = u->tangle->position.data, *from = u->start.data;
	if (!(now[a].w > 0.0f) || !(now[b].w > 0.0f))
		return false;
	Vec3 edge = V3Sub(V4Xyz(now[b]), V4Xyz(now[a])), before = V3Sub(V4Xyz(from[b]), V4Xyz(from[a]));
	return V3Dot(edge, edge) > mostStretch * mostStretch * V3Dot(before, before);
}

// Moves the ends of stretched edges back. That stretches edges around them, until the shallow cloth remains.
static void ReturnStretched(Untangler* u)
{
	Tangle* tangle = u->tangle;
	uint32_t corners = tangle->surfaces.data[tangle->clothCount - 1].triangleEnd * 3;
	for (bool isAny = true; isAny && !drapeUntangler_MustStop(u);)
	{
		isAny = false;
		for (uint32_t i = 0; i < corners; ++i)
		{
			uint32_t a = tangle->corners.data[i], b = tangle->corners.data[i % 3 == 2 ? i - 2 : i + 1];
			if (!IsStretched(u, a, b))
				continue;
			tangle->position.data[a] = u->start.data[a];
			tangle->position.data[b] = u->start.data[b];
			isAny = true;
		}
	}
}

// --- parts ----------------------------------------------------------------------------------------------------------

static bool HasMoved(const Untangler* u, uint32_t v)
{
	Vec4 x = u->tangle->position.data[v], from = u->start.data[v];
	return x.x != from.x || x.y != from.y || x.z != from.z;
}

// Numbers the connected parts of the moved vertices. Returns how many there are.
static uint32_t FindParts(Untangler* u)
{
	uint32_t count = 0, vertices = u->tangle->position.count;
	for (uint32_t v = 0; v < vertices; ++v)
		u->part.data[v] = DRAPE_NONE;
	for (uint32_t first = 0; first < vertices; ++first)
	{
		if (u->part.data[first] != DRAPE_NONE || !HasMoved(u, first))
			continue;
		u->seeds.count = 0;
		ArrayPush(&u->seeds, first);
		u->part.data[first] = count;
		for (uint32_t i = 0; i < u->seeds.count; ++i)
		{
			uint32_t v = u->seeds.data[i];
			for (uint32_t r = 3 * u->ringStart.data[v]; r < 3 * u->ringStart.data[v + 1]; ++r)
			{
				uint32_t to = u->tangle->corners.data[3 * u->ring.data[r / 3] + r % 3];
				if (u->part.data[to] != DRAPE_NONE || !HasMoved(u, to))
					continue;
				u->part.data[to] = count;
				ArrayPush(&u->seeds, to);
			}
		}
		count++;
	}
	return count;
}

// Returns the part that a crossing belongs to.
static uint32_t PartOf(const Untangler* u, const TangleCrossing* crossing)
{
	for (int k = 0; k < 6; ++k)
	{
		uint32_t triangle = k < 3 ? crossing->triangle : crossing->otherTriangle;
		if (k == 3 && crossing->other == DRAPE_NONE)
			return DRAPE_NONE;
		uint32_t part = u->part.data[u->tangle->corners.data[3 * (size_t)triangle + (size_t)(k % 3)]];
		if (part != DRAPE_NONE)
			return part;
	}
	return DRAPE_NONE;
}

static void CountInParts(const Untangler* u, uint32_t parts, uint32_t* counts)
{
	if (parts > 0)
		memset(counts, 0, parts * sizeof(uint32_t));
	for (uint32_t i = 0; i < u->tangle->crossings.count; ++i)
	{
		uint32_t part = PartOf(u, &u->tangle->crossings.data[i]);
		if (part != DRAPE_NONE)
			counts[part]++;
	}
}

static void Swap(Vec4* a, Vec4* b)
{
	Vec4 other = *a;
	*a = *b;
	*b = other;
}

// Moves the parts back in which pushing did not remove most crossings. Returns false when out of memory.
static bool ReturnParts(Untangler* u)
{
	Tangle* tangle = u->tangle;
	uint32_t parts = FindParts(u), vertices = tangle->position.count;
	if (!ArrayReserve(&u->partCrossings, 2 * (size_t)parts))
		return false;
	if (parts == 0)
		return true;
	uint32_t *after = u->partCrossings.data, *before = after + parts;
	CountInParts(u, parts, after);
	for (uint32_t v = 0; v < vertices; ++v)
		Swap(&tangle->position.data[v], &u->start.data[v]);
	if (!drapeTangle_Find(tangle, u->tasks))
		return false;
	CountInParts(u, parts, before);
	for (uint32_t v = 0; v < vertices; ++v)
	{
		uint32_t part = u->part.data[v];
		if (part != DRAPE_NONE && 2 * after[part] < before[part])
			tangle->position.data[v] = u->start.data[v];
	}
	return drapeTangle_Find(tangle, u->tasks);
}

bool drapeUntangler_PushOut(Untangler* u)
{
	Tangle* tangle = u->tangle;
	uint32_t vertices = tangle->position.count;
	bool isDone = ArrayReserve(&u->start, vertices) && ArrayReserve(&u->part, vertices) &&
	              ArrayReserve(&u->knot, tangle->crossings.count);
	if (!isDone)
		return false;
	if (vertices > 0)
		memcpy(u->start.data, tangle->position.data, vertices * sizeof(Vec4));
	bool isAny = false;
	for (int push = 0; isDone && push < maxPushes && PushOnce(u, push); ++push)
	{
		isAny = true;
		isDone = drapeTangle_Find(tangle, u->tasks) && ArrayReserve(&u->knot, tangle->crossings.count);
	}
	if (isDone && isAny)
	{
		ReturnStretched(u);
		isDone = drapeTangle_Find(tangle, u->tasks) && ReturnParts(u);
	}
	if (isDone && tangle->crossings.count < u->bestCount)
		drapeUntangler_Keep(u);
	else if (isDone && isAny)
	{
		memcpy(tangle->position.data, u->best.data, vertices * sizeof(Vec4));
		isDone = drapeTangle_Find(tangle, u->tasks);
	}
	return isDone;
}
