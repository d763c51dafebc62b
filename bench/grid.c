// SPDX-License-Identifier: MIT
#include "grid.h"

#include "base/hash.h"
#include "contact/broad/kdop.h"

#include <float.h>

enum
{
	boxItems = 512,      // primitives of a chunk
	pairItems = 128,     // primitives of a chunk
	cellLimit = 1 << 20, // cells from the origin
};

void drapeGrid_Free(Grid* grid)
{
	ArrayFree(&grid->boxes);
	ArrayFree(&grid->cells);
	ArrayFree(&grid->corners);
	ArrayFree(&grid->entries);
	ArrayFree(&grid->bucketStart);
	ArrayFree(&grid->large);
	ArrayFree(&grid->isLarge);
	*grid = (Grid){0};
}

// --- cells ----------------------------------------------------------------------------------------------------------

typedef struct CellRange
{
	GridCell low, high;
	uint64_t count; // number of cells
} CellRange;

static int32_t CellAlong(double x, double cellSize)
{
	double cell = floor(x / cellSize);
	cell = cell < cellLimit - 1 ? cell : cellLimit - 1; // NaN too
	return cell > -cellLimit ? (int32_t)cell : -cellLimit;
}

// Monotonic along each axis: the higher of two points is never in a lower cell.
static GridCell CellOf(const Grid* grid, Vec3 p)
{
	double size = (double)grid->cellSize;
	return (GridCell){CellAlong((double)p.x, size), CellAlong((double)p.y, size), CellAlong((double)p.z, size)};
}

static CellRange RangeBetween(GridCell low, GridCell high)
{
	CellRange range = {low, high, 0};
	if (low.x <= high.x && low.y <= high.y && low.z <= high.z)
		range.count = (uint64_t)(high.x - low.x + 1) * (uint64_t)(high.y - low.y + 1) * (uint64_t)(high.z - low.z + 1);
	return range;
}

static CellRange RangeOfPrimitive(const Grid* grid, uint32_t primitive)
{
	return RangeBetween(grid->cells.data[2 * (size_t)primitive], grid->cells.data[2 * (size_t)primitive + 1]);
}

static uint64_t KeyOf(GridCell cell)
{
	uint64_t x = (uint64_t)(cell.x + cellLimit), y = (uint64_t)(cell.y + cellLimit), z = (uint64_t)(cell.z + cellLimit);
	return x | y << 21 | z << 42;
}

static uint32_t BucketOf(const Grid* grid, uint64_t key)
{
	return (uint32_t)(Hash_U64(key) >> (63 - grid->bucketBits) >> 1);
}

// The next cell of a range; false after the last.
static bool NextCell(const CellRange* range, GridCell* cell)
{
	if (cell->x++ < range->high.x)
		return true;
	cell->x = range->low.x;
	if (cell->y++ < range->high.y)
		return true;
	cell->y = range->low.y;
	return cell->z++ < range->high.z;
}

static bool Overlap(const Vec3* a, const Vec3* b)
{
	return a[0].x <= b[1].x && b[0].x <= a[1].x && a[0].y <= b[1].y && b[0].y <= a[1].y && a[0].z <= b[1].z &&
	       b[0].z <= a[1].z;
}

// True in the cell in which two boxes are tested: it has the lowest corner of their intersection. `a` and `b` are the
// cells of the boxes' low corners.
static bool MeetIn(GridCell cell, GridCell a, GridCell b)
{
	return cell.x == (a.x > b.x ? a.x : b.x) && cell.y == (a.y > b.y ? a.y : b.y) && cell.z == (a.z > b.z ? a.z : b.z);
}

// --- building -------------------------------------------------------------------------------------------------------

typedef struct BoxLoop
{
	Grid* grid;
	const Primitives* primitives;
} BoxLoop;

// The box that a tree with six sides has, bit for bit.
static void BoxOfItem(const Primitives* primitives, uint32_t primitive, Vec3* box)
{
	F8 low = F8_Splat(INFINITY), high = F8_Splat(-INFINITY);
	float size = 0.0f, bounds[16];
	for (uint32_t c = 0; c < 2 * primitives->cornerCount; ++c)
	{
		Vec4 p = (c % 2 ? primitives->from : primitives->to)[Primitives_Corner(primitives, primitive, c / 2)];
		const float row[8] = {p.x, p.y, p.z, 0.0f, 0.0f, 0.0f, 0.0f, 0.0f};
		float sum = fabsf(p.x) + (fabsf(p.y) + fabsf(p.z));
		size = sum > size ? sum : size;
		low = F8_Min(F8_Load(row), low);
		high = F8_Max(F8_Load(row), high);
	}
	F8 grow = F8_Splat(primitives->margin + size * KDOP_ROUNDING);
	F8_Store(bounds, F8_Max(F8_Sub(low, grow), F8_Splat(-FLT_MAX)));
	F8_Store(bounds + 8, F8_Min(F8_Add(high, grow), F8_Splat(FLT_MAX)));
	box[0] = (Vec3){bounds[0], bounds[1], bounds[2]};
	box[1] = (Vec3){bounds[8], bounds[9], bounds[10]};
}

static void BoxTask(uint32_t start, uint32_t end, uint32_t worker, void* taskContext)
{
	(void)worker;
	const BoxLoop* loop = taskContext;
	const Primitives* primitives = loop->primitives;
	for (uint32_t i = start; i < end; ++i)
	{
		BoxOfItem(primitives, i, loop->grid->boxes.data + 2 * (size_t)i);
		for (uint32_t k = 0; k < primitives->cornerCount; ++k)
			loop->grid->corners.data[primitives->cornerCount * (size_t)i + k] = Primitives_Corner(primitives, i, k);
	}
}

// The mean of the longest sides; those that are no number do not count.
static float MeanSize(Grid* grid)
{
	double sum = 0.0, count = 0.0;
	Vec3 low = {INFINITY, INFINITY, INFINITY}, high = {-INFINITY, -INFINITY, -INFINITY};
	for (uint32_t i = 0; i < grid->primitiveCount; ++i)
	{
		Vec3 a = grid->boxes.data[2 * (size_t)i], b = grid->boxes.data[2 * (size_t)i + 1];
		float size = fmaxf(b.x - a.x, fmaxf(b.y - a.y, b.z - a.z));
		low = (Vec3){fminf(low.x, a.x), fminf(low.y, a.y), fminf(low.z, a.z)};
		high = (Vec3){fmaxf(high.x, b.x), fmaxf(high.y, b.y), fmaxf(high.z, b.z)};
		if (!(size >= 0.0f && size < 1e30f))
			continue;
		sum += (double)size;
		count += 1.0;
	}
	grid->low = low;
	grid->high = high;
	return count > 0.0 ? (float)(sum / count) : 1.0f;
}

// Moves large primitives to their list and widens cells until they are few. Returns the number of entries of the
// others.
static size_t ChooseCells(Grid* grid, float cellSize)
{
	uint32_t few = MaxU32(16, grid->primitiveCount / 64);
	grid->cellSize = fmaxf(cellSize, 1e-6f);
	for (;; grid->cellSize *= 2.0f)
	{
		size_t entries = 0;
		grid->large.count = 0;
		for (uint32_t i = 0; i < grid->primitiveCount; ++i)
		{
			grid->cells.data[2 * (size_t)i] = CellOf(grid, grid->boxes.data[2 * (size_t)i]);
			grid->cells.data[2 * (size_t)i + 1] = CellOf(grid, grid->boxes.data[2 * (size_t)i + 1]);
			uint64_t cells = RangeOfPrimitive(grid, i).count;
			grid->isLarge.data[i] = cells > gridMaxCells;
			if (grid->isLarge.data[i])
				ArrayPush(&grid->large, i);
			else
				entries += cells;
		}
		if (grid->large.count <= few || !(grid->cellSize < 1e30f))
			return entries;
	}
}

// Counting sort of the entries into buckets.
static void FillBuckets(Grid* grid)
{
	uint32_t* start = grid->bucketStart.data;
	uint32_t buckets = 1u << grid->bucketBits;
	for (uint32_t i = 0; i <= buckets; ++i)
		start[i] = 0;
	for (int pass = 0; pass < 2; ++pass)
	{
		for (uint32_t i = 0; i < grid->primitiveCount; ++i)
		{
			CellRange range = RangeOfPrimitive(grid, i);
			if (grid->isLarge.data[i] || range.count == 0)
				continue;
			GridCell cell = range.low;
			do
			{
				uint64_t key = KeyOf(cell);
				uint32_t bucket = BucketOf(grid, key);
				if (pass == 0)
					start[bucket + 1]++;
				else
					grid->entries.data[start[bucket]++] = (GridEntry){key, i, 0};
			} while (NextCell(&range, &cell));
		}
		for (uint32_t i = 0; pass == 0 && i < buckets; ++i)
			start[i + 1] += start[i];
	}
	// Each start has moved to that of the next bucket.
	for (uint32_t i = buckets; i > 0; --i)
		start[i] = start[i - 1];
	start[0] = 0;
}

bool drapeGrid_Build(Grid* grid, const Primitives* primitives, float cellSize, TaskPool* tasks)
{
	BoxLoop loop = {grid, primitives};
	size_t count = primitives->count, entries;
	grid->primitiveCount = primitives->count;
	grid->cornerCount = primitives->cornerCount;
	grid->bucketBits = 0;
	bool done = ArrayReserve(&grid->boxes, 2 * count) && ArrayReserve(&grid->cells, 2 * count) &&
	            ArrayReserve(&grid->corners, primitives->cornerCount * count) && ArrayReserve(&grid->large, count) &&
	            ArrayReserve(&grid->isLarge, count);
	if (done)
	{
		drapeTaskPool_For(tasks, primitives->count, boxItems, BoxTask, &loop);
		float mean = MeanSize(grid);
		entries = ChooseCells(grid, cellSize > 0.0f ? cellSize : mean);
		while (grid->bucketBits < 30 && ((size_t)1 << grid->bucketBits) < entries)
			grid->bucketBits++;
		done = ArrayReserve(&grid->entries, entries) &&
		       ArrayReserve(&grid->bucketStart, ((size_t)1 << grid->bucketBits) + 1);
	}
	if (!done)
	{
		grid->primitiveCount = 0;
		grid->large.count = 0;
		return false;
	}
	FillBuckets(grid);
	return true;
}

// --- overlaps -------------------------------------------------------------------------------------------------------

// Iterates over the primitives that a box overlaps.
typedef struct GridWalk
{
	const Grid* grid;
	Vec3 box[2];
	CellRange range;
	GridCell cell;
	uint64_t key;
	uint32_t at, end;   // entries of the cell
	uint32_t first;     // skips the primitives before it
	uint32_t nextLarge; // or, when `all`, the next primitive
	bool all;           // the box touches so many cells that testing every primitive is faster
	uint64_t tests;
} GridWalk;

static void EnterCell(GridWalk* walk)
{
	const Grid* grid = walk->grid;
	walk->key = KeyOf(walk->cell);
	uint32_t bucket = BucketOf(grid, walk->key);
	walk->at = grid->bucketStart.data[bucket];
	walk->end = grid->bucketStart.data[bucket + 1];
}

static GridWalk GridWalk_Begin(const Grid* grid, Vec3 low, Vec3 high)
{
	GridWalk walk = {.grid = grid, .box = {low, high}};
	walk.range = RangeBetween(CellOf(grid, low), CellOf(grid, high));
	walk.all = walk.range.count > grid->primitiveCount;
	walk.cell = walk.range.low;
	if (!walk.all && walk.range.count > 0)
		EnterCell(&walk);
	return walk;
}

// The next primitive of the cells; DRAPE_NONE after the last.
static uint32_t NextInCells(GridWalk* walk)
{
	const Grid* grid = walk->grid;
	while (!walk->all && walk->range.count > 0)
	{
		while (walk->at < walk->end)
		{
			const GridEntry* entry = &grid->entries.data[walk->at++];
			size_t primitive = entry->primitive;
			if (entry->cell != walk->key || primitive < walk->first)
				continue;
			if (!MeetIn(walk->cell, walk->range.low, grid->cells.data[2 * primitive]))
				continue;
			walk->tests++;
			if (Overlap(walk->box, grid->boxes.data + 2 * primitive))
				return entry->primitive;
		}
		if (!NextCell(&walk->range, &walk->cell))
			walk->range.count = 0;
		else
			EnterCell(walk);
	}
	return DRAPE_NONE;
}

static uint32_t GridWalk_Next(GridWalk* walk)
{
	const Grid* grid = walk->grid;
	uint32_t primitive = NextInCells(walk);
	if (primitive != DRAPE_NONE)
		return primitive;
	uint32_t count = walk->all ? grid->primitiveCount : grid->large.count;
	while (walk->nextLarge < count)
	{
		primitive = walk->all ? walk->nextLarge : grid->large.data[walk->nextLarge];
		walk->nextLarge++;
		if (primitive < walk->first)
			continue;
		walk->tests++;
		if (Overlap(walk->box, grid->boxes.data + 2 * (size_t)primitive))
			return primitive;
	}
	return DRAPE_NONE;
}

bool drapeGrid_Query(const Grid* grid, Vec3 low, Vec3 high, PrimitiveList* found)
{
	if (grid->primitiveCount == 0)
		return true;
	GridWalk walk = GridWalk_Begin(grid, low, high);
	for (uint32_t primitive; (primitive = GridWalk_Next(&walk)) != DRAPE_NONE;)
	{
		if (!ArrayGrow(&found->primitives))
			return false;
		found->primitives.data[found->primitives.count - 1] = primitive;
	}
	return true;
}

typedef struct GridPair
{
	const Grid *a, *b;
} GridPair;

static void PairTask(const void* context, uint32_t start, uint32_t end, Chunk* chunk)
{
	const GridPair* pair = context;
	for (uint32_t i = start; i < end; ++i)
	{
		const Vec3* box = pair->a->boxes.data + 2 * (size_t)i;
		GridWalk walk = GridWalk_Begin(pair->b, box[0], box[1]);
		for (uint32_t primitive; (primitive = GridWalk_Next(&walk)) != DRAPE_NONE;)
			Chunk_AddPair(chunk, i, primitive);
		chunk->tests += walk.tests;
	}
}

bool drapeGrid_Pairs(const Grid* a, const Grid* b, PairList* list, TaskPool* tasks)
{
	GridPair pair = {a, b};
	return drapePairList_Fill(list, b->primitiveCount > 0 ? a->primitiveCount : 0, pairItems, PairTask, &pair, tasks);
}

static bool ShareCorner(const Grid* grid, uint32_t a, uint32_t b)
{
	uint32_t count = grid->cornerCount;
	const uint32_t *p = grid->corners.data + (size_t)count * a, *q = grid->corners.data + (size_t)count * b;
	for (uint32_t i = 0; i < count * count; ++i)
	{
		if (p[i / count] == q[i % count])
			return true;
	}
	return false;
}

static void SelfPairTask(const void* context, uint32_t start, uint32_t end, Chunk* chunk)
{
	const Grid* grid = context;
	for (uint32_t i = start; i < end; ++i)
	{
		const Vec3* box = grid->boxes.data + 2 * (size_t)i;
		GridWalk walk = GridWalk_Begin(grid, box[0], box[1]);
		walk.first = i + 1;
		for (uint32_t primitive; (primitive = GridWalk_Next(&walk)) != DRAPE_NONE;)
		{
			if (!ShareCorner(grid, i, primitive))
				Chunk_AddPair(chunk, i, primitive);
		}
		chunk->tests += walk.tests;
	}
}

bool drapeGrid_SelfPairs(const Grid* grid, PairList* list, TaskPool* tasks)
{
	return drapePairList_Fill(list, grid->primitiveCount, pairItems, SelfPairTask, grid, tasks);
}

// --- segments -------------------------------------------------------------------------------------------------------

// One axis of the walk through the cells.
typedef struct CellStep
{
	int32_t cell, step;
	double next;  // fraction of the segment at which the cell ends
	double width; // width of a cell, as a fraction
} CellStep;

static CellStep StepAlong(double from, double way, double begin, double cellSize)
{
	CellStep along = {.cell = CellAlong(from + begin * way, cellSize), .next = HUGE_VAL, .width = HUGE_VAL};
	if (way == 0.0)
		return along;
	along.step = way > 0.0 ? 1 : -1;
	along.width = cellSize / fabs(way);
	along.next = ((double)(along.cell + (way > 0.0)) * cellSize - from) / way;
	return along;
}

// The part of the segment in the box of all primitives. False when there is none.
static bool Clip(const Grid* grid, Vec3 from, Double3 way, double* begin, double* end)
{
	const double low[3] = {(double)grid->low.x, (double)grid->low.y, (double)grid->low.z};
	const double high[3] = {(double)grid->high.x, (double)grid->high.y, (double)grid->high.z};
	const double start[3] = {(double)from.x, (double)from.y, (double)from.z}, along[3] = {way.x, way.y, way.z};
	*begin = 0.0;
	*end = 1.0;
	for (int a = 0; a < 3; ++a)
	{
		if (along[a] == 0.0)
		{
			if (!(start[a] >= low[a] && start[a] <= high[a]))
				return false;
			continue;
		}
		double t0 = (low[a] - start[a]) / along[a], t1 = (high[a] - start[a]) / along[a];
		*begin = fmax(*begin, fmin(t0, t1));
		*end = fmin(*end, fmax(t0, t1));
	}
	return *begin <= *end;
}

static void CutPrimitive(const Primitives* primitives, uint32_t primitive, Vec3 from, Double3 way, PrimitiveHit* hit)
{
	SeenTriangle seen = Triangle_SeenFrom(primitives->to, primitives->corners + 3 * (size_t)primitive, from);
	PrimitiveHit_Cut(hit, primitive, &seen, way);
}

static void CutCell(const Grid* grid, const Primitives* primitives, GridCell cell, Vec3 from, Double3 way,
                    PrimitiveHit* hit)
{
	uint64_t key = KeyOf(cell);
	uint32_t bucket = BucketOf(grid, key);
	for (uint32_t i = grid->bucketStart.data[bucket]; i < grid->bucketStart.data[bucket + 1]; ++i)
	{
		if (grid->entries.data[i].cell == key)
			CutPrimitive(primitives, grid->entries.data[i].primitive, from, way, hit);
	}
}

// Walks from cell to cell until the hit lies before the next cell.
static void FollowPath(const Grid* grid, const Primitives* primitives, Vec3 from, Double3 way, double begin, double end,
                       PrimitiveHit* hit)
{
	double size = (double)grid->cellSize;
	CellStep along[3] = {StepAlong((double)from.x, way.x, begin, size), StepAlong((double)from.y, way.y, begin, size),
	                     StepAlong((double)from.z, way.z, begin, size)};
	double at = begin;
	while (at <= end && at <= (double)hit->fraction * (1.0 + 1e-6))
	{
		CutCell(grid, primitives, (GridCell){along[0].cell, along[1].cell, along[2].cell}, from, way, hit);
		int axis = along[0].next <= along[1].next ? 0 : 1;
		axis = along[axis].next <= along[2].next ? axis : 2;
		at = along[axis].next;
		along[axis].next += along[axis].width;
		along[axis].cell += along[axis].step;
	}
}

bool drapeGrid_FirstHit(const Grid* grid, const Primitives* primitives, Vec3 from, Vec3 to, PrimitiveHit* hit)
{
	DRAPE_ASSERT(grid->cornerCount == 3 || grid->primitiveCount == 0);
	Double3 way = D3Between(from, to);
	double begin, end;
	*hit = (PrimitiveHit){.primitive = DRAPE_NONE, .fraction = INFINITY};
	if (grid->primitiveCount == 0 || !Clip(grid, from, way, &begin, &end))
		return false;
	double limit = (double)grid->cellSize * (cellLimit - 1);
	double farthest =
		fmax(fmax(fmax(fabs((double)grid->low.x), fabs((double)grid->low.y)), fabs((double)grid->low.z)),
	         fmax(fmax(fabs((double)grid->high.x), fabs((double)grid->high.y)), fabs((double)grid->high.z)));
	double cells = (end - begin) * (fabs(way.x) + fabs(way.y) + fabs(way.z)) / (double)grid->cellSize;
	bool all = !(farthest < limit) || !(cells < grid->primitiveCount + 64.0);
	uint32_t count = all ? grid->primitiveCount : grid->large.count;
	for (uint32_t i = 0; i < count; ++i)
		CutPrimitive(primitives, all ? i : grid->large.data[i], from, way, hit);
	if (!all)
		FollowPath(grid, primitives, from, way, begin, end, hit);
	PrimitiveHit_Finish(hit, from, way);
	return hit->primitive != DRAPE_NONE;
}
