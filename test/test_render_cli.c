// SPDX-License-Identifier: MIT
#include "program.h"

#include "drape/render.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// `drape render` as a program. What draws is skipped where there is no OpenGL.

static const char scene[] = "scenes/two_corners.json";

static bool HasOpenGl(void)
{
	drapeOffscreen* offscreen = drapeCreateOffscreen(NULL);
	drapeDestroyOffscreen(offscreen);
	return offscreen != NULL;
}

static void ExpectPng(const char* path, uint32_t width, uint32_t height)
{
	uint8_t* pixels;
	uint32_t w, h;
	drapeRenderError error = {0};
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
		{"--colour", "red", "expected #rrggbb"},          {"--frames", "1-2", "goes with a film or a folder"},
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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(BadUsageIsExplained),
		cmocka_unit_test(MissingInputIsBadInput),
		cmocka_unit_test(StillFramesAndFilesOfARunAreDrawn),
		cmocka_unit_test(MissingFfmpegIsReportedBeforeTheRun),
		cmocka_unit_test(FilmIsMadeWhereFfmpegIs),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
