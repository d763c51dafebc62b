// SPDX-License-Identifier: MIT
#pragma once

// drape run: runs a scene and writes its output into a folder.
//
//   run.c           options, the folder, the loop over frames
//   run_fixed.c     the mesh of fixed topology: the refined pattern, evaluated on the cloth
//   run_output.c    file names; writes meshes to OBJ, PLY and PC2 files
//   run_stats.c     numbers per frame: the CSV file grows line by line; the JSON file is made from it at the end
//   run_snapshot.c  the state for --resume
//   run_manifest.c  run.json: how the files of the folder were made
//   run_report.c    plots as one HTML page
//   run_warnings.c  doubtful properties of the start
//   run_progress.c  the progress bar
//
// The order within a frame is: step, write meshes, add its line of statistics, write the snapshot. Everything that a
// snapshot marks as done is therefore on disk. A resumed run writes later data again, with the same bytes.

#include "cli.h"

#include "drape/drape.h"
#include "drape/scene.h"

#define RUN_PATH 4096

// --- run_fixed.c ---

// The refined pattern, and its vertices as pattern points.
typedef struct RunFixed
{
	drapeClothMesh mesh;
	drapePatternPoint* points; // [mesh.vertexCount]
} RunFixed;

// Divides each triangle in four `level` times; neighbours share the new vertices.
drapeResult RunFixed_Create(RunFixed* fixed, const drapeObj* pattern, uint32_t level);

// Evaluates the mesh on the present cloth.
drapeResult RunFixed_Carry(RunFixed* fixed, drapeClothId cloth);
void RunFixed_Free(RunFixed* fixed);

// --- the run ---

typedef struct RunSettings
{
	const char* scenePath;
	char folder[RUN_PATH];
	char statsPath[RUN_PATH], statsJsonPath[RUN_PATH];
	uint32_t frames; // number of frames
	drapeSceneOutput output;
	uint32_t threads;      // 0: the scene's
	float untangleSeconds; // s; 0: the scene's
	bool resume, json;
} RunSettings;

// --- run_stats.c ---

typedef struct RunFrame
{
	uint32_t frame; // frame number
	double time;    // s
	drapeCounters counters;
	drapeProfile profile;   // s
	drapeMeasures measures; // at the end
} RunFrame;

typedef struct RunStats
{
	void* file; // FILE*
	const char* path;
	RunFrame* frames;
	uint32_t count, capacity;
} RunStats;

// Adds the step that the world has just made to the sum over a frame, with measures if it is the last one.
void RunFrame_Add(RunFrame* frame, drapeWorldId world, bool isLast);

// Creates a new file.
drapeResult RunStats_Create(RunStats* stats, const char* path, drapeMessage* error);

// Reads the first `count` frames of a file, cuts off the rest and continues after them.
drapeResult RunStats_Continue(RunStats* stats, const char* path, uint32_t count, drapeMessage* error);
drapeResult RunStats_Append(RunStats* stats, const RunFrame* frame, drapeMessage* error);
// Takes the reference to `manifest`, the description of the run.
drapeResult RunStats_WriteJson(const RunStats* stats, const char* path, const drapeScene* scene, json_t* manifest,
                               drapeMessage* error);
void RunStats_Close(RunStats* stats);

// --- run_output.c ---

typedef struct RunOutput
{
	const RunSettings* settings;
	const drapeScene* scene;
	const drapeSceneWorld* made;
	RunFixed* fixed; // [clothCount] for a fixed topology, else NULL
} RunOutput;

drapeResult RunOutput_Create(RunOutput* output, drapeMessage* error);

// Writes the name of a cloth's files in one drapeSceneFormat, without the folder and with the variable of the frame. A
// PC2 file has all frames. Returns false if the name is too long.
bool RunOutput_Pattern(const RunOutput* output, uint32_t cloth, uint32_t format, char name[RUN_PATH]);

// Writes all files of the frame with this index, counted from 0.
drapeResult RunOutput_WriteFrame(RunOutput* output, uint32_t index, drapeMessage* error);
void RunOutput_Free(RunOutput* output);

// --- run_snapshot.c ---

typedef struct RunSnapshot
{
	char path[RUN_PATH];
	uint64_t sceneHash;   // hash of file and meshes
	uint64_t optionsHash; // hash of all options that change a file's bytes or name
	unsigned char* buffer;
	size_t capacity;
} RunSnapshot;

void RunSnapshot_Begin(RunSnapshot* snapshot, const RunSettings* settings, const drapeScene* scene,
                       const drapeSceneWorld* made);
drapeResult RunSnapshot_Write(RunSnapshot* snapshot, drapeWorldId world, uint32_t index, drapeMessage* error);

// Restores the world; `index` is the last finished frame. `found` is false if there is no snapshot. Refuses a damaged
// snapshot, and one of another scene or of other options.
drapeResult RunSnapshot_Read(RunSnapshot* snapshot, drapeWorldId world, bool* found, uint32_t* index,
                             drapeMessage* error);
void RunSnapshot_Free(RunSnapshot* snapshot);

// --- run_report.c ---

drapeResult RunReport_Write(const char* path, const RunStats* stats, const drapeScene* scene, drapeMessage* error);

// --- run_warnings.c ---

typedef struct RunWarnings
{
	char** texts;
	uint32_t count;
	uint64_t stepWarnings; // of drapeWorld_GetWarning, that were looked at
	bool* hasWarned;       // [cloths] a step has warned of the cloth; NULL before the first warning
	bool* isTooThick;      // [cloths] said so of the cloth; NULL before the first step
} RunWarnings;

// Prints and keeps the warnings. If memory runs out, some are lost and the run continues.
void RunWarnings_Find(RunWarnings* warnings, const drapeScene* scene, const drapeSceneWorld* made);
// Warns of a cloth that the last step damped or held, and of one whose mesh has become too fine for its thickness, each
// once per cloth.
void RunWarnings_AfterStep(RunWarnings* warnings, const drapeScene* scene, const drapeSceneWorld* made);
json_t* RunWarnings_Json(const RunWarnings* warnings);
void RunWarnings_Free(RunWarnings* warnings);

// --- run_progress.c ---

typedef struct RunProgress
{
	bool terminal;
	uint32_t first, total; // frames
	uint32_t tenths;       // last printed, without a terminal
	double began;          // s
	const char* what;      // noun of the counted items
} RunProgress;

// `first` frames were finished before this run.
RunProgress RunProgress_Begin(uint32_t first, uint32_t total);
void RunProgress_Update(RunProgress* progress, uint32_t done, uint32_t triangles);

// Ends the line of the bar, so that a message can follow.
void RunProgress_End(RunProgress* progress);

// Fills `error` and returns `result`.
drapeResult Run_Fail(drapeMessage* error, drapeResult result, const char* format, ...)
	__attribute__((format(printf, 3, 4)));

// Writes the object as a file and takes the reference to it, which may be NULL: out of memory.
drapeResult Run_WriteJson(const char* path, json_t* object, drapeMessage* error);
