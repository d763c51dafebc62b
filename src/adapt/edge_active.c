// SPDX-License-Identifier: MIT
#include "adapt/edge.h"

// The triangles and edges of the active mesh are the leaves of the hierarchy. They are rebuilt in depth-first order,
// which keeps neighbours close in memory, or patched from the lists of a pass when few have changed.

// Interpolates a corner attribute, which is linear on the pattern triangle. The weighted sum is exact at corners, and
// gives a point on an edge the same value from both sides.
static Vec2 AtBarycentric(const Vec2* corner, uint32_t barycentric)
{
	const float scale = 1.0f / barycentricOne;
	int32_t one = (int32_t)(barycentric & 0xffff), two = (int32_t)(barycentric >> 16);
	DRAPE_ASSERT(one >= 0 && two >= 0 && one + two <= barycentricOne);
	float a = scale * (float)(barycentricOne - one - two), b = scale * (float)one, c = scale * (float)two;
	return (Vec2){
		a * corner[0].x + b * corner[1].x + c * corner[2].x,
		a * corner[0].y + b * corner[1].y + c * corner[2].y,
	};
}

// Distance of two points of a pattern triangle in the rest shape, m. Differences of barycentric coordinates are exact,
// so short edges are as precise as long ones.
static float BarycentricDistance(const Vec2* corner, uint32_t from, uint32_t to)
{
	const float scale = 1.0f / barycentricOne;
	float x = scale * (float)((int32_t)(to & 0xffff) - (int32_t)(from & 0xffff));
	float y = scale * (float)((int32_t)(to >> 16) - (int32_t)(from >> 16));
	Vec2 u = V2Sub(corner[1], corner[0]), v = V2Sub(corner[2], corner[0]);
	Vec2 d = {x * u.x + y * v.x, x * u.y + y * v.y};
	return sqrtf(V2Dot(d, d));
}

static void WriteTriangle(EdgeScheme* scheme, uint32_t index, uint32_t id)
{
	EdgePools* pools = scheme->pools;
	ActiveMesh* active = scheme->base.active;
	const PatternMesh* pattern = scheme->base.pattern;
	const TreeTriangle* triangle = &pools->triangles.data[id];
	const PatternCorners* corners = &pools->patternCorners.data[id];
	const Vec2* material = &pattern->material[3 * corners->pattern];
	DRAPE_ASSERT(index < active->triangleCapacity && corners->pattern < pattern->triangleCount);
	for (int k = 0; k < 3; ++k)
	{
		active->triangle[index][k] = pools->vertices.data[triangle->vertex[k]].particle;
		active->material[index].corner[k] = AtBarycentric(material, corners->corner[k]);
		if (active->hasTexcoords)
			active->texcoord[index].corner[k] =
				AtBarycentric(&pattern->texcoords[3 * corners->pattern], corners->corner[k]);
	}
	// PatternCorners_Fraction of the pattern triangle itself is 2^28.
	active->area[index] = (float)(scheme->areas[corners->pattern] * (double)PatternCorners_Fraction(corners) * 0x1p-28);
	active->bendSet[index] = (Vec4){0};
	active->triangleId[index] = id;
	active->patternTriangle[index] = corners->pattern;
	active->triangleLevel[index] = triangle->level;
	pools->triangleActive.data[id] = index;
}

// Rest length of an edge on one of its sides, m.
static float SideLength(const EdgeScheme* scheme, const TreeEdge* edge, int side)
{
	DRAPE_ASSERT(edge->half[side] >> 2 != triangleOutside);
	const PatternCorners* corners = &scheme->pools->patternCorners.data[edge->half[side] >> 2];
	const Vec2* material = &scheme->base.pattern->material[3 * corners->pattern];
	uint32_t k = edge->half[side] & 3;
	return BarycentricDistance(material, corners->corner[k], corners->corner[(k + 1) % 3]);
}

// Both sides agree except at a seam, which takes the mean (Simnett 2012, 4.3.1).
float drapeEdgeScheme_RestLength(const EdgeScheme* scheme, const TreeEdge* edge)
{
	float length = SideLength(scheme, edge, 0);
	return edge->flags & drape_edgeSeam ? 0.5f * (length + SideLength(scheme, edge, 1)) : length;
}

static void WriteEdge(EdgeScheme* scheme, uint32_t index, uint32_t id, float restLength)
{
	EdgePools* pools = scheme->pools;
	ActiveMesh* active = scheme->base.active;
	TreeEdge* edge = &pools->edges.data[id];
	DRAPE_ASSERT(index < active->edgeCapacity && !TreeEdge_IsSplit(edge));
	active->edgeFrom[index] = pools->vertices.data[edge->vertex[0]].particle;
	active->edgeTo[index] = pools->vertices.data[edge->vertex[1]].particle;
	active->wings[index] = (EdgeWings){.triangle = {DRAPE_NONE, DRAPE_NONE}, .opposite = {DRAPE_NONE, DRAPE_NONE}};
	active->restLength[index] = restLength;
	active->edgeId[index] = id;
	active->edgeLevel[index] = edge->level;
	active->edgeFlags[index] = edge->flags;
	edge->active = index;
}

// Links a triangle in its three edges.
static void LinkTriangle(EdgeScheme* scheme, uint32_t index)
{
	ActiveMesh* active = scheme->base.active;
	const TreeTriangle* triangle = &scheme->pools->triangles.data[active->triangleId[index]];
	for (uint32_t k = 0; k < 3; ++k)
	{
		uint32_t side = triangle->edge[k] & 1, e = scheme->pools->edges.data[triangle->edge[k] >> 1].active;
		DRAPE_ASSERT(e < active->edgeCount);
		active->wings[e].triangle[side] = index;
		active->wings[e].opposite[side] = active->triangle[index][(k + 2) % 3];
	}
}

static void WriteLeaves(EdgeScheme* scheme, uint32_t t)
{
	const EdgePools* pools = scheme->pools;
	ActiveMesh* active = scheme->base.active;
	const TreeTriangle* triangle = &pools->triangles.data[t];
	if (triangle->config != configWhole)
	{
		const uint8_t(*corner)[3] = pools->configs.corner[triangle->config];
		for (uint32_t slot = 0; slot < configSlots; ++slot)
		{
			if (corner[slot][0] != localNone)
				WriteLeaves(scheme, 4 * triangle->family + slot);
		}
		return;
	}
	uint32_t index = active->triangleCount++;
	WriteTriangle(scheme, index, t);
	const PatternCorners* corners = &pools->patternCorners.data[t];
	const Vec2* material = &scheme->base.pattern->material[3 * corners->pattern];
	for (int k = 0; k < 3; ++k)
	{
		if (triangle->edge[k] & 1)
			continue;
		// The data for the length on the left side is already loaded.
		const TreeEdge* edge = &pools->edges.data[triangle->edge[k] >> 1];
		float length = edge->flags & drape_edgeSeam
		                   ? drapeEdgeScheme_RestLength(scheme, edge)
		                   : BarycentricDistance(material, corners->corner[k], corners->corner[(k + 1) % 3]);
		WriteEdge(scheme, active->edgeCount++, triangle->edge[k] >> 1, length);
	}
}

void drapeEdgeScheme_RebuildActive(EdgeScheme* scheme)
{
	ActiveMesh* active = scheme->base.active;
	active->triangleCount = active->edgeCount = 0;
	for (uint32_t i = 0; i < scheme->base.pattern->triangleCount; ++i)
		WriteLeaves(scheme, scheme->triangles[i]);
	DRAPE_ASSERT(active->triangleCount <= active->triangleCapacity && active->edgeCount <= active->edgeCapacity);
	for (uint32_t i = 0; i < active->triangleCount; ++i)
		LinkTriangle(scheme, i);
}

// --- patching -------------------------------------------------------------------------------------------------------

// Index of new element `i`: the holes are filled first, then the array grows.
static uint32_t SlotOf(const uint32_t* holes, uint32_t holeCount, uint32_t count, uint32_t i)
{
	return i < holeCount ? holes[i] : count + (i - holeCount);
}

static void MoveTriangle(EdgeScheme* scheme, uint32_t to, uint32_t from)
{
	DRAPE_ASSERT(to < from);
	EdgePools* pools = scheme->pools;
	ActiveMesh* active = scheme->base.active;
	drapeActiveMesh_MoveTriangle(active, to, from);
	BitSet_Set(&active->log.trianglesTouched, to);
	BitSet_Set(&active->log.trianglesTouched, from);
	uint32_t id = active->triangleId[to];
	pools->triangleActive.data[id] = to;
	for (int k = 0; k < 3; ++k)
	{
		uint32_t reference = pools->triangles.data[id].edge[k], e = pools->edges.data[reference >> 1].active;
		if (e != DRAPE_NONE)
			active->wings[e].triangle[reference & 1] = to;
	}
}

static void PatchTriangles(EdgeScheme* scheme)
{
	ActiveMesh* active = scheme->base.active;
	const uint32_t *holes = scheme->removedTriangles.data, *created = scheme->createdTriangles.data;
	uint32_t holeCount = scheme->removedTriangles.count, createdCount = scheme->createdTriangles.count;
	uint32_t oldCount = active->triangleCount, last = oldCount;
	DRAPE_ASSERT(oldCount + createdCount >= holeCount);
	active->triangleCount = oldCount + createdCount - holeCount;
	for (uint32_t i = createdCount; i < holeCount; ++i)
		active->triangleId[holes[i]] = DRAPE_NONE;
	for (uint32_t i = 0; i < createdCount; ++i)
		WriteTriangle(scheme, SlotOf(holes, holeCount, oldCount, i), created[i]);
	for (uint32_t i = createdCount; i < holeCount; ++i)
	{
		if (holes[i] >= active->triangleCount)
			continue;
		do
			last--;
		while (active->triangleId[last] == DRAPE_NONE);
		MoveTriangle(scheme, holes[i], last);
	}
}

static void PatchEdges(EdgeScheme* scheme)
{
	ActiveMesh* active = scheme->base.active;
	const uint32_t *holes = scheme->removedEdges.data, *created = scheme->createdEdges.data;
	uint32_t holeCount = scheme->removedEdges.count, createdCount = scheme->createdEdges.count;
	uint32_t oldCount = active->edgeCount, last = oldCount;
	DRAPE_ASSERT(oldCount + createdCount >= holeCount);
	active->edgeCount = oldCount + createdCount - holeCount;
	for (uint32_t i = createdCount; i < holeCount; ++i)
		active->edgeId[holes[i]] = DRAPE_NONE;
	for (uint32_t i = 0; i < createdCount; ++i)
	{
		float length = drapeEdgeScheme_RestLength(scheme, &scheme->pools->edges.data[created[i]]);
		WriteEdge(scheme, SlotOf(holes, holeCount, oldCount, i), created[i], length);
	}
	for (uint32_t i = createdCount; i < holeCount; ++i)
	{
		if (holes[i] >= active->edgeCount)
			continue;
		do
			last--;
		while (active->edgeId[last] == DRAPE_NONE);
		drapeActiveMesh_MoveEdge(active, holes[i], last);
		BitSet_Set(&active->log.edgesTouched, holes[i]);
		BitSet_Set(&active->log.edgesTouched, last);
		scheme->pools->edges.data[active->edgeId[holes[i]]].active = holes[i];
	}
}

static void Touch(BitSet* touched, const uint32_t* indices, uint32_t count)
{
	for (uint32_t i = 0; i < count; ++i)
		BitSet_Set(touched, indices[i]);
}

void drapeEdgeScheme_PatchActive(EdgeScheme* scheme)
{
	ActiveMesh* active = scheme->base.active;
	ChangeLog* log = &active->log;
	BitSet_ClearAll(&log->trianglesTouched, active->triangleCapacity);
	BitSet_ClearAll(&log->edgesTouched, active->edgeCapacity);
	Touch(&log->trianglesTouched, scheme->removedTriangles.data, scheme->removedTriangles.count);
	Touch(&log->edgesTouched, scheme->removedEdges.data, scheme->removedEdges.count);
	PatchTriangles(scheme);
	PatchEdges(scheme);
	for (uint32_t i = 0; i < scheme->createdTriangles.count; ++i)
	{
		uint32_t id = scheme->createdTriangles.data[i], index = scheme->pools->triangleActive.data[id];
		LinkTriangle(scheme, index);
		BitSet_Set(&log->trianglesTouched, index);
		for (int k = 0; k < 3; ++k)
			BitSet_Set(&log->edgesTouched,
			           scheme->pools->edges.data[scheme->pools->triangles.data[id].edge[k] >> 1].active);
	}
}
