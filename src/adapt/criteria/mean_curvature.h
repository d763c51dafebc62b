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
// alpha and beta are the angles opposite to the edge ij, A_mixed the Voronoi area around i, cut off at obtuse
// triangles (section 3.3). On the boundary the sum is cut off, and says nothing about bending across it: there a
// particle has the mean of its neighbours inside. One that has none, in a strip of one triangle's width, has the part
// of the sum along its normal.

typedef struct MeanCurvature
{
	ARRAY(float) value;  // per particle, 1/m, not below 0
	ARRAY(Vec4) laplace; // scratch: the sum, with A_mixed in w
	BitSet isBoundary;   // scratch
} MeanCurvature;

void drapeMeanCurvature_Destroy(MeanCurvature* curvature);

// `triangles` has the triangles of the mesh in colours, so that they can be summed in parallel, with the same bits for
// any number of threads. NULL: in the order of the mesh, on this thread. False when memory is short.
bool drapeMeanCurvature_Compute(MeanCurvature* curvature, const ActiveMesh* mesh, const ColorGraph* triangles,
                                TaskPool* tasks);
