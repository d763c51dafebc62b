// SPDX-License-Identifier: MIT
#include "sheet.h"

#include "shared/garments.h"
#include "shared/motion_scenes.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// The scenes of `drape bench motion` (shared/motion_scenes.h) with coarse meshes.

static const drapeScheme schemes[] = {drape_schemeFixed, drape_schemeEdge, drape_schemeSqrt3};

static uint32_t CountCrossings(drapeWorldId world)
{
	uint32_t count;
	assert_int_equal(drapeWorld_FindCrossings(world, NULL, 0, &count), drape_ok);
	return count;
}

static void EverySceneStartsWithoutCrossings(void** state)
{
	(void)state;
	MotionSceneDef def = {.threads = 1, .isCoarse = true};
	for (uint32_t i = 0; (def.name = MotionScene_Name(i)) != NULL; ++i)
	{
		MotionScene scene;
		def.scheme = schemes[i % 3];
		MotionScene_Create(&scene, &def);
		if (CountCrossings(scene.world) > 0)
			fail_msg("%s: the start crosses", def.name);
		assert_true(scene.clothCount > 0);
		assert_true(scene.releaseStep < scene.steps);
		MotionScene_Destroy(&scene);
	}
}

static void FullGarmentsStartWithoutCrossings(void** state)
{
	(void)state;
	static const char* const names[] = {"worn", "walk", "dance"};
	for (int i = 0; i < (isSlow ? 1 : 3); ++i)
	{
		const MotionSceneDef def = {.name = names[i], .scheme = drape_schemeFixed, .threads = 1};
		MotionScene scene;
		MotionScene_Create(&scene, &def);
		assert_int_equal(CountCrossings(scene.world), 0);
		MotionScene_Destroy(&scene);
	}
}

static uint64_t HashAfter(const MotionSceneDef* def, int steps)
{
	MotionScene scene;
	MotionScene_Create(&scene, def);
	for (int i = 0; i < steps; ++i)
	{
		MotionScene_Animate(&scene, i);
		drapeResult result = MotionScene_Step(&scene);
		if (result != drape_ok)
			fail_msg("%s, step %d: %s", def->name, i, drapeWorld_GetWarning(scene.world).text);
	}
	Sheet_Check(scene.world);
	uint64_t hash = drapeWorld_GetHash(scene.world);
	MotionScene_Destroy(&scene);
	return hash;
}

static void ThreadsDoNotChangeASceneInMotion(void** state)
{
	(void)state;
	MotionSceneDef def = {.isCoarse = true};
	for (uint32_t i = 0; (def.name = MotionScene_Name(i)) != NULL; ++i)
	{
		def.scheme = schemes[(i + 1) % 3];
		def.threads = 1;
		uint64_t hash = HashAfter(&def, isSlow ? 2 : 6);
		def.threads = 2;
		if (HashAfter(&def, isSlow ? 2 : 6) != hash)
			fail_msg("%s: two threads gave another result than one", def.name);
	}
}

// --- bodies and garments --------------------------------------------------------------------------------------------

static float LongestStep(BodyPose (*poseAt)(float time), const PosedBody* body, float seconds)
{
	uint32_t count = body->rest.vertexCount;
	drapeVec3 *before = malloc(count * sizeof *before), *after = malloc(count * sizeof *after);
	assert_non_null(before);
	assert_non_null(after);
	BodyPose start = poseAt(0.0f);
	float longest = 0.0f;
	PosedBody_Skin(body, &start, before);
	for (float time = motionFrame; time < seconds; time += motionFrame)
	{
		BodyPose pose = poseAt(time);
		PosedBody_Skin(body, &pose, after);
		for (uint32_t i = 0; i < count; ++i)
		{
			drapeVec3 way = {after[i].x - before[i].x, after[i].y - before[i].y, after[i].z - before[i].z};
			longest = fmaxf(longest, sqrtf(way.x * way.x + way.y * way.y + way.z * way.z));
		}
		memcpy(before, after, count * sizeof *after);
	}
	free(before);
	free(after);
	return longest;
}

static void BodiesMoveSmoothlyAndFast(void** state)
{
	(void)state;
	PosedBody body;
	PosedBody_Create(&body, 0.03f);
	assert_in_range(body.rest.triangleCount, 5000, 5500);
	float walk = LongestStep(BodyPose_Walk, &body, 3.0f) / motionFrame;
	float dance = LongestStep(BodyPose_Dance, &body, 4.0f) / motionFrame;
	float pinch = LongestStep(BodyPose_Pinch, &body, 3.0f) / motionFrame;
	print_message("m/s: walk %.1f, dance %.1f, pinch %.1f\n", (double)walk, (double)dance, (double)pinch);
	assert_true(walk > 1.5f && walk < 5.0f);
	assert_true(dance > 6.0f && dance < 15.0f);
	assert_true(pinch > 3.0f && pinch < 8.0f);
	PosedBody_Destroy(&body);
}

static void GarmentsHaveTheSizesThatTheyPromise(void** state)
{
	(void)state;
	Garment garment;
	Garment_CreateShirt(&garment, 0);
	assert_int_equal(garment.mesh.triangleCount, 316);
	assert_true(Garment_IsSewn(&garment));
	Garment_Free(&garment);
	Garment_CreateShirt(&garment, 2);
	assert_int_equal(garment.mesh.triangleCount, 5056);
	Garment_Free(&garment);
	Garment_CreateDress(&garment, 1);
	assert_int_equal(garment.mesh.triangleCount, 1408);
	Garment_Free(&garment);
	Garment_CreateSkirt(&garment, 52, 25);
	assert_int_equal(garment.mesh.triangleCount, 2600);
	Garment_Free(&garment);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(EverySceneStartsWithoutCrossings),    cmocka_unit_test(FullGarmentsStartWithoutCrossings),
		cmocka_unit_test(ThreadsDoNotChangeASceneInMotion),    cmocka_unit_test(BodiesMoveSmoothlyAndFast),
		cmocka_unit_test(GarmentsHaveTheSizesThatTheyPromise),
	};
	return cmocka_run_group_tests_name("motion scenes", tests, NULL, NULL);
}
