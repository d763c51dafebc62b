// SPDX-License-Identifier: MIT
#include "meshes.h"
#include "shared/make.h"
#include "sheet.h"

#include "base/random.h"
#include "world/world.h"

#include <math.h>
#include <string.h>

// --- tools ----------------------------------------------------------------------------------------------------------

static drapeWorldId NewWorld(void)
{
	drapeWorldDef def = drapeDefaultWorldDef();
	drapeWorldId world = Make_World(&def);
	assert_true(drapeWorld_IsValid(world));
	return world;
}

static drapeClothId AddMesh(drapeWorldId world, const drapeMesh* mesh, uint32_t maxLevel)
{
	drapeClothDef def = Make_SpringClothDef();
	def.mesh = mesh;
	def.adapt = Sheet_Plain(maxLevel);
	return Make_Cloth(world, &def);
}

static uint64_t ClothHash(drapeClothId cloth)
{
	return drapeActiveMesh_Hash(&drapeCloth_Get(cloth)->active);
}

// --- handles --------------------------------------------------------------------------------------------------------

// Every function that takes a cloth, given one that does not exist.
static void AssertRefusedEverywhere(drapeClothId cloth)
{
	drapeAdaptResult result = {.splits = 7};
	drapeAdaptDef adapt = drapeDefaultAdaptDef();
	drapeVec3 position = {0};
	assert_false(drapeCloth_IsValid(cloth));
	if (DRAPE_IS_NULL(cloth))
		assert_int_equal(drapeDestroyCloth(cloth), drape_ok);
	else
		ASSERT_REFUSED(assert_int_equal(drapeDestroyCloth(cloth), drape_errorArgument));
	ASSERT_REFUSED(assert_int_equal(drapeCloth_GetView(cloth).particleCount, 0));
	ASSERT_REFUSED(assert_int_equal(drapeCloth_GetChanges(cloth).createdCount, 0));
	ASSERT_REFUSED(assert_int_equal(drapeCloth_GetOrigin(cloth, 0).count, 0));
	ASSERT_REFUSED(assert_int_equal(drapeCloth_Adapt(cloth, &result), drape_errorArgument));
	assert_int_equal(result.splits, 0);
	ASSERT_REFUSED(drapeCloth_GetAdapt(cloth));
	ASSERT_REFUSED(assert_int_equal(drapeCloth_SetAdapt(cloth, &adapt), drape_errorArgument));
	ASSERT_REFUSED(assert_int_equal(drapeCloth_SplitEdge(cloth, 0), drape_errorArgument));
	ASSERT_REFUSED(assert_int_equal(drapeCloth_JoinParticle(cloth, 0), drape_errorArgument));
	ASSERT_REFUSED(assert_int_equal(drapeCloth_Refine(cloth), drape_errorArgument));
	ASSERT_REFUSED(assert_int_equal(drapeCloth_Coarsen(cloth), drape_errorArgument));
	ASSERT_REFUSED(assert_int_equal(drapeCloth_SetPositions(cloth, &position), drape_errorArgument));
	ASSERT_REFUSED(assert_int_equal(drapeCloth_SetVelocities(cloth, &position), drape_errorArgument));
}

static void NullAndStaleHandlesAreRefused(void** state)
{
	(void)state;
	Sheet sheet = Sheet_Create(2, 2, NULL);
	AssertRefusedEverywhere((drapeClothId){0});
	AssertRefusedEverywhere((drapeClothId){.world = sheet.world.world});
	AssertRefusedEverywhere((drapeClothId){.world = sheet.world.world, .index1 = 2, .generation = 1});
	AssertRefusedEverywhere((drapeClothId){.world = sheet.world.world, .index1 = 1, .generation = 0});
	AssertRefusedEverywhere((drapeClothId){.world = sheet.world.world, .index1 = UINT32_MAX, .generation = 1});

	uint64_t before = drapeWorld_GetHash(sheet.world);
	drapeDestroyCloth(sheet.cloth);
	AssertRefusedEverywhere(sheet.cloth);
	// Its place is taken by another: the old handle still means the old cloth.
	drapeClothId heir = Sheet_Add(sheet.world, 2, 2, NULL);
	assert_int_equal(heir.index1, sheet.cloth.index1);
	assert_true(drapeCloth_IsValid(heir));
	AssertRefusedEverywhere(sheet.cloth);
	assert_true(drapeCloth_IsValid(heir));
	assert_true(drapeWorld_GetHash(sheet.world) == before);
	for (int i = 0; i < 100; ++i)
	{
		drapeClothId old = heir;
		drapeDestroyCloth(heir);
		heir = Sheet_Add(sheet.world, 1, 1, NULL);
		assert_false(drapeCloth_IsValid(old));
		assert_int_equal(drapeWorlds_Get(sheet.world)->cloths.count, 1);
	}
	Sheet_Destroy(&sheet);
}

static void NullWorldsAreRefused(void** state)
{
	(void)state;
	drapeWorldId none = {0};
	drapeClothDef def = Make_SpringClothDef();
	drapeDestroyWorld(none);
	ASSERT_REFUSED(assert_int_equal(drapeWorld_Validate(none), drape_errorArgument));
	ASSERT_REFUSED(assert_string_equal(drapeWorld_GetMessage(none),
	                                   "the world does not exist: it was destroyed, or its handle is null"));
	ASSERT_REFUSED(assert_true(drapeWorld_GetHash(none) == 0));
	ASSERT_REFUSED(assert_int_equal(drapeWorld_GetMemory(none).hierarchyBytes, 0));
	ASSERT_REFUSED(assert_false(drapeCloth_IsValid(Make_Cloth(none, &def))));
}

static void BadWorldDefinitionsAreRefused(void** state)
{
	(void)state;
	const drapeWorldDef good = drapeDefaultWorldDef();
	drapeWorldDef bad[] = {good, good, good, good, good};
	bad[0].cookie = 0;
	bad[1].workerCount = 0;
	bad[2].workerCount = DRAPE_MAX_WORKERS + 1;
	bad[3].enqueueTask = (drapeEnqueueTaskFcn*)1;
	bad[4].finishTask = (drapeFinishTaskFcn*)1;
	for (size_t i = 0; i < sizeof bad / sizeof bad[0]; ++i)
		ASSERT_REFUSED(assert_false(drapeWorld_IsValid(Make_World(&bad[i]))));
	ASSERT_REFUSED(assert_false(drapeWorld_IsValid(Make_World(NULL))));
	assert_int_equal(drapeGetMemoryUse().blocks, 0);
}

static void BadClothDefinitionsAreRefusedWithAReason(void** state)
{
	(void)state;
	drapeWorldId world = NewWorld();
	drapeMesh mesh = TestMesh_Grid(2, 2, 1.0f, 1.0f, 0.0f, 1);
	drapeClothDef good = Make_SpringClothDef();
	good.mesh = &mesh;
	enum
	{
		badCount = 8
	};
	drapeClothDef bad[badCount];
	for (int i = 0; i < badCount; ++i)
		bad[i] = good;
	bad[0].cookie = 1;
	bad[1].mesh = NULL;
	bad[2].material.density = 0.0f;
	bad[3].material.density = -1.0f;
	bad[4].material.density = NAN;
	bad[5].material.density = INFINITY;
	bad[6].adapt.maxLevel = 99;
	bad[7].adapt.accuracy.deviation = NAN;
	for (int i = 0; i < badCount; ++i)
	{
		drapeClothId refused;
		ASSERT_REFUSED(assert_int_equal(drapeCreateCloth(world, &bad[i], &refused), drape_errorArgument));
		assert_false(drapeCloth_IsValid(refused));
	}
	ASSERT_REFUSED(assert_false(drapeCloth_IsValid(Make_Cloth(world, NULL))));

	// Bad data never asserts.
	static drapeMeshReport report;
	drapeClothDef def = good;
	def.report = &report;
	TestMesh_Triangles(&mesh)[4] = 77;
	drapeClothId refused;
	assert_int_equal(drapeCreateCloth(world, &def, &refused), drape_errorData);
	assert_false(drapeCloth_IsValid(refused));
	assert_int_equal(report.problemTotals[drape_problemIndexRange], 1);
	def.report = NULL;
	assert_false(drapeCloth_IsValid(Make_Cloth(world, &def)));
	assert_int_equal(drapeWorld_GetMemory(world).activeBytes, 0);
	assert_int_equal(drapeWorld_Validate(world), drape_ok);
	drapeDestroyWorld(world);
	TestMesh_Free(&mesh);
	assert_int_equal(drapeGetMemoryUse().blocks, 0);
}

// --- several worlds and cloths --------------------------------------------------------------------------------------

static void WorldsAreIndependent(void** state)
{
	(void)state;
	drapeAdaptDef def = Sheet_Plain(3);
	Sheet a = Sheet_Create(3, 3, &def), b = Sheet_Create(3, 3, &def);
	uint64_t before = drapeWorld_GetHash(b.world);
	assert_true(drapeWorld_GetHash(a.world) == before);
	drapeCloth_Refine(a.cloth);
	assert_true(drapeWorld_GetHash(a.world) != before);
	assert_true(drapeWorld_GetHash(b.world) == before);
	// A handle of one world means nothing in another.
	drapeClothId strange = a.cloth;
	strange.world = b.world.world;
	strange.generation = 3;
	assert_false(drapeCloth_IsValid(strange));
	Sheet_Destroy(&a);
	assert_true(drapeWorld_GetHash(b.world) == before);
	drapeCloth_Refine(b.cloth);
	Sheet_Destroy(&b);
	assert_int_equal(drapeGetMemoryUse().blocks, 0);
}

// Cloths come, change and go at random; each one's state must be touched by its own changes only.
static void ClothsThatShareThePoolsDoNotDisturbEachOther(void** state)
{
	(void)state;
	enum
	{
		places = 6,
		steps = 600
	};
	drapeWorldId world = NewWorld();
	size_t emptyBytes = drapeWorld_GetMemory(world).hierarchyBytes;
	drapeClothId cloths[places] = {0};
	uint64_t hashes[places] = {0};
	Random random = Random_Seed(3, 1);
	for (int step = 0; step < steps; ++step)
	{
		uint32_t place = Random_Below(&random, places);
		drapeClothId* cloth = &cloths[place];
		if (!drapeCloth_IsValid(*cloth))
		{
			drapeAdaptDef def = Sheet_Plain(4);
			def.scheme = Random_Below(&random, 8) ? drape_schemeEdge : drape_schemeFixed;
			*cloth = Sheet_Add(world, 1 + Random_Below(&random, 5), 1 + Random_Below(&random, 5), &def);
			assert_true(drapeCloth_IsValid(*cloth));
		}
		else
		{
			drapeClothView view = drapeCloth_GetView(*cloth);
			switch (Random_Below(&random, 8))
			{
				case 0:
					drapeDestroyCloth(*cloth);
					break;
				case 1:
				case 2:
					if (view.triangleCount < 3000)
						drapeCloth_Refine(*cloth);
					break;
				case 3:
					drapeCloth_Coarsen(*cloth);
					break;
				case 4:
				case 5:
					drapeCloth_SplitEdge(*cloth, Random_Below(&random, view.edgeCount));
					break;
				default:
					drapeCloth_JoinParticle(*cloth, Random_Below(&random, view.particleCount));
					break;
			}
		}
		for (uint32_t i = 0; i < places; ++i)
		{
			if (!drapeCloth_IsValid(cloths[i]))
				continue;
			if (i != place)
				assert_true(ClothHash(cloths[i]) == hashes[i]);
			hashes[i] = ClothHash(cloths[i]);
		}
		if (step % 20 == 0)
			Sheet_Check(world);
	}
	for (uint32_t i = 0; i < places; ++i)
	{
		if (drapeCloth_IsValid(cloths[i]))
			drapeDestroyCloth(cloths[i]);
	}
	assert_int_equal(drapeWorld_GetMemory(world).hierarchyBytes, emptyBytes);
	assert_int_equal(drapeWorld_GetMemory(world).activeBytes, 0);
	drapeDestroyWorld(world);
	assert_int_equal(drapeGetMemoryUse().blocks, 0);
	assert_int_equal(drapeGetMemoryUse().bytes, 0);
}

static void CoarseningGivesTheMemoryOfTheHierarchyBack(void** state)
{
	(void)state;
	drapeAdaptDef def = Sheet_Plain(3);
	Sheet sheet = Sheet_Create(3, 2, &def);
	drapeWorldMemory before = drapeWorld_GetMemory(sheet.world);
	for (int i = 0; i < 3; ++i)
		drapeCloth_Refine(sheet.cloth);
	assert_true(drapeWorld_GetMemory(sheet.world).hierarchyBytes > 20 * before.hierarchyBytes);
	for (int i = 0; i < 3; ++i)
		drapeCloth_Coarsen(sheet.cloth);
	drapeWorldMemory after = drapeWorld_GetMemory(sheet.world);
	assert_int_equal(after.hierarchyBytes, before.hierarchyBytes);
	assert_int_equal(after.activeBytes, before.activeBytes);
	Sheet_Destroy(&sheet);
}

// --- views ----------------------------------------------------------------------------------------------------------

static void CheckView(drapeClothId cloth)
{
	drapeClothView view = drapeCloth_GetView(cloth);
	for (uint32_t i = 0; i < view.particleCount; ++i)
	{
		drapeVec4 n = view.normals[i];
		assert_true(fabsf(n.x * n.x + n.y * n.y + n.z * n.z - 1.0f) < 1e-4f && n.w == 0.0f);
		assert_true(fabsf(view.positions[i].w * view.velocities[i].w - 1.0f) < 1e-5f);
		drapeParticleOrigin origin = drapeCloth_GetOrigin(cloth, i);
		assert_int_equal(origin.count, view.particleLevels[i] > 0 ? 2 : 0);
		float weight = 0.0f;
		for (uint32_t k = 0; k < origin.count; ++k)
		{
			assert_true(origin.parents[k] < view.particleCount);
			assert_true(view.particleLevels[origin.parents[k]] < view.particleLevels[i]);
			weight += origin.weights[k];
		}
		assert_true(origin.count == 0 || weight == 1.0f);
	}
	for (uint32_t i = 0; i < 3 * view.triangleCount; ++i)
	{
		assert_true(view.triangles[i] < view.particleCount);
		// The grid is 1 m x 1 m from its texture coordinates.
		drapeVec4 p = view.positions[view.triangles[i]];
		assert_true(fabsf(p.x - (view.texcoords[i].x - 0.5f)) < 1e-5f);
		assert_true(fabsf(p.z - (0.5f - view.texcoords[i].y)) < 1e-5f);
	}
	for (uint32_t i = 0; i < view.edgeCount; ++i)
	{
		drapeVec4 a = view.positions[view.edgeFrom[i]], b = view.positions[view.edgeTo[i]];
		float length = hypotf(a.x - b.x, a.z - b.z);
		assert_true(fabsf(length - view.restLengths[i]) < 1e-5f);
	}
	// Euler: a disc.
	assert_int_equal(view.particleCount - view.edgeCount + view.triangleCount, 1);
}

static void AViewIsConsistentAfterEveryEdit(void** state)
{
	(void)state;
	drapeAdaptDef def = Sheet_Plain(5);
	Sheet sheet = Sheet_Create(3, 4, &def);
	Random random = Random_Seed(11, 4);
	CheckView(sheet.cloth);
	assert_int_equal(drapeCloth_Refine(sheet.cloth), drape_ok);
	for (int i = 0; i < 300; ++i)
	{
		drapeClothView view = drapeCloth_GetView(sheet.cloth);
		drapeResult result = Random_Below(&random, 3)
		                         ? drapeCloth_SplitEdge(sheet.cloth, Random_Below(&random, view.edgeCount))
		                         : drapeCloth_JoinParticle(sheet.cloth, Random_Below(&random, view.particleCount));
		assert_true(result == drape_ok || result == drape_errorBlocked);
		bool changed = drapeCloth_GetView(sheet.cloth).revision != view.revision;
		assert_int_equal(changed, result == drape_ok);
		CheckView(sheet.cloth);
	}
	Sheet_Destroy(&sheet);
}

static void AViewWithoutTextureCoordinatesSaysSo(void** state)
{
	(void)state;
	drapeWorldId world = NewWorld();
	drapeMesh mesh = TestMesh_Sphere(1, 0.5f);
	drapeClothId cloth = AddMesh(world, &mesh, 2);
	assert_null(drapeCloth_GetView(cloth).texcoords);
	drapeCloth_Refine(cloth);
	assert_null(drapeCloth_GetView(cloth).texcoords);
	assert_non_null(drapeCloth_GetView(cloth).materials);
	drapeDestroyWorld(world);
	TestMesh_Free(&mesh);
}

// A program that keeps a number for each particle and follows drapeCloth_GetChanges still has the right one for each.
static void ReplayedChangesKeepAProgramsDataRight(void** state)
{
	(void)state;
	enum
	{
		capacity = 20000
	};
	drapeAdaptDef def = Sheet_Plain(4);
	def.curvature = (drapeCurvatureCriterion){true, 0.1f, 0.07f};
	Sheet sheet = Sheet_Create(5, 5, &def);
	drapeVec2* kept = malloc(capacity * sizeof *kept);
	drapeClothView view = drapeCloth_GetView(sheet.cloth);
	for (uint32_t i = 0; i < 3 * view.triangleCount; ++i)
		kept[view.triangles[i]] = view.texcoords[i];
	uint32_t count = view.particleCount, revision = view.revision, moves = 0, deaths = 0;
	for (int pass = 0; pass < 120; ++pass)
	{
		assert_true(Sheet_SetShape(sheet.cloth, Sheet_Bumps, 0.1f * sinf(0.2f * (float)pass)));
		Sheet_Adapt(sheet.cloth);
		view = drapeCloth_GetView(sheet.cloth);
		drapeClothChanges changes = drapeCloth_GetChanges(sheet.cloth);
		assert_int_equal(changes.revision, view.revision);
		if (view.revision == revision)
			continue;
		revision = view.revision;
		assert_int_equal(view.particleCount, count + changes.createdCount - changes.removedCount);
		assert_true(view.particleCount < capacity);
		for (uint32_t i = 0; i < changes.removedCount; ++i)
			assert_true(changes.removed[i] < count);
		for (uint32_t i = 0; i < changes.movedCount; ++i)
			kept[changes.moved[i].to] = kept[changes.moved[i].from];
		for (uint32_t i = 0; i < changes.createdCount; ++i)
		{
			drapeParticleOrigin origin = drapeCloth_GetOrigin(sheet.cloth, changes.created[i]);
			assert_int_equal(origin.count, 2);
			kept[changes.created[i]] = (drapeVec2){NAN, NAN};
		}
		// A pass creates no particle whose parents it creates as well.
		for (uint32_t i = 0; i < changes.createdCount; ++i)
		{
			drapeParticleOrigin origin = drapeCloth_GetOrigin(sheet.cloth, changes.created[i]);
			drapeVec2 a = kept[origin.parents[0]], b = kept[origin.parents[1]];
			kept[changes.created[i]] = (drapeVec2){origin.weights[0] * a.x + origin.weights[1] * b.x,
			                                       origin.weights[0] * a.y + origin.weights[1] * b.y};
		}
		for (uint32_t i = 0; i < 3 * view.triangleCount; ++i)
		{
			drapeVec2 mine = kept[view.triangles[i]], its = view.texcoords[i];
			assert_true(fabsf(mine.x - its.x) < 1e-5f && fabsf(mine.y - its.y) < 1e-5f);
		}
		count = view.particleCount;
		moves += changes.movedCount;
		deaths += changes.removedCount;
	}
	assert_true(moves > 50 && deaths > 200);
	free(kept);
	Sheet_Destroy(&sheet);
}

// --- arguments ------------------------------------------------------------------------------------------------------

static void PositionsAndVelocitiesThatCannotBeUsedChangeNothing(void** state)
{
	(void)state;
	const float bad[] = {NAN, INFINITY, -INFINITY, 3e38f, -2e9f};
	Sheet sheet = Sheet_Create(2, 2, NULL);
	uint64_t before = drapeWorld_GetHash(sheet.world);
	for (size_t i = 0; i < sizeof bad / sizeof bad[0]; ++i)
	{
		for (uint32_t where = 0; where < 27; where += 13)
		{
			drapeVec3 values[9] = {{0}};
			(&values[0].x)[where] = bad[i];
			ASSERT_REFUSED(assert_int_equal(drapeCloth_SetPositions(sheet.cloth, values), drape_errorArgument));
			ASSERT_REFUSED(assert_int_equal(drapeCloth_SetVelocities(sheet.cloth, values), drape_errorArgument));
			assert_true(drapeWorld_GetHash(sheet.world) == before);
		}
	}
	ASSERT_REFUSED(assert_int_equal(drapeCloth_SetPositions(sheet.cloth, NULL), drape_errorArgument));
	Sheet_Destroy(&sheet);
}

static void AnyPositionsThatAreTakenLeaveTheWorldValid(void** state)
{
	(void)state;
	drapeAdaptDef def = drapeDefaultAdaptDef();
	def.length.enabled = true;
	def.joinWait = 0;
	const float scales[] = {0.0f, 1e-30f, 1e-9f, 1e4f, 9e8f};
	Random random = Random_Seed(5, 2);
	for (size_t i = 0; i < sizeof scales / sizeof scales[0]; ++i)
	{
		Sheet sheet = Sheet_Create(3, 3, &def);
		for (int pass = 0; pass < 8; ++pass)
		{
			drapeClothView view = drapeCloth_GetView(sheet.cloth);
			drapeVec3* values = malloc(view.particleCount * sizeof *values);
			for (uint32_t p = 0; p < view.particleCount; ++p)
				values[p] = (drapeVec3){scales[i] * Random_Range(&random, -1.0f, 1.0f),
				                        scales[i] * Random_Range(&random, -1.0f, 1.0f),
				                        scales[i] * Random_Range(&random, -1.0f, 1.0f)};
			assert_int_equal(drapeCloth_SetPositions(sheet.cloth, values), drape_ok);
			assert_int_equal(drapeCloth_SetVelocities(sheet.cloth, values), drape_ok);
			free(values);
			Sheet_Adapt(sheet.cloth);
			Sheet_Check(sheet.world);
		}
		Sheet_Destroy(&sheet);
	}
}

static void SetAdaptRefusesNonsenseAndChangesNothing(void** state)
{
	(void)state;
	Sheet sheet = Sheet_Create(2, 2, NULL);
	const drapeAdaptDef before = drapeCloth_GetAdapt(sheet.cloth);
	drapeAdaptDef bad = before;
	bad.scheme = drape_schemeFixed;
	ASSERT_REFUSED(assert_int_equal(drapeCloth_SetAdapt(sheet.cloth, &bad), drape_errorArgument));
	assert_non_null(strstr(drapeWorld_GetMessage(sheet.world), "scheme is 1"));
	bad = before;
	bad.accuracy.deviation = 0.0f;
	ASSERT_REFUSED(assert_int_equal(drapeCloth_SetAdapt(sheet.cloth, &bad), drape_errorArgument));
	assert_non_null(strstr(drapeWorld_GetMessage(sheet.world), "accuracy.deviation is 0"));
	ASSERT_REFUSED(assert_int_equal(drapeCloth_SetAdapt(sheet.cloth, NULL), drape_errorArgument));
	assert_non_null(strstr(drapeWorld_GetMessage(sheet.world), "NULL"));
	drapeAdaptDef after = drapeCloth_GetAdapt(sheet.cloth);
	assert_true(after.accuracy.deviation == before.accuracy.deviation && after.scheme == before.scheme);
	drapeAdaptDef good = before;
	good.maxLevel = 7;
	assert_int_equal(drapeCloth_SetAdapt(sheet.cloth, &good), drape_ok);
	assert_int_equal(drapeCloth_GetAdapt(sheet.cloth).maxLevel, 7);
	Sheet_Destroy(&sheet);
}

static void EditsOutOfRangeOrBlockedSaySo(void** state)
{
	(void)state;
	drapeAdaptDef def = Sheet_Plain(1);
	Sheet sheet = Sheet_Create(2, 2, &def);
	drapeClothView view = drapeCloth_GetView(sheet.cloth);
	ASSERT_REFUSED(assert_int_equal(drapeCloth_SplitEdge(sheet.cloth, view.edgeCount), drape_errorArgument));
	ASSERT_REFUSED(assert_int_equal(drapeCloth_JoinParticle(sheet.cloth, view.particleCount), drape_errorArgument));
	ASSERT_REFUSED(assert_int_equal(drapeCloth_GetOrigin(sheet.cloth, DRAPE_NONE).count, 0));
	for (uint32_t i = 0; i < view.particleCount; ++i)
		assert_int_equal(drapeCloth_JoinParticle(sheet.cloth, i), drape_errorBlocked);
	assert_int_equal(drapeCloth_Refine(sheet.cloth), drape_ok);
	view = drapeCloth_GetView(sheet.cloth);
	for (uint32_t i = 0; i < view.edgeCount; ++i)
		assert_int_equal(drapeCloth_SplitEdge(sheet.cloth, i), drape_errorBlocked); // the maximum level
	assert_int_equal(drapeCloth_GetView(sheet.cloth).revision, view.revision);
	Sheet_Destroy(&sheet);
}

static void AFixedClothStaysAsItIs(void** state)
{
	(void)state;
	drapeAdaptDef def = drapeDefaultAdaptDef();
	def.scheme = drape_schemeFixed;
	Sheet sheet = Sheet_Create(4, 4, &def);
	drapeWorldMemory memory = drapeWorld_GetMemory(sheet.world);
	assert_true(Sheet_SetShape(sheet.cloth, Sheet_Cylinder, 3.0f));
	uint64_t before = drapeWorld_GetHash(sheet.world);
	drapeAdaptResult result = Sheet_Adapt(sheet.cloth);
	assert_int_equal(result.splits + result.joins + result.splitsBlocked, 0);
	assert_int_equal(drapeCloth_Refine(sheet.cloth), drape_ok);
	assert_int_equal(drapeCloth_Coarsen(sheet.cloth), drape_ok);
	assert_int_equal(drapeCloth_SplitEdge(sheet.cloth, 3), drape_errorBlocked);
	assert_int_equal(drapeCloth_JoinParticle(sheet.cloth, 3), drape_errorBlocked);
	assert_true(drapeWorld_GetHash(sheet.world) == before);
	assert_int_equal(drapeWorld_GetMemory(sheet.world).hierarchyBytes, memory.hierarchyBytes);
	const ActiveMesh* active = &drapeCloth_Get(sheet.cloth)->active;
	const char* wrong = drapeActiveMesh_Validate(active, 1.0);
	assert_null(wrong);
	assert_int_equal(drapeCloth_GetView(sheet.cloth).triangleCount, 32);
	drapeDestroyWorld(sheet.world);
}

static void ValidationNamesTheClothAndWhatIsWrong(void** state)
{
	(void)state;
	for (int scheme = drape_schemeEdge; scheme <= drape_schemeFixed; ++scheme)
	{
		drapeAdaptDef def = drapeDefaultAdaptDef();
		def.scheme = (drapeScheme)scheme;
		Sheet sheet = Sheet_Create(2, 2, NULL);
		drapeClothId broken = Sheet_Add(sheet.world, 2, 2, &def);
		ActiveMesh* active = &drapeCloth_Get(broken)->active;
		float kept = active->velocity[3].y;
		active->velocity[3].y = NAN;
		assert_int_equal(drapeWorld_Validate(sheet.world), drape_errorData);
		assert_string_equal(drapeWorld_GetMessage(sheet.world), "cloth 1: a particle's velocity is not finite");
		active->velocity[3].y = kept;
		uint32_t corner = active->triangle[2][1];
		active->triangle[2][1] = active->triangle[2][0];
		assert_int_equal(drapeWorld_Validate(sheet.world), drape_errorData);
		active->triangle[2][1] = corner;
		assert_int_equal(drapeWorld_Validate(sheet.world), drape_ok);
		Sheet_Destroy(&sheet);
	}
}

// Masses, areas and lengths of both schemes on one pattern.
static void BothSchemesStartAlike(void** state)
{
	(void)state;
	drapeWorldId world = NewWorld();
	drapeMesh mesh = TestMesh_Grid(7, 5, 1.4f, 1.0f, 0.3f, 3);
	drapeClothDef def = Make_SpringClothDef();
	def.mesh = &mesh;
	drapeClothId edge = Make_Cloth(world, &def);
	def.adapt.scheme = drape_schemeFixed;
	drapeClothId fixed = Make_Cloth(world, &def);
	drapeClothView a = drapeCloth_GetView(edge), b = drapeCloth_GetView(fixed);
	assert_int_equal(a.particleCount, b.particleCount);
	assert_int_equal(a.triangleCount, b.triangleCount);
	assert_int_equal(a.edgeCount, b.edgeCount);
	for (uint32_t i = 0; i < a.particleCount; ++i)
		assert_true(fabsf(a.velocities[i].w / b.velocities[i].w - 1.0f) < 1e-6f);
	assert_memory_equal(a.triangles, b.triangles, 3 * a.triangleCount * sizeof(uint32_t));
	assert_memory_equal(a.materials, b.materials, 3 * a.triangleCount * sizeof(drapeVec2));
	for (uint32_t i = 0; i < a.edgeCount; ++i)
	{
		assert_int_equal(a.edgeFrom[i], b.edgeFrom[i]);
		assert_int_equal(a.edgeTo[i], b.edgeTo[i]);
		assert_true(fabsf(a.restLengths[i] / b.restLengths[i] - 1.0f) < 1e-5f);
	}
	drapeDestroyWorld(world);
	TestMesh_Free(&mesh);
}

// --- meshes that are hard on arithmetic -----------------------------------------------------------------------------

static void LargePatternsAreValid(void** state)
{
	(void)state;
	// Many equal triangles: what rounding takes from one it takes from all.
	const uint32_t sizes[] = {80, 128, 181};
	for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; ++i)
	{
		Sheet sheet = Sheet_Create(sizes[i], sizes[i], NULL);
		Sheet_Check(sheet.world);
		Sheet_Destroy(&sheet);
	}
}

static void TrianglesOfVeryDifferentSizesAreValid(void** state)
{
	(void)state;
	// A fan around a small triangle in a large one: 1 m and a twentieth of a millimetre.
	for (float small = 1e-1f; small > 4e-5f; small *= 0.5f)
	{
		const drapeVec3 positions[] = {
			{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0.3f, 0.3f, 0.0f}, {0.3f + small, 0.3f, 0}, {0.3f, 0.3f + small, 0}};
		const uint32_t triangles[] = {3, 4, 5, 0, 1, 4, 0, 4, 3, 1, 2, 5, 1, 5, 4, 2, 0, 3, 2, 3, 5};
		drapeMesh mesh = {.positions = positions, .vertexCount = 6, .triangles = triangles, .triangleCount = 7};
		drapeWorldId world = NewWorld();
		drapeClothId cloth = AddMesh(world, &mesh, 3);
		assert_true(drapeCloth_IsValid(cloth));
		Sheet_Check(world);
		for (int i = 0; i < 3; ++i)
			assert_int_equal(drapeCloth_Refine(cloth), drape_ok);
		Sheet_Check(world);
		// The rest area is the triangle's own, however small.
		const ActiveMesh* active = &drapeCloth_Get(cloth)->active;
		double area = 0.0;
		for (uint32_t t = 0; t < active->triangleCount; ++t)
			area += active->patternTriangle[t] == 0 ? (double)active->area[t] : 0.0;
		double exact = 0.5 * (double)(positions[4].x - 0.3f) * (double)(positions[5].y - 0.3f);
		assert_true(fabs(area / exact - 1.0) < 1e-3);
		drapeDestroyWorld(world);
	}
}

static void SliversAreValid(void** state)
{
	(void)state;
	for (float height = 1e-1f; height > 2e-7f; height *= 0.3f)
	{
		const drapeVec3 positions[] = {
			{0, 0, 0}, {0.7f, 0.71f, 0}, {0.37f - height, 0.37f + height, 0}, {1.0f, -1.0f, 0}};
		const uint32_t triangles[] = {0, 1, 2, 1, 0, 3};
		drapeMesh mesh = {.positions = positions, .vertexCount = 4, .triangles = triangles, .triangleCount = 2};
		drapeWorldId world = NewWorld();
		drapeClothId cloth = AddMesh(world, &mesh, 2);
		assert_true(drapeCloth_IsValid(cloth));
		Sheet_Check(world);
		drapeCloth_Refine(cloth);
		drapeCloth_Refine(cloth);
		Sheet_Check(world);
		drapeDestroyWorld(world);
	}
}

// Short edges far from the origin of the material coordinates keep their rest length.
static void RestLengthsAreExactAtEveryLevelAndPlace(void** state)
{
	(void)state;
	const float offsets[] = {0.0f, 10.1f, 1000.3f};
	for (size_t i = 0; i < sizeof offsets / sizeof offsets[0]; ++i)
	{
		const uint32_t corners[] = {0, 1, 2};
		float at = offsets[i];
		const drapeVec2 material[] = {{at, at}, {at + 0.3f, at + 0.01f}, {at + 0.02f, at + 0.27f}};
		drapeVec3 positions[3];
		for (int k = 0; k < 3; ++k)
			positions[k] = (drapeVec3){material[k].x - at, material[k].y - at, 0.0f};
		drapeMesh mesh = {.positions = positions, .vertexCount = 3, .triangles = corners, .triangleCount = 1};
		drapeClothDef def = Make_SpringClothDef();
		def.mesh = &mesh;
		def.rest.source = drape_restMaterial;
		def.rest.material = material;
		def.adapt = Sheet_Plain(DRAPE_MAX_LEVEL);
		drapeWorldId world = NewWorld();
		drapeClothId cloth = Make_Cloth(world, &def);
		assert_true(drapeCloth_IsValid(cloth));
		// Down to the deepest level around corner 1.
		for (int pass = 0; pass < 200 && Sheet_DeepestLevel(cloth) < DRAPE_MAX_LEVEL; ++pass)
		{
			for (uint32_t e = 0; e < drapeCloth_GetView(cloth).edgeCount; ++e)
			{
				drapeClothView view = drapeCloth_GetView(cloth);
				float x = view.positions[view.edgeFrom[e]].x + view.positions[view.edgeTo[e]].x;
				if (x > 2.0f * positions[1].x - 2.1f * ldexpf(0.3f, -(int)view.edgeLevels[e]))
					drapeCloth_SplitEdge(cloth, e);
			}
		}
		assert_int_equal(Sheet_DeepestLevel(cloth), DRAPE_MAX_LEVEL);
		Sheet_Check(world);
		drapeClothView view = drapeCloth_GetView(cloth);
		for (uint32_t e = 0; e < view.edgeCount; ++e)
		{
			drapeVec4 a = view.positions[view.edgeFrom[e]], b = view.positions[view.edgeTo[e]];
			float length = hypotf(a.x - b.x, a.y - b.y);
			assert_true(fabsf(view.restLengths[e] / length - 1.0f) < 2e-3f); // the positions are rounded
		}
		drapeDestroyWorld(world);
	}
}

// A point of an edge has one texture coordinate, whichever triangle it is asked of: no cracks in a picture.
static void TextureCoordinatesAgreeOnBothSidesOfAnEdge(void** state)
{
	(void)state;
	drapeAdaptDef def = Sheet_Plain(4);
	Sheet sheet = Sheet_Create(7, 11, &def);
	Random random = Random_Seed(8, 8);
	drapeCloth_Refine(sheet.cloth);
	for (int i = 0; i < 400; ++i)
		drapeCloth_SplitEdge(sheet.cloth, Random_Below(&random, drapeCloth_GetView(sheet.cloth).edgeCount));
	drapeClothView view = drapeCloth_GetView(sheet.cloth);
	drapeVec2* seen = malloc(view.particleCount * sizeof *seen);
	for (uint32_t i = 0; i < 3 * view.triangleCount; ++i)
		seen[view.triangles[i]] = view.texcoords[i];
	for (uint32_t i = 0; i < 3 * view.triangleCount; ++i)
		assert_memory_equal(&seen[view.triangles[i]], &view.texcoords[i], sizeof *seen);
	free(seen);
	Sheet_Destroy(&sheet);
}

// Two squares sewn together where one is longer at rest than the other: the shared edge has the mean length, at every
// level, and halves add up.
static void ASeamHasTheMeanLengthOfItsSidesAtEveryLevel(void** state)
{
	(void)state;
	const drapeVec3 positions[] = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0}};
	const uint32_t triangles[] = {0, 1, 2, 0, 2, 3};
	const drapeVec2 material[] = {{0, 0}, {1, 0}, {1, 1}, {5, 5}, {5.8f, 5.8f}, {5, 6}};
	drapeMesh mesh = {.positions = positions, .vertexCount = 4, .triangles = triangles, .triangleCount = 2};
	drapeClothDef def = Make_SpringClothDef();
	def.mesh = &mesh;
	def.rest.source = drape_restMaterial;
	def.rest.material = material;
	def.adapt = Sheet_Plain(4);
	drapeWorldId world = NewWorld();
	drapeClothId cloth = Make_Cloth(world, &def);
	assert_true(drapeCloth_IsValid(cloth));
	for (int level = 0; level <= 4; ++level)
	{
		Sheet_Check(world);
		drapeClothView view = drapeCloth_GetView(cloth);
		uint32_t onSeam = 0;
		for (uint32_t e = 0; e < view.edgeCount; ++e)
		{
			drapeVec4 a = view.positions[view.edgeFrom[e]], b = view.positions[view.edgeTo[e]];
			if (a.x != a.y || b.x != b.y)
				continue;
			onSeam++;
			float expected = ldexpf(0.9f * sqrtf(2.0f), -level);
			assert_true(fabsf(view.restLengths[e] / expected - 1.0f) < 1e-5f);
		}
		assert_int_equal(onSeam, 1 << level);
		assert_int_equal(drapeCloth_Refine(cloth), drape_ok);
	}
	for (int level = 0; level < 4; ++level)
		assert_int_equal(drapeCloth_Coarsen(cloth), drape_ok);
	Sheet_Check(world);
	assert_int_equal(drapeCloth_GetView(cloth).triangleCount, 2);
	drapeDestroyWorld(world);
}

// --- the grid -------------------------------------------------------------------------------------------------------

static void AGridFacesUpAndHasItsSize(void** state)
{
	(void)state;
	drapeMesh mesh;
	assert_int_equal(drapeMesh_CreateGrid(3, 5, 2.0f, 4.0f, &mesh, NULL), drape_ok);
	assert_int_equal(mesh.vertexCount, 24);
	assert_int_equal(mesh.triangleCount, 30);
	double area = 0.0;
	for (uint32_t t = 0; t < mesh.triangleCount; ++t)
	{
		const uint32_t* corner = &mesh.triangles[3 * t];
		Vec3 a = mesh.positions[corner[0]];
		Vec3 n = V3Cross(V3Sub(mesh.positions[corner[1]], a), V3Sub(mesh.positions[corner[2]], a));
		assert_true(n.y > 0.0f && n.x == 0.0f && n.z == 0.0f);
		area += 0.5 * (double)n.y;
		for (int k = 0; k < 3; ++k)
			assert_int_equal(mesh.texcoordTriangles[3 * t + k], corner[k]);
	}
	assert_true(fabs(area - 8.0) < 1e-5);
	for (uint32_t j = 0; j <= 5; ++j)
	{
		for (uint32_t i = 0; i <= 3; ++i)
		{
			uint32_t v = j * 4 + i;
			assert_true(mesh.texcoords[v].x == (float)i / 3.0f && mesh.texcoords[v].y == (float)j / 5.0f);
			assert_true(fabsf(mesh.positions[v].x - (2.0f * (float)i / 3.0f - 1.0f)) < 1e-6f);
			assert_true(fabsf(mesh.positions[v].z - (2.0f - 4.0f * (float)j / 5.0f)) < 1e-6f);
		}
	}
	static drapeMeshReport report;
	assert_int_equal(drapeMesh_Check(&mesh, NULL, &report, NULL), drape_ok);
	assert_int_equal(report.euler, 1);
	assert_int_equal(report.boundaryLoops, 1);
	drapeMesh_Free(&mesh);
	assert_int_equal(drapeGetMemoryUse().blocks, 0);
}

static void GridsThatCannotBeMadeAreRefused(void** state)
{
	(void)state;
	drapeMesh mesh;
	const struct
	{
		uint32_t columns, rows;
		float width, depth;
		drapeResult result;
	} cases[] = {
		{0, 1, 1.0f, 1.0f, drape_errorArgument},       {1, 0, 1.0f, 1.0f, drape_errorArgument},
		{1, 1, 0.0f, 1.0f, drape_errorArgument},       {1, 1, 1.0f, -1.0f, drape_errorArgument},
		{1, 1, NAN, 1.0f, drape_errorArgument},        {1, 1, 1.0f, INFINITY, drape_errorArgument},
		{UINT32_MAX, 1, 1.0f, 1.0f, drape_errorLimit}, {UINT32_MAX, UINT32_MAX, 1.0f, 1.0f, drape_errorLimit},
		{65536, 65536, 1.0f, 1.0f, drape_errorLimit},  {1u << 29, 1, 1.0f, 1.0f, drape_errorLimit},
	};
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i)
	{
		memset(&mesh, 0xff, sizeof mesh);
		Test_RecordAsserts();
		drapeResult result =
			drapeMesh_CreateGrid(cases[i].columns, cases[i].rows, cases[i].width, cases[i].depth, &mesh, NULL);
		bool isAsserted = Test_RecordedAsserts() > 0;
		assert_int_equal(result, cases[i].result);
		assert_true(result == drape_errorArgument || !isAsserted);
		assert_null(mesh.positions);
		assert_int_equal(mesh.triangleCount, 0);
	}
	for (size_t number = 1; number <= 4; ++number)
	{
		Test_FailAllocation(number, false);
		assert_int_equal(drapeMesh_CreateGrid(2, 2, 1.0f, 1.0f, &mesh, NULL), drape_errorMemory);
		assert_null(mesh.positions);
	}
	Test_FailAllocation(0, false);
}

// --- memory ---------------------------------------------------------------------------------------------------------

// Debug builds with DRAPE_VALIDATE allocate for the checks they make after each pass.
static size_t Allocations(void)
{
#ifdef DRAPE_VALIDATE
	return 0;
#else
	return drapeGetMemoryUse().allocations;
#endif
}

static bool NearOrigin(drapeVec3 point, void* context)
{
	const float* radius = context;
	return V3Dot(point, point) < *radius * *radius;
}

static drapeWish LongEdges(const drapeEdgeInfo* edge, void* context)
{
	(void)context;
	return edge->restLength > 0.4f ? drape_wishSplit : drape_wishNone;
}

static drapeAdaptDef AllCriteria(float* radius)
{
	drapeAdaptDef def = drapeDefaultAdaptDef();
	def.joinWait = 1;
	def.length.enabled = true;
	def.length.levelFactor = 0.95f;
	def.collision = (drapeCollisionCriterion){.inside = NearOrigin, .context = radius, .maxLevel = 2};
	def.visibility.enabled = true;
	def.visibility.camera = (drapeVec3){2.0f, 2.0f, 0.0f};
	def.user = (drapeUserCriterion){LongEdges, NULL};
	return def;
}

static void APassThatChangesNothingLeavesEveryBit(void** state)
{
	(void)state;
	float radius = 0.3f;
	drapeAdaptDef def = AllCriteria(&radius);
	def.joinWait = 0; // so that waits do not run either
	Sheet sheet = Sheet_Create(6, 6, &def);
	assert_true(Sheet_SetShape(sheet.cloth, Sheet_Bumps, 0.05f));
	assert_true(Sheet_Settle(sheet.cloth, 3, 100, NULL, 0.0f));
	uint64_t hash = drapeWorld_GetHash(sheet.world);
	uint32_t revision = drapeCloth_GetView(sheet.cloth).revision;
	size_t allocations = Allocations();
	for (int i = 0; i < 10; ++i)
	{
		Sheet_Adapt(sheet.cloth);
		assert_true(drapeWorld_GetHash(sheet.world) == hash);
	}
	assert_int_equal(drapeCloth_GetView(sheet.cloth).revision, revision);
	assert_true(Allocations() == allocations);
	Sheet_Destroy(&sheet);
}

static void ASettledLoopAllocatesNothing(void** state)
{
	(void)state;
	float radius = 0.3f;
	drapeAdaptDef def = AllCriteria(&radius);
	def.joinWait = 0; // waits that grow would make each cycle another
	Sheet sheet = Sheet_Create(6, 6, &def);
	size_t allocations = 0;
	uint32_t changes = 0;
	for (int cycle = 0; cycle < 6; ++cycle)
	{
		if (cycle == 3)
			allocations = Allocations();
		for (int pass = 0; pass < 40; ++pass)
		{
			radius = 0.1f + 0.01f * (float)pass;
			assert_true(Sheet_SetShape(sheet.cloth, Sheet_Bumps, 0.1f * sinf(0.1570796f * (float)pass)));
			drapeAdaptResult result = Sheet_Adapt(sheet.cloth);
			changes += result.splits + result.joins;
		}
	}
	assert_true(changes > 2000);
	assert_true(Allocations() == allocations);

	// By hand too.
	for (int cycle = 0; cycle < 6; ++cycle)
	{
		if (cycle == 3)
			allocations = Allocations();
		for (int i = 0; i < 3; ++i)
			drapeCloth_Refine(sheet.cloth);
		for (int i = 0; i < 3; ++i)
			drapeCloth_Coarsen(sheet.cloth);
	}
	assert_true(Allocations() == allocations);
	Sheet_Destroy(&sheet);
}

static void TheHashSeesWaitsTexcoordsAndNormals(void** state)
{
	(void)state;
	drapeAdaptDef def = drapeDefaultAdaptDef();
	Sheet sheet = Sheet_Create(2, 2, &def);
	drapeCloth_Refine(sheet.cloth);
	ActiveMesh* active = &drapeCloth_Get(sheet.cloth)->active;
	uint64_t hash = drapeWorld_GetHash(sheet.world);
	uint8_t* const bytes[] = {
		(uint8_t*)&active->position[3], (uint8_t*)&active->velocity[2],   (uint8_t*)&active->normal[1],
		(uint8_t*)&active->share[4],    (uint8_t*)&active->parents[12],   &active->level[11],
		&active->joinWait[12],          (uint8_t*)&active->triangle[5],   (uint8_t*)&active->material[3],
		(uint8_t*)&active->texcoord[3], (uint8_t*)&active->area[3],       (uint8_t*)&active->patternTriangle[3],
		&active->triangleLevel[2],      (uint8_t*)&active->edgeFrom[3],   (uint8_t*)&active->edgeTo[3],
		(uint8_t*)&active->wings[3],    (uint8_t*)&active->restLength[3], &active->edgeLevel[3],
		&active->edgeFlags[3],          &active->particleFlags[3],        (uint8_t*)&active->parentLength[0][12],
	};
	for (size_t i = 0; i < sizeof bytes / sizeof bytes[0]; ++i)
	{
		bytes[i][0] ^= 1;
		if (drapeWorld_GetHash(sheet.world) == hash)
			fail_msg("column %zu is not in the hash", i);
		bytes[i][0] ^= 1;
		assert_true(drapeWorld_GetHash(sheet.world) == hash);
	}
	Sheet_Destroy(&sheet);
}

// --- memory runs out ------------------------------------------------------------------------------------------------

// A program that tries each call again when it fails, after making sure that nothing has changed.
typedef struct Story
{
	drapeWorldId world;
	drapeClothId cloth, fixed;
	uint32_t failures;
} Story;

static void AssertUntouched(Story* story, uint64_t before)
{
	story->failures++;
	assert_true(drapeWorld_GetHash(story->world) == before);
	Sheet_Check(story->world);
}

static void Retry(Story* story, drapeResult (*call)(drapeClothId), drapeClothId cloth)
{
	uint64_t before = drapeWorld_GetHash(story->world);
	drapeResult result = call(cloth);
	if (result != drape_ok)
	{
		assert_int_equal(result, drape_errorMemory);
		AssertUntouched(story, before);
		assert_int_equal(call(cloth), drape_ok);
	}
	Sheet_Check(story->world);
}

static drapeResult MakeBumps(drapeClothId cloth)
{
	return Sheet_SetShape(cloth, Sheet_Bumps, 0.1f) ? drape_ok : drape_errorMemory;
}

static drapeResult AdaptOnce(drapeClothId cloth)
{
	return drapeCloth_Adapt(cloth, NULL);
}

static drapeResult SplitSeventh(drapeClothId cloth)
{
	return drapeCloth_SplitEdge(cloth, 7);
}

static drapeClothId RetryCreate(Story* story, const drapeMesh* mesh, const drapeAdaptDef* adapt)
{
	drapeClothDef def = Make_SpringClothDef();
	def.mesh = mesh;
	def.adapt = *adapt;
	uint64_t before = drapeWorld_GetHash(story->world);
	drapeWorldMemory memory = drapeWorld_GetMemory(story->world);
	drapeClothId cloth;
	drapeResult result = drapeCreateCloth(story->world, &def, &cloth);
	if (result != drape_ok)
	{
		assert_int_equal(result, drape_errorMemory);
		AssertUntouched(story, before);
		assert_int_equal(drapeWorld_GetMemory(story->world).hierarchyBytes, memory.hierarchyBytes);
		assert_int_equal(drapeWorld_GetMemory(story->world).activeBytes, memory.activeBytes);
		cloth = Make_Cloth(story->world, &def);
	}
	assert_true(drapeCloth_IsValid(cloth));
	return cloth;
}

// The same calls each time; those that fail are made again.
static uint64_t TellStory(const drapeMesh* mesh, drapeScheme scheme, uint32_t* failures)
{
	float radius = 0.4f;
	Story story = {0};
	drapeWorldDef def = drapeDefaultWorldDef();
	def.workerCount = 2;
	story.world = Make_World(&def);
	if (!drapeWorld_IsValid(story.world))
	{
		story.failures++;
		story.world = Make_World(&def);
	}
	assert_true(drapeWorld_IsValid(story.world));
	drapeAdaptDef adapt = AllCriteria(&radius);
	adapt.scheme = scheme;
	adapt.meanCurvature.enabled = scheme == drape_schemeSqrt3;
	adapt.maxLevel = scheme == drape_schemeSqrt3 ? 6 : adapt.maxLevel;
	story.cloth = RetryCreate(&story, mesh, &adapt);
	adapt.scheme = drape_schemeFixed;
	story.fixed = RetryCreate(&story, mesh, &adapt);
	Retry(&story, drapeCloth_Refine, story.cloth);
	Retry(&story, SplitSeventh, story.cloth);
	Retry(&story, MakeBumps, story.cloth);
	for (int pass = 0; pass < 8; ++pass)
	{
		Retry(&story, AdaptOnce, story.cloth);
		radius = 0.4f - 0.05f * (float)pass;
	}
	Retry(&story, AdaptOnce, story.fixed);
	Retry(&story, drapeCloth_Coarsen, story.cloth);
	Retry(&story, drapeCloth_Refine, story.cloth);
	uint64_t hash = drapeWorld_GetHash(story.world);
	drapeDestroyWorld(story.world);
	*failures = story.failures;
	return hash;
}

static void AnyAllocationMayFailAndNothingIsLostOrChanged(void** state)
{
	(void)state;
	drapeMesh mesh = TestMesh_Grid(4, 4, 1.0f, 1.0f, 0.0f, 1);
	TestMesh_AddTexcoords(&mesh, 1.0f);
	const drapeScheme schemes[] = {drape_schemeEdge, drape_schemeSqrt3};
	for (size_t i = 0; i < 2; ++i)
	{
		uint32_t failures, noticed = 0;
		Test_FailAllocation(SIZE_MAX, false);
		uint64_t expected = TellStory(&mesh, schemes[i], &failures);
		assert_int_equal(failures, 0);
		size_t count = Test_AllocationCount();
		assert_true(count > 100);
		for (size_t number = 1; number <= count; ++number)
		{
			Test_FailAllocation(number, false); // asserts that the last story gave everything back
			uint64_t hash = TellStory(&mesh, schemes[i], &failures);
			noticed += failures;
			if (hash != expected)
				fail_msg("scheme %zu: after failure of allocation %zu the world differs", i, number);
		}
		Test_FailAllocation(0, false);
		assert_true(noticed > 50);
	}
	assert_int_equal(drapeGetMemoryUse().blocks, 0);
	TestMesh_Free(&mesh);
}

static void MemoryThatStaysShortIsReportedEveryTime(void** state)
{
	(void)state;
	drapeMesh mesh = TestMesh_Grid(3, 3, 1.0f, 1.0f, 0.0f, 1);
	for (size_t number = 1; number < 200; ++number)
	{
		Test_FailAllocation(number, true);
		drapeWorldDef worldDef = drapeDefaultWorldDef();
		drapeWorldId world = Make_World(&worldDef);
		if (!drapeWorld_IsValid(world))
			continue;
		drapeClothId cloth = AddMesh(world, &mesh, 4);
		uint64_t hash = drapeWorld_GetHash(world);
		for (int i = 0; drapeCloth_IsValid(cloth) && i < 4; ++i)
		{
			if (drapeCloth_Refine(cloth) == drape_errorMemory)
				assert_true(drapeWorld_GetHash(world) == hash);
			hash = drapeWorld_GetHash(world);
		}
		Sheet_Check(world);
		drapeDestroyWorld(world);
	}
	Test_FailAllocation(0, false);
	TestMesh_Free(&mesh);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(NullAndStaleHandlesAreRefused),
		cmocka_unit_test(NullWorldsAreRefused),
		cmocka_unit_test(BadWorldDefinitionsAreRefused),
		cmocka_unit_test(BadClothDefinitionsAreRefusedWithAReason),
		cmocka_unit_test(WorldsAreIndependent),
		cmocka_unit_test(ClothsThatShareThePoolsDoNotDisturbEachOther),
		cmocka_unit_test(CoarseningGivesTheMemoryOfTheHierarchyBack),
		cmocka_unit_test(AViewIsConsistentAfterEveryEdit),
		cmocka_unit_test(AViewWithoutTextureCoordinatesSaysSo),
		cmocka_unit_test(ReplayedChangesKeepAProgramsDataRight),
		cmocka_unit_test(PositionsAndVelocitiesThatCannotBeUsedChangeNothing),
		cmocka_unit_test(AnyPositionsThatAreTakenLeaveTheWorldValid),
		cmocka_unit_test(SetAdaptRefusesNonsenseAndChangesNothing),
		cmocka_unit_test(EditsOutOfRangeOrBlockedSaySo),
		cmocka_unit_test(AFixedClothStaysAsItIs),
		cmocka_unit_test(ValidationNamesTheClothAndWhatIsWrong),
		cmocka_unit_test(BothSchemesStartAlike),
		cmocka_unit_test(LargePatternsAreValid),
		cmocka_unit_test(TrianglesOfVeryDifferentSizesAreValid),
		cmocka_unit_test(SliversAreValid),
		cmocka_unit_test(RestLengthsAreExactAtEveryLevelAndPlace),
		cmocka_unit_test(TextureCoordinatesAgreeOnBothSidesOfAnEdge),
		cmocka_unit_test(ASeamHasTheMeanLengthOfItsSidesAtEveryLevel),
		cmocka_unit_test(AGridFacesUpAndHasItsSize),
		cmocka_unit_test(GridsThatCannotBeMadeAreRefused),
		cmocka_unit_test(APassThatChangesNothingLeavesEveryBit),
		cmocka_unit_test(ASettledLoopAllocatesNothing),
		cmocka_unit_test(TheHashSeesWaitsTexcoordsAndNormals),
		cmocka_unit_test(AnyAllocationMayFailAndNothingIsLostOrChanged),
		cmocka_unit_test(MemoryThatStaysShortIsReportedEveryTime),
	};
	return cmocka_run_group_tests_name("world", tests, NULL, NULL);
}
