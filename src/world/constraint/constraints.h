// SPDX-License-Identifier: MIT
#pragma once

#include "base/array.h"
#include "drape/constraint.h"
#include "solve/constraint.h"
#include "world/constraint/anchor.h"
#include "world/cloth.h"
#include "world/vertex/skin.h"

// The constraints of a world: attachments, tethers and stitches.
//
//   anchor.h              points that colliders carry along
//   constraint_create.c   the public functions: creation, checks, queries
//   constraints.c         constraints in the step
//
// A constraint is stored by pattern points. When the mesh of a cloth has changed, drapeConstraints_Begin locates its
// points again. Each substep, drapeConstraints_Gather describes the constraints of the cloths in progress to the solver.

// The part of a constraint that a step changes.
typedef struct ConstraintRecord
{
	SurfaceAnchor anchor; // the second point, if it is not on a cloth; valid when bound
	float length;         // m: of a law that has a length
	float load;           // N: tension at the end of the last substep
	Vec3 force;           // N: on the first point
	float distance;       // m
	uint32_t isBound, isClosed, isBroken;
} ConstraintRecord;

typedef enum AnchorRule
{
	anchorPresent, // the position of the first point when the constraint is bound
	anchorAbove,   // `offset` above the nearest point of the collider
	anchorGiven,   // at `target`
} AnchorRule;

// Snapshots store these bytes: every field has four bytes, and creation sets all of them.
typedef struct StoredConstraint
{
	uint32_t generation; // generation of the slot; odd while in use
	drapeConstraintKind kind;
	uint32_t cloth1[2];         // slot of the cloth of each point + 1; 0 if the second point is kinematic
	drapePatternPoint point[2]; // points of these cloths
	uint32_t collider1;         // slot of the collider that carries the second point + 1; 0 for none
	uint32_t anchorRule;        // AnchorRule
	Vec3 target;                // m
	float offset;               // m
	float stiffness, damping;   // N/m, N s/m; INFINITY for hard
	float length;               // m; 0 for the distance when bound
	float speed, maxForce;      // m/s, N
	float breakDistance;        // m; INFINITY for never
	float start, end;           // s
	PatternLocation place[2];   // the points on the active meshes of placeRevisions
	uint32_t isLocated[2];      // in a snapshot: `place` is that on the mesh of the snapshot
	ConstraintRecord now;
} StoredConstraint;

// A limited pin of a cloth in progress.
typedef struct SolvedPin
{
	Cloth* cloth;
	uint32_t pin, particle;
} SolvedPin;

// Bits of entries that are no constraints of the list.
enum
{
	solvedPin = 1 << 30,
	solvedSkin = 1 << 29,
};

typedef struct WorldConstraints
{
	ARRAY(StoredConstraint) list;   // per slot
	ARRAY(ConstraintRecord) saved;  // per slot: when the step began
	ARRAY(void*) userData;          // per slot
	ARRAY(uint32_t) placeRevisions; // [2 * list.count] of the meshes on which points were located; 0 for none
	ARRAY(drapePatternPoint) asked; // scratch
	ARRAY(PatternLocation) located; // scratch
	ARRAY(PatternLocation) present; // [2 * list.count] scratch: the points on the present meshes
	ARRAY(uint32_t) relocated;      // slots whose points were located again in this step
	ARRAY(Constraint) solved;    // constraints of the substep: first those in the matrix, then those that are projected
	ARRAY(uint32_t) solvedSlots; // their slots; of others solvedPin or solvedSkin | their index
	ARRAY(SolvedPin) pins;       // limited pins of the substep
	ARRAY(SolvedSkin) skins;     // limits about skinned positions that may act in the substep
	uint32_t inMatrix;           // number of them in the matrix
} WorldConstraints;

void drapeConstraints_Destroy(WorldConstraints* constraints);

drapeConstraintId drapeConstraint_Id(const drapeWorld* world, uint32_t slot);
void drapeConstraints_Remove(WorldConstraints* constraints, uint32_t slot);

// After adaptation: locates points, binds constraints that start, and finds which cloths are linked. False when out of
// memory: nothing has changed.
bool drapeConstraints_Begin(drapeWorld* world);

// The points of all constraints on the present meshes, [2 * list.count]; an entry for a kinematic point has no meaning.
// May be called at any time, and changes no constraint. NULL when out of memory. Valid until the next call.
const PatternLocation* drapeConstraints_PresentLocations(drapeWorld* world);

// Takes the constraints of a cloth, or all of them when `cloth` is NULL, back to the beginning of the step.
void drapeConstraints_Undo(drapeWorld* world, const Cloth* cloth);

// Before a substep of the cloths in world->substeps. Memory was reserved by drapeConstraints_Begin.
void drapeConstraints_Gather(drapeWorld* world);

// After the solve of the substep: stores the forces of constraints in the matrix.
void drapeConstraints_StoreForces(drapeWorld* world);

// After integration: moves particles of constraints that are not in the matrix.
void drapeConstraints_Project(drapeWorld* world);

// At the end of the substep: distances, and constraints that break.
void drapeConstraints_Finish(drapeWorld* world);

// The energy in J that constraints of a cloth may add within a step of dt seconds.
double drapeConstraints_AllowedGain(const drapeWorld* world, const Cloth* cloth, float dt);

// Removes constraints on a cloth or collider that is destroyed.
void drapeConstraints_ForgetCloth(drapeWorld* world, uint32_t slot);
void drapeConstraints_ForgetCollider(drapeWorld* world, uint32_t slot);

// Before a snapshot is saved.
void drapeConstraints_MarkLocated(drapeWorld* world);

// Reserves memory for the constraints of a snapshot. False when out of memory.
bool drapeConstraints_ReserveLoaded(WorldConstraints* constraints, uint32_t count);

// After a snapshot was loaded.
void drapeConstraints_Replace(drapeWorld* world);

bool drapeConstraint_IsOn(const drapeWorld* world, const StoredConstraint* constraint);
