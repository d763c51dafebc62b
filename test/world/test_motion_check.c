// SPDX-License-Identifier: MIT
#include "support.h"
#include "shared/make.h"

#include "motion_check.h"
#include "shared/posed_body.h"
#include "shared/sheets.h"

#include <math.h>
#include <stdlib.h>

// The counter of faults of `drape bench motion`: crossings with bodies are excused only where the bodies alone leave
// less than two thicknesses of space.

static const float thickness = 0.002f;

typedef struct Rig
{
	drapeWorldId world;
	MotionCheck check;
} Rig;

static Rig Rig_Create(void)
{
	Rig rig = {0};
	drapeWorldDef def = drapeDefaultWorldDef();
	rig.world = Make_World(&def);
	assert_true(drapeWorld_IsValid(rig.world));
	MotionCheck_Init(&rig.check, rig.world, thickness);
	return rig;
}

static void Rig_Destroy(Rig* rig)
{
	MotionCheck_Destroy(&rig->check);
	drapeDestroyWorld(rig->world);
}

static void AddShape(Rig* rig, drapeColliderShape shape, drapeVec3 at, drapeVec3 halfExtents)
{
	drapeColliderDef def = drapeDefaultColliderDef();
	def.shape = shape;
	def.halfExtents = halfExtents;
	def.radius = halfExtents.x;
	def.topRadius = 0.5f * halfExtents.x;
	def.halfHeight = halfExtents.y;
	def.transform.position = at;
	assert_true(drapeCollider_IsValid(Make_Collider(rig->world, &def)));
}

static void AddBox(Rig* rig, float x, float y, float z, float half)
{
	AddShape(rig, drape_shapeBox, (drapeVec3){x, y, z}, (drapeVec3){half, half, half});
}

// A sheet of 0.1 m in the plane y = height.
static drapeClothId AddSheet(Rig* rig, float height)
{
	drapeClothDef def = Make_SpringClothDef();
	drapeTransform at = drapeIdentityTransform();
	at.position.y = height;
	def.adapt.scheme = drape_schemeFixed;
	drapeClothId cloth = SharedSheet_Add(rig->world, &def, 4, 4, 0.1f, 0.1f, SharedPlace_Transform, &at);
	assert_true(drapeCloth_IsValid(cloth));
	return cloth;
}

static bool IsNarrow(Rig* rig, float x, float y, float z)
{
	drapeVec3 point = {x, y, z};
	return NarrowPlaces_Contain(&rig->check.narrow, point, NarrowPlaces_Depth(&rig->check.narrow, point));
}

// --- shapes ---------------------------------------------------------------------------------------------------------

static void ASingleBoxExcusesNothing(void** state)
{
	(void)state;
	Rig rig = Rig_Create();
	AddBox(&rig, 0.0f, -0.05f, 0.0f, 0.05f);
	AddSheet(&rig, -0.001f);
	MotionFaults faults = MotionCheck_Run(&rig.check, rig.world);
	assert_int_equal(faults.pinched, 0);
	// The nine inner particles are inside, and the triangles at the rim cross the sides.
	assert_true(faults.bodyCrossings >= 9 + 8);
	assert_int_equal(faults.selfIntersections, 0);
	assert_false(IsNarrow(&rig, 0.0f, -0.001f, 0.0f));
	assert_false(IsNarrow(&rig, 0.0f, 0.001f, 0.0f));
	assert_false(IsNarrow(&rig, 0.05f, 0.0f, 0.05f));
	Rig_Destroy(&rig);
}

static void TwoBoxesExcuseWhatIsBetweenThemWhenTheyAreClose(void** state)
{
	(void)state;
	const float gaps[] = {-0.01f, 0.0f, 0.0039f, 0.0041f};
	for (int i = 0; i < 4; ++i)
	{
		Rig rig = Rig_Create();
		AddBox(&rig, 0.0f, -0.08f, 0.0f, 0.08f);
		AddBox(&rig, 0.0f, gaps[i] + 0.08f, 0.0f, 0.08f);
		AddSheet(&rig, -0.0005f); // inside the lower box, and the upper one where they overlap
		MotionFaults faults = MotionCheck_Run(&rig.check, rig.world);
		assert_int_equal(faults.pinched, i < 3 ? 25 : 0);
		assert_true((faults.bodyCrossings == 0) == (i < 3));
		// A point inside the upper box, beside its rim: the side is nearest, and the gap is below.
		assert_true(i == 3 || i == 0 ||
		            NarrowPlaces_Contain(&rig.check.narrow, (drapeVec3){0.0795f, gaps[i] + 0.001f, 0.0f}, 1));
		// Beside the gap there is space.
		assert_false(IsNarrow(&rig, 0.1f, 0.0f, 0.0f));
		Rig_Destroy(&rig);
	}
}

static void BoxesSideBySideAreAFloorAndExcuseNothing(void** state)
{
	(void)state;
	Rig rig = Rig_Create();
	AddBox(&rig, -0.05f, -0.05f, 0.0f, 0.05f);
	AddBox(&rig, 0.051f, -0.05f, 0.0f, 0.05f);
	assert_false(IsNarrow(&rig, 0.0005f, 0.001f, 0.0f)); // above the seam of 1 mm
	assert_true(IsNarrow(&rig, 0.0005f, -0.01f, 0.0f));  // in it
	assert_false(IsNarrow(&rig, -0.01f, -0.001f, 0.0f)); // below the top of one box, far from the seam
	Rig_Destroy(&rig);
}

static void AWallBetweenAPointAndANarrowPlaceKeepsItFree(void** state)
{
	(void)state;
	Rig rig = Rig_Create();
	AddShape(&rig, drape_shapePlane, (drapeVec3){0.0f, 0.0f, 0.0f}, (drapeVec3){1.0f, 1.0f, 1.0f});
	AddShape(&rig, drape_shapeBox, (drapeVec3){0.0f, 0.0013f, 0.0f}, (drapeVec3){0.1f, 0.0003f, 0.1f});
	assert_true(IsNarrow(&rig, 0.0f, 0.0005f, 0.0f));  // between the plane and the plate
	assert_false(IsNarrow(&rig, 0.0f, 0.0020f, 0.0f)); // above the plate
	Rig_Destroy(&rig);
}

static void RoundShapesAreMeasuredFromTheirOwnSurface(void** state)
{
	(void)state;
	static const drapeColliderShape shapes[] = {drape_shapeSphere, drape_shapeCapsule, drape_shapeCylinder,
	                                            drape_shapeTaperedCapsule};
	for (int i = 0; i < 4; ++i)
	{
		Rig rig = Rig_Create();
		bool isRound = shapes[i] != drape_shapeCylinder;
		float radius = shapes[i] == drape_shapeTaperedCapsule ? 0.05f : 0.1f;
		float top = (shapes[i] == drape_shapeSphere ? 0.0f : 0.2f) + (isRound ? radius : 0.0f);
		AddShape(&rig, shapes[i], (drapeVec3){0.0f, 0.0f, 0.0f}, (drapeVec3){0.1f, 0.2f, 0.1f});
		AddBox(&rig, 0.0f, top + 0.003f + 0.1f, 0.0f, 0.1f);
		assert_true(IsNarrow(&rig, 0.0f, top + 0.0015f, 0.0f));
		assert_true(IsNarrow(&rig, 0.0f, top - 0.0015f, 0.0f));
		assert_false(IsNarrow(&rig, 0.0f, top - 0.006f, 0.0f));
		assert_int_equal(NarrowPlaces_Depth(&rig.check.narrow, (drapeVec3){0.0f, top - 0.006f, 0.0f}), 1);
		assert_int_equal(NarrowPlaces_Depth(&rig.check.narrow, (drapeVec3){0.0f, top + 0.0015f, 0.0f}), 0);
		Rig_Destroy(&rig);
	}
}

// --- meshes ---------------------------------------------------------------------------------------------------------

enum
{
	forkCorners = 8, // of the outline
};

// A fork with two prongs, `gap` metres apart: an outline in the plane z = 0 made a prism. Prongs from x = 0 to 0.2,
// each 0.05 high; the stem from x = -0.05 to 0. A negative gap makes the prongs overlap.
static void AddFork(Rig* rig, float gap)
{
	const float half = 0.5f * gap, outer = 0.05f + half;
	const drapeVec2 outline[forkCorners] = {{-0.05f, -outer}, {0.2f, -outer}, {0.2f, -half}, {0.0f, -half},
	                                        {0.0f, half},     {0.2f, half},   {0.2f, outer}, {-0.05f, outer}};
	// Triangles of the flat fork, counter-clockwise.
	static const uint32_t flat[6][3] = {{0, 1, 3}, {1, 2, 3}, {0, 3, 4}, {0, 4, 7}, {4, 5, 7}, {5, 6, 7}};
	drapeVec3 positions[2 * forkCorners];
	uint32_t triangles[3 * (12 + 2 * forkCorners)], count = 0;
	for (uint32_t i = 0; i < forkCorners; ++i)
	{
		uint32_t next = (i + 1) % forkCorners;
		positions[i] = (drapeVec3){outline[i].x, outline[i].y, 0.1f};
		positions[forkCorners + i] = (drapeVec3){outline[i].x, outline[i].y, -0.1f};
		const uint32_t side[6] = {i, forkCorners + i, forkCorners + next, i, forkCorners + next, next};
		for (int k = 0; k < 6; ++k)
			triangles[count++] = side[k];
	}
	for (int i = 0; i < 36; ++i)
		triangles[count++] = i < 18 ? flat[i / 3][i % 3] : forkCorners + flat[i / 3 - 6][2 - i % 3];
	const drapeMesh mesh = {
		.positions = positions, .vertexCount = 2 * forkCorners, .triangles = triangles, .triangleCount = count / 3};
	drapeColliderReport report;
	drapeColliderDef def = drapeDefaultColliderDef();
	def.shape = drape_shapeMesh;
	def.mesh = &mesh;
	def.report = &report;
	assert_true(drapeCollider_IsValid(Make_Collider(rig->world, &def)));
	assert_true(report.isClosed);
	assert_false(report.isTurned);
}

static void AMeshThatFoldsOntoItselfExcusesWhatIsInTheFold(void** state)
{
	(void)state;
	Rig rig = Rig_Create();
	AddFork(&rig, 0.003f);
	assert_true(IsNarrow(&rig, 0.101f, 0.0f, 0.013f));     // between the prongs
	assert_true(IsNarrow(&rig, 0.101f, 0.0025f, 0.013f));  // inside a prong, just below the fold
	assert_false(IsNarrow(&rig, 0.101f, 0.03f, 0.013f));   // deep inside a prong
	assert_false(IsNarrow(&rig, 0.101f, 0.052f, 0.013f));  // outside
	assert_false(IsNarrow(&rig, -0.03f, 0.0f, 0.013f));    // inside the stem
	assert_false(IsNarrow(&rig, -0.0515f, 0.01f, 0.013f)); // beside the stem
	Rig_Destroy(&rig);
}

static void AMeshThatOverlapsItselfExcusesWhatIsInBothParts(void** state)
{
	(void)state;
	Rig rig = Rig_Create();
	AddFork(&rig, -0.02f);
	drapeVec3 both = {0.101f, 0.001f, 0.013f}, one = {0.101f, 0.02f, 0.013f};
	assert_int_equal(NarrowPlaces_Depth(&rig.check.narrow, both), 2);
	assert_int_equal(NarrowPlaces_Depth(&rig.check.narrow, one), 1);
	assert_true(IsNarrow(&rig, both.x, both.y, both.z));
	assert_false(IsNarrow(&rig, one.x, one.y, one.z));
	// On the skin of a prong inside the other one.
	assert_true(IsNarrow(&rig, 0.101f, 0.011f, 0.013f));
	Rig_Destroy(&rig);
}

static void AWideForkExcusesNothing(void** state)
{
	(void)state;
	Rig rig = Rig_Create();
	AddFork(&rig, 0.0045f);
	assert_false(IsNarrow(&rig, 0.101f, 0.0f, 0.013f));
	assert_false(IsNarrow(&rig, 0.101f, 0.003f, 0.013f));
	Rig_Destroy(&rig);
}

// --- cloth ----------------------------------------------------------------------------------------------------------

static void CrossingsOfClothAreNeverExcused(void** state)
{
	(void)state;
	Rig rig = Rig_Create();
	AddBox(&rig, 0.0f, -0.08f, 0.0f, 0.08f);
	AddBox(&rig, 0.0f, 0.083f, 0.0f, 0.08f);
	AddSheet(&rig, 0.001f);
	drapeClothId other = AddSheet(&rig, 0.001f);
	drapeClothView view = drapeCloth_GetView(other);
	drapeVec3 positions[25];
	assert_int_equal(view.particleCount, 25);
	// Tilted, so that it crosses the first one between the boxes.
	for (uint32_t i = 0; i < 25; ++i)
		positions[i] = (drapeVec3){view.positions[i].x, 0.00113f + 0.01f * view.positions[i].x, view.positions[i].z};
	assert_int_equal(drapeCloth_SetPositions(other, positions), drape_ok);
	MotionFaults faults = MotionCheck_Run(&rig.check, rig.world);
	assert_true(faults.selfIntersections > 0);
	assert_int_equal(faults.bodyCrossings, 0);
	assert_int_equal(faults.pinched, 50);
	Rig_Destroy(&rig);
}

static void ATriangleThatOnlyItsFaceCrossesACapsuleIsCounted(void** state)
{
	(void)state;
	Rig rig = Rig_Create();
	AddShape(&rig, drape_shapeCapsule, (drapeVec3){0.008f, -0.02f, 0.004f}, (drapeVec3){0.001f, 0.02f, 0.0f});
	AddSheet(&rig, 0.0005f);
	MotionFaults faults = MotionCheck_Run(&rig.check, rig.world);
	assert_true(faults.bodyCrossings > 0);
	assert_int_equal(faults.pinched, 0);
	Rig_Destroy(&rig);
}

// --- the body that pinches ------------------------------------------------------------------------------------------

// Narrow places of the skin in a pose, just outside the middles of its triangles.
static uint32_t CountNarrow(Rig* rig, const PosedBody* body, drapeColliderId collider, float time)
{
	drapeVec3* skin = malloc(body->rest.vertexCount * sizeof *skin);
	assert_non_null(skin);
	BodyPose pose = BodyPose_Pinch(time);
	PosedBody_Skin(body, &pose, skin);
	assert_int_equal(drapeCollider_SetPositions(collider, skin, body->rest.vertexCount), drape_ok);
	assert_int_equal(drapeWorld_Step(rig->world, 1.0f / 60.0f), drape_ok);
	uint32_t count = 0;
	for (uint32_t i = 0; i < body->rest.triangleCount; ++i)
	{
		const uint32_t* corner = body->rest.triangles + 3 * (size_t)i;
		Vec3 a = skin[corner[0]], b = skin[corner[1]], c = skin[corner[2]];
		Vec3 normal = V3Normalize(V3Cross(V3Sub(b, a), V3Sub(c, a)));
		Vec3 at = V3Add(V3Scale(1.0f / 3.0f, V3Add(a, V3Add(b, c))), V3Scale(1e-4f, normal));
		count += IsNarrow(rig, at.x, at.y, at.z);
	}
	free(skin);
	return count;
}

static void ArmsInTheTrunkAreNarrowUntilTheyOpen(void** state)
{
	(void)state;
	Rig rig = Rig_Create();
	PosedBody body;
	PosedBody_Create(&body, 0.03f);
	drapeColliderDef def = drapeDefaultColliderDef();
	def.shape = drape_shapeMesh;
	def.mesh = &body.rest;
	drapeColliderId collider = Make_Collider(rig.world, &def);
	assert_true(drapeCollider_IsValid(collider));
	uint32_t start = CountNarrow(&rig, &body, collider, 0.0f), closed = CountNarrow(&rig, &body, collider, 1.0f);
	uint32_t open = CountNarrow(&rig, &body, collider, pinchOpenTime);
	print_message("narrow places: %u at the start, %u with the arms in the trunk, %u when they open\n", start, closed,
	              open);
	assert_true(closed > start + 300);
	assert_true(open <= start);
	PosedBody_Destroy(&body);
	Rig_Destroy(&rig);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(ASingleBoxExcusesNothing),
		cmocka_unit_test(TwoBoxesExcuseWhatIsBetweenThemWhenTheyAreClose),
		cmocka_unit_test(BoxesSideBySideAreAFloorAndExcuseNothing),
		cmocka_unit_test(AWallBetweenAPointAndANarrowPlaceKeepsItFree),
		cmocka_unit_test(RoundShapesAreMeasuredFromTheirOwnSurface),
		cmocka_unit_test(AMeshThatFoldsOntoItselfExcusesWhatIsInTheFold),
		cmocka_unit_test(AMeshThatOverlapsItselfExcusesWhatIsInBothParts),
		cmocka_unit_test(AWideForkExcusesNothing),
		cmocka_unit_test(CrossingsOfClothAreNeverExcused),
		cmocka_unit_test(ATriangleThatOnlyItsFaceCrossesACapsuleIsCounted),
		cmocka_unit_test(ArmsInTheTrunkAreNarrowUntilTheyOpen),
	};
	return cmocka_run_group_tests_name("motion check", tests, NULL, NULL);
}
