// SPDX-License-Identifier: MIT
#include "contact/broad/self_culling.h"

#include "contact/broad/bvh_inner.h"
#include "contact/broad/order.h"

#include <string.h>

// Tolerance of equal coordinates, as a fraction of an edge's length or a chart's size.
static const float sameLength = 1e-5f;

void drapeCharts_Free(Charts* charts)
{
	ArrayFree(&charts->chart);
	ArrayFree(&charts->hullEnd);
	ArrayFree(&charts->hull);
	ArrayFree(&charts->overlaps);
	ArrayFree(&charts->material);
	ArrayFree(&charts->isCut);
	*charts = (Charts){0};
}

void drapeCharts_Borrow(Charts* charts)
{
	ArrayBorrow(&charts->chart);
	ArrayBorrow(&charts->hullEnd);
	ArrayBorrow(&charts->hull);
	ArrayBorrow(&charts->overlaps);
	ArrayBorrow(&charts->material);
	ArrayBorrow(&charts->isCut);
}

// Returns whether both sides of an edge agree on the material coordinates of its ends.
static bool Agree(Vec2 fromA, Vec2 toA, Vec2 fromB, Vec2 toB)
{
	Vec2 along = V2Sub(toA, fromA), from = V2Sub(fromB, fromA), to = V2Sub(toB, toA);
	float allowed = sameLength * sameLength * V2Dot(along, along);
	return V2Dot(from, from) <= allowed && V2Dot(to, to) <= allowed;
}

static bool IsContinuous(const PatternMesh* pattern, uint32_t index)
{
	const PatternEdge* edge = &pattern->edges[index];
	if (edge->half[1] == DRAPE_NONE)
		return false;
	const Vec2* a = pattern->material + 3 * (size_t)(edge->half[0] >> 2);
	const Vec2* b = pattern->material + 3 * (size_t)(edge->half[1] >> 2);
	uint32_t i = edge->half[0] & 3, j = edge->half[1] & 3;
	return Agree(a[i], a[(i + 1) % 3], b[(j + 1) % 3], b[j]);
}

// --- connected parts -------------------------------------------------------------------------------------------------

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
		if (!IsContinuous(pattern, i))
			continue;
		uint32_t a = FindRoot(chart, pattern->edges[i].half[0] >> 2),
				 b = FindRoot(chart, pattern->edges[i].half[1] >> 2);
		chart[MaxU32(a, b)] = MinU32(a, b);
	}
	// The root of a chart is its first triangle. Roots get a number with a mark, and the others copy it.
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
	ARRAY(OutlinePoint) points; // both ends of every cut, on each of its sides
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
		if (IsContinuous(pattern, i))
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

// Sorts by chart, then u, then v: three stable sorts.
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

// Adds a point to the chain from `start` on and keeps it turning left.
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
	DRAPE_ASSERT(first <= end && end <= outline->points.count);
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

// Returns whether all of a chart lies on the left of an edge, up to rounding.
static bool IsOnHull(const Charts* charts, uint32_t chart, Vec2 from, Vec2 to)
{
	DRAPE_ASSERT(chart < charts->hullEnd.count);
	uint32_t first = chart > 0 ? charts->hullEnd.data[chart - 1] : 0;
	double length = drapeMath_Hypot((double)to.x - (double)from.x, (double)to.y - (double)from.y);
	for (uint32_t i = first; i < charts->hullEnd.data[chart]; ++i)
	{
		Vec2 p = charts->hull.data[i];
		double distance = Turn(from, to, p); // times the length of the edge
		double offset = fabs((double)p.x - (double)from.x) + fabs((double)p.y - (double)from.y);
		if (!(distance >= -(double)sameLength * length * (offset + length)))
			return false;
	}
	return true;
}

// --- charts that overlap themselves ---------------------------------------------------------------------------------

// A chart that unrolls to more than a full turn covers a part of the plane twice. Then a triangle contains the centre
// of another one. Parts that overlap by less than a triangle have cuts in the overlap, which prevent culling there.
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
	done = done && drapeBvh_Build(&tree, &primitives, bvhMorton, tasks) &&
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

// Returns the corner at which the triangle's edge between two particles begins.
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

// Returns whether it is a cut.
static bool MarkCut(Charts* charts, const ActiveMesh* mesh, uint32_t triangle, uint32_t k)
{
	DRAPE_ASSERT(triangle < mesh->triangleCount && k < 3);
	const Vec2* corner = mesh->material[triangle].corner;
	uint32_t chart = charts->chart.data[mesh->patternTriangle[triangle]];
	if (IsOnHull(charts, chart, corner[k], corner[(k + 1) % 3]))
		return false;
	charts->material.data[3 * (size_t)triangle].w = 1.0f;
	return true;
}

static void MarkEdge(Charts* charts, const ActiveMesh* mesh, uint32_t edge)
{
	DRAPE_ASSERT(edge < mesh->edgeCount);
	uint32_t a = mesh->wings[edge].triangle[0], b = mesh->wings[edge].triangle[1];
	if (b != DRAPE_NONE && mesh->patternTriangle[a] == mesh->patternTriangle[b])
		return;
	uint32_t from = mesh->edgeFrom[edge], to = mesh->edgeTo[edge];
	uint32_t i = CornerOf(mesh->triangle[a], from, to);
	if (b == DRAPE_NONE)
	{
		if (MarkCut(charts, mesh, a, i))
			charts->isCut.data[from] = charts->isCut.data[to] = 1;
		return;
	}
	uint32_t j = CornerOf(mesh->triangle[b], from, to);
	const Vec2 *p = mesh->material[a].corner, *q = mesh->material[b].corner;
	if (Agree(p[i], p[(i + 1) % 3], q[(j + 1) % 3], q[j]))
		return;
	MarkCut(charts, mesh, a, i);
	MarkCut(charts, mesh, b, j);
	charts->isCut.data[from] = charts->isCut.data[to] = 1;
}

bool drapeCharts_Update(Charts* charts, const ActiveMesh* mesh)
{
	if (!ArrayReserve(&charts->material, 3 * (size_t)mesh->triangleCount) ||
	    !ArrayReserve(&charts->isCut, mesh->particleCount))
		return false;
	charts->isCut.count = mesh->particleCount;
	memset(charts->isCut.data, 0, mesh->particleCount);
	charts->triangleCount = mesh->triangleCount;
	charts->material.count = 3 * mesh->triangleCount;
	for (uint32_t i = 0; i < mesh->triangleCount; ++i)
	{
		uint32_t chart = charts->chart.data[mesh->patternTriangle[i]];
		for (uint32_t k = 0; k < 3; ++k)
		{
			Vec2 at = mesh->material[i].corner[k];
			float cut = k == 0 && charts->overlaps.data[chart] ? 1.0f : 0.0f;
			charts->material.data[3 * (size_t)i + k] = (Vec4){at.x, at.y, (float)chart, cut};
		}
	}
	for (uint32_t i = 0; i < mesh->edgeCount; ++i)
		MarkEdge(charts, mesh, i);
	return true;
}

// --- tree -----------------------------------------------------------------------------------------------------------

enum
{
	cullingMaterialRows = 8, // u, v, chart, cut; low and high
	cullingStrainRows = 12,  // F column by column; low and high
	markNodes = 16,          // per chunk
	patchNodes = 8,          // per chunk
};

DRAPE_INLINE float Least(float a, float b, float c)
{
	float least = a < b ? a : b;
	return c < least ? c : least;
}

// Writes the material of one triangle of a block.
static void SetLane(ClothTree* tree, const Vec4* corner, uint32_t block, uint32_t lane)
{
	DRAPE_ASSERT(lane < 8);
	float* rows = tree->material.data + (size_t)block * cullingMaterialRows * 8 + lane;
	float* inverse = tree->inverse.data + (size_t)block * 32 + lane;
	rows[0] = Least(corner[0].x, corner[1].x, corner[2].x);
	rows[8] = -Least(-corner[0].x, -corner[1].x, -corner[2].x);
	rows[16] = Least(corner[0].y, corner[1].y, corner[2].y);
	rows[24] = -Least(-corner[0].y, -corner[1].y, -corner[2].y);
	rows[32] = rows[40] = corner[0].z;
	rows[48] = rows[56] = corner[0].w;
	Vec2 e1 = {corner[1].x - corner[0].x, corner[1].y - corner[0].y};
	Vec2 e2 = {corner[2].x - corner[0].x, corner[2].y - corner[0].y};
	float determinant = V2Cross(e1, e2), scale = 1.0f / determinant;
	// A zero deformation is never culled.
	bool good = determinant > 0.0f && isfinite(scale);
	inverse[0] = good ? e2.y * scale : 0.0f;
	inverse[8] = good ? -e2.x * scale : 0.0f;
	inverse[16] = good ? -e1.y * scale : 0.0f;
	inverse[24] = good ? e1.x * scale : 0.0f;
}

typedef struct CullingLoop
{
	ClothTree* tree;
	const Primitives* triangles;
	const Charts* charts;
	uint32_t level; // level of the nodes to mark
} CullingLoop;

static void MaterialTask(uint32_t start, uint32_t end, uint32_t worker, void* taskContext)
{
	(void)worker;
	const CullingLoop* loop = taskContext;
	const Bvh* bvh = &loop->tree->bvh;
	for (uint32_t slot = start; slot < end; ++slot)
		SetLane(loop->tree, loop->charts->material.data + 3 * (size_t)bvh->order.data[slot], slot / 8, slot % 8);
	drapeBvh_RaiseChunk(bvh, loop->tree->material.data, cullingMaterialRows, start, end);
}

// Adds F of eight triangles to the intervals.
static void AddStrain(const Vec4* positions, const uint32_t* corners, const float* inverse, F8* low, F8* high)
{
	V8 origin = V8_Gather(positions, corners);
	V8 e1 = V8_Sub(V8_Gather(positions, corners + 8), origin);
	V8 e2 = V8_Sub(V8_Gather(positions, corners + 16), origin);
	V8 u = V8_Add(V8_Scale(F8_Load(inverse), e1), V8_Scale(F8_Load(inverse + 16), e2));
	V8 v = V8_Add(V8_Scale(F8_Load(inverse + 8), e1), V8_Scale(F8_Load(inverse + 24), e2));
	const F8 part[6] = {u.x, u.y, u.z, v.x, v.y, v.z};
	for (int i = 0; i < 6; ++i)
	{
		low[i] = F8_Min(low[i], part[i]);
		high[i] = F8_Max(high[i], part[i]);
	}
}

// Writes the deformation of the triangles of a block.
static void FitStrain(const ClothTree* tree, const Primitives* primitives, uint32_t block)
{
	const Bvh* bvh = &tree->bvh;
	const uint32_t* corners = bvh->corners.data + (size_t)block * 24;
	const float* inverse = tree->inverse.data + (size_t)block * 32;
	float* rows = tree->strain.data + (size_t)block * cullingStrainRows * 8;
	uint32_t used = MinU32(8, bvh->primitiveCount - 8 * block);
	F8 low[6], high[6];
	for (int i = 0; i < 6; ++i)
	{
		low[i] = F8_Splat(INFINITY);
		high[i] = F8_Splat(-INFINITY);
	}
	AddStrain(primitives->to, corners, inverse, low, high);
	if (primitives->from != primitives->to)
		AddStrain(primitives->from, corners, inverse, low, high);
	for (int i = 0; i < 6; ++i)
	{
		F8_Store(rows + 16 * i, low[i]);
		F8_Store(rows + 16 * i + 8, high[i]);
	}
	for (uint32_t lane = used; lane < 8; ++lane)
	{
		for (uint32_t i = 0; i < 6; ++i)
		{
			rows[16 * i + lane] = INFINITY;
			rows[16 * i + 8 + lane] = -INFINITY;
		}
	}
}

static void StrainTask(uint32_t start, uint32_t end, uint32_t worker, void* taskContext)
{
	(void)worker;
	const CullingLoop* loop = taskContext;
	for (uint32_t block = start / 8; block <= (end - 1) / 8; ++block)
		FitStrain(loop->tree, loop->triangles, block);
	drapeBvh_RaiseChunk(&loop->tree->bvh, loop->tree->strain.data, cullingStrainRows, start, end);
}

// --- regions --------------------------------------------------------------------------------------------------------

// A rectangle of one chart, and the B that its triangles are tested with.
typedef struct Region
{
	float low[3], high[3]; // u, v, chart
	float b[6];            // column by column
	float least;           // the smallest eigenvalue that permits culling
} Region;

static void Region_SetB(Region* region, const float* b)
{
	double uu = 0.0, vv = 0.0, uv = 0.0;
	for (int i = 0; i < 3; ++i)
	{
		region->b[i] = b[i];
		region->b[i + 3] = b[i + 3];
		uu += (double)b[i] * (double)b[i];
		vv += (double)b[i + 3] * (double)b[i + 3];
		uv += (double)b[i] * (double)b[i + 3];
	}
	double largest = 0.5 * (uu + vv) + sqrt(0.25 * (uu - vv) * (uu - vv) + uv * uv);
	region->least = CULLING_RATIO * (float)sqrt(largest);
}

// Returns the lanes whose every F gives eigenvalues of at least `least` with B. Products are intervals: the test takes
// the smallest diagonal and the largest off-diagonal of the matrix [uu uv; uv vv].
static M8 HoldsWith(const Region* region, const float* rows)
{
	const F8 half = F8_Splat(0.5f);
	F8 uu = F8_Splat(0.0f), vv = uu, uv = uu, spread = uu;
	for (int i = 0; i < 3; ++i)
	{
		const float *u = rows + 16 * i, *v = rows + 16 * (i + 3);
		F8 uMiddle = F8_Mul(half, F8_Add(F8_Load(u), F8_Load(u + 8)));
		F8 vMiddle = F8_Mul(half, F8_Add(F8_Load(v), F8_Load(v + 8)));
		F8 uHalf = F8_Mul(half, F8_Sub(F8_Load(u + 8), F8_Load(u)));
		F8 vHalf = F8_Mul(half, F8_Sub(F8_Load(v + 8), F8_Load(v)));
		F8 bu = F8_Splat(region->b[i]), bv = F8_Splat(region->b[i + 3]);
		F8 absU = F8_Abs(bu), absV = F8_Abs(bv);
		uu = F8_Add(uu, F8_Sub(F8_Mul(bu, uMiddle), F8_Mul(absU, uHalf)));
		vv = F8_Add(vv, F8_Sub(F8_Mul(bv, vMiddle), F8_Mul(absV, vHalf)));
		uv = F8_Add(uv, F8_Add(F8_Mul(bu, vMiddle), F8_Mul(bv, uMiddle)));
		spread = F8_Add(spread, F8_Add(F8_Mul(absU, vHalf), F8_Mul(absV, uHalf)));
	}
	F8 off = F8_Mul(half, F8_Add(F8_Abs(uv), spread));
	F8 mean = F8_Mul(half, F8_Add(uu, vv)), difference = F8_Mul(half, F8_Sub(uu, vv));
	F8 root = F8_Sqrt(F8_Add(F8_Mul(difference, difference), F8_Mul(off, off)));
	return F8_Le(F8_Splat(region->least), F8_Sub(mean, root));
}

// Returns the lanes that overlap the region and fail the test. NaN fails.
static uint32_t FailingLanes(const ClothTree* tree, const Region* region, uint32_t level, uint32_t block)
{
	DRAPE_ASSERT(level < tree->bvh.levelCount);
	size_t index = tree->bvh.firstBlock[level] + block;
	const float* material = tree->material.data + index * cullingMaterialRows * 8;
	uint32_t lanes = Bvh_Overlaps(material, 3, region->low, region->high);
	if (lanes == 0)
		return 0;
	M8 whole = F8_Le(F8_Load(material + 56), F8_Splat(0.0f));
	M8 holds = HoldsWith(region, tree->strain.data + index * cullingStrainRows * 8);
	return lanes & ~M8_Bits(M8_And(whole, holds));
}

static bool Region_IsCulled(const ClothTree* tree, const Region* region)
{
	const Bvh* bvh = &tree->bvh;
	BvhNode stack[bvhStack];
	uint32_t depth = 0;
	stack[depth++] = Bvh_Root(bvh);
	while (depth > 0)
	{
		uint32_t block;
		BvhNode node = stack[--depth];
		uint32_t lanes = Bvh_Children(bvh, node, &block);
		lanes &= FailingLanes(tree, region, node.level - 1, block);
		if (lanes != 0 && node.level == 1)
			return false;
		while (lanes != 0)
			stack[depth++] = (BvhNode){node.level - 1, 8 * block + TakeBit(&lanes)};
	}
	return true;
}

static bool IsNodeCulled(const ClothTree* tree, uint32_t level, uint32_t node)
{
	DRAPE_ASSERT(level < tree->bvh.levelCount);
	uint32_t lane = node % 8;
	size_t block = tree->bvh.firstBlock[level] + node / 8;
	const float* material = tree->material.data + block * cullingMaterialRows * 8 + lane;
	const float* strain = tree->strain.data + block * cullingStrainRows * 8;
	Region region;
	float b[6];
	for (uint32_t i = 0; i < 3; ++i)
	{
		region.low[i] = material[16 * i];
		region.high[i] = material[16 * i + 8];
	}
	for (uint32_t i = 0; i < 6; ++i)
		b[i] = 0.5f * (strain[16 * i + lane] + strain[16 * i + 8 + lane]);
	if (!(material[56] <= 0.0f) || region.low[2] != region.high[2])
		return false;
	Region_SetB(&region, b);
	// With a B near zero every region would pass. Parts of the node may pass although its intervals as a whole fail.
	return region.least > 0x1p-20f && Region_IsCulled(tree, &region);
}

// Small nodes have no marks, because pairing their triangles is as cheap.
static uint32_t FirstLevel(const Bvh* bvh)
{
	return 6 / bvh->shift; // 64 triangles
}

static bool IsMarked(const ClothTree* tree, uint32_t level, uint32_t node)
{
	DRAPE_ASSERT(level < tree->bvh.levelCount);
	return tree->isCulled.data[8 * (size_t)tree->bvh.firstBlock[level] + node] != 0;
}

static void MarkTask(uint32_t start, uint32_t end, uint32_t worker, void* taskContext)
{
	(void)worker;
	const CullingLoop* loop = taskContext;
	const ClothTree* tree = loop->tree;
	const Bvh* bvh = &tree->bvh;
	uint32_t level = loop->level;
	uint8_t* isCulled = tree->isCulled.data + 8 * (size_t)bvh->firstBlock[level];
	for (uint32_t node = start; node < end; ++node)
	{
		bool above = level + 1 < bvh->levelCount && IsMarked(tree, level + 1, node >> bvh->shift);
		isCulled[node] = above || IsNodeCulled(tree, level, node);
	}
}

// Marks the culled nodes from the root down. The root is marked in any case, so that SelfPairs need not treat small
// trees specially.
static void MarkNodes(CullingLoop* loop, TaskPool* tasks)
{
	const Bvh* bvh = &loop->tree->bvh;
	uint32_t last = MinU32(FirstLevel(bvh), bvh->levelCount - 1);
	for (loop->level = bvh->levelCount; loop->level-- > last;)
		drapeTaskPool_For(tasks, bvh->nodeCount[loop->level], markNodes, MarkTask, loop);
}

// --- interface ------------------------------------------------------------------------------------------------------

void drapeClothTree_Init(ClothTree* tree, uint32_t k, uint32_t arity)
{
	*tree = (ClothTree){0};
	drapeBvh_Init(&tree->bvh, k, arity);
}

void drapeClothTree_Destroy(ClothTree* tree)
{
	drapeBvh_Destroy(&tree->bvh);
	ArrayFree(&tree->inverse);
	ArrayFree(&tree->material);
	ArrayFree(&tree->strain);
	ArrayFree(&tree->isCulled);
}

// Sorts along a curve through the material plane, chart by chart. With too many charts their numbers leave too few bits
// for the coordinates, and the Morton order is as good.
static void SortByChart(Bvh* bvh, const Primitives* triangles, const void* context, TaskPool* tasks)
{
	const Charts* charts = context;
	if (charts->chartCount > orderMaxCharts)
	{
		drapeBvh_SortMorton(bvh, triangles, NULL, tasks);
		return;
	}
	for (uint32_t i = 0; i < bvh->primitiveCount; ++i)
	{
		const Vec4* p = charts->material.data + 3 * (size_t)i;
		bvh->centres.data[i] = (Vec4){p[0].x + p[1].x + p[2].x, p[0].y + p[1].y + p[2].y, p[0].z, 0.0f};
	}
	drapeOrder_ChartKeys(bvh->keys.data, bvh->centres.data, bvh->primitiveCount);
	drapeOrder_Sort(bvh->keys.data, bvh->spare.data, bvh->primitiveCount);
}

static bool ReserveCulling(ClothTree* tree)
{
	if (tree->bvh.primitiveCount == 0)
		return true;
	size_t leaves = Bvh_BlockCount(&tree->bvh, 0), blocks = tree->bvh.blockCount;
	return ArrayReserve(&tree->inverse, leaves * 32) &&
	       ArrayReserve(&tree->material, blocks * cullingMaterialRows * 8) &&
	       ArrayReserve(&tree->strain, blocks * cullingStrainRows * 8) && ArrayReserve(&tree->isCulled, blocks * 8);
}

static void FitCulling(ClothTree* tree, const Primitives* triangles, TaskPool* tasks)
{
	CullingLoop loop = {.tree = tree, .triangles = triangles};
	if (tree->bvh.primitiveCount == 0)
		return;
	drapeTaskPool_For(tasks, tree->bvh.primitiveCount, bvhChunk, StrainTask, &loop);
	drapeBvh_RaiseTop(&tree->bvh, tree->strain.data, cullingStrainRows);
	MarkNodes(&loop, tasks);
}

bool drapeClothTree_Build(ClothTree* tree, const Primitives* triangles, const Charts* charts, TaskPool* tasks)
{
	DRAPE_ASSERT(triangles->cornerCount == 3 && charts->triangleCount == triangles->count);
	if (!drapeBvh_BuildSorted(&tree->bvh, triangles, SortByChart, charts, tasks))
		return false;
	if (!ReserveCulling(tree))
	{
		drapeBvh_Destroy(&tree->bvh); // leaves an empty tree of the same kind
		return false;
	}
	CullingLoop loop = {.tree = tree, .triangles = triangles, .charts = charts};
	drapeBvh_ClearTails(&tree->bvh, tree->material.data, cullingMaterialRows);
	drapeBvh_ClearTails(&tree->bvh, tree->strain.data, cullingStrainRows);
	drapeTaskPool_For(tasks, tree->bvh.primitiveCount, bvhChunk, MaterialTask, &loop);
	drapeBvh_RaiseTop(&tree->bvh, tree->material.data, cullingMaterialRows);
	FitCulling(tree, triangles, tasks);
	return true;
}

void drapeClothTree_Refit(ClothTree* tree, const Primitives* triangles, TaskPool* tasks)
{
	DRAPE_ASSERT(triangles->count == tree->bvh.primitiveCount && triangles->cornerCount == 3);
	drapeBvh_Refit(&tree->bvh, triangles, tasks);
	FitCulling(tree, triangles, tasks);
}

bool drapeClothTree_SelfPairs(const ClothTree* tree, PairList* list, TaskPool* tasks)
{
	const BvhSkip skip = {tree->isCulled.data, FirstLevel(&tree->bvh)};
	return drapeBvh_SelfPairs(&tree->bvh, &skip, list, tasks);
}

typedef struct PatchLoop
{
	const ClothTree* tree;
	uint32_t level; // level of the nodes of the loop
	uint32_t* patch;
} PatchLoop;

static void PatchTask(uint32_t start, uint32_t end, uint32_t worker, void* taskContext)
{
	(void)worker;
	const PatchLoop* loop = taskContext;
	const Bvh* bvh = &loop->tree->bvh;
	for (uint32_t node = start; node < end; ++node)
	{
		// All nodes below a culled node are culled. The topmost one names the patch.
		uint32_t level = loop->level, top = node, span = bvh->shift * level, patch = DRAPE_NONE;
		for (; level < bvh->levelCount && IsMarked(loop->tree, level, top); ++level, top >>= bvh->shift)
			patch = 8 * bvh->firstBlock[level] + top;
		uint32_t last = MinU32(bvh->primitiveCount, (node + 1) << span);
		for (uint32_t slot = node << span; slot < last; ++slot)
			loop->patch[bvh->order.data[slot]] = patch;
	}
}

void drapeClothTree_FindCulledPatches(const ClothTree* tree, uint32_t* patch, TaskPool* tasks)
{
	const Bvh* bvh = &tree->bvh;
	if (bvh->primitiveCount == 0)
		return;
	PatchLoop loop = {tree, MinU32(FirstLevel(bvh), bvh->levelCount - 1), patch};
	drapeTaskPool_For(tasks, bvh->nodeCount[loop.level], patchNodes, PatchTask, &loop);
}
