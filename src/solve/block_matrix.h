// SPDX-License-Identifier: MIT
#pragma once

// Symmetric sparse matrices of 3x3 blocks, as implicit integrators and multigrid need them: one per level.
//
// A matrix is stored as couplings of rows and one anchor term G_i per row, which acts on the row's displacement alone:
//
//   (A x)_i = G_i x_i + sum_j A_ij (x_j - x_i) + sum_j q_ij (x_j - x_i)
//
// Diagonal blocks follow from this. A rigid shift then involves G alone, however stiff the cloth is. Stored diagonal
// blocks would have to cancel the sums of large off-diagonal ones, for which float has too few digits. Each pair of
// rows has one block in `blocks` (the other one is its transpose), which assembly writes and the next coarser level
// reads. For products, blocks are copied into slices: eight rows at a time, entry by entry, component by component.
//
// The q_ij are the Hessian of a quadratic energy, such as curvature. It is the same for x, y and z, so each pair has a
// number instead of a block. The energy couples more rows than the edges do. The numbers of edges are added to the
// blocks; the others are `wide` and more than double the cost of a product. The smoother only has to reduce rough
// errors, so it uses a Laplacian on the edges instead of the quadratic energy: the matrix S in place of A.

#include "base/array.h"
#include "base/maths.h"
#include "base/simd.h"
#include "base/tasks.h"

enum
{
	matrixGrain = 32, // groups of eight rows per task
	matrixAlone = 48, // up to this many groups, one thread is faster than several

	matrixMostSystems = 63, // matrices that are solved together
};

// Runs a loop over groups of rows. The division into tasks does not depend on the number of threads.
DRAPE_INLINE void Matrix_For(TaskPool* tasks, uint32_t groups, drapeTaskFcn* fcn, void* context)
{
	if (groups > matrixAlone)
	{
		drapeTaskPool_For(tasks, groups, matrixGrain, fcn, context);
		return;
	}
	for (uint32_t start = 0; start < groups; start += matrixGrain)
		fcn(start, MinU32(groups, start + matrixGrain), 0, context);
}

// The same loop over several matrices, with a context for each. Small matrices are too short for several threads one by
// one. The ranges are those of Matrix_For.
typedef struct MatrixLoop
{
	uint32_t groupCount;
	void* context;
} MatrixLoop;

void drapeMatrixLoops_Run(MatrixLoop* loops, uint32_t count, drapeTaskFcn* fcn, TaskPool* tasks);

// Offsets of rows in bytes must fit into 32 bits.
enum
{
	matrixMostRows = 1 << 28,
};

enum
{
	blockFloats = 9, // of a stored block, column by column
};

typedef struct RowPair
{
	uint32_t a, b; // rows, a < b
} RowPair;

// An edge of a row, with the row at its other end.
typedef struct RowEdge
{
	uint32_t edge, row;
} RowEdge;

typedef struct BlockMatrix
{
	uint32_t rowCount, groupCount;
	uint32_t coarser; // rows of the next coarser level
	uint32_t edgeCount;
	ARRAY(RowPair) ends;        // per edge, sorted by the lower row
	ARRAY(uint32_t) upperStart; // [rowCount + 1] first edge whose lower row is this one
	ARRAY(uint32_t) lowerStart; // [rowCount + 1] in `lowers`
	ARRAY(RowEdge) lowers;      // [edgeCount] edges sorted by their higher row
	bool hasSkew;               // the finest level
	uint32_t blockStride;       // floats of a block
	// A_ab per edge; then the diagonal blocks, without q, of the rows from `coarser` on; then a block of zeros.
	ARRAY(float) blocks;        // blockFloats each
	ARRAY(float) edgeQuadratic; // per edge: q_ab
	ARRAY(float) edgeLump;      // per edge: the Laplacian that replaces q in the smoother
	ARRAY(uint32_t) ringStart;  // [groupCount + 1] first slot of a group; a slot has eight entries
	ARRAY(uint32_t) ringOffset; // 16 * column: the row's offset in bytes
	ARRAY(uint32_t) ringSource; // blockFloats * block; columns below the row have the transposed block
	ARRAY(float) ringQuadratic; // q of this pair
	ARRAY(float) ringRest;      // the part of it that the smoother does not have
	ARRAY(float) ring;          // [72 * slots] the blocks, row by row, eight lanes each
	ARRAY(uint32_t) wideStart;  // likewise: q of pairs without an edge
	ARRAY(uint32_t) wideOffset;
	ARRAY(float) wide;
	ARRAY(float) anchor;    // [48 * groupCount] G, xx xy xz yy yz zz, eight lanes each
	ARRAY(float) inverse;   // [48 * groupCount] inverses of the smoother's diagonal blocks, likewise
	ARRAY(float) surplus;   // [48 * groupCount] added to the diagonal blocks of the smoother, likewise, if hasSurplus
	ARRAY(double) partials; // scratch: one sum per task
	float quadraticScale;   // factor of all q
	bool hasSurplus;
} BlockMatrix;

void drapeBlockMatrix_Destroy(BlockMatrix* matrix);
// Turns a copy of the struct into a matrix without values that borrows the structure of the original until it is built
// again. drapeBlockMatrix_ReserveValues follows.
void drapeBlockMatrix_Borrow(BlockMatrix* matrix);
// Reserves and releases the values: blocks, anchors, slices. False when out of memory.
bool drapeBlockMatrix_ReserveValues(BlockMatrix* matrix);
void drapeBlockMatrix_ReleaseValues(BlockMatrix* matrix);
// Releases lowers, edgeQuadratic and edgeLump, which only the build needs.
void drapeBlockMatrix_ReleaseScratch(BlockMatrix* matrix);

// Rows of a vector: rowCount rounded up to a multiple of eight. Rows past the last must be zero.
DRAPE_INLINE uint32_t BlockMatrix_PaddedRows(uint32_t rowCount)
{
	return (rowCount + 7) / 8 * 8;
}

// Reserves memory for rows and edges. False when out of memory.
bool drapeBlockMatrix_Reserve(BlockMatrix* matrix, uint32_t rowCount, uint32_t coarser, uint32_t edgeCount);

// Lists the edges of each row, from `ends`.
void drapeBlockMatrix_ListEdges(BlockMatrix* matrix);

DRAPE_INLINE uint32_t BlockMatrix_Degree(const BlockMatrix* matrix, uint32_t row)
{
	return matrix->upperStart.data[row + 1] - matrix->upperStart.data[row] + matrix->lowerStart.data[row + 1] -
	       matrix->lowerStart.data[row];
}

// Builds the slices of the edges, after drapeBlockMatrix_ListEdges, `edgeQuadratic` and `edgeLump`. The caller fills
// the wide slices. False when out of memory.
bool drapeBlockMatrix_BuildSlices(BlockMatrix* matrix, TaskPool* tasks);

// Makes the wide slices empty. False when out of memory.
bool drapeBlockMatrix_ClearWide(BlockMatrix* matrix);

// Copies blocks into slices, after `blocks`, `anchor` and `quadraticScale` have changed, and inverts the diagonals.
void drapeBlockMatrix_Update(BlockMatrix* matrix, TaskPool* tasks);

// --- products of one or several matrices ------------------------------------------------------------------------------

typedef struct MatrixProduct
{
	BlockMatrix* matrix;
	const Vec4 *b, *c, *x; // c may be NULL for zero
	Vec4* y;
	float omega; // damping
} MatrixProduct;

// y = A x; returns the sum of x . y
double drapeMatrixProducts_Multiply(MatrixProduct* products, uint32_t count, TaskPool* tasks);
// y = b - c - A x
void drapeMatrixProducts_Residual(MatrixProduct* products, uint32_t count, TaskPool* tasks);
// y = b - c - S x
void drapeMatrixProducts_SmoothResidual(MatrixProduct* products, uint32_t count, TaskPool* tasks);
// y = x + omega D^-1 (b - c - S x), with x != y; returns the sum of b . y
double drapeMatrixProducts_Relax(MatrixProduct* products, uint32_t count, TaskPool* tasks);
// y = omega D^-1 b
void drapeMatrixProducts_RelaxFromZero(MatrixProduct* products, uint32_t count, TaskPool* tasks);

// x += alpha p, r -= alpha q, z = omega D^-1 r: a step of conjugate gradients and the first of the next sweep.
typedef struct MatrixAdvance
{
	BlockMatrix* matrix;
	float alpha, omega;
	const Vec4 *p, *q;
	Vec4 *x, *r, *z;
} MatrixAdvance;

// Returns the sum of |r|^2
double drapeMatrixAdvances_Run(MatrixAdvance* advances, uint32_t count, TaskPool* tasks);

// y = A x; returns x . y
double drapeBlockMatrix_Multiply(BlockMatrix* matrix, const Vec4* x, Vec4* y, TaskPool* tasks);

// a . b
double drapeBlockMatrix_Dot(BlockMatrix* matrix, const Vec4* a, const Vec4* b, TaskPool* tasks);

// y = b - c - A x, with S for A (see above) when isSmooth. `c` may be NULL for zero.
void drapeBlockMatrix_Residual(BlockMatrix* matrix, bool isSmooth, const Vec4* b, const Vec4* c, const Vec4* x, Vec4* y,
                               TaskPool* tasks);

// y = x + omega D^-1 (b - c - S x), with x != y; returns b . y. `c` may be NULL for zero.
double drapeBlockMatrix_Relax(BlockMatrix* matrix, float omega, const Vec4* b, const Vec4* c, const Vec4* x, Vec4* y,
                              TaskPool* tasks);

// y = omega D^-1 b
void drapeBlockMatrix_RelaxFromZero(BlockMatrix* matrix, float omega, const Vec4* b, Vec4* y, TaskPool* tasks);

// Adds own I + extra n n^T to one lane of a symmetric block.
DRAPE_INLINE void BlockMatrix_AddSymmetric(float* lane, float own, float extra, Vec3 n)
{
	lane[0] += own + extra * n.x * n.x;
	lane[8] += extra * n.x * n.y;
	lane[16] += extra * n.x * n.z;
	lane[24] += own + extra * n.y * n.y;
	lane[32] += extra * n.y * n.z;
	lane[40] += own + extra * n.z * n.z;
}

// Adds own I + extra n n^T to the anchor term of a row.
DRAPE_INLINE void BlockMatrix_AddAnchor(BlockMatrix* matrix, uint32_t row, float own, float extra, Vec3 n)
{
	BlockMatrix_AddSymmetric(&matrix->anchor.data[48 * (row / 8) + row % 8], own, extra, n);
}

// Products of eight symmetric 3x3 blocks, stored as xx xy xz yy yz zz with eight lanes each, with eight vectors.
DRAPE_INLINE V8 BlockMatrix_SymmetricTimes(const float* block, V8 v)
{
	F8 xx = F8_Load(block), xy = F8_Load(block + 8), xz = F8_Load(block + 16);
	F8 yy = F8_Load(block + 24), yz = F8_Load(block + 32), zz = F8_Load(block + 40);
	return (V8){F8_Add(F8_Add(F8_Mul(xx, v.x), F8_Mul(xy, v.y)), F8_Mul(xz, v.z)),
	            F8_Add(F8_Add(F8_Mul(xy, v.x), F8_Mul(yy, v.y)), F8_Mul(yz, v.z)),
	            F8_Add(F8_Add(F8_Mul(xz, v.x), F8_Mul(yz, v.y)), F8_Mul(zz, v.z))};
}
