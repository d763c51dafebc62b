// SPDX-License-Identifier: MIT
#pragma once

#include "adapt/adapt.h"
#include "drape/cloth.h"

// Holds the number of triangles, or the cost of a step, by moving the curvature thresholds (Simnett 2012, 5.5.2).
//
// The thesis steers the angle by a weighted mean of the last ten, corrected by how far the count was off. That needs
// seconds to settle, since it does not know what an angle will do. But a histogram of the curvature of all edges does:
// it tells for every angle how many edges would split and how many rejoin. So the angle is chosen whose predicted
// change takes the count half-way to its target; how many of the wanted splits and joins the neighbourhood lets through
// is learnt from the passes before.
//
// A time budget becomes a triangle budget by the measured cost per triangle.

enum
{
	budgetBins = 512
};

typedef struct Budget
{
	drapeBudgetDef def;
	float joinAngle;                 // radians, of the last pass
	float target;                    // triangles, of the last pass
	float costPerTriangle;           // ms, smoothed; 0 before the first measurement
	float periodMs, periodTriangles; // summed over the steps since the last pass
	uint32_t periodSteps;
	float splitYield, joinYield;        // share of what was wanted that is done, smoothed; 0 before the first pass
	uint32_t splitsWanted, joinsWanted; // by the last prediction
} Budget;

bool drapeBudget_IsValid(const drapeBudgetDef* def, const char** reason);
bool drapeBudget_IsOn(const Budget* budget);

// Replaces the curvature thresholds of a pass. `distance` is that from the camera, m.
void drapeBudget_Apply(Budget* budget, const ActiveMesh* active, float distance, drapeAdaptDef* adapt);

// What the pass led to.
void drapeBudget_Learn(Budget* budget, const AdaptCounts* counts);

// What a step cost.
void drapeBudget_AddCost(Budget* budget, float milliseconds, uint32_t triangles);
