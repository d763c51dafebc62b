// SPDX-License-Identifier: MIT
#include "soup.h"
#include "support.h"

#include "contact/broad/bvh.h"
#include "grid.h"

#include <float.h>
#include <string.h>

static void AssertSamePairs(PairList* found, PairList* wanted)
{
	Soup_SortPairs(wanted);
	Soup_AssertSamePairs(found, wanted->pairs.data, wanted->pairs.count);
}

// A tree, which test_bvh holds against brute force, must say the same.
static void GridFindsWhatATreeFinds(void** state)
{
	(void)state;
	static Soup soups[2];
	static const float sizes[][3] = {{0.05f, 0.2f, 0.0f}, {0.001f, 3.0f, 0.0f}, {0.1f, 0.1f, 0.01f},
	                                 {0.1f, 0.1f, 10.0f}, {0.01f, 1e6f, 0.0f},  {1e-5f, 1e-5f, 0.0f}};
	TaskPool* tasks = drapeTaskPool_Create(2, NULL, NULL, NULL);
	for (int i = 0; i < 6; ++i)
	{
		Grid grids[2];
		Bvh trees[2];
		PairList found = {0}, wanted = {0};
		memset(grids, 0, sizeof grids);
		for (int j = 0; j < 2; ++j)
		{
			Soup_MakeOfSizes(&soups[j], j ? soupTriangles : 333, 10 * i + j, sizes[i][0], sizes[i][1]);
			drapeBvh_Init(&trees[j], 6, 8);
			assert_true(drapeBvh_Build(&trees[j], &soups[j].primitives, bvhMorton, tasks));
			assert_true(drapeGrid_Build(&grids[j], &soups[j].primitives, sizes[i][2], tasks));
			assert_true(drapeGrid_SelfPairs(&grids[j], &found, tasks));
			assert_true(drapeBvh_SelfPairs(&trees[j], NULL, &wanted, tasks));
			AssertSamePairs(&found, &wanted);
		}
		assert_true(drapeGrid_Pairs(&grids[0], &grids[1], &found, tasks));
		assert_true(drapeBvh_Pairs(&trees[0], &trees[1], &wanted, tasks));
		AssertSamePairs(&found, &wanted);
		for (int j = 0; j < 2; ++j)
		{
			drapeBvh_Destroy(&trees[j]);
			drapeGrid_Free(&grids[j]);
		}
		drapePairList_Free(&found);
		drapePairList_Free(&wanted);
	}
	drapeTaskPool_Destroy(tasks);
	assert_int_equal(drapeGetMemoryUse().blocks, 0);
}

static void QueriesFindEachOverlappingItemOnce(void** state)
{
	(void)state;
	static Soup soup;
	TaskPool* tasks = drapeTaskPool_Create(1, NULL, NULL, NULL);
	Random random = Random_Seed(4, 4);
	Grid grid = {0};
	PrimitiveList found = {0};
	Soup_MakeOfSizes(&soup, soupTriangles, 1, 0.02f, 0.8f);
	assert_true(drapeGrid_Build(&grid, &soup.primitives, 0.0f, tasks));
	for (int query = 0; query < 500; ++query)
	{
		uint8_t seen[soupTriangles] = {0};
		float size = query % 50 == 0 ? 1e9f : Random_Range(&random, 0.0f, 0.7f);
		Vec3 low = V4Xyz(Soup_Point(&random, 1.2f)), high = V3Add(low, (Vec3){size, 0.5f * size, size});
		found.primitives.count = 0;
		assert_true(drapeGrid_Query(&grid, low, high, &found));
		for (uint32_t i = 0; i < found.primitives.count; ++i)
			assert_int_equal(seen[found.primitives.data[i]]++, 0);
		for (uint32_t i = 0; i < soupTriangles; ++i)
		{
			Kdop box = Soup_BoundsOf(&soup.primitives, i, 6);
			bool overlaps = box.low[0] <= high.x && low.x <= box.high[0] && box.low[1] <= high.y &&
			                low.y <= box.high[1] && box.low[2] <= high.z && low.z <= box.high[2];
			assert_int_equal(seen[i], overlaps);
		}
	}
	ArrayFree(&found.primitives);
	drapeGrid_Free(&grid);
	drapeTaskPool_Destroy(tasks);
}

static void PathMeetsWhatATreeMeets(void** state)
{
	(void)state;
	static Soup soup;
	TaskPool* tasks = drapeTaskPool_Create(1, NULL, NULL, NULL);
	Random random = Random_Seed(6, 6);
	for (int round = 0; round < 4; ++round)
	{
		Grid grid = {0};
		Bvh tree;
		uint32_t hits = 0;
		Soup_MakeOfSizes(&soup, soupTriangles, round, 0.05f, round % 2 ? 5.0f : 0.3f);
		drapeBvh_Init(&tree, 6, 8);
		assert_true(drapeBvh_Build(&tree, &soup.primitives, bvhMorton, tasks));
		assert_true(drapeGrid_Build(&grid, &soup.primitives, round / 2 ? 0.02f : 0.0f, tasks));
		for (int query = 0; query < 1000; ++query)
		{
			PrimitiveHit found, wanted;
			Vec3 from = V4Xyz(Soup_Point(&random, 1.5f)), to = V4Xyz(Soup_Point(&random, 1.5f));
			if (query % 4 == 0) // along an axis, or nowhere
				to = (Vec3){from.x, query % 8 ? to.y : from.y, query % 12 ? from.z : to.z};
			if (query % 50 == 1)
				to = V3Scale(1e20f, to);
			if (query % 7 == 0) // on the planes between cells
				from = (Vec3){grid.cellSize * roundf(from.x / grid.cellSize), from.y, from.z};
			bool is = drapeGrid_FirstHit(&grid, &soup.primitives, from, to, &found);
			assert_int_equal(is, drapeBvh_FirstHit(&tree, &soup.primitives, from, to, &wanted));
			assert_int_equal(found.primitive, wanted.primitive);
			assert_true(found.fraction == wanted.fraction);
			hits += is;
		}
		assert_true(hits > 100);
		drapeBvh_Destroy(&tree);
		drapeGrid_Free(&grid);
	}
	drapeTaskPool_Destroy(tasks);
}

// A floor a million times as large as the world beside fine triangles: it is found and costs nothing.
static void HugeItemsNeitherHangNorSpoilTheCells(void** state)
{
	(void)state;
	static Soup soup;
	TaskPool* tasks = drapeTaskPool_Create(1, NULL, NULL, NULL);
	Grid grid = {0};
	PrimitiveList found = {0};
	PrimitiveHit hit;
	Soup_MakeOfSizes(&soup, soupTriangles, 1, 0.02f, 0.05f);
	soup.to[0] = soup.from[0] = (Vec4){-1e6f, 0.5f, -1e6f, 0};
	soup.to[1] = soup.from[1] = (Vec4){1e6f, 0.5f, -1e6f, 0};
	soup.to[2] = soup.from[2] = (Vec4){0, 0.5f, 2e6f, 0};
	for (uint32_t i = 0; i < 3 * soupTriangles; ++i)
		soup.corners[i] = i;
	assert_true(drapeGrid_Build(&grid, &soup.primitives, 0.05f, tasks));
	assert_int_equal(grid.large.count, 1);
	assert_true(grid.cellSize < 0.1f);
	assert_true(drapeGrid_Query(&grid, (Vec3){4e5f, 0, 4e5f}, (Vec3){5e5f, 1, 5e5f}, &found));
	assert_int_equal(found.primitives.count, 1);
	assert_true(drapeGrid_FirstHit(&grid, &soup.primitives, (Vec3){1e5f, 10, 1e5f}, (Vec3){1e5f, -10, 1e5f}, &hit));
	assert_int_equal(hit.primitive, 0);
	assert_true(
		drapeGrid_FirstHit(&grid, &soup.primitives, (Vec3){1e5f, 1e9f, 1e5f}, (Vec3){-1e5f, -1e9f, 1e5f}, &hit));
	ArrayFree(&found.primitives);
	drapeGrid_Free(&grid);
	drapeTaskPool_Destroy(tasks);
}

static void StrangeNumbersNeitherHangNorLoseTheOthers(void** state)
{
	(void)state;
	static Soup soup;
	const float strange[] = {FLT_MAX, -FLT_MAX, INFINITY, -INFINITY, NAN, 1e9f, -1e12f, 1e-40f};
	TaskPool* tasks = drapeTaskPool_Create(1, NULL, NULL, NULL);
	Grid grid = {0};
	PairList list = {0};
	PrimitiveList found = {0};
	PrimitiveHit hit;
	Soup_MakeOfSizes(&soup, soupTriangles, 1, 0.02f, 0.05f);
	for (uint32_t i = 0; i < 8; ++i)
		soup.to[30 * i + i % 3].x = strange[i];
	assert_true(drapeGrid_Build(&grid, &soup.primitives, 0.0f, tasks));
	assert_true(drapeGrid_SelfPairs(&grid, &list, tasks));
	for (uint32_t i = 100; i < soupTriangles; ++i)
	{
		Kdop box = Soup_BoundsOf(&soup.primitives, i, 6);
		found.primitives.count = 0;
		assert_true(drapeGrid_Query(&grid, (Vec3){box.low[0], box.low[1], box.low[2]},
		                            (Vec3){box.high[0], box.high[1], box.high[2]}, &found));
		bool itself = false;
		for (uint32_t j = 0; j < found.primitives.count; ++j)
			itself = itself || found.primitives.data[j] == i;
		assert_true(itself);
	}
	drapeGrid_FirstHit(&grid, &soup.primitives, (Vec3){NAN, 0, 0}, (Vec3){1, 0, NAN}, &hit);
	drapeGrid_FirstHit(&grid, &soup.primitives, (Vec3){-3, 0, 0}, (Vec3){FLT_MAX, 0, 0}, &hit);
	// Nothing at all, and everything in one point.
	soup.primitives.count = 0;
	assert_true(drapeGrid_Build(&grid, &soup.primitives, 0.0f, tasks));
	assert_true(drapeGrid_SelfPairs(&grid, &list, tasks));
	assert_int_equal(list.pairs.count, 0);
	assert_false(drapeGrid_FirstHit(&grid, &soup.primitives, (Vec3){0, 0, 0}, (Vec3){1, 0, 0}, &hit));
	memset(soup.from, 0, sizeof soup.from);
	memset(soup.to, 0, sizeof soup.to);
	for (uint32_t i = 0; i < 300; ++i)
		soup.corners[i] = i;
	soup.primitives.count = 100;
	soup.primitives.margin = 0.0f;
	assert_true(drapeGrid_Build(&grid, &soup.primitives, 0.0f, tasks));
	assert_true(drapeGrid_SelfPairs(&grid, &list, tasks));
	assert_int_equal(list.pairs.count, 100 * 99 / 2);
	ArrayFree(&found.primitives);
	drapePairList_Free(&list);
	drapeGrid_Free(&grid);
	drapeTaskPool_Destroy(tasks);
	assert_int_equal(drapeGetMemoryUse().blocks, 0);
}

static void ThreadsDoNotChangePairs(void** state)
{
	(void)state;
	static Soup soup;
	PairList lists[3];
	memset(lists, 0, sizeof lists);
	Soup_MakeOfSizes(&soup, soupTriangles, 1, 0.05f, 0.5f);
	for (uint32_t threads = 1; threads <= 3; ++threads)
	{
		TaskPool* tasks = drapeTaskPool_Create(threads, NULL, NULL, NULL);
		Grid grid = {0};
		PairList* list = &lists[threads - 1];
		assert_true(drapeGrid_Build(&grid, &soup.primitives, 0.0f, tasks));
		assert_true(drapeGrid_SelfPairs(&grid, list, tasks));
		assert_true(list->pairs.count > 0 && list->pairs.count == lists[0].pairs.count);
		assert_memory_equal(list->pairs.data, lists[0].pairs.data, list->pairs.count * sizeof(PrimitivePair));
		drapeGrid_Free(&grid);
		drapeTaskPool_Destroy(tasks);
	}
	for (int i = 0; i < 3; ++i)
		drapePairList_Free(&lists[i]);
}

static void EveryFailedAllocationIsReported(void** state)
{
	(void)state;
	static Soup soup;
	TaskPool* tasks = drapeTaskPool_Create(1, NULL, NULL, NULL);
	Soup_MakeOfSizes(&soup, 300, 1, 0.05f, 2.0f);
	bool done = false;
	for (size_t number = 1; !done; ++number)
	{
		Grid grid = {0};
		PairList list = {0};
		PrimitiveList found = {0};
		assert_true(number < 200);
		Test_FailAllocation(number, number % 2);
		done = drapeGrid_Build(&grid, &soup.primitives, 0.0f, tasks);
		assert_int_equal(grid.primitiveCount, done ? 300 : 0);
		done = done && drapeGrid_SelfPairs(&grid, &list, tasks) && drapeGrid_Pairs(&grid, &grid, &list, tasks) &&
		       drapeGrid_Query(&grid, (Vec3){-1, -1, -1}, (Vec3){1, 1, 1}, &found);
		assert_true(done == (Test_AllocationCount() < number));
		ArrayFree(&found.primitives);
		drapePairList_Free(&list);
		drapeGrid_Free(&grid);
		Test_FailAllocation(0, false);
	}
	drapeTaskPool_Destroy(tasks);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(GridFindsWhatATreeFinds),
		cmocka_unit_test(QueriesFindEachOverlappingItemOnce),
		cmocka_unit_test(PathMeetsWhatATreeMeets),
		cmocka_unit_test(HugeItemsNeitherHangNorSpoilTheCells),
		cmocka_unit_test(StrangeNumbersNeitherHangNorLoseTheOthers),
		cmocka_unit_test(ThreadsDoNotChangePairs),
		cmocka_unit_test(EveryFailedAllocationIsReported),
	};
	return cmocka_run_group_tests_name("grid", tests, NULL, NULL);
}
