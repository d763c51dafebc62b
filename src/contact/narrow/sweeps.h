// SPDX-License-Identifier: MIT
#pragma once

#include "contact/broad/broad_phase.h"

// A tetrahedron that the surface of a cloth sweeps over when its mesh is changed.
typedef struct Sweep
{
	const Vec3* corner;       // [4] m
	const uint32_t* particle; // [4] of the cloth that is asked about; NULL when it has none of that
	bool isWhole;             // all that the change sweeps over, not a part of it
} Sweep;

// Whether it meets a triangle, given with its particles: anywhere but in the corners that they have in common. A part
// of a greater sweep does not look at triangles that have such corners.
bool drapeSweep_MeetsTriangle(const Sweep* sweep, const Vec3 triangle[3], const uint32_t* three);

// The same for a tree over triangles, as it was when it was last fitted.
bool drapeSweep_MeetsTree(const Sweep* sweep, const Bvh* tree, const uint32_t* corners, const Vec4* position,
                          PrimitiveList* near);

// Whether it meets the first `bodyCount` bodies, which have few elements each, where their ways begin.
bool drapeSweep_MeetsBodies(const Sweep* sweep, const BroadPhase* broadPhase, uint32_t bodyCount);
