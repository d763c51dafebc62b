// SPDX-License-Identifier: MIT
#pragma once

#include "contact/broad/primitives.h"

// A uniform grid without bounds: cells are hashed. Thesis 4.4.1 has a dense grid over the object; Teschner et al. 2003
// hash. A primitive is stored in every cell that its box touches. Two primitives may share several cells; they are
// tested in the cell that has the lowest corner of the intersection of their boxes.
//
// Cells are cubes as wide as the mean primitive. A primitive that touches more than gridMaxCells of them, such as a
// floor beside a fine body, is stored in a list of large ones, which every query tests. If there are many such, cells
// become wider. Beyond 2^20 cells from the origin cells are unbounded. The grid therefore works for any size of
// primitives and world.

enum
{
	gridMaxCells = 64, // for one primitive
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
	Vec3 low, high;              // bounds of all primitives
	ARRAY(Vec3) boxes;           // [2 * primitiveCount] low and high of each
	ARRAY(GridCell) cells;       // [2 * primitiveCount] the cells of those corners
	ARRAY(uint32_t) corners;     // [cornerCount * primitiveCount], to recognise neighbours
	ARRAY(GridEntry) entries;    // bucket by bucket, in the order of primitives in each
	ARRAY(uint32_t) bucketStart; // [2^bucketBits + 1]
	ARRAY(uint32_t) large;       // primitives that are in no cell, ascending
	ARRAY(uint8_t) isLarge;      // [primitiveCount]
} Grid;

// A zeroed grid is empty. cellSize, m, is a wish; 0 takes the mean size of the primitives. False when memory is short:
// the grid is empty then.
bool drapeGrid_Build(Grid* grid, const Primitives* primitives, float cellSize, TaskPool* tasks);
void drapeGrid_Free(Grid* grid);

// Appends the primitives whose boxes overlap, each once. False when out of memory.
bool drapeGrid_Query(const Grid* grid, Vec3 low, Vec3 high, PrimitiveList* found);

// Pairs of primitives of two grids whose boxes overlap; of one grid with itself those that share no corner, each once,
// a < b.
bool drapeGrid_Pairs(const Grid* a, const Grid* b, PairList* list, TaskPool* tasks);
bool drapeGrid_SelfPairs(const Grid* grid, PairList* list, TaskPool* tasks);

// Finds the first triangle, at the end of the step, that a segment hits from either side, cell by cell along the
// segment (Amanatides and Woo 1987; Simnett 2012, 4.4.2). False for none.
bool drapeGrid_FirstHit(const Grid* grid, const Primitives* primitives, Vec3 from, Vec3 to, PrimitiveHit* hit);
