// SPDX-License-Identifier: MIT
#include "program.h"

#include "drape/render.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

// `drape render` as a program. What draws is skipped where there is no OpenGL.

static const char scene[] = "scenes/two_corners.json";

static bool HasOpenGl(void)
{
	drapeOffscreen* offscreen;
	drapeCreateOffscreen(&offscreen, NULL);
	drapeDestroyOffscreen(offscreen);
	return offscreen != NULL;
}

static void ExpectPng(const char* path, uint32_t width, uint32_t height)
{
	uint8_t* pixels;
	uint32_t w, h;
	drapeMessage error = {0};
	if (drapePng_Read(path, &pixels, &w, &h, &error) != drape_ok)
		fail_msg("%s", error.text);
	drapeFree(pixels, 3 * (size_t)w * h);
	assert_int_equal(w, width);
	assert_int_equal(h, height);
}

static void BadUsageIsExplained(void** state)
{
	(void)state;
	static const char* const cases[][4] = {
		{"-o", "film.avi", "cannot be written"},          {"--size", "12", "--size cannot be '12'"},
		{"--camera", "1,2,3", "expected six numbers"},    {"--view", "levels3d", "levels"},
		{"--colour", "red", "expected #rrggbb"},          {"--frames", "1-2", "needs a film or a folder"},
		{"--frame", "100000", "has the frames 1 to 151"}, {"--threads", "1000", "--threads cannot be 1000"},
	};
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i)
	{
		PROGRAM_RUN("render", scene, cases[i][0], cases[i][1]);
		assert_int_equal(programRun.code, 2);
		Program_ExpectHas(programRun.err, cases[i][2]);
	}
}

static void MissingInputIsBadInput(void** state)
{
	(void)state;
	PROGRAM_RUN("render", "no/such/scene.json");
	assert_int_equal(programRun.code, 3);
	Program_ExpectHas(programRun.err, "no/such/scene.json");
	PROGRAM_RUN("render", "scenes");
	assert_int_equal(programRun.code, 3);
	Program_ExpectHas(programRun.err, "no files such as cloth.0001.obj");
}

static void StillFramesAndFilesOfARunAreDrawn(void** state)
{
	(void)state;
	if (!HasOpenGl())
		skip();
	char folder[640], path[700];
	snprintf(folder, sizeof folder, "%s", Program_Scratch("pictures"));
	snprintf(path, sizeof path, "%s/still.png", folder);
	PROGRAM_RUN("render", scene, "-o", path, "--frame", "3", "--size", "64x48", "--json");
	assert_int_equal(programRun.code, 0);
	Program_ExpectHas(programRun.out, "\"frames\": 1");
	ExpectPng(path, 64, 48);

	PROGRAM_RUN("render", scene, "-o", folder, "--frames", "2-4", "--size", "64x48", "--view", "springs");
	assert_int_equal(programRun.code, 0);
	snprintf(path, sizeof path, "%s/frame.0004.png", folder);
	ExpectPng(path, 64, 48);

	PROGRAM_RUN("run", scene, "-o", folder, "--frames", "3");
	assert_int_equal(programRun.code, 0);
	snprintf(path, sizeof path, "%s/still.png", folder);
	PROGRAM_RUN("render", folder, "-o", path, "--size", "96x64", "--view", "curvature");
	assert_int_equal(programRun.code, 0);
	ExpectPng(path, 96, 64);
	PROGRAM_RUN("render", folder, "-o", path, "--view", "levels");
	assert_int_equal(programRun.code, 3);
	Program_ExpectHas(programRun.err, "needs the levels of the mesh");
	Program_RemoveFolder(folder);
}

static void MissingFfmpegIsReportedBeforeTheRun(void** state)
{
	(void)state;
	if (!HasOpenGl())
		skip();
	char* old = strdup(getenv("PATH"));
	assert_non_null(old);
	setenv("PATH", "/nowhere", 1);
	char path[640];
	snprintf(path, sizeof path, "%s", Program_Scratch("film.mp4"));
	PROGRAM_RUN("render", scene, "-o", path, "--size", "64x48");
	setenv("PATH", old, 1);
	free(old);
	assert_int_equal(programRun.code, 1);
	Program_ExpectHas(programRun.err, "films need the program ffmpeg");
	Program_ExpectHas(programRun.err, "apt install ffmpeg");
	assert_int_not_equal(access(path, F_OK), 0);
}

static void FilmIsMadeWhereFfmpegIs(void** state)
{
	(void)state;
	if (!HasOpenGl() || system("ffmpeg -version >/dev/null 2>&1") != 0)
		skip();
	char path[640];
	snprintf(path, sizeof path, "%s", Program_Scratch("film.mp4"));
	size_t size;
	PROGRAM_RUN("render", scene, "-o", path, "--size", "64x48", "--frames", "1-5");
	assert_int_equal(programRun.code, 0);
	char* film = Program_ReadFile(path, &size);
	assert_true(size > 500);
	assert_memory_equal(film + 4, "ftyp", 4);
	free(film);
	unlink(path);
	PROGRAM_RUN("render", scene, "-o", path, "--size", "65x48");
	assert_int_equal(programRun.code, 2);
	Program_ExpectHas(programRun.err, "even numbers");
}

// --- what a scene says about its look ---

static const char lookScene[] =
	"{\"time\": {\"frames\": 2}, %s \"cloths\": [{\"name\": \"c\", \"grid\": {\"columns\": 2, \"rows\": 2},"
	" \"position\": [0, 1, 0], \"axis\": [1, 0, 0], \"angle\": 90, \"look\": {%s}}]}";

// The middle pixel of a still of a scene with this camera and look: an upright cloth, its front towards +z. `option`
// may be NULL.
static void DrawLook(const char* camera, const char* look, const char* option, const char* value, uint8_t middle[3])
{
	char text[1024], path[640], still[640];
	snprintf(path, sizeof path, "%s", Program_Scratch("look.json"));
	snprintf(still, sizeof still, "%s", Program_Scratch("look.png"));
	snprintf(text, sizeof text, lookScene, camera, look);
	Program_WriteFile(path, text);
	PROGRAM_RUN("render", path, "-o", still, "--frame", "1", "--size", "64x64", option, value);
	unlink(path);
	if (programRun.code != 0)
		return;
	uint8_t* pixels;
	uint32_t w, h;
	assert_int_equal(drapePng_Read(still, &pixels, &w, &h, NULL), drape_ok);
	memcpy(middle, pixels + 3 * (32 * 64 + 32), 3);
	drapeFree(pixels, 3 * (size_t)w * h);
	unlink(still);
}

static const char inFront[] = "\"camera\": {\"position\": [0, 1.2, 4], \"target\": [0, 1, 0]},";
static const char behind[] = "\"camera\": {\"position\": [0, 1.2, -4], \"target\": [0, 1, 0]},";

static void ScenesAreDrawnAsTheyLookAndOptionsWin(void** state)
{
	(void)state;
	if (!HasOpenGl())
		skip();
	uint8_t c[3];
	const char* colours = "\"front\": \"#c01010\", \"back\": \"#1010c0\"";
	DrawLook(inFront, colours, NULL, NULL, c);
	assert_int_equal(programRun.code, 0);
	assert_true(c[0] > c[1] + 60 && c[0] > c[2] + 60);
	DrawLook(behind, colours, NULL, NULL, c);
	assert_true(c[2] > c[0] + 40 && c[2] > c[1] + 40);
	DrawLook(inFront, colours, "--colour", "#10a010", c);
	assert_true(c[1] > c[0] + 40 && c[1] > c[2] + 40);
	DrawLook(behind, colours, "--camera", "0,1.2,4,0,1,0", c);
	assert_true(c[0] > c[2] + 60);
}

// The left half of the image is red and the right half green; one repeat is as wide as the cloth.
static void ImagesLieInTheMaterial(void** state)
{
	(void)state;
	if (!HasOpenGl())
		skip();
	char image[640], look[900];
	uint8_t pixels[8 * 4 * 3] = {0}, c[3];
	for (int i = 0; i < 8 * 4; ++i)
		pixels[3 * i + (i % 8 < 4 ? 0 : 1)] = 200;
	snprintf(image, sizeof image, "%s", Program_Scratch("image.png"));
	assert_int_equal(drapePng_Write(image, pixels, 8, 4, NULL), drape_ok);
	snprintf(look, sizeof look, "\"image\": \"%s\", \"textureSize\": 4, \"texturePosition\": [%s]", image, "-1, 0");
	DrawLook(inFront, look, NULL, NULL, c);
	assert_int_equal(programRun.code, 0);
	assert_true(c[0] > c[1] + 60);
	snprintf(look, sizeof look, "\"image\": \"%s\", \"textureSize\": 4, \"texturePosition\": [%s]", image, "-3, 0");
	DrawLook(inFront, look, NULL, NULL, c);
	assert_true(c[1] > c[0] + 60);
	unlink(image);
	DrawLook(inFront, look, NULL, NULL, c);
	assert_int_equal(programRun.code, 3);
	Program_ExpectHas(programRun.err, "look.json:1:");
	Program_ExpectHas(programRun.err, "image of cloth \"c\"");
}

// --- signals ---

static void WaitForFile(const char* path)
{
	for (int i = 0; access(path, F_OK) != 0; ++i)
	{
		assert_true(i < 60000);
		nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
	}
}

static void ASignalLeavesWholePicturesInAFolder(void** state)
{
	(void)state;
	if (!HasOpenGl())
		skip();
	char folder[640], path[700];
	snprintf(folder, sizeof folder, "%s", Program_Scratch("stopped"));
	pid_t process = Program_Start(
		(const char* const[]){"render", scene, "-o", folder, "--size", "960x540", "--frames", "1-60", NULL});
	snprintf(path, sizeof path, "%s/frame.0002.png", folder);
	WaitForFile(path);
	kill(process, SIGINT);
	Program_Wait(process);
	assert_int_equal(programRun.code, 1);
	Program_ExpectHas(programRun.err, "stopped behind frame");
	ProgramName names[200];
	int count = Program_List(folder, names, 200);
	assert_true(count >= 2 && count < 60);
	for (int i = 0; i < count; ++i)
	{
		char picture[800];
		snprintf(picture, sizeof picture, "%s/%.100s", folder, names[i].text);
		ExpectPng(picture, 960, 540);
	}
	Program_RemoveFolder(folder);
}

static void ASignalLeavesNothingOfAFilm(void** state)
{
	(void)state;
	if (!HasOpenGl() || system("ffmpeg -version >/dev/null 2>&1") != 0)
		skip();
	char folder[640], path[700], temporary[760];
	snprintf(folder, sizeof folder, "%s", Program_Scratch("films"));
	snprintf(path, sizeof path, "%s/film.mp4", folder);
	pid_t process = Program_Start(
		(const char* const[]){"render", scene, "-o", path, "--size", "960x540", "--frames", "1-60", NULL});
	snprintf(temporary, sizeof temporary, "%s.%ld.tmp", path, (long)process);
	WaitForFile(temporary);
	kill(process, SIGINT);
	Program_Wait(process);
	assert_int_equal(programRun.code, 1);
	Program_ExpectHas(programRun.err, "stopped; ");
	Program_ExpectHas(programRun.err, "film.mp4 was not written");
	ProgramName names[4];
	assert_int_equal(Program_List(folder, names, 4), 0);
	Program_RemoveFolder(folder);
}

static void AFilmRunsItsSceneOnce(void** state)
{
	(void)state;
	if (!HasOpenGl())
		skip();
	char folder[640];
	snprintf(folder, sizeof folder, "%s", Program_Scratch("once"));
	PROGRAM_RUN("render", scene, "-o", folder, "--frames", "1-3", "--size", "32x32", "--json");
	assert_int_equal(programRun.code, 0);
	// Frame 1 is the start, and the scene makes four steps for each frame.
	Program_ExpectHas(programRun.out, "\"steps\": 8");
	Program_RemoveFolder(folder);
}

static uint8_t* DrawCollider(const char* scenePath, const char* obj, const char* path)
{
	char text[1024];
	snprintf(text, sizeof text,
	         "{\"time\": {\"frames\": 2}, \"colliders\": [{\"shape\": \"mesh\", \"obj\": \"%s\", \"colour\": "
	         "\"#ff0000\"}],\n\"cloths\": [{\"name\": \"a\", \"grid\": {}, \"position\": [0, 1, 0], \"contact\": "
	         "\"all\"}]}",
	         obj);
	Program_WriteFile(scenePath, text);
	PROGRAM_RUN("render", scenePath, "-o", path, "--size", "64x64", "--view", "contacts");
	if (programRun.code != 0)
		fail_msg("%s", programRun.err);
	uint8_t* pixels;
	uint32_t w, h;
	assert_int_equal(drapePng_Read(path, &pixels, &w, &h, NULL), drape_ok);
	assert_int_equal(w * h, 64 * 64);
	return pixels;
}

// Its triangles are red, and wherever it is the camera takes it in.
static void MeshCollidersAreDrawnAndInThePicture(void** state)
{
	(void)state;
	if (!HasOpenGl())
		skip();
	char scenePath[640], objPath[640], path[640];
	snprintf(scenePath, sizeof scenePath, "%s", Program_Scratch("mesh.json"));
	snprintf(objPath, sizeof objPath, "%s", Program_Scratch("far.obj"));
	snprintf(path, sizeof path, "%s", Program_Scratch("mesh.png"));
	Program_WriteFile(objPath, "v -1 0 4\nv 1 0 4\nv 0 0 6\nv 0 2 5\nf 1 2 3\nf 1 4 2\nf 2 4 3\nf 3 4 1\n");
	const char* slash = strrchr(objPath, '/');
	uint8_t* pixels = DrawCollider(scenePath, slash ? slash + 1 : objPath, path);
	uint32_t red = 0;
	for (uint32_t i = 0; i < 64 * 64; ++i)
		red += pixels[3 * i] > 2 * pixels[3 * i + 1] && pixels[3 * i] > 2 * pixels[3 * i + 2];
	assert_true(red > 50);
	drapeFree(pixels, 3 * 64 * 64);
	unlink(scenePath);
	unlink(objPath);
	unlink(path);
}

// An object is drawn, and a sequence of files frame by frame.
static void ObjectsOfASceneAreDrawn(void** state)
{
	(void)state;
	if (!HasOpenGl())
		skip();
	char scenePath[700], path[720];
	static const char* const names[] = {"objects.1.obj", "objects.2.obj"};
	static const char* const meshes[] = {"v -1 0 0\nv 1 0 0\nv 0 2 0\nf 1 2 3\n",
	                                     "v -1 0 0\nv 1 0 0\nv 0 0.2 0\nf 1 2 3\n"};
	for (int i = 0; i < 2; ++i)
		Program_WriteFile(Program_Scratch(names[i]), meshes[i]);
	snprintf(scenePath, sizeof scenePath, "%s", Program_Scratch("objects.json"));
	const char* slash = strrchr(Program_Scratch("objects.$F.obj"), '/');
	char text[900];
	snprintf(
		text, sizeof text,
		"{\"time\": {\"frames\": 3}, \"camera\": {\"position\": [0, 1, 6], \"target\": [0, 1, 0]}, \"objects\": "
		"[{\"obj\": \"%s\"}], \"cloths\": [{\"name\": \"a\", \"grid\": {\"columns\": 1, \"rows\": 1, \"width\": 0.01, "
		"\"depth\": 0.01}, \"pins\": [{\"vertices\": [0, 1, 2, 3]}]}]}",
		slash + 1);
	Program_WriteFile(scenePath, text);
	char* bytes[3];
	size_t sizes[3];
	for (int i = 0; i < 3; ++i)
	{
		char frame[16];
		snprintf(frame, sizeof frame, "%d", i + 1);
		snprintf(path, sizeof path, "%s", Program_Scratch("objects.png"));
		PROGRAM_RUN("render", scenePath, "-o", path, "--frame", frame, "--size", "64x48");
		assert_int_equal(programRun.code, 0);
		bytes[i] = Program_ReadFile(path, &sizes[i]);
		unlink(path);
	}
	// The second file is another picture, and stays as there is no third.
	assert_true(sizes[0] != sizes[1] || memcmp(bytes[0], bytes[1], sizes[0]) != 0);
	assert_true(sizes[1] == sizes[2] && memcmp(bytes[1], bytes[2], sizes[1]) == 0);
	for (int i = 0; i < 3; ++i)
		free(bytes[i]);
	for (int i = 0; i < 2; ++i)
		unlink(Program_Scratch(names[i]));
	PROGRAM_RUN("render", scenePath, "-o", path, "--frame", "1", "--size", "64x48");
	assert_int_equal(programRun.code, 3);
	Program_ExpectHas(programRun.err, "objects.1.obj");
	unlink(scenePath);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(ObjectsOfASceneAreDrawn),
		cmocka_unit_test(BadUsageIsExplained),
		cmocka_unit_test(MissingInputIsBadInput),
		cmocka_unit_test(StillFramesAndFilesOfARunAreDrawn),
		cmocka_unit_test(MissingFfmpegIsReportedBeforeTheRun),
		cmocka_unit_test(FilmIsMadeWhereFfmpegIs),
		cmocka_unit_test(AFilmRunsItsSceneOnce),
		cmocka_unit_test(ScenesAreDrawnAsTheyLookAndOptionsWin),
		cmocka_unit_test(ImagesLieInTheMaterial),
		cmocka_unit_test(MeshCollidersAreDrawnAndInThePicture),
		cmocka_unit_test(ASignalLeavesWholePicturesInAFolder),
		cmocka_unit_test(ASignalLeavesNothingOfAFilm),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
