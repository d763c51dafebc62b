// SPDX-License-Identifier: MIT
#include "meshes.h"
#include "rig.h"
#include "soup.h"

#include "contact/broad/self_culling.h"
#include "contact/shapes/triangle.h"

#include <float.h>
#include <stdlib.h>
#include <string.h>

static const uint32_t sides[] = {6, 14, 18, 26};
static const uint32_t arities[] = {2, 4, 8};

// --- what is to be found --------------------------------------------------------------------------------------------

static bool ShareCorner(const Primitives* primitives, uint32_t a, uint32_t b)
{
	for (uint32_t i = 0; i < 9; ++i)
	{
		if (Primitives_Corner(primitives, a, i / 3) == Primitives_Corner(primitives, b, i % 3))
			return true;
	}
	return false;
}

// What a tree has to find; the caller frees it.
static PrimitivePair* BrutePairs(const Primitives* a, const Primitives* b, uint32_t k, uint32_t* count)
{
	PrimitivePair* pairs = calloc((size_t)a->count * b->count + 1, sizeof *pairs);
	assert_non_null(pairs);
	*count = 0;
	for (uint32_t i = 0; i < a->count; ++i)
	{
		Kdop dop = Soup_BoundsOf(a, i, k);
		for (uint32_t j = a == b ? i + 1 : 0; j < b->count; ++j)
		{
			Kdop other = Soup_BoundsOf(b, j, k);
			if (Kdop_Overlap(&dop, &other, k) && !(a == b && ShareCorner(a, i, j)))
				pairs[(*count)++] = (PrimitivePair){i, j};
		}
	}
	return pairs;
}

typedef struct Kind
{
	uint32_t k, arity;
	BvhOrder order;
} Kind;

enum
{
	kindCount = 24
};

static Kind KindOf(uint32_t index)
{
	return (Kind){sides[index % 4], arities[index / 4 % 3], index / 12 ? bvhSplit : bvhMorton};
}

// A tree of the kind over a soup made for it.
static void BuildKind(Bvh* bvh, Kind kind, Soup* soup, uint32_t count, uint64_t seed, TaskPool* tasks)
{
	drapeBvh_Init(bvh, kind.k, kind.arity);
	Soup_Make(soup, count, seed, 1.0f);
	assert_true(drapeBvh_Build(bvh, &soup->primitives, kind.order, tasks));
}

static const uint32_t counts[] = {1, 2, 7, 8, 9, 63, 64, 65, 300, 513, soupTriangles};

// --- overlaps -------------------------------------------------------------------------------------------------------

static void QueriesFindExactlyTheOverlappingItems(void** state)
{
	(void)state;
	static Soup soup;
	TaskPool* tasks = drapeTaskPool_Create(2, NULL, NULL, NULL);
	for (uint32_t index = 0; index < kindCount; ++index)
	{
		Kind kind = KindOf(index);
		Bvh bvh;
		PrimitiveList found = {0};
		Random random = Random_Seed(3, index);
		drapeBvh_Init(&bvh, kind.k, kind.arity);
		for (uint32_t c = 0; c < sizeof counts / sizeof counts[0]; ++c)
		{
			Soup_Make(&soup, counts[c], c, 1.0f);
			assert_true(drapeBvh_Build(&bvh, &soup.primitives, kind.order, tasks));
			for (int query = 0; query < 20; ++query)
			{
				Kdop dop = Kdop_Empty();
				Vec4 p = Soup_Point(&random, 1.2f);
				Kdop_Add(&dop, kind.k, V4Xyz(p), 0.0f);
				if (query % 2)
					Kdop_Add(&dop, kind.k, V4Xyz(Soup_Point(&random, 1.2f)), 0.05f);
				found.primitives.count = 0;
				assert_true(drapeBvh_Query(&bvh, &dop, &found));
				uint8_t seen[soupTriangles] = {0};
				for (uint32_t i = 0; i < found.primitives.count; ++i)
					assert_int_equal(seen[found.primitives.data[i]]++, 0);
				for (uint32_t i = 0; i < counts[c]; ++i)
				{
					Kdop bounds = Soup_BoundsOf(&soup.primitives, i, kind.k);
					assert_int_equal(seen[i], Kdop_Overlap(&dop, &bounds, kind.k));
				}
			}
		}
		ArrayFree(&found.primitives);
		drapeBvh_Destroy(&bvh);
	}
	drapeTaskPool_Destroy(tasks);
	assert_int_equal(drapeGetMemoryUse().blocks, 0);
}

static void QueriesWithoutEndFindEveryItemOnce(void** state)
{
	(void)state;
	static Soup soup;
	TaskPool* tasks = drapeTaskPool_Create(1, NULL, NULL, NULL);
	Kdop all;
	for (uint32_t a = 0; a < kdopMaxAxes; ++a)
	{
		all.low[a] = -INFINITY;
		all.high[a] = INFINITY;
	}
	for (uint32_t index = 0; index < kindCount; ++index)
	{
		Bvh bvh;
		PrimitiveList found = {0};
		Kind kind = KindOf(index);
		BuildKind(&bvh, kind, &soup, 77, 1, tasks);
		assert_true(drapeBvh_Query(&bvh, &all, &found));
		assert_int_equal(found.primitives.count, 77);
		ArrayFree(&found.primitives);
		drapeBvh_Destroy(&bvh);
	}
	drapeTaskPool_Destroy(tasks);
}

static void PairsAreThoseOfBruteForce(void** state)
{
	(void)state;
	static Soup soups[2];
	TaskPool* tasks = drapeTaskPool_Create(2, NULL, NULL, NULL);
	PairList list = {0};
	Soup_Make(&soups[0], soupTriangles, 11, 1.0f);
	Soup_Make(&soups[1], 301, 12, 0.8f);
	for (uint32_t index = 0; index < kindCount; ++index)
	{
		Kind kind = KindOf(index);
		Bvh trees[2];
		uint32_t count;
		for (int i = 0; i < 2; ++i)
		{
			drapeBvh_Init(&trees[i], kind.k, arities[(index + i) % 3]);
			assert_true(drapeBvh_Build(&trees[i], &soups[i].primitives, kind.order, tasks));
		}
		PrimitivePair* wanted = BrutePairs(&soups[0].primitives, &soups[1].primitives, kind.k, &count);
		assert_true(count > 1000);
		assert_true(drapeBvh_Pairs(&trees[0], &trees[1], &list, tasks));
		assert_true(list.tests >= count && list.tests < (uint64_t)soupTriangles * 301);
		Soup_AssertSamePairs(&list, wanted, count);
		free(wanted);
		wanted = BrutePairs(&soups[0].primitives, &soups[0].primitives, kind.k, &count);
		assert_true(drapeBvh_SelfPairs(&trees[0], NULL, &list, tasks));
		Soup_AssertSamePairs(&list, wanted, count);
		free(wanted);
		drapeBvh_Destroy(&trees[0]);
		drapeBvh_Destroy(&trees[1]);
	}
	drapePairList_Free(&list);
	drapeTaskPool_Destroy(tasks);
	assert_int_equal(drapeGetMemoryUse().blocks, 0);
}

// Pairs that overlap the boxes at the start of the motion, of those that overlap at all. Soup items move.
static void PairsWithinBoxesAreThoseOfBruteForce(void** state)
{
	(void)state;
	static Soup soups[2];
	TaskPool* tasks = drapeTaskPool_Create(2, NULL, NULL, NULL);
	PairList list = {0};
	Soup_Make(&soups[0], soupTriangles, 13, 1.0f);
	Soup_Make(&soups[1], 301, 14, 0.8f);
	Primitives start = soups[1].primitives;
	start.to = start.from;
	start.margin = 0.0f;
	for (uint32_t index = 0; index < kindCount; ++index)
	{
		Kind kind = KindOf(index);
		Bvh trees[2];
		BvhBoxes boxes = {0};
		uint32_t count, kept = 0;
		for (int i = 0; i < 2; ++i)
		{
			drapeBvh_Init(&trees[i], kind.k, arities[(index + i) % 3]);
			assert_true(drapeBvh_Build(&trees[i], &soups[i].primitives, kind.order, tasks));
		}
		assert_true(drapeBvhBoxes_Reserve(&boxes, &trees[1]));
		drapeBvhBoxes_Fit(&boxes, &trees[1], &start, start.from, tasks);
		PrimitivePair* wanted = BrutePairs(&soups[0].primitives, &soups[1].primitives, kind.k, &count);
		for (uint32_t i = 0; i < count; ++i)
		{
			Kdop a = Soup_BoundsOf(&soups[0].primitives, wanted[i].a, 6), b = Soup_BoundsOf(&start, wanted[i].b, 6);
			if (Kdop_Overlap(&a, &b, 6))
				wanted[kept++] = wanted[i];
		}
		assert_true(kept > 100 && kept < count);
		assert_true(drapeBvh_PairsWithin(&trees[0], &trees[1], &boxes, &list, tasks));
		Soup_AssertSamePairs(&list, wanted, kept);
		free(wanted);
		drapeBvhBoxes_Free(&boxes);
		drapeBvh_Destroy(&trees[0]);
		drapeBvh_Destroy(&trees[1]);
	}
	drapePairList_Free(&list);
	drapeTaskPool_Destroy(tasks);
	assert_int_equal(drapeGetMemoryUse().blocks, 0);
}

static void PointsAndEdgesAreItemsToo(void** state)
{
	(void)state;
	static Soup soup;
	TaskPool* tasks = drapeTaskPool_Create(1, NULL, NULL, NULL);
	Soup_Make(&soup, 400, 5, 1.0f);
	PairList list = {0};
	Bvh trees[2];
	Primitives points = {soup.from, soup.to, NULL, 1, 1100, 0.02f};
	Primitives edges = {soup.from, soup.to, soup.corners, 2, 500, 0.0f};
	uint32_t count;
	drapeBvh_Init(&trees[0], 18, 8);
	drapeBvh_Init(&trees[1], 18, 8);
	assert_true(drapeBvh_Build(&trees[0], &points, bvhMorton, tasks));
	assert_true(drapeBvh_Build(&trees[1], &edges, bvhSplit, tasks));
	PrimitivePair* wanted = BrutePairs(&points, &edges, 18, &count);
	assert_true(count > 100);
	assert_true(drapeBvh_Pairs(&trees[0], &trees[1], &list, tasks));
	Soup_AssertSamePairs(&list, wanted, count);
	free(wanted);
	drapeBvh_Destroy(&trees[0]);
	drapeBvh_Destroy(&trees[1]);
	drapePairList_Free(&list);
	drapeTaskPool_Destroy(tasks);
}

// --- motion ---------------------------------------------------------------------------------------------------------

static void RefitFindsWhatBuildingAnewFinds(void** state)
{
	(void)state;
	static Soup soup;
	TaskPool* tasks = drapeTaskPool_Create(2, NULL, NULL, NULL);
	PairList list = {0};
	for (uint32_t index = 0; index < kindCount; ++index)
	{
		Kind kind = KindOf(index);
		Bvh bvh;
		uint32_t count;
		Random random = Random_Seed(9, index);
		BuildKind(&bvh, kind, &soup, 600, index, tasks);
		for (uint32_t i = 0; i < 1800; ++i)
		{
			soup.from[i] = soup.to[i];
			soup.to[i] = Soup_Near(&random, soup.to[i], 0.3f);
		}
		size_t allocations = drapeGetMemoryUse().allocations;
		drapeBvh_Refit(&bvh, &soup.primitives, tasks);
		assert_int_equal(drapeGetMemoryUse().allocations, allocations);
		assert_true(drapeBvh_Cost(&bvh) > bvh.builtCost);
		PrimitivePair* wanted = BrutePairs(&soup.primitives, &soup.primitives, kind.k, &count);
		assert_true(drapeBvh_SelfPairs(&bvh, NULL, &list, tasks));
		Soup_AssertSamePairs(&list, wanted, count);
		free(wanted);
		drapeBvh_Destroy(&bvh);
	}
	drapePairList_Free(&list);
	drapeTaskPool_Destroy(tasks);
}

static void UpdateBuildsWhenItMust(void** state)
{
	(void)state;
	static Soup soup;
	TaskPool* tasks = drapeTaskPool_Create(1, NULL, NULL, NULL);
	Random random = Random_Seed(9, 9);
	PairList list = {0};
	Bvh bvh;
	uint32_t count;
	drapeBvh_Init(&bvh, 18, 8);
	Soup_Make(&soup, 500, 1, 0.3f);
	for (uint32_t i = 0; i < 1500; ++i)
		soup.corners[i] = i;
	assert_true(drapeBvh_Update(&bvh, &soup.primitives, bvhMorton, false, tasks));
	float first = bvh.builtCost;
	assert_true(drapeBvh_Update(&bvh, &soup.primitives, bvhMorton, false, tasks));
	assert_true(bvh.builtCost == first);
	for (uint32_t i = 0; i < 1500; ++i) // all over the place
		soup.to[i] = soup.from[i] = i % 3 ? Soup_Near(&random, soup.to[i - 1], 0.01f) : Soup_Point(&random, 1.0f);
	soup.primitives.margin = 0.0f;
	drapeBvh_Refit(&bvh, &soup.primitives, tasks);
	float worse = drapeBvh_Cost(&bvh);
	assert_true(worse > 2.0f * first);
	assert_true(drapeBvh_Update(&bvh, &soup.primitives, bvhMorton, false, tasks));
	assert_true(bvh.builtCost > first && bvh.builtCost < 0.7f * worse);
	soup.primitives.count = 400;
	assert_true(drapeBvh_Update(&bvh, &soup.primitives, bvhMorton, false, tasks));
	PrimitivePair* wanted = BrutePairs(&soup.primitives, &soup.primitives, 18, &count);
	assert_true(drapeBvh_SelfPairs(&bvh, NULL, &list, tasks));
	Soup_AssertSamePairs(&list, wanted, count);
	free(wanted);
	drapePairList_Free(&list);
	drapeBvh_Destroy(&bvh);
	drapeTaskPool_Destroy(tasks);
}

static void LazyRefitHoldsEverythingAndRestsWhenItCan(void** state)
{
	(void)state;
	static Soup soup;
	TaskPool* tasks = drapeTaskPool_Create(2, NULL, NULL, NULL);
	Bvh bvh;
	PrimitiveList found = {0};
	Random random = Random_Seed(9, 3);
	drapeBvh_Init(&bvh, 18, 8);
	Soup_Make(&soup, 600, 3, 1.0f);
	assert_true(drapeBvh_Build(&bvh, &soup.primitives, bvhMorton, tasks));
	assert_int_equal(drapeBvh_RefitLazy(&bvh, &soup.primitives, 0.02f, tasks), 0);
	uint32_t rested = 0, worked = 0;
	for (int step = 0; step < 40; ++step)
	{
		for (uint32_t i = 0; i < 1800; ++i)
		{
			soup.from[i] = soup.to[i];
			soup.to[i] = Soup_Near(&random, soup.to[i], 0.002f);
		}
		uint32_t written = drapeBvh_RefitLazy(&bvh, &soup.primitives, 0.02f, tasks);
		rested += 75 - written;
		worked += written;
		for (uint32_t i = 0; i < 600; ++i)
		{
			Kdop dop = Soup_BoundsOf(&soup.primitives, i, 18);
			found.primitives.count = 0;
			assert_true(drapeBvh_Query(&bvh, &dop, &found));
			bool itself = false;
			for (uint32_t j = 0; j < found.primitives.count; ++j)
				itself = itself || found.primitives.data[j] == i;
			assert_true(itself);
		}
	}
	assert_true(rested > 2 * worked && worked > 0);
	ArrayFree(&found.primitives);
	drapeBvh_Destroy(&bvh);
	drapeTaskPool_Destroy(tasks);
}

// --- curvature culling ----------------------------------------------------------------------------------------------

// Distance of two triangles, 0 when they go through each other. Corners seen from somewhere.
static double SegmentDistance(Double3 a, Double3 b, Double3 c, Double3 d)
{
	Double3 u = D3Sub(b, a), v = D3Sub(d, c), w = D3Sub(a, c);
	double uu = D3Dot(u, u), vv = D3Dot(v, v), uv = D3Dot(u, v), det = uu * vv - uv * uv, best = (double)INFINITY;
	double s[3] = {det > 0.0 ? (uv * D3Dot(v, w) - vv * D3Dot(u, w)) / det : 0.0, 0.0, 1.0};
	for (int i = 0; i < 3; ++i)
	{
		double si = fmin(fmax(s[i], 0.0), 1.0);
		Double3 p = D3Add(a, D3Scale(si, u));
		double t = vv > 0.0 ? fmin(fmax(D3Dot(D3Sub(p, c), v) / vv, 0.0), 1.0) : 0.0;
		Double3 q = D3Add(c, D3Scale(t, v));
		double back = uu > 0.0 ? fmin(fmax(D3Dot(D3Sub(q, a), u) / uu, 0.0), 1.0) : 0.0;
		Double3 gap = D3Sub(D3Add(a, D3Scale(back, u)), q);
		best = fmin(best, D3Dot(gap, gap));
	}
	return sqrt(best);
}

static double TriangleDistance(const Double3* a, const Double3* b)
{
	double best = (double)INFINITY;
	for (int side = 0; side < 2; ++side)
	{
		for (int i = 0; i < 3; ++i)
		{
			const Double3 *one = side ? b : a, *other = side ? a : b;
			SeenTriangle seen;
			double fraction, weight[3];
			for (int k = 0; k < 3; ++k)
				seen.corner[k] = D3Sub(other[k], one[i]);
			best = fmin(best, sqrt(Triangle_Closest(&seen).square));
			if (Triangle_Cut(&seen, D3Sub(one[(i + 1) % 3], one[i]), &fraction, weight))
				return 0.0;
			for (int j = 0; j < 3 && side == 0; ++j)
				best = fmin(best, SegmentDistance(a[i], a[(i + 1) % 3], b[j], b[(j + 1) % 3]));
		}
	}
	return best;
}

static void CornersAt(const Primitives* primitives, uint32_t primitive, double time, Double3* corner)
{
	for (uint32_t k = 0; k < 3; ++k)
	{
		uint32_t i = Primitives_Corner(primitives, primitive, k);
		Vec4 a = primitives->from[i], b = primitives->to[i];
		Double3 from = {(double)a.x, (double)a.y, (double)a.z}, to = {(double)b.x, (double)b.y, (double)b.z};
		corner[k] = D3Add(D3Scale(1.0 - time, from), D3Scale(time, to));
	}
}

// A pair that was left out is of one chart, and as far apart as promised at all times.
static void AssertIsApart(const Primitives* primitives, const Charts* charts, PrimitivePair pair)
{
	Double3 a[3], b[3];
	const Vec4 *placeA = charts->material.data + 3 * (size_t)pair.a,
			   *placeB = charts->material.data + 3 * (size_t)pair.b;
	assert_true(placeA[0].z == placeB[0].z);
	for (int k = 0; k < 3; ++k)
	{
		a[k] = (Double3){(double)placeA[k].x, (double)placeA[k].y, 0.0};
		b[k] = (Double3){(double)placeB[k].x, (double)placeB[k].y, 0.0};
	}
	double rest = TriangleDistance(a, b);
	for (int step = 0; step <= 4; ++step)
	{
		CornersAt(primitives, pair.a, 0.25 * step, a);
		CornersAt(primitives, pair.b, 0.25 * step, b);
		assert_true(TriangleDistance(a, b) >= (double)CULLING_RATIO * rest - 1e-6);
	}
}

// A mesh, its hierarchy and its charts.
typedef struct Sheet
{
	drapeMesh mesh;
	Rig rig;
	Charts charts;
} Sheet;

static void Sheet_Create(Sheet* sheet, drapeMesh mesh, TaskPool* tasks)
{
	sheet->mesh = mesh;
	Rig_Create(&sheet->rig, &sheet->mesh);
	assert_int_equal(drapeCharts_Create(&sheet->charts, &sheet->rig.pattern, tasks), drape_ok);
}

static void Sheet_Destroy(Sheet* sheet)
{
	drapeCharts_Free(&sheet->charts);
	Rig_Destroy(&sheet->rig);
	TestMesh_Free(&sheet->mesh);
}

typedef struct Cull
{
	uint32_t overlapping, reported;
} Cull;

// Triangles of one culled patch are as far apart as promised: a random sample.
static void CheckPatches(const ClothTree* tree, const Primitives* primitives, const Charts* charts, TaskPool* tasks)
{
	Random random = Random_Seed(12, primitives->count);
	uint32_t* patch = calloc(primitives->count, sizeof *patch);
	assert_non_null(patch);
	drapeClothTree_FindCulledPatches(tree, patch, tasks);
	for (uint32_t tried = 0; tried < 200; ++tried)
	{
		PrimitivePair pair = {Random_Below(&random, primitives->count), Random_Below(&random, primitives->count)};
		if (patch[pair.a] != DRAPE_NONE && patch[pair.a] == patch[pair.b])
			AssertIsApart(primitives, charts, pair);
	}
	free(patch);
}

// Builds, asks for self pairs, and holds them against brute force.
static Cull CullSheet(Sheet* sheet, const Vec4* from, const Vec4* to, Kind kind, TaskPool* tasks)
{
	const ActiveMesh* mesh = &sheet->rig.active;
	Charts* charts = &sheet->charts;
	ClothTree tree;
	Cull cull;
	PairList list = {0};
	Primitives primitives = {from, to, &mesh->triangle[0][0], 3, mesh->triangleCount, 0.002f};
	assert_true(drapeCharts_Update(charts, mesh));
	drapeClothTree_Init(&tree, kind.k, kind.arity);
	assert_true(drapeClothTree_Build(&tree, &primitives, charts, tasks));
	assert_true(drapeClothTree_SelfPairs(&tree, &list, tasks));
	Soup_SortPairs(&list);
	PrimitivePair* wanted = BrutePairs(&primitives, &primitives, kind.k, &cull.overlapping);
	cull.reported = list.pairs.count;
	uint32_t next = 0;
	for (uint32_t i = 0; i < cull.overlapping; ++i)
	{
		if (next < list.pairs.count && Soup_ComparePairs(&list.pairs.data[next], &wanted[i]) == 0)
			next++;
		else
			AssertIsApart(&primitives, charts, wanted[i]);
	}
	assert_int_equal(next, list.pairs.count);
	CheckPatches(&tree, &primitives, charts, tasks);
	free(wanted);
	drapePairList_Free(&list);
	drapeClothTree_Destroy(&tree);
	return cull;
}

// Shapes of a sheet of 1 m x 1 m.
typedef Vec3 FoldFcn(float u, float v, float amount);

static Vec3 Flat(float u, float v, float amount)
{
	return (Vec3){u, 0.01f * amount * sinf(20.0f * u) * cosf(17.0f * v), v};
}

static Vec3 Roll(float u, float v, float amount)
{
	float radius = 0.03f + 0.01f * u, angle = 12.0f * amount * u;
	return (Vec3){radius * cosf(angle), radius * sinf(angle), v};
}

static Vec3 FoldedInTwo(float u, float v, float amount)
{
	return (Vec3){fabsf(u - 0.5f), 0.002f + (1.0f - amount) * (u - 0.5f), v};
}

// Goes through itself.
static Vec3 Crossed(float u, float v, float amount)
{
	float angle = 5.0f * amount * (u - 0.5f);
	return (Vec3){0.15f * sinf(2.0f * angle), 0.2f * cosf(angle), v};
}

static Vec3 Twisted(float u, float v, float amount)
{
	float angle = 9.0f * amount * v;
	return (Vec3){(u - 0.5f) * cosf(angle), (u - 0.5f) * sinf(angle), 0.7f * v};
}

static Vec3 Wrinkled(float u, float v, float amount)
{
	return (Vec3){u - 0.04f * amount * sinf(40.0f * u), 0.05f * amount * cosf(40.0f * u + 3.0f * v), v};
}

static FoldFcn* const folds[] = {Flat, Roll, FoldedInTwo, Crossed, Twisted, Wrinkled};

enum
{
	foldCount = sizeof folds / sizeof folds[0]
};

static void Fold(const Rig* rig, Vec4* positions, FoldFcn* fold, float amount)
{
	const ActiveMesh* mesh = &rig->active;
	for (uint32_t i = 0; i < mesh->triangleCount; ++i)
	{
		for (uint32_t k = 0; k < 3; ++k)
		{
			Vec2 at = mesh->material[i].corner[k];
			Vec3 p = fold(at.x, at.y, amount);
			positions[mesh->triangle[i][k]] = (Vec4){p.x, p.y, p.z, 1.0f};
		}
	}
}

static void CulledPairsOfFoldedSheetsAreApart(void** state)
{
	(void)state;
	TaskPool* tasks = drapeTaskPool_Create(2, NULL, NULL, NULL);
	Random random = Random_Seed(4, 4);
	Sheet sheet;
	Sheet_Create(&sheet, TestMesh_Grid(12, 12, 1.0f, 1.0f, 0.2f, 3), tasks);
	assert_int_equal(sheet.charts.chartCount, 1);
	for (uint32_t round = 0; round < (isSlow ? 1 : 2); ++round)
	{
		Rig_RandomPass(&sheet.rig, &random, 200, 0.9f);
		Vec4* from = calloc(2 * (size_t)sheet.rig.active.particleCount, sizeof *from);
		assert_non_null(from);
		Vec4* to = from + sheet.rig.active.particleCount;
		for (uint32_t f = 0; f < foldCount; ++f)
		{
			for (uint32_t index = 0; index < 3; ++index)
			{
				Kind kind = {sides[(f + index) % 4], arities[index], bvhMorton};
				Fold(&sheet.rig, from, folds[f], 0.25f * (float)f);
				Fold(&sheet.rig, to, folds[f], 1.0f);
				Cull cull = CullSheet(&sheet, to, to, kind, tasks);
				Cull swept = CullSheet(&sheet, from, to, kind, tasks);
				assert_true(cull.overlapping > 0 && swept.overlapping > 0);
				if (f == 0)
					assert_int_equal(cull.reported + swept.reported, 0);
				if (f == 3)
					assert_true(cull.reported > 0);
			}
		}
		free(from);
	}
	Sheet_Destroy(&sheet);
	drapeTaskPool_Destroy(tasks);
	assert_int_equal(drapeGetMemoryUse().blocks, 0);
}

// Outlines that are not convex, holes, closed surfaces, and charts that meet along seams.
static void CulledPairsOfAnyMeshAreApart(void** state)
{
	(void)state;
	TaskPool* tasks = drapeTaskPool_Create(1, NULL, NULL, NULL);
	Random random = Random_Seed(4, 5);
	for (int index = 0; index < rigMeshCount; ++index)
	{
		Sheet sheet;
		Sheet_Create(&sheet, Rig_Mesh(index), tasks);
		for (int pass = 0; pass < 3 && sheet.rig.active.triangleCount < 1500; ++pass)
			Rig_RandomPass(&sheet.rig, &random, 400, 0.9f);
		uint32_t count = sheet.rig.active.particleCount;
		Vec4* from = calloc(2 * (size_t)count, sizeof *from);
		assert_non_null(from);
		for (uint32_t i = 0; i < count; ++i)
		{
			Vec4 p = sheet.rig.active.position[i];
			from[i] = p;
			from[count + i] = (Vec4){p.x + 0.1f * sinf(3.0f * p.z), p.y, p.z + 0.1f * sinf(2.0f * p.x), 1.0f};
		}
		CullSheet(&sheet, from, from, (Kind){6, 8, bvhMorton}, tasks);
		CullSheet(&sheet, from, from + count, (Kind){18, 4, bvhMorton}, tasks);
		free(from);
		Sheet_Destroy(&sheet);
	}
	drapeTaskPool_Destroy(tasks);
	assert_int_equal(drapeGetMemoryUse().blocks, 0);
}

// A slit lets its two sides meet though everything around it is flat.
static void SlitIsNotCulled(void** state)
{
	(void)state;
	TaskPool* tasks = drapeTaskPool_Create(1, NULL, NULL, NULL);
	enum
	{
		n = 12
	};
	drapeMesh mesh = TestMesh_Grid(n, n, 1.0f, 1.0f, 0.0f, 1);
	// Vertices on the middle line up to its middle get a twin for the triangles on their right.
	uint32_t vertexCount = mesh.vertexCount + n / 2;
	drapeVec3* positions = calloc(vertexCount, sizeof *positions);
	uint32_t* triangles = calloc(3 * (size_t)mesh.triangleCount, sizeof *triangles);
	assert_true(positions && triangles);
	memcpy(positions, mesh.positions, mesh.vertexCount * sizeof *positions);
	memcpy(triangles, mesh.triangles, 3 * (size_t)mesh.triangleCount * sizeof *triangles);
	for (uint32_t i = 0; i < n / 2; ++i)
		positions[mesh.vertexCount + i] = positions[i * (n + 1) + n / 2];
	for (uint32_t i = 0; i < 3 * mesh.triangleCount; ++i)
	{
		float centre = 0.0f;
		for (uint32_t k = 0; k < 3; ++k)
			centre += mesh.positions[mesh.triangles[i - i % 3 + k]].x / 3.0f;
		uint32_t column = triangles[i] % (n + 1), row = triangles[i] / (n + 1);
		if (column == n / 2 && row < n / 2 && centre > 0.5f)
			triangles[i] = mesh.vertexCount + row;
	}
	Sheet slit;
	Sheet_Create(&slit, TestMesh_FromArrays(positions, vertexCount, triangles, mesh.triangleCount), tasks);
	assert_int_equal(slit.charts.chartCount, 1);
	assert_int_equal(slit.charts.overlaps.data[0], 0);
	Vec4* moved = calloc(vertexCount, sizeof *moved);
	assert_non_null(moved);
	for (uint32_t i = 0; i < vertexCount; ++i)
	{
		moved[i] = slit.rig.active.position[i];
		moved[i].x += moved[i].x < 0.5f || i >= mesh.vertexCount ? 0.0f : 0.01f;
	}
	Cull cull = CullSheet(&slit, moved, moved, (Kind){6, 8, bvhMorton}, tasks);
	assert_true(cull.reported > 0);
	free(moved);
	free(positions);
	free(triangles);
	Sheet_Destroy(&slit);
	TestMesh_Free(&mesh);
	drapeTaskPool_Destroy(tasks);
}

// --- first and nearest ----------------------------------------------------------------------------------------------

static void FirstHitIsTheFirstOfAll(void** state)
{
	(void)state;
	static Soup soup;
	TaskPool* tasks = drapeTaskPool_Create(1, NULL, NULL, NULL);
	uint32_t hits = 0;
	for (uint32_t index = 0; index < kindCount; ++index)
	{
		Kind kind = KindOf(index);
		Bvh bvh;
		Random random = Random_Seed(31, index);
		BuildKind(&bvh, kind, &soup, counts[index % 11], index, tasks);
		for (int query = 0; query < 300; ++query)
		{
			Vec3 from = V4Xyz(Soup_Point(&random, 1.5f)), to = V4Xyz(Soup_Point(&random, 1.5f));
			if (query % 3 == 0)
				to = (Vec3){from.x, query % 2 ? from.y : to.y, to.z};
			PrimitiveHit hit, wanted = {.primitive = DRAPE_NONE, .fraction = INFINITY};
			for (uint32_t i = 0; i < soup.primitives.count; ++i)
			{
				double fraction, weight[3];
				SeenTriangle seen = Triangle_SeenFrom(soup.to, soup.corners + 3 * (size_t)i, from);
				if (Triangle_Cut(&seen, D3Between(from, to), &fraction, weight) && (float)fraction < wanted.fraction)
					wanted = (PrimitiveHit){.primitive = i, .fraction = (float)fraction};
			}
			assert_int_equal(drapeBvh_FirstHit(&bvh, &soup.primitives, from, to, &hit), wanted.primitive != DRAPE_NONE);
			assert_int_equal(hit.primitive, wanted.primitive);
			hits += hit.primitive != DRAPE_NONE;
			assert_true(hit.fraction == wanted.fraction);
		}
		drapeBvh_Destroy(&bvh);
	}
	assert_true(hits > 500);
	drapeTaskPool_Destroy(tasks);
}

static void CutsAreAllThatASegmentPassesThrough(void** state)
{
	(void)state;
	static Soup soup;
	static SegmentCut cuts[4096];
	TaskPool* tasks = drapeTaskPool_Create(1, NULL, NULL, NULL);
	uint32_t found = 0;
	for (uint32_t index = 0; index < kindCount; ++index)
	{
		Kind kind = KindOf(index);
		Bvh bvh;
		Random random = Random_Seed(33, index);
		BuildKind(&bvh, kind, &soup, counts[index % 11], index, tasks);
		BvhView view = drapeBvhView_Make(&bvh, &soup.primitives, NULL);
		for (int query = 0; query < 100; ++query)
		{
			Vec3 from = V4Xyz(Soup_Point(&random, 1.5f)), to = V4Xyz(Soup_Point(&random, 1.5f));
			int winding, sum = 0;
			uint32_t count, wanted = 0;
			if (!drapeBvh_Cuts(&bvh, &soup.primitives, from, to, cuts, 4096, &count))
				continue;
			assert_true(drapeBvhView_Winding(&view, from, to, &winding));
			for (uint32_t i = 0; i < soup.primitives.count; ++i)
			{
				double fraction, weight[3];
				SeenTriangle seen = Triangle_SeenFrom(soup.to, soup.corners + 3 * (size_t)i, from);
				wanted += Triangle_Cut(&seen, D3Between(from, to), &fraction, weight);
			}
			for (uint32_t i = 0; i < count; ++i)
			{
				sum += cuts[i].sign;
				assert_true(i == 0 || cuts[i - 1].fraction <= cuts[i].fraction);
			}
			assert_int_equal(sum, winding);
			assert_int_equal(count, wanted);
			assert_true(count == 0 || !drapeBvh_Cuts(&bvh, &soup.primitives, from, to, cuts, count - 1, &wanted));
			found += count;
		}
		drapeBvh_Destroy(&bvh);
	}
	assert_true(found > 500);
	drapeTaskPool_Destroy(tasks);
}

static void NearestIsTheNearestOfAll(void** state)
{
	(void)state;
	static Soup soup;
	TaskPool* tasks = drapeTaskPool_Create(1, NULL, NULL, NULL);
	uint32_t finds = 0;
	for (uint32_t index = 0; index < kindCount; ++index)
	{
		Kind kind = KindOf(index);
		Bvh bvh;
		Random random = Random_Seed(32, index);
		BuildKind(&bvh, kind, &soup, counts[index % 11], index, tasks);
		for (int query = 0; query < 200; ++query)
		{
			Vec3 point = V4Xyz(query % 5 ? Soup_Point(&random, 1.5f) : soup.to[Random_Below(&random, 3)]);
			float reach = query % 2 ? INFINITY : Random_Range(&random, 0.0f, 0.3f);
			NearestPrimitive hit;
			uint32_t wanted = DRAPE_NONE;
			double best = (double)reach * (double)reach;
			for (uint32_t i = 0; i < soup.primitives.count; ++i)
			{
				SeenTriangle seen = Triangle_SeenFrom(soup.to, soup.corners + 3 * (size_t)i, point);
				TrianglePoint near = Triangle_Closest(&seen);
				if (near.square < best || (near.square <= best && wanted == DRAPE_NONE))
				{
					best = near.square;
					wanted = i;
				}
			}
			assert_int_equal(drapeBvh_NearestPrimitive(&bvh, &soup.primitives, point, reach, &hit),
			                 wanted != DRAPE_NONE);
			if (wanted == DRAPE_NONE)
				continue;
			finds++;
			assert_int_equal(hit.primitive, wanted);
			assert_true(hit.near.square == best);
		}
		drapeBvh_Destroy(&bvh);
	}
	assert_true(finds > 2000);
	drapeTaskPool_Destroy(tasks);
}

// Points that wander about by so much at a time, each with a list.
static void WanderWithLists(const Bvh* bvh, const Primitives* primitives, float way, Random* random, uint32_t* told)
{
	enum
	{
		steps = 300,
	};
	NearList list = {0};
	Vec3 point = V4Xyz(Soup_Point(random, 1.0f));
	for (int i = 0; i < steps; ++i)
	{
		NearestPrimitive wanted, found;
		float need = Random_Range(random, 0.0f, 0.3f), clearance;
		NearQuery query = {point, need, need + Random_Range(random, 0.0f, 0.3f), Random_Range(random, 0.0f, 0.2f), 0};
		BvhView view = drapeBvhView_Make(bvh, primitives, NULL);
		bool isThere = drapeBvh_NearestPrimitive(bvh, primitives, point, INFINITY, &wanted);
		float distance = isThere ? (float)sqrt(wanted.near.square) : INFINITY;
		assert_true(drapeNearList_Clearance(&list, primitives->to, point) <= 1.00001f * distance);
		Vec3 place = list.centre;
		if (drapeBvhView_NearestAround(&view, &query, &list, &found, &clearance))
		{
			assert_int_equal(found.primitive, wanted.primitive);
			assert_memory_equal(&found.near.toPoint, &wanted.near.toPoint, sizeof found.near.toPoint);
		}
		else
			assert_true(distance >= need && clearance <= 1.00001f * distance);
		*told += list.centre.x == place.x && list.centre.y == place.y;
		point = V3Add(point, V3Scale(way, V4Xyz(Soup_Point(random, 1.0f))));
	}
}

static void ListsTellWhatTheTreeTells(void** state)
{
	(void)state;
	TaskPool* tasks = drapeTaskPool_Create(1, NULL, NULL, NULL);
	const float ways[] = {1e-4f, 0.003f, 0.02f, 0.2f};
	uint32_t told[4] = {0};
	static Soup soup;
	for (uint32_t index = 0; index < kindCount; ++index)
	{
		Bvh bvh;
		Random random = Random_Seed(36, index);
		BuildKind(&bvh, KindOf(index), &soup, counts[index % 11], index, tasks);
		for (uint32_t w = 0; w < 4; ++w)
		{
			for (int walk = 0; walk < 2; ++walk)
				WanderWithLists(&bvh, &soup.primitives, ways[w], &random, &told[w]);
		}
		drapeBvh_Destroy(&bvh);
	}
	assert_true(told[0] > kindCount * 200 && told[1] > kindCount * 50);
	drapeTaskPool_Destroy(tasks);
}

// A ray from inside a closed mesh leaves it, through edges and vertices too.
static void ParticlesDoNotSlipBetweenTriangles(void** state)
{
	(void)state;
	TaskPool* tasks = drapeTaskPool_Create(1, NULL, NULL, NULL);
	drapeMesh mesh = TestMesh_Sphere(3, 0.7f);
	Vec4* positions = calloc(mesh.vertexCount, sizeof *positions);
	assert_non_null(positions);
	for (uint32_t i = 0; i < mesh.vertexCount; ++i)
		positions[i] = (Vec4){mesh.positions[i].x, mesh.positions[i].y, mesh.positions[i].z, 0.0f};
	Primitives primitives = {positions, positions, mesh.triangles, 3, mesh.triangleCount, 0.0f};
	Bvh bvh;
	drapeBvh_Init(&bvh, 14, 8);
	assert_true(drapeBvh_Build(&bvh, &primitives, bvhSplit, tasks));
	Random random = Random_Seed(1, 1);
	for (uint32_t i = 0; i < 3 * mesh.triangleCount; ++i)
	{
		PrimitiveHit hit;
		Vec4 a = positions[mesh.triangles[i]], b = positions[mesh.triangles[i - i % 3 + (i + 1) % 3]];
		float t = i % 4 == 0 ? 0.0f : Random_Float(&random);
		Vec3 from = V4Xyz(Soup_Point(&random, 0.2f));
		Vec3 to = {a.x + t * (b.x - a.x), a.y + t * (b.y - a.y), a.z + t * (b.z - a.z)};
		Vec3 beyond = V3Add(from, V3Scale(1.0f + Random_Float(&random), V3Sub(to, from)));
		beyond = V3Add(beyond, V3Scale(0.3f, V3Normalize(V3Sub(to, from))));
		assert_true(drapeBvh_FirstHit(&bvh, &primitives, from, beyond, &hit));
		float outside = V3Length(hit.point);
		assert_true(outside > 0.6f && outside < 0.701f);
	}
	drapeBvh_Destroy(&bvh);
	free(positions);
	TestMesh_Free(&mesh);
	drapeTaskPool_Destroy(tasks);
}

// --- any number of threads, any numbers, any memory -----------------------------------------------------------------

static void ThreadsDoNotChangeTreesNorPairs(void** state)
{
	(void)state;
	static Soup soup;
	Soup_Make(&soup, soupTriangles, 2, 1.0f);
	for (uint32_t index = 0; index < kindCount; ++index)
	{
		Kind kind = KindOf(index);
		Bvh trees[3];
		PairList lists[3];
		memset(lists, 0, sizeof lists);
		for (uint32_t threads = 1; threads <= 3; ++threads)
		{
			TaskPool* tasks = drapeTaskPool_Create(threads, NULL, NULL, NULL);
			Bvh* bvh = &trees[threads - 1];
			PairList* list = &lists[threads - 1];
			drapeBvh_Init(bvh, kind.k, kind.arity);
			assert_true(drapeBvh_Build(bvh, &soup.primitives, kind.order, tasks));
			assert_true(drapeBvh_SelfPairs(bvh, NULL, list, tasks));
			assert_true(list->pairs.count > 0 && list->pairs.count == lists[0].pairs.count);
			assert_memory_equal(bvh->order.data, trees[0].order.data, soupTriangles * sizeof(uint32_t));
			assert_memory_equal(bvh->bounds.data, trees[0].bounds.data,
			                    (size_t)bvh->blockCount * bvh->axisCount * 16 * sizeof(float));
			assert_memory_equal(list->pairs.data, lists[0].pairs.data, list->pairs.count * sizeof(PrimitivePair));
			drapeTaskPool_Destroy(tasks);
		}
		for (int i = 0; i < 3; ++i)
		{
			drapeBvh_Destroy(&trees[i]);
			drapePairList_Free(&lists[i]);
		}
	}
}

static void SecondTimeAllocatesNothing(void** state)
{
	(void)state;
	static Soup soup;
	TaskPool* tasks = drapeTaskPool_Create(2, NULL, NULL, NULL);
	PairList list = {0};
	Bvh bvh;
	drapeBvh_Init(&bvh, 18, 8);
	Soup_Make(&soup, soupTriangles, 2, 1.0f);
	for (int round = 0; round < 2; ++round)
	{
		size_t allocations = drapeGetMemoryUse().allocations;
		assert_true(drapeBvh_Build(&bvh, &soup.primitives, bvhMorton, tasks));
		assert_true(drapeBvh_SelfPairs(&bvh, NULL, &list, tasks));
		drapeBvh_Refit(&bvh, &soup.primitives, tasks);
		assert_true((drapeGetMemoryUse().allocations == allocations) == (round == 1));
	}
	drapeBvh_Destroy(&bvh);
	drapePairList_Free(&list);
	drapeTaskPool_Destroy(tasks);
}

static void StrangeNumbersNeitherHangNorLoseTheOthers(void** state)
{
	(void)state;
	static Soup soup;
	const float strange[] = {FLT_MAX, -FLT_MAX, INFINITY, -INFINITY, NAN, 1e9f, -1e12f, 1e-40f};
	TaskPool* tasks = drapeTaskPool_Create(2, NULL, NULL, NULL);
	for (uint32_t index = 0; index < kindCount; ++index)
	{
		Kind kind = KindOf(index);
		Bvh bvh;
		PairList list = {0};
		PrimitiveList found = {0};
		PrimitiveHit hit;
		Soup_Make(&soup, 300, index, 1.0f);
		for (uint32_t i = 0; i < 8; ++i)
		{
			soup.to[30 * i + i % 3].x = strange[i];
			soup.from[30 * i + 300].z = strange[i];
		}
		drapeBvh_Init(&bvh, kind.k, kind.arity);
		assert_true(drapeBvh_Build(&bvh, &soup.primitives, kind.order, tasks));
		assert_true(drapeBvh_SelfPairs(&bvh, NULL, &list, tasks));
		for (uint32_t i = 0; i < 300; ++i)
		{
			Kdop dop = Soup_BoundsOf(&soup.primitives, i, kind.k);
			if (!(fabsf(dop.low[0]) < 1e6f && fabsf(dop.high[0]) < 1e6f && fabsf(dop.low[2]) < 1e6f &&
			      fabsf(dop.high[2]) < 1e6f))
				continue;
			found.primitives.count = 0;
			assert_true(drapeBvh_Query(&bvh, &dop, &found));
			bool itself = false;
			for (uint32_t j = 0; j < found.primitives.count; ++j)
				itself = itself || found.primitives.data[j] == i;
			assert_true(itself);
		}
		drapeBvh_FirstHit(&bvh, &soup.primitives, (Vec3){-2, 0, 0}, (Vec3){FLT_MAX, 0, 0}, &hit);
		drapeBvh_FirstHit(&bvh, &soup.primitives, (Vec3){NAN, 0, 0}, (Vec3){2, NAN, 0}, &hit);
		NearestPrimitive nearest;
		drapeBvh_NearestPrimitive(&bvh, &soup.primitives, (Vec3){1e9f, 0, 0}, INFINITY, &nearest);
		drapeBvh_NearestPrimitive(&bvh, &soup.primitives, (Vec3){NAN, 0, 0}, 1.0f, &nearest);
		ArrayFree(&found.primitives);
		drapePairList_Free(&list);
		drapeBvh_Destroy(&bvh);
	}
	drapeTaskPool_Destroy(tasks);
}

static void EqualItemsAreFoundAlike(void** state)
{
	(void)state;
	static Soup soup;
	TaskPool* tasks = drapeTaskPool_Create(1, NULL, NULL, NULL);
	for (uint32_t index = 0; index < kindCount; ++index)
	{
		Kind kind = KindOf(index);
		Bvh bvh;
		PairList list = {0};
		memset(&soup, 0, sizeof soup);
		for (uint32_t i = 0; i < 300; ++i)
			soup.corners[i] = i;
		soup.primitives = (Primitives){soup.from, soup.to, soup.corners, 3, 100, 0.0f};
		drapeBvh_Init(&bvh, kind.k, kind.arity);
		assert_true(drapeBvh_Build(&bvh, &soup.primitives, kind.order, tasks));
		assert_true(drapeBvh_SelfPairs(&bvh, NULL, &list, tasks));
		assert_int_equal(list.pairs.count, 100 * 99 / 2);
		soup.primitives.count = 0;
		assert_true(drapeBvh_Build(&bvh, &soup.primitives, kind.order, tasks));
		assert_true(drapeBvh_SelfPairs(&bvh, NULL, &list, tasks));
		assert_int_equal(list.pairs.count, 0);
		PrimitiveHit hit;
		NearestPrimitive nearest;
		assert_false(drapeBvh_NearestPrimitive(&bvh, &soup.primitives, (Vec3){0, 0, 0}, INFINITY, &nearest));
		assert_false(drapeBvh_FirstHit(&bvh, &soup.primitives, (Vec3){0, 0, 0}, (Vec3){1, 0, 0}, &hit));
		drapePairList_Free(&list);
		drapeBvh_Destroy(&bvh);
	}
	drapeTaskPool_Destroy(tasks);
}

// Everything once; false as soon as memory is short.
static bool UseEverything(const Soup* soup, const Rig* rig, TaskPool* tasks)
{
	Bvh bvh;
	ClothTree cloth;
	PairList list = {0};
	PrimitiveList found = {0};
	Charts charts;
	Kdop dop = Kdop_Empty();
	Primitives primitives = {
		rig->active.position, rig->active.position, &rig->active.triangle[0][0], 3, rig->active.triangleCount, 0.01f};
	drapeBvh_Init(&bvh, 18, 8);
	drapeClothTree_Init(&cloth, 18, 8);
	Kdop_Add(&dop, 18, (Vec3){0, 0, 0}, 1.0f);
	bool done = drapeCharts_Create(&charts, &rig->pattern, tasks) == drape_ok &&
	            drapeCharts_Update(&charts, &rig->active) &&
	            drapeClothTree_Build(&cloth, &primitives, &charts, tasks) &&
	            drapeBvh_Build(&bvh, &soup->primitives, bvhSplit, tasks) &&
	            drapeClothTree_SelfPairs(&cloth, &list, tasks) && drapeBvh_Pairs(&bvh, &cloth.bvh, &list, tasks) &&
	            drapeBvh_SelfPairs(&bvh, NULL, &list, tasks) && drapeBvh_Query(&bvh, &dop, &found);
	if (!done)
		assert_true(bvh.primitiveCount == 0 || bvh.primitiveCount == soup->primitives.count);
	if (!done)
		assert_true(cloth.bvh.primitiveCount == 0 || cloth.bvh.primitiveCount == primitives.count);
	drapeCharts_Free(&charts);
	ArrayFree(&found.primitives);
	drapePairList_Free(&list);
	drapeBvh_Destroy(&bvh);
	drapeClothTree_Destroy(&cloth);
	return done;
}

static void EveryFailedAllocationIsReported(void** state)
{
	(void)state;
	static Soup soup;
	TaskPool* tasks = drapeTaskPool_Create(1, NULL, NULL, NULL);
	drapeMesh mesh = TestMesh_Grid(6, 6, 1.0f, 1.0f, 0.0f, 1);
	Rig rig;
	Rig_Create(&rig, &mesh);
	Soup_Make(&soup, 200, 2, 1.0f);
	bool done = false;
	for (size_t number = 1; !done; ++number)
	{
		assert_true(number < 500);
		Test_FailAllocation(number, number % 2);
		done = UseEverything(&soup, &rig, tasks);
		assert_true(done == (Test_AllocationCount() < number));
		Test_FailAllocation(0, false);
	}
	Rig_Destroy(&rig);
	TestMesh_Free(&mesh);
	drapeTaskPool_Destroy(tasks);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(QueriesFindExactlyTheOverlappingItems),
		cmocka_unit_test(QueriesWithoutEndFindEveryItemOnce),
		cmocka_unit_test(PairsAreThoseOfBruteForce),
		cmocka_unit_test(PairsWithinBoxesAreThoseOfBruteForce),
		cmocka_unit_test(PointsAndEdgesAreItemsToo),
		cmocka_unit_test(RefitFindsWhatBuildingAnewFinds),
		cmocka_unit_test(UpdateBuildsWhenItMust),
		cmocka_unit_test(LazyRefitHoldsEverythingAndRestsWhenItCan),
		cmocka_unit_test(CulledPairsOfFoldedSheetsAreApart),
		cmocka_unit_test(CulledPairsOfAnyMeshAreApart),
		cmocka_unit_test(SlitIsNotCulled),
		cmocka_unit_test(FirstHitIsTheFirstOfAll),
		cmocka_unit_test(CutsAreAllThatASegmentPassesThrough),
		cmocka_unit_test(NearestIsTheNearestOfAll),
		cmocka_unit_test(ListsTellWhatTheTreeTells),
		cmocka_unit_test(ParticlesDoNotSlipBetweenTriangles),
		cmocka_unit_test(ThreadsDoNotChangeTreesNorPairs),
		cmocka_unit_test(SecondTimeAllocatesNothing),
		cmocka_unit_test(StrangeNumbersNeitherHangNorLoseTheOthers),
		cmocka_unit_test(EqualItemsAreFoundAlike),
		cmocka_unit_test(EveryFailedAllocationIsReported),
	};
	return cmocka_run_group_tests_name("bvh", tests, NULL, NULL);
}
