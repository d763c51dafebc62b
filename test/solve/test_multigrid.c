// SPDX-License-Identifier: MIT
#include "blocks.h"
#include "shared/make.h"
#include "hang.h"
#include "meshes.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// --- cloths to take matrices from -----------------------------------------------------------------------------------

typedef struct Case
{
	drapeWorldId world;
	drapeClothId cloth;
	ImplicitSolver* solver;
} Case;

enum
{
	caseCount = 5
};

// Small ones of every kind, moving, with bending that counts beside stretch.
static Case MakeCase(int index)
{
	Case c = {.world = Sheet_World(1)};
	drapeClothDef def = Hang_Def();
	drapeMesh mesh = {0};
	def.material.bendWarp = 0.3f;
	def.material.bendWeft = 0.1f;
	def.material.dampingTime = 0.01f;
	switch (index)
	{
		case 0: // uniform
			c.cloth = Hang_Add(c.world, &def, 3, 2);
			break;
		case 1: // adaptive
			c.cloth = Hang_Add(c.world, &def, 3, 1);
			Hang_SplitSome(c.cloth, 60, 1);
			break;
		case 2: // deep in few places, so that levels are put together
			c.cloth = Hang_Add(c.world, &def, 2, 0);
			Hang_SplitSome(c.cloth, 150, 2);
			break;
		case 3: // irregular, all levels below the pattern
			mesh = TestMesh_Grid(11, 10, 1.0f, 1.0f, 0.35f, 3);
			def.mesh = &mesh;
			def.adapt.scheme = drape_schemeFixed;
			c.cloth = Hang_Add(c.world, &def, 11, 0);
			break;
		default: // closed, both kinds of levels
			mesh = TestMesh_Sphere(2, 0.5f);
			def.mesh = &mesh;
			c.cloth = Hang_Add(c.world, &def, 2, 0);
			Hang_SplitSome(c.cloth, 60, 4);
			break;
	}
	TestMesh_Free(&mesh);
	Hang_Run(c.world, 5);
	c.solver = Hang_Solver(c.cloth);
	assert_true(c.solver->multigrid.levelCount > 1);
	return c;
}

static BlockMatrix* Finest(Case* c)
{
	return &c->solver->multigrid.levels[c->solver->multigrid.levelCount - 1].matrix;
}

// --- coarse matrices ------------------------------------------------------------------------------------------------

static uint32_t ListSupport(const HierarchyLevel* level, uint32_t row, uint32_t rows[3], double weights[3])
{
	if (row < level->coarser)
	{
		rows[0] = row;
		weights[0] = 1.0;
		return 1;
	}
	const RowParents* parents = &level->parents.data[row - level->coarser];
	for (int k = 0; k < 3; ++k)
	{
		rows[k] = parents->row[k];
		weights[k] = (double)parents->weight[k];
	}
	return 3;
}

// P^T A P
static Written Galerkin(const Written* fine, const HierarchyLevel* level)
{
	Written coarse = Written_Create(level->coarser);
	for (uint32_t i = 0; i < level->rowCount; ++i)
	{
		uint32_t a[3], b[3];
		double wa[3], wb[3];
		uint32_t countA = ListSupport(level, i, a, wa);
		for (uint32_t j = 0; j < level->rowCount; ++j)
		{
			uint32_t countB = ListSupport(level, j, b, wb);
			for (uint32_t n = 0; n < countA * countB; ++n)
			{
				uint32_t p = n % countA, q = n / countA;
				for (uint32_t k = 0; k < 9; ++k)
					coarse.a[(size_t)(3 * a[p] + k / 3) * coarse.size + 3 * b[q] + k % 3] +=
						wa[p] * wb[q] * fine->a[(size_t)(3 * i + k / 3) * fine->size + 3 * j + k % 3];
			}
		}
	}
	return coarse;
}

static void CoarseMatricesAreGalerkinProducts(void** state)
{
	(void)state;
	TaskPool* tasks = drapeTaskPool_Create(1, NULL, NULL, NULL);
	for (int index = 0; index < caseCount; ++index)
	{
		Case c = MakeCase(index);
		Multigrid* multigrid = &c.solver->multigrid;
		Finest(&c)->quadraticScale = 0.0f;
		drapeMultigrid_Update(multigrid, drape_preconditionerMultigrid, tasks);
		Written fine = Written_Of(Finest(&c), true);
		for (uint32_t k = multigrid->levelCount - 1; k-- > 0;)
		{
			Written wanted = Galerkin(&fine, &c.solver->hierarchy.levels[k + 1]);
			Written coarse = Written_Of(&multigrid->levels[k].matrix, true);
			if (!Written_IsNear(&wanted, &coarse, 1e-5))
				fail_msg("case %d, level %u of %u", index, k, multigrid->levelCount);
			Written_Destroy(&fine);
			Written_Destroy(&coarse);
			fine = wanted; // errors add up from here on, but not that far
		}
		Written_Destroy(&fine);
		drapeDestroyWorld(c.world);
	}
	drapeTaskPool_Destroy(tasks);
}

// The Laplacian that replaces the quadratic energy is such a product, times a factor: coarser meshes bend more easily.
static void TheCoarseLaplacianIsASofterGalerkinProduct(void** state)
{
	(void)state;
	TaskPool* tasks = drapeTaskPool_Create(1, NULL, NULL, NULL);
	for (int index = 0; index < caseCount; ++index)
	{
		Case c = MakeCase(index);
		Multigrid* multigrid = &c.solver->multigrid;
		BlockMatrix* finest = Finest(&c);
		memset(finest->blocks.data, 0, blockFloats * (size_t)finest->edgeCount * sizeof(float));
		memset(finest->anchor.data, 0, 48 * (size_t)finest->groupCount * sizeof(float));
		finest->quadraticScale = 1.0f;
		drapeMultigrid_Update(multigrid, drape_preconditionerMultigrid, tasks);
		Written fine = Written_Of(finest, true);
		for (uint32_t k = multigrid->levelCount - 1; k-- > 0;)
		{
			Written wanted = Galerkin(&fine, &c.solver->hierarchy.levels[k + 1]);
			Written coarse = Written_Of(&multigrid->levels[k].matrix, true);
			double softer = Written_Largest(&coarse) / Written_Largest(&wanted);
			assert_true(softer > 0.1 && softer <= 1.0);
			for (size_t i = 0; i < (size_t)wanted.size * wanted.size; ++i)
				wanted.a[i] *= softer;
			assert_true(Written_IsNear(&wanted, &coarse, 1e-5));
			Written_Destroy(&fine);
			Written_Destroy(&coarse);
			fine = wanted;
		}
		Written_Destroy(&fine);
		drapeDestroyWorld(c.world);
	}
	drapeTaskPool_Destroy(tasks);
}

// Pairs of rows appear once, edges sorted by the lower row, others from both sides with the same number.
static void PairsOfEveryLevelAreSortedAndDifferent(void** state)
{
	(void)state;
	for (int index = 0; index < caseCount; ++index)
	{
		Case c = MakeCase(index);
		for (uint32_t k = 0; k < c.solver->multigrid.levelCount; ++k)
		{
			const BlockMatrix* matrix = &c.solver->multigrid.levels[k].matrix;
			uint32_t rows = matrix->rowCount;
			float* seen = calloc((size_t)rows * rows, sizeof *seen);
			for (uint32_t e = 0; e < matrix->edgeCount; ++e)
			{
				RowPair pair = matrix->ends.data[e];
				assert_true(pair.a < pair.b && pair.b < rows);
				assert_true(seen[pair.a * rows + pair.b] == 0.0f);
				assert_true(e == 0 || matrix->ends.data[e - 1].a <= pair.a);
				seen[pair.a * rows + pair.b] = seen[pair.b * rows + pair.a] = INFINITY;
			}
			for (uint32_t i = 0; i < 8 * matrix->wideStart.data[matrix->groupCount]; ++i)
			{
				uint32_t g = 0, column = matrix->wideOffset.data[i] / 16;
				while (matrix->wideStart.data[g + 1] <= i / 8)
					g++;
				uint32_t row = 8 * g + i % 8;
				assert_true(column == row || seen[row * rows + column] == 0.0f);
				if (column != row)
					seen[row * rows + column] = matrix->wide.data[i];
			}
			for (uint32_t i = 0; i < rows * rows; ++i)
				assert_true(seen[i] == seen[i % rows * rows + i / rows]);
			free(seen);
		}
		drapeDestroyWorld(c.world);
	}
}

// --- preconditioners ------------------------------------------------------------------------------------------------

static double Dot(const Vec4* a, const Vec4* b, uint32_t rows)
{
	double sum = 0.0;
	for (uint32_t i = 0; i < 3 * rows; ++i)
		sum += (double)Component(a[i / 3], i % 3) * (double)Component(b[i / 3], i % 3);
	return sum;
}

static Vec4* Apply(Multigrid* multigrid, drapePreconditioner kind, const Vec4* x, TaskPool* tasks)
{
	MultigridLevel* finest = &multigrid->levels[multigrid->levelCount - 1];
	uint32_t rows = finest->matrix.rowCount, padded = BlockMatrix_PaddedRows(rows);
	memcpy(finest->r.data, x, padded * sizeof *x);
	drapeBlockMatrix_RelaxFromZero(&finest->matrix, drapeMultigrid_Omega(multigrid, kind), finest->r.data,
	                               finest->z.data, tasks);
	double product = drapeMultigrid_Apply(multigrid, kind, tasks);
	Vec4* z = ZeroRows(rows);
	memcpy(z, finest->z.data, padded * sizeof *z);
	assert_true(fabs(product - Dot(x, z, rows)) < 1e-5 * fabs(product));
	for (uint32_t i = rows; i < padded; ++i)
		assert_true(z[i].x == 0.0f && z[i].y == 0.0f && z[i].z == 0.0f && z[i].w == 0.0f);
	return z;
}

static void PreconditionersAreSymmetricAndPositive(void** state)
{
	(void)state;
	Random random = Random_Seed(30, 1);
	TaskPool* tasks = drapeTaskPool_Create(1, NULL, NULL, NULL);
	for (int index = 0; index < caseCount; ++index)
	{
		Case c = MakeCase(index);
		Multigrid* multigrid = &c.solver->multigrid;
		uint32_t rows = Finest(&c)->rowCount;
		for (drapePreconditioner kind = drape_preconditionerMultigrid; kind <= drape_preconditionerJacobi; ++kind)
		{
			drapeMultigrid_Update(multigrid, kind, tasks);
			for (int i = 0; i < 10; ++i)
			{
				Vec4 *x = RandomRows(rows, &random), *y = RandomRows(rows, &random);
				Vec4 *bx = Apply(multigrid, kind, x, tasks), *by = Apply(multigrid, kind, y, tasks);
				double xx = Dot(x, bx, rows), yy = Dot(y, by, rows);
				assert_true(xx > 0.0 && yy > 0.0);
				assert_true(fabs(Dot(x, by, rows) - Dot(y, bx, rows)) < 2e-5 * sqrt(xx * yy));
				free(x);
				free(y);
				free(bx);
				free(by);
			}
		}
		drapeDestroyWorld(c.world);
	}
	drapeTaskPool_Destroy(tasks);
}

// Applied to A x it brings back what is smooth, such as a shift of the whole cloth when nothing holds it.
static void CyclesSolveShiftsOfFreeCloth(void** state)
{
	(void)state;
	TaskPool* tasks = drapeTaskPool_Create(1, NULL, NULL, NULL);
	for (int index = 0; index < 3; ++index)
	{
		Case c = MakeCase(index);
		Make_Unpinned(c.cloth);
		Hang_Run(c.world, 2);
		BlockMatrix* finest = Finest(&c);
		assert_int_equal(c.solver->pcg.pinned.count, 0);
		Vec4 *x = ZeroRows(finest->rowCount), *ax = ZeroRows(finest->rowCount);
		for (uint32_t i = 0; i < finest->rowCount; ++i)
			x[i] = (Vec4){1.0f, -2.0f, 0.5f, 0.0f};
		drapeBlockMatrix_Multiply(finest, x, ax, tasks);
		Vec4* z = Apply(&c.solver->multigrid, drape_preconditionerMultigrid, ax, tasks);
		// An exact inverse would give 1.
		double share = Dot(z, ax, finest->rowCount) / Dot(x, ax, finest->rowCount);
		assert_true(share > 0.98 && share < 1.02);
		free(x);
		free(ax);
		free(z);
		drapeDestroyWorld(c.world);
	}
	drapeTaskPool_Destroy(tasks);
}

// --- iterations -----------------------------------------------------------------------------------------------------

static uint32_t IterationsOf(const drapeClothDef* def, uint32_t quads, uint32_t refinements, int steps)
{
	drapeWorldId world = Sheet_World(2);
	drapeClothId cloth = Hang_Add(world, def, quads, refinements);
	uint32_t sum = Hang_Iterations(world, cloth, steps);
	printf("  %u particles, %s: %.1f iterations a step\n", drapeCloth_GetView(cloth).particleCount,
	       drapePreconditioner_GetName(def->solver.preconditioner), (double)sum / steps);
	Hang_Check(cloth);
	drapeDestroyWorld(world);
	return sum;
}

static void IterationsHardlyGrowWithResolution(void** state)
{
	(void)state;
	drapeClothDef def = Hang_Def();
	uint32_t first = IterationsOf(&def, 4, 2, 40), last = first;
	for (uint32_t refinements = 3; refinements <= (isSlow ? 3 : 4); ++refinements)
	{
		uint32_t now = IterationsOf(&def, 4, refinements, 40);
		assert_true(2 * now < 3 * last && now < 2 * first);
		last = now;
	}
}

static void IterationsOnIrregularPatternsAreAThirdOfJacobis(void** state)
{
	(void)state;
	drapeMesh mesh = TestMesh_Grid(50, 44, 1.0f, 1.0f, 0.35f, 9);
	drapeClothDef def = Hang_Def();
	def.mesh = &mesh;
	def.adapt.scheme = drape_schemeFixed;
	uint32_t steps = isSlow ? 4 : 20;
	uint32_t cycle = IterationsOf(&def, 50, 0, (int)steps);
	def.solver.preconditioner = drape_preconditionerJacobi;
	uint32_t jacobi = IterationsOf(&def, 50, 0, (int)steps);
	assert_true(3 * cycle < jacobi);
	def.solver.preconditioner = drape_preconditionerBpx;
	assert_true(IterationsOf(&def, 50, 0, (int)steps) < jacobi);
	TestMesh_Free(&mesh);
}

typedef struct Fabric
{
	const char* name;
	float warp, weft, shear, bendWarp, bendWeft;
	uint32_t most; // iterations per step
} Fabric;

static void StiffAndUnevenFabricsConverge(void** state)
{
	(void)state;
	const Fabric fabrics[] = {
		{"bends hard", 5000.0f, 5000.0f, 2000.0f, 1.0f, 1.0f, 150},
		{"only bends", 1.0f, 1.0f, 0.5f, 0.1f, 0.1f, 150},
		{"stiff warp", 100000.0f, 1000.0f, 500.0f, 3e-5f, 3e-5f, 150},
		{"stiff warp that bends hard", 5000.0f, 50.0f, 50.0f, 1.0f, 0.01f, 250},
		{"shears freely", 20000.0f, 20000.0f, 20.0f, 3e-5f, 3e-5f, 150},
	};
	for (size_t i = 0; i < sizeof fabrics / sizeof fabrics[0]; ++i)
	{
		drapeClothDef def = Hang_Def();
		def.material.stretchWarp = fabrics[i].warp;
		def.material.stretchWeft = fabrics[i].weft;
		def.material.poisson = 0.1f;
		def.material.shear = fabrics[i].shear;
		def.material.bendWarp = fabrics[i].bendWarp;
		def.material.bendWeft = fabrics[i].bendWeft;
		printf("%s\n", fabrics[i].name);
		for (uint32_t refinements = 2; refinements <= (isSlow ? 2 : 3); ++refinements)
			assert_true(IterationsOf(&def, 4, refinements, 20) < 20 * fabrics[i].most);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(CoarseMatricesAreGalerkinProducts),
		cmocka_unit_test(TheCoarseLaplacianIsASofterGalerkinProduct),
		cmocka_unit_test(PairsOfEveryLevelAreSortedAndDifferent),
		cmocka_unit_test(PreconditionersAreSymmetricAndPositive),
		cmocka_unit_test(CyclesSolveShiftsOfFreeCloth),
		cmocka_unit_test(IterationsHardlyGrowWithResolution),
		cmocka_unit_test(IterationsOnIrregularPatternsAreAThirdOfJacobis),
		cmocka_unit_test(StiffAndUnevenFabricsConverge),
	};
	return cmocka_run_group_tests_name("multigrid", tests, NULL, NULL);
}
