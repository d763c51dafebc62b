// SPDX-License-Identifier: MIT
#include "world/world.h"

#include <string.h>

// Points of the pattern on the mesh in use. Active triangles are sorted by the pattern triangle they are part of; among
// those of a point's pattern triangle, the one that contains it in material coordinates carries it.

typedef struct Children
{
	uint32_t* start; // [pattern triangles + 1]
	uint32_t* list;  // [active triangles]
	uint32_t patternCount, activeCount;
} Children;

static void FreeChildren(Children* children)
{
	MemFree(children->start, (children->patternCount + 1) * sizeof(uint32_t));
	MemFree(children->list, children->activeCount * sizeof(uint32_t));
}

static bool SortChildren(Children* children, const Cloth* cloth)
{
	const ActiveMesh* active = &cloth->active;
	*children = (Children){
		.start = MemAllocZero((cloth->pattern.triangleCount + 1) * sizeof(uint32_t)),
		.list = MemAllocArray(active->triangleCount, sizeof(uint32_t)),
		.patternCount = cloth->pattern.triangleCount,
		.activeCount = active->triangleCount,
	};
	if (!children->start || !children->list)
	{
		FreeChildren(children);
		return false;
	}
	for (uint32_t i = 0; i < active->triangleCount; ++i)
		children->start[active->patternTriangle[i]]++;
	uint32_t sum = 0;
	for (uint32_t t = 0; t <= cloth->pattern.triangleCount; ++t)
	{
		uint32_t count = t < cloth->pattern.triangleCount ? children->start[t] : 0;
		children->start[t] = sum;
		sum += count;
	}
	for (uint32_t i = 0; i < active->triangleCount; ++i)
		children->list[children->start[active->patternTriangle[i]]++] = i;
	// Each start has become its end, which is the next one's start.
	memmove(children->start + 1, children->start, cloth->pattern.triangleCount * sizeof(uint32_t));
	children->start[0] = 0;
	return true;
}

// Weights of a point in a triangle of the plane.
static void Weights(const Vec2* corner, Vec2 point, float* weight)
{
	Vec2 ab = V2Sub(corner[1], corner[0]), ac = V2Sub(corner[2], corner[0]), ap = V2Sub(point, corner[0]);
	float area = V2Cross(ab, ac);
	weight[1] = V2Cross(ap, ac) / area;
	weight[2] = V2Cross(ab, ap) / area;
	weight[0] = 1.0f - weight[1] - weight[2];
}

static Vec3 Blend(const Vec4* rows, const uint32_t* corner, const float* weight)
{
	Vec3 sum = V3Scale(weight[0], V4Xyz(rows[corner[0]]));
	sum = V3Add(sum, V3Scale(weight[1], V4Xyz(rows[corner[1]])));
	return V3Add(sum, V3Scale(weight[2], V4Xyz(rows[corner[2]])));
}

static void EvaluatePoint(const Cloth* cloth, const Children* children, const drapePatternPoint* point, Vec3* position,
                          Vec3* normal)
{
	const ActiveMesh* active = &cloth->active;
	const Vec2* corner = &cloth->pattern.material[3 * point->triangle];
	Vec2 place = {0.0f, 0.0f};
	for (int k = 0; k < 3; ++k)
	{
		place.x += point->weights[k] * corner[k].x;
		place.y += point->weights[k] * corner[k].y;
	}
	uint32_t best = DRAPE_NONE;
	float bestWeight[3] = {0.0f, 0.0f, 0.0f}, bestScore = -INFINITY;
	for (uint32_t i = children->start[point->triangle]; i < children->start[point->triangle + 1] && bestScore < 0.0f;
	     ++i)
	{
		float weight[3];
		Weights(active->material[children->list[i]].corner, place, weight);
		float score = fminf(weight[0], fminf(weight[1], weight[2]));
		if (score > bestScore)
		{
			bestScore = score;
			best = children->list[i];
			memcpy(bestWeight, weight, sizeof weight);
		}
	}
	*position = Blend(active->position, active->triangle[best], bestWeight);
	if (normal)
		*normal = V3Normalize(Blend(active->normal, active->triangle[best], bestWeight));
}

drapeResult drapeCloth_Evaluate(drapeClothId id, const drapePatternPoint* points, uint32_t count, drapeVec3* positions,
                                drapeVec3* normals)
{
	const Cloth* cloth = Cloth_Get(id);
	if (!cloth || (count > 0 && (!points || !positions)))
		return drape_errorArgument;
	for (uint32_t i = 0; i < count; ++i)
	{
		const float* w = points[i].weights;
		if (points[i].triangle >= cloth->pattern.triangleCount || !(fabsf(w[0] + w[1] + w[2] - 1.0f) < 1e-3f))
			return drape_errorArgument;
	}
	Children children;
	if (!SortChildren(&children, cloth))
		return drape_errorMemory;
	for (uint32_t i = 0; i < count; ++i)
		EvaluatePoint(cloth, &children, &points[i], &positions[i], normals ? &normals[i] : NULL);
	FreeChildren(&children);
	return drape_ok;
}
