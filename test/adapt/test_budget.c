// SPDX-License-Identifier: MIT
#include "sheet.h"
#include "shared/make.h"

#include "world/world.h"

#include <math.h>
#include <stdio.h>

static drapeClothId AddSheet(drapeWorldId world, const drapeBudgetDef* budget)
{
	drapeMesh mesh;
	assert_int_equal(drapeMesh_CreateGrid(8, 8, 1.0f, 1.0f, &mesh, NULL), drape_ok);
	drapeClothDef def = Make_SpringClothDef();
	def.mesh = &mesh;
	def.adapt.maxLevel = 4;
	def.adapt.joinWait = 0;
	def.budget = *budget;
	drapeClothId cloth = Make_Cloth(world, &def);
	drapeMesh_Free(&mesh);
	assert_true(drapeCloth_IsValid(cloth));
	return cloth;
}

static Sheet Budgeted(const drapeBudgetDef* budget)
{
	drapeWorldDef worldDef = drapeDefaultWorldDef();
	Sheet sheet = {.world = Make_World(&worldDef)};
	sheet.cloth = AddSheet(sheet.world, budget);
	return sheet;
}

// Waves that travel across, of several lengths, so that curvature takes every value.
static drapeVec3 Waving(float s, float t, float time)
{
	float height = 0.05f * sinf(9.0f * s + 2.0f * t - time) + 0.02f * sinf(17.0f * t + 3.0f * s + 0.7f * time) +
	               0.03f * s * sinf(23.0f * s * t - 0.5f * time);
	return (drapeVec3){s - 0.5f, height, 0.5f - t};
}

static uint32_t Triangles(const Sheet* sheet)
{
	return drapeCloth_GetView(sheet->cloth).triangleCount;
}

// --- triangles ------------------------------------------------------------------------------------------------------

static void ATriangleBudgetIsHeldWhileTheTargetChanges(void** state)
{
	(void)state;
	const uint32_t targets[] = {1200, 3000, 600, 2000};
	drapeBudgetDef budget = {.triangles = targets[0]};
	Sheet sheet = Budgeted(&budget);
	float time = 0.0f;
	for (size_t k = 0; k < sizeof targets / sizeof targets[0]; ++k)
	{
		drapeCloth_Get(sheet.cloth)->budget.def.triangles = targets[k];
		double sum = 0.0, deviation = 0.0;
		for (int pass = 0; pass < 300; ++pass, time += 0.02f)
		{
			assert_true(Sheet_SetShape(sheet.cloth, Waving, time));
			Sheet_Adapt(sheet.cloth);
			if (pass < 100)
				continue; // on its way
			sum += (double)Triangles(&sheet);
			deviation += fabs((double)Triangles(&sheet) / (double)targets[k] - 1.0);
		}
		printf("budget %u: mean %.0f, mean deviation %.1f percent\n", targets[k], sum / 200.0, deviation / 2.0);
		assert_true(fabs(sum / 200.0 / (double)targets[k] - 1.0) < 0.06);
		assert_true(deviation / 200.0 < 0.15);
	}
	Sheet_Destroy(&sheet);
}

typedef struct Steadiness
{
	uint32_t least, most; // triangles
	uint32_t changes;     // splits and joins
} Steadiness;

// Over 200 passes, after as many in which it comes near its target.
static Steadiness Watch(uint32_t target, uint32_t joinWait, float speed)
{
	drapeBudgetDef budget = {.triangles = target};
	Sheet sheet = Budgeted(&budget);
	drapeAdaptDef adapt = drapeCloth_GetAdapt(sheet.cloth);
	adapt.joinWait = joinWait;
	assert_int_equal(drapeCloth_SetAdapt(sheet.cloth, &adapt), drape_ok);
	Steadiness seen = {.least = UINT32_MAX};
	for (int pass = 0; pass < 400; ++pass)
	{
		assert_true(Sheet_SetShape(sheet.cloth, Waving, speed * (float)pass));
		drapeAdaptResult result = Sheet_Adapt(sheet.cloth);
		if (pass < 200)
			continue;
		seen.least = MinU32(seen.least, Triangles(&sheet));
		seen.most = MaxU32(seen.most, Triangles(&sheet));
		seen.changes += result.splits + result.joins;
	}
	Sheet_Destroy(&sheet);
	printf("budget %u: %u to %u triangles, %u changes\n", target, seen.least, seen.most, seen.changes);
	return seen;
}

// Most of what is asked for has been asked for long and has to wait. What a new angle asks for is done at once, and an
// angle chosen as if it were not throws the count far off, again and again.
static void ABudgetComesToRestNearItsTarget(void** state)
{
	(void)state;
	const uint32_t targets[] = {3000, 4000, 2000, 1500};
	for (size_t k = 0; k < (isSlow ? 1 : sizeof targets / sizeof targets[0]); ++k)
	{
		Steadiness seen = Watch(targets[k], 10, 0.0f);
		assert_true(fabs((double)seen.least / (double)targets[k] - 1.0) < 0.02);
		assert_true(fabs((double)seen.most / (double)targets[k] - 1.0) < 0.02);
		assert_true(seen.changes < 30);
	}
}

static void ABudgetDoesNotSwingWhileTheClothMovesSlowly(void** state)
{
	(void)state;
	const uint32_t targets[] = {3000, 4000, 2500}, waits[] = {3, 10};
	for (size_t k = 0; k < (isSlow ? 1 : 6); ++k)
	{
		double target = (double)targets[k / 2];
		Steadiness seen = Watch(targets[k / 2], waits[k % 2], 0.005f);
		assert_true((double)seen.least > 0.9 * target && (double)seen.most < 1.1 * target);
	}
}

static void ABudgetOutOfReachIsComeAsNearAsPossible(void** state)
{
	(void)state;
	const uint32_t targets[] = {1, 10000000};
	for (int k = 0; k < 2; ++k)
	{
		drapeBudgetDef budget = {.triangles = targets[k]};
		Sheet sheet = Budgeted(&budget);
		drapeAdaptDef adapt = drapeCloth_GetAdapt(sheet.cloth);
		adapt.maxLevel = 2;
		assert_int_equal(drapeCloth_SetAdapt(sheet.cloth, &adapt), drape_ok);
		for (int pass = 0; pass < 150; ++pass)
		{
			assert_true(Sheet_SetShape(sheet.cloth, Waving, 0.0f));
			Sheet_Adapt(sheet.cloth);
			const Budget* b = &drapeCloth_Get(sheet.cloth)->budget;
			assert_true(b->joinAngle > 0.0f && b->joinAngle < 1.5f);
		}
		if (k == 0)
			assert_int_equal(Triangles(&sheet), 128);
		else
			assert_true(Triangles(&sheet) > 1800);
		Sheet_Destroy(&sheet);
	}
}

// --- distance -------------------------------------------------------------------------------------------------------

static uint32_t AtDistance(Sheet* sheet, float distance)
{
	drapeWorld_SetCamera(sheet->world, (drapeVec3){0.0f, 0.0f, distance});
	double sum = 0.0;
	for (int pass = 0; pass < 240; ++pass)
	{
		assert_true(Sheet_SetShape(sheet->cloth, Waving, 0.02f * (float)pass));
		Sheet_Adapt(sheet->cloth);
		sum += pass >= 140 ? (double)Triangles(sheet) : 0.0;
	}
	return (uint32_t)(sum / 100.0);
}

static void TheBudgetShrinksWithTheDistance(void** state)
{
	(void)state;
	drapeBudgetDef budget = {.triangles = 2400, .nearDistance = 5.0f, .farDistance = 15.0f, .farShare = 0.25f};
	Sheet sheet = Budgeted(&budget);
	const float distances[] = {2.0f, 10.0f, 15.0f, 1000.0f, 4.0f};
	const float wanted[] = {2400.0f, 1500.0f, 600.0f, 600.0f, 2400.0f};
	for (int i = 0; i < 5; ++i)
	{
		uint32_t mean = AtDistance(&sheet, distances[i]);
		printf("%u triangles at %.0f m\n", mean, (double)distances[i]);
		assert_true(fabsf((float)mean / wanted[i] - 1.0f) < 0.08f);
	}
	Sheet_Destroy(&sheet);
}

// Nothing of the budget: as coarse as the pattern.
static void AFarShareOfNothingCoarsensAll(void** state)
{
	(void)state;
	drapeBudgetDef budget = {.triangles = 2000, .nearDistance = 5.0f, .farDistance = 15.0f};
	Sheet sheet = Budgeted(&budget);
	assert_true(AtDistance(&sheet, 1.0f) > 1800);
	assert_int_equal(AtDistance(&sheet, 50.0f), 128);
	assert_true(AtDistance(&sheet, 1.0f) > 1800);
	Sheet_Destroy(&sheet);
}

// --- time -----------------------------------------------------------------------------------------------------------

static const ActiveMesh empty;

// Costs are given by hand: a test cannot know how fast the machine is.
static void ATimeBudgetBecomesATriangleBudget(void** state)
{
	(void)state;
	Budget budget = {.def = {.seconds = 0.002f}};
	drapeAdaptDef adapt = drapeDefaultAdaptDef();
	drapeBudget_Apply(&budget, &empty, 0.0f, &adapt);
	assert_true(isinf(budget.target)); // nothing is known yet
	drapeBudget_Learn(&budget, &(AdaptCounts){.splits = 500});
	for (int i = 0; i < 100; ++i)
		drapeBudget_AddCost(&budget, 1.0f, 0.0f, 500);
	drapeBudget_Apply(&budget, &empty, 0.0f, &adapt);
	assert_true(fabsf(budget.target - 1000.0f) < 1.0f);
	// The machine becomes slower by half; the smaller of two budgets counts.
	for (int i = 0; i < 100; ++i)
		drapeBudget_AddCost(&budget, 2.0f, 0.0f, 500);
	drapeBudget_Apply(&budget, &empty, 0.0f, &adapt);
	assert_true(fabsf(budget.target - 500.0f) < 1.0f);
	budget.def.triangles = 300;
	drapeBudget_Apply(&budget, &empty, 0.0f, &adapt);
	assert_true(budget.target == 300.0f);
	// One step that took a second does not throw it off.
	drapeBudget_AddCost(&budget, 0.0f, 0.0f, 0);
	assert_true(isfinite(budget.time.mean));
}

static void WithoutABudgetNothingIsTouched(void** state)
{
	(void)state;
	Budget budget = {0};
	drapeAdaptDef adapt = drapeDefaultAdaptDef(), before = adapt;
	adapt.curvature.enabled = before.curvature.enabled = false;
	drapeBudget_Apply(&budget, &empty, 3.0f, &adapt);
	drapeBudget_Learn(&budget, &(AdaptCounts){.splits = 1000});
	assert_false(adapt.curvature.enabled);
	assert_true(adapt.curvature.joinAngle == before.curvature.joinAngle);
	assert_true(budget.joinAngle == 0.0f && budget.splitYield == 0.0f);
	assert_false(drapeBudget_IsOn(&budget));
}

static void TheThresholdsStayInOrder(void** state)
{
	(void)state;
	Budget budget = {.def = {.triangles = 100}};
	for (int i = 0; i < 400; ++i)
	{
		drapeAdaptDef adapt = drapeDefaultAdaptDef();
		drapeBudget_Apply(&budget, &empty, 0.0f, &adapt);
		assert_true(adapt.curvature.enabled && adapt.curvature.joinAngle > 0.0f);
		assert_true(adapt.curvature.splitAngle > adapt.curvature.joinAngle && adapt.curvature.splitAngle < 1.6f);
		assert_true(drapeCriteria_IsValid(&adapt, NULL));
		// Nothing is let through, then more than was asked for.
		budget.splitsWanted = budget.joinsWanted = 100;
		drapeBudget_Learn(&budget, &(AdaptCounts){.splits = i < 200 ? 0 : 1000000, .joins = i % 3 ? 0 : 1000000});
	}
}

// --- rules ----------------------------------------------------------------------------------------------------------

static void NonsenseIsNoBudget(void** state)
{
	(void)state;
	const drapeBudgetDef good = {1000, 0.004f, 20.0f, 1.0f, 10.0f, 0.1f}, none = {0};
	drapeMessage message = {0};
	assert_int_equal(drapeBudget_Check(&good, "", &message), drape_ok);
	assert_int_equal(drapeBudget_Check(&none, "", &message), drape_ok);
	const float bad[] = {-1.0f, NAN, INFINITY};
	for (size_t i = 0; i < 3; ++i)
	{
		drapeBudgetDef wrong[5] = {good, good, good, good, good};
		wrong[0].seconds = bad[i];
		wrong[1].nearDistance = bad[i];
		wrong[2].farDistance = bad[i];
		wrong[3].farShare = bad[i];
		wrong[4].work = bad[i];
		for (int k = 0; k < 5; ++k)
		{
			static const char* const keys[5] = {"seconds", "nearDistance", "farDistance", "farShare", "work"};
			ASSERT_REFUSED(assert_int_equal(drapeBudget_Check(&wrong[k], "budget.", &message), drape_errorArgument));
			assert_non_null(strstr(message.text, keys[k]));
		}
	}
	drapeBudgetDef inverted = good;
	inverted.farDistance = 0.5f;
	ASSERT_REFUSED(assert_int_equal(drapeBudget_Check(&inverted, "", &message), drape_errorArgument));
	inverted.farDistance = inverted.nearDistance;
	ASSERT_REFUSED(assert_int_equal(drapeBudget_Check(&inverted, "", &message), drape_errorArgument));
	drapeBudgetDef generous = good;
	generous.farShare = 1.5f;
	ASSERT_REFUSED(assert_int_equal(drapeBudget_Check(&generous, "", &message), drape_errorArgument));

	drapeWorldDef worldDef = drapeDefaultWorldDef();
	drapeWorldId world = Make_World(&worldDef);
	drapeMesh mesh;
	assert_int_equal(drapeMesh_CreateGrid(2, 2, 1.0f, 1.0f, &mesh, NULL), drape_ok);
	drapeClothDef def = Make_SpringClothDef();
	def.mesh = &mesh;
	def.budget = inverted;
	ASSERT_REFUSED(assert_false(drapeCloth_IsValid(Make_Cloth(world, &def))));
	drapeMesh_Free(&mesh);
	drapeDestroyWorld(world);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(ATriangleBudgetIsHeldWhileTheTargetChanges),
		cmocka_unit_test(ABudgetComesToRestNearItsTarget),
		cmocka_unit_test(ABudgetDoesNotSwingWhileTheClothMovesSlowly),
		cmocka_unit_test(ABudgetOutOfReachIsComeAsNearAsPossible),
		cmocka_unit_test(TheBudgetShrinksWithTheDistance),
		cmocka_unit_test(AFarShareOfNothingCoarsensAll),
		cmocka_unit_test(ATimeBudgetBecomesATriangleBudget),
		cmocka_unit_test(WithoutABudgetNothingIsTouched),
		cmocka_unit_test(TheThresholdsStayInOrder),
		cmocka_unit_test(NonsenseIsNoBudget),
	};
	return cmocka_run_group_tests_name("budget", tests, NULL, NULL);
}
