// SPDX-License-Identifier: MIT
#pragma once

#include "contact/broad/primitives.h"

// A uniform grid without walls: cells are hashed, so the world has no size. Thesis 4.4.1 has a dense grid over the
// object; Teschner et al. 2003 and seeds 001 and 003 hash. A primitive stands in every cell that its box touches. Two primitives
// may meet in several cells; they are looked at in the one that has the lowest corner of what they have in common.
//
// Cells are cubes as wide as the mea primitive. A primitive that would stand in more than gridMaxCells of them, such as a floor
// beside a fine body, is in a list of large ones instead, which every query looks at; when there are many such, cells
// are made wider. Beyond 2^20 cells from the origin cells have no end. So nothing hangs and nothing is lost, however
// large primitives and world are.

enum
{
	gridMaxCells = 64, // a primitive may stand in
};

typedef struct GridCell
{
	int32_t x, y, z;
} GridCell;

typedef struct GridEntry
{
	uint64_t cell;
	uint32_t primitive;
	uint32_t unused;
} GridEntry;

typedef struct Grid
{
	float cellSize; // m
	uint32_t primitiveCount, cornerCount, bucketBits;
	Vec3 low, high;              // of all primitives
	ARRAY(Vec3) boxes;           // [2 * primitiveCount] low and high of each
	ARRAY(GridCell) cells;       // [2 * primitiveCount] where those are
	ARRAY(uint32_t) corners;     // [cornerCount * primitiveCount], to tell neighbours
	ARRAY(GridEntry) entries;    // bucket by bucket, in the order of primitives in each
	ARRAY(uint32_t) bucketStart; // [2^bucketBits + 1]
	ARRAY(uint32_t) large;       // primitives that are in no cell, ascending
	ARRAY(uint8_t) isLarge;      // [primitiveCount]
} Grid;

// A zeroed grid is empty. cellSize, m, is a wish; 0 takes the mean size of the primitives. False when memory is short: the
// grid is empty then.
bool drapeGrid_Build(Grid* grid, const Primitives* primitives, float cellSize, TaskPool* tasks);
void drapeGrid_Free(Grid* grid);

// Adds the primitives whose boxes overlap, each once. False when memory is short.
bool drapeGrid_Query(const Grid* grid, Vec3 low, Vec3 high, PrimitiveList* found);

// Pairs of primitives of two grids whose boxes overlap; of one grid with itself those that share no corner, each once, a <
// b.
bool drapeGrid_Pairs(const Grid* a, const Grid* b, PairList* list, TaskPool* tasks);
bool drapeGrid_SelfPairs(const Grid* grid, PairList* list, TaskPool* tasks);

// The first triangle, as it is at the end of the step, that a segment meets, from either side, cell by cell along its
// way (Amanatides and Woo 1987; thesis 4.4.2). False when there is none.
bool drapeGrid_FirstHit(const Grid* grid, const Primitives* primitives, Vec3 from, Vec3 to, PrimitiveHit* hit);
