// SPDX-License-Identifier: MIT
#include "contact_scene.h"
#include "shared/make.h"

#include "meshes.h"

#include <math.h>
#include <stdlib.h>

// Coulomb's law on an incline: cloth stays where the slope is below the coefficient, and slides with g (sin - mu cos)
// where it is above, at any number of steps a second, on a plane and on a mesh.

#define GRAVITY 9.81f

static const float mu = 0.5f;

typedef struct Incline
{
	drapeColliderShape shape; // plane or mesh
	drapeContactMode contact;
	drapeModel model;
	float slope; // tangent of the angle
	float rate;  // steps a second
	float high;  // over the slope at first, in thicknesses; 0 for as much as on colliders
} Incline;

static drapeColliderId AddIncline(drapeWorldId world, const Incline* incline, float angle)
{
	drapeColliderDef def = drapeDefaultColliderDef();
	drapeMesh mesh;
	assert_int_equal(drapeMesh_CreateGrid(3, 3, 12.0f, 12.0f, &mesh, NULL), drape_ok);
	def.shape = incline->shape;
	def.mesh = &mesh;
	def.transform = Turned(0, 0, 0, (drapeVec3){0, 0, 1}, angle);
	drapeColliderId collider = Make_Collider(world, &def);
	drapeMesh_Free(&mesh);
	assert_true(drapeCollider_IsValid(collider));
	return collider;
}

static drapeClothId AddCloth(drapeWorldId world, const Incline* incline, float angle)
{
	drapeMesh mesh;
	assert_int_equal(drapeMesh_CreateGrid(4, 4, 0.4f, 0.4f, &mesh, NULL), drape_ok);
	drapeClothDef def = Make_SpringClothDef();
	def.mesh = &mesh;
	def.contact = incline->contact;
	def.model = incline->model;
	if (def.model == drape_modelFem)
		def.solver = drapeDefaultSolverDef();
	def.solver.globalDamping = 0.0f;
	def.material.friction = mu;
	def.material.drag = def.material.lift = 0.0f;
	def.adapt.scheme = drape_schemeFixed;
	drapeClothId cloth = Make_Cloth(world, &def);
	assert_true(drapeCloth_IsValid(cloth));
	drapeVec3 positions[25];
	// Off the edges of the mesh, as far from it as the cloth is thick.
	drapeTransform turn = Turned(0, 0, 0, (drapeVec3){0, 0, 1}, angle);
	for (uint32_t i = 0; i < 25; ++i)
	{
		drapeVec3 p = mesh.positions[i];
		p.y = (incline->high > 0.0f ? incline->high : 1.0001f) * def.material.thickness;
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
	drapeClothView view = drapeCloth_GetView(cloth);
	float sum = 0.0f;
	for (uint32_t i = 0; i < view.particleCount; ++i)
		sum -= cosf(angle) * view.positions[i].x + sinf(angle) * view.positions[i].y;
	return sum / (float)view.particleCount;
}

typedef struct Slid
{
	float first, second; // m: after half the time, and after all of it
} Slid;

static drapeWorldId World(void)
{
	drapeWorldDef def = drapeDefaultWorldDef();
	def.wind.airDensity = 0.0f;
	def.gravity = (drapeVec3){0, -GRAVITY, 0};
	drapeWorldId world = Make_World(&def);
	assert_true(drapeWorld_IsValid(world));
	return world;
}

// Runs and destroys the world.
static Slid Run(drapeWorldId world, drapeClothId cloth, const Incline* incline, float seconds)
{
	float angle = atanf(incline->slope), start = Along(cloth, angle);
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

static Slid Slide(const Incline* incline, float seconds)
{
	drapeWorldId world = World();
	float angle = atanf(incline->slope);
	AddIncline(world, incline, angle);
	return Run(world, AddCloth(world, incline, angle), incline, seconds);
}

static const float rates[3] = {60.0f, 120.0f, 600.0f};
static const drapeColliderShape inclines[2] = {drape_shapePlane, drape_shapeMesh};

static void StaysBelowItsCoefficient(drapeContactMode contact, drapeModel model)
{
	for (int r = 0; r < (isSlow ? 2 : 3); ++r)
	{
		for (int s = 0; s < 2; ++s)
		{
			Incline incline = {inclines[s], contact, model, 0.98f * mu, rates[r], 0.0f};
			Slid slid = Slide(&incline, 1.0f);
			if (!(fabsf(slid.second) < 1e-3f))
				fail_msg("%s at %g Hz, model %d, contact %d: crept by %g mm", s ? "mesh" : "plane", (double)rates[r],
				         model, contact, 1e3 * (double)slid.second);
		}
	}
}

static void SlidesAboveItsCoefficient(drapeContactMode contact, drapeModel model)
{
	// Just above, and well above.
	const float slopes[2] = {1.02f * mu, 2.0f * mu};
	for (int i = 0; i < (isSlow ? 4 : 12); ++i)
	{
		float rate = rates[i / 4], slope = slopes[i % 2], angle = atanf(slope);
		Incline incline = {inclines[i / 2 % 2], contact, model, slope, rate, 0.0f};
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

// A large sheet with this coefficient, every particle of which is held.
static void AddHeldSheet(drapeWorldId world, float angle, float friction)
{
	drapeMesh mesh;
	assert_int_equal(drapeMesh_CreateGrid(1, 1, 4.0f, 4.0f, &mesh, NULL), drape_ok);
	drapeTransform turn = Turned(0, 0, 0.6f, (drapeVec3){0, 0, 1}, angle); // off its diagonal
	drapeVec3* positions = (drapeVec3*)mesh.positions;                     // ours until it is freed
	for (uint32_t i = 0; i < mesh.vertexCount; ++i)
		positions[i] = drapeTransform_Point(turn, positions[i]);
	drapeClothDef def = Make_SpringClothDef();
	def.mesh = &mesh;
	def.contact = drape_contactAll;
	def.model = drape_modelFem;
	def.solver = drapeDefaultSolverDef();
	def.material.friction = friction;
	def.adapt.scheme = drape_schemeFixed;
	drapeClothId cloth = Make_Cloth(world, &def);
	assert_true(drapeCloth_IsValid(cloth));
	for (uint32_t i = 0; i < mesh.vertexCount; ++i)
		Make_Pin(cloth, i);
	drapeMesh_Free(&mesh);
}

static Slid SlideOnCloth(float below, float slope, float rate)
{
	const Incline incline = {drape_shapePlane, drape_contactAll, drape_modelFem, slope, rate, 1.3f};
	drapeWorldId world = World();
	float angle = atanf(slope);
	AddHeldSheet(world, angle, below);
	return Run(world, AddCloth(world, &incline, angle), &incline, 0.5f);
}

static void AFabricHasItsOwnCoefficientAgainstItself(void** state)
{
	(void)state;
	const float below[2] = {mu, 0.32f};
	for (int i = 0; i < (isSlow ? 2 : 6); ++i)
	{
		float rate = rates[i / 2], between = sqrtf(mu * below[i % 2]), slope = 1.5f * between;
		Slid stays = SlideOnCloth(below[i % 2], 0.9f * between, rate);
		Slid slides = SlideOnCloth(below[i % 2], slope, rate);
		// Whatever it had to begin with.
		float found = slope - 16.0f * (slides.second - 2.0f * slides.first) / (GRAVITY * cosf(atanf(slope)));
		print_message("%g Hz: crept by %.3f mm, coefficient %.3f of %.3f\n", (double)rate, 1e3 * (double)stays.second,
		              (double)found, (double)between);
		assert_true(fabsf(stays.second) < 2e-4f);
		assert_float_equal(found, between, 0.02f * between);
	}
}

static void DroppedClothDoesNotBounce(void** state)
{
	(void)state;
	for (int s = 0; s < 2; ++s)
	{
		drapeWorldDef def = drapeDefaultWorldDef();
		drapeWorldId world = Make_World(&def);
		Incline incline = {inclines[s], drape_contactAll, drape_modelFem, 0.0f, 60.0f, 0.0f};
		AddIncline(world, &incline, 0.0f);
		drapeClothId cloth = AddCloth(world, &incline, 0.0f);
		drapeClothView view = drapeCloth_GetView(cloth);
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
		cmocka_unit_test(ClothStaysOnAGentleSlope),
		cmocka_unit_test(ClothSlidesDownASteepSlope),
		cmocka_unit_test(SpringsStayOnAGentleSlope),
		cmocka_unit_test(SpringsSlideDownASteepSlope),
		cmocka_unit_test(FacesKeptOutStayOnAGentleSlope),
		cmocka_unit_test(FacesKeptOutSlideDownASteepSlope),
		cmocka_unit_test(AFabricHasItsOwnCoefficientAgainstItself),
		cmocka_unit_test(DroppedClothDoesNotBounce),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
