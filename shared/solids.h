// SPDX-License-Identifier: MIT
#pragma once

#include "drape/mesh.h"

// Closed meshes made by formula, for colliders.

typedef struct Solid
{
	drapeMesh mesh;
} Solid;

// A ball with lumps of a tenth of its radius: `around` x `along` quads, fans at the poles on the y axis.
void Solid_CreateLumpyBall(Solid* solid, float radius, uint32_t around, uint32_t along);

// A hollow drum about the z axis, closed at both ends: the inside has this radius and half length, m. Paddles along its
// inner wall reach inwards by `paddle`, m.
void Solid_CreateDrum(Solid* solid, float radius, float halfLength, float paddle, uint32_t paddles);

void Solid_Free(Solid* solid);
