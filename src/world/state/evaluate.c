// SPDX-License-Identifier: MIT
#include "world/world.h"

#include <stdio.h>
#include <string.h>

// Pattern points on the active mesh. Active triangles are sorted by their pattern triangle. Among those of a point's
// pattern triangle, the one that contains it in material coordinates carries it. Flipped triangles (adapt/sqrt3.h)
// extend across edges of the pattern: when no triangle of the list contains the point, a walk from the nearest one
// crosses the edges that the point lies beyond.

typedef struct Children
{
	uint32_t* start;  // [pattern triangles + 1]
	uint32_t* list;   // [active triangles]
	uint32_t* beyond; // [3 * active triangles] across the edge from corner k to the next: triangle << 2 | its corner;
					  // NULL when no triangle leaves its pattern triangle
	uint32_t patternCount, activeCount;
} Children;

// A triangle, the point in its material coordinates, and the weights of its corners.
typedef struct Location
{
	uint32_t triangle;
	Vec2 material;
	float weight[3], score; // the score is the least weight
} Location;

static void FreeChildren(Children* children)
{
	drapeMemFree(children->start, (children->patternCount + 1) * sizeof(uint32_t));
	drapeMemFree(children->list, children->activeCount * sizeof(uint32_t));
	drapeMemFree(children->beyond, 3 * (size_t)children->activeCount * sizeof(uint32_t));
}

static uint32_t CornerOf(const ActiveMesh* active, uint32_t t, uint32_t particle)
{
	return active->triangle[t][0] == particle ? 0 : active->triangle[t][1] == particle ? 1 : 2;
}

// Triangles have no neighbour across a boundary or a crease.
static void FindNeighbours(Children* children, const ActiveMesh* active)
{
	memset(children->beyond, 0xff, 3 * (size_t)active->triangleCount * sizeof(uint32_t));
	for (uint32_t e = 0; e < active->edgeCount; ++e)
	{
		const uint32_t* t = active->wings[e].triangle;
		if (active->edgeFlags[e] & (drape_edgeBoundary | drape_edgeCrease))
			continue;
		uint32_t left = CornerOf(active, t[0], active->edgeFrom[e]), right = CornerOf(active, t[1], active->edgeTo[e]);
		children->beyond[3 * t[0] + left] = t[1] << 2 | right;
		children->beyond[3 * t[1] + right] = t[0] << 2 | left;
	}
}

static bool SortChildren(Children* children, const Cloth* cloth)
{
	const ActiveMesh* active = &cloth->active;
	*children = (Children){
		.start = drapeMemAllocZero((cloth->pattern->triangleCount + 1) * sizeof(uint32_t)),
		.list = drapeMemAllocArray(active->triangleCount, sizeof(uint32_t)),
		.patternCount = cloth->pattern->triangleCount,
		.activeCount = active->triangleCount,
	};
	const bool isFlipped = cloth->adapt.scheme == drape_schemeSqrt3;
	if (isFlipped)
		children->beyond = drapeMemAllocArray(3 * (size_t)active->triangleCount, sizeof(uint32_t));
	if (!children->start || !children->list || (isFlipped && !children->beyond))
	{
		FreeChildren(children);
		return false;
	}
	for (uint32_t i = 0; i < active->triangleCount; ++i)
		children->start[active->patternTriangle[i]]++;
	uint32_t sum = 0;
	for (uint32_t t = 0; t <= cloth->pattern->triangleCount; ++t)
	{
		uint32_t count = t < cloth->pattern->triangleCount ? children->start[t] : 0;
		children->start[t] = sum;
		sum += count;
	}
	for (uint32_t i = 0; i < active->triangleCount; ++i)
		children->list[children->start[active->patternTriangle[i]]++] = i;
	// Filling has advanced each start to its end, which is the next start.
	memmove(children->start + 1, children->start, cloth->pattern->triangleCount * sizeof(uint32_t));
	children->start[0] = 0;
	if (isFlipped)
		FindNeighbours(children, active);
	return true;
}

// Barycentric coordinates of a point of the plane.
static void Weights(const Vec2* corner, Vec2 point, float* weight)
{
	Vec2 ab = V2Sub(corner[1], corner[0]), ac = V2Sub(corner[2], corner[0]), ap = V2Sub(point, corner[0]);
	float area = V2Cross(ab, ac);
	DRAPE_ASSERT(area != 0.0f);
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

static Location MakeLocation(const ActiveMesh* active, uint32_t triangle, Vec2 material)
{
	Location location = {.triangle = triangle, .material = material};
	Weights(active->material[triangle].corner, material, location.weight);
	location.score = MinNumF(location.weight[0], MinNumF(location.weight[1], location.weight[2]));
	return location;
}

// The neighbour across edge k. Each triangle has its own material coordinates; the midpoints of the shared edge agree.
static Location CrossEdge(const ActiveMesh* active, const Children* children, const Location* from, uint32_t k)
{
	DRAPE_ASSERT(children->beyond[3 * from->triangle + k] != DRAPE_NONE);
	uint32_t beyond = children->beyond[3 * from->triangle + k], to = beyond >> 2, j = beyond & 3;
	DRAPE_ASSERT(to < active->triangleCount && j < 3);
	const Vec2 *own = active->material[from->triangle].corner, *other = active->material[to].corner;
	Vec2 material = {
		from->material.x + 0.5f * ((other[j].x + other[(j + 1) % 3].x) - (own[k].x + own[(k + 1) % 3].x)),
		from->material.y + 0.5f * ((other[j].y + other[(j + 1) % 3].y) - (own[k].y + own[(k + 1) % 3].y)),
	};
	return MakeLocation(active, to, material);
}

// Crosses the edge that the point is farthest beyond until a triangle contains it. Returns the best triangle visited.
static Location WalkTo(const ActiveMesh* active, const Children* children, Location location)
{
	enum
	{
		mostSteps = 64
	};
	Location best = location;
	for (int step = 0; step < mostSteps && location.score < 0.0f; ++step)
	{
		// The weight of corner j is negative when the point is beyond the edge from corner j + 1 to j + 2.
		uint32_t chosen = 3;
		for (uint32_t j = 0; j < 3; ++j)
		{
			bool isOpen = children->beyond[3 * location.triangle + (j + 1) % 3] != DRAPE_NONE;
			if (isOpen && location.weight[j] < 0.0f && (chosen == 3 || location.weight[j] < location.weight[chosen]))
				chosen = j;
		}
		if (chosen == 3)
			break;
		location = CrossEdge(active, children, &location, (chosen + 1) % 3);
		if (location.score > best.score)
			best = location;
	}
	return best;
}

// The active triangle that carries a pattern point.
static Location FindLocation(const Cloth* cloth, const Children* children, const drapePatternPoint* point)
{
	const float rounding = 1e-3f; // error of a weight
	const ActiveMesh* active = &cloth->active;
	DRAPE_ASSERT(point->triangle < children->patternCount);
	DRAPE_ASSERT(children->start[point->triangle] < children->start[point->triangle + 1]);
	const Vec2* corner = &cloth->pattern->material[3 * point->triangle];
	Vec2 material = {0.0f, 0.0f};
	for (int k = 0; k < 3; ++k)
	{
		material.x += point->weights[k] * corner[k].x;
		material.y += point->weights[k] * corner[k].y;
	}
	Location best = {.score = -INFINITY};
	for (uint32_t i = children->start[point->triangle]; i < children->start[point->triangle + 1] && best.score < 0.0f;
	     ++i)
	{
		Location location = MakeLocation(active, children->list[i], material);
		if (location.score > best.score)
			best = location;
	}
	if (children->beyond && best.score < -rounding)
		best = WalkTo(active, children, best);
	return best;
}

static void EvaluatePoint(const Cloth* cloth, const Children* children, const drapePatternPoint* point, Vec3* position,
                          Vec3* normal)
{
	const ActiveMesh* active = &cloth->active;
	Location best = FindLocation(cloth, children, point);
	*position = Blend(active->position, active->triangle[best.triangle], best.weight);
	if (normal)
		*normal = V3Normalize(Blend(active->normal, active->triangle[best.triangle], best.weight));
}

// --- from the active mesh to the pattern ----------------------------------------------------------------------------

// A point in the material coordinates of a pattern triangle.
typedef struct PatternPlace
{
	uint32_t triangle;
	Vec2 material;
	float weight[3], score;
} PatternPlace;

static PatternPlace MakePlace(const PatternMesh* pattern, uint32_t triangle, Vec2 material)
{
	PatternPlace place = {.triangle = triangle, .material = material};
	Weights(&pattern->material[3 * (size_t)triangle], material, place.weight);
	place.score = MinNumF(place.weight[0], MinNumF(place.weight[1], place.weight[2]));
	return place;
}

// Crosses edge k of a pattern triangle. Flipped triangles extend across edges whose sides agree at rest. False for other
// edges.
static bool CrossPatternEdge(const PatternMesh* pattern, PatternPlace* place, uint32_t k)
{
	uint32_t own = pattern->triangleEdges[3 * (size_t)place->triangle + k];
	uint32_t half = pattern->edges[own >> 1].half[1 - (own & 1)];
	if (half == DRAPE_NONE || pattern->seam[own >> 1])
		return false;
	uint32_t to = half >> 2, j = half & 3;
	DRAPE_ASSERT(to < pattern->triangleCount && j < 3);
	const Vec2 *from = &pattern->material[3 * (size_t)place->triangle], *other = &pattern->material[3 * (size_t)to];
	Vec2 material = {
		place->material.x + 0.5f * ((other[j].x + other[(j + 1) % 3].x) - (from[k].x + from[(k + 1) % 3].x)),
		place->material.y + 0.5f * ((other[j].y + other[(j + 1) % 3].y) - (from[k].y + from[(k + 1) % 3].y)),
	};
	*place = MakePlace(pattern, to, material);
	return true;
}

drapePatternPoint drapeCloth_PatternPointAt(const Cloth* cloth, uint32_t triangle, const float weights[3])
{
	enum
	{
		mostSteps = 16
	};
	const float rounding = 1e-3f; // error of a weight
	const TriangleMaterial* corners = &cloth->active.material[triangle];
	Vec2 material = {0.0f, 0.0f};
	for (int k = 0; k < 3; ++k)
	{
		material.x += weights[k] * corners->corner[k].x;
		material.y += weights[k] * corners->corner[k].y;
	}
	PatternPlace place = MakePlace(cloth->pattern, cloth->active.patternTriangle[triangle], material), best = place;
	for (int step = 0; step < mostSteps && place.score < -rounding; ++step)
	{
		uint32_t least = place.weight[0] <= place.weight[1] ? 0 : 1;
		least = place.weight[2] < place.weight[least] ? 2 : least;
		if (!CrossPatternEdge(cloth->pattern, &place, (least + 1) % 3))
			break;
		if (place.score > best.score)
			best = place;
	}
	drapePatternPoint point = {.triangle = best.triangle};
	float sum = 0.0f;
	for (int k = 0; k < 3; ++k)
		sum += point.weights[k] = MaxNumF(best.weight[k], 0.0f);
	for (int k = 0; k < 3; ++k)
		point.weights[k] /= sum;
	return point;
}

// --- from the pattern to the active mesh ----------------------------------------------------------------------------

// Rounding errors of weights are smaller.
static const float weightTolerance = 1e-3f;

drapeResult drapePatternPoint_Check(const Cloth* cloth, const char* name, const drapePatternPoint* point)
{
	const float *w = point->weights, sum = w[0] + w[1] + w[2];
	if (point->triangle >= cloth->pattern->triangleCount)
		return drapeWorld_Refuse(cloth->world, "%s.triangle is %u, but the pattern has only %u", name, point->triangle,
		                         cloth->pattern->triangleCount);
	for (int k = 0; k < 3; ++k)
	{
		if (!(w[k] >= -weightTolerance && w[k] <= 1.0f + weightTolerance))
			return drapeWorld_Refuse(cloth->world, "%s.weights[%d] is %g, expected a number from 0 to 1", name, k,
			                         (double)w[k]);
	}
	if (fabsf(sum - 1.0f) < weightTolerance)
		return drape_ok;
	return drapeWorld_Refuse(cloth->world, "%s.weights add up to %g, expected 1", name, (double)sum);
}

bool drapeCloth_Locate(const Cloth* cloth, const drapePatternPoint* points, uint32_t count, PatternLocation* locations)
{
	Children children;
	if (!SortChildren(&children, cloth))
		return false;
	for (uint32_t i = 0; i < count; ++i)
	{
		DRAPE_ASSERT(points[i].triangle < cloth->pattern->triangleCount);
		Location location = FindLocation(cloth, &children, &points[i]);
		for (int k = 0; k < 3; ++k)
		{
			locations[i].particle[k] = cloth->active.triangle[location.triangle][k];
			locations[i].weight[k] = location.weight[k];
		}
	}
	FreeChildren(&children);
	return true;
}

drapeResult drapeCloth_Evaluate(drapeClothId id, const drapePatternPoint* points, uint32_t count, drapeVec3* positions,
                                drapeVec3* normals)
{
	const Cloth* cloth = drapeCloth_Get(id);
	if (!cloth)
		return drape_errorArgument;
	if (count > 0 && (!points || !positions))
		return drapeWorld_Refuse(cloth->world, "%s is NULL", points ? "positions" : "points");
	for (uint32_t i = 0; i < count; ++i)
	{
		char name[32];
		snprintf(name, sizeof name, "points[%u]", i);
		drapeResult result = drapePatternPoint_Check(cloth, name, &points[i]);
		if (result != drape_ok)
			return result;
	}
	Children children;
	if (!SortChildren(&children, cloth))
		return drapeWorld_FailMemory(cloth->world);
	for (uint32_t i = 0; i < count; ++i)
		EvaluatePoint(cloth, &children, &points[i], &positions[i], normals ? &normals[i] : NULL);
	FreeChildren(&children);
	return drape_ok;
}
