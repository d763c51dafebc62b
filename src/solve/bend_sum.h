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

// Room for up to `most` new pairs. False when memory is short.
bool BendSum_BeginRow(BendSum* sum, uint32_t row, uint32_t most);

// marks has by row what its pair with the row under way is: an edge, or with the top bit a wide pair, or neither yet.
#define BEND_MARK_WIDE (1u << 31)
#define BEND_MARK_NONE UINT32_MAX

// other > row
DRAPE_INLINE void BendSum_Add(BendSum* sum, uint32_t row, uint32_t other, float value)
{
	BlockMatrix* matrix = sum->matrix;
	uint32_t mark = sum->marks[other];
	DRAPE_ASSERT(row < other);
	if (mark == BEND_MARK_NONE)
	{
		uint32_t pair = matrix->widePairs.count++;
		sum->marks[other] = BEND_MARK_WIDE | pair;
		matrix->wideValues.data[pair] = value;
		matrix->widePairs.data[pair] = (RowPair){row, other};
	}
	else if (mark & BEND_MARK_WIDE)
	{
		matrix->wideValues.data[mark & ~BEND_MARK_WIDE] += value;
	}
	else
	{
		matrix->edgeBend.data[mark] += value;
	}
}

void BendSum_EndRow(BendSum* sum);

// What stands for bending in the smoother: the row's whole resistance, spread over its edges. `diagonal` and `degree`
// are [rowCount] scratch.
void BendSum_Lump(BlockMatrix* matrix, float* diagonal, uint32_t* degree);

// The wide pairs as slices of eight rows; `used` is [8 * groupCount] scratch. False when memory is short.
bool BendSum_Slice(BlockMatrix* matrix, uint32_t* used);
