// SPDX-License-Identifier: MIT
#include "sheet.h"
#include "shared/make.h"

#include "drape/drape.h"

#include <math.h>
#include <string.h>

// Many pins in one call do the same as single calls, and refuse as a whole.

enum
{
	quads = 6,
	rowPins = quads + 1,
};

static const float dt = 1.0f / 60.0f;

// A sheet, refined once, by model and scheme.
static Sheet Make(drapeModel model, drapeScheme scheme)
{
	drapeAdaptDef adapt = Sheet_Plain(2);
	adapt.scheme = scheme;
	drapeWorldDef worldDef = drapeDefaultWorldDef();
	Sheet sheet = {.world = Make_World(&worldDef)};
	drapeMesh mesh;
	assert_int_equal(drapeMesh_CreateGrid(quads, quads, 1.0f, 1.0f, &mesh, NULL), drape_ok);
	drapeClothDef def = model == drape_modelFem ? drapeDefaultClothDef() : Make_SpringClothDef();
	def.mesh = &mesh;
	def.adapt = adapt;
	def.pinMiddles = true;
	sheet.cloth = Make_Cloth(sheet.world, &def);
	assert_true(drapeCloth_IsValid(sheet.cloth));
	drapeMesh_Free(&mesh);
	if (scheme != drape_schemeFixed)
		assert_int_equal(drapeCloth_Refine(sheet.cloth), drape_ok);
	return sheet;
}

static drapeVec3 Lifted(drapeClothId cloth, drapePinId pin, float height)
{
	drapeVec4 p = drapeCloth_GetView(cloth).positions[drapePin_GetParticle(pin)];
	return (drapeVec3){p.x, p.y + height, p.z};
}

static void ListRow(uint32_t particles[rowPins])
{
	for (uint32_t i = 0; i < rowPins; ++i)
		particles[i] = i;
}

static uint64_t RunPinned(drapeModel model, drapeScheme scheme, bool isBulk)
{
	Sheet sheet = Make(model, scheme);
	uint32_t particles[rowPins];
	drapePinId pins[rowPins];
	drapeVec3 targets[rowPins];
	ListRow(particles);
	for (uint32_t i = 0; i < rowPins && !isBulk; ++i)
		assert_int_equal(drapeCreatePin(sheet.cloth, particles[i], &pins[i]), drape_ok);
	if (isBulk)
		assert_int_equal(drapeCreatePins(sheet.cloth, particles, rowPins, pins), drape_ok);
	for (int step = 0; step < 20; ++step)
	{
		for (uint32_t i = 0; i < rowPins; ++i)
		{
			assert_int_equal(drapePin_GetParticle(pins[i]), particles[i]);
			targets[i] = Lifted(sheet.cloth, pins[i], 0.002f * (float)i);
			if (!isBulk)
				assert_int_equal(drapePin_SetTarget(pins[i], targets[i]), drape_ok);
		}
		if (isBulk)
			assert_int_equal(drapeCloth_SetPinTargets(sheet.cloth, pins, targets, rowPins), drape_ok);
		assert_int_equal(drapeWorld_Step(sheet.world, dt), drape_ok);
	}
	for (uint32_t i = 0; i < 3 && !isBulk; ++i)
		assert_int_equal(drapeDestroyPin(pins[i]), drape_ok);
	if (isBulk)
		assert_int_equal(drapeDestroyPins(sheet.cloth, pins, 3), drape_ok);
	for (int step = 0; step < 10; ++step)
		assert_int_equal(drapeWorld_Step(sheet.world, dt), drape_ok);
	Sheet_Check(sheet.world);
	uint64_t hash = drapeWorld_GetHash(sheet.world);
	Sheet_Destroy(&sheet);
	return hash;
}

static void ManyPinsDoTheSameAsSingleOnes(void** state)
{
	(void)state;
	const drapeScheme schemes[] = {drape_schemeFixed, drape_schemeEdge, drape_schemeSqrt3};
	for (int i = 0; i < 6; ++i)
	{
		drapeModel model = i < 3 ? drape_modelFem : drape_modelSprings;
		assert_true(RunPinned(model, schemes[i % 3], true) == RunPinned(model, schemes[i % 3], false));
	}
}

static void AParticleThatIsNamedTwiceHasOnePin(void** state)
{
	(void)state;
	Sheet sheet = Make(drape_modelFem, drape_schemeEdge);
	drapePinId first = Make_Pin(sheet.cloth, 2), pins[4];
	const uint32_t particles[] = {4, 2, 4, 1};
	assert_int_equal(drapeCreatePins(sheet.cloth, particles, 4, pins), drape_ok);
	assert_memory_equal(&pins[1], &first, sizeof first);
	assert_memory_equal(&pins[0], &pins[2], sizeof first);
	assert_int_equal(drapeCloth_GetPins(sheet.cloth, NULL, 0), 3);
	// Handles may be null or given twice.
	const drapePinId removed[] = {pins[0], {0}, pins[2]};
	assert_int_equal(drapeDestroyPins(sheet.cloth, removed, 3), drape_ok);
	assert_int_equal(drapeCloth_GetPins(sheet.cloth, NULL, 0), 2);
	assert_false(drapePin_IsValid(pins[0]));
	assert_int_equal(drapeCreatePins(sheet.cloth, particles, 4, NULL), drape_ok);
	assert_int_equal(drapeCreatePins(sheet.cloth, NULL, 0, NULL), drape_ok);
	assert_int_equal(drapeCloth_GetPins(sheet.cloth, NULL, 0), 3);
	Sheet_Check(sheet.world);
	Sheet_Destroy(&sheet);
}

static void AWrongEntryIsNamedAndNothingChanges(void** state)
{
	(void)state;
	Sheet sheet = Make(drape_modelFem, drape_schemeFixed), other = Make(drape_modelFem, drape_schemeFixed);
	drapePinId pins[rowPins];
	uint32_t particles[rowPins];
	drapeVec3 targets[rowPins] = {0};
	ListRow(particles);
	particles[3] = 1000;
	ASSERT_REFUSED(assert_int_equal(drapeCreatePins(sheet.cloth, particles, rowPins, pins), drape_errorArgument));
	assert_string_equal(drapeWorld_GetMessage(sheet.world), "particles[3] is 1000, but the cloth has only 49");
	assert_true(DRAPE_IS_NULL(pins[0]) && DRAPE_IS_NULL(pins[rowPins - 1]));
	assert_int_equal(drapeCloth_GetPins(sheet.cloth, NULL, 0), 0);
	particles[3] = 3;
	assert_int_equal(drapeCreatePins(sheet.cloth, particles, rowPins, pins), drape_ok);
	uint64_t hash = drapeWorld_GetHash(sheet.world);

	drapePinId foreign = Make_Pin(other.cloth, 0), own = pins[5];
	pins[5] = foreign;
	ASSERT_REFUSED(
		assert_int_equal(drapeCloth_SetPinTargets(sheet.cloth, pins, targets, rowPins), drape_errorArgument));
	assert_string_equal(drapeWorld_GetMessage(sheet.world), "pins[5] is not a pin of this cloth");
	ASSERT_REFUSED(assert_int_equal(drapeDestroyPins(sheet.cloth, pins, rowPins), drape_errorArgument));
	assert_string_equal(drapeWorld_GetMessage(sheet.world), "pins[5] is not a pin of this cloth");
	pins[5] = own;
	targets[6].y = NAN;
	ASSERT_REFUSED(
		assert_int_equal(drapeCloth_SetPinTargets(sheet.cloth, pins, targets, rowPins), drape_errorArgument));
	assert_string_equal(drapeWorld_GetMessage(sheet.world),
	                    "positions[6] is (0, nan, 0), expected three finite numbers of m");
	ASSERT_REFUSED(assert_int_equal(drapeCloth_SetPinTargets(sheet.cloth, pins, NULL, rowPins), drape_errorArgument));
	assert_string_equal(drapeWorld_GetMessage(sheet.world), "positions is NULL");
	ASSERT_REFUSED(assert_int_equal(drapeCloth_SetPinTargets(sheet.cloth, NULL, targets, 1), drape_errorArgument));
	ASSERT_REFUSED(assert_int_equal(drapeCreatePins(sheet.cloth, NULL, 1, pins), drape_errorArgument));
	assert_int_equal(drapeCloth_GetPins(sheet.cloth, NULL, 0), rowPins);
	drapePinState unchanged = drapePin_GetState(pins[3]);
	assert_true(unchanged.target.x != 0.0f || unchanged.target.z != 0.0f);
	assert_true(drapeWorld_GetHash(sheet.world) == hash);
	Sheet_Destroy(&sheet);
	Sheet_Destroy(&other);
}

static void EachAllocationThatFailsLeavesNoPin(void** state)
{
	(void)state;
	Test_BeginLimitedMemory();
	Sheet sheet = Make(drape_modelFem, drape_schemeEdge);
	uint32_t particles[rowPins];
	drapePinId pins[rowPins];
	ListRow(particles);
	drapeResult result = drape_errorMemory;
	for (size_t allowed = 0; result != drape_ok; ++allowed)
	{
		assert_true(allowed < 100);
		Test_AllowAllocations(allowed);
		result = drapeCreatePins(sheet.cloth, particles, rowPins, pins);
		assert_true(result == drape_ok || result == drape_errorMemory);
		assert_int_equal(drapeCloth_GetPins(sheet.cloth, NULL, 0), result == drape_ok ? rowPins : 0);
	}
	Test_AllowAllocations(SIZE_MAX);
	Sheet_Check(sheet.world);
	Sheet_Destroy(&sheet);
	Test_EndLimitedMemory();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(ManyPinsDoTheSameAsSingleOnes),
		cmocka_unit_test(AParticleThatIsNamedTwiceHasOnePin),
		cmocka_unit_test(AWrongEntryIsNamedAndNothingChanges),
		cmocka_unit_test(EachAllocationThatFailsLeavesNoPin),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
