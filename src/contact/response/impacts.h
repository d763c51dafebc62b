// SPDX-License-Identifier: MIT
#pragma once

#include "base/bitset.h"
#include "base/deadline.h"
#include "base/tasks.h"
#include "contact/response/kinematic_maps.h"
#include "contact/narrow/continuous.h"
#include "contact/narrow/narrow.h"

// Impact response: moves the ends of trajectories until no features of bodies pass through each other within a step.
//
// The solver works in rounds. Each round finds every impact of the current trajectories (continuous.h) and makes a
// constraint of it: at the end of the step the closest points must be a gap apart along the normal of the impact. The
// round then satisfies all constraints so far in turn, each by the smallest motion for its masses: inelastic impulses
// with Coulomb friction (Bridson, Fedkiw and Anderson 2002; Harmon et al. 2008 keep the constraints of earlier rounds).
// Most impacts settle within a few rounds. The others form impact zones (Provot 1997): their vertices return to their
// start, or follow the kinematic map of the geometry that hits them (kinematic_maps.h), and stay frozen. Each further
// round adds vertices to the zones until no impact is left. With all vertices back at their start, or all of them on
// one kinematic map, there is none. So the rounds always end, and geometry that starts apart ends apart, unless it is
// caught between kinematic geometry that moves differently.
//
// Vertices that are caught may escape when everything moves a little at a time: the solver repeats the step in slices.
// If that fails, it repeats the step without the impacts of the stuck vertices of colliders, then without those of the
// caught vertices of cloths: colliders pass through. While cloth is pinched or parts of a mesh squeeze it, this comes
// first: zones would grow over the whole cloth and tear it. The caller filters impacts of pinched cloth
// (ImpactDef::frees). Impacts of cloth with cloth are never left: if all else fails, every vertex stays at its start.
// Work is bounded: zones grow faster and faster, and corrections end after a number of visits per vertex.
//
// Results do not depend on the number of threads.

typedef struct ContactConstraint
{
	uint32_t vertex[4];
	float weight[4]; // as those of Impact
	Vec3 normal;     // unit
	float target;    // m: lower bound of the weighted sum of ends along the normal
	float friction;
	float pushed, dragged; // m: corrections so far, along the normal and by friction
	float time;            // time of the impact
	float slack;           // m: tolerance of the target
} ContactConstraint;

typedef ARRAY(ContactConstraint) ContactConstraints;

typedef struct ImpactSolver
{
	ContactConstraints constraints; // constraints of all rounds
	ChunkList found;                // constraints of this round
	ARRAY(uint8_t) state;           // per vertex: impactMoved, impactWasFrozen, and the solver's own flags
	ARRAY(Vec4) began, wanted;      // per vertex: its trajectory before the first correction
	ARRAY(Vec4) target;             // per vertex: where the slices move it
	bool isSliced;                  // starts where the last slice ended
	bool isPartial;                 // the slice ends before the step does
	ARRAY(Vec4) collected;          // per vertex: its end when the broad phase ran
	KinematicMaps kinematicMaps;    // maps of kinematic and frozen vertices
	bool hasMaps;                   // the kinematic maps have been found
	uint32_t work;                  // visits of constraints in this attempt
	BitSet released;                // over vertices: kinematic geometry may pass through them
	bool hasReleased;               // some are
	bool releasesEarly;             // vertices of colliders are released instead of growing zones around them
	bool hasReleasedEarly;          // it did so
	bool releasesColliders;         // impacts that stay unresolved release vertices of colliders, not of cloths
	BitSet grown;                   // over vertices, scratch: the last ring added them to a zone
	BitSet changed;                 // over vertices, since the last round
	bool allChanged;                // all of them did
	uint32_t firstVertex;           // of cloths
	uint32_t firstElement;          // likewise
	ARRAY(uint8_t) hasChanged;      // per element: one of its vertices changed
	bool outOfMemory;               // while impacts were collected
} ImpactSolver;

typedef struct ImpactResult
{
	uint32_t rounds, impacts; // totals
	uint32_t frozen;          // vertices of impact zones
	uint32_t kinematic;       // impacts left because every participant is kinematic
	uint32_t released;        // vertices of cloths and colliders that were released
	uint32_t unresolved;      // sum of both
	bool outOfMemory;         // memory ran out: nothing was changed
} ImpactResult;

// The interface to the broad phase.
typedef struct ImpactDef
{
	ContactBodies* bodies;
	// Finds all pairs of elements whose trajectories may come within the gap. The solver calls it again when it moved
	// vertices beyond the margin. Returns false when out of memory.
	bool (*collect)(const ContactBodies* bodies, ElementPairs* pairs, void* context);
	void* context;
	ElementPairs* pairs;
	// Moves the end of a vertex out of shapes that the elements do not cover. Returns whether it moved. NULL for none.
	bool (*keepOut)(uint32_t vertex, Vec3* end, void* context);
	// Returns whether an impact must not be stopped: it would hold cloth in a knot. `normal` points from the feature's
	// last vertex to its first. NULL for none.
	bool (*frees)(const ContactFeature* feature, Vec3 normal, const void* context);
	Deadline* deadline; // NULL for none. Late, rounds go straight to carried zones; cancelled, the result is unusable
	bool isPinched;     // cloth is pinched: release vertices of colliders instead of growing impact zones around them
	bool isSqueezed;    // likewise, and before zones are carried: parts of a mesh leave cloth a narrow gap
	float margin;       // m: how far a correction may move a vertex before the broad phase runs again
	TaskPool* tasks;
} ImpactDef;

void drapeImpactSolver_Destroy(ImpactSolver* solver);

// Moves the ends in bodies->to. The constraints of all impacts stay in the solver, for the velocities.
ImpactResult drapeImpactSolver_Resolve(ImpactSolver* solver, const ImpactDef* def);

// Removes from the velocities, by vertex, the approach along the constraints, with friction.
void drapeImpactSolver_StopVelocities(const ImpactSolver* solver, const ContactBodies* bodies, Vec4* velocity);

enum
{
	impactMoved = 1 << 0,
	impactWasFrozen = 1 << 7,
};

// Returns whether a correction moved the vertex.
DRAPE_INLINE bool ImpactSolver_Moved(const ImpactSolver* solver, uint32_t vertex)
{
	return (solver->state.data[vertex] & impactMoved) != 0;
}

// Returns whether the vertex was part of an impact zone.
DRAPE_INLINE bool ImpactSolver_WasFrozen(const ImpactSolver* solver, uint32_t vertex)
{
	return (solver->state.data[vertex] & impactWasFrozen) != 0;
}
