// SPDX-License-Identifier: MIT
#pragma once

// The state of a cloth carried over to another one of the same pattern: of another fabric, model, solver or scheme. The
// new cloth refines where the old one was refined, and takes over where each point of the pattern was and how fast.

#include "drape/cloth.h"

// What is remembered of a cloth's pattern when it is made: before anything refines.
typedef struct PatternMap
{
	drapeVec3* positions; // [vertexCount] m, at the start
	uint32_t vertexCount;
	uint32_t* triangles;  // [3 * triangleCount]
	drapeVec2* materials; // [3 * triangleCount] m
	uint32_t triangleCount;
} PatternMap;

// Of a cloth that was just created. False when memory is short.
bool drapePatternMap_Create(PatternMap* map, drapeClothId cloth);
void drapePatternMap_Free(PatternMap* map);

// `to` was just created, from the same pattern mesh; `adapt` is what it shall go on with. On failure it is good for
// nothing.
drapeResult drapeTransfer_State(drapeClothId from, const PatternMap* fromMap, drapeClothId to, const PatternMap* toMap,
                                const drapeAdaptDef* adapt);
