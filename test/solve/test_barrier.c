// SPDX-License-Identifier: MIT
#include "support.h"

#include "base/random.h"
#include "solve/barrier.h"

#include <math.h>

// The law of touching, by itself: what it must be so that a Newton step does not overshoot, and that what rests neither
// flickers nor creeps.

static const Barrier barriers[] = {
	{.activation = 2.4e-3f, .floor = 1.75e-3f, .strength = 3.0f, .linearShare = 0.2f}, // as of particles on colliders
	{.activation = 3e-3f, .floor = 0.0f, .strength = 0.02f, .linearShare = 0.05f},     // as of cloth on cloth
	{.activation = 1e-3f,
     .floor = -5e-5f,
     .strength = 1.0f,
     .linearShare = 0.2f}, // cloth without thickness has its floor below 0
	{.activation = 0.25f, .floor = 0.125f, .strength = 1000.0f, .linearShare = 0.1f}, // of any size
};

enum
{
	barrierCount = sizeof barriers / sizeof barriers[0],
	sampleCount = 2000,
	touchCount = 20000,
};

static const float solvedStep = 1.0f / 60.0f;

static float Range(const Barrier* barrier)
{
	return barrier->activation - barrier->floor;
}

// Samples from three ranges below the floor, an invalid distance, to one range beyond the activation distance.
static float SampleAt(const Barrier* barrier, int i)
{
	return barrier->floor + Range(barrier) * (-3.0f + 5.0f * (float)i / (float)sampleCount);
}

static float PushAt(const Barrier* barrier, float distance)
{
	float stiffness;
	return Barrier_Push(barrier, distance, &stiffness);
}

// --- the push -------------------------------------------------------------------------------------------------------

static void NoForceBeyondTheActivationDistance(void** state)
{
	(void)state;
	const float beyond[] = {1.0f, 1.000001f, 1.5f, 1e6f};
	for (int b = 0; b < barrierCount; ++b)
	{
		for (int i = 0; i < 4; ++i)
		{
			float stiffness = -1.0f;
			assert_true(Barrier_Push(&barriers[b], beyond[i] * barriers[b].activation, &stiffness) == 0.0f);
			assert_true(stiffness == 0.0f);
		}
		float stiffness = -1.0f;
		assert_true(Barrier_Push(&barriers[b], NAN, &stiffness) == 0.0f && stiffness == 0.0f);
		assert_true(PushAt(&barriers[b], barriers[b].floor + 0.99f * Range(&barriers[b])) > 0.0f);
	}
}

// The formula of the header, in double precision.
static void ThePushIsTheSquareOfWhatIsMissing(void** state)
{
	(void)state;
	const double parts[] = {0.21, 0.5, 0.75, 0.9};
	for (int b = 0; b < barrierCount; ++b)
	{
		for (int i = 0; i < 4; ++i)
		{
			double excess = 1.0 / parts[i] - 1.0, wanted = (double)barriers[b].strength * excess * excess;
			float push = PushAt(&barriers[b], barriers[b].floor + (float)parts[i] * Range(&barriers[b]));
			assert_true(fabs((double)push - wanted) <= 1e-4 * wanted);
		}
	}
}

// Neither where it begins nor where it goes on evenly is there a jump, in the push or in how it falls.
static void ThePushAndItsSlopeAreContinuous(void** state)
{
	(void)state;
	for (int b = 0; b < barrierCount; ++b)
	{
		const Barrier* barrier = &barriers[b];
		const float seams[] = {barrier->activation, barrier->floor + barrier->linearShare * Range(barrier)};
		for (int i = 0; i < 2; ++i)
		{
			float width = 1e-4f * Range(barrier), near, far;
			float most = Barrier_Push(barrier, seams[i] - width, &near);
			float least = Barrier_Push(barrier, seams[i] + width, &far);
			// Relative to their values a tenth of the range nearer.
			float scale, push = Barrier_Push(barrier, seams[i] - 0.1f * Range(barrier), &scale);
			assert_true(fabsf(most - least) <= 1e-2f * push);
			assert_true(fabsf(near - far) <= 1e-2f * scale);
		}
	}
}

static void ThePushFallsAndIsConvexEverywhere(void** state)
{
	(void)state;
	for (int b = 0; b < barrierCount; ++b)
	{
		float before = INFINITY, slopeBefore = INFINITY;
		for (int i = 0; i <= sampleCount; ++i)
		{
			float stiffness, push = Barrier_Push(&barriers[b], SampleAt(&barriers[b], i), &stiffness);
			assert_true(isfinite(push) && isfinite(stiffness) && push >= 0.0f && stiffness >= 0.0f);
			// Equal only where there is none; rounding apart, no steeper than it was nearer.
			assert_true(push < before || (push == 0.0f && before == 0.0f));
			assert_true(stiffness <= slopeBefore * 1.00001f);
			before = push;
			slopeBefore = stiffness;
		}
	}
}

static void StiffnessIsByHowMuchThePushFalls(void** state)
{
	(void)state;
	for (int b = 0; b < barrierCount; ++b)
	{
		const Barrier* barrier = &barriers[b];
		for (int i = 0; i <= sampleCount; ++i)
		{
			// The distances as float has them, so that the difference of the pushes is over the right way.
			float at = SampleAt(barrier, i), width = 2e-3f * Range(barrier), low = at - width, high = at + width;
			float stiffness, there = Barrier_Push(barrier, at, &stiffness), steepest;
			Barrier_Push(barrier, low, &steepest);
			float fall = (PushAt(barrier, low) - PushAt(barrier, high)) / (high - low);
			// Convex: the mean slope is between those at both ends, but for the rounding of distances and pushes.
			float gentlest;
			Barrier_Push(barrier, high, &gentlest);
			float rounding = 1e-3f * stiffness + 1e-6f * there / width;
			assert_true(fall <= steepest + rounding && fall >= gentlest - rounding);
			assert_true(fabsf(fall - stiffness) <= 0.03f * stiffness + 1e-2f * barrier->strength / Range(barrier));
		}
	}
}

// From anywhere, however near, each Newton step towards a load leads out, none beyond where it rests.
static void ANewtonStepFromTooNearDoesNotOvershoot(void** state)
{
	(void)state;
	for (int b = 0; b < barrierCount; ++b)
	{
		const Barrier* barrier = &barriers[b];
		float load = 0.3f * barrier->strength, distance = barrier->floor - 2.0f * Range(barrier), push = 0.0f;
		for (int i = 0; i < 12; ++i)
		{
			float stiffness;
			push = Barrier_Push(barrier, distance, &stiffness);
			assert_true(push >= load * 0.999f);
			distance += (push - load) / stiffness;
		}
		assert_true(fabsf(push - load) <= 1e-3f * load);
	}
}

// --- the force ------------------------------------------------------------------------------------------------------

static Vec3 RandomUnit(Random* random)
{
	Vec3 a = {Random_Range(random, -1, 1), Random_Range(random, -1, 1), Random_Range(random, -1, 1)};
	return V3Length(a) > 0.1f ? V3Scale(1.0f / V3Length(a), a) : (Vec3){0, 1, 0};
}

// At 10 to 90 percent of the range, with loads and displacements from far too little to far too much.
static Touch RandomTouch(Random* random, const Barrier* barrier)
{
	Touch touch = {
		.normal = RandomUnit(random),
		.distance = barrier->floor + Random_Range(random, 0.1f, 0.9f) * Range(barrier),
		.friction = Random_Range(random, 0.05f, 1.5f),
		.mass = powf(10.0f, Random_Range(random, -6.0f, 0.0f)),
		.load = Random_Below(random, 4) == 0 ? INFINITY : powf(10.0f, Random_Range(random, -9.0f, 1.0f)),
	};
	float length = powf(10.0f, Random_Range(random, -8.0f, -1.0f));
	touch.slip = V3Scale(Random_Float(random) * barrierGive, RandomUnit(random));
	touch.slip = Touch_Tangential(&touch, touch.slip);
	touch.displacement = touch.expected = V3Scale(length, RandomUnit(random));
	touch.start = V3Scale(1e-4f, RandomUnit(random));
	return touch;
}

// What presses, in the unit of the push.
static float LoadOf(const Touch* touch, const Barrier* barrier)
{
	return touch->load < INFINITY ? touch->load : PushAt(barrier, touch->distance);
}

static void AlongTheNormalItPushesAndBrakes(void** state)
{
	(void)state;
	Random random = Random_Seed(5, 1);
	for (int i = 0; i < touchCount; ++i)
	{
		const Barrier* barrier = &barriers[i % barrierCount];
		Touch touch = RandomTouch(&random, barrier);
		float stiffness, push = Barrier_Push(barrier, touch.distance, &stiffness);
		TouchLaw law = Touch_Law(&touch, barrier, solvedStep);
		float force = V3Dot(touch.normal, law.force);
		float speed = V3Dot(touch.normal, V3Sub(touch.displacement, touch.start)) / solvedStep;
		float brake = 0.02f * stiffness * speed, most = touch.friction * LoadOf(&touch, barrier);
		// Friction is at right angles, but for rounding.
		float rounding =
			1e-5f * (push + fabsf(brake)) + 1e-5f * most * (1.0f + V3Length(touch.displacement) / barrierGive);
		assert_true(fabsf(force - (push - brake)) <= rounding);
		assert_true(fabsf(law.along - stiffness * (1.0f + 0.02f / solvedStep)) <= 1e-5f * law.along);
	}
}

static void FrictionNeverExceedsTheCoefficientTimesTheLoad(void** state)
{
	(void)state;
	Random random = Random_Seed(7, 1);
	int whole = 0;
	for (int i = 0; i < touchCount; ++i)
	{
		const Barrier* barrier = &barriers[i % barrierCount];
		Touch touch = RandomTouch(&random, barrier);
		float most = touch.friction * LoadOf(&touch, barrier);
		Vec3 force = Touch_Law(&touch, barrier, solvedStep).force;
		// The part across, with the rounding of what is taken off along the normal.
		float size = V3Length(Touch_Tangential(&touch, force));
		assert_true(size <= 1.0001f * most + 1e-6f * V3Length(force));
		whole += size >= 0.999f * most;
		// Friction opposes the total displacement.
		Vec3 slipped = V3Add(touch.slip, Touch_Tangential(&touch, touch.expected));
		float rounding = 1e-6f * V3Length(force) * (barrierGive + V3Length(touch.displacement));
		assert_true(V3Dot(force, slipped) <= rounding);
	}
	assert_true(whole > touchCount / 4);
}

static void StickingGrowsEvenlyWithWhatIsSlipped(void** state)
{
	(void)state;
	const Barrier* barrier = &barriers[0];
	const Vec3 side = {0.6f, 0.0f, 0.8f};
	for (int hasWay = 0; hasWay < 2; ++hasWay)
	{
		for (int i = 1; i <= 10; ++i)
		{
			float part = 0.1f * (float)i;
			Touch touch = {.normal = {0, 1, 0}, .distance = 2e-3f, .friction = 0.5f, .load = 0.2f, .mass = 1e-3f};
			Vec3 slipped = V3Scale(part * barrierGive, side);
			if (hasWay)
				touch.displacement = touch.expected = slipped;
			else
				touch.slip = slipped;
			TouchLaw law = Touch_Law(&touch, barrier, solvedStep);
			// 0.5 x 0.2 when it has slipped by all that friction gives.
			assert_float_equal(V3Dot(side, law.force), -0.1f * part, 1e-6f);
			assert_float_equal(V3Length(Touch_Tangential(&touch, law.force)), 0.1f * part, 1e-6f);
			assert_true(fabsf(law.across - 0.1f / barrierGive) <= 1e-5f * law.across);
		}
	}
}

// What slips on beyond that is pulled by the same, in whatever part of it is in the matrix.
static void FastSlidingFeelsFullFrictionWithoutStiffness(void** state)
{
	(void)state;
	const Barrier* barrier = &barriers[0];
	const Vec3 side = {0.6f, 0.0f, 0.8f};
	Touch touch = {.normal = {0, 1, 0}, .distance = 2e-3f, .friction = 0.5f, .load = 0.2f, .mass = 1.0f};
	touch.expected = V3Scale(1.0f, side); // friction could change it by 0.1 m in the step
	for (int i = 0; i < 5; ++i)
	{
		touch.displacement = V3Scale(0.5f * (float)i, side);
		TouchLaw law = Touch_Law(&touch, barrier, solvedStep);
		assert_float_equal(V3Dot(side, law.force), -0.1f, 1e-6f);
		assert_true(law.across == 0.0f);
	}
}

static void FrictionNeedsALoad(void** state)
{
	(void)state;
	Random random = Random_Seed(11, 1);
	for (int i = 0; i < touchCount; ++i)
	{
		const Barrier* barrier = &barriers[i % barrierCount];
		Touch touch = RandomTouch(&random, barrier);
		if (i % 3 == 0)
			touch.load = Random_Below(&random, 2) ? 0.0f : -1.0f;
		else if (i % 3 == 1)
			touch.friction = 0.0f;
		else
			touch.distance = barrier->activation * Random_Range(&random, 1.0f, 2.0f);
		TouchLaw law = Touch_Law(&touch, barrier, solvedStep);
		assert_true(law.across == 0.0f);
		assert_true(V3Length(Touch_Tangential(&touch, law.force)) <= 1e-6f * V3Length(law.force));
		if (i % 3 == 2)
			assert_true(V3Length(law.force) == 0.0f && law.along == 0.0f);
	}
}

// The matrix stays positive definite whatever it is given.
static void MatrixTermsAreNeverNegative(void** state)
{
	(void)state;
	Random random = Random_Seed(13, 1);
	for (int i = 0; i < touchCount; ++i)
	{
		const Barrier* barrier = &barriers[i % barrierCount];
		Touch touch = RandomTouch(&random, barrier);
		touch.distance = barrier->floor + Random_Range(&random, -3.0f, 2.0f) * Range(barrier);
		touch.expected = V3Scale(powf(10.0f, Random_Range(&random, -8.0f, 1.0f)), RandomUnit(&random));
		TouchLaw law = Touch_Law(&touch, barrier, solvedStep);
		assert_true(V3IsFinite(law.force) && law.along >= 0.0f && law.across >= 0.0f);
		assert_true(isfinite(law.along) && isfinite(law.across));
	}
}

// Sticking friction: the matrix has its derivative by the displacement.
static void TheMatrixIsByHowMuchFrictionGrows(void** state)
{
	(void)state;
	Random random = Random_Seed(17, 1);
	const Barrier* barrier = &barriers[0];
	const float step = 1e-5f;
	for (int i = 0; i < 200; ++i)
	{
		Touch touch = RandomTouch(&random, barrier);
		touch.load = 0.5f;
		touch.mass = 1e-3f;
		touch.expected = touch.displacement = V3Scale(5e-6f, RandomUnit(&random));
		Vec3 side = Touch_Tangential(&touch, (Vec3){0.3f, 0.7f, -0.5f}), force[2];
		float across = 0.0f, length = V3Length(side);
		if (length < 0.1f)
			continue;
		side = V3Scale(1.0f / length, side);
		for (int k = 0; k < 2; ++k)
		{
			Touch moved = touch;
			moved.displacement = V3Add(moved.displacement, V3Scale(k ? step : -step, side));
			TouchLaw law = Touch_Law(&moved, barrier, solvedStep);
			force[k] = law.force;
			across = law.across;
		}
		float fall = V3Dot(side, V3Sub(force[0], force[1])) / (2.0f * step);
		assert_true(across > 0.0f && fabsf(fall - across) <= 1e-2f * across);
	}
}

// What slips by less than friction gives is where it was when it is let go; what slips by more is pulled by all of it,
// and said to have been held too hard.
static void ResidualOfAStepIsTheHoldingForce(void** state)
{
	(void)state;
	const Barrier* barrier = &barriers[0];
	const Vec3 side = {0.6f, 0.0f, 0.8f};
	for (int i = 0; i < 30; ++i)
	{
		Touch touch = {.normal = {0, 1, 0}, .distance = 2e-3f, .friction = 0.5f, .load = 0.2f, .mass = 1e-3f};
		touch.slip = V3Scale(0.5f * barrierGive, side);
		TouchLaw law = Touch_Law(&touch, barrier, solvedStep);
		Vec3 x = V3Scale(0.1f * (float)(i - 15) * barrierGive, side);
		Vec4 frictionState = TouchLaw_FrictionState(&law, x, solvedStep);
		float push = V3Dot(law.normal, law.force);
		assert_float_equal(frictionState.w * solvedStep * solvedStep, push, 1e-5f * push);
		// Held by the load that was known, of what friction gives by what presses in truth.
		float expected = (0.5f + 0.1f * (float)(i - 15)) * barrierGive * 0.2f / push;
		assert_float_equal(V3Dot(side, V4Xyz(frictionState)), expected, 1e-4f * barrierGive);

		Touch next = {.normal = {0, 1, 0}, .distance = 2e-3f, .friction = 0.5f, .mass = 1e-3f};
		Touch_Recall(&next, frictionState, solvedStep);
		float most = fminf(fabsf(expected), barrierGive);
		assert_float_equal(V3Length(next.slip), most, 1e-4f * barrierGive);
		assert_true((V3Length(next.expected) > 0.0f) == (V3Length(V4Xyz(frictionState)) > barrierGive));
		assert_float_equal(next.load, push, 1e-5f * push);
	}
	assert_true(TouchLaw_FrictionState(&touchNone, side, solvedStep).w == 0.0f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(NoForceBeyondTheActivationDistance),
		cmocka_unit_test(ThePushIsTheSquareOfWhatIsMissing),
		cmocka_unit_test(ThePushAndItsSlopeAreContinuous),
		cmocka_unit_test(ThePushFallsAndIsConvexEverywhere),
		cmocka_unit_test(StiffnessIsByHowMuchThePushFalls),
		cmocka_unit_test(ANewtonStepFromTooNearDoesNotOvershoot),
		cmocka_unit_test(AlongTheNormalItPushesAndBrakes),
		cmocka_unit_test(FrictionNeverExceedsTheCoefficientTimesTheLoad),
		cmocka_unit_test(StickingGrowsEvenlyWithWhatIsSlipped),
		cmocka_unit_test(FastSlidingFeelsFullFrictionWithoutStiffness),
		cmocka_unit_test(FrictionNeedsALoad),
		cmocka_unit_test(MatrixTermsAreNeverNegative),
		cmocka_unit_test(TheMatrixIsByHowMuchFrictionGrows),
		cmocka_unit_test(ResidualOfAStepIsTheHoldingForce),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
