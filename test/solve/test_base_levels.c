// SPDX-License-Identifier: MIT
#include "support.h"

#include "meshes.h"
#include "solve/base_levels.h"

#include <stdlib.h>
#include <string.h>

// --- meshes ---------------------------------------------------------------------------------------------------------

static PatternMesh MakePattern(drapeMesh mesh)
{
	PatternMesh pattern;
	drapeMeshReport report;
	assert_int_equal(drapePatternMesh_Create(&pattern, &mesh, NULL, &report), drape_ok);
	TestMesh_Free(&mesh);
	return pattern;
}

// Quads of a unit square, all cut along the same diagonal, or along alternating ones that avoid the corner.
static drapeMesh CutGrid(uint32_t cells, bool alternating)
{
	drapeMesh mesh = TestMesh_Grid(cells, cells, 1.0f, 1.0f, 0.0f, 1);
	uint32_t* out = TestMesh_Triangles(&mesh);
	for (uint32_t j = 0; j < cells; ++j)
	{
		for (uint32_t i = 0; i < cells; ++i, out += 6)
		{
			uint32_t a = j * (cells + 1) + i, b = a + 1, c = a + cells + 2, d = a + cells + 1;
			bool other = alternating ? (i + j) % 2 == 0 : true;
			const uint32_t cuts[2][6] = {{a, b, c, a, c, d}, {a, b, d, b, c, d}};
			memcpy(out, cuts[other], sizeof cuts[0]);
		}
	}
	return mesh;
}

// A flat sheet with straight sides, strongly jittered, sheared, and cut along diagonals at random: valences from 4
// to 8.
static drapeMesh Irregular(uint32_t cells, uint32_t seed)
{
	drapeMesh mesh = TestMesh_Grid(cells, cells, 1.0f, 1.0f, 0.4f, seed);
	uint32_t* out = TestMesh_Triangles(&mesh);
	for (uint32_t q = 0; q < cells * cells; ++q, out += 6)
	{
		uint32_t a = q / cells * (cells + 1) + q % cells, b = a + 1, c = a + cells + 2, d = a + cells + 1;
		const uint32_t cuts[2][6] = {{a, b, c, a, c, d}, {a, b, d, b, c, d}};
		memcpy(out, cuts[TestMesh_Random(&seed) >> 16 & 1], sizeof cuts[0]);
	}
	for (uint32_t i = 0; i < mesh.vertexCount; ++i)
	{
		drapeVec3* p = &TestMesh_Positions(&mesh)[i];
		*p = (drapeVec3){p->x + 0.2f * p->y, 0.8f * p->y, 0.0f};
	}
	return mesh;
}

typedef struct Shape
{
	const char* name;
	PatternMesh pattern;
} Shape;

enum
{
	shapeCount = 16,
};

static void MakeShapes(Shape* shapes)
{
	Shape all[shapeCount] = {
		{"grid, one diagonal", MakePattern(CutGrid(64, false))},
		{"grid, one diagonal, odd", MakePattern(CutGrid(51, false))},
		{"grid, alternating", MakePattern(TestMesh_Grid(64, 64, 1.0f, 1.0f, 0.0f, 1))},
		{"grid, alternating, odd", MakePattern(TestMesh_Grid(51, 47, 1.0f, 1.0f, 0.0f, 1))},
		{"grid, alternating, other", MakePattern(CutGrid(64, true))},
		{"grid, jittered", MakePattern(TestMesh_Grid(60, 60, 1.0f, 1.0f, 0.3f, 5))},
		{"irregular", MakePattern(Irregular(60, 7))},
		{"stretched", MakePattern(TestMesh_Grid(60, 60, 5.0f, 1.0f, 0.2f, 5))},
		{"sphere", MakePattern(TestMesh_Sphere(5, 0.5f))},
		{"tube", MakePattern(TestMesh_Tube(60, 60, 0.2f, 1.0f))},
		{"torus", MakePattern(TestMesh_Torus(80, 40, 1.0f, 0.4f))},
		{"holes", MakePattern(TestMesh_Holes(20))},
		{"ribbon", MakePattern(TestMesh_Grid(1000, 1, 10.0f, 0.01f, 0.0f, 1))},
		{"ribbon of three rows", MakePattern(TestMesh_Grid(1000, 3, 10.0f, 0.03f, 0.0f, 1))},
		{"fan", MakePattern(TestMesh_Fan(1000, true))},
		{"open fan", MakePattern(TestMesh_Fan(1000, false))},
	};
	memcpy(shapes, all, sizeof all);
}

static void FreeShapes(Shape* shapes)
{
	for (uint32_t s = 0; s < shapeCount; ++s)
		drapePatternMesh_Destroy(&shapes[s].pattern);
	assert_int_equal(drapeGetMemoryUse().blocks, 0);
}

static uint32_t RowCount(const BaseLevels* base, uint32_t level)
{
	uint32_t count = 0;
	for (uint32_t i = 0; i < base->level.count; ++i)
		count += base->level.data[i] <= level;
	return count;
}

// --- the graphs of the levels, by the definition of the Galerkin product ------------------------------------------

typedef struct Pair
{
	uint32_t low, high;
} Pair;

typedef struct Pairs
{
	Pair* data;
	uint32_t count;
} Pairs;

static int ComparePairs(const void* a, const void* b)
{
	const Pair *p = a, *q = b;
	if (p->low != q->low)
		return p->low < q->low ? -1 : 1;
	return p->high < q->high ? -1 : p->high > q->high;
}

static Pairs PatternPairs(const PatternMesh* pattern)
{
	Pairs pairs = {malloc(pattern->edgeCount * sizeof(Pair)), pattern->edgeCount};
	for (uint32_t e = 0; e < pattern->edgeCount; ++e)
	{
		const uint32_t* v = pattern->edges[e].vertex;
		pairs.data[e] = (Pair){MinU32(v[0], v[1]), MaxU32(v[0], v[1])};
	}
	return pairs;
}

static BaseParents ParentsOn(const BaseLevels* base, uint32_t vertex, uint32_t level)
{
	if (base->level.data[vertex] <= level)
		return (BaseParents){{vertex, DRAPE_NONE, DRAPE_NONE}, {1.0f, 0.0f, 0.0f}};
	return base->parents.data[vertex];
}

static uint32_t PutPairs(Pair* out, uint32_t count, BaseParents a, BaseParents b)
{
	for (int k = 0; k < 9; ++k)
	{
		uint32_t p = a.parent[k / 3], q = b.parent[k % 3];
		if (p != DRAPE_NONE && q != DRAPE_NONE && p != q)
			out[count++] = (Pair){MinU32(p, q), MaxU32(p, q)};
	}
	return count;
}

// The pairs that a level couples, from those of the next finer one: parents of one vertex, or of two that are coupled.
static void CoarsenPairs(Pairs* pairs, const BaseLevels* base, uint32_t level)
{
	Pair* out = malloc(((size_t)9 * pairs->count + 9 * (size_t)base->level.count) * sizeof *out);
	uint32_t count = 0;
	for (uint32_t e = 0; e < pairs->count; ++e)
		count = PutPairs(out, count, ParentsOn(base, pairs->data[e].low, level),
		                 ParentsOn(base, pairs->data[e].high, level));
	for (uint32_t i = 0; i < base->level.count; ++i)
	{
		if (base->level.data[i] == level + 1)
			count = PutPairs(out, count, base->parents.data[i], base->parents.data[i]);
	}
	qsort(out, count, sizeof *out, ComparePairs);
	free(pairs->data);
	*pairs = (Pairs){out, 0};
	for (uint32_t e = 0; e < count; ++e)
	{
		if (e == 0 || ComparePairs(out + e, out + e - 1) != 0)
			out[pairs->count++] = out[e];
	}
}

static uint32_t MostNeighbours(const Pairs* pairs, uint32_t vertexCount)
{
	uint32_t *valence = calloc(vertexCount, sizeof *valence), most = 0;
	for (uint32_t e = 0; e < pairs->count; ++e)
	{
		most = MaxU32(most, ++valence[pairs->data[e].low]);
		most = MaxU32(most, ++valence[pairs->data[e].high]);
	}
	free(valence);
	return most;
}

// --- what every result must be --------------------------------------------------------------------------------------

static void AssertParentsAreCoarser(const BaseLevels* base, const PatternMesh* pattern)
{
	assert_int_equal(base->level.count, pattern->vertexCount);
	assert_int_equal(base->parents.count, pattern->vertexCount);
	for (uint32_t i = 0; i < pattern->vertexCount; ++i)
	{
		const BaseParents* on = &base->parents.data[i];
		assert_true(base->level.data[i] < base->levelCount);
		uint32_t count = 0;
		float sum = 0.0f;
		for (; count < 3 && on->parent[count] != DRAPE_NONE; ++count)
		{
			assert_true(on->parent[count] < pattern->vertexCount);
			assert_true(base->level.data[on->parent[count]] < base->level.data[i]);
			assert_true(on->weight[count] > 0.0f);
			for (uint32_t k = 0; k < count; ++k)
				assert_int_not_equal(on->parent[k], on->parent[count]);
			sum += on->weight[count];
		}
		assert_true(base->level.data[i] == 0 ? count == 0 : count > 0);
		assert_true(count == 0 || fabsf(sum - 1.0f) < 1e-6f);
		for (; count < 3; ++count)
			assert_true(on->parent[count] == DRAPE_NONE && on->weight[count] == 0.0f);
	}
}

static void EachVertexHangsOnCoarserOnesWithWeightsThatAddUpToOne(void** state)
{
	(void)state;
	Shape shapes[shapeCount];
	MakeShapes(shapes);
	for (uint32_t s = 0; s < shapeCount; ++s)
	{
		BaseLevels base;
		assert_true(drapeBaseLevels_Build(&base, &shapes[s].pattern));
		assert_true(base.levelCount > 1 && base.levelCount <= baseMaxLevels);
		AssertParentsAreCoarser(&base, &shapes[s].pattern);
		drapeBaseLevels_Destroy(&base);
	}
	FreeShapes(shapes);
}

static void EachLevelIsMuchSmallerAndTheCoarsestIsSmall(void** state)
{
	(void)state;
	Shape shapes[shapeCount];
	MakeShapes(shapes);
	for (uint32_t s = 0; s < shapeCount; ++s)
	{
		BaseLevels base;
		assert_true(drapeBaseLevels_Build(&base, &shapes[s].pattern));
		assert_true(RowCount(&base, 0) <= 40);
		for (uint32_t level = 1; level < base.levelCount; ++level)
		{
			float factor = (float)RowCount(&base, level) / (float)RowCount(&base, level - 1);
			assert_true(factor >= 1.6f && factor <= 8.0f);
		}
		drapeBaseLevels_Destroy(&base);
	}
	FreeShapes(shapes);
}

// Prints what was measured. A fan has a hub whose valence is nobody's fault, so only means count there.
static void CoarseRowsHaveFewNeighbours(void** state)
{
	(void)state;
	Shape shapes[shapeCount];
	MakeShapes(shapes);
	for (uint32_t s = 0; s < shapeCount; ++s)
	{
		const PatternMesh* pattern = &shapes[s].pattern;
		BaseLevels base;
		assert_true(drapeBaseLevels_Build(&base, pattern));
		Pairs pairs = PatternPairs(pattern);
		print_message("%-26s %u rows;", shapes[s].name, pattern->vertexCount);
		for (uint32_t level = base.levelCount - 1; level-- > 0;)
		{
			CoarsenPairs(&pairs, &base, level);
			uint32_t rows = RowCount(&base, level), most = MostNeighbours(&pairs, pattern->vertexCount);
			double mean = 2.0 * pairs.count / rows;
			print_message(" %u: mean %.1f most %u;", rows, mean, most);
			assert_true(mean < 20.0);
			assert_true(most <= 32 || strstr(shapes[s].name, "fan"));
		}
		print_message("\n");
		free(pairs.data);
		drapeBaseLevels_Destroy(&base);
	}
	FreeShapes(shapes);
}

// --- quality --------------------------------------------------------------------------------------------------------

// Where the parents of a vertex put it.
static Vec3 Interpolated(const BaseParents* on, const PatternMesh* pattern)
{
	Vec3 sum = {0.0f, 0.0f, 0.0f};
	for (int k = 0; k < 3 && on->parent[k] != DRAPE_NONE; ++k)
		sum = V3Add(sum, V3Scale(on->weight[k], pattern->positions[on->parent[k]]));
	return sum;
}

static float Reach(const BaseParents* on, const PatternMesh* pattern, uint32_t vertex)
{
	float reach = 0.0f;
	for (int k = 0; k < 3 && on->parent[k] != DRAPE_NONE; ++k)
		reach = fmaxf(reach, V3Length(V3Sub(pattern->positions[on->parent[k]], pattern->positions[vertex])));
	return reach;
}

// The positions of a flat mesh are themselves linear functions.
static void LinearFunctionsOnFlatMeshesAreReproduced(void** state)
{
	(void)state;
	PatternMesh patterns[] = {
		MakePattern(Irregular(60, 7)),
		MakePattern(Irregular(45, 8)),
		MakePattern(TestMesh_Grid(60, 60, 1.0f, 1.0f, 0.3f, 5)),
		MakePattern(TestMesh_Grid(80, 20, 1.0f, 1.0f, 0.3f, 6)),
		MakePattern(CutGrid(50, false)),
		MakePattern(CutGrid(51, true)),
		MakePattern(TestMesh_Holes(20)),
	};
	for (size_t m = 0; m < sizeof patterns / sizeof *patterns; ++m)
	{
		const PatternMesh* pattern = &patterns[m];
		BaseLevels base;
		assert_true(drapeBaseLevels_Build(&base, pattern));
		uint32_t gone = 0, exact = 0;
		for (uint32_t i = 0; i < pattern->vertexCount; ++i)
		{
			if (base.level.data[i] == 0)
				continue;
			const BaseParents* on = &base.parents.data[i];
			float off = V3Length(V3Sub(Interpolated(on, pattern), pattern->positions[i]));
			float reach = Reach(on, pattern, i);
			gone++;
			exact += off <= 2e-3f * reach;
			assert_true(off <= reach);
		}
		assert_true(exact >= 0.97 * gone);
		drapeBaseLevels_Destroy(&base);
		drapePatternMesh_Destroy(&patterns[m]);
	}
}

static void RegularGridsKeepEverySecondVertexOfEverySecondRow(void** state)
{
	(void)state;
	enum
	{
		cells = 32
	};
	for (int alternating = 0; alternating < 2; ++alternating)
	{
		PatternMesh pattern = MakePattern(CutGrid(cells, alternating));
		BaseLevels base;
		assert_true(drapeBaseLevels_Build(&base, &pattern));
		assert_int_equal(base.levelCount, 4);
		for (uint32_t i = 0; i < pattern.vertexCount; ++i)
		{
			uint32_t places = i % (cells + 1) | i / (cells + 1), level = 3;
			for (; level > 0 && places % 2 == 0; places /= 2)
				level--;
			assert_int_equal(base.level.data[i], level);
			assert_true(base.parents.data[i].parent[2] == DRAPE_NONE);
			assert_true(level == 0 || fabsf(base.parents.data[i].weight[0] - 0.5f) < 1e-5f);
		}
		drapeBaseLevels_Destroy(&base);
		drapePatternMesh_Destroy(&pattern);
	}
}

static uint32_t SidesOf(Vec3 p)
{
	return (uint32_t)(p.x == 0.0f) | (uint32_t)(p.x == 1.0f) << 1 | (uint32_t)(p.y == 0.0f) << 2 |
	       (uint32_t)(p.y == 1.0f) << 3;
}

static void SidesOfASquareHangOnThemselvesAndCornersStay(void** state)
{
	(void)state;
	for (uint32_t cells = 20; cells < 60; cells += 13)
	{
		PatternMesh pattern = MakePattern(TestMesh_Grid(cells, cells, 1.0f, 1.0f, 0.35f, cells));
		BaseLevels base;
		assert_true(drapeBaseLevels_Build(&base, &pattern));
		for (uint32_t i = 0; i < pattern.vertexCount; ++i)
		{
			uint32_t sides = SidesOf(pattern.positions[i]);
			bool isCorner = (sides & (sides - 1)) != 0;
			assert_true(!isCorner || base.level.data[i] == 0);
			for (int k = 0; sides && k < 3 && base.parents.data[i].parent[k] != DRAPE_NONE; ++k)
				assert_true(SidesOf(pattern.positions[base.parents.data[i].parent[k]]) & sides);
		}
		drapeBaseLevels_Destroy(&base);
		drapePatternMesh_Destroy(&pattern);
	}
}

// On a curved surface the error is what the curvature makes it: second order in the distance of the parents.
static void ParentsOnASphereSurroundTheirVertex(void** state)
{
	(void)state;
	PatternMesh pattern = MakePattern(TestMesh_Sphere(5, 1.0f));
	BaseLevels base;
	assert_true(drapeBaseLevels_Build(&base, &pattern));
	for (uint32_t i = 0; i < pattern.vertexCount; ++i)
	{
		if (base.level.data[i] == 0)
			continue;
		const BaseParents* on = &base.parents.data[i];
		float reach = Reach(on, &pattern, i);
		assert_true(V3Length(V3Sub(Interpolated(on, &pattern), pattern.positions[i])) <= 0.6f * reach * reach);
	}
	drapeBaseLevels_Destroy(&base);
	drapePatternMesh_Destroy(&pattern);
}

// --- unusual patterns -----------------------------------------------------------------------------------------------

static void SmallPatternsHaveOneLevel(void** state)
{
	(void)state;
	PatternMesh patterns[] = {
		MakePattern(TestMesh_TwoSquares()), MakePattern(TestMesh_Fan(1, false)),
		MakePattern(TestMesh_Grid(4, 7, 1.0f, 1.0f, 0.0f, 1)), // 40 vertices
	};
	for (size_t m = 0; m < sizeof patterns / sizeof *patterns; ++m)
	{
		BaseLevels base;
		assert_true(drapeBaseLevels_Build(&base, &patterns[m]));
		assert_int_equal(base.levelCount, 1);
		assert_int_equal(base.level.count, 0);
		assert_int_equal(base.parents.count, 0);
		assert_null(base.level.data);
		drapeBaseLevels_Destroy(&base);
		drapePatternMesh_Destroy(&patterns[m]);
	}
	assert_int_equal(drapeGetMemoryUse().blocks, 0);
}

// Copies of a mesh beside each other, not connected.
static drapeMesh Copies(drapeMesh mesh, uint32_t copies)
{
	uint32_t vertices = mesh.vertexCount, corners = 3 * mesh.triangleCount;
	drapeVec3* positions = malloc((size_t)copies * vertices * sizeof *positions);
	uint32_t* triangles = malloc((size_t)copies * corners * sizeof *triangles);
	for (uint32_t c = 0; c < copies; ++c)
	{
		for (uint32_t i = 0; i < vertices; ++i)
		{
			positions[c * vertices + i] = mesh.positions[i];
			positions[c * vertices + i].x += 2.0f * (float)c;
		}
		for (uint32_t i = 0; i < corners; ++i)
			triangles[c * corners + i] = mesh.triangles[i] + c * vertices;
	}
	drapeMesh all = TestMesh_FromArrays(positions, copies * vertices, triangles, copies * mesh.triangleCount);
	free(positions);
	free(triangles);
	TestMesh_Free(&mesh);
	return all;
}

static void PiecesNeverHangOnEachOther(void** state)
{
	(void)state;
	PatternMesh patterns[] = {
		MakePattern(Copies(TestMesh_Grid(15, 15, 1.0f, 1.0f, 0.3f, 1), 6)),
		MakePattern(Copies(TestMesh_Fan(1, false), 100)),
		MakePattern(Copies(TestMesh_Sphere(1, 0.5f), 60)),
		MakePattern(Copies(TestMesh_Grid(1, 1, 1.0f, 1.0f, 0.0f, 1), 50)),
	};
	for (size_t m = 0; m < sizeof patterns / sizeof *patterns; ++m)
	{
		BaseLevels base;
		assert_true(drapeBaseLevels_Build(&base, &patterns[m]));
		assert_true(base.levelCount > 1);
		AssertParentsAreCoarser(&base, &patterns[m]);
		for (uint32_t i = 0; i < patterns[m].vertexCount; ++i)
			assert_true(base.level.data[i] == 0 || Reach(&base.parents.data[i], &patterns[m], i) < 1.5f);
		drapeBaseLevels_Destroy(&base);
		drapePatternMesh_Destroy(&patterns[m]);
	}
}

// As many pieces as vertices that could be kept: rounds end instead of going on for nothing.
static void RoundsEndWhenEachPieceIsOneVertex(void** state)
{
	(void)state;
	PatternMesh pattern = MakePattern(Copies(TestMesh_Fan(1, false), 500));
	BaseLevels base;
	assert_true(drapeBaseLevels_Build(&base, &pattern));
	assert_int_equal(base.levelCount, 2);
	assert_int_equal(RowCount(&base, 0), 500);
	drapeBaseLevels_Destroy(&base);
	drapePatternMesh_Destroy(&pattern);
}

// Two poles of large valence on a closed surface, and a ring of quads between them.
static drapeMesh Spindle(uint32_t around)
{
	drapeMesh tube = TestMesh_Tube(around, 2, 1.0f, 1.0f);
	uint32_t rim = 3 * around, triangleCount = tube.triangleCount + 2 * around;
	drapeVec3* positions = malloc((rim + 2) * sizeof *positions);
	uint32_t *triangles = malloc((size_t)3 * triangleCount * sizeof *triangles), *out = triangles;
	memcpy(positions, tube.positions, rim * sizeof *positions);
	positions[rim] = (drapeVec3){0.0f, 0.0f, -0.5f};
	positions[rim + 1] = (drapeVec3){0.0f, 0.0f, 1.5f};
	memcpy(out, tube.triangles, (size_t)3 * tube.triangleCount * sizeof *out);
	out += 3 * tube.triangleCount;
	for (uint32_t i = 0; i < around; ++i, out += 6)
	{
		uint32_t next = (i + 1) % around, top = 2 * around;
		const uint32_t caps[6] = {rim, next, i, rim + 1, top + i, top + next};
		memcpy(out, caps, sizeof caps);
	}
	drapeMesh mesh = TestMesh_FromArrays(positions, rim + 2, triangles, triangleCount);
	free(positions);
	free(triangles);
	TestMesh_Free(&tube);
	return mesh;
}

static void HubsOfLargeValenceAreFine(void** state)
{
	(void)state;
	PatternMesh patterns[] = {
		MakePattern(Spindle(1000)),
		MakePattern(TestMesh_Fan(20000, true)),
		MakePattern(TestMesh_Fan(20000, false)),
	};
	for (size_t m = 0; m < sizeof patterns / sizeof *patterns; ++m)
	{
		BaseLevels base;
		assert_true(drapeBaseLevels_Build(&base, &patterns[m]));
		AssertParentsAreCoarser(&base, &patterns[m]);
		assert_true(RowCount(&base, 0) <= 40);
		drapeBaseLevels_Destroy(&base);
		drapePatternMesh_Destroy(&patterns[m]);
	}
}

// --- the same, and nothing left -------------------------------------------------------------------------------------

static void TwoBuildsAreTheSame(void** state)
{
	(void)state;
	PatternMesh pattern = MakePattern(Irregular(50, 11));
	BaseLevels a, b;
	assert_true(drapeBaseLevels_Build(&a, &pattern));
	assert_true(drapeBaseLevels_Build(&b, &pattern));
	assert_int_equal(a.levelCount, b.levelCount);
	assert_memory_equal(a.level.data, b.level.data, pattern.vertexCount);
	assert_memory_equal(a.parents.data, b.parents.data, pattern.vertexCount * sizeof(BaseParents));
	drapeBaseLevels_Destroy(&a);
	drapeBaseLevels_Destroy(&b);
	drapePatternMesh_Destroy(&pattern);
}

static void EachFailedAllocationLeavesNothing(void** state)
{
	(void)state;
	PatternMesh pattern = MakePattern(Irregular(20, 3));
	bool built = false;
	size_t tried = 0;
	for (; !built; ++tried)
	{
		BaseLevels base;
		Test_FailAllocation(tried + 1, false);
		built = drapeBaseLevels_Build(&base, &pattern);
		if (!built)
		{
			assert_int_equal(base.levelCount, 0);
			assert_null(base.level.data);
			assert_null(base.parents.data);
		}
		drapeBaseLevels_Destroy(&base);
		Test_FailAllocation(0, false);
	}
	assert_true(tried > 15);
	drapePatternMesh_Destroy(&pattern);
	assert_int_equal(drapeGetMemoryUse().blocks, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(EachVertexHangsOnCoarserOnesWithWeightsThatAddUpToOne),
		cmocka_unit_test(EachLevelIsMuchSmallerAndTheCoarsestIsSmall),
		cmocka_unit_test(CoarseRowsHaveFewNeighbours),
		cmocka_unit_test(LinearFunctionsOnFlatMeshesAreReproduced),
		cmocka_unit_test(RegularGridsKeepEverySecondVertexOfEverySecondRow),
		cmocka_unit_test(SidesOfASquareHangOnThemselvesAndCornersStay),
		cmocka_unit_test(ParentsOnASphereSurroundTheirVertex),
		cmocka_unit_test(SmallPatternsHaveOneLevel),
		cmocka_unit_test(PiecesNeverHangOnEachOther),
		cmocka_unit_test(RoundsEndWhenEachPieceIsOneVertex),
		cmocka_unit_test(HubsOfLargeValenceAreFine),
		cmocka_unit_test(TwoBuildsAreTheSame),
		cmocka_unit_test(EachFailedAllocationLeavesNothing),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
