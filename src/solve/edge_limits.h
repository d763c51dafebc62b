// SPDX-License-Identifier: MIT
#pragma once

#include "base/bitset.h"
#include "base/chunks.h"
#include "mesh/active.h"

// Local limits on how much an edge may change within a substep.
//
// An implicit substep moves particles in straight lines, and colliders push single particles out afterwards. Single
// edges beside a fast collider, or beside a pin that is pulled hard, can then grow or shrink by a large factor. The
// elastic forces of the next step would explode. These limits correct such edges alone. Positions move in inverse
// proportion to their masses, which keeps the centre of mass. Velocities lose the part by which the ends would part or
// meet faster than the limits allow. Corrections therefore only stop motion and add no energy. An edge that was longer
// than its limit when the substep began may stay as long as it was.
//
//   longest  = max(length before, min(1.15 max(length before, rest length), maxStretch rest length))
//   shortest = 0.5 min(length before, rest length)

typedef struct EdgeLimit
{
	uint32_t edge;
	float before;            // m, length when the substep began
	float shortest, longest; // m
} EdgeLimit;

// A zeroed EdgeLimits is empty. The memory is scratch.
typedef struct EdgeLimits
{
	ChunkList found;
	ARRAY(EdgeLimit) list; // edges beyond their limits, in ascending order
	BitSet moved;          // over particles: the last call moved them; valid if hasMoved
	bool hasMoved;         // the last call moved particles
	uint32_t freeCount;    // edges beyond their limits with no end that is pinned, supported or attached
} EdgeLimits;

typedef struct EdgeLimitsDef
{
	const Vec4* previous;    // positions when the substep began; w is ignored
	const BitSet* supported; // over particles: a collider touches them; they yield less
	const BitSet* attached;  // over particles: hard constraints hold them; they do not move. NULL for none
	float maxStretch;        // length over rest length, > 1
	bool isHardOnly;         // correct only edges beyond maxStretch; the others are only counted
	float dt;                // s, > 0: length of the substep
	TaskPool* tasks;
} EdgeLimitsDef;

void drapeEdgeLimits_Destroy(EdgeLimits* limits);

// Moves particles until all edges keep their limits, or a fixed number of rounds is used up. When many edges are beyond
// their limits, it corrects only those beyond maxStretch: the caller should repeat the substep. Pinned particles stay.
// Returns the number of edges that were beyond their limits. Out of memory, it corrects nothing.
uint32_t drapeEdgeLimits_Apply(EdgeLimits* limits, ActiveMesh* mesh, const EdgeLimitsDef* def);

// Returns the number of edges that are beyond their limits by a quarter more, without moving anything.
uint32_t drapeEdgeLimits_Count(EdgeLimits* limits, ActiveMesh* mesh, const EdgeLimitsDef* def);
