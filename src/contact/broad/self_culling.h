// SPDX-License-Identifier: MIT
#pragma once

#include "contact/broad/bvh.h"
#include "mesh/active.h"
#include "mesh/pattern.h"

// Self-collision culling: finds regions of cloth that are too flat to touch themselves within a step.
//
// The usual tests ask whether the normals of a region fit into a cone and whether its outline, seen along the cone's
// axis, crosses itself (Volino and Magnenat-Thalmann 1994, Provot 1997). The outline test is costly, has to hold at
// every moment of the step, and says nothing about distances. This test works in the material instead. Let F = dx/du be
// the deformation gradient of the triangles, and B some 3 x 2 matrix. If the symmetric part of B^T F is positive
// definite in all triangles of a region that is convex in the material plane, then for two of its points p and q
//
//    (q - p) . B^T (x(q) - x(p))  =  integral of (q - p) . B^T F (q - p) along the segment from p to q  >  0,
//
// so x(p) and x(q) differ: the region does not touch itself. When the smallest eigenvalue is at least CULLING_RATIO
// |B|, the two points are at least CULLING_RATIO |q - p| apart. F changes linearly within a step, so a condition that
// holds at both ends holds throughout. The outline only has to be convex.
//
// B is the middle of the F of a region. Each node of the tree stores the interval of F, in blocks like the bounds of
// bvh.h. A region is the bounding rectangle of a node's material. The test looks at every triangle that overlaps the
// rectangle, in whichever node it is. The rectangle may contain no cut: an edge that has no cloth on its other side, or
// cloth with other material coordinates, unless all of the chart lies on one side of it. So the material in the
// rectangle is convex.

// Two points of a culled region keep at least this fraction of their distance in the material.
#define CULLING_RATIO 0.25f

// --- charts ---------------------------------------------------------------------------------------------------------

// Charts are parts of a cloth with continuous material coordinates. They belong to the pattern; adaptation only
// subdivides their triangles. A zeroed Charts is empty.
typedef struct Charts
{
	uint32_t chartCount;
	ARRAY(uint32_t) chart;   // [pattern triangles]
	ARRAY(uint32_t) hullEnd; // [chartCount] end of a chart's hull; the next hull begins there
	ARRAY(Vec2) hull;        // m; corners of the convex hulls, counter-clockwise
	ARRAY(uint8_t) overlaps; // [chartCount] 1 for a chart that overlaps itself in the plane; it is never culled
	// The active mesh:
	uint32_t triangleCount;
	// [3 * triangleCount] x, y: material coordinates of a corner, m; z: chart; w of the first corner: 1 when the triangle
	// has a cut.
	ARRAY(Vec4) material;
	// [particles] 1 for the ends of cuts, and of all edges with cloth of other material coordinates on their other side
	ARRAY(uint8_t) isCut;
} Charts;

// Finds the charts of a pattern. On drape_errorMemory the charts are empty.
drapeResult drapeCharts_Create(Charts* charts, const PatternMesh* pattern, TaskPool* tasks);
void drapeCharts_Free(Charts* charts);

// Turns a copy of the struct into one that borrows the arrays of the original, which outlives it and does not change.
void drapeCharts_Borrow(Charts* charts);

// Writes the triangles of an active mesh of that pattern, after each change of its topology. Returns false when out of
// memory.
bool drapeCharts_Update(Charts* charts, const ActiveMesh* mesh);

// --- tree of a cloth ------------------------------------------------------------------------------------------------

// A tree over the triangles of a cloth that knows which nodes are culled. It is sorted along the charts: neighbours in
// the cloth stay neighbours, and culling needs patches of cloth.
typedef struct ClothTree
{
	Bvh bvh;
	ARRAY(float) inverse;    // [blocks of level 0][4][8] inverse of the material edges: F = edges * inverse
	ARRAY(float) material;   // [blocks][cullingMaterialRows][8] intervals of u, v, chart, cut
	ARRAY(float) strain;     // [blocks][cullingStrainRows][8] intervals of F, column by column
	ARRAY(uint8_t) isCulled; // [8 * blocks] by node
} ClothTree;

void drapeClothTree_Init(ClothTree* tree, uint32_t k, uint32_t arity);
void drapeClothTree_Destroy(ClothTree* tree);

// Builds the tree over the triangles that the charts were updated for. Returns false when out of memory; the tree is
// empty then.
bool drapeClothTree_Build(ClothTree* tree, const Primitives* triangles, const Charts* charts, TaskPool* tasks);

// Fits bounds and culling to triangles that moved.
void drapeClothTree_Refit(ClothTree* tree, const Primitives* triangles, TaskPool* tasks);

// Finds pairs of triangles that share no corner, as drapeBvh_SelfPairs, without pairs within a culled region. Such a
// pair cannot come closer in this step than CULLING_RATIO times its distance in the material.
bool drapeClothTree_SelfPairs(const ClothTree* tree, PairList* list, TaskPool* tasks);

// Writes by triangle a number that all triangles of a culled region share; DRAPE_NONE for triangles of no region.
void drapeClothTree_FindCulledPatches(const ClothTree* tree, uint32_t* patch, TaskPool* tasks);
