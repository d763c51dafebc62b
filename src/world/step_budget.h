// SPDX-License-Identifier: MIT
#pragma once

#include "base/deadline.h"
#include "world/cloth.h"

// The budget of a step: how long its stages may take (base/deadline.h).
//
// The budgets of all cloths add up to the budget of the step. A cloth without a budget of time or of work may take as
// long as it needs, and so may the step.
//
// Work that every step needs is never cut: positions of colliders and pins, the search for contacts, one solve with a few
// iterations, the first round of impacts and the zones that end it, normals. The rest is optional: adaptation passes,
// further iterations, Newton iterations, substeps, repetitions and rounds. Stages end their optional work early enough
// for the work that must follow. The budget learns how much that is from the steps before, as a peak that decays, since a
// step that needs less than expected costs nothing.
//
//   |  adapt  |  find contacts, assemble  |  iterations  |  colliders, impacts  |  rounds  |  normals  |
//   0         if `pass` and `needed` fit                 1 - `tail` - reserve               1 - reserve 1

// Shares of the budget, learnt from the steps so far. Part of snapshots.
typedef struct StepBudget
{
	float tail;         // needed after the last solve
	float needed;       // needed by a step, without adaptation
	float pass;         // used by an adaptation pass, with the update of model and solver
	uint32_t postponed; // steps since a pass was due
	uint32_t barren;    // steps in which too many triangles are no reason for a pass, because the last removed none
} StepBudget;

// The step under way.
typedef struct StepUse
{
	DeadlineMark solved; // when the last solve ended
	double pass;         // share that adaptation has used
	double unplanned;    // share of the budgets of cloths that are not simulated yet
	float overrun;       // share that the step used beyond its budget
} StepUse;

void drapeStepBudget_Begin(drapeWorld* world);

// Returns whether an adaptation pass that is due fits into this step. A pass is postponed a bounded number of times.
bool drapeStepBudget_MayAdapt(drapeWorld* world);

// Notes that the work since the mark belongs to adaptation.
void drapeStepBudget_AddPass(drapeWorld* world, DeadlineMark since);

// Before cloths are simulated: each group of cloths gets its share of what is left.
void drapeStepBudget_BeginSolve(drapeWorld* world, Cloth* const* cloths, uint32_t count);
void drapeStepBudget_EndSolve(drapeWorld* world);

void drapeStepBudget_BeginImpacts(drapeWorld* world);

// Learns from the step, and tells the cloths their costs (adapt/criteria/budget.h).
void drapeStepBudget_End(drapeWorld* world);
