// SPDX-License-Identifier: MIT
#include "contact/untangle/untangle_inner.h"

#include "contact/shapes/triangle.h"

#include <string.h>

// Two patches of surface, and along which direction they are least deep in each other.

// --- directions -----------------------------------------------------------------------------------------------------

void drapeDirections_AddBoth(Directions* directions, Vec3 way)
{
	Vec3 unit = V3Normalize(way);
	if (V3Length(unit) < 0.5f || directions->count + 2 > maxDirections)
		return;
	directions->list[directions->count++] = unit;
	directions->list[directions->count++] = V3Scale(-1.0f, unit);
}

// The 26 directions of a cube.
void drapeDirections_AddCube(Directions* directions)
{
	static const int8_t axis[13][3] = {{0, 1, 0}, {1, 0, 0},  {0, 0, 1}, {1, 1, 0},  {1, -1, 0}, {0, 1, 1}, {0, 1, -1},
	                                   {1, 0, 1}, {1, 0, -1}, {1, 1, 1}, {1, 1, -1}, {1, -1, 1}, {-1, 1, 1}};
	for (int i = 0; i < 13; ++i)
		drapeDirections_AddBoth(directions, (Vec3){axis[i][0], axis[i][1], axis[i][2]});
}

Vec3 drapeTangle_Area(const Tangle* tangle, uint32_t triangle)
{
	Vec3 c[3];
	drapeTangle_Corners(tangle, triangle, c);
	return V3Cross(V3Sub(c[1], c[0]), V3Sub(c[2], c[0]));
}

// --- how deep two triangles are in each other -----------------------------------------------------------------------

// By how much the point of a triangle that is met from p along `way`, both ways, is ahead. Zero when none is.
static double Ahead(Vec3 p, Vec3 way, const Vec3 triangle[3], double length)
{
	SeenTriangle seen;
	Double3 start = D3Scale(-length, D3(way)), along = D3Scale(2.0 * length, D3(way));
	for (int k = 0; k < 3; ++k)
		seen.corner[k] = D3Sub(D3Between(p, triangle[k]), start);
	double fraction, weight[3];
	return Triangle_Cut(&seen, along, &fraction, weight) ? 2.0 * length * fraction - length : 0.0;
}

// The same for two edges: p + s e + t way = q + r f.
static double EdgeAhead(Vec3 p, Vec3 pEnd, Vec3 q, Vec3 qEnd, Vec3 way)
{
	Double3 e = D3Between(p, pEnd), f = D3Between(q, qEnd), d = D3(way), between = D3Between(p, q);
	Double3 across = D3Cross(e, f);
	double volume = D3Dot(across, d), size = sqrt(D3Dot(e, e) * D3Dot(f, f));
	if (!(fabs(volume) > 1e-9 * size))
		return 0.0;
	double s = D3Dot(D3Cross(between, f), d) / volume, r = D3Dot(D3Cross(between, e), d) / volume;
	if (!(s >= 0.0 && s <= 1.0 && r >= 0.0 && r <= 1.0))
		return 0.0;
	return D3Dot(across, between) / volume;
}

// How far b has to go along `way` until no point of a is ahead of it.
static float PairDepth(const Vec3 a[3], const Vec3 b[3], Vec3 way)
{
	double length = 0.0, depth = 0.0;
	for (int k = 0; k < 3; ++k)
		length += (double)V3Length(V3Sub(a[k], a[0])) + (double)V3Length(V3Sub(b[k], a[0]));
	Vec3 back = V3Scale(-1.0f, way);
	for (int k = 0; k < 3; ++k)
	{
		depth = fmax(depth, Ahead(b[k], way, a, length));
		depth = fmax(depth, Ahead(a[k], back, b, length));
		for (int i = 0; i < 3; ++i)
			depth = fmax(depth, EdgeAhead(b[k], b[(k + 1) % 3], a[i], a[(i + 1) % 3], way));
	}
	return (float)depth;
}

float drapeUntangler_KnotDepth(const Untangler* u, Vec3 way, float enough)
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
		depth = fmaxf(depth, u->isSwapped.data[i] ? PairDepth(other, one, way) : PairDepth(one, other, way));
	}
	return depth;
}

// --- two surfaces ---------------------------------------------------------------------------------------------------

// Along a contour neither surface is ahead of the other, and sliding apart takes all of its length.
static float ContourLength(const Untangler* u, Vec3 way)
{
	const Tangle* tangle = u->tangle;
	float low = INFINITY, high = -INFINITY;
	for (uint32_t i = 0; i < u->knot.count; ++i)
	{
		const TangleCrossing* crossing = &tangle->crossings.data[u->knot.data[i]];
		Vec3 along =
			V3Cross(drapeTangle_Area(tangle, crossing->triangle), drapeTangle_Area(tangle, crossing->otherTriangle));
		if (fabsf(V3Dot(V3Normalize(along), way)) < 0.9f)
			continue;
		float at = V3Dot(u->places.data[i], way);
		low = fminf(low, at);
		high = fmaxf(high, at);
	}
	return fmaxf(high - low, 0.0f);
}

Vec3 drapeUntangler_KnotSize(const Untangler* u)
{
	Vec3 low = {INFINITY, INFINITY, INFINITY}, high = {-INFINITY, -INFINITY, -INFINITY};
	for (uint32_t i = 0; i < u->knot.count; ++i)
	{
		Vec3 p = u->places.data[i];
		low = (Vec3){fminf(low.x, p.x), fminf(low.y, p.y), fminf(low.z, p.z)};
		high = (Vec3){fmaxf(high.x, p.x), fmaxf(high.y, p.y), fmaxf(high.z, p.z)};
	}
	return V3Sub(high, low);
}

static void PutSide(Untangler* u, const uint32_t* corners, uint8_t side)
{
	for (int k = 0; k < 3; ++k)
	{
		if (u->side.data[corners[k]] == sideNone)
			u->side.data[corners[k]] = side;
	}
}

// Puts a crossing of the knot with those that have been put before. False when it has no corner in common with them,
// unless it is to be the first.
static bool PutCrossing(Untangler* u, uint32_t i, bool isFirst)
{
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
	PutSide(u, one, isSwapped ? sideSecond : sideFirst);
	PutSide(u, other, isSwapped ? sideFirst : sideSecond);
	return true;
}

// Which side of the knot each triangle of its crossings is on: along a contour they go on with their neighbours.
static void FindSides(Untangler* u)
{
	memset(u->isSwapped.data, UINT8_MAX, u->knot.count);
	for (uint32_t left = u->knot.count, before = left; left > 0; before = left)
	{
		for (uint32_t i = 0; i < u->knot.count; ++i)
		{
			if (u->isSwapped.data[i] == UINT8_MAX && PutCrossing(u, i, left == u->knot.count))
				left--;
		}
		// What hangs together with nothing begins anew.
		for (uint32_t i = 0; i < u->knot.count && left == before; ++i)
		{
			if (u->isSwapped.data[i] == UINT8_MAX && PutCrossing(u, i, true))
				left--;
		}
	}
}

// The seeds of both sides, and around them as far as `limit`.
static bool SpreadKnot(Untangler* u, float limit)
{
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
			isDone = drapeUntangler_Reach(u, v, 0.0f, u->side.data[v]);
		}
	}
	return isDone && drapeUntangler_Spread(u, limit);
}

// Which vertices something is ahead of; only when `mark`.
static void MarkHit(Untangler* u, bool mark, uint32_t vertex, const Patch* patch, uint32_t primitive)
{
	if (!mark)
		return;
	BitSet_Set(&u->core, vertex);
	for (int k = 0; k < 3; ++k)
		BitSet_Set(&u->core, patch->corners.data[3 * primitive + k]);
}

// How far the second side has to go along `way` until nothing of the first is ahead of it; `enough` or more when it is
// at least that.
static float DepthAlong(Untangler* u, Vec3 way, float length, float enough, bool mark)
{
	float depth = fmaxf(ContourLength(u, way), drapeUntangler_KnotDepth(u, way, enough));
	const Primitives primitives[2] = {drapePatch_Primitives(u, &u->patch[0]), drapePatch_Primitives(u, &u->patch[1])};
	for (uint32_t i = 0; i < u->reached.count && depth < enough; ++i)
	{
		uint32_t v = u->reached.data[i];
		bool isFirst = u->side.data[v] == sideFirst;
		const Patch* patch = &u->patch[isFirst ? 1 : 0];
		Vec3 p = V4Xyz(u->tangle->position.data[v]);
		// From far ahead back to the vertex: the farthest is met first.
		Vec3 far = V3Add(p, V3Scale(isFirst ? -length : length, way));
		PrimitiveHit hit;
		if (!drapeBvh_FirstHit(&patch->tree, &primitives[isFirst ? 1 : 0], far, p, &hit))
			continue;
		depth = fmaxf(depth, length * (1.0f - hit.fraction));
		MarkHit(u, mark, v, patch, hit.primitive);
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
		first = V3Add(first, drapeTangle_Area(u->tangle, isSwapped ? crossing->otherTriangle : crossing->triangle));
		second = V3Add(second, drapeTangle_Area(u->tangle, isSwapped ? crossing->triangle : crossing->otherTriangle));
	}
	Directions directions = {.count = 0};
	drapeDirections_AddBoth(&directions, first);
	drapeDirections_AddBoth(&directions, second);
	drapeDirections_AddBoth(&directions, V3Sub(V3Normalize(first), V3Normalize(second)));
	drapeDirections_AddBoth(&directions, V3Add(V3Normalize(first), V3Normalize(second)));
	drapeDirections_AddCube(&directions);
	return directions;
}

// Mass of one side that is to move, kg; INFINITY when something of it cannot.
static double MassOf(const Untangler* u, uint8_t side)
{
	double mass = 0.0;
	for (uint32_t i = 0; i < u->reached.count; ++i)
	{
		uint32_t v = u->reached.data[i];
		float inverse = u->tangle->position.data[v].w;
		if (u->side.data[v] == side && BitSet_Get(&u->core, v))
			mass += inverse > 0.0f ? 1.0 / (double)inverse : (double)INFINITY;
	}
	return mass;
}

// The vertices of one side that something is ahead of.
static void TakeCore(Untangler* u, uint8_t side, uint32_t* list, uint32_t* count)
{
	*count = 0;
	for (uint32_t i = 0; i < u->reached.count; ++i)
	{
		if (u->side.data[u->reached.data[i]] == side && BitSet_Get(&u->core, u->reached.data[i]))
			list[(*count)++] = u->reached.data[i];
	}
}

// The part of the way that the second side goes: what cannot move leaves all to the other; two of them share.
static float SecondShare(const Untangler* u)
{
	double first = MassOf(u, sideFirst), second = MassOf(u, sideSecond);
	return first == second ? 0.5f : isinf(first) ? 1.0f : (float)(first / (first + second));
}

// Both sides go apart, once it is known along what.
static bool Part(Untangler* u, const TangleCrossing* like, Vec3 way, float distance, float length)
{
	const Tangle* tangle = u->tangle;
	const TangleSurface *one = &tangle->surfaces.data[like->surface], *other = &tangle->surfaces.data[like->other];
	float margin = other->shape ? fmaxf(one->thickness, 2.0f * one->gap) : 2.0f * fmaxf(one->gap, other->gap);
	float edge = fmaxf(u->edgeLength.data[like->surface], u->edgeLength.data[like->other]);
	float whole = distance + margin + u->overshoot * edge;
	DepthAlong(u, way, length, INFINITY, true);
	for (uint32_t i = 0; i < u->reached.count && u->distance.data[u->reached.data[i]] == 0.0f; ++i)
		BitSet_Set(&u->core, u->reached.data[i]);
	float share = SecondShare(u);
	uint32_t first, second, *seeds = u->seeds.data;
	TakeCore(u, sideFirst, seeds, &first);
	TakeCore(u, sideSecond, seeds + first, &second);
	drapeUntangler_Forget(u);
	BitSet_ClearAll(&u->core, tangle->position.count);
	u->seeds.count = first;
	bool isDone = drapeUntangler_Shift(u, V3Scale(-(1.0f - share) * whole, way), edge);
	memmove(seeds, seeds + first, second * sizeof(uint32_t));
	u->seeds.count = second;
	return isDone && drapeUntangler_Shift(u, V3Scale(share * whole, way), edge);
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
	float edge = fmaxf(u->edgeLength.data[like->surface], u->edgeLength.data[like->other]);
	float reach = u->widen * (V3Length(drapeUntangler_KnotSize(u)) + 3.0f * edge), length = 4.0f * reach;
	// A cloth that is crumpled through itself has no two sides to tell apart.
	if (like->surface == like->other && u->widen > 1.0f)
	{
		SeedKnot(u);
		return drapeUntangler_Iron(u, 0.5f * reach, edge);
	}
	if (!SpreadKnot(u, reach) || !drapeUntangler_MakePatch(u, sideFirst) || !drapeUntangler_MakePatch(u, sideSecond))
		return false;
	Directions directions = KnotDirections(u);
	float least = INFINITY;
	Vec3 way = {0};
	for (uint32_t i = 0; i < directions.count; ++i)
	{
		float depth = DepthAlong(u, directions.list[i], length, least, false);
		if (!(depth < least))
			continue;
		least = depth;
		way = directions.list[i];
	}
	if (least < INFINITY)
		return Part(u, like, way, least, length);
	drapeUntangler_Forget(u);
	return true;
}
