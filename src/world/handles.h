// SPDX-License-Identifier: MIT
#pragma once

#include "base/array.h"
#include "base/checks/message.h"
#include "drape/id.h"

// Handles of public objects.
//
// A table of at most DRAPE_MAX_WORLDS worlds is the one global of the core besides its hooks (base/slot_table.h): worlds
// are created, found and destroyed on any thread. The `world` of an object's handle is a key of that table.
//
// Objects have slots in lists of their world. Pins and columns, which belong to cloths, have a HandleTable, because
// their lists belong to the cloth.

typedef struct drapeWorld drapeWorld;

// The world of an object's handle; NULL if it does not exist.
drapeWorld* drapeWorlds_Find(uint16_t key);

// The world of a handle; NULL if it does not exist. drapeWorlds_Get asserts that it does.
drapeWorld* drapeWorlds_FindId(drapeWorldId id);
drapeWorld* drapeWorlds_Get(drapeWorldId id);

// Adds a world and writes its handle. False if the table is full.
bool drapeWorlds_Add(drapeWorld* world, drapeWorldId* id);
void drapeWorlds_Remove(drapeWorldId id);

// Keep a sentence for drapeWorld_GetMessage and return the result. drapeWorld_Refuse returns drape_errorArgument, and
// asserts in debug builds.
drapeResult drapeWorld_Fail(drapeWorld* world, drapeResult result, const char* format, ...) DRAPE_PRINTF(3, 4);
drapeResult drapeWorld_Refuse(drapeWorld* world, const char* format, ...) DRAPE_PRINTF(2, 3);
drapeResult drapeWorld_FailMemory(drapeWorld* world);

// Refuses a handle of an object that does not exist; `kind` is "cloth" and the like.
drapeResult drapeHandle_Refuse(uint16_t worldKey, const char* kind);

// A handle of an object that a cloth owns.
typedef struct Handle
{
	uint32_t generation; // odd while in use
	uint32_t cloth;      // slot of the cloth
	uint32_t index;      // in a list of the cloth
} Handle;

typedef struct HandleTable
{
	ARRAY(Handle) list;    // part of snapshots
	ARRAY(void*) userData; // one for each handle
} HandleTable;

void drapeHandles_Destroy(HandleTable* table);

// Reserves memory for so many handles. False when out of memory.
bool drapeHandles_Reserve(HandleTable* table, uint32_t count);

// Takes a handle, for which memory was reserved, and returns its index.
uint32_t drapeHandles_Take(HandleTable* table, uint32_t cloth, uint32_t index);

void drapeHandles_Release(HandleTable* table, uint32_t handle);

// Releases the handles of a cloth that is destroyed.
void drapeHandles_ReleaseCloth(HandleTable* table, uint32_t cloth);

// After the list was loaded from a snapshot. Memory was reserved.
void drapeHandles_Loaded(HandleTable* table);

// The handle in use with this number and generation; NULL for none.
const Handle* drapeHandles_Find(const HandleTable* table, uint32_t index1, uint16_t generation);
