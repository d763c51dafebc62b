// SPDX-License-Identifier: MIT
#include "contact_scene.h"

#include "meshes.h"

#include <math.h>
#include <stdlib.h>

// Coulomb's law on an incline: cloth stays where the slope is below the coefficient, and slides with g (sin - mu cos)
// where it is above, at any number of steps a second, on a plane and on a mesh.

#define GRAVITY 9.81f

static const float mu = 0.5f;

typedef struct Incline
{
	drapeShape shape; // plane or mesh
	drapeContact contact;
	drapeModel model;
	float slope; // tangent of the angle
	float rate;  // steps a second
} Incline;

static drapeColliderId AddIncline(drapeWorldId world, const Incline* incline, float angle)
{
	drapeColliderDef def = drapeDefaultColliderDef();
	drapeMesh mesh;
	assert_int_equal(drapeMesh_CreateGrid(3, 3, 12.0f, 12.0f, &mesh), drape_ok);
	def.shape = incline->shape;
	def.mesh = &mesh;
	def.transform = Turned(0, 0, 0, (drapeVec3){0, 0, 1}, angle);
	drapeColliderId collider = drapeCreateCollider(world, &def);
	drapeMesh_Free(&mesh);
	assert_true(drapeCollider_IsValid(collider));
	return collider;
}

static drapeClothId AddCloth(drapeWorldId world, const Incline* incline, float angle)
{
	drapeMesh mesh;
	assert_int_equal(drapeMesh_CreateGrid(4, 4, 0.4f, 0.4f, &mesh), drape_ok);
	drapeClothDef def = drapeDefaultClothDef();
	def.mesh = &mesh;
	def.contact = incline->contact;
	def.model = incline->model;
	if (def.model == drape_modelFem)
		def.solver = drapeDefaultFemSolverDef();
	def.solver.globalDamping = 0.0f;
	def.material.friction = mu;
	def.material.drag = def.material.lift = 0.0f;
	def.adapt.scheme = drape_schemeFixed;
	drapeClothId cloth = drapeCreateCloth(world, &def);
	assert_true(drapeCloth_IsValid(cloth));
	drapeVec3 positions[25];
	// Off the edges of the mesh, as far from it as the cloth is thick.
	drapeTransform turn = Turned(0, 0, 0, (drapeVec3){0, 0, 1}, angle);
	for (uint32_t i = 0; i < 25; ++i)
	{
		drapeVec3 p = mesh.positions[i];
		p.y = 1.0001f * def.material.thickness;
		p.z += 0.3f;
		positions[i] = drapeTransform_Point(turn, p);
	}
	drapeMesh_Free(&mesh);
	assert_int_equal(drapeCloth_SetPositions(cloth, positions), drape_ok);
	return cloth;
}

// How far along the slope the middle of the cloth has gone, m, downwards positive.
static float Along(drapeClothId cloth, float angle)
{
	drapeClothView view = drapeCloth_View(cloth);
	float sum = 0.0f;
	for (uint32_t i = 0; i < view.particleCount; ++i)
		sum -= cosf(angle) * view.positions[i].x + sinf(angle) * view.positions[i].y;
	return sum / (float)view.particleCount;
}

typedef struct Slid
{
	float first, second; // m: after half the time, and after all of it
} Slid;

static Slid Slide(const Incline* incline, float seconds)
{
	drapeWorldDef def = drapeDefaultWorldDef();
	def.wind.airDensity = 0.0f;
	def.gravity = (drapeVec3){0, -GRAVITY, 0};
	drapeWorldId world = drapeCreateWorld(&def);
	assert_non_null(world.world);
	float angle = atanf(incline->slope);
	AddIncline(world, incline, angle);
	drapeClothId cloth = AddCloth(world, incline, angle);
	float start = Along(cloth, angle);
	uint32_t steps = (uint32_t)(seconds * incline->rate + 0.5f);
	Slid slid = {0};
	for (uint32_t i = 0; i < steps; ++i)
	{
		assert_int_equal(drapeWorld_Step(world, 1.0f / incline->rate), drape_ok);
		if (i + 1 == steps / 2)
			slid.first = Along(cloth, angle) - start;
	}
	slid.second = Along(cloth, angle) - start;
	drapeDestroyWorld(world);
	return slid;
}

static const float rates[3] = {60.0f, 120.0f, 600.0f};
static const drapeShape inclines[2] = {drape_shapePlane, drape_shapeMesh};

static void StaysBelowItsCoefficient(drapeContact contact, drapeModel model)
{
	for (int r = 0; r < (isSlow ? 2 : 3); ++r)
	{
		for (int s = 0; s < 2; ++s)
		{
			Incline incline = {inclines[s], contact, model, 0.98f * mu, rates[r]};
			Slid slid = Slide(&incline, 1.0f);
			if (!(fabsf(slid.second) < 1e-3f))
				fail_msg("%s at %g Hz, model %d, contact %d: crept by %g mm", s ? "mesh" : "plane", (double)rates[r],
				         model, contact, 1e3 * (double)slid.second);
		}
	}
}

static void SlidesAboveItsCoefficient(drapeContact contact, drapeModel model)
{
	// Just above, and well above.
	const float slopes[2] = {1.02f * mu, 2.0f * mu};
	for (int i = 0; i < (isSlow ? 4 : 12); ++i)
	{
		float rate = rates[i / 4], slope = slopes[i % 2], angle = atanf(slope);
		Incline incline = {inclines[i / 2 % 2], contact, model, slope, rate};
		Slid slid = Slide(&incline, 1.0f);
		// What coefficient the way made speaks of.
		float found = slope - 2.0f * slid.second / (GRAVITY * cosf(angle));
		if (!(fabsf(found - mu) < 0.02f * mu))
			fail_msg("%s at %g Hz, slope %g, model %d, contact %d: slid by %g m as if the coefficient were %g",
			         i / 2 % 2 ? "mesh" : "plane", (double)rate, (double)slope, model, contact, (double)slid.second,
			         (double)found);
		// Evenly faster from the beginning.
		if (i % 2)
			assert_float_equal(slid.first / slid.second, 0.25f, 0.005f);
	}
}

static void ClothStaysOnAGentleSlope(void** state)
{
	(void)state;
	StaysBelowItsCoefficient(drape_contactParticles, drape_modelFem);
}

static void ClothSlidesDownASteepSlope(void** state)
{
	(void)state;
	SlidesAboveItsCoefficient(drape_contactParticles, drape_modelFem);
}

static void SpringsStayOnAGentleSlope(void** state)
{
	(void)state;
	StaysBelowItsCoefficient(drape_contactParticles, drape_modelSprings);
}

static void SpringsSlideDownASteepSlope(void** state)
{
	(void)state;
	SlidesAboveItsCoefficient(drape_contactParticles, drape_modelSprings);
}

static void FacesKeptOutStayOnAGentleSlope(void** state)
{
	(void)state;
	StaysBelowItsCoefficient(drape_contactAll, drape_modelFem);
}

static void FacesKeptOutSlideDownASteepSlope(void** state)
{
	(void)state;
	SlidesAboveItsCoefficient(drape_contactAll, drape_modelFem);
}

static void DroppedClothDoesNotBounce(void** state)
{
	(void)state;
	for (int s = 0; s < 2; ++s)
	{
		drapeWorldDef def = drapeDefaultWorldDef();
		drapeWorldId world = drapeCreateWorld(&def);
		Incline incline = {inclines[s], drape_contactAll, drape_modelFem, 0.0f, 60.0f};
		AddIncline(world, &incline, 0.0f);
		drapeClothId cloth = AddCloth(world, &incline, 0.0f);
		drapeClothView view = drapeCloth_View(cloth);
		drapeVec3 positions[25];
		for (uint32_t i = 0; i < 25; ++i)
			positions[i] = (drapeVec3){view.positions[i].x, 0.2f, view.positions[i].z};
		assert_int_equal(drapeCloth_SetPositions(cloth, positions), drape_ok);
		bool hasLanded = false;
		for (int i = 0; i < 60; ++i)
		{
			assert_int_equal(drapeWorld_Step(world, 1.0f / 60.0f), drape_ok);
			float height = ContactScene_Height(cloth);
			assert_true(!hasLanded || height < 5e-3f);
			hasLanded |= height < 3e-3f;
		}
		assert_true(hasLanded);
		assert_true(ContactScene_Speed(cloth) < 1.4e-3f);
		drapeDestroyWorld(world);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(ClothStaysOnAGentleSlope),       cmocka_unit_test(ClothSlidesDownASteepSlope),
		cmocka_unit_test(SpringsStayOnAGentleSlope),      cmocka_unit_test(SpringsSlideDownASteepSlope),
		cmocka_unit_test(FacesKeptOutStayOnAGentleSlope), cmocka_unit_test(FacesKeptOutSlideDownASteepSlope),
		cmocka_unit_test(DroppedClothDoesNotBounce),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
