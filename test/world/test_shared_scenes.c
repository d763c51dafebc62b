// SPDX-License-Identifier: MIT
#include "sheet.h"

#include "shared/scenes.h"

#include <string.h>

// The contact scenes of the benchmarks (shared/scenes.h) with coarse meshes: every scene runs, and threads do not
// change its results.

static uint64_t HashAfter(const SharedSceneDef* def, int steps)
{
	SharedScene scene;
	SharedScene_Create(&scene, def);
	for (int i = 0; i < steps; ++i)
	{
		SharedScene_Animate(&scene, i);
		drapeResult result = drapeWorld_Step(scene.world, contactFrame);
		if (result != drape_ok)
			fail_msg("%s, step %d: %s", def->name, i, drapeWorld_GetWarning(scene.world).text);
	}
	Sheet_Check(scene.world);
	uint64_t hash = drapeWorld_GetHash(scene.world);
	SharedScene_Destroy(&scene);
	return hash;
}

static void ThreadsDoNotChangeASharedScene(void** state)
{
	(void)state;
	static const drapeScheme schemes[] = {drape_schemeFixed, drape_schemeEdge, drape_schemeSqrt3};
	const char* last = "";
	const SharedSceneDef* listed;
	for (uint32_t i = 0; (listed = SharedScene_List(i)) != NULL; ++i)
	{
		// The body alone takes seconds to build.
		bool isRepeated = strcmp(listed->name, last) == 0, isLong = isSlow && strcmp(listed->name, "body") == 0;
		last = listed->name;
		if (isRepeated || isLong)
			continue;
		SharedSceneDef def = *listed;
		def.columns = def.rows = 16;
		def.levels = 2;
		def.scheme = schemes[i % 3];
		def.threads = 1;
		uint64_t hash = HashAfter(&def, isSlow ? 8 : 40);
		def.threads = 2;
		if (HashAfter(&def, isSlow ? 8 : 40) != hash)
			fail_msg("%s: two threads gave another result than one", def.name);
	}
}

static void ScenesWithOtherGravityDiffer(void** state)
{
	(void)state;
	SharedSceneDef def = {.name = "sphere", .columns = 8, .rows = 8, .threads = 1};
	uint64_t hash = HashAfter(&def, 3);
	assert_true(HashAfter(&def, 3) == hash);
	def.nudge = 1;
	assert_true(HashAfter(&def, 3) != hash);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(ThreadsDoNotChangeASharedScene),
		cmocka_unit_test(ScenesWithOtherGravityDiffer),
	};
	return cmocka_run_group_tests_name("shared scenes", tests, NULL, NULL);
}
