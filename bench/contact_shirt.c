// SPDX-License-Identifier: MIT
#include "contact_shirt.h"

#include "contact_files.h"
#include "mannequin.h"

enum
{
	dressSteps = 120,
	dressLevels = 2,
	dressWait = 255, // passes: longer than dressing takes
	settleSteps = 60,
	timedSteps = 60,
	substeps = 4,
	adaptRate = 30, // Hz; a step is one pass
	wantedTriangles = 6000,
};

static drapeWorldId CreateWorld(void)
{
	drapeMesh mesh;
	drapeWorldDef worldDef = drapeDefaultWorldDef();
	worldDef.workerCount = 1;
	worldDef.adaptRate = adaptRate;
	drapeWorldId world = drapeCreateWorld(&worldDef);
	Bench_Require(world.world, "out of memory");
	Mannequin_Create(&mesh);
	drapeColliderDef body = drapeDefaultColliderDef();
	body.shape = drape_shapeMesh;
	body.mesh = &mesh;
	Bench_Require(drapeCollider_IsValid(drapeCreateCollider(world, &body)), "the body was refused");
	Mannequin_Free(&mesh);
	return world;
}

static drapeClothId Dress(drapeWorldId world, uint32_t* baseTriangles)
{
	Shirt shirt;
	Shirt_Create(&shirt);
	drapeClothDef def = drapeDefaultClothDef();
	def.mesh = &shirt.mesh;
	def.rest.source = drape_restMaterial;
	def.rest.material = shirt.material;
	// As soft as an explicit step of 1/120 s allows, with edges kept from getting longer: the seeds' way, and the
	// fabric of bench_thesis.c.
	def.material.density = 0.2f;
	def.material.stretchWarp = def.material.stretchWeft = 0.3f;
	def.material.bendWarp = def.material.bendWeft = 1e-6f;
	def.material.dampingTime = 0.002f;
	def.solver.substeps = substeps;
	def.solver.stretchIterations = 1;
	def.solver.maxStretch = 1.05f;
	def.solver.globalDamping = 0.5f;
	def.adapt.joinWait = dressWait;
	def.adapt.collision.colliders = true;
	def.budget.triangles = wantedTriangles;
	drapeClothId cloth = drapeCreateCloth(world, &def);
	Bench_Require(drapeCloth_IsValid(cloth), "the shirt was refused");
	*baseTriangles = shirt.mesh.triangleCount;
	Shirt_Free(&shirt);
	// Triangles of the base are as large as an arm is thick.
	for (int i = 0; i < dressLevels; ++i)
		Bench_Require(drapeCloth_Refine(cloth) == drape_ok, "out of memory");
	return cloth;
}

static double Step(drapeWorldId world)
{
	double before = Bench_ProcessorMs();
	drapeResult result = drapeWorld_Step(world, 1.0f / adaptRate);
	double ms = Bench_ProcessorMs() - before;
	Bench_Require(result == drape_ok, drapeWorld_GetFailure(world).text);
	return ms;
}

static void Settle(drapeWorldId world, drapeClothId cloth)
{
	for (int i = 0; i < dressSteps; ++i)
		Step(world);
	drapeAdaptDef adapt = drapeCloth_GetAdapt(cloth);
	adapt.joinWait = drapeDefaultAdaptDef().joinWait;
	Bench_Require(drapeCloth_SetAdapt(cloth, &adapt, NULL) == drape_ok, "adaption was refused");
	for (int i = 0; i < settleSteps; ++i)
		Step(world);
}

json_t* ContactShirt_Measure(const BenchOptions* options)
{
	uint32_t baseTriangles;
	drapeWorldId world = CreateWorld();
	drapeClothId cloth = Dress(world, &baseTriangles);
	Settle(world, cloth);
	double ms[timedSteps], sums[4] = {0}, triangles = 0.0;
	for (int i = 0; i < timedSteps; ++i)
	{
		ms[i] = Step(world);
		drapeStats costs = drapeWorld_GetCosts(world);
		sums[0] += (double)costs.adaptMs / timedSteps;
		sums[1] += (double)costs.simulateMs / timedSteps;
		sums[2] += (double)costs.contactMs / timedSteps;
		sums[3] += (double)costs.surfaceMs / timedSteps;
		triangles += (double)costs.triangles / timedSteps;
	}
	if (options->folder)
		ContactFiles_Write(options->folder, "tshirt", &cloth, 1);
	BenchTimes times = Bench_Summarise(ms, timedSteps);
	drapeStats stats = drapeWorld_GetStats(world);
	json_t* row = json_pack("{s:i, s:i, s:f, s:f, s:f, s:f, s:f, s:f, s:i, s:i, s:f, s:f, s:o}", "base_triangles",
	                        (int)baseTriangles, "triangles", (int)(triangles + 0.5), "ms", times.median, "ms_minimum",
	                        times.minimum, "adapt_ms", sums[0], "simulate_ms", sums[1], "contact_ms", sums[2],
	                        "surface_ms", sums[3], "substeps", (int)stats.substeps, "threads", 1, "stretch_p99",
	                        (double)stats.stretch99, "goal_ms", 5.0, "hash", Bench_Hash(drapeWorld_Hash(world)));
	drapeDestroyWorld(world);
	return row;
}
