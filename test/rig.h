// SPDX-License-Identifier: MIT
#pragma once

// A hierarchy by itself, without a world around it: what tests of the edge scheme work on. Those of the other scheme
// share its meshes.

#include "support.h"

#include "adapt/edge.h"
#include "base/random.h"

typedef struct Rig
{
	EdgePools pools;
	PatternMesh pattern;
	ActiveMesh active;
	EdgeScheme* scheme;
} Rig;

// Asserts that it succeeds.
void Rig_Create(Rig* rig, const drapeMesh* mesh);
void Rig_Destroy(Rig* rig);

// Asserts that every invariant holds.
void Rig_Check(const Rig* rig);

// Splits every edge that may be; rejoins every one that may be. The number done.
uint32_t Rig_RefineAll(Rig* rig);
uint32_t Rig_CoarsenAll(Rig* rig);

// A pass of up to `edits` splits and joins at random places, `splitChance` of them splits. The number done.
uint32_t Rig_RandomPass(Rig* rig, Random* random, uint32_t edits, float splitChance);

// The least angle of any triangle at rest, degrees.
double Rig_LeastAngle(const ActiveMesh* active);

// The meshes that random edits are tried on: squares, discs with holes, closed surfaces, valence 3 to 20, disconnected.
enum
{
	rigMeshCount = 12
};
drapeMesh Rig_Mesh(int index);
