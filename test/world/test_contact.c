// SPDX-License-Identifier: MIT
#include "contact_scene.h"
#include "shared/make.h"

#include "meshes.h"
#include "world/world.h"

#include <math.h>
#include <stdlib.h>

// Whole worlds through the public interface: in no frame is anything in anything.

static const float dt = 1.0f / 60.0f;
static const float halfPi = 1.57079633f;

static drapeColliderDef Shape(drapeColliderShape shape, drapeTransform at)
{
	drapeColliderDef def = drapeDefaultColliderDef();
	def.shape = shape;
	def.transform = at;
	return def;
}

// --- scenes ---------------------------------------------------------------------------------------------------------

static void AddPlane(ContactScene* scene)
{
	drapeColliderDef plane = Shape(drape_shapePlane, Placed(0, 0, 0));
	ContactScene_AddShape(scene, &plane);
}

static void TwoSheets(ContactScene* scene)
{
	AddPlane(scene);
	ContactScene_AddSheet(scene, Turned(0, 0.03f, 0, (drapeVec3){0, 1, 0}, 0.3f));
	ContactScene_AddSheet(scene, Turned(0.1f, 0.1f, 0, (drapeVec3){1, 0, 0}, 0.05f));
}

// Hangs from nothing, falls on its lower edge and folds up.
static void OnItself(ContactScene* scene)
{
	AddPlane(scene);
	ContactScene_AddSheet(scene, Turned(0, 0.55f, 0, (drapeVec3){1, 0, 0.1f}, halfPi));
}

// One edge is led over to the other side, as a page is turned.
static void Fold(ContactScene* scene)
{
	AddPlane(scene);
	drapeClothId cloth = ContactScene_AddSheet(scene, Placed(0, 0.01f, 0));
	drapeMotionKey keys[5];
	for (int i = 0; i < 5; ++i)
		keys[i] = (drapeMotionKey){.time = 0.15f * (float)i,
		                           .transform = Turned(0, 0, 0, (drapeVec3){0, 0, 1}, 0.25f * 3.0f * (float)i)};
	drapeMotionId motion = Make_Motion(scene->world, &(drapeMotionDef){.keys = keys, .keyCount = 5, .smooth = true});
	for (uint32_t row = 0; row <= scene->def.quads; ++row)
	{
		drapePinId pin = Make_Pin(cloth, row * (scene->def.quads + 1) + scene->def.quads);
		drapePin_SetMotion(pin, motion);
	}
}

static drapeMotionId Straight(drapeWorldId world, drapeVec3 from, drapeVec3 to, float start, float speed)
{
	float length = sqrtf((to.x - from.x) * (to.x - from.x) + (to.y - from.y) * (to.y - from.y) +
	                     (to.z - from.z) * (to.z - from.z));
	const drapeMotionKey keys[2] = {{.time = start, .transform = Placed(from.x, from.y, from.z)},
	                                {.time = start + length / speed, .transform = Placed(to.x, to.y, to.z)}};
	drapeMotionId motion = Make_Motion(world, &(drapeMotionDef){.keys = keys, .keyCount = 2});
	assert_int_not_equal(motion.index1, 0);
	return motion;
}

// From this far away.
static void Shot(ContactScene* scene, float speed, float away)
{
	drapeClothId cloth = ContactScene_AddSheet(scene, Turned(0, 0, 0, (drapeVec3){1, 0, 0}, halfPi));
	const uint32_t n = scene->def.quads, corners[4] = {0, n, n * (n + 1), n * (n + 1) + n};
	for (int i = 0; i < 4; ++i)
		Make_Pin(cloth, corners[i]);
	drapeColliderDef sphere = Shape(drape_shapeSphere, drapeIdentityTransform());
	sphere.radius = 0.1f;
	sphere.motion =
		Straight(scene->world, (drapeVec3){0.05f, 0.02f, away}, (drapeVec3){0.05f, 0.02f, -0.3f}, 0.05f, speed);
	ContactScene_AddShape(scene, &sphere);
}

static void Shot5(ContactScene* scene)
{
	Shot(scene, 5.0f, 0.4f);
}

static void Shot50(ContactScene* scene)
{
	Shot(scene, 50.0f, 0.4f);
}

static void Shot500(ContactScene* scene)
{
	Shot(scene, 500.0f, 0.4f);
}

// Thinner than the quads of the sheet by far, and pointed.
static void Needle(ContactScene* scene)
{
	drapeColliderDef needle = Shape(drape_shapeCapsule, Placed(0.03f, -0.3f, 0.04f));
	needle.radius = 0.004f;
	needle.halfHeight = 0.3f;
	ContactScene_AddShape(scene, &needle);
	ContactScene_AddSheet(scene, Placed(0, 0.05f, 0));
}

static void Corner(ContactScene* scene)
{
	// The diagonal of the box stands upright.
	drapeColliderDef box = Shape(drape_shapeBox, Turned(0.02f, -0.4f, 0.01f, (drapeVec3){1, 0, -1}, 0.9553f));
	box.halfExtents = (drapeVec3){0.2f, 0.2f, 0.2f};
	ContactScene_AddShape(scene, &box);
	ContactScene_AddSheet(scene, Placed(0, 0.05f, 0));
}

// A ball of triangles comes up under the sheet, turning.
static void MovingMesh(ContactScene* scene)
{
	drapeMotionKey keys[3] = {{.time = 0.0f, .transform = Placed(0, -0.5f, 0)},
	                          {.time = 0.3f, .transform = Turned(0, 0, 0, (drapeVec3){0, 1, 0}, 1.0f)},
	                          {.time = 0.9f, .transform = Turned(0.2f, 0, 0, (drapeVec3){0, 1, 0}, 3.0f)}};
	drapeMotionId motion = Make_Motion(scene->world, &(drapeMotionDef){.keys = keys, .keyCount = 3});
	ContactScene_AddMesh(scene, TestMesh_Sphere(2, 0.3f), drapeIdentityTransform(), motion);
	ContactScene_AddSheet(scene, Placed(0, 0.05f, 0));
}

// Falls on a cone of triangles, narrow at its top.
static void Spike(ContactScene* scene)
{
	drapeMesh fan = TestMesh_Fan(7, true);
	drapeVec3* positions = TestMesh_Positions(&fan);
	for (uint32_t i = 0; i < fan.vertexCount; ++i)
		positions[i] = (drapeVec3){0.05f * positions[i].x, i == 0 ? 0.0f : -0.8f, -0.05f * positions[i].y};
	ContactScene_AddMesh(scene, fan, Placed(0.03f, 0, 0.02f), (drapeMotionId){0});
	ContactScene_AddSheet(scene, Placed(0, 0.02f, 0));
}

typedef void SceneFcn(ContactScene* scene);

static uint64_t RunScene(SceneFcn* build, ContactSceneDef def, uint32_t steps)
{
	ContactScene scene;
	ContactScene_Create(&scene, &def);
	build(&scene);
	ContactScene_Run(&scene, steps, dt);
	uint64_t hash = drapeWorld_GetHash(scene.world);
	ContactScene_Destroy(&scene);
	return hash;
}

// On one thread and on two.
static void RunBoth(SceneFcn* build, uint32_t steps, drapeScheme scheme)
{
	uint64_t hash[2];
	for (uint32_t workers = 1; workers <= 2; ++workers)
	{
		ContactSceneDef def = {.workers = workers,
		                       .scheme = scheme,
		                       .model = drape_modelFem,
		                       .quads = scheme != drape_schemeFixed ? 4
		                                : isSlow                    ? 6
		                                                            : 10};
		hash[workers - 1] = RunScene(build, def, isSlow ? steps / 3 : steps);
	}
	assert_true(hash[0] == hash[1]);
}

static void RunAdaptive(SceneFcn* build, uint32_t steps)
{
	RunBoth(build, steps, drape_schemeEdge);
	RunBoth(build, steps, drape_schemeSqrt3);
}

static void RunAll(SceneFcn* build, uint32_t steps)
{
	RunBoth(build, steps, drape_schemeFixed);
	RunAdaptive(build, steps);
}

static void SheetsThatFallOnEachOtherStayApart(void** state)
{
	(void)state;
	RunAll(TwoSheets, 60);
}

static void SheetThatFallsOnItselfDoesNotCrossItself(void** state)
{
	(void)state;
	RunAll(OnItself, 90);
}

static void FoldedSheetDoesNotCrossItself(void** state)
{
	(void)state;
	RunAll(Fold, 60);
}

static void ShotAtFiveMetresASecondIsCaught(void** state)
{
	(void)state;
	RunBoth(Shot5, 60, drape_schemeFixed);
}

static void ShotAtFiftyMetresASecondIsCaught(void** state)
{
	(void)state;
	RunAll(Shot50, 45);
}

static void ShotAtFiveHundredMetresASecondIsCaught(void** state)
{
	(void)state;
	RunAll(Shot500, 45);
}

static void NeedleDoesNotComeThroughBetweenParticles(void** state)
{
	(void)state;
	RunAll(Needle, 60);
}

static void CornerOfABoxDoesNotComeThrough(void** state)
{
	(void)state;
	RunBoth(Corner, 60, drape_schemeFixed);
}

static void MovingMeshDoesNotComeThrough(void** state)
{
	(void)state;
	RunBoth(MovingMesh, 60, drape_schemeFixed);
}

static void SpikeOfAMeshDoesNotComeThrough(void** state)
{
	(void)state;
	RunBoth(Spike, 60, drape_schemeFixed);
}

static void AdaptationDoesNotLetAShotThrough(void** state)
{
	(void)state;
	RunAdaptive(Shot5, 60);
}

// Torn at by the shot, the mesh refines in a few passes of hundreds of flips each, which must not meet each other
// either.
static void ChangesOfOnePassDoNotPassThroughEachOther(void** state)
{
	(void)state;
	ContactScene scene;
	ContactScene_Create(
		&scene, &(ContactSceneDef){.workers = 2, .scheme = drape_schemeSqrt3, .model = drape_modelFem, .quads = 8});
	Shot(&scene, 500.0f, 16.7f);
	drapeAdaptDef adapt = drapeCloth_GetAdapt(scene.cloths[0]);
	adapt.maxLevel = isSlow ? 4 : 6;
	assert_int_equal(drapeCloth_SetAdapt(scene.cloths[0], &adapt), drape_ok);
	ContactScene_Run(&scene, isSlow ? 11 : 20, dt);
	ContactScene_Destroy(&scene);
}

static void AdaptationDoesNotLetACornerThrough(void** state)
{
	(void)state;
	RunAdaptive(Corner, 60);
}

static void AdaptationDoesNotLetAMovingMeshThrough(void** state)
{
	(void)state;
	RunAdaptive(MovingMesh, 60);
}

static void AdaptationDoesNotLetASpikeThrough(void** state)
{
	(void)state;
	RunAdaptive(Spike, 60);
}

static void SpringsHoldToo(void** state)
{
	(void)state;
	SceneFcn* const scenes[] = {TwoSheets, OnItself, Shot50, Needle, MovingMesh};
	for (int i = 0; i < 5; ++i)
	{
		uint64_t hash[2];
		for (uint32_t workers = 1; workers <= 2; ++workers)
			hash[workers - 1] = RunScene(
				scenes[i], (ContactSceneDef){.workers = workers, .model = drape_modelSprings, .quads = isSlow ? 5 : 8},
				isSlow ? 15 : 45);
		assert_true(hash[0] == hash[1]);
	}
}

// --- layers, snapshots ----------------------------------------------------------------------------------------------

// The height of a point of a cloth's face above or below a place in the plane; NAN where there is none.
static float HeightAt(drapeClothId cloth, float x, float z)
{
	drapeClothView view = drapeCloth_GetView(cloth);
	for (uint32_t t = 0; t < view.triangleCount; ++t)
	{
		drapeVec4 a = view.positions[view.triangles[3 * t]], b = view.positions[view.triangles[3 * t + 1]],
				  c = view.positions[view.triangles[3 * t + 2]];
		float area = (b.x - a.x) * (c.z - a.z) - (b.z - a.z) * (c.x - a.x);
		float v = ((x - a.x) * (c.z - a.z) - (z - a.z) * (c.x - a.x)) / area;
		float w = ((b.x - a.x) * (z - a.z) - (b.z - a.z) * (x - a.x)) / area;
		if (v >= 0.0f && w >= 0.0f && v + w <= 1.0f)
			return a.y + v * (b.y - a.y) + w * (c.y - a.y);
	}
	return NAN;
}

static void LayersKeepTheirOrder(void** state)
{
	(void)state;
	ContactScene scene;
	ContactScene_Create(&scene, &(ContactSceneDef){.workers = 2, .model = drape_modelFem, .quads = isSlow ? 5 : 8});
	drapeColliderDef sphere = Shape(drape_shapeSphere, Placed(0, -0.3f, 0));
	sphere.radius = 0.3f;
	ContactScene_AddShape(&scene, &sphere);
	for (int i = 0; i < 3; ++i)
		ContactScene_AddSheet(&scene, Turned(0, 0.02f + 0.03f * (float)i, 0, (drapeVec3){0, 1, 0}, 0.2f * (float)i));
	ContactScene_Run(&scene, isSlow ? 20 : 60, dt);
	const float x = 0.01f, z = 0.02f, top = sqrtf(0.09f - x * x - z * z) - 0.3f; // of the sphere there
	float heights[3];
	for (int i = 0; i < 3; ++i)
		heights[i] = HeightAt(scene.cloths[i], x, z);
	assert_true(heights[0] > top && heights[1] > heights[0] && heights[2] > heights[1]);
	ContactScene_Destroy(&scene);
}

static void SnapshotGoesOnBitForBit(void** state)
{
	(void)state;
	const drapeScheme schemes[3] = {drape_schemeFixed, drape_schemeEdge, drape_schemeSqrt3};
	for (int a = 0; a < 3; ++a)
	{
		ContactScene scenes[2];
		for (int i = 0; i < 2; ++i)
		{
			ContactScene_Create(&scenes[i], &(ContactSceneDef){.workers = 1 + (uint32_t)i,
			                                                   .scheme = schemes[a],
			                                                   .model = drape_modelFem,
			                                                   .quads = a > 0 ? 3 : 6});
			MovingMesh(&scenes[i]);
			ContactScene_AddMesh(&scenes[i], TestMesh_Grid(3, 3, 1.0f, 1.0f, 0.0f, 1),
			                     Turned(-0.5f, -0.4f, 0.5f, (drapeVec3){1, 0, 0}, -halfPi), (drapeMotionId){0});
			ContactScene_AddSheet(&scenes[i], Turned(0, 0.15f, 0, (drapeVec3){0, 1, 0}, 0.5f));
		}
		for (int i = 0; i < 20; ++i)
			assert_int_equal(drapeWorld_Step(scenes[0].world, dt), drape_ok);
		// Vertices that were given but not yet gone to are part of the state.
		drapeMesh* sheet = &scenes[0].meshes[1].mesh;
		TestMesh_Positions(sheet)[5].z += 0.05f;
		assert_int_equal(drapeCollider_SetPositions(scenes[0].meshes[1].collider, sheet->positions, sheet->vertexCount),
		                 drape_ok);
		size_t size = Make_Snapshot(scenes[0].world, NULL, 0);
		void* data = malloc(size);
		assert_non_null(data);
		assert_int_equal(Make_Snapshot(scenes[0].world, data, size), size);
		assert_int_equal(drapeWorld_Load(scenes[1].world, data, size), drape_ok);
		free(data);
		for (int i = 0; i < 15; ++i)
		{
			assert_true(drapeWorld_GetHash(scenes[0].world) == drapeWorld_GetHash(scenes[1].world));
			for (int k = 0; k < 2; ++k)
				assert_int_equal(drapeWorld_Step(scenes[k].world, dt), drape_ok);
		}
		assert_true(drapeWorld_GetHash(scenes[0].world) == drapeWorld_GetHash(scenes[1].world));
		for (int i = 0; i < 2; ++i)
			ContactScene_Destroy(&scenes[i]);
	}
}

// --- snapshots of a mesh that deforms -------------------------------------------------------------------------------

enum
{
	trayQuads = 4
};

// A sheet that lies on a mesh.
static void OnATray(ContactScene* scene, uint32_t workers)
{
	ContactScene_Create(scene, &(ContactSceneDef){.workers = workers, .model = drape_modelFem, .quads = 5});
	ContactScene_AddMesh(scene, TestMesh_Grid(trayQuads, trayQuads, 2.0f, 2.0f, 0.0f, 1),
	                     Turned(-1.0f, -0.005f, 1.0f, (drapeVec3){1, 0, 0}, -halfPi), (drapeMotionId){0});
	ContactScene_AddSheet(scene, Placed(0, 0, 0));
}

// Its middle goes up and all of it sideways, so that the way matters as well as the end.
static void GiveTray(ContactScene* scene, int step)
{
	SceneMesh* tray = &scene->meshes[0];
	drapeVec3* p = TestMesh_Positions(&tray->mesh);
	for (uint32_t i = 0; i < tray->mesh.vertexCount; ++i)
	{
		float column = (float)(i % (trayQuads + 1)) / trayQuads, row = (float)(i / (trayQuads + 1)) / trayQuads;
		float height = 0.04f * (1.0f - cosf(0.2f * (float)step));
		p[i] = (drapeVec3){2.0f * column + 0.01f * (float)step, 2.0f * row,
		                   height * sinf(2.0f * halfPi * column) * sinf(2.0f * halfPi * row)};
	}
	assert_int_equal(drapeCollider_SetPositions(tray->collider, p, tray->mesh.vertexCount), drape_ok);
}

static void AssertTraysAgree(const ContactScene* a, const ContactScene* b)
{
	drapeColliderView first = drapeCollider_GetView(a->meshes[0].collider);
	drapeColliderView second = drapeCollider_GetView(b->meshes[0].collider);
	assert_int_equal(first.vertexCount, second.vertexCount);
	assert_memory_equal(first.positions, second.positions, first.vertexCount * sizeof *first.positions);
}

// Positions that were given before saving are where it goes after loading, from where it was.
static void SnapshotsKeepWhereADeformingMeshIs(void** state)
{
	(void)state;
	for (int isElsewhere = 0; isElsewhere < 2; ++isElsewhere)
	{
		ContactScene scenes[2];
		for (uint32_t i = 0; i < 2; ++i)
			OnATray(&scenes[i], 1 + i);
		for (int step = 1; step <= 8; ++step)
		{
			GiveTray(&scenes[0], step);
			assert_int_equal(drapeWorld_Step(scenes[0].world, dt), drape_ok);
		}
		for (int step = 1; step <= 5 && isElsewhere; ++step)
		{
			GiveTray(&scenes[1], 2 * step);
			assert_int_equal(drapeWorld_Step(scenes[1].world, dt), drape_ok);
		}
		GiveTray(&scenes[0], 9);
		size_t size = Make_Snapshot(scenes[0].world, NULL, 0);
		void* data = malloc(size);
		assert_non_null(data);
		assert_int_equal(Make_Snapshot(scenes[0].world, data, size), size);
		assert_int_equal(drapeWorld_Load(scenes[1].world, data, size), drape_ok);
		free(data);
		AssertTraysAgree(&scenes[0], &scenes[1]);
		for (int step = 10; step < 25; ++step)
		{
			for (int k = 0; k < 2; ++k)
				assert_int_equal(drapeWorld_Step(scenes[k].world, dt), drape_ok);
			assert_true(step > 10 || drapeWorld_GetCounters(scenes[0].world).contacts > 0);
			assert_true(drapeWorld_GetHash(scenes[0].world) == drapeWorld_GetHash(scenes[1].world));
			AssertTraysAgree(&scenes[0], &scenes[1]);
			for (int k = 0; k < 2; ++k)
				GiveTray(&scenes[k], step);
		}
		for (int k = 0; k < 2; ++k)
			ContactScene_Destroy(&scenes[k]);
	}
}

// --- gathering -------------------------------------------------------------------------------------------------------

static void LayersAreGatheredOncePerStep(void** state)
{
	(void)state;
	const ContactSceneDef def = {.workers = 2, .scheme = drape_schemeEdge, .model = drape_modelFem, .quads = 3};
	ContactScene scene;
	ContactScene_Create(&scene, &def);
	for (uint32_t i = 0; i < sceneCloths; ++i)
		ContactScene_AddSheet(&scene, Placed(0.0f, 0.02f * (float)i, 0.0f));
	const ContactStage* contact = &drapeWorlds_Get(scene.world)->contact;
	uint32_t passes = 0;
	for (uint32_t step = 0; step < 20; ++step)
	{
		uint32_t gathers = contact->gathers;
		ContactScene_Run(&scene, 1, 1.0f / 60.0f);
		passes += drapeWorld_GetProfile(scene.world).adapt > 0.0f;
		assert_int_equal(contact->gathers, gathers + 1);
		assert_int_equal(contact->broadPhase.members.count, sceneCloths);
	}
	assert_true(passes > 0);
	// Queries gather nothing.
	uint32_t gathers = contact->gathers, crossings;
	assert_int_equal(drapeWorld_FindCrossings(scene.world, NULL, 0, &crossings), drape_ok);
	assert_int_equal(contact->gathers, gathers);
	ContactScene_Destroy(&scene);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(LayersAreGatheredOncePerStep),
		cmocka_unit_test(SheetsThatFallOnEachOtherStayApart),
		cmocka_unit_test(SheetThatFallsOnItselfDoesNotCrossItself),
		cmocka_unit_test(FoldedSheetDoesNotCrossItself),
		cmocka_unit_test(ShotAtFiveMetresASecondIsCaught),
		cmocka_unit_test(ShotAtFiftyMetresASecondIsCaught),
		cmocka_unit_test(ShotAtFiveHundredMetresASecondIsCaught),
		cmocka_unit_test(NeedleDoesNotComeThroughBetweenParticles),
		cmocka_unit_test(CornerOfABoxDoesNotComeThrough),
		cmocka_unit_test(MovingMeshDoesNotComeThrough),
		cmocka_unit_test(SpikeOfAMeshDoesNotComeThrough),
		cmocka_unit_test(AdaptationDoesNotLetAShotThrough),
		cmocka_unit_test(ChangesOfOnePassDoNotPassThroughEachOther),
		cmocka_unit_test(AdaptationDoesNotLetACornerThrough),
		cmocka_unit_test(AdaptationDoesNotLetAMovingMeshThrough),
		cmocka_unit_test(AdaptationDoesNotLetASpikeThrough),
		cmocka_unit_test(SpringsHoldToo),
		cmocka_unit_test(LayersKeepTheirOrder),
		cmocka_unit_test(SnapshotGoesOnBitForBit),
		cmocka_unit_test(SnapshotsKeepWhereADeformingMeshIs),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
