// SPDX-License-Identifier: MIT
#pragma once

#include "contact/shapes/mesh_shape.h"

// Moves parts of a mesh apart that overlap in a pose, so that cloth between them has space.
//
//     arm | trunk              The skin of an animated body passes through itself: an arm sinks into the trunk, the
//    ( )| |////                calf into the thigh. No position keeps cloth between them a thickness away from both. So
//    ( (|/|)///                contact sees another mesh: where two parts are closer than a gap, or overlap, their
//      ^ ^                     vertices move out of each other until the gap is there. Cloth lies in it as in any other
//      gap                     narrow place, and nothing passes through it.
//
// The thinner part yields: an arm is pressed flat and the trunk stays as it is, while two thighs yield alike. The mesh
// changes only where the gap is missing, and follows the pose without memory. A part that sinks in by more than a
// quarter of its thickness yields less and less, and not at all from half of it on: it could come out on several sides.
//
// The first pose tells which surfaces belong to different parts. A vertex and a triangle do if the vertex has moved in the
// frame of the triangle by more than half of their distance in the first pose. Neighbours on the surface and the two sides
// of a limb hardly move against each other.
//
// Only parts of one connected surface are moved apart. Several closed surfaces in one mesh may lie inside each other.
//
// 1. Boxes over groups of eight triangles find places where surfaces meet that were apart in the first pose.
// 2. From there the search spreads over the vertices that are inside the other part. For each of them it follows the
//    nearest triangle of that part, beginning with that of its neighbour.
// 3. Vertices move by their share of the missing gap, in a few passes. The outermost ones slide along the surface
//    instead, so that it stays exact where there is space.

enum
{
	separationMaxLevels = 11, // enough for DRAPE_MAX_ELEMENTS triangles
	separationArity = 8,
};

// The boxes of eight nodes, m. Lanes without a node are empty: low > high.
typedef struct SeparationBlock
{
	float low[3][separationArity], high[3][separationArity];
} SeparationBlock;

// Zeroed, it moves nothing.
typedef struct MeshSeparation
{
	uint32_t vertexCount, triangleCount;
	uint32_t* order;                         // [triangleCount] triangles of groups of eight, and so on upwards
	uint32_t *groupStart, *groupVertex;      // [groups + 1] first vertex of a group, and the vertices of all groups
	uint32_t levelCount;                     // level 0 has the groups; 0 for an open mesh
	uint32_t nodeCount[separationMaxLevels]; // per level
	uint32_t
		firstBlock[separationMaxLevels]; // per level; the children of node n of a level are block n of the one below
	uint32_t blocks;                     // of all levels
	SeparationBlock *rest, *boxes;       // [blocks] in the first pose, and now
	Vec3* restPosition;                  // [vertexCount] m
	uint32_t* surface;                   // [vertexCount] the first vertex of its connected surface
	float* thickness;                    // [vertexCount] m, of the part below the vertex in the first pose
	uint32_t* partner;                   // [vertexCount] nearest triangle of the part that it is inside; DRAPE_NONE
	float* height;                       // [vertexCount] m, over the partner's plane, of vertices with one
	float* share;                        // [vertexCount] of the displacement; scratch
	Vec3* moved;                         // [vertexCount] m; scratch
	ARRAY(uint32_t) found;               // vertices with a partner
	ARRAY(uint32_t) stack;               // scratch
} MeshSeparation;

// Prepares a shape in its first pose. Returns false when out of memory; destroy it all the same. An open mesh has no
// parts: nothing moves.
bool drapeMeshSeparation_Create(MeshSeparation* separation, const MeshShape* shape, TaskPool* tasks);
void drapeMeshSeparation_Destroy(MeshSeparation* separation);

// Moves `positions` [vertexCount], which are those of the shape at the end of the step, so that parts are at least `gap`,
// m, apart. Returns the number of vertices that lack space, which deep ones do not get; 0 if nothing moved.
uint32_t drapeMeshSeparation_Apply(MeshSeparation* separation, const MeshShape* shape, Vec3* positions, float gap,
                                   TaskPool* tasks);
