// SPDX-License-Identifier: MIT
#include "contact_scene.h"
#include "fabric_rig.h"
#include "meshes.h"
#include "shared/make.h"
#include "sheet.h"

#include "base/random.h"
#include "drape/drape.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// Values of the pattern's vertices: mass, thickness and friction.

enum
{
	quads = 8,
	vertices = (quads + 1) * (quads + 1),
};

static const drapeScheme schemes[] = {drape_schemeFixed, drape_schemeEdge, drape_schemeSqrt3};

static drapeClothDef DefOf(drapeModel model, drapeScheme scheme)
{
	drapeClothDef def = model == drape_modelFem ? drapeDefaultClothDef() : Make_SpringClothDef();
	def.adapt = Sheet_Plain(3);
	def.adapt.scheme = scheme;
	def.material.drag = def.material.lift = 0.0f;
	return def;
}

// A sheet of 1 m x 1 m, and its mesh, which the caller frees.
static drapeClothId AddSheet(drapeWorldId world, drapeClothDef* def, drapeMesh* mesh)
{
	*mesh = TestMesh_Grid(quads, quads, 1.0f, 1.0f, 0.3f, 5);
	for (uint32_t i = 0; i < mesh->vertexCount; ++i)
		TestMesh_Positions(mesh)[i] = (drapeVec3){mesh->positions[i].x, 0.0f, -mesh->positions[i].y};
	def->mesh = mesh;
	drapeClothId cloth;
	if (drapeCreateCloth(world, def, &cloth) != drape_ok)
		fail_msg("%s", drapeWorld_GetMessage(world));
	return cloth;
}

static void Fill(float* values, uint32_t count, float low, float high, Random* random)
{
	for (uint32_t i = 0; i < count; ++i)
		values[i] = Random_Range(random, low, high);
}

// --- mass -----------------------------------------------------------------------------------------------------------

// kg: area times density times the mean factor of the corners, summed over the pattern.
static double ExpectedMass(const drapeMesh* mesh, const float* factors, float density)
{
	double sum = 0.0;
	for (uint32_t t = 0; t < mesh->triangleCount; ++t)
	{
		const uint32_t* v = &mesh->triangles[3 * t];
		drapeVec3 a = V3Sub(mesh->positions[v[1]], mesh->positions[v[0]]);
		drapeVec3 b = V3Sub(mesh->positions[v[2]], mesh->positions[v[0]]);
		double mean = ((double)factors[v[0]] + (double)factors[v[1]] + (double)factors[v[2]]) / 3.0;
		sum += 0.5 * (double)V3Length(V3Cross(a, b)) * (double)density * mean;
	}
	return sum;
}

typedef struct Sums
{
	double mass, momentum[3], size;
} Sums;

static Sums Measure(drapeClothId cloth)
{
	drapeClothView view = drapeCloth_GetView(cloth);
	Sums sums = {0};
	for (uint32_t i = 0; i < view.particleCount; ++i)
	{
		drapeVec4 v = view.velocities[i];
		sums.mass += (double)v.w;
		sums.momentum[0] += (double)v.w * (double)v.x;
		sums.momentum[1] += (double)v.w * (double)v.y;
		sums.momentum[2] += (double)v.w * (double)v.z;
		sums.size += (double)v.w * (double)V3Length((drapeVec3){v.x, v.y, v.z});
	}
	return sums;
}

static void SetRandomVelocities(drapeClothId cloth, Random* random)
{
	uint32_t count = drapeCloth_GetView(cloth).particleCount;
	drapeVec3* velocities = malloc(count * sizeof *velocities);
	assert_non_null(velocities);
	for (uint32_t i = 0; i < count; ++i)
		velocities[i] = (drapeVec3){Random_Range(random, -1.0f, 1.0f), Random_Range(random, -1.0f, 1.0f),
		                            Random_Range(random, -1.0f, 1.0f)};
	assert_int_equal(drapeCloth_SetVelocities(cloth, velocities), drape_ok);
	free(velocities);
}

// One edit of any kind; blocked ones are as good as others.
static void Edit(drapeClothId cloth, Random* random)
{
	drapeClothView view = drapeCloth_GetView(cloth);
	uint32_t kind = Random_Below(random, 40);
	if (kind == 0)
		drapeCloth_Refine(cloth);
	else if (kind == 1)
		drapeCloth_Coarsen(cloth);
	else if (kind % 2 || view.particleCount == vertices)
		drapeCloth_SplitEdge(cloth, Random_Below(random, view.edgeCount));
	else
		drapeCloth_JoinParticle(cloth, vertices + Random_Below(random, view.particleCount - vertices));
}

static void AdaptationKeepsMassAndMomentumOfPaintedCloth(void** state)
{
	(void)state;
	for (int i = 1; i < 3; ++i)
	{
		Random random = Random_Seed(11, 0);
		drapeWorldId world = Sheet_World(1);
		drapeClothDef def = DefOf(drape_modelSprings, schemes[i]);
		float factors[vertices];
		drapeMesh mesh;
		Fill(factors, vertices, 0.1f, 10.0f, &random);
		def.vertexValues[drape_vertexMass] = factors;
		drapeClothId cloth = AddSheet(world, &def, &mesh);
		double expected = ExpectedMass(&mesh, factors, def.material.density);
		for (int edit = 0; edit < (isSlow ? 100 : 1000); ++edit)
		{
			SetRandomVelocities(cloth, &random);
			Sums before = Measure(cloth);
			Edit(cloth, &random);
			Sums after = Measure(cloth);
			assert_true(fabs(after.mass - expected) < 1e-6 * expected);
			for (int k = 0; k < 3; ++k)
				assert_true(fabs(after.momentum[k] - before.momentum[k]) < 1e-5 * before.size);
			if (edit % 50 == 0)
				Sheet_Check(world);
		}
		TestMesh_Free(&mesh);
		drapeDestroyWorld(world);
	}
}

static float MassOf(drapeClothId cloth, uint32_t particle)
{
	return drapeCloth_GetView(cloth).velocities[particle].w;
}

static void MassOfRefinedClothChangesWhileItLives(void** state)
{
	(void)state;
	for (int i = 0; i < 3; ++i)
	{
		Random random = Random_Seed(7, 0);
		drapeWorldId world = Sheet_World(1);
		drapeClothDef def = DefOf(drape_modelFem, schemes[i]);
		float factors[vertices];
		drapeMesh mesh;
		drapeClothId cloth = AddSheet(world, &def, &mesh);
		TestMesh_Free(&mesh);
		for (int change = 0; change < 20; ++change)
		{
			for (int edit = 0; edit < 30 && i > 0; ++edit)
				Edit(cloth, &random);
			Fill(factors, vertices, 0.01f, 10.0f, &random);
			bool isNone = change % 5 == 4;
			assert_int_equal(
				drapeCloth_SetVertexValues(cloth, drape_vertexMass, isNone ? NULL : factors, isNone ? 0 : vertices),
				drape_ok);
			Sheet_Check(world);
			// Joined, it has the masses of a cloth that was created with these factors, to the last bit.
			for (int k = 0; k < 8 && change % 4 > 1; ++k)
				drapeCloth_Coarsen(cloth);
			drapeClothDef other = def;
			other.vertexValues[drape_vertexMass] = isNone ? NULL : factors;
			drapeClothId fresh = AddSheet(world, &other, &mesh);
			double expected = Measure(fresh).mass;
			assert_true(fabs(Measure(cloth).mass - expected) < 1e-6 * expected);
			bool isWhole = drapeCloth_GetView(cloth).particleCount == vertices;
			assert_true(isWhole || change % 4 <= 1);
			for (uint32_t v = 0; v < vertices && isWhole; ++v)
				assert_true(MassOf(cloth, v) == MassOf(fresh, v));
			TestMesh_Free(&mesh);
			assert_int_equal(drapeDestroyCloth(fresh), drape_ok);
			assert_int_equal(drapeWorld_Step(world, 1.0f / 240.0f), drape_ok);
		}
		drapeDestroyWorld(world);
	}
}

static drapeVec3 Tilted(FabricPoint rest, const void* context)
{
	const double angle = *(const double*)context;
	return (drapeVec3){(float)(rest.x * cos(angle)), (float)(rest.x * sin(angle)), (float)-rest.y};
}

// The time in which a strip that is held at one end and let go falls to the middle, s.
static double QuarterPeriod(drapeIntegrator integrator, float bottomFactor, double* expected)
{
	FabricDef def = Fabric_Default();
	def.columns = 16;
	def.rows = 2;
	def.width = 0.1;
	def.gravity = (drapeVec3){9.81f, 0.0f, 0.0f};
	def.solver.integrator = integrator;
	def.solver.newtonIterations = 2;
	def.adapt.scheme = drape_schemeFixed;
	def.material.bendWarp = def.material.bendWeft = 1e-7f;
	def.material.stretchWarp = def.material.stretchWeft = 1e4f;
	Fabric fabric = Fabric_Create(&def);
	float factors[17 * 3];
	for (int i = 0; i < 17 * 3; ++i)
		factors[i] = i % 17 == 16 ? bottomFactor : 1.0f;
	assert_int_equal(drapeCloth_SetVertexValues(fabric.cloth, drape_vertexMass, factors, 17 * 3), drape_ok);
	const double angle = 0.05, dt = 1.0 / 480.0;
	Fabric_SetPositions(&fabric, Tilted, &angle);
	Fabric_PinPart(&fabric, Fabric_Before, 0.0);
	// The period of a rigid strip, from the masses of the particles.
	drapeClothView view = drapeCloth_GetView(fabric.cloth);
	double first = 0.0, second = 0.0, time = 0.0, before = 0.05, now = before;
	for (uint32_t i = 0; i < view.particleCount; ++i)
	{
		double r = hypot((double)view.positions[i].x, (double)view.positions[i].y);
		first += (double)view.velocities[i].w * r;
		second += (double)view.velocities[i].w * r * r;
	}
	*expected = 0.5 * 3.14159265358979 * sqrt(second / (9.81 * first));
	for (; now > 0.0 && time < 2.0; time += dt)
	{
		before = now;
		Fabric_Step(&fabric, dt);
		now = Fabric_Mean(&fabric, Fabric_After, 1.0).y;
	}
	Fabric_Destroy(&fabric);
	return time - dt * now / (now - before);
}

static void AHeavyEndSwingsAsAPendulum(void** state)
{
	(void)state;
	const drapeIntegrator integrators[] = {drape_integratorBdf2, drape_integratorImplicitMidpoint};
	for (int i = 0; i < 2; ++i)
	{
		double expected, even;
		double heavy = QuarterPeriod(integrators[i], 300.0f, &expected);
		print_message("a heavy end takes %.4f s, a pendulum %.4f s\n", heavy, expected);
		assert_true(fabs(heavy - expected) < 0.02 * expected);
		// Without it the end runs ahead.
		assert_true(QuarterPeriod(integrators[i], 1.0f, &even) < 0.92 * heavy);
	}
}

// --- thickness ------------------------------------------------------------------------------------------------------

// Left of the middle the thickness is the material's, right of it three times as large.
static void PaintHalves(const drapeMesh* mesh, float left, float right, float* values)
{
	for (uint32_t i = 0; i < mesh->vertexCount; ++i)
		values[i] = mesh->positions[i].x < 0.45f ? left : right;
}

static drapeColliderId AddTable(drapeWorldId world, bool isMesh)
{
	drapeColliderDef def = drapeDefaultColliderDef();
	drapeMesh mesh = TestMesh_Box(4, (drapeVec3){1.5f, 0.5f, 1.5f});
	def.shape = isMesh ? drape_shapeMesh : drape_shapeBox;
	def.halfExtents = (drapeVec3){1.5f, 0.5f, 1.5f};
	def.mesh = &mesh;
	def.transform.position = (drapeVec3){0.5f, -0.5f, -0.5f};
	drapeColliderId collider = Make_Collider(world, &def);
	assert_true(drapeCollider_IsValid(collider));
	TestMesh_Free(&mesh);
	return collider;
}

static void CheckHeights(drapeClothId cloth, float thickness, float above)
{
	drapeClothView view = drapeCloth_GetView(cloth);
	for (uint32_t i = 0; i < view.particleCount; ++i)
	{
		drapeVec4 p = view.positions[i];
		if (fabsf(p.x - 0.4375f) < 0.2f)
			continue; // between the halves
		float expected = (p.x < 0.4375f ? 1.0f : 3.0f) * thickness, height = p.y - above;
		if (!(height > 0.85f * expected && height < 1.25f * expected + 1e-4f))
			fail_msg("particle %u at %g rests %g above the table, expected %g", i, (double)p.x, (double)height,
			         (double)expected);
	}
}

static void EachPartRestsAtItsThickness(void** state)
{
	(void)state;
	for (int i = 0; i < 12; ++i)
	{
		drapeWorldId world = Sheet_World(1);
		drapeClothDef def = DefOf(i % 2 ? drape_modelFem : drape_modelSprings, schemes[i / 4]);
		def.contact = i / 2 % 2 ? drape_contactAll : drape_contactParticles;
		def.material.thickness = 0.004f;
		drapeMesh mesh;
		float values[vertices];
		drapeClothId cloth = AddSheet(world, &def, &mesh);
		PaintHalves(&mesh, 1.0f, 3.0f, values);
		assert_int_equal(drapeCloth_SetVertexValues(cloth, drape_vertexThickness, values, vertices), drape_ok);
		TestMesh_Free(&mesh);
		if (i / 4 > 0)
			assert_int_equal(drapeCloth_Refine(cloth), drape_ok);
		drapeVec3* positions = malloc(drapeCloth_GetView(cloth).particleCount * sizeof *positions);
		for (uint32_t p = 0; p < drapeCloth_GetView(cloth).particleCount; ++p)
		{
			drapeVec4 x = drapeCloth_GetView(cloth).positions[p];
			positions[p] = (drapeVec3){x.x, 0.02f, x.z};
		}
		assert_int_equal(drapeCloth_SetPositions(cloth, positions), drape_ok);
		free(positions);
		AddTable(world, i % 4 == 3);
		for (int step = 0; step < 120; ++step)
			assert_int_equal(drapeWorld_Step(world, 1.0f / 60.0f), drape_ok);
		CheckHeights(cloth, def.material.thickness, 0.0f);
		drapeDestroyWorld(world);
	}
}

// The mean distance of a sheet from the one below it, for x from `low` to `high`, m.
static float LayerDistance(drapeClothId below, drapeClothId above, float low, float high)
{
	drapeClothView a = drapeCloth_GetView(below), b = drapeCloth_GetView(above);
	float sum = 0.0f;
	uint32_t count = 0;
	for (uint32_t i = 0; i < a.particleCount; ++i)
	{
		if (a.positions[i].x <= low || a.positions[i].x >= high)
			continue;
		sum += b.positions[i].y - a.positions[i].y;
		count++;
	}
	assert_true(count > 0);
	return sum / (float)count;
}

static void LayersKeepTheMeanOfTheirThicknesses(void** state)
{
	(void)state;
	drapeWorldId world = Sheet_World(1);
	drapeClothDef def = DefOf(drape_modelFem, drape_schemeFixed);
	def.contact = drape_contactAll;
	def.material.thickness = 0.004f;
	drapeClothId cloths[2];
	for (int k = 0; k < 2; ++k)
	{
		drapeMesh mesh;
		float values[vertices];
		drapeVec3 positions[vertices];
		cloths[k] = AddSheet(world, &def, &mesh);
		PaintHalves(&mesh, 1.0f, k == 0 ? 1.0f : 5.0f, values);
		assert_int_equal(drapeCloth_SetVertexValues(cloths[k], drape_vertexThickness, values, vertices), drape_ok);
		for (uint32_t i = 0; i < vertices; ++i)
			positions[i] = (drapeVec3){mesh.positions[i].x, 0.005f + 0.02f * (float)k, mesh.positions[i].z};
		TestMesh_Free(&mesh);
		assert_int_equal(drapeCloth_SetPositions(cloths[k], positions), drape_ok);
	}
	AddTable(world, false);
	for (int step = 0; step < 180; ++step)
		assert_int_equal(drapeWorld_Step(world, 1.0f / 60.0f), drape_ok);
	float thin = LayerDistance(cloths[0], cloths[1], 0.0f, 0.25f);
	float thick = LayerDistance(cloths[0], cloths[1], 0.65f, 1.0f);
	print_message("layers are %.2f mm and %.2f mm apart\n", 1e3 * (double)thin, 1e3 * (double)thick);
	assert_true(thick > 2.3f * thin && thick < 3.7f * thin); // (1 + 5) / 2
	drapeDestroyWorld(world);
}

static void CarriedThicknessHoldsForFactorOne(void** state)
{
	(void)state;
	drapeWorldId world = Sheet_World(1);
	drapeClothDef def = DefOf(drape_modelFem, drape_schemeFixed);
	def.contact = drape_contactAll;
	def.material.thickness = 0.05f;
	drapeMesh mesh;
	float values[vertices];
	drapeClothId cloth = AddSheet(world, &def, &mesh);
	drapeCarriedThickness plain = drapeCloth_GetCarriedThickness(cloth);
	assert_true(plain.carried == 0.05f && plain.triangles == 0);
	PaintHalves(&mesh, 1.0f, 10.0f, values);
	TestMesh_Free(&mesh);
	assert_int_equal(drapeCloth_SetVertexValues(cloth, drape_vertexThickness, values, vertices), drape_ok);
	drapeCarriedThickness painted = drapeCloth_GetCarriedThickness(cloth);
	assert_true(painted.asked == 0.05f && painted.carried < 0.025f && painted.carried > 0.01f);
	assert_true(painted.triangles > quads * quads / 2 && painted.triangles < 2 * quads * quads);
	drapeDestroyWorld(world);
}

// --- friction -------------------------------------------------------------------------------------------------------

static void OnASlopeTheSmoothPieceSlidesAndTheRoughOneStays(void** state)
{
	(void)state;
	const float angle = 0.5236f, fall = 9.81f;
	for (int i = 0; i < 8; ++i)
	{
		bool isFem = i % 2, isAll = i / 2 % 2, isMesh = i / 4;
		drapeWorldId world = Sheet_World(1);
		drapeClothDef def = DefOf(isFem ? drape_modelFem : drape_modelSprings, drape_schemeFixed);
		def.contact = isAll ? drape_contactAll : drape_contactParticles;
		def.material.friction = 0.5f;
		def.solver.globalDamping = 0.0f;
		// Two pieces of one cloth, 0.4 m each.
		drapeMesh left = TestMesh_Grid(4, 4, 0.4f, 0.4f, 0.0f, 1), right = TestMesh_Grid(4, 4, 0.4f, 0.4f, 0.0f, 1);
		for (uint32_t v = 0; v < 25; ++v)
			TestMesh_Positions(&right)[v].y += 1.0f;
		drapeMesh mesh = TestMesh_Join(&left, &right);
		float values[50];
		drapeVec3 positions[50];
		drapeTransform turn = Turned(0, 0, 0, (drapeVec3){0, 0, 1}, angle);
		for (uint32_t v = 0; v < 50; ++v)
		{
			values[v] = v < 25 ? 0.3f : 3.0f;
			drapeVec3 p = {mesh.positions[v].x, 1.0001f * def.material.thickness, 0.1f - mesh.positions[v].y};
			positions[v] = drapeTransform_Point(turn, p);
			TestMesh_Positions(&mesh)[v] = positions[v];
		}
		def.mesh = &mesh;
		def.vertexValues[drape_vertexFriction] = values;
		drapeClothId cloth = Make_Cloth(world, &def);
		assert_true(drapeCloth_IsValid(cloth));
		TestMesh_Free(&mesh);
		drapeColliderDef slope = drapeDefaultColliderDef();
		drapeMesh ground;
		assert_int_equal(drapeMesh_CreateGrid(3, 3, 12.0f, 12.0f, &ground, NULL), drape_ok);
		slope.shape = isMesh ? drape_shapeMesh : drape_shapePlane;
		slope.mesh = &ground;
		slope.transform = turn;
		assert_true(drapeCollider_IsValid(Make_Collider(world, &slope)));
		drapeMesh_Free(&ground);
		for (int step = 0; step < 60; ++step)
			assert_int_equal(drapeWorld_Step(world, 1.0f / 60.0f), drape_ok);
		double along[2] = {0.0, 0.0};
		drapeClothView view = drapeCloth_GetView(cloth);
		for (uint32_t v = 0; v < 50; ++v)
			along[v / 25] += (double)(cosf(angle) * (positions[v].x - view.positions[v].x) +
			                          sinf(angle) * (positions[v].y - view.positions[v].y)) /
			                 25.0;
		double expected = 0.5 * (double)(fall * (sinf(angle) - 0.15f * cosf(angle)));
		print_message("slid %.3f m of %.3f m, and %.2g m\n", along[0], expected, along[1]);
		assert_true(fabs(along[0] - expected) < 0.06 * expected);
		assert_true(fabs(along[1]) < 2e-3);
		drapeDestroyWorld(world);
	}
}

// --- all of them ----------------------------------------------------------------------------------------------------

static void ValuesOutOfRangeAreRefusedWithTheirVertex(void** state)
{
	(void)state;
	drapeWorldId world = Sheet_World(1);
	drapeClothDef def = DefOf(drape_modelFem, drape_schemeFixed);
	drapeMesh mesh;
	float values[vertices];
	drapeClothId cloth = AddSheet(world, &def, &mesh), refused;
	for (uint32_t i = 0; i < vertices; ++i)
		values[i] = 1.0f;
	uint64_t hash = drapeWorld_GetHash(world);
	values[12] = 0.0f;
	ASSERT_REFUSED(
		assert_int_equal(drapeCloth_SetVertexValues(cloth, drape_vertexMass, values, vertices), drape_errorArgument));
	assert_string_equal(drapeWorld_GetMessage(world), "vertex 12: mass is 0, expected a number from 0.001 to 1000");
	def.vertexValues[drape_vertexMass] = values;
	ASSERT_REFUSED(assert_int_equal(drapeCreateCloth(world, &def, &refused), drape_errorArgument));
	assert_string_equal(drapeWorld_GetMessage(world), "vertex 12: mass is 0, expected a number from 0.001 to 1000");
	TestMesh_Free(&mesh);
	for (int kind = 0; kind < drape_vertexValueCount; ++kind)
	{
		values[12] = kind % 2 ? -1.0f : NAN;
		ASSERT_REFUSED(assert_int_equal(drapeCloth_SetVertexValues(cloth, (drapeVertexValue)kind, values, vertices),
		                                drape_errorArgument));
		assert_non_null(strstr(drapeWorld_GetMessage(world), "vertex 12: "));
		assert_non_null(
			strstr(drapeWorld_GetMessage(world), drapeVertexValue_GetParameter((drapeVertexValue)kind)->key));
		assert_int_equal(drapeCloth_GetVertexValues(cloth, (drapeVertexValue)kind, NULL, 0), 0);
	}
	values[12] = 1.0f;
	ASSERT_REFUSED(assert_int_equal(drapeCloth_SetVertexValues(cloth, drape_vertexMass, values, vertices - 1),
	                                drape_errorArgument));
	assert_string_equal(drapeWorld_GetMessage(world), "count is 80, but the pattern has 81 vertices");
	ASSERT_REFUSED(
		assert_int_equal(drapeCloth_SetVertexValues(cloth, (drapeVertexValue)drape_vertexValueCount, values, vertices),
	                     drape_errorArgument));
	assert_null(drapeVertexValue_GetParameter(drape_vertexValueCount));
	assert_true(drapeWorld_GetHash(world) == hash);
	drapeDestroyWorld(world);
}

static void ValuesAreReadAsTheyWereWritten(void** state)
{
	(void)state;
	drapeWorldId world = Sheet_World(1);
	Random random = Random_Seed(3, 0);
	drapeClothDef def = DefOf(drape_modelFem, drape_schemeEdge);
	float values[drape_vertexValueCount][vertices], read[vertices];
	drapeMesh mesh;
	for (int kind = 0; kind < drape_vertexValueCount; ++kind)
	{
		Fill(values[kind], vertices, 0.5f, 2.0f, &random);
		def.vertexValues[kind] = values[kind];
	}
	values[drape_vertexMaxDistance][4] = INFINITY;
	drapeClothId cloth = AddSheet(world, &def, &mesh);
	TestMesh_Free(&mesh);
	assert_int_equal(drapeCloth_Refine(cloth), drape_ok);
	for (int kind = 0; kind < drape_vertexValueCount; ++kind)
	{
		assert_int_equal(drapeCloth_GetVertexValues(cloth, (drapeVertexValue)kind, read, vertices), vertices);
		assert_memory_equal(read, values[kind], sizeof read);
		assert_int_equal(drapeCloth_SetVertexValues(cloth, (drapeVertexValue)kind, NULL, 0), drape_ok);
		assert_int_equal(drapeCloth_GetVertexValues(cloth, (drapeVertexValue)kind, read, vertices), 0);
	}
	drapeDestroyWorld(world);
}

static drapeWorldId DropPainted(uint32_t workers, drapeScheme scheme, bool isPainted, float low, float high,
                                drapeClothId* cloth)
{
	Random random = Random_Seed(21, 0);
	drapeWorldId world = Sheet_World(workers);
	drapeClothDef def = DefOf(drape_modelFem, scheme);
	def.contact = drape_contactAll;
	def.adapt.curvature.enabled = true;
	float values[3][vertices];
	drapeMesh mesh;
	for (int kind = 0; kind < 3; ++kind)
	{
		Fill(values[kind], vertices, low, high, &random);
		def.vertexValues[kind] = isPainted ? values[kind] : NULL;
	}
	*cloth = AddSheet(world, &def, &mesh);
	TestMesh_Free(&mesh);
	drapeColliderDef ball = drapeDefaultColliderDef();
	ball.shape = drape_shapeSphere;
	ball.radius = 0.25f;
	ball.transform.position = (drapeVec3){0.4f, -0.3f, -0.5f};
	assert_true(drapeCollider_IsValid(Make_Collider(world, &ball)));
	return world;
}

static void TheNumberOfThreadsChangesNothing(void** state)
{
	(void)state;
	for (int i = 0; i < 3; ++i)
	{
		uint64_t hash[2];
		for (uint32_t k = 0; k < 2; ++k)
		{
			drapeClothId cloth;
			drapeWorldId world = DropPainted(k + 1, schemes[i], true, 0.3f, 3.0f, &cloth);
			for (int step = 0; step < 40; ++step)
				assert_int_equal(drapeWorld_Step(world, 1.0f / 60.0f), drape_ok);
			Sheet_Check(world);
			hash[k] = drapeWorld_GetHash(world);
			drapeDestroyWorld(world);
		}
		assert_true(hash[0] == hash[1]);
	}
}

// Mass is left out: it is summed up in another order.
static void FactorsOfOneChangeNoBit(void** state)
{
	(void)state;
	drapeClothId cloths[2];
	drapeWorldId worlds[2];
	for (int k = 0; k < 2; ++k)
	{
		worlds[k] = DropPainted(1, drape_schemeEdge, k == 1, 1.0f, 1.0f, &cloths[k]);
		assert_int_equal(drapeCloth_SetVertexValues(cloths[k], drape_vertexMass, NULL, 0), drape_ok);
		for (int step = 0; step < 40; ++step)
			assert_int_equal(drapeWorld_Step(worlds[k], 1.0f / 60.0f), drape_ok);
	}
	drapeClothView a = drapeCloth_GetView(cloths[0]), b = drapeCloth_GetView(cloths[1]);
	assert_int_equal(a.particleCount, b.particleCount);
	assert_memory_equal(a.positions, b.positions, a.particleCount * sizeof *a.positions);
	assert_memory_equal(a.velocities, b.velocities, a.particleCount * sizeof *a.velocities);
	drapeDestroyWorld(worlds[0]);
	drapeDestroyWorld(worlds[1]);
}

static void ASnapshotHasTheValues(void** state)
{
	(void)state;
	for (int i = 0; i < 3; ++i)
	{
		drapeClothId cloth, other;
		drapeWorldId world = DropPainted(1, schemes[i], true, 0.3f, 3.0f, &cloth);
		for (int step = 0; step < 20; ++step)
			assert_int_equal(drapeWorld_Step(world, 1.0f / 60.0f), drape_ok);
		size_t size = Make_Snapshot(world, NULL, 0);
		void* data = malloc(size);
		assert_true(data && Make_Snapshot(world, data, size) == size);
		uint64_t then = drapeWorld_GetHash(world);
		for (int step = 0; step < 20; ++step)
			assert_int_equal(drapeWorld_Step(world, 1.0f / 60.0f), drape_ok);
		uint64_t hash = drapeWorld_GetHash(world);
		// Into a world whose cloth has no values, and into the same one after its values were changed.
		float values[vertices];
		drapeWorldId second = DropPainted(2, schemes[i], false, 0.3f, 3.0f, &other);
		Random random = Random_Seed(5, 0);
		Fill(values, vertices, 1.0f, 2.0f, &random);
		assert_int_equal(drapeCloth_SetVertexValues(cloth, drape_vertexMass, values, vertices), drape_ok);
		assert_int_equal(drapeCloth_SetVertexValues(cloth, drape_vertexFriction, NULL, 0), drape_ok);
		assert_int_equal(drapeCloth_SetVertexValues(cloth, drape_vertexMaxDistance, values, vertices), drape_ok);
		const drapeWorldId worlds[2] = {world, second};
		for (int k = 0; k < 2; ++k)
		{
			assert_int_equal(drapeWorld_Load(worlds[k], data, size), drape_ok);
			assert_true(drapeWorld_GetHash(worlds[k]) == then);
			Sheet_Check(worlds[k]);
			for (int step = 0; step < 20; ++step)
				assert_int_equal(drapeWorld_Step(worlds[k], 1.0f / 60.0f), drape_ok);
			assert_true(drapeWorld_GetHash(worlds[k]) == hash);
			Sheet_Check(worlds[k]);
		}
		assert_int_equal(drapeCloth_GetVertexValues(cloth, drape_vertexMaxDistance, NULL, 0), 0);
		assert_int_equal(drapeCloth_GetVertexValues(other, drape_vertexMass, NULL, 0), vertices);
		free(data);
		drapeDestroyWorld(world);
		drapeDestroyWorld(second);
	}
}

static void TransferCopiesTheValuesThatTheTargetDoesNotHave(void** state)
{
	(void)state;
	drapeClothId from, to;
	drapeWorldId world = DropPainted(1, drape_schemeEdge, true, 0.3f, 3.0f, &from);
	drapeWorldId second = DropPainted(1, drape_schemeSqrt3, false, 0.3f, 3.0f, &to);
	float own[vertices], read[vertices], source[vertices];
	Random random = Random_Seed(5, 0);
	Fill(own, vertices, 1.0f, 2.0f, &random);
	assert_int_equal(drapeCloth_SetVertexValues(to, drape_vertexFriction, own, vertices), drape_ok);
	assert_int_equal(drapeCloth_TransferState(from, to), drape_ok);
	drapeCloth_GetVertexValues(to, drape_vertexFriction, read, vertices);
	assert_memory_equal(read, own, sizeof own);
	for (int kind = 0; kind < 2; ++kind)
	{
		drapeCloth_GetVertexValues(from, (drapeVertexValue)kind, source, vertices);
		assert_int_equal(drapeCloth_GetVertexValues(to, (drapeVertexValue)kind, read, vertices), vertices);
		assert_memory_equal(read, source, sizeof source);
	}
	double mass = Measure(from).mass;
	assert_true(fabs(Measure(to).mass - mass) < 1e-6 * mass);
	Sheet_Check(second);
	drapeDestroyWorld(world);
	drapeDestroyWorld(second);
}

static void EachAllocationThatFailsLeavesTheOldValues(void** state)
{
	(void)state;
	for (int i = 0; i < 3; ++i)
	{
		Test_BeginLimitedMemory();
		drapeWorldId world = Sheet_World(1);
		drapeClothDef def = DefOf(drape_modelFem, schemes[i]);
		Random random = Random_Seed(9, 0);
		float values[vertices];
		drapeMesh mesh;
		drapeClothId cloth = AddSheet(world, &def, &mesh);
		TestMesh_Free(&mesh);
		drapeCloth_Refine(cloth);
		Fill(values, vertices, 0.5f, 2.0f, &random);
		uint64_t hash = drapeWorld_GetHash(world);
		drapeResult result = drape_errorMemory;
		for (size_t allowed = 0; result != drape_ok; ++allowed)
		{
			assert_true(allowed < 100);
			Test_AllowAllocations(allowed);
			result = drapeCloth_SetVertexValues(cloth, drape_vertexMass, values, vertices);
			assert_true(result == drape_ok || drapeWorld_GetHash(world) == hash);
		}
		Test_AllowAllocations(SIZE_MAX);
		Sheet_Check(world);
		drapeDestroyWorld(world);
		Test_EndLimitedMemory();
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(AdaptationKeepsMassAndMomentumOfPaintedCloth),
		cmocka_unit_test(MassOfRefinedClothChangesWhileItLives),
		cmocka_unit_test(AHeavyEndSwingsAsAPendulum),
		cmocka_unit_test(EachPartRestsAtItsThickness),
		cmocka_unit_test(LayersKeepTheMeanOfTheirThicknesses),
		cmocka_unit_test(CarriedThicknessHoldsForFactorOne),
		cmocka_unit_test(OnASlopeTheSmoothPieceSlidesAndTheRoughOneStays),
		cmocka_unit_test(ValuesOutOfRangeAreRefusedWithTheirVertex),
		cmocka_unit_test(ValuesAreReadAsTheyWereWritten),
		cmocka_unit_test(TheNumberOfThreadsChangesNothing),
		cmocka_unit_test(FactorsOfOneChangeNoBit),
		cmocka_unit_test(ASnapshotHasTheValues),
		cmocka_unit_test(TransferCopiesTheValuesThatTheTargetDoesNotHave),
		cmocka_unit_test(EachAllocationThatFailsLeavesTheOldValues),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
