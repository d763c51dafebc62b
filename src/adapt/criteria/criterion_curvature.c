// SPDX-License-Identifier: MIT
#include "adapt/criteria/criterion.h"
#include "base/checks/rules.h"

// Curvature as the angle between the normals at the ends of an edge (Simnett 2012, 3.4.2).

typedef struct CurvatureLimits
{
	float cosSplit, cosJoin;
} CurvatureLimits;

_Static_assert(sizeof(CurvatureLimits) <= criterionLimitBytes, "limits fit into a pass");

static bool IsEnabled(const drapeAdaptDef* def)
{
	return def->curvature.enabled;
}

static bool IsValid(const drapeAdaptDef* def, const char** reason)
{
	const drapeCurvatureCriterion* curvature = &def->curvature;
	// Comparisons are written so that NaN fails them.
	const Rule rules[] = {
		{curvature->joinAngle >= 0.0f && curvature->splitAngle <= 3.14159265f,
	     "curvature angles are not between 0 and pi"},
		{curvature->joinAngle <= curvature->splitAngle,
	     "curvature would rejoin what it has just split: joinAngle is above splitAngle"},
	};
	return Rules_Hold(rules, sizeof rules / sizeof rules[0], reason);
}

static void PrepareLimits(const CriteriaPass* pass, void* limits)
{
	*(CurvatureLimits*)limits = (CurvatureLimits){
		.cosSplit = Math_CosF(pass->def->curvature.splitAngle),
		.cosJoin = Math_CosF(pass->def->curvature.joinAngle),
	};
}

// Cosine of the angle between the normals at both ends.
DRAPE_INLINE F8 NormalCosine(const ActiveMesh* active, const uint32_t* from, const uint32_t* to)
{
	F8 ax, ay, az, bx, by, bz;
	F8_GatherRows(active->normal, from, &ax, &ay, &az);
	F8_GatherRows(active->normal, to, &bx, &by, &bz);
	return F8_Add(F8_Add(F8_Mul(ax, bx), F8_Mul(ay, by)), F8_Mul(az, bz));
}

static void Split(const CriteriaPass* pass, const void* limits, const EdgeBlocks* edges, uint8_t* bits)
{
	const F8 limit = F8_Splat(((const CurvatureLimits*)limits)->cosSplit);
	for (uint32_t k = 0; k < edges->count; ++k)
	{
		F8 cosine = NormalCosine(pass->active, &edges->from[8 * k], &edges->to[8 * k]);
		bits[k] |= (uint8_t)M8_Bits(F8_Lt(cosine, limit));
	}
}

static JoinVote Join(const CriteriaPass* pass, const void* limits, const ParticleBlock* particles)
{
	const CurvatureLimits* own = limits;
	JoinVote vote = {.agrees = 0xff};
	for (uint32_t pair = 0; pair < particles->pairCount; ++pair)
	{
		F8 cosine = NormalCosine(pass->active, particles->from[pair], particles->to[pair]);
		vote.agrees &= M8_Bits(F8_Gt(cosine, F8_Splat(own->cosJoin)));
		vote.refuses |= M8_Bits(F8_Lt(cosine, F8_Splat(own->cosSplit)));
	}
	return vote;
}

static const drapeParameter parameters[] = {
	{.key = "split",
     .label = "split above",
     .kind = drape_parameterAngle,
     .offset = offsetof(drapeCurvatureCriterion, splitAngle),
     .high = CRITERION_PI,
     .initial = (double)(10.0f * CRITERION_DEGREE),
     .step = 0.01,
     .help = "between the normals at the ends of an edge: split above"},
	{.key = "join",
     .label = "join below",
     .kind = drape_parameterAngle,
     .offset = offsetof(drapeCurvatureCriterion, joinAngle),
     .high = CRITERION_PI,
     .initial = (double)(7.0f * CRITERION_DEGREE),
     .step = 0.01,
     .other = "split",
     .otherIsUpper = true,
     .help = "rejoin below; not above `split`"},
};

const Criterion drapeCurvatureRow = {
	.info = {.key = "curvature",
             .label = "By curvature",
             .help = "Refines where the cloth bends. Off without this section.",
             .readsShape = true,
             CRITERION_STRUCT(curvature, drapeCurvatureCriterion, enabled, parameters)},
	.votes = true,
	.isEnabled = IsEnabled,
	.isValid = IsValid,
	.prepare = PrepareLimits,
	.split = Split,
	.join = Join,
};
