// SPDX-License-Identifier: MIT
#pragma once

// A running scene that takes changes while it runs. One thread at a time.
//
// At frame 0 a changed scene gets a new world. Later the simulation changes only the differences: gravity, wind,
// colliders and criteria in place; a cloth with another fabric, model, solver or scheme replaces the old one and takes
// over its state (drapeCloth_TransferState). Files are read only for meshes that are new. A change that fails leaves
// everything as it was.

#include "drape/scene.h"

typedef struct SimulationCloth
{
	uint32_t* pinned; // [pattern vertices] by drapeScenePins_Resolve
} SimulationCloth;

// The particle that the mouse pulls.
typedef struct SimulationGrab
{
	bool active;
	uint32_t cloth;
	drapePinId pin;
	bool wasPinned;   // the scene pins the particle, so the pin stays after release
	drapeVec3 target; // m
} SimulationGrab;

typedef struct Simulation
{
	drapeScene* scene; // the scene that was applied last; NULL before the first
	drapeSceneWorld made;
	SimulationCloth* cloths; // [made.clothCount]
	uint32_t frame;          // 0 at the start
	uint32_t stepsMade;      // of the next frame, when a step of it was cancelled
	uint32_t worldNumber;    // raised with each new world, because another world may have the same handles
	SimulationGrab grab;
} Simulation;

// Takes ownership of the scene, also on failure, and begins with it at frame 0. On failure the simulation goes on as it
// was.
drapeResult drapeSimulation_Begin(Simulation* simulation, drapeScene* scene, drapeMessage* error);

// Takes ownership of the scene, also on failure, and continues with it at the present frame. Cloths are matched by
// name, or by their index when one was renamed. A cloth with another mesh or pose starts from its new initial state.
drapeResult drapeSimulation_Apply(Simulation* simulation, drapeScene* scene, drapeMessage* error);

// Statistics of a frame.
typedef struct FrameStats
{
	drapeCounters counters; // of its last step
	drapeProfile profile;   // s, sums over its steps
	drapeMeasures measures; // at its end
} FrameStats;

// The statistics of the present state, without a profile. Zeros without a scene.
FrameStats drapeSimulation_GetStats(const Simulation* simulation);

// Advances by one frame of the scene's time with the same steps as `drape run`. On failure the state is that before the failed step; the next call goes on with
// that step.
drapeResult drapeSimulation_StepFrame(Simulation* simulation, FrameStats* stats, drapeMessage* error);

// Grabs the particle nearest to `point`. Steps then pull it towards the target of drapeSimulation_Pull, with a force of at
// most three weights of the cloth. A particle that the scene pins moves there as its pin does.
bool drapeSimulation_Grab(Simulation* simulation, uint32_t cloth, drapeVec3 point);
void drapeSimulation_Pull(Simulation* simulation, drapeVec3 target);
void drapeSimulation_Release(Simulation* simulation);

void drapeSimulation_End(Simulation* simulation);

// False when out of memory.
bool drapeSimulationCloth_Init(SimulationCloth* cloth, const drapeSceneCloth* scene, const drapeMesh* mesh);

// NULL is allowed.
void drapeSimulationCloths_Free(SimulationCloth* cloths, uint32_t count);
