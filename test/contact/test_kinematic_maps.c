// SPDX-License-Identifier: MIT
#include "support.h"

#include "base/random.h"
#include "contact/response/kinematic_maps.h"

// Kinematic elements made by hand, and the maps that are found for them.

static const ContactBody cloth = {.gap = 1e-3f, .isCloth = true, .collidesWithCloth = true};
static const ContactBody collider = {0};

static uint32_t AddVertex(ContactBodies* bodies, Vec3 from, Vec3 to, float inverseMass)
{
	assert_true(drapeContactBodies_AddVertices(bodies, 1));
	uint32_t i = bodies->from.count - 1;
	bodies->from.data[i] = (Vec4){from.x, from.y, from.z, inverseMass};
	bodies->to.data[i] = (Vec4){to.x, to.y, to.z, 0.0f};
	return i;
}

static Vec3 RandomPoint(Random* random, float size)
{
	return (Vec3){Random_Range(random, -size, size), Random_Range(random, -size, size),
	              Random_Range(random, -size, size)};
}

// A collider of so many vertices; returns the first.
static uint32_t AddCollider(ContactBodies* bodies, Random* random, uint32_t count, Transform motion)
{
	uint32_t first = bodies->from.count;
	assert_true(drapeContactBodies_Begin(bodies, &collider));
	for (uint32_t i = 0; i < count; ++i)
	{
		Vec3 from = RandomPoint(random, 0.5f);
		AddVertex(bodies, from, Transform_Point(motion, from), 0.0f);
	}
	return first;
}

static Transform Turn(Vec3 axis, float angle, Vec3 way)
{
	Transform t = drapeIdentityTransform();
	t.rotation = drapeQuat_FromAxisAngle(axis, angle);
	t.position = way;
	return t;
}

static void AssertPlace(const KinematicMaps* kinematicMaps, uint32_t map, Vec3 from, Vec3 to)
{
	Vec3 off = V3Sub(drapeKinematicMaps_Apply(kinematicMaps, map, from, 1.0f), to);
	assert_true(V3Length(off) < 2e-6f * (1.0f + V3Length(from) + V3Length(to)));
}

static void RigidBodiesTakeAllSpaceAlong(void** state)
{
	(void)state;
	Random random = Random_Seed(1, 1);
	for (uint32_t run = 0; run < 200; ++run)
	{
		ContactBodies bodies = {0};
		KinematicMaps kinematicMaps = {0};
		Transform motion =
			Turn(RandomPoint(&random, 1.0f), Random_Range(&random, -3.14f, 3.14f), RandomPoint(&random, 10.0f));
		motion.scale = run % 2 ? 1.0f : Random_Range(&random, 0.5f, 2.0f);
		uint32_t first = AddCollider(&bodies, &random, 3 + run % 10, motion);
		assert_true(drapeKinematicMaps_Find(&kinematicMaps, &bodies));
		assert_int_equal(kinematicMaps.maps.count, 2);
		for (uint32_t v = first; v < bodies.from.count; ++v)
			assert_int_equal(kinematicMaps.of.data[v], 1);
		Vec3 p = RandomPoint(&random, 0.5f);
		AssertPlace(&kinematicMaps, 1, p, Transform_Point(motion, p));
		drapeKinematicMaps_Destroy(&kinematicMaps);
		drapeContactBodies_Destroy(&bodies);
	}
}

static void SpheresOnlyMoveAndCapsulesTurnNoMoreThanTheyHaveTo(void** state)
{
	(void)state;
	ContactBodies bodies = {0};
	KinematicMaps kinematicMaps = {0};
	assert_true(drapeContactBodies_Begin(&bodies, &collider));
	AddVertex(&bodies, (Vec3){1, 0, 0}, (Vec3){3, 1, 0}, 0.0f);
	// From x to y, a quarter about z.
	assert_true(drapeContactBodies_Begin(&bodies, &collider));
	AddVertex(&bodies, (Vec3){0, 0, 0}, (Vec3){0, 0, 0}, 0.0f);
	AddVertex(&bodies, (Vec3){1, 0, 0}, (Vec3){0, 1, 0}, 0.0f);
	assert_true(drapeKinematicMaps_Find(&kinematicMaps, &bodies));
	assert_int_equal(kinematicMaps.maps.count, 3);
	AssertPlace(&kinematicMaps, 1, (Vec3){5, 6, 7}, (Vec3){7, 7, 7});
	AssertPlace(&kinematicMaps, 2, (Vec3){5, 6, 7}, (Vec3){-6, 5, 7});
	drapeKinematicMaps_Destroy(&kinematicMaps);
	drapeContactBodies_Destroy(&bodies);
}

static void EqualMotionsShareAMap(void** state)
{
	(void)state;
	Random random = Random_Seed(2, 1);
	ContactBodies bodies = {0};
	KinematicMaps kinematicMaps = {0};
	Transform motion = Turn((Vec3){1, 2, 3}, 1.0f, (Vec3){1, 0, 0});
	AddCollider(&bodies, &random, 8, motion);
	uint32_t still = AddCollider(&bodies, &random, 8, drapeIdentityTransform());
	uint32_t same = AddCollider(&bodies, &random, 20, motion);
	uint32_t other = AddCollider(&bodies, &random, 8, Turn((Vec3){1, 2, 3}, 1.001f, (Vec3){1, 0, 0}));
	assert_true(drapeKinematicMaps_Find(&kinematicMaps, &bodies));
	assert_int_equal(kinematicMaps.of.data[0], 1);
	assert_int_equal(kinematicMaps.of.data[still], kinematicMapStill);
	assert_int_equal(kinematicMaps.of.data[same], 1);
	assert_int_equal(kinematicMaps.of.data[other], 2);
	drapeKinematicMaps_Destroy(&kinematicMaps);
	drapeContactBodies_Destroy(&bodies);
}

// Also when all that is wrong with it is that it has become its mirror image.
static void DeformedGeometryHasNoMap(void** state)
{
	(void)state;
	Random random = Random_Seed(3, 1);
	for (int isMirrored = 0; isMirrored < 2; ++isMirrored)
	{
		ContactBodies bodies = {0};
		KinematicMaps kinematicMaps = {0};
		AddCollider(&bodies, &random, 12, Turn((Vec3){0, 1, 0}, 0.3f, (Vec3){1, 0, 0}));
		for (uint32_t v = 0; v < bodies.from.count; ++v)
		{
			if (isMirrored)
				bodies.to.data[v].x = -bodies.to.data[v].x;
		}
		bodies.to.data[7].y += isMirrored ? 0.0f : 0.001f;
		assert_true(drapeKinematicMaps_Find(&kinematicMaps, &bodies));
		assert_int_equal(kinematicMaps.maps.count, 1);
		for (uint32_t v = 0; v < bodies.from.count; ++v)
			assert_int_equal(kinematicMaps.of.data[v], DRAPE_NONE);
		// Three of it do, and what is above them stays as far above them.
		const uint32_t three[3] = {0, 1, 2};
		uint32_t map = drapeKinematicMaps_Add(&kinematicMaps, &bodies, three, 3);
		for (uint32_t i = 0; i < 3; ++i)
			AssertPlace(&kinematicMaps, map, V4Xyz(bodies.from.data[i]), V4Xyz(bodies.to.data[i]));
		drapeKinematicMaps_Destroy(&kinematicMaps);
		drapeContactBodies_Destroy(&bodies);
	}
}

// Two rows of pins at the ends of a strip, turned against each other, and what hangs between them.
static void PinsThatAreConnectedGoTogether(void** state)
{
	(void)state;
	ContactBodies bodies = {0};
	KinematicMaps kinematicMaps = {0};
	const Transform motion[2] = {Turn((Vec3){1, 0, 0}, 0.2f, (Vec3){0, 0, 0}),
	                             Turn((Vec3){1, 0, 0}, -0.2f, (Vec3){0, 0, 0})};
	const uint32_t columns = 3, rows = 4;
	assert_true(drapeContactBodies_Begin(&bodies, &cloth));
	for (uint32_t i = 0; i < columns * rows; ++i)
	{
		Vec3 from = {(float)(i % columns), 0.0f, (float)(i / columns)};
		uint32_t end = i % columns == 0 ? 0 : 1;
		bool isPin = i % columns != 1;
		AddVertex(&bodies, from, isPin ? Transform_Point(motion[end], from) : from, isPin ? 0.0f : 1.0f);
	}
	for (uint32_t i = 0; i + columns < columns * rows; ++i)
	{
		if (i % columns == columns - 1)
			continue;
		assert_true(drapeContactBodies_AddElements(&bodies, 2));
		ContactElement* e = &bodies.elements.data[bodies.elements.count - 2];
		const uint32_t corner[2][3] = {{i, i + 1, i + columns}, {i + 1, i + columns + 1, i + columns}};
		for (int k = 0; k < 6; ++k)
			e[k / 3].vertex[k % 3] = corner[k / 3][k % 3];
	}
	assert_true(drapeKinematicMaps_Find(&kinematicMaps, &bodies));
	assert_int_equal(kinematicMaps.maps.count, 3);
	for (uint32_t i = 0; i < columns * rows; ++i)
		assert_int_equal(kinematicMaps.of.data[i], i % columns == 0 ? 1 : i % columns == 1 ? DRAPE_NONE : 2);
	AssertPlace(&kinematicMaps, 1, (Vec3){0.5f, 0.1f, 0.3f}, Transform_Point(motion[0], (Vec3){0.5f, 0.1f, 0.3f}));
	drapeKinematicMaps_Destroy(&kinematicMaps);
	drapeContactBodies_Destroy(&bodies);
}

static void MissingMemoryIsReported(void** state)
{
	(void)state;
	Random random = Random_Seed(4, 1);
	ContactBodies bodies = {0};
	AddCollider(&bodies, &random, 8, Turn((Vec3){1, 2, 3}, 1.0f, (Vec3){1, 0, 0}));
	bool isDone = false;
	for (size_t number = 1; !isDone; ++number)
	{
		KinematicMaps kinematicMaps = {0};
		Test_FailAllocation(number, false);
		bool isFound = drapeKinematicMaps_Find(&kinematicMaps, &bodies);
		isDone = Test_AllocationCount() < number;
		assert_int_equal(isFound, isDone);
		drapeKinematicMaps_Destroy(&kinematicMaps);
		Test_FailAllocation(0, false);
	}
	drapeContactBodies_Destroy(&bodies);
	assert_int_equal(drapeGetMemoryUse().bytes, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(RigidBodiesTakeAllSpaceAlong),
		cmocka_unit_test(SpheresOnlyMoveAndCapsulesTurnNoMoreThanTheyHaveTo),
		cmocka_unit_test(EqualMotionsShareAMap),
		cmocka_unit_test(DeformedGeometryHasNoMap),
		cmocka_unit_test(PinsThatAreConnectedGoTogether),
		cmocka_unit_test(MissingMemoryIsReported),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
