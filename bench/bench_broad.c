// SPDX-License-Identifier: MIT
#include "bench.h"

#include "adapt/adapt.h"
#include "base/timer.h"
#include "contact/bvh.h"
#include "drape/drape.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// The broad phase by itself: trees with 6 to 26 sides and arity 2 to 8, and the grid, over cloth of 2,000 to 32,000
// triangles, against itself and against a body of 67,000. One thread unless a row says otherwise; milliseconds are
// minima of several runs.
//
// The cloth is a square metre. `flat` is slightly wrinkled, `wrinkled` has waves whose sides are steep, `crumpled` is
// folded upon itself in layers. The body is a capsule with bumps.

enum
{
	runCount = 9,
	bodyAround = 258,
	bodyAlong = 130,
};

static const float margin = 0.001f; // m, of the cloth

// --- cloth ----------------------------------------------------------------------------------------------------------

typedef enum Shape
{
	shapeFlat,
	shapeWrinkled,
	shapeCrumpled,
	shapeCount,
} Shape;

static const char* const shapeNames[] = {"flat", "wrinkled", "crumpled"};

typedef struct Cloth
{
	PatternMesh pattern;
	ActiveMesh active;
	Scheme* scheme;
	Charts charts;
	Vec4 *from, *to;
	Items items;
} Cloth;

static Vec3 Place(Shape shape, float u, float v)
{
	switch (shape)
	{
		case shapeFlat:
			return (Vec3){u, 0.01f * sinf(9.0f * u) * cosf(7.0f * v), v};
		case shapeWrinkled:
			return (Vec3){u - 0.012f * sinf(50.0f * u), 0.02f * cosf(25.0f * u + 2.0f * sinf(6.0f * v)), v};
		default:
			// Ten layers with a gap of 2 mm, joined by bends.
			break;
	}
	float fold = 0.1f, layer = floorf(u / fold), s = u / fold - layer;
	float x = fmodf(layer, 2.0f) == 0.0f ? s : 1.0f - s;
	return (Vec3){0.09f * x, 0.004f * (layer + 0.5f - 0.5f * cosf(3.14159f * s)), v + 0.01f * sinf(30.0f * u)};
}

static void Cloth_SetShape(Cloth* cloth, Shape shape)
{
	for (uint32_t i = 0; i < cloth->active.triangleCount; ++i)
	{
		for (uint32_t k = 0; k < 3; ++k)
		{
			Vec2 at = cloth->active.material[i].corner[k];
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
	Bench_Require(report && drapeMesh_CreateGrid(quads, quads, 1.0f, 1.0f, &mesh) == drape_ok, "out of memory");
	Bench_Require(PatternMesh_Create(&cloth->pattern, &mesh, &rest, report) == drape_ok, "the pattern was refused");
	Bench_Require(FixedScheme_Create(&cloth->scheme, &cloth->pattern, &cloth->active) == drape_ok, "out of memory");
	Bench_Require(Charts_Create(&cloth->charts, &cloth->pattern, tasks) == drape_ok, "out of memory");
	cloth->from = calloc(2 * (size_t)cloth->active.particleCount, sizeof(Vec4));
	Bench_Require(cloth->from, "out of memory");
	cloth->to = cloth->from + cloth->active.particleCount;
	cloth->items = (Items){cloth->from, cloth->to, &cloth->active.triangle[0][0], 3, cloth->active.triangleCount, margin};
	free(report);
	drapeMesh_Free(&mesh);
}

static void Cloth_Destroy(Cloth* cloth)
{
	Charts_Free(&cloth->charts);
	cloth->scheme->type->destroy(cloth->scheme);
	ActiveMesh_Destroy(&cloth->active);
	PatternMesh_Destroy(&cloth->pattern);
	free(cloth->from);
}

// --- times ----------------------------------------------------------------------------------------------------------

typedef struct ClothTimes
{
	double charts, build, refit, self;
	uint32_t pairs;
	uint64_t tests;
} ClothTimes;

static void Best(double* best, uint64_t start)
{
	*best = fmin(*best, Timer_Ms(start));
}

static ClothTimes TimeBvh(Cloth* cloth, uint32_t k, uint32_t arity, BvhOrder order, bool cull, TaskPool* tasks)
{
	Bvh bvh;
	PairList list = {0};
	ClothTimes times = {INFINITY, INFINITY, INFINITY, INFINITY, 0, 0};
	Bvh_Init(&bvh, k, arity);
	for (int run = 0; run < runCount; ++run)
	{
		uint64_t start = Timer_Now();
		Bench_Require(Charts_Update(&cloth->charts, &cloth->active), "out of memory");
		Best(&times.charts, start);
		start = Timer_Now();
		Bench_Require(Bvh_Build(&bvh, &cloth->items, cull ? &cloth->charts : NULL, order, tasks), "out of memory");
		Best(&times.build, start);
		start = Timer_Now();
		Bvh_Refit(&bvh, &cloth->items, tasks);
		Best(&times.refit, start);
		start = Timer_Now();
		Bench_Require(Bvh_SelfPairs(&bvh, &list, tasks), "out of memory");
		Best(&times.self, start);
	}
	times.pairs = list.pairs.count;
	times.tests = list.tests;
	PairList_Free(&list);
	Bvh_Destroy(&bvh);
	return times;
}

static json_t* Run(void)
{
	json_t* result = json_object();
	TaskPool* tasks = TaskPool_Create(1, NULL, NULL, NULL);
	Cloth cloth;
	Cloth_Create(&cloth, 64, tasks);
	static const uint32_t sides[] = {6, 14, 18, 26}, arities[] = {2, 4, 8};
	for (Shape shape = 0; shape < shapeCount; ++shape)
	{
		Cloth_SetShape(&cloth, shape);
		for (uint32_t i = 0; i < 12; ++i)
			for (int cull = 0; cull < 2; ++cull)
			{
				ClothTimes t = TimeBvh(&cloth, sides[i % 4], arities[i / 4], cull ? bvhChart : bvhMorton, cull, tasks);
				fprintf(stderr, "%s k %u arity %u cull %d: charts %.3f build %.3f refit %.3f self %.3f pairs %u tests %llu\n",
				        shapeNames[shape], sides[i % 4], arities[i / 4], cull, t.charts, t.build, t.refit, t.self, t.pairs, (unsigned long long)t.tests);
			}
	}
	Cloth_Destroy(&cloth);
	TaskPool_Destroy(tasks);
	return result;
}

static void Print(const json_t* result)
{
	(void)result;
}

const Benchmark benchBroad = {"broad", "trees and grids over cloth and a body", Run, Print};
