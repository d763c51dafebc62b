// SPDX-License-Identifier: MIT
#include "adapt/budget.h"

static const float degree = 0.0174532925f;

// The splitting angle is this much above the joining angle: four degrees work well (Simnett 2012, 5.5.2), less when the
// angles themselves are small.
static float SplitAngle(float joinAngle)
{
	return joinAngle + fminf(4.0f * degree, 0.5f * joinAngle);
}

bool Budget_IsValid(const drapeBudgetDef* def, const char** reason)
{
	const struct
	{
		bool holds;
		const char* reason;
	} rules[] = {
		{def->milliseconds >= 0.0f && def->milliseconds < 1e6f, "the time budget must not be negative"},
		{def->nearDistance >= 0.0f && def->farDistance >= 0.0f && def->farDistance < 1e9f,
	     "budget distances must not be negative"},
		{def->farDistance == 0.0f || def->farDistance > def->nearDistance, "farDistance must be beyond nearDistance"},
		{def->farShare >= 0.0f && def->farShare <= 1.0f, "farShare must be between 0 and 1"},
	};
	for (size_t i = 0; i < sizeof rules / sizeof rules[0]; ++i)
	{
		if (!rules[i].holds)
		{
			if (reason)
				*reason = rules[i].reason;
			return false;
		}
	}
	return true;
}

bool Budget_IsOn(const Budget* budget)
{
	return budget->def.triangles > 0 || budget->def.milliseconds > 0.0f;
}

// 1 up to the near distance, farShare from the far distance on, linear between.
static float DistanceShare(const drapeBudgetDef* def, float distance)
{
	if (def->farDistance <= 0.0f)
		return 1.0f;
	float t = (distance - def->nearDistance) / (def->farDistance - def->nearDistance);
	t = fminf(fmaxf(t, 0.0f), 1.0f);
	return 1.0f + t * (def->farShare - 1.0f);
}

static float TargetTriangles(const Budget* budget, float distance)
{
	const drapeBudgetDef* def = &budget->def;
	float share = DistanceShare(def, distance), target = def->triangles > 0 ? (float)def->triangles : INFINITY;
	if (def->milliseconds > 0.0f && budget->costPerTriangle > 0.0f)
		target = fminf(target, def->milliseconds / budget->costPerTriangle);
	// A share of nothing asks for as few as can be; zero times an unknown target, too.
	return fmaxf(share * target, 1.0f);
}

void Budget_Apply(Budget* budget, float distance, drapeAdaptDef* adapt)
{
	if (!Budget_IsOn(budget))
		return;
	if (budget->joinAngle == 0.0f)
		budget->joinAngle = adapt->curvature.enabled ? adapt->curvature.joinAngle : 7.0f * degree;
	budget->target = TargetTriangles(budget, distance);
	adapt->curvature.enabled = true;
	adapt->curvature.joinAngle = budget->joinAngle;
	adapt->curvature.splitAngle = SplitAngle(budget->joinAngle);
}

void Budget_Learn(Budget* budget, uint32_t triangles)
{
	if (!Budget_IsOn(budget) || !isfinite(budget->target))
		return;
	float difference = (budget->target - (float)triangles) / budget->target;
	budget->angles[budget->next] = budget->joinAngle;
	budget->weights[budget->next] = 1.0f / (0.02f + fabsf(difference));
	budget->next = (budget->next + 1) % budgetMemory;
	budget->count = budget->count < budgetMemory ? budget->count + 1 : budgetMemory;
	float sum = 0.0f, weight = 0.0f;
	for (uint32_t i = 0; i < budget->count; ++i)
	{
		sum += budget->weights[i] * budget->angles[i];
		weight += budget->weights[i];
	}
	// Too few triangles ask for a smaller angle. One pass changes the mesh by one level only, so the correction is held
	// back.
	float correction = fminf(fmaxf(-0.5f * difference, -0.3f), 0.3f);
	float angle = sum / weight + correction * budget->joinAngle;
	budget->joinAngle = fminf(fmaxf(angle, 0.05f * degree), 80.0f * degree);
}

void Budget_AddCost(Budget* budget, float milliseconds, uint32_t triangles)
{
	if (budget->def.milliseconds <= 0.0f || triangles == 0)
		return;
	float cost = milliseconds / (float)triangles;
	budget->costPerTriangle += (budget->costPerTriangle == 0.0f ? 1.0f : 0.1f) * (cost - budget->costPerTriangle);
}
