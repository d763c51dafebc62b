// SPDX-License-Identifier: MIT
#include "adapt/criteria/budget.h"

#include "adapt/criteria/criteria.h"
#include "base/checks/parameters.h"

#include <string.h>

static const float degree = 0.0174532925f;

// The split angle is four degrees above the join angle (Simnett 2012, 5.5.2), or less when the angles are small.
static float SplitAngle(float joinAngle)
{
	return joinAngle + MinNumF(4.0f * degree, 0.5f * joinAngle);
}

#define BUDGET drapeBudgetDef

static const drapeParameter parameters[] = {
	PARAMETER_WHOLE(BUDGET, triangles, 0, DRAPE_MAX_ELEMENTS, "triangles",
                    "target number of triangles; 0 for no such budget"),
	PARAMETER_NUMBER(BUDGET, seconds, 0.0, 100.0, "s", "seconds",
                     "limit of the time of a step; 0 for no such budget. The result then depends on the machine"),
	PARAMETER_NUMBER(
		BUDGET, work, 0.0, 1e6, NULL, "work",
		"limit of the work of a step, in millions of operations; 0 for no such budget. The result is the same on "
		"every machine"),
	PARAMETER_NUMBER(BUDGET, nearDistance, 0.0, 1e6, "m", "near distance",
                     "the full budget applies up to this distance"),
	PARAMETER_NUMBER(BUDGET, farDistance, 0.0, 1e6, "m", "far distance",
                     "`farShare` applies from this distance on; 0 ignores the distance"),
	PARAMETER_NUMBER(BUDGET, farShare, 0.0, 1.0, NULL, "far share", "share of the budget beyond `farDistance`"),
};

const drapeParameter* drapeBudgetDef_GetParameters(uint32_t* count)
{
	return drapeParameters_Give(parameters, sizeof parameters / sizeof parameters[0], count);
}

drapeResult drapeBudget_Check(const drapeBudgetDef* def, const char* prefix, drapeMessage* message)
{
	drapeResult result =
		drapeParameters_Check(parameters, sizeof parameters / sizeof parameters[0], def, prefix, message);
	if (result != drape_ok || def->farDistance == 0.0f || def->farDistance > def->nearDistance)
		return result;
	return drapeRefuse(message, "%sfarDistance is %g, expected 0 or more than nearDistance, which is %g", prefix,
	                   (double)def->farDistance, (double)def->nearDistance);
}

// Budgets of time and work are limits, the number of triangles is a target.
static bool IsLimit(const Budget* budget)
{
	return budget->def.seconds > 0.0f || budget->def.work > 0.0f;
}

bool drapeBudget_IsOn(const Budget* budget)
{
	return budget->def.triangles > 0 || IsLimit(budget);
}

// Returns 1 up to the near distance, farShare beyond the far distance, and interpolates linearly between them.
static float DistanceShare(const drapeBudgetDef* def, float distance)
{
	DRAPE_ASSERT(distance >= 0.0f);
	if (def->farDistance <= 0.0f)
		return 1.0f;
	float t = (distance - def->nearDistance) / (def->farDistance - def->nearDistance);
	t = MinNumF(MaxNumF(t, 0.0f), 1.0f);
	return 1.0f + t * (def->farShare - 1.0f);
}

// The number of triangles whose cost stays within a limit. Infinite without a limit, and before the first measurement.
static float Affordable(const CostMeter* meter, float limit)
{
	const float deviations = 2.0f;
	if (!(limit > 0.0f) || !(meter->mean > 0.0f))
		return INFINITY;
	DRAPE_ASSERT(meter->deviation >= 0.0f);
	return limit / (meter->mean + deviations * meter->deviation);
}

static float TargetTriangles(const Budget* budget, float distance)
{
	const drapeBudgetDef* def = &budget->def;
	float share = DistanceShare(def, distance), target = def->triangles > 0 ? (float)def->triangles : INFINITY;
	// A pass takes time that is proportional to the triangles, too, and has to fit into the same step.
	float step = 1.0f / (1.0f + budget->pass);
	DRAPE_ASSERT(budget->pass >= 0.0f);
	target = MinNumF(target, step * Affordable(&budget->time, 1e3f * def->seconds));
	target = MinNumF(target, step * Affordable(&budget->work, def->work));
	// A share of zero gives the smallest target, also when the target is unknown.
	return MaxNumF(share * target, 1.0f);
}

// --- curvature of all edges -----------------------------------------------------------------------------------------

// Counts edges by the sine of half their angle, which is cheap and monotone: bin b covers [b, b + 1) / budgetBins.
typedef struct Histogram
{
	uint32_t split[budgetBins + 1]; // active edges below the maximum level
	uint32_t join[budgetBins + 1];  // split edges, counted by their midpoints
} Histogram;

static uint32_t BinOf(const ActiveMesh* active, uint32_t from, uint32_t to)
{
	float cosine = V3Dot(V4Xyz(active->normal[from]), V4Xyz(active->normal[to]));
	float halfSine = sqrtf(MaxF(0.5f - 0.5f * cosine, 0.0f));
	return MinU32((uint32_t)(halfSine * (float)budgetBins), budgetBins - 1);
}

// The bin of the most curved pair of parents, which decides about the particle.
static uint32_t BinOfParticle(const ActiveMesh* active, uint32_t particle)
{
	const ParticleParents* parents = &active->parents[particle];
	uint32_t bin = 0;
	for (uint32_t k = 0; k < ParticleParents_Pairs(parents); ++k)
		bin = MaxU32(bin, BinOf(active, parents->parent[k], parents->parent[(k + 1) % 3]));
	return bin;
}

static void CountEdges(const ActiveMesh* active, uint32_t maxLevel, Histogram* histogram)
{
	memset(histogram, 0, sizeof *histogram);
	for (uint32_t i = 0; i < active->edgeCount; ++i)
	{
		if (active->edgeLevel[i] < maxLevel)
			histogram->split[BinOf(active, active->edgeFrom[i], active->edgeTo[i])]++;
	}
	for (uint32_t i = 0; i < active->particleCount; ++i)
	{
		if (active->level[i] > 0)
			histogram->join[BinOfParticle(active, i)]++;
	}
	// Edges above a bin would split, edges below it would join.
	for (int bin = budgetBins - 1; bin >= 0; --bin)
		histogram->split[bin] += histogram->split[bin + 1];
	uint32_t below = 0;
	for (int bin = 0; bin <= budgetBins; ++bin)
	{
		uint32_t count = histogram->join[bin];
		histogram->join[bin] = below;
		below += count;
	}
}

static uint32_t BinOfAngle(float angle)
{
	return MinU32((uint32_t)(Math_SinF(0.5f * MinNumF(angle, 3.14159f)) * (float)budgetBins), budgetBins);
}

// Returns the join angle whose predicted change of the triangle count is nearest to `wanted` from above. A larger angle
// gives fewer triangles.
static float ChooseAngle(Budget* budget, const Histogram* histogram, float wanted)
{
	DRAPE_ASSERT(budget->target > 0.0f);
	// Yields are learnt from requests that have been pending for long. New requests succeed more often, so the angle
	// changes in small steps near the target.
	float most = 1.1f + 8.0f * fabsf(wanted) / budget->target;
	const float least = 0.02f * degree, largest = 85.0f * degree;
	float last = MinNumF(MaxNumF(budget->joinAngle, least), largest);
	float low = MaxNumF(last / most, least), high = MinNumF(last * most, largest);
	for (int i = 0; i < 24; ++i)
	{
		float angle = sqrtf(low * high);
		budget->splitsWanted = histogram->split[BinOfAngle(SplitAngle(angle))];
		budget->joinsWanted = histogram->join[BinOfAngle(angle)];
		// A split inside the cloth adds two triangles, a join removes two.
		float change =
			2.0f * (budget->splitYield * (float)budget->splitsWanted - budget->joinYield * (float)budget->joinsWanted);
		if (change > wanted)
			low = angle;
		else
			high = angle;
	}
	return low;
}

// Averages over the whole period between two passes, because only one step of it pays for adaptation.
static void LearnCost(CostMeter* meter, uint32_t steps)
{
	DRAPE_ASSERT(steps > 0);
	float mean = meter->sum / (float)steps;
	float deviation = sqrtf(MaxNumF(meter->squares / (float)steps - mean * mean, 0.0f));
	const float rise = 0.8f, fall = 0.97f; // share of the old mean that a step leaves
	float share = meter->mean == 0.0f ? 1.0f : 1.0f - drapeMath_PowF(mean > meter->mean ? rise : fall, (float)steps);
	// A change of the mean between two periods is a deviation, too, unless the periods are long.
	deviation = MaxNumF(deviation, (1.0f - share) * fabsf(mean - meter->mean));
	meter->mean += share * (mean - meter->mean);
	meter->deviation += share * (deviation - meter->deviation);
	meter->sum = meter->squares = 0.0f;
}

// Thresholds alone do not stop sharp folds from splitting. With a limit, no split goes far beyond the target.
static void CapTriangles(const Budget* budget, uint32_t triangles, drapeAdaptDef* adapt)
{
	const float excess = 1.05f;
	// Nothing is known before the first step.
	float most = isfinite(budget->target) ? ceilf(excess * budget->target) : (float)triangles;
	if (most < 1e9f && (adapt->maxTriangles == 0 || most < (float)adapt->maxTriangles))
		adapt->maxTriangles = (uint32_t)most;
}

void drapeBudget_Update(Budget* budget)
{
	if (budget->periodSteps > 0)
	{
		LearnCost(&budget->time, budget->periodSteps);
		LearnCost(&budget->work, budget->periodSteps);
		budget->periodSteps = 0;
	}
	if (drapeBudget_IsOn(budget))
		budget->target = TargetTriangles(budget, budget->distance);
}

void drapeBudget_Apply(Budget* budget, const ActiveMesh* active, float distance, drapeAdaptDef* adapt)
{
	DRAPE_ASSERT(budget && active && adapt);
	if (!drapeBudget_IsOn(budget))
		return;
	if (budget->joinAngle == 0.0f)
	{
		budget->joinAngle = adapt->curvature.enabled ? adapt->curvature.joinAngle : 7.0f * degree;
		budget->splitYield = budget->joinYield = 0.5f;
	}
	budget->distance = distance;
	drapeBudget_Update(budget);
	if (isfinite(budget->target))
	{
		Histogram histogram;
		// The square-root-3 scheme does not split the last odd level for its own sake.
		uint32_t deepest = drapeCriteria_MaxLevel(adapt);
		deepest -= adapt->scheme == drape_schemeSqrt3 && deepest > 0;
		CountEdges(active, deepest, &histogram);
		budget->joinAngle = ChooseAngle(budget, &histogram, 0.5f * (budget->target - (float)active->triangleCount));
	}
	if (IsLimit(budget))
		CapTriangles(budget, active->triangleCount, adapt);
	adapt->accuracy.enabled = false;
	adapt->curvature.enabled = true;
	adapt->curvature.joinAngle = budget->joinAngle;
	adapt->curvature.splitAngle = SplitAngle(budget->joinAngle);
}

static void LearnYield(float* yield, uint32_t done, uint32_t wanted)
{
	if (wanted >= 8)
		*yield += 0.3f * (MinNumF((float)done / (float)wanted, 1.0f) - *yield);
	*yield = MaxNumF(*yield, 0.02f);
}

void drapeBudget_Learn(Budget* budget, const AdaptCounts* counts)
{
	if (!drapeBudget_IsOn(budget) || !isfinite(budget->target))
		return;
	LearnYield(&budget->splitYield, counts->splits, budget->splitsWanted);
	LearnYield(&budget->joinYield, counts->joins, budget->joinsWanted);
}

bool drapeBudget_LeavesOut(Budget* budget, uint32_t asked, uint32_t triangles)
{
	const float worthwhile = 0.02f; // requests per triangle
	const uint32_t mostLeftOut = 60;
	if (!IsLimit(budget))
		return false;
	bool isSmall = (float)asked < worthwhile * (float)triangles;
	bool isLeftOut = isSmall && budget->leftOut < mostLeftOut;
	budget->leftOut = isLeftOut ? budget->leftOut + 1 : 0;
	return isLeftOut;
}

static void AddTo(CostMeter* meter, float cost)
{
	meter->sum += cost;
	meter->squares += cost * cost;
}

void drapeBudget_AddCost(Budget* budget, float milliseconds, float work, uint32_t triangles)
{
	if (!IsLimit(budget) || triangles == 0)
		return;
	AddTo(&budget->time, milliseconds / (float)triangles);
	AddTo(&budget->work, work / (float)triangles);
	budget->periodSteps++;
}
