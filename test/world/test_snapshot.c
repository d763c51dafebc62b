// SPDX-License-Identifier: MIT
#include "meshes.h"
#include "shared/make.h"
#include "sheet.h"

#include "world/world.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// --- a scene with everything that changes ---------------------------------------------------------------------------

typedef struct Scene
{
	drapeWorldId world;
	drapeClothId cloths[2];
	drapePinId handle;
	drapeColliderId pusher;
	int step;
} Scene;

typedef struct SceneDef
{
	uint32_t workers;
	drapeBending bending;
	drapeScheme secondScheme;
	bool noTexcoords;
	bool secondCloth;
	uint32_t quads;
} SceneDef;

static const SceneDef usual = {.workers = 1, .secondCloth = true, .quads = 5};

static void AddCloths(Scene* scene, const SceneDef* def)
{
	drapeMesh mesh;
	assert_int_equal(drapeMesh_CreateGrid(def->quads, def->quads, 1.0f, 1.0f, &mesh, NULL), drape_ok);
	drapeMesh plain = mesh;
	plain.texcoords = NULL;
	plain.texcoordCount = 0;
	plain.texcoordTriangles = NULL;
	drapeClothDef cloth = Make_SpringClothDef();
	cloth.mesh = def->noTexcoords ? &plain : &mesh;
	cloth.pinMiddles = true;
	cloth.adapt.joinWait = 3;
	cloth.adapt.maxLevel = 2;
	cloth.adapt.collision.colliders = true;
	cloth.adapt.collision.maxLevel = 2;
	cloth.springs.bending = def->bending;
	scene->cloths[0] = Make_Cloth(scene->world, &cloth);
	assert_true(drapeCloth_IsValid(scene->cloths[0]));
	cloth.adapt.scheme = def->secondScheme;
	cloth.solver.integrator = drape_integratorVerlet;
	cloth.budget.triangles = 300;
	if (def->secondCloth)
		scene->cloths[1] = Make_Cloth(scene->world, &cloth);
	drapeMesh_Free(&mesh);
}

static Scene Scene_Create(const SceneDef* def)
{
	Scene scene = {0};
	drapeWorldDef worldDef = drapeDefaultWorldDef();
	worldDef.workerCount = def->workers;
	worldDef.wind.kind = drape_windTurbulent;
	worldDef.wind.velocity = (drapeVec3){1.0f, 0.0f, 2.0f};
	worldDef.wind.swirlSpeed = 0.5f;
	scene.world = Make_World(&worldDef);
	assert_true(drapeWorld_IsValid(scene.world));
	drapeMotionKey keys[2] = {{0.0f, drapeIdentityTransform()}, {1.0f, drapeIdentityTransform()}};
	keys[1].transform.position.y = 0.2f;
	drapeMotionDef motionDef = {.keys = keys, .keyCount = 2, .smooth = true};
	drapeMotionId motion = Make_Motion(scene.world, &motionDef);
	drapeColliderDef collider = drapeDefaultColliderDef();
	collider.radius = 0.2f;
	collider.transform.position.y = -0.25f;
	collider.motion = motion;
	Make_Collider(scene.world, &collider);
	collider.motion = (drapeMotionId){0};
	collider.transform.position = (drapeVec3){0.5f, -0.5f, 0.0f};
	scene.pusher = Make_Collider(scene.world, &collider);
	AddCloths(&scene, def);
	scene.handle = Make_Pin(scene.cloths[0], 0);
	drapePin_SetMotion(Make_Pin(scene.cloths[0], 1), motion);
	if (def->secondCloth)
		Make_Pin(scene.cloths[1], def->quads);
	return scene;
}

static void Scene_Destroy(Scene* scene)
{
	Sheet_Check(scene->world);
	drapeDestroyWorld(scene->world);
}

// The same calls at the same steps.
static void Scene_Step(Scene* scene)
{
	float t = (float)scene->step++ / 60.0f;
	drapePin_SetTarget(scene->handle, (drapeVec3){-0.5f + 0.1f * t, 0.2f * t * t, 0.5f});
	drapeTransform push = drapeIdentityTransform();
	push.position = (drapeVec3){0.5f - 0.3f * t, -0.5f + 0.2f * t, 0.0f};
	drapeCollider_SetTransform(scene->pusher, push);
	if (scene->step == 12)
		drapeWorld_SetGravity(scene->world, (drapeVec3){0.5f, -9.0f, 0.0f});
	drapeResult result = drapeWorld_Step(scene->world, 1.0f / 60.0f);
	if (result != drape_ok)
		fail_msg("step %d: %s, %s", scene->step, drapeResult_GetText(result), drapeWorld_GetWarning(scene->world).text);
}

static uint64_t Scene_Run(Scene* scene, int steps)
{
	for (int i = 0; i < steps; ++i)
		Scene_Step(scene);
	return drapeWorld_GetHash(scene->world);
}

typedef struct Saved
{
	size_t size;
	uint8_t* data;
} Saved;

static Saved Save(drapeWorldId world)
{
	Saved saved = {.size = Make_Snapshot(world, NULL, 0)};
	assert_true(saved.size > 0);
	saved.data = malloc(saved.size);
	assert_int_equal(Make_Snapshot(world, saved.data, saved.size), saved.size);
	return saved;
}

static void AssertLoads(drapeWorldId world, const Saved* saved)
{
	assert_int_equal(drapeWorld_Load(world, saved->data, saved->size), drape_ok);
	Sheet_Check(world);
}

// --- going on -------------------------------------------------------------------------------------------------------

enum
{
	further = 12
};

static void ALoadedWorldGoesOnBitForBitFromAnyMoment(void** state)
{
	(void)state;
	const int moments[] = {0, 1, 13, 28};
	Scene scene = Scene_Create(&usual);
	for (size_t i = 0; i < sizeof moments / sizeof moments[0]; ++i)
	{
		Scene_Run(&scene, moments[i] - scene.step);
		Saved saved = Save(scene.world);
		uint64_t hash = drapeWorld_GetHash(scene.world);
		double time = drapeWorld_GetTime(scene.world);
		uint64_t later = Scene_Run(&scene, further);

		// Into a world made by the same calls.
		Scene fresh = Scene_Create(&usual);
		AssertLoads(fresh.world, &saved);
		fresh.step = moments[i];
		assert_true(drapeWorld_GetHash(fresh.world) == hash && drapeWorld_GetTime(fresh.world) == time);
		Saved again = Save(fresh.world);
		assert_int_equal(again.size, saved.size);
		assert_memory_equal(again.data, saved.data, saved.size);
		if (Scene_Run(&fresh, further) != later)
			fail_msg("the world loaded at step %d goes another way", moments[i]);
		Scene_Destroy(&fresh);

		// Into one that has gone elsewhere, with another number of threads.
		SceneDef threaded = usual;
		threaded.workers = 3;
		Scene other = Scene_Create(&threaded);
		Scene_Run(&other, 40 - moments[i]);
		AssertLoads(other.world, &saved);
		other.step = moments[i];
		assert_true(Scene_Run(&other, further) == later);
		Scene_Destroy(&other);

		// And back in time in the same one, whose last changes were those of another mesh.
		AssertLoads(scene.world, &saved);
		drapeClothChanges changes = drapeCloth_GetChanges(scene.cloths[0]);
		assert_true(changes.revision == drapeCloth_GetView(scene.cloths[0]).revision);
		assert_int_equal(changes.createdCount + changes.removedCount + changes.movedCount, 0);
		scene.step = moments[i];
		if (i > 0)
			assert_true(Scene_Run(&scene, further) == later);
		free(saved.data);
		free(again.data);
	}
	assert_true(drapeCloth_GetView(scene.cloths[0]).triangleCount > 100);
	Scene_Destroy(&scene);
}

// A sheet with contact "all" on a turning ring of many triangles, which sweep far in a step.
typedef struct Turning
{
	drapeWorldId world;
	drapeColliderId ring;
} Turning;

static Turning Turning_Create(void)
{
	drapeWorldDef worldDef = drapeDefaultWorldDef();
	worldDef.workerCount = 1;
	Turning turning = {.world = Make_World(&worldDef)};
	drapeMesh ring = TestMesh_Torus(60, 30, 0.3f, 0.12f), sheet = TestMesh_Grid(16, 16, 1.0f, 1.0f, 0.0f, 0);
	drapeColliderDef collider = drapeDefaultColliderDef();
	collider.shape = drape_shapeMesh;
	collider.mesh = &ring;
	turning.ring = Make_Collider(turning.world, &collider);
	// Torus and grid lie in the same plane, z = 0.
	for (uint32_t i = 0; i < sheet.vertexCount; ++i)
	{
		drapeVec3* p = &TestMesh_Positions(&sheet)[i];
		*p = (drapeVec3){p->x - 0.5f, p->y - 0.5f, 0.14f};
	}
	drapeClothDef cloth = Make_SpringClothDef();
	cloth.mesh = &sheet;
	cloth.contact = drape_contactAll;
	cloth.adapt.scheme = drape_schemeFixed;
	cloth.solver.integrator = drape_integratorImplicitEuler;
	cloth.solver.newtonIterations = 1;
	drapeWorld_SetGravity(turning.world, (drapeVec3){0.0f, 0.0f, -9.81f});
	assert_true(drapeCloth_IsValid(Make_Cloth(turning.world, &cloth)));
	TestMesh_Free(&ring);
	TestMesh_Free(&sheet);
	return turning;
}

static void Turning_Step(const Turning* turning, int step)
{
	float angle = 0.1f * (float)(step + 1);
	drapeTransform transform = drapeIdentityTransform();
	transform.rotation = (drapeQuat){0.0f, 0.0f, sinf(0.5f * angle), cosf(0.5f * angle)};
	drapeCollider_SetTransform(turning->ring, transform);
	assert_int_equal(drapeWorld_Step(turning->world, 1.0f / 60.0f), drape_ok);
}

static void ATurningMeshOfManyTrianglesGoesOnBitForBit(void** state)
{
	(void)state;
	enum
	{
		before = 15,
		after = 6,
	};
	Turning whole = Turning_Create(), resumed = Turning_Create();
	for (int i = 0; i < before; ++i)
		Turning_Step(&whole, i);
	Saved saved = Save(whole.world);
	assert_int_equal(drapeWorld_Load(resumed.world, saved.data, saved.size), drape_ok);
	for (int i = before; i < before + after; ++i)
	{
		Turning_Step(&whole, i);
		Turning_Step(&resumed, i);
		assert_true(drapeWorld_GetHash(whole.world) == drapeWorld_GetHash(resumed.world));
	}
	assert_true(drapeWorld_GetCounters(whole.world).contactPoints > 50);
	free(saved.data);
	drapeDestroyWorld(whole.world);
	drapeDestroyWorld(resumed.world);
}

static void SavingDisturbsNothing(void** state)
{
	(void)state;
	Scene a = Scene_Create(&usual), b = Scene_Create(&usual);
	for (int i = 0; i < 20; ++i)
	{
		Scene_Step(&a);
		Scene_Step(&b);
		Saved saved = Save(a.world);
		assert_true(drapeWorld_GetHash(a.world) == drapeWorld_GetHash(b.world));
		free(saved.data);
	}
	Scene_Destroy(&a);
	Scene_Destroy(&b);
}

static void TooSmallCapacityWritesNothing(void** state)
{
	(void)state;
	Scene scene = Scene_Create(&usual);
	size_t size = Make_Snapshot(scene.world, NULL, 0);
	uint8_t* data = malloc(size);
	memset(data, 0xcd, size);
	assert_int_equal(Make_Snapshot(scene.world, data, size - 1), size);
	for (size_t i = 0; i < size; ++i)
		assert_int_equal(data[i], 0xcd);
	free(data);
	Scene_Destroy(&scene);
}

// --- bad data -------------------------------------------------------------------------------------------------------

static void AssertRefused(drapeWorldId world, const void* data, size_t size, const char* wanted)
{
	uint64_t hash = drapeWorld_GetHash(world);
	double time = drapeWorld_GetTime(world);
	assert_int_equal(drapeWorld_Load(world, data, size), drape_errorData);
	if (wanted)
		assert_string_equal(drapeWorld_GetMessage(world), wanted);
	assert_true(drapeWorld_GetHash(world) == hash && drapeWorld_GetTime(world) == time);
}

static void CutOffDataIsRefused(void** state)
{
	(void)state;
	Scene scene = Scene_Create(&usual);
	Scene_Run(&scene, 6);
	Saved saved = Save(scene.world);
	AssertRefused(scene.world, NULL, 0, "the snapshot is cut off");
	for (size_t size = 0; size < saved.size; size += size < 200 ? 1 : 1 + size / 7)
	{
		// A block of its own, so that reading past its end is seen.
		uint8_t* part = malloc(size > 0 ? size : 1);
		memcpy(part, saved.data, size);
		AssertRefused(scene.world, part, size, "the snapshot is cut off");
		free(part);
	}
	uint8_t* longer = malloc(saved.size + 1);
	memcpy(longer, saved.data, saved.size);
	longer[saved.size] = 0;
	AssertRefused(scene.world, longer, saved.size + 1, NULL);
	free(longer);
	Sheet_Check(scene.world);
	AssertLoads(scene.world, &saved);
	free(saved.data);
	Scene_Destroy(&scene);
}

static void DataWithAnyByteChangedIsRefused(void** state)
{
	(void)state;
	SceneDef small = usual;
	small.quads = 2;
	small.secondCloth = false;
	Scene scene = Scene_Create(&small);
	Scene_Run(&scene, 2);
	Saved saved = Save(scene.world);
	for (size_t i = 0; i < saved.size; i += i < 100 ? 1 : 23)
	{
		uint8_t kept = saved.data[i];
		saved.data[i] = (uint8_t)(kept ^ (1u << (i % 8)));
		AssertRefused(scene.world, saved.data, saved.size,
		              i < 4    ? "this is not a snapshot"
		              : i < 8  ? "the snapshot is of another version"
		              : i < 16 ? "the snapshot is cut off"
		              : i < 24 ? "the snapshot is damaged"
		              : i < 32 ? "the snapshot belongs to another world"
		              : i < 40 ? "the snapshot was made with other columns than the cloths of this world have"
		                       : "the snapshot is damaged");
		saved.data[i] = kept;
	}
	AssertLoads(scene.world, &saved);
	free(saved.data);
	Scene_Destroy(&scene);
}

static void SnapshotsOfOtherWorldsAreRefused(void** state)
{
	(void)state;
	SceneDef others[6];
	for (int i = 0; i < 6; ++i)
		others[i] = usual;
	others[0].quads = 6;
	others[1].secondCloth = false;
	others[2].secondScheme = drape_schemeFixed;
	others[3].bending = drape_bendSprings;
	others[4].bending = drape_bendNone;
	others[5].noTexcoords = true;
	for (int i = 0; i < 6; ++i)
	{
		Scene own = Scene_Create(&usual), other = Scene_Create(&others[i]);
		Scene_Run(&own, 4);
		Scene_Run(&other, 4);
		Saved mine = Save(own.world), theirs = Save(other.world);
		AssertRefused(own.world, theirs.data, theirs.size, "the snapshot belongs to another world");
		AssertRefused(other.world, mine.data, mine.size, "the snapshot belongs to another world");
		free(mine.data);
		free(theirs.data);
		Scene_Destroy(&own);
		Scene_Destroy(&other);
	}
}

// Two worlds with equal cloths whose places in the shared pools differ, because others were made and destroyed before.
static void AWorldWithAnotherHistoryOfClothsIsRefusedOrGoesOn(void** state)
{
	(void)state;
	Scene scenes[2] = {Scene_Create(&usual), Scene_Create(&usual)};
	for (int i = 0; i < 2; ++i)
	{
		drapeDestroyCloth(scenes[i].cloths[i]);
		drapeDestroyCloth(scenes[i].cloths[1 - i]);
		AddCloths(&scenes[i], &usual);
		for (int k = 0; k < 10; ++k)
			assert_int_equal(drapeWorld_Step(scenes[i].world, 1.0f / 60.0f), drape_ok);
	}
	Saved saved = Save(scenes[0].world);
	drapeResult result = drapeWorld_Load(scenes[1].world, saved.data, saved.size);
	assert_true(result == drape_ok || result == drape_errorData);
	for (int k = 0; k < 10; ++k)
	{
		assert_int_equal(drapeWorld_Step(scenes[1].world, 1.0f / 60.0f), drape_ok);
		Sheet_Check(scenes[1].world);
	}
	free(saved.data);
	for (int i = 0; i < 2; ++i)
		Scene_Destroy(&scenes[i]);
}

// Another collider in the place of one that was there when the snapshot was made.
static void CollidersAreThoseOfTheSnapshot(void** state)
{
	(void)state;
	Scene scene = Scene_Create(&usual);
	Saved saved = Save(scene.world);
	uint64_t later = Scene_Run(&scene, further);
	drapeColliderId pusher = scene.pusher;
	drapeDestroyCollider(pusher);
	drapeColliderDef box = drapeDefaultColliderDef();
	box.shape = drape_shapeBox;
	box.transform.position.y = -5.0f;
	drapeColliderId heir = Make_Collider(scene.world, &box);
	assert_int_equal(heir.index1, pusher.index1);
	drapeResult result = drapeWorld_Load(scene.world, saved.data, saved.size);
	if (result == drape_ok)
	{
		assert_true(drapeCollider_IsValid(pusher) && !drapeCollider_IsValid(heir));
		assert_int_equal(drapeCollider_GetDef(pusher).shape, drape_shapeSphere);
		scene.step = 0;
		assert_true(Scene_Run(&scene, further) == later);
	}
	else
		assert_int_equal(result, drape_errorData);
	free(saved.data);
	Scene_Destroy(&scene);
}

// --- memory ---------------------------------------------------------------------------------------------------------

static void AnyAllocationMayFailDuringLoadAndNothingChanges(void** state)
{
	(void)state;
	SceneDef small = usual;
	small.quads = 2;
	Test_FailAllocation(SIZE_MAX, false);
	Scene source = Scene_Create(&small);
	Scene_Run(&source, 25);
	Saved saved = Save(source.world);
	uint64_t later = Scene_Run(&source, 5);
	Scene_Destroy(&source);

	Test_FailAllocation(SIZE_MAX, false);
	Scene fresh = Scene_Create(&small);
	size_t before = Test_AllocationCount();
	assert_int_equal(drapeWorld_Load(fresh.world, saved.data, saved.size), drape_ok);
	size_t after = Test_AllocationCount();
	Scene_Destroy(&fresh);
	uint32_t refused = 0;
	for (size_t number = before + 1; number <= after; ++number)
	{
		Test_FailAllocation(number, false);
		Scene scene = Scene_Create(&small);
		Saved untouched = Save(scene.world);
		drapeResult result = drapeWorld_Load(scene.world, saved.data, saved.size);
		if (result != drape_ok)
		{
			refused++;
			assert_int_equal(result, drape_errorMemory);
			Sheet_Check(scene.world);
			Saved still = Save(scene.world);
			assert_int_equal(still.size, untouched.size);
			assert_memory_equal(still.data, untouched.data, still.size);
			free(still.data);
			// Half of them go their own way first.
			if (number % 2)
				Scene_Run(&scene, 10);
			AssertLoads(scene.world, &saved);
		}
		scene.step = 25;
		assert_true(Scene_Run(&scene, 5) == later);
		free(untouched.data);
		Scene_Destroy(&scene);
	}
	Test_FailAllocation(0, false);
	assert_true(refused > 10);
	free(saved.data);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(ALoadedWorldGoesOnBitForBitFromAnyMoment),
		cmocka_unit_test(SavingDisturbsNothing),
		cmocka_unit_test(TooSmallCapacityWritesNothing),
		cmocka_unit_test(CutOffDataIsRefused),
		cmocka_unit_test(DataWithAnyByteChangedIsRefused),
		cmocka_unit_test(SnapshotsOfOtherWorldsAreRefused),
		cmocka_unit_test(AWorldWithAnotherHistoryOfClothsIsRefusedOrGoesOn),
		cmocka_unit_test(CollidersAreThoseOfTheSnapshot),
		cmocka_unit_test(ATurningMeshOfManyTrianglesGoesOnBitForBit),
		cmocka_unit_test(AnyAllocationMayFailDuringLoadAndNothingChanges),
	};
	return cmocka_run_group_tests_name("snapshot", tests, NULL, NULL);
}
