// SPDX-License-Identifier: MIT
#include "meshes.h"
#include "shared/make.h"
#include "sheet.h"

#include <math.h>

// What can be asked about contact: triangles that cross, contact points, meshes of colliders, statistics.

static const float frame = 1.0f / 60.0f;

// A settling sheet of 1 m x 1 m, flat at this height, turned about z.
static drapeClothId AddSheet(drapeWorldId world, uint32_t quads, float height, float angle)
{
	drapeMesh mesh;
	assert_int_equal(drapeMesh_CreateGrid(quads, quads, 1.0f, 1.0f, &mesh, NULL), drape_ok);
	drapeClothDef def = Sheet_SettlingDef();
	drapeTransform at = {{0.0f, height, 0.0f}, drapeQuat_FromAxisAngle((drapeVec3){0.0f, 0.0f, 1.0f}, angle), 1.0f};
	for (uint32_t i = 0; i < mesh.vertexCount; ++i)
		((drapeVec3*)mesh.positions)[i] = drapeTransform_Point(at, mesh.positions[i]);
	def.mesh = &mesh;
	drapeClothId cloth = Make_Cloth(world, &def);
	drapeMesh_Free(&mesh);
	assert_true(drapeCloth_IsValid(cloth));
	return cloth;
}

static drapeColliderId AddBall(drapeWorldId world, float radius, drapeVec3 position)
{
	drapeMesh mesh = TestMesh_Sphere(3, radius);
	drapeColliderDef def = drapeDefaultColliderDef();
	def.shape = drape_shapeMesh;
	def.mesh = &mesh;
	def.transform.position = position;
	drapeColliderId collider = Make_Collider(world, &def);
	TestMesh_Free(&mesh);
	assert_true(drapeCollider_IsValid(collider));
	return collider;
}

static uint32_t Crossings(drapeWorldId world)
{
	uint32_t count = UINT32_MAX;
	assert_int_equal(drapeWorld_FindCrossings(world, NULL, 0, &count), drape_ok);
	return count;
}

// --- crossings ---

static void SheetsApartDoNotCross(void** state)
{
	(void)state;
	drapeWorldId world = Sheet_World(1);
	assert_int_equal(Crossings(world), 0);
	AddSheet(world, 8, 0.0f, 0.0f);
	AddSheet(world, 8, 0.001f, 0.0f);
	AddBall(world, 0.3f, (drapeVec3){0.0f, -0.31f, 0.0f});
	assert_int_equal(Crossings(world), 0);
	drapeDestroyWorld(world);
}

static void CrossingsOfTwoSheetsLieOnTheLineWhereTheyMeet(void** state)
{
	(void)state;
	drapeWorldId world = Sheet_World(1);
	drapeClothId first = AddSheet(world, 7, 0.0f, 0.0f), second = AddSheet(world, 7, 0.0f, 1.0f);
	drapeCrossing list[256];
	uint32_t count;
	assert_int_equal(drapeWorld_FindCrossings(world, list, 256, &count), drape_ok);
	// Along the line z each of 7 quads of one meets at least one of the other.
	assert_true(count >= 14 && count <= 256);
	for (uint32_t i = 0; i < count; ++i)
	{
		assert_int_equal(list[i].cloth.index1, first.index1);
		assert_int_equal(list[i].otherCloth.index1, second.index1);
		assert_int_equal(list[i].collider.index1, 0);
		assert_true(fabsf(list[i].position.x) < 1e-5f && fabsf(list[i].position.y) < 1e-5f);
		assert_true(fabsf(list[i].position.z) < 0.5001f);
	}
	drapeDestroyWorld(world);
}

static void NoMoreAreWrittenThanTheCapacity(void** state)
{
	(void)state;
	drapeWorldId world = Sheet_World(1);
	AddSheet(world, 7, 0.0f, 0.0f);
	AddSheet(world, 7, 0.0f, 1.0f);
	drapeCrossing list[4] = {0};
	uint32_t count;
	assert_int_equal(drapeWorld_FindCrossings(world, list, 3, &count), drape_ok);
	assert_true(count > 3 && list[2].cloth.index1 > 0 && list[3].cloth.index1 == 0);
	drapeDestroyWorld(world);
}

// A strip whose one end goes through its other.
static void AClothThatCrossesItselfIsFound(void** state)
{
	(void)state;
	drapeWorldId world = Sheet_World(2);
	drapeClothId cloth = AddSheet(world, 10, 0.0f, 0.0f);
	assert_int_equal(Crossings(world), 0);
	drapeClothView view = drapeCloth_GetView(cloth);
	drapeVec3 positions[121];
	for (uint32_t i = 0; i < view.particleCount; ++i)
	{
		// Once round and a little more, inward.
		float angle = 7.0f * (view.positions[i].x + 0.5f), radius = 0.2f + 0.03f * sinf(2.0f * angle + 0.3f);
		positions[i] = (drapeVec3){radius * cosf(angle), radius * sinf(angle), view.positions[i].z};
	}
	assert_int_equal(drapeCloth_SetPositions(cloth, positions), drape_ok);
	drapeCrossing one;
	uint32_t count;
	assert_int_equal(drapeWorld_FindCrossings(world, &one, 1, &count), drape_ok);
	assert_true(count > 0);
	assert_int_equal(one.cloth.index1, cloth.index1);
	assert_int_equal(one.otherCloth.index1, cloth.index1);
	assert_true(one.triangle != one.otherTriangle);
	drapeDestroyWorld(world);
}

static void AClothThroughAMeshIsFoundWithItsCollider(void** state)
{
	(void)state;
	drapeWorldId world = Sheet_World(1);
	AddSheet(world, 16, 0.0f, 0.0f);
	drapeColliderId gone = AddBall(world, 0.1f, (drapeVec3){0.0f, 0.0f, 0.0f});
	drapeColliderId ball = AddBall(world, 0.3f, (drapeVec3){0.05f, 0.1f, 0.0f});
	drapeDestroyCollider(gone);
	drapeCrossing list[512];
	uint32_t count;
	assert_int_equal(drapeWorld_FindCrossings(world, list, 512, &count), drape_ok);
	assert_true(count > 20 && count <= 512);
	float radius = sqrtf(0.3f * 0.3f - 0.1f * 0.1f);
	for (uint32_t i = 0; i < count; ++i)
	{
		assert_true(list[i].collider.index1 == ball.index1 && list[i].collider.generation == ball.generation);
		assert_int_equal(list[i].otherCloth.index1, 0);
		assert_true(fabsf(list[i].position.y) < 1e-5f);
		assert_true(fabsf(hypotf(list[i].position.x - 0.05f, list[i].position.z) - radius) < 0.01f);
	}
	drapeDestroyWorld(world);
}

// --- shapes ---

static drapeColliderId AddShape(drapeWorldId world, drapeColliderShape shape, drapeVec3 position)
{
	drapeColliderDef def = drapeDefaultColliderDef();
	def.shape = shape;
	def.radius = 0.1f;
	def.topRadius = 0.04f;
	def.halfHeight = 0.2f;
	def.halfExtents = (drapeVec3){0.1f, 0.2f, 0.15f};
	def.transform.position = position;
	drapeColliderId collider = Make_Collider(world, &def);
	assert_true(drapeCollider_IsValid(collider));
	return collider;
}

// How far the shapes of AddShape reach up.
static float HeightOf(drapeColliderShape shape)
{
	static const float heights[] = {
		[drape_shapeSphere] = 0.1f, [drape_shapeCapsule] = 0.3f, [drape_shapeCylinder] = 0.2f,
		[drape_shapeBox] = 0.2f,    [drape_shapePlane] = 0.0f,   [drape_shapeTaperedCapsule] = 0.24f,
	};
	return heights[shape];
}

// A sheet just above each shape does not cross it; a little lower it does, with faces alone, since its triangles are
// larger than the shape.
static void FacesThatComeIntoAShapeAreFound(void** state)
{
	(void)state;
	for (int shape = 0; drapeColliderShape_GetInfo((drapeColliderShape)shape); ++shape)
	{
		if (shape == drape_shapeMesh)
			continue;
		for (int i = 0; i < 4; ++i)
		{
			static const float heights[] = {1e-4f, 0.0f, -1e-4f, -0.09f};
			drapeWorldId world = Sheet_World(1);
			drapeClothId cloth = AddSheet(world, 1, HeightOf((drapeColliderShape)shape) + heights[i], 0.0f);
			drapeColliderId collider = AddShape(world, (drapeColliderShape)shape, (drapeVec3){0.2f, 0.0f, 0.1f});
			drapeCrossing list[4];
			uint32_t count;
			assert_int_equal(drapeWorld_FindCrossings(world, list, 4, &count), drape_ok);
			assert_int_equal(count > 0, i >= 2);
			for (uint32_t k = 0; k < count; ++k)
			{
				assert_int_equal(list[k].cloth.index1, cloth.index1);
				assert_int_equal(list[k].collider.index1, collider.index1);
				assert_int_equal(list[k].otherCloth.index1, 0);
				assert_int_equal(list[k].otherTriangle, DRAPE_NONE);
				assert_true(fabsf(list[k].position.y - HeightOf((drapeColliderShape)shape) - heights[i]) < 1e-5f);
				if (shape != drape_shapePlane)
					assert_true(hypotf(list[k].position.x - 0.2f, list[k].position.z - 0.1f) < 0.2f);
			}
			drapeDestroyWorld(world);
		}
	}
}

// An upright sheet whose lower edge dips into the shape, and one that is wholly inside a box.
static void EdgesAndInsidesCountAsWell(void** state)
{
	(void)state;
	for (int shape = 0; drapeColliderShape_GetInfo((drapeColliderShape)shape); ++shape)
	{
		if (shape == drape_shapeMesh)
			continue;
		drapeWorldId world = Sheet_World(1);
		AddSheet(world, 2, HeightOf((drapeColliderShape)shape) + 0.5f, 1.5707963f);
		drapeColliderId above = AddShape(world, (drapeColliderShape)shape, (drapeVec3){0.0f, -0.001f, 0.2f});
		assert_int_equal(Crossings(world), 0);
		drapeDestroyCollider(above);
		AddShape(world, (drapeColliderShape)shape, (drapeVec3){0.0f, 0.01f, 0.2f});
		assert_true(Crossings(world) > 0);
		drapeDestroyWorld(world);
	}
	drapeWorldId world = Sheet_World(1);
	AddSheet(world, 2, 0.0f, 0.0f);
	drapeColliderDef def = drapeDefaultColliderDef();
	def.shape = drape_shapeBox;
	Make_Collider(world, &def);
	assert_int_equal(Crossings(world), 8);
	drapeDestroyWorld(world);
}

// What contact "all" holds is never said to cross.
static void AClothAtRestOnAShapeDoesNotCrossIt(void** state)
{
	(void)state;
	for (int shape = 0; drapeColliderShape_GetInfo((drapeColliderShape)shape); ++shape)
	{
		if (shape == drape_shapeMesh)
			continue;
		drapeWorldId world = Sheet_World(1);
		AddShape(world, (drapeColliderShape)shape, (drapeVec3){0.0f, -HeightOf((drapeColliderShape)shape), 0.0f});
		AddSheet(world, 10, 0.005f, 0.0f);
		for (int i = 0; i < (isSlow ? 10 : 40); ++i)
		{
			assert_int_equal(drapeWorld_Step(world, frame), drape_ok);
			assert_int_equal(Crossings(world), 0);
		}
		drapeDestroyWorld(world);
	}
}

static void AnyNumberOfThreadsFindsTheSame(void** state)
{
	(void)state;
	drapeCrossing lists[2][256];
	uint32_t counts[2];
	for (uint32_t i = 0; i < 2; ++i)
	{
		drapeWorldId world = Sheet_World(1 + 2 * i);
		AddSheet(world, 30, 0.0f, 0.0f);
		AddSheet(world, 30, 0.0f, 0.3f);
		AddBall(world, 0.3f, (drapeVec3){0.0f, 0.1f, 0.0f});
		assert_int_equal(drapeWorld_FindCrossings(world, lists[i], 256, &counts[i]), drape_ok);
		drapeDestroyWorld(world);
	}
	assert_int_equal(counts[0], counts[1]);
	for (uint32_t i = 0; i < counts[0] && i < 256; ++i)
	{
		assert_int_equal(lists[0][i].triangle, lists[1][i].triangle);
		assert_int_equal(lists[0][i].otherTriangle, lists[1][i].otherTriangle);
	}
}

static void FindingSurvivesEveryFailedAllocation(void** state)
{
	(void)state;
	uint32_t failures = 0;
	for (bool isDone = false; !isDone; ++failures)
	{
		Test_FailAllocation(SIZE_MAX, false);
		drapeWorldId world = Sheet_World(1);
		AddSheet(world, 4, 0.0f, 0.0f);
		AddSheet(world, 4, 0.0f, 1.0f);
		AddBall(world, 0.3f, (drapeVec3){0.0f, 0.1f, 0.0f});
		size_t before = Test_AllocationCount();
		drapeDestroyWorld(world);
		Test_FailAllocation(before + failures + 1, false);
		world = Sheet_World(1);
		AddSheet(world, 4, 0.0f, 0.0f);
		AddSheet(world, 4, 0.0f, 1.0f);
		AddBall(world, 0.3f, (drapeVec3){0.0f, 0.1f, 0.0f});
		uint32_t count = 1;
		drapeResult result = drapeWorld_FindCrossings(world, NULL, 0, &count);
		isDone = result == drape_ok;
		assert_true(isDone ? count > 0 : result == drape_errorMemory && count == 0);
		drapeDestroyWorld(world);
		Test_FailAllocation(0, false);
	}
	assert_true(failures > 5);
}

// --- contact points and statistics ---

// Two sheets that have come to rest on each other and a ball: they touch, without crossing.
static void SheetsThatLieOnEachOtherHaveContactPointsBetweenThem(void** state)
{
	(void)state;
	drapeWorldId world = Sheet_World(1);
	AddBall(world, 0.3f, (drapeVec3){0.0f, -0.301f, 0.0f});
	drapeClothId lower = AddSheet(world, 12, 0.002f, 0.0f), upper = AddSheet(world, 12, 0.012f, 0.0f);
	assert_int_equal(drapeCloth_GetContacts(upper, NULL, 0), 0);
	uint32_t impacts = 0;
	for (int i = 0; i < (isSlow ? 20 : 40); ++i)
	{
		assert_int_equal(drapeWorld_Step(world, frame), drape_ok);
		drapeCounters costs = drapeWorld_GetCounters(world);
		impacts += costs.impacts;
		assert_int_equal(Crossings(world), 0);
	}
	drapeContactPoint points[1024];
	uint32_t onUpper = drapeCloth_GetContacts(upper, points, 1024);
	uint32_t onLower = drapeCloth_GetContacts(lower, NULL, 0);
	assert_true(onUpper > 0 && onUpper <= 1024 && onLower > 0);
	drapeCounters stats = drapeWorld_GetCounters(world);
	drapeMeasures measures = drapeWorld_GetMeasures(world);
	// Particles on colliders are contacts, too.
	assert_int_equal(stats.contactPoints + stats.contacts, onUpper + onLower);
	assert_int_equal(drapeCloth_GetCounters(upper).contactPoints + drapeCloth_GetCounters(upper).contacts, onUpper);
	assert_true(impacts + stats.contacts > 0);
	assert_true(measures.deepest < 1e-4f);
	uint32_t upward = 0;
	for (uint32_t i = 0; i < onUpper; ++i)
	{
		float length = sqrtf(points[i].normal.x * points[i].normal.x + points[i].normal.y * points[i].normal.y +
		                     points[i].normal.z * points[i].normal.z);
		assert_true(fabsf(length - 1.0f) < 1e-3f);
		assert_true(points[i].distance >= 0.0f && points[i].distance < 0.02f);
		assert_true(fabsf(points[i].position.x) < 0.6f && points[i].position.y < 0.05f);
		upward += points[i].normal.y > 0.0f;
	}
	// The upper one is above the lower one.
	assert_true(upward > onUpper / 2);
	drapeDestroyWorld(world);
}

static void PointsOfAMeshThatWasChangedAreNotGiven(void** state)
{
	(void)state;
	drapeWorldId world = Sheet_World(1);
	drapeMesh mesh;
	assert_int_equal(drapeMesh_CreateGrid(2, 2, 1.0f, 1.0f, &mesh, NULL), drape_ok);
	drapeClothDef def = Make_SpringClothDef();
	def.mesh = &mesh;
	def.contact = drape_contactAll;
	drapeClothId cloth = Make_Cloth(world, &def);
	drapeMesh_Free(&mesh);
	assert_int_equal(drapeWorld_Step(world, frame), drape_ok);
	assert_int_equal(drapeCloth_Refine(cloth), drape_ok);
	assert_int_equal(drapeCloth_GetContacts(cloth, NULL, 0), 0);
	drapeDestroyWorld(world);
}

static void DepthIsThatOfTheDeepestParticle(void** state)
{
	(void)state;
	drapeWorldId world = Sheet_World(1);
	drapeClothId cloth = AddSheet(world, 8, 0.0f, 0.0f);
	drapeColliderDef def = drapeDefaultColliderDef();
	def.shape = drape_shapePlane;
	def.transform.position.y = -0.01f;
	Make_Collider(world, &def);
	AddBall(world, 0.3f, (drapeVec3){0.0f, -0.5f, 0.0f});
	for (int i = 0; i < 10; ++i)
		assert_int_equal(drapeWorld_Step(world, frame), drape_ok);
	assert_true(drapeWorld_GetCounters(world).contacts > 0);
	assert_true(drapeWorld_GetMeasures(world).deepest < 1e-5f);
	drapeClothView view = drapeCloth_GetView(cloth);
	drapeVec3 positions[81];
	for (uint32_t i = 0; i < view.particleCount; ++i)
		positions[i] = (drapeVec3){view.positions[i].x, -0.01f - 0.001f * (float)(i % 7), view.positions[i].z};
	assert_int_equal(drapeCloth_SetPositions(cloth, positions), drape_ok);
	assert_true(fabsf(drapeCloth_GetMeasures(cloth).deepest - 0.006f) < 1e-5f);
	drapeDestroyWorld(world);
}

// --- meshes of colliders ---

static void AMeshColliderShowsItsTrianglesWhereTheyAre(void** state)
{
	(void)state;
	drapeWorldId world = Sheet_World(1);
	drapeColliderId ball = AddBall(world, 0.3f, (drapeVec3){1.0f, 2.0f, 3.0f});
	drapeColliderView view = drapeCollider_GetView(ball);
	assert_int_equal(view.triangleCount, 8 * 64);
	for (uint32_t i = 0; i < view.vertexCount; ++i)
	{
		drapeVec3 d = {view.positions[i].x - 1.0f, view.positions[i].y - 2.0f, view.positions[i].z - 3.0f};
		assert_true(fabsf(sqrtf(d.x * d.x + d.y * d.y + d.z * d.z) - 0.3f) < 1e-5f);
	}
	drapeTransform moved = drapeIdentityTransform();
	moved.position.x = 5.0f;
	drapeCollider_SetTransform(ball, moved);
	assert_int_equal(drapeWorld_Step(world, frame), drape_ok);
	float right = 0.0f;
	view = drapeCollider_GetView(ball);
	for (uint32_t i = 0; i < view.vertexCount; ++i)
		right = fmaxf(right, view.positions[i].x);
	assert_true(fabsf(right - 5.3f) < 1e-5f);
	drapeColliderDef plane = drapeDefaultColliderDef();
	assert_int_equal(drapeCollider_GetView(Make_Collider(world, &plane)).triangleCount, 0);
	drapeDestroyWorld(world);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(SheetsApartDoNotCross),
		cmocka_unit_test(CrossingsOfTwoSheetsLieOnTheLineWhereTheyMeet),
		cmocka_unit_test(NoMoreAreWrittenThanTheCapacity),
		cmocka_unit_test(AClothThatCrossesItselfIsFound),
		cmocka_unit_test(AClothThroughAMeshIsFoundWithItsCollider),
		cmocka_unit_test(FacesThatComeIntoAShapeAreFound),
		cmocka_unit_test(EdgesAndInsidesCountAsWell),
		cmocka_unit_test(AClothAtRestOnAShapeDoesNotCrossIt),
		cmocka_unit_test(AnyNumberOfThreadsFindsTheSame),
		cmocka_unit_test(FindingSurvivesEveryFailedAllocation),
		cmocka_unit_test(SheetsThatLieOnEachOtherHaveContactPointsBetweenThem),
		cmocka_unit_test(PointsOfAMeshThatWasChangedAreNotGiven),
		cmocka_unit_test(DepthIsThatOfTheDeepestParticle),
		cmocka_unit_test(AMeshColliderShowsItsTrianglesWhereTheyAre),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
