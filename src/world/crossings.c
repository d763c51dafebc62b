// SPDX-License-Identifier: MIT
#include "world/contact_input.h"
#include "world/world.h"

// Crossings of triangles (contact/untangle/tangle.h), with the handles that applications know.

// The slot of the collider with this index among the mesh colliders, or among the others.
static uint32_t ColliderSlotOf(const drapeWorld* world, uint32_t index, bool isMesh)
{
	for (uint32_t slot = 0; slot < world->colliderSlots.count; ++slot)
	{
		if (world->colliderSlots.data[slot].isLive && (world->colliderMeshes.data[slot] != NULL) == isMesh &&
		    index-- == 0)
			return slot;
	}
	DRAPE_ASSERT(false);
	return 0;
}

static drapeColliderId ColliderId(drapeWorld* world, uint32_t index, bool isMesh)
{
	uint32_t slot = ColliderSlotOf(world, index, isMesh);
	return (drapeColliderId){world, slot + 1, world->colliderSlots.data[slot].generation};
}

static drapeCrossing NameOf(drapeWorld* world, const Tangle* tangle, const TangleCrossing* crossing)
{
	const ContactCloth* cloths = world->contact.cloths.data;
	DRAPE_ASSERT(crossing->surface < tangle->clothCount);
	drapeCrossing named = {
		.cloth = drapeCloth_Id(world, cloths[crossing->surface].slot),
		.triangle = crossing->triangle - tangle->surfaces.data[crossing->surface].triangleStart,
		.otherTriangle = DRAPE_NONE,
		.position = drapeTangle_CommonPoint(tangle, crossing),
	};
	if (crossing->other == DRAPE_NONE)
	{
		named.collider = ColliderId(world, crossing->otherTriangle, false);
		return named;
	}
	named.otherTriangle = crossing->otherTriangle - tangle->surfaces.data[crossing->other].triangleStart;
	if (crossing->other < tangle->clothCount)
		named.otherCloth = drapeCloth_Id(world, cloths[crossing->other].slot);
	else
		named.collider = ColliderId(world, crossing->other - tangle->clothCount, true);
	return named;
}

drapeResult drapeWorld_FindCrossings(drapeWorldId id, drapeCrossing* list, uint32_t capacity, uint32_t* count)
{
	bool isValid = id.world && count && (list || capacity == 0);
	DRAPE_ASSERT(isValid);
	if (!isValid)
		return drape_errorArgument;
	Tangle tangle = {0};
	bool isDone = drapeWorld_DescribeContact(id.world) && drapeContactStage_GatherTangle(&id.world->contact, &tangle) &&
	              drapeTangle_Find(&tangle, id.world->tasks);
	*count = isDone ? tangle.crossings.count : 0;
	for (uint32_t i = 0; i < *count && i < capacity; ++i)
		list[i] = NameOf(id.world, &tangle, &tangle.crossings.data[i]);
	drapeTangle_Destroy(&tangle);
	return isDone ? drape_ok : drape_errorMemory;
}
