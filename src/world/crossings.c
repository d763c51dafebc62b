// SPDX-License-Identifier: MIT
#include "world/world.h"

// Which triangles cross: contact/untangle/tangle.h finds them, here they get the names that programs know.

// --- everything that can cross --------------------------------------------------------------------------------------

void drapeWorldTangle_Destroy(WorldTangle* all)
{
	drapeTangle_Destroy(&all->tangle);
	ArrayFree(&all->surfaceSlots);
	ArrayFree(&all->solidSlots);
}

static bool AddCloth(WorldTangle* all, const Cloth* cloth, uint32_t slot)
{
	const ActiveMesh* mesh = &cloth->active;
	float thickness = cloth->simulation.model.material.thickness;
	const TangleSurface like = {.gap = drapeCloth_LeastGap(cloth), .thickness = thickness};
	if (!ArrayReserve(&all->surfaceSlots, all->surfaceSlots.count + 1) ||
	    !drapeTangle_AddSurface(&all->tangle, &like, mesh->position, mesh->particleCount, &mesh->triangle[0][0],
	                            mesh->triangleCount))
		return false;
	ArrayPush(&all->surfaceSlots, slot);
	return true;
}

static bool AddMesh(WorldTangle* all, const MeshShape* shape, uint32_t slot)
{
	const TangleSurface like = {.shape = shape};
	if (!ArrayReserve(&all->surfaceSlots, all->surfaceSlots.count + 1) ||
	    !drapeTangle_AddSurface(&all->tangle, &like, shape->to, shape->vertexCount, shape->triangle,
	                            shape->triangleCount))
		return false;
	ArrayPush(&all->surfaceSlots, slot);
	return true;
}

static bool AddSolid(WorldTangle* all, const Collider* collider, uint32_t slot)
{
	if (!ArrayReserve(&all->solidSlots, all->solidSlots.count + 1) ||
	    !drapeTangle_AddSolid(&all->tangle, &collider->def, collider->to))
		return false;
	ArrayPush(&all->solidSlots, slot);
	return true;
}

bool drapeWorldTangle_Gather(WorldTangle* all, const drapeWorld* world)
{
	for (uint32_t i = 0; i < world->cloths.count; ++i)
	{
		if (drapeCloth_IsUsed(world->cloths.data[i]) && !AddCloth(all, world->cloths.data[i], i))
			return false;
	}
	for (uint32_t i = 0; i < world->colliderSlots.count; ++i)
	{
		const ColliderMesh* mesh = world->colliderMeshes.data[i];
		bool isUsed = world->colliderSlots.data[i].generation & 1;
		if (isUsed && !(mesh ? AddMesh(all, &mesh->shape, i) : AddSolid(all, &world->colliders.data[i], i)))
			return false;
	}
	return true;
}

// --- by name --------------------------------------------------------------------------------------------------------

static drapeColliderId ColliderId(drapeWorld* world, uint32_t slot)
{
	return (drapeColliderId){world, slot + 1, world->colliderSlots.data[slot].generation};
}

static drapeCrossing NameOf(drapeWorld* world, const WorldTangle* all, const TangleCrossing* crossing)
{
	const Tangle* tangle = &all->tangle;
	drapeCrossing named = {
		.cloth = drapeCloth_Id(world, all->surfaceSlots.data[crossing->surface]),
		.triangle = crossing->triangle - tangle->surfaces.data[crossing->surface].triangleStart,
		.otherTriangle = DRAPE_NONE,
		.position = drapeTangle_Place(tangle, crossing),
	};
	if (crossing->other == DRAPE_NONE)
	{
		named.collider = ColliderId(world, all->solidSlots.data[crossing->otherTriangle]);
		return named;
	}
	named.otherTriangle = crossing->otherTriangle - tangle->surfaces.data[crossing->other].triangleStart;
	if (crossing->other < tangle->clothCount)
		named.otherCloth = drapeCloth_Id(world, all->surfaceSlots.data[crossing->other]);
	else
		named.collider = ColliderId(world, all->surfaceSlots.data[crossing->other]);
	return named;
}

drapeResult drapeWorld_FindCrossings(drapeWorldId id, drapeCrossing* list, uint32_t capacity, uint32_t* count)
{
	bool isValid = id.world && count && (list || capacity == 0);
	DRAPE_ASSERT(isValid);
	if (!isValid)
		return drape_errorArgument;
	WorldTangle all = {0};
	bool isDone = drapeWorldTangle_Gather(&all, id.world) && drapeTangle_Find(&all.tangle, id.world->tasks);
	*count = isDone ? all.tangle.crossings.count : 0;
	for (uint32_t i = 0; i < *count && i < capacity; ++i)
		list[i] = NameOf(id.world, &all, &all.tangle.crossings.data[i]);
	drapeWorldTangle_Destroy(&all);
	return isDone ? drape_ok : drape_errorMemory;
}
