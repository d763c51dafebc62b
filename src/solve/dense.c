// SPDX-License-Identifier: MIT
#include "base/simd.h"
#include "solve/multigrid.h"

#include <string.h>

// The coarsest level is small: Cholesky, row by row, eight products at a time.

bool DenseFactor_Reserve(DenseFactor* dense, uint32_t rows)
{
	dense->size = 3 * rows;
	dense->stride = (dense->size + 7) / 8 * 8;
	return ArrayReserve(&dense->bend, rows * rows) && ArrayReserve(&dense->lower, dense->size * dense->stride) &&
	       ArrayReserve(&dense->rhs, dense->stride);
}

void DenseFactor_Destroy(DenseFactor* dense)
{
	ArrayFree(&dense->bend);
	ArrayFree(&dense->lower);
	ArrayFree(&dense->rhs);
	*dense = (DenseFactor){0};
}

// L W L, one column at a time.
void DenseFactor_SetBending(DenseFactor* dense, const BlockMatrix* matrix)
{
	uint32_t n = matrix->rowCount;
	float laplacian[denseRows][denseRows] = {{0.0f}};
	DRAPE_ASSERT(n <= denseRows && 3 * n == dense->size);
	for (uint32_t e = 0; e < matrix->edgeCount; ++e)
	{
		RowPair ends = matrix->ends.data[e];
		float weight = matrix->laplacian.data[e];
		laplacian[ends.a][ends.b] += weight;
		laplacian[ends.b][ends.a] += weight;
		laplacian[ends.a][ends.a] -= weight;
		laplacian[ends.b][ends.b] -= weight;
	}
	for (uint32_t i = 0; i < n; ++i)
	{
		for (uint32_t j = 0; j < n; ++j)
		{
			float sum = 0.0f;
			for (uint32_t k = 0; k < n; ++k)
				sum += laplacian[i][k] * matrix->bendWeight.data[k] * laplacian[k][j];
			dense->bend.data[i * n + j] = sum;
		}
	}
}

static void AddBlock(DenseFactor* dense, uint32_t i, uint32_t j, const float* block9, float sign)
{
	for (uint32_t r = 0; r < 3; ++r)
	{
		for (uint32_t c = 0; c < 3; ++c)
			dense->lower.data[(3 * i + r) * dense->stride + 3 * j + c] += sign * block9[3 * r + c];
	}
}

static void Assemble(DenseFactor* dense, const BlockMatrix* matrix)
{
	memset(dense->lower.data, 0, (size_t)dense->size * dense->stride * sizeof(float));
	for (uint32_t i = 0; i < matrix->rowCount; ++i)
	{
		uint32_t g = i / 8, lane = i % 8;
		const float* s = &matrix->ground.data[48 * g + lane];
		const float ground[9] = {s[0], s[8], s[16], s[8], s[24], s[32], s[16], s[32], s[40]};
		AddBlock(dense, i, i, ground, 1.0f);
		for (uint32_t slot = matrix->ringStart.data[g]; slot < matrix->ringStart.data[g + 1]; ++slot)
		{
			uint32_t j = matrix->ringColumn.data[8 * slot + lane];
			float block[9];
			for (int k = 0; k < 9; ++k)
				block[k] = matrix->ring.data[72 * slot + 8 * k + lane];
			AddBlock(dense, i, j, block, 1.0f);
			AddBlock(dense, i, i, block, -1.0f);
		}
	}
	uint32_t n = matrix->rowCount;
	for (uint32_t i = 0; i < n; ++i)
	{
		for (uint32_t j = 0; j < n; ++j)
		{
			float bend = matrix->bendScale * dense->bend.data[i * n + j];
			for (uint32_t r = 0; r < 3; ++r)
				dense->lower.data[(3 * i + r) * dense->stride + 3 * j + r] += bend;
		}
	}
}

static float Dot(const float* a, const float* b, uint32_t count)
{
	F8 sum = F8_Splat(0.0f);
	uint32_t whole = count / 8 * 8;
	for (uint32_t k = 0; k < whole; k += 8)
		sum = F8_Add(sum, F8_Mul(F8_Load(a + k), F8_Load(b + k)));
	float rest = 0.0f;
	for (uint32_t k = whole; k < count; ++k)
		rest += a[k] * b[k];
	return F8_SumLanes(sum) + rest;
}

// The diagonal keeps the inverses of its roots.
void DenseFactor_Update(DenseFactor* dense, const BlockMatrix* matrix)
{
	Assemble(dense, matrix);
	dense->isUsable = true;
	for (uint32_t i = 0; i < dense->size; ++i)
	{
		float* row = &dense->lower.data[i * dense->stride];
		for (uint32_t j = 0; j < i; ++j)
		{
			const float* other = &dense->lower.data[j * dense->stride];
			row[j] = (row[j] - Dot(row, other, j)) * other[j];
		}
		float left = row[i] - Dot(row, row, i);
		// What rounding has eaten is given back: the factor only has to be close.
		float least = 1e-6f * row[i];
		if (!(row[i] > 0.0f) || !isfinite(left))
		{
			dense->isUsable = false;
			return;
		}
		row[i] = 1.0f / sqrtf(fmaxf(left, least));
	}
}

void DenseFactor_Solve(DenseFactor* dense, const Vec4* b, Vec4* x)
{
	float* y = dense->rhs.data;
	for (uint32_t i = 0; i < dense->size; ++i)
	{
		const float* row = &dense->lower.data[i * dense->stride];
		float value = (&b[i / 3].x)[i % 3];
		y[i] = (value - Dot(row, y, i)) * row[i];
	}
	for (uint32_t i = dense->size; i-- > 0;)
	{
		const float* row = &dense->lower.data[i * dense->stride];
		y[i] *= row[i];
		for (uint32_t k = 0; k < i; ++k)
			y[k] -= row[k] * y[i];
	}
	for (uint32_t i = 0; i < dense->size / 3; ++i)
		x[i] = (Vec4){y[3 * i], y[3 * i + 1], y[3 * i + 2], 0.0f};
}
