// SPDX-License-Identifier: MIT
#pragma once

#include "bench.h"
#include "shared/motion_scenes.h"

// One run of a scene in motion (shared/motion_scenes.h).

enum
{
	motionMaxSteps = 1200,
};

typedef struct MotionRun
{
	double ms[motionMaxSteps]; // of each step of the motion, wall clock
	int steps;                 // of the motion that were made
	double triangles;          // mean over them
	double staticMs;           // ms of a step while the settled cloth rests, scaled to as many triangles; 0 for none
	uint64_t hash;
	uint32_t retries;
	uint32_t selfIntersections, bodyCrossings, pinched; // the most in any frame, also while the cloth settles
	uint32_t crossedAtEnd;
	double stretch99;      // the largest of any frame of the motion
	double recoveredAfter; // s from the release; negative for a scene without one, motionNeverRecovered for never
	bool isAborted;        // a step failed
	bool isCut;            // the wall-clock limit ended the run
	char failure[200];     // why it was aborted
} MotionRun;

static const double motionNeverRecovered = 1000.0; // s

// Runs a scene. `share` of its steps are made, 0 to 1. The run ends early once it has taken `limit` seconds.
void MotionRun_Make(MotionRun* run, const MotionSceneDef* def, double share, double limit, const char* folder);

// The same as a row of the benchmark, in a process of its own: a crash is reported as an abort, and a step that takes
// five times the limit is killed.
json_t* MotionRun_Row(const MotionSceneDef* def, double share, double limit, const char* folder);

// The row of the budget: how many of the steps kept within the budget of the definition.
json_t* MotionRun_BudgetRow(const MotionSceneDef* def, double share, double limit);
