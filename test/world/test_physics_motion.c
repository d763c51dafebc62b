// SPDX-License-Identifier: MIT
#include "fabric_rig.h"
#include "shared/make.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

// Cloth in motion against mechanics: periods, falls, what is conserved, and how errors fall with the step.
// docs/physics.md lists the numbers that are printed here.

static const double pi = 3.14159265358979323846;

static const drapeVec3 earth = {0.0f, -9.81f, 0.0f};

static const drapeIntegrator implicit[] = {drape_integratorImplicitEuler, drape_integratorImplicitMidpoint,
                                           drape_integratorBdf2};

enum
{
	implicitCount = sizeof implicit / sizeof implicit[0],
};

// --- pendulum -------------------------------------------------------------------------------------------------------

// Hanging down from the line x = 0, turned about it by an angle.
static drapeVec3 PendulumPlace(FabricPoint rest, const void* context)
{
	double angle = *(const double*)context;
	return (drapeVec3){(float)(rest.x * sin(angle)), (float)(-rest.x * cos(angle)), (float)-rest.y};
}

// The mean time between crossings of the lowest point in the same direction, s.
static double MeasurePeriod(Fabric* fabric, double length, double dt, int periods)
{
	double before = Fabric_Mean(fabric, Fabric_After, length).x, first = 0.0, last = 0.0;
	int crossings = 0;
	for (int i = 1; crossings <= periods; ++i)
	{
		assert_true(i < 100000);
		Fabric_Step(fabric, dt);
		double now = Fabric_Mean(fabric, Fabric_After, length).x;
		if (before > 0.0 && now <= 0.0)
		{
			last = dt * (i - now / (now - before));
			first = crossings++ == 0 ? last : first;
		}
		before = now;
	}
	return (last - first) / periods;
}

static void StiffSheetSwingsAsAPhysicalPendulum(void** state)
{
	(void)state;
	const double length = 0.5, angle = 0.1;
	const double period = 2.0 * pi * sqrt(2.0 * length / (3.0 * 9.81)) * (1.0 + angle * angle / 16.0);
	for (int i = 1; i < implicitCount; ++i)
	{
		FabricDef def = Fabric_Default();
		def.length = length, def.width = 0.25;
		def.columns = 16, def.rows = 8;
		def.material.stretchWarp = def.material.stretchWeft = 5000.0f;
		def.material.shear = 2000.0f;
		def.material.bendWarp = def.material.bendWeft = 0.5f;
		def.gravity = earth;
		def.solver.integrator = implicit[i];
		def.solver.newtonIterations = 3;
		def.solver.tolerance = 1e-3f;
		def.solver.maxIterations = 200;
		Fabric fabric = Fabric_Create(&def);
		Fabric_SetPositions(&fabric, PendulumPlace, &angle);
		Fabric_PinPart(&fabric, Fabric_Before, 0.0);
		double measured = MeasurePeriod(&fabric, length, 1.0 / 120.0, 2);
		print_message("  %-18s period: analytic %.5f s, measured %.5f s, %+.3f %%\n",
		              drapeIntegrator_GetName(implicit[i]), period, measured, 100.0 * (measured / period - 1.0));
		assert_true(fabs(measured / period - 1.0) <= 0.02);
		Fabric_Destroy(&fabric);
	}
}

// --- rigid motion ---------------------------------------------------------------------------------------------------

// Turned about an axis that is none of the coordinate's.
static drapeVec3 TurnedPlace(FabricPoint rest, const void* context)
{
	double angle = *(const double*)context, c = cos(angle), s = sin(angle);
	double x = rest.x - 0.5, z = 0.5 - rest.y, turnedX = c * x - s * z, turnedZ = s * x + c * z;
	return (drapeVec3){(float)turnedX, (float)(0.6 * turnedZ), (float)(0.8 * turnedZ)};
}

// What an integrator makes of a fall from rest, in double.
static double Fallen(drapeIntegrator integrator, double dt, int steps)
{
	double y = 0.0, v = 0.0, lastY = 0.0, lastV = 0.0, g = -9.81;
	for (int i = 0; i < steps; ++i)
	{
		double fromY = y, fromV = v;
		if (integrator == drape_integratorImplicitMidpoint)
		{
			v += dt * g;
			y += 0.5 * dt * (fromV + v);
		}
		else if (integrator == drape_integratorBdf2 && i > 0)
		{
			v = (4.0 * v - lastV + 2.0 * dt * g) / 3.0;
			y = (4.0 * y - lastY + 2.0 * dt * v) / 3.0;
		}
		else
		{
			v += dt * g;
			y += dt * v;
		}
		lastY = fromY, lastV = fromV;
	}
	return y;
}

// How far particles are from where a rigid fall takes them, m.
typedef struct FallError
{
	double fallen;   // mean, m
	double deformed; // between any two, at most
	double aside;    // from the vertical, at most
} FallError;

static drapeVec3* CopyPositions(const Fabric* fabric)
{
	drapeClothView view = drapeCloth_GetView(fabric->cloth);
	drapeVec3* positions = malloc(view.particleCount * sizeof *positions);
	assert_non_null(positions);
	for (uint32_t i = 0; i < view.particleCount; ++i)
		positions[i] = (drapeVec3){view.positions[i].x, view.positions[i].y, view.positions[i].z};
	return positions;
}

static FallError MeasureFall(const Fabric* fabric, const drapeVec3* start)
{
	drapeClothView view = drapeCloth_GetView(fabric->cloth);
	FallError error = {0};
	double least = HUGE_VAL, most = -HUGE_VAL;
	for (uint32_t i = 0; i < view.particleCount; ++i)
	{
		double x = (double)view.positions[i].x - (double)start[i].x;
		double y = (double)view.positions[i].y - (double)start[i].y;
		double z = (double)view.positions[i].z - (double)start[i].z;
		error.fallen += y / view.particleCount;
		least = fmin(least, y);
		most = fmax(most, y);
		error.aside = fmax(error.aside, hypot(x, z));
	}
	error.deformed = most - least;
	return error;
}

// The fall is 5 m in n steps. Each rounds a position to half an ulp of at most 4 FLT_EPSILON, so that no two particles
// can be farther from each other than n ulps, nor one aside more than half of that. Each also rounds a velocity to half
// an ulp of at most 8 FLT_EPSILON, all alike, which is the fall's own error: n^2 / 2 dt times as much on top.
static void FallFreely(drapeIntegrator integrator, double angle)
{
	const int steps = 60;
	const double dt = (double)(1.0f / 60.0f), ulp = (double)(4.0f * FLT_EPSILON);
	FabricDef def = Fabric_Default();
	def.gravity = earth;
	def.solver.integrator = integrator;
	Fabric fabric = Fabric_Create(&def);
	Fabric_SetPositions(&fabric, TurnedPlace, &angle);
	drapeVec3* start = CopyPositions(&fabric);
	for (int i = 0; i < steps; ++i)
		Fabric_Step(&fabric, dt);
	FallError error = MeasureFall(&fabric, start);
	double expected = Fallen(integrator, dt, steps), bound = 0.5 * steps + 0.5 * steps * steps * dt;
	print_message("  %-17s fallen %.7f m, by the integrator %.7f, by g t^2 / 2 %.7f; off by %.1f ulp (bound %.0f), "
	              "deformed by %.0f (%d), aside %.1f (%d)\n",
	              drapeIntegrator_GetName(integrator), error.fallen, expected, -0.5 * 9.81,
	              (error.fallen - expected) / ulp, bound, error.deformed / ulp, steps, error.aside / ulp, steps / 2);
	assert_true(fabs(error.fallen - expected) <= bound * ulp);
	assert_true(error.deformed <= steps * ulp);
	assert_true(error.aside <= 0.5 * steps * ulp);
	free(start);
	Fabric_Destroy(&fabric);
}

static void FreeFallLeavesTheSheetUndeformed(void** state)
{
	(void)state;
	for (int i = 0; i < implicitCount; ++i)
	{
		FallFreely(implicit[i], 0.0);
		FallFreely(implicit[i], 0.7);
	}
}

// Positions are rounded to half an ulp, 2^-25 m for coordinates of up to a metre, in each of three directions: a strain
// of at most 2 sqrt(3) 2^-25 / h along an edge of h, and what energy that is, is all there can be, in springs or in
// motion.
static void TurnedSheetFeelsNoForce(void** state)
{
	(void)state;
	for (int turn = 1; turn <= 5; ++turn)
	{
		FabricDef def = Fabric_Default();
		def.mesh = fabricIrregular;
		double angle = turn, h = def.length / def.columns,
			   strain = 2.0 * sqrt(3.0) * (0.25 * (double)FLT_EPSILON) / (0.4 * h);
		double bound = 0.5 * 2.0 * (double)def.material.stretchWarp * strain * strain;
		Fabric fabric = Fabric_Create(&def);
		Fabric_SetPositions(&fabric, TurnedPlace, &angle);
		for (int i = 0; i < 60; ++i)
			Fabric_Step(&fabric, 1.0 / 60.0);
		FabricState after = Fabric_Measure(&fabric, earth);
		print_message("  turned by %d rad: analytic 0 J, elastic %.2g J, kinetic %.2g J (rounding allows %.2g J)\n",
		              turn, after.elastic, after.kinetic, bound);
		assert_true(after.elastic <= bound && after.kinetic <= bound);
		Fabric_Destroy(&fabric);
	}
}

// --- conservation ---------------------------------------------------------------------------------------------------

// A sheet with waves in it, thrown and spinning.
static drapeVec3 WavyPlace(FabricPoint rest, const void* context)
{
	(void)context;
	double wave = 0.05 * sin(2.0 * pi * rest.x) * cos(pi * rest.y);
	return (drapeVec3){(float)(rest.x - 0.5), (float)wave, (float)(0.5 - rest.y)};
}

static drapeVec3 ThrownVelocity(FabricPoint rest, const void* context)
{
	(void)context;
	double x = rest.x - 0.5, z = 0.5 - rest.y;
	return (drapeVec3){(float)(0.3 + 1.5 * z), (float)(0.2 + x - 0.5 * z), (float)(-0.1 - 1.5 * x)};
}

static Fabric Throw(drapeIntegrator integrator, float dampingTime, float bend)
{
	FabricDef def = Fabric_Default();
	def.mesh = fabricIrregular;
	def.material.dampingTime = dampingTime;
	def.material.stretchWarp = 200.0f, def.material.stretchWeft = 100.0f, def.material.shear = 40.0f;
	def.material.poisson = 0.3f;
	def.material.bendWarp = def.material.bendWeft = bend;
	def.solver.integrator = integrator;
	Fabric fabric = Fabric_Create(&def);
	Fabric_SetPositions(&fabric, WavyPlace, NULL);
	Fabric_SetVelocities(&fabric, ThrownVelocity, NULL);
	return fabric;
}

// The most that was seen over a run, relative to the beginning.
typedef struct Drift
{
	double linear;  // of the sum of m |v|
	double angular; // of the angular momentum
	double grown;   // energy in any one step, of all energy
	double energy;  // from the beginning, of all energy
} Drift;

static double Energy(const FabricState* state)
{
	return state->kinetic + state->height + state->elastic;
}

static void UpdateDrift(Drift* drift, const FabricState* start, const FabricState* before, const FabricState* after)
{
	double turned = 0.0, spin = 0.0, all = start->kinetic + start->elastic;
	for (int k = 0; k < 3; ++k)
	{
		drift->linear = fmax(drift->linear, fabs(after->momentum[k] - start->momentum[k]) / start->speedSum);
		turned += pow(after->angular[k] - start->angular[k], 2.0);
		spin += start->angular[k] * start->angular[k];
	}
	drift->angular = fmax(drift->angular, sqrt(turned / spin));
	drift->grown = fmax(drift->grown, (Energy(after) - Energy(before)) / all);
	drift->energy = fmax(drift->energy, fabs(Energy(after) - Energy(start)) / all);
}

enum
{
	throwSteps = 360, // at 120 per second
};

static Drift FlyFor(Fabric* fabric, const char* name)
{
	const drapeVec3 none = {0.0f, 0.0f, 0.0f};
	FabricState start = Fabric_Measure(fabric, none), before, after = start;
	Drift drift = {0};
	for (int step = 0; step < throwSteps; ++step)
	{
		before = after;
		Fabric_Step(fabric, 1.0 / 120.0);
		after = Fabric_Measure(fabric, none);
		UpdateDrift(&drift, &start, &before, &after);
	}
	print_message(
		"  %-17s over 3 s: linear momentum off by %.2g of sum m |v|, angular by %.2g; energy off by %.2g, grew "
		"by at most %.2g in a step\n",
		name, drift.linear, drift.angular, drift.energy, drift.grown);
	return drift;
}

// Each step rounds velocities by half an ulp: all that linear momentum may lose, whatever the integrator.
static Drift ThrowAndMeasure(const char* name, drapeIntegrator integrator, float dampingTime, float bend)
{
	Fabric fabric = Throw(integrator, dampingTime, bend);
	Drift drift = FlyFor(&fabric, name);
	assert_true(drift.linear <= throwSteps * 0.5 * (double)FLT_EPSILON);
	Fabric_Destroy(&fabric);
	return drift;
}

static void MidpointKeepsMomentaAndEnergy(void** state)
{
	(void)state;
	Drift drift = ThrowAndMeasure("midpoint", drape_integratorImplicitMidpoint, 0.0f, 1e-3f);
	assert_true(drift.angular <= 1e-4);
	assert_true(drift.energy <= 0.03);
}

static void Bdf2KeepsLinearMomentum(void** state)
{
	(void)state;
	ThrowAndMeasure("BDF2", drape_integratorBdf2, 0.0f, 1e-3f);
}

// Internal damping takes energy, but no momentum. (That of bending slows the turning of a bent sheet, so there is next
// to none of it here.)
static void MembraneDampingTurnsNothing(void** state)
{
	(void)state;
	Drift drift = ThrowAndMeasure("damped midpoint", drape_integratorImplicitMidpoint, 0.02f, 1e-6f);
	assert_true(drift.angular <= 1e-4);
	assert_true(drift.energy >= 0.1);
}

// Energies are sums of floats: a part in 10^6 is what they can tell.
static void EulerKeepsLinearMomentumAndNeverGainsEnergy(void** state)
{
	(void)state;
	Drift drift = ThrowAndMeasure("Euler", drape_integratorImplicitEuler, 0.0f, 1e-3f);
	assert_true(drift.grown <= 1e-6);
}

// A flat sheet, held in two corners, falls into its hang.
static void EulerNeverGainsEnergyInAFall(void** state)
{
	(void)state;
	FabricDef def = Fabric_Default();
	def.columns = def.rows = 12;
	def.gravity = earth;
	Fabric fabric = Fabric_Create(&def);
	assert_int_not_equal(Make_Pin(fabric.cloth, 0).index1, 0);
	assert_int_not_equal(Make_Pin(fabric.cloth, def.columns).index1, 0);
	FabricState first = Fabric_Measure(&fabric, earth), before, after = first;
	double grown = -HUGE_VAL, all = after.mass * 9.81;
	for (int step = 0; step < 240; ++step)
	{
		before = after;
		Fabric_Step(&fabric, 1.0 / 60.0);
		after = Fabric_Measure(&fabric, earth);
		grown = fmax(grown, (Energy(&after) - Energy(&before)) / all);
	}
	print_message(
		"  Euler over 4 s of falling: energy went from %.4g to %.4g J, grew by at most %.2g of m g l in a step\n",
		Energy(&first), Energy(&after), grown);
	assert_true(grown <= 1e-6);
	Fabric_Destroy(&fabric);
}

// --- order of convergence -------------------------------------------------------------------------------------------

// Rubber so soft that all its motion is slow for the step.
static FabricDef RubberDef(drapeIntegrator integrator)
{
	FabricDef def = Fabric_Default();
	def.length = 0.4, def.width = 0.2;
	def.columns = 4, def.rows = 2;
	def.material.stretchWarp = def.material.stretchWeft = 4.0f;
	def.material.shear = 1.5f;
	def.material.poisson = 0.3f;
	def.material.bendWarp = def.material.bendWeft = 2e-3f;
	def.gravity = (drapeVec3){0.0f, -1.0f, 0.0f};
	def.solver.integrator = integrator;
	def.solver.newtonTolerance = 1e-6f;
	def.solver.tolerance = 1e-5f;
	return def;
}

// Positions after one second in `pairs` pairs of steps, the second `ratio` times the first.
static drapeVec3* SwingRubber(drapeIntegrator integrator, int pairs, double ratio, uint32_t* count)
{
	FabricDef def = RubberDef(integrator);
	Fabric fabric = Fabric_Create(&def);
	Fabric_PinPart(&fabric, Fabric_Before, 0.0);
	double dt = 1.0 / ((1.0 + ratio) * pairs);
	for (int i = 0; i < pairs; ++i)
	{
		Fabric_Step(&fabric, dt);
		Fabric_Step(&fabric, ratio * dt);
	}
	drapeVec3* positions = CopyPositions(&fabric);
	*count = drapeCloth_GetView(fabric.cloth).particleCount;
	Fabric_Destroy(&fabric);
	return positions;
}

static double Distance(const drapeVec3* a, const drapeVec3* b, uint32_t count)
{
	double sum = 0.0;
	for (uint32_t i = 0; i < count; ++i)
	{
		double x = (double)(a[i].x - b[i].x), y = (double)(a[i].y - b[i].y), z = (double)(a[i].z - b[i].z);
		sum += x * x + y * y + z * z;
	}
	return sqrt(sum / count);
}

// Against four times as many midpoint steps as the finest run has, whose error is a sixteenth of that of the finest
// midpoint run.
static void MeasureOrder(drapeIntegrator integrator, double ratio, double order)
{
	uint32_t count;
	drapeVec3* exact = SwingRubber(drape_integratorImplicitMidpoint, 320, 1.0, &count);
	double error[3];
	for (int i = 0; i < 3; ++i)
	{
		drapeVec3* positions = SwingRubber(integrator, 20 << i, ratio, &count);
		error[i] = Distance(positions, exact, count);
		free(positions);
	}
	free(exact);
	double measured = log2(error[1] / error[2]);
	print_message(
		"  %-17s steps 1 : %.1f, error %.3g, %.3g, %.3g m at 40, 80, 160 steps per second: order %.0f, measured "
		"%.2f, %.2f\n",
		drapeIntegrator_GetName(integrator), ratio, error[0], error[1], error[2], order, log2(error[0] / error[1]),
		measured);
	assert_true(fabs(measured - order) <= 0.2);
}

static void ErrorsFallWithTheIntegratorsOrder(void** state)
{
	(void)state;
	MeasureOrder(drape_integratorImplicitEuler, 1.0, 1.0);
	MeasureOrder(drape_integratorImplicitMidpoint, 1.0, 2.0);
	MeasureOrder(drape_integratorBdf2, 1.0, 2.0);
}

static void OrderSurvivesStepsThatAlternate(void** state)
{
	(void)state;
	MeasureOrder(drape_integratorImplicitEuler, 0.7, 1.0);
	MeasureOrder(drape_integratorImplicitMidpoint, 0.7, 2.0);
	MeasureOrder(drape_integratorBdf2, 0.7, 2.0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(StiffSheetSwingsAsAPhysicalPendulum),
		cmocka_unit_test(FreeFallLeavesTheSheetUndeformed),
		cmocka_unit_test(TurnedSheetFeelsNoForce),
		cmocka_unit_test(MidpointKeepsMomentaAndEnergy),
		cmocka_unit_test(Bdf2KeepsLinearMomentum),
		cmocka_unit_test(MembraneDampingTurnsNothing),
		cmocka_unit_test(EulerKeepsLinearMomentumAndNeverGainsEnergy),
		cmocka_unit_test(EulerNeverGainsEnergyInAFall),
		cmocka_unit_test(ErrorsFallWithTheIntegratorsOrder),
		cmocka_unit_test(OrderSurvivesStepsThatAlternate),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
