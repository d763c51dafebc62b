// SPDX-License-Identifier: MIT
#pragma once

// A scene that runs, and that changes while it runs. One thread at a time.
//
// At the start a changed scene is simply made anew. Later on only what changed is touched: gravity, wind, colliders and
// criteria in place; a cloth of another fabric, model, solver or scheme takes the place of the old one and goes on from
// its state (transfer.h). What cannot be done leaves everything as it was.

#include "simulation/transfer.h"

#include "drape/scene.h"

typedef struct SimulationCloth
{
	PatternMap map;
	uint32_t* pinned; // [pattern vertices] by drapeScenePins_Resolve
} SimulationCloth;

// What a mouse pulls at.
typedef struct SimulationGrab
{
	bool active;
	uint32_t cloth;
	drapePinId pin;
	bool wasPinned;   // before it was grabbed: then it stays so
	drapeVec3 target; // m
} SimulationGrab;

typedef struct Simulation
{
	drapeScene* scene; // as it was applied last; NULL before the first
	drapeSceneWorld made;
	SimulationCloth* cloths; // [made.clothCount]
	uint32_t frame;          // 0 at the start
	SimulationGrab grab;
} Simulation;

// Takes the scene, also on failure, and begins with it at frame 0. On failure the simulation goes on as it was.
drapeResult drapeSimulation_Begin(Simulation* simulation, drapeScene* scene, drapeFileError* error);

// Takes the scene, also on failure, and goes on with it from where the simulation is. Cloths are told by name,
// and by their place when one is renamed. A cloth with another mesh or place begins anew by itself.
drapeResult drapeSimulation_Apply(Simulation* simulation, drapeScene* scene, drapeFileError* error);

// Advances by one frame of the scene's time, step by step as `drape run` does. `stats` has the times of all steps, and
// the rest as it is at the end. On failure the state is that before the step that failed.
drapeResult drapeSimulation_StepFrame(Simulation* simulation, drapeStats* stats, drapeFileError* error);

// Takes hold of the particle nearest to `point` and leads it towards `target` from then on.
bool drapeSimulation_Grab(Simulation* simulation, uint32_t cloth, drapeVec3 point);
void drapeSimulation_Pull(Simulation* simulation, drapeVec3 target);
void drapeSimulation_Release(Simulation* simulation);

void drapeSimulation_End(Simulation* simulation);

// NULL is allowed.
void drapeSimulationCloths_Free(SimulationCloth* cloths, uint32_t count);
