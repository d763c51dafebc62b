// SPDX-License-Identifier: MIT
#include "contact/shapes/mesh_separation.h"

#include "base/simd.h"
#include "contact/narrow/continuous.h"

#include <float.h>
#include <string.h>

enum
{
	groupSize = 8,
	boxGrain = 16,        // blocks of eight groups
	thicknessGrain = 256, // vertices
	walkSteps = 24,       // triangles that the search for the nearest one visits per vertex, at most
	passes = 3,
};

// A vertex and a triangle belong to different parts if they have moved against each other by this share of their distance
// in the first pose.
static const float leastMotion = 0.5f;

// The nearest point of the other part is in front of the vertex or behind it, and not beside it: least cosine.
static const float leastAlong = 0.5f;

// Along an edge, the depth changes by no more than its length, up to rounding and to how the nearest triangle is found.
static const float deepening = 1.5f;

// A point this far above a vertex, in gaps, tells whether the vertex is inside another part.
static const float lift = 0.02f;

// Depth, over the thickness of the thinner part, up to which parts are moved apart wholly, and from which on not at all.
static const float wholeDepth = 0.25f, noDepth = 0.5f;

// The share of a part with one thickness against a part with another one. Arms and trunks differ clearly.
static float Yield(float own, float other)
{
	float a = own * own, b = other * other;
	return a * a + b * b > 0.0f ? b * b / (a * a + b * b) : 0.5f;
}

void drapeMeshSeparation_Destroy(MeshSeparation* separation)
{
	size_t vertices = separation->vertexCount;
	drapeMemFree(separation->order, separation->triangleCount * sizeof(uint32_t));
	drapeMemFree(separation->groupStart, (separation->nodeCount[0] + (size_t)1) * sizeof(uint32_t));
	drapeMemFree(separation->groupVertex, 3 * (size_t)separation->triangleCount * sizeof(uint32_t));
	drapeMemFree(separation->rest, separation->blocks * sizeof(SeparationBlock));
	drapeMemFree(separation->boxes, separation->blocks * sizeof(SeparationBlock));
	drapeMemFree(separation->restPosition, vertices * sizeof(Vec3));
	drapeMemFree(separation->surface, vertices * sizeof(uint32_t));
	drapeMemFree(separation->thickness, vertices * sizeof(float));
	drapeMemFree(separation->partner, vertices * sizeof(uint32_t));
	drapeMemFree(separation->height, vertices * sizeof(float));
	drapeMemFree(separation->share, vertices * sizeof(float));
	drapeMemFree(separation->moved, vertices * sizeof(Vec3));
	ArrayFree(&separation->found);
	ArrayFree(&separation->stack);
	*separation = (MeshSeparation){0};
}

// A corner of the triangles around a vertex, counted from 3 * fanStart on: the first vertex at its position.
static uint32_t FanVertex(const MeshShape* shape, uint32_t i)
{
	return shape->twin[shape->triangle[3 * (size_t)(shape->fan[i / 3] >> 2) + i % 3]];
}

// --- boxes ----------------------------------------------------------------------------------------------------------

typedef struct Box
{
	Vec3 low, high; // m
} Box;

static const Box emptyBox = {{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};

static void Enclose(Box* box, Vec3 low, Vec3 high)
{
	box->low = (Vec3){MinF(box->low.x, low.x), MinF(box->low.y, low.y), MinF(box->low.z, low.z)};
	box->high = (Vec3){MaxF(box->high.x, high.x), MaxF(box->high.y, high.y), MaxF(box->high.z, high.z)};
}

static Box BoxOf(const SeparationBlock* block, uint32_t lane)
{
	return (Box){{block->low[0][lane], block->low[1][lane], block->low[2][lane]},
	             {block->high[0][lane], block->high[1][lane], block->high[2][lane]}};
}

static void SetBox(SeparationBlock* block, uint32_t lane, const Box* box)
{
	const float low[3] = {box->low.x, box->low.y, box->low.z}, high[3] = {box->high.x, box->high.y, box->high.z};
	for (int k = 0; k < 3; ++k)
	{
		block->low[k][lane] = low[k];
		block->high[k][lane] = high[k];
	}
}

// Returns the lanes of a block that overlap lane `lane` of another one, grown by a margin.
static uint32_t Overlaps(const SeparationBlock* a, uint32_t lane, const SeparationBlock* b, float margin)
{
	uint32_t bits = (1u << separationArity) - 1;
	for (int k = 0; k < 3; ++k)
	{
		F8 low = F8_Splat(a->low[k][lane] - margin), high = F8_Splat(a->high[k][lane] + margin);
		bits &= M8_Bits(M8_And(F8_Le(low, F8_Load(b->high[k])), F8_Le(F8_Load(b->low[k]), high)));
	}
	return bits;
}

typedef struct BoxTask
{
	const MeshSeparation* separation;
	const MeshShape* shape;
	const Vec3* positions;
	SeparationBlock* boxes;
} BoxTask;

static Box BoxOfGroup(const BoxTask* task, uint32_t group)
{
	const MeshSeparation* s = task->separation;
	Box box = emptyBox;
	uint32_t last = MinU32(groupSize * (group + 1), s->triangleCount);
	for (uint32_t i = groupSize * group; i < last; ++i)
	{
		for (uint32_t k = 0; k < 3; ++k)
		{
			Vec3 p = task->positions[task->shape->triangle[3 * (size_t)s->order[i] + k]];
			Enclose(&box, p, p);
		}
	}
	return box;
}

// Fits blocks of groups; lanes past the last group are empty.
static void FitGroups(uint32_t start, uint32_t end, uint32_t worker, void* context)
{
	(void)worker;
	const BoxTask* task = context;
	for (uint32_t block = start; block < end; ++block)
	{
		for (uint32_t lane = 0; lane < separationArity; ++lane)
		{
			uint32_t group = separationArity * block + lane;
			Box box = group < task->separation->nodeCount[0] ? BoxOfGroup(task, group) : emptyBox;
			SetBox(&task->boxes[block], lane, &box);
		}
	}
}

static uint32_t BlocksOf(uint32_t nodes)
{
	return (nodes + separationArity - 1) / separationArity;
}

static void FitBoxes(const MeshSeparation* s, const MeshShape* shape, const Vec3* positions, SeparationBlock* boxes,
                     TaskPool* tasks)
{
	BoxTask task = {s, shape, positions, boxes};
	DRAPE_ASSERT(s->levelCount > 0 && s->nodeCount[s->levelCount - 1] == 1);
	drapeTaskPool_For(tasks, BlocksOf(s->nodeCount[0]), boxGrain, FitGroups, &task);
	for (uint32_t level = 1; level < s->levelCount; ++level)
	{
		const SeparationBlock* below = boxes + s->firstBlock[level - 1];
		for (uint32_t node = 0; node < separationArity * BlocksOf(s->nodeCount[level]); ++node)
		{
			Box box = emptyBox;
			for (uint32_t lane = 0; lane < separationArity && node < s->nodeCount[level]; ++lane)
			{
				Box child = BoxOf(&below[node], lane);
				Enclose(&box, child.low, child.high);
			}
			SetBox(&boxes[s->firstBlock[level] + node / separationArity], node % separationArity, &box);
		}
	}
}

// --- creation -------------------------------------------------------------------------------------------------------

// Blocks of the level below are numbered like the nodes of a level: each level begins with a block of its own.
static void CountNodes(MeshSeparation* s)
{
	uint32_t count = s->triangleCount;
	do
	{
		count = (count + groupSize - 1) / groupSize;
		DRAPE_ASSERT(s->levelCount < separationMaxLevels);
		s->nodeCount[s->levelCount] = count;
		s->firstBlock[s->levelCount++] = s->blocks;
		s->blocks += BlocksOf(count);
	} while (count > 1);
}

static bool Allocate(MeshSeparation* s)
{
	s->order = drapeMemAllocArray(s->triangleCount, sizeof(uint32_t));
	s->groupStart = drapeMemAllocArray(s->nodeCount[0] + (size_t)1, sizeof(uint32_t));
	s->groupVertex = drapeMemAllocArray(3 * (size_t)s->triangleCount, sizeof(uint32_t));
	s->rest = drapeMemAllocArray(s->blocks, sizeof(SeparationBlock));
	s->boxes = drapeMemAllocArray(s->blocks, sizeof(SeparationBlock));
	s->restPosition = drapeMemAllocArray(s->vertexCount, sizeof(Vec3));
	s->surface = drapeMemAllocArray(s->vertexCount, sizeof(uint32_t));
	s->thickness = drapeMemAllocArray(s->vertexCount, sizeof(float));
	s->partner = drapeMemAllocArray(s->vertexCount, sizeof(uint32_t));
	s->height = drapeMemAllocArray(s->vertexCount, sizeof(float));
	s->share = drapeMemAllocArray(s->vertexCount, sizeof(float));
	s->moved = drapeMemAllocArray(s->vertexCount, sizeof(Vec3));
	return s->order && s->groupStart && s->groupVertex && s->rest && s->boxes && s->restPosition && s->surface &&
	       s->thickness && s->partner && s->height && s->share && s->moved && ArrayReserve(&s->found, s->vertexCount) &&
	       ArrayReserve(&s->stack, s->vertexCount);
}

// Lists the vertices of each group. `partner` is scratch: the last group in which a vertex was met.
static void ListGroups(MeshSeparation* s, const MeshShape* shape)
{
	uint32_t count = 0;
	memset(s->partner, 0xff, s->vertexCount * sizeof(uint32_t));
	for (uint32_t group = 0; group < s->nodeCount[0]; ++group)
	{
		s->groupStart[group] = count;
		uint32_t end = MinU32(groupSize * (group + 1), s->triangleCount);
		for (uint32_t i = 3 * groupSize * group; i < 3 * end; ++i)
		{
			uint32_t vertex = shape->twin[shape->triangle[3 * (size_t)s->order[i / 3] + i % 3]];
			if (s->partner[vertex] != group)
				s->groupVertex[count++] = vertex;
			s->partner[vertex] = group;
		}
	}
	s->groupStart[s->nodeCount[0]] = count;
}

// Numbers the connected surfaces. Vertices at one position count as one.
static void FindSurfaces(MeshSeparation* s, const MeshShape* shape)
{
	memset(s->surface, 0xff, s->vertexCount * sizeof(uint32_t));
	for (uint32_t i = 0; i < s->vertexCount; ++i)
	{
		if (shape->twin[i] != i || s->surface[i] != DRAPE_NONE)
			continue;
		s->surface[i] = i;
		s->stack.count = 0;
		ArrayPush(&s->stack, i);
		while (s->stack.count > 0)
		{
			uint32_t vertex = s->stack.data[--s->stack.count];
			for (uint32_t k = 3 * shape->fanStart[vertex]; k < 3 * shape->fanStart[vertex + 1]; ++k)
			{
				uint32_t other = FanVertex(shape, k);
				if (s->surface[other] != DRAPE_NONE)
					continue;
				s->surface[other] = i;
				ArrayPush(&s->stack, other);
			}
		}
	}
	for (uint32_t i = 0; i < s->vertexCount; ++i)
		s->surface[i] = s->surface[shape->twin[i]];
}

typedef struct ThicknessTask
{
	const MeshShape* shape;
	float* thickness;
} ThicknessTask;

// The length of a ray inwards.
static void ThicknessRange(uint32_t start, uint32_t end, uint32_t worker, void* context)
{
	(void)worker;
	const ThicknessTask* task = context;
	const MeshShape* shape = task->shape;
	const float inset = 1e-4f; // of the size of the mesh
	Primitives primitives = drapeMeshShape_Primitives(shape, 0.0f);
	float length = V3Length(V3Sub(shape->high, shape->low));
	for (uint32_t i = start; i < end; ++i)
	{
		Vec3 normal, at = V4Xyz(shape->to[i]);
		PrimitiveHit hit;
		task->thickness[i] = length;
		if (!drapeMeshShape_VertexNormal(shape, i, &normal))
			continue;
		Vec3 from = V3Sub(at, V3Scale(inset * length, normal)), to = V3Sub(at, V3Scale(length, normal));
		if (drapeBvh_FirstHit(&shape->tree, &primitives, from, to, &hit))
			task->thickness[i] = hit.fraction * length;
	}
}

bool drapeMeshSeparation_Create(MeshSeparation* separation, const MeshShape* shape, TaskPool* tasks)
{
	MeshSeparation* s = separation;
	DRAPE_ASSERT(shape->vertexCount > 0 && shape->triangleCount > 0);
	*s = (MeshSeparation){.vertexCount = shape->vertexCount, .triangleCount = shape->triangleCount};
	if (!shape->closed)
		return true;
	CountNodes(s);
	if (!Allocate(s))
		return false;
	memcpy(s->order, shape->firstOrder, s->triangleCount * sizeof(uint32_t));
	for (uint32_t i = 0; i < s->vertexCount; ++i)
		s->restPosition[i] = V4Xyz(shape->to[i]);
	FitBoxes(s, shape, s->restPosition, s->rest, tasks);
	FindSurfaces(s, shape);
	ListGroups(s, shape);
	ThicknessTask task = {shape, s->thickness};
	drapeTaskPool_For(tasks, s->vertexCount, thicknessGrain, ThicknessRange, &task);
	return true;
}

// --- a vertex and a triangle ----------------------------------------------------------------------------------------

typedef struct Search
{
	MeshSeparation* separation;
	const MeshShape* shape;
	const Vec3* x; // m: positions now
	float gap;     // m
} Search;

// The place of a vertex over a triangle.
typedef struct Place
{
	Vec3 normal;     // unit
	float height;    // m, over the plane of the triangle
	float distance;  // m, from its nearest point
	float weight[3]; // of that point
} Place;

typedef struct TriangleAxes
{
	Vec3 along, across, normal; // unit
} TriangleAxes;

static TriangleAxes AxesOf(const Vec3 corner[3])
{
	Vec3 edge = V3Sub(corner[1], corner[0]);
	TriangleAxes axes = {.along = V3Normalize(edge), .normal = V3Normalize(V3Cross(edge, V3Sub(corner[2], corner[0])))};
	axes.across = V3Cross(axes.normal, axes.along);
	return axes;
}

static void CornersOf(const MeshShape* shape, uint32_t triangle, const Vec3* x, Vec3 corner[3])
{
	for (uint32_t k = 0; k < 3; ++k)
		corner[k] = x[shape->triangle[3 * (size_t)triangle + k]];
}

// A point relative to the point of a triangle with these weights, along the triangle's axes.
static Vec3 Relative(const Vec3 corner[3], const TriangleAxes* axes, const float weight[3], Vec3 point)
{
	Vec3 on = V3Add(V3Scale(weight[0], corner[0]), V3Add(V3Scale(weight[1], corner[1]), V3Scale(weight[2], corner[2])));
	Vec3 d = V3Sub(point, on);
	return (Vec3){V3Dot(d, axes->along), V3Dot(d, axes->across), V3Dot(d, axes->normal)};
}

// Finds the place of a vertex. Returns whether vertex and triangle belong to different parts.
static bool FindPlace(const Search* search, uint32_t vertex, uint32_t triangle, Place* place)
{
	const MeshSeparation* s = search->separation;
	Vec3 corner[3], rest[3];
	DRAPE_ASSERT(vertex < s->vertexCount && triangle < s->triangleCount);
	if (s->surface[vertex] != s->surface[search->shape->triangle[3 * (size_t)triangle]])
		return false;
	CornersOf(search->shape, triangle, search->x, corner);
	CornersOf(search->shape, triangle, s->restPosition, rest);
	place->distance =
		sqrtf(drapeClosest_PointTriangle(search->x[vertex], corner[0], corner[1], corner[2], place->weight));
	TriangleAxes axes = AxesOf(corner), restAxes = AxesOf(rest);
	Vec3 now = Relative(corner, &axes, place->weight, search->x[vertex]);
	Vec3 before = Relative(rest, &restAxes, place->weight, s->restPosition[vertex]);
	Vec3 motion = V3Sub(now, before);
	place->normal = axes.normal;
	place->height = now.z;
	return V3Dot(motion, motion) > leastMotion * leastMotion * V3Dot(before, before);
}

static bool IsNear(const Search* search, const Place* place)
{
	return place->height < search->gap && fabsf(place->height) >= leastAlong * place->distance;
}

// Returns whether a vertex is inside another part: so is a point just above it.
static bool IsBuried(const Search* search, uint32_t vertex)
{
	Vec3 normal;
	if (!drapeMeshShape_VertexNormal(search->shape, vertex, &normal))
		return false;
	Vec3 above = V3Add(search->x[vertex], V3Scale(lift * search->gap, normal));
	return drapeMeshShape_WindingNumber(search->shape, above) > 0;
}

// Returns whether a vertex is inside another part, or closer to it than the gap.
static bool Lacks(const Search* search, uint32_t vertex, const Place* place)
{
	return IsNear(search, place) && (place->height >= 0.0f || IsBuried(search, vertex));
}

// Follows the surface to the nearest triangle of another part. Returns DRAPE_NONE if the first one is of the same part.
static uint32_t Follow(const Search* search, uint32_t vertex, uint32_t triangle, Place* place)
{
	uint32_t best = triangle;
	if (!FindPlace(search, vertex, triangle, place))
		return DRAPE_NONE;
	for (uint32_t step = 0; step < walkSteps; ++step)
	{
		uint32_t last = best;
		for (uint32_t k = 0; k < 3; ++k)
		{
			uint32_t other = search->shape->neighbour[3 * (size_t)last + k];
			Place there;
			if (other >= search->shape->triangleCount || !FindPlace(search, vertex, other, &there) ||
			    !(there.distance < place->distance))
				continue;
			*place = there;
			best = other;
		}
		if (best == last)
			break;
	}
	return best;
}

// --- the search -----------------------------------------------------------------------------------------------------

static void AddFound(MeshSeparation* s, uint32_t vertex, uint32_t partner, const Place* place)
{
	DRAPE_ASSERT(s->partner[vertex] == DRAPE_NONE && partner != DRAPE_NONE);
	s->partner[vertex] = partner;
	s->height[vertex] = place->height;
	ArrayPush(&s->found, vertex);
}

static bool IsWithin(const Box* box, Vec3 p, float margin)
{
	return p.x >= box->low.x - margin && p.x <= box->high.x + margin && p.y >= box->low.y - margin &&
	       p.y <= box->high.y + margin && p.z >= box->low.z - margin && p.z <= box->high.z + margin;
}

// The triangles of a group.
typedef struct WideTriangles
{
	V8 low, high;  // m: vertices outside are too far; half of the size of a triangle and the gap beyond its box
	V8 corner[3];  // m
	V8 outward[3]; // unit, in the plane, across the edge from corner k; NaN where a triangle has no area
	V8 normal;     // unit
	F8 size;       // m: magnitude of the coordinates, for the rounding error
} WideTriangles;

static V8 Unit8(V8 v)
{
	return V8_Scale(F8_Div(F8_Splat(1.0f), F8_Sqrt(V8_Dot(v, v))), v);
}

static WideTriangles LoadTriangles(const Search* search, uint32_t group)
{
	WideTriangles wide;
	const MeshSeparation* s = search->separation;
	uint32_t index[3][groupSize];
	for (uint32_t i = 0; i < groupSize; ++i)
	{
		uint32_t triangle = s->order[MinU32(groupSize * group + i, s->triangleCount - 1)];
		for (uint32_t k = 0; k < 3; ++k)
			index[k][i] = search->shape->triangle[3 * (size_t)triangle + k];
	}
	V8* c = wide.corner;
	for (uint32_t k = 0; k < 3; ++k)
		c[k] = V8_Gather(search->shape->to, index[k]);
	V8 low = {F8_Min(F8_Min(c[0].x, c[1].x), c[2].x), F8_Min(F8_Min(c[0].y, c[1].y), c[2].y),
	          F8_Min(F8_Min(c[0].z, c[1].z), c[2].z)};
	V8 high = {F8_Max(F8_Max(c[0].x, c[1].x), c[2].x), F8_Max(F8_Max(c[0].y, c[1].y), c[2].y),
	           F8_Max(F8_Max(c[0].z, c[1].z), c[2].z)};
	V8 size = V8_Sub(high, low);
	F8 margin = F8_Mul(F8_Splat(0.5f), F8_Max(size.x, F8_Max(size.y, size.z)));
	margin = F8_Add(margin, F8_Splat(search->gap));
	V8 margins = {margin, margin, margin};
	wide.low = V8_Sub(low, margins);
	wide.high = V8_Add(high, margins);
	wide.normal = Unit8(V8_Cross(V8_Sub(c[1], c[0]), V8_Sub(c[2], c[0])));
	for (uint32_t k = 0; k < 3; ++k)
		wide.outward[k] = Unit8(V8_Cross(V8_Sub(c[(k + 1) % 3], c[k]), wide.normal));
	wide.size = F8_Add(V8_MaxAbs(wide.low), V8_MaxAbs(wide.high));
	return wide;
}

DRAPE_INLINE M8 IsBetween(F8 low, F8 x, F8 high)
{
	return M8_And(F8_Le(low, x), F8_Le(x, high));
}

// Returns the triangles that a vertex may be near, by their boxes and by conservative bounds of height and distance
// (IsNear).
static uint32_t MayMeet(const Search* search, const WideTriangles* wide, Vec3 vertex)
{
	V8 p = V8_Splat(vertex);
	uint32_t lanes =
		M8_Bits(M8_And(IsBetween(wide->low.x, p.x, wide->high.x),
	                   M8_And(IsBetween(wide->low.y, p.y, wide->high.y), IsBetween(wide->low.z, p.z, wide->high.z))));
	if (lanes == 0)
		return 0;
	F8 error = F8_Mul(F8_Splat(1e-5f), wide->size);
	F8 height = V8_Dot(V8_Sub(p, wide->corner[0]), wide->normal), beside = F8_Splat(0.0f);
	for (uint32_t k = 0; k < 3; ++k)
		beside = F8_Max(V8_Dot(V8_Sub(p, wide->corner[k]), wide->outward[k]), beside);
	F8 distance = F8_Sqrt(F8_Add(F8_Mul(height, height), F8_Mul(beside, beside)));
	M8 isFar = F8_Gt(height, F8_Add(F8_Splat(search->gap), error));
	M8 isBeside = F8_Lt(F8_Add(F8_Abs(height), error), F8_Mul(F8_Splat(leastAlong), F8_Sub(distance, error)));
	return lanes & ~M8_Bits(M8_Or(isFar, isBeside));
}

static float LongestEdge(const Search* search, uint32_t triangle)
{
	Vec3 corner[3];
	CornersOf(search->shape, triangle, search->x, corner);
	float longest = 0.0f;
	for (int k = 0; k < 3; ++k)
		longest = MaxNumF(longest, V3Length(V3Sub(corner[(k + 1) % 3], corner[k])));
	return longest;
}

// Tests a vertex against some triangles of a group. Where surfaces pass through each other, vertices are no deeper than
// a triangle is long.
static void TestVertex(const Search* search, uint32_t vertex, uint32_t group, uint32_t lanes)
{
	MeshSeparation* s = search->separation;
	DRAPE_ASSERT(s->partner[vertex] == DRAPE_NONE && group < s->nodeCount[0]);
	for (; lanes != 0; lanes &= lanes - 1)
	{
		Place place;
		uint32_t slot = groupSize * group + (uint32_t)__builtin_ctz(lanes);
		if (slot >= s->triangleCount || !FindPlace(search, vertex, s->order[slot], &place) || !IsNear(search, &place))
			continue;
		uint32_t nearest = Follow(search, vertex, s->order[slot], &place);
		if (nearest == DRAPE_NONE || place.distance > LongestEdge(search, nearest) || !Lacks(search, vertex, &place))
			continue;
		AddFound(s, vertex, nearest, &place);
		return;
	}
}

// Lists vertices of a group that are near the box of another one. Returns their number.
static uint32_t ListNear(const Search* search, uint32_t group, const Box* box, uint32_t near[3 * groupSize + 1])
{
	const MeshSeparation* s = search->separation;
	uint32_t count = 0;
	for (uint32_t i = s->groupStart[group]; i < s->groupStart[group + 1]; ++i)
	{
		near[count] = s->groupVertex[i];
		count += IsWithin(box, search->x[near[count]], search->gap) && s->partner[near[count]] == DRAPE_NONE;
	}
	return count;
}

// Tests the vertices of one group against the triangles of another.
static void TestGroups(const Search* search, uint32_t a, uint32_t b)
{
	const MeshSeparation* s = search->separation;
	Box box = BoxOf(&s->boxes[b / separationArity], b % separationArity);
	uint32_t near[3 * groupSize + 1], count = ListNear(search, a, &box, near);
	if (count == 0)
		return;
	WideTriangles wide = LoadTriangles(search, b);
	for (uint32_t i = 0; i < count; ++i)
		TestVertex(search, near[i], b, MayMeet(search, &wide, search->x[near[i]]));
}

// Finds groups below two nodes that meet and were apart in the first pose. The depth of the recursion is that of the
// boxes.
static void FindMeetings(const Search* search, uint32_t level, uint32_t a, uint32_t b)
{
	const MeshSeparation* s = search->separation;
	DRAPE_ASSERT(level > 0 && a <= b && b < s->nodeCount[level]);
	uint32_t first = s->firstBlock[level - 1];
	for (uint32_t i = 0; i < separationArity; ++i)
	{
		uint32_t lanes = Overlaps(&s->boxes[first + a], i, &s->boxes[first + b], search->gap);
		if (level == 1)
			lanes &= ~Overlaps(&s->rest[first + a], i, &s->rest[first + b], 0.0f);
		if (a == b)
			lanes &= ~0u << i;
		for (; lanes != 0; lanes &= lanes - 1)
		{
			uint32_t own = separationArity * a + i, other = separationArity * b + (uint32_t)__builtin_ctz(lanes);
			if (level > 1)
			{
				FindMeetings(search, level - 1, own, other);
				continue;
			}
			TestGroups(search, own, other);
			TestGroups(search, other, own);
		}
	}
}

// Goes on to the vertices around those that were found.
static void Spread(const Search* search)
{
	MeshSeparation* s = search->separation;
	const MeshShape* shape = search->shape;
	for (uint32_t next = 0; next < s->found.count; ++next)
	{
		uint32_t vertex = s->found.data[next];
		for (uint32_t i = 3 * shape->fanStart[vertex]; i < 3 * shape->fanStart[vertex + 1]; ++i)
		{
			uint32_t other = FanVertex(shape, i);
			Place place;
			if (s->partner[other] != DRAPE_NONE)
				continue;
			uint32_t nearest = Follow(search, other, s->partner[vertex], &place);
			float most = deepening * V3Length(V3Sub(search->x[other], search->x[vertex]));
			if (nearest != DRAPE_NONE && place.height > s->height[vertex] - most && Lacks(search, other, &place))
				AddFound(s, other, nearest, &place);
		}
	}
}

// --- shares ---------------------------------------------------------------------------------------------------------

// The thickness of the other part.
static float ThicknessAt(const Search* search, uint32_t triangle, const Place* place)
{
	float sum = 0.0f;
	for (uint32_t k = 0; k < 3; ++k)
		sum += place->weight[k] * search->separation->thickness[search->shape->triangle[3 * (size_t)triangle + k]];
	return sum;
}

// Marks a connected set of found vertices with a share of 0, and lists it in the stack. Returns its largest depth over the
// mean thickness of the thinner part.
static float MarkSet(const Search* search, uint32_t first)
{
	MeshSeparation* s = search->separation;
	const MeshShape* shape = search->shape;
	float deepest = 0.0f, thickness = 0.0f;
	DRAPE_ASSERT(s->partner[first] != DRAPE_NONE && s->share[first] < 0.0f);
	s->stack.count = 0;
	ArrayPush(&s->stack, first);
	s->share[first] = 0.0f;
	for (uint32_t next = 0; next < s->stack.count; ++next)
	{
		uint32_t vertex = s->stack.data[next];
		Place place;
		FindPlace(search, vertex, s->partner[vertex], &place);
		thickness += MinNumF(s->thickness[vertex], ThicknessAt(search, s->partner[vertex], &place));
		deepest = MaxNumF(deepest, -place.height);
		for (uint32_t i = 3 * shape->fanStart[vertex]; i < 3 * shape->fanStart[vertex + 1]; ++i)
		{
			uint32_t other = FanVertex(shape, i);
			if (s->partner[other] == DRAPE_NONE || s->share[other] >= 0.0f)
				continue;
			s->share[other] = 0.0f;
			ArrayPush(&s->stack, other);
		}
	}
	return deepest * (float)s->stack.count / MaxNumF(thickness, FLT_MIN);
}

// Connected vertices have one share, which falls with their depth.
static void FindShares(const Search* search)
{
	MeshSeparation* s = search->separation;
	for (uint32_t i = 0; i < s->found.count; ++i)
		s->share[s->found.data[i]] = -1.0f;
	for (uint32_t i = 0; i < s->found.count; ++i)
	{
		if (s->share[s->found.data[i]] >= 0.0f)
			continue;
		float deepest = MarkSet(search, s->found.data[i]);
		float share = MinNumF(MaxNumF((noDepth - deepest) / (noDepth - wholeDepth), 0.0f), 1.0f);
		for (uint32_t k = 0; k < s->stack.count; ++k)
			s->share[s->stack.data[k]] = share;
	}
}

// --- displacements --------------------------------------------------------------------------------------------------

// The normal of a vertex: that of the triangles around it.
static Vec3 NormalOf(const Search* search, uint32_t vertex)
{
	const MeshShape* shape = search->shape;
	Vec3 sum = {0.0f, 0.0f, 0.0f};
	for (uint32_t i = shape->fanStart[vertex]; i < shape->fanStart[vertex + 1]; ++i)
	{
		Vec3 corner[3];
		CornersOf(shape, shape->fan[i] >> 2, search->x, corner);
		sum = V3Add(sum, V3Cross(V3Sub(corner[1], corner[0]), V3Sub(corner[2], corner[0])));
	}
	return V3Normalize(sum);
}

// Parts that overlap get twice the gap, so that several layers of cloth have space. A side of a part that faces away from
// the other part ends above the side that faces it.
static float WantedHeight(const Search* search, uint32_t vertex, const Place* place)
{
	float along = MinNumF(MaxNumF(V3Dot(NormalOf(search, vertex), place->normal) + 0.2f, 0.0f), 1.0f);
	float widening = MinNumF(MaxNumF(1.0f - place->height / search->gap, 0.0f), 1.0f);
	return search->gap * (1.0f + widening + along * along * (3.0f - 2.0f * along));
}

// Finds how a vertex slides along its edges towards neighbours that have space, until it has gained a height. Returns the
// share of this motion: it falls when the neighbours have hardly more space than the vertex needs, and is 0 without any.
static float FindSlide(const Search* search, uint32_t vertex, const Place* place, float rise, Vec3* slide)
{
	const MeshShape* shape = search->shape;
	Vec3 sum = {0.0f, 0.0f, 0.0f};
	float weights = 0.0f, most = 0.0f;
	for (uint32_t i = shape->fanStart[vertex]; i < shape->fanStart[vertex + 1]; ++i)
	{
		uint32_t k = shape->fan[i] & 3, next = FanVertex(shape, 3 * i + (k + 1) % 3);
		Vec3 edge = V3Sub(search->x[next], search->x[vertex]);
		float climb = V3Dot(place->normal, edge);
		if (search->separation->partner[next] != DRAPE_NONE || !(climb > rise))
			continue;
		float left = 1.0f - rise / climb;
		sum = V3Add(sum, V3Scale(left * (1.0f - left), edge));
		weights += left;
		most = MaxNumF(most, left);
	}
	*slide = weights > 0.0f ? V3Scale(1.0f / weights, sum) : sum;
	return MinNumF(2.0f * most, 1.0f);
}

// The displacement of a vertex in a pass. Later passes correct what the motion of both parts has left.
static Vec3 FindDisplacement(const Search* search, uint32_t vertex, bool isFirst)
{
	MeshSeparation* s = search->separation;
	Place place;
	Vec3 moved = {0.0f, 0.0f, 0.0f};
	DRAPE_ASSERT(s->share[vertex] >= 0.0f && s->share[vertex] <= 1.0f);
	uint32_t nearest = Follow(search, vertex, s->partner[vertex], &place);
	if (nearest == DRAPE_NONE)
		return moved;
	s->partner[vertex] = nearest;
	float missing = WantedHeight(search, vertex, &place) - place.height;
	if (!(missing > 0.0f) || !IsNear(search, &place))
		return moved;
	float least = search->gap - place.height;
	float share = s->share[vertex] * Yield(s->thickness[vertex], ThicknessAt(search, nearest, &place));
	if (!isFirst && least < 0.1f * search->gap)
		missing = least;
	float slides = isFirst ? FindSlide(search, vertex, &place, share * least, &moved) : 0.0f;
	return V3Add(V3Scale(slides, moved), V3Scale((1.0f - slides) * share * missing, place.normal));
}

static void MoveOnce(const Search* search, Vec3* positions, bool isFirst)
{
	MeshSeparation* s = search->separation;
	for (uint32_t i = 0; i < s->found.count; ++i)
		s->moved[s->found.data[i]] = FindDisplacement(search, s->found.data[i], isFirst);
	for (uint32_t i = 0; i < s->found.count; ++i)
	{
		uint32_t vertex = s->found.data[i];
		positions[vertex] = V3Add(positions[vertex], s->moved[vertex]);
	}
}

// Vertices at one position move alike.
static void MoveTwins(const Search* search, Vec3* positions)
{
	const uint32_t *twin = search->shape->twin, *partner = search->separation->partner;
	for (uint32_t i = 0; i < search->shape->vertexCount; ++i)
	{
		if (twin[i] != i && partner[twin[i]] != DRAPE_NONE)
			positions[i] = positions[twin[i]];
	}
}

uint32_t drapeMeshSeparation_Apply(MeshSeparation* separation, const MeshShape* shape, Vec3* positions, float gap,
                                   TaskPool* tasks)
{
	MeshSeparation* s = separation;
	if (s->levelCount == 0 || !(gap > 0.0f))
		return 0;
	DRAPE_ASSERT(shape->vertexCount == s->vertexCount && shape->triangleCount == s->triangleCount);
	const Search search = {s, shape, positions, gap};
	s->found.count = 0;
	memset(s->partner, 0xff, s->vertexCount * sizeof(uint32_t));
	FitBoxes(s, shape, positions, s->boxes, tasks);
	if (s->levelCount > 1)
		FindMeetings(&search, s->levelCount - 1, 0, 0);
	if (s->found.count == 0)
		return 0;
	Spread(&search);
	FindShares(&search);
	for (int pass = 0; pass < passes; ++pass)
		MoveOnce(&search, positions, pass == 0);
	MoveTwins(&search, positions);
	return s->found.count;
}
