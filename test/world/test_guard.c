// SPDX-License-Identifier: MIT
#include "sheet.h"
#include "shared/make.h"

#include "shared/motion_scenes.h"
#include "shared/sheets.h"
#include "world/world.h"

#include <stdlib.h>

// The guard repeats steps (world/guard.h) only when that is worth its cost.

static const float frame = 1.0f / 60.0f; // s

static drapeClothId AddFlat(drapeWorldId world, float width, float y)
{
	drapeClothDef def = Make_SpringClothDef();
	def.model = drape_modelFem;
	assert_int_equal(drapeMaterial_GetPreset("cotton", &def.material, NULL), drape_ok);
	def.solver = drapeDefaultSolverDef();
	def.solver.integrator = drape_integratorImplicitEuler;
	def.contact = drape_contactAll;
	def.material.thickness = 0.004f;
	drapeTransform at = drapeIdentityTransform();
	at.position = (Vec3){0.0f, y, 0.0f};
	return SharedSheet_Add(world, &def, 6, 6, width, width, SharedPlace_Transform, &at);
}

static void SetVelocity(drapeClothId cloth, drapeVec3 velocity)
{
	uint32_t count = drapeCloth_GetView(cloth).particleCount;
	drapeVec3* rows = malloc(count * sizeof *rows);
	assert_non_null(rows);
	for (uint32_t i = 0; i < count; ++i)
		rows[i] = velocity;
	assert_int_equal(drapeCloth_SetVelocities(cloth, rows), drape_ok);
	free(rows);
}

// A sheet at rest without gravity has no energy at all. The sheet that hits it gives it some.
static void AClothMayTakeEnergyFromAnotherThatHitsIt(void** state)
{
	(void)state;
	drapeWorldDef worldDef = drapeDefaultWorldDef();
	worldDef.gravity = (drapeVec3){0.0f, 0.0f, 0.0f};
	drapeWorldId world = Make_World(&worldDef);
	drapeClothId resting = AddFlat(world, 0.2f, 0.0f), falling = AddFlat(world, 0.3f, 0.01f);
	SetVelocity(falling, (drapeVec3){0.0f, -0.3f, 0.0f});
	uint32_t retries = 0;
	for (int i = 0; i < 10; ++i)
	{
		assert_int_equal(drapeWorld_Step(world, frame), drape_ok);
		retries += drapeWorld_GetCounters(world).retries;
	}
	assert_int_equal(retries, 0);
	assert_int_equal(drapeWorld_GetWarning(world).count, 0);
	assert_true(drapeCloth_GetView(resting).velocities[24].y < -0.05f);
	drapeDestroyWorld(world);
}

typedef struct Counts
{
	uint32_t retries;
	float stretch99;
} Counts;

static Counts RunCoarse(const char* name, drapeScheme scheme, int steps)
{
	const MotionSceneDef def = {.name = name, .scheme = scheme, .threads = 1, .isCoarse = true};
	Counts counts = {0};
	MotionScene scene;
	MotionScene_Create(&scene, &def);
	for (int i = 0; i < steps; ++i)
	{
		MotionScene_Animate(&scene, i);
		assert_int_equal(MotionScene_Step(&scene), drape_ok);
		drapeCounters stats = drapeWorld_GetCounters(scene.world);
		drapeMeasures measures = drapeWorld_GetMeasures(scene.world);
		counts.retries += stats.retries;
		counts.stretch99 = fmaxf(counts.stretch99, measures.stretch99);
	}
	MotionScene_Destroy(&scene);
	print_message("%s: %u retries, stretch %.3f\n", name, counts.retries, (double)counts.stretch99);
	return counts;
}

// Fifty sheets are solved together. A repetition for few edges of one of them repeats the step of all.
static void AFewEdgesOfOneClothDoNotRepeatTheStepOfFifty(void** state)
{
	(void)state;
	Counts counts = RunCoarse("fifty", drape_schemeFixed, 70);
	assert_true(counts.retries <= 15);
	assert_true(counts.stretch99 < 1.1f);
}

static const MotionSceneDef gale = {.name = "gale", .scheme = drape_schemeFixed, .threads = 1, .isCoarse = true};

// Makes steps. Returns the largest number of substeps of any.
static uint32_t Run(MotionScene* scene, int steps)
{
	uint32_t most = 0;
	for (int i = 0; i < steps; ++i)
	{
		assert_int_equal(MotionScene_Step(scene), drape_ok);
		most = MaxU32(most, drapeWorld_GetCounters(scene->world).substeps);
	}
	return most;
}

static void AFlagInAGaleRemembersThatItNeedsSubsteps(void** state)
{
	(void)state;
	assert_true(RunCoarse("gale", drape_schemeFixed, 60).retries <= 10);
}

static void SubstepsAreForgottenWhenTheyAreNoLongerNeeded(void** state)
{
	(void)state;
	const drapeWindDef still = drapeDefaultWindDef();
	MotionScene scene;
	MotionScene_Create(&scene, &gale);
	assert_true(Run(&scene, 20) > 1);
	drapeWorld_SetWind(scene.world, &still);
	Run(&scene, 60);
	assert_int_equal(Run(&scene, 10), 1);
	MotionScene_Destroy(&scene);
}

static void AResumedFlagRemembersItsSubsteps(void** state)
{
	(void)state;
	MotionScene scene, resumed;
	MotionScene_Create(&scene, &gale);
	MotionScene_Create(&resumed, &gale);
	Run(&scene, 20);
	size_t size = Make_Snapshot(scene.world, NULL, 0);
	void* data = malloc(size);
	assert_non_null(data);
	assert_int_equal(Make_Snapshot(scene.world, data, size), size);
	assert_int_equal(drapeWorld_Load(resumed.world, data, size), drape_ok);
	assert_true(Run(&scene, 1) > 1);
	assert_int_equal(drapeWorld_GetCounters(scene.world).retries, 0);
	Run(&resumed, 1);
	assert_int_equal(drapeWorld_GetCounters(resumed.world).retries, 0);
	assert_true(drapeWorld_GetHash(scene.world) == drapeWorld_GetHash(resumed.world));
	free(data);
	MotionScene_Destroy(&scene);
	MotionScene_Destroy(&resumed);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(AClothMayTakeEnergyFromAnotherThatHitsIt),
		cmocka_unit_test(AFewEdgesOfOneClothDoNotRepeatTheStepOfFifty),
		cmocka_unit_test(AFlagInAGaleRemembersThatItNeedsSubsteps),
		cmocka_unit_test(SubstepsAreForgottenWhenTheyAreNoLongerNeeded),
		cmocka_unit_test(AResumedFlagRemembersItsSubsteps),
	};
	return cmocka_run_group_tests_name("guard", tests, NULL, NULL);
}
