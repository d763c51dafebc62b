// SPDX-License-Identifier: MIT
#include "bench.h"

#include "motion_run.h"
#include "shared/scenes.h"

#include <stdio.h>
#include <string.h>

// Contact when everything moves: every scene of shared/motion_scenes.h with every scheme, on one and two threads, which
// must give the same bits. After every step an independent check counts faults (motion_check.h). docs/contact.md has
// the fields of a row. Times are wall clock of single steps, without the check.

static const drapeScheme schemes[] = {drape_schemeFixed, drape_schemeEdge, drape_schemeSqrt3};

// s of wall clock for a run, with its checks. Whole benchmarks stay below 20 minutes when no run needs it.
static const double runLimit = 45.0, quickLimit = 8.0;
static const double quickShare = 0.4; // of the steps
static const float budgetMs = 4.0f;

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

static void AddRow(json_t* rows, const MotionSceneDef* def, const BenchOptions* options)
{
	json_t* before = json_array_get(rows, json_array_size(rows) - 1);
	json_t* row = MotionRun_Row(def, options->isQuick ? quickShare : 1.0, options->isQuick ? quickLimit : runLimit,
	                            def->threads == 1 ? NULL : options->folder);
	CompareHashes(before, row);
	TellProgress(row);
	json_array_append_new(rows, row);
}

static json_t* SceneRows(const BenchOptions* options)
{
	json_t* rows = json_array();
	MotionSceneDef def = {0};
	uint32_t most = options->threads > 2 ? options->threads : 2;
	for (uint32_t i = 0; (def.name = MotionScene_Name(i)) != NULL; ++i)
	{
		for (int k = 0; k < 3; ++k)
		{
			def.scheme = schemes[k];
			for (def.threads = 1; def.threads <= most; ++def.threads)
			{
				if (IsWanted(&def, options))
					AddRow(rows, &def, options);
			}
		}
	}
	return rows;
}

static json_t* BudgetRows(const BenchOptions* options)
{
	static const char* const names[] = {"walk", "dance"};
	json_t* rows = json_array();
	for (int i = 0; i < 2; ++i)
	{
		const MotionSceneDef def = {names[i], drape_schemeEdge, 2, budgetMs, false};
		if (IsWanted(&def, options))
			json_array_append_new(rows, MotionRun_BudgetRow(&def, options->isQuick ? quickShare : 1.0,
			                                                options->isQuick ? quickLimit : runLimit));
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
	json_t* result = json_object();
	json_object_set_new(result, "benchmark", json_string("motion"));
	json_object_set_new(result, "scenes", SceneRows(options));
	json_object_set_new(result, "budget", BudgetRows(options));
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
