// SPDX-License-Identifier: MIT
#pragma once

// surface — what people look at, made from the active mesh after it has moved.
//
//   normals.c   vertex normals, the mean of the triangles around weighted by their area (Simnett 2012, 3.2.3)

#include "mesh/active.h"

// Unit normals of all particles; zero where the triangles around cancel out.
void Surface_UpdateNormals(ActiveMesh* mesh);
