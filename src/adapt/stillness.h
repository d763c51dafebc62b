// SPDX-License-Identifier: MIT
#pragma once

#include "base/bitset.h"
#include "base/tasks.h"
#include "mesh/active.h"

// Cloth that lies still keeps its mesh. Whatever changes the mesh also changes, by little, the shape in which the cloth
// is in balance: what has come to rest would move again, and be changed again. So criteria that go by the shape leave
// alone what has been slower than a centimetre a second for some passes, until it moves, or until they ask for
// something else than before.

enum
{
	stillPasses = 30, // a second, at 30 passes a second
};

// What criteria ask for. Without holes, so that it can be compared as bytes.
typedef struct StillLimits
{
	float splitAngle, joinAngle, splitRatio, joinRatio, levelFactor, baseLimit, finestLimit, coarsenFraction;
	uint32_t maxLevel, joinRule;
} StillLimits;

typedef struct Stillness
{
	BitSet bits; // over particles: those that lie still
	StillLimits limits;
} Stillness;

void drapeStillness_Destroy(Stillness* stillness);

// Counts the passes (ActiveMesh::stillFor), anew when other limits are asked for than in the pass before. False when
// memory is short: nothing then has changed.
bool drapeStillness_Follow(Stillness* stillness, const StillLimits* limits, ActiveMesh* mesh, TaskPool* tasks);

// When particles were moved by hand.
void drapeStillness_Forget(ActiveMesh* mesh);
