// SPDX-License-Identifier: MIT
#include "meshes.h"
#include "shared/make.h"
#include "sheet.h"

#include "base/transform.h"
#include "drape/drape.h"

#include <math.h>
#include <stdlib.h>

// A world with mesh colliders that move goes on from a snapshot bit for bit. The order in the trees of such meshes
// decides in which order contacts are added up: it must not depend on the past.

typedef enum Motion
{
	motion_rest,
	motion_turn,
	motion_travel,
	motion_deform,
	motion_stop, // turns until the snapshot is made
	motionCount,
} Motion;

typedef struct SceneDef
{
	Motion motion;
	drapeScheme scheme;
	uint32_t workers;
	uint32_t around, along; // of the collider, a torus
} SceneDef;

typedef struct Scene
{
	SceneDef def;
	drapeWorldId world;
	drapeColliderId collider;
	drapeVec3* positions;
	uint32_t vertexCount;
	int step;
} Scene;

static const int saveStep = 10;

static drapeTransform PoseAt(const Scene* scene, int step)
{
	Motion motion = scene->def.motion;
	float time = (float)(motion == motion_stop && step > saveStep ? saveStep : step) / 60.0f;
	drapeTransform at = drapeIdentityTransform();
	at.rotation = drapeQuat_FromAxisAngle((drapeVec3){1.0f, 0.0f, 0.0f}, 1.2f);
	drapeQuat turn = drapeQuat_FromAxisAngle((drapeVec3){0.2f, 1.0f, 0.1f}, 6.0f * time);
	if (motion == motion_turn || motion == motion_stop)
		at = drapeTransform_Compose((drapeTransform){{0.0f, 0.0f, 0.0f}, turn, 1.0f}, at);
	if (motion == motion_travel)
		at.position = (drapeVec3){time, 0.1f * time, 0.0f};
	return at;
}

static Scene Scene_Create(const SceneDef* def)
{
	Scene scene = {.def = *def, .world = Sheet_World(def->workers)};
	drapeMesh mesh = TestMesh_Torus(def->around, def->along, 0.25f, 0.1f), grid;
	scene.vertexCount = mesh.vertexCount;
	scene.positions = malloc(mesh.vertexCount * sizeof *scene.positions);
	assert_non_null(scene.positions);
	for (uint32_t i = 0; i < mesh.vertexCount; ++i)
		scene.positions[i] = mesh.positions[i];
	drapeColliderDef collider = drapeDefaultColliderDef();
	collider.shape = drape_shapeMesh;
	collider.mesh = &mesh;
	collider.transform = PoseAt(&scene, 0);
	scene.collider = Make_Collider(scene.world, &collider);
	assert_true(drapeCollider_IsValid(scene.collider));
	TestMesh_Free(&mesh);

	assert_int_equal(drapeMesh_CreateGrid(12, 12, 1.0f, 1.0f, &grid, NULL), drape_ok);
	drapeClothDef cloth = Sheet_SettlingDef();
	cloth.mesh = &grid;
	cloth.adapt.scheme = def->scheme;
	cloth.adapt.maxLevel = 2;
	cloth.adapt.accuracy.enabled = true;
	drapeClothId id = Make_Cloth(scene.world, &cloth);
	assert_true(drapeCloth_IsValid(id));
	drapeVec3 lifted[169];
	assert_int_equal(grid.vertexCount, 169);
	for (uint32_t i = 0; i < 169; ++i)
		lifted[i] = (drapeVec3){grid.positions[i].x, grid.positions[i].y + 0.36f, grid.positions[i].z};
	assert_int_equal(drapeCloth_SetPositions(id, lifted), drape_ok);
	drapeMesh_Free(&grid);
	return scene;
}

static void Scene_Destroy(Scene* scene)
{
	Sheet_Check(scene->world);
	drapeDestroyWorld(scene->world);
	free(scene->positions);
}

static void Deform(Scene* scene)
{
	drapeVec3* moved = malloc(scene->vertexCount * sizeof *moved);
	assert_non_null(moved);
	float amount = 0.3f * sinf(0.2f * (float)scene->step);
	for (uint32_t i = 0; i < scene->vertexCount; ++i)
	{
		drapeVec3 p = scene->positions[i];
		moved[i] = (drapeVec3){p.x * (1.0f + amount), p.y * (1.0f - amount), p.z + amount * p.x};
	}
	assert_int_equal(drapeCollider_SetPositions(scene->collider, moved, scene->vertexCount), drape_ok);
	free(moved);
}

static uint64_t Scene_Run(Scene* scene, int steps)
{
	for (int i = 0; i < steps; ++i)
	{
		scene->step++;
		drapeCollider_SetTransform(scene->collider, PoseAt(scene, scene->step));
		if (scene->def.motion == motion_deform)
			Deform(scene);
		assert_int_equal(drapeWorld_Step(scene->world, 1.0f / 60.0f), drape_ok);
	}
	return drapeWorld_GetHash(scene->world);
}

// Goes on in the world itself and in one made by the same calls, with another number of threads and, for `isElsewhere`,
// with another past.
static void ExpectSame(const SceneDef* def, bool isElsewhere)
{
	static const char* const names[] = {"at rest", "turning", "travelling", "deforming", "stopped"};
	Scene scene = Scene_Create(def);
	Scene_Run(&scene, saveStep);
	size_t size = Make_Snapshot(scene.world, NULL, 0);
	void* data = malloc(size);
	assert_non_null(data);
	assert_int_equal(Make_Snapshot(scene.world, data, size), size);

	SceneDef otherDef = *def;
	otherDef.workers = 3 - def->workers;
	Scene other = Scene_Create(&otherDef);
	Scene_Run(&other, isElsewhere ? saveStep + 7 : 0);
	assert_int_equal(drapeWorld_Load(other.world, data, size), drape_ok);
	other.step = saveStep;
	bool isTouching = false;
	for (int i = 0; i < 10; ++i)
	{
		if (Scene_Run(&other, 1) != Scene_Run(&scene, 1))
			fail_msg("%s, %u triangles, scheme %d, %d steps after the snapshot", names[def->motion],
			         2 * def->around * def->along, (int)def->scheme, i + 1);
		drapeCounters stats = drapeWorld_GetCounters(scene.world);
		isTouching = isTouching || stats.contacts + stats.contactPoints > 0;
	}
	assert_true(isTouching);
	Scene_Destroy(&other);
	Scene_Destroy(&scene);
	free(data);
}

static void AWorldGoesOnBitForBitHoweverAMeshMoves(void** state)
{
	(void)state;
	static const drapeScheme schemes[] = {drape_schemeFixed, drape_schemeEdge, drape_schemeSqrt3};
	static const uint32_t sizes[][2] = {{8, 6}, {32, 20}, {100, 50}};
	for (int motion = 0; motion < motionCount; ++motion)
	{
		for (int size = 0; size < (isSlow ? 2 : 3); ++size)
		{
			for (int scheme = 0; scheme < (isSlow ? 1 : 3); ++scheme)
			{
				const SceneDef def = {.motion = (Motion)motion,
				                      .scheme = schemes[scheme],
				                      .workers = 1 + (uint32_t)(motion + size) % 2,
				                      .around = sizes[size][0],
				                      .along = sizes[size][1]};
				ExpectSame(&def, false);
			}
		}
	}
}

static void AWorldWithAnotherPastGoesOnBitForBit(void** state)
{
	(void)state;
	for (int motion = 0; motion < motionCount; ++motion)
	{
		const SceneDef def = {
			.motion = (Motion)motion, .scheme = drape_schemeEdge, .workers = 1, .around = 50, .along = 30};
		ExpectSame(&def, true);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(AWorldGoesOnBitForBitHoweverAMeshMoves),
		cmocka_unit_test(AWorldWithAnotherPastGoesOnBitForBit),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
