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
	sleepAfterPasses = 30, // a second, at 30 passes a second
};

// What criteria ask for. Without holes, so that it can be compared as bytes.
typedef struct SleepLimits
{
	float splitAngle, joinAngle, splitRatio, joinRatio, levelFactor, baseLimit, finestLimit, coarsenFraction;
	uint32_t maxLevel, joinRule;
} SleepLimits;

typedef struct Sleep
{
	BitSet bits; // over particles: those that lie still
	SleepLimits limits;
} Sleep;

void drapeSleep_Destroy(Sleep* sleep);

// Counts the passes (ActiveMesh::sleepPasses), anew when other limits are asked for than in the pass before. False when
// memory is short: nothing then has changed.
bool drapeSleep_Follow(Sleep* sleep, const SleepLimits* limits, ActiveMesh* mesh, TaskPool* tasks);

// When particles were moved by hand.
void drapeSleep_Forget(ActiveMesh* mesh);
