// SPDX-License-Identifier: MIT
#include "bench.h"

#include "adapt/adapt.h"
#include "base/timer.h"
#include "contact/broad/self_culling.h"
#include "contact/shapes/mesh_shape.h"
#include "drape/drape.h"
#include "grid.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

// The broad phase by itself. `self`: cloth of 8,192 triangles against itself, by trees of 6 to 26 sides and arity 2 to
// 8 and by the grid. `body`: the same cloth against a body of 67,080 triangles, and single queries of the body.
// `growth`: the default over cloth of 2,048 to 32,768 triangles, and two threads. Milliseconds are minima of several
// runs on one thread unless the row says otherwise; `tests` are comparisons of the bounds of two primitives.
//
// The cloth is a square metre and moves by half a millimetre. `flat` is slightly wrinkled, `wavy` has waves with steep
// sides, `folds` has some that hang over by twenty degrees, `layers` is folded to ten layers 2 mm apart. The body is a
// capsule with bumps; cloth lies around it.

enum
{
	runCount = 15,
	defaultQuads = 64,
	bodyAround = 258,
	bodyAlong = 130, // rows of quads, and a cap at each end
};

static const float margin = 0.001f; // m, of the cloth

// --- cloth ----------------------------------------------------------------------------------------------------------

typedef enum Shape
{
	shapeFlat,
	shapeWavy,
	shapeFolds,
	shapeLayers,
	shapeOnBody,
} Shape;

static const char* const shapeNames[] = {"flat", "wavy", "folds", "layers", "on body"};

typedef struct Cloth
{
	PatternMesh pattern;
	ActiveMesh active;
	Scheme* scheme;
	Charts charts;
	Vec2 origin;
	Vec4 *from, *to;
	Primitives primitives;
} Cloth;

// A capsule about the x axis from end to end, 1.8 m long, with bumps of a few millimetres. `up` moves outward.
static Vec3 BodyPoint(float s, float angle, float up)
{
	float x = 1.8f * (s - 0.5f), end = fmaxf(fabsf(x) - 0.7f, 0.0f);
	float radius = sqrtf(fmaxf(0.04f - end * end, 0.0f));
	float bumps = 0.004f * sinf(60.0f * s) * cosf(9.0f * angle);
	return (Vec3){x, (radius + bumps + up) * cosf(angle), (radius + bumps + up) * sinf(angle)};
}

// The slope goes up to 110 degrees and back, three times.
static Vec3 Folds(float u, float v)
{
	const float step = 1.0f / 1024.0f;
	Vec3 p = {0.02f * sinf(20.0f * v), 0.01f * sinf(20.0f * v), v};
	for (float s = 0.5f * step; s < u; s += step)
	{
		float slope = 1.92f * sinf(18.85f * s);
		p.x += step * cosf(slope);
		p.y += step * sinf(slope);
	}
	return p;
}

static Vec3 Layers(float u, float v)
{
	float layer = floorf(10.0f * u), s = 10.0f * u - layer;
	float x = fmodf(layer, 2.0f) == 0.0f ? s : 1.0f - s;
	return (Vec3){0.1f * x, 0.002f * (layer + s * s * s), v};
}

static Vec3 Place(Shape shape, float u, float v)
{
	switch (shape)
	{
		case shapeFlat:
			return (Vec3){u, 0.01f * sinf(9.0f * u) * cosf(7.0f * v), v};
		case shapeWavy:
			return (Vec3){0.6f * u, 0.035f * sinf(50.0f * u + 2.0f * v), v};
		case shapeFolds:
			return Folds(u, v);
		case shapeLayers:
			return Layers(u, v);
		default:
			return BodyPoint(0.25f + 0.5f * u, 4.0f * v, 0.003f);
	}
}

static void Cloth_SetShape(Cloth* cloth, Shape shape)
{
	for (uint32_t i = 0; i < cloth->active.triangleCount; ++i)
	{
		for (uint32_t k = 0; k < 3; ++k)
		{
			// Material coordinates begin anywhere.
			Vec2 at = V2Sub(cloth->active.material[i].corner[k], cloth->origin);
			uint32_t particle = cloth->active.triangle[i][k];
			Vec3 p = Place(shape, at.x, at.y);
			cloth->from[particle] = (Vec4){p.x, p.y, p.z, 0.0f};
			cloth->to[particle] = (Vec4){p.x + 0.0003f * sinf(40.0f * p.z), p.y - 0.0005f, p.z, 0.0f};
		}
	}
}

static void Cloth_Create(Cloth* cloth, uint32_t quads, TaskPool* tasks)
{
	drapeMesh mesh;
	drapeRestDef rest = drapeDefaultRestDef();
	drapeMeshReport* report = calloc(1, sizeof *report);
	*cloth = (Cloth){.active.density = 0.2f};
	rest.warp = (drapeVec3){1.0f, 0.0f, 0.0f};
	Bench_Require(report && drapeMesh_CreateGrid(quads, quads, 1.0f, 1.0f, &mesh, NULL) == drape_ok, "out of memory");
	Bench_Require(drapePatternMesh_Create(&cloth->pattern, &mesh, &rest, report) == drape_ok,
	              "the pattern was refused");
	Bench_Require(drapeFixedScheme_Create(&cloth->scheme, &cloth->pattern, &cloth->active) == drape_ok,
	              "out of memory");
	Bench_Require(drapeCharts_Create(&cloth->charts, &cloth->pattern, tasks) == drape_ok, "out of memory");
	cloth->from = calloc(2 * (size_t)cloth->active.particleCount, sizeof(Vec4));
	Bench_Require(cloth->from, "out of memory");
	cloth->to = cloth->from + cloth->active.particleCount;
	cloth->origin = cloth->active.material[0].corner[0];
	for (uint32_t i = 0; i < 3 * cloth->active.triangleCount; ++i)
	{
		Vec2 at = cloth->active.material[i / 3].corner[i % 3];
		cloth->origin = (Vec2){fminf(cloth->origin.x, at.x), fminf(cloth->origin.y, at.y)};
	}
	cloth->primitives =
		(Primitives){cloth->from, cloth->to, &cloth->active.triangle[0][0], 3, cloth->active.triangleCount, margin};
	free(report);
	drapeMesh_Free(&mesh);
}

static void DestroyCloth(Cloth* cloth)
{
	drapeCharts_Free(&cloth->charts);
	cloth->scheme->type->destroy(cloth->scheme);
	drapeActiveMesh_Destroy(&cloth->active);
	drapePatternMesh_Destroy(&cloth->pattern);
	free(cloth->from);
}

// --- body -----------------------------------------------------------------------------------------------------------

// 2 * bodyAround * bodyAlong triangles, closed: the rings at both ends are points.
static void Body_Create(MeshShape* body, TaskPool* tasks)
{
	uint32_t vertexCount = bodyAround * (bodyAlong + 1), triangleCount = 2 * bodyAround * bodyAlong;
	Vec3* positions = calloc(vertexCount, sizeof *positions);
	uint32_t* triangles = calloc(3 * (size_t)triangleCount, sizeof *triangles);
	MeshShapeReport report;
	Bench_Require(positions && triangles, "out of memory");
	for (uint32_t i = 0; i < vertexCount; ++i)
	{
		float s = (float)(i / bodyAround) / (float)bodyAlong, angle = 6.2831853f * (float)(i % bodyAround) / bodyAround;
		positions[i] = BodyPoint(s, angle, 0.0f);
		if (i < bodyAround || i >= vertexCount - bodyAround)
			positions[i] = (Vec3){positions[i].x, 0.0f, 0.0f};
	}
	for (uint32_t i = 0; i < triangleCount / 2; ++i)
	{
		uint32_t a = i, b = i / bodyAround * bodyAround + (i + 1) % bodyAround, c = a + bodyAround, d = b + bodyAround;
		const uint32_t corners[6] = {a, b, c, b, d, c};
		for (uint32_t k = 0; k < 6; ++k)
			triangles[6 * (size_t)i + k] = corners[k];
	}
	Bench_Require(drapeMeshShape_Create(body, positions, vertexCount, triangles, triangleCount, tasks, &report) ==
	                  drape_ok,
	              "the body was refused");
	Bench_Require(body->closed && !body->tangled, "the body is not closed");
	free(positions);
	free(triangles);
}

// --- times ----------------------------------------------------------------------------------------------------------

// ms; what was not done is left out of the row.
typedef struct Times
{
	double build, refit, pairs;
	uint32_t found;
	uint64_t tests;
} Times;

static const Times noTimes = {HUGE_VAL, HUGE_VAL, HUGE_VAL, 0, 0};

static void Best(double* best, uint64_t start)
{
	*best = fmin(*best, drapeTimer_Ms(start));
}

static void TakeList(Times* times, PairList* list)
{
	times->found = list->pairs.count;
	times->tests = list->tests;
	drapePairList_Free(list);
}

typedef struct TreeKind
{
	uint32_t k, arity;
	BvhOrder order; // without culling; culling sorts along the charts
	bool cull;
} TreeKind;

static const TreeKind defaultKind = {bvhDefaultK, bvhDefaultArity, bvhMorton, true};

// Cloth against itself.
static Times TimeTreeSelf(Cloth* cloth, TreeKind kind, TaskPool* tasks)
{
	ClothTree tree;
	PairList list = {0};
	Times times = noTimes;
	drapeClothTree_Init(&tree, kind.k, kind.arity);
	for (int run = 0; run < runCount; ++run)
	{
		uint64_t start = drapeTimer_Now();
		bool isDone = kind.cull ? drapeCharts_Update(&cloth->charts, &cloth->active) &&
		                              drapeClothTree_Build(&tree, &cloth->primitives, &cloth->charts, tasks)
		                        : drapeBvh_Build(&tree.bvh, &cloth->primitives, kind.order, tasks);
		Bench_Require(isDone, "out of memory");
		Best(&times.build, start);
		start = drapeTimer_Now();
		if (kind.cull)
			drapeClothTree_Refit(&tree, &cloth->primitives, tasks);
		else
			drapeBvh_Refit(&tree.bvh, &cloth->primitives, tasks);
		Best(&times.refit, start);
		start = drapeTimer_Now();
		isDone = kind.cull ? drapeClothTree_SelfPairs(&tree, &list, tasks)
		                   : drapeBvh_SelfPairs(&tree.bvh, NULL, &list, tasks);
		Bench_Require(isDone, "out of memory");
		Best(&times.pairs, start);
	}
	TakeList(&times, &list);
	drapeClothTree_Destroy(&tree);
	return times;
}

static Times TimeGridSelf(const Cloth* cloth, TaskPool* tasks)
{
	Grid grid = {0};
	PairList list = {0};
	Times times = noTimes;
	for (int run = 0; run < runCount; ++run)
	{
		uint64_t start = drapeTimer_Now();
		Bench_Require(drapeGrid_Build(&grid, &cloth->primitives, 0.0f, tasks), "out of memory");
		Best(&times.build, start);
		start = drapeTimer_Now();
		Bench_Require(drapeGrid_SelfPairs(&grid, &list, tasks), "out of memory");
		Best(&times.pairs, start);
	}
	TakeList(&times, &list);
	drapeGrid_Free(&grid);
	return times;
}

// Cloth against the body. The cloth's tree is there from its own contact; build and refit are the body's.
static Times TimeTreeBody(const Cloth* cloth, const MeshShape* body, TreeKind kind, TaskPool* tasks)
{
	Bvh trees[2];
	PairList list = {0};
	Times times = noTimes;
	Primitives primitives = drapeMeshShape_Primitives(body, 0.0f);
	drapeBvh_Init(&trees[0], kind.k, kind.arity);
	drapeBvh_Init(&trees[1], kind.k, kind.arity);
	Bench_Require(drapeBvh_Build(&trees[0], &cloth->primitives, bvhMorton, tasks), "out of memory");
	for (int run = 0; run < runCount; ++run)
	{
		uint64_t start = drapeTimer_Now();
		if (run < 3)
			Bench_Require(drapeBvh_Build(&trees[1], &primitives, kind.order, tasks), "out of memory");
		if (run < 3)
			Best(&times.build, start);
		start = drapeTimer_Now();
		drapeBvh_Refit(&trees[1], &primitives, tasks);
		Best(&times.refit, start);
		start = drapeTimer_Now();
		Bench_Require(drapeBvh_Pairs(&trees[0], &trees[1], &list, tasks), "out of memory");
		Best(&times.pairs, start);
	}
	TakeList(&times, &list);
	drapeBvh_Destroy(&trees[0]);
	drapeBvh_Destroy(&trees[1]);
	return times;
}

static Times TimeGridBody(const Cloth* cloth, const MeshShape* body, TaskPool* tasks)
{
	Grid grids[2];
	PairList list = {0};
	Times times = noTimes;
	Primitives primitives = drapeMeshShape_Primitives(body, 0.0f);
	for (int i = 0; i < 2; ++i)
		grids[i] = (Grid){.cellSize = 0.0f};
	Bench_Require(drapeGrid_Build(&grids[0], &cloth->primitives, 0.0f, tasks), "out of memory");
	for (int run = 0; run < runCount; ++run)
	{
		uint64_t start = drapeTimer_Now();
		if (run < 3)
			Bench_Require(drapeGrid_Build(&grids[1], &primitives, 0.0f, tasks), "out of memory");
		if (run < 3)
			Best(&times.build, start);
		start = drapeTimer_Now();
		Bench_Require(drapeGrid_Pairs(&grids[0], &grids[1], &list, tasks), "out of memory");
		Best(&times.pairs, start);
	}
	TakeList(&times, &list);
	drapeGrid_Free(&grids[0]);
	drapeGrid_Free(&grids[1]);
	return times;
}

// --- rows -----------------------------------------------------------------------------------------------------------

static void AddRow(json_t* rows, const char* structure, Shape shape, uint32_t triangles, uint32_t threads, Times times)
{
	json_t* row =
		json_pack("{s:s, s:s, s:i, s:i, s:f, s:f, s:i, s:I}", "structure", structure, "shape", shapeNames[shape],
	              "triangles", (int)triangles, "threads", (int)threads, "build_ms", times.build, "pairs_ms",
	              times.pairs, "pairs", (int)times.found, "tests", (json_int_t)times.tests);
	if (times.refit < HUGE_VAL)
		json_object_set_new(row, "refit_ms", json_real(times.refit));
	json_array_append_new(rows, row);
}

static const char* KindName(TreeKind kind, char name[48])
{
	static const char* const orders[] = {"morton", "split"};
	snprintf(name, 48, "%u-dop arity %u %s%s", kind.k, kind.arity, kind.cull ? "chart" : orders[kind.order],
	         kind.cull ? " cull" : "");
	return name;
}

static json_t* SelfRows(TaskPool* tasks)
{
	static const uint32_t sides[] = {6, 14, 18, 26}, arities[] = {2, 4, 8};
	json_t* rows = json_array();
	Cloth cloth;
	char name[48];
	Cloth_Create(&cloth, defaultQuads, tasks);
	for (Shape shape = shapeFlat; shape <= shapeLayers; ++shape)
	{
		Cloth_SetShape(&cloth, shape);
		for (uint32_t i = 0; i < 12; ++i)
		{
			TreeKind kind = {sides[i % 4], arities[i / 4], bvhMorton, true};
			AddRow(rows, KindName(kind, name), shape, cloth.primitives.count, 1, TimeTreeSelf(&cloth, kind, tasks));
		}
		for (uint32_t i = 0; i < 2; ++i)
		{
			static const TreeKind others[] = {{bvhDefaultK, bvhDefaultArity, bvhMorton, false},
			                                  {bvhDefaultK, bvhDefaultArity, bvhSplit, false}};
			AddRow(rows, KindName(others[i], name), shape, cloth.primitives.count, 1,
			       TimeTreeSelf(&cloth, others[i], tasks));
		}
		AddRow(rows, "grid", shape, cloth.primitives.count, 1, TimeGridSelf(&cloth, tasks));
	}
	DestroyCloth(&cloth);
	return rows;
}

static json_t* BodyRows(const MeshShape* body, TaskPool* tasks)
{
	static const uint32_t sides[] = {6, 14, 18, 26}, arities[] = {2, 4, 8};
	json_t* rows = json_array();
	Cloth cloth;
	char name[48];
	Cloth_Create(&cloth, defaultQuads, tasks);
	Cloth_SetShape(&cloth, shapeOnBody);
	for (uint32_t i = 0; i < 24; ++i)
	{
		TreeKind kind = {sides[i % 4], arities[i / 4 % 3], i < 12 ? bvhSplit : bvhMorton, false};
		AddRow(rows, KindName(kind, name), shapeOnBody, cloth.primitives.count, 1,
		       TimeTreeBody(&cloth, body, kind, tasks));
	}
	AddRow(rows, "grid", shapeOnBody, cloth.primitives.count, 1, TimeGridBody(&cloth, body, tasks));
	DestroyCloth(&cloth);
	return rows;
}

static json_t* GrowthRows(const MeshShape* body)
{
	json_t* rows = json_array();
	char name[48];
	for (uint32_t threads = 1; threads <= 2; ++threads)
	{
		TaskPool* tasks = drapeTaskPool_Create(threads, NULL, NULL, NULL);
		Bench_Require(tasks, "out of memory");
		for (uint32_t quads = 32; quads <= 128; quads += quads < 64 ? 32 : 64)
		{
			Cloth cloth;
			Cloth_Create(&cloth, quads, tasks);
			for (Shape shape = shapeFlat; shape <= shapeOnBody; ++shape)
			{
				Cloth_SetShape(&cloth, shape);
				Times times =
					shape == shapeOnBody
						? TimeTreeBody(&cloth, body, (TreeKind){bvhDefaultK, bvhDefaultArity, bvhSplit, false}, tasks)
						: TimeTreeSelf(&cloth, defaultKind, tasks);
				AddRow(rows, KindName(defaultKind, name), shape, cloth.primitives.count, threads, times);
			}
			DestroyCloth(&cloth);
		}
		drapeTaskPool_Destroy(tasks);
	}
	return rows;
}

// Single queries of the body from points of the cloth around it, microseconds each.
static json_t* QueryRow(const MeshShape* body, TaskPool* tasks)
{
	Cloth cloth;
	Grid grid = {0};
	Primitives primitives = drapeMeshShape_Primitives(body, 0.0f);
	double closest = HUGE_VAL, sweep = HUGE_VAL, inside = HUGE_VAL, segment = HUGE_VAL, gridSegment = HUGE_VAL;
	Cloth_Create(&cloth, defaultQuads, tasks);
	Cloth_SetShape(&cloth, shapeOnBody);
	Bench_Require(drapeGrid_Build(&grid, &primitives, 0.0f, tasks), "out of memory");
	uint32_t count = cloth.active.particleCount, hits = 0;
	for (int run = 0; run < 5; ++run)
	{
		MeshPoint point;
		PrimitiveHit hit;
		float fraction;
		uint64_t start = drapeTimer_Now();
		for (uint32_t i = 0; i < count; ++i)
			hits += drapeMeshShape_Closest(body, V4Xyz(cloth.to[i]), 0.01f, &point);
		Best(&closest, start);
		start = drapeTimer_Now();
		for (uint32_t i = 0; i < count; ++i)
			hits += drapeMeshShape_Sweep(body, 0.002f, V4Xyz(cloth.from[i]), V3Scale(0.95f, V4Xyz(cloth.to[i])),
			                             &fraction, &point);
		Best(&sweep, start);
		start = drapeTimer_Now();
		for (uint32_t i = 0; i < count; ++i)
			hits += drapeMeshShape_Contains(body, V4Xyz(cloth.to[i]));
		Best(&inside, start);
		start = drapeTimer_Now();
		for (uint32_t i = 0; i < count; ++i)
			hits += drapeBvh_FirstHit(&body->tree, &primitives, V4Xyz(cloth.from[i]),
			                          V3Scale(0.95f, V4Xyz(cloth.to[i])), &hit);
		Best(&segment, start);
		start = drapeTimer_Now();
		for (uint32_t i = 0; i < count; ++i)
			hits +=
				drapeGrid_FirstHit(&grid, &primitives, V4Xyz(cloth.from[i]), V3Scale(0.95f, V4Xyz(cloth.to[i])), &hit);
		Best(&gridSegment, start);
	}
	double perQuery = 1e3 / (double)count;
	drapeGrid_Free(&grid);
	DestroyCloth(&cloth);
	return json_pack("{s:f, s:f, s:f, s:f, s:f, s:i}", "closest_us", closest * perQuery, "sweep_us", sweep * perQuery,
	                 "contains_us", inside * perQuery, "segment_us", segment * perQuery, "grid_segment_us",
	                 gridSegment * perQuery, "hits", (int)(hits / 5));
}

static json_t* Run(const BenchOptions* options)
{
	(void)options;
	TaskPool* tasks = drapeTaskPool_Create(1, NULL, NULL, NULL);
	MeshShape body;
	Bench_Require(tasks, "out of memory");
	uint64_t start = drapeTimer_Now();
	Body_Create(&body, tasks);
	double createMs = drapeTimer_Ms(start);
	json_t* result = json_pack("{s:i, s:f}", "body_triangles", (int)body.triangleCount, "body_create_ms", createMs);
	json_object_set_new(result, "self", SelfRows(tasks));
	json_object_set_new(result, "body", BodyRows(&body, tasks));
	json_object_set_new(result, "queries", QueryRow(&body, tasks));
	json_object_set_new(result, "growth", GrowthRows(&body));
	drapeMeshShape_Destroy(&body);
	drapeTaskPool_Destroy(tasks);
	return result;
}

static void PrintRows(const char* title, const json_t* rows)
{
	size_t index;
	const json_t* row;
	printf("\n%s\n%-30s %-8s %9s %7s %9s %9s %9s %8s %9s\n", title, "structure", "shape", "triangles", "threads",
	       "build ms", "refit ms", "pairs ms", "pairs", "tests");
	json_array_foreach((json_t*)rows, index, row)
	{
		printf("%-30s %-8s %9d %7d %9.3f %9.3f %9.3f %8d %9lld\n", json_string_value(json_object_get(row, "structure")),
		       json_string_value(json_object_get(row, "shape")),
		       (int)json_integer_value(json_object_get(row, "triangles")),
		       (int)json_integer_value(json_object_get(row, "threads")),
		       json_real_value(json_object_get(row, "build_ms")), json_real_value(json_object_get(row, "refit_ms")),
		       json_real_value(json_object_get(row, "pairs_ms")),
		       (int)json_integer_value(json_object_get(row, "pairs")),
		       (long long)json_integer_value(json_object_get(row, "tests")));
	}
}

static void Print(const json_t* result)
{
	const json_t* queries = json_object_get(result, "queries");
	const char* key;
	json_t* value;
	printf("broad: body of %d triangles, made in %.1f ms\n",
	       (int)json_integer_value(json_object_get(result, "body_triangles")),
	       json_real_value(json_object_get(result, "body_create_ms")));
	PrintRows("cloth with itself", json_object_get(result, "self"));
	PrintRows("cloth with the body (build and refit are the body's)", json_object_get(result, "body"));
	PrintRows("growth", json_object_get(result, "growth"));
	printf("\nqueries of the body\n");
	json_object_foreach((json_t*)queries, key, value) printf("%-16s %.3f\n", key, json_number_value(value));
}

const Benchmark benchBroad = {"broad", "trees and grids over cloth and a body", false, Run, Print};
