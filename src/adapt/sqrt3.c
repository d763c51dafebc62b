// SPDX-License-Identifier: MIT
#include "adapt/sqrt3.h"

#include "mesh/geometry.h"

#include <string.h>

// --- creation -------------------------------------------------------------------------------------------------------

// True when the coordinates of both sides of an edge agree up to rounding; with `mayShift` also up to a translation.
static bool SidesAgree(const Vec2* corners, const PatternEdge* edge, bool mayShift)
{
	const uint32_t h[2] = {edge->half[0], edge->half[1]};
	const Vec2 *left = corners + 3 * (size_t)(h[0] >> 2), *right = corners + 3 * (size_t)(h[1] >> 2);
	const Vec2 a[2] = {left[h[0] & 3], right[((h[1] & 3) + 1) % 3]};
	const Vec2 b[2] = {left[((h[0] & 3) + 1) % 3], right[h[1] & 3]};
	double largest = 0.0;
	for (int side = 0; side < 2; ++side)
	{
		largest = MaxNum(largest, MaxNum(fabs((double)a[side].x), fabs((double)a[side].y)));
		largest = MaxNum(largest, MaxNum(fabs((double)b[side].x), fabs((double)b[side].y)));
	}
	Double2 along[2] = {D2Between(a[0], b[0]), D2Between(a[1], b[1])};
	double tolerance = 1e-5 * D2Length(along[0]) + 8.0 * 0x1p-24 * largest;
	Double2 turn = {along[1].x - along[0].x, along[1].y - along[0].y};
	return D2Length(turn) <= tolerance && (mayShift || D2Length(D2Between(a[0], a[1])) <= tolerance);
}

static uint8_t PatternEdgeFlags(const PatternMesh* pattern, uint32_t e)
{
	const PatternEdge* edge = &pattern->edges[e];
	if (edge->half[1] == DRAPE_NONE)
		return drape_edgeBoundary;
	uint8_t flags = pattern->seam[e] ? drape_edgeSeam | drape_edgeCrease : 0;
	if (!SidesAgree(pattern->material, edge, true) ||
	    (pattern->texcoords && !SidesAgree(pattern->texcoords, edge, false)))
		flags |= drape_edgeCrease;
	return flags;
}

static void CopyTriangles(Sqrt3Scheme* scheme, const int64_t* twelfths)
{
	const PatternMesh* pattern = scheme->base.pattern;
	ActiveMesh* active = scheme->base.active;
	for (uint32_t t = 0; t < pattern->triangleCount; ++t)
	{
		Sqrt3Triangle triangle = {.share = 4 * twelfths[t]};
		for (uint32_t k = 0; k < 3; ++k)
		{
			uint32_t particle = pattern->triangles[3 * t + k];
			triangle.edge[k] = pattern->triangleEdges[3 * t + k];
			active->triangle[t][k] = particle;
			active->material[t].corner[k] = pattern->material[3 * t + k];
			if (active->hasTexcoords)
				active->texcoord[t].corner[k] = pattern->texcoords[3 * t + k];
			active->share[particle] += triangle.share;
		}
		active->area[t] = (float)drapePatternMesh_TriangleArea(pattern, t);
		active->triangleId[t] = active->patternTriangle[t] = t;
		active->triangleLevel[t] = 0;
		active->bendSet[t] = (Vec4){0};
		ArrayPush(&scheme->triangles, triangle);
	}
	active->triangleCount = pattern->triangleCount;
}

static void CopyEdges(Sqrt3Scheme* scheme)
{
	const PatternMesh* pattern = scheme->base.pattern;
	ActiveMesh* active = scheme->base.active;
	active->edgeCount = pattern->edgeCount;
	for (uint32_t e = 0; e < pattern->edgeCount; ++e)
	{
		const PatternEdge* edge = &pattern->edges[e];
		active->edgeFrom[e] = edge->vertex[0];
		active->edgeTo[e] = edge->vertex[1];
		active->edgeFlags[e] = PatternEdgeFlags(pattern, e);
		active->edgeId[e] = e;
		active->edgeLevel[e] = 0;
		active->wings[e] = (EdgeWings){.triangle = {DRAPE_NONE, DRAPE_NONE}, .opposite = {DRAPE_NONE, DRAPE_NONE}};
		for (int side = 0; side < 2; ++side)
		{
			uint32_t half = edge->half[side];
			if (half == DRAPE_NONE)
				continue;
			active->wings[e].triangle[side] = half >> 2;
			active->wings[e].opposite[side] = pattern->triangles[3 * (half >> 2) + ((half & 3) + 2) % 3];
		}
		active->restLength[e] = drapeSqrt3_RestLength(scheme, e);
	}
}

static void CopyParticles(Sqrt3Scheme* scheme)
{
	const PatternMesh* pattern = scheme->base.pattern;
	for (uint32_t i = 0; i < pattern->vertexCount; ++i)
	{
		uint32_t name = IndexPool_Take(&scheme->names);
		uint32_t particle = drapeActiveMesh_AddParticle(scheme->base.active, pattern->positions[i], name);
		scheme->particleOf.data[name] = particle;
		ArrayPush(&scheme->births, ((Sqrt3Birth){.triangle = DRAPE_NONE, .twin = DRAPE_NONE}));
	}
}

static void Destroy(Scheme* base)
{
	Sqrt3Scheme* scheme = (Sqrt3Scheme*)base;
	ArrayFree(&scheme->triangles);
	ArrayFree(&scheme->births);
	ArrayFree(&scheme->particleOf);
	ArrayFree(&scheme->marked);
	ArrayFree(&scheme->removedTriangles);
	ArrayFree(&scheme->removedEdges);
	ArrayFree(&scheme->rename);
	drapeIndexPool_Free(&scheme->names);
	BitSet_Free(&scheme->marks);
	BitSet_Free(&scheme->busy);
	drapeMemFree(scheme, sizeof *scheme);
}

static size_t Bytes(const Scheme* base)
{
	const Sqrt3Scheme* scheme = (const Sqrt3Scheme*)base;
	return scheme->triangles.count * sizeof(Sqrt3Triangle) + scheme->births.count * sizeof(Sqrt3Birth);
}

static uint32_t ParticleOf(const Scheme* base, uint32_t vertexId)
{
	return ((const Sqrt3Scheme*)base)->particleOf.data[vertexId];
}

static drapeResult Adapt(Scheme* base, const AdaptRequest* request, AdaptCounts* counts);

static const SchemeClass sqrt3SchemeClass = {
	.name = "sqrt3",
	.destroy = Destroy,
	.adapt = Adapt,
	.validate = drapeSqrt3Scheme_Validate,
	.bytes = Bytes,
	.particleOf = ParticleOf,
	.weigh = drapeSqrt3Scheme_Weigh,
};

static bool ReserveNames(Sqrt3Scheme* scheme, uint32_t more)
{
	return drapeIndexPool_Reserve(&scheme->names, more) &&
	       ArrayReserve(&scheme->particleOf, IndexPool_Bound(&scheme->names, more));
}

static bool ReservePattern(Sqrt3Scheme* scheme)
{
	const PatternMesh* pattern = scheme->base.pattern;
	ActiveMesh* active = scheme->base.active;
	return drapeActiveMesh_ReserveParticles(active, pattern->vertexCount) &&
	       drapeActiveMesh_ReserveTriangles(active, pattern->triangleCount) &&
	       drapeActiveMesh_ReserveEdges(active, pattern->edgeCount) &&
	       ArrayReserve(&scheme->triangles, pattern->triangleCount) &&
	       ArrayReserve(&scheme->births, pattern->vertexCount) && ReserveNames(scheme, pattern->vertexCount);
}

drapeResult drapeSqrt3Scheme_Create(Scheme** result, const PatternMesh* pattern, ActiveMesh* active)
{
	DRAPE_ASSERT(result && pattern && active);
	DRAPE_ASSERT(active->particleCount == 0 && active->triangleCount == 0);
	*result = NULL;
	size_t twelfthsSize = pattern->triangleCount * sizeof(int64_t);
	int64_t* twelfths = drapeMemAlloc(twelfthsSize);
	Sqrt3Scheme* scheme = drapeMemAllocZero(sizeof *scheme);
	if (scheme)
		scheme->base = (Scheme){.type = &sqrt3SchemeClass, .pattern = pattern, .active = active};
	if (!twelfths || !scheme || !ReservePattern(scheme))
	{
		drapeMemFree(twelfths, twelfthsSize);
		if (scheme)
			Destroy(&scheme->base);
		return drape_errorMemory;
	}
	active->areaUnit = drapeScheme_AreaTwelfths(pattern, NULL, sqrt3ShareDivisor, twelfths);
	CopyParticles(scheme);
	CopyTriangles(scheme, twelfths);
	CopyEdges(scheme);
	drapeActiveMesh_UpdateMasses(active);
	drapeMemFree(twelfths, twelfthsSize);
	*result = &scheme->base;
	return drape_ok;
}

#define COPY_ARRAY(to, from)                                                                                           \
	(ArrayReserve((to), (from)->count)                                                                                 \
	     ? (memcpy((to)->data, (from)->data, (from)->count * sizeof(*(to)->data)), (to)->count = (from)->count, true)  \
	     : false)

drapeResult drapeSqrt3Scheme_CreateCopy(Scheme** result, const Sqrt3Scheme* lender, ActiveMesh* active)
{
	DRAPE_ASSERT(lender->base.type == &sqrt3SchemeClass && lender->births.count == active->particleCount);
	uint32_t names = lender->names.next;
	DRAPE_ASSERT(lender->names.free.count == 0 && lender->waiting == 0);
	*result = NULL;
	Sqrt3Scheme* scheme = drapeMemAllocZero(sizeof *scheme);
	if (!scheme)
		return drape_errorMemory;
	scheme->base = (Scheme){.type = &sqrt3SchemeClass, .pattern = lender->base.pattern, .active = active};
	if (!COPY_ARRAY(&scheme->triangles, &lender->triangles) || !COPY_ARRAY(&scheme->births, &lender->births) ||
	    !ReserveNames(scheme, names))
	{
		Destroy(&scheme->base);
		return drape_errorMemory;
	}
	scheme->names.next = scheme->names.used = names;
	memcpy(scheme->particleOf.data, lender->particleOf.data, names * sizeof(uint32_t));
	*result = &scheme->base;
	return drape_ok;
}

// --- marking splits -------------------------------------------------------------------------------------------

static void MarkMate(Sqrt3Scheme* scheme, uint32_t t);

// Marks an even triangle and the triangles that must be split before it: the mates of neighbours of a lower generation.
// The recursion ends because the generation decreases.
static void MarkSplit(Sqrt3Scheme* scheme, uint32_t t)
{
	uint32_t generation = Sqrt3_Generation(scheme, t);
	DRAPE_ASSERT(generation % 2 == 0);
	if (BitSet_Get(&scheme->marks, t))
		return;
	BitSet_Set(&scheme->marks, t);
	ArrayPush(&scheme->marked, t);
	for (uint32_t k = 0; k < 3; ++k)
	{
		uint32_t n = Sqrt3_Neighbour(scheme, t, k);
		if (n != DRAPE_NONE && Sqrt3_Generation(scheme, n) < generation)
			MarkMate(scheme, n);
		else if (n != DRAPE_NONE && k == 0 && Sqrt3_SplitsInThirds(scheme, t))
			MarkSplit(scheme, n);
	}
}

// An odd triangle is refined when its mate is split. A mate of the same generation has been split; their flip waits.
static void MarkMate(Sqrt3Scheme* scheme, uint32_t t)
{
	uint32_t mate = Sqrt3_Neighbour(scheme, t, 0);
	DRAPE_ASSERT(mate != DRAPE_NONE);
	if (Sqrt3_Generation(scheme, mate) < Sqrt3_Generation(scheme, t))
		MarkSplit(scheme, mate);
}

static void Demand(Sqrt3Scheme* scheme, uint32_t t)
{
	DRAPE_ASSERT(t < scheme->triangles.count);
	uint32_t generation = Sqrt3_Generation(scheme, t);
	if (generation >= scheme->maxGeneration)
		return;
	if (generation % 2 == 0)
		MarkSplit(scheme, t);
	else
		MarkMate(scheme, t);
}

// An edge is refined when the coarser of its two triangles is.
static void DemandEdge(Sqrt3Scheme* scheme, uint32_t e)
{
	DRAPE_ASSERT(e < scheme->base.active->edgeCount);
	const ActiveMesh* active = scheme->base.active;
	for (int side = 0; side < 2; ++side)
	{
		uint32_t t = active->wings[e].triangle[side];
		if (t != DRAPE_NONE && Sqrt3_Generation(scheme, t) == active->edgeLevel[e])
			Demand(scheme, t);
	}
}

static bool CollectMarks(Sqrt3Scheme* scheme)
{
	const ActiveMesh* active = scheme->base.active;
	const AdaptRequest* request = scheme->request;
	if (!BitSet_Reserve(&scheme->marks, active->triangleCount) || !ArrayReserve(&scheme->marked, active->triangleCount))
		return false;
	BitSet_ClearAll(&scheme->marks, active->triangleCount);
	scheme->marked.count = 0;
	for (uint32_t e = BitSet_Next(request->split, 0, active->edgeCount); e != DRAPE_NONE;
	     e = BitSet_Next(request->split, e + 1, active->edgeCount))
		DemandEdge(scheme, e);
	if (!request->refine)
		return true;
	for (uint32_t t = BitSet_Next(request->refine, 0, active->triangleCount); t != DRAPE_NONE;
	     t = BitSet_Next(request->refine, t + 1, active->triangleCount))
		Demand(scheme, t);
	return true;
}

// --- conditions -----------------------------------------------------------------------------------------------

static bool IsFree(const Sqrt3Scheme* scheme, const uint32_t particle[4], bool isFlip)
{
	const AdaptRequest* request = scheme->request;
	if (!request->isFree)
		return true;
	SurfaceSweep sweep = {.isFlip = isFlip, .isWhole = true};
	for (int k = 0; k < 4; ++k)
	{
		sweep.particle[k] = particle[k];
		sweep.corner[k] = V4Xyz(scheme->base.active->position[particle[k]]);
	}
	return request->isFree(&sweep, request->isFreeContext);
}

// For a flip and for its inverse: both replace the edge by the one between the opposite corners.
static bool FlipIsFree(const Sqrt3Scheme* scheme, uint32_t e)
{
	const ActiveMesh* active = scheme->base.active;
	const uint32_t* opposite = active->wings[e].opposite;
	const uint32_t particle[4] = {active->edgeFrom[e], active->edgeTo[e], opposite[0], opposite[1]};
	return IsFree(scheme, particle, true);
}

static bool NeighboursHaveGeneration(const Sqrt3Scheme* scheme, uint32_t t, uint32_t generation)
{
	for (uint32_t k = 0; k < 3; ++k)
	{
		uint32_t n = Sqrt3_Neighbour(scheme, t, k);
		if (n != DRAPE_NONE && Sqrt3_Generation(scheme, n) < generation)
			return false;
	}
	return true;
}

static bool MaySplit(const Sqrt3Scheme* scheme, uint32_t t, uint32_t generation)
{
	DRAPE_ASSERT(generation == Sqrt3_Generation(scheme, t) && generation % 2 == 0);
	if (!NeighboursHaveGeneration(scheme, t, generation))
		return false;
	uint32_t n = Sqrt3_SplitsInThirds(scheme, t) ? Sqrt3_Neighbour(scheme, t, 0) : DRAPE_NONE;
	return n == DRAPE_NONE || NeighboursHaveGeneration(scheme, n, generation);
}

// --- refining -------------------------------------------------------------------------------------------------------

// Precedes the first change of a pass. A pass without changes keeps the log of the last change.
static void Begin(Sqrt3Scheme* scheme)
{
	ActiveMesh* active = scheme->base.active;
	ChangeLog* log = &active->log;
	if (scheme->hasBegun)
		return;
	scheme->hasBegun = true;
	BitSet_ClearAll(&log->trianglesTouched, active->triangleCapacity);
	BitSet_ClearAll(&log->edgesTouched, active->edgeCapacity);
	log->created.count = log->removed.count = log->moved.count = 0;
	log->oldTriangleCount = active->triangleCount;
	log->oldEdgeCount = active->edgeCount;
	log->rebuilt = false;
}

// Marks the particles opposite to an edge that is about to change.
static void SetBusy(Sqrt3Scheme* scheme, uint32_t edge)
{
	Begin(scheme);
	for (int side = 0; side < 2; ++side)
	{
		uint32_t particle = scheme->base.active->wings[edge].opposite[side];
		if (particle != DRAPE_NONE)
			BitSet_Set(&scheme->busy, particle);
	}
}

// Raises an odd triangle and its mate of the same generation to the next even generation: by a flip, or without a
// change when the edge must stay.
static void Advance(Sqrt3Scheme* scheme, uint32_t t)
{
	ActiveMesh* active = scheme->base.active;
	const uint32_t generation = Sqrt3_Generation(scheme, t), e = scheme->triangles.data[t].edge[0] >> 1;
	if (generation % 2 == 0)
		return;
	const uint32_t mate = Sqrt3_Neighbour(scheme, t, 0);
	if (mate != DRAPE_NONE && Sqrt3_Generation(scheme, mate) != generation)
		return;
	const bool isFlat = mate != DRAPE_NONE && !(active->edgeFlags[e] & drape_edgeCrease);
	if (isFlat && drapeSqrt3_FlipKeepsShape(scheme, e))
	{
		if (!FlipIsFree(scheme, e))
		{
			scheme->waiting++;
			return;
		}
		SetBusy(scheme, e);
		drapeSqrt3_Flip(scheme, e);
		return;
	}
	DRAPE_ASSERT(mate == DRAPE_NONE || scheme->triangles.data[mate].edge[0] >> 1 == e);
	SetBusy(scheme, e);
	drapeSqrt3_SetGeneration(scheme, t, generation + 1);
	if (mate != DRAPE_NONE)
		drapeSqrt3_SetGeneration(scheme, mate, generation + 1);
	if (isFlat && generation % 4 == 1)
		active->edgeFlags[e] |= drape_edgeKept;
}

static void SplitMarked(Sqrt3Scheme* scheme, uint32_t t)
{
	DRAPE_ASSERT(Sqrt3_Generation(scheme, t) % 2 == 0 && Sqrt3_Generation(scheme, t) < scheme->maxGeneration);
	Begin(scheme);
	uint32_t firstNew = scheme->base.active->triangleCount, beyond = Sqrt3_Neighbour(scheme, t, 0);
	if (Sqrt3_SplitsInThirds(scheme, t))
	{
		drapeSqrt3_SplitInThirds(scheme, t);
		if (beyond != DRAPE_NONE)
			BitSet_Clear(&scheme->marks, beyond);
	}
	else
		drapeSqrt3_Split(scheme, t);
	Advance(scheme, t);
	for (uint32_t i = firstNew; i < scheme->base.active->triangleCount; ++i)
		Advance(scheme, i);
}

// A split adds two triangles, and two more beyond an edge that is split in thirds. Joins follow later in the pass, so
// the count only grows here.
static bool FitsCap(const Sqrt3Scheme* scheme, uint32_t t)
{
	const uint32_t cap = scheme->request->maxTriangles;
	bool hasTwin = Sqrt3_SplitsInThirds(scheme, t) && Sqrt3_Neighbour(scheme, t, 0) != DRAPE_NONE;
	return cap == 0 || scheme->base.active->triangleCount + (hasTwin ? 4 : 2) <= cap;
}

static void Refine(Sqrt3Scheme* scheme, AdaptCounts* counts)
{
	const uint32_t particleCount = scheme->base.active->particleCount;
	for (uint32_t generation = 0; generation < scheme->maxGeneration; generation += 2)
	{
		for (uint32_t i = 0; i < scheme->marked.count; ++i)
		{
			// A triangle that was split together with its neighbour has lost its mark.
			uint32_t t = scheme->marked.data[i];
			if (!BitSet_Get(&scheme->marks, t) || Sqrt3_Generation(scheme, t) != generation)
				continue;
			if (MaySplit(scheme, t, generation) && FitsCap(scheme, t))
				SplitMarked(scheme, t);
			else
				counts->splitsBlocked++;
			BitSet_Clear(&scheme->marks, t);
		}
	}
	counts->splits = scheme->base.active->particleCount - particleCount;
}

// Retries flips that earlier passes refused. They are rare.
static void RetryFlips(Sqrt3Scheme* scheme)
{
	if (scheme->waiting == 0)
		return;
	scheme->waiting = 0;
	for (uint32_t t = 0; t < scheme->base.active->triangleCount; ++t)
	{
		uint32_t mate = Sqrt3_Neighbour(scheme, t, 0);
		if (Sqrt3_Generation(scheme, t) % 2 == 1 && mate != DRAPE_NONE && mate > t)
			Advance(scheme, t);
	}
}

// --- coarsening -----------------------------------------------------------------------------------------------------

// A part of a split triangle, as it was created, flipped or raised. `triangle` is the index of the part.
typedef struct Sector
{
	uint32_t triangle;
	bool isFlipped;
} Sector;

static bool HasCorners(const Sqrt3Scheme* scheme, uint32_t t, uint32_t a, uint32_t b, uint32_t c)
{
	const uint32_t* corner = scheme->base.active->triangle[t];
	return corner[0] == a && corner[1] == b && corner[2] == c;
}

// Tells whether t is the part (a, b, apex) of generation g: unchanged (g, or g + 1 when raised) or flipped.
static bool FindSector(const Sqrt3Scheme* scheme, uint32_t t, uint32_t a, uint32_t b, uint32_t apex, uint32_t g,
                       Sector* sector)
{
	if (t == DRAPE_NONE)
		return false;
	uint32_t generation = Sqrt3_Generation(scheme, t);
	*sector = (Sector){.triangle = t};
	if (HasCorners(scheme, t, a, b, apex))
		return generation == g || generation == g + 1;
	const uint32_t* corner = scheme->base.active->triangle[t];
	uint32_t partner = Sqrt3_Neighbour(scheme, t, 0);
	sector->isFlipped = true;
	return generation == g + 1 && corner[0] == apex && corner[2] == b && partner != DRAPE_NONE &&
	       Sqrt3_Generation(scheme, partner) == g + 1 && HasCorners(scheme, partner, corner[1], apex, a);
}

// Returns the triangle of the next part, across the edge from `from` to `apex`. The neighbour there is that triangle,
// or the flipped partner of t, whose mate it is.
static uint32_t CrossTo(const Sqrt3Scheme* scheme, uint32_t t, uint32_t from, uint32_t apex)
{
	const ActiveMesh* active = scheme->base.active;
	for (uint32_t k = 0; k < 3; ++k)
	{
		if (active->triangle[t][k] != from || active->triangle[t][(k + 1) % 3] != apex)
			continue;
		uint32_t n = Sqrt3_Neighbour(scheme, t, k);
		return n != DRAPE_NONE && active->triangle[n][1] == apex ? Sqrt3_Neighbour(scheme, n, 0) : n;
	}
	return DRAPE_NONE;
}

static bool NoneIsAbove(const Sqrt3Scheme* scheme, uint32_t t, uint32_t generation)
{
	for (uint32_t k = 1; k < 3; ++k)
	{
		uint32_t n = Sqrt3_Neighbour(scheme, t, k);
		if (n != DRAPE_NONE && Sqrt3_Generation(scheme, n) > generation)
			return false;
	}
	return true;
}

// True when a part can return to its generation g.
static bool MayRevert(const Sqrt3Scheme* scheme, const Sector* sector, uint32_t g)
{
	if (Sqrt3_Generation(scheme, sector->triangle) == g)
		return true;
	uint32_t mate = Sqrt3_Neighbour(scheme, sector->triangle, 0);
	if (mate != DRAPE_NONE && (Sqrt3_Generation(scheme, mate) != g + 1 || !NoneIsAbove(scheme, mate, g + 1) ||
	                           !NoneIsAbove(scheme, sector->triangle, g + 1)))
		return false;
	return !sector->isFlipped || FlipIsFree(scheme, scheme->triangles.data[sector->triangle].edge[0] >> 1);
}

static void Revert(Sqrt3Scheme* scheme, const Sector* sector, uint32_t g)
{
	DRAPE_ASSERT(Sqrt3_Generation(scheme, sector->triangle) == g ||
	             Sqrt3_Generation(scheme, sector->triangle) == g + 1);
	const uint32_t t = sector->triangle, e = scheme->triangles.data[t].edge[0] >> 1;
	if (Sqrt3_Generation(scheme, t) == g)
		return;
	if (sector->isFlipped)
	{
		drapeSqrt3_Unflip(scheme, e);
		return;
	}
	uint32_t mate = Sqrt3_Neighbour(scheme, t, 0);
	drapeSqrt3_SetGeneration(scheme, t, g);
	if (mate != DRAPE_NONE)
		drapeSqrt3_SetGeneration(scheme, mate, g);
	scheme->base.active->edgeFlags[e] &= (uint8_t)~drape_edgeKept;
}

// The pass keeps particles that the application has pinned, and particles beside which it has changed a triangle.
static bool IsKept(const Sqrt3Scheme* scheme, uint32_t particle)
{
	uint8_t flags = scheme->base.active->particleFlags[particle];
	return BitSet_Get(&scheme->busy, particle) || ParticleFlags_IsKept(flags);
}

// Keeps the parents of a removed particle until the next pass: a pass removes one level.
static void HoldParents(Sqrt3Scheme* scheme, uint32_t particle)
{
	const uint32_t* parent = scheme->base.active->parents[particle].parent;
	for (int k = 0; k < 3 && parent[k] != DRAPE_NONE; ++k)
		BitSet_Set(&scheme->busy, parent[k]);
}

static bool JoinCentre(Sqrt3Scheme* scheme, uint32_t centre)
{
	const ActiveMesh* active = scheme->base.active;
	const uint32_t g = active->level[centre];
	DRAPE_ASSERT(g % 2 == 1);
	const uint32_t* v = active->parents[centre].parent;
	const uint32_t around[4] = {v[0], v[1], v[2], centre};
	Sector sector[3];
	uint32_t t = scheme->births.data[centre].triangle, parts[3];
	for (uint32_t k = 0; k < 3; ++k)
	{
		if (!FindSector(scheme, t, v[k], v[(k + 1) % 3], centre, g, &sector[k]))
			return false;
		parts[k] = t;
		t = CrossTo(scheme, t, v[(k + 1) % 3], centre);
	}
	for (uint32_t k = 0; k < 3; ++k)
	{
		if (!MayRevert(scheme, &sector[k], g))
			return false;
	}
	if (!IsFree(scheme, around, false))
		return false;
	Begin(scheme);
	for (uint32_t k = 0; k < 3; ++k)
		Revert(scheme, &sector[k], g);
	HoldParents(scheme, centre);
	drapeSqrt3_Join(scheme, centre, parts);
	return true;
}

// Finds the three parts on the side that `x` records; the middle one has the index of the record.
static bool FindThirds(const Sqrt3Scheme* scheme, uint32_t x, Sector sector[2], uint32_t parts[3])
{
	const ActiveMesh* active = scheme->base.active;
	const Sqrt3Birth* birth = &scheme->births.data[x];
	const uint32_t g = active->level[x], y = birth->twin, middle = birth->triangle;
	DRAPE_ASSERT(g % 2 == 1 && y < active->particleCount && middle < active->triangleCount);
	const uint32_t *parent = active->parents[x].parent, *corner = active->triangle[middle], apex = corner[2];
	if (corner[0] != x || corner[1] != y || Sqrt3_Generation(scheme, middle) != g + 1)
		return false;
	parts[0] = middle;
	parts[1] = CrossTo(scheme, middle, apex, x);
	parts[2] = Sqrt3_Neighbour(scheme, middle, 1);
	return FindSector(scheme, parts[1], apex, parent[0], x, g, &sector[0]) &&
	       FindSector(scheme, parts[2], parent[1], apex, y, g, &sector[1]) && MayRevert(scheme, &sector[0], g) &&
	       MayRevert(scheme, &sector[1], g);
}

// True when the two tetrahedra between the triangle with thirds on its edge and the whole triangle are free.
static bool ThirdsAreFree(const Sqrt3Scheme* scheme, uint32_t x, uint32_t apex)
{
	const uint32_t *parent = scheme->base.active->parents[x].parent, y = scheme->births.data[x].twin;
	const uint32_t first[4] = {parent[0], y, apex, x}, second[4] = {parent[0], parent[1], apex, y};
	return IsFree(scheme, first, false) && IsFree(scheme, second, false);
}

static bool JoinThirds(Sqrt3Scheme* scheme, uint32_t x)
{
	const uint32_t g = scheme->base.active->level[x], y = scheme->births.data[x].twin;
	const uint32_t particle[2] = {x, y};
	Sector sector[2][2];
	uint32_t parts[2][3] = {{DRAPE_NONE, DRAPE_NONE, DRAPE_NONE}, {DRAPE_NONE, DRAPE_NONE, DRAPE_NONE}};
	for (int side = 0; side < 2; ++side)
	{
		if (scheme->births.data[particle[side]].triangle == DRAPE_NONE)
			continue;
		if (!FindThirds(scheme, particle[side], sector[side], parts[side]) ||
		    !ThirdsAreFree(scheme, particle[side], scheme->base.active->triangle[parts[side][0]][2]))
			return false;
	}
	Begin(scheme);
	for (int side = 0; side < 2 && parts[side][0] != DRAPE_NONE; ++side)
	{
		Revert(scheme, &sector[side][0], g);
		Revert(scheme, &sector[side][1], g);
	}
	HoldParents(scheme, x);
	for (int side = 0; side < 2 && parts[side][0] != DRAPE_NONE; ++side)
		BitSet_Set(&scheme->busy, scheme->base.active->triangle[parts[side][0]][2]);
	drapeSqrt3_JoinThirds(scheme, x, parts);
	return true;
}

// One of the two thirds represents both: the one with a record, or the lower index when both have one.
static bool SpeaksForBoth(const Sqrt3Scheme* scheme, uint32_t x)
{
	uint32_t y = scheme->births.data[x].twin;
	bool hasX = scheme->births.data[x].triangle != DRAPE_NONE, hasY = scheme->births.data[y].triangle != DRAPE_NONE;
	DRAPE_ASSERT(y != DRAPE_NONE && (hasX || hasY));
	return hasX && (!hasY || x < y);
}

static bool JoinOne(Sqrt3Scheme* scheme, uint32_t particle, uint32_t* removed)
{
	uint32_t twin = scheme->births.data[particle].twin;
	*removed = twin == DRAPE_NONE ? 1 : 2;
	if (IsKept(scheme, particle))
		return false;
	if (twin == DRAPE_NONE)
		return JoinCentre(scheme, particle);
	return !IsKept(scheme, twin) && BitSet_Get(scheme->request->join, twin) && JoinThirds(scheme, particle);
}

// Removes finer particles first, because they block coarser ones.
static void Coarsen(Sqrt3Scheme* scheme, uint32_t particleCount, AdaptCounts* counts)
{
	const ActiveMesh* active = scheme->base.active;
	const BitSet* join = scheme->request->join;
	for (uint32_t level = DRAPE_MAX_LEVEL; level > 0; --level)
	{
		for (uint32_t i = BitSet_Next(join, 0, particleCount); i != DRAPE_NONE;
		     i = BitSet_Next(join, i + 1, particleCount))
		{
			uint32_t removed;
			if (active->level[i] != level || active->vertexId[i] == DRAPE_NONE)
				continue;
			if (scheme->births.data[i].twin != DRAPE_NONE && !SpeaksForBoth(scheme, i))
				continue;
			if (JoinOne(scheme, i, &removed))
				counts->joins += removed;
			else
				counts->joinsBlocked += removed;
		}
	}
}

// --- the pass -------------------------------------------------------------------------------------------------------

static bool Reserve(Sqrt3Scheme* scheme, uint32_t joins)
{
	// A split at the centre adds two triangles, three edges and a particle. A split in thirds, which counts both
	// neighbours, adds four triangles, six edges and two particles; at a boundary two, four and two.
	ActiveMesh* active = scheme->base.active;
	const uint32_t splits = scheme->marked.count;
	if (splits > DRAPE_MAX_ELEMENTS / 16 || active->triangleCount > DRAPE_MAX_ELEMENTS / 2)
		return false;
	const uint32_t particles = active->particleCount + 2 * splits, triangles = active->triangleCount + 2 * splits;
	const uint32_t edges = active->edgeCount + 4 * splits;
	return drapeActiveMesh_ReserveParticles(active, particles) && drapeActiveMesh_ReserveTriangles(active, triangles) &&
	       drapeActiveMesh_ReserveEdges(active, edges) && ArrayReserve(&scheme->triangles, triangles) &&
	       ArrayReserve(&scheme->births, particles) && ReserveNames(scheme, 2 * splits) &&
	       BitSet_Reserve(&scheme->busy, particles) && ArrayReserve(&scheme->removedTriangles, 4 * (size_t)joins) &&
	       ArrayReserve(&scheme->removedEdges, 6 * (size_t)joins) &&
	       ArrayReserve(&scheme->rename, MaxU32(particles, triangles)) &&
	       ArrayReserve(&active->log.created, 2 * (size_t)splits) && ArrayReserve(&active->log.removed, joins) &&
	       ArrayReserve(&active->log.moved, joins) &&
	       BitSet_Reserve(&active->log.trianglesTouched, active->triangleCapacity) &&
	       BitSet_Reserve(&active->log.edgesTouched, active->edgeCapacity);
}

static drapeResult Adapt(Scheme* base, const AdaptRequest* request, AdaptCounts* counts)
{
	Sqrt3Scheme* scheme = (Sqrt3Scheme*)base;
	ActiveMesh* active = base->active;
	DRAPE_ASSERT(request->split && request->join && request->maxLevel <= DRAPE_MAX_LEVEL);
	DRAPE_ASSERT(!scheme->hasBegun);
	*counts = (AdaptCounts){0};
	scheme->request = request;
	scheme->maxGeneration = request->maxLevel & ~1u;
	uint32_t particleCount = active->particleCount, joins = BitSet_CountSet(request->join, particleCount);
	if (!CollectMarks(scheme))
		return drape_errorMemory;
	if (scheme->marked.count == 0 && joins == 0 && scheme->waiting == 0)
		return drape_ok;
	if (!Reserve(scheme, joins))
		return drape_errorMemory;

	BitSet_ClearAll(&scheme->busy, scheme->busy.capacity);
	RetryFlips(scheme);
	Refine(scheme, counts);
	Coarsen(scheme, particleCount, counts);
	scheme->request = NULL;
	if (!scheme->hasBegun)
		return drape_ok;
	drapeSqrt3_Compact(scheme);
	active->revision++;
	scheme->hasBegun = false;
	return drape_ok;
}
