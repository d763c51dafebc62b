// SPDX-License-Identifier: MIT
#include "adapt/edge_pools.h"

enum
{
	poolBlock = 1024, // elements added at once, at least
};

// The free lists have capacity for all elements that were ever taken, so that giving back cannot fail.
static bool GrowEdges(EdgePools* pools, size_t needed)
{
	if (needed > DRAPE_MAX_ELEMENTS)
		return false;
	if (needed > pools->edges.capacity)
		needed += poolBlock;
	return ArrayReserve(&pools->edges, needed) && ArrayReserve(&pools->freePairs, pools->edges.capacity / 2) &&
	       ArrayReserve(&pools->freeTriples, pools->edges.capacity / 3 + 1);
}

static bool GrowFamilies(EdgePools* pools, uint32_t more)
{
	size_t needed = IndexPool_Bound(&pools->familyPool, more);
	if (needed > DRAPE_MAX_ELEMENTS / 4 || !drapeIndexPool_Reserve(&pools->familyPool, more))
		return false;
	if (needed > pools->families.capacity)
		needed += poolBlock / 4;
	if (!ArrayReserve(&pools->families, needed))
		return false;
	size_t triangles = 4 * (size_t)pools->families.capacity;
	return ArrayReserve(&pools->triangles, triangles) && ArrayReserve(&pools->patternCorners, triangles) &&
	       ArrayReserve(&pools->triangleActive, triangles);
}

static bool GrowVertices(EdgePools* pools, uint32_t more)
{
	size_t needed = IndexPool_Bound(&pools->vertexPool, more);
	if (!drapeIndexPool_Reserve(&pools->vertexPool, more))
		return false;
	if (needed > pools->vertices.capacity)
		needed += poolBlock;
	return ArrayReserve(&pools->vertices, needed);
}

static size_t Fresh(size_t wanted, uint32_t inFreeList)
{
	return wanted > inFreeList ? wanted - inFreeList : 0;
}

bool drapeEdgePools_Reserve(EdgePools* pools, uint32_t pairs, uint32_t triples, uint32_t families, uint32_t vertices)
{
	size_t edges = 2 * Fresh(pairs, pools->freePairs.count) + 3 * Fresh(triples, pools->freeTriples.count);
	return GrowEdges(pools, pools->edges.count + edges) && GrowFamilies(pools, families) &&
	       GrowVertices(pools, vertices);
}

bool drapeEdgePools_Create(EdgePools* pools)
{
	*pools = (EdgePools){0};
	drapeConfigs_Init(&pools->configs);
	if (!drapeEdgePools_Reserve(pools, 0, 0, 1, 0))
	{
		drapeEdgePools_Destroy(pools);
		return false;
	}
	IndexPool_Take(&pools->familyPool);
	pools->families.data[0] = (TreeFamily){.parent = triangleRoot, .inner = DRAPE_NONE};
	for (int i = 0; i < 4; ++i)
		pools->triangles.data[i] =
			(TreeTriangle){.family = DRAPE_NONE, .flags = treeTriangleMayRefine | treeTriangleDirty};
	return true;
}

void drapeEdgePools_Destroy(EdgePools* pools)
{
	ArrayFree(&pools->edges);
	ArrayFree(&pools->freePairs);
	ArrayFree(&pools->freeTriples);
	ArrayFree(&pools->triangles);
	ArrayFree(&pools->patternCorners);
	ArrayFree(&pools->triangleActive);
	ArrayFree(&pools->families);
	drapeIndexPool_Free(&pools->familyPool);
	ArrayFree(&pools->vertices);
	drapeIndexPool_Free(&pools->vertexPool);
}

size_t drapeEdgePools_BytesUsed(const EdgePools* pools)
{
	size_t perFamily = sizeof(TreeFamily) + 4 * (sizeof(TreeTriangle) + sizeof(PatternCorners) + sizeof(uint32_t));
	return pools->edgesUsed * sizeof(TreeEdge) + pools->familyPool.used * perFamily +
	       pools->vertexPool.used * sizeof(TreeVertex);
}
