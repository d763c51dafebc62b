// SPDX-License-Identifier: MIT
#pragma once

// The file run.json of an output folder: program, commit, machine, settings and files of the run (run_manifest.c).

#include "run.h"

json_t* RunManifest_Json(const RunOutput* output, const RunSnapshot* snapshot);

// Writes the file before the first frame of a new run.
drapeResult RunManifest_Write(const RunOutput* output, const RunSnapshot* snapshot, drapeMessage* error);

typedef struct RunManifest
{
	json_t* json;
	const json_t* outputs; // names of files, with a variable for the frame
	const char* scene;     // path; NULL for none
	uint32_t firstFrame;
	uint32_t frames; // complete ones, by the statistics
} RunManifest;

// False for a folder without such a file. Free it with RunManifest_Free.
bool RunManifest_Read(RunManifest* manifest, const char* folder);

// Tells whether the last run of the folder made the file; an older file may have been left by an earlier run.
bool RunManifest_Has(const RunManifest* manifest, const char* name);
void RunManifest_Free(RunManifest* manifest);
