// SPDX-License-Identifier: MIT
#include "meshes.h"
#include "shared/make.h"
#include "sheet.h"

#include "base/maths.h"
#include "base/random.h"
#include "drape/drape.h"

#include <math.h>
#include <stdlib.h>

// Pins with a force limit hold their particles with at most that force.

// --- tools ----------------------------------------------------------------------------------------------------------

static const float dt = 1.0f / 60.0f;

enum
{
	quads = 8,
	pinCount = 2,
	integratorCount = drape_integratorBdf2 + 1,
};

typedef struct Rig
{
	drapeWorldId world;
	drapeClothId cloth;
	drapePinId pins[pinCount];
	drapeVec3 pinned[pinCount];
	float weight; // N, of the cloth
} Rig;

// A sheet of 1 m that hangs by two corners, whose pins have a limit of so many weights of the cloth each; 0 for none.
static Rig Create(drapeIntegrator integrator, drapeScheme scheme, uint32_t workers, float weights)
{
	Rig rig = {.world = Sheet_World(workers)};
	drapeMesh grid;
	assert_int_equal(drapeMesh_CreateGrid(quads, quads, 1.0f, 1.0f, &grid, NULL), drape_ok);
	drapeClothDef def = Make_SpringClothDef();
	if (integrator >= drape_integratorImplicitEuler)
		def = Sheet_SettlingDef();
	def.mesh = &grid;
	def.solver.integrator = integrator;
	def.adapt.scheme = scheme;
	def.adapt.maxLevel = 2;
	rig.cloth = Make_Cloth(rig.world, &def);
	assert_true(drapeCloth_IsValid(rig.cloth));
	drapeVec3 placed[(quads + 1) * (quads + 1)];
	for (uint32_t i = 0; i < grid.vertexCount; ++i)
		placed[i] = (drapeVec3){grid.positions[i].x, -grid.positions[i].z, 0.01f * grid.positions[i].z};
	assert_int_equal(drapeCloth_SetPositions(rig.cloth, placed), drape_ok);
	rig.weight = 9.81f * def.material.density;
	for (uint32_t i = 0; i < pinCount; ++i)
	{
		rig.pins[i] = Make_Pin(rig.cloth, i * quads);
		rig.pinned[i] = placed[i * quads];
		assert_int_equal(drapePin_SetMaxForce(rig.pins[i], weights * rig.weight), drape_ok);
	}
	drapeMesh_Free(&grid);
	return rig;
}

static void Destroy(Rig* rig)
{
	Sheet_Check(rig->world);
	drapeDestroyWorld(rig->world);
}

// Steps, and asserts that no pin exceeds its limit.
static void Step(Rig* rig, int count)
{
	for (int step = 0; step < count; ++step)
	{
		assert_int_equal(drapeWorld_Step(rig->world, dt), drape_ok);
		for (uint32_t i = 0; i < pinCount; ++i)
		{
			drapePinState state = drapePin_GetState(rig->pins[i]);
			float force = V3Length(state.force);
			if (!(force <= 1.0001f * state.maxForce))
				fail_msg("%g N in step %d, at most %g", (double)force, step, (double)state.maxForce);
		}
	}
}

static float Lag(const Rig* rig, uint32_t pin)
{
	return drapePin_GetState(rig->pins[pin]).lag;
}

static void MovePins(Rig* rig, drapeVec3 by)
{
	for (uint32_t i = 0; i < pinCount; ++i)
		drapePin_SetTarget(rig->pins[i], V3Add(rig->pinned[i], by));
}

// --- force ----------------------------------------------------------------------------------------------------------

// Whatever the places of the pins do: they wander, and jump now and then.
static void NoForceExceedsItsLimit(void** state)
{
	(void)state;
	const drapeScheme schemes[] = {drape_schemeFixed, drape_schemeEdge, drape_schemeSqrt3};
	for (int i = 0; i < integratorCount * 3; ++i)
	{
		Random random = Random_Seed(7, (uint64_t)i);
		Rig rig = Create((drapeIntegrator)(i / 3), schemes[i % 3], 1, Random_Range(&random, 0.2f, 5.0f));
		for (int k = 0; k < (isSlow ? 5 : 15); ++k)
		{
			float size = k % 5 == 4 ? 5.0f : 0.1f; // m
			for (uint32_t p = 0; p < pinCount; ++p)
			{
				drapeVec3 by = {Random_Range(&random, -size, size), Random_Range(&random, -size, size),
				                Random_Range(&random, -size, size)};
				drapePin_SetTarget(rig.pins[p], V3Add(rig.pinned[p], by));
			}
			Step(&rig, 4);
		}
		Destroy(&rig);
	}
}

static void AStrongPinHoldsAndAWeakOneSlips(void** state)
{
	(void)state;
	for (int i = 0; i < integratorCount; ++i)
	{
		Rig strong = Create((drapeIntegrator)i, drape_schemeFixed, 1, 20.0f);
		Step(&strong, 60);
		for (uint32_t p = 0; p < pinCount; ++p)
		{
			drapePinState pin = drapePin_GetState(strong.pins[p]);
			if (pin.isSlipping || pin.lag > 5e-4f)
				fail_msg("integrator %d: a strong pin lags by %g m", i, (double)pin.lag);
		}
		Destroy(&strong);
		// Both together carry three quarters of the weight.
		Rig weak = Create((drapeIntegrator)i, drape_schemeFixed, 1, 0.375f);
		Step(&weak, 60);
		for (uint32_t p = 0; p < pinCount; ++p)
		{
			drapePinState pin = drapePin_GetState(weak.pins[p]);
			if (!pin.isSlipping || pin.lag < 0.2f)
				fail_msg("integrator %d: a weak pin lags by %g m", i, (double)pin.lag);
		}
		Destroy(&weak);
	}
}

// The forces of two pins that hold a cloth at rest add up to its weight.
static void PinsCarryTheWeight(void** state)
{
	(void)state;
	const drapeIntegrator integrators[] = {drape_integratorImplicitEuler, drape_integratorBdf2};
	for (int i = 0; i < 2; ++i)
	{
		Rig rig = Create(integrators[i], drape_schemeFixed, 1, 10.0f);
		Step(&rig, 300);
		drapeVec3 sum = {0.0f, 0.0f, 0.0f};
		for (uint32_t p = 0; p < pinCount; ++p)
			sum = V3Add(sum, drapePin_GetState(rig.pins[p]).force);
		if (!(fabsf(sum.y - rig.weight) < 0.03f * rig.weight && fabsf(sum.x) < 0.03f * rig.weight))
			fail_msg("pins carry %g N, the cloth weighs %g", (double)sum.y, (double)rig.weight);
		Destroy(&rig);
	}
}

// A place that is far away pulls the cloth after it; edges are not drawn out.
static void AHardPullDoesNotDrawVerticesOut(void** state)
{
	(void)state;
	const drapeScheme schemes[] = {drape_schemeFixed, drape_schemeEdge, drape_schemeSqrt3};
	for (int i = 0; i < 3; ++i)
	{
		Rig rig = Create(drape_integratorImplicitEuler, schemes[i], 1, 3.0f);
		Step(&rig, 20);
		drapePin_SetTarget(rig.pins[0], (drapeVec3){-4.0f, 3.0f, 0.5f});
		for (int k = 0; k < 60; ++k)
		{
			Step(&rig, 1);
			drapeMeasures stats = drapeWorld_GetMeasures(rig.world);
			if (!(stats.stretch99 < 1.5f && stats.stretchMax < 2.5f))
				fail_msg("stretch %g, at most %g", (double)stats.stretch99, (double)stats.stretchMax);
		}
		Destroy(&rig);
	}
}

static void APinCatchesItsParticleAgain(void** state)
{
	(void)state;
	for (int i = 0; i < integratorCount; ++i)
	{
		Rig rig = Create((drapeIntegrator)i, drape_schemeFixed, 1, 4.0f);
		Step(&rig, 20);
		drapePin_SetTarget(rig.pins[1], (drapeVec3){3.0f, 1.0f, 0.0f});
		Step(&rig, 30);
		assert_true(fmaxf(Lag(&rig, 0), Lag(&rig, 1)) > 0.1f);
		MovePins(&rig, (drapeVec3){0.0f, 0.0f, 0.0f});
		Step(&rig, 120);
		for (uint32_t p = 0; p < pinCount; ++p)
		{
			if (Lag(&rig, p) > 2e-3f)
				fail_msg("integrator %d: pin %u lags by %g m", i, p, (double)Lag(&rig, p));
		}
		Destroy(&rig);
	}
}

static void APinThatLosesItsLimitTakesItsParticleToItsPlace(void** state)
{
	(void)state;
	Rig rig = Create(drape_integratorImplicitEuler, drape_schemeFixed, 1, 0.3f);
	Step(&rig, 10);
	for (uint32_t p = 0; p < pinCount; ++p)
		assert_int_equal(drapePin_SetMaxForce(rig.pins[p], 0.0f), drape_ok);
	assert_int_equal(drapeWorld_Step(rig.world, dt), drape_ok);
	for (uint32_t p = 0; p < pinCount; ++p)
	{
		Vec4 x = drapeCloth_GetView(rig.cloth).positions[p * quads];
		assert_true(x.w == 0.0f && V3Length(V3Sub(V4Xyz(x), rig.pinned[p])) == 0.0f);
	}
	Destroy(&rig);
}

// --- state ----------------------------------------------------------------------------------------------------------

static void ARunWithLimitsGoesOnFromASnapshot(void** state)
{
	(void)state;
	for (int i = 0; i < integratorCount; ++i)
	{
		Rig rig = Create((drapeIntegrator)i, drape_schemeEdge, 1, 0.8f);
		Rig other = Create((drapeIntegrator)i, drape_schemeEdge, 1, 0.8f);
		Step(&rig, 10);
		MovePins(&rig, (drapeVec3){0.4f, 0.1f, 0.2f});
		Step(&rig, 7);
		size_t size = Make_Snapshot(rig.world, NULL, 0);
		void* data = malloc(size);
		assert_non_null(data);
		assert_int_equal(Make_Snapshot(rig.world, data, size), size);
		assert_int_equal(drapeWorld_Load(other.world, data, size), drape_ok);
		free(data);
		Step(&rig, 20);
		Step(&other, 20);
		assert_true(drapeWorld_GetHash(rig.world) == drapeWorld_GetHash(other.world));
		Destroy(&rig);
		Destroy(&other);
	}
}

static void LimitsGiveTheSameWithAnyNumberOfThreads(void** state)
{
	(void)state;
	uint64_t hash[2];
	for (uint32_t i = 0; i < 2; ++i)
	{
		Rig rig = Create(drape_integratorImplicitEuler, drape_schemeSqrt3, i + 1, 0.8f);
		MovePins(&rig, (drapeVec3){0.4f, 0.1f, 0.2f});
		Step(&rig, 30);
		hash[i] = drapeWorld_GetHash(rig.world);
		Destroy(&rig);
	}
	assert_true(hash[0] == hash[1]);
}

static void AdaptationKeepsAParticleWithALimitedPin(void** state)
{
	(void)state;
	const drapeScheme schemes[] = {drape_schemeEdge, drape_schemeSqrt3};
	for (int i = 0; i < 2; ++i)
	{
		drapeAdaptDef adapt = Sheet_Plain(3);
		adapt.scheme = schemes[i];
		Sheet sheet = Sheet_Create(4, 4, &adapt);
		drapeCloth_Refine(sheet.cloth);
		drapeCloth_Refine(sheet.cloth);
		uint32_t last = drapeCloth_GetView(sheet.cloth).particleCount - 1;
		drapePinId pin = Make_Pin(sheet.cloth, last);
		assert_int_equal(drapePin_SetMaxForce(pin, 1.0f), drape_ok);
		for (int k = 0; k < 8; ++k)
			drapeCloth_Coarsen(sheet.cloth);
		uint32_t particle = drapePin_GetParticle(pin);
		assert_true(particle < drapeCloth_GetView(sheet.cloth).particleCount);
		assert_true(drapeCloth_GetView(sheet.cloth).particleLevels[particle] > 0);
		Sheet_Check(sheet.world);
		drapeDestroyPin(pin);
		for (int k = 0; k < 8; ++k)
			drapeCloth_Coarsen(sheet.cloth);
		assert_int_equal(drapeCloth_GetView(sheet.cloth).particleCount, 25);
		Sheet_Destroy(&sheet);
	}
}

static void ForcesOutOfRangeAreRefused(void** state)
{
	(void)state;
	Rig rig = Create(drape_integratorImplicitEuler, drape_schemeFixed, 1, 1.0f);
	const float bad[] = {-1.0f, NAN, INFINITY, 2e9f};
	for (int i = 0; i < 4; ++i)
		ASSERT_REFUSED(assert_int_equal(drapePin_SetMaxForce(rig.pins[0], bad[i]), drape_errorArgument));
	ASSERT_REFUSED(assert_int_equal(drapePin_SetMaxForce(((drapePinId){.index1 = 9}), 1.0f), drape_errorArgument));
	assert_true(drapePin_GetState(rig.pins[0]).maxForce == rig.weight);
	Destroy(&rig);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(NoForceExceedsItsLimit),
		cmocka_unit_test(AStrongPinHoldsAndAWeakOneSlips),
		cmocka_unit_test(PinsCarryTheWeight),
		cmocka_unit_test(AHardPullDoesNotDrawVerticesOut),
		cmocka_unit_test(APinCatchesItsParticleAgain),
		cmocka_unit_test(APinThatLosesItsLimitTakesItsParticleToItsPlace),
		cmocka_unit_test(ARunWithLimitsGoesOnFromASnapshot),
		cmocka_unit_test(LimitsGiveTheSameWithAnyNumberOfThreads),
		cmocka_unit_test(AdaptationKeepsAParticleWithALimitedPin),
		cmocka_unit_test(ForcesOutOfRangeAreRefused),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
