// SPDX-License-Identifier: MIT
#include "sheet.h"
#include "shared/make.h"

#include "base/maths.h"
#include "meshes.h"
#include "shared/sheets.h"
#include "world/world.h"

#include <math.h>

// A body with a trunk and an arm that sinks into the trunk, through a sheet that hangs between them, and comes out again.
//
//   trunk  | sheet      y     The sheet is pinned along its top edge, beside the trunk. The arm comes along -x. It waits
//   +----+ |  +--+      |     in the trunk, and goes back to its start. Then the sheet hangs between both again.
//   |    | |  |  | arm  +-- x
//   +----+ |  +--+

typedef struct SinkDef
{
	drapeScheme scheme;
	uint32_t workers;
	float speed; // m/s, of the arm
	float dt;    // s
	float scale; // of all lengths
	float lean;  // m/s^2: gravity along -x, which lays the sheet on the trunk
} SinkDef;

typedef struct Sink
{
	SinkDef def;
	drapeWorldId world;
	drapeClothId cloth;
	drapeColliderId body;
	drapeMesh rest;      // with the arm where it starts
	uint32_t firstOfArm; // vertex
	int step;
	// The most of all steps.
	uint32_t pinched, passed;
	float stretch99, stretchMax;
} Sink;

static const Vec3 trunkHalf = {0.2f, 0.3f, 0.2f}, armHalf = {0.05f, 0.15f, 0.05f};
static const float gap = 0.005f;    // m, between trunk and sheet at first
static const float away = 0.15f;    // m, between trunk and arm at first
static const float travel = 0.35f;  // m, of the arm
static const float waiting = 0.25f; // s
static const float settling = 0.5f; // s, before the arm moves

static float ArmOffset(const SinkDef* def, int step)
{
	float time = fmaxf((float)step * def->dt - settling, 0.0f), sinking = travel * def->scale / def->speed;
	if (time < sinking)
		return -def->speed * time;
	if (time < sinking + waiting)
		return -travel * def->scale;
	return fminf(-travel * def->scale + def->speed * (time - sinking - waiting), 0.0f);
}

static int StepsUntil(const SinkDef* def, float sinkings, float seconds)
{
	return (int)ceilf((sinkings * travel * def->scale / def->speed + seconds + settling) / def->dt);
}

static void AddBody(Sink* sink)
{
	float scale = sink->def.scale;
	drapeMesh trunk = TestMesh_Box(10, V3Scale(scale, trunkHalf)), arm = TestMesh_Box(6, V3Scale(scale, armHalf));
	for (uint32_t i = 0; i < arm.vertexCount; ++i)
		TestMesh_Positions(&arm)[i].x += scale * (trunkHalf.x + away + armHalf.x);
	sink->firstOfArm = trunk.vertexCount;
	sink->rest = TestMesh_Join(&trunk, &arm);
	drapeColliderDef def = drapeDefaultColliderDef();
	def.shape = drape_shapeMesh;
	def.mesh = &sink->rest;
	sink->body = Make_Collider(sink->world, &def);
	assert_true(drapeCollider_IsValid(sink->body));
}

static void AddSheet(Sink* sink)
{
	float scale = sink->def.scale;
	bool isFixed = sink->def.scheme == drape_schemeFixed;
	drapeClothDef def = SharedFabric_Cotton(sink->def.scheme, 2);
	def.material.thickness *= scale;
	drapeTransform at = drapeIdentityTransform();
	at.position = (drapeVec3){scale * (trunkHalf.x + gap), 0.0f, 0.0f};
	at.rotation = drapeQuat_FromAxisAngle((drapeVec3){0.0f, 0.0f, 1.0f}, -1.57079633f);
	uint32_t quads = isFixed ? 16 : 8;
	sink->cloth =
		SharedSheet_Add(sink->world, &def, quads, quads, 0.5f * scale, 0.3f * scale, SharedPlace_Transform, &at);
	assert_true(drapeCloth_IsValid(sink->cloth));
	drapeClothView view = drapeCloth_GetView(sink->cloth);
	uint32_t pins = 0;
	for (uint32_t i = 0; i < view.particleCount; ++i)
	{
		if (view.positions[i].y < 0.249f * scale)
			continue;
		Make_Pin(sink->cloth, i);
		pins++;
	}
	assert_int_equal(pins, quads + 1);
}

static void Sink_Create(Sink* sink, const SinkDef* def)
{
	*sink = (Sink){.def = *def, .world = Sheet_World(def->workers)};
	drapeWorld_SetGravity(sink->world, (drapeVec3){-def->lean, -9.81f, 0.0f});
	AddBody(sink);
	AddSheet(sink);
}

static void Sink_Destroy(Sink* sink)
{
	Sheet_Check(sink->world);
	drapeDestroyWorld(sink->world);
	TestMesh_Free(&sink->rest);
}

static void MoveArm(Sink* sink)
{
	float offset = ArmOffset(&sink->def, sink->step);
	drapeVec3* moved = malloc(sink->rest.vertexCount * sizeof *moved);
	assert_non_null(moved);
	for (uint32_t i = 0; i < sink->rest.vertexCount; ++i)
	{
		moved[i] = sink->rest.positions[i];
		moved[i].x += i < sink->firstOfArm ? 0.0f : offset;
	}
	assert_int_equal(drapeCollider_SetPositions(sink->body, moved, sink->rest.vertexCount), drape_ok);
	free(moved);
}

static uint32_t PassedCount(const Sink* sink)
{
	return drapeWorlds_Get(sink->world)->cloths.data[0]->simulation.passed.list.count;
}

static void Sink_Run(Sink* sink, int last)
{
	while (sink->step < last)
	{
		sink->step++;
		MoveArm(sink);
		assert_int_equal(drapeWorld_Step(sink->world, sink->def.dt), drape_ok);
		drapeCounters stats = drapeWorld_GetCounters(sink->world);
		drapeMeasures measures = drapeWorld_GetMeasures(sink->world);
		assert_int_equal(stats.damped + stats.held, 0);
		sink->pinched = MaxU32(sink->pinched, stats.pinched);
		sink->passed = MaxU32(sink->passed, PassedCount(sink));
		sink->stretch99 = fmaxf(sink->stretch99, measures.stretch99);
		sink->stretchMax = fmaxf(sink->stretchMax, measures.stretchMax);
	}
}

// Particles that are not between the surfaces of trunk and arm, where they stood at first.
static uint32_t CountBeyond(const Sink* sink)
{
	float scale = sink->def.scale, low = scale * trunkHalf.x, high = low + scale * away;
	drapeClothView view = drapeCloth_GetView(sink->cloth);
	uint32_t count = 0;
	for (uint32_t i = 0; i < view.particleCount; ++i)
		count += view.positions[i].x < low || view.positions[i].x > high;
	return count;
}

// --- the arm goes in and comes out ----------------------------------------------------------------------------------

typedef struct SinkCase
{
	float lean, scale, speed, rate; // m/s^2, 1, m/s, steps a second
	// Of the stretch in any step, 99th percentile. 0 for arms that are so fast for their size that the sheet may end on the
	// other side of them: only whole, and crossing nothing.
	float most;
} SinkCase;

static SinkDef DefOf(const SinkCase* c, drapeScheme scheme)
{
	return (SinkDef){
		.scheme = scheme, .workers = 1, .speed = c->speed, .dt = 1.0f / c->rate, .scale = c->scale, .lean = c->lean};
}

// One second after the arm is back, the sheet is between arm and trunk, at rest and whole.
static void ExpectBetween(const SinkCase* c, drapeScheme scheme)
{
	Sink sink;
	const SinkDef def = DefOf(c, scheme);
	Sink_Create(&sink, &def);
	Sink_Run(&sink, StepsUntil(&def, 2.0f, waiting + 1.0f));
	drapeCounters stats = drapeWorld_GetCounters(sink.world);
	drapeMeasures measures = drapeWorld_GetMeasures(sink.world);
	uint32_t crossings, beyond = CountBeyond(&sink);
	assert_int_equal(drapeWorld_FindCrossings(sink.world, NULL, 0, &crossings), drape_ok);
	print_message(
		"%s, %.1f m/s, 1/%.0f s, scale %.1f: %u pinched, %u passed, stretch %.3f; then %.3f, %u of %u beyond, "
		"%u cross\n",
		scheme == drape_schemeFixed ? "fixed" : "edge", (double)c->speed, (double)c->rate, (double)c->scale,
		sink.pinched, sink.passed, (double)sink.stretch99, (double)measures.stretch99, beyond, stats.particles,
		crossings);
	assert_true(sink.pinched > 0 && sink.passed > 0);
	assert_true(c->most == 0.0f || sink.stretch99 < c->most);
	assert_true(measures.stretch99 < 1.02f && measures.stretchMax < 1.15f);
	assert_int_equal(stats.pinched + PassedCount(&sink), 0);
	assert_int_equal(crossings, 0);
	assert_true(c->most == 0.0f || beyond == 0);
	Sink_Destroy(&sink);
}

static void ExpectAllBetween(const SinkCase* cases, uint32_t count)
{
	for (uint32_t i = 0; i < (isSlow ? 1 : count); ++i)
	{
		ExpectBetween(&cases[i], drape_schemeFixed);
		ExpectBetween(&cases[i], drape_schemeEdge);
	}
}

static void AnArmSinksThroughASheetOnTheTrunkAndComesOut(void** state)
{
	(void)state;
	const SinkCase cases[] = {
		{2.0f, 1.0f, 0.3f, 60.0f, 1.7f},  {2.0f, 1.0f, 0.3f, 120.0f, 1.7f}, {2.0f, 1.0f, 1.0f, 60.0f, 0.0f},
		{2.0f, 1.0f, 1.0f, 120.0f, 0.0f}, {2.0f, 1.0f, 3.0f, 120.0f, 0.0f},
	};
	ExpectAllBetween(cases, sizeof cases / sizeof *cases);
}

static void ASmallArmSinksThroughASheetOnTheTrunkAndComesOut(void** state)
{
	(void)state;
	const SinkCase cases[] = {
		{2.0f, 0.2f, 0.3f, 60.0f, 0.0f},
		{2.0f, 0.2f, 0.3f, 120.0f, 0.0f},
		{2.0f, 0.2f, 1.0f, 120.0f, 0.0f},
	};
	ExpectAllBetween(cases, sizeof cases / sizeof *cases);
}

// The sheet touches the arm first, which takes it along into the trunk.
static void AnArmTakesAHangingSheetAlongAndBringsItBack(void** state)
{
	(void)state;
	const SinkCase cases[] = {
		{0.0f, 1.0f, 0.3f, 60.0f, 1.7f},
		{0.0f, 1.0f, 0.3f, 120.0f, 1.7f},
		{0.0f, 1.0f, 1.0f, 120.0f, 1.7f},
	};
	ExpectAllBetween(cases, sizeof cases / sizeof *cases);
}

// --- state ----------------------------------------------------------------------------------------------------------

// The arm waits in the trunk for longer than parts are remembered otherwise, and is still known to be on the wrong side.
static void APartThatWaitsInAnotherOneIsNotForgotten(void** state)
{
	(void)state;
	const SinkCase c = {2.0f, 1.0f, 1.0f, 60.0f, 0.0f};
	const SinkDef def = DefOf(&c, drape_schemeEdge);
	Sink sink;
	Sink_Create(&sink, &def);
	Sink_Run(&sink, StepsUntil(&def, 1.0f, 0.5f * waiting));
	uint32_t passed = PassedCount(&sink);
	assert_int_equal(passed, sink.rest.vertexCount - sink.firstOfArm);
	for (int i = 0; i < 60; ++i)
	{
		assert_int_equal(drapeWorld_Step(sink.world, def.dt), drape_ok);
		assert_int_equal(PassedCount(&sink), passed);
	}
	assert_int_equal(drapeWorld_GetCounters(sink.world).pinched, 0);
	Sink_Run(&sink, StepsUntil(&def, 2.0f, waiting + 0.5f));
	assert_int_equal(CountBeyond(&sink), 0);
	Sink_Destroy(&sink);
}

static void ThreadsAndSnapshotsChangeNoBitOfAPass(void** state)
{
	(void)state;
	const SinkCase c = {2.0f, 1.0f, 1.0f, 60.0f, 0.0f};
	const drapeScheme schemes[] = {drape_schemeFixed, drape_schemeEdge};
	for (int i = 0; i < 2; ++i)
	{
		SinkDef def = DefOf(&c, schemes[i]);
		Sink one, two, other;
		int inside = StepsUntil(&def, 1.0f, 0.5f * waiting), last = StepsUntil(&def, 2.0f, waiting + 0.1f);
		Sink_Create(&one, &def);
		Sink_Create(&other, &def);
		def.workers = 2;
		Sink_Create(&two, &def);
		Sink_Run(&one, inside);
		Sink_Run(&two, inside);
		assert_true(PassedCount(&one) > 0);
		assert_true(drapeWorld_GetHash(one.world) == drapeWorld_GetHash(two.world));
		// A world in which nothing passed goes on from the snapshot.
		size_t size = Make_Snapshot(one.world, NULL, 0);
		void* data = malloc(size);
		assert_non_null(data);
		assert_int_equal(Make_Snapshot(one.world, data, size), size);
		assert_int_equal(drapeWorld_Load(other.world, data, size), drape_ok);
		free(data);
		other.step = inside;
		assert_int_equal(PassedCount(&other), PassedCount(&one));
		for (int step = inside + 1; step <= last; ++step)
		{
			Sink_Run(&one, step);
			Sink_Run(&two, step);
			Sink_Run(&other, step);
			assert_true(drapeWorld_GetHash(one.world) == drapeWorld_GetHash(two.world));
			assert_true(drapeWorld_GetHash(one.world) == drapeWorld_GetHash(other.world));
		}
		Sink_Destroy(&one);
		Sink_Destroy(&two);
		Sink_Destroy(&other);
	}
}

static void ADestroyedBodyIsForgotten(void** state)
{
	(void)state;
	const SinkCase c = {2.0f, 1.0f, 1.0f, 60.0f, 0.0f};
	const SinkDef def = DefOf(&c, drape_schemeFixed);
	Sink sink;
	Sink_Create(&sink, &def);
	Sink_Run(&sink, StepsUntil(&def, 1.0f, 0.0f));
	assert_true(PassedCount(&sink) > 0);
	drapeDestroyCollider(sink.body);
	assert_int_equal(PassedCount(&sink), 0);
	for (int i = 0; i < 30; ++i)
		assert_int_equal(drapeWorld_Step(sink.world, def.dt), drape_ok);
	assert_true(drapeWorld_GetMeasures(sink.world).stretch99 < 1.1f);
	Sink_Destroy(&sink);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(AnArmSinksThroughASheetOnTheTrunkAndComesOut),
		cmocka_unit_test(ASmallArmSinksThroughASheetOnTheTrunkAndComesOut),
		cmocka_unit_test(AnArmTakesAHangingSheetAlongAndBringsItBack),
		cmocka_unit_test(APartThatWaitsInAnotherOneIsNotForgotten),
		cmocka_unit_test(ThreadsAndSnapshotsChangeNoBitOfAPass),
		cmocka_unit_test(ADestroyedBodyIsForgotten),
	};
	return cmocka_run_group_tests_name("sinking part", tests, NULL, NULL);
}
