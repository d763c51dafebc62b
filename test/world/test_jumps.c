// SPDX-License-Identifier: MIT
#include "contact_scene.h"
#include "shared/make.h"
#include "meshes.h"

#include "base/transform.h"
#include "drape/drape.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// Bodies and pins that jump within a step carry their cloth along; fast ones do not.

// --- tools ----------------------------------------------------------------------------------------------------------

typedef struct RigDef
{
	uint32_t workers;
	drapeScheme scheme;
	float scale; // of all lengths and of gravity
	float dt;
	drapeIntegrator integrator;
	bool isExplicit;
	bool hasPins; // three on the upper edge; otherwise the sheets lie on a body
	uint32_t cloths;
} RigDef;

typedef struct Rig
{
	RigDef def;
	drapeWorldId world;
	drapeClothId cloths[2];
	drapePinId pins[3];
	drapeVec3 pinned[3];
	drapeColliderId body;
} Rig;

static RigDef Plain(void)
{
	return (RigDef){.workers = 1,
	                .scheme = drape_schemeFixed,
	                .scale = 1.0f,
	                .dt = 1.0f / 60.0f,
	                .cloths = 1,
	                .integrator = drape_integratorImplicitEuler};
}

static drapeClothDef ClothOf(const RigDef* def)
{
	drapeClothDef cloth = def->isExplicit ? Make_SpringClothDef() : Sheet_SettlingDef();
	cloth.adapt.scheme = def->scheme;
	cloth.adapt.maxLevel = 2;
	cloth.contact = drape_contactAll;
	cloth.material.thickness *= def->scale;
	if (!def->isExplicit)
		cloth.solver.integrator = def->integrator;
	return cloth;
}

static void AddCloth(Rig* rig, uint32_t index)
{
	drapeMesh grid;
	float size = rig->def.scale;
	assert_int_equal(drapeMesh_CreateGrid(10, 10, size, size, &grid, NULL), drape_ok);
	drapeClothDef def = ClothOf(&rig->def);
	def.mesh = &grid;
	rig->cloths[index] = Make_Cloth(rig->world, &def);
	assert_true(drapeCloth_IsValid(rig->cloths[index]));
	drapeVec3 placed[121];
	assert_int_equal(grid.vertexCount, 121);
	for (uint32_t i = 0; i < 121; ++i)
	{
		drapeVec3 p = grid.positions[i];
		float high = (0.27f + 0.03f * (float)index) * size;
		placed[i] = rig->def.hasPins ? (drapeVec3){p.x, -p.z, 0.02f * p.x} : (drapeVec3){p.x, high, p.z};
	}
	assert_int_equal(drapeCloth_SetPositions(rig->cloths[index], placed), drape_ok);
	drapeMesh_Free(&grid);
	for (uint32_t i = 0; rig->def.hasPins && i < 3; ++i)
	{
		rig->pins[i] = Make_Pin(rig->cloths[index], 5 * i);
		rig->pinned[i] = placed[5 * i];
	}
}

static Rig Create(const RigDef* def)
{
	Rig rig = {.def = *def, .world = Sheet_World(def->workers)};
	drapeWorld_SetGravity(rig.world, (drapeVec3){0.0f, -9.81f * def->scale, 0.0f});
	if (!def->hasPins)
	{
		drapeMesh mesh = TestMesh_Sphere(3, 0.25f * def->scale);
		drapeColliderDef body = drapeDefaultColliderDef();
		body.shape = drape_shapeMesh;
		body.mesh = &mesh;
		rig.body = Make_Collider(rig.world, &body);
		assert_true(drapeCollider_IsValid(rig.body));
		TestMesh_Free(&mesh);
	}
	for (uint32_t i = 0; i < def->cloths; ++i)
		AddCloth(&rig, i);
	return rig;
}

static void Destroy(Rig* rig)
{
	Sheet_Check(rig->world);
	drapeDestroyWorld(rig->world);
}

static void Step(Rig* rig, int count)
{
	for (int i = 0; i < count; ++i)
		assert_int_equal(drapeWorld_Step(rig->world, rig->def.dt), drape_ok);
}

static void Move(Rig* rig, drapeTransform to)
{
	for (uint32_t i = 0; rig->def.hasPins && i < 3; ++i)
		drapePin_SetTarget(rig->pins[i], drapeTransform_Point(to, rig->pinned[i]));
	if (!rig->def.hasPins)
		drapeCollider_SetTransform(rig->body, to);
}

// The largest distance of a particle from that of another world after the motion, m.
static float Deviation(const Rig* rig, const Rig* other, drapeTransform motion)
{
	float most = 0.0f;
	for (uint32_t k = 0; k < rig->def.cloths; ++k)
	{
		drapeClothView a = drapeCloth_GetView(rig->cloths[k]), b = drapeCloth_GetView(other->cloths[k]);
		for (uint32_t i = 0; i < 121; ++i)
		{
			Vec3 expected = drapeTransform_Point(motion, V4Xyz(b.positions[i]));
			most = fmaxf(most, V3Length(V3Sub(V4Xyz(a.positions[i]), expected)));
		}
	}
	return most;
}

// A sum over positions and velocities. Implicit integrators begin without a history after an undone step, so that the
// hash of the state differs.
static double Sum(const Rig* rig)
{
	drapeClothView view = drapeCloth_GetView(rig->cloths[0]);
	double sum = 0.0;
	for (uint32_t i = 0; i < view.particleCount; ++i)
	{
		Vec4 x = view.positions[i], v = view.velocities[i];
		sum = 1.01 * sum + (double)x.x + (double)x.y + (double)x.z + (double)v.x + (double)v.y + (double)v.z;
	}
	return sum;
}

static drapeTransform Jump(float scale, float x, float y, float z, float angle)
{
	return Turned(scale * x, scale * y, scale * z, (drapeVec3){0.0f, 1.0f, 0.0f}, angle);
}

// A world that jumps, and another one that does not. Gravity is along the axis about which the jump turns.
static void JumpsLikeOneThatStands(const RigDef* def, drapeTransform jump)
{
	Rig rig = Create(def), other = Create(def);
	int before = (int)(0.25f / def->dt), after = (int)(0.1f / def->dt);
	Step(&rig, before);
	Step(&other, before);
	Move(&rig, jump);
	// Contact with a body that moves is solved in another way, however little it moves.
	Move(&other, Jump(def->scale, 1e-6f, 0.0f, 0.0f, 0.0f));
	Step(&rig, 1);
	Step(&other, 1);
	assert_int_equal(drapeWorld_GetCounters(rig.world).carried, def->cloths);
	assert_int_equal(drapeWorld_GetCounters(other.world).carried, 0);
	float near = Deviation(&rig, &other, jump);
	if (near > 2e-3f * def->scale)
		fail_msg("%g m away after a jump with dt %g, scale %g, angle %g", (double)near, (double)def->dt,
		         (double)def->scale, (double)(2.0f * acosf(jump.rotation.w)));
	Step(&rig, after);
	Step(&other, after);
	assert_int_equal(drapeWorld_GetCounters(rig.world).carried, 0);
	assert_true(drapeWorld_GetMeasures(rig.world).stretch99 < drapeWorld_GetMeasures(other.world).stretch99 + 0.02f);
	assert_int_equal(drapeWorld_GetCounters(rig.world).crossings, 0);
	Destroy(&rig);
	Destroy(&other);
}

// --- jumps ----------------------------------------------------------------------------------------------------------

static void ClothIsCarriedWithPinsThatJump(void** state)
{
	(void)state;
	const float steps[] = {1.0f / 30.0f, 1.0f / 60.0f, 1.0f / 240.0f}, scales[] = {0.01f, 1.0f, 100.0f};
	for (int i = 0; i < 3; ++i)
	{
		RigDef def = Plain();
		def.hasPins = true;
		def.dt = steps[i];
		JumpsLikeOneThatStands(&def, Jump(1.0f, 20.0f, 1.0f, -3.0f, 0.0f));
		def = Plain();
		def.hasPins = true;
		def.scale = scales[i];
		JumpsLikeOneThatStands(&def, Jump(def.scale, 0.7f, 0.4f, 0.0f, 0.6f));
	}
}

static void ClothOfEveryIntegratorAndSchemeIsCarried(void** state)
{
	(void)state;
	const drapeIntegrator integrators[] = {drape_integratorImplicitEuler, drape_integratorImplicitMidpoint,
	                                       drape_integratorBdf2};
	const drapeScheme schemes[] = {drape_schemeFixed, drape_schemeEdge, drape_schemeSqrt3};
	for (int i = 0; i < 3; ++i)
	{
		RigDef def = Plain();
		def.hasPins = true;
		def.integrator = integrators[i];
		def.scheme = schemes[i];
		JumpsLikeOneThatStands(&def, Jump(1.0f, 3.0f, 0.0f, 2.0f, 1.5f));
		def.isExplicit = true;
		JumpsLikeOneThatStands(&def, Jump(1.0f, 3.0f, 0.0f, 2.0f, 0.0f));
	}
}

static void WornClothIsCarriedWithABodyThatJumpsAndTurns(void** state)
{
	(void)state;
	const float angles[] = {0.0f, 0.5f, 1.6f, 3.0f};
	for (int i = 0; i < 4; ++i)
	{
		RigDef def = Plain();
		def.cloths = 2;
		JumpsLikeOneThatStands(&def, Jump(1.0f, 1.0f, 0.2f, 0.5f, angles[i]));
	}
}

// Colliders that no cloth touches and that make the same motion, a mesh and a ball, do not sweep through the cloth.
static void CollidersThatJumpAlikeAreCarried(void** state)
{
	(void)state;
	RigDef def = Plain();
	Rig rig = Create(&def);
	drapeMesh mesh = TestMesh_Sphere(1, 0.05f);
	drapeColliderDef shoe = drapeDefaultColliderDef(), ball = drapeDefaultColliderDef();
	shoe.shape = drape_shapeMesh;
	shoe.mesh = &mesh;
	shoe.transform = Placed(-0.9f, 0.1f, 0.0f);
	ball.radius = 0.05f;
	ball.transform = Placed(-0.9f, 0.1f, 0.3f);
	drapeColliderId ids[2] = {Make_Collider(rig.world, &shoe), Make_Collider(rig.world, &ball)};
	TestMesh_Free(&mesh);
	Step(&rig, 20);
	drapeTransform jump = Jump(1.0f, 2.0f, 0.0f, 0.0f, 0.0f);
	Move(&rig, jump);
	drapeCollider_SetTransform(ids[0], drapeTransform_Compose(jump, shoe.transform));
	drapeCollider_SetTransform(ids[1], drapeTransform_Compose(jump, ball.transform));
	Step(&rig, 1);
	drapeCounters stats = drapeWorld_GetCounters(rig.world);
	drapeMeasures measures = drapeWorld_GetMeasures(rig.world);
	assert_int_equal(stats.carried, 1);
	assert_true(measures.stretch99 < 1.05f && stats.crossings == 0);
	Destroy(&rig);
}

static void AJumpIsTheSameWithAnyNumberOfThreads(void** state)
{
	(void)state;
	uint64_t hash[2];
	for (uint32_t i = 0; i < 2; ++i)
	{
		RigDef def = Plain();
		def.workers = i + 1;
		def.cloths = 2;
		def.scheme = drape_schemeEdge;
		Rig rig = Create(&def);
		Step(&rig, 20);
		Move(&rig, Jump(1.0f, 1.0f, 0.2f, 0.5f, 1.0f));
		Step(&rig, 10);
		hash[i] = drapeWorld_GetHash(rig.world);
		Destroy(&rig);
	}
	assert_true(hash[0] == hash[1]);
}

// A step that is cancelled leaves everything at its place; the next one carries.
static void ACancelledJumpChangesNothing(void** state)
{
	(void)state;
	for (int hasPins = 0; hasPins < 2; ++hasPins)
	{
		RigDef def = Plain();
		def.hasPins = hasPins > 0;
		Rig rig = Create(&def), other = Create(&def);
		Step(&rig, 20);
		Step(&other, 20);
		double before = Sum(&rig);
		Move(&rig, Jump(1.0f, 1.0f, 0.2f, 0.5f, 0.5f));
		Move(&other, Jump(1.0f, 1.0f, 0.2f, 0.5f, 0.5f));
		drapeWorld_Cancel(rig.world);
		assert_int_equal(drapeWorld_Step(rig.world, def.dt), drape_errorCancelled);
		assert_true(Sum(&rig) == before);
		Step(&rig, 1);
		assert_int_equal(drapeWorld_GetCounters(rig.world).carried, 1);
		Destroy(&rig);
		Destroy(&other);
	}
}

// A world that is loaded right before a jump, or right after it, goes on bit for bit.
static void ARunGoesOnFromASnapshotBesideAJump(void** state)
{
	(void)state;
	for (int i = 0; i < 4; ++i)
	{
		RigDef def = Plain();
		def.hasPins = i >= 2;
		Rig rig = Create(&def), other = Create(&def);
		Step(&rig, 15);
		if (i % 2 > 0)
		{
			Move(&rig, Jump(1.0f, 1.0f, 0.2f, 0.5f, 0.5f));
			Step(&rig, 1);
		}
		size_t size = Make_Snapshot(rig.world, NULL, 0);
		void* data = malloc(size);
		assert_non_null(data);
		assert_int_equal(Make_Snapshot(rig.world, data, size), size);
		assert_int_equal(drapeWorld_Load(other.world, data, size), drape_ok);
		Move(&rig, Jump(1.0f, 1.0f, 0.2f, -0.5f, -0.5f));
		Move(&other, Jump(1.0f, 1.0f, 0.2f, -0.5f, -0.5f));
		Step(&rig, 10);
		Step(&other, 10);
		assert_true(drapeWorld_GetHash(rig.world) == drapeWorld_GetHash(other.world));
		free(data);
		Destroy(&rig);
		Destroy(&other);
	}
}

static void AJumpThatRunsOutOfMemoryChangesNothing(void** state)
{
	(void)state;
	RigDef def = Plain();
	Test_BeginLimitedMemory();
	Rig rig = Create(&def);
	Step(&rig, 10);
	double before = Sum(&rig);
	Move(&rig, Jump(1.0f, 1.0f, 0.2f, 0.5f, 0.5f));
	drapeResult result = drape_errorMemory;
	for (size_t allowed = 0; result != drape_ok; ++allowed)
	{
		Test_AllowAllocations(allowed);
		result = drapeWorld_Step(rig.world, def.dt);
		Test_AllowAllocations(SIZE_MAX);
		assert_true(result == drape_ok || result == drape_errorMemory);
		if (result != drape_ok)
			assert_true(Sum(&rig) == before);
	}
	assert_int_equal(drapeWorld_GetCounters(rig.world).carried, 1);
	Destroy(&rig);
	Test_EndLimitedMemory();
}

// --- no jumps -------------------------------------------------------------------------------------------------------

// Pins that reach 10 m/s within a tenth of a second, and a body that turns by half a turn a second.
static void FastMotionIsNoJump(void** state)
{
	(void)state;
	const float steps[] = {1.0f / 30.0f, 1.0f / 60.0f, 1.0f / 240.0f};
	for (int i = 0; i < 6; ++i)
	{
		RigDef def = Plain();
		def.hasPins = i % 2 > 0;
		def.dt = steps[i / 2];
		Rig rig = Create(&def);
		for (int step = 0; step < (int)(0.4f / def.dt); ++step)
		{
			float time = def.dt * (float)(step + 1), swing = 0.64f * sinf(15.7f * time);
			Move(&rig, def.hasPins ? Jump(1.0f, swing, 0.0f, 0.0f, 0.0f) : Jump(1.0f, 0.0f, 0.0f, 0.0f, 12.0f * time));
			Step(&rig, 1);
			assert_int_equal(drapeWorld_GetCounters(rig.world).carried, 0);
		}
		Destroy(&rig);
	}
}

// A ball that is shot through a hanging sheet hits it and does not take it along as a whole.
static void AShotIsNoJump(void** state)
{
	(void)state;
	RigDef def = Plain();
	def.hasPins = true;
	Rig rig = Create(&def);
	drapeColliderDef ball = drapeDefaultColliderDef();
	ball.radius = 0.1f;
	ball.transform.position = (drapeVec3){0.0f, 0.0f, -20.0f};
	drapeColliderId id = Make_Collider(rig.world, &ball);
	for (int step = 0; step < 6; ++step)
	{
		drapeTransform at = drapeIdentityTransform();
		at.position = (drapeVec3){0.0f, 0.0f, -20.0f + 8.3f * (float)(step + 1)};
		drapeCollider_SetTransform(id, at);
		Step(&rig, 1);
		assert_int_equal(drapeWorld_GetCounters(rig.world).carried, 0);
	}
	Destroy(&rig);
}

// One of three pins jumps: the cloth stays, is not torn, and is whole a second after the pin has come back.
static void ClothStaysWithPinsThatDoNotJump(void** state)
{
	(void)state;
	const drapeScheme schemes[] = {drape_schemeFixed, drape_schemeEdge, drape_schemeSqrt3};
	for (int i = 0; i < 6; ++i)
	{
		RigDef def = Plain();
		def.hasPins = true;
		def.scheme = schemes[i / 2];
		Rig rig = Create(&def);
		Step(&rig, 10);
		drapeVec3 jump = {i % 2 == 0 ? 2.0f : 20.0f, 0.0f, 0.0f};
		drapePin_SetTarget(rig.pins[2], V3Add(rig.pinned[2], jump));
		Step(&rig, 1);
		assert_int_equal(drapeWorld_GetCounters(rig.world).carried, 0);
		assert_true(drapePin_GetState(rig.pins[2]).isSlipping);
		Step(&rig, 9);
		assert_true(drapeWorld_GetMeasures(rig.world).stretch99 < 1.6f);
		drapePin_SetTarget(rig.pins[2], rig.pinned[2]);
		Step(&rig, 60);
		drapeCounters stats = drapeWorld_GetCounters(rig.world);
		drapeMeasures measures = drapeWorld_GetMeasures(rig.world);
		if (!(measures.stretch99 < 1.1f))
			fail_msg("stretched by %g in case %d", (double)measures.stretch99, i);
		assert_int_equal(stats.crossings, 0);
		Vec4 x = drapeCloth_GetView(rig.cloths[0]).positions[drapePin_GetParticle(rig.pins[2])];
		assert_true(x.w == 0.0f && V3Length(V3Sub(V4Xyz(x), rig.pinned[2])) == 0.0f);
		Destroy(&rig);
	}
}

// A sheet on a floor stays there when a small ball under it is put elsewhere.
static void ClothStaysOnTheFloor(void** state)
{
	(void)state;
	RigDef def = Plain();
	Rig rig = Create(&def);
	drapeColliderDef floor = drapeDefaultColliderDef();
	floor.shape = drape_shapePlane;
	floor.transform.position.y = -0.1f;
	Make_Collider(rig.world, &floor);
	drapeTransform at = drapeIdentityTransform();
	at.scale = 0.25f;
	drapeCollider_SetTransform(rig.body, at);
	Step(&rig, 90);
	at.position = (drapeVec3){3.0f, 0.5f, 0.0f};
	drapeCollider_SetTransform(rig.body, at);
	Step(&rig, 1);
	assert_int_equal(drapeWorld_GetCounters(rig.world).carried, 0);
	Destroy(&rig);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(ClothIsCarriedWithPinsThatJump),
		cmocka_unit_test(ClothOfEveryIntegratorAndSchemeIsCarried),
		cmocka_unit_test(WornClothIsCarriedWithABodyThatJumpsAndTurns),
		cmocka_unit_test(CollidersThatJumpAlikeAreCarried),
		cmocka_unit_test(AJumpIsTheSameWithAnyNumberOfThreads),
		cmocka_unit_test(ACancelledJumpChangesNothing),
		cmocka_unit_test(ARunGoesOnFromASnapshotBesideAJump),
		cmocka_unit_test(AJumpThatRunsOutOfMemoryChangesNothing),
		cmocka_unit_test(FastMotionIsNoJump),
		cmocka_unit_test(AShotIsNoJump),
		cmocka_unit_test(ClothStaysWithPinsThatDoNotJump),
		cmocka_unit_test(ClothStaysOnTheFloor),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
