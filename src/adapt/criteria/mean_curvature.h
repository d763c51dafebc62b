// SPDX-License-Identifier: MIT
#pragma once

#include "base/tasks.h"
#include "mesh/active.h"
#include "mesh/color_graph.h"

// Mean curvature at the particles after Meyer, Desbrun, Schroeder and Barr 2003, "Discrete Differential-Geometry
// Operators for Triangulated 2-Manifolds":
//
//   K(x_i) = 1 / (2 A_mixed) sum_j (cot alpha_ij + cot beta_ij) (x_i - x_j) = 2 H n          eq. 8
//
// alpha and beta are the angles opposite to the edge ij, A_mixed is the Voronoi area around i, cut off at obtuse
// triangles (section 3.3). The sum is incomplete on the boundary, so a boundary particle has the mean of its inner
// neighbours. A boundary particle without inner neighbours, in a strip of one triangle's width, has the part of the sum
// along its normal.

typedef struct MeanCurvature
{
	ARRAY(float) value;  // [particles] 1/m, not negative
	ARRAY(Vec4) laplace; // scratch: the sum, with A_mixed in w
	BitSet isBoundary;   // scratch
} MeanCurvature;

void drapeMeanCurvature_Destroy(MeanCurvature* curvature);

// `triangles` has the triangles of the mesh in colours: the sum runs in parallel and has the same bits for any number
// of threads. NULL: the sum runs on this thread, in the order of the mesh. False when out of memory.
bool drapeMeanCurvature_Compute(MeanCurvature* curvature, const ActiveMesh* mesh, const ColorGraph* triangles,
                                TaskPool* tasks);
