// SPDX-License-Identifier: MIT
#include "meshes.h"
#include "shared/make.h"
#include "sheet.h"

#include "base/random.h"
#include "world/world.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// The square-root-3 scheme in a world: every criterion, both models, colliders, pins, snapshots, threads.

static drapeAdaptDef Plain(uint32_t maxLevel)
{
	drapeAdaptDef def = Sheet_Plain(maxLevel);
	def.scheme = drape_schemeSqrt3;
	return def;
}

static uint32_t Triangles(drapeClothId cloth)
{
	return drapeCloth_GetView(cloth).triangleCount;
}

// Refined in one shape and settled, then back at the pattern in another: no criterion asks for what it has just undone.
static void AssertComesAndGoes(const drapeAdaptDef* def, SheetShape* shape, float amount, float restAmount)
{
	Sheet sheet = Sheet_Create(6, 6, def);
	uint32_t pattern = Triangles(sheet.cloth);
	assert_true(Sheet_SetShape(sheet.cloth, shape, amount));
	assert_true(Sheet_Settle(sheet.cloth, 3, 60, shape, amount));
	Sheet_Check(sheet.world);
	assert_true(Triangles(sheet.cloth) > 2 * pattern);
	assert_true(Sheet_SetShape(sheet.cloth, Sheet_Flat, restAmount));
	assert_true(Sheet_Settle(sheet.cloth, 3, 60, Sheet_Flat, restAmount));
	Sheet_Check(sheet.world);
	assert_int_equal(Triangles(sheet.cloth), pattern);
	Sheet_Destroy(&sheet);
}

static void CurvatureRefinesAndRejoins(void** state)
{
	(void)state;
	drapeAdaptDef def = Plain(6);
	def.curvature = (drapeCurvatureCriterion){.enabled = true, .splitAngle = 0.15f, .joinAngle = 0.1f};
	AssertComesAndGoes(&def, Sheet_Cylinder, 2.0f, 1.0f);
	AssertComesAndGoes(&def, Sheet_Bumps, 0.05f, 1.0f);
}

static void MeanCurvatureRefinesAndRejoinsInBothSchemes(void** state)
{
	(void)state;
	for (int scheme = 0; scheme < 2; ++scheme)
	{
		drapeAdaptDef def = Plain(scheme == 0 ? 6 : 3);
		def.scheme = scheme == 0 ? drape_schemeSqrt3 : drape_schemeEdge;
		// Not on bumps: at a saddle the mean curvature is 0, and on a ring of few neighbours anything.
		def.meanCurvature = (drapeMeanCurvatureCriterion){true, 0.4f, 2.0f, 0.5f};
		AssertComesAndGoes(&def, Sheet_Cylinder, 2.0f, 1.0f);
	}
}

static void LengthRefinesAndRejoins(void** state)
{
	(void)state;
	drapeAdaptDef def = Plain(4);
	def.length.enabled = true;
	AssertComesAndGoes(&def, Sheet_Flat, 0.95f, 1.0f);
}

// --- mean curvature -------------------------------------------------------------------------------------------------

static void MeanCurvatureOfACylinderAndASphere(void** state)
{
	(void)state;
	drapeAdaptDef def = Plain(4);
	Sheet sheet = Sheet_Create(12, 12, &def);
	drapeCloth_Refine(sheet.cloth);
	assert_true(Sheet_SetShape(sheet.cloth, Sheet_Cylinder, 2.0f));
	Cloth* cloth = drapeCloth_Get(sheet.cloth);
	MeanCurvature curvature = {0};
	assert_true(drapeMeanCurvature_Compute(&curvature, &cloth->active, &cloth->simulation.model.triangles,
	                                       drapeWorlds_Get(sheet.world)->tasks));
	double worst = 0.0;
	for (uint32_t i = 0; i < cloth->active.particleCount; ++i)
		worst = fmax(worst, fabs((double)curvature.value.data[i] - 1.0));
	printf("cylinder, 1 / 2R = 1: off by %.3f at most, on the boundary too\n", worst);
	assert_true(worst < 0.35);
	Sheet_Destroy(&sheet);

	drapeMesh mesh = TestMesh_Sphere(3, 0.5f);
	drapeWorldDef worldDef = drapeDefaultWorldDef();
	drapeWorldId world = Make_World(&worldDef);
	drapeClothDef clothDef = Make_SpringClothDef();
	clothDef.mesh = &mesh;
	clothDef.adapt = def;
	cloth = drapeCloth_Get(Make_Cloth(world, &clothDef));
	worst = 0.0;
	for (int graph = 0; graph < 2; ++graph)
	{
		assert_true(drapeMeanCurvature_Compute(&curvature, &cloth->active,
		                                       graph ? &cloth->simulation.model.triangles : NULL,
		                                       drapeWorlds_Get(world)->tasks));
		for (uint32_t i = 0; i < cloth->active.particleCount; ++i)
			worst = fmax(worst, fabs((double)curvature.value.data[i] - 2.0));
	}
	printf("sphere, 1 / R = 2: off by %.3f at most\n", worst);
	assert_true(worst < 0.1);
	drapeMeanCurvature_Destroy(&curvature);
	drapeDestroyWorld(world);
	TestMesh_Free(&mesh);
}

// At generation g of six the limit is 1 + g, and curvature 4.5 is between those of 3 and 4.
static void LimitsGrowLinearlyWithTheGeneration(void** state)
{
	(void)state;
	drapeAdaptDef def = Plain(6);
	def.meanCurvature = (drapeMeanCurvatureCriterion){true, 1.0f, 7.0f, 0.0f};
	Sheet sheet = Sheet_Create(24, 4, &def);
	assert_true(Sheet_SetShape(sheet.cloth, Sheet_Cylinder, 9.0f));
	assert_true(Sheet_Settle(sheet.cloth, 3, 60, Sheet_Cylinder, 9.0f));
	drapeClothView view = drapeCloth_GetView(sheet.cloth);
	uint32_t fourth = 0;
	for (uint32_t t = 0; t < view.triangleCount; ++t)
		fourth += view.triangleLevels[t] == 4;
	assert_true(fourth > 0.9 * view.triangleCount);
	Sheet_Check(sheet.world);
	Sheet_Destroy(&sheet);
}

// --- criteria that ask --------------------------------------------------------------------------------------------

typedef struct Ball
{
	Vec3 centre;
	float radius;
} Ball;

static bool InBall(drapeVec3 point, void* context)
{
	const Ball* ball = context;
	return V3Length(V3Sub(point, ball->centre)) < ball->radius;
}

static void CollisionRefinesWhereTheObstacleIs(void** state)
{
	(void)state;
	Ball ball = {{0.2f, 0.0f, 0.1f}, 0.15f};
	drapeAdaptDef def = Plain(6);
	def.collision = (drapeCollisionCriterion){.inside = InBall, .context = &ball, .maxLevel = 4};
	Sheet sheet = Sheet_Create(6, 6, &def);
	uint32_t pattern = Triangles(sheet.cloth);
	assert_true(Sheet_Settle(sheet.cloth, 3, 60, NULL, 0.0f));
	Sheet_Check(sheet.world);
	drapeClothView view = drapeCloth_GetView(sheet.cloth);
	assert_true(view.triangleCount > pattern);
	for (uint32_t t = 0; t < view.triangleCount; ++t)
	{
		Vec3 centre = {0.0f, 0.0f, 0.0f};
		for (int k = 0; k < 3; ++k)
			centre = V3Add(centre, V3Scale(1.0f / 3.0f, V4Xyz(view.positions[view.triangles[3 * t + k]])));
		// At the rim triangles of the third generation wait for mates that have no reason to split.
		assert_true(view.triangleLevels[t] >= 3 || !InBall(centre, &ball));
		assert_true(view.triangleLevels[t] <= 5);
	}
	ball.radius = 0.0f;
	assert_true(Sheet_Settle(sheet.cloth, 3, 60, NULL, 0.0f));
	assert_int_equal(Triangles(sheet.cloth), pattern);
	Sheet_Destroy(&sheet);
}

static void InvisibleEdgesAreNotRefined(void** state)
{
	(void)state;
	drapeAdaptDef def = Plain(6);
	def.curvature = (drapeCurvatureCriterion){.enabled = true, .splitAngle = 0.05f, .joinAngle = 0.03f};
	def.visibility = (drapeVisibilityCriterion){.enabled = true, .camera = {0.0f, 5.0f, 0.0f}};
	Sheet sheet = Sheet_Create(6, 6, &def);
	assert_true(Sheet_SetShape(sheet.cloth, Sheet_Cylinder, 6.0f));
	assert_true(Sheet_Settle(sheet.cloth, 3, 60, Sheet_Cylinder, 6.0f));
	Sheet_Check(sheet.world);
	drapeClothView view = drapeCloth_GetView(sheet.cloth);
	uint32_t fine = 0, hidden = 0;
	for (uint32_t t = 0; t < view.triangleCount; ++t)
	{
		bool isHidden = true;
		for (int k = 0; k < 3; ++k)
			isHidden &= view.normals[view.triangles[3 * t + k]].y < -0.7f;
		fine += view.triangleLevels[t] == 6;
		hidden += isHidden && view.triangleLevels[t] == 6;
	}
	assert_true(fine > 500);
	assert_int_equal(hidden, 0);
	Sheet_Destroy(&sheet);
}

typedef struct Wishes
{
	drapeWish whole, split;
} Wishes;

static drapeWish SameWish(const drapeEdgeInfo* edge, void* context)
{
	const Wishes* wishes = context;
	return edge->isSplit ? wishes->split : edge->from.x > 0.0f || edge->to.x > 0.0f ? wishes->whole : drape_wishNone;
}

static void AUsersWishIsGranted(void** state)
{
	(void)state;
	Wishes wishes = {drape_wishSplit, drape_wishNone};
	drapeAdaptDef def = Plain(4);
	def.user = (drapeUserCriterion){SameWish, &wishes};
	Sheet sheet = Sheet_Create(6, 6, &def);
	uint32_t pattern = Triangles(sheet.cloth);
	assert_true(Sheet_Settle(sheet.cloth, 3, 60, NULL, 0.0f));
	Sheet_Check(sheet.world);
	drapeClothView view = drapeCloth_GetView(sheet.cloth);
	for (uint32_t t = 0; t < view.triangleCount; ++t)
	{
		bool isRight = true;
		for (int k = 0; k < 3; ++k)
			isRight &= view.positions[view.triangles[3 * t + k]].x > 0.01f;
		assert_true(!isRight || view.triangleLevels[t] == 4);
	}
	wishes = (Wishes){drape_wishNone, drape_wishSplit};
	uint32_t refined = view.triangleCount;
	Sheet_Adapt(sheet.cloth);
	assert_int_equal(Triangles(sheet.cloth), refined);
	wishes.split = drape_wishJoin;
	assert_true(Sheet_Settle(sheet.cloth, 3, 60, NULL, 0.0f));
	assert_int_equal(Triangles(sheet.cloth), pattern);
	Sheet_Destroy(&sheet);
}

static void ALowerMaximumRejoinsWhatIsDeeper(void** state)
{
	(void)state;
	drapeAdaptDef def = Plain(6);
	Sheet sheet = Sheet_Create(4, 4, &def);
	for (int i = 0; i < 3; ++i)
		assert_int_equal(drapeCloth_Refine(sheet.cloth), drape_ok);
	assert_int_equal(Triangles(sheet.cloth), 27 * 32);
	def.maxLevel = 3;
	assert_int_equal(drapeCloth_SetAdapt(sheet.cloth, &def), drape_ok);
	assert_true(Sheet_Settle(sheet.cloth, 3, 60, NULL, 0.0f));
	assert_int_equal(Triangles(sheet.cloth), 3 * 32);
	assert_int_equal(Sheet_DeepestLevel(sheet.cloth), 2);
	Sheet_Check(sheet.world);
	Sheet_Destroy(&sheet);
}

static void ATriangleBudgetHolds(void** state)
{
	(void)state;
	drapeAdaptDef def = Plain(6);
	def.curvature.enabled = true;
	Sheet sheet = Sheet_Create(8, 8, &def);
	const uint32_t budgets[] = {1500, 600, 2500};
	for (int i = 0; i < 3; ++i)
	{
		drapeBudgetDef budget = {.triangles = budgets[i]};
		assert_int_equal(drapeCloth_SetBudget(sheet.cloth, &budget), drape_ok);
		for (int pass = 0; pass < 80; ++pass)
		{
			assert_true(Sheet_SetShape(sheet.cloth, Sheet_Bumps, 0.06f));
			Sheet_Adapt(sheet.cloth);
		}
		uint32_t count = Triangles(sheet.cloth);
		printf("budget %u: %u triangles\n", budgets[i], count);
		assert_true(count > budgets[i] * 8 / 10 && count < budgets[i] * 12 / 10);
		Sheet_Check(sheet.world);
	}
	Sheet_Destroy(&sheet);
}

// --- by hand --------------------------------------------------------------------------------------------------------

static void ThirdsGoTogetherByHand(void** state)
{
	(void)state;
	drapeAdaptDef def = Plain(4);
	Sheet sheet = Sheet_Create(2, 2, &def);
	for (int i = 0; i < 2; ++i)
		drapeCloth_Refine(sheet.cloth);
	uint32_t before = drapeCloth_GetView(sheet.cloth).particleCount, third = DRAPE_NONE;
	for (uint32_t i = 0; i < before; ++i)
	{
		if (drapeCloth_GetOrigin(sheet.cloth, i).count == 2)
			third = i;
	}
	assert_true(third != DRAPE_NONE);
	drapeParticleOrigin origin = drapeCloth_GetOrigin(sheet.cloth, third);
	assert_true(fabsf(origin.weights[0] - 2.0f / 3.0f) < 1e-6f && fabsf(origin.weights[1] - 1.0f / 3.0f) < 1e-6f);
	assert_int_equal(drapeCloth_JoinParticle(sheet.cloth, third), drape_ok);
	assert_int_equal(drapeCloth_GetView(sheet.cloth).particleCount, before - 2);
	assert_int_equal(drapeCloth_JoinParticle(sheet.cloth, 0), drape_errorBlocked);
	Sheet_Check(sheet.world);
	Sheet_Destroy(&sheet);
}

static void ParticlesBetweenPinsFollowThem(void** state)
{
	(void)state;
	drapeWorldDef worldDef = drapeDefaultWorldDef();
	drapeWorldId world = Make_World(&worldDef);
	drapeMesh mesh;
	assert_int_equal(drapeMesh_CreateGrid(4, 4, 1.0f, 1.0f, &mesh, NULL), drape_ok);
	drapeClothDef def = Make_SpringClothDef();
	def.mesh = &mesh;
	def.adapt = Plain(6);
	def.pinMiddles = true;
	drapeClothId cloth = Make_Cloth(world, &def);
	drapePinId pins[5];
	for (uint32_t i = 0; i < 5; ++i)
		pins[i] = Make_Pin(cloth, i);
	for (int i = 0; i < 3; ++i)
		assert_int_equal(drapeCloth_Refine(cloth), drape_ok);
	const ActiveMesh* active = &drapeCloth_Get(cloth)->active;
	uint32_t followers = 0;
	for (uint32_t i = 0; i < active->particleCount; ++i)
		followers += (active->particleFlags[i] & drape_particleFollows) != 0;
	assert_int_equal(followers, 8); // two on each of the four edges between the pins
	for (int step = 0; step < 10; ++step)
	{
		float width = 0.25f - 0.015f * (float)(step + 1); // of an edge; at once it would be a jump
		for (uint32_t i = 0; i < 5; ++i)
			drapePin_SetTarget(pins[i], (drapeVec3){width * (float)i, 0.01f * (float)step, 0.2f * width * (float)i});
		assert_int_equal(drapeWorld_Step(world, 1.0f / 60.0f), drape_ok);
	}
	for (uint32_t i = 0; i < active->particleCount; ++i)
	{
		if (!(active->particleFlags[i] & drape_particleFollows))
			continue;
		Vec4 x = active->position[i];
		assert_true(fabsf(x.y - 0.09f) < 1e-5f && fabsf(x.z - 0.2f * x.x) < 1e-5f);
	}
	drapeDestroyPin(pins[2]);
	followers = 0;
	for (uint32_t i = 0; i < active->particleCount; ++i)
		followers += (active->particleFlags[i] & drape_particleFollows) != 0;
	assert_int_equal(followers, 4);
	Sheet_Check(world);
	drapeDestroyWorld(world);
	drapeMesh_Free(&mesh);
}

// A roof of two triangles over a wall: the flip between its slopes would be in the wall.
static void AFlipIntoAColliderWaits(void** state)
{
	(void)state;
	static const drapeVec3 positions[] = {
		{-0.5f, 1.0f, 0.0f}, {0.5f, 1.0f, 0.0f}, {0.0f, 0.0f, 1.0f}, {0.0f, 0.0f, -1.0f}};
	static const uint32_t triangles[] = {0, 2, 1, 0, 1, 3};
	drapeMesh mesh = {.positions = positions, .vertexCount = 4, .triangles = triangles, .triangleCount = 2};
	drapeWorldDef worldDef = drapeDefaultWorldDef();
	drapeWorldId world = Make_World(&worldDef);
	drapeColliderDef wall = drapeDefaultColliderDef();
	wall.shape = drape_shapeBox;
	wall.halfExtents = (drapeVec3){2.0f, 0.45f, 0.02f};
	wall.transform.position.y = 0.5f;
	drapeColliderId collider = Make_Collider(world, &wall);
	Wishes wishes = {drape_wishSplit, drape_wishNone};
	drapeClothDef def = Make_SpringClothDef();
	def.mesh = &mesh;
	def.adapt = Plain(2);
	def.adapt.user = (drapeUserCriterion){SameWish, &wishes};
	drapeClothId cloth = Make_Cloth(world, &def);
	for (int pass = 0; pass < 3; ++pass)
	{
		Sheet_Adapt(cloth);
		Sheet_Check(world);
		assert_int_equal(Triangles(cloth), 6);
		assert_int_equal(Sheet_ShallowestLevel(cloth), 1);
	}
	drapeDestroyCollider(collider);
	Sheet_Adapt(cloth);
	Sheet_Check(world);
	assert_int_equal(Triangles(cloth), 6);
	assert_int_equal(Sheet_ShallowestLevel(cloth), 2);
	drapeDestroyWorld(world);
}

// A tent over a ball: without its top the triangle would be in the ball.
static void AParticleThatKeepsTheClothOffAColliderStays(void** state)
{
	(void)state;
	static const drapeVec3 positions[] = {{-1.0f, 0.0f, -1.0f}, {0.0f, 0.0f, 1.0f}, {1.0f, 0.0f, -1.0f}};
	static const uint32_t triangles[] = {0, 1, 2};
	drapeMesh mesh = {.positions = positions, .vertexCount = 3, .triangles = triangles, .triangleCount = 1};
	drapeWorldDef worldDef = drapeDefaultWorldDef();
	drapeWorldId world = Make_World(&worldDef);
	drapeColliderDef ball = drapeDefaultColliderDef();
	ball.radius = 0.1f;
	ball.transform.position.z = -1.0f / 3.0f;
	drapeColliderId collider = Make_Collider(world, &ball);
	Wishes wishes = {drape_wishNone, drape_wishJoin};
	drapeClothDef def = Make_SpringClothDef();
	def.mesh = &mesh;
	def.adapt = Plain(2);
	def.adapt.user = (drapeUserCriterion){SameWish, &wishes};
	drapeClothId cloth = Make_Cloth(world, &def);
	assert_int_equal(drapeCloth_Refine(cloth), drape_ok);
	const drapeVec3 tent[] = {positions[0], positions[1], positions[2], {0.0f, 0.5f, -1.0f / 3.0f}};
	assert_int_equal(drapeCloth_SetPositions(cloth, tent), drape_ok);
	assert_int_equal(Sheet_Adapt(cloth).joinsBlocked, 1);
	assert_int_equal(Triangles(cloth), 3);
	drapeDestroyCollider(collider);
	assert_int_equal(Sheet_Adapt(cloth).joins, 1);
	assert_int_equal(Triangles(cloth), 1);
	Sheet_Check(world);
	drapeDestroyWorld(world);
}

// --- points of the pattern ------------------------------------------------------------------------------------------

static void PatternPointsAreFoundAcrossFlippedEdges(void** state)
{
	(void)state;
	drapeMesh mesh = TestMesh_Grid(5, 4, 1.0f, 1.0f, 0.3f, 8);
	drapeWorldDef worldDef = drapeDefaultWorldDef();
	drapeWorldId world = Make_World(&worldDef);
	drapeClothDef def = Make_SpringClothDef();
	def.mesh = &mesh;
	def.adapt = Plain(8);
	drapeClothId cloth = Make_Cloth(world, &def);
	Random random = Random_Seed(2, 2);
	for (int pass = 0; pass < 30; ++pass)
	{
		for (int i = 0; i < 10; ++i)
			drapeCloth_SplitEdge(cloth, Random_Below(&random, drapeCloth_GetView(cloth).edgeCount));
		drapePatternPoint points[50];
		drapeVec3 found[50], wanted[50];
		for (int i = 0; i < 50; ++i)
		{
			float a = Random_Float(&random), b = Random_Float(&random) * (1.0f - a);
			points[i] = (drapePatternPoint){Random_Below(&random, mesh.triangleCount), {1.0f - a - b, a, b}};
			wanted[i] = (drapeVec3){0.0f, 0.0f, 0.0f};
			for (int k = 0; k < 3; ++k)
				wanted[i] = V3Add(wanted[i], V3Scale(points[i].weights[k],
				                                     mesh.positions[mesh.triangles[3 * points[i].triangle + k]]));
		}
		assert_int_equal(drapeCloth_Evaluate(cloth, points, 50, found, NULL), drape_ok);
		for (int i = 0; i < 50; ++i)
			assert_true(V3Length(V3Sub(found[i], wanted[i])) < 1e-5f);
	}
	drapeDestroyWorld(world);
	TestMesh_Free(&mesh);
}

// --- energy -------------------------------------------------------------------------------------------------------

static drapeClothId FemSheet(drapeWorldId world)
{
	drapeMesh mesh;
	assert_int_equal(drapeMesh_CreateGrid(8, 8, 1.0f, 1.0f, &mesh, NULL), drape_ok);
	drapeClothDef def = Make_SpringClothDef();
	def.mesh = &mesh;
	def.model = drape_modelFem;
	def.solver = drapeDefaultSolverDef();
	def.adapt = Plain(6);
	drapeClothId cloth = Make_Cloth(world, &def);
	drapeMesh_Free(&mesh);
	return cloth;
}

// Stretched by two percent in its plane, a sheet has the same energy before and after any refinement: particles are
// created where they belong, and flips in a plane change nothing.
static void RefiningFlatClothMakesNoEnergy(void** state)
{
	(void)state;
	drapeWorldDef worldDef = drapeDefaultWorldDef();
	drapeWorldId world = Make_World(&worldDef);
	drapeClothId cloth = FemSheet(world);
	assert_true(Sheet_SetShape(cloth, Sheet_Flat, 1.02f));
	double before = (double)drapeCloth_GetMeasures(cloth).stretchEnergy;
	Random random = Random_Seed(8, 1);
	for (int i = 0; i < 200; ++i)
	{
		drapeCloth_SplitEdge(cloth, Random_Below(&random, drapeCloth_GetView(cloth).edgeCount));
		if (i % 20)
			continue;
		assert_true(drapeCloth_Follow(drapeCloth_Get(cloth)->world, drapeCloth_Get(cloth)));
		drapeMeasures stats = drapeCloth_GetMeasures(cloth);
		assert_true(fabs((double)stats.stretchEnergy - before) < 1e-5 * before);
		assert_true((double)stats.bendEnergy < 1e-9);
	}
	assert_true(Triangles(cloth) > 500);
	drapeDestroyWorld(world);
}

// Bent to a cylinder, the energy is that of the continuum, triangles of odd generation among them or not.
static void BendingMeansTheSameOnEveryGeneration(void** state)
{
	(void)state;
	drapeWorldDef worldDef = drapeDefaultWorldDef();
	drapeWorldId world = Make_World(&worldDef);
	drapeClothId cloth = FemSheet(world);
	Random random = Random_Seed(8, 2);
	double first = 0.0;
	for (int i = 0; i < 8; ++i)
	{
		assert_true(Sheet_SetShape(cloth, Sheet_Cylinder, 1.0f));
		double energy = (double)drapeCloth_GetMeasures(cloth).bendEnergy;
		first = i == 0 ? energy : first;
		assert_true(energy > 0.0 && fabs(energy - first) < 0.01 * first);
		for (int k = 0; k < 40; ++k)
			drapeCloth_SplitEdge(cloth, Random_Below(&random, drapeCloth_GetView(cloth).edgeCount));
	}
	assert_true(Triangles(cloth) > 700);
	drapeDestroyWorld(world);
}

// --- simulation -----------------------------------------------------------------------------------------------------

enum
{
	sceneSteps = isSlow ? 30 : 60
};

// Two cloths fall on a ball, one of springs and one of finite elements, each with pins and other criteria.
typedef struct Scene
{
	drapeWorldId world;
	drapeClothId cloths[2];
} Scene;

static Scene Scene_Create(uint32_t workers)
{
	Scene scene;
	drapeWorldDef worldDef = drapeDefaultWorldDef();
	worldDef.workerCount = workers;
	worldDef.adaptRate = 60.0f;
	scene.world = Make_World(&worldDef);
	drapeColliderDef ball = drapeDefaultColliderDef();
	ball.radius = 0.25f;
	ball.transform.position.y = -0.3f;
	Make_Collider(scene.world, &ball);
	drapeMesh mesh;
	assert_int_equal(drapeMesh_CreateGrid(6, 6, 1.0f, 1.0f, &mesh, NULL), drape_ok);
	drapeClothDef def = Make_SpringClothDef();
	def.mesh = &mesh;
	def.pinMiddles = true;
	def.adapt = Plain(4);
	def.adapt.joinWait = 4;
	def.adapt.curvature.enabled = true;
	def.adapt.collision.colliders = true;
	def.adapt.collision.maxLevel = 4;
	def.model = drape_modelSprings;
	def.solver.integrator = drape_integratorVerlet;
	scene.cloths[0] = Make_Cloth(scene.world, &def);
	def.model = drape_modelFem;
	def.solver = drapeDefaultExplicitSolverDef();
	def.solver.integrator = drape_integratorBdf2;
	def.adapt.curvature.enabled = false;
	def.adapt.meanCurvature = (drapeMeanCurvatureCriterion){true, 1.0f, 6.0f, 0.5f};
	scene.cloths[1] = Make_Cloth(scene.world, &def);
	drapeMesh_Free(&mesh);
	for (int i = 0; i < 2; ++i)
	{
		assert_true(drapeCloth_IsValid(scene.cloths[i]));
		Make_Pin(scene.cloths[i], 0);
		Make_Pin(scene.cloths[i], 1);
	}
	return scene;
}

static uint64_t Scene_Run(Scene* scene, int steps)
{
	for (int i = 0; i < steps; ++i)
	{
		drapeResult result = drapeWorld_Step(scene->world, 1.0f / 60.0f);
		if (result != drape_ok)
			fail_msg("step %d: %s", i, drapeWorld_GetWarning(scene->world).text);
		Sheet_Check(scene->world);
	}
	return drapeWorld_GetHash(scene->world);
}

static void BothModelsRunWithTheSameBitsForAnyNumberOfThreads(void** state)
{
	(void)state;
	uint64_t expected = 0;
	for (uint32_t workers = 1; workers <= 4; ++workers)
	{
		Scene scene = Scene_Create(workers);
		uint64_t hash = Scene_Run(&scene, sceneSteps);
		if (workers == 1)
		{
			expected = hash;
			printf("hash %016llx\n", (unsigned long long)hash);
			for (int i = 0; i < 2; ++i)
			{
				printf("cloth %d: %u triangles\n", i, Triangles(scene.cloths[i]));
				assert_true(Triangles(scene.cloths[i]) > 150);
			}
		}
		assert_true(hash == expected);
		drapeDestroyWorld(scene.world);
	}
}

static void ASnapshotGoesOnBitForBit(void** state)
{
	(void)state;
	const int moments[] = {0, 7, 20};
	for (size_t i = 0; i < 3; ++i)
	{
		Scene scene = Scene_Create(1);
		Scene_Run(&scene, moments[i]);
		size_t size = Make_Snapshot(scene.world, NULL, 0);
		uint8_t *data = malloc(size), *again = malloc(size);
		assert_int_equal(Make_Snapshot(scene.world, data, size), size);
		uint64_t later = Scene_Run(&scene, 10);
		Scene other = Scene_Create(3);
		Scene_Run(&other, 25 - moments[i]);
		assert_int_equal(drapeWorld_Load(other.world, data, size), drape_ok);
		Sheet_Check(other.world);
		assert_int_equal(Make_Snapshot(other.world, again, size), size);
		assert_memory_equal(again, data, size);
		assert_true(Scene_Run(&other, 10) == later);
		drapeDestroyWorld(other.world);
		drapeDestroyWorld(scene.world);
		free(data);
		free(again);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(CurvatureRefinesAndRejoins),
		cmocka_unit_test(MeanCurvatureRefinesAndRejoinsInBothSchemes),
		cmocka_unit_test(LengthRefinesAndRejoins),
		cmocka_unit_test(MeanCurvatureOfACylinderAndASphere),
		cmocka_unit_test(LimitsGrowLinearlyWithTheGeneration),
		cmocka_unit_test(CollisionRefinesWhereTheObstacleIs),
		cmocka_unit_test(InvisibleEdgesAreNotRefined),
		cmocka_unit_test(AUsersWishIsGranted),
		cmocka_unit_test(ALowerMaximumRejoinsWhatIsDeeper),
		cmocka_unit_test(ATriangleBudgetHolds),
		cmocka_unit_test(ThirdsGoTogetherByHand),
		cmocka_unit_test(ParticlesBetweenPinsFollowThem),
		cmocka_unit_test(AFlipIntoAColliderWaits),
		cmocka_unit_test(AParticleThatKeepsTheClothOffAColliderStays),
		cmocka_unit_test(PatternPointsAreFoundAcrossFlippedEdges),
		cmocka_unit_test(RefiningFlatClothMakesNoEnergy),
		cmocka_unit_test(BendingMeansTheSameOnEveryGeneration),
		cmocka_unit_test(BothModelsRunWithTheSameBitsForAnyNumberOfThreads),
		cmocka_unit_test(ASnapshotGoesOnBitForBit),
	};
	return cmocka_run_group_tests_name("sqrt3_world", tests, NULL, NULL);
}
