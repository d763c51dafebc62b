// SPDX-License-Identifier: MIT
#include "shared/make.h"
#include "sheet.h"

#include "base/maths.h"
#include "drape/drape.h"

#include <math.h>
#include <string.h>

// The transform in the definition of a cloth.

static bool DoNotBreak(const char* condition, const char* file, int line)
{
	(void)condition;
	(void)file;
	(void)line;
	return false;
}

static const drapeScheme schemes[] = {drape_schemeFixed, drape_schemeEdge, drape_schemeSqrt3};

static drapeClothId Add(drapeWorldId world, drapeScheme scheme, drapeRest source, drapeTransform at)
{
	drapeMesh grid;
	assert_int_equal(drapeMesh_CreateGrid(4, 3, 0.8f, 0.6f, &grid, NULL), drape_ok);
	drapeClothDef def = drapeDefaultClothDef();
	def.mesh = &grid;
	def.adapt.scheme = scheme;
	def.rest.source = source;
	def.rest.metresPerUnit = 0.7f;
	def.transform = at;
	drapeClothId cloth = Make_Cloth(world, &def);
	assert_true(drapeCloth_IsValid(cloth));
	drapeMesh_Free(&grid);
	return cloth;
}

static drapeTransform Placed(float scale)
{
	return (drapeTransform){{3.0f, -1.0f, 2.0f}, drapeQuat_FromAxisAngle((drapeVec3){1.0f, 2.0f, 0.5f}, 1.1f), scale};
}

static void ParticlesBeginWhereTheTransformPutsTheMesh(void** state)
{
	(void)state;
	for (int i = 0; i < 3; ++i)
	{
		drapeWorldDef worldDef = drapeDefaultWorldDef();
		drapeWorldId world = Make_World(&worldDef);
		drapeTransform at = Placed(1.5f);
		drapeClothId plain = Add(world, schemes[i], drape_restShape, drapeIdentityTransform());
		drapeClothId cloth = Add(world, schemes[i], drape_restShape, at);
		drapeClothView a = drapeCloth_GetView(plain), b = drapeCloth_GetView(cloth);
		assert_int_equal(a.particleCount, b.particleCount);
		for (uint32_t k = 0; k < a.particleCount; ++k)
		{
			Vec3 expected = drapeTransform_Point(at, V4Xyz(a.positions[k]));
			assert_true(V3Length(V3Sub(V4Xyz(b.positions[k]), expected)) < 1e-5f);
			assert_true(fabsf(V3Length(V4Xyz(b.normals[k])) - 1.0f) < 1e-4f);
		}
		drapeClothDef def = drapeCloth_GetDef(cloth);
		assert_memory_equal(&def.transform, &at, sizeof at);
		Sheet_Check(world);
		assert_int_equal(drapeWorld_Step(world, 1.0f / 60.0f), drape_ok);
		drapeDestroyWorld(world);
	}
}

// The area at rest tells the scale of the rest shape.
static void TheScaleIsPartOfARestShapeFromPositionsOnly(void** state)
{
	(void)state;
	for (int i = 0; i < 3; ++i)
	{
		for (int k = 0; k < 2; ++k)
		{
			drapeRest source = k == 0 ? drape_restShape : drape_restTexcoord;
			drapeWorldDef worldDef = drapeDefaultWorldDef();
			drapeWorldId world = Make_World(&worldDef);
			drapeClothId plain = Add(world, schemes[i], source, drapeIdentityTransform());
			drapeClothId cloth = Add(world, schemes[i], source, Placed(2.0f));
			drapeClothView a = drapeCloth_GetView(plain), b = drapeCloth_GetView(cloth);
			double masses[2] = {0.0, 0.0};
			for (uint32_t p = 0; p < a.particleCount; ++p)
			{
				masses[0] += (double)a.velocities[p].w;
				masses[1] += (double)b.velocities[p].w;
			}
			assert_true(fabs(masses[1] / masses[0] - (k == 0 ? 4.0 : 1.0)) < 1e-4);
			drapeDestroyWorld(world);
		}
	}
}

static void TheIdentityChangesNoBit(void** state)
{
	(void)state;
	uint64_t hashes[2];
	for (int k = 0; k < 2; ++k)
	{
		drapeTransform at = drapeIdentityTransform();
		at.rotation.w = k == 0 ? 1.0f : -1.0f; // the same rotation
		drapeWorldDef worldDef = drapeDefaultWorldDef();
		drapeWorldId world = Make_World(&worldDef);
		Add(world, drape_schemeEdge, drape_restShape, at);
		for (int i = 0; i < 10; ++i)
			assert_int_equal(drapeWorld_Step(world, 1.0f / 60.0f), drape_ok);
		hashes[k] = drapeWorld_GetHash(world);
		drapeDestroyWorld(world);
	}
	assert_true(hashes[0] == hashes[1]);
}

static void TransformsThatAreNoneAreRefused(void** state)
{
	(void)state;
	drapeSetAssert(DoNotBreak);
	drapeWorldDef worldDef = drapeDefaultWorldDef();
	drapeWorldId world = Make_World(&worldDef);
	drapeMesh grid;
	assert_int_equal(drapeMesh_CreateGrid(2, 2, 1.0f, 1.0f, &grid, NULL), drape_ok);
	const struct
	{
		drapeTransform at;
		const char* sentence;
	} cases[] = {
		{{{0.0f, 0.0f, 0.0f}, {0.0f, 0.0f, 0.0f, 1.0f}, 0.0f}, "transform.scale is 0, expected a number above 0"},
		{{{0.0f, 0.0f, 0.0f}, {0.0f, 0.0f, 0.0f, 1.0f}, -2.0f}, "transform.scale is -2"},
		{{{0.0f, 0.0f, 0.0f}, {0.0f, 0.0f, 0.0f, 0.0f}, 1.0f}, "transform.rotation has the length 0"},
		{{{NAN, 0.0f, 0.0f}, {0.0f, 0.0f, 0.0f, 1.0f}, 1.0f}, "transform.position is (nan"},
		{{{3e9f, 0.0f, 0.0f}, {0.0f, 0.0f, 0.0f, 1.0f}, 1.0f}, "beyond 1e9 m"},
	};
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i)
	{
		drapeClothDef def = drapeDefaultClothDef();
		def.mesh = &grid;
		def.transform = cases[i].at;
		drapeClothId cloth;
		assert_int_equal(drapeCreateCloth(world, &def, &cloth), drape_errorArgument);
		if (!strstr(drapeWorld_GetMessage(world), cases[i].sentence))
			fail_msg("\"%s\" has no \"%s\"", drapeWorld_GetMessage(world), cases[i].sentence);
	}
	drapeMesh_Free(&grid);
	drapeDestroyWorld(world);
	drapeSetAssert(NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(ParticlesBeginWhereTheTransformPutsTheMesh),
		cmocka_unit_test(TheScaleIsPartOfARestShapeFromPositionsOnly),
		cmocka_unit_test(TheIdentityChangesNoBit),
		cmocka_unit_test(TransformsThatAreNoneAreRefused),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
