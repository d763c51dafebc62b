// SPDX-License-Identifier: MIT
#pragma once

#include "adapt/adapt.h"
#include "drape/cloth.h"

// Holds the number of triangles, or the cost of a step, by moving the curvature thresholds (Simnett 2012, 5.5.2): after
// each pass the joining angle goes into a weighted mean of the last ten, weighted by how near its result was to the
// target, and is corrected by the relative difference. A time budget is turned into a triangle budget by the measured
// cost per triangle.

enum
{
	budgetMemory = 10,
};

typedef struct Budget
{
	drapeBudgetDef def;
	float joinAngle; // radians; 0 before the first use
	float angles[budgetMemory], weights[budgetMemory];
	uint32_t count, next;  // in the ring
	float costPerTriangle; // ms, smoothed; 0 before the first measurement
	float target;          // triangles, at the last pass
} Budget;

bool Budget_IsValid(const drapeBudgetDef* def, const char** reason);
bool Budget_IsOn(const Budget* budget);

// Replaces the curvature thresholds of a pass. `distance` is that from the camera, m.
void Budget_Apply(Budget* budget, float distance, drapeAdaptDef* adapt);

// What the pass led to.
void Budget_Learn(Budget* budget, uint32_t triangles);

// What a step cost.
void Budget_AddCost(Budget* budget, float milliseconds, uint32_t triangles);
