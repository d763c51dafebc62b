// SPDX-License-Identifier: MIT
#pragma once

#include "contact/broad/bvh.h"

// The geometry of a triangle mesh as a collider, in its own space. Any triangles will do: closed or open, with edges of
// three triangles, through each other. What has no area is dropped; only numbers that are none, and meshes of which
// nothing is left, are refused.
//
// A closed mesh has an inside: along each of its edges as many triangles run one way as the other. Vertices at the same
// place are one for this. When it is wound inside out as a whole it is turned over. What is not closed is a sheet with
// two sides: distances to it are never negative and its normal is towards the point.
//
// Signs come from angle-weighted pseudo-normals of the closest face, edge or vertex (Baerentzen and Aanaes 2005),
// worked out when they are needed: so a mesh that moves has nothing to keep up but its tree. They do not help where the
// mesh is no manifold or goes through itself (`tangled`); there winding numbers tell.

// What was found in the triangles given.
typedef struct MeshShapeReport
{
	uint32_t vertices, triangles; // given
	uint32_t dropped;             // without area, or with a repeated corner
	uint32_t firstDropped;        // DRAPE_NONE when none
	uint32_t boundaryEdges;       // with one triangle
	uint32_t nonManifoldEdges;    // with more than two
	uint32_t flippedEdges;        // whose two triangles run along them the same way
	uint32_t badVertex;           // that is not finite or beyond 10^9 m; DRAPE_NONE when none
	uint32_t badTriangle;         // with a corner that does not exist; DRAPE_NONE when none
	bool closed;
	bool turned;         // it was inside out
	bool tangled;        // closed, and goes through itself
	const char* problem; // a static sentence when it was refused, else NULL
} MeshShapeReport;

// What lies across an edge, besides a triangle.
enum
{
	meshNoNeighbour = (1u << 31) - 1, // boundary
	meshManyNeighbours = (1u << 31) - 2,
};

typedef struct MeshShape
{
	uint32_t vertexCount, triangleCount;
	Vec4* from;          // [vertexCount] m, where a step begins; w is 0
	Vec4* to;            // [vertexCount] and where it ends: queries see this
	uint32_t* triangle;  // [3 * triangleCount] vertices; those without area are left out
	uint32_t* source;    // [triangleCount] triangle of the mesh given
	uint32_t* neighbour; // [3 * triangleCount] across the edge from corner k to k + 1
	uint32_t* twin;      // [vertexCount] the first vertex at the same place
	uint32_t* fanStart;  // [vertexCount + 1] of a vertex that is its own twin, in `fan`
	uint32_t* fan;       // [3 * triangleCount] triangle << 2 | corner, by vertex
	Vec3 low, high;      // of the positions `to`
	bool closed, tangled;
	bool moves; // from and to differ
	Bvh tree;
} MeshShape;

// ::drape_errorData when refused, with the problem in the report, ::drape_errorLimit, ::drape_errorMemory; the shape is
// zero then. The report may not be NULL.
drapeResult drapeMeshShape_Create(MeshShape* shape, const Vec3* positions, uint32_t vertexCount,
                                  const uint32_t* triangles, uint32_t triangleCount, TaskPool* tasks,
                                  MeshShapeReport* report);

// A zeroed shape is allowed.
void drapeMeshShape_Destroy(MeshShape* shape);

// The vertices go on: a step begins where the last one ended and ends at `positions` [vertexCount]. Refits the tree, or
// builds it anew when it has become bad. ::drape_errorData when a position is not finite or beyond 10^9 m: the shape
// stays as it was. Whether it is tangled is not found out again; say so by hand when it may be.
drapeResult drapeMeshShape_Move(MeshShape* shape, const Vec3* positions, TaskPool* tasks);

// A step without motion: the shape is where the last one ended.
void drapeMeshShape_Rest(MeshShape* shape, TaskPool* tasks);

// For trees and pairs: its triangles, grown by `margin`, m.
Primitives drapeMeshShape_Primitives(const MeshShape* shape, float margin);

typedef struct MeshPoint
{
	Vec3 point;     // on the surface
	Vec3 normal;    // unit; outward, or towards the point asked for when the mesh is open
	float distance; // m
	uint32_t triangle;
	float weight[3]; // of its corners: the point is their weighted sum
} MeshPoint;

// The closest point within `reach`, m. The distance is below zero inside a closed mesh. False when nothing is near.
bool drapeMeshShape_Closest(const MeshShape* shape, Vec3 point, float reach, MeshPoint* closest);

// The same for points that hardly move from one time to the next while the mesh stands still, see drapeBvh_NearestAround.
bool drapeMeshShape_ClosestAround(const MeshShape* shape, const NearQuery* query, NearList* list, MeshPoint* closest,
                                  float* clearance);

// Whether the point is inside: the winding number there is not zero. Never inside an open mesh.
bool drapeMeshShape_Contains(const MeshShape* shape, Vec3 point);

// The first time a sphere of radius `margin` >= 0, whose centre goes straight from one place to another, touches the
// mesh, which stands as it is at the end of the step: exact for faces, edges and corners. What touches when it starts
// hits at 0 if it goes nearer to the surface. The hit has the normal towards the sphere, and the margin as its
// distance. A closed mesh is hit from the outside only, an open one from both sides.
bool drapeMeshShape_Sweep(const MeshShape* shape, float margin, Vec3 from, Vec3 to, float* fraction, MeshPoint* hit);

// The same, bit for bit, where a list may tell what is on the way.
bool drapeMeshShape_SweepAround(const MeshShape* shape, float margin, Vec3 from, Vec3 to, const NearList* list,
                                float* fraction, MeshPoint* hit);

// The way, m, that a point of a triangle makes during the step.
Vec3 drapeMeshShape_Way(const MeshShape* shape, uint32_t triangle, const float weight[3]);
