// SPDX-License-Identifier: MIT
#pragma once

/// @file mesh.h
/// Triangle meshes as plain arrays, what is wrong with them, and how to mend them.

#include "drape/base.h"

/// A triangle mesh in the caller's arrays. Zero-initialise it, then set what you have.
/// Functions that take a mesh copy what they keep; functions that give one say who frees it.
typedef struct drapeMesh
{
	const drapeVec3* positions; ///< [vertexCount], metres
	uint32_t vertexCount;

	const uint32_t* triangles; ///< [3 * triangleCount], vertex of each corner
	uint32_t triangleCount;

	const drapeVec2* texcoords; ///< [texcoordCount] or NULL
	uint32_t texcoordCount;
	const uint32_t* texcoordTriangles; ///< [3 * triangleCount] texture coordinate of each corner, DRAPE_NONE for none;
									   ///< NULL when there are none

	const drapeVec3* normals; ///< [normalCount] or NULL; kept for writing, never used for cloth
	uint32_t normalCount;
	const uint32_t* normalTriangles; ///< [3 * triangleCount] as texcoordTriangles
} drapeMesh;

/// Where the undeformed shape of a cloth comes from.
typedef enum drapeRest
{
	/// From the 3D positions: each triangle is laid flat and the warp direction is carried across edges, so that a
	/// developable sheet gets one continuous set of material coordinates.
	drape_restShape = 0,
	/// Texture coordinates times drapeRestDef::metresPerUnit are the material coordinates. Only when asked: most
	/// texture coordinates are distorted.
	drape_restTexcoord,
	/// drapeRestDef::material gives the material coordinates in metres.
	drape_restMaterial,
} drapeRest;

typedef struct drapeRestDef
{
	drapeRest source;
	float metresPerUnit; ///< for drape_restTexcoord: > 0, length of one texture unit
	const drapeVec2*
		material;   ///< for drape_restMaterial: [3 * triangleCount], u along the warp, v along the weft, per corner
	drapeVec3 warp; ///< for drape_restShape: the warp runs along this direction where the cloth allows; zero means +x
} drapeRestDef;

/// What can be wrong with a mesh. The table in src/mesh/problem.c has a sentence for each.
typedef enum drapeProblemKind
{
	drape_problemEmpty = 0,        ///< no triangle
	drape_problemTooLarge,         ///< more than 2^30 - 1 vertices, triangles or edges
	drape_problemIndexRange,       ///< a corner names a vertex that does not exist
	drape_problemNotFinite,        ///< a coordinate in use is NaN, infinite or beyond 10^9
	drape_problemRepeatedCorner,   ///< a triangle uses one vertex twice
	drape_problemZeroArea,         ///< a triangle without area, in 3D or in its rest shape
	drape_problemRepeatedTriangle, ///< the same three vertices as another triangle
	drape_problemNonManifoldEdge,  ///< an edge with more than two triangles
	drape_problemFlippedNeighbour, ///< two neighbours wind in opposite directions, though the surface can be oriented
	drape_problemNotOrientable,    ///< no choice of windings agrees (a Moebius strip)
	drape_problemBowTie,           ///< a vertex where two fans of triangles touch only in this point
	drape_problemUnusedVertex,     ///< a vertex no triangle uses
	drape_problemDuplicateVertex,  ///< two vertices at the same place
	drape_problemMissingTexcoord,  ///< texture coordinates are asked for as rest shape, and a corner has none
	drape_problemTexcoordRange,    ///< a corner names a texture coordinate or normal that does not exist
	drape_problemFlippedRest,      ///< the rest shape of a triangle is mirrored (its material area is negative)
	drape_problemKindCount,
} drapeProblemKind;

typedef enum drapeSeverity
{
	drape_severityNote = 0,   ///< harmless: the mesh can be used as it is
	drape_severityRepairable, ///< cannot be used as it is; drapeMesh_Repair mends it
	drape_severityFatal,      ///< cannot be used and cannot be mended without guessing
} drapeSeverity;

/// One thing wrong, and where. Fields that do not apply are DRAPE_NONE.
typedef struct drapeMeshProblem
{
	drapeProblemKind kind;
	uint32_t triangle, otherTriangle; ///< triangles of the mesh given
	uint32_t vertex, otherVertex;     ///< vertices; for an edge its two ends
} drapeMeshProblem;

#define DRAPE_REPORT_PROBLEMS 64

/// What a mesh is, and what is wrong with it. A plain value: nothing to free.
typedef struct drapeMeshReport
{
	uint32_t vertices, triangles, edges; ///< edges are 0 when the mesh is too broken to have any
	uint32_t boundaryLoops;
	uint32_t components;
	int32_t euler;                   ///< vertices - edges + triangles, used vertices only
	drapeVec3 lower, upper;          ///< bounding box of the used vertices
	float area;                      ///< of the 3D shape, square metres
	float shortestEdge, longestEdge; ///< metres
	float worstAngle;                ///< the smallest corner angle, radians
	uint32_t worstTriangle;          ///< where it is
	uint32_t seams; ///< edges whose two sides differ by more than a rigid motion, for the rest shape asked for
	uint32_t texcoordIslands; ///< connected pieces of the texture map; 0 without texture coordinates
	float texcoordRatioMin, texcoordRatioMedian,
		texcoordRatioMax; ///< metres per texture unit over the edges of all islands

	uint32_t problemTotals[drape_problemKindCount];
	uint32_t problemCount; ///< how many of the first DRAPE_REPORT_PROBLEMS problems are listed below
	drapeMeshProblem problems[DRAPE_REPORT_PROBLEMS];
} drapeMeshReport;

/// What drapeMesh_Repair may do. Each is safe: none changes where the surface is.
typedef enum drapeRepair
{
	drape_repairOrientation = 1 << 0, ///< flip triangles until neighbours agree
	drape_repairDegenerate = 1 << 1,  ///< drop triangles with a repeated corner, without area, or given twice
	drape_repairVertices = 1 << 2,    ///< merge vertices at the same place, drop unused ones
	drape_repairBowTies = 1 << 3,     ///< give each fan of triangles its own vertex
	drape_repairAll = (1 << 4) - 1,
} drapeRepair;

DRAPE_API drapeRestDef drapeDefaultRestDef(void);

/// Examines @p mesh in linear time. @p rest may be NULL for the default. Returns ::drape_ok when a cloth can be made
/// from it as it is, ::drape_errorData when not, with at least one problem in the report, ::drape_errorArgument for an
/// array that is NULL though its count is not 0, or ::drape_errorMemory. Any thread.
DRAPE_API drapeResult drapeMesh_Check(const drapeMesh* mesh, const drapeRestDef* rest, drapeMeshReport* report);

/// Makes a repaired copy. @p report says what was found in the input. Faults that no repair mends are refused with
/// ::drape_errorData; those whose repair was not asked for stay. Vertices are merged only where the surface stays a
/// surface. @p repaired is set only on ::drape_ok and must be freed with drapeMesh_Free. @p repairs is a sum of
/// drapeRepair values. When @p triangleSource is not NULL it receives, for each triangle of the result, its index in
/// the input; it needs room for mesh->triangleCount entries. Any thread.
DRAPE_API drapeResult drapeMesh_Repair(const drapeMesh* mesh, uint32_t repairs, drapeMesh* repaired,
                                       uint32_t* triangleSource, drapeMeshReport* report);

/// Frees the arrays of a mesh that drape made, and clears it.
DRAPE_API void drapeMesh_Free(drapeMesh* mesh);

/// A flat sheet of @p columns by @p rows quads in the plane y = 0, centred on the origin, normals up, each quad cut in
/// two along the same diagonal; @p width along x, @p depth along z, in metres. Vertex (i, j) is number j * (columns +
/// 1) + i. Texture coordinates run from 0 to 1. Free it with drapeMesh_Free.
DRAPE_API drapeResult drapeMesh_CreateGrid(uint32_t columns, uint32_t rows, float width, float depth, drapeMesh* mesh);

DRAPE_API drapeSeverity drapeProblem_Severity(drapeProblemKind kind);

/// Which drapeRepair mends this kind; 0 for none.
DRAPE_API uint32_t drapeProblem_Repair(drapeProblemKind kind);

/// Writes one English sentence without a final newline, naming triangles and vertices by @p base + index (0 or 1).
/// Returns the length snprintf would. Any thread.
DRAPE_API int drapeProblem_Format(const drapeMeshProblem* problem, uint32_t base, char* text, size_t capacity);
