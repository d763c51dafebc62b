// SPDX-License-Identifier: MIT
#include "blocks.h"
#include "shared/make.h"
#include "hang.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// --- systems --------------------------------------------------------------------------------------------------------

// The matrix of a small adaptive cloth in motion, with right-hand sides and constraints of our own.
typedef struct System
{
	drapeWorldId world;
	Multigrid* multigrid;
	BlockMatrix* matrix;
	Pcg pcg;
	Written whole;
	Random random;
	TaskPool* tasks;
} System;

static System System_Create(uint64_t seed)
{
	System s = {.world = Sheet_World(1), .random = Random_Seed(40, seed)};
	drapeClothDef def = Hang_Def();
	def.material.bendWarp = def.material.bendWeft = 0.01f;
	drapeClothId cloth = Hang_Add(s.world, &def, 3, 1);
	Hang_SplitSome(cloth, 80, seed);
	Make_Unpinned(cloth);
	Hang_Run(s.world, 3);
	s.multigrid = &Hang_Solver(cloth)->multigrid;
	s.matrix = &s.multigrid->levels[s.multigrid->levelCount - 1].matrix;
	s.whole = Written_Of(s.matrix, false);
	s.tasks = drapeTaskPool_Create(2, NULL, NULL, NULL);
	assert_true(drapePcg_Reserve(&s.pcg, s.matrix->rowCount));
	return s;
}

static void System_Destroy(System* s)
{
	drapePcg_Destroy(&s->pcg);
	Written_Destroy(&s->whole);
	drapeTaskPool_Destroy(s->tasks);
	drapeDestroyWorld(s->world);
}

static void SetRows(Vec4* rows, uint32_t count, float size, Random* random)
{
	memset(rows, 0, BlockMatrix_PaddedRows(count) * sizeof *rows);
	for (uint32_t i = 0; i < count; ++i)
		rows[i] = (Vec4){Random_Range(random, -size, size), Random_Range(random, -size, size),
		                 Random_Range(random, -size, size), 0.0f};
}

// Every seventh row.
static void Constrain(System* s)
{
	s->pcg.pinned.count = 0;
	for (uint32_t row = 0; row < s->matrix->rowCount; row += 7)
		ArrayPush(&s->pcg.pinned, row);
}

// |b - A x|, in double precision, without the pinned rows.
static double TrueResidual(System* s)
{
	uint32_t n = s->matrix->rowCount;
	double* left = malloc(3 * n * sizeof *left);
	double sum = 0.0;
	Written_Times(&s->whole, s->pcg.x.data, left);
	for (uint32_t i = 0; i < 3 * n; ++i)
		left[i] = (double)Component(s->pcg.b.data[i / 3], i % 3) - left[i];
	for (uint32_t i = 0; i < s->pcg.pinned.count; ++i)
	{
		for (int k = 0; k < 3; ++k)
			left[3 * s->pcg.pinned.data[i] + k] = 0.0;
	}
	for (uint32_t i = 0; i < 3 * n; ++i)
		sum += left[i] * left[i];
	free(left);
	return sqrt(sum);
}

// --- what a solve promises ------------------------------------------------------------------------------------------

static void AConvergedSolutionSolvesTheSystem(void** state)
{
	(void)state;
	for (uint64_t seed = 0; seed < 3; ++seed)
	{
		System s = System_Create(seed);
		for (int constrained = 0; constrained < 2; ++constrained)
		{
			for (drapePreconditioner kind = drape_preconditionerMultigrid; kind <= drape_preconditionerJacobi; ++kind)
			{
				if (constrained)
					Constrain(&s);
				drapeMultigrid_Update(s.multigrid, kind, s.tasks);
				SetRows(s.pcg.b.data, s.matrix->rowCount, 1.0f, &s.random);
				memset(s.pcg.x.data, 0, BlockMatrix_PaddedRows(s.matrix->rowCount) * sizeof(Vec4));
				double before = TrueResidual(&s);
				PcgResult result = drapePcg_Solve(&s.pcg, s.multigrid, &(PcgDef){kind, 1e-3f, 5000}, s.tasks);
				assert_true(result.converged && result.residual <= 1e-3f && result.iterations > 0);
				assert_true(TrueResidual(&s) < 1.2e-3 * before);
			}
		}
		System_Destroy(&s);
	}
}

static void PinnedRowsStayAsTheyWereGiven(void** state)
{
	(void)state;
	System s = System_Create(5);
	uint32_t n = s.matrix->rowCount;
	Vec4* given = ZeroRows(n);
	Constrain(&s);
	for (drapePreconditioner kind = drape_preconditionerMultigrid; kind <= drape_preconditionerJacobi; ++kind)
	{
		SetRows(s.pcg.b.data, n, 1.0f, &s.random);
		SetRows(s.pcg.x.data, n, 0.01f, &s.random);
		memcpy(given, s.pcg.x.data, n * sizeof *given);
		drapeMultigrid_Update(s.multigrid, kind, s.tasks);
		drapePcg_Solve(&s.pcg, s.multigrid, &(PcgDef){kind, 1e-3f, 5000}, s.tasks);
		for (uint32_t i = 0; i < n; ++i)
		{
			Vec3 way = V3Sub(V4Xyz(s.pcg.x.data[i]), V4Xyz(given[i]));
			assert_int_equal(way.x == 0.0f && way.y == 0.0f && way.z == 0.0f, i % 7 == 0);
		}
	}
	free(given);
	System_Destroy(&s);
}

static void SolvedSystemTakesNoIterations(void** state)
{
	(void)state;
	System s = System_Create(6);
	uint32_t padded = BlockMatrix_PaddedRows(s.matrix->rowCount);
	memset(s.pcg.b.data, 0, padded * sizeof(Vec4));
	memset(s.pcg.x.data, 0, padded * sizeof(Vec4));
	PcgResult result = drapePcg_Solve(&s.pcg, s.multigrid, &(PcgDef){0, 1e-3f, 100}, s.tasks);
	assert_true(result.converged && result.iterations == 0 && result.residual == 0.0f);
	for (uint32_t i = 0; i < padded; ++i)
		assert_true(s.pcg.x.data[i].x == 0.0f && s.pcg.x.data[i].y == 0.0f && s.pcg.x.data[i].z == 0.0f);
	// Nor when every row is pinned.
	for (uint32_t row = 0; row < s.matrix->rowCount; ++row)
		ArrayPush(&s.pcg.pinned, row);
	SetRows(s.pcg.b.data, s.matrix->rowCount, 1.0f, &s.random);
	result = drapePcg_Solve(&s.pcg, s.multigrid, &(PcgDef){0, 1e-3f, 100}, s.tasks);
	assert_true(result.converged && result.iterations == 0);
	System_Destroy(&s);
}

static void IterationsEndWhereTheyAreTold(void** state)
{
	(void)state;
	System s = System_Create(7);
	for (uint32_t most = 1; most < 4; ++most)
	{
		SetRows(s.pcg.b.data, s.matrix->rowCount, 1.0f, &s.random);
		memset(s.pcg.x.data, 0, BlockMatrix_PaddedRows(s.matrix->rowCount) * sizeof(Vec4));
		drapeMultigrid_Update(s.multigrid, drape_preconditionerJacobi, s.tasks);
		double before = TrueResidual(&s);
		PcgResult result =
			drapePcg_Solve(&s.pcg, s.multigrid, &(PcgDef){drape_preconditionerJacobi, 1e-6f, most}, s.tasks);
		assert_int_equal(result.iterations, most);
		assert_true(!result.converged && result.residual > 1e-6f);
		assert_true(fabs((double)result.residual - TrueResidual(&s) / before) < 1e-4);
	}
	System_Destroy(&s);
}

static void ASolveGoesOnFromTheSolutionThereIs(void** state)
{
	(void)state;
	System s = System_Create(8);
	const PcgDef def = {drape_preconditionerMultigrid, 1e-3f, 1000};
	drapeMultigrid_Update(s.multigrid, drape_preconditionerMultigrid, s.tasks);
	SetRows(s.pcg.b.data, s.matrix->rowCount, 1.0f, &s.random);
	memset(s.pcg.x.data, 0, BlockMatrix_PaddedRows(s.matrix->rowCount) * sizeof(Vec4));
	double before = TrueResidual(&s);
	PcgResult first = drapePcg_Solve(&s.pcg, s.multigrid, &def, s.tasks);
	double between = TrueResidual(&s);
	PcgResult second = drapePcg_Solve(&s.pcg, s.multigrid, &def, s.tasks);
	assert_true(first.converged && second.converged);
	assert_true(between < 1.2e-3 * before && TrueResidual(&s) < 0.1 * between);
	System_Destroy(&s);
}

// Updates that never get small enough cost a bounded number of iterations.
static void SmallUpdatesAreNotAskedForForEver(void** state)
{
	(void)state;
	System s = System_Create(9);
	const PcgSystem system = {&s.pcg, s.multigrid, drape_preconditionerJacobi};
	drapeMultigrid_Update(s.multigrid, drape_preconditionerJacobi, s.tasks);
	SetRows(s.pcg.b.data, s.matrix->rowCount, 1.0f, &s.random);
	memset(s.pcg.x.data, 0, BlockMatrix_PaddedRows(s.matrix->rowCount) * sizeof(Vec4));
	const PcgLimits loose = {0.5f, INFINITY, 1000, NULL}, strict = {0.5f, 1e-30f, 1000, NULL};
	PcgResult result = drapePcg_SolveTogether(&system, 1, NULL, &strict, s.tasks);
	assert_true(result.converged && result.iterations > 20 && result.iterations <= 61);
	memset(s.pcg.x.data, 0, BlockMatrix_PaddedRows(s.matrix->rowCount) * sizeof(Vec4));
	assert_true(drapePcg_SolveTogether(&system, 1, NULL, &loose, s.tasks).iterations < result.iterations);
	System_Destroy(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(AConvergedSolutionSolvesTheSystem),  cmocka_unit_test(PinnedRowsStayAsTheyWereGiven),
		cmocka_unit_test(SolvedSystemTakesNoIterations),      cmocka_unit_test(IterationsEndWhereTheyAreTold),
		cmocka_unit_test(ASolveGoesOnFromTheSolutionThereIs), cmocka_unit_test(SmallUpdatesAreNotAskedForForEver),
	};
	return cmocka_run_group_tests_name("pcg", tests, NULL, NULL);
}
