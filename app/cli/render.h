// SPDX-License-Identifier: MIT
#pragma once

// drape render: pictures and films of a scene, or of the files a run has left.
//
//   render.c         options, the loop over frames
//   render_source.c  where frames come from: a scene is run, while it is drawn
//   render_files.c   or the files of a run are read
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

	drapeDrawnCloth* cloths;
	uint32_t clothCount;
	drapeDrawnShape* shapes;
	uint32_t shapeCount;
	uint8_t* touching; // of all cloths, one behind the other
	uint32_t touchingCapacity;
	bool hasFloor;
	float floorHeight; // m
} RenderSource;

// `path` is a scene or a folder. `scenePath` may be NULL: the folder's statistics name the scene.
drapeResult RenderSource_Open(RenderSource* source, const char* path, const char* scenePath, uint32_t threads,
                              drapeFileError* error);

// Goes to a frame: forward step by step, or back to the start and forward again.
drapeResult RenderSource_Go(RenderSource* source, uint32_t index, drapeFileError* error);
uint32_t RenderSource_Triangles(const RenderSource* source);
void RenderSource_Close(RenderSource* source);

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
	int pipe;     // to ffmpeg, -1 for none
	long process; // of ffmpeg
} RenderOutput;

// By the ending of the name. False for one that cannot be written.
bool RenderOutput_Kind(const char* path, RenderOutputKind* kind);
drapeResult RenderOutput_Open(RenderOutput* output, drapeFileError* error);
drapeResult RenderOutput_Add(RenderOutput* output, const uint8_t* pixels, uint32_t frame, drapeFileError* error);

// Waits for what is under way. A film that is not `whole` is removed.
drapeResult RenderOutput_Close(RenderOutput* output, bool whole, drapeFileError* error);
