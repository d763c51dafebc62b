// SPDX-License-Identifier: MIT
#include "solve/hierarchy.h"

#include <string.h>

enum
{
	rawLevels = baseMaxLevels + DRAPE_MAX_LEVEL + 2,
};

// The end of each level of the mesh, in the order of levels, and the levels that are kept.
typedef struct Levels
{
	uint32_t rawCount;
	uint32_t rawEnd[rawLevels];
	uint8_t kept[rawLevels]; // per raw level: the level of the hierarchy that it belongs to
} Levels;

static uint32_t RawLevel(const ActiveMesh* mesh, const BaseLevels* base, uint32_t particle)
{
	uint32_t level = mesh->level[particle];
	if (level > 0)
		return base->levelCount - 1 + level;
	return base->levelCount > 1 ? base->level.data[particle] : 0;
}

static void SortByRawLevel(Hierarchy* hierarchy, const ActiveMesh* mesh, const BaseLevels* base, Levels* levels)
{
	uint32_t start[rawLevels + 1] = {0};
	for (uint32_t i = 0; i < mesh->particleCount; ++i)
		start[RawLevel(mesh, base, i) + 1]++;
	for (uint32_t l = 0; l < rawLevels; ++l)
	{
		start[l + 1] += start[l];
		levels->rawEnd[l] = start[l + 1];
		if (start[l + 1] > start[l])
			levels->rawCount = l + 1;
	}
	for (uint32_t i = 0; i < mesh->particleCount; ++i)
		hierarchy->byLevel.data[start[RawLevel(mesh, base, i)]++] = i;
}

// Drops a level that has hardly fewer rows than the next finer one; its rows then belong to the finer one.
static void ChooseLevels(Hierarchy* hierarchy, Levels* levels)
{
	uint32_t ends[rawLevels], count = 0, finer = hierarchy->rowCount;
	bool keep[rawLevels] = {false};
	for (uint32_t l = levels->rawCount; l-- > 0;)
	{
		bool isFinest = l + 1 == levels->rawCount;
		keep[l] = isFinest || 5 * (uint64_t)levels->rawEnd[l] <= 3 * (uint64_t)finer;
		keep[l] &= isFinest || count + 1 < hierarchyLevels;
		if (!keep[l])
			continue;
		finer = levels->rawEnd[l];
		ends[count++] = finer;
	}
	hierarchy->levelCount = count;
	for (uint32_t k = 0; k < count; ++k)
	{
		hierarchy->levels[k].rowCount = ends[count - 1 - k];
		hierarchy->levels[k].coarser = k > 0 ? hierarchy->levels[k - 1].rowCount : 0;
	}
	for (uint32_t l = 0, k = 0; l < levels->rawCount; ++l)
	{
		levels->kept[l] = (uint8_t)k;
		k += keep[l];
	}
}

static void AddParent(RowParents* parents, uint32_t* count, uint32_t row, float weight)
{
	DRAPE_ASSERT(weight >= 0.0f && *count <= 3);
	for (uint32_t k = 0; k < *count; ++k)
	{
		if (parents->row[k] == row)
		{
			parents->weight[k] += weight;
			return;
		}
	}
	if (*count < 3)
	{
		parents->row[*count] = row;
		parents->weight[(*count)++] = weight;
		return;
	}
	// Nested meshes have at most three parents. On others, the parent with the least weight of four is dropped.
	uint32_t least = 0;
	for (uint32_t k = 1; k < 3; ++k)
		least = parents->weight[k] < parents->weight[least] ? k : least;
	if (parents->weight[least] < weight)
	{
		parents->row[least] = row;
		parents->weight[least] = weight;
	}
}

static void Normalise(RowParents* parents, uint32_t count)
{
	DRAPE_ASSERT(count > 0 && count <= 3);
	float sum = 0.0f;
	for (uint32_t k = 0; k < count; ++k)
		sum += parents->weight[k];
	for (uint32_t k = 0; k < 3; ++k)
	{
		parents->row[k] = k < count ? parents->row[k] : parents->row[0];
		parents->weight[k] = k < count ? parents->weight[k] / sum : 0.0f;
	}
}

// The usual case: the parents are two or three different rows of the coarser level. False otherwise.
static bool TakeParents(const uint32_t row[3], const float weight[3], uint32_t count, uint32_t coarser,
                        RowParents* parents)
{
	for (uint32_t k = 0; k < count; ++k)
	{
		if (row[k] >= coarser || (k > 0 && row[k] == row[0]) || (k > 1 && row[k] == row[1]))
			return false;
		parents->row[k] = row[k];
		parents->weight[k] = weight[k];
	}
	return true;
}

// Finds the parents of a particle as rows of the next coarser level. A parent on the particle's own level is replaced
// by that parent's parents.
static void Expand(Hierarchy* hierarchy, HierarchyLevel* level, const ActiveMesh* mesh, const BaseLevels* base,
                   uint32_t particle)
{
	bool isBase = mesh->level[particle] == 0;
	const uint32_t* parent = isBase ? base->parents.data[particle].parent : mesh->parents[particle].parent;
	const float* weight = isBase ? base->parents.data[particle].weight : mesh->parents[particle].weight;
	uint32_t coarser = level->coarser, row[3], given = 0, count = 0;
	for (; given < 3 && parent[given] != DRAPE_NONE; ++given)
		row[given] = hierarchy->rowOf.data[parent[given]];
	RowParents* own = &level->parents.data[hierarchy->rowOf.data[particle] - coarser];
	if (TakeParents(row, weight, given, coarser, own))
	{
		Normalise(own, given);
		return;
	}
	RowParents sum = {0};
	for (uint32_t k = 0; k < given; ++k)
	{
		if (row[k] < coarser)
		{
			AddParent(&sum, &count, row[k], weight[k]);
			continue;
		}
		const RowParents* through = &level->parents.data[row[k] - coarser];
		for (int j = 0; j < 3; ++j)
		{
			if (through->weight[j] > 0.0f)
				AddParent(&sum, &count, through->row[j], weight[k] * through->weight[j]);
		}
	}
	DRAPE_ASSERT(count > 0);
	Normalise(&sum, count);
	*own = sum;
}

// --- order in memory ------------------------------------------------------------------------------------------------

// Spreads the bits of a 16-bit number, with a free bit after each.
static uint32_t Spread(uint32_t x)
{
	DRAPE_ASSERT(x <= UINT16_MAX);
	x = (x | x << 8) & 0x00ff00ff;
	x = (x | x << 4) & 0x0f0f0f0f;
	x = (x | x << 2) & 0x33333333;
	return (x | x << 1) & 0x55555555;
}

static float Lower(float a, float b)
{
	return a < b ? a : b;
}

static float Higher(float a, float b)
{
	return a > b ? a : b;
}

// Computes each particle's position along a Morton curve through the material plane. Pieces of the pattern may overlap
// there; the order only has to keep neighbours close.
static void FindKeys(Hierarchy* hierarchy, const ActiveMesh* mesh)
{
	uint32_t* keys = hierarchy->keys.data;
	Vec2 low = {INFINITY, INFINITY}, high = {-INFINITY, -INFINITY};
	for (uint32_t t = 0; t < mesh->triangleCount; ++t)
	{
		for (int k = 0; k < 3; ++k)
		{
			Vec2 p = mesh->material[t].corner[k];
			low = (Vec2){Lower(low.x, p.x), Lower(low.y, p.y)};
			high = (Vec2){Higher(high.x, p.x), Higher(high.y, p.y)};
		}
	}
	float size = Higher(Higher(high.x - low.x, high.y - low.y), 1e-20f), scale = 65535.0f / size;
	memset(keys, 0, (size_t)mesh->particleCount * sizeof(uint32_t));
	for (uint32_t t = 0; t < mesh->triangleCount; ++t)
	{
		for (int k = 0; k < 3; ++k)
		{
			Vec2 p = mesh->material[t].corner[k];
			uint32_t u = (uint32_t)(int32_t)(scale * (p.x - low.x)), v = (uint32_t)(int32_t)(scale * (p.y - low.y));
			uint32_t* own = &keys[mesh->triangle[t][k]];
			*own = MaxU32(*own, v << 16 | u); // at a seam the greatest of several, in any order of triangles
		}
	}
	for (uint32_t i = 0; i < mesh->particleCount; ++i)
		keys[i] = Spread(keys[i] & 0xffff) | Spread(keys[i] >> 16) << 1;
}

// Sorts particles along the curve by three passes over eleven bits each; `order` holds the result.
static void SortByKey(Hierarchy* hierarchy, uint32_t count)
{
	uint32_t *from = hierarchy->buckets.data, *to = hierarchy->order.data;
	for (uint32_t i = 0; i < count; ++i)
		from[i] = i;
	for (int shift = 0; shift < 33; shift += 11)
	{
		uint32_t start[2049] = {0};
		for (uint32_t i = 0; i < count; ++i)
			start[(hierarchy->keys.data[i] >> shift & 2047) + 1]++;
		for (int b = 0; b < 2048; ++b)
			start[b + 1] += start[b];
		for (uint32_t i = 0; i < count; ++i)
			to[start[hierarchy->keys.data[from[i]] >> shift & 2047]++] = from[i];
		uint32_t* swapped = from;
		from = to;
		to = swapped;
	}
}

// Assigns rows, level by level, along the curve.
static void AssignRows(Hierarchy* hierarchy, const ActiveMesh* mesh, const BaseLevels* base, const Levels* levels)
{
	uint32_t next[hierarchyLevels];
	for (uint32_t k = 0; k < hierarchy->levelCount; ++k)
		next[k] = hierarchy->levels[k].coarser;
	for (uint32_t i = 0; i < mesh->particleCount; ++i)
	{
		uint32_t particle = hierarchy->order.data[i];
		uint32_t row = next[levels->kept[RawLevel(mesh, base, particle)]]++;
		hierarchy->rowOf.data[particle] = row;
		hierarchy->particleOf.data[row] = particle;
	}
}

static void ListChildren(HierarchyLevel* level)
{
	DRAPE_ASSERT(level->coarser <= level->rowCount);
	uint32_t* start = level->childStart.data;
	memset(start, 0, ((size_t)level->coarser + 1) * sizeof *start);
	for (uint32_t i = 0; i < level->parents.count; ++i)
	{
		for (int k = 0; k < 3; ++k)
		{
			if (level->parents.data[i].weight[k] > 0.0f)
				start[level->parents.data[i].row[k]]++;
		}
	}
	// Counts become ends. The children are then filled in from the back, which turns ends into starts.
	uint32_t sum = 0;
	for (uint32_t r = 0; r < level->coarser; ++r)
		start[r] = sum += start[r];
	start[level->coarser] = sum;
	for (uint32_t i = level->parents.count; i-- > 0;)
	{
		const RowParents* parents = &level->parents.data[i];
		for (int k = 3; k-- > 0;)
		{
			if (parents->weight[k] > 0.0f)
				level->children.data[--start[parents->row[k]]] = (RowChild){level->coarser + i, parents->weight[k]};
		}
	}
	level->children.count = sum;
}

// Fills the lanes of children. False when out of memory.
static bool FillLanes(HierarchyLevel* level)
{
	uint32_t groups = (level->coarser + 7) / 8, slots = 0;
	const uint32_t* start = level->childStart.data;
	for (uint32_t g = 0; g < groups; ++g)
	{
		uint32_t most = 0;
		for (uint32_t row = 8 * g; row < MinU32(8 * g + 8, level->coarser); ++row)
			most = MaxU32(most, start[row + 1] - start[row]);
		level->laneStart.data[g] = slots;
		slots += most;
	}
	level->laneStart.data[groups] = slots;
	if (!ArrayReserve(&level->laneOffset, 8 * (size_t)slots) || !ArrayReserve(&level->laneWeight, 8 * (size_t)slots))
		return false;
	for (uint32_t row = 0; row < 8 * groups; ++row)
	{
		uint32_t first = level->laneStart.data[row / 8], count = level->laneStart.data[row / 8 + 1] - first;
		uint32_t own = row < level->coarser ? start[row + 1] - start[row] : 0;
		for (uint32_t i = 0; i < count; ++i)
		{
			RowChild child = i < own ? level->children.data[start[row] + i] : (RowChild){0, 0.0f};
			level->laneOffset.data[8 * (first + i) + row % 8] = 16 * child.row;
			level->laneWeight.data[8 * (first + i) + row % 8] = child.weight;
		}
	}
	return true;
}

static bool ReserveLevel(HierarchyLevel* level)
{
	uint32_t added = level->rowCount - level->coarser;
	return ArrayReserve(&level->parents, added) && ArrayReserve(&level->childStart, level->coarser + 1) &&
	       ArrayReserve(&level->children, 3 * added) && ArrayReserve(&level->laneStart, (level->coarser + 7) / 8 + 1);
}

bool drapeHierarchy_Build(Hierarchy* hierarchy, const ActiveMesh* mesh, const BaseLevels* base)
{
	DRAPE_ASSERT(mesh->particleCount > 0);
	uint32_t count = mesh->particleCount;
	if (!ArrayReserve(&hierarchy->rowOf, count) || !ArrayReserve(&hierarchy->particleOf, count + 7) ||
	    !ArrayReserve(&hierarchy->byLevel, count) || !ArrayReserve(&hierarchy->buckets, count) ||
	    !ArrayReserve(&hierarchy->order, count) || !ArrayReserve(&hierarchy->keys, count))
		return false;
	Levels levels = {0};
	hierarchy->rowCount = count;
	SortByRawLevel(hierarchy, mesh, base, &levels);
	ChooseLevels(hierarchy, &levels);
	FindKeys(hierarchy, mesh);
	SortByKey(hierarchy, count);
	AssignRows(hierarchy, mesh, base, &levels);
	for (uint32_t k = 1; k < hierarchy->levelCount; ++k)
	{
		HierarchyLevel* level = &hierarchy->levels[k];
		if (!ReserveLevel(level))
			return false;
		// In ascending order, because the parents of a particle may be on its own level.
		for (uint32_t i = level->coarser; i < level->rowCount; ++i)
			Expand(hierarchy, level, mesh, base, hierarchy->byLevel.data[i]);
		level->parents.count = level->rowCount - level->coarser;
		ListChildren(level);
		if (!FillLanes(level))
			return false;
	}
	for (uint32_t i = count; i % 8 != 0; ++i)
		hierarchy->particleOf.data[i] = hierarchy->particleOf.data[count - 1];
	return true;
}

void drapeHierarchy_ReleaseScratch(Hierarchy* hierarchy)
{
	ArrayFree(&hierarchy->byLevel);
	ArrayFree(&hierarchy->buckets);
	ArrayFree(&hierarchy->order);
	ArrayFree(&hierarchy->keys);
}

void drapeHierarchy_Destroy(Hierarchy* hierarchy)
{
	for (uint32_t k = 0; k < hierarchyLevels; ++k)
	{
		ArrayFree(&hierarchy->levels[k].parents);
		ArrayFree(&hierarchy->levels[k].childStart);
		ArrayFree(&hierarchy->levels[k].children);
		ArrayFree(&hierarchy->levels[k].laneStart);
		ArrayFree(&hierarchy->levels[k].laneOffset);
		ArrayFree(&hierarchy->levels[k].laneWeight);
	}
	drapeHierarchy_ReleaseScratch(hierarchy);
	ArrayFree(&hierarchy->rowOf);
	ArrayFree(&hierarchy->particleOf);
	*hierarchy = (Hierarchy){0};
}

void drapeHierarchy_Borrow(Hierarchy* hierarchy)
{
	for (uint32_t k = 0; k < hierarchyLevels; ++k)
	{
		ArrayBorrow(&hierarchy->levels[k].parents);
		ArrayBorrow(&hierarchy->levels[k].childStart);
		ArrayBorrow(&hierarchy->levels[k].children);
		ArrayBorrow(&hierarchy->levels[k].laneStart);
		ArrayBorrow(&hierarchy->levels[k].laneOffset);
		ArrayBorrow(&hierarchy->levels[k].laneWeight);
	}
	ArrayBorrow(&hierarchy->rowOf);
	ArrayBorrow(&hierarchy->particleOf);
	ArrayForget(&hierarchy->byLevel);
	ArrayForget(&hierarchy->buckets);
	ArrayForget(&hierarchy->order);
	ArrayForget(&hierarchy->keys);
}
