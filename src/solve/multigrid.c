// SPDX-License-Identifier: MIT
#include "solve/multigrid.h"

#include "base/simd_vec.h"
#include "solve/bend_sum.h"

#include <string.h>

enum
{
	edgeGrain = 512, // coarse blocks per task
	rowGrain = 512,
	coarsestSweeps = 8, // where the coarsest level is too large to be solved exactly
};

// Damping of the smoother. Block Jacobi's largest eigenvalue on triangles is about 2 for stretch and below 3 for what
// stands for bending; measured, the fewest iterations lie near this.
static const float smoothing = 0.65f;

// From level to level, bending resists the roughest shapes of a mesh with a quarter of the force.
static const float coarseBending = 0.25f;

void Multigrid_Destroy(Multigrid* multigrid)
{
	for (uint32_t k = 0; k < hierarchyLevels; ++k)
	{
		MultigridLevel* level = &multigrid->levels[k];
		BlockMatrix_Destroy(&level->matrix);
		ArrayFree(&level->itemStart);
		ArrayFree(&level->items);
		ArrayFree(&level->r);
		ArrayFree(&level->z);
		ArrayFree(&level->t);
	}
	DenseFactor_Destroy(&multigrid->dense);
	ArrayFree(&multigrid->bucketStart);
	ArrayFree(&multigrid->marks);
	ArrayFree(&multigrid->edgeOf);
	ArrayFree(&multigrid->emitted);
	ArrayFree(&multigrid->emittedHigh);
	ArrayFree(&multigrid->diagonal);
	*multigrid = (Multigrid){0};
}

MultigridLevel* Multigrid_Finest(Multigrid* multigrid, const Hierarchy* hierarchy)
{
	multigrid->hierarchy = hierarchy;
	multigrid->levelCount = hierarchy->levelCount;
	return &multigrid->levels[hierarchy->levelCount - 1];
}

// --- structure ------------------------------------------------------------------------------------------------------

// Rows of the coarser level that a row is made of.
typedef struct Support
{
	uint32_t count;
	const uint32_t* row;
	const float* weight;
} Support;

static Support SupportOf(const HierarchyLevel* level, const uint32_t* row)
{
	static const float one = 1.0f;
	if (*row < level->coarser)
		return (Support){1, row, &one};
	const RowParents* parents = &level->parents.data[*row - level->coarser];
	uint32_t count = parents->weight[2] > 0.0f ? 3 : parents->weight[1] > 0.0f ? 2 : 1;
	return (Support){count, parents->row, parents->weight};
}

typedef struct Emitter
{
	Multigrid* multigrid;
	bool isFilling; // else counting
} Emitter;

// A share of what couples the coarse rows i and j, i != j, put to their lower row.
static void Emit(Emitter* emitter, uint32_t i, uint32_t j, uint32_t block, float weight)
{
	Multigrid* multigrid = emitter->multigrid;
	uint32_t low = MinU32(i, j);
	if (!emitter->isFilling)
	{
		multigrid->bucketStart.data[low + 1]++;
		return;
	}
	uint32_t at = multigrid->bucketStart.data[low]++;
	multigrid->emitted.data[at] = (GalerkinItem){block << 1 | (i > j), weight};
	multigrid->emittedHigh.data[at] = MaxU32(i, j);
}

static void EmitPair(Emitter* emitter, Support a, Support b, uint32_t block)
{
	for (uint32_t i = 0; i < a.count; ++i)
	{
		for (uint32_t j = 0; j < b.count; ++j)
		{
			if (a.row[i] != b.row[j])
				Emit(emitter, a.row[i], b.row[j], block, a.weight[i] * b.weight[j]);
		}
	}
}

// Diagonal blocks are symmetric, so one half of each pair of parents serves both.
static void EmitSelf(Emitter* emitter, Support own, uint32_t block)
{
	for (uint32_t i = 0; i < own.count; ++i)
	{
		for (uint32_t j = i + 1; j < own.count; ++j)
			Emit(emitter, own.row[i], own.row[j], block, own.weight[i] * own.weight[j]);
	}
}

static void EmitBlocks(Multigrid* multigrid, const BlockMatrix* fine, const HierarchyLevel* level, bool isFilling)
{
	Emitter emitter = {multigrid, isFilling};
	for (uint32_t e = 0; e < fine->edgeCount; ++e)
		EmitPair(&emitter, SupportOf(level, &fine->ends.data[e].a), SupportOf(level, &fine->ends.data[e].b), e);
	for (uint32_t r = fine->coarser; r < fine->rowCount; ++r)
		EmitSelf(&emitter, SupportOf(level, &r), fine->edgeCount + (r - fine->coarser));
}

// Counts by lower row become starts; filling turns them into ends. Returns the number of items.
static uint32_t FinishCounts(Multigrid* multigrid, uint32_t coarseRows)
{
	for (uint32_t r = 0; r < coarseRows; ++r)
		multigrid->bucketStart.data[r + 1] += multigrid->bucketStart.data[r];
	return multigrid->bucketStart.data[coarseRows];
}

// Gives each different pair in the buckets a number, in edgeOf by item; returns how many.
static uint32_t NameEdges(Multigrid* multigrid, uint32_t coarseRows)
{
	uint32_t edges = 0, first = 0;
	uint32_t* named = multigrid->marks.data; // by higher row: the edge; only those of this bucket count
	memset(named, 0xff, (size_t)coarseRows * sizeof(uint32_t));
	for (uint32_t low = 0; low < coarseRows; ++low)
	{
		uint32_t end = multigrid->bucketStart.data[low], firstEdge = edges;
		for (uint32_t i = first; i < end; ++i)
		{
			uint32_t high = multigrid->emittedHigh.data[i];
			if (named[high] == UINT32_MAX || named[high] < firstEdge)
				named[high] = edges++;
			multigrid->edgeOf.data[i] = named[high];
		}
		first = end;
	}
	return edges;
}

// Items sorted by edge, and the ends of the edges.
static void SortItems(Multigrid* multigrid, MultigridLevel* coarse, uint32_t coarseRows)
{
	uint32_t* start = coarse->itemStart.data;
	uint32_t edges = coarse->matrix.edgeCount, items = multigrid->bucketStart.data[coarseRows - 1];
	memset(start, 0, ((size_t)edges + 1) * sizeof(uint32_t));
	for (uint32_t i = 0; i < items; ++i)
		start[multigrid->edgeOf.data[i] + 1]++;
	for (uint32_t e = 0; e < edges; ++e)
		start[e + 1] += start[e];
	for (uint32_t low = 0, i = 0; low < coarseRows; ++low)
	{
		for (; i < multigrid->bucketStart.data[low]; ++i)
		{
			uint32_t edge = multigrid->edgeOf.data[i];
			coarse->matrix.ends.data[edge] = (RowPair){low, multigrid->emittedHigh.data[i]};
			coarse->items.data[start[edge]++] = multigrid->emitted.data[i];
		}
	}
	for (uint32_t e = edges; e > 0; --e)
		start[e] = start[e - 1];
	start[0] = 0;
}

static bool ReserveVectors(MultigridLevel* level)
{
	uint32_t padded = BlockMatrix_PaddedRows(level->matrix.rowCount);
	if (!ArrayReserve(&level->r, padded) || !ArrayReserve(&level->z, padded) || !ArrayReserve(&level->t, padded))
		return false;
	memset(level->r.data, 0, padded * sizeof(Vec4));
	memset(level->z.data, 0, padded * sizeof(Vec4));
	memset(level->t.data, 0, padded * sizeof(Vec4));
	return true;
}

static bool BuildEdges(Multigrid* multigrid, uint32_t k)
{
	const HierarchyLevel* finer = &multigrid->hierarchy->levels[k + 1];
	const BlockMatrix* fine = &multigrid->levels[k + 1].matrix;
	MultigridLevel* coarse = &multigrid->levels[k];
	uint32_t rows = finer->coarser;
	if (!ArrayReserve(&multigrid->bucketStart, rows + 1))
		return false;
	memset(multigrid->bucketStart.data, 0, ((size_t)rows + 1) * sizeof(uint32_t));
	EmitBlocks(multigrid, fine, finer, false);
	uint32_t items = FinishCounts(multigrid, rows);
	if (!ArrayReserve(&multigrid->emitted, items) || !ArrayReserve(&multigrid->emittedHigh, items) ||
	    !ArrayReserve(&multigrid->edgeOf, items) || !ArrayReserve(&coarse->items, items))
		return false;
	EmitBlocks(multigrid, fine, finer, true);
	uint32_t edges = NameEdges(multigrid, rows);
	if (!BlockMatrix_Reserve(&coarse->matrix, rows, multigrid->hierarchy->levels[k].coarser, edges) ||
	    !ArrayReserve(&coarse->itemStart, edges + 1))
		return false;
	SortItems(multigrid, coarse, rows);
	return true;
}

// What stands for bending: the Galerkin product of that on the finer level, which is a Laplacian, made softer as
// bending is on a coarser mesh.
static bool BuildBending(Multigrid* multigrid, uint32_t k)
{
	const BlockMatrix* fine = &multigrid->levels[k + 1].matrix;
	MultigridLevel* coarse = &multigrid->levels[k];
	BlockMatrix* matrix = &coarse->matrix;
	float* diagonal = multigrid->diagonal.data;
	memset(diagonal, 0, (size_t)fine->rowCount * sizeof(float));
	for (uint32_t e = 0; e < fine->edgeCount; ++e)
	{
		diagonal[fine->ends.data[e].a] -= fine->edgeLump.data[e];
		diagonal[fine->ends.data[e].b] -= fine->edgeLump.data[e];
	}
	for (uint32_t e = 0; e < matrix->edgeCount; ++e)
	{
		float sum = 0.0f;
		for (uint32_t i = coarse->itemStart.data[e]; i < coarse->itemStart.data[e + 1]; ++i)
		{
			uint32_t block = coarse->items.data[i].source >> 1;
			float own = block < fine->edgeCount ? fine->edgeLump.data[block]
			                                    : diagonal[block - fine->edgeCount + fine->coarser];
			sum += coarse->items.data[i].weight * own;
		}
		matrix->edgeLump.data[e] = matrix->edgeBend.data[e] = coarseBending * sum;
	}
	matrix->widePairs.count = 0;
	return BendSum_Slice(matrix, multigrid->marks.data);
}

bool Multigrid_Build(Multigrid* multigrid)
{
	MultigridLevel* finest = &multigrid->levels[multigrid->levelCount - 1];
	uint32_t padded = BlockMatrix_PaddedRows(finest->matrix.rowCount);
	if (!ReserveVectors(finest) || !ArrayReserve(&multigrid->diagonal, padded) ||
	    !ArrayReserve(&multigrid->marks, padded))
		return false;
	BendSum_Lump(&finest->matrix, multigrid->diagonal.data, multigrid->marks.data);
	if (!BlockMatrix_BuildSlices(&finest->matrix, multigrid->marks.data))
		return false;
	for (uint32_t k = multigrid->levelCount - 1; k-- > 0;)
	{
		BlockMatrix* matrix = &multigrid->levels[k].matrix;
		if (!BuildEdges(multigrid, k) || !ReserveVectors(&multigrid->levels[k]) || !BuildBending(multigrid, k) ||
		    !BlockMatrix_BuildSlices(matrix, multigrid->marks.data))
			return false;
		memset(matrix->ground.data, 0, 48 * (size_t)matrix->groupCount * sizeof(float));
	}
	multigrid->dense.isUsable = false;
	multigrid->dense.size = 0;
	const BlockMatrix* coarsest = &multigrid->levels[0].matrix;
	return multigrid->levelCount == 1 || coarsest->rowCount > denseRows ||
	       DenseFactor_Reserve(&multigrid->dense, coarsest->rowCount);
}

// --- values ---------------------------------------------------------------------------------------------------------

typedef struct LevelTask
{
	const HierarchyLevel* finerRows;
	MultigridLevel *fine, *coarse;
} LevelTask;

static void SumBlocks(uint32_t start, uint32_t end, uint32_t worker, void* context)
{
	(void)worker;
	const LevelTask* task = context;
	const Block* fine = task->fine->matrix.blocks.data;
	for (uint32_t e = start; e < end; ++e)
	{
		float sum[9] = {0.0f};
		for (uint32_t i = task->coarse->itemStart.data[e]; i < task->coarse->itemStart.data[e + 1]; ++i)
		{
			GalerkinItem item = task->coarse->items.data[i];
			const float* c0 = &fine[item.source >> 1].column[0].x;
			if (item.source & 1)
			{
				for (int k = 0; k < 3; ++k)
				{
					sum[k] += item.weight * c0[4 * k];
					sum[3 + k] += item.weight * c0[4 * k + 1];
					sum[6 + k] += item.weight * c0[4 * k + 2];
				}
			}
			else
			{
				for (int k = 0; k < 3; ++k)
				{
					sum[k] += item.weight * c0[k];
					sum[3 + k] += item.weight * c0[4 + k];
					sum[6 + k] += item.weight * c0[8 + k];
				}
			}
		}
		task->coarse->matrix.blocks.data[e] = (Block){
			.column = {{sum[0], sum[1], sum[2], 0.0f}, {sum[3], sum[4], sum[5], 0.0f}, {sum[6], sum[7], sum[8], 0.0f}}};
	}
}

static void SumGround(uint32_t start, uint32_t end, uint32_t worker, void* context)
{
	(void)worker;
	const LevelTask* task = context;
	const HierarchyLevel* rows = task->finerRows;
	const float* fine = task->fine->matrix.ground.data;
	float* coarse = task->coarse->matrix.ground.data;
	for (uint32_t r = start; r < end; ++r)
	{
		float sum[6];
		for (int k = 0; k < 6; ++k)
			sum[k] = fine[48 * (r / 8) + 8 * k + r % 8];
		for (uint32_t c = rows->childStart.data[r]; c < rows->childStart.data[r + 1]; ++c)
		{
			RowChild child = rows->children.data[c];
			for (int k = 0; k < 6; ++k)
				sum[k] += child.weight * fine[48 * (child.row / 8) + 8 * k + child.row % 8];
		}
		for (int k = 0; k < 6; ++k)
			coarse[48 * (r / 8) + 8 * k + r % 8] = sum[k];
	}
}

void Multigrid_Update(Multigrid* multigrid, drapePreconditioner kind, TaskPool* tasks)
{
	uint32_t finest = multigrid->levelCount - 1;
	BlockMatrix_Update(&multigrid->levels[finest].matrix, tasks);
	if (kind == drape_preconditionerJacobi)
		return;
	for (uint32_t k = finest; k-- > 0;)
	{
		LevelTask task = {&multigrid->hierarchy->levels[k + 1], &multigrid->levels[k + 1], &multigrid->levels[k]};
		BlockMatrix* coarse = &task.coarse->matrix;
		coarse->bendScale = task.fine->matrix.bendScale;
		TaskPool_For(tasks, coarse->edgeCount, edgeGrain, SumBlocks, &task);
		TaskPool_For(tasks, coarse->rowCount, rowGrain, SumGround, &task);
		BlockMatrix_Update(coarse, tasks);
	}
	if (multigrid->dense.size > 0)
		DenseFactor_Update(&multigrid->dense, &multigrid->levels[0].matrix);
}

// --- cycles ---------------------------------------------------------------------------------------------------------

// All four components, for the compiler to do at once.
DRAPE_INLINE Vec4 AddRow(Vec4 sum, float weight, const Vec4* row)
{
	return (Vec4){sum.x + weight * row->x, sum.y + weight * row->y, sum.z + weight * row->z, sum.w + weight * row->w};
}

static void RestrictRange(uint32_t start, uint32_t end, uint32_t worker, void* context)
{
	(void)worker;
	const LevelTask* task = context;
	const HierarchyLevel* rows = task->finerRows;
	const RowChild* child = &rows->children.data[rows->childStart.data[start]];
	const Vec4* fine = task->fine->t.data;
	for (uint32_t r = start; r < end; ++r)
	{
		const RowChild* last = &rows->children.data[rows->childStart.data[r + 1]];
		Vec4 sum = fine[r];
		for (; child < last; ++child)
			sum = AddRow(sum, child->weight, &fine[child->row]);
		task->coarse->r.data[r] = sum;
	}
}

// z of the finer level gets what the coarser one found.
static void ProlongRange(uint32_t start, uint32_t end, uint32_t worker, void* context)
{
	(void)worker;
	const LevelTask* task = context;
	const HierarchyLevel* rows = task->finerRows;
	const Vec4* coarse = task->coarse->z.data;
	Vec4* z = task->fine->z.data;
	uint32_t r = start;
	for (; r < MinU32(end, rows->coarser); ++r)
		z[r] = AddRow(z[r], 1.0f, &coarse[r]);
	for (; r < end; ++r)
	{
		const RowParents* parents = &rows->parents.data[r - rows->coarser];
		Vec4 sum = AddRow(z[r], parents->weight[0], &coarse[parents->row[0]]);
		sum = AddRow(sum, parents->weight[1], &coarse[parents->row[1]]);
		if (parents->weight[2] > 0.0f)
			sum = AddRow(sum, parents->weight[2], &coarse[parents->row[2]]);
		z[r] = sum;
	}
}

static void SwapZT(MultigridLevel* level)
{
	Vec4* z = level->z.data;
	uint32_t capacity = level->z.capacity;
	level->z.data = level->t.data;
	level->z.capacity = level->t.capacity;
	level->t.data = z;
	level->t.capacity = capacity;
}

static void SolveCoarsest(Multigrid* multigrid, TaskPool* tasks)
{
	MultigridLevel* level = &multigrid->levels[0];
	if (multigrid->dense.size > 0 && multigrid->dense.isUsable)
	{
		DenseFactor_Solve(&multigrid->dense, level->r.data, level->z.data);
		return;
	}
	BlockMatrix_RelaxFromZero(&level->matrix, smoothing, level->r.data, level->z.data, tasks);
	for (int i = 1; i < coarsestSweeps && multigrid->levelCount > 1; ++i)
	{
		BlockMatrix_Relax(&level->matrix, smoothing, level->r.data, level->z.data, level->t.data, tasks);
		SwapZT(level);
	}
}

// One sweep before, the coarser levels, one sweep after: symmetric. The first sweep from zero is done. Measured against
// more sweeps, Chebyshev's, adding the levels up on the finest or everywhere, and none before: all take more time.
// Returns r . z
static double Cycle(Multigrid* multigrid, uint32_t k, TaskPool* tasks)
{
	MultigridLevel* level = &multigrid->levels[k];
	LevelTask task = {&multigrid->hierarchy->levels[k], level, &multigrid->levels[k - 1]};
	BlockMatrix_Residual(&level->matrix, true, level->r.data, level->z.data, level->t.data, tasks);
	TaskPool_For(tasks, task.coarse->matrix.rowCount, rowGrain, RestrictRange, &task);
	if (k == 1)
	{
		SolveCoarsest(multigrid, tasks);
	}
	else
	{
		BlockMatrix_RelaxFromZero(&task.coarse->matrix, smoothing, task.coarse->r.data, task.coarse->z.data, tasks);
		Cycle(multigrid, k - 1, tasks);
	}
	TaskPool_For(tasks, level->matrix.rowCount, rowGrain, ProlongRange, &task);
	double product = BlockMatrix_Relax(&level->matrix, smoothing, level->r.data, level->z.data, level->t.data, tasks);
	SwapZT(level);
	return product;
}

// The sum of the smoothers of all levels (Bramble, Pasciak and Xu 1990).
static void SumOfLevels(Multigrid* multigrid, TaskPool* tasks)
{
	uint32_t finest = multigrid->levelCount - 1;
	for (uint32_t k = finest; k > 0; --k)
	{
		MultigridLevel* level = &multigrid->levels[k];
		LevelTask task = {&multigrid->hierarchy->levels[k], level, &multigrid->levels[k - 1]};
		if (k < finest)
			BlockMatrix_RelaxFromZero(&level->matrix, 1.0f, level->r.data, level->z.data, tasks);
		uint32_t padded = BlockMatrix_PaddedRows(level->matrix.rowCount);
		memcpy(level->t.data, level->r.data, padded * sizeof(Vec4));
		TaskPool_For(tasks, task.coarse->matrix.rowCount, rowGrain, RestrictRange, &task);
	}
	SolveCoarsest(multigrid, tasks);
	for (uint32_t k = 1; k <= finest; ++k)
	{
		LevelTask task = {&multigrid->hierarchy->levels[k], &multigrid->levels[k], &multigrid->levels[k - 1]};
		TaskPool_For(tasks, task.fine->matrix.rowCount, rowGrain, ProlongRange, &task);
	}
}

float Multigrid_Omega(drapePreconditioner kind)
{
	return kind == drape_preconditionerMultigrid ? smoothing : 1.0f;
}

double Multigrid_Apply(Multigrid* multigrid, drapePreconditioner kind, TaskPool* tasks)
{
	MultigridLevel* finest = &multigrid->levels[multigrid->levelCount - 1];
	bool hasLevels = multigrid->levelCount > 1;
	if (kind == drape_preconditionerMultigrid && hasLevels)
		return Cycle(multigrid, multigrid->levelCount - 1, tasks);
	if (kind == drape_preconditionerBpx && hasLevels)
		SumOfLevels(multigrid, tasks);
	return BlockMatrix_Dot(&finest->matrix, finest->r.data, finest->z.data, tasks);
}
