// SPDX-License-Identifier: MIT
#include "support.h"
#include "sheet.h"

#include "base/random.h"
#include "model/wind.h"

#include <string.h>

static drapeWindDef Turbulent(void)
{
	drapeWindDef def = drapeDefaultWindDef();
	def.kind = drape_windTurbulent;
	def.velocity = (Vec3){3.0f, 0.5f, -1.0f};
	def.swirlSpeed = 2.0f;
	def.swirlSize = 0.7f;
	def.seed = 11;
	return def;
}

static Vec3 RandomPoint(Random* random)
{
	return (Vec3){Random_Range(random, -20.0f, 20.0f), Random_Range(random, -20.0f, 20.0f),
	              Random_Range(random, -20.0f, 20.0f)};
}

static void StillAirAndSteadyWindAreWhatTheySay(void** state)
{
	(void)state;
	drapeWindDef def = drapeDefaultWindDef();
	assert_int_equal(drapeWind_Check(&def, "", NULL), drape_ok);
	assert_int_equal(def.kind, drape_windNone);
	def.velocity = (Vec3){1, 2, 3};
	Vec3 still = drapeWind_At(&def, (Vec3){4, 5, 6}, 7.0);
	assert_true(still.x == 0.0f && still.y == 0.0f && still.z == 0.0f);
	def.kind = drape_windSteady;
	Vec3 steady = drapeWind_At(&def, (Vec3){4, 5, 6}, 7.0);
	assert_true(steady.x == 1.0f && steady.y == 2.0f && steady.z == 3.0f);
}

static void GustsSwellAndTravelWithTheWind(void** state)
{
	(void)state;
	drapeWindDef def = drapeDefaultWindDef();
	def.kind = drape_windGusting;
	def.velocity = (Vec3){0, 0, 4};
	def.gustPeriod = 2.0f;
	def.gustDepth = 0.25f;
	assert_float_equal(drapeWind_At(&def, (Vec3){0, 0, 0}, 0.0).z, 4.0f, 1e-5f);
	assert_float_equal(drapeWind_At(&def, (Vec3){9, -3, 0}, 0.5).z, 5.0f, 1e-5f);
	assert_float_equal(drapeWind_At(&def, (Vec3){0, 0, 0}, 1.5).z, 3.0f, 1e-5f);
	for (double time = 0.0; time < 5.0; time += 0.3)
	{
		float here = drapeWind_At(&def, (Vec3){0, 0, 1}, time).z;
		assert_float_equal(drapeWind_At(&def, (Vec3){0, 0, 3}, time + 0.5).z, here, 1e-5f); // 2 m later is 0.5 s later
		assert_float_equal(drapeWind_At(&def, (Vec3){0, 0, 1}, time + 2e6).z, here, 1e-5f);
	}
	def.velocity = (Vec3){0, 0, 0};
	assert_true(drapeWind_At(&def, (Vec3){1, 1, 1}, 1.0).z == 0.0f);
}

static void TurbulenceHasTheWantedStrengthAroundTheMean(void** state)
{
	(void)state;
	Random random = Random_Seed(60, 0);
	for (uint32_t seed = 0; seed < 4; ++seed)
	{
		drapeWindDef def = Turbulent();
		def.seed = seed;
		double squares = 0.0, sum[3] = {0}, axes[3] = {0};
		int count = 20000;
		for (int i = 0; i < count; ++i)
		{
			Vec3 v = V3Sub(drapeWind_At(&def, RandomPoint(&random), (double)Random_Range(&random, 0.0f, 100.0f)),
			               def.velocity);
			double u[3] = {(double)v.x, (double)v.y, (double)v.z};
			for (int k = 0; k < 3; ++k)
			{
				sum[k] += u[k] / count;
				axes[k] += u[k] * u[k] / count;
			}
			squares += (double)V3Dot(v, v) / count;
		}
		assert_true(fabs(sqrt(squares) / 2.0 - 1.0) < 0.03);
		for (int k = 0; k < 3; ++k)
		{
			assert_true(fabs(sum[k]) < 0.05);
			assert_true(fabs(sqrt(3.0 * axes[k]) / 2.0 - 1.0) < 0.1); // no direction is preferred
		}
	}
}

static void TurbulenceHasNoDivergence(void** state)
{
	(void)state;
	drapeWindDef def = Turbulent();
	def.swirlSize = 1.0f;
	Random random = Random_Seed(61, 0);
	double worst = 0.0, typical = 0.0, h = 1.0 / 64.0;
	for (int i = 0; i < 2000; ++i)
	{
		Vec3 p = RandomPoint(&random);
		double divergence = 0.0;
		for (int k = 0; k < 3; ++k)
		{
			Vec3 a = p, b = p;
			(&a.x)[k] -= (float)h;
			(&b.x)[k] += (float)h;
			Vec3 va = drapeWind_At(&def, a, 3.0), vb = drapeWind_At(&def, b, 3.0);
			double slope = ((double)(&vb.x)[k] - (double)(&va.x)[k]) / (2.0 * h);
			divergence += slope;
			typical += slope * slope / 2000.0;
		}
		worst = fmax(worst, fabs(divergence));
	}
	assert_true(sqrt(typical) > 2.0);
	assert_true(worst < 0.02 * sqrt(typical)); // what central differences leave
}

static double Correlation(const drapeWindDef* def, float distance)
{
	Random random = Random_Seed(62, 0);
	double product = 0.0, squares = 0.0;
	for (int i = 0; i < 20000; ++i)
	{
		Vec3 p = RandomPoint(&random);
		Vec3 direction = V3Normalize(
			(Vec3){Random_Float(&random) - 0.5f, Random_Float(&random) - 0.5f, Random_Float(&random) - 0.5f});
		Vec3 a = V3Sub(drapeWind_At(def, p, 1.0), def->velocity);
		Vec3 b = V3Sub(drapeWind_At(def, V3Add(p, V3Scale(distance, direction)), 1.0), def->velocity);
		product += (double)V3Dot(a, b);
		squares += 0.5 * (double)(V3Dot(a, a) + V3Dot(b, b));
	}
	return product / squares;
}

static void SwirlsAreAsLargeAsSaid(void** state)
{
	(void)state;
	static const float sizes[] = {0.2f, 1.0f, 3.0f};
	for (int i = 0; i < 3; ++i)
	{
		drapeWindDef def = Turbulent();
		def.swirlSize = sizes[i];
		assert_true(Correlation(&def, 0.1f * sizes[i]) > 0.9);
		assert_true(fabs(Correlation(&def, 1.5f * sizes[i])) < 0.15);
		assert_true(fabs(Correlation(&def, 4.0f * sizes[i])) < 0.05);
	}
}

static void SwirlsAreCarriedAndChangeSlowly(void** state)
{
	(void)state;
	drapeWindDef def = Turbulent();
	def.velocity = (Vec3){50, 0, 0};
	Random random = Random_Seed(63, 0);
	double carried = 0.0, fixed = 0.0, later = 0.0, squares = 0.0;
	for (int i = 0; i < 5000; ++i)
	{
		Vec3 p = RandomPoint(&random);
		double time = (double)Random_Range(&random, 0.0f, 10.0f), dt = 0.02, turn = 0.7 / 2.0;
		Vec3 now = V3Sub(drapeWind_At(&def, p, time), def.velocity);
		Vec3 there = {p.x + 50.0f * (float)dt, p.y, p.z};
		Vec3 farther = {p.x + 150.0f * (float)turn, p.y, p.z};
		carried += (double)V3Dot(now, V3Sub(drapeWind_At(&def, there, time + dt), def.velocity));
		fixed += (double)V3Dot(now, V3Sub(drapeWind_At(&def, p, time + dt), def.velocity));
		later += (double)V3Dot(now, V3Sub(drapeWind_At(&def, farther, time + 3.0 * turn), def.velocity));
		squares += (double)V3Dot(now, now);
	}
	assert_true(carried / squares > 0.95);
	assert_true(fixed / squares < 0.2);
	assert_true(fabs(later / squares) < 0.1);
}

static void WindIsContinuousAcrossCellsAndTurns(void** state)
{
	(void)state;
	drapeWindDef def = Turbulent();
	def.velocity = (Vec3){0, 0, 0};
	def.swirlSize = 0.5f;
	for (int i = -40; i <= 40; ++i)
	{
		Vec3 a = {0.5f * (float)i - 1e-5f, 0.21f, 0.4f}, b = {0.5f * (float)i + 1e-5f, 0.21f, 0.4f};
		assert_true(V3Length(V3Sub(drapeWind_At(&def, a, 0.1), drapeWind_At(&def, b, 0.1))) < 1e-3f);
		double turn = 0.25 * i;
		assert_true(V3Length(V3Sub(drapeWind_At(&def, a, turn - 1e-6), drapeWind_At(&def, a, turn + 1e-6))) < 1e-3f);
	}
}

static void SeedsGiveOtherSwirlsAndTheSameSeedTheSame(void** state)
{
	(void)state;
	drapeWindDef a = Turbulent(), b = Turbulent(), copy = Turbulent();
	b.seed++;
	Random random = Random_Seed(64, 0);
	double product = 0.0, squares = 0.0;
	for (int i = 0; i < 5000; ++i)
	{
		Vec3 p = RandomPoint(&random);
		Vec3 u = drapeWind_At(&a, p, 2.0), v = drapeWind_At(&b, p, 2.0), same = drapeWind_At(&copy, p, 2.0);
		assert_memory_equal(&u, &same, sizeof u);
		product += (double)V3Dot(V3Sub(u, a.velocity), V3Sub(v, a.velocity));
		squares += (double)V3Dot(V3Sub(u, a.velocity), V3Sub(u, a.velocity));
	}
	assert_true(fabs(product / squares) < 0.1);
}

static void NoPlaceOrTimeGivesAWindThatIsNotFinite(void** state)
{
	(void)state;
	static const float places[] = {0.0f, -1e-38f, 1e20f, -3e38f};
	static const double times[] = {0.0, 1e300, -1e15, 5e-324};
	for (int kind = drape_windNone; kind <= drape_windTurbulent; ++kind)
	{
		for (int i = 0; i < 16; ++i)
		{
			drapeWindDef def = Turbulent();
			def.kind = (drapeWind)kind;
			def.swirlSize = i % 3 ? 1e-30f : 1.0f;
			assert_true(V3IsFinite(drapeWind_At(&def, (Vec3){places[i / 4], 1.0f, places[i / 4]}, times[i % 4])));
			def.swirlSpeed = 0.0f;
			def.velocity = (Vec3){1e-40f, 0, 0};
			assert_true(V3IsFinite(drapeWind_At(&def, (Vec3){places[i / 4], 1.0f, places[i / 4]}, times[i % 4])));
		}
	}
}

static void UnusableWindsAreRefusedWithAReason(void** state)
{
	(void)state;
	drapeWindDef bad[9];
	for (int i = 0; i < 9; ++i)
		bad[i] = Turbulent();
	bad[0].kind = (drapeWind)9;
	bad[1].velocity.y = NAN;
	bad[2].airDensity = -1.0f;
	bad[3].gustPeriod = 0.0f;
	bad[4].gustDepth = 1.1f;
	bad[5].swirlSpeed = -0.1f;
	bad[6].swirlSize = 0.0f;
	bad[7].gustDepth = NAN;
	bad[8].swirlSize = INFINITY;
	static const char* const words[9] = {"kind",       "velocity",  "airDensity", "gustPeriod", "gustDepth",
	                                     "swirlSpeed", "swirlSize", "gustDepth",  "swirlSize"};
	for (int i = 0; i < 9; ++i)
	{
		drapeMessage message = {0};
		ASSERT_REFUSED(assert_int_equal(drapeWind_Check(&bad[i], "", &message), drape_errorArgument));
		ASSERT_REFUSED(assert_int_equal(drapeWind_Check(&bad[i], "", NULL), drape_errorArgument));
		assert_non_null(strstr(message.text, words[i]));
	}
}

// A square of 2 m by 2 m as two triangles.
static Vec3 SquareForce(float drag, float lift, Vec3 normal, Vec3 wind)
{
	Vec3 force, sum = {0, 0, 0};
	for (int i = 0; i < 2; ++i)
	{
		Wind_TriangleForce(1.2f, drag, lift, wind, V3Scale(4.0f, normal), &force);
		sum = V3Add(sum, force);
	}
	return sum;
}

static void SquareFacingTheWindFeelsTheAnalyticDrag(void** state)
{
	(void)state;
	Vec3 force = SquareForce(1.1f, 0.7f, (Vec3){0, 0, 1}, (Vec3){0, 0, 5});
	assert_float_equal(force.z, 0.5f * 1.2f * 4.0f * 1.1f * 25.0f, 1e-3f);
	assert_float_equal(force.x, 0.0f, 1e-5f);
	assert_float_equal(force.y, 0.0f, 1e-5f);
	Vec3 twice = SquareForce(1.1f, 0.7f, (Vec3){0, 0, 1}, (Vec3){0, 0, 10});
	assert_float_equal(twice.z, 4.0f * force.z, 1e-2f);
}

static void TriangleEdgeOnOrWithoutAreaOrWindFeelsNothing(void** state)
{
	(void)state;
	Vec3 force = SquareForce(1.0f, 1.0f, (Vec3){0, 0, 1}, (Vec3){3, 4, 0});
	assert_true(force.x == 0.0f && force.y == 0.0f && force.z == 0.0f);
	force = SquareForce(1.0f, 1.0f, (Vec3){0, 0, 0}, (Vec3){3, 4, 0});
	assert_true(force.x == 0.0f && force.y == 0.0f && force.z == 0.0f);
	force = SquareForce(1.0f, 1.0f, (Vec3){0, 0, 1}, (Vec3){0, 0, 0});
	assert_true(force.x == 0.0f && force.y == 0.0f && force.z == 0.0f);
}

static void LiftIsAcrossTheWindAndDragAlongIt(void** state)
{
	(void)state;
	Random random = Random_Seed(65, 0);
	for (int i = 0; i < 1000; ++i)
	{
		Vec3 wind = RandomPoint(&random), normal = V3Normalize(RandomPoint(&random));
		Vec3 drag = SquareForce(1.0f, 0.0f, normal, wind), lift = SquareForce(0.0f, 1.0f, normal, wind);
		float speed = V3Length(wind), facing = V3Dot(wind, normal) / speed;
		float scale = 0.5f * 1.2f * 4.0f * speed * speed;
		assert_float_equal(V3Length(V3Cross(drag, wind)) / (scale * speed), 0.0f, 1e-5f);
		assert_float_equal(V3Dot(drag, wind) / (scale * speed), fabsf(facing), 1e-4f);
		assert_float_equal(V3Dot(lift, wind) / (scale * speed), 0.0f, 1e-5f);
		assert_float_equal(V3Dot(lift, V3Cross(wind, normal)) / (scale * speed), 0.0f, 1e-5f);
		assert_float_equal(V3Length(lift) / scale, fabsf(facing) * sqrtf(1.0f - fminf(facing * facing, 1.0f)), 1e-3f);
		Vec3 back = SquareForce(1.0f, 1.0f, V3Scale(-1.0f, normal), wind);
		Vec3 front = SquareForce(1.0f, 1.0f, normal, wind);
		assert_true(V3Length(V3Sub(back, front)) == 0.0f); // cloth has no right side for the wind
	}
}

// A V of two plates that is symmetric about the wind: their lifts cancel, and so do the turning moments.
static void SymmetricPlatesFeelNoSideForceAndNoTorque(void** state)
{
	(void)state;
	Vec3 wind = {0, 0, 6}, left = {-0.6f, 0, 0.8f}, right = {0.6f, 0, 0.8f}, a, b;
	Wind_TriangleForce(1.2f, 1.0f, 0.5f, wind, left, &a);
	Wind_TriangleForce(1.2f, 1.0f, 0.5f, wind, right, &b);
	Vec3 sum = V3Add(a, b);
	assert_float_equal(sum.x, 0.0f, 1e-5f);
	assert_float_equal(sum.y, 0.0f, 1e-5f);
	assert_true(sum.z > 0.0f);
	assert_true(fabsf(a.x) > 0.1f);
	Vec3 torque = V3Add(V3Cross((Vec3){-1, 0, 0.5f}, a), V3Cross((Vec3){1, 0, 0.5f}, b));
	assert_float_equal(V3Length(torque), 0.0f, 1e-4f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(StillAirAndSteadyWindAreWhatTheySay),
		cmocka_unit_test(GustsSwellAndTravelWithTheWind),
		cmocka_unit_test(TurbulenceHasTheWantedStrengthAroundTheMean),
		cmocka_unit_test(TurbulenceHasNoDivergence),
		cmocka_unit_test(SwirlsAreAsLargeAsSaid),
		cmocka_unit_test(SwirlsAreCarriedAndChangeSlowly),
		cmocka_unit_test(WindIsContinuousAcrossCellsAndTurns),
		cmocka_unit_test(SeedsGiveOtherSwirlsAndTheSameSeedTheSame),
		cmocka_unit_test(NoPlaceOrTimeGivesAWindThatIsNotFinite),
		cmocka_unit_test(UnusableWindsAreRefusedWithAReason),
		cmocka_unit_test(SquareFacingTheWindFeelsTheAnalyticDrag),
		cmocka_unit_test(TriangleEdgeOnOrWithoutAreaOrWindFeelsNothing),
		cmocka_unit_test(LiftIsAcrossTheWindAndDragAlongIt),
		cmocka_unit_test(SymmetricPlatesFeelNoSideForceAndNoTorque),
	};
	return cmocka_run_group_tests_name("wind", tests, NULL, NULL);
}
