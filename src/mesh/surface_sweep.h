// SPDX-License-Identifier: MIT
#pragma once

#include "base/maths.h"

// The tetrahedron that the surface of a cloth sweeps over when adaptation flips an edge or removes a particle.
typedef struct SurfaceSweep
{
	Vec3 corner[4];       // m
	uint32_t particle[4]; // DRAPE_NONE for one that does not exist yet
	// The edge between corners 0 and 1 is replaced by one between 2 and 3. Otherwise corner 3 is removed, and the
	// triangle of the other three remains.
	bool isFlip;
	bool isWhole; // the whole sweep of the change; otherwise a part of it, which the change may yet avoid
} SurfaceSweep;
