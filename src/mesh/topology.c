// SPDX-License-Identifier: MIT
#include "mesh/topology.h"

#include <string.h>

// Returns the name of a set: its lowest member.
static uint32_t FindSet(uint32_t* parent, uint32_t member)
{
	while (parent[member] != member)
	{
		parent[member] = parent[parent[member]];
		member = parent[member];
	}
	return member;
}

static uint32_t LowerEnd(const uint32_t* triangles, uint32_t corner)
{
	return MinU32(triangles[corner], triangles[NextCorner(corner)]);
}

static uint32_t UpperEnd(const uint32_t* triangles, uint32_t corner)
{
	return MaxU32(triangles[corner], triangles[NextCorner(corner)]);
}

// Counting sort of the corners by the lower end of their edge. It is stable, so corners ascend within a bucket.
static uint32_t BucketCorners(const Topology* topology, const uint8_t* leftOut, uint32_t* bucketEnd, uint32_t* sorted)
{
	const uint32_t* triangles = topology->triangles;
	uint32_t all = 3 * topology->triangleCount;
	memset(bucketEnd, 0, ((size_t)topology->vertexCount + 1) * sizeof *bucketEnd);
	for (uint32_t corner = 0; corner < all; ++corner)
	{
		DRAPE_ASSERT(triangles[corner] < topology->vertexCount);
		if (!leftOut || !leftOut[corner / 3])
			bucketEnd[LowerEnd(triangles, corner) + 1]++;
	}
	for (uint32_t vertex = 0; vertex < topology->vertexCount; ++vertex)
		bucketEnd[vertex + 1] += bucketEnd[vertex];
	// bucketEnd[v] is the start of bucket v here, and its end after the loop.
	uint32_t count = bucketEnd[topology->vertexCount];
	for (uint32_t corner = 0; corner < all; ++corner)
	{
		if (!leftOut || !leftOut[corner / 3])
			sorted[bucketEnd[LowerEnd(triangles, corner)]++] = corner;
	}
	return count;
}

// Sets edgeOf[corner] to the lowest corner of the same edge. Within a bucket only the upper ends differ: `seen` has,
// for each upper end, the last corner that had it. The lower end of that corner tells whether it was in this bucket.
static void FindFirstCorners(Topology* topology, const uint32_t* sorted, uint32_t* seen)
{
	const uint32_t* triangles = topology->triangles;
	memset(seen, 0xff, (size_t)topology->vertexCount * sizeof *seen);
	memset(topology->edgeOf, 0xff, 3 * (size_t)topology->triangleCount * sizeof *topology->edgeOf);
	for (uint32_t i = 0; i < topology->cornerCount; ++i)
	{
		uint32_t corner = sorted[i];
		uint32_t lower = LowerEnd(triangles, corner), upper = UpperEnd(triangles, corner);
		DRAPE_ASSERT(lower != upper);
		if (seen[upper] == DRAPE_NONE || LowerEnd(triangles, seen[upper]) != lower)
			seen[upper] = corner;
		topology->edgeOf[corner] = seen[upper];
	}
}

static void NumberEdges(Topology* topology)
{
	for (uint32_t corner = 0; corner < 3 * topology->triangleCount; ++corner)
	{
		uint32_t first = topology->edgeOf[corner];
		if (first == DRAPE_NONE)
			continue;
		DRAPE_ASSERT(first <= corner);
		topology->edgeOf[corner] = first == corner ? topology->edgeCount++ : topology->edgeOf[first];
	}
}

static void ListCorners(Topology* topology)
{
	uint32_t* first = topology->edgeFirst;
	memset(first, 0, ((size_t)topology->edgeCount + 1) * sizeof *first);
	for (uint32_t corner = 0; corner < 3 * topology->triangleCount; ++corner)
	{
		if (topology->edgeOf[corner] != DRAPE_NONE)
			first[topology->edgeOf[corner] + 1]++;
	}
	for (uint32_t edge = 0; edge < topology->edgeCount; ++edge)
		first[edge + 1] += first[edge];
	// first[e + 1] is the end of edge e here, and its start after the loop.
	for (uint32_t corner = 3 * topology->triangleCount; corner-- > 0;)
	{
		uint32_t edge = topology->edgeOf[corner];
		if (edge != DRAPE_NONE)
			topology->corners[--first[edge + 1]] = corner;
	}
	DRAPE_ASSERT(topology->edgeCount == 0 || first[1] == 0);
	memmove(first, first + 1, (size_t)topology->edgeCount * sizeof *first);
	first[topology->edgeCount] = topology->cornerCount;
}

bool drapeTopology_Create(Topology* topology, const uint32_t* triangles, uint32_t triangleCount, uint32_t vertexCount,
                          const uint8_t* leftOut)
{
	DRAPE_ASSERT(triangleCount <= DRAPE_MAX_ELEMENTS && vertexCount <= DRAPE_MAX_ELEMENTS);
	*topology = (Topology){.triangles = triangles, .vertexCount = vertexCount, .triangleCount = triangleCount};
	uint32_t* buckets = NewScratch(uint32_t, vertexCount);
	topology->edgeOf = NewScratch(uint32_t, 3 * (size_t)triangleCount);
	topology->corners = NewScratch(uint32_t, 3 * (size_t)triangleCount);
	bool enough = buckets && topology->edgeOf && topology->corners;
	if (enough)
	{
		topology->cornerCount = BucketCorners(topology, leftOut, buckets, topology->corners);
		FindFirstCorners(topology, topology->corners, buckets);
		NumberEdges(topology);
		topology->edgeFirst = NewScratch(uint32_t, topology->edgeCount);
		enough = topology->edgeFirst != NULL;
	}
	FreeScratch(buckets, vertexCount);
	if (!enough)
	{
		drapeTopology_Destroy(topology);
		return false;
	}
	ListCorners(topology);
	return true;
}

void drapeTopology_Destroy(Topology* topology)
{
	FreeScratch(topology->edgeOf, 3 * (size_t)topology->triangleCount);
	FreeScratch(topology->corners, 3 * (size_t)topology->triangleCount);
	FreeScratch(topology->edgeFirst, topology->edgeCount);
	*topology = (Topology){0};
}

bool drapeTopology_FindRepeated(const Topology* topology, uint32_t* original)
{
	const uint32_t* triangles = topology->triangles;
	uint32_t* seen = NewScratch(uint32_t, topology->vertexCount);
	if (!seen)
		return false;
	memset(seen, 0xff, (size_t)topology->vertexCount * sizeof *seen);
	memset(original, 0xff, (size_t)topology->triangleCount * sizeof *original);
	// Repeated triangles share the edge between their two lower vertices. Among the triangles of an edge, the highest
	// vertex identifies them.
	for (uint32_t i = 0; i < topology->cornerCount; ++i)
	{
		uint32_t corner = topology->corners[i];
		uint32_t highest = triangles[PreviousCorner(corner)];
		if (highest < UpperEnd(triangles, corner))
			continue;
		if (seen[highest] != DRAPE_NONE && topology->edgeOf[seen[highest]] == topology->edgeOf[corner])
			original[corner / 3] = seen[highest] / 3;
		else
			seen[highest] = corner;
	}
	FreeScratch(seen, topology->vertexCount);
	return true;
}

void drapeTopology_FindFans(const Topology* topology, uint32_t* fan)
{
	const uint32_t* triangles = topology->triangles;
	uint32_t all = 3 * topology->triangleCount;
	drapeSets_Clear(fan, all);
	for (uint32_t edge = 0; edge < topology->edgeCount; ++edge)
	{
		for (uint32_t i = topology->edgeFirst[edge] + 1; i < topology->edgeFirst[edge + 1]; ++i)
		{
			uint32_t a = topology->corners[i - 1], b = topology->corners[i];
			bool alike = triangles[a] == triangles[b];
			drapeSets_Join(fan, a, alike ? b : NextCorner(b));
			drapeSets_Join(fan, NextCorner(a), alike ? NextCorner(b) : b);
		}
	}
	for (uint32_t corner = 0; corner < all; ++corner)
		fan[corner] = FindSet(fan, corner);
}

bool drapeTopology_CountPieces(const Topology* topology, bool boundaryOnly, uint32_t* pieces, uint32_t* vertices)
{
	*pieces = *vertices = 0;
	uint32_t* parent = NewScratch(uint32_t, topology->vertexCount);
	if (!parent)
		return false;
	memset(parent, 0xff, (size_t)topology->vertexCount * sizeof *parent);
	for (uint32_t edge = 0; edge < topology->edgeCount; ++edge)
	{
		if (boundaryOnly && Topology_EdgeSize(topology, edge) != 1)
			continue;
		uint32_t corner = topology->corners[topology->edgeFirst[edge]];
		uint32_t ends[2] = {topology->triangles[corner], topology->triangles[NextCorner(corner)]};
		for (int i = 0; i < 2; ++i)
		{
			if (parent[ends[i]] != DRAPE_NONE)
				continue;
			parent[ends[i]] = ends[i];
			++*vertices;
			++*pieces;
		}
		if (drapeSets_Join(parent, ends[0], ends[1]))
			--*pieces;
	}
	FreeScratch(parent, topology->vertexCount);
	return true;
}

bool drapeTopology_EdgeIsFlipped(const Topology* topology, uint32_t edge)
{
	const uint32_t* corners = topology->corners + topology->edgeFirst[edge];
	return Topology_EdgeSize(topology, edge) == 2 && topology->triangles[corners[0]] == topology->triangles[corners[1]];
}

// Walks one patch breadth first from `start`, which defines its winding. `queue` is [triangleCount].
static void OrientPatch(Orientation* orientation, const Topology* topology, uint32_t start, uint32_t* queue)
{
	DRAPE_ASSERT(orientation->patchOf[start] == DRAPE_NONE);
	uint32_t patch = orientation->patchCount++;
	orientation->conflict[patch] = DRAPE_NONE;
	orientation->patchOf[start] = patch;
	orientation->reversed[start] = 0;
	uint32_t head = 0, tail = 0;
	queue[tail++] = start;
	while (head < tail)
	{
		uint32_t triangle = queue[head++];
		for (uint32_t corner = 3 * triangle; corner < 3 * triangle + 3; ++corner)
		{
			uint32_t edge = topology->edgeOf[corner];
			if (Topology_EdgeSize(topology, edge) != 2)
				continue;
			const uint32_t* pair = topology->corners + topology->edgeFirst[edge];
			uint32_t other = (pair[0] == corner ? pair[1] : pair[0]) / 3;
			uint8_t reversed = orientation->reversed[triangle] ^ (uint8_t)drapeTopology_EdgeIsFlipped(topology, edge);
			if (orientation->patchOf[other] == DRAPE_NONE)
			{
				orientation->patchOf[other] = patch;
				orientation->reversed[other] = reversed;
				queue[tail++] = other;
			}
			else if (orientation->reversed[other] != reversed && orientation->conflict[patch] == DRAPE_NONE)
			{
				orientation->conflict[patch] = edge;
			}
		}
	}
}

bool drapeOrientation_Create(Orientation* orientation, const Topology* topology)
{
	uint32_t count = topology->triangleCount;
	*orientation = (Orientation){.triangleCount = count};
	uint32_t* queue = NewScratch(uint32_t, count);
	orientation->patchOf = NewScratch(uint32_t, count);
	orientation->reversed = NewScratch(uint8_t, count);
	orientation->conflict = NewScratch(uint32_t, count);
	bool enough = queue && orientation->patchOf && orientation->reversed && orientation->conflict;
	if (enough)
	{
		memset(orientation->patchOf, 0xff, (size_t)count * sizeof *orientation->patchOf);
		memset(orientation->reversed, 0, count);
		for (uint32_t triangle = 0; triangle < count; ++triangle)
		{
			if (orientation->patchOf[triangle] == DRAPE_NONE && topology->edgeOf[3 * triangle] != DRAPE_NONE)
				OrientPatch(orientation, topology, triangle, queue);
		}
	}
	else
	{
		drapeOrientation_Destroy(orientation);
	}
	FreeScratch(queue, count);
	return enough;
}

void drapeOrientation_Destroy(Orientation* orientation)
{
	FreeScratch(orientation->patchOf, orientation->triangleCount);
	FreeScratch(orientation->reversed, orientation->triangleCount);
	FreeScratch(orientation->conflict, orientation->triangleCount);
	*orientation = (Orientation){0};
}

void drapeSets_Clear(uint32_t* parent, uint32_t count)
{
	for (uint32_t i = 0; i < count; ++i)
		parent[i] = i;
}

bool drapeSets_Join(uint32_t* parent, uint32_t a, uint32_t b)
{
	a = FindSet(parent, a);
	b = FindSet(parent, b);
	DRAPE_ASSERT(parent[a] == a && parent[b] == b);
	if (a == b)
		return false;
	// The lower one becomes the name, so that names do not depend on the order of joins.
	parent[MaxU32(a, b)] = MinU32(a, b);
	return true;
}
