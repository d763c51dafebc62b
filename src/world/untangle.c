// SPDX-License-Identifier: MIT
#include "contact/untangle/untangle.h"
#include "base/timer.h"
#include "mesh/geometry.h"
#include "world/contact_input.h"
#include "world/world.h"

// Removes crossings: contact/untangle/untangle.h finds positions without them, and the cloths take these over.

enum
{
	untangleCookie = 0x64756e74,
	untangleMaxRounds = 10000,
};

static const float untangleMaxSeconds = 1e6f; // s

drapeUntangleDef drapeDefaultUntangleDef(void)
{
	return (drapeUntangleDef){.rounds = 200, .seconds = 10.0f, .cookie = untangleCookie};
}

static drapeResult Check(drapeWorld* world, const drapeUntangleDef* def)
{
	if (!def || def->cookie != untangleCookie)
		return drapeWorld_Refuse(world,
		                         "the definition of untangling is not initialised, expected drapeDefaultUntangleDef");
	if (def->rounds < 1 || def->rounds > untangleMaxRounds)
		return drapeWorld_Refuse(world, "rounds is %u, expected 1 to %d", def->rounds, untangleMaxRounds);
	if (!(def->seconds >= 0.0f && def->seconds <= untangleMaxSeconds))
		return drapeWorld_Refuse(world, "seconds is %g, expected a number from 0 to %g", (double)def->seconds,
		                         (double)untangleMaxSeconds);
	return drape_ok;
}

static bool PassProgress(const UntangleProgress* progress, void* context)
{
	const drapeUntangleDef* def = context;
	const drapeUntangleProgress passed = {
		.share = progress->share,
		.before = progress->before,
		.left = progress->left,
		.rounds = progress->rounds,
		.seconds = progress->seconds,
	};
	return def->progress(&passed, def->context);
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
		report->farthest = MaxNumF(report->farthest, distance);
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

static drapeUntangleEnd EndOf(UntangleEnd end)
{
	return end == untangle_timeOver    ? drape_untangleTimeOver
	       : end == untangle_cancelled ? drape_untangleCancelled
	                                   : drape_untangleDone;
}

static UntangleResult UntangleAll(drapeWorld* world, const drapeUntangleDef* def, Tangle* tangle)
{
	drapeUntangleDef passed = *def;
	const UntangleDef inner = {
		.rounds = def->rounds,
		.seconds = def->seconds,
		.progress = def->progress ? PassProgress : NULL,
		.context = &passed,
		.tasks = world->tasks,
	};
	if (!drapeWorld_DescribeContact(world) || !drapeContactStage_GatherTangle(&world->contact, tangle))
		return (UntangleResult){.outOfMemory = true};
	return drapeTangle_Untangle(tangle, &inner);
}

drapeResult drapeWorld_Untangle(drapeWorldId id, const drapeUntangleDef* def, drapeUntangleReport* report)
{
	drapeWorld* world = drapeWorlds_Get(id);
	drapeUntangleReport unused, *filled = report ? report : &unused;
	*filled = (drapeUntangleReport){0};
	if (!world || Check(world, def) != drape_ok)
		return drape_errorArgument;
	Tangle tangle = {0};
	drapeClothSleep_WakeAll(world);
	uint64_t began = drapeTimer_Now();
	UntangleResult result = UntangleAll(world, def, &tangle);
	if (!result.outOfMemory)
	{
		*filled = (drapeUntangleReport){
			.before = result.before, .after = result.after, .rounds = result.rounds, .end = EndOf(result.end)};
		if (AreUsable(&tangle))
			PutCloths(world, &tangle, filled);
		else
			filled->after = result.before;
		filled->seconds = (float)(1e-3 * drapeTimer_Ms(began));
	}
	drapeTangle_Destroy(&tangle);
	return result.outOfMemory ? drapeWorld_FailMemory(world) : drape_ok;
}
