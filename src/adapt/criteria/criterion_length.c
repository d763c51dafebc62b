// SPDX-License-Identifier: MIT
#include "adapt/criteria/criterion.h"
#include "base/checks/rules.h"

// Length of an edge over its rest length (Simnett 2012, 3.4.3 and 6.2.5).

typedef struct LengthLimits
{
	float split2[criterionLevels], join2[criterionLevels]; // squared ratios, by level
} LengthLimits;

_Static_assert(sizeof(LengthLimits) <= criterionLimitBytes, "limits fit into a pass");

static bool IsEnabled(const drapeAdaptDef* def)
{
	return def->length.enabled;
}

static bool IsValid(const drapeAdaptDef* def, const char** reason)
{
	const drapeLengthCriterion* length = &def->length;
	const Rule rules[] = {
		{length->splitRatio > 0.0f && length->joinRatio < 100.0f, "length ratios are not positive"},
		{length->splitRatio <= length->joinRatio,
	     "length would rejoin what it has just split: joinRatio is below splitRatio"},
		{length->levelFactor > 0.0f && length->levelFactor <= 1.0f, "levelFactor is not between 0 and 1"},
	};
	return Rules_Hold(rules, sizeof rules / sizeof rules[0], reason);
}

static void PrepareLimits(const CriteriaPass* pass, void* limits)
{
	LengthLimits* own = limits;
	const drapeLengthCriterion* length = &pass->def->length;
	float factor = 1.0f;
	for (uint32_t level = 0; level < criterionLevels; ++level)
	{
		float split = factor * length->splitRatio, join = factor * length->joinRatio;
		own->split2[level] = split * split;
		own->join2[level] = join * join;
		factor *= length->levelFactor;
	}
	CriteriaPass_RoundLevels(pass, own->split2);
}

DRAPE_INLINE F8 Length2(const ActiveMesh* active, const uint32_t* from, const uint32_t* to)
{
	F8 ax, ay, az, bx, by, bz;
	F8_GatherRows(active->position, from, &ax, &ay, &az);
	F8_GatherRows(active->position, to, &bx, &by, &bz);
	F8 x = F8_Sub(ax, bx), y = F8_Sub(ay, by), z = F8_Sub(az, bz);
	return F8_Add(F8_Add(F8_Mul(x, x), F8_Mul(y, y)), F8_Mul(z, z));
}

static void Split(const CriteriaPass* pass, const void* limits, const EdgeBlocks* edges, uint8_t* bits)
{
	const LengthLimits* own = limits;
	for (uint32_t k = 0; k < edges->count; ++k)
	{
		F8 rest = F8_Load(&edges->rest[8 * k]);
		F8 limit = F8_Mul(F8_Lookup(own->split2, &edges->level[8 * k]), F8_Mul(rest, rest));
		bits[k] |= (uint8_t)M8_Bits(F8_Lt(Length2(pass->active, &edges->from[8 * k], &edges->to[8 * k]), limit));
	}
}

static JoinVote Join(const CriteriaPass* pass, const void* limits, const ParticleBlock* particles)
{
	const LengthLimits* own = limits;
	JoinVote vote = {.agrees = 0xff};
	for (uint32_t pair = 0; pair < particles->pairCount; ++pair)
	{
		F8 rest = F8_Load(particles->rest[pair]), rest2 = F8_Mul(rest, rest);
		F8 length2 = Length2(pass->active, particles->from[pair], particles->to[pair]);
		vote.agrees &= M8_Bits(F8_Gt(length2, F8_Mul(F8_Lookup(own->join2, particles->level), rest2)));
		vote.refuses |= M8_Bits(F8_Lt(length2, F8_Mul(F8_Lookup(own->split2, particles->level), rest2)));
	}
	return vote;
}

static const drapeParameter parameters[] = {
	{.key = "split",
     .label = "split below",
     .offset = offsetof(drapeLengthCriterion, splitRatio),
     .high = 10.0,
     .isAbove = true,
     .initial = (double)0.98f,
     .step = 0.001,
     .help = "length over rest length of an edge: split below"},
	{.key = "join",
     .label = "join above",
     .offset = offsetof(drapeLengthCriterion, joinRatio),
     .high = 10.0,
     .isAbove = true,
     .initial = (double)0.99f,
     .step = 0.001,
     .other = "split",
     .help = "rejoin above; not below `split`"},
	{.key = "levelFactor",
     .label = "level factor",
     .offset = offsetof(drapeLengthCriterion, levelFactor),
     .high = 1.0,
     .isAbove = true,
     .initial = 1.0,
     .step = 0.01,
     .help = "both are multiplied by this to the power of the edge's level; 1 for none"},
};

const Criterion drapeLengthRow = {
	.info = {.key = "length",
             .label = "By length",
             .help = "Refines where the cloth is compressed, so that it can buckle. Off without this section.",
             .readsShape = true,
             CRITERION_STRUCT(length, drapeLengthCriterion, enabled, parameters)},
	.votes = true,
	.isEnabled = IsEnabled,
	.isValid = IsValid,
	.prepare = PrepareLimits,
	.split = Split,
	.join = Join,
};
