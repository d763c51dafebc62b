// SPDX-License-Identifier: MIT
#pragma once

/// @file mesh.h
/// Triangle meshes as plain arrays, their problems, and repairs.

#include "drape/base.h"

/// A triangle mesh in the caller's arrays. Zero-initialise it, then set the arrays that exist. Functions that take a
/// mesh copy the data that they keep. Functions that return a mesh name the function that frees it.
typedef struct drapeMesh
{
	const drapeVec3* positions; ///< [vertexCount], metres
	uint32_t vertexCount;

	const uint32_t* triangles; ///< [3 * triangleCount] vertex of each corner
	uint32_t triangleCount;

	const drapeVec2* texcoords; ///< [texcoordCount] or NULL
	uint32_t texcoordCount;
	/// [3 * triangleCount] texture coordinate of each corner, DRAPE_NONE for none; NULL when there are none.
	const uint32_t* texcoordTriangles;

	const drapeVec3* normals; ///< [normalCount] or NULL; kept for writing, never used for cloth
	uint32_t normalCount;
	const uint32_t* normalTriangles; ///< [3 * triangleCount] as texcoordTriangles
} drapeMesh;

/// The source of the undeformed shape of a cloth.
typedef enum drapeRest
{
	/// The 3D positions. The library lays each triangle flat and continues the warp direction across edges, so that a
	/// developable sheet gets continuous material coordinates.
	drape_restShape = 0,
	/// Texture coordinates times drapeRestDef::metresPerUnit are the material coordinates. Most texture coordinates are
	/// distorted, so this is not the default.
	drape_restTexcoord,
	/// drapeRestDef::material gives the material coordinates in metres.
	drape_restMaterial,
} drapeRest;

/// Describes the rest shape of a cloth.
typedef struct drapeRestDef
{
	drapeRest source;
	float metresPerUnit; ///< for drape_restTexcoord: > 0, length of one texture unit
	const drapeVec2*
		material;   ///< for drape_restMaterial: [3 * triangleCount], u along the warp, v along the weft, per corner
	drapeVec3 warp; ///< for drape_restShape: the warp runs along this direction where the cloth allows; zero means +x
} drapeRestDef;

/// The problems of meshes. drapeProblem_Format has a sentence for each.
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
	drape_problemBowTie,           ///< two fans of triangles share only this vertex
	drape_problemUnusedVertex,     ///< no triangle uses the vertex
	drape_problemDuplicateVertex,  ///< two vertices have the same position
	drape_problemMissingTexcoord,  ///< the rest shape needs texture coordinates, and a corner has none
	drape_problemTexcoordRange,    ///< a corner names a texture coordinate or normal that does not exist
	drape_problemFlippedRest,      ///< the rest shape of a triangle is mirrored (its material area is negative)
	drape_problemKindCount,
} drapeProblemKind;

/// The severity of a problem.
typedef enum drapeSeverity
{
	drape_severityNote = 0,   ///< harmless: a cloth can be made from the mesh
	drape_severityRepairable, ///< drapeMesh_Repair can repair the mesh
	drape_severityFatal,      ///< no safe repair exists
} drapeSeverity;

/// A problem and its position. Fields that do not apply are DRAPE_NONE.
typedef struct drapeMeshProblem
{
	drapeProblemKind kind;
	uint32_t triangle, otherTriangle; ///< triangles of the mesh given
	uint32_t vertex, otherVertex;     ///< vertices; for an edge its two ends
} drapeMeshProblem;

#define DRAPE_REPORT_PROBLEMS 64

/// Properties and problems of a mesh. A plain value: it needs no freeing.
typedef struct drapeMeshReport
{
	uint32_t vertices, triangles, edges; ///< edges are 0 if the mesh has no valid edges
	uint32_t boundaryLoops;
	uint32_t components;
	int32_t euler;                   ///< vertices - edges + triangles, used vertices only
	drapeVec3 lower, upper;          ///< bounding box of the used vertices
	float area;                      ///< square metres, in the 3D positions
	float shortestEdge, longestEdge; ///< metres
	float worstAngle;                ///< the smallest corner angle, radians
	uint32_t worstTriangle;          ///< the triangle with this angle
	uint32_t seams;                  ///< edges whose two sides differ by more than a rigid motion in the rest shape
	uint32_t texcoordIslands;        ///< connected pieces of the texture map; 0 without texture coordinates
	float texcoordRatioMin, texcoordRatioMedian,
		texcoordRatioMax; ///< metres per texture unit over the edges of all islands

	uint32_t problemTotals[drape_problemKindCount];
	uint32_t problemCount; ///< entries of `problems`, at most DRAPE_REPORT_PROBLEMS
	drapeMeshProblem problems[DRAPE_REPORT_PROBLEMS];
} drapeMeshReport;

/// Repairs of drapeMesh_Repair. They are safe: none moves the surface.
typedef enum drapeRepair
{
	drape_repairOrientation = 1 << 0, ///< flip triangles until neighbours agree
	drape_repairDegenerate = 1 << 1,  ///< drop triangles with a repeated corner, without area, or given twice
	drape_repairVertices = 1 << 2,    ///< merge vertices at the same position, drop unused ones
	drape_repairBowTies = 1 << 3,     ///< give each fan of triangles its own vertex
	drape_repairAll = (1 << 4) - 1,
} drapeRepair;

/// Returns the rest shape of the 3D positions, with the warp along +x. Any thread.
DRAPE_API drapeRestDef drapeDefaultRestDef(void);

/// Examines @p mesh in linear time. @p rest may be NULL for the default. Returns ::drape_ok if a cloth can be made from
/// the mesh, ::drape_errorData with at least one problem in the report if not, ::drape_errorArgument for an array that
/// is NULL with a count above 0, or ::drape_errorMemory; @p message (may be NULL) then receives a sentence. Any thread.
DRAPE_API drapeResult drapeMesh_Check(const drapeMesh* mesh, const drapeRestDef* rest, drapeMeshReport* report,
                                      drapeMessage* message);

/// Makes a repaired copy. @p repairs is a sum of drapeRepair values. @p report receives the problems of the input. The
/// function returns ::drape_errorData for a problem without a repair. Problems whose repair is not in @p repairs stay.
/// Vertices are merged only if the surface stays a manifold. @p repaired is set only on ::drape_ok; free it with
/// drapeMesh_Free. If @p triangleSource is not NULL, it has mesh->triangleCount entries and receives the input index of
/// each triangle of the result. @p message (may be NULL) receives a sentence on failure. Any thread.
DRAPE_API drapeResult drapeMesh_Repair(const drapeMesh* mesh, uint32_t repairs, drapeMesh* repaired,
                                       uint32_t* triangleSource, drapeMeshReport* report, drapeMessage* message);

/// Frees the arrays of a mesh that drape made, and clears the mesh, which may be NULL. Any thread.
DRAPE_API void drapeMesh_Free(drapeMesh* mesh);

/// Creates a flat sheet of @p columns by @p rows quads in the plane y = 0, centred on the origin, with normals up. @p
/// width is along x and @p depth along z, in metres. Each quad is cut along the same diagonal. Vertex (i, j) has index
/// j * (columns + 1) + i. Texture coordinates run from 0 to 1. Free the mesh with drapeMesh_Free. Errors:
/// ::drape_errorArgument, ::drape_errorLimit, ::drape_errorMemory; @p message (may be NULL) then receives a sentence. Any
/// thread.
DRAPE_API drapeResult drapeMesh_CreateGrid(uint32_t columns, uint32_t rows, float width, float depth, drapeMesh* mesh,
                                           drapeMessage* message);

/// Returns the severity of a kind of problem. Any thread.
DRAPE_API drapeSeverity drapeProblem_GetSeverity(drapeProblemKind kind);

/// Returns the drapeRepair value for a kind of problem; 0 for none. Any thread.
DRAPE_API uint32_t drapeProblem_GetRepair(drapeProblemKind kind);

/// Writes one English sentence without a final newline. Triangles and vertices are numbered from @p base, 0 or 1.
/// Returns the length as snprintf does. Any thread.
DRAPE_API int drapeProblem_Format(const drapeMeshProblem* problem, uint32_t base, char* text, size_t capacity);
