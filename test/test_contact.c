// SPDX-License-Identifier: MIT
#include "contact_scene.h"

#include "meshes.h"

#include <math.h>
#include <stdlib.h>

// Whole worlds through the public interface: in no frame is anything in anything.

static const float dt = 1.0f / 60.0f;
static const float halfPi = 1.57079633f;

static drapeColliderDef Shape(drapeShape shape, drapeTransform at)
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
	drapeKey keys[5];
	for (int i = 0; i < 5; ++i)
		keys[i] = (drapeKey){.time = 0.15f * (float)i,
		                     .transform = Turned(0, 0, 0, (drapeVec3){0, 0, 1}, 0.25f * 3.0f * (float)i)};
	drapeMotionId motion =
		drapeCreateMotion(scene->world, &(drapeMotionDef){.keys = keys, .keyCount = 5, .smooth = true});
	for (uint32_t row = 0; row <= scene->def.quads; ++row)
	{
		drapePinId pin = drapeCloth_Pin(cloth, row * (scene->def.quads + 1) + scene->def.quads);
		drapeCloth_PinToMotion(cloth, pin, motion);
	}
}

static drapeMotionId Straight(drapeWorldId world, drapeVec3 from, drapeVec3 to, float start, float speed)
{
	float length = sqrtf((to.x - from.x) * (to.x - from.x) + (to.y - from.y) * (to.y - from.y) +
	                     (to.z - from.z) * (to.z - from.z));
	const drapeKey keys[2] = {{.time = start, .transform = Placed(from.x, from.y, from.z)},
	                          {.time = start + length / speed, .transform = Placed(to.x, to.y, to.z)}};
	drapeMotionId motion = drapeCreateMotion(world, &(drapeMotionDef){.keys = keys, .keyCount = 2});
	assert_int_not_equal(motion.index1, 0);
	return motion;
}

static void Shot(ContactScene* scene, float speed)
{
	drapeClothId cloth = ContactScene_AddSheet(scene, Turned(0, 0, 0, (drapeVec3){1, 0, 0}, halfPi));
	const uint32_t n = scene->def.quads, corners[4] = {0, n, n * (n + 1), n * (n + 1) + n};
	for (int i = 0; i < 4; ++i)
		drapeCloth_Pin(cloth, corners[i]);
	drapeColliderDef sphere = Shape(drape_shapeSphere, drapeIdentityTransform());
	sphere.radius = 0.1f;
	sphere.motion =
		Straight(scene->world, (drapeVec3){0.05f, 0.02f, 0.4f}, (drapeVec3){0.05f, 0.02f, -0.3f}, 0.05f, speed);
	ContactScene_AddShape(scene, &sphere);
}

static void Shot5(ContactScene* scene)
{
	Shot(scene, 5.0f);
}

static void Shot50(ContactScene* scene)
{
	Shot(scene, 50.0f);
}

static void Shot500(ContactScene* scene)
{
	Shot(scene, 500.0f);
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
	drapeKey keys[3] = {{.time = 0.0f, .transform = Placed(0, -0.5f, 0)},
	                    {.time = 0.3f, .transform = Turned(0, 0, 0, (drapeVec3){0, 1, 0}, 1.0f)},
	                    {.time = 0.9f, .transform = Turned(0.2f, 0, 0, (drapeVec3){0, 1, 0}, 3.0f)}};
	drapeMotionId motion = drapeCreateMotion(scene->world, &(drapeMotionDef){.keys = keys, .keyCount = 3});
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
	uint64_t hash = drapeWorld_Hash(scene.world);
	ContactScene_Destroy(&scene);
	return hash;
}

// Fixed and adaptive, on one thread and on two.
static void RunAll(SceneFcn* build, uint32_t steps)
{
	for (int isAdaptive = 0; isAdaptive < 2; ++isAdaptive)
	{
		uint64_t first = 0;
		for (uint32_t workers = 1; workers <= 2; ++workers)
		{
			ContactSceneDef def = {.workers = workers,
			                       .isAdaptive = isAdaptive,
			                       .model = drape_modelFem,
			                       .quads = isAdaptive ? 4
			                                : isSlow   ? 6
			                                           : 10};
			uint64_t hash = RunScene(build, def, isSlow ? steps / 3 : steps);
			if (workers == 1)
				first = hash;
			assert_true(hash == first);
		}
	}
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
	RunAll(Shot5, 60);
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
	RunAll(Corner, 60);
}

static void MovingMeshDoesNotComeThrough(void** state)
{
	(void)state;
	RunAll(MovingMesh, 60);
}

static void SpikeOfAMeshDoesNotComeThrough(void** state)
{
	(void)state;
	RunAll(Spike, 60);
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

int main(void)
{
	const struct CMUnitTest tests[] = {
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
		cmocka_unit_test(SpringsHoldToo),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
