// SPDX-License-Identifier: MIT
#include "contact_scene.h"
#include "shared/make.h"

#include "base/maths.h"
#include "shared/sheets.h"
#include "world/world.h"

#include <math.h>
#include <stdlib.h>

// Cloth comes to rest: dropped on something, some seconds later it lies there. It neither trembles nor creeps, and
// nothing has to be stopped on its way any more.

static const float restSpeed = 1.4e-3f; // m/s

enum
{
	stepRate = 60,
	mostCloths = 2,
	watchedSteps = 2 * stepRate, // at the end
};

typedef struct Settling
{
	drapeWorldId world;
	drapeClothId cloths[mostCloths];
	uint32_t clothCount;
} Settling;

// Cotton with more damping and less internal friction than that of the benchmarks.
static drapeClothDef FabricDef(drapeScheme scheme)
{
	drapeClothDef def = SharedFabric_Cotton(scheme, 0);
	def.material.bendFriction = 25.0f;
	def.material.dampingTime = 0.05f;
	def.adapt.maxLevel = scheme == drape_schemeFixed ? 0 : 2;
	def.adapt.collision.colliders = false;
	return def;
}

static Settling Settling_Create(void)
{
	return (Settling){.world = Sheet_World(1)};
}

static void Settling_Destroy(Settling* settling)
{
	Sheet_Check(settling->world);
	drapeDestroyWorld(settling->world);
}

// A square with so many quads a side at the finest.
static void AddSheet(Settling* settling, drapeScheme scheme, uint32_t quads, float side, drapeTransform at)
{
	drapeClothDef def = FabricDef(scheme);
	uint32_t coarse = scheme == drape_schemeFixed ? quads : scheme == drape_schemeEdge ? quads / 4 : quads / 3;
	drapeClothId cloth = SharedSheet_Add(settling->world, &def, coarse, coarse, side, side, SharedPlace_Transform, &at);
	assert_true(drapeCloth_IsValid(cloth) && settling->clothCount < mostCloths);
	settling->cloths[settling->clothCount++] = cloth;
}

static drapeColliderDef Shape(drapeColliderShape shape, drapeTransform at)
{
	drapeColliderDef def = drapeDefaultColliderDef();
	def.shape = shape;
	def.transform = at;
	return def;
}

static void AddCollider(Settling* settling, const drapeColliderDef* def)
{
	assert_true(drapeCollider_IsValid(Make_Collider(settling->world, def)));
}

// Over the last two seconds.
typedef struct Rest
{
	float speed;      // m/s: root mean square over the particles of all cloths; the median over the steps
	uint32_t impacts; // in the last second
	uint32_t changes; // of the mesh, likewise
} Rest;

static int ByValue(const void* a, const void* b)
{
	float first = *(const float*)a, second = *(const float*)b;
	return (first > second) - (first < second);
}

static void Step(Settling* settling)
{
	drapeResult result = drapeWorld_Step(settling->world, 1.0f / stepRate);
	if (result != drape_ok)
		fail_msg("%s", drapeWorld_GetWarning(settling->world).text);
}

static Rest Run(Settling* settling, uint32_t seconds)
{
	Rest rest = {0};
	float speed[watchedSteps];
	for (uint32_t i = 0; i < seconds * stepRate - watchedSteps; ++i)
		Step(settling);
	for (uint32_t i = 0; i < watchedSteps; ++i)
	{
		Step(settling);
		drapeCounters costs = drapeWorld_GetCounters(settling->world);
		rest.impacts += i >= watchedSteps - stepRate ? costs.impacts : 0;
		rest.changes += i >= watchedSteps - stepRate ? costs.splits + costs.joins : 0;
		speed[i] = 0.0f;
		for (uint32_t k = 0; k < settling->clothCount; ++k)
			speed[i] = fmaxf(speed[i], ContactScene_Speed(settling->cloths[k]));
	}
	// A place that slips late does not count, what trembles does.
	qsort(speed, watchedSteps, sizeof *speed, ByValue);
	rest.speed = speed[watchedSteps / 2];
	return rest;
}

// --- things that cloth is dropped on --------------------------------------------------------------------------------

typedef void BuildFcn(Settling* settling, drapeScheme scheme, uint32_t quads);

static drapeTransform Above(float height, float angle)
{
	return Turned(0.03f, height, 0.02f, (drapeVec3){0, 1, 0}, angle);
}

static void AddSphere(Settling* settling)
{
	drapeColliderDef sphere = Shape(drape_shapeSphere, Placed(0, -0.2f, 0));
	sphere.radius = 0.2f;
	AddCollider(settling, &sphere);
}

static void SheetOnASphere(Settling* settling, drapeScheme scheme, uint32_t quads)
{
	AddSphere(settling);
	AddSheet(settling, scheme, quads, 0.8f, Above(0.02f, 0.2f));
}

static void TwoSheetsOnASphere(Settling* settling, drapeScheme scheme, uint32_t quads)
{
	SheetOnASphere(settling, scheme, quads);
	AddSheet(settling, scheme, quads, 0.7f, Above(0.05f, 0.7f));
}

static void SheetOnACorner(Settling* settling, drapeScheme scheme, uint32_t quads)
{
	// Its diagonal upright.
	drapeColliderDef box =
		Shape(drape_shapeBox, Turned(0, -0.27f, 0, (drapeVec3){0.70710678f, 0, -0.70710678f}, 0.9553f));
	box.halfExtents = (drapeVec3){0.15f, 0.15f, 0.15f};
	AddCollider(settling, &box);
	AddSheet(settling, scheme, quads, 0.8f, Above(0.02f, 0.2f));
}

// A ball that is pressed into a sheet held at its corners: the pressure on it is thousands of times the cloth's weight.
static void TightSheetOverABall(Settling* settling, drapeScheme scheme, uint32_t quads)
{
	const drapeMotionKey keys[2] = {{0.0f, Placed(0.03f, 0.2f, 0.02f)}, {1.0f, Placed(0.03f, -0.15f, 0.02f)}};
	const drapeMotionDef motion = {.keys = keys, .keyCount = 2};
	drapeColliderDef ball = Shape(drape_shapeSphere, Placed(0, 0, 0));
	ball.radius = 0.1f;
	ball.motion = Make_Motion(settling->world, &motion);
	AddCollider(settling, &ball);
	AddSheet(settling, scheme, 2 * quads, 0.8f, Placed(0, 0, 0));
	drapeClothView view = drapeCloth_GetView(settling->cloths[0]);
	for (uint32_t i = 0; i < view.particleCount; ++i)
	{
		if (fabsf(view.positions[i].x) > 0.399f && fabsf(view.positions[i].z) > 0.399f)
			Make_Pin(settling->cloths[0], i);
	}
}

static void ComesToRest(BuildFcn* build, uint32_t seconds)
{
	const drapeScheme schemes[] = {drape_schemeFixed, drape_schemeEdge, drape_schemeSqrt3};
	const char* names[] = {"fixed", "edge", "sqrt3"};
	for (int i = 0; i < 3; ++i)
	{
		Settling settling = Settling_Create();
		build(&settling, schemes[i], 12);
		Rest rest = Run(&settling, seconds);
		print_message("%s: %.2f mm/s, %u impacts, %u changes\n", names[i], 1e3 * (double)rest.speed, rest.impacts,
		              rest.changes);
		assert_true(rest.speed < restSpeed && rest.impacts == 0);
		assert_true(ContactScene_Height(settling.cloths[0]) > -0.5f); // it lies there still
		Settling_Destroy(&settling);
	}
}

static void ASheetOnASphereComesToRest(void** state)
{
	(void)state;
	ComesToRest(SheetOnASphere, 10);
}

static void TwoSheetsOnASphereComeToRest(void** state)
{
	(void)state;
	ComesToRest(TwoSheetsOnASphere, 10);
}

static void ASheetOnTheCornerOfABoxComesToRest(void** state)
{
	(void)state;
	ComesToRest(SheetOnACorner, 10);
}

static void ATightSheetOverABallComesToRest(void** state)
{
	(void)state;
	ComesToRest(TightSheetOverABall, 6);
}

// --- on its edge ----------------------------------------------------------------------------------------------------

// It crumples, and is neither torn nor thrown up again: with every step as long as the cloth falls by two of its edges.
static void ASheetThatFallsOnItsEdgeKeepsItsSize(void** state)
{
	(void)state;
	for (int i = 0; i < 3; ++i)
	{
		Settling settling = Settling_Create();
		drapeColliderDef floor = Shape(drape_shapePlane, Placed(0, 0, 0));
		AddCollider(&settling, &floor);
		drapeTransform at = Turned(0, 0.45f + 0.01f * (float)i, 0, (drapeVec3){1, 0, 0}, 1.55f);
		AddSheet(&settling, drape_schemeFixed, 40, 0.6f, at);
		float longest = 0.0f, fastest = 0.0f;
		for (uint32_t k = 0; k < stepRate; ++k)
		{
			Step(&settling);
			longest = fmaxf(longest, drapeCloth_GetMeasures(settling.cloths[0]).stretchMax);
			fastest = fmaxf(fastest, ContactScene_Speed(settling.cloths[0]));
		}
		print_message("stretch %.3f, %.2f m/s\n", (double)longest, (double)fastest);
		assert_true(longest < 1.2f && fastest < 1.6f); // it falls at 1.4 m/s
		Settling_Destroy(&settling);
	}
}

// A step moves the corner by six of its edges into the floor. Squeezed flat there, the cloth would explode in the next
// step, and be held from then on.
static void AFineSheetThatFallsOnItsCornerCrumples(void** state)
{
	(void)state;
	Settling settling = Settling_Create();
	drapeColliderDef floor = Shape(drape_shapePlane, Placed(0, 0, 0));
	AddCollider(&settling, &floor);
	AddSheet(&settling, drape_schemeFixed, 100, 0.5f, Turned(0, 0.45f, 0, (drapeVec3){1, 0.1f, 0.1f}, 1.55f));
	float longest = 0.0f, fastest = 0.0f;
	uint32_t retries = 0;
	for (uint32_t k = 0; k < stepRate / 2; ++k)
	{
		Step(&settling);
		retries += drapeWorld_GetCounters(settling.world).retries;
		longest = fmaxf(longest, drapeCloth_GetMeasures(settling.cloths[0]).stretchMax);
		fastest = fmaxf(fastest, ContactScene_Speed(settling.cloths[0]));
	}
	print_message("stretch %.3f, %.2f m/s, %u retries\n", (double)longest, (double)fastest, retries);
	assert_int_equal(drapeWorld_GetWarning(settling.world).count, 0);
	assert_true(longest < 1.6f && fastest < 3.0f); // it falls at 2 m/s
	Settling_Destroy(&settling);
}

// --- creeping -------------------------------------------------------------------------------------------------------

static void AddIncline(Settling* settling, drapeColliderShape shape, float angle)
{
	drapeMesh mesh;
	drapeColliderDef def = Shape(shape, Turned(0, 0, 0, (drapeVec3){0, 0, 1}, angle));
	assert_int_equal(drapeMesh_CreateGrid(3, 3, 6.0f, 6.0f, &mesh, NULL), drape_ok);
	def.mesh = &mesh;
	AddCollider(settling, &def);
	drapeMesh_Free(&mesh);
}

// The farthest that any particle goes in so many steps, m.
static float Creep(Settling* settling, uint32_t steps)
{
	drapeClothView view = drapeCloth_GetView(settling->cloths[0]);
	drapeVec4* before = malloc(view.particleCount * sizeof *before);
	assert_non_null(before);
	for (uint32_t i = 0; i < view.particleCount; ++i)
		before[i] = view.positions[i];
	for (uint32_t i = 0; i < steps; ++i)
		Step(settling);
	view = drapeCloth_GetView(settling->cloths[0]);
	float farthest = 0.0f;
	for (uint32_t i = 0; i < view.particleCount; ++i)
	{
		drapeVec4 now = view.positions[i], from = before[i];
		farthest = fmaxf(farthest, V3Length((Vec3){now.x - from.x, now.y - from.y, now.z - from.z}));
	}
	free(before);
	return farthest;
}

static void ClothDoesNotCreepBelowTheCoefficient(void** state)
{
	(void)state;
	const drapeColliderShape shapes[] = {drape_shapePlane, drape_shapeMesh};
	const float slopes[] = {0.1f, 0.35f, 0.45f}; // of a coefficient of 0.5
	for (int i = 0; i < 6; ++i)
	{
		float angle = atanf(slopes[i % 3]);
		Settling settling = Settling_Create();
		AddIncline(&settling, shapes[i / 3], angle);
		drapeTransform at = Turned(0, 0, 0, (drapeVec3){0, 0, 1}, angle);
		at.position = drapeTransform_Point(at, (drapeVec3){0.1f, 3e-3f, 0.3f});
		AddSheet(&settling, drape_schemeFixed, 6, 0.4f, at);
		for (uint32_t k = 0; k < 2 * stepRate; ++k)
			Step(&settling);
		float creep = Creep(&settling, 2 * stepRate);
		print_message("slope %.2f on %s: %.4f mm\n", (double)slopes[i % 3], i < 3 ? "a plane" : "a mesh",
		              1e3 * (double)creep);
		assert_true(creep < 1e-4f);
		Settling_Destroy(&settling);
	}
}

// A sheet of few triangles lies on a sphere with its faces, another on both: no friction on particles holds them.
static void ClothDoesNotCreepOnFacesAndOnOtherCloth(void** state)
{
	(void)state;
	const drapeScheme schemes[] = {drape_schemeFixed, drape_schemeEdge, drape_schemeSqrt3};
	for (int i = 0; i < 3; ++i)
	{
		Settling settling = Settling_Create();
		TwoSheetsOnASphere(&settling, schemes[i], 12);
		for (uint32_t k = 0; k < 9 * stepRate; ++k)
			Step(&settling);
		uint32_t points = drapeWorlds_Get(settling.world)->contact.points.count;
		float creep = Creep(&settling, 2 * stepRate);
		print_message("%u points: %.4f mm\n", points, 1e3 * (double)creep);
		assert_true(points > 20 && creep < 1e-5f);
		Settling_Destroy(&settling);
	}
}

static uint64_t RunOn(Settling* settling, uint32_t steps)
{
	for (uint32_t i = 0; i < steps; ++i)
		Step(settling);
	return drapeWorld_GetHash(settling->world);
}

// Where two cloths lie on each other, what they have slipped is part of the state.
static void ALoadedWorldKnowsWhatHadSlipped(void** state)
{
	(void)state;
	const drapeScheme schemes[] = {drape_schemeFixed, drape_schemeEdge, drape_schemeSqrt3};
	for (int i = 0; i < 3; ++i)
	{
		Settling settling = Settling_Create(), other = Settling_Create();
		TwoSheetsOnASphere(&settling, schemes[i], 12);
		TwoSheetsOnASphere(&other, schemes[i], 12);
		RunOn(&settling, 90);
		RunOn(&other, 60);
		size_t size = Make_Snapshot(settling.world, NULL, 0);
		void* data = malloc(size);
		assert_int_equal(Make_Snapshot(settling.world, data, size), size);
		assert_true(drapeWorlds_Get(settling.world)->contact.cache.now.count > 0);
		uint64_t later = RunOn(&settling, 20);
		assert_int_equal(drapeWorld_Load(other.world, data, size), drape_ok);
		assert_true(RunOn(&other, 20) == later);
		free(data);
		Settling_Destroy(&settling);
		Settling_Destroy(&other);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(ASheetOnASphereComesToRest),
		cmocka_unit_test(TwoSheetsOnASphereComeToRest),
		cmocka_unit_test(ASheetOnTheCornerOfABoxComesToRest),
		cmocka_unit_test(ATightSheetOverABallComesToRest),
		cmocka_unit_test(ASheetThatFallsOnItsEdgeKeepsItsSize),
		cmocka_unit_test(AFineSheetThatFallsOnItsCornerCrumples),
		cmocka_unit_test(ClothDoesNotCreepBelowTheCoefficient),
		cmocka_unit_test(ClothDoesNotCreepOnFacesAndOnOtherCloth),
		cmocka_unit_test(ALoadedWorldKnowsWhatHadSlipped),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
