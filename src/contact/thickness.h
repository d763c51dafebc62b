// SPDX-License-Identifier: MIT
#pragma once

#include "mesh/active.h"

// The thickness that a mesh can carry. Layers of cloth keep the thickness apart where the triangles are large enough:
// contact points reach as far as 1.5 longest edges of the triangles that they lie on (narrow/proximity.h). A finer mesh
// would have hundreds of points for each particle.

typedef struct CarriedThickness
{
	float most, least;  // m: of the largest and of the smallest triangle; at most the thickness
	uint32_t triangles; // number of triangles that carry less than the thickness
} CarriedThickness;

// `factors` of the thickness, by particle, may be NULL. With them distances are those of parts whose factor is 1.
CarriedThickness drapeThickness_Examine(const ActiveMesh* mesh, float thickness, const float* factors);

// Returns CarriedThickness::most, which takes a look at one edge of almost all meshes.
float drapeThickness_Most(const ActiveMesh* mesh, float thickness);
