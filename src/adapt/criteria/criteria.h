// SPDX-License-Identifier: MIT
#pragma once

#include "adapt/adapt.h"
#include "adapt/criteria/mean_curvature.h"
#include "adapt/criteria/obstacles.h"
#include "adapt/criteria/split_join_hysteresis.h"
#include "adapt/criteria/sleep.h"
#include "base/tasks.h"
#include "drape/adapt.h"

// Criteria decide which active edges a pass splits and which particles it removes (Simnett 2012, 3.4.2 to 3.4.4, 5.5.1,
// 6.2.5). criterion.h has one row per criterion. One parallel loop runs over the active edges, one over the particles;
// both test eight at a time. Callbacks run afterwards, only for what is still undecided. Results are bits, so that they
// do not depend on the number of threads. Mean curvature asks for whole triangles (Bender and Deul 2012, section 5).
//
// A particle with two parents stands for the edge between them, a particle with three parents for the three edges of a
// triangle. The criteria must agree on every such pair before the particle is removed.

typedef struct Criteria
{
	BitSet split;     // over edges: should be split
	BitSet refine;    // over triangles: should be refined as a whole
	BitSet join;      // over particles: should be removed
	BitSet attempt;   // over particles: their wait is over
	BitSet undecided; // over particles: the part of `attempt` that callbacks decide about
	BitSet visible;   // over particles
	BitSet invisible; // over edges: neither end is visible
	BitSet boundary;  // over particles; filled when a criterion or the cap on triangles needs it
	BitSet covered;   // over particles: beside finer triangles; filled by the cap on triangles
	bool refines;     // `refine` has been filled
	bool unblocks;    // a criterion asks for splits that also split the neighbours that block them
	MeanCurvature meanCurvature;
	SplitJoinHysteresis hysteresis; // kept from pass to pass
	Sleep sleep;                    // kept from pass to pass
	Obstacles obstacles; // kept from pass to pass; remembers the answers of drapeCollisionCriterion::inside when the
						 // world allows it
} Criteria;

void drapeCriteria_Destroy(Criteria* criteria);

// True when the definition can be used; else `reason` (may be NULL) is set to a static sentence.
bool drapeCriteria_IsValid(const drapeAdaptDef* def, const char** reason);

// Refuses a definition that cannot be used.
drapeResult drapeCriteria_Check(const drapeAdaptDef* def, const char* prefix, drapeMessage* message);

// True when drapeCriteria_Evaluate works in parallel only with the triangles of the mesh in colours.
bool drapeCriteria_NeedColors(const drapeAdaptDef* def);

// Fills the bits for the active mesh as it is. `triangles` has its triangles in colours; NULL is allowed, see
// mean_curvature.h. The only changes to the mesh: joinWait of the particles counts down and sleepPasses counts up.
// False when out of memory: nothing has changed.
bool drapeCriteria_Evaluate(Criteria* criteria, const drapeAdaptDef* def, ActiveMesh* active,
                            const ColorGraph* triangles, TaskPool* tasks);

// The deepest level that a scheme refines to: the square-root-3 scheme has even ones only.
uint32_t drapeCriteria_MaxLevel(const drapeAdaptDef* def);

// Undoes the changes of drapeCriteria_Evaluate to the waits when the pass that followed it failed.
void drapeCriteria_Revert(const Criteria* criteria, ActiveMesh* active);

// Ends a pass that succeeded: sets the waits of the particles that it created. `hasChanged`: the mesh has changed.
void drapeCriteria_Follow(Criteria* criteria, const drapeAdaptDef* def, ActiveMesh* active, bool hasChanged);

// The request to the scheme that the bits make.
AdaptRequest drapeCriteria_Request(const Criteria* criteria, const drapeAdaptDef* def);
