// SPDX-License-Identifier: MIT
#pragma once

#include "contact/broad/material_map.h"
#include "contact/response/impacts.h"

// The broad phase: finds pairs of elements of all bodies that may collide during a step. A cloth has a tree over its
// triangles, which is refitted when they move and rebuilt when the mesh changes. It skips pairs within culled regions
// (self_culling.h), neighbours included. Elsewhere, triangles that share a corner collide only at sharp folds: if some
// direction sees all triangles around the corner from the front throughout the step, they do not overlap. Colliders of
// few elements query the trees of the cloths; large colliders have a tree of their own.

// The data of a cloth that persists from step to step.
typedef struct BroadPhaseCloth
{
	ClothTree tree;
	Charts charts;
	bool hasCharts;
	MaterialMap map;
	uint32_t revision;               // the described mesh has it; 0 for none
	bool isFitted;                   // the tree has this revision
	bool isJoined;                   // the elements in ContactBodies have this revision
	ARRAY(uint8_t) owns;             // per triangle: ContactElement::owns
	ARRAY(uint32_t) corners;         // [3 * triangles] of that revision, also while the mesh is being changed
	ARRAY(uint32_t) ringStart, ring; // per particle: the triangles around it
	ARRAY(uint8_t) isBoundary;       // per particle: the triangles around it do not close
	ARRAY(uint32_t) patch;           // per triangle: as drapeClothTree_FindCulledPatches
	ARRAY(uint8_t) fold;             // per particle: foldCulled, foldOpen or foldSharp
	// [3 * triangles] Bernstein coefficients of the normal over the step; w is their length. Only for triangles that are
	// not culled.
	ARRAY(Vec4) turns;
	PairList self, folds;
} BroadPhaseCloth;

void drapeBroadPhaseCloth_Init(BroadPhaseCloth* cloth);
void drapeBroadPhaseCloth_Destroy(BroadPhaseCloth* cloth);

// Gives new data, which drapeBroadPhaseCloth_Init has prepared, the topology of another cloth of the same pattern, which
// outlives it and does not change. It is borrowed until drapeBroadPhaseCloth_Follow has to change it. Returns false when
// out of memory.
bool drapeBroadPhaseCloth_Borrow(BroadPhaseCloth* cloth, const BroadPhaseCloth* lender, const ActiveMesh* mesh);

// Releases the memory that a lender does not need.
void drapeBroadPhaseCloth_ReleaseScratch(BroadPhaseCloth* cloth);

// Updates the data after a change of the mesh, which belongs to this pattern, all but the map. Returns false when out of
// memory.
bool drapeBroadPhaseCloth_Follow(BroadPhaseCloth* cloth, const PatternMesh* pattern, const ActiveMesh* mesh,
                                 TaskPool* tasks);

// Updates the map, after Follow. `reach` is in metres. Returns false when out of memory.
bool drapeBroadPhaseCloth_FollowMap(BroadPhaseCloth* cloth, const ActiveMesh* mesh, float reach);

// A body of the broad phase. `cloth` is NULL for colliders, `tree` is NULL for small colliders.
typedef struct BroadPhaseMember
{
	BroadPhaseCloth* cloth;
	const ActiveMesh* mesh; // the cloth's mesh
	uint64_t name;          // identifies the cloth from step to step, for the contact cache
	uint32_t index;         // the cloth's index in the caller's list
	const Bvh* tree;        // tree of a collider over its elements in their order, without margin
	const BvhBoxes* start;  // boxes of that tree at the start of the step; NULL when the collider does not move
} BroadPhaseMember;

// Identifies the elements that were last written for a body. While it stays the same and the cloth's isJoined is set,
// the elements are still valid.
typedef struct BroadPhaseStamp
{
	const BroadPhaseCloth* cloth;
	uint32_t vertexStart, elementStart;
} BroadPhaseStamp;

typedef struct BroadPhase
{
	ContactBodies bodies;
	ARRAY(BroadPhaseMember) members; // per body
	ARRAY(BroadPhaseStamp) stamps;   // per body; zero for colliders
	ElementPairs pairs;
	PairList cross;
	PrimitiveList near;
	ARRAY(Vec4) seen; // per vertex: its end in the frame that moves with the cloths; only for colliders while isStill
	ARRAY(Vec4) sums; // per chunk of a loop
	float thickness;  // m: the largest of all cloths
	bool isStill;     // the cloths have not moved yet: their `from` and `to` are equal
	float margin;     // m: ImpactDef::margin
	float foldSlope;  // cosine: a corner is open when its triangles face a common direction by more than this
	TaskPool* tasks;
} BroadPhase;

void drapeBroadPhase_Destroy(BroadPhase* broadPhase);

// Keeps the first `count` bodies.
void drapeBroadPhase_Keep(BroadPhase* broadPhase, uint32_t count);

// Declares the last body of `bodies` a collider. `tree` and its boxes `start` may be NULL. Colliders come before cloths.
bool drapeBroadPhase_AddCollider(BroadPhase* broadPhase, const Bvh* tree, const BvhBoxes* start);

// Appends a cloth in its present positions: its trajectories have no length. Its BroadPhaseCloth must have been
// updated. `as` describes the body. Returns false when out of memory.
bool drapeBroadPhase_AddCloth(BroadPhase* broadPhase, BroadPhaseMember member, const ContactBody* as);

// Ends the trajectories of all cloths at their present positions. Clears isStill.
void drapeBroadPhase_MoveCloths(BroadPhase* broadPhase);

// Fits the tree of a cloth to the positions of its mesh. `margin` is in metres. Returns false when out of memory.
bool drapeBroadPhaseCloth_Fit(BroadPhaseCloth* cloth, const ActiveMesh* mesh, float margin, TaskPool* tasks);

// Collects all pairs: ImpactDef::collect, with the broad phase as its context.
bool drapeBroadPhase_Collect(const ContactBodies* bodies, ElementPairs* pairs, void* context);
