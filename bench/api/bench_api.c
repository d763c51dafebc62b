// SPDX-License-Identifier: MIT
#include "bench.h"

#include "base/timer.h"
#include "drape/drape.h"
#include "drape/query.h"
#include "shared/make.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

// The costs that a program sees at the interface. A cape is a sheet of 30 x 40 quads with the default definition and
// contact "all", pinned at the shoulders. The first cape of a pattern cooks it, and the next ones share it. Each fresh cape
// makes steps of its own in a world without others, so that data that creation would leave to later steps show in
// them: in the first one, and in the worst one, which adapts the mesh.

enum
{
	capes = 20,     // of each kind
	capeSteps = 20, // after the first one
	capeColumns = 30,
	capeRows = 40,
};

static const float frame = 1.0f / 60.0f;

static double Microseconds(uint64_t from)
{
	return 1e-3 * (double)(drapeTimer_Now() - from);
}

// Times of capes of one kind, us.
typedef struct CapeTimes
{
	double create[capes], first[capes], worst[capes], steps[capes * capeSteps];
	uint64_t hash; // of the world after the last step of the last cape
} CapeTimes;

typedef struct ApiBench
{
	drapeWorldId world;
	drapeMesh mesh;
	drapePattern* pattern;
	size_t firstBytes, nextBytes;
	CapeTimes own, shared; // capes with a pattern of their own, and with that of others
} ApiBench;

static drapeClothDef CapeDef(void)
{
	drapeClothDef def = drapeDefaultClothDef();
	def.contact = drape_contactAll;
	return def;
}

static drapePattern* MakePattern(const drapeMesh* mesh)
{
	drapePatternDef def = drapeDefaultPatternDef();
	drapePattern* pattern;
	def.mesh = mesh;
	Bench_Require(drapeCreatePattern(&def, &pattern, NULL) == drape_ok, "a pattern could not be made");
	return pattern;
}

static drapeClothId MakeCape(drapeWorldId world, const drapePattern* pattern)
{
	drapeClothDef def = CapeDef();
	def.pattern = pattern;
	drapeClothId cape = Make_Cloth(world, &def);
	Bench_Require(drapeCloth_IsValid(cape), "a cape could not be made");
	return cape;
}

static double Step(drapeWorldId world)
{
	uint64_t start = drapeTimer_Now();
	Bench_Require(drapeWorld_Step(world, frame) == drape_ok, "a step could not be made");
	return Microseconds(start);
}

// The steps of a fresh cape, which is then destroyed.
static void LiveThrough(drapeWorldId world, drapeClothId cape, CapeTimes* times, int index)
{
	Make_Pin(cape, 0);
	Make_Pin(cape, capeColumns);
	times->first[index] = times->worst[index] = Step(world);
	for (int i = 0; i < capeSteps; ++i)
	{
		double us = Step(world);
		times->steps[index * capeSteps + i] = us;
		times->worst[index] = fmax(times->worst[index], us);
	}
	times->hash = drapeWorld_GetHash(world);
	drapeDestroyCloth(cape);
}

// Every cape has a pattern of its own: each is a first one.
static void MeasureFirst(ApiBench* bench)
{
	for (int i = 0; i < capes; ++i)
	{
		uint64_t start = drapeTimer_Now();
		drapePattern* pattern = MakePattern(&bench->mesh);
		drapeClothId cape = MakeCape(bench->world, pattern);
		bench->own.create[i] = Microseconds(start);
		drapeDestroyPattern(pattern);
		LiveThrough(bench->world, cape, &bench->own, i);
	}
}

static void MeasureNext(ApiBench* bench)
{
	for (int i = 0; i < capes; ++i)
	{
		uint64_t start = drapeTimer_Now();
		drapeClothId cape = MakeCape(bench->world, bench->pattern);
		bench->shared.create[i] = Microseconds(start);
		LiveThrough(bench->world, cape, &bench->shared, i);
	}
}

// The bytes that the pattern with its first cape takes, and those of the second one, in a world that holds nothing.
static void MeasureBytes(ApiBench* bench)
{
	drapeWorldDef def = drapeDefaultWorldDef();
	drapeWorldId world = Make_World(&def);
	size_t before = drapeGetMemoryUse().bytes;
	bench->pattern = MakePattern(&bench->mesh);
	MakeCape(world, bench->pattern);
	bench->firstBytes = drapeGetMemoryUse().bytes - before;
	MakeCape(world, bench->pattern);
	bench->nextBytes = drapeGetMemoryUse().bytes - before - bench->firstBytes;
	drapeDestroyWorld(world);
}

static void Put(json_t* result, const char* name, double* times, int count)
{
	char key[64];
	BenchTimes summary = Bench_Summarise(times, count);
	snprintf(key, sizeof key, "%s_us", name);
	json_object_set_new(result, key, json_real(summary.median));
	snprintf(key, sizeof key, "%s_us_minimum", name);
	json_object_set_new(result, key, json_real(summary.minimum));
}

// --- reading a surface ----------------------------------------------------------------------------------------------

enum
{
	surfaceQuads = 99, // 10,000 vertices
	surfaceRuns = 100,
	surfaceRays = 1000, // per run
};

typedef struct Vertex
{
	drapeVec3 position, normal;
	float other[2];
} Vertex;

// A sheet that hangs from a corner, so that it is not flat.
static drapeClothId MakeSurface(drapeWorldId world)
{
	drapeMesh mesh;
	drapeClothDef def = drapeDefaultClothDef();
	Bench_Require(drapeMesh_CreateGrid(surfaceQuads, surfaceQuads, 1.0f, 1.0f, &mesh, NULL) == drape_ok,
	              "out of memory");
	def.mesh = &mesh;
	def.adapt.scheme = drape_schemeFixed;
	drapeClothId cloth = Make_Cloth(world, &def);
	Bench_Require(drapeCloth_IsValid(cloth), "a cloth could not be made");
	drapeMesh_Free(&mesh);
	Make_Pin(cloth, 0);
	for (int i = 0; i < 10; ++i)
		Step(world);
	return cloth;
}

static void MeasureWriting(json_t* result, drapeClothId cloth)
{
	double ns[surfaceRuns];
	drapeVertexSize size;
	Bench_Require(drapeCloth_GetVertexSize(cloth, drape_verticesPerParticle, &size) == drape_ok, "out of memory");
	Vertex* vertices = calloc(size.vertexCount, sizeof *vertices);
	Bench_Require(vertices != NULL, "out of memory");
	drapeVertexLayout layout = {.kind = drape_verticesPerParticle};
	layout.positions = (drapeVertexAttribute){&vertices->position, sizeof *vertices};
	layout.normals = (drapeVertexAttribute){&vertices->normal, sizeof *vertices};
	for (int i = 0; i < surfaceRuns; ++i)
	{
		uint64_t start = drapeTimer_Now();
		Bench_Require(drapeCloth_WriteVertices(cloth, &layout, size.vertexCount) == drape_ok,
		              "vertices were not written");
		ns[i] = 1e3 * Microseconds(start) / size.vertexCount;
	}
	BenchTimes times = Bench_Summarise(ns, surfaceRuns);
	json_object_set_new(result, "vertices", json_integer(size.vertexCount));
	json_object_set_new(result, "write_vertices_ns_per_vertex", json_real(times.median));
	json_object_set_new(result, "write_vertices_ns_per_vertex_minimum", json_real(times.minimum));
	free(vertices);
}

// Rays in all directions towards points of the surface. The first run fits the tree and is left out.
static void MeasureRays(json_t* result, drapeWorldId world, drapeClothId cloth)
{
	double us[surfaceRuns];
	drapeClothView view = drapeCloth_GetView(cloth);
	uint32_t hits = 0;
	for (int i = -1; i < surfaceRuns; ++i)
	{
		uint64_t start = drapeTimer_Now();
		for (uint32_t k = 0; k < surfaceRays; ++k)
		{
			drapeVec4 to = view.positions[(k * 7919u) % view.particleCount];
			drapeVec3 from = {(float)(k % 10) - 4.5f, (float)(k / 10 % 10) - 4.5f, (float)(k / 100) - 4.5f};
			drapeRay ray = {from, {1.5f * (to.x - from.x), 1.5f * (to.y - from.y), 1.5f * (to.z - from.z)}};
			drapeSurfaceHit hit;
			Bench_Require(drapeWorld_CastRay(world, ray, drapeDefaultFilter(), &hit) == drape_ok, "a ray was not cast");
			hits += hit.isHit;
		}
		if (i >= 0)
			us[i] = Microseconds(start) / surfaceRays;
	}
	BenchTimes times = Bench_Summarise(us, surfaceRuns);
	json_object_set_new(result, "raycast_us", json_real(times.median));
	json_object_set_new(result, "raycast_us_minimum", json_real(times.minimum));
	json_object_set_new(result, "raycast_hits", json_real((double)hits / ((surfaceRuns + 1) * surfaceRays)));
}

static void MeasureSurface(json_t* result)
{
	drapeWorldDef def = drapeDefaultWorldDef();
	drapeWorldId world = Make_World(&def);
	drapeClothId cloth = MakeSurface(world);
	MeasureWriting(result, cloth);
	MeasureRays(result, world, cloth);
	drapeDestroyWorld(world);
}

// --- the report -----------------------------------------------------------------------------------------------------

static json_t* Report(ApiBench* bench)
{
	json_t* result = json_object();
	json_object_set_new(result, "benchmark", json_string("api"));
	json_object_set_new(result, "triangles", json_integer(2 * capeColumns * capeRows));
	json_object_set_new(result, "capes", json_integer(capes));
	Put(result, "create_first", bench->own.create, capes);
	Put(result, "create_next", bench->shared.create, capes);
	json_object_set_new(result, "bytes_first", json_integer((json_int_t)bench->firstBytes));
	json_object_set_new(result, "bytes_next", json_integer((json_int_t)bench->nextBytes));
	Put(result, "first_step_first", bench->own.first, capes);
	Put(result, "first_step_next", bench->shared.first, capes);
	Put(result, "worst_step_first", bench->own.worst, capes);
	Put(result, "worst_step_next", bench->shared.worst, capes);
	Put(result, "step", bench->shared.steps, capes * capeSteps);
	MeasureSurface(result);
	json_object_set_new(result, "hash", Bench_Hash(bench->shared.hash));
	return result;
}

static json_t* Run(const BenchOptions* options)
{
	(void)options;
	static ApiBench bench;
	drapeWorldDef def = drapeDefaultWorldDef();
	bench.world = Make_World(&def);
	Bench_Require(drapeMesh_CreateGrid(capeColumns, capeRows, 0.9f, 1.2f, &bench.mesh, NULL) == drape_ok,
	              "out of memory");
	MeasureBytes(&bench);
	MeasureFirst(&bench);
	MeasureNext(&bench);
	drapeDestroyPattern(bench.pattern);
	drapeDestroyWorld(bench.world);
	drapeMesh_Free(&bench.mesh);
	return Report(&bench);
}

static void PrintRow(const json_t* result, const char* label, const char* name)
{
	char median[64], minimum[64];
	snprintf(median, sizeof median, "%s_us", name);
	snprintf(minimum, sizeof minimum, "%s_us_minimum", name);
	printf("%-34s %10.0f %10.0f\n", label, Bench_Number(result, median), Bench_Number(result, minimum));
}

static void Print(const json_t* result)
{
	double ratio = Bench_Number(result, "create_first_us") / Bench_Number(result, "create_next_us");
	double first = Bench_Number(result, "first_step_next_us") / Bench_Number(result, "step_us");
	printf("Capes of %.0f triangles with contact, %.0f of each kind, one thread\n\n", Bench_Number(result, "triangles"),
	       Bench_Number(result, "capes"));
	printf("%-34s %10s %10s\n", "", "median us", "minimum us");
	PrintRow(result, "create a pattern and its first cape", "create_first");
	PrintRow(result, "create another cape of a pattern", "create_next");
	PrintRow(result, "its first step", "first_step_next");
	PrintRow(result, "any step", "step");
	PrintRow(result, "worst of its first 21 steps", "worst_step_next");
	PrintRow(result, "the same of a first cape", "worst_step_first");
	printf("\nanother cape takes %.0f of %.0f kB; it is created %.0f times faster; its first step takes %.2f steps\n",
	       1e-3 * Bench_Number(result, "bytes_next"), 1e-3 * Bench_Number(result, "bytes_first"), ratio, first);
	printf("a vertex of %.0f is written in %.2f ns (positions and normals)\n", Bench_Number(result, "vertices"),
	       Bench_Number(result, "write_vertices_ns_per_vertex"));
	printf("a ray takes %.2f us, %.0f of 100 hit\n", Bench_Number(result, "raycast_us"),
	       100.0 * Bench_Number(result, "raycast_hits"));
	printf("state hash %s\n", Bench_Text(result, "hash"));
}

const Benchmark benchApi = {"api", "costs at the interface: creation of cloths that share a pattern, vertices, rays",
                            false, Run, Print};
