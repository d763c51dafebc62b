// SPDX-License-Identifier: MIT
#include "meshes.h"
#include "sheet.h"

#include "base/maths.h"
#include "drape/drape.h"
#include "shared/make.h"
#include "shared/sheets.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const float frame = 1.0f / 60.0f;

// --- the rule -------------------------------------------------------------------------------------------------------

static void FiltersTouchIfEachHasACategoryOfTheOthersMask(void** state)
{
	(void)state;
	const drapeFilter usual = drapeDefaultFilter();
	assert_true(usual.category == 1 && usual.mask == UINT64_MAX);
	assert_true(drapeFilter_Touches(usual, usual));
	static const struct
	{
		drapeFilter a, b;
		bool touches;
	} cases[] = {
		{{1, 2}, {2, 1}, true},
		{{1, 2}, {2, 2}, false},
		{{1, 1}, {2, 1}, false},
		{{3, 4}, {4, 2}, true},
		{{(uint64_t)1 << 63, (uint64_t)1 << 62}, {(uint64_t)1 << 62, (uint64_t)1 << 63}, true},
		{{0, UINT64_MAX}, {1, UINT64_MAX}, false},
		{{1, 0}, {1, UINT64_MAX}, false},
	};
	for (uint32_t i = 0; i < sizeof cases / sizeof cases[0]; ++i)
	{
		assert_int_equal(drapeFilter_Touches(cases[i].a, cases[i].b), cases[i].touches);
		assert_int_equal(drapeFilter_Touches(cases[i].b, cases[i].a), cases[i].touches);
	}
}

// --- as if it were not there ----------------------------------------------------------------------------------------

// Colliders that a cloth falls on.
typedef enum Body
{
	bodySphere,
	bodyBox,
	bodyMesh,
	bodyMovingMesh,
	bodyCount,
} Body;

typedef struct Setup
{
	drapeScheme scheme;
	drapeContactMode contact;
	drapeIntegrator integrator;
	Body body;
} Setup;

static drapeColliderId AddBody(drapeWorldId world, Body body, drapeVec3 position, drapeFilter filter)
{
	drapeColliderDef def = drapeDefaultColliderDef();
	def.transform.position = position;
	def.radius = 0.2f;
	def.halfExtents = (drapeVec3){0.15f, 0.1f, 0.2f};
	def.filter = filter;
	drapeMesh mesh = TestMesh_Sphere(2, 0.2f);
	if (body >= bodyMesh)
	{
		def.shape = drape_shapeMesh;
		def.mesh = &mesh;
	}
	else
		def.shape = body == bodyBox ? drape_shapeBox : drape_shapeSphere;
	drapeColliderId collider = Make_Collider(world, &def);
	TestMesh_Free(&mesh);
	assert_true(drapeCollider_IsValid(collider));
	return collider;
}

static drapeClothDef DefOf(const Setup* setup)
{
	drapeClothDef def = SharedFabric_Cotton(setup->scheme, 2);
	def.contact = setup->contact;
	def.adapt.collision.colliders = setup->scheme != drape_schemeFixed;
	if (!drapeIntegrator_IsImplicit(setup->integrator))
	{
		drapeClothDef springs = Make_SpringClothDef();
		springs.adapt = def.adapt;
		springs.contact = def.contact;
		def = springs;
	}
	return def;
}

static const drapeFilter other = {.category = 2, .mask = 2};

// A sheet that falls on a body, and passes through others: `extra` colliders are there or not, and none counts.
static uint64_t Fall(const Setup* setup, bool hasExtra, uint32_t steps)
{
	drapeWorldId world = Sheet_World(1);
	drapeColliderId moving = {0};
	// Before and after the one that counts, so that its number differs.
	if (hasExtra)
	{
		moving = AddBody(world, setup->body, (drapeVec3){0.2f, -0.25f, 0.1f}, other);
		AddBody(world, bodySphere, (drapeVec3){-0.3f, -0.2f, 0.0f}, other);
	}
	AddBody(world, setup->body == bodyMovingMesh ? bodyMesh : setup->body, (drapeVec3){0.0f, -0.22f, 0.0f},
	        drapeDefaultFilter());
	if (hasExtra)
		AddBody(world, bodyMesh, (drapeVec3){0.1f, -0.2f, -0.2f}, other);
	drapeClothDef def = DefOf(setup);
	drapeClothId cloth = SharedSheet_Add(world, &def, 8, 8, 1.0f, 1.0f, NULL, NULL);
	assert_true(drapeCloth_IsValid(cloth));
	for (uint32_t i = 0; i < steps; ++i)
	{
		if (hasExtra && setup->body == bodyMovingMesh)
		{
			drapeTransform at = drapeCollider_GetTransform(moving);
			at.position.y += 0.01f;
			assert_int_equal(drapeCollider_SetTransform(moving, at), drape_ok);
		}
		assert_int_equal(drapeWorld_Step(world, frame), drape_ok);
	}
	uint64_t hash = drapeWorld_GetHash(world);
	Sheet_Check(world);
	drapeDestroyWorld(world);
	return hash;
}

static void CollidersThatAClothDoesNotTouchChangeNoBit(void** state)
{
	(void)state;
	static const drapeScheme schemes[] = {drape_schemeFixed, drape_schemeEdge, drape_schemeSqrt3};
	for (uint32_t i = 0; i < 3 * bodyCount * 3; ++i)
	{
		const Setup setup = {
			.scheme = schemes[i % 3],
			.body = (Body)(i / 3 % bodyCount),
			.contact = i / (3 * bodyCount) == 1 ? drape_contactAll : drape_contactParticles,
			.integrator = i / (3 * bodyCount) == 2 ? drape_integratorSymplecticEuler : drape_integratorImplicitEuler,
		};
		if (isSlow && i % 5 != 0)
			continue;
		uint32_t steps = isSlow ? 12 : 30;
		assert_true(Fall(&setup, false, steps) == Fall(&setup, true, steps));
	}
}

// Two bodies close on a hanging sheet and pinch it, among bodies that it does not touch.
static uint64_t Pinch(const Setup* setup, bool hasExtra)
{
	drapeWorldId world = Sheet_World(1);
	if (hasExtra)
		AddBody(world, bodyMesh, (drapeVec3){0.0f, 0.1f, 0.1f}, other);
	drapeColliderId below = AddBody(world, bodyMesh, (drapeVec3){0.0f, -0.24f, 0.0f}, drapeDefaultFilter());
	if (hasExtra)
		AddBody(world, bodyBox, (drapeVec3){0.1f, -0.1f, 0.0f}, other);
	drapeColliderId above = AddBody(world, bodyMesh, (drapeVec3){0.05f, 0.24f, 0.0f}, drapeDefaultFilter());
	drapeClothDef def = DefOf(setup);
	drapeClothId cloth = SharedSheet_Add(world, &def, 10, 10, 0.6f, 0.6f, NULL, NULL);
	const uint32_t corners[4] = {0, 10, 110, 120};
	for (int i = 0; i < 4; ++i)
		Make_Pin(cloth, corners[i]);
	uint32_t pinched = 0;
	for (uint32_t i = 0; i < 25; ++i)
	{
		for (int k = 0; k < 2; ++k)
		{
			drapeTransform at = drapeCollider_GetTransform(k == 0 ? below : above);
			at.position.y += (k == 0 ? 1.0f : -1.0f) * (i < 12 ? 0.006f : -0.006f);
			assert_int_equal(drapeCollider_SetTransform(k == 0 ? below : above, at), drape_ok);
		}
		assert_int_equal(drapeWorld_Step(world, frame), drape_ok);
		pinched += drapeWorld_GetCounters(world).pinched;
	}
	assert_true(pinched > 0);
	uint64_t hash = drapeWorld_GetHash(world);
	drapeDestroyWorld(world);
	return hash;
}

static void PinchedClothDoesNotKnowCollidersThatItDoesNotTouch(void** state)
{
	(void)state;
	for (int i = 0; i < 4; ++i)
	{
		const Setup setup = {.scheme = i & 1 ? drape_schemeEdge : drape_schemeFixed,
		                     .contact = i & 2 ? drape_contactAll : drape_contactParticles,
		                     .integrator = drape_integratorImplicitEuler};
		assert_true(Pinch(&setup, false) == Pinch(&setup, true));
	}
}

// Each of two cloths touches one of two spheres: it does what it does alone with that one.
static void EachClothTouchesItsOwnColliders(void** state)
{
	(void)state;
	enum
	{
		particles = 81
	};
	drapeVec4 alone[2][particles];
	for (int run = 0; run < 3; ++run)
	{
		drapeWorldId world = Sheet_World(1 + (uint32_t)run);
		drapeClothId cloths[2] = {{0}};
		for (int i = 0; i < 2; ++i)
		{
			if (run != 2 && run != i)
				continue;
			const drapeFilter filter = {(uint64_t)1 << i, (uint64_t)1 << i};
			AddBody(world, i == 0 ? bodySphere : bodyMesh, (drapeVec3){0.1f * (float)i, -0.22f, 0.0f}, filter);
			drapeClothDef def = SharedFabric_Cotton(drape_schemeFixed, 0);
			def.contact = drape_contactParticles;
			def.filter = filter;
			cloths[i] = SharedSheet_Add(world, &def, 8, 8, 1.0f, 1.0f, NULL, NULL);
		}
		for (int i = 0; i < 40; ++i)
			assert_int_equal(drapeWorld_Step(world, frame), drape_ok);
		for (int i = 0; i < 2; ++i)
		{
			if (run != 2 && run != i)
				continue;
			drapeClothView view = drapeCloth_GetView(cloths[i]);
			assert_int_equal(view.particleCount, particles);
			if (run == 2)
				assert_memory_equal(view.positions, alone[i], sizeof alone[i]);
			else
				memcpy(alone[i], view.positions, sizeof alone[i]);
		}
		drapeDestroyWorld(world);
	}
}

// --- cloths ---------------------------------------------------------------------------------------------------------

static float MeanHeight(drapeClothId cloth)
{
	drapeClothView view = drapeCloth_GetView(cloth);
	float sum = 0.0f;
	for (uint32_t i = 0; i < view.particleCount; ++i)
		sum += view.positions[i].y;
	return sum / (float)view.particleCount;
}

static uint32_t Crossings(drapeWorldId world)
{
	uint32_t count;
	assert_int_equal(drapeWorld_FindCrossings(world, NULL, 0, &count), drape_ok);
	return count;
}

static drapeClothId AddSheetAt(drapeWorldId world, drapeScheme scheme, float height, drapeFilter filter)
{
	drapeClothDef def = SharedFabric_Cotton(scheme, 1);
	drapeTransform at = drapeIdentityTransform();
	at.position.y = height;
	def.filter = filter;
	return SharedSheet_Add(world, &def, 6, 6, 0.6f, 0.6f, SharedPlace_Transform, &at);
}

// A sheet hangs by its corners; another one falls on it, or through it.
static void ClothsThatDoNotTouchPassThroughEachOther(void** state)
{
	(void)state;
	static const drapeScheme schemes[] = {drape_schemeFixed, drape_schemeEdge, drape_schemeSqrt3};
	for (int i = 0; i < 6; ++i)
	{
		bool touches = i % 2 == 0;
		drapeWorldId world = Sheet_World(1);
		drapeClothId lower = AddSheetAt(world, schemes[i / 2], 0.0f, drapeDefaultFilter());
		drapeClothId upper =
			AddSheetAt(world, schemes[i / 2], 0.02f, touches ? drapeDefaultFilter() : (drapeFilter){2, 2});
		const uint32_t corners[4] = {0, 6, 42, 48};
		for (int k = 0; k < 4; ++k)
			Make_Pin(lower, corners[k]);
		bool hasCrossed = false;
		for (int k = 0; k < (isSlow ? 25 : 40); ++k)
		{
			assert_int_equal(drapeWorld_Step(world, frame), drape_ok);
			hasCrossed |= Crossings(world) > 0;
		}
		assert_false(hasCrossed);
		assert_int_equal(MeanHeight(upper) > MeanHeight(lower), touches);
		drapeDestroyWorld(world);
	}
}

// Untangling leaves pairs alone that do not touch, and takes apart those that do.
static void UntanglingLeavesPairsAloneThatDoNotTouch(void** state)
{
	(void)state;
	for (int i = 0; i < 2; ++i)
	{
		drapeWorldId world = Sheet_World(1);
		drapeClothId cloth = AddSheetAt(world, drape_schemeFixed, 0.0f, drapeDefaultFilter());
		AddBody(world, bodySphere, (drapeVec3){0.02f, 0.15f, 0.01f}, i == 0 ? drapeDefaultFilter() : other);
		AddBody(world, bodyMesh, (drapeVec3){0.02f, 0.15f, 0.01f}, other);
		uint64_t before = drapeWorld_GetHash(world);
		assert_int_equal(Crossings(world) > 0, i == 0);
		drapeUntangleDef def = drapeDefaultUntangleDef();
		drapeUntangleReport report;
		assert_int_equal(drapeWorld_Untangle(world, &def, &report), drape_ok);
		assert_int_equal(Crossings(world), 0);
		assert_int_equal(drapeWorld_GetHash(world) == before, i == 1);
		drapeClothView view = drapeCloth_GetView(cloth);
		assert_true(view.particleCount == 49);
		drapeDestroyWorld(world);
	}
}

// --- changes --------------------------------------------------------------------------------------------------------

static void FiltersChangeOnLiveObjects(void** state)
{
	(void)state;
	for (int i = 0; i < 8; ++i)
	{
		drapeWorldId world = Sheet_World(1);
		drapeColliderId body =
			AddBody(world, i & 1 ? bodyMesh : bodySphere, (drapeVec3){0.0f, -0.21f, 0.0f}, drapeDefaultFilter());
		drapeClothDef def = SharedFabric_Cotton(drape_schemeFixed, 0);
		def.contact = i & 2 ? drape_contactAll : drape_contactParticles;
		drapeClothId cloth = SharedSheet_Add(world, &def, 6, 6, 0.5f, 0.5f, NULL, NULL);
		assert_true(drapeCloth_GetFilter(cloth).category == 1 && drapeCollider_GetFilter(body).mask == UINT64_MAX);
		for (int k = 0; k < 30; ++k)
			assert_int_equal(drapeWorld_Step(world, frame), drape_ok);
		drapeCounters rest = drapeWorld_GetCounters(world);
		assert_true(rest.contacts + rest.contactPoints > 0);
		float rested = MeanHeight(cloth);
		// A cloth or a collider is let go: the cloth falls through it.
		const drapeFilter filter = {8, 16};
		if (i & 4)
			assert_int_equal(drapeCollider_SetFilter(body, filter), drape_ok);
		else
			assert_int_equal(drapeCloth_SetFilter(cloth, filter), drape_ok);
		assert_true((i & 4 ? drapeCollider_GetFilter(body) : drapeCloth_GetFilter(cloth)).mask == 16);
		assert_true((i & 4 ? drapeCollider_GetDef(body).filter : drapeCloth_GetDef(cloth).filter).category == 8);
		for (int k = 0; k < 45; ++k)
			assert_int_equal(drapeWorld_Step(world, frame), drape_ok);
		assert_true(MeanHeight(cloth) < rested - 0.8f);
		rest = drapeWorld_GetCounters(world);
		assert_int_equal(rest.contacts, 0);
		drapeDestroyWorld(world);
	}
}

// A body jumps away. The cloth on it goes along if it touches it.
static void BodiesThatAClothDoesNotTouchDoNotCarryItAlong(void** state)
{
	(void)state;
	for (int i = 0; i < 2; ++i)
	{
		drapeWorldId world = Sheet_World(1);
		drapeColliderId body =
			AddBody(world, bodySphere, (drapeVec3){0.0f, -0.205f, 0.0f}, i == 0 ? drapeDefaultFilter() : other);
		// Holds the cloth in both worlds.
		drapeClothId cloth = AddSheetAt(world, drape_schemeFixed, 0.0f, drapeDefaultFilter());
		for (int k = 0; k < 5; ++k)
			assert_int_equal(drapeWorld_Step(world, frame), drape_ok);
		drapeTransform at = drapeCollider_GetTransform(body);
		at.position.x += 5.0f;
		assert_int_equal(drapeCollider_SetTransform(body, at), drape_ok);
		assert_int_equal(drapeWorld_Step(world, frame), drape_ok);
		assert_int_equal(drapeCloth_GetView(cloth).positions[0].x > 3.0f, i == 0);
		drapeDestroyWorld(world);
	}
}

static void SnapshotsHaveTheFilters(void** state)
{
	(void)state;
	static char data[1 << 22];
	drapeWorldId world = Sheet_World(1);
	drapeColliderId first = AddBody(world, bodySphere, (drapeVec3){0.0f, -0.21f, 0.0f}, drapeDefaultFilter());
	AddBody(world, bodyMesh, (drapeVec3){0.1f, -0.21f, 0.0f}, drapeDefaultFilter());
	drapeClothId cloth = AddSheetAt(world, drape_schemeFixed, 0.0f, drapeDefaultFilter());
	assert_int_equal(drapeCollider_SetFilter(first, (drapeFilter){2, 3}), drape_ok);
	for (int k = 0; k < 10; ++k)
		assert_int_equal(drapeWorld_Step(world, frame), drape_ok);
	assert_int_equal(drapeCloth_SetFilter(cloth, (drapeFilter){3, 2}), drape_ok);
	size_t size = Make_Snapshot(world, data, sizeof data);
	assert_true(size > 0);
	uint64_t hashes[2];
	for (int run = 0; run < 2; ++run)
	{
		for (int k = 0; k < 20; ++k)
			assert_int_equal(drapeWorld_Step(world, frame), drape_ok);
		hashes[run] = drapeWorld_GetHash(world);
		// Other filters in between, and back by loading.
		assert_int_equal(drapeCollider_SetFilter(first, drapeDefaultFilter()), drape_ok);
		assert_int_equal(drapeCloth_SetFilter(cloth, drapeDefaultFilter()), drape_ok);
		assert_int_equal(drapeWorld_Load(world, data, size), drape_ok);
		assert_true(drapeCollider_GetFilter(first).category == 2 && drapeCloth_GetFilter(cloth).category == 3);
	}
	assert_true(hashes[0] == hashes[1]);
	drapeDestroyWorld(world);
}

static void FiltersThatRunOutOfMemoryChangeNothing(void** state)
{
	(void)state;
	Test_BeginLimitedMemory();
	drapeWorldId world = Sheet_World(1);
	drapeClothId cloth = AddSheetAt(world, drape_schemeFixed, 0.0f, drapeDefaultFilter());
	drapeColliderId collider = AddBody(world, bodySphere, (drapeVec3){0.0f, -0.21f, 0.0f}, drapeDefaultFilter());
	uint32_t failures = 0;
	for (size_t allowed = 0; allowed < 100; ++allowed)
	{
		Test_AllowAllocations(allowed);
		drapeResult result =
			allowed % 2 == 0 ? drapeCollider_SetFilter(collider, other) : drapeCloth_SetFilter(cloth, other);
		Test_AllowAllocations(SIZE_MAX);
		if (result == drape_ok)
			break;
		failures++;
		assert_int_equal(result, drape_errorMemory);
		assert_true(drapeCollider_GetFilter(collider).category == 1 && drapeCloth_GetFilter(cloth).category == 1);
		assert_int_equal(drapeWorld_Step(world, frame), drape_ok);
	}
	assert_true(failures > 1);
	assert_int_equal(drapeWorld_Step(world, frame), drape_ok);
	drapeDestroyWorld(world);
	Test_EndLimitedMemory();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(FiltersTouchIfEachHasACategoryOfTheOthersMask),
		cmocka_unit_test(CollidersThatAClothDoesNotTouchChangeNoBit),
		cmocka_unit_test(PinchedClothDoesNotKnowCollidersThatItDoesNotTouch),
		cmocka_unit_test(EachClothTouchesItsOwnColliders),
		cmocka_unit_test(ClothsThatDoNotTouchPassThroughEachOther),
		cmocka_unit_test(UntanglingLeavesPairsAloneThatDoNotTouch),
		cmocka_unit_test(FiltersChangeOnLiveObjects),
		cmocka_unit_test(BodiesThatAClothDoesNotTouchDoNotCarryItAlong),
		cmocka_unit_test(SnapshotsHaveTheFilters),
		cmocka_unit_test(FiltersThatRunOutOfMemoryChangeNothing),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
