// SPDX-License-Identifier: MIT
#pragma once

#include "base/rigid_fit.h"
#include "base/tasks.h"
#include "contact/broad/bodies.h"
#include "contact/contact.h"
#include "contact/shapes/mesh_separation.h"
#include "contact/shapes/motion.h"
#include "drape/world.h"
#include "world/handles.h"

// Motions and colliders.

typedef struct ColliderSlot
{
	uint32_t generation;    // odd while in use
	uint32_t motion1;       // index of the motion + 1; 0 for none
	drapeTransform own;     // placement without the motion when the step ends
	drapeTransform ownFrom; // and when it begins
	uint32_t isLive;        // contact sees it: the time is between its start and its end
	drapeVec3 way;          // m: of its middle in the step in progress
	drapeVec3 velocity;     // m/s: in the last step
} ColliderSlot;

// The mesh of a collider.
typedef struct ColliderMesh
{
	MeshShape shape;       // in the world
	Vec3 *own, *placed;    // [vertexCount] in the collider's own space; scratch
	uint32_t vertexCount;  // as given
	uint8_t* owns;         // [shape.triangleCount] as ContactElement's
	Transform at;          // placement of the shape
	float maxDisplacement; // m, of any vertex within the step
	bool isChanged;        // `own` is new since the last step
	bool deforms;          // `own` has changed since the mesh was created
	Vec4* given;           // [vertexCount] m: in the world, before overlapping parts were moved apart; w is 0
	MeshSeparation separation;
	float gap;     // m: the least one between parts
	bool overlaps; // parts were moved apart in this step
	// Both when the step began, to undo it.
	Vec4* givenBefore;
	bool overlapsBefore;
} ColliderMesh;

// Finds the placements of colliders when a step of dt seconds ends; the last ones become those of its beginning.
void drapeScenery_Animate(drapeWorld* world, float dt);
void drapeScenery_Finish(drapeWorld* world, float dt);
// Undoes drapeScenery_Animate.
void drapeScenery_Revert(drapeWorld* world);
// Moves the beginning of a collider's step. drapeScenery_Relist has to follow.
void drapeScenery_Carry(drapeWorld* world, uint32_t slot, const RigidMotion* motion);
// Undoes drapeScenery_Carry: the placement and, of a mesh, the vertices when the step began. drapeScenery_Revert has to
// follow.
void drapeScenery_PutBack(drapeWorld* world, uint32_t slot, drapeTransform from, const Vec3* vertices);
// Lists the colliders that contact sees after drapeScenery_Carry.
void drapeScenery_Relist(drapeWorld* world);
// After colliders were loaded from a snapshot.
void drapeScenery_Replace(drapeWorld* world);
void drapeScenery_Destroy(drapeWorld* world);

bool drapeScenery_IsEmpty(const drapeWorld* world);
// The fastest point of a collider within a step of dt seconds, m/s.
float drapeScenery_TopSpeed(const drapeWorld* world, float dt);
bool drapeScenery_IsInside(const drapeWorld* world, Vec3 point);
// Depth of the point inside colliders, m; 0 outside.
float drapeScenery_Depth(const drapeWorld* world, Vec3 point);
// All colliders in use. The caller fills in the rest of the definition.
ContactDef drapeScenery_Contact(const drapeWorld* world);

// NULL, with a sentence, for a handle that is not valid.
Collider* drapeCollider_Get(drapeColliderId id);
drapeColliderId drapeCollider_Id(const drapeWorld* world, uint32_t slot);
bool drapeCollider_IsOf(const drapeWorld* world, drapeColliderId id);

// The motion has been changed: colliders that follow it begin the next step where they are.
void drapeScenery_KeepPlaces(drapeWorld* world, uint32_t motion1);
// The motion is destroyed: colliders that follow it stay where they are.
void drapeScenery_ForgetMotion(drapeWorld* world, uint32_t motion1);

// collider_mesh.c. The report may not be NULL.
drapeResult drapeColliderMesh_Create(ColliderMesh** mesh, const drapeMesh* from, Transform at, TaskPool* tasks,
                                     drapeColliderReport* report);
void drapeColliderMesh_Destroy(ColliderMesh* mesh); // NULL is allowed
// Begins a step that ends with the collider at `to`. Parts of a mesh that deforms are kept at least `gap`, m, apart.
void drapeColliderMesh_Move(ColliderMesh* mesh, Transform to, float gap, TaskPool* tasks);
// Moves the vertices with which the step begins; it ends where it did.
void drapeColliderMesh_Carry(ColliderMesh* mesh, const RigidMotion* motion, TaskPool* tasks);
// The displacement of the middle of the bounds within the step, m.
Vec3 drapeColliderMesh_MiddleWay(const ColliderMesh* mesh);
// Undoes drapeColliderMesh_Move.
void drapeColliderMesh_Revert(ColliderMesh* mesh, Transform from, TaskPool* tasks);
