// SPDX-License-Identifier: MIT
#include "meshes.h"
#include "shared/make.h"
#include "sheet.h"

#include "base/random.h"
#include "world/world.h"

#include <math.h>
#include <string.h>

// --- tools ----------------------------------------------------------------------------------------------------------

static const float dt = 1.0f / 60.0f;

static void Step(Sheet* sheet, int count)
{
	for (int i = 0; i < count; ++i)
	{
		if (drapeWorld_Step(sheet->world, dt) != drape_ok)
			fail_msg("%s", drapeWorld_GetWarning(sheet->world).text);
	}
}

static drapeVec3 Position(const Sheet* sheet, uint32_t particle)
{
	drapeVec4 p = drapeCloth_GetView(sheet->cloth).positions[particle];
	return (drapeVec3){p.x, p.y, p.z};
}

static float Distance(drapeVec3 a, drapeVec3 b)
{
	return V3Length(V3Sub(a, b));
}

static Sheet Hanging(const drapeAdaptDef* adapt, bool pinMiddles)
{
	drapeWorldDef worldDef = drapeDefaultWorldDef();
	Sheet sheet = {.world = Make_World(&worldDef)};
	drapeMesh mesh;
	assert_int_equal(drapeMesh_CreateGrid(4, 4, 1.0f, 1.0f, &mesh, NULL), drape_ok);
	drapeClothDef def = Make_SpringClothDef();
	def.mesh = &mesh;
	def.adapt = *adapt;
	def.pinMiddles = pinMiddles;
	sheet.cloth = Make_Cloth(sheet.world, &def);
	assert_true(drapeCloth_IsValid(sheet.cloth));
	drapeMesh_Free(&mesh);
	return sheet;
}

static drapeAdaptDef Lively(uint32_t maxLevel)
{
	drapeAdaptDef adapt = drapeDefaultAdaptDef();
	adapt.maxLevel = maxLevel;
	adapt.joinWait = 1;
	return adapt;
}

// The particle in the middle between two others, DRAPE_NONE when there is none.
static uint32_t MiddleOf(const Sheet* sheet, uint32_t a, uint32_t b)
{
	drapeClothView view = drapeCloth_GetView(sheet->cloth);
	for (uint32_t i = 0; i < view.particleCount; ++i)
	{
		drapeParticleOrigin origin = drapeCloth_GetOrigin(sheet->cloth, i);
		if (origin.count == 2 &&
		    ((origin.parents[0] == a && origin.parents[1] == b) || (origin.parents[0] == b && origin.parents[1] == a)))
			return i;
	}
	return DRAPE_NONE;
}

// --- pins -----------------------------------------------------------------------------------------------------------

static void AFixedPinStaysToTheLastBitWhileTheClothAdapts(void** state)
{
	(void)state;
	drapeAdaptDef adapt = Lively(3);
	Sheet sheet = Hanging(&adapt, false);
	const uint32_t corners[] = {0, 4, 20};
	drapeVec3 places[3];
	for (int i = 0; i < 3; ++i)
	{
		places[i] = Position(&sheet, corners[i]);
		assert_int_equal(Make_Pin(sheet.cloth, corners[i]).index1, i + 1);
	}
	assert_int_equal(Make_Pin(sheet.cloth, 4).index1, 2); // the pin there is
	for (int step = 0; step < 90; ++step)
	{
		Step(&sheet, 1);
		for (int i = 0; i < 3; ++i)
		{
			drapeVec3 now = Position(&sheet, corners[i]);
			assert_memory_equal(&now, &places[i], sizeof now);
		}
	}
	assert_true(drapeCloth_GetView(sheet.cloth).particleCount > 60);
	Sheet_Check(sheet.world);
	Sheet_Destroy(&sheet);
}

// Pinning between two steps does not change the mesh; whatever was derived from the mesh must notice all the same.
static void APinSetLaterHoldsAgainstTheStretchLimit(void** state)
{
	(void)state;
	drapeAdaptDef adapt = Sheet_Plain(3);
	Sheet sheet = Hanging(&adapt, false);
	for (int i = 0; i < 3; ++i)
		drapeCloth_Refine(sheet.cloth);
	Make_Pin(sheet.cloth, 0);
	Step(&sheet, 10);
	Random random = Random_Seed(4, 1);
	for (int round = 0; round < 10; ++round)
	{
		uint32_t particle = Random_Below(&random, drapeCloth_GetView(sheet.cloth).particleCount);
		drapeVec3 place = Position(&sheet, particle);
		drapePinId pin = Make_Pin(sheet.cloth, particle);
		Step(&sheet, 5);
		drapeVec3 now = Position(&sheet, drapePin_GetParticle(pin));
		assert_memory_equal(&now, &place, sizeof now);
	}
	Sheet_Destroy(&sheet);
}

static void TheStableStepIsFoundAnewWhenALightParticleIsFreed(void** state)
{
	(void)state;
	drapeAdaptDef adapt = Sheet_Plain(0);
	Sheet pinned = Hanging(&adapt, false), free = Hanging(&adapt, false);
	drapePinId pins[25];
	for (uint32_t i = 0; i < 25; ++i)
		pins[i] = Make_Pin(pinned.cloth, i);
	Step(&pinned, 1);
	for (uint32_t i = 0; i < 25; ++i)
		drapeDestroyPin(pins[i]);
	Step(&pinned, 1);
	Step(&free, 1);
	assert_true(drapeCloth_GetCounters(free.cloth).substeps > 1);
	assert_int_equal(drapeCloth_GetCounters(pinned.cloth).substeps, drapeCloth_GetCounters(free.cloth).substeps);
	Sheet_Destroy(&pinned);
	Sheet_Destroy(&free);
}

static void AMovedPinArrivesAtTheEndOfTheStepAndStays(void** state)
{
	(void)state;
	drapeAdaptDef adapt = Lively(2);
	Sheet sheet = Hanging(&adapt, false);
	drapePinId pin = Make_Pin(sheet.cloth, 0);
	Make_Pin(sheet.cloth, 4);
	drapeVec3 target = Position(&sheet, 0);
	for (int step = 0; step < 40; ++step)
	{
		target.x += 0.004f;
		target.y += 0.01f;
		drapePin_SetTarget(pin, target);
		Step(&sheet, 1);
		drapeVec3 now = Position(&sheet, drapePin_GetParticle(pin));
		assert_memory_equal(&now, &target, sizeof now);
		// It moved evenly, at the speed that takes it there.
		drapeVec4 v = drapeCloth_GetView(sheet.cloth).velocities[0];
		assert_true(fabsf(v.x - 0.24f) < 0.02f && fabsf(v.y - 0.6f) < 0.02f);
	}
	Step(&sheet, 1);
	drapeVec3 now = Position(&sheet, 0);
	assert_memory_equal(&now, &target, sizeof now);
	Sheet_Destroy(&sheet);
}

static void APinFollowsItsMotion(void** state)
{
	(void)state;
	drapeAdaptDef adapt = Lively(2);
	Sheet sheet = Hanging(&adapt, false);
	drapeMotionKey keys[3] = {
		{0.0f, drapeIdentityTransform()}, {0.5f, drapeIdentityTransform()}, {1.0f, drapeIdentityTransform()}};
	keys[1].transform.position = (drapeVec3){0.0f, 0.2f, 0.1f};
	keys[1].transform.rotation = drapeQuat_FromAxisAngle((drapeVec3){0.0f, 1.0f, 0.0f}, 0.8f);
	drapeMotionDef motionDef = {.keys = keys, .keyCount = 3, .smooth = true, .repeat = true};
	drapeMotionId motion = Make_Motion(sheet.world, &motionDef);
	Step(&sheet, 7); // not from the beginning
	drapePinId pin = Make_Pin(sheet.cloth, 12);
	drapeVec3 place = Position(&sheet, 12);
	drapePin_SetMotion(pin, motion);
	drapeVec3 anchor =
		drapeTransform_InversePoint(drapeMotion_GetTransform(motion, drapeWorld_GetTime(sheet.world)), place);
	for (int step = 0; step < 80; ++step)
	{
		Step(&sheet, 1);
		drapeVec3 wanted =
			drapeTransform_Point(drapeMotion_GetTransform(motion, drapeWorld_GetTime(sheet.world)), anchor);
		assert_true(Distance(Position(&sheet, 12), wanted) < 1e-5f);
	}
	// Told to go elsewhere, it no longer follows.
	drapeVec3 elsewhere = {0.1f, 0.3f, 0.2f};
	drapePin_SetTarget(pin, elsewhere);
	Step(&sheet, 3);
	assert_true(Distance(Position(&sheet, 12), elsewhere) == 0.0f);
	// The null motion lets it stay.
	drapePin_SetMotion(pin, motion);
	Step(&sheet, 5);
	place = Position(&sheet, 12);
	drapePin_SetMotion(pin, (drapeMotionId){0});
	Step(&sheet, 5);
	assert_true(Distance(Position(&sheet, 12), place) == 0.0f);
	Sheet_Destroy(&sheet);
}

static void AMotionOfAnotherWorldIsRefused(void** state)
{
	(void)state;
	drapeAdaptDef adapt = Sheet_Plain(0);
	Sheet a = Hanging(&adapt, false), b = Hanging(&adapt, false);
	drapeMotionKey key[2] = {{0.0f, drapeIdentityTransform()}, {1.0f, drapeIdentityTransform()}};
	key[1].transform.position.y = 5.0f;
	drapeMotionDef motionDef = {.keys = key, .keyCount = 2};
	drapeMotionId own = Make_Motion(a.world, &motionDef), strange = Make_Motion(b.world, &motionDef);
	assert_int_equal(own.index1, strange.index1);
	drapePinId pin = Make_Pin(a.cloth, 0);
	drapeVec3 place = Position(&a, 0);
	ASSERT_REFUSED(drapePin_SetMotion(pin, strange));
	Step(&a, 5);
	assert_true(Distance(Position(&a, 0), place) == 0.0f);
	drapeColliderDef collider = drapeDefaultColliderDef();
	collider.motion = strange;
	ASSERT_REFUSED(assert_false(drapeCollider_IsValid(Make_Collider(a.world, &collider))));
	Sheet_Destroy(&a);
	Sheet_Destroy(&b);
}

static void PinsSurviveAdaptationAroundThemAndTheirMiddleIsNotRemoved(void** state)
{
	(void)state;
	drapeAdaptDef adapt = Sheet_Plain(4);
	Sheet sheet = Hanging(&adapt, false);
	drapeCloth_Refine(sheet.cloth);
	drapeCloth_Refine(sheet.cloth);
	Random random = Random_Seed(9, 1);
	drapePinId pins[12];
	drapeVec3 places[12];
	for (int i = 0; i < 12; ++i)
	{
		uint32_t particle = Random_Below(&random, drapeCloth_GetView(sheet.cloth).particleCount);
		places[i] = Position(&sheet, particle);
		pins[i] = Make_Pin(sheet.cloth, particle);
	}
	for (int round = 0; round < 200; ++round)
	{
		drapeClothView view = drapeCloth_GetView(sheet.cloth);
		uint32_t choice = Random_Below(&random, 12);
		if (choice == 0)
			drapeCloth_Coarsen(sheet.cloth);
		else if (choice == 1 && view.triangleCount < 2000)
			drapeCloth_Refine(sheet.cloth);
		else if (choice < 7)
			drapeCloth_SplitEdge(sheet.cloth, Random_Below(&random, view.edgeCount));
		else
			drapeCloth_JoinParticle(sheet.cloth, Random_Below(&random, view.particleCount));
		for (int i = 0; i < 12; ++i)
		{
			uint32_t particle = drapePin_GetParticle(pins[i]);
			assert_true(particle < drapeCloth_GetView(sheet.cloth).particleCount);
			assert_true(Distance(Position(&sheet, particle), places[i]) == 0.0f);
			assert_true(drapeCloth_GetView(sheet.cloth).positions[particle].w == 0.0f);
		}
	}
	Sheet_Check(sheet.world);
	// Coarsening everything stops at them; freed, they go.
	for (int i = 0; i < 6; ++i)
		drapeCloth_Coarsen(sheet.cloth);
	assert_true(drapeCloth_GetView(sheet.cloth).particleCount > 25);
	for (int i = 0; i < 12; ++i)
	{
		if (drapePin_IsValid(pins[i]))
			drapeDestroyPin(pins[i]);
		ASSERT_REFUSED(assert_int_equal(drapePin_GetParticle(pins[i]), DRAPE_NONE));
	}
	for (int i = 0; i < 6; ++i)
		drapeCloth_Coarsen(sheet.cloth);
	assert_int_equal(drapeCloth_GetView(sheet.cloth).particleCount, 25);
	Sheet_Destroy(&sheet);
}

static void MiddlesBetweenPinsArePinnedOnlyWhenAskedFor(void** state)
{
	(void)state;
	for (int pinMiddles = 0; pinMiddles < 2; ++pinMiddles)
	{
		drapeAdaptDef adapt = Sheet_Plain(3);
		Sheet sheet = Hanging(&adapt, pinMiddles != 0);
		drapePinId pin = Make_Pin(sheet.cloth, 0);
		Make_Pin(sheet.cloth, 1);
		drapeCloth_Refine(sheet.cloth);
		drapeCloth_Refine(sheet.cloth);
		uint32_t middle = MiddleOf(&sheet, 0, 1), quarter = MiddleOf(&sheet, 0, middle);
		assert_true(middle != DRAPE_NONE && quarter != DRAPE_NONE);
		assert_int_equal(drapeCloth_GetView(sheet.cloth).positions[middle].w == 0.0f, pinMiddles);
		assert_int_equal(drapeCloth_GetView(sheet.cloth).positions[quarter].w == 0.0f, pinMiddles);
		// They follow when the pins move.
		drapeVec3 target = Position(&sheet, 0);
		for (int step = 0; step < 20; ++step)
		{
			target.z += 0.002f;
			drapePin_SetTarget(pin, target);
			Step(&sheet, 1);
			drapeVec3 half = V3Scale(0.5f, V3Add(Position(&sheet, 0), Position(&sheet, 1)));
			drapeVec3 fourth = V3Scale(0.5f, V3Add(Position(&sheet, 0), half));
			bool follows =
				Distance(Position(&sheet, middle), half) < 1e-6f && Distance(Position(&sheet, quarter), fourth) < 1e-6f;
			assert_int_equal(follows, pinMiddles);
		}
		Sheet_Check(sheet.world);
		// They are removed like any other, and freed with their parents.
		if (pinMiddles)
		{
			drapeDestroyPin(pin);
			assert_true(drapeCloth_GetView(sheet.cloth).positions[middle].w > 0.0f);
			assert_true(drapeCloth_GetView(sheet.cloth).positions[quarter].w > 0.0f);
			assert_true(drapeCloth_GetView(sheet.cloth).positions[1].w == 0.0f);
			Step(&sheet, 20);
		}
		drapeCloth_Coarsen(sheet.cloth);
		drapeCloth_Coarsen(sheet.cloth);
		assert_int_equal(drapeCloth_GetView(sheet.cloth).particleCount, 25);
		Sheet_Destroy(&sheet);
	}
}

static void AFollowerThatIsPinnedItselfOutlivesItsParentsPins(void** state)
{
	(void)state;
	drapeAdaptDef adapt = Sheet_Plain(3);
	Sheet sheet = Hanging(&adapt, true);
	drapePinId a = Make_Pin(sheet.cloth, 0), b = Make_Pin(sheet.cloth, 1);
	drapeCloth_Refine(sheet.cloth);
	uint32_t middle = MiddleOf(&sheet, 0, 1);
	drapeVec3 place = Position(&sheet, middle);
	drapePinId own = Make_Pin(sheet.cloth, middle);
	drapePin_SetTarget(a, (drapeVec3){-0.5f, 0.02f, 0.5f});
	Step(&sheet, 1);
	assert_true(Distance(Position(&sheet, middle), place) == 0.0f);
	drapeDestroyPin(a);
	drapeDestroyPin(b);
	drapeCloth_Coarsen(sheet.cloth);
	uint32_t particle = drapePin_GetParticle(own);
	assert_true(particle != DRAPE_NONE);
	Step(&sheet, 10);
	assert_true(Distance(Position(&sheet, drapePin_GetParticle(own)), place) == 0.0f);
	Sheet_Destroy(&sheet);
}

static void ADragHandlePullsTheClothAlong(void** state)
{
	(void)state;
	drapeAdaptDef adapt = Lively(2);
	Sheet sheet = Hanging(&adapt, false);
	drapeWorld_SetGravity(sheet.world, (drapeVec3){0});
	drapePinId handle = Make_Pin(sheet.cloth, 12);
	drapeVec3 target = Position(&sheet, 12);
	for (int step = 0; step < 120; ++step)
	{
		target.x += 0.02f;
		drapePin_SetTarget(handle, target);
		Step(&sheet, 1);
	}
	drapeClothView view = drapeCloth_GetView(sheet.cloth);
	for (uint32_t i = 0; i < view.particleCount; ++i)
	{
		drapeVec3 p = {view.positions[i].x, view.positions[i].y, view.positions[i].z};
		assert_true(Distance(p, target) < 1.0f && p.x > 1.5f);
	}
	drapeDestroyPin(handle);
	Step(&sheet, 30);
	assert_true(Position(&sheet, 12).x > target.x + 0.2f); // flies on
	Sheet_Destroy(&sheet);
}

static void APinIsYankedFarInOneStep(void** state)
{
	(void)state;
	const float distances[] = {0.1f, 1.0f, 10.0f, 100.0f};
	for (size_t i = 0; i < sizeof distances / sizeof distances[0]; ++i)
	{
		drapeAdaptDef adapt = Lively(2);
		Sheet sheet = Hanging(&adapt, false);
		drapePinId pin = Make_Pin(sheet.cloth, 0);
		Step(&sheet, 5);
		drapeVec3 target = Position(&sheet, 0);
		target.x -= distances[i];
		drapePin_SetTarget(pin, target);
		Step(&sheet, 1);
		assert_true(Distance(Position(&sheet, 0), target) == 0.0f);
		Step(&sheet, 30);
		Sheet_Destroy(&sheet);
	}
}

// A program may put pinned particles elsewhere by hand: the pin takes them back.
static void APinTakesItsParticleBack(void** state)
{
	(void)state;
	drapeAdaptDef adapt = Lively(2);
	Sheet sheet = Hanging(&adapt, false);
	Make_Pin(sheet.cloth, 0);
	drapeVec3 place = Position(&sheet, 0);
	assert_true(Sheet_SetShape(sheet.cloth, Sheet_Flat, 1.5f));
	Step(&sheet, 1);
	assert_true(Distance(Position(&sheet, 0), place) == 0.0f);
	Sheet_Destroy(&sheet);
}

static void SlotsOfPinsAreUsedAgain(void** state)
{
	(void)state;
	drapeAdaptDef adapt = Sheet_Plain(0);
	Sheet sheet = Hanging(&adapt, false);
	for (uint32_t round = 0; round < 100; ++round)
	{
		drapePinId a = Make_Pin(sheet.cloth, round % 25), b = Make_Pin(sheet.cloth, (round + 7) % 25);
		assert_true(a.index1 <= 2 && b.index1 <= 2 && a.index1 != b.index1);
		drapeDestroyPin(a);
		drapeDestroyPin(b);
		drapeClothView view = drapeCloth_GetView(sheet.cloth);
		for (uint32_t i = 0; i < view.particleCount; ++i)
			assert_true(view.positions[i].w > 0.0f);
	}
	drapePinId old = Make_Pin(sheet.cloth, 0);
	assert_int_equal(drapeDestroyPin(old), drape_ok);
	ASSERT_REFUSED(drapeDestroyPin(old));
	assert_int_equal(drapeDestroyPin((drapePinId){0}), drape_ok);
	ASSERT_REFUSED(drapeDestroyPin(((drapePinId){.index1 = 99})));
	ASSERT_REFUSED(drapePin_SetTarget(old, (drapeVec3){0}));
	ASSERT_REFUSED(assert_int_equal(Make_Pin(sheet.cloth, 25).index1, 0));
	drapePinId pin = Make_Pin(sheet.cloth, 3);
	ASSERT_REFUSED(drapePin_SetTarget(pin, (drapeVec3){NAN, 0.0f, 0.0f}));
	Step(&sheet, 2);
	Sheet_Destroy(&sheet);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(AFixedPinStaysToTheLastBitWhileTheClothAdapts),
		cmocka_unit_test(APinSetLaterHoldsAgainstTheStretchLimit),
		cmocka_unit_test(TheStableStepIsFoundAnewWhenALightParticleIsFreed),
		cmocka_unit_test(AMovedPinArrivesAtTheEndOfTheStepAndStays),
		cmocka_unit_test(APinFollowsItsMotion),
		cmocka_unit_test(AMotionOfAnotherWorldIsRefused),
		cmocka_unit_test(PinsSurviveAdaptationAroundThemAndTheirMiddleIsNotRemoved),
		cmocka_unit_test(MiddlesBetweenPinsArePinnedOnlyWhenAskedFor),
		cmocka_unit_test(AFollowerThatIsPinnedItselfOutlivesItsParentsPins),
		cmocka_unit_test(ADragHandlePullsTheClothAlong),
		cmocka_unit_test(APinIsYankedFarInOneStep),
		cmocka_unit_test(APinTakesItsParticleBack),
		cmocka_unit_test(SlotsOfPinsAreUsedAgain),
	};
	return cmocka_run_group_tests_name("pins", tests, NULL, NULL);
}
