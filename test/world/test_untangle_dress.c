// SPDX-License-Identifier: MIT
#include "meshes.h"
#include "shared/make.h"
#include "sheet.h"

#include "drape/drape.h"

#include <math.h>
#include <stdlib.h>

// Garments on bodies that cross in hundreds of places: they come free, the work is bounded, and it can be stopped.

// --- a dress on a body ---

typedef struct Dress
{
	uint32_t around, along;
	float pleats;    // depth of the pleats, over the depth at which they begin to overlap
	float tightness; // m: how far the dress is inside the body at the waist
	bool isPinned;   // the upper rim
} Dress;

static const float top = 0.5f, bottom = -0.5f; // m

// A spindle along y: 0.2 m wide at y = 0, pointed at its ends.
static float BodyRadius(float y)
{
	return 0.2f * sqrtf(fmaxf(1.0f - y * y / 0.49f, 0.0f));
}

static drapeVec3 DressPoint(const Dress* dress, float s, float t)
{
	const float turn = 6.2831853f, count = 12.0f;
	float y = top + t * (bottom - top), overlap = dress->pleats * fmaxf(t - 0.4f, 0.0f) / 0.6f;
	float angle = turn * s + overlap / count * sinf(count * turn * s);
	float radius = fmaxf(BodyRadius(y), 0.15f + 0.1f * t) - dress->tightness * expf(-20.0f * y * y) + 0.01f;
	radius *= 1.0f + 0.03f * overlap * sinf(count * turn * s + 3.0f * sinf(9.0f * t) + 2.0f * sinf(5.0f * turn * s));
	return (drapeVec3){radius * cosf(angle), y, radius * sinf(angle)};
}

static drapeClothId AddDress(drapeWorldId world, const Dress* dress)
{
	drapeMesh mesh = TestMesh_Tube(dress->around, dress->along, 0.2f, 1.0f);
	drapeVec3* positions = TestMesh_Positions(&mesh);
	assert_int_equal(mesh.vertexCount, dress->around * (dress->along + 1));
	for (uint32_t i = 0; i < mesh.vertexCount; ++i)
		positions[i] = DressPoint(dress, (float)(i % dress->around) / (float)dress->around,
		                          (float)(i / dress->around) / (float)dress->along);
	drapeClothDef def = Sheet_SettlingDef();
	def.mesh = &mesh;
	drapeClothId cloth = Make_Cloth(world, &def);
	assert_true(drapeCloth_IsValid(cloth));
	for (uint32_t i = 0; dress->isPinned && i < dress->around; ++i)
		assert_true(Make_Pin(cloth, i).index1 > 0);
	TestMesh_Free(&mesh);
	return cloth;
}

static void AddBody(drapeWorldId world, uint32_t levels)
{
	drapeMesh mesh = TestMesh_Sphere(levels, 1.0f);
	drapeVec3* positions = TestMesh_Positions(&mesh);
	for (uint32_t i = 0; i < mesh.vertexCount; ++i)
	{
		drapeVec3 p = positions[i];
		positions[i] = (drapeVec3){0.2f * p.x, 0.7f * p.y, 0.2f * p.z};
	}
	drapeColliderDef def = drapeDefaultColliderDef();
	def.shape = drape_shapeMesh;
	def.mesh = &mesh;
	assert_true(drapeCollider_IsValid(Make_Collider(world, &def)));
	TestMesh_Free(&mesh);
}

static uint32_t Crossings(drapeWorldId world)
{
	uint32_t count = UINT32_MAX;
	assert_int_equal(drapeWorld_FindCrossings(world, NULL, 0, &count), drape_ok);
	return count;
}

// Without a limit of time, so that the result is the same on any machine.
static drapeUntangleReport Untangle(const char* name, drapeWorldId world)
{
	drapeUntangleDef def = drapeDefaultUntangleDef();
	drapeUntangleReport report;
	def.seconds = 0.0f;
	assert_int_equal(drapeWorld_Untangle(world, &def, &report), drape_ok);
	drapeCounters stats = drapeWorld_GetCounters(world);
	drapeMeasures measures = drapeWorld_GetMeasures(world);
	print_message("%-22s %6u triangles, %4u crossings, %3u left, %3u rounds, %.2f s, moved by %.3f m, stretch %.2f\n",
	              name, stats.triangles, report.before, report.after, report.rounds, (double)report.seconds,
	              (double)report.farthest, (double)measures.stretchMax);
	assert_int_equal(report.end, drape_untangleDone);
	assert_int_equal(report.after, Crossings(world));
	return report;
}

static void DressesOfAllSizesComeFree(void** state)
{
	(void)state;
	static const uint32_t sizes[][3] = {{36, 24, 3}, {72, 50, 4}, {150, 100, 6}};
	for (int i = 0; i < (isSlow ? 1 : 3); ++i)
	{
		for (int kind = 0; kind < 3; ++kind)
		{
			static const char* const names[] = {"pleats", "tight", "pleats, tight"};
			const Dress dress = {
				.around = sizes[i][0],
				.along = sizes[i][1],
				.pleats = kind == 1 ? 0.0f : 1.5f,
				.tightness = kind == 0 ? 0.0f : 0.02f,
			};
			drapeWorldId world = Sheet_World(2);
			AddDress(world, &dress);
			AddBody(world, sizes[i][2]);
			drapeUntangleReport report = Untangle(names[kind], world);
			assert_true(report.before > (i == 0 ? 0 : 50));
			assert_int_equal(report.after, 0);
			drapeDestroyWorld(world);
		}
	}
}

// A body pokes through a tight dress by a few millimetres. The dress moves by as much, not by the width of the body.
static void ATightDressMovesByItsDepthOnly(void** state)
{
	(void)state;
	const Dress dress = {.around = 72, .along = 50, .tightness = 0.014f};
	drapeWorldId world = Sheet_World(1);
	AddDress(world, &dress);
	AddBody(world, 4);
	drapeUntangleReport report = Untangle("tight", world);
	assert_true(report.before > 100);
	assert_int_equal(report.after, 0);
	assert_true(report.farthest < 0.01f);
	assert_true(drapeWorld_GetMeasures(world).stretchMax < 1.5f);
	drapeDestroyWorld(world);
}

// The rim is pinned inside the body. Only triangles at the pins still cross, and the search for a way out ends.
static void PinsInABodyDoNotKeepTheDressInIt(void** state)
{
	(void)state;
	const Dress dress = {.around = 72, .along = 50, .tightness = 0.02f, .isPinned = true};
	drapeWorldId world = Sheet_World(1);
	drapeClothId cloth = AddDress(world, &dress);
	drapeVec3* positions = malloc(drapeCloth_GetView(cloth).particleCount * sizeof *positions);
	assert_non_null(positions);
	for (uint32_t i = 0; i < drapeCloth_GetView(cloth).particleCount; ++i)
	{
		drapeVec4 p = drapeCloth_GetView(cloth).positions[i];
		float scale = i < dress.around ? 0.5f : 1.0f;
		positions[i] = (drapeVec3){scale * p.x, p.y, scale * p.z};
	}
	assert_int_equal(drapeCloth_SetPositions(cloth, positions), drape_ok);
	free(positions);
	AddBody(world, 4);
	drapeUntangleReport report = Untangle("pinned inside", world);
	drapeCrossing list[512];
	uint32_t count;
	assert_true(report.after > 0 && report.after <= 512);
	assert_int_equal(drapeWorld_FindCrossings(world, list, 512, &count), drape_ok);
	for (uint32_t i = 0; i < count; ++i)
	{
		const uint32_t* corners = drapeCloth_GetView(cloth).triangles + 3 * (size_t)list[i].triangle;
		assert_true(corners[0] < dress.around || corners[1] < dress.around || corners[2] < dress.around);
	}
	drapeDestroyWorld(world);
}

static void AnyNumberOfThreadsGivesTheSame(void** state)
{
	(void)state;
	uint64_t hashes[3];
	const Dress dress = {.around = 72, .along = 50, .pleats = 1.3f, .tightness = 0.02f, .isPinned = true};
	for (uint32_t workers = 1; workers <= 3; ++workers)
	{
		drapeWorldId world = Sheet_World(workers);
		AddDress(world, &dress);
		AddBody(world, 4);
		assert_true(Untangle("threads", world).moved > 0);
		hashes[workers - 1] = drapeWorld_GetHash(world);
		drapeDestroyWorld(world);
		assert_true(hashes[workers - 1] == hashes[0]);
	}
}

// --- limits ---

typedef struct Watch
{
	uint32_t calls, stopAt; // stops at this call; 0 for never
	float share;
	drapeUntangleProgress last;
} Watch;

static bool LookOn(const drapeUntangleProgress* progress, void* context)
{
	Watch* watch = context;
	assert_true(progress->share >= watch->share && progress->share <= 1.0f);
	assert_true(watch->calls == 0 || progress->left <= watch->last.left);
	assert_true(progress->left <= progress->before && progress->seconds >= watch->last.seconds);
	watch->share = progress->share;
	watch->last = *progress;
	watch->calls++;
	return watch->calls != watch->stopAt;
}

static drapeWorldId DressedWorld(void)
{
	const Dress dress = {.around = 72, .along = 50, .pleats = 1.3f, .tightness = 0.02f};
	drapeWorldId world = Sheet_World(1);
	AddDress(world, &dress);
	AddBody(world, 4);
	return world;
}

static void ProgressGrowsToTheEnd(void** state)
{
	(void)state;
	drapeWorldId world = DressedWorld();
	drapeUntangleDef def = drapeDefaultUntangleDef();
	drapeUntangleReport report;
	Watch watch = {0};
	def.progress = LookOn;
	def.context = &watch;
	def.seconds = 1000.0f;
	assert_int_equal(drapeWorld_Untangle(world, &def, &report), drape_ok);
	assert_int_equal(report.end, drape_untangleDone);
	assert_true(watch.calls >= 2);
	assert_true(watch.share == 1.0f);
	assert_int_equal(watch.last.left, report.after);
	assert_int_equal(watch.last.before, report.before);
	drapeDestroyWorld(world);
}

// The state is the best one so far: at the first call that is the start.
static void TheProgressFunctionStopsIt(void** state)
{
	(void)state;
	for (uint32_t stopAt = 1; stopAt <= 2; ++stopAt)
	{
		drapeWorldId world = DressedWorld();
		uint64_t before = drapeWorld_GetHash(world);
		drapeUntangleDef def = drapeDefaultUntangleDef();
		drapeUntangleReport report;
		Watch watch = {.stopAt = stopAt};
		def.progress = LookOn;
		def.context = &watch;
		assert_int_equal(drapeWorld_Untangle(world, &def, &report), drape_ok);
		assert_true(watch.calls >= 1 && watch.calls <= stopAt);
		assert_true(report.after <= report.before && report.after == Crossings(world));
		if (stopAt == 1)
		{
			assert_int_equal(report.end, drape_untangleCancelled);
			assert_int_equal(report.moved, 0);
			assert_true(drapeWorld_GetHash(world) == before);
		}
		drapeDestroyWorld(world);
	}
}

static void TheLimitOfTimeEndsItInAStateThatIsNotWorse(void** state)
{
	(void)state;
	static const float limits[] = {1e-6f, 0.01f, 0.05f};
	for (int i = 0; i < 3; ++i)
	{
		drapeWorldId world = DressedWorld();
		drapeUntangleDef def = drapeDefaultUntangleDef();
		drapeUntangleReport report;
		def.seconds = limits[i];
		assert_int_equal(drapeWorld_Untangle(world, &def, &report), drape_ok);
		assert_true(report.after <= report.before && report.after == Crossings(world));
		assert_true(report.end == drape_untangleTimeOver || report.after == 0);
		assert_true(i > 0 || report.end == drape_untangleTimeOver);
		if (drapeWorld_Validate(world) != drape_ok)
			fail_msg("%s", drapeWorld_GetMessage(world));
		drapeDestroyWorld(world);
	}
}

static void LimitsThatAreNoTimesAreRefused(void** state)
{
	(void)state;
	static const float bad[] = {-1.0f, 2e6f, INFINITY, NAN};
	drapeWorldId world = DressedWorld();
	uint64_t before = drapeWorld_GetHash(world);
	for (int i = 0; i < 4; ++i)
	{
		drapeUntangleDef def = drapeDefaultUntangleDef();
		def.seconds = bad[i];
		ASSERT_REFUSED(assert_int_equal(drapeWorld_Untangle(world, &def, NULL), drape_errorArgument));
	}
	assert_true(drapeWorld_GetHash(world) == before);
	drapeDestroyWorld(world);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(DressesOfAllSizesComeFree),
		cmocka_unit_test(ATightDressMovesByItsDepthOnly),
		cmocka_unit_test(PinsInABodyDoNotKeepTheDressInIt),
		cmocka_unit_test(AnyNumberOfThreadsGivesTheSame),
		cmocka_unit_test(ProgressGrowsToTheEnd),
		cmocka_unit_test(TheProgressFunctionStopsIt),
		cmocka_unit_test(TheLimitOfTimeEndsItInAStateThatIsNotWorse),
		cmocka_unit_test(LimitsThatAreNoTimesAreRefused),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
