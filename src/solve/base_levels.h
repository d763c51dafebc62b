// SPDX-License-Identifier: MIT
#pragma once

// Coarser levels below the pattern: for meshes that come without a hierarchy, or with a fine one. Vertices are thinned
// out level by level until few are left; one that goes is interpolated from up to three that stay nearby, linearly
// where they surround it, and along the boundary when it lies there. Found once per cloth, since the pattern does not
// change, from the 3D positions and the edges alone.

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
	ARRAY(uint8_t) level;       // by vertex; 0 is the coarsest. Empty when there is one level.
	ARRAY(BaseParents) parents; // by vertex; none on level 0
} BaseLevels;

// What was in `base` before is not freed. False when memory is short, and `base` is cleared.
bool drapeBaseLevels_Build(BaseLevels* base, const PatternMesh* pattern);
void drapeBaseLevels_Destroy(BaseLevels* base);
