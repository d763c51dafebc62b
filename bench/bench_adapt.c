// SPDX-License-Identifier: MIT
#include "bench.h"
#include "shared/make.h"

#include "base/timer.h"
#include "drape/drape.h"
#include "shared/edge_rig.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

// The experiments of Simnett 2012 on the mesh alone: uniform refinement and coarsening of square meshes (tables 3.7
// to 3.10), transitions between configurations (3.2 to 3.5), memory (3.11), list creation (3.6). His figures are from
// an i7-920, one thread, with memory pools.

enum
{
	runCount = 15,
	maxTriangles = 131072,
};

typedef struct ThesisRow
{
	double refineMs, coarsenMs; // 0 where the thesis has none
	double bytes;
} ThesisRow;

// Rows for meshes of 4, 8, 16 and 32 quads per side, columns for levels.
static const ThesisRow thesisRows[4][7] = {
	{{0.017, 0, 10.11 * 1024},
     {0.072, 0.007, 43.55 * 1024},
     {0.270, 0.024, 173.42 * 1024},
     {1.114, 0.108, 685.17 * 1024},
     {5.305, 0.445, 2.65 * 1048576},
     {25.061, 2.357, 10.56 * 1048576},
     {0, 11.970, 42.12 * 1048576}},
	{{0.065, 0, 37.95 * 1024},
     {0.269, 0.025, 166.82 * 1024},
     {1.105, 0.105, 678.58 * 1024},
     {5.379, 0.436, 2.65 * 1048576},
     {24.856, 2.359, 10.55 * 1048576},
     {0, 12.081, 42.11 * 1048576}},
	{{0.253, 0, 141.27 * 1024},
     {1.109, 0.102, 653.02 * 1024},
     {5.171, 0.409, 2.62 * 1048576},
     {24.619, 2.123, 10.53 * 1048576},
     {0, 12.072, 42.09 * 1048576}},
	{{1.105, 0, 552.39 * 1024},
     {4.777, 0.415, 2.52 * 1048576},
     {26.670, 1.942, 10.42 * 1048576},
     {0, 11.995, 41.99 * 1048576}},
};

// List creation, table 3.6, ms, for 128, 512, 2048 and 8192 triangles.
static const struct
{
	uint32_t triangles;
	double ms;
} thesisLists[] = {{128, 0.0015}, {512, 0.0066}, {2048, 0.0332}, {8192, 0.1362}};

// Direct transitions, table 3.4 with its last column from tables 3.3 and 3.5, microseconds.
static const double thesisTransitions[configCount][configCount] = {
	{0, 0.198, 0.201, 0.200, 0.306, 0.307, 0.305, 0.311, 0.309, 0.309, 0.430 * 0.995},
	{0.060, 0, 0.145, 0.146, 0.202, 0.266, 0.292, 0.273, 0.276, 0.271, 0.507 * 0.747},
	{0.060, 0.145, 0, 0.153, 0.290, 0.215, 0.224, 0.281, 0.304, 0.297, 0.512 * 0.770},
	{0.060, 0.148, 0.147, 0, 0.287, 0.304, 0.292, 0.215, 0.217, 0.308, 0.511 * 0.759},
	{0.068, 0.083, 0.164, 0.159, 0, 0.151, 0.231, 0.212, 0.246, 0.218, 0.527 * 0.529},
	{0.068, 0.144, 0.090, 0.170, 0.151, 0, 0.192, 0.231, 0.226, 0.242, 0.535 * 0.505},
	{0.069, 0.153, 0.082, 0.157, 0.216, 0.180, 0, 0.148, 0.239, 0.224, 0.530 * 0.523},
	{0.069, 0.154, 0.154, 0.085, 0.209, 0.217, 0.152, 0, 0.194, 0.230, 0.538 * 0.521},
	{0.067, 0.140, 0.169, 0.090, 0.227, 0.212, 0.241, 0.190, 0, 0.161, 0.538 * 0.490},
	{0.068, 0.087, 0.166, 0.169, 0.209, 0.220, 0.226, 0.236, 0.158, 0, 0.529 * 0.658},
	{0.067, 0.161, 0.177, 0.177, 0.158, 0.217, 0.163, 0.151, 0.199, 0.161, 0},
};

// --- uniform refinement ---------------------------------------------------------------------------------------------

static double Microseconds(uint64_t from, uint64_t to)
{
	return 1e-3 * (double)(to - from);
}

// Splits every edge. Returns the time of splitting and retriangulation, and in `update` the time of the update of the
// active mesh.
static double RefineAll(EdgeRig* rig, double* update)
{
	bool rebuilt;
	EdgeScheme* scheme = rig->scheme;
	uint32_t count = rig->active.edgeCount;
	Bench_Require(drapeEdgeScheme_Begin(scheme, count, 0), "out of memory");
	uint64_t t0 = drapeTimer_Now();
	for (uint32_t i = 0; i < count; ++i)
	{
		if (drapeEdgeScheme_MaySplit(scheme, rig->active.edgeId[i]))
			drapeEdgeScheme_Split(scheme, rig->active.edgeId[i]);
	}
	drapeEdgeScheme_Retriangulate(scheme);
	uint64_t t1 = drapeTimer_Now();
	drapeEdgeScheme_UpdateActive(scheme, &rebuilt);
	*update = Microseconds(t1, drapeTimer_Now());
	return Microseconds(t0, t1);
}

static double CoarsenAll(EdgeRig* rig, double* update)
{
	bool rebuilt;
	EdgeScheme* scheme = rig->scheme;
	uint32_t count = rig->active.particleCount;
	Bench_Require(drapeEdgeScheme_Begin(scheme, 0, count), "out of memory");
	uint64_t t0 = drapeTimer_Now();
	for (uint32_t i = 0; i < count; ++i)
	{
		uint32_t edge = rig->pools.vertices.data[rig->active.vertexId[i]].edge;
		if (edge != DRAPE_NONE && drapeEdgeScheme_MayJoin(scheme, edge))
			drapeEdgeScheme_Join(scheme, edge);
	}
	drapeEdgeScheme_Retriangulate(scheme);
	uint64_t t1 = drapeTimer_Now();
	drapeEdgeScheme_UpdateActive(scheme, &rebuilt);
	*update = Microseconds(t1, drapeTimer_Now());
	return Microseconds(t0, t1);
}

typedef struct LevelTimes
{
	double refine[runCount], coarsen[runCount], rebuild[runCount], update[runCount];
	uint32_t triangles;
	size_t bytes, activeBytes;
} LevelTimes;

static void MeasureRun(EdgeRig* rig, LevelTimes* levels, int topLevel, int run)
{
	double update;
	for (int level = 0; level <= topLevel; ++level)
	{
		LevelTimes* row = &levels[level];
		row->triangles = rig->active.triangleCount;
		row->bytes = drapeEdgePools_BytesUsed(&rig->pools);
		row->activeBytes = drapeActiveMesh_Bytes(&rig->active);
		uint64_t start = drapeTimer_Now();
		drapeEdgeScheme_RebuildActive(rig->scheme);
		row->rebuild[run] = Microseconds(start, drapeTimer_Now());
		if (level < topLevel)
			row->refine[run] = RefineAll(rig, &levels[level + 1].update[run]);
	}
	for (int level = topLevel; level > 0; --level)
		levels[level].coarsen[run] = CoarsenAll(rig, &update);
}

static json_t* TimesPerTriangle(double* times, uint32_t triangles, double* median)
{
	BenchTimes summary = Bench_Summarise(times, runCount);
	*median = summary.median / triangles;
	return json_real(summary.minimum / triangles);
}

static json_t* LevelRow(int side, int meshIndex, int level, int topLevel, LevelTimes* times)
{
	const ThesisRow* thesis = &thesisRows[meshIndex][level];
	char name[16];
	double median;
	snprintf(name, sizeof name, "%dx%d", side, side);
	json_t* row = json_pack("{s:s, s:i, s:i}", "mesh", name, "level", level, "triangles", (int)times->triangles);
	json_object_set_new(row, "refine_us_per_triangle",
	                    level < topLevel ? TimesPerTriangle(times->refine, times->triangles, &median) : json_null());
	json_object_set_new(row, "refine_median", level < topLevel ? json_real(median) : json_null());
	json_object_set_new(row, "coarsen_us_per_triangle",
	                    level > 0 ? TimesPerTriangle(times->coarsen, times->triangles, &median) : json_null());
	json_object_set_new(row, "coarsen_median", level > 0 ? json_real(median) : json_null());
	json_object_set_new(row, "rebuild_us", json_real(Bench_Summarise(times->rebuild, runCount).minimum));
	json_object_set_new(row, "update_us",
	                    level > 0 ? json_real(Bench_Summarise(times->update, runCount).minimum) : json_null());
	json_object_set_new(row, "bytes", json_integer((json_int_t)times->bytes));
	json_object_set_new(row, "active_bytes", json_integer((json_int_t)times->activeBytes));
	json_object_set_new(row, "thesis_refine_us_per_triangle",
	                    thesis->refineMs > 0 ? json_real(1e3 * thesis->refineMs / times->triangles) : json_null());
	json_object_set_new(row, "thesis_coarsen_us_per_triangle",
	                    thesis->coarsenMs > 0 ? json_real(1e3 * thesis->coarsenMs / times->triangles) : json_null());
	json_object_set_new(row, "thesis_bytes", json_real(thesis->bytes));
	for (size_t i = 0; i < sizeof thesisLists / sizeof thesisLists[0]; ++i)
	{
		if (thesisLists[i].triangles == times->triangles)
			json_object_set_new(row, "thesis_rebuild_us", json_real(1e3 * thesisLists[i].ms));
	}
	return row;
}

static void RunUniform(json_t* rows)
{
	const int sides[4] = {4, 8, 16, 32};
	for (int m = 0; m < 4; ++m)
	{
		drapeMesh mesh;
		EdgeRig rig;
		Bench_Require(drapeMesh_CreateGrid((uint32_t)sides[m], (uint32_t)sides[m], 1.0f, 1.0f, &mesh, NULL) == drape_ok,
		              "out of memory");
		EdgeRig_Create(&rig, &mesh, 0.2f, false);
		int topLevel = 0;
		for (uint32_t triangles = mesh.triangleCount; triangles < maxTriangles; triangles *= 4)
			topLevel++;
		LevelTimes* levels = calloc((size_t)topLevel + 1, sizeof *levels);
		Bench_Require(levels != NULL, "out of memory");
		MeasureRun(&rig, levels, topLevel, 0); // warms the pools
		for (int run = 0; run < runCount; ++run)
			MeasureRun(&rig, levels, topLevel, run);
		for (int level = 0; level <= topLevel; ++level)
			json_array_append_new(rows, LevelRow(sides[m], m, level, topLevel, &levels[level]));
		free(levels);
		EdgeRig_Destroy(&rig);
		drapeMesh_Free(&mesh);
	}
}

// --- transitions ----------------------------------------------------------------------------------------------------

enum
{
	isolatedCount = 2000,
	transitionRuns = 9,
};

// Separate triangles, so that all of them can have the same configuration.
static drapeMesh IsolatedTriangles(void)
{
	drapeVec3* positions = malloc(3 * isolatedCount * sizeof *positions);
	uint32_t* triangles = malloc(3 * isolatedCount * sizeof *triangles);
	Bench_Require(positions && triangles, "out of memory");
	for (uint32_t i = 0; i < isolatedCount; ++i)
	{
		positions[3 * i] = (drapeVec3){2.0f * (float)i, 0.0f, 0.0f};
		positions[3 * i + 1] = (drapeVec3){2.0f * (float)i + 1.0f, 0.0f, 0.0f};
		positions[3 * i + 2] = (drapeVec3){2.0f * (float)i, 1.0f, 0.0f};
		for (uint32_t k = 0; k < 3; ++k)
			triangles[3 * i + k] = 3 * i + k;
	}
	return (drapeMesh){.positions = positions,
	                   .vertexCount = 3 * isolatedCount,
	                   .triangles = triangles,
	                   .triangleCount = isolatedCount};
}

// Brings all triangles from one configuration to another. Edges are split and rejoined outside the clock, as in the
// thesis.
static double Transit(EdgeRig* rig, uint8_t from, uint8_t to)
{
	bool rebuilt;
	EdgeScheme* scheme = rig->scheme;
	const Configs* configs = &rig->pools.configs;
	unsigned split = configs->middles[to] & ~configs->middles[from],
			 join = configs->middles[from] & ~configs->middles[to];
	Bench_Require(drapeEdgeScheme_Begin(scheme, 3 * isolatedCount, 3 * isolatedCount), "out of memory");
	for (int pass = 0; pass < 2; ++pass)
	{
		for (uint32_t i = 0; i < isolatedCount; ++i)
		{
			uint32_t t = scheme->triangles[i];
			for (int k = 0; k < 3; ++k)
			{
				uint32_t edge = rig->pools.triangles.data[t].edge[k] >> 1;
				if (pass == 0 && (split & 1u << k))
					drapeEdgeScheme_Split(scheme, edge);
				if (pass == 1 && (join & 1u << k))
					drapeEdgeScheme_Join(scheme, edge);
			}
			drapeEdgeScheme_Touch(scheme, t);
		}
	}
	uint64_t start = drapeTimer_Now();
	drapeEdgeScheme_RetriangulateTo(scheme, to);
	double time = Microseconds(start, drapeTimer_Now());
	drapeEdgeScheme_UpdateActive(scheme, &rebuilt);
	return time / isolatedCount;
}

// Clearing a configuration and making it from nothing, table 3.2, and changing by way of both, the mean of table 3.3.
// Ours go to and from C0, the whole triangle.
static const double thesisClear[configCount] = {0.0467, 0.0650, 0.0646, 0.0648, 0.0738, 0.0748,
                                                0.0751, 0.0744, 0.0740, 0.0739, 0.0781};
static const double thesisConfigure[configCount] = {0.0472, 0.1866, 0.1842, 0.1850, 0.2821, 0.2863,
                                                    0.2857, 0.2892, 0.2850, 0.2826, 0.3983};
static const double thesisIndirectMean = 0.341;

// Rows of table 3.2, and the mean of all changes by way of C0, from the measured matrix.
static void AddIndirect(json_t* result, double times[configCount][configCount])
{
	json_t* rows = json_array();
	double sum = 0.0;
	int pairs = 0;
	for (int c = 1; c < configCount; ++c)
	{
		json_array_append_new(rows, json_pack("{s:i, s:f, s:f, s:f, s:f}", "configuration", c, "clear_us", times[c][0],
		                                      "thesis_clear_us", thesisClear[c], "configure_us", times[0][c],
		                                      "thesis_configure_us", thesisConfigure[c]));
		for (int to = 1; to < configCount; ++to)
		{
			sum += to == c ? 0.0 : times[c][0] + times[0][to];
			pairs += to != c;
		}
	}
	json_object_set_new(result, "clear_and_configure", rows);
	json_object_set_new(result, "indirect_mean_us", json_real(sum / pairs));
	json_object_set_new(result, "thesis_indirect_mean_us", json_real(thesisIndirectMean));
}

static json_t* RunTransitions(void)
{
	double byPair[configCount][configCount] = {{0}};
	json_t* thesisMatrix = json_array();
	drapeMesh mesh = IsolatedTriangles();
	EdgeRig rig;
	EdgeRig_Create(&rig, &mesh, 0.2f, false);
	double sum = 0.0, maximum = 0.0, thesisSum = 0.0;
	json_t* matrix = json_array();
	for (uint8_t from = 0; from < configCount; ++from)
	{
		json_t *row = json_array(), *thesisRow = json_array();
		if (from > 0)
			Transit(&rig, 0, from);
		for (uint8_t to = 0; to < configCount; ++to)
		{
			double times[transitionRuns] = {0};
			for (int run = 0; run < transitionRuns && to != from; ++run)
			{
				times[run] = Transit(&rig, from, to);
				Transit(&rig, to, from);
			}
			double time = Bench_Summarise(times, transitionRuns).minimum;
			sum += time;
			maximum = fmax(maximum, time);
			thesisSum += thesisTransitions[from][to];
			byPair[from][to] = time;
			json_array_append_new(thesisRow, to == from ? json_null() : json_real(thesisTransitions[from][to]));
			json_array_append_new(row, to == from ? json_null() : json_real(time));
		}
		if (from > 0)
			Transit(&rig, from, 0);
		json_array_append_new(matrix, row);
		json_array_append_new(thesisMatrix, thesisRow);
	}
	EdgeRig_Destroy(&rig);
	free((void*)mesh.positions);
	free((void*)mesh.triangles);
	const int pairs = configCount * (configCount - 1);
	json_t* result = json_pack("{s:f, s:f, s:f, s:o, s:o}", "mean_us", sum / pairs, "max_us", maximum, "thesis_mean_us",
	                           thesisSum / pairs, "us", matrix, "thesis_us", thesisMatrix);
	AddIndirect(result, byPair);
	return result;
}

// --- a pass in which nothing changes --------------------------------------------------------------------------------

static double IdleTime(drapeClothId cloth, uint32_t joinWait)
{
	enum
	{
		passes = 60
	};
	double times[passes];
	drapeAdaptDef adapt = drapeCloth_GetAdapt(cloth);
	adapt.joinWait = joinWait;
	drapeCloth_SetAdapt(cloth, &adapt);
	for (int i = 0; i < passes; ++i)
	{
		drapeAdaptResult result;
		uint64_t start = drapeTimer_Now();
		drapeCloth_Adapt(cloth, &result);
		times[i] = (double)(drapeTimer_Now() - start);
		Bench_Require(result.splits + result.joins == 0, "a pass was not idle");
	}
	// The median: with a waiting time only some passes ask all particles.
	return Bench_Summarise(times, passes).median / drapeCloth_GetView(cloth).edgeCount;
}

// A wavy sheet of 8,192 triangles, curvature and length on, between their thresholds everywhere.
static void RunIdle(json_t* result)
{
	drapeMesh mesh;
	Bench_Require(drapeMesh_CreateGrid(8, 8, 1.0f, 1.0f, &mesh, NULL) == drape_ok, "out of memory");
	drapeWorldDef worldDef = drapeDefaultWorldDef();
	drapeWorldId world = Make_World(&worldDef);
	drapeClothDef def = Make_SpringClothDef();
	def.mesh = &mesh;
	def.adapt.maxLevel = 4;
	def.adapt.accuracy.enabled = false;
	def.adapt.maxTriangles = 0;
	def.adapt.curvature = (drapeCurvatureCriterion){.enabled = true, .splitAngle = 3.1f, .joinAngle = 0.0f};
	def.adapt.length =
		(drapeLengthCriterion){.enabled = true, .splitRatio = 0.5f, .joinRatio = 2.0f, .levelFactor = 1.0f};
	drapeClothId cloth = Make_Cloth(world, &def);
	Bench_Require(drapeCloth_IsValid(cloth), "the cloth was refused");
	for (int level = 0; level < 3; ++level)
		drapeCloth_Refine(cloth);

	drapeClothView view = drapeCloth_GetView(cloth);
	drapeVec3* positions = malloc(view.particleCount * sizeof *positions);
	Bench_Require(positions != NULL, "out of memory");
	for (uint32_t i = 0; i < view.particleCount; ++i)
	{
		drapeVec4 p = view.positions[i];
		positions[i] = (drapeVec3){p.x, 0.05f * sinf(20.0f * p.x) * cosf(15.0f * p.z), p.z};
	}
	drapeCloth_SetPositions(cloth, positions);
	free(positions);

	// The worst case asks every particle in every pass; by default each is asked every eleventh.
	json_object_set_new(result, "idle_adapt_ns_per_edge", json_real(IdleTime(cloth, 0)));
	json_object_set_new(result, "idle_adapt_ns_per_edge_with_wait", json_real(IdleTime(cloth, 10)));
	json_object_set_new(result, "hash", Bench_Hash(drapeWorld_GetHash(world)));
	drapeDestroyWorld(world);
	drapeMesh_Free(&mesh);
}

static json_t* Run(const BenchOptions* options)
{
	(void)options;
	json_t* result = json_object();
	json_t* uniform = json_array();
	json_object_set_new(result, "benchmark", json_string("adapt"));
	RunUniform(uniform);
	json_object_set_new(result, "uniform", uniform);
	json_object_set_new(result, "transitions", RunTransitions());
	RunIdle(result);
	return result;
}

// --- the table ------------------------------------------------------------------------------------------------------

static void PrintNumber(const json_t* row, const char* key, const char* format, double scale)
{
	const json_t* value = json_object_get(row, key);
	if (json_is_number(value))
		printf(format, scale * json_number_value(value));
	else
		printf("%*s", atoi(format + 1), "-");
}

static void PrintMatrixRow(const json_t* row)
{
	size_t k;
	const json_t* value;
	json_array_foreach(row, k, value)
	{
		if (json_is_number(value))
			printf("%8.4f", json_number_value(value));
		else
			printf("%8s", "-");
	}
}

static void Print(const json_t* result)
{
	size_t i;
	const json_t* row;
	printf("Uniform refinement and coarsening, microseconds per existing triangle (thesis: i7-920, table 3.7 to 3.11, "
	       "3.6)\n\n");
	printf("mesh  level triangles    refine  thesis   coarsen  thesis  rebuild us  thesis      bytes      thesis\n");
	json_array_foreach(json_object_get(result, "uniform"), i, row)
	{
		printf("%-6s%5d %9d", json_string_value(json_object_get(row, "mesh")),
		       (int)json_integer_value(json_object_get(row, "level")),
		       (int)json_integer_value(json_object_get(row, "triangles")));
		PrintNumber(row, "refine_us_per_triangle", "%10.3f", 1.0);
		PrintNumber(row, "thesis_refine_us_per_triangle", "%8.3f", 1.0);
		PrintNumber(row, "coarsen_us_per_triangle", "%10.4f", 1.0);
		PrintNumber(row, "thesis_coarsen_us_per_triangle", "%8.4f", 1.0);
		PrintNumber(row, "rebuild_us", "%12.1f", 1.0);
		PrintNumber(row, "thesis_rebuild_us", "%8.1f", 1.0);
		PrintNumber(row, "bytes", "%11.0f", 1.0);
		PrintNumber(row, "thesis_bytes", "%12.0f", 1.0);
		printf("\n");
	}
	const json_t* transitions = json_object_get(result, "transitions");
	printf(
		"\nTransitions between configurations, microseconds, from row to column (thesis mean %.3f, table 3.4)\n\n    ",
		json_number_value(json_object_get(transitions, "thesis_mean_us")));
	for (int c = 0; c < configCount; ++c)
		printf("    C%-3d", c);
	json_array_foreach(json_object_get(transitions, "us"), i, row)
	{
		const json_t* thesisRow = json_array_get(json_object_get(transitions, "thesis_us"), i);
		printf("\nC%-3zu", i);
		PrintMatrixRow(row);
		printf("\n    ");
		PrintMatrixRow(thesisRow);
	}
	printf("\n\nThe second line of each row is the thesis's (table 3.4). By way of the whole triangle: mean %.4f, "
	       "thesis %.3f (3.3).\n",
	       json_number_value(json_object_get(transitions, "indirect_mean_us")),
	       json_number_value(json_object_get(transitions, "thesis_indirect_mean_us")));
	printf("Clear and make a configuration, thesis behind (3.2):");
	json_array_foreach(json_object_get(transitions, "clear_and_configure"), i, row)
	{
		printf("\nC%-3d %8.4f (%.4f) %8.4f (%.4f)", (int)json_integer_value(json_object_get(row, "configuration")),
		       json_number_value(json_object_get(row, "clear_us")),
		       json_number_value(json_object_get(row, "thesis_clear_us")),
		       json_number_value(json_object_get(row, "configure_us")),
		       json_number_value(json_object_get(row, "thesis_configure_us")));
	}
	printf("\n\nmean %.4f, maximum %.4f\n", json_number_value(json_object_get(transitions, "mean_us")),
	       json_number_value(json_object_get(transitions, "max_us")));
	printf("\nA pass in which nothing changes, curvature and length on: %.2f ns per edge, %.2f with the usual wait. "
	       "State %s.\n",
	       json_number_value(json_object_get(result, "idle_adapt_ns_per_edge")),
	       json_number_value(json_object_get(result, "idle_adapt_ns_per_edge_with_wait")),
	       json_string_value(json_object_get(result, "hash")));
}

const Benchmark benchAdapt = {"adapt", "the adaptive mesh by itself: refine, coarsen, transitions, memory, idle passes",
                              false, Run, Print};
