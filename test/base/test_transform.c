// SPDX-License-Identifier: MIT
#include "support.h"

#include "sheet.h"

#include "base/checks/values.h"
#include "base/random.h"
#include "base/transform.h"

static void AssertNear3(Vec3 a, Vec3 b, float tolerance)
{
	if (!(V3Length(V3Sub(a, b)) <= tolerance))
	{
		fail_msg("(%g %g %g) is not (%g %g %g)", (double)a.x, (double)a.y, (double)a.z, (double)b.x, (double)b.y,
		         (double)b.z);
	}
}

static Vec3 RandomVec3(Random* random, float size)
{
	return (Vec3){Random_Range(random, -size, size), Random_Range(random, -size, size),
	              Random_Range(random, -size, size)};
}

static Transform RandomTransform(Random* random)
{
	return (Transform){
		.position = RandomVec3(random, 3.0f),
		.rotation = drapeQuat_FromAxisAngle(RandomVec3(random, 1.0f), Random_Range(random, -7.0f, 7.0f)),
		.scale = Random_Range(random, 0.2f, 4.0f),
	};
}

static void QuarterTurnsGoTheRightWay(void** state)
{
	(void)state;
	float quarter = acosf(0.0f);
	Vec3 x = {1, 0, 0}, y = {0, 1, 0}, z = {0, 0, 1};
	AssertNear3(Quat_Rotate(drapeQuat_FromAxisAngle((Vec3){0, 0, 5}, quarter), x), y, 1e-6f);
	AssertNear3(Quat_Rotate(drapeQuat_FromAxisAngle((Vec3){0.01f, 0, 0}, quarter), y), z, 1e-6f);
	AssertNear3(Quat_Rotate(drapeQuat_FromAxisAngle(y, quarter), z), x, 1e-6f);
	AssertNear3(Quat_Rotate(drapeQuat_FromAxisAngle(y, -quarter), z), (Vec3){-1, 0, 0}, 1e-6f);
}

static void RotationAboutNoAxisIsNone(void** state)
{
	(void)state;
	static const Vec3 axes[] = {{0, 0, 0}, {1e-30f, 0, 0}, {NAN, 0, 0}, {INFINITY, 0, 0}};
	for (size_t i = 0; i < sizeof axes / sizeof axes[0]; ++i)
	{
		Quat q = drapeQuat_FromAxisAngle(axes[i], 2.0f);
		assert_true(q.x == 0.0f && q.y == 0.0f && q.z == 0.0f && q.w == 1.0f);
	}
	Transform identity = drapeIdentityTransform();
	AssertNear3(drapeTransform_Point(identity, (Vec3){1, 2, 3}), (Vec3){1, 2, 3}, 0.0f);
}

static void InverseUndoes(void** state)
{
	(void)state;
	Random random = Random_Seed(50, 0);
	for (int i = 0; i < 1000; ++i)
	{
		Transform t = RandomTransform(&random);
		Vec3 p = RandomVec3(&random, 5.0f);
		AssertNear3(drapeTransform_InversePoint(t, drapeTransform_Point(t, p)), p, 2e-5f);
		AssertNear3(Transform_InverseVector(t, Transform_Vector(t, p)), p, 1e-5f);
		AssertNear3(Transform_Vector(t, p), V3Sub(Transform_Point(t, p), t.position), 1e-5f);
		Mat3 m = Mat3_FromQuat(t.rotation);
		AssertNear3(Mat3_Multiply(&m, p), Quat_Rotate(t.rotation, p), 1e-5f);
		AssertNear3(Mat3_TransposeMultiply(&m, p), Quat_InverseRotate(t.rotation, p), 1e-5f);
	}
}

static void CompositionIsInnerThenOuter(void** state)
{
	(void)state;
	Random random = Random_Seed(51, 0);
	for (int i = 0; i < 1000; ++i)
	{
		Transform a = RandomTransform(&random), b = RandomTransform(&random);
		Vec3 p = RandomVec3(&random, 2.0f);
		AssertNear3(Transform_Point(drapeTransform_Compose(a, b), p), Transform_Point(a, Transform_Point(b, p)), 1e-4f);
	}
}

static void SlerpTurnsEvenlyAlongTheShorterArc(void** state)
{
	(void)state;
	Vec3 axis = {1, 2, -1}, across = V3Normalize(V3Cross(axis, (Vec3){0, 0, 1}));
	static const float angles[] = {1e-4f, 0.01f, 0.03f, 0.5f, 2.0f, 3.1f};
	for (size_t k = 0; k < sizeof angles / sizeof angles[0]; ++k)
	{
		Quat a = drapeQuat_FromAxisAngle(axis, 0.3f), b = drapeQuat_FromAxisAngle(axis, 0.3f + angles[k]);
		Quat opposite = {-b.x, -b.y, -b.z, -b.w}; // the same rotation
		for (int i = 0; i <= 10; ++i)
		{
			float t = 0.1f * (float)i;
			Vec3 expected = Quat_Rotate(drapeQuat_FromAxisAngle(axis, 0.3f + t * angles[k]), across);
			AssertNear3(Quat_Rotate(drapeQuat_Slerp(a, b, t), across), expected, 2e-6f);
			AssertNear3(Quat_Rotate(drapeQuat_Slerp(a, opposite, t), across), expected, 2e-6f);
		}
	}
}

static void EqualTransformsStayEqualToTheLastBit(void** state)
{
	(void)state;
	Random random = Random_Seed(52, 0);
	for (int i = 0; i < 1000; ++i)
	{
		Transform t = RandomTransform(&random), other = RandomTransform(&random);
		assert_true(drapeTransform_Equal(drapeTransform_Interpolate(t, t, Random_Float(&random)), t));
		assert_true(drapeTransform_Equal(drapeTransform_Interpolate(t, other, 0.0f), t));
		assert_false(drapeTransform_Equal(drapeTransform_Interpolate(t, other, 0.5f), t));
	}
}

static void FarPlacementsDoNotOverflow(void** state)
{
	(void)state;
	Transform a = drapeIdentityTransform(), b = a;
	a.position.x = -3e38f;
	b.position.x = 3e38f;
	assert_true(drapeTransform_Interpolate(a, b, 0.5f).position.x == 0.0f);
}

static bool IsUsable(Transform transform)
{
	drapeMessage message = {0};
	drapeResult result = drape_ok;
	Test_RecordAsserts();
	result = drapePlacement_Check("t", &transform, &message);
	Test_RecordedAsserts();
	assert_int_equal(result == drape_ok, message.text[0] == '\0');
	return result == drape_ok;
}

static void ProblemsOfTransformsAreFound(void** state)
{
	(void)state;
	Transform good = drapeIdentityTransform(), bad = good;
	assert_true(IsUsable(good));
	good.rotation.w = 1.0009f;
	assert_true(IsUsable(good));
	bad.rotation.w = 1.002f;
	assert_false(IsUsable(bad));
	bad = good;
	bad.rotation.x = NAN;
	assert_false(IsUsable(bad));
	bad = good;
	bad.position.y = INFINITY;
	assert_false(IsUsable(bad));
	static const float scales[] = {0.0f, -1.0f, INFINITY, NAN};
	for (int i = 0; i < 4; ++i)
	{
		bad = good;
		bad.scale = scales[i];
		assert_false(IsUsable(bad));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(QuarterTurnsGoTheRightWay),
		cmocka_unit_test(RotationAboutNoAxisIsNone),
		cmocka_unit_test(InverseUndoes),
		cmocka_unit_test(CompositionIsInnerThenOuter),
		cmocka_unit_test(SlerpTurnsEvenlyAlongTheShorterArc),
		cmocka_unit_test(EqualTransformsStayEqualToTheLastBit),
		cmocka_unit_test(FarPlacementsDoNotOverflow),
		cmocka_unit_test(ProblemsOfTransformsAreFound),
	};
	return cmocka_run_group_tests_name("transform", tests, NULL, NULL);
}
