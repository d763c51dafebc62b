// SPDX-License-Identifier: MIT
#include "api.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

// --- creation -------------------------------------------------------------------------------------------------------

static drapeResult ApplyCloth(Api* api, const void* def)
{
	drapeClothId cloth;
	return drapeCreateCloth(api->world, def, &cloth);
}

typedef const drapeParameter* ParametersFcn(uint32_t* count);

// The tables of the parts of a definition.
static void RefuseParts(Api* api, const drapeClothDef* def)
{
	const struct
	{
		ParametersFcn* list;
		size_t offset;
		const char* prefix;
	} parts[] = {
		{drapeMaterial_GetParameters, offsetof(drapeClothDef, material), "material."},
		{drapeSpringDef_GetParameters, offsetof(drapeClothDef, springs), "springs."},
		{drapeSolverDef_GetParameters, offsetof(drapeClothDef, solver), "solver."},
		{drapeBudgetDef_GetParameters, offsetof(drapeClothDef, budget), "budget."},
	};
	ApiTable table = {"drapeCreateCloth", "def", .def = def, .size = sizeof *def, .apply = ApplyCloth};
	for (size_t i = 0; i < sizeof parts / sizeof parts[0]; ++i)
	{
		table.offset = parts[i].offset;
		table.prefix = parts[i].prefix;
		table.list = parts[i].list(&table.count);
		Api_RefuseTable(api, &table);
	}
}

// Each criterion with its table; only those that are enabled are read.
static void RefuseCriteria(Api* api, const ApiTable* call, size_t adaptOffset, const char* prefix)
{
	const drapeCriterionInfo* info;
	for (uint32_t i = 0; (info = drapeCriterion_GetInfo(i)) != NULL; ++i)
	{
		_Alignas(16) unsigned char def[2048];
		char name[96] = "";
		bool isOn = true;
		assert_true(call->size <= sizeof def);
		memcpy(def, call->def, call->size);
		memcpy(def + adaptOffset + info->offset + info->enabled, &isOn, sizeof isOn);
		strcat(strcat(strcat(name, prefix), info->key), ".");
		ApiTable table = *call;
		table.def = def;
		table.offset = adaptOffset + info->offset;
		table.prefix = name;
		table.list = info->parameters;
		table.count = info->parameterCount;
		if (table.count > 0)
			Api_RefuseTable(api, &table);
	}
}

#define CREATE(sentence, ...)                                                                                          \
	do                                                                                                                 \
	{                                                                                                                  \
		def = *good;                                                                                                   \
		def.__VA_ARGS__;                                                                                               \
		REFUSED(drapeCreateCloth, def, sentence, ApplyCloth(api, &def));                                               \
	} while (0)

static void RefuseCurves(Api* api, const drapeClothDef* good)
{
	drapeClothDef def;
	CREATE("material.warpCurve.count is 7, expected at most 6", material.warpCurve = ((drapeStressCurve){.count = 7}));
	CREATE("material.weftCurve.strain[0] is 0, expected a number above 0",
	       material.weftCurve = ((drapeStressCurve){1, {0.0f}, {1.0f}}));
	CREATE("material.shearCurve.strain[1] is 0.1, expected a number above 0.1 and up to 10",
	       material.shearCurve = ((drapeStressCurve){2, {0.1f, 0.1f}, {1.0f, 2.0f}}));
	CREATE("material.shearCurve.strain[0] is nan, expected a number above 0 and up to 10",
	       material.shearCurve = ((drapeStressCurve){1, {NAN}, {1.0f}}));
	CREATE("material.warpCurve.strain[0] is 11, expected a number above 0 and up to 10",
	       material.warpCurve = ((drapeStressCurve){1, {11.0f}, {1.0f}}));
	CREATE("material.warpCurve.stress[0] is 0, expected a number above 0",
	       material.warpCurve = ((drapeStressCurve){1, {0.1f}, {0.0f}}));
	CREATE("material.warpCurve.stress[1] is 1, expected a number above 2",
	       material.warpCurve = ((drapeStressCurve){2, {0.1f, 0.2f}, {2.0f, 1.0f}}));
	CREATE("material.warpCurve.stress[0] is nan, expected a number above 0",
	       material.warpCurve = ((drapeStressCurve){1, {0.1f}, {NAN}}));
}

static void RefuseCombinations(Api* api, const drapeClothDef* good)
{
	drapeClothDef def;
	CREATE("mesh and pattern are NULL, expected one of them", mesh = NULL);
	CREATE("mesh and pattern are both given, expected one of them", pattern = drapeCloth_GetPattern(api->cloth));
	CREATE("contact is 99, expected one of particles|all", contact = (drapeContactMode)99);
	CREATE("model is 99, expected one of springs|fem", model = (drapeModel)99);
	CREATE("adapt.scheme is 99, expected one of edge|fixed|sqrt3", adapt.scheme = (drapeScheme)99);
	CREATE("adapt.tieRule is 99, expected one of default|length|rest-length|curvature",
	       adapt.tieRule = (drapeTieRule)99);
	CREATE("adapt.joinRule is 99, expected one of all|any|always", adapt.joinRule = (drapeJoinRule)99);
	CREATE("adapt.maxLevel is 13, expected at most 12", adapt.maxLevel = DRAPE_MAX_LEVEL + 1);
	CREATE("adapt.joinWait is 256, expected at most 255", adapt.joinWait = 256);
	CREATE("adapt.collision.maxLevel is 13, expected a whole number from 0 to 12",
	       adapt.collision = ((drapeCollisionCriterion){.colliders = true, .maxLevel = DRAPE_MAX_LEVEL + 1}));
	CREATE("adapt.curvature.join is 0.5, expected at most split, which is 0.4",
	       adapt.curvature = ((drapeCurvatureCriterion){true, 0.4f, 0.5f}));
	CREATE("adapt.length.join is 0.8, expected at least split, which is 0.9",
	       adapt.length = ((drapeLengthCriterion){true, 0.9f, 0.8f, 1.0f}));
	CREATE("budget.farDistance is 1, expected 0 or more than nearDistance, which is 2",
	       budget = ((drapeBudgetDef){.triangles = 1, .nearDistance = 2.0f, .farDistance = 1.0f}));
	CREATE("solver.substeps is 3, but maxSubsteps is 2, expected no more",
	       solver = ((drapeSolverDef){.substeps = 3,
	                                  .maxSubsteps = 2,
	                                  .stretchIterations = 1,
	                                  .tolerance = 0.1f,
	                                  .maxIterations = 1,
	                                  .newtonIterations = 1}));
	CREATE("solver.maxStretch is 0.5, expected 0 or a ratio of at least 1", solver.maxStretch = 0.5f);
	CREATE("material.poisson is 0.5, and poisson squared times stretchWeft / stretchWarp is 2.5, expected below 1",
	       material = ((drapeMaterial){.density = 1.0f, .stretchWarp = 1.0f, .stretchWeft = 10.0f, .poisson = 0.5f}));
	CREATE("material.bendBias is 0.1, expected 0 or at least a quarter of bendWarp + bendWeft, which is 0.5",
	       material = ((drapeMaterial){.density = 1.0f, .bendWarp = 1.0f, .bendWeft = 1.0f, .bendBias = 0.1f}));
	CREATE("rest.source is 99, expected one of shape|texcoord|material", rest.source = (drapeRest)99);
	CREATE("rest.metresPerUnit is 0, expected a number above 0 m",
	       rest = ((drapeRestDef){.source = drape_restTexcoord, .metresPerUnit = 0.0f}));
	CREATE("rest.metresPerUnit is nan, expected a number above 0 m",
	       rest = ((drapeRestDef){.source = drape_restTexcoord, .metresPerUnit = NAN}));
	CREATE("rest.material is NULL, expected the material coordinates",
	       rest = ((drapeRestDef){.source = drape_restMaterial}));
	CREATE("rest.warp is (0, nan, 0), expected three finite numbers",
	       rest = ((drapeRestDef){.source = drape_restShape, .warp = {0.0f, NAN, 0.0f}}));
}

// The mesh itself; test_mesh_check has every problem of meshes.
static void RefuseMeshes(Api* api, const drapeClothDef* good)
{
	drapeClothDef def = *good;
	drapeClothId cloth;
	drapeMesh mesh = api->mesh;
	def.mesh = &mesh;
	mesh.positions = NULL;
	REFUSED(drapeCreateCloth, def, "mesh: positions is NULL, but vertexCount is 25", ApplyCloth(api, &def));
	mesh = api->mesh;
	mesh.triangles = NULL;
	REFUSED(drapeCreateCloth, def, "mesh: triangles is NULL, but triangleCount is 32", ApplyCloth(api, &def));
	mesh = api->mesh;
	mesh.triangleCount = 0;
	FAILED(drapeCreateCloth, def, drape_errorData, "mesh: the mesh has no triangle",
	       drapeCreateCloth(api->world, &def, &cloth));
	mesh = api->mesh;
	mesh.vertexCount = 3;
	FAILED(drapeCreateCloth, def, drape_errorData, "mesh: triangle 0 names a vertex that does not exist",
	       drapeCreateCloth(api->world, &def, &cloth));
}

static void RefuseDefinitions(Api* api)
{
	drapeClothDef made = drapeDefaultClothDef(), def = {0};
	const drapeClothDef* good = &made;
	drapeClothId cloth;
	made.mesh = &api->mesh;
	BAD_HANDLE(drapeCreateCloth, drapeWorldId, world, drapeCreateCloth(world, good, &cloth));
	REFUSED(drapeCreateCloth, cloth, "there is nowhere to write the handle of the cloth to",
	        drapeCreateCloth(api->world, good, NULL));
	REFUSED(drapeCreateCloth, def, "the definition of the cloth is not initialised, expected drapeDefaultClothDef",
	        ApplyCloth(api, NULL));
	REFUSED(drapeCreateCloth, def, "the definition of the cloth is not initialised, expected drapeDefaultClothDef",
	        ApplyCloth(api, &def));
	RefuseParts(api, good);
	const ApiTable call = {"drapeCreateCloth", "def", .def = good, .size = sizeof *good, .apply = ApplyCloth};
	RefuseCriteria(api, &call, offsetof(drapeClothDef, adapt), "adapt.");
	RefuseCurves(api, good);
	RefuseCombinations(api, good);
	RefuseMeshes(api, good);
}

// --- handles --------------------------------------------------------------------------------------------------------

static bool IsDefaultDef(drapeClothDef def)
{
	return def.cookie == drapeDefaultClothDef().cookie &&
	       def.material.density == drapeDefaultClothDef().material.density;
}

static void RefuseHandles(Api* api)
{
	const drapeAdaptDef adapt = drapeDefaultAdaptDef();
	const drapeBudgetDef budget = {0};
	const drapePatternPoint point = {0, {1.0f, 0.0f, 0.0f}};
	drapeVec3 vectors[25] = {{0}};
	BAD_DESTROY(drapeDestroyCloth, drapeClothId, cloth);
	BAD_ZERO(drapeCloth_GetWorld, drapeClothId, cloth, drapeCloth_GetWorld(cloth));
	BAD_HANDLE(drapeCloth_SetUserData, drapeClothId, cloth, drapeCloth_SetUserData(cloth, NULL));
	BAD_ZERO(drapeCloth_GetUserData, drapeClothId, cloth, drapeCloth_GetUserData(cloth));
	BAD_ZERO(drapeCloth_GetPins, drapeClothId, cloth, drapeCloth_GetPins(cloth, NULL, 0));
	BAD_ZERO(drapeCloth_GetColumns, drapeClothId, cloth, drapeCloth_GetColumns(cloth, NULL, 0));
	BAD_VALUE(drapeCloth_GetDef, drapeClothId, cloth, IsDefaultDef(drapeCloth_GetDef(cloth)));
	BAD_ZERO(drapeCloth_GetView, drapeClothId, cloth, drapeCloth_GetView(cloth));
	BAD_ZERO(drapeCloth_GetChanges, drapeClothId, cloth, drapeCloth_GetChanges(cloth));
	BAD_ZERO(drapeCloth_GetOrigin, drapeClothId, cloth, drapeCloth_GetOrigin(cloth, 0));
	BAD_ZERO(drapeCloth_IsTouching, drapeClothId, cloth, drapeCloth_IsTouching(cloth, 0));
	BAD_ZERO(drapeCloth_GetCarriedThickness, drapeClothId, cloth, drapeCloth_GetCarriedThickness(cloth));
	BAD_HANDLE(drapeCloth_Adapt, drapeClothId, cloth, drapeCloth_Adapt(cloth, NULL));
	BAD_VALUE(drapeCloth_GetAdapt, drapeClothId, cloth, drapeCloth_GetAdapt(cloth).maxLevel == adapt.maxLevel);
	BAD_HANDLE(drapeCloth_SetAdapt, drapeClothId, cloth, drapeCloth_SetAdapt(cloth, &adapt));
	BAD_HANDLE(drapeCloth_SetBudget, drapeClothId, cloth, drapeCloth_SetBudget(cloth, &budget));
	BAD_ZERO(drapeCloth_GetBudget, drapeClothId, cloth, drapeCloth_GetBudget(cloth));
	BAD_HANDLE(drapeCloth_SplitEdge, drapeClothId, cloth, drapeCloth_SplitEdge(cloth, 0));
	BAD_HANDLE(drapeCloth_JoinParticle, drapeClothId, cloth, drapeCloth_JoinParticle(cloth, 0));
	BAD_HANDLE(drapeCloth_Refine, drapeClothId, cloth, drapeCloth_Refine(cloth));
	BAD_HANDLE(drapeCloth_Coarsen, drapeClothId, cloth, drapeCloth_Coarsen(cloth));
	BAD_HANDLE(drapeCloth_SetPositions, drapeClothId, cloth, drapeCloth_SetPositions(cloth, vectors));
	BAD_HANDLE(drapeCloth_SetVelocities, drapeClothId, cloth, drapeCloth_SetVelocities(cloth, vectors));
	BAD_HANDLE(drapeCloth_TransferState, drapeClothId, from, drapeCloth_TransferState(from, api->cloth));
	BAD_HANDLE(drapeCloth_TransferState, drapeClothId, to, drapeCloth_TransferState(api->cloth, to));
	BAD_HANDLE(drapeCloth_Evaluate, drapeClothId, cloth, drapeCloth_Evaluate(cloth, &point, 1, vectors, vectors));
	for (uint32_t bad = 0; bad < apiBadCount; ++bad)
	{
		drapeClothId cloth;
		Api_BadHandle(api, apiKindCloth, bad, &cloth);
		ACCEPTED(drapeCloth_IsValid, cloth, !drapeCloth_IsValid(cloth));
	}
}

// --- the rest -------------------------------------------------------------------------------------------------------

static drapeResult ApplyAdapt(Api* api, const void* def)
{
	return drapeCloth_SetAdapt(api->cloth, def);
}

static drapeResult ApplyBudget(Api* api, const void* def)
{
	return drapeCloth_SetBudget(api->cloth, def);
}

static void RefuseSettings(Api* api)
{
	drapeAdaptDef adapt = drapeCloth_GetAdapt(api->cloth);
	const drapeBudgetDef budget = {.triangles = 100};
	REFUSED(drapeCloth_SetAdapt, adapt, "adapt is NULL", drapeCloth_SetAdapt(api->cloth, NULL));
	const ApiTable call = {"drapeCloth_SetAdapt", "adapt", .def = &adapt, .size = sizeof adapt, .apply = ApplyAdapt};
	RefuseCriteria(api, &call, 0, "");
	const drapeAdaptDef fixed = {.scheme = drape_schemeFixed};
	REFUSED(drapeCloth_SetAdapt, adapt, "scheme is 1, but that of the cloth is 0 and cannot be changed",
	        drapeCloth_SetAdapt(api->cloth, &fixed));
	adapt.maxLevel = DRAPE_MAX_LEVEL + 1;
	REFUSED(drapeCloth_SetAdapt, adapt, "maxLevel is 13, expected at most 12", ApplyAdapt(api, &adapt));
	REFUSED(drapeCloth_SetBudget, budget, "budget is NULL", drapeCloth_SetBudget(api->cloth, NULL));
	ApiTable table = {"drapeCloth_SetBudget", "budget", .def = &budget, .size = sizeof budget, .apply = ApplyBudget};
	table.prefix = "";
	table.list = drapeBudgetDef_GetParameters(&table.count);
	Api_RefuseTable(api, &table);
}

static void RefuseEdits(Api* api)
{
	drapeVec3 vectors[25] = {{0}};
	char sentence[96];
	drapeClothView view = drapeCloth_GetView(api->cloth);
	snprintf(sentence, sizeof sentence, "edge is 9999, but the cloth has only %u", view.edgeCount);
	REFUSED(drapeCloth_SplitEdge, edge, sentence, drapeCloth_SplitEdge(api->cloth, 9999));
	REFUSED(drapeCloth_JoinParticle, particle, "particle is 25, but the cloth has only 25",
	        drapeCloth_JoinParticle(api->cloth, 25));
	FAILED(drapeCloth_JoinParticle, particle, drape_errorBlocked,
	       "particle 3 is a vertex of the pattern, or finer triangles depend on it",
	       drapeCloth_JoinParticle(api->cloth, 3));
	REFUSED_VALUE(drapeCloth_GetOrigin, particle, "particle is 25, but the cloth has only 25",
	              drapeCloth_GetOrigin(api->cloth, 25).count == 0);
	REFUSED_VALUE(drapeCloth_IsTouching, particle, "particle is 25, but the cloth has only 25",
	              !drapeCloth_IsTouching(api->cloth, 25));
	CANNOT_FAIL(drapeCloth_Adapt, result, "it may be NULL");
	REFUSED(drapeCloth_SetPositions, positions, "positions is NULL", drapeCloth_SetPositions(api->cloth, NULL));
	REFUSED(drapeCloth_SetVelocities, velocities, "velocities is NULL", drapeCloth_SetVelocities(api->cloth, NULL));
	const float bad[] = {NAN, INFINITY, 2e9f};
	const char* const values[] = {"nan", "inf", "2e+09"};
	for (int i = 0; i < 3; ++i)
	{
		vectors[7].y = bad[i];
		snprintf(sentence, sizeof sentence, "positions[7] is (0, %s, 0), expected numbers from -1e9 to 1e9 m",
		         values[i]);
		REFUSED(drapeCloth_SetPositions, positions, sentence, drapeCloth_SetPositions(api->cloth, vectors));
		snprintf(sentence, sizeof sentence, "velocities[7] is (0, %s, 0), expected numbers from -1e9 to 1e9 m/s",
		         values[i]);
		REFUSED(drapeCloth_SetVelocities, velocities, sentence, drapeCloth_SetVelocities(api->cloth, vectors));
	}
}

static void RefuseEdgeAtItsLimit(Api* api)
{
	drapeClothDef def = drapeDefaultClothDef();
	drapeClothId cloth;
	def.mesh = &api->mesh;
	def.adapt.maxLevel = 0;
	assert_int_equal(drapeCreateCloth(api->world, &def, &cloth), drape_ok);
	FAILED(drapeCloth_SplitEdge, edge, drape_errorBlocked,
	       "edge 0 has the maximum level, or a triangle beside it may not be refined yet",
	       drapeCloth_SplitEdge(cloth, 0));
	assert_int_equal(drapeDestroyCloth(cloth), drape_ok);
}

static void RefuseTransfer(Api* api)
{
	drapeClothDef def = drapeDefaultClothDef();
	drapeClothId other;
	drapeMesh mesh;
	assert_int_equal(drapeMesh_CreateGrid(2, 2, 1.0f, 1.0f, &mesh, NULL), drape_ok);
	def.mesh = &mesh;
	assert_int_equal(drapeCreateCloth(api->world, &def, &other), drape_ok);
	REFUSED(drapeCloth_TransferState, from, "both cloths are the same, expected two",
	        drapeCloth_TransferState(api->cloth, api->cloth));
	REFUSED(drapeCloth_TransferState, from, "the triangles of the two patterns differ",
	        drapeCloth_TransferState(other, api->cloth));
	assert_int_equal(drapeDestroyCloth(other), drape_ok);
	drapeMesh_Free(&mesh);
}

static void RefuseArrays(Api* api)
{
	drapePinId pin;
	drapeColumnId column;
	REFUSED_VALUE(drapeCloth_GetPins, pins, "pins is NULL, but capacity is 1",
	              drapeCloth_GetPins(api->cloth, NULL, 1) == 0);
	REFUSED_VALUE(drapeCloth_GetColumns, columns, "columns is NULL, but capacity is 1",
	              drapeCloth_GetColumns(api->cloth, NULL, 1) == 0);
	ACCEPTED(drapeCloth_GetPins, capacity, drapeCloth_GetPins(api->cloth, &pin, 1) > 1);
	ACCEPTED(drapeCloth_GetColumns, capacity, drapeCloth_GetColumns(api->cloth, &column, 1) > 1);
}

static void RefusePatternPoints(Api* api)
{
	const drapePatternPoint good = {0, {1.0f, 0.0f, 0.0f}};
	const struct
	{
		drapePatternPoint point;
		const char* sentence;
	} rows[] = {
		{{32, {1.0f, 0.0f, 0.0f}}, "points[1].triangle is 32, but the pattern has only 32"},
		{{0, {0.5f, 0.0f, 0.0f}}, "points[1].weights add up to 0.5, expected 1"},
		{{0, {NAN, 0.0f, 0.0f}}, "points[1].weights[0] is nan, expected a number from 0 to 1"},
		{{0, {1.5f, -0.5f, 0.0f}}, "points[1].weights[0] is 1.5, expected a number from 0 to 1"},
		{{0, {0.0f, 3e38f, -3e38f}}, "points[1].weights[1] is 3e+38, expected a number from 0 to 1"},
	};
	drapeVec3 positions[2], normals[2];
	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; ++i)
	{
		const drapePatternPoint points[2] = {good, rows[i].point};
		REFUSED(drapeCloth_Evaluate, points, rows[i].sentence,
		        drapeCloth_Evaluate(api->cloth, points, 2, positions, normals));
	}
	REFUSED(drapeCloth_Evaluate, points, "points is NULL", drapeCloth_Evaluate(api->cloth, NULL, 1, positions, NULL));
	REFUSED(drapeCloth_Evaluate, positions, "positions is NULL",
	        drapeCloth_Evaluate(api->cloth, &good, 1, NULL, normals));
	ACCEPTED(drapeCloth_Evaluate, normals, drapeCloth_Evaluate(api->cloth, &good, 1, positions, NULL) == drape_ok);
	ACCEPTED(drapeCloth_Evaluate, count, drapeCloth_Evaluate(api->cloth, NULL, 0, NULL, NULL) == drape_ok);
}

void Rows_Cloth(Api* api)
{
	CANNOT_FAIL(drapeDefaultClothDef, ALL, "it returns constants");
	CANNOT_FAIL(drapeCloth_SetUserData, userData, "the library does not read it");
	ASSERTED(drapeBudgetDef_GetParameters, count, "count is NULL", drapeBudgetDef_GetParameters(NULL) != NULL);
	RefuseDefinitions(api);
	RefuseHandles(api);
	RefuseSettings(api);
	RefuseEdits(api);
	RefuseEdgeAtItsLimit(api);
	RefuseTransfer(api);
	RefuseArrays(api);
	RefusePatternPoints(api);
}
