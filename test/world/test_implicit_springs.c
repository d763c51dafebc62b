// SPDX-License-Identifier: MIT
#include "contact_scene.h"
#include "shared/make.h"
#include "hang.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Springs with implicit integrators: the same cloth as with explicit ones, at any step; and any scheme with any model
// and any integrator.

static const drapeIntegrator implicit[] = {drape_integratorImplicitEuler, drape_integratorImplicitMidpoint,
                                           drape_integratorBdf2};

enum
{
	implicitCount = 3,
};

static drapeClothDef SpringDef(drapeBending bending, drapeIntegrator integrator)
{
	drapeClothDef def = Hang_Def();
	def.model = drape_modelSprings;
	def.springs.bending = bending;
	def.solver.integrator = integrator;
	return def;
}

static void SetVacuum(drapeWorldId world)
{
	drapeWindDef wind = drapeDefaultWindDef();
	wind.airDensity = 0.0f;
	drapeWorld_SetWind(world, &wind);
}

// --- statics --------------------------------------------------------------------------------------------------------

typedef struct Rest
{
	drapeVec3* position;
	uint32_t count;
	uint32_t substeps; // of the last step
} Rest;

// A sheet that is held by its first row of vertices and hangs down, or by its first two and sticks out.
static Rest Settle(const drapeClothDef* def, bool sticksOut)
{
	const uint32_t quads = 6;
	drapeWorldId world = Sheet_World(1);
	SetVacuum(world);
	drapeClothId cloth = Hang_Add(world, def, quads, 0);
	for (uint32_t i = 0; i < (sticksOut ? 2 : 1) * (quads + 1); ++i)
		Make_Pin(cloth, i);
	Rest rest = {.count = drapeCloth_GetView(cloth).particleCount};
	Hang_Run(world, 300);
	rest.substeps = drapeWorld_GetCounters(world).substeps;
	rest.position = malloc(rest.count * sizeof *rest.position);
	for (uint32_t i = 0; i < rest.count; ++i)
	{
		drapeVec4 x = drapeCloth_GetView(cloth).positions[i];
		rest.position[i] = (drapeVec3){x.x, x.y, x.z};
	}
	assert_true(drapeWorld_GetMeasures(world).kineticEnergy < 1e-5f);
	drapeDestroyWorld(world);
	return rest;
}

static void ImplicitAndExplicitSpringsHangAlike(void** state)
{
	(void)state;
	for (int index = 0; index < 8; ++index)
	{
		bool sticksOut = index % 2;
		drapeClothDef def =
			SpringDef(index / 2 % 2 ? drape_bendSprings : drape_bendElements, drape_integratorSymplecticEuler);
		def.springs.law = index / 4 ? drape_springLength : drape_springArea;
		def.solver.globalDamping = 4.0f;
		def.material.stretchWarp = def.material.stretchWeft = 60.0f;
		def.material.bendWarp = def.material.bendWeft = 0.02f;
		def.material.dampingTime = 0.005f;
		Rest wanted = Settle(&def, sticksOut);
		assert_true(wanted.substeps > 1);
		for (int i = 0; i < implicitCount; ++i)
		{
			def.solver.integrator = implicit[i];
			def.solver.newtonIterations = 2;
			Rest is = Settle(&def, sticksOut);
			float most = 0.0f;
			for (uint32_t k = 0; k < is.count; ++k)
				most = fmaxf(most, V3Length(V3Sub(is.position[k], wanted.position[k])));
			printf("law %d, bending %d, %s, %s: %.2f mm apart, %u explicit substeps\n", (int)def.springs.law,
			       (int)def.springs.bending, sticksOut ? "sticks out" : "hangs", drapeIntegrator_GetName(implicit[i]),
			       1e3 * (double)most, wanted.substeps);
			assert_true(most < 2e-3f);
			assert_int_equal(is.substeps, 1);
			free(is.position);
		}
		free(wanted.position);
	}
}

// --- motion ---------------------------------------------------------------------------------------------------------

typedef struct Momentum
{
	double linear[3], angular[3];
} Momentum;

static Momentum MomentumOf(drapeClothId cloth)
{
	drapeClothView view = drapeCloth_GetView(cloth);
	Momentum sum = {0};
	for (uint32_t i = 0; i < view.particleCount; ++i)
	{
		drapeVec4 x = view.positions[i], v = view.velocities[i];
		double m = (double)v.w, p[3] = {m * (double)v.x, m * (double)v.y, m * (double)v.z};
		double r[3] = {(double)x.x, (double)x.y, (double)x.z};
		for (int k = 0; k < 3; ++k)
		{
			int a = (k + 1) % 3, b = (k + 2) % 3;
			sum.linear[k] += p[k];
			sum.angular[k] += r[a] * p[b] - r[b] * p[a];
		}
	}
	return sum;
}

// A crumpled sheet flies through empty space while it unfolds.
static void SpringsChangeNeitherMomentumNorSpin(void** state)
{
	(void)state;
	for (int index = 0; index < 6; ++index)
	{
		drapeWorldDef worldDef = drapeDefaultWorldDef();
		worldDef.gravity = (drapeVec3){0.0f, 0.0f, 0.0f};
		drapeWorldId world = Make_World(&worldDef);
		SetVacuum(world);
		drapeClothDef def = SpringDef(index % 2 ? drape_bendSprings : drape_bendElements, implicit[index / 2]);
		def.solver.tolerance = 1e-6f;
		def.solver.newtonIterations = 20;
		def.solver.newtonTolerance = 1e-5f;
		def.material.stretchWarp = def.material.stretchWeft = 200.0f;
		def.solver.maxStretch = 100.0f;
		def.material.bendWarp = def.material.bendWeft = 1e-3f;
		drapeClothId cloth = Hang_Add(world, &def, 5, 0);
		Make_Unpinned(cloth);
		assert_true(Sheet_SetShape(cloth, Sheet_Bumps, 0.1f));
		Cloth* inner = drapeCloth_Get(cloth);
		for (uint32_t i = 0; i < inner->active.particleCount; ++i)
		{
			Vec4 x = inner->active.position[i], *v = &inner->active.velocity[i];
			*v = (Vec4){0.5f - x.z, 0.2f, x.x - 0.3f, v->w};
		}
		Momentum before = MomentumOf(cloth);
		Hang_Run(world, 60);
		Momentum after = MomentumOf(cloth);
		for (int k = 0; k < 3; ++k)
		{
			assert_true(fabs(after.linear[k] - before.linear[k]) < 1e-4);
			// Only the midpoint rule keeps the spin; the others lose some of it with the energy that they damp.
			double loss = implicit[index / 2] == drape_integratorImplicitMidpoint ? 0.01 : 0.25;
			assert_true(fabs(after.angular[k] - before.angular[k]) < loss * 0.034);
		}
		drapeDestroyWorld(world);
	}
}

static void StiffSpringsAreStableInOneStepOfASixtieth(void** state)
{
	(void)state;
	for (int index = 0; index < 9; ++index)
	{
		drapeClothDef def = SpringDef((drapeBending)(index % 3), implicit[index / 3]);
		def.material.dampingTime = index % 2 ? 0.0f : 0.002f;
		def.material.bendWarp = def.material.bendWeft = 1e-3f;
		def.solver.newtonIterations = 2;
		drapeWorldId world = Sheet_World(1);
		drapeClothId cloth = Hang_Add(world, &def, 8, 1);
		Hang_Step(world, frame); // the model follows the refined mesh
		Cloth* inner = drapeCloth_Get(cloth);
		float* scratch = calloc(inner->active.particleCount, sizeof *scratch);
		float stable = drapeModel_StableStep(&inner->simulation.model, &inner->active, scratch);
		free(scratch);
		assert_true(stable < frame / 50.0f); // explicit integrators need fifty substeps
		uint32_t retries = 0;
		for (int step = 0; step < 120; ++step)
		{
			Hang_Step(world, frame);
			retries += drapeWorld_GetCounters(world).retries;
			assert_true(drapeCloth_GetMeasures(cloth).stretch99 < 1.3f);
		}
		printf("%s, bending %d: stable explicit step %.1f us, %u retries\n",
		       drapeIntegrator_GetName(implicit[index / 3]), index % 3, 1e6 * (double)stable, retries);
		assert_true(retries < 20);
		Hang_Check(cloth);
		drapeDestroyWorld(world);
	}
}

static void TheStretchLimitHoldsSoftSprings(void** state)
{
	(void)state;
	for (int index = 0; index < implicitCount; ++index)
	{
		drapeClothDef def = SpringDef(drape_bendElements, implicit[index]);
		def.material.stretchWarp = def.material.stretchWeft = 20.0f;
		def.material.dampingTime = 0.02f;
		def.solver.maxStretch = 1.05f;
		def.solver.globalDamping = 1.0f;
		def.solver.newtonIterations = implicit[index] == drape_integratorImplicitMidpoint ? 10 : 2;
		drapeWorldId world = Sheet_World(1);
		drapeClothId cloth = Hang_Add(world, &def, 8, 0);
		Hang_Run(world, 120);
		printf("%s: %.3f\n", drapeIntegrator_GetName(implicit[index]), (double)drapeCloth_GetMeasures(cloth).stretch99);
		assert_true(drapeCloth_GetMeasures(cloth).stretch99 < 1.1f);
		Hang_Check(cloth);
		drapeDestroyWorld(world);
	}
}

// --- the same bits --------------------------------------------------------------------------------------------------

typedef struct Scene
{
	drapeWorldId world;
	drapeClothId cloths[3];
} Scene;

// Three adaptive cloths of springs above a ball, one for each scheme.
static Scene Scene_Create(uint32_t workers)
{
	Scene scene = {.world = Sheet_World(workers)};
	drapeColliderDef ball = drapeDefaultColliderDef();
	ball.radius = 0.2f;
	ball.transform.position.y = -0.25f;
	Make_Collider(scene.world, &ball);
	for (int i = 0; i < 3; ++i)
	{
		drapeClothDef def = SpringDef(i == 1 ? drape_bendSprings : drape_bendElements, implicit[i]);
		def.material.dampingTime = i == 0 ? 0.005f : 0.0f;
		def.springs.damping = i == 0 ? drape_dampingSimple : drape_dampingProjected;
		def.solver.maxStretch = i == 2 ? 1.05f : 0.0f;
		def.adapt = drapeDefaultAdaptDef();
		def.adapt.scheme = i == 0 ? drape_schemeEdge : i == 1 ? drape_schemeSqrt3 : drape_schemeFixed;
		def.adapt.maxLevel = i == 0 ? 2 : i == 1 ? 3 : 0;
		def.adapt.joinWait = 2;
		scene.cloths[i] = Hang_Add(scene.world, &def, i == 2 ? 20 : 8, 0);
	}
	return scene;
}

static void ThreadsAndResumingChangeNoBit(void** state)
{
	(void)state;
	uint64_t wanted = 0;
	uint32_t splits = 0, joins = 0;
	for (uint32_t workers = 1; workers <= 2; ++workers)
	{
		Scene scene = Scene_Create(workers), resumed = Scene_Create(3 - workers);
		for (int step = 0; step < 30; ++step)
		{
			Hang_Run(scene.world, 1);
			splits += drapeWorld_GetCounters(scene.world).splits;
			joins += drapeWorld_GetCounters(scene.world).joins;
		}
		size_t size = Make_Snapshot(scene.world, NULL, 0);
		void* data = malloc(size);
		assert_true(data && Make_Snapshot(scene.world, data, size) == size);
		assert_int_equal(drapeWorld_Load(resumed.world, data, size), drape_ok);
		free(data);
		Hang_Run(scene.world, 20);
		Hang_Run(resumed.world, 20);
		for (int i = 0; i < 3; ++i)
			Hang_Check(resumed.cloths[i]);
		uint64_t hash = drapeWorld_GetHash(scene.world);
		assert_true(drapeWorld_GetHash(resumed.world) == hash);
		assert_true(workers == 1 || hash == wanted);
		wanted = hash;
		drapeDestroyWorld(scene.world);
		drapeDestroyWorld(resumed.world);
	}
	printf("hash 0x%016llx, %u splits, %u joins\n", (unsigned long long)wanted, splits, joins);
	assert_true(splits > 100 && joins > 0);
}

// --- contact --------------------------------------------------------------------------------------------------------

static void SpringSheetsOnABallPassThroughNothing(void** state)
{
	(void)state;
	const drapeScheme schemes[] = {drape_schemeFixed, drape_schemeEdge, drape_schemeSqrt3};
	for (int i = 0; i < (isSlow ? 1 : 3); ++i)
	{
		ContactScene scene;
		ContactScene_Create(
			&scene,
			&(ContactSceneDef){
				.workers = 2, .scheme = schemes[i], .model = drape_modelSprings, .isImplicit = true, .quads = 8});
		drapeColliderDef ball = drapeDefaultColliderDef();
		ball.radius = 0.3f;
		ContactScene_AddShape(&scene, &ball);
		ContactScene_AddSheet(&scene, Placed(0.0f, 0.33f, 0.0f));
		ContactScene_AddSheet(&scene, Turned(0.0f, 0.38f, 0.0f, (drapeVec3){0.0f, 1.0f, 0.0f}, 0.5f));
		ContactScene_Run(&scene, 60, frame);
		assert_true(drapeWorld_GetCounters(scene.world).contactPoints > 20);
		ContactScene_Destroy(&scene);
	}
}

// --- everything with everything -------------------------------------------------------------------------------------

static const struct
{
	drapeModel model;
	drapeBending bending;
} models[] = {
	{drape_modelFem, drape_bendElements},
	{drape_modelSprings, drape_bendElements},
	{drape_modelSprings, drape_bendSprings},
	{drape_modelSprings, drape_bendNone},
};

static void AnySchemeGoesWithAnyModelAndAnyIntegrator(void** state)
{
	(void)state;
	uint32_t combinations = 0, changed = 0;
	for (int scheme = 0; scheme <= drape_schemeSqrt3; ++scheme)
	{
		for (size_t model = 0; model < sizeof models / sizeof models[0]; ++model)
		{
			for (int integrator = 0; drapeIntegrator_GetName((drapeIntegrator)integrator); ++integrator)
			{
				drapeWorldId world = Sheet_World(1);
				drapeClothDef def = SpringDef(models[model].bending, (drapeIntegrator)integrator);
				def.model = models[model].model;
				def.material.stretchWarp = def.material.stretchWeft = 100.0f;
				def.material.shear = 40.0f;
				def.material.dampingTime = 0.002f;
				def.solver.newtonIterations = 2;
				def.solver.maxStretch = 1.1f;
				def.adapt = drapeDefaultAdaptDef();
				def.adapt.scheme = (drapeScheme)scheme;
				def.adapt.maxLevel = scheme == drape_schemeFixed ? 0 : 2;
				drapeColliderDef ball = drapeDefaultColliderDef();
				ball.radius = 0.2f;
				ball.transform.position.y = -0.25f;
				Make_Collider(world, &ball);
				drapeClothId cloth = Hang_Add(world, &def, 6, 0);
				for (int step = 0; step < 15; ++step)
				{
					Hang_Step(world, frame);
					changed += drapeWorld_GetCounters(world).splits > 0;
				}
				Hang_Check(cloth);
				drapeMeasures stats = drapeCloth_GetMeasures(cloth);
				assert_true(stats.stretch99 < 1.4f && stats.kineticEnergy > 1e-3f);
				assert_true((drapeWorld_GetCounters(world).solves > 0) ==
				            drapeIntegrator_IsImplicit((drapeIntegrator)integrator));
				drapeDestroyWorld(world);
				++combinations;
			}
		}
	}
	printf("%u combinations, %u passes that changed the mesh\n", combinations, changed);
	assert_true(combinations == 3 * 4 * 8 && changed > 50);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(ImplicitAndExplicitSpringsHangAlike),
		cmocka_unit_test(SpringsChangeNeitherMomentumNorSpin),
		cmocka_unit_test(StiffSpringsAreStableInOneStepOfASixtieth),
		cmocka_unit_test(TheStretchLimitHoldsSoftSprings),
		cmocka_unit_test(ThreadsAndResumingChangeNoBit),
		cmocka_unit_test(SpringSheetsOnABallPassThroughNothing),
		cmocka_unit_test(AnySchemeGoesWithAnyModelAndAnyIntegrator),
	};
	return cmocka_run_group_tests_name("implicit springs", tests, NULL, NULL);
}
