// SPDX-License-Identifier: MIT
#pragma once

#include "drape/mesh.h"

// A body and a T-shirt made by formula: the same triangles everywhere, without files.

// A person of 1.75 m with arms stretched out to the sides, feet on y = 0, closed, of about 67,000 triangles.
void Mannequin_Create(drapeMesh* mesh);
void Mannequin_Free(drapeMesh* mesh);

// A T-shirt of two panels, front and back, of 158 triangles each, sewn along shoulders, sleeves and sides. Both panels
// share the vertices on a seam but not the material coordinates. The shirt surrounds the mannequin without touching it.
typedef enum ShirtPart
{
	shirt_rest = 0,
	shirt_collar,
	shirt_hem,
} ShirtPart;

typedef struct Shirt
{
	drapeMesh mesh;
	drapeVec2* material; // [3 * triangles] m, u across, v up
	ShirtPart* part;     // [vertices]
} Shirt;

void Shirt_Create(Shirt* shirt);
void Shirt_Free(Shirt* shirt);

// True when both panels share vertices with different material coordinates.
bool Shirt_IsSewn(const Shirt* shirt);
