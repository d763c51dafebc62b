// SPDX-License-Identifier: MIT
#include "adapt/edge.h"

// Validates a hierarchy by walking it from the pattern down. It shares no code with the code that it checks, and
// prefers simplicity over speed.

#define REQUIRE(condition, sentence)                                                                                   \
	do                                                                                                                 \
	{                                                                                                                  \
		if (!(condition))                                                                                              \
			return sentence;                                                                                           \
	} while (0)

typedef struct Walk
{
	const EdgeScheme* scheme;
	int64_t fraction;                    // sum over the leaves of the current pattern triangle
	uint32_t leaves, leafEdges;          // visited
	uint32_t edges, triangles, vertices; // in the pools
} Walk;

static const TreeEdge* EdgeAt(const Walk* walk, uint32_t e)
{
	return &walk->scheme->pools->edges.data[e];
}

// Checks an edge and its halves: ends, levels, indices in the active mesh.
static const char* CheckEdge(Walk* walk, uint32_t e, int level)
{
	const EdgePools* pools = walk->scheme->pools;
	const ActiveMesh* active = walk->scheme->base.active;
	const TreeEdge* edge = EdgeAt(walk, e);
	REQUIRE(edge->level == level, "an edge has the wrong level");
	for (int side = 0; side < 2; ++side)
	{
		uint32_t t = edge->half[side] >> 2;
		bool isBoundary = side == 1 && (edge->flags & drape_edgeBoundary);
		REQUIRE((t == triangleOutside) == isBoundary, "an edge's boundary flag is wrong");
		if (!isBoundary)
		{
			const TreeTriangle* triangle = &pools->triangles.data[t];
			REQUIRE(triangle->level == level, "an edge and the triangle beside it differ in level");
			REQUIRE(triangle->edge[edge->half[side] & 3] == (e << 1 | (uint32_t)side),
			        "an edge and the triangle beside it do not name each other");
		}
	}
	if (!TreeEdge_IsSplit(edge))
	{
		REQUIRE(edge->active < active->edgeCount && active->edgeId[edge->active] == e,
		        "a leaf edge is not in the active mesh");
		REQUIRE(edge->middle == DRAPE_NONE, "a whole edge has a middle");
		walk->leafEdges++;
		return NULL;
	}
	REQUIRE(edge->active == DRAPE_NONE, "a split edge is in the active mesh");
	const TreeVertex* middle = &pools->vertices.data[edge->middle];
	REQUIRE(middle->edge == e, "a middle does not know its edge");
	REQUIRE(middle->particle < active->particleCount && active->vertexId[middle->particle] == edge->middle,
	        "a middle is not in the active mesh");
	REQUIRE(active->level[middle->particle] == level + 1, "a particle has the wrong level");
	const ParticleParents* parents = &active->parents[middle->particle];
	for (int side = 0; side < 2; ++side)
		REQUIRE(parents->parent[side] == pools->vertices.data[edge->vertex[side]].particle,
		        "a particle has the wrong parents");
	const TreeEdge *first = EdgeAt(walk, edge->child), *second = EdgeAt(walk, edge->child + 1);
	REQUIRE(first->vertex[0] == edge->vertex[0] && first->vertex[1] == edge->middle,
	        "the first half has the wrong ends");
	REQUIRE(second->vertex[0] == edge->middle && second->vertex[1] == edge->vertex[1],
	        "the second half has the wrong ends");
	REQUIRE(first->flags == edge->flags && second->flags == edge->flags,
	        "the halves differ from the whole in their flags");
	walk->edges += 2;
	walk->vertices++;
	const char* wrong = CheckEdge(walk, edge->child, level + 1);
	return wrong ? wrong : CheckEdge(walk, edge->child + 1, level + 1);
}

static const char* CheckLeaf(Walk* walk, uint32_t t)
{
	const EdgePools* pools = walk->scheme->pools;
	const ActiveMesh* active = walk->scheme->base.active;
	const TreeTriangle* triangle = &pools->triangles.data[t];
	const PatternCorners* corners = &pools->patternCorners.data[t];
	uint32_t index = pools->triangleActive.data[t];
	REQUIRE(index < active->triangleCount && active->triangleId[index] == t,
	        "a leaf triangle is not in the active mesh");
	for (int k = 0; k < 3; ++k)
		REQUIRE(active->triangle[index][k] == pools->vertices.data[triangle->vertex[k]].particle,
		        "an active triangle has the wrong corners");
	REQUIRE(active->patternTriangle[index] == corners->pattern && active->triangleLevel[index] == triangle->level,
	        "an active triangle has the wrong origin");
	int64_t fraction = PatternCorners_Fraction(corners);
	REQUIRE(fraction > 0, "a triangle has no area");
	walk->fraction += fraction;
	walk->leaves++;
	return NULL;
}

static const char* CheckTriangle(Walk* walk, uint32_t t, int level, bool mayRefine);

static const char* CheckChildren(Walk* walk, uint32_t t, int level)
{
	const EdgePools* pools = walk->scheme->pools;
	const Configs* configs = &pools->configs;
	const TreeTriangle* triangle = &pools->triangles.data[t];
	uint32_t busy = 0;
	walk->triangles += 4;
	walk->edges += 3;
	REQUIRE(pools->families.data[triangle->family].parent == t, "a family does not know its parent");
	for (uint32_t slot = 0; slot < configInner; ++slot)
	{
		if (configs->inner[triangle->config][slot][0] == localNone)
			continue;
		const char* wrong = CheckEdge(walk, pools->families.data[triangle->family].inner + slot, level + 1);
		if (wrong)
			return wrong;
	}
	for (uint32_t slot = 0; slot < configSlots; ++slot)
	{
		if (configs->corner[triangle->config][slot][0] == localNone)
			continue;
		uint32_t child = 4 * triangle->family + slot;
		busy += pools->triangles.data[child].config != configWhole;
		const char* wrong = CheckTriangle(walk, child, level + 1, triangle->config == configFull);
		if (wrong)
			return wrong;
	}
	REQUIRE(triangle->busy == busy, "a triangle miscounts its refined children");
	return NULL;
}

static const char* CheckTriangle(Walk* walk, uint32_t t, int level, bool mayRefine)
{
	const EdgePools* pools = walk->scheme->pools;
	const TreeTriangle* triangle = &pools->triangles.data[t];
	REQUIRE(triangle->level == level, "a triangle has the wrong level");
	REQUIRE(triangle->flags == (mayRefine ? treeTriangleMayRefine : 0), "a triangle's flags are wrong");
	unsigned splitEdges = 0;
	for (int k = 0; k < 3; ++k)
	{
		uint32_t side = triangle->edge[k] & 1;
		const TreeEdge* edge = EdgeAt(walk, triangle->edge[k] >> 1);
		REQUIRE(edge->vertex[side] == triangle->vertex[k] && edge->vertex[1 - side] == triangle->vertex[(k + 1) % 3],
		        "a triangle's edge has the wrong ends");
		if (edge->level == level)
			splitEdges |= (unsigned)TreeEdge_IsSplit(edge) << k;
		else
			REQUIRE(!mayRefine && edge->level == level - 1 && !TreeEdge_IsSplit(edge),
			        "neighbours differ by more than one level");
	}
	REQUIRE(mayRefine || splitEdges == 0, "a triangle is refined below a parent that is not cut in four");
	REQUIRE(pools->configs.middles[triangle->config] == splitEdges,
	        "a triangle's configuration does not fit its split edges");
	if (triangle->config != configWhole)
		return CheckChildren(walk, t, level);
	REQUIRE(triangle->family == DRAPE_NONE, "a whole triangle has children");
	return CheckLeaf(walk, t);
}

const char* drapeEdgeScheme_Validate(const Scheme* base)
{
	const EdgeScheme* scheme = (const EdgeScheme*)base;
	const PatternMesh* pattern = base->pattern;
	Walk walk = {.scheme = scheme};
	for (uint32_t i = 0; i < pattern->edgeCount; ++i)
	{
		const char* wrong = CheckEdge(&walk, scheme->edges[i], 0);
		if (wrong)
			return wrong;
	}
	for (uint32_t i = 0; i < pattern->triangleCount; ++i)
	{
		walk.fraction = 0;
		const char* wrong = CheckTriangle(&walk, scheme->triangles[i], 0, true);
		if (wrong)
			return wrong;
		REQUIRE(walk.fraction == (int64_t)barycentricOne * barycentricOne,
		        "the leaves of a pattern triangle do not cover it exactly");
	}
	REQUIRE(walk.leaves == base->active->triangleCount, "the active mesh has triangles that are no leaves");
	REQUIRE(walk.leafEdges == base->active->edgeCount, "the active mesh has edges that are no leaves");
	REQUIRE(walk.vertices + pattern->vertexCount == base->active->particleCount,
	        "the active mesh has particles that are no vertices");
	return drapeActiveMesh_Validate(base->active, pattern->area);
}
