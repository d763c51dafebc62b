// SPDX-License-Identifier: MIT
#pragma once

#include "base/bitset.h"
#include "mesh/active.h"

// Which places cannot make up their mind. Without its middle an edge takes another shape, by which it may be split
// again: cloth that could lie still would flicker between the two for ever, and every change moves it. So a place that
// is split again soon after it was rejoined waits four times as long before it is asked again, and where it moves
// slowly the longest at once. Where it stays away for longer than that, it is forgiven; where it stayed split for
// longer, it begins anew.
//
// Places are told apart by a hash of what they lie between (ActiveMesh::place). The memory is of fixed size and forgets
// what others write over, which does no harm: it decides about waits alone.

enum
{
	hysteresisSlots = 2048,
};

typedef struct HysteresisSlot
{
	uint32_t place;  // 0 for none
	uint16_t born;   // pass in which it was split last, modulo 2^16
	uint16_t leaves; // and in which it was to be rejoined last, if that was later
	uint32_t wait;   // passes, at most 255
} HysteresisSlot;

typedef struct SplitJoinHysteresis
{
	HysteresisSlot slots[hysteresisSlots];
	uint32_t pass; // since the beginning
} SplitJoinHysteresis;

// How long a particle waits between attempts to let it go, in passes; `wait` is what others do.
uint8_t drapeSplitJoinHysteresis_Wait(const SplitJoinHysteresis* hysteresis, uint32_t place, uint8_t wait);

// Before a pass: these particles are to go.
void drapeSplitJoinHysteresis_Leave(SplitJoinHysteresis* hysteresis, const ActiveMesh* mesh, const BitSet* leaving);

// Gives the particles that a pass has given birth to their waits.
void drapeSplitJoinHysteresis_Born(SplitJoinHysteresis* hysteresis, ActiveMesh* mesh, uint8_t wait);
