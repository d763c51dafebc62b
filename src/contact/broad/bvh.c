// SPDX-License-Identifier: MIT
#include "contact/broad/bvh.h"

#include <string.h>

#include "contact/broad/bvh_inner.h"
#include "contact/broad/order.h"

#include <float.h>

// Building and fitting. bvh_query.c has the queries.

enum
{
	sortPrimitives = 512, // per chunk
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

static bool Reserve(Bvh* bvh, const Primitives* primitives)
{
	if (primitives->count == 0)
		return true;
	size_t leaves = Bvh_BlockCount(bvh, 0), blocks = bvh->blockCount;
	return ArrayReserve(&bvh->order, leaves * 8) && ArrayReserve(&bvh->corners, leaves * primitives->cornerCount * 8) &&
	       ArrayReserve(&bvh->bounds, blocks * bvh->axisCount * 16) && ArrayReserve(&bvh->centres, primitives->count) &&
	       ArrayReserve(&bvh->keys, primitives->count) && ArrayReserve(&bvh->spare, primitives->count) &&
	       ArrayReserve(&bvh->written, TaskPool_ChunkCount(primitives->count, bvhChunk));
}

// Fills rows (low, high, low, ...) with empty intervals.
static void ClearRows(float* rows, size_t count)
{
	for (size_t i = 0; i < count; ++i)
		F8_Store(rows + 8 * i, F8_Splat(i % 2 ? -INFINITY : INFINITY));
}

void drapeBvh_ClearTails(const Bvh* bvh, float* rows, uint32_t rowCount)
{
	DRAPE_ASSERT(rowCount % 2 == 0);
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
	float slack; // m; negative to write all bounds
	uint32_t k;  // sides of the fitted bounds
	float* rows; // where they are stored
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

static void FindCentres(Bvh* bvh, const Primitives* primitives, TaskPool* tasks)
{
	BvhLoop loop = {.bvh = bvh, .primitives = primitives};
	drapeTaskPool_For(tasks, bvh->primitiveCount, sortPrimitives, CentreTask, &loop);
}

void drapeBvh_SortMorton(Bvh* bvh, const Primitives* primitives, const void* context, TaskPool* tasks)
{
	(void)context;
	FindCentres(bvh, primitives, tasks);
	drapeOrder_MortonKeys(bvh->keys.data, bvh->centres.data, bvh->primitiveCount, tasks);
	drapeOrder_Sort(bvh->keys.data, bvh->spare.data, bvh->primitiveCount);
}

static void SortSplit(Bvh* bvh, const Primitives* primitives, const void* context, TaskPool* tasks)
{
	(void)context;
	FindCentres(bvh, primitives, tasks);
	for (uint32_t i = 0; i < bvh->primitiveCount; ++i)
		bvh->keys.data[i] = i;
	drapeOrder_Split(bvh->keys.data, bvh->centres.data, bvh->primitiveCount, bvh->shift, tasks);
}

// Writes primitives and corners of slots [start, end) by the sorted keys, and blank lanes after the last primitive.
static void FillSlotsTask(uint32_t start, uint32_t end, uint32_t worker, void* taskContext)
{
	(void)worker;
	const BvhLoop* loop = taskContext;
	const Primitives* primitives = loop->primitives;
	Bvh* bvh = loop->bvh;
	uint32_t perBlock = 8 * primitives->cornerCount;
	for (uint32_t slot = start; slot < end + (8 - end % 8) % 8; ++slot)
	{
		uint32_t primitive = (uint32_t)bvh->keys.data[MinU32(slot, bvh->primitiveCount - 1)];
		uint32_t* lane = bvh->corners.data + (size_t)(slot / 8) * perBlock + slot % 8;
		DRAPE_ASSERT(primitive < primitives->count);
		bvh->order.data[slot] = primitive;
		for (uint32_t c = 0; c < primitives->cornerCount; ++c)
			lane[8 * c] = Primitives_Corner(primitives, primitive, c);
	}
}

// --- fitting --------------------------------------------------------------------------------------------------------

// Bounds of the eight primitives of a block. Fitting ignores NaN coordinates, so bounds are never NaN: a NaN would
// spoil the bounds of all nodes above.
typedef struct BlockFit
{
	F8 low[kdopMaxAxes], high[kdopMaxAxes];
	F8 size; // magnitude of the coordinates, for the rounding error
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

// Returns the lanes of a block that hold a node.
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

// Returns whether the stored bounds of all lanes contain the new ones.
DRAPE_INLINE bool Holds(const float* rows, const BlockFit* fit, uint32_t k)
{
	uint32_t held = 0xff;
	for (uint32_t a = 0; a < k / 2; ++a)
		held &= M8_Bits(
			M8_And(F8_Le(F8_Load(rows + 16 * a), fit->low[a]), F8_Le(fit->high[a], F8_Load(rows + 16 * a + 8))));
	return held == 0xff;
}

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
				*above = row % 2 ? MaxNumF(*above, value) : MinNumF(*above, value);
		}
	}
}

// Returns how many levels have all blocks of a chunk to themselves: 64 blocks of primitives, then 64 >> shift, and so
// on.
static uint32_t ChunkLevels(const Bvh* bvh)
{
	return 6 / bvh->shift + 1;
}

void drapeBvh_RaiseChunk(const Bvh* bvh, float* rows, uint32_t rowCount, uint32_t start, uint32_t end)
{
	DRAPE_ASSERT(start % bvhChunk == 0 && start < end && end <= bvh->primitiveCount);
	for (uint32_t level = 0; level < ChunkLevels(bvh) && level + 1 < bvh->levelCount; ++level)
	{
		uint32_t first = (start >> bvh->shift * level) / 8, last = ((end - 1) >> bvh->shift * level) / 8;
		for (uint32_t block = first; block <= last; ++block)
			drapeBvh_Raise(bvh, rows, rowCount, level, block);
	}
}

void drapeBvh_RaiseTop(const Bvh* bvh, float* rows, uint32_t rowCount)
{
	for (uint32_t level = ChunkLevels(bvh); level + 1 < bvh->levelCount; ++level)
	{
		for (uint32_t block = 0; block < Bvh_BlockCount(bvh, level); ++block)
			drapeBvh_Raise(bvh, rows, rowCount, level, block);
	}
}

// Returns whether the stored bounds of the block changed. With a constant k the compiler keeps all axes in registers.
DRAPE_INLINE bool FitPrimitiveBlockOf(uint32_t k, const BvhLoop* loop, uint32_t block)
{
	const Bvh* bvh = loop->bvh;
	BlockFit fit;
	M8 used = UsedLanes(bvh->primitiveCount, block);
	float* rows = loop->rows + (size_t)block * k * 8;
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
	switch (loop->k)
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

// Fits the primitives of a chunk and all nodes that hold no others.
static void FitTask(uint32_t start, uint32_t end, uint32_t worker, void* taskContext)
{
	(void)worker;
	const BvhLoop* loop = taskContext;
	Bvh* bvh = loop->bvh;
	uint32_t written = 0;
	for (uint32_t block = start / 8; block <= (end - 1) / 8; ++block)
		written += FitPrimitiveBlock(loop, block);
	bvh->written.data[start / bvhChunk] = written;
	if (written > 0)
		drapeBvh_RaiseChunk(bvh, loop->rows, loop->k, start, end);
}

// Fits the whole tree. A negative slack writes all bounds. Returns the number of blocks of primitives written.
static uint32_t FitRows(Bvh* bvh, const Primitives* primitives, float slack, uint32_t k, float* rows, TaskPool* tasks)
{
	DRAPE_ASSERT(primitives->count == bvh->primitiveCount);
	DRAPE_ASSERT(primitives->cornerCount == bvh->cornerCount || bvh->primitiveCount == 0);
	DRAPE_ASSERT(primitives->margin >= 0.0f);
	uint32_t written = 0;
	BvhLoop loop = {.bvh = bvh, .primitives = primitives, .slack = slack, .k = k, .rows = rows};
	drapeTaskPool_For(tasks, bvh->primitiveCount, bvhChunk, FitTask, &loop);
	for (uint32_t i = 0; i < TaskPool_ChunkCount(bvh->primitiveCount, bvhChunk); ++i)
		written += bvh->written.data[i];
	if (written > 0)
		drapeBvh_RaiseTop(bvh, rows, k);
	return written;
}

static uint32_t FitAll(Bvh* bvh, const Primitives* primitives, float slack, TaskPool* tasks)
{
	return FitRows(bvh, primitives, slack, bvh->k, bvh->bounds.data, tasks);
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

bool drapeBvh_BuildSorted(Bvh* bvh, const Primitives* primitives, BvhSortFcn* sort, const void* context,
                          TaskPool* tasks)
{
	DRAPE_ASSERT(primitives->count <= DRAPE_MAX_ELEMENTS);
	DRAPE_ASSERT(primitives->cornerCount >= 1 && primitives->cornerCount <= 3);
	DRAPE_ASSERT(bvh->axisCount > 0 && bvh->shift > 0);
	LayOut(bvh, primitives->count);
	bvh->cornerCount = primitives->cornerCount;
	if (!Reserve(bvh, primitives))
	{
		LayOut(bvh, 0);
		return false;
	}
	if (primitives->count == 0)
		return true;
	drapeBvh_ClearTails(bvh, bvh->bounds.data, 2 * bvh->axisCount);
	BvhLoop loop = {.bvh = bvh, .primitives = primitives};
	sort(bvh, primitives, context, tasks);
	drapeTaskPool_For(tasks, bvh->primitiveCount, sortPrimitives, FillSlotsTask, &loop);
	FitAll(bvh, primitives, -1.0f, tasks);
	bvh->builtCost = drapeBvh_Cost(bvh);
	return true;
}

bool drapeBvh_Build(Bvh* bvh, const Primitives* primitives, BvhOrder order, TaskPool* tasks)
{
	DRAPE_ASSERT(order == bvhMorton || order == bvhSplit);
	return drapeBvh_BuildSorted(bvh, primitives, order == bvhSplit ? SortSplit : drapeBvh_SortMorton, NULL, tasks);
}

bool drapeBvh_Update(Bvh* bvh, const Primitives* primitives, BvhOrder order, bool changed, TaskPool* tasks)
{
	if (changed || primitives->count != bvh->primitiveCount || primitives->cornerCount != bvh->cornerCount)
		return drapeBvh_Build(bvh, primitives, order, tasks);
	drapeBvh_Refit(bvh, primitives, tasks);
	if (!(drapeBvh_Cost(bvh) > 2.0f * bvh->builtCost))
		return true;
	return drapeBvh_Build(bvh, primitives, order, tasks);
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

// --- boxes ----------------------------------------------------------------------------------------------------------

bool drapeBvhBoxes_Reserve(BvhBoxes* boxes, const Bvh* bvh)
{
	size_t count = (size_t)bvh->blockCount * bvhBoxRows * 8;
	if (!ArrayReserve(&boxes->rows, count))
		return false;
	boxes->rows.count = (uint32_t)count;
	if (count > 0)
		drapeBvh_ClearTails(bvh, boxes->rows.data, bvhBoxRows);
	return true;
}

void drapeBvhBoxes_Free(BvhBoxes* boxes)
{
	ArrayFree(&boxes->rows);
}

void drapeBvhBoxes_Fit(BvhBoxes* boxes, Bvh* bvh, const Primitives* primitives, const Vec4* positions, TaskPool* tasks)
{
	DRAPE_ASSERT(boxes->rows.count == (size_t)bvh->blockCount * bvhBoxRows * 8);
	Primitives placed = *primitives;
	placed.from = placed.to = positions;
	placed.margin = 0.0f;
	FitRows(bvh, &placed, -1.0f, bvhBoxRows, boxes->rows.data, tasks);
}

// Returns the sum of the sizes of the nodes of a level.
static double SumSizes(const BvhBoxes* boxes, const Bvh* bvh, uint32_t level)
{
	double sum = 0.0;
	for (uint32_t block = 0; block < Bvh_BlockCount(bvh, level); ++block)
	{
		const float* rows = BvhBoxes_Rows(boxes, bvh, level, block);
		F8 size = F8_Splat(0.0f);
		for (uint32_t a = 0; a < 3; ++a)
			size = F8_Add(size, F8_Sub(F8_Load(rows + 16 * a + 8), F8_Load(rows + 16 * a)));
		float sizes[8];
		F8_Store(sizes, size);
		for (uint32_t lane = 0; lane < MinU32(8, bvh->nodeCount[level] - 8 * block); ++lane)
			sum += (double)sizes[lane];
	}
	return sum;
}

float drapeBvhBoxes_Looseness(const BvhBoxes* boxes, const Bvh* bvh)
{
	if (bvh->levelCount < 2)
		return 1.0f;
	double primitives = SumSizes(boxes, bvh, 0) / bvh->nodeCount[0],
		   nodes = SumSizes(boxes, bvh, 1) / bvh->nodeCount[1];
	return primitives > 0.0 ? (float)(nodes / primitives) : 1.0f;
}

BvhView drapeBvhView_Make(const Bvh* bvh, const Primitives* primitives, const BvhBoxes* boxes)
{
	DRAPE_ASSERT(bvh->cornerCount == 3 || bvh->primitiveCount == 0);
	return (BvhView){
		.bvh = bvh,
		.corners = primitives->corners,
		.positions = primitives->to,
		.rows = boxes ? boxes->rows.data : bvh->bounds.data,
		.stride = boxes ? bvhBoxRows * 8 : bvh->axisCount * 16,
	};
}
