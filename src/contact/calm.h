// SPDX-License-Identifier: MIT
#pragma once

#include "base/array.h"
#include "base/simd.h"
#include "mesh/active.h"

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
// so x(p) and x(q) differ: the region does not touch itself. When the smallest eigenvalue is at least calmRatio |B|,
// the two points are at least calmRatio |q - p| apart. Between the beginning and the end of a step F changes linearly,
// and what holds at both ends holds all the way. Nothing is asked of the outline but that it be convex.
//
// B is the middle of the F of a region; F is kept as intervals per node, in blocks like the bounds. Regions are
// rectangles around a node's material: every triangle in the rectangle is looked at, whichever node it is in, and there
// may be no cut in it: an edge with no cloth, or cloth of other material coordinates, on its other side, unless all of
// its chart lies on one side of it.

// Two points of a calm region keep at least this part of their distance in the material.
static const float calmRatio = 0.25f;

// Charts are pieces of cloth in which material coordinates go on from triangle to triangle.
typedef struct Charts
{
	ARRAY(Vec4)
	place; // [3 * triangleCount] x, y the material coordinates of a corner, z the chart, w 1 where the
	       // edge from this corner to the next is a cut that is not on the hull of its chart
	uint32_t chartCount;
	// scratch
	ARRAY(uint32_t) parent;
	ARRAY(Vec4) outline;
} Charts;

// Finds the charts of a mesh; needed anew when its topology changes. False when memory is short.
bool Charts_Update(Charts* charts, const ActiveMesh* mesh);
void Charts_Free(Charts* charts);

// What a tree keeps for it, block by block (bvh.h).
typedef struct CalmTree
{
	ARRAY(float) inverse; // [blocks of level 0][4][8] material edges inverted: F = edges * inverse
	ARRAY(float) place;   // [blockCount][u, v, chart, cut][low, high][8]
	ARRAY(float) strain;  // [blockCount][6][low, high][8] components of F, column by column
} CalmTree;
