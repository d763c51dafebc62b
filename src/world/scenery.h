// SPDX-License-Identifier: MIT
#pragma once

#include "base/rigid_fit.h"
#include "base/tasks.h"
#include "contact/broad/bodies.h"
#include "contact/contact_stage.h"
#include "contact/shapes/mesh_separation.h"
#include "contact/shapes/motion.h"
#include "drape/world.h"
#include "world/handles.h"

typedef struct Cloth Cloth;

// Motions and colliders.

typedef struct ColliderSlot
{
	uint32_t generation; // odd while in use
	uint32_t motion1;    // index of the motion + 1; 0 for none
	// Applied after the motion: where teleports have taken the collider. Valid if hasBase.
	drapeTransform base;
	uint32_t hasBase;
	drapeTransform own;     // placement without the motion when the step ends
	drapeTransform ownFrom; // and when it begins
	uint32_t isLive;        // contact sees it: the time is between its start and its end
	drapeVec3 way;          // m: of its middle in the step in progress
	drapeVec3 velocity;     // m/s: in the last step
	uint32_t moves;         // within the step in progress
} ColliderSlot;

// The colliders that a cloth touches by its filter. A cloth that touches all colliders uses the lists of the world.
typedef struct SeenScenery
{
	bool isPart; // the cloth does not touch all colliders in use: the lists below count
	bool moves;  // a collider in use that the cloth may touch moves in this step
	ARRAY(Collider) colliders;
	ARRAY(MeshCollider) meshes;
	ARRAY(uint32_t) bodies; // ContactScenery::bodies
	ContactScenery contact; // both lists, for the contact stage
} SeenScenery;

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
// After drapeScenery_Carry: a collider that is where its step ends, up to rounding, rests.
void drapeScenery_Settle(drapeWorld* world, uint32_t slot);
// Finds out whether a collider still moves. drapeScenery_Relist has to follow.
void drapeScenery_FindMoving(drapeWorld* world);
// Lists the colliders that contact sees after drapeScenery_Carry.
void drapeScenery_Relist(drapeWorld* world);
// Between two steps: moves a collider as it is, with its pending changes. `stops` forgets its velocity.
// drapeScenery_Relist has to follow.
void drapeScenery_Teleport(drapeWorld* world, uint32_t slot, const RigidMotion* motion, bool stops);
// After colliders were loaded from a snapshot.
void drapeScenery_Replace(drapeWorld* world);
void drapeScenery_Destroy(drapeWorld* world);

// The next functions are about the colliders in use that the cloth touches by its filter.

bool drapeScenery_IsEmpty(const Cloth* cloth);
// The fastest point of a collider within a step of dt seconds, m/s.
float drapeScenery_TopSpeed(const Cloth* cloth, float dt);
bool drapeScenery_IsInside(const Cloth* cloth, Vec3 point);
// Depth of the point inside colliders, m; 0 outside.
float drapeScenery_Depth(const Cloth* cloth, Vec3 point);
// The caller fills in the rest of the definition.
ContactDef drapeScenery_Contact(const Cloth* cloth);
// For the contact stage; NULL when the cloth touches all colliders.
const ContactScenery* drapeScenery_Seen(Cloth* cloth);

// Reserves memory for the lists of a cloth with this filter. False when out of memory.
bool drapeScenery_ReserveSeen(Cloth* cloth, drapeFilter filter);
// The same for all cloths with any filter, before a snapshot is loaded.
bool drapeScenery_ReserveAllSeen(drapeWorld* world);
// Lists the colliders that a cloth touches, after its filter has changed.
void drapeScenery_ListSeen(Cloth* cloth);
void drapeSeenScenery_Free(SeenScenery* seen);

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

// Between two steps: moves the present vertices, which then rest. `at` is the new placement. The caller has checked that
// the new positions are in range.
void drapeColliderMesh_Teleport(ColliderMesh* mesh, const RigidMotion* motion, Transform at, TaskPool* tasks);
// The displacement of the middle of the bounds within the step, m.
Vec3 drapeColliderMesh_MiddleWay(const ColliderMesh* mesh);
// Undoes drapeColliderMesh_Move.
void drapeColliderMesh_Revert(ColliderMesh* mesh, Transform from, TaskPool* tasks);
