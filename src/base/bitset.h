// SPDX-License-Identifier: MIT
#pragma once

#include "base/alloc.h"

#include <string.h>

// One bit per element. A zeroed BitSet is empty. The set stores only its capacity. Its owner knows the number of bits
// in use and passes it to the functions that need it.
typedef struct BitSet
{
	uint64_t* words;
	uint32_t capacity; // bits, a multiple of 64
} BitSet;

DRAPE_INLINE uint32_t BitSet_WordCount(uint32_t bits)
{
	return bits / 64 + (bits % 64 != 0);
}

// Ensures a capacity of `bits` bits. Keeps the contents; new bits are zero. Returns false and changes nothing if memory
// runs out.
static inline bool BitSet_Reserve(BitSet* set, uint32_t bits)
{
	if (bits <= set->capacity)
		return true;
	if (bits > DRAPE_MAX_ELEMENTS)
		return false;
	uint32_t held = set->capacity / 64;
	uint32_t grown = MaxU32(BitSet_WordCount(bits), held + held / 2);
	uint64_t* words = drapeMemResize(set->words, held * sizeof(uint64_t), grown * sizeof(uint64_t));
	if (!words)
		return false;
	memset(words + held, 0, (grown - held) * sizeof(uint64_t));
	set->words = words;
	set->capacity = grown * 64;
	return true;
}

// Makes an empty set a copy of another one. Returns false and changes nothing if memory runs out.
static inline bool BitSet_Copy(BitSet* set, const BitSet* from)
{
	DRAPE_ASSERT(set->capacity == 0);
	if (!BitSet_Reserve(set, from->capacity))
		return false;
	if (from->capacity > 0)
		memcpy(set->words, from->words, from->capacity / 8);
	return true;
}

static inline void BitSet_Free(BitSet* set)
{
	drapeMemFree(set->words, set->capacity / 8);
	*set = (BitSet){0};
}

// Clears the first `bits` bits and the rest of the last word.
static inline void BitSet_ClearAll(BitSet* set, uint32_t bits)
{
	DRAPE_ASSERT(bits <= set->capacity);
	if (bits > 0)
		memset(set->words, 0, BitSet_WordCount(bits) * sizeof(uint64_t));
}

// Sets the first `bits` bits and clears the rest of the last word.
static inline void BitSet_SetAll(BitSet* set, uint32_t bits)
{
	DRAPE_ASSERT(bits <= set->capacity);
	if (bits == 0)
		return;
	memset(set->words, 0xff, BitSet_WordCount(bits) * sizeof(uint64_t));
	if (bits % 64 != 0)
		set->words[bits / 64] = ((uint64_t)1 << bits % 64) - 1;
}

DRAPE_INLINE bool BitSet_Get(const BitSet* set, uint32_t i)
{
	DRAPE_ASSERT(i < set->capacity);
	return set->words[i / 64] >> (i % 64) & 1;
}

DRAPE_INLINE void BitSet_Set(BitSet* set, uint32_t i)
{
	DRAPE_ASSERT(i < set->capacity);
	set->words[i / 64] |= (uint64_t)1 << (i % 64);
}

DRAPE_INLINE void BitSet_Clear(BitSet* set, uint32_t i)
{
	DRAPE_ASSERT(i < set->capacity);
	set->words[i / 64] &= ~((uint64_t)1 << (i % 64));
}

DRAPE_INLINE void BitSet_Flip(BitSet* set, uint32_t i)
{
	DRAPE_ASSERT(i < set->capacity);
	set->words[i / 64] ^= (uint64_t)1 << (i % 64);
}

// Counts the set bits among the first `bits` bits.
static inline uint32_t BitSet_CountSet(const BitSet* set, uint32_t bits)
{
	DRAPE_ASSERT(bits <= set->capacity);
	uint32_t count = 0;
	for (uint32_t word = 0; word < bits / 64; ++word)
		count += (uint32_t)__builtin_popcountll(set->words[word]);
	if (bits % 64 != 0)
		count += (uint32_t)__builtin_popcountll(set->words[bits / 64] << (64 - bits % 64));
	return count;
}

// Returns the first set bit i with from <= i < end, or DRAPE_NONE. A loop over all set bits in order:
//   for (uint32_t i = BitSet_Next(&set, 0, end); i != DRAPE_NONE; i = BitSet_Next(&set, i + 1, end))
// The loop may set and clear bits; it sees the changes to bits that it has not reached yet.
DRAPE_INLINE uint32_t BitSet_Next(const BitSet* set, uint32_t from, uint32_t end)
{
	DRAPE_ASSERT(end <= set->capacity);
	if (from >= end)
		return DRAPE_NONE;
	uint32_t index = from / 64;
	uint32_t last = (end - 1) / 64;
	uint64_t word = set->words[index] & ~(uint64_t)0 << (from % 64);
	while (word == 0 && index < last)
		word = set->words[++index];
	if (word == 0)
		return DRAPE_NONE;
	uint32_t found = index * 64 + (uint32_t)__builtin_ctzll(word);
	return found < end ? found : DRAPE_NONE;
}
