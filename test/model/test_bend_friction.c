// SPDX-License-Identifier: MIT
#include "sheet.h"
#include "shared/make.h"

#include "base/random.h"
#include "world/world.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// Internal friction of bending (model/curvature_friction.c): what was bent stays bent by as much as the fabric holds.

static const float hold = 25.0f;     // 1/m
static const float give = 5.0f;      // 1/m: that of the law
static const float rigidity = 2e-5f; // N m
static const float length = 0.12f, width = 0.04f;

typedef struct Strip
{
	drapeWorldId world;
	drapeClothId id;
	Cloth* cloth;
	Vec4* flat;      // by particle
	Vec4* force;     // with the capacity that it needs
	Vec4* way;       // by particle
	uint32_t* rowOf; // rows are particles
} Strip;

static Vec4 Row(Vec3 a)
{
	return (Vec4){a.x, a.y, a.z, 0.0f};
}

static void Strip_Create(Strip* strip, uint32_t workers, float friction)
{
	drapeMesh mesh;
	drapeWorldDef worldDef = drapeDefaultWorldDef();
	worldDef.workerCount = workers;
	worldDef.gravity = (drapeVec3){0, 0, 0};
	*strip = (Strip){.world = Make_World(&worldDef)};
	assert_int_equal(drapeMesh_CreateGrid(30, 10, length, width, &mesh, NULL), drape_ok);
	drapeClothDef def = Make_SpringClothDef();
	def.mesh = &mesh;
	def.model = drape_modelFem;
	def.material.density = 0.1f;
	def.material.stretchWarp = def.material.stretchWeft = 500.0f;
	def.material.shear = 100.0f;
	def.material.poisson = 0.0f;
	def.material.bendWarp = def.material.bendWeft = rigidity;
	def.material.bendFriction = friction;
	def.material.dampingTime = 0.02f;
	def.solver = drapeDefaultSolverDef();
	def.solver.integrator = drape_integratorImplicitEuler;
	def.solver.tolerance = 1e-5f;
	def.solver.globalDamping = 40.0f; // it must not swing through
	def.adapt.scheme = drape_schemeFixed;
	strip->id = Make_Cloth(strip->world, &def);
	assert_true(drapeCloth_IsValid(strip->id));
	drapeMesh_Free(&mesh);
	strip->cloth = drapeWorlds_Get(strip->world)->cloths.data[0];
	assert_true(drapeCloth_Follow(strip->cloth->world, strip->cloth));
	const ActiveMesh* active = &strip->cloth->active;
	size_t capacity = drapeCurvature_FrictionRows(&strip->cloth->simulation.model.curvature, active->particleCount);
	strip->flat = malloc(active->particleCount * sizeof(Vec4));
	strip->way = calloc(active->particleCount, sizeof(Vec4));
	strip->rowOf = malloc(active->particleCount * sizeof(uint32_t));
	strip->force = malloc(capacity * sizeof(Vec4));
	assert_true(strip->flat && strip->way && strip->rowOf && strip->force);
	memcpy(strip->flat, active->position, active->particleCount * sizeof(Vec4));
	for (uint32_t i = 0; i < active->particleCount; ++i)
		strip->rowOf[i] = i;
}

static void Strip_Destroy(Strip* strip)
{
	drapeDestroyWorld(strip->world);
	free(strip->flat);
	free(strip->way);
	free(strip->rowOf);
	free(strip->force);
}

// About z, around the middle, which stays where it is.
static void BendTo(Strip* strip, float curvature)
{
	ActiveMesh* active = &strip->cloth->active;
	for (uint32_t i = 0; i < active->particleCount; ++i)
	{
		Vec4 flat = strip->flat[i];
		float angle = flat.x * curvature;
		bool isFlat = fabsf(curvature) < 1e-4f;
		active->position[i].x = isFlat ? flat.x : sinf(angle) / curvature;
		active->position[i].y = isFlat ? 0.0f : (1.0f - cosf(angle)) / curvature;
		active->position[i].z = flat.z;
	}
}

// The forces of friction when a step begins, and the cloth is expected to go on by `way`.
static void FindForces(Strip* strip, bool begins)
{
	const ActiveMesh* active = &strip->cloth->active;
	const InternalFrictionQuery query = {
		.position = active->position,
		.particleCount = active->particleCount,
		.begins = begins,
		.displacement = strip->way,
		.rowOf = strip->rowOf,
		.set = active->bendSet,
	};
	drapeCurvature_FindFriction(&strip->cloth->simulation.model.curvature, &query, strip->force,
	                            drapeWorlds_Get(strip->world)->tasks);
}

static float Largest(const Strip* strip)
{
	float largest = 0.0f;
	for (uint32_t i = 0; i < strip->cloth->active.particleCount; ++i)
		largest = fmaxf(largest, V3Length(V4Xyz(strip->force[i])));
	return largest;
}

// --- the law --------------------------------------------------------------------------------------------------------

// Work that friction takes while the strip goes from one curvature to another, J. Forces are taken in the middle of
// each small step, where it is expected to be.
static double WorkBetween(Strip* strip, float from, float to, int steps)
{
	const ActiveMesh* active = &strip->cloth->active;
	uint32_t count = active->particleCount;
	Vec4* before = malloc(count * sizeof *before);
	double work = 0.0;
	for (int s = 0; s < steps; ++s)
	{
		BendTo(strip, from + (to - from) * (float)(s + 1) / (float)steps);
		memcpy(before, active->position, count * sizeof *before);
		BendTo(strip, from + (to - from) * (float)s / (float)steps);
		for (uint32_t i = 0; i < count; ++i)
			strip->way[i] = Row(V3Scale(0.5f, V3Sub(V4Xyz(before[i]), V4Xyz(active->position[i]))));
		FindForces(strip, true);
		for (uint32_t i = 0; i < count; ++i)
			work -= 2.0 * (double)V3Dot(V4Xyz(strip->force[i]), V4Xyz(strip->way[i]));
	}
	free(before);
	return work;
}

// Bent to and fro, it takes the moment of the laboratory's loop, 2HB = 2 hold B, over all but the change of curvature
// in which friction gives.
static void ALoopIsAsWideAsTheLaboratorySays(void** state)
{
	(void)state;
	Strip strip;
	Strip_Create(&strip, 1, hold);
	const float most = 40.0f;
	WorkBetween(&strip, 0.0f, most, 80);
	double back = WorkBetween(&strip, most, -most, 160), forth = WorkBetween(&strip, -most, most, 160);
	// A loop that leans by 2 give on either side.
	double expected = (double)(length * width * rigidity * hold) * 2.0 * (2.0 * (double)most - 2.0 * (double)give);
	print_message("a loop takes %.4g J, expected %.4g\n", back + forth, expected);
	assert_true(fabs(back + forth - expected) < 0.02 * expected);
	assert_true(fabs(back - forth) < 0.02 * expected);
	Strip_Destroy(&strip);
}

static void RigidRotationsCauseNoForce(void** state)
{
	(void)state;
	Strip strip;
	Strip_Create(&strip, 1, hold);
	BendTo(&strip, 30.0f);
	FindForces(&strip, true); // friction holds it to this
	assert_true(Largest(&strip) == 0.0f);
	BendTo(&strip, 32.0f);
	FindForces(&strip, false);
	float held = Largest(&strip);
	BendTo(&strip, 30.0f);
	Vec4* position = strip.cloth->active.position;
	drapeTransform turn = drapeIdentityTransform();
	turn.rotation = drapeQuat_FromAxisAngle((drapeVec3){0.6f, 0.0f, 0.8f}, 1.0f);
	turn.position = (drapeVec3){0.1f, 0.2f, 0.3f};
	for (uint32_t i = 0; i < strip.cloth->active.particleCount; ++i)
		position[i] = Row(drapeTransform_Point(turn, V4Xyz(position[i])));
	FindForces(&strip, true);
	print_message("turned: %.3g N, bent by 2/m: %.3g N\n", (double)Largest(&strip), (double)held);
	assert_true(Largest(&strip) < 0.02f * held);
	Strip_Destroy(&strip);
}

static void ForcesAddUpToNothingAndDoNotTurn(void** state)
{
	(void)state;
	Strip strip;
	Strip_Create(&strip, 1, hold);
	Random random = Random_Seed(3, 1);
	Vec4* position = strip.cloth->active.position;
	uint32_t count = strip.cloth->active.particleCount;
	BendTo(&strip, 10.0f);
	FindForces(&strip, true);
	for (uint32_t i = 0; i < count; ++i)
		position[i].y += Random_Range(&random, -1e-4f, 1e-4f);
	FindForces(&strip, false);
	double sum[3] = {0}, turn[3] = {0}, size = 0.0;
	for (uint32_t i = 0; i < count; ++i)
	{
		Vec3 f = V4Xyz(strip.force[i]), t = V3Cross(V4Xyz(position[i]), f);
		const double force[3] = {(double)f.x, (double)f.y, (double)f.z},
					 torque[3] = {(double)t.x, (double)t.y, (double)t.z};
		for (int k = 0; k < 3; ++k)
		{
			sum[k] += force[k];
			turn[k] += torque[k];
			size += fabs(force[k]);
		}
	}
	for (int k = 0; k < 3; ++k)
		assert_true(fabs(sum[k]) < 1e-5 * size && fabs(turn[k]) < 1e-5 * size * (double)length);
	assert_true(size > 0.0);
	Strip_Destroy(&strip);
}

// --- cloth ----------------------------------------------------------------------------------------------------------

// Mean over the middle, where ends do not tell.
static float KeptCurvature(const Strip* strip)
{
	const ActiveMesh* active = &strip->cloth->active;
	const Curvature* curvature = &strip->cloth->simulation.model.curvature;
	double sum = 0.0, area = 0.0;
	for (uint32_t t = 0; t < active->triangleCount; ++t)
	{
		const CurvatureElement* element = &curvature->elements.data[t];
		Vec3 origin = V4Xyz(active->position[element->node[0]]), bend = {0, 0, 0};
		if (fabsf(strip->flat[element->node[0]].x) > 0.25f * length)
			continue;
		for (uint32_t i = 0; i < element->count; ++i)
			bend = V3Add(bend, V3Scale(element->weight[curvatureUu][i],
			                           V3Sub(V4Xyz(active->position[element->node[i]]), origin)));
		sum += (double)(element->area * V3Length(bend));
		area += (double)element->area;
	}
	return (float)(sum / area);
}

static void Step(Strip* strip, int steps)
{
	for (int i = 0; i < steps; ++i)
		assert_int_equal(drapeWorld_Step(strip->world, 1.0f / 60.0f), drape_ok);
}

// Bent to 60/m and let go, it unbends until friction holds: at the residual curvature.
static void ASheetThatWasBentKeepsWhatFrictionHolds(void** state)
{
	(void)state;
	const float frictions[] = {0.0f, 10.0f, 25.0f, 50.0f};
	for (int i = 0; i < 4; ++i)
	{
		Strip strip;
		Strip_Create(&strip, 1, frictions[i]);
		BendTo(&strip, 60.0f);
		Step(&strip, 300);
		float kept = KeptCurvature(&strip), speed = 0.0f;
		for (uint32_t k = 0; k < strip.cloth->active.particleCount; ++k)
			speed = fmaxf(speed, V3Length(V4Xyz(strip.cloth->active.velocity[k])));
		print_message("held %.0f/m: %.2f/m, %.4f mm/s\n", (double)frictions[i], (double)kept, 1e3 * (double)speed);
		assert_true(fabsf(kept - frictions[i]) < 1.0f + 0.05f * frictions[i]);
		assert_true(speed < 1e-4f);
		Strip_Destroy(&strip);
	}
}

static uint64_t RunFolded(uint32_t workers)
{
	Strip strip;
	Strip_Create(&strip, workers, hold);
	BendTo(&strip, 60.0f);
	Step(&strip, 30);
	uint64_t hash = drapeWorld_GetHash(strip.world);
	Strip_Destroy(&strip);
	return hash;
}

static void TheNumberOfThreadsChangesNothing(void** state)
{
	(void)state;
	uint64_t hash = RunFolded(1);
	assert_true(RunFolded(2) == hash && RunFolded(3) == hash);
}

// What holds the cloth is part of the state.
static void ALoadedWorldKnowsWhatHoldsIt(void** state)
{
	(void)state;
	Strip strip, other;
	Strip_Create(&strip, 1, hold);
	Strip_Create(&other, 1, hold);
	BendTo(&strip, 60.0f);
	Step(&strip, 20);
	size_t size = Make_Snapshot(strip.world, NULL, 0);
	void* data = malloc(size);
	assert_int_equal(Make_Snapshot(strip.world, data, size), size);
	Step(&strip, 10);
	assert_int_equal(drapeWorld_Load(other.world, data, size), drape_ok);
	Step(&other, 10);
	assert_true(drapeWorld_GetHash(other.world) == drapeWorld_GetHash(strip.world));
	free(data);
	Strip_Destroy(&strip);
	Strip_Destroy(&other);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(ALoopIsAsWideAsTheLaboratorySays), cmocka_unit_test(RigidRotationsCauseNoForce),
		cmocka_unit_test(ForcesAddUpToNothingAndDoNotTurn), cmocka_unit_test(ASheetThatWasBentKeepsWhatFrictionHolds),
		cmocka_unit_test(TheNumberOfThreadsChangesNothing), cmocka_unit_test(ALoadedWorldKnowsWhatHoldsIt),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
