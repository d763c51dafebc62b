// SPDX-License-Identifier: MIT
#include "bench.h"

#include "base/timer.h"
#include "motion_run.h"
#include "shared/scenes.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

// Contact when everything moves: every scene of shared/motion_scenes.h with every scheme, on one and two threads, which
// must give the same bits. After every step an independent check counts faults (motion_check.h). docs/contact.md has
// the fields of a row. Times are wall clock of single steps, without the check.

static const drapeScheme schemes[] = {drape_schemeFixed, drape_schemeEdge, drape_schemeSqrt3};

// s of wall clock, for a run with its checks and for all runs together. A quick benchmark takes a tenth of the whole: it
// has a third of the runs, and in each of them all steps that settle the cloth and a tenth of the motion.
static const double runLimit = 45.0, wholeLimit = 1140.0, quickPart = 0.1;
static const double runShare = 4.0; // of the mean time that is left per run, which a single run may take at most
static const float budgetSeconds = 0.004f; // of a step

static bool IsWanted(const MotionSceneDef* def, const BenchOptions* options)
{
	bool isLong = MotionScene_IsLong(def->name), isSqrt3 = def->scheme == drape_schemeSqrt3;
	if (options->only && strcmp(options->only, def->name) != 0)
		return false;
	if (options->scheme && strcmp(options->scheme, SharedScene_Scheme(def->scheme)) != 0)
		return false;
	if (isLong && isSqrt3 && !options->scheme)
		return false;
	if (options->threads > 0)
		return def->threads == options->threads;
	return options->isQuick ? def->threads == 2 && !isSqrt3 : !isLong || def->threads == 2;
}

static void TellProgress(const json_t* row)
{
	fprintf(stderr, "%s %s, %.0f thread%s: %.0f steps of %.2f ms, at most %.1f; crossings %.0f self %.0f body%s%s\n",
	        Bench_Text(row, "scene"), Bench_Text(row, "scheme"), Bench_Number(row, "threads"),
	        Bench_Number(row, "threads") > 1.0 ? "s" : "", Bench_Number(row, "steps"), Bench_Number(row, "ms_mean"),
	        Bench_Number(row, "ms_max"), Bench_Number(row, "self_intersections"), Bench_Number(row, "body_crossings"),
	        json_object_get(row, "cut") ? "; cut" : "", json_object_get(row, "failure") ? "; aborted" : "");
}

// Marks a row whose bits differ from those of the row before it, of the same scene with another number of threads.
static void CompareHashes(json_t* before, json_t* row)
{
	bool isSameRun = before && strcmp(Bench_Text(before, "scene"), Bench_Text(row, "scene")) == 0 &&
	                 strcmp(Bench_Text(before, "scheme"), Bench_Text(row, "scheme")) == 0 &&
	                 Bench_Number(before, "steps") == Bench_Number(row, "steps");
	if (isSameRun && strcmp(Bench_Text(before, "hash"), Bench_Text(row, "hash")) != 0)
		json_object_set_new(row, "hash_differs", json_true());
}

// The runs of the benchmark, and the time that is left for them.
typedef struct Schedule
{
	const BenchOptions* options;
	uint64_t start; // drapeTimer_Now
	uint32_t runs;  // left
} Schedule;

// Part of the steps of a motion, and of the time, that this benchmark takes.
static double Part(const BenchOptions* options)
{
	return options->isQuick ? quickPart : 1.0;
}

// Returns the limit of the next run, s.
static double NextLimit(Schedule* schedule)
{
	const double least = 1.0;
	double left = Part(schedule->options) * wholeLimit - 1e-3 * drapeTimer_Ms(schedule->start);
	double limit = fmin(runLimit, runShare * left / fmax((double)schedule->runs, runShare));
	schedule->runs -= schedule->runs > 0;
	return fmax(limit, least);
}

static void AddRow(json_t* rows, const MotionSceneDef* def, Schedule* schedule)
{
	const BenchOptions* options = schedule->options;
	json_t* before = json_array_get(rows, json_array_size(rows) - 1);
	json_t* row = MotionRun_Row(def, Part(options), NextLimit(schedule), def->threads == 1 ? NULL : options->folder);
	CompareHashes(before, row);
	TellProgress(row);
	json_array_append_new(rows, row);
}

// Makes the wanted runs of all scenes; with NULL for the rows, only counts them.
static void MakeRows(json_t* rows, Schedule* schedule)
{
	const BenchOptions* options = schedule->options;
	MotionSceneDef def = {0};
	uint32_t most = options->threads > 2 ? options->threads : 2;
	for (uint32_t i = 0; (def.name = MotionScene_Name(i)) != NULL; ++i)
	{
		for (int k = 0; k < 3; ++k)
		{
			def.scheme = schemes[k];
			for (def.threads = 1; def.threads <= most; ++def.threads)
			{
				if (!IsWanted(&def, options))
					continue;
				if (rows)
					AddRow(rows, &def, schedule);
				else
					schedule->runs++;
			}
		}
	}
}

enum
{
	budgetRuns = 2,
};

static json_t* BudgetRows(Schedule* schedule)
{
	static const char* const names[budgetRuns] = {"walk", "dance"};
	json_t* rows = json_array();
	for (int i = 0; i < budgetRuns; ++i)
	{
		const MotionSceneDef def = {names[i], drape_schemeEdge, 2, budgetSeconds, false};
		if (IsWanted(&def, schedule->options))
			json_array_append_new(rows, MotionRun_BudgetRow(&def, Part(schedule->options), NextLimit(schedule)));
	}
	return rows;
}

static json_t* Run(const BenchOptions* options)
{
	bool isKnown = !options->only;
	const char* name;
	for (uint32_t i = 0; (name = MotionScene_Name(i)) != NULL; ++i)
		isKnown |= options->only && strcmp(options->only, name) == 0;
	Bench_Require(isKnown, "no scene has this name");
	json_t *result = json_object(), *rows = json_array();
	Schedule schedule = {options, drapeTimer_Now(), budgetRuns};
	MakeRows(NULL, &schedule);
	MakeRows(rows, &schedule);
	json_object_set_new(result, "benchmark", json_string("motion"));
	json_object_set_new(result, "scenes", rows);
	json_object_set_new(result, "budget", BudgetRows(&schedule));
	return result;
}

// --- for people -----------------------------------------------------------------------------------------------------

static void PrintNumber(const json_t* row, const char* key, int width, int digits)
{
	if (json_is_number(json_object_get(row, key)))
		printf(" %*.*f", width, digits, Bench_Number(row, key));
	else
		printf(" %*s", width, "-");
}

static void PrintRow(const json_t* row)
{
	static const struct
	{
		const char* key;
		int width, digits;
	} columns[] = {
		{"threads", 7, 0},        {"triangles", 9, 0},
		{"steps", 5, 0},          {"ms_mean", 8, 2},
		{"ms_p99", 8, 1},         {"ms_max", 8, 1},
		{"ms_busy", 8, 2},        {"ms_static", 7, 2},
		{"retries", 7, 0},        {"self_intersections", 5, 0},
		{"body_crossings", 5, 0}, {"pinched", 7, 0},
		{"crossed_at_end", 5, 0}, {"stretch_p99", 8, 3},
		{"recovered_s", 9, 2},
	};
	printf("%-10s %-6s", Bench_Text(row, "scene"), Bench_Text(row, "scheme"));
	for (size_t i = 0; i < sizeof columns / sizeof columns[0]; ++i)
		PrintNumber(row, columns[i].key, columns[i].width, columns[i].digits);
	printf("  %s%s%s%s%s\n", Bench_Text(row, "hash"), json_object_get(row, "hash_differs") ? "  HASH DIFFERS" : "",
	       json_object_get(row, "cut") ? "  cut" : "", json_object_get(row, "failure") ? "  aborted: " : "",
	       json_object_get(row, "failure") ? Bench_Text(row, "failure") : "");
}

static void Print(const json_t* result)
{
	size_t i;
	const json_t* row;
	printf(
		"Cloth when everything moves, steps of 1/60 s; crossings, pinched and stretch are the worst of all frames\n\n");
	printf("scene      scheme threads triangles steps  ms/step      p99      max     busy  static retries  self  body "
	       "pinched   end  stretch recovered  hash\n");
	json_array_foreach(json_object_get(result, "scenes"), i, row) PrintRow(row);
	json_array_foreach(json_object_get(result, "budget"), i, row) printf(
		"budget of %.0f ms, %s: %.1f percent of the steps within it, at most %.1f ms\n", Bench_Number(row, "asked_ms"),
		Bench_Text(row, "scene"), 100.0 * Bench_Number(row, "share_within"), Bench_Number(row, "ms_max"));
}

const Benchmark benchMotion = {"motion", "contact when everything moves", true, Run, Print};
