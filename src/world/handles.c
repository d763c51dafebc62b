// SPDX-License-Identifier: MIT
#include "world/handles.h"

#include "base/slot_table.h"

// --- worlds ---------------------------------------------------------------------------------------------------------

_Static_assert(slotTableSize == DRAPE_MAX_WORLDS, "the table has a slot for every world");

drapeWorld* drapeWorlds_Find(uint16_t key)
{
	uint16_t generation;
	uint32_t slot = key % slotTableSize;
	drapeWorld* world = drapeSlotTable_Get(drapeSlotTable_Worlds(), slot, &generation);
	return SlotTable_Key(slot, generation) == key ? world : NULL;
}

drapeWorld* drapeWorlds_FindId(drapeWorldId id)
{
	uint32_t slot = id.index1 - 1;
	uint16_t generation;
	if (slot >= DRAPE_MAX_WORLDS)
		return NULL;
	drapeWorld* world = drapeSlotTable_Get(drapeSlotTable_Worlds(), slot, &generation);
	return generation == id.generation && id.world == SlotTable_Key(slot, generation) ? world : NULL;
}

drapeWorld* drapeWorlds_Get(drapeWorldId id)
{
	drapeWorld* world = drapeWorlds_FindId(id);
	if (!world)
		drapeRefuse_Assert("the world does not exist: it was destroyed, or its handle is null");
	return world;
}

bool drapeWorlds_Add(drapeWorld* world, drapeWorldId* id)
{
	uint16_t generation;
	uint32_t slot = drapeSlotTable_Add(drapeSlotTable_Worlds(), world, &generation);
	if (slot == DRAPE_NONE)
		return false;
	*id = (drapeWorldId){slot + 1, SlotTable_Key(slot, generation), generation};
	return true;
}

void drapeWorlds_Remove(drapeWorldId id)
{
	DRAPE_ASSERT(drapeWorlds_FindId(id));
	drapeSlotTable_Remove(drapeSlotTable_Worlds(), id.index1 - 1);
}

// --- objects of cloths ----------------------------------------------------------------------------------------------

void drapeHandles_Destroy(HandleTable* table)
{
	ArrayFree(&table->list);
	ArrayFree(&table->userData);
}

bool drapeHandles_Reserve(HandleTable* table, uint32_t count)
{
	return ArrayReserve(&table->list, count) && ArrayReserve(&table->userData, count);
}

uint32_t drapeHandles_Take(HandleTable* table, uint32_t cloth, uint32_t index)
{
	uint32_t i = 0;
	while (i < table->list.count && (table->list.data[i].generation & 1))
		i++;
	DRAPE_ASSERT(i < table->list.capacity && i < table->userData.capacity);
	if (i == table->list.count)
	{
		ArrayPush(&table->list, (Handle){0});
		ArrayPush(&table->userData, NULL);
	}
	table->list.data[i] = (Handle){table->list.data[i].generation + 1, cloth, index};
	table->userData.data[i] = NULL;
	return i;
}

void drapeHandles_Release(HandleTable* table, uint32_t handle)
{
	DRAPE_ASSERT(handle < table->list.count);
	DRAPE_ASSERT(table->list.data[handle].generation & 1);
	table->list.data[handle].generation++;
}

void drapeHandles_ReleaseCloth(HandleTable* table, uint32_t cloth)
{
	for (uint32_t i = 0; i < table->list.count; ++i)
	{
		if ((table->list.data[i].generation & 1) && table->list.data[i].cloth == cloth)
			drapeHandles_Release(table, i);
	}
}

void drapeHandles_Loaded(HandleTable* table)
{
	DRAPE_ASSERT(table->list.count <= table->userData.capacity);
	while (table->userData.count < table->list.count)
		ArrayPush(&table->userData, NULL);
}

const Handle* drapeHandles_Find(const HandleTable* table, uint32_t index1, uint16_t generation)
{
	if (index1 == 0 || index1 > table->list.count)
		return NULL;
	const Handle* handle = &table->list.data[index1 - 1];
	return (handle->generation & 1) && (uint16_t)handle->generation == generation ? handle : NULL;
}
