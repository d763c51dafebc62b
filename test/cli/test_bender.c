// SPDX-License-Identifier: MIT
#include "support.h"

#include "base/maths.h"
#include "base/random.h"
#include "drape/drape.h"
#include "drape/scene.h"
#include "shared/shape_distance.h"

#include <stdlib.h>

// The scenes that `drape bench bender` measures, and the distance it measures with.

enum
{
	side = 12, // quads
};

// --- scenes ---

typedef struct Expected
{
	const char* path;
	uint32_t pattern, finest; // triangles
} Expected;

static const Expected scenes[] = {
	{"scenes/curtain.json", 820, 22140},
	{"scenes/curtain_edge.json", 346, 22144},
	{"scenes/sheet_over_sphere.json", 820, 22140},
	{"scenes/sheet_over_sphere_edge.json", 346, 22144},
};

static void ScenesHaveTheTrianglesOfThePaper(void** state)
{
	(void)state;
	for (size_t i = 0; i < sizeof scenes / sizeof scenes[0]; ++i)
	{
		drapeScene* scene;
		drapeSceneWorld made;
		assert_int_equal(drapeScene_Read(scenes[i].path, &scene, NULL), drape_ok);
		assert_int_equal(drapeScene_CreateWorld(scene, 1, &made, NULL), drape_ok);
		assert_int_equal(drapeCloth_GetView(made.cloths[0]).triangleCount, scenes[i].pattern);
		for (uint32_t level = 0; level < scene->cloths[0].adapt.maxLevel; ++level)
			assert_int_equal(drapeCloth_Refine(made.cloths[0]), drape_ok);
		assert_int_equal(drapeCloth_GetView(made.cloths[0]).triangleCount, scenes[i].finest);
		// Adaptation in every fifth step of 5 ms.
		assert_float_equal(scene->time.stepRate, 200.0f, 0.0f);
		assert_float_equal(scene->world.adaptRate, 40.0f, 0.0f);
		drapeSceneWorld_Destroy(&made);
		drapeScene_Free(scene);
	}
}

// The hooks that lead the wave keep their distances below those of the cloth between them.
static void HooksOfTheCurtainNeverPullAtTheCloth(void** state)
{
	(void)state;
	drapeScene* scene;
	drapeSceneWorld made;
	assert_int_equal(drapeScene_Read("scenes/curtain_edge.json", &scene, NULL), drape_ok);
	assert_int_equal(drapeScene_CreateWorld(scene, 1, &made, NULL), drape_ok);
	for (int step = 0; step <= 200; ++step)
	{
		drapeVec3 hooks[11];
		for (uint32_t i = 0; i < 3; ++i)
		{
			const drapeScenePin* pin = &scene->cloths[0].pins[i];
			drapeTransform at = drapeMotion_GetTransform(made.motions[i], 0.1 * step);
			assert_string_equal(pin->motion, scene->motions[i].name);
			for (uint32_t k = 0; k < pin->vertexCount; ++k)
				hooks[pin->vertices[k]] = drapeTransform_Point(at, made.patterns[0].mesh.positions[pin->vertices[k]]);
		}
		for (int i = 0; i < 10; ++i)
			assert_true(V3Length(V3Sub(hooks[i + 1], hooks[i])) < 0.2401f);
	}
	drapeSceneWorld_Destroy(&made);
	drapeScene_Free(scene);
}

// --- distances ---

typedef struct Sheet
{
	drapeVec4* positions;
	uint32_t* triangles;
	drapeClothView view;
} Sheet;

static Sheet CreateSheet(uint32_t particles, uint32_t triangles)
{
	Sheet sheet = {malloc(particles * sizeof(drapeVec4)), malloc(3 * triangles * sizeof(uint32_t)), {0}};
	assert_true(sheet.positions && sheet.triangles);
	sheet.view.particleCount = particles;
	sheet.view.positions = sheet.positions;
	sheet.view.triangleCount = triangles;
	sheet.view.triangles = sheet.triangles;
	return sheet;
}

static void DestroySheet(Sheet* sheet)
{
	free(sheet->positions);
	free(sheet->triangles);
}

// A square of 1 m at a height, its vertices up to `rough` metres off it.
static Sheet CreateSquare(float height, float rough)
{
	Sheet sheet = CreateSheet((side + 1) * (side + 1), 2 * side * side);
	Random random = Random_Seed(7, 0);
	for (uint32_t i = 0; i < sheet.view.particleCount; ++i)
		sheet.positions[i] = (drapeVec4){(float)(i % (side + 1)) / side, height + rough * Random_Float(&random),
		                                 (float)(i / (side + 1)) / side, 0.0f};
	for (uint32_t q = 0; q < side * side; ++q)
	{
		uint32_t a = q / side * (side + 1) + q % side,
				 corners[6] = {a, a + 1, a + side + 1, a + 1, a + side + 2, a + side + 1};
		for (int k = 0; k < 6; ++k)
			sheet.triangles[6 * q + k] = corners[k];
	}
	return sheet;
}

// The same surface with every triangle cut in three at its centre.
static Sheet CutInThree(const Sheet* from)
{
	uint32_t count = from->view.triangleCount, first = from->view.particleCount;
	Sheet sheet = CreateSheet(first + count, 3 * count);
	for (uint32_t i = 0; i < first; ++i)
		sheet.positions[i] = from->positions[i];
	for (uint32_t t = 0; t < count; ++t)
	{
		const uint32_t* corners = &from->triangles[3 * t];
		Vec3 sum = {0};
		for (int k = 0; k < 3; ++k)
		{
			sum = V3Add(sum, V4Xyz(from->positions[corners[k]]));
			uint32_t* part = &sheet.triangles[9 * t + 3 * k];
			part[0] = corners[k];
			part[1] = corners[(k + 1) % 3];
			part[2] = first + t;
		}
		sheet.positions[first + t] = (drapeVec4){sum.x / 3.0f, sum.y / 3.0f, sum.z / 3.0f, 0.0f};
	}
	return sheet;
}

static void ParallelSheetsAreAsFarApartAsTheyAre(void** state)
{
	(void)state;
	Sheet one = CreateSquare(0.0f, 0.0f), other = CreateSquare(0.125f, 0.0f);
	assert_float_equal(ShapeDistance(one.view, other.view), 0.125, 1e-6);
	DestroySheet(&one);
	DestroySheet(&other);
}

// A nearest triangle that the search has missed would show as a distance.
static void OneRoughSurfaceInTwoMeshesIsAtNoDistance(void** state)
{
	(void)state;
	Sheet one = CreateSquare(0.0f, 0.3f), same = CutInThree(&one), other = CreateSquare(0.05f, 0.3f);
	assert_float_equal(ShapeDistance(one.view, same.view), 0.0, 1e-6);
	double distance = ShapeDistance(one.view, other.view);
	assert_true(distance > 0.001 && distance < 0.05);
	DestroySheet(&one);
	DestroySheet(&same);
	DestroySheet(&other);
}

static void DistanceIsTheSameEitherWay(void** state)
{
	(void)state;
	Sheet one = CreateSquare(0.0f, 0.3f), other = CreateSquare(0.2f, 0.1f);
	assert_float_equal(ShapeDistance(one.view, other.view), ShapeDistance(other.view, one.view), 1e-12);
	DestroySheet(&one);
	DestroySheet(&other);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(ScenesHaveTheTrianglesOfThePaper),
		cmocka_unit_test(HooksOfTheCurtainNeverPullAtTheCloth),
		cmocka_unit_test(ParallelSheetsAreAsFarApartAsTheyAre),
		cmocka_unit_test(OneRoughSurfaceInTwoMeshesIsAtNoDistance),
		cmocka_unit_test(DistanceIsTheSameEitherWay),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
