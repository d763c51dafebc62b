// SPDX-License-Identifier: MIT
#pragma once

// world — the public handles, and the step that runs the other modules in order.
//
//   world.c      worlds: threads, pools that cloths share, gravity, wind, camera, validation
//   handles.h    handles of public objects, and the table of worlds
//   cloth.h      cloths: pattern, scheme, active mesh; editing, views
//   pattern/     patterns that cloths share (pattern.h), and what they lend (cooked.h)
//   pins.h       particles that move as the application says
//   vertex/painted.h   values of the pattern's vertices: mass, thickness, friction, limits of motion; skinned positions
//   vertex/skin.h      limits of motion about skinned positions
//   constraints.h, anchor.h            attachments, tethers and stitches; points that colliders carry
//   scenery.h    motions and colliders (scenery.c, collider_mesh.c)
//   adaptation.c one adaptation pass of a cloth
//   step.c       the step: animate, adapt, simulate, contact, surface, publish
//   step_budget.h     how long the stages of a step may take
//   live/        settings that a living cloth can change (live.h), teleport.c, cloths at rest (cloth_sleep.h)
//   jumps.h      cloth on bodies that jump, and on frames, is carried along
//   guard.h      the simulate stage with undo, retries and the number of substeps
//   substeps.h   one substep: forces, integration, pins, stretch limit, colliders
//   query/touches.h   pairs that touch, and contact events
//   query/query.h     rays, closest points, boxes
//   history.h    positions and velocities before the last substep, for BDF2
//   contact_input.h   describes cloths and colliders to the contact stage (contact/contact_stage.h)
//   crossings.c, untangle.c            crossings, and their removal
//   state/       reading and copying the state: snapshot.c (the whole state as bytes), transfer.c (from one cloth to
//                another), stats.c (energies, stretch, times of the stages), inspect.c (contact points and collider
//                meshes, for drawing), evaluate.c (pattern points on the active mesh), cloth_columns.c (the
//                application's columns), vertices.c (vertices for a renderer)
//
// Handles are checked in one place each (drapeCloth_Get, drapeCollider_Get and their like). Public functions check
// their arguments and keep a sentence when they refuse one; other modules assert them.

#include "adapt/edge.h"
#include "base/tasks.h"
#include "contact/contact_stage.h"
#include "drape/world.h"
#include "world/cloth.h"
#include "world/constraint/constraints.h"
#include "world/handles.h"
#include "world/jumps.h"
#include "world/motions.h"
#include "world/scenery.h"
#include "world/step_budget.h"
#include "world/substeps.h"
#include "world/query/touches.h"

struct drapeWorld
{
	drapeWorldId id;
	drapeMessage message; // the last failure
	void* userData;
	TaskPool* tasks;
	EdgePools edgePools;
	ARRAY(Cloth*) cloths;      // per slot
	HandleTable pins, columns; // all cloths together
	MotionList motions;
	ARRAY(ColliderSlot) colliderSlots;
	ARRAY(Collider) colliders;           // per slot, used or not
	ARRAY(ColliderMesh*) colliderMeshes; // per slot; NULL for shapes
	ARRAY(Collider) liveColliders;       // shapes in use, in the order of their slots
	ARRAY(MeshCollider) liveMeshes;      // meshes in use, likewise
	uint32_t sceneryRevision;            // raised when a collider is created, removed, moves or stops
	uint32_t meshesRevision;             // raised when the list of meshes changes
	bool sceneryMoves;                   // a collider moves in this step
	ContactStage contact;
	PairForces pairForces; // forces at contact points and constraints
	WorldConstraints constraints;
	Jumps jumps;
	Touches touches;
	ARRAY(Cloth*) together;  // cloths that are solved together
	ARRAY(Substep) substeps; // one for each cloth that is simulated now
	ARRAY(ImplicitJob) jobs; // jobs for the same cloths
	Vec3 gravity;
	drapeWindDef wind;
	Vec3 camera;
	float adaptRate;                        // Hz
	double adaptPeriod;                     // s
	double time;                            // s
	double nextAdaptation;                  // s
	double animateMs, contactMs, publishMs; // stages of the last step, all cloths together
	drapeStepWarning warning;
	Deadline deadline; // of the step under way
	StepBudget budget;
	StepUse use;
};

// The gravity that acts on a cloth, m/s^2.
DRAPE_INLINE Vec3 Cloth_Gravity(const Cloth* cloth, const drapeWorld* world)
{
	return V3Scale(cloth->gravityScale, world->gravity);
}
