// SPDX-License-Identifier: MIT
#pragma once

// The order of unknowns in linear systems, and the coarser levels of an adaptive mesh.
//
// Each particle is a row. Rows are sorted by the level on which they appear, coarse first, so that a coarser level is a
// prefix of the rows. A row that a level adds is interpolated from rows of the next coarser one: from its parents, or
// for vertices of the pattern as base_levels.h describes. Within a level, rows follow a curve through the cloth, which
// keeps neighbours close in memory.
//
// The result is a function of the mesh alone, whatever changes led to it: a resumed simulation has the same order.

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
	ARRAY(RowParents) parents;  // one per row from `coarser` on
	ARRAY(uint32_t) childStart; // [coarser + 1]
	ARRAY(RowChild) children;   // among the rows from `coarser` on
	// The children of eight rows at a time, for the restriction.
	ARRAY(uint32_t) laneStart;  // [groups of eight rows of the coarser level + 1] first slot; a slot has eight children
	ARRAY(uint32_t) laneOffset; // 16 * row
	ARRAY(float) laneWeight;    // 0 for rows with fewer children
} HierarchyLevel;

typedef struct Hierarchy
{
	uint32_t rowCount;
	uint32_t levelCount;
	HierarchyLevel levels[hierarchyLevels]; // 0 is the coarsest
	ARRAY(uint32_t) rowOf;                  // per particle
	ARRAY(uint32_t) particleOf;             // per row; the last one is repeated up to a multiple of eight
	ARRAY(uint32_t) byLevel;                // scratch: particles, coarse first
	ARRAY(uint32_t) keys, order, buckets;   // scratch: order along a curve through the cloth
} Hierarchy;

// False when out of memory.
bool drapeHierarchy_Build(Hierarchy* hierarchy, const ActiveMesh* mesh, const BaseLevels* base);
void drapeHierarchy_Destroy(Hierarchy* hierarchy);
// Turns a copy of the struct into one that borrows the levels of the original until drapeHierarchy_Build.
void drapeHierarchy_Borrow(Hierarchy* hierarchy);
// Releases the scratch memory of the build.
void drapeHierarchy_ReleaseScratch(Hierarchy* hierarchy);
