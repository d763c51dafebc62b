// SPDX-License-Identifier: MIT
#pragma once

// world — the public handles, and the step that runs the other rooms in order.
//
//   world.c      worlds: threads, the pools that their cloths share, gravity, wind, camera, validation
//   cloth.c      cloths: a pattern, a scheme over it, the active mesh; editing by hand, views
//   scenery.c    motions and colliders; collider_mesh.c those that are meshes
//   collider_elements.c   shapes as vertices, edges and faces, for meet.c
//   pins.c       particles that go where they are told
//   step.c       the step: animate, adapt, simulate with contact, surface
//   simulate.c   the substeps of one cloth, with the guard against explosions
//   history.c    positions and velocities before the last substep, for BDF2
//   meet.c       what may not pass through what, over all cloths and colliders
//   contact_cache.c        what friction did where cloths lie on something
//   stats.c      energies, stretch, what a step cost
//   crossings.c  triangles that cross, for checks
//   untangle.c   and out of each other with them
//   inspect.c    contact points and meshes of colliders, for drawing
//   snapshot.c   the whole state as bytes
//   evaluate.c   points of the pattern on the mesh in use
//
// Handles are checked in one place each (drapeCloth_Get, Collider_Get). Public functions check what programs pass; rooms
// below assert it.

#include "adapt/budget.h"
#include "adapt/criteria.h"
#include "adapt/edge.h"
#include "adapt/sqrt3.h"
#include "base/hash.h"
#include "base/tasks.h"
#include "contact/contact.h"
#include "contact/narrow/proximity.h"
#include "contact/narrow/sweeps.h"
#include "contact/shapes/motion.h"
#include "contact/untangle/tangle.h"
#include "drape/world.h"
#include "model/model.h"
#include "solve/implicit.h"
#include "solve/solve.h"

// A pinned particle. The scheme's name of its vertex finds it again after adaptation.
typedef struct Pin
{
	uint32_t vertexId; // DRAPE_NONE when the slot is free
	uint32_t motion1;  // index of the motion + 1; 0 for none
	Vec3 anchor;       // m; what the motion moves
	Vec3 from, to;     // m; over the step under way. Without a motion, `to` is where it was told to go.
} Pin;

// What the guard against explosions looks at.
typedef struct ClothSurvey
{
	double kinetic, gravity; // J
	bool isUsable;           // every coordinate and velocity is in range
} ClothSurvey;

typedef ARRAY(Vec4) Vec4Array;

// What a cloth's substeps need besides the mesh.
typedef struct ClothSimulation
{
	Model model;
	StretchLimit stretchLimit;
	ImplicitSolver implicit;
	drapeSolverDef solver;
	Vec4Array previous;                             // positions before a substep
	ARRAY(Vec4) unlimited;                          // positions before the stretch limit
	ARRAY(Vec4) scratch;                            // of the integrator
	Vec4Array previousVelocity;                     // implicit: before a substep
	Vec4Array historyPosition, historyVelocity;     // BDF2: before the last substep
	ARRAY(Vec4) target;                             // implicit: where pins will be
	ARRAY(Vec4) contactNormal, surfaceDisplacement; // implicit: what particles lie on, and its way
	ARRAY(Vec4) frictionState;                      // implicit: what friction did in the last substep, see implicit.h
	ARRAY(Vec4) outside;                            // implicit: forces of the air, and drag
	bool isPoor;                                    // implicit: a solve of this step came nowhere near its tolerance
	uint32_t historyRevision;                       // of the mesh that the history describes
	ARRAY(Vec4) savedPosition, savedVelocity;       // at the beginning of the step
	ARRAY(Vec4) savedBendSet;                       // likewise, by triangle; empty without internal friction
	ARRAY(float) stiffness;                         // scratch of the stability limit
	ARRAY(ClothSurvey) surveys;                     // by chunk of particles
	ARRAY(NearGround) near;                         // by particle: see contact.h
	uint32_t nearRevision;                          // of the scenery that it is about
	BitSet contacts;                                // over the particles: touched a collider in the last substep
	float stableStep;                               // s, for the mesh of stableRevision
	uint32_t stableRevision;
	float previousStep, savedPreviousStep; // s, of the integrator: the last one, and that when the step began
} ClothSimulation;

typedef struct ClothCosts
{
	double adaptMs, followMs, simulateMs, contactMs, surfaceMs; // simulateMs includes followMs, not contactMs
	uint32_t substeps, retries, contacts, splits, joins;
	uint32_t solves, iterations; // implicit: over all substeps
} ClothCosts;

typedef struct Cloth
{
	uint32_t slot;
	uint32_t generation; // of the slot; odd while in use
	PatternMesh pattern;
	ActiveMesh active;
	Scheme* scheme;
	drapeAdaptDef adapt;
	Criteria criteria;
	Budget budget;
	drapeContact contact;
	BroadPhaseCloth broadPhase;
	uint8_t system; // its number among the cloths that are solved together
	bool pinMiddles;
	ARRAY(Pin) pins;
	ClothSimulation simulation;
	ClothCosts costs; // of the last step
} Cloth;

// A substep of one cloth.
typedef struct Substep
{
	drapeWorld* world;
	Cloth* cloth;
	float dt;
	float fromFraction, toFraction; // of the step
	ContactDef contact;
	const Vec4* start; // positions when the substep begins
	const Vec4*
		swept; // where contact sweeps from: `start`, in the first substep the positions when the step begins, so
			   // that DrawIn does not move particles through colliders
	float decay;
	// Of the step:
	ClothSurvey before;
	double allowed; // J: what may be gained
} Substep;

typedef struct ColliderSlot
{
	uint32_t generation; // odd while in use
	uint32_t motion1;
	drapeTransform own;     // its placement without the motion, at the end of the step
	drapeTransform ownFrom; // and at the beginning
} ColliderSlot;

// The mesh of a collider.
typedef struct ColliderMesh
{
	MeshShape shape;      // in the world
	Vec3 *own, *placed;   // [vertexCount] in the collider's own space; scratch
	uint32_t vertexCount; // as given
	uint8_t* owns;        // [shape.triangleCount] as ContactElement's
	Transform at;         // where the shape is placed
	float reach;          // m: the way of its fastest point during the step
	bool isChanged;       // `own` is new since the last step
} ColliderMesh;

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

// NULL for a handle that is null or stale.
Cloth* drapeCloth_Get(drapeClothId cloth);
drapeClothId drapeCloth_Id(drapeWorld* world, uint32_t slot);
void drapeCloth_Destroy(Cloth* cloth);
bool drapeCloth_IsUsed(const Cloth* cloth);

// What is left between its faces and others: where nothing gives way any more, m.
float drapeCloth_LeastGap(const Cloth* cloth);

// NULL when all is well, else a sentence.
const char* drapeCloth_Validate(const Cloth* cloth);

// One pass of the criteria, everything that depends on the mesh brought in step, new particles out of colliders.
drapeResult drapeCloth_RunAdaptation(drapeWorld* world, Cloth* cloth, AdaptCounts* counts);

// Brings model and solver in step with the mesh. False when memory is short.
bool drapeCloth_Follow(drapeWorld* world, Cloth* cloth);

void drapeCloth_UpdateNormals(drapeWorld* world, Cloth* cloth);

// simulate.c: the substeps of a step of dt seconds, for one cloth, or for several with implicit integrators that are
// solved together. On drape_errorUnstable, `text` says why; positions are then those of the beginning. *failed is the
// cloth in which it happened.
drapeResult drapeCloths_Simulate(drapeWorld* world, Cloth* const* cloths, uint32_t count, float dt, Cloth** failed,
                                 char* text, size_t capacity);

// Back to the beginning of the step.
void drapeCloth_Undo(Cloth* cloth);

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

// inspect.c: as drapeCloth_ContactPoints.
uint32_t drapeCloth_CollectContactPoints(const drapeWorld* world, const Cloth* cloth, drapeContactPoint* points,
                                         uint32_t capacity);

// pins.c
void drapePins_Animate(drapeWorld* world, Cloth* cloth, float dt);
void drapePins_Place(Cloth* cloth, float fraction,
                     float dt); // velocities that lead to where pins are at this fraction of the step
void drapePins_Settle(Cloth* cloth, float fraction,
                      Vec4* position);                  // exactly there, and pinned middles between their parents
float drapePins_TopSpeed(const Cloth* cloth, float dt); // m/s
void drapePins_Born(Cloth* cloth);                      // new middles between two pins
void drapePins_Finish(Cloth* cloth);

// scenery.c: placements at the end of a step of dt seconds; those at the beginning become the last ones.
void drapeScenery_Animate(drapeWorld* world, float dt);
void drapeScenery_Finish(drapeWorld* world);
void drapeScenery_Revert(drapeWorld* world);
float drapeScenery_TopSpeed(const drapeWorld* world, float dt);
bool drapeMotion_IsOf(const drapeWorld* world, drapeMotionId motion); // none, or one of this world
bool drapeScenery_IsInside(const drapeWorld* world, Vec3 point);
float drapeScenery_Depth(const drapeWorld* world, Vec3 point); // m, inside the collider it is deepest in; 0 outside
void drapeScenery_Destroy(drapeWorld* world);
bool drapeScenery_IsEmpty(const drapeWorld* world);
// After colliders were loaded from a snapshot.
void drapeScenery_Replace(drapeWorld* world);
// All colliders that are in use; the rest of the definition is the caller's.
ContactDef drapeScenery_Contact(const drapeWorld* world);

// collider_elements.c: appends a shape to the bodies. False when memory is short.
bool drapeCollider_Join(const Collider* collider, ContactBodies* bodies);

// collider_mesh.c. The report may not be NULL.
drapeResult drapeColliderMesh_Create(ColliderMesh** mesh, const drapeMesh* from, Transform at, TaskPool* tasks,
                                     drapeColliderReport* report);
void drapeColliderMesh_Destroy(ColliderMesh* mesh); // NULL is allowed
// A step that ends with the collider there.
void drapeColliderMesh_Move(ColliderMesh* mesh, Transform to, TaskPool* tasks);
// That step has not been made.
void drapeColliderMesh_Revert(ColliderMesh* mesh, Transform from, TaskPool* tasks);
// Appends it to the bodies.
bool drapeColliderMesh_Join(const ColliderMesh* mesh, float friction, ContactBodies* bodies);
