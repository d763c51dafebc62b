// SPDX-License-Identifier: MIT
#pragma once

// Coarser levels below the pattern: for meshes that come without a hierarchy, or with a fine one. Vertices are thinned
// out level by level until few are left; one that goes is interpolated from up to three that stay nearby. Found once
// per cloth, since the pattern does not change.

#include "mesh/pattern.h"

enum
{
	baseMaxLevels = 12,
};

typedef struct BaseParents
{
	uint32_t parent[3]; // vertices of a coarser level; DRAPE_NONE for no more
	float weight[3];    // add up to one
} BaseParents;

typedef struct BaseLevels
{
	uint32_t levelCount;        // at least 1
	ARRAY(uint8_t) level;       // by vertex; 0 is the coarsest. Empty when there is one level.
	ARRAY(BaseParents) parents; // by vertex
} BaseLevels;

// False when memory is short.
bool BaseLevels_Build(BaseLevels* base, const PatternMesh* pattern);
void BaseLevels_Destroy(BaseLevels* base);
