// SPDX-License-Identifier: MIT
#include "world/world.h"

#include "contact/crossing.h"
#include "mesh/geometry.h"

// Which triangles cross: trees find those whose bounds overlap, exact arithmetic decides.

// Triangles of a cloth or of a mesh collider.
typedef struct Surface
{
	drapeClothId cloth;
	drapeColliderId collider;
	Items items;
	Bvh tree;
} Surface;

typedef struct Search
{
	ARRAY(Surface) surfaces; // cloths first
	uint32_t clothCount;
	PairList pairs;
	drapeCrossing* list;
	uint32_t capacity, count;
	TaskPool* tasks;
} Search;

static void Search_Destroy(Search* search)
{
	for (uint32_t i = 0; i < search->surfaces.count; ++i)
		Bvh_Destroy(&search->surfaces.data[i].tree);
	ArrayFree(&search->surfaces);
	PairList_Free(&search->pairs);
}

// --- surfaces ---

static bool AddSurface(Search* search, Surface surface)
{
	Bvh_Init(&surface.tree, bvhDefaultK, bvhDefaultArity);
	bool isBuilt = Bvh_Build(&surface.tree, &surface.items, NULL, bvhMorton, search->tasks);
	ArrayPush(&search->surfaces, surface);
	return isBuilt;
}

static bool AddSurfaces(Search* search, drapeWorld* world)
{
	bool isDone = ArrayReserve(&search->surfaces, world->cloths.count + world->colliderSlots.count);
	for (uint32_t i = 0; isDone && i < world->cloths.count; ++i)
	{
		const ActiveMesh* mesh = &world->cloths.data[i]->active;
		if (!Cloth_IsUsed(world->cloths.data[i]))
			continue;
		isDone = AddSurface(search, (Surface){.cloth = Cloth_Id(world, i),
		                                      .items = {.from = mesh->position,
		                                                .to = mesh->position,
		                                                .corners = &mesh->triangle[0][0],
		                                                .cornerCount = 3,
		                                                .count = mesh->triangleCount}});
	}
	search->clothCount = search->surfaces.count;
	for (uint32_t i = 0; isDone && i < world->colliderSlots.count; ++i)
	{
		const ColliderMesh* mesh = world->colliderMeshes.data[i];
		if (!mesh)
			continue;
		Surface surface = {.collider = {world, i + 1, world->colliderSlots.data[i].generation},
		                   .items = MeshShape_Items(&mesh->shape, 0.0f)};
		surface.items.from = surface.items.to;
		isDone = AddSurface(search, surface);
	}
	return isDone;
}

// --- crossings ---

static void Corners(const Items* items, uint32_t triangle, Vec3 corners[3])
{
	for (uint32_t k = 0; k < 3; ++k)
		corners[k] = V4Xyz(items->to[Items_Corner(items, triangle, k)]);
}

// A point of edge pq that is in the plane of the triangle.
static Vec3 PointOnEdge(Vec3 p, Vec3 q, const Vec3 triangle[3])
{
	Vec3 normal = V3Cross(V3Sub(triangle[1], triangle[0]), V3Sub(triangle[2], triangle[0]));
	float from = V3Dot(normal, V3Sub(p, triangle[0])), to = V3Dot(normal, V3Sub(q, triangle[0]));
	float share = from == to ? 0.0f : fminf(fmaxf(from / (from - to), 0.0f), 1.0f);
	return V3Add(p, V3Scale(share, V3Sub(q, p)));
}

static Vec3 PlaceOf(const Vec3 a[3], const Vec3 b[3])
{
	for (int k = 0; k < 3; ++k)
	{
		if (Crossing_SegmentTriangle(a[k], a[(k + 1) % 3], b))
			return PointOnEdge(a[k], a[(k + 1) % 3], b);
		if (Crossing_SegmentTriangle(b[k], b[(k + 1) % 3], a))
			return PointOnEdge(b[k], b[(k + 1) % 3], a);
	}
	return a[0];
}

static void Report(Search* search, const Surface* one, const Surface* other)
{
	for (uint32_t i = 0; i < search->pairs.pairs.count; ++i)
	{
		ItemPair pair = search->pairs.pairs.data[i];
		Vec3 a[3], b[3];
		Corners(&one->items, pair.a, a);
		Corners(&other->items, pair.b, b);
		if (!Crossing_TriangleTriangle(a, b))
			continue;
		if (search->count < search->capacity)
			search->list[search->count] = (drapeCrossing){
				.cloth = one->cloth,
				.triangle = pair.a,
				.otherCloth = other->cloth,
				.collider = other->collider,
				.otherTriangle = pair.b,
				.position = PlaceOf(a, b),
			};
		search->count++;
	}
}

static bool FindAll(Search* search)
{
	for (uint32_t i = 0; i < search->clothCount; ++i)
	{
		const Surface* cloth = &search->surfaces.data[i];
		if (!Bvh_SelfPairs(&cloth->tree, &search->pairs, search->tasks))
			return false;
		Report(search, cloth, cloth);
		for (uint32_t k = i + 1; k < search->surfaces.count; ++k)
		{
			const Surface* other = &search->surfaces.data[k];
			if (!Bvh_Pairs(&cloth->tree, &other->tree, &search->pairs, search->tasks))
				return false;
			Report(search, cloth, other);
		}
	}
	return true;
}

drapeResult drapeWorld_FindCrossings(drapeWorldId id, drapeCrossing* list, uint32_t capacity, uint32_t* count)
{
	bool isValid = id.world && count && (list || capacity == 0);
	DRAPE_ASSERT(isValid);
	if (!isValid)
		return drape_errorArgument;
	Search search = {.list = list, .capacity = capacity, .tasks = id.world->tasks};
	bool isDone = AddSurfaces(&search, id.world) && FindAll(&search);
	*count = isDone ? search.count : 0;
	Search_Destroy(&search);
	return isDone ? drape_ok : drape_errorMemory;
}
