// SPDX-License-Identifier: MIT
#pragma once

#include "base/base.h"

// The eleven ways in which the edge-based mesh cuts a triangle, C0 (whole) to C10 (in four), after Simnett 2012, 3.3.1
// and 3.3.5, figures 3.7 and 3.8. Which edges are split (the state, S0 to S7) decides the configuration, except in
// states 4 to 6, where a quadrilateral can be cut along either diagonal.
//
// Local names: corners are 0, 1, 2; edge k runs from corner k to corner k + 1, and its middle is 3 + k.
//
//            2                Every configuration keeps its triangles in four slots and its inner edges in three. The
//            slots
//           / \               are chosen so that whatever two configurations have in common stands in the same slot in
//         5 --- 4             both. So a transition keeps the slots that agree and rewrites the others; nothing is
//         moved,
//        / \   / \            and the 110 transitions that the thesis wrote out by hand follow from the one table in
//       0 --- 3 --- 1         config.c.

enum
{
	configCount = 11,
	configWhole = 0,
	configFull = 10,
	configSlots = 4,
	configInner = 3,
	localNone = 0xff,
};

// Directed pairs of local vertices, as they occur as triangle sides, have a number: the outer edges, their halves, and
// the two directions of the inner edge in each slot.
enum
{
	sideOuter = 0, // + k: corner k to corner k + 1
	sideHalf = 3,  // + 2 k: corner k to middle; + 2 k + 1: middle to corner k + 1
	sideInner = 9, // + 2 slot + direction
	sideCount = 15,
};

typedef struct Transition
{
	uint8_t triangleDied, triangleBorn, triangleKept; // a bit per slot
	uint8_t edgeDied, edgeBorn, edgeKept;             // likewise for inner edges
	uint8_t change;                                   // elements rewritten: what minimal change minimises
} Transition;

typedef struct Configs
{
	uint8_t corner[configCount][configSlots][3]; // local vertices, localNone in unused slots
	uint8_t side[configCount][configSlots][3];   // the side from corner k to corner k + 1
	uint8_t inner[configCount][configInner][2];  // ends of the inner edges, localNone in unused slots
	uint8_t share[configCount][6];               // twelfths of the triangle's area that each local vertex carries
	uint8_t middles[configCount];                // bit k: the middle of edge k is used
	uint8_t choice[8][2];                        // the configurations of a set of split edges, the default one first
	Transition transition[configCount][configCount];
} Configs;

// Derives all of it from the table of triangles.
void drapeConfigs_Init(Configs* configs);

// The configuration for a set of split edges that changes least; `tied` tells that both of two do, and then the default
// one is returned.
uint8_t drapeConfigs_Choose(const Configs* configs, uint8_t from, uint8_t splitEdges, bool* tied);
