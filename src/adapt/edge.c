// SPDX-License-Identifier: MIT
#include "adapt/edge.h"

#include <string.h>

enum
{
	longList = 1 << 16, // triangles: lists of a pass this long are released after it
};

// --- creation -------------------------------------------------------------------------------------------------------

// Takes pattern edges as pairs, with one triple first when their number is odd, and pattern triangles as families.
static bool TakePattern(EdgeScheme* scheme)
{
	const PatternMesh* pattern = scheme->base.pattern;
	EdgePools* pools = scheme->pools;
	uint32_t odd = pattern->edgeCount % 2;
	uint32_t pairs = (pattern->edgeCount - 3 * odd) / 2, families = (pattern->triangleCount + 3) / 4;
	if (!drapeEdgePools_Reserve(pools, pairs, odd, families, pattern->vertexCount))
		return false;

	for (uint32_t i = 0; i < pattern->vertexCount; ++i)
		scheme->vertices[i] = IndexPool_Take(&pools->vertexPool);
	uint32_t e = 0;
	if (odd)
	{
		uint32_t triple = EdgePools_TakeTriple(pools);
		for (; e < 3; ++e)
			scheme->edges[e] = triple + e;
	}
	for (; e < pattern->edgeCount; e += 2)
	{
		uint32_t pair = EdgePools_TakePair(pools);
		scheme->edges[e] = pair;
		scheme->edges[e + 1] = pair + 1;
	}
	for (uint32_t i = 0, family = 0; i < pattern->triangleCount; ++i)
	{
		if (i % 4 == 0)
			family = IndexPool_Take(&pools->familyPool);
		pools->families.data[family] = (TreeFamily){.parent = triangleRoot, .inner = DRAPE_NONE};
		scheme->triangles[i] = 4 * family + i % 4;
	}
	return true;
}

static void GivePattern(EdgeScheme* scheme)
{
	const PatternMesh* pattern = scheme->base.pattern;
	EdgePools* pools = scheme->pools;
	for (uint32_t i = 0; i < pattern->vertexCount; ++i)
		IndexPool_Give(&pools->vertexPool, scheme->vertices[i]);
	uint32_t e = 0;
	if (pattern->edgeCount % 2)
	{
		EdgePools_GiveTriple(pools, scheme->edges[0]);
		e = 3;
	}
	for (; e < pattern->edgeCount; e += 2)
		EdgePools_GivePair(pools, scheme->edges[e]);
	for (uint32_t i = 0; i < pattern->triangleCount; i += 4)
		IndexPool_Give(&pools->familyPool, scheme->triangles[i] / 4);
}

static uint32_t HalfOf(const EdgeScheme* scheme, uint32_t patternHalf)
{
	DRAPE_ASSERT(patternHalf == DRAPE_NONE || patternHalf >> 2 < scheme->base.pattern->triangleCount);
	if (patternHalf == DRAPE_NONE)
		return triangleOutside << 2;
	return scheme->triangles[patternHalf >> 2] << 2 | (patternHalf & 3);
}

// Writes the tree. The particles of the active mesh are the vertices of the pattern, in the same order.
static void CopyPattern(EdgeScheme* scheme)
{
	const PatternMesh* pattern = scheme->base.pattern;
	EdgePools* pools = scheme->pools;
	for (uint32_t i = 0; i < pattern->vertexCount; ++i)
		pools->vertices.data[scheme->vertices[i]] = (TreeVertex){.particle = i, .edge = DRAPE_NONE};
	for (uint32_t i = 0; i < pattern->edgeCount; ++i)
	{
		const PatternEdge* edge = &pattern->edges[i];
		bool isBoundary = edge->half[1] == DRAPE_NONE;
		pools->edges.data[scheme->edges[i]] = (TreeEdge){
			.vertex = {scheme->vertices[edge->vertex[0]], scheme->vertices[edge->vertex[1]]},
			.half = {HalfOf(scheme, edge->half[0]), HalfOf(scheme, edge->half[1])},
			.middle = DRAPE_NONE,
			.child = DRAPE_NONE,
			.active = DRAPE_NONE,
			.flags = (uint8_t)((isBoundary ? drape_edgeBoundary : 0) | (pattern->seam[i] ? drape_edgeSeam : 0)),
		};
	}
	for (uint32_t i = 0; i < pattern->triangleCount; ++i)
	{
		uint32_t t = scheme->triangles[i];
		TreeTriangle* triangle = &pools->triangles.data[t];
		*triangle = (TreeTriangle){.family = DRAPE_NONE, .config = configWhole, .flags = treeTriangleMayRefine};
		for (int k = 0; k < 3; ++k)
		{
			uint32_t side = pattern->triangleEdges[3 * i + k];
			triangle->vertex[k] = scheme->vertices[pattern->triangles[3 * i + k]];
			triangle->edge[k] = scheme->edges[side >> 1] << 1 | (side & 1);
		}
		pools->patternCorners.data[t] =
			(PatternCorners){.corner = {0, barycentricOne, (uint32_t)barycentricOne << 16}, .pattern = i};
		pools->triangleActive.data[t] = DRAPE_NONE;
	}
}

static void AddPatternParticles(EdgeScheme* scheme)
{
	const PatternMesh* pattern = scheme->base.pattern;
	ActiveMesh* active = scheme->base.active;
	for (uint32_t i = 0; i < pattern->vertexCount; ++i)
		drapeActiveMesh_AddParticle(active, pattern->positions[i], scheme->vertices[i]);
	for (uint32_t corner = 0; corner < 3 * pattern->triangleCount; ++corner)
		active->share[pattern->triangles[corner]] += 4 * scheme->twelfths[corner / 3];
}

static bool AllocateNames(EdgeScheme* scheme)
{
	const PatternMesh* pattern = scheme->base.pattern;
	scheme->vertices = drapeMemAllocArray(pattern->vertexCount, sizeof(uint32_t));
	scheme->edges = drapeMemAllocArray(pattern->edgeCount, sizeof(uint32_t));
	scheme->triangles = drapeMemAllocArray(pattern->triangleCount, sizeof(uint32_t));
	scheme->twelfths = drapeMemAllocArray(pattern->triangleCount, sizeof(int64_t));
	return scheme->vertices && scheme->edges && scheme->triangles && scheme->twelfths;
}

static bool AllocateScheme(EdgeScheme* scheme)
{
	const PatternMesh* pattern = scheme->base.pattern;
	ActiveMesh* active = scheme->base.active;
	scheme->areas = drapeMemAllocArray(pattern->triangleCount, sizeof(double));
	return AllocateNames(scheme) && scheme->areas &&
	       drapeActiveMesh_ReserveParticles(active, pattern->vertexCount) &&
	       drapeActiveMesh_ReserveTriangles(active, pattern->triangleCount) &&
	       drapeActiveMesh_ReserveEdges(active, pattern->edgeCount);
}

// The lists of a pass, empty between passes.
static void ReleaseLists(EdgeScheme* scheme)
{
	ArrayFree(&scheme->dirty);
	ArrayFree(&scheme->createdVertices);
	ArrayFree(&scheme->joined);
	ArrayFree(&scheme->createdTriangles);
	ArrayFree(&scheme->removedTriangles);
	ArrayFree(&scheme->createdEdges);
	ArrayFree(&scheme->removedEdges);
	ArrayFree(&scheme->locals);
	ArrayFree(&scheme->impulse);
}

static void FreeScheme(EdgeScheme* scheme)
{
	const PatternMesh* pattern = scheme->base.pattern;
	drapeMemFree(scheme->vertices, pattern->vertexCount * sizeof(uint32_t));
	drapeMemFree(scheme->edges, pattern->edgeCount * sizeof(uint32_t));
	drapeMemFree(scheme->triangles, pattern->triangleCount * sizeof(uint32_t));
	if (!scheme->borrowsAreas)
		drapeMemFree(scheme->areas, pattern->triangleCount * sizeof(double));
	drapeMemFree(scheme->twelfths, pattern->triangleCount * sizeof(int64_t));
	ReleaseLists(scheme);
	BitSet_Free(&scheme->forced);
	drapeMemFree(scheme, sizeof *scheme);
}

static void GiveHalves(EdgePools* pools, uint32_t e)
{
	const TreeEdge* edge = &pools->edges.data[e];
	if (!TreeEdge_IsSplit(edge))
		return;
	GiveHalves(pools, edge->child);
	GiveHalves(pools, edge->child + 1);
	IndexPool_Give(&pools->vertexPool, edge->middle);
	EdgePools_GivePair(pools, edge->child);
}

static void GiveChildren(EdgePools* pools, uint32_t t)
{
	const TreeTriangle* triangle = &pools->triangles.data[t];
	if (triangle->config == configWhole)
		return;
	uint32_t inner = pools->families.data[triangle->family].inner;
	for (uint32_t slot = 0; slot < configInner; ++slot)
	{
		if (pools->configs.inner[triangle->config][slot][0] != localNone)
			GiveHalves(pools, inner + slot);
	}
	for (uint32_t slot = 0; slot < configSlots; ++slot)
	{
		if (pools->configs.corner[triangle->config][slot][0] != localNone)
			GiveChildren(pools, 4 * triangle->family + slot);
	}
	EdgePools_GiveTriple(pools, inner);
	IndexPool_Give(&pools->familyPool, triangle->family);
}

static void Destroy(Scheme* base)
{
	EdgeScheme* scheme = (EdgeScheme*)base;
	for (uint32_t i = 0; i < base->pattern->triangleCount; ++i)
		GiveChildren(scheme->pools, scheme->triangles[i]);
	for (uint32_t i = 0; i < base->pattern->edgeCount; ++i)
		GiveHalves(scheme->pools, scheme->edges[i]);
	GivePattern(scheme);
	FreeScheme(scheme);
}

static size_t Bytes(const Scheme* base)
{
	return drapeEdgePools_BytesUsed(((const EdgeScheme*)base)->pools);
}

static uint32_t ParticleOf(const Scheme* base, uint32_t vertexId)
{
	return ((const EdgeScheme*)base)->pools->vertices.data[vertexId].particle;
}

static drapeResult Adapt(Scheme* base, const AdaptRequest* request, AdaptCounts* counts);

static const SchemeClass edgeSchemeClass = {
	.name = "edge",
	.destroy = Destroy,
	.adapt = Adapt,
	.validate = drapeEdgeScheme_Validate,
	.bytes = Bytes,
	.particleOf = ParticleOf,
	.weigh = drapeEdgeScheme_Weigh,
};

static EdgeScheme* NewScheme(EdgePools* pools, const PatternMesh* pattern, ActiveMesh* active)
{
	EdgeScheme* scheme = drapeMemAllocZero(sizeof *scheme);
	if (!scheme)
		return NULL;
	scheme->base = (Scheme){.type = &edgeSchemeClass, .pattern = pattern, .active = active};
	scheme->pools = pools;
	return scheme;
}

drapeResult drapeEdgeScheme_Create(Scheme** result, EdgePools* pools, const PatternMesh* pattern, ActiveMesh* active)
{
	DRAPE_ASSERT(result && pools && pattern && active);
	DRAPE_ASSERT(active->particleCount == 0 && active->triangleCount == 0);
	*result = NULL;
	EdgeScheme* scheme = NewScheme(pools, pattern, active);
	if (!scheme)
		return drape_errorMemory;
	if (!AllocateScheme(scheme) || !TakePattern(scheme))
	{
		FreeScheme(scheme);
		return drape_errorMemory;
	}
	active->areaUnit = drapeScheme_AreaTwelfths(pattern, NULL, (int64_t)1 << (2 * DRAPE_MAX_LEVEL), scheme->twelfths);
	for (uint32_t i = 0; i < pattern->triangleCount; ++i)
		scheme->areas[i] = drapePatternMesh_TriangleArea(pattern, i);
	CopyPattern(scheme);
	AddPatternParticles(scheme);
	drapeEdgeScheme_RebuildActive(scheme);
	drapeActiveMesh_UpdateMasses(active);
	*result = &scheme->base;
	return drape_ok;
}

// Elements of the active mesh get the names of this scheme. Their indices are those of the lender's.
static void LinkActive(EdgeScheme* scheme, const EdgeScheme* lender)
{
	const PatternMesh* pattern = scheme->base.pattern;
	ActiveMesh* active = scheme->base.active;
	EdgePools* pools = scheme->pools;
	for (uint32_t i = 0; i < pattern->vertexCount; ++i)
		drapeActiveMesh_RenameParticle(active, i, scheme->vertices[i]);
	for (uint32_t i = 0; i < pattern->edgeCount; ++i)
	{
		uint32_t index = lender->pools->edges.data[lender->edges[i]].active;
		DRAPE_ASSERT(index < active->edgeCount);
		pools->edges.data[scheme->edges[i]].active = index;
		active->edgeId[index] = scheme->edges[i];
	}
	for (uint32_t i = 0; i < pattern->triangleCount; ++i)
	{
		uint32_t index = lender->pools->triangleActive.data[lender->triangles[i]];
		DRAPE_ASSERT(index < active->triangleCount);
		pools->triangleActive.data[scheme->triangles[i]] = index;
		active->triangleId[index] = scheme->triangles[i];
	}
}

drapeResult drapeEdgeScheme_CreateCopy(Scheme** result, EdgePools* pools, const EdgeScheme* lender, ActiveMesh* active)
{
	const PatternMesh* pattern = lender->base.pattern;
	DRAPE_ASSERT(lender->base.type == &edgeSchemeClass && pools != lender->pools);
	DRAPE_ASSERT(active->particleCount == pattern->vertexCount && active->triangleCount == pattern->triangleCount);
	*result = NULL;
	EdgeScheme* scheme = NewScheme(pools, pattern, active);
	if (!scheme)
		return drape_errorMemory;
	scheme->areas = lender->areas;
	scheme->borrowsAreas = true;
	if (!AllocateNames(scheme) || !TakePattern(scheme))
	{
		FreeScheme(scheme);
		return drape_errorMemory;
	}
	memcpy(scheme->twelfths, lender->twelfths, pattern->triangleCount * sizeof(int64_t));
	CopyPattern(scheme);
	LinkActive(scheme, lender);
	*result = &scheme->base;
	return drape_ok;
}

// --- splitting and joining ------------------------------------------------------------------------------------------

bool drapeEdgeScheme_Begin(EdgeScheme* scheme, uint32_t splits, uint32_t joins)
{
	DRAPE_ASSERT(scheme->dirty.count == 0);
	ActiveMesh* active = scheme->base.active;
	if (splits > DRAPE_MAX_ELEMENTS / 4)
		return false;
	// A split concerns two triangles of the tree, and each of these has at least one active triangle. Only triangles
	// without children, which are active, get a family.
	uint32_t parents = MinU32(2 * splits, active->triangleCount);
	size_t s = splits, dirty = parents + 2 * (size_t)joins;
	return drapeEdgePools_Reserve(scheme->pools, splits, parents, parents, splits) &&
	       ArrayReserve(&scheme->dirty, dirty) && ArrayReserve(&scheme->locals, dirty) &&
	       ArrayReserve(&scheme->createdVertices, s) && ArrayReserve(&scheme->joined, joins) &&
	       ArrayReserve(&scheme->createdTriangles, 4 * dirty) && ArrayReserve(&scheme->removedTriangles, 4 * dirty) &&
	       ArrayReserve(&scheme->createdEdges, 2 * s + joins + 3 * dirty) &&
	       ArrayReserve(&scheme->removedEdges, s + 2 * (size_t)joins + 3 * dirty) &&
	       drapeActiveMesh_ReserveParticles(active, active->particleCount + splits) &&
	       drapeActiveMesh_ReserveTriangles(active, active->triangleCount + 2 * splits) &&
	       drapeActiveMesh_ReserveEdges(active, active->edgeCount + 3 * splits) &&
	       ArrayReserve(&scheme->impulse, active->particleCapacity) && ArrayReserve(&active->log.created, s) &&
	       ArrayReserve(&active->log.removed, joins) && ArrayReserve(&active->log.moved, joins) &&
	       BitSet_Reserve(&active->log.trianglesTouched, active->triangleCapacity) &&
	       BitSet_Reserve(&active->log.edgesTouched, active->edgeCapacity);
}

bool drapeEdgeScheme_MaySplit(const EdgeScheme* scheme, uint32_t e)
{
	DRAPE_ASSERT(e < scheme->pools->edges.count);
	const TreeEdge* edge = &scheme->pools->edges.data[e];
	const TreeTriangle* triangles = scheme->pools->triangles.data;
	return edge->active != DRAPE_NONE && edge->level < scheme->maxLevel &&
	       (triangles[edge->half[0] >> 2].flags & triangles[edge->half[1] >> 2].flags & treeTriangleMayRefine) != 0;
}

// A particle that the application has pinned is not removed.
static bool IsKept(const EdgeScheme* scheme, uint32_t vertex)
{
	DRAPE_ASSERT(scheme->pools->vertices.data[vertex].particle < scheme->base.active->particleCount);
	uint8_t flags = scheme->base.active->particleFlags[scheme->pools->vertices.data[vertex].particle];
	return ParticleFlags_IsKept(flags);
}

bool drapeEdgeScheme_MayJoin(const EdgeScheme* scheme, uint32_t e)
{
	DRAPE_ASSERT(e < scheme->pools->edges.count);
	const TreeEdge* edges = scheme->pools->edges.data;
	const TreeTriangle* triangles = scheme->pools->triangles.data;
	const TreeEdge* edge = &edges[e];
	// A half that is not active is new in this pass, or is split itself.
	return TreeEdge_IsSplit(edge) && edges[edge->child].active != DRAPE_NONE &&
	       edges[edge->child + 1].active != DRAPE_NONE &&
	       (triangles[edge->half[0] >> 2].busy | triangles[edge->half[1] >> 2].busy) == 0 &&
	       !IsKept(scheme, edge->middle);
}

DRAPE_INLINE void MarkDirty(EdgeScheme* scheme, uint32_t t)
{
	EdgePools* pools = scheme->pools;
	TreeTriangle* triangle = &pools->triangles.data[t];
	if (triangle->flags & treeTriangleDirty)
		return;
	triangle->flags |= treeTriangleDirty;
	ArrayPush(&scheme->dirty, ((DirtyTriangle){.triangle = t, .from = triangle->config}));
	if (triangle->config == configWhole)
		pools->triangles.data[pools->families.data[t >> 2].parent].busy++;
}

void drapeEdgeScheme_Split(EdgeScheme* scheme, uint32_t e)
{
	DRAPE_ASSERT(drapeEdgeScheme_MaySplit(scheme, e) && scheme->joined.count == 0);
	EdgePools* pools = scheme->pools;
	TreeEdge* edge = &pools->edges.data[e];
	uint32_t pair = EdgePools_TakePair(pools), vertex = IndexPool_Take(&pools->vertexPool);
	if (pools->freePairs.count > 8)
		DRAPE_PREFETCH_WRITE(&pools->edges.data[pools->freePairs.data[pools->freePairs.count - 8]]);
	edge->child = pair;
	edge->middle = vertex;
	pools->vertices.data[vertex] = (TreeVertex){.particle = DRAPE_NONE, .edge = e};

	// Retriangulation sets the sides of the halves. A boundary edge has boundary halves.
	TreeEdge half = {
		.vertex = {edge->vertex[0], vertex},
		.half = {triangleOutside << 2, triangleOutside << 2},
		.middle = DRAPE_NONE,
		.child = DRAPE_NONE,
		.active = DRAPE_NONE,
		.level = (uint8_t)(edge->level + 1),
		.flags = edge->flags,
	};
	pools->edges.data[pair] = half;
	half.vertex[0] = vertex;
	half.vertex[1] = edge->vertex[1];
	pools->edges.data[pair + 1] = half;

	ArrayPush(&scheme->createdVertices, vertex);
	ArrayPush(&scheme->removedEdges, edge->active);
	edge->active = DRAPE_NONE;
	ArrayPush(&scheme->createdEdges, pair);
	ArrayPush(&scheme->createdEdges, pair + 1);
	MarkDirty(scheme, edge->half[0] >> 2);
	MarkDirty(scheme, edge->half[1] >> 2);
}

void drapeEdgeScheme_Join(EdgeScheme* scheme, uint32_t e)
{
	DRAPE_ASSERT(drapeEdgeScheme_MayJoin(scheme, e));
	EdgePools* pools = scheme->pools;
	TreeEdge* edge = &pools->edges.data[e];
	// The transfer needs the halves and the midpoint; the end of the pass frees them.
	ArrayPush(&scheme->joined, ((JoinedEdge){.edge = e, .child = edge->child}));
	ArrayPush(&scheme->removedEdges, pools->edges.data[edge->child].active);
	ArrayPush(&scheme->removedEdges, pools->edges.data[edge->child + 1].active);
	ArrayPush(&scheme->createdEdges, e);
	edge->child = DRAPE_NONE;
	MarkDirty(scheme, edge->half[0] >> 2);
	MarkDirty(scheme, edge->half[1] >> 2);
}

// --- retriangulation ------------------------------------------------------------------------------------------------

static Vec3 VertexPosition(const EdgeScheme* scheme, uint32_t vertex)
{
	return V4Xyz(scheme->base.active->position[scheme->pools->vertices.data[vertex].particle]);
}

static Vec3 MiddlePosition(const EdgeScheme* scheme, const TreeEdge* edge)
{
	return V3Scale(0.5f, V3Add(VertexPosition(scheme, edge->vertex[0]), VertexPosition(scheme, edge->vertex[1])));
}

// The score of the line from the midpoint of edge k to the opposite corner; lower is better. It is the length, the rest
// length, or the cosine between the normals at the ends of edge k.
static float TieScore(const EdgeScheme* scheme, uint32_t t, int k)
{
	const EdgePools* pools = scheme->pools;
	const TreeTriangle* triangle = &pools->triangles.data[t];
	const TreeEdge* edge = &pools->edges.data[triangle->edge[k] >> 1];
	uint32_t opposite = (uint32_t)(k + 2) % 3;
	if (scheme->tieRule == tieLength)
		return V3Length(V3Sub(MiddlePosition(scheme, edge), VertexPosition(scheme, triangle->vertex[opposite])));
	if (scheme->tieRule == tieCurvature)
	{
		const Vec4* normal = scheme->base.active->normal;
		return V3Dot(V4Xyz(normal[pools->vertices.data[edge->vertex[0]].particle]),
		             V4Xyz(normal[pools->vertices.data[edge->vertex[1]].particle]));
	}
	const PatternCorners* corners = &pools->patternCorners.data[t];
	const Vec2* uv = &scheme->base.pattern->material[3 * corners->pattern];
	uint32_t from = (corners->corner[k] + corners->corner[(k + 1) % 3]) >> 1, to = corners->corner[opposite];
	float x = (float)((int32_t)(to & 0xffff) - (int32_t)(from & 0xffff));
	float y = (float)((int32_t)(to >> 16) - (int32_t)(from >> 16));
	Vec2 u = V2Sub(uv[1], uv[0]), v = V2Sub(uv[2], uv[0]);
	Vec2 d = {x * u.x + y * v.x, x * u.y + y * v.y};
	return V2Dot(d, d);
}

// The two configurations of a state contain the line from the midpoint of the first or of the second split edge,
// counted cyclically, to the opposite corner.
static uint8_t BreakTie(const EdgeScheme* scheme, uint32_t t, uint8_t splitEdges)
{
	DRAPE_ASSERT(splitEdges == 3 || splitEdges == 5 || splitEdges == 6);
	int first = splitEdges == 3 ? 0 : splitEdges == 6 ? 1 : 2;
	bool takeSecond = TieScore(scheme, t, (first + 1) % 3) < TieScore(scheme, t, first);
	return scheme->pools->configs.choice[splitEdges][takeSecond];
}

static uint8_t NextConfig(const EdgeScheme* scheme, uint32_t t)
{
	const EdgePools* pools = scheme->pools;
	const TreeTriangle* triangle = &pools->triangles.data[t];
	DRAPE_ASSERT(triangle->flags & treeTriangleDirty);
	uint8_t splitEdges = 0;
	for (int k = 0; k < 3; ++k)
		splitEdges |= (uint8_t)(TreeEdge_IsSplit(&pools->edges.data[triangle->edge[k] >> 1]) << k);
	if (splitEdges == 0)
		return configWhole;
	if (splitEdges == 7)
		return configFull;
	if (splitEdges == pools->configs.middles[triangle->config])
		return triangle->config;
	bool tied;
	uint8_t to = drapeConfigs_Choose(&pools->configs, triangle->config, splitEdges, &tied);
	return tied && scheme->tieRule != tieDefault ? BreakTie(scheme, t, splitEdges) : to;
}

// The vertices, barycentric coordinates and sides that the local names of a triangle denote.
typedef struct LocalNames
{
	uint32_t vertex[6];
	uint32_t barycentric[6];
	uint32_t side[sideCount]; // edge << 1 | side
} LocalNames;

DRAPE_INLINE void NameLocals(const EdgePools* pools, uint32_t t, uint32_t inner, LocalNames* names)
{
	const TreeTriangle* triangle = &pools->triangles.data[t];
	const PatternCorners* corners = &pools->patternCorners.data[t];
	for (uint32_t k = 0; k < 3; ++k)
	{
		uint32_t reference = triangle->edge[k], side = reference & 1;
		const TreeEdge* edge = &pools->edges.data[reference >> 1];
		names->vertex[k] = triangle->vertex[k];
		names->vertex[3 + k] = edge->middle;
		names->barycentric[k] = corners->corner[k];
		names->barycentric[3 + k] = (corners->corner[k] + corners->corner[(k + 1) % 3]) >> 1;
		names->side[sideOuter + k] = reference;
		// The second half comes first on the right side. Unused when the edge is whole.
		names->side[sideHalf + 2 * k] = (edge->child + side) << 1 | side;
		names->side[sideHalf + 2 * k + 1] = (edge->child + 1 - side) << 1 | side;
		names->side[sideInner + 2 * k] = (inner + k) << 1;
		names->side[sideInner + 2 * k + 1] = (inner + k) << 1 | 1;
	}
}

DRAPE_INLINE void WriteInnerEdge(EdgeScheme* scheme, uint32_t e, const uint8_t* ends, const LocalNames* names,
                                 uint8_t level)
{
	scheme->pools->edges.data[e] = (TreeEdge){
		.vertex = {names->vertex[ends[0]], names->vertex[ends[1]]},
		.middle = DRAPE_NONE,
		.child = DRAPE_NONE,
		.active = DRAPE_NONE,
		.level = level,
	};
	ArrayPush(&scheme->createdEdges, e);
}

// Writes a child triangle, and links it in the edges of its own level.
DRAPE_INLINE void WriteChild(EdgeScheme* scheme, uint32_t child, const uint8_t* corner, const uint8_t* side,
                             const LocalNames* names, uint32_t patternTriangle, uint8_t level, uint8_t flags)
{
	DRAPE_ASSERT(level > 0 && level <= DRAPE_MAX_LEVEL);
	EdgePools* pools = scheme->pools;
	TreeTriangle* triangle = &pools->triangles.data[child];
	PatternCorners* corners = &pools->patternCorners.data[child];
	for (uint32_t k = 0; k < 3; ++k)
	{
		uint32_t reference = names->side[side[k]];
		triangle->vertex[k] = names->vertex[corner[k]];
		triangle->edge[k] = reference;
		corners->corner[k] = names->barycentric[corner[k]];
		if (side[k] >= sideHalf)
			pools->edges.data[reference >> 1].half[reference & 1] = child << 2 | k;
	}
	triangle->family = DRAPE_NONE;
	triangle->level = level;
	triangle->config = configWhole;
	triangle->flags = flags;
	triangle->busy = 0;
	corners->pattern = patternTriangle;
	pools->triangleActive.data[child] = DRAPE_NONE;
	ArrayPush(&scheme->createdTriangles, child);
}

// Always inlined, so that calls with constant configurations need no loops.
DRAPE_INLINE void Transit(EdgeScheme* scheme, uint32_t t, uint8_t from, uint8_t to)
{
	EdgePools* pools = scheme->pools;
	const Configs* configs = &pools->configs;
	const Transition transition = configs->transition[from][to];
	TreeTriangle* triangle = &pools->triangles.data[t];
	DRAPE_ASSERT(from != to && triangle->config == from);
	if (from == configWhole)
	{
		triangle->family = IndexPool_Take(&pools->familyPool);
		pools->families.data[triangle->family] = (TreeFamily){.parent = t, .inner = EdgePools_TakeTriple(pools)};
		ArrayPush(&scheme->removedTriangles, pools->triangleActive.data[t]);
		pools->triangleActive.data[t] = DRAPE_NONE;
	}
	uint32_t first = 4 * triangle->family, inner = pools->families.data[triangle->family].inner;
	uint8_t level = (uint8_t)(triangle->level + 1), flags = to == configFull ? treeTriangleMayRefine : 0;
	triangle->config = to;

	for (uint32_t slot = 0; slot < configSlots; ++slot)
	{
		if (transition.triangleRemoved & 1 << slot)
			ArrayPush(&scheme->removedTriangles, pools->triangleActive.data[first + slot]);
		if (transition.triangleKept & 1 << slot)
			pools->triangles.data[first + slot].flags = flags;
	}
	for (uint32_t slot = 0; slot < configInner; ++slot)
	{
		if (transition.edgeRemoved & 1 << slot)
			ArrayPush(&scheme->removedEdges, pools->edges.data[inner + slot].active);
	}
	if (to == configWhole)
	{
		EdgePools_GiveTriple(pools, inner);
		IndexPool_Give(&pools->familyPool, triangle->family);
		triangle->family = DRAPE_NONE;
		ArrayPush(&scheme->createdTriangles, t);
		return;
	}

	LocalNames names;
	NameLocals(pools, t, inner, &names);
	for (uint32_t slot = 0; slot < configInner; ++slot)
	{
		if (transition.edgeCreated & 1 << slot)
			WriteInnerEdge(scheme, inner + slot, configs->inner[to][slot], &names, level);
	}
	uint32_t patternTriangle = pools->patternCorners.data[t].pattern;
	for (uint32_t slot = 0; slot < configSlots; ++slot)
	{
		if (transition.triangleCreated & 1 << slot)
			WriteChild(scheme, first + slot, configs->corner[to][slot], configs->side[to][slot], &names,
			           patternTriangle, level, flags);
	}
}

DRAPE_INLINE void RetriangulateOne(EdgeScheme* scheme, DirtyTriangle* dirty, uint8_t to)
{
	EdgePools* pools = scheme->pools;
	pools->triangles.data[dirty->triangle].flags &= (uint8_t)~treeTriangleDirty;
	dirty->to = to;
	if (to != dirty->from)
		Transit(scheme, dirty->triangle, dirty->from, to);
	if (to == configWhole)
		pools->triangles.data[pools->families.data[dirty->triangle >> 2].parent].busy--;
}

// Memory latency limits a large pass: prefetches the data of a triangle some triangles ahead, and its edges later.
DRAPE_INLINE void PrefetchDirty(const EdgeScheme* scheme, uint32_t i)
{
	enum
	{
		farAhead = 16,
		nearAhead = 8,
	};
	const EdgePools* pools = scheme->pools;
	if (i + farAhead >= scheme->dirty.count)
		return;
	uint32_t far = scheme->dirty.data[i + farAhead].triangle, near = scheme->dirty.data[i + nearAhead].triangle;
	DRAPE_PREFETCH(&pools->triangles.data[far]);
	DRAPE_PREFETCH(&pools->patternCorners.data[far]);
	for (int k = 0; k < 3; ++k)
		DRAPE_PREFETCH(&pools->edges.data[pools->triangles.data[near].edge[k] >> 1]);
	if (pools->familyPool.free.count > nearAhead && pools->freeTriples.count > nearAhead)
	{
		uint32_t family = pools->familyPool.free.data[pools->familyPool.free.count - nearAhead];
		const TreeEdge* inner = &pools->edges.data[pools->freeTriples.data[pools->freeTriples.count - nearAhead]];
		DRAPE_PREFETCH_WRITE(&pools->triangles.data[4 * family]);
		DRAPE_PREFETCH_WRITE(&pools->triangles.data[4 * family + 2]);
		DRAPE_PREFETCH_WRITE(&pools->patternCorners.data[4 * family]);
		DRAPE_PREFETCH_WRITE(inner);
		DRAPE_PREFETCH_WRITE(inner + 2);
	}
}

void drapeEdgeScheme_Retriangulate(EdgeScheme* scheme)
{
	for (uint32_t i = 0; i < scheme->dirty.count; ++i)
	{
		PrefetchDirty(scheme, i);
		DirtyTriangle* dirty = &scheme->dirty.data[i];
		RetriangulateOne(scheme, dirty, NextConfig(scheme, dirty->triangle));
	}
}

void drapeEdgeScheme_RetriangulateTo(EdgeScheme* scheme, uint8_t config)
{
	DRAPE_ASSERT(config < configCount);
	for (uint32_t i = 0; i < scheme->dirty.count; ++i)
		RetriangulateOne(scheme, &scheme->dirty.data[i], config);
}

void drapeEdgeScheme_Touch(EdgeScheme* scheme, uint32_t triangle)
{
	MarkDirty(scheme, triangle);
}

// --- the pass -------------------------------------------------------------------------------------------------------

static void AddParticles(EdgeScheme* scheme)
{
	EdgePools* pools = scheme->pools;
	ActiveMesh* active = scheme->base.active;
	active->log.created.count = 0;
	for (uint32_t i = 0; i < scheme->createdVertices.count; ++i)
	{
		uint32_t vertex = scheme->createdVertices.data[i];
		const TreeEdge* edge = &pools->edges.data[pools->vertices.data[vertex].edge];
		uint32_t a = pools->vertices.data[edge->vertex[0]].particle, b = pools->vertices.data[edge->vertex[1]].particle;
		DRAPE_ASSERT(a != b && a < active->particleCount && b < active->particleCount);
		uint32_t particle = drapeActiveMesh_AddMiddle(active, a, b, (uint8_t)(edge->level + 1), vertex);
		active->joinWait[particle] = scheme->joinWait;
		active->parentLength[0][particle] = drapeEdgeScheme_RestLength(scheme, edge);
		pools->vertices.data[vertex].particle = particle;
		ArrayPush(&active->log.created, particle);
	}
}

// Removes the midpoints of joined edges and fills the holes from the end.
static void RemoveParticles(EdgeScheme* scheme)
{
	EdgePools* pools = scheme->pools;
	ActiveMesh* active = scheme->base.active;
	ChangeLog* log = &active->log;
	uint32_t oldCount = active->particleCount - log->created.count;
	log->removed.count = 0;
	log->moved.count = 0;
	for (uint32_t i = 0; i < scheme->joined.count; ++i)
	{
		uint32_t particle = pools->vertices.data[pools->edges.data[scheme->joined.data[i].edge].middle].particle;
		active->vertexId[particle] = DRAPE_NONE;
		ArrayPush(&log->removed, particle);
	}
	uint32_t last = active->particleCount;
	DRAPE_ASSERT(log->removed.count <= active->particleCount);
	active->particleCount -= log->removed.count;
	for (uint32_t i = 0; i < log->removed.count; ++i)
	{
		uint32_t hole = log->removed.data[i];
		if (hole >= active->particleCount)
			continue;
		do
			last--;
		while (active->vertexId[last] == DRAPE_NONE);
		drapeActiveMesh_MoveParticle(active, hole, last);
		pools->vertices.data[active->vertexId[hole]].particle = hole;
		if (last >= oldCount)
			log->created.data[last - oldCount] = hole;
		else
			ArrayPush(&log->moved, ((ParticleMove){.from = last, .to = hole}));
	}
}

// Indices from `particleCount` on belong to moved particles; replaces them by the new indices.
static void RenameParticles(EdgeScheme* scheme, bool alsoElements)
{
	ActiveMesh* active = scheme->base.active;
	uint32_t* rename = (uint32_t*)scheme->impulse.data; // no longer needed by the transfer, and large enough
	for (uint32_t i = 0; i < active->log.moved.count; ++i)
		rename[active->log.moved.data[i].from] = active->log.moved.data[i].to;

	uint32_t count = active->particleCount;
	for (uint32_t i = 0; i < count; ++i)
	{
		uint32_t* parent = active->parents[i].parent;
		for (int k = 0; k < 2; ++k)
		{
			if (parent[k] >= count && parent[k] != DRAPE_NONE)
				parent[k] = rename[parent[k]];
		}
	}
	if (!alsoElements)
		return;
	uint32_t* corner = &active->triangle[0][0];
	for (uint32_t i = 0; i < 3 * active->triangleCount; ++i)
	{
		if (DRAPE_UNLIKELY(corner[i] >= count))
		{
			corner[i] = rename[corner[i]];
			BitSet_Set(&active->log.trianglesTouched, i / 3);
		}
	}
	for (uint32_t i = 0; i < active->edgeCount; ++i)
	{
		uint32_t* opposite = active->wings[i].opposite;
		uint32_t* const named[4] = {&active->edgeFrom[i], &active->edgeTo[i], &opposite[0], &opposite[1]};
		for (int k = 0; k < 4; ++k)
		{
			if (DRAPE_UNLIKELY(*named[k] >= count && *named[k] != DRAPE_NONE))
			{
				*named[k] = rename[*named[k]];
				BitSet_Set(&active->log.edgesTouched, i);
			}
		}
	}
}

static void GiveJoined(EdgeScheme* scheme)
{
	EdgePools* pools = scheme->pools;
	for (uint32_t i = 0; i < scheme->joined.count; ++i)
	{
		JoinedEdge joined = scheme->joined.data[i];
		TreeEdge* edge = &pools->edges.data[joined.edge];
		IndexPool_Give(&pools->vertexPool, edge->middle);
		EdgePools_GivePair(pools, joined.child);
		edge->middle = DRAPE_NONE;
	}
	scheme->joined.count = 0;
}

// Patching a changed triangle costs about four times as much as rebuilding one. But data that follows the mesh, such as
// the colour graphs, is patched too instead of rebuilt, which saves far more.
static bool IsPatchCheaper(const EdgeScheme* scheme)
{
	return scheme->createdTriangles.count + scheme->removedTriangles.count < scheme->base.active->triangleCount;
}

void drapeEdgeScheme_UpdateActive(EdgeScheme* scheme, bool* rebuilt)
{
	ActiveMesh* active = scheme->base.active;
	AddParticles(scheme);
	drapeEdgeScheme_Transfer(scheme);
	RemoveParticles(scheme);

	bool patch = IsPatchCheaper(scheme);
	active->log.oldTriangleCount = active->triangleCount;
	active->log.oldEdgeCount = active->edgeCount;
	if (patch)
		drapeEdgeScheme_PatchActive(scheme);
	else
		drapeEdgeScheme_RebuildActive(scheme);
	if (active->log.moved.count > 0)
		RenameParticles(scheme, patch);
	active->log.rebuilt = *rebuilt = !patch;
	active->revision++;

	GiveJoined(scheme);
	scheme->dirty.count = 0;
	scheme->createdVertices.count = 0;
	scheme->createdTriangles.count = scheme->removedTriangles.count = 0;
	scheme->createdEdges.count = scheme->removedEdges.count = 0;
}

void drapeEdgeScheme_End(EdgeScheme* scheme, bool* rebuilt)
{
	drapeEdgeScheme_Retriangulate(scheme);
	drapeEdgeScheme_UpdateActive(scheme, rebuilt);
	// Passes that change a small part of the mesh, and small meshes, keep their lists, so that settled loops allocate
	// nothing.
	if (*rebuilt && scheme->dirty.capacity > longList)
		ReleaseLists(scheme);
}

// Finds the unsplit edges that block the split of an edge: those of each parent beside it that is not cut in four.
// Returns their number, at most three per side.
static uint32_t FindBlockers(const EdgePools* pools, uint32_t e, uint32_t blockers[6])
{
	const TreeEdge* edge = &pools->edges.data[e];
	uint32_t count = 0;
	for (int side = 0; side < 2; ++side)
	{
		uint32_t t = edge->half[side] >> 2;
		if (pools->triangles.data[t].flags & treeTriangleMayRefine)
			continue;
		const TreeTriangle* parent = &pools->triangles.data[pools->families.data[t >> 2].parent];
		for (int k = 0; k < 3; ++k)
		{
			uint32_t blocker = parent->edge[k] >> 1;
			if (pools->edges.data[blocker].active != DRAPE_NONE)
				blockers[count++] = blocker;
		}
	}
	return count;
}

// True when all blockers of an edge can be split: each is requested or may be forced, and so are its own blockers.
// Splitting only some of them would be useless: the edge stays blocked, they join, and the cycle repeats.
static bool CanUnblock(const EdgeScheme* scheme, uint32_t e, const AdaptRequest* request)
{
	uint32_t blockers[6], count = FindBlockers(scheme->pools, e, blockers);
	for (uint32_t i = 0; i < count; ++i)
	{
		uint32_t active = scheme->pools->edges.data[blockers[i]].active;
		if (request->forceable && !BitSet_Get(request->forceable, active) && !BitSet_Get(request->mustSplit, active))
			return false;
		if (!drapeEdgeScheme_MaySplit(scheme, blockers[i]) && !CanUnblock(scheme, blockers[i], request))
			return false;
	}
	return true;
}

// Requests the splits that unblock an edge, and recursively those that unblock them (Simnett 2012, 5.5.1).
static void Unblock(EdgeScheme* scheme, uint32_t e, const BitSet* forceable)
{
	uint32_t blockers[6], count = FindBlockers(scheme->pools, e, blockers);
	for (uint32_t i = 0; i < count; ++i)
	{
		uint32_t active = scheme->pools->edges.data[blockers[i]].active;
		if (forceable && !BitSet_Get(forceable, active))
			continue;
		if (drapeEdgeScheme_MaySplit(scheme, blockers[i]))
			BitSet_Set(&scheme->forced, active);
		else
			Unblock(scheme, blockers[i], forceable);
	}
}

// Requests splits of the edges of triangles that should be refined as a whole, except edges of a coarser level.
static void CollectRefined(EdgeScheme* scheme, const BitSet* refine)
{
	const ActiveMesh* active = scheme->base.active;
	for (uint32_t i = BitSet_Next(refine, 0, active->triangleCount); i != DRAPE_NONE;
	     i = BitSet_Next(refine, i + 1, active->triangleCount))
	{
		const TreeTriangle* triangle = &scheme->pools->triangles.data[active->triangleId[i]];
		for (int k = 0; k < 3; ++k)
		{
			const TreeEdge* edge = &scheme->pools->edges.data[triangle->edge[k] >> 1];
			if (edge->level == triangle->level && edge->active != DRAPE_NONE)
				BitSet_Set(&scheme->forced, edge->active);
		}
	}
}

// Collects the splits beyond AdaptRequest::split: whole triangles and blockers.
static bool CollectForced(EdgeScheme* scheme, const AdaptRequest* request)
{
	const ActiveMesh* active = scheme->base.active;
	if (!BitSet_Reserve(&scheme->forced, active->edgeCount))
		return false;
	BitSet_ClearAll(&scheme->forced, active->edgeCount);
	if (request->refine)
		CollectRefined(scheme, request->refine);
	if (!request->mustSplit)
		return true;
	for (uint32_t i = BitSet_Next(request->mustSplit, 0, active->edgeCount); i != DRAPE_NONE;
	     i = BitSet_Next(request->mustSplit, i + 1, active->edgeCount))
	{
		if (active->edgeLevel[i] < request->maxLevel && CanUnblock(scheme, active->edgeId[i], request))
			Unblock(scheme, active->edgeId[i], request->forceable);
	}
	return true;
}

// The corners of a triangle and the midpoints of its split edges and of edge `e`. A midpoint that does not exist yet
// has its future position. Returns the number of vertices.
static uint32_t LocalVertices(const EdgeScheme* scheme, uint32_t t, uint32_t e, Vec3* position, uint32_t* particle)
{
	const EdgePools* pools = scheme->pools;
	const TreeTriangle* triangle = &pools->triangles.data[t];
	uint32_t count = 0;
	for (uint32_t k = 0; k < 3; ++k)
	{
		position[count] = VertexPosition(scheme, triangle->vertex[k]);
		particle[count++] = pools->vertices.data[triangle->vertex[k]].particle;
	}
	for (uint32_t k = 0; k < 3; ++k)
	{
		const TreeEdge* edge = &pools->edges.data[triangle->edge[k] >> 1];
		uint32_t middle = edge->middle;
		if (middle == DRAPE_NONE && triangle->edge[k] >> 1 != e)
			continue;
		particle[count] = middle == DRAPE_NONE ? DRAPE_NONE : pools->vertices.data[middle].particle;
		position[count] = particle[count] == DRAPE_NONE ? MiddlePosition(scheme, edge) : VertexPosition(scheme, middle);
		count++;
	}
	return count;
}

// True when all tetrahedra of these vertices are free: they contain every triangulation before and after the change.
static bool HullIsFree(const AdaptRequest* request, const Vec3* position, const uint32_t* particle, uint32_t count)
{
	DRAPE_ASSERT(request->isFree && count <= 6);
	for (uint32_t set = 0; set < 1u << count; ++set)
	{
		if (__builtin_popcount(set) != 4)
			continue;
		SurfaceSweep sweep = {.isFlip = false};
		uint32_t k = 0;
		for (uint32_t i = 0; i < count; ++i)
		{
			if (set & 1u << i)
			{
				sweep.corner[k] = position[i];
				sweep.particle[k++] = particle[i];
			}
		}
		if (!request->isFree(&sweep, request->isFreeContext))
			return false;
	}
	return true;
}

// True when the volume that the triangles beside an edge sweep over is free when the edge is split or joined. A whole
// triangle is flat, and stays flat when it is cut for the first time.
static bool ChangeIsFree(const EdgeScheme* scheme, const AdaptRequest* request, uint32_t e, bool isSplit)
{
	const EdgePools* pools = scheme->pools;
	for (int side = 0; side < 2 && request->isFree; ++side)
	{
		uint32_t t = pools->edges.data[e].half[side] >> 2;
		if (t == triangleOutside || (isSplit && pools->triangles.data[t].config == configWhole))
			continue;
		Vec3 position[6];
		uint32_t particle[6], count = LocalVertices(scheme, t, e, position, particle);
		if (!HullIsFree(request, position, particle, count))
			return false;
	}
	return true;
}

// Splitting an edge adds a triangle on each side of it.
static uint32_t TrianglesOfSplit(const EdgeScheme* scheme, uint32_t e)
{
	const uint32_t* half = scheme->pools->edges.data[e].half;
	return (uint32_t)(half[0] >> 2 != triangleOutside) + (uint32_t)(half[1] >> 2 != triangleOutside);
}

// True when a split keeps the number of triangles below the cap. Joins follow later in the pass, so the number only
// grows here.
static bool FitsCap(const EdgeScheme* scheme, const AdaptRequest* request, uint32_t e)
{
	uint32_t count = scheme->base.active->triangleCount + scheme->trianglesAdded + TrianglesOfSplit(scheme, e);
	return request->maxTriangles == 0 || count <= request->maxTriangles;
}

static uint32_t SplitRequested(EdgeScheme* scheme, const AdaptRequest* request, const BitSet* requests,
                               uint32_t edgeCount, uint32_t* blocked)
{
	const uint32_t* edgeId = scheme->base.active->edgeId;
	uint32_t done = 0;
	for (uint32_t i = BitSet_Next(requests, 0, edgeCount); i != DRAPE_NONE; i = BitSet_Next(requests, i + 1, edgeCount))
	{
		if (drapeEdgeScheme_MaySplit(scheme, edgeId[i]) && FitsCap(scheme, request, edgeId[i]) &&
		    ChangeIsFree(scheme, request, edgeId[i], true))
		{
			scheme->trianglesAdded += TrianglesOfSplit(scheme, edgeId[i]);
			drapeEdgeScheme_Split(scheme, edgeId[i]);
			done++;
		}
		else if (TreeEdge_IsSplit(&scheme->pools->edges.data[edgeId[i]]) == false)
			*blocked += 1;
	}
	return done;
}

static uint32_t JoinRequested(EdgeScheme* scheme, const AdaptRequest* request, uint32_t particleCount,
                              uint32_t* blocked)
{
	const ActiveMesh* active = scheme->base.active;
	const BitSet* requests = request->join;
	uint32_t done = 0;
	for (uint32_t i = BitSet_Next(requests, 0, particleCount); i != DRAPE_NONE;
	     i = BitSet_Next(requests, i + 1, particleCount))
	{
		uint32_t edge = scheme->pools->vertices.data[active->vertexId[i]].edge;
		if (edge != DRAPE_NONE && drapeEdgeScheme_MayJoin(scheme, edge) && ChangeIsFree(scheme, request, edge, false))
		{
			drapeEdgeScheme_Join(scheme, edge);
			done++;
		}
		else
			*blocked += 1;
	}
	return done;
}

static drapeResult Adapt(Scheme* base, const AdaptRequest* request, AdaptCounts* counts)
{
	EdgeScheme* scheme = (EdgeScheme*)base;
	ActiveMesh* active = base->active;
	DRAPE_ASSERT(request->split && request->join && request->maxLevel <= DRAPE_MAX_LEVEL);
	*counts = (AdaptCounts){0};
	scheme->maxLevel = request->maxLevel;
	scheme->joinWait = request->joinWait;
	scheme->tieRule = request->tieRule;
	scheme->trianglesAdded = 0;

	const bool forces = request->mustSplit || request->refine;
	if (forces && !CollectForced(scheme, request))
		return drape_errorMemory;
	uint32_t edgeCount = active->edgeCount, particleCount = active->particleCount;
	uint32_t splits = BitSet_CountSet(request->split, edgeCount), joins = BitSet_CountSet(request->join, particleCount);
	if (forces)
		splits = MinU32(edgeCount, splits + BitSet_CountSet(&scheme->forced, edgeCount));
	if (splits == 0 && joins == 0)
		return drape_ok;
	if (!drapeEdgeScheme_Begin(scheme, splits, joins))
		return drape_errorMemory;

	counts->splits = SplitRequested(scheme, request, request->split, edgeCount, &counts->splitsBlocked);
	if (forces)
		counts->splits += SplitRequested(scheme, request, &scheme->forced, edgeCount, &counts->splitsBlocked);
	counts->joins = JoinRequested(scheme, request, particleCount, &counts->joinsBlocked);
	if (counts->splits + counts->joins > 0)
		drapeEdgeScheme_End(scheme, &counts->rebuilt);
	return drape_ok;
}
