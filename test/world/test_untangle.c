// SPDX-License-Identifier: MIT
#include "meshes.h"
#include "shared/make.h"
#include "sheet.h"

#include "drape/drape.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Start states that cross are taken apart: nothing crosses afterwards, and contact "all" keeps it so.

static const float frame = 1.0f / 60.0f;

// Where a point of a flat sheet is.
typedef drapeVec3 ShapeFcn(drapeVec3 flat, const void* context);

// A sheet of 1 m x 1 m, or of a given width and depth, deformed.
static drapeClothId AddSheet(drapeWorldId world, uint32_t quads, float width, float depth, ShapeFcn* shape,
                             const void* context)
{
	drapeMesh mesh;
	assert_int_equal(drapeMesh_CreateGrid(quads, quads, width, depth, &mesh, NULL), drape_ok);
	drapeClothDef def = Sheet_SettlingDef();
	def.mesh = &mesh;
	drapeClothId cloth = Make_Cloth(world, &def);
	assert_true(drapeCloth_IsValid(cloth));
	drapeVec3* positions = malloc(mesh.vertexCount * sizeof *positions);
	assert_non_null(positions);
	for (uint32_t i = 0; i < mesh.vertexCount; ++i)
		positions[i] = shape(mesh.positions[i], context);
	assert_int_equal(drapeCloth_SetPositions(cloth, positions), drape_ok);
	free(positions);
	drapeMesh_Free(&mesh);
	return cloth;
}

static drapeVec3 Placed(drapeVec3 flat, const void* context)
{
	return drapeTransform_Point(*(const drapeTransform*)context, flat);
}

static drapeClothId AddPlaced(drapeWorldId world, uint32_t quads, drapeVec3 position, drapeVec3 axis, float angle)
{
	drapeTransform at = {position, drapeQuat_FromAxisAngle(axis, angle), 1.0f};
	return AddSheet(world, quads, 1.0f, 1.0f, Placed, &at);
}

static uint32_t Crossings(drapeWorldId world)
{
	uint32_t count = UINT32_MAX;
	assert_int_equal(drapeWorld_FindCrossings(world, NULL, 0, &count), drape_ok);
	return count;
}

static drapeUntangleReport Untangle(drapeWorldId world)
{
	drapeUntangleDef def = drapeDefaultUntangleDef();
	drapeUntangleReport report;
	uint32_t before = Crossings(world);
	assert_int_equal(drapeWorld_Untangle(world, &def, &report), drape_ok);
	assert_int_equal(report.before, before);
	assert_int_equal(report.after, Crossings(world));
	assert_true(report.after <= report.before);
	assert_true((report.moved > 0) == (report.farthest > 0.0f));
	if (drapeWorld_Validate(world) != drape_ok)
		fail_msg("%s", drapeWorld_GetMessage(world));
	return report;
}

// Nothing crosses after it, nor in a second of contact "all". The world goes.
static void ExpectFree(const char* name, drapeWorldId world)
{
	drapeUntangleReport report = Untangle(world);
	print_message("%-28s %5u crossings, %u left, %2u rounds, %4u moved by up to %.3f m, stretched to %.2f\n", name,
	              report.before, report.after, report.rounds, report.moved, (double)report.farthest,
	              (double)drapeWorld_GetMeasures(world).stretchMax);
	assert_true(report.before > 0);
	assert_int_equal(report.after, 0);
	for (int i = 0; i < (isSlow ? 5 : 60); ++i)
	{
		assert_int_equal(drapeWorld_Step(world, frame), drape_ok);
		assert_int_equal(Crossings(world), 0);
	}
	drapeDestroyWorld(world);
}

static const drapeVec3 alongX = {1.0f, 0.0f, 0.0f}, alongZ = {0.0f, 0.0f, 1.0f};

// --- cloth and cloth ---

static void ASheetIsDrawnBackOutOfAnother(void** state)
{
	(void)state;
	static const struct
	{
		const char* name;
		drapeVec3 position;
		float angle;
	} sheets[] = {
		{"by a fifth", {0.01f, 0.3f, 0.02f}, 1.5f},    {"through the middle", {0.01f, 0.003f, 0.02f}, 0.2f},
		{"with a corner", {0.4f, 0.003f, 0.3f}, 0.6f}, {"as a cross", {0.0f, 0.0f, 0.0f}, 1.5707963f},
		{"all of it", {0.0f, 0.0f, 0.0f}, 0.0f},
	};
	for (size_t i = 0; i < sizeof sheets / sizeof sheets[0]; ++i)
	{
		drapeWorldId world = Sheet_World(1);
		AddPlaced(world, 16, (drapeVec3){0.0f, 0.0f, 0.0f}, alongX, 0.0f);
		AddPlaced(world, 16, sheets[i].position, alongZ, sheets[i].angle);
		ExpectFree(sheets[i].name, world);
	}
}

static void FiveSheetsThroughEachOtherBecomeAStack(void** state)
{
	(void)state;
	drapeWorldId world = Sheet_World(1);
	for (int i = 0; i < 5; ++i)
	{
		drapeVec3 axis = {cosf(1.3f * (float)i), 0.2f, sinf(1.3f * (float)i)};
		AddPlaced(world, 12, (drapeVec3){0.02f * (float)i, 0.03f * (float)i, 0.0f}, axis, 0.3f + 0.07f * (float)i);
	}
	ExpectFree("five sheets", world);
}

// A bow around z, 4 cm high; a bump of the lower half goes through the upper one.
static drapeVec3 Fold(drapeVec3 flat, const void* context)
{
	(void)context;
	float radius = 0.02f, half = 0.5f * 3.14159265f * radius, x = flat.x - 0.25f;
	float bump = 0.06f * expf(-100.0f * (x * x + flat.z * flat.z));
	if (flat.x > half)
		return (drapeVec3){flat.x - half, -radius + bump, flat.z};
	if (flat.x < -half)
		return (drapeVec3){-flat.x - half, radius, flat.z};
	return (drapeVec3){-radius * cosf(flat.x / radius), -radius * sinf(flat.x / radius), flat.z};
}

// Once round and a little more, inward.
static drapeVec3 Roll(drapeVec3 flat, const void* context)
{
	(void)context;
	float angle = 7.0f * (flat.x + 0.5f), radius = 0.2f + 0.03f * sinf(2.0f * angle + 0.3f);
	return (drapeVec3){radius * cosf(angle), radius * sinf(angle), flat.z};
}

static void AClothIsDrawnBackOutOfItself(void** state)
{
	(void)state;
	drapeWorldId world = Sheet_World(1);
	AddSheet(world, 32, 1.0f, 1.0f, Fold, NULL);
	ExpectFree("a fold", world);
	world = Sheet_World(1);
	AddSheet(world, 24, 1.0f, 1.0f, Roll, NULL);
	ExpectFree("a roll", world);
}

static drapeVec3 Cape(drapeVec3 flat, const void* context)
{
	(void)context;
	return (drapeVec3){0.4f * sinf(2.0f * flat.x), flat.z, 0.4f * cosf(2.0f * flat.x)};
}

static void AStripIsDrawnBackOutOfARoundCloth(void** state)
{
	(void)state;
	drapeWorldId world = Sheet_World(1);
	drapeTransform at = {{0.0f, 0.0f, 0.35f}, drapeQuat_FromAxisAngle(alongX, 1.2f), 1.0f};
	AddSheet(world, 24, 1.0f, 1.0f, Cape, NULL);
	AddSheet(world, 12, 0.5f, 0.5f, Placed, &at);
	ExpectFree("a strip in a cape", world);
}

// --- cloth and colliders ---

static void AddCollider(drapeWorldId world, drapeColliderShape shape, float size, drapeVec3 position)
{
	drapeColliderDef def = drapeDefaultColliderDef();
	def.shape = shape;
	def.radius = shape == drape_shapeSphere ? size : 0.5f * size;
	def.topRadius = 0.3f * size;
	def.halfHeight = size;
	def.halfExtents = (drapeVec3){size, 0.7f * size, 0.5f * size};
	def.transform.position = position;
	def.transform.rotation = drapeQuat_FromAxisAngle((drapeVec3){0.3f, 0.1f, 1.0f}, 0.4f);
	drapeMesh mesh = TestMesh_Sphere(3, size);
	if (shape == drape_shapeMesh)
		def.mesh = &mesh;
	assert_true(drapeCollider_IsValid(Make_Collider(world, &def)));
	TestMesh_Free(&mesh);
}

static void AClothIsPushedOutOfEveryShape(void** state)
{
	(void)state;
	static const char* const names[] = {"ball", "capsule", "cylinder", "box", "plane", "mesh", "tapered capsule"};
	static const drapeVec3 corner = {0.45f, -0.02f, 0.45f}, middle = {0.03f, 0.02f, 0.05f};
	static const char* const parts[] = {"a corner", "the middle", "a few triangles"};
	for (int part = 0; part < 3; ++part)
	{
		for (int shape = 0; drapeColliderShape_GetInfo((drapeColliderShape)shape); ++shape)
		{
			char name[64];
			snprintf(name, sizeof name, "%s in a %s", parts[part], names[shape]);
			drapeWorldId world = Sheet_World(1);
			AddPlaced(world, part == 2 ? 3 : 16, (drapeVec3){0.0f, 0.0f, 0.0f}, alongX, 0.1f);
			AddCollider(world, (drapeColliderShape)shape, 0.2f, part == 0 ? corner : middle);
			ExpectFree(name, world);
		}
	}
}

// A closed mesh, bent, 0.6 m long, ends round.
static void AnArmThroughACapeGoesOutOfIt(void** state)
{
	(void)state;
	drapeWorldId world = Sheet_World(1);
	drapeMesh mesh = TestMesh_Sphere(4, 0.05f);
	drapeVec3* positions = TestMesh_Positions(&mesh);
	for (uint32_t i = 0; i < mesh.vertexCount; ++i)
	{
		positions[i].y *= 6.0f;
		positions[i].x += 0.3f * positions[i].y * positions[i].y;
	}
	drapeColliderDef def = drapeDefaultColliderDef();
	def.shape = drape_shapeMesh;
	def.mesh = &mesh;
	assert_true(drapeCollider_IsValid(Make_Collider(world, &def)));
	TestMesh_Free(&mesh);
	AddPlaced(world, 24, (drapeVec3){0.0f, 0.05f, 0.0f}, alongZ, 0.2f);
	ExpectFree("an arm through a cape", world);
}

static void AClothIsDrawnOutOfAnOpenMesh(void** state)
{
	(void)state;
	drapeWorldId world = Sheet_World(1);
	drapeMesh mesh = TestMesh_Grid(6, 6, 1.0f, 1.0f, 0.2f, 3);
	drapeColliderDef def = drapeDefaultColliderDef();
	def.shape = drape_shapeMesh;
	def.mesh = &mesh;
	def.transform.rotation = drapeQuat_FromAxisAngle(alongX, 1.5f);
	def.transform.position = (drapeVec3){-0.5f, 0.0f, -0.5f};
	assert_true(drapeCollider_IsValid(Make_Collider(world, &def)));
	TestMesh_Free(&mesh);
	AddPlaced(world, 16, (drapeVec3){0.0f, 0.3f, 0.0f}, alongX, 1.3f);
	ExpectFree("through an open mesh", world);
}

// --- at random ---

static float Random(uint32_t* seed, float low, float high)
{
	return low + (high - low) * TestMesh_RandomFloat(seed);
}

static drapeVec3 RandomVec3(uint32_t* seed, float size)
{
	float x = Random(seed, -size, size), y = Random(seed, -size, size), z = Random(seed, -size, size);
	return (drapeVec3){x, y, z};
}

typedef struct Wavy
{
	drapeTransform at;
	float height, length, phase;
} Wavy;

static drapeVec3 Wave(drapeVec3 flat, const void* context)
{
	const Wavy* wavy = context;
	flat.y += wavy->height * sinf(flat.x / wavy->length + wavy->phase) * cosf(flat.z / wavy->length);
	return drapeTransform_Point(wavy->at, flat);
}

// Two to five wavy sheets and up to two colliders, anyhow.
static drapeWorldId RandomWorld(uint32_t number, uint32_t workers, uint32_t* seed)
{
	drapeWorldId world = Sheet_World(workers);
	for (uint32_t k = 0; k < 2 + number % 4; ++k)
	{
		Wavy wavy = {.at = {.scale = 1.0f}};
		wavy.at.position = RandomVec3(seed, 0.3f);
		drapeVec3 axis = RandomVec3(seed, 1.0f);
		wavy.at.rotation = drapeQuat_FromAxisAngle(axis, Random(seed, 0.0f, 3.0f));
		wavy.height = Random(seed, 0.0f, 0.1f);
		wavy.length = Random(seed, 0.05f, 0.3f);
		wavy.phase = Random(seed, 0.0f, 6.0f);
		AddSheet(world, 10 + 4 * (k % 3), 1.0f, 1.0f, Wave, &wavy);
	}
	for (uint32_t k = 0; k < number % 3; ++k)
	{
		float size = Random(seed, 0.05f, 0.3f);
		AddCollider(world, (drapeColliderShape)((number + k) % 6), size, RandomVec3(seed, 0.4f));
	}
	return world;
}

static void RandomTanglesAreTakenApart(void** state)
{
	(void)state;
	uint32_t seed = 7, free = 0, rounds = 0, count = isSlow ? 12 : 100;
	float stretch = 0.0f;
	for (uint32_t i = 0; i < count; ++i)
	{
		drapeWorldId world = RandomWorld(i, 1, &seed);
		drapeUntangleReport report = Untangle(world);
		free += report.after == 0;
		rounds += report.rounds;
		stretch = fmaxf(stretch, drapeWorld_GetMeasures(world).stretchMax);
		drapeDestroyWorld(world);
	}
	print_message("%u of %u are free, after %.1f rounds in the mean; stretched to %.2f at most\n", free, count,
	              (double)rounds / count, (double)stretch);
	// Nobody promises all of them.
	assert_true(100 * free >= 95 * count);
}

static void AnyNumberOfThreadsGivesTheSame(void** state)
{
	(void)state;
	for (uint32_t number = 9; number < 12; ++number)
	{
		uint64_t hashes[4];
		for (uint32_t workers = 1; workers <= 4; ++workers)
		{
			uint32_t seed = 5 + number;
			drapeWorldId world = RandomWorld(number, workers, &seed);
			assert_true(Untangle(world).moved > 0);
			hashes[workers - 1] = drapeWorld_GetHash(world);
			drapeDestroyWorld(world);
			assert_true(hashes[workers - 1] == hashes[0]);
		}
	}
}

// Refined here and there, pinned, moved for a while: then something appears in its middle.
static void AnAdaptiveMeshIsTakenApartAsItIs(void** state)
{
	(void)state;
	static const drapeScheme schemes[] = {drape_schemeEdge, drape_schemeSqrt3};
	for (int i = 0; i < 2; ++i)
	{
		drapeWorldId world = Sheet_World(2);
		drapeMesh mesh;
		assert_int_equal(drapeMesh_CreateGrid(6, 6, 1.0f, 1.0f, &mesh, NULL), drape_ok);
		drapeClothDef def = Sheet_SettlingDef();
		def.solver.integrator = drape_integratorBdf2;
		def.mesh = &mesh;
		def.adapt.scheme = schemes[i];
		def.adapt.maxLevel = 2;
		def.adapt.curvature.enabled = true;
		drapeClothId cloth = Make_Cloth(world, &def);
		drapeMesh_Free(&mesh);
		assert_true(Make_Pin(cloth, 0).index1 > 0 && Make_Pin(cloth, 6).index1 > 0);
		for (int k = 0; k < 20; ++k)
			assert_int_equal(drapeWorld_Step(world, frame), drape_ok);
		drapeClothView view = drapeCloth_GetView(cloth);
		assert_true(view.particleCount > 49);
		drapeVec4 middle = view.positions[24];
		AddCollider(world, drape_shapeSphere, 0.15f, (drapeVec3){middle.x, middle.y, middle.z});
		ExpectFree("an adaptive mesh", world);
	}
}

// --- what it leaves ---

static void StatesWithoutCrossingsStayUnchanged(void** state)
{
	(void)state;
	drapeWorldId world = Sheet_World(1);
	AddPlaced(world, 8, (drapeVec3){0.0f, 0.0f, 0.0f}, alongX, 0.0f);
	AddPlaced(world, 8, (drapeVec3){0.0f, 0.001f, 0.0f}, alongX, 0.0f);
	AddCollider(world, drape_shapeSphere, 0.3f, (drapeVec3){0.0f, -0.31f, 0.0f});
	uint64_t before = drapeWorld_GetHash(world);
	drapeUntangleReport report = Untangle(world);
	assert_true(report.before == 0 && report.rounds == 0 && report.moved == 0);
	assert_true(drapeWorld_GetHash(world) == before);
	drapeDestroyWorld(world);
	world = Sheet_World(1);
	assert_int_equal(Untangle(world).moved, 0);
	drapeDestroyWorld(world);
}

// Sheets in the same place, and sheets that are nearer than a tenth of their thickness.
static void CloseClothsAreMovedToTheirLeastGap(void** state)
{
	(void)state;
	for (int i = 0; i < 2; ++i)
	{
		drapeWorldId world = Sheet_World(1);
		drapeClothId lower = AddPlaced(world, 8, (drapeVec3){0.0f, 0.0f, 0.0f}, alongX, 0.0f);
		drapeClothId upper = AddPlaced(world, 8, (drapeVec3){0.0f, i == 0 ? 0.0f : 2e-6f, 0.0f}, alongX, 0.0f);
		float gap = fmaxf(0.1f * Sheet_SettlingDef().material.thickness, 1e-5f);
		assert_int_equal(Untangle(world).after, 0);
		drapeClothView one = drapeCloth_GetView(lower), other = drapeCloth_GetView(upper);
		for (uint32_t k = 0; k < one.particleCount; ++k)
			assert_true(fabsf(other.positions[k].y - one.positions[k].y) >= 0.999f * gap);
		drapeDestroyWorld(world);
	}
}

static void PinsAndVelocitiesStay(void** state)
{
	(void)state;
	drapeWorldId world = Sheet_World(1);
	drapeClothId pinned = AddPlaced(world, 12, (drapeVec3){0.0f, 0.0f, 0.0f}, alongX, 0.0f);
	drapeClothId other = AddPlaced(world, 12, (drapeVec3){0.01f, 0.3f, 0.02f}, alongZ, 1.5f);
	// The line where they cross is pinned in one of them, so that all is left to the other.
	drapeVec3 at[13], velocities[169];
	for (uint32_t i = 0; i < 169; ++i)
		velocities[i] = (drapeVec3){0.0f, 0.1f, 0.001f * (float)i};
	assert_int_equal(drapeCloth_SetVelocities(other, velocities), drape_ok);
	for (uint32_t i = 0; i < 13; ++i)
	{
		assert_true(Make_Pin(pinned, 13 * i + 6).index1 > 0);
		drapeVec4 p = drapeCloth_GetView(pinned).positions[13 * i + 6];
		at[i] = (drapeVec3){p.x, p.y, p.z};
	}
	assert_int_equal(Untangle(world).after, 0);
	for (uint32_t i = 0; i < 13; ++i)
	{
		drapeVec4 p = drapeCloth_GetView(pinned).positions[13 * i + 6];
		assert_true(p.x == at[i].x && p.y == at[i].y && p.z == at[i].z);
	}
	for (uint32_t i = 0; i < 169; ++i)
		assert_true(drapeCloth_GetView(other).velocities[i].z == velocities[i].z);
	drapeDestroyWorld(world);
}

static void UnremovableCrossingsAreReported(void** state)
{
	(void)state;
	drapeWorldId world = Sheet_World(1);
	drapeClothId cloth = AddPlaced(world, 8, (drapeVec3){0.0f, 0.0f, 0.0f}, alongX, 0.0f);
	AddCollider(world, drape_shapeBox, 0.3f, (drapeVec3){0.0f, 0.0f, 0.0f});
	assert_true(Make_Pin(cloth, 40).index1 > 0); // the middle
	drapeUntangleReport report = Untangle(world);
	assert_true(report.after > 0 && report.after <= report.before);
	assert_true(report.rounds <= drapeDefaultUntangleDef().rounds);
	drapeDestroyWorld(world);
	// All of it pinned.
	world = Sheet_World(1);
	cloth = AddPlaced(world, 4, (drapeVec3){0.0f, 0.0f, 0.0f}, alongX, 0.0f);
	AddCollider(world, drape_shapeBox, 0.3f, (drapeVec3){0.0f, 0.0f, 0.0f});
	for (uint32_t i = 0; i < 25; ++i)
		assert_true(Make_Pin(cloth, i).index1 > 0);
	report = Untangle(world);
	assert_true(report.after == report.before && report.moved == 0);
	drapeDestroyWorld(world);
}

static void NumbersStayFiniteInTheWorstStates(void** state)
{
	(void)state;
	uint32_t seed = 3;
	for (int i = 0; i < 3; ++i)
	{
		drapeWorldId world = Sheet_World(1);
		drapeClothId cloth = AddPlaced(world, 10, (drapeVec3){0.0f, 0.0f, 0.0f}, alongX, 0.0f);
		drapeVec3 positions[121];
		// Noise, all in a line, all in a point.
		for (uint32_t k = 0; k < 121; ++k)
			positions[k] = i == 0   ? RandomVec3(&seed, 0.5f)
			               : i == 1 ? (drapeVec3){Random(&seed, 0.0f, 1.0f), 0.0f, 0.0f}
			                        : (drapeVec3){0.1f, 0.2f, 0.3f};
		assert_int_equal(drapeCloth_SetPositions(cloth, positions), drape_ok);
		AddCollider(world, drape_shapeSphere, 0.2f, (drapeVec3){0.0f, 0.0f, 0.0f});
		drapeUntangleReport report = Untangle(world);
		print_message("worst %d: %u of %u left\n", i, report.after, report.before);
		drapeDestroyWorld(world);
	}
}

// --- failures ---

static drapeWorldId SmallTangle(void)
{
	drapeWorldId world = Sheet_World(1);
	AddPlaced(world, 4, (drapeVec3){0.0f, 0.0f, 0.0f}, alongX, 0.0f);
	AddPlaced(world, 4, (drapeVec3){0.0f, 0.3f, 0.0f}, alongZ, 1.0f);
	AddCollider(world, drape_shapeMesh, 0.2f, (drapeVec3){0.2f, 0.0f, 0.1f});
	AddCollider(world, drape_shapeBox, 0.1f, (drapeVec3){-0.3f, 0.0f, 0.0f});
	return world;
}

static void EveryFailedAllocationLeavesTheWorldAsItWas(void** state)
{
	(void)state;
	uint32_t failures = 0;
	Test_FailAllocation(SIZE_MAX, false);
	drapeDestroyWorld(SmallTangle());
	size_t made = Test_AllocationCount();
	for (bool isDone = false; !isDone; ++failures)
	{
		Test_FailAllocation(made + failures + 1, false);
		drapeWorldId world = SmallTangle();
		uint64_t before = drapeWorld_GetHash(world);
		drapeUntangleDef def = drapeDefaultUntangleDef();
		drapeUntangleReport report = {.before = 1};
		drapeResult result = drapeWorld_Untangle(world, &def, &report);
		isDone = result == drape_ok;
		assert_true(isDone || (result == drape_errorMemory && report.before == 0));
		assert_true((drapeWorld_GetHash(world) != before) == isDone);
		drapeDestroyWorld(world);
		Test_FailAllocation(0, false);
	}
	assert_true(failures > 20);
}

static bool NoteAssert(const char* condition, const char* file, int line)
{
	(void)condition;
	(void)file;
	(void)line;
	return false;
}

static void BadDefinitionsAreRefused(void** state)
{
	(void)state;
	drapeSetAssert(NoteAssert);
	drapeWorldId world = SmallTangle(), none = {0};
	uint64_t before = drapeWorld_GetHash(world);
	drapeUntangleDef good = drapeDefaultUntangleDef(), zero = {0}, no = good, many = good;
	drapeUntangleReport report = {.before = 1};
	no.rounds = 0;
	many.rounds = 10001;
	assert_int_equal(drapeWorld_Untangle(none, &good, &report), drape_errorArgument);
	assert_int_equal(report.before, 0);
	assert_int_equal(drapeWorld_Untangle(world, NULL, NULL), drape_errorArgument);
	assert_int_equal(drapeWorld_Untangle(world, &zero, NULL), drape_errorArgument);
	assert_int_equal(drapeWorld_Untangle(world, &no, NULL), drape_errorArgument);
	assert_int_equal(drapeWorld_Untangle(world, &many, NULL), drape_errorArgument);
	assert_true(drapeWorld_GetHash(world) == before);
	assert_int_equal(drapeWorld_Untangle(world, &good, NULL), drape_ok);
	assert_true(drapeWorld_GetHash(world) != before);
	drapeDestroyWorld(world);
	drapeSetAssert(NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(ASheetIsDrawnBackOutOfAnother),
		cmocka_unit_test(FiveSheetsThroughEachOtherBecomeAStack),
		cmocka_unit_test(AClothIsDrawnBackOutOfItself),
		cmocka_unit_test(AStripIsDrawnBackOutOfARoundCloth),
		cmocka_unit_test(AClothIsPushedOutOfEveryShape),
		cmocka_unit_test(AnArmThroughACapeGoesOutOfIt),
		cmocka_unit_test(AClothIsDrawnOutOfAnOpenMesh),
		cmocka_unit_test(RandomTanglesAreTakenApart),
		cmocka_unit_test(AnyNumberOfThreadsGivesTheSame),
		cmocka_unit_test(AnAdaptiveMeshIsTakenApartAsItIs),
		cmocka_unit_test(StatesWithoutCrossingsStayUnchanged),
		cmocka_unit_test(CloseClothsAreMovedToTheirLeastGap),
		cmocka_unit_test(PinsAndVelocitiesStay),
		cmocka_unit_test(UnremovableCrossingsAreReported),
		cmocka_unit_test(NumbersStayFiniteInTheWorstStates),
		cmocka_unit_test(EveryFailedAllocationLeavesTheWorldAsItWas),
		cmocka_unit_test(BadDefinitionsAreRefused),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
