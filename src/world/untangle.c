// SPDX-License-Identifier: MIT
#include "contact/untangle/untangle.h"
#include "mesh/geometry.h"
#include "world/contact_input.h"
#include "world/world.h"

// Removes crossings: contact/untangle/untangle.h finds positions without them, and the cloths take these over.

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
		float distance = V3Length(V3Sub(V4Xyz(position[i]), V4Xyz(*x)));
		if (!(distance > 0.0f))
			continue;
		*x = (Vec4){position[i].x, position[i].y, position[i].z, x->w};
		report->moved++;
		report->farthest = fmaxf(report->farthest, distance);
	}
}

// Displacements add up: a cloth may have been moved out of the range that a step can work with.
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

static void PutCloths(drapeWorld* world, const Tangle* tangle, drapeUntangleReport* report)
{
	DRAPE_ASSERT(tangle->clothCount == world->contact.cloths.count);
	for (uint32_t i = 0; i < tangle->clothCount; ++i)
	{
		Cloth* cloth = world->cloths.data[world->contact.cloths.data[i].slot];
		uint32_t before = report->moved;
		PutParticles(cloth, tangle->position.data + tangle->surfaces.data[i].vertexStart, report);
		if (report->moved == before)
			continue;
		// The history does not lead to the new positions.
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
	Tangle tangle = {0};
	UntangleResult result = {.outOfMemory = true};
	if (drapeWorld_DescribeContact(id.world) && drapeContactStage_GatherTangle(&id.world->contact, &tangle))
		result = drapeTangle_Untangle(&tangle, &(UntangleDef){.rounds = def->rounds, .tasks = id.world->tasks});
	if (!result.outOfMemory)
	{
		*filled = (drapeUntangleReport){.before = result.before, .after = result.after, .rounds = result.rounds};
		if (AreUsable(&tangle))
			PutCloths(id.world, &tangle, filled);
		else
			filled->after = result.before;
	}
	drapeTangle_Destroy(&tangle);
	return result.outOfMemory ? drape_errorMemory : drape_ok;
}
