// SPDX-License-Identifier: MIT
#pragma once

#include "base/alloc.h"

// Hashes for comparing states and for tables, and a hash table. They do not resist an attacker.

// Returns the 64-bit hash XXH64 of the xxHash family, written from its specification. The result is the same on every
// little-endian machine and for any alignment of `data`. To hash several arrays, pass the hash of one as the seed of
// the next.
uint64_t drapeHash_Bytes(uint64_t seed, const void* data, size_t size);

// Mixes all bits of x into all bits of the result. The function is a bijection: the finaliser of MurmurHash3 with
// Stafford's constants "Mix13", as in SplitMix64 (Steele, Lea and Flood 2014). Hash_U64(0) is 0.
DRAPE_INLINE uint64_t Hash_U64(uint64_t x)
{
	x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
	x = (x ^ x >> 27) * 0x94d049bb133111ebu;
	return x ^ x >> 31;
}

// A table from 64-bit keys to 32-bit values with open addressing and linear probing, at most half full. Single keys
// cannot be deleted. Any key is allowed. DRAPE_NONE is not a value: it marks an empty slot. A zeroed HashMap is empty.
// Key and value share a slot, so that a look-up touches one cache line in most cases.
typedef struct HashSlot
{
	uint64_t key;
	uint32_t value;
	uint32_t unused;
} HashSlot;

typedef struct HashMap
{
	HashSlot* slots;
	uint32_t capacity; // slots: 0 or a power of two
	uint32_t count;    // keys held
} HashMap;

_Static_assert(sizeof(HashSlot) == 16, "four slots to a cache line");

// Ensures a capacity of `keys` keys in all, so that putting them cannot fail. Keeps the contents. Returns false and
// changes nothing if memory runs out.
bool drapeHashMap_Reserve(HashMap* map, uint32_t keys);

// Removes all keys and keeps the capacity.
void drapeHashMap_Clear(HashMap* map);
void drapeHashMap_Free(HashMap* map);

// Returns the slot that holds the key, or the empty slot for it. The table always has an empty slot.
DRAPE_INLINE HashSlot* HashMap_Find(const HashMap* map, uint64_t key)
{
	DRAPE_ASSERT(map->capacity > 0 && (map->capacity & (map->capacity - 1)) == 0);
	uint32_t mask = map->capacity - 1;
	uint32_t i = (uint32_t)Hash_U64(key) & mask;
	while (map->slots[i].value != DRAPE_NONE && map->slots[i].key != key)
		i = (i + 1) & mask;
	return &map->slots[i];
}

// Returns the value of the key, or DRAPE_NONE.
DRAPE_INLINE uint32_t HashMap_Get(const HashMap* map, uint64_t key)
{
	return map->capacity > 0 ? HashMap_Find(map, key)->value : DRAPE_NONE;
}

// Sets the value of the key. A new key needs capacity from drapeHashMap_Reserve.
DRAPE_INLINE void HashMap_Put(HashMap* map, uint64_t key, uint32_t value)
{
	DRAPE_ASSERT(value != DRAPE_NONE);
	DRAPE_ASSERT(map->capacity > 0);
	HashSlot* slot = HashMap_Find(map, key);
	if (slot->value == DRAPE_NONE)
	{
		DRAPE_ASSERT(map->count < map->capacity / 2);
		map->count++;
	}
	slot->key = key;
	slot->value = value;
}
