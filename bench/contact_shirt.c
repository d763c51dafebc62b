// SPDX-License-Identifier: MIT
#include "contact_shirt.h"
#include "shared/make.h"

#include "contact_files.h"
#include "shared/garments.h"
#include "shared/mannequin.h"
#include "world/world.h"

#include <math.h>

// A T-shirt on a body, the example of Simnett et al. 2010 on adaptive garments: it settles, then it is timed. Criteria
// and budget control the number of triangles. Two figures prove that the shirt stays on: `collar_drop` and `hem_drop`
// are the changes of the mean height of collar and hem over the timed steps. After none of them particles may be inside
// the body.

enum
{
	baseTriangles = 316,
	bodyTriangles = 67000,
	dressLevels = 2,
	settleSteps = 120,
	timedSteps = 60,
	substeps = 4,
	adaptRate = 60, // Hz; a step is one pass
	wantedTriangles = 6000,
};

static drapeWorldId CreateWorld(const char* folder, uint32_t* triangles)
{
	drapeMesh mesh;
	drapeWorldDef worldDef = drapeDefaultWorldDef();
	worldDef.workerCount = 1;
	worldDef.adaptRate = adaptRate;
	drapeWorldId world = Make_World(&worldDef);
	Bench_Require(drapeWorld_IsValid(world), "out of memory");
	Mannequin_Create(&mesh);
	Bench_Require(mesh.triangleCount > bodyTriangles - 1000 && mesh.triangleCount < bodyTriangles + 1000,
	              "the body does not have about 67,000 triangles");
	*triangles = mesh.triangleCount;
	if (folder)
		ContactFiles_WriteMesh(folder, "tshirt-body", &mesh);
	drapeColliderDef body = drapeDefaultColliderDef();
	body.shape = drape_shapeMesh;
	body.mesh = &mesh;
	Bench_Require(drapeCollider_IsValid(Make_Collider(world, &body)), "the body was refused");
	Mannequin_Free(&mesh);
	return world;
}

static drapeClothId Dress(drapeWorldId world, const char* folder)
{
	Garment shirt;
	Garment_CreateShirt(&shirt, 0);
	Bench_Require(shirt.mesh.triangleCount == baseTriangles, "the shirt does not have 316 triangles");
	Bench_Require(Garment_IsSewn(&shirt), "the shirt is not sewn");
	if (folder)
		ContactFiles_WriteMesh(folder, "tshirt-start", &shirt.mesh);
	drapeClothDef def = Make_SpringClothDef();
	def.mesh = &shirt.mesh;
	def.rest.source = drape_restMaterial;
	def.rest.material = shirt.material;
	// As stiff as explicit substeps of 1/240 s allow at this fineness, with edges kept from getting longer. Damping of
	// springs would make them less stable.
	def.material.density = 0.2f;
	def.material.stretchWarp = def.material.stretchWeft = 1.2f;
	def.material.friction = 1.0f;
	def.material.bendWarp = def.material.bendWeft = 1e-6f;
	def.material.dampingTime = 0.0f;
	// A margin for the body between vertices; the paper grows the body for that.
	def.material.thickness = 0.004f;
	def.solver.substeps = substeps;
	def.solver.stretchIterations = 6;
	def.solver.maxStretch = 1.02f;
	def.solver.globalDamping = 2.0f;
	def.adapt.maxLevel = 3;
	def.adapt.maxTriangles = 0;
	def.adapt.accuracy.enabled = false;
	def.adapt.curvature.enabled = true;
	def.adapt.joinWait = 3;
	def.adapt.collision.colliders = true;
	def.budget.triangles = wantedTriangles;
	drapeClothId cloth = Make_Cloth(world, &def);
	Bench_Require(drapeCloth_IsValid(cloth), "the shirt was refused");
	Garment_Free(&shirt);
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
	Bench_Require(result == drape_ok, drapeWorld_GetWarning(world).text);
	return ms;
}

// Mean heights, m.
typedef struct Worn
{
	double collar, hem;
} Worn;

// The vertices of the pattern are the first particles.
static Worn MeasureWorn(drapeClothId cloth)
{
	Garment shirt;
	Garment_CreateShirt(&shirt, 0);
	drapeClothView view = drapeCloth_GetView(cloth);
	double sums[2] = {0.0, 0.0}, counts[2] = {0.0, 0.0};
	for (uint32_t i = 0; i < shirt.mesh.vertexCount; ++i)
	{
		GarmentPart part = shirt.part[i];
		if (part == garment_rest)
			continue;
		sums[part == garment_hem] += (double)view.positions[i].y;
		counts[part == garment_hem] += 1.0;
	}
	Garment_Free(&shirt);
	return (Worn){sums[0] / counts[0], sums[1] / counts[1]};
}

typedef struct Timing
{
	double ms[timedSteps];
	double adaptMs, simulateMs, contactMs, surfaceMs, triangles; // means
	uint32_t leastTriangles, mostTriangles, changes, inside;
} Timing;

static uint32_t CountInside(drapeWorldId id)
{
	const drapeWorld* world = drapeWorlds_Get(id);
	const Cloth* cloth = world->cloths.data[0];
	uint32_t inside = 0;
	for (uint32_t i = 0; i < cloth->active.particleCount; ++i)
		inside += drapeScenery_IsInside(cloth, V4Xyz(cloth->active.position[i]));
	return inside;
}

static void TimeSteps(drapeWorldId world, Timing* timing)
{
	*timing = (Timing){.leastTriangles = UINT32_MAX};
	for (int i = 0; i < timedSteps; ++i)
	{
		timing->ms[i] = Step(world);
		drapeCounters costs = drapeWorld_GetCounters(world);
		drapeProfile profile = drapeWorld_GetProfile(world);
		timing->adaptMs += (double)profile.adapt / timedSteps;
		timing->simulateMs += (double)(profile.simulate - profile.collide) / timedSteps;
		timing->contactMs += (double)profile.collide / timedSteps;
		timing->surfaceMs += (double)profile.surface / timedSteps;
		timing->triangles += (double)costs.triangles / timedSteps;
		timing->leastTriangles = MinU32(timing->leastTriangles, costs.triangles);
		timing->mostTriangles = MaxU32(timing->mostTriangles, costs.triangles);
		timing->changes += costs.splits + costs.joins;
		timing->inside = MaxU32(timing->inside, CountInside(world));
	}
}

static json_t* MakeRow(drapeWorldId world, Timing* timing, uint32_t body, Worn before, Worn after)
{
	BenchTimes times = Bench_Summarise(timing->ms, timedSteps);
	drapeCounters stats = drapeWorld_GetCounters(world);
	drapeMeasures measures = drapeWorld_GetMeasures(world);
	json_t* row = json_pack("{s:i, s:i, s:i, s:i, s:i, s:f, s:f, s:f, s:f, s:f, s:f}", "base_triangles", baseTriangles,
	                        "body_triangles", (int)body, "triangles", (int)(timing->triangles + 0.5), "triangles_least",
	                        (int)timing->leastTriangles, "triangles_most", (int)timing->mostTriangles, "ms",
	                        times.median, "ms_minimum", times.minimum, "adapt_ms", timing->adaptMs, "simulate_ms",
	                        timing->simulateMs, "contact_ms", timing->contactMs, "surface_ms", timing->surfaceMs);
	json_t* more = json_pack("{s:i, s:i, s:i, s:f, s:f, s:f, s:f, s:i, s:f, s:o}", "substeps", (int)stats.substeps,
	                         "threads", 1, "inside_vertices", (int)timing->inside, "stretch_median",
	                         (double)measures.stretchMedian, "stretch_p99", (double)measures.stretch99, "collar_drop",
	                         before.collar - after.collar, "hem_drop", before.hem - after.hem, "changes",
	                         (int)timing->changes, "goal_ms", 5.0, "hash", Bench_Hash(drapeWorld_GetHash(world)));
	json_object_update(row, more);
	json_decref(more);
	return row;
}

json_t* ContactShirt_Measure(const BenchOptions* options)
{
	uint32_t body;
	Timing timing;
	drapeWorldId world = CreateWorld(options->folder, &body);
	drapeClothId cloth = Dress(world, options->folder);
	for (int i = 0; i < settleSteps; ++i)
		Step(world);
	Worn before = MeasureWorn(cloth);
	TimeSteps(world, &timing);
	Worn after = MeasureWorn(cloth);
	if (options->folder)
		ContactFiles_Write(options->folder, "tshirt", &cloth, 1);
	json_t* row = MakeRow(world, &timing, body, before, after);
	drapeDestroyWorld(world);
	return row;
}
