// SPDX-License-Identifier: MIT
#pragma once

#include "drape/mesh.h"
#include "mesh/topology.h"

// Measures of a mesh for the report. Each function fills its own fields only. False when out of memory.

// Edges, boundary loops, components and Euler number.
bool drapeMeasure_Topology(const Topology* topology, drapeMeshReport* report);

// Bounding box, area, edge lengths and the smallest angle. Skips triangles that the topology leaves out.
void drapeMeasure_Shape(const drapeMesh* mesh, const Topology* topology, drapeMeshReport* report);

// Texture islands, and metres per texture unit. Skips triangles with a corner that has no texture coordinate.
bool drapeMeasure_Texture(const drapeMesh* mesh, const Topology* topology, drapeMeshReport* report);
