// SPDX-License-Identifier: MIT
#include "bench.h"

#include "drape/render.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

// Frames per second at 1280x720, edges smoothed, of a waving cloth on a ground, beside a ball. All
// vertices change every frame, and with them everything that is sent to OpenGL; reading the picture back is not in it.

enum
{
	warmFrames = 5,
	timedFrames = 40,
};

typedef struct Wave
{
	uint32_t columns, rows;
	drapeClothView mesh;
	drapeVec4 *positions, *normals;
	uint32_t* triangles;
	drapeVec2* materials;
} Wave;

static double Seconds(void)
{
	struct timespec now;
	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static Wave CreateWave(uint32_t columns, uint32_t rows)
{
	Wave wave = {.columns = columns, .rows = rows};
	drapeMesh grid;
	Bench_Require(drapeMesh_CreateGrid(columns, rows, 2.0f, 2.0f, &grid, NULL) == drape_ok, "out of memory");
	wave.positions = malloc(grid.vertexCount * sizeof *wave.positions);
	wave.normals = malloc(grid.vertexCount * sizeof *wave.normals);
	wave.triangles = malloc(3 * (size_t)grid.triangleCount * sizeof *wave.triangles);
	wave.materials = malloc(3 * (size_t)grid.triangleCount * sizeof *wave.materials);
	Bench_Require(wave.positions && wave.normals && wave.triangles && wave.materials, "out of memory");
	for (uint32_t i = 0; i < grid.vertexCount; ++i)
		wave.positions[i] = (drapeVec4){grid.positions[i].x, 0.0f, grid.positions[i].z, 1.0f};
	for (size_t i = 0; i < 3 * (size_t)grid.triangleCount; ++i)
	{
		wave.triangles[i] = grid.triangles[i];
		wave.materials[i] = (drapeVec2){grid.positions[grid.triangles[i]].x, grid.positions[grid.triangles[i]].z};
	}
	wave.mesh = (drapeClothView){.particleCount = grid.vertexCount,
	                             .positions = wave.positions,
	                             .normals = wave.normals,
	                             .triangleCount = grid.triangleCount,
	                             .triangles = wave.triangles,
	                             .materials = wave.materials};
	drapeMesh_Free(&grid);
	return wave;
}

static void FreeWave(Wave* wave)
{
	free(wave->positions);
	free(wave->normals);
	free(wave->triangles);
	free(wave->materials);
}

// y = a sin(k x + t) cos(k z), with its normal.
static void MoveWave(Wave* wave, float time)
{
	const float a = 0.08f, k = 7.0f;
	for (uint32_t i = 0; i < wave->mesh.particleCount; ++i)
	{
		drapeVec4* p = &wave->positions[i];
		float sx = sinf(k * p->x + time), cx = cosf(k * p->x + time), sz = sinf(k * p->z), cz = cosf(k * p->z);
		drapeVec4 n = {-a * k * cx * cz, 1.0f, a * k * sx * sz, 0.0f};
		float length = sqrtf(n.x * n.x + 1.0f + n.z * n.z);
		p->y = 0.5f + a * sx * cz;
		wave->normals[i] = (drapeVec4){n.x / length, 1.0f / length, n.z / length, 0.0f};
	}
}

// Processor time of all threads, which other load on the machine hardly changes.
static double ProcessSeconds(void)
{
	struct timespec now;
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
	return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static BenchTimes TimeFrames(drapeRenderer* renderer, Wave* wave, bool shadows, double* processMs)
{
	drapeMaterial material = drapeDefaultMaterial();
	drapeDrawnCloth cloth = {.mesh = wave->mesh, .look = drapeDefaultLook(&material, 0)};
	drapeDrawnShape ball = {.def = {.shape = drape_shapeSphere, .radius = 0.3f},
	                        .transform = {.position = {0.0f, 0.3f, 0.0f}, .rotation = {0, 0, 0, 1}, .scale = 1.0f},
	                        .colour = {0.6f, 0.6f, 0.6f}};
	drapePicture picture = drapeDefaultPicture();
	picture.cloths = &cloth;
	picture.clothCount = 1;
	picture.shapes = &ball;
	picture.shapeCount = 1;
	picture.ground = true;
	picture.shadows = shadows;
	picture.bounds = (drapeBounds){{-1.0f, 0.0f, -1.0f}, {1.0f, 0.6f, 1.0f}};
	picture.camera = drapeCamera_Frame(picture.bounds, 1280.0f / 720.0f);
	double times[timedFrames], process[timedFrames];
	for (int i = 0; i < warmFrames + timedFrames; ++i)
	{
		MoveWave(wave, 0.1f * (float)i);
		double began = Seconds(), processBegan = ProcessSeconds();
		Bench_Require(drapeRenderer_Draw(renderer, &picture, NULL) == drape_ok, "a picture could not be drawn");
		drapeRenderer_Finish(renderer);
		if (i < warmFrames)
			continue;
		times[i - warmFrames] = Seconds() - began;
		process[i - warmFrames] = ProcessSeconds() - processBegan;
	}
	*processMs = 1e3 * Bench_Summarise(process, timedFrames).median;
	return Bench_Summarise(times, timedFrames);
}

static json_t* Run(const BenchOptions* options)
{
	(void)options;
	static const uint32_t sizes[2][2] = {{80, 50}, {100, 100}};
	drapeMessage error = {0};
	drapeOffscreen* offscreen;
	drapeCreateOffscreen(&offscreen, &error);
	Bench_Require(offscreen != NULL, error.text);
	drapeRenderer* renderer;
	drapeCreateRenderer(&renderer, &error);
	Bench_Require(renderer != NULL, error.text);
	json_t* cases = json_array();
	for (int i = 0; i < 4; ++i)
	{
		bool shadows = i % 2 == 0;
		Wave wave = CreateWave(sizes[i / 2][0], sizes[i / 2][1]);
		double processMs;
		BenchTimes times = TimeFrames(renderer, &wave, shadows, &processMs);
		json_array_append_new(cases,
		                      json_pack("{s:i, s:b, s:f, s:f, s:f, s:f}", "triangles", (int)wave.mesh.triangleCount,
		                                "shadows", (int)shadows, "fps", 1.0 / times.median, "fps_best",
		                                1.0 / times.minimum, "ms", 1e3 * times.median, "cpu_ms", processMs));
		FreeWave(&wave);
	}
	json_t* result = json_pack("{s:s, s:i, s:i, s:i, s:s, s:o}", "benchmark", "render", "width", 1280, "height", 720,
	                           "samples", 1, "renderer", drapeOffscreen_GetName(offscreen), "cases", cases);
	drapeDestroyRenderer(renderer);
	drapeDestroyOffscreen(offscreen);
	return result;
}

static void Print(const json_t* result)
{
	size_t i;
	json_t* row;
	printf("render: 1280x720, edges smoothed, %s\n\n", json_string_value(json_object_get(result, "renderer")));
	printf("triangles  shadows     fps    best     ms  cpu ms\n");
	json_array_foreach(json_object_get(result, "cases"), i, row)
		printf("%9d  %-7s  %6.1f  %6.1f  %5.1f  %6.1f\n", (int)json_integer_value(json_object_get(row, "triangles")),
	           json_is_true(json_object_get(row, "shadows")) ? "yes" : "no",
	           json_real_value(json_object_get(row, "fps")), json_real_value(json_object_get(row, "fps_best")),
	           json_real_value(json_object_get(row, "ms")), json_real_value(json_object_get(row, "cpu_ms")));
	printf("\nto reach with shadows: 25 fps with 8000 triangles, 15 with 20000\n");
}

const Benchmark benchRender = {"render", "frames per second of the renderer", false, Run, Print};
