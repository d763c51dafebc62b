// SPDX-License-Identifier: MIT
#include "contact_scene.h"
#include "shared/make.h"
#include "meshes.h"
#include "sheet.h"

#include "shared/sheets.h"

#include <math.h>

// Cloth that is thicker than its triangles are long.

static const drapeScheme schemes[] = {drape_schemeFixed, drape_schemeEdge, drape_schemeSqrt3};
static const float ratios[] = {0.5f, 1.0f, 2.0f, 4.0f, 10.0f}; // thickness over edge length

enum
{
	schemeCount = 3,
	ratioCount = 5,
};

static drapeClothDef Cloth(drapeScheme scheme, float thickness)
{
	drapeClothDef def = SharedFabric_Cotton(scheme, 2);
	def.material.thickness = thickness;
	return def;
}

static drapeWorldId EmptyWorld(void)
{
	drapeWorldDef def = drapeDefaultWorldDef();
	def.workerCount = 1;
	def.gravity = (drapeVec3){0.0f, 0.0f, 0.0f};
	drapeWorldId world = Make_World(&def);
	assert_true(drapeWorld_IsValid(world));
	return world;
}

// Positions of a sheet of 1 m; the context is an amount.
static drapeVec3 Flat(drapeVec3 at, const void* context)
{
	(void)context;
	return (drapeVec3){at.x, 0.3f * at.z, at.z};
}

static drapeVec3 Wave(drapeVec3 at, const void* context)
{
	(void)context;
	return (drapeVec3){at.x, 0.03f * sinf(20.0f * at.x) * cosf(15.0f * at.z), at.z};
}

// Rolled to three quarters of a tube.
static drapeVec3 Roll(drapeVec3 at, const void* context)
{
	(void)context;
	const float radius = 1.0f / (0.75f * 6.2831853f);
	return (drapeVec3){radius * sinf(at.x / radius), radius * cosf(at.x / radius), at.z};
}

static void FlatAndCurvedSheetsFeelNoSelfContact(void** state)
{
	(void)state;
	SharedPlaceFcn* const places[] = {Flat, Wave, Roll};
	for (uint32_t i = 0; i < schemeCount * ratioCount * 3; i += isSlow ? 4 : 1)
	{
		const uint32_t quads = isSlow ? 12 : 20;
		float ratio = ratios[i / 3 % ratioCount];
		drapeWorldId world = EmptyWorld();
		drapeClothDef def = Cloth(schemes[i / 3 / ratioCount], ratio / (float)quads);
		drapeClothId cloth = SharedSheet_Add(world, &def, quads, quads, 1.0f, 1.0f, places[i % 3], NULL);
		assert_true(drapeCloth_IsValid(cloth));
		for (int step = 0; step < 3; ++step)
		{
			assert_int_equal(drapeWorld_Step(world, 1.0f / 60.0f), drape_ok);
			drapeCounters stats = drapeWorld_GetCounters(world);
			if (stats.contactPoints > 0 || stats.impacts > 0)
				fail_msg("scheme %u, shape %u, thickness %.1f edges: %u points, %u impacts", i / 3 / ratioCount, i % 3,
				         (double)ratio, stats.contactPoints, stats.impacts);
		}
		drapeDestroyWorld(world);
	}
}

// A sewn tube, cut from one piece: the two sides of the seam are far apart in material coordinates.
static void SewnTubesFeelNoSelfContact(void** state)
{
	(void)state;
	for (uint32_t i = 0; i < ratioCount; ++i)
	{
		drapeMesh mesh = TestMesh_Tube(40, 10, 0.2f, 0.3f);
		drapeWorldId world = EmptyWorld();
		drapeClothDef def = Cloth(drape_schemeFixed, 0.0314f * ratios[i]);
		def.mesh = &mesh;
		assert_true(drapeCloth_IsValid(Make_Cloth(world, &def)));
		for (int step = 0; step < 3; ++step)
		{
			assert_int_equal(drapeWorld_Step(world, 1.0f / 60.0f), drape_ok);
			assert_int_equal(drapeWorld_GetCounters(world).contactPoints, 0);
		}
		drapeDestroyWorld(world);
		TestMesh_Free(&mesh);
	}
}

// Slivers that lie flat are not pressed flat.
static void FlatSliversFeelNoSelfContact(void** state)
{
	(void)state;
	for (uint32_t i = 0; i < ratioCount; ++i)
	{
		drapeMesh mesh = TestMesh_Grid(4, 40, 1.0f, 0.4f, 0.35f, 5);
		drapeWorldId world = EmptyWorld();
		drapeClothDef def = Cloth(drape_schemeFixed, 0.01f * ratios[i]);
		def.mesh = &mesh;
		assert_true(drapeCloth_IsValid(Make_Cloth(world, &def)));
		assert_int_equal(drapeWorld_Step(world, 1.0f / 60.0f), drape_ok);
		assert_int_equal(drapeWorld_GetCounters(world).contactPoints, 0);
		drapeDestroyWorld(world);
		TestMesh_Free(&mesh);
	}
}

// --- layers ---------------------------------------------------------------------------------------------------------

// The right half lies over the left one, 20 mm above it.
static drapeVec3 Folded(drapeVec3 at, const void* context)
{
	(void)context;
	const float gap = 0.02f, bend = 0.5f * 3.14159265f * gap;
	float along = at.x + 0.5f * bend;
	if (along < 0.0f)
		return (drapeVec3){along, 0.0f, at.z};
	if (along > bend)
		return (drapeVec3){bend - along, gap, at.z};
	float angle = 2.0f * along / gap;
	return (drapeVec3){0.5f * gap * sinf(angle), 0.5f * gap * (1.0f - cosf(angle)), at.z};
}

typedef struct Layers
{
	float distance; // m, mean between the layers away from the fold
	uint32_t crossings;
} Layers;

static Layers Fold(drapeScheme scheme, float thickness)
{
	const float floorAt = -0.02f;
	drapeWorldDef worldDef = drapeDefaultWorldDef();
	worldDef.workerCount = 1;
	drapeWorldId world = Make_World(&worldDef);
	drapeColliderDef ground = drapeDefaultColliderDef();
	ground.shape = drape_shapePlane;
	ground.transform.position = (drapeVec3){0.0f, floorAt - thickness, 0.0f};
	assert_true(drapeCollider_IsValid(Make_Collider(world, &ground)));
	drapeClothDef def = Cloth(scheme, thickness);
	drapeClothId cloth = SharedSheet_Add(world, &def, 40, 20, 0.4f, 0.2f, Folded, NULL);
	Layers layers = {0};
	for (int step = 0; step < 60; ++step)
	{
		uint32_t count;
		assert_int_equal(drapeWorld_Step(world, 1.0f / 60.0f), drape_ok);
		assert_int_equal(drapeWorld_FindCrossings(world, NULL, 0, &count), drape_ok);
		layers.crossings += count;
	}
	drapeClothView view = drapeCloth_GetView(cloth);
	float height[2] = {0.0f, 0.0f}, counts[2] = {0.0f, 0.0f};
	for (uint32_t j = 0; j <= 20; ++j)
	{
		for (uint32_t i = 0; i <= 40; ++i)
		{
			int side = i < 15 ? 0 : i > 25 ? 1 : 2;
			if (side == 2)
				continue;
			height[side] += view.positions[j * 41 + i].y;
			counts[side] += 1.0f;
		}
	}
	layers.distance = height[1] / counts[1] - height[0] / counts[0];
	drapeDestroyWorld(world);
	return layers;
}

// Edges of 10 mm, diagonals of 14 mm.
static void FoldedLayersKeepTheThicknessThatTheMeshCarries(void** state)
{
	(void)state;
	for (uint32_t i = 0; i < (isSlow ? 1 : schemeCount); ++i)
	{
		const float thin = 0.002f, thick = 0.008f;
		Layers first = Fold(schemes[i], thin), second = Fold(schemes[i], thick);
		print_message("scheme %u: layers at %.2f and %.2f thicknesses\n", i, (double)(first.distance / thin),
		              (double)(second.distance / thick));
		assert_int_equal(first.crossings, 0);
		assert_int_equal(second.crossings, 0);
		assert_true(first.distance > 0.8f * thin && first.distance < 2.0f * thin);
		assert_true(second.distance > 0.8f * thick && second.distance < 2.0f * thick);
	}
}

// --- refinement -----------------------------------------------------------------------------------------------------

static uint32_t MeanTriangles(drapeScheme scheme, float thickness)
{
	drapeWorldDef worldDef = drapeDefaultWorldDef();
	worldDef.workerCount = 1;
	drapeWorldId world = Make_World(&worldDef);
	drapeColliderDef ball = drapeDefaultColliderDef();
	ball.radius = 0.03f;
	ball.transform.position = (drapeVec3){0.0f, -0.03f, 0.0f};
	assert_true(drapeCollider_IsValid(Make_Collider(world, &ball)));
	drapeClothDef def = Cloth(scheme, thickness);
	drapeTransform at = drapeIdentityTransform();
	at.position = (drapeVec3){0.003f, 0.012f, 0.002f};
	assert_true(drapeCloth_IsValid(SharedSheet_Add(world, &def, 16, 16, 0.16f, 0.16f, SharedPlace_Transform, &at)));
	const uint32_t steps = isSlow ? 15 : 60;
	uint32_t triangles = 0, crossings;
	for (uint32_t step = 0; step < steps; ++step)
	{
		assert_int_equal(drapeWorld_Step(world, 1.0f / 60.0f), drape_ok);
		triangles += drapeWorld_GetCounters(world).triangles;
		assert_int_equal(drapeWorld_FindCrossings(world, NULL, 0, &crossings), drape_ok);
		assert_int_equal(crossings, 0);
	}
	drapeDestroyWorld(world);
	return triangles / steps;
}

// Two levels make edges of 2.5 mm.
static void ThicknessDoesNotRefine(void** state)
{
	(void)state;
	for (uint32_t i = 1; i < schemeCount; ++i)
	{
		uint32_t thin = MeanTriangles(schemes[i], 0.0005f);
		for (int k = 0; k < (isSlow ? 1 : 2); ++k)
		{
			uint32_t thick = MeanTriangles(schemes[i], k == 0 ? 0.003f : 0.01f);
			print_message("scheme %u: %u triangles, %u thin\n", i, thick, thin);
			assert_true(2 * thick < 3 * thin);
		}
	}
}

// --- the report -----------------------------------------------------------------------------------------------------

static void AThicknessThatTheMeshCannotCarryIsReported(void** state)
{
	(void)state;
	drapeWorldId world = EmptyWorld();
	for (uint32_t i = 0; i < ratioCount; ++i)
	{
		drapeClothDef def = Cloth(drape_schemeFixed, 0.1f * ratios[i]);
		drapeClothId cloth = SharedSheet_Add(world, &def, 10, 10, 1.0f, 1.0f, NULL, NULL);
		drapeCarriedThickness thickness = drapeCloth_GetCarriedThickness(cloth);
		float longest = sqrtf(0.02f);
		assert_float_equal(thickness.asked, def.material.thickness, 0.0f);
		assert_float_equal(thickness.carried, fminf(def.material.thickness, longest), 1e-6f);
		assert_int_equal(thickness.triangles, def.material.thickness > longest ? 200 : 0);
		drapeDestroyCloth(cloth);
		def.contact = drape_contactParticles;
		cloth = SharedSheet_Add(world, &def, 10, 10, 1.0f, 1.0f, NULL, NULL);
		assert_int_equal(drapeCloth_GetCarriedThickness(cloth).triangles, 0);
		drapeDestroyCloth(cloth);
	}
	ASSERT_REFUSED(assert_float_equal(drapeCloth_GetCarriedThickness((drapeClothId){0}).asked, 0.0f, 0.0f));
	drapeDestroyWorld(world);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(FlatAndCurvedSheetsFeelNoSelfContact),
		cmocka_unit_test(SewnTubesFeelNoSelfContact),
		cmocka_unit_test(FlatSliversFeelNoSelfContact),
		cmocka_unit_test(FoldedLayersKeepTheThicknessThatTheMeshCarries),
		cmocka_unit_test(ThicknessDoesNotRefine),
		cmocka_unit_test(AThicknessThatTheMeshCannotCarryIsReported),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
