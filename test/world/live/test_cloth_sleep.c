// SPDX-License-Identifier: MIT
#include "shared/make.h"
#include "sheet.h"

#include "drape/drape.h"
#include "base/maths.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// Sleep of whole cloths, and everything that wakes them.

static const float frame = 1.0f / 60.0f; // s

static bool DoNotBreak(const char* condition, const char* file, int line)
{
	(void)condition;
	(void)file;
	(void)line;
	return false;
}

// --- a cloth on a ball ----------------------------------------------------------------------------------------------

typedef struct RigDef
{
	drapeScheme scheme;
	drapeModel model;
	drapeIntegrator integrator;
	drapeContactMode contact;
} RigDef;

static const RigDef rigs[] = {
	{drape_schemeFixed, drape_modelFem, drape_integratorImplicitEuler, drape_contactAll},
	{drape_schemeEdge, drape_modelFem, drape_integratorBdf2, drape_contactParticles},
	{drape_schemeSqrt3, drape_modelFem, drape_integratorImplicitEuler, drape_contactParticles},
	{drape_schemeFixed, drape_modelSprings, drape_integratorSymplecticEuler, drape_contactParticles},
};

enum
{
	rigCount = sizeof rigs / sizeof rigs[0],
};

typedef struct Rig
{
	drapeWorldId world;
	drapeClothId cloth;
	drapeColliderId ball, far;
	drapePinId pin;
} Rig;

static drapeClothDef ClothOf(const RigDef* def)
{
	drapeClothDef cloth = drapeDefaultClothDef();
	assert_int_equal(drapeMaterial_GetPreset("cotton", &cloth.material, NULL), drape_ok);
	cloth.material.thickness = 0.004f;
	cloth.material.friction = 0.8f;
	cloth.model = def->model;
	cloth.solver =
		drapeIntegrator_IsImplicit(def->integrator) ? drapeDefaultSolverDef() : drapeDefaultExplicitSolverDef();
	cloth.solver.integrator = def->integrator;
	cloth.solver.globalDamping = 3.0f;
	cloth.adapt.scheme = def->scheme;
	cloth.adapt.maxLevel = 1;
	cloth.contact = def->contact;
	cloth.sleep = (drapeSleepDef){0.03f, 0.25f};
	return cloth;
}

static drapeClothId AddCloth(drapeWorldId world, const drapeClothDef* def, drapeVec3 at)
{
	drapeMesh grid;
	assert_int_equal(drapeMesh_CreateGrid(5, 5, 0.4f, 0.4f, &grid, NULL), drape_ok);
	drapeClothDef cloth = *def;
	cloth.mesh = &grid;
	cloth.transform.position = at;
	drapeClothId id = Make_Cloth(world, &cloth);
	assert_true(drapeCloth_IsValid(id));
	drapeMesh_Free(&grid);
	return id;
}

static Rig Create(const RigDef* def)
{
	drapeWorldDef worldDef = drapeDefaultWorldDef();
	Rig rig = {.world = Make_World(&worldDef)};
	drapeColliderDef ball = drapeDefaultColliderDef();
	ball.radius = 0.3f;
	rig.ball = Make_Collider(rig.world, &ball);
	ball.transform.position.x = 20.0f;
	rig.far = Make_Collider(rig.world, &ball);
	const drapeClothDef cloth = ClothOf(def);
	rig.cloth = AddCloth(rig.world, &cloth, (drapeVec3){0.0f, 0.305f, 0.0f});
	rig.pin = Make_Pin(rig.cloth, 14);
	return rig;
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

static float MaxSpeed(drapeClothId cloth)
{
	drapeClothView view = drapeCloth_GetView(cloth);
	float most = 0.0f;
	for (uint32_t i = 0; i < view.particleCount; ++i)
		most = fmaxf(most, V3Length(V4Xyz(view.velocities[i])));
	return most;
}

// Steps until the cloth sleeps; fails if it does not.
static void StepToSleep(const Rig* rig)
{
	for (int i = 0; i < 1500 && !drapeCloth_IsAsleep(rig->cloth); ++i)
		Step(rig, 1);
	if (!drapeCloth_IsAsleep(rig->cloth))
		fail_msg("still at %g m/s", (double)MaxSpeed(rig->cloth));
}

static Rig CreateAsleep(int r)
{
	Rig rig = Create(&rigs[r]);
	StepToSleep(&rig);
	Step(&rig, 2);
	assert_true(drapeCloth_IsAsleep(rig.cloth));
	return rig;
}

// --- sleep ----------------------------------------------------------------------------------------------------------

static void AClothAtRestSleepsAndCostsNothing(void** state)
{
	(void)state;
	for (int r = 0; r < rigCount; ++r)
	{
		Rig rig = CreateAsleep(r);
		drapeClothView view = drapeCloth_GetView(rig.cloth);
		drapeVec4* before = malloc(view.particleCount * sizeof *before);
		memcpy(before, view.positions, view.particleCount * sizeof *before);
		for (int i = 0; i < 60; ++i)
		{
			Step(&rig, 1);
			drapeCounters counters = drapeCloth_GetCounters(rig.cloth);
			assert_int_equal(counters.asleep, 1);
			assert_int_equal(counters.substeps + counters.solves + counters.iterations + counters.retries, 0);
			assert_int_equal(counters.splits + counters.joins + counters.contacts + counters.contactPoints, 0);
			assert_int_equal(counters.particles, view.particleCount);
			assert_true(drapeWorld_GetCounters(rig.world).work == 0.0f);
			drapeProfile profile = drapeCloth_GetProfile(rig.cloth);
			assert_true(profile.simulate == 0.0f && profile.adapt == 0.0f && profile.surface == 0.0f);
		}
		view = drapeCloth_GetView(rig.cloth);
		assert_memory_equal(before, view.positions, view.particleCount * sizeof *before);
		assert_true(MaxSpeed(rig.cloth) == 0.0f);
		free(before);
		Destroy(&rig);
	}
}

static void NothingSleepsByDefaultOrWhileItMoves(void** state)
{
	(void)state;
	for (int r = 0; r < rigCount; ++r)
	{
		Rig rig = Create(&rigs[r]);
		assert_int_equal(drapeCloth_SetSleep(rig.cloth, drapeDefaultClothDef().sleep), drape_ok);
		Step(&rig, 200);
		assert_false(drapeCloth_IsAsleep(rig.cloth));
		assert_int_equal(drapeCloth_SetSleep(rig.cloth, (drapeSleepDef){0.03f, 0.25f}), drape_ok);
		bool wasSlow = false;
		for (int i = 0; i < 400 && !drapeCloth_IsAsleep(rig.cloth); ++i)
		{
			wasSlow = MaxSpeed(rig.cloth) < 0.03f;
			Step(&rig, 1);
			assert_true(!drapeCloth_IsAsleep(rig.cloth) || wasSlow);
		}
		Destroy(&rig);
	}
}

static void AClothThatWakesGoesOnWithoutAJump(void** state)
{
	(void)state;
	for (int r = 0; r < rigCount; ++r)
	{
		Rig rig = CreateAsleep(r);
		drapeClothView view = drapeCloth_GetView(rig.cloth);
		uint32_t count = view.particleCount;
		drapeVec4* before = malloc(count * sizeof *before);
		memcpy(before, view.positions, count * sizeof *before);
		assert_int_equal(drapeCloth_SetAsleep(rig.cloth, false), drape_ok);
		assert_false(drapeCloth_IsAsleep(rig.cloth));
		Step(&rig, 1);
		view = drapeCloth_GetView(rig.cloth);
		for (uint32_t i = 0; i < count && view.particleCount == count; ++i)
			assert_true(V3Length(V3Sub(V4Xyz(view.positions[i]), V4Xyz(before[i]))) < 0.002f);
		assert_true(MaxSpeed(rig.cloth) < 0.12f);
		free(before);
		StepToSleep(&rig);
		Destroy(&rig);
	}
}

// --- causes ---------------------------------------------------------------------------------------------------------

typedef void CauseFcn(Rig* rig);

static void MoveBall(Rig* rig)
{
	drapeTransform at = drapeIdentityTransform();
	at.position.y = 0.001f;
	assert_int_equal(drapeCollider_SetTransform(rig->ball, at), drape_ok);
}

static void DestroyBall(Rig* rig)
{
	assert_int_equal(drapeDestroyCollider(rig->ball), drape_ok);
}

static void ChangeBallFriction(Rig* rig)
{
	assert_int_equal(drapeCollider_SetFriction(rig->ball, 0.1f), drape_ok);
}

static void EndBall(Rig* rig)
{
	float now = (float)drapeWorld_GetTime(rig->world);
	assert_int_equal(drapeCollider_SetTimes(rig->ball, 0.0f, now + 0.5f * frame), drape_ok);
	Step(rig, 1);
}

static void AddBall(Rig* rig)
{
	drapeColliderDef def = drapeDefaultColliderDef();
	def.radius = 0.05f;
	def.transform.position.y = 0.352f;
	Make_Collider(rig->world, &def);
}

static void ShootBall(Rig* rig)
{
	assert_int_equal(drapeCollider_SetTransform(rig->far, drapeIdentityTransform()), drape_ok);
}

static void MovePin(Rig* rig)
{
	drapeVec3 target = drapePin_GetState(rig->pin).target;
	target.y += 0.001f;
	assert_int_equal(drapePin_SetTarget(rig->pin, target), drape_ok);
}

static void AddPin(Rig* rig)
{
	Make_Pin(rig->cloth, 2);
}

static void RemovePin(Rig* rig)
{
	assert_int_equal(drapeDestroyPin(rig->pin), drape_ok);
}

static void LimitPin(Rig* rig)
{
	assert_int_equal(drapePin_SetMaxForce(rig->pin, 1.0f), drape_ok);
}

static void EndPin(Rig* rig)
{
	assert_int_equal(drapePin_SetTimes(rig->pin, 0.0f, (float)drapeWorld_GetTime(rig->world) + frame), drape_ok);
}

static void AddTether(Rig* rig)
{
	drapeTetherDef def = drapeDefaultTetherDef();
	def.point = (drapePatternPoint){7, {1.0f, 0.0f, 0.0f}};
	def.anchor = (drapeVec3){0.0f, 1.0f, 0.0f};
	assert_int_equal(drapeCreateTether(rig->cloth, &def, NULL), drape_ok);
}

static void ChangeGravity(Rig* rig)
{
	assert_int_equal(drapeWorld_SetGravity(rig->world, (drapeVec3){0.0f, -5.0f, 0.0f}), drape_ok);
}

static void ChangeWind(Rig* rig)
{
	drapeWindDef wind = drapeDefaultWindDef();
	wind.kind = drape_windSteady;
	wind.velocity.x = 3.0f;
	assert_int_equal(drapeWorld_SetWind(rig->world, &wind), drape_ok);
}

static void ChangeMaterial(Rig* rig)
{
	drapeMaterial material = drapeCloth_GetMaterial(rig->cloth);
	material.bendWarp *= 2.0f;
	assert_int_equal(drapeCloth_SetMaterial(rig->cloth, &material), drape_ok);
}

static void ChangeThickness(Rig* rig)
{
	assert_int_equal(drapeCloth_SetThickness(rig->cloth, 0.006f), drape_ok);
}

static void ChangeSolver(Rig* rig)
{
	drapeSolverDef solver = drapeCloth_GetSolver(rig->cloth);
	solver.globalDamping = 0.0f;
	assert_int_equal(drapeCloth_SetSolver(rig->cloth, &solver), drape_ok);
}

static void ChangeScale(Rig* rig)
{
	assert_int_equal(drapeCloth_SetGravityScale(rig->cloth, 0.5f), drape_ok);
}

static void ChangeContact(Rig* rig)
{
	assert_int_equal(drapeCloth_SetContact(rig->cloth, drape_contactParticles), drape_ok);
}

static void ChangeAdapt(Rig* rig)
{
	drapeAdaptDef adapt = drapeCloth_GetAdapt(rig->cloth);
	assert_int_equal(drapeCloth_SetAdapt(rig->cloth, &adapt), drape_ok);
}

static void ChangeBudget(Rig* rig)
{
	drapeBudgetDef budget = drapeCloth_GetBudget(rig->cloth);
	budget.triangles = 40;
	assert_int_equal(drapeCloth_SetBudget(rig->cloth, &budget), drape_ok);
}

static drapeVec3* Rows(const Rig* rig, bool areVelocities)
{
	drapeClothView view = drapeCloth_GetView(rig->cloth);
	drapeVec3* rows = malloc(view.particleCount * sizeof *rows);
	for (uint32_t i = 0; i < view.particleCount; ++i)
		rows[i] = V4Xyz(areVelocities ? view.velocities[i] : view.positions[i]);
	return rows;
}

static void SetPositions(Rig* rig)
{
	drapeVec3* rows = Rows(rig, false);
	assert_int_equal(drapeCloth_SetPositions(rig->cloth, rows), drape_ok);
	free(rows);
}

static void SetVelocities(Rig* rig)
{
	drapeVec3* rows = Rows(rig, true);
	assert_int_equal(drapeCloth_SetVelocities(rig->cloth, rows), drape_ok);
	free(rows);
}

static void Refine(Rig* rig)
{
	assert_int_equal(drapeCloth_Refine(rig->cloth), drape_ok);
}

static void MoveFrame(Rig* rig)
{
	drapeTransform at = drapeIdentityTransform();
	assert_int_equal(drapeCloth_SetFrame(rig->cloth, at), drape_ok);
	at.position.x = 0.01f;
	assert_int_equal(drapeCloth_SetFrame(rig->cloth, at), drape_ok);
}

static void SetSkin(Rig* rig)
{
	drapeVec3* rows = Rows(rig, false);
	uint32_t count = drapeCloth_GetView(rig->cloth).particleCount;
	assert_int_equal(drapeCloth_SetSkinTargets(rig->cloth, rows, NULL, count), drape_ok);
	free(rows);
}

static void PaintFriction(Rig* rig)
{
	float values[36];
	for (int i = 0; i < 36; ++i)
		values[i] = 0.5f;
	assert_int_equal(drapeCloth_SetVertexValues(rig->cloth, drape_vertexFriction, values, 36), drape_ok);
}

static void FilterCloth(Rig* rig)
{
	drapeFilter filter = drapeCloth_GetFilter(rig->cloth);
	filter.mask = 0;
	assert_int_equal(drapeCloth_SetFilter(rig->cloth, filter), drape_ok);
}

static void FilterBall(Rig* rig)
{
	drapeFilter filter = drapeCollider_GetFilter(rig->ball);
	filter.mask = 0;
	assert_int_equal(drapeCollider_SetFilter(rig->ball, filter), drape_ok);
}

static void RemovePins(Rig* rig)
{
	assert_int_equal(drapeDestroyPins(rig->cloth, &rig->pin, 1), drape_ok);
}

static void TeleportAll(Rig* rig)
{
	drapeTeleportDef def = drapeDefaultTeleportDef();
	def.position.x = 1.0f;
	assert_int_equal(drapeWorld_Teleport(rig->world, &def), drape_ok);
}

static void Untangle(Rig* rig)
{
	drapeUntangleDef def = drapeDefaultUntangleDef();
	assert_int_equal(drapeWorld_Untangle(rig->world, &def, NULL), drape_ok);
}

static const struct
{
	const char* name;
	CauseFcn* apply;
} causes[] = {
	{"a collider moves", MoveBall},
	{"a collider is destroyed", DestroyBall},
	{"a collider gets another friction", ChangeBallFriction},
	{"a collider ends", EndBall},
	{"a collider appears", AddBall},
	{"a fast collider comes", ShootBall},
	{"a pin moves", MovePin},
	{"a pin is created", AddPin},
	{"a pin is destroyed", RemovePin},
	{"a pin gets a limit", LimitPin},
	{"a pin ends", EndPin},
	{"a constraint is created", AddTether},
	{"gravity", ChangeGravity},
	{"wind", ChangeWind},
	{"material", ChangeMaterial},
	{"thickness", ChangeThickness},
	{"solver", ChangeSolver},
	{"gravity scale", ChangeScale},
	{"contact", ChangeContact},
	{"criteria", ChangeAdapt},
	{"budget", ChangeBudget},
	{"positions", SetPositions},
	{"velocities", SetVelocities},
	{"refinement", Refine},
	{"frame", MoveFrame},
	{"skinned positions", SetSkin},
	{"values of vertices", PaintFriction},
	{"the filter of the cloth", FilterCloth},
	{"the filter of a collider", FilterBall},
	{"pins are destroyed", RemovePins},
	{"teleport", TeleportAll},
	{"untangling", Untangle},
};

static void EveryCauseWakes(void** state)
{
	(void)state;
	Rig rig = CreateAsleep(3);
	size_t size = Make_Snapshot(rig.world, NULL, 0);
	void* data = malloc(size);
	assert_int_equal(Make_Snapshot(rig.world, data, size), size);
	Destroy(&rig);
	for (size_t i = 0; i < sizeof causes / sizeof causes[0]; ++i)
	{
		rig = Create(&rigs[3]);
		assert_int_equal(drapeWorld_Load(rig.world, data, size), drape_ok);
		assert_true(drapeCloth_IsAsleep(rig.cloth));
		causes[i].apply(&rig);
		Step(&rig, 1);
		if (drapeCloth_IsAsleep(rig.cloth))
			fail_msg("%s does not wake", causes[i].name);
		Destroy(&rig);
	}
	free(data);
}

static void ThingsFarAwayDoNotWake(void** state)
{
	(void)state;
	Rig rig = CreateAsleep(0);
	drapeTransform at = drapeCollider_GetTransform(rig.far);
	for (int i = 0; i < 10; ++i)
	{
		at.position.y += 0.3f;
		assert_int_equal(drapeCollider_SetTransform(rig.far, at), drape_ok);
		assert_int_equal(drapePin_SetTarget(rig.pin, drapePin_GetState(rig.pin).target), drape_ok);
		assert_int_equal(drapeWorld_SetGravity(rig.world, drapeWorld_GetGravity(rig.world)), drape_ok);
		Step(&rig, 1);
	}
	const drapeClothDef def = ClothOf(&rigs[0]);
	AddCloth(rig.world, &def, (drapeVec3){5.0f, 0.0f, 0.0f});
	Step(&rig, 5);
	assert_true(drapeCloth_IsAsleep(rig.cloth));
	Destroy(&rig);
}

static void GustsKeepAwake(void** state)
{
	(void)state;
	Rig rig = CreateAsleep(0);
	drapeWindDef wind = drapeDefaultWindDef();
	wind.kind = drape_windGusting;
	wind.velocity.x = 1e-4f;
	assert_int_equal(drapeWorld_SetWind(rig.world, &wind), drape_ok);
	Step(&rig, 120);
	assert_false(drapeCloth_IsAsleep(rig.cloth));
	Destroy(&rig);
}

// --- islands --------------------------------------------------------------------------------------------------------

static void AClothThatFallsOnASleepingOneWakesItAndTheySleepTogether(void** state)
{
	(void)state;
	Rig rig = CreateAsleep(0);
	const drapeClothDef def = ClothOf(&rigs[0]);
	drapeClothId other = AddCloth(rig.world, &def, (drapeVec3){0.0f, 0.55f, 0.0f});
	bool hasSlept = false;
	for (int i = 0; i < 20; ++i)
	{
		Step(&rig, 1);
		hasSlept |= i < 3 && drapeCloth_IsAsleep(rig.cloth);
	}
	assert_true(hasSlept);
	assert_false(drapeCloth_IsAsleep(rig.cloth));
	for (int i = 0; i < 1500 && !drapeCloth_IsAsleep(rig.cloth); ++i)
	{
		assert_true(drapeCloth_IsAsleep(rig.cloth) == drapeCloth_IsAsleep(other));
		Step(&rig, 1);
	}
	assert_true(drapeCloth_IsAsleep(rig.cloth) && drapeCloth_IsAsleep(other));
	uint32_t crossings;
	assert_int_equal(drapeWorld_FindCrossings(rig.world, NULL, 0, &crossings), drape_ok);
	assert_int_equal(crossings, 0);
	// The upper one wakes the lower one.
	assert_int_equal(drapeCloth_SetAsleep(other, false), drape_ok);
	Step(&rig, 1);
	assert_false(drapeCloth_IsAsleep(rig.cloth));
	assert_int_equal(drapeDestroyCloth(other), drape_ok);
	StepToSleep(&rig);
	Destroy(&rig);
}

static void StitchedClothsSleepAndWakeTogether(void** state)
{
	(void)state;
	Rig rig = Create(&rigs[0]);
	drapeClothDef def = ClothOf(&rigs[0]);
	def.sleep.speed = 0.0f;
	drapeClothId other = AddCloth(rig.world, &def, (drapeVec3){0.41f, 0.305f, 0.0f});
	drapeStitchDef stitch = drapeDefaultStitchDef();
	stitch.point = (drapePatternPoint){9, {0.0f, 1.0f, 0.0f}};
	stitch.otherCloth = other;
	stitch.otherPoint = (drapePatternPoint){0, {1.0f, 0.0f, 0.0f}};
	assert_int_equal(drapeCreateStitch(rig.cloth, &stitch, NULL), drape_ok);
	Step(&rig, 300);
	assert_false(drapeCloth_IsAsleep(rig.cloth)); // the other one never sleeps
	assert_int_equal(drapeCloth_SetAsleep(rig.cloth, true), drape_ok);
	assert_int_equal(drapeCloth_SetAsleep(other, true), drape_ok);
	Step(&rig, 5);
	assert_int_equal(drapeWorld_GetCounters(rig.world).asleep, 2);
	assert_int_equal(drapeCloth_SetAsleep(other, false), drape_ok);
	Step(&rig, 1);
	assert_int_equal(drapeWorld_GetCounters(rig.world).asleep, 0);
	Destroy(&rig);
}

// --- state ----------------------------------------------------------------------------------------------------------

static void SleepIsPartOfSnapshotsAndOfTheHash(void** state)
{
	(void)state;
	for (int r = 0; r < rigCount; ++r)
	{
		Rig rig = CreateAsleep(r), twin = Create(&rigs[r]);
		size_t size = Make_Snapshot(rig.world, NULL, 0);
		void* data = malloc(size);
		assert_int_equal(Make_Snapshot(rig.world, data, size), size);
		assert_int_equal(drapeWorld_Load(twin.world, data, size), drape_ok);
		free(data);
		assert_true(drapeCloth_IsAsleep(twin.cloth));
		uint64_t asleep = drapeWorld_GetHash(rig.world);
		assert_true(asleep == drapeWorld_GetHash(twin.world));
		MoveBall(&rig);
		MoveBall(&twin);
		Step(&rig, 10);
		Step(&twin, 10);
		assert_true(drapeWorld_GetHash(rig.world) == drapeWorld_GetHash(twin.world));
		assert_int_equal(drapeCloth_SetAsleep(rig.cloth, true), drape_ok);
		asleep = drapeWorld_GetHash(rig.world);
		assert_int_equal(drapeCloth_SetAsleep(rig.cloth, false), drape_ok);
		assert_true(drapeWorld_GetHash(rig.world) != asleep);
		Destroy(&rig);
		Destroy(&twin);
	}
}

static void SettingsOutOfRangeAreRefused(void** state)
{
	(void)state;
	drapeSetAssert(DoNotBreak);
	Rig rig = Create(&rigs[0]);
	assert_int_equal(drapeCloth_SetSleep(rig.cloth, (drapeSleepDef){-1.0f, 1.0f}), drape_errorArgument);
	assert_non_null(strstr(drapeWorld_GetMessage(rig.world), "speed is -1"));
	assert_int_equal(drapeCloth_SetSleep(rig.cloth, (drapeSleepDef){1.0f, NAN}), drape_errorArgument);
	assert_non_null(strstr(drapeWorld_GetMessage(rig.world), "time is nan"));
	assert_true(drapeCloth_GetSleep(rig.cloth).speed == 0.03f);
	Destroy(&rig);
	drapeSetAssert(NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(AClothAtRestSleepsAndCostsNothing),
		cmocka_unit_test(NothingSleepsByDefaultOrWhileItMoves),
		cmocka_unit_test(AClothThatWakesGoesOnWithoutAJump),
		cmocka_unit_test(EveryCauseWakes),
		cmocka_unit_test(ThingsFarAwayDoNotWake),
		cmocka_unit_test(GustsKeepAwake),
		cmocka_unit_test(AClothThatFallsOnASleepingOneWakesItAndTheySleepTogether),
		cmocka_unit_test(StitchedClothsSleepAndWakeTogether),
		cmocka_unit_test(SleepIsPartOfSnapshotsAndOfTheHash),
		cmocka_unit_test(SettingsOutOfRangeAreRefused),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
