// SPDX-License-Identifier: MIT
#pragma once

// surface — the visible surface, computed from the active mesh after it has moved.
//
//   normals.c   normals of the particles: the mean of the adjacent triangles' normals, weighted by area (Simnett 2012,
//               3.2.3)
//   vertices.h  vertices for a renderer: one per particle or per texture corner, tangents (vertex_map.c, vertices.c)

#include "base/tasks.h"
#include "mesh/active.h"
#include "mesh/color_graph.h"

// Computes the unit normals of all particles. A normal is zero where those of the adjacent triangles cancel out. The
// graph contains all active triangles.
void drapeSurface_UpdateNormals(ActiveMesh* mesh, const ColorGraph* triangles, TaskPool* tasks);
