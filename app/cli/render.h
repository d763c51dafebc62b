// SPDX-License-Identifier: MIT
#pragma once

// drape render: pictures and films of a scene, or of the files of a run.
//
//   render.c         options, the loop over frames
//   render_source.c  the source of frames: runs a scene
//   render_files.c   finds and reads the files of a run
//   render_meshes.c  meshes of mesh colliders
//   render_objects.c meshes of the scene without contact
//   render_record.c  frames in memory, so that a scene runs once before the camera is placed
//   render_path.c    the automatic camera
//   render_output.c  the destination of pictures: a PNG file, a folder, or a film through the program ffmpeg

#include "run/run.h"
#include "run/run_manifest.h"
#include "scene_set.h"

#include "drape/render.h"

// --- render_files.c ---

// Files NAME.0001.obj and so on of one cloth, or NAME.obj and the point cache NAME.pc2.
typedef struct RenderSequence
{
	char name[256];  // the text before the number, with the separator; of a cache, before the ending
	uint32_t digits; // digits of the shortest number, for leading zeros
	bool isCache;
	drapeObj cached; // the mesh of a cache
	drapePc2Info cache;
	drapeVec4 *positions, *normals;
	uint32_t* triangles;
	drapeVec2* materials;
	uint32_t vertexCount, triangleCount;
} RenderSequence;

typedef struct RenderFiles
{
	char folder[RUN_PATH];
	RenderSequence* sequences;
	uint32_t sequenceCount;
	uint32_t first, last; // frame numbers
	RunManifest manifest; // files of other runs are not drawn
	bool hasManifest;
} RenderFiles;

// Finds the sequences of a folder.
drapeResult RenderFiles_Open(RenderFiles* files, const char* folder, drapeMessage* error);

// Reads a frame; a cloth that has no file of this number is empty.
drapeResult RenderFiles_Read(RenderFiles* files, uint32_t frame, drapeMessage* error);
void RenderFiles_Close(RenderFiles* files);

// --- render_source.c ---

// The drawn mesh of a mesh collider.
typedef struct RenderMesh
{
	drapeVec3 *positions, *normals;
} RenderMesh;

typedef struct RenderSource
{
	drapeScene* scene; // NULL for files of an unknown scene
	drapeSceneWorld made;
	bool isFolder;
	RenderFiles files;
	uint32_t threads;
	const CliList* set; // values of the scene from the command line

	uint32_t firstFrame, frameCount; // number of the first frame; number of frames
	float frameRate;
	uint32_t index; // index of the present frame
	uint32_t steps; // steps made so far

	drapeDrawnCloth* cloths;
	uint32_t clothCount;
	drapeDrawnShape* shapes;
	uint32_t shapeCount;
	drapeDrawnMesh* meshes;
	uint32_t meshCount;
	RenderMesh* colliderMeshes; // [colliderMeshCount] one for each collider
	uint32_t colliderMeshCount;
	uint8_t* touching; // flags of all cloths in sequence
	uint32_t touchingCapacity;
	drapeContactPoint* points; // likewise
	uint32_t pointCapacity;
	bool hasFloor;
	float floorHeight; // m
} RenderSource;

// `path` is a scene or a folder. `scenePath` may be NULL: the folder's statistics name the scene. `set` applies to
// scenes, and must outlive the source.
drapeResult RenderSource_Open(RenderSource* source, const char* path, const char* scenePath, const CliList* set,
                              uint32_t threads, drapeMessage* error);

// Returns the cloth of the scene; NULL if it is unknown.
const drapeSceneCloth* RenderSource_Cloth(const RenderSource* source, uint32_t cloth);

// Moves to a frame: forward step by step, or from the start again.
drapeResult RenderSource_Go(RenderSource* source, uint32_t index, drapeMessage* error);
uint32_t RenderSource_Triangles(const RenderSource* source);
void RenderSource_Close(RenderSource* source);

// --- render_meshes.c ---

// Updates the drawn mesh of a mesh collider and keeps its memory for the next frame. Returns false if memory runs out.
bool RenderMesh_Show(RenderMesh* mesh, drapeColliderId collider, const drapeSceneCollider* scene,
                     drapeDrawnMesh* drawn);
void RenderMesh_Free(RenderMesh* mesh);

// --- render_objects.c ---

typedef struct RenderObject
{
	char path[RUN_PATH]; // path of the file that was read last
	drapeObj obj;
} RenderObject;

typedef struct RenderObjects
{
	RenderObject* read;
	drapeDrawnMesh* meshes;
	uint32_t count;
} RenderObjects;

// Reads the objects of the scene (may be NULL) at this time in seconds.
drapeResult RenderObjects_Show(RenderObjects* objects, const drapeScene* scene, double time, drapeMessage* error);
void RenderObjects_Free(RenderObjects* objects);

// --- render_record.c ---

// The largest record in bytes. A larger scene runs twice instead.
#define RENDER_RECORD_LIMIT ((size_t)1 << 30)

typedef struct RenderFrame
{
	const drapeDrawnCloth* cloths;
	const drapeDrawnShape* shapes;
	const drapeDrawnMesh* meshes;
	uint32_t clothCount, shapeCount, meshCount;
	void* block; // all arrays of the frame
} RenderFrame;

typedef struct RenderRecord
{
	RenderFrame* frames;
	uint32_t count, capacity;
	size_t bytes;
	bool gaveUp; // the record exceeded its limit
} RenderRecord;

// Reserves this many frames. The record gives up if memory runs out.
void RenderRecord_Begin(RenderRecord* record, uint32_t capacity);

// Appends a copy of the picture's data, or gives up and drops all frames.
void RenderRecord_Add(RenderRecord* record, const drapePicture* picture);

// Sets the picture to a recorded frame, valid until the record is freed. Returns false if the record has no such frame.
bool RenderRecord_Show(const RenderRecord* record, uint32_t index, drapePicture* picture);
void RenderRecord_Free(RenderRecord* record);

// --- render_path.c ---

// Writes the camera of each frame. It stands still if the subjects of all frames fit into one picture that is not much
// larger than each of them; otherwise it follows them smoothly.
void RenderPath_Make(drapeCamera* path, const drapeBounds* subjects, uint32_t count, float frameRate, float aspect);

// --- render_output.c ---

typedef enum RenderOutputKind
{
	render_outputStill,
	render_outputFolder,
	render_outputFilm,
} RenderOutputKind;

typedef struct RenderOutput
{
	RenderOutputKind kind;
	const char* path;
	uint32_t width, height;
	float frameRate;
	drapeFilm* film;
} RenderOutput;

// Selects the kind by the ending of the name. Returns false for an unknown ending.
bool RenderOutput_Kind(const char* path, RenderOutputKind* kind);
drapeResult RenderOutput_Open(RenderOutput* output, drapeMessage* error);
drapeResult RenderOutput_Add(RenderOutput* output, const uint8_t* pixels, uint32_t frame, drapeMessage* error);

// Waits for pending output. If `whole` is set, a film gets its name; otherwise it is removed.
drapeResult RenderOutput_Close(RenderOutput* output, bool whole, drapeMessage* error);
