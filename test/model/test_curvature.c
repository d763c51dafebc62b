// SPDX-License-Identifier: MIT
#include "meshes.h"
#include "rig.h"

#include "model/curvature.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double pi = 3.14159265358979323846;
static TaskPool* tasks;

// --- sheets of every kind -------------------------------------------------------------------------------------------

typedef enum SheetKind
{
	sheetOneDiagonal,
	sheetAlternating,
	sheetJittered,
	sheetWild,     // jittered as far as no triangle turns over
	sheetDelaunay, // vertices moved about, edges flipped until all are Delaunay
	sheetFlipped,  // jittered, edges flipped at random
	sheetAdaptive, // a grid of half as many quads, refined at random
	sheetKindCount,
} SheetKind;

static const char* const sheetNames[] = {"one diagonal", "alternating", "jitter 0.15", "jitter 0.24",
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

// Moves inner vertices of a grid by up to 0.3 of a quad where all triangles keep their shape.
static void Wander(drapeMesh* mesh, uint32_t n, Random* random)
{
	for (uint32_t i = 0; i < mesh->vertexCount; ++i)
	{
		uint32_t column = i % (n + 1), row = i / (n + 1);
		if (column == 0 || row == 0 || column == n || row == n)
			continue;
		drapeVec3 *position = &TestMesh_Positions(mesh)[i], kept = *position;
		position->x += Random_Range(random, -0.3f, 0.3f) / (float)n;
		position->y += Random_Range(random, -0.3f, 0.3f) / (float)n;
		for (uint32_t t = 0; t < mesh->triangleCount; ++t)
		{
			const uint32_t* c = mesh->triangles + 3 * t;
			if ((c[0] == i || c[1] == i || c[2] == i) && Shape(mesh, c[0], c[1], c[2]) < 0.2f)
				*position = kept;
		}
	}
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
	static const float jitter[] = {0.0f, 0.0f, 0.15f, 0.24f, 0.24f, 0.24f, 0.0f};
	uint32_t quads = kind == sheetAdaptive ? n / 2 : n;
	drapeMesh mesh = TestMesh_Grid(quads, quads, 1.0f, 1.0f, jitter[kind], seed);
	Random random = Random_Seed(seed, 7);
	if (kind == sheetOneDiagonal)
		AlignDiagonals(&mesh, n, n);
	if (kind == sheetFlipped)
		FlipEdges(&mesh, false, &random);
	for (int round = 0; round < 4 && kind == sheetDelaunay; ++round)
	{
		Wander(&mesh, n, &random);
		while (FlipEdges(&mesh, true, NULL) > 0)
		{
		}
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
	drapeCurvature_Init(&bench->curvature, material);
	assert_true(drapeCurvature_Follow(&bench->curvature, &bench->rig.active, tasks));
	bench->flat = bench->position = NULL;
	Bench_KeepShape(bench);
}

static void Bench_RefineSome(Bench* bench, uint32_t seed)
{
	Random random = Random_Seed(seed, 3);
	for (int pass = 0; pass < 3; ++pass)
	{
		Rig_RandomPass(&bench->rig, &random, bench->rig.active.edgeCount / 4, 1.0f);
		assert_true(drapeCurvature_Follow(&bench->curvature, &bench->rig.active, tasks));
	}
	Bench_KeepShape(bench);
}

static void Bench_Sheet(Bench* bench, SheetKind kind, uint32_t n, uint32_t seed, const drapeMaterial* material)
{
	drapeMesh mesh = SheetMesh(kind, n, seed);
	Bench_Create(bench, &mesh, material);
	if (kind == sheetAdaptive)
		Bench_RefineSome(bench, seed);
}

static void Bench_Destroy(Bench* bench)
{
	free(bench->flat);
	free(bench->position);
	drapeCurvature_Destroy(&bench->curvature);
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

static double Energy(const Bench* bench)
{
	return drapeCurvature_Energy(&bench->curvature, bench->position);
}

// Of the constant Hessian and the rest curvature.
static void AddForces(const Bench* bench, Vec4* force)
{
	const Curvature* curvature = &bench->curvature;
	for (uint32_t t = 0; t < curvature->elements.count; ++t)
	{
		const CurvatureElement* element = &curvature->elements.data[t];
		float hessian[curvatureNodes][curvatureNodes];
		drapeCurvature_Hessian(element, &curvature->law, hessian);
		for (uint32_t i = 0; i < element->count * element->count; ++i)
		{
			Vec4 x = bench->position[element->node[i % element->count]];
			Vec4* f = &force[element->node[i / element->count]];
			float k = hessian[i / element->count][i % element->count];
			*f = (Vec4){f->x - k * x.x, f->y - k * x.y, f->z - k * x.z, 0.0f};
		}
	}
	drapeCurvature_AddRestForces(curvature, bench->position, force);
}

static Vec4* NewForces(const Bench* bench)
{
	Vec4* force = calloc(bench->rig.active.particleCount, sizeof *force);
	assert_non_null(force);
	return force;
}

static void Shake(Bench* bench, uint32_t seed, float amount)
{
	Random random = Random_Seed(seed, 11);
	for (uint32_t i = 0; i < bench->rig.active.particleCount; ++i)
	{
		bench->position[i].x += Random_Range(&random, -amount, amount);
		bench->position[i].y += Random_Range(&random, -amount, amount);
		bench->position[i].z += Random_Range(&random, -amount, amount);
	}
}

static Vec3 Turned(Vec3 a)
{
	// About (1, 2, 2) / 3 by 90 degrees, and away.
	const Vec3 axis = {1.0f / 3.0f, 2.0f / 3.0f, 2.0f / 3.0f};
	Vec3 turned = V3Add(V3Scale(V3Dot(axis, a), axis), V3Cross(axis, a));
	return V3Add(turned, (Vec3){2.0f, -1.0f, 0.5f});
}

static Vec3 Sum(const Bench* bench, int component)
{
	const CurvatureElement* element = bench->curvature.elements.data;
	Vec3 sum = {0.0f, 0.0f, 0.0f};
	for (uint32_t i = 0; i < element->count; ++i)
		sum = V3Add(sum, V3Scale(element->weight[component][i], V4Xyz(bench->position[element->node[i]])));
	return sum;
}

// --- exactness ------------------------------------------------------------------------------------------------------

static void TheBiasRigidityIsMetAtFortyFiveDegrees(void** state)
{
	(void)state;
	drapeMaterial material = Isotropic(1.0f);
	material.bendWarp = 4.0f;
	material.bendWeft = 1.0f;
	assert_float_equal(drapeBendLaw_Of(&material).twist, 2.0f, 1e-6f);
	material.bendBias = 3.0f;
	BendLaw law = drapeBendLaw_Of(&material);
	assert_float_equal(law.twist, 3.5f, 1e-6f);
	assert_float_equal(0.25f * (law.warp + law.weft + 2.0f * law.twist), material.bendBias, 1e-6f);
}

// Where the fit is complete, every triangle sees the same second derivatives. Those that are not, of which only the
// flattest jitter and random refinement have a few, see less, never more.
static void QuadraticSurfacesAreExact(void** state)
{
	(void)state;
	drapeMaterial material = Isotropic(1.0f);
	const double uu = 1.3, vv = -0.7, uv = 0.4, norm = uu * uu + vv * vv + 2.0 * uv * uv;
	for (int kind = 0; kind < sheetKindCount; ++kind)
	{
		Bench bench;
		Bench_Sheet(&bench, (SheetKind)kind, 16, 3, &material);
		for (uint32_t i = 0; i < bench.rig.active.particleCount; ++i)
		{
			double x = (double)bench.flat[i].x, y = (double)bench.flat[i].y;
			bench.position[i].z = (float)(0.5 * uu * x * x + 0.5 * vv * y * y + uv * x * y);
		}
		uint32_t exact = 0, count = bench.curvature.elements.count;
		for (uint32_t t = 0; t < count; ++t)
		{
			const CurvatureElement* element = &bench.curvature.elements.data[t];
			double seen[3] = {0.0};
			for (int i = 0; i < 3 * curvatureNodes; ++i)
				seen[i / curvatureNodes] += (double)element->weight[i / curvatureNodes][i % curvatureNodes] *
				                            (double)bench.position[element->node[i % curvatureNodes]].z;
			exact += fabs(seen[0] - uu) < 2e-3 && fabs(seen[1] - vv) < 2e-3 && fabs(seen[2] - uv) < 2e-3;
			assert_true(seen[0] * seen[0] + seen[1] * seen[1] + 2.0 * seen[2] * seen[2] < 1.01 * norm);
		}
		print_message("%-13s %u of %u triangles exact\n", sheetNames[kind], exact, count);
		assert_true(kind > sheetJittered || exact == count);
		assert_true((double)exact > 0.95 * count);
		Bench_Destroy(&bench);
	}
}

static void FlatSheetsHaveNoEnergyAndNoForceHoweverTheyLie(void** state)
{
	(void)state;
	drapeMaterial material = Isotropic(1.0f);
	for (int kind = 0; kind < sheetKindCount; ++kind)
	{
		Bench bench;
		Bench_Sheet(&bench, (SheetKind)kind, 12, 4, &material);
		for (uint32_t i = 0; i < bench.rig.active.particleCount; ++i)
		{
			Vec3 at = Turned(V4Xyz(bench.flat[i]));
			bench.position[i] = (Vec4){at.x, at.y, at.z, 0.0f};
		}
		// A bend of radius 1 m has half a joule.
		assert_true(Energy(&bench) < 1e-5);
		Vec4* force = NewForces(&bench);
		AddForces(&bench, force);
		float* hardest = calloc(bench.rig.active.particleCount, sizeof *hardest);
		assert_non_null(hardest);
		for (uint32_t t = 0; t < bench.curvature.elements.count; ++t)
		{
			const CurvatureElement* element = &bench.curvature.elements.data[t];
			float hessian[curvatureNodes][curvatureNodes];
			drapeCurvature_Hessian(element, &bench.curvature.law, hessian);
			for (uint32_t i = 0; i < element->count; ++i)
				hardest[element->node[i]] += hessian[i][i];
		}
		// Only rounding of positions of 3 m, in proportion to the stiffness.
		for (uint32_t i = 0; i < bench.rig.active.particleCount; ++i)
			assert_true(V3Length(V4Xyz(force[i])) < 1e-5f * hardest[i]);
		free(hardest);
		free(force);
		Bench_Destroy(&bench);
	}
}

// --- cylinders ------------------------------------------------------------------------------------------------------

static const double directions[] = {0.0, 15.0, 22.5, 45.0, 67.5, 90.0};

enum
{
	directionCount = 6
};

static void CylindersHaveTheEnergyOfTheirCurvatureInEveryDirection(void** state)
{
	(void)state;
	drapeMaterial material = Isotropic(1e-5f);
	static const double bends[] = {0.05, 0.1, 0.3};
	for (int i = 0; i < 3 * sheetKindCount; ++i)
	{
		Bench bench;
		Bench_Sheet(&bench, (SheetKind)(i / 3), 32, 5, &material);
		double radius = 1.0 / (32.0 * bends[i % 3]), expected = 0.5e-5 / (radius * radius);
		print_message("%-13s h/R %.2f, expected %.3e J, measured", sheetNames[i / 3], bends[i % 3], expected);
		for (int d = 0; d < directionCount; ++d)
		{
			Roll(&bench, radius, directions[d] * pi / 180.0);
			double energy = Energy(&bench);
			print_message(" %.3e (%+.2f %%)", energy, 100.0 * (energy / expected - 1.0));
			assert_true(fabs(energy / expected - 1.0) < 0.02);
		}
		print_message("\n");
		Bench_Destroy(&bench);
	}
}

static void FinerMeshesAreCloser(void** state)
{
	(void)state;
	drapeMaterial material = Isotropic(1.0f);
	const double radius = 0.25, expected = 0.5 / (radius * radius);
	for (int kind = 0; kind < sheetKindCount; ++kind)
	{
		double error[3];
		for (uint32_t i = 0; i < 3; ++i)
		{
			Bench bench;
			Bench_Sheet(&bench, (SheetKind)kind, 8u << i, 5, &material);
			Roll(&bench, radius, pi / 8.0);
			error[i] = fabs(Energy(&bench) / expected - 1.0);
			Bench_Destroy(&bench);
		}
		print_message("%-13s error at n = 8, 16, 32: %.4f %.4f %.4f\n", sheetNames[kind], error[0], error[1], error[2]);
		assert_true(error[2] < 0.5 * error[0] && error[2] < 0.01);
	}
}

static void OrthotropicRigidityTurnsWithTheDirection(void** state)
{
	(void)state;
	drapeMaterial material = Isotropic(1.0f);
	material.bendWarp = 4.0f;
	material.bendWeft = 0.5f;
	material.bendBias = 2.5f;
	for (int kind = 0; kind < sheetKindCount; ++kind)
	{
		Bench bench;
		Bench_Sheet(&bench, (SheetKind)kind, 32, 6, &material);
		print_message("%-13s rigidity over expected:", sheetNames[kind]);
		for (int d = 0; d < directionCount; ++d)
		{
			double c = cos(directions[d] * pi / 180.0), s = sin(directions[d] * pi / 180.0);
			double twist = (double)drapeBendLaw_Of(&material).twist;
			double expected = 4.0 * c * c * c * c + 0.5 * s * s * s * s + 2.0 * twist * c * c * s * s;
			Roll(&bench, 0.5, directions[d] * pi / 180.0);
			double rigidity = 2.0 * Energy(&bench) * 0.25;
			print_message(" %.4f", rigidity / expected);
			assert_true(fabs(rigidity / expected - 1.0) < 0.02);
			if (directions[d] == 45.0)
				assert_true(fabs(expected - 2.5) < 1e-6);
		}
		print_message("\n");
		Bench_Destroy(&bench);
	}
}

// Material coordinates of the right half turned and shifted against the left, warp and weft changed alike.
static void SeamsCarryBendingAsIfThereWereNone(void** state)
{
	(void)state;
	drapeMaterial material = Isotropic(1.0f);
	drapeMesh mesh = TestMesh_Grid(16, 16, 1.0f, 1.0f, 0.25f, 9);
	Vec2* corner = malloc(3 * (size_t)mesh.triangleCount * sizeof *corner);
	assert_non_null(corner);
	const float c = cosf(0.7f), s = sinf(0.7f);
	for (uint32_t i = 0; i < 3 * mesh.triangleCount; ++i)
	{
		drapeVec3 p = mesh.positions[mesh.triangles[i]];
		bool right = i / 6 % 16 >= 8;
		corner[i] = right ? (Vec2){c * p.x - s * p.y + 5.0f, s * p.x + c * p.y - 3.0f} : (Vec2){p.x, p.y};
	}
	Bench bench;
	Bench_Create(&bench, &mesh, &material);
	double whole[directionCount];
	for (int d = 0; d < directionCount; ++d)
	{
		Roll(&bench, 0.3, directions[d] * pi / 180.0);
		whole[d] = Energy(&bench);
	}
	memcpy(bench.rig.active.material, corner, 3 * (size_t)bench.rig.active.triangleCount * sizeof *corner);
	bench.curvature.revision = 0;
	assert_true(drapeCurvature_Follow(&bench.curvature, &bench.rig.active, tasks));
	for (int d = 0; d < directionCount; ++d)
	{
		Roll(&bench, 0.3, directions[d] * pi / 180.0);
		print_message("one piece %.6f, two pieces %.6f\n", whole[d], Energy(&bench));
		assert_true(fabs(Energy(&bench) / whole[d] - 1.0) < 1e-4);
	}
	free(corner);
	Bench_Destroy(&bench);
}

// --- sheets that may settle -----------------------------------------------------------------------------------------

// Heights of the particles are the unknowns.
typedef struct Heights
{
	double *z, *force, *direction, *product; // [particles]
	bool* isFixed;
	uint32_t count;
	const double* load; // [particles] N; NULL for none
} Heights;

// The Hessian of bending times `z`.
static void Multiply(const Bench* bench, const double* z, double* result)
{
	const BendLaw* bend = &bench->curvature.law;
	const double law[3] = {(double)bend->warp, (double)bend->weft, 2.0 * (double)bend->twist};
	memset(result, 0, bench->rig.active.particleCount * sizeof *result);
	for (uint32_t t = 0; t < bench->curvature.elements.count; ++t)
	{
		const CurvatureElement* element = &bench->curvature.elements.data[t];
		for (int c = 0; c < 3; ++c)
		{
			double moment = 0.0;
			for (uint32_t i = 0; i < element->count; ++i)
				moment += (double)element->weight[c][i] * z[element->node[i]];
			moment *= (double)element->area * law[c];
			for (uint32_t i = 0; i < element->count; ++i)
				result[element->node[i]] += (double)element->weight[c][i] * moment;
		}
	}
}

static double DotFree(const Heights* heights, const double* a, const double* b)
{
	double sum = 0.0;
	for (uint32_t i = 0; i < heights->count; ++i)
		sum += heights->isFixed[i] ? 0.0 : a[i] * b[i];
	return sum;
}

static double HeightEnergy(const Bench* bench, Heights* heights)
{
	double energy = 0.0;
	Multiply(bench, heights->z, heights->product);
	for (uint32_t i = 0; i < heights->count; ++i)
		energy += 0.5 * heights->z[i] * heights->product[i];
	return energy;
}

// Conjugate gradients.
static void Settle(const Bench* bench, Heights* heights)
{
	Multiply(bench, heights->z, heights->product);
	for (uint32_t i = 0; i < heights->count; ++i)
	{
		double load = heights->load ? heights->load[i] : 0.0;
		heights->force[i] = heights->direction[i] = heights->isFixed[i] ? 0.0 : load - heights->product[i];
	}
	double squared = DotFree(heights, heights->force, heights->force), first = squared;
	for (int round = 0; round < 2000 && squared > 1e-12 * first && squared > 1e-16; ++round)
	{
		Multiply(bench, heights->direction, heights->product);
		double step = squared / DotFree(heights, heights->direction, heights->product);
		for (uint32_t i = 0; i < heights->count; ++i)
		{
			heights->z[i] += heights->isFixed[i] ? 0.0 : step * heights->direction[i];
			heights->force[i] -= heights->isFixed[i] ? 0.0 : step * heights->product[i];
		}
		double next = DotFree(heights, heights->force, heights->force);
		for (uint32_t i = 0; i < heights->count; ++i)
			heights->direction[i] = heights->force[i] + next / squared * heights->direction[i];
		squared = next;
	}
}

// The rigidity that the inner part has when the particles near the edges are held on a quadratic surface, over what it
// should be.
static double RelaxedRigidity(const Bench* bench, const double bend[3], double margin)
{
	uint32_t count = bench->rig.active.particleCount;
	double* buffer = calloc(4 * (size_t)count, sizeof *buffer);
	bool* isFixed = calloc(count, sizeof *isFixed);
	assert_true(buffer && isFixed);
	Heights heights = {buffer, buffer + count, buffer + 2 * count, buffer + 3 * count, isFixed, count, NULL};
	for (uint32_t i = 0; i < count; ++i)
	{
		double x = (double)bench->flat[i].x, y = (double)bench->flat[i].y;
		heights.z[i] = 0.5 * bend[0] * x * x + 0.5 * bend[1] * y * y + bend[2] * x * y;
		isFixed[i] = fmin(fmin(x, 1.0 - x), fmin(y, 1.0 - y)) < margin;
	}
	Settle(bench, &heights);
	double expected = 0.5 * (bend[0] * bend[0] + bend[1] * bend[1] + 2.0 * bend[2] * bend[2]);
	double inner = (1.0 - 2.0 * margin) * (1.0 - 2.0 * margin);
	double lost = (1.0 - HeightEnergy(bench, &heights) / expected) / inner;
	free(isFixed);
	free(buffer);
	return 1.0 - lost;
}

// Bent along warp, weft and bias, as a sphere and as a saddle. Uniform curvature has the least energy there is, so none
// of it may be lost.
static void SheetsThatSettleKeepTheirRigidity(void** state)
{
	(void)state;
	drapeMaterial material = Isotropic(1.0f);
	static const double bends[][3] = {{1, 0, 0}, {0, 1, 0}, {0.5, 0.5, 0.5}, {1, 1, 0}, {0, 0, 1}};
	for (int kind = 0; kind < sheetKindCount; ++kind)
	{
		for (uint32_t seed = 5; seed < 8; ++seed)
		{
			Bench bench;
			Bench_Sheet(&bench, (SheetKind)kind, 16, seed, &material);
			print_message("%-13s rigidity over expected:", sheetNames[kind]);
			for (int i = 0; i < 5; ++i)
			{
				double rigidity = RelaxedRigidity(&bench, bends[i], 2.1 / 16.0);
				print_message(" %.4f", rigidity);
				assert_true(fabs(rigidity - 1.0) < 0.03);
			}
			print_message("\n");
			Bench_Destroy(&bench);
		}
	}
}

// --- clamps ---------------------------------------------------------------------------------------------------------

static void SetPinned(Bench* bench, uint32_t particle, bool isPinned)
{
	ActiveMesh* mesh = &bench->rig.active;
	mesh->particleFlags[particle] = isPinned ? drape_particlePinned : 0;
	mesh->pinRevision++;
}

// Everything on the left of x = 0.5 is pinned, and vertices of the mesh are on that line.
static void Bench_Clamped(Bench* bench, SheetKind kind, const drapeMaterial* material)
{
	const uint32_t n = 16, columns = kind == sheetAdaptive ? n / 2 : n;
	drapeMesh mesh = SheetMesh(kind, n, 3);
	for (uint32_t i = columns / 2; i < mesh.vertexCount; i += columns + 1)
		TestMesh_Positions(&mesh)[i].x = 0.5f;
	Bench_Create(bench, &mesh, material);
	if (kind == sheetAdaptive)
		Bench_RefineSome(bench, 3);
	for (uint32_t i = 0; i < bench->rig.active.particleCount; ++i)
		SetPinned(bench, i, bench->flat[i].x < 0.501f);
	assert_true(drapeCurvature_Follow(&bench->curvature, &bench->rig.active, tasks));
}

// Flat in the clamp, and bent from its edge on. Every triangle beside it sees that curvature, so that the clamp acts in
// its edge and not behind it, and no particle wants to move but near the edges of the sheet.
static void CurvatureIsExactUpToTheClamp(void** state)
{
	(void)state;
	drapeMaterial material = Isotropic(1.0f);
	const SheetKind kinds[] = {sheetOneDiagonal, sheetAlternating, sheetJittered, sheetAdaptive};
	for (int k = 0; k < 4; ++k)
	{
		Bench bench;
		Bench_Clamped(&bench, kinds[k], &material);
		uint32_t count = bench.rig.active.particleCount;
		for (uint32_t i = 0; i < count; ++i)
		{
			double out = fmax(0.0, (double)bench.flat[i].x - 0.5);
			bench.position[i].z = (float)(0.5 * out * out);
		}
		double energy = Energy(&bench), expected = 0.5 * 0.5;
		print_message("%-13s energy over expected: %.5f\n", sheetNames[kinds[k]], energy / expected);
		assert_true(fabs(energy / expected - 1.0) < (kinds[k] == sheetAdaptive ? 0.01 : 1e-3));
		Vec4* force = NewForces(&bench);
		AddForces(&bench, force);
		for (uint32_t i = 0; i < count && kinds[k] != sheetAdaptive; ++i)
		{
			Vec4 at = bench.flat[i];
			bool isInner = at.x > 0.501f && fmaxf(at.x, fmaxf(at.y, 1.0f - at.y)) < 0.8f;
			assert_true(!isInner || fabsf(force[i].z) < 2e-3f);
		}
		free(force);
		Bench_Destroy(&bench);
	}
}

// Pins that hold the sheet on a parabola: what is free goes on as if all were free. Where refinement is random, some
// fits beside the clamp make the most of its plane.
static void ClampsMayBeCurved(void** state)
{
	(void)state;
	drapeMaterial material = Isotropic(1.0f);
	const SheetKind kinds[] = {sheetOneDiagonal, sheetAlternating, sheetJittered, sheetAdaptive};
	for (int k = 0; k < 4; ++k)
	{
		Bench bench;
		Bench_Clamped(&bench, kinds[k], &material);
		for (uint32_t i = 0; i < bench.rig.active.particleCount; ++i)
			bench.position[i].z = 0.5f * bench.flat[i].x * bench.flat[i].x;
		double energy = Energy(&bench), expected = 0.5 * 0.5;
		print_message("%-13s energy over expected: %.5f\n", sheetNames[kinds[k]], energy / expected);
		assert_true(fabs(energy / expected - 1.0) < (kinds[k] == sheetAdaptive ? 0.05 : 2e-3));
		Bench_Destroy(&bench);
	}
}

// The mean sag under 1 N/m^2 of a plate of 1 N m that is clamped up to x = 0.125 along one side.
static double PlateSag(SheetKind kind, uint32_t n)
{
	drapeMaterial material = Isotropic(1.0f);
	Bench bench;
	Bench_Sheet(&bench, kind, n, 3, &material);
	const ActiveMesh* mesh = &bench.rig.active;
	uint32_t count = mesh->particleCount;
	double *buffer = calloc(5 * (size_t)count, sizeof *buffer), *load = buffer + 4 * count, sag = 0.0;
	bool* isFixed = calloc(count, sizeof *isFixed);
	assert_true(buffer && isFixed);
	for (uint32_t i = 0; i < count; ++i)
	{
		isFixed[i] = bench.flat[i].x < 0.126f;
		SetPinned(&bench, i, isFixed[i]);
		load[i] = (double)mesh->share[i] * mesh->areaUnit;
	}
	assert_true(drapeCurvature_Follow(&bench.curvature, mesh, tasks));
	Heights heights = {buffer, buffer + count, buffer + 2 * count, buffer + 3 * count, isFixed, count, load};
	Settle(&bench, &heights);
	for (uint32_t i = 0; i < count; ++i)
		sag += load[i] * heights.z[i];
	free(isFixed);
	free(buffer);
	Bench_Destroy(&bench);
	return sag;
}

// Without Poisson's ratio the plate is a beam, whose sag is q l^5 / 20 D. A clamp that acted a part of a quad off its
// edge would leave the first order.
static void AClampedPlateConvergesToTheBeamWithSecondOrder(void** state)
{
	(void)state;
	const double expected = pow(0.875, 5.0) / 20.0;
	for (int kind = sheetOneDiagonal; kind <= sheetAlternating; ++kind)
	{
		double error[3];
		for (int i = 0; i < 3; ++i)
			error[i] = PlateSag((SheetKind)kind, 8u << i) / expected - 1.0;
		double order = log2(error[1] / error[2]);
		print_message("%-13s sag is off by %.5f, %.5f, %.5f at n = 8, 16, 32: order %.2f\n", sheetNames[kind], error[0],
		              error[1], error[2], order);
		assert_true(fabs(order - 2.0) < 0.2 && fabs(log2(error[0] / error[1]) - 2.0) < 0.2);
	}
}

static void RigidTrianglesHaveNoEnergyHoweverTheyLie(void** state)
{
	(void)state;
	drapeMaterial material = Isotropic(1.0f);
	material.curlWarp = 3.0f;
	Bench bench;
	Bench_Sheet(&bench, sheetJittered, 8, 3, &material);
	for (uint32_t i = 0; i < bench.rig.active.particleCount; ++i)
		SetPinned(&bench, i, true);
	Shake(&bench, 1, 0.1f);
	assert_true(Energy(&bench) > 1.0);
	assert_true(drapeCurvature_Follow(&bench.curvature, &bench.rig.active, tasks));
	assert_true(Energy(&bench) == 0.0);
	Bench_Destroy(&bench);
}

// --- derivatives and invariants -------------------------------------------------------------------------------------

static drapeMaterial Curled(void)
{
	drapeMaterial material = Isotropic(1.0f);
	material.bendWarp = 3.0f;
	material.bendBias = 1.7f;
	material.curlWarp = 4.0f;
	material.curlWeft = -2.0f;
	return material;
}

// Central differences of the energy, which is in double of float positions.
static void ForcesAreTheGradientOfTheEnergy(void** state)
{
	(void)state;
	for (int curl = 0; curl < 2; ++curl)
	{
		drapeMaterial material = curl ? Curled() : Isotropic(1.0f);
		Bench bench;
		Bench_Sheet(&bench, sheetFlipped, 4, 2, &material);
		Roll(&bench, 0.5, 0.4);
		Shake(&bench, 5, 0.03f);
		Vec4* force = NewForces(&bench);
		AddForces(&bench, force);
		for (uint32_t i = 0; i < 3 * bench.rig.active.particleCount; ++i)
		{
			float* x = &bench.position[i / 3].x + i % 3;
			const float* f = &force[i / 3].x + i % 3;
			float kept = *x;
			*x = kept + 0x1p-10f;
			double up = Energy(&bench), high = (double)*x;
			*x = kept - 0x1p-10f;
			double down = Energy(&bench), low = (double)*x;
			*x = kept;
			double slope = (up - down) / (high - low);
			assert_true(fabs(slope + (double)*f) < 1e-3 * (fabs(slope) + 10.0));
		}
		free(force);
		Bench_Destroy(&bench);
	}
}

static void ThereIsNoNetForceAndNoNetTorque(void** state)
{
	(void)state;
	for (int i = 0; i < 2 * sheetKindCount; ++i)
	{
		drapeMaterial material = i % 2 ? Curled() : Isotropic(1.0f);
		Bench bench;
		Bench_Sheet(&bench, (SheetKind)(i / 2), 8, 2, &material);
		Roll(&bench, 0.5, 0.4);
		Shake(&bench, 6, 0.01f);
		Vec4* force = NewForces(&bench);
		AddForces(&bench, force);
		Vec3 sum = {0.0f, 0.0f, 0.0f}, torque = {0.0f, 0.0f, 0.0f};
		float size = 0.0f;
		for (uint32_t p = 0; p < bench.rig.active.particleCount; ++p)
		{
			sum = V3Add(sum, V4Xyz(force[p]));
			torque = V3Add(torque, V3Cross(V4Xyz(bench.position[p]), V4Xyz(force[p])));
			size += V3Length(V4Xyz(force[p]));
		}
		assert_true(size > 0.0f);
		assert_true(V3Length(sum) < 1e-5f * size && V3Length(torque) < 1e-5f * size);
		free(force);
		Bench_Destroy(&bench);
	}
}

static void WithoutCurlThereAreNoRestForces(void** state)
{
	(void)state;
	drapeMaterial material = Isotropic(1.0f);
	Bench bench;
	Bench_Sheet(&bench, sheetJittered, 4, 2, &material);
	Shake(&bench, 6, 0.1f);
	Vec4* force = NewForces(&bench);
	drapeCurvature_AddRestForces(&bench.curvature, bench.position, force);
	for (uint32_t i = 0; i < bench.rig.active.particleCount; ++i)
		assert_true(force[i].x == 0.0f && force[i].y == 0.0f && force[i].z == 0.0f);
	Bench_Destroy(&bench);
	free(force);
}

static void ACurledStripHasItsLeastEnergyAtItsOwnCurvature(void** state)
{
	(void)state;
	drapeMaterial material = Isotropic(1.0f);
	material.curlWarp = 5.0f;
	drapeMesh mesh = TestMesh_Grid(64, 4, 1.0f, 0.0625f, 0.1f, 3);
	Bench bench;
	Bench_Create(&bench, &mesh, &material);
	double least = (double)INFINITY, at = 0.0, flat = Energy(&bench);
	for (double curvature = 3.0; curvature < 7.0; curvature += 0.125)
	{
		Roll(&bench, 1.0 / curvature, 0.0);
		if (Energy(&bench) < least)
		{
			least = Energy(&bench);
			at = curvature;
		}
	}
	Roll(&bench, -0.2, 0.0);
	double against = Energy(&bench);
	print_message("least energy %.2e J at %.3f 1/m; flat %.4f, other way %.4f\n", least, at, flat, against);
	assert_true(fabs(at - 5.0) < 0.13 && least < 0.01 * flat);
	assert_true(fabs(flat / (0.5 * 25.0 * 0.0625) - 1.0) < 1e-3 && fabs(against / flat - 4.0) < 0.1);
	Bench_Destroy(&bench);
}

// --- edges and corners ----------------------------------------------------------------------------------------------

static void ARibbonOfOneQuadResistsBendingAlongIt(void** state)
{
	(void)state;
	drapeMaterial material = Isotropic(1.0f);
	for (int aligned = 0; aligned < 2; ++aligned)
	{
		drapeMesh mesh = TestMesh_Grid(32, 1, 1.0f, 1.0f / 32.0f, 0.0f, 1);
		if (aligned)
			AlignDiagonals(&mesh, 32, 1);
		Bench bench;
		Bench_Create(&bench, &mesh, &material);
		Roll(&bench, 0.25, 0.0);
		double expected = 0.5 * 16.0 / 32.0;
		print_message("ribbon: expected %.4f J, measured %.4f J\n", expected, Energy(&bench));
		assert_true(Energy(&bench) > 0.7 * expected && Energy(&bench) < 1.05 * expected);
		Bench_Destroy(&bench);
	}
}

// Lifted by one metre, each for itself.
static void NoParticleMovesFreely(void** state)
{
	(void)state;
	drapeMaterial material = Isotropic(1.0f);
	for (int kind = 0; kind < sheetKindCount; ++kind)
	{
		Bench bench;
		Bench_Sheet(&bench, (SheetKind)kind, 16, 8, &material);
		uint32_t count = bench.rig.active.particleCount;
		float* stiffness = calloc(count, sizeof *stiffness);
		assert_non_null(stiffness);
		for (uint32_t t = 0; t < bench.curvature.elements.count; ++t)
		{
			const CurvatureElement* element = &bench.curvature.elements.data[t];
			float hessian[curvatureNodes][curvatureNodes];
			drapeCurvature_Hessian(element, &bench.curvature.law, hessian);
			for (uint32_t i = 0; i < element->count; ++i)
				stiffness[element->node[i]] += hessian[i][i];
		}
		float least = INFINITY;
		for (uint32_t i = 0; i < count; ++i)
			least = fminf(least, stiffness[i] * (kind == sheetAdaptive ? 1.0f / 64.0f : 1.0f / 256.0f));
		print_message("%-13s least stiffness of a particle %.2f B / h^2\n", sheetNames[kind], (double)least);
		assert_true(least > 0.5f);
		free(stiffness);
		Bench_Destroy(&bench);
	}
}

// Two triangles, and three in a row: all that hangs on one edge.
static void ACornerThatHangsOnOneEdgeDoesNotFlap(void** state)
{
	(void)state;
	drapeMaterial material = Isotropic(1.0f);
	const drapeVec3 positions[] = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0}, {2, 1, 0}};
	const uint32_t triangles[] = {0, 1, 3, 1, 2, 3, 1, 4, 2};
	for (uint32_t count = 2; count <= 3; ++count)
	{
		drapeMesh mesh = TestMesh_FromArrays(positions, 2 + count, triangles, count);
		Bench bench;
		Bench_Create(&bench, &mesh, &material);
		bench.position[0].z += 0.1f;
		// A fold of the unit square by its diagonal, r = 0.1, has x_uv = r when the rest is as small as can be.
		print_message("flap of %u triangles: %.4f J\n", count, Energy(&bench));
		assert_true(Energy(&bench) > 0.5 * 2.0 * 0.01 * 0.5);
		Bench_Destroy(&bench);
	}
}

static void ALoneTriangleHasNoBending(void** state)
{
	(void)state;
	drapeMaterial material = Isotropic(1.0f);
	const drapeVec3 positions[] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}};
	drapeMesh mesh = TestMesh_FromArrays(positions, 3, (const uint32_t[]){0, 1, 2}, 1);
	Bench bench;
	Bench_Create(&bench, &mesh, &material);
	Shake(&bench, 1, 0.2f);
	assert_true(Energy(&bench) == 0.0);
	for (int c = 0; c < 3; ++c)
		assert_true(V3Length(Sum(&bench, c)) == 0.0f);
	Bench_Destroy(&bench);
}

static void CheckElement(const CurvatureElement* element, const uint32_t corners[3])
{
	assert_in_range(element->count, 3, curvatureNodes);
	assert_memory_equal(element->node, corners, 3 * sizeof(uint32_t));
	for (uint32_t i = 0; i < element->count; ++i)
	{
		for (uint32_t k = 0; k < i; ++k)
			assert_int_not_equal(element->node[i], element->node[k]);
	}
	for (int c = 0; c < 3; ++c)
	{
		double sum = 0.0, size = 0.0;
		for (uint32_t i = 0; i < element->count; ++i)
		{
			sum += (double)element->weight[c][i];
			size += fabs((double)element->weight[c][i]);
		}
		assert_true(fabs(sum) <= 1e-7 * size);
		for (uint32_t i = element->count; i < curvatureNodes; ++i)
			assert_true(element->weight[c][i] == 0.0f && element->node[i] == corners[0]);
	}
}

static void ElementsNameEachParticleOnceAndWeightsAddUpToZero(void** state)
{
	(void)state;
	drapeMaterial material = Curled();
	for (int index = 0; index < rigMeshCount; ++index)
	{
		drapeMesh mesh = Rig_Mesh(index);
		Bench bench;
		Bench_Create(&bench, &mesh, &material);
		Random random = Random_Seed((uint64_t)index, 5);
		for (int pass = 0; pass < 10; ++pass)
		{
			const ActiveMesh* active = &bench.rig.active;
			for (uint32_t t = 0; t < active->triangleCount; ++t)
				CheckElement(&bench.curvature.elements.data[t], active->triangle[t]);
			Rig_RandomPass(&bench.rig, &random, 20, 0.8f);
			assert_true(drapeCurvature_Follow(&bench.curvature, active, tasks));
		}
		Bench_Destroy(&bench);
	}
}

// Material coordinates such as 1/3 are not exact, and the weights of the particles beyond are rounding.
static void RegularGridsNeedOnlySixNodes(void** state)
{
	(void)state;
	drapeMaterial material = Isotropic(1.0f);
	for (uint32_t n = 9; n < 100; n += 45)
	{
		drapeMesh mesh = TestMesh_Grid(n, n, 1.0f, 1.0f, 0.0f, 1);
		AlignDiagonals(&mesh, n, n);
		Bench bench;
		Bench_Create(&bench, &mesh, &material);
		for (uint32_t t = 0; t < bench.curvature.elements.count; ++t)
			assert_in_range(bench.curvature.elements.data[t].count, 5, curvatureFitNodes);
		Bench_Destroy(&bench);
	}
}

// Curved as they were made, with rest shapes laid flat triangle by triangle: finite, and nothing but rounding when
// moved. An octahedron has vertices of valence four, a closed fan of three one of valence three.
static void ClosedAndCrookedMeshesWork(void** state)
{
	(void)state;
	drapeMaterial material = Curled();
	for (int index = 0; index < rigMeshCount; ++index)
	{
		drapeMesh mesh = Rig_Mesh(index);
		Bench bench;
		Bench_Create(&bench, &mesh, &material);
		double before = Energy(&bench);
		for (uint32_t i = 0; i < bench.rig.active.particleCount; ++i)
		{
			Vec3 at = Turned(V4Xyz(bench.flat[i]));
			bench.position[i] = (Vec4){at.x, at.y, at.z, 0.0f};
		}
		assert_true(isfinite(before) && fabs(Energy(&bench) - before) < 1e-4 * before);
		Bench_Destroy(&bench);
	}
}

static void ASphereBendsBothWays(void** state)
{
	(void)state;
	drapeMaterial material = Isotropic(1.0f);
	drapeMesh mesh = TestMesh_Sphere(4, 0.5f);
	Bench bench;
	Bench_Create(&bench, &mesh, &material);
	// 1/2 (kappa^2 + kappa^2) over 4 pi R^2.
	print_message("sphere: expected %.3f J, measured %.3f J\n", 4.0 * pi, Energy(&bench));
	assert_true(fabs(Energy(&bench) / (4.0 * pi) - 1.0) < 0.03);
	Bench_Destroy(&bench);
}

// --- following ------------------------------------------------------------------------------------------------------

static void CheckFresh(const Bench* bench, const drapeMaterial* material)
{
	Curvature fresh;
	drapeCurvature_Init(&fresh, material);
	assert_true(drapeCurvature_Follow(&fresh, &bench->rig.active, tasks));
	const Curvature* patched = &bench->curvature;
	uint32_t count = bench->rig.active.triangleCount;
	assert_int_equal(patched->elements.count, count);
	assert_int_equal(fresh.elements.count, count);
	assert_memory_equal(patched->sideEdge.data, fresh.sideEdge.data, 3 * (size_t)count * sizeof(uint32_t));
	assert_memory_equal(patched->fits.data, fresh.fits.data, count * sizeof(CurvatureFit));
	assert_memory_equal(patched->elements.data, fresh.elements.data, count * sizeof(CurvatureElement));
	for (uint32_t t = 0; t < count; ++t)
	{
		assert_int_equal(BitSet_Get(&patched->reachesFar, t), BitSet_Get(&fresh.reachesFar, t));
		assert_int_equal(BitSet_Get(&patched->isRigid, t), BitSet_Get(&fresh.isRigid, t));
	}
	assert_int_equal(BitSet_CountSet(&patched->isChanged, count), 0);
	drapeCurvature_Destroy(&fresh);
}

static void PatchedEqualsBuiltAfresh(void** state)
{
	(void)state;
	drapeMaterial material = Curled();
	uint32_t patched = 0;
	for (int index = 0; index < rigMeshCount; ++index)
	{
		drapeMesh mesh = Rig_Mesh(index);
		Bench bench;
		Bench_Create(&bench, &mesh, &material);
		Random random = Random_Seed((uint64_t)index, 1);
		for (int pass = 0; pass < 60; ++pass)
		{
			uint32_t edits = 1 + Random_Below(&random, pass % 3 == 0 ? 40 : 4);
			Rig_RandomPass(&bench.rig, &random, edits, pass % 20 < 12 ? 0.8f : 0.2f);
			patched += !bench.rig.active.log.rebuilt;
			assert_true(drapeCurvature_Follow(&bench.curvature, &bench.rig.active, tasks));
			CheckFresh(&bench, &material);
		}
		Bench_Destroy(&bench);
	}
	assert_true(patched > 300);
}

// Pins around a particle come and go, with and without a change of topology in between.
static void PinsAreFollowedAsIfBuiltAfresh(void** state)
{
	(void)state;
	drapeMaterial material = Curled();
	uint32_t rigid = 0;
	for (int index = 0; index < rigMeshCount; ++index)
	{
		drapeMesh mesh = Rig_Mesh(index);
		Bench bench;
		Bench_Create(&bench, &mesh, &material);
		const ActiveMesh* active = &bench.rig.active;
		Random random = Random_Seed((uint64_t)index, 4);
		for (int pass = 0; pass < 40; ++pass)
		{
			uint32_t centre = Random_Below(&random, active->particleCount);
			bool isPinned = Random_Below(&random, 3) > 0;
			if (pass % 3 == 0)
				Rig_RandomPass(&bench.rig, &random, 1 + Random_Below(&random, 8), 0.7f);
			for (uint32_t i = 0; i < 3 * active->triangleCount; ++i)
			{
				if (active->triangle[i / 3][0] == centre)
					SetPinned(&bench, active->triangle[i / 3][i % 3], isPinned);
			}
			assert_true(drapeCurvature_Follow(&bench.curvature, active, tasks));
			CheckFresh(&bench, &material);
			rigid += BitSet_CountSet(&bench.curvature.isRigid, active->triangleCount);
		}
		Bench_Destroy(&bench);
	}
	assert_true(rigid > 300);
}

static void OnlyPinsThatMakeATriangleRigidChangeElements(void** state)
{
	(void)state;
	drapeMaterial material = Isotropic(1.0f);
	Bench bench;
	Bench_Sheet(&bench, sheetOneDiagonal, 4, 3, &material);
	const uint32_t* corner = bench.rig.active.triangle[0];
	for (int pinned = 1; pinned >= 0; --pinned)
	{
		uint32_t changes = bench.curvature.changes;
		for (int k = 0; k < 3; ++k)
		{
			SetPinned(&bench, corner[k], pinned);
			assert_true(drapeCurvature_Follow(&bench.curvature, &bench.rig.active, tasks));
			// The last pin to come and the first to go.
			assert_int_equal(bench.curvature.changes, changes + (pinned ? k == 2 : 1));
		}
	}
	Bench_Destroy(&bench);
}

static void AMissedRevisionStartsAfresh(void** state)
{
	(void)state;
	drapeMaterial material = Curled();
	drapeMesh mesh = Rig_Mesh(2);
	Bench bench;
	Bench_Create(&bench, &mesh, &material);
	Random random = Random_Seed(3, 1);
	for (int pass = 0; pass < 20; ++pass)
	{
		Rig_RandomPass(&bench.rig, &random, 5, 0.7f);
		Rig_RandomPass(&bench.rig, &random, 5, 0.7f);
		assert_true(drapeCurvature_Follow(&bench.curvature, &bench.rig.active, tasks));
		CheckFresh(&bench, &material);
	}
	Bench_Destroy(&bench);
}

static void ShortMemoryIsReportedAndMadeUpFor(void** state)
{
	(void)state;
	drapeMaterial material = Curled();
	drapeMesh mesh = Rig_Mesh(1);
	Bench bench;
	Bench_Create(&bench, &mesh, &material);
	Rig_RefineAll(&bench.rig);
	drapeCurvature_Destroy(&bench.curvature);
	bool done = false;
	for (size_t number = 1; !done; ++number)
	{
		Curvature curvature;
		drapeCurvature_Init(&curvature, &material);
		Test_FailAllocation(number, false);
		done = drapeCurvature_Follow(&curvature, &bench.rig.active, tasks);
		assert_int_equal(done, number > 12);
		assert_int_equal(curvature.elements.count, done ? bench.rig.active.triangleCount : 0);
		assert_true(drapeCurvature_Follow(&curvature, &bench.rig.active, tasks));
		assert_int_equal(curvature.elements.count, bench.rig.active.triangleCount);
		drapeCurvature_Destroy(&curvature);
		Test_FailAllocation(0, false);
	}
	Bench_Destroy(&bench);
}

int main(void)
{
	tasks = drapeTaskPool_Create(2, NULL, NULL, NULL);
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(TheBiasRigidityIsMetAtFortyFiveDegrees),
		cmocka_unit_test(QuadraticSurfacesAreExact),
		cmocka_unit_test(FlatSheetsHaveNoEnergyAndNoForceHoweverTheyLie),
		cmocka_unit_test(CylindersHaveTheEnergyOfTheirCurvatureInEveryDirection),
		cmocka_unit_test(FinerMeshesAreCloser),
		cmocka_unit_test(OrthotropicRigidityTurnsWithTheDirection),
		cmocka_unit_test(SeamsCarryBendingAsIfThereWereNone),
		cmocka_unit_test(SheetsThatSettleKeepTheirRigidity),
		cmocka_unit_test(CurvatureIsExactUpToTheClamp),
		cmocka_unit_test(ClampsMayBeCurved),
		cmocka_unit_test(AClampedPlateConvergesToTheBeamWithSecondOrder),
		cmocka_unit_test(RigidTrianglesHaveNoEnergyHoweverTheyLie),
		cmocka_unit_test(ForcesAreTheGradientOfTheEnergy),
		cmocka_unit_test(ThereIsNoNetForceAndNoNetTorque),
		cmocka_unit_test(WithoutCurlThereAreNoRestForces),
		cmocka_unit_test(ACurledStripHasItsLeastEnergyAtItsOwnCurvature),
		cmocka_unit_test(ARibbonOfOneQuadResistsBendingAlongIt),
		cmocka_unit_test(NoParticleMovesFreely),
		cmocka_unit_test(ACornerThatHangsOnOneEdgeDoesNotFlap),
		cmocka_unit_test(ALoneTriangleHasNoBending),
		cmocka_unit_test(ElementsNameEachParticleOnceAndWeightsAddUpToZero),
		cmocka_unit_test(RegularGridsNeedOnlySixNodes),
		cmocka_unit_test(ClosedAndCrookedMeshesWork),
		cmocka_unit_test(ASphereBendsBothWays),
		cmocka_unit_test(PatchedEqualsBuiltAfresh),
		cmocka_unit_test(PinsAreFollowedAsIfBuiltAfresh),
		cmocka_unit_test(OnlyPinsThatMakeATriangleRigidChangeElements),
		cmocka_unit_test(AMissedRevisionStartsAfresh),
		cmocka_unit_test(ShortMemoryIsReportedAndMadeUpFor),
	};
	int failed = cmocka_run_group_tests(tests, NULL, NULL);
	drapeTaskPool_Destroy(tasks);
	return failed;
}
