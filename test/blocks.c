// SPDX-License-Identifier: MIT
#include "blocks.h"

#include "solve/bend_sum.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// --- written out ----------------------------------------------------------------------------------------------------

Written Written_Create(uint32_t rows)
{
	Written written = {.size = 3 * rows, .a = calloc(9 * (size_t)rows * rows, sizeof(double))};
	assert_non_null(written.a);
	return written;
}

void Written_Destroy(Written* written)
{
	free(written->a);
	*written = (Written){0};
}

static void AddEntry(Written* w, uint32_t i, uint32_t j, uint32_t r, uint32_t c, double value)
{
	w->a[(size_t)(3 * i + r) * w->size + 3 * j + c] += value;
}

// B couples rows a and b.
static void AddPair(Written* w, RowPair pair, const double block[3][3])
{
	for (uint32_t r = 0; r < 3; ++r)
	{
		for (uint32_t c = 0; c < 3; ++c)
		{
			AddEntry(w, pair.a, pair.b, r, c, block[r][c]);
			AddEntry(w, pair.a, pair.a, r, c, -block[r][c]);
			AddEntry(w, pair.b, pair.a, c, r, block[r][c]);
			AddEntry(w, pair.b, pair.b, c, r, -block[r][c]);
		}
	}
}

Written Written_Of(const BlockMatrix* matrix, bool isSmooth)
{
	static const uint32_t place[3][3] = {{0, 1, 2}, {1, 3, 4}, {2, 4, 5}};
	Written w = Written_Create(matrix->rowCount);
	double scale = (double)matrix->bendScale;
	for (uint32_t i = 0; i < matrix->rowCount; ++i)
	{
		for (uint32_t k = 0; k < 9; ++k)
		{
			size_t at = 48 * (size_t)(i / 8) + 8 * place[k / 3][k % 3] + i % 8;
			AddEntry(&w, i, i, k / 3, k % 3, (double)matrix->ground.data[at]);
		}
	}
	for (uint32_t e = 0; e < matrix->edgeCount; ++e)
	{
		double block[3][3], bend = (double)(isSmooth ? matrix->edgeLump.data[e] : matrix->edgeBend.data[e]);
		for (uint32_t k = 0; k < 9; ++k)
			block[k / 3][k % 3] = (double)Component(matrix->blocks.data[e].column[k % 3], k / 3);
		for (uint32_t k = 0; k < 3; ++k)
			block[k][k] += scale * bend;
		AddPair(&w, matrix->ends.data[e], block);
	}
	for (uint32_t i = 0; i < matrix->widePairs.count && !isSmooth; ++i)
	{
		double value = scale * (double)matrix->wideValues.data[i];
		AddPair(&w, matrix->widePairs.data[i], (const double[3][3]){{value, 0, 0}, {0, value, 0}, {0, 0, value}});
	}
	return w;
}

void Written_Times(const Written* written, const Vec4* x, double* y)
{
	for (uint32_t i = 0; i < written->size; ++i)
	{
		double sum = 0.0;
		for (uint32_t j = 0; j < written->size; ++j)
			sum += written->a[(size_t)i * written->size + j] * (double)Component(x[j / 3], j % 3);
		y[i] = sum;
	}
}

double Written_Largest(const Written* written)
{
	double largest = 0.0;
	for (size_t i = 0; i < (size_t)written->size * written->size; ++i)
		largest = fmax(largest, fabs(written->a[i]));
	return largest;
}

bool Written_IsNear(const Written* a, const Written* b, double share)
{
	double allowed = share * Written_Largest(a);
	assert_int_equal(a->size, b->size);
	for (size_t i = 0; i < (size_t)a->size * a->size; ++i)
	{
		if (!(fabs(a->a[i] - b->a[i]) <= allowed))
			return false;
	}
	return true;
}

// --- random ---------------------------------------------------------------------------------------------------------

static uint32_t ChooseEdges(BlockMatrix* matrix, const RandomMatrix* def, Random* random)
{
	uint32_t edges = 0;
	for (uint32_t a = 0; a < def->rows; ++a)
	{
		for (uint32_t b = a + 1; b < def->rows; ++b)
		{
			if (Random_Float(random) >= def->edgeChance)
				continue;
			assert_true(ArrayReserve(&matrix->ends, edges + 1));
			matrix->ends.data[edges++] = (RowPair){a, b};
		}
	}
	return edges;
}

// Every edge bends, and so do some pairs without one.
static void ChooseBending(BlockMatrix* matrix, const RandomMatrix* def, uint32_t* scratch, Random* random)
{
	BendSum sum;
	uint32_t edge = 0;
	BendSum_Begin(&sum, matrix, scratch);
	for (uint32_t a = 0; a < def->rows; ++a)
	{
		assert_true(BendSum_BeginRow(&sum, a, def->rows));
		for (uint32_t b = a + 1; b < def->rows; ++b)
		{
			bool isEdge = edge < matrix->edgeCount && matrix->ends.data[edge].a == a && matrix->ends.data[edge].b == b;
			edge += isEdge;
			if (!isEdge && Random_Float(random) >= def->wideChance)
				continue;
			// In two parts, which have to be added up.
			BendSum_Add(&sum, a, b, -Random_Float(random));
			BendSum_Add(&sum, a, b, -Random_Float(random));
		}
		BendSum_EndRow(&sum);
	}
}

void RandomMatrix_Fill(BlockMatrix* matrix, bool isDefinite, Random* random)
{
	for (uint32_t e = 0; e < matrix->edgeCount; ++e)
	{
		Block* block = &matrix->blocks.data[e];
		float n[3], s = 3.0f * Random_Float(random);
		for (int k = 0; k < 3; ++k)
			n[k] = Random_Range(random, -1.0f, 1.0f);
		for (int c = 0; c < 3; ++c)
		{
			block->column[c] = isDefinite ? (Vec4){-s * n[0] * n[c], -s * n[1] * n[c], -s * n[2] * n[c], 0.0f}
			                              : (Vec4){Random_Range(random, -1.0f, 1.0f), Random_Range(random, -1.0f, 1.0f),
			                                       Random_Range(random, -1.0f, 1.0f), 0.0f};
		}
	}
	memset(matrix->ground.data, 0, 48 * (size_t)matrix->groupCount * sizeof(float));
	for (uint32_t i = 0; i < matrix->rowCount; ++i)
	{
		float* ground = &matrix->ground.data[48 * (i / 8) + i % 8];
		for (int k = 0; k < 6; ++k)
			ground[8 * k] =
				k == 0 || k == 3 || k == 5 ? Random_Range(random, 0.5f, 1.0f) : Random_Range(random, -0.2f, 0.2f);
	}
	matrix->bendScale = Random_Range(random, 0.1f, 2.0f);
}

void RandomMatrix_Make(BlockMatrix* matrix, const RandomMatrix* def, Random* random)
{
	uint32_t* scratch = calloc(BlockMatrix_PaddedRows(def->rows), sizeof *scratch);
	float* diagonal = calloc(def->rows, sizeof *diagonal);
	uint32_t edges = ChooseEdges(matrix, def, random);
	assert_true(BlockMatrix_Reserve(matrix, def->rows, def->rows / 3, edges));
	ChooseBending(matrix, def, scratch, random);
	BendSum_Lump(matrix, diagonal, scratch);
	assert_true(BendSum_Slice(matrix, scratch) && BlockMatrix_BuildSlices(matrix, scratch));
	RandomMatrix_Fill(matrix, def->isDefinite, random);
	free(scratch);
	free(diagonal);
}

Vec4* ZeroRows(uint32_t rows)
{
	size_t bytes = BlockMatrix_PaddedRows(rows) * sizeof(Vec4);
	Vec4* made = aligned_alloc(64, (bytes + 63) / 64 * 64);
	assert_non_null(made);
	memset(made, 0, bytes);
	return made;
}

Vec4* RandomRows(uint32_t rows, Random* random)
{
	Vec4* made = ZeroRows(rows);
	for (uint32_t i = 0; i < rows; ++i)
		made[i] = (Vec4){Random_Range(random, -1.0f, 1.0f), Random_Range(random, -1.0f, 1.0f),
		                 Random_Range(random, -1.0f, 1.0f), 0.0f};
	return made;
}
