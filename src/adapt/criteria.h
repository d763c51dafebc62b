// SPDX-License-Identifier: MIT
#pragma once

#include "adapt/adapt.h"
#include "adapt/mean_curvature.h"
#include "adapt/obstacles.h"
#include "adapt/split_join_hysteresis.h"
#include "adapt/sleep.h"
#include "base/tasks.h"
#include "drape/adapt.h"

// Criteria: one pass over the active edges says which should split, one over the particles which split edges should
// rejoin (Simnett 2012, 3.4.2 to 3.4.4, 5.5.1, 6.2.5). Curvature and length are tested eight edges at a time; callbacks
// run afterwards, only for what is still undecided. Results are bits, so that they do not depend on the number of
// threads. Mean curvature asks for triangles as a whole (Bender and Deul 2012, section 5).
//
// A particle with two parents stands for the edge between them, one with three for the three edges of a triangle: each
// of these pairs must agree before it goes.

typedef struct Criteria
{
	BitSet split;     // over edges
	BitSet refine;    // over triangles
	BitSet join;      // over particles
	BitSet attempt;   // over particles: their wait is over
	BitSet undecided; // over particles: of those, the ones that callbacks have a say in
	BitSet visible;   // over particles
	BitSet invisible; // over edges: neither end is visible
	bool refines;     // `refine` has been filled
	MeanCurvature meanCurvature;
	SplitJoinHysteresis hysteresis; // kept from pass to pass
	Sleep sleep;                    // its limits as well
	Obstacles obstacles;            // as well; answers for drapeCollisionCriterion::inside where its owner lets it
} Criteria;

void drapeCriteria_Destroy(Criteria* criteria);

// True when the definition can be used; else `reason` (may be NULL) is set to a static sentence.
bool drapeCriteria_IsValid(const drapeAdaptDef* def, const char** reason);

// Fills the bits for the active mesh as it is. `triangles` has its triangles in colours; it may be NULL, see
// mean_curvature.h. False when memory is short: nothing then has changed.
// Counts joinWait of the particles down and sleepPasses up, which are the only changes it makes to the mesh.
bool drapeCriteria_Evaluate(Criteria* criteria, const drapeAdaptDef* def, ActiveMesh* active,
                            const ColorGraph* triangles, TaskPool* tasks);

// The deepest level that a scheme reaches: the square-root-3 scheme has even ones only.
uint32_t drapeCriteria_MaxLevel(const drapeAdaptDef* def);

// Puts the waits back to what they were before drapeCriteria_Evaluate, when the pass it was for could not be made.
void drapeCriteria_Revert(const Criteria* criteria, ActiveMesh* active);

// After a pass that was made, and whether it changed the mesh: the waits of the particles that it gave birth to.
void drapeCriteria_Follow(Criteria* criteria, const drapeAdaptDef* def, ActiveMesh* active, bool hasChanged);

// The request that these bits make.
AdaptRequest drapeCriteria_Request(const Criteria* criteria, const drapeAdaptDef* def);
