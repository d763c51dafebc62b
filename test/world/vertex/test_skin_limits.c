// SPDX-License-Identifier: MIT
#include "meshes.h"
#include "shared/make.h"
#include "sheet.h"

#include "base/transform.h"
#include "drape/drape.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// Limits of motion about skinned positions: maximum distance and back stop. The skin is a rigid copy of the pattern that
// moves as a character does.

enum
{
	quads = 10,
	columns = quads + 1,
	vertices = columns * columns,
};

static const float dt = 1.0f / 60.0f;

typedef struct Cape
{
	drapeWorldId world;
	drapeClothId cloth;
	drapeVec3 rest[vertices];   // m: of the pattern
	drapeVec3 skin[vertices];   // m: at the end of the last step
	drapeVec3 normal[vertices]; // likewise
	float maxDistance[vertices], stopDistance[vertices], stopRadius[vertices];
} Cape;

typedef struct CapeDef
{
	drapeScheme scheme;
	drapeModel model;
	drapeIntegrator integrator;
	uint32_t workers;
	bool refines;
	float top, bottom; // m: maximum distances at the upper and lower edge
	float stop;        // m: distance of the back stop; negative for none
	drapeVec3 gravity; // m/s^2
	drapeContactMode contact;
	float damping; // 1/s
} CapeDef;

static const drapeVec3 earth = {0.0f, -9.81f, 0.0f};

static drapeClothDef ClothDefOf(const CapeDef* def)
{
	drapeClothDef cloth = def->model == drape_modelFem ? drapeDefaultClothDef() : Make_SpringClothDef();
	cloth.solver.integrator = def->integrator;
	cloth.adapt = Sheet_Plain(2);
	cloth.adapt.scheme = def->scheme;
	cloth.adapt.curvature.enabled = def->refines;
	cloth.contact = def->contact;
	cloth.solver.globalDamping = def->damping;
	return cloth;
}

static void Pose(Cape* cape, drapeTransform at)
{
	for (uint32_t i = 0; i < vertices; ++i)
	{
		cape->skin[i] = drapeTransform_Point(at, cape->rest[i]);
		cape->normal[i] = Quat_Rotate(at.rotation, (drapeVec3){0.0f, 0.0f, 1.0f});
	}
	if (drapeCloth_SetSkinTargets(cape->cloth, cape->skin, cape->normal, vertices) != drape_ok)
		fail_msg("%s", drapeWorld_GetMessage(cape->world));
}

// A sheet of 1 m x 1 m in the plane z = 0, with its upper edge at y = 0.
static void Create(Cape* cape, const CapeDef* def)
{
	drapeWorldDef worldDef = drapeDefaultWorldDef();
	worldDef.gravity = def->gravity;
	worldDef.workerCount = def->workers ? def->workers : 1;
	*cape = (Cape){.world = Make_World(&worldDef)};
	drapeMesh mesh = TestMesh_Grid(quads, quads, 1.0f, 1.0f, 0.2f, 3);
	for (uint32_t i = 0; i < vertices; ++i)
	{
		drapeVec3* p = &TestMesh_Positions(&mesh)[i];
		cape->maxDistance[i] = def->top < INFINITY ? def->top + (def->bottom - def->top) * p->y : INFINITY;
		*p = cape->rest[i] = (drapeVec3){p->x - 0.5f, -p->y, 0.0f};
		cape->stopDistance[i] = def->stop;
		cape->stopRadius[i] = 5.0f;
	}
	drapeClothDef clothDef = ClothDefOf(def);
	clothDef.mesh = &mesh;
	clothDef.vertexValues[drape_vertexMaxDistance] = cape->maxDistance;
	if (def->stop >= 0.0f)
	{
		clothDef.vertexValues[drape_vertexBackstopDistance] = cape->stopDistance;
		clothDef.vertexValues[drape_vertexBackstopRadius] = cape->stopRadius;
	}
	if (drapeCreateCloth(cape->world, &clothDef, &cape->cloth) != drape_ok)
		fail_msg("%s", drapeWorld_GetMessage(cape->world));
	TestMesh_Free(&mesh);
	if (def->scheme != drape_schemeFixed)
		assert_int_equal(drapeCloth_Refine(cape->cloth), drape_ok);
	Pose(cape, drapeIdentityTransform());
}

// Stands, runs off at 10 m/s within 0.4 s, turns by 360 degrees per second, and stops as fast.
static drapeTransform MotionAt(double t)
{
	const double begin = 0.2, rise = 0.4, end = 1.2;
	double a = fmin(fmax(t - begin, 0.0), rise), c = fmin(fmax(t - begin - rise, 0.0), end - begin - rise);
	double b = fmin(fmax(t - end, 0.0), rise);
	double way = 5.0 * a * a / rise + 10.0 * c + 10.0 * b - 5.0 * b * b / rise;
	double angle = 6.2831853 * way / 10.0;
	drapeTransform at = drapeIdentityTransform();
	at.position = (drapeVec3){(float)way, 0.03f * (float)sin(2.0 * way), 0.0f};
	at.rotation = (drapeQuat){0.0f, (float)sin(0.5 * angle), 0.0f, (float)cos(0.5 * angle)};
	return at;
}

// Values of all particles: finer ones have the mean of their parents.
typedef struct SkinRow
{
	drapeVec3 skin, normal;
	float maxDistance, stopDistance, stopRadius;
} SkinRow;

static void AddScaled(SkinRow* sum, float weight, const SkinRow* row)
{
	sum->skin = V3Add(sum->skin, V3Scale(weight, row->skin));
	sum->normal = V3Add(sum->normal, V3Scale(weight, row->normal));
	sum->maxDistance += weight * row->maxDistance;
	sum->stopDistance += weight * row->stopDistance;
	sum->stopRadius += weight * row->stopRadius;
}

// The caller frees the rows.
static SkinRow* Rows(const Cape* cape)
{
	drapeClothView view = drapeCloth_GetView(cape->cloth);
	SkinRow* rows = calloc(view.particleCount, sizeof *rows);
	assert_non_null(rows);
	for (uint32_t i = 0; i < vertices; ++i)
		rows[i] =
			(SkinRow){cape->skin[i], cape->normal[i], cape->maxDistance[i], cape->stopDistance[i], cape->stopRadius[i]};
	for (uint8_t level = 1; level <= DRAPE_MAX_LEVEL; ++level)
	{
		for (uint32_t i = vertices; i < view.particleCount; ++i)
		{
			drapeParticleOrigin origin = drapeCloth_GetOrigin(cape->cloth, i);
			for (uint32_t k = 0; view.particleLevels[i] == level && k < origin.count; ++k)
				AddScaled(&rows[i], origin.weights[k], &rows[origin.parents[k]]);
		}
	}
	return rows;
}

typedef struct Excess
{
	float distance, stop, stretch, speed; // m, m, length over rest length, m/s root mean square
} Excess;

static float StopDepth(const SkinRow* row, drapeVec3 x)
{
	drapeVec3 normal = V3Normalize(row->normal);
	drapeVec3 centre = V3Sub(row->skin, V3Scale(row->stopDistance + row->stopRadius, normal));
	return row->stopRadius - V3Length(V3Sub(x, centre));
}

static Excess Measure(const Cape* cape)
{
	drapeClothView view = drapeCloth_GetView(cape->cloth);
	SkinRow* rows = Rows(cape);
	Excess excess = {0};
	double square = 0.0, mass = 0.0;
	for (uint32_t i = 0; i < view.particleCount; ++i)
	{
		drapeVec3 x = {view.positions[i].x, view.positions[i].y, view.positions[i].z};
		float allowed = rows[i].maxDistance + fmaxf(1e-4f, 0.01f * rows[i].maxDistance);
		excess.distance = fmaxf(excess.distance, V3Length(V3Sub(x, rows[i].skin)) - allowed);
		excess.stop = fmaxf(excess.stop, StopDepth(&rows[i], x));
		drapeVec4 v = view.velocities[i];
		square += (double)v.w * (double)(v.x * v.x + v.y * v.y + v.z * v.z);
		mass += (double)v.w;
	}
	for (uint32_t e = 0; e < view.edgeCount; ++e)
	{
		drapeVec4 a = view.positions[view.edgeFrom[e]], b = view.positions[view.edgeTo[e]];
		float length = V3Length((drapeVec3){b.x - a.x, b.y - a.y, b.z - a.z});
		excess.stretch = fmaxf(excess.stretch, length / view.restLengths[e]);
	}
	excess.speed = (float)sqrt(square / mass);
	free(rows);
	return excess;
}

static void Step(const Cape* cape)
{
	if (drapeWorld_Step(cape->world, dt) != drape_ok)
		fail_msg("%s", drapeWorld_GetWarning(cape->world).text);
}

static const struct
{
	const char* name;
	drapeModel model;
	drapeIntegrator integrator;
} solvers[] = {
	{"implicit Euler", drape_modelFem, drape_integratorImplicitEuler},
	{"BDF2", drape_modelFem, drape_integratorBdf2},
	{"implicit midpoint", drape_modelFem, drape_integratorImplicitMidpoint},
	{"springs, BDF2", drape_modelSprings, drape_integratorBdf2},
	{"springs, symplectic Euler", drape_modelSprings, drape_integratorSymplecticEuler},
	{"springs, midpoint", drape_modelSprings, drape_integratorMidpoint},
};

enum
{
	solverCount = sizeof solvers / sizeof solvers[0],
};

static const drapeScheme schemes[] = {drape_schemeFixed, drape_schemeEdge, drape_schemeSqrt3};

// Runs through the motion. Returns the largest excess of all steps, with the last speed.
static Excess RunMotion(Cape* cape, int steps)
{
	Excess most = {0};
	for (int step = 0; step < steps; ++step)
	{
		Pose(cape, MotionAt((double)(step + 1) * (double)dt));
		Step(cape);
		Excess now = Measure(cape);
		most.distance = fmaxf(most.distance, now.distance);
		most.stop = fmaxf(most.stop, now.stop);
		most.stretch = fmaxf(most.stretch, now.stretch);
		most.speed = now.speed;
	}
	return most;
}

static void EveryParticleStaysWithinItsDistance(void** state)
{
	(void)state;
	for (int i = 0; i < solverCount * 3; i += isSlow ? 4 : 1)
	{
		Cape cape;
		const CapeDef def = {
			.scheme = schemes[i % 3],
			.model = solvers[i / 3].model,
			.integrator = solvers[i / 3].integrator,
			.refines = i % 3 > 0,
			.top = 0.0f,
			.bottom = 0.2f,
			.stop = -1.0f,
			.gravity = earth,
		};
		Create(&cape, &def);
		Excess most = RunMotion(&cape, isSlow ? 30 : 110);
		print_message("%s, scheme %d: stretch %.3f\n", solvers[i / 3].name, i % 3, (double)most.stretch);
		assert_true(most.distance <= 0.0f);
		// Integrators that have the limits in their matrix hardly stretch the cloth.
		bool isInMatrix = def.integrator == drape_integratorImplicitEuler || def.integrator == drape_integratorBdf2;
		assert_true(most.stretch < (isInMatrix ? (i % 3 == 0 ? 1.1f : 1.2f) : 1.5f));
		Sheet_Check(cape.world);
		drapeDestroyWorld(cape.world);
	}
}

static void NoParticleGoesThroughItsBackStop(void** state)
{
	(void)state;
	for (int i = 0; i < solverCount * 3; i += isSlow ? 4 : 1)
	{
		Cape cape;
		const CapeDef def = {
			.scheme = schemes[i % 3],
			.model = solvers[i / 3].model,
			.integrator = solvers[i / 3].integrator,
			.refines = i % 3 > 0,
			.top = 0.0f,
			.bottom = 0.5f,
			.stop = 0.02f,
			.gravity = {0.0f, -9.0f, -4.0f},
		};
		Create(&cape, &def);
		Excess most = RunMotion(&cape, isSlow ? 30 : 110);
		print_message("%s, scheme %d: %.2g m in the back stop, stretch %.3f\n", solvers[i / 3].name, i % 3,
		              (double)most.stop, (double)most.stretch);
		assert_true(most.distance <= 0.0f && most.stop <= 1e-4f);
		Sheet_Check(cape.world);
		drapeDestroyWorld(cape.world);
	}
}

static CapeDef Gentle(int solver, int scheme)
{
	return (CapeDef){
		.scheme = schemes[scheme],
		.model = solvers[solver].model,
		.integrator = solvers[solver].integrator,
		.bottom = 0.2f,
		.stop = -1.0f,
		.gravity = earth,
	};
}

// Gravity presses the cloth against its limits and its back stops. Integrators that conserve energy swing on.
static void ClothAtItsLimitsComesToRest(void** state)
{
	(void)state;
	const int damped[] = {0, 1, 3};
	for (int i = 0; i < 18; i += isSlow ? 5 : 1)
	{
		CapeDef def = Gentle(damped[i / 6], i / 2 % 3);
		Cape cape;
		def.stop = i % 2 ? 0.02f : -1.0f;
		def.damping = def.model == drape_modelSprings ? 2.0f : 0.0f;
		def.gravity = (drapeVec3){3.0f, -9.0f, -5.0f};
		Create(&cape, &def);
		for (int step = 0; step < (isSlow ? 30 : 480); ++step)
		{
			Pose(&cape, drapeIdentityTransform());
			Step(&cape);
		}
		Excess now = Measure(&cape);
		print_message("%s, scheme %d: at rest %.2g m/s, stretch %.3f\n", solvers[damped[i / 6]].name, i / 2 % 3,
		              (double)now.speed, (double)now.stretch);
		assert_true(now.speed < 1e-3f || isSlow);
		assert_true(now.distance <= 0.0f && (i % 2 == 0 || now.stop <= 1e-4f));
		drapeDestroyWorld(cape.world);
	}
}

static void ADistanceOfZeroFollowsTheSkin(void** state)
{
	(void)state;
	for (int i = 0; i < solverCount; ++i)
	{
		CapeDef def = Gentle(i, i % 3);
		Cape cape;
		def.bottom = 0.0f;
		Create(&cape, &def);
		for (int step = 0; step < 60; ++step)
		{
			Pose(&cape, MotionAt((double)(step + 1) * (double)dt));
			Step(&cape);
			assert_true(Measure(&cape).distance <= 0.0f);
		}
		drapeDestroyWorld(cape.world);
	}
}

// Positions after some steps; the caller frees them.
static drapeVec4* RunFree(int solver, bool hasLimits, bool hasSkin, uint32_t* count)
{
	CapeDef def = Gentle(solver, 1);
	Cape cape;
	def.top = def.bottom = INFINITY;
	Create(&cape, &def);
	for (uint32_t i = 0; i < vertices; ++i)
		cape.maxDistance[i] = 0.01f;
	if (hasLimits)
		assert_int_equal(drapeCloth_SetVertexValues(cape.cloth, drape_vertexMaxDistance, cape.maxDistance, vertices),
		                 drape_ok);
	if (!hasSkin)
		assert_int_equal(drapeCloth_SetSkinTargets(cape.cloth, NULL, NULL, 0), drape_ok);
	assert_true(drapePin_IsValid(Make_Pin(cape.cloth, 0)));
	for (int step = 0; step < 30; ++step)
		Step(&cape);
	drapeClothView view = drapeCloth_GetView(cape.cloth);
	drapeVec4* positions = malloc(view.particleCount * sizeof *positions);
	assert_non_null(positions);
	memcpy(positions, view.positions, view.particleCount * sizeof *positions);
	*count = view.particleCount;
	drapeDestroyWorld(cape.world);
	return positions;
}

static void InfiniteDistancesAndAMissingSkinLimitNothing(void** state)
{
	(void)state;
	for (int i = 0; i < solverCount; ++i)
	{
		uint32_t counts[3];
		drapeVec4* runs[] = {RunFree(i, false, false, &counts[0]), RunFree(i, false, true, &counts[1]),
		                     RunFree(i, true, false, &counts[2])};
		for (int k = 1; k < 3; ++k)
		{
			assert_int_equal(counts[k], counts[0]);
			assert_memory_equal(runs[k], runs[0], counts[0] * sizeof *runs[0]);
		}
		for (int k = 0; k < 3; ++k)
			free(runs[k]);
	}
}

// The skin carries the cloth into a ball and through it.
static void LimitsDoNotTakeClothIntoBodies(void** state)
{
	(void)state;
	for (int i = 0; i < 2 * solverCount; i += isSlow ? 3 : 1)
	{
		CapeDef def = Gentle(i / 2, i % 3);
		Cape cape;
		def.top = 0.05f;
		def.contact = i % 2 ? drape_contactAll : drape_contactParticles;
		Create(&cape, &def);
		drapeColliderDef ball = drapeDefaultColliderDef();
		ball.shape = drape_shapeSphere;
		ball.radius = 0.25f;
		ball.transform.position = (drapeVec3){0.0f, -0.5f, -0.4f};
		assert_true(drapeCollider_IsValid(Make_Collider(cape.world, &ball)));
		for (int step = 0; step < 60; ++step)
		{
			drapeTransform at = drapeIdentityTransform();
			at.position.z = fmaxf(-0.02f * (float)step, -0.4f);
			Pose(&cape, at);
			Step(&cape);
			drapeClothView view = drapeCloth_GetView(cape.cloth);
			for (uint32_t p = 0; p < view.particleCount; ++p)
			{
				drapeVec3 x = {view.positions[p].x, view.positions[p].y, view.positions[p].z};
				assert_true(V3Length(V3Sub(x, ball.transform.position)) > ball.radius - 1e-5f);
			}
		}
		drapeDestroyWorld(cape.world);
	}
}

static uint64_t RunHash(int solver, int scheme, uint32_t workers, bool isSaved)
{
	CapeDef def = Gentle(solver, scheme);
	Cape cape, copy;
	def.workers = workers;
	def.refines = true;
	def.stop = 0.02f;
	Create(&cape, &def);
	const Cape* running = &cape;
	for (int step = 0; step < 40; ++step)
	{
		Pose((Cape*)(uintptr_t)running, MotionAt((double)(step + 1) * (double)dt));
		Step(running);
		if (step != 20 || !isSaved)
			continue;
		// Goes on in a world whose cloth has other limits.
		size_t size = Make_Snapshot(cape.world, NULL, 0);
		void* data = malloc(size);
		assert_true(data && Make_Snapshot(cape.world, data, size) == size);
		def.bottom = 0.0f;
		def.stop = -1.0f;
		Create(&copy, &def);
		assert_int_equal(drapeWorld_Load(copy.world, data, size), drape_ok);
		free(data);
		running = &copy;
	}
	uint64_t hash = drapeWorld_GetHash(running->world);
	Sheet_Check(running->world);
	drapeDestroyWorld(cape.world);
	if (isSaved)
		drapeDestroyWorld(copy.world);
	return hash;
}

static void ThreadsAndSnapshotsChangeNothing(void** state)
{
	(void)state;
	for (int i = 0; i < 6; i += isSlow ? 4 : 1)
	{
		int solver = i < 3 ? 1 : 4;
		uint64_t hash = RunHash(solver, i % 3, 1, false);
		assert_true(RunHash(solver, i % 3, 2, false) == hash);
		assert_true(RunHash(solver, i % 3, 1, true) == hash);
	}
}

static void TransferTakesTheSkinAlong(void** state)
{
	(void)state;
	CapeDef def = Gentle(1, 1);
	Cape from, to;
	Create(&from, &def);
	for (int step = 0; step < 30; ++step)
	{
		Pose(&from, MotionAt((double)(step + 1) * (double)dt));
		Step(&from);
	}
	Create(&to, &def);
	assert_int_equal(drapeCloth_TransferState(from.cloth, to.cloth), drape_ok);
	memcpy(to.skin, from.skin, sizeof to.skin);
	memcpy(to.normal, from.normal, sizeof to.normal);
	for (int step = 0; step < 10; ++step)
	{
		Step(&to);
		assert_true(Measure(&to).distance <= 0.0f);
	}
	drapeDestroyWorld(from.world);
	drapeDestroyWorld(to.world);
}

static void WrongTargetsAreRefused(void** state)
{
	(void)state;
	CapeDef def = Gentle(1, 0);
	Cape cape;
	Create(&cape, &def);
	uint64_t hash = drapeWorld_GetHash(cape.world);
	cape.skin[7].y = NAN;
	ASSERT_REFUSED(
		assert_int_equal(drapeCloth_SetSkinTargets(cape.cloth, cape.skin, cape.normal, vertices), drape_errorArgument));
	assert_non_null(strstr(drapeWorld_GetMessage(cape.world), "positions[7] is ("));
	cape.skin[7].y = 0.0f;
	cape.normal[9].x = INFINITY;
	ASSERT_REFUSED(
		assert_int_equal(drapeCloth_SetSkinTargets(cape.cloth, cape.skin, cape.normal, vertices), drape_errorArgument));
	assert_non_null(strstr(drapeWorld_GetMessage(cape.world), "normals[9] is ("));
	ASSERT_REFUSED(assert_int_equal(drapeCloth_SetSkinTargets(cape.cloth, cape.skin, NULL, 3), drape_errorArgument));
	assert_string_equal(drapeWorld_GetMessage(cape.world), "count is 3, but the pattern has 121 vertices");
	assert_true(drapeWorld_GetHash(cape.world) == hash);
	drapeDestroyWorld(cape.world);
}

static void EachAllocationThatFailsLeavesTheOldSkin(void** state)
{
	(void)state;
	Test_BeginLimitedMemory();
	CapeDef def = Gentle(1, 1);
	Cape cape;
	Create(&cape, &def);
	assert_int_equal(drapeCloth_SetSkinTargets(cape.cloth, NULL, NULL, 0), drape_ok);
	uint64_t hash = drapeWorld_GetHash(cape.world);
	drapeResult result = drape_errorMemory;
	for (size_t allowed = 0; result != drape_ok; ++allowed)
	{
		assert_true(allowed < 100);
		Test_AllowAllocations(allowed);
		result = drapeCloth_SetSkinTargets(cape.cloth, cape.skin, cape.normal, vertices);
		assert_true(result == drape_ok || drapeWorld_GetHash(cape.world) == hash);
	}
	// Steps begin with memory for the limits, or fail and leave everything as it was.
	hash = drapeWorld_GetHash(cape.world);
	result = drape_errorMemory;
	for (size_t allowed = 0; result != drape_ok; ++allowed)
	{
		assert_true(allowed < 1000);
		Test_AllowAllocations(allowed);
		result = drapeWorld_Step(cape.world, dt);
		assert_true(result == drape_ok || drapeWorld_GetHash(cape.world) == hash);
	}
	Test_AllowAllocations(SIZE_MAX);
	Sheet_Check(cape.world);
	drapeDestroyWorld(cape.world);
	Test_EndLimitedMemory();
}

static void ASettledStepAllocatesNothing(void** state)
{
	(void)state;
	Test_BeginLimitedMemory();
	CapeDef def = Gentle(1, 0);
	Cape cape;
	def.stop = 0.02f;
	Create(&cape, &def);
	for (int step = 0; step < 120; ++step)
	{
		Pose(&cape, MotionAt((double)(step + 1) * (double)dt));
		Step(&cape);
	}
	Test_AllowAllocations(0);
	for (int step = 120; step < 140; ++step)
	{
		Pose(&cape, MotionAt((double)(step + 1) * (double)dt));
		Step(&cape);
	}
	Test_AllowAllocations(SIZE_MAX);
	drapeDestroyWorld(cape.world);
	Test_EndLimitedMemory();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(EveryParticleStaysWithinItsDistance),
		cmocka_unit_test(NoParticleGoesThroughItsBackStop),
		cmocka_unit_test(ClothAtItsLimitsComesToRest),
		cmocka_unit_test(ADistanceOfZeroFollowsTheSkin),
		cmocka_unit_test(InfiniteDistancesAndAMissingSkinLimitNothing),
		cmocka_unit_test(LimitsDoNotTakeClothIntoBodies),
		cmocka_unit_test(ThreadsAndSnapshotsChangeNothing),
		cmocka_unit_test(TransferTakesTheSkinAlong),
		cmocka_unit_test(WrongTargetsAreRefused),
		cmocka_unit_test(EachAllocationThatFailsLeavesTheOldSkin),
		cmocka_unit_test(ASettledStepAllocatesNothing),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
