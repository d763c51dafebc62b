// SPDX-License-Identifier: MIT
#pragma once

#include "base/bitset.h"
#include "base/tasks.h"
#include "mesh/active.h"

// Sleep: cloth at rest keeps its mesh. Each change of the mesh changes the equilibrium shape a little, so cloth at rest
// would move again and be adapted again. Criteria that depend on the shape therefore skip particles that have been
// slower than a centimetre per second for some passes. Particles wake up when they move, and when the criteria change.

enum
{
	sleepAfterPasses = 30, // one second at 30 passes per second
};

typedef struct Sleep
{
	BitSet bits;     // [particle] asleep
	uint64_t limits; // hash of the parameters of the criteria in the last pass
} Sleep;

void drapeSleep_Destroy(Sleep* sleep);

// Counts the passes of each particle (ActiveMesh::sleepPasses), and starts over when the limits differ from those of
// the last pass. False when out of memory: then nothing has changed.
bool drapeSleep_Follow(Sleep* sleep, uint64_t limits, ActiveMesh* mesh, TaskPool* tasks);

// Wakes up all particles, after the application has moved them.
void drapeSleep_Forget(ActiveMesh* mesh);
