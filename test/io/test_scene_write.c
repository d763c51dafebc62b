// SPDX-License-Identifier: MIT
#include "support.h"

#include "drape/scene.h"

#include <dirent.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

// Scenes as text and back: what is written reads as the same values, and runs as the same run.

static drapeScene* Parse(const char* text, const char* name)
{
	drapeScene* scene;
	drapeMessage error;
	if (drapeScene_Parse(text, strlen(text), name, &scene, &error) != drape_ok)
		fail_msg("unexpected: %s in\n%s", error.text, text);
	return scene;
}

static char* Format(const drapeScene* scene)
{
	size_t size;
	drapeScene_Format(scene, NULL, 0, &size, NULL);
	assert_true(size > 0);
	char* text = malloc(size);
	assert_int_equal(drapeScene_Format(scene, text, size, &size, NULL), drape_ok);
	assert_int_equal(strlen(text), size - 1);
	return text;
}

// The state after a few steps.
static uint64_t RunHash(const drapeScene* scene, int steps)
{
	drapeSceneWorld made;
	drapeMessage error;
	if (drapeScene_CreateWorld(scene, 1, &made, &error) != drape_ok)
		fail_msg("%s", error.text);
	for (int i = 0; i < steps; ++i)
		assert_int_equal(drapeWorld_Step(made.world, 1.0f / scene->time.stepRate), drape_ok);
	uint64_t hash = drapeWorld_GetHash(made.world);
	drapeSceneWorld_Destroy(&made);
	return hash;
}

static drapeScene* Read(const char* path)
{
	drapeScene* scene;
	drapeMessage error;
	if (drapeScene_Read(path, &scene, &error) != drape_ok)
		fail_msg("%s", error.text);
	return scene;
}

static void EverySceneRunsAsTheSameRunAfterItWasWritten(void** state)
{
	(void)state;
	int count = 0;
	DIR* folder = opendir("scenes");
	assert_non_null(folder);
	for (const struct dirent* entry; (entry = readdir(folder)) != NULL;)
	{
		char path[300];
		if (!strstr(entry->d_name, ".json"))
			continue;
		snprintf(path, sizeof path, "scenes/%s", entry->d_name);
		drapeScene* scene = Read(path);
		char* text = Format(scene);
		drapeScene* again = Parse(text, path);
		char* textAgain = Format(again);
		assert_string_equal(text, textAgain);
		assert_true(RunHash(scene, isSlow ? 1 : 8) == RunHash(again, isSlow ? 1 : 8));
		drapeScene_Free(scene);
		drapeScene_Free(again);
		free(text);
		free(textAgain);
		++count;
	}
	closedir(folder);
	assert_true(count >= 20);
}

static const char everything[] =
	"{\"version\": 1, \"name\": \"N \\u00e9 \\\"q\\\"\", \"about\": \"B\",\n"
	"\"time\": {\"frames\": 7, \"frameRate\": 25, \"stepRate\": 100},\n"
	"\"world\": {\"gravity\": [0, -0.0, -1.5], \"adaptRate\": 15, \"threads\": 3, \"camera\": [1, 2, 3], \"untangle\": "
	"true},\n"
	"\"wind\": {\"kind\": \"turbulent\", \"velocity\": [4, 5, 6], \"seed\": 9, \"gustDepth\": 0.1},\n"
	"\"motions\": [{\"name\": \"m\", \"smooth\": true, \"keys\": [{\"time\": 0}, {\"time\": 2, \"position\": [1, 0, 0],"
	"\"axis\": [0, 0, 2], \"angle\": 91.7, \"scale\": 2}]}],\n"
	"\"colliders\": [{\"name\": \"k\", \"shape\": \"capsule\", \"radius\": 0.1, \"halfHeight\": 0.2, \"motion\": \"m\","
	"\"friction\": 0.5, \"colour\": \"#12ab9f\", \"drawnScale\": 0.95}, {\"shape\": \"plane\"},"
	"{\"shape\": \"box\", \"halfExtents\": [0.1, 0.2, 0.3], \"axis\": [0, 0, 1], \"angle\": -33.3},"
	"{\"shape\": \"taperedCapsule\", \"radius\": 0.11, \"topRadius\": 0.07, \"halfHeight\": 0.3}],\n"
	"\"objects\": [{\"name\": \"o\", \"obj\": \"body.$F4.obj\", \"firstFrame\": 3, \"frameRate\": 24, \"scale\": 0.01,"
	"\"colour\": \"#ffffff\"}],\n"
	"\"cloths\": [{\"name\": \"c\", \"disc\": {\"radius\": 2, \"rings\": 4, \"segments\": 5},\n"
	"  \"material\": {\"preset\": \"denim\", \"friction\": 0.9}, \"model\": \"springs\",\n"
	"  \"rest\": {\"source\": \"uv\", \"metresPerUnit\": 4},\n"
	"  \"springs\": {\"law\": \"length\", \"damping\": \"simple\", \"bending\": \"none\"},\n"
	"  \"solver\": {\"integrator\": \"runge-kutta-4\", \"substeps\": 8, \"maxStretch\": 0},\n"
	"  \"adapt\": {\"scheme\": \"edge\", \"maxLevel\": 5, \"tieRule\": \"curvature\", \"joinRule\": \"any\","
	"\"curvature\": {\"enabled\": false, \"split\": 7, \"join\": 6.7}, \"length\": {}, \"collision\": {\"maxLevel\": "
	"2},"
	"\"visibility\": {\"camera\": [1, 1, 1]}},\n"
	"  \"budget\": {\"triangles\": 1000}, \"pinMiddles\": true,\n"
	"  \"pins\": [{\"vertices\": [3, 1]}, {\"box\": {\"min\": [-1, -1, -1], \"max\": [1, 1, 1]}, \"motion\": \"m\"}],\n"
	"  \"look\": {\"fabric\": \"silk\", \"front\": \"#010203\", \"texture\": \"tartan\", \"textureSize\": 0.3}},\n"
	" {\"name\": \"d\", \"grid\": {\"columns\": 2}, \"model\": \"fem\", \"solver\": {\"integrator\": \"verlet\"},"
	"  \"pins\": [{\"corners\": [\"top-left\", \"bottom-right\"]}]},\n"
	" {\"name\": \"e\", \"obj\": \"e.obj\", \"adapt\": {\"length\": {\"enabled\": false, \"split\": 0.5}},"
	"  \"material\": {\"density\": 0.3, \"stretchWarp\": 1, \"stretchWeft\": 2, \"shear\": 3, \"bendWarp\": 1,"
	"  \"bendWeft\": 2, \"dampingTime\": 1, \"friction\": 1, \"thickness\": 0.1, \"drag\": 2, \"lift\": 3,"
	"  \"poisson\": 0.1, \"warpCurve\": [[0.1, 2], [0.2, 5]]}}],\n"
	"\"camera\": {\"position\": [0, 1, 3], \"target\": [0, 0.5, 0], \"fieldOfView\": 40},\n"
	"\"output\": {\"name\": \"$CLOTHx$F3\", \"formats\": [\"ply\", \"pc2\"], \"topology\": \"fixed\", \"level\": 2,"
	"\"firstFrame\": 0, \"snapshotEvery\": 10}}";

static void EveryKindOfValueComesBack(void** state)
{
	(void)state;
	drapeScene* scene = Parse(everything, "f/a.json");
	char* text = Format(scene);
	drapeScene* again = Parse(text, "f/a.json");
	char* textAgain = Format(again);
	assert_string_equal(text, textAgain);
	assert_string_equal(again->name, "N \xc3\xa9 \"q\"");
	assert_memory_equal(&scene->world, &again->world, sizeof scene->world);
	assert_true(signbit(again->world.gravity.y));
	assert_memory_equal(&scene->wind, &again->wind, sizeof scene->wind);
	assert_memory_equal(&scene->time, &again->time, sizeof scene->time);
	assert_memory_equal(&scene->camera, &again->camera, sizeof scene->camera);
	const drapeColliderDef* limb = &again->colliders[3].def;
	assert_int_equal(limb->shape, drape_shapeTaperedCapsule);
	assert_true(limb->radius == 0.11f && limb->topRadius == 0.07f && limb->halfHeight == 0.3f);
	assert_memory_equal(&scene->motions[0].keys[1].pose, &again->motions[0].keys[1].pose, sizeof(drapeScenePose));
	assert_int_equal(again->colliderCount, 4);
	for (int i = 0; i < 3; ++i)
		assert_memory_equal(&scene->colliders[i].pose, &again->colliders[i].pose, sizeof(drapeScenePose));
	assert_string_equal(again->objects[0].obj, "body.$F4.obj");
	assert_int_equal(again->objects[0].firstFrame, 3);
	assert_int_equal(again->clothCount, 3);
	for (int i = 0; i < 3; ++i)
	{
		const drapeSceneCloth *a = &scene->cloths[i], *b = &again->cloths[i];
		assert_int_equal(a->source, b->source);
		assert_int_equal(a->model, b->model);
		assert_memory_equal(&a->material, &b->material, sizeof a->material);
		assert_memory_equal(&a->solver, &b->solver, sizeof a->solver);
		assert_memory_equal(&a->springs, &b->springs, sizeof a->springs);
		assert_memory_equal(&a->adapt, &b->adapt, sizeof a->adapt);
		assert_memory_equal(&a->budget, &b->budget, sizeof a->budget);
		assert_int_equal(a->pinCount, b->pinCount);
	}
	assert_int_equal(again->cloths[0].pins[0].vertices[0], 3);
	assert_int_equal(again->cloths[1].pins[0].corners, drape_sceneTopLeft | drape_sceneBottomRight);
	assert_int_equal(again->output.formats, drape_sceneFormatPly | drape_sceneFormatPc2);
	drapeScene_Free(scene);
	drapeScene_Free(again);
	free(text);
	free(textAgain);
}

// Angles are degrees in the file, so that the way back is not that of plain numbers.
static void AnyFloatComesBackBitForBit(void** state)
{
	(void)state;
	drapeScene* scene = Parse("{\"cloths\": [{\"name\": \"a\", \"grid\": {}}]}", "a.json");
	uint32_t random = 1;
	for (int i = 0; i < 2000; ++i)
	{
		float values[2];
		for (int k = 0; k < 2; ++k)
		{
			random = random * 1664525u + 1013904223u;
			values[k] = (float)((double)random / 4294967296.0 * pow(10.0, (double)(i % 8) - 5.0));
		}
		scene->cloths[0].pose.angle = -values[0];
		scene->cloths[0].pose.position.x = values[1];
		scene->cloths[0].material.density = 1e-4f + values[1];
		char* text = Format(scene);
		drapeScene* again = Parse(text, "a.json");
		assert_memory_equal(&scene->cloths[0].pose, &again->cloths[0].pose, sizeof(drapeScenePose));
		assert_memory_equal(&scene->cloths[0].material, &again->cloths[0].material, sizeof(drapeMaterial));
		drapeScene_Free(again);
		free(text);
	}
	drapeScene_Free(scene);
}

static void DefaultsAreLeftOut(void** state)
{
	(void)state;
	drapeScene* scene = Parse("{\"cloths\": [{\"name\": \"a\", \"grid\": {}, \"material\": \"silk\"}]}", "a.json");
	char* text = Format(scene);
	assert_string_equal(text, "{\n  \"cloths\": [\n    {\n      \"name\": \"a\",\n      \"grid\": {},\n"
	                          "      \"material\": \"silk\",\n      \"model\": \"fem\",\n      \"solver\": {\n"
	                          "        \"integrator\": \"bdf2\"\n      }\n    }\n  ]\n}\n");
	drapeScene_Free(scene);
	free(text);
}

// A criterion of the shape replaces the accuracy and its cap, unless the scene names those too; all come back.
static void TheDefaultCriterionIsReplacedByOthersOfTheShape(void** state)
{
	(void)state;
	const struct
	{
		const char* adapt;
		bool accuracy, curvature, collision;
		uint32_t cap;
	} cases[] = {
		{"{}", true, false, false, 10000},
		{"{\"collision\": {}}", true, false, true, 10000},
		{"{\"curvature\": {}}", false, true, false, 0},
		{"{\"curvature\": {\"enabled\": false}}", false, false, false, 0},
		{"{\"meanCurvature\": {}, \"maxTriangles\": 7}", false, false, false, 7},
		{"{\"curvature\": {}, \"accuracy\": {}}", true, true, false, 0},
		{"{\"accuracy\": {\"enabled\": false}}", false, false, false, 10000},
	};
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i)
	{
		char text[300];
		snprintf(text, sizeof text, "{\"cloths\": [{\"name\": \"a\", \"grid\": {}, \"adapt\": %s}]}", cases[i].adapt);
		drapeScene* scene = Parse(text, "a.json");
		char* written = Format(scene);
		drapeScene* again = Parse(written, "b.json");
		const drapeScene* both[2] = {scene, again};
		for (int k = 0; k < 2; ++k)
		{
			const drapeAdaptDef* adapt = &both[k]->cloths[0].adapt;
			if (adapt->accuracy.enabled != cases[i].accuracy || adapt->curvature.enabled != cases[i].curvature ||
			    adapt->collision.colliders != cases[i].collision || adapt->maxTriangles != cases[i].cap)
				fail_msg("case %zu, reading %d:\n%s", i, k, written);
		}
		free(written);
		drapeScene_Free(scene);
		drapeScene_Free(again);
	}
}

static void AnEmptySceneIsAScene(void** state)
{
	(void)state;
	drapeScene* scene = Parse("{}", "a.json");
	char* text = Format(scene);
	assert_string_equal(text, "{}\n");
	drapeScene_Free(scene);
	free(text);
}

static void WriteFile(const char* path, const char* text)
{
	FILE* file = fopen(path, "wb");
	assert_non_null(file);
	assert_true(fputs(text, file) >= 0);
	fclose(file);
}

static void PathsNameTheSameFilesInAnotherFolder(void** state)
{
	(void)state;
	char root[] = "/tmp/drape.test.XXXXXX", path[128], folder[128], expected[128];
	assert_non_null(mkdtemp(root));
	const char* const folders[] = {"a", "a/data", "b"};
	for (int i = 0; i < 3; ++i)
	{
		snprintf(folder, sizeof folder, "%s/%s", root, folders[i]);
		assert_int_equal(mkdir(folder, 0700), 0);
	}
	snprintf(path, sizeof path, "%s/a/data/cloth.obj", root);
	WriteFile(path, "v 0 0 0\nv 1 0 0\nv 0 0 -1\nf 1 2 3\n");
	snprintf(path, sizeof path, "%s/a/s.json", root);
	WriteFile(path, "{\"objects\": [{\"obj\": \"data/x.$F4.obj\"}], \"cloths\": [{\"name\": \"c\", \"obj\": "
	                "\"data/cloth.obj\"}]}");
	drapeScene *scene = Read(path), *again;

	snprintf(path, sizeof path, "%s/a/same.json", root);
	assert_int_equal(drapeScene_Write(scene, path, NULL), drape_ok);
	again = Read(path);
	assert_string_equal(again->cloths[0].obj, "data/cloth.obj");
	drapeScene_Free(again);
	unlink(path);

	snprintf(path, sizeof path, "%s/b/other.json", root);
	assert_int_equal(drapeScene_Write(scene, path, NULL), drape_ok);
	again = Read(path);
	snprintf(expected, sizeof expected, "%s/a/data/cloth.obj", root);
	assert_string_equal(again->cloths[0].obj, expected);
	snprintf(expected, sizeof expected, "%s/a/data/x.$F4.obj", root);
	assert_string_equal(again->objects[0].obj, expected);
	assert_true(RunHash(scene, 1) == RunHash(again, 1));
	drapeScene_Free(scene);
	unlink(path);

	// And back: what lies below the new folder is relative again.
	snprintf(path, sizeof path, "%s/a/back.json", root);
	assert_int_equal(drapeScene_Write(again, path, NULL), drape_ok);
	drapeScene_Free(again);
	again = Read(path);
	assert_string_equal(again->cloths[0].obj, "data/cloth.obj");
	drapeScene_Free(again);
	unlink(path);

	drapeMessage error;
	scene = Parse("{}", "a.json");
	snprintf(path, sizeof path, "%s/absent/s.json", root);
	assert_int_equal(drapeScene_Write(scene, path, &error), drape_errorFile);
	assert_non_null(strstr(error.text, "absent"));
	drapeScene_Free(scene);
	const char* const files[] = {"a/data/cloth.obj", "a/s.json", "a/data", "a", "b", ""};
	for (int i = 0; i < 6; ++i)
	{
		snprintf(path, sizeof path, "%s/%s", root, files[i]);
		assert_int_equal(remove(path), 0);
	}
}

static void ShortMemoryLeavesNothingBehind(void** state)
{
	(void)state;
	size_t failures = 0;
	for (size_t number = 1;; ++number)
	{
		Test_FailAllocation(0, false);
		drapeScene* scene = Parse(everything, "f/a.json");
		size_t before = drapeGetMemoryUse().bytes;
		drapeScene_Free(scene);
		Test_FailAllocation(number, false);
		drapeMessage error;
		bool parsed = drapeScene_Parse(everything, strlen(everything), "f/a.json", &scene, &error) == drape_ok;
		size_t size = 1;
		if (parsed)
			drapeScene_Format(scene, NULL, 0, &size, NULL);
		failures += size == 0;
		assert_true(!parsed || drapeGetMemoryUse().bytes == before);
		drapeScene_Free(scene);
		Test_FailAllocation(0, false);
		if (parsed && size > 0)
			break;
	}
	assert_true(failures > 10);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(EverySceneRunsAsTheSameRunAfterItWasWritten),
		cmocka_unit_test(EveryKindOfValueComesBack),
		cmocka_unit_test(AnyFloatComesBackBitForBit),
		cmocka_unit_test(DefaultsAreLeftOut),
		cmocka_unit_test(TheDefaultCriterionIsReplacedByOthersOfTheShape),
		cmocka_unit_test(AnEmptySceneIsAScene),
		cmocka_unit_test(PathsNameTheSameFilesInAnotherFolder),
		cmocka_unit_test(ShortMemoryLeavesNothingBehind),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
