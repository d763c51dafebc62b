// SPDX-License-Identifier: MIT
#include "sheet.h"
#include "shared/make.h"

#include "shared/motion_scenes.h"
#include "world/world.h"

#include <math.h>
#include <stdlib.h>

// Cloth on a body whose parts overlap: the arms of the dancing body of `drape bench motion` sink into its trunk
// (contact/shapes/mesh_separation.h).

enum
{
	firstOverlap = 44, // the steps of the dance in which the arms sink into the trunk for the first time
	lastOverlap = 72,
};

static MotionScene Dance(drapeScheme scheme, uint32_t threads)
{
	MotionScene scene;
	MotionScene_Create(&scene,
	                   &(MotionSceneDef){.name = "dance", .scheme = scheme, .threads = threads, .isCoarse = true});
	return scene;
}

static void Settle(MotionScene* scene)
{
	for (int i = 0; i < scene->settleSteps; ++i)
		assert_int_equal(MotionScene_Step(scene), drape_ok);
}

static void MakeStep(MotionScene* scene, int step)
{
	MotionScene_Animate(scene, step);
	assert_int_equal(MotionScene_Step(scene), drape_ok);
}

static const ColliderMesh* BodyOf(const MotionScene* scene)
{
	return drapeWorlds_Get(scene->world)->colliderMeshes.data[scene->bodyCollider.index1 - 1];
}

// Vertices of the body that contact sees elsewhere than they were given.
static uint32_t CountMoved(const MotionScene* scene)
{
	const ColliderMesh* mesh = BodyOf(scene);
	uint32_t count = 0;
	for (uint32_t i = 0; i < mesh->vertexCount; ++i)
		count += V3Length(V3Sub(V4Xyz(mesh->given[i]), V4Xyz(mesh->shape.to[i]))) > 1e-6f;
	return count;
}

static void ClothBetweenArmAndTrunkStaysWhole(void** state)
{
	(void)state;
	static const drapeScheme schemes[] = {drape_schemeFixed, drape_schemeEdge, drape_schemeSqrt3};
	for (int k = 0; k < (isSlow ? 1 : 3); ++k)
	{
		MotionScene scene = Dance(schemes[k], 2);
		uint32_t moved = 0, unresolved = 0, most = 0;
		Settle(&scene);
		for (int i = 0; i < lastOverlap; ++i)
		{
			MakeStep(&scene, i);
			drapeCounters stats = drapeWorld_GetCounters(scene.world);
			drapeMeasures measures = drapeWorld_GetMeasures(scene.world);
			moved = MaxU32(moved, CountMoved(&scene));
			unresolved += stats.unresolved;
			most = MaxU32(most, stats.crossings);
			assert_true(measures.stretch99 < 1.25f);
			assert_int_equal(stats.damped + stats.held, 0);
		}
		print_message("scheme %d: %u vertices of the body moved, %u impacts unresolved, at most %u crossings\n",
		              (int)schemes[k], moved, unresolved, most);
		assert_true(moved > 8);
		assert_true(unresolved < 200);
		assert_true(most < 100);
		MotionScene_Destroy(&scene);
	}
}

static void TheBodyIsShownAsItWasGiven(void** state)
{
	(void)state;
	MotionScene scene = Dance(drape_schemeFixed, 1);
	for (int i = 0; i < (isSlow ? 2 : firstOverlap + 14); ++i)
		MakeStep(&scene, isSlow ? firstOverlap + 12 + i : i);
	assert_true(CountMoved(&scene) > 0);
	drapeColliderView view = drapeCollider_GetView(scene.bodyCollider);
	for (uint32_t i = 0; i < view.vertexCount; ++i)
	{
		drapeVec3 skin = scene.skin[i];
		assert_true(view.positions[i].x == skin.x && view.positions[i].y == skin.y && view.positions[i].z == skin.z);
	}
	MotionScene_Destroy(&scene);
}

// A step that is cancelled before it begins ends at once.
static void ACancelledStepShowsTheBodyBeforeIt(void** state)
{
	(void)state;
	const int overlap = firstOverlap + 12;
	MotionScene scene = Dance(drape_schemeFixed, 1);
	MakeStep(&scene, overlap);
	uint32_t count = BodyOf(&scene)->vertexCount;
	Vec4* before = malloc(count * sizeof *before);
	assert_non_null(before);
	for (uint32_t i = 0; i < count; ++i)
		before[i] = BodyOf(&scene)->given[i];
	MotionScene_Animate(&scene, 0); // without an overlap
	drapeWorld_Cancel(scene.world);
	assert_int_equal(MotionScene_Step(&scene), drape_errorCancelled);
	assert_memory_equal(drapeCollider_GetView(scene.bodyCollider).positions, before, count * sizeof *before);
	assert_true(BodyOf(&scene)->overlaps);
	free(before);
	MotionScene_Destroy(&scene);
}

static void AWorldGoesOnFromASnapshotWithinAnOverlap(void** state)
{
	(void)state;
	const int saveStep = firstOverlap + 12, steps = isSlow ? 2 : 8;
	MotionScene scene = Dance(drape_schemeFixed, 1), other = Dance(drape_schemeFixed, 2);
	for (int i = isSlow ? saveStep - 2 : 0; i < saveStep; ++i)
		MakeStep(&scene, i);
	size_t size = Make_Snapshot(scene.world, NULL, 0);
	void* data = malloc(size);
	assert_non_null(data);
	assert_int_equal(Make_Snapshot(scene.world, data, size), size);
	assert_int_equal(drapeWorld_Load(other.world, data, size), drape_ok);
	assert_true(CountMoved(&scene) > 0);
	assert_int_equal(CountMoved(&scene), CountMoved(&other));
	assert_true(BodyOf(&scene)->overlaps && BodyOf(&other)->overlaps);
	for (int i = 0; i < steps; ++i)
	{
		MakeStep(&scene, saveStep + i);
		MakeStep(&other, saveStep + i);
		assert_true(drapeWorld_GetHash(scene.world) == drapeWorld_GetHash(other.world));
	}
	free(data);
	MotionScene_Destroy(&scene);
	MotionScene_Destroy(&other);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(ClothBetweenArmAndTrunkStaysWhole),
		cmocka_unit_test(TheBodyIsShownAsItWasGiven),
		cmocka_unit_test(ACancelledStepShowsTheBodyBeforeIt),
		cmocka_unit_test(AWorldGoesOnFromASnapshotWithinAnOverlap),
	};
	return cmocka_run_group_tests_name("overlapping parts", tests, NULL, NULL);
}
