// SPDX-License-Identifier: MIT
#include "contact_scene.h"
#include "shared/make.h"
#include "shared/sheets.h"

#include "world/world.h"

#include <math.h>

// Cloth between colliders that leave it no space.

static const float dt = 1.0f / 60.0f;

// Two boxes close on a sheet until they overlap, wait, and open again. `overlap` is in metres.
typedef struct Press
{
	ContactScene scene;
	drapeColliderId boxes[2];
	uint32_t pinched; // most of all steps
	float stretch;    // likewise
} Press;

static float BoxHeight(uint32_t step, float overlap)
{
	float share = step < 30 ? (float)step / 30.0f : step < 60 ? 1.0f : fmaxf(0.0f, (90.0f - (float)step) / 30.0f);
	return 0.15f - share * (0.05f + 0.5f * overlap);
}

static void Press_Create(Press* press, drapeScheme scheme, uint32_t workers)
{
	*press = (Press){.stretch = 0.0f};
	ContactScene_Create(&press->scene, &(ContactSceneDef){.workers = workers,
	                                                      .scheme = scheme,
	                                                      .model = drape_modelFem,
	                                                      .quads = scheme == drape_schemeFixed ? 12 : 4});
	ContactScene_AddSheet(&press->scene, Placed(0, 0.02f, 0));
	for (int i = 0; i < 2; ++i)
	{
		drapeColliderDef box = drapeDefaultColliderDef();
		box.shape = drape_shapeBox;
		box.halfExtents = (drapeVec3){0.8f, 0.1f, 0.8f};
		box.transform = Placed(0, i == 0 ? -BoxHeight(0, 0.0f) : BoxHeight(0, 0.0f), 0);
		press->boxes[i] = ContactScene_AddShape(&press->scene, &box);
	}
}

static void Press_Run(Press* press, uint32_t first, uint32_t last, float overlap)
{
	for (uint32_t step = first; step <= last; ++step)
	{
		for (int i = 0; i < 2; ++i)
			drapeCollider_SetTransform(press->boxes[i],
			                           Placed(0, (i == 0 ? -1.0f : 1.0f) * BoxHeight(step, overlap), 0));
		assert_int_equal(drapeWorld_Step(press->scene.world, dt), drape_ok);
		drapeCounters stats = drapeWorld_GetCounters(press->scene.world);
		drapeMeasures measures = drapeWorld_GetMeasures(press->scene.world);
		press->pinched = MaxU32(press->pinched, stats.pinched);
		press->stretch = fmaxf(press->stretch, measures.stretchMax);
		assert_int_equal(stats.damped, 0);
	}
}

// The particle is above the surface of its home, by a thickness at most. The surfaces of the boxes are at the height
// `home` and at its negative.
static void AssertOnHome(float y, float home)
{
	const float thickness = 2e-3f, tolerance = 2e-4f;
	float above = fminf(fabsf(y - home - 0.5f * thickness), fabsf(-y - home - 0.5f * thickness));
	assert_true(above < 0.5f * thickness + tolerance);
}

static void PinchedClothIsHeldCalmlyAndComesBack(void** state)
{
	(void)state;
	const float overlaps[] = {0.0f, 0.004f, 0.02f};
	for (uint32_t i = 0; i < 3; ++i)
	{
		Press press;
		Press_Create(&press, drape_schemeFixed, 1);
		Press_Run(&press, 1, 60, overlaps[i]);
		print_message("overlap %.0f mm: %u pinched, stretch %.3f\n", 1e3 * (double)overlaps[i], press.pinched,
		              (double)press.stretch);
		drapeClothView view = drapeCloth_GetView(press.scene.cloths[0]);
		assert_true(press.pinched == view.particleCount);
		assert_true(press.stretch < 1.1f);
		// The particles are at rest, on one of the boxes.
		for (uint32_t p = 0; p < view.particleCount; ++p)
		{
			AssertOnHome(view.positions[p].y, 0.5f * overlaps[i]);
			assert_true(fabsf(view.velocities[p].y) < 0.02f);
		}
		Press_Run(&press, 61, 120, overlaps[i]);
		drapeCounters stats = drapeWorld_GetCounters(press.scene.world);
		drapeMeasures measures = drapeWorld_GetMeasures(press.scene.world);
		assert_int_equal(stats.pinched, 0);
		assert_true(measures.stretchMax < 1.1f);
		uint32_t crossings;
		assert_int_equal(drapeWorld_FindCrossings(press.scene.world, NULL, 0, &crossings), drape_ok);
		assert_int_equal(crossings, 0);
		ContactScene_Destroy(&press.scene);
	}
}

static void ThreadsAndSnapshotsChangeNoBitOfAPinch(void** state)
{
	(void)state;
	const drapeScheme schemes[] = {drape_schemeFixed, drape_schemeEdge, drape_schemeSqrt3};
	for (int i = 0; i < 3; ++i)
	{
		Press one, two;
		Press_Create(&one, schemes[i], 1);
		Press_Create(&two, schemes[i], 3);
		Press_Run(&one, 1, 36, 0.004f);
		Press_Run(&two, 1, 36, 0.004f);
		assert_true(one.pinched > 0);
		assert_true(drapeWorld_GetHash(one.scene.world) == drapeWorld_GetHash(two.scene.world));
		// A world that never pinched goes on from the snapshot.
		Press other;
		Press_Create(&other, schemes[i], 1);
		size_t size = Make_Snapshot(one.scene.world, NULL, 0);
		void* data = malloc(size);
		assert_non_null(data);
		Make_Snapshot(one.scene.world, data, size);
		assert_int_equal(drapeWorld_Load(other.scene.world, data, size), drape_ok);
		free(data);
		for (int k = 0; k < 2; ++k)
		{
			drapeTransform at = drapeCollider_GetTransform(one.boxes[k]);
			drapeCollider_SetTransform(other.boxes[k], at);
			drapeCollider_SetTransform(one.boxes[k], at);
		}
		for (int step = 0; step < 10; ++step)
		{
			assert_int_equal(drapeWorld_Step(one.scene.world, dt), drape_ok);
			assert_int_equal(drapeWorld_Step(other.scene.world, dt), drape_ok);
		}
		assert_true(drapeWorld_GetHash(one.scene.world) == drapeWorld_GetHash(other.scene.world));
		ContactScene_Destroy(&one.scene);
		ContactScene_Destroy(&two.scene);
		ContactScene_Destroy(&other.scene);
	}
}

// --- over the rim of a box ------------------------------------------------------------------------------------------

// A sheet lies over a box and hangs down around it. Another box comes down to it, stays at zero gap, and goes up again.
typedef struct RimPress
{
	drapeWorldId world;
	drapeColliderId upper;
	float thickness; // m
} RimPress;

static const float rimHigh = 0.15f, rimHalf = 0.1f; // m: the gap at the start; half the height of a box

static void RimPress_Create(RimPress* press, drapeScheme scheme)
{
	const uint32_t quads = scheme == drape_schemeFixed ? 48 : 12;
	*press = (RimPress){.world = Sheet_World(1)};
	drapeClothDef def = SharedFabric_Cotton(scheme, 2);
	drapeTransform at = Placed(0.01f, 0.02f, 0.02f);
	press->thickness = def.material.thickness;
	assert_true(
		drapeCloth_IsValid(SharedSheet_Add(press->world, &def, quads, quads, 0.7f, 0.7f, SharedPlace_Transform, &at)));
	drapeColliderDef box = drapeDefaultColliderDef();
	box.shape = drape_shapeBox;
	box.halfExtents = (drapeVec3){0.2f, rimHalf, 0.2f};
	box.transform = Placed(0, -rimHalf, 0);
	Make_Collider(press->world, &box);
	box.transform = Placed(0, rimHigh + rimHalf, 0);
	press->upper = Make_Collider(press->world, &box);
}

// Closes and opens in half a second each, after the sheet has settled, and waits for as long between them.
static float RimGap(int step)
{
	const float settled = 0.75f, half = 0.5f;
	float time = (float)step * dt - settled;
	float close = fminf(fmaxf(time / half, 0.0f), 1.0f), open = fminf(fmaxf(time / half - 2.0f, 0.0f), 1.0f);
	return rimHigh * (1.0f - close * close * (3.0f - 2.0f * close) + open * open * (3.0f - 2.0f * open));
}

// A fixed mesh crosses nothing in any step that leaves two thicknesses of space. Triangles of adaptive cloth are larger
// beside the rim; they are free within three steps.
static void ClothOverTheRimOfABoxIsFreeAsSoonAsItHasSpace(void** state)
{
	(void)state;
	const drapeScheme schemes[] = {drape_schemeFixed, drape_schemeEdge, drape_schemeSqrt3};
	for (int i = 0; i < 3; ++i)
	{
		RimPress press;
		uint32_t pinched = 0, crossings, worst = 0, late = 0, steps = 0;
		float stretch = 0.0f;
		RimPress_Create(&press, schemes[i]);
		for (int step = 0; step < 150; ++step)
		{
			float gap = RimGap(step);
			drapeCollider_SetTransform(press.upper, Placed(0, gap + rimHalf, 0));
			assert_int_equal(drapeWorld_Step(press.world, dt), drape_ok);
			assert_int_equal(drapeWorld_FindCrossings(press.world, NULL, 0, &crossings), drape_ok);
			pinched = MaxU32(pinched, drapeWorld_GetCounters(press.world).pinched);
			stretch = fmaxf(stretch, drapeWorld_GetMeasures(press.world).stretch99);
			steps = gap >= 2.0f * press.thickness ? steps + 1 : 0;
			worst = steps > 0 ? MaxU32(worst, crossings) : worst;
			late = steps > 3 ? MaxU32(late, crossings) : late;
		}
		print_message("scheme %d: %u pinched, stretch %.3f, %u cross, %u after three steps\n", (int)schemes[i], pinched,
		              (double)stretch, worst, late);
		assert_true(pinched > 0);
		assert_true(stretch < 1.1f);
		assert_int_equal(late, 0);
		assert_true(worst == 0 || schemes[i] != drape_schemeFixed);
		drapeDestroyWorld(press.world);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(PinchedClothIsHeldCalmlyAndComesBack),
		cmocka_unit_test(ThreadsAndSnapshotsChangeNoBitOfAPinch),
		cmocka_unit_test(ClothOverTheRimOfABoxIsFreeAsSoonAsItHasSpace),
	};
	return cmocka_run_group_tests_name("pinch", tests, NULL, NULL);
}
