// SPDX-License-Identifier: MIT
#include "blocks.h"

#include "base/hash.h"
#include "solve/multigrid.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Sizes with and without a full last group, one row, and rows for several tasks.
static const RandomMatrix sizes[] = {{1, 0.0f, 0.0f, false},    {2, 1.0f, 0.0f, false},     {7, 0.5f, 0.3f, false},
                                     {8, 0.6f, 0.2f, false},    {9, 0.0f, 0.5f, false},     {40, 0.15f, 0.2f, false},
                                     {100, 0.05f, 0.0f, false}, {300, 0.02f, 0.03f, false}, {301, 0.0f, 0.0f, false}};

enum
{
	sizeCount = sizeof sizes / sizeof sizes[0]
};

static bool PaddingIsZero(const Vec4* rows, uint32_t count)
{
	for (uint32_t i = count; i < BlockMatrix_PaddedRows(count); ++i)
	{
		if (rows[i].x != 0.0f || rows[i].y != 0.0f || rows[i].z != 0.0f || rows[i].w != 0.0f)
			return false;
	}
	return true;
}

// Asserts that row i of `got` is wanted[3 i + k] to `tolerance`, and zero past the last.
static void AssertRows(const Vec4* got, const double* wanted, uint32_t rows, double tolerance)
{
	for (uint32_t i = 0; i < 3 * rows; ++i)
		assert_true(fabs((double)Component(got[i / 3], i % 3) - wanted[i]) <= tolerance);
	assert_true(PaddingIsZero(got, rows));
}

static double Dot(const Vec4* a, const Vec4* b, uint32_t rows)
{
	double sum = 0.0;
	for (uint32_t i = 0; i < 3 * rows; ++i)
		sum += (double)Component(a[i / 3], i % 3) * (double)Component(b[i / 3], i % 3);
	return sum;
}

// --- products -------------------------------------------------------------------------------------------------------

static void ProductsAreThoseOfTheWrittenOutMatrix(void** state)
{
	(void)state;
	Random random = Random_Seed(1, 1);
	TaskPool* tasks = drapeTaskPool_Create(2, NULL, NULL, NULL);
	for (int s = 0; s < sizeCount; ++s)
	{
		BlockMatrix matrix = {0};
		RandomMatrix_Make(&matrix, &sizes[s], &random);
		drapeBlockMatrix_Update(&matrix, tasks);
		uint32_t n = sizes[s].rows;
		Written whole = Written_Of(&matrix, false), smooth = Written_Of(&matrix, true);
		Vec4 *x = RandomRows(n, &random), *b = RandomRows(n, &random), *y = ZeroRows(n);
		double* wanted = malloc(3 * n * sizeof *wanted);

		Written_Times(&whole, x, wanted);
		double returned = drapeBlockMatrix_Multiply(&matrix, x, y, tasks);
		AssertRows(y, wanted, n, 2e-5 * (1.0 + sqrt(n)));
		double dot = Dot(x, y, n);
		assert_true(fabs(returned - dot) <= 1e-5 * (fabs(dot) + n));

		for (int isSmooth = 0; isSmooth < 2; ++isSmooth)
		{
			Written_Times(isSmooth ? &smooth : &whole, x, wanted);
			for (uint32_t i = 0; i < 3 * n; ++i)
				wanted[i] = (double)Component(b[i / 3], i % 3) - wanted[i];
			drapeBlockMatrix_Residual(&matrix, isSmooth, b, NULL, x, y, tasks);
			AssertRows(y, wanted, n, 2e-5 * (1.0 + sqrt(n)));
		}
		free(wanted);
		free(x);
		free(y);
		free(b);
		Written_Destroy(&whole);
		Written_Destroy(&smooth);
		drapeBlockMatrix_Destroy(&matrix);
	}
	drapeTaskPool_Destroy(tasks);
}

// However stiff: this is what the form of the matrix is for.
static void AShiftOfAllRowsInvolvesTheAnchorTermsAlone(void** state)
{
	(void)state;
	Random random = Random_Seed(2, 1);
	TaskPool* tasks = drapeTaskPool_Create(1, NULL, NULL, NULL);
	BlockMatrix matrix = {0};
	RandomMatrix_Make(&matrix, &(RandomMatrix){60, 0.2f, 0.2f, true}, &random);
	for (uint32_t i = 0; i < blockFloats * matrix.edgeCount; ++i)
		matrix.blocks.data[i] *= 1e8f;
	matrix.quadraticScale = 1e7f;
	drapeBlockMatrix_Update(&matrix, tasks);
	Vec4 *x = ZeroRows(60), *y = ZeroRows(60);
	const Vec4 shift = {0.3f, -0.7f, 1.1f, 0.0f};
	for (uint32_t i = 0; i < 60; ++i)
		x[i] = shift;
	drapeBlockMatrix_Multiply(&matrix, x, y, tasks);
	for (uint32_t i = 0; i < 60; ++i)
	{
		const float* g = &matrix.anchor.data[48 * (i / 8) + i % 8];
		assert_true(fabsf(y[i].x - (g[0] * shift.x + g[8] * shift.y + g[16] * shift.z)) < 1e-6f);
		assert_true(fabsf(y[i].y - (g[8] * shift.x + g[24] * shift.y + g[32] * shift.z)) < 1e-6f);
		assert_true(fabsf(y[i].z - (g[16] * shift.x + g[32] * shift.y + g[40] * shift.z)) < 1e-6f);
	}
	free(x);
	free(y);
	drapeBlockMatrix_Destroy(&matrix);
	drapeTaskPool_Destroy(tasks);
}

// D is the diagonal of A, not of what stands for it.
static void RelaxingUsesTheInverseOfTheDiagonalBlocks(void** state)
{
	(void)state;
	Random random = Random_Seed(3, 1);
	TaskPool* tasks = drapeTaskPool_Create(1, NULL, NULL, NULL);
	for (int s = 0; s < sizeCount; ++s)
	{
		RandomMatrix def = sizes[s];
		def.isDefinite = true;
		BlockMatrix matrix = {0};
		RandomMatrix_Make(&matrix, &def, &random);
		drapeBlockMatrix_Update(&matrix, tasks);
		uint32_t n = def.rows;
		Written whole = Written_Of(&matrix, false), smooth = Written_Of(&matrix, true);
		Vec4 *b = RandomRows(n, &random), *x = RandomRows(n, &random), *y = ZeroRows(n), *z = ZeroRows(n);
		double* product = malloc(3 * n * sizeof *product);
		const double omega = 0.7, allowed = 1e-4 * (1.0 + Written_Largest(&whole));
		drapeBlockMatrix_RelaxFromZero(&matrix, (float)omega, b, z, tasks);
		double returned = drapeBlockMatrix_Relax(&matrix, (float)omega, b, NULL, x, y, tasks);
		assert_true(fabs(returned - Dot(b, y, n)) < 1e-5 * (1.0 + n));
		Written_Times(&smooth, x, product);
		for (uint32_t i = 0; i < n; ++i)
		{
			// D z = omega b, D (y - x) = omega (b - S x)
			for (uint32_t r = 0; r < 3; ++r)
			{
				double fromZero = 0.0, step = 0.0;
				for (uint32_t c = 0; c < 3; ++c)
				{
					double d = whole.a[(size_t)(3 * i + r) * whole.size + 3 * i + c];
					fromZero += d * (double)Component(z[i], c);
					step += d * ((double)Component(y[i], c) - (double)Component(x[i], c));
				}
				double wanted = (double)Component(b[i], r) - product[3 * i + r];
				assert_true(fabs(fromZero - omega * (double)Component(b[i], r)) < 1e-4);
				assert_true(fabs(step - omega * wanted) < allowed);
			}
		}
		assert_true(PaddingIsZero(y, n) && PaddingIsZero(z, n));
		free(product);
		free(b);
		free(x);
		free(y);
		free(z);
		Written_Destroy(&whole);
		Written_Destroy(&smooth);
		drapeBlockMatrix_Destroy(&matrix);
	}
	drapeTaskPool_Destroy(tasks);
}

// x + alpha p, r - alpha q, omega D^-1 r, all at once.
static void AdvancingIsThreeStepsInOne(void** state)
{
	(void)state;
	Random random = Random_Seed(12, 1);
	TaskPool* tasks = drapeTaskPool_Create(1, NULL, NULL, NULL);
	for (int s = 0; s < sizeCount; ++s)
	{
		BlockMatrix matrix = {0};
		uint32_t n = sizes[s].rows;
		RandomMatrix_Make(&matrix, &sizes[s], &random);
		drapeBlockMatrix_Update(&matrix, tasks);
		Vec4 *p = RandomRows(n, &random), *q = RandomRows(n, &random), *x = RandomRows(n, &random);
		Vec4 *r = RandomRows(n, &random), *z = ZeroRows(n), *relaxed = ZeroRows(n);
		double *newX = malloc(3 * n * sizeof *newX), *newR = malloc(3 * n * sizeof *newR);
		for (uint32_t i = 0; i < 3 * n; ++i)
		{
			newX[i] = (double)Component(x[i / 3], i % 3) + 0.3 * (double)Component(p[i / 3], i % 3);
			newR[i] = (double)Component(r[i / 3], i % 3) - 0.3 * (double)Component(q[i / 3], i % 3);
		}
		MatrixAdvance advance = {&matrix, 0.3f, 0.6f, p, q, x, r, z};
		double square = drapeMatrixAdvances_Run(&advance, 1, tasks);
		AssertRows(x, newX, n, 1e-6);
		AssertRows(r, newR, n, 1e-6);
		assert_true(fabs(square - Dot(r, r, n)) < 1e-5 * n);
		assert_true(fabs(drapeBlockMatrix_Dot(&matrix, r, x, tasks) - Dot(r, x, n)) < 1e-5 * n);
		drapeBlockMatrix_RelaxFromZero(&matrix, 0.6f, r, relaxed, tasks);
		assert_memory_equal(z, relaxed, n * sizeof *z);
		free(p);
		free(q);
		free(x);
		free(r);
		free(z);
		free(relaxed);
		free(newX);
		free(newR);
		drapeBlockMatrix_Destroy(&matrix);
	}
	drapeTaskPool_Destroy(tasks);
}

// A row that nothing holds and nothing couples must not be divided by.
static void ARowWithoutAnythingStaysWhereItIs(void** state)
{
	(void)state;
	Random random = Random_Seed(4, 1);
	TaskPool* tasks = drapeTaskPool_Create(1, NULL, NULL, NULL);
	BlockMatrix matrix = {0};
	RandomMatrix_Make(&matrix, &(RandomMatrix){5, 0.0f, 0.0f, true}, &random);
	memset(matrix.anchor.data, 0, 48 * sizeof(float));
	drapeBlockMatrix_Update(&matrix, tasks);
	Vec4 *b = RandomRows(5, &random), *y = RandomRows(5, &random);
	drapeBlockMatrix_RelaxFromZero(&matrix, 1.0f, b, y, tasks);
	for (int i = 0; i < 5; ++i)
		assert_true(y[i].x == 0.0f && y[i].y == 0.0f && y[i].z == 0.0f);
	free(b);
	free(y);
	drapeBlockMatrix_Destroy(&matrix);
	drapeTaskPool_Destroy(tasks);
}

// --- the same numbers -----------------------------------------------------------------------------------------------

static uint64_t HashProducts(BlockMatrix* matrix, TaskPool* tasks)
{
	Random random = Random_Seed(5, 1);
	uint32_t n = matrix->rowCount, padded = BlockMatrix_PaddedRows(n);
	Vec4 *x = RandomRows(n, &random), *b = RandomRows(n, &random), *y = ZeroRows(n);
	drapeBlockMatrix_Update(matrix, tasks);
	double dot = drapeBlockMatrix_Multiply(matrix, x, y, tasks);
	uint64_t hash = drapeHash_Bytes(drapeHash_Bytes(0, &dot, sizeof dot), y, padded * sizeof *y);
	for (int isSmooth = 0; isSmooth < 2; ++isSmooth)
	{
		drapeBlockMatrix_Residual(matrix, isSmooth, b, NULL, x, y, tasks);
		hash = drapeHash_Bytes(hash, y, padded * sizeof *y);
	}
	drapeBlockMatrix_Relax(matrix, 0.6f, b, NULL, x, y, tasks);
	hash = drapeHash_Bytes(hash, y, padded * sizeof *y);
	drapeBlockMatrix_RelaxFromZero(matrix, 0.6f, b, y, tasks);
	hash = drapeHash_Bytes(hash, y, padded * sizeof *y);
	free(x);
	free(y);
	free(b);
	return hash;
}

static void AnUpdatedMatrixIsThatOfAFreshOne(void** state)
{
	(void)state;
	TaskPool* tasks = drapeTaskPool_Create(1, NULL, NULL, NULL);
	for (int s = 0; s < sizeCount; ++s)
	{
		BlockMatrix matrices[2] = {0};
		for (int i = 0; i < 2; ++i)
		{
			Random random = Random_Seed(6, 1), numbers = Random_Seed(7, 1);
			RandomMatrix_Make(&matrices[i], &sizes[s], &random);
			if (i == 0)
				HashProducts(&matrices[i], tasks); // other numbers before
			RandomMatrix_Fill(&matrices[i], false, &numbers);
		}
		assert_true(HashProducts(&matrices[0], tasks) == HashProducts(&matrices[1], tasks));
		drapeBlockMatrix_Destroy(&matrices[0]);
		drapeBlockMatrix_Destroy(&matrices[1]);
	}
	drapeTaskPool_Destroy(tasks);
}

// From the end to the start, as small as is allowed.
static void* RunBackwards(drapeTaskFcn* task, uint32_t count, uint32_t minRange, void* taskContext, void* userContext)
{
	(void)userContext;
	for (uint32_t end = count; end > 0;)
	{
		uint32_t start = end < 2 * minRange ? 0 : end - minRange;
		task(start, end, 1, taskContext);
		end = start;
	}
	return NULL;
}

static void FinishNothing(void* userTask, void* userContext)
{
	(void)userTask;
	(void)userContext;
}

// The products below. It changes when the order of sums does: then look at why, and store the new one. It must not
// differ between builds with vector instructions and without.
#define EXPECTED_HASH 0xd8862d5fc3f8d71bu

static void ThreadsAndVectorInstructionsChangeNoBit(void** state)
{
	(void)state;
	Random random = Random_Seed(8, 1);
	BlockMatrix matrix = {0};
	// Enough for several tasks.
	RandomMatrix_Make(&matrix, &(RandomMatrix){1203, 0.008f, 0.01f, false}, &random);
	for (uint32_t workers = 1; workers <= 4; ++workers)
	{
		TaskPool* tasks = workers < 4 ? drapeTaskPool_Create(workers, NULL, NULL, NULL)
		                              : drapeTaskPool_Create(2, RunBackwards, FinishNothing, NULL);
		uint64_t hash = HashProducts(&matrix, tasks);
		if (workers == 1)
			printf("hash 0x%016llx, %u edges, %u slots of wide pairs\n", (unsigned long long)hash, matrix.edgeCount,
			       matrix.wideStart.data[matrix.groupCount]);
		assert_true(hash == EXPECTED_HASH);
		drapeTaskPool_Destroy(tasks);
	}
	drapeBlockMatrix_Destroy(&matrix);
}

// --- the dense factor -----------------------------------------------------------------------------------------------

static void TheDenseFactorSolvesDefiniteSystems(void** state)
{
	(void)state;
	Random random = Random_Seed(9, 1);
	TaskPool* tasks = drapeTaskPool_Create(1, NULL, NULL, NULL);
	for (uint32_t n = 1; n <= denseRows; n = n < 12 ? n + 1 : n + 12)
	{
		BlockMatrix matrix = {0};
		DenseFactor dense = {0};
		RandomMatrix_Make(&matrix, &(RandomMatrix){n, 0.3f, 0.3f, true}, &random);
		drapeBlockMatrix_Update(&matrix, tasks);
		assert_true(drapeDenseFactor_Reserve(&dense, n));
		drapeDenseFactor_Update(&dense, &matrix);
		assert_true(dense.isUsable);
		Vec4 *b = RandomRows(n, &random), *x = ZeroRows(n);
		double product[3 * denseRows];
		Written whole = Written_Of(&matrix, false);
		for (int again = 0; again < 2; ++again)
			drapeDenseFactor_Solve(&dense, b, x); // leaves nothing behind that the next one would see
		Written_Times(&whole, x, product);
		AssertRows(b, product, n, 1e-4);
		assert_true(PaddingIsZero(x, n));
		free(b);
		free(x);
		Written_Destroy(&whole);
		drapeDenseFactor_Destroy(&dense);
		drapeBlockMatrix_Destroy(&matrix);
	}
	drapeTaskPool_Destroy(tasks);
}

static void TheDenseFactorRefusesRowsThatNothingHolds(void** state)
{
	(void)state;
	Random random = Random_Seed(10, 1);
	TaskPool* tasks = drapeTaskPool_Create(1, NULL, NULL, NULL);
	const float wrong[] = {0.0f, -100.0f, NAN, INFINITY};
	for (int i = 0; i < 4; ++i)
	{
		BlockMatrix matrix = {0};
		DenseFactor dense = {0};
		RandomMatrix_Make(&matrix, &(RandomMatrix){6, i == 0 ? 0.0f : 0.5f, 0.0f, true}, &random);
		matrix.anchor.data[8 * 3 + 4] = wrong[i];
		drapeBlockMatrix_Update(&matrix, tasks);
		assert_true(drapeDenseFactor_Reserve(&dense, 6));
		drapeDenseFactor_Update(&dense, &matrix);
		assert_false(dense.isUsable);
		// And takes the next one.
		RandomMatrix_Fill(&matrix, true, &random);
		drapeBlockMatrix_Update(&matrix, tasks);
		drapeDenseFactor_Update(&dense, &matrix);
		assert_true(dense.isUsable);
		drapeDenseFactor_Destroy(&dense);
		drapeBlockMatrix_Destroy(&matrix);
	}
	drapeTaskPool_Destroy(tasks);
}

// Whoever preconditions with it must be able to rely on that.
static void TheDenseFactorIsDefiniteOrRefused(void** state)
{
	(void)state;
	Random random = Random_Seed(11, 1);
	TaskPool* tasks = drapeTaskPool_Create(1, NULL, NULL, NULL);
	uint32_t usable = 0, refused = 0;
	for (int i = 0; i < 400; ++i)
	{
		BlockMatrix matrix = {0};
		DenseFactor dense = {0};
		RandomMatrix_Make(&matrix, &(RandomMatrix){4, 0.4f, 0.0f, false}, &random);
		for (int k = 0; k < 48; ++k)
			matrix.anchor.data[k] *= 4.0f;
		matrix.quadraticScale = 0.1f;
		drapeBlockMatrix_Update(&matrix, tasks);
		assert_true(drapeDenseFactor_Reserve(&dense, 4));
		drapeDenseFactor_Update(&dense, &matrix);
		Vec4 *b = RandomRows(4, &random), *x = ZeroRows(4);
		if (dense.isUsable)
		{
			double dot = 0.0;
			drapeDenseFactor_Solve(&dense, b, x);
			for (uint32_t k = 0; k < 12; ++k)
				dot += (double)Component(b[k / 3], k % 3) * (double)Component(x[k / 3], k % 3);
			assert_true(dot > 0.0);
		}
		usable += dense.isUsable;
		refused += !dense.isUsable;
		free(b);
		free(x);
		drapeDenseFactor_Destroy(&dense);
		drapeBlockMatrix_Destroy(&matrix);
	}
	assert_true(usable > 20 && refused > 20);
	drapeTaskPool_Destroy(tasks);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(ProductsAreThoseOfTheWrittenOutMatrix),
		cmocka_unit_test(AShiftOfAllRowsInvolvesTheAnchorTermsAlone),
		cmocka_unit_test(RelaxingUsesTheInverseOfTheDiagonalBlocks),
		cmocka_unit_test(AdvancingIsThreeStepsInOne),
		cmocka_unit_test(ARowWithoutAnythingStaysWhereItIs),
		cmocka_unit_test(AnUpdatedMatrixIsThatOfAFreshOne),
		cmocka_unit_test(ThreadsAndVectorInstructionsChangeNoBit),
		cmocka_unit_test(TheDenseFactorSolvesDefiniteSystems),
		cmocka_unit_test(TheDenseFactorRefusesRowsThatNothingHolds),
		cmocka_unit_test(TheDenseFactorIsDefiniteOrRefused),
	};
	return cmocka_run_group_tests_name("block matrix", tests, NULL, NULL);
}
