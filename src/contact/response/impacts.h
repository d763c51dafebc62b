// SPDX-License-Identifier: MIT
#pragma once

#include "base/bitset.h"
#include "base/tasks.h"
#include "contact/response/kinematic_maps.h"
#include "contact/narrow/continuous.h"
#include "contact/narrow/narrow.h"

// Nothing passes through anything: where features of bodies would meet during a step, the ends of their ways are moved
// until they no longer do.
//
// In rounds. Each finds every impact of the ways as they are (continuous.h) and makes a constraint of it: at the end of
// the step, along the normal of the impact, the closest points are to be a gap apart. All constraints so far are then
// satisfied in turn, each by the least motion for the masses involved: inelastic impulses with Coulomb friction
// (Bridson, Fedkiw and Anderson 2002; Harmon et al. 2008 for keeping the constraints of earlier rounds). Few rounds
// settle most. What has not settled then is taken together as zones (Provot 1997): their vertices go back to where the
// step began, or go along with what hits them, by its turn and all (kinematicMaps.h), and stay there. Each further round
// adds to them until nothing meets; with everything back, or everything along with one thing, nothing does. So it
// always ends, and what starts apart ends apart, unless it is caught between things that are told to go different ways.
//
// Where something is caught, all is done again with more rounds before anything is held, and then in slices of the
// step. What is still caught is counted.
//
// Results do not depend on the number of threads.

typedef struct ContactConstraint
{
	uint32_t vertex[4];
	float weight[4]; // as those of Impact
	Vec3 normal;     // unit
	float target;    // m: sum of weights times ends along the normal, at least
	float friction;
	float pushed, rubbed; // m: so far, along the normal and across
	float time;           // of the impact
	float slack;          // m: missing the target by less is good enough
} ContactConstraint;

typedef ARRAY(ContactConstraint) ContactConstraints;

typedef struct ImpactSolver
{
	ContactConstraints constraints; // of all rounds
	ChunkList found;                // constraints of this round
	ARRAY(uint8_t) state;           // by vertex: impact..., and what is the solver's own
	ARRAY(Vec4) began, wanted;      // by vertex: its way before anything was moved
	ARRAY(Vec4) target;             // by vertex: where slices lead it
	ARRAY(Vec4) collected;          // by vertex: its end when pairs were collected
	KinematicMaps kinematicMaps;    // of what is told and what is held
	bool carries;                   // kinematicMaps have been looked for
	uint32_t patience;              // rounds before vertices are held
	bool isSliced;                  // goes on from where the slice before ended
	bool isOnTheWay;                // a slice ends before the step does
	BitSet changed;                 // over vertices, since the last round
	ARRAY(uint8_t) hasChanged;      // by element: it has one of these
	bool outOfMemory;               // of memory, while impacts were collected
} ImpactSolver;

typedef struct ImpactResult
{
	uint32_t rounds, impacts; // in all
	uint32_t frozen;          // vertices that had to be held
	uint32_t left;            // impacts that could not be resolved: between things that all go where they are told
	bool outOfMemory;         // memory ran out: nothing was changed
} ImpactResult;

// What the rounds need to know of the broad phase.
typedef struct ImpactDef
{
	ContactBodies* bodies;
	// Fills in all pairs of elements whose ways may come within the gap. Called again when vertices have been moved
	// out of the room that it was told to leave. False when memory is short.
	bool (*collect)(const ContactBodies* bodies, ElementPairs* pairs, void* context);
	void* context;
	ElementPairs* pairs;
	// Moves the end of a vertex out of what only vertices are kept out of; true when it had to be moved. NULL for none.
	bool (*keepOut)(uint32_t vertex, Vec3* end, void* context);
	float room; // m: how far a vertex's end may be moved before pairs are collected again
	TaskPool* tasks;
} ImpactDef;

void drapeImpactSolver_Destroy(ImpactSolver* solver);

// Moves the ends in bodies->to. Constraints of all impacts are left in the solver, for velocities.
ImpactResult drapeImpactSolver_Resolve(ImpactSolver* solver, const ImpactDef* def);

// Takes out of the velocities, by vertex as the ends, what approaches along the constraints, with friction.
void drapeImpactSolver_StopVelocities(const ImpactSolver* solver, const ContactBodies* bodies, Vec4* velocity);

enum
{
	impactMoved = 1 << 0,
	impactWasHeld = 1 << 7,
};

// Whether the vertex was moved.
DRAPE_INLINE bool ImpactSolver_Moved(const ImpactSolver* solver, uint32_t vertex)
{
	return (solver->state.data[vertex] & impactMoved) != 0;
}

// Whether it was held, or taken along by what hit it.
DRAPE_INLINE bool ImpactSolver_WasHeld(const ImpactSolver* solver, uint32_t vertex)
{
	return (solver->state.data[vertex] & impactWasHeld) != 0;
}
