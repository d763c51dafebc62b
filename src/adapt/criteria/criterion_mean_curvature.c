// SPDX-License-Identifier: MIT
#include "adapt/criteria/criterion.h"
#include "base/checks/rules.h"

// Largest mean curvature at the corners of a triangle (Bender and Deul 2012, section 5).

typedef struct MeanLimits
{
	float refine[criterionLevels], join[criterionLevels]; // 1/m, by level
} MeanLimits;

_Static_assert(sizeof(MeanLimits) <= criterionLimitBytes, "limits fit into a pass");

static bool IsEnabled(const drapeAdaptDef* def)
{
	return def->meanCurvature.enabled;
}

static bool IsValid(const drapeAdaptDef* def, const char** reason)
{
	const drapeMeanCurvatureCriterion* mean = &def->meanCurvature;
	const Rule rules[] = {
		{mean->baseLimit > 0.0f && mean->finestLimit > 0.0f && mean->baseLimit < 1e9f && mean->finestLimit < 1e9f,
	     "limits of the mean curvature are not positive"},
		{mean->coarsenFraction >= 0.0f && mean->coarsenFraction <= 1.0f, "coarsenFraction is not between 0 and 1"},
	};
	return Rules_Hold(rules, sizeof rules / sizeof rules[0], reason);
}

static void PrepareLimits(const CriteriaPass* pass, void* limits)
{
	MeanLimits* own = limits;
	const drapeMeanCurvatureCriterion* mean = &pass->def->meanCurvature;
	for (uint32_t level = 0; level < criterionLevels; ++level)
	{
		// l_g = g / g_max (l_gmax - l_base) + l_base   Bender and Deul 2012, section 5
		float depth = pass->maxLevel > 0 ? (float)level / (float)pass->maxLevel : 0.0f;
		own->refine[level] = mean->baseLimit + MinNumF(depth, 1.0f) * (mean->finestLimit - mean->baseLimit);
		own->join[level] = mean->coarsenFraction * own->refine[level];
	}
	CriteriaPass_RoundLevels(pass, own->refine);
}

static void Refine(const CriteriaPass* pass, const void* limits, uint32_t start, uint32_t end)
{
	const MeanLimits* own = limits;
	const ActiveMesh* active = pass->active;
	const float* value = pass->criteria->meanCurvature.value.data;
	for (uint32_t i = start; i < end; ++i)
	{
		const uint32_t* corner = active->triangle[i];
		float largest = MaxNumF(value[corner[0]], MaxNumF(value[corner[1]], value[corner[2]]));
		if (largest > own->refine[active->triangleLevel[i]])
			BitSet_Set(&pass->criteria->refine, i);
	}
}

// The largest mean curvature at the particle and at its parents, which surround it when it is gone.
static float LargestAround(const CriteriaPass* pass, uint32_t particle)
{
	const float* value = pass->criteria->meanCurvature.value.data;
	const ParticleParents* parents = &pass->active->parents[particle];
	float largest = value[particle];
	for (int k = 0; k < 3 && parents->parent[k] != DRAPE_NONE; ++k)
		largest = MaxNumF(largest, value[parents->parent[k]]);
	return largest;
}

static JoinVote Join(const CriteriaPass* pass, const void* limits, const ParticleBlock* particles)
{
	const MeanLimits* own = limits;
	JoinVote vote = {.agrees = 0xff};
	for (uint32_t i = 0; i < 8; ++i)
	{
		float largest = particles->attempt & 1u << i ? LargestAround(pass, particles->first + i) : 0.0f;
		vote.agrees &= ~((uint32_t)(largest >= own->join[particles->level[i]]) << i);
		vote.refuses |= (uint32_t)(largest > own->refine[particles->level[i]]) << i;
	}
	return vote;
}

static const drapeParameter parameters[] = {
	{.key = "base",
     .label = "coarsest",
     .unit = "1/m",
     .offset = offsetof(drapeMeanCurvatureCriterion, baseLimit),
     .high = 1e6,
     .isAbove = true,
     .initial = 1.0,
     .step = 0.05,
     .help = "refine triangles of the pattern above"},
	{.key = "finest",
     .label = "finest",
     .unit = "1/m",
     .offset = offsetof(drapeMeanCurvatureCriterion, finestLimit),
     .high = 1e6,
     .isAbove = true,
     .initial = 20.0,
     .step = 0.05,
     .help = "the limit at `maxLevel`; linear between"},
	{.key = "coarsen",
     .label = "coarsen at",
     .offset = offsetof(drapeMeanCurvatureCriterion, coarsenFraction),
     .high = 1.0,
     .initial = 0.5,
     .step = 0.01,
     .help = "rejoin below this part of the limit of the level it goes back to"},
};

const Criterion drapeMeanCurvatureRow = {
	.info = {.key = "meanCurvature",
             .label = "By mean curvature",
             .help = "Refines where the largest mean curvature at a triangle's corners is above a limit that grows "
                     "with the level. Off without this section.",
             .readsShape = true,
             CRITERION_STRUCT(meanCurvature, drapeMeanCurvatureCriterion, enabled, parameters)},
	.needs = criterionNeedsColors | criterionNeedsMeanCurvature,
	.votes = true,
	.isEnabled = IsEnabled,
	.isValid = IsValid,
	.prepare = PrepareLimits,
	.refine = Refine,
	.join = Join,
};
