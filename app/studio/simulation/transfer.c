// SPDX-License-Identifier: MIT
#include "simulation/transfer.h"

#include "vec.h"

#include <stdlib.h>
#include <string.h>

// A particle is told by where it is on the pattern: the point of a pattern triangle, and so a place in space at the
// start, which two cloths of one pattern share whatever their material coordinates are.

// --- the pattern ---

bool drapePatternMap_Create(PatternMap* map, drapeClothId cloth)
{
	drapeClothView view = drapeCloth_View(cloth);
	size_t corners = 3 * (size_t)view.triangleCount;
	*map = (PatternMap){.vertexCount = view.particleCount, .triangleCount = view.triangleCount};
	map->positions = malloc(view.particleCount * sizeof *map->positions);
	map->triangles = malloc(corners * sizeof *map->triangles);
	map->materials = malloc(corners * sizeof *map->materials);
	if (!map->positions || !map->triangles || !map->materials)
	{
		drapePatternMap_Free(map);
		return false;
	}
	for (uint32_t i = 0; i < view.particleCount; ++i)
		map->positions[i] = V3_From4(view.positions[i]);
	for (uint32_t i = 0; i < view.triangleCount; ++i)
	{
		size_t to = 3 * (size_t)view.patternTriangles[i], from = 3 * (size_t)i;
		memcpy(&map->triangles[to], &view.triangles[from], 3 * sizeof(uint32_t));
		memcpy(&map->materials[to], &view.materials[from], 3 * sizeof(drapeVec2));
	}
	return true;
}

void drapePatternMap_Free(PatternMap* map)
{
	free(map->positions);
	free(map->triangles);
	free(map->materials);
	*map = (PatternMap){0};
}

// Of point `p` in the triangle a, b, c of the material.
static void Weights(drapeVec2 a, drapeVec2 b, drapeVec2 c, drapeVec2 p, float weights[3])
{
	float bx = b.x - a.x, by = b.y - a.y, cx = c.x - a.x, cy = c.y - a.y, px = p.x - a.x, py = p.y - a.y;
	float determinant = bx * cy - by * cx;
	weights[1] = determinant != 0.0f ? (px * cy - py * cx) / determinant : 0.0f;
	weights[2] = determinant != 0.0f ? (bx * py - by * px) / determinant : 0.0f;
	weights[0] = 1.0f - weights[1] - weights[2];
}

static drapeVec3 StartOf(const PatternMap* map, uint32_t triangle, drapeVec2 material)
{
	const drapeVec2* m = &map->materials[3 * (size_t)triangle];
	const uint32_t* t = &map->triangles[3 * (size_t)triangle];
	float w[3];
	drapeVec3 start = {0};
	Weights(m[0], m[1], m[2], material, w);
	for (int i = 0; i < 3; ++i)
		start = V3_Along(start, map->positions[t[i]], w[i]);
	return start;
}

// --- finding particles by where they began ---

typedef struct StartTable
{
	drapeVec3* starts; // [count] m
	uint32_t count;
	uint32_t* first; // [size] by cell
	uint32_t* next;  // [count]
	uint32_t mask;
	float cell; // m, the distance within which places are the same
} StartTable;

static void StartTable_Free(StartTable* table)
{
	free(table->starts);
	free(table->first);
	free(table->next);
}

static uint32_t CellHash(const StartTable* table, int64_t x, int64_t y, int64_t z)
{
	uint64_t hash =
		(uint64_t)x * 0x9e3779b97f4a7c15u ^ (uint64_t)y * 0xc2b2ae3d27d4eb4fu ^ (uint64_t)z * 0x165667b19e3779f9u;
	return (uint32_t)(hash >> 24) & table->mask;
}

static int64_t Cell(const StartTable* table, float x)
{
	return (int64_t)floorf(x / table->cell);
}

static bool StartTable_Create(StartTable* table, const drapeClothView* view, const PatternMap* map)
{
	uint32_t size = 64;
	while (size < 2 * view->particleCount)
		size *= 2;
	*table = (StartTable){.count = view->particleCount, .mask = size - 1};
	table->starts = malloc(view->particleCount * sizeof *table->starts);
	table->first = malloc(size * sizeof *table->first);
	table->next = malloc(view->particleCount * sizeof *table->next);
	if (!table->starts || !table->first || !table->next)
		return false;
	float shortest = INFINITY;
	for (uint32_t i = 0; i < view->edgeCount; ++i)
		shortest = fminf(shortest, view->restLengths[i]);
	table->cell = fmaxf(0.05f * shortest, 1e-9f);
	for (size_t corner = 0; corner < 3 * (size_t)view->triangleCount; ++corner)
		table->starts[view->triangles[corner]] =
			StartOf(map, view->patternTriangles[corner / 3], view->materials[corner]);
	memset(table->first, 0xFF, size * sizeof *table->first);
	for (uint32_t i = 0; i < table->count; ++i)
	{
		drapeVec3 p = table->starts[i];
		uint32_t* first = &table->first[CellHash(table, Cell(table, p.x), Cell(table, p.y), Cell(table, p.z))];
		table->next[i] = *first;
		*first = i;
	}
	return true;
}

static uint32_t StartTable_Find(const StartTable* table, drapeVec3 p)
{
	int64_t x = Cell(table, p.x), y = Cell(table, p.y), z = Cell(table, p.z);
	for (int k = 0; k < 27; ++k)
		for (uint32_t i = table->first[CellHash(table, x + k % 3 - 1, y + k / 3 % 3 - 1, z + k / 9 - 1)];
		     i != DRAPE_NONE; i = table->next[i])
			if (V3_Distance(table->starts[i], p) < table->cell)
				return i;
	return DRAPE_NONE;
}

// --- refining alike ---

// The new cloth has not moved yet: the middle of an edge is where a particle of the old one began, or is not.
static drapeWish WishOf(const drapeEdgeInfo* edge, void* context)
{
	drapeVec3 middle = V3_Scale(V3_Add(edge->from, edge->to), 0.5f);
	return StartTable_Find(context, middle) != DRAPE_NONE ? drape_wishSplit : drape_wishNone;
}

static drapeResult RefineAlike(drapeClothId cloth, StartTable* table, const drapeAdaptDef* adapt)
{
	drapeAdaptDef alike = *adapt;
	alike.curvature.enabled = alike.length.enabled = alike.collision.colliders = alike.visibility.enabled = false;
	alike.collision.inside = NULL;
	alike.user = (drapeUserCriterion){WishOf, table};
	drapeResult result = drapeCloth_SetAdapt(cloth, &alike, NULL);
	drapeAdaptResult pass = {.splits = 1};
	// A level may take several passes, as neighbours must not differ by more than one.
	for (int i = 0; result == drape_ok && pass.splits > 0 && i < 8 * DRAPE_MAX_LEVEL; ++i)
		result = drapeCloth_Adapt(cloth, &pass);
	return result == drape_ok ? drapeCloth_SetAdapt(cloth, adapt, NULL) : result;
}

// --- moving alike ---

// The triangles of the old cloth by the pattern triangle they are part of.
typedef struct TriangleLists
{
	uint32_t *first, *next;
} TriangleLists;

static bool TriangleLists_Create(TriangleLists* lists, const drapeClothView* view, uint32_t patternCount)
{
	lists->first = malloc(patternCount * sizeof *lists->first);
	lists->next = malloc(view->triangleCount * sizeof *lists->next);
	if (!lists->first || !lists->next)
		return false;
	memset(lists->first, 0xFF, patternCount * sizeof *lists->first);
	for (uint32_t i = 0; i < view->triangleCount; ++i)
	{
		lists->next[i] = lists->first[view->patternTriangles[i]];
		lists->first[view->patternTriangles[i]] = i;
	}
	return true;
}

// The triangle of the old cloth that has the point, or comes nearest to having it.
static uint32_t Containing(const drapeClothView* view, const TriangleLists* lists, uint32_t pattern, drapeVec2 material,
                           float weights[3])
{
	uint32_t best = DRAPE_NONE;
	float least = -INFINITY;
	for (uint32_t i = lists->first[pattern]; i != DRAPE_NONE; i = lists->next[i])
	{
		const drapeVec2* m = &view->materials[3 * (size_t)i];
		float w[3];
		Weights(m[0], m[1], m[2], material, w);
		float worst = fminf(w[0], fminf(w[1], w[2]));
		if (worst <= least)
			continue;
		least = worst;
		best = i;
		memcpy(weights, w, sizeof w);
	}
	return best;
}

typedef struct Motions
{
	drapeVec3 *positions, *velocities;
	uint8_t* known;
} Motions;

// Through the corner of a triangle: the material coordinates of the new cloth give weights in the pattern, those give
// the material coordinates in the old one.
static void MoveCorner(const drapeClothView* old, const PatternMap* oldMap, const TriangleLists* lists,
                       const drapeClothView* made, const PatternMap* madeMap, size_t corner, Motions* motions)
{
	uint32_t particle = made->triangles[corner], pattern = made->patternTriangles[corner / 3];
	const drapeVec2 *m = &madeMap->materials[3 * (size_t)pattern], *o = &oldMap->materials[3 * (size_t)pattern];
	float w[3];
	Weights(m[0], m[1], m[2], made->materials[corner], w);
	drapeVec2 material = {w[0] * o[0].x + w[1] * o[1].x + w[2] * o[2].x, w[0] * o[0].y + w[1] * o[1].y + w[2] * o[2].y};
	uint32_t triangle = Containing(old, lists, pattern, material, w);
	if (triangle == DRAPE_NONE)
		return;
	drapeVec3 position = {0}, velocity = {0};
	for (int i = 0; i < 3; ++i)
	{
		uint32_t from = old->triangles[3 * (size_t)triangle + (size_t)i];
		position = V3_Along(position, V3_From4(old->positions[from]), w[i]);
		velocity = V3_Along(velocity, V3_From4(old->velocities[from]), w[i]);
	}
	motions->positions[particle] = position;
	motions->velocities[particle] = velocity;
	motions->known[particle] = 1;
}

static drapeResult MoveAlike(const drapeClothView* old, const PatternMap* oldMap, const StartTable* table,
                             drapeClothId cloth, const PatternMap* map)
{
	drapeClothView view = drapeCloth_View(cloth);
	TriangleLists lists = {0};
	Motions motions = {malloc(view.particleCount * sizeof(drapeVec3)), malloc(view.particleCount * sizeof(drapeVec3)),
	                   calloc(view.particleCount, 1)};
	drapeResult result = drape_errorMemory;
	if (TriangleLists_Create(&lists, old, oldMap->triangleCount) && motions.positions && motions.velocities &&
	    motions.known)
	{
		for (size_t corner = 0; corner < 3 * (size_t)view.triangleCount; ++corner)
		{
			uint32_t particle = view.triangles[corner];
			if (motions.known[particle])
				continue;
			uint32_t same =
				StartTable_Find(table, StartOf(map, view.patternTriangles[corner / 3], view.materials[corner]));
			if (same == DRAPE_NONE)
			{
				MoveCorner(old, oldMap, &lists, &view, map, corner, &motions);
				continue;
			}
			motions.positions[particle] = V3_From4(old->positions[same]);
			motions.velocities[particle] = V3_From4(old->velocities[same]);
			motions.known[particle] = 1;
		}
		result = drapeCloth_SetPositions(cloth, motions.positions);
	}
	if (result == drape_ok)
		result = drapeCloth_SetVelocities(cloth, motions.velocities);
	free(lists.first);
	free(lists.next);
	free(motions.positions);
	free(motions.velocities);
	free(motions.known);
	return result;
}

drapeResult drapeTransfer_State(drapeClothId from, const PatternMap* fromMap, drapeClothId to, const PatternMap* toMap,
                                const drapeAdaptDef* adapt)
{
	if (fromMap->triangleCount != toMap->triangleCount || fromMap->vertexCount != toMap->vertexCount)
		return drape_errorArgument;
	drapeClothView view = drapeCloth_View(from);
	StartTable table;
	drapeResult result = StartTable_Create(&table, &view, fromMap) ? drape_ok : drape_errorMemory;
	if (result == drape_ok && adapt->scheme != drape_schemeFixed)
		result = RefineAlike(to, &table, adapt);
	if (result == drape_ok)
		result = MoveAlike(&view, fromMap, &table, to, toMap);
	StartTable_Free(&table);
	return result;
}
