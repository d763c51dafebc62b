// SPDX-License-Identifier: MIT
#include "pools.h"
#include "support.h"

#include "contact/shapes/mesh_separation.h"
#include "shared/posed_body.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// Parts of a body that overlap in a pose are moved apart.

static const float gap = 0.003f, cell = 0.03f; // m

typedef struct Rig
{
	PosedBody body;
	MeshShape shape;
	MeshSeparation separation;
	Vec3 *given, *moved; // [vertexCount] m: of the last pose
	uint32_t count;      // vertices
} Rig;

static void Rig_Create(Rig* rig)
{
	MeshShapeReport report;
	*rig = (Rig){0};
	PosedBody_Create(&rig->body, cell);
	rig->count = rig->body.rest.vertexCount;
	rig->given = malloc(rig->count * sizeof(Vec3));
	rig->moved = malloc(rig->count * sizeof(Vec3));
	PosedBody_Skin(&rig->body, &(BodyPose){0}, rig->given);
	assert_int_equal(drapeMeshShape_Create(&rig->shape, rig->given, rig->count, rig->body.rest.triangles,
	                                       rig->body.rest.triangleCount, testPools[1], &report),
	                 drape_ok);
	assert_true(drapeMeshSeparation_Create(&rig->separation, &rig->shape, testPools[1]));
}

static void Rig_Destroy(Rig* rig)
{
	drapeMeshSeparation_Destroy(&rig->separation);
	drapeMeshShape_Destroy(&rig->shape);
	PosedBody_Destroy(&rig->body);
	free(rig->given);
	free(rig->moved);
}

// Returns the vertices that were looked at.
static uint32_t Rig_Pose(Rig* rig, const BodyPose* pose, TaskPool* tasks)
{
	PosedBody_Skin(&rig->body, pose, rig->given);
	memcpy(rig->moved, rig->given, rig->count * sizeof(Vec3));
	assert_int_equal(drapeMeshShape_Move(&rig->shape, rig->given, tasks), drape_ok);
	return drapeMeshSeparation_Apply(&rig->separation, &rig->shape, rig->moved, gap, tasks);
}

static BodyPose ArmsDown(float angle)
{
	return (BodyPose){.armDown = {angle, angle}};
}

// Vertices of a body that are inside another part of it: a point just above them is inside.
static uint32_t CountBuried(const Rig* rig, const Vec3* positions)
{
	MeshShape shape;
	MeshShapeReport report;
	uint32_t count = 0;
	assert_int_equal(drapeMeshShape_Create(&shape, positions, rig->count, rig->body.rest.triangles,
	                                       rig->body.rest.triangleCount, testPools[1], &report),
	                 drape_ok);
	for (uint32_t i = 0; i < rig->count; ++i)
	{
		Vec3 normal;
		if (drapeMeshShape_VertexNormal(&shape, i, &normal))
			count += drapeMeshShape_WindingNumber(&shape, V3Add(positions[i], V3Scale(1e-4f, normal))) > 0;
	}
	drapeMeshShape_Destroy(&shape);
	return count;
}

static float FarthestMove(const Rig* rig, const Vec3* from, const Vec3* to)
{
	float farthest = 0.0f;
	for (uint32_t i = 0; i < rig->count; ++i)
		farthest = fmaxf(farthest, V3Length(V3Sub(to[i], from[i])));
	return farthest;
}

static void PosesWithoutOverlapStayAsTheyAre(void** state)
{
	(void)state;
	const BodyPose poses[] = {
		{.turn = 0.0f}, {.armDown = {0.6f, 0.6f}}, {.turn = 2.0f, .position = {1.0f, 2.0f, 3.0f}}};
	Rig rig;
	Rig_Create(&rig);
	for (int i = 0; i < 3; ++i)
	{
		Rig_Pose(&rig, &poses[i], testPools[1]);
		assert_memory_equal(rig.moved, rig.given, rig.count * sizeof(Vec3));
	}
	Rig_Destroy(&rig);
}

// An arm that sinks into the trunk comes out of it, but for a few vertices at the crease.
static void PartsThatOverlapAreMovedApart(void** state)
{
	(void)state;
	Rig rig;
	Rig_Create(&rig);
	for (float angle = 1.2f; angle < 1.31f; angle += 0.03f)
	{
		BodyPose pose = ArmsDown(angle);
		assert_true(Rig_Pose(&rig, &pose, testPools[1]) > 0);
		uint32_t before = CountBuried(&rig, rig.given), after = CountBuried(&rig, rig.moved);
		if (!(before > 4 && 5 * after <= before))
			fail_msg("arms at %.2f: %u vertices are buried, %u were", (double)angle, after, before);
	}
	Rig_Destroy(&rig);
}

// The trunk is three times as thick as an arm.
static void TheThinnerPartYields(void** state)
{
	(void)state;
	Rig rig;
	Rig_Create(&rig);
	BodyPose pose = ArmsDown(1.28f);
	Rig_Pose(&rig, &pose, testPools[1]);
	float arm = 0.0f, trunk = 0.0f;
	for (uint32_t i = 0; i < rig.count; ++i)
	{
		Vec3 rest = rig.body.rest.positions[i];
		float moved = V3Length(V3Sub(rig.moved[i], rig.given[i]));
		if (fabsf(rest.x) > 0.24f)
			arm = fmaxf(arm, moved);
		else if (rest.y < 1.25f)
			trunk = fmaxf(trunk, moved);
	}
	assert_true(arm > 0.005f);
	assert_true(trunk < 0.25f * arm);
	Rig_Destroy(&rig);
}

// Between two poses that hardly differ, no vertex jumps, also where parts begin to overlap.
static void TheDisplacementFollowsThePose(void** state)
{
	(void)state;
	const float step = isSlow ? 0.02f : 0.005f; // radians
	Rig rig;
	Rig_Create(&rig);
	Vec3 *lastGiven = malloc(rig.count * sizeof(Vec3)), *lastMoved = malloc(rig.count * sizeof(Vec3));
	float steepest = 0.0f;
	for (float angle = 1.15f; angle < 1.4f; angle += step)
	{
		BodyPose pose = ArmsDown(angle);
		Rig_Pose(&rig, &pose, testPools[1]);
		if (angle > 1.15f)
			steepest =
				fmaxf(steepest, FarthestMove(&rig, lastMoved, rig.moved) / FarthestMove(&rig, lastGiven, rig.given));
		memcpy(lastGiven, rig.given, rig.count * sizeof(Vec3));
		memcpy(lastMoved, rig.moved, rig.count * sizeof(Vec3));
	}
	print_message("vertices move at most %.1f times as fast as those of the pose\n", (double)steepest);
	assert_true(steepest < 8.0f);
	free(lastGiven);
	free(lastMoved);
	Rig_Destroy(&rig);
}

static void ATurnedBodyIsMovedApartAlike(void** state)
{
	(void)state;
	Rig rig, turned;
	Rig_Create(&rig);
	Rig_Create(&turned);
	BodyPose pose = ArmsDown(1.28f), other = pose;
	other.turn = 1.1f;
	other.position = (drapeVec3){0.5f, 0.0f, -0.25f};
	uint32_t found = Rig_Pose(&rig, &pose, testPools[1]), foundTurned = Rig_Pose(&turned, &other, testPools[1]);
	assert_true(found > 0 && abs((int)found - (int)foundTurned) <= 4);
	uint32_t apart = 0;
	for (uint32_t i = 0; i < rig.count; ++i)
	{
		float own = V3Length(V3Sub(rig.moved[i], rig.given[i]));
		apart += fabsf(own - V3Length(V3Sub(turned.moved[i], turned.given[i]))) > 1e-3f;
	}
	assert_true(20 * apart <= found);
	Rig_Destroy(&rig);
	Rig_Destroy(&turned);
}

static void ThreadsDoNotChangeTheResult(void** state)
{
	(void)state;
	Rig rig, other;
	Rig_Create(&rig);
	Rig_Create(&other);
	BodyPose pose = ArmsDown(1.28f);
	Rig_Pose(&rig, &pose, testPools[1]);
	for (int workers = 2; workers <= mostWorkers; ++workers)
	{
		Rig_Pose(&other, &pose, testPools[workers]);
		assert_memory_equal(rig.moved, other.moved, rig.count * sizeof(Vec3));
	}
	Rig_Destroy(&rig);
	Rig_Destroy(&other);
}

// A mesh with seams has several vertices at one position.
static void VerticesAtOnePositionMoveAlike(void** state)
{
	(void)state;
	Rig rig;
	Rig_Create(&rig);
	uint32_t corners = 3 * rig.body.rest.triangleCount;
	uint32_t* triangles = malloc(corners * sizeof(uint32_t));
	Vec3 *at = malloc(corners * sizeof(Vec3)), *skin = malloc(rig.count * sizeof(Vec3));
	MeshShape shape;
	MeshSeparation separation;
	MeshShapeReport report;
	for (uint32_t i = 0; i < corners; ++i)
	{
		triangles[i] = i;
		at[i] = rig.body.rest.positions[rig.body.rest.triangles[i]];
	}
	assert_int_equal(drapeMeshShape_Create(&shape, at, corners, triangles, corners / 3, testPools[1], &report),
	                 drape_ok);
	assert_true(drapeMeshSeparation_Create(&separation, &shape, testPools[1]));
	BodyPose pose = ArmsDown(1.28f);
	PosedBody_Skin(&rig.body, &pose, skin);
	for (uint32_t i = 0; i < corners; ++i)
		at[i] = skin[rig.body.rest.triangles[i]];
	assert_int_equal(drapeMeshShape_Move(&shape, at, testPools[1]), drape_ok);
	assert_true(drapeMeshSeparation_Apply(&separation, &shape, at, gap, testPools[1]) > 0);
	for (uint32_t i = 0; i < corners; ++i)
		assert_memory_equal(&at[i], &at[shape.twin[i]], sizeof(Vec3));
	drapeMeshSeparation_Destroy(&separation);
	drapeMeshShape_Destroy(&shape);
	free(triangles);
	free(at);
	free(skin);
	Rig_Destroy(&rig);
}

static void OpenMeshesAndNoGapChangeNothing(void** state)
{
	(void)state;
	Rig rig;
	Rig_Create(&rig);
	BodyPose pose = ArmsDown(1.28f);
	Rig_Pose(&rig, &pose, testPools[1]);
	memcpy(rig.moved, rig.given, rig.count * sizeof(Vec3));
	assert_int_equal(drapeMeshSeparation_Apply(&rig.separation, &rig.shape, rig.moved, 0.0f, testPools[1]), 0);
	MeshShape open;
	MeshShapeReport report;
	MeshSeparation separation;
	assert_int_equal(drapeMeshShape_Create(&open, rig.given, rig.count, rig.body.rest.triangles,
	                                       rig.body.rest.triangleCount - 1, testPools[1], &report),
	                 drape_ok);
	assert_true(drapeMeshSeparation_Create(&separation, &open, testPools[1]));
	assert_int_equal(drapeMeshSeparation_Apply(&separation, &open, rig.moved, gap, testPools[1]), 0);
	assert_memory_equal(rig.moved, rig.given, rig.count * sizeof(Vec3));
	drapeMeshSeparation_Destroy(&separation);
	drapeMeshShape_Destroy(&open);
	Rig_Destroy(&rig);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(PosesWithoutOverlapStayAsTheyAre),
		cmocka_unit_test(PartsThatOverlapAreMovedApart),
		cmocka_unit_test(TheThinnerPartYields),
		cmocka_unit_test(TheDisplacementFollowsThePose),
		cmocka_unit_test(ATurnedBodyIsMovedApartAlike),
		cmocka_unit_test(ThreadsDoNotChangeTheResult),
		cmocka_unit_test(VerticesAtOnePositionMoveAlike),
		cmocka_unit_test(OpenMeshesAndNoGapChangeNothing),
	};
	return cmocka_run_group_tests_name("mesh separation", tests, Pools_Start, Pools_Stop);
}
