// SPDX-License-Identifier: MIT
#include "sheet.h"
#include "shared/make.h"

#include <math.h>

// A skirt: a frustum of 24 by 16 quads, 768 triangles. Its hem folds when it falls.

enum
{
	around = 24,
	along = 16,
	skirtTriangles = 2 * around * along,
};

static drapeClothId AddSkirt(drapeWorldId world)
{
	static drapeVec3 positions[around * (along + 1)];
	static uint32_t triangles[3 * skirtTriangles];
	uint32_t count = 0;
	for (uint32_t row = 0; row <= along; ++row)
	{
		for (uint32_t i = 0; i < around; ++i)
		{
			float angle = 6.2831853f * (float)i / around, t = (float)row / along, radius = 0.14f + 0.22f * t;
			positions[row * around + i] = (drapeVec3){radius * cosf(angle), 1.0f - 0.5f * t, radius * sinf(angle)};
			if (row == along)
				continue;
			uint32_t a = row * around + i, b = row * around + (i + 1) % around;
			const uint32_t quad[6] = {a, b, a + around, b, b + around, a + around};
			for (int k = 0; k < 6; ++k)
				triangles[count++] = quad[k];
		}
	}
	drapeMesh mesh = {
		.positions = positions,
		.vertexCount = around * (along + 1),
		.triangles = triangles,
		.triangleCount = skirtTriangles,
	};
	drapeClothDef def = Make_SpringClothDef();
	def.mesh = &mesh;
	drapeClothId skirt = Make_Cloth(world, &def);
	assert_true(drapeCloth_IsValid(skirt));
	for (uint32_t i = 0; i < around; ++i)
		Make_Pin(skirt, i);
	return skirt;
}

static void ASkirtOf768TrianglesNeverHasMoreThanTheDefaultCap(void** state)
{
	(void)state;
	drapeWorldId world = Sheet_World(1);
	drapeClothId skirt = AddSkirt(world);
	uint32_t most = 0;
	for (int step = 0; step < 36; ++step)
	{
		assert_int_equal(drapeWorld_Step(world, 1.0f / 60.0f), drape_ok);
		uint32_t count = drapeCloth_GetView(skirt).triangleCount;
		assert_in_range(count, skirtTriangles, 10000);
		most = count > most ? count : most;
	}
	assert_true(most > 2 * skirtTriangles);
	Sheet_Check(world);
	drapeDestroyWorld(world);
}

static void TheDefaultIsAnAccuracyOfTwoMillimetres(void** state)
{
	(void)state;
	const drapeAdaptDef def = drapeDefaultAdaptDef();
	assert_true(def.accuracy.enabled && def.accuracy.deviation == 0.002f && def.maxTriangles == 10000);
	assert_false(def.curvature.enabled || def.meanCurvature.enabled || def.length.enabled || def.collision.colliders);
	assert_true(def.curvature.splitAngle > def.curvature.joinAngle && def.curvature.joinAngle > 0.0f);
}

static drapeVec3 Bowl(float s, float t, float amount)
{
	float x = s - 0.5f, z = 0.5f - t;
	return (drapeVec3){x, amount * (x * x + z * z), z};
}

static void OtherMeshesOfTheSameShapeGetAboutAsManyTriangles(void** state)
{
	(void)state;
	uint32_t least = UINT32_MAX, most = 0;
	for (uint32_t size = 4; size <= 16; size *= 2)
	{
		Sheet sheet = Sheet_Create(size, size, NULL);
		assert_true(Sheet_SetShape(sheet.cloth, Bowl, 0.5f));
		assert_true(Sheet_Settle(sheet.cloth, 15, 120, Bowl, 0.5f));
		uint32_t count = drapeCloth_GetView(sheet.cloth).triangleCount;
		least = count < least ? count : least;
		most = count > most ? count : most;
		Sheet_Destroy(&sheet);
	}
	assert_in_range(most, least, 2 * least);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(TheDefaultIsAnAccuracyOfTwoMillimetres),
		cmocka_unit_test(ASkirtOf768TrianglesNeverHasMoreThanTheDefaultCap),
		cmocka_unit_test(OtherMeshesOfTheSameShapeGetAboutAsManyTriangles),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
