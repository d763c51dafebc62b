// SPDX-License-Identifier: MIT
#pragma once

// Block matrices written out in double precision, from their pairs and not from their slices: what products, coarse
// levels and solutions are compared with. And random ones to try.

#include "support.h"

#include "base/random.h"
#include "solve/block_matrix.h"

typedef struct Written
{
	uint32_t size; // 3 * rows
	double* a;     // [size * size]
} Written;

// Zeros.
Written Written_Create(uint32_t rows);
void Written_Destroy(Written* written);

// A as block_matrix.h defines it; with isSmooth what stands for it in the smoother.
Written Written_Of(const BlockMatrix* matrix, bool isSmooth);

// y = A x for padded rows.
void Written_Times(const Written* written, const Vec4* x, double* y);
double Written_Largest(const Written* written);

// True when a - b is at most `share` of the largest entry of a.
bool Written_IsNear(const Written* a, const Written* b, double share);

typedef struct RandomMatrix
{
	uint32_t rows;
	float edgeChance; // of each pair
	float wideChance;
	bool isDefinite; // symmetric blocks, and positive definite as a whole; else any blocks
} RandomMatrix;

// Zeroed before; asserts that it succeeds. Not yet updated.
void RandomMatrix_Make(BlockMatrix* matrix, const RandomMatrix* def, Random* random);

// New numbers in the same places.
void RandomMatrix_Fill(BlockMatrix* matrix, bool isDefinite, Random* random);

// Padded rows between -1 and 1, zero past the last; the caller's to free.
Vec4* RandomRows(uint32_t rows, Random* random);
Vec4* ZeroRows(uint32_t rows);

DRAPE_INLINE float Component(Vec4 v, uint32_t k)
{
	return k == 0 ? v.x : k == 1 ? v.y : v.z;
}
