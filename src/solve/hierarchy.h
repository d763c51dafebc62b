// SPDX-License-Identifier: MIT
#pragma once

// The order in which linear systems have their unknowns, and the coarser levels that every adaptive mesh brings along.
//
// Each particle is a row. Rows are sorted by the level on which they appear, coarse first, so that a coarser level is
// simply the first so many rows. A row that a level adds is interpolated from rows of the next coarser one: from the
// particles in whose middle it was born, or for the vertices of the pattern as base_levels.h says. Within a level, rows
// follow a curve through the cloth, which keeps neighbours near each other in memory.
//
// Everything here is a function of the mesh alone, not of how it came about: a resumed simulation has the same order.

#include "mesh/active.h"
#include "solve/base_levels.h"

enum
{
	hierarchyLevels = 24,
};

typedef struct RowParents
{
	uint32_t row[3]; // unused ones repeat the first
	float weight[3]; // add up to one; unused ones are 0
} RowParents;

typedef struct RowChild
{
	uint32_t row;
	float weight;
} RowChild;

typedef struct HierarchyLevel
{
	uint32_t rowCount;
	uint32_t coarser;           // rows of the next coarser level; 0 for the coarsest
	ARRAY(RowParents) parents;  // of the rows from `coarser` on
	ARRAY(uint32_t) childStart; // [coarser + 1]
	ARRAY(RowChild) children;   // among the rows from `coarser` on
} HierarchyLevel;

typedef struct Hierarchy
{
	uint32_t rowCount;
	uint32_t levelCount;
	HierarchyLevel levels[hierarchyLevels]; // 0 is the coarsest
	ARRAY(uint32_t) rowOf;                  // by particle
	ARRAY(uint32_t) particleOf;             // by row; up to the next multiple of eight the last is repeated
	ARRAY(uint32_t) byLevel;                // scratch: particles, coarse first
	ARRAY(uint32_t) keys, order, buckets;   // scratch: places along a curve through the cloth
} Hierarchy;

// False when memory is short.
bool drapeHierarchy_Build(Hierarchy* hierarchy, const ActiveMesh* mesh, const BaseLevels* base);
void drapeHierarchy_Destroy(Hierarchy* hierarchy);
