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
	for (uint32_t i = 0; i < matrix->rowCount && !isSmooth; ++i)
	{
		for (uint32_t slot = matrix->wideStart.data[i / 8]; slot < matrix->wideStart.data[i / 8 + 1]; ++slot)
		{
			double value = scale * (double)matrix->wide.data[8 * slot + i % 8];
			for (uint32_t k = 0; k < 3; ++k)
			{
				AddEntry(&w, i, matrix->wideColumn.data[8 * slot + i % 8], k, k, value);
				AddEntry(&w, i, i, k, k, -value);
			}
		}
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

typedef struct BendPair
{
	RowPair rows;
	float value;
	bool isEdge;
} BendPair;

// Every edge bends, and so do some pairs without one.
static BendPair* ChooseBending(const BlockMatrix* matrix, const RandomMatrix* def, uint32_t* count, Random* random)
{
	BendPair* pairs = malloc((size_t)def->rows * def->rows * sizeof *pairs);
	assert_non_null(pairs);
	uint32_t edge = 0;
	*count = 0;
	for (uint32_t a = 0; a < def->rows; ++a)
	{
		for (uint32_t b = a + 1; b < def->rows; ++b)
		{
			bool isEdge = edge < matrix->edgeCount && matrix->ends.data[edge].a == a && matrix->ends.data[edge].b == b;
			edge += isEdge;
			if (!isEdge && Random_Float(random) >= def->wideChance)
				continue;
			float value = -Random_Float(random);
			pairs[(*count)++] = (BendPair){{a, b}, value - Random_Float(random), isEdge};
		}
	}
	return pairs;
}

static void AddPartners(BendSum* sum, uint32_t row, const BendPair* pairs, uint32_t count, bool isEdge)
{
	BendList* list = &sum->lists.data[row];
	for (uint32_t i = 0; i < count; ++i)
	{
		RowPair rows = pairs[i].rows;
		if (pairs[i].isEdge != isEdge || (rows.a != row && rows.b != row))
			continue;
		ArrayPush(&sum->partners, ((BendPartner){rows.a == row ? rows.b : rows.a, pairs[i].value}));
		list->count++;
		list->ringCount += isEdge;
		list->diagonal -= pairs[i].value;
	}
}

// Particles are rows.
static void FillBending(BlockMatrix* matrix, const BendPair* pairs, uint32_t count, TaskPool* tasks)
{
	BendSum sum = {0};
	uint32_t rows = matrix->rowCount, *same = malloc(rows * sizeof *same);
	assert_true(ArrayReserve(&sum.lists, rows) && ArrayReserve(&sum.partners, 2 * count));
	for (uint32_t row = 0; row < rows; ++row)
	{
		same[row] = row;
		sum.lists.data[row] = (BendList){.start = sum.partners.count};
		AddPartners(&sum, row, pairs, count, true);
		AddPartners(&sum, row, pairs, count, false);
	}
	sum.lists.count = rows;
	sum.partnersInUse = sum.partners.count;
	assert_true(drapeBendSum_Fill(&sum, matrix, &(RowNames){same, same}, tasks));
	drapeBendSum_Destroy(&sum);
	free(same);
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
	TaskPool* tasks = drapeTaskPool_Create(1, NULL, NULL, NULL);
	uint32_t edges = ChooseEdges(matrix, def, random), pairCount;
	assert_true(drapeBlockMatrix_Reserve(matrix, def->rows, def->rows / 3, edges));
	drapeBlockMatrix_ListEdges(matrix);
	BendPair* pairs = ChooseBending(matrix, def, &pairCount, random);
	FillBending(matrix, pairs, pairCount, tasks);
	assert_true(drapeBlockMatrix_BuildSlices(matrix, tasks));
	RandomMatrix_Fill(matrix, def->isDefinite, random);
	free(pairs);
	drapeTaskPool_Destroy(tasks);
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
