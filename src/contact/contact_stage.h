// SPDX-License-Identifier: MIT
#pragma once

#include "contact/contact.h"
#include "contact/contact_cache.h"
#include "contact/contact_point.h"
#include "contact/response/impacts.h"
#include "contact/response/passed.h"
#include "contact/response/pinch.h"
#include "contact/stitched.h"
#include "contact/untangle/recovery.h"
#include "contact/untangle/untangle.h"
#include "mesh/surface_sweep.h"

// The contact stage keeps vertices, edges and faces of all cloths out of each other and of colliders.
//
// It knows neither worlds nor solvers. The caller describes cloths and colliders once per step, and once for each
// adaptation pass or query outside of steps:
//
//   Begin, AddCloth ...    the description: pointers to meshes and shapes, particles that stitches join
//   Look, IsFree           adaptation asks which changes of a mesh would pass through something
//   Prepare                gathers all vertices and elements, finds contact points for the solver, and crossings
//   PointsAt, Remember     each substep reads the points and stores their friction states
//   Resolve                after the solve: the same gathered elements with the new ends of their ways; stops impacts
//   Cross, Untangle        crossings of everything described, and their removal
//
// Pipeline: broad/ finds pairs of elements, narrow/ tests them, response/ resolves impacts, untangle/ removes crossings
// that exist. Results do not depend on the number of threads.

enum
{
	contactNotSolved = UINT8_MAX,
};

// Colliders of the step under way. The arrays are the caller's and stay as they are until the next description.
typedef struct ContactScenery
{
	const Collider* colliders;
	uint32_t colliderCount;
	const MeshCollider* meshes;
	uint32_t meshCount;
	uint32_t revision; // raised when a collider is created, removed, moves or stops
	// For a part of the colliders: the body of each, shapes first, in ascending order. NULL if collider i is body i.
	const uint32_t* bodies;
} ContactScenery;

// A cloth as contact sees it. The caller owns everything that the pointers name.
typedef struct ContactCloth
{
	BroadPhaseCloth* broadPhase; // kept from step to step
	const PatternMesh* pattern;
	ActiveMesh* mesh;       // Resolve changes its positions and velocities
	uint64_t name;          // the same from step to step, and of no other cloth
	uint32_t slot;          // the caller's number for it
	PinchState* pinch;      // per particle: whether it is inside colliders or pinched; may be NULL
	PassedVertices* passed; // vertices of meshes on its wrong side; NULL if pinch is
	float thickness;        // m; the stage uses as much of it as the mesh can carry (thickness.h)
	float yieldStretch;     // length over rest length above which edges yield to colliders (response/pinch.h), > 1
	float friction;         // coefficient
	// Factors of thickness and friction by particle; NULL for 1.
	const float *thicknessFactor, *frictionFactor;
	float leastFactor; // the smallest factor of the thickness, at most 1; set by the stage
	uint8_t system;         // index among the cloths that are solved together; contactNotSolved for others
	bool hasAllContact;     // false: only crossing queries and untangling see it
	ContactFilter filter;
	const ContactScenery* seen; // the colliders that its filter lets it touch; NULL for all
} ContactCloth;

// A triangle that adaptation has left in the present pass.
typedef struct SweptTriangle
{
	uint32_t cloth; // index of the description
	Vec3 corner[3];
	uint32_t particle[3];
	Kdop bounds; // a box
} SweptTriangle;

// Zeroed, it is empty.
typedef struct ContactStage
{
	ARRAY(ContactCloth) cloths; // the description
	ContactScenery scenery;
	TaskPool* tasks;
	Deadline* deadline; // tested in long loops; NULL for none
	float thickness;    // m, the largest of a cloth with all contact
	StitchedVertices stitched;

	BroadPhase broadPhase;      // colliders first, then cloths with all contact
	uint32_t colliderBodies;    // number of bodies that are colliders
	uint32_t gatheredScenery;   // revision of those
	bool isGathered;            // cloths are in the broad phase, at the beginning of their ways
	bool hasLooked;             // trees are in step with the meshes, but for those adapted since
	uint32_t gathers;           // number of gathers since the stage was created
	ARRAY(SweptTriangle) swept; // since Look

	Proximities proximities;
	ContactCache cache;
	ARRAY(ContactPoint) points;       // when the step begins
	ARRAY(ContactPoint) pointsNow;    // in a substep
	uint32_t bodyOfSystem[UINT8_MAX]; // body of the cloth of a system

	BitSet crossing;        // over gathered vertices: corners of cloth triangles that cross mesh colliders
	bool hasCrossing;       // some do
	BitSet crossedElements; // over gathered elements: those of meshes that a cloth crosses; scratch
	bool hasPinched;        // particles were pinched at the start of the step
	bool hasPassed;         // vertices of meshes are on the wrong side of a cloth
	uint32_t crossings; // pairs of triangles of cloths, and of cloths and colliders, that cross when the step begins
	Recovery recovery;  // of cloths that cross cloths
	ImpactSolver impacts;
	ImpactResult impactResult; // result of the last step
	ARRAY(Vec4) velocity;      // scratch, one per gathered vertex
	ARRAY(float) quiet;        // scratch, per chunk
} ContactStage;

void drapeContactStage_Destroy(ContactStage* stage);

// --- description ----------------------------------------------------------------------------------------------------

void drapeContactStage_Begin(ContactStage* stage, const ContactScenery* scenery, TaskPool* tasks);

// False when out of memory.
bool drapeContactStage_AddCloth(ContactStage* stage, const ContactCloth* cloth);

// Removes all stitches from the description. Adaptation changes particles: describe stitches again before each Look.
void drapeContactStage_ForgetStitches(ContactStage* stage);

// Contact ignores elements that this joins. False when out of memory.
bool drapeContactStage_AddStitch(ContactStage* stage, StitchedParticles pair);

// Index of the cloth with this slot, DRAPE_NONE when it is not described.
uint32_t drapeContactStage_FindCloth(const ContactStage* stage, uint32_t slot);

// --- adaptation -----------------------------------------------------------------------------------------------------

// Before a cloth is adapted: brings the trees of all cloths in step with their meshes. The first call after a
// description fits all trees; later ones fit only those of cloths that were adapted since. False when out of memory.
bool drapeContactStage_Look(ContactStage* stage);

// True when a sweep of a cloth's surface touches no cloth and no collider, as they were at Look, nor what earlier
// changes since then have left. The sweep then counts as made.
bool drapeContactStage_IsFree(ContactStage* stage, uint32_t cloth, const SurfaceSweep* sweep);

// --- the step -------------------------------------------------------------------------------------------------------

// Before the solve: gathers cloths and colliders, finds the contact points, the crossings, and how cloths that cross come
// apart (untangle/recovery.h). False when out of memory. A step that is cancelled gets no contact points.
bool drapeContactStage_Prepare(ContactStage* stage, float dt);

// Removes the contact points of a cloth or a collider that is destroyed between two steps.
void drapeContactPoints_Forget(ContactStage* stage, ContactSide side);

// The contact points as a substep sees them that goes from one fraction of the step to another, with the cloths where
// they are now. Valid until the next call.
const ContactPoint* drapeContactStage_PointsAt(ContactStage* stage, float fromFraction, float toFraction);

// After the solve: moves cloths apart that cross, then stops impacts on the way from the beginning of the step to the present positions. Changes positions
// and velocities of cloths. False when out of memory; nothing has changed then.
bool drapeContactStage_Resolve(ContactStage* stage, float dt);

// True when Resolve has moved a particle of the cloth of this body.
DRAPE_INLINE bool ContactStage_WasMoved(const ContactStage* stage, uint32_t body, uint32_t particle)
{
	return ImpactSolver_Moved(&stage->impacts, stage->broadPhase.bodies.bodies.data[body].vertexStart + particle);
}

// --- crossings ------------------------------------------------------------------------------------------------------

// Fills an empty tangle with everything described, as it is now: surfaces are the cloths in their order and the mesh
// colliders in theirs, solids the other colliders. The tangle is valid until the next description. False when out of
// memory; destroy the tangle all the same.
bool drapeContactStage_GatherTangle(ContactStage* stage, Tangle* tangle);
