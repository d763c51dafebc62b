// SPDX-License-Identifier: MIT
#pragma once

// world — the public handles, and the step that runs the other modules in order.
//
//   world.c      worlds: threads, pools that cloths share, gravity, wind, camera, validation
//   cloth.h      cloths: pattern, scheme, active mesh; editing, views
//   pins.h       particles that move as the application says
//   scenery.h    motions and colliders (scenery.c, collider_mesh.c)
//   step.c       the step: animate, adapt, simulate, contact, surface, publish
//   guard.h      the simulate stage with undo, retries and the number of substeps
//   substeps.h   one substep: forces, integration, pins, stretch limit, colliders
//   history.h    positions and velocities before the last substep, for BDF2
//   contact_stage.c, contact_cache.c   contacts and impacts of all cloths and colliders
//   stats.c      energies, stretch, times of the stages
//   crossings.c, untangle.c            crossings, and their removal
//   inspect.c    contact points and collider meshes, for drawing
//   snapshot.c   the whole state as bytes
//   evaluate.c   pattern points on the active mesh
//
// Handles are checked in one place each (drapeCloth_Get, drapeCollider_IsValid). Public functions check their arguments;
// other modules assert them.

#include "adapt/edge.h"
#include "base/hash.h"
#include "base/tasks.h"
#include "contact/narrow/proximity.h"
#include "contact/narrow/sweeps.h"
#include "contact/untangle/tangle.h"
#include "drape/world.h"
#include "world/cloth.h"
#include "world/scenery.h"
#include "world/substeps.h"

// A triangle that a change of a mesh has left.
typedef struct SweptTriangle
{
	const Cloth* cloth;
	Vec3 corner[3];
	uint32_t particle[3];
	Kdop bounds; // a box
} SweptTriangle;

// What friction did at a point, for the next step.
typedef struct CachedContact
{
	Vec4 frictionState; // ContactPoint::frictionState
	uint64_t key;       // of what lies on what
	uint64_t nearKey;   // of the nearest vertices of both
	uint32_t isTurned;  // which of the two is the first
	uint32_t nearIsTurned;
	uint32_t corner[4]; // whose weights these are, as in Proximity::vertex
	float weight[4];    // of the point
	float change[4];    // since the step before
	uint64_t unused;
} CachedContact;

_Static_assert(sizeof(CachedContact) == 96, "snapshots have no bytes that nobody wrote");

typedef struct ContactCache
{
	ARRAY(CachedContact) now, last; // of this step, by point, and of the one before
	HashMap lastOf;                 // by key
} ContactCache;

struct drapeWorld
{
	TaskPool* tasks;
	EdgePools edgePools;
	ARRAY(Cloth*) cloths; // by slot
	ARRAY(Motion) motions;
	ARRAY(ColliderSlot) colliderSlots;
	ARRAY(Collider) colliders;           // by slot, those in use and the others
	ARRAY(ColliderMesh*) colliderMeshes; // by slot; NULL for shapes
	ARRAY(Collider) liveColliders;       // shapes in use, in the order of the slots: what contact reads
	ARRAY(MeshCollider) liveMeshes;      // meshes in use, likewise
	ARRAY(uint32_t) liveMeshSlots;       // and their slots
	BroadPhase broadPhase;               // colliders first
	uint32_t gatheredColliders;          // bodies of colliders in it
	uint32_t gatheredScenery;            // sceneryRevision of those
	uint32_t sceneryRevision;            // raised when colliders are made, removed, moved or have stopped
	bool sceneryMoves;                   // in this step
	Proximities proximities;
	ARRAY(ContactPoint) points;    // where cloths that are solved together lie on each other and themselves
	ARRAY(SweptTriangle) swept;    // what adaptation has left since drapeContactStage_Look
	ARRAY(ContactPoint) pointsNow; // points in a substep
	ContactCache contactCache;     // of the points
	PairForces pairForces;
	ARRAY(Cloth*) together;  // those cloths
	ARRAY(Substep) substeps; // of the cloths under way
	ARRAY(ImplicitJob) jobs;
	ImpactSolver impacts;
	ImpactResult impactResult;   // of the last step
	ARRAY(Vec4) contactVelocity; // by vertex of the broadPhase
	double collideMs;            // of the last step, all cloths together
	Vec3 gravity;
	drapeWindDef wind;
	Vec3 camera;
	double adaptPeriod;    // s
	double time;           // s
	double nextAdaptation; // s
	double animateMs;      // of the last step
	drapeStepFailure failure;
};

// The gap in metres that impacts leave between its faces and others.
float drapeCloth_LeastGap(const Cloth* cloth);

// meet.c: before the cloths move, and after all have, before anybody sees it. False when memory is short.
bool drapeContactStage_Prepare(drapeWorld* world, float dt);
bool drapeContactStage_Resolve(drapeWorld* world, float dt);

// The points that drapeContactStage_Prepare found as they are from one fraction of the step to another, where the cloths are now.
const ContactPoint* drapeContactStage_PointsAt(drapeWorld* world, float fromFraction, float toFraction);

// contact_cache.c: what friction did at the points of the last step. Begins a step with room for so many points, which
// then are recalled in their order; after each substep it is told what became of them. False when memory is short.
bool drapeContactCache_Begin(ContactCache* contactCache, uint32_t most);
Vec4 drapeContactCache_Recall(ContactCache* contactCache, const drapeWorld* world, Proximity* point);
void drapeContactCache_Remember(ContactCache* contactCache, const PairForces* forces);
void drapeContactCache_Free(ContactCache* contactCache);

// Whether a sweep of the cloth's surface by adaptation meets no cloth and no collider, as they were at drapeContactStage_Look.
bool drapeContactStage_Look(drapeWorld* world); // false when memory is short
bool drapeContactStage_IsFree(drapeWorld* world, const Cloth* cloth, const SurfaceSweep* sweep);

// crossings.c: everything that can cross, as it is now. A zeroed one is empty.
typedef struct WorldTangle
{
	Tangle tangle;
	ARRAY(uint32_t) surfaceSlots; // by surface: slot of the cloth or collider
	ARRAY(uint32_t) solidSlots;   // by solid
} WorldTangle;

// False when memory is short; what is there is to be destroyed all the same.
bool drapeWorldTangle_Gather(WorldTangle* all, const drapeWorld* world);
void drapeWorldTangle_Destroy(WorldTangle* all);
