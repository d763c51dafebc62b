// SPDX-License-Identifier: MIT
#include "program.h"

#include "drape/render.h"

#include <jansson.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

// Situations in which new users found themselves, and the answers of the program.

static const char smallScene[] =
	"{\"version\": 1, \"name\": \"small\",\n"
	"\"time\": {\"frames\": 6, \"frameRate\": 30},\n"
	"\"cloths\": [{\"name\": \"sheet\", \"grid\": {\"columns\": 4, \"rows\": 4}, \"material\": \"denim\",\n"
	"\"adapt\": {\"maxLevel\": 1}, \"pins\": [{\"corners\": [\"top-left\", \"top-right\"]}]}]}\n";

static char scenePath[640], folder[640];

static int SetUp(void** state)
{
	(void)state;
	snprintf(scenePath, sizeof scenePath, "%s", Program_Scratch("scene.json"));
	snprintf(folder, sizeof folder, "%s", Program_Scratch("folder"));
	Program_WriteFile(scenePath, smallScene);
	return 0;
}

static int TearDown(void** state)
{
	(void)state;
	unlink(scenePath);
	Program_RemoveFolder(folder);
	return 0;
}

static const char* InFolder(const char* name)
{
	static char path[4][1024];
	static unsigned turn;
	char* slot = path[turn++ % 4];
	snprintf(slot, sizeof path[0], "%s/%s", folder, name);
	return slot;
}

static void ExpectDone(void)
{
	if (programRun.code != 0)
		fail_msg("exit code %d: %s", programRun.code, programRun.err);
}

static void ExpectFailure(int code, const char* message)
{
	Program_ExpectHas(programRun.err, message);
	assert_int_equal(programRun.code, code);
}

static json_t* ReadJson(const char* path)
{
	json_error_t error;
	json_t* json = json_load_file(path, 0, &error);
	if (!json)
		fail_msg("%s:%d: %s", path, error.line, error.text);
	return json;
}

static bool HasOpenGl(void)
{
	drapeOffscreen* offscreen;
	drapeCreateOffscreen(&offscreen, NULL);
	drapeDestroyOffscreen(offscreen);
	return offscreen != NULL;
}

// --- meshes in place of scenes ---

static void AMeshThatIsRunIsToldWhatToDo(void** state)
{
	(void)state;
	PROGRAM_RUN("run", "test/data/shirt.obj", "-o", folder);
	ExpectFailure(3, "test/data/shirt.obj is a mesh, expected a scene: 'drape studio test/data/shirt.obj'");
	assert_int_not_equal(access(folder, F_OK), 0);
	PROGRAM_RUN("render", "test/data/shirt.obj");
	ExpectFailure(3, "test/data/shirt.obj is a mesh, expected a scene");
}

// --- units ---

// A tent over a rectangle, `size` times a metre, with texture coordinates of 0 to 1 that are stretched by `stretch` on one
// half.
static void WriteTent(const char* path, double size, double stretch)
{
	char text[1024];
	snprintf(text, sizeof text,
	         "v 0 0 0\nv %g 0 0\nv %g 0 0\nv 0 0 %g\nv %g 0 %g\nv %g 0 %g\n"
	         "vt 0 0\nvt %g 0\nvt 1 0\nvt 0 1\nvt %g 1\nvt 1 1\n"
	         "s 1\nf 1/1 4/4 5/5 2/2\nf 2/2 5/5 6/6\nf 2/2 6/6 3/3\ncurv 1 2\n",
	         0.5 * size, size, size, 0.5 * size, size, size, size, 0.5 * stretch, 0.5 * stretch);
	Program_WriteFile(path, text);
}

static void UnitsThatCannotBeAreQuestioned(void** state)
{
	(void)state;
	char mesh[640];
	snprintf(mesh, sizeof mesh, "%s", Program_Scratch("tent.obj"));
	WriteTent(mesh, 176.0, 1.0);
	PROGRAM_RUN("check", mesh);
	Program_ExpectHas(programRun.out, "it is 176 m large; centimetres? scale by 0.01");
	WriteTent(mesh, 1760.0, 1.0);
	PROGRAM_RUN("check", mesh);
	Program_ExpectHas(programRun.out, "millimetres? scale by 0.001");
	WriteTent(mesh, 1.4, 1.0);
	PROGRAM_RUN("check", mesh);
	assert_null(strstr(programRun.out, "scale by"));
	PROGRAM_RUN("check", mesh, "--rest", "uv");
	Program_ExpectHas(programRun.out, "0.714 times as large as the mesh, expected 1.4 or \"auto\"");
	PROGRAM_RUN("check", mesh, "--rest", "uv", "--metres-per-unit", "1.4");
	assert_null(strstr(programRun.out, "auto"));
	WriteTent(mesh, 1.0, 1.3);
	PROGRAM_RUN("check", mesh, "--rest", "uv", "--metres-per-unit", "1", "--json");
	Program_ExpectHas(programRun.out, "the scale of the texture coordinates varies over the mesh");
	char scene[1024];
	WriteTent(mesh, 176.0, 1.0);
	snprintf(scene, sizeof scene, "{\"time\": {\"frames\": 1}, \"cloths\": [{\"name\": \"tent\", \"obj\": \"%s\"}]}",
	         strrchr(mesh, '/') + 1);
	Program_WriteFile(scenePath, scene);
	PROGRAM_RUN("run", scenePath, "-o", folder);
	ExpectDone();
	Program_ExpectHas(programRun.err, "cloth \"tent\": it is 176 m large; centimetres? scale by 0.01");
	PROGRAM_RUN("check", scenePath);
	Program_ExpectHas(programRun.out, "centimetres? scale by 0.01");
	unlink(mesh);
}

static double StretchOf(const char* metresPerUnit)
{
	PROGRAM_RUN("run", scenePath, "-o", folder, "--set", metresPerUnit);
	ExpectDone();
	json_t* stats = ReadJson(InFolder("stats.json"));
	double stretch =
		json_number_value(json_object_get(json_array_get(json_object_get(stats, "frames"), 0), "stretchMedian"));
	json_decref(stats);
	return stretch;
}

static void AutomaticUnitsFitTheMesh(void** state)
{
	(void)state;
	char mesh[640];
	snprintf(mesh, sizeof mesh, "%s", Program_Scratch("tent.obj"));
	WriteTent(mesh, 1.4, 1.0);
	char scene[1024];
	snprintf(scene, sizeof scene,
	         "{\"time\": {\"frames\": 1}, \"cloths\": [{\"name\": \"tent\", \"obj\": \"%s\", "
	         "\"rest\": {\"source\": \"uv\", \"metresPerUnit\": 1}}]}",
	         strrchr(mesh, '/') + 1);
	Program_WriteFile(scenePath, scene);
	double asMetres = StretchOf("cloths[0].rest.metresPerUnit=1"),
		   fitting = StretchOf("cloths[0].rest.metresPerUnit=auto");
	assert_true(asMetres > 1.39 && asMetres < 1.41);
	assert_true(fitting > 0.999 && fitting < 1.001);
	PROGRAM_RUN("run", scenePath, "-o", folder, "--set", "cloths[0].rest.metresPerUnit=automatic");
	ExpectFailure(3, "expected a number above 0 and up to 1000000 (m) or \"auto\"");
	unlink(mesh);
}

static void FilesWithZUpAreTurned(void** state)
{
	(void)state;
	char mesh[640];
	snprintf(mesh, sizeof mesh, "%s", Program_Scratch("up.obj"));
	Program_WriteFile(mesh, "v 0 0 0\nv 1 0 0\nv 0 2 3\nf 1 2 3\n");
	char scene[1024];
	snprintf(scene, sizeof scene,
	         "{\"time\": {\"frames\": 1}, \"cloths\": [{\"name\": \"sheet\", \"obj\": \"%s\", \"up\": \"z\", "
	         "\"position\": [10, 0, 0]}]}",
	         strrchr(mesh, '/') + 1);
	Program_WriteFile(scenePath, scene);
	PROGRAM_RUN("run", scenePath, "-o", folder);
	ExpectDone();
	drapeObj obj;
	assert_int_equal(drapeObj_Read(InFolder("sheet.0001.obj"), &obj, NULL), drape_ok);
	drapeVec3 p = obj.mesh.positions[2];
	assert_true(p.x == 10.0f && p.y == 3.0f && p.z == -2.0f);
	drapeObj_Free(&obj);
	unlink(mesh);
}

static void ChecksNameWhatTheyDidNotUse(void** state)
{
	(void)state;
	char mesh[640];
	snprintf(mesh, sizeof mesh, "%s", Program_Scratch("tent.obj"));
	WriteTent(mesh, 1.0, 1.0);
	PROGRAM_RUN("check", mesh);
	Program_ExpectHas(programRun.out, "lines not used     2: line 13 (s), 17 (curv)");
	Program_ExpectHas(programRun.out, "polygons cut       1 into triangles; the largest has 4 corners, line 14");
	unlink(mesh);
	Program_WriteFile(scenePath, "{\"colliders\": []}");
	PROGRAM_RUN("check", scenePath);
	ExpectFailure(3, "there is no cloth in this scene");
}

// --- values from the command line ---

static void SetChangesAnyKeyOfTheScene(void** state)
{
	(void)state;
	PROGRAM_RUN("run", scenePath, "-o", folder, "--set", "time.frames=3", "--set", "cloths[0].material.preset=silk",
	            "--set", "wind.velocity=[8,0,0]", "--set", "cloths[sheet].adapt.maxLevel=2", "--set",
	            "name=other name");
	ExpectDone();
	Program_ExpectHas(programRun.out, "3 frames of 1 cloth");
	json_t* run = ReadJson(InFolder("run.json"));
	json_t* settings = json_object_get(run, "settings");
	json_t* cloth = json_array_get(json_object_get(settings, "cloths"), 0);
	assert_string_equal(json_string_value(json_object_get(settings, "name")), "other name");
	json_t* material = json_object_get(cloth, "material");
	const char* preset = json_string_value(json_is_object(material) ? json_object_get(material, "preset") : material);
	assert_string_equal(preset, "silk");
	json_t* velocity = json_object_get(json_object_get(settings, "wind"), "velocity");
	assert_true(json_number_value(json_array_get(velocity, 0)) == 8.0);
	assert_int_equal(json_integer_value(json_object_get(json_object_get(cloth, "adapt"), "maxLevel")), 2);
	json_decref(run);
}

static void SettingsAreCheckedLikeTheScene(void** state)
{
	(void)state;
	static const struct
	{
		const char* setting;
		int code;
		const char* message;
	} cases[] = {
		{"wind", 2, "--set wind: there is no '=', expected KEY=VALUE"},
		{"=3", 2, "--set =3: there is a key missing"},
		{"wind.velocity=[8,0]", 3,
	     "--set wind.velocity=[8,0]: velocity is a list of 2, expected three numbers [x, y, z]"},
		{"wind.speed=8", 3, "--set wind.speed=8: unknown key \"speed\""},
		{"cloths[3].name=x", 2, "cloths has no entry [3], expected 0 to 0 or a name"},
		{"cloths[shirt].name=x", 2, "cloths has no entry [shirt]"},
		{"cloths[0.name=x", 2, "cloths has a bracket without an entry"},
		{"cloths.name=x", 2, "name stands below a list"},
		{"time.frames=many", 3, "frames is \"many\", expected a whole number"},
		{"colliders[0].radius=1", 2, "colliders is no list with entries in this scene"},
	};
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i)
	{
		PROGRAM_RUN("run", scenePath, "-o", folder, "--set", cases[i].setting);
		ExpectFailure(cases[i].code, cases[i].message);
		assert_int_not_equal(access(folder, F_OK), 0);
	}
}

static void ResumingNoticesOtherSettings(void** state)
{
	(void)state;
	PROGRAM_RUN("run", scenePath, "-o", folder, "--frames", "3", "--set", "cloths[0].material.preset=silk");
	ExpectDone();
	PROGRAM_RUN("run", scenePath, "-o", folder, "--resume");
	assert_int_equal(programRun.code, 3);
	PROGRAM_RUN("run", scenePath, "-o", folder, "--resume", "--set", "cloths[0].material.preset=silk");
	ExpectDone();
}

// --- files that are there already ---

static void StatisticsOfOthersAreNotOverwritten(void** state)
{
	(void)state;
	const char* path = Program_Scratch("accounts.csv");
	Program_WriteFile(path, "date,amount\n2026-01-01,17\n");
	PROGRAM_RUN("run", scenePath, "-o", folder, "--frames", "2", "--stats", path);
	ExpectFailure(3, "exists and has no statistics of drape run; it is not overwritten");
	size_t size;
	char* text = Program_ReadFile(path, &size);
	assert_string_equal(text, "date,amount\n2026-01-01,17\n");
	free(text);
	unlink(path);
	PROGRAM_RUN("run", scenePath, "-o", folder, "--frames", "2");
	ExpectDone();
	PROGRAM_RUN("run", scenePath, "-o", folder, "--frames", "2");
	ExpectDone();
}

static int CountPictures(const char* pictures)
{
	static ProgramName names[64];
	return Program_List(pictures, names, 64);
}

static void FramesOfAnEarlierRunAreNotDrawn(void** state)
{
	(void)state;
	if (!HasOpenGl())
		skip();
	char pictures[640];
	snprintf(pictures, sizeof pictures, "%s", Program_Scratch("pictures"));
	PROGRAM_RUN("run", scenePath, "-o", folder, "--frames", "6");
	ExpectDone();
	PROGRAM_RUN("run", scenePath, "-o", folder, "--frames", "3", "--set", "cloths[0].name=towel");
	ExpectDone();
	assert_int_equal(access(InFolder("sheet.0006.obj"), F_OK), 0);
	PROGRAM_RUN("render", folder, "-o", pictures, "--size", "64x64");
	ExpectDone();
	assert_int_equal(CountPictures(pictures), 3);
	PROGRAM_RUN("run", scenePath, "-o", folder, "--frames", "2");
	ExpectDone();
	Program_RemoveFolder(pictures);
	PROGRAM_RUN("render", folder, "-o", pictures, "--size", "64x64");
	ExpectDone();
	assert_int_equal(CountPictures(pictures), 2);
	Program_RemoveFolder(pictures);
}

static void PointCachesAreDrawnLikeMeshes(void** state)
{
	(void)state;
	if (!HasOpenGl())
		skip();
	static const char* const formats[] = {"pc2", "obj"};
	uint8_t* pixels[2];
	for (int i = 0; i < 2; ++i)
	{
		const char* picture = Program_Scratch(i == 0 ? "cache.png" : "mesh.png");
		Program_RemoveFolder(folder);
		PROGRAM_RUN("run", scenePath, "-o", folder, "--topology", "fixed", "--format", formats[i]);
		ExpectDone();
		PROGRAM_RUN("render", folder, "-o", picture, "--frame", "5", "--size", "160x120");
		ExpectDone();
		uint32_t width, height;
		assert_int_equal(drapePng_Read(picture, &pixels[i], &width, &height, NULL), drape_ok);
		unlink(picture);
	}
	// OBJ files have the normals of the simulation, a cache has its own: colours differ a little, outlines do not.
	double difference = 0.0;
	for (int i = 0; i < 3 * 160 * 120; ++i)
		difference += abs(pixels[0][i] - pixels[1][i]);
	assert_true(difference / (3.0 * 160 * 120) < 1.0);
	for (int i = 0; i < 2; ++i)
		drapeFree(pixels[i], 3 * 160 * 120);
}

static void AFullDiskIsNamedForPictures(void** state)
{
	(void)state;
	if (!HasOpenGl())
		skip();
	struct rlimit before, small = {512, 512};
	getrlimit(RLIMIT_FSIZE, &before);
	small.rlim_max = before.rlim_max;
	void (*handler)(int) = signal(SIGXFSZ, SIG_IGN);
	setrlimit(RLIMIT_FSIZE, &small);
	const char* picture = Program_Scratch("full.png");
	drapeMessage message = {0};
	uint8_t* noise = malloc(3 * 64 * 64);
	for (int i = 0; i < 3 * 64 * 64; ++i)
		noise[i] = (uint8_t)(i * i * 31 + i / 7);
	drapeResult result = drapePng_Write(picture, noise, 64, 64, &message);
	setrlimit(RLIMIT_FSIZE, &before);
	signal(SIGXFSZ, handler);
	free(noise);
	assert_int_equal(result, drape_errorFile);
	Program_ExpectHas(message.text, "File too large");
	assert_int_not_equal(access(picture, F_OK), 0);
}

// --- pictures ---

// The share of red pixels of a picture.
static double ShareOfRed(const char* path)
{
	uint8_t* pixels;
	uint32_t width, height, red = 0;
	assert_int_equal(drapePng_Read(path, &pixels, &width, &height, NULL), drape_ok);
	for (uint32_t i = 0; i < width * height; ++i)
		red += pixels[3 * i] > 2 * pixels[3 * i + 1] && pixels[3 * i] > 2 * pixels[3 * i + 2];
	drapeFree(pixels, 3 * (size_t)width * height);
	return (double)red / (double)(width * height);
}

// A small red sheet that flies 3.6 m to the side, past a wide ball that is far away.
static void TheCameraFollowsTheClothAndIsFilledByIt(void** state)
{
	(void)state;
	if (!HasOpenGl())
		skip();
	char pictures[640], path[700];
	snprintf(pictures, sizeof pictures, "%s", Program_Scratch("pictures"));
	Program_WriteFile(
		scenePath,
		"{\"time\": {\"frames\": 46, \"frameRate\": 30}, \"world\": {\"gravity\": [3.2, 0, 0]}, "
		"\"colliders\": [{\"shape\": \"sphere\", \"radius\": 2, \"position\": [0, -9, -9]}], "
		"\"cloths\": [{\"name\": \"sheet\", \"grid\": {\"width\": 0.4, \"depth\": 0.4}, \"axis\": [1, 0, 0], "
		"\"angle\": 90, \"look\": {\"front\": \"#ff0000\", \"back\": \"#ff0000\"}, "
		"\"adapt\": {\"scheme\": \"fixed\"}}]}");
	PROGRAM_RUN("render", scenePath, "-o", pictures, "--size", "96x54", "--no-shadows");
	ExpectDone();
	for (int frame = 1; frame <= 46; frame += 15)
	{
		snprintf(path, sizeof path, "%s/frame.%04d.png", pictures, frame);
		if (ShareOfRed(path) < 0.15)
			fail_msg("the cloth fills %.0f %% of frame %d", 100.0 * ShareOfRed(path), frame);
	}
	Program_RemoveFolder(pictures);
}

// --- what a run says of itself ---

static void ARunCanBeMadeAgainFromItsDescription(void** state)
{
	(void)state;
	PROGRAM_RUN("run", scenePath, "-o", folder, "--frames", "4", "--threads", "2", "--set", "time.frameRate=24");
	ExpectDone();
	json_t* stats = ReadJson(InFolder("stats.json"));
	json_t* run = json_object_get(stats, "run");
	assert_non_null(strstr(json_string_value(json_object_get(run, "program")), "drape "));
	assert_true(json_string_length(json_object_get(run, "commit")) > 6);
	assert_non_null(json_object_get(json_object_get(run, "machine"), "processor"));
	assert_int_equal(json_integer_value(json_object_get(run, "threads")), 2);
	assert_int_equal(json_string_length(json_object_get(run, "inputs")), 16);
	char* settings = json_dumps(json_object_get(run, "settings"), 0);
	Program_WriteFile(scenePath, settings);
	free(settings);
	char* first = json_dumps(json_object_get(json_array_get(json_object_get(stats, "frames"), 3), "kineticEnergy"),
	                         JSON_ENCODE_ANY);
	json_decref(stats);
	PROGRAM_RUN("run", scenePath, "-o", folder, "--frames", "4");
	ExpectDone();
	stats = ReadJson(InFolder("stats.json"));
	char* second = json_dumps(json_object_get(json_array_get(json_object_get(stats, "frames"), 3), "kineticEnergy"),
	                          JSON_ENCODE_ANY);
	assert_string_equal(first, second);
	free(first);
	free(second);
	json_decref(stats);
}

// --- help ---

static void HelpIsNotCutOff(void** state)
{
	(void)state;
	PROGRAM_RUN("render", "--help");
	ExpectDone();
	Program_ExpectHas(programRun.out, "|hierarchy|curvature|strain|contacts|springs|velocity\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(AMeshThatIsRunIsToldWhatToDo, SetUp, TearDown),
		cmocka_unit_test_setup_teardown(UnitsThatCannotBeAreQuestioned, SetUp, TearDown),
		cmocka_unit_test_setup_teardown(AutomaticUnitsFitTheMesh, SetUp, TearDown),
		cmocka_unit_test_setup_teardown(FilesWithZUpAreTurned, SetUp, TearDown),
		cmocka_unit_test_setup_teardown(ChecksNameWhatTheyDidNotUse, SetUp, TearDown),
		cmocka_unit_test_setup_teardown(SetChangesAnyKeyOfTheScene, SetUp, TearDown),
		cmocka_unit_test_setup_teardown(SettingsAreCheckedLikeTheScene, SetUp, TearDown),
		cmocka_unit_test_setup_teardown(ResumingNoticesOtherSettings, SetUp, TearDown),
		cmocka_unit_test_setup_teardown(StatisticsOfOthersAreNotOverwritten, SetUp, TearDown),
		cmocka_unit_test_setup_teardown(FramesOfAnEarlierRunAreNotDrawn, SetUp, TearDown),
		cmocka_unit_test_setup_teardown(PointCachesAreDrawnLikeMeshes, SetUp, TearDown),
		cmocka_unit_test(AFullDiskIsNamedForPictures),
		cmocka_unit_test_setup_teardown(TheCameraFollowsTheClothAndIsFilledByIt, SetUp, TearDown),
		cmocka_unit_test_setup_teardown(ARunCanBeMadeAgainFromItsDescription, SetUp, TearDown),
		cmocka_unit_test(HelpIsNotCutOff),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
