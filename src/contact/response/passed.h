// SPDX-License-Identifier: MIT
#pragma once

#include "contact/contact.h"

// Vertices of mesh colliders that have passed through a cloth, and so are on its wrong side.
//
//   arm  trunk        arm into trunk      Where parts of a body close on cloth, one of them passes through it
//   ( )| |////        (/|/)//////         (pinch.h): the cloth between arm and trunk stays on the trunk, and the arm
//   ( )| |////  -->   (/|/)//////         disappears in both. When the arm comes out again, it would take the cloth
//      cloth                              along, from the inside. The cloth ends on the wrong side of the arm.
//
// The vertices of a mesh that pass through a cloth are counted therefore. After an odd number of passes a vertex is on
// the wrong side, and triangles with such a vertex do not touch the cloth: they pass back through it.
//
// A part on the wrong side is connected with the rest of the mesh: it crosses the cloth, goes around its boundary, or is
// buried in another part. A connected part that crosses the cloth nowhere and is not buried is solid again: it has passed
// through the cloth completely. So is every part some time after the cloth was pinched, or a part was buried, last:
// crossings that are left then are removed as others (collider_sides.h).
//
// Cloth may be impaled on a part: the surface of the part pushes it out on all sides, and nothing moves it along the part.
// If cloth crosses a mesh for some time without being pinched, the part of the mesh beyond the crossings, the smaller one
// of the two, counts as passed therefore. The cloth comes free through it.

typedef struct PassedVertex
{
	uint32_t slot, vertex; // of the collider
} PassedVertex;

// Of one cloth. A zeroed one is empty.
typedef struct PassedVertices
{
	ARRAY(PassedVertex) list; // in ascending order: the state between steps
	float left;               // s until all are forgotten; 0 for a cloth that was not pinched lately
	float crossedFor;         // s since the cloth crosses meshes; negative while parts that impaled it let it go
	bool isAny;               // in a step: some vertex is on the wrong side
	bool isBuried;            // in a step: some part on the wrong side is buried in another one
	BitSet bits;              // in a step, if isAny: over the vertices of all meshes
	ARRAY(uint32_t) start;    // in a step, per mesh: its first bit
	uint32_t bitCount;
	ARRAY(PassedVertex) next; // the state after the step, if hasNext
	float nextLeft, nextCrossedFor;
	bool hasNext;
	ARRAY(uint32_t) group; // scratch
} PassedVertices;

void drapePassed_Destroy(PassedVertices* passed);

// Forgets the vertices of a collider.
void drapePassed_ForgetCollider(PassedVertices* passed, uint32_t slot);

// Begins a step with these meshes. Returns false when out of memory.
bool drapePassed_Begin(PassedVertices* passed, const MeshCollider* meshes, uint32_t meshCount);

// Keeps connected parts that cross the cloth or are buried, and forgets the others. Calls `crosses` for each triangle
// with a vertex on the wrong side. Returns false when out of memory.
bool drapePassed_KeepCrossing(PassedVertices* passed, const MeshCollider* meshes, uint32_t meshCount,
                              bool (*crosses)(uint32_t mesh, uint32_t triangle, const void* context),
                              const void* context);

// Returns whether the cloth has crossed meshes for so long that it is impaled.
bool drapePassed_IsImpaled(const PassedVertices* passed);

// Counts the smaller parts beyond crossings as passed if the cloth is impaled. `crosses` is as above. Returns false when
// out of memory.
bool drapePassed_ReleaseImpaled(PassedVertices* passed, const MeshCollider* meshes, uint32_t meshCount,
                                bool (*crosses)(uint32_t mesh, uint32_t triangle, const void* context),
                                const void* context);

// Returns whether a vertex, corner 0, passes through a triangle, corners 1 to 3, while all move straight.
bool drapePassed_Passes(const Vec3 from[4], const Vec3 to[4]);

// Counts a pass of a vertex. Returns false when out of memory.
bool drapePassed_Add(PassedVertices* passed, uint32_t mesh, uint32_t vertex);

// The state of a cloth in a step, as the contact stage knows it when the step ends.
typedef struct PassedStep
{
	bool isPinched; // a particle is pinched
	bool isCrossed; // the cloth crosses parts of meshes that count as solid
	float dt;       // s
} PassedStep;

// Finds the state after a step. Out of memory, all vertices are forgotten.
void drapePassed_End(PassedVertices* passed, const MeshCollider* meshes, uint32_t meshCount, const PassedStep* step);

// Makes the state after the step the present one. Steps that fail or are cancelled do not get here.
void drapePassed_Commit(PassedVertices* passed);

DRAPE_INLINE bool Passed_HasVertex(const PassedVertices* passed, uint32_t mesh, uint32_t vertex)
{
	return passed && passed->isAny && BitSet_Get(&passed->bits, passed->start.data[mesh] + vertex);
}

// Returns whether a triangle of a mesh has a vertex on the wrong side.
DRAPE_INLINE bool Passed_HasTriangle(const PassedVertices* passed, uint32_t mesh, const MeshShape* shape,
                                     uint32_t triangle)
{
	bool isAny = false;
	for (uint32_t k = 0; k < 3 && passed && passed->isAny; ++k)
		isAny |= Passed_HasVertex(passed, mesh, shape->triangle[3 * (size_t)triangle + k]);
	return isAny;
}
