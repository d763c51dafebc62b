// SPDX-License-Identifier: MIT
#include "base/simd.h"
#include "solve/multigrid.h"

#include <string.h>

// The coarsest level is small: a Cholesky factorisation, row by row, eight products at a time. The entries of U below
// the diagonal are undefined; they are multiplied by zero or never read.

bool drapeDenseFactor_Reserve(DenseFactor* dense, uint32_t rows)
{
	DRAPE_ASSERT(rows > 0);
	dense->size = 3 * rows;
	dense->stride = (dense->size + 7) / 8 * 8;
	return ArrayReserve(&dense->upper, dense->size * dense->stride) && ArrayReserve(&dense->rhs, dense->stride) &&
	       ArrayReserve(&dense->solution, dense->stride);
}

void drapeDenseFactor_Destroy(DenseFactor* dense)
{
	ArrayFree(&dense->upper);
	ArrayFree(&dense->rhs);
	ArrayFree(&dense->solution);
	*dense = (DenseFactor){0};
}

void drapeDenseFactor_AddBlock(DenseFactor* dense, uint32_t i, uint32_t j, const float* block9, float sign)
{
	DRAPE_ASSERT(3 * i < dense->size && 3 * j < dense->size);
	for (uint32_t r = 0; r < 3; ++r)
	{
		for (uint32_t c = 0; c < 3; ++c)
			dense->upper.data[(3 * i + r) * dense->stride + 3 * j + c] += sign * block9[3 * r + c];
	}
}

void drapeDenseFactor_Clear(DenseFactor* dense)
{
	memset(dense->upper.data, 0, (size_t)dense->size * dense->stride * sizeof(float));
}

void drapeDenseFactor_AddMatrix(DenseFactor* dense, const BlockMatrix* matrix, uint32_t firstRow, bool hasBound)
{
	DRAPE_ASSERT(3 * (firstRow + matrix->rowCount) <= dense->size);
	for (uint32_t i = 0; i < matrix->rowCount; ++i)
	{
		uint32_t g = i / 8, lane = i % 8;
		const float* s = &matrix->anchor.data[48 * g + lane];
		const float anchor[9] = {s[0], s[8], s[16], s[8], s[24], s[32], s[16], s[32], s[40]};
		drapeDenseFactor_AddBlock(dense, firstRow + i, firstRow + i, anchor, 1.0f);
		if (hasBound)
		{
			s = &matrix->surplus.data[48 * g + lane];
			const float surplus[9] = {s[0], s[8], s[16], s[8], s[24], s[32], s[16], s[32], s[40]};
			drapeDenseFactor_AddBlock(dense, firstRow + i, firstRow + i, surplus, 2.0f);
		}
		for (uint32_t slot = matrix->ringStart.data[g]; slot < matrix->ringStart.data[g + 1]; ++slot)
		{
			uint32_t j = matrix->ringOffset.data[8 * slot + lane] / 16;
			float block[9];
			// The slices have the smoother's Laplacian in place of the quadratic energy. The exact solve needs all of
			// the energy.
			float rest = matrix->quadraticScale * matrix->ringRest.data[8 * slot + lane];
			for (int k = 0; k < 9; ++k)
				block[k] = matrix->ring.data[72 * slot + 8 * k + lane] + (k % 4 == 0 ? rest : 0.0f);
			drapeDenseFactor_AddBlock(dense, firstRow + i, firstRow + j, block, 1.0f);
			drapeDenseFactor_AddBlock(dense, firstRow + i, firstRow + i, block, -1.0f);
		}
		for (uint32_t slot = matrix->wideStart.data[g]; slot < matrix->wideStart.data[g + 1]; ++slot)
		{
			uint32_t j = matrix->wideOffset.data[8 * slot + lane] / 16;
			float q = matrix->quadraticScale * matrix->wide.data[8 * slot + lane];
			const float block[9] = {q, 0.0f, 0.0f, 0.0f, q, 0.0f, 0.0f, 0.0f, q};
			drapeDenseFactor_AddBlock(dense, firstRow + i, firstRow + j, block, 1.0f);
			drapeDenseFactor_AddBlock(dense, firstRow + i, firstRow + i, block, -1.0f);
		}
	}
}

// y -= factor x from `first` on, rounded down to a multiple of eight: entries before `first` are not read again.
static void Subtract(float* y, float factor, const float* x, uint32_t first, uint32_t stride)
{
	DRAPE_ASSERT(stride % 8 == 0);
	F8 f = F8_Splat(factor);
	for (uint32_t k = first / 8 * 8; k < stride; k += 8)
		F8_Store(y + k, F8_Sub(F8_Load(y + k), F8_Mul(f, F8_Load(x + k))));
}

// U^T U = A. The rows of U replace the upper triangle of A; the diagonal holds inverses.
void drapeDenseFactor_Factorise(DenseFactor* dense)
{
	DRAPE_ASSERT(dense->size > 0);
	uint32_t n = dense->size, stride = dense->stride;
	dense->isUsable = false;
	for (uint32_t j = 0; j < n; ++j)
		dense->rhs.data[j] = dense->upper.data[j * stride + j];
	for (uint32_t j = 0; j < n; ++j)
	{
		float *row = &dense->upper.data[j * stride], whole = dense->rhs.data[j];
		// A pivot this far below zero cannot come from rounding: the matrix is not definite.
		if (!(whole > 0.0f) || !isfinite(row[j]) || row[j] < -1e-4f * whole)
			return;
		// A pivot that rounding made too small is raised: the factor only has to be close.
		float inverse = 1.0f / sqrtf(MaxNumF(row[j], 1e-6f * whole));
		for (uint32_t k = j + 1; k < n; ++k)
			row[k] *= inverse;
		row[j] = inverse;
		for (uint32_t i = j + 1; i < n; ++i)
		{
			if (row[i] != 0.0f) // rows of different cloths are often not coupled
				Subtract(&dense->upper.data[i * stride], row[i], row, i, stride);
		}
	}
	dense->isUsable = true;
}

void drapeDenseFactor_Update(DenseFactor* dense, const BlockMatrix* matrix)
{
	DRAPE_ASSERT(dense->size == 3 * matrix->rowCount);
	drapeDenseFactor_Clear(dense);
	drapeDenseFactor_AddMatrix(dense, matrix, 0, matrix->hasSurplus);
	drapeDenseFactor_Factorise(dense);
}

// Solves for b. The result is in `solution`.
static void Solve(DenseFactor* dense, const Vec4* b)
{
	float* y = dense->rhs.data;
	uint32_t n = dense->size, stride = dense->stride;
	for (uint32_t i = 0; i < n; ++i)
		y[i] = (&b[i / 3].x)[i % 3];
	for (uint32_t i = 0; i < n; ++i)
	{
		const float* row = &dense->upper.data[i * stride];
		float value = y[i] * row[i];
		Subtract(y, value, row, i + 1, stride);
		dense->solution.data[i] = value;
	}
	memcpy(y, dense->solution.data, n * sizeof(float));
	memset(dense->solution.data, 0, stride * sizeof(float));
	for (uint32_t i = n; i-- > 0;)
	{
		const float* row = &dense->upper.data[i * stride];
		F8 sum = F8_Splat(0.0f);
		for (uint32_t k = i / 8 * 8; k < stride; k += 8)
			sum = F8_Add(sum, F8_Mul(F8_Load(row + k), F8_Load(dense->solution.data + k)));
		dense->solution.data[i] = (y[i] - F8_SumLanes(sum)) * row[i];
	}
}

void drapeDenseFactor_Solve(DenseFactor* dense, const Vec4* b, Vec4* x)
{
	DRAPE_ASSERT(dense->isUsable && b != x);
	Solve(dense, b);
	const float* solution = dense->solution.data;
	for (uint32_t i = 0; i < dense->size / 3; ++i)
		x[i] = (Vec4){solution[3 * i], solution[3 * i + 1], solution[3 * i + 2], 0.0f};
}

void drapeDenseFactor_AddSolution(DenseFactor* dense, const Vec4* b, Vec4* x)
{
	DRAPE_ASSERT(dense->isUsable && b != x);
	Solve(dense, b);
	const float* solution = dense->solution.data;
	for (uint32_t i = 0; i < dense->size / 3; ++i)
		x[i] = (Vec4){x[i].x + solution[3 * i], x[i].y + solution[3 * i + 1], x[i].z + solution[3 * i + 2], 0.0f};
}
