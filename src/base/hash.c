// SPDX-License-Identifier: MIT
#include "base/hash.h"

#include <string.h>

#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
#error "state hashes and snapshots are defined on little-endian machines only"
#endif

// XXH64: Yann Collet, "xxHash fast digest algorithm", specification 0.1.1. Four accumulators take 32 bytes per round.
// The remaining bytes are added in words of 8, 4 and 1 bytes.

#define PRIME_1 0x9e3779b185ebca87u
#define PRIME_2 0xc2b2ae3d27d4eb4fu
#define PRIME_3 0x165667b19e3779f9u
#define PRIME_4 0x85ebca77c2b2ae63u
#define PRIME_5 0x27d4eb2f165667c5u

DRAPE_INLINE uint64_t RotateLeft(uint64_t x, int bits)
{
	return x << bits | x >> (64 - bits);
}

DRAPE_INLINE uint64_t Load64(const uint8_t* p)
{
	uint64_t x;
	memcpy(&x, p, sizeof x);
	return x;
}

DRAPE_INLINE uint64_t Load32(const uint8_t* p)
{
	uint32_t x;
	memcpy(&x, p, sizeof x);
	return x;
}

DRAPE_INLINE uint64_t Round(uint64_t accumulator, uint64_t lane)
{
	return RotateLeft(accumulator + lane * PRIME_2, 31) * PRIME_1;
}

static uint64_t HashStripes(uint64_t seed, const uint8_t* p, const uint8_t* end)
{
	uint64_t a[4] = {seed + PRIME_1 + PRIME_2, seed + PRIME_2, seed, seed - PRIME_1};
	for (; p != end; p += 32)
	{
		a[0] = Round(a[0], Load64(p));
		a[1] = Round(a[1], Load64(p + 8));
		a[2] = Round(a[2], Load64(p + 16));
		a[3] = Round(a[3], Load64(p + 24));
	}
	uint64_t hash = RotateLeft(a[0], 1) + RotateLeft(a[1], 7) + RotateLeft(a[2], 12) + RotateLeft(a[3], 18);
	for (int i = 0; i < 4; ++i)
		hash = (hash ^ Round(0, a[i])) * PRIME_1 + PRIME_4;
	return hash;
}

static uint64_t HashRest(uint64_t hash, const uint8_t* p, size_t size)
{
	for (; size >= 8; p += 8, size -= 8)
		hash = RotateLeft(hash ^ Round(0, Load64(p)), 27) * PRIME_1 + PRIME_4;
	if (size >= 4)
	{
		hash = RotateLeft(hash ^ Load32(p) * PRIME_1, 23) * PRIME_2 + PRIME_3;
		p += 4;
		size -= 4;
	}
	for (; size > 0; ++p, --size)
		hash = RotateLeft(hash ^ *p * PRIME_5, 11) * PRIME_1;
	return hash;
}

uint64_t drapeHash_Bytes(uint64_t seed, const void* data, size_t size)
{
	DRAPE_ASSERT(data || size == 0);
	if (size == 0)
		data = "";
	const uint8_t* bytes = data;
	size_t striped = size & ~(size_t)31;
	uint64_t hash = striped > 0 ? HashStripes(seed, bytes, bytes + striped) : seed + PRIME_5;
	hash = HashRest(hash + size, bytes + striped, size - striped);
	hash = (hash ^ hash >> 33) * PRIME_2;
	hash = (hash ^ hash >> 29) * PRIME_3;
	return hash ^ hash >> 32;
}

static void EmptySlots(HashSlot* slots, uint32_t count)
{
	for (uint32_t i = 0; i < count; ++i)
		slots[i] = (HashSlot){.value = DRAPE_NONE};
}

bool drapeHashMap_Reserve(HashMap* map, uint32_t keys)
{
	if (keys > DRAPE_MAX_ELEMENTS)
		return false;
	if (keys <= map->capacity / 2)
		return true;
	uint32_t capacity = MaxU32(map->capacity, 16);
	while (capacity / 2 < keys)
		capacity *= 2;
	HashMap grown = {.slots = drapeMemAllocArray(capacity, sizeof(HashSlot)), .capacity = capacity};
	if (!grown.slots)
		return false;
	EmptySlots(grown.slots, capacity);
	for (uint32_t i = 0; i < map->capacity; ++i)
	{
		if (map->slots[i].value != DRAPE_NONE)
			HashMap_Put(&grown, map->slots[i].key, map->slots[i].value);
	}
	drapeHashMap_Free(map);
	*map = grown;
	return true;
}

void drapeHashMap_Clear(HashMap* map)
{
	EmptySlots(map->slots, map->capacity);
	map->count = 0;
}

void drapeHashMap_Free(HashMap* map)
{
	drapeMemFree(map->slots, map->capacity * sizeof(HashSlot));
	*map = (HashMap){0};
}
