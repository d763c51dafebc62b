// SPDX-License-Identifier: MIT
#pragma once

#include "contact/broad/bvh.h"
#include "contact/filter.h"
#include "contact/shapes/intrusion.h"
#include "contact/shapes/mesh_shape.h"
#include "contact/stitched.h"

// All geometry that can cross, at one moment: surfaces (cloths and collider meshes) and solids (shapes). Two triangles
// cross when they share a point; the test is exact (crossing.h). A triangle and a solid cross when the triangle enters
// the solid (intrusion.h).

typedef struct TangleSurface
{
	uint32_t vertexStart, vertexEnd;
	uint32_t triangleStart, triangleEnd;
	float gap;              // m: of a cloth: the distance to keep from other surfaces
	float thickness;        // m: of a cloth: the distance of its particles from colliders
	const MeshShape* shape; // the mesh of a collider; NULL for a cloth
	ContactFilter filter;
	Bvh tree;
} TangleSurface;

typedef struct TangleSolid
{
	drapeColliderDef def;
	Transform at;
	ContactFilter filter;
} TangleSolid;

// A triangle of a cloth and the triangle or solid that it crosses.
typedef struct TangleCrossing
{
	uint32_t surface, other;          // `other` is DRAPE_NONE for a solid
	uint32_t triangle, otherTriangle; // indices over all triangles; otherTriangle is the solid then
} TangleCrossing;

typedef struct Tangle
{
	ARRAY(Vec4) position;          // m; w is the inverse mass, 0 for vertices that cannot move
	ARRAY(uint32_t) corners;       // [3 * triangles] vertices
	ARRAY(TangleSurface) surfaces; // cloths first
	ARRAY(TangleSolid) solids;
	ARRAY(TangleCrossing) crossings; // result of the last search: sorted by surface, then by the other side
	uint32_t clothCount;
	PairList pairs;
	const StitchedVertices* stitched; // triangles that stitches join do not count as crossing; NULL for none
} Tangle;

void drapeTangle_Destroy(Tangle* tangle);

// Appends a surface whose triangles index its own vertices. Cloths come before colliders. Returns false when out of
// memory.
bool drapeTangle_AddSurface(Tangle* tangle, const TangleSurface* like, const Vec4* position, uint32_t vertexCount,
                            const uint32_t* triangles, uint32_t triangleCount);
// The filter is that of the definition.
bool drapeTangle_AddSolid(Tangle* tangle, const drapeColliderDef* def, Transform at);

// Fits the trees to the positions, with triangles grown by `margin`, m. Returns false when out of memory.
bool drapeTangle_Fit(Tangle* tangle, float margin, TaskPool* tasks);

// Finds the pairs of triangles of a cloth and another surface, or itself, whose bounds overlap. Indices in `pairs`
// count from the first triangle of each surface. Triangles that stitches join and surfaces that filters keep apart are
// left out. The trees must fit. Returns
// false when out of memory.
bool drapeTangle_Pairs(Tangle* tangle, uint32_t surface, uint32_t other, TaskPool* tasks);

// Finds all crossings, except of triangles that share a vertex or that a stitch joins. The result is the same for any
// number of threads. Returns false when out of memory.
bool drapeTangle_Find(Tangle* tangle, TaskPool* tasks);

void drapeTangle_Corners(const Tangle* tangle, uint32_t triangle, Vec3 corners[3]);

// Returns a point that both sides of a crossing share.
Vec3 drapeTangle_CommonPoint(const Tangle* tangle, const TangleCrossing* crossing);

// Finds points, in the world, of a triangle that are inside a solid. Returns false when there are none.
bool drapeTangle_Intrusion(const Tangle* tangle, uint32_t triangle, uint32_t solid, Intrusion* intrusion);
