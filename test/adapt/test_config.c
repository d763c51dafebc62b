// SPDX-License-Identifier: MIT
#include "support.h"

#include "adapt/config.h"

#include <string.h>

static Configs configs;

static int SetUp(void** state)
{
	(void)state;
	drapeConfigs_Init(&configs);
	return 0;
}

static bool IsUsed(const uint8_t* corner)
{
	return corner[0] != localNone;
}

static void EveryConfigurationCoversTheTriangle(void** state)
{
	(void)state;
	for (int c = 0; c < configCount; ++c)
	{
		int twelfths = 0;
		for (int v = 0; v < 6; ++v)
			twelfths += configs.share[c][v];
		assert_int_equal(twelfths, 12);
	}
}

static void EveryConfigurationConformsToItsSplitEdges(void** state)
{
	(void)state;
	for (int c = 1; c < configCount; ++c)
	{
		int seen[sideCount] = {0};
		for (int slot = 0; slot < configSlots; ++slot)
		{
			for (int k = 0; k < 3 && IsUsed(configs.corner[c][slot]); ++k)
				seen[configs.side[c][slot][k]]++;
		}
		for (int k = 0; k < 3; ++k)
		{
			int isSplit = configs.middles[c] >> k & 1;
			assert_int_equal(seen[sideOuter + k], !isSplit);
			assert_int_equal(seen[sideHalf + 2 * k], isSplit);
			assert_int_equal(seen[sideHalf + 2 * k + 1], isSplit);
			// An inner edge has a triangle on both sides, or is not there.
			int isInner = configs.inner[c][k][0] != localNone;
			assert_int_equal(seen[sideInner + 2 * k], isInner);
			assert_int_equal(seen[sideInner + 2 * k + 1], isInner);
		}
	}
}

static void EachSetOfSplitEdgesHasItsConfigurations(void** state)
{
	(void)state;
	static const uint8_t expected[8][2] = {{0, localNone}, {1, localNone}, {2, localNone}, {4, 5},
	                                       {3, localNone}, {8, 9},         {6, 7},         {10, localNone}};
	assert_memory_equal(configs.choice, expected, sizeof expected);
}

static unsigned VertexSet(const uint8_t* corner)
{
	return 1u << corner[0] | 1u << corner[1] | 1u << corner[2];
}

// The property that makes transitions a comparison of slots.
static void SharedTrianglesHaveTheSameSlot(void** state)
{
	(void)state;
	for (int a = 1; a < configCount; ++a)
	{
		for (int b = 1; b < configCount; ++b)
		{
			for (int i = 0; i < configSlots * configSlots; ++i)
			{
				const uint8_t *x = configs.corner[a][i / configSlots], *y = configs.corner[b][i % configSlots];
				if (IsUsed(x) && IsUsed(y) && VertexSet(x) == VertexSet(y))
				{
					assert_int_equal(i / configSlots, i % configSlots);
					assert_memory_equal(x, y, 3);
				}
			}
			for (int i = 0; i < configInner * configInner; ++i)
			{
				const uint8_t *x = configs.inner[a][i / configInner], *y = configs.inner[b][i % configInner];
				if (x[0] != localNone && y[0] != localNone && (1u << x[0] | 1u << x[1]) == (1u << y[0] | 1u << y[1]))
				{
					assert_int_equal(i / configInner, i % configInner);
					assert_memory_equal(x, y, 2);
				}
			}
		}
	}
}

static void EveryTransitionIsTheReverseOfItsReverse(void** state)
{
	(void)state;
	for (int from = 0; from < configCount; ++from)
	{
		for (int to = 0; to < configCount; ++to)
		{
			Transition there = configs.transition[from][to], back = configs.transition[to][from];
			assert_int_equal(there.triangleCreated, back.triangleRemoved);
			assert_int_equal(there.triangleKept, back.triangleKept);
			assert_int_equal(there.edgeCreated, back.edgeRemoved);
			assert_int_equal(there.edgeKept, back.edgeKept);
			assert_int_equal(there.change == 0, from == to);
		}
	}
}

static void ASecondSplitKeepsTheBisectorOfTheFirst(void** state)
{
	(void)state;
	// Simnett 2012, 3.3.5: from C1 the configuration of S4 that changes least is C4, from C2 it is C5, and so on
	// around.
	static const struct
	{
		uint8_t from, splitEdges, to;
	} cases[] = {{1, 3, 4}, {2, 3, 5}, {2, 6, 6}, {3, 6, 7}, {3, 5, 8}, {1, 5, 9}};
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i)
	{
		bool tied = true;
		assert_int_equal(drapeConfigs_Choose(&configs, cases[i].from, cases[i].splitEdges, &tied), cases[i].to);
		assert_false(tied);
	}
	bool tied = false;
	assert_int_equal(drapeConfigs_Choose(&configs, 0, 3, &tied), 4);
	assert_true(tied);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(EveryConfigurationCoversTheTriangle),
		cmocka_unit_test(EveryConfigurationConformsToItsSplitEdges),
		cmocka_unit_test(EachSetOfSplitEdgesHasItsConfigurations),
		cmocka_unit_test(SharedTrianglesHaveTheSameSlot),
		cmocka_unit_test(EveryTransitionIsTheReverseOfItsReverse),
		cmocka_unit_test(ASecondSplitKeepsTheBisectorOfTheFirst),
	};
	return cmocka_run_group_tests_name("config", tests, SetUp, NULL);
}
