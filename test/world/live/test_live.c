// SPDX-License-Identifier: MIT
#include "shared/make.h"
#include "sheet.h"

#include "drape/drape.h"
#include "base/maths.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// Settings of a cloth that change while it lives.

static const float frame = 1.0f / 60.0f; // s

static bool DoNotBreak(const char* condition, const char* file, int line)
{
	(void)condition;
	(void)file;
	(void)line;
	return false;
}

// --- rigs -----------------------------------------------------------------------------------------------------------

typedef struct RigDef
{
	uint32_t workers;
	drapeScheme scheme;
	drapeModel model;
	drapeIntegrator integrator;
	drapeContactMode contact;
} RigDef;

typedef struct Rig
{
	drapeWorldId world;
	drapeClothId cloth;
	drapePinId pin;
	drapeColumnId column;
} Rig;

static drapeMaterial Soft(void)
{
	drapeMaterial material;
	assert_int_equal(drapeMaterial_GetPreset("cotton", &material, NULL), drape_ok);
	material.thickness = 0.004f;
	return material;
}

static drapeSolverDef SolverOf(drapeIntegrator integrator)
{
	drapeSolverDef solver =
		drapeIntegrator_IsImplicit(integrator) ? drapeDefaultSolverDef() : drapeDefaultExplicitSolverDef();
	solver.integrator = integrator;
	return solver;
}

static drapeClothDef ClothOf(const RigDef* def)
{
	drapeClothDef cloth = drapeDefaultClothDef();
	cloth.material = Soft();
	cloth.model = def->model;
	cloth.solver = SolverOf(def->integrator);
	cloth.contact = def->contact;
	cloth.adapt.scheme = def->scheme;
	cloth.adapt.maxLevel = 2;
	return cloth;
}

static Rig CreateWith(uint32_t workers, const drapeClothDef* def)
{
	drapeWorldDef worldDef = drapeDefaultWorldDef();
	worldDef.workerCount = workers;
	Rig rig = {.world = Make_World(&worldDef)};
	drapeColliderDef sphere = drapeDefaultColliderDef();
	sphere.radius = 0.25f;
	sphere.transform.position.y = -0.26f;
	assert_true(drapeCollider_IsValid(Make_Collider(rig.world, &sphere)));
	drapeMesh grid;
	assert_int_equal(drapeMesh_CreateGrid(6, 6, 0.8f, 0.8f, &grid, NULL), drape_ok);
	drapeClothDef cloth = *def;
	cloth.mesh = &grid;
	rig.cloth = Make_Cloth(rig.world, &cloth);
	assert_true(drapeCloth_IsValid(rig.cloth));
	drapeMesh_Free(&grid);
	rig.pin = Make_Pin(rig.cloth, 0);
	drapeColumnDef column = drapeDefaultColumnDef();
	const float colour = 3.0f;
	column.name = "colour";
	column.constant = &colour;
	assert_int_equal(drapeCreateColumn(rig.cloth, &column, &rig.column), drape_ok);
	return rig;
}

static Rig Create(const RigDef* def)
{
	const drapeClothDef cloth = ClothOf(def);
	return CreateWith(def->workers, &cloth);
}

static void Destroy(Rig* rig)
{
	Sheet_Check(rig->world);
	drapeDestroyWorld(rig->world);
}

static void Step(const Rig* rig, int count)
{
	for (int i = 0; i < count; ++i)
		assert_int_equal(drapeWorld_Step(rig->world, frame), drape_ok);
}

// --- changes --------------------------------------------------------------------------------------------------------

typedef void ChangeFcn(drapeClothDef* def);

static void ChangeFabric(drapeClothDef* def)
{
	def->material.density *= 2.0f;
	def->material.bendWarp *= 3.0f;
	def->material.curlWeft = 4.0f;
	def->material.bendFriction = 30.0f;
	def->material.stretchWeft *= 0.7f;
}

static void ChangeSurface(drapeClothDef* def)
{
	def->material.friction = 0.1f;
	def->material.drag = 2.0f;
	def->material.dampingTime *= 0.5f;
}

static void ChangeThickness(drapeClothDef* def)
{
	def->material.thickness = 0.008f;
}

static void ChangeModel(drapeClothDef* def)
{
	def->model = def->model == drape_modelFem ? drape_modelSprings : drape_modelFem;
}

static void ChangeSprings(drapeClothDef* def)
{
	def->springs.bending = drape_bendSprings;
	def->springs.bendSpringRatio = 0.01f;
}

static void ChangeIntegrator(drapeClothDef* def)
{
	def->solver =
		SolverOf(drapeIntegrator_IsImplicit(def->solver.integrator) ? drape_integratorVerlet : drape_integratorBdf2);
}

static void ChangeAccuracy(drapeClothDef* def)
{
	def->solver.stepRate = 120.0f;
	def->solver.tolerance = 1e-4f;
}

static void ChangeLimit(drapeClothDef* def)
{
	def->solver.maxStretch = 1.2f;
}

static void ChangeContact(drapeClothDef* def)
{
	def->contact = def->contact == drape_contactAll ? drape_contactParticles : drape_contactAll;
}

static void ChangeGravity(drapeClothDef* def)
{
	def->gravityScale = -0.5f;
}

static ChangeFcn* const changes[] = {ChangeFabric,     ChangeSurface,  ChangeThickness, ChangeModel,   ChangeSprings,
                                     ChangeIntegrator, ChangeAccuracy, ChangeLimit,     ChangeContact, ChangeGravity};

enum
{
	changeCount = sizeof changes / sizeof changes[0],
};

// Sets everything that a living cloth can change.
static drapeResult Apply(drapeClothId cloth, const drapeClothDef* def)
{
	drapeResult result = drapeCloth_SetMaterial(cloth, &def->material);
	if (result == drape_ok)
		result = drapeCloth_SetModel(cloth, def->model, &def->springs);
	if (result == drape_ok)
		result = drapeCloth_SetSolver(cloth, &def->solver);
	if (result == drape_ok)
		result = drapeCloth_SetContact(cloth, def->contact);
	if (result == drape_ok)
		result = drapeCloth_SetGravityScale(cloth, def->gravityScale);
	return result;
}

// What a change keeps: everything but masses.
typedef struct Kept
{
	uint32_t revision, particles, triangles;
	drapeVec4 *positions, *velocities;
	drapeVec3 pin;
	float* colours;
} Kept;

static void* Copy(const void* data, size_t size)
{
	void* copy = malloc(size);
	assert_non_null(copy);
	memcpy(copy, data, size);
	return copy;
}

static Kept Keep(const Rig* rig)
{
	drapeClothView view = drapeCloth_GetView(rig->cloth);
	size_t rows = view.particleCount * sizeof(drapeVec4);
	return (Kept){.revision = view.revision,
	              .particles = view.particleCount,
	              .triangles = view.triangleCount,
	              .positions = Copy(view.positions, rows),
	              .velocities = Copy(view.velocities, rows),
	              .pin = drapePin_GetState(rig->pin).target,
	              .colours = Copy(drapeColumn_GetValues(rig->column), view.particleCount * sizeof(float))};
}

// Compares, then frees.
static void ExpectKept(const Rig* rig, Kept* kept)
{
	drapeClothView view = drapeCloth_GetView(rig->cloth);
	drapeVec3 target = drapePin_GetState(rig->pin).target;
	assert_int_equal(view.revision, kept->revision);
	assert_int_equal(view.particleCount, kept->particles);
	assert_int_equal(view.triangleCount, kept->triangles);
	assert_memory_equal(&target, &kept->pin, sizeof target);
	assert_int_equal(drapePin_GetParticle(rig->pin), 0);
	assert_true(view.positions[0].w == 0.0f);
	for (uint32_t i = 0; i < view.particleCount; ++i)
	{
		assert_memory_equal(&view.positions[i], &kept->positions[i], 3 * sizeof(float));
		assert_memory_equal(&view.velocities[i], &kept->velocities[i], 3 * sizeof(float));
	}
	assert_memory_equal(drapeColumn_GetValues(rig->column), kept->colours, view.particleCount * sizeof(float));
	free(kept->positions);
	free(kept->velocities);
	free(kept->colours);
}

// --- tests ----------------------------------------------------------------------------------------------------------

static const RigDef rigs[] = {
	{1, drape_schemeEdge, drape_modelFem, drape_integratorBdf2, drape_contactAll},
	{1, drape_schemeSqrt3, drape_modelFem, drape_integratorImplicitEuler, drape_contactParticles},
	{1, drape_schemeEdge, drape_modelSprings, drape_integratorSymplecticEuler, drape_contactParticles},
	{1, drape_schemeFixed, drape_modelSprings, drape_integratorImplicitMidpoint, drape_contactAll},
};

enum
{
	rigCount = sizeof rigs / sizeof rigs[0],
};

static void EveryChangeKeepsTheStateAndTheClothGoesOn(void** state)
{
	(void)state;
	for (int r = 0; r < rigCount; ++r)
	{
		Rig rig = Create(&rigs[r]);
		Step(&rig, 20);
		for (int i = 0; i < changeCount; ++i)
		{
			drapeClothDef def = drapeCloth_GetDef(rig.cloth);
			changes[i](&def);
			Kept kept = Keep(&rig);
			assert_int_equal(Apply(rig.cloth, &def), drape_ok);
			ExpectKept(&rig, &kept);
			Sheet_Check(rig.world);
			Step(&rig, 5);
			Sheet_Check(rig.world);
		}
		assert_int_equal(drapeWorld_GetWarning(rig.world).count, 0);
		Destroy(&rig);
	}
}

// What a setter leaves behind is what creation makes.
static void AChangeBeforeTheFirstStepGivesTheClothThatItsDefinitionWouldGive(void** state)
{
	(void)state;
	for (int r = 0; r < rigCount; ++r)
	{
		for (int i = 0; i < changeCount; ++i)
		{
			drapeClothDef def = ClothOf(&rigs[r]);
			Rig changed = CreateWith(1, &def);
			changes[i](&def);
			Rig made = CreateWith(1, &def);
			assert_int_equal(Apply(changed.cloth, &def), drape_ok);
			Step(&changed, 12);
			Step(&made, 12);
			if (drapeWorld_GetHash(changed.world) != drapeWorld_GetHash(made.world))
				fail_msg("rig %d, change %d", r, i);
			Destroy(&changed);
			Destroy(&made);
		}
	}
}

// Cloths of one pattern share data; a change makes them the cloth's own.
static void AChangeOfOneClothOfAPatternLeavesTheOthers(void** state)
{
	(void)state;
	drapeMesh grid;
	assert_int_equal(drapeMesh_CreateGrid(6, 6, 0.8f, 0.8f, &grid, NULL), drape_ok);
	drapePatternDef patternDef = drapeDefaultPatternDef();
	patternDef.mesh = &grid;
	drapePattern* pattern;
	assert_int_equal(drapeCreatePattern(&patternDef, &pattern, NULL), drape_ok);
	drapeMesh_Free(&grid);
	for (int r = 0; r < rigCount; ++r)
	{
		drapeClothDef def = ClothOf(&rigs[r]);
		def.pattern = pattern;
		drapeWorldId worlds[3];
		drapeClothId cloths[3];
		drapeWorldDef worldDef = drapeDefaultWorldDef();
		for (int i = 0; i < 3; ++i)
		{
			worlds[i] = Make_World(&worldDef);
			cloths[i] = Make_Cloth(worlds[i], &def);
			assert_true(drapeCloth_IsValid(cloths[i]));
		}
		for (int i = 0; i < changeCount; ++i)
		{
			drapeClothDef changed = drapeCloth_GetDef(cloths[0]);
			changes[i](&changed);
			assert_int_equal(Apply(cloths[0], &changed), drape_ok);
			for (int k = 0; k < 3; ++k)
				assert_int_equal(drapeWorld_Step(worlds[k], frame), drape_ok);
			Sheet_Check(worlds[0]);
			assert_true(drapeWorld_GetHash(worlds[1]) == drapeWorld_GetHash(worlds[2]));
		}
		for (int i = 0; i < 3; ++i)
			drapeDestroyWorld(worlds[i]);
	}
	assert_int_equal(drapeDestroyPattern(pattern), drape_ok);
}

static void IntegratorsAndModelsTakeTurns(void** state)
{
	(void)state;
	Rig rig = Create(&rigs[0]);
	for (int i = 0; i < 32; ++i)
	{
		drapeSolverDef solver = SolverOf((drapeIntegrator)((5 * i) % 8));
		assert_int_equal(drapeCloth_SetSolver(rig.cloth, &solver), drape_ok);
		assert_int_equal(drapeCloth_SetModel(rig.cloth, i % 3 ? drape_modelFem : drape_modelSprings, NULL), drape_ok);
		Step(&rig, 3);
	}
	assert_int_equal(drapeWorld_GetWarning(rig.world).count, 0);
	assert_true(drapeWorld_GetMeasures(rig.world).stretch99 < 1.2f);
	Destroy(&rig);
}

static void ResultsDoNotDependOnTheNumberOfThreads(void** state)
{
	(void)state;
	uint64_t hashes[2];
	for (uint32_t workers = 1; workers <= 2; ++workers)
	{
		RigDef rigDef = rigs[0];
		rigDef.workers = workers;
		Rig rig = Create(&rigDef);
		for (int i = 0; i < changeCount; ++i)
		{
			drapeClothDef def = drapeCloth_GetDef(rig.cloth);
			changes[i](&def);
			assert_int_equal(Apply(rig.cloth, &def), drape_ok);
			Step(&rig, 3);
		}
		hashes[workers - 1] = drapeWorld_GetHash(rig.world);
		Destroy(&rig);
	}
	assert_true(hashes[0] == hashes[1]);
}

static void EachGetterReturnsWhatItsSetterWasGiven(void** state)
{
	(void)state;
	Rig rig = Create(&rigs[0]);
	for (int i = 0; i < changeCount; ++i)
	{
		drapeClothDef def = drapeCloth_GetDef(rig.cloth);
		changes[i](&def);
		assert_int_equal(Apply(rig.cloth, &def), drape_ok);
		drapeMaterial material = drapeCloth_GetMaterial(rig.cloth);
		drapeSolverDef solver = drapeCloth_GetSolver(rig.cloth);
		drapeSpringDef springs = drapeCloth_GetSprings(rig.cloth);
		assert_memory_equal(&material, &def.material, sizeof material);
		assert_memory_equal(&solver, &def.solver, sizeof solver);
		assert_memory_equal(&springs, &def.springs, sizeof springs);
		assert_int_equal(drapeCloth_GetModel(rig.cloth), def.model);
		assert_int_equal(drapeCloth_GetContact(rig.cloth), def.contact);
		assert_true(drapeCloth_GetThickness(rig.cloth) == def.material.thickness);
		assert_true(drapeCloth_GetGravityScale(rig.cloth) == def.gravityScale);
	}
	assert_int_equal(drapeCloth_SetThickness(rig.cloth, 0.002f), drape_ok);
	assert_true(drapeCloth_GetMaterial(rig.cloth).thickness == 0.002f);
	Destroy(&rig);
}

// The sentence of the last failure contains the text.
static void ExpectRefused(const Rig* rig, drapeResult result, const char* text)
{
	assert_int_equal(result, drape_errorArgument);
	if (!strstr(drapeWorld_GetMessage(rig->world), text))
		fail_msg("\"%s\" has no \"%s\"", drapeWorld_GetMessage(rig->world), text);
}

static void ARefusedChangeLeavesEverything(void** state)
{
	(void)state;
	drapeSetAssert(DoNotBreak);
	Rig rig = Create(&rigs[0]), twin = Create(&rigs[0]);
	Step(&rig, 8);
	Step(&twin, 8);
	drapeMaterial material = drapeCloth_GetMaterial(rig.cloth);
	material.density = -1.0f;
	ExpectRefused(&rig, drapeCloth_SetMaterial(rig.cloth, &material), "density is -1");
	ExpectRefused(&rig, drapeCloth_SetMaterial(rig.cloth, NULL), "NULL");
	ExpectRefused(&rig, drapeCloth_SetThickness(rig.cloth, -0.5f), "thickness is -0.5");
	drapeSolverDef solver = drapeCloth_GetSolver(rig.cloth);
	solver.stepRate = 240.0f;
	solver.substeps = 2;
	ExpectRefused(&rig, drapeCloth_SetSolver(rig.cloth, &solver), "stepRate is 240 Hz and substeps is 2");
	solver = SolverOf((drapeIntegrator)77);
	ExpectRefused(&rig, drapeCloth_SetSolver(rig.cloth, &solver), "integrator is 77");
	ExpectRefused(&rig, drapeCloth_SetSolver(rig.cloth, NULL), "NULL");
	ExpectRefused(&rig, drapeCloth_SetModel(rig.cloth, (drapeModel)5, NULL), "model is 5");
	drapeSpringDef springs = drapeDefaultSpringDef();
	springs.bendSpringRatio = 2.0f;
	ExpectRefused(&rig, drapeCloth_SetModel(rig.cloth, drape_modelSprings, &springs), "bendSpringRatio is 2");
	ExpectRefused(&rig, drapeCloth_SetContact(rig.cloth, (drapeContactMode)9), "contact is 9");
	ExpectRefused(&rig, drapeCloth_SetGravityScale(rig.cloth, NAN), "gravityScale is nan");
	Step(&rig, 8);
	Step(&twin, 8);
	assert_true(drapeWorld_GetHash(rig.world) == drapeWorld_GetHash(twin.world));
	Destroy(&rig);
	Destroy(&twin);
	drapeSetAssert(NULL);
}

static void AChangeWithoutMemoryLeavesEverything(void** state)
{
	(void)state;
	for (int i = 0; i < changeCount; ++i)
	{
		Test_BeginLimitedMemory();
		Rig rig = Create(&rigs[2]), twin = Create(&rigs[2]);
		Step(&rig, 4);
		Step(&twin, 4);
		const drapeClothDef before = drapeCloth_GetDef(rig.cloth);
		drapeClothDef def = before;
		changes[i](&def);
		drapeResult result = drape_errorMemory;
		for (size_t count = 0; result != drape_ok; ++count)
		{
			Test_AllowAllocations(count);
			result = Apply(rig.cloth, &def);
			Test_AllowAllocations(SIZE_MAX);
			if (result == drape_ok)
				break;
			assert_int_equal(result, drape_errorMemory);
			drapeClothDef after = drapeCloth_GetDef(rig.cloth);
			assert_memory_equal(&after.solver, &before.solver, sizeof after.solver);
			assert_memory_equal(&after.material, &before.material, sizeof after.material);
			assert_int_equal(after.model, before.model);
			Step(&rig, 1);
			Step(&twin, 1);
			assert_true(drapeWorld_GetHash(rig.world) == drapeWorld_GetHash(twin.world));
			assert_true(count < 1000);
		}
		Destroy(&rig);
		Destroy(&twin);
		Test_EndLimitedMemory();
	}
}

static void SnapshotsContainTheSettings(void** state)
{
	(void)state;
	Rig rig = Create(&rigs[0]), twin = Create(&rigs[0]);
	Step(&rig, 10);
	drapeMaterial material = drapeCloth_GetMaterial(rig.cloth);
	material.density *= 1.5f;
	material.stretchWarp *= 0.5f;
	drapeSolverDef solver = drapeCloth_GetSolver(rig.cloth);
	solver.stepRate = 120.0f;
	assert_int_equal(drapeCloth_SetMaterial(rig.cloth, &material), drape_ok);
	assert_int_equal(drapeCloth_SetSolver(rig.cloth, &solver), drape_ok);
	assert_int_equal(drapeCloth_SetContact(rig.cloth, drape_contactParticles), drape_ok);
	assert_int_equal(drapeCloth_SetGravityScale(rig.cloth, 0.25f), drape_ok);
	Step(&rig, 3);
	size_t size = Make_Snapshot(rig.world, NULL, 0);
	void* data = malloc(size);
	assert_int_equal(Make_Snapshot(rig.world, data, size), size);
	assert_int_equal(drapeWorld_Load(twin.world, data, size), drape_ok);
	free(data);
	assert_true(drapeCloth_GetMaterial(twin.cloth).stretchWarp == material.stretchWarp);
	assert_true(drapeCloth_GetGravityScale(twin.cloth) == 0.25f);
	assert_int_equal(drapeCloth_GetContact(twin.cloth), drape_contactParticles);
	Step(&rig, 10);
	Step(&twin, 10);
	assert_true(drapeWorld_GetHash(rig.world) == drapeWorld_GetHash(twin.world));
	Destroy(&rig);
	Destroy(&twin);
}

// --- what single settings do ----------------------------------------------------------------------------------------

static float MeanHeight(drapeClothId cloth)
{
	drapeClothView view = drapeCloth_GetView(cloth);
	float sum = 0.0f;
	for (uint32_t i = 0; i < view.particleCount; ++i)
		sum += view.positions[i].y / (float)view.particleCount;
	return sum;
}

static void TheGravityScaleIsAFactorOfTheFall(void** state)
{
	(void)state;
	const float scales[] = {1.0f, 0.5f, 0.0f, -1.0f};
	for (int i = 0; i < 4; ++i)
	{
		Sheet sheet = Sheet_Create(3, 3, NULL);
		drapeWindDef still = drapeDefaultWindDef();
		still.airDensity = 0.0f;
		assert_int_equal(drapeWorld_SetWind(sheet.world, &still), drape_ok);
		drapeSolverDef solver = SolverOf(drape_integratorImplicitMidpoint);
		assert_int_equal(drapeCloth_SetSolver(sheet.cloth, &solver), drape_ok);
		assert_int_equal(drapeCloth_SetGravityScale(sheet.cloth, scales[i]), drape_ok);
		for (int k = 0; k < 30; ++k)
			assert_int_equal(drapeWorld_Step(sheet.world, frame), drape_ok);
		float expected = -0.5f * 9.81f * scales[i] * 0.25f;
		assert_true(fabsf(MeanHeight(sheet.cloth) - expected) < 0.01f);
		assert_int_equal(drapeWorld_GetWarning(sheet.world).count, 0);
		Sheet_Destroy(&sheet);
	}
}

static void TheStepRateGivesSubstepsForAnyLengthOfStep(void** state)
{
	(void)state;
	const struct
	{
		float dt, rate;
		uint32_t substeps;
	} cases[] = {{1.0f / 60.0f, 240.0f, 4}, {1.0f / 30.0f, 240.0f, 8}, {1.0f / 47.0f, 240.0f, 5},
	             {1e-4f, 240.0f, 1},        {1.0f / 240.0f, 60.0f, 1}, {0.1f, 600.0f, 16}};
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i)
	{
		Sheet sheet = Sheet_Create(3, 3, NULL);
		drapeSolverDef solver = SolverOf(drape_integratorBdf2);
		solver.stepRate = cases[i].rate;
		solver.maxSubsteps = 16;
		assert_int_equal(drapeCloth_SetSolver(sheet.cloth, &solver), drape_ok);
		assert_int_equal(drapeWorld_Step(sheet.world, cases[i].dt), drape_ok);
		assert_int_equal(drapeCloth_GetCounters(sheet.cloth).substeps, cases[i].substeps);
		Sheet_Destroy(&sheet);
	}
}

static void AStepRateIsTheSameAsThatNumberOfSubsteps(void** state)
{
	(void)state;
	Rig byRate = Create(&rigs[0]), byNumber = Create(&rigs[0]);
	drapeSolverDef solver = SolverOf(drape_integratorBdf2);
	solver.stepRate = 180.0f;
	assert_int_equal(drapeCloth_SetSolver(byRate.cloth, &solver), drape_ok);
	solver.stepRate = 0.0f;
	solver.substeps = 3;
	assert_int_equal(drapeCloth_SetSolver(byNumber.cloth, &solver), drape_ok);
	Step(&byRate, 15);
	Step(&byNumber, 15);
	assert_true(drapeWorld_GetHash(byRate.world) == drapeWorld_GetHash(byNumber.world));
	Destroy(&byRate);
	Destroy(&byNumber);
}

static void AThickerClothIsPushedOff(void** state)
{
	(void)state;
	Rig rig = Create(&rigs[0]);
	Step(&rig, 120);
	assert_int_equal(drapeCloth_SetThickness(rig.cloth, 0.012f), drape_ok);
	Step(&rig, 60);
	drapeClothView view = drapeCloth_GetView(rig.cloth);
	drapeColliderId sphere;
	assert_int_equal(drapeWorld_GetColliders(rig.world, &sphere, 1), 1);
	for (uint32_t i = 0; i < view.particleCount; ++i)
		assert_true(drapeCollider_GetDistance(sphere, V4Xyz(view.positions[i])) > 0.009f);
	Destroy(&rig);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(EveryChangeKeepsTheStateAndTheClothGoesOn),
		cmocka_unit_test(AChangeBeforeTheFirstStepGivesTheClothThatItsDefinitionWouldGive),
		cmocka_unit_test(AChangeOfOneClothOfAPatternLeavesTheOthers),
		cmocka_unit_test(IntegratorsAndModelsTakeTurns),
		cmocka_unit_test(ResultsDoNotDependOnTheNumberOfThreads),
		cmocka_unit_test(EachGetterReturnsWhatItsSetterWasGiven),
		cmocka_unit_test(ARefusedChangeLeavesEverything),
		cmocka_unit_test(AChangeWithoutMemoryLeavesEverything),
		cmocka_unit_test(SnapshotsContainTheSettings),
		cmocka_unit_test(TheGravityScaleIsAFactorOfTheFall),
		cmocka_unit_test(TheStepRateGivesSubstepsForAnyLengthOfStep),
		cmocka_unit_test(AStepRateIsTheSameAsThatNumberOfSubsteps),
		cmocka_unit_test(AThickerClothIsPushedOff),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
