// SPDX-License-Identifier: MIT
#include "studio.h"

#include <epoxy/gl.h>
#include <GLFW/glfw3.h>

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

// Seconds between two autosaves. Tests set a shorter time.
static double AutosaveInterval(void)
{
	const char* text = getenv("DRAPE_AUTOSAVE_SECONDS");
	double seconds = text ? strtod(text, NULL) : 0.0;
	return seconds > 0.0 ? seconds : 15.0;
}

// --- events between two frames ---

enum
{
	eventCapacity = 64
};

static struct
{
	int keys[eventCapacity][2]; // key, modifiers
	int keyCount;
	char* drops[eventCapacity];
	int dropCount;
	bool close;
} events;

static volatile sig_atomic_t stopAsked;

static void OnSignal(int number)
{
	(void)number;
	stopAsked = 1;
}

static void OnKey(GLFWwindow* window, int key, int scancode, int action, int modifiers)
{
	(void)window;
	(void)scancode;
	if (action == GLFW_RELEASE || events.keyCount == eventCapacity)
		return;
	events.keys[events.keyCount][0] = key;
	events.keys[events.keyCount++][1] = modifiers;
}

static void OnDrop(GLFWwindow* window, int count, const char** paths)
{
	(void)window;
	for (int i = 0; i < count && events.dropCount < eventCapacity; ++i)
		events.drops[events.dropCount++] = strdup(paths[i]);
}

static void OnClose(GLFWwindow* window)
{
	glfwSetWindowShouldClose(window, GLFW_FALSE);
	events.close = true;
}

// --- the document ---

void drapeStudio_Changed(Studio* studio, const char* label)
{
	studio->change = label;
	drapeDocument_Touch(&studio->document);
}

bool drapeStudio_Commit(Studio* studio)
{
	drapeMessage error = {0};
	const char* label = studio->change;
	studio->change = NULL;
	if (!label || drapeDocument_Commit(&studio->document, label, &error))
		return true;
	drapeMessages_Add(&studio->messages, message_error, "Not possible, so it stays as it was: %s", error.text);
	return false;
}

void drapeStudio_Select(Studio* studio, Item item)
{
	if (!Item_Same(studio->selection, item))
		studio->showProperties = true;
	studio->selection = item;
}

// Resets the view after another document was opened.
static void Restart(Studio* studio)
{
	studio->selection = (Item){0};
	studio->change = NULL;
	studio->restart = true;
	studio->framed = false;
	studio->statistics.count = 0;
	studio->sentRevision = studio->document.revision - 1;
	drapeRunner_Play(studio->runner, false);
}

static void Open(Studio* studio, const char* path)
{
	drapeMessage error;
	if (drapeDocument_Open(&studio->document, path, &error) != drape_ok)
	{
		drapeMessages_Add(&studio->messages, message_error, "%s", error.text);
		return;
	}
	drapeFiles_AddRecent(&studio->files, studio->document.path);
	Restart(studio);
	if (studio->document.scene->clothCount > 0)
		drapeStudio_Select(studio, (Item){item_cloth, 0});
}

static void Recover(Studio* studio)
{
	drapeMessage error;
	if (drapeDocument_Recover(&studio->document, studio->files.recovered, studio->files.recoveredPath, &error) !=
	    drape_ok)
		drapeMessages_Add(&studio->messages, message_error, "%s", error.text);
	else
	{
		Restart(studio);
		studio->document.autosaved = 0;
		drapeFiles_Autosave(&studio->files, &studio->document, &studio->messages);
		drapeFiles_DropRecovered(&studio->files);
		drapeMessages_Add(&studio->messages, message_note, "Your work is back. Save it.");
	}
}

void drapeStudio_DoPending(Studio* studio)
{
	Pending pending = studio->pending;
	studio->pending = pending_none;
	switch (pending)
	{
		case pending_quit:
			studio->quit = true;
			break;
		case pending_new:
			if (drapeDocument_New(&studio->document))
				Restart(studio);
			break;
		case pending_open:
			Open(studio, studio->pendingPath);
			break;
		case pending_browse:
			drapeBrowser_Open(studio, browser_openScene);
			break;
		case pending_recover:
			Recover(studio);
			break;
		case pending_none:
			break;
	}
}

void drapeStudio_Ask(Studio* studio, Pending pending)
{
	drapeStudio_Commit(studio);
	studio->pending = pending;
	if (drapeDocument_IsUnsaved(&studio->document))
		studio->askClose = true;
	else
		drapeStudio_DoPending(studio);
}

void drapeStudio_OpenFile(Studio* studio, const char* path)
{
	snprintf(studio->pendingPath, sizeof studio->pendingPath, "%s", path);
	drapeStudio_Ask(studio, pending_open);
}

static bool HasEnding(const char* path, const char* ending)
{
	size_t length = strlen(path), wanted = strlen(ending);
	return length > wanted && strcasecmp(path + length - wanted, ending) == 0;
}

void drapeStudio_AddFile(Studio* studio, const char* path)
{
	if (HasEnding(path, ".json"))
	{
		drapeStudio_OpenFile(studio, path);
		return;
	}
	if (!HasEnding(path, ".obj"))
	{
		drapeMessages_Add(&studio->messages, message_error, "%s: this is neither a scene (.json) nor a mesh (.obj)",
		                  path);
		return;
	}
	char absolute[document_pathCapacity], here[2048] = "";
	if (path[0] != '/' && !getcwd(here, sizeof here))
		here[0] = 0;
	snprintf(absolute, sizeof absolute, "%s%s%s", here, here[0] ? "/" : "", path);
	drapeSceneObject tried = {.obj = absolute, .firstFrame = 1, .frameRate = 30.0f};
	if (!drapeObjects_Get(&studio->objects, &tried, 0.0, &studio->messages))
		return;
	bool first = drapeScene_IsBlank(studio->document.scene);
	drapeStudio_Select(studio, drapeScene_AddObject(studio->document.scene, absolute));
	drapeStudio_Changed(studio, "Add an object");
	studio->framed = studio->framed && !first;
}

bool drapeStudio_Save(Studio* studio, const char* path)
{
	drapeMessage error;
	if (!drapeStudio_Commit(studio))
		return false;
	if (!path && studio->document.path[0] == 0)
	{
		drapeBrowser_Open(studio, browser_saveScene);
		return false;
	}
	if (drapeDocument_Save(&studio->document, path ? path : studio->document.path, &error) != drape_ok)
	{
		drapeMessages_Add(&studio->messages, message_error, "%s", error.text);
		return false;
	}
	drapeFiles_AddRecent(&studio->files, studio->document.path);
	drapeFiles_DropAutosave(&studio->files);
	drapeMessages_Add(&studio->messages, message_note, "Saved: %s", studio->document.path);
	return true;
}

// --- items in space ---

double drapeStudio_Time(const Studio* studio)
{
	return studio->frame->time;
}

const FrameCloth* drapeStudio_FrameCloth(const Studio* studio, uint32_t cloth)
{
	const char* name = studio->document.scene->cloths[cloth].name;
	for (uint32_t i = 0; i < studio->frame->clothCount; ++i)
		if (strcmp(studio->frame->cloths[i].name, name) == 0 && studio->frame->cloths[i].view.positions)
			return &studio->frame->cloths[i];
	return NULL;
}

static drapeBounds ObjectBounds(Studio* studio, const drapeSceneObject* object, drapeTransform transform)
{
	drapeBounds bounds = drapeBounds_Empty();
	const ObjectMesh* mesh = drapeObjects_Get(&studio->objects, object, drapeStudio_Time(studio), &studio->messages);
	for (uint32_t i = 0; mesh && i < mesh->obj.mesh.vertexCount; ++i)
	{
		drapeVec3 p = drapeTransform_Point(transform, mesh->obj.mesh.positions[i]);
		bounds = drapeBounds_Union(bounds, (drapeBounds){p, p});
	}
	return bounds;
}

static drapeBounds ColliderBounds(const FrameShape* shape)
{
	drapeBounds bounds = drapeBounds_Empty();
	for (uint32_t i = 0; i < shape->mesh.vertexCount; ++i)
		bounds = drapeBounds_Union(bounds, (drapeBounds){shape->mesh.positions[i], shape->mesh.positions[i]});
	drapePicture picture = {.shapes = &shape->shape, .shapeCount = 1};
	const drapeColliderShapeInfo* info = drapeColliderShape_GetInfo(shape->shape.def.shape);
	return info->isBounded && !info->isMesh ? drapePicture_GetBounds(&picture) : bounds;
}

drapeBounds drapeStudio_Bounds(Studio* studio, Item item)
{
	drapeBounds bounds = drapeBounds_Empty();
	const drapeScene* scene = studio->document.scene;
	if (!drapeScene_Has(scene, item))
		return bounds;
	if (item.kind == item_cloth)
	{
		const FrameCloth* cloth = drapeStudio_FrameCloth(studio, item.index);
		for (uint32_t i = 0; cloth && i < cloth->view.particleCount; ++i)
		{
			drapeVec3 p = V3_From4(cloth->view.positions[i]);
			bounds = drapeBounds_Union(bounds, (drapeBounds){p, p});
		}
	}
	else if (item.kind == item_collider && item.index < studio->frame->shapeCount)
		bounds = ColliderBounds(&studio->frame->shapes[item.index]);
	else if (item.kind == item_object)
	{
		const drapeSceneObject* object = &scene->objects[item.index];
		bounds = ObjectBounds(studio, object, drapeScenePose_GetTransform(object->pose));
	}
	return bounds;
}

void drapeStudio_FrameAll(Studio* studio)
{
	drapeBounds bounds = drapeBounds_Empty();
	const drapeScene* scene = studio->document.scene;
	for (uint32_t i = 0; drapeScene_ItemAt(scene, i).kind != item_none; ++i)
		bounds = drapeBounds_Union(bounds, drapeStudio_Bounds(studio, drapeScene_ItemAt(scene, i)));
	if (bounds.min.x > bounds.max.x)
		bounds = (drapeBounds){V3(-0.8f, 0.0f, -0.8f), V3(0.8f, 1.2f, 0.8f)};
	// Leave space below, so that falling cloth stays in the picture.
	bounds.min.y = fminf(bounds.min.y, 0.0f);
	float aspect = fmaxf(studio->picture.width, 1.0f) / fmaxf(studio->picture.height, 1.0f);
	drapeCamera camera = drapeCamera_Frame(bounds, fminf(aspect, FILM_ASPECT));
	drapeOrbitCamera_Set(&studio->camera, &camera);
	studio->camera.ofScene = false;
}

// Sets the camera for a new document: the scene's own, or one that shows everything.
static void FrameFirst(Studio* studio)
{
	const drapeSceneCamera* given = &studio->document.scene->camera;
	if (studio->framed || studio->frame->scene != studio->sentScene)
		return;
	if (given->given)
	{
		drapeCamera camera = {given->position, given->target, given->fieldOfView};
		drapeOrbitCamera_Set(&studio->camera, &camera);
		studio->camera.ofScene = true;
	}
	else
		drapeStudio_FrameAll(studio);
	studio->framed = true;
}

// --- a frame of the window ---

static void HandleEvents(Studio* studio)
{
	for (int i = 0; i < events.keyCount; ++i)
	{
		// Text fields and dialogs handle their own keys.
		if (drapeUi_HasModal())
			studio->escape = studio->escape || events.keys[i][0] == GLFW_KEY_ESCAPE;
		else if (!drapeUi_WantsText())
			drapeCommands_Key(studio, events.keys[i][0], events.keys[i][1]);
	}
	events.keyCount = 0;
	for (int i = 0; i < events.dropCount; ++i)
	{
		if (events.drops[i])
			drapeStudio_AddFile(studio, events.drops[i]);
		free(events.drops[i]);
	}
	events.dropCount = 0;
	if (stopAsked)
		studio->quit = true;
	else if (events.close && !drapeUi_HasModal())
		drapeStudio_Ask(studio, pending_quit);
	events.close = false;
}

static void TakeFrame(Studio* studio)
{
	char text[512];
	studio->frame = drapeRunner_Latest(studio->runner);
	studio->playing = drapeRunner_IsPlaying(studio->runner);
	drapeStatistics_Add(&studio->statistics, studio->frame);
	while (drapeRunner_TakeMessage(studio->runner, text, sizeof text))
		drapeMessages_Add(&studio->messages, message_error, "%s", text);
	FrameFirst(studio);
}

// Sends changes to the simulation. They become a step of history as soon as the user holds no control.
static void SendChanges(Studio* studio)
{
	if (studio->change && !drapeUi_IsEditing() && !studio->gizmo.held)
		drapeStudio_Commit(studio);
	if (studio->sentRevision == studio->document.revision)
		return;
	// While the user drags a value, the simulation applies the scenes that it can keep up with.
	char* text = drapeRunner_IsBusy(studio->runner) && studio->change ? NULL : drapeDocument_Text(&studio->document);
	if (!text)
		return;
	studio->sentScene = drapeRunner_SetScene(studio->runner, text, studio->restart);
	studio->sentRevision = studio->document.revision;
	studio->restart = false;
}

typedef struct Layout
{
	UiRect toolbar, tree, statistics, properties, status;
} Layout;

static Layout MakeLayout(Studio* studio)
{
	float w = (float)studio->width, h = (float)studio->height;
	const float top = 46, bottom = 26, left = 240, right = 316, plots = 302;
	studio->picture = (UiRect){left, top, fmaxf(w - left - right, 64), fmaxf(h - top - bottom, 64)};
	return (Layout){.toolbar = {0, 0, w, top},
	                .tree = {0, top, left, fmaxf(h - top - bottom - plots, 80)},
	                .statistics = {0, h - bottom - plots, left, plots},
	                .properties = {w - right, top, right, h - top - bottom},
	                .status = {0, h - bottom, w, bottom}};
}

static void ShowPanels(Studio* studio)
{
	Layout layout = MakeLayout(studio);
	if (studio->escape)
	{
		drapeUi_CloseTop();
		studio->pending = pending_none;
	}
	studio->escape = false;
	float aspect = studio->picture.width / studio->picture.height;
	drapeCamera camera = drapeOrbitCamera_For(&studio->camera, aspect);
	studio->lens = drapeLens_Make(&camera, studio->picture);
	drapeTools_Update(studio);
	camera = drapeOrbitCamera_For(&studio->camera, aspect);
	studio->lens = drapeLens_Make(&camera, studio->picture);
	drapeTools_DrawOverlay(studio);
	drapeToolbar_Show(studio, layout.toolbar);
	drapeTree_Show(studio, layout.tree);
	// Undo may have removed the selected item.
	if (!drapeScene_Has(studio->document.scene, studio->selection))
		studio->selection = (Item){0};
	drapeStatistics_Show(studio, layout.statistics);
	drapeProperties_Show(studio, layout.properties);
	drapeStatusBar_Show(studio, layout.status);
	drapeWelcome_Show(studio);
	drapeMessages_Show(studio);
	drapeHelp_Show(studio);
	drapeDialogs_Show(studio);
}

static void Measure(Studio* studio)
{
	double now = glfwGetTime(), passed = now - studio->now;
	studio->now = now;
	if (passed > 0.0 && passed < 1.0)
		studio->fps = studio->fps > 0.0 ? studio->fps + 0.1 * (1.0 / passed - studio->fps) : 1.0 / passed;
}

// The window waits for events; the simulation wakes it.
static void WaitForEvents(const Studio* studio)
{
	bool lively = studio->playing || studio->recorder || studio->change || studio->drag.active ||
	              drapeRunner_IsBusy(studio->runner) || studio->sentRevision != studio->document.revision;
	if (lively)
		glfwPollEvents();
	else
		glfwWaitEventsTimeout(0.1);
}

static void DrawWindow(Studio* studio)
{
	int pixelWidth, pixelHeight;
	glfwGetWindowSize(studio->window, &studio->width, &studio->height);
	glfwGetFramebufferSize(studio->window, &pixelWidth, &pixelHeight);
	if (studio->width == 0 || studio->height == 0 || pixelWidth == 0 || pixelHeight == 0)
		return;
	studio->scale = (float)pixelWidth / (float)studio->width;
	drapeUi_Begin();
	ShowPanels(studio);
	glBindFramebuffer(GL_FRAMEBUFFER, 0);
	glViewport(0, 0, pixelWidth, pixelHeight);
	glDisable(GL_SCISSOR_TEST);
	glClearColor(0.1f, 0.11f, 0.12f, 1.0f);
	glClear(GL_COLOR_BUFFER_BIT);
	drapePicture_Draw(studio);
	glViewport(0, 0, pixelWidth, pixelHeight);
	drapeUi_End();
	glfwSwapBuffers(studio->window);
	studio->drawn++;
	drapeObjects_Sweep(&studio->objects);
}

static void SetTitle(Studio* studio)
{
	static char shown[200];
	char title[200];
	snprintf(title, sizeof title, "%s%.150s - drape studio", drapeDocument_IsUnsaved(&studio->document) ? "* " : "",
	         drapeDocument_Title(&studio->document));
	if (strcmp(shown, title) == 0)
		return;
	strcpy(shown, title);
	glfwSetWindowTitle(studio->window, title);
}

static void Loop(Studio* studio)
{
	while (!studio->quit)
	{
		WaitForEvents(studio);
		Measure(studio);
		HandleEvents(studio);
		TakeFrame(studio);
		DrawWindow(studio);
		SendChanges(studio);
		drapeRecorder_Update(studio);
		SetTitle(studio);
		if (studio->now - studio->autosaveTime > studio->autosaveEvery)
		{
			studio->autosaveTime = studio->now;
			drapeFiles_Autosave(&studio->files, &studio->document, &studio->messages);
		}
		if (studio->probe)
			drapeProbe_Write(studio);
	}
}

// --- start and end ---

static int Fail(const char* what, const char* why)
{
	fprintf(stderr, "drape: %s: %s\n", what, why);
	return 1;
}

static bool OpenWindow(Studio* studio)
{
	glfwWindowHint(GLFW_CONTEXT_VERSION_MAJOR, 3);
	glfwWindowHint(GLFW_CONTEXT_VERSION_MINOR, 3);
	glfwWindowHint(GLFW_OPENGL_PROFILE, GLFW_OPENGL_CORE_PROFILE);
	glfwWindowHint(GLFW_OPENGL_FORWARD_COMPAT, GLFW_TRUE);
	glfwWindowHint(GLFW_SAMPLES, 0);
	studio->window = glfwCreateWindow(1280, 720, "drape studio", NULL, NULL);
	if (!studio->window)
		return false;
	glfwSetWindowSizeLimits(studio->window, 960, 600, GLFW_DONT_CARE, GLFW_DONT_CARE);
	glfwMakeContextCurrent(studio->window);
	glfwSwapInterval(1);
	glfwSetKeyCallback(studio->window, OnKey);
	glfwSetDropCallback(studio->window, OnDrop);
	glfwSetWindowCloseCallback(studio->window, OnClose);
	return true;
}

static void Begin(Studio* studio, const char* path)
{
	studio->messages.clock = &studio->now;
	studio->autosaveEvery = AutosaveInterval();
	studio->camera = (OrbitCamera){.distance = 4.0f, .yaw = 0.45f, .pitch = 0.3f, .fieldOfView = 0.5f};
	drapeFiles_Open(&studio->files);
	studio->askRecover = studio->files.recovered[0] != 0;
	studio->frame = drapeRunner_Latest(studio->runner);
	Restart(studio);
	if (path)
		drapeStudio_AddFile(studio, path);
}

static int Work(Studio* studio, const char* path)
{
	drapeMessage error = {0};
	if (drapeCreateRenderer(&studio->renderer, &error) != drape_ok)
		return Fail("the studio cannot draw", error.text);
	if (!drapeUi_Create(studio->window))
		return Fail("the studio cannot draw", "the user interface does not start");
	studio->runner = drapeRunner_Create(glfwPostEmptyEvent);
	if (!studio->runner || !drapeDocument_New(&studio->document))
		return Fail("the studio cannot start", "out of memory");
	if (studio->probe)
		drapeRunner_WantHash(studio->runner);
	Begin(studio, path);
	Loop(studio);
	// After a signal the autosave stays for the next start. A user who closes the window has decided about the changes.
	if (stopAsked)
		drapeFiles_Autosave(&studio->files, &studio->document, &studio->messages);
	else
		drapeFiles_DropAutosave(&studio->files);
	return 0;
}

static void End(Studio* studio)
{
	if (studio->recorder)
		drapeRecorder_Stop(studio, false);
	drapeRunner_Destroy(studio->runner);
	if (studio->renderer)
		drapeUi_Destroy();
	drapeDestroyRenderer(studio->renderer);
	drapePicture_Free();
	drapeObjects_Free(&studio->objects);
	drapeBrowser_Free(&studio->browser);
	drapeDocument_Free(&studio->document);
	if (studio->window)
		glfwDestroyWindow(studio->window);
	glfwTerminate();
}

int drapeStudio_Open(const char* path, const char* probe)
{
	static Studio studio;
	studio = (Studio){.probe = probe};
	if (path && access(path, R_OK) != 0)
	{
		fprintf(stderr, "drape: %s: cannot be read\n", path);
		return 3;
	}
	const char* why = NULL;
	if (!glfwInit())
	{
		glfwGetError(&why);
		return Fail("the studio needs a display", why ? why : "none was found");
	}
	struct sigaction action = {.sa_handler = OnSignal};
	sigaction(SIGINT, &action, NULL);
	sigaction(SIGTERM, &action, NULL);
	int code = 1;
	if (OpenWindow(&studio))
		code = Work(&studio, path);
	else
	{
		glfwGetError(&why);
		Fail("the studio cannot open a window", why ? why : "OpenGL 3.3 is not offered");
	}
	End(&studio);
	return code;
}
