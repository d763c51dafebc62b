// SPDX-License-Identifier: MIT
#pragma once

#include "base/base.h"

// The eleven configurations in which the edge-based scheme cuts a triangle, C0 (whole) to C10 (in four), after Simnett
// 2012, 3.3.1 and 3.3.5, figures 3.7 and 3.8. The set of split edges (the state, S0 to S7) determines the
// configuration. States 4 to 6 have two, because a quadrilateral has two diagonals.
//
// Local names: corners are 0, 1, 2; edge k runs from corner k to corner k + 1, and its midpoint is 3 + k.
//
//            2           A configuration has up to four triangles and three inner edges, each in a slot. A triangle
//           / \          or edge that two configurations share is in the same slot in both. A transition keeps
//         5 --- 4        the slots that agree and rewrites the others; it never moves an element. So the 110
//        / \   / \       transitions, which the thesis lists by hand, follow from one table in config.c.
//       0 --- 3 --- 1

enum
{
	configCount = 11,
	configWhole = 0,
	configFull = 10,
	configSlots = 4,
	configInner = 3,
	localNone = 0xff,
};

// Numbers of the directed pairs of local vertices that occur as triangle sides: the outer edges, their halves, and the
// two directions of the inner edge in each slot.
enum
{
	sideOuter = 0, // + k: corner k to corner k + 1
	sideHalf = 3,  // + 2 k: corner k to midpoint; + 2 k + 1: midpoint to corner k + 1
	sideInner = 9, // + 2 slot + direction
	sideCount = 15,
};

typedef struct Transition
{
	uint8_t triangleRemoved, triangleCreated, triangleKept; // a bit per slot
	uint8_t edgeRemoved, edgeCreated, edgeKept;             // likewise for inner edges
	uint8_t change;                                         // number of rewritten elements
} Transition;

typedef struct Configs
{
	uint8_t corner[configCount][configSlots][3]; // local vertices, localNone in unused slots
	uint8_t side[configCount][configSlots][3];   // the side from corner k to corner k + 1
	uint8_t inner[configCount][configInner][2];  // ends of the inner edges, localNone in unused slots
	uint8_t share[configCount][6];               // twelfths of the triangle's area that each local vertex carries
	uint8_t middles[configCount];                // bit k: the midpoint of edge k is used
	uint8_t choice[8][2];                        // the configurations of a set of split edges, the default one first
	Transition transition[configCount][configCount];
} Configs;

// Derives everything from the table of triangles.
void drapeConfigs_Init(Configs* configs);

// Returns the configuration for a set of split edges that changes the fewest elements. `tied` is set when two
// configurations change equally few; the result is then the default one.
uint8_t drapeConfigs_Choose(const Configs* configs, uint8_t from, uint8_t splitEdges, bool* tied);
