// SPDX-License-Identifier: MIT
#pragma once

#include "contact/broad/bvh.h"

// The geometry of a triangle mesh as a collider. It accepts any triangles: closed or open, with edges of three
// triangles, intersecting each other. It drops triangles without area. It refuses only NaN or infinite coordinates and
// meshes without a triangle left.
//
// A closed mesh has an inside: along each of its edges as many triangles run in one direction as in the other. Vertices
// at the same position count as one for this test. A mesh that is inside out as a whole is reversed. An open mesh is a
// sheet with two sides: distances to it are never negative, and its normal points towards the query point.
//
// Signs come from angle-weighted pseudo-normals of the closest face, edge or vertex (Baerentzen and Aanaes 2005). They
// are computed on demand, so a moving mesh only has to keep its tree up to date. Where the mesh is not manifold or
// intersects itself (`tangled`), winding numbers decide.

// The properties of the given triangles.
typedef struct MeshShapeReport
{
	uint32_t vertices, triangles; // given
	uint32_t dropped;             // without area, or with a repeated corner
	uint32_t firstDropped;        // DRAPE_NONE when none
	uint32_t boundaryEdges;       // with one triangle
	uint32_t nonManifoldEdges;    // with more than two
	uint32_t flippedEdges;        // whose two triangles have opposite orientations
	uint32_t badVertex;           // that is not finite or beyond 10^9 m; DRAPE_NONE when none
	uint32_t badTriangle;         // with a corner that does not exist; DRAPE_NONE when none
	bool closed;
	bool turned;         // the mesh was inside out and has been reversed
	bool tangled;        // closed and intersects itself
	const char* problem; // a static sentence when it was refused, else NULL
} MeshShapeReport;

// Values of MeshShape::neighbour besides a triangle.
enum
{
	meshNoNeighbour = (1u << 31) - 1, // boundary
	meshManyNeighbours = (1u << 31) - 2,
};

// A part of the vertices: their bounds and the square of their largest displacement, m.
typedef struct MeshPart
{
	Vec3 low, high;
	float square;
	bool isBad; // a position is not finite or beyond 10^9 m
} MeshPart;

typedef struct MeshShape
{
	uint32_t vertexCount, triangleCount;
	Vec4* from;          // [vertexCount] m, at the start of the step; w is 0
	Vec4* to;            // [vertexCount] m, at its end: queries use these positions
	uint32_t* triangle;  // [3 * triangleCount] vertices; without triangles of no area
	uint32_t* source;    // [triangleCount] triangle of the given mesh
	uint32_t* neighbour; // [3 * triangleCount] across the edge from corner k to k + 1
	uint32_t* twin;      // [vertexCount] the first vertex at the same position
	uint32_t* fanStart;  // [vertexCount + 1] start in `fan` of a vertex that is its own twin
	uint32_t* fan;       // [3 * triangleCount] triangle << 2 | corner, sorted by vertex
	Vec3 low, high;      // bounds of the positions `to`
	Vec3 fromLow, fromHigh;
	bool closed, tangled;
	bool moves; // from and to differ
	Bvh tree;   // bounds of the motion from `from` to `to`
	// Boxes at the positions with the revision r are boxes[r % 2]. Each motion raises the revision of `to`.
	BvhBoxes boxes[2];
	uint32_t fromRevision, toRevision; // > 0
	uint32_t* firstOrder;              // [triangleCount] order of the tree when the shape was created
	float firstLooseness;              // drapeBvhBoxes_Looseness then
	bool isReordered;                  // the tree has another order now
	float maxDisplacement;             // m: of any vertex within the step
	MeshPart* parts;                   // scratch, per chunk of vertices
} MeshShape;

// ::drape_errorData when refused, with the problem in the report, ::drape_errorLimit, ::drape_errorMemory; the shape is
// zero then. The report may not be NULL.
drapeResult drapeMeshShape_Create(MeshShape* shape, const Vec3* positions, uint32_t vertexCount,
                                  const uint32_t* triangles, uint32_t triangleCount, TaskPool* tasks,
                                  MeshShapeReport* report);

// A zeroed shape is allowed.
void drapeMeshShape_Destroy(MeshShape* shape);

// Moves the vertices: the step starts where the last one ended and ends at `positions` [vertexCount]. Refits the tree,
// or rebuilds it while the order that it was created with is too loose. So the tree depends on the first and the present
// positions only, whatever was between. Returns ::drape_errorData when a position is not finite or beyond 10^9 m;
// the shape stays as it was. It does not update `tangled`; the caller sets it when the mesh may intersect itself.
drapeResult drapeMeshShape_Move(MeshShape* shape, const Vec3* positions, TaskPool* tasks);

// Moves the end of the step to `positions` [vertexCount], which are finite, after drapeMeshShape_Move.
void drapeMeshShape_Adjust(MeshShape* shape, const Vec3* positions, TaskPool* tasks);

// Makes a step without motion: the shape stays where the last step ended.
void drapeMeshShape_Rest(MeshShape* shape, TaskPool* tasks);

// Puts the shape to `positions` without a motion from where it was, as for a snapshot. The tree is the same as after any
// motion that ends there. The next step without motion lets the shape rest. Results as those of drapeMeshShape_Move.
drapeResult drapeMeshShape_Put(MeshShape* shape, const Vec3* positions, TaskPool* tasks);

// Returns its triangles as primitives, grown by `margin`, m.
Primitives drapeMeshShape_Primitives(const MeshShape* shape, float margin);

typedef struct MeshPoint
{
	Vec3 point;     // on the surface
	Vec3 normal;    // unit; outward, or towards the query point for an open mesh
	float distance; // m
	uint32_t triangle;
	float weight[3]; // weights of its corners: the point is their weighted sum
} MeshPoint;

// Finds the closest point within `searchRadius`, m. The distance is negative inside a closed mesh. Returns false when
// there is none.
bool drapeMeshShape_Closest(const MeshShape* shape, Vec3 point, float searchRadius, MeshPoint* closest);

// The same for points that move little, relative to the mesh, between queries: see drapeBvhView_NearestAround. The
// revision in the query is ignored.
bool drapeMeshShape_ClosestAround(const MeshShape* shape, const NearQuery* query, NearList* list, MeshPoint* closest,
                                  float* clearance);

// Finds the closest point of the mesh as it is at a fraction of the step, 0 to 1, and returns the displacement, m, of
// that point within the whole step. Returns zero when the mesh is beyond the needed radius of the query. `list` may be
// NULL; between the start and the end of the step it only has the triangles that are tested first.
Vec3 drapeMeshShape_DisplacementNear(const MeshShape* shape, float fraction, const NearQuery* query, NearList* list);

// Returns the shape as it was at the start of the step, for queries. It borrows all memory.
MeshShape drapeMeshShape_AtStart(const MeshShape* shape);

// Returns how often the mesh winds around the point: 0 outside, 1 inside, 2 where two parts of the mesh overlap. Returns
// 0 for an open mesh.
int drapeMeshShape_WindingNumber(const MeshShape* shape, Vec3 point);

// Returns whether the point is inside: its winding number is not zero. An open mesh has no inside.
bool drapeMeshShape_Contains(const MeshShape* shape, Vec3 point);

// Finds when a sphere of radius `margin` >= 0, m, that moves in a straight line first touches the mesh in its position
// at the end of the step. The test is exact for faces, edges and corners. A sphere that touches at its start hits at 0
// if it approaches the surface. The hit has the normal towards the sphere and the margin as its distance. A closed mesh
// is hit from the outside only, an open one from both sides.
bool drapeMeshShape_Sweep(const MeshShape* shape, float margin, Vec3 from, Vec3 to, float* fraction, MeshPoint* hit);

// The same, bit for bit, with a list of nearby triangles that may replace the search of the tree.
bool drapeMeshShape_SweepAround(const MeshShape* shape, float margin, Vec3 from, Vec3 to, const NearList* list,
                                float* fraction, MeshPoint* hit);

// Computes the outward pseudo-normal, of unit length, of a vertex or of the edge between two vertices, at the end of the
// step. Returns false if the mesh is open or not manifold there.
bool drapeMeshShape_VertexNormal(const MeshShape* shape, uint32_t vertex, Vec3* normal);
bool drapeMeshShape_EdgeNormal(const MeshShape* shape, uint32_t a, uint32_t b, Vec3* normal);

// Returns the displacement, m, of a point of a triangle during the step.
Vec3 drapeMeshShape_Displacement(const MeshShape* shape, uint32_t triangle, const float weight[3]);
