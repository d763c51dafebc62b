// SPDX-License-Identifier: MIT
#include "meshes.h"
#include "shared/make.h"
#include "sheet.h"

#include "drape/drape.h"

#include <math.h>
#include <stdlib.h>

// Cloths that cross when a run begins come free during the run, and the statistics report the crossings while they last.

static const float frame = 1.0f / 60.0f;

// Puts a point of a flat sheet into space.
typedef drapeVec3 ShapeFcn(drapeVec3 flat, const void* context);

typedef struct Case
{
	const char* name;
	ShapeFcn* shape[2]; // NULL for no second sheet
	drapeTransform at[2];
	bool isPinned; // the corners of the first sheet
} Case;

static drapeVec3 Flat(drapeVec3 flat, const void* context)
{
	return drapeTransform_Point(*(const drapeTransform*)context, flat);
}

// A bow around z, 6 cm high; a bump of the lower half goes through the upper one.
static drapeVec3 Fold(drapeVec3 flat, const void* context)
{
	(void)context;
	float radius = 0.03f, half = 0.5f * 3.14159265f * radius, x = flat.x - 0.25f;
	float bump = 0.08f * expf(-60.0f * (x * x + flat.z * flat.z));
	if (flat.x > half)
		return (drapeVec3){flat.x - half, -radius + bump, flat.z};
	if (flat.x < -half)
		return (drapeVec3){-flat.x - half, radius, flat.z};
	return (drapeVec3){-radius * cosf(flat.x / radius), -radius * sinf(flat.x / radius), flat.z};
}

static drapeTransform Placed(drapeVec3 position, drapeVec3 axis, float angle)
{
	return (drapeTransform){position, drapeQuat_FromAxisAngle(axis, angle), 1.0f};
}

static drapeIntegrator integrator = drape_integratorImplicitEuler;

static drapeClothId AddSheet(drapeWorldId world, uint32_t quads, drapeScheme scheme, ShapeFcn* shape,
                             const drapeTransform* at)
{
	drapeMesh mesh;
	assert_int_equal(drapeMesh_CreateGrid(quads, quads, 1.0f, 1.0f, &mesh, NULL), drape_ok);
	drapeClothDef def = Sheet_SettlingDef();
	def.mesh = &mesh;
	def.solver.integrator = integrator;
	def.adapt.scheme = scheme;
	def.adapt.maxLevel = 2;
	def.adapt.accuracy.enabled = true;
	drapeClothId cloth = Make_Cloth(world, &def);
	assert_true(drapeCloth_IsValid(cloth));
	drapeVec3* positions = malloc(mesh.vertexCount * sizeof *positions);
	assert_non_null(positions);
	for (uint32_t i = 0; i < mesh.vertexCount; ++i)
		positions[i] = shape(mesh.positions[i], at);
	assert_int_equal(drapeCloth_SetPositions(cloth, positions), drape_ok);
	free(positions);
	drapeMesh_Free(&mesh);
	return cloth;
}

static drapeWorldId MakeWorld(const Case* scene, uint32_t quads, drapeScheme scheme, uint32_t workers)
{
	drapeWorldId world = Sheet_World(workers);
	drapeColliderDef floor = drapeDefaultColliderDef();
	floor.shape = drape_shapePlane;
	floor.transform.position.y = -0.6f;
	assert_true(drapeCollider_IsValid(Make_Collider(world, &floor)));
	for (int i = 0; i < 2; ++i)
	{
		if (!scene->shape[i])
			continue;
		drapeClothId cloth = AddSheet(world, quads, scheme, scene->shape[i], &scene->at[i]);
		const uint32_t corners[] = {0, quads, quads * (quads + 1), (quads + 1) * (quads + 1) - 1};
		for (int k = 0; k < 4 && i == 0 && scene->isPinned; ++k)
			assert_true(Make_Pin(cloth, corners[k]).index1 > 0);
	}
	return world;
}

static uint32_t Crossings(drapeWorldId world)
{
	uint32_t count = UINT32_MAX;
	assert_int_equal(drapeWorld_FindCrossings(world, NULL, 0, &count), drape_ok);
	return count;
}

static Case CaseOf(int number)
{
	const drapeVec3 x = {1.0f, 0.0f, 0.0f}, z = {0.0f, 0.0f, 1.0f};
	const drapeTransform still = drapeIdentityTransform();
	const Case cases[] = {
		{"corner",
	     {Flat, Flat},
	     {still, Placed((drapeVec3){0.4f, 0.2f, 0.37f}, (drapeVec3){0.7f, 0.0f, -0.7f}, -0.4f)},
	     true},
		{"fold", {Fold, NULL}, {still, still}, false},
		{"rim to rim", {Flat, Flat}, {still, Placed((drapeVec3){0.01f, 0.35f, 0.02f}, z, 1.5f)}, true},
		{"shallow", {Flat, Flat}, {still, Placed((drapeVec3){0.0f, 0.002f, 0.0f}, x, 0.05f)}, false},
	};
	return cases[number];
}

enum
{
	caseCount = 4,
	mostSteps = 90, // 1.5 s
};

// Runs until nothing crosses, and for a quarter of a second more. The statistics of a step have the crossings that it began
// with.
static void ExpectFree(const char* name, drapeScheme scheme, drapeWorldId world)
{
	uint32_t before = Crossings(world), first = before, freeAt = UINT32_MAX;
	float stretch = 0.0f;
	assert_true(before > 0);
	for (uint32_t i = 0; i < mostSteps + 15 && (freeAt == UINT32_MAX || i < freeAt + 15); ++i)
	{
		drapeResult result = drapeWorld_Step(world, frame);
		if (result != drape_ok)
			fail_msg("%s: step %u: %s", name, i, drapeResult_GetText(result));
		drapeCounters stats = drapeWorld_GetCounters(world);
		drapeMeasures measures = drapeWorld_GetMeasures(world);
		// Adaptation has changed the triangles in between.
		assert_true((stats.crossings > 0) == (before > 0));
		assert_true(scheme != drape_schemeFixed || stats.crossings == before);
		// Pins stretch single edges without any knot.
		stretch = fmaxf(stretch, before > 0 ? measures.stretchMax : measures.stretch99);
		before = Crossings(world);
		assert_true(freeAt == UINT32_MAX || before == 0);
		freeAt = before == 0 && freeAt == UINT32_MAX ? i + 1 : freeAt;
	}
	Sheet_Check(world);
	print_message("%-12s %5u triangles, %3u crossings, free after %.2f s, stretched to %.2f\n", name,
	              drapeWorld_GetCounters(world).triangles, first, (double)((float)freeAt * frame), (double)stretch);
	assert_true(freeAt <= mostSteps);
	assert_true(stretch < 1.6f);
	drapeDestroyWorld(world);
}

static void CrossedClothsComeFreeDuringTheRun(void** state)
{
	(void)state;
	static const drapeScheme schemes[] = {drape_schemeFixed, drape_schemeEdge, drape_schemeSqrt3};
	static const uint32_t sizes[] = {8, 23};
	for (int number = 0; number < caseCount; ++number)
	{
		for (int size = 0; size < (isSlow ? 1 : 2); ++size)
		{
			for (int scheme = 0; scheme < (isSlow ? 1 : 3); ++scheme)
			{
				Case scene = CaseOf(number);
				ExpectFree(scene.name, schemes[scheme], MakeWorld(&scene, sizes[size], schemes[scheme], 1));
			}
		}
	}
}

static void CrossedClothsComeFreeWithAnyImplicitIntegrator(void** state)
{
	(void)state;
	static const drapeIntegrator integrators[] = {drape_integratorBdf2, drape_integratorImplicitMidpoint};
	for (int i = 0; i < 2; ++i)
	{
		integrator = integrators[i];
		for (int number = 0; number < caseCount; ++number)
		{
			Case scene = CaseOf(number);
			ExpectFree(scene.name, drape_schemeFixed, MakeWorld(&scene, 16, drape_schemeFixed, 1));
		}
	}
	integrator = drape_integratorImplicitEuler;
}

static void ThreeSheetsComeFree(void** state)
{
	(void)state;
	drapeWorldId world = Sheet_World(2);
	for (int i = 0; i < 3; ++i)
	{
		drapeTransform at =
			Placed((drapeVec3){0.1f * (float)i, 0.05f * (float)i, 0.0f},
		           (drapeVec3){cosf(1.3f * (float)i), 0.2f, sinf(1.3f * (float)i)}, 0.3f + 0.1f * (float)i);
		AddSheet(world, 12, drape_schemeFixed, Flat, &at);
	}
	ExpectFree("three sheets", drape_schemeFixed, world);
}

static void AnyNumberOfThreadsGivesTheSame(void** state)
{
	(void)state;
	for (int number = 0; number < caseCount; ++number)
	{
		Case scene = CaseOf(number);
		drapeWorldId one = MakeWorld(&scene, 16, drape_schemeEdge, 1), two = MakeWorld(&scene, 16, drape_schemeEdge, 2);
		for (int i = 0; i < 20; ++i)
		{
			assert_int_equal(drapeWorld_Step(one, frame), drape_ok);
			assert_int_equal(drapeWorld_Step(two, frame), drape_ok);
			assert_true(drapeWorld_GetHash(one) == drapeWorld_GetHash(two));
		}
		drapeDestroyWorld(one);
		drapeDestroyWorld(two);
	}
}

static void ASnapshotInTheMiddleOfAKnotGoesOnBitForBit(void** state)
{
	(void)state;
	Case scene = CaseOf(2);
	drapeWorldId world = MakeWorld(&scene, 16, drape_schemeFixed, 1);
	for (int i = 0; i < 4; ++i)
		assert_int_equal(drapeWorld_Step(world, frame), drape_ok);
	assert_true(Crossings(world) > 0);
	size_t size = Make_Snapshot(world, NULL, 0);
	void* data = malloc(size);
	assert_non_null(data);
	assert_int_equal(Make_Snapshot(world, data, size), size);
	drapeWorldId other = MakeWorld(&scene, 16, drape_schemeFixed, 2);
	assert_int_equal(drapeWorld_Load(other, data, size), drape_ok);
	for (int i = 0; i < 20; ++i)
	{
		assert_int_equal(drapeWorld_Step(world, frame), drape_ok);
		assert_int_equal(drapeWorld_Step(other, frame), drape_ok);
		assert_true(drapeWorld_GetHash(world) == drapeWorld_GetHash(other));
	}
	free(data);
	drapeDestroyWorld(world);
	drapeDestroyWorld(other);
}

// Contact keeps sheets apart that are apart: the statistics say so, in every step.
static void NoCrossingsAreReportedWhereThereAreNone(void** state)
{
	(void)state;
	drapeWorldId world = Sheet_World(1);
	drapeColliderDef ball = drapeDefaultColliderDef();
	ball.radius = 0.2f;
	ball.transform.position.y = -0.25f;
	assert_true(drapeCollider_IsValid(Make_Collider(world, &ball)));
	for (int i = 0; i < 3; ++i)
	{
		drapeTransform at =
			Placed((drapeVec3){0.0f, 0.01f * (float)i, 0.0f}, (drapeVec3){0.0f, 1.0f, 0.0f}, 0.2f * (float)i);
		AddSheet(world, 12, drape_schemeEdge, Flat, &at);
	}
	for (int i = 0; i < 60; ++i)
	{
		assert_int_equal(drapeWorld_Step(world, frame), drape_ok);
		assert_int_equal(drapeWorld_GetCounters(world).crossings, 0);
		assert_int_equal(Crossings(world), 0);
	}
	drapeDestroyWorld(world);
}

// A sheet through a ball of triangles is counted, too.
static void CrossingsWithMeshesAreReported(void** state)
{
	(void)state;
	drapeWorldId world = Sheet_World(1);
	drapeMesh mesh = TestMesh_Sphere(3, 0.2f);
	drapeColliderDef def = drapeDefaultColliderDef();
	def.shape = drape_shapeMesh;
	def.mesh = &mesh;
	assert_true(drapeCollider_IsValid(Make_Collider(world, &def)));
	TestMesh_Free(&mesh);
	drapeTransform at = drapeIdentityTransform();
	at.position.y = 0.05f;
	AddSheet(world, 12, drape_schemeFixed, Flat, &at);
	uint32_t before = Crossings(world);
	assert_true(before > 0);
	assert_int_equal(drapeWorld_Step(world, frame), drape_ok);
	assert_int_equal(drapeWorld_GetCounters(world).crossings, before);
	drapeDestroyWorld(world);
}

static void EveryFailedAllocationLeavesTheWorldAsItWas(void** state)
{
	(void)state;
	Case scene = CaseOf(0);
	Test_BeginLimitedMemory();
	drapeWorldId world = MakeWorld(&scene, 8, drape_schemeFixed, 1);
	uint64_t before = drapeWorld_GetHash(world);
	size_t allowed = 0;
	drapeResult result = drape_errorMemory;
	for (; result == drape_errorMemory; ++allowed)
	{
		Test_AllowAllocations(allowed);
		result = drapeWorld_Step(world, frame);
		if (result == drape_errorMemory)
			assert_true(drapeWorld_GetHash(world) == before);
	}
	assert_int_equal(result, drape_ok);
	assert_true(allowed > 5);
	Test_AllowAllocations(SIZE_MAX);
	drapeDestroyWorld(world);
	Test_EndLimitedMemory();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(CrossedClothsComeFreeDuringTheRun),
		cmocka_unit_test(CrossedClothsComeFreeWithAnyImplicitIntegrator),
		cmocka_unit_test(ThreeSheetsComeFree),
		cmocka_unit_test(AnyNumberOfThreadsGivesTheSame),
		cmocka_unit_test(ASnapshotInTheMiddleOfAKnotGoesOnBitForBit),
		cmocka_unit_test(NoCrossingsAreReportedWhereThereAreNone),
		cmocka_unit_test(CrossingsWithMeshesAreReported),
		cmocka_unit_test(EveryFailedAllocationLeavesTheWorldAsItWas),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
