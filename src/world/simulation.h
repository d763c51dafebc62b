// SPDX-License-Identifier: MIT
#pragma once

#include "contact/response/passed.h"
#include "contact/response/pinch.h"
#include "base/bitset.h"
#include "contact/contact.h"
#include "model/model.h"
#include "solve/edge_limits.h"
#include "solve/implicit.h"
#include "solve/solve.h"
#include "world/vertex/painted.h"

// The state of a cloth that its substeps need besides the mesh.

// Energies and range of a cloth's numbers, for the guard against explosions.
typedef struct ClothSurvey
{
	double kinetic, gravity; // J
	bool isUsable;           // every coordinate and velocity is in range
} ClothSurvey;

// Remembers from step to step that a cloth needs more substeps than it would be given, such as a flag in a gale, so that
// not every step is made twice. Part of snapshots.
typedef struct SubstepMemory
{
	uint32_t needed;  // substeps of the last step that was repeated
	uint32_t urgency; // rises with every step that is repeated, falls with every other one
} SubstepMemory;

typedef struct ClothSimulation
{
	Model model;
	StretchLimit stretchLimit;
	EdgeLimits edgeLimits;
	ImplicitSolver implicit;
	drapeSolverDef solver;
	// Columns of the active mesh, of type Vec4 (Cloth_Rows). DRAPE_NONE for those of implicit integrators in cloths
	// that have an explicit one.
	uint32_t previous;                         // positions before a substep; scratch
	uint32_t previousVelocity;                 // implicit: before a substep; scratch
	uint32_t historyPosition, historyVelocity; // implicit: before the last substep, for BDF2
	uint32_t frictionState;                    // implicit: after the last substep, see implicit.h
	uint32_t pinch;                            // implicit, PinchState (contact/response/pinch.h)

	ARRAY(Vec4) unlimited;                          // positions before the stretch limit
	ARRAY(Vec4) scratch;                            // scratch of the integrator
	ARRAY(Vec4) target;                             // implicit: of pinned particles alone, where a substep ends
	ARRAY(Vec4) contactNormal, surfaceDisplacement; // implicit: of the colliders that particles touch
	ARRAY(Vec4) outside;                            // implicit: forces of the air, and drag
	SubstepMemory memory, savedMemory;              // the second: when the step began
	bool isPoor;                                    // implicit: a solve of this step missed its tolerance by far
	ARRAY(Vec4) savedPosition, savedVelocity;       // when the step began
	ARRAY(PinchState) savedPinch;                   // likewise
	ARRAY(SkinLoad) savedSkinLoad;                  // likewise; empty without skinned positions
	ARRAY(Vec4) savedFriction;                      // likewise, of implicit integrators
	PassedVertices passed;                          // vertices of mesh colliders on the wrong side of the cloth
	ARRAY(uint32_t) released;                       // particles with a depth in this substep; scratch
	ARRAY(Vec4) releasedRows;                       // their positions and velocities; scratch
	ARRAY(Vec4) savedBendSet;                       // likewise, by triangle; empty without bend friction
	ARRAY(float) stiffness;                         // scratch of the stability limit
	ARRAY(ClothSurvey) surveys;                     // one per chunk of particles
	MeshNearCache* near;                            // a column, valid during a step; see contact.h
	uint32_t nearRevision, nearMeshes;              // sceneryRevision and meshesRevision that it describes
	BitSet contacts;                                // over the particles: touched a collider in the last substep
	BitSet narrow;                                  // over the particles: surfaces close on them; scratch
	BitSet attached;                                // over the particles, of Substep::hasAttached; scratch
	float stableStep;                               // s, for the mesh of stableRevision
	uint32_t stableRevision;
	float previousStep;      // s, of the integrator: the last one; 0 when there is none
	float savedPreviousStep; // s, when the step began
} ClothSimulation;

// Times and counts of the last step.
typedef struct ClothCosts
{
	double adaptMs, simulateMs, surfaceMs; // stages
	double followMs, collideMs;            // parts of simulateMs
	uint32_t substeps, retries, contacts, splits, joins, joinsBlocked;
	uint32_t solves, iterations; // implicit: over all substeps
	uint32_t limitedEdges;       // implicit: edges that were beyond their limits (solve/edge_limits.h)
	uint32_t stuckEdges;         // edges that colliders moved beyond their limits again
	uint32_t freeLimitedEdges;   // those of them that touch no collider, pin or hard constraint
	uint32_t pinched;            // particles between colliders that leave no space
	bool isDamped, isHeld;       // the guard damped or held the cloth
	bool isCarried;              // it was carried along with a body or pins that jumped
} ClothCosts;
