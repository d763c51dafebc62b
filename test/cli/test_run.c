// SPDX-License-Identifier: MIT
#include "program.h"

#include "drape/io.h"

#include <fcntl.h>
#include <jansson.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

// Runs of small scenes. What cloth does is proved elsewhere: these tests look at files, messages and exit codes.

enum
{
	maxFiles = 2048
};

// --- helpers ---

static const char smallScene[] =
	"{\"version\": 1, \"name\": \"small\",\n"
	"\"time\": {\"frames\": 6, \"frameRate\": 30, \"stepRate\": 120},\n"
	"\"cloths\": [{\"name\": \"sheet\", \"grid\": {\"columns\": 4, \"rows\": 4}, \"model\": \"springs\",\n"
	"\"adapt\": {\"maxLevel\": 2}, \"pins\": [{\"corners\": [\"top-left\", \"top-right\"]}]}]}\n";

// BDF2 remembers the step before, adaptation changes what it remembers, a collider moves it.
static const char implicitScene[] =
	"{\"time\": {\"frames\": 6, \"frameRate\": 60, \"stepRate\": 60},\n"
	"\"colliders\": [{\"shape\": \"sphere\", \"radius\": 0.2, \"position\": [0, -0.4, -0.1]}],\n"
	"\"cloths\": [{\"name\": \"sheet\", \"grid\": {\"columns\": 4, \"rows\": 4}, \"model\": \"fem\",\n"
	"\"material\": \"11oz-black-denim\", \"solver\": {\"integrator\": \"bdf2\"},\n"
	"\"adapt\": {\"maxLevel\": 2}, \"pins\": [{\"corners\": [\"top-left\", \"top-right\"]}]}]}\n";

static char scenePath[640], folder[640], otherFolder[640];

static int SetUp(void** state)
{
	(void)state;
	snprintf(scenePath, sizeof scenePath, "%s", Program_Scratch("scene.json"));
	snprintf(folder, sizeof folder, "%s", Program_Scratch("folder"));
	snprintf(otherFolder, sizeof otherFolder, "%s", Program_Scratch("other"));
	Program_WriteFile(scenePath, smallScene);
	return 0;
}

static int TearDown(void** state)
{
	(void)state;
	unlink(scenePath);
	Program_RemoveFolder(folder);
	Program_RemoveFolder(otherFolder);
	return 0;
}

static const char* InFolder(const char* parent, const char* name)
{
	static char path[4][1024];
	static unsigned turn;
	char* slot = path[turn++ % 4];
	snprintf(slot, sizeof path[0], "%s/%s", parent, name);
	return slot;
}

static void ExpectDone(void)
{
	if (programRun.code != 0)
		fail_msg("exit code %d: %s", programRun.code, programRun.err);
}

// One line on standard error, the given exit code.
static void ExpectFailure(int code, const char* message)
{
	Program_ExpectHas(programRun.err, message);
	assert_int_equal(programRun.code, code);
	const char* line = strstr(programRun.err, "drape: ");
	assert_non_null(line);
	assert_null(strstr(line + 1, "drape: "));
}

static bool EndsWith(const char* text, const char* end)
{
	return strlen(text) >= strlen(end) && strcmp(text + strlen(text) - strlen(end), end) == 0;
}

// Cuts the columns of times, which are the last seven, off each line.
static void CutTimes(char* csv)
{
	char* to = csv;
	for (char* line = csv; *line;)
	{
		size_t length = strcspn(line, "\n"), end = length;
		for (int commas = 0; commas < 7 && end > 0;)
			commas += line[--end] == ',';
		size_t next = length + (line[length] == '\n');
		memmove(to, line, end);
		to += end;
		*to++ = '\n';
		line += next;
	}
	*to = 0;
}

static void ExpectSameFile(const char* name)
{
	size_t sizeA, sizeB;
	char* a = Program_ReadFile(InFolder(folder, name), &sizeA);
	char* b = Program_ReadFile(InFolder(otherFolder, name), &sizeB);
	if (strcmp(name, "stats.csv") == 0)
	{
		CutTimes(a);
		CutTimes(b);
		sizeA = strlen(a);
		sizeB = strlen(b);
	}
	if (sizeA != sizeB || memcmp(a, b, sizeA) != 0)
		fail_msg("%s differs", name);
	free(a);
	free(b);
}

// Both folders have the same files, and the same in them but for times. A snapshot may be packed in more than one way.
static void ExpectSameFolders(void)
{
	static ProgramName a[maxFiles], b[maxFiles];
	int countA = Program_List(folder, a, maxFiles), countB = Program_List(otherFolder, b, maxFiles);
	for (int i = 0; i < countA && i < countB; ++i)
		assert_string_equal(a[i].text, b[i].text);
	assert_int_equal(countA, countB);
	for (int i = 0; i < countA; ++i)
		if (!EndsWith(a[i].text, ".html") && !EndsWith(a[i].text, ".json") && !EndsWith(a[i].text, ".snapshot"))
			ExpectSameFile(a[i].text);
}

static json_t* ReadJson(const char* path)
{
	json_error_t error;
	json_t* json = json_load_file(path, 0, &error);
	if (!json)
		fail_msg("%s:%d: %s", path, error.line, error.text);
	return json;
}

// --- what is written ---

static void EveryFrameIsAFileThatReadsBack(void** state)
{
	(void)state;
	PROGRAM_RUN("run", scenePath, "-o", folder);
	ExpectDone();
	for (int frame = 1; frame <= 6; ++frame)
	{
		char name[64];
		snprintf(name, sizeof name, "sheet.%04d.obj", frame);
		drapeObj obj;
		drapeMessage error;
		if (drapeObj_Read(InFolder(folder, name), &obj, &error) != drape_ok)
			fail_msg("%s", error.text);
		assert_true(obj.mesh.vertexCount >= 25 && obj.mesh.triangleCount >= 32);
		assert_non_null(obj.mesh.texcoordTriangles);
		assert_int_equal(obj.mesh.normalCount, obj.mesh.vertexCount);
		drapeObj_Free(&obj);
	}
	// Six meshes, CSV, JSON, report, snapshot, and the description of the run.
	static ProgramName names[maxFiles];
	assert_int_equal(Program_List(folder, names, maxFiles), 11);
	Program_ExpectHas(programRun.out, "6 frames of 1 cloth");
	Program_ExpectHas(programRun.err, "6/6 frames");
}

static void StatisticsHaveALinePerFrame(void** state)
{
	(void)state;
	PROGRAM_RUN("run", scenePath, "-o", folder, "--stats", InFolder(folder, "numbers.csv"));
	ExpectDone();
	size_t size;
	char* csv = Program_ReadFile(InFolder(folder, "numbers.csv"), &size);
	int lines = 0;
	for (const char* s = csv; (s = strchr(s, '\n')) != NULL; ++s)
		++lines;
	assert_int_equal(lines, 7);
	assert_int_equal(strncmp(csv, "frame,time,particles,triangles,", 31), 0);
	Program_ExpectHas(
		csv, ",joins,solves,iterations,work,overrun,cuts,stretchMedian,stretch99,stretchMax,deepest,kineticEnergy,");
	Program_ExpectHas(csv, "\n1,0,25,32,56,");
	free(csv);
	json_t* json = ReadJson(InFolder(folder, "numbers.json"));
	json_t* frames = json_object_get(json, "frames");
	assert_int_equal(json_array_size(frames), 6);
	assert_int_equal(json_integer_value(json_object_get(json_array_get(frames, 0), "triangles")), 32);
	assert_int_equal(json_integer_value(json_object_get(json_array_get(frames, 5), "frame")), 6);
	json_decref(json);
}

static json_int_t Sum(const json_t* frames, const char* column)
{
	json_int_t sum = 0;
	for (size_t i = 0; i < json_array_size(frames); ++i)
		sum += json_integer_value(json_object_get(json_array_get(frames, i), column));
	return sum;
}

// Five steps of at most two solves each; the start has none.
static void AnImplicitRunCountsItsSolves(void** state)
{
	(void)state;
	Program_WriteFile(scenePath, implicitScene);
	PROGRAM_RUN("run", scenePath, "-o", folder);
	ExpectDone();
	json_t* json = ReadJson(InFolder(folder, "stats.json"));
	const json_t* frames = json_object_get(json, "frames");
	assert_int_equal(json_integer_value(json_object_get(json_array_get(frames, 0), "solves")), 0);
	assert_true(Sum(frames, "solves") >= 5 && Sum(frames, "solves") <= 10);
	assert_true(Sum(frames, "iterations") >= Sum(frames, "solves"));
	json_decref(json);
	size_t size;
	char* html = Program_ReadFile(InFolder(folder, "report.html"), &size);
	Program_ExpectHas(html, "<h2>Solver</h2>");
	Program_ExpectHas(html, "iterations of a linear solve, mean");
	free(html);
}

static void TheReportNeedsNoNetwork(void** state)
{
	(void)state;
	PROGRAM_RUN("run", scenePath, "-o", folder);
	ExpectDone();
	size_t size;
	char* html = Program_ReadFile(InFolder(folder, "report.html"), &size);
	assert_null(strstr(html, "http"));
	assert_null(strstr(html, "<script"));
	assert_null(strstr(html, "src="));
	assert_null(strstr(html, "nan"));
	Program_ExpectHas(html, "<svg");
	Program_ExpectHas(html, "Triangles");
	Program_ExpectHas(html, "Energy");
	assert_null(strstr(html, "Solver")); // springs have no linear solves
	Program_ExpectHas(html, "</html>");
	free(html);
}

static void JsonIsOneObjectAndNothingElse(void** state)
{
	(void)state;
	PROGRAM_RUN("run", scenePath, "-o", folder, "--json", "--frames", "3");
	ExpectDone();
	json_t* json = json_loads(programRun.out, 0, NULL);
	assert_non_null(json);
	assert_true(json_is_true(json_object_get(json, "done")));
	assert_int_equal(json_integer_value(json_object_get(json, "frames")), 3);
	json_decref(json);
	PROGRAM_RUN("run", "test/absent.json", "--json");
	assert_int_equal(programRun.code, 3);
	json = json_loads(programRun.out, 0, NULL);
	assert_non_null(json);
	assert_true(json_is_false(json_object_get(json, "done")));
	assert_string_equal(json_string_value(json_object_get(json_object_get(json, "error"), "text")),
	                    "test/absent.json: cannot open: No such file or directory");
	json_decref(json);
}

static void NamesOfPartsAndMaterialsAreKept(void** state)
{
	(void)state;
	char scene[1024], here[512];
	assert_non_null(getcwd(here, sizeof here));
	snprintf(scene, sizeof scene,
	         "{\"time\": {\"frames\": 4}, \"cloths\": [{\"name\": \"shirt\", \"obj\": \"%s/test/data/shirt.obj\"}]}",
	         here);
	Program_WriteFile(scenePath, scene);
	const char* const topologies[] = {"adaptive", "fixed"};
	for (int i = 0; i < 2; ++i)
	{
		size_t size;
		PROGRAM_RUN("run", scenePath, "-o", folder, "--topology", topologies[i]);
		ExpectDone();
		char* text = Program_ReadFile(InFolder(folder, "shirt.0004.obj"), &size);
		Program_ExpectHas(text, "mtllib shirt.mtl\n");
		Program_ExpectHas(text, "o shirt\n");
		Program_ExpectHas(text, "g front left\nusemtl cotton\nf ");
		Program_ExpectHas(text, "g front right\nusemtl silk\nf ");
		Program_ExpectHas(text, "vt ");
		free(text);
	}
}

static void SeveralClothsHaveTheirOwnFiles(void** state)
{
	(void)state;
	Program_WriteFile(scenePath,
	                  "{\"time\": {\"frames\": 2}, \"output\": {\"name\": \"$CLOTH-$F2\", \"firstFrame\": 0},"
	                  "\"cloths\": [{\"name\": \"a\", \"grid\": {}}, {\"name\": \"b\", \"disc\": {}}]}");
	PROGRAM_RUN("run", scenePath, "-o", folder, "--format", "obj,ply");
	ExpectDone();
	const char* const names[] = {"a-00.obj", "a-01.obj", "b-00.obj", "b-01.obj",
	                             "a-00.ply", "a-01.ply", "b-00.ply", "b-01.ply"};
	for (size_t i = 0; i < sizeof names / sizeof names[0]; ++i)
		assert_int_equal(access(InFolder(folder, names[i]), R_OK), 0);
}

static uint32_t ReadUint32(const char* bytes)
{
	uint32_t value;
	memcpy(&value, bytes, sizeof value);
	return value;
}

static void AFixedTopologyDoesNotChange(void** state)
{
	(void)state;
	PROGRAM_RUN("run", scenePath, "-o", folder, "--topology", "fixed", "--level", "2", "--format", "obj,pc2",
	            "--frames", "20");
	ExpectDone();
	drapeObj first, last, base;
	assert_int_equal(drapeObj_Read(InFolder(folder, "sheet.0001.obj"), &first, NULL), drape_ok);
	assert_int_equal(drapeObj_Read(InFolder(folder, "sheet.0020.obj"), &last, NULL), drape_ok);
	assert_int_equal(drapeObj_Read(InFolder(folder, "sheet.obj"), &base, NULL), drape_ok);
	// A grid of 4 quads cut twice is one of 16.
	assert_int_equal(first.mesh.vertexCount, 17 * 17);
	assert_int_equal(first.mesh.triangleCount, 2 * 16 * 16);
	assert_int_equal(last.mesh.vertexCount, first.mesh.vertexCount);
	assert_memory_equal(first.mesh.triangles, last.mesh.triangles, 3 * 512 * sizeof(uint32_t));
	assert_memory_equal(first.mesh.triangles, base.mesh.triangles, 3 * 512 * sizeof(uint32_t));
	assert_memory_equal(first.mesh.texcoords, last.mesh.texcoords, first.mesh.texcoordCount * sizeof(drapeVec2));

	size_t size;
	char* cache = Program_ReadFile(InFolder(folder, "sheet.pc2"), &size);
	assert_memory_equal(cache, "POINTCACHE2", 12);
	assert_int_equal(ReadUint32(cache + 16), 289);
	assert_int_equal(ReadUint32(cache + 28), 20);
	assert_int_equal(size, 32 + 20 * 289 * 12);
	assert_memory_equal(cache + 32, first.mesh.positions, 289 * 12);
	assert_memory_equal(cache + 32 + 19 * 289 * 12, last.mesh.positions, 289 * 12);
	free(cache);

	// Everything is one sheet: the shared vertices of the cuts are shared.
	drapeMeshReport report;
	assert_int_equal(drapeMesh_Check(&base.mesh, NULL, &report, NULL), drape_ok);
	assert_int_equal(report.boundaryLoops, 1);
	assert_int_equal(report.components, 1);
	drapeObj_Free(&first);
	drapeObj_Free(&last);
	drapeObj_Free(&base);
}

static void ThreadsDoNotChangeAFile(void** state)
{
	(void)state;
	PROGRAM_RUN("run", scenePath, "-o", folder, "--frames", "12", "--threads", "1");
	ExpectDone();
	PROGRAM_RUN("run", scenePath, "-o", otherFolder, "--frames", "12", "--threads", "3");
	ExpectDone();
	ExpectSameFolders();
}

// --- bad usage and bad input ---

static void BadUsageIsCodeTwo(void** state)
{
	(void)state;
	const struct
	{
		const char *option, *value, *message;
	} cases[] = {
		{"--format", "obj,stl", "--format cannot be 'obj,stl'; expected some of obj, ply, pc2 with commas between"},
		{"--format", "pc2", "pc2 cannot hold a mesh that changes; give --topology fixed too"},
		{"--frames", "0", "--frames cannot be 0"},
		{"--frames", "-3", "--frames cannot be '-3'; expected a whole number"},
		{"--threads", "1000", "--threads cannot be 1000; expected 1 to 64"},
		{"--level", "9", "--level cannot be 9; expected 0 to 8"},
		{"--level", "2", "--level needs --topology fixed"},
		{"--topology", "round", "--topology cannot be 'round'; expected adaptive|fixed"},
	};
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i)
	{
		PROGRAM_RUN("run", scenePath, "-o", folder, cases[i].option, cases[i].value);
		ExpectFailure(2, cases[i].message);
		assert_int_not_equal(access(folder, F_OK), 0);
	}
}

static void BadScenesAreCodeThreeAndTouchNothing(void** state)
{
	(void)state;
	const struct
	{
		const char *text, *message;
	} cases[] = {
		{"{", ":1:1: not JSON: "},
		{"{\"cloths\": \"many\"}", ":1:12: cloths is \"many\", expected a list of objects"},
		{"{\"cloths\": [{\"name\": \"a\", \"grid\": {}, \"material\": {\"density\": -2}}]}", "density is -2, expected"},
		{"{\"cloths\": [{\"name\": \"a\", \"grid\": {\"width\": 0}}]}", "width is 0, expected"},
		{"{\"cloths\": [{\"name\": \"a\", \"obj\": \"absent.obj\"}]}", "absent.obj: cannot open: No such file"},
		{"{\"cloths\": [{\"name\": \"a\", \"grid\": {}, \"adapt\": {\"curvature\": {\"split\": 1, \"join\": 2}}}]}",
	     "would rejoin what it has just split"},
		{"{\"cloths\": [{\"name\": \"a\", \"grid\": {}, \"pins\": [{\"vertices\": [25]}]}]}",
	     "pin names vertex 25, expected 0 to 24"},
		{"{\"motions\": [{\"name\": \"m\", \"keys\": [{\"time\": 0}, {\"time\": 0.001, \"position\": [5, 0, 0]}]}]}",
	     "jumps: it moves 5 m in 0.001 s, expected at most 100 m/s"},
	};
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i)
	{
		Program_WriteFile(scenePath, cases[i].text);
		PROGRAM_RUN("run", scenePath, "-o", folder);
		ExpectFailure(3, cases[i].message);
		Program_ExpectHas(programRun.err, scenePath);
		assert_string_equal(programRun.out, "");
		assert_int_not_equal(access(folder, F_OK), 0);
	}
	PROGRAM_RUN("run", "test/absent.json", "-o", folder);
	ExpectFailure(3, "test/absent.json: cannot open: No such file or directory");
}

static void AFolderThatCannotBeWrittenIsCodeThree(void** state)
{
	(void)state;
	PROGRAM_RUN("run", scenePath, "-o", InFolder(scenePath, "out"));
	ExpectFailure(3, "cannot write to this folder: Not a directory");
	if (geteuid() == 0)
		return; // root may write everywhere
	mkdir(folder, 0500);
	PROGRAM_RUN("run", scenePath, "-o", folder);
	ExpectFailure(3, "cannot write to this folder: Permission denied");
	PROGRAM_RUN("run", scenePath, "-o", InFolder(folder, "deeper"));
	ExpectFailure(3, "cannot write to this folder: Permission denied");
}

static void AFolderIsForOneRunAtATime(void** state)
{
	(void)state;
	mkdir(folder, 0777);
	int lock = open(folder, O_RDONLY);
	assert_int_equal(flock(lock, LOCK_EX), 0);
	PROGRAM_RUN("run", scenePath, "-o", folder);
	ExpectFailure(3, "another run is writing to this folder");
	close(lock);
}

// A limit on the size of files stands for a disk that fills up.
static void RunWithFileLimit(rlim_t size, const char* option)
{
	struct rlimit limit, small;
	getrlimit(RLIMIT_FSIZE, &limit);
	small = limit;
	small.rlim_cur = size;
	setrlimit(RLIMIT_FSIZE, &small);
	PROGRAM_RUN("run", scenePath, "-o", otherFolder, "--frames", "30", option);
	setrlimit(RLIMIT_FSIZE, &limit);
}

static void AFullDiskIsCodeOneAndLosesNothing(void** state)
{
	(void)state;
	static ProgramName names[maxFiles];
	PROGRAM_RUN("run", scenePath, "-o", folder, "--frames", "30");
	ExpectDone();
	// Meshes fit, statistics do not.
	size_t size;
	free(Program_ReadFile(InFolder(folder, "stats.csv"), &size));
	void (*before)(int) = signal(SIGXFSZ, SIG_IGN);
	RunWithFileLimit(64, "--json");
	assert_int_equal(programRun.code, 1);
	Program_RemoveFolder(otherFolder);
	RunWithFileLimit((rlim_t)(size * 2 / 3), "--resume");
	signal(SIGXFSZ, before);
	ExpectFailure(1, "cannot write: File too large");
	int count = Program_List(otherFolder, names, maxFiles);
	for (int i = 0; i < count; ++i)
	{
		assert_false(EndsWith(names[i].text, ".tmp"));
		if (EndsWith(names[i].text, ".obj"))
			ExpectSameFile(names[i].text);
	}
	PROGRAM_RUN("run", scenePath, "-o", otherFolder, "--frames", "30", "--resume");
	ExpectDone();
	ExpectSameFolders();
}

static void AClothThatExplodesIsHeldAndNamedOnceAndTheRunGoesOn(void** state)
{
	(void)state;
	Program_WriteFile(
		scenePath,
		"{\"time\": {\"frames\": 50, \"frameRate\": 10, \"stepRate\": 10}, \"cloths\": [{\"name\": \"stiff\", "
		"\"grid\": {\"columns\": 6, \"rows\": 6}, \"model\": \"springs\", \"pins\": [{\"corners\": "
		"[\"top-left\"]}],\n"
		"\"material\": {\"density\": 0.0001, \"stretchWarp\": 1e8, \"stretchWeft\": 1e8, \"shear\": 1e8},\n"
		"\"solver\": {\"integrator\": \"explicit-euler\", \"substeps\": 1, \"maxSubsteps\": 1, "
		"\"maxStretch\": 100}}]}");
	PROGRAM_RUN("run", scenePath, "-o", folder);
	assert_int_equal(programRun.code, 0);
	const char* warning = strstr(programRun.err, " s cloth \"stiff\" near [");
	assert_non_null(warning);
	assert_null(strstr(warning + 1, " s cloth \"stiff\" near ["));
	assert_int_equal(access(InFolder(folder, "stiff.0050.obj"), R_OK), 0);
	assert_int_equal(access(InFolder(folder, "stats.json"), R_OK), 0);
	assert_int_equal(access(InFolder(folder, "report.html"), R_OK), 0);
}

// --- resuming ---

static void ResumingRefusesWhatHasChanged(void** state)
{
	(void)state;
	PROGRAM_RUN("run", scenePath, "-o", folder, "--frames", "4");
	ExpectDone();
	PROGRAM_RUN("run", scenePath, "-o", folder, "--resume", "--topology", "fixed");
	ExpectFailure(3, "run.snapshot: the options have changed since");
	PROGRAM_RUN("run", scenePath, "-o", folder, "--resume", "--frames", "3");
	ExpectFailure(3, "run.snapshot: 4 frames are done already");
	char changed[sizeof smallScene];
	strcpy(changed, smallScene);
	strstr(changed, "small")[0] = 'S';
	Program_WriteFile(scenePath, changed);
	PROGRAM_RUN("run", scenePath, "-o", folder, "--resume");
	ExpectFailure(3, "run.snapshot: the scene has changed since");
}

static void ADamagedSnapshotIsRefused(void** state)
{
	(void)state;
	PROGRAM_RUN("run", scenePath, "-o", folder, "--frames", "4");
	ExpectDone();
	char path[1024];
	snprintf(path, sizeof path, "%s", InFolder(folder, "run.snapshot"));
	size_t size;
	char* snapshot = Program_ReadFile(path, &size);
	const size_t places[] = {0, 9, 20, 40, size - 1};
	for (size_t i = 0; i < sizeof places / sizeof places[0]; ++i)
	{
		FILE* file = fopen(path, "r+b");
		fseek(file, (long)places[i], SEEK_SET);
		fputc(snapshot[places[i]] ^ 1, file);
		fclose(file);
		PROGRAM_RUN("run", scenePath, "-o", folder, "--resume");
		ExpectFailure(3, "run.snapshot: this snapshot is damaged");
		file = fopen(path, "r+b");
		fwrite(snapshot, 1, size, file);
		fclose(file);
	}
	assert_int_equal(truncate(path, (off_t)size / 2), 0);
	PROGRAM_RUN("run", scenePath, "-o", folder, "--resume");
	ExpectFailure(3, "run.snapshot: this snapshot is damaged");
	assert_int_equal(truncate(path, 0), 0);
	PROGRAM_RUN("run", scenePath, "-o", folder, "--resume");
	ExpectFailure(3, "run.snapshot: this snapshot is damaged");
	free(snapshot);
}

static void ARunCanBeMadeLonger(void** state)
{
	(void)state;
	PROGRAM_RUN("run", scenePath, "-o", folder, "--frames", "15");
	ExpectDone();
	PROGRAM_RUN("run", scenePath, "-o", otherFolder, "--frames", "6", "--resume");
	ExpectDone();
	PROGRAM_RUN("run", scenePath, "-o", otherFolder, "--frames", "15", "--resume");
	ExpectDone();
	Program_ExpectHas(programRun.out, "went on behind frame 6");
	ExpectSameFolders();
	PROGRAM_RUN("run", scenePath, "-o", otherFolder, "--frames", "15", "--resume");
	ExpectDone();
	ExpectSameFolders();
}

static void AnImplicitRunGoesOnBitForBit(void** state)
{
	(void)state;
	Program_WriteFile(scenePath, implicitScene);
	PROGRAM_RUN("run", scenePath, "-o", folder, "--frames", "40");
	ExpectDone();
	const char* const ends[] = {"1", "2", "3", "9", "10", "21", "40"};
	for (size_t i = 0; i < sizeof ends / sizeof ends[0]; ++i)
	{
		PROGRAM_RUN("run", scenePath, "-o", otherFolder, "--frames", ends[i], "--resume");
		ExpectDone();
	}
	ExpectSameFolders();

	json_t* json = ReadJson(InFolder(folder, "stats.json"));
	json_t *frames = json_object_get(json, "frames"), *last = json_array_get(frames, 39);
	assert_true(json_integer_value(json_object_get(last, "triangles")) > 32);
	assert_true(json_integer_value(json_object_get(last, "contacts")) > 0);
	json_decref(json);
}

// --- contact ---

// A tetrahedron without its base, whose tip is at this height.
static void WriteTip(const char* path, double height)
{
	char text[256];
	snprintf(text, sizeof text, "v -1 -2 -1\nv 1 -2 -1\nv 0 -2 1\nv 0 %g 0\nf 1 4 2\nf 2 4 3\nf 3 4 1\n", height);
	Program_WriteFile(path, text);
}

// A tip that goes up and down in a sheet, which is held at its corners and keeps faces and edges out of it.
static void WriteTipScene(const char* tips, double height)
{
	char text[1024];
	const char* slash = strrchr(tips, '/');
	snprintf(text, sizeof text,
	         "{\"time\": {\"frames\": 6, \"frameRate\": 60, \"stepRate\": 60},\n"
	         "\"colliders\": [{\"shape\": \"mesh\", \"obj\": \"%s$F.obj\", \"repeat\": true}],\n"
	         "\"cloths\": [{\"name\": \"sheet\", \"grid\": {\"columns\": 8, \"rows\": 8}, \"position\": [0.03, %g, "
	         "0.02], \"contact\": \"all\", \"pins\": [{\"corners\": [\"top-left\", \"bottom-right\"]}]}]}\n",
	         slash ? slash + 1 : tips, height);
	Program_WriteFile(scenePath, text);
}

static void ADeformingColliderGoesOnBitForBit(void** state)
{
	(void)state;
	char tips[600], first[640], second[640];
	snprintf(tips, sizeof tips, "%s", Program_Scratch("tip"));
	snprintf(first, sizeof first, "%s1.obj", tips);
	snprintf(second, sizeof second, "%s2.obj", tips);
	WriteTip(first, -0.02);
	WriteTip(second, 0.05);
	WriteTipScene(tips, 0.0);
	PROGRAM_RUN("run", scenePath, "-o", folder, "--frames", "20", "--json");
	ExpectDone();
	Program_ExpectHas(programRun.err, "collider 1: not closed, with one triangle at 3 edges");
	Program_ExpectHas(programRun.out, "\"warnings\": [");
	const char* const ends[] = {"2", "7", "20"};
	for (size_t i = 0; i < sizeof ends / sizeof ends[0]; ++i)
	{
		PROGRAM_RUN("run", scenePath, "-o", otherFolder, "--frames", ends[i], "--resume");
		ExpectDone();
	}
	ExpectSameFolders();
	WriteTip(second, 0.06);
	PROGRAM_RUN("run", scenePath, "-o", otherFolder, "--frames", "21", "--resume");
	assert_int_equal(programRun.code, 3);
	Program_ExpectHas(programRun.err, "the scene has changed since");
	unlink(first);
	unlink(second);
}

static void AStartThatCrossesIsWarnedOf(void** state)
{
	(void)state;
	char tips[600], first[640];
	snprintf(tips, sizeof tips, "%s", Program_Scratch("tip"));
	snprintf(first, sizeof first, "%s1.obj", tips);
	WriteTip(first, 0.05);
	WriteTipScene(tips, 0.0);
	PROGRAM_RUN("run", scenePath, "-o", folder, "--frames", "1");
	ExpectDone();
	Program_ExpectHas(programRun.err, "scene.json:3:12: cloth \"sheet\" crosses collider 1 at the start, with ");
	Program_ExpectHas(programRun.err, " pairs of triangles, the first at [");
	Program_ExpectHas(programRun.err, "\"untangle\" of the world removes them");
	WriteTipScene(tips, 0.1);
	PROGRAM_RUN("run", scenePath, "-o", folder, "--frames", "1");
	ExpectDone();
	assert_null(strstr(programRun.err, "crosses"));
	unlink(first);
}

static void AStartThatCrossesIsTakenApartWhenAsked(void** state)
{
	(void)state;
	Program_WriteFile(
		scenePath,
		"{\"time\": {\"frames\": 6, \"frameRate\": 60, \"stepRate\": 60}, \"world\": {\"untangle\": true},\n"
		"\"colliders\": [{\"shape\": \"sphere\", \"radius\": 0.2}],\n"
		"\"cloths\": [{\"name\": \"sheet\", \"grid\": {\"columns\": 8, \"rows\": 8}, \"contact\": \"all\"}]}\n");
	PROGRAM_RUN("run", scenePath, "-o", folder);
	ExpectDone();
	Program_ExpectHas(programRun.err, "scene.json: cloth crossed at the start, in ");
	Program_ExpectHas(programRun.err, " places; 0 are left, and particles were moved by up to 0.2");
	assert_null(strstr(programRun.err, "crosses"));
	PROGRAM_RUN("run", scenePath, "-o", otherFolder, "--frames", "3", "--threads", "3");
	ExpectDone();
	PROGRAM_RUN("run", scenePath, "-o", otherFolder, "--resume");
	ExpectDone();
	ExpectSameFolders();
}

static void ASignalEndsTheRunBehindAFrame(void** state)
{
	(void)state;
	pid_t process = Program_Start(
		(const char* const[]){"run", scenePath, "-o", folder, "--frames", "1000000", "--format", "obj", NULL});
	while (access(InFolder(folder, "sheet.0003.obj"), F_OK) != 0)
		nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
	kill(process, SIGINT);
	Program_Wait(process);
	ExpectFailure(1, "--resume continues from there");
	assert_int_equal(access(InFolder(folder, "run.snapshot"), R_OK), 0);
	assert_int_equal(access(InFolder(folder, "report.html"), R_OK), 0);
}

static double Now(void)
{
	struct timespec now;
	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static uint32_t randomState = 7;

static double Random(void)
{
	randomState = randomState * 1664525u + 1013904223u;
	return (double)(randomState >> 8) / (double)(1 << 24);
}

// One launch that is killed after a random while. False when it was done before.
static bool RunAndKill(double most)
{
	pid_t process =
		Program_Start((const char* const[]){"run", scenePath, "-o", otherFolder, "--frames", "200", "--topology",
	                                        "fixed", "--format", "obj,ply,pc2", "--resume", NULL});
	nanosleep(&(struct timespec){.tv_nsec = (long)(1e9 * fmin(most * Random(), 0.9))}, NULL);
	kill(process, SIGKILL);
	Program_Wait(process);
	if (programRun.code >= 0)
		ExpectDone();
	return programRun.code < 0;
}

static void TwentyKillsChangeNothing(void** state)
{
	(void)state;
	double began = Now();
	PROGRAM_RUN("run", scenePath, "-o", folder, "--frames", "200", "--topology", "fixed", "--format", "obj,ply,pc2");
	ExpectDone();
	double whole = Now() - began;
	for (int kills = 0; kills < 20;)
	{
		// Each launch gets about a fifth of the way. A run that comes to its end is compared, and begun anew.
		if (RunAndKill(0.4 * whole))
		{
			++kills;
			continue;
		}
		ExpectSameFolders();
		Program_RemoveFolder(otherFolder);
	}
	PROGRAM_RUN("run", scenePath, "-o", otherFolder, "--frames", "200", "--topology", "fixed", "--format",
	            "obj,ply,pc2", "--resume");
	ExpectDone();
	ExpectSameFolders();
}

// --- presets and schema ---

static void PresetsAreListedForPeopleAndPrograms(void** state)
{
	(void)state;
	PROGRAM_RUN("presets");
	ExpectDone();
	Program_ExpectHas(programRun.out, "cotton");
	Program_ExpectHas(programRun.out, "kg/m^2");
	PROGRAM_RUN("presets", "--json");
	ExpectDone();
	json_t* json = json_loads(programRun.out, 0, NULL);
	json_t* first = json_array_get(json_object_get(json, "materials"), 0);
	assert_string_equal(json_string_value(json_object_get(first, "name")), "cotton");
	assert_true(json_number_value(json_object_get(json_object_get(first, "material"), "density")) > 0.0);
	json_decref(json);
}

static void TheSchemaIsJson(void** state)
{
	(void)state;
	PROGRAM_RUN("schema");
	ExpectDone();
	json_t* json = json_loads(programRun.out, 0, NULL);
	assert_non_null(json_object_get(json_object_get(json, "properties"), "cloths"));
	json_decref(json);
}

static void ASceneWithoutClothIsNotRun(void** state)
{
	(void)state;
	const char* path = Program_Scratch("empty.json");
	Program_WriteFile(path, "{}");
	PROGRAM_RUN("run", path);
	assert_int_equal(programRun.code, 3);
	Program_ExpectHas(programRun.err, "there is no cloth in this scene");
	unlink(path);
}

int main(void)
{
#define RUN_TEST(test) cmocka_unit_test_setup_teardown(test, SetUp, TearDown)
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(ASceneWithoutClothIsNotRun),
		RUN_TEST(EveryFrameIsAFileThatReadsBack),
		RUN_TEST(StatisticsHaveALinePerFrame),
		RUN_TEST(AnImplicitRunCountsItsSolves),
		RUN_TEST(TheReportNeedsNoNetwork),
		RUN_TEST(JsonIsOneObjectAndNothingElse),
		RUN_TEST(NamesOfPartsAndMaterialsAreKept),
		RUN_TEST(SeveralClothsHaveTheirOwnFiles),
		RUN_TEST(AFixedTopologyDoesNotChange),
		RUN_TEST(ThreadsDoNotChangeAFile),
		RUN_TEST(BadUsageIsCodeTwo),
		RUN_TEST(BadScenesAreCodeThreeAndTouchNothing),
		RUN_TEST(AFolderThatCannotBeWrittenIsCodeThree),
		RUN_TEST(AFolderIsForOneRunAtATime),
		RUN_TEST(AFullDiskIsCodeOneAndLosesNothing),
		RUN_TEST(AClothThatExplodesIsHeldAndNamedOnceAndTheRunGoesOn),
		RUN_TEST(ResumingRefusesWhatHasChanged),
		RUN_TEST(ADamagedSnapshotIsRefused),
		RUN_TEST(ARunCanBeMadeLonger),
		RUN_TEST(AnImplicitRunGoesOnBitForBit),
		RUN_TEST(ADeformingColliderGoesOnBitForBit),
		RUN_TEST(AStartThatCrossesIsWarnedOf),
		RUN_TEST(AStartThatCrossesIsTakenApartWhenAsked),
		RUN_TEST(ASignalEndsTheRunBehindAFrame),
		RUN_TEST(TwentyKillsChangeNothing),
		RUN_TEST(PresetsAreListedForPeopleAndPrograms),
		RUN_TEST(TheSchemaIsJson),
	};
	return cmocka_run_group_tests_name("run", tests, NULL, NULL);
}
