// SPDX-License-Identifier: MIT
#include "adapt/criteria/criterion.h"

// Edges whose midpoint is inside an obstacle (Simnett 2012, 3.4.4). Every answer is a callback, so this criterion is
// asked last, and only about edges and particles that the others left undecided.

static bool IsEnabled(const drapeAdaptDef* def)
{
	return def->collision.inside != NULL;
}

static bool AsksCentres(const drapeAdaptDef* def)
{
	return def->scheme == drape_schemeSqrt3;
}

// Tests the midpoint of a pair. balls[index] stores the answer, see obstacles.h.
static bool MidpointIsInside(const CriteriaPass* pass, uint32_t from, uint32_t to, uint32_t level, float restLength,
                             Vec4* balls, uint32_t index)
{
	const drapeCollisionCriterion* collision = &pass->def->collision;
	const Vec4* position = pass->active->position;
	DRAPE_ASSERT(collision->inside);
	if (level >= collision->maxLevel)
		return false;
	Vec3 midpoint = V3Scale(0.5f, V3Add(V4Xyz(position[from]), V4Xyz(position[to])));
	if (pass->criteria->obstacles.ask)
		return drapeObstacles_Contain(&pass->criteria->obstacles, &balls[index], midpoint, restLength);
	return collision->inside(midpoint, collision->context);
}

static bool CentreIsInside(const CriteriaPass* pass, const uint32_t* corner, uint32_t level)
{
	DRAPE_ASSERT(pass->def->collision.inside);
	const drapeCollisionCriterion* collision = &pass->def->collision;
	const Vec4* position = pass->active->position;
	if (level >= collision->maxLevel)
		return false;
	Vec3 sum = V3Add(V3Add(V4Xyz(position[corner[0]]), V4Xyz(position[corner[1]])), V4Xyz(position[corner[2]]));
	return collision->inside(V3Scale(1.0f / 3.0f, sum), collision->context);
}

static bool AskCentre(const CriteriaPass* pass, uint32_t triangle)
{
	return CentreIsInside(pass, pass->active->triangle[triangle], pass->active->triangleLevel[triangle]);
}

static bool AskSplit(const CriteriaPass* pass, uint32_t edge, uint32_t level)
{
	const ActiveMesh* active = pass->active;
	return MidpointIsInside(pass, active->edgeFrom[edge], active->edgeTo[edge], level, active->restLength[edge],
	                        pass->criteria->obstacles.edges.data, edge);
}

// Keeps the particle when one of its pairs would be split again, else lets it go.
static drapeWish AskJoin(const CriteriaPass* pass, uint32_t particle)
{
	const ActiveMesh* active = pass->active;
	const ParticleParents* parents = &active->parents[particle];
	Vec4* balls = pass->criteria->obstacles.particles;
	DRAPE_ASSERT(active->level[particle] > 0);
	uint32_t level = active->level[particle] - 1u, pairs = ParticleParents_Pairs(parents);
	for (uint32_t k = 0; k < pairs; ++k)
	{
		if (MidpointIsInside(pass, parents->parent[k], parents->parent[(k + 1) % 3], level,
		                     active->parentLength[k][particle], balls, particle))
			return drape_wishSplit;
	}
	return pairs == 3 && CentreIsInside(pass, parents->parent, level) ? drape_wishSplit : drape_wishJoin;
}

static const drapeParameter parameters[] = {
	{.key = "maxLevel",
     .label = "deepest level",
     .kind = drape_parameterUint,
     .offset = offsetof(drapeCollisionCriterion, maxLevel),
     .high = DRAPE_MAX_LEVEL,
     .initial = DRAPE_MAX_LEVEL,
     .step = 1.0,
     .help = "refinement by this criterion alone goes no deeper"},
};

const Criterion drapeCollisionRow = {
	.info = {.key = "collision",
             .label = "By contact",
             .help = "Refines where the middle of an edge is inside a collider. Off without this section.",
             CRITERION_STRUCT(collision, drapeCollisionCriterion, colliders, parameters)},
	.votes = true,
	.isEnabled = IsEnabled,
	.asksCentres = AsksCentres,
	.askCentre = AskCentre,
	.askSplit = AskSplit,
	.askJoin = AskJoin,
};
