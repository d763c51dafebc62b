// SPDX-License-Identifier: MIT
#include "bench.h"
#include "shared/make.h"

#include "adapt/edge.h"
#include "base/timer.h"
#include "drape/drape.h"
#include "shared/shape_distance.h"
#include "shared/sheets.h"
#include "world/world.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// A square of 1 m and 0.2 kg/m^2 falls from the horizontal, pinned at two corners. The benchmark measures the cost of a
// step of finite elements at three resolutions, the preconditioners, the savings of the adaptive mesh, and the energy
// that each integrator keeps in the swing. The fabric stretches by at most a hundredth. Only the integrator damps.
//
// Runs do bit-identical work, so blocks of steps are compared over the runs: "ms" sums the minimum of each block,
// "ms_median" the median. Runs with one and two threads alternate. Swings run on one thread and are timed by the
// processor clock, so that other load on the machine hardly changes their ratios.

enum
{
	hangSteps = 300,
	settleSteps = 600,
	timingRuns = 5,
	largeSize = 448, // quads per side of a sheet that is far larger than the caches
	largeSteps = 30,
	largeRuns = 2,
	jacobiEvery = 6, // steps: it takes a hundred times the iterations
	solveRuns = 2,
	swingSize = 64,
	swingFrames = 60,
	swingRuns = 3,
	swingReference = 32, // substeps
	followPasses = 60,
};

static const float frame = 1.0f / 60.0f;
static const float degree = 0.0174532925f;

// --- the scene ------------------------------------------------------------------------------------------------------

typedef struct HangDef
{
	uint32_t n; // quads per side, of the finest level
	uint32_t threads;
	drapeModel model;
	drapeSolverDef solver;
	float splitAngle;  // degrees; 0 for the uniform mesh
	float dampingTime; // s
} HangDef;

typedef struct Hang
{
	drapeWorldId world;
	drapeClothId cloth;
} Hang;

static drapeSolverDef SolverDef(drapeIntegrator integrator, uint32_t substeps, uint32_t newtonIterations)
{
	drapeSolverDef def = drapeDefaultExplicitSolverDef();
	def.integrator = integrator;
	def.substeps = substeps;
	def.newtonIterations = newtonIterations;
	def.tolerance = 1e-3f;
	def.preconditioner = drape_preconditionerMultigrid;
	def.globalDamping = 0.0f;
	def.maxStretch = 100.0f;
	return def;
}

static HangDef EulerHang(uint32_t n, uint32_t threads)
{
	return (HangDef){n, threads, drape_modelFem, SolverDef(drape_integratorImplicitEuler, 1, 1), 0.0f, 0.0f};
}

// Quads per side of the pattern: four, or seven for the large sheet.
static uint32_t Coarsest(uint32_t n)
{
	while (n > 7 && n % 2 == 0)
		n /= 2;
	return n;
}

static Hang CreateHang(const HangDef* def)
{
	Hang hang;
	bool isAdaptive = def->splitAngle > 0.0f;
	float angle = def->splitAngle * degree;
	uint32_t coarsest = Coarsest(def->n);
	drapeWorldDef worldDef = drapeDefaultWorldDef();
	worldDef.workerCount = def->threads;
	worldDef.wind.airDensity = 0.0f;
	worldDef.adaptRate = isAdaptive ? 30.0f : 1e-3f;
	hang.world = Make_World(&worldDef);
	Bench_Require(drapeWorld_IsValid(hang.world), "out of memory");
	drapeClothDef clothDef = Make_SpringClothDef();
	clothDef.model = def->model;
	clothDef.material = SharedFabric_Stiff();
	clothDef.material.dampingTime = def->dampingTime;
	clothDef.solver = def->solver;
	clothDef.adapt.maxLevel = 0;
	clothDef.adapt.accuracy.enabled = false;
	clothDef.adapt.maxTriangles = 0;
	for (uint32_t n = coarsest; n < def->n; n *= 2)
		clothDef.adapt.maxLevel++;
	clothDef.adapt.curvature = (drapeCurvatureCriterion){isAdaptive, angle, 0.67f * angle};
	hang.cloth = SharedSheet_Add(hang.world, &clothDef, coarsest, coarsest, 1.0f, 1.0f, NULL, NULL);
	Bench_Require(drapeCloth_IsValid(hang.cloth), "the cloth was refused");
	for (uint32_t i = 0; i < clothDef.adapt.maxLevel && !isAdaptive; ++i)
		Bench_Require(drapeCloth_Refine(hang.cloth) == drape_ok, "out of memory");
	Make_Pin(hang.cloth, 0);
	Make_Pin(hang.cloth, coarsest);
	return hang;
}

// Makes one step and returns its wall time in ms.
static double StepHang(Hang hang)
{
	uint64_t start = drapeTimer_Now();
	drapeResult result = drapeWorld_Step(hang.world, frame);
	double ms = drapeTimer_Ms(start);
	Bench_Require(result == drape_ok, drapeWorld_GetWarning(hang.world).text);
	return ms;
}

// As StepHang, with processor time; for one thread.
static double StepAlone(Hang hang)
{
	double before = Bench_ProcessorMs();
	StepHang(hang);
	return Bench_ProcessorMs() - before;
}

// Damps until the sheet is at rest. The damping does not change the shape at rest.
static void Settle(Hang hang)
{
	drapeSolverDef* solver = &drapeCloth_Get(hang.cloth)->simulation.solver;
	*solver = SolverDef(drape_integratorImplicitEuler, 1, 1);
	solver->globalDamping = 2.0f;
	for (int i = 0; i < settleSteps; ++i)
		StepHang(hang);
}

static double Energy(Hang hang)
{
	drapeMeasures stats = drapeWorld_GetMeasures(hang.world);
	return (double)stats.kineticEnergy + (double)stats.stretchEnergy + (double)stats.bendEnergy +
	       (double)stats.gravityEnergy;
}

// --- hang -----------------------------------------------------------------------------------------------------------

typedef struct HangSums
{
	double iterations, triangles, adaptMs, followMs; // means per step
	uint32_t mostTriangles, deepestLevel;
} HangSums;

static void AddSums(HangSums* sums, Hang hang)
{
	drapeCounters stats = drapeWorld_GetCounters(hang.world);
	drapeProfile profile = drapeWorld_GetProfile(hang.world);
	drapeClothView view = drapeCloth_GetView(hang.cloth);
	sums->iterations += (double)drapeCloth_Get(hang.cloth)->costs.iterations / hangSteps;
	sums->triangles += (double)stats.triangles / hangSteps;
	sums->adaptMs += (double)profile.adapt / hangSteps;
	sums->followMs += (double)profile.follow / hangSteps;
	sums->mostTriangles = MaxU32(sums->mostTriangles, stats.triangles);
	for (uint32_t i = 0; i < view.triangleCount; ++i)
		sums->deepestLevel = MaxU32(sums->deepestLevel, view.triangleLevels[i]);
}

static Hang RunHang(const HangDef* def, double* ms, HangSums* sums)
{
	Hang hang = CreateHang(def);
	*sums = (HangSums){0};
	for (int i = 0; i < hangSteps; ++i)
	{
		ms[i] = StepHang(hang);
		AddSums(sums, hang);
	}
	return hang;
}

static float Lowest(drapeClothView view)
{
	float low = INFINITY;
	for (uint32_t i = 0; i < view.particleCount; ++i)
		low = fminf(low, view.positions[i].y);
	return low;
}

static bool IsFinite(drapeClothView view)
{
	for (uint32_t i = 0; i < view.particleCount; ++i)
	{
		drapeVec4 x = view.positions[i], v = view.velocities[i];
		if (!isfinite(x.x + x.y + x.z + v.x + v.y + v.z))
			return false;
	}
	return true;
}

static double HangGoalMs(uint32_t n)
{
	return n == 32 ? 0.6 : n == 64 ? 2.2 : 5.0;
}

static json_t* HangRow(const HangDef* def, Hang hang, const HangSums* sums, const BenchSteps* times)
{
	drapeMeasures stats = drapeWorld_GetMeasures(hang.world);
	drapeClothView view = drapeCloth_GetView(hang.cloth);
	json_t* row = json_pack("{s:i, s:i, s:i, s:f, s:f, s:f, s:f, s:f, s:f, s:f, s:f, s:b, s:o}", "n", (int)def->n,
	                        "triangles", (int)view.triangleCount, "threads", (int)def->threads, "ms_per_step",
	                        times->minimum, "ms_median", times->median, "worst_ms", times->worst, "first_ms",
	                        times->first, "iterations", sums->iterations, "stretch_p99", (double)stats.stretch99,
	                        "stretch_max", (double)stats.stretchMax, "low", (double)Lowest(view), "finite",
	                        (int)IsFinite(view), "hash", Bench_Hash(drapeWorld_GetHash(hang.world)));
	if (def->threads == 2)
		json_object_set_new(row, "goal_ms", json_real(HangGoalMs(def->n)));
	return row;
}

static void MeasureHang(json_t* rows, uint32_t n)
{
	static BenchRuns times[2];
	HangSums sums[2];
	HangDef def = EulerHang(n, 1);
	for (int run = 0; run < timingRuns; ++run)
	{
		for (uint32_t t = 0; t < 2; ++t)
		{
			def.threads = t + 1;
			Hang hang = RunHang(&def, times[t].ms[run], &sums[t]);
			times[t].steps = hangSteps;
			times[t].runs = run + 1;
			if (run == timingRuns - 1)
			{
				BenchSteps summary = Bench_SummariseRuns(&times[t]);
				json_array_append_new(rows, HangRow(&def, hang, &sums[t], &summary));
			}
			drapeDestroyWorld(hang.world);
		}
	}
}

// --- preconditioners ------------------------------------------------------------------------------------------------

enum
{
	preconditionerCount = drape_preconditionerJacobi + 1
};

typedef struct SolveSums
{
	double iterations, ms;
	int systems;
} SolveSums;

// Solves the linear system of the last step again from the same start. The next step overwrites both.
static void SolveAgain(Hang hang, drapePreconditioner preconditioner, SolveSums* sums)
{
	ClothSimulation* simulation = &drapeCloth_Get(hang.cloth)->simulation;
	ImplicitSolver* implicit = &simulation->implicit;
	const PcgDef def = {preconditioner, simulation->solver.tolerance, 10000};
	uint32_t rows = implicit->multigrid.levels[implicit->multigrid.levelCount - 1].matrix.rowCount;
	TaskPool* tasks = drapeWorlds_Get(hang.world)->tasks;
	double best = INFINITY;
	for (int run = 0; run < solveRuns; ++run)
	{
		for (uint32_t row = 0; row < rows; ++row)
		{
			uint32_t particle = implicit->hierarchy.particleOf.data[row];
			Vec4 v = simulation->savedVelocity.data[particle];
			implicit->pcg.x.data[row] = (Vec4){frame * v.x, frame * v.y, frame * v.z, 0.0f};
		}
		drapeTaskPool_SetAlert(tasks, true);
		uint64_t start = drapeTimer_Now();
		drapeMultigrid_Update(&implicit->multigrid, preconditioner, tasks);
		PcgResult result = drapePcg_Solve(&implicit->pcg, &implicit->multigrid, &def, tasks);
		best = fmin(best, drapeTimer_Ms(start));
		drapeTaskPool_SetAlert(tasks, false);
		Bench_Require(result.converged, "conjugate gradients did not converge");
		sums->iterations += run == 0 ? (double)result.iterations : 0.0;
	}
	sums->ms += best;
	sums->systems++;
}

// The linear systems of the hang, solved with each preconditioner on two threads.
static void MeasurePreconditioners(json_t* rows, uint32_t n)
{
	HangDef def = EulerHang(n, 2);
	Hang hang = CreateHang(&def);
	SolveSums sums[preconditionerCount] = {0};
	for (int i = 0; i < hangSteps; ++i)
	{
		StepHang(hang);
		for (int k = 0; k < preconditionerCount; ++k)
		{
			if (k != drape_preconditionerJacobi || i % jacobiEvery == 0)
				SolveAgain(hang, (drapePreconditioner)k, &sums[k]);
		}
	}
	for (int k = 0; k < preconditionerCount; ++k)
	{
		json_array_append_new(rows, json_pack("{s:i, s:s, s:f, s:f, s:i, s:i}", "n", (int)n, "name",
		                                      drapePreconditioner_GetName((drapePreconditioner)k), "iterations",
		                                      sums[k].iterations / sums[k].systems, "ms", sums[k].ms / sums[k].systems,
		                                      "systems", sums[k].systems, "threads", 2));
	}
	drapeDestroyWorld(hang.world);
}

static const json_t* FindRow(const json_t* rows, int n, const char* key, const char* value, int threads)
{
	size_t i;
	const json_t* row;
	json_array_foreach(rows, i, row)
	{
		const char* text = json_string_value(json_object_get(row, key));
		if (json_integer_value(json_object_get(row, "n")) == n &&
		    json_integer_value(json_object_get(row, "threads")) == threads && (!value || strcmp(text, value) == 0))
			return row;
	}
	return NULL;
}

// Iterations at n = 128 over those at n = 32.
static json_t* Growth(const json_t* precond)
{
	json_t* growth = json_object();
	for (int k = 0; k < preconditionerCount; ++k)
	{
		const char* name = drapePreconditioner_GetName((drapePreconditioner)k);
		double fine = Bench_Number(FindRow(precond, 128, "name", name, 2), "iterations");
		double coarse = Bench_Number(FindRow(precond, 32, "name", name, 2), "iterations");
		json_object_set_new(growth, name, json_real(fine / coarse));
	}
	return growth;
}

// --- large ----------------------------------------------------------------------------------------------------------

typedef struct LargeRun
{
	double ms, iterations, bytes; // per step; per triangle
	uint32_t triangles;
} LargeRun;

static LargeRun RunLarge(uint32_t n)
{
	static BenchRuns times;
	HangDef def = EulerHang(n, 2);
	LargeRun result = {0};
	size_t before = drapeGetMemoryUse().bytes;
	for (int run = 0; run < largeRuns; ++run)
	{
		Hang hang = CreateHang(&def);
		for (int i = 0; i < largeSteps; ++i)
		{
			times.ms[run][i] = StepHang(hang);
			result.iterations += (double)drapeCloth_Get(hang.cloth)->costs.iterations / largeSteps / largeRuns;
		}
		result.triangles = drapeCloth_GetView(hang.cloth).triangleCount;
		result.bytes = (double)(drapeGetMemoryUse().bytes - before) / result.triangles;
		drapeDestroyWorld(hang.world);
	}
	times.steps = largeSteps;
	times.runs = largeRuns;
	result.ms = Bench_SummariseRuns(&times).minimum;
	return result;
}

static json_t* MeasureLarge(void)
{
	LargeRun usual = RunLarge(128), large = RunLarge(largeSize);
	double cost = large.ms / large.triangles / (usual.ms / usual.triangles);
	return json_pack("{s:i, s:i, s:i, s:f, s:f, s:f, s:f, s:f}", "n", (int)largeSize, "triangles", (int)large.triangles,
	                 "threads", 2, "ms_per_step", large.ms, "iterations", large.iterations, "bytes_per_triangle",
	                 large.bytes, "iterations_ratio", large.iterations / usual.iterations, "cost_ratio", cost);
}

// --- adaptive -------------------------------------------------------------------------------------------------------

static double RestSpeed(Hang hang)
{
	double mass = (double)SharedFabric_Stiff().density;
	return sqrt(2.0 * (double)drapeWorld_GetMeasures(hang.world).kineticEnergy / mass);
}

// The cost of the adaptive mesh, and the distance of its shape at rest from that of the uniform mesh.
static json_t* MeasureAdaptive(float angle, int runs, Hang settled, double uniformMs)
{
	static BenchRuns times;
	HangDef def = EulerHang(128, 2);
	def.splitAngle = angle;
	HangSums sums;
	Hang hang = {0};
	for (int run = 0; run < runs; ++run)
	{
		drapeDestroyWorld(hang.world);
		hang = RunHang(&def, times.ms[run], &sums);
	}
	times.steps = hangSteps;
	times.runs = runs;
	BenchSteps summary = Bench_SummariseRuns(&times);
	drapeMeasures stats = drapeWorld_GetMeasures(hang.world);
	uint64_t hash = drapeWorld_GetHash(hang.world);
	double low = (double)Lowest(drapeCloth_GetView(hang.cloth));
	Settle(hang);
	json_t* result =
		json_pack("{s:i, s:f, s:i, s:f, s:f, s:f, s:f, s:f, s:f, s:i, s:i, s:f, s:f, s:f, s:f, s:f, s:f, s:f, s:o}",
	              "n", (int)def.n, "split_degrees", (double)angle, "threads", (int)def.threads, "ms_per_step",
	              summary.minimum, "ms_median", summary.median, "worst_ms", summary.worst, "adapt_ms", sums.adaptMs,
	              "follow_ms", sums.followMs, "triangles_mean", sums.triangles, "triangles_most",
	              (int)sums.mostTriangles, "deepest_level", (int)sums.deepestLevel, "iterations", sums.iterations,
	              "stretch_p99", (double)stats.stretch99, "stretch_max", (double)stats.stretchMax, "low", low,
	              "shape_error", ShapeDistance(drapeCloth_GetView(settled.cloth), drapeCloth_GetView(hang.cloth)),
	              "cost_ratio", summary.minimum / uniformMs, "rest_speed", RestSpeed(hang), "hash", Bench_Hash(hash));
	drapeDestroyWorld(hang.world);
	return result;
}

static void MeasureAdaptives(json_t* result, double uniformMs)
{
	static const float otherAngles[] = {6.0f, 3.0f, 1.5f, 1.0f};
	double ms[hangSteps];
	HangSums sums;
	HangDef def = EulerHang(128, 2);
	Hang settled = RunHang(&def, ms, &sums);
	Settle(settled);
	json_t *adaptive = MeasureAdaptive(2.0f, timingRuns, settled, uniformMs), *others = json_array();
	json_object_set_new(adaptive, "uniform_ms_per_step", json_real(uniformMs));
	json_object_set_new(adaptive, "uniform_rest_speed", json_real(RestSpeed(settled)));
	for (int i = 0; i < 4; ++i)
		json_array_append_new(others, MeasureAdaptive(otherAngles[i], 2, settled, uniformMs));
	json_object_set_new(result, "adaptive", adaptive);
	json_object_set_new(result, "adaptive_angles", others);
	drapeDestroyWorld(settled.world);
}

// --- following ------------------------------------------------------------------------------------------------------

// The cost of model and solver to follow a pass that changes part of the mesh: neighbouring edges are split, then
// joined again.

static void SplitSome(EdgeScheme* scheme, uint32_t first, uint32_t count)
{
	const ActiveMesh* active = scheme->base.active;
	bool rebuilt;
	Bench_Require(drapeEdgeScheme_Begin(scheme, count, 0), "out of memory");
	for (uint32_t i = 0; i < count; ++i)
	{
		uint32_t edge = active->edgeId[(first + i) % active->edgeCount];
		if (drapeEdgeScheme_MaySplit(scheme, edge))
			drapeEdgeScheme_Split(scheme, edge);
	}
	drapeEdgeScheme_End(scheme, &rebuilt);
}

static void JoinCreated(EdgeScheme* scheme)
{
	const ActiveMesh* active = scheme->base.active;
	uint32_t count = active->log.created.count;
	bool rebuilt;
	Bench_Require(drapeEdgeScheme_Begin(scheme, 0, count), "out of memory");
	for (uint32_t i = 0; i < count; ++i)
	{
		uint32_t edge = scheme->pools->vertices.data[active->vertexId[active->log.created.data[i]]].edge;
		if (drapeEdgeScheme_MayJoin(scheme, edge))
			drapeEdgeScheme_Join(scheme, edge);
	}
	drapeEdgeScheme_End(scheme, &rebuilt);
}

static json_t* MeasureFollow(uint32_t n, uint32_t threads, uint32_t percent)
{
	HangDef def = EulerHang(n, threads);
	Hang hang = CreateHang(&def);
	Cloth* cloth = drapeCloth_Get(hang.cloth);
	EdgeScheme* scheme = (EdgeScheme*)cloth->scheme;
	const ActiveMesh* active = &cloth->active;
	double best = INFINITY, touched = 0.0;
	StepHang(hang);
	scheme->maxLevel = DRAPE_MAX_LEVEL;
	drapeTaskPool_SetAlert(drapeWorlds_Get(hang.world)->tasks, true);
	for (uint32_t pass = 0; pass < followPasses; ++pass)
	{
		if (pass % 2 == 0)
			SplitSome(scheme, pass * active->edgeCount / followPasses, percent * active->triangleCount / 250);
		else
			JoinCreated(scheme);
		uint64_t start = drapeTimer_Now();
		Bench_Require(drapeCloth_Follow(cloth->world, cloth), "out of memory");
		best = fmin(best, 1e6 * drapeTimer_Ms(start) / active->triangleCount);
		touched += (double)BitSet_CountSet(&active->log.trianglesTouched, active->triangleCount) /
		           active->triangleCount / followPasses;
	}
	drapeTaskPool_SetAlert(drapeWorlds_Get(hang.world)->tasks, false);
	json_t* row = json_pack("{s:i, s:i, s:i, s:f, s:f, s:f}", "n", (int)n, "triangles", (int)active->triangleCount,
	                        "threads", (int)threads, "percent", (double)percent, "touched_percent", 100.0 * touched,
	                        "ns_per_triangle", best);
	drapeDestroyWorld(hang.world);
	return row;
}

static json_t* MeasureFollows(void)
{
	static const uint32_t percents[] = {1, 5, 20}, sizes[] = {32, 64, 128};
	json_t* rows = json_array();
	for (uint32_t i = 0; i < 18; ++i)
		json_array_append_new(rows, MeasureFollow(sizes[i / 6], 1 + i % 2, percents[i / 2 % 3]));
	return rows;
}

// --- swing ----------------------------------------------------------------------------------------------------------

typedef struct SwingRow
{
	drapeIntegrator integrator;
	uint32_t substeps, newtonIterations;
	float tolerance;
	float dampingTime; // s, of the fabric
} SwingRow;

static const SwingRow swings[] = {
	{drape_integratorImplicitEuler, 1, 1, 1e-3f, 0.0f},
	{drape_integratorImplicitEuler, 2, 1, 1e-3f, 0.0f},
	{drape_integratorImplicitEuler, 4, 1, 1e-3f, 0.0f},
	{drape_integratorImplicitEuler, 8, 1, 1e-3f, 0.0f},
	{drape_integratorImplicitEuler, 16, 1, 1e-3f, 0.0f},
	{drape_integratorImplicitEuler, 1, 2, 1e-3f, 0.0f},
	{drape_integratorImplicitEuler, 2, 2, 1e-3f, 0.0f},
	{drape_integratorImplicitEuler, 4, 2, 1e-3f, 0.0f},
	{drape_integratorImplicitEuler, 8, 2, 1e-3f, 0.0f},
	{drape_integratorBdf2, 1, 1, 1e-3f, 0.0f},
	{drape_integratorBdf2, 2, 1, 1e-3f, 0.0f},
	{drape_integratorBdf2, 4, 1, 1e-3f, 0.0f},
	{drape_integratorBdf2, 8, 1, 1e-3f, 0.0f},
	{drape_integratorBdf2, 16, 1, 1e-3f, 0.0f},
	{drape_integratorBdf2, 1, 2, 1e-3f, 0.0f},
	{drape_integratorBdf2, 2, 2, 1e-3f, 0.0f},
	{drape_integratorBdf2, 4, 2, 1e-3f, 0.0f},
	{drape_integratorBdf2, 8, 2, 1e-3f, 0.0f},
	{drape_integratorBdf2, 1, 2, 1e-1f, 0.0f},
	{drape_integratorBdf2, 1, 2, 1e-2f, 0.0f},
	{drape_integratorBdf2, 1, 2, 1e-4f, 0.0f},
	{drape_integratorBdf2, 1, 4, 1e-3f, 0.0f},
	{drape_integratorImplicitMidpoint, 1, 2, 1e-3f, 0.0f},
	{drape_integratorImplicitMidpoint, 1, 10, 1e-3f, 0.0f},
	{drape_integratorImplicitMidpoint, 1, 2, 1e-3f, 0.002f},
	{drape_integratorImplicitMidpoint, 1, 2, 1e-3f, 0.01f},
	{drape_integratorImplicitMidpoint, 4, 2, 1e-3f, 0.0f},
	{drape_integratorImplicitMidpoint, 8, 2, 1e-3f, 0.0f},
	{drape_integratorImplicitMidpoint, 16, 2, 1e-3f, 0.0f},
	{drape_integratorImplicitMidpoint, 16, 1, 1e-3f, 0.0f},
	{drape_integratorImplicitMidpoint, 32, 1, 1e-3f, 0.0f},
};

enum
{
	swingCount = sizeof swings / sizeof swings[0]
};

// The default solver for finite elements, and those it is compared with.
static const SwingRow defaultSwing = {drape_integratorBdf2, 1, 2, 1e-3f, 0.0f};
static const SwingRow plainSwing = {drape_integratorImplicitEuler, 1, 1, 1e-3f, 0.0f};

static bool IsSameSwing(const SwingRow* a, const SwingRow* b)
{
	return a->integrator == b->integrator && a->substeps == b->substeps && a->newtonIterations == b->newtonIterations &&
	       a->tolerance == b->tolerance && a->dampingTime == b->dampingTime;
}

// The state of the reference after the swing.
typedef struct SwingReference
{
	double energy;  // J
	double settled; // J, of the hang at rest
	drapeVec4* positions;
} SwingReference;

typedef struct SwingResult
{
	double energy, error;      // J, m
	double solves, iterations; // per frame
	float stretchPeak;         // 99th percentile, of the frame in which it is largest
	uint32_t retries;
	uint64_t hash;
} SwingResult;

static double RootMeanSquareDistance(const drapeVec4* a, const drapeVec4* b, uint32_t count)
{
	double sum = 0.0;
	for (uint32_t i = 0; i < count; ++i)
	{
		Vec3 d = V3Sub(V4Xyz(a[i]), V4Xyz(b[i]));
		sum += (double)V3Dot(d, d);
	}
	return sqrt(sum / count);
}

static Hang RunSwing(const SwingRow* row, double* ms, SwingResult* result)
{
	HangDef def = {.n = swingSize,
	               .threads = 1,
	               .model = drape_modelFem,
	               .solver = SolverDef(row->integrator, row->substeps, row->newtonIterations)};
	def.solver.tolerance = row->tolerance;
	def.dampingTime = row->dampingTime;
	Hang hang = CreateHang(&def);
	*result = (SwingResult){0};
	for (int i = 0; i < swingFrames; ++i)
	{
		ms[i] = StepAlone(hang);
		const ClothCosts* costs = &drapeCloth_Get(hang.cloth)->costs;
		result->solves += (double)costs->solves / swingFrames;
		result->iterations += (double)costs->iterations / swingFrames;
		result->retries += costs->retries;
		result->stretchPeak = fmaxf(result->stretchPeak, drapeWorld_GetMeasures(hang.world).stretch99);
	}
	result->energy = Energy(hang);
	result->hash = drapeWorld_GetHash(hang.world);
	return hang;
}

static SwingReference CreateReference(void)
{
	double ms[swingFrames];
	SwingResult result;
	SwingRow row = defaultSwing;
	row.substeps = swingReference;
	Hang hang = RunSwing(&row, ms, &result);
	drapeClothView view = drapeCloth_GetView(hang.cloth);
	SwingReference reference = {.energy = result.energy, .positions = malloc(view.particleCount * sizeof(drapeVec4))};
	Bench_Require(reference.positions != NULL, "out of memory");
	memcpy(reference.positions, view.positions, view.particleCount * sizeof(drapeVec4));
	Settle(hang);
	reference.settled = Energy(hang);
	drapeDestroyWorld(hang.world);
	return reference;
}

static json_t* SwingJson(const SwingRow* row, const SwingResult* result, const SwingReference* reference,
                         const BenchRuns* times)
{
	BenchSteps summary = Bench_SummariseRuns(times);
	double kept = (result->energy - reference->settled) / (reference->energy - reference->settled);
	return json_pack("{s:i, s:s, s:f, s:i, s:f, s:f, s:i, s:f, s:f, s:f, s:f, s:f, s:f, s:f, s:i, s:b, s:o}", "n",
	                 swingSize, "integrator", drapeIntegrator_GetName(row->integrator), "dt",
	                 (double)frame / row->substeps, "newton", (int)row->newtonIterations, "tolerance",
	                 (double)row->tolerance, "damping_time", (double)row->dampingTime, "threads", 1, "solves",
	                 result->solves, "iterations", result->iterations, "ms_per_frame", summary.minimum, "ms_median",
	                 summary.median, "energy_kept", kept, "error", result->error, "stretch_peak",
	                 (double)result->stretchPeak, "retries", (int)result->retries, "default",
	                 (int)IsSameSwing(row, &defaultSwing), "hash", Bench_Hash(result->hash));
}

static void CompareWithPlain(json_t* result, const json_t* plain, const json_t* chosen)
{
	double loss = 1.0 - Bench_Number(chosen, "energy_kept"), plainLoss = 1.0 - Bench_Number(plain, "energy_kept");
	double cost = Bench_Number(chosen, "ms_per_frame") / Bench_Number(plain, "ms_per_frame");
	json_object_set_new(result, "default_loss_ratio", json_real(loss / plainLoss));
	json_object_set_new(result, "default_cost_ratio", json_real(cost));
}

// Runs the settings in turn, several times, so that other load on the machine affects all of them.
static void MeasureSwings(json_t* result)
{
	static BenchRuns times[swingCount];
	SwingResult swing[swingCount];
	SwingReference reference = CreateReference();
	for (int k = 0; k < swingRuns * swingCount; ++k)
	{
		int run = k / swingCount, i = k % swingCount;
		Hang hang = RunSwing(&swings[i], times[i].ms[run], &swing[i]);
		drapeClothView view = drapeCloth_GetView(hang.cloth);
		swing[i].error = RootMeanSquareDistance(view.positions, reference.positions, view.particleCount);
		times[i].steps = swingFrames;
		times[i].runs = run + 1;
		drapeDestroyWorld(hang.world);
	}
	free(reference.positions);
	json_t *rows = json_array(), *plain = NULL, *chosen = NULL;
	for (int i = 0; i < swingCount; ++i)
	{
		json_t* row = SwingJson(&swings[i], &swing[i], &reference, &times[i]);
		json_array_append_new(rows, row);
		plain = IsSameSwing(&swings[i], &plainSwing) ? row : plain;
		chosen = IsSameSwing(&swings[i], &defaultSwing) ? row : chosen;
	}
	CompareWithPlain(result, plain, chosen);
	json_object_set_new(result, "swing", rows);
}

// --- springs --------------------------------------------------------------------------------------------------------

// The same fabric as springs. An explicit integrator takes as many substeps as it needs to be stable, an implicit one
// takes one.
static json_t* MeasureSprings(uint32_t n, drapeIntegrator integrator, uint32_t substeps, uint32_t newtonIterations)
{
	static BenchRuns times;
	HangDef def = {
		.n = n, .threads = 1, .model = drape_modelSprings, .solver = SolverDef(integrator, substeps, newtonIterations)};
	Hang hang = CreateHang(&def);
	double taken = 0.0, solves = 0.0, iterations = 0.0;
	for (int i = 0; i < swingFrames; ++i)
	{
		times.ms[0][i] = StepAlone(hang);
		drapeCounters costs = drapeWorld_GetCounters(hang.world);
		taken += (double)costs.substeps / swingFrames;
		solves += (double)costs.solves / swingFrames;
		iterations += (double)costs.iterations / swingFrames;
	}
	times.steps = swingFrames;
	times.runs = 1;
	BenchSteps summary = Bench_SummariseRuns(&times);
	drapeMeasures stats = drapeWorld_GetMeasures(hang.world);
	json_t* row = json_pack("{s:i, s:s, s:i, s:f, s:f, s:f, s:f, s:f, s:o}", "n", (int)n, "integrator",
	                        drapeIntegrator_GetName(integrator), "threads", 1, "substeps", taken, "ms_per_frame",
	                        summary.minimum, "stretch_p99", (double)stats.stretch99, "solves", solves, "iterations",
	                        iterations, "hash", Bench_Hash(drapeWorld_GetHash(hang.world)));
	drapeDestroyWorld(hang.world);
	return row;
}

static json_t* MeasureExplicitSprings(void)
{
	return json_pack("[o, o]", MeasureSprings(32, drape_integratorSymplecticEuler, 0, 1),
	                 MeasureSprings(64, drape_integratorSymplecticEuler, 0, 1));
}

static json_t* MeasureImplicitSprings(void)
{
	return json_pack("[o, o, o, o]", MeasureSprings(32, drape_integratorImplicitEuler, 1, 1),
	                 MeasureSprings(64, drape_integratorImplicitEuler, 1, 1),
	                 MeasureSprings(32, drape_integratorBdf2, 1, 2), MeasureSprings(64, drape_integratorBdf2, 1, 2));
}

// --- the whole ------------------------------------------------------------------------------------------------------

// Hang and preconditioners at one resolution after the other.
static void MeasureSizes(json_t* result)
{
	static const uint32_t sizes[] = {32, 64, 128};
	json_t *hang = json_array(), *precond = json_array();
	for (int i = 0; i < 3; ++i)
	{
		MeasureHang(hang, sizes[i]);
		MeasurePreconditioners(precond, sizes[i]);
	}
	json_object_set_new(result, "hang", hang);
	json_object_set_new(result, "precond", precond);
	json_object_set_new(result, "growth", Growth(precond));
}

// The part of the benchmark with this name: the hang at a resolution ("128"), or "large".
static void MeasurePart(json_t* result, const char* name)
{
	json_t* hang = json_array();
	uint32_t n = (uint32_t)strtoul(name, NULL, 10);
	Bench_Require(n == 32 || n == 64 || n == 128 || strcmp(name, "large") == 0,
	              "solve --only takes 32, 64, 128 or large");
	if (n > 0)
		MeasureHang(hang, n);
	else
		json_object_set_new(result, "large", MeasureLarge());
	json_object_set_new(result, "hang", hang);
}

static json_t* Run(const BenchOptions* options)
{
	json_t* result = json_object();
	json_object_set_new(result, "benchmark", json_string("solve"));
	if (options->only)
	{
		MeasurePart(result, options->only);
		return result;
	}
	MeasureSizes(result);
	json_object_set_new(result, "large", MeasureLarge());
	MeasureAdaptives(result, Bench_Number(FindRow(json_object_get(result, "hang"), 128, NULL, NULL, 2), "ms_per_step"));
	json_object_set_new(result, "follow", MeasureFollows());
	MeasureSwings(result);
	json_object_set_new(result, "springs", MeasureExplicitSprings());
	json_object_set_new(result, "implicit_springs", MeasureImplicitSprings());
	return result;
}

static void PrintHang(const json_t* rows)
{
	size_t i;
	const json_t* row;
	printf(
		"  n  triangles  threads  ms/step  median  to reach   worst   first  iterations  stretch p99     max     low "
		" finite  hash\n");
	json_array_foreach(rows, i, row)
	{
		printf("%3.0f  %9.0f  %7.0f  %7.3f  %6.3f", Bench_Number(row, "n"), Bench_Number(row, "triangles"),
		       Bench_Number(row, "threads"), Bench_Number(row, "ms_per_step"), Bench_Number(row, "ms_median"));
		if (json_object_get(row, "goal_ms"))
			printf("  %8.1f", Bench_Number(row, "goal_ms"));
		else
			printf("  %8s", "");
		printf("  %6.2f  %6.2f  %10.2f  %11.4f  %6.3f  %6.3f  %-6s  %s\n", Bench_Number(row, "worst_ms"),
		       Bench_Number(row, "first_ms"), Bench_Number(row, "iterations"), Bench_Number(row, "stretch_p99"),
		       Bench_Number(row, "stretch_max"), Bench_Number(row, "low"),
		       json_is_true(json_object_get(row, "finite")) ? "yes" : "no",
		       json_string_value(json_object_get(row, "hash")));
	}
	printf("(to reach with a stretch p99 of at most 1.02; first: the step that builds what the solver needs)\n\n");
}

static void PrintPreconditioners(const json_t* rows, const json_t* growth)
{
	size_t i;
	const json_t* row;
	printf(
		"  n  preconditioner  iterations       ms  systems   (to a residual of 1e-3, mean over systems of the run)\n");
	json_array_foreach(rows, i, row) printf(
		"%3.0f  %-14s  %10.1f  %7.3f  %7.0f\n", Bench_Number(row, "n"), json_string_value(json_object_get(row, "name")),
		Bench_Number(row, "iterations"), Bench_Number(row, "ms"), Bench_Number(row, "systems"));
	printf("iterations at n = 128 over n = 32: multigrid %.2f (to reach 1.5), bpx %.2f, jacobi %.2f\n\n",
	       Bench_Number(growth, "multigrid"), Bench_Number(growth, "bpx"), Bench_Number(growth, "jacobi"));
}

static void PrintLarge(const json_t* row)
{
	printf(
		"n = %.0f, two threads: %.1f ms/step, %.0f bytes per triangle (to reach 1500); over the same steps of n = 128: "
		"iterations %.2f (to reach 1.2), cost per triangle %.2f (to reach 1.5)\n\n",
		Bench_Number(row, "n"), Bench_Number(row, "ms_per_step"), Bench_Number(row, "bytes_per_triangle"),
		Bench_Number(row, "iterations_ratio"), Bench_Number(row, "cost_ratio"));
}

static void PrintAdaptiveRow(const json_t* row)
{
	printf("%5.1f  %9.0f  %6.0f  %7.0f  %7.3f  %6.3f  %6.2f  %6.3f  %6.3f  %11.3f  %10.2f  %11.4f  %11.5f  %s\n",
	       Bench_Number(row, "split_degrees"), Bench_Number(row, "triangles_mean"), Bench_Number(row, "triangles_most"),
	       Bench_Number(row, "deepest_level"), Bench_Number(row, "ms_per_step"), Bench_Number(row, "ms_median"),
	       Bench_Number(row, "worst_ms"), Bench_Number(row, "adapt_ms"), Bench_Number(row, "follow_ms"),
	       Bench_Number(row, "cost_ratio"), Bench_Number(row, "iterations"), Bench_Number(row, "stretch_p99"),
	       Bench_Number(row, "shape_error"), json_string_value(json_object_get(row, "hash")));
}

static void PrintAdaptives(const json_t* result)
{
	const json_t *main = json_object_get(result, "adaptive"), *row;
	size_t i;
	printf("the adaptive mesh, finest edge that of n = 128, two threads; uniform %.3f ms/step\n",
	       Bench_Number(main, "uniform_ms_per_step"));
	printf(
		"angle  triangles    most  deepest  ms/step  median   worst   adapt  follow  of uniform  iterations  stretch "
		"p99  shape error\n");
	PrintAdaptiveRow(main);
	json_array_foreach(json_object_get(result, "adaptive_angles"), i, row) PrintAdaptiveRow(row);
	printf("(to reach: 0.333 of the uniform cost, shape error 0.01; the first row counts)\n\n");
}

static void PrintFollows(const json_t* rows)
{
	size_t i;
	const json_t* row;
	printf("model and solver follow a pass that changes part of the mesh\n");
	printf("  n  triangles  threads  touched %%  ns per triangle\n");
	json_array_foreach(rows, i, row) printf("%3.0f  %9.0f  %7.0f  %9.1f  %15.0f\n", Bench_Number(row, "n"),
	                                        Bench_Number(row, "triangles"), Bench_Number(row, "threads"),
	                                        Bench_Number(row, "touched_percent"), Bench_Number(row, "ns_per_triangle"));
	printf("\n");
}

static void PrintSwings(const json_t* result)
{
	size_t i;
	const json_t* row;
	printf("the first swing, n = %d, one thread\n", swingSize);
	printf("integrator         1/dt  newton  tolerance  damping ms  solves  iterations  ms/frame  median  energy kept  "
	       "error mm  "
	       "stretch peak  "
	       "retries\n");
	json_array_foreach(json_object_get(result, "swing"), i, row)
		printf("%-17s  %4.0f  %6.0f  %9.0e  %10.0f  %6.2f  %10.1f  %8.3f  %6.3f  %11.3f  %8.1f  %12.3f  %7.0f%s\n",
	           json_string_value(json_object_get(row, "integrator")), 1.0 / Bench_Number(row, "dt"),
	           Bench_Number(row, "newton"), Bench_Number(row, "tolerance"), 1e3 * Bench_Number(row, "damping_time"),
	           Bench_Number(row, "solves"), Bench_Number(row, "iterations"), Bench_Number(row, "ms_per_frame"),
	           Bench_Number(row, "ms_median"), Bench_Number(row, "energy_kept"), 1e3 * Bench_Number(row, "error"),
	           Bench_Number(row, "stretch_peak"), Bench_Number(row, "retries"),
	           json_is_true(json_object_get(row, "default")) ? "  default" : "");
	printf(
		"the default loses %.2f of what implicit Euler with one solve loses (to reach 0.5) at %.2f times its cost (to "
		"reach 2)\n",
		Bench_Number(result, "default_loss_ratio"), Bench_Number(result, "default_cost_ratio"));
}

static void PrintSprings(const json_t* rows)
{
	size_t i;
	const json_t* row;
	json_array_foreach(rows, i, row)
		printf("the same fabric as springs, n = %.0f, %s, one thread: %.1f ms/frame, %.0f substeps, %.1f solves, %.1f "
	           "iterations, stretch p99 %.4f\n",
	           Bench_Number(row, "n"), json_string_value(json_object_get(row, "integrator")),
	           Bench_Number(row, "ms_per_frame"), Bench_Number(row, "substeps"), Bench_Number(row, "solves"),
	           Bench_Number(row, "iterations"), Bench_Number(row, "stretch_p99"));
}

static void Print(const json_t* result)
{
	printf("A 1 m square of 0.2 kg/m2 hangs from two corners: 300 steps of 1/60 s from the horizontal, implicit Euler, "
	       "one solve\n\n");
	PrintHang(json_object_get(result, "hang"));
	if (json_object_get(result, "large"))
		PrintLarge(json_object_get(result, "large"));
	if (!json_object_get(result, "precond"))
		return;
	PrintPreconditioners(json_object_get(result, "precond"), json_object_get(result, "growth"));
	PrintAdaptives(result);
	PrintFollows(json_object_get(result, "follow"));
	PrintSwings(result);
	PrintSprings(json_object_get(result, "springs"));
	PrintSprings(json_object_get(result, "implicit_springs"));
}

const Benchmark benchSolve = {"solve", "finite elements and implicit solvers on a hanging sheet", true, Run, Print};
