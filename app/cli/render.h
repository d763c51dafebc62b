// SPDX-License-Identifier: MIT
#pragma once

// drape render: pictures and films of a scene, or of the files a run has left.
//
//   render.c         options, the loop over frames
//   render_source.c  where frames come from: a scene is run
//   render_files.c   or the files of a run are read
//   render_meshes.c  mesh colliders as they are drawn
//   render_objects.c meshes of the scene that are only shown
//   render_record.c  frames kept in memory: a scene is run once, and drawn when the camera knows where
//   render_output.c  where pictures go: one PNG file, a folder of them, a film through the program ffmpeg

#include "run.h"

#include "drape/render.h"

// --- render_files.c ---

// Files NAME.0001.obj and so on of one cloth.
typedef struct RenderSequence
{
	char name[256];  // before the number, the separator included
	uint32_t digits; // of the shortest number: leading zeros
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
} RenderFiles;

// Finds the sequences of a folder.
drapeResult RenderFiles_Open(RenderFiles* files, const char* folder, drapeFileError* error);

// Reads a frame; a cloth that has no file of this number is empty.
drapeResult RenderFiles_Read(RenderFiles* files, uint32_t frame, drapeFileError* error);
void RenderFiles_Close(RenderFiles* files);

// --- render_source.c ---

// What of a mesh collider is drawn.
typedef struct RenderMesh
{
	drapeVec3 *positions, *normals;
} RenderMesh;

typedef struct RenderSource
{
	drapeScene* scene; // NULL for files whose scene is not known
	drapeSceneWorld made;
	bool isFolder;
	RenderFiles files;
	uint32_t threads;

	uint32_t firstFrame, frameCount; // number of the first one; how many
	float frameRate;
	uint32_t index; // of the frame at hand
	uint32_t steps; // made so far

	drapeDrawnCloth* cloths;
	uint32_t clothCount;
	drapeDrawnShape* shapes;
	uint32_t shapeCount;
	drapeDrawnMesh* meshes;
	uint32_t meshCount;
	RenderMesh* colliderMeshes; // [colliderMeshCount] one for each collider
	uint32_t colliderMeshCount;
	uint8_t* touching; // of all cloths, one behind the other
	uint32_t touchingCapacity;
	drapeContactPoint* points; // likewise
	uint32_t pointCapacity;
	bool hasFloor;
	float floorHeight; // m
} RenderSource;

// `path` is a scene or a folder. `scenePath` may be NULL: the folder's statistics name the scene.
drapeResult RenderSource_Open(RenderSource* source, const char* path, const char* scenePath, uint32_t threads,
                              drapeFileError* error);

// As the scene describes it; NULL when that is not known.
const drapeSceneCloth* RenderSource_Cloth(const RenderSource* source, uint32_t cloth);

// Goes to a frame: forward step by step, or back to the start and forward again.
drapeResult RenderSource_Go(RenderSource* source, uint32_t index, drapeFileError* error);
uint32_t RenderSource_Triangles(const RenderSource* source);
void RenderSource_Close(RenderSource* source);

// --- render_meshes.c ---

// A mesh collider as it is now. The mesh is kept for the next frame. False when memory is short.
bool RenderMesh_Show(RenderMesh* mesh, drapeColliderId collider, const drapeSceneCollider* scene,
                     drapeDrawnMesh* drawn);
void RenderMesh_Free(RenderMesh* mesh);

// --- render_objects.c ---

typedef struct RenderObject
{
	char path[RUN_PATH]; // of what was read last
	drapeObj obj;
} RenderObject;

typedef struct RenderObjects
{
	RenderObject* read;
	drapeDrawnMesh* meshes;
	uint32_t count;
} RenderObjects;

// Reads what the scene, which may be NULL, shows at this time, s.
drapeResult RenderObjects_Show(RenderObjects* objects, const drapeScene* scene, double time, drapeFileError* error);
void RenderObjects_Free(RenderObjects* objects);

// --- render_record.c ---

// Beyond this much memory a scene is run twice instead.
#define RENDER_RECORD_LIMIT ((size_t)1 << 30)

typedef struct RenderFrame
{
	const drapeDrawnCloth* cloths;
	const drapeDrawnShape* shapes;
	const drapeDrawnMesh* meshes;
	uint32_t clothCount, shapeCount, meshCount;
	void* block; // all of it
} RenderFrame;

typedef struct RenderRecord
{
	RenderFrame* frames;
	uint32_t count, capacity;
	size_t bytes;
	bool gaveUp; // too large
} RenderRecord;

// Room for so many frames. A record without memory gives up.
void RenderRecord_Begin(RenderRecord* record, uint32_t capacity);

// Keeps what the picture shows behind the frames before, or gives up and forgets them all.
void RenderRecord_Add(RenderRecord* record, const drapePicture* picture);

// Puts a frame into the picture, until the record is freed. False when it was not kept.
bool RenderRecord_Show(const RenderRecord* record, uint32_t index, drapePicture* picture);
void RenderRecord_Free(RenderRecord* record);

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

// By the ending of the name. False for one that cannot be written.
bool RenderOutput_Kind(const char* path, RenderOutputKind* kind);
drapeResult RenderOutput_Open(RenderOutput* output, drapeFileError* error);
drapeResult RenderOutput_Add(RenderOutput* output, const uint8_t* pixels, uint32_t frame, drapeFileError* error);

// Waits for what is under way. Only a film that is `whole` gets its name; else nothing is left of it.
drapeResult RenderOutput_Close(RenderOutput* output, bool whole, drapeFileError* error);
