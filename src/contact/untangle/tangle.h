// SPDX-License-Identifier: MIT
#pragma once

#include "contact/broad/bvh.h"
#include "contact/shapes/intrusion.h"
#include "contact/shapes/mesh_shape.h"

// Everything that can cross, standing still: surfaces, which are cloths and the meshes of colliders, and solids, which
// are the five shapes. Two triangles cross when they have a point in common (crossing.h: exactly); a triangle and a
// solid, when the triangle comes into it (intrusion.h).

typedef struct TangleSurface
{
	uint32_t vertexStart, vertexEnd;
	uint32_t triangleStart, triangleEnd;
	float gap;              // m: of a cloth, what is to be left between it and others
	float thickness;        // m: of a cloth, what is to be left between its particles and colliders
	const MeshShape* shape; // of a collider; NULL for a cloth
	Bvh tree;
} TangleSurface;

typedef struct TangleSolid
{
	drapeColliderDef def;
	Transform at;
} TangleSolid;

// A triangle of a cloth, and what it crosses.
typedef struct TangleCrossing
{
	uint32_t surface, other;          // `other` is DRAPE_NONE for a solid
	uint32_t triangle, otherTriangle; // of all; otherTriangle is the solid then
} TangleCrossing;

typedef struct Tangle
{
	ARRAY(Vec4) position;          // m; w is the inverse mass, 0 for what cannot be moved
	ARRAY(uint32_t) corners;       // [3 * triangles] vertices
	ARRAY(TangleSurface) surfaces; // cloths first
	ARRAY(TangleSolid) solids;
	ARRAY(TangleCrossing) crossings; // as last found: by surface, then by what it crosses
	uint32_t clothCount;
	PairList pairs;
} Tangle;

void drapeTangle_Destroy(Tangle* tangle);

// Appends a surface; `triangles` count vertices from 0. Cloths come before colliders. False when memory is short.
bool drapeTangle_AddSurface(Tangle* tangle, const TangleSurface* like, const Vec4* position, uint32_t vertexCount,
                            const uint32_t* triangles, uint32_t triangleCount);
bool drapeTangle_AddSolid(Tangle* tangle, const drapeColliderDef* def, Transform at);

// Brings the trees in step with the positions, triangles grown by `margin`, m. False when memory is short.
bool drapeTangle_Fit(Tangle* tangle, float margin, TaskPool* tasks);

// Pairs of triangles of a cloth and another surface, or itself, whose bounds overlap, counted from each one's first, in
// `pairs`. Needs drapeTangle_Fit. False when memory is short.
bool drapeTangle_Pairs(Tangle* tangle, uint32_t surface, uint32_t other, TaskPool* tasks);

// Finds all crossings. Triangles that share a vertex are left out. The same for any number of threads. False when
// memory is short.
bool drapeTangle_Find(Tangle* tangle, TaskPool* tasks);

void drapeTangle_Corners(const Tangle* tangle, uint32_t triangle, Vec3 corners[3]);

// A point that both sides of a crossing have in common.
Vec3 drapeTangle_Place(const Tangle* tangle, const TangleCrossing* crossing);

// The points in the world where a triangle is in a solid. False when it is not.
bool drapeTangle_Intrusion(const Tangle* tangle, uint32_t triangle, uint32_t solid, Intrusion* intrusion);
