// SPDX-License-Identifier: MIT
#pragma once

// The edge scheme over a pattern without a world around it, for tests and benchmarks of the hierarchy alone.

#include "adapt/edge.h"

typedef struct EdgeRig
{
	EdgePools pools;
	PatternMesh pattern;
	ActiveMesh active;
	EdgeScheme* scheme;
} EdgeRig;

// Density in kg/m^2. With `hasTexcoords` the active mesh carries the texture coordinates of the pattern, if it has any.
// Ends the program when memory runs out or the mesh is refused.
void EdgeRig_Create(EdgeRig* rig, const drapeMesh* mesh, float density, bool hasTexcoords);

// A caller that has destroyed the scheme itself sets it to NULL.
void EdgeRig_Destroy(EdgeRig* rig);
