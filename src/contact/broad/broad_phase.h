// SPDX-License-Identifier: MIT
#pragma once

#include "contact/broad/self_culling.h"
#include "contact/response/impacts.h"

// Which elements of all bodies may meet during a step. A cloth has a tree over its triangles, refitted as they move and
// built anew when the mesh changes; within calm regions (calm.h) nothing is looked for, neighbours included. Elsewhere,
// triangles that share a corner meet only where the cloth folds sharply at it: where, from some side, all triangles
// around the corner are seen from the front all through the step, they lie beside each other. Colliders made of few
// elements ask the trees of the cloths; large ones have a tree of their own.

// What a cloth keeps from step to step.
typedef struct BroadPhaseCloth
{
	ClothTree tree;
	Charts charts;
	bool hasCharts;
	uint32_t revision;               // of the mesh that all this describes; 0 for none
	bool isFitted;                   // the tree is of this revision
	bool isJoined;                   // elements that were written for it are
	ARRAY(uint8_t) owns;             // by triangle: as ContactElement's
	ARRAY(uint32_t) corners;         // [3 * triangles] of that revision, also while the mesh is being changed
	ARRAY(uint32_t) ringStart, ring; // by particle: the triangles around it
	ARRAY(uint8_t) isRim;            // by particle: they do not go all the way round
	ARRAY(uint32_t) patch;           // by triangle: as drapeClothTree_FindCulledPatches
	ARRAY(uint8_t) fold;             // by particle: fold... of broad_phase.c
	ARRAY(Vec4)
	turns; // [3 * triangles] normals at the beginning, between and at the end, not unit; w is
		// their length. Only around corners that are not calm
	PairList self, folds;
} BroadPhaseCloth;

void drapeBroadPhaseCloth_Init(BroadPhaseCloth* cloth);
void drapeBroadPhaseCloth_Destroy(BroadPhaseCloth* cloth);

// Brings it in step with the mesh, which is one over this pattern. False when memory is short.
bool drapeBroadPhaseCloth_Follow(BroadPhaseCloth* cloth, const PatternMesh* pattern, const ActiveMesh* mesh,
                                 TaskPool* tasks);

// A body of the broadPhase; `cloth` is NULL for colliders, `tree` for those without one.
typedef struct BroadPhaseMember
{
	BroadPhaseCloth* cloth;
	const ActiveMesh* mesh; // of the cloth
	uint64_t name;          // of the cloth: the same from step to step, for the contact cache
	uint32_t index;         // of the cloth in the caller's list
	const Bvh* tree;        // of a collider, over its elements in their order, without margin
} BroadPhaseMember;

// What the elements of a body were last written for: while it is the same, and the cloth's isJoined, they are left as
// they are.
typedef struct BroadPhaseStamp
{
	const BroadPhaseCloth* cloth;
	uint32_t vertexStart, elementStart;
} BroadPhaseStamp;

typedef struct BroadPhase
{
	ContactBodies bodies;
	ARRAY(BroadPhaseMember) members; // by body
	ARRAY(BroadPhaseStamp) stamps;   // by body; zero for colliders
	ElementPairs pairs;
	PairList cross;
	PrimitiveList near;
	ARRAY(Vec4) seen; // by vertex: its end, as seen by who goes along with the cloths; of colliders alone while isStill
	ARRAY(Vec4) sums; // by chunk of a loop
	float thickness;  // m: the largest of a cloth
	bool isStill;     // cloths have not moved yet: `from` and `to` of theirs are the same
	float margin;     // m: see ImpactDef
	float foldSlope;  // around a corner where cloth is seen from the front everywhere, as the cosine of how steeply,
					  // pairs are not looked for
	TaskPool* tasks;
} BroadPhase;

void drapeBroadPhase_Destroy(BroadPhase* broadPhase);

// Keeps the first `count` bodies.
void drapeBroadPhase_Keep(BroadPhase* broadPhase, uint32_t count);

// The last of the bodies, which the caller has added, is a collider; `tree` may be NULL. Colliders come before cloths.
bool drapeBroadPhase_AddCollider(BroadPhase* broadPhase, const Bvh* tree);

// Appends a cloth, whose BroadPhaseCloth follows its mesh, where it is now: both ends of its way are the present
// positions. `as` says what kind of body it is. False when out of memory.
bool drapeBroadPhase_AddCloth(BroadPhase* broadPhase, BroadPhaseMember member, const ContactBody* as);

// The cloths have moved since they were added: their ways end at the present positions. Clears isStill.
void drapeBroadPhase_MoveCloths(BroadPhase* broadPhase);

// By how much the bounds of a body are to be grown.
float drapeBroadPhase_Margin(const BroadPhase* broadPhase, const ContactBody* body);

// Brings the tree of a cloth, which follows its mesh, in step with the positions of its mesh. `margin` is in metres.
// False when out of memory.
bool drapeBroadPhaseCloth_Fit(BroadPhaseCloth* cloth, const ActiveMesh* mesh, float margin, TaskPool* tasks);

// For ImpactDef; the context is the broadPhase.
bool drapeBroadPhase_Collect(const ContactBodies* bodies, ElementPairs* pairs, void* context);
