// SPDX-License-Identifier: MIT
#include "solve/multigrid.h"

#include "base/simd.h"

#include <string.h>

enum
{
	edgeGrain = 512, // coarse blocks per task
	rowGrain = 512,
	emitGrain = 32,     // coarse rows per task of the build
	termsAhead = 16,    // the list of terms has as many past its end
	coarsestSweeps = 8, // on a coarsest level that is too large to be solved exactly
	mostExtraSweeps = 7,
	largeLevel = 2048, // rows
};

// Damping of the smoother. The largest eigenvalue of block Jacobi is at most the number of particles of an element, and
// the smoother is positive definite while damping times eigenvalue stays below 2. On triangles the eigenvalue is about
// 2 for stretch and below 3 for the Laplacian that replaces the quadratic energy; measured, 0.65 needs the fewest
// iterations. Elements of four particles bring it close to 4.
static float Smoothing(const Multigrid* multigrid)
{
	return multigrid->elementParticles > 3 ? 0.48f : 0.65f;
}

// On each coarser level, the quadratic energy resists the roughest shapes of the mesh with a quarter of the force.
static const float coarseQuadratic = 0.25f;

void drapeMultigrid_ReleaseScratch(Multigrid* multigrid)
{
	for (uint32_t k = 0; k < hierarchyLevels; ++k)
		drapeBlockMatrix_ReleaseScratch(&multigrid->levels[k].matrix);
	ArrayFree(&multigrid->emitted);
	ArrayFree(&multigrid->termCount);
	ArrayFree(&multigrid->marks);
	ArrayFree(&multigrid->diagonal);
}

void drapeMultigrid_Destroy(Multigrid* multigrid)
{
	drapeMultigrid_ReleaseScratch(multigrid);
	for (uint32_t k = 0; k < hierarchyLevels; ++k)
	{
		MultigridLevel* level = &multigrid->levels[k];
		drapeBlockMatrix_Destroy(&level->matrix);
		ArrayFree(&level->termStart);
		ArrayFree(&level->terms);
		ArrayFree(&level->r);
		ArrayFree(&level->z);
		ArrayFree(&level->t);
		ArrayFree(&level->pairProduct);
	}
	drapeDenseFactor_Destroy(&multigrid->dense);
	*multigrid = (Multigrid){0};
}

MultigridLevel* drapeMultigrid_Finest(Multigrid* multigrid, const Hierarchy* hierarchy)
{
	DRAPE_ASSERT(hierarchy->levelCount > 0 && hierarchy->levelCount <= hierarchyLevels);
	multigrid->hierarchy = hierarchy;
	multigrid->levelCount = hierarchy->levelCount;
	return &multigrid->levels[hierarchy->levelCount - 1];
}

// --- structure ------------------------------------------------------------------------------------------------------

// Each coarse row is built on its own, from its fine rows and their couplings: all couplings with higher coarse rows
// are emitted, then sorted by the higher row.
typedef struct BuildTask
{
	Multigrid* multigrid;
	const HierarchyLevel* level; // the finer one
	const BlockMatrix* fine;
	MultigridLevel* coarse;
} BuildTask;

typedef struct Emitter
{
	EmittedTerm* next;
	uint32_t row; // coarse
} Emitter;

// Only couplings with higher rows are kept. Every term is written; the next one overwrites a term that is not kept.
DRAPE_INLINE void EmitItem(Emitter* emitter, uint32_t high, uint32_t source, float weight)
{
	*emitter->next = (EmittedTerm){.term = {source, weight}, .high = high};
	emitter->next += (high > emitter->row) & (weight > 0.0f);
}

// Emits the block between a fine row that has `weight` in the coarse one and another fine row, whose parents are two in
// most cases.
DRAPE_INLINE void Emit(Emitter* emitter, const HierarchyLevel* level, uint32_t other, uint32_t source, float weight)
{
	if (other < level->coarser)
	{
		EmitItem(emitter, other, source, weight);
		return;
	}
	const RowParents* parents = &level->parents.data[other - level->coarser];
	EmitItem(emitter, parents->row[0], source, weight * parents->weight[0]);
	EmitItem(emitter, parents->row[1], source, weight * parents->weight[1]);
	if (parents->weight[2] > 0.0f)
		EmitItem(emitter, parents->row[2], source, weight * parents->weight[2]);
}

// Emits the couplings of one fine row, and its diagonal block, which couples its parents.
DRAPE_INLINE void EmitRow(Emitter* emitter, const BuildTask* task, uint32_t row, float weight)
{
	const BlockMatrix* fine = task->fine;
	const HierarchyLevel* level = task->level;
	const RowEdge* lower = fine->lowers.data + fine->lowerStart.data[row];
	const RowEdge* lowerEnd = fine->lowers.data + fine->lowerStart.data[row + 1];
	uint32_t upper = fine->upperStart.data[row], upperEnd = fine->upperStart.data[row + 1];
	const RowPair* ends = fine->ends.data;
	for (; lower < lowerEnd; ++lower)
		Emit(emitter, level, lower->row, lower->edge << 1 | 1, weight);
	for (; upper < upperEnd; ++upper)
		Emit(emitter, level, ends[upper].b, upper << 1, weight);
	if (row >= level->coarser)
		Emit(emitter, level, row, (fine->edgeCount + (row - level->coarser)) << 1, weight);
}

// Numbers the different high rows; `marks` holds the number of each row. Returns their count.
static uint32_t NumberTerms(EmittedTerm* begin, const EmittedTerm* end, uint32_t* marks)
{
	uint32_t numbers = 0;
	for (EmittedTerm* term = begin; term < end; ++term)
	{
		if (marks[term->high] == DRAPE_NONE)
			marks[term->high] = numbers++;
		term->number = marks[term->high];
	}
	for (const EmittedTerm* term = begin; term < end; ++term)
		marks[term->high] = DRAPE_NONE;
	return numbers;
}

// Emits and numbers the terms of a coarse row. Returns the terms of this worker; `count` and `edges` are those of the row.
static const EmittedTerm* EmitCoarseRow(const BuildTask* task, uint32_t row, uint32_t worker, uint32_t* count,
                                        uint32_t* edges)
{
	Multigrid* multigrid = task->multigrid;
	const HierarchyLevel* level = task->level;
	EmittedTerm* first = multigrid->emitted.data + (size_t)worker * multigrid->mostEmitted;
	Emitter emitter = {.next = first, .row = row};
	EmitRow(&emitter, task, row, 1.0f);
	for (uint32_t c = level->childStart.data[row]; c < level->childStart.data[row + 1]; ++c)
		EmitRow(&emitter, task, level->children.data[c].row, level->children.data[c].weight);
	*count = (uint32_t)(emitter.next - first);
	DRAPE_ASSERT(*count < multigrid->mostEmitted);
	*edges = NumberTerms(first, emitter.next, multigrid->marks.data + (size_t)worker * level->coarser);
	return first;
}

static void CountRange(uint32_t start, uint32_t end, uint32_t worker, void* context)
{
	const BuildTask* task = context;
	for (uint32_t row = start; row < end; ++row)
		EmitCoarseRow(task, row, worker, &task->multigrid->termCount.data[row],
		              &task->coarse->matrix.upperStart.data[row]);
}

// Reserves space for the most terms that a coarse row could emit, and one more that is not kept, for each worker.
static bool PlanEmission(const BuildTask* task, uint32_t workers)
{
	Multigrid* multigrid = task->multigrid;
	const HierarchyLevel* level = task->level;
	uint32_t most = 0;
	for (uint32_t row = 0; row < level->coarser; ++row)
	{
		uint32_t own = 3 * BlockMatrix_Degree(task->fine, row);
		for (uint32_t c = level->childStart.data[row]; c < level->childStart.data[row + 1]; ++c)
			own += 3 * BlockMatrix_Degree(task->fine, level->children.data[c].row) + 2;
		most = MaxU32(most, own);
	}
	multigrid->mostEmitted = most + 1;
	return ArrayReserve(&multigrid->emitted, (size_t)workers * multigrid->mostEmitted);
}

// Turns counts into starts; returns the sum.
static uint32_t CountsToStarts(uint32_t* counts, uint32_t count)
{
	uint32_t sum = 0;
	for (uint32_t i = 0; i < count; ++i)
	{
		uint32_t own = counts[i];
		counts[i] = sum;
		sum += own;
	}
	return counts[count] = sum;
}

// Sorts the terms of one coarse row by number. It writes termStart of the edges after this row's first one, up to the
// next row's first edge.
static void SortRow(const BuildTask* task, uint32_t row, const EmittedTerm* emitted)
{
	MultigridLevel* coarse = task->coarse;
	const uint32_t *rowTerms = task->multigrid->termCount.data, *upperStart = coarse->matrix.upperStart.data;
	uint32_t firstEdge = upperStart[row], edges = upperStart[row + 1] - firstEdge;
	uint32_t terms = rowTerms[row + 1] - rowTerms[row], *start = coarse->termStart.data + firstEdge + 1;
	for (uint32_t k = 0; k < edges; ++k)
		start[k] = 0;
	for (uint32_t i = 0; i < terms; ++i)
		start[emitted[i].number]++;
	// Counts become starts. Filling in the terms turns starts into ends.
	for (uint32_t k = 0, sum = rowTerms[row]; k < edges; ++k)
	{
		uint32_t own = start[k];
		start[k] = sum;
		sum += own;
	}
	for (uint32_t i = 0; i < terms; ++i)
	{
		uint32_t number = emitted[i].number;
		coarse->matrix.ends.data[firstEdge + number] = (RowPair){row, emitted[i].high};
		coarse->terms.data[start[number]++] = emitted[i].term;
	}
}

// Emits all terms once more: storing them between the two passes would take several times the memory of the result.
static void SortRange(uint32_t start, uint32_t end, uint32_t worker, void* context)
{
	const BuildTask* task = context;
	for (uint32_t row = start; row < end; ++row)
	{
		uint32_t count, edges;
		const EmittedTerm* emitted = EmitCoarseRow(task, row, worker, &count, &edges);
		DRAPE_ASSERT(count == task->multigrid->termCount.data[row + 1] - task->multigrid->termCount.data[row]);
		SortRow(task, row, emitted);
	}
}

// Rows past the last are zero and never written; all others are written before they are read.
static bool ReserveVectors(MultigridLevel* level)
{
	DRAPE_ASSERT(level->matrix.rowCount > 0);
	uint32_t rows = level->matrix.rowCount, padded = BlockMatrix_PaddedRows(rows);
	if (!ArrayReserve(&level->r, padded) || !ArrayReserve(&level->z, padded) || !ArrayReserve(&level->t, padded))
		return false;
	for (uint32_t row = rows; row < padded; ++row)
		level->r.data[row] = level->z.data[row] = level->t.data[row] = (Vec4){0};
	return true;
}

static bool BuildEdges(BuildTask* task, uint32_t coarser, TaskPool* tasks)
{
	DRAPE_ASSERT(coarser <= task->level->coarser && task->level->coarser <= task->fine->rowCount);
	Multigrid* multigrid = task->multigrid;
	MultigridLevel* coarse = task->coarse;
	uint32_t rows = task->level->coarser, workers = drapeTaskPool_WorkerCount(tasks);
	if (!ArrayReserve(&multigrid->termCount, rows + 1) || !ArrayReserve(&multigrid->marks, (size_t)workers * rows) ||
	    !ArrayReserve(&coarse->matrix.upperStart, rows + 1) || !PlanEmission(task, workers))
		return false;
	memset(multigrid->marks.data, 0xff, (size_t)workers * rows * sizeof(uint32_t));
	drapeTaskPool_For(tasks, rows, emitGrain, CountRange, task);
	uint32_t terms = CountsToStarts(multigrid->termCount.data, rows);
	uint32_t edges = CountsToStarts(coarse->matrix.upperStart.data, rows);
	if (!drapeBlockMatrix_Reserve(&coarse->matrix, rows, coarser, edges) ||
	    !ArrayReserve(&coarse->termStart, edges + 1) || !ArrayReserve(&coarse->terms, terms + termsAhead))
		return false;
	memset(coarse->terms.data + terms, 0, termsAhead * sizeof(GalerkinTerm));
	coarse->termStart.data[0] = 0;
	drapeTaskPool_For(tasks, rows, emitGrain, SortRange, task);
	drapeBlockMatrix_ListEdges(&coarse->matrix);
	return true;
}

static void DiagonalRange(uint32_t start, uint32_t end, uint32_t worker, void* context)
{
	(void)worker;
	const BuildTask* task = context;
	const BlockMatrix* fine = task->fine;
	for (uint32_t row = fine->coarser + start; row < fine->coarser + end; ++row)
	{
		float sum = 0.0f;
		for (uint32_t i = fine->lowerStart.data[row]; i < fine->lowerStart.data[row + 1]; ++i)
			sum -= fine->edgeLump.data[fine->lowers.data[i].edge];
		for (uint32_t e = fine->upperStart.data[row]; e < fine->upperStart.data[row + 1]; ++e)
			sum -= fine->edgeLump.data[e];
		task->multigrid->diagonal.data[row - fine->coarser] = sum;
	}
}

static void LaplacianRange(uint32_t start, uint32_t end, uint32_t worker, void* context)
{
	(void)worker;
	const BuildTask* task = context;
	const BlockMatrix* fine = task->fine;
	const MultigridLevel* coarse = task->coarse;
	for (uint32_t e = start; e < end; ++e)
	{
		float sum = 0.0f;
		for (uint32_t i = coarse->termStart.data[e]; i < coarse->termStart.data[e + 1]; ++i)
		{
			uint32_t block = coarse->terms.data[i].source >> 1;
			bool isEdge = block < fine->edgeCount;
			sum += coarse->terms.data[i].weight *
			       (isEdge ? fine->edgeLump.data[block] : task->multigrid->diagonal.data[block - fine->edgeCount]);
		}
		coarse->matrix.edgeLump.data[e] = coarse->matrix.edgeQuadratic.data[e] = coarseQuadratic * sum;
	}
}

// The Laplacian that replaces the quadratic energy: the Galerkin product of the finer level's, softened as bending is
// on a coarser mesh.
static bool BuildLaplacian(BuildTask* task, TaskPool* tasks)
{
	uint32_t added = task->fine->rowCount - task->fine->coarser;
	if (!ArrayReserve(&task->multigrid->diagonal, added) || !drapeBlockMatrix_ClearWide(&task->coarse->matrix))
		return false;
	drapeTaskPool_For(tasks, added, rowGrain, DiagonalRange, task);
	drapeTaskPool_For(tasks, task->coarse->matrix.edgeCount, edgeGrain, LaplacianRange, task);
	return true;
}

// Clears the last group, which SumAnchors writes only in part.
static void ClearAnchors(BlockMatrix* matrix)
{
	if (matrix->groupCount > 0)
		memset(matrix->anchor.data + 48 * (size_t)(matrix->groupCount - 1), 0, 48 * sizeof(float));
}

// The coarsest level, unless it is too large or the only one.
static bool ReserveDense(Multigrid* multigrid)
{
	multigrid->dense.isUsable = false;
	multigrid->dense.size = 0;
	const BlockMatrix* coarsest = &multigrid->levels[0].matrix;
	return multigrid->levelCount == 1 || coarsest->rowCount > denseRows ||
	       drapeDenseFactor_Reserve(&multigrid->dense, coarsest->rowCount);
}

bool drapeMultigrid_Build(Multigrid* multigrid, TaskPool* tasks)
{
	DRAPE_ASSERT(multigrid->hierarchy && multigrid->levelCount == multigrid->hierarchy->levelCount);
	multigrid->listedBy = NULL;
	MultigridLevel* finest = &multigrid->levels[multigrid->levelCount - 1];
	if (!ReserveVectors(finest) || !drapeBlockMatrix_BuildSlices(&finest->matrix, tasks))
		return false;
	for (uint32_t k = multigrid->levelCount - 1; k-- > 0;)
	{
		const HierarchyLevel* levels = multigrid->hierarchy->levels;
		MultigridLevel* coarse = &multigrid->levels[k];
		BuildTask task = {multigrid, &levels[k + 1], &multigrid->levels[k + 1].matrix, coarse};
		if (!BuildEdges(&task, levels[k].coarser, tasks) || !ReserveVectors(coarse) || !BuildLaplacian(&task, tasks) ||
		    !drapeBlockMatrix_BuildSlices(&coarse->matrix, tasks))
			return false;
		ClearAnchors(&coarse->matrix);
	}
	return ReserveDense(multigrid);
}

void drapeMultigrid_Borrow(Multigrid* multigrid, const Hierarchy* hierarchy)
{
	DRAPE_ASSERT(hierarchy->levelCount == multigrid->levelCount);
	for (uint32_t k = 0; k < hierarchyLevels; ++k)
	{
		MultigridLevel* level = &multigrid->levels[k];
		drapeBlockMatrix_Borrow(&level->matrix);
		ArrayBorrow(&level->termStart);
		ArrayBorrow(&level->terms);
		ArrayForget(&level->r);
		ArrayForget(&level->z);
		ArrayForget(&level->t);
		ArrayForget(&level->pairProduct);
	}
	ArrayForget(&multigrid->emitted);
	ArrayForget(&multigrid->termCount);
	ArrayForget(&multigrid->marks);
	ArrayForget(&multigrid->diagonal);
	multigrid->hierarchy = hierarchy;
	multigrid->dense = (DenseFactor){0};
	multigrid->listedBy = NULL;
}

bool drapeMultigrid_ReserveValues(Multigrid* multigrid)
{
	for (uint32_t k = 0; k < multigrid->levelCount; ++k)
	{
		MultigridLevel* level = &multigrid->levels[k];
		if (!ReserveVectors(level) || !drapeBlockMatrix_ReserveValues(&level->matrix))
			return false;
		if (k + 1 < multigrid->levelCount)
			ClearAnchors(&level->matrix);
	}
	return ReserveDense(multigrid);
}

void drapeMultigrid_ReleaseValues(Multigrid* multigrid)
{
	for (uint32_t k = 0; k < hierarchyLevels; ++k)
	{
		MultigridLevel* level = &multigrid->levels[k];
		drapeBlockMatrix_ReleaseValues(&level->matrix);
		ArrayFree(&level->r);
		ArrayFree(&level->z);
		ArrayFree(&level->t);
		ArrayFree(&level->pairProduct);
	}
	drapeDenseFactor_Destroy(&multigrid->dense);
}

// --- values ---------------------------------------------------------------------------------------------------------

typedef struct LevelTask
{
	const HierarchyLevel* finerRows;
	MultigridLevel *fine, *coarse;
	float omega; // damping of the first sweep on the coarse level, which follows the restriction; 0 for none
} LevelTask;

// Adds all four components, so that the compiler can use one vector operation.
DRAPE_INLINE Vec4 AddRow(Vec4 sum, float weight, const Vec4* row)
{
	return (Vec4){sum.x + weight * row->x, sum.y + weight * row->y, sum.z + weight * row->z, sum.w + weight * row->w};
}

// Adds up blocks and transposed blocks apart, and transposes one sum. Blocks are scattered in memory and fetched ahead.
DRAPE_INLINE void SumTerms(const float* fine, const GalerkinTerm* term, const GalerkinTerm* last, float* block)
{
	const F8 zero = F8_Splat(0.0f);
	F8 sum[2] = {zero, zero};
	float zz[2] = {0.0f, 0.0f}, a[8], b[8];
	for (; term < last; ++term)
	{
		const char* ahead = (const char*)(fine + blockFloats * (size_t)(term[termsAhead].source >> 1));
		DRAPE_PREFETCH(ahead);
		DRAPE_PREFETCH(ahead + 35);
		const float* own = fine + blockFloats * (size_t)(term->source >> 1);
		uint32_t side = term->source & 1;
		sum[side] = F8_Add(sum[side], F8_Mul(F8_Splat(term->weight), F8_Load(own)));
		zz[side] += term->weight * own[8];
	}
	F8_Store(a, sum[0]);
	F8_Store(b, sum[1]);
	const float turned[8] = {b[0], b[3], b[6], b[1], b[4], b[7], b[2], b[5]};
	F8_Store(block, F8_Add(F8_Load(a), F8_Load(turned)));
	block[8] = zz[0] + zz[1];
}

static void SumBlocks(uint32_t start, uint32_t end, uint32_t worker, void* context)
{
	(void)worker;
	const LevelTask* task = context;
	const MultigridLevel* coarse = task->coarse;
	const GalerkinTerm* terms = coarse->terms.data;
	for (uint32_t e = start; e < end; ++e)
		SumTerms(task->fine->matrix.blocks.data, terms + coarse->termStart.data[e],
		         terms + coarse->termStart.data[e + 1], &coarse->matrix.blocks.data[blockFloats * (size_t)e]);
}

static void SumAnchors(uint32_t start, uint32_t end, uint32_t worker, void* context)
{
	(void)worker;
	const LevelTask* task = context;
	const HierarchyLevel* rows = task->finerRows;
	const float* fine = task->fine->matrix.anchor.data;
	float* coarse = task->coarse->matrix.anchor.data;
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

void drapeMultigrid_Update(Multigrid* multigrid, drapePreconditioner kind, TaskPool* tasks)
{
	DRAPE_ASSERT(multigrid->levelCount > 0 && (unsigned)kind <= drape_preconditionerJacobi);
	uint32_t finest = multigrid->levelCount - 1;
	for (uint32_t k = 0; k <= finest; ++k)
		multigrid->levels[k].matrix.hasSurplus = multigrid->hasPairs;
	drapeBlockMatrix_Update(&multigrid->levels[finest].matrix, tasks);
	if (kind == drape_preconditionerJacobi)
		return;
	for (uint32_t k = finest; k-- > 0;)
	{
		LevelTask task = {&multigrid->hierarchy->levels[k + 1], &multigrid->levels[k + 1], &multigrid->levels[k], 0.0f};
		BlockMatrix* coarse = &task.coarse->matrix;
		coarse->quadraticScale = task.fine->matrix.quadraticScale;
		drapeTaskPool_For(tasks, coarse->edgeCount, edgeGrain, SumBlocks, &task);
		drapeTaskPool_For(tasks, coarse->rowCount, rowGrain, SumAnchors, &task);
		drapeBlockMatrix_Update(coarse, tasks);
	}
	multigrid->dense.isUsable = false;
	if (multigrid->dense.size > 0 && !(multigrid->hasPairs && multigrid->isJoined))
		drapeDenseFactor_Update(&multigrid->dense, &multigrid->levels[0].matrix);
}

// --- cycles ---------------------------------------------------------------------------------------------------------

// Restricts t to the right-hand side of the coarser level, and makes the first sweep there, from zero.
static void RestrictRange(uint32_t start, uint32_t end, uint32_t worker, void* context)
{
	(void)worker;
	const LevelTask* task = context;
	const HierarchyLevel* rows = task->finerRows;
	const Vec4* fine = task->fine->t.data;
	for (uint32_t g = start; g < end; ++g)
	{
		Vec4 lanes[8];
		V8 sum = V8_LoadRows(fine + 8 * g);
		for (uint32_t slot = rows->laneStart.data[g]; slot < rows->laneStart.data[g + 1]; ++slot)
			sum = V8_Add(sum, V8_Scale(F8_Load(&rows->laneWeight.data[8 * slot]),
			                           V8_GatherAt(fine, &rows->laneOffset.data[8 * slot])));
		// Rows past the last stay zero.
		V8_StoreRows(lanes, sum);
		uint32_t count = MinU32(8, rows->coarser - 8 * g);
		memcpy(task->coarse->r.data + 8 * g, lanes, count * sizeof(Vec4));
		if (!(task->omega > 0.0f))
			continue;
		const float* inverse = &task->coarse->matrix.inverse.data[48 * g];
		V8_StoreRows(lanes, V8_Scale(F8_Splat(task->omega), BlockMatrix_SymmetricTimes(inverse, sum)));
		memcpy(task->coarse->z.data + 8 * g, lanes, count * sizeof(Vec4));
	}
}

// Adds the coarser level's correction to z of the finer one, eight rows at a time.
static void ProlongRange(uint32_t start, uint32_t end, uint32_t worker, void* context)
{
	(void)worker;
	const LevelTask* task = context;
	const HierarchyLevel* rows = task->finerRows;
	const Vec4* coarse = task->coarse->z.data;
	Vec4* z = task->fine->z.data;
	uint32_t r = 8 * start, last = MinU32(8 * end, task->fine->matrix.rowCount);
	for (; r < MinU32(last, rows->coarser); ++r)
		z[r] = AddRow(z[r], 1.0f, &coarse[r]);
	for (; r < last; ++r)
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

bool drapeMultigrid_ReservePairs(Multigrid* multigrid)
{
	for (uint32_t k = 0; k < multigrid->levelCount; ++k)
	{
		MultigridLevel* level = &multigrid->levels[k];
		size_t groups = level->matrix.groupCount;
		if (!ArrayReserve(&level->matrix.surplus, 48 * groups) || !ArrayReserve(&level->pairProduct, 8 * groups))
			return false;
		memset(level->matrix.surplus.data, 0, 48 * groups * sizeof(float));
		memset(level->pairProduct.data, 0, 8 * groups * sizeof(Vec4));
	}
	return true;
}

static const Vec4* PairProduct(const Multigrid* multigrid, uint32_t k)
{
	return multigrid->hasPairs ? multigrid->levels[k].pairProduct.data : NULL;
}

// The product of level k with z, into t.
static MatrixProduct ProductOf(Multigrid* multigrid, uint32_t k)
{
	DRAPE_ASSERT(k < multigrid->levelCount);
	MultigridLevel* level = &multigrid->levels[k];
	return (MatrixProduct){.matrix = &level->matrix,
	                       .b = level->r.data,
	                       .c = PairProduct(multigrid, k),
	                       .x = level->z.data,
	                       .y = level->t.data,
	                       .omega = Smoothing(multigrid)};
}

static LevelTask TaskOf(Multigrid* multigrid, uint32_t k)
{
	DRAPE_ASSERT(k > 0 && k < multigrid->levelCount);
	return (LevelTask){.finerRows = &multigrid->hierarchy->levels[k],
	                   .fine = &multigrid->levels[k],
	                   .coarse = &multigrid->levels[k - 1]};
}

double drapeMultigrid_Smooth(Multigrid* const* grids, uint32_t count, uint32_t k, TaskPool* tasks)
{
	MatrixProduct products[matrixMostSystems];
	for (uint32_t i = 0; i < count; ++i)
		products[i] = ProductOf(grids[i], k);
	double sum = drapeMatrixProducts_Relax(products, count, tasks);
	for (uint32_t i = 0; i < count; ++i)
		SwapZT(&grids[i]->levels[k]);
	return sum;
}

void drapeMultigrid_SmoothFromZero(Multigrid* const* grids, uint32_t count, uint32_t k, TaskPool* tasks)
{
	MatrixProduct products[matrixMostSystems];
	for (uint32_t i = 0; i < count; ++i)
	{
		products[i] = ProductOf(grids[i], k);
		products[i].y = grids[i]->levels[k].z.data;
		products[i].x = NULL;
	}
	drapeMatrixProducts_RelaxFromZero(products, count, tasks);
}

void drapeMultigrid_Descend(Multigrid* const* grids, uint32_t count, uint32_t k, TaskPool* tasks)
{
	MatrixProduct products[matrixMostSystems];
	LevelTask restrictions[matrixMostSystems];
	MatrixLoop loops[matrixMostSystems];
	for (uint32_t i = 0; i < count; ++i)
	{
		products[i] = ProductOf(grids[i], k);
		restrictions[i] = TaskOf(grids[i], k);
		restrictions[i].omega = k > 1 ? Smoothing(grids[i]) : 0.0f;
		loops[i] = (MatrixLoop){restrictions[i].coarse->matrix.groupCount, &restrictions[i]};
	}
	drapeMatrixProducts_SmoothResidual(products, count, tasks);
	drapeMatrixLoops_Run(loops, count, RestrictRange, tasks);
}

void drapeMultigrid_Prolong(Multigrid* const* grids, uint32_t count, uint32_t k, TaskPool* tasks)
{
	LevelTask prolongations[matrixMostSystems];
	MatrixLoop loops[matrixMostSystems];
	for (uint32_t i = 0; i < count; ++i)
	{
		prolongations[i] = TaskOf(grids[i], k);
		loops[i] = (MatrixLoop){prolongations[i].fine->matrix.groupCount, &prolongations[i]};
	}
	drapeMatrixLoops_Run(loops, count, ProlongRange, tasks);
}

void drapeMultigrid_SweepCoarsest(Multigrid* multigrid, bool isFirst, TaskPool* tasks)
{
	MultigridLevel* level = &multigrid->levels[0];
	bool isDense = multigrid->dense.size > 0 && multigrid->dense.isUsable;
	if (isFirst && isDense)
	{
		drapeDenseFactor_Solve(&multigrid->dense, level->r.data, level->z.data);
	}
	else if (isDense)
	{
		MatrixProduct product = ProductOf(multigrid, 0);
		drapeMatrixProducts_SmoothResidual(&product, 1, tasks);
		drapeDenseFactor_AddSolution(&multigrid->dense, level->t.data, level->z.data);
	}
	else if (isFirst)
	{
		drapeMultigrid_SmoothFromZero(&multigrid, 1, 0, tasks);
	}
	else
	{
		drapeMultigrid_Smooth(&multigrid, 1, 0, tasks);
	}
}

static void SolveCoarsest(Multigrid* multigrid, TaskPool* tasks)
{
	drapeMultigrid_SweepCoarsest(multigrid, true, tasks);
	for (int i = 1; i < coarsestSweeps && multigrid->levelCount > 1 && !multigrid->dense.isUsable; ++i)
		drapeMultigrid_SweepCoarsest(multigrid, false, tasks);
}

uint32_t drapeMultigrid_ExtraSweeps(const Multigrid* multigrid, uint32_t k)
{
	DRAPE_ASSERT(k < multigrid->levelCount);
	uint32_t depth = multigrid->levelCount - 1 - k;
	if (depth < 2)
		return 0;
	uint32_t extra = (1u << MinU32(depth - 1, 8)) - 1;
	bool isLarge = multigrid->levels[k].matrix.rowCount > largeLevel;
	return MinU32(isLarge ? 2 * extra + 1 : extra, mostExtraSweeps);
}

// A symmetric cycle: sweeps before, the coarser levels, as many sweeps after. The caller has done the first sweep from
// zero. More sweeps on the finest levels, Chebyshev smoothing, additive levels and no sweep before were measured: all
// take more time. Returns r . z
static double Cycle(Multigrid* multigrid, uint32_t k, TaskPool* tasks)
{
	DRAPE_ASSERT(k > 0 && k < multigrid->levelCount);
	uint32_t extra = drapeMultigrid_ExtraSweeps(multigrid, k);
	for (uint32_t i = 0; i < extra; ++i)
		drapeMultigrid_Smooth(&multigrid, 1, k, tasks);
	drapeMultigrid_Descend(&multigrid, 1, k, tasks);
	if (k == 1)
		SolveCoarsest(multigrid, tasks);
	else
		Cycle(multigrid, k - 1, tasks);
	drapeMultigrid_Prolong(&multigrid, 1, k, tasks);
	for (uint32_t i = 0; i < extra; ++i)
		drapeMultigrid_Smooth(&multigrid, 1, k, tasks);
	return drapeMultigrid_Smooth(&multigrid, 1, k, tasks);
}

// The sum of the smoothers of all levels (Bramble, Pasciak and Xu 1990).
static void SumOfLevels(Multigrid* multigrid, TaskPool* tasks)
{
	uint32_t finest = multigrid->levelCount - 1;
	for (uint32_t k = finest; k > 0; --k)
	{
		MultigridLevel* level = &multigrid->levels[k];
		LevelTask task = TaskOf(multigrid, k);
		if (k < finest)
			drapeBlockMatrix_RelaxFromZero(&level->matrix, 1.0f, level->r.data, level->z.data, tasks);
		uint32_t padded = BlockMatrix_PaddedRows(level->matrix.rowCount);
		memcpy(level->t.data, level->r.data, padded * sizeof(Vec4));
		Matrix_For(tasks, task.coarse->matrix.groupCount, RestrictRange, &task);
	}
	SolveCoarsest(multigrid, tasks);
	for (uint32_t k = 1; k <= finest; ++k)
		drapeMultigrid_Prolong(&multigrid, 1, k, tasks);
}

float drapeMultigrid_Omega(const Multigrid* multigrid, drapePreconditioner kind)
{
	DRAPE_ASSERT((unsigned)kind <= drape_preconditionerJacobi);
	return kind == drape_preconditionerMultigrid ? Smoothing(multigrid) : 1.0f;
}

double drapeMultigrid_Apply(Multigrid* multigrid, drapePreconditioner kind, TaskPool* tasks)
{
	DRAPE_ASSERT(multigrid->levelCount > 0);
	MultigridLevel* finest = &multigrid->levels[multigrid->levelCount - 1];
	bool hasLevels = multigrid->levelCount > 1;
	if (kind == drape_preconditionerMultigrid && hasLevels)
		return Cycle(multigrid, multigrid->levelCount - 1, tasks);
	if (kind == drape_preconditionerBpx && hasLevels)
		SumOfLevels(multigrid, tasks);
	return drapeBlockMatrix_Dot(&finest->matrix, finest->r.data, finest->z.data, tasks);
}
