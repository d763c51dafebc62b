// SPDX-License-Identifier: MIT
#pragma once

#include "base/base.h"

// A fixed table of pointers that any thread may add, find and remove without a lock. A key names a slot and the low bits
// of its generation, so that the key of a removed item does not find its successors, until a slot was used 511 times
// more. Slots are taken in turn. No key is 0, so that the key of a null handle finds nothing.
//
// A pointer must not be removed while another thread uses it.

enum
{
	slotTableBits = 7,
	slotTableSize = 1 << slotTableBits,
	slotTableKeyBits = 16 - slotTableBits, // of a generation, in a key
};

typedef struct SlotTable SlotTable;

// The one table of the library: its worlds.
SlotTable* drapeSlotTable_Worlds(void);

// The slot of a new item; DRAPE_NONE if the table is full. `generation` receives that of the slot.
uint32_t drapeSlotTable_Add(SlotTable* table, void* item, uint16_t* generation);

// The item in a slot and its generation, as they were at one time. NULL for none.
void* drapeSlotTable_Get(SlotTable* table, uint32_t slot, uint16_t* generation);

void drapeSlotTable_Remove(SlotTable* table, uint32_t slot);

DRAPE_INLINE uint16_t SlotTable_Key(uint32_t slot, uint16_t generation)
{
	return (uint16_t)(slot | (uint32_t)generation << slotTableBits);
}
