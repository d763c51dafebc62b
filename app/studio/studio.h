// SPDX-License-Identifier: MIT
#pragma once

// The studio: the interactive tool.
//
// Modules that know nothing of windows:
//   document/     the scene that is edited, its file and its history (document.c); changes of a scene (edit.c)
//   simulation/   a running scene (simulation.c) that takes changes while it runs (simulation_apply.c), the thread that
//                 runs it (runner.c), and the copy of its state that the window draws (frame.c)
//
// Modules of the window:
//   ui/           Dear ImGui for C (ui.h), icons
//   view/         the picture: camera, renderer input (picture.c), meshes that are only drawn (objects.c), picking,
//                 handles (gizmo.c), mouse tools
//   panels/       toolbar, tree, properties, fabrics, statistics, dialogs, file browser, welcome page, help, messages
//   studio.c      the window and its loop         commands.c   every action that has a key
//   record.c      films, pictures, OBJ files      files.c      recent files, autosave, examples
//   probe.c       state that tests may read
//
// One frame of the window: events, commands, the newest Frame of the runner; panels and tools change the document; the
// text of the document goes to the runner; the picture is drawn, and the panels over it. Panels change `document.scene`
// in place and call drapeStudio_Changed. The change becomes a step of history as soon as the user holds no control.

#include "document/document.h"
#include "document/edit.h"
#include "simulation/runner.h"
#include "ui/ui.h"
#include "vec.h"

struct GLFWwindow;

// --- messages.c ---

typedef enum MessageKind
{
	message_note = 0,
	message_error,
} MessageKind;

enum
{
	message_capacity = 32
};

typedef struct Message
{
	MessageKind kind;
	double time; // s, of the window's clock
	char text[512];
} Message;

typedef struct Messages
{
	Message list[message_capacity]; // oldest first
	uint32_t count;
	uint32_t errors; // so far
	bool shown;      // the panel is open
	const double* clock;
} Messages;

void drapeMessages_Add(Messages* messages, MessageKind kind, const char* format, ...)
	__attribute__((format(printf, 3, 4)));
void drapeMessages_Clear(Messages* messages);

// --- objects.c ---

// A mesh of the scene's objects as it is drawn.
typedef struct ObjectMesh
{
	char path[document_pathCapacity]; // path of the OBJ file, or of one frame of a sequence; "" for none
	drapeSceneUp up;                  // of the file
	drapeObj obj;
	bool isRead;        // false when the file cannot be read
	drapeBounds bounds; // m, before the object's pose
	uint32_t users;     // calls of drapeObjects_Get since the last sweep
} ObjectMesh;

enum
{
	objects_capacity = 64
};

typedef struct Objects
{
	ObjectMesh meshes[objects_capacity];
	uint32_t count;
} Objects;

// The mesh of an object at `time`, s. NULL when its file cannot be read; `messages` then gets one error per file.
const ObjectMesh* drapeObjects_Get(Objects* objects, const drapeSceneObject* object, double time, Messages* messages);

// Frees the meshes that nobody asked for since the last call.
void drapeObjects_Sweep(Objects* objects);
void drapeObjects_Free(Objects* objects);

// Finds the sequence that a file such as walk.0001.obj belongs to: its pattern ("walk.$F4.obj") and the number of its
// first file. Returns the number of files, 0 when the file is alone.
uint32_t drapeObjects_FindSequence(const char* path, char* pattern, size_t capacity, uint32_t* first);

// --- files.c ---

enum
{
	files_recentCapacity = 8,
	files_exampleCapacity = 64
};

typedef struct FilesExample
{
	char path[1024];
	char name[64]; // file name without its ending
} FilesExample;

typedef struct Files
{
	char folder[1024]; // for the studio's own files; "" when there is none
	char recent[files_recentCapacity][document_pathCapacity];
	uint32_t recentCount;
	FilesExample examples[files_exampleCapacity];
	uint32_t exampleCount;
	char autosave[1100];                                        // path of this process's autosave
	char recovered[1100], recoveredPath[document_pathCapacity]; // autosave of a process that ended; "" for none
} Files;

void drapeFiles_Open(Files* files);
void drapeFiles_AddRecent(Files* files, const char* path);
void drapeFiles_Autosave(Files* files, Document* document, Messages* messages);
void drapeFiles_DropAutosave(const Files* files);
void drapeFiles_DropRecovered(Files* files);

// --- camera.c ---

// A camera that turns about its target.
typedef struct OrbitCamera
{
	drapeVec3 target;  // m
	float distance;    // m
	float yaw, pitch;  // radians
	float fieldOfView; // radians, vertical, of a film
	bool ofScene;      // the camera of the scene file, unchanged
} OrbitCamera;

drapeCamera drapeOrbitCamera_Get(const OrbitCamera* camera);

// The camera for a picture with this width over height. The vertical field of view is that of a film, 16 to 9. A camera
// of a scene was made for a film: a narrower picture keeps the film's width and shows more above and below.
drapeCamera drapeOrbitCamera_For(const OrbitCamera* camera, float aspect);

// Width over height of films.
#define FILM_ASPECT (16.0f / 9.0f)
void drapeOrbitCamera_Set(OrbitCamera* camera, const drapeCamera* from);
void drapeOrbitCamera_Turn(OrbitCamera* camera, float dx, float dy); // radians
void drapeOrbitCamera_Pan(OrbitCamera* camera, float dx, float dy);  // shares of the picture's height
void drapeOrbitCamera_Zoom(OrbitCamera* camera, float steps);

// A camera and the rectangle of its picture in the window.
typedef struct Lens
{
	drapeVec3 eye, right, up, back; // unit vectors, except eye
	float slope;                    // tangent of half the field of view
	UiRect rect;                    // pixels
} Lens;

Lens drapeLens_Make(const drapeCamera* camera, UiRect rect);
Ray drapeLens_Ray(const Lens* lens, UiPoint at);

// Computes where a point is in the window. False for points behind the eye.
bool drapeLens_Project(const Lens* lens, drapeVec3 point, UiPoint* at);

// The width of a pixel at this point, m.
float drapeLens_PixelSize(const Lens* lens, drapeVec3 point);

// --- pick.c ---

typedef struct Pick
{
	Item item;      // item_none when the ray hits no item
	float distance; // m
	drapeVec3 point;
} Pick;

// --- tools ---

typedef enum Tool
{
	tool_select = 0,
	tool_move,
	tool_rotate,
	tool_scale,
	tool_grab,
	tool_pin,
	tool_count,
} Tool;

typedef struct Gizmo
{
	int handle; // the handle under the mouse or held: 0 none, 1 to 3 axes, 4 free
	bool held;
	drapeScenePose began; // the pose when the drag began
	float grabValue;      // at the start: m along the axis, radians about it, or pixels from the centre
	drapeVec3 grabPoint;  // at the start, m; for handle 4
} Gizmo;

typedef struct Drag
{
	bool active, moved;
	UiPoint began;
	int button;
	bool grabbing;       // pulls cloth
	drapeVec3 grabPoint; // m
} Drag;

// --- statistics.c ---

enum
{
	statistics_capacity = 240,
	statistics_stages = 5
};

typedef struct Statistics
{
	float triangles[statistics_capacity];
	float stages[statistics_stages][statistics_capacity]; // ms per frame
	uint32_t count;                                       // oldest first
	uint64_t serial;
} Statistics;

// --- record.c ---

typedef enum RecordKind
{
	record_film = 0,
	record_pictures, // frame.0001.png and so on
	record_objs,     // CLOTH.0001.obj and so on
	record_kindCount,
} RecordKind;

typedef struct RecordDef
{
	RecordKind kind;
	char path[document_pathCapacity]; // a file for a film, a folder for the others
	uint32_t frames;
	uint32_t width, height; // pixels
	bool fromStart;
} RecordDef;

typedef struct Recorder Recorder;

// --- browser.c ---

typedef struct BrowserEntry
{
	char name[256];
	bool isFolder;
} BrowserEntry;

typedef enum BrowserPurpose
{
	browser_openScene = 0,
	browser_addObject,
	browser_saveScene,
} BrowserPurpose;

typedef struct Browser
{
	BrowserPurpose purpose;
	char folder[document_pathCapacity];
	char name[512]; // that the user typed or chose
	BrowserEntry* entries;
	uint32_t count;
	bool opening; // the dialog opens in this frame
	char error[256];
} Browser;

// --- studio.c ---

// The action that waits until the user has saved or dropped unsaved changes.
typedef enum Pending
{
	pending_none = 0,
	pending_quit,
	pending_new,
	pending_open, // pendingPath
	pending_browse,
	pending_recover,
} Pending;

typedef struct Studio
{
	struct GLFWwindow* window;
	int width, height; // size of the window, in screen units
	float scale;       // pixels per screen unit
	double now;        // s
	double fps;        // frames per second of the window, smoothed
	uint64_t drawn;    // frames of the window so far
	bool quit;

	Document document;
	const char* change; // label of a change that is not a step of history yet; NULL for none
	uint64_t sentRevision, sentScene;
	bool restart; // the change restarts the simulation at frame 0

	Runner* runner;
	const Frame* frame;
	bool playing;

	Item selection;
	Tool tool;
	drapeRenderView view;
	OrbitCamera camera;
	bool framed;    // the camera was set for this document
	UiRect picture; // rectangle in the window
	Lens lens;
	drapeRenderer* renderer;
	uint64_t drawnKey; // KeyOf the picture that the renderer holds; 0 for another one
	Pick hover;        // the item under the mouse when a button last went down or up
	Gizmo gizmo;
	Drag drag;

	Objects objects;
	Files files;
	Messages messages;
	Statistics statistics;
	Browser browser;
	RecordDef record;
	Recorder* recorder;
	bool escape; // closes the open dialog in this frame
	bool help, askRecord, askClose, askRecover, wantAdd, showProperties;
	Pending pending;
	char pendingPath[document_pathCapacity];
	double autosaveTime, autosaveEvery; // s
	const char* probe;                  // file for tests, NULL for none
} Studio;

// Opens the window and returns when it is closed. `path` is a scene, an OBJ file, or NULL. Returns an exit code of
// `drape`.
int drapeStudio_Open(const char* path, const char* probe);

// Every panel calls this after it has changed document.scene in place.
void drapeStudio_Changed(Studio* studio, const char* label);

// Makes one step of history of the changes. False when the reader of scenes refuses them; the user then gets a message.
bool drapeStudio_Commit(Studio* studio);
void drapeStudio_Select(Studio* studio, Item item);
void drapeStudio_OpenFile(Studio* studio, const char* path); // a scene; asks first when there are unsaved changes
void drapeStudio_AddFile(Studio* studio, const char* path);  // an OBJ file, or a scene
bool drapeStudio_Save(Studio* studio, const char* path);     // NULL: under the document's name, or asks for one
void drapeStudio_Ask(Studio* studio, Pending pending);
void drapeStudio_DoPending(Studio* studio);
void drapeStudio_FrameAll(Studio* studio);
double drapeStudio_Time(const Studio* studio); // s, of the simulation

// The copy of a cloth of the document in the newest frame. NULL while the cloth is not simulated.
const FrameCloth* drapeStudio_FrameCloth(const Studio* studio, uint32_t cloth);

// The present bounds of an item, m; empty for none.
drapeBounds drapeStudio_Bounds(Studio* studio, Item item);

// --- picture.c ---

// Describes a frame as a picture of this size. Its arrays are valid until the next call.
drapePicture drapePicture_Make(Studio* studio, const Frame* frame, uint32_t width, uint32_t height);

// Draws into the window's framebuffer. The renderer runs only when the picture has changed.
void drapePicture_Draw(Studio* studio);
void drapePicture_Free(void);

// --- pick.c, gizmo.c, tools.c ---

Pick drapePick_At(Studio* studio, Ray ray);
bool drapeRay_HitsTriangle(Ray ray, drapeVec3 a, drapeVec3 b, drapeVec3 c, float* distance);
bool drapeRay_HitsShape(Ray ray, const drapeDrawnShape* shape, float* distance);

// Draws the handles and drags them with the mouse. True while they use the mouse.
bool drapeGizmo_Update(Studio* studio, const UiMouse* mouse);
void drapeTools_Update(Studio* studio);
void drapeTools_DrawOverlay(Studio* studio);

// --- record.c ---

void drapeRecorder_Start(Studio* studio);
void drapeRecorder_Update(Studio* studio);
void drapeRecorder_Stop(Studio* studio, bool whole);
bool drapeRecorder_Progress(const Studio* studio, uint32_t* done, uint32_t* all);
void drapeRecorder_Still(Studio* studio);

// --- commands.c ---

typedef struct Command
{
	const char* name; // in menus and help; tests use it too
	const char* keys; // as the help shows them: "Ctrl+S"
	const char* group;
	int key, modifiers; // key of GLFW; 0 for none
	void (*run)(Studio* studio);
	bool (*enabled)(const Studio* studio); // NULL for always
} Command;

const Command* drapeCommands_At(int index); // NULL past the last
const Command* drapeCommands_Find(const char* name);
void drapeCommands_Run(Studio* studio, const Command* command);
bool drapeCommands_Key(Studio* studio, int key, int modifiers);

// --- panels ---

void drapeToolbar_Show(Studio* studio, UiRect rect);
void drapeTree_Show(Studio* studio, UiRect rect);
void drapeProperties_Show(Studio* studio, UiRect rect);
void drapeFabrics_Show(Studio* studio);
void drapeStatistics_Add(Statistics* statistics, const Frame* frame);
void drapeStatistics_Show(Studio* studio, UiRect rect);
void drapeStatusBar_Show(Studio* studio, UiRect rect);
void drapeWelcome_Show(Studio* studio);
void drapeDialogs_Show(Studio* studio);
void drapeBrowser_Open(Studio* studio, BrowserPurpose purpose);
void drapeBrowser_Show(Studio* studio);
void drapeBrowser_Free(Browser* browser);
void drapeHelp_Show(Studio* studio);
void drapeMessages_Show(Studio* studio);

// --- icons.c ---

typedef enum Icon
{
	icon_play = 0,
	icon_pause,
	icon_step,
	icon_reset,
	icon_undo,
	icon_redo,
	icon_select,
	icon_move,
	icon_rotate,
	icon_scale,
	icon_grab,
	icon_pin,
	icon_record,
	icon_stop,
	icon_cloth,
	icon_collider,
	icon_object,
	icon_world,
	icon_plus,
	icon_help,
	icon_camera,
} Icon;

void drapeIcon_Draw(Icon icon, UiPoint centre, float size, UiColour colour);

// A square button with an icon. Tests find it by `name`.
bool drapeIcon_Button(const char* name, Icon icon, bool active, bool enabled, const char* tip);

// --- probe.c ---

void drapeProbe_Write(Studio* studio);
