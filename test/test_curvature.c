// SPDX-License-Identifier: MIT
#include "meshes.h"
#include "rig.h"

#include "model/curvature.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double pi = 3.14159265358979323846;

// --- sheets of every kind -------------------------------------------------------------------------------------------

typedef enum SheetKind
{
	sheetOneDiagonal,
	sheetAlternating,
	sheetJittered,
	sheetWild,     // jittered as far as it goes
	sheetDelaunay, // jittered vertices, edges flipped until all are Delaunay
	sheetFlipped,  // jittered, edges flipped at random
	sheetAdaptive, // a grid of half as many quads, refined at random
	sheetKindCount,
} SheetKind;

static const char* const sheetNames[] = {"one diagonal", "alternating", "jitter 0.2", "jitter 0.35",
                                         "Delaunay",     "flipped",     "adaptive"};

static float TwiceArea(const drapeMesh* mesh, uint32_t a, uint32_t b, uint32_t c)
{
	drapeVec3 p = mesh->positions[a], q = mesh->positions[b], r = mesh->positions[c];
	return (q.x - p.x) * (r.y - p.y) - (q.y - p.y) * (r.x - p.x);
}

// The lowest height of a triangle over its longest side.
static float Shape(const drapeMesh* mesh, uint32_t a, uint32_t b, uint32_t c)
{
	const uint32_t corner[3] = {a, b, c};
	float longest = 0.0f;
	for (int k = 0; k < 3; ++k)
	{
		drapeVec3 p = mesh->positions[corner[k]], q = mesh->positions[corner[(k + 1) % 3]];
		longest = fmaxf(longest, (q.x - p.x) * (q.x - p.x) + (q.y - p.y) * (q.y - p.y));
	}
	return TwiceArea(mesh, a, b, c) / longest;
}

static double Angle(const drapeMesh* mesh, uint32_t at, uint32_t a, uint32_t b)
{
	drapeVec3 o = mesh->positions[at], p = mesh->positions[a], q = mesh->positions[b];
	double x = (double)((p.x - o.x) * (q.x - o.x) + (p.y - o.y) * (q.y - o.y));
	return atan2((double)TwiceArea(mesh, at, a, b), x);
}

// Goes once over the sides of all triangles and flips the edges that `delaunay` or chance asks for. The number done.
static uint32_t FlipEdges(drapeMesh* mesh, bool delaunay, Random* random)
{
	uint32_t n = mesh->vertexCount, flips = 0, *triangles = TestMesh_Triangles(mesh);
	uint32_t* owner = malloc((size_t)n * n * sizeof *owner); // triangle of a directed edge
	assert_non_null(owner);
	memset(owner, 0xff, (size_t)n * n * sizeof *owner);
	for (uint32_t i = 0; i < 3 * mesh->triangleCount; ++i)
		owner[triangles[i] * n + triangles[i / 3 * 3 + (i + 1) % 3]] = i / 3;
	for (uint32_t i = 0; i < 3 * mesh->triangleCount; ++i)
	{
		uint32_t t = i / 3, a = triangles[i], b = triangles[3 * t + (i + 1) % 3], c = triangles[3 * t + (i + 2) % 3];
		uint32_t s = owner[b * n + a];
		if (s == DRAPE_NONE)
			continue;
		uint32_t d = triangles[3 * s] + triangles[3 * s + 1] + triangles[3 * s + 2] - a - b;
		bool wanted = delaunay ? Angle(mesh, c, a, b) + Angle(mesh, d, b, a) > pi + 1e-4 : Random_Float(random) < 0.2f;
		if (!wanted || Shape(mesh, a, d, c) < 0.25f || Shape(mesh, d, b, c) < 0.25f)
			continue;
		memcpy(triangles + 3 * t, (uint32_t[]){a, d, c}, 3 * sizeof(uint32_t));
		memcpy(triangles + 3 * s, (uint32_t[]){d, b, c}, 3 * sizeof(uint32_t));
		owner[a * n + d] = owner[d * n + c] = owner[c * n + a] = t;
		owner[d * n + b] = owner[b * n + c] = owner[c * n + d] = s;
		owner[a * n + b] = owner[b * n + a] = DRAPE_NONE;
		flips++;
	}
	free(owner);
	return flips;
}

static void AlignDiagonals(drapeMesh* mesh, uint32_t columns, uint32_t rows)
{
	uint32_t* out = TestMesh_Triangles(mesh);
	for (uint32_t i = 0; i < columns * rows; ++i, out += 6)
	{
		uint32_t a = i / columns * (columns + 1) + i % columns;
		memcpy(out, (uint32_t[]){a, a + 1, a + columns + 2, a, a + columns + 2, a + columns + 1}, 24);
	}
}

// 1 m x 1 m, about n x n quads.
static drapeMesh SheetMesh(SheetKind kind, uint32_t n, uint32_t seed)
{
	static const float jitter[] = {0.0f, 0.0f, 0.2f, 0.35f, 0.35f, 0.3f, 0.0f};
	uint32_t quads = kind == sheetAdaptive ? n / 2 : n;
	drapeMesh mesh = TestMesh_Grid(quads, quads, 1.0f, 1.0f, jitter[kind], seed);
	Random random = Random_Seed(seed, 7);
	if (kind == sheetOneDiagonal)
		AlignDiagonals(&mesh, n, n);
	if (kind == sheetFlipped)
		FlipEdges(&mesh, false, &random);
	while (kind == sheetDelaunay && FlipEdges(&mesh, true, NULL) > 0)
	{
	}
	return mesh;
}

typedef struct Bench
{
	Rig rig;
	Curvature curvature;
	Vec4* flat;     // [particles] as made; u is x and v is y
	Vec4* position; // [particles] to try
} Bench;

static drapeMaterial Isotropic(float rigidity)
{
	drapeMaterial material = drapeDefaultMaterial();
	material.bendWarp = material.bendWeft = rigidity;
	material.bendBias = material.curlWarp = material.curlWeft = 0.0f;
	return material;
}

static void Bench_KeepShape(Bench* bench)
{
	size_t size = bench->rig.active.particleCount * sizeof(Vec4);
	bench->flat = realloc(bench->flat, size);
	bench->position = realloc(bench->position, size);
	assert_true(bench->flat && bench->position);
	memcpy(bench->flat, bench->rig.active.position, size);
	memcpy(bench->position, bench->rig.active.position, size);
}

// In place: a rig's parts point to each other. Frees the mesh.
static void Bench_Create(Bench* bench, drapeMesh* mesh, const drapeMaterial* material)
{
	Rig_Create(&bench->rig, mesh);
	TestMesh_Free(mesh);
	bench->rig.active.revision = 1;
	Curvature_Init(&bench->curvature, material);
	assert_true(Curvature_Follow(&bench->curvature, &bench->rig.active));
	bench->flat = bench->position = NULL;
	Bench_KeepShape(bench);
}

static void Bench_Sheet(Bench* bench, SheetKind kind, uint32_t n, uint32_t seed, const drapeMaterial* material)
{
	drapeMesh mesh = SheetMesh(kind, n, seed);
	Bench_Create(bench, &mesh, material);
	Random random = Random_Seed(seed, 3);
	for (int pass = 0; pass < 3 && kind == sheetAdaptive; ++pass)
	{
		Rig_RandomPass(&bench->rig, &random, bench->rig.active.edgeCount / 4, 1.0f);
		assert_true(Curvature_Follow(&bench->curvature, &bench->rig.active));
	}
	Bench_KeepShape(bench);
}

static void Bench_Destroy(Bench* bench)
{
	free(bench->flat);
	free(bench->position);
	Curvature_Destroy(&bench->curvature);
	Rig_Destroy(&bench->rig);
}

// Rolled onto a cylinder so that it bends along the direction at `angle` to the warp.
static Vec3 Rolled(Vec3 flat, double radius, double angle)
{
	double along = (double)flat.x * cos(angle) + (double)flat.y * sin(angle);
	double across = (double)flat.y * cos(angle) - (double)flat.x * sin(angle);
	return (Vec3){(float)(radius * sin(along / radius)), (float)across, (float)(radius * (1.0 - cos(along / radius)))};
}

static void Roll(Bench* bench, double radius, double angle)
{
	for (uint32_t i = 0; i < bench->rig.active.particleCount; ++i)
	{
		Vec3 at = Rolled(V4Xyz(bench->flat[i]), radius, angle);
		bench->position[i] = (Vec4){at.x, at.y, at.z, 0.0f};
	}
}
