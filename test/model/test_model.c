// SPDX-License-Identifier: MIT
#include "meshes.h"
#include "drape/transform.h"
#include "rig.h"

#include "model/model.h"
#include "model/wind.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// --- a model on a mesh of its own -----------------------------------------------------------------------------------

typedef struct Bench
{
	Rig rig;
	Model model;
	TaskPool* tasks;
	Vec4* force; // [particles]
} Bench;

// In place: a rig's parts point to each other.
static void Bench_Create(Bench* bench, const drapeMesh* mesh, const drapeMaterial* material,
                         const drapeSpringDef* springs, uint32_t levels)
{
	*bench = (Bench){.tasks = drapeTaskPool_Create(2, NULL, NULL, NULL)};
	Rig_Create(&bench->rig, mesh);
	for (uint32_t i = 0; i < levels; ++i)
		Rig_RefineAll(&bench->rig);
	bench->rig.active.revision = 1;
	drapeModel_Init(&bench->model, drape_modelSprings, material, springs);
	assert_true(drapeModel_Follow(&bench->model, &bench->rig.active, bench->tasks));
	bench->force = calloc(bench->rig.active.particleCount, sizeof(Vec4));
	assert_non_null(bench->force);
}

static void Bench_Destroy(Bench* bench)
{
	free(bench->force);
	drapeModel_Destroy(&bench->model);
	Rig_Destroy(&bench->rig);
	drapeTaskPool_Destroy(bench->tasks);
}

typedef void AddForces(const Model* model, const ModelState* state, Vec4* force, TaskPool* tasks);
typedef double EnergyFcn(const Model* model, const Vec4* position);

static void ComputeForces(Bench* bench, AddForces* add)
{
	const ActiveMesh* active = &bench->rig.active;
	ModelState state = {active->position, active->velocity, 0.0};
	memset(bench->force, 0, active->particleCount * sizeof(Vec4));
	add(&bench->model, &state, bench->force, bench->tasks);
}

static void Shake(Bench* bench, Random* random, float inPlane, float outOfPlane)
{
	ActiveMesh* active = &bench->rig.active;
	for (uint32_t i = 0; i < active->particleCount; ++i)
	{
		active->position[i].x += Random_Range(random, -inPlane, inPlane);
		active->position[i].y += Random_Range(random, -inPlane, inPlane);
		active->position[i].z += Random_Range(random, -outOfPlane, outOfPlane);
	}
}

static drapeMaterial Undamped(void)
{
	drapeMaterial material = drapeDefaultMaterial();
	material.dampingTime = 0.0f;
	return material;
}

static float LargestForce(const Bench* bench)
{
	float largest = 0.0f;
	for (uint32_t i = 0; i < bench->rig.active.particleCount; ++i)
		largest = fmaxf(largest, V3Length(V4Xyz(bench->force[i])));
	return largest;
}

// --- forces are the gradient of the energy --------------------------------------------------------------------------

// The largest difference between a force and minus the central difference of the energy, over the largest force.
static float GradientError(Bench* bench, AddForces* add, EnergyFcn* energy, float step)
{
	ComputeForces(bench, add);
	float worst = 0.0f;
	for (uint32_t i = 0; i < bench->rig.active.particleCount; ++i)
	{
		float difference[3];
		for (int k = 0; k < 3; ++k)
		{
			float* x = &bench->rig.active.position[i].x + k;
			float kept = *x, up = kept + step, down = kept - step;
			*x = up;
			double above = energy(&bench->model, bench->rig.active.position);
			*x = down;
			double below = energy(&bench->model, bench->rig.active.position);
			*x = kept;
			difference[k] = (float)(-(above - below) / ((double)up - (double)down));
		}
		Vec3 numeric = {difference[0], difference[1], difference[2]};
		worst = fmaxf(worst, V3Length(V3Sub(numeric, V4Xyz(bench->force[i]))));
	}
	return worst / LargestForce(bench);
}

static void StretchForcesAreTheGradientOfTheirEnergy(void** state)
{
	(void)state;
	Random random = Random_Seed(1, 1);
	for (int law = 0; law < 2; ++law)
	{
		drapeMesh mesh = TestMesh_Grid(4, 4, 1.0f, 1.0f, 0.3f, 3);
		drapeMaterial material = Undamped();
		drapeSpringDef springs = drapeDefaultSpringDef();
		springs.law = (drapeSpringLaw)law;
		Bench bench;
		Bench_Create(&bench, &mesh, &material, &springs, 0);
		for (int i = 0; i < 5; ++i)
		{
			Shake(&bench, &random, 0.05f, 0.1f);
			float error = GradientError(&bench, drapeModel_AddStretch, drapeModel_StretchEnergy, 1e-3f);
			if (!(error < 2e-3f))
				fail_msg("relative error %g", (double)error);
		}
		Bench_Destroy(&bench);
		TestMesh_Free(&mesh);
	}
}

static void BendingForcesAreTheGradientOfTheirEnergy(void** state)
{
	(void)state;
	Random random = Random_Seed(2, 1);
	for (int bending = drape_bendElements; bending <= drape_bendSprings; ++bending)
	{
		drapeMesh mesh = TestMesh_Grid(4, 4, 1.0f, 1.0f, 0.2f, 3);
		drapeMaterial material = Undamped();
		drapeSpringDef springs = drapeDefaultSpringDef();
		springs.bending = (drapeBending)bending;
		for (int i = 0; i < 5; ++i)
		{
			Bench bench;
			Bench_Create(&bench, &mesh, &material, &springs, 0);
			Shake(&bench, &random, 0.01f, 0.1f);
			float error = GradientError(&bench, drapeModel_AddBending, drapeModel_BendEnergy, 5e-4f);
			if (!(error < 3e-3f))
				fail_msg("relative error %g", (double)error);
			Bench_Destroy(&bench);
		}
		TestMesh_Free(&mesh);
	}
}

// Two triangles beside the edge from (0, 0) to (1, 0), of heights `left` and `right`.
static drapeMesh Hinge(float left, float right)
{
	const drapeVec3 positions[] = {{0.0f, 0.0f, 0.0f}, {1.0f, 0.0f, 0.0f}, {0.3f, left, 0.0f}, {0.8f, -right, 0.0f}};
	const uint32_t triangles[] = {0, 1, 2, 1, 0, 3};
	return TestMesh_FromArrays(positions, 4, triangles, 2);
}

static void Fold(Bench* bench, float right, float angle)
{
	bench->rig.active.position[3].y = -right * cosf(angle);
	bench->rig.active.position[3].z = right * sinf(angle);
}

static void AHingePushesAsItsEnergySaysAtAnyAngle(void** state)
{
	(void)state;
	const float degrees[] = {0.5f, 2.0f, 30.0f, 89.0f, 90.0f, 91.0f, 135.0f, 170.0f, -0.5f, -45.0f, -90.0f, -170.0f};
	const float right = 0.4f;
	drapeMesh mesh = Hinge(0.9f, right);
	drapeMaterial material = Undamped();
	drapeSpringDef springs = drapeDefaultSpringDef();
	Bench bench;
	Bench_Create(&bench, &mesh, &material, &springs, 0);
	for (size_t i = 0; i < sizeof degrees / sizeof degrees[0]; ++i)
	{
		float angle = degrees[i] * 0.0174532925f;
		Fold(&bench, right, angle);
		float error = GradientError(&bench, drapeModel_AddBending, drapeModel_BendEnergy, 1e-3f);
		if (!(error < 3e-3f))
			fail_msg("relative error %g at %g degrees", (double)error, (double)degrees[i]);
		// 4 k (1 - cos(theta / 2)), k = B l^2 / (A_L + A_R)
		double k = (double)material.bendWarp / (0.5 * (0.9 + 0.4));
		double wanted = 4.0 * k * (1.0 - cos(0.5 * (double)angle));
		double energy = drapeModel_BendEnergy(&bench.model, bench.rig.active.position);
		assert_true(fabs(energy - wanted) < 1e-3 * wanted);
	}
	Bench_Destroy(&bench);
	TestMesh_Free(&mesh);
}

// The same pair folded the same way through a turn of its own: whatever the frame, nothing is not finite.
static void ForcesAreFiniteForCollapsedTriangles(void** state)
{
	(void)state;
	drapeMaterial material = drapeDefaultMaterial();
	for (int bending = 0; bending <= drape_bendSprings; ++bending)
	{
		drapeSpringDef springs = drapeDefaultSpringDef();
		springs.bending = (drapeBending)bending;
		drapeMesh mesh = Hinge(0.9f, 0.4f);
		Bench bench;
		Bench_Create(&bench, &mesh, &material, &springs, 0);
		for (uint32_t shape = 0; shape < 256; ++shape)
		{
			// Each particle at one of four places, some the same.
			for (uint32_t i = 0; i < 4; ++i)
			{
				uint32_t place = shape >> (2 * i) & 3;
				bench.rig.active.position[i].x = place == 1 ? 1.0f : place == 3 ? 1e-12f : 0.0f;
				bench.rig.active.position[i].y = 0.0f;
				bench.rig.active.position[i].z = place == 2 ? 1e-6f : 0.0f;
				bench.rig.active.velocity[i].x = (float)i;
			}
			ComputeForces(&bench, drapeModel_AddBending);
			for (uint32_t i = 0; i < 4; ++i)
				assert_true(V3IsFinite(V4Xyz(bench.force[i])));
			ComputeForces(&bench, drapeModel_AddStretch);
			for (uint32_t i = 0; i < 4; ++i)
				assert_true(V3IsFinite(V4Xyz(bench.force[i])));
		}
		Bench_Destroy(&bench);
		TestMesh_Free(&mesh);
	}
}

// --- inner forces neither push nor turn -----------------------------------------------------------------------------

static void AssertBalanced(const Bench* bench)
{
	double force[3] = {0}, torque[3] = {0}, size = 0.0;
	for (uint32_t i = 0; i < bench->rig.active.particleCount; ++i)
	{
		Vec3 f = V4Xyz(bench->force[i]), x = V4Xyz(bench->rig.active.position[i]), t = V3Cross(x, f);
		force[0] += (double)f.x, force[1] += (double)f.y, force[2] += (double)f.z;
		torque[0] += (double)t.x, torque[1] += (double)t.y, torque[2] += (double)t.z;
		size += (double)V3Length(f);
	}
	assert_true(size > 0.0);
	for (int k = 0; k < 3; ++k)
	{
		assert_true(fabs(force[k]) < 2e-6 * size);
		assert_true(fabs(torque[k]) < 4e-6 * size); // lever arms are about a metre
	}
}

static void InnerForcesNeitherPushNorTurn(void** state)
{
	(void)state;
	Random random = Random_Seed(3, 1);
	for (int variant = 0; variant < 4; ++variant)
	{
		drapeMaterial material = drapeDefaultMaterial();
		material.dampingTime = 0.01f;
		drapeSpringDef springs = drapeDefaultSpringDef();
		springs.bending = variant % 2 ? drape_bendSprings : drape_bendElements;
		drapeMesh mesh = TestMesh_Grid(5, 4, 1.0f, 0.8f, 0.35f, 11);
		Bench bench;
		Bench_Create(&bench, &mesh, &material, &springs, (uint32_t)variant / 2);
		Shake(&bench, &random, 0.02f, 0.15f);
		for (uint32_t i = 0; i < bench.rig.active.particleCount; ++i)
			bench.rig.active.velocity[i].z = Random_Range(&random, -1.0f, 1.0f);
		ComputeForces(&bench, drapeModel_AddStretch);
		AssertBalanced(&bench);
		ComputeForces(&bench, drapeModel_AddBending);
		AssertBalanced(&bench);
		Bench_Destroy(&bench);
		TestMesh_Free(&mesh);
	}
	// Heights of one to nine.
	drapeMesh mesh = Hinge(0.9f, 0.1f);
	drapeMaterial material = drapeDefaultMaterial();
	drapeSpringDef springs = drapeDefaultSpringDef();
	Bench bench;
	Bench_Create(&bench, &mesh, &material, &springs, 0);
	for (int i = 1; i < 17; ++i)
	{
		Fold(&bench, 0.1f, 0.18f * (float)i);
		ComputeForces(&bench, drapeModel_AddBending);
		AssertBalanced(&bench);
	}
	Bench_Destroy(&bench);
	TestMesh_Free(&mesh);
}

// --- damping --------------------------------------------------------------------------------------------------------

// What damping adds, as the difference to the forces at rest. Returns the power it takes in, W, and the size of the
// forces.
static double DampingPower(Bench* bench, AddForces* add, double* size)
{
	ActiveMesh* active = &bench->rig.active;
	uint32_t count = active->particleCount;
	Vec4* moving = malloc(count * sizeof *moving);
	Vec4* still = calloc(count, sizeof *still);
	ComputeForces(bench, add);
	memcpy(moving, bench->force, count * sizeof *moving);
	Vec4* velocity = active->velocity;
	active->velocity = still;
	ComputeForces(bench, add);
	active->velocity = velocity;
	double power = 0.0;
	*size = 0.0;
	for (uint32_t i = 0; i < count; ++i)
	{
		Vec3 f = V3Sub(V4Xyz(moving[i]), V4Xyz(bench->force[i]));
		power += (double)V3Dot(f, V4Xyz(velocity[i]));
		*size += (double)V3Length(f);
	}
	free(moving);
	free(still);
	return power;
}

static void ProjectedDampingLeavesRotationAloneAndSimpleDoesNot(void** state)
{
	(void)state;
	for (int damping = 0; damping < 2; ++damping)
	{
		drapeMesh mesh = TestMesh_Grid(4, 4, 1.0f, 1.0f, 0.2f, 5);
		drapeMaterial material = drapeDefaultMaterial();
		material.dampingTime = 0.1f;
		drapeSpringDef springs = drapeDefaultSpringDef();
		springs.damping = (drapeDamping)damping;
		Bench bench;
		Bench_Create(&bench, &mesh, &material, &springs, 0);
		Random random = Random_Seed(4, 4);
		Shake(&bench, &random, 0.0f, 0.1f);
		Vec3 spin = {1.0f, -2.0f, 0.5f};
		for (uint32_t i = 0; i < bench.rig.active.particleCount; ++i)
		{
			Vec3 v = V3Cross(spin, V4Xyz(bench.rig.active.position[i]));
			bench.rig.active.velocity[i] = (Vec4){v.x, v.y, v.z, bench.rig.active.velocity[i].w};
		}
		double size, bendSize, power = DampingPower(&bench, drapeModel_AddStretch, &size);
		DampingPower(&bench, drapeModel_AddBending, &bendSize);
		if (damping == drape_dampingProjected)
			assert_true(size < 1e-3);
		else
			assert_true(size > 10.0 && power < -1.0);
		assert_true(bendSize < 1e-6);
		Bench_Destroy(&bench);
		TestMesh_Free(&mesh);
	}
}

static void DampingOnlyTakesEnergyAway(void** state)
{
	(void)state;
	Random random = Random_Seed(6, 4);
	for (int variant = 0; variant < 4; ++variant)
	{
		drapeMesh mesh = TestMesh_Grid(4, 4, 1.0f, 1.0f, 0.2f, 5);
		drapeMaterial material = drapeDefaultMaterial();
		material.dampingTime = 0.1f;
		drapeSpringDef springs = drapeDefaultSpringDef();
		springs.damping = (drapeDamping)(variant % 2);
		springs.bending = variant / 2 ? drape_bendSprings : drape_bendElements;
		Bench bench;
		Bench_Create(&bench, &mesh, &material, &springs, 0);
		for (int round = 0; round < 20; ++round)
		{
			Shake(&bench, &random, 0.02f, 0.05f);
			for (uint32_t i = 0; i < bench.rig.active.particleCount; ++i)
			{
				bench.rig.active.velocity[i].x = Random_Range(&random, -1.0f, 1.0f);
				bench.rig.active.velocity[i].y = Random_Range(&random, -1.0f, 1.0f);
				bench.rig.active.velocity[i].z = Random_Range(&random, -1.0f, 1.0f);
			}
			double size;
			assert_true(DampingPower(&bench, drapeModel_AddStretch, &size) < 0.0 && size > 1.0);
			assert_true(DampingPower(&bench, drapeModel_AddBending, &size) < 0.0);
		}
		Bench_Destroy(&bench);
		TestMesh_Free(&mesh);
	}
}

// --- stiffness ------------------------------------------------------------------------------------------------------

static void SpringConstantsFollowTheirLaw(void** state)
{
	(void)state;
	for (int law = 0; law < 2; ++law)
	{
		drapeMesh mesh = TestMesh_Grid(3, 3, 1.0f, 1.0f, 0.3f, 8);
		drapeMaterial material = drapeDefaultMaterial();
		material.stretchWarp = 50.0f;
		material.stretchWeft = 150.0f; // springs know the mean only
		drapeSpringDef springs = drapeDefaultSpringDef();
		springs.law = (drapeSpringLaw)law;
		Bench bench;
		Bench_Create(&bench, &mesh, &material, &springs, 1);
		Random random = Random_Seed(8, 8);
		for (int i = 0; i < 6; ++i)
			Rig_RandomPass(&bench.rig, &random, 40, 0.8f);
		const ActiveMesh* active = &bench.rig.active;
		ModelContext context = {&bench.model, active};
		uint32_t deepest = 0;
		for (uint32_t e = 0; e < active->edgeCount; ++e)
		{
			GraphElement spring;
			assert_true(drapeModel_DescribeStretch(&context, e, &spring));
			float l = active->restLength[e], area = active->area[active->wings[e].triangle[0]];
			if (active->wings[e].triangle[1] != DRAPE_NONE)
				area += active->area[active->wings[e].triangle[1]];
			double wanted = law == drape_springLength ? 100.0 / (double)l * pow(2.0 / 3.0, active->edgeLevel[e])
			                                          : 100.0 * (double)area / ((double)l * (double)l);
			assert_true(fabs((double)spring.param[1] - wanted) < 1e-5 * wanted);
			assert_true(spring.param[0] == l);
			deepest = MaxU32(deepest, active->edgeLevel[e]);
		}
		assert_true(deepest >= 3);
		Bench_Destroy(&bench);
		TestMesh_Free(&mesh);
	}
}

static void AreaLawGivesAStretchedSheetTheSameEnergyAtEveryLevel(void** state)
{
	(void)state;
	double first[2] = {0};
	for (uint32_t level = 0; level <= 3; ++level)
	{
		for (int law = 0; law < 2; ++law)
		{
			drapeMesh mesh = TestMesh_Grid(4, 4, 1.0f, 1.0f, 0.0f, 1);
			drapeMaterial material = Undamped();
			drapeSpringDef springs = drapeDefaultSpringDef();
			springs.law = (drapeSpringLaw)law;
			Bench bench;
			Bench_Create(&bench, &mesh, &material, &springs, level);
			for (uint32_t i = 0; i < bench.rig.active.particleCount; ++i)
				bench.rig.active.position[i].x *= 1.1f;
			double energy = drapeModel_StretchEnergy(&bench.model, bench.rig.active.position);
			first[law] = level == 0 ? energy : first[law];
			printf("level %u, %s law: %.4f of the energy at level 0\n", level, law ? "length" : "area",
			       energy / first[law]);
			if (law == drape_springArea)
				assert_true(fabs(energy / first[law] - 1.0) < 0.01);
			Bench_Destroy(&bench);
			TestMesh_Free(&mesh);
		}
	}
}

// --- the rest shape across an edge ----------------------------------------------------------------------------------

static void OppositeDistancesOfAFlatSheetAreThoseInSpace(void** state)
{
	(void)state;
	Random random = Random_Seed(12, 1);
	for (int variant = 0; variant < 6; ++variant)
	{
		drapeMesh mesh = TestMesh_Grid(4, 3, 1.0f, 1.0f, 0.35f, 21);
		// Turned in space, so that the warp runs some way across it.
		drapeTransform turn = drapeIdentityTransform();
		turn.rotation = drapeQuat_FromAxisAngle((Vec3){0.3f, 0.2f, 1.0f}, (float)variant);
		for (uint32_t i = 0; i < mesh.vertexCount; ++i)
			TestMesh_Positions(&mesh)[i] = drapeTransform_Point(turn, mesh.positions[i]);
		Rig rig;
		Rig_Create(&rig, &mesh);
		Rig_RefineAll(&rig);
		Rig_RandomPass(&rig, &random, 60, 0.8f);
		uint32_t inner = 0;
		for (uint32_t e = 0; e < rig.active.edgeCount; ++e)
		{
			const EdgeWings* wings = &rig.active.wings[e];
			if (wings->triangle[1] == DRAPE_NONE)
				continue;
			Vec3 d =
				V3Sub(V4Xyz(rig.active.position[wings->opposite[0]]), V4Xyz(rig.active.position[wings->opposite[1]]));
			assert_true(fabsf(drapeModel_OppositeDistance(&rig.active, e) - V3Length(d)) < 1e-5f);
			inner++;
		}
		assert_true(inner > 50);
		Rig_Destroy(&rig);
		TestMesh_Free(&mesh);
	}
}

static Vec2 Turned(Vec2 p, float angle, Vec2 shift)
{
	float c = cosf(angle), s = sinf(angle);
	return (Vec2){c * p.x - s * p.y + shift.x, s * p.x + c * p.y + shift.y};
}

// Simnett 2012, 4.3.2: the sides of a seam have frames and lengths of their own; they meet in the middle of the edge.
static void AcrossASeamTheOppositeDistanceIsThatOfSidesAnchoredInTheMiddle(void** state)
{
	(void)state;
	drapeMesh mesh = Hinge(0.8f, 0.5f);
	for (int turn = 0; turn < 8; ++turn)
	{
		float left = 0.7f * (float)turn, right = 2.1f - 1.3f * (float)turn;
		Vec2 away = {3.0f, -5.0f};
		const Vec2 material[6] = {
			Turned((Vec2){-0.5f, 0.0f}, left, away),  Turned((Vec2){0.5f, 0.0f}, left, away),
			Turned((Vec2){0.2f, 0.8f}, left, away),   Turned((Vec2){0.6f, 0.0f}, right, away),
			Turned((Vec2){-0.6f, 0.0f}, right, away), Turned((Vec2){0.1f, -0.5f}, right, away),
		};
		drapeRestDef rest = drapeDefaultRestDef();
		rest.source = drape_restMaterial;
		rest.material = material;
		static drapeMeshReport report;
		PatternMesh pattern = {0};
		ActiveMesh active = {.density = 0.2f};
		Scheme* scheme = NULL;
		assert_int_equal(drapePatternMesh_Create(&pattern, &mesh, &rest, &report), drape_ok);
		assert_int_equal(drapeFixedScheme_Create(&scheme, &pattern, &active), drape_ok);
		uint32_t seams = 0;
		for (uint32_t e = 0; e < active.edgeCount; ++e)
		{
			if (active.wings[e].triangle[1] == DRAPE_NONE)
				continue;
			seams += active.edgeFlags[e] & drape_edgeSeam ? 1 : 0;
			assert_true(fabsf(drapeModel_OppositeDistance(&active, e) - hypotf(0.1f, 1.3f)) < 1e-5f);
			assert_true(fabsf(active.restLength[e] - 1.1f) < 1e-5f);
		}
		assert_int_equal(seams, 1);
		scheme->type->destroy(scheme);
		drapeActiveMesh_Destroy(&active);
		drapePatternMesh_Destroy(&pattern);
	}
	TestMesh_Free(&mesh);
}

// --- bending of a sheet ---------------------------------------------------------------------------------------------

// Energy per area of a sheet bent to a cylinder along a direction, over B / (2 R^2).
static double CylinderEnergy(uint32_t quads, float radius, float degrees)
{
	drapeMesh mesh = TestMesh_Grid(quads, quads, 1.0f, 1.0f, 0.0f, 1);
	drapeMaterial material = Undamped();
	material.bendWarp = material.bendWeft = 1.0f;
	drapeSpringDef springs = drapeDefaultSpringDef();
	Bench bench;
	Bench_Create(&bench, &mesh, &material, &springs, 0);
	float c = cosf(degrees * 0.0174532925f), s = sinf(degrees * 0.0174532925f);
	for (uint32_t i = 0; i < bench.rig.active.particleCount; ++i)
	{
		Vec4* p = &bench.rig.active.position[i];
		float along = c * p->x + s * p->y, across = c * p->y - s * p->x;
		*p = (Vec4){radius * sinf(along / radius), across, radius * cosf(along / radius), p->w};
	}
	double energy = drapeModel_BendEnergy(&bench.model, bench.rig.active.position);
	Bench_Destroy(&bench);
	TestMesh_Free(&mesh);
	return energy * 2.0 * (double)(radius * radius);
}

static void ASheetOnACylinderHasTheBendingEnergyOfAPlate(void** state)
{
	(void)state;
	const float degrees[] = {0.0f, 22.5f, 45.0f, 67.5f, 90.0f, 135.0f};
	for (size_t i = 0; i < sizeof degrees / sizeof degrees[0]; ++i)
	{
		double coarse = CylinderEnergy(16, 0.4f, degrees[i]), fine = CylinderEnergy(64, 0.4f, degrees[i]);
		printf("bent along %.1f degrees: %.3f of a plate's energy, %.3f on 64 x 64 quads\n", (double)degrees[i], coarse,
		       fine);
		if (degrees[i] == 0.0f || degrees[i] == 90.0f)
			assert_true(fabs(fine - 1.0) < 0.15);
		assert_true(fine > 0.5 && fine < 2.0);
	}
}

// --- air ------------------------------------------------------------------------------------------------------------

static void AirForcesAreTheSumOverTriangles(void** state)
{
	(void)state;
	Random random = Random_Seed(15, 1);
	for (int kind = drape_windNone; kind <= drape_windTurbulent; ++kind)
	{
		drapeMesh mesh = TestMesh_Grid(7, 5, 1.0f, 1.0f, 0.3f, 3);
		drapeMaterial material = drapeDefaultMaterial();
		drapeSpringDef springs = drapeDefaultSpringDef();
		Bench bench;
		Bench_Create(&bench, &mesh, &material, &springs, 0);
		ActiveMesh* active = &bench.rig.active;
		Shake(&bench, &random, 0.05f, 0.2f);
		for (uint32_t i = 0; i < active->particleCount; ++i)
			active->velocity[i].y = Random_Range(&random, -2.0f, 2.0f);
		drapeWindDef wind = drapeDefaultWindDef();
		wind.kind = (drapeWind)kind;
		wind.velocity = (Vec3){3.0f, 1.0f, -2.0f};
		wind.swirlSpeed = 1.0f;
		Vec4* wanted = calloc(active->particleCount, sizeof *wanted);
		for (uint32_t t = 0; t < active->triangleCount; ++t)
		{
			const uint32_t* corner = active->triangle[t];
			Vec3 x[3], v = {0.0f, 0.0f, 0.0f}, centre = v, force;
			for (int k = 0; k < 3; ++k)
			{
				x[k] = V4Xyz(active->position[corner[k]]);
				v = V3Add(v, V3Scale(1.0f / 3.0f, V4Xyz(active->velocity[corner[k]])));
				centre = V3Add(centre, V3Scale(1.0f / 3.0f, x[k]));
			}
			Wind_TriangleForce(wind.airDensity, material.drag, material.lift,
			                   V3Sub(drapeWind_At(&wind, centre, 1.5), v),
			                   V3Cross(V3Sub(x[1], x[0]), V3Sub(x[2], x[0])), &force);
			for (int k = 0; k < 3; ++k)
			{
				Vec4* row = &wanted[corner[k]];
				*row = (Vec4){row->x + force.x / 3.0f, row->y + force.y / 3.0f, row->z + force.z / 3.0f, 0.0f};
			}
		}
		ModelState moment = {active->position, active->velocity, 1.5};
		drapeModel_AddAir(&bench.model, &wind, &moment, bench.force, bench.tasks);
		float largest = LargestForce(&bench);
		assert_true(largest > 0.0f);
		for (uint32_t i = 0; i < active->particleCount; ++i)
			assert_true(V3Length(V3Sub(V4Xyz(wanted[i]), V4Xyz(bench.force[i]))) < 1e-4f * largest);
		free(wanted);
		Bench_Destroy(&bench);
		TestMesh_Free(&mesh);
	}
}

static void AFlatSheetInSteadyWindFeelsTheFlatPlateLaw(void** state)
{
	(void)state;
	drapeMesh mesh = TestMesh_Grid(8, 8, 1.0f, 2.0f, 0.3f, 3); // 2 m^2, normal +z
	drapeMaterial material = drapeDefaultMaterial();
	drapeSpringDef springs = drapeDefaultSpringDef();
	Bench bench;
	Bench_Create(&bench, &mesh, &material, &springs, 0);
	for (int i = 0; i <= 6; ++i)
	{
		double angle = 0.5 * (double)i, speed = 4.0, c = cos(angle), s = sin(angle);
		drapeWindDef wind = drapeDefaultWindDef();
		wind.kind = drape_windSteady;
		wind.velocity = (Vec3){(float)(speed * s), 0.0f, (float)(speed * c)};
		memset(bench.force, 0, bench.rig.active.particleCount * sizeof(Vec4));
		ModelState moment = {bench.rig.active.position, bench.rig.active.velocity, 0.0};
		drapeModel_AddAir(&bench.model, &wind, &moment, bench.force, bench.tasks);
		double x = 0.0, y = 0.0, z = 0.0, pressure = 0.5 * (double)wind.airDensity * 2.0 * speed * speed * fabs(c);
		for (uint32_t p = 0; p < bench.rig.active.particleCount; ++p)
		{
			x += (double)bench.force[p].x;
			y += (double)bench.force[p].y;
			z += (double)bench.force[p].z;
		}
		double along = (double)material.drag - (double)material.lift * fabs(c);
		double wantedX = pressure * along * s;
		double wantedZ = pressure * (along * c + (double)material.lift * copysign(1.0, c));
		assert_true(fabs(x - wantedX) < 1e-3 && fabs(y) < 1e-3 && fabs(z - wantedZ) < 1e-3);
	}
	Bench_Destroy(&bench);
	TestMesh_Free(&mesh);
}

// --- stability ------------------------------------------------------------------------------------------------------

typedef struct StableCase
{
	const char* name;
	drapeMaterial material;
	drapeSpringDef springs;
	float jitter;
	uint32_t levels;
	float shake; // of an edge's length, out of the plane
	float shear; // of the whole sheet at rest, so that triangles are obtuse
} StableCase;

// The largest energy over that at the start, in 2,000 steps of symplectic Euler at this share of the stable step.
static double EnergyGrowth(const StableCase* c, float share)
{
	drapeMesh mesh = TestMesh_Grid(5, 5, 1.0f, 1.0f, c->jitter, 31);
	for (uint32_t i = 0; i < mesh.vertexCount; ++i)
		TestMesh_Positions(&mesh)[i].x += c->shear * mesh.positions[i].y;
	Bench bench;
	Bench_Create(&bench, &mesh, &c->material, &c->springs, c->levels);
	ActiveMesh* active = &bench.rig.active;
	Random random = Random_Seed(31, 1);
	float edge = 0.2f / (float)(1 << c->levels);
	Shake(&bench, &random, 0.2f * c->shake * edge, c->shake * edge);
	float* scratch = malloc(active->particleCount * sizeof(float));
	float h = share * drapeModel_StableStep(&bench.model, active, scratch);
	free(scratch);
	assert_true(isfinite(h) && h > 0.0f);
	ModelState state = {active->position, active->velocity, 0.0};
	double first = 0.0, largest = 0.0;
	for (int step = 0; step < 2000 && largest <= 1e6 * first; ++step)
	{
		memset(bench.force, 0, active->particleCount * sizeof(Vec4));
		drapeModel_AddStretch(&bench.model, &state, bench.force, bench.tasks);
		drapeModel_AddBending(&bench.model, &state, bench.force, bench.tasks);
		double energy = drapeModel_StretchEnergy(&bench.model, active->position) +
		                drapeModel_BendEnergy(&bench.model, active->position);
		for (uint32_t i = 0; i < active->particleCount; ++i)
		{
			Vec4 *x = &active->position[i], *v = &active->velocity[i], f = bench.force[i];
			v->x += h * x->w * f.x, v->y += h * x->w * f.y, v->z += h * x->w * f.z;
			x->x += h * v->x, x->y += h * v->y, x->z += h * v->z;
			energy += 0.5 * (double)v->w * (double)(v->x * v->x + v->y * v->y + v->z * v->z);
		}
		first = step == 0 ? energy : first;
		largest = isfinite(energy) ? fmax(largest, energy) : HUGE_VAL;
	}
	Bench_Destroy(&bench);
	TestMesh_Free(&mesh);
	return largest / first;
}

static void TheStableStepIsStableAndThreeTimesItIsNot(void** state)
{
	(void)state;
	drapeMaterial cloth = Undamped(), board = Undamped(), damped = drapeDefaultMaterial();
	board.stretchWarp = board.stretchWeft = 1.0f;
	board.bendWarp = board.bendWeft = 0.1f;
	damped.dampingTime = 0.01f;
	drapeSpringDef elements = drapeDefaultSpringDef(), crossed = drapeDefaultSpringDef(), byLength = crossed;
	crossed.bending = drape_bendSprings;
	crossed.bendSpringRatio = 1.0f;
	byLength.law = drape_springLength;
	// A board that is soft in its plane bends by little before its triangles are crushed.
	const StableCase cases[] = {
		{"cotton", cloth, elements, 0.0f, 0, 0.1f, 0.0f},
		{"cotton, irregular", cloth, elements, 0.4f, 0, 0.1f, 0.0f},
		{"cotton, refined", cloth, elements, 0.3f, 2, 0.1f, 0.0f},
		{"bending springs", cloth, crossed, 0.4f, 0, 0.1f, 0.0f},
		{"length law", cloth, byLength, 0.3f, 1, 0.1f, 0.0f},
		{"stiff in bending", board, elements, 0.0f, 0, 0.01f, 0.0f},
		{"stiff in bending, irregular", board, elements, 0.4f, 0, 0.01f, 0.0f},
		{"stiff in bending, refined", board, elements, 0.4f, 1, 0.01f, 0.0f},
		{"stiff in bending, obtuse", board, elements, 0.0f, 0, 0.003f, 3.0f},
		{"damped", damped, elements, 0.3f, 0, 0.1f, 0.0f},
	};
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i)
	{
		double below = EnergyGrowth(&cases[i], 0.8f), above = EnergyGrowth(&cases[i], 3.0f);
		printf("%s: energy grows by %.2f at 0.8 of the stable step, by %.2g at 3 times\n", cases[i].name, below, above);
		assert_true(below < 3.0);
		assert_true(above > 1e4);
	}
}

// As damping dominates, the stable step goes to 2 / (omega^2 tau), not to zero.
static void StrongDampingLeavesAStableStep(void** state)
{
	(void)state;
	drapeMesh mesh = TestMesh_Grid(3, 3, 1.0f, 1.0f, 0.0f, 1);
	drapeSpringDef springs = drapeDefaultSpringDef();
	float last = INFINITY, scratch[16];
	for (float tau = 0.001f; tau < 2e6f; tau *= 10.0f)
	{
		drapeMaterial material = drapeDefaultMaterial();
		material.dampingTime = tau;
		Bench bench;
		Bench_Create(&bench, &mesh, &material, &springs, 0);
		float h = drapeModel_StableStep(&bench.model, &bench.rig.active, scratch);
		assert_true(h > 0.0f && h < last);
		if (tau > 10.0f)
			assert_true(fabsf(last / h - 10.0f) < 0.1f);
		last = h;
		Bench_Destroy(&bench);
	}
	TestMesh_Free(&mesh);
}

// --- validity -------------------------------------------------------------------------------------------------------

static void NonsenseIsNoMaterial(void** state)
{
	(void)state;
	drapeMaterial good = drapeDefaultMaterial();
	drapeSpringDef springs = drapeDefaultSpringDef();
	assert_true(drapeModel_IsValid(&good, &springs, NULL));
	for (uint32_t i = 0; drapeMaterial_GetPresetName(i); ++i)
	{
		drapeMaterial preset;
		assert_int_equal(drapeMaterial_GetPreset(drapeMaterial_GetPresetName(i), &preset, NULL), drape_ok);
		assert_true(drapeModel_IsValid(&preset, &springs, NULL));
		assert_non_null(drapeMaterial_GetPresetHelp(i));
	}
	const float bad[] = {-1.0f, NAN, INFINITY, -INFINITY, 2e9f};
	// Curves come last; test_fabrics has theirs.
	for (size_t field = 0; field < offsetof(drapeMaterial, warpCurve) / sizeof(float); ++field)
	{
		bool isCurl = field == offsetof(drapeMaterial, curlWarp) / sizeof(float) ||
		              field == offsetof(drapeMaterial, curlWeft) / sizeof(float);
		for (size_t i = isCurl ? 1 : 0; i < sizeof bad / sizeof bad[0]; ++i) // curl may be negative
		{
			drapeMaterial material = good;
			const char* reason = NULL;
			((float*)&material)[field] = bad[i];
			assert_false(drapeModel_IsValid(&material, &springs, &reason));
			assert_non_null(reason);
		}
	}
	drapeSpringDef wrong[] = {springs, springs, springs, springs};
	wrong[0].law = (drapeSpringLaw)2;
	wrong[1].damping = (drapeDamping)2;
	wrong[2].bending = (drapeBending)3;
	wrong[3].bendSpringRatio = 1.5f;
	for (int i = 0; i < 4; ++i)
		assert_false(drapeModel_IsValid(&good, &wrong[i], NULL));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(StretchForcesAreTheGradientOfTheirEnergy),
		cmocka_unit_test(BendingForcesAreTheGradientOfTheirEnergy),
		cmocka_unit_test(AHingePushesAsItsEnergySaysAtAnyAngle),
		cmocka_unit_test(ForcesAreFiniteForCollapsedTriangles),
		cmocka_unit_test(InnerForcesNeitherPushNorTurn),
		cmocka_unit_test(ProjectedDampingLeavesRotationAloneAndSimpleDoesNot),
		cmocka_unit_test(DampingOnlyTakesEnergyAway),
		cmocka_unit_test(SpringConstantsFollowTheirLaw),
		cmocka_unit_test(AreaLawGivesAStretchedSheetTheSameEnergyAtEveryLevel),
		cmocka_unit_test(OppositeDistancesOfAFlatSheetAreThoseInSpace),
		cmocka_unit_test(AcrossASeamTheOppositeDistanceIsThatOfSidesAnchoredInTheMiddle),
		cmocka_unit_test(ASheetOnACylinderHasTheBendingEnergyOfAPlate),
		cmocka_unit_test(AirForcesAreTheSumOverTriangles),
		cmocka_unit_test(AFlatSheetInSteadyWindFeelsTheFlatPlateLaw),
		cmocka_unit_test(TheStableStepIsStableAndThreeTimesItIsNot),
		cmocka_unit_test(StrongDampingLeavesAStableStep),
		cmocka_unit_test(NonsenseIsNoMaterial),
	};
	return cmocka_run_group_tests_name("model", tests, NULL, NULL);
}
