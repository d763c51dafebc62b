// SPDX-License-Identifier: MIT
#include "support.h"
#include "shared/make.h"

#include "drape/scene.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// Mesh colliders of scenes: from one file or from one for each frame.

static const float frame = 1.0f / 60.0f;

// --- files ---

static char folder[64];

static int MakeFolder(void** state)
{
	(void)state;
	snprintf(folder, sizeof folder, "/tmp/drape_collider_XXXXXX");
	return mkdtemp(folder) ? 0 : 1;
}

static int RemoveFolder(void** state)
{
	(void)state;
	char command[96];
	snprintf(command, sizeof command, "rm -r %s", folder);
	return system(command);
}

static void WriteFile(const char* name, const char* text)
{
	char path[128];
	snprintf(path, sizeof path, "%s/%s", folder, name);
	FILE* file = fopen(path, "w");
	assert_non_null(file);
	fputs(text, file);
	fclose(file);
}

// A tetrahedron whose base is at this height; `more` lines follow.
static void WriteTetrahedron(const char* name, double height, const char* more)
{
	char text[512];
	snprintf(text, sizeof text, "v -1 %g -1\nv 1 %g -1\nv 0 %g 1\nv 0 %g 0\nf 1 2 3\nf 1 4 2\nf 2 4 3\nf 3 4 1\n%s",
	         height, height, height, height + 1.0, more);
	WriteFile(name, text);
}

// --- scenes ---

static drapeScene* Parse(const char* collider)
{
	char text[1024], name[96];
	snprintf(name, sizeof name, "%s/t.json", folder);
	snprintf(text, sizeof text,
	         "{\"colliders\": [{\"name\": \"body\", \"shape\": \"mesh\",\n%s}],\n"
	         "\"cloths\": [{\"name\": \"a\", \"grid\": {\"columns\": 6, \"rows\": 6}, \"position\": [0, 2.2, 0], "
	         "\"contact\": \"all\"}]}",
	         collider);
	drapeScene* scene;
	drapeMessage error;
	if (drapeScene_Parse(text, strlen(text), name, &scene, &error) != drape_ok)
		fail_msg("unexpected: %s", error.text);
	return scene;
}

static drapeSceneWorld Create(const char* collider)
{
	drapeScene* scene = Parse(collider);
	drapeSceneWorld world;
	drapeMessage error;
	if (drapeScene_CreateWorld(scene, 0, &world, &error) != drape_ok)
		fail_msg("unexpected: %s", error.text);
	drapeScene_Free(scene);
	return world;
}

static void ExpectRefusal(const char* collider, const char* message)
{
	char text[1024], expected[512];
	drapeScene* scene;
	drapeMessage error;
	snprintf(text, sizeof text, "{\"cloths\": [{\"name\": \"a\", \"grid\": {}}],\n\"colliders\": [{%s}]}", collider);
	snprintf(expected, sizeof expected, "t.json:2:%s", message);
	drapeResult result = drapeScene_Parse(text, strlen(text), "t.json", &scene, &error);
	assert_string_equal(error.text, expected);
	assert_int_equal(result, drape_errorData);
}

// The message begins with the place of the collider in the scene, and the files are named with their folder.
static void ExpectNoWorld(const char* collider, drapeResult expectedResult, const char* format)
{
	char expected[512], message[400];
	drapeScene* scene = Parse(collider);
	drapeSceneWorld world;
	drapeMessage error;
	drapeResult result = drapeScene_CreateWorld(scene, 0, &world, &error);
	snprintf(message, sizeof message, format, folder);
	snprintf(expected, sizeof expected, "%s/t.json:1:16: collider \"body\": %s", folder, message);
	assert_string_equal(error.text, expected);
	assert_int_equal(result, expectedResult);
	assert_false(drapeWorld_IsValid(world.world));
	drapeScene_Free(scene);
	assert_int_equal(drapeGetMemoryUse().bytes, 0);
}

static float BaseHeight(const drapeSceneWorld* world)
{
	return drapeCollider_GetView(world->colliders[0]).positions[0].y;
}

// --- reading ---

static void ContactKeysAreRead(void** state)
{
	(void)state;
	drapeScene* scene = Parse("\"obj\": \"b$F3.obj\", \"firstFrame\": 7, \"frames\": 3, \"frameRate\": 12, "
	                          "\"repeat\": true");
	const drapeSceneCollider* collider = &scene->colliders[0];
	assert_int_equal(collider->def.shape, drape_shapeMesh);
	assert_string_equal(collider->obj, "b$F3.obj");
	assert_int_equal(collider->firstFrame, 7);
	assert_int_equal(collider->frames, 3);
	assert_true(collider->frameRate == 12.0f && collider->repeat);
	assert_int_equal(scene->cloths[0].contact, drape_contactAll);
	drapeScene_Free(scene);
}

static void KeysThatGoWithNothingAreRefused(void** state)
{
	(void)state;
	ExpectRefusal("\"shape\": \"mesh\"", "15: obj is missing, expected one because this is a mesh");
	ExpectRefusal("\"shape\": \"mesh\", \"obj\": \"\"", "40: obj is empty, expected the path of an OBJ file");
	ExpectRefusal("\"shape\": \"sphere\", \"radius\": 1, \"obj\": \"a.obj\"", "55: a sphere has no obj, expected none");
	ExpectRefusal("\"shape\": \"mesh\", \"obj\": \"a.obj\", \"radius\": 1", "59: a mesh has no radius, expected none");
	ExpectRefusal("\"shape\": \"mesh\", \"obj\": \"a.obj\", \"repeat\": true",
	              "59: repeat needs a file for each frame, expected an obj with $F4 in it");
	ExpectRefusal("\"shape\": \"plane\", \"frames\": 2",
	              "44: frames needs a file for each frame, expected an obj with $F4 in it");
	ExpectRefusal("\"shape\": \"mesh\", \"obj\": \"a$G.obj\"",
	              "40: obj has a $ that stands for nothing, expected $F4 once");
}

// --- files ---

static void BadFilesAreRefusedWithTheirPlaceInTheScene(void** state)
{
	(void)state;
	ExpectNoWorld("\"obj\": \"absent.obj\"", drape_errorFile, "%s/absent.obj: cannot open: No such file or directory");
	WriteFile("flat.obj", "v 0 0 0\nv 1 0 0\nv 2 0 0\nf 1 2 3\n");
	ExpectNoWorld("\"obj\": \"flat.obj\"", drape_errorData,
	              "flat.obj cannot be a collider: no triangle of the collider has an area");
	WriteFile("far.obj", "v 0 0 0\nv 1 0 0\nv 2e9 0 1\nf 1 2 3\n");
	ExpectNoWorld("\"obj\": \"far.obj\"", drape_errorData,
	              "%s/far.obj:3: vertex 3 is beyond 1e+09 m, expected a collider of this world");
	WriteTetrahedron("n1.obj", 0.0, "");
	WriteTetrahedron("n2.obj", 0.0, "v 5 5 5\n");
	ExpectNoWorld("\"obj\": \"n$F.obj\"", drape_errorData,
	              "%s/n2.obj: has 5 vertices, expected 4 as in the first file");
	ExpectNoWorld("\"obj\": \"n$F.obj\", \"firstFrame\": 2, \"frames\": 2", drape_errorFile,
	              "%s/n3.obj: cannot open: No such file or directory");
}

static void ExpectWarning(const char* text, const char* message)
{
	WriteFile("odd.obj", text);
	drapeSceneWorld world = Create("\"obj\": \"odd.obj\"");
	char expected[512];
	snprintf(expected, sizeof expected, "%s/t.json:1:16: collider \"body\": %s", folder, message);
	assert_int_equal(world.warningCount, 1);
	assert_string_equal(world.warnings[0].text, expected);
	drapeSceneWorld_Destroy(&world);
}

static void OddMeshesAreTakenWithAWarning(void** state)
{
	(void)state;
	ExpectWarning(
		"v 0 0 0\nv 1 0 0\nv 0 0 1\nv 2 0 0\nf 1 3 2\nf 1 2 4\n",
		"1 of 2 triangles left out for having no area, the first in line 6; not closed, with one triangle at 4 "
		"edges: a sheet with two sides and no inside");
	ExpectWarning("v -1 0 -1\nv 1 0 -1\nv 0 0 1\nv 0 1 0\nf 1 3 2\nf 1 2 4\nf 2 3 4\nf 3 1 4\n",
	              "inside out, and has been turned over");
	WriteTetrahedron("whole.obj", 0.0, "");
	drapeSceneWorld world = Create("\"obj\": \"whole.obj\"");
	assert_int_equal(world.warningCount, 0);
	drapeSceneWorld_Destroy(&world);
}

// --- sequences ---

// Frames 0 to 4: up to 0.4 m. Files beside them belong to no sequence of four digits.
static void WriteRise(void)
{
	for (int i = 0; i < 5; ++i)
	{
		char name[32];
		snprintf(name, sizeof name, "rise.%04d.obj", i);
		WriteTetrahedron(name, 0.1 * i, "");
	}
	WriteTetrahedron("rise.00009.obj", 9.0, "");
	WriteTetrahedron("rise.9.obj", 9.0, "");
	WriteTetrahedron("rise.0009.obj.bak", 9.0, "");
	WriteTetrahedron("arise.0009.obj", 9.0, "");
}

static void EverySpellingOfTheNumberNamesTheSameFiles(void** state)
{
	(void)state;
	WriteRise();
	static const char* const spellings[] = {"rise.$F4.obj", "rise.%04d.obj", "rise.####.obj"};
	for (int i = 0; i < 3; ++i)
	{
		char collider[128];
		snprintf(collider, sizeof collider, "\"obj\": \"%s\", \"firstFrame\": 0, \"frameRate\": 10", spellings[i]);
		drapeSceneWorld world = Create(collider);
		assert_int_equal(world.sequences[0].frameCount, 5);
		drapeSceneWorld_Destroy(&world);
	}
}

static void FolderNamesMayLookLikeNumbersOfFrames(void** state)
{
	(void)state;
	char path[128];
	assert_false(drapeFrameName_IsSequence("a##/b%04d/c#.obj"));
	assert_true(drapeFrameName_IsSequence("a##/b.##.obj"));
	drapeFrameName_Format("a##/b%d.c", 7, path, sizeof path);
	assert_string_equal(path, "a##/b7.c");
	assert_false(drapeFrameName_IsValid("a.$F.%d.obj"));
	assert_false(drapeFrameName_IsValid("a.##.##.obj"));
	assert_false(drapeFrameName_IsValid("$HOME/a.%d.obj"));
	assert_true(drapeFrameName_IsValid("100%/a.obj"));
}

static void AMissingFileIsNoEndOfASequence(void** state)
{
	(void)state;
	WriteRise();
	WriteTetrahedron("rise.0007.obj", 0.7, "");
	ExpectNoWorld("\"obj\": \"rise.%04d.obj\", \"firstFrame\": 0", drape_errorData,
	              "%s/rise.0005.obj: is missing, but the sequence goes on up to number 7; \"frames\" ends it earlier");
	drapeSceneWorld world = Create("\"obj\": \"rise.%04d.obj\", \"firstFrame\": 0, \"frames\": 5");
	assert_int_equal(world.sequences[0].frameCount, 5);
	drapeSceneWorld_Destroy(&world);
	char path[128];
	snprintf(path, sizeof path, "%s/rise.0007.obj", folder);
	unlink(path);
}

static void TheFirstNumberOfASequenceIsToldIfItIsAnotherOne(void** state)
{
	(void)state;
	WriteTetrahedron("late.1001.obj", 0.0, "");
	ExpectNoWorld(
		"\"obj\": \"late.####.obj\"", drape_errorFile,
		"%s/late.0001.obj: there is no such file; the files of this sequence begin with number 1001, expected "
		"\"firstFrame\": 1001");
}

static void VerticesGoStraightFromFileToFileAndStay(void** state)
{
	(void)state;
	WriteRise();
	drapeSceneWorld world = Create("\"obj\": \"rise.$F4.obj\", \"firstFrame\": 0, \"frameRate\": 10");
	assert_int_equal(world.sequenceCount, 1);
	assert_int_equal(world.sequences[0].frameCount, 5);
	for (int i = 0; i < 30; ++i)
	{
		double time = drapeWorld_GetTime(world.world);
		assert_true(fabs((double)BaseHeight(&world) - fmin(time, 0.4)) < 1e-6);
		assert_int_equal(drapeSceneWorld_Step(&world, frame), drape_ok);
	}
	drapeSceneWorld_Destroy(&world);
}

static void ARepeatedSequenceComesBackToItsFirstFile(void** state)
{
	(void)state;
	WriteRise();
	drapeSceneWorld world =
		Create("\"obj\": \"rise.$F4.obj\", \"firstFrame\": 0, \"frames\": 3, \"frameRate\": 10, \"repeat\": true");
	for (int i = 0; i < 60; ++i)
	{
		assert_int_equal(drapeSceneWorld_Step(&world, frame), drape_ok);
		double phase = fmod(10.0 * drapeWorld_GetTime(world.world), 3.0);
		double height = phase < 2.0 ? 0.1 * phase : 0.2 * (3.0 - phase);
		assert_true(fabs((double)BaseHeight(&world) - height) < 1e-5);
	}
	drapeSceneWorld_Destroy(&world);
}

// A world that is loaded in the middle of a sequence, and one that went there by itself.
static void ALoadedWorldGoesOnWithTheSameBits(void** state)
{
	(void)state;
	WriteRise();
	const char* const collider = "\"obj\": \"rise.$F4.obj\", \"firstFrame\": 0, \"frameRate\": 3, \"position\": [0, "
								 "0.9, 0]";
	drapeSceneWorld first = Create(collider), second = Create(collider);
	for (int i = 0; i < 25; ++i)
		assert_int_equal(drapeSceneWorld_Step(&first, frame), drape_ok);
	size_t size = Make_Snapshot(first.world, NULL, 0);
	void* data = malloc(size);
	assert_int_equal(Make_Snapshot(first.world, data, size), size);
	assert_int_equal(drapeWorld_Load(second.world, data, size), drape_ok);
	free(data);
	for (int i = 0; i < 90; ++i)
	{
		assert_int_equal(drapeSceneWorld_Step(&first, frame), drape_ok);
		assert_int_equal(drapeSceneWorld_Step(&second, frame), drape_ok);
		assert_true(drapeWorld_GetHash(first.world) == drapeWorld_GetHash(second.world));
	}
	assert_true(drapeWorld_GetCounters(first.world).contacts > 0);
	drapeSceneWorld_Destroy(&first);
	drapeSceneWorld_Destroy(&second);
}

static void TheHashKnowsEveryFile(void** state)
{
	(void)state;
	const char* const collider = "\"obj\": \"h$F.obj\"";
	WriteTetrahedron("h1.obj", 0.0, "");
	WriteTetrahedron("h2.obj", 0.1, "");
	drapeSceneWorld world = Create(collider);
	uint64_t before = world.meshHash;
	drapeSceneWorld_Destroy(&world);
	WriteTetrahedron("h2.obj", 0.2, "");
	world = Create(collider);
	assert_true(world.meshHash != before && before != 0);
	drapeSceneWorld_Destroy(&world);
}

static void CreatingSurvivesEveryFailedAllocation(void** state)
{
	(void)state;
	WriteRise();
	const char* const collider = "\"obj\": \"rise.$F4.obj\", \"firstFrame\": 0";
	drapeResult result = drape_errorMemory;
	size_t i = 1;
	for (; result != drape_ok && i < 10000; ++i)
	{
		Test_FailAllocation(SIZE_MAX, false);
		drapeScene* scene = Parse(collider);
		size_t before = Test_AllocationCount();
		drapeScene_Free(scene);
		Test_FailAllocation(before + i, false);
		drapeSceneWorld world;
		drapeMessage error;
		scene = Parse(collider);
		result = drapeScene_CreateWorld(scene, 1, &world, &error);
		assert_true(result == drape_ok || result == drape_errorMemory);
		if (result == drape_ok)
			assert_int_equal(world.sequences[0].frameCount, 5);
		drapeSceneWorld_Destroy(&world);
		drapeScene_Free(scene);
		Test_FailAllocation(0, false);
	}
	assert_true(i > 20 && i < 10000);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(ContactKeysAreRead),
		cmocka_unit_test(KeysThatGoWithNothingAreRefused),
		cmocka_unit_test(BadFilesAreRefusedWithTheirPlaceInTheScene),
		cmocka_unit_test(OddMeshesAreTakenWithAWarning),
		cmocka_unit_test(EverySpellingOfTheNumberNamesTheSameFiles),
		cmocka_unit_test(FolderNamesMayLookLikeNumbersOfFrames),
		cmocka_unit_test(AMissingFileIsNoEndOfASequence),
		cmocka_unit_test(TheFirstNumberOfASequenceIsToldIfItIsAnotherOne),
		cmocka_unit_test(VerticesGoStraightFromFileToFileAndStay),
		cmocka_unit_test(ARepeatedSequenceComesBackToItsFirstFile),
		cmocka_unit_test(ALoadedWorldGoesOnWithTheSameBits),
		cmocka_unit_test(TheHashKnowsEveryFile),
		cmocka_unit_test(CreatingSurvivesEveryFailedAllocation),
	};
	return cmocka_run_group_tests(tests, MakeFolder, RemoveFolder);
}
