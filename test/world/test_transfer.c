// SPDX-License-Identifier: MIT
#include "meshes.h"
#include "shared/make.h"
#include "sheet.h"

#include <math.h>
#include <string.h>

// drapeCloth_TransferState: one cloth goes on where another one of the same pattern was.

// By pattern point, as the source and the target may number particles differently.
static void ExpectSameShape(drapeClothId from, drapeClothId to, float tolerance)
{
	enum
	{
		pointCount = 60
	};
	drapePatternPoint points[pointCount];
	drapeVec3 a[pointCount], b[pointCount];
	drapeClothView view = drapeCloth_GetView(from);
	uint32_t patternCount = 0, seed = 7;
	for (uint32_t i = 0; i < view.triangleCount; ++i)
		patternCount = view.patternTriangles[i] >= patternCount ? view.patternTriangles[i] + 1 : patternCount;
	for (int i = 0; i < pointCount; ++i)
	{
		float u = TestMesh_RandomFloat(&seed), v = (1.0f - u) * TestMesh_RandomFloat(&seed);
		points[i] = (drapePatternPoint){TestMesh_Random(&seed) % patternCount, {1.0f - u - v, u, v}};
	}
	assert_int_equal(drapeCloth_Evaluate(from, points, pointCount, a, NULL), drape_ok);
	assert_int_equal(drapeCloth_Evaluate(to, points, pointCount, b, NULL), drape_ok);
	for (int i = 0; i < pointCount; ++i)
	{
		float distance = fabsf(a[i].x - b[i].x) + fabsf(a[i].y - b[i].y) + fabsf(a[i].z - b[i].z);
		if (!(distance <= tolerance))
			fail_msg("point %d is %g m away", i, (double)distance);
	}
}

// A sheet bent by criteria to several levels, with velocities that differ from particle to particle.
static Sheet BentSheet(void)
{
	drapeAdaptDef adapt = drapeDefaultAdaptDef();
	adapt.maxLevel = 4;
	Sheet sheet = Sheet_Create(4, 4, &adapt);
	for (int i = 0; i < 6; ++i)
	{
		assert_true(Sheet_SetShape(sheet.cloth, Sheet_Bumps, 0.2f));
		Sheet_Adapt(sheet.cloth);
	}
	assert_true(Sheet_SetShape(sheet.cloth, Sheet_Bumps, 0.2f));
	drapeClothView view = drapeCloth_GetView(sheet.cloth);
	assert_true(view.triangleCount > 100);
	assert_true(Sheet_ShallowestLevel(sheet.cloth) < Sheet_DeepestLevel(sheet.cloth));
	drapeVec3* velocities = malloc(view.particleCount * sizeof *velocities);
	for (uint32_t i = 0; i < view.particleCount; ++i)
		velocities[i] = (drapeVec3){view.positions[i].x, 2.0f, -view.positions[i].z};
	assert_int_equal(drapeCloth_SetVelocities(sheet.cloth, velocities), drape_ok);
	free(velocities);
	return sheet;
}

static drapeClothId AddSheet(drapeWorldId world, const drapeClothDef* def)
{
	drapeMesh mesh;
	assert_int_equal(drapeMesh_CreateGrid(4, 4, 1.0f, 1.0f, &mesh, NULL), drape_ok);
	drapeClothDef used = *def;
	used.mesh = &mesh;
	drapeClothId cloth = Make_Cloth(world, &used);
	assert_true(drapeCloth_IsValid(cloth));
	drapeMesh_Free(&mesh);
	return cloth;
}

static void ExpectVelocities(drapeClothId cloth)
{
	drapeClothView view = drapeCloth_GetView(cloth);
	for (uint32_t i = 0; i < view.particleCount; ++i)
	{
		assert_true(fabsf(view.velocities[i].x - view.positions[i].x) < 1e-4f);
		assert_true(fabsf(view.velocities[i].y - 2.0f) < 1e-4f);
	}
}

static void AnotherModelHasTheSameRefinementShapeAndVelocity(void** state)
{
	(void)state;
	Sheet sheet = BentSheet();
	drapeClothDef def = Make_SpringClothDef();
	def.model = drape_modelFem;
	def.solver = drapeDefaultSolverDef();
	def.adapt = drapeCloth_GetAdapt(sheet.cloth);
	// Another rest shape: the material coordinates of the two cloths differ.
	def.rest.warp = (drapeVec3){0.0f, 0.0f, 1.0f};
	drapeClothId to = AddSheet(sheet.world, &def);
	assert_int_equal(drapeCloth_TransferState(sheet.cloth, to), drape_ok);
	assert_int_equal(drapeCloth_GetView(to).particleCount, drapeCloth_GetView(sheet.cloth).particleCount);
	assert_int_equal(drapeCloth_GetView(to).triangleCount, drapeCloth_GetView(sheet.cloth).triangleCount);
	ExpectVelocities(to);
	// Quadrilaterals may be cut along the other diagonal.
	ExpectSameShape(sheet.cloth, to, 0.02f);
	// Its own criteria are back.
	drapeAdaptDef kept = drapeCloth_GetAdapt(to);
	assert_true(kept.user.wish == NULL && kept.curvature.enabled == def.adapt.curvature.enabled);
	assert_int_equal(kept.joinWait, def.adapt.joinWait);
	Sheet_Destroy(&sheet);
}

static void AFixedMeshInterpolates(void** state)
{
	(void)state;
	Sheet sheet = BentSheet();
	drapeClothDef def = Make_SpringClothDef();
	def.adapt.scheme = drape_schemeFixed;
	drapeClothId to = AddSheet(sheet.world, &def);
	assert_int_equal(drapeCloth_TransferState(sheet.cloth, to), drape_ok);
	drapeClothView view = drapeCloth_GetView(to), source = drapeCloth_GetView(sheet.cloth);
	assert_int_equal(view.triangleCount, 32);
	for (uint32_t i = 0; i < view.particleCount; ++i)
		assert_memory_equal(&view.positions[i], &source.positions[i], 3 * sizeof(float));
	ExpectVelocities(to);
	Sheet_Destroy(&sheet);
}

// The coarse mesh of the source gives the fine mesh of the target its shape, and stays as it is.
static void AFineTargetTakesTheShapeOfACoarseSource(void** state)
{
	(void)state;
	Sheet sheet = BentSheet();
	drapeClothDef def = Make_SpringClothDef();
	def.adapt.scheme = drape_schemeFixed;
	drapeClothId coarse = AddSheet(sheet.world, &def);
	assert_true(Sheet_SetShape(coarse, Sheet_Bumps, 0.2f));
	uint64_t revision = drapeCloth_GetView(coarse).revision;
	assert_int_equal(drapeCloth_TransferState(coarse, sheet.cloth), drape_ok);
	ExpectSameShape(coarse, sheet.cloth, 1e-5f);
	assert_int_equal(drapeCloth_GetView(coarse).revision, revision);
	Sheet_Destroy(&sheet);
}

// A collider around the start would push new particles away while the target refines.
static void CollidersDoNotDisturbRefinement(void** state)
{
	(void)state;
	Sheet sheet = BentSheet();
	drapeWorldDef worldDef = drapeDefaultWorldDef();
	drapeWorldId other = Make_World(&worldDef);
	drapeColliderDef collider = drapeDefaultColliderDef();
	collider.shape = drape_shapeSphere;
	collider.radius = 0.4f;
	assert_true(drapeCollider_IsValid(Make_Collider(other, &collider)));
	drapeClothDef def = Make_SpringClothDef();
	def.adapt = drapeCloth_GetAdapt(sheet.cloth);
	drapeClothId to = AddSheet(other, &def);
	assert_int_equal(drapeCloth_TransferState(sheet.cloth, to), drape_ok);
	assert_int_equal(drapeCloth_GetView(to).particleCount, drapeCloth_GetView(sheet.cloth).particleCount);
	ExpectVelocities(to);
	Sheet_Check(other);
	drapeDestroyWorld(other);
	Sheet_Destroy(&sheet);
}

// Two squares of one pattern begin at the same place, and part.
static void LayersThatCoincideAreToldApart(void** state)
{
	(void)state;
	drapeWorldDef worldDef = drapeDefaultWorldDef();
	drapeWorldId world = Make_World(&worldDef);
	drapeMesh mesh = TestMesh_TwoSquares();
	for (uint32_t i = 4; i < 8; ++i)
		TestMesh_Positions(&mesh)[i] = mesh.positions[i - 4];
	drapeClothDef def = Make_SpringClothDef();
	def.mesh = &mesh;
	def.adapt = Sheet_Plain(3);
	drapeClothId from = Make_Cloth(world, &def), to = Make_Cloth(world, &def);
	assert_true(drapeCloth_IsValid(from) && drapeCloth_IsValid(to));
	assert_int_equal(drapeCloth_Refine(from), drape_ok);
	drapeClothView view = drapeCloth_GetView(from);
	drapeVec3* positions = malloc(view.particleCount * sizeof *positions);
	for (size_t i = 0; i < 3 * (size_t)view.triangleCount; ++i)
	{
		uint32_t particle = view.triangles[i];
		float height = view.patternTriangles[i / 3] < 2 ? 1.0f : -1.0f;
		positions[particle] = (drapeVec3){view.positions[particle].x, view.positions[particle].y, height};
	}
	assert_int_equal(drapeCloth_SetPositions(from, positions), drape_ok);
	free(positions);
	assert_int_equal(drapeCloth_TransferState(from, to), drape_ok);
	view = drapeCloth_GetView(to);
	assert_int_equal(view.triangleCount, 16);
	for (size_t i = 0; i < 3 * (size_t)view.triangleCount; ++i)
		assert_true(view.positions[view.triangles[i]].z == (view.patternTriangles[i / 3] < 2 ? 1.0f : -1.0f));
	TestMesh_Free(&mesh);
	drapeDestroyWorld(world);
}

static void OtherPatternsAreRefused(void** state)
{
	(void)state;
	Sheet sheet = BentSheet();
	drapeClothId other = Sheet_Add(sheet.world, 4, 3, NULL);
	uint64_t hash = drapeWorld_GetHash(sheet.world);
	ASSERT_REFUSED(assert_int_equal(drapeCloth_TransferState(sheet.cloth, other), drape_errorArgument));
	ASSERT_REFUSED(assert_int_equal(drapeCloth_TransferState(sheet.cloth, sheet.cloth), drape_errorArgument));
	const drapeClothId none = {0};
	ASSERT_REFUSED(assert_int_equal(drapeCloth_TransferState(sheet.cloth, none), drape_errorArgument));
	ASSERT_REFUSED(assert_int_equal(drapeCloth_TransferState(none, other), drape_errorArgument));
	assert_true(drapeWorld_GetHash(sheet.world) == hash);
	Sheet_Destroy(&sheet);
}

static void WithoutMemoryBothClothsStayUsable(void** state)
{
	(void)state;
	Test_BeginLimitedMemory();
	Sheet sheet = BentSheet();
	drapeClothDef def = Make_SpringClothDef();
	def.adapt = drapeCloth_GetAdapt(sheet.cloth);
	drapeResult result = drape_errorMemory;
	for (size_t number = 0; result == drape_errorMemory && number < 500; ++number)
	{
		drapeClothId to = AddSheet(sheet.world, &def);
		Test_AllowAllocations(number);
		result = drapeCloth_TransferState(sheet.cloth, to);
		Test_AllowAllocations(SIZE_MAX);
		Sheet_Check(sheet.world);
		assert_true(drapeCloth_GetAdapt(to).user.wish == NULL);
		drapeDestroyCloth(to);
		assert_true(number > 3 || result == drape_errorMemory);
	}
	assert_int_equal(result, drape_ok);
	Sheet_Destroy(&sheet);
	Test_EndLimitedMemory();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(AnotherModelHasTheSameRefinementShapeAndVelocity),
		cmocka_unit_test(AFixedMeshInterpolates),
		cmocka_unit_test(AFineTargetTakesTheShapeOfACoarseSource),
		cmocka_unit_test(CollidersDoNotDisturbRefinement),
		cmocka_unit_test(LayersThatCoincideAreToldApart),
		cmocka_unit_test(OtherPatternsAreRefused),
		cmocka_unit_test(WithoutMemoryBothClothsStayUsable),
	};
	return cmocka_run_group_tests_name("transfer", tests, NULL, NULL);
}
