// SPDX-License-Identifier: MIT
#pragma once

// Random edits that every scheme has to stand. Tests of a scheme say how its passes are made and what is checked.

#include "base/random.h"
#include "mesh/active.h"

// Edits per mesh. All meshes together make a million in a plain build; sanitizers and debug checks get fewer.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__) || !defined(NDEBUG)
enum
{
	editsPerMesh = 3000,
	editsInAll = 1, // at least
};
#else
enum
{
	editsPerMesh = 90000,
	editsInAll = 1000000,
};
#endif

typedef struct EditedMesh
{
	void* rig; // the caller's
	ActiveMesh* active;
	// A pass of up to `edits` splits and joins at random places, `splitChance` of them splits. The number done.
	uint32_t (*pass)(void* rig, Random* random, uint32_t edits, float splitChance);
	void (*check)(const void* rig); // asserts that every invariant holds
	float growChance, shrinkChance; // of splits, with which the mesh grows and shrinks
} EditedMesh;

typedef struct EditSummary
{
	uint32_t done, mostTriangles;
	double patternAngle, leastAngle; // degrees, at rest: before, and in all edits
} EditSummary;

// editsPerMesh edits while the mesh breathes: it grows for a while, then shrinks.
EditSummary Edits_Breathe(const EditedMesh* mesh, Random* random);

// Asserts that passes keep the mass, and the momentum but for a part of it; velocities are at random.
void Edits_KeepMassAndMomentum(const EditedMesh* mesh, Random* random, double part);
