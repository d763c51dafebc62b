// SPDX-License-Identifier: MIT
#include "blocks.h"
#include "shared/make.h"
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
	assert_int_equal(drapeMesh_CreateGrid(quads, quads, 1.0f, 1.0f, &mesh, NULL), drape_ok);
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

// A sheet of 1 m x 1 m, shifted. `refinements` applies to the edge scheme; the fixed scheme has a pattern as fine.
static drapeClothId AddSheet(drapeWorldId world, drapeScheme scheme, uint32_t quads, uint32_t refinements,
                             drapeVec3 shift, bool hasContact)
{
	drapeClothDef def = Hang_Def();
	drapeMesh mesh;
	assert_int_equal(drapeMesh_CreateGrid(quads, quads, 1.0f, 1.0f, &mesh, NULL), drape_ok);
	drapeVec3* shifted = malloc(mesh.vertexCount * sizeof *shifted);
	for (uint32_t i = 0; i < mesh.vertexCount; ++i)
		shifted[i] = V3Add(mesh.positions[i], shift);
	drapeMesh placed = mesh;
	placed.positions = shifted;
	def.mesh = &placed;
	def.adapt.scheme = scheme;
	def.contact = hasContact ? drape_contactAll : drape_contactParticles;
	drapeClothId cloth = Make_Cloth(world, &def);
	assert_true(drapeCloth_IsValid(cloth));
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
	joined.cloth[0] = AddSheet(joined.world, scheme, quads, refinements, (drapeVec3){0.0f, 0.0f, 0.0f}, false);
	drapeAttachDef def = drapeDefaultAttachDef();
	def.point = PointAt(quads, 0.02f, 0.03f);
	drapeColliderDef ball = drapeDefaultColliderDef();
	ball.radius = 0.05f;
	ball.transform.position = (drapeVec3){0.0f, 3.0f, 0.0f};
	def.collider = Make_Collider(joined.world, &ball);
	def.stiffness = stiffness;
	assert_true(drapeConstraint_IsValid(Make_Attachment(joined.cloth[0], &def)));
	return joined;
}

// Sheets that are stitched along edges, in a row. The first is pinned at its far corners.
static Joined Joined_Row(uint32_t workers, drapeScheme scheme, uint32_t count, const uint32_t* refinements,
                         float stiffness)
{
	Joined joined = {.world = Sheet_World(workers), .count = count};
	uint32_t stitches = 4u << (refinements[0] / 2);
	for (uint32_t s = 0; s < count; ++s)
		joined.cloth[s] = AddSheet(joined.world, scheme, QuadsOf(scheme, refinements[s]), refinements[s],
		                           (drapeVec3){(float)s, 0.0f, 0.0f}, false);
	uint32_t pinned = QuadsOf(scheme, refinements[0]);
	Make_Pin(joined.cloth[0], 0);
	Make_Pin(joined.cloth[0], pinned * (pinned + 1));
	for (uint32_t i = 0; i < (stitches + 1) * (count - 1); ++i)
	{
		drapeStitchDef def = drapeDefaultStitchDef();
		uint32_t s = i / (stitches + 1);
		float v = (float)(i % (stitches + 1)) / (float)stitches;
		def.point = PointAt(QuadsOf(scheme, refinements[s]), 1.0f, v);
		def.otherCloth = joined.cloth[s + 1];
		def.otherPoint = PointAt(QuadsOf(scheme, refinements[s + 1]), 0.0f, v);
		def.stiffness = stiffness;
		assert_true(drapeConstraint_IsValid(Make_Stitch(joined.cloth[s], &def)));
	}
	return joined;
}

static Joined Joined_Stitched(uint32_t workers, drapeScheme scheme, uint32_t refinements, uint32_t finer,
                              float stiffness)
{
	return Joined_Row(workers, scheme, 2, (uint32_t[]){refinements, refinements + finer}, stiffness);
}

// Two sheets, one on the other, held at corners. The upper one has fallen onto the lower one.
static Joined Joined_Stacked(uint32_t workers, drapeScheme scheme, uint32_t refinements, uint32_t finer)
{
	Joined joined = {.world = Sheet_World(workers), .count = 2};
	for (uint32_t s = 0; s < 2; ++s)
	{
		uint32_t own = refinements + s * finer, quads = QuadsOf(scheme, own);
		joined.cloth[s] = AddSheet(joined.world, scheme, quads, own, (drapeVec3){0.0f, 3e-3f * (float)s, 0.0f}, true);
		for (uint32_t corner = 0; corner < 4 && s == 0; ++corner)
			Make_Pin(joined.cloth[s], (corner & 1) * quads + (corner >> 1) * quads * (quads + 1));
	}
	return joined;
}

static PairLevels* LevelsOf(const Joined* joined)
{
	return &drapeWorlds_Get(joined->world)->pairForces.levels;
}

static MultigridLevel* LevelAt(const PairLevels* levels, uint32_t system, uint32_t k)
{
	Multigrid* multigrid = levels->multigrid[system];
	return &multigrid->levels[MinU32(k, multigrid->levelCount - 1)];
}

// --- coarse matrices ------------------------------------------------------------------------------------------------

// The first row of a system on level k in a matrix of all systems.
static uint32_t FirstRow(const PairLevels* levels, uint32_t system, uint32_t k)
{
	uint32_t rows = 0;
	for (uint32_t i = 0; i < system; ++i)
		rows += LevelAt(levels, i, k)->matrix.rowCount;
	return rows;
}

static void AddEntry(const PairLevels* levels, Written* whole, uint32_t k, uint32_t rowCode, uint32_t columnCode,
                     const double block[9])
{
	size_t i = 3 * (size_t)(FirstRow(levels, rowCode >> pairRowBits, k) + (rowCode & pairRowMask));
	size_t j = 3 * (size_t)(FirstRow(levels, columnCode >> pairRowBits, k) + (columnCode & pairRowMask));
	for (size_t e = 0; e < 9; ++e)
		whole->a[(i + e / 3) * whole->size + j + e % 3] += block[e];
}

// The pairs on the finest level, over all systems.
static Written FinestPairs(const PairLevels* levels)
{
	uint32_t k = levels->levelCount - 1;
	Written whole = Written_Create(FirstRow(levels, levels->systemCount, k));
	for (uint32_t t = 0; t < pairTables; ++t)
	{
		const PairTable* table = levels->tables[t];
		for (uint32_t e = 0; e < table->slots * table->slots * table->count; ++e)
		{
			uint32_t pair = e / table->slots / table->slots;
			uint32_t a = table->slots * pair + e / table->slots % table->slots,
					 b = table->slots * pair + e % table->slots;
			const TouchLaw* law = &table->laws.data[pair];
			const float* n = &law->normal.x;
			double weight = (double)table->weights.data[a] * (double)table->weights.data[b], block[9];
			if (table->rows.data[a] == DRAPE_NONE || table->rows.data[b] == DRAPE_NONE)
				continue;
			for (int i = 0; i < 9; ++i)
				block[i] = weight * ((double)(law->along - law->across) * (double)n[i / 3] * (double)n[i % 3] +
				                     (i % 4 == 0 ? (double)law->across : 0.0));
			AddEntry(levels, &whole, k, table->rows.data[a], table->rows.data[b], block);
		}
	}
	return whole;
}

// The pairs on level k, over all systems.
static Written PairsOf(const PairLevels* levels, uint32_t k)
{
	if (k + 1 == levels->levelCount)
		return FinestPairs(levels);
	const PairLevel* level = &levels->levels[k];
	Written whole = Written_Create(FirstRow(levels, levels->systemCount, k));
	for (uint32_t row = 0; row < level->rowCount; ++row)
	{
		uint32_t g = row / 8, lane = row % 8, code = level->codes.data[row];
		for (uint32_t d = 0; d <= level->degree.data[row]; ++d)
		{
			uint32_t slot = level->start.data[g] + d;
			bool isAnchor = d == level->degree.data[row];
			const float* s = (isAnchor ? &level->anchor.data[48 * g] : &level->block.data[48 * slot]) + lane;
			static const int place[9] = {0, 8, 16, 8, 24, 32, 16, 32, 40};
			double block[9], minus[9];
			for (int i = 0; i < 9; ++i)
			{
				block[i] = (double)s[place[i]];
				minus[i] = -block[i];
			}
			AddEntry(levels, &whole, k, code, code, isAnchor ? block : minus);
			if (!isAnchor)
				AddEntry(levels, &whole, k, code, level->codes.data[level->column.data[8 * slot + lane]], block);
		}
	}
	return whole;
}

// The weight of fine row i of level k + 1 in coarse row j of level k, rows of one system.
static double Interpolation(const PairLevels* levels, uint32_t system, uint32_t k, uint32_t i, uint32_t j)
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
static Written RestrictRows(const PairLevels* levels, const Written* fine, uint32_t k)
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
static Written Galerkin(const PairLevels* levels, const Written* fine, uint32_t k)
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

static Joined Joined_Example(int index, drapeScheme scheme, uint32_t workers)
{
	uint32_t finer = index % 2 == 1 ? 2 : 0;
	return index == 0   ? Joined_Hanging(workers, scheme, 2, 0.0f)
	       : index <= 2 ? Joined_Stitched(workers, scheme, 2, finer, 0.0f)
	                    : Joined_Stacked(workers, scheme, 2, finer);
}

static void CoarseMatricesOfPairsAreGalerkinProducts(void** state)
{
	(void)state;
	for (int index = 0; index < 5; ++index)
	{
		Joined joined = Joined_Example(index, drape_schemeFixed, 1);
		Hang_Run(joined.world, 3);
		PairLevels* levels = LevelsOf(&joined);
		assert_true(levels->levelCount > 1 && levels->systemCount == joined.count);
		for (uint32_t k = levels->levelCount - 1; k-- > 0;)
		{
			Written fine = PairsOf(levels, k + 1), wanted = Galerkin(levels, &fine, k), coarse = PairsOf(levels, k);
			assert_true(Written_Largest(&wanted) > 0.0);
			assert_true(Written_IsNear(&wanted, &coarse, 1e-5));
			Written_Destroy(&fine);
			Written_Destroy(&wanted);
			Written_Destroy(&coarse);
		}
		drapeDestroyWorld(joined.world);
	}
}

// 2 surplus - S is positive semidefinite on every level, so that the smoother converges on pairs.
static void TheSurplusOfTheSmootherBoundsThePairs(void** state)
{
	(void)state;
	Random random = Random_Seed(32, 1);
	for (int index = 0; index < 5; ++index)
	{
		Joined joined = Joined_Example(index, drape_schemeFixed, 1);
		Hang_Run(joined.world, 3);
		const PairLevels* levels = LevelsOf(&joined);
		for (uint32_t k = 0; k < levels->levelCount; ++k)
		{
			Written pairs = PairsOf(levels, k), bound = Written_Create(pairs.size / 3);
			for (uint32_t s = 0; s < levels->systemCount; ++s)
			{
				const BlockMatrix* matrix = &LevelAt(levels, s, k)->matrix;
				for (uint32_t row = 0; row < matrix->rowCount; ++row)
				{
					const float* p = &matrix->surplus.data[48 * (row / 8) + row % 8];
					const double twice[9] = {2.0 * (double)p[0],  2.0 * (double)p[8],  2.0 * (double)p[16],
					                         2.0 * (double)p[8],  2.0 * (double)p[24], 2.0 * (double)p[32],
					                         2.0 * (double)p[16], 2.0 * (double)p[32], 2.0 * (double)p[40]};
					AddEntry(levels, &bound, k, s << pairRowBits | row, s << pairRowBits | row, twice);
				}
			}
			for (int trial = 0; trial < 5; ++trial)
			{
				Vec4* x = RandomRows(pairs.size / 3, &random);
				double *one = malloc(pairs.size * sizeof *one), *two = malloc(pairs.size * sizeof *two);
				double energy = 0.0, most = 0.0;
				Written_Times(&pairs, x, one);
				Written_Times(&bound, x, two);
				for (uint32_t i = 0; i < pairs.size; ++i)
				{
					energy += one[i] * (double)Component(x[i / 3], i % 3);
					most += two[i] * (double)Component(x[i / 3], i % 3);
				}
				assert_true(energy >= -1e-5 * most && energy <= (1.0 + 1e-5) * most);
				free(one);
				free(two);
				free(x);
			}
			Written_Destroy(&pairs);
			Written_Destroy(&bound);
		}
		drapeDestroyWorld(joined.world);
	}
}

// --- the preconditioner ---------------------------------------------------------------------------------------------

// Applies the cycle to the rows of each system. Returns r . z; z stays in the solvers.
static double Apply(const Joined* joined, Vec4* const* r, Vec4** z, TaskPool* tasks)
{
	PairLevels* levels = LevelsOf(joined);
	for (uint32_t i = 0; i < joined->count; ++i)
	{
		Multigrid* multigrid = levels->multigrid[i];
		MultigridLevel* finest = LevelAt(levels, i, hierarchyLevels);
		memcpy(finest->r.data, r[i], BlockMatrix_PaddedRows(finest->matrix.rowCount) * sizeof(Vec4));
		drapeMultigrid_SmoothFromZero(&multigrid, 1, multigrid->levelCount - 1, tasks);
	}
	double product = drapePairLevels_Apply(levels, tasks);
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
	for (int index = 0; index < 5; ++index)
	{
		Joined joined = Joined_Example(index, schemes[index % 2], 1);
		Hang_Run(joined.world, 3);
		CheckSymmetry(&joined, &random, tasks);
		drapeDestroyWorld(joined.world);
	}
	drapeTaskPool_Destroy(tasks);
}

// --- lists ----------------------------------------------------------------------------------------------------------

// Makes some steps, refines a cloth, makes some more. Returns the state; *kept becomes the number of steps in which the
// lists of pairs and levels were kept.
static uint64_t RunWithLists(int index, drapeScheme scheme, bool forgets, uint32_t* kept)
{
	enum
	{
		steps = 24
	};
	Joined joined = Joined_Example(index, scheme, 2);
	PairForces* forces = &drapeWorlds_Get(joined.world)->pairForces;
	*kept = 0;
	for (uint32_t step = 0; step < steps; ++step)
	{
		if (step == steps / 2 && scheme != drape_schemeFixed)
			assert_int_equal(drapeCloth_Refine(joined.cloth[0]), drape_ok);
		if (forgets)
			forces->levels.listedLevels = forces->contacts.lists = forces->joints.lists = 0;
		uint32_t before = forces->contacts.lists + forces->joints.lists;
		Hang_Run(joined.world, 1);
		*kept += before > 0 && forces->contacts.lists + forces->joints.lists == before;
	}
	uint64_t hash = drapeWorld_GetHash(joined.world);
	drapeDestroyWorld(joined.world);
	return hash;
}

static void KeptListsGiveTheSameState(void** state)
{
	(void)state;
	uint32_t kept, sum = 0;
	for (int index = 0; index < 5; ++index)
	{
		for (int s = 0; s < 2; ++s)
		{
			uint64_t wanted = RunWithLists(index, schemes[s], true, &kept);
			assert_int_equal(kept, 0);
			assert_true(RunWithLists(index, schemes[s], false, &kept) == wanted);
			sum += kept;
		}
	}
	assert_true(sum > 100);
}

// --- iterations -----------------------------------------------------------------------------------------------------

static uint32_t IterationsOver(Joined* joined, bool isOff, int steps)
{
	LevelsOf(joined)->isOff = isOff;
	uint32_t sum = Hang_Iterations(joined->world, joined->cloth[0], steps);
	for (uint32_t i = 0; i < joined->count; ++i)
		Hang_Check(joined->cloth[i]);
	drapeDestroyWorld(joined->world);
	return sum;
}

static uint32_t Iterations(Joined* joined, bool isOff)
{
	return IterationsOver(joined, isOff, 20);
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
				uint32_t particles = drapeCloth_GetView(off.cloth[0]).particleCount;
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
				uint32_t particles = drapeCloth_GetView(off.cloth[0]).particleCount;
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

static void IterationsOfStackedSheetsAreFewer(void** state)
{
	(void)state;
	for (int i = 0; i < 2; ++i)
	{
		uint32_t refinements = i == 0 ? 4 : 2; // 289 particles
		Joined off = Joined_Stacked(2, schemes[i], refinements, 0), on;
		uint32_t particles = drapeCloth_GetView(off.cloth[0]).particleCount, before = IterationsOver(&off, true, 8);
		on = Joined_Stacked(2, schemes[i], refinements, 0);
		uint32_t after = IterationsOver(&on, false, 8);
		print_message("%s, %u particles, stacked: %.1f iterations a step, %.1f without coarse levels\n", schemeNames[i],
		              particles, (double)after / 8.0, (double)before / 8.0);
		assert_true(3 * after < 2 * before);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(CoarseMatricesOfPairsAreGalerkinProducts),
		cmocka_unit_test(TheSurplusOfTheSmootherBoundsThePairs),
		cmocka_unit_test(TheCycleIsSymmetricAndPositive),
		cmocka_unit_test(KeptListsGiveTheSameState),
		cmocka_unit_test(IterationsWithAnAttachmentAreNoWorse),
		cmocka_unit_test(IterationsOfStitchedSheetsAreFewer),
		cmocka_unit_test(IterationsOfAChainOfSheetsAreFewer),
		cmocka_unit_test(IterationsOfStackedSheetsAreFewer),
	};
	return cmocka_run_group_tests_name("pair levels", tests, NULL, NULL);
}
