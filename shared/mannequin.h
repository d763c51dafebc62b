// SPDX-License-Identifier: MIT
#pragma once

#include "drape/mesh.h"

// A body made by formula: the same triangles everywhere, without files. shared/garments.h has clothes for it.

// A person of 1.75 m with arms stretched out to the sides, feet on y = 0, closed, of about 67,000 triangles.
void Mannequin_Create(drapeMesh* mesh);
void Mannequin_Free(drapeMesh* mesh);

// The same person with triangles of about `cell` metres: 0.013 gives 28,000 of them, 0.03 gives 5,200.
void Mannequin_CreateWith(drapeMesh* mesh, float cell);

// The surface as a function: about the distance of a point from it, m, negative inside.
float Mannequin_Distance(drapeVec3 p);
