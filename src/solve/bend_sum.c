// SPDX-License-Identifier: MIT
#include "solve/bend_sum.h"

#include <string.h>

void BendSum_Begin(BendSum* sum, BlockMatrix* matrix, uint32_t* marks)
{
	*sum = (BendSum){.matrix = matrix, .marks = marks};
	matrix->widePairs.count = 0;
	memset(marks, 0xff, (size_t)matrix->rowCount * sizeof(uint32_t));
	for (uint32_t e = 0; e < matrix->edgeCount; ++e)
		matrix->edgeBend.data[e] = 0.0f;
}

bool BendSum_BeginRow(BendSum* sum, uint32_t row, uint32_t most)
{
	BlockMatrix* matrix = sum->matrix;
	sum->firstEdge = sum->edge;
	sum->firstPair = matrix->widePairs.count;
	if (!ArrayReserve(&matrix->widePairs, sum->firstPair + most) ||
	    !ArrayReserve(&matrix->wideValues, sum->firstPair + most))
		return false;
	for (; sum->edge < matrix->edgeCount && matrix->ends.data[sum->edge].a == row; ++sum->edge)
		sum->marks[matrix->ends.data[sum->edge].b] = sum->edge;
	return true;
}

void BendSum_EndRow(BendSum* sum)
{
	const BlockMatrix* matrix = sum->matrix;
	for (uint32_t e = sum->firstEdge; e < sum->edge; ++e)
		sum->marks[matrix->ends.data[e].b] = BEND_MARK_NONE;
	for (uint32_t i = sum->firstPair; i < matrix->widePairs.count; ++i)
		sum->marks[matrix->widePairs.data[i].b] = BEND_MARK_NONE;
}

static void Put(BlockMatrix* matrix, uint32_t* used, uint32_t row, uint32_t column, float value)
{
	uint32_t at = 8 * (matrix->wideStart.data[row / 8] + used[row]++) + row % 8;
	matrix->wideColumn.data[at] = column;
	matrix->wide.data[at] = value;
}

// Bending resists shapes that go up and down from row to row most. So does a Laplacian with this many times the same
// diagonal; more would make the smoother unstable where rows have few neighbours.
static const float lumped = 1.6f;

// How bending holds each row, when all others stay.
static void FindDiagonal(const BlockMatrix* matrix, float* diagonal)
{
	memset(diagonal, 0, (size_t)matrix->rowCount * sizeof(float));
	for (uint32_t e = 0; e < matrix->edgeCount; ++e)
	{
		diagonal[matrix->ends.data[e].a] -= matrix->edgeBend.data[e];
		diagonal[matrix->ends.data[e].b] -= matrix->edgeBend.data[e];
	}
	for (uint32_t i = 0; i < matrix->widePairs.count; ++i)
	{
		diagonal[matrix->widePairs.data[i].a] -= matrix->wideValues.data[i];
		diagonal[matrix->widePairs.data[i].b] -= matrix->wideValues.data[i];
	}
}

void BendSum_Lump(BlockMatrix* matrix, float* diagonal, uint32_t* degree)
{
	FindDiagonal(matrix, diagonal);
	memset(degree, 0, (size_t)matrix->rowCount * sizeof(uint32_t));
	for (uint32_t e = 0; e < matrix->edgeCount; ++e)
	{
		degree[matrix->ends.data[e].a]++;
		degree[matrix->ends.data[e].b]++;
	}
	for (uint32_t e = 0; e < matrix->edgeCount; ++e)
	{
		RowPair ends = matrix->ends.data[e];
		float a = diagonal[ends.a] / (float)degree[ends.a], b = diagonal[ends.b] / (float)degree[ends.b];
		matrix->edgeLump.data[e] = -lumped * fminf(a, b);
	}
}

bool BendSum_Slice(BlockMatrix* matrix, uint32_t* used)
{
	uint32_t groups = matrix->groupCount;
	memset(used, 0, 8 * (size_t)groups * sizeof(uint32_t));
	for (uint32_t i = 0; i < matrix->widePairs.count; ++i)
	{
		used[matrix->widePairs.data[i].a]++;
		used[matrix->widePairs.data[i].b]++;
	}
	if (!ArrayReserve(&matrix->wideStart, groups + 1))
		return false;
	uint32_t slots = Slices_Plan(used, groups, matrix->wideStart.data);
	if (!ArrayReserve(&matrix->wideColumn, 8 * slots) || !ArrayReserve(&matrix->wide, 8 * slots))
		return false;
	for (uint32_t g = 0; g < groups; ++g)
	{
		for (uint32_t i = 8 * matrix->wideStart.data[g]; i < 8 * matrix->wideStart.data[g + 1]; ++i)
		{
			matrix->wideColumn.data[i] = 8 * g + i % 8;
			matrix->wide.data[i] = 0.0f;
		}
	}
	memset(used, 0, 8 * (size_t)groups * sizeof(uint32_t));
	for (uint32_t i = 0; i < matrix->widePairs.count; ++i)
	{
		RowPair pair = matrix->widePairs.data[i];
		Put(matrix, used, pair.a, pair.b, matrix->wideValues.data[i]);
		Put(matrix, used, pair.b, pair.a, matrix->wideValues.data[i]);
	}
	return true;
}
