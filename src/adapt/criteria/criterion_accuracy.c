// SPDX-License-Identifier: MIT
#include "adapt/criteria/criterion.h"
#include "adapt/criteria/deviation.h"
#include "base/checks/rules.h"

// Accuracy: edges split where the smooth surface deviates from them by more than a length (deviation.h). A particle is
// removed only where the deviation without it stays below half of that length: the estimate between its parents, and
// the distance that the particle itself would move. Splits that a coarser neighbour blocks split the neighbour first,
// so that the length holds wherever the maximum level allows it.

static bool IsEnabled(const drapeAdaptDef* def)
{
	return def->accuracy.enabled;
}

static bool IsValid(const drapeAdaptDef* def, const char** reason)
{
	const Rule rules[] = {
		{def->accuracy.deviation > 0.0f && def->accuracy.deviation < 1e9f, "the accuracy's deviation is not positive"},
	};
	return Rules_Hold(rules, sizeof rules / sizeof rules[0], reason);
}

static void Split(const CriteriaPass* pass, const void* limits, const EdgeBlocks* edges, uint8_t* bits)
{
	(void)limits;
	const F8 limit = F8_Splat(pass->def->accuracy.deviation);
	for (uint32_t k = 0; k < edges->count; ++k)
	{
		F8 deviation =
			Deviation_OfEight(pass->active, &pass->criteria->boundary, &edges->from[8 * k], &edges->to[8 * k]);
		bits[k] |= (uint8_t)M8_Bits(F8_Gt(deviation, limit));
	}
}

// pass->joinDeviation is half of the accuracy's length, or more when the cap on triangles asks for it.
static JoinVote Join(const CriteriaPass* pass, const void* limits, const ParticleBlock* particles)
{
	(void)limits;
	DRAPE_ASSERT(pass->joinDeviation > 0.0f);
	const F8 join = F8_Splat(pass->joinDeviation), split = F8_Splat(2.0f * pass->joinDeviation);
	JoinVote vote = {.agrees = 0xff};
	for (uint32_t pair = 0; pair < particles->pairCount; ++pair)
	{
		F8 deviation =
			Deviation_OfEight(pass->active, &pass->criteria->boundary, particles->from[pair], particles->to[pair]);
		vote.agrees &= M8_Bits(F8_Lt(deviation, join));
		vote.refuses |= M8_Bits(F8_Gt(deviation, split));
	}
	for (uint32_t i = 0; i < 8; ++i)
	{
		bool isAsked = (particles->attempt & vote.agrees & 1u << i) != 0;
		if (isAsked && !(Deviation_OfParticle(pass->active, particles->first + i) < pass->joinDeviation))
			vote.agrees &= ~(1u << i);
	}
	return vote;
}

// The edge scheme cuts a triangle with two split edges by the edge from one midpoint to the corner opposite to it. Such
// an edge comes back when the third midpoint `middle`, between `end` and `other`, is removed. `beside` is the particle
// opposite to the half of the third edge that `end` is on.
static bool BringsBackDeviation(const CriteriaPass* pass, uint32_t end, uint32_t middle, uint32_t beside)
{
	const ActiveMesh* active = pass->active;
	if (beside == DRAPE_NONE || active->level[beside] != active->level[middle])
		return false;
	const uint32_t *own = active->parents[middle].parent, *parent = active->parents[beside].parent;
	if ((parent[0] != end && parent[1] != end) || (own[0] != end && own[1] != end))
		return false;
	uint32_t other = own[0] == end ? own[1] : own[0];
	return !(Deviation_OfPair(active, &pass->criteria->boundary, beside, other) < pass->joinDeviation);
}

static bool IsHidden(const CriteriaPass* pass, uint32_t middle)
{
	const uint32_t* parent = pass->active->parents[middle].parent;
	return pass->isFiltered && !BitSet_Get(&pass->criteria->visible, parent[0]) &&
	       !BitSet_Get(&pass->criteria->visible, parent[1]);
}

// Keeps particles whose removal brings back an edge that deviates too much. The neighbourhood would be split again.
static void Review(const CriteriaPass* pass)
{
	DRAPE_ASSERT(pass->joinDeviation > 0.0f);
	const ActiveMesh* active = pass->active;
	BitSet* join = &pass->criteria->join;
	if (pass->def->scheme != drape_schemeEdge)
		return;
	for (uint32_t i = 0; i < active->edgeCount; ++i)
	{
		const uint32_t ends[2] = {active->edgeFrom[i], active->edgeTo[i]};
		for (uint32_t k = 0; k < 2; ++k)
		{
			const uint32_t middle = ends[k], end = ends[1 - k], *opposite = active->wings[i].opposite;
			if (!BitSet_Get(join, middle) || active->level[middle] > pass->maxLevel || IsHidden(pass, middle))
				continue;
			if (BringsBackDeviation(pass, end, middle, opposite[0]) ||
			    BringsBackDeviation(pass, end, middle, opposite[1]))
				BitSet_Clear(join, middle);
		}
	}
}

static const drapeParameter parameters[] = {
	{.key = "deviation",
     .label = "deviation",
     .unit = "m",
     .offset = offsetof(drapeAccuracyCriterion, deviation),
     .high = 1e6,
     .isAbove = true,
     .initial = (double)0.002f,
     .step = 0.0001,
     .help = "split where the finer surface would deviate by more, join where the coarser one deviates by less than "
             "half of it"},
};

const Criterion drapeAccuracyRow = {
	.info = {.key = "accuracy",
             .label = "By accuracy",
             .help = "Refines until the mesh is as close to the smooth surface as a length says. It means the same on "
                     "every mesh. On, unless a section of another criterion of the shape replaces it: `curvature`, "
                     "`meanCurvature` or `length`.",
             .isInitial = true,
             .readsShape = true,
             CRITERION_STRUCT(accuracy, drapeAccuracyCriterion, enabled, parameters)},
	.needs = criterionNeedsBoundary,
	.votes = true,
	.unblocks = true,
	.isEnabled = IsEnabled,
	.isValid = IsValid,
	.split = Split,
	.join = Join,
	.review = Review,
};
