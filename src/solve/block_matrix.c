// SPDX-License-Identifier: MIT
#include "solve/block_matrix.h"

#include "base/simd.h"

#include <string.h>

void drapeBlockMatrix_ReleaseScratch(BlockMatrix* matrix)
{
	ArrayFree(&matrix->lowers);
	ArrayFree(&matrix->edgeQuadratic);
	ArrayFree(&matrix->edgeLump);
}

void drapeBlockMatrix_Destroy(BlockMatrix* matrix)
{
	drapeBlockMatrix_ReleaseScratch(matrix);
	ArrayFree(&matrix->ends);
	ArrayFree(&matrix->upperStart);
	ArrayFree(&matrix->lowerStart);
	ArrayFree(&matrix->blocks);
	ArrayFree(&matrix->ringStart);
	ArrayFree(&matrix->ringOffset);
	ArrayFree(&matrix->ringSource);
	ArrayFree(&matrix->ringQuadratic);
	ArrayFree(&matrix->ringRest);
	ArrayFree(&matrix->ring);
	ArrayFree(&matrix->wideStart);
	ArrayFree(&matrix->wideOffset);
	ArrayFree(&matrix->wide);
	ArrayFree(&matrix->anchor);
	ArrayFree(&matrix->inverse);
	ArrayFree(&matrix->surplus);
	ArrayFree(&matrix->partials);
	*matrix = (BlockMatrix){0};
}

void drapeBlockMatrix_Borrow(BlockMatrix* matrix)
{
	ArrayForget(&matrix->lowers);
	ArrayForget(&matrix->edgeQuadratic);
	ArrayForget(&matrix->edgeLump);
	ArrayBorrow(&matrix->ends);
	ArrayBorrow(&matrix->upperStart);
	ArrayBorrow(&matrix->lowerStart);
	ArrayBorrow(&matrix->ringStart);
	ArrayBorrow(&matrix->ringOffset);
	ArrayBorrow(&matrix->ringSource);
	ArrayBorrow(&matrix->ringQuadratic);
	ArrayBorrow(&matrix->ringRest);
	ArrayBorrow(&matrix->wideStart);
	ArrayBorrow(&matrix->wideOffset);
	ArrayBorrow(&matrix->wide);
	ArrayForget(&matrix->blocks);
	ArrayForget(&matrix->ring);
	ArrayForget(&matrix->anchor);
	ArrayForget(&matrix->inverse);
	ArrayForget(&matrix->surplus);
	ArrayForget(&matrix->partials);
}

// --- loops ----------------------------------------------------------------------------------------------------------

typedef struct LoopBatch
{
	const MatrixLoop* loops;
	drapeTaskFcn* fcn;
	uint32_t start[matrixMostSystems + 1]; // first chunk of each loop
} LoopBatch;

static void ChunkRange(uint32_t start, uint32_t end, uint32_t worker, void* context)
{
	const LoopBatch* batch = context;
	uint32_t i = 0;
	for (uint32_t chunk = start; chunk < end; ++chunk)
	{
		while (batch->start[i + 1] <= chunk)
			++i;
		uint32_t first = matrixGrain * (chunk - batch->start[i]);
		batch->fcn(first, MinU32(first + matrixGrain, batch->loops[i].groupCount), worker, batch->loops[i].context);
	}
}

void drapeMatrixLoops_Run(MatrixLoop* loops, uint32_t count, drapeTaskFcn* fcn, TaskPool* tasks)
{
	DRAPE_ASSERT(count <= matrixMostSystems);
	LoopBatch batch = {.loops = loops, .fcn = fcn};
	uint32_t groups = 0;
	for (uint32_t i = 0; i < count; ++i)
	{
		groups += loops[i].groupCount;
		batch.start[i + 1] = batch.start[i] + TaskPool_ChunkCount(loops[i].groupCount, matrixGrain);
	}
	if (count == 1)
		Matrix_For(tasks, loops->groupCount, fcn, loops->context);
	else if (groups > matrixAlone)
		drapeTaskPool_For(tasks, batch.start[count], 1, ChunkRange, &batch);
	else
		ChunkRange(0, batch.start[count], 0, &batch);
}

// --- structure ------------------------------------------------------------------------------------------------------

// Blocks of edges, of the rows that this level adds, and one of zeros.
static size_t BlockCount(const BlockMatrix* matrix)
{
	return (size_t)matrix->edgeCount + (matrix->rowCount - matrix->coarser) + 1;
}

static bool ReserveRows(BlockMatrix* matrix)
{
	size_t groups = matrix->groupCount;
	return ArrayReserve(&matrix->blocks, blockFloats * BlockCount(matrix)) &&
	       ArrayReserve(&matrix->anchor, 48 * groups) && ArrayReserve(&matrix->inverse, 48 * groups) &&
	       ArrayReserve(&matrix->partials, TaskPool_ChunkCount(matrix->groupCount, matrixGrain));
}

static void ClearZeroBlock(BlockMatrix* matrix)
{
	memset(matrix->blocks.data + blockFloats * (BlockCount(matrix) - 1), 0, blockFloats * sizeof(float));
}

bool drapeBlockMatrix_ReserveValues(BlockMatrix* matrix)
{
	DRAPE_ASSERT(matrix->ringStart.data);
	if (!ReserveRows(matrix) || !ArrayReserve(&matrix->ring, 72 * (size_t)matrix->ringStart.data[matrix->groupCount]))
		return false;
	ClearZeroBlock(matrix);
	return true;
}

void drapeBlockMatrix_ReleaseValues(BlockMatrix* matrix)
{
	ArrayFree(&matrix->blocks);
	ArrayFree(&matrix->ring);
	ArrayFree(&matrix->anchor);
	ArrayFree(&matrix->inverse);
	ArrayFree(&matrix->surplus);
	ArrayFree(&matrix->partials);
}

bool drapeBlockMatrix_Reserve(BlockMatrix* matrix, uint32_t rowCount, uint32_t coarser, uint32_t edgeCount)
{
	DRAPE_ASSERT(coarser <= rowCount);
	if (rowCount >= matrixMostRows)
		return false;
	uint32_t groups = BlockMatrix_PaddedRows(rowCount) / 8;
	matrix->rowCount = rowCount;
	matrix->groupCount = groups;
	matrix->coarser = coarser;
	matrix->edgeCount = edgeCount;
	if (BlockCount(matrix) >= UINT32_MAX / blockFloats)
		return false;
	return ArrayReserve(&matrix->ends, edgeCount) && ArrayReserve(&matrix->lowers, edgeCount) &&
	       ArrayReserve(&matrix->upperStart, rowCount + 1) && ArrayReserve(&matrix->lowerStart, rowCount + 1) &&
	       ArrayReserve(&matrix->edgeQuadratic, edgeCount) && ArrayReserve(&matrix->edgeLump, edgeCount) &&
	       ArrayReserve(&matrix->ringStart, groups + 1) && ReserveRows(matrix);
}

static bool ReserveSlots(BlockMatrix* matrix, size_t slots)
{
	return ArrayReserve(&matrix->ringOffset, 8 * slots) && ArrayReserve(&matrix->ringSource, 8 * slots) &&
	       ArrayReserve(&matrix->ringQuadratic, 8 * slots) && ArrayReserve(&matrix->ringRest, 8 * slots) &&
	       ArrayReserve(&matrix->ring, 72 * slots);
}

void drapeBlockMatrix_ListEdges(BlockMatrix* matrix)
{
	uint32_t rows = matrix->rowCount, edges = matrix->edgeCount, *lower = matrix->lowerStart.data;
	memset(lower, 0, ((size_t)rows + 1) * sizeof *lower);
	for (uint32_t e = 0, row = 0; row <= rows; ++row)
	{
		matrix->upperStart.data[row] = e;
		for (; e < edges && matrix->ends.data[e].a == row; ++e)
			lower[matrix->ends.data[e].b]++;
	}
	DRAPE_ASSERT(matrix->upperStart.data[rows] == edges);
	// Counts become ends. The edges are then filled in from the back, which turns ends into starts.
	uint32_t sum = 0;
	for (uint32_t row = 0; row < rows; ++row)
		lower[row] = sum += lower[row];
	lower[rows] = sum;
	for (uint32_t e = edges; e-- > 0;)
		matrix->lowers.data[--lower[matrix->ends.data[e].b]] = (RowEdge){e, matrix->ends.data[e].a};
}

typedef struct Lane
{
	BlockMatrix* matrix;
	uint32_t at, end; // in the arrays of slots
} Lane;

DRAPE_INLINE void PutEntry(Lane* lane, uint32_t column, uint32_t block, float quadratic, float lump)
{
	BlockMatrix* matrix = lane->matrix;
	matrix->ringOffset.data[lane->at] = 16 * column;
	matrix->ringSource.data[lane->at] = blockFloats * block;
	matrix->ringQuadratic.data[lane->at] = quadratic;
	matrix->ringRest.data[lane->at] = quadratic - lump;
	lane->at += 8;
}

static void SliceRow(BlockMatrix* matrix, uint32_t row, uint32_t zero)
{
	uint32_t g = row / 8;
	Lane lane = {matrix, 8 * matrix->ringStart.data[g] + row % 8, 8 * matrix->ringStart.data[g + 1]};
	if (row < matrix->rowCount)
	{
		const float *quadratic = matrix->edgeQuadratic.data, *lump = matrix->edgeLump.data;
		for (uint32_t i = matrix->lowerStart.data[row]; i < matrix->lowerStart.data[row + 1]; ++i)
		{
			RowEdge lower = matrix->lowers.data[i];
			PutEntry(&lane, lower.row, lower.edge, quadratic[lower.edge], lump[lower.edge]);
		}
		for (uint32_t e = matrix->upperStart.data[row]; e < matrix->upperStart.data[row + 1]; ++e)
			PutEntry(&lane, matrix->ends.data[e].b, e, quadratic[e], lump[e]);
	}
	// A row with fewer entries than others of its group is padded with itself: x_i - x_i is zero.
	while (lane.at < lane.end)
		PutEntry(&lane, row, zero, 0.0f, 0.0f);
}

static void SliceRange(uint32_t start, uint32_t end, uint32_t worker, void* context)
{
	(void)worker;
	BlockMatrix* matrix = context;
	uint32_t zero = matrix->edgeCount + (matrix->rowCount - matrix->coarser);
	for (uint32_t row = 8 * start; row < 8 * end; ++row)
		SliceRow(matrix, row, zero);
}

bool drapeBlockMatrix_BuildSlices(BlockMatrix* matrix, TaskPool* tasks)
{
	uint32_t slots = 0;
	for (uint32_t g = 0; g < matrix->groupCount; ++g)
	{
		uint32_t most = 0;
		for (uint32_t row = 8 * g; row < MinU32(8 * g + 8, matrix->rowCount); ++row)
			most = MaxU32(most, BlockMatrix_Degree(matrix, row));
		matrix->ringStart.data[g] = slots;
		slots += most;
	}
	matrix->ringStart.data[matrix->groupCount] = slots;
	if (!ReserveSlots(matrix, slots))
		return false;
	ClearZeroBlock(matrix);
	Matrix_For(tasks, matrix->groupCount, SliceRange, matrix);
	return true;
}

bool drapeBlockMatrix_ClearWide(BlockMatrix* matrix)
{
	if (!ArrayReserve(&matrix->wideStart, matrix->groupCount + 1))
		return false;
	memset(matrix->wideStart.data, 0, ((size_t)matrix->groupCount + 1) * sizeof(uint32_t));
	return true;
}

// --- values ---------------------------------------------------------------------------------------------------------

// A symmetric 3x3 matrix in eight lanes.
typedef struct S8
{
	F8 xx, xy, xz, yy, yz, zz;
} S8;

DRAPE_INLINE S8 S8_Load(const float* p)
{
	return (S8){F8_Load(p), F8_Load(p + 8), F8_Load(p + 16), F8_Load(p + 24), F8_Load(p + 32), F8_Load(p + 40)};
}

DRAPE_INLINE void S8_Store(float* p, S8 a)
{
	F8_Store(p, a.xx);
	F8_Store(p + 8, a.xy);
	F8_Store(p + 16, a.xz);
	F8_Store(p + 24, a.yy);
	F8_Store(p + 32, a.yz);
	F8_Store(p + 40, a.zz);
}

DRAPE_INLINE S8 S8_Add(S8 a, S8 b)
{
	return (S8){F8_Add(a.xx, b.xx), F8_Add(a.xy, b.xy), F8_Add(a.xz, b.xz),
	            F8_Add(a.yy, b.yy), F8_Add(a.yz, b.yz), F8_Add(a.zz, b.zz)};
}

// The inverse from cofactors. The matrix is first scaled to a trace of three, so that no product overflows. A singular
// block, as of a row without mass, gives zero.
static S8 S8_Inverse(S8 a)
{
	const F8 zero = F8_Splat(0.0f);
	F8 trace = F8_Add(F8_Add(a.xx, a.yy), a.zz);
	M8 isGood = F8_Gt(trace, zero);
	F8 scale = F8_Blend(isGood, F8_Div(F8_Splat(3.0f), trace), zero);
	a = (S8){F8_Mul(scale, a.xx), F8_Mul(scale, a.xy), F8_Mul(scale, a.xz),
	         F8_Mul(scale, a.yy), F8_Mul(scale, a.yz), F8_Mul(scale, a.zz)};
	F8 xx = F8_Sub(F8_Mul(a.yy, a.zz), F8_Mul(a.yz, a.yz));
	F8 xy = F8_Sub(F8_Mul(a.xz, a.yz), F8_Mul(a.xy, a.zz));
	F8 xz = F8_Sub(F8_Mul(a.xy, a.yz), F8_Mul(a.xz, a.yy));
	F8 det = F8_Add(F8_Add(F8_Mul(a.xx, xx), F8_Mul(a.xy, xy)), F8_Mul(a.xz, xz));
	F8 factor = F8_Blend(F8_Gt(det, F8_Splat(1e-12f)), F8_Div(scale, F8_Max(det, F8_Splat(1e-12f))), zero);
	return (S8){F8_Mul(factor, xx),
	            F8_Mul(factor, xy),
	            F8_Mul(factor, xz),
	            F8_Mul(factor, F8_Sub(F8_Mul(a.xx, a.zz), F8_Mul(a.xz, a.xz))),
	            F8_Mul(factor, F8_Sub(F8_Mul(a.xy, a.xz), F8_Mul(a.xx, a.yz))),
	            F8_Mul(factor, F8_Sub(F8_Mul(a.xx, a.yy), F8_Mul(a.xy, a.xy)))};
}

// Stores the diagonal blocks that the next coarser level reads.
static void KeepDiagonals(BlockMatrix* matrix, uint32_t group, S8 diagonal)
{
	F8 rows[8] = {diagonal.xx, diagonal.xy, diagonal.xz, diagonal.xy,
	              diagonal.yy, diagonal.yz, diagonal.xz, diagonal.yz};
	float zz[8], *kept = matrix->blocks.data + blockFloats * (size_t)matrix->edgeCount;
	F8_Transpose(rows);
	F8_Store(zz, diagonal.zz);
	for (uint32_t lane = 0; lane < 8; ++lane)
	{
		uint32_t row = 8 * group + lane;
		if (row < matrix->coarser || row >= matrix->rowCount)
			continue;
		float* block = kept + blockFloats * (size_t)(row - matrix->coarser);
		F8_Store(block, rows[lane]);
		block[8] = zz[lane];
	}
}

// The share of the wide couplings in the diagonal.
static F8 WideSum(const BlockMatrix* matrix, uint32_t group)
{
	F8 sum = F8_Splat(0.0f);
	for (uint32_t slot = matrix->wideStart.data[group]; slot < matrix->wideStart.data[group + 1]; ++slot)
		sum = F8_Sub(sum, F8_Load(&matrix->wide.data[8 * slot]));
	return sum;
}

// Eight blocks, one per lane.
typedef struct Block8
{
	F8 xx, xy, xz, yx, yy, yz, zx, zy, zz;
} Block8;

// The blocks of a slot. Columns below the row have the transposed block.
DRAPE_INLINE Block8 LoadSlot(const BlockMatrix* matrix, uint32_t group, uint32_t slot)
{
	const uint32_t* source = &matrix->ringSource.data[8 * slot];
	uint32_t own[8];
	float zz[8];
	F8 c[8];
	for (uint32_t lane = 0; lane < 8; ++lane)
	{
		const float* block = &matrix->blocks.data[source[lane]];
		c[lane] = F8_Load(block);
		zz[lane] = block[8];
		own[lane] = 16 * (8 * group + lane);
	}
	F8_Transpose(c);
	M8 flip = U8_Less(&matrix->ringOffset.data[8 * slot], own);
	return (Block8){.xx = c[0],
	                .xy = F8_Blend(flip, c[1], c[3]),
	                .xz = F8_Blend(flip, c[2], c[6]),
	                .yx = F8_Blend(flip, c[3], c[1]),
	                .yy = c[4],
	                .yz = F8_Blend(flip, c[5], c[7]),
	                .zx = F8_Blend(flip, c[6], c[2]),
	                .zy = F8_Blend(flip, c[7], c[5]),
	                .zz = F8_Load(zz)};
}

// Stores a slot for products, with `own` added to the diagonals.
DRAPE_INLINE void StoreSlot(float* out, const Block8* block, F8 own)
{
	F8_Store(out, F8_Add(block->xx, own));
	F8_Store(out + 8, block->xy);
	F8_Store(out + 16, block->xz);
	F8_Store(out + 24, block->yx);
	F8_Store(out + 32, F8_Add(block->yy, own));
	F8_Store(out + 40, block->yz);
	F8_Store(out + 48, block->zx);
	F8_Store(out + 56, block->zy);
	F8_Store(out + 64, F8_Add(block->zz, own));
}

// Subtracts the symmetric part of a block.
DRAPE_INLINE S8 Subtract(S8 a, const Block8* b)
{
	const F8 half = F8_Splat(0.5f);
	return (S8){F8_Sub(a.xx, b->xx),
	            F8_Sub(a.xy, F8_Mul(half, F8_Add(b->xy, b->yx))),
	            F8_Sub(a.xz, F8_Mul(half, F8_Add(b->xz, b->zx))),
	            F8_Sub(a.yy, b->yy),
	            F8_Sub(a.yz, F8_Mul(half, F8_Add(b->yz, b->zy))),
	            F8_Sub(a.zz, b->zz)};
}

static void UpdateGroup(BlockMatrix* matrix, uint32_t group)
{
	const F8 quadraticScale = F8_Splat(matrix->quadraticScale);
	S8 diagonal = S8_Load(&matrix->anchor.data[48 * group]);
	F8 quadratic = F8_Splat(0.0f);
	for (uint32_t slot = matrix->ringStart.data[group]; slot < matrix->ringStart.data[group + 1]; ++slot)
	{
		Block8 block = LoadSlot(matrix, group, slot);
		diagonal = Subtract(diagonal, &block);
		F8 whole = F8_Load(&matrix->ringQuadratic.data[8 * slot]), rest = F8_Load(&matrix->ringRest.data[8 * slot]);
		quadratic = F8_Sub(quadratic, F8_Mul(quadraticScale, whole));
		StoreSlot(&matrix->ring.data[72 * slot], &block, F8_Mul(quadraticScale, F8_Sub(whole, rest)));
	}
	if (8 * group + 7 >= matrix->coarser)
		KeepDiagonals(matrix, group, diagonal);
	quadratic = F8_Add(quadratic, F8_Mul(quadraticScale, WideSum(matrix, group)));
	diagonal.xx = F8_Add(diagonal.xx, quadratic);
	diagonal.yy = F8_Add(diagonal.yy, quadratic);
	diagonal.zz = F8_Add(diagonal.zz, quadratic);
	if (matrix->hasSurplus)
		diagonal = S8_Add(diagonal, S8_Load(&matrix->surplus.data[48 * group]));
	S8_Store(&matrix->inverse.data[48 * group], S8_Inverse(diagonal));
}

static void UpdateRange(uint32_t start, uint32_t end, uint32_t worker, void* context)
{
	(void)worker;
	for (uint32_t g = start; g < end; ++g)
		UpdateGroup(context, g);
}

void drapeBlockMatrix_Update(BlockMatrix* matrix, TaskPool* tasks)
{
	DRAPE_ASSERT(isfinite(matrix->quadraticScale) && matrix->quadraticScale >= 0.0f);
	Matrix_For(tasks, matrix->groupCount, UpdateRange, matrix);
}

// --- products -------------------------------------------------------------------------------------------------------

typedef enum ProductKind
{
	productDot,
	productResidual,
	productRelax,
} ProductKind;

DRAPE_INLINE V8 BlockTimes(const float* block, V8 d)
{
	return (V8){
		F8_Add(F8_Add(F8_Mul(F8_Load(block), d.x), F8_Mul(F8_Load(block + 8), d.y)), F8_Mul(F8_Load(block + 16), d.z)),
		F8_Add(F8_Add(F8_Mul(F8_Load(block + 24), d.x), F8_Mul(F8_Load(block + 32), d.y)),
	           F8_Mul(F8_Load(block + 40), d.z)),
		F8_Add(F8_Add(F8_Mul(F8_Load(block + 48), d.x), F8_Mul(F8_Load(block + 56), d.y)),
	           F8_Mul(F8_Load(block + 64), d.z))};
}

// (A x) of eight rows.
DRAPE_INLINE V8 GroupTimes(const BlockMatrix* matrix, bool isSmooth, const Vec4* x, uint32_t g, V8 xi)
{
	const F8 zero = F8_Splat(0.0f);
	V8 sum = BlockMatrix_SymmetricTimes(&matrix->anchor.data[48 * g], xi), quadratic = {zero, zero, zero};
	for (uint32_t slot = matrix->ringStart.data[g]; slot < matrix->ringStart.data[g + 1]; ++slot)
	{
		V8 d = V8_Sub(V8_GatherAt(x, &matrix->ringOffset.data[8 * slot]), xi);
		sum = V8_Add(sum, BlockTimes(&matrix->ring.data[72 * slot], d));
		if (!isSmooth)
		{
			quadratic = V8_Add(quadratic, V8_Scale(F8_Load(&matrix->ringRest.data[8 * slot]), d));
		}
	}
	if (isSmooth)
		return sum;
	for (uint32_t slot = matrix->wideStart.data[g]; slot < matrix->wideStart.data[g + 1]; ++slot)
	{
		V8 d = V8_Sub(V8_GatherAt(x, &matrix->wideOffset.data[8 * slot]), xi);
		quadratic = V8_Add(quadratic, V8_Scale(F8_Load(&matrix->wide.data[8 * slot]), d));
	}
	return V8_Add(sum, V8_Scale(F8_Splat(matrix->quadraticScale), quadratic));
}

DRAPE_INLINE void Multiply(const MatrixProduct* p, ProductKind kind, bool isSmooth, uint32_t start, uint32_t end)
{
	BlockMatrix* matrix = p->matrix;
	F8 dot = F8_Splat(0.0f);
	for (uint32_t g = start; g < end; ++g)
	{
		V8 xi = V8_LoadRows(p->x + 8 * g), product = GroupTimes(matrix, isSmooth, p->x, g, xi);
		if (kind == productDot)
		{
			dot = F8_Add(dot, V8_Dot(xi, product));
			V8_StoreRows(p->y + 8 * g, product);
			continue;
		}
		V8 b = V8_LoadRows(p->b + 8 * g), residual = V8_Sub(b, product);
		if (p->c)
			residual = V8_Sub(residual, V8_LoadRows(p->c + 8 * g));
		if (kind == productRelax)
		{
			V8 step = BlockMatrix_SymmetricTimes(&matrix->inverse.data[48 * g], residual);
			residual = V8_Add(xi, V8_Scale(F8_Splat(p->omega), step));
			dot = F8_Add(dot, V8_Dot(b, residual));
		}
		V8_StoreRows(p->y + 8 * g, residual);
	}
	if (kind != productResidual)
		matrix->partials.data[start / matrixGrain] = (double)F8_SumLanes(dot);
}

static void MultiplyRange(uint32_t start, uint32_t end, uint32_t worker, void* context)
{
	(void)worker;
	Multiply(context, productDot, false, start, end);
}

static void ResidualRange(uint32_t start, uint32_t end, uint32_t worker, void* context)
{
	(void)worker;
	Multiply(context, productResidual, false, start, end);
}

static void SmoothResidualRange(uint32_t start, uint32_t end, uint32_t worker, void* context)
{
	(void)worker;
	Multiply(context, productResidual, true, start, end);
}

static void RelaxRange(uint32_t start, uint32_t end, uint32_t worker, void* context)
{
	(void)worker;
	Multiply(context, productRelax, true, start, end);
}

static void RelaxZeroRange(uint32_t start, uint32_t end, uint32_t worker, void* context)
{
	(void)worker;
	const MatrixProduct* p = context;
	for (uint32_t g = start; g < end; ++g)
	{
		V8 step = BlockMatrix_SymmetricTimes(&p->matrix->inverse.data[48 * g], V8_LoadRows(p->b + 8 * g));
		V8_StoreRows(p->y + 8 * g, V8_Scale(F8_Splat(p->omega), step));
	}
}

static void DotRange(uint32_t start, uint32_t end, uint32_t worker, void* context)
{
	(void)worker;
	const MatrixProduct* p = context;
	F8 sum = F8_Splat(0.0f);
	for (uint32_t i = 8 * start; i < 8 * end; i += 2)
		sum = F8_Add(sum, F8_Mul(F8_Load(&p->b[i].x), F8_Load(&p->x[i].x)));
	p->matrix->partials.data[start / matrixGrain] = (double)F8_SumLanes(sum);
}

static void RunProducts(MatrixProduct* products, uint32_t count, drapeTaskFcn* fcn, TaskPool* tasks)
{
	MatrixLoop loops[matrixMostSystems];
	DRAPE_ASSERT(count <= matrixMostSystems);
	for (uint32_t i = 0; i < count; ++i)
	{
		DRAPE_ASSERT(products[i].x != products[i].y && products[i].b != products[i].y);
		loops[i] = (MatrixLoop){products[i].matrix->groupCount, &products[i]};
	}
	drapeMatrixLoops_Run(loops, count, fcn, tasks);
}

static double SumPartials(const BlockMatrix* matrix)
{
	double sum = 0.0;
	for (uint32_t i = 0; i < TaskPool_ChunkCount(matrix->groupCount, matrixGrain); ++i)
		sum += matrix->partials.data[i];
	return sum;
}

static double SumProducts(MatrixProduct* products, uint32_t count)
{
	double sum = 0.0;
	for (uint32_t i = 0; i < count; ++i)
		sum += SumPartials(products[i].matrix);
	return sum;
}

double drapeMatrixProducts_Multiply(MatrixProduct* products, uint32_t count, TaskPool* tasks)
{
	RunProducts(products, count, MultiplyRange, tasks);
	return SumProducts(products, count);
}

void drapeMatrixProducts_Residual(MatrixProduct* products, uint32_t count, TaskPool* tasks)
{
	RunProducts(products, count, ResidualRange, tasks);
}

void drapeMatrixProducts_SmoothResidual(MatrixProduct* products, uint32_t count, TaskPool* tasks)
{
	RunProducts(products, count, SmoothResidualRange, tasks);
}

double drapeMatrixProducts_Relax(MatrixProduct* products, uint32_t count, TaskPool* tasks)
{
	RunProducts(products, count, RelaxRange, tasks);
	return SumProducts(products, count);
}

void drapeMatrixProducts_RelaxFromZero(MatrixProduct* products, uint32_t count, TaskPool* tasks)
{
	RunProducts(products, count, RelaxZeroRange, tasks);
}

double drapeBlockMatrix_Multiply(BlockMatrix* matrix, const Vec4* x, Vec4* y, TaskPool* tasks)
{
	MatrixProduct product = {.matrix = matrix, .x = x, .y = y};
	return drapeMatrixProducts_Multiply(&product, 1, tasks);
}

double drapeBlockMatrix_Dot(BlockMatrix* matrix, const Vec4* a, const Vec4* b, TaskPool* tasks)
{
	MatrixProduct product = {.matrix = matrix, .b = a, .x = b};
	RunProducts(&product, 1, DotRange, tasks);
	return SumPartials(matrix);
}

void drapeBlockMatrix_Residual(BlockMatrix* matrix, bool isSmooth, const Vec4* b, const Vec4* c, const Vec4* x, Vec4* y,
                               TaskPool* tasks)
{
	MatrixProduct product = {.matrix = matrix, .b = b, .c = c, .x = x, .y = y};
	RunProducts(&product, 1, isSmooth ? SmoothResidualRange : ResidualRange, tasks);
}

double drapeBlockMatrix_Relax(BlockMatrix* matrix, float omega, const Vec4* b, const Vec4* c, const Vec4* x, Vec4* y,
                              TaskPool* tasks)
{
	MatrixProduct product = {.matrix = matrix, .b = b, .c = c, .x = x, .y = y, .omega = omega};
	return drapeMatrixProducts_Relax(&product, 1, tasks);
}

void drapeBlockMatrix_RelaxFromZero(BlockMatrix* matrix, float omega, const Vec4* b, Vec4* y, TaskPool* tasks)
{
	DRAPE_ASSERT(omega > 0.0f);
	MatrixProduct product = {.matrix = matrix, .b = b, .y = y, .omega = omega};
	drapeMatrixProducts_RelaxFromZero(&product, 1, tasks);
}

static void AdvanceRange(uint32_t start, uint32_t end, uint32_t worker, void* context)
{
	(void)worker;
	const MatrixAdvance* a = context;
	const F8 alpha = F8_Splat(a->alpha), omega = F8_Splat(a->omega);
	F8 square = F8_Splat(0.0f);
	for (uint32_t g = start; g < end; ++g)
	{
		for (uint32_t i = 8 * g; i < 8 * g + 8; i += 2)
			F8_Store(&a->x[i].x, F8_Add(F8_Load(&a->x[i].x), F8_Mul(alpha, F8_Load(&a->p[i].x))));
		V8 r = V8_Sub(V8_LoadRows(a->r + 8 * g), V8_Scale(alpha, V8_LoadRows(a->q + 8 * g)));
		square = F8_Add(square, V8_Dot(r, r));
		V8_StoreRows(a->r + 8 * g, r);
		V8_StoreRows(a->z + 8 * g, V8_Scale(omega, BlockMatrix_SymmetricTimes(&a->matrix->inverse.data[48 * g], r)));
	}
	a->matrix->partials.data[start / matrixGrain] = (double)F8_SumLanes(square);
}

double drapeMatrixAdvances_Run(MatrixAdvance* advances, uint32_t count, TaskPool* tasks)
{
	MatrixLoop loops[matrixMostSystems];
	double sum = 0.0;
	DRAPE_ASSERT(count <= matrixMostSystems);
	for (uint32_t i = 0; i < count; ++i)
	{
		DRAPE_ASSERT(advances[i].p != advances[i].x && advances[i].q != advances[i].r &&
		             advances[i].r != advances[i].z);
		loops[i] = (MatrixLoop){advances[i].matrix->groupCount, &advances[i]};
	}
	drapeMatrixLoops_Run(loops, count, AdvanceRange, tasks);
	for (uint32_t i = 0; i < count; ++i)
		sum += SumPartials(advances[i].matrix);
	return sum;
}
