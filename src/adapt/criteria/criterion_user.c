// SPDX-License-Identifier: MIT
#include "adapt/criteria/criterion.h"

// The program's own criterion, a callback.

static bool IsEnabled(const drapeAdaptDef* def)
{
	return def->user.wish != NULL;
}

static drapeWish Ask(const CriteriaPass* pass, drapeEdgeInfo info, uint32_t from, uint32_t to)
{
	const drapeUserCriterion* user = &pass->def->user;
	const ActiveMesh* active = pass->active;
	DRAPE_ASSERT(from < active->particleCount && to < active->particleCount && from != to);
	info.from = V4Xyz(active->position[from]);
	info.to = V4Xyz(active->position[to]);
	info.fromNormal = V4Xyz(active->normal[from]);
	info.toNormal = V4Xyz(active->normal[to]);
	return user->wish(&info, user->context);
}

static bool AskSplit(const CriteriaPass* pass, uint32_t edge, uint32_t level)
{
	const ActiveMesh* active = pass->active;
	drapeEdgeInfo info = {.restLength = active->restLength[edge], .level = level};
	return Ask(pass, info, active->edgeFrom[edge], active->edgeTo[edge]) == drape_wishSplit;
}

// Keeps the particle when the program wishes that for one pair, lets it go when it wishes that for all pairs.
static drapeWish AskJoin(const CriteriaPass* pass, uint32_t particle)
{
	const ActiveMesh* active = pass->active;
	const ParticleParents* parents = &active->parents[particle];
	drapeWish common = drape_wishJoin;
	DRAPE_ASSERT(active->level[particle] > 0);
	for (uint32_t k = 0; k < ParticleParents_Pairs(parents); ++k)
	{
		drapeEdgeInfo info = {
			.restLength = active->parentLength[k][particle],
			.level = active->level[particle] - 1u,
			.isSplit = true,
		};
		drapeWish wish = Ask(pass, info, parents->parent[k], parents->parent[(k + 1) % 3]);
		if (wish == drape_wishSplit)
			return wish;
		if (wish != drape_wishJoin)
			common = wish;
	}
	return common;
}

const Criterion drapeUserRow = {
	.votes = true,
	.mayAbstain = true,
	.preventsSleep = true,
	.isEnabled = IsEnabled,
	.askSplit = AskSplit,
	.askJoin = AskJoin,
};
