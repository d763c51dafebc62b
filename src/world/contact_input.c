// SPDX-License-Identifier: MIT
#include "world/contact_input.h"

#include "world/history.h"
#include "world/world.h"

static ContactCloth Describe(Cloth* cloth)
{
	const drapeMaterial* material = &cloth->simulation.model.material;
	return (ContactCloth){
		.broadPhase = &cloth->broadPhase,
		.pattern = &cloth->pattern,
		.mesh = &cloth->active,
		.name = (uint64_t)cloth->generation << 32 | cloth->slot,
		.slot = cloth->slot,
		.thickness = material->thickness,
		.friction = material->friction,
		.system = cloth->system,
		.hasAllContact = cloth->contact == drape_contactAll,
	};
}

bool drapeWorld_DescribeContact(drapeWorld* world)
{
	const ContactScenery scenery = {
		.colliders = world->liveColliders.data,
		.colliderCount = world->liveColliders.count,
		.meshes = world->liveMeshes.data,
		.meshCount = world->liveMeshes.count,
		.revision = world->sceneryRevision,
	};
	drapeContactStage_Begin(&world->contact, &scenery, world->tasks);
	for (uint32_t i = 0; i < world->cloths.count; ++i)
	{
		Cloth* cloth = world->cloths.data[i];
		if (!drapeCloth_IsUsed(cloth))
			continue;
		const ContactCloth described = Describe(cloth);
		if (!drapeContactStage_AddCloth(&world->contact, &described))
			return false;
	}
	return true;
}

// Cloths with all contact and implicit integrators are solved together, up to pairMaxSystems of them. Contact points
// see the others as kinematic.
static bool FindTogether(drapeWorld* world)
{
	world->together.count = 0;
	if (!ArrayReserve(&world->together, pairMaxSystems))
		return false;
	for (uint32_t i = 0; i < world->cloths.count; ++i)
	{
		Cloth* cloth = world->cloths.data[i];
		cloth->system = contactNotSolved;
		if (!drapeCloth_IsUsed(cloth) || cloth->contact != drape_contactAll ||
		    !drapeIntegrator_IsImplicit(cloth->simulation.solver.integrator) || world->together.count == pairMaxSystems)
			continue;
		cloth->system = (uint8_t)world->together.count;
		ArrayPush(&world->together, cloth);
	}
	return true;
}

bool drapeWorld_PrepareContact(drapeWorld* world, float dt)
{
	return FindTogether(world) && drapeWorld_DescribeContact(world) && drapeContactStage_Prepare(&world->contact, dt);
}

// A particle that an impact has stopped must not go on with the velocity before it.
static void RestartHistories(drapeWorld* world)
{
	const ContactStage* contact = &world->contact;
	uint32_t bodies = contact->impactResult.impacts > 0 ? contact->broadPhase.members.count : 0;
	for (uint32_t b = contact->colliderBodies; b < bodies; ++b)
	{
		uint32_t index = contact->broadPhase.members.data[b].index;
		Cloth* cloth = world->cloths.data[contact->cloths.data[index].slot];
		DRAPE_ASSERT(contact->cloths.data[index].mesh == &cloth->active);
		for (uint32_t particle = 0; particle < cloth->active.particleCount; ++particle)
		{
			if (ContactStage_WasMoved(contact, b, particle))
				drapeCloth_RestartHistory(cloth, particle);
		}
	}
}

bool drapeWorld_ResolveContact(drapeWorld* world, float dt)
{
	if (!drapeContactStage_Resolve(&world->contact, dt))
		return false;
	RestartHistories(world);
	return true;
}
