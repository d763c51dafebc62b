// SPDX-License-Identifier: MIT
#pragma once

#include "contact/bvh.h"

// The geometry of a triangle mesh as a collider, in its own space. Any triangles will do: closed or open, with edges of
// three triangles, through each other. What has no area is dropped; only numbers that are none, and meshes of which
// nothing is left, are refused.
//
// A closed mesh (each edge has two triangles that see it in opposite directions) has an inside. When it is wound inside
// out as a whole it is turned over. What is not closed is a sheet with two sides: distances to it are never negative
// and its normal is towards the point.
//
// Signs come from the normals of the closest face, edge or vertex (Baerentzen and Aanaes 2005: angle-weighted
// pseudo-normals); where a mesh passes through itself, from the winding number.

typedef enum MeshSide
{
	mesh_open = 0, // two-sided
	mesh_closed,   // has an inside
} MeshSide;

// What was found in the triangles given.
typedef struct MeshShapeReport
{
	uint32_t triangles, vertices; // given
	uint32_t dropped;             // without area, or with a repeated corner
	uint32_t firstDropped;        // DRAPE_NONE when none
	uint32_t boundaryEdges;       // with one triangle
	uint32_t nonManifoldEdges;    // with more than two
	uint32_t flippedEdges;        // whose two triangles wind against each other
	uint32_t badVertex;           // that is not finite or beyond 10^9 m; DRAPE_NONE when none
	uint32_t badTriangle;         // with a corner that does not exist; DRAPE_NONE when none
	bool closed, turned;          // turned: it was inside out
	const char* problem;          // a static sentence when it was refused, else NULL
} MeshShapeReport;

typedef struct MeshShape
{
	uint32_t vertexCount, triangleCount;
	Vec4* from; // [vertexCount] m, where a step begins; w is 0
	Vec4* to;   // and where it ends: queries see this
	uint32_t (*triangle)[3];
	uint32_t* source;         // [triangleCount] triangle of the mesh given
	uint32_t (*neighbour)[3]; // [triangleCount] triangle across edge k, from corner k to k + 1; DRAPE_NONE for none
	Vec4* faceNormal;         // [triangleCount] unit
	Vec4* edgeNormal;         // [3 * triangleCount] pseudo-normal of edge k, unit
	Vec4* vertexNormal;       // [vertexCount] pseudo-normal, unit
	Vec3 low, high;           // of the positions `to`
	MeshSide side;
	bool turned;
	bool moves; // from and to differ
	Bvh tree;
} MeshShape;

// drape_errorData when refused, with the problem in the report, drape_errorMemory; the shape is zero then. The report
// may not be NULL.
drapeResult MeshShape_Create(MeshShape* shape, const Vec3* positions, uint32_t vertexCount, const uint32_t* triangles,
                             uint32_t triangleCount, TaskPool* tasks, MeshShapeReport* report);

// A zeroed shape is allowed.
void MeshShape_Destroy(MeshShape* shape);

// The vertices go on: a step begins where the last one ended and ends at `positions` [vertexCount]. Refits the tree, or
// builds it anew when it has become bad. drape_errorData when a position is not finite or beyond 10^9 m: the shape
// stays as it was.
drapeResult MeshShape_Move(MeshShape* shape, const Vec3* positions, TaskPool* tasks);

// A step without motion: the shape is where the last one ended.
void MeshShape_Rest(MeshShape* shape, TaskPool* tasks);

typedef struct MeshPoint
{
	Vec3 point;  // on the surface
	Vec3 normal; // unit; outward, or towards the point asked for when the mesh is open
	float distance;
	uint32_t triangle;
	float weight[3]; // of its corners: the point is their weighted sum
} MeshPoint;

// The closest point within `reach`, m. The distance is below zero inside a closed mesh. False when nothing is near.
bool MeshShape_Closest(const MeshShape* shape, Vec3 point, float reach, MeshPoint* closest);

// Whether the point is inside. Never inside an open mesh.
bool MeshShape_Contains(const MeshShape* shape, Vec3 point);

// The first time a sphere of radius `margin` >= 0 about a point that goes straight from one place to another touches
// the mesh, which stands as it is at the end of the step: exact for faces, edges and corners. The normal is towards the
// sphere. What touches when it starts hits at 0 if it goes nearer to the surface. For a closed mesh only from the
// outside, for an open one from both sides.
bool MeshShape_Sweep(const MeshShape* shape, float margin, Vec3 from, Vec3 to, float* fraction, MeshPoint* hit);

// Velocity times the step at a point of a triangle: the way its surface makes, m.
Vec3 MeshShape_Way(const MeshShape* shape, uint32_t triangle, const float weight[3]);
