// SPDX-License-Identifier: MIT
#include "support.h"

#include "base/maths.h"
#include "solve/solve.h"

#include <math.h>
#include <stdio.h>

// The tutorial's test equations (P 3.1), written as x' = v, v' = a(x, v, t). States are floats, so steps are chosen
// such that rounding stays well below the error of the scheme.

typedef enum Equation
{
	equationGrowth,     // y' = 2 y
	equationDecay,      // y' = -15 y
	equationOverdamped, // y'' = -2.5 y - 5 y'
	equationSpring,     // a mass of 0.1 kg on a damped spring of 100 N/m, under gravity
	equationUndamped,   // y'' = -5 y
	equationDriven,     // y'' = cos t: whether stages are evaluated at the right times
} Equation;

static void Accelerations(const Vec4* x, const Vec4* v, double time, Vec4* a, void* context)
{
	switch (*(const Equation*)context)
	{
		case equationGrowth:
			a[0] = (Vec4){2.0f * v[0].x, 0.0f, 0.0f, 0.0f}; // y'' = 2 y'
			break;
		case equationDecay:
			a[0] = (Vec4){-15.0f * v[0].x, 0.0f, 0.0f, 0.0f};
			break;
		case equationOverdamped:
			a[0] = (Vec4){-2.5f * x[0].x - 5.0f * v[0].x, 0.0f, 0.0f, 0.0f};
			break;
		case equationSpring:
			a[0] = (Vec4){-10.0f - 1000.0f * (x[0].x + 1.0f) - 10.0f * v[0].x, 0.0f, 0.0f, 0.0f};
			break;
		case equationUndamped:
			a[0] = (Vec4){-5.0f * x[0].x, 0.0f, 0.0f, 0.0f};
			break;
		case equationDriven:
			a[0] = (Vec4){(float)cos(time), 0.0f, 0.0f, 0.0f};
			break;
	}
}

static double Exact(Equation equation, double t)
{
	double s = sqrt(15.0), w = sqrt(975.0);
	switch (equation)
	{
		case equationGrowth:
			return exp(2.0 * t);
		case equationDecay:
			return exp(-15.0 * t);
		case equationOverdamped:
			return (exp((-5.0 + s) * t / 2.0) - exp(-(5.0 + s) * t / 2.0)) / s;
		case equationSpring:
			return -1.01 + exp(-5.0 * t) * (0.01 * cos(w * t) + (-4.95 / w) * sin(w * t));
		case equationUndamped:
			return cos(sqrt(5.0) * t) + sin(sqrt(5.0) * t) / sqrt(5.0);
		case equationDriven:
			return 1.0 - cos(t);
	}
	return 0.0;
}

static Vec4 StartVelocity(Equation equation)
{
	const float start[] = {2.0f, -15.0f, 1.0f, -5.0f, 1.0f, 0.0f};
	return (Vec4){start[equation], 0.0f, 0.0f, 3.0f};
}

static Vec4 StartPosition(Equation equation)
{
	const float start[] = {1.0f, 1.0f, 0.0f, -1.0f, 1.0f, 0.0f};
	return (Vec4){start[equation], 0.0f, 0.0f, 7.0f};
}

typedef struct Run
{
	Equation equation;
	drapeIntegrator integrator;
	double end;       // s
	uint32_t steps;   // of equal length, or
	bool changesStep; // two thirds of them in the first half
} Run;

// The error of the position at the end.
static double Error(Run run)
{
	Vec4 position = StartPosition(run.equation), velocity = StartVelocity(run.equation), scratch[8];
	TaskPool* tasks = drapeTaskPool_Create(1, NULL, NULL, NULL);
	assert_true(drapeIntegrator_ScratchRows(run.integrator) <= 8);
	Dynamics dynamics = {
		.count = 1,
		.position = &position,
		.velocity = &velocity,
		.acceleration = Accelerations,
		.context = &run.equation,
		.tasks = tasks,
		.scratch = scratch,
	};
	double time = 0.0;
	for (uint32_t i = 0; i < run.steps; ++i)
	{
		double h = run.end / run.steps;
		if (run.changesStep)
			h *= 3 * i < 2 * run.steps ? 0.75 : 1.5;
		drapeDynamics_Step(&dynamics, run.integrator, time, (float)h);
		time += h;
	}
	assert_true(fabs(time - run.end) < 1e-9);
	assert_true(position.w == 7.0f && velocity.w == 3.0f); // fourth components are left alone
	drapeTaskPool_Destroy(tasks);
	return fabs((double)position.x - Exact(run.equation, run.end));
}

static double Order(Run run)
{
	double coarse = Error(run);
	run.steps *= 2;
	double fine = Error(run), order = log2(coarse / fine);
	printf("%-16s equation %d: error %.2e, halved %.2e, order %.2f\n", drapeIntegrator_GetName(run.integrator),
	       (int)run.equation + 1, coarse, fine, order);
	return order;
}

static void AssertOrder(Run run, double wanted, double tolerance)
{
	double order = Order(run);
	if (!(order > wanted - tolerance && order < wanted + tolerance))
		fail_msg("order %g, not %g", order, wanted);
}

static void TheEulersAreOfFirstOrder(void** state)
{
	(void)state;
	const drapeIntegrator eulers[] = {drape_integratorExplicitEuler, drape_integratorSymplecticEuler};
	for (int i = 0; i < 2; ++i)
	{
		AssertOrder((Run){equationGrowth, eulers[i], 1.0, 200, false}, 1.0, 0.1);
		AssertOrder((Run){equationDecay, eulers[i], 0.2, 200, false}, 1.0, 0.1);
		AssertOrder((Run){equationOverdamped, eulers[i], 1.0, 200, false}, 1.0, 0.1);
		AssertOrder((Run){equationSpring, eulers[i], 0.1, 400, false}, 1.0, 0.15);
		AssertOrder((Run){equationUndamped, eulers[i], 1.3, 200, false}, 1.0, 0.15);
	}
}

static void MidpointIsOfSecondOrder(void** state)
{
	(void)state;
	AssertOrder((Run){equationGrowth, drape_integratorMidpoint, 1.0, 20, false}, 2.0, 0.15);
	AssertOrder((Run){equationDecay, drape_integratorMidpoint, 0.2, 20, false}, 2.0, 0.25);
	AssertOrder((Run){equationOverdamped, drape_integratorMidpoint, 1.0, 20, false}, 2.0, 0.3);
	AssertOrder((Run){equationSpring, drape_integratorMidpoint, 0.1, 40, false}, 2.0, 0.3);
	AssertOrder((Run){equationUndamped, drape_integratorMidpoint, 1.3, 20, false}, 2.0, 0.15);
	AssertOrder((Run){equationDriven, drape_integratorMidpoint, 2.0, 10, false}, 2.0, 0.15);
}

static void VerletIsOfSecondOrderAlsoWhenTheStepChanges(void** state)
{
	(void)state;
	AssertOrder((Run){equationUndamped, drape_integratorVerlet, 1.3, 24, false}, 2.0, 0.15);
	AssertOrder((Run){equationDriven, drape_integratorVerlet, 2.0, 12, false}, 2.0, 0.15);
	AssertOrder((Run){equationUndamped, drape_integratorVerlet, 1.3, 24, true}, 2.0, 0.25);
}

static void RungeKuttaIsOfFourthOrder(void** state)
{
	(void)state;
	AssertOrder((Run){equationGrowth, drape_integratorRungeKutta4, 1.0, 4, false}, 4.0, 0.4);
	AssertOrder((Run){equationDecay, drape_integratorRungeKutta4, 0.2, 6, false}, 4.0, 0.5);
	AssertOrder((Run){equationOverdamped, drape_integratorRungeKutta4, 1.0, 6, false}, 4.0, 0.6);
	AssertOrder((Run){equationSpring, drape_integratorRungeKutta4, 0.1, 8, false}, 4.0, 0.6);
	AssertOrder((Run){equationUndamped, drape_integratorRungeKutta4, 1.3, 4, false}, 4.0, 0.5);
	AssertOrder((Run){equationDriven, drape_integratorRungeKutta4, 2.0, 2, false}, 4.0, 0.5);
}

// |1 + h lambda| < 1 for lambda = -5 +- i sqrt(975) is h < 0.01.
static void ExplicitEulerDivergesAboveAHundredthOnTheStiffSpring(void** state)
{
	(void)state;
	double below = Error((Run){equationSpring, drape_integratorExplicitEuler, 9.0, 1000, false});
	double above = Error((Run){equationSpring, drape_integratorExplicitEuler, 11.0, 1000, false});
	double symplectic = Error((Run){equationSpring, drape_integratorSymplecticEuler, 11.0, 1000, false});
	printf("error after 1,000 steps of 0.009 s: %.2e, of 0.011 s: %.2e; symplectic %.2e\n", below, above, symplectic);
	assert_true(below < 0.01);
	assert_true(above > 1.0);
	assert_true(symplectic < 1e-3);
}

static void ExactSolutionsAreThoseOfTheTutorial(void** state)
{
	(void)state;
	assert_true(fabs(Exact(equationOverdamped, 1.0) - 0.1439126) < 1e-6);
	assert_true(fabs(Exact(equationSpring, 0.5) + 1.0120575) < 1e-6);
}

// Constant acceleration: exact for schemes of second order, whatever the step.
static void Fall(const Vec4* x, const Vec4* v, double time, Vec4* a, void* context)
{
	(void)x;
	(void)v;
	(void)time;
	for (uint32_t i = 0; i < *(const uint32_t*)context; ++i)
		a[i] = (Vec4){0.0f, -10.0f, 0.0f, 0.0f};
}

static void ManyParticlesFallAlikeWithAnyNumberOfThreads(void** state)
{
	(void)state;
	enum
	{
		count = 5000
	};
	static Vec4 position[count], velocity[count], scratch[5 * count];
	for (int integrator = 0; !drapeIntegrator_IsImplicit((drapeIntegrator)integrator); ++integrator)
	{
		for (uint32_t workers = 1; workers <= 3; workers += 2)
		{
			uint32_t n = count;
			TaskPool* tasks = drapeTaskPool_Create(workers, NULL, NULL, NULL);
			for (uint32_t i = 0; i < count; ++i)
			{
				position[i] = (Vec4){(float)i, 0.0f, 0.0f, 1.0f};
				velocity[i] = (Vec4){0.0f, 5.0f, 0.0f, 2.0f};
			}
			Dynamics dynamics = {count, position, velocity, Fall, &n, tasks, scratch, 0.0f};
			for (int step = 0; step < 64; ++step)
				drapeDynamics_Step(&dynamics, (drapeIntegrator)integrator, 0.0, 1.0f / 64.0f);
			bool isFirst = integrator == drape_integratorExplicitEuler || integrator == drape_integratorSymplecticEuler;
			for (uint32_t i = 0; i < count; ++i)
			{
				assert_true(position[i].x == (float)i && position[i].y == position[0].y);
				assert_true(fabsf(position[i].y) < (isFirst ? 0.1f : 1e-5f));
			}
			drapeTaskPool_Destroy(tasks);
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(ExactSolutionsAreThoseOfTheTutorial),
		cmocka_unit_test(TheEulersAreOfFirstOrder),
		cmocka_unit_test(MidpointIsOfSecondOrder),
		cmocka_unit_test(VerletIsOfSecondOrderAlsoWhenTheStepChanges),
		cmocka_unit_test(RungeKuttaIsOfFourthOrder),
		cmocka_unit_test(ExplicitEulerDivergesAboveAHundredthOnTheStiffSpring),
		cmocka_unit_test(ManyParticlesFallAlikeWithAnyNumberOfThreads),
	};
	return cmocka_run_group_tests_name("integrate", tests, NULL, NULL);
}
