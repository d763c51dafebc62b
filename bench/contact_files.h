// SPDX-License-Identifier: MIT
#pragma once

#include "drape/drape.h"

// Cloths as they are now, one OBJ file each: FOLDER/NAME-CLOTH.obj, the folder made when there is none. Ends the
// program when a file cannot be written.
void ContactFiles_Write(const char* folder, const char* name, const drapeClothId* cloths, uint32_t count);

// Leaves a mesh there as name.obj.
void ContactFiles_WriteMesh(const char* folder, const char* name, const drapeMesh* mesh);
