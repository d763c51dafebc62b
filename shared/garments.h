// SPDX-License-Identifier: MIT
#pragma once

#include "drape/mesh.h"

// Clothes for the mannequin (shared/mannequin.h), made by formula. They surround it without touching it.

typedef enum GarmentPart
{
	garment_rest = 0,
	garment_collar,
	garment_hem,
	garment_waistband,
} GarmentPart;

typedef struct Garment
{
	drapeMesh mesh;
	drapeVec2* material; // [3 * triangles] m, u across, v up; NULL when the rest shape is the mesh
	GarmentPart* part;   // [vertices]
} Garment;

// A T-shirt of two panels, front and back, of 158 triangles each, sewn along shoulders, sleeves and sides. Both panels
// share the vertices on a seam but not the material coordinates. Each level divides the triangles by four: two levels
// give 5,056. Triangles of level 0 are so large that they cut into the body; those of level 1 and finer do not.
void Garment_CreateShirt(Garment* garment, uint32_t levels);

// A dress to the knees with short sleeves, cut in the same way: 352 triangles, 1,408 with one level.
void Garment_CreateDress(Garment* garment, uint32_t levels);

// A flared skirt of `around` x `along` quads. Ring 0 is the waistband.
void Garment_CreateSkirt(Garment* garment, uint32_t around, uint32_t along);

void Garment_Free(Garment* garment);

// True when both panels share vertices with different material coordinates.
bool Garment_IsSewn(const Garment* garment);
