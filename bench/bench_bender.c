// SPDX-License-Identifier: MIT
#include "bench.h"
#include "shared/make.h"

#include "base/maths.h"
#include "base/timer.h"
#include "drape/drape.h"
#include "drape/scene.h"
#include "shared/shape_distance.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// The experiments of Bender and Deul, section 7: a curtain that opens and closes, and a sheet that falls over a sphere,
// adaptive against fully refined. The scenes are those of scenes/; a row is one of them with one scheme.
//
// Three worlds advance in turn by a quarter of a second of simulated time, so that other load on the machine affects
// them alike:
// - adaptive: the unchanged scene;
// - full: a fixed mesh with every triangle of the finest level, without hierarchy or adaptation;
// - refined: the scene's scheme with every triangle at the finest level; the criteria run at the same rate.
// Every run does the same work, so the fastest run of each quarter of a second counts. The processor clock times one
// thread, the wall clock several.

enum
{
	blocksPerSecond = 4,
	samplesPerSecond = 1, // samples of the distance between the shapes
};

static const double degrees = 57.29577951308232; // per radian

typedef struct BenderRow
{
	const char* scene;
	const char* scheme;
	const char* file;                      // without its ending
	double speedup, triangles, adaptShare; // Bender and Deul's; less than this share
} BenderRow;

static const BenderRow rows[] = {
	{"curtain", "sqrt3", "curtain", 5.3, 5158, 0.05},
	{"curtain", "edge", "curtain_edge", 5.3, 5158, 0.05},
	{"sheet_over_sphere", "sqrt3", "sheet_over_sphere", 2.4, 8962, 0.06},
	{"sheet_over_sphere", "edge", "sheet_over_sphere_edge", 2.4, 8962, 0.06},
};

enum
{
	rowCount = sizeof rows / sizeof rows[0]
};

// --- the worlds -----------------------------------------------------------------------------------------------------

typedef enum WorldKind
{
	kindAdaptive,
	kindFull,
	kindRefined,
	kindCount,
} WorldKind;

typedef struct Experiment
{
	drapeScene* scene;
	drapeSceneWorld made;
	drapeClothId cloth; // the only one
} Experiment;

static void RequireFile(drapeResult result, const drapeMessage* error)
{
	Bench_Require(result == drape_ok, error->text);
}

static void RefineAll(drapeClothId cloth)
{
	uint32_t levels = drapeCloth_GetAdapt(cloth).maxLevel;
	for (uint32_t i = 0; i < levels; ++i)
		Bench_Require(drapeCloth_Refine(cloth) == drape_ok, "out of memory");
}

// No edge is ever long enough to stay whole, or to be rejoined.
static void AskForTheFinest(drapeAdaptDef* adapt)
{
	adapt->length = (drapeLengthCriterion){true, 10.0f, 10.0f, 1.0f};
}

static void PinAs(const drapeScene* scene, const drapeSceneWorld* made, drapeClothId cloth)
{
	for (uint32_t i = 0; i < scene->cloths[0].pinCount; ++i)
	{
		const drapeScenePin* pin = &scene->cloths[0].pins[i];
		Bench_Require(pin->kind == drape_scenePinVertices, "pins of these scenes name vertices");
		drapeMotionId motion = {0};
		for (uint32_t k = 0; k < scene->motionCount; ++k)
			motion = strcmp(scene->motions[k].name, pin->motion) == 0 ? made->motions[k] : motion;
		for (uint32_t k = 0; k < pin->vertexCount; ++k)
		{
			drapePinId id = Make_Pin(cloth, pin->vertices[k]);
			Bench_Require(id.index1 != 0, "out of memory");
			if (motion.index1)
				drapePin_SetMotion(id, motion);
		}
	}
}

// Creates a cloth whose pattern is the active mesh of another. The first vertices are those of the other pattern.
static drapeClothId CreatePlain(const drapeScene* scene, drapeWorldId world, drapeClothView view)
{
	const drapeSceneCloth* as = &scene->cloths[0];
	drapeVec3* positions = malloc(view.particleCount * sizeof *positions);
	Bench_Require(positions != NULL, "out of memory");
	for (uint32_t i = 0; i < view.particleCount; ++i)
		positions[i] = V4Xyz(view.positions[i]);
	drapeMesh mesh = {.positions = positions,
	                  .vertexCount = view.particleCount,
	                  .triangles = view.triangles,
	                  .triangleCount = view.triangleCount};
	drapeClothDef def = Make_SpringClothDef();
	def.mesh = &mesh;
	def.rest = (drapeRestDef){.source = drape_restMaterial, .material = view.materials};
	def.material = as->material;
	def.model = as->model;
	def.springs = as->springs;
	def.solver = as->solver;
	def.adapt.scheme = drape_schemeFixed;
	def.pinMiddles = as->pinMiddles;
	drapeClothId cloth = Make_Cloth(world, &def);
	Bench_Require(drapeCloth_IsValid(cloth), "the cloth was refused");
	free(positions);
	return cloth;
}

static Experiment CreateExperiment(const BenderRow* row, WorldKind kind, uint32_t threads)
{
	Experiment made = {0};
	drapeMessage error = {0};
	char path[1200];
	snprintf(path, sizeof path, "%s/%s.json", Bench_SceneFolder(), row->file);
	RequireFile(drapeScene_Read(path, &made.scene, &error), &error);
	Bench_Require(made.scene->clothCount == 1, "these scenes have one cloth");
	if (kind == kindRefined)
		AskForTheFinest(&made.scene->cloths[0].adapt);
	RequireFile(drapeScene_CreateWorld(made.scene, threads, &made.made, &error), &error);
	made.cloth = made.made.cloths[0];
	if (kind != kindAdaptive)
		RefineAll(made.cloth);
	if (kind == kindFull)
	{
		made.cloth = CreatePlain(made.scene, made.made.world, drapeCloth_GetView(made.made.cloths[0]));
		PinAs(made.scene, &made.made, made.cloth);
		drapeDestroyCloth(made.made.cloths[0]);
	}
	return made;
}

static void DestroyExperiment(Experiment* experiment)
{
	drapeSceneWorld_Destroy(&experiment->made);
	drapeScene_Free(experiment->scene);
}

// --- runs -----------------------------------------------------------------------------------------------------------

// Sums over the steps of a quarter of a second.
typedef struct Block
{
	double ms, adaptMs, followMs, contactMs;
	double triangles, iterations;
} Block;

typedef struct Results
{
	Block* blocks[kindCount];
	uint32_t* triangles; // triangles of the adaptive mesh at the end of each block
	uint32_t blockCount, blockSteps, threads;
	uint32_t fullTriangles;
	double size; // m, of the cloth
	double errorSum, errorMost;
	int errorCount;
	float sharpest; // largest cotangent of an angle of the adaptive mesh at rest
	uint64_t hash[kindCount];
	uint32_t retries[kindCount];
} Results;

static float LargestCotangent(drapeClothView view)
{
	float largest = 0.0f;
	for (uint32_t i = 0; i < 3 * view.triangleCount; ++i)
	{
		uint32_t first = i - i % 3;
		Vec2 at = view.materials[i];
		Vec2 a = V2Sub(view.materials[first + (i + 1) % 3], at), b = V2Sub(view.materials[first + (i + 2) % 3], at);
		largest = fmaxf(largest, V2Dot(a, b) / V2Cross(a, b));
	}
	return largest;
}

static double RestArea(drapeClothView view)
{
	double area = 0.0;
	for (uint32_t t = 0; t < view.triangleCount; ++t)
	{
		const drapeVec2* corners = &view.materials[3 * t];
		area += 0.5 * (double)V2Cross(V2Sub(corners[1], corners[0]), V2Sub(corners[2], corners[0]));
	}
	return area;
}

static void StepBlock(const Experiment* experiment, Results* results, WorldKind kind, Block* block)
{
	drapeWorldId world = experiment->made.world;
	uint32_t revision = drapeCloth_GetView(experiment->cloth).revision;
	*block = (Block){0};
	for (uint32_t i = 0; i < results->blockSteps; ++i)
	{
		uint64_t start = drapeTimer_Now();
		double before = Bench_ProcessorMs();
		drapeResult result = drapeWorld_Step(world, 1.0f / experiment->scene->time.stepRate);
		double processorMs = Bench_ProcessorMs() - before, wallMs = drapeTimer_Ms(start);
		double ms = results->threads == 1 ? processorMs : wallMs;
		block->ms += ms;
		Bench_Require(result == drape_ok, drapeWorld_GetWarning(world).text);
		drapeCounters stats = drapeWorld_GetCounters(world);
		drapeProfile profile = drapeWorld_GetProfile(world);
		// Stages are timed by the wall clock, which also counts time in which the thread did not run.
		block->adaptMs += fmin((double)profile.adapt, ms);
		block->followMs += fmin((double)profile.follow, ms);
		block->contactMs += fmin((double)profile.collide, ms);
		block->triangles += stats.triangles;
		block->iterations += stats.iterations;
		results->retries[kind] += stats.retries;
		drapeClothView view = drapeCloth_GetView(experiment->cloth);
		if (kind == kindAdaptive && view.revision != revision)
			results->sharpest = fmaxf(results->sharpest, LargestCotangent(view));
		revision = view.revision;
	}
}

static void Sample(Results* results, const Experiment* adaptive, const Experiment* full)
{
	double distance = ShapeDistance(drapeCloth_GetView(adaptive->cloth), drapeCloth_GetView(full->cloth));
	Bench_Require(isfinite(distance), "out of memory");
	results->errorSum += distance / results->size;
	results->errorMost = fmax(results->errorMost, distance / results->size);
	results->errorCount++;
}

static void RunOnce(const BenderRow* row, Results* results, bool isFirst)
{
	Experiment experiments[kindCount];
	for (int kind = 0; kind < kindCount; ++kind)
		experiments[kind] = CreateExperiment(row, (WorldKind)kind, results->threads);
	drapeClothView full = drapeCloth_GetView(experiments[kindFull].cloth);
	memset(results->retries, 0, sizeof results->retries);
	results->fullTriangles = full.triangleCount;
	results->size = sqrt(RestArea(full));
	results->sharpest = fmaxf(results->sharpest, LargestCotangent(drapeCloth_GetView(experiments[kindAdaptive].cloth)));
	for (uint32_t i = 0; i < results->blockCount; ++i)
	{
		for (int kind = 0; kind < kindCount; ++kind)
		{
			Block block, *best = &results->blocks[kind][i];
			StepBlock(&experiments[kind], results, (WorldKind)kind, &block);
			if (isFirst || block.ms < best->ms)
				*best = block;
		}
		results->triangles[i] = drapeCloth_GetView(experiments[kindAdaptive].cloth).triangleCount;
		if (isFirst && (i + 1) % (blocksPerSecond / samplesPerSecond) == 0)
			Sample(results, &experiments[kindAdaptive], &experiments[kindFull]);
	}
	for (int kind = 0; kind < kindCount; ++kind)
	{
		uint64_t hash = drapeWorld_GetHash(experiments[kind].made.world);
		Bench_Require(isFirst || hash == results->hash[kind], "the same run gave another result");
		results->hash[kind] = hash;
		DestroyExperiment(&experiments[kind]);
	}
}

static Results CreateResults(const BenderRow* row, float seconds, uint32_t threads)
{
	Experiment experiment = CreateExperiment(row, kindAdaptive, 1);
	const drapeSceneTime* time = &experiment.scene->time;
	float whole = (float)(time->frames - 1) / time->frameRate;
	float length = seconds > 0.0f ? fminf(seconds, whole) : whole;
	Results results = {.blockCount = (uint32_t)(length * blocksPerSecond + 0.5f),
	                   .blockSteps = (uint32_t)(time->stepRate / blocksPerSecond + 0.5f),
	                   .threads = threads};
	Bench_Require(results.blockCount > 0, "--seconds is too little");
	for (int kind = 0; kind < kindCount; ++kind)
		results.blocks[kind] = calloc(results.blockCount, sizeof(Block));
	results.triangles = calloc(results.blockCount, sizeof(uint32_t));
	Bench_Require(results.blocks[0] && results.blocks[1] && results.blocks[2] && results.triangles, "out of memory");
	DestroyExperiment(&experiment);
	return results;
}

static void DestroyResults(Results* results)
{
	for (int kind = 0; kind < kindCount; ++kind)
		free(results->blocks[kind]);
	free(results->triangles);
}

// --- the whole ------------------------------------------------------------------------------------------------------

// Means per step.
static Block MeanStep(const Results* results, WorldKind kind)
{
	Block mean = {0};
	double weight = 1.0 / ((double)results->blockCount * results->blockSteps);
	for (uint32_t i = 0; i < results->blockCount; ++i)
	{
		const Block* block = &results->blocks[kind][i];
		mean.ms += weight * block->ms;
		mean.adaptMs += weight * block->adaptMs;
		mean.followMs += weight * block->followMs;
		mean.contactMs += weight * block->contactMs;
		mean.triangles += weight * block->triangles;
		mean.iterations += weight * block->iterations;
	}
	return mean;
}

static json_t* TrianglesJson(const Results* results)
{
	json_t* over = json_array();
	for (uint32_t i = 0; i < results->blockCount; ++i)
		json_array_append_new(over, json_pack("[f, i]", (double)(i + 1) / blocksPerSecond, (int)results->triangles[i]));
	return over;
}

static json_t* RowJson(const BenderRow* row, const Results* results)
{
	Block adaptive = MeanStep(results, kindAdaptive), full = MeanStep(results, kindFull),
		  refined = MeanStep(results, kindRefined);
	json_t* json =
		json_pack("{s:s, s:s, s:i, s:f, s:f, s:f, s:f, s:f, s:f, s:f, s:f}", "scene", row->scene, "scheme", row->scheme,
	              "full_triangles", (int)results->fullTriangles, "adaptive_triangles_mean", adaptive.triangles,
	              "full_ms", full.ms, "adaptive_ms", adaptive.ms, "speedup", full.ms / adaptive.ms, "adapt_share",
	              adaptive.adaptMs / adaptive.ms, "follow_share", adaptive.followMs / adaptive.ms, "contact_share",
	              adaptive.contactMs / adaptive.ms, "all_refined_ratio", refined.ms / full.ms);
	json_t* more =
		json_pack("{s:f, s:f, s:f, s:f, s:f, s:f, s:f, s:i, s:i, s:o, s:o, s:o}", "shape_error",
	              results->errorCount ? results->errorSum / results->errorCount : 0.0, "shape_error_most",
	              results->errorMost, "min_angle", atan(1.0 / (double)results->sharpest) * degrees, "size",
	              results->size, "adaptive_iterations", adaptive.iterations, "full_iterations", full.iterations,
	              "refined_iterations", refined.iterations, "adaptive_retries", (int)results->retries[kindAdaptive],
	              "full_retries", (int)results->retries[kindFull], "hash", Bench_Hash(results->hash[kindAdaptive]),
	              "full_hash", Bench_Hash(results->hash[kindFull]), "triangles_over_time", TrianglesJson(results));
	json_t* published = json_pack("{s:f, s:f, s:f}", "published_speedup", row->speedup, "published_triangles_mean",
	                              row->triangles, "published_adapt_share", row->adaptShare);
	json_object_update(json, more);
	json_object_update(json, published);
	json_decref(more);
	json_decref(published);
	return json;
}

static json_t* Run(const BenchOptions* options)
{
	uint32_t runs = MaxU32(options->runs, 1), threads = MaxU32(options->threads, 1);
	Bench_Require(threads <= DRAPE_MAX_WORKERS, "so many threads are too many");
	json_t* array = json_array();
	for (int i = 0; i < rowCount; ++i)
	{
		if (options->only && strcmp(options->only, rows[i].file) != 0)
			continue;
		Results results = CreateResults(&rows[i], options->seconds, threads);
		for (uint32_t run = 0; run < runs; ++run)
			RunOnce(&rows[i], &results, run == 0);
		json_array_append_new(array, RowJson(&rows[i], &results));
		DestroyResults(&results);
	}
	Bench_Require(json_array_size(array) > 0, "--only names no scene of this benchmark");
	return json_pack("{s:s, s:i, s:i, s:o}", "benchmark", "bender", "threads", (int)threads, "runs", (int)runs,
	                 "scenes", array);
}

static void Print(const json_t* result)
{
	size_t i;
	const json_t* row;
	printf("Adaptive against full resolution, means per step of 5 ms, threads: %.0f, after Bender and Deul\n\n",
	       Bench_Number(result, "threads"));
	printf(
		"scene              scheme  triangles    full  full ms  adaptive ms  speedup  adapt %%  follow %%  shape error"
		"    most  all refined  smallest angle  hash\n");
	json_array_foreach(json_object_get(result, "scenes"), i, row)
		printf("%-17s  %-6s  %9.0f  %6.0f  %7.2f  %11.2f  %7.2f  %7.1f  %8.1f  %11.4f  %6.4f  %11.3f  %14.1f  %s\n",
	           Bench_Text(row, "scene"), Bench_Text(row, "scheme"), Bench_Number(row, "adaptive_triangles_mean"),
	           Bench_Number(row, "full_triangles"), Bench_Number(row, "full_ms"), Bench_Number(row, "adaptive_ms"),
	           Bench_Number(row, "speedup"), 100.0 * Bench_Number(row, "adapt_share"),
	           100.0 * Bench_Number(row, "follow_share"), Bench_Number(row, "shape_error"),
	           Bench_Number(row, "shape_error_most"), Bench_Number(row, "all_refined_ratio"),
	           Bench_Number(row, "min_angle"), Bench_Text(row, "hash"));
	printf("(to reach: speed-up 5.3 and 2.4, adaptation 5 and 6 %%, shape error 0.02, all refined 1.05)\n");
}

const Benchmark benchBender = {"bender", "a curtain and a sheet over a sphere, adaptive and fully refined", true, Run,
                               Print};
