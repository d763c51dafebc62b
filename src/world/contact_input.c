// SPDX-License-Identifier: MIT
#include "world/contact_input.h"

#include "world/history.h"
#include "world/world.h"

// Edges that are longer than this, over the limit of an edge within a substep, yield to colliders.
static const float yieldFactor = 1.2f;

static ContactCloth Describe(Cloth* cloth)
{
	const drapeMaterial* material = &cloth->simulation.model.material;
	return (ContactCloth){
		.broadPhase = &cloth->broadPhase,
		.pattern = cloth->pattern,
		.mesh = &cloth->active,
		.name = Cloth_ContactName(cloth),
		.slot = cloth->slot,
		.pinch = Cloth_Pinches(cloth),
		.passed = Cloth_Pinches(cloth) ? &cloth->simulation.passed : NULL,
		.thickness = material->thickness,
		.friction = material->friction,
		.thicknessFactor = Cloth_Painted(cloth, drape_vertexThickness),
		.frictionFactor = Cloth_Painted(cloth, drape_vertexFriction),
		.yieldStretch = yieldFactor * cloth->simulation.model.hardStretch,
		.system = cloth->system,
		// An awake cloth that could touch a sleeping one has woken it.
		.hasAllContact = cloth->contact == drape_contactAll && !cloth->sleep.isAsleep,
		.filter = ContactFilter_Make(cloth->filter),
		.seen = drapeScenery_Seen(cloth),
	};
}

static bool JoinsElements(const drapeWorld* world, const StoredConstraint* constraint)
{
	return drapeConstraint_IsOn(world, constraint) && constraint->cloth1[1] > 0 &&
	       drapeConstraint_TraitsOf(constraint->kind)->joinsElements;
}

// Describes the particles that a constraint joins, by pairs. Weights that are rounding errors do not count.
static bool DescribeStitch(drapeWorld* world, const StoredConstraint* stitch, const PatternLocation locations[2])
{
	const float least = 1e-4f;
	for (int k = 0; k < 9; ++k)
	{
		if (fabsf(locations[0].weight[k / 3]) < least || fabsf(locations[1].weight[k % 3]) < least)
			continue;
		const StitchedParticles pair = {{stitch->cloth1[0] - 1, stitch->cloth1[1] - 1},
		                                {locations[0].particle[k / 3], locations[1].particle[k % 3]}};
		if (!drapeContactStage_AddStitch(&world->contact, pair))
			return false;
	}
	return true;
}

bool drapeWorld_DescribeStitches(drapeWorld* world)
{
	const WorldConstraints* constraints = &world->constraints;
	const PatternLocation* locations = NULL;
	drapeContactStage_ForgetStitches(&world->contact);
	for (uint32_t i = 0; i < constraints->list.count; ++i)
	{
		const StoredConstraint* constraint = &constraints->list.data[i];
		if (!JoinsElements(world, constraint))
			continue;
		if (!locations)
			locations = drapeConstraints_PresentLocations(world);
		if (!locations || !DescribeStitch(world, constraint, &locations[2 * i]))
			return false;
	}
	return true;
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
	return drapeWorld_DescribeStitches(world);
}

static bool IsSolvedTogether(const Cloth* cloth, bool isLinked)
{
	return Cloth_IsAwake(cloth) && cloth->isLinked == isLinked &&
	       drapeIntegrator_IsImplicit(cloth->simulation.solver.integrator) &&
	       (isLinked || cloth->contact == drape_contactAll);
}

// Finds the cloths that are simulated together. Cloths with implicit integrators that constraints or contact join are
// one system, up to pairMaxSystems of them; contact points see the others as kinematic. Cloths with explicit
// integrators that constraints join to others follow in the list.
static bool FindTogether(drapeWorld* world)
{
	world->together.count = 0;
	if (!ArrayReserve(&world->together, pairMaxSystems + world->cloths.count))
		return false;
	for (uint32_t i = 0; i < world->cloths.count; ++i)
	{
		world->cloths.data[i]->system = contactNotSolved;
		world->cloths.data[i]->isTogether = false;
	}
	for (int pass = 0; pass < 2; ++pass)
	{
		for (uint32_t i = 0; i < world->cloths.count && world->together.count < pairMaxSystems; ++i)
		{
			Cloth* cloth = world->cloths.data[i];
			if (!IsSolvedTogether(cloth, pass == 0))
				continue;
			cloth->system = (uint8_t)world->together.count;
			cloth->isTogether = true;
			ArrayPush(&world->together, cloth);
		}
	}
	for (uint32_t i = 0; i < world->cloths.count; ++i)
	{
		Cloth* cloth = world->cloths.data[i];
		if (!Cloth_IsAwake(cloth) || !cloth->isLinked || cloth->isTogether)
			continue;
		cloth->isTogether = true;
		ArrayPush(&world->together, cloth);
	}
	return true;
}

bool drapeWorld_PrepareContact(drapeWorld* world, float dt)
{
	world->contact.deadline = &world->deadline;
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

// The same for particles that recovery has moved.
static void RestartRecovered(drapeWorld* world)
{
	const ContactStage* contact = &world->contact;
	const Recovery* recovery = &contact->recovery;
	for (uint32_t i = 0; recovery->isActive && i < recovery->moving.count; ++i)
	{
		uint32_t vertex = recovery->moving.data[i].vertex, surface = 0;
		while (vertex >= recovery->tangle.surfaces.data[surface].vertexEnd)
			surface++;
		uint32_t index = contact->broadPhase.members.data[contact->colliderBodies + surface].index;
		drapeCloth_RestartHistory(world->cloths.data[contact->cloths.data[index].slot],
		                          vertex - recovery->tangle.surfaces.data[surface].vertexStart);
	}
}

bool drapeWorld_ResolveContact(drapeWorld* world, float dt)
{
	if (!drapeContactStage_Resolve(&world->contact, dt))
		return false;
	RestartHistories(world);
	RestartRecovered(world);
	return true;
}
