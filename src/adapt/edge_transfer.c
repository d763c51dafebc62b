// SPDX-License-Identifier: MIT
#include "adapt/edge.h"

// Transfers mass and momentum when a triangulation changes.
//
// A triangle gives a third of its mass to each corner. A new triangulation moves these shares between its six local
// vertices in whole twelfths of its area, so that the sum stays exact however often that happens.
//
// Momentum follows. A new midpoint has the mean velocity of its ends, so a first cut changes nothing. Other changes
// move mass between vertices and would lose the momentum D = sum over the vertices of (mass before - mass after)
// velocity. The vertices that gain mass receive D in proportion to their gain. For a joined edge these are its two
// ends: they receive the momentum of the removed midpoint.

// `middles` has a bit for each edge whose midpoint is used.
static void FindParticles(const EdgePools* pools, const TreeTriangle* triangle, unsigned middles, uint32_t particle[6])
{
	for (uint32_t k = 0; k < 3; ++k)
	{
		particle[k] = pools->vertices.data[triangle->vertex[k]].particle;
		particle[3 + k] = DRAPE_NONE;
		if (middles & 1u << k)
			particle[3 + k] = pools->vertices.data[pools->edges.data[triangle->edge[k] >> 1].middle].particle;
	}
}

static LocalParticles Locals(const EdgeScheme* scheme, const DirtyTriangle* dirty)
{
	DRAPE_ASSERT(dirty->from < configCount && dirty->to < configCount);
	const EdgePools* pools = scheme->pools;
	const Configs* configs = &pools->configs;
	LocalParticles local;
	for (uint32_t k = 0; k < 6; ++k)
		local.gain[k] = (int8_t)(configs->share[dirty->to][k] - configs->share[dirty->from][k]);
	FindParticles(pools, &pools->triangles.data[dirty->triangle],
	              configs->middles[dirty->from] | configs->middles[dirty->to], local.particle);
	return local;
}

static void MoveShares(EdgeScheme* scheme, const DirtyTriangle* dirty, const LocalParticles* local)
{
	ActiveMesh* active = scheme->base.active;
	int64_t twelfth = scheme->twelfths[scheme->pools->patternCorners.data[dirty->triangle].pattern] >>
	                  (2 * scheme->pools->triangles.data[dirty->triangle].level);
	DRAPE_ASSERT(twelfth > 0);
	double lost[3] = {0.0, 0.0, 0.0}, gained = 0.0;
	for (int k = 0; k < 6; ++k)
	{
		uint32_t particle = local->particle[k];
		if (particle == DRAPE_NONE || local->gain[k] == 0)
			continue;
		active->share[particle] += local->gain[k] * twelfth;
		Vec4 v = active->velocity[particle];
		lost[0] -= (double)local->gain[k] * (double)v.x;
		lost[1] -= (double)local->gain[k] * (double)v.y;
		lost[2] -= (double)local->gain[k] * (double)v.z;
		gained += local->gain[k] > 0 ? (double)local->gain[k] : 0.0;
	}
	if (dirty->from == configWhole || gained == 0.0)
		return;
	for (int k = 0; k < 6; ++k)
	{
		if (local->particle[k] == DRAPE_NONE || local->gain[k] <= 0)
			continue;
		double weight = (double)twelfth * (double)local->gain[k] / gained;
		Vec4* impulse = &scheme->impulse.data[local->particle[k]];
		impulse->x += (float)(weight * lost[0]);
		impulse->y += (float)(weight * lost[1]);
		impulse->z += (float)(weight * lost[2]);
	}
}

// Applies the impulse of a particle and clears it, so that it counts once.
static void Spend(ActiveMesh* active, uint32_t particle, Vec4* impulse)
{
	DRAPE_ASSERT(active->share[particle] >= 0);
	if (active->share[particle] == 0)
		return; // the pass removes it
	if ((impulse->x != 0.0f || impulse->y != 0.0f || impulse->z != 0.0f) &&
	    !(active->particleFlags[particle] & drape_particlePinned))
	{
		float perShare = (float)(1.0 / (double)active->share[particle]);
		active->velocity[particle].x += perShare * impulse->x;
		active->velocity[particle].y += perShare * impulse->y;
		active->velocity[particle].z += perShare * impulse->z;
	}
	*impulse = (Vec4){0};
	drapeActiveMesh_UpdateMass(active, particle);
}

void drapeEdgeScheme_Transfer(EdgeScheme* scheme)
{
	DRAPE_ASSERT(scheme->locals.capacity >= scheme->dirty.count);
	LocalParticles* locals = scheme->locals.data;
	for (uint32_t i = 0; i < scheme->dirty.count; ++i)
	{
		locals[i] = Locals(scheme, &scheme->dirty.data[i]);
		for (int k = 0; k < 6; ++k)
		{
			if (locals[i].particle[k] != DRAPE_NONE)
				scheme->impulse.data[locals[i].particle[k]] = (Vec4){0};
		}
	}
	for (uint32_t i = 0; i < scheme->dirty.count; ++i)
		MoveShares(scheme, &scheme->dirty.data[i], &locals[i]);
	for (uint32_t i = 0; i < scheme->dirty.count; ++i)
	{
		for (int k = 0; k < 6; ++k)
		{
			uint32_t particle = locals[i].particle[k];
			if (particle != DRAPE_NONE && locals[i].gain[k] != 0)
				Spend(scheme->base.active, particle, &scheme->impulse.data[particle]);
		}
	}
}

// --- weighing -------------------------------------------------------------------------------------------------------

// Adds the shares of a triangle of the tree, whose area is 12 `twelfth`.
static void AddShares(EdgeScheme* scheme, uint32_t t, int64_t twelfth)
{
	DRAPE_ASSERT(twelfth > 0);
	const EdgePools* pools = scheme->pools;
	const TreeTriangle* triangle = &pools->triangles.data[t];
	if (triangle->config == configFull)
	{
		for (uint32_t slot = 0; slot < configSlots; ++slot)
			AddShares(scheme, 4 * triangle->family + slot, twelfth / 4);
		return;
	}
	uint32_t particle[6];
	FindParticles(pools, triangle, pools->configs.middles[triangle->config], particle);
	for (int k = 0; k < 6; ++k)
	{
		if (particle[k] != DRAPE_NONE)
			scheme->base.active->share[particle[k]] += pools->configs.share[triangle->config][k] * twelfth;
	}
}

bool drapeEdgeScheme_Weigh(Scheme* base, const double* factors)
{
	EdgeScheme* scheme = (EdgeScheme*)base;
	const PatternMesh* pattern = base->pattern;
	ActiveMesh* active = base->active;
	active->areaUnit =
		drapeScheme_AreaTwelfths(pattern, factors, (int64_t)1 << (2 * DRAPE_MAX_LEVEL), scheme->twelfths);
	for (uint32_t i = 0; i < active->particleCount; ++i)
		active->share[i] = 0;
	for (uint32_t i = 0; i < pattern->triangleCount; ++i)
		AddShares(scheme, scheme->triangles[i], scheme->twelfths[i]);
	drapeActiveMesh_UpdateMasses(active);
	return true;
}
