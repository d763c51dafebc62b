// SPDX-License-Identifier: MIT
#include "support.h"

#include "document/document.h"
#include "document/edit.h"
#include "simulation/frame.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

// A running scene with files: a cloth and a deforming body that come from OBJ files in a folder of their own. The tests
// remove or leave that folder while the scene runs.

static char folder[256]; // ends with a slash
static char home[1024];

static void WriteFile(const char* name, const char* text)
{
	char path[400];
	snprintf(path, sizeof path, "%s%s", folder, name);
	FILE* file = fopen(path, "w");
	assert_non_null(file);
	assert_true(fputs(text, file) >= 0 && fclose(file) == 0);
}

static void RemoveFiles(void)
{
	static const char* const names[] = {"cloth.obj", "body.1.obj", "body.2.obj", "scene.json"};
	for (size_t i = 0; i < sizeof names / sizeof names[0]; ++i)
	{
		char path[400];
		snprintf(path, sizeof path, "%s%s", folder, names[i]);
		unlink(path);
	}
}

// Two squares with a group and a material each; the first is pinned at its outer corners.
static const char clothObj[] = "mtllib fabrics.mtl\n"
							   "v 0 1 0\nv 1 1 0\nv 1 1 1\nv 0 1 1\nv 2 1 0\nv 2 1 1\n"
							   "g left\nusemtl red\nf 1 4 3\nf 1 3 2\n"
							   "g right\nusemtl blue\nf 2 3 6\nf 2 6 5\n";

static void BodyObj(char* text, size_t capacity, float height)
{
	double y = (double)height;
	snprintf(text, capacity, "v 0 %g 0\nv 2 %g 0\nv 2 %g 2\nv 0 %g 2\nf 1 3 2\nf 1 4 3\n", y, y, y, y);
}

static int MakeFolder(void** state)
{
	(void)state;
	char name[] = "/tmp/drape_simulation_XXXXXX", body[200];
	if (!getcwd(home, sizeof home) || !mkdtemp(name))
		return 1;
	snprintf(folder, sizeof folder, "%s/", name);
	WriteFile("cloth.obj", clothObj);
	BodyObj(body, sizeof body, 0.0f);
	WriteFile("body.1.obj", body);
	BodyObj(body, sizeof body, 0.25f);
	WriteFile("body.2.obj", body);
	WriteFile("scene.json", "{\"colliders\": [{\"shape\": \"mesh\", \"obj\": \"body.$F.obj\", \"firstFrame\": 1, "
	                        "\"frameRate\": 4}], \"cloths\": [{\"name\": \"sheet\", \"obj\": \"cloth.obj\", "
	                        "\"pins\": [{\"vertices\": [0, 3]}], \"adapt\": {\"maxLevel\": 3}}]}");
	return 0;
}

static int RemoveFolder(void** state)
{
	(void)state;
	RemoveFiles();
	return chdir(home) != 0 || rmdir(folder) != 0;
}

// The scene of the folder with absolute paths, as a document has it.
static drapeScene* OpenScene(void)
{
	char path[400];
	drapeScene* scene;
	drapeMessage error;
	snprintf(path, sizeof path, "%sscene.json", folder);
	if (drapeScene_Read(path, &scene, &error) != drape_ok)
		fail_msg("%s", error.text);
	assert_true(drapeScene_MakePathsAbsolute(scene));
	return scene;
}

static drapeScene* CopyScene(const drapeScene* scene)
{
	size_t size;
	drapeScene_Format(scene, NULL, 0, &size, NULL);
	char* text = malloc(size);
	drapeScene* copy;
	drapeMessage error;
	assert_int_equal(drapeScene_Format(scene, text, size, &size, NULL), drape_ok);
	if (drapeScene_Parse(text, size - 1, "t.json", &copy, &error) != drape_ok)
		fail_msg("%s", error.text);
	free(text);
	return copy;
}

static Simulation Begin(void)
{
	Simulation simulation = {0};
	drapeMessage error = {0};
	if (drapeSimulation_Begin(&simulation, OpenScene(), &error) != drape_ok)
		fail_msg("%s", error.text);
	return simulation;
}

static void StepFrames(Simulation* simulation, int count)
{
	FrameStats stats;
	drapeMessage error;
	for (int i = 0; i < count; ++i)
		if (drapeSimulation_StepFrame(simulation, &stats, &error) != drape_ok)
			fail_msg("%s", error.text);
}

// --- documents ---

static void MeshCollidersOpenFromAnyFolder(void** state)
{
	(void)state;
	static Document document;
	drapeMessage error = {0};
	assert_true(drapeDocument_New(&document));
	// A relative path, then another working folder.
	assert_int_equal(chdir(folder), 0);
	if (drapeDocument_Open(&document, "scene.json", &error) != drape_ok)
		fail_msg("%s", error.text);
	assert_int_equal(chdir("/"), 0);
	assert_int_equal(document.scene->colliders[0].obj[0], '/');
	drapeSceneWorld made;
	if (drapeScene_CreateWorld(document.scene, 1, &made, &error) != drape_ok)
		fail_msg("%s", error.text);
	assert_int_equal(drapeCollider_GetView(made.colliders[0]).triangleCount, 2);
	drapeSceneWorld_Destroy(&made);
	drapeDocument_Free(&document);
	assert_int_equal(chdir(home), 0);
}

static void EveryColliderHasAName(void** state)
{
	(void)state;
	drapeScene* scene = OpenScene();
	for (int shape = 0; shape <= drape_shapeMesh; ++shape)
	{
		drapeScene_SetShape(&scene->colliders[0], (drapeColliderShape)shape);
		const char* name = drapeScene_ItemName(scene, (Item){item_collider, 0});
		assert_true(name && strlen(name) > 2);
	}
	assert_string_equal(drapeScene_ItemName(scene, (Item){item_collider, 0}), "Mesh");
	drapeScene_Free(scene);
}

// --- changes ---

// A slider changes a number. No file is read for it: all of them are gone.
static void AChangedNumberReadsNoFile(void** state)
{
	(void)state;
	Simulation simulation = Begin();
	StepFrames(&simulation, 3);
	RemoveFiles();
	drapeMessage error = {0};
	for (int change = 0; change < 4; ++change)
	{
		drapeScene* scene = CopyScene(simulation.scene);
		scene->world.gravity.y = change == 0 ? -5.0f : scene->world.gravity.y;
		scene->cloths[0].material.density *= change == 1 ? 2.0f : 1.0f;
		scene->cloths[0].adapt.maxLevel = change == 2 ? 2 : scene->cloths[0].adapt.maxLevel;
		scene->colliders[0].pose.position.y = change == 3 ? -0.1f : 0.0f;
		if (drapeSimulation_Apply(&simulation, scene, &error) != drape_ok)
			fail_msg("change %d: %s", change, error.text);
		assert_int_equal(simulation.frame, 3 + change);
		StepFrames(&simulation, 1);
	}
	drapeSimulation_End(&simulation);
}

static void APinThatDoesNotExistChangesNothing(void** state)
{
	(void)state;
	Simulation simulation = Begin();
	StepFrames(&simulation, 2);
	uint64_t hash = drapeWorld_GetHash(simulation.made.world);
	drapeScene* scene = CopyScene(simulation.scene);
	scene->cloths[0].pins[0].vertices[1] = 77;
	scene->cloths[0].material.density *= 2.0f;
	drapeMessage error = {0};
	assert_int_equal(drapeSimulation_Apply(&simulation, scene, &error), drape_errorData);
	assert_non_null(strstr(error.text, "vertex 77"));
	assert_true(drapeWorld_GetHash(simulation.made.world) == hash);
	StepFrames(&simulation, 1);
	drapeSimulation_End(&simulation);
}

// Memory runs out at each allocation of a change in turn: the simulation goes on as it was.
static void AChangeWithoutMemoryChangesNothing(void** state)
{
	(void)state;
	Test_BeginLimitedMemory();
	Simulation simulation = Begin();
	StepFrames(&simulation, 2);
	uint64_t hash = drapeWorld_GetHash(simulation.made.world);
	drapeResult result = drape_errorMemory;
	size_t failures = 0;
	for (size_t number = 0; result == drape_errorMemory && number < 2000; ++number)
	{
		drapeScene* scene = CopyScene(simulation.scene);
		scene->cloths[0].material.density *= 2.0f;
		drapeScene_Add(scene, item_collider, "{\"shape\": \"sphere\", \"radius\": 0.1, \"position\": [0, -3, 0]}");
		Test_AllowAllocations(number);
		result = drapeSimulation_Apply(&simulation, scene, NULL);
		Test_AllowAllocations(SIZE_MAX);
		if (result != drape_errorMemory)
			break;
		failures++;
		assert_true(drapeWorld_GetHash(simulation.made.world) == hash);
		assert_int_equal(simulation.made.colliderCount, 1);
	}
	assert_int_equal(result, drape_ok);
	assert_true(failures > 10);
	assert_int_equal(simulation.made.colliderCount, 2);
	StepFrames(&simulation, 1);
	drapeSimulation_End(&simulation);
	Test_EndLimitedMemory();
}

// --- frames ---

static void FramesShowTheColliderThatIsSimulated(void** state)
{
	(void)state;
	Simulation simulation = Begin();
	Frame frame = {0};
	RemoveFiles();
	for (int i = 0; i < 6; ++i)
	{
		StepFrames(&simulation, 1);
		assert_true(drapeFrame_Copy(&frame, &simulation));
		drapeColliderView view = drapeCollider_GetView(simulation.made.colliders[0]);
		const FrameMesh* mesh = &frame.shapes[0].mesh;
		assert_int_equal(mesh->vertexCount, view.vertexCount);
		assert_int_equal(mesh->triangleCount, view.triangleCount);
		assert_memory_equal(mesh->triangles, view.triangles, 3 * view.triangleCount * sizeof(uint32_t));
		for (uint32_t k = 0; k < view.vertexCount; ++k)
			assert_true(mesh->positions[k].x == view.positions[k].x && mesh->positions[k].y == view.positions[k].y &&
			            mesh->positions[k].z == view.positions[k].z);
	}
	// It deforms from 0 to 0.25 m within a quarter of a second.
	assert_true(frame.shapes[0].mesh.positions[0].y > 0.1f);
	drapeFrame_Free(&frame);
	drapeSimulation_End(&simulation);
}

static void TopologyIsCopiedOnlyWhenItChanges(void** state)
{
	(void)state;
	Simulation simulation = Begin();
	Frame frame = {0};
	uint32_t changes = 0, revision = DRAPE_NONE;
	for (int i = 0; i < 30; ++i)
	{
		assert_true(drapeFrame_Copy(&frame, &simulation));
		drapeClothView view = drapeCloth_GetView(simulation.made.cloths[0]);
		changes += view.revision != revision;
		revision = view.revision;
		const FrameCloth* cloth = &frame.cloths[0];
		assert_int_equal(cloth->topologyCopies, changes);
		assert_int_equal(cloth->view.triangleCount, view.triangleCount);
		assert_memory_equal(cloth->view.triangles, view.triangles, 3 * view.triangleCount * sizeof(uint32_t));
		assert_memory_equal(cloth->view.positions, view.positions, view.particleCount * sizeof(drapeVec4));
		StepFrames(&simulation, 1);
	}
	assert_in_range(changes, 2, 29);
	// Another world may have the same handles and revision.
	assert_int_equal(drapeSimulation_Begin(&simulation, CopyScene(simulation.scene), NULL), drape_ok);
	assert_true(drapeFrame_Copy(&frame, &simulation));
	assert_int_equal(frame.cloths[0].topologyCopies, changes + 1);
	drapeFrame_Free(&frame);
	drapeSimulation_End(&simulation);
}

// --- export ---

static void ExportKeepsGroupsAndMaterials(void** state)
{
	(void)state;
	Simulation simulation = Begin();
	Frame frame = {0};
	StepFrames(&simulation, 20);
	assert_true(drapeFrame_Copy(&frame, &simulation));
	// The frame has names of its own.
	drapeSimulation_End(&simulation);
	const FrameCloth* cloth = &frame.cloths[0];
	assert_true(cloth->view.triangleCount > 4);
	drapeClothMesh mesh;
	drapeObj read;
	drapeMessage error = {0};
	char path[400];
	snprintf(path, sizeof path, "%scloth.obj", folder);
	assert_int_equal(drapeClothMesh_Create(&mesh, &cloth->view, &cloth->pattern, &error), drape_ok);
	assert_int_equal(drapeClothMesh_WriteObj(&mesh, cloth->pattern.materialLibrary, NULL, path, &error), drape_ok);
	drapeClothMesh_Free(&mesh);
	assert_int_equal(drapeObj_Read(path, &read, &error), drape_ok);
	assert_string_equal(read.materialLibrary, "fabrics.mtl");
	assert_int_equal(read.mesh.triangleCount, cloth->view.triangleCount);
	assert_int_equal(read.partCount, 2);
	assert_string_equal(read.parts[0].group, "left");
	assert_string_equal(read.parts[0].material, "red");
	assert_string_equal(read.parts[1].group, "right");
	assert_string_equal(read.parts[1].material, "blue");
	uint32_t left = 0;
	for (uint32_t i = 0; i < cloth->view.triangleCount; ++i)
		left += cloth->view.patternTriangles[i] < 2;
	assert_int_equal(read.parts[0].triangleCount, left);
	drapeObj_Free(&read);
	drapeFrame_Free(&frame);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, MakeFolder, RemoveFolder)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(MeshCollidersOpenFromAnyFolder),     TEST(EveryColliderHasAName),
		TEST(AChangedNumberReadsNoFile),          TEST(APinThatDoesNotExistChangesNothing),
		TEST(AChangeWithoutMemoryChangesNothing), TEST(FramesShowTheColliderThatIsSimulated),
		TEST(TopologyIsCopiedOnlyWhenItChanges),  TEST(ExportKeepsGroupsAndMaterials),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
