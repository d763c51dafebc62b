// SPDX-License-Identifier: MIT
#pragma once

#include "base/maths.h"
#include "drape/mesh.h"

// The pattern mesh: the input triangles of a cloth with their topology and rest shape. It never changes after its
// creation. Every refinement scheme starts from it and can return to it.

// An edge from vertex[0] to vertex[1]. Side 0 is the triangle that contains it in this direction; it always exists.
// Side 1 contains it reversed, and is DRAPE_NONE on the boundary.
typedef struct PatternEdge
{
	uint32_t vertex[2];
	uint32_t half[2]; // triangle << 2 | k; edge k of a triangle runs from its corner k to the next one
} PatternEdge;

typedef struct PatternMesh
{
	uint32_t vertexCount, triangleCount, edgeCount;
	Vec3* positions;         // [vertexCount] m
	uint32_t* triangles;     // [3 * triangleCount] vertex of each corner
	uint32_t* triangleEdges; // [3 * triangleCount] edge << 1 | side of each edge
	PatternEdge* edges;      // [edgeCount] in the order of their first triangles
	Vec2* material;          // [3 * triangleCount] per corner, m; u warp, v weft; counter-clockwise
	Vec2* texcoords;         // [3 * triangleCount] per corner, zero where the mesh has none; NULL for a mesh without
	uint8_t* seam;           // [edgeCount] 1 where the two sides differ by more than a rigid motion
	double area;             // m^2, at rest
} PatternMesh;

// Creates the pattern. On failure nothing is allocated; on drape_errorData the report, which must not be NULL, lists
// the problems.
drapeResult drapePatternMesh_Create(PatternMesh* pattern, const drapeMesh* mesh, const drapeRestDef* rest,
                                    drapeMeshReport* report);
void drapePatternMesh_Destroy(PatternMesh* pattern);

// Rest area of a triangle from its material coordinates, m^2. Schemes divide it exactly, so it is a double.
double drapePatternMesh_TriangleArea(const PatternMesh* pattern, uint32_t triangle);
