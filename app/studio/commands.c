// SPDX-License-Identifier: MIT
#include "studio.h"

#include <GLFW/glfw3.h>

#include <stdio.h>
#include <string.h>

// Every action that has a key. Menus, tool tips and the help page read this table too.

// --- files ---

static void New(Studio* studio)
{
	drapeStudio_Ask(studio, pending_new);
}

static void OpenScene(Studio* studio)
{
	drapeStudio_Ask(studio, pending_browse);
}

static void AddObject(Studio* studio)
{
	drapeBrowser_Open(studio, browser_addObject);
}

static void Save(Studio* studio)
{
	drapeStudio_Save(studio, NULL);
}

static void SaveAs(Studio* studio)
{
	drapeBrowser_Open(studio, browser_saveScene);
}

static void Quit(Studio* studio)
{
	drapeStudio_Ask(studio, pending_quit);
}

// --- time ---

static bool HasCloth(const Studio* studio)
{
	return studio->document.scene->clothCount > 0 && !studio->recorder;
}

static void Play(Studio* studio)
{
	drapeRunner_Play(studio->runner, !studio->playing);
}

static void Step(Studio* studio)
{
	drapeRunner_Step(studio->runner);
}

static void Stop(Studio* studio)
{
	drapeRunner_Stop(studio->runner);
}

static void Reset(Studio* studio)
{
	drapeRunner_Reset(studio->runner);
}

static void Record(Studio* studio)
{
	if (studio->recorder)
		drapeRecorder_Stop(studio, true);
	else
		studio->askRecord = true;
}

static bool CanRecord(const Studio* studio)
{
	return studio->recorder || HasCloth(studio);
}

static void Still(Studio* studio)
{
	drapeRecorder_Still(studio);
}

// --- changes ---

static bool CanUndo(const Studio* studio)
{
	return drapeDocument_CanUndo(&studio->document);
}

static bool CanRedo(const Studio* studio)
{
	return drapeDocument_CanRedo(&studio->document);
}

static void Undo(Studio* studio)
{
	const char* label = drapeStudio_Commit(studio) ? drapeDocument_Undo(&studio->document) : NULL;
	if (label)
		drapeMessages_Add(&studio->messages, message_note, "Undone: %s", label);
}

static void Redo(Studio* studio)
{
	const char* label = drapeDocument_Redo(&studio->document);
	if (label)
		drapeMessages_Add(&studio->messages, message_note, "Done again: %s", label);
}

static bool HasSelection(const Studio* studio)
{
	return studio->selection.kind >= item_cloth && drapeScene_Has(studio->document.scene, studio->selection);
}

static void Delete(Studio* studio)
{
	drapeScene_Remove(studio->document.scene, studio->selection);
	studio->selection = (Item){0};
	drapeStudio_Changed(studio, "Delete");
}

static void Duplicate(Studio* studio)
{
	Item copy = drapeScene_Copy(studio->document.scene, studio->selection);
	drapeScenePose* pose = drapeScene_ItemPose(studio->document.scene, copy);
	if (!pose)
		return;
	pose->position.x += 0.3f;
	drapeStudio_Select(studio, copy);
	drapeStudio_Changed(studio, "Duplicate");
}

static bool CanMakeCloth(const Studio* studio)
{
	return studio->selection.kind == item_object && drapeScene_Has(studio->document.scene, studio->selection);
}

// One level makes four triangles of one. Returns the number of levels that gives at most some ten thousand.
static uint32_t LevelsFor(uint32_t triangles)
{
	return triangles <= 300 ? 3 : triangles <= 1500 ? 2 : triangles <= 8000 ? 1 : 0;
}

static void MakeCloth(Studio* studio)
{
	drapeScene* scene = studio->document.scene;
	const drapeSceneObject* object = &scene->objects[studio->selection.index];
	const ObjectMesh* mesh = drapeObjects_Get(&studio->objects, object, 0.0, &studio->messages);
	drapeMeshReport report;
	if (!mesh)
		return;
	if (drapeFrameName_IsSequence(object->obj))
	{
		drapeMessages_Add(&studio->messages, message_error, "A sequence of files moves by itself and cannot be cloth");
		return;
	}
	if (drapeMesh_Check(&mesh->obj.mesh, NULL, &report, NULL) != drape_ok)
	{
		char why[256] = "it is empty";
		if (report.problemCount > 0)
			drapeProblem_Format(&report.problems[0], 1, why, sizeof why);
		drapeMessages_Add(&studio->messages, message_error,
		                  "This mesh cannot be cloth: %s. `drape check --repair` mends what can be mended.", why);
		return;
	}
	Item cloth = drapeScene_ObjectToCloth(scene, studio->selection.index, LevelsFor(report.triangles));
	if (cloth.kind == item_none)
		return;
	drapeStudio_Select(studio, cloth);
	studio->restart = true;
	drapeStudio_Changed(studio, "Turn into cloth");
}

static void ShowAdd(Studio* studio)
{
	studio->wantAdd = true;
}

// --- selection, tools, view ---

static void NextItem(Studio* studio)
{
	const drapeScene* scene = studio->document.scene;
	uint32_t number = 0;
	while (drapeScene_ItemAt(scene, number).kind != item_none &&
	       !Item_Same(drapeScene_ItemAt(scene, number), studio->selection))
		++number;
	bool found = drapeScene_ItemAt(scene, number).kind != item_none;
	Item next = drapeScene_ItemAt(scene, found ? number + 1 : 0);
	drapeStudio_Select(studio, next.kind == item_none ? drapeScene_ItemAt(scene, 0) : next);
}

static void Deselect(Studio* studio)
{
	if (drapeRunner_IsSlow(studio->runner))
		drapeRunner_Stop(studio->runner);
	else if (studio->help)
		studio->help = false;
	else if (studio->messages.shown)
		studio->messages.shown = false;
	else
		studio->selection = (Item){0};
}

static void FrameAll(Studio* studio)
{
	drapeStudio_FrameAll(studio);
}

static void FrameSelection(Studio* studio)
{
	drapeBounds bounds = drapeStudio_Bounds(studio, studio->selection);
	if (bounds.min.x > bounds.max.x)
		return;
	studio->camera.target = V3_Scale(V3_Add(bounds.min, bounds.max), 0.5f);
	studio->camera.distance =
		fmaxf(1.6f * V3_Distance(bounds.min, bounds.max) / (2.0f * tanf(0.5f * studio->camera.fieldOfView)), 0.1f);
}

static void KeepCamera(Studio* studio)
{
	drapeCamera camera = drapeOrbitCamera_Get(&studio->camera);
	drapeSceneCamera* kept = &studio->document.scene->camera;
	*kept = (drapeSceneCamera){camera.eye, camera.target, camera.fieldOfView, true};
	drapeStudio_Changed(studio, "Keep this view");
	drapeMessages_Add(&studio->messages, message_note, "The scene's camera is this view");
}

static void NextView(Studio* studio)
{
	studio->view = (drapeRenderView)((studio->view + 1) % drape_viewCount);
}

static void LastView(Studio* studio)
{
	studio->view = (drapeRenderView)((studio->view + drape_viewCount - 1) % drape_viewCount);
}

static void ShowHelp(Studio* studio)
{
	studio->help = !studio->help;
}

static void ShowMessages(Studio* studio)
{
	studio->messages.shown = !studio->messages.shown;
}

#define TOOL(name)                                                                                                     \
	static void Tool_##name(Studio* studio)                                                                            \
	{                                                                                                                  \
		studio->tool = tool_##name;                                                                                    \
	}

TOOL(select)
TOOL(move)
TOOL(rotate)
TOOL(scale)
TOOL(grab)
TOOL(pin)

// --- the table ---

#define CONTROL GLFW_MOD_CONTROL
#define SHIFT GLFW_MOD_SHIFT

static const Command commands[] = {
	{"New", "Ctrl+N", "File", GLFW_KEY_N, CONTROL, New, NULL},
	{"Open scene", "Ctrl+O", "File", GLFW_KEY_O, CONTROL, OpenScene, NULL},
	{"Add OBJ file", "Ctrl+I", "File", GLFW_KEY_I, CONTROL, AddObject, NULL},
	{"Save", "Ctrl+S", "File", GLFW_KEY_S, CONTROL, Save, NULL},
	{"Save as", "Ctrl+Shift+S", "File", GLFW_KEY_S, CONTROL | SHIFT, SaveAs, NULL},
	{"Quit", "Ctrl+Q", "File", GLFW_KEY_Q, CONTROL, Quit, NULL},
	{"Play or pause", "Space", "Time", GLFW_KEY_SPACE, 0, Play, HasCloth},
	{"Single step", "Right", "Time", GLFW_KEY_RIGHT, 0, Step, HasCloth},
	{"Stop", "End", "Time", GLFW_KEY_END, 0, Stop, HasCloth},
	{"Back to the start", "Home", "Time", GLFW_KEY_HOME, 0, Reset, HasCloth},
	{"Record", "F5", "Time", GLFW_KEY_F5, 0, Record, CanRecord},
	{"Still picture", "F12", "Time", GLFW_KEY_F12, 0, Still, NULL},
	{"Undo", "Ctrl+Z", "Change", GLFW_KEY_Z, CONTROL, Undo, CanUndo},
	{"Redo", "Ctrl+Y", "Change", GLFW_KEY_Y, CONTROL, Redo, CanRedo},
	{"Add", "A", "Change", GLFW_KEY_A, 0, ShowAdd, NULL},
	{"Duplicate", "Ctrl+D", "Change", GLFW_KEY_D, CONTROL, Duplicate, HasSelection},
	{"Delete", "Del", "Change", GLFW_KEY_DELETE, 0, Delete, HasSelection},
	{"Turn into cloth", "C", "Change", GLFW_KEY_C, 0, MakeCloth, CanMakeCloth},
	{"Select", "Q", "Tools", GLFW_KEY_Q, 0, Tool_select, NULL},
	{"Move", "W", "Tools", GLFW_KEY_W, 0, Tool_move, NULL},
	{"Turn", "E", "Tools", GLFW_KEY_E, 0, Tool_rotate, NULL},
	{"Scale", "R", "Tools", GLFW_KEY_R, 0, Tool_scale, NULL},
	{"Grab cloth", "G", "Tools", GLFW_KEY_G, 0, Tool_grab, NULL},
	{"Pin", "P", "Tools", GLFW_KEY_P, 0, Tool_pin, NULL},
	{"Next item", "Tab", "View", GLFW_KEY_TAB, 0, NextItem, NULL},
	{"Nothing selected", "Esc", "View", GLFW_KEY_ESCAPE, 0, Deselect, NULL},
	{"All in the picture", "F", "View", GLFW_KEY_F, 0, FrameAll, NULL},
	{"Look at the selection", ".", "View", GLFW_KEY_PERIOD, 0, FrameSelection, HasSelection},
	{"Keep this view in the scene", "Ctrl+K", "View", GLFW_KEY_K, CONTROL, KeepCamera, NULL},
	{"Next view mode", "V", "View", GLFW_KEY_V, 0, NextView, NULL},
	{"Last view mode", "Shift+V", "View", GLFW_KEY_V, SHIFT, LastView, NULL},
	{"Messages", "M", "View", GLFW_KEY_M, 0, ShowMessages, NULL},
	{"Help", "F1", "View", GLFW_KEY_F1, 0, ShowHelp, NULL},
};

enum
{
	commandCount = sizeof commands / sizeof commands[0]
};

const Command* drapeCommands_At(int index)
{
	return index < commandCount ? &commands[index] : NULL;
}

const Command* drapeCommands_Find(const char* name)
{
	for (int i = 0; i < commandCount; ++i)
		if (strcmp(commands[i].name, name) == 0)
			return &commands[i];
	return NULL;
}

void drapeCommands_Run(Studio* studio, const Command* command)
{
	if (command && (!command->enabled || command->enabled(studio)))
		command->run(studio);
}

bool drapeCommands_Key(Studio* studio, int key, int modifiers)
{
	modifiers &= CONTROL | SHIFT;
	for (int i = 0; i < commandCount; ++i)
		if (commands[i].key == key && commands[i].modifiers == modifiers)
		{
			drapeCommands_Run(studio, &commands[i]);
			return true;
		}
	return false;
}
