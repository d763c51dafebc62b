// SPDX-License-Identifier: MIT
#pragma once

// surface — what people look at, made from the active mesh after it has moved.
//
//   normals.c   vertex normals, the mean of the triangles around weighted by their area (Simnett 2012, 3.2.3)

#include "base/tasks.h"
#include "mesh/active.h"
#include "mesh/color_graph.h"

// Unit normals of all particles; zero where the triangles around cancel out. The graph has the active triangles.
void drapeSurface_UpdateNormals(ActiveMesh* mesh, const ColorGraph* triangles, TaskPool* tasks);
