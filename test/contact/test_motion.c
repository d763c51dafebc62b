// SPDX-License-Identifier: MIT
#include "support.h"
#include "sheet.h"

#include "contact/shapes/motion.h"

#include <math.h>
#include <string.h>

static drapeMotionKey Key(float time, float x, float angle, float scale)
{
	return (drapeMotionKey){time, {{x, 0, 0}, drapeQuat_FromAxisAngle((Vec3){0, 1, 0}, angle), scale}};
}

static Motion Make(const drapeMotionKey* keys, uint32_t count, bool smooth, bool repeat)
{
	Motion motion;
	drapeMotionDef def = drapeDefaultMotionDef();
	def.keys = keys;
	def.keyCount = count;
	def.smooth = smooth;
	def.repeat = repeat;
	assert_int_equal(drapeMotionDef_Check(&def, NULL), drape_ok);
	assert_int_equal(drapeMotion_Create(&motion, &def), drape_ok);
	return motion;
}

static float AngleAt(const Motion* motion, double time)
{
	Quat q = drapeMotion_Evaluate(motion, time).rotation;
	return 2.0f * atan2f(q.y, q.w);
}

static void NoMotionIsTheIdentity(void** state)
{
	(void)state;
	assert_true(drapeTransform_Equal(drapeMotion_Evaluate(NULL, 5.0), drapeIdentityTransform()));
}

static void KeysAreHitAndBetweenThemItIsLinear(void** state)
{
	(void)state;
	const drapeMotionKey keys[] = {Key(1, 0, 0, 1), Key(2, 4, 1, 3), Key(5, 1, 0.4f, 2)};
	Motion motion = Make(keys, 3, false, false);
	for (int i = 0; i < 3; ++i)
	{
		Transform at = drapeMotion_Evaluate(&motion, (double)keys[i].time);
		assert_float_equal(at.position.x, keys[i].transform.position.x, 0);
		assert_float_equal(at.scale, keys[i].transform.scale, 0);
		assert_float_equal(AngleAt(&motion, (double)keys[i].time), i == 1 ? 1.0f : i == 2 ? 0.4f : 0.0f, 1e-6f);
	}
	assert_float_equal(drapeMotion_Evaluate(&motion, 1.25).position.x, 1.0f, 1e-6f);
	assert_float_equal(drapeMotion_Evaluate(&motion, 1.25).scale, 1.5f, 1e-6f);
	assert_float_equal(AngleAt(&motion, 1.25), 0.25f, 1e-6f);
	assert_float_equal(drapeMotion_Evaluate(&motion, 4.0).position.x, 2.0f, 1e-6f);
	assert_float_equal(AngleAt(&motion, 4.0), 0.6f, 1e-6f);
	drapeMotion_Destroy(&motion);
	assert_null(motion.keys);
	drapeMotion_Destroy(&motion);
}

static void ItStandsStillBeforeAndAfter(void** state)
{
	(void)state;
	const drapeMotionKey keys[] = {Key(-1, 3, 0.5f, 1), Key(2, 4, 1, 3)};
	Motion motion = Make(keys, 2, false, false), one = Make(keys, 1, true, true);
	assert_float_equal(drapeMotion_Evaluate(&motion, -100.0).position.x, 3.0f, 0);
	assert_float_equal(drapeMotion_Evaluate(&motion, 2.0001).position.x, 4.0f, 0);
	assert_float_equal(drapeMotion_Evaluate(&motion, 1e30).position.x, 4.0f, 0);
	assert_float_equal(drapeMotion_Evaluate(&motion, (double)NAN).position.x, 3.0f, 0);
	for (double time = -3.0; time < 3.0; time += 0.5)
		assert_float_equal(drapeMotion_Evaluate(&one, time).position.x, 3.0f, 0);
	drapeMotion_Destroy(&motion);
	drapeMotion_Destroy(&one);
}

static void SmoothMotionHasContinuousVelocity(void** state)
{
	(void)state;
	const drapeMotionKey keys[] = {Key(0, 0, 0, 1), Key(1, 5, 0, 1), Key(1.5f, -2, 0, 1)};
	Motion motion = Make(keys, 3, true, false);
	double step = 1e-3, last = 0.0, largestJump = 0.0;
	for (int i = -50; i < 1600; ++i)
	{
		double time = i * step;
		double velocity = ((double)drapeMotion_Evaluate(&motion, time + step).position.x -
		                   (double)drapeMotion_Evaluate(&motion, time).position.x) /
		                  step;
		largestJump = fmax(largestJump, fabs(velocity - last));
		last = velocity;
	}
	assert_true(largestJump < 0.25); // acceleration is at most 6 * 7 / 0.5^2; linear keys would jump by 19
	assert_float_equal(drapeMotion_Evaluate(&motion, 0.5).position.x, 2.5f, 1e-6f);
	drapeMotion_Destroy(&motion);
}

static void RepeatingMotionBeginsAgain(void** state)
{
	(void)state;
	const drapeMotionKey keys[] = {Key(1, 0, 0, 1), Key(2, 4, 1, 1), Key(3, 0, 0, 1)};
	Motion motion = Make(keys, 3, false, true);
	assert_float_equal(drapeMotion_Evaluate(&motion, 0.0).position.x, 0.0f, 0); // it has not begun
	for (int turn = 0; turn < 4000; turn += 57)
	{
		assert_float_equal(drapeMotion_Evaluate(&motion, 1.5 + 2.0 * turn).position.x, 2.0f, 1e-5f);
		assert_float_equal(drapeMotion_Evaluate(&motion, 2.75 + 2.0 * turn).position.x, 1.0f, 1e-5f);
	}
	drapeMotion_Destroy(&motion);
}

static void RotationTakesTheShorterArcAndIsNormalised(void** state)
{
	(void)state;
	drapeMotionKey keys[] = {Key(0, 0, 3.0f, 1), Key(1, 0, -3.0f, 1)};
	keys[0].transform.rotation.x *= 1.0005f;
	keys[0].transform.rotation.y *= 1.0005f;
	keys[0].transform.rotation.w *= 1.0005f;
	Motion motion = Make(keys, 2, false, false);
	Quat q = motion.keys[0].transform.rotation;
	assert_float_equal(Quat_Dot(q, q), 1.0f, 1e-6f);
	assert_float_equal(fabsf(AngleAt(&motion, 0.5)), 3.14159265f, 1e-5f); // through pi, not through zero
	drapeMotion_Destroy(&motion);
}

static void UnusableKeysAreRefusedWithAReason(void** state)
{
	(void)state;
	drapeMotionKey keys[2] = {Key(0, 0, 0, 1), Key(1, 0, 0, 1)};
	drapeMotionDef def = drapeDefaultMotionDef();
	drapeMessage message = {0};
	def.keys = keys;
	def.keyCount = 2;
	assert_int_equal(drapeMotionDef_Check(&def, &message), drape_ok);
	assert_string_equal(message.text, "");

	def.keyCount = 0;
	ASSERT_REFUSED(assert_int_equal(drapeMotionDef_Check(&def, &message), drape_errorArgument));
	assert_non_null(strstr(message.text, "no keys"));
	def.keyCount = 2;
	def.keys = NULL;
	ASSERT_REFUSED(assert_int_equal(drapeMotionDef_Check(&def, NULL), drape_errorArgument));
	def.keys = keys;
	def.cookie = 0;
	ASSERT_REFUSED(assert_int_equal(drapeMotionDef_Check(&def, &message), drape_errorArgument));
	assert_non_null(strstr(message.text, "drapeDefaultMotionDef"));
	def.cookie = drapeDefaultMotionDef().cookie;

	keys[1].time = 0.0f;
	ASSERT_REFUSED(assert_int_equal(drapeMotionDef_Check(&def, &message), drape_errorArgument));
	assert_non_null(strstr(message.text, "after"));
	keys[1].time = NAN;
	ASSERT_REFUSED(assert_int_equal(drapeMotionDef_Check(&def, &message), drape_errorArgument));
	keys[1].time = INFINITY;
	ASSERT_REFUSED(assert_int_equal(drapeMotionDef_Check(&def, &message), drape_errorArgument));
	assert_non_null(strstr(message.text, "time"));
	keys[1] = Key(1, NAN, 0, 1);
	ASSERT_REFUSED(assert_int_equal(drapeMotionDef_Check(&def, &message), drape_errorArgument));
	assert_non_null(strstr(message.text, "position"));
	keys[1] = Key(1, 0, 0, 0);
	ASSERT_REFUSED(assert_int_equal(drapeMotionDef_Check(&def, &message), drape_errorArgument));
	assert_non_null(strstr(message.text, "scale"));
	keys[1] = Key(1, 0, 0, 1);
	keys[1].transform.rotation.w = 0.5f;
	ASSERT_REFUSED(assert_int_equal(drapeMotionDef_Check(&def, &message), drape_errorArgument));
	assert_non_null(strstr(message.text, "rotation"));
}

static void ShortMemoryLeavesNoMotion(void** state)
{
	(void)state;
	const drapeMotionKey keys[] = {Key(0, 0, 0, 1)};
	drapeMotionDef def = {.keys = keys, .keyCount = 1};
	Motion motion;
	memset(&motion, 0xff, sizeof motion);
	Test_FailAllocation(1, true);
	assert_int_equal(drapeMotion_Create(&motion, &def), drape_errorMemory);
	assert_true(motion.keys == NULL && motion.keyCount == 0);
	drapeMotion_Destroy(&motion);
	Test_FailAllocation(0, false);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(NoMotionIsTheIdentity),
		cmocka_unit_test(KeysAreHitAndBetweenThemItIsLinear),
		cmocka_unit_test(ItStandsStillBeforeAndAfter),
		cmocka_unit_test(SmoothMotionHasContinuousVelocity),
		cmocka_unit_test(RepeatingMotionBeginsAgain),
		cmocka_unit_test(RotationTakesTheShorterArcAndIsNormalised),
		cmocka_unit_test(UnusableKeysAreRefusedWithAReason),
		cmocka_unit_test(ShortMemoryLeavesNoMotion),
	};
	return cmocka_run_group_tests_name("motion", tests, NULL, NULL);
}
