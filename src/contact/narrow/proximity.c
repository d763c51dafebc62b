// SPDX-License-Identifier: MIT
#include "contact/narrow/proximity.h"

#include "contact/narrow/crossing.h"

#include <string.h>

enum
{
	pairGrain = 256,
	elementGrain = 1024,
};

void drapeProximities_Destroy(Proximities* proximities)
{
	drapeChunkList_Free(&proximities->chunks);
	ArrayFree(&proximities->points);
	ArrayFree(&proximities->least);
	ArrayFree(&proximities->crossed);
}

typedef struct FindTask
{
	const ContactBodies* bodies;
	const ElementPairs* pairs;
	ContactDistances distances, perEdge;
	float* least; // per chunk: Proximities::least
} FindTask;

// Returns whether the face owns the feature of the closest point with these weights.
static bool Reports(uint8_t owned, const float weights[3])
{
	uint32_t zeros = 0, last = 0;
	for (uint32_t k = 0; k < 3; ++k)
	{
		if (weights[k] <= 0.0f)
			zeros++;
		else
			last = k;
	}
	if (zeros == 0)
		return true;
	if (zeros == 2)
		return (owned & ownsVertex << last) != 0;
	// The point is on the edge opposite the corner without weight.
	for (uint32_t k = 0; k < 3; ++k)
	{
		if (weights[k] <= 0.0f)
			return (owned & ownsEdge << (k + 1) % 3) != 0;
	}
	return false;
}

static bool ClosestOf(const ContactFeature* feature, const Vec3 x[4], float weight[4])
{
	if (feature->isFace)
	{
		float weights[3];
		drapeClosest_PointTriangle(x[0], x[1], x[2], x[3], weights);
		weight[0] = 1.0f;
		for (int k = 0; k < 3; ++k)
			weight[k + 1] = -weights[k];
		return Reports(feature->owned, weights);
	}
	float s, t;
	drapeClosest_SegmentSegment(x[0], x[1], x[2], x[3], &s, &t);
	weight[0] = 1.0f - s;
	weight[1] = s;
	weight[2] = t - 1.0f;
	weight[3] = -t;
	return s > 0.0f && s < 1.0f && t > 0.0f && t < 1.0f;
}

// One chunk of the search.
typedef struct FindRun
{
	const FindTask* task;
	Chunk* chunk;
	float least; // m: the smallest distance of all tested features
	// Pairs of corners that coincide: both elements of a pair find them, one report is enough.
	uint32_t pair, cornerCount;
	uint32_t corners[6][2];
} FindRun;

static bool WasFound(FindRun* run, const ContactFeature* feature, const float weight[4], uint32_t pair)
{
	if (run->pair != pair)
		run->cornerCount = 0;
	run->pair = pair;
	for (uint32_t k = 1; k < 4 && feature->isFace; ++k)
	{
		if (weight[k] != -1.0f)
			continue;
		for (uint32_t i = 0; i < run->cornerCount; ++i)
		{
			if (run->corners[i][0] == feature->vertex[k] && run->corners[i][1] == feature->vertex[0])
				return true;
		}
		DRAPE_ASSERT(run->cornerCount < 6);
		run->corners[run->cornerCount][0] = feature->vertex[0];
		run->corners[run->cornerCount++][1] = feature->vertex[k];
	}
	return false;
}

// --- activation distances -------------------------------------------------------------------------------------------

// Two points of a cloth touch when they are nearer than this fraction of their distance within the material. Culled
// regions rely on the same ratio.
static const float materialShare = CULLING_RATIO;

// Elements that share a corner touch when they are nearer than this fraction of their shortest edge, and no element is
// pressed flat above the second fraction of its height at rest.
static const float foldPart = 0.25f, flatPart = 0.5f;

// Sizes of an element, m. They are those at rest if there is a rest shape, since the element may be flat.
typedef struct ElementSize
{
	float shortest, longest; // edges
	float height;            // over the longest edge
} ElementSize;

static void CornersOf(const ContactBodies* bodies, const ContactElement* element, Vec3 corner[3])
{
	const ContactBody* body = &bodies->bodies.data[element->body];
	uint32_t own = (uint32_t)(element - bodies->elements.data) - body->elementStart;
	for (uint32_t k = 0; k < 3; ++k)
	{
		if (body->shape)
			corner[k] = (Vec3){body->shape[own].corner[k].x, body->shape[own].corner[k].y, 0.0f};
		else
			corner[k] = V4Xyz(bodies->from.data[element->vertex[k]]);
	}
}

// ElementSize::longest alone.
static float LongestOf(const ContactBodies* bodies, const ContactElement* element)
{
	Vec3 corner[3];
	float longest = 0.0f;
	CornersOf(bodies, element, corner);
	for (uint32_t k = 0; k < 3; ++k)
	{
		Vec3 edge = V3Sub(corner[(k + 1) % 3], corner[k]);
		longest = MaxNumF(longest, V3Dot(edge, edge));
	}
	return sqrtf(longest);
}

static ElementSize SizeOf(const ContactBodies* bodies, const ContactElement* element)
{
	const ContactBody* body = &bodies->bodies.data[element->body];
	Vec3 corner[3];
	CornersOf(bodies, element, corner);
	float shortest = INFINITY, longest = 0.0f;
	for (uint32_t k = 0; k < 3; ++k)
	{
		Vec3 edge = V3Sub(corner[(k + 1) % 3], corner[k]);
		shortest = MinNumF(shortest, V3Dot(edge, edge));
		longest = MaxNumF(longest, V3Dot(edge, edge));
	}
	longest = sqrtf(longest);
	float area = V3Length(V3Cross(V3Sub(corner[1], corner[0]), V3Sub(corner[2], corner[0])));
	// The present shape tells no height at rest.
	return (ElementSize){sqrtf(shortest), longest, body->shape && longest > 0.0f ? area / longest : INFINITY};
}

static bool SharesVertex(const ContactElement* a, const ContactElement* b)
{
	for (uint32_t i = 0; i < 9; ++i)
	{
		if (a->vertex[i / 3] == b->vertex[i % 3])
			return true;
	}
	return false;
}

// Returns the activation distance of triangles that share a corner, and of triangles that are pressed flat.
static float FoldDistance(ElementSize size)
{
	return MinNumF(foldPart * size.shortest, flatPart * size.height);
}

// Writes one of the points of a feature, whose vertices `first` to `last` are corners of the element.
static MaterialPoint PointOn(const ContactBodies* bodies, const ContactElement* element, const ContactFeature* feature,
                             const float weight[4], uint32_t first, uint32_t last)
{
	const ContactBody* body = &bodies->bodies.data[element->body];
	MaterialPoint point = {.triangle = (uint32_t)(element - bodies->elements.data) - body->elementStart};
	for (uint32_t k = first; k <= last; ++k)
	{
		for (uint32_t corner = 0; corner < 3; ++corner)
		{
			if (element->vertex[corner] == feature->vertex[k])
				point.weight[corner] = fabsf(weight[k]);
		}
	}
	return point;
}

// Returns the distance within the material of the two points of a feature.
static float MaterialDistance(const ContactBodies* bodies, const ContactElement* a, const ContactElement* b,
                              const ContactFeature* feature, const float weight[4])
{
	uint32_t split = feature->isFace ? 1 : 2;
	bool isOnA = false;
	for (uint32_t k = 0; k < 3; ++k)
		isOnA |= a->vertex[k] == feature->vertex[0];
	MaterialPoint first = PointOn(bodies, isOnA ? a : b, feature, weight, 0, split - 1);
	MaterialPoint second = PointOn(bodies, isOnA ? b : a, feature, weight, split, 3);
	return drapeMaterialMap_Distance(bodies->bodies.data[a->body].map, &first, &second);
}

// Returns the activation distance of the two points of a feature. `own` is that of their bodies.
static float ActivationDistance(const FindTask* task, const ContactElement* a, const ContactElement* b,
                                const ContactFeature* feature, const float weight[4], float own)
{
	const ContactBodies* bodies = task->bodies;
	const ContactBody *first = &bodies->bodies.data[a->body], *second = &bodies->bodies.data[b->body];
	bool areCloths = first->isCloth && second->isCloth;
	float longest = LongestOf(bodies, first->isCloth ? a : b);
	if (areCloths)
		longest = MaxNumF(longest, LongestOf(bodies, b));
	own = MinNumF(own, longest * (areCloths ? task->perEdge.cloth : task->perEdge.collider));
	if (a->body == b->body && SharesVertex(a, b))
		return MinNumF(own, MinNumF(FoldDistance(SizeOf(bodies, a)), FoldDistance(SizeOf(bodies, b))));
	if (a->body == b->body && first->map)
		return MinNumF(own, materialShare * MaterialDistance(bodies, a, b, feature, weight));
	return own;
}

static void TestFeature(void* context, const ContactFeature* feature, uint32_t pair)
{
	FindRun* run = context;
	const ContactBodies* bodies = run->task->bodies;
	ElementPair elements = run->task->pairs->data[pair];
	const ContactElement *a = &bodies->elements.data[elements.a], *b = &bodies->elements.data[elements.b];
	const ContactBody *first = &bodies->bodies.data[a->body], *second = &bodies->bodies.data[b->body];
	bool areCloths = first->isCloth && second->isCloth;
	float radius = first->radius + second->radius;
	float own = areCloths ? run->task->distances.cloth : run->task->distances.collider;
	Vec3 x[4], between = {0.0f, 0.0f, 0.0f};
	float weight[4];
	for (int k = 0; k < 4; ++k)
		x[k] = V4Xyz(bodies->from.data[feature->vertex[k]]);
	bool isReported = ClosestOf(feature, x, weight);
	float size = 0.0f;
	for (int k = 1; k < 4; ++k)
	{
		Vec3 away = V3Sub(x[k], x[0]);
		between = V3Add(between, V3Scale(weight[k], away));
		size += V3MaxAbs(away);
	}
	float length = V3Length(between), distance = length - 1e-5f * size - radius;
	run->least = distance < run->least ? distance : run->least;
	if (!isReported || !(length < radius + own) || !(length > 0.0f))
		return;
	own = ActivationDistance(run->task, a, b, feature, weight, own);
	if (!(length < radius + own) || WasFound(run, feature, weight, pair))
		return;
	DRAPE_ASSERT(isfinite(length));
	Proximity* point = Chunk_Add(run->chunk, sizeof *point);
	if (!point)
		return;
	*point = (Proximity){
		.weight = {weight[0], weight[1], weight[2], weight[3]},
		.normal = V3Scale(1.0f / length, between),
		.distance = length - radius,
		.activationDistance = own,
		.friction = drapeContactBodies_Friction(bodies, feature->vertex, weight),
	};
	memcpy(point->vertex, feature->vertex, sizeof point->vertex);
}

// --- crossings ------------------------------------------------------------------------------------------------------

// A loop fills one list. A crossing is an entry with the elements as its first two vertices and no others; the chunk
// counts them.

static void TestCrossing(void* context, uint32_t pair)
{
	FindRun* run = context;
	const ContactBodies* bodies = run->task->bodies;
	ElementPair elements = run->task->pairs->data[pair];
	const ContactElement *a = &bodies->elements.data[elements.a], *b = &bodies->elements.data[elements.b];
	Vec3 first[3], second[3];
	if (SharesVertex(a, b))
		return;
	for (int k = 0; k < 3; ++k)
	{
		first[k] = V4Xyz(bodies->from.data[a->vertex[k]]);
		second[k] = V4Xyz(bodies->from.data[b->vertex[k]]);
	}
	if (!drapeCrossing_TriangleTriangle(first, second))
		return;
	Proximity* entry = Chunk_Add(run->chunk, sizeof *entry);
	run->chunk->tests++;
	if (entry)
		*entry = (Proximity){.vertex = {elements.a, elements.b, DRAPE_NONE, DRAPE_NONE}};
}

// Moves crossings from the points to their own list. Returns false when out of memory.
static bool TakeCrossings(Proximities* proximities, uint32_t count)
{
	uint32_t kept = 0;
	if (!ArrayReserve(&proximities->crossed, count))
	{
		proximities->points.count = 0;
		return false;
	}
	for (uint32_t i = 0; i < proximities->points.count; ++i)
	{
		const Proximity* point = &proximities->points.data[i];
		if (point->vertex[3] == DRAPE_NONE)
			ArrayPush(&proximities->crossed, ((ElementPair){point->vertex[0], point->vertex[1]}));
		else
			proximities->points.data[kept++] = *point;
	}
	DRAPE_ASSERT(proximities->crossed.count == count);
	proximities->points.count = kept;
	return true;
}

// --- the search -----------------------------------------------------------------------------------------------------

static void FindRange(const void* context, uint32_t start, uint32_t end, Chunk* chunk)
{
	const FindTask* task = context;
	const Vec4* from = task->bodies->from.data;
	FindRun run = {.task = task, .chunk = chunk, .pair = DRAPE_NONE, .least = INFINITY};
	const Narrow narrow = {
		.bodies = task->bodies,
		.pairs = task->pairs,
		.from = from,
		.to = from,
		.distances = task->distances,
		.materialShare = materialShare,
		.pairFcn = TestCrossing,
	};
	drapeNarrow_Find(&narrow, start, end, TestFeature, &run);
	task->least[start / pairGrain] = run.least;
}

bool drapeProximities_Find(Proximities* proximities, const ContactBodies* bodies, const ElementPairs* pairs,
                           ContactDistances distances, ContactDistances perEdge, TaskPool* tasks)
{
	DRAPE_ASSERT(distances.cloth >= 0.0f && distances.collider >= 0.0f);
	uint32_t chunks = TaskPool_ChunkCount(pairs->count, pairGrain);
	proximities->points.count = proximities->crossed.count = 0;
	proximities->clearance = MinF(distances.cloth, distances.collider);
	if (!ArrayReserve(&proximities->least, chunks))
		return false;
	FindTask task = {bodies, pairs, distances, perEdge, proximities->least.data};
	if (!drapeChunkList_Fill(&proximities->chunks, sizeof(Proximity), pairs->count, pairGrain, FindRange, &task,
	                         tasks) ||
	    !ChunkList_Join(&proximities->chunks, &proximities->points))
		return false;
	for (uint32_t i = 0; i < chunks; ++i)
		proximities->clearance = MinF(proximities->clearance, proximities->least.data[i]);
	uint32_t crossings = (uint32_t)drapeChunkList_Tests(&proximities->chunks);
	return crossings == 0 || TakeCrossings(proximities, crossings);
}

// --- triangles pressed flat -----------------------------------------------------------------------------------------

typedef struct SqueezeTask
{
	const ContactBodies* bodies;
	const ContactBody* body;
	const uint32_t* patch;
	float activationDistance; // m
} SqueezeTask;

// Tests the height over the longest edge.
static void TestHeight(const SqueezeTask* task, const ContactElement* element, Chunk* chunk)
{
	const Vec4* from = task->bodies->from.data;
	Vec3 x[3], longest = {0.0f, 0.0f, 0.0f};
	float square = 0.0f;
	uint32_t first = 0;
	for (uint32_t k = 0; k < 3; ++k)
		x[k] = V4Xyz(from[element->vertex[k]]);
	for (uint32_t k = 0; k < 3; ++k)
	{
		Vec3 edge = V3Sub(x[(k + 1) % 3], x[k]);
		if (V3Dot(edge, edge) <= square)
			continue;
		square = V3Dot(edge, edge);
		longest = edge;
		first = k;
	}
	uint32_t second = (first + 1) % 3, apex = (first + 2) % 3;
	Vec3 side = V3Sub(x[apex], x[first]);
	float along = square > 0.0f ? V3Dot(side, longest) / square : 0.0f;
	Vec3 up = V3Sub(side, V3Scale(along, longest));
	float height = V3Length(up);
	if (!(height < task->activationDistance && height > 0.0f))
		return;
	float own = MinNumF(task->activationDistance, FoldDistance(SizeOf(task->bodies, element)));
	Proximity* point = height < own ? Chunk_Add(chunk, sizeof *point) : NULL;
	if (!point)
		return;
	const uint32_t vertex[4] = {element->vertex[apex], element->vertex[first], element->vertex[second],
	                            element->vertex[second]};
	const float weight[4] = {1.0f, along - 1.0f, -along, 0.0f};
	*point = (Proximity){
		.normal = V3Scale(1.0f / height, up),
		.distance = height,
		.activationDistance = own,
		.friction = drapeContactBodies_Friction(task->bodies, vertex, weight),
	};
	memcpy(point->vertex, vertex, sizeof vertex);
	memcpy(point->weight, weight, sizeof weight);
}

static void SqueezeRange(const void* context, uint32_t start, uint32_t end, Chunk* chunk)
{
	const SqueezeTask* task = context;
	for (uint32_t t = start; t < end; ++t)
	{
		if (task->patch[t] == DRAPE_NONE)
			TestHeight(task, &task->bodies->elements.data[task->body->elementStart + t], chunk);
	}
}

bool drapeProximities_AddSqueezed(Proximities* proximities, const ContactBodies* bodies, uint32_t body,
                                  const uint32_t* patch, float activationDistance, TaskPool* tasks)
{
	DRAPE_ASSERT(body < bodies->bodies.count && bodies->bodies.data[body].isCloth);
	SqueezeTask task = {bodies, &bodies->bodies.data[body], patch, activationDistance};
	return drapeChunkList_Fill(&proximities->chunks, sizeof(Proximity), task.body->elementEnd - task.body->elementStart,
	                           elementGrain, SqueezeRange, &task, tasks) &&
	       ChunkList_Join(&proximities->chunks, &proximities->points);
}
