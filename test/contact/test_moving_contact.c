// SPDX-License-Identifier: MIT
#include "contact_scene.h"

#include "meshes.h"
#include "world/world.h"

#include <math.h>

// Contact with surfaces that move, and cloth that begins on the wrong side of one.

static const float dt = 1.0f / 60.0f;

static ContactSceneDef FemSheet(uint32_t workers)
{
	return (ContactSceneDef){.workers = workers, .scheme = drape_schemeFixed, .model = drape_modelFem, .quads = 12};
}

static void Steps(ContactScene* scene, int count)
{
	for (int i = 0; i < count; ++i)
		assert_int_equal(drapeWorld_Step(scene->world, dt), drape_ok);
}

// Creates a sheet that rests on a large plate, with or without air around it. Returns the plate.
static drapeColliderId RestOnPlate(ContactScene* scene, bool hasAir)
{
	const ContactSceneDef def = FemSheet(1);
	ContactScene_Create(scene, &def);
	ContactScene_AddSheet(scene, Placed(0.0f, 0.003f, 0.0f));
	drapeColliderDef plate = drapeDefaultColliderDef();
	plate.shape = drape_shapeBox;
	plate.halfExtents = (drapeVec3){2.0f, 0.1f, 2.0f};
	plate.transform = Placed(0.0f, -0.1f, 0.0f);
	drapeColliderId collider = ContactScene_AddShape(scene, &plate);
	drapeWindDef wind = drapeDefaultWindDef();
	wind.airDensity = 0.0f;
	if (!hasAir)
		drapeWorld_SetWind(scene->world, &wind);
	Steps(scene, 60);
	return collider;
}

static drapeVec3 MeanOf(drapeClothId cloth, bool isVelocity)
{
	drapeClothView view = drapeCloth_GetView(cloth);
	drapeVec3 sum = {0.0f, 0.0f, 0.0f};
	for (uint32_t i = 0; i < view.particleCount; ++i)
		sum = V3Add(sum, V4Xyz(isVelocity ? view.velocities[i] : view.positions[i]));
	return V3Scale(1.0f / (float)view.particleCount, sum);
}

// A plate drops away from below a sheet at once, at several speeds. The sheet falls no faster than gravity lets it.
static void ASurfaceThatMovesAwayDoesNotPull(void** state)
{
	(void)state;
	const float speeds[] = {0.5f, 3.0f, 10.0f};
	for (uint32_t i = 0; i < 3; ++i)
	{
		ContactScene scene;
		drapeColliderId plate = RestOnPlate(&scene, true);
		drapeClothId cloth = scene.cloths[0];
		for (int step = 1; step <= 6; ++step)
		{
			float time = (float)step * dt;
			drapeCollider_SetTransform(plate, Placed(0.0f, -0.1f - speeds[i] * time, 0.0f));
			Steps(&scene, 1);
			float fall = -MeanOf(cloth, true).y, free = 9.81f * time;
			assert_true(fall < free);
		}
		print_message("plate at %.1f m/s: the sheet falls at %.3f m/s after 0.1 s\n", (double)speeds[i],
		              -(double)MeanOf(cloth, true).y);
		ContactScene_Destroy(&scene);
	}
}

// A plate lifts a sheet and stops at once. The sheet flies on.
static void ASurfaceThatStopsLetsClothFlyOn(void** state)
{
	(void)state;
	const float speeds[] = {1.0f, 3.0f};
	for (uint32_t i = 0; i < 2; ++i)
	{
		ContactScene scene;
		drapeColliderId plate = RestOnPlate(&scene, false);
		drapeClothId cloth = scene.cloths[0];
		float y = -0.1f;
		for (int step = 1; step <= 30; ++step)
		{
			y += speeds[i] * fminf((float)step / 20.0f, 1.0f) * dt;
			drapeCollider_SetTransform(plate, Placed(0.0f, y, 0.0f));
			Steps(&scene, 1);
		}
		float lifted = MeanOf(cloth, true).y;
		Steps(&scene, 2);
		float left = MeanOf(cloth, true).y, expected = lifted - 2.0f * 9.81f * dt;
		print_message("lifted at %.3f m/s, %.3f two steps later, %.3f expected\n", (double)lifted, (double)left,
		              (double)expected);
		assert_true(fabsf(lifted - speeds[i]) < 0.02f * speeds[i]);
		assert_true(fabsf(left - expected) < 0.1f * speeds[i]);
		ContactScene_Destroy(&scene);
	}
}

// A plate accelerates sideways by a multiple of what friction can hold. Below 1 the sheet follows, above it slides with
// the acceleration of friction.
static void AnAcceleratingSurfaceCarriesClothByCoulombsLaw(void** state)
{
	(void)state;
	const float shares[] = {0.5f, 0.9f, 1.5f};
	for (uint32_t i = 0; i < 3; ++i)
	{
		ContactScene scene;
		drapeColliderId plate = RestOnPlate(&scene, false);
		drapeClothId cloth = scene.cloths[0];
		float friction = drapeWorlds_Get(scene.world)->cloths.data[0]->simulation.model.material.friction *
		                 drapeWorlds_Get(scene.world)->liveColliders.data[0].def.friction;
		float start = MeanOf(cloth, false).x, time = 0.0f;
		for (int step = 1; step <= 30; ++step)
		{
			time = (float)step * dt;
			float x = 0.5f * shares[i] * friction * 9.81f * time * time;
			drapeCollider_SetTransform(plate, Placed(x, -0.1f, 0.0f));
			Steps(&scene, 1);
		}
		float moved = MeanOf(cloth, false).x - start;
		float ideal = 0.5f * fminf(shares[i], 1.0f) * friction * 9.81f * time * time;
		print_message("%.1f of the friction: moved %.4f m, %.4f expected\n", (double)shares[i], (double)moved,
		              (double)ideal);
		assert_true(fabsf(moved - ideal) < 0.06f * ideal);
		ContactScene_Destroy(&scene);
	}
}

static uint32_t CrossingsOf(const ContactScene* scene)
{
	return drapeWorlds_Get(scene->world)->contact.crossings;
}

// A sheet begins at a height at which a solid pokes through it, without untangling. It comes out upwards and stays so.
static void ComesOut(bool isMesh, uint32_t workers, uint64_t* hash)
{
	ContactScene scene;
	const ContactSceneDef def = FemSheet(workers);
	ContactScene_Create(&scene, &def);
	ContactScene_AddSheet(&scene, Placed(0.02f, 0.0f, 0.01f));
	if (isMesh)
		ContactScene_AddMesh(&scene, TestMesh_Sphere(3, 0.2f), Placed(0.0f, -0.185f, 0.0f), (drapeMotionId){0});
	else
	{
		drapeColliderDef box = drapeDefaultColliderDef();
		box.shape = drape_shapeBox;
		box.halfExtents = (drapeVec3){0.15f, 0.1f, 0.15f};
		box.transform = Placed(0.0f, -0.095f, 0.0f);
		ContactScene_AddShape(&scene, &box);
	}
	Steps(&scene, 1);
	uint32_t first = CrossingsOf(&scene);
	float stretch = 0.0f;
	for (int i = 0; i < 60; ++i)
	{
		Steps(&scene, 1);
		stretch = fmaxf(stretch, drapeWorld_GetMeasures(scene.world).stretch99);
	}
	print_message("%s: %u crossings, %u after a second; stretch %.2f at most\n", isMesh ? "mesh" : "box", first,
	              CrossingsOf(&scene), (double)stretch);
	assert_true(first > 0);
	assert_int_equal(CrossingsOf(&scene), 0);
	assert_true(stretch < 1.5f && drapeWorld_GetMeasures(scene.world).stretch99 < 1.1f);
	*hash = drapeWorld_GetHash(scene.world);
	ContactScene_Destroy(&scene);
}

static void ClothThroughAColliderComesOut(void** state)
{
	(void)state;
	for (int isMesh = 0; isMesh < 2; ++isMesh)
	{
		uint64_t hashes[2];
		ComesOut(isMesh, 1, &hashes[0]);
		ComesOut(isMesh, 2, &hashes[1]);
		assert_true(hashes[0] == hashes[1]);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(ASurfaceThatMovesAwayDoesNotPull),
		cmocka_unit_test(ASurfaceThatStopsLetsClothFlyOn),
		cmocka_unit_test(AnAcceleratingSurfaceCarriesClothByCoulombsLaw),
		cmocka_unit_test(ClothThroughAColliderComesOut),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
