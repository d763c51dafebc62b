// SPDX-License-Identifier: MIT
#include "contact_scene.h"
#include "shared/make.h"

#include "base/transform.h"
#include "meshes.h"

#include <math.h>
#include <string.h>

// Colliders that turn, jump and deform within a step, through the public interface: in no frame is anything in
// anything, and one thread and two give the same bits.

static const float dt = 1.0f / 60.0f;
static const float degree = 0.0174532925f;

// Where the collider is when a step ends: the scene's own to say.
typedef void MoveFcn(ContactScene* scene, uint32_t step, float amount);
typedef void BuildFcn(ContactScene* scene);

typedef struct TurningDef
{
	BuildFcn* build;
	MoveFcn* move;
	float amount; // the move's to use
	uint32_t steps;
	bool isAdaptive;
	bool mayDegrade; // steps that no number of substeps makes stable
} TurningDef;

typedef struct TurningResult
{
	uint64_t hash;
	uint32_t impacts, held, degraded;
	float farthest;     // m: of a particle from the plane z = 0
	drapeVec3 velocity; // m/s: mean at the end
} TurningResult;

static void CheckCrossings(const ContactScene* scene, uint32_t step)
{
	uint32_t count;
	assert_int_equal(drapeWorld_FindCrossings(scene->world, NULL, 0, &count), drape_ok);
	SceneFaults faults = ContactScene_Faults(scene);
	uint32_t left = drapeWorld_GetCounters(scene->world).unresolved;
	if (count + faults.selfCrossings + faults.bodyCrossings + faults.inside + faults.notFinite + left > 0)
		fail_msg("step %u, %u workers: %u crossings, %u with themselves, %u with bodies, %u corners inside, %u not "
		         "finite, %u unresolved",
		         step, scene->def.workers, count, faults.selfCrossings, faults.bodyCrossings, faults.inside,
		         faults.notFinite, left);
}

static void Measure(const ContactScene* scene, TurningResult* result)
{
	drapeClothView view = drapeCloth_GetView(scene->cloths[0]);
	result->velocity = (drapeVec3){0, 0, 0};
	for (uint32_t i = 0; i < view.particleCount; ++i)
	{
		float share = 1.0f / (float)view.particleCount;
		result->farthest = fmaxf(result->farthest, fabsf(view.positions[i].z));
		result->velocity.x += share * view.velocities[i].x;
		result->velocity.y += share * view.velocities[i].y;
		result->velocity.z += share * view.velocities[i].z;
	}
}

static TurningResult RunOnce(const TurningDef* def, uint32_t workers)
{
	ContactScene scene;
	TurningResult result = {0};
	ContactScene_Create(&scene, &(ContactSceneDef){.workers = workers,
	                                               .scheme = def->isAdaptive ? drape_schemeEdge : drape_schemeFixed,
	                                               .model = drape_modelFem,
	                                               .quads = def->isAdaptive ? 4
	                                                        : isSlow        ? 5
	                                                                        : 8});
	def->build(&scene);
	for (uint32_t i = 0; i < (isSlow ? MaxU32(def->steps / 2, 8) : def->steps); ++i)
	{
		def->move(&scene, i, def->amount);
		drapeResult step = drapeWorld_Step(scene.world, dt);
		if (step != drape_ok)
			fail_msg("step %u: %s", i, drapeResult_GetText(step));
		uint32_t degraded = drapeWorld_GetCounters(scene.world).damped;
		if (degraded > 0 && !def->mayDegrade)
			fail_msg("step %u: %s", i, drapeWorld_GetWarning(scene.world).text);
		result.degraded += degraded;
		CheckCrossings(&scene, i);
		result.impacts += drapeWorld_GetCounters(scene.world).impacts;
		result.held += drapeWorld_GetCounters(scene.world).frozenVertices;
		Measure(&scene, &result);
	}
	result.hash = drapeWorld_GetHash(scene.world);
	ContactScene_Destroy(&scene);
	return result;
}

static TurningResult RunScene(const TurningDef* def)
{
	TurningResult one = RunOnce(def, 1), two = RunOnce(def, 2);
	assert_true(one.hash == two.hash);
	print_message("%u impacts, %u held, %u degraded, %.2f m away\n", one.impacts, one.held, one.degraded,
	              (double)one.farthest);
	return one;
}

// --- a beam through a sheet -----------------------------------------------------------------------------------------

static drapeColliderDef Box(float x, float y, float z, drapeTransform at)
{
	drapeColliderDef def = drapeDefaultColliderDef();
	def.shape = drape_shapeBox;
	def.halfExtents = (drapeVec3){x, y, z};
	def.transform = at;
	return def;
}

static const drapeVec3 upwards = {0, 1, 0}, sideways = {1, 0, 0};

static void AddHangingSheet(ContactScene* scene)
{
	drapeClothId cloth = ContactScene_AddSheet(scene, Turned(0, 0, 0, sideways, 90.0f * degree));
	drapeClothView view = drapeCloth_GetView(cloth);
	uint32_t top[2] = {0, 0};
	for (uint32_t i = 0; i < view.particleCount; ++i)
	{
		drapeVec4 p = view.positions[i];
		if (p.y > 0.499f && p.x < -0.499f)
			top[0] = i;
		if (p.y > 0.499f && p.x > 0.499f)
			top[1] = i;
	}
	Make_Pin(cloth, top[0]);
	Make_Pin(cloth, top[1]);
}

// Beside the sheet, along it; its end goes through where the sheet is.
static void BeamBesideASheet(ContactScene* scene)
{
	AddHangingSheet(scene);
	drapeColliderDef beam = Box(0.4f, 0.03f, 0.03f, Placed(0, 0, 0.25f));
	ContactScene_AddShape(scene, &beam);
}

static void TurnBeam(ContactScene* scene, uint32_t step, float angle)
{
	drapeCollider_SetTransform(scene->shapes[0], Turned(0, 0, 0.25f, upwards, angle * (float)(step + 1)));
}

static void BeamThatTurnsByFiveDegreesDoesNotComeThrough(void** state)
{
	(void)state;
	TurningResult result =
		RunScene(&(TurningDef){.build = BeamBesideASheet, .move = TurnBeam, .amount = 5.0f * degree, .steps = 40});
	assert_true(result.impacts > 0 && result.farthest > 0.1f);
}

static void BeamThatTurnsByThirtyDegreesDoesNotComeThrough(void** state)
{
	(void)state;
	TurningResult result =
		RunScene(&(TurningDef){.build = BeamBesideASheet, .move = TurnBeam, .amount = 30.0f * degree, .steps = 24});
	assert_true(result.impacts > 0 && result.farthest > 0.1f);
}

static void BeamThatTurnsByNinetyDegreesDoesNotComeThrough(void** state)
{
	(void)state;
	TurningResult result =
		RunScene(&(TurningDef){.build = BeamBesideASheet, .move = TurnBeam, .amount = 90.0f * degree, .steps = 24});
	assert_true(result.impacts > 0 && result.farthest > 0.1f);
}

static void AdaptationDoesNotLetATurningBeamThrough(void** state)
{
	(void)state;
	RunScene(&(TurningDef){
		.build = BeamBesideASheet, .move = TurnBeam, .amount = 20.0f * degree, .steps = 20, .isAdaptive = true});
}

// --- propellers and tables ------------------------------------------------------------------------------------------

static drapeTransform Blade(uint32_t i, float angle)
{
	drapeTransform spin = Turned(0, 0, 0, upwards, angle + 90.0f * degree * (float)i);
	return drapeTransform_Compose(spin, Turned(0, 0, 0, sideways, 30.0f * degree));
}

static void SheetOverAPropeller(ContactScene* scene)
{
	for (uint32_t i = 0; i < 2; ++i)
	{
		drapeColliderDef blade = Box(0.4f, 0.01f, 0.06f, Blade(i, 0.0f));
		ContactScene_AddShape(scene, &blade);
	}
	ContactScene_AddSheet(scene, Placed(0.1f, 0.06f, 0));
}

static void SpinPropeller(ContactScene* scene, uint32_t step, float angle)
{
	for (uint32_t i = 0; i < 2; ++i)
		drapeCollider_SetTransform(scene->shapes[i], Blade(i, angle * (float)(step + 1)));
}

static void PropellerDoesNotCutASheet(void** state)
{
	(void)state;
	RunScene(&(TurningDef){.build = SheetOverAPropeller, .move = SpinPropeller, .amount = 15.0f * degree, .steps = 40});
	RunScene(&(TurningDef){.build = SheetOverAPropeller, .move = SpinPropeller, .amount = 40.0f * degree, .steps = 30});
}

static void SheetOnATable(ContactScene* scene)
{
	drapeColliderDef table = Box(0.3f, 0.2f, 0.3f, Placed(0, -0.21f, 0));
	table.friction = 1.0f;
	ContactScene_AddShape(scene, &table);
	ContactScene_AddSheet(scene, Placed(0, 0, 0));
}

static void TurnTable(ContactScene* scene, uint32_t step, float angle)
{
	float turned = step < 10 ? 0.0f : angle * (float)(step - 9);
	drapeCollider_SetTransform(scene->shapes[0], Turned(0, -0.21f, 0, upwards, turned));
}

// Over and over, with the cloth on it.
static void TipTable(ContactScene* scene, uint32_t step, float angle)
{
	float turned = step < 10 ? 0.0f : angle * (float)(step - 9);
	drapeCollider_SetTransform(scene->shapes[0], Turned(0, -0.21f, 0, (drapeVec3){1, 0, 0.3f}, turned));
}

static void ClothOnATurningBoxStaysOutOfIt(void** state)
{
	(void)state;
	RunScene(&(TurningDef){.build = SheetOnATable, .move = TurnTable, .amount = 10.0f * degree, .steps = 40});
	RunScene(&(TurningDef){.build = SheetOnATable, .move = TipTable, .amount = 15.0f * degree, .steps = 40});
	RunScene(&(TurningDef){.build = SheetOnATable, .move = TipTable, .amount = 70.0f * degree, .steps = 30});
}

// --- jumps ----------------------------------------------------------------------------------------------------------

static void SheetBesideABox(ContactScene* scene)
{
	AddHangingSheet(scene);
	drapeColliderDef box = Box(0.1f, 0.1f, 0.1f, Turned(0, 0, 0.3f, (drapeVec3){1, 1, 0}, 0.5f));
	ContactScene_AddShape(scene, &box);
}

static void SheetBesideABall(ContactScene* scene)
{
	AddHangingSheet(scene);
	ContactScene_AddMesh(scene, TestMesh_Sphere(1, 0.15f), Placed(0, 0, 0.3f), (drapeMotionId){0});
}

// There and back, with some steps between.
static void JumpThrough(ContactScene* scene, uint32_t step, float distance)
{
	bool isBehind = step / 3 % 2 == 1;
	drapeColliderId collider = scene->shapeCount > 0 ? scene->shapes[0] : scene->meshes[0].collider;
	drapeCollider_SetTransform(
		collider, Turned(0, 0, isBehind ? 0.3f - distance : 0.3f, (drapeVec3){1, 1, 0}, 0.5f + 0.1f * (float)step));
}

static void ColliderThatJumpsTenMetresTakesTheSheetAlong(void** state)
{
	(void)state;
	BuildFcn* const builds[2] = {SheetBesideABox, SheetBesideABall};
	for (int i = 0; i < 2; ++i)
	{
		TurningResult result = RunScene(
			&(TurningDef){.build = builds[i], .move = JumpThrough, .amount = 10.0f, .steps = 18, .mayDegrade = true});
		assert_true(result.farthest > 1.0f);
	}
}

// --- meshes that deform ---------------------------------------------------------------------------------------------

static void SetPositions(SceneMesh* mesh)
{
	assert_int_equal(drapeCollider_SetPositions(mesh->collider, mesh->mesh.positions, mesh->mesh.vertexCount),
	                 drape_ok);
}

static void SheetOverABall(ContactScene* scene)
{
	ContactScene_AddMesh(scene, TestMesh_Sphere(2, 0.25f), drapeIdentityTransform(), (drapeMotionId){0});
	ContactScene_AddSheet(scene, Placed(0.05f, 0.26f, 0.02f));
}

// Every vertex to the other side of the centre, so that the ball is inside out on the way and ever after.
static void TurnInsideOut(ContactScene* scene, uint32_t step, float amount)
{
	SceneMesh* ball = &scene->meshes[0];
	drapeVec3* p = TestMesh_Positions(&ball->mesh);
	if (step % 8 != 7)
		return;
	for (uint32_t i = 0; i < ball->mesh.vertexCount; ++i)
		p[i] = (drapeVec3){-amount * p[i].x, -amount * p[i].y, -amount * p[i].z};
	SetPositions(ball);
}

static void MeshThatTurnsInsideOutDoesNotComeThrough(void** state)
{
	(void)state;
	TurningResult result =
		RunScene(&(TurningDef){.build = SheetOverABall, .move = TurnInsideOut, .amount = 1.0f, .steps = 40});
	assert_true(result.impacts > 0);
}

// It swells and shrinks, leans over and turns, by a good part of its size in a step.
static void Wobble(ContactScene* scene, uint32_t step, float amount)
{
	SceneMesh* ball = &scene->meshes[0];
	drapeMesh round = TestMesh_Sphere(2, 0.25f);
	drapeVec3* p = TestMesh_Positions(&ball->mesh);
	float time = 0.7f * (float)(step + 1);
	for (uint32_t i = 0; i < round.vertexCount; ++i)
	{
		drapeVec3 a = round.positions[i];
		float swell = 1.0f + amount * sinf(time + 8.0f * a.x);
		p[i] = (drapeVec3){swell * a.x + amount * a.y * sinf(time), swell * a.y,
		                   swell * a.z + amount * a.y * cosf(1.3f * time)};
	}
	TestMesh_Free(&round);
	SetPositions(ball);
}

static void MeshThatWobblesDoesNotComeThrough(void** state)
{
	(void)state;
	RunScene(&(TurningDef){.build = SheetOverABall, .move = Wobble, .amount = 0.1f, .steps = 40});
	RunScene(&(TurningDef){.build = SheetOverABall, .move = Wobble, .amount = 0.3f, .steps = 40});
}

enum
{
	plateQuads = 8,
};

static const float plateSpeed = 0.5f; // m/s

static void SheetOnAPlate(ContactScene* scene)
{
	drapeMesh plate = TestMesh_Grid(plateQuads, plateQuads, 3.0f, 3.0f, 0.0f, 1);
	ContactScene_AddMesh(scene, plate, Turned(-1.5f, -0.005f, 1.5f, sideways, -90.0f * degree), (drapeMotionId){0});
	ContactScene_AddSheet(scene, Placed(0, 0, 0));
}

// Along x, while its middle sinks: local z is height.
static void MovePlate(ContactScene* scene, uint32_t step, float depth)
{
	SceneMesh* plate = &scene->meshes[0];
	drapeVec3* p = TestMesh_Positions(&plate->mesh);
	float share = fminf((float)(step + 1) / 60.0f, 1.0f);
	for (uint32_t i = 0; i < plate->mesh.vertexCount; ++i)
	{
		float column = (float)(i % (plateQuads + 1)) / plateQuads, row = (float)(i / (plateQuads + 1)) / plateQuads;
		float u = 2.0f * column - 1.0f, v = 2.0f * row - 1.0f;
		p[i].x += plateSpeed * dt;
		p[i].z = -share * depth * (1.0f - u * u) * (1.0f - v * v);
	}
	SetPositions(plate);
}

static void ClothOnADeformingMeshIsCarriedAlong(void** state)
{
	(void)state;
	TurningResult result =
		RunScene(&(TurningDef){.build = SheetOnAPlate, .move = MovePlate, .amount = 0.1f, .steps = isSlow ? 270 : 90});
	print_message("%.3f m/s of %.3f\n", (double)result.velocity.x, (double)plateSpeed);
	assert_float_equal(result.velocity.x, plateSpeed, isSlow ? 0.1f * plateSpeed : 0.03f * plateSpeed);
	assert_float_equal(result.velocity.z, 0.0f, 0.03f * plateSpeed);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(BeamThatTurnsByFiveDegreesDoesNotComeThrough),
		cmocka_unit_test(BeamThatTurnsByThirtyDegreesDoesNotComeThrough),
		cmocka_unit_test(BeamThatTurnsByNinetyDegreesDoesNotComeThrough),
		cmocka_unit_test(AdaptationDoesNotLetATurningBeamThrough),
		cmocka_unit_test(PropellerDoesNotCutASheet),
		cmocka_unit_test(ClothOnATurningBoxStaysOutOfIt),
		cmocka_unit_test(ColliderThatJumpsTenMetresTakesTheSheetAlong),
		cmocka_unit_test(MeshThatTurnsInsideOutDoesNotComeThrough),
		cmocka_unit_test(MeshThatWobblesDoesNotComeThrough),
		cmocka_unit_test(ClothOnADeformingMeshIsCarriedAlong),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
