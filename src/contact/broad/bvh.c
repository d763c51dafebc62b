// SPDX-License-Identifier: MIT
#include "contact/broad/bvh.h"

#include "contact/broad/bvh_inner.h"
#include "contact/broad/order.h"

#include <float.h>

// Building and fitting. Queries are in bvh_pairs.c, bvh_segment.c and bvh_near.c, curvature culling in calm_tree.c.

enum
{
	fitPrimitives = 512,  // of a chunk: with any arity they fill whole blocks of some level
	sortPrimitives = 512, // of a chunk
};

void drapeBvh_Init(Bvh* bvh, uint32_t k, uint32_t arity)
{
	DRAPE_ASSERT(Kdop_AxisCount(k) > 0);
	DRAPE_ASSERT(arity == 2 || arity == 4 || arity == 8);
	*bvh = (Bvh){.k = k, .axisCount = Kdop_AxisCount(k), .shift = arity == 8 ? 3 : arity / 2};
}

void drapeBvh_Destroy(Bvh* bvh)
{
	ArrayFree(&bvh->order);
	ArrayFree(&bvh->corners);
	ArrayFree(&bvh->bounds);
	ArrayFree(&bvh->calm.inverse);
	ArrayFree(&bvh->calm.place);
	ArrayFree(&bvh->calm.strain);
	ArrayFree(&bvh->calm.isCulled);
	ArrayFree(&bvh->centres);
	ArrayFree(&bvh->keys);
	ArrayFree(&bvh->spare);
	ArrayFree(&bvh->written);
	*bvh = (Bvh){.k = bvh->k, .axisCount = bvh->axisCount, .shift = bvh->shift};
}

// --- layout ---------------------------------------------------------------------------------------------------------

static void LayOut(Bvh* bvh, uint32_t primitiveCount)
{
	uint32_t count = primitiveCount;
	bvh->primitiveCount = primitiveCount;
	bvh->levelCount = 0;
	bvh->blockCount = 0;
	while (primitiveCount > 0)
	{
		uint32_t level = bvh->levelCount++;
		DRAPE_ASSERT(level < bvhMaxLevels);
		bvh->nodeCount[level] = count;
		bvh->firstBlock[level] = bvh->blockCount;
		bvh->blockCount += Bvh_BlockCount(bvh, level);
		if (count == 1 && level > 0)
			break;
		count = (count + (1u << bvh->shift) - 1) >> bvh->shift;
	}
}

static bool Reserve(Bvh* bvh, const Primitives* primitives, bool charts)
{
	if (primitives->count == 0)
		return true;
	size_t leaves = Bvh_BlockCount(bvh, 0), blocks = bvh->blockCount;
	bool done =
		ArrayReserve(&bvh->order, leaves * 8) && ArrayReserve(&bvh->corners, leaves * primitives->cornerCount * 8) &&
		ArrayReserve(&bvh->bounds, blocks * bvh->axisCount * 16) && ArrayReserve(&bvh->centres, primitives->count) &&
		ArrayReserve(&bvh->keys, primitives->count) && ArrayReserve(&bvh->spare, primitives->count) &&
		ArrayReserve(&bvh->written, TaskPool_ChunkCount(primitives->count, fitPrimitives));
	if (!charts)
		return done;
	return done && ArrayReserve(&bvh->calm.inverse, leaves * 32) &&
	       ArrayReserve(&bvh->calm.place, blocks * cullingChartRows * 8) &&
	       ArrayReserve(&bvh->calm.strain, blocks * cullingStrainRows * 8) &&
	       ArrayReserve(&bvh->calm.isCulled, blocks * 8);
}

// Lanes that no node will ever write hold nothing.
static void ClearRows(float* rows, size_t count)
{
	for (size_t i = 0; i < count; ++i)
		F8_Store(rows + 8 * i, F8_Splat(i % 2 ? -INFINITY : INFINITY));
}

static void ClearTails(const Bvh* bvh, float* rows, uint32_t rowCount)
{
	for (uint32_t level = 0; level < bvh->levelCount; ++level)
	{
		uint32_t last = bvh->firstBlock[level] + Bvh_BlockCount(bvh, level) - 1;
		ClearRows(rows + (size_t)last * rowCount * 8, rowCount);
	}
}

// --- order ----------------------------------------------------------------------------------------------------------

typedef struct BvhLoop
{
	Bvh* bvh;
	const Primitives* primitives;
	const Charts* charts;
	float slack; // m; below zero to write all bounds
} BvhLoop;

static void CentreTask(uint32_t start, uint32_t end, uint32_t worker, void* taskContext)
{
	(void)worker;
	const BvhLoop* loop = taskContext;
	const Primitives* primitives = loop->primitives;
	Vec4* centres = loop->bvh->centres.data;
	for (uint32_t i = start; i < end; ++i)
	{
		Vec4 sum = primitives->to[Primitives_Corner(primitives, i, 0)];
		for (uint32_t c = 1; c < primitives->cornerCount; ++c)
		{
			Vec4 p = primitives->to[Primitives_Corner(primitives, i, c)];
			sum = (Vec4){sum.x + p.x, sum.y + p.y, sum.z + p.z, 0.0f};
		}
		centres[i] = sum;
	}
}

// Charts are as good as space for one that has none: many charts would leave too few bits for the places in them.
static void ChartCentres(Bvh* bvh, const Charts* charts)
{
	for (uint32_t i = 0; i < bvh->primitiveCount; ++i)
	{
		const Vec4* p = charts->place.data + 3 * (size_t)i;
		bvh->centres.data[i] = (Vec4){p[0].x + p[1].x + p[2].x, p[0].y + p[1].y + p[2].y, p[0].z, 0.0f};
	}
}

static void SortPrimitives(BvhLoop* loop, BvhOrder order, TaskPool* tasks)
{
	Bvh* bvh = loop->bvh;
	uint64_t* keys = bvh->keys.data;
	uint32_t count = bvh->primitiveCount;
	bool byChart = order == bvhChart && loop->charts->chartCount <= orderMaxCharts;
	if (byChart)
		ChartCentres(bvh, loop->charts);
	else
		drapeTaskPool_For(tasks, count, sortPrimitives, CentreTask, loop);
	if (order == bvhSplit)
	{
		for (uint32_t i = 0; i < count; ++i)
			keys[i] = i;
		drapeOrder_Split(keys, bvh->centres.data, count, bvh->shift, tasks);
		return;
	}
	if (byChart)
		drapeOrder_ChartKeys(keys, bvh->centres.data, count);
	else
		drapeOrder_MortonKeys(keys, bvh->centres.data, count, tasks);
	drapeOrder_Sort(keys, bvh->spare.data, count);
}

// Primitives and corners of places [start, end) by the sorted keys, blank lanes after the last one.
static void PlaceTask(uint32_t start, uint32_t end, uint32_t worker, void* taskContext)
{
	(void)worker;
	const BvhLoop* loop = taskContext;
	const Primitives* primitives = loop->primitives;
	Bvh* bvh = loop->bvh;
	uint32_t perBlock = 8 * primitives->cornerCount;
	for (uint32_t place = start; place < end + (8 - end % 8) % 8; ++place)
	{
		uint32_t primitive = (uint32_t)bvh->keys.data[MinU32(place, bvh->primitiveCount - 1)];
		uint32_t* lane = bvh->corners.data + (size_t)(place / 8) * perBlock + place % 8;
		bvh->order.data[place] = primitive;
		for (uint32_t c = 0; c < primitives->cornerCount; ++c)
			lane[8 * c] = Primitives_Corner(primitives, primitive, c);
	}
	if (bvh->hasCharts)
		drapeSelfCulling_Place(bvh, loop->charts, start / 8, TaskPool_ChunkCount(end, 8));
}

// --- fitting --------------------------------------------------------------------------------------------------------

// Bounds of the eight primitives of a block. A coordinate that is no number is passed over, and bounds are never NaN: the
// bounds of nodes would lose everything else in them.
typedef struct BlockFit
{
	F8 low[kdopMaxAxes], high[kdopMaxAxes];
	F8 size; // of their coordinates, for rounding
} BlockFit;

DRAPE_INLINE void AddCorner(BlockFit* fit, uint32_t k, V8 p)
{
	F8 along[kdopMaxAxes];
	Kdop_Project8(k, p, along);
	for (uint32_t a = 0; a < k / 2; ++a)
	{
		fit->low[a] = F8_Min(along[a], fit->low[a]);
		fit->high[a] = F8_Max(along[a], fit->high[a]);
	}
	fit->size = F8_Max(F8_Add(F8_Abs(p.x), F8_Add(F8_Abs(p.y), F8_Abs(p.z))), fit->size);
}

// Lanes that hold a node in a block of a level.
static M8 UsedLanes(uint32_t nodeCount, uint32_t block)
{
	static const float lanes[8] = {0, 1, 2, 3, 4, 5, 6, 7};
	return F8_Lt(F8_Load(lanes), F8_Splat((float)MinU32(8, nodeCount - 8 * block)));
}

DRAPE_INLINE void FitBlock(const Bvh* bvh, const Primitives* primitives, uint32_t k, uint32_t block, BlockFit* fit)
{
	const uint32_t* corners = bvh->corners.data + (size_t)block * bvh->cornerCount * 8;
	fit->size = F8_Splat(0.0f);
	for (uint32_t a = 0; a < k / 2; ++a)
	{
		fit->low[a] = F8_Splat(INFINITY);
		fit->high[a] = F8_Splat(-INFINITY);
	}
	for (uint32_t c = 0; c < bvh->cornerCount; ++c)
	{
		AddCorner(fit, k, V8_Gather(primitives->to, corners + 8 * c));
		if (primitives->from != primitives->to)
			AddCorner(fit, k, V8_Gather(primitives->from, corners + 8 * c));
	}
}

DRAPE_INLINE void Grow(BlockFit* fit, uint32_t k, float margin, M8 used)
{
	F8 slop = F8_Mul(fit->size, F8_Splat(KDOP_ROUNDING));
	for (uint32_t a = 0; a < k / 2; ++a)
	{
		F8 grow = F8_Add(F8_Splat(Kdop_AxisLength(k, a) * margin), slop);
		F8 low = F8_Max(F8_Sub(fit->low[a], grow), F8_Splat(-FLT_MAX));
		F8 high = F8_Min(F8_Add(fit->high[a], grow), F8_Splat(FLT_MAX));
		fit->low[a] = F8_Blend(used, low, F8_Splat(INFINITY));
		fit->high[a] = F8_Blend(used, high, F8_Splat(-INFINITY));
	}
}

DRAPE_INLINE void StoreBlock(const BlockFit* fit, uint32_t k, float* rows)
{
	for (uint32_t a = 0; a < k / 2; ++a)
	{
		F8_Store(rows + 16 * a, fit->low[a]);
		F8_Store(rows + 16 * a + 8, fit->high[a]);
	}
}

// Whether stored bounds hold these, all lanes of them.
DRAPE_INLINE bool Holds(const float* rows, const BlockFit* fit, uint32_t k)
{
	uint32_t held = 0xff;
	for (uint32_t a = 0; a < k / 2; ++a)
		held &= M8_Bits(
			M8_And(F8_Le(F8_Load(rows + 16 * a), fit->low[a]), F8_Le(fit->high[a], F8_Load(rows + 16 * a + 8))));
	return held == 0xff;
}

// Bounds of the nodes above a block.
void drapeBvh_Raise(const Bvh* bvh, float* rows, uint32_t rowCount, uint32_t level, uint32_t block)
{
	const float* child = rows + (size_t)(bvh->firstBlock[level] + block) * rowCount * 8;
	uint32_t arity = 1u << bvh->shift, node = 8 * block >> bvh->shift;
	float* parent = rows + (size_t)(bvh->firstBlock[level + 1] + node / 8) * rowCount * 8 + node % 8;
	if (arity == 8)
	{
		for (uint32_t row = 0; row < rowCount; row += 2)
		{
			parent[8 * row] = F8_MinLanes(F8_Load(child + 8 * row));
			parent[8 * row + 8] = F8_MaxLanes(F8_Load(child + 8 * row + 8));
		}
		return;
	}
	for (uint32_t row = 0; row < rowCount; ++row)
	{
		for (uint32_t lane = 0; lane < 8; ++lane)
		{
			float* above = &parent[8 * row + (lane >> bvh->shift)];
			float value = child[8 * row + lane];
			if (lane % arity == 0)
				*above = value;
			else
				*above = row % 2 ? fmaxf(*above, value) : fminf(*above, value);
		}
	}
}

Kdop drapeBvh_BoundsOf(const Primitives* primitives, uint32_t primitive, uint32_t k)
{
	Kdop dop = Kdop_Empty();
	float size = 0.0f;
	for (uint32_t c = 0; c < 2 * primitives->cornerCount; ++c)
	{
		float along[kdopMaxAxes];
		Vec3 p = V4Xyz((c % 2 ? primitives->from : primitives->to)[Primitives_Corner(primitives, primitive, c / 2)]);
		Kdop_Project(k, p, along);
		size = fmaxf(size, fabsf(p.x) + (fabsf(p.y) + fabsf(p.z)));
		for (uint32_t a = 0; a < k / 2; ++a)
		{
			dop.low[a] = fminf(dop.low[a], along[a]);
			dop.high[a] = fmaxf(dop.high[a], along[a]);
		}
	}
	for (uint32_t a = 0; a < k / 2; ++a)
	{
		float grow = Kdop_AxisLength(k, a) * primitives->margin + size * KDOP_ROUNDING;
		dop.low[a] = fmaxf(dop.low[a] - grow, -FLT_MAX);
		dop.high[a] = fminf(dop.high[a] + grow, FLT_MAX);
	}
	return dop;
}

// Levels whose blocks lie in one chunk: 64 blocks of primitives, then 64 >> shift, and so on down to one.
static uint32_t ChunkLevels(const Bvh* bvh)
{
	return 6 / bvh->shift + 1;
}

static void RaiseAll(Bvh* bvh, uint32_t level, uint32_t block, bool bounds)
{
	if (bounds)
		drapeBvh_Raise(bvh, bvh->bounds.data, 2 * bvh->axisCount, level, block);
	if (bvh->hasCharts)
		drapeBvh_Raise(bvh, bvh->calm.strain.data, cullingStrainRows, level, block);
}

// Returns whether the stored bounds of the block changed. Written for one k at a time: all axes are in registers then.
DRAPE_INLINE bool FitPrimitiveBlockOf(uint32_t k, const BvhLoop* loop, uint32_t block)
{
	const Bvh* bvh = loop->bvh;
	BlockFit fit;
	M8 used = UsedLanes(bvh->primitiveCount, block);
	float* rows = bvh->bounds.data + (size_t)block * k * 8;
	FitBlock(bvh, loop->primitives, k, block, &fit);
	Grow(&fit, k, loop->primitives->margin, used);
	if (loop->slack >= 0.0f)
	{
		if (Holds(rows, &fit, k))
			return false;
		Grow(&fit, k, loop->slack, used);
	}
	StoreBlock(&fit, k, rows);
	return true;
}

static bool FitPrimitiveBlock(const BvhLoop* loop, uint32_t block)
{
	if (loop->bvh->hasCharts)
		drapeSelfCulling_Strain(loop->bvh, loop->primitives, block);
	switch (loop->bvh->k)
	{
		case 6:
			return FitPrimitiveBlockOf(6, loop, block);
		case 14:
			return FitPrimitiveBlockOf(14, loop, block);
		case 18:
			return FitPrimitiveBlockOf(18, loop, block);
		default:
			return FitPrimitiveBlockOf(26, loop, block);
	}
}

// A chunk fits its primitives and all nodes that have none but them.
static void FitTask(uint32_t start, uint32_t end, uint32_t worker, void* taskContext)
{
	(void)worker;
	const BvhLoop* loop = taskContext;
	Bvh* bvh = loop->bvh;
	uint32_t written = 0;
	for (uint32_t block = start / 8; block <= (end - 1) / 8; ++block)
		written += FitPrimitiveBlock(loop, block);
	bvh->written.data[start / fitPrimitives] = written;
	for (uint32_t level = 0; level < ChunkLevels(bvh) && level + 1 < bvh->levelCount; ++level)
	{
		uint32_t first = (start >> bvh->shift * level) / 8, last = ((end - 1) >> bvh->shift * level) / 8;
		for (uint32_t block = first; block <= last; ++block)
			RaiseAll(bvh, level, block, written > 0);
	}
}

// Fits everything. Without slack (below zero) all bounds are written. Returns the blocks of primitives written.
static uint32_t FitAll(Bvh* bvh, const Primitives* primitives, float slack, TaskPool* tasks)
{
	DRAPE_ASSERT(primitives->count == bvh->primitiveCount);
	DRAPE_ASSERT(primitives->cornerCount == bvh->cornerCount || bvh->primitiveCount == 0);
	uint32_t written = 0;
	BvhLoop loop = {.bvh = bvh, .primitives = primitives, .slack = slack};
	drapeTaskPool_For(tasks, bvh->primitiveCount, fitPrimitives, FitTask, &loop);
	for (uint32_t i = 0; i < TaskPool_ChunkCount(bvh->primitiveCount, fitPrimitives); ++i)
		written += bvh->written.data[i];
	for (uint32_t level = ChunkLevels(bvh); level + 1 < bvh->levelCount; ++level)
	{
		for (uint32_t block = 0; block < Bvh_BlockCount(bvh, level); ++block)
			RaiseAll(bvh, level, block, written > 0);
	}
	if (bvh->hasCharts && bvh->primitiveCount > 0)
		drapeSelfCulling_Mark(bvh, tasks);
	return written;
}

void drapeBvh_Refit(Bvh* bvh, const Primitives* primitives, TaskPool* tasks)
{
	FitAll(bvh, primitives, -1.0f, tasks);
}

uint32_t drapeBvh_RefitLazy(Bvh* bvh, const Primitives* primitives, float slack, TaskPool* tasks)
{
	DRAPE_ASSERT(slack >= 0.0f);
	return FitAll(bvh, primitives, slack, tasks);
}

// --- building -------------------------------------------------------------------------------------------------------

// After `keys` are in order.
static void Settle(BvhLoop* loop, TaskPool* tasks)
{
	Bvh* bvh = loop->bvh;
	drapeTaskPool_For(tasks, bvh->primitiveCount, sortPrimitives, PlaceTask, loop);
	for (uint32_t level = 0; bvh->hasCharts && level + 1 < bvh->levelCount; ++level)
	{
		for (uint32_t block = 0; block < Bvh_BlockCount(bvh, level); ++block)
			drapeBvh_Raise(bvh, bvh->calm.place.data, cullingChartRows, level, block);
	}
	FitAll(bvh, loop->primitives, -1.0f, tasks);
}

bool drapeBvh_Build(Bvh* bvh, const Primitives* primitives, const Charts* charts, BvhOrder order, TaskPool* tasks)
{
	DRAPE_ASSERT(primitives->count <= DRAPE_MAX_ELEMENTS);
	DRAPE_ASSERT(primitives->cornerCount >= 1 && primitives->cornerCount <= 3);
	DRAPE_ASSERT(charts || order != bvhChart);
	DRAPE_ASSERT(!charts || (primitives->cornerCount == 3 && charts->triangleCount == primitives->count));
	LayOut(bvh, primitives->count);
	bvh->cornerCount = primitives->cornerCount;
	bvh->hasCharts = charts != NULL;
	if (!Reserve(bvh, primitives, charts != NULL))
	{
		LayOut(bvh, 0);
		return false;
	}
	if (primitives->count == 0)
		return true;
	ClearTails(bvh, bvh->bounds.data, 2 * bvh->axisCount);
	if (charts)
	{
		ClearTails(bvh, bvh->calm.place.data, cullingChartRows);
		ClearTails(bvh, bvh->calm.strain.data, cullingStrainRows);
	}
	BvhLoop loop = {.bvh = bvh, .primitives = primitives, .charts = charts};
	SortPrimitives(&loop, order, tasks);
	Settle(&loop, tasks);
	bvh->builtCost = drapeBvh_Cost(bvh);
	return true;
}

bool drapeBvh_Update(Bvh* bvh, const Primitives* primitives, const Charts* charts, BvhOrder order, bool changed,
                     TaskPool* tasks)
{
	if (changed || primitives->count != bvh->primitiveCount || primitives->cornerCount != bvh->cornerCount)
		return drapeBvh_Build(bvh, primitives, charts, order, tasks);
	drapeBvh_Refit(bvh, primitives, tasks);
	if (order == bvhChart || !(drapeBvh_Cost(bvh) > 2.0f * bvh->builtCost))
		return true;
	return drapeBvh_Build(bvh, primitives, charts, order, tasks);
}

void drapeBvh_RebuildPart(Bvh* bvh, const Primitives* primitives, const Charts* charts, uint32_t level, uint32_t node,
                          TaskPool* tasks)
{
	DRAPE_ASSERT(level < bvh->levelCount && node < bvh->nodeCount[level]);
	DRAPE_ASSERT(bvh->hasCharts == (charts != NULL));
	BvhLoop loop = {.bvh = bvh, .primitives = primitives, .charts = charts};
	uint32_t first = node << bvh->shift * level;
	uint32_t count = MinU32(bvh->primitiveCount - first, 1u << bvh->shift * level);
	for (uint32_t i = 0; i < bvh->primitiveCount; ++i)
		bvh->keys.data[i] = bvh->order.data[i];
	drapeTaskPool_For(tasks, bvh->primitiveCount, sortPrimitives, CentreTask, &loop);
	drapeOrder_Split(bvh->keys.data + first, bvh->centres.data, count, bvh->shift, tasks);
	Settle(&loop, tasks);
}

float drapeBvh_Cost(const Bvh* bvh)
{
	if (bvh->primitiveCount == 0)
		return 0.0f;
	double sum = 0.0;
	for (uint32_t block = 0; block < Bvh_BlockCount(bvh, 1); ++block)
	{
		const float* rows = Bvh_Bounds(bvh, 1, block);
		for (uint32_t lane = 0; lane < MinU32(8, bvh->nodeCount[1] - 8 * block); ++lane)
		{
			for (uint32_t a = 0; a < 3; ++a)
				sum += (double)rows[16 * a + 8 + lane] - (double)rows[16 * a + lane];
		}
	}
	return (float)(sum / bvh->nodeCount[1]);
}
