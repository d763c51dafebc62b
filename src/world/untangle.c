// SPDX-License-Identifier: MIT
#include "world/world.h"

#include "contact/untangle/untangle.h"
#include "mesh/geometry.h"

// Taking apart what crosses: contact/untangle/untangle.h finds the places, here particles are put there.

enum
{
	untangleCookie = 0x64756e74,
	untangleMaxRounds = 10000,
};

drapeUntangleDef drapeDefaultUntangleDef(void)
{
	return (drapeUntangleDef){.rounds = 200, .cookie = untangleCookie};
}

static void PutParticles(Cloth* cloth, const Vec4* position, drapeUntangleReport* report)
{
	for (uint32_t i = 0; i < cloth->active.particleCount; ++i)
	{
		Vec4* x = &cloth->active.position[i];
		float way = V3Length(V3Sub(V4Xyz(position[i]), V4Xyz(*x)));
		if (!(way > 0.0f))
			continue;
		*x = (Vec4){position[i].x, position[i].y, position[i].z, x->w};
		report->moved++;
		report->farthest = fmaxf(report->farthest, way);
	}
}

// Distances are added up in floats: a cloth that was taken apart must still be one that a step can work with.
static bool AreUsable(const Tangle* tangle)
{
	for (uint32_t i = 0; i < tangle->position.count; ++i)
	{
		Vec4 x = tangle->position.data[i];
		if (!CoordinateIsUsable(x.x) || !CoordinateIsUsable(x.y) || !CoordinateIsUsable(x.z))
			return false;
	}
	return true;
}

static void PutCloths(drapeWorld* world, const WorldTangle* all, drapeUntangleReport* report)
{
	for (uint32_t i = 0; i < all->tangle.clothCount; ++i)
	{
		Cloth* cloth = world->cloths.data[all->surfaceSlots.data[i]];
		uint32_t before = report->moved;
		PutParticles(cloth, all->tangle.position.data + all->tangle.surfaces.data[i].vertexStart, report);
		if (report->moved == before)
			continue;
		// What BDF2 remembers does not lead here: it begins afresh.
		if (drapeIntegrator_IsImplicit(cloth->simulation.solver.integrator))
			cloth->simulation.previousStep = 0.0f;
		drapeCloth_UpdateNormals(world, cloth);
	}
}

drapeResult drapeWorld_Untangle(drapeWorldId id, const drapeUntangleDef* def, drapeUntangleReport* report)
{
	bool isValid =
		id.world && def && def->cookie == untangleCookie && def->rounds >= 1 && def->rounds <= untangleMaxRounds;
	DRAPE_ASSERT(isValid);
	drapeUntangleReport unused, *filled = report ? report : &unused;
	*filled = (drapeUntangleReport){0};
	if (!isValid)
		return drape_errorArgument;
	WorldTangle all = {0};
	UntangleResult result = {.outOfMemory = true};
	if (drapeWorldTangle_Gather(&all, id.world))
		result = drapeTangle_Untangle(&all.tangle, &(UntangleDef){.rounds = def->rounds, .tasks = id.world->tasks});
	if (!result.outOfMemory)
	{
		*filled = (drapeUntangleReport){.before = result.before, .after = result.after, .rounds = result.rounds};
		if (AreUsable(&all.tangle))
			PutCloths(id.world, &all, filled);
		else
			filled->after = result.before;
	}
	drapeWorldTangle_Destroy(&all);
	return result.outOfMemory ? drape_errorMemory : drape_ok;
}
