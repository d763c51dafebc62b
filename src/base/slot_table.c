// SPDX-License-Identifier: MIT
#include "base/slot_table.h"

#include <stdatomic.h>

struct SlotTable
{
	_Atomic(void*) item[slotTableSize];
	_Atomic(uint16_t) generation[slotTableSize]; // that of the slot, minus one; raised when an item is removed
	atomic_uint next;                            // the slot that is tried first
};

static SlotTable worlds;

SlotTable* drapeSlotTable_Worlds(void)
{
	return &worlds;
}

// The low bits of a generation, which keys have, are never 0.
static uint16_t StepToNext(uint16_t stored)
{
	const unsigned low = (1u << slotTableKeyBits) - 1;
	return ((stored + 1u) & low) == low ? 2 : 1;
}

// The order of the two loads matters: an item that was added after another one had been removed has the generation of
// its time.
void* drapeSlotTable_Get(SlotTable* table, uint32_t slot, uint16_t* generation)
{
	DRAPE_ASSERT(slot < slotTableSize);
	void* item = atomic_load_explicit(&table->item[slot], memory_order_acquire);
	*generation = (uint16_t)(1u + atomic_load_explicit(&table->generation[slot], memory_order_acquire));
	return item;
}

uint32_t drapeSlotTable_Add(SlotTable* table, void* item, uint16_t* generation)
{
	DRAPE_ASSERT(item && generation);
	for (uint32_t i = 0; i < slotTableSize; ++i)
	{
		uint32_t slot = atomic_fetch_add_explicit(&table->next, 1, memory_order_relaxed) % slotTableSize;
		void* expected = NULL;
		if (!atomic_compare_exchange_strong_explicit(&table->item[slot], &expected, item, memory_order_acq_rel,
		                                             memory_order_acquire))
			continue;
		*generation = (uint16_t)(1u + atomic_load_explicit(&table->generation[slot], memory_order_acquire));
		return slot;
	}
	return DRAPE_NONE;
}

void drapeSlotTable_Remove(SlotTable* table, uint32_t slot)
{
	DRAPE_ASSERT(slot < slotTableSize);
	DRAPE_ASSERT(atomic_load_explicit(&table->item[slot], memory_order_acquire));
	uint16_t stored = atomic_load_explicit(&table->generation[slot], memory_order_relaxed);
	atomic_fetch_add_explicit(&table->generation[slot], StepToNext(stored), memory_order_acq_rel);
	atomic_store_explicit(&table->item[slot], NULL, memory_order_release);
}
