// SPDX-License-Identifier: MIT
#pragma once

// Bending couples each row with more rows than its edges lead to. Its numbers are added up pair by pair, row after row,
// each pair from its lower row: those of an edge into BlockMatrix::edgeBend, others into its wide pairs, which are
// found on the way.

#include "solve/block_matrix.h"

typedef struct BendSum
{
	BlockMatrix* matrix;           // whose edges are sorted by their lower rows
	uint32_t* marks;               // [rowCount] scratch
	uint32_t edge;                 // the first that has not had its turn
	uint32_t firstEdge, firstPair; // of the row under way
} BendSum;

void BendSum_Begin(BendSum* sum, BlockMatrix* matrix, uint32_t* marks);
void BendSum_BeginRow(BendSum* sum, uint32_t row);

// other > row. False when memory is short.
bool BendSum_Add(BendSum* sum, uint32_t row, uint32_t other, float value);
void BendSum_EndRow(BendSum* sum);

// How bending holds each row, when all others stay: diagonal is [rowCount].
void BendSum_Diagonal(const BlockMatrix* matrix, float* diagonal);

// What stands for bending in the smoother: the row's whole resistance, spread over its edges. `diagonal` and `degree`
// are [rowCount] scratch; `diagonal` is left as BendSum_Diagonal gives it.
void BendSum_Lump(BlockMatrix* matrix, float* diagonal, uint32_t* degree);

// The wide pairs as slices of eight rows; `used` is [8 * groupCount] scratch. False when memory is short.
bool BendSum_Slice(BlockMatrix* matrix, uint32_t* used);
