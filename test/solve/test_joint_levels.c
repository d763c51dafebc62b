// SPDX-License-Identifier: MIT
#include "blocks.h"
#include "hang.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// --- cloths with constraints ----------------------------------------------------------------------------------------

static const drapeScheme schemes[2] = {drape_schemeFixed, drape_schemeEdge};
static const char* const schemeNames[2] = {"fixed", "edge"};

enum
{
	maxSheets = 5,
};

typedef struct Joined
{
	drapeWorldId world;
	drapeClothId cloth[maxSheets];
	uint32_t count;
} Joined;

// The point of a grid's pattern at a fraction of its width and depth.
static drapePatternPoint PointAt(uint32_t quads, float u, float v)
{
	float x = u * (float)quads, y = v * (float)quads;
	uint32_t i = MinU32((uint32_t)x, quads - 1), j = MinU32((uint32_t)y, quads - 1);
	drapeMesh mesh;
	assert_int_equal(drapeMesh_CreateGrid(quads, quads, 1.0f, 1.0f, &mesh), drape_ok);
	drapePatternPoint point = {DRAPE_NONE, {0.0f, 0.0f, 0.0f}};
	for (uint32_t t = 2 * (j * quads + i); t < 2 * (j * quads + i) + 2; ++t)
	{
		drapeVec3 p[3];
		for (int k = 0; k < 3; ++k)
			p[k] = mesh.positions[mesh.triangles[3 * t + k]];
		float px = u - 0.5f, pz = v - 0.5f;
		if (mesh.positions[0].z > 0.0f)
			pz = -pz;
		float area = (p[1].x - p[0].x) * (p[2].z - p[0].z) - (p[2].x - p[0].x) * (p[1].z - p[0].z);
		float b = ((px - p[0].x) * (p[2].z - p[0].z) - (p[2].x - p[0].x) * (pz - p[0].z)) / area;
		float c = ((p[1].x - p[0].x) * (pz - p[0].z) - (px - p[0].x) * (p[1].z - p[0].z)) / area;
		if (b > -1e-3f && c > -1e-3f && 1.0f - b - c > -1e-3f)
		{
			b = fminf(fmaxf(b, 0.0f), 1.0f);
			c = fminf(fmaxf(c, 0.0f), 1.0f - b);
			point = (drapePatternPoint){t, {1.0f - b - c, b, c}};
		}
	}
	drapeMesh_Free(&mesh);
	assert_true(point.triangle != DRAPE_NONE);
	return point;
}

// A sheet of 1 m x 1 m, shifted along x. `refinements` applies to the edge scheme; the fixed scheme has a pattern as fine.
static drapeClothId AddSheet(drapeWorldId world, drapeScheme scheme, uint32_t quads, uint32_t refinements, float shift)
{
	drapeClothDef def = Hang_Def();
	drapeMesh mesh;
	drapeResult result;
	assert_int_equal(drapeMesh_CreateGrid(quads, quads, 1.0f, 1.0f, &mesh), drape_ok);
	drapeVec3* shifted = malloc(mesh.vertexCount * sizeof *shifted);
	for (uint32_t i = 0; i < mesh.vertexCount; ++i)
		shifted[i] = V3Add(mesh.positions[i], (drapeVec3){shift, 0.0f, 0.0f});
	drapeMesh placed = mesh;
	placed.positions = shifted;
	def.mesh = &placed;
	def.result = &result;
	def.adapt.scheme = scheme;
	drapeClothId cloth = drapeCreateCloth(world, &def);
	assert_int_equal(result, drape_ok);
	for (uint32_t i = 0; i < refinements && scheme != drape_schemeFixed; ++i)
		assert_int_equal(drapeCloth_Refine(cloth), drape_ok);
	free(shifted);
	drapeMesh_Free(&mesh);
	return cloth;
}

static uint32_t QuadsOf(drapeScheme scheme, uint32_t refinements)
{
	return scheme == drape_schemeFixed ? 4u << (refinements / 2) : 4;
}

// A sheet that hangs from an attachment near one corner.
static Joined Joined_Hanging(uint32_t workers, drapeScheme scheme, uint32_t refinements, float stiffness)
{
	Joined joined = {.world = Sheet_World(workers), .count = 1};
	uint32_t quads = QuadsOf(scheme, refinements);
	joined.cloth[0] = AddSheet(joined.world, scheme, quads, refinements, 0.0f);
	drapeAttachDef def = drapeDefaultAttachDef();
	def.point = PointAt(quads, 0.02f, 0.03f);
	drapeColliderDef ball = drapeDefaultColliderDef();
	ball.radius = 0.05f;
	ball.transform.position = (drapeVec3){0.0f, 3.0f, 0.0f};
	def.collider = drapeCreateCollider(joined.world, &ball);
	def.stiffness = stiffness;
	assert_true(drapeConstraint_IsValid(drapeCloth_Attach(joined.cloth[0], &def)));
	return joined;
}

// Sheets that are stitched along edges, in a row. The first is pinned at its far corners.
static Joined Joined_Row(uint32_t workers, drapeScheme scheme, uint32_t count, const uint32_t* refinements,
                         float stiffness)
{
	Joined joined = {.world = Sheet_World(workers), .count = count};
	uint32_t stitches = 4u << (refinements[0] / 2);
	for (uint32_t s = 0; s < count; ++s)
		joined.cloth[s] = AddSheet(joined.world, scheme, QuadsOf(scheme, refinements[s]), refinements[s], (float)s);
	uint32_t pinned = QuadsOf(scheme, refinements[0]);
	drapeCloth_Pin(joined.cloth[0], 0);
	drapeCloth_Pin(joined.cloth[0], pinned * (pinned + 1));
	for (uint32_t i = 0; i < (stitches + 1) * (count - 1); ++i)
	{
		drapeStitchDef def = drapeDefaultStitchDef();
		uint32_t s = i / (stitches + 1);
		float v = (float)(i % (stitches + 1)) / (float)stitches;
		def.point = PointAt(QuadsOf(scheme, refinements[s]), 1.0f, v);
		def.otherCloth = joined.cloth[s + 1];
		def.otherPoint = PointAt(QuadsOf(scheme, refinements[s + 1]), 0.0f, v);
		def.stiffness = stiffness;
		assert_true(drapeConstraint_IsValid(drapeCloth_Stitch(joined.cloth[s], &def)));
	}
	return joined;
}

static Joined Joined_Stitched(uint32_t workers, drapeScheme scheme, uint32_t refinements, uint32_t finer,
                              float stiffness)
{
	return Joined_Row(workers, scheme, 2, (uint32_t[]){refinements, refinements + finer}, stiffness);
}

static JointLevels* LevelsOf(const Joined* joined)
{
	return &joined->world.world->pairForces.jointLevels;
}

static const PairTable* JointsOf(const Joined* joined)
{
	return &joined->world.world->pairForces.joints;
}

static MultigridLevel* LevelAt(const JointLevels* levels, uint32_t system, uint32_t k)
{
	Multigrid* multigrid = levels->multigrid[system];
	return &multigrid->levels[MinU32(k, multigrid->levelCount - 1)];
}

// --- coarse matrices ------------------------------------------------------------------------------------------------

// The first row of a system on level k in a matrix of all systems.
static uint32_t FirstRow(const JointLevels* levels, uint32_t system, uint32_t k)
{
	uint32_t rows = 0;
	for (uint32_t i = 0; i < system; ++i)
		rows += LevelAt(levels, i, k)->matrix.rowCount;
	return rows;
}

// The matrix of level k over all systems: that of each system, with anchor terms, and the blocks between rows of a
// constraint.
static Written WholeLevel(const JointLevels* levels, const PairTable* joints, uint32_t k)
{
	Written whole = Written_Create(FirstRow(levels, levels->systemCount, k));
	for (uint32_t i = 0; i < levels->systemCount; ++i)
	{
		Written own = Written_Of(&LevelAt(levels, i, k)->matrix, true);
		size_t first = 3 * (size_t)FirstRow(levels, i, k);
		for (size_t r = 0; r < own.size; ++r)
			memcpy(&whole.a[(first + r) * whole.size + first], &own.a[r * own.size], own.size * sizeof *own.a);
		Written_Destroy(&own);
	}
	const JointLevel* level = &levels->levels[k];
	for (uint32_t i = 0; i < joints->count; ++i)
	{
		const TouchLaw* law = &joints->laws.data[i];
		const float* n = &law->normal.x;
		uint32_t first = level->start.data[i], count = level->start.data[i + 1] - first;
		for (uint32_t e = 0; e < 9 * count * count; ++e)
		{
			JointRow a = level->rows.data[first + e / 9 / count], b = level->rows.data[first + e / 9 % count];
			uint32_t r = e % 9 / 3, c = e % 3;
			if (e / 9 / count == e / 9 % count)
				continue;
			double stiffness = (double)(law->along - law->across) * (double)n[r] * (double)n[c];
			stiffness += r == c ? (double)law->across : 0.0;
			size_t i3 = 3 * (FirstRow(levels, a.code >> pairRowBits, k) + (a.code & pairRowMask)) + r;
			size_t j3 = 3 * (FirstRow(levels, b.code >> pairRowBits, k) + (b.code & pairRowMask)) + c;
			whole.a[i3 * whole.size + j3] += (double)a.weight * (double)b.weight * stiffness;
		}
	}
	return whole;
}

// The weight of fine row i of level k + 1 in coarse row j of level k, rows of one system.
static double Interpolation(const JointLevels* levels, uint32_t system, uint32_t k, uint32_t i, uint32_t j)
{
	const Multigrid* multigrid = levels->multigrid[system];
	if (multigrid->levelCount <= k + 1 || i < multigrid->hierarchy->levels[k + 1].coarser)
		return i == j ? 1.0 : 0.0;
	const HierarchyLevel* level = &multigrid->hierarchy->levels[k + 1];
	const RowParents* parents = &level->parents.data[i - level->coarser];
	double sum = 0.0;
	for (int p = 0; p < 3; ++p)
		sum += parents->row[p] == j ? (double)parents->weight[p] : 0.0;
	return sum;
}

// out = P^T in, or with columns exchanged for rows.
static Written RestrictRows(const JointLevels* levels, const Written* fine, uint32_t k)
{
	uint32_t rows = FirstRow(levels, levels->systemCount, k);
	Written out = {3 * rows, calloc((size_t)3 * rows * fine->size, sizeof(double))};
	for (uint32_t s = 0; s < levels->systemCount; ++s)
	{
		uint32_t fineFirst = FirstRow(levels, s, k + 1), coarseFirst = FirstRow(levels, s, k);
		for (uint32_t i = 0; i < LevelAt(levels, s, k + 1)->matrix.rowCount; ++i)
		{
			for (uint32_t j = 0; j < LevelAt(levels, s, k)->matrix.rowCount; ++j)
			{
				double weight = Interpolation(levels, s, k, i, j);
				for (size_t e = 0; e < 3 * (size_t)fine->size && weight != 0.0; ++e)
					out.a[3 * (size_t)(coarseFirst + j) * fine->size + e] +=
						weight * fine->a[3 * (size_t)(fineFirst + i) * fine->size + e];
			}
		}
	}
	return out;
}

// P^T A P of a symmetric A, as P^T (P^T A)^T.
static Written Galerkin(const JointLevels* levels, const Written* fine, uint32_t k)
{
	Written half = RestrictRows(levels, fine, k), turned = {half.size, NULL};
	turned.a = calloc((size_t)half.size * fine->size, sizeof(double));
	for (size_t r = 0; r < half.size; ++r)
	{
		for (size_t c = 0; c < fine->size; ++c)
			turned.a[c * half.size + r] = half.a[r * fine->size + c];
	}
	Written out = RestrictRows(levels, &turned, k);
	Written_Destroy(&half);
	Written_Destroy(&turned);
	return out;
}

static void CoarseMatricesOfConstraintsAreGalerkinProducts(void** state)
{
	(void)state;
	TaskPool* tasks = drapeTaskPool_Create(1, NULL, NULL, NULL);
	for (int index = 0; index < 3; ++index)
	{
		Joined joined = index == 0 ? Joined_Hanging(1, drape_schemeFixed, 2, 0.0f)
		                           : Joined_Stitched(1, drape_schemeFixed, 2, index == 2 ? 2 : 0, 0.0f);
		Hang_Run(joined.world, 3);
		JointLevels* levels = LevelsOf(&joined);
		const PairTable* joints = JointsOf(&joined);
		assert_true(levels->levelCount > 1 && levels->systemCount == joined.count);
		for (uint32_t i = 0; i < levels->systemCount; ++i)
		{
			BlockMatrix* finest = &LevelAt(levels, i, hierarchyLevels)->matrix;
			memset(finest->blocks.data, 0, finest->edgeCount * sizeof(Block));
			memset(finest->anchor.data, 0, 48 * (size_t)finest->groupCount * sizeof(float));
			finest->quadraticScale = 0.0f;
			drapeMultigrid_Update(levels->multigrid[i], drape_preconditionerMultigrid, tasks);
		}
		drapeJointLevels_Update(levels, joints);
		for (uint32_t k = levels->levelCount - 1; k-- > 0;)
		{
			Written fine = WholeLevel(levels, joints, k + 1), wanted = Galerkin(levels, &fine, k);
			Written coarse = WholeLevel(levels, joints, k);
			assert_true(Written_Largest(&wanted) > 0.0);
			assert_true(Written_IsNear(&wanted, &coarse, 1e-5));
			Written_Destroy(&fine);
			Written_Destroy(&wanted);
			Written_Destroy(&coarse);
		}
		drapeDestroyWorld(joined.world);
	}
	drapeTaskPool_Destroy(tasks);
}

// --- the preconditioner ---------------------------------------------------------------------------------------------

// Applies the cycle to the rows of each system. Returns r . z; z stays in the solvers.
static double Apply(const Joined* joined, Vec4* const* r, Vec4** z, TaskPool* tasks)
{
	JointLevels* levels = LevelsOf(joined);
	for (uint32_t i = 0; i < joined->count; ++i)
	{
		Multigrid* multigrid = levels->multigrid[i];
		MultigridLevel* finest = LevelAt(levels, i, hierarchyLevels);
		memcpy(finest->r.data, r[i], BlockMatrix_PaddedRows(finest->matrix.rowCount) * sizeof(Vec4));
		drapeMultigrid_SmoothFromZero(multigrid, multigrid->levelCount - 1, tasks);
	}
	double product = drapeJointLevels_Apply(levels, JointsOf(joined), tasks);
	for (uint32_t i = 0; i < joined->count; ++i)
	{
		const MultigridLevel* finest = LevelAt(levels, i, hierarchyLevels);
		z[i] = ZeroRows(finest->matrix.rowCount);
		memcpy(z[i], finest->z.data, finest->matrix.rowCount * sizeof(Vec4));
		assert_memory_equal(finest->r.data, r[i], finest->matrix.rowCount * sizeof(Vec4));
	}
	return product;
}

static double Dot(const Joined* joined, Vec4* const* a, Vec4* const* b)
{
	double sum = 0.0;
	for (uint32_t s = 0; s < joined->count; ++s)
	{
		uint32_t rows = LevelAt(LevelsOf(joined), s, hierarchyLevels)->matrix.rowCount;
		for (uint32_t i = 0; i < 3 * rows; ++i)
			sum += (double)Component(a[s][i / 3], i % 3) * (double)Component(b[s][i / 3], i % 3);
	}
	return sum;
}

static void CheckSymmetry(const Joined* joined, Random* random, TaskPool* tasks)
{
	for (int i = 0; i < 10; ++i)
	{
		Vec4 *x[maxSheets], *y[maxSheets], *bx[maxSheets], *by[maxSheets];
		for (uint32_t s = 0; s < joined->count; ++s)
		{
			uint32_t rows = LevelAt(LevelsOf(joined), s, hierarchyLevels)->matrix.rowCount;
			x[s] = RandomRows(rows, random);
			y[s] = RandomRows(rows, random);
		}
		double product = Apply(joined, x, bx, tasks);
		Apply(joined, y, by, tasks);
		double xx = Dot(joined, x, bx), yy = Dot(joined, y, by);
		assert_true(xx > 0.0 && yy > 0.0 && fabs(product - xx) < 1e-4 * xx);
		assert_true(fabs(Dot(joined, x, by) - Dot(joined, y, bx)) < 1e-4 * sqrt(xx * yy));
		for (uint32_t s = 0; s < joined->count; ++s)
		{
			free(x[s]);
			free(y[s]);
			free(bx[s]);
			free(by[s]);
		}
	}
}

static void TheCycleIsSymmetricAndPositive(void** state)
{
	(void)state;
	Random random = Random_Seed(31, 1);
	TaskPool* tasks = drapeTaskPool_Create(1, NULL, NULL, NULL);
	for (int index = 0; index < 4; ++index)
	{
		Joined joined = index == 0 ? Joined_Hanging(1, drape_schemeEdge, 2, 0.0f)
		                           : Joined_Stitched(1, schemes[index % 2], 2, index == 3 ? 2 : 0, 0.0f);
		Hang_Run(joined.world, 3);
		CheckSymmetry(&joined, &random, tasks);
		drapeDestroyWorld(joined.world);
	}
	drapeTaskPool_Destroy(tasks);
}

// --- iterations -----------------------------------------------------------------------------------------------------

static uint32_t Iterations(Joined* joined, bool isOff)
{
	joined->world.world->pairForces.jointLevels.isOff = isOff;
	uint32_t sum = Hang_Iterations(joined->world, joined->cloth[0], 20);
	for (uint32_t i = 0; i < joined->count; ++i)
		Hang_Check(joined->cloth[i]);
	drapeDestroyWorld(joined->world);
	return sum;
}

static void IterationsWithAnAttachmentAreNoWorse(void** state)
{
	(void)state;
	for (int i = 0; i < 2; ++i)
	{
		for (uint32_t refinements = 2; refinements <= (i == 0 && !isSlow ? 4 : 2); refinements += 2)
		{
			for (int soft = 0; soft < 2; ++soft)
			{
				float stiffness = soft ? 1000.0f : 0.0f;
				Joined off = Joined_Hanging(2, schemes[i], refinements, stiffness), on;
				uint32_t particles = drapeCloth_View(off.cloth[0]).particleCount;
				uint32_t before = Iterations(&off, true);
				on = Joined_Hanging(2, schemes[i], refinements, stiffness);
				uint32_t after = Iterations(&on, false);
				print_message("%s, %u particles, %s: %.1f iterations a step, %.1f without coarse levels\n",
				              schemeNames[i], particles, soft ? "soft" : "hard", (double)after / 20.0,
				              (double)before / 20.0);
				assert_true(after <= before);
			}
		}
	}
}

static void IterationsOfStitchedSheetsAreFewer(void** state)
{
	(void)state;
	for (int i = 0; i < 2; ++i)
	{
		for (uint32_t refinements = 2; refinements <= (i == 0 && !isSlow ? 4 : 2); refinements += 2)
		{
			for (int kind = 0; kind < 3; ++kind)
			{
				float stiffness = kind == 1 ? 1000.0f : 0.0f;
				uint32_t finer = kind == 2 ? 2 : 0;
				Joined off = Joined_Stitched(2, schemes[i], refinements, finer, stiffness), on;
				uint32_t particles = drapeCloth_View(off.cloth[0]).particleCount;
				uint32_t before = Iterations(&off, true);
				on = Joined_Stitched(2, schemes[i], refinements, finer, stiffness);
				uint32_t after = Iterations(&on, false);
				print_message("%s, %u particles each, %s: %.1f iterations a step, %.1f without coarse levels\n",
				              schemeNames[i], particles,
				              kind == 2   ? "hard, other finer"
				              : kind == 1 ? "soft"
				                          : "hard",
				              (double)after / 20.0, (double)before / 20.0);
				assert_true(2 * after < before);
			}
		}
	}
}

static void IterationsOfAChainOfSheetsAreFewer(void** state)
{
	(void)state;
	const uint32_t refinements[maxSheets] = {2, 4, 2, 2, 4};
	for (int i = 0; i < 2; ++i)
	{
		Joined off = Joined_Row(2, schemes[i], maxSheets, i == 0 ? refinements : (uint32_t[]){2, 1, 2, 1, 2}, 0.0f);
		Joined on = Joined_Row(2, schemes[i], maxSheets, i == 0 ? refinements : (uint32_t[]){2, 1, 2, 1, 2}, 0.0f);
		uint32_t before = Iterations(&off, true), after = Iterations(&on, false);
		print_message("%s, chain of sheets: %.1f iterations a step, %.1f without coarse levels\n", schemeNames[i],
		              (double)after / 20.0, (double)before / 20.0);
		assert_true(2 * after < before);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(CoarseMatricesOfConstraintsAreGalerkinProducts),
		cmocka_unit_test(TheCycleIsSymmetricAndPositive),
		cmocka_unit_test(IterationsWithAnAttachmentAreNoWorse),
		cmocka_unit_test(IterationsOfStitchedSheetsAreFewer),
		cmocka_unit_test(IterationsOfAChainOfSheetsAreFewer),
	};
	return cmocka_run_group_tests_name("joint levels", tests, NULL, NULL);
}
