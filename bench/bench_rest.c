// SPDX-License-Identifier: MIT
#include "bench.h"

#include "contact_rest.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

// The time until cloth comes to rest, over many runs. Folding is chaotic: a tiny change leads to other folds, so one
// run proves little. The benchmark repeats the scenes of `drape bench contact` with gravities that differ by a
// ten-thousandth. A run has come to rest when its speed stays below 1.4 mm/s from at most three seconds after its last
// impact.

enum
{
	usualRuns = 4,
	mostRuns = 64,
	mostColumns = 96, // largest scenes that run
	goalSeconds = 3,
};

static void RunScene(const SharedSceneDef* def, ContactRest* rest)
{
	SharedScene scene;
	*rest = (ContactRest){0};
	SharedScene_Create(&scene, def);
	for (int i = 0; i < def->steps; ++i)
	{
		bool isMoved = SharedScene_Animate(&scene, i);
		Bench_Require(drapeWorld_Step(scene.world, contactFrame) == drape_ok, "a step could not be made");
		ContactRest_Add(rest, &scene, isMoved);
	}
	SharedScene_Destroy(&scene);
}

static json_t* MeasureScene(SharedSceneDef def, int runs)
{
	double seconds[mostRuns], fastest = 0.0;
	int rested = 0;
	for (int i = 0; i < runs; ++i)
	{
		ContactRest rest;
		def.nudge = i;
		RunScene(&def, &rest);
		seconds[i] = ContactRest_Seconds(&rest);
		fastest = fmax(fastest, rest.speed);
		rested += seconds[i] <= goalSeconds && rest.speed <= contactRestGoal;
	}
	BenchTimes times = Bench_Summarise(seconds, runs);
	json_t* row = json_pack("{s:s, s:s, s:i, s:i, s:i, s:f, s:f, s:f}", "scene", def.name, "scheme",
	                        SharedScene_Scheme(def.scheme), "quads", (int)def.columns, "runs", runs, "rested", rested,
	                        "seconds_median", times.median, "seconds_most", seconds[runs - 1], "speed_most", fastest);
	if (def.speed > 0.0f)
		json_object_set_new(row, "speed", json_real((double)def.speed));
	fprintf(stderr, "%s %u %g %s: %d of %d at rest in time\n", def.name, def.columns, (double)def.speed,
	        SharedScene_Scheme(def.scheme), rested, runs);
	return row;
}

static json_t* Run(const BenchOptions* options)
{
	int runs = options->runs == 0 ? usualRuns : options->runs < mostRuns ? (int)options->runs : mostRuns, all = 0;
	double rested = 0.0;
	json_t *result = json_object(), *rows = json_array(), *row;
	const SharedSceneDef* listed;
	size_t i;
	for (uint32_t k = 0; (listed = SharedScene_List(k / 3)) != NULL; ++k)
	{
		static const drapeScheme schemes[3] = {drape_schemeFixed, drape_schemeEdge, drape_schemeSqrt3};
		SharedSceneDef def = *listed;
		def.scheme = schemes[k % 3];
		def.threads = options->threads > 0 ? options->threads : 2;
		if (def.columns <= mostColumns && (!options->only || strcmp(options->only, def.name) == 0))
			json_array_append_new(rows, MeasureScene(def, runs));
	}
	json_array_foreach(rows, i, row)
	{
		all += runs;
		rested += Bench_Number(row, "rested");
	}
	json_object_set_new(result, "benchmark", json_string("rest"));
	json_object_set_new(result, "runs", json_integer(all));
	json_object_set_new(result, "rested", json_integer((json_int_t)rested));
	json_object_set_new(result, "scenes", rows);
	return result;
}

static void Print(const json_t* result)
{
	size_t i;
	const json_t* row;
	printf("Cloth that comes to rest, the same scenes with gravities that differ by a ten-thousandth\n\n");
	printf("scene        scheme  runs  in time  median s  most s  most mm/s at the end\n");
	json_array_foreach(json_object_get(result, "scenes"), i, row)
	{
		char name[32];
		bool isShot = json_object_get(row, "speed") != NULL;
		snprintf(name, sizeof name, "%s %.0f", Bench_Text(row, "scene"), Bench_Number(row, isShot ? "speed" : "quads"));
		printf("%-12s %-6s %5.0f %8.0f %9.2f %7.2f %11.3f\n", name, Bench_Text(row, "scheme"),
		       Bench_Number(row, "runs"), Bench_Number(row, "rested"), Bench_Number(row, "seconds_median"),
		       Bench_Number(row, "seconds_most"), 1e3 * Bench_Number(row, "speed_most"));
	}
	printf("%.0f of %.0f are below 1.4 mm/s for good within 3 s of the last impact\n", Bench_Number(result, "rested"),
	       Bench_Number(result, "runs"));
}

const Benchmark benchRest = {"rest", "time until cloth comes to rest, over many runs", true, Run, Print};
