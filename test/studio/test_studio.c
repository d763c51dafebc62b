// SPDX-License-Identifier: MIT
#include "window.h"

#include "drape/render.h"
#include "drape/scene.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

// `drape studio` as a person uses it: a real window, mouse and keyboard through the X server, and the files and
// pictures that come of it.

#define NEEDS_WINDOW                                                                                                   \
	do                                                                                                                 \
	{                                                                                                                  \
		(void)state;                                                                                                   \
		if (!Window_Has())                                                                                             \
			skip();                                                                                                    \
	} while (0)

// --- helpers ---

// An OBJ file of a sheet a metre wide and a metre up, n quads a side. In the scratch folder.
static const char* WriteSheet(const char* name, int n)
{
	const char* path = Program_Scratch(name);
	FILE* file = fopen(path, "w");
	assert_non_null(file);
	for (int j = 0; j <= n; ++j)
		for (int i = 0; i <= n; ++i)
			fprintf(file, "v %.4f 1 %.4f\n", (double)i / n - 0.5, 0.5 - (double)j / n);
	for (int j = 0; j < n; ++j)
		for (int i = 0; i < n; ++i)
		{
			int a = j * (n + 1) + i + 1;
			fprintf(file, "f %d %d %d\nf %d %d %d\n", a, a + 1, a + n + 2, a, a + n + 2, a + n + 1);
		}
	fclose(file);
	return path;
}

static void Quit(void)
{
	Key("ctrl+q");
	if (Probe_HasItem("Unsaved/Don't save"))
		Click("Unsaved/Don't save");
	assert_int_equal(Studio_Wait(), 0);
}

// Through the dialogue, with the keyboard.
static void SaveAs(const char* path)
{
	unlink(path);
	Key("ctrl+shift+s");
	Expect_Item("Browser/##name");
	Key("ctrl+a");
	Type(path);
	Key("Return");
	Expect_False("modal");
	Expect_False("unsaved");
	assert_int_equal(access(path, R_OK), 0);
}

static drapeScene* ReadScene(const char* path)
{
	drapeScene* scene;
	drapeMessage error;
	if (drapeScene_Read(path, &scene, &error) != drape_ok)
		fail_msg("%s", error.text);
	return scene;
}

// The state after `frames` frames of `drape run`, as it prints it.
static void RunState(const char* path, const char* frames, char hash[32])
{
	char folder[700];
	snprintf(folder, sizeof folder, "%s", Program_Scratch("run"));
	PROGRAM_RUN("run", path, "-o", folder, "--frames", frames, "--json");
	assert_int_equal(programRun.code, 0);
	json_t* result = json_loads(programRun.out, 0, NULL);
	snprintf(hash, 32, "%s", json_string_value(json_object_get(result, "state")));
	json_decref(result);
	Program_RemoveFolder(folder);
}

static void StepTo(int frame)
{
	for (int i = (int)Probe_Number("frame"); i < frame; ++i)
	{
		Key("Right");
		Expect_Number("frame", i + 1);
	}
	Expect_Settled();
}

// --- opening ---

static void AnEmptyStudioSaysHowToBegin(void** state)
{
	NEEDS_WINDOW;
	STUDIO_START(NULL);
	Expect_Item("Welcome/Add an OBJ file");
	assert_true(Probe_HasItem("Welcome/flag"));
	Picture picture = Window_Picture();
	// Panels are dark, the picture behind the card is not.
	assert_true(picture.pixels[3 * (400 * 1280 + 100)] < 60);
	assert_true(picture.pixels[3 * (660 * 1280 + 600)] > 120);
	free(picture.pixels);
	Click("Welcome/flag");
	Expect_Number("cloths", 1);
	Expect_Settled();
	assert_false(Probe_HasItem("Welcome/flag"));
	assert_non_null(strstr(Probe_Text("path"), "scenes/flag.json"));
	Quit();
}

static void AFileThatIsNoneIsSaid(void** state)
{
	NEEDS_WINDOW;
	PROGRAM_RUN("studio", "/no/such/scene.json");
	assert_int_equal(programRun.code, 3);
	Program_ExpectHas(programRun.err, "/no/such/scene.json");
	const char* broken = Program_Scratch("broken.json");
	Program_WriteFile(broken, "{\"cloths\": 7}");
	STUDIO_START(broken);
	Expect_AtLeast("errors", 1);
	assert_non_null(strstr(Probe_Text("message"), "cloths is 7"));
	assert_true(Probe_HasItem("Messages/Clear"));
	Key("Escape");
	Expect_Settled();
	assert_false(Probe_HasItem("Messages/Clear"));
	Quit();
	unlink(broken);
}

// --- time ---

static void AScenePlaysAsDrapeRunDoes(void** state)
{
	NEEDS_WINDOW;
	char expected[32];
	RunState("scenes/two_corners.json", "7", expected);
	STUDIO_START("scenes/two_corners.json");
	StepTo(6);
	assert_string_equal(Probe_Text("hash"), expected);
	Picture before = Window_Picture();
	Key("space");
	Expect_True("playing");
	Expect_AtLeast("frame", 25);
	Key("space");
	Expect_False("playing");
	Expect_Settled();
	Picture after = Window_Picture();
	assert_true(Picture_Difference(&before, &after, 240, 46, 720, 640) > 2000);
	free(before.pixels);
	free(after.pixels);
	Key("Home");
	Expect_Number("frame", 0);
	StepTo(6);
	assert_string_equal(Probe_Text("hash"), expected);
	Quit();
}

// --- from a mesh to cloth ---

static void AnObjectBecomesClothThatFallsOnABall(void** state)
{
	NEEDS_WINDOW;
	const char *sheet = WriteSheet("sheet.obj", 6), *saved = Program_Scratch("ball.json");
	STUDIO_START(sheet);
	Expect_Number("objects", 1);
	assert_true(Probe_Number("cloths") == 0);
	Click("Properties/Turn into cloth");
	Expect_Number("cloths", 1);
	Expect_Number("objects", 0);
	Click("Scene/Add");
	Click("Add/Sphere");
	Expect_Number("colliders", 2);
	Expect_Settled();
	double before = Probe_Vertex(0, 0, 3);
	Key("space");
	Expect_AtLeast("frame", 12);
	Key("space");
	Expect_Settled();
	// The corner has fallen, the middle lies on the ball.
	assert_true(Probe_Vertex(0, 0, 3) < before - 0.1);
	assert_true(Probe_Vertex(0, 24, 3) > 0.7);

	// Undo takes back the ball, then the cloth; redo brings both.
	Key("ctrl+z");
	Expect_Number("colliders", 1);
	Key("ctrl+z");
	Expect_Number("cloths", 0);
	Expect_Number("objects", 1);
	Key("ctrl+y");
	Key("ctrl+y");
	Expect_Number("cloths", 1);
	Expect_Number("colliders", 2);
	SaveAs(saved);
	drapeScene* scene = ReadScene(saved);
	assert_true(scene->clothCount == 1 && scene->colliderCount == 2 && scene->objectCount == 0);
	assert_int_equal(scene->cloths[0].source, drape_sceneObj);
	drapeScene_Free(scene);

	// And the file runs as the studio does.
	char expected[32];
	RunState(saved, "6", expected);
	Key("Home");
	Expect_Number("frame", 0);
	StepTo(5);
	assert_string_equal(Probe_Text("hash"), expected);
	Quit();
	unlink(sheet);
	unlink(saved);
}

static void DroppedFilesAreOpenedAndAdded(void** state)
{
	NEEDS_WINDOW;
	char sheet[700], scene[700], here[400];
	snprintf(sheet, sizeof sheet, "%s", WriteSheet("dropped.obj", 4));
	STUDIO_START(NULL);
	Drop_File(sheet);
	Expect_Number("objects", 1);
	assert_non_null(getcwd(here, sizeof here));
	snprintf(scene, sizeof scene, "%s/scenes/handle.json", here);
	Drop_File(scene);
	// The object was not saved.
	Click("Unsaved/Don't save");
	Expect_Number("objects", 0);
	Expect_AtLeast("cloths", 1);
	Drop_File("/etc/hostname");
	Expect_AtLeast("errors", 1);
	assert_non_null(strstr(Probe_Text("message"), "neither a scene"));
	Quit();
	unlink(sheet);
}

static void FilesOfAFrameEachBecomeASequence(void** state)
{
	NEEDS_WINDOW;
	char paths[3][700], name[32];
	for (int i = 0; i < 3; ++i)
	{
		snprintf(name, sizeof name, "walk.%04d.obj", i + 1);
		snprintf(paths[i], sizeof paths[i], "%s", WriteSheet(name, 3));
	}
	STUDIO_START(paths[0]);
	Click("Properties/Use all 3 files as a sequence");
	Expect_Settled();
	Expect_Item("Properties/First file");
	assert_true(Probe_HasItem("Properties/Sphere"));
	const char* saved = Program_Scratch("walk.json");
	SaveAs(saved);
	drapeScene* scene = ReadScene(saved);
	assert_non_null(strstr(scene->objects[0].obj, "walk.$F4.obj"));
	assert_int_equal(scene->objects[0].firstFrame, 1);
	char row[80];
	snprintf(row, sizeof row, "Scene/%s", scene->objects[0].name);
	drapeScene_Free(scene);
	// A ball that fits, taken back; then the files themselves are what cloth runs into.
	Click("Properties/Sphere");
	Expect_Number("colliders", 2);
	Key("ctrl+z");
	Expect_Number("colliders", 1);
	Click(row);
	Click("Properties/Make it solid");
	Expect_Number("colliders", 2);
	Expect_Number("objects", 0);
	Key("ctrl+s");
	Expect_Settled();
	scene = ReadScene(saved);
	assert_int_equal(scene->colliders[1].def.shape, drape_shapeMesh);
	assert_non_null(strstr(scene->colliders[1].obj, "walk.$F4.obj"));
	drapeScene_Free(scene);
	Quit();
	unlink(saved);
	for (int i = 0; i < 3; ++i)
		unlink(paths[i]);
}

// --- pins ---

static double Pinned(void)
{
	return json_number_value(json_object_get(json_array_get(json_object_get(Probe(), "cloth"), 0), "pinned"));
}

static void ExpectPinned(double count)
{
	Expect_Settled();
	for (int i = 0; Pinned() != count && i < 50; ++i)
		Expect_Settled();
	assert_true(Pinned() == count);
}

static void ClicksAndBoxesPinAndFree(void** state)
{
	NEEDS_WINDOW;
	const char *sheet = WriteSheet("pins.obj", 4), *saved = Program_Scratch("pins.json");
	STUDIO_START(sheet);
	Key("c");
	Expect_Number("cloths", 1);
	Expect_Settled();
	Key("p");
	Mouse_Click(Probe_Vertex(0, 20, 0), Probe_Vertex(0, 20, 1));
	ExpectPinned(1);
	Mouse_Click(Probe_Vertex(0, 24, 0), Probe_Vertex(0, 24, 1));
	ExpectPinned(2);
	Mouse_Click(Probe_Vertex(0, 20, 0), Probe_Vertex(0, 20, 1));
	ExpectPinned(1);
	Key("ctrl+z");
	ExpectPinned(2);
	// All of it in a box.
	double low[2] = {1e9, 1e9}, high[2] = {-1e9, -1e9};
	for (size_t i = 0; i < 25; ++i)
		for (size_t k = 0; k < 2; ++k)
		{
			low[k] = fmin(low[k], Probe_Vertex(0, i, k));
			high[k] = fmax(high[k], Probe_Vertex(0, i, k));
		}
	Mouse_Drag(low[0] - 9, low[1] - 9, high[0] + 9, high[1] + 9);
	ExpectPinned(25);
	Key("ctrl+z");
	ExpectPinned(2);
	SaveAs(saved);
	drapeScene* scene = ReadScene(saved);
	assert_int_equal(scene->cloths[0].pinCount, 1);
	assert_true(scene->cloths[0].pins[0].vertexCount == 2 && scene->cloths[0].pins[0].vertices[0] == 20 &&
	            scene->cloths[0].pins[0].vertices[1] == 24);
	drapeScene_Free(scene);
	// What is pinned stays, what is free falls.
	double held = Probe_Vertex(0, 20, 3), free = Probe_Vertex(0, 2, 3);
	Key("space");
	Expect_AtLeast("frame", 10);
	Key("space");
	Expect_Settled();
	assert_true(fabs(Probe_Vertex(0, 20, 3) - held) < 1e-4 && Probe_Vertex(0, 2, 3) < free - 0.05);
	Quit();
	unlink(sheet);
	unlink(saved);
}

// --- the mouse ---

static void AMousePullsAVertexThatFollows(void** state)
{
	NEEDS_WINDOW;
	// Few triangles, so that frames come quickly on any machine.
	const char* small = Program_Scratch("small.json");
	Program_WriteFile(small, "{\"cloths\": [{\"name\": \"sheet\", \"grid\": {}, \"position\": [0, 1, 0], \"adapt\": "
	                         "{\"maxLevel\": 1}, \"pins\": [{\"corners\": [\"top-left\", \"top-right\"]}]}]}");
	STUDIO_START(small);
	Key("space");
	Expect_AtLeast("frame", 15);
	Key("space");
	Expect_Settled();
	Key("g");
	// A little inside the corner, which is then the nearest particle.
	size_t corner = 0, inner = 6;
	double x = 0.97 * Probe_Vertex(0, corner, 0) + 0.03 * Probe_Vertex(0, inner, 0);
	double y = 0.97 * Probe_Vertex(0, corner, 1) + 0.03 * Probe_Vertex(0, inner, 1);
	double wantedX = x < 600 ? x + 90 : x - 90, wantedY = y - 70;
	double first = hypot(Probe_Vertex(0, corner, 0) - wantedX, Probe_Vertex(0, corner, 1) - wantedY);
	Mouse_Move(x, y);
	Expect_Settled();
	Mouse_Button(1, true);
	Expect_Settled();
	Key("space");
	for (int i = 1; i <= 6; ++i)
	{
		Mouse_Move(x + (wantedX - x) * i / 6.0, y + (wantedY - y) * i / 6.0);
		Expect_AtLeast("frame", Probe_Number("frame") + 3);
	}
	Expect_AtLeast("frame", Probe_Number("frame") + 15);
	double last = hypot(Probe_Vertex(0, corner, 0) - wantedX, Probe_Vertex(0, corner, 1) - wantedY);
	if (!(last < 0.5 * first && last < 45.0))
		fail_msg("the vertex is %g pixels from the mouse, and was %g", last, first);
	double held[3];
	for (size_t k = 0; k < 3; ++k)
		held[k] = Probe_Vertex(0, corner, 2 + k);
	Mouse_Button(1, false);
	// It is free again, and falls or swings.
	double moved = 0.0;
	for (int i = 0; moved < 0.03 && i < 15; ++i)
	{
		Expect_AtLeast("frame", Probe_Number("frame") + 2);
		moved = fmax(moved, hypot(Probe_Vertex(0, corner, 2) - held[0], Probe_Vertex(0, corner, 3) - held[1]));
	}
	assert_true(moved >= 0.03);
	assert_false(Probe_Is("unsaved"));
	Quit();
	unlink(small);
}

static void HandlesMoveWhatIsSelected(void** state)
{
	NEEDS_WINDOW;
	const char* saved = Program_Scratch("moved.json");
	STUDIO_START("scenes/thesis_sphere_b.json");
	Click("Scene/sphere");
	assert_true(json_number_value(json_array_get(json_object_get(Probe(), "selection"), 0)) == 3);
	Key("w");
	const json_t* centre = json_object_get(Probe(), "centre");
	double x = json_number_value(json_array_get(centre, 0)), y = json_number_value(json_array_get(centre, 1));
	// The arrow of y is straight up.
	drapeScene* before = ReadScene("scenes/thesis_sphere_b.json");
	Mouse_Drag(x, y - 60, x, y - 130);
	Expect_True("unsaved");
	SaveAs(saved);
	drapeScene* after = ReadScene(saved);
	const drapeVec3 *a = &before->colliders[0].pose.position, *b = &after->colliders[0].pose.position;
	assert_true(b->y > a->y + 0.05f && fabsf(b->x - a->x) < 1e-4f && fabsf(b->z - a->z) < 1e-4f);
	drapeScene_Free(after);
	// Scale, and turn about the ring that is seen from the front.
	Key("r");
	centre = json_object_get(Probe(), "centre");
	x = json_number_value(json_array_get(centre, 0));
	y = json_number_value(json_array_get(centre, 1));
	Mouse_Drag(x + 55, y - 55, x + 110, y - 110);
	Key("e");
	Mouse_Drag(x, y - 92, x + 70, y - 60);
	SaveAs(saved);
	after = ReadScene(saved);
	assert_true(fabsf(after->colliders[0].pose.scale - 2.0f) < 0.3f);
	assert_true(fabsf(after->colliders[0].pose.angle) > 0.1f);
	drapeScene_Free(after);
	drapeScene_Free(before);
	Key("ctrl+z");
	Key("ctrl+z");
	Key("ctrl+z");
	Expect_Number("step", 0);
	Quit();
	unlink(saved);
}

static void TheCameraTurnsAndComesNearer(void** state)
{
	NEEDS_WINDOW;
	STUDIO_START("scenes/two_corners.json");
	Picture first = Window_Picture();
	double x = Probe_Vertex(0, 0, 0);
	Mouse_Move(500, 600);
	Mouse_Button(3, true);
	Expect_Settled();
	Mouse_Move(650, 620);
	Expect_Settled();
	Mouse_Button(3, false);
	Expect_Settled();
	assert_true(fabs(Probe_Vertex(0, 0, 0) - x) > 5.0);
	Mouse_Button(4, true);
	Mouse_Button(4, false);
	Expect_Settled();
	Picture second = Window_Picture();
	assert_true(Picture_Difference(&first, &second, 240, 46, 720, 640) > 2000);
	free(first.pixels);
	free(second.pixels);
	// What the camera does is no change of the scene.
	assert_false(Probe_Is("unsaved"));
	Quit();
}

// --- changing what runs ---

static void AFabricChangesWhileItRunsAndIsUndone(void** state)
{
	NEEDS_WINDOW;
	const char* saved = Program_Scratch("fabric.json");
	STUDIO_START("scenes/two_corners.json");
	Key("space");
	Expect_AtLeast("frame", 5);
	Click("Properties/Fabrics");
	Click("Properties/denim");
	Expect_True("unsaved");
	double frame = Probe_Number("frame");
	Expect_AtLeast("frame", frame + 3);
	assert_true(frame >= 5);
	Key("space");
	Expect_Settled();
	SaveAs(saved);
	drapeScene* scene = ReadScene(saved);
	drapeMaterial denim;
	assert_int_equal(drapeMaterial_GetPreset("denim", &denim, NULL), drape_ok);
	assert_memory_equal(&scene->cloths[0].material, &denim, sizeof denim);
	drapeScene_Free(scene);
	Key("ctrl+z");
	Expect_Number("step", 0);
	Key("ctrl+s");
	Expect_False("unsaved");
	scene = ReadScene(saved);
	assert_memory_not_equal(&scene->cloths[0].material, &denim, sizeof denim);
	drapeScene_Free(scene);
	assert_true(Probe_Number("errors") == 0);
	Quit();
	unlink(saved);
}

static void ModelsAndCriteriaChangeByTheirRows(void** state)
{
	NEEDS_WINDOW;
	const char* saved = Program_Scratch("model.json");
	STUDIO_START("scenes/fem_hang.json");
	StepTo(2);
	Click("Properties/Name");
	Key("ctrl+a");
	Type("curtain");
	Key("Return");
	Expect_Settled();
	Click("Properties/Model");
	Click("Properties/Springs");
	Expect_Settled();
	StepTo(3);
	Click("Properties/Motion"); // folds, so that the next section is in view
	Click("Properties/Fabric");
	Click("Properties/Refinement");
	Click("Properties/By length");
	Expect_Settled();
	SaveAs(saved);
	drapeScene* scene = ReadScene(saved);
	assert_string_equal(scene->cloths[0].name, "curtain");
	assert_int_equal(scene->cloths[0].model, drape_modelSprings);
	assert_true(scene->cloths[0].adapt.length.enabled);
	drapeScene_Free(scene);
	Expect_Number("frame", 3);
	Quit();
	unlink(saved);
}

static void AValueThatCannotBeIsRefusedAndSaid(void** state)
{
	NEEDS_WINDOW;
	STUDIO_START("scenes/two_corners.json");
	Click("Properties/Fabric");
	Click("Properties/Motion");
	Click("Properties/Refinement");
	Expect_Item("Properties/  join below");
	double steps = Probe_Number("steps");
	Enter("Properties/  join below", "90");
	Expect_AtLeast("errors", 1);
	assert_non_null(strstr(Probe_Text("message"), "Not possible"));
	assert_true(Probe_Number("steps") == steps);
	assert_false(Probe_Is("unsaved"));
	StepTo(2);
	Quit();
}

static void AClothThatExplodesIsHeldAndTheStudioGoesOn(void** state)
{
	NEEDS_WINDOW;
	const char* hopeless = Program_Scratch("hopeless.json");
	Program_WriteFile(
		hopeless, "{\"cloths\": [{\"name\": \"sheet\", \"grid\": {}, \"position\": [0, 1, 0], \"model\": \"springs\","
				  "\"material\": {\"preset\": \"denim\", \"stretchWarp\": 1e7, \"stretchWeft\": 1e7},"
				  "\"solver\": {\"integrator\": \"explicit-euler\", \"substeps\": 1, \"maxSubsteps\": 1,"
				  "\"maxStretch\": 100}, \"pins\": [{\"corners\": [\"top-left\"]}]}]}");
	STUDIO_START(hopeless);
	Key("space");
	Expect_AtLeast("frame", 20);
	Expect_Number("errors", 0);
	Key("space");
	Expect_False("playing");
	Expect_Settled();
	Picture picture = Window_Picture();
	free(picture.pixels);
	// A fabric that can be moved, and it goes on from there.
	double frame = Probe_Number("frame");
	Click("Properties/Model");
	Click("Properties/Finite elements");
	Click("Properties/Fabrics");
	Click("Properties/cotton");
	Expect_Settled();
	Key("Right");
	Expect_Number("frame", frame + 1);
	Quit();
	unlink(hopeless);
}

// --- recording ---

static void ExpectFilm(const char* path)
{
	size_t size;
	char* bytes = Program_ReadFile(path, &size);
	assert_true(size > 1000);
	assert_memory_equal(bytes + 4, "ftyp", 4);
	free(bytes);
}

// Opens the dialogue, and sets where to and how many.
static void FillRecord(const char* kind, const char* place, const char* path, const char* frames)
{
	char item[64];
	Key("F5");
	Expect_Item("Record/As");
	if (kind)
	{
		Click("Record/As");
		snprintf(item, sizeof item, "Record/%s", kind);
		Click(item);
	}
	snprintf(item, sizeof item, "Record/%s", place);
	Click(item);
	Key("ctrl+a");
	Type(path);
	Key("Return");
	Enter("Record/Frames", frames);
}

static void RecordingMakesAFilm(void** state)
{
	NEEDS_WINDOW;
	const char* film = Program_Scratch("film.mp4");
	unlink(film);
	STUDIO_START("scenes/two_corners.json");
	StepTo(2);
	FillRecord(NULL, "File", film, "4");
	Click("Record/Start recording");
	Expect_False("modal");
	Expect_False("recording");
	Expect_Number("frame", 3);
	if (strstr(Probe_Text("message"), "ffmpeg"))
	{
		print_message("the film is skipped: %s\n", Probe_Text("message"));
		Quit();
		return;
	}
	ExpectFilm(film);
	Quit();
	unlink(film);
}

// The files are those of `drape run`, vertex by vertex.
static void RecordedMeshesAreThoseOfDrapeRun(void** state)
{
	NEEDS_WINDOW;
	char folder[700], run[700], path[900];
	snprintf(folder, sizeof folder, "%s", Program_Scratch("meshes"));
	snprintf(run, sizeof run, "%s", Program_Scratch("run2"));
	STUDIO_START("scenes/two_corners.json");
	FillRecord("Meshes (obj)", "Folder", folder, "3");
	Click("Record/Start recording");
	Expect_False("modal");
	Expect_False("recording");
	assert_true(Probe_Number("errors") == 0);
	Quit();
	PROGRAM_RUN("run", "scenes/two_corners.json", "-o", run, "--frames", "3");
	assert_int_equal(programRun.code, 0);
	ProgramName names[32];
	assert_int_equal(Program_List(folder, names, 32), 3);
	for (int i = 0; i < 3; ++i)
	{
		drapeObj mine, theirs;
		snprintf(path, sizeof path, "%s/%.120s", folder, names[i].text);
		assert_int_equal(drapeObj_Read(path, &mine, NULL), drape_ok);
		snprintf(path, sizeof path, "%s/%.120s", run, names[i].text);
		assert_int_equal(drapeObj_Read(path, &theirs, NULL), drape_ok);
		assert_int_equal(mine.mesh.vertexCount, theirs.mesh.vertexCount);
		assert_int_equal(mine.mesh.triangleCount, theirs.mesh.triangleCount);
		assert_int_equal(mine.mesh.texcoordCount, theirs.mesh.texcoordCount);
		assert_memory_equal(mine.mesh.positions, theirs.mesh.positions, mine.mesh.vertexCount * sizeof(drapeVec3));
		drapeObj_Free(&mine);
		drapeObj_Free(&theirs);
	}
	Program_RemoveFolder(folder);
	Program_RemoveFolder(run);
}

static void AStillIsTheWholePicture(void** state)
{
	NEEDS_WINDOW;
	char scene[700], still[720];
	snprintf(scene, sizeof scene, "%s", Program_Scratch("still.json"));
	drapeScene* read = ReadScene("scenes/two_corners.json");
	assert_int_equal(drapeScene_Write(read, scene, NULL), drape_ok);
	drapeScene_Free(read);
	snprintf(still, sizeof still, "%.*s-0001.png", (int)(strlen(scene) - 5), scene);
	unlink(still);
	STUDIO_START(scene);
	Key("F12");
	Expect_Settled();
	uint8_t* pixels;
	uint32_t width, height;
	drapeMessage error = {0};
	if (drapePng_Read(still, &pixels, &width, &height, &error) != drape_ok)
		fail_msg("%s", error.text);
	assert_true(width == 1280 && height == 720);
	// The ground is grey, the cloth is not.
	int coloured = 0;
	for (size_t i = 0; i < (size_t)width * height; ++i)
		coloured += abs(pixels[3 * i] - pixels[3 * i + 2]) > 50;
	assert_true(coloured > 5000);
	drapeFree(pixels, 3 * (size_t)width * height);
	Quit();
	unlink(scene);
	unlink(still);
}

// --- views ---

static void EveryViewIsAnotherPicture(void** state)
{
	NEEDS_WINDOW;
	STUDIO_START("scenes/two_corners.json");
	StepTo(8);
	Picture last = Window_Picture();
	for (int i = 1; i <= drape_viewCount; ++i)
	{
		Key("v");
		Expect_Number("view", i % drape_viewCount);
		Expect_Settled();
		Picture picture = Window_Picture();
		assert_true(Picture_Difference(&last, &picture, 240, 80, 720, 600) > 500);
		free(last.pixels);
		last = picture;
	}
	free(last.pixels);
	assert_true(Probe_Number("errors") == 0);
	Key("F1");
	Expect_Item("Help/Close");
	Key("F1");
	Quit();
}

// --- never loses work ---

static void ClosingAsksForUnsavedChanges(void** state)
{
	NEEDS_WINDOW;
	const char* saved = Program_Scratch("asked.json");
	unlink(saved);
	STUDIO_START(NULL);
	Key("a");
	Click("Add/Square sheet");
	Expect_Number("cloths", 1);
	Expect_True("unsaved");
	Studio_CloseWindow();
	Click("Unsaved/Cancel");
	Expect_False("modal");
	Expect_Number("cloths", 1);
	Studio_CloseWindow();
	Click("Unsaved/Save");
	Expect_Item("Browser/##name");
	Key("ctrl+a");
	Type(saved);
	Key("Return");
	assert_int_equal(Studio_Wait(), 0);
	drapeScene* scene = ReadScene(saved);
	assert_int_equal(scene->clothCount, 1);
	drapeScene_Free(scene);
	unlink(saved);
}

static void AKilledStudioOffersItsWork(void** state)
{
	NEEDS_WINDOW;
	STUDIO_START(NULL);
	Key("a");
	Click("Add/Square sheet");
	Key("a");
	Click("Add/Box");
	Expect_Number("colliders", 2);
	Expect_Settled();
	// Until it was saved by itself.
	char folder[760];
	snprintf(folder, sizeof folder, "%s/drape", getenv("XDG_STATE_HOME"));
	ProgramName names[32];
	bool found = false;
	for (int i = 0; !found && i < 600; ++i)
	{
		int count = Program_List(folder, names, 32);
		for (int k = 0; k < count; ++k)
		{
			char path[900];
			snprintf(path, sizeof path, "%s/%.120s", folder, names[k].text);
			if (strncmp(names[k].text, "autosave.", 9) != 0 || !strstr(names[k].text, ".json") || strstr(path, ".tmp"))
				continue;
			size_t size;
			char* text = Program_ReadFile(path, &size);
			found = found || strstr(text, "box");
			free(text);
		}
		Expect_AtLeast("drawn", Probe_Number("drawn") + 1);
	}
	assert_true(found);
	Studio_Kill();
	STUDIO_START(NULL);
	Click("Recover/Recover");
	Expect_Number("cloths", 1);
	Expect_Number("colliders", 2);
	Expect_True("unsaved");
	Quit();
	// Only once.
	STUDIO_START(NULL);
	assert_false(Probe_HasItem("Recover/Recover"));
	Quit();
}

static void KeysAloneOpenRunAndSave(void** state)
{
	NEEDS_WINDOW;
	const char* saved = Program_Scratch("keys.json");
	char here[400], path[500];
	assert_non_null(getcwd(here, sizeof here));
	snprintf(path, sizeof path, "%s/scenes/handle.json", here);
	STUDIO_START(NULL);
	Key("ctrl+o");
	Expect_Item("Browser/##name");
	Type(path);
	Key("Return");
	Expect_AtLeast("cloths", 1);
	Key("Tab");
	Key("ctrl+d");
	Expect_True("unsaved");
	Key("Delete");
	Key("a");
	Expect_True("modal");
	Key("Down");
	Key("Return");
	Expect_AtLeast("steps", 4);
	Key("Right");
	Expect_Number("frame", 1);
	SaveAs(saved);
	// A file that was opened or saved is remembered.
	Key("ctrl+n");
	Expect_Number("cloths", 0);
	char item[128];
	snprintf(item, sizeof item, "Welcome/%.100s", strrchr(saved, '/') + 1);
	Expect_Item(item);
	Quit();
	unlink(saved);
}

#define WINDOW_TEST(test) cmocka_unit_test_teardown(test, Window_EndTest)

int main(int argc, char** argv)
{
	// One test by its name, for whoever looks for a fault.
	if (argc > 1)
		cmocka_set_test_filter(argv[1]);
	const struct CMUnitTest tests[] = {
		WINDOW_TEST(AnEmptyStudioSaysHowToBegin),
		WINDOW_TEST(AFileThatIsNoneIsSaid),
		WINDOW_TEST(AScenePlaysAsDrapeRunDoes),
		WINDOW_TEST(AnObjectBecomesClothThatFallsOnABall),
		WINDOW_TEST(DroppedFilesAreOpenedAndAdded),
		WINDOW_TEST(FilesOfAFrameEachBecomeASequence),
		WINDOW_TEST(ClicksAndBoxesPinAndFree),
		WINDOW_TEST(AMousePullsAVertexThatFollows),
		WINDOW_TEST(HandlesMoveWhatIsSelected),
		WINDOW_TEST(TheCameraTurnsAndComesNearer),
		WINDOW_TEST(AFabricChangesWhileItRunsAndIsUndone),
		WINDOW_TEST(ModelsAndCriteriaChangeByTheirRows),
		WINDOW_TEST(AValueThatCannotBeIsRefusedAndSaid),
		WINDOW_TEST(AClothThatExplodesIsHeldAndTheStudioGoesOn),
		WINDOW_TEST(RecordingMakesAFilm),
		WINDOW_TEST(RecordedMeshesAreThoseOfDrapeRun),
		WINDOW_TEST(AStillIsTheWholePicture),
		WINDOW_TEST(EveryViewIsAnotherPicture),
		WINDOW_TEST(ClosingAsksForUnsavedChanges),
		WINDOW_TEST(AKilledStudioOffersItsWork),
		WINDOW_TEST(KeysAloneOpenRunAndSave),
	};
	return cmocka_run_group_tests(tests, Window_OpenServer, Window_CloseServer);
}
