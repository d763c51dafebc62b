// SPDX-License-Identifier: MIT
#include "meshes.h"
#include "rig.h"

#include "solve/hierarchy.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// --- checks ---------------------------------------------------------------------------------------------------------

static void AssertEveryParticleHasOneRow(const Hierarchy* h, const ActiveMesh* mesh)
{
	assert_int_equal(h->rowCount, mesh->particleCount);
	bool* seen = calloc(h->rowCount, sizeof *seen);
	for (uint32_t i = 0; i < mesh->particleCount; ++i)
	{
		uint32_t row = h->rowOf.data[i];
		assert_true(row < h->rowCount && !seen[row] && h->particleOf.data[row] == i);
		seen[row] = true;
	}
	for (uint32_t row = h->rowCount; row % 8 != 0; ++row)
		assert_int_equal(h->particleOf.data[row], h->particleOf.data[h->rowCount - 1]);
	free(seen);
}

static void AssertLevelsAreNested(const Hierarchy* h)
{
	assert_true(h->levelCount > 0 && h->levelCount <= hierarchyLevels);
	assert_int_equal(h->levels[0].coarser, 0);
	assert_int_equal(h->levels[h->levelCount - 1].rowCount, h->rowCount);
	for (uint32_t k = 1; k < h->levelCount; ++k)
	{
		assert_int_equal(h->levels[k].coarser, h->levels[k - 1].rowCount);
		assert_true(h->levels[k].coarser > 0 && h->levels[k].coarser < h->levels[k].rowCount);
	}
}

static void AssertParentsAreCoarserAndAddUpToOne(const Hierarchy* h)
{
	for (uint32_t k = 1; k < h->levelCount; ++k)
	{
		const HierarchyLevel* level = &h->levels[k];
		assert_int_equal(level->parents.count, level->rowCount - level->coarser);
		for (uint32_t i = 0; i < level->parents.count; ++i)
		{
			const RowParents* p = &level->parents.data[i];
			float sum = 0.0f;
			for (int j = 0; j < 3; ++j)
			{
				assert_true(p->row[j] < level->coarser && p->weight[j] >= 0.0f);
				sum += p->weight[j];
				// Unused ones repeat the first and come last; used ones are all different.
				if (j > 0 && p->weight[j] == 0.0f)
					assert_int_equal(p->row[j], p->row[0]);
				if (j > 0 && p->weight[j] > 0.0f)
					assert_true(p->weight[j - 1] > 0.0f && p->row[j] != p->row[0] && p->row[2] != p->row[1]);
			}
			assert_true(p->weight[0] > 0.0f && fabsf(sum - 1.0f) < 1e-6f);
		}
	}
}

static float WeightIn(const RowParents* parents, uint32_t row)
{
	for (int j = 0; j < 3; ++j)
	{
		if (parents->row[j] == row && parents->weight[j] > 0.0f)
			return parents->weight[j];
	}
	return 0.0f;
}

static void AssertChildrenMatchParents(const Hierarchy* h)
{
	for (uint32_t k = 1; k < h->levelCount; ++k)
	{
		const HierarchyLevel* level = &h->levels[k];
		uint32_t wanted = 0;
		for (uint32_t i = 0; i < level->parents.count; ++i)
		{
			for (int j = 0; j < 3; ++j)
				wanted += level->parents.data[i].weight[j] > 0.0f;
		}
		assert_int_equal(level->childStart.data[0], 0);
		assert_int_equal(level->childStart.data[level->coarser], wanted);
		assert_int_equal(level->children.count, wanted);
		for (uint32_t row = 0; row < level->coarser; ++row)
		{
			uint32_t last = 0;
			for (uint32_t c = level->childStart.data[row]; c < level->childStart.data[row + 1]; ++c)
			{
				RowChild child = level->children.data[c];
				assert_true(child.row >= level->coarser && child.row < level->rowCount && child.row > last);
				assert_true(child.weight == WeightIn(&level->parents.data[child.row - level->coarser], row));
				last = child.row; // in order, so none comes twice
			}
		}
	}
}

static void AssertSound(const Hierarchy* h, const ActiveMesh* mesh)
{
	AssertEveryParticleHasOneRow(h, mesh);
	AssertLevelsAreNested(h);
	AssertParentsAreCoarserAndAddUpToOne(h);
	AssertChildrenMatchParents(h);
}

// By row; for sheets without seams, where a particle has one place in the material plane.
static Vec2* MaterialPlaces(const Hierarchy* h, const ActiveMesh* mesh)
{
	Vec2* places = calloc(h->rowCount, sizeof *places);
	for (uint32_t t = 0; t < mesh->triangleCount; ++t)
	{
		for (int k = 0; k < 3; ++k)
			places[h->rowOf.data[mesh->triangle[t][k]]] = mesh->material[t].corner[k];
	}
	return places;
}

// The part of the interpolated rows whose parents' places, weighted, are their own.
static float ShareThatIsLinear(const Hierarchy* h, const ActiveMesh* mesh)
{
	uint32_t all = 0, linear = 0;
	Vec2* places = MaterialPlaces(h, mesh);
	for (uint32_t k = 1; k < h->levelCount; ++k)
	{
		const HierarchyLevel* level = &h->levels[k];
		for (uint32_t i = 0; i < level->parents.count; ++i)
		{
			const RowParents* p = &level->parents.data[i];
			Vec2 sum = {0};
			for (int j = 0; j < 3; ++j)
				sum = (Vec2){sum.x + p->weight[j] * places[p->row[j]].x, sum.y + p->weight[j] * places[p->row[j]].y};
			Vec2 off = V2Sub(sum, places[level->coarser + i]);
			linear += fabsf(off.x) < 1e-5f && fabsf(off.y) < 1e-5f;
			all++;
		}
	}
	free(places);
	return all > 0 ? (float)linear / (float)all : 1.0f;
}

// --- meshes ---------------------------------------------------------------------------------------------------------

static const BaseLevels noBase = {.levelCount = 1};

static void UniformMeshesHaveALevelForEachRefinement(void** state)
{
	(void)state;
	drapeMesh mesh = TestMesh_Grid(3, 2, 1.5f, 1.0f, 0.2f, 3);
	Rig rig;
	Hierarchy h = {0};
	Rig_Create(&rig, &mesh);
	for (uint32_t refined = 0; refined <= 4; ++refined)
	{
		assert_true(drapeHierarchy_Build(&h, &rig.active, &noBase));
		AssertSound(&h, &rig.active);
		assert_int_equal(h.levelCount, refined + 1);
		assert_true(ShareThatIsLinear(&h, &rig.active) == 1.0f);
		for (uint32_t k = 1; k <= refined; ++k)
		{
			for (uint32_t i = 0; i < h.levels[k].parents.count; ++i)
				assert_true(h.levels[k].parents.data[i].weight[1] == 0.5f &&
				            h.levels[k].parents.data[i].weight[2] == 0);
		}
		Rig_RefineAll(&rig);
	}
	drapeHierarchy_Destroy(&h);
	Rig_Destroy(&rig);
	TestMesh_Free(&mesh);
}

static void RandomAdaptiveMeshesGiveSoundLevels(void** state)
{
	(void)state;
	for (int index = 0; index < rigMeshCount; ++index)
	{
		drapeMesh mesh = Rig_Mesh(index);
		Random random = Random_Seed(20, (uint64_t)index);
		Rig rig;
		Hierarchy h = {0};
		BaseLevels base;
		Rig_Create(&rig, &mesh);
		rig.scheme->maxLevel = 5;
		assert_true(drapeBaseLevels_Build(&base, &rig.pattern));
		for (int pass = 0; pass < 25; ++pass)
		{
			Rig_RandomPass(&rig, &random, 60, pass < 15 ? 0.8f : 0.3f);
			for (int withBase = 0; withBase < 2; ++withBase)
			{
				assert_true(drapeHierarchy_Build(&h, &rig.active, withBase ? &base : &noBase));
				AssertSound(&h, &rig.active);
			}
		}
		assert_true(h.levelCount > 1);
		drapeBaseLevels_Destroy(&base);
		drapeHierarchy_Destroy(&h);
		Rig_Destroy(&rig);
		TestMesh_Free(&mesh);
	}
}

// Also where levels with few rows were put together with the next finer one: parents are then found through others.
static void AdaptiveSheetsReproduceLinearFunctions(void** state)
{
	(void)state;
	for (uint64_t seed = 0; seed < 12; ++seed)
	{
		drapeMesh mesh = Rig_Mesh(1 + (int)(seed % 3));
		Random random = Random_Seed(21, seed);
		Rig rig;
		Hierarchy h = {0};
		Rig_Create(&rig, &mesh);
		rig.scheme->maxLevel = 6;
		for (int pass = 0; pass < 40; ++pass)
		{
			Rig_RandomPass(&rig, &random, 40, 0.85f);
			assert_true(drapeHierarchy_Build(&h, &rig.active, &noBase));
			float share = ShareThatIsLinear(&h, &rig.active);
			if (share < 1.0f)
				fail_msg("seed %u, pass %d: only %.3f of %u rows", (unsigned)seed, pass, (double)share, h.rowCount);
		}
		drapeHierarchy_Destroy(&h);
		Rig_Destroy(&rig);
		TestMesh_Free(&mesh);
	}
}

static void FixedPatternsHaveTheLevelsOfTheirBase(void** state)
{
	(void)state;
	drapeMesh mesh = TestMesh_Grid(40, 30, 1.3f, 1.0f, 0.35f, 5);
	Rig rig;
	Hierarchy h = {0};
	BaseLevels base;
	Rig_Create(&rig, &mesh);
	assert_true(drapeBaseLevels_Build(&base, &rig.pattern));
	for (int refined = 0; refined < 3; ++refined)
	{
		assert_true(drapeHierarchy_Build(&h, &rig.active, &base));
		AssertSound(&h, &rig.active);
		float share = ShareThatIsLinear(&h, &rig.active);
		printf("%u rows, %u levels, %u on the coarsest, %.3f linear\n", h.rowCount, h.levelCount, h.levels[0].rowCount,
		       (double)share);
		assert_true(h.levelCount >= 4 && h.levels[0].rowCount < 50 && share > 0.9f);
		// A level that saves little is not there.
		for (uint32_t k = 1; k < h.levelCount; ++k)
			assert_true(5 * h.levels[k].coarser <= 3 * h.levels[k].rowCount);
		Rig_RefineAll(&rig);
	}
	drapeBaseLevels_Destroy(&base);
	drapeHierarchy_Destroy(&h);
	Rig_Destroy(&rig);
	TestMesh_Free(&mesh);
}

// --- a function of the mesh -----------------------------------------------------------------------------------------

// Particles have other numbers after other edits, but the same ones in the same rows: told by their places.
static void OtherEditsToTheSameMeshGiveTheSameRows(void** state)
{
	(void)state;
	drapeMesh mesh = Rig_Mesh(2);
	Rig rigs[3];
	Hierarchy h[3] = {{0}};
	Random random = Random_Seed(22, 1);
	BaseLevels base;
	for (int i = 0; i < 3; ++i)
		Rig_Create(&rigs[i], &mesh);
	assert_true(drapeBaseLevels_Build(&base, &rigs[0].pattern));
	// Straight there; too far and back; through disorder.
	Rig_RefineAll(&rigs[1]);
	Rig_RefineAll(&rigs[1]);
	Rig_RefineAll(&rigs[1]);
	Rig_CoarsenAll(&rigs[1]);
	for (int pass = 0; pass < 20; ++pass)
		Rig_RandomPass(&rigs[2], &random, 80, 0.6f);
	while (Rig_CoarsenAll(&rigs[2]) > 0)
	{
	}
	for (int i = 0; i < 3; i += 2)
	{
		Rig_RefineAll(&rigs[i]);
		Rig_RefineAll(&rigs[i]);
	}
	Vec2* places[3];
	for (int i = 0; i < 3; ++i)
	{
		assert_true(drapeHierarchy_Build(&h[i], &rigs[i].active, &base));
		places[i] = MaterialPlaces(&h[i], &rigs[i].active);
	}
	for (int i = 1; i < 3; ++i)
	{
		assert_int_equal(h[i].rowCount, h[0].rowCount);
		assert_int_equal(h[i].levelCount, h[0].levelCount);
		assert_memory_equal(places[i], places[0], h[0].rowCount * sizeof(Vec2));
		for (uint32_t k = 1; k < h[0].levelCount; ++k)
		{
			assert_int_equal(h[i].levels[k].rowCount, h[0].levels[k].rowCount);
			for (uint32_t p = 0; p < h[0].levels[k].parents.count; ++p)
			{
				const RowParents *a = &h[0].levels[k].parents.data[p], *b = &h[i].levels[k].parents.data[p];
				for (int j = 0; j < 3; ++j)
				{
					if (a->weight[j] > 0.0f)
						assert_true(fabsf(WeightIn(b, a->row[j]) - a->weight[j]) < 1e-6f);
				}
			}
		}
	}
	assert_int_equal(h[0].rowCount, rigs[0].active.particleCount);
	for (int i = 0; i < 3; ++i)
	{
		free(places[i]);
		drapeHierarchy_Destroy(&h[i]);
		Rig_Destroy(&rigs[i]);
	}
	drapeBaseLevels_Destroy(&base);
	TestMesh_Free(&mesh);
}

// What was built for other meshes before leaves no trace.
static void ARebuiltHierarchyIsThatOfAFreshOne(void** state)
{
	(void)state;
	drapeMesh mesh = Rig_Mesh(2);
	Random random = Random_Seed(23, 1);
	Rig rig;
	Hierarchy used = {0};
	Rig_Create(&rig, &mesh);
	for (int pass = 0; pass < 20; ++pass)
	{
		Hierarchy fresh = {0};
		Rig_RandomPass(&rig, &random, 150, pass % 5 < 3 ? 0.9f : 0.1f);
		assert_true(drapeHierarchy_Build(&used, &rig.active, &noBase) &&
		            drapeHierarchy_Build(&fresh, &rig.active, &noBase));
		assert_int_equal(used.levelCount, fresh.levelCount);
		assert_memory_equal(used.rowOf.data, fresh.rowOf.data, fresh.rowCount * sizeof(uint32_t));
		for (uint32_t k = 0; k < fresh.levelCount; ++k)
		{
			HierarchyLevel *a = &used.levels[k], *b = &fresh.levels[k];
			assert_true(a->rowCount == b->rowCount && a->coarser == b->coarser);
			if (k > 0)
			{
				assert_memory_equal(a->parents.data, b->parents.data, b->parents.count * sizeof(RowParents));
				assert_memory_equal(a->children.data, b->children.data, b->children.count * sizeof(RowChild));
			}
		}
		drapeHierarchy_Destroy(&fresh);
	}
	drapeHierarchy_Destroy(&used);
	Rig_Destroy(&rig);
	TestMesh_Free(&mesh);
}

static void AnyAllocationMayFail(void** state)
{
	(void)state;
	drapeMesh mesh = Rig_Mesh(1);
	size_t before = 0, failures = 0;
	for (bool built = false; !built;)
	{
		Rig rig;
		Hierarchy h = {0};
		Test_FailAllocation(before > 0 ? before + 1 + failures : SIZE_MAX, false);
		Rig_Create(&rig, &mesh);
		Rig_RefineAll(&rig);
		Rig_RefineAll(&rig);
		if (before == 0)
			before = Test_AllocationCount(); // the first round only counts
		else
		{
			built = drapeHierarchy_Build(&h, &rig.active, &noBase);
			failures += !built;
			assert_true(built || drapeHierarchy_Build(&h, &rig.active, &noBase));
			AssertSound(&h, &rig.active);
		}
		drapeHierarchy_Destroy(&h);
		Rig_Destroy(&rig);
	}
	Test_FailAllocation(0, false);
	assert_true(failures > 10);
	TestMesh_Free(&mesh);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(UniformMeshesHaveALevelForEachRefinement),
		cmocka_unit_test(RandomAdaptiveMeshesGiveSoundLevels),
		cmocka_unit_test(AdaptiveSheetsReproduceLinearFunctions),
		cmocka_unit_test(FixedPatternsHaveTheLevelsOfTheirBase),
		cmocka_unit_test(OtherEditsToTheSameMeshGiveTheSameRows),
		cmocka_unit_test(ARebuiltHierarchyIsThatOfAFreshOne),
		cmocka_unit_test(AnyAllocationMayFail),
	};
	return cmocka_run_group_tests_name("hierarchy", tests, NULL, NULL);
}
