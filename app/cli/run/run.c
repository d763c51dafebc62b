// SPDX-License-Identifier: MIT
#include "run.h"

#include "crossings.h"
#include "run_manifest.h"
#include "scene_set.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <time.h>
#include <unistd.h>

typedef struct RunOptions
{
	const char *scene, *folder, *formats, *stats;
	int topology; // -1: the scene's
	CliList set;
	uint32_t threads, frames, level;
	float untangleSeconds; // 0: the scene's
	bool resume, json;
} RunOptions;

typedef struct Run
{
	RunSettings settings;
	drapeScene* scene;
	drapeSceneWorld made;
	RunOutput output;
	RunStats stats;
	RunSnapshot snapshot;
	RunProgress progress;
	RunWarnings warnings;
	int lock;         // lock of the folder
	uint32_t done;    // frames on disk
	uint32_t resumed; // frames from an earlier run
	bool stopped;     // a signal ended the run
	bool isCancelled; // the signal ended it within a frame: files go beyond the last snapshot
	double began;     // s
	CliExit exit;     // exit code of a failure that the result does not classify; cli_exitDone for none
	drapeMessage error;
} Run;

drapeResult Run_Fail(drapeMessage* error, drapeResult result, const char* format, ...)
{
	va_list arguments;
	va_start(arguments, format);
	error->result = result;
	error->line = 0;
	vsnprintf(error->text, sizeof error->text, format, arguments);
	va_end(arguments);
	return result;
}

drapeResult Run_WriteJson(const char* path, json_t* object, drapeMessage* error)
{
	char* text = object ? json_dumps(object, JSON_INDENT(1) | JSON_REAL_PRECISION(9)) : NULL;
	json_decref(object);
	drapeResult result = text ? drapeFile_Write(path, text, strlen(text), error) : drape_errorMemory;
	free(text);
	return result;
}

// --- settings ---

static bool ParseFormats(const char* list, uint32_t* formats)
{
	static const char* const names[] = {"obj", "ply", "pc2"};
	*formats = 0;
	while (*list)
	{
		size_t length = strcspn(list, ",");
		int found = -1;
		for (int i = 0; i < 3; ++i)
			if (strlen(names[i]) == length && memcmp(names[i], list, length) == 0)
				found = i;
		if (found < 0)
			return false;
		*formats |= 1u << found;
		list += length;
		list += *list == ',';
	}
	return *formats != 0;
}

static CliExit CheckOptions(const RunOptions* options, uint32_t* formats)
{
	if (options->formats && !ParseFormats(options->formats, formats))
		Cli_Error("--format cannot be '%s'; expected some of obj, ply, pc2 with commas between", options->formats);
	else if (options->frames == 0)
		Cli_Error("--frames cannot be 0; expected a whole number from 1 on");
	else if (options->threads > DRAPE_MAX_WORKERS)
		Cli_Error("--threads cannot be %u; expected 1 to %d", options->threads, DRAPE_MAX_WORKERS);
	else if (options->folder && strlen(options->folder) > RUN_PATH / 2)
		Cli_Error("-o is longer than a path can be");
	else if (options->level != UINT32_MAX && options->level > 8)
		Cli_Error("--level cannot be %u; expected 0 to 8", options->level);
	else
		return cli_exitDone;
	return cli_exitUsage;
}

// Returns "flag" for "scenes/flag.json".
static void SceneStem(const char* path, char* stem, size_t capacity)
{
	const char* slash = strrchr(path, '/');
	snprintf(stem, capacity, "%s", slash ? slash + 1 : path);
	char* dot = strrchr(stem, '.');
	if (dot && dot != stem)
		*dot = 0;
}

// The JSON file has the name of the CSV file with another ending.
static void SetStatsPaths(RunSettings* settings, const char* path)
{
	size_t half = sizeof settings->statsPath - 32;
	if (path)
		snprintf(settings->statsPath, sizeof settings->statsPath, "%.*s", (int)half, path);
	else
		snprintf(settings->statsPath, sizeof settings->statsPath, "%.*s/stats.csv", (int)half, settings->folder);
	const char* slash = strrchr(settings->statsPath, '/');
	const char* dot = strrchr(slash ? slash : settings->statsPath, '.');
	size_t length = dot ? (size_t)(dot - settings->statsPath) : strlen(settings->statsPath);
	snprintf(settings->statsJsonPath, sizeof settings->statsJsonPath, "%.*s.json", (int)length, settings->statsPath);
}

// Combines the settings of the scene and the options, which take precedence.
static CliExit MakeSettings(Run* run, const RunOptions* options, uint32_t formats)
{
	RunSettings* settings = &run->settings;
	settings->scenePath = options->scene;
	settings->output = run->scene->output;
	settings->frames = options->frames != UINT32_MAX ? options->frames : run->scene->time.frames;
	settings->threads = options->threads;
	settings->untangleSeconds = options->untangleSeconds;
	settings->resume = options->resume;
	if (options->formats)
		settings->output.formats = formats;
	if (options->topology >= 0)
		settings->output.topology = (drapeSceneTopology)options->topology;
	if (options->level != UINT32_MAX)
		settings->output.level = options->level;
	char stem[256];
	SceneStem(options->scene, stem, sizeof stem);
	if (options->folder)
		snprintf(settings->folder, sizeof settings->folder, "%s", options->folder);
	else
		snprintf(settings->folder, sizeof settings->folder, "out/%s", stem);
	SetStatsPaths(settings, options->stats);

	bool fixed = settings->output.topology == drape_sceneFixed;
	bool sequence = settings->output.formats & (drape_sceneFormatObj | drape_sceneFormatPly);
	if ((settings->output.formats & drape_sceneFormatPc2) && !fixed)
		Cli_Error("pc2 cannot hold a mesh that changes; give --topology fixed too");
	else if (options->level != UINT32_MAX && !fixed)
		Cli_Error("--level needs --topology fixed");
	else if (sequence && !strstr(settings->output.name, "$F"))
		Cli_Error("all frames would have the name '%s'; the scene's output name needs $F4", settings->output.name);
	else
		return cli_exitDone;
	return cli_exitUsage;
}

// --- the folder ---

// NAME.PID-NUMBER.tmp: drape_io's name of an incomplete file.
static bool IsTemporary(const char* name)
{
	const char* dot = strrchr(name, '.');
	if (!dot || strcmp(dot, ".tmp") != 0)
		return false;
	const char* s = dot;
	while (s > name && s[-1] >= '0' && s[-1] <= '9')
		--s;
	bool number = s < dot;
	if (s == name || s[-1] != '-')
		return false;
	const char* pid = --s;
	while (s > name && s[-1] >= '0' && s[-1] <= '9')
		--s;
	return number && s < pid && s > name && s[-1] == '.';
}

// Removes incomplete files of a killed run. Call it only while the folder is locked.
static void RemoveTemporaries(const char* folder)
{
	DIR* directory = opendir(folder);
	const struct dirent* entry;
	while (directory && (entry = readdir(directory)) != NULL)
		if (IsTemporary(entry->d_name))
			unlinkat(dirfd(directory), entry->d_name, 0);
	if (directory)
		closedir(directory);
}

static bool IsFull(int code)
{
	return code == ENOSPC || code == EDQUOT || code == EFBIG;
}

// An unusable folder is bad input; a full disk is not.
static drapeResult FailFolder(Run* run, int code)
{
	run->exit = IsFull(code) ? cli_exitFailed : cli_exitInput;
	return Run_Fail(&run->error, drape_errorFile, "%s: cannot write to this folder: %s", run->settings.folder,
	                strerror(code));
}

static drapeResult OpenFolder(Run* run)
{
	int code = Cli_MakeFolders(run->settings.folder);
	if (code != 0)
		return FailFolder(run, code);
	run->lock = open(run->settings.folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (run->lock < 0 || access(run->settings.folder, W_OK | X_OK) != 0)
		return FailFolder(run, errno);
	if (flock(run->lock, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK)
	{
		run->exit = cli_exitInput;
		return Run_Fail(&run->error, drape_errorFile, "%s: another run is writing to this folder",
		                run->settings.folder);
	}
	RemoveTemporaries(run->settings.folder);
	return drape_ok;
}

// --- the loop ---

// Steps from the previous frame to this one; the first frame is the start.
static drapeResult StepFrame(Run* run, uint32_t index, RunFrame* frame)
{
	const drapeSceneTime* time = &run->scene->time;
	uint32_t steps = index == 0 ? 0 : (uint32_t)lround((double)time->stepRate / (double)time->frameRate);
	*frame =
		(RunFrame){.frame = run->settings.output.firstFrame + index, .time = (double)index / (double)time->frameRate};
	for (uint32_t i = 0; i < steps; ++i)
	{
		drapeResult result = drapeSceneWorld_Step(&run->made, 1.0f / time->stepRate);
		if (result != drape_ok)
			return result;
		RunWarnings_AfterStep(&run->warnings, run->scene, &run->made);
		// Energies and percentiles belong to the end of the frame.
		bool isLast = i + 1 == steps;
		RunFrame_Add(frame, run->made.world, isLast);
	}
	if (steps == 0)
		RunFrame_Add(frame, run->made.world, true);
	return drape_ok;
}

static drapeResult RunOneFrame(Run* run, uint32_t index)
{
	RunFrame frame;
	drapeResult result = StepFrame(run, index, &frame);
	if (result == drape_errorCancelled)
	{
		run->stopped = run->isCancelled = true;
		return drape_ok;
	}
	if (result == drape_ok)
		result = RunOutput_WriteFrame(&run->output, index, &run->error);
	if (result == drape_ok)
		result = RunStats_Append(&run->stats, &frame, &run->error);
	if (result != drape_ok)
		return result;
	run->done = index + 1;
	run->stopped = Cli_StopAsked() && run->done < run->settings.frames;
	if (run->done % run->settings.output.snapshotEvery == 0 || run->done == run->settings.frames || run->stopped)
		result = RunSnapshot_Write(&run->snapshot, run->made.world, index, &run->error);
	RunProgress_Update(&run->progress, run->done, frame.counters.triangles);
	return result;
}

static drapeResult RunFrames(Run* run)
{
	drapeResult result = drape_ok;
	run->progress = RunProgress_Begin(run->done, run->settings.frames);
	Cli_CancelOnSignal(run->made.world);
	for (uint32_t i = run->done; result == drape_ok && !run->stopped && i < run->settings.frames; ++i)
		result = RunOneFrame(run, i);
	Cli_CancelOnSignal((drapeWorldId){0});
	RunProgress_End(&run->progress);
	return result;
}

// Writes statistics and report, also after an early end.
static drapeResult WriteSummaries(Run* run, drapeMessage* error)
{
	char path[RUN_PATH + 16];
	snprintf(path, sizeof path, "%s/report.html", run->settings.folder);
	drapeResult result = RunStats_WriteJson(&run->stats, run->settings.statsJsonPath, run->scene,
	                                        RunManifest_Json(&run->output, &run->snapshot), error);
	return result == drape_ok ? RunReport_Write(path, &run->stats, run->scene, error) : result;
}

// --- beginning ---

static drapeResult Resume(Run* run, bool* found)
{
	uint32_t last = 0;
	run->exit = cli_exitInput;
	drapeResult result = RunSnapshot_Read(&run->snapshot, run->made.world, found, &last, &run->error);
	if (result != drape_ok || !*found)
		return result;
	if (last >= run->settings.frames)
		return Run_Fail(&run->error, drape_errorData, "%s: %u frames are done already; --frames cannot be less",
		                run->snapshot.path, last + 1);
	run->done = run->resumed = last + 1;
	return RunStats_Continue(&run->stats, run->settings.statsPath, run->done, &run->error);
}

static drapeResult BeginFiles(Run* run)
{
	bool found = false;
	RunSnapshot_Begin(&run->snapshot, &run->settings, run->scene, &run->made);
	drapeResult result = run->settings.resume ? Resume(run, &found) : drape_ok;
	if (result != drape_ok)
		return result;
	run->exit = cli_exitDone;
	if (found)
		return drape_ok;
	// Remove the snapshot of an earlier run before its files.
	unlink(run->snapshot.path);
	result = RunStats_Create(&run->stats, run->settings.statsPath, &run->error);
	if (result == drape_errorData || (result == drape_errorFile && !run->stats.file && !IsFull(errno)))
		run->exit = cli_exitInput;
	return result == drape_ok ? RunManifest_Write(&run->output, &run->snapshot, &run->error) : result;
}

// Creates the world and untangles its start. A start that is not finished would be continued by --resume, so that other
// files would follow: a signal ends the run before the first frame.
static drapeResult CreateWorld(Run* run)
{
	UntangleView view = {0};
	const drapeSceneWorldOptions options = {
		.threads = run->settings.threads,
		.untangleSeconds = run->settings.untangleSeconds > 0.0f ? &run->settings.untangleSeconds : NULL,
		.untangleProgress = UntangleView_Update,
		.untangleContext = &view,
	};
	drapeResult result = drapeScene_CreateWorldWith(run->scene, &options, &run->made, &run->error);
	UntangleView_End(&view);
	if (result == drape_ok && run->made.untangled.end == drape_untangleCancelled)
		return Run_Fail(&run->error, drape_errorData, "%s: stopped while the start was untangled", run->scene->path);
	return result;
}

static drapeResult Prepare(Run* run)
{
	run->exit = cli_exitInput;
	drapeResult result = CreateWorld(run);
	if (result == drape_errorMemory || run->made.untangled.end == drape_untangleCancelled)
		run->exit = cli_exitFailed;
	if (result != drape_ok)
		return result;
	run->output = (RunOutput){.settings = &run->settings, .scene = run->scene, .made = &run->made};
	result = RunOutput_Create(&run->output, &run->error);
	if (result != drape_ok)
		return result;
	run->exit = cli_exitDone;
	result = OpenFolder(run);
	if (result != drape_ok)
		return result;
	RunWarnings_Find(&run->warnings, run->scene, &run->made);
	return BeginFiles(run);
}

// --- the end ---

static void PrintSummary(const Run* run)
{
	uint32_t most = 0;
	for (uint32_t i = 0; i < run->stats.count; ++i)
		most = run->stats.frames[i].counters.triangles > most ? run->stats.frames[i].counters.triangles : most;
	printf("%s: %u frames of %u cloth%s, at most %u triangles, %.1f s\n", run->settings.folder, run->done,
	       run->made.clothCount, run->made.clothCount == 1 ? "" : "s", most, Cli_Seconds() - run->began);
	if (run->resumed > 0)
		printf("  went on behind frame %u\n", run->settings.output.firstFrame + run->resumed - 1);
	printf("  statistics  %s\n  report      %s/report.html\n", run->settings.statsPath, run->settings.folder);
}

static json_t* RunJson(const Run* run, drapeResult result)
{
	char hash[24];
	json_t* object = json_object();
	json_object_set_new(object, "scene", Cli_JsonText(run->settings.scenePath));
	json_object_set_new(object, "done", json_boolean(result == drape_ok && !run->stopped));
	json_object_set_new(object, "folder", Cli_JsonText(run->settings.folder));
	json_object_set_new(object, "frames", json_integer(run->done));
	json_object_set_new(object, "resumedFrames", json_integer(run->resumed));
	json_object_set_new(object, "seconds", Cli_JsonNumber(Cli_Seconds() - run->began));
	json_object_set_new(object, "statistics", Cli_JsonText(run->settings.statsJsonPath));
	if (run->stats.count > 0)
		json_object_set_new(object, "triangles",
		                    json_integer(run->stats.frames[run->stats.count - 1].counters.triangles));
	if (drapeWorld_IsValid(run->made.world))
	{
		snprintf(hash, sizeof hash, "%016llx", (unsigned long long)drapeWorld_GetHash(run->made.world));
		json_object_set_new(object, "state", json_string(hash));
	}
	if (run->warnings.count > 0)
		json_object_set_new(object, "warnings", RunWarnings_Json(&run->warnings));
	if (result != drape_ok)
		json_object_set_new(object, "error",
		                    json_pack("{s:o, s:o}", "line",
		                              run->error.line > 0 ? json_integer(run->error.line) : json_null(), "text",
		                              Cli_JsonText(run->error.text)));
	return object;
}

static CliExit ExitCode(const Run* run, drapeResult result)
{
	if (result == drape_ok)
		return run->stopped ? cli_exitFailed : cli_exitDone;
	// After the start of the run, an error is a failure of the work.
	return run->exit != cli_exitDone ? run->exit : cli_exitFailed;
}

static CliExit Finish(Run* run, drapeResult result)
{
	if (result != drape_ok)
	{
		if (run->error.text[0] == 0)
			Run_Fail(&run->error, result, "%s: %s", run->settings.scenePath, drapeResult_GetText(result));
		Cli_Error("%s", run->error.text);
	}
	else if (run->stopped)
		Cli_Error("stopped after frame %u; --resume continues from %s", run->settings.output.firstFrame + run->done - 1,
		          run->isCancelled ? "the last snapshot" : "there");
	bool printed = true;
	if (run->settings.json)
		printed = Cli_PrintJson(RunJson(run, result));
	else if (result == drape_ok)
		PrintSummary(run);
	return printed ? ExitCode(run, result) : cli_exitFailed;
}

static void FreeRun(Run* run)
{
	RunOutput_Free(&run->output);
	RunStats_Close(&run->stats);
	RunSnapshot_Free(&run->snapshot);
	RunWarnings_Free(&run->warnings);
	drapeSceneWorld_Destroy(&run->made);
	drapeScene_Free(run->scene);
	if (run->lock >= 0)
		close(run->lock);
}

static drapeResult ReadScene(Run* run, const RunOptions* options)
{
	drapeResult result = SceneSet_Read(options->scene, &options->set, &run->scene, &run->error);
	if (result != drape_ok)
		run->exit = result == drape_errorArgument ? cli_exitUsage : Cli_ExitFor(result);
	return result;
}

static CliExit RunScene(Run* run, const RunOptions* options, uint32_t formats)
{
	run->settings.json = options->json;
	run->settings.scenePath = options->scene;
	drapeResult result = ReadScene(run, options);
	if (result != drape_ok)
		return Finish(run, result);
	run->exit = cli_exitDone;
	if (run->scene->clothCount == 0)
	{
		run->exit = cli_exitInput;
		return Finish(run,
		              Run_Fail(&run->error, drape_errorData, "%s: there is no cloth in this scene", options->scene));
	}
	CliExit usage = MakeSettings(run, options, formats);
	if (usage != cli_exitDone)
		return usage;
	Cli_CatchSignals();
	// Report a limit on file sizes like a full disk.
	signal(SIGXFSZ, SIG_IGN);
	result = Prepare(run);
	if (result != drape_ok)
		return Finish(run, result);
	result = RunFrames(run);
	// A second error does not hide the first.
	drapeMessage ignored;
	drapeResult summaries = WriteSummaries(run, result == drape_ok ? &run->error : &ignored);
	return Finish(run, result == drape_ok ? summaries : result);
}

CliExit Run_Run(int argc, char** argv)
{
	RunOptions options = {.topology = -1, .frames = UINT32_MAX, .level = UINT32_MAX};
	const CliOption table[] = {
		{"-o", cli_optionText, "DIR", "folder of the files; default out/ and the scene's name", &options.folder},
		{"--format", cli_optionText, "LIST", "obj, ply, pc2, with commas between", &options.formats},
		{"--topology", cli_optionChoice, "adaptive|fixed", "the mesh in use, or the pattern carried along",
	     &options.topology},
		{"--level", cli_optionWhole, "N", "for fixed: the pattern refined N times", &options.level},
		{"--set", cli_optionList, "KEY=VALUE", SCENE_SET_HELP, &options.set},
		{"--frames", cli_optionWhole, "N", "number of frames; the first one is the start", &options.frames},
		{"--threads", cli_optionWhole, "N", "threads to use; the result is the same", &options.threads},
		{"--untangle-seconds", cli_optionPositive, "X", "longest time to untangle the start; default the scene's",
	     &options.untangleSeconds},
		{"--resume", cli_optionFlag, NULL, "continue from the last snapshot in DIR", &options.resume},
		{"--stats", cli_optionText, "FILE", "statistics as CSV, and as JSON beside it; default DIR/stats.csv",
	     &options.stats},
		{"--json", cli_optionFlag, NULL, "print one JSON object", &options.json},
	};
	const CliUsage usage = {
		.synopsis = "drape run SCENE [options]",
		.summary = "Runs a scene and writes a mesh per frame, statistics and a report. docs/scenes.md describes "
				   "scenes.\n--resume continues a run that was killed, and completes the same files.",
		.options = table,
		.optionCount = (int)(sizeof table / sizeof table[0]),
		.operands = &options.scene,
		.operandCount = 1,
	};
	CliParse parsed = Cli_Parse(&usage, argc, argv);
	if (parsed != cli_parseRun)
		return parsed == cli_parseHelp ? cli_exitDone : cli_exitUsage;
	uint32_t formats = 0;
	CliExit code = CheckOptions(&options, &formats);
	if (code != cli_exitDone)
		return code;
	Run* run = calloc(1, sizeof *run);
	if (!run)
	{
		Cli_Error("out of memory");
		return cli_exitFailed;
	}
	run->lock = -1;
	run->began = Cli_Seconds();
	code = RunScene(run, &options, formats);
	FreeRun(run);
	free(run);
	return code;
}
