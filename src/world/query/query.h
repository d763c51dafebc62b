// SPDX-License-Identifier: MIT
#pragma once

#include "base/tasks.h"
#include "contact/broad/bvh.h"

// The tree of a cloth for queries: rays, closest points, boxes. It is built or fitted by the first query after the cloth
// has changed, so that steps do not pay for it.

typedef struct Cloth Cloth;

// Zeroed, it is empty.
typedef struct QueryTree
{
	Bvh bvh;
	bool isBuilt;
	uint32_t revision; // revision of the active mesh for which it was built
	uint64_t moves;    // Cloth::moves for which it was fitted
} QueryTree;

void drapeQueryTree_Destroy(QueryTree* tree);

// Brings the tree of a cloth in step with its mesh. False when out of memory.
bool drapeQueryTree_Follow(Cloth* cloth);
