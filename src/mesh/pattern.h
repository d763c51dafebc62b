// SPDX-License-Identifier: MIT
#pragma once

#include "base/maths.h"
#include "drape/mesh.h"

// The pattern mesh: the coarse triangles a cloth is given as, with their topology and their rest shape. Made once, then
// never changed; every refinement scheme starts from it and returns to it.

// An edge runs from vertex[0] to vertex[1]. Side 0 is the triangle that sees it in this direction and always exists;
// side 1 sees it reversed, and is DRAPE_NONE on the boundary.
typedef struct PatternEdge
{
	uint32_t vertex[2];
	uint32_t half[2]; // triangle << 2 | k, the k-th edge of the triangle, from its corner k to corner k + 1
} PatternEdge;

typedef struct PatternMesh
{
	uint32_t vertexCount, triangleCount, edgeCount;
	Vec3* positions;         // [vertexCount] m
	uint32_t* triangles;     // [3 * triangleCount] vertex of each corner
	uint32_t* triangleEdges; // [3 * triangleCount] edge << 1 | side of each edge
	PatternEdge* edges;      // [edgeCount], in the order in which triangles meet them
	Vec2* material;          // [3 * triangleCount] per corner, m; u warp, v weft; counter-clockwise
	Vec2* texcoords;         // [3 * triangleCount] per corner, zero where the mesh has none; or NULL
	uint8_t* seam;           // [edgeCount] 1 where the two sides differ by more than a rigid motion
	double area;             // of the rest shape, m^2
} PatternMesh;

// Builds the pattern. On drape_errorData the report (not NULL) names what is wrong; nothing is allocated then.
drapeResult drapePatternMesh_Create(PatternMesh* pattern, const drapeMesh* mesh, const drapeRestDef* rest,
                                    drapeMeshReport* report);
void drapePatternMesh_Destroy(PatternMesh* pattern);

// Rest area of a triangle from its material coordinates, m^2, in double because schemes divide it exactly.
double drapePatternMesh_TriangleArea(const PatternMesh* pattern, uint32_t triangle);
