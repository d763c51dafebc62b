// SPDX-License-Identifier: MIT
#include "contact_scene.h"
#include "shared/make.h"

#include "meshes.h"
#include "sheet.h"

#include <math.h>
#include <stdlib.h>

// Colliders that nobody would make on purpose: handled or refused with a report; never a number that is none.

static const float dt = 1.0f / 60.0f;

static drapeWorldId World(void)
{
	drapeWorldDef def = drapeDefaultWorldDef();
	drapeWorldId world = Make_World(&def);
	assert_true(drapeWorld_IsValid(world));
	return world;
}

static drapeClothId AddCloth(drapeWorldId world, float height)
{
	drapeMesh mesh;
	assert_int_equal(drapeMesh_CreateGrid(6, 6, 1.0f, 1.0f, &mesh, NULL), drape_ok);
	drapeClothDef def = Make_SpringClothDef();
	def.mesh = &mesh;
	def.contact = drape_contactAll;
	def.model = drape_modelFem;
	def.solver = drapeDefaultSolverDef();
	def.adapt.scheme = drape_schemeFixed;
	drapeClothId cloth = Make_Cloth(world, &def);
	drapeMesh_Free(&mesh);
	assert_true(drapeCloth_IsValid(cloth));
	drapeClothView view = drapeCloth_GetView(cloth);
	drapeVec3 positions[49];
	for (uint32_t i = 0; i < 49; ++i)
		positions[i] = (drapeVec3){view.positions[i].x, height, view.positions[i].z};
	assert_int_equal(drapeCloth_SetPositions(cloth, positions), drape_ok);
	return cloth;
}

static drapeColliderId AddMesh(drapeWorldId world, const drapeMesh* mesh, drapeTransform at,
                               drapeColliderReport* report)
{
	drapeColliderDef def = drapeDefaultColliderDef();
	def.shape = drape_shapeMesh;
	def.mesh = mesh;
	def.transform = at;
	def.report = report;
	return Make_Collider(world, &def);
}

// Each step succeeds, or says why not; positions are numbers in any case.
static void Run(drapeWorldId world, drapeClothId cloth, uint32_t steps)
{
	for (uint32_t i = 0; i < steps; ++i)
	{
		drapeResult result = drapeWorld_Step(world, dt);
		assert_true(result == drape_ok || drapeWorld_GetWarning(world).text[0] != 0);
		drapeClothView view = drapeCloth_GetView(cloth);
		for (uint32_t k = 0; k < view.particleCount; ++k)
			assert_true(isfinite(view.positions[k].x + view.positions[k].y + view.positions[k].z) &&
			            isfinite(view.velocities[k].x + view.velocities[k].y + view.velocities[k].z));
	}
}

static void RunOn(drapeMesh* mesh, drapeTransform at, drapeColliderReport* report)
{
	drapeWorldId world = World();
	drapeClothId cloth = AddCloth(world, 0.35f);
	drapeColliderId collider = AddMesh(world, mesh, at, report);
	assert_true(drapeCollider_IsValid(collider));
	assert_null(report->problem);
	Run(world, cloth, isSlow ? 15 : 40);
	drapeDestroyWorld(world);
	assert_int_equal(drapeGetMemoryUse().bytes, 0);
	TestMesh_Free(mesh);
}

static void OpenMeshIsASheetWithTwoSides(void** state)
{
	(void)state;
	drapeMesh mesh = TestMesh_Tube(8, 3, 0.3f, 0.6f);
	drapeColliderReport report;
	RunOn(&mesh, drapeIdentityTransform(), &report);
	assert_true(!report.isClosed && report.boundaryEdges > 0 && report.nonManifoldEdges == 0);
}

static void InsideOutMeshIsTurnedOver(void** state)
{
	(void)state;
	drapeMesh mesh = TestMesh_Sphere(2, 0.3f);
	for (uint32_t i = 0; i < mesh.triangleCount; ++i)
		TestMesh_FlipTriangle(&mesh, i);
	drapeColliderReport report;
	RunOn(&mesh, drapeIdentityTransform(), &report);
	assert_true(report.isClosed && report.isTurned);
}

static void FlippedTrianglesAreCounted(void** state)
{
	(void)state;
	drapeMesh mesh = TestMesh_Sphere(2, 0.3f);
	TestMesh_FlipTriangle(&mesh, 3);
	drapeColliderReport report;
	RunOn(&mesh, drapeIdentityTransform(), &report);
	assert_int_equal(report.flippedEdges, 3);
}

static void TrianglesWithoutAreaAreLeftOut(void** state)
{
	(void)state;
	drapeMesh mesh = TestMesh_Sphere(2, 0.3f);
	uint32_t* triangles = TestMesh_Triangles(&mesh);
	triangles[3 * 5 + 1] = triangles[3 * 5];
	drapeColliderReport report;
	RunOn(&mesh, drapeIdentityTransform(), &report);
	assert_true(report.dropped == 1 && report.firstDropped == 5);
	assert_int_equal(report.triangles, 128);
}

// Three sheets at one edge.
static void EdgesOfThreeTrianglesAreCounted(void** state)
{
	(void)state;
	const drapeVec3 positions[5] = {{-0.4f, 0.3f, 0}, {0.4f, 0.3f, 0}, {0, 0, 0.5f}, {0, 0, -0.5f}, {0, 0.1f, 0.1f}};
	const uint32_t triangles[9] = {0, 1, 2, 1, 0, 3, 0, 1, 4};
	drapeMesh mesh = TestMesh_FromArrays(positions, 5, triangles, 3);
	drapeColliderReport report;
	RunOn(&mesh, drapeIdentityTransform(), &report);
	assert_int_equal(report.nonManifoldEdges, 1);
}

// Two balls in one mesh, each half in the other.
static void MeshThroughItselfIsHandled(void** state)
{
	(void)state;
	drapeMesh ball = TestMesh_Sphere(1, 0.25f);
	uint32_t n = ball.vertexCount, m = ball.triangleCount;
	drapeVec3* positions = malloc(2 * n * sizeof *positions);
	uint32_t* triangles = malloc(6 * m * sizeof *triangles);
	assert_true(positions && triangles);
	for (uint32_t i = 0; i < 2 * n; ++i)
	{
		positions[i] = ball.positions[i % n];
		positions[i].x += i < n ? -0.1f : 0.12f;
	}
	for (uint32_t i = 0; i < 6 * m; ++i)
		triangles[i] = ball.triangles[i % (3 * m)] + (i < 3 * m ? 0 : n);
	drapeMesh mesh = TestMesh_FromArrays(positions, 2 * n, triangles, 2 * m);
	free(positions);
	free(triangles);
	TestMesh_Free(&ball);
	drapeColliderReport report;
	RunOn(&mesh, drapeIdentityTransform(), &report);
	assert_true(report.isClosed);
}

static void ColliderAMillionTimesTheWorldIsHandled(void** state)
{
	(void)state;
	drapeMesh mesh = TestMesh_Sphere(2, 1e6f);
	drapeColliderReport report;
	drapeTransform at = Placed(0, -1e6f, 0);
	RunOn(&mesh, at, &report);
	drapeWorldId world = World();
	drapeClothId cloth = AddCloth(world, 0.3f);
	drapeColliderDef box = drapeDefaultColliderDef();
	box.shape = drape_shapeBox;
	box.halfExtents = (drapeVec3){1e6f, 1e6f, 1e6f};
	box.transform.position.y = -1e6f;
	assert_true(drapeCollider_IsValid(Make_Collider(world, &box)));
	Run(world, cloth, 40);
	assert_true(ContactScene_Height(cloth) > -0.01f);
	drapeDestroyWorld(world);
}

static void RefuseMesh(const drapeMesh* mesh)
{
	drapeWorldId world = World();
	drapeColliderReport report;
	size_t bytes = drapeGetMemoryUse().bytes;
	assert_false(drapeCollider_IsValid(AddMesh(world, mesh, drapeIdentityTransform(), &report)));
	assert_non_null(report.problem);
	assert_true(drapeGetMemoryUse().bytes >= bytes); // slots may have been made
	// The place is free for another.
	drapeColliderDef ball = drapeDefaultColliderDef();
	assert_true(drapeCollider_IsValid(Make_Collider(world, &ball)));
	assert_int_equal(drapeWorld_Step(world, dt), drape_ok);
	drapeDestroyWorld(world);
	assert_int_equal(drapeGetMemoryUse().bytes, 0);
}

static void InvalidMeshesAreRefusedWithAReport(void** state)
{
	(void)state;
	const float bad[4] = {NAN, INFINITY, -INFINITY, 2e9f};
	for (int i = 0; i < 4; ++i)
	{
		drapeMesh mesh = TestMesh_Sphere(1, 0.3f);
		TestMesh_Positions(&mesh)[3].y = bad[i];
		RefuseMesh(&mesh);
		TestMesh_Free(&mesh);
	}
	drapeMesh mesh = TestMesh_Sphere(1, 0.3f);
	TestMesh_Triangles(&mesh)[7] = mesh.vertexCount;
	RefuseMesh(&mesh);
	TestMesh_Free(&mesh);
	RefuseMesh(&(drapeMesh){0});
	mesh = TestMesh_Grid(2, 2, 1.0f, 0.0f, 0.0f, 1);
	RefuseMesh(&mesh); // nothing of it has area
	TestMesh_Free(&mesh);
}

// --- motions --------------------------------------------------------------------------------------------------------

static void JumpingColliderIsHandled(void** state)
{
	(void)state;
	drapeWorldId world = World();
	drapeClothId cloth = AddCloth(world, 0.35f);
	drapeMesh mesh = TestMesh_Sphere(2, 0.3f);
	drapeColliderReport report;
	drapeColliderId collider = AddMesh(world, &mesh, drapeIdentityTransform(), &report);
	const drapeTransform places[] = {Placed(0, 1.0f, 0),    Placed(0, -1.0f, 0),
	                                 Placed(1000.0f, 0, 0), Turned(0, 0, 0, (drapeVec3){1, 1, 0}, 3.1f),
	                                 Placed(0, 1e8f, 0),    Placed(0, 0, 0)};
	for (int i = 0; i < 6; ++i)
	{
		Run(world, cloth, 5);
		drapeCollider_SetTransform(collider, places[i]);
	}
	Run(world, cloth, 10);
	TestMesh_Free(&mesh);
	drapeDestroyWorld(world);
}

static void ColliderThatTurnsInsideOutIsHandled(void** state)
{
	(void)state;
	drapeWorldId world = World();
	drapeClothId cloth = AddCloth(world, 0.31f);
	drapeMesh mesh = TestMesh_Sphere(2, 0.3f);
	drapeColliderReport report;
	drapeColliderId collider = AddMesh(world, &mesh, drapeIdentityTransform(), &report);
	drapeVec3* positions = TestMesh_Positions(&mesh);
	Run(world, cloth, 10);
	for (int i = 0; i < 12; ++i)
	{
		for (uint32_t k = 0; k < mesh.vertexCount; ++k)
		{
			// Through a point, then flat, then inside out at once.
			float scale = i < 6 ? 0.5f : i < 9 ? 1.0f : -1.0f;
			positions[k] =
				(drapeVec3){scale * positions[k].x, (i == 7 ? 0.0f : scale) * positions[k].y, scale * positions[k].z};
		}
		assert_int_equal(drapeCollider_SetPositions(collider, positions, mesh.vertexCount), drape_ok);
		Run(world, cloth, 2);
	}
	TestMesh_Free(&mesh);
	drapeDestroyWorld(world);
}

static void PositionsThatAreNoNumbersAreRefused(void** state)
{
	(void)state;
	drapeWorldId world = World();
	drapeClothId cloth = AddCloth(world, 0.31f);
	drapeMesh mesh = TestMesh_Sphere(1, 0.3f);
	drapeColliderReport report;
	drapeColliderId collider = AddMesh(world, &mesh, drapeIdentityTransform(), &report);
	drapeColliderDef ball = drapeDefaultColliderDef();
	ball.transform.position.y = -5.0f;
	drapeColliderId shape = Make_Collider(world, &ball);
	drapeVec3* positions = TestMesh_Positions(&mesh);
	uint64_t hash = drapeWorld_GetHash(world);
	float kept = positions[2].x;
	positions[2].x = NAN;
	assert_int_equal(drapeCollider_SetPositions(collider, positions, mesh.vertexCount), drape_errorData);
	positions[2].x = 1.1e9f;
	assert_int_equal(drapeCollider_SetPositions(collider, positions, mesh.vertexCount), drape_errorData);
	positions[2].x = kept;
	ASSERT_REFUSED(
		assert_int_equal(drapeCollider_SetPositions(collider, positions, mesh.vertexCount - 1), drape_errorArgument));
	ASSERT_REFUSED(assert_int_equal(drapeCollider_SetPositions(shape, positions, mesh.vertexCount), drape_errorArgument));
	assert_true(drapeWorld_GetHash(world) == hash);
	// Vertices that are in range, taken out of it by the collider's own scale.
	drapeTransform huge = drapeIdentityTransform();
	huge.scale = 9e8f;
	for (uint32_t i = 0; i < mesh.vertexCount; ++i)
		positions[i] = (drapeVec3){10.0f * positions[i].x, 10.0f * positions[i].y, 10.0f * positions[i].z};
	assert_int_equal(drapeCollider_SetPositions(collider, positions, mesh.vertexCount), drape_ok);
	drapeCollider_SetTransform(collider, huge);
	Run(world, cloth, 5);
	drapeCollider_SetTransform(collider, drapeIdentityTransform());
	Run(world, cloth, 5);
	TestMesh_Free(&mesh);
	drapeDestroyWorld(world);
}

// --- memory ---------------------------------------------------------------------------------------------------------

static void MissingMemoryMakesNoCollider(void** state)
{
	(void)state;
	bool isDone = false;
	drapeMesh mesh = TestMesh_Sphere(2, 0.3f);
	for (size_t number = 1; !isDone; ++number)
	{
		assert_true(number < 500);
		Test_FailAllocation(SIZE_MAX, false);
		drapeWorldId world = World();
		size_t before = Test_AllocationCount();
		drapeDestroyWorld(world);
		Test_FailAllocation(before + number, false);
		world = World();
		drapeColliderReport report;
		drapeColliderId collider = AddMesh(world, &mesh, drapeIdentityTransform(), &report);
		isDone = Test_AllocationCount() < before + number;
		assert_int_equal(drapeCollider_IsValid(collider), isDone);
		// The last one may fail within the step instead.
		drapeResult stepped = drapeWorld_Step(world, dt);
		assert_true(stepped == drape_ok || (isDone && stepped == drape_errorMemory));
		drapeDestroyWorld(world);
		Test_FailAllocation(0, false);
		assert_int_equal(drapeGetMemoryUse().bytes, 0);
	}
	TestMesh_Free(&mesh);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(OpenMeshIsASheetWithTwoSides),
		cmocka_unit_test(InsideOutMeshIsTurnedOver),
		cmocka_unit_test(FlippedTrianglesAreCounted),
		cmocka_unit_test(TrianglesWithoutAreaAreLeftOut),
		cmocka_unit_test(EdgesOfThreeTrianglesAreCounted),
		cmocka_unit_test(MeshThroughItselfIsHandled),
		cmocka_unit_test(ColliderAMillionTimesTheWorldIsHandled),
		cmocka_unit_test(InvalidMeshesAreRefusedWithAReport),
		cmocka_unit_test(JumpingColliderIsHandled),
		cmocka_unit_test(ColliderThatTurnsInsideOutIsHandled),
		cmocka_unit_test(PositionsThatAreNoNumbersAreRefused),
		cmocka_unit_test(MissingMemoryMakesNoCollider),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
