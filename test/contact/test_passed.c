// SPDX-License-Identifier: MIT
#include "support.h"

#include "base/tasks.h"
#include "contact/response/passed.h"
#include "meshes.h"

// Vertices of mesh colliders that pass through cloth (response/passed.h).

static const float dt = 1.0f / 60.0f;

// --- passes ---------------------------------------------------------------------------------------------------------

// A vertex, and then a triangle in the plane z = 0.
static const Vec3 corners[4] = {{0.2f, 0.3f, 1.0f}, {0.0f, 0.0f, 0.0f}, {1.0f, 0.0f, 0.0f}, {0.0f, 1.0f, 0.0f}};

static void CopyMoved(const Vec3 from[4], Vec3 vertexMove, Vec3 triangleMove, Vec3 to[4])
{
	for (int k = 0; k < 4; ++k)
		to[k] = V3Add(from[k], k == 0 ? vertexMove : triangleMove);
}

static bool PassesMoved(const Vec3 from[4], Vec3 vertexMove, Vec3 triangleMove)
{
	Vec3 to[4];
	CopyMoved(from, vertexMove, triangleMove, to);
	bool passes = drapePassed_Passes(from, to);
	// The same backwards, and with the triangle turned over.
	const Vec3 turnedFrom[4] = {from[0], from[1], from[3], from[2]}, turnedTo[4] = {to[0], to[1], to[3], to[2]};
	assert_int_equal(drapePassed_Passes(to, from), passes);
	assert_int_equal(drapePassed_Passes(turnedFrom, turnedTo), passes);
	return passes;
}

static void AVertexPassesOnlyThroughTheTriangleItself(void** state)
{
	(void)state;
	const Vec3 down = {0.0f, 0.0f, -2.0f}, rest = {0.0f, 0.0f, 0.0f};
	assert_true(PassesMoved(corners, down, rest));
	assert_true(PassesMoved(corners, (Vec3){0.3f, 0.1f, -2.0f}, rest));
	// It stops above, goes away, or passes beside each edge and each corner.
	assert_false(PassesMoved(corners, (Vec3){0.0f, 0.0f, -0.99f}, rest));
	assert_false(PassesMoved(corners, (Vec3){0.0f, 0.0f, 2.0f}, rest));
	const Vec3 beside[] = {{0.2f, -0.01f, 1.0f}, {-0.01f, 0.3f, 1.0f}, {0.6f, 0.41f, 1.0f},
	                       {-0.1f, -0.1f, 1.0f}, {1.1f, -0.05f, 1.0f}, {-0.05f, 1.1f, 1.0f}};
	for (int i = 0; i < 6; ++i)
	{
		const Vec3 from[4] = {beside[i], corners[1], corners[2], corners[3]};
		assert_false(PassesMoved(from, down, rest));
	}
}

static void OnlyRelativeMotionPasses(void** state)
{
	(void)state;
	const Vec3 up = {0.0f, 0.0f, 2.0f}, rest = {0.0f, 0.0f, 0.0f};
	assert_true(PassesMoved(corners, rest, up));
	assert_true(PassesMoved(corners, V3Scale(-0.5f, up), V3Scale(0.5f, up)));
	// Both move together, at any speed.
	for (int i = -3; i <= 3; ++i)
	{
		const Vec3 move = {0.5f * (float)i, 0.25f * (float)i, (float)i};
		assert_false(PassesMoved(corners, move, move));
	}
	// The triangle moves out of the way before the vertex is there.
	assert_false(PassesMoved(corners, V3Scale(-1.0f, up), (Vec3){10.0f, 0.0f, 0.0f}));
	// The triangle swings about its edge along y through the vertex.
	Vec3 to[4];
	CopyMoved(corners, rest, rest, to);
	to[2] = (Vec3){0.0f, 0.0f, 10.0f};
	assert_true(drapePassed_Passes(corners, to));
}

static void TrianglesWithoutAreaAreNotPassed(void** state)
{
	(void)state;
	const Vec3 down = {0.0f, 0.0f, -2.0f}, rest = {0.0f, 0.0f, 0.0f};
	const Vec3 line[4] = {corners[0], corners[1], corners[2], {0.5f, 0.0f, 0.0f}};
	const Vec3 point[4] = {corners[0], corners[1], corners[1], corners[1]};
	assert_false(PassesMoved(line, down, rest));
	assert_false(PassesMoved(point, down, rest));
}

// Passes of a vertex through a sheet that moves, over all triangles.
static uint32_t CountPasses(const drapeMesh* sheet, Vec3 from, Vec3 to, Vec3 sheetMove)
{
	uint32_t count = 0;
	for (uint32_t t = 0; t < sheet->triangleCount; ++t)
	{
		Vec3 a[4] = {from}, b[4] = {to};
		for (uint32_t k = 0; k < 3; ++k)
		{
			a[k + 1] = sheet->positions[sheet->triangles[3 * t + k]];
			b[k + 1] = V3Add(a[k + 1], sheetMove);
		}
		count += drapePassed_Passes(a, b);
	}
	return count;
}

// Vertices and edges of a sheet have no gap, and do not count twice: through the points of a lattice, most of which are
// on edges and vertices of the sheet.
static void AVertexThroughASheetPassesOnce(void** state)
{
	(void)state;
	drapeMesh flat = TestMesh_Grid(4, 4, 1.0f, 1.0f, 0.0f, 1);
	for (int i = 1; i < 32; ++i)
	{
		for (int j = 1; j < 32; ++j)
		{
			const Vec3 at = {(float)i / 32.0f, (float)j / 32.0f, 0.0f}, up = {0.0f, 0.0f, 0.5f};
			const Vec3 rest = {0.0f, 0.0f, 0.0f}, aside = {0.25f, -0.5f, 0.0f};
			assert_int_equal(CountPasses(&flat, V3Add(at, up), V3Sub(at, up), rest), 1);
			assert_int_equal(CountPasses(&flat, V3Sub(at, up), V3Add(at, up), rest), 1);
			assert_int_equal(CountPasses(&flat, V3Add(at, up), V3Sub(V3Add(at, aside), up), aside), 1);
		}
	}
	TestMesh_Free(&flat);
}

// A sheet with folds: from far above to far below, each vertex passes an odd number of times.
static void AVertexThroughAFoldedSheetPassesAnOddNumberOfTimes(void** state)
{
	(void)state;
	drapeMesh folded = TestMesh_Grid(6, 6, 1.0f, 1.0f, 0.3f, 7);
	uint32_t random = 5;
	for (uint32_t i = 0; i < folded.vertexCount; ++i)
		TestMesh_Positions(&folded)[i].z = 0.4f * TestMesh_RandomFloat(&random);
	for (int i = 0; i < 4000; ++i)
	{
		Vec3 at = {0.1f + 0.8f * TestMesh_RandomFloat(&random), 0.1f + 0.8f * TestMesh_RandomFloat(&random), 0.0f};
		const Vec3 up = {0.0f, 0.0f, 2.0f}, move = {0.1f, 0.2f, 0.3f};
		assert_int_equal(CountPasses(&folded, V3Add(at, up), V3Sub(at, up), (Vec3){0.0f, 0.0f, 0.0f}) % 2, 1);
		assert_int_equal(CountPasses(&folded, V3Add(at, up), V3Add(move, V3Sub(at, up)), move) % 2, 1);
	}
	TestMesh_Free(&folded);
}

// --- steps ----------------------------------------------------------------------------------------------------------

enum
{
	bodies = 3,
};

static const uint32_t slots[bodies] = {1, 4, 6};

// Boxes as colliders, and a cloth that they pass.
typedef struct Rig
{
	TaskPool* tasks;
	MeshShape shapes[bodies];
	MeshCollider meshes[bodies];
	uint32_t meshCount;
	PassedVertices passed;
	uint32_t asked; // calls of Crosses
	uint32_t crossedMesh, crossedTriangle;
} Rig;

static void Rig_AddMesh(Rig* rig, drapeMesh mesh)
{
	MeshShapeReport report;
	MeshShape* shape = &rig->shapes[rig->meshCount];
	assert_int_equal(drapeMeshShape_Create(shape, mesh.positions, mesh.vertexCount, mesh.triangles, mesh.triangleCount,
	                                       rig->tasks, &report),
	                 drape_ok);
	assert_true(shape->closed);
	rig->meshes[rig->meshCount] = (MeshCollider){.shape = shape, .slot = slots[rig->meshCount]};
	rig->meshCount++;
	TestMesh_Free(&mesh);
}

static void Rig_Create(Rig* rig)
{
	*rig = (Rig){.tasks = drapeTaskPool_Create(1, NULL, NULL, NULL), .crossedMesh = DRAPE_NONE};
	assert_non_null(rig->tasks);
}

static void Rig_CreateBoxes(Rig* rig)
{
	Rig_Create(rig);
	for (int i = 0; i < bodies; ++i)
		Rig_AddMesh(rig, TestMesh_Box(2, (Vec3){1.0f, 1.0f, 1.0f}));
}

static void Rig_Destroy(Rig* rig)
{
	for (uint32_t i = 0; i < bodies; ++i)
		drapeMeshShape_Destroy(&rig->shapes[i]);
	drapePassed_Destroy(&rig->passed);
	drapeTaskPool_Destroy(rig->tasks);
}

static void Rig_Begin(Rig* rig)
{
	assert_true(drapePassed_Begin(&rig->passed, rig->meshes, rig->meshCount));
}

static void Rig_Add(Rig* rig, uint32_t mesh, uint32_t vertex)
{
	assert_true(drapePassed_Add(&rig->passed, mesh, vertex));
}

static void Rig_End(Rig* rig, bool isPinched)
{
	drapePassed_End(&rig->passed, rig->meshes, rig->meshCount, &(PassedStep){isPinched, false, dt});
	drapePassed_Commit(&rig->passed);
}

static void Rig_AssertList(const Rig* rig, const PassedVertex* expected, uint32_t count)
{
	assert_int_equal(rig->passed.list.count, count);
	for (uint32_t i = 0; i < count; ++i)
	{
		assert_int_equal(rig->passed.list.data[i].slot, expected[i].slot);
		assert_int_equal(rig->passed.list.data[i].vertex, expected[i].vertex);
	}
}

static void PassesAreListedInOrderAndTwoOfThemCancel(void** state)
{
	(void)state;
	Rig rig;
	Rig_CreateBoxes(&rig);
	Rig_Begin(&rig);
	assert_false(Passed_HasVertex(&rig.passed, 1, 3));
	Rig_Add(&rig, 2, 5);
	Rig_Add(&rig, 1, 7);
	Rig_Add(&rig, 0, 9);
	Rig_Add(&rig, 1, 3);
	Rig_Add(&rig, 1, 7);
	assert_true(Passed_HasVertex(&rig.passed, 1, 3));
	assert_false(Passed_HasVertex(&rig.passed, 1, 7));
	Rig_End(&rig, true);
	const PassedVertex first[] = {{1, 9}, {4, 3}, {6, 5}};
	Rig_AssertList(&rig, first, 3);
	// In the next step one passes back, and another passes in.
	Rig_Begin(&rig);
	assert_true(Passed_HasVertex(&rig.passed, 0, 9) && Passed_HasVertex(&rig.passed, 2, 5));
	assert_false(Passed_HasVertex(&rig.passed, 1, 9) || Passed_HasVertex(&rig.passed, 0, 5));
	Rig_Add(&rig, 1, 3);
	Rig_Add(&rig, 0, 0);
	Rig_End(&rig, true);
	const PassedVertex second[] = {{1, 0}, {1, 9}, {6, 5}};
	Rig_AssertList(&rig, second, 3);
	Rig_Destroy(&rig);
}

static void ATriangleHasPassedWithAnyOfItsVertices(void** state)
{
	(void)state;
	Rig rig;
	Rig_CreateBoxes(&rig);
	const MeshShape* shape = rig.meshes[1].shape;
	assert_false(Passed_HasTriangle(NULL, 1, shape, 0));
	for (uint32_t k = 0; k < 3; ++k)
	{
		Rig_Begin(&rig);
		assert_false(Passed_HasTriangle(&rig.passed, 1, shape, 4));
		Rig_Add(&rig, 1, shape->triangle[3 * 4 + k]);
		assert_true(Passed_HasTriangle(&rig.passed, 1, shape, 4));
		assert_false(Passed_HasTriangle(&rig.passed, 0, shape, 4));
	}
	Rig_Destroy(&rig);
}

static void VerticesOfCollidersThatVanishAreForgotten(void** state)
{
	(void)state;
	Rig rig;
	Rig_CreateBoxes(&rig);
	Rig_Begin(&rig);
	for (uint32_t mesh = 0; mesh < bodies; ++mesh)
	{
		Rig_Add(&rig, mesh, 1);
		Rig_Add(&rig, mesh, 2);
	}
	Rig_End(&rig, true);
	drapePassed_ForgetCollider(&rig.passed, 4);
	const PassedVertex both[] = {{1, 1}, {1, 2}, {6, 1}, {6, 2}};
	Rig_AssertList(&rig, both, 4);
	drapePassed_ForgetCollider(&rig.passed, 4);
	Rig_AssertList(&rig, both, 4);
	// Without a word, the last one is gone in the next step, and a smaller mesh has the slot of the first.
	MeshCollider gone[1] = {rig.meshes[0]};
	MeshShape smaller = *rig.meshes[0].shape;
	smaller.vertexCount = 2;
	gone[0].shape = &smaller;
	assert_true(drapePassed_Begin(&rig.passed, gone, 1));
	drapePassed_End(&rig.passed, gone, 1, &(PassedStep){true, false, dt});
	drapePassed_Commit(&rig.passed);
	Rig_AssertList(&rig, both, 1);
	// No collider at all.
	assert_true(drapePassed_Begin(&rig.passed, NULL, 0));
	drapePassed_End(&rig.passed, NULL, 0, &(PassedStep){true, false, dt});
	drapePassed_Commit(&rig.passed);
	assert_int_equal(rig.passed.list.count, 0);
	Rig_Destroy(&rig);
}

static void VerticesAreForgottenSomeTimeAfterThePinch(void** state)
{
	(void)state;
	Rig rig;
	Rig_CreateBoxes(&rig);
	// Without a pinch there is nothing to remember.
	Rig_Begin(&rig);
	Rig_Add(&rig, 0, 1);
	Rig_End(&rig, false);
	assert_int_equal(rig.passed.list.count, 0);
	// A pinch begins the time again.
	Rig_Begin(&rig);
	Rig_Add(&rig, 0, 1);
	Rig_End(&rig, true);
	float time = rig.passed.left;
	assert_true(time > 4.0f * dt && time < 10.0f);
	for (int round = 0; round < 2; ++round)
	{
		float waited = 0.0f;
		while (waited < time - 2.0f * dt)
		{
			Rig_Begin(&rig);
			Rig_End(&rig, false);
			assert_int_equal(rig.passed.list.count, 1);
			waited += dt;
		}
		Rig_Begin(&rig);
		Rig_End(&rig, round == 0);
	}
	for (int i = 0; i < 3; ++i)
	{
		Rig_Begin(&rig);
		Rig_End(&rig, false);
	}
	assert_int_equal(rig.passed.list.count, 0);
	assert_true(rig.passed.left == 0.0f);
	Rig_Destroy(&rig);
}

// --- connected parts ------------------------------------------------------------------------------------------------

static bool Crosses(uint32_t mesh, uint32_t triangle, const void* context)
{
	Rig* rig = (Rig*)context;
	rig->asked++;
	assert_true(Passed_HasTriangle(&rig->passed, mesh, rig->meshes[mesh].shape, triangle));
	return mesh == rig->crossedMesh && triangle == rig->crossedTriangle;
}

static void Rig_Keep(Rig* rig)
{
	assert_true(drapePassed_KeepCrossing(&rig->passed, rig->meshes, rig->meshCount, Crosses, rig));
}

// Adds vertices of a mesh whose x is in a range.
static uint32_t Rig_AddBetween(Rig* rig, uint32_t mesh, float low, float high)
{
	const MeshShape* shape = rig->meshes[mesh].shape;
	uint32_t count = 0;
	for (uint32_t i = 0; i < shape->vertexCount; ++i)
	{
		if (shape->to[i].x < low || shape->to[i].x > high)
			continue;
		Rig_Add(rig, mesh, i);
		count++;
	}
	return count;
}

static uint32_t FindTriangleAt(const MeshShape* shape, float x)
{
	for (uint32_t t = 0; t < shape->triangleCount; ++t)
	{
		for (uint32_t k = 0; k < 3; ++k)
		{
			if (shape->to[shape->triangle[3 * t + k]].x == x)
				return t;
		}
	}
	return DRAPE_NONE;
}

// Both ends of a box, and one of another, are on the wrong side; one of the ends crosses the cloth.
static void OnlyPartsThatCrossTheClothAreKept(void** state)
{
	(void)state;
	Rig rig;
	Rig_CreateBoxes(&rig);
	for (uint32_t end = 0; end < 2; ++end)
	{
		float x = end == 0 ? -1.0f : 1.0f;
		Rig_Begin(&rig);
		rig.passed.list.count = 0;
		Rig_Begin(&rig);
		assert_int_equal(Rig_AddBetween(&rig, 1, -1.5f, -0.5f), 9);
		assert_int_equal(Rig_AddBetween(&rig, 1, 0.5f, 1.5f), 9);
		assert_int_equal(Rig_AddBetween(&rig, 2, 0.5f, 1.5f), 9);
		rig.crossedMesh = 1;
		rig.crossedTriangle = FindTriangleAt(rig.meshes[1].shape, x);
		rig.asked = 0;
		Rig_Keep(&rig);
		assert_true(rig.asked > 0 && rig.passed.isAny);
		Rig_End(&rig, true);
		assert_int_equal(rig.passed.list.count, 9);
		for (uint32_t i = 0; i < 9; ++i)
		{
			assert_int_equal(rig.passed.list.data[i].slot, slots[1]);
			assert_true(rig.meshes[1].shape->to[rig.passed.list.data[i].vertex].x == x);
		}
	}
	// Nothing crosses.
	rig.crossedMesh = DRAPE_NONE;
	Rig_Begin(&rig);
	Rig_Keep(&rig);
	assert_false(rig.passed.isAny);
	assert_false(Passed_HasVertex(&rig.passed, 1, 0));
	Rig_End(&rig, true);
	assert_int_equal(rig.passed.list.count, 0);
	Rig_Destroy(&rig);
}

static drapeMesh MovedBox(float halfExtent, Vec3 move)
{
	drapeMesh mesh = TestMesh_Box(2, (Vec3){halfExtent, halfExtent, halfExtent});
	for (uint32_t i = 0; i < mesh.vertexCount; ++i)
		TestMesh_Positions(&mesh)[i] = V3Add(mesh.positions[i], move);
	return mesh;
}

// A small box is inside a large one, partly inside, or beside it. It and the large one are on the wrong side.
static void BuriedPartsAreKept(void** state)
{
	(void)state;
	const float x[] = {0.1f, 1.0f, 3.0f};
	for (int i = 0; i < 3; ++i)
	{
		Rig rig;
		Rig_Create(&rig);
		drapeMesh large = MovedBox(1.0f, (Vec3){0.0f, 0.0f, 0.0f}), small = MovedBox(0.3f, (Vec3){x[i], 0.5f, 0.03f});
		uint32_t first = large.vertexCount, smallCount = small.vertexCount;
		Rig_AddMesh(&rig, TestMesh_Join(&large, &small));
		rig.shapes[0].tangled = i == 1;
		Rig_Begin(&rig);
		for (uint32_t v = 0; v < first + smallCount; ++v)
			Rig_Add(&rig, 0, v);
		Rig_Keep(&rig);
		Rig_End(&rig, true);
		// Of the small box, all is kept, with the parts of it that come out; the large one is not buried anywhere.
		assert_int_equal(rig.passed.list.count, i < 2 ? smallCount : 0);
		for (uint32_t k = 0; k < rig.passed.list.count; ++k)
			assert_true(rig.passed.list.data[k].vertex >= first);
		// It waits there, for as long as it wants.
		for (int step = 0; step < 60; ++step)
		{
			Rig_Begin(&rig);
			Rig_Keep(&rig);
			Rig_End(&rig, false);
		}
		assert_int_equal(rig.passed.list.count, i < 2 ? smallCount : 0);
		Rig_Destroy(&rig);
	}
}

// A step that runs out of memory says so, or forgets all. The state stays usable.
static void NoMemoryForgetsAtWorst(void** state)
{
	(void)state;
	for (size_t allowed = 0; allowed < 6; ++allowed)
	{
		Rig rig;
		Test_BeginLimitedMemory();
		Rig_CreateBoxes(&rig);
		rig.crossedMesh = 1;
		rig.crossedTriangle = FindTriangleAt(rig.meshes[1].shape, 1.0f);
		PassedVertices* passed = &rig.passed;
		Test_AllowAllocations(allowed);
		bool isDone = drapePassed_Begin(passed, rig.meshes, rig.meshCount) &&
		              drapePassed_Add(passed, 1, rig.meshes[1].shape->triangle[3 * rig.crossedTriangle]) &&
		              drapePassed_KeepCrossing(passed, rig.meshes, rig.meshCount, Crosses, &rig);
		if (isDone)
			Rig_End(&rig, true);
		assert_true(passed->list.count == 0 || isDone);
		Test_AllowAllocations(SIZE_MAX);
		Rig_Begin(&rig);
		Rig_End(&rig, true);
		print_message("%zu allocations: %u vertices\n", allowed, passed->list.count);
		assert_true(allowed < 5 || passed->list.count == 1);
		Rig_Destroy(&rig);
		Test_EndLimitedMemory();
	}
}

// --- impaled cloth --------------------------------------------------------------------------------------------------

// Triangles on both sides of the plane x = 0.3: cloth is impaled there on a box from -1 to 1.
static bool CrossesPlane(uint32_t mesh, uint32_t triangle, const void* context)
{
	const Rig* rig = context;
	const MeshShape* shape = rig->meshes[mesh].shape;
	bool isBelow = false, isAbove = false;
	for (int k = 0; k < 3; ++k)
	{
		float x = shape->to[shape->triangle[3 * triangle + k]].x;
		isBelow |= x < 0.3f;
		isAbove |= x > 0.3f;
	}
	return mesh == 0 && isBelow && isAbove;
}

// Makes steps with crossings until a part counts as passed. Returns the time, s, infinite for never.
static float TimeUntilReleased(Rig* rig, bool isCrossed, bool isPinched)
{
	for (int step = 0; step < 60; ++step)
	{
		Rig_Begin(rig);
		assert_true(drapePassed_ReleaseImpaled(&rig->passed, rig->meshes, rig->meshCount, CrossesPlane, rig));
		if (rig->passed.isAny)
			return dt * (float)step;
		drapePassed_End(&rig->passed, rig->meshes, rig->meshCount, &(PassedStep){isPinched, isCrossed, dt});
		drapePassed_Commit(&rig->passed);
	}
	return INFINITY;
}

static void ThePartBeyondImpaledClothCountsAsPassed(void** state)
{
	(void)state;
	Rig rig;
	Rig_Create(&rig);
	Rig_AddMesh(&rig, TestMesh_Box(8, (Vec3){1.0f, 1.0f, 1.0f}));
	assert_true(TimeUntilReleased(&rig, false, false) == INFINITY);
	assert_true(TimeUntilReleased(&rig, true, true) == INFINITY); // pinched cloth waits for space
	float time = TimeUntilReleased(&rig, true, false);
	assert_true(time > 0.1f && time < 0.3f);
	// The smaller part, whole.
	const MeshShape* shape = &rig.shapes[0];
	uint32_t count = 0;
	for (uint32_t i = 0; i < shape->vertexCount; ++i)
	{
		assert_true(Passed_HasVertex(&rig.passed, 0, i) == (shape->to[i].x > 0.3f));
		count += shape->to[i].x > 0.3f;
	}
	assert_true(count > 0 && 2 * count < shape->vertexCount);
	// It has some time to let the cloth go. Then the cloth is pushed out again.
	drapePassed_End(&rig.passed, rig.meshes, 1, &(PassedStep){false, true, dt});
	drapePassed_Commit(&rig.passed);
	assert_int_equal(rig.passed.list.count, count);
	assert_true(rig.passed.crossedFor < 0.0f);
	for (int step = 0; step < 30; ++step)
	{
		Rig_Begin(&rig);
		Rig_End(&rig, false);
	}
	assert_int_equal(rig.passed.list.count, 0);
	Rig_Destroy(&rig);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(ThePartBeyondImpaledClothCountsAsPassed),
		cmocka_unit_test(AVertexPassesOnlyThroughTheTriangleItself),
		cmocka_unit_test(OnlyRelativeMotionPasses),
		cmocka_unit_test(TrianglesWithoutAreaAreNotPassed),
		cmocka_unit_test(AVertexThroughASheetPassesOnce),
		cmocka_unit_test(AVertexThroughAFoldedSheetPassesAnOddNumberOfTimes),
		cmocka_unit_test(PassesAreListedInOrderAndTwoOfThemCancel),
		cmocka_unit_test(ATriangleHasPassedWithAnyOfItsVertices),
		cmocka_unit_test(VerticesOfCollidersThatVanishAreForgotten),
		cmocka_unit_test(VerticesAreForgottenSomeTimeAfterThePinch),
		cmocka_unit_test(OnlyPartsThatCrossTheClothAreKept),
		cmocka_unit_test(BuriedPartsAreKept),
		cmocka_unit_test(NoMemoryForgetsAtWorst),
	};
	return cmocka_run_group_tests_name("passed", tests, NULL, NULL);
}
