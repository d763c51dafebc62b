// SPDX-License-Identifier: MIT
#include "support.h"

#include "base/random.h"
#include "base/rigid_fit.h"

#include <math.h>

static Vec3 RandomPoint(Random* random, float size)
{
	return (Vec3){Random_Range(random, -size, size), Random_Range(random, -size, size),
	              Random_Range(random, -size, size)};
}

// Points of any size and at any distance from the origin, turned by any angle.
static void AFitFindsTheMotion(void** state)
{
	(void)state;
	Random random = Random_Seed(3, 1);
	for (int round = 0; round < 200; ++round)
	{
		float size = powf(10.0f, Random_Range(&random, -3.0f, 2.0f)), far = 10.0f * size;
		RigidMotion motion = {RandomPoint(&random, far), RandomPoint(&random, far),
		                      drapeQuat_FromAxisAngle(RandomPoint(&random, 1.0f), Random_Range(&random, 0.0f, 3.1f))};
		RigidFit fit = {0};
		Vec3 points[20];
		for (int i = 0; i < 20; ++i)
		{
			points[i] = V3Add(motion.from, RandomPoint(&random, size));
			drapeRigidFit_Add(&fit, points[i], RigidMotion_Point(&motion, points[i]));
		}
		float residual;
		RigidMotion found = drapeRigidFit_Solve(&fit, &residual);
		assert_true(residual < 1e-3f * size);
		for (int i = 0; i < 20; ++i)
		{
			Vec3 error = V3Sub(RigidMotion_Point(&found, points[i]), RigidMotion_Point(&motion, points[i]));
			assert_true(V3Length(error) < 2e-5f * far);
		}
	}
}

static void TheResidualIsTheRootMeanSquare(void** state)
{
	(void)state;
	RigidFit fit = {0};
	const Vec3 cube[4] = {{1.0f, 0.0f, 0.0f}, {-1.0f, 0.0f, 0.0f}, {0.0f, 1.0f, 0.0f}, {0.0f, -1.0f, 0.0f}};
	for (int i = 0; i < 4; ++i)
		drapeRigidFit_Add(&fit, cube[i], V3Add(V3Scale(1.1f, cube[i]), (Vec3){5.0f, 0.0f, 0.0f}));
	float residual;
	RigidMotion found = drapeRigidFit_Solve(&fit, &residual);
	assert_true(fabsf(residual - 0.1f) < 1e-5f);
	assert_true(found.rotation.w == 1.0f && fabsf(found.to.x - found.from.x - 5.0f) < 1e-5f);
}

// One point, or points on a line, leave rotations open: the smallest one is taken.
static void OpenRotationsAreSmall(void** state)
{
	(void)state;
	RigidFit one = {0}, line = {0};
	float residual;
	drapeRigidFit_Add(&one, (Vec3){1.0f, 2.0f, 3.0f}, (Vec3){7.0f, 2.0f, 3.0f});
	RigidMotion found = drapeRigidFit_Solve(&one, &residual);
	assert_true(residual == 0.0f && found.rotation.w == 1.0f);
	Quat turn = drapeQuat_FromAxisAngle((Vec3){0.0f, 1.0f, 0.0f}, 0.7f);
	for (int i = 0; i < 3; ++i)
	{
		Vec3 x = {(float)i, 0.0f, 0.0f};
		drapeRigidFit_Add(&line, x, Quat_Rotate(turn, x));
	}
	found = drapeRigidFit_Solve(&line, &residual);
	assert_true(residual < 1e-4f);
	assert_true(fabsf(Quat_Dot(found.rotation, turn)) > 0.9999f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(AFitFindsTheMotion),
		cmocka_unit_test(TheResidualIsTheRootMeanSquare),
		cmocka_unit_test(OpenRotationsAreSmall),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
