// SPDX-License-Identifier: MIT
#include "bench.h"

#include "base/timer.h"
#include "drape/drape.h"
#include "drape/scene.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Every shipped scene for 120 steps, with one and with two threads: the state hash at the end, and the cost of a step.
// The hash tells whether a change of the code changed results. Two threads and every repetition must give the same
// hash.

enum
{
	sceneSteps = 120,
	quickSteps = 30,
	usualRuns = 3,
	mostThreads = 2,
	mostScenes = 128,
	nameCapacity = 64,
};

typedef struct SceneNames
{
	char names[mostScenes][nameCapacity]; // without ".json", sorted
	uint32_t count;
} SceneNames;

static int CompareNames(const void* a, const void* b)
{
	return strcmp(a, b);
}

static SceneNames FindScenes(const char* folder, const char* only)
{
	SceneNames found = {0};
	DIR* directory = opendir(folder);
	Bench_Require(directory != NULL, "the folder of the scenes cannot be read");
	for (const struct dirent* entry; (entry = readdir(directory)) != NULL;)
	{
		size_t length = strlen(entry->d_name);
		if (length < 6 || length - 5 >= nameCapacity || strcmp(entry->d_name + length - 5, ".json") != 0)
			continue;
		if (only && strncmp(entry->d_name, only, strlen(only)) != 0)
			continue;
		Bench_Require(found.count < mostScenes, "the folder has too many scenes");
		memcpy(found.names[found.count++], entry->d_name, length - 5);
	}
	closedir(directory);
	qsort(found.names, found.count, sizeof found.names[0], CompareNames);
	return found;
}

typedef struct SceneRun
{
	uint64_t hash;
	uint32_t triangles; // at the end, of all cloths
} SceneRun;

static SceneRun RunScene(const char* path, uint32_t threads, int steps, double* ms)
{
	drapeScene* scene = NULL;
	drapeSceneWorld made;
	drapeMessage error = {0};
	Bench_Require(drapeScene_Read(path, &scene, &error) == drape_ok, error.text);
	Bench_Require(drapeScene_CreateWorld(scene, threads, &made, &error) == drape_ok, error.text);
	for (int i = 0; i < steps; ++i)
	{
		uint64_t start = drapeTimer_Now();
		drapeResult result = drapeSceneWorld_Step(&made, 1.0f / scene->time.stepRate);
		ms[i] = drapeTimer_Ms(start);
		Bench_Require(result == drape_ok, drapeWorld_GetWarning(made.world).text);
	}
	SceneRun run = {drapeWorld_GetHash(made.world), drapeWorld_GetCounters(made.world).triangles};
	drapeSceneWorld_Destroy(&made);
	drapeScene_Free(scene);
	return run;
}

static json_t* MeasureScene(const char* name, int runs, int steps)
{
	static BenchRuns times;
	char path[1200];
	SceneRun first = {0};
	json_t* threadRows = json_array();
	snprintf(path, sizeof path, "%s/%s.json", Bench_SceneFolder(), name);
	for (uint32_t threads = 1; threads <= mostThreads; ++threads)
	{
		times.steps = steps;
		times.runs = runs;
		for (int i = 0; i < runs; ++i)
		{
			SceneRun run = RunScene(path, threads, steps, times.ms[i]);
			first = threads == 1 && i == 0 ? run : first;
			Bench_Require(run.hash == first.hash, "another run or number of threads gave another result");
		}
		BenchSteps summary = Bench_SummariseRuns(&times);
		json_array_append_new(threadRows, json_pack("{s:i, s:o, s:f, s:f, s:f}", "threads", (int)threads, "hash",
		                                            Bench_Hash(first.hash), "minimum_ms", summary.minimum, "median_ms",
		                                            summary.median, "worst_ms", summary.worst));
	}
	return json_pack("{s:s, s:i, s:i, s:o, s:o}", "scene", name, "steps", steps, "triangles", (int)first.triangles,
	                 "hash", Bench_Hash(first.hash), "runs", threadRows);
}

static json_t* Run(const BenchOptions* options)
{
	int runs = options->runs > 0 ? (int)options->runs : options->isQuick ? 1 : usualRuns;
	runs = runs < benchMaxRuns ? runs : benchMaxRuns;
	SceneNames found = FindScenes(Bench_SceneFolder(), options->only);
	Bench_Require(found.count > 0, "no scene has such a name");
	json_t* rows = json_array();
	for (uint32_t i = 0; i < found.count; ++i)
		json_array_append_new(rows, MeasureScene(found.names[i], runs, options->isQuick ? quickSteps : sceneSteps));
	return json_pack("{s:s, s:i, s:o}", "benchmark", "scenes", "steps", options->isQuick ? quickSteps : sceneSteps,
	                 "scenes", rows);
}

static void Print(const json_t* result)
{
	size_t i;
	const json_t* row;
	printf("Shipped scenes, state after %.0f steps, equal with one and two threads; ms per step\n\n",
	       Bench_Number(result, "steps"));
	printf("                                                    one thread        two threads\n");
	printf("scene                    triangles              hash minimum  median   minimum  median\n");
	json_array_foreach(json_object_get(result, "scenes"), i, row)
	{
		const json_t* runs = json_object_get(row, "runs");
		const json_t *one = json_array_get(runs, 0), *two = json_array_get(runs, 1);
		printf("%-24s %9.0f  %16s %7.3f %7.3f %9.3f %7.3f\n", Bench_Text(row, "scene"), Bench_Number(row, "triangles"),
		       Bench_Text(row, "hash"), Bench_Number(one, "minimum_ms"), Bench_Number(one, "median_ms"),
		       Bench_Number(two, "minimum_ms"), Bench_Number(two, "median_ms"));
	}
}

const Benchmark benchScenes = {"scenes", "state hash and cost of every shipped scene", true, Run, Print};
