// SPDX-License-Identifier: MIT
#include "support.h"

#include "document/document.h"
#include "document/edit.h"
#include "simulation/runner.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

// The studio below its window: the document with its history, a simulation that changes while it runs, and the thread
// it runs on.

static const char sheet[] = "{\"name\": \"sheet\", \"grid\": {\"columns\": 4, \"rows\": 4}, \"position\": [0, 1, 0], "
							"\"pins\": [{\"corners\": [\"top-left\", \"top-right\"]}]}";

static drapeScene* ParseScene(const char* text)
{
	drapeScene* scene;
	drapeMessage error;
	if (drapeScene_Parse(text, strlen(text), "t.json", &scene, &error) != drape_ok)
		fail_msg("%s", error.text);
	return scene;
}

// Free it with free().
static char* FormatScene(const drapeScene* scene)
{
	size_t size;
	drapeScene_Format(scene, NULL, 0, &size, NULL);
	char* text = malloc(size);
	assert_int_equal(drapeScene_Format(scene, text, size, &size, NULL), drape_ok);
	return text;
}

static drapeScene* CopyScene(const drapeScene* scene)
{
	char* text = FormatScene(scene);
	drapeScene* copy = ParseScene(text);
	free(text);
	return copy;
}

// --- document ---

static Document document;

static void BeginDocument(void)
{
	memset(&document, 0, sizeof document);
	assert_true(drapeDocument_New(&document));
}

static void Commit(const char* label)
{
	drapeMessage error;
	if (!drapeDocument_Commit(&document, label, &error))
		fail_msg("%s", error.text);
}

static void UndoAndRedoGiveBackEveryState(void** state)
{
	(void)state;
	BeginDocument();
	char* texts[6];
	texts[0] = drapeDocument_Text(&document);
	drapeScene_Add(document.scene, item_cloth, sheet);
	Commit("Add");
	texts[1] = drapeDocument_Text(&document);
	drapeScene_Add(document.scene, item_collider, "{\"shape\": \"sphere\", \"radius\": 0.25}");
	Commit("Add");
	texts[2] = drapeDocument_Text(&document);
	document.scene->cloths[0].pose.angle = 0.1f;
	Commit("Turn");
	texts[3] = drapeDocument_Text(&document);
	assert_int_equal(drapeMaterial_GetPreset("denim", &document.scene->cloths[0].material, NULL), drape_ok);
	Commit("Fabric");
	texts[4] = drapeDocument_Text(&document);
	drapeScene_Remove(document.scene, (Item){item_cloth, 0});
	Commit("Delete");
	texts[5] = drapeDocument_Text(&document);
	for (int i = 5; i >= 0; --i)
	{
		char* text = drapeDocument_Text(&document);
		assert_string_equal(text, texts[i]);
		free(text);
		assert_true((drapeDocument_Undo(&document) != NULL) == (i > 0));
	}
	for (int i = 1; i < 6; ++i)
	{
		assert_non_null(drapeDocument_Redo(&document));
		char* text = drapeDocument_Text(&document);
		assert_string_equal(text, texts[i]);
		free(text);
	}
	assert_null(drapeDocument_Redo(&document));
	for (int i = 0; i < 6; ++i)
		free(texts[i]);
	drapeDocument_Free(&document);
}

static void AChangeAfterUndoForgetsWhatWasUndone(void** state)
{
	(void)state;
	BeginDocument();
	drapeScene_Add(document.scene, item_cloth, sheet);
	Commit("Add");
	assert_non_null(drapeDocument_Undo(&document));
	drapeScene_Add(document.scene, item_collider, "{\"shape\": \"plane\"}");
	Commit("Floor");
	assert_false(drapeDocument_CanRedo(&document));
	assert_int_equal(document.scene->clothCount, 0);
	assert_int_equal(document.scene->colliderCount, 2);
	drapeDocument_Free(&document);
}

static void HistoryIsLimitedAndKeepsTheNewest(void** state)
{
	(void)state;
	BeginDocument();
	for (int i = 0; i < document_historyCapacity + 20; ++i)
	{
		document.scene->time.frames = 200u + (uint32_t)i;
		Commit("Frames");
	}
	int undone = 0;
	while (drapeDocument_Undo(&document))
		++undone;
	assert_int_equal(undone, document_historyCapacity - 1);
	assert_int_equal(document.scene->time.frames, 220);
	drapeDocument_Free(&document);
}

static void AChangeThatCannotBeIsRefusedAndTakenBack(void** state)
{
	(void)state;
	BeginDocument();
	drapeScene_Add(document.scene, item_cloth, sheet);
	Commit("Add");
	drapeMessage error;
	document.scene->cloths[0].adapt.curvature.joinAngle = 1.0f;
	assert_false(drapeDocument_Commit(&document, "Join", &error));
	assert_non_null(strstr(error.text, "would rejoin what it has just split"));
	assert_null(strstr(error.text, "scene:"));
	assert_true(document.scene->cloths[0].adapt.curvature.joinAngle < 0.2f);
	assert_int_equal(document.stepCount, 2);
	drapeDocument_Free(&document);
}

static void SavedIsWhatIsOnDisk(void** state)
{
	(void)state;
	char path[] = "/tmp/drape.document.XXXXXX";
	int file = mkstemp(path);
	assert_true(file >= 0);
	close(file);
	BeginDocument();
	assert_false(drapeDocument_IsUnsaved(&document));
	drapeScene_Add(document.scene, item_cloth, sheet);
	Commit("Add");
	assert_true(drapeDocument_IsUnsaved(&document));
	drapeMessage error;
	assert_int_equal(drapeDocument_Save(&document, path, &error), drape_ok);
	assert_false(drapeDocument_IsUnsaved(&document));
	assert_string_equal(document.path, path);
	assert_non_null(drapeDocument_Undo(&document));
	assert_true(drapeDocument_IsUnsaved(&document));
	assert_non_null(drapeDocument_Redo(&document));
	assert_false(drapeDocument_IsUnsaved(&document));
	char* text = drapeDocument_Text(&document);
	assert_int_equal(drapeDocument_Open(&document, path, &error), drape_ok);
	char* again = drapeDocument_Text(&document);
	assert_string_equal(text, again);
	assert_false(drapeDocument_CanUndo(&document));
	assert_int_not_equal(drapeDocument_Open(&document, "/nowhere/x.json", &error), drape_ok);
	assert_int_equal(document.scene->clothCount, 1);
	assert_int_equal(drapeDocument_Recover(&document, path, "", &error), drape_ok);
	assert_true(drapeDocument_IsUnsaved(&document));
	free(text);
	free(again);
	unlink(path);
	drapeDocument_Free(&document);
}

// A document with a change that is not committed yet.
static void ChangeDensity(void)
{
	BeginDocument();
	drapeScene_Add(document.scene, item_cloth, sheet);
	Commit("Add");
	document.scene->cloths[0].material.density = 0.3f;
}

static void ShortMemoryLeavesTheDocumentWhole(void** state)
{
	(void)state;
	Test_FailAllocation(SIZE_MAX, false);
	ChangeDensity();
	size_t before = Test_AllocationCount();
	drapeDocument_Free(&document);
	int refused = 0;
	for (bool done = false; !done; ++before)
	{
		drapeMessage error = {0};
		Test_FailAllocation(before + 1, false);
		ChangeDensity();
		done = drapeDocument_Commit(&document, "Density", &error);
		refused += !done;
		assert_true(done || error.text[0]);
		assert_int_equal(document.scene->clothCount, 1);
		assert_int_equal(document.stepCount, done ? 3 : 2);
		drapeDocument_Free(&document);
	}
	Test_FailAllocation(0, false);
	assert_true(refused > 10);
}

// --- changes ---

static void ObjectsBecomeClothWhereTheyAreAndBack(void** state)
{
	(void)state;
	drapeScene* scene = ParseScene("{}");
	Item object = drapeScene_AddObject(scene, "/data/My shirt.obj");
	assert_int_equal(object.kind, item_object);
	assert_string_equal(scene->objects[0].name, "My shirt");
	scene->objects[0].pose.position.y = 2.0f;
	scene->objects[0].pose.scale = 0.01f;
	Item cloth = drapeScene_ObjectToCloth(scene, 0, 2);
	assert_true(cloth.kind == item_cloth && scene->objectCount == 0 && scene->clothCount == 1);
	assert_string_equal(scene->cloths[0].name, "My-shirt");
	assert_string_equal(scene->cloths[0].obj, "/data/My shirt.obj");
	assert_true(scene->cloths[0].pose.position.y == 2.0f && scene->cloths[0].pose.scale == 0.01f);
	drapeScene* copy = CopyScene(scene);
	drapeScene_Free(copy);
	object = drapeScene_ClothToObject(scene, 0);
	assert_true(object.kind == item_object && scene->objectCount == 1 && scene->clothCount == 0);
	assert_true(scene->objects[0].pose.position.y == 2.0f);
	drapeScene_Free(scene);
}

static void CopiesHaveNamesOfTheirOwn(void** state)
{
	(void)state;
	drapeScene* scene = ParseScene("{}");
	drapeScene_Add(scene, item_cloth, sheet);
	Item copy = drapeScene_Copy(scene, (Item){item_cloth, 0});
	assert_int_equal(copy.index, 1);
	assert_string_equal(scene->cloths[1].name, "sheet-2");
	assert_int_equal(scene->cloths[1].pins[0].corners, scene->cloths[0].pins[0].corners);
	drapeScene_Remove(scene, (Item){item_cloth, 0});
	assert_string_equal(scene->cloths[0].name, "sheet-2");
	drapeScene_Free(CopyScene(scene));
	drapeScene_Free(scene);
}

static uint32_t CountPinned(const drapeSceneCloth* cloth, const drapeMesh* mesh)
{
	uint32_t pinned[25], count = 0;
	drapeScenePins_Resolve(cloth, mesh, pinned);
	for (uint32_t i = 0; i < mesh->vertexCount; ++i)
		count += pinned[i] > 0;
	return count;
}

static void PinsAreSetAndFreedOneByOne(void** state)
{
	(void)state;
	char text[400];
	snprintf(text, sizeof text, "{\"cloths\": [%s]}", sheet);
	drapeScene* scene = ParseScene(text);
	drapeSceneCloth* cloth = &scene->cloths[0];
	drapeMesh mesh;
	assert_int_equal(drapeMesh_CreateGrid(4, 4, 1.0f, 1.0f, &mesh, NULL), drape_ok);
	assert_int_equal(CountPinned(cloth, &mesh), 2);
	const uint32_t some[] = {0, 12, 7};
	assert_true(drapeScenePins_Set(cloth, &mesh, some, 3, true));
	assert_int_equal(CountPinned(cloth, &mesh), 5);
	for (uint32_t i = 0; i < cloth->pinCount; ++i)
		assert_true(cloth->pins[i].motion && cloth->pins[i].collider);
	// Twice is once.
	assert_true(drapeScenePins_Set(cloth, &mesh, some, 3, true));
	assert_int_equal(CountPinned(cloth, &mesh), 5);
	// A corner that is freed makes a list of the others.
	const uint32_t corner = 20;
	assert_true(drapeScenePins_Set(cloth, &mesh, &corner, 1, false));
	assert_int_equal(CountPinned(cloth, &mesh), 4);
	drapeScene_Free(CopyScene(scene));
	for (uint32_t i = 0; i < mesh.vertexCount; ++i)
		assert_true(drapeScenePins_Set(cloth, &mesh, &i, 1, false));
	assert_int_equal(cloth->pinCount, 0);
	drapeScene_Free(CopyScene(scene));
	drapeMesh_Free(&mesh);
	drapeScene_Free(scene);
}

// --- simulation ---

static drapeScene* FallingScene(const char* cloth)
{
	char text[1200];
	snprintf(text, sizeof text,
	         "{\"colliders\": [{\"shape\": \"sphere\", \"radius\": 0.3, \"position\": [0, 0.4, 0]}], \"cloths\": "
	         "[{\"name\": \"sheet\", \"grid\": {\"columns\": 4, \"rows\": 4}, \"position\": [0, 1, 0], "
	         "\"pins\": [{\"vertices\": [0]}]%s}]}",
	         cloth);
	return ParseScene(text);
}

static void StepFrames(Simulation* simulation, int count)
{
	FrameStats stats;
	drapeMessage error;
	for (int i = 0; i < count; ++i)
		if (drapeSimulation_StepFrame(simulation, &stats, &error) != drape_ok)
			fail_msg("%s", error.text);
}

static void FramesAreThoseOfDrapeRun(void** state)
{
	(void)state;
	Simulation simulation = {0};
	drapeScene* scene = FallingScene("");
	drapeSceneWorld made;
	assert_int_equal(drapeScene_CreateWorld(scene, 1, &made, NULL), drape_ok);
	for (int i = 0; i < 10 * 4; ++i)
		assert_int_equal(drapeWorld_Step(made.world, 1.0f / 120.0f), drape_ok);
	assert_int_equal(drapeSimulation_Begin(&simulation, scene, NULL), drape_ok);
	StepFrames(&simulation, 10);
	assert_int_equal(simulation.frame, 10);
	assert_true(drapeWorld_GetHash(simulation.made.world) == drapeWorld_GetHash(made.world));
	drapeSceneWorld_Destroy(&made);
	drapeSimulation_End(&simulation);
}

typedef struct Shape
{
	drapeVec3 centre, velocity;
	uint32_t triangles;
	drapeVec3 vertices[25];
} Shape;

static Shape ShapeOf(const Simulation* simulation)
{
	drapeClothView view = drapeCloth_GetView(simulation->made.cloths[0]);
	Shape shape = {.triangles = view.triangleCount};
	double mass = 0.0, sum[6] = {0};
	for (uint32_t i = 0; i < view.particleCount; ++i)
	{
		double m = (double)view.velocities[i].w;
		mass += m;
		sum[0] += m * (double)view.positions[i].x;
		sum[1] += m * (double)view.positions[i].y;
		sum[2] += m * (double)view.positions[i].z;
		sum[4] += m * (double)view.velocities[i].y;
		if (i < 25)
			shape.vertices[i] = (drapeVec3){view.positions[i].x, view.positions[i].y, view.positions[i].z};
	}
	shape.centre = (drapeVec3){(float)(sum[0] / mass), (float)(sum[1] / mass), (float)(sum[2] / mass)};
	shape.velocity.y = (float)(sum[4] / mass);
	return shape;
}

// A cloth of another fabric, model or scheme is where the old one was, as fast, and as fine.
static void AChangedClothGoesOnFromTheOldOne(void** state)
{
	(void)state;
	static const char* const changes[] = {
		", \"material\": \"denim\"",
		", \"material\": \"silk\", \"model\": \"springs\"",
		", \"solver\": {\"integrator\": \"implicit-euler\"}",
		", \"material\": \"11oz-black-denim\", \"rest\": {\"warp\": [0, 0, 1]}",
	};
	for (size_t i = 0; i < sizeof changes / sizeof changes[0]; ++i)
	{
		Simulation simulation = {0};
		assert_int_equal(drapeSimulation_Begin(&simulation, FallingScene(""), NULL), drape_ok);
		StepFrames(&simulation, 14);
		Shape before = ShapeOf(&simulation);
		assert_true(before.triangles > 40);
		drapeMessage error;
		if (drapeSimulation_Apply(&simulation, FallingScene(changes[i]), &error) != drape_ok)
			fail_msg("%s", error.text);
		Shape after = ShapeOf(&simulation);
		assert_int_equal(simulation.frame, 14);
		assert_int_equal(before.triangles, after.triangles);
		for (int k = 0; k < 25; ++k)
			assert_true(fabsf(before.vertices[k].x - after.vertices[k].x) < 1e-5f &&
			            fabsf(before.vertices[k].y - after.vertices[k].y) < 1e-5f &&
			            fabsf(before.vertices[k].z - after.vertices[k].z) < 1e-5f);
		// Quadrilaterals may be cut along the other diagonal, which gives their corners other shares of the mass.
		assert_true(fabsf(before.centre.y - after.centre.y) < 2e-3f);
		assert_true(fabsf(before.velocity.y - after.velocity.y) < 2e-2f);
		if (drapeWorld_Validate(simulation.made.world) != drape_ok)
			fail_msg("%s", drapeWorld_GetMessage(simulation.made.world));
		drapeClothView view = drapeCloth_GetView(simulation.made.cloths[0]);
		assert_true(view.positions[0].w == 0.0f);
		StepFrames(&simulation, 5);
		drapeSimulation_End(&simulation);
	}
}

static void AFixedMeshTakesOverTheShape(void** state)
{
	(void)state;
	Simulation simulation = {0};
	assert_int_equal(drapeSimulation_Begin(&simulation, FallingScene(""), NULL), drape_ok);
	StepFrames(&simulation, 10);
	Shape before = ShapeOf(&simulation);
	assert_int_equal(drapeSimulation_Apply(&simulation, FallingScene(", \"adapt\": {\"scheme\": \"fixed\"}"), NULL),
	                 drape_ok);
	Shape after = ShapeOf(&simulation);
	assert_int_equal(after.triangles, 32);
	for (int k = 0; k < 25; ++k)
		assert_true(fabsf(before.vertices[k].y - after.vertices[k].y) < 1e-5f);
	StepFrames(&simulation, 3);
	drapeSimulation_End(&simulation);
}

static void CriteriaPinsCollidersAndWindChangeInPlace(void** state)
{
	(void)state;
	size_t before = drapeGetMemoryUse().bytes;
	Simulation simulation = {0};
	assert_int_equal(drapeSimulation_Begin(&simulation, FallingScene(""), NULL), drape_ok);
	StepFrames(&simulation, 8);
	drapeClothId cloth = simulation.made.cloths[0];
	drapeScene* scene = CopyScene(simulation.scene);
	drapeMesh mesh = simulation.made.patterns[0].mesh;
	const uint32_t vertices[] = {0, 24};
	assert_true(drapeScenePins_Set(&scene->cloths[0], &mesh, &vertices[0], 1, false));
	assert_true(drapeScenePins_Set(&scene->cloths[0], &mesh, &vertices[1], 1, true));
	scene->cloths[0].adapt.maxLevel = 1;
	scene->colliders[0].pose.position.x = 0.1f;
	drapeScene_Add(scene, item_collider, "{\"shape\": \"plane\"}");
	scene->wind.kind = drape_windSteady;
	scene->wind.velocity = (drapeVec3){3.0f, 0.0f, 0.0f};
	assert_int_equal(drapeSimulation_Apply(&simulation, scene, NULL), drape_ok);
	assert_true(simulation.made.cloths[0].index1 == cloth.index1 &&
	            simulation.made.cloths[0].generation == cloth.generation);
	drapeClothView view = drapeCloth_GetView(cloth);
	assert_true(view.positions[0].w > 0.0f && view.positions[24].w == 0.0f);
	assert_int_equal(drapeCloth_GetAdapt(cloth).maxLevel, 1);
	assert_int_equal(simulation.made.colliderCount, 2);
	StepFrames(&simulation, 60);
	view = drapeCloth_GetView(cloth);
	for (uint32_t i = 0; i < view.triangleCount; ++i)
		assert_true(view.triangleLevels[i] <= 1);
	assert_true(drapeWorld_GetWindVelocity(simulation.made.world, (drapeVec3){0}, 1.0).x == 3.0f);
	// Another name is no other cloth.
	scene = CopyScene(simulation.scene);
	assert_true(drapeScene_SetText(&scene->cloths[0].name, "renamed"));
	assert_int_equal(drapeSimulation_Apply(&simulation, scene, NULL), drape_ok);
	assert_int_equal(simulation.made.cloths[0].index1, cloth.index1);
	// A cloth more, a collider less.
	scene = CopyScene(simulation.scene);
	drapeScene_Copy(scene, (Item){item_cloth, 0});
	drapeScene_Remove(scene, (Item){item_collider, 0});
	assert_int_equal(drapeSimulation_Apply(&simulation, scene, NULL), drape_ok);
	assert_true(simulation.made.clothCount == 2 && simulation.made.colliderCount == 1 && simulation.frame == 68);
	StepFrames(&simulation, 2);
	scene = CopyScene(simulation.scene);
	drapeScene_Remove(scene, (Item){item_cloth, 0});
	assert_int_equal(drapeSimulation_Apply(&simulation, scene, NULL), drape_ok);
	assert_true(simulation.made.clothCount == 1);
	StepFrames(&simulation, 2);
	drapeSimulation_End(&simulation);
	// What was made for one number of colliders is given back as such.
	assert_int_equal(drapeGetMemoryUse().bytes, before);
}

// A plate of two triangles below the cloth, made solid while it falls: it begins again, and lies on the plate.
static void ASolidMeshStopsCloth(void** state)
{
	(void)state;
	char path[] = "/tmp/drape_plate_XXXXXX";
	int file = mkstemp(path);
	const char* plate = "v -3 0 -3\nv 3 0 -3\nv 3 0 3\nv -3 0 3\nf 1 3 2\nf 1 4 3\n";
	assert_true(file >= 0 && write(file, plate, strlen(plate)) == (ssize_t)strlen(plate));
	close(file);
	Simulation simulation = {0};
	assert_int_equal(drapeSimulation_Begin(&simulation, FallingScene(""), NULL), drape_ok);
	StepFrames(&simulation, 3);
	drapeScene* scene = CopyScene(simulation.scene);
	while (scene->colliderCount > 0)
		drapeScene_Remove(scene, (Item){item_collider, 0});
	Item item = drapeScene_Add(scene, item_collider, "{\"shape\": \"sphere\", \"radius\": 0.25}");
	drapeSceneCollider* collider = &scene->colliders[item.index];
	drapeScene_SetShape(collider, drape_shapeMesh);
	assert_true(drapeScene_SetText(&collider->obj, path));
	collider->pose.position.y = 0.0f;
	scene->cloths[0].contact = drape_contactAll;
	assert_int_equal(drapeSimulation_Apply(&simulation, scene, NULL), drape_ok);
	assert_int_equal(simulation.frame, 0);
	StepFrames(&simulation, 40);
	drapeClothView view = drapeCloth_GetView(simulation.made.cloths[0]);
	for (uint32_t i = 0; i < view.particleCount; ++i)
		assert_true(view.positions[i].y > 0.0f);
	drapeSimulation_End(&simulation);
	unlink(path);
}

static void FailedChangeLeavesTheSimulationUnchanged(void** state)
{
	(void)state;
	Simulation simulation = {0};
	assert_int_equal(drapeSimulation_Begin(&simulation, FallingScene(""), NULL), drape_ok);
	StepFrames(&simulation, 5);
	uint64_t hash = drapeWorld_GetHash(simulation.made.world);
	drapeMessage error;
	assert_int_equal(
		drapeSimulation_Apply(&simulation, FallingScene("}, {\"name\": \"b\", \"obj\": \"/nowhere.obj\""), &error),
		drape_errorFile);
	assert_non_null(strstr(error.text, "nowhere.obj"));
	assert_true(drapeWorld_GetHash(simulation.made.world) == hash);
	StepFrames(&simulation, 1);
	drapeSimulation_End(&simulation);
}

static void AClothThatExplodesStaysWhereItIsAndTheSimulationGoesOn(void** state)
{
	(void)state;
	Simulation simulation = {0};
	const char* hopeless = ", \"model\": \"springs\", \"material\": {\"preset\": \"denim\", \"stretchWarp\": 1e7, "
						   "\"stretchWeft\": 1e7}, \"solver\": {\"integrator\": \"explicit-euler\", \"substeps\": 1, "
						   "\"maxSubsteps\": 1, \"maxStretch\": 100}";
	FrameStats stats;
	drapeMessage error = {0};
	assert_int_equal(drapeSimulation_Begin(&simulation, FallingScene(hopeless), NULL), drape_ok);
	drapeResult result = drape_ok;
	for (int i = 0; result == drape_ok && i < 200; ++i)
		result = drapeSimulation_StepFrame(&simulation, &stats, &error);
	assert_int_equal(result, drape_ok);
	assert_true(drapeWorld_GetWarning(simulation.made.world).count > 0);
	drapeClothView view = drapeCloth_GetView(simulation.made.cloths[0]);
	for (uint32_t i = 0; i < view.particleCount; ++i)
		assert_true(isfinite(view.positions[i].x) && fabsf(view.positions[i].y) < 50.0f);
	// A change that helps, and it goes on.
	assert_int_equal(drapeSimulation_Apply(&simulation, FallingScene(""), NULL), drape_ok);
	drapeSimulation_End(&simulation);
}

static void AGrabbedParticleFollowsAndIsFreeAgain(void** state)
{
	(void)state;
	Simulation simulation = {0};
	assert_int_equal(drapeSimulation_Begin(&simulation, FallingScene(""), NULL), drape_ok);
	// The mouse has a limited force: it reaches a place to which the cloth need not be stretched.
	const float lag = 2e-3f; // m
	drapeVec3 corner = {0.5f, 1.0f, -0.5f}, target = {0.35f, 1.3f, -0.45f}, far = {3.0f, 4.0f, 0.0f};
	assert_true(drapeSimulation_Grab(&simulation, 0, corner));
	drapeSimulation_Pull(&simulation, target);
	StepFrames(&simulation, 12);
	drapeClothView view = drapeCloth_GetView(simulation.made.cloths[0]);
	assert_true(fabsf(view.positions[24].x - target.x) < lag && fabsf(view.positions[24].y - target.y) < lag);
	// It does not draw the cloth out to one that is too far away.
	drapeSimulation_Pull(&simulation, far);
	StepFrames(&simulation, 12);
	assert_true(drapeWorld_GetMeasures(simulation.made.world).stretchMax < 2.0f);
	drapeSimulation_Pull(&simulation, target);
	StepFrames(&simulation, 12);
	drapeSimulation_Release(&simulation);
	StepFrames(&simulation, 6);
	view = drapeCloth_GetView(simulation.made.cloths[0]);
	assert_true(view.positions[24].w > 0.0f && view.positions[24].y < target.y - 0.02f);
	// What was pinned stays so.
	drapeVec3 pin = {view.positions[0].x, view.positions[0].y, view.positions[0].z};
	assert_true(drapeSimulation_Grab(&simulation, 0, pin));
	drapeSimulation_Release(&simulation);
	assert_true(drapeCloth_GetView(simulation.made.cloths[0]).positions[0].w == 0.0f);
	drapeSimulation_End(&simulation);
}

// --- the thread ---

static void Pause(void)
{
	nanosleep(&(struct timespec){.tv_nsec = 2000000}, NULL);
}

static const Frame* WaitForScene(Runner* runner, uint64_t number)
{
	for (int i = 0; i < 30000; ++i, Pause())
	{
		const Frame* frame = drapeRunner_Latest(runner);
		if (frame->scene >= number)
			return frame;
	}
	fail_msg("the scene was never applied");
	return NULL;
}

static const Frame* WaitForFrame(Runner* runner, uint32_t index)
{
	for (int i = 0; i < 30000; ++i, Pause())
	{
		const Frame* frame = drapeRunner_Latest(runner);
		if (frame->index >= index)
			return frame;
	}
	fail_msg("frame %u never came", index);
	return NULL;
}

static void ExpectWhole(const Frame* frame)
{
	for (uint32_t i = 0; i < frame->clothCount; ++i)
	{
		const drapeClothView* view = &frame->cloths[i].view;
		for (size_t k = 0; k < 3 * (size_t)view->triangleCount; ++k)
			assert_true(view->triangles[k] < view->particleCount);
		for (uint32_t k = 0; k < view->particleCount; ++k)
			assert_true(isfinite(view->positions[k].x) && isfinite(view->velocities[k].y));
	}
}

// A frame that is stopped goes on when it is asked for again, wherever the request meets it.
static void AStoppedFrameIsMadeLater(void** state)
{
	(void)state;
	Runner* runner = drapeRunner_Create(NULL);
	assert_non_null(runner);
	drapeScene* scene = FallingScene("");
	WaitForScene(runner, drapeRunner_SetScene(runner, FormatScene(scene), true));
	for (uint32_t i = 0; i < 40; ++i)
	{
		drapeRunner_Play(runner, true);
		if (i % 3 == 0)
			Pause();
		drapeRunner_Stop(runner);
		assert_false(drapeRunner_IsPlaying(runner));
	}
	uint32_t index = drapeRunner_Latest(runner)->index;
	drapeRunner_Play(runner, true);
	const Frame* frame = WaitForFrame(runner, index + 3);
	ExpectWhole(frame);
	// The frame number and the time of the world stay in step.
	assert_true(fabs(frame->time - (double)frame->index / (double)scene->time.frameRate) < 1e-4);
	char text[512];
	assert_false(drapeRunner_TakeMessage(runner, text, sizeof text));
	drapeRunner_Stop(runner);
	drapeRunner_Destroy(runner);
	drapeScene_Free(scene);
}

// Everything at once, as a window does it: meant to be run with the thread sanitizer.
static void FramesAreWholeWhileEverythingChanges(void** state)
{
	(void)state;
	Runner* runner = drapeRunner_Create(NULL);
	assert_non_null(runner);
	drapeRunner_WantHash(runner);
	drapeScene* scene = FallingScene("");
	WaitForScene(runner, drapeRunner_SetScene(runner, FormatScene(scene), true));
	drapeRunner_Play(runner, true);
	static const char* const fabrics[] = {"denim", "silk", "cotton", "wool"};
	uint64_t number = 0;
	for (uint32_t i = 0; i < 24; ++i)
	{
		const Frame* frame = WaitForFrame(runner, i + 1);
		ExpectWhole(frame);
		if (i % 5 == 1)
		{
			assert_int_equal(drapeMaterial_GetPreset(fabrics[i / 5 % 4], &scene->cloths[0].material, NULL), drape_ok);
			number = drapeRunner_SetScene(runner, FormatScene(scene), false);
		}
		if (i == 6)
			drapeRunner_Grab(runner, 0, (drapeVec3){0.5f, 1.0f, 0.5f});
		if (i > 6 && i < 14)
			drapeRunner_Pull(runner, (drapeVec3){0.5f, 1.0f + 0.02f * (float)i, 0.6f});
		if (i == 14)
			drapeRunner_Release(runner);
	}
	WaitForScene(runner, number);
	drapeRunner_Play(runner, false);
	drapeRunner_Reset(runner);
	const Frame* frame = drapeRunner_Latest(runner);
	for (int i = 0; frame->index != 0 && i < 30000; ++i, Pause())
		frame = drapeRunner_Latest(runner);
	assert_int_equal(frame->index, 0);
	char text[512];
	assert_false(drapeRunner_TakeMessage(runner, text, sizeof text));
	drapeRunner_Destroy(runner);
	drapeScene_Free(scene);
}

static void LockstepLosesNoFrame(void** state)
{
	(void)state;
	Runner* runner = drapeRunner_Create(NULL);
	drapeScene* scene = FallingScene("");
	WaitForScene(runner, drapeRunner_SetScene(runner, FormatScene(scene), true));
	// Taken before the runner plays: on a busy machine the first frame may come before the next line.
	uint64_t serial = drapeRunner_Latest(runner)->serial;
	drapeRunner_SetLockstep(runner, true);
	drapeRunner_Play(runner, true);
	uint32_t expected = 1;
	for (int i = 0; expected < 12 && i < 30000; ++i, Pause())
	{
		const Frame* frame = drapeRunner_Latest(runner);
		if (frame->serial == serial)
			continue;
		assert_int_equal(frame->index, expected++);
		serial = frame->serial;
	}
	assert_int_equal(expected, 12);
	drapeRunner_Destroy(runner);
	drapeScene_Free(scene);
}

static void TroubleIsSaidAndTheOldSceneGoesOn(void** state)
{
	(void)state;
	Runner* runner = drapeRunner_Create(NULL);
	drapeScene* scene = FallingScene("");
	WaitForScene(runner, drapeRunner_SetScene(runner, FormatScene(scene), true));
	drapeRunner_Step(runner);
	WaitForFrame(runner, 1);
	const Frame* frame = WaitForScene(runner, drapeRunner_SetScene(runner, strdup("{\"cloths\": 5}"), false));
	assert_true(frame->index == 1 && frame->clothCount == 1);
	char text[512] = "";
	assert_true(drapeRunner_TakeMessage(runner, text, sizeof text));
	assert_non_null(strstr(text, "cloths is 5"));
	drapeRunner_Step(runner);
	WaitForFrame(runner, 2);
	drapeRunner_Destroy(runner);
	drapeScene_Free(scene);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(UndoAndRedoGiveBackEveryState),
		cmocka_unit_test(AChangeAfterUndoForgetsWhatWasUndone),
		cmocka_unit_test(HistoryIsLimitedAndKeepsTheNewest),
		cmocka_unit_test(AChangeThatCannotBeIsRefusedAndTakenBack),
		cmocka_unit_test(SavedIsWhatIsOnDisk),
		cmocka_unit_test(ShortMemoryLeavesTheDocumentWhole),
		cmocka_unit_test(ObjectsBecomeClothWhereTheyAreAndBack),
		cmocka_unit_test(CopiesHaveNamesOfTheirOwn),
		cmocka_unit_test(PinsAreSetAndFreedOneByOne),
		cmocka_unit_test(FramesAreThoseOfDrapeRun),
		cmocka_unit_test(AChangedClothGoesOnFromTheOldOne),
		cmocka_unit_test(AFixedMeshTakesOverTheShape),
		cmocka_unit_test(ASolidMeshStopsCloth),
		cmocka_unit_test(CriteriaPinsCollidersAndWindChangeInPlace),
		cmocka_unit_test(FailedChangeLeavesTheSimulationUnchanged),
		cmocka_unit_test(AClothThatExplodesStaysWhereItIsAndTheSimulationGoesOn),
		cmocka_unit_test(AGrabbedParticleFollowsAndIsFreeAgain),
		cmocka_unit_test(AStoppedFrameIsMadeLater),
		cmocka_unit_test(FramesAreWholeWhileEverythingChanges),
		cmocka_unit_test(LockstepLosesNoFrame),
		cmocka_unit_test(TroubleIsSaidAndTheOldSceneGoesOn),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
