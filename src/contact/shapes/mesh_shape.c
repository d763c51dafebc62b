// SPDX-License-Identifier: MIT
#include "contact/shapes/mesh_shape.h"

#include "base/hash.h"

#include <string.h>

// Creation, motion and destruction. mesh_query.c has the queries.

static const float farthest = 1e9f; // m

enum
{
	vertexGrain = 2048,
};

// A triangle has no area when its height is less than this fraction of its longest edge.
static const double flatness = 1e-7;

void drapeMeshShape_Destroy(MeshShape* shape)
{
	size_t vertices = shape->vertexCount, corners = 3 * (size_t)shape->triangleCount;
	drapeMemFree(shape->from, vertices * sizeof(Vec4));
	drapeMemFree(shape->to, vertices * sizeof(Vec4));
	drapeMemFree(shape->triangle, corners * sizeof(uint32_t));
	drapeMemFree(shape->source, shape->triangleCount * sizeof(uint32_t));
	drapeMemFree(shape->neighbour, corners * sizeof(uint32_t));
	drapeMemFree(shape->twin, vertices * sizeof(uint32_t));
	drapeMemFree(shape->fanStart, (vertices + 1) * sizeof(uint32_t));
	drapeMemFree(shape->fan, corners * sizeof(uint32_t));
	drapeMemFree(shape->firstOrder, shape->triangleCount * sizeof(uint32_t));
	drapeMemFree(shape->parts, TaskPool_ChunkCount(shape->vertexCount, vertexGrain) * sizeof(MeshPart));
	drapeBvhBoxes_Free(&shape->boxes[0]);
	drapeBvhBoxes_Free(&shape->boxes[1]);
	drapeBvh_Destroy(&shape->tree);
	*shape = (MeshShape){0};
}

// --- input ----------------------------------------------------------------------------------------------------------

static uint32_t FindBadVertex(const Vec3* positions, uint32_t count)
{
	for (uint32_t i = 0; i < count; ++i)
	{
		Vec3 p = positions[i];
		if (!(fabsf(p.x) <= farthest && fabsf(p.y) <= farthest && fabsf(p.z) <= farthest))
			return i;
	}
	return DRAPE_NONE;
}

static bool HasArea(const Vec3* positions, const uint32_t* corners)
{
	Vec3 a = positions[corners[0]], b = positions[corners[1]], c = positions[corners[2]];
	Double3 ab = D3Between(a, b), ac = D3Between(a, c), bc = D3Between(b, c), normal = D3Cross(ab, ac);
	double longest = MaxNum(D3Dot(ab, ab), MaxNum(D3Dot(ac, ac), D3Dot(bc, bc)));
	return sqrt(D3Dot(normal, normal)) > flatness * longest && longest > 0.0;
}

// Returns a static sentence when the input is unusable, else NULL.
static const char* Examine(const Vec3* positions, uint32_t vertexCount, const uint32_t* triangles,
                           uint32_t triangleCount, MeshShapeReport* report)
{
	report->badVertex = FindBadVertex(positions, vertexCount);
	if (report->badVertex != DRAPE_NONE)
		return "a vertex of the collider is not finite or farther than 10^9 m";
	for (uint32_t i = 0; i < 3 * triangleCount; ++i)
	{
		if (triangles[i] < vertexCount)
			continue;
		report->badTriangle = i / 3;
		return "a triangle of the collider names a vertex that does not exist";
	}
	for (uint32_t i = 0; i < triangleCount; ++i)
	{
		if (HasArea(positions, triangles + 3 * (size_t)i))
			continue;
		report->firstDropped = report->dropped++ ? report->firstDropped : i;
	}
	return report->dropped == triangleCount ? "no triangle of the collider has an area" : NULL;
}

static bool Allocate(MeshShape* shape, uint32_t vertexCount, uint32_t triangleCount)
{
	size_t vertices = vertexCount, corners = 3 * (size_t)triangleCount;
	shape->vertexCount = vertexCount;
	shape->triangleCount = triangleCount;
	shape->from = drapeMemAllocArray(vertices, sizeof(Vec4));
	shape->to = drapeMemAllocArray(vertices, sizeof(Vec4));
	shape->triangle = drapeMemAllocArray(corners, sizeof(uint32_t));
	shape->source = drapeMemAllocArray(triangleCount, sizeof(uint32_t));
	shape->neighbour = drapeMemAllocArray(corners, sizeof(uint32_t));
	shape->twin = drapeMemAllocArray(vertices, sizeof(uint32_t));
	shape->fanStart = drapeMemAllocArray(vertices + 1, sizeof(uint32_t));
	shape->fan = drapeMemAllocArray(corners, sizeof(uint32_t));
	shape->firstOrder = drapeMemAllocArray(triangleCount, sizeof(uint32_t));
	shape->parts = drapeMemAllocArray(TaskPool_ChunkCount(vertexCount, vertexGrain), sizeof(MeshPart));
	return shape->from && shape->to && shape->triangle && shape->source && shape->neighbour && shape->twin &&
	       shape->fanStart && shape->fan && shape->firstOrder && shape->parts;
}

static void CopyTriangles(MeshShape* shape, const Vec3* positions, const uint32_t* triangles, uint32_t triangleCount)
{
	uint32_t kept = 0;
	for (uint32_t i = 0; i < triangleCount; ++i)
	{
		if (!HasArea(positions, triangles + 3 * (size_t)i))
			continue;
		memcpy(shape->triangle + 3 * (size_t)kept, triangles + 3 * (size_t)i, 3 * sizeof(uint32_t));
		shape->source[kept++] = i;
	}
	DRAPE_ASSERT(kept == shape->triangleCount);
}

// --- topology -------------------------------------------------------------------------------------------------------

// Maps each vertex to the first one at the same position. When two positions share a key, the positions decide.
static bool FindTwins(MeshShape* shape, const Vec3* positions)
{
	HashMap map = {0};
	if (!drapeHashMap_Reserve(&map, shape->vertexCount))
		return false;
	for (uint32_t i = 0; i < shape->vertexCount; ++i)
	{
		Vec3 p = {positions[i].x + 0.0f, positions[i].y + 0.0f, positions[i].z + 0.0f}; // -0 is 0
		uint64_t key = drapeHash_Bytes(0, &p, sizeof p);
		uint32_t first = HashMap_Get(&map, key);
		shape->twin[i] = i;
		if (first == DRAPE_NONE)
			HashMap_Put(&map, key, i);
		else if (positions[first].x == p.x && positions[first].y == p.y && positions[first].z == p.z)
			shape->twin[i] = first;
	}
	drapeHashMap_Free(&map);
	return true;
}

// Sides of triangles along one edge: a linked list through `next`.
typedef struct EdgeLists
{
	HashMap map; // from both ends to the first side
	uint32_t* next;
	uint32_t count;
} EdgeLists;

static uint64_t EdgeKey(uint32_t a, uint32_t b)
{
	return a < b ? (uint64_t)a << 32 | b : (uint64_t)b << 32 | a;
}

static bool RepeatsCorner(const MeshShape* shape, const uint32_t* corners)
{
	uint32_t a = shape->twin[corners[0]], b = shape->twin[corners[1]], c = shape->twin[corners[2]];
	return a == b || b == c || c == a;
}

// Adds the sides of all given triangles. Triangles without area count, too, because they may close gaps; a triangle
// that has shrunk to an edge does not.
static bool EdgeLists_Make(EdgeLists* lists, const MeshShape* shape, const uint32_t* triangles, uint32_t triangleCount)
{
	lists->count = 3 * triangleCount;
	lists->next = drapeMemAllocArray(lists->count, sizeof(uint32_t));
	if (!lists->next || !drapeHashMap_Reserve(&lists->map, lists->count))
		return false;
	for (uint32_t i = 0; i < lists->count; ++i)
	{
		uint32_t a = shape->twin[triangles[i]], b = shape->twin[triangles[i - i % 3 + (i + 1) % 3]];
		lists->next[i] = DRAPE_NONE;
		if (RepeatsCorner(shape, triangles + (i - i % 3)))
			continue;
		HashSlot* slot = HashMap_Find(&lists->map, EdgeKey(a, b));
		if (slot->value == DRAPE_NONE)
		{
			HashMap_Put(&lists->map, EdgeKey(a, b), i);
			continue;
		}
		lists->next[i] = slot->value;
		slot->value = i;
	}
	return true;
}

static void EdgeLists_Free(EdgeLists* lists)
{
	drapeHashMap_Free(&lists->map);
	drapeMemFree(lists->next, lists->count * sizeof(uint32_t));
}

// Counts the sides of one edge.
static void CountEdge(const EdgeLists* lists, const MeshShape* shape, const uint32_t* triangles, uint32_t first,
                      MeshShapeReport* report)
{
	uint32_t sides = 0;
	int balance = 0;
	for (uint32_t i = first; i != DRAPE_NONE; i = lists->next[i], ++sides)
		balance += shape->twin[triangles[i]] < shape->twin[triangles[i - i % 3 + (i + 1) % 3]] ? 1 : -1;
	report->boundaryEdges += sides == 1;
	report->nonManifoldEdges += sides > 2;
	report->flippedEdges += sides == 2 && balance != 0;
	report->closed = report->closed && balance == 0;
}

// Returns the triangle across side i, with its number in the given mesh.
static uint32_t Across(const EdgeLists* lists, const MeshShape* shape, const uint32_t* triangles, uint32_t i)
{
	uint32_t a = shape->twin[triangles[i]], b = shape->twin[triangles[i - i % 3 + (i + 1) % 3]];
	uint32_t first = HashMap_Get(&lists->map, EdgeKey(a, b)), second = lists->next[first];
	if (second == DRAPE_NONE)
		return meshNoNeighbour;
	uint32_t other = first == i ? second : first;
	bool opposite = shape->twin[triangles[other]] == b;
	return lists->next[second] == DRAPE_NONE && opposite ? other / 3 : meshManyNeighbours;
}

static bool FindNeighbours(MeshShape* shape, const uint32_t* triangles, uint32_t triangleCount, MeshShapeReport* report)
{
	EdgeLists lists = {0};
	uint32_t* kept = drapeMemAllocArray(triangleCount, sizeof(uint32_t));
	bool done = kept && EdgeLists_Make(&lists, shape, triangles, triangleCount);
	if (done)
	{
		report->closed = true;
		for (uint32_t i = 0; i < lists.map.capacity; ++i)
		{
			if (lists.map.slots[i].value != DRAPE_NONE)
				CountEdge(&lists, shape, triangles, lists.map.slots[i].value, report);
		}
		memset(kept, 0xff, triangleCount * sizeof(uint32_t));
		for (uint32_t i = 0; i < shape->triangleCount; ++i)
			kept[shape->source[i]] = i;
		for (uint32_t i = 0; i < 3 * shape->triangleCount; ++i)
		{
			uint32_t across = Across(&lists, shape, triangles, 3 * shape->source[i / 3] + i % 3);
			if (across < triangleCount)
				across = kept[across] != DRAPE_NONE ? kept[across] : meshManyNeighbours;
			shape->neighbour[i] = across;
		}
	}
	drapeMemFree(kept, triangleCount * sizeof(uint32_t));
	EdgeLists_Free(&lists);
	return done;
}

// Returns six times the enclosed volume, computed relative to the middle of the mesh.
static double Volume(const MeshShape* shape)
{
	double sum = 0.0;
	Vec3 middle = V3Scale(0.5f, V3Add(shape->low, shape->high));
	for (uint32_t i = 0; i < shape->triangleCount; ++i)
	{
		SeenTriangle seen = Triangle_SeenFrom(shape->to, shape->triangle + 3 * (size_t)i, middle);
		sum += D3Dot(seen.corner[0], D3Cross(seen.corner[1], seen.corner[2]));
	}
	return sum;
}

// Swaps corners 1 and 2, and with them edges 0 and 2.
static void TurnOver(MeshShape* shape)
{
	for (uint32_t i = 0; i < shape->triangleCount; ++i)
	{
		uint32_t *corner = shape->triangle + 3 * (size_t)i, *edge = shape->neighbour + 3 * (size_t)i;
		uint32_t second = corner[1], first = edge[0];
		corner[1] = corner[2];
		corner[2] = second;
		edge[0] = edge[2];
		edge[2] = first;
	}
}

static void MakeFans(MeshShape* shape)
{
	uint32_t corners = 3 * shape->triangleCount;
	memset(shape->fanStart, 0, (shape->vertexCount + (size_t)1) * sizeof(uint32_t));
	for (uint32_t i = 0; i < corners; ++i)
		shape->fanStart[shape->twin[shape->triangle[i]] + 1]++;
	for (uint32_t i = 0; i < shape->vertexCount; ++i)
		shape->fanStart[i + 1] += shape->fanStart[i];
	for (uint32_t i = corners; i-- > 0;)
		shape->fan[--shape->fanStart[shape->twin[shape->triangle[i]] + 1]] = i / 3 << 2 | i % 3;
	// Filling moved each start to the slot of the vertex before; move them back.
	for (uint32_t i = 0; i < shape->vertexCount; ++i)
		shape->fanStart[i] = shape->fanStart[i + 1];
	shape->fanStart[shape->vertexCount] = corners;
}

// --- self-intersection ----------------------------------------------------------------------------------------------

static bool EdgeCuts(const MeshShape* shape, uint32_t of, uint32_t through)
{
	for (uint32_t k = 0; k < 3; ++k)
	{
		double fraction, weight[3];
		Vec3 from = V4Xyz(shape->to[shape->triangle[3 * of + k]]);
		Vec3 to = V4Xyz(shape->to[shape->triangle[3 * of + (k + 1) % 3]]);
		SeenTriangle seen = Triangle_SeenFrom(shape->to, shape->triangle + 3 * (size_t)through, from);
		if (Triangle_Cut(&seen, D3Between(from, to), &fraction, weight))
			return true;
	}
	return false;
}

static bool ShareTwin(const MeshShape* shape, uint32_t a, uint32_t b)
{
	for (uint32_t i = 0; i < 9; ++i)
	{
		if (shape->twin[shape->triangle[3 * a + i / 3]] == shape->twin[shape->triangle[3 * b + i % 3]])
			return true;
	}
	return false;
}

static bool FindTangles(MeshShape* shape, TaskPool* tasks)
{
	PairList list = {0};
	bool done = drapeBvh_SelfPairs(&shape->tree, NULL, &list, tasks);
	for (uint32_t i = 0; done && i < list.pairs.count && !shape->tangled; ++i)
	{
		PrimitivePair pair = list.pairs.data[i];
		shape->tangled =
			!ShareTwin(shape, pair.a, pair.b) && (EdgeCuts(shape, pair.a, pair.b) || EdgeCuts(shape, pair.b, pair.a));
	}
	drapePairList_Free(&list);
	return done;
}

// --- creation and motion --------------------------------------------------------------------------------------------

static void FindBox(MeshShape* shape)
{
	Vec3 low = {INFINITY, INFINITY, INFINITY}, high = {-INFINITY, -INFINITY, -INFINITY};
	for (uint32_t i = 0; i < shape->vertexCount; ++i)
	{
		Vec4 p = shape->to[i];
		low = (Vec3){MinNumF(low.x, p.x), MinNumF(low.y, p.y), MinNumF(low.z, p.z)};
		high = (Vec3){MaxNumF(high.x, p.x), MaxNumF(high.y, p.y), MaxNumF(high.z, p.z)};
	}
	shape->low = low;
	shape->high = high;
}

Primitives drapeMeshShape_Primitives(const MeshShape* shape, float margin)
{
	return (Primitives){
		shape->moves ? shape->from : shape->to, shape->to, shape->triangle, 3, shape->triangleCount, margin};
}

static bool Make(MeshShape* shape, const Vec3* positions, const uint32_t* triangles, uint32_t triangleCount,
                 TaskPool* tasks, MeshShapeReport* report)
{
	for (uint32_t i = 0; i < shape->vertexCount; ++i)
		shape->from[i] = shape->to[i] = (Vec4){positions[i].x, positions[i].y, positions[i].z, 0.0f};
	CopyTriangles(shape, positions, triangles, triangleCount);
	FindBox(shape);
	if (!FindTwins(shape, positions) || !FindNeighbours(shape, triangles, triangleCount, report))
		return false;
	shape->closed = report->closed;
	report->turned = shape->closed && Volume(shape) < 0.0;
	if (report->turned)
		TurnOver(shape);
	MakeFans(shape);
	Primitives primitives = drapeMeshShape_Primitives(shape, 0.0f);
	if (!drapeBvh_Build(&shape->tree, &primitives, bvhSplit, tasks) ||
	    !drapeBvhBoxes_Reserve(&shape->boxes[0], &shape->tree) ||
	    !drapeBvhBoxes_Reserve(&shape->boxes[1], &shape->tree))
		return false;
	memcpy(shape->firstOrder, shape->tree.order.data, shape->triangleCount * sizeof(uint32_t));
	shape->fromRevision = shape->toRevision = 1;
	shape->fromLow = shape->low;
	shape->fromHigh = shape->high;
	drapeBvhBoxes_Fit(&shape->boxes[1], &shape->tree, &primitives, shape->to, tasks);
	shape->firstLooseness = drapeBvhBoxes_Looseness(&shape->boxes[1], &shape->tree);
	if (shape->closed && !FindTangles(shape, tasks))
		return false;
	report->tangled = shape->tangled;
	return true;
}

drapeResult drapeMeshShape_Create(MeshShape* shape, const Vec3* positions, uint32_t vertexCount,
                                  const uint32_t* triangles, uint32_t triangleCount, TaskPool* tasks,
                                  MeshShapeReport* report)
{
	*shape = (MeshShape){0};
	*report = (MeshShapeReport){
		.vertices = vertexCount,
		.triangles = triangleCount,
		.firstDropped = DRAPE_NONE,
		.badVertex = DRAPE_NONE,
		.badTriangle = DRAPE_NONE,
	};
	if (vertexCount > DRAPE_MAX_ELEMENTS / 3 || triangleCount > DRAPE_MAX_ELEMENTS / 3)
	{
		report->problem = "the collider has too many triangles or vertices";
		return drape_errorLimit;
	}
	report->problem = Examine(positions, vertexCount, triangles, triangleCount, report);
	if (report->problem)
		return drape_errorData;
	drapeBvh_Init(&shape->tree, bvhDefaultK, bvhDefaultArity);
	if (Allocate(shape, vertexCount, triangleCount - report->dropped) &&
	    Make(shape, positions, triangles, triangleCount, tasks, report))
		return drape_ok;
	drapeMeshShape_Destroy(shape);
	return drape_errorMemory;
}

// Sorts the tree as it was when the shape was created: a BvhSortFcn.
static void SortAsFirst(Bvh* bvh, const Primitives* primitives, const void* context, TaskPool* tasks)
{
	(void)tasks;
	const MeshShape* shape = context;
	for (uint32_t i = 0; i < primitives->count; ++i)
		bvh->keys.data[i] = shape->firstOrder[i];
}

static BvhBoxes* EndBoxes(MeshShape* shape)
{
	return &shape->boxes[shape->toRevision % 2];
}

// The order of the tree follows from the first and the present positions. The tree keeps its size, so this cannot run
// out of memory.
static void Reorder(MeshShape* shape, const Primitives* primitives, BvhSortFcn* sort, TaskPool* tasks)
{
	bool done = drapeBvh_BuildSorted(&shape->tree, primitives, sort, shape, tasks);
	DRAPE_ASSERT(done);
	(void)done;
	drapeBvhBoxes_Fit(&shape->boxes[shape->fromRevision % 2], &shape->tree, primitives, shape->from, tasks);
	drapeBvhBoxes_Fit(EndBoxes(shape), &shape->tree, primitives, shape->to, tasks);
}

static void Refit(MeshShape* shape, TaskPool* tasks)
{
	const float tooLoose = 2.0f;
	Primitives primitives = drapeMeshShape_Primitives(shape, 0.0f);
	if (shape->isReordered)
		Reorder(shape, &primitives, SortAsFirst, tasks);
	else
		drapeBvhBoxes_Fit(EndBoxes(shape), &shape->tree, &primitives, shape->to, tasks);
	shape->isReordered = drapeBvhBoxes_Looseness(EndBoxes(shape), &shape->tree) > tooLoose * shape->firstLooseness;
	// The Morton order is fast enough for every frame.
	if (shape->isReordered)
		Reorder(shape, &primitives, drapeBvh_SortMorton, tasks);
	else
		drapeBvh_Refit(&shape->tree, &primitives, tasks);
}

typedef struct MoveTask
{
	MeshShape* shape;
	const Vec3* positions;
} MoveTask;

static void CheckRange(uint32_t start, uint32_t end, uint32_t worker, void* context)
{
	(void)worker;
	const MoveTask* task = context;
	task->shape->parts[start / vertexGrain].isBad = FindBadVertex(task->positions + start, end - start) != DRAPE_NONE;
}

static void MoveRange(uint32_t start, uint32_t end, uint32_t worker, void* context)
{
	(void)worker;
	const MoveTask* task = context;
	const MeshShape* shape = task->shape;
	Vec3 low = {INFINITY, INFINITY, INFINITY}, high = {-INFINITY, -INFINITY, -INFINITY};
	float square = 0.0f;
	for (uint32_t i = start; i < end; ++i)
	{
		Vec3 p = task->positions[i], moved = V3Sub(p, V4Xyz(shape->from[i]));
		low = (Vec3){MinF(low.x, p.x), MinF(low.y, p.y), MinF(low.z, p.z)};
		high = (Vec3){MaxF(high.x, p.x), MaxF(high.y, p.y), MaxF(high.z, p.z)};
		square = MaxF(square, V3Dot(moved, moved));
		shape->to[i] = (Vec4){p.x, p.y, p.z, 0.0f};
	}
	shape->parts[start / vertexGrain] = (MeshPart){low, high, square, false};
}

// Joins the bounds and displacements of all parts.
static void JoinParts(MeshShape* shape)
{
	Vec3 low = {INFINITY, INFINITY, INFINITY}, high = {-INFINITY, -INFINITY, -INFINITY};
	float square = 0.0f;
	for (uint32_t i = 0; i < TaskPool_ChunkCount(shape->vertexCount, vertexGrain); ++i)
	{
		const MeshPart* part = &shape->parts[i];
		low = (Vec3){MinF(low.x, part->low.x), MinF(low.y, part->low.y), MinF(low.z, part->low.z)};
		high = (Vec3){MaxF(high.x, part->high.x), MaxF(high.y, part->high.y), MaxF(high.z, part->high.z)};
		square = MaxF(square, part->square);
	}
	shape->low = low;
	shape->high = high;
	shape->maxDisplacement = sqrtf(square);
}

drapeResult drapeMeshShape_Move(MeshShape* shape, const Vec3* positions, TaskPool* tasks)
{
	MoveTask task = {shape, positions};
	drapeTaskPool_For(tasks, shape->vertexCount, vertexGrain, CheckRange, &task);
	for (uint32_t i = 0; i < TaskPool_ChunkCount(shape->vertexCount, vertexGrain); ++i)
	{
		if (shape->parts[i].isBad)
			return drape_errorData;
	}
	Vec4* before = shape->from;
	shape->from = shape->to;
	shape->to = before;
	shape->moves = true;
	shape->fromRevision = shape->toRevision;
	shape->toRevision++;
	shape->fromLow = shape->low;
	shape->fromHigh = shape->high;
	drapeTaskPool_For(tasks, shape->vertexCount, vertexGrain, MoveRange, &task);
	JoinParts(shape);
	Refit(shape, tasks);
	return drape_ok;
}

void drapeMeshShape_Adjust(MeshShape* shape, const Vec3* positions, TaskPool* tasks)
{
	MoveTask task = {shape, positions};
	DRAPE_ASSERT(positions && shape->moves);
	drapeTaskPool_For(tasks, shape->vertexCount, vertexGrain, MoveRange, &task);
	JoinParts(shape);
	Refit(shape, tasks);
}

void drapeMeshShape_Rest(MeshShape* shape, TaskPool* tasks)
{
	if (!shape->moves)
		return;
	memcpy(shape->from, shape->to, shape->vertexCount * sizeof(Vec4));
	shape->moves = false;
	shape->maxDisplacement = 0.0f;
	shape->fromRevision = shape->toRevision;
	shape->fromLow = shape->low;
	shape->fromHigh = shape->high;
	Primitives primitives = drapeMeshShape_Primitives(shape, 0.0f);
	drapeBvh_Refit(&shape->tree, &primitives, tasks);
}

MeshShape drapeMeshShape_AtStart(const MeshShape* shape)
{
	MeshShape start = *shape;
	start.to = shape->from;
	start.toRevision = shape->fromRevision;
	start.low = shape->fromLow;
	start.high = shape->fromHigh;
	start.moves = false;
	return start;
}

drapeResult drapeMeshShape_Put(MeshShape* shape, const Vec3* positions, TaskPool* tasks)
{
	drapeResult result = drapeMeshShape_Move(shape, positions, tasks);
	return result == drape_ok ? drapeMeshShape_Move(shape, positions, tasks) : result;
}

Vec3 drapeMeshShape_Displacement(const MeshShape* shape, uint32_t triangle, const float weight[3])
{
	Vec3 displacement = {0.0f, 0.0f, 0.0f};
	for (uint32_t k = 0; k < 3; ++k)
	{
		uint32_t vertex = shape->triangle[3 * triangle + k];
		displacement =
			V3Add(displacement, V3Scale(weight[k], V3Sub(V4Xyz(shape->to[vertex]), V4Xyz(shape->from[vertex]))));
	}
	return displacement;
}
