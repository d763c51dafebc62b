// SPDX-License-Identifier: MIT
#pragma once

#include "contact/items.h"
#include "contact/kdop.h"

// A uniform grid without walls: cells are hashed, so the world has no size. Thesis 4.4.1 has a dense grid over the
// object; Teschner et al. 2003 and seeds 001 and 003 hash. Items stand in every cell that their box touches, sorted by
// cell; the table has the first entry of each.
//
// Cells are cubes as wide as the mean item. An item that would touch more than gridMaxCells of them, such as a floor
// beside a fine body, stands in a list of large ones instead, which every query looks at: nothing hangs however large
// the items or the world. Beyond 2^20 cells from the origin the coordinates of cells are clamped; far away everything
// is in the outermost cells, still found, only slower.

enum
{
	gridMaxCells = 64, // an item may stand in
};

typedef struct GridEntry
{
	uint64_t cell;
	uint32_t item;
	uint32_t next; // entry of the next cell with another key; on the first entry of a cell
} GridEntry;

typedef struct Grid
{
	float cellSize; // m
	uint32_t itemCount;
	ARRAY(Vec3) low; // [itemCount] boxes
	ARRAY(Vec3) high;
	ARRAY(uint64_t) cells, spare; // [entryCount] cells of the entries, sorted; scratch of the same size
	ARRAY(uint32_t) entries;      // [entryCount] items, cell by cell, ascending in each
	ARRAY(uint32_t) table;        // hashed cells to their first entry; a power of two, at most half full
	ARRAY(uint32_t) large;        // items that are in no cell
	ARRAY(uint32_t) corners;      // [3 * itemCount] of the items, to tell neighbours
} Grid;

// A zeroed grid is empty.
// cellSize, m: 0 takes the mean size of the items. False when memory is short; the grid is empty then.
bool Grid_Build(Grid* grid, const Items* items, float cellSize, TaskPool* tasks);
void Grid_Free(Grid* grid);

// Adds the items whose boxes overlap, each once, in ascending order. False when memory is short.
bool Grid_Query(const Grid* grid, Vec3 low, Vec3 high, ItemList* found);

// Pairs of items of two grids whose boxes overlap; of one grid with itself those that share no corner, each once, a <
// b.
bool Grid_Pairs(const Grid* a, const Grid* b, const Items* itemsOfB, PairList* list, TaskPool* tasks);
bool Grid_SelfPairs(const Grid* grid, PairList* list, TaskPool* tasks);

// The first triangle, as it is at the end of the step, that a segment meets, from either side, cell by cell along its
// way (Amanatides and Woo 1987; thesis 4.4.2). False when there is none.
bool Grid_FirstHit(const Grid* grid, const Items* items, Vec3 from, Vec3 to, ItemHit* hit);
