// SPDX-License-Identifier: MIT
#include "base/checks/values.h"
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

static drapeColliderId ColliderId(const drapeWorld* world, uint32_t index, bool isMesh)
{
	return drapeCollider_Id(world, ColliderSlotOf(world, index, isMesh));
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
	drapeWorld* world = drapeWorlds_Get(id);
	if (!world)
		return drape_errorArgument;
	if (!count)
		return drapeWorld_Refuse(world, "count is NULL");
	*count = 0;
	drapeResult result = drapeArray_Check("list", list, capacity, &world->message);
	if (result != drape_ok)
		return result;
	Tangle tangle = {0};
	bool isDone = drapeWorld_DescribeContact(world) && drapeContactStage_GatherTangle(&world->contact, &tangle) &&
	              drapeTangle_Find(&tangle, world->tasks);
	*count = isDone ? tangle.crossings.count : 0;
	for (uint32_t i = 0; i < *count && i < capacity; ++i)
		list[i] = NameOf(world, &tangle, &tangle.crossings.data[i]);
	drapeTangle_Destroy(&tangle);
	return isDone ? drape_ok : drapeWorld_FailMemory(world);
}
