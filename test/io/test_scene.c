// SPDX-License-Identifier: MIT
#include "support.h"
#include "shared/make.h"

#include "drape/scene.h"

#include <dirent.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

// --- helpers ---

static drapeScene* Parse(const char* text)
{
	drapeScene* scene;
	drapeMessage error;
	if (drapeScene_Parse(text, strlen(text), "folder/test.json", &scene, &error) != drape_ok)
		fail_msg("unexpected: %s", error.text);
	assert_string_equal(error.text, "");
	return scene;
}

static void ExpectRefusal(const char* text, const char* message)
{
	drapeScene* scene;
	drapeMessage error;
	drapeResult result = drapeScene_Parse(text, strlen(text), "t.json", &scene, &error);
	assert_string_equal(error.text, message);
	assert_int_equal(result, drape_errorData);
	assert_int_equal(error.result, result);
	assert_null(scene);
}

// A scene with one cloth, whose keys are given.
static void ExpectClothRefusal(const char* keys, const char* message)
{
	char text[2048];
	snprintf(text, sizeof text, "{\"cloths\": [{\"name\": \"a\",\n%s}]}", keys);
	ExpectRefusal(text, message);
}

static char* ReadFile(const char* path)
{
	FILE* file = fopen(path, "rb");
	if (!file)
		fail_msg("%s is missing", path);
	fseek(file, 0, SEEK_END);
	size_t size = (size_t)ftell(file);
	rewind(file);
	char* text = malloc(size + 1);
	assert_int_equal(fread(text, 1, size, file), size);
	text[size] = 0;
	fclose(file);
	return text;
}

static void ExpectNear(float value, float expected)
{
	if (!(fabsf(value - expected) <= 1e-5f * fmaxf(1.0f, fabsf(expected))))
		fail_msg("%g is not %g", (double)value, (double)expected);
}

// --- reading ---

static void ASceneHasWhatItsFileSays(void** state)
{
	(void)state;
	drapeScene* scene = Parse(
		"{\"$schema\": \"x\", \"version\": 1, \"name\": \"N\", \"about\": \"B\",\n"
		"\"time\": {\"frames\": 7, \"frameRate\": 25, \"stepRate\": 100},\n"
		"\"world\": {\"gravity\": [0, 0, -1.5], \"adaptRate\": 15, \"threads\": 3, \"camera\": [1, 2, 3], "
		"\"untangle\": true},\n"
		"\"wind\": {\"kind\": \"turbulent\", \"velocity\": [4, 5, 6], \"seed\": 9},\n"
		"\"motions\": [{\"name\": \"m\", \"smooth\": true, \"keys\": [{\"time\": 0}, {\"time\": 2, \"position\": [1, "
		"0, "
		"0], \"axis\": [0, 0, 2], \"angle\": 90, \"scale\": 2}]}],\n"
		"\"colliders\": [{\"shape\": \"capsule\", \"radius\": 0.1, \"halfHeight\": 0.2, \"motion\": \"m\", "
		"\"friction\": "
		"0.5}],\n"
		"\"cloths\": [{\"name\": \"c\", \"disc\": {\"radius\": 2, \"rings\": 4, \"segments\": 5},\n"
		"  \"material\": {\"preset\": \"denim\", \"friction\": 0.9}, \"model\": \"springs\",\n"
		"  \"rest\": {\"source\": \"uv\", \"metresPerUnit\": 4},\n"
		"  \"springs\": {\"law\": \"length\", \"damping\": \"simple\", \"bending\": \"none\"},\n"
		"  \"solver\": {\"integrator\": \"runge-kutta-4\", \"substeps\": 8, \"maxStretch\": 0},\n"
		"  \"adapt\": {\"scheme\": \"edge\", \"maxLevel\": 5, \"tieRule\": \"curvature\", \"joinRule\": \"any\", "
		"\"curvature\": {\"split\": 7, \"join\": 6.7}, \"length\": {}, \"collision\": {\"maxLevel\": 2}},\n"
		"  \"budget\": {\"triangles\": 1000}, \"pinMiddles\": true,\n"
		"  \"pins\": [{\"vertices\": [3, 1]}, {\"box\": {\"min\": [-1, -1, -1], \"max\": [1, 1, 1]}, \"motion\": "
		"\"m\"}]}],\n"
		"\"output\": {\"name\": \"x$F3\", \"formats\": [\"ply\", \"pc2\"], \"topology\": \"fixed\", \"level\": 2, "
		"\"firstFrame\": 0, \"snapshotEvery\": 10}}");
	assert_string_equal(scene->folder, "folder/");
	assert_string_equal(scene->name, "N");
	assert_string_equal(scene->about, "B");
	assert_int_equal(scene->time.frames, 7);
	ExpectNear(scene->time.stepRate, 100.0f);
	ExpectNear(scene->world.gravity.z, -1.5f);
	assert_int_equal(scene->world.threads, 3);
	assert_true(scene->world.untangle);
	assert_int_equal(scene->wind.kind, drape_windTurbulent);
	ExpectNear(scene->wind.velocity.y, 5.0f);
	assert_int_equal(scene->wind.seed, 9);

	const drapeSceneMotion* motion = &scene->motions[0];
	assert_true(scene->motionCount == 1 && motion->keyCount == 2 && motion->smooth && !motion->repeat);
	ExpectNear(motion->keys[1].pose.angle, 1.5707963f);
	ExpectNear(motion->keys[1].pose.scale, 2.0f);
	ExpectNear(motion->keys[0].pose.scale, 1.0f);

	const drapeSceneCollider* collider = &scene->colliders[0];
	assert_int_equal(collider->def.shape, drape_shapeCapsule);
	assert_string_equal(collider->motion, "m");
	ExpectNear(collider->def.halfHeight, 0.2f);
	ExpectNear(collider->def.friction, 0.5f);

	const drapeSceneCloth* cloth = &scene->cloths[0];
	drapeMaterial denim;
	assert_int_equal(drapeMaterial_GetPreset("denim", &denim, NULL), drape_ok);
	assert_int_equal(cloth->source, drape_sceneDisc);
	assert_int_equal(cloth->disc.segments, 5);
	ExpectNear(cloth->material.density, denim.density);
	ExpectNear(cloth->material.friction, 0.9f);
	assert_int_equal(cloth->rest.source, drape_restTexcoord);
	assert_int_equal(cloth->springs.law, drape_springLength);
	assert_int_equal(cloth->springs.bending, drape_bendNone);
	assert_int_equal(cloth->solver.integrator, drape_integratorRungeKutta4);
	assert_int_equal(cloth->adapt.tieRule, drape_tieCurvature);
	assert_int_equal(cloth->adapt.joinRule, drape_joinAny);
	ExpectNear(cloth->adapt.curvature.splitAngle, 7.0f * 0.01745329f);
	assert_true(cloth->adapt.length.enabled && cloth->adapt.collision.colliders && !cloth->adapt.visibility.enabled);
	assert_int_equal(cloth->adapt.collision.maxLevel, 2);
	assert_int_equal(cloth->budget.triangles, 1000);
	assert_true(cloth->pinMiddles);
	assert_int_equal(cloth->pinCount, 2);
	assert_int_equal(cloth->pins[0].kind, drape_scenePinVertices);
	assert_int_equal(cloth->pins[0].vertices[1], 1);
	assert_string_equal(cloth->pins[0].motion, "");
	assert_int_equal(cloth->pins[1].kind, drape_scenePinBox);
	assert_string_equal(cloth->pins[1].motion, "m");
	assert_int_equal(cloth->place.line, 7);
	assert_int_equal(cloth->place.column, 12);

	assert_int_equal(scene->output.formats, drape_sceneFormatPly | drape_sceneFormatPc2);
	assert_int_equal(scene->output.topology, drape_sceneFixed);
	assert_int_equal(scene->output.firstFrame, 0);
	drapeScene_Free(scene);
	assert_int_equal(drapeGetMemoryUse().bytes, 0);
}

static void MissingKeysHaveTheLibrarysDefaults(void** state)
{
	(void)state;
	drapeScene* scene = Parse("{\"cloths\": [{\"name\": \"a\", \"grid\": {}}]}");
	const drapeSceneCloth* cloth = &scene->cloths[0];
	drapeClothDef def = drapeDefaultClothDef();
	drapeMaterial material = drapeDefaultMaterial();
	assert_memory_equal(&cloth->material, &material, sizeof material);
	drapeSolverDef solver = drapeDefaultSolverDef();
	assert_int_equal(cloth->model, drape_modelFem);
	assert_memory_equal(&cloth->solver, &solver, sizeof solver);
	assert_memory_equal(&cloth->springs, &def.springs, sizeof def.springs);
	ExpectNear(cloth->adapt.curvature.splitAngle, def.adapt.curvature.splitAngle);
	assert_int_equal(cloth->adapt.curvature.enabled, def.adapt.curvature.enabled);
	assert_int_equal(cloth->adapt.maxLevel, def.adapt.maxLevel);
	assert_string_equal(cloth->obj, "");
	ExpectNear(cloth->pose.scale, 1.0f);
	ExpectNear(scene->world.gravity.y, -9.81f);
	assert_string_equal(scene->output.name, "$CLOTH.$F4");
	assert_int_equal(scene->output.formats, drape_sceneFormatObj);
	assert_string_equal(scene->name, "");
	drapeScene_Free(scene);
}

static void MaterialsGoByNameToo(void** state)
{
	(void)state;
	drapeMaterial silk;
	assert_int_equal(drapeMaterial_GetPreset("silk", &silk, NULL), drape_ok);
	drapeScene* scene = Parse("{\"cloths\": [{\"name\": \"a\", \"grid\": {}, \"material\": \"silk\"}]}");
	assert_memory_equal(&scene->cloths[0].material, &silk, sizeof silk);
	drapeScene_Free(scene);
}

static drapeMaterial ParseMaterial(const char* material)
{
	char text[2048];
	snprintf(text, sizeof text, "{\"cloths\": [{\"name\": \"a\", \"grid\": {}, \"material\": %s}]}", material);
	drapeScene* scene = Parse(text);
	drapeMaterial result = scene->cloths[0].material;
	drapeScene_Free(scene);
	return result;
}

static void EveryPresetIsKnownToScenes(void** state)
{
	(void)state;
	for (uint32_t i = 0; drapeMaterial_GetPresetName(i); ++i)
	{
		char text[64];
		drapeMaterial preset;
		assert_int_equal(drapeMaterial_GetPreset(drapeMaterial_GetPresetName(i), &preset, NULL), drape_ok);
		snprintf(text, sizeof text, "\"%s\"", drapeMaterial_GetPresetName(i));
		drapeMaterial read = ParseMaterial(text);
		assert_memory_equal(&read, &preset, sizeof preset);
	}
}

static void EveryNumberOfAMaterialHasItsKey(void** state)
{
	(void)state;
	drapeMaterial m = ParseMaterial(
		"{\"density\": 1, \"stretchWarp\": 2, \"stretchWeft\": 3, \"shear\": 4, \"poisson\": 0.5, \"bendWarp\": 6, "
		"\"bendWeft\": 7, \"bendBias\": 8, \"curlWarp\": -9, \"curlWeft\": 10, \"bendFriction\": 16, "
		"\"dampingTime\": 11, \"friction\": 12, "
		"\"thickness\": 0.13, \"drag\": 14, \"lift\": 15}");
	const drapeMaterial expected = {.density = 1.0f,
	                                .stretchWarp = 2.0f,
	                                .stretchWeft = 3.0f,
	                                .shear = 4.0f,
	                                .poisson = 0.5f,
	                                .bendWarp = 6.0f,
	                                .bendWeft = 7.0f,
	                                .bendBias = 8.0f,
	                                .curlWarp = -9.0f,
	                                .curlWeft = 10.0f,
	                                .bendFriction = 16.0f,
	                                .dampingTime = 11.0f,
	                                .friction = 12.0f,
	                                .thickness = 0.13f,
	                                .drag = 14.0f,
	                                .lift = 15.0f};
	assert_memory_equal(&m, &expected, sizeof m);
}

static void CurvesAreListsOfPairs(void** state)
{
	(void)state;
	drapeMaterial m = ParseMaterial(
		"{\"warpCurve\": [[0.1, 5], [10, 1e8]], \"weftCurve\": [[1, 2]], \"shearCurve\": [[1, 1], [2, 2], [3, 3], "
		"[4, 4], [5, 5], [6, 6]]}");
	assert_true(m.warpCurve.count == 2 && m.weftCurve.count == 1 && m.shearCurve.count == 6);
	ExpectNear(m.warpCurve.strain[0], 0.1f);
	ExpectNear(m.warpCurve.stress[0], 5.0f);
	ExpectNear(m.warpCurve.strain[1], 10.0f);
	ExpectNear(m.warpCurve.stress[1], 1e8f);
	ExpectNear(m.weftCurve.stress[0], 2.0f);
	ExpectNear(m.shearCurve.strain[5], 6.0f);
}

static void ACurveReplacesThatOfThePreset(void** state)
{
	(void)state;
	drapeMaterial preset, m;
	assert_int_equal(drapeMaterial_GetPreset("gray-interlock", &preset, NULL), drape_ok);
	m = ParseMaterial("{\"warpCurve\": [[0.1, 5]], \"preset\": \"gray-interlock\", \"weftCurve\": []}");
	preset.warpCurve = (drapeStressCurve){1, {0.1f}, {5.0f}};
	preset.weftCurve = (drapeStressCurve){0};
	assert_memory_equal(&m, &preset, sizeof m);
}

// Of a scene with one cloth, whose keys are given.
static drapeSolverDef ParseSolver(const char* keys)
{
	char text[1024];
	snprintf(text, sizeof text, "{\"cloths\": [{\"name\": \"a\", \"grid\": {}, %s}]}", keys);
	drapeScene* scene = Parse(text);
	drapeSolverDef solver = scene->cloths[0].solver;
	drapeScene_Free(scene);
	return solver;
}

// The words for integrators stand in a table of the reader and in the library.
static void IntegratorsHaveTheNamesOfTheLibrary(void** state)
{
	(void)state;
	int count = 0;
	for (; drapeIntegrator_GetName((drapeIntegrator)count); ++count)
	{
		char keys[128];
		snprintf(keys, sizeof keys, "\"model\": \"fem\", \"solver\": {\"integrator\": \"%s\"}",
		         drapeIntegrator_GetName((drapeIntegrator)count));
		assert_int_equal(ParseSolver(keys).integrator, count);
	}
	assert_int_equal(count, drape_integratorBdf2 + 1);
}

static void PreconditionersHaveTheNamesOfTheLibrary(void** state)
{
	(void)state;
	int count = 0;
	for (; drapePreconditioner_GetName((drapePreconditioner)count); ++count)
	{
		char keys[128];
		snprintf(keys, sizeof keys, "\"model\": \"fem\", \"solver\": {\"preconditioner\": \"%s\"}",
		         drapePreconditioner_GetName((drapePreconditioner)count));
		assert_int_equal(ParseSolver(keys).preconditioner, count);
	}
	assert_int_equal(count, drape_preconditionerJacobi + 1);
}

// --- models and their solvers ---

static void ExpectSolver(const char* keys, drapeSolverDef expected)
{
	drapeSolverDef solver = ParseSolver(keys);
	assert_memory_equal(&solver, &expected, sizeof solver);
}

static void FiniteElementsBeginWithTheirOwnSolver(void** state)
{
	(void)state;
	drapeSolverDef fem = drapeDefaultSolverDef();
	assert_int_equal(fem.integrator, drape_integratorBdf2);
	assert_int_equal(fem.newtonIterations, 2);
	assert_true(fem.maxStretch == 0.0f && fem.globalDamping == 0.0f);
	ExpectSolver("\"model\": \"fem\"", fem);
	ExpectSolver("\"model\": \"fem\", \"solver\": {}", fem);
	ExpectSolver("\"solver\": {}", fem); // the default
	// In any order: what the file says first is not what is read first.
	ExpectSolver("\"solver\": {}, \"model\": \"fem\"", fem);
	fem.maxStretch = 1.1f;
	ExpectSolver("\"solver\": {\"maxStretch\": 1.1}, \"model\": \"fem\"", fem);
	fem.maxStretch = 0.0f;
	fem.integrator = drape_integratorImplicitEuler;
	ExpectSolver("\"model\": \"fem\", \"solver\": {\"integrator\": \"implicit-euler\"}", fem);
}

static void ImplicitIntegratorsHaveTheirDefaultsInBothModels(void** state)
{
	(void)state;
	drapeSolverDef solver = drapeDefaultSolverDef();
	ExpectSolver("\"model\": \"springs\", \"solver\": {\"integrator\": \"bdf2\"}", solver);
	solver.integrator = drape_integratorImplicitMidpoint;
	solver.maxStretch = 1.02f;
	ExpectSolver("\"solver\": {\"integrator\": \"implicit-midpoint\", \"maxStretch\": 1.02}, \"model\": \"springs\"",
	             solver);
}

static void ExplicitIntegratorsKeepTheirDefaultsInBothModels(void** state)
{
	(void)state;
	drapeSolverDef solver = drapeDefaultExplicitSolverDef();
	ExpectSolver("\"model\": \"springs\"", solver);
	ExpectSolver("\"model\": \"springs\", \"solver\": {}", solver);
	ExpectSolver("\"model\": \"fem\", \"solver\": {\"integrator\": \"symplectic-euler\"}", solver);
	solver.integrator = drape_integratorVerlet;
	ExpectSolver("\"model\": \"fem\", \"solver\": {\"integrator\": \"verlet\"}", solver);
	ExpectSolver("\"model\": \"springs\", \"solver\": {\"integrator\": \"verlet\"}", solver);
}

static void ImplicitSolversHaveWhatTheFileSays(void** state)
{
	(void)state;
	drapeSolverDef expected = drapeDefaultSolverDef();
	expected.integrator = drape_integratorImplicitMidpoint;
	expected.preconditioner = drape_preconditionerJacobi;
	expected.tolerance = 0.5f;
	expected.maxIterations = 10000;
	expected.newtonIterations = 100;
	expected.newtonTolerance = 0.0f;
	ExpectSolver(
		"\"model\": \"fem\", \"solver\": {\"integrator\": \"implicit-midpoint\", \"preconditioner\": \"jacobi\", "
		"\"tolerance\": 0.5, \"maxIterations\": 10000, \"newtonIterations\": 100, \"newtonTolerance\": 0}",
		expected);
}

static void EveryIntegratorMakesAWorldWithEveryModel(void** state)
{
	(void)state;
	for (int k = 0; drapeIntegrator_GetName((drapeIntegrator)(k / 2)); ++k)
	{
		int i = k / 2;
		char text[256];
		snprintf(text, sizeof text,
		         "{\"cloths\": [{\"name\": \"a\", \"grid\": {}, \"model\": \"%s\", \"solver\": {\"integrator\": "
		         "\"%s\", \"tolerance\": 1e-6}}]}",
		         k % 2 ? "fem" : "springs", drapeIntegrator_GetName((drapeIntegrator)i));
		drapeScene* scene = Parse(text);
		drapeSceneWorld world;
		drapeMessage error;
		if (drapeScene_CreateWorld(scene, 1, &world, &error) != drape_ok)
			fail_msg("%s", error.text);
		assert_int_equal(drapeWorld_Step(world.world, 1.0f / 240.0f), drape_ok);
		assert_int_equal(drapeWorld_GetCounters(world.world).solves > 0,
		                 drapeIntegrator_IsImplicit((drapeIntegrator)i));
		drapeSceneWorld_Destroy(&world);
		drapeScene_Free(scene);
	}
}

static bool EndsWith(const char* text, const char* end)
{
	return strlen(text) >= strlen(end) && strcmp(text + strlen(text) - strlen(end), end) == 0;
}

static void EveryShippedSceneReadsAndNamesItsModel(void** state)
{
	(void)state;
	DIR* folder = opendir("scenes");
	assert_non_null(folder);
	int count = 0;
	for (const struct dirent* entry; (entry = readdir(folder)) != NULL;)
	{
		if (!EndsWith(entry->d_name, ".json"))
			continue;
		char path[512];
		snprintf(path, sizeof path, "scenes/%s", entry->d_name);
		drapeScene* scene;
		drapeSceneWorld world;
		drapeMessage error;
		if (drapeScene_Read(path, &scene, &error) != drape_ok ||
		    drapeScene_CreateWorld(scene, 1, &world, &error) != drape_ok)
			fail_msg("%s", error.text);
		assert_int_equal(world.clothCount, scene->clothCount);
		char* text = ReadFile(path);
		uint32_t models = 0;
		for (const char* s = text; (s = strstr(s, "\"model\": ")) != NULL; ++s)
			++models;
		assert_int_equal(models, scene->clothCount);
		assert_non_null(strstr(text, "\"$schema\": \"../docs/scene.schema.json\""));
		assert_true(scene->name[0] && scene->about[0]);
		free(text);
		drapeSceneWorld_Destroy(&world);
		drapeScene_Free(scene);
		++count;
	}
	closedir(folder);
	assert_true(count >= 18);
	assert_int_equal(drapeGetMemoryUse().bytes, 0);
}

// --- mistakes ---

static void BrokenJsonIsRefusedWithItsPlace(void** state)
{
	(void)state;
	ExpectRefusal("{\n  \"cloths\": [,]\n}", "t.json:2:14: not JSON: unexpected token near ','");
	ExpectRefusal("", "t.json:1:1: not JSON: '[' or '{' expected near end of file");
	ExpectRefusal("{\"time\": {}, \"time\": {}}", "t.json:1:19: not JSON: duplicate object key near '\"time\"'");
	ExpectRefusal("[]", "t.json:1:1: this is not a scene, expected an object { ... }");
	ExpectRefusal("{\"name\": \"\\u0000\"}",
	              "t.json:1:17: not JSON: \\u0000 is not allowed without JSON_ALLOW_NUL near '\"\\u0000\"'");
}

static void UnknownKeysAreRefusedWithWhatWasMeant(void** state)
{
	(void)state;
	ExpectRefusal("{\"clohts\": []}", "t.json:1:2: unknown key \"clohts\"; did you mean \"cloths\"?");
	ExpectClothRefusal("\"grid\": {\"colums\": 4}", "t.json:2:10: unknown key \"colums\"; did you mean \"columns\"?");
	ExpectClothRefusal("\"grid\": {\"xyzzy\": 4}",
	                   "t.json:2:10: unknown key \"xyzzy\", expected one of columns, rows, width, depth");
	ExpectClothRefusal("\"grid\": {}, \"adapt\": {\"curvature\": {\"splt\": 7}}",
	                   "t.json:2:37: unknown key \"splt\"; did you mean \"split\"?");
}

static void WrongTypesAreRefusedWithWhatWasExpected(void** state)
{
	(void)state;
	ExpectRefusal("{\"cloths\": 4}", "t.json:1:12: cloths is 4, expected a list of objects");
	ExpectRefusal("{\"cloths\": [4]}", "t.json:1:13: cloths is 4, expected a list of objects");
	ExpectRefusal("{\"time\": null}", "t.json:1:10: time is null, expected an object");
	ExpectRefusal("{\"world\": {\"gravity\": [0, -9.81]}}",
	              "t.json:1:23: gravity is a list of 2, expected three numbers [x, y, z] (m/s^2)");
	ExpectRefusal("{\"world\": {\"gravity\": [0, \"down\", 0]}}",
	              "t.json:1:27: gravity has \"down\" for y, expected a number up to 1e+09");
	ExpectRefusal("{\"world\": {\"threads\": 1.5}}",
	              "t.json:1:23: threads is 1.5, expected a whole number from 1 to 64");
	ExpectClothRefusal("\"grid\": {}, \"pinMiddles\": 1", "t.json:2:27: pinMiddles is 1, expected true or false");
	ExpectClothRefusal("\"grid\": {}, \"material\": 3",
	                   "t.json:2:25: material is 3, expected the name of a preset, or an object");
}

static void WordsAreRefusedWithWhatWasMeant(void** state)
{
	(void)state;
	ExpectClothRefusal("\"grid\": {}, \"material\": \"coton\"",
	                   "t.json:2:25: preset is \"coton\"; did you mean \"cotton\"?");
	ExpectClothRefusal("\"grid\": {}, \"adapt\": {\"scheme\": \"egde\"}",
	                   "t.json:2:33: scheme is \"egde\"; did you mean \"edge\"?");
	ExpectClothRefusal("\"grid\": {}, \"adapt\": {\"scheme\": \"octree\"}",
	                   "t.json:2:33: scheme is \"octree\", expected one of \"edge\", \"fixed\", \"sqrt3\"");
	ExpectRefusal("{\"output\": {\"formats\": [\"obj\", \"plz\"]}, \"cloths\": [{\"name\": \"a\", \"grid\": {}}]}",
	              "t.json:1:32: formats is \"plz\"; did you mean \"ply\"?");
}

static void ValuesOutOfRangeAreRefused(void** state)
{
	(void)state;
	ExpectClothRefusal("\"grid\": {}, \"material\": {\"density\": -1}",
	                   "t.json:2:37: density is -1, expected a number from 1e-06 to 1000000 (kg/m^2)");
	ExpectClothRefusal("\"grid\": {\"width\": 0}",
	                   "t.json:2:19: width is 0, expected a number above 0 and up to 1000000 "
	                   "(m)");
	ExpectClothRefusal("\"grid\": {\"columns\": 0}",
	                   "t.json:2:21: columns is 0, expected a whole number from 1 to 10000");
	ExpectClothRefusal("\"grid\": {\"width\": 1e-60}",
	                   "t.json:2:19: width is 1e-60, expected a number above 0 and up to 1000000 (m)");
	ExpectClothRefusal("\"grid\": {}, \"solver\": {\"maxStretch\": 0.5}",
	                   "t.json:2:38: maxStretch is 0.5, expected 0 or a ratio of at least 1");
	ExpectClothRefusal("\"grid\": {}, \"axis\": [0, 0, 0]",
	                   "t.json:2:21: axis has no usable direction, expected a vector such as [0, 1, 0]");
	ExpectRefusal("{\"version\": 2}", "t.json:1:13: version is 2, expected 1");
}

static void ExpectMaterialRefusal(const char* keys, const char* message)
{
	char text[512];
	snprintf(text, sizeof text, "\"grid\": {}, \"material\": {\n%s}", keys);
	ExpectClothRefusal(text, message);
}

static void MaterialsOutOfRangeAreRefused(void** state)
{
	(void)state;
	const struct
	{
		const char *key, *value, *expected;
	} cases[] = {
		{"density", "0", "0, expected a number from 1e-06 to 1000000 (kg/m^2)"},
		{"stretchWarp", "-1", "-1, expected a number from 0 to 100000000 (N/m)"},
		{"stretchWeft", "2e8", "200000000, expected a number from 0 to 100000000 (N/m)"},
		{"shear", "-1", "-1, expected a number from 0 to 100000000 (N/m)"},
		{"poisson", "0.6", "0.6, expected a number from 0 to 0.5"},
		{"bendWarp", "-1", "-1, expected a number from 0 to 100000000 (N m)"},
		{"bendWeft", "\"x\"", "\"x\", expected a number from 0 to 100000000 (N m)"},
		{"bendBias", "-1", "-1, expected a number from 0 to 100000000 (N m)"},
		{"curlWarp", "10001", "10001, expected a number from -10000 to 10000 (1/m)"},
		{"curlWeft", "-10001", "-10001, expected a number from -10000 to 10000 (1/m)"},
		{"bendFriction", "-1", "-1, expected a number from 0 to 10000 (1/m)"},
		{"dampingTime", "-1", "-1, expected a number from 0 to 100 (s)"},
		{"friction", "-1", "-1, expected a number from 0 to 1000"},
		{"thickness", "2", "2, expected a number from 0 to 1 (m)"},
		{"drag", "-1", "-1, expected a number from 0 to 1000"},
		{"lift", "null", "null, expected a number from 0 to 1000"},
	};
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i)
	{
		char keys[128], message[256];
		int column = snprintf(keys, sizeof keys, "\"%s\": ", cases[i].key) + 1;
		strcat(keys, cases[i].value);
		snprintf(message, sizeof message, "t.json:3:%d: %s is %s", column, cases[i].key, cases[i].expected);
		ExpectMaterialRefusal(keys, message);
	}
}

static void SolversOutOfRangeAreRefused(void** state)
{
	(void)state;
	const struct
	{
		const char *key, *expected;
		double low, high; // just out of range
	} cases[] = {
		{"tolerance", "a number from 1e-06 to 0.5", 9.9e-7, 0.51},
		{"maxIterations", "a whole number from 1 to 10000", 0.0, 10001.0},
		{"newtonIterations", "a whole number from 1 to 100", 0.0, 101.0},
		{"newtonTolerance", "a number from 0 to 0.5", -0.01, 0.51},
	};
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i)
	{
		for (int side = 0; side < 2; ++side)
		{
			double value = side == 0 ? cases[i].low : cases[i].high;
			char keys[256], message[256];
			snprintf(keys, sizeof keys, "\"grid\": {}, \"solver\": {\n\"%s\": %.9g}", cases[i].key, value);
			snprintf(message, sizeof message, "t.json:3:%zu: %s is %.9g, expected %s", strlen(cases[i].key) + 5,
			         cases[i].key, value, cases[i].expected);
			ExpectClothRefusal(keys, message);
		}
		char keys[256], message[256];
		snprintf(keys, sizeof keys, "\"grid\": {}, \"solver\": {\"%s\": \"few\"}", cases[i].key);
		snprintf(message, sizeof message, "t.json:2:%zu: %s is \"few\", expected %s", strlen(cases[i].key) + 28,
		         cases[i].key, cases[i].expected);
		ExpectClothRefusal(keys, message);
	}
	ExpectClothRefusal("\"grid\": {}, \"solver\": {\"preconditioner\": \"multi-grid\"}",
	                   "t.json:2:42: preconditioner is \"multi-grid\"; did you mean \"multigrid\"?");
	ExpectClothRefusal("\"grid\": {}, \"model\": \"fen\"", "t.json:2:22: model is \"fen\"; did you mean \"fem\"?");
}

static void MaterialsThatCannotBeAreRefused(void** state)
{
	(void)state;
	ExpectMaterialRefusal("\"poisson\": 0.5, \"stretchWarp\": 10, \"stretchWeft\": 40",
	                      "t.json:3:12: poisson is 0.5, expected less than 0.5, as stretchWeft is 4 times stretchWarp");
	ExpectMaterialRefusal("\"stretchWarp\": 1, \"stretchWeft\": 16",
	                      "t.json:2:25: poisson is 0.300000012, expected less than 0.25, as stretchWeft is 16 times "
	                      "stretchWarp");
	ExpectMaterialRefusal("\"bendWarp\": 3,\n\"bendWeft\": 1, \"bendBias\": 0.5",
	                      "t.json:4:28: bendBias is 0.5, expected 0 or at least 1, a quarter of bendWarp + bendWeft");
}

static void CurvesThatDoNotRiseAreRefused(void** state)
{
	(void)state;
	const struct
	{
		const char* value;
		int column; // within the value
		const char* expected;
	} cases[] = {
		{"4", 0, "is 4, expected a list of up to 6 pairs [strain, stress in N/m], both rising"},
		{"[[1, 1], [2, 2], [3, 3], [4, 4], [5, 5], [6, 6], [7, 7]]", 0,
	     "is a list of 7, expected a list of up to 6 pairs [strain, stress in N/m], both rising"},
		{"[[1, 1], 2]", 9, "has 2 for point 2, expected two numbers [strain, stress]"},
		{"[[1]]", 1, "has a list of 1 for point 1, expected two numbers [strain, stress]"},
		{"[[1, \"x\"]]", 1, "has a list of 2 for point 1, expected two numbers [strain, stress]"},
		{"[[0, 1]]", 1, "has strain 0 at point 1, expected a number above 0 and up to 10"},
		{"[[11, 1]]", 1, "has strain 11 at point 1, expected a number above 0 and up to 10"},
		{"[[1, 1], [1, 2]]", 9, "has strain 1 at point 2, expected a number above 1 and up to 10"},
		{"[[1, -1]]", 1, "has stress -1 at point 1, expected a number above 0 and up to 100000000"},
		{"[[1, 1e300]]", 1, "has stress 1e+300 at point 1, expected a number above 0 and up to 100000000"},
		{"[[1, 4], [2, 3]]", 9, "has stress 3 at point 2, expected a number above 4 and up to 100000000"},
		{"[[1, 1], [1.00000001, 2]]", 9, "has strain 1.00000001 at point 2, expected a number above 1 and up to 10"},
	};
	const char* const keys[] = {"warpCurve", "weftCurve", "shearCurve"};
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i)
	{
		for (int k = 0; k < 3; ++k)
		{
			char text[256], message[256];
			int column = snprintf(text, sizeof text, "\"%s\": ", keys[k]) + 1 + cases[i].column;
			strcat(text, cases[i].value);
			snprintf(message, sizeof message, "t.json:3:%d: %s %s", column, keys[k], cases[i].expected);
			ExpectMaterialRefusal(text, message);
		}
	}
}

static void AnUnknownPresetIsRefusedWithAllThereAre(void** state)
{
	(void)state;
	ExpectMaterialRefusal(
		"\"preset\": \"xyzzy\"",
		"t.json:3:11: preset is \"xyzzy\", expected one of cotton, silk, denim, wool, jersey, curtain, "
		"11oz-black-denim, camel-ponte-roma, gray-interlock, ivory-rib-knit, navy-sparkle-sweat, "
		"pink-ribbon-brown, royal-target, tango-red-jet-set, white-dots-on-blk, white-swim-solid");
	ExpectMaterialRefusal("\"preset\": \"grey-interlock\"",
	                      "t.json:3:11: preset is \"grey-interlock\"; did you mean \"gray-interlock\"?");
	ExpectMaterialRefusal("\"wrapCurve\": []", "t.json:3:1: unknown key \"wrapCurve\"; did you mean \"warpCurve\"?");
}

static void LooksAndCamerasAreReadAndRefusedLikeTheRest(void** state)
{
	(void)state;
	drapeScene* scene =
		Parse("{\"camera\": {\"position\": [1, 2, 3], \"target\": [0, 1, 0], \"fieldOfView\": 45},"
	          " \"colliders\": [{\"shape\": \"plane\", \"colour\": \"#ff8000\", \"drawnScale\": 0.95}],"
	          " \"cloths\": [{\"name\": \"a\", \"grid\": {}}, {\"name\": \"b\", \"grid\": {}, \"look\": {"
	          "\"fabric\": \"wool\", \"front\": \"#3366CC\", \"texture\": \"tartan\", \"second\": \"#000000\","
	          " \"textureSize\": 0.5, \"texturePosition\": [0.1, -0.2]}}]}");
	assert_true(scene->camera.given);
	ExpectNear(scene->camera.position.y, 2.0f);
	ExpectNear(scene->camera.fieldOfView, 0.785398163f);
	assert_true(scene->colliders[0].colour.given);
	ExpectNear(scene->colliders[0].colour.rgb.y, 128.0f / 255.0f);
	ExpectNear(scene->colliders[0].drawnScale, 0.95f);
	const drapeSceneLook *plain = &scene->cloths[0].look, *look = &scene->cloths[1].look;
	assert_true(plain->fabric == drape_sceneFabricOfMaterial && !plain->front.given && plain->textureSize > 0.0f);
	assert_string_equal(plain->image, "");
	assert_true(look->fabric == drape_sceneFabricWool && look->texture == drape_sceneTartan);
	assert_true(look->front.given && look->second.given && !look->back.given);
	ExpectNear(look->front.rgb.x, 0.2f);
	ExpectNear(look->texturePosition.y, -0.2f);
	drapeScene_Free(scene);
	ExpectClothRefusal("\"grid\": {}, \"look\": {\"front\": \"red\"}",
	                   "t.json:2:31: front is \"red\", expected a colour \"#rrggbb\"");
	ExpectClothRefusal("\"grid\": {}, \"look\": {\"fabric\": \"denm\"}",
	                   "t.json:2:32: fabric is \"denm\"; did you mean \"denim\"?");
	ExpectClothRefusal("\"grid\": {}, \"look\": {\"texturePosition\": [1]}",
	                   "t.json:2:41: texturePosition is a list of 1, expected two numbers [u, v] (m)");
	ExpectClothRefusal("\"grid\": {}, \"look\": {\"texture\": \"checker\", \"image\": \"a.png\"}",
	                   "t.json:2:33: both texture and image are given, expected one of them");
	ExpectRefusal(
		"{\"camera\": {\"position\": [0, 3, 0], \"target\": [0, 1, 0]}, \"cloths\": [{\"name\": \"a\", \"grid\": {}}]}",
		"t.json:1:46: the camera looks straight up or down, expected a target beside it");
	ExpectRefusal("{\"camera\": {\"position\": [0, 3, 0]}, \"cloths\": [{\"name\": \"a\", \"grid\": {}}]}",
	              "t.json:1:12: target is missing, expected three numbers [x, y, z] (m)");
}

static void ThresholdsThatCannotBothHoldAreRefused(void** state)
{
	(void)state;
	ExpectClothRefusal(
		"\"grid\": {}, \"adapt\": {\"curvature\": {\"split\": 5, \"join\": 8}}",
		"t.json:2:57: curvature would rejoin what it has just split: join is 8 degrees, expected at most "
		"split, which is 5");
	ExpectClothRefusal(
		"\"grid\": {}, \"adapt\": {\"length\": {\"split\": 0.99, \"join\": 0.98}}",
		"t.json:2:57: length would rejoin what it has just split: join is 0.98, expected at least split, "
		"which is 0.99");
	ExpectClothRefusal("\"grid\": {}, \"budget\": {\"nearDistance\": 5, \"farDistance\": 4}",
	                   "t.json:2:58: farDistance is 4, expected more than nearDistance, which is 5");
	ExpectClothRefusal("\"grid\": {}, \"solver\": {\"substeps\": 9, \"maxSubsteps\": 8}",
	                   "t.json:2:36: substeps is 9, but maxSubsteps is 8, expected no more");
	ExpectRefusal("{\"time\": {\"frameRate\": 30, \"stepRate\": 100}}",
	              "t.json:1:40: stepRate is 3.33333333 times frameRate, expected a whole number of times");
}

static void TheStepRateFollowsTheFrameRate(void** state)
{
	(void)state;
	static const struct
	{
		float frameRate, stepRate;
	} cases[] = {{24.0f, 120.0f}, {25.0f, 125.0f}, {30.0f, 120.0f}, {48.0f, 144.0f},  {50.0f, 100.0f},
	             {60.0f, 120.0f}, {1.0f, 120.0f},  {90.0f, 90.0f},  {240.0f, 240.0f}, {23.976f, 119.88f}};
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i)
	{
		char text[128];
		snprintf(text, sizeof text, "{\"time\": {\"frameRate\": %g}}", (double)cases[i].frameRate);
		drapeScene* scene = Parse(text);
		ExpectNear(scene->time.stepRate, cases[i].stepRate);
		drapeScene_Free(scene);
	}
	drapeScene* scene = Parse("{}");
	ExpectNear(scene->time.stepRate, 120.0f);
	drapeScene_Free(scene);
	ExpectRefusal("{\"time\": {\"frameRate\": 0}}",
	              "t.json:1:24: frameRate is 0, expected a number above 0 and up to 10000 (Hz)");
}

static void ExactlyOneMeshAndOneKindOfPin(void** state)
{
	(void)state;
	ExpectClothRefusal("\"model\": \"springs\"",
	                   "t.json:1:13: has none of its kinds, expected exactly one of \"grid\", \"disc\", \"obj\"");
	ExpectClothRefusal("\"grid\": {}, \"obj\": \"x\"",
	                   "t.json:1:13: has several of its kinds, expected exactly one of \"grid\", \"disc\", \"obj\"");
	ExpectClothRefusal(
		"\"grid\": {}, \"pins\": [{}]",
		"t.json:2:22: has none of its kinds, expected exactly one of \"vertices\", \"box\", \"corners\"");
	ExpectClothRefusal("\"disc\": {}, \"pins\": [{\"corners\": [\"top-left\"]}]",
	                   "t.json:2:34: only a grid has corners, expected \"vertices\" or \"box\"");
	ExpectClothRefusal("\"grid\": {}, \"pins\": [{\"vertices\": [0, -1]}]",
	                   "t.json:2:39: vertices is -1, expected a list of whole numbers from 0 on");
}

// A scene with one motion, whose keys are given, that leads a pin when `pin` is not NULL.
static void ExpectMotionRefusal(const char* keys, const char* more, const char* message)
{
	char text[1024];
	snprintf(text, sizeof text,
	         "{\"motions\": [{\"name\": \"m\", \"keys\": [\n%s]%s}],\n\"cloths\": [{\"name\": \"a\", \"grid\": {}, "
	         "\"pins\": [{\"vertices\": [0], \"motion\": \"m\"}]}]}",
	         keys, more);
	ExpectRefusal(text, message);
}

static void MotionsThatJumpAreRefused(void** state)
{
	(void)state;
	ExpectMotionRefusal("{\"time\": 0}, {\"time\": 0.1, \"position\": [20, 0, 0]}", "",
	                    "t.json:2:14: key 2 of motion \"m\" jumps: it moves 20 m in 0.1 s, expected at most 100 m/s");
	ExpectMotionRefusal(
		"{\"time\": 1}, {\"time\": 1}", "",
		"t.json:2:14: key 2 of motion \"m\" has time 1, which is not after 1, expected times that increase");
	ExpectMotionRefusal("{\"time\": 0}, {\"time\": 1, \"angle\": 360}", "",
	                    "t.json:2:14: key 2 of motion \"m\" turns by 360 degrees, expected at most 180 from one key to "
	                    "the next");
	ExpectMotionRefusal("{\"time\": 0}, {\"time\": 1, \"position\": [1, 0, 0]}", ", \"repeat\": true",
	                    "t.json:2:61: motion \"m\" jumps when it repeats, expected a last key equal to the first");
	ExpectMotionRefusal("{\"time\": 0}, {\"time\": 1, \"angle\": 90}", ", \"repeat\": true",
	                    "t.json:2:51: motion \"m\" jumps when it repeats, expected a last key equal to the first");
	ExpectMotionRefusal(
		"{\"time\": 0, \"position\": [0, 1, 0]}", "",
		"t.json:3:75: pins jump to the first key of motion \"m\", expected one at [0, 0, 0] and angle 0");
}

static void NamesThatNameNothingOrTwoThingsAreRefused(void** state)
{
	(void)state;
	ExpectRefusal(
		"{\"motions\": [{\"name\": \"lift\", \"keys\": [{\"time\": 0}]}],\n\"colliders\": [{\"shape\": \"plane\", "
		"\"motion\": \"lfit\"}]}",
		"t.json:2:44: there is no motion \"lfit\"; did you mean \"lift\"?");
	ExpectRefusal("{\"cloths\": [{\"name\": \"a\", \"grid\": {}}, {\"name\": \"a\", \"grid\": {}}]}",
	              "t.json:1:49: name \"a\" is taken, expected one that no other entry of cloths has");
	ExpectRefusal("{\"cloths\": [{\"name\": \"../a\", \"grid\": {}}]}",
	              "t.json:1:22: name is \"../a\", expected letters, digits, '-', '_' and '.'");
	ExpectRefusal("{\"colliders\": [{\"shape\": \"sphere\"}]}",
	              "t.json:1:16: radius is missing, expected one because this is a sphere");
	ExpectRefusal("{\"colliders\": [{\"shape\": \"sphere\", \"radius\": 1, \"halfHeight\": 1}]}",
	              "t.json:1:63: a sphere has no halfHeight, expected none");
	ExpectRefusal("{\"colliders\": [{\"shape\": \"taperedCapsule\", \"radius\": 1, \"halfHeight\": 1}]}",
	              "t.json:1:16: topRadius is missing, expected one because this is a taperedCapsule");
	ExpectRefusal("{\"colliders\": [{\"shape\": \"capsule\", \"radius\": 1, \"halfHeight\": 1, \"topRadius\": 1}]}",
	              "t.json:1:80: a capsule has no topRadius, expected none");
}

static void OutputsThatWouldOverwriteEachOtherAreRefused(void** state)
{
	(void)state;
	const char* cloth = "\"cloths\": [{\"name\": \"a\", \"grid\": {}}]";
	const struct
	{
		const char *output, *message;
	} cases[] = {
		{"\"name\": \"x\"", "all frames would have one name, expected $F4 in it"},
		{"\"name\": \"x/$F4\"", "name is not a file name, expected one without folders, such as $CLOTH.$F4"},
		{"\"name\": \"$X.$F4\"", "name has a $ that stands for nothing, expected $CLOTH or $F4"},
	};
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i)
	{
		char text[256], message[256];
		snprintf(text, sizeof text, "{\"output\": {%s}, %s}", cases[i].output, cloth);
		snprintf(message, sizeof message, "t.json:1:21: %s", cases[i].message);
		ExpectRefusal(text, message);
	}
	ExpectRefusal("{\"output\": {\"name\": \"$F4\"}, \"cloths\": [{\"name\": \"a\", \"grid\": {}}, {\"name\": \"b\", "
	              "\"grid\": {}}]}",
	              "t.json:1:21: all cloths would have one name, expected $CLOTH in it");
	ExpectRefusal("{\"output\": {\"formats\": [\"pc2\"]}, \"cloths\": [{\"name\": \"a\", \"grid\": {}}]}",
	              "t.json:1:24: pc2 cannot hold a mesh that changes, expected \"topology\": \"fixed\"");
}

static void ColumnsCountCharacters(void** state)
{
	(void)state;
	ExpectRefusal("{\"name\": \"\xC3\xA9\xE2\x82\xAC\", \"versoin\": 1}",
	              "t.json:1:16: unknown key \"versoin\"; did you mean \"version\"?");
	// What a key written with escapes holds is placed by what is around it.
	ExpectRefusal("{\n \"\\u0074ime\": {\"frames\": 0}}",
	              "t.json:1:1: frames is 0, expected a whole number from 1 to 10000000");
}

static void EveryTruncationIsRefused(void** state)
{
	(void)state;
	char* text = ReadFile("scenes/handle.json");
	size_t size = strlen(text);
	while (text[size - 1] == '\n')
		--size;
	for (size_t length = 0; length < size; ++length)
	{
		drapeScene* scene;
		drapeMessage error;
		assert_int_equal(drapeScene_Parse(text, length, "t.json", &scene, &error), drape_errorData);
		assert_true(error.line > 0);
	}
	free(text);
	assert_int_equal(drapeGetMemoryUse().bytes, 0);
}

static void AMissingFileIsNamed(void** state)
{
	(void)state;
	drapeScene* scene;
	drapeMessage error;
	assert_int_equal(drapeScene_Read("test/absent.json", &scene, &error), drape_errorFile);
	assert_string_equal(error.text, "test/absent.json: cannot open: No such file or directory");
	assert_int_equal(drapeScene_Read("test", &scene, &error), drape_errorFile);
	assert_string_equal(error.text, "test: cannot read: Is a directory");
}

// --- creating ---

static drapeResult Create(const char* text, drapeSceneWorld* world, drapeMessage* error)
{
	drapeScene* scene;
	if (drapeScene_Parse(text, strlen(text), "test/t.json", &scene, error) != drape_ok)
		fail_msg("unexpected: %s", error->text);
	drapeResult result = drapeScene_CreateWorld(scene, 0, world, error);
	drapeScene_Free(scene);
	return result;
}

static void ExpectNoWorld(const char* text, drapeResult expected, const char* message)
{
	drapeSceneWorld world;
	drapeMessage error;
	drapeResult result = Create(text, &world, &error);
	assert_string_equal(error.text, message);
	assert_int_equal(result, expected);
	assert_false(drapeWorld_IsValid(world.world));
	assert_int_equal(drapeGetMemoryUse().bytes, 0);
}

static void PathsAreRelativeToTheScene(void** state)
{
	(void)state;
	drapeSceneWorld world;
	drapeMessage error;
	if (Create("{\"cloths\": [{\"name\": \"a\", \"obj\": \"data/shirt.obj\", \"scale\": 2}]}", &world, &error) !=
	    drape_ok)
		fail_msg("%s", error.text);
	drapeObj shirt;
	assert_int_equal(drapeObj_Read("test/data/shirt.obj", &shirt, NULL), drape_ok);
	assert_int_equal(world.patterns[0].mesh.vertexCount, shirt.mesh.vertexCount);
	assert_int_equal(world.patterns[0].partCount, shirt.partCount);
	for (uint32_t i = 0; i < shirt.mesh.vertexCount; ++i)
		ExpectNear(world.patterns[0].mesh.positions[i].x, 2.0f * shirt.mesh.positions[i].x);
	drapeObj_Free(&shirt);
	drapeSceneWorld_Destroy(&world);
}

static void ErrorsOfMeshesHaveAPositionInTheScene(void** state)
{
	(void)state;
	ExpectNoWorld("{\"cloths\": [{\"name\": \"a\", \"obj\": \"absent.obj\"}]}", drape_errorFile,
	              "test/t.json:1:13: cloth \"a\": test/absent.obj: cannot open: No such file or directory");
	ExpectNoWorld(
		"{\"cloths\": [{\"name\": \"a\", \"grid\": {\"columns\": 2, \"rows\": 2},\n \"pins\": [{\"vertices\": "
		"[8, 9]}]}]}",
		drape_errorData, "test/t.json:2:11: pin names vertex 9, expected 0 to 8");
	ExpectNoWorld(
		"{\"cloths\": [{\"name\": \"a\", \"grid\": {},\n \"pins\": [{\"box\": {\"min\": [5, 5, 5], \"max\": [6, "
		"6, 6]}}]}]}",
		drape_errorData, "test/t.json:2:11: there is no vertex in this box, expected at least one");
	ExpectNoWorld("{\"cloths\": [{\"name\": \"a\", \"grid\": {}, \"scale\": 1e-20}]}", drape_errorData,
	              "test/t.json:1:13: cloth \"a\" cannot be made, triangle 1 has no area; 'drape check' says more");
}

static void ADiscIsRoundAndWhole(void** state)
{
	(void)state;
	drapeSceneWorld world;
	drapeMessage error;
	assert_int_equal(
		Create("{\"cloths\": [{\"name\": \"a\", \"disc\": {\"radius\": 0.5, \"rings\": 3, \"segments\": 60}}]}", &world,
	           &error),
		drape_ok);
	drapeMeshReport report;
	assert_int_equal(drapeMesh_Check(&world.patterns[0].mesh, NULL, &report, NULL), drape_ok);
	assert_int_equal(report.vertices, 1 + 3 * 60);
	assert_int_equal(report.triangles, 60 * 5);
	assert_int_equal(report.boundaryLoops, 1);
	assert_int_equal(report.euler, 1);
	// Area of a regular 60-gon.
	ExpectNear(report.area, (float)(0.5 * 60 * 0.25 * sin(6.283185307 / 60)));
	drapeClothView view = drapeCloth_GetView(world.cloths[0]);
	for (uint32_t i = 0; i < view.particleCount; ++i)
		assert_true(view.normals[i].y > 0.99f);
	drapeSceneWorld_Destroy(&world);
}

static void PinsHoldTheCornersThatTheirNamesSay(void** state)
{
	(void)state;
	drapeSceneWorld world;
	drapeMessage error;
	assert_int_equal(
		Create("{\"cloths\": [{\"name\": \"a\", \"grid\": {\"columns\": 2, \"rows\": 3}, \"axis\": [1, 0, 0], "
	           "\"angle\": 90, \"pins\": [{\"corners\": [\"top-left\"]}]}]}",
	           &world, &error),
		drape_ok);
	// Vertex (0, 3). Turned upright, it is the highest on the left.
	drapeClothView view = drapeCloth_GetView(world.cloths[0]);
	ExpectNear(view.positions[9].x, -0.5f);
	ExpectNear(view.positions[9].y, 0.5f);
	drapePinId again = Make_Pin(world.cloths[0], 9);
	assert_int_equal(again.index1, 1);
	drapeSceneWorld_Destroy(&world);
}

static const char everything[] =
	"{\"motions\": [{\"name\": \"m\", \"keys\": [{\"time\": 0}, {\"time\": 1, \"position\": [0, 1, 0]}]}],"
	"\"colliders\": [{\"shape\": \"plane\", \"motion\": \"m\"}],"
	"\"cloths\": [{\"name\": \"a\", \"disc\": {}, \"pins\": [{\"vertices\": [0, 1], \"motion\": \"m\"}]},"
	"{\"name\": \"b\", \"obj\": \"data/shirt.obj\"}, {\"name\": \"c\", \"grid\": {}}]}";

static void ReadingSurvivesEveryFailedAllocation(void** state)
{
	(void)state;
	drapeResult result = drape_errorMemory;
	for (size_t i = 1; result != drape_ok; ++i)
	{
		drapeScene* scene;
		drapeMessage error;
		Test_FailAllocation(i, false);
		result = drapeScene_Parse(everything, strlen(everything), "test/t.json", &scene, &error);
		assert_true(result == drape_ok || result == drape_errorMemory);
		assert_true((scene != NULL) == (result == drape_ok));
		drapeScene_Free(scene);
		Test_FailAllocation(0, false);
	}
}

static void CreatingSurvivesEveryFailedAllocation(void** state)
{
	(void)state;
	drapeResult result = drape_errorMemory;
	size_t i = 1;
	for (; result != drape_ok && i < 10000; ++i)
	{
		drapeScene* scene;
		drapeSceneWorld world;
		drapeMessage error;
		Test_FailAllocation(SIZE_MAX, false);
		assert_int_equal(drapeScene_Parse(everything, strlen(everything), "test/t.json", &scene, &error), drape_ok);
		size_t before = Test_AllocationCount();
		drapeScene_Free(scene);
		Test_FailAllocation(before + i, false);
		assert_int_equal(drapeScene_Parse(everything, strlen(everything), "test/t.json", &scene, &error), drape_ok);
		result = drapeScene_CreateWorld(scene, 1, &world, &error);
		assert_true(result == drape_ok || result == drape_errorMemory);
		drapeSceneWorld_Destroy(&world);
		drapeScene_Free(scene);
		Test_FailAllocation(0, false);
	}
	assert_true(i > 20 && i < 10000);
}

// --- documents made from the tables ---

static void TheSchemaInDocsIsTheOneOfTheTables(void** state)
{
	(void)state;
	size_t size;
	drapeScene_GetSchema(NULL, 0, &size, NULL);
	char* text = malloc(size);
	assert_int_equal(drapeScene_GetSchema(text, size, &size, NULL), drape_ok);
	assert_int_equal(strlen(text) + 1, size);
	char* committed = ReadFile("docs/scene.schema.json");
	if (strcmp(committed, text) != 0)
		fail_msg("docs/scene.schema.json is out of date: drape schema > docs/scene.schema.json");
	free(committed);
	free(text);
}

static void TheReferenceInDocsIsTheOneOfTheTables(void** state)
{
	(void)state;
	size_t size;
	drapeScene_GetReference(NULL, 0, &size, NULL);
	char* text = malloc(size);
	assert_int_equal(drapeScene_GetReference(text, size, &size, NULL), drape_ok);
	assert_int_equal(strlen(text) + 1, size);
	char* committed = ReadFile("docs/scenes.md");
	if (!strstr(committed, text))
		fail_msg("the tables of docs/scenes.md are out of date: scripts/reference puts them there");
	free(committed);
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(ASceneHasWhatItsFileSays),
		cmocka_unit_test(MissingKeysHaveTheLibrarysDefaults),
		cmocka_unit_test(MaterialsGoByNameToo),
		cmocka_unit_test(EveryPresetIsKnownToScenes),
		cmocka_unit_test(EveryNumberOfAMaterialHasItsKey),
		cmocka_unit_test(CurvesAreListsOfPairs),
		cmocka_unit_test(ACurveReplacesThatOfThePreset),
		cmocka_unit_test(IntegratorsHaveTheNamesOfTheLibrary),
		cmocka_unit_test(PreconditionersHaveTheNamesOfTheLibrary),
		cmocka_unit_test(FiniteElementsBeginWithTheirOwnSolver),
		cmocka_unit_test(ImplicitIntegratorsHaveTheirDefaultsInBothModels),
		cmocka_unit_test(ExplicitIntegratorsKeepTheirDefaultsInBothModels),
		cmocka_unit_test(ImplicitSolversHaveWhatTheFileSays),
		cmocka_unit_test(EveryIntegratorMakesAWorldWithEveryModel),
		cmocka_unit_test(EveryShippedSceneReadsAndNamesItsModel),
		cmocka_unit_test(BrokenJsonIsRefusedWithItsPlace),
		cmocka_unit_test(UnknownKeysAreRefusedWithWhatWasMeant),
		cmocka_unit_test(WrongTypesAreRefusedWithWhatWasExpected),
		cmocka_unit_test(WordsAreRefusedWithWhatWasMeant),
		cmocka_unit_test(ValuesOutOfRangeAreRefused),
		cmocka_unit_test(MaterialsOutOfRangeAreRefused),
		cmocka_unit_test(SolversOutOfRangeAreRefused),
		cmocka_unit_test(MaterialsThatCannotBeAreRefused),
		cmocka_unit_test(CurvesThatDoNotRiseAreRefused),
		cmocka_unit_test(AnUnknownPresetIsRefusedWithAllThereAre),
		cmocka_unit_test(LooksAndCamerasAreReadAndRefusedLikeTheRest),
		cmocka_unit_test(ThresholdsThatCannotBothHoldAreRefused),
		cmocka_unit_test(TheStepRateFollowsTheFrameRate),
		cmocka_unit_test(ExactlyOneMeshAndOneKindOfPin),
		cmocka_unit_test(MotionsThatJumpAreRefused),
		cmocka_unit_test(NamesThatNameNothingOrTwoThingsAreRefused),
		cmocka_unit_test(OutputsThatWouldOverwriteEachOtherAreRefused),
		cmocka_unit_test(ColumnsCountCharacters),
		cmocka_unit_test(EveryTruncationIsRefused),
		cmocka_unit_test(AMissingFileIsNamed),
		cmocka_unit_test(PathsAreRelativeToTheScene),
		cmocka_unit_test(ErrorsOfMeshesHaveAPositionInTheScene),
		cmocka_unit_test(ADiscIsRoundAndWhole),
		cmocka_unit_test(PinsHoldTheCornersThatTheirNamesSay),
		cmocka_unit_test(ReadingSurvivesEveryFailedAllocation),
		cmocka_unit_test(CreatingSurvivesEveryFailedAllocation),
		cmocka_unit_test(TheSchemaInDocsIsTheOneOfTheTables),
		cmocka_unit_test(TheReferenceInDocsIsTheOneOfTheTables),
	};
	return cmocka_run_group_tests_name("scene", tests, NULL, NULL);
}
