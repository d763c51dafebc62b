// SPDX-License-Identifier: MIT
#include "contact_scene.h"
#include "shared/make.h"

#include "meshes.h"
#include "world/world.h"

#include <math.h>
#include <stdlib.h>

// Contact in substeps: what lies on what is found once a step, and each substep sees it where it is by then.

static const float dt = 1.0f / 60.0f;

typedef struct Lift
{
	ContactScene scene; // a ball of triangles, and sheets on it
	drapeVec3 velocity; // m/s, of the ball
} Lift;

static void AddSheet(ContactScene* scene, uint32_t substeps, uint32_t quads, drapeTransform at)
{
	drapeMesh mesh;
	drapeClothDef def = Make_SpringClothDef();
	assert_int_equal(drapeMesh_CreateGrid(quads, quads, 0.6f, 0.6f, &mesh, NULL), drape_ok);
	drapeVec3* positions = (drapeVec3*)mesh.positions; // ours until it is freed
	for (uint32_t i = 0; i < mesh.vertexCount; ++i)
		positions[i] = drapeTransform_Point(at, positions[i]);
	def.mesh = &mesh;
	def.contact = drape_contactAll;
	def.model = drape_modelFem;
	def.material.dampingTime = 0.05f;
	def.solver = drapeDefaultSolverDef();
	def.solver.integrator = drape_integratorImplicitEuler;
	def.solver.newtonIterations = 1;
	def.solver.globalDamping = 2.0f;
	def.solver.substeps = substeps;
	def.adapt.scheme = drape_schemeFixed;
	def.adapt.maxLevel = 0;
	drapeClothId cloth = Make_Cloth(scene->world, &def);
	drapeMesh_Free(&mesh);
	assert_true(drapeCloth_IsValid(cloth));
	scene->cloths[scene->clothCount++] = cloth;
}

static void Lift_Create(Lift* lift, uint32_t substeps, uint32_t sheets)
{
	*lift = (Lift){0};
	ContactScene_Create(&lift->scene, &(ContactSceneDef){.workers = 1, .model = drape_modelFem});
	ContactScene_AddMesh(&lift->scene, TestMesh_Sphere(1, 0.15f), Placed(0, -0.16f, 0), (drapeMotionId){0});
	for (uint32_t i = 0; i < sheets; ++i)
		AddSheet(&lift->scene, substeps, 10,
		         Turned(0.01f, 0.005f + 0.01f * (float)i, 0.02f, (drapeVec3){0, 1, 0}, 0.2f + 0.4f * (float)i));
}

static drapeColliderId Ball(const Lift* lift)
{
	return lift->scene.meshes[0].collider;
}

static void Lift_Step(Lift* lift)
{
	drapeTransform at = drapeCollider_GetTransform(Ball(lift));
	at.position = V3Add(at.position, V3Scale(dt, lift->velocity));
	drapeCollider_SetTransform(Ball(lift), at);
	drapeResult result = drapeWorld_Step(lift->scene.world, dt);
	if (result != drape_ok)
		fail_msg("%s", drapeWorld_GetWarning(lift->scene.world).text);
}

static void Lift_Run(Lift* lift, uint32_t steps)
{
	for (uint32_t i = 0; i < steps; ++i)
		Lift_Step(lift);
}

// --- the points -----------------------------------------------------------------------------------------------------

// How far the two places of a point are apart along its normal, m, when all of it is cloth and where that is now.
static float DistanceNow(const drapeWorld* world, const ContactPoint* point)
{
	Vec3 between = {0, 0, 0};
	for (int k = 0; k < 4; ++k)
	{
		const ActiveMesh* active = &world->together.data[point->system[k]]->active;
		between = V3Add(between, V3Scale(point->weight[k], V4Xyz(active->position[point->particle[k]])));
	}
	return V3Dot(point->normal, between);
}

// The weights of what is not solved for.
static float SolidWeight(const ContactPoint* point)
{
	float sum = 0.0f;
	for (int k = 0; k < 4; ++k)
		sum += point->particle[k] == DRAPE_NONE ? point->weight[k] : 0.0f;
	return sum;
}

static void PointsAreSeenWhereTheyAreByThen(void** state)
{
	(void)state;
	Lift lift;
	Lift_Create(&lift, 1, 2);
	Lift_Run(&lift, 60);
	lift.velocity = (drapeVec3){0.5f, 1.0f, 0.0f};
	Lift_Run(&lift, 5);
	// The world still has the points of the step, and where it began; the cloth is where it ended.
	drapeWorld* world = drapeWorlds_Get(lift.scene.world);
	const ContactPoint* begun = world->contact.points.data;
	uint32_t cloth = 0, solid = 0;
	const float from = 0.25f, to = 0.75f;
	const ContactPoint* now = drapeContactStage_PointsAt(&world->contact, from, to);
	assert_true(now != begun);
	for (uint32_t i = 0; i < world->contact.points.count; ++i)
	{
		float weight = SolidWeight(&begun[i]);
		Vec3 way = V3Scale(weight * dt, lift.velocity);
		assert_true(V3Length(V3Sub(begun[i].way, way)) < 1e-6f);
		assert_true(V3Length(V3Sub(now[i].way, V3Scale(to - from, way))) < 1e-6f);
		assert_true(now[i].reach == begun[i].reach && now[i].friction == begun[i].friction);
		cloth += weight == 0.0f;
		solid += weight != 0.0f;
		if (weight == 0.0f)
			assert_float_equal(now[i].distance, DistanceNow(world, &begun[i]), 1e-6f);
	}
	// On the ball a quarter of its way is made, whatever the cloth has made.
	ContactPoint* later = malloc(world->contact.points.count * sizeof *later + 1);
	assert_non_null(later);
	for (uint32_t i = 0; i < world->contact.points.count; ++i)
		later[i] = now[i];
	now = drapeContactStage_PointsAt(&world->contact, 0.0f, 0.25f);
	for (uint32_t i = 0; i < world->contact.points.count; ++i)
		assert_float_equal(later[i].distance - now[i].distance, from * V3Dot(begun[i].normal, begun[i].way), 1e-6f);
	free(later);
	print_message("%u points of cloth on cloth, %u of the ball\n", cloth, solid);
	assert_true(cloth > 0 && solid > 0);
	// One step without substeps sees them as they were found.
	assert_true(drapeContactStage_PointsAt(&world->contact, 0.0f, 1.0f) == begun);
	ContactScene_Destroy(&lift.scene);
}

// --- carried --------------------------------------------------------------------------------------------------------

typedef struct Carried
{
	drapeVec3 middle, velocity; // m, m/s: means, relative to the ball
	float fastest;              // m/s: of any particle in any step, likewise
	float stretch;              // the most of any edge in any step, over its rest length
} Carried;

static drapeVec3 Mean(const drapeVec4* rows, uint32_t count)
{
	drapeVec3 sum = {0, 0, 0};
	for (uint32_t i = 0; i < count; ++i)
		sum = V3Add(sum, (Vec3){rows[i].x, rows[i].y, rows[i].z});
	return V3Scale(1.0f / (float)count, sum);
}

static void Watch(const Lift* lift, Carried* carried)
{
	drapeClothView view = drapeCloth_GetView(lift->scene.cloths[0]);
	for (uint32_t i = 0; i < view.particleCount; ++i)
	{
		Vec3 own = {view.velocities[i].x, view.velocities[i].y, view.velocities[i].z};
		carried->fastest = fmaxf(carried->fastest, V3Length(V3Sub(own, lift->velocity)));
	}
	carried->stretch = fmaxf(carried->stretch, drapeCloth_GetMeasures(lift->scene.cloths[0]).stretchMax);
	carried->middle = V3Sub(Mean(view.positions, view.particleCount), drapeCollider_GetTransform(Ball(lift)).position);
	carried->velocity = V3Sub(Mean(view.velocities, view.particleCount), lift->velocity);
}

// The ball sets off with the cloth that hangs over it, faster and faster.
static Carried Carry(uint32_t substeps, drapeVec3 acceleration)
{
	Lift lift;
	Carried carried = {0};
	Lift_Create(&lift, substeps, 1);
	Lift_Run(&lift, 90);
	for (uint32_t i = 0; i < 45; ++i)
	{
		lift.velocity = V3Add(lift.velocity, V3Scale(dt, acceleration));
		Lift_Step(&lift);
		Watch(&lift, &carried);
	}
	ContactScene_Destroy(&lift.scene);
	return carried;
}

static void SubstepsCarryClothAsOneStepDoes(void** state)
{
	(void)state;
	const drapeVec3 accelerations[] = {{0, 6, 0}, {2, 8, 0}};
	for (int i = 0; i < 2; ++i)
	{
		Carried whole = {0};
		for (uint32_t substeps = 1; substeps <= 8; substeps *= 2)
		{
			Carried c = Carry(substeps, accelerations[i]);
			print_message("%u: middle %.4f %.4f %.4f, %.3f %.3f m/s, fastest %.3f m/s, stretch %.4f\n", substeps,
			              (double)c.middle.x, (double)c.middle.y, (double)c.middle.z, (double)c.velocity.x,
			              (double)c.velocity.y, (double)c.fastest, (double)c.stretch);
			whole = substeps == 1 ? c : whole;
			assert_true(V3Length(V3Sub(c.middle, whole.middle)) < 0.01f);
			assert_true(V3Length(V3Sub(c.velocity, whole.velocity)) < 0.3f);
			assert_true(c.fastest < 2.0f && c.stretch < 1.8f);
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(PointsAreSeenWhereTheyAreByThen),
		cmocka_unit_test(SubstepsCarryClothAsOneStepDoes),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
