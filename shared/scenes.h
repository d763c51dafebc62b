// SPDX-License-Identifier: MIT
#pragma once

#include "drape/drape.h"

// Scenes of cloth that falls on colliders, into a box and on itself. `drape bench contact` and `drape bench rest` run
// them, and so do tests, with coarser meshes. Fabric and solver are those of SharedFabric_Cotton. Steps are 1/60 s. The
// pattern of adaptive cloth is up to eight times as coarse as the fixed mesh; it refines to the same edge lengths.

static const float contactFrame = 1.0f / 60.0f; // s

enum
{
	contactMaxCloths = 5,
	contactMaxPins = 256,
	contactMaxParticles = 1 << 16,
};

typedef struct SharedSceneDef
{
	const char* name;
	uint32_t columns, rows; // quads of the finest mesh, multiples of eight
	uint32_t levels;        // levels of the adaptive mesh; 0 for three
	float speed;            // m/s, of the sphere in "shot"
	int steps;
	drapeScheme scheme;
	uint32_t threads;
	int nudge; // adds so many ten-thousandths to gravity: the same scene with other folds
} SharedSceneDef;

typedef struct SharedScene
{
	SharedSceneDef def;
	drapeWorldId world;
	drapeClothId cloths[contactMaxCloths];
	uint32_t clothCount;
	// Pins that the scene moves, and their first positions, m.
	drapePinId pins[contactMaxPins];
	drapeVec3 pinned[contactMaxPins];
	uint32_t pinCount;
} SharedScene;

// Name of a scheme in the benchmarks' output.
const char* SharedScene_Scheme(drapeScheme scheme);

// The scenes of the benchmarks, with a fixed mesh and one thread; NULL past the last.
const SharedSceneDef* SharedScene_List(uint32_t index);

// Ends the program when memory runs out.
void SharedScene_Create(SharedScene* scene, const SharedSceneDef* def);
void SharedScene_Destroy(SharedScene* scene);

// Moves the pins. To be called before each step; true while they move.
bool SharedScene_Animate(SharedScene* scene, int step);
