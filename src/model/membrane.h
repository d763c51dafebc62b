// SPDX-License-Identifier: MIT
#pragma once

// Corotational linear finite elements for stretch and shear (Etzmuss, Keckeisen, Strasser 2003; Bender, Deul
// 2013, 4.2), orthotropic in warp and weft.
//
// A triangle maps the material plane to space by F = R U, R with orthonormal columns, U symmetric. The strain is
// e = U - I, and the energy per area is
//
//   W(e) = w1(e11) + w2(e22) + c12 e11 e22 + w3(2 e12)
//
// with w' the stress curves of the material; straight ones give Hooke's law. Forces are the exact gradient of the
// energy, so that there is no net force and no net torque. The usual R K (R^T x - x0) exerts a torque in anisotropic
// fabric. The stiffness is the energy's second derivative, made positive semidefinite.

#include "base/simd.h"
#include "drape/material.h"
#include "mesh/active.h"
#include "model/energy.h"

// The stress curve of one direction in pieces, and a limit of strain beyond which the cloth is much stiffer.
typedef struct StressLaw
{
	uint32_t count;                                                       // pieces, at least 1
	float strain[DRAPE_CURVE_POINTS + 1], stress[DRAPE_CURVE_POINTS + 1]; // starts of the pieces; the first at 0, 0
	float slope[DRAPE_CURVE_POINTS + 1];                                  // N/m
	float limit;      // strain beyond which limitSlope is added: in tension; for shear in both directions
	float limitSlope; // N/m; 0 for no limit
} StressLaw;

typedef struct Membrane
{
	StressLaw warp, weft, shear;
	float c12;                // N/m
	uint32_t count, capacity; // triangles, those of the mesh; the capacity is a multiple of 8
	uint32_t* corner[3];      // [capacity] particles; past the last triangle they repeat it
	float* gradient[4];       // [capacity] inverse of the material edge vectors (corner 1 - 0, corner 2 - 0),
							  // row by row, 1/m
	float* area;              // [capacity] m^2; 0 past the last triangle
	uint32_t revision;        // the mesh's; 0 for none
} Membrane;

void drapeMembrane_Init(Membrane* membrane, const drapeMaterial* material);

// Replaces the stress curves and keeps the elements. There is no limit of stretch until drapeMembrane_LimitStretch.
void drapeMembrane_SetMaterial(Membrane* membrane, const drapeMaterial* material);

void drapeMembrane_Destroy(Membrane* membrane);

// Turns a copy of the struct into one that borrows the elements of the original: drapeMembrane_Follow copies them
// before it changes any.
void drapeMembrane_Borrow(Membrane* membrane);

// Strain limiting (after Thomaszewski, Pabst and Strasser 2009, but as part of the material, so that it is solved with
// everything else): warp and weft hardly stretch beyond maxStretch times their length, nor does the bias. 0 for no
// limit.
void drapeMembrane_LimitStretch(Membrane* membrane, float maxStretch);

// The stiffness, N/m, that the limit adds to this one.
float drapeMembrane_LimitSlope(float slope);

// Updates the elements after a change of the mesh: only touched triangles when the change log allows it. False when out
// of memory; the next call describes all of them.
bool drapeMembrane_Follow(Membrane* membrane, const ActiveMesh* mesh);

// Forces and stiffness of the triangles [start, end), `start` a multiple of 8, triangle by triangle:
//   force[3 t + a]                 N, on corner a
//   block[9 t + 3 b + column]      N/m, off-diagonal blocks d2W/dx_a dx_a' of the corner pairs b = 0: (0, 1),
//                                  1: (1, 2), 2: (2, 0); the rows of a pair are the first corner's. `block` may be
//                                  NULL.
// Diagonal blocks follow, since rows add up to zero. Fourth components are 0.
void drapeMembrane_Evaluate(const Membrane* membrane, const EnergyQuery* query, uint32_t start, uint32_t end,
                            Vec4* force, Vec4* block);

// The steepest slope of any stress curve, N/m, with or without that of the stretch limit.
float drapeMembrane_SteepestSlope(const Membrane* membrane, bool hasLimit);

// J
double drapeMembrane_Energy(const Membrane* membrane, const Vec4* position);
