// SPDX-License-Identifier: MIT
#include "sheet.h"

#include "adapt/criteria/sleep.h"
#include "world/world.h"

#include <math.h>
#include <string.h>

// Cloth that lies still keeps its mesh, and only as long as it does. It is bent by its normals alone, which is what the
// criteria see, so that nothing moves.

static drapeAdaptDef CurvatureDef(drapeScheme scheme)
{
	drapeAdaptDef def = Sheet_Plain(2);
	def.scheme = scheme;
	def.curvature.enabled = true;
	return def;
}

static void SetSpeed(drapeClothId cloth, float speed)
{
	ActiveMesh* active = &drapeCloth_Get(cloth)->active;
	for (uint32_t i = 0; i < active->particleCount; ++i)
		active->velocity[i].y = speed;
}

// Flat for so many passes at this speed.
static Sheet Waiting(drapeScheme scheme, uint32_t passes, float speed)
{
	drapeAdaptDef def = CurvatureDef(scheme);
	Sheet sheet = Sheet_Create(4, 4, &def);
	SetSpeed(sheet.cloth, speed);
	for (uint32_t i = 0; i < passes; ++i)
		Sheet_Adapt(sheet.cloth);
	return sheet;
}

static uint32_t Changes(drapeClothId cloth)
{
	drapeAdaptResult result = Sheet_Adapt(cloth);
	return result.splits + result.joins;
}

static uint32_t ChangesWhenBent(drapeClothId cloth)
{
	Sheet_TiltNormals(cloth, 2.0f);
	return Changes(cloth);
}

static const drapeScheme schemes[2] = {drape_schemeEdge, drape_schemeSqrt3};

static void SleepingEdgesAreNotSplit(void** state)
{
	(void)state;
	const struct
	{
		uint32_t passes;
		float speed;
		bool splits;
	} cases[] = {
		{0, 0.0f, true},
		{sleepAfterPasses - 2, 0.0f, true},
		{sleepAfterPasses, 0.0f, false},
		{2 * sleepAfterPasses, 0.009f, false},
		{2 * sleepAfterPasses, 0.011f, true},
	};
	for (uint32_t i = 0; i < 2 * sizeof cases / sizeof cases[0]; ++i)
	{
		Sheet sheet = Waiting(schemes[i % 2], cases[i / 2].passes, cases[i / 2].speed);
		assert_int_equal(ChangesWhenBent(sheet.cloth) > 0, cases[i / 2].splits);
		Sheet_Destroy(&sheet);
	}
}

static void SleepingEdgesAreNotJoined(void** state)
{
	(void)state;
	for (int i = 0; i < 4; ++i)
	{
		bool liesStill = i % 2 == 0;
		drapeAdaptDef def = CurvatureDef(schemes[i / 2]);
		Sheet sheet = Sheet_Create(4, 4, &def);
		for (uint32_t pass = 0; pass < 2 * sleepAfterPasses; ++pass)
		{
			SetSpeed(sheet.cloth, liesStill ? 0.0f : 0.1f);
			Sheet_TiltNormals(sheet.cloth, 2.0f);
			Sheet_Adapt(sheet.cloth);
		}
		assert_true(Sheet_DeepestLevel(sheet.cloth) > 0);
		Sheet_TiltNormals(sheet.cloth, 0.0f);
		assert_int_equal(Changes(sheet.cloth) > 0, !liesStill);
		Sheet_Destroy(&sheet);
	}
}

static void MovingClothWakesUp(void** state)
{
	(void)state;
	for (int i = 0; i < 2; ++i)
	{
		Sheet sheet = Waiting(schemes[i], sleepAfterPasses, 0.0f);
		assert_int_equal(ChangesWhenBent(sheet.cloth), 0);
		SetSpeed(sheet.cloth, 0.02f);
		assert_true(ChangesWhenBent(sheet.cloth) > 0);
		Sheet_Destroy(&sheet);
	}
}

static void MovedClothWakesUp(void** state)
{
	(void)state;
	Sheet sheet = Waiting(drape_schemeEdge, sleepAfterPasses, 0.0f);
	assert_int_equal(ChangesWhenBent(sheet.cloth), 0);
	assert_true(Sheet_SetShape(sheet.cloth, Sheet_Cylinder, 2.0f));
	assert_true(Changes(sheet.cloth) > 0);
	Sheet_Destroy(&sheet);
}

static void OtherLimitsAreFollowedAtRest(void** state)
{
	(void)state;
	Sheet sheet = Waiting(drape_schemeEdge, sleepAfterPasses, 0.0f);
	drapeAdaptDef def = drapeCloth_GetAdapt(sheet.cloth);
	assert_int_equal(ChangesWhenBent(sheet.cloth), 0);
	assert_int_equal(drapeCloth_SetAdapt(sheet.cloth, &def), drape_ok); // the same ones
	assert_int_equal(ChangesWhenBent(sheet.cloth), 0);
	def.curvature.splitAngle *= 0.99f;
	assert_int_equal(drapeCloth_SetAdapt(sheet.cloth, &def), drape_ok);
	assert_true(ChangesWhenBent(sheet.cloth) > 0);
	Sheet_Destroy(&sheet);
}

static void ACameraThatMovesIsFollowedAtRest(void** state)
{
	(void)state;
	drapeAdaptDef def = CurvatureDef(drape_schemeEdge);
	def.visibility.enabled = true;
	def.visibility.camera = (drapeVec3){0, -5, 0};
	Sheet sheet = Sheet_Create(4, 4, &def);
	for (uint32_t i = 0; i < 2 * sleepAfterPasses; ++i)
		assert_int_equal(ChangesWhenBent(sheet.cloth), 0); // seen from behind
	def.visibility.camera = (drapeVec3){0, 5, 0};
	assert_int_equal(drapeCloth_SetAdapt(sheet.cloth, &def), drape_ok);
	assert_true(ChangesWhenBent(sheet.cloth) > 0);
	Sheet_Destroy(&sheet);
}

static void TooDeepTrianglesJoinAtRest(void** state)
{
	(void)state;
	drapeAdaptDef def = CurvatureDef(drape_schemeEdge);
	def.joinWait = 20;
	Sheet sheet = Sheet_Create(4, 4, &def);
	for (uint32_t i = 0; i < 2 * sleepAfterPasses; ++i)
	{
		Sheet_TiltNormals(sheet.cloth, 3.0f);
		Sheet_Adapt(sheet.cloth);
	}
	assert_true(Sheet_DeepestLevel(sheet.cloth) > 0);
	def.maxLevel = 0;
	assert_int_equal(drapeCloth_SetAdapt(sheet.cloth, &def), drape_ok);
	for (uint32_t i = 0; i < 4 * sleepAfterPasses; ++i)
		Sheet_Adapt(sheet.cloth);
	assert_int_equal(Sheet_DeepestLevel(sheet.cloth), 0);
	Sheet_Destroy(&sheet);
}

static drapeWish WishOf(const drapeEdgeInfo* edge, void* context)
{
	(void)edge;
	return *(const drapeWish*)context;
}

static bool IsEverywhere(drapeVec3 point, void* context)
{
	(void)point;
	return *(const bool*)context;
}

static void CallbacksAreAskedAtRest(void** state)
{
	(void)state;
	for (int i = 0; i < 2; ++i)
	{
		drapeWish wish = drape_wishNone;
		bool isInside = false;
		drapeAdaptDef def = CurvatureDef(drape_schemeEdge);
		if (i == 0)
			def.user = (drapeUserCriterion){WishOf, &wish};
		else
		{
			def.collision.inside = IsEverywhere;
			def.collision.context = &isInside;
		}
		Sheet sheet = Sheet_Create(4, 4, &def);
		for (uint32_t pass = 0; pass < 2 * sleepAfterPasses; ++pass)
			assert_int_equal(Changes(sheet.cloth), 0);
		wish = drape_wishSplit;
		isInside = true;
		assert_true(Changes(sheet.cloth) > 0);
		Sheet_Destroy(&sheet);
	}
}

static void MissingMemoryChangesNothing(void** state)
{
	(void)state;
	Sheet sheet = Waiting(drape_schemeEdge, sleepAfterPasses - 1, 0.0f);
	ActiveMesh* active = &drapeCloth_Get(sheet.cloth)->active;
	Sleep sleep = {.limits = drapeCloth_Get(sheet.cloth)->criteria.sleep.limits};
	Test_FailAllocation(1, false);
	assert_false(drapeSleep_Follow(&sleep, sleep.limits, active, drapeWorlds_Get(sheet.world)->tasks));
	Test_FailAllocation(0, false);
	for (uint32_t i = 0; i < active->particleCount; ++i)
		assert_int_equal(active->sleepPasses[i], sleepAfterPasses - 1);
	assert_true(drapeSleep_Follow(&sleep, sleep.limits, active, drapeWorlds_Get(sheet.world)->tasks));
	for (uint32_t i = 0; i < active->particleCount; ++i)
		assert_true(BitSet_Get(&sleep.bits, i));
	drapeSleep_Destroy(&sleep);
	Sheet_Destroy(&sheet);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(SleepingEdgesAreNotSplit),     cmocka_unit_test(SleepingEdgesAreNotJoined),
		cmocka_unit_test(MovingClothWakesUp),           cmocka_unit_test(MovedClothWakesUp),
		cmocka_unit_test(OtherLimitsAreFollowedAtRest), cmocka_unit_test(ACameraThatMovesIsFollowedAtRest),
		cmocka_unit_test(TooDeepTrianglesJoinAtRest),   cmocka_unit_test(CallbacksAreAskedAtRest),
		cmocka_unit_test(MissingMemoryChangesNothing),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
