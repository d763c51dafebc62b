// SPDX-License-Identifier: MIT
#pragma once

// Bending as a continuum: the second derivatives of the surface by the material coordinates u and v, per triangle, from
// its own corners and the vertices across its three edges. They are linear in the positions, and for a sheet that
// hardly stretches they are the curvature tensor times the normal, so that the energy
//
//   A / 2 (B1 |x_uu|^2 + B2 |x_vv|^2 + 2 X |x_uv|^2)
//
// is quadratic with a constant Hessian. It is exact for quadratic surfaces on every mesh and in every direction.
// Neighbours are unfolded into the triangle's own material plane, which also carries bending across seams. Where an
// edge has no neighbour, a vertex one triangle further in takes the place of the missing one; at a free edge the fit is
// one-sided, but no less exact. Where there is none either (ribbons of one quad), or the vertices lie so that a
// curvature can hardly be told, the smallest one that agrees with the others is taken.
//
// What it does not do: a sheet of uniform curvature is in balance only on meshes whose neighbours form parallelograms.
// On others its particles can give way by the size of a quad's sag and lower the energy: with alternating diagonals by
// 25 percent on a cylinder and 50 on a sphere, on Delaunay meshes by 5 to 10. Slopes at the edges that both sides share
// (the mean of the two fits) would cure that, and need up to 13 nodes.

#include "drape/material.h"
#include "base/bitset.h"
#include "mesh/active.h"

enum
{
	curvatureNodes = 6,
};

// Order of the components.
enum
{
	curvatureUu,
	curvatureVv,
	curvatureUv,
};

typedef struct CurvatureElement
{
	uint32_t node[curvatureNodes];   // corners, then the particles across edges (0, 1), (1, 2), (2, 0), or what stands
	                                 // in for them; a missing one repeats corner 0 and has no weight
	float weight[3][curvatureNodes]; // 1/m^2; x_uu, x_vv and x_uv are these sums of positions. Each adds up to zero.
	float rest[3];                   // 1/m; along the normal
	float area;                      // m^2
} CurvatureElement;

typedef struct BendLaw
{
	float warp, weft; // N m: B1, B2
	float twist;      // N m: X
} BendLaw;

BendLaw BendLaw_Of(const drapeMaterial* material);

typedef struct Curvature
{
	BendLaw law;
	float curl[2];                    // 1/m, the material's
	ARRAY(CurvatureElement) elements; // by triangle
	ARRAY(uint32_t) sideEdge;         // [3 * triangles] edge from corner k to corner k + 1
	BitSet reachesFar;                // triangles that need more than their neighbours
	ARRAY(uint32_t) changed;          // scratch: triangles to compute anew,
	BitSet isChanged;                 // and the same as a set, empty between calls
	uint32_t revision;                // of the mesh; 0 for none
} Curvature;

void Curvature_Init(Curvature* curvature, const drapeMaterial* material);
void Curvature_Destroy(Curvature* curvature);

// Only triangles that were touched, and their neighbours, when the log allows it. False when memory is short; the next
// call starts afresh.
bool Curvature_Follow(Curvature* curvature, const ActiveMesh* mesh);

// The constant Hessian of a triangle: the coefficient of node a and node b, the same for x, y and z. N/m
void Curvature_Hessian(const CurvatureElement* element, const BendLaw* law,
                       float hessian[curvatureNodes][curvatureNodes]);

// Adds to `force` what rest curvature does: its moments act along the triangle's present normal. N
void Curvature_AddRestForces(const Curvature* curvature, const Vec4* position, Vec4* force);

// J
double Curvature_Energy(const Curvature* curvature, const Vec4* position);
