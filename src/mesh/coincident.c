// SPDX-License-Identifier: MIT
#include "mesh/check.h"

#include <string.h>

// Finds vertices at the same position by a radix sort of the bits of their coordinates. The time is linear for any
// input; a hash table depends on its hash function.

typedef struct Entry
{
	uint32_t key; // bits of the coordinate that the present pass sorts by
	uint32_t vertex;
} Entry;

static uint32_t CoordinateBits(Vec3 position, int axis)
{
	const float coordinates[3] = {position.x, position.y, position.z};
	float value = coordinates[axis] + 0.0f; // -0 becomes 0
	uint32_t bits;
	memcpy(&bits, &value, sizeof bits);
	return bits;
}

static bool SamePosition(Vec3 a, Vec3 b)
{
	return a.x == b.x && a.y == b.y && a.z == b.z;
}

// One stable pass by eight bits of the key. False, without a copy, when these bits are equal in all entries.
static bool SortByDigit(const Entry* from, Entry* to, uint32_t count, int shift)
{
	DRAPE_ASSERT(count > 0 && from != to);
	DRAPE_ASSERT(shift >= 0 && shift <= 24 && shift % 8 == 0);
	uint32_t start[257] = {0};
	for (uint32_t i = 0; i < count; ++i)
		start[(from[i].key >> shift & 255) + 1]++;
	if (start[(from[0].key >> shift & 255) + 1] == count)
		return false;
	for (int digit = 0; digit < 256; ++digit)
		start[digit + 1] += start[digit];
	for (uint32_t i = 0; i < count; ++i)
		to[start[from[i].key >> shift & 255]++] = from[i];
	return true;
}

// Sorts by x, then stably by y, then by z. Returns the array, of the two, that has the result.
static Entry* SortByPosition(const Vec3* positions, Entry* entries, Entry* spare, uint32_t count)
{
	for (int axis = 0; axis < 3; ++axis)
	{
		for (uint32_t i = 0; i < count; ++i)
			entries[i].key = CoordinateBits(positions[entries[i].vertex], axis);
		for (int shift = 0; shift < 32; shift += 8)
		{
			if (!SortByDigit(entries, spare, count, shift))
				continue;
			Entry* swapped = entries;
			entries = spare;
			spare = swapped;
		}
	}
	return entries;
}

bool drapeMesh_FindCoincident(const drapeMesh* mesh, const uint8_t* used, uint32_t* lowest)
{
	DRAPE_ASSERT(mesh && used && lowest);
	Entry* entries = NewScratch(Entry, mesh->vertexCount);
	Entry* spare = NewScratch(Entry, mesh->vertexCount);
	bool enough = entries && spare;
	uint32_t count = 0;
	for (uint32_t vertex = 0; enough && vertex < mesh->vertexCount; ++vertex)
	{
		lowest[vertex] = vertex;
		if (used[vertex])
			entries[count++].vertex = vertex;
	}
	const Entry* sorted = count > 0 ? SortByPosition(mesh->positions, entries, spare, count) : entries;
	for (uint32_t i = 1; i < count; ++i)
	{
		if (SamePosition(mesh->positions[sorted[i].vertex], mesh->positions[sorted[i - 1].vertex]))
		{
			lowest[sorted[i].vertex] = lowest[sorted[i - 1].vertex];
			DRAPE_ASSERT(lowest[sorted[i].vertex] < sorted[i].vertex);
		}
	}
	FreeScratch(entries, mesh->vertexCount);
	FreeScratch(spare, mesh->vertexCount);
	return enough;
}
