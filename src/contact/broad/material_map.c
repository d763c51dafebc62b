// SPDX-License-Identifier: MIT
#include "contact/broad/material_map.h"

#include <string.h>

enum
{
	walkMost = 160,  // particles that a search for a path looks at
	walkSlots = 256, // of its table, a power of two
};

void drapeMaterialMap_Free(MaterialMap* map)
{
	ArrayFree(&map->cutDistance);
	ArrayFree(&map->queue);
	BitSet_Free(&map->isWaiting);
	*map = (MaterialMap){0};
}

static float Between(Vec4 a, Vec4 b)
{
	Vec2 offset = {a.x - b.x, a.y - b.y};
	return sqrtf(V2Dot(offset, offset));
}

// --- distances from cuts --------------------------------------------------------------------------------------------

// A queue of particles whose distance has become shorter. A particle waits in it at most once.
typedef struct CutWalk
{
	MaterialMap* map;
	uint32_t first, waiting, capacity;
} CutWalk;

static void Wait(CutWalk* walk, uint32_t particle, float distance)
{
	MaterialMap* map = walk->map;
	map->cutDistance.data[particle] = distance;
	if (BitSet_Get(&map->isWaiting, particle))
		return;
	DRAPE_ASSERT(walk->waiting < walk->capacity);
	BitSet_Set(&map->isWaiting, particle);
	map->queue.data[(walk->first + walk->waiting++) % walk->capacity] = particle;
}

static uint32_t TakeNext(CutWalk* walk)
{
	DRAPE_ASSERT(walk->waiting > 0);
	uint32_t particle = walk->map->queue.data[walk->first];
	walk->first = (walk->first + 1) % walk->capacity;
	walk->waiting--;
	BitSet_Clear(&walk->map->isWaiting, particle);
	return particle;
}

static uint32_t CornerAt(const MaterialMap* map, uint32_t triangle, uint32_t particle)
{
	uint32_t k = 0;
	while (map->corners[3 * triangle + k] != particle)
		k++;
	DRAPE_ASSERT(k < 3);
	return k;
}

static void SpreadFrom(CutWalk* walk, uint32_t particle)
{
	const MaterialMap* map = walk->map;
	for (uint32_t i = map->ringStart[particle]; i < map->ringStart[particle + 1]; ++i)
	{
		uint32_t t = map->ring[i], k = CornerAt(map, t, particle);
		const Vec4* corner = map->material + 3 * (size_t)t;
		for (uint32_t other = 0; other < 3; ++other)
		{
			uint32_t next = map->corners[3 * t + other];
			float distance = map->cutDistance.data[particle] + Between(corner[k], corner[other]);
			if (distance < map->cutDistance.data[next] && distance <= map->reach)
				Wait(walk, next, distance);
		}
	}
}

bool drapeMaterialMap_Follow(MaterialMap* map, const Charts* charts, const ActiveMesh* mesh, float reach)
{
	DRAPE_ASSERT(charts->isCut.count == mesh->particleCount && reach >= 0.0f);
	uint32_t count = mesh->particleCount;
	if (map->revision == mesh->revision && map->reach == reach)
		return true;
	map->revision = 0;
	if (!ArrayReserve(&map->cutDistance, count) || !ArrayReserve(&map->queue, count) ||
	    !BitSet_Reserve(&map->isWaiting, count))
		return false;
	map->reach = reach;
	CutWalk walk = {.map = map, .capacity = count};
	for (uint32_t i = 0; i < count; ++i)
		map->cutDistance.data[i] = INFINITY;
	for (uint32_t i = 0; i < count; ++i)
	{
		if (charts->isCut.data[i])
			Wait(&walk, i, 0.0f);
	}
	map->hasCuts = walk.waiting > 0;
	while (walk.waiting > 0)
		SpreadFrom(&walk, TakeNext(&walk));
	map->revision = mesh->revision;
	return true;
}

// --- distances of two points ----------------------------------------------------------------------------------------

static Vec4 PlaceOf(const MaterialMap* map, const MaterialPoint* point)
{
	const Vec4* corner = map->material + 3 * (size_t)point->triangle;
	Vec4 at = {0.0f, 0.0f, corner->z, 0.0f};
	for (uint32_t k = 0; k < 3; ++k)
	{
		at.x += point->weight[k] * corner[k].x;
		at.y += point->weight[k] * corner[k].y;
	}
	return at;
}

// Particles that a search for the shortest path has reached.
typedef struct PathWalk
{
	uint32_t count, particle[walkMost];
	float distance[walkMost]; // m
	bool isDone[walkMost];
	uint8_t slot[walkSlots]; // entries by the hash of their particles, plus one; 0 for none
} PathWalk;

_Static_assert(walkMost < walkSlots && walkMost < UINT8_MAX, "the table has free slots");

static void Reach(PathWalk* walk, uint32_t particle, float distance)
{
	uint32_t at = particle % walkSlots, i = walk->count;
	while (walk->slot[at] > 0 && walk->particle[walk->slot[at] - 1] != particle)
		at = (at + 1) % walkSlots;
	if (walk->slot[at] > 0)
	{
		i = walk->slot[at] - 1u;
		walk->distance[i] = MinF(walk->distance[i], distance);
		return;
	}
	if (walk->count == walkMost)
		return;
	walk->slot[at] = (uint8_t)(i + 1);
	walk->particle[i] = particle;
	walk->distance[i] = distance;
	walk->isDone[i] = false;
	walk->count++;
}

// Returns the nearest entry that is not done; DRAPE_NONE for none.
static uint32_t Nearest(const PathWalk* walk)
{
	uint32_t nearest = DRAPE_NONE;
	for (uint32_t i = 0; i < walk->count; ++i)
	{
		if (!walk->isDone[i] && (nearest == DRAPE_NONE || walk->distance[i] < walk->distance[nearest]))
			nearest = i;
	}
	return nearest;
}

// Reaches the neighbours of an entry. Returns the length of the path on to the second point, if the entry is a corner of
// its triangle.
static float WalkOn(const MaterialMap* map, PathWalk* walk, uint32_t entry, const MaterialPoint* b, Vec4 atB)
{
	uint32_t particle = walk->particle[entry];
	float so = walk->distance[entry], whole = INFINITY;
	walk->isDone[entry] = true;
	for (uint32_t i = map->ringStart[particle]; i < map->ringStart[particle + 1]; ++i)
	{
		uint32_t t = map->ring[i], k = CornerAt(map, t, particle);
		const Vec4* corner = map->material + 3 * (size_t)t;
		if (t == b->triangle)
			whole = so + Between(corner[k], atB);
		for (uint32_t other = 0; other < 3; ++other)
		{
			if (other != k)
				Reach(walk, map->corners[3 * t + other], so + Between(corner[k], corner[other]));
		}
	}
	return whole;
}

// Dijkstra's algorithm over the edges. A search that is full returns the distance that it has covered.
static float PathBetween(const MaterialMap* map, const MaterialPoint* a, Vec4 atA, const MaterialPoint* b, Vec4 atB)
{
	PathWalk walk;
	walk.count = 0;
	memset(walk.slot, 0, sizeof walk.slot);
	const Vec4* corner = map->material + 3 * (size_t)a->triangle;
	float shortest = a->triangle == b->triangle ? Between(atA, atB) : INFINITY;
	for (uint32_t k = 0; k < 3; ++k)
		Reach(&walk, map->corners[3 * a->triangle + k], Between(atA, corner[k]));
	for (uint32_t i = Nearest(&walk); i != DRAPE_NONE; i = Nearest(&walk))
	{
		if (walk.distance[i] >= MinF(shortest, map->reach) || walk.count == walkMost)
			return walk.count == walkMost ? MinF(shortest, walk.distance[i]) : shortest;
		shortest = MinF(shortest, WalkOn(map, &walk, i, b, atB));
	}
	return shortest;
}

// Paths along edges are longer than straight ones by less than this factor on meshes of well-shaped triangles, beyond
// their ends within the first and the last triangle.
static const float detour = 1.5f;

static float LongestEdge(const MaterialMap* map, uint32_t triangle)
{
	const Vec4* corner = map->material + 3 * (size_t)triangle;
	return MaxF(Between(corner[0], corner[1]), MaxF(Between(corner[1], corner[2]), Between(corner[2], corner[0])));
}

static float CutDistance(const MaterialMap* map, const MaterialPoint* point)
{
	const uint32_t* corner = map->corners + 3 * (size_t)point->triangle;
	float distance = 0.0f;
	for (uint32_t k = 0; k < 3; ++k)
		distance += point->weight[k] * MinF(map->cutDistance.data[corner[k]], map->reach);
	return distance;
}

// Near cuts, a path may stay within the chart, or it crosses the cut, or leads around the end of a slit.
static float DistanceNearCut(const MaterialMap* map, const MaterialPoint* a, const MaterialPoint* b)
{
	Vec4 atA = PlaceOf(map, a), atB = PlaceOf(map, b);
	float within = atA.z == atB.z ? Between(atA, atB) : INFINITY;
	float across = (CutDistance(map, a) + CutDistance(map, b)) / detour;
	float path = PathBetween(map, a, atA, b, atB);
	float ends = LongestEdge(map, a->triangle) + LongestEdge(map, b->triangle);
	return MaxF(MinF(within, across), (path - ends) / detour);
}

float drapeMaterialMap_Distance(const MaterialMap* map, const MaterialPoint* a, const MaterialPoint* b)
{
	DRAPE_ASSERT(map->revision > 0);
	if (map->hasCuts && MaterialMap_IsNearCut(map, a->triangle) && MaterialMap_IsNearCut(map, b->triangle))
		return DistanceNearCut(map, a, b);
	Vec4 atA = PlaceOf(map, a), atB = PlaceOf(map, b);
	return atA.z == atB.z ? Between(atA, atB) : INFINITY;
}
