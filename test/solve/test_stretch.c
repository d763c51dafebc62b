// SPDX-License-Identifier: MIT
#include "meshes.h"
#include "shared/make.h"
#include "rig.h"
#include "sheet.h"

#include "model/model.h"
#include "world/world.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// --- the limit on a mesh of its own ---------------------------------------------------------------------------------

typedef struct Bench
{
	Rig rig;
	Model model;
	StretchLimit limit;
	TaskPool* tasks;
	Vec4* previous;
} Bench;

// After `levels` of uniform refinement and `passes` of refinement at random.
static void Bench_Create(Bench* bench, const drapeMesh* mesh, uint32_t levels, uint32_t passes)
{
	*bench = (Bench){.tasks = drapeTaskPool_Create(2, NULL, NULL, NULL)};
	Rig_Create(&bench->rig, mesh);
	for (uint32_t i = 0; i < levels; ++i)
		Rig_RefineAll(&bench->rig);
	Random random = Random_Seed(41, passes);
	for (uint32_t i = 0; i < passes; ++i)
		Rig_RandomPass(&bench->rig, &random, 60, 0.8f);
	bench->rig.active.revision = 1;
	drapeMaterial material = drapeDefaultMaterial();
	drapeSpringDef springs = drapeDefaultSpringDef();
	drapeModel_Init(&bench->model, drape_modelSprings, &material, &springs);
	assert_true(drapeModel_Follow(&bench->model, &bench->rig.active, bench->tasks));
	bench->previous = calloc(bench->rig.active.particleCount, sizeof(Vec4));
	assert_non_null(bench->previous);
}

static void Bench_Destroy(Bench* bench)
{
	free(bench->previous);
	drapeStretchLimit_Destroy(&bench->limit);
	drapeModel_Destroy(&bench->model);
	Rig_Destroy(&bench->rig);
	drapeTaskPool_Destroy(bench->tasks);
}

static void Apply(Bench* bench, uint32_t iterations, float maxStretch)
{
	ActiveMesh* active = &bench->rig.active;
	assert_true(drapeStretchLimit_Follow(&bench->limit, active));
	memcpy(bench->previous, active->position, active->particleCount * sizeof(Vec4));
	StretchDef def = {.maxStretch = maxStretch, .iterations = iterations, .previous = bench->previous};
	drapeStretchLimit_Apply(&bench->limit, active, &bench->model.stretch, &def, bench->tasks);
}

static void Hold(Bench* bench, uint32_t particle)
{
	bench->rig.active.particleFlags[particle] |= drape_particlePinned;
	drapeActiveMesh_UpdateMass(&bench->rig.active, particle);
}

static float LongestRatio(const ActiveMesh* active)
{
	float longest = 0.0f;
	for (uint32_t i = 0; i < active->edgeCount; ++i)
	{
		Vec3 d = V3Sub(V4Xyz(active->position[active->edgeTo[i]]), V4Xyz(active->position[active->edgeFrom[i]]));
		longest = fmaxf(longest, V3Length(d) / active->restLength[i]);
	}
	return longest;
}

static void CentreOfMass(const ActiveMesh* active, double centre[3])
{
	double mass = 0.0;
	centre[0] = centre[1] = centre[2] = 0.0;
	for (uint32_t i = 0; i < active->particleCount; ++i)
	{
		Vec4 x = active->position[i];
		double m = (double)active->velocity[i].w;
		centre[0] += m * (double)x.x;
		centre[1] += m * (double)x.y;
		centre[2] += m * (double)x.z;
		mass += m;
	}
	for (int k = 0; k < 3; ++k)
		centre[k] /= mass;
}

static void Pull(ActiveMesh* active, Random* random, float most)
{
	for (uint32_t i = 0; i < active->particleCount; ++i)
	{
		active->position[i].x += Random_Range(random, -most, most);
		active->position[i].y += Random_Range(random, -most, most);
		active->position[i].z += Random_Range(random, -most, most);
	}
}

static void TheCentreOfMassStays(void** state)
{
	(void)state;
	Random random = Random_Seed(1, 2);
	for (int index = 0; index < rigMeshCount; ++index)
	{
		for (uint32_t variant = 0; variant < 4; ++variant)
		{
			drapeMesh mesh = Rig_Mesh(index);
			Bench bench;
			Bench_Create(&bench, &mesh, variant, variant % 2 ? 6 : 0);
			double before[3], after[3];
			Pull(&bench.rig.active, &random, 0.3f);
			CentreOfMass(&bench.rig.active, before);
			Apply(&bench, 5, 1.05f);
			CentreOfMass(&bench.rig.active, after);
			for (int k = 0; k < 3; ++k)
			{
				if (!(fabs(after[k] - before[k]) < 3e-6))
					fail_msg("mesh %d: the centre moved by %g m", index, after[k] - before[k]);
			}
			Bench_Destroy(&bench);
			TestMesh_Free(&mesh);
		}
	}
}

static void PinnedParticlesStayAlsoWhenPinnedLater(void** state)
{
	(void)state;
	Random random = Random_Seed(3, 2);
	drapeMesh mesh = TestMesh_Grid(4, 4, 1.0f, 1.0f, 0.1f, 2);
	Bench bench;
	Bench_Create(&bench, &mesh, 3, 4);
	ActiveMesh* active = &bench.rig.active;
	Hold(&bench, 0);
	Apply(&bench, 1, 1.05f);
	for (int round = 0; round < 40; ++round)
	{
		uint32_t particle = Random_Below(&random, active->particleCount);
		Hold(&bench, particle);
		Pull(active, &random, 0.1f);
		Apply(&bench, 3, 1.05f);
		for (uint32_t i = 0; i < active->particleCount; ++i)
		{
			if (active->position[i].w == 0.0f)
				assert_memory_equal(&active->position[i], &bench.previous[i], sizeof(Vec4));
		}
	}
	Bench_Destroy(&bench);
	TestMesh_Free(&mesh);
}

static void EnoughSweepsBringEveryEdgeBelowTheLimit(void** state)
{
	(void)state;
	for (uint32_t level = 0; level <= 3; ++level)
	{
		drapeMesh mesh = TestMesh_Grid(4, 4, 1.0f, 1.0f, 0.0f, 2);
		Bench bench;
		Bench_Create(&bench, &mesh, level, level % 2 ? 3 : 0);
		Random random = Random_Seed(5, level);
		Pull(&bench.rig.active, &random, 0.1f);
		for (uint32_t i = 0; i < bench.rig.active.particleCount; ++i)
			bench.rig.active.position[i].x *= 1.5f;
		Apply(&bench, 400, 1.05f);
		float longest = LongestRatio(&bench.rig.active);
		if (!(longest < 1.06f))
			fail_msg("level %u: an edge of %g times its length remains", level, (double)longest);
		Bench_Destroy(&bench);
		TestMesh_Free(&mesh);
	}
}

// Some of its edges share the particle in the middle and have their turns one after the other.
static void AFanOfTwoHundredKeepsItsCentreAndTheLimit(void** state)
{
	(void)state;
	drapeMesh mesh = TestMesh_Fan(200, true);
	Bench bench;
	Bench_Create(&bench, &mesh, 0, 0);
	assert_true(bench.model.stretch.colors[graphOverflow].count > 100);
	Random random = Random_Seed(8, 3);
	double before[3], after[3];
	Pull(&bench.rig.active, &random, 0.3f);
	CentreOfMass(&bench.rig.active, before);
	Apply(&bench, 1, 1.05f);
	CentreOfMass(&bench.rig.active, after);
	for (int k = 0; k < 3; ++k)
		assert_true(fabs(after[k] - before[k]) < 3e-6);
	Apply(&bench, 2000, 1.05f);
	assert_true(LongestRatio(&bench.rig.active) < 1.06f);
	Bench_Destroy(&bench);
	TestMesh_Free(&mesh);
}

static void ShortEdgesAreNotChanged(void** state)
{
	(void)state;
	drapeMesh mesh = TestMesh_Grid(4, 4, 1.0f, 1.0f, 0.2f, 2);
	Bench bench;
	Bench_Create(&bench, &mesh, 2, 3);
	for (uint32_t i = 0; i < bench.rig.active.particleCount; ++i)
		bench.rig.active.position[i].x *= 1.04f;
	Apply(&bench, 10, 1.05f);
	assert_memory_equal(bench.previous, bench.rig.active.position, bench.rig.active.particleCount * sizeof(Vec4));
	// And what may stay too long stays, when it is not longer than before.
	for (uint32_t i = 0; i < bench.rig.active.particleCount; ++i)
		bench.rig.active.position[i].x *= 1.2f;
	memcpy(bench.previous, bench.rig.active.position, bench.rig.active.particleCount * sizeof(Vec4));
	StretchDef def = {.maxStretch = 1.05f, .iterations = 5, .previous = bench.previous, .keptExcess = 1.0f};
	drapeStretchLimit_Apply(&bench.limit, &bench.rig.active, &bench.model.stretch, &def, bench.tasks);
	for (uint32_t i = 0; i < bench.rig.active.particleCount; ++i)
		assert_true(V3Length(V3Sub(V4Xyz(bench.previous[i]), V4Xyz(bench.rig.active.position[i]))) < 1e-5f);
	Bench_Destroy(&bench);
	TestMesh_Free(&mesh);
}

// --- fewer sweeps with a hierarchy ----------------------------------------------------------------------------------

// Sweeps until a sheet that hangs from its upper row, pulled down to 1.3 times its length, is below 1.06; none of
// its edges may be longer.
static uint32_t SweepsNeeded(uint32_t quads, uint32_t levels)
{
	drapeMesh mesh = TestMesh_Grid(quads, quads, 1.0f, 1.0f, 0.0f, 2);
	Bench bench;
	Bench_Create(&bench, &mesh, levels, 0);
	ActiveMesh* active = &bench.rig.active;
	for (uint32_t i = 0; i < active->particleCount; ++i)
	{
		if (active->position[i].y > 0.999f)
			Hold(&bench, i);
		active->position[i].y = 1.0f + 1.3f * (active->position[i].y - 1.0f);
	}
	uint32_t sweeps = 0;
	while (LongestRatio(active) > 1.06f && sweeps < 3000)
	{
		Apply(&bench, 1, 1.05f);
		sweeps++;
	}
	Bench_Destroy(&bench);
	TestMesh_Free(&mesh);
	return sweeps;
}

static void AHierarchyNeedsFarFewerSweeps(void** state)
{
	(void)state;
	for (uint32_t level = 1; level <= 4; ++level)
	{
		uint32_t coarseToFine = SweepsNeeded(2, level), plain = SweepsNeeded(2u << level, 0);
		printf("level %u: %u sweeps from coarse to fine, %u plain ones\n", level, coarseToFine, plain);
		assert_true(coarseToFine < 3000);
		if (level == 4)
			assert_true(4 * coarseToFine < plain);
	}
}

// --- in the step ----------------------------------------------------------------------------------------------------

// A slack sheet thrown about: the limit may not feed it.
static void TheLimitGainsNoEnergyInFreeFlight(void** state)
{
	(void)state;
	for (uint32_t seed = 1; seed <= 3; ++seed)
	{
		drapeWorldDef worldDef = drapeDefaultWorldDef();
		worldDef.wind.airDensity = 0.0f;
		drapeWorldId world = Make_World(&worldDef);
		drapeMesh mesh = TestMesh_Grid(6, 6, 1.0f, 1.0f, 0.0f, seed);
		drapeClothDef def = Make_SpringClothDef();
		def.mesh = &mesh;
		def.adapt = Sheet_Plain(3);
		def.solver.globalDamping = 0.0f;
		def.material.dampingTime = 0.0f;
		def.solver.maxStretch = 1.02f;
		drapeClothId cloth = Make_Cloth(world, &def);
		for (uint32_t level = 1; level < seed; ++level)
			drapeCloth_Refine(cloth);
		drapeClothView view = drapeCloth_GetView(cloth);
		drapeVec3* velocities = malloc(view.particleCount * sizeof *velocities);
		Random random = Random_Seed(seed, 6);
		for (uint32_t i = 0; i < view.particleCount; ++i)
			velocities[i] = (drapeVec3){Random_Range(&random, -2.0f, 2.0f), Random_Range(&random, -2.0f, 2.0f),
			                            Random_Range(&random, -2.0f, 2.0f)};
		assert_int_equal(drapeCloth_SetVelocities(cloth, velocities), drape_ok);
		free(velocities);
		drapeMeasures stats = drapeCloth_GetMeasures(cloth);
		double kinetic = (double)stats.kineticEnergy, first = kinetic + (double)stats.gravityEnergy, last = first,
			   worst = 0.0;
		for (int step = 0; step < 200; ++step)
		{
			assert_int_equal(drapeWorld_Step(world, 1.0f / 120.0f), drape_ok);
			stats = drapeCloth_GetMeasures(cloth);
			assert_int_equal(drapeCloth_GetCounters(cloth).retries, 0);
			double energy = (double)stats.kineticEnergy + (double)stats.stretchEnergy + (double)stats.bendEnergy +
			                (double)stats.gravityEnergy;
			worst = fmax(worst, energy - last);
			last = energy;
		}
		printf("seed %u: %.3f J at first, %.3f J at last, at most %.2g J gained in a step\n", seed, first, last, worst);
		assert_true(worst < 0.01 * kinetic);
		assert_true(last < first);
		drapeDestroyWorld(world);
		TestMesh_Free(&mesh);
	}
}

// A strip of soft springs, a little out of the middle of a cylinder that lies on its side: for `seconds`. Returns how
// far the lower end of it has sunk in the last half of that time, m.
static float HangOnCylinder(bool isAdaptive, float seconds, drapeCounters* counters, drapeMeasures* measures)
{
	drapeWorldDef worldDef = drapeDefaultWorldDef();
	worldDef.adaptRate = 60.0f;
	drapeWorldId world = Make_World(&worldDef);
	drapeColliderDef cylinder = drapeDefaultColliderDef();
	cylinder.shape = drape_shapeCylinder;
	cylinder.radius = 0.15f;
	cylinder.halfHeight = 0.3f;
	cylinder.transform.position = (drapeVec3){0.0f, -0.16f, 0.05f};
	cylinder.transform.rotation = (drapeQuat){0.0f, 0.0f, 0.70710678f, 0.70710678f};
	assert_true(drapeCollider_IsValid(Make_Collider(world, &cylinder)));
	drapeMesh mesh;
	assert_int_equal(drapeMesh_CreateGrid(2, 12, 0.2f, 1.2f, &mesh, NULL), drape_ok);
	drapeClothDef def = Make_SpringClothDef();
	def.mesh = &mesh;
	def.material.density = 0.2f;
	def.material.stretchWarp = def.material.stretchWeft = 0.5f;
	def.material.bendWarp = def.material.bendWeft = 1e-6f;
	def.material.dampingTime = 0.0f;
	def.material.friction = 0.8f;
	def.solver.substeps = 4;
	def.solver.stretchIterations = 8;
	def.solver.maxStretch = 1.05f;
	def.solver.globalDamping = 1.0f;
	def.adapt = isAdaptive ? Sheet_CurvatureDef() : Sheet_Plain(2);
	drapeClothId cloth = Make_Cloth(world, &def);
	assert_true(drapeCloth_IsValid(cloth));
	for (int level = 0; level < 2 && !isAdaptive; ++level)
		drapeCloth_Refine(cloth);
	int steps = (int)(60.0f * seconds);
	float low[2] = {INFINITY, INFINITY};
	for (int step = 1; step <= steps; ++step)
	{
		assert_int_equal(drapeWorld_Step(world, 1.0f / 60.0f), drape_ok);
		drapeClothView view = drapeCloth_GetView(cloth);
		for (uint32_t i = 0; i < view.particleCount && (step == steps / 2 || step == steps); ++i)
			low[step == steps] = fminf(low[step == steps], view.positions[i].y);
	}
	*counters = drapeCloth_GetCounters(cloth);
	*measures = drapeCloth_GetMeasures(cloth);
	drapeDestroyWorld(world);
	drapeMesh_Free(&mesh);
	return low[0] - low[1];
}

static void ClothHangsOnWhatItTouches(void** state)
{
	(void)state;
	for (int isAdaptive = 0; isAdaptive < 2; ++isAdaptive)
	{
		drapeCounters counters;
		drapeMeasures measures;
		float sunk = HangOnCylinder(isAdaptive, 4.0f, &counters, &measures);
		printf(
			"%s: %u triangles, %u particles touch, sunk by %.1f mm, stretch %.3f in the median, %.3f at most but for "
			"a hundredth\n",
			isAdaptive ? "adaptive" : "fixed", counters.triangles, counters.contacts, (double)(1000.0f * sunk),
			(double)measures.stretchMedian, (double)measures.stretch99);
		assert_true(counters.contacts > 0);
		assert_true(fabsf(sunk) < 0.01f);
		assert_true(measures.stretch99 < 1.18f);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(TheCentreOfMassStays),
		cmocka_unit_test(PinnedParticlesStayAlsoWhenPinnedLater),
		cmocka_unit_test(EnoughSweepsBringEveryEdgeBelowTheLimit),
		cmocka_unit_test(AFanOfTwoHundredKeepsItsCentreAndTheLimit),
		cmocka_unit_test(ShortEdgesAreNotChanged),
		cmocka_unit_test(AHierarchyNeedsFarFewerSweeps),
		cmocka_unit_test(TheLimitGainsNoEnergyInFreeFlight),
		cmocka_unit_test(ClothHangsOnWhatItTouches),
	};
	return cmocka_run_group_tests_name("stretch", tests, NULL, NULL);
}
