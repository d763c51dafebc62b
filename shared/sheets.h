// SPDX-License-Identifier: MIT
#pragma once

// Sheets and fabrics that tests, benchmarks and scenes in code have in common.

#include "drape/drape.h"

// Prints a message and ends the program when the condition does not hold. For failures that no caller could handle.
void Shared_Require(bool condition, const char* what);

// Cotton of the contact scenes: finite elements, 0.2 kg/m^2, friction 0.5, internal friction of bending, contact with
// everything. The solver is implicit Euler with one linear solve to a hundredth of the residual. The fabric and the air
// damp, so that cloth comes to rest. Adaptive cloth refines by curvature and by collision; `levels` counts levels of
// the edge scheme.
drapeClothDef SharedFabric_Cotton(drapeScheme scheme, uint32_t levels);

// Material of the hanging sheets: 0.2 kg/m^2, 5 kN/m, so stiff that a sheet of 1 m stretches by a hundredth at most. No
// damping, no air.
drapeMaterial SharedFabric_Stiff(void);

// The position of a point of the flat sheet, which lies in the plane y = 0 with its centre in the origin.
typedef drapeVec3 SharedPlaceFcn(drapeVec3 flat, const void* context);

// Creates a cloth from a grid of columns x rows quads of width x depth metres. `def` has everything but the mesh.
// `place` may be NULL. Null when drapeCreateCloth refuses it or memory runs out.
drapeClothId SharedSheet_Add(drapeWorldId world, const drapeClothDef* def, uint32_t columns, uint32_t rows, float width,
                             float depth, SharedPlaceFcn* place, const void* context);

// A SharedPlaceFcn whose context is a drapeTransform.
drapeVec3 SharedPlace_Transform(drapeVec3 flat, const void* context);
