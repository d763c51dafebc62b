// SPDX-License-Identifier: MIT
#pragma once

#include "base/array.h"
#include "base/simd.h"
#include "base/tasks.h"
#include "mesh/active.h"
#include "mesh/pattern.h"

// Curvature culling: where cloth is so calm that it cannot touch itself.
//
// The usual tests ask whether the normals of a region fit into a cone and whether its outline, seen along the cone's
// axis, crosses itself (Volino and Magnenat-Thalmann 1994, Provot 1997). The second half is costly, has to be asked for
// every moment of the step, and says nothing about distances. Here the same is asked in the material: let F = dx/du be
// the deformation gradient of the triangles, and B some 3 x 2 matrix. If B^T F, made symmetric, is positive definite in
// all triangles of a region that is convex in the material plane, then for two of its points p and q
//
//    (q - p) . B^T (x(q) - x(p))  =  integral of (q - p) . B^T F (q - p) along the segment from p to q  >  0,
//
// so x(p) and x(q) differ: the region does not touch itself. When the smallest eigenvalue is at least cullingRatio |B|,
// the two points are at least cullingRatio |q - p| apart. Between the beginning and the end of a step F changes linearly,
// and what holds at both ends holds all the way. Nothing is asked of the outline but that it be convex.
//
// B is the middle of the F of a region; F is kept as intervals per node, in blocks like the bounds of bvh.h. Regions
// are rectangles around a node's material. Every triangle that reaches into the rectangle is looked at, whichever node
// it is in, and there may be no cut in it: an edge with no cloth, or with cloth of other material coordinates, on its
// other side, unless all of the chart lies on one side of it. So what is in the rectangle is convex.

// Two points of a calm region keep at least this part of their distance in the material.
#define CULLING_RATIO 0.25f

// Charts are pieces of cloth in which material coordinates go on from triangle to triangle. They belong to the pattern;
// adaptation only cuts its triangles up. A zeroed Charts has none.
typedef struct Charts
{
	uint32_t chartCount;
	ARRAY(uint32_t) chart;   // [pattern triangles]
	ARRAY(uint32_t) hullEnd; // [chartCount] where the hull of a chart ends; the next one begins there
	ARRAY(Vec2) hull;        // m; corners of the convex hulls, counter-clockwise
	ARRAY(uint8_t) overlaps; // [chartCount] 1 where the chart lies upon itself in the plane; nothing in it is calm
	// of the active mesh
	uint32_t triangleCount;
	ARRAY(Vec4)
	place; // [3 * triangleCount] x, y material coordinates of a corner, m; z the chart; w 1 where the
		   // triangle has a cut, on its first corner
} Charts;

// drape_errorMemory leaves them zero.
drapeResult drapeCharts_Create(Charts* charts, const PatternMesh* pattern, TaskPool* tasks);
void drapeCharts_Free(Charts* charts);

// Places of the triangles of an active mesh of that pattern; anew whenever its topology changes. False when memory is
// short.
bool drapeCharts_Update(Charts* charts, const ActiveMesh* mesh);

// What a tree keeps for it, block by block (bvh.h).
enum
{
	cullingChartRows = 8,   // u, v, chart, cut; low and high
	cullingStrainRows = 12, // F column by column; low and high
};

typedef struct SelfCullingTree
{
	ARRAY(float) inverse;    // [blocks of level 0][4][8] material edges inverted: F = edges * inverse
	ARRAY(float) place;      // [blocks][cullingChartRows][8]
	ARRAY(float) strain;     // [blocks][cullingStrainRows][8]
	ARRAY(uint8_t) isCulled; // [8 * blocks] of a node
} SelfCullingTree;
