// SPDX-License-Identifier: MIT
#pragma once

#include "base/bitset.h"
#include "mesh/active.h"

// Split-join hysteresis. Joining an edge changes its shape, and the new shape may ask for a split again: cloth at rest
// would flicker between the two for ever, and every change moves it. So a particle that is created again soon after a
// join waits four times as long before the criteria may ask for its join, and the longest wait at once when it moves
// slowly. The wait returns to normal when the edge stays joined for longer than that, and starts anew when it stays
// split for longer.
//
// Particles are identified by ActiveMesh::originKey, which is the same each time a particle is created between the same
// parents. The table has a fixed size and newer entries overwrite older ones. A lost entry only shortens a wait.

enum
{
	hysteresisSlots = 2048,
};

typedef struct HysteresisSlot
{
	uint32_t key;     // ActiveMesh::originKey; 0 for an empty slot
	uint16_t created; // pass in which the particle was created last, modulo 2^16
	uint16_t leaves;  // pass in which its join was requested last, if that was later
	uint32_t wait;    // passes, at most 255
} HysteresisSlot;

typedef struct SplitJoinHysteresis
{
	HysteresisSlot slots[hysteresisSlots];
	uint32_t pass; // since the cloth was created
} SplitJoinHysteresis;

// Passes that a particle waits between two join requests; `wait` is the number for particles that are not in the table.
uint8_t drapeSplitJoinHysteresis_Wait(const SplitJoinHysteresis* hysteresis, uint32_t key, uint8_t wait);

// Before a pass: the criteria ask for the joins of these particles.
void drapeSplitJoinHysteresis_Leave(SplitJoinHysteresis* hysteresis, const ActiveMesh* mesh, const BitSet* leaving);

// After a pass: sets the join waits of the particles that it created.
void drapeSplitJoinHysteresis_SetWaits(SplitJoinHysteresis* hysteresis, ActiveMesh* mesh, uint8_t wait);
