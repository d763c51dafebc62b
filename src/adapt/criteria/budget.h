// SPDX-License-Identifier: MIT
#pragma once

#include "adapt/adapt.h"
#include "base/checks/message.h"
#include "drape/cloth.h"

// Controls the number of triangles, or the cost of a step, by the curvature thresholds (Simnett 2012, 5.5.2).
//
// The thesis controls the angle by a weighted mean of the last ten, corrected by the error of the count. That needs
// seconds to settle, because the effect of an angle is unknown. Here a histogram of the curvature of all edges
// predicts, for every angle, the number of splits and joins. The budget chooses the angle whose predicted change halves
// the distance to the target. The fraction of requests that the scheme performs is learnt from earlier passes.
//
// The cost per triangle converts a budget of time or work into a triangle budget. A budget is a limit, so that the cost
// is the mean over steps plus two standard deviations. It includes the work that the deadline of the step cut
// (base/deadline.h): otherwise a cloth with too many triangles would seem to cost just as much as it may. Costs rise
// quickly and fall slowly: a cloth sheds triangles at once when a step takes too long, and gets them back over seconds.
// Adaptation passes are no part of that cost. A pass has to fit into a step beside it. A budget replaces the accuracy
// criterion.

enum
{
	budgetBins = 512
};

// Cost per triangle: of time in ms, of work in millions of operations.
typedef struct CostMeter
{
	float mean, deviation; // smoothed; 0 before the first measurement
	float sum, squares;    // per triangle, over the steps since the last update
} CostMeter;

typedef struct Budget
{
	drapeBudgetDef def;
	float joinAngle; // radians, of the last pass
	float target;    // triangles
	float distance;  // m, from the camera, of the last pass
	CostMeter time, work;
	uint32_t periodSteps;               // since the last update
	float splitYield, joinYield;        // performed fraction of the requests, smoothed; 0 before the first pass
	uint32_t splitsWanted, joinsWanted; // number of requests in the last prediction
	float pass;                         // cost of a pass over that of a step at the limit
	uint32_t leftOut;                   // passes since the last one that was worthwhile
} Budget;

drapeResult drapeBudget_Check(const drapeBudgetDef* def, const char* prefix, drapeMessage* message);
bool drapeBudget_IsOn(const Budget* budget);

// Learns the costs that were added, and sets the target.
void drapeBudget_Update(Budget* budget);

// Replaces the curvature thresholds of a pass. `distance` is the distance from the camera, m.
void drapeBudget_Apply(Budget* budget, const ActiveMesh* active, float distance, drapeAdaptDef* adapt);

// Learns from the result of a pass.
void drapeBudget_Learn(Budget* budget, const AdaptCounts* counts);

// Returns whether a pass is left out because it would change too little for its cost: with a limit only. A pass that was
// left out too often runs all the same.
bool drapeBudget_LeavesOut(Budget* budget, uint32_t asked, uint32_t triangles);

// Adds the cost of a step without adaptation: ms, and millions of operations.
void drapeBudget_AddCost(Budget* budget, float milliseconds, float work, uint32_t triangles);
