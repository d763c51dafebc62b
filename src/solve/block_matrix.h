// SPDX-License-Identifier: MIT
#pragma once

// Symmetric sparse matrices of 3x3 blocks, as implicit integrators and multigrid need them: one per level.
//
// A matrix is kept as what couples rows, and what holds each row to the ground:
//
//   (A x)_i = G_i x_i + sum_j A_ij (x_j - x_i) + bending
//
// Diagonal blocks follow, so that a rigid shift costs G alone whatever the stiffness: written out, the sums of large
// blocks would have to cancel, and float runs out of digits. Each pair of rows has one block (the other is its
// transpose), in `blocks`, where assembly and the next coarser level read and write it. For multiplying, blocks are
// copied into slices: eight rows at a time, entry by entry, component by component.
//
// Bending is the same for x, y and z, so it is numbers, not blocks, and they reach farther than the edges: those on
// edges are added to the blocks, the others are `wide`. That makes products more than twice as long. For smoothing,
// which only has to see what is rough, a Laplacian on the edges stands for bending: S, in place of A.

#include "base/array.h"
#include "base/maths.h"
#include "base/tasks.h"

enum
{
	matrixGrain = 32, // groups of eight rows per task
	matrixAlone = 48, // up to so many one thread is faster than several
};

// A loop over groups of rows, cut into tasks the same way whatever runs them.
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

typedef struct Block
{
	Vec4 column[3]; // the fourth components are 0
} Block;

typedef struct RowPair
{
	uint32_t a, b; // rows, a < b
} RowPair;

// One of a row's edges, with the row at its other end.
typedef struct RowEdge
{
	uint32_t edge, row;
} RowEdge;

typedef struct BlockMatrix
{
	uint32_t rowCount, groupCount;
	uint32_t coarser; // rows of the next coarser level
	uint32_t edgeCount;
	ARRAY(RowPair) ends;        // by edge, sorted by the lower row
	ARRAY(uint32_t) upperStart; // [rowCount + 1] first edge whose lower row it is
	ARRAY(uint32_t) lowerStart; // [rowCount + 1] in `lowers`
	ARRAY(RowEdge) lowers;      // [edgeCount] edges by their higher row, each row's in order
	ARRAY(Block)
	blocks;                    // A_ab by edge; then the diagonals, bending left out, of rows from `coarser` on; then a
							   // block of zeros
	ARRAY(float) edgeBend;     // by edge: bending
	ARRAY(float) edgeLump;     // by edge: what stands for it in the smoother
	ARRAY(uint32_t) ringStart; // [groupCount + 1] first slot of a group; a slot has eight entries
	ARRAY(uint32_t) ringColumn;
	ARRAY(uint32_t) ringSource; // 3 * block
	ARRAY(float) ringFlip;      // 1 where the block is to be transposed
	ARRAY(float) ringBend;      // the bending of this pair
	ARRAY(float) ringRest;      // and how much of it is not in the smoother
	ARRAY(float) ring;          // [72 * slots] the blocks, row by row, eight lanes each
	ARRAY(uint32_t) wideStart;  // likewise: bending of pairs that have no edge
	ARRAY(uint32_t) wideColumn;
	ARRAY(float) wide;
	ARRAY(float) ground;    // [48 * groupCount] G, xx xy xz yy yz zz, eight lanes each
	ARRAY(float) inverse;   // [48 * groupCount] of the diagonal blocks, likewise
	ARRAY(double) partials; // scratch: sums by task
	float bendScale;        // what the bending numbers are multiplied with
} BlockMatrix;

void drapeBlockMatrix_Destroy(BlockMatrix* matrix);

// Rows of vectors: what rowCount is rounded up to. Rows past the last are to be zero.
DRAPE_INLINE uint32_t BlockMatrix_PaddedRows(uint32_t rowCount)
{
	return (rowCount + 7) / 8 * 8;
}

// Room for rows and edges.
bool drapeBlockMatrix_Reserve(BlockMatrix* matrix, uint32_t rowCount, uint32_t coarser, uint32_t edgeCount);

// Which edges each row has, from `ends`.
void drapeBlockMatrix_ListEdges(BlockMatrix* matrix);

DRAPE_INLINE uint32_t BlockMatrix_Degree(const BlockMatrix* matrix, uint32_t row)
{
	return matrix->upperStart.data[row + 1] - matrix->upperStart.data[row] + matrix->lowerStart.data[row + 1] -
	       matrix->lowerStart.data[row];
}

// Slices for the edges, with their bending: after drapeBlockMatrix_ListEdges, `edgeBend` and `edgeLump`. The wide slices are
// the caller's. False when memory is short.
bool drapeBlockMatrix_BuildSlices(BlockMatrix* matrix, TaskPool* tasks);

// No pairs without an edge. False when memory is short.
bool drapeBlockMatrix_ClearWide(BlockMatrix* matrix);

// Copies blocks into slices, after `blocks`, `ground` and `bendScale` have changed, and inverts the diagonals.
void drapeBlockMatrix_Update(BlockMatrix* matrix, TaskPool* tasks);

// y = A x; returns x . y
double drapeBlockMatrix_Multiply(BlockMatrix* matrix, const Vec4* x, Vec4* y, TaskPool* tasks);

// a . b
double drapeBlockMatrix_Dot(BlockMatrix* matrix, const Vec4* a, const Vec4* b, TaskPool* tasks);

// y = b - A x, with S for A (see above) when isSmooth
void drapeBlockMatrix_Residual(BlockMatrix* matrix, bool isSmooth, const Vec4* b, const Vec4* x, Vec4* y,
                               TaskPool* tasks);

// y = x + omega D^-1 (b - S x), with x != y; returns b . y
double drapeBlockMatrix_Relax(BlockMatrix* matrix, float omega, const Vec4* b, const Vec4* x, Vec4* y, TaskPool* tasks);

// x += alpha p, r -= alpha q, z = omega D^-1 r: a step of conjugate gradients and the first of the next sweep. Returns
// |r|^2
double drapeBlockMatrix_Advance(BlockMatrix* matrix, float alpha, const Vec4* p, const Vec4* q, Vec4* x, Vec4* r,
                                float omega, Vec4* z, TaskPool* tasks);

// y = omega D^-1 b
void drapeBlockMatrix_RelaxFromZero(BlockMatrix* matrix, float omega, const Vec4* b, Vec4* y, TaskPool* tasks);

// Adds own I + extra n n^T to the ground of a row.
DRAPE_INLINE void BlockMatrix_AddGround(BlockMatrix* matrix, uint32_t row, float own, float extra, Vec3 n)
{
	float* ground = &matrix->ground.data[48 * (row / 8) + row % 8];
	ground[0] += own + extra * n.x * n.x;
	ground[8] += extra * n.x * n.y;
	ground[16] += extra * n.x * n.z;
	ground[24] += own + extra * n.y * n.y;
	ground[32] += extra * n.y * n.z;
	ground[40] += own + extra * n.z * n.z;
}
