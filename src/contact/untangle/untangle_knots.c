// SPDX-License-Identifier: MIT
#include "contact/untangle/untangle_inner.h"

#include "contact/shapes/triangle.h"

#include <string.h>

// Resolves a knot of two surfaces: finds the direction of least depth and moves the sides apart along it.

enum
{
	depthStride = 16,
	depthBatch = 512, // vertices between two comparisons with the best direction
	depthGrain = 64,
};

// --- directions -----------------------------------------------------------------------------------------------------

void drapeDirections_AddBoth(Directions* directions, Vec3 direction)
{
	Vec3 unit = V3Normalize(direction);
	if (V3Length(unit) < 0.5f || directions->count + 2 > maxDirections)
		return;
	directions->list[directions->count++] = unit;
	directions->list[directions->count++] = V3Scale(-1.0f, unit);
}

void drapeDirections_AddCube(Directions* directions)
{
	static const int8_t axis[13][3] = {{0, 1, 0}, {1, 0, 0},  {0, 0, 1}, {1, 1, 0},  {1, -1, 0}, {0, 1, 1}, {0, 1, -1},
	                                   {1, 0, 1}, {1, 0, -1}, {1, 1, 1}, {1, 1, -1}, {1, -1, 1}, {-1, 1, 1}};
	for (int i = 0; i < 13; ++i)
		drapeDirections_AddBoth(directions, (Vec3){axis[i][0], axis[i][1], axis[i][2]});
}

Vec3 drapeTangle_AreaVector(const Tangle* tangle, uint32_t triangle)
{
	DRAPE_ASSERT(3 * (size_t)triangle < tangle->corners.count);
	Vec3 c[3];
	drapeTangle_Corners(tangle, triangle, c);
	return V3Cross(V3Sub(c[1], c[0]), V3Sub(c[2], c[0]));
}

// --- depth of two triangles -----------------------------------------------------------------------------------------

// Returns how far ahead of p a triangle is on the line through p along `direction`. Zero when the line misses it.
static double Ahead(Vec3 p, Vec3 direction, const Vec3 triangle[3], double length)
{
	SeenTriangle seen;
	Double3 start = D3Scale(-length, D3(direction)), along = D3Scale(2.0 * length, D3(direction));
	for (int k = 0; k < 3; ++k)
		seen.corner[k] = D3Sub(D3Between(p, triangle[k]), start);
	double fraction, weight[3];
	return Triangle_Cut(&seen, along, &fraction, weight) ? 2.0 * length * fraction - length : 0.0;
}

// The same for two edges: p + s e + t direction = q + r f.
static double EdgeAhead(Vec3 p, Vec3 pEnd, Vec3 q, Vec3 qEnd, Vec3 direction)
{
	Double3 e = D3Between(p, pEnd), f = D3Between(q, qEnd), d = D3(direction), between = D3Between(p, q);
	Double3 across = D3Cross(e, f);
	double volume = D3Dot(across, d), size = sqrt(D3Dot(e, e) * D3Dot(f, f));
	if (!(fabs(volume) > 1e-9 * size))
		return 0.0;
	double s = D3Dot(D3Cross(between, f), d) / volume, r = D3Dot(D3Cross(between, e), d) / volume;
	if (!(s >= 0.0 && s <= 1.0 && r >= 0.0 && r <= 1.0))
		return 0.0;
	return D3Dot(across, between) / volume;
}

// Returns how far b has to move along `direction` until no point of a is ahead of it.
static float PairDepth(const Vec3 a[3], const Vec3 b[3], Vec3 direction)
{
	double length = 0.0, depth = 0.0;
	for (int k = 0; k < 3; ++k)
		length += (double)V3Length(V3Sub(a[k], a[0])) + (double)V3Length(V3Sub(b[k], a[0]));
	Vec3 back = V3Scale(-1.0f, direction);
	for (int k = 0; k < 3; ++k)
	{
		depth = MaxNum(depth, Ahead(b[k], direction, a, length));
		depth = MaxNum(depth, Ahead(a[k], back, b, length));
		for (int i = 0; i < 3; ++i)
			depth = MaxNum(depth, EdgeAhead(b[k], b[(k + 1) % 3], a[i], a[(i + 1) % 3], direction));
	}
	return (float)depth;
}

float drapeUntangler_KnotDepth(const Untangler* u, Vec3 direction, float enough)
{
	const Tangle* tangle = u->tangle;
	float depth = 0.0f;
	for (uint32_t i = 0; i < u->knot.count && depth < enough; ++i)
	{
		const TangleCrossing* crossing = &tangle->crossings.data[u->knot.data[i]];
		if (crossing->other == DRAPE_NONE)
			continue;
		Vec3 one[3], other[3];
		drapeTangle_Corners(tangle, crossing->triangle, one);
		drapeTangle_Corners(tangle, crossing->otherTriangle, other);
		depth =
			MaxNumF(depth, u->isSwapped.data[i] ? PairDepth(other, one, direction) : PairDepth(one, other, direction));
	}
	return depth;
}

// --- two surfaces ---------------------------------------------------------------------------------------------------

// Along a contour neither surface is ahead of the other. Sliding apart along it takes all of its length.
static float ContourLength(const Untangler* u, Vec3 direction)
{
	const Tangle* tangle = u->tangle;
	float low = INFINITY, high = -INFINITY;
	for (uint32_t i = 0; i < u->knot.count; ++i)
	{
		const TangleCrossing* crossing = &tangle->crossings.data[u->knot.data[i]];
		Vec3 along = V3Cross(drapeTangle_AreaVector(tangle, crossing->triangle),
		                     drapeTangle_AreaVector(tangle, crossing->otherTriangle));
		if (fabsf(V3Dot(V3Normalize(along), direction)) < 0.9f)
			continue;
		float at = V3Dot(u->points.data[i], direction);
		low = MinNumF(low, at);
		high = MaxNumF(high, at);
	}
	return MaxNumF(high - low, 0.0f);
}

float drapeUntangler_KnotSize(const Untangler* u)
{
	Vec3 low = {INFINITY, INFINITY, INFINITY}, high = {-INFINITY, -INFINITY, -INFINITY};
	for (uint32_t i = 0; i < u->knot.count; ++i)
	{
		Vec3 p = u->points.data[i];
		low = (Vec3){MinNumF(low.x, p.x), MinNumF(low.y, p.y), MinNumF(low.z, p.z)};
		high = (Vec3){MaxNumF(high.x, p.x), MaxNumF(high.y, p.y), MaxNumF(high.z, p.z)};
	}
	return V3Length(V3Sub(high, low));
}

static void AssignSide(Untangler* u, const uint32_t* corners, uint8_t side)
{
	DRAPE_ASSERT(side == sideFirst || side == sideSecond);
	for (int k = 0; k < 3; ++k)
	{
		if (u->side.data[corners[k]] == sideNone)
			u->side.data[corners[k]] = side;
	}
}

// Assigns the triangles of a crossing to the sides of the crossings before. Returns false when it shares no corner with
// them, unless it is the first.
static bool AssignCrossing(Untangler* u, uint32_t i, bool isFirst)
{
	DRAPE_ASSERT(i < u->knot.count && u->knot.data[i] < u->tangle->crossings.count);
	const Tangle* tangle = u->tangle;
	const TangleCrossing* crossing = &tangle->crossings.data[u->knot.data[i]];
	const uint32_t* one = tangle->corners.data + 3 * (size_t)crossing->triangle;
	const uint32_t* other = tangle->corners.data + 3 * (size_t)crossing->otherTriangle;
	int straight = 0, swapped = 0;
	for (int k = 0; k < 3; ++k)
	{
		straight += (u->side.data[one[k]] == sideFirst) + (u->side.data[other[k]] == sideSecond);
		swapped += (u->side.data[one[k]] == sideSecond) + (u->side.data[other[k]] == sideFirst);
	}
	if (straight + swapped == 0 && !isFirst)
		return false;
	bool isSwapped = swapped > straight;
	u->isSwapped.data[i] = isSwapped;
	AssignSide(u, one, isSwapped ? sideSecond : sideFirst);
	AssignSide(u, other, isSwapped ? sideFirst : sideSecond);
	return true;
}

// Finds the side of each triangle of the knot's crossings. Along a contour a triangle is on the side of its neighbours.
static void FindSides(Untangler* u)
{
	DRAPE_ASSERT(u->knot.count > 0 && u->isSwapped.capacity >= u->knot.count);
	memset(u->isSwapped.data, UINT8_MAX, u->knot.count);
	for (uint32_t left = u->knot.count, before = left; left > 0; before = left)
	{
		for (uint32_t i = 0; i < u->knot.count; ++i)
		{
			if (u->isSwapped.data[i] == UINT8_MAX && AssignCrossing(u, i, left == u->knot.count))
				left--;
		}
		// A crossing without assigned neighbours starts a new part.
		for (uint32_t i = 0; i < u->knot.count && left == before; ++i)
		{
			if (u->isSwapped.data[i] == UINT8_MAX && AssignCrossing(u, i, true))
				left--;
		}
	}
}

// Spreads from the seeds of both sides up to `limit`, m.
static bool SpreadKnot(Untangler* u, float limit)
{
	DRAPE_ASSERT(limit >= 0.0f);
	const Tangle* tangle = u->tangle;
	FindSides(u);
	bool isDone = true;
	for (uint32_t i = 0; isDone && i < u->knot.count; ++i)
	{
		const TangleCrossing* crossing = &tangle->crossings.data[u->knot.data[i]];
		const uint32_t triangles[2] = {crossing->triangle, crossing->otherTriangle};
		for (int k = 0; isDone && k < 6; ++k)
		{
			uint32_t v = tangle->corners.data[3 * triangles[k / 3] + k % 3];
			isDone = drapeUntangler_Visit(u, v, 0.0f, u->side.data[v]);
		}
	}
	return isDone && drapeUntangler_Spread(u, limit);
}

// A loop over the visited vertices. Neighbours are visited one after the other; the loop goes in long strides, so that a
// few vertices rule out most directions.
typedef struct DepthLoop
{
	Untangler* u;
	Primitives primitives[2]; // of the patches
	Vec3 direction;
	float length;            // m
	uint32_t first, columns; // the loop starts at turn `first`; there are `columns` vertices to a stride
} DepthLoop;

// Returns the visited vertex of a turn; DRAPE_NONE when there is none.
static uint32_t VertexOfTurn(const DepthLoop* loop, uint32_t turn)
{
	uint32_t i = turn % loop->columns * depthStride + turn / loop->columns;
	return i < loop->u->visited.count ? loop->u->visited.data[i] : DRAPE_NONE;
}

// Finds how far the other side is ahead of a vertex, and which triangle of it.
static void FindHit(const DepthLoop* loop, uint32_t vertex)
{
	Untangler* u = loop->u;
	bool isFirst = u->side.data[vertex] == sideFirst;
	const Patch* patch = &u->patch[isFirst ? 1 : 0];
	Vec3 p = V4Xyz(u->tangle->position.data[vertex]);
	// The segment runs from far ahead back to the vertex and so hits the farthest triangle first.
	Vec3 far = V3Add(p, V3Scale(isFirst ? -loop->length : loop->length, loop->direction));
	PrimitiveHit hit;
	bool isHit = drapeBvh_FirstHit(&patch->tree, &loop->primitives[isFirst ? 1 : 0], far, p, &hit);
	u->hits.data[vertex] = (KnotHit){
		.depth = isHit ? loop->length * (1.0f - hit.fraction) : 0.0f,
		.primitive = isHit ? hit.primitive : DRAPE_NONE,
	};
}

static void DepthTask(uint32_t start, uint32_t end, uint32_t worker, void* context)
{
	const DepthLoop* loop = context;
	(void)worker;
	for (uint32_t turn = loop->first + start; turn < loop->first + end; ++turn)
	{
		uint32_t vertex = VertexOfTurn(loop, turn);
		if (vertex != DRAPE_NONE)
			FindHit(loop, vertex);
	}
}

// Marks the vertices that the other side is ahead of, and those of the triangle that is.
static void MarkHit(Untangler* u, uint32_t vertex)
{
	uint32_t primitive = u->hits.data[vertex].primitive;
	if (primitive == DRAPE_NONE)
		return;
	const Patch* patch = &u->patch[u->side.data[vertex] == sideFirst ? 1 : 0];
	BitSet_Set(&u->core, vertex);
	for (int k = 0; k < 3; ++k)
		BitSet_Set(&u->core, patch->corners.data[3 * primitive + k]);
}

// Returns how far the second side has to move along `direction` until no part of the first is ahead of it. The result
// may be inexact above `enough`. With `mark` it marks the vertices that the other side is ahead of.
static float DepthAlong(Untangler* u, Vec3 direction, float length, float enough, bool mark)
{
	float depth = MaxNumF(ContourLength(u, direction), drapeUntangler_KnotDepth(u, direction, enough));
	DepthLoop loop = {
		.u = u,
		.primitives = {drapePatch_Primitives(u, &u->patch[0]), drapePatch_Primitives(u, &u->patch[1])},
		.direction = direction,
		.length = length,
		.columns = (u->visited.count + depthStride - 1) / depthStride,
	};
	uint32_t turns = loop.columns * depthStride;
	for (; loop.first < turns && depth < enough; loop.first += depthBatch)
	{
		uint32_t count = MinU32(depthBatch, turns - loop.first);
		drapeTaskPool_For(u->tasks, count, depthGrain, DepthTask, &loop);
		for (uint32_t turn = loop.first; turn < loop.first + count; ++turn)
		{
			uint32_t vertex = VertexOfTurn(&loop, turn);
			if (vertex == DRAPE_NONE)
				continue;
			depth = MaxNumF(depth, u->hits.data[vertex].depth);
			if (mark)
				MarkHit(u, vertex);
		}
	}
	return depth;
}

static Directions KnotDirections(const Untangler* u)
{
	Vec3 first = {0}, second = {0};
	for (uint32_t i = 0; i < u->knot.count; ++i)
	{
		const TangleCrossing* crossing = &u->tangle->crossings.data[u->knot.data[i]];
		bool isSwapped = u->isSwapped.data[i];
		first =
			V3Add(first, drapeTangle_AreaVector(u->tangle, isSwapped ? crossing->otherTriangle : crossing->triangle));
		second =
			V3Add(second, drapeTangle_AreaVector(u->tangle, isSwapped ? crossing->triangle : crossing->otherTriangle));
	}
	Directions directions = {.count = 0};
	drapeDirections_AddBoth(&directions, first);
	drapeDirections_AddBoth(&directions, second);
	drapeDirections_AddBoth(&directions, V3Sub(V3Normalize(first), V3Normalize(second)));
	drapeDirections_AddBoth(&directions, V3Add(V3Normalize(first), V3Normalize(second)));
	drapeDirections_AddCube(&directions);
	return directions;
}

// Returns the mass of the moving part of a side, kg; INFINITY when a vertex of it cannot move.
static double MassOf(const Untangler* u, uint8_t side)
{
	double mass = 0.0;
	for (uint32_t i = 0; i < u->visited.count; ++i)
	{
		uint32_t v = u->visited.data[i];
		float inverse = u->tangle->position.data[v].w;
		if (u->side.data[v] == side && BitSet_Get(&u->core, v))
			mass += inverse > 0.0f ? 1.0 / (double)inverse : (double)INFINITY;
	}
	return mass;
}

// Lists the marked vertices of one side.
static void TakeCore(Untangler* u, uint8_t side, uint32_t* list, uint32_t* count)
{
	*count = 0;
	for (uint32_t i = 0; i < u->visited.count; ++i)
	{
		if (u->side.data[u->visited.data[i]] == side && BitSet_Get(&u->core, u->visited.data[i]))
			list[(*count)++] = u->visited.data[i];
	}
}

// Returns the fraction of the distance that the second side moves. A side that cannot move leaves all to the other.
static float SecondShare(const Untangler* u)
{
	double first = MassOf(u, sideFirst), second = MassOf(u, sideSecond);
	return first == second ? 0.5f : isinf(first) ? 1.0f : (float)(first / (first + second));
}

// Lists the vertices of both sides that have to move as a whole: those that the other side is ahead of, and those of the
// crossings.
static void TakeCores(Untangler* u, KnotMotion* motion, float length)
{
	DepthAlong(u, motion->direction, length, INFINITY, true);
	for (uint32_t i = 0; i < u->visited.count && u->distance.data[u->visited.data[i]] == 0.0f; ++i)
		BitSet_Set(&u->core, u->visited.data[i]);
	motion->secondShare = SecondShare(u);
	TakeCore(u, sideFirst, u->seeds.data, &motion->seedCount[0]);
	TakeCore(u, sideSecond, u->seeds.data + motion->seedCount[0], &motion->seedCount[1]);
	u->seeds.count = motion->seedCount[0] + motion->seedCount[1];
	BitSet_ClearAll(&u->core, u->tangle->position.count);
}

// Returns the distance that surfaces keep from each other after a separation, m.
static float MarginOf(const Untangler* u, const TangleCrossing* like)
{
	const Tangle* tangle = u->tangle;
	const TangleSurface *one = &tangle->surfaces.data[like->surface], *other = &tangle->surfaces.data[like->other];
	return other->shape ? MaxNumF(one->thickness, 2.0f * one->gap) : 2.0f * MaxNumF(one->gap, other->gap);
}

bool drapeUntangler_FindMotion(Untangler* u, const TangleCrossing* like, KnotMotion* motion)
{
	DRAPE_ASSERT(like->surface < u->tangle->clothCount && like->other < u->tangle->surfaces.count);
	float edge = MaxNumF(u->edgeLength.data[like->surface], u->edgeLength.data[like->other]);
	float radius = u->widen * (drapeUntangler_KnotSize(u) + 3.0f * edge), length = 4.0f * radius, least = INFINITY;
	*motion = (KnotMotion){.edge = edge};
	if (!SpreadKnot(u, radius) || !drapeUntangler_MakePatch(u, sideFirst) || !drapeUntangler_MakePatch(u, sideSecond))
		return false;
	Directions directions = KnotDirections(u);
	for (uint32_t i = 0; i < directions.count && !drapeUntangler_MustStop(u); ++i)
	{
		float depth = DepthAlong(u, directions.list[i], length, least, false);
		if (!(depth < least))
			continue;
		least = depth;
		motion->direction = directions.list[i];
	}
	if (!(least < INFINITY))
		return true;
	motion->distance = least + MarginOf(u, like) + u->overshoot * edge;
	TakeCores(u, motion, length);
	return true;
}

// Moves both sides apart along the direction.
static bool Separate(Untangler* u, const KnotMotion* motion)
{
	uint32_t *seeds = u->seeds.data, first = motion->seedCount[0], second = motion->seedCount[1];
	Vec3 whole = V3Scale(motion->distance, motion->direction);
	u->seeds.count = first;
	bool isDone = drapeUntangler_Shift(u, V3Scale(motion->secondShare - 1.0f, whole), motion->edge);
	memmove(seeds, seeds + first, second * sizeof(uint32_t));
	u->seeds.count = second;
	return isDone && drapeUntangler_Shift(u, V3Scale(motion->secondShare, whole), motion->edge);
}

static void SeedKnot(Untangler* u)
{
	u->seeds.count = 0;
	for (uint32_t i = 0; i < u->knot.count; ++i)
	{
		const TangleCrossing* crossing = &u->tangle->crossings.data[u->knot.data[i]];
		drapeUntangler_AddSeeds(u, crossing->triangle);
		drapeUntangler_AddSeeds(u, crossing->otherTriangle);
	}
	for (uint32_t i = 0; i < u->seeds.count; ++i)
		BitSet_Clear(&u->core, u->seeds.data[i]);
}

bool drapeUntangler_ResolveSurfaces(Untangler* u, const TangleCrossing* like)
{
	float edge = MaxNumF(u->edgeLength.data[like->surface], u->edgeLength.data[like->other]);
	// A cloth that is crumpled through itself has no two sides.
	if (like->surface == like->other && u->widen > 1.0f)
	{
		SeedKnot(u);
		return drapeUntangler_Smooth(u, 0.5f * u->widen * (drapeUntangler_KnotSize(u) + 3.0f * edge), edge);
	}
	KnotMotion motion;
	bool isDone = drapeUntangler_FindMotion(u, like, &motion);
	drapeUntangler_Forget(u);
	return isDone && (motion.distance == 0.0f || Separate(u, &motion));
}
