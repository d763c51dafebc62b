// SPDX-License-Identifier: MIT
#include "meshes.h"
#include "walker.h"

#include "base/maths.h"
#include "drape/scene.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

// A sheet of 4 x 4 quads of 10 cm, 1 cm above the floor's box, and a ball below its middle.
#define SCENE(cloth)                                                                                                   \
	"{\"version\": 1, \"colliders\": ["                                                                                \
	"{\"name\": \"ball\", \"shape\": \"sphere\", \"radius\": 0.1, \"position\": [0, -0.12, 0]},"                       \
	"{\"name\": \"late\", \"shape\": \"plane\", \"position\": [0, -0.3, 0], \"start\": 0.5, \"end\": 2}],"             \
	"\"cloths\": [{\"name\": \"sheet\", \"grid\": {\"columns\": 4, \"rows\": 4, \"width\": 0.4, \"depth\": 0.4}, "     \
	"\"model\": \"fem\", " cloth "},"                                                                                  \
	"{\"name\": \"other\", \"grid\": {\"columns\": 4, \"rows\": 4, \"width\": 0.4, \"depth\": 0.4}, "                  \
	"\"position\": [0, 0.05, 0], \"model\": \"fem\"}]}"

static drapeScene* Parse(const char* text)
{
	drapeScene* scene;
	drapeMessage error;
	if (drapeScene_Parse(text, strlen(text), "t.json", &scene, &error) != drape_ok)
		fail_msg("%s", error.text);
	return scene;
}

// Constraints of the first cloth that exist; those of a fresh world are numbered from one.
static uint32_t CountConstraints(const drapeSceneWorld* made)
{
	return drapeWorld_GetConstraints(made->world, NULL, 0);
}

static uint32_t CountIn(const char* text)
{
	drapeScene* scene = Parse(text);
	drapeSceneWorld made;
	drapeMessage error;
	if (drapeScene_CreateWorld(scene, 1, &made, &error) != drape_ok)
		fail_msg("%s", error.text);
	uint32_t count = CountConstraints(&made);
	drapeSceneWorld_Destroy(&made);
	drapeScene_Free(scene);
	return count;
}

static void VerticesAreSelectedInFourWays(void** state)
{
	(void)state;
	assert_int_equal(CountIn(SCENE("\"attach\": [{\"vertices\": [0, 4, 20], \"collider\": \"ball\"}]")), 3);
	assert_int_equal(CountIn(SCENE("\"attach\": [{\"box\": {\"min\": [-1, -1, -0.21], \"max\": [1, 1, -0.19]}, "
	                               "\"collider\": \"ball\"}]")),
	                 5);
	// The middle is 2 cm from the ball; its four neighbours are 5.6 cm from it.
	assert_int_equal(CountIn(SCENE("\"attach\": [{\"within\": 0.03, \"collider\": \"ball\"}]")), 1);
	assert_int_equal(CountIn(SCENE("\"attach\": [{\"within\": 0.06, \"collider\": \"ball\"}]")), 5);
	assert_int_equal(CountIn(SCENE("\"tether\": [{\"vertices\": [3], \"anchor\": [0, 1, 0]}], \"stitch\": "
	                               "[{\"vertices\": [0, 1], \"cloth\": \"other\", \"toVertices\": [1, 0]}]")),
	                 3);
}

static void ExpectRefusal(const char* text, const char* message)
{
	drapeScene* scene;
	drapeMessage error;
	drapeSceneWorld made;
	drapeResult result = drapeScene_Parse(text, strlen(text), "t.json", &scene, &error);
	if (result == drape_ok)
	{
		result = drapeScene_CreateWorld(scene, 1, &made, &error);
		drapeScene_Free(scene);
	}
	assert_int_equal(result, drape_errorData);
	if (!strstr(error.text, message))
		fail_msg("\"%s\" is not in \"%s\"", message, error.text);
	assert_int_equal(drapeGetMemoryUse().bytes, 0);
}

static void MistakesAreNamed(void** state)
{
	(void)state;
	ExpectRefusal(SCENE("\"attach\": [{\"vertices\": [0], \"collider\": \"bal\"}]"), "did you mean \"ball\"?");
	ExpectRefusal(SCENE("\"attach\": [{\"vertices\": [0]}]"), "collider");
	ExpectRefusal(SCENE("\"attach\": [{\"vertices\": [0], \"collider\": \"\"}]"), "collider is empty");
	ExpectRefusal(SCENE("\"attach\": [{\"vertices\": [25], \"collider\": \"ball\"}]"), "a vertex does not exist");
	ExpectRefusal(SCENE("\"attach\": [{\"within\": 0.001, \"collider\": \"ball\"}]"), "no vertex is selected");
	ExpectRefusal(SCENE("\"attach\": [{\"group\": \"waist\", \"collider\": \"ball\"}]"), "no vertex is selected");
	ExpectRefusal(SCENE("\"attach\": [{\"vertices\": [0], \"within\": 1, \"collider\": \"ball\"}]"), "within");
	ExpectRefusal(SCENE("\"attach\": [{\"vertices\": [0], \"collider\": \"ball\", \"start\": 2, \"end\": 1}]"),
	              "expected a time after start");
	ExpectRefusal(SCENE("\"stitch\": [{\"vertices\": [0, 1], \"toVertices\": [2]}]"), "expected as many of both");
	ExpectRefusal(SCENE("\"stitch\": [{\"vertices\": [0], \"toVertices\": [0]}]"), "a vertex is stitched to itself");
	ExpectRefusal(SCENE("\"stitch\": [{\"vertices\": [0], \"cloth\": \"no\", \"toVertices\": [0]}]"),
	              "there is no cloth");
	ExpectRefusal(SCENE("\"pins\": [{\"vertices\": [0], \"collider\": \"none\"}]"), "there is no collider");
}

static void WrittenScenesHaveTheSameConstraints(void** state)
{
	(void)state;
	drapeScene* scene = Parse(
		SCENE("\"pins\": [{\"vertices\": [0], \"collider\": \"ball\", \"start\": 0.5, \"end\": 1.5}], "
	          "\"attach\": [{\"within\": 0.06, \"collider\": \"ball\", \"keepsOffset\": false, \"offset\": 0.002, "
	          "\"stiffness\": 50, \"damping\": 2, \"breakDistance\": 0.1, \"start\": 0.25, \"end\": 3}], "
	          "\"tether\": [{\"vertices\": [3], \"anchor\": [0, 1, 0], \"collider\": \"ball\", \"length\": 0.75}], "
	          "\"stitch\": [{\"vertices\": [0, 1], \"cloth\": \"other\", \"toVertices\": [1, 0], \"speed\": 0.3, "
	          "\"maxForce\": 4}]"));
	size_t size;
	drapeScene_Format(scene, NULL, 0, &size, NULL);
	char *text = malloc(size), *again = malloc(size);
	assert_true(text && again);
	assert_int_equal(drapeScene_Format(scene, text, size, &size, NULL), drape_ok);
	drapeScene* read = Parse(text);
	assert_int_equal(drapeScene_Format(read, again, size, &size, NULL), drape_ok);
	assert_string_equal(text, again);
	const drapeSceneCloth* cloth = &read->cloths[0];
	assert_int_equal(cloth->attachCount, 1);
	assert_int_equal(cloth->attach[0].select.kind, drape_sceneSelectWithin);
	assert_false(cloth->attach[0].keepsOffset);
	assert_true(cloth->attach[0].end == 3.0f && cloth->pins[0].start == 0.5f && cloth->tether[0].length == 0.75f);
	assert_true(read->colliders[1].def.start == 0.5f && read->colliders[1].def.end == 2.0f);
	assert_int_equal(cloth->stitch[0].toVertexCount, 2);
	free(text);
	free(again);
	drapeScene_Free(read);
	drapeScene_Free(scene);
	assert_int_equal(drapeGetMemoryUse().bytes, 0);
}

// --- the walk, from files -------------------------------------------------------------------------------------------

static const float fromSkin = 0.006f;

enum
{
	around = 32,
	along = 6,
	frames = 40,
};

// The skirt as an OBJ file whose waistband is a group of its own.
static void WriteSkirt(const char* path)
{
	drapeMesh skirt = Walker_Skirt(around, along, fromSkin);
	FILE* file = fopen(path, "w");
	assert_non_null(file);
	for (uint32_t i = 0; i < skirt.vertexCount; ++i)
		fprintf(file, "v %.9g %.9g %.9g\n", (double)skirt.positions[i].x, (double)skirt.positions[i].y,
		        (double)skirt.positions[i].z);
	for (uint32_t t = 0; t < skirt.triangleCount; ++t)
	{
		if (t == 0 || t == 2 * around)
			fprintf(file, "g %s\n", t == 0 ? "waistband" : "skirt");
		fprintf(file, "f %u %u %u\n", skirt.triangles[3 * t] + 1, skirt.triangles[3 * t + 1] + 1,
		        skirt.triangles[3 * t + 2] + 1);
	}
	assert_int_equal(fclose(file), 0);
	TestMesh_Free(&skirt);
}

static void ASkirtFollowsABodyFromFiles(void** state)
{
	(void)state;
	const char* const selections[2] = {"\"within\": 0.01", "\"group\": \"waistband\""};
	const uint32_t expected[2] = {around, 2 * around};
	char folder[] = "/tmp/drape_walk_XXXXXX", path[64], text[900];
	assert_non_null(mkdtemp(folder));
	Walker_WriteFrames(folder, frames, 30.0f);
	snprintf(path, sizeof path, "%s/skirt.obj", folder);
	WriteSkirt(path);
	for (int i = 0; i < 2; ++i)
	{
		snprintf(text, sizeof text,
		         "{\"version\": 1, \"colliders\": [{\"name\": \"body\", \"shape\": \"mesh\", \"obj\": "
		         "\"%s/walk.$F4.obj\", \"frameRate\": 30}], \"cloths\": [{\"name\": \"skirt\", \"obj\": "
		         "\"%s/skirt.obj\", \"model\": \"fem\", \"adapt\": {\"scheme\": \"fixed\"}, \"attach\": [{%s, "
		         "\"collider\": \"body\"}]}]}",
		         folder, folder, selections[i]);
		drapeScene* scene = Parse(text);
		drapeSceneWorld made;
		drapeMessage error;
		if (drapeScene_CreateWorld(scene, 1, &made, &error) != drape_ok)
			fail_msg("%s", error.text);
		assert_int_equal(CountConstraints(&made), expected[i]);
		float worst = 0.0f;
		for (int step = 0; step < 2 * (frames - 1); ++step)
		{
			assert_int_equal(drapeSceneWorld_Step(&made, 1.0f / 60.0f), drape_ok);
			drapeConstraintId ids[512];
			assert_true(expected[i] <= 512);
			drapeWorld_GetConstraints(made.world, ids, 512);
			for (uint32_t k = 0; k < expected[i]; ++k)
				worst = fmaxf(worst, drapeConstraint_GetState(ids[k]).distance);
		}
		print_message("off by %g m at most\n", (double)worst);
		assert_true(worst < 1e-3f);
		drapeSceneWorld_Destroy(&made);
		drapeScene_Free(scene);
	}
	for (uint32_t f = 1; f <= frames; ++f)
	{
		snprintf(path, sizeof path, "%s/walk.%04u.obj", folder, f);
		unlink(path);
	}
	snprintf(path, sizeof path, "%s/skirt.obj", folder);
	unlink(path);
	rmdir(folder);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(VerticesAreSelectedInFourWays),
		cmocka_unit_test(MistakesAreNamed),
		cmocka_unit_test(WrittenScenesHaveTheSameConstraints),
		cmocka_unit_test(ASkirtFollowsABodyFromFiles),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
