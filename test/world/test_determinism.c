// SPDX-License-Identifier: MIT
#include "sheet.h"
#include "shared/make.h"

#include "base/hash.h"

#ifdef DRAPE_TEST_DISPATCH
#include "base/simd/dispatch.h"
#endif

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// One scene, run with any number of threads, with the host's tasks, with vector instructions or without, in debug or
// release: the state is the same to the last bit.

// The state after the run below. It changes when the rules of adaptation, the order of the active mesh, or the hash do:
// then look at why, and store the new one. It must not differ between presets.
#define EXPECTED_HASH 0x06a2b4a5417fca82u

enum
{
	mostWorkers = isSlow ? 4 : 8,
	passes = 30,
};

// A wave between -1 and 1 of period 1 from products alone, since the C library's sine may differ between versions.
static float Wave(float x)
{
	x -= (float)(int)x;
	if (x < 0.0f)
		x += 1.0f;
	float half = x < 0.5f ? x : x - 0.5f, hill = 16.0f * half * (0.5f - half);
	return x < 0.5f ? hill : -hill;
}

static drapeVec3 Travelling(float s, float t, float time)
{
	float height = 0.06f * Wave(2.0f * s + 0.7f * t - time) + 0.04f * Wave(1.3f * t + 0.5f * s + 2.0f * time);
	return (drapeVec3){0.97f * (s - 0.5f), height, 0.98f * (0.5f - t)};
}

static bool UnderTheWave(drapeVec3 point, void* context)
{
	const float* level = context;
	return point.y < *level;
}

static drapeWish Diagonals(const drapeEdgeInfo* edge, void* context)
{
	(void)context;
	float dx = edge->from.x - edge->to.x, dz = edge->from.z - edge->to.z;
	if (edge->level == 0 && dx * dz > 0.0f)
		return drape_wishSplit;
	return edge->isSplit && edge->level == 1 ? drape_wishJoin : drape_wishNone;
}

typedef struct Run
{
	uint64_t hash;
	uint32_t particles, edges, splits, joins;
} Run;

static Run RunScene(const drapeWorldDef* def)
{
	Run run = {0};
	float level = -0.06f;
	drapeAdaptDef adapt[2] = {Sheet_CurvatureDef(), Sheet_CurvatureDef()};
	adapt[0].joinWait = 3;
	adapt[0].length.enabled = true;
	adapt[0].length.levelFactor = 0.98f;
	adapt[0].visibility.enabled = true;
	adapt[0].visibility.camera = (drapeVec3){1.5f, 0.4f, 0.0f};
	adapt[0].tieRule = drape_tieCurvature;
	adapt[1].joinWait = 1;
	adapt[1].joinRule = drape_joinAny;
	adapt[1].tieRule = drape_tieLength;
	adapt[1].collision = (drapeCollisionCriterion){.inside = UnderTheWave, .context = &level, .maxLevel = 2};
	adapt[1].user = (drapeUserCriterion){Diagonals, NULL};

	drapeWorldId world = Make_World(def);
	assert_true(drapeWorld_IsValid(world));
	drapeClothId cloths[2] = {Sheet_Add(world, 24, 24, &adapt[0]), Sheet_Add(world, 13, 17, &adapt[1])};
	for (int pass = 0; pass < passes; ++pass)
	{
		for (int i = 0; i < 2; ++i)
		{
			assert_true(Sheet_SetShape(cloths[i], Travelling, 0.03f * (float)pass + 0.1f * (float)i));
			drapeAdaptResult result = Sheet_Adapt(cloths[i]);
			run.splits += result.splits;
			run.joins += result.joins;
		}
	}
	Sheet_Check(world);
	run.hash = drapeWorld_GetHash(world);
	run.particles = drapeCloth_GetView(cloths[0]).particleCount;
	run.edges = drapeCloth_GetView(cloths[0]).edgeCount;
	drapeDestroyWorld(world);
	return run;
}

static void TheNumberOfThreadsChangesNothing(void** state)
{
	(void)state;
	for (uint32_t workers = 1; workers <= mostWorkers; ++workers)
	{
		drapeWorldDef def = drapeDefaultWorldDef();
		def.workerCount = workers;
		Run run = RunScene(&def);
		if (workers == 1)
			printf("hash 0x%016llx, %u particles, %u edges, %u splits, %u joins\n", (unsigned long long)run.hash,
			       run.particles, run.edges, run.splits, run.joins);
		assert_true(run.particles > 3 * 1024 && run.splits > 5000 && run.joins > 1000); // several tasks have work
		assert_true(run.hash == EXPECTED_HASH);
	}
}

// --- implicit integration -------------------------------------------------------------------------------------------

// As EXPECTED_HASH, for the run below. It changes with models, solvers and contact too.
#define EXPECTED_IMPLICIT_HASH 0xedb7a01e71cbf102ull

static drapeClothDef ImplicitDef(drapeIntegrator integrator, drapePreconditioner preconditioner)
{
	drapeClothDef def = Make_SpringClothDef();
	def.adapt = Sheet_CurvatureDef();
	def.model = drape_modelFem;
	def.material.stretchWarp = 4000.0f;
	def.material.stretchWeft = 3000.0f;
	def.material.shear = 1000.0f;
	def.material.poisson = 0.2f;
	def.material.bendWarp = 1e-4f;
	def.material.bendWeft = 5e-5f;
	def.material.bendFriction = integrator == drape_integratorBdf2 ? 0.0f : 15.0f;
	def.material.dampingTime = integrator == drape_integratorBdf2 ? 0.0f : 0.005f;
	def.solver.integrator = integrator;
	def.solver.preconditioner = preconditioner;
	def.solver.newtonIterations = integrator == drape_integratorImplicitMidpoint ? 2 : 1;
	def.solver.maxStretch = 100.0f;
	def.adapt.maxLevel = 2;
	def.adapt.joinWait = 2;
	return def;
}

// Three cloths in wind over a ball, one of them large enough for several tasks on two levels.
static Run RunImplicit(const drapeWorldDef* def)
{
	const drapeClothDef cloths[3] = {
		ImplicitDef(drape_integratorBdf2, drape_preconditionerMultigrid),
		ImplicitDef(drape_integratorImplicitEuler, drape_preconditionerBpx),
		ImplicitDef(drape_integratorImplicitMidpoint, drape_preconditionerJacobi),
	};
	const uint32_t quads[3] = {28, 9, 7};
	Run run = {0};
	drapeWorldId world = Make_World(def);
	assert_true(drapeWorld_IsValid(world));
	drapeWindDef wind = drapeDefaultWindDef();
	wind.kind = drape_windSteady;
	wind.velocity = (drapeVec3){1.0f, 0.5f, 2.0f};
	drapeWorld_SetWind(world, &wind);
	drapeColliderDef ball = drapeDefaultColliderDef();
	ball.radius = 0.2f;
	ball.transform.position.y = -0.25f;
	Make_Collider(world, &ball);
	drapeClothId ids[3];
	drapePinId pin = {0};
	for (int i = 0; i < 3; ++i)
	{
		drapeMesh mesh;
		drapeClothDef cloth = cloths[i];
		assert_int_equal(drapeMesh_CreateGrid(quads[i], quads[i], 1.0f, 1.0f, &mesh, NULL), drape_ok);
		cloth.mesh = &mesh;
		ids[i] = Make_Cloth(world, &cloth);
		drapeMesh_Free(&mesh);
		assert_true(drapeCloth_IsValid(ids[i]));
		drapePinId first = Make_Pin(ids[i], 0);
		pin = i == 0 ? first : pin;
		Make_Pin(ids[i], quads[i]);
	}
	drapeCloth_Refine(ids[0]);
	for (int step = 0; step < 25; ++step)
	{
		drapePin_SetTarget(pin, (drapeVec3){-0.5f + 0.01f * (float)step, 0.0f, 0.5f});
		assert_int_equal(drapeWorld_Step(world, 1.0f / 60.0f), drape_ok);
		drapeCounters stats = drapeWorld_GetCounters(world);
		run.splits += stats.splits;
		run.joins += stats.joins;
	}
	Sheet_Check(world);
	run.hash = drapeWorld_GetHash(world);
	run.particles = drapeCloth_GetView(ids[0]).particleCount;
	drapeDestroyWorld(world);
	return run;
}

static void TheNumberOfThreadsChangesNoBitOfASolve(void** state)
{
	(void)state;
	for (uint32_t workers = 1; workers <= 4; workers *= 2)
	{
		drapeWorldDef def = drapeDefaultWorldDef();
		def.workerCount = workers;
		Run run = RunImplicit(&def);
		if (workers == 1)
			printf("hash 0x%016llx, %u particles, %u splits, %u joins\n", (unsigned long long)run.hash, run.particles,
			       run.splits, run.joins);
		assert_true(run.particles > 800 && run.splits > 100 && run.joins > 100);
		assert_true(run.hash == EXPECTED_IMPLICIT_HASH);
	}
}

// --- a host's tasks -------------------------------------------------------------------------------------------------

static void* RunAtOnce(drapeTaskFcn* task, uint32_t count, uint32_t minRange, void* taskContext, void* userContext)
{
	uint32_t* calls = userContext;
	(void)minRange;
	task(0, count, 0, taskContext);
	*calls += 1;
	return NULL;
}

// From the end to the start, as small as is allowed.
static void* RunBackwards(drapeTaskFcn* task, uint32_t count, uint32_t minRange, void* taskContext, void* userContext)
{
	uint32_t* calls = userContext;
	uint32_t range = minRange > 0 ? minRange : 1;
	for (uint32_t end = count; end > 0;)
	{
		uint32_t start = end <= 2 * range - 1 ? 0 : end - range;
		task(start, end, 2, taskContext);
		end = start;
	}
	*calls += 1;
	return NULL;
}

typedef struct HostTask
{
	drapeTaskFcn* task;
	void* context;
	uint32_t start, end, worker;
	pthread_t thread;
} HostTask;

static void* RunPart(void* context)
{
	HostTask* part = context;
	part->task(part->start, part->end, part->worker, part->context);
	return NULL;
}

enum
{
	hostThreads = 3
};

static void* StartThreads(drapeTaskFcn* task, uint32_t count, uint32_t minRange, void* taskContext, void* userContext)
{
	(void)minRange;
	(void)userContext;
	HostTask* parts = calloc(hostThreads, sizeof *parts);
	assert_non_null(parts);
	for (uint32_t i = 0; i < hostThreads; ++i)
	{
		parts[i] = (HostTask){.task = task, .context = taskContext, .worker = i};
		parts[i].start = (uint32_t)((uint64_t)count * i / hostThreads);
		parts[i].end = (uint32_t)((uint64_t)count * (i + 1) / hostThreads);
		assert_int_equal(pthread_create(&parts[i].thread, NULL, RunPart, &parts[i]), 0);
	}
	return parts;
}

static void JoinThreads(void* userTask, void* userContext)
{
	HostTask* parts = userTask;
	uint32_t* calls = userContext;
	for (int i = 0; i < hostThreads; ++i)
		pthread_join(parts[i].thread, NULL);
	free(parts);
	*calls += 1;
}

static void TheHostsTasksGiveTheSameResult(void** state)
{
	(void)state;
	drapeEnqueueTaskFcn* const hosts[] = {RunAtOnce, RunBackwards, StartThreads};
#ifdef __EMSCRIPTEN__
	const size_t hostCount = 2; // the third starts 30,000 threads, each of which is a worker of JavaScript
#else
	const size_t hostCount = 3;
#endif
	for (size_t i = 0; i < hostCount; ++i)
	{
		uint32_t calls = 0;
		drapeWorldDef def = drapeDefaultWorldDef();
		def.workerCount = hostThreads;
		def.enqueueTask = hosts[i];
		def.finishTask = JoinThreads;
		def.taskContext = &calls;
		Run run = RunScene(&def);
		assert_true(calls > passes);
		assert_true(run.hash == EXPECTED_HASH);
		assert_true(RunImplicit(&def).hash == EXPECTED_IMPLICIT_HASH);
	}
}

static void ARunRepeatsItself(void** state)
{
	(void)state;
	drapeWorldDef def = drapeDefaultWorldDef();
	// What another world did before, and what its allocator hands out, does not matter.
	Sheet other = Sheet_Create(30, 30, NULL);
	drapeCloth_Refine(other.cloth);
	Run first = RunScene(&def);
	Sheet_Destroy(&other);
	Run second = RunScene(&def);
	assert_true(first.hash == second.hash && first.hash == EXPECTED_HASH);
}

#ifdef DRAPE_TEST_DISPATCH
static void TheEnvironmentChoosesTheInstructions(void** state)
{
	(void)state;
	const char* wanted = getenv("DRAPE_SIMD");
	bool has = strcmp(wanted ? wanted : "", "sse2") == 0 || __builtin_cpu_supports("avx2");
	assert_string_equal(drapeDispatch_Name(), has && wanted ? wanted : has ? "avx2" : "sse2");
}
#endif

// --- platforms ------------------------------------------------------------------------------------------------------

// One number for the final states of both runs. scripts/portability compares it between platforms.
static uint64_t HashBoth(uint32_t workerCount)
{
	drapeWorldDef def = drapeDefaultWorldDef();
	def.workerCount = workerCount;
	uint64_t hash = Hash_U64(RunScene(&def).hash);
	return Hash_U64(hash ^ RunImplicit(&def).hash);
}

#ifndef DRAPE_PORTABILITY // which writes the table

static const char* const platforms[] = {"x86 AVX2", "x86 SSE2", "x86 scalar", "ARM64", "Windows", "WebAssembly"};

// The hash in the row of a platform: | platform | `hash` | ...
static void FindHash(const char* table, const char* platform, char hash[17])
{
	char start[32];
	snprintf(start, sizeof start, "\n| %s | `", platform);
	const char* row = strstr(table, start);
	if (!row)
		fail_msg("docs/platforms.md has no row \"%s\": run make portability", platform);
	snprintf(hash, 17, "%s", row + strlen(start));
	assert_int_equal(strspn(hash, "0123456789abcdef"), 16);
}

static void EveryRowOfTheTableOfPlatformsHasTheHashOfThisBuild(void** state)
{
	(void)state;
	static char table[16384];
	FILE* file = fopen("docs/platforms.md", "rb");
	assert_non_null(file); // programs start in the root of the project
	size_t size = fread(table, 1, sizeof table - 1, file);
	fclose(file);
	assert_true(size < sizeof table - 1);
	table[size] = 0;
	char own[17], other[17];
	snprintf(own, sizeof own, "%016llx", (unsigned long long)HashBoth(2));
	for (size_t i = 0; i < sizeof platforms / sizeof platforms[0]; ++i)
	{
		FindHash(table, platforms[i], other);
		if (strcmp(own, other) != 0)
			fail_msg("docs/platforms.md has %s for %s, this build has %s: run make portability", other, platforms[i],
			         own);
	}
}
#endif

int main(int argc, char** argv)
{
	if (argc == 2 && strcmp(argv[1], "--hash") == 0)
	{
		printf("%016llx\n", (unsigned long long)HashBoth(2));
		return 0;
	}
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(TheNumberOfThreadsChangesNothing),
		cmocka_unit_test(TheNumberOfThreadsChangesNoBitOfASolve),
		cmocka_unit_test(TheHostsTasksGiveTheSameResult),
		cmocka_unit_test(ARunRepeatsItself),
#ifndef DRAPE_PORTABILITY
		cmocka_unit_test(EveryRowOfTheTableOfPlatformsHasTheHashOfThisBuild),
#endif
#ifdef DRAPE_TEST_DISPATCH
		cmocka_unit_test(TheEnvironmentChoosesTheInstructions),
#endif
	};
	return cmocka_run_group_tests_name("determinism", tests, NULL, NULL);
}
