// SPDX-License-Identifier: MIT
#pragma once

#include "drape/mesh.h"
#include "mesh/topology.h"

// What a mesh is, for the report. Each fills its own fields and nothing else; false when memory is short.

// Edges, boundary loops, components and Euler number.
bool drapeMeasure_Topology(const Topology* topology, drapeMeshReport* report);

// Bounding box, area, edge lengths and the worst angle. Triangles left out of the topology do not count.
void drapeMeasure_Shape(const drapeMesh* mesh, const Topology* topology, drapeMeshReport* report);

// Texture islands and how many metres one texture unit is. Triangles with a corner without texture coordinate do not
// count.
bool drapeMeasure_Texture(const drapeMesh* mesh, const Topology* topology, drapeMeshReport* report);
