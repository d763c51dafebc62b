// SPDX-License-Identifier: MIT
#include "bench.h"

#include "base/timer.h"
#include "contact_check.h"
#include "contact_files.h"
#include "contact_rest.h"
#include "shared/scenes.h"
#include "contact_shirt.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

// Contact of cloth with bodies and with itself, with fixed and adaptive meshes, on one and two threads, which must give
// the same bits. After every step an independent check counts faults (contact_check.h); rows have the worst step. Times
// are those of Bench_SummariseRuns, without the check.
//
// `growth` is the cost of contact per step on the sphere with 32,768 triangles divided by that with 2,048, on one
// thread with a fixed mesh; the bound is that of n log n.

enum
{
	timingRuns = 3, // runs of the scene with a time goal
	quickSteps = 120,
	quickTriangles = 10000,
};

typedef struct SceneResult
{
	ContactFaults worst;
	double triangles; // mean over the steps
	uint32_t mostTriangles, impacts, held, left, mostRounds, retries;
	ContactRest rest;
	float stretch99;
	uint64_t hash;
	int steps;         // made
	char failure[160]; // reason why a step failed
} SceneResult;

static const drapeScheme schemes[3] = {drape_schemeFixed, drape_schemeEdge, drape_schemeSqrt3};

// --- one run --------------------------------------------------------------------------------------------------------

static void AddStep(SceneResult* result, SharedScene* scene, ContactCheck* check, bool isMoved)
{
	drapeCounters costs = drapeWorld_GetCounters(scene->world);
	ImpactResult impactResult = drapeWorlds_Get(scene->world)->contact.impactResult;
	ContactRest_Add(&result->rest, scene, isMoved);
	result->worst = ContactFaults_Worst(result->worst, ContactCheck_Run(check, scene->world));
	result->triangles += ((double)costs.triangles - result->triangles) / (result->steps + 1);
	result->mostTriangles = MaxU32(result->mostTriangles, costs.triangles);
	result->impacts += impactResult.impacts;
	result->held += impactResult.frozen;
	result->left += impactResult.unresolved;
	result->mostRounds = MaxU32(result->mostRounds, impactResult.rounds);
	result->retries += costs.retries;
	result->steps++;
}

// One step; its wall time in ms, and the part of it that contact took.
static bool Step(SharedScene* scene, double* ms, double* contactMs)
{
	uint64_t start = drapeTimer_Now();
	drapeResult result = drapeWorld_Step(scene->world, contactFrame);
	*ms = drapeTimer_Ms(start);
	*contactMs = (double)drapeWorld_GetProfile(scene->world).collide + drapeWorlds_Get(scene->world)->contactMs;
	return result == drape_ok;
}

static void RunScene(SharedScene* scene, double* ms, double* contactMs, SceneResult* result)
{
	ContactCheck check;
	*result = (SceneResult){0};
	ContactCheck_Init(&check);
	for (int i = 0; i < scene->def.steps; ++i)
	{
		bool isMoved = SharedScene_Animate(scene, i);
		if (!Step(scene, &ms[i], &contactMs[i]))
		{
			snprintf(result->failure, sizeof result->failure, "%s", drapeWorld_GetWarning(scene->world).text);
			break;
		}
		AddStep(result, scene, &check, isMoved);
	}
	result->stretch99 = drapeWorld_GetMeasures(scene->world).stretch99;
	result->hash = drapeWorld_GetHash(scene->world);
	ContactCheck_Destroy(&check);
}

// --- rows -----------------------------------------------------------------------------------------------------------

static json_t* SceneRow(const SharedSceneDef* def, const SceneResult* result, const BenchRuns* times,
                        const BenchRuns* contactTimes)
{
	BenchSteps all = Bench_SummariseRuns(times), contact = Bench_SummariseRuns(contactTimes);
	json_t* row =
		json_pack("{s:s, s:b, s:s, s:i, s:i, s:i, s:f, s:f, s:f, s:f, s:i, s:i, s:i, s:f, s:f}", "scene", def->name,
	              "adaptive", (int)(def->scheme != drape_schemeFixed), "scheme", SharedScene_Scheme(def->scheme),
	              "threads", (int)def->threads, "quads", (int)def->columns, "triangles", (int)(result->triangles + 0.5),
	              "ms_per_step", all.minimum, "ms_median", all.median, "worst_ms", all.worst, "contact_ms",
	              contact.minimum, "self_intersections", (int)result->worst.selfIntersections, "body_crossings",
	              (int)result->worst.bodyCrossings, "inside_vertices", (int)result->worst.insideVertices, "deepest_mm",
	              1e3 * (double)result->worst.deepest, "rest_speed", result->rest.speed);
	json_t* more = json_pack("{s:i, s:f, s:f, s:i, s:i, s:i, s:i, s:i, s:i, s:f, s:o}", "steps", result->steps,
	                         "last_impact", (double)result->rest.lastImpact * (double)contactFrame, "rest_seconds",
	                         ContactRest_Seconds(&result->rest), "triangles_most", (int)result->mostTriangles,
	                         "impacts", (int)result->impacts, "held", (int)result->held, "left", (int)result->left,
	                         "rounds_most", (int)result->mostRounds, "retries", (int)result->retries, "stretch_p99",
	                         (double)result->stretch99, "hash", Bench_Hash(result->hash));
	json_object_update(row, more);
	json_decref(more);
	if (def->speed > 0.0f)
		json_object_set_new(row, "speed", json_real((double)def->speed));
	if (strcmp(def->name, "sphere") == 0 && def->columns == 64 && def->threads == 2)
		json_object_set_new(row, "goal_ms", json_real(6.0));
	if (result->failure[0])
		json_object_set_new(row, "failure", json_string(result->failure));
	return row;
}

static void WriteScene(const SharedScene* scene, const char* folder)
{
	char name[64];
	snprintf(name, sizeof name, "%s-%u-%g-%s", scene->def.name, scene->def.columns, (double)scene->def.speed,
	         SharedScene_Scheme(scene->def.scheme));
	ContactFiles_Write(folder, name, scene->cloths, scene->clothCount);
}

// Prints a progress line.
static void TellProgress(const json_t* row)
{
	fprintf(stderr, "%s %.0f %s, %.0f thread%s: %.0f steps of %.2f ms, crossings %.0f self %.0f body, %.0f inside\n",
	        Bench_Text(row, "scene"), Bench_Number(row, json_object_get(row, "speed") ? "speed" : "quads"),
	        Bench_Text(row, "scheme"), Bench_Number(row, "threads"), Bench_Number(row, "threads") > 1.0 ? "s" : "",
	        Bench_Number(row, "steps"), Bench_Number(row, "ms_per_step"), Bench_Number(row, "self_intersections"),
	        Bench_Number(row, "body_crossings"), Bench_Number(row, "inside_vertices"));
}

// Alternates between one and two threads.
static void MeasureScene(json_t* rows, SharedSceneDef def, int runs, const char* folder)
{
	static BenchRuns times[2], contactTimes[2];
	SceneResult result[2];
	for (int k = 0; k < 2 * runs; ++k)
	{
		SharedScene scene;
		int t = k % 2, run = k / 2;
		def.threads = (uint32_t)t + 1;
		SharedScene_Create(&scene, &def);
		RunScene(&scene, times[t].ms[run], contactTimes[t].ms[run], &result[t]);
		times[t].steps = contactTimes[t].steps = result[t].steps;
		times[t].runs = contactTimes[t].runs = run + 1;
		if (run == runs - 1)
		{
			json_t* row = SceneRow(&def, &result[t], &times[t], &contactTimes[t]);
			TellProgress(row);
			json_array_append_new(rows, row);
		}
		if (k == 0 && folder)
			WriteScene(&scene, folder);
		SharedScene_Destroy(&scene);
	}
}

static bool IsWanted(const SharedSceneDef* def, const BenchOptions* options)
{
	if (options->only)
		return strcmp(options->only, def->name) == 0;
	return !options->isQuick || 2 * def->columns * def->rows <= quickTriangles;
}

static json_t* SceneRows(const BenchOptions* options)
{
	json_t* rows = json_array();
	const SharedSceneDef* listed;
	for (uint32_t i = 0; (listed = SharedScene_List(i)) != NULL; ++i)
	{
		if (!IsWanted(listed, options))
			continue;
		SharedSceneDef def = *listed;
		int runs = options->isQuick || strcmp(def.name, "sphere") != 0 ? 1 : timingRuns;
		if (options->isQuick && def.steps > quickSteps)
			def.steps = quickSteps;
		for (int k = 0; k < 3; ++k)
		{
			def.scheme = schemes[k];
			MeasureScene(rows, def, runs, options->folder);
		}
	}
	return rows;
}

// Rows of the two thread counts follow each other.
static bool HashesAgree(const json_t* rows)
{
	for (size_t i = 0; i + 1 < json_array_size(rows); i += 2)
	{
		if (strcmp(Bench_Text(json_array_get(rows, i), "hash"), Bench_Text(json_array_get(rows, i + 1), "hash")) != 0)
			return false;
	}
	return true;
}

static const json_t* FindSphere(const json_t* rows, int quads)
{
	size_t i;
	const json_t* row;
	json_array_foreach(rows, i, row)
	{
		if (strcmp(Bench_Text(row, "scene"), "sphere") == 0 && Bench_Number(row, "quads") == quads &&
		    Bench_Number(row, "threads") == 1.0 && !json_is_true(json_object_get(row, "adaptive")))
			return row;
	}
	return NULL;
}

// NULL when a row is missing.
static json_t* Growth(const json_t* rows)
{
	const json_t *coarse = FindSphere(rows, 32), *fine = FindSphere(rows, 128);
	if (!coarse || !fine)
		return NULL;
	double few = Bench_Number(coarse, "triangles"), many = Bench_Number(fine, "triangles");
	return json_pack("{s:f, s:f, s:f, s:f}", "triangles", few, "triangles_more", many, "contact_ratio",
	                 Bench_Number(fine, "contact_ms") / Bench_Number(coarse, "contact_ms"), "goal_ratio",
	                 many * log(many) / (few * log(few)));
}

static json_t* Run(const BenchOptions* options)
{
	json_t *result = json_object(), *rows = SceneRows(options), *growth = Growth(rows);
	json_object_set_new(result, "benchmark", json_string("contact"));
	json_object_set_new(result, "hashes_agree", json_boolean(HashesAgree(rows)));
	json_object_set_new(result, "scenes", rows);
	if (growth)
		json_object_set_new(result, "growth", growth);
	if (!options->only || strcmp(options->only, "tshirt") == 0)
		json_object_set_new(result, "tshirt", ContactShirt_Measure(options));
	return result;
}

// --- for people -----------------------------------------------------------------------------------------------------

static void PrintRow(const json_t* row)
{
	char name[32];
	if (json_object_get(row, "speed"))
		snprintf(name, sizeof name, "%s %.0f", Bench_Text(row, "scene"), Bench_Number(row, "speed"));
	else
		snprintf(name, sizeof name, "%s %.0f", Bench_Text(row, "scene"), Bench_Number(row, "quads"));
	printf("%-12s %-6s %7.0f %9.0f %8.2f %8.2f %8.2f", name, Bench_Text(row, "scheme"), Bench_Number(row, "threads"),
	       Bench_Number(row, "triangles"), Bench_Number(row, "ms_per_step"), Bench_Number(row, "worst_ms"),
	       Bench_Number(row, "contact_ms"));
	printf(" %5.0f %5.0f %6.0f %8.3f %9.2f %5.1f", Bench_Number(row, "self_intersections"),
	       Bench_Number(row, "body_crossings"), Bench_Number(row, "inside_vertices"), Bench_Number(row, "deepest_mm"),
	       1e3 * Bench_Number(row, "rest_speed"), Bench_Number(row, "rest_seconds"));
	printf(" %8.0f %5.0f %5.0f %6.0f %7.0f %7.3f  %s%s%s\n", Bench_Number(row, "impacts"), Bench_Number(row, "held"),
	       Bench_Number(row, "left"), Bench_Number(row, "rounds_most"), Bench_Number(row, "retries"),
	       Bench_Number(row, "stretch_p99"), Bench_Text(row, "hash"), json_object_get(row, "failure") ? "  " : "",
	       json_object_get(row, "failure") ? Bench_Text(row, "failure") : "");
}

static void Print(const json_t* result)
{
	size_t i;
	const json_t *row, *growth = json_object_get(result, "growth"), *shirt = json_object_get(result, "tshirt");
	printf("Cloth on bodies and on itself, steps of 1/60 s; faults are the worst of all steps\n\n");
	printf("scene        scheme threads triangles  ms/step    worst  contact  self  body inside  deepest      rest "
	       "after  "
	       "impacts  held  left rounds retries stretch  hash\n");
	json_array_foreach(json_object_get(result, "scenes"), i, row) PrintRow(row);
	printf("(deepest in mm, rest in mm/s, and how many seconds after the last impact it stays below 1.4; to reach: no "
	       "faults, 1.4 mm/s within 3 s, sphere 64 on two threads 6 ms)\n");
	printf("one and two threads %s\n",
	       json_is_true(json_object_get(result, "hashes_agree")) ? "agree" : "DO NOT AGREE");
	if (growth)
		printf("contact from %.0f to %.0f triangles: %.1f times as much (n log n: %.1f)\n",
		       Bench_Number(growth, "triangles"), Bench_Number(growth, "triangles_more"),
		       Bench_Number(growth, "contact_ratio"), Bench_Number(growth, "goal_ratio"));
	if (shirt)
		printf(
			"T-shirt of %.0f triangles from %.0f: %.2f ms (minimum %.2f) for one adaptation and %.0f substeps; adapt "
			"%.2f, simulate %.2f, contact %.2f, normals %.2f (to reach 5)\n",
			Bench_Number(shirt, "triangles"), Bench_Number(shirt, "base_triangles"), Bench_Number(shirt, "ms"),
			Bench_Number(shirt, "ms_minimum"), Bench_Number(shirt, "substeps"), Bench_Number(shirt, "adapt_ms"),
			Bench_Number(shirt, "simulate_ms"), Bench_Number(shirt, "contact_ms"), Bench_Number(shirt, "surface_ms"));
	if (shirt)
		printf("  worn by a body of %.0f: %.0f particles inside it, collar %.1f mm and hem %.1f mm lower after %.0f "
		       "changes of the mesh, stretch %.3f median, %.3f p99\n",
		       Bench_Number(shirt, "body_triangles"), Bench_Number(shirt, "inside_vertices"),
		       1e3 * Bench_Number(shirt, "collar_drop"), 1e3 * Bench_Number(shirt, "hem_drop"),
		       Bench_Number(shirt, "changes"), Bench_Number(shirt, "stretch_median"),
		       Bench_Number(shirt, "stretch_p99"));
}

const Benchmark benchContact = {"contact", "contact of cloth with bodies and with itself", true, Run, Print};
