// SPDX-License-Identifier: MIT
#include "contact/broad/bvh.h"
#include "contact/broad/order.h"

// Charts of calm.h: which triangles go on in each other in the material plane, and which edges are cuts.

// Coordinates that differ by less, as part of an edge's length or of a chart's size, are the same.
static const float sameLength = 1e-5f;

void drapeCharts_Free(Charts* charts)
{
	ArrayFree(&charts->chart);
	ArrayFree(&charts->hullEnd);
	ArrayFree(&charts->hull);
	ArrayFree(&charts->overlaps);
	ArrayFree(&charts->place);
	*charts = (Charts){0};
}

// Whether an edge has the same ends in the material of both of its sides.
static bool Agree(Vec2 fromA, Vec2 toA, Vec2 fromB, Vec2 toB)
{
	Vec2 along = V2Sub(toA, fromA), from = V2Sub(fromB, fromA), to = V2Sub(toB, toA);
	float allowed = sameLength * sameLength * V2Dot(along, along);
	return V2Dot(from, from) <= allowed && V2Dot(to, to) <= allowed;
}

static bool EdgeGoesOn(const PatternMesh* pattern, uint32_t index)
{
	const PatternEdge* edge = &pattern->edges[index];
	if (edge->half[1] == DRAPE_NONE)
		return false;
	const Vec2* a = pattern->material + 3 * (size_t)(edge->half[0] >> 2);
	const Vec2* b = pattern->material + 3 * (size_t)(edge->half[1] >> 2);
	uint32_t i = edge->half[0] & 3, j = edge->half[1] & 3;
	return Agree(a[i], a[(i + 1) % 3], b[(j + 1) % 3], b[j]);
}

// --- pieces ---------------------------------------------------------------------------------------------------------

static uint32_t FindRoot(uint32_t* parent, uint32_t i)
{
	while (parent[i] != i)
	{
		parent[i] = parent[parent[i]];
		i = parent[i];
	}
	return i;
}

// Numbers the charts in the order of their first triangles.
static void FindCharts(Charts* charts, const PatternMesh* pattern)
{
	uint32_t* chart = charts->chart.data;
	for (uint32_t i = 0; i < pattern->triangleCount; ++i)
		chart[i] = i;
	for (uint32_t i = 0; i < pattern->edgeCount; ++i)
	{
		if (!EdgeGoesOn(pattern, i))
			continue;
		uint32_t a = FindRoot(chart, pattern->edges[i].half[0] >> 2),
				 b = FindRoot(chart, pattern->edges[i].half[1] >> 2);
		chart[MaxU32(a, b)] = MinU32(a, b);
	}
	// The root of a chart is its first triangle; numbers go to the roots first, marked, and from there to all.
	charts->chartCount = 0;
	for (uint32_t i = 0; i < pattern->triangleCount; ++i)
		chart[i] = FindRoot(chart, i);
	for (uint32_t i = 0; i < pattern->triangleCount; ++i)
		chart[i] = chart[i] == i ? charts->chartCount++ | 1u << 31 : chart[chart[i]];
	for (uint32_t i = 0; i < pattern->triangleCount; ++i)
		chart[i] &= ~(1u << 31);
}

// --- hulls ----------------------------------------------------------------------------------------------------------

typedef struct OutlinePoint
{
	Vec2 at;
	uint32_t chart;
} OutlinePoint;

typedef struct Outline
{
	ARRAY(OutlinePoint) points; // both ends of every cut, each of its sides
	ARRAY(uint64_t) keys, spare;
} Outline;

static void Outline_Free(Outline* outline)
{
	ArrayFree(&outline->points);
	ArrayFree(&outline->keys);
	ArrayFree(&outline->spare);
}

static bool CollectOutline(Outline* outline, const Charts* charts, const PatternMesh* pattern)
{
	for (uint32_t i = 0; i < pattern->edgeCount; ++i)
	{
		if (EdgeGoesOn(pattern, i))
			continue;
		if (!ArrayReserve(&outline->points, (size_t)outline->points.count + 4))
			return false;
		for (uint32_t side = 0; side < 2 && pattern->edges[i].half[side] != DRAPE_NONE; ++side)
		{
			uint32_t triangle = pattern->edges[i].half[side] >> 2, k = pattern->edges[i].half[side] & 3;
			const Vec2* material = pattern->material + 3 * (size_t)triangle;
			ArrayPush(&outline->points, ((OutlinePoint){material[k], charts->chart.data[triangle]}));
			ArrayPush(&outline->points, ((OutlinePoint){material[(k + 1) % 3], charts->chart.data[triangle]}));
		}
	}
	return ArrayReserve(&outline->keys, outline->points.count) && ArrayReserve(&outline->spare, outline->points.count);
}

// By chart, then u, then v: three sorts that keep what the last one did.
static void SortOutline(Outline* outline)
{
	uint32_t count = outline->points.count;
	for (uint32_t i = 0; i < count; ++i)
		outline->keys.data[i] = i;
	for (int pass = 0; pass < 3; ++pass)
	{
		for (uint32_t i = 0; i < count; ++i)
		{
			uint32_t index = (uint32_t)outline->keys.data[i];
			OutlinePoint p = outline->points.data[index];
			uint32_t key = pass == 2 ? p.chart : drapeOrder_SortableBits(pass == 1 ? p.at.x : p.at.y);
			outline->keys.data[i] = (uint64_t)key << 32 | index;
		}
		drapeOrder_Sort(outline->keys.data, outline->spare.data, count);
	}
}

static double Turn(Vec2 a, Vec2 b, Vec2 c)
{
	return ((double)b.x - (double)a.x) * ((double)c.y - (double)a.y) -
	       ((double)b.y - (double)a.y) * ((double)c.x - (double)a.x);
}

// Adds a point to the chain that begins at `start` and turns left only.
static void AddToChain(Charts* charts, uint32_t start, Vec2 p)
{
	while (charts->hull.count >= start + 2 &&
	       Turn(charts->hull.data[charts->hull.count - 2], charts->hull.data[charts->hull.count - 1], p) <= 0.0)
		charts->hull.count--;
	ArrayPush(&charts->hull, p);
}

// Andrew's monotone chains, over points [first, end) of the sorted outline: below from left to right, above back.
static void AddHull(Charts* charts, const Outline* outline, uint32_t first, uint32_t end)
{
	uint32_t start = charts->hull.count;
	for (uint32_t i = first; i < end; ++i)
		AddToChain(charts, start, outline->points.data[(uint32_t)outline->keys.data[i]].at);
	start = charts->hull.count - 1;
	for (uint32_t i = end; i-- > first;)
		AddToChain(charts, start, outline->points.data[(uint32_t)outline->keys.data[i]].at);
	charts->hull.count--; // the first point again
}

static bool FindHulls(Charts* charts, const PatternMesh* pattern)
{
	Outline outline = {0};
	bool done = CollectOutline(&outline, charts, pattern) &&
	            ArrayReserve(&charts->hull, 2 * (size_t)outline.points.count + 2) &&
	            ArrayReserve(&charts->hullEnd, charts->chartCount);
	if (done)
	{
		SortOutline(&outline);
		uint32_t next = 0;
		for (uint32_t chart = 0; chart < charts->chartCount; ++chart)
		{
			uint32_t first = next;
			while (next < outline.points.count && outline.keys.data[next] >> 32 == chart)
				next++;
			if (next > first)
				AddHull(charts, &outline, first, next);
			ArrayPush(&charts->hullEnd, charts->hull.count);
		}
	}
	Outline_Free(&outline);
	return done;
}

// Whether all of a chart lies on the left of an edge, but for rounding.
static bool IsOnHull(const Charts* charts, uint32_t chart, Vec2 from, Vec2 to)
{
	uint32_t first = chart > 0 ? charts->hullEnd.data[chart - 1] : 0;
	double length = hypot((double)to.x - (double)from.x, (double)to.y - (double)from.y);
	for (uint32_t i = first; i < charts->hullEnd.data[chart]; ++i)
	{
		Vec2 p = charts->hull.data[i];
		double distance = Turn(from, to, p); // times the length of the edge
		double away = fabs((double)p.x - (double)from.x) + fabs((double)p.y - (double)from.y);
		if (!(distance >= -(double)sameLength * length * (away + length)))
			return false;
	}
	return true;
}

// --- charts that lie upon themselves --------------------------------------------------------------------------------

// A chart that unrolls to more than a full turn covers some of the plane twice: then some triangle has the centre of
// another in it. Where two parts overlap by less than a triangle, their cuts are in the way.
static bool IsInside(const Vec4* corner, Vec3 p)
{
	for (int k = 0; k < 3; ++k)
	{
		Vec4 a = corner[k], b = corner[(k + 1) % 3];
		if (!(Turn((Vec2){a.x, a.y}, (Vec2){b.x, b.y}, (Vec2){p.x, p.y}) > 0.0))
			return false;
	}
	return true;
}

static bool MarkOverlapsIn(Charts* charts, const Bvh* tree, const Vec4* corners, PrimitiveList* found)
{
	for (uint32_t i = 0; i < tree->primitiveCount; ++i)
	{
		const Vec4* c = corners + 3 * (size_t)i;
		Vec3 centre = {(c[0].x + c[1].x + c[2].x) / 3.0f, (c[0].y + c[1].y + c[2].y) / 3.0f, c[0].z};
		Kdop dop = Kdop_Empty();
		Kdop_Add(&dop, 6, centre, 0.0f);
		found->primitives.count = 0;
		if (!drapeBvh_Query(tree, &dop, found))
			return false;
		for (uint32_t j = 0; j < found->primitives.count; ++j)
		{
			uint32_t other = found->primitives.data[j];
			if (other != i && charts->chart.data[other] == charts->chart.data[i] &&
			    IsInside(corners + 3 * (size_t)other, centre))
				charts->overlaps.data[charts->chart.data[i]] = 1;
		}
	}
	return true;
}

static bool FindOverlaps(Charts* charts, const PatternMesh* pattern, TaskPool* tasks)
{
	Bvh tree;
	PrimitiveList found = {0};
	ARRAY(Vec4) corners = {0};
	ARRAY(uint32_t) indices = {0};
	uint32_t count = 3 * pattern->triangleCount;
	drapeBvh_Init(&tree, 6, 8);
	bool done = ArrayReserve(&charts->overlaps, charts->chartCount) && ArrayReserve(&corners, count) &&
	            ArrayReserve(&indices, count);
	for (uint32_t i = 0; done && i < count; ++i)
	{
		Vec2 at = pattern->material[i];
		ArrayPush(&corners, ((Vec4){at.x, at.y, (float)charts->chart.data[i / 3], 0.0f}));
		ArrayPush(&indices, i);
	}
	while (done && charts->overlaps.count < charts->chartCount)
		ArrayPush(&charts->overlaps, 0);
	Primitives primitives = {corners.data, corners.data, indices.data, 3, pattern->triangleCount, 0.0f};
	done = done && drapeBvh_Build(&tree, &primitives, NULL, bvhMorton, tasks) &&
	       MarkOverlapsIn(charts, &tree, corners.data, &found);
	ArrayFree(&found.primitives);
	ArrayFree(&corners);
	ArrayFree(&indices);
	drapeBvh_Destroy(&tree);
	return done;
}

drapeResult drapeCharts_Create(Charts* charts, const PatternMesh* pattern, TaskPool* tasks)
{
	*charts = (Charts){0};
	if (ArrayReserve(&charts->chart, pattern->triangleCount))
	{
		charts->chart.count = pattern->triangleCount;
		FindCharts(charts, pattern);
		if (FindHulls(charts, pattern) && FindOverlaps(charts, pattern, tasks))
			return drape_ok;
	}
	drapeCharts_Free(charts);
	return drape_errorMemory;
}

// --- the active mesh ------------------------------------------------------------------------------------------------

// The corner where the triangle's edge between two particles begins.
static uint32_t CornerOf(const uint32_t* triangle, uint32_t from, uint32_t to)
{
	for (uint32_t k = 0; k < 2; ++k)
	{
		uint32_t a = triangle[k], b = triangle[k + 1];
		if ((a == from && b == to) || (a == to && b == from))
			return k;
	}
	return 2;
}

static void MarkCut(Charts* charts, const ActiveMesh* mesh, uint32_t triangle, uint32_t k)
{
	const Vec2* corner = mesh->material[triangle].corner;
	uint32_t chart = charts->chart.data[mesh->patternTriangle[triangle]];
	if (!IsOnHull(charts, chart, corner[k], corner[(k + 1) % 3]))
		charts->place.data[3 * (size_t)triangle].w = 1.0f;
}

static void MarkEdge(Charts* charts, const ActiveMesh* mesh, uint32_t edge)
{
	uint32_t a = mesh->wings[edge].triangle[0], b = mesh->wings[edge].triangle[1];
	if (b != DRAPE_NONE && mesh->patternTriangle[a] == mesh->patternTriangle[b])
		return;
	uint32_t from = mesh->edgeFrom[edge], to = mesh->edgeTo[edge];
	uint32_t i = CornerOf(mesh->triangle[a], from, to);
	if (b == DRAPE_NONE)
	{
		MarkCut(charts, mesh, a, i);
		return;
	}
	uint32_t j = CornerOf(mesh->triangle[b], from, to);
	const Vec2 *p = mesh->material[a].corner, *q = mesh->material[b].corner;
	if (Agree(p[i], p[(i + 1) % 3], q[(j + 1) % 3], q[j]))
		return;
	MarkCut(charts, mesh, a, i);
	MarkCut(charts, mesh, b, j);
}

bool drapeCharts_Update(Charts* charts, const ActiveMesh* mesh)
{
	if (!ArrayReserve(&charts->place, 3 * (size_t)mesh->triangleCount))
		return false;
	charts->triangleCount = mesh->triangleCount;
	charts->place.count = 3 * mesh->triangleCount;
	for (uint32_t i = 0; i < mesh->triangleCount; ++i)
	{
		uint32_t chart = charts->chart.data[mesh->patternTriangle[i]];
		for (uint32_t k = 0; k < 3; ++k)
		{
			Vec2 at = mesh->material[i].corner[k];
			float cut = k == 0 && charts->overlaps.data[chart] ? 1.0f : 0.0f;
			charts->place.data[3 * (size_t)i + k] = (Vec4){at.x, at.y, (float)chart, cut};
		}
	}
	for (uint32_t i = 0; i < mesh->edgeCount; ++i)
		MarkEdge(charts, mesh, i);
	return true;
}
