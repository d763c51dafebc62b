// SPDX-License-Identifier: MIT
#pragma once

#include "base/cancel.h"

// The allowance of a step: a budget of wall-clock time, of counted work, of both or of none, and the request to cancel
// the step. Long loops of optional work (iterations, repetitions, rounds) make one test for all of these.
//
// All amounts are shares of the budget, so that time and work need no cases: 0 when the step begins, 1 when a budget is
// used up. Without a budget nothing is ever used. Work is counted in operations, about one processor instruction each,
// from the sizes of loops. Such counts are the same for any machine and any number of threads. Only the thread that
// makes the step uses a deadline, except for the cancel flag. A function that takes a deadline accepts NULL for none.

// Operations per item.
typedef enum WorkCost
{
	workIteration = 500, // a particle in an iteration of conjugate gradients
	workAssembly = 1200, // a triangle in the assembly of a system
	workForces = 300,    // a triangle in an explicit substep
	workCollide = 1500,  // a particle that is tested against colliders
	workElement = 1000,  // a triangle of cloth in the broad phase
	workPair = 200,      // a pair of triangles in the narrow phase
	workRound = 20,      // a pair or a triangle in a round of impacts, which tests changed ones only
	workImpact = 3000,   // an impact that is found
	workVisit = 60,      // a visit of a constraint by the solver of impacts
	workAdapt = 200,     // a triangle in an adaptation pass
	workSweep = 40000,   // a particle that adaptation removes, tested against everything near it
	workFollow = 3000,   // a triangle of a changed mesh, for model and solver
	workNormals = 100,   // a triangle in the computation of normals
} WorkCost;

typedef struct Deadline
{
	CancelFlag cancel;
	uint64_t begin;       // drapeTimer_Now when the step began
	double perNanosecond; // share of the time budget; 0 without one
	double perOperation;  // share of the work budget; 0 without one
	uint64_t operations;  // counted since the step began
	double end;           // share up to which optional work may go on; INFINITY without a budget
	double optional;      // share that optional work has used
	double missed;        // estimated share that optional work would have used if it had not been cut
	uint32_t cuts;        // times that optional work was cut
} Deadline;

// Begins a step. 0 ms and 0 operations stand for no such budget.
void drapeDeadline_Begin(Deadline* deadline, double milliseconds, double operations);

// Ends the step: from now on there is no budget. Counts stay.
void drapeDeadline_End(Deadline* deadline);

DRAPE_INLINE bool Deadline_HasBudget(const Deadline* deadline)
{
	return deadline && (deadline->perNanosecond > 0.0 || deadline->perOperation > 0.0);
}

DRAPE_INLINE bool Deadline_IsCancelled(const Deadline* deadline)
{
	return deadline && CancelFlag_IsSet(&deadline->cancel);
}

// The share of the budget used so far: the larger of time and work.
double drapeDeadline_Used(const Deadline* deadline);

// Counts work.
DRAPE_INLINE void Deadline_Count(Deadline* deadline, WorkCost cost, uint64_t items)
{
	if (deadline)
		deadline->operations += (uint64_t)cost * items;
}

// Returns whether optional work that uses this share of the budget ends in time.
bool drapeDeadline_Fits(const Deadline* deadline, double share);

// The test of loops. Returns whether optional work must stop: it is cancelled, or `share` does not fit. Counts a cut
// in the second case.
bool drapeDeadline_Stops(Deadline* deadline, double share);

// A point in time of a step.
typedef struct DeadlineMark
{
	double used, optional; // shares
} DeadlineMark;

DeadlineMark drapeDeadline_Mark(const Deadline* deadline);

// Notes that all work since the mark was optional.
void drapeDeadline_SetOptional(Deadline* deadline, DeadlineMark since);

// Returns the share of the budget used since the mark, without optional work.
double drapeDeadline_Needed(const Deadline* deadline, DeadlineMark since);

// Notes that optional work was cut that would have used a share of the budget.
DRAPE_INLINE void Deadline_AddMissed(Deadline* deadline, double share)
{
	if (Deadline_HasBudget(deadline))
		deadline->missed += share;
}
