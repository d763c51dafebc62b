// SPDX-License-Identifier: MIT
#pragma once

#include "contact/broad/broad_phase.h"

// Tells whether a triangle with these particles is left out.
typedef bool SweepIgnoreFcn(const uint32_t three[3], const void* context);

// A tetrahedron that the surface of a cloth sweeps when adaptation changes its mesh.
typedef struct Sweep
{
	const Vec3* corner;       // [4] m
	const uint32_t* particle; // [4] particles of the tested cloth; NULL for another cloth
	bool isWhole;             // the whole sweep of a change, not a part of it
	SweepIgnoreFcn* ignores;  // NULL for no triangle
	const void* context;      // of `ignores`
	ContactFilter filter;     // of the cloth; for drapeSweep_HitsBodies
} Sweep;

// Returns whether the sweep touches a triangle, except in corners that they share. A partial sweep ignores triangles
// with shared corners. `three` has the particles of the triangle; Sweep::ignores is asked about them.
bool drapeSweep_HitsTriangle(const Sweep* sweep, const Vec3 triangle[3], const uint32_t* three);

// The same for a tree over triangles in their positions at the last fit.
bool drapeSweep_HitsTree(const Sweep* sweep, const Bvh* tree, const uint32_t* corners, const Vec4* position,
                         PrimitiveList* near);

// The same for the first `bodyCount` bodies without a tree, at the start of the step.
bool drapeSweep_HitsBodies(const Sweep* sweep, const BroadPhase* broadPhase, uint32_t bodyCount);
