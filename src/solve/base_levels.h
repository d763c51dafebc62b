// SPDX-License-Identifier: MIT
#pragma once

// Coarser levels below the pattern, for patterns that are fine themselves. Vertices are removed level by level until
// few remain. A removed vertex is interpolated from up to three remaining ones nearby: linearly inside their triangle,
// and along the boundary for a boundary vertex. The levels depend on the 3D positions and the edges of the pattern
// alone, so that they are built once per cloth.

#include "base/array.h"
#include "mesh/pattern.h"

enum
{
	baseMaxLevels = 12,
};

typedef struct BaseParents
{
	uint32_t parent[3]; // vertices of a coarser level; DRAPE_NONE for no more
	float weight[3];    // > 0, add up to one; 0 for no more
} BaseParents;

typedef struct BaseLevels
{
	uint32_t levelCount;        // at least 1
	ARRAY(uint8_t) level;       // per vertex; 0 is the coarsest. Empty when there is one level.
	ARRAY(BaseParents) parents; // per vertex; none on level 0
} BaseLevels;

// Overwrites `base` without freeing it. False when out of memory, and `base` is cleared.
bool drapeBaseLevels_Build(BaseLevels* base, const PatternMesh* pattern);
void drapeBaseLevels_Destroy(BaseLevels* base);
// Turns a copy of the struct into one that borrows the levels of the original.
void drapeBaseLevels_Borrow(BaseLevels* base);
