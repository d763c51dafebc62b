// SPDX-License-Identifier: MIT
#pragma once

#include "drape/mesh.h"

#include <stdlib.h>

// Small meshes to test with. Each is consistently wound and belongs to the caller, who frees it with TestMesh_Free; the
// arrays come from malloc and may be written through TestMesh_Positions and TestMesh_Triangles. Lengths are metres.

// Copies of arrays drawn by hand.
drapeMesh TestMesh_FromArrays(const drapeVec3* positions, uint32_t vertexCount, const uint32_t* triangles,
                              uint32_t triangleCount);

// Quads of a sheet in the plane z = 0 from the origin to (width, height), each cut in two along alternating diagonals.
// `jitter` moves inner vertices within the plane by up to this part of a quad, 0 to 0.4; the same seed moves them
// alike. Vertex (i, j) is number j * (columns + 1) + i.
drapeMesh TestMesh_Grid(uint32_t columns, uint32_t rows, float width, float height, float jitter, uint32_t seed);

// A square sheet of 2 x 2 m with holes of one quad each: `holes` x `holes` of them, apart from each other.
drapeMesh TestMesh_Holes(uint32_t holes);

// An octahedron whose triangles are cut in four `levels` times, on a sphere around the origin.
drapeMesh TestMesh_Sphere(uint32_t levels, float radius);

// A closed ring around z, and the same closed along the tube as well.
drapeMesh TestMesh_Tube(uint32_t around, uint32_t along, float radius, float length);
drapeMesh TestMesh_Torus(uint32_t around, uint32_t along, float majorRadius, float minorRadius);

// A band of `around` quads closed with a half twist. As consistently wound as it can be.
drapeMesh TestMesh_Moebius(uint32_t around);

// A vertex (number 0) at the origin with `valence` triangles around it, rim at radius 1; open fans leave a gap.
drapeMesh TestMesh_Fan(uint32_t valence, bool closed);

// Two squares of two triangles each, one metre apart.
drapeMesh TestMesh_TwoSquares(void);

// Gives each vertex the texture coordinate (x, y) * unitsPerMetre.
void TestMesh_AddTexcoords(drapeMesh* mesh, float unitsPerMetre);

drapeVec3* TestMesh_Positions(drapeMesh* mesh);
uint32_t* TestMesh_Triangles(drapeMesh* mesh);
drapeVec2* TestMesh_Texcoords(drapeMesh* mesh);

void TestMesh_FlipTriangle(drapeMesh* mesh, uint32_t triangle);

// For meshes made here only; a mesh that drape made goes to drapeMesh_Free.
void TestMesh_Free(drapeMesh* mesh);

// A small generator, the same everywhere.
uint32_t TestMesh_Random(uint32_t* state);
float TestMesh_RandomFloat(uint32_t* state); // 0 to 1
