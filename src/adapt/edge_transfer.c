// SPDX-License-Identifier: MIT
#include "adapt/edge.h"

// Mass and momentum across a change of triangulation.
//
// A triangle gives each of its corners a third of its mass. When it is cut anew the shares move between its six local
// vertices, in whole twelfths of its area, so that the sum is the same to the last bit however often it happens.
//
// Momentum follows. A new middle moves with the mean velocity of its ends, so a first cut changes nothing. Other
// changes take mass from some vertices and give it to others; what momentum that would lose, D = sum over the vertices
// of (mass before - mass after) velocity, goes to those that gained mass, in proportion to the gain. For a rejoined
// edge they are its two ends, so a middle that moved by itself hands its motion on to them.

static LocalParticles Locals(const EdgeScheme* scheme, const DirtyTriangle* dirty)
{
	const EdgePools* pools = scheme->pools;
	const Configs* configs = &pools->configs;
	const TreeTriangle* triangle = &pools->triangles.data[dirty->triangle];
	unsigned middles = configs->middles[dirty->from] | configs->middles[dirty->to];
	LocalParticles local;
	for (uint32_t k = 0; k < 6; ++k)
		local.gain[k] = (int8_t)(configs->share[dirty->to][k] - configs->share[dirty->from][k]);
	for (uint32_t k = 0; k < 3; ++k)
	{
		local.particle[k] = pools->vertices.data[triangle->vertex[k]].particle;
		local.particle[3 + k] = DRAPE_NONE;
		if (middles & 1u << k)
			local.particle[3 + k] = pools->vertices.data[pools->edges.data[triangle->edge[k] >> 1].middle].particle;
	}
	return local;
}

static void MoveShares(EdgeScheme* scheme, const DirtyTriangle* dirty, const LocalParticles* local)
{
	ActiveMesh* active = scheme->base.active;
	int64_t twelfth = scheme->twelfths[scheme->pools->places.data[dirty->triangle].pattern] >>
	                  (2 * scheme->pools->triangles.data[dirty->triangle].level);
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

// Once per particle: the impulse is cleared when it is spent.
static void Spend(ActiveMesh* active, uint32_t particle, Vec4* impulse)
{
	if (active->share[particle] == 0)
		return; // about to be removed
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
