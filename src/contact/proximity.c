// SPDX-License-Identifier: MIT
#include "contact/proximity.h"

#include <string.h>

enum
{
	pairGrain = 256,
};

void Proximities_Destroy(Proximities* proximities)
{
	for (uint32_t i = 0; i < proximities->chunks.capacity; ++i)
		ArrayFree(&proximities->chunks.data[i].found);
	ArrayFree(&proximities->chunks);
	ArrayFree(&proximities->points);
}

typedef struct FindTask
{
	Proximities* proximities;
	const ContactBodies* bodies;
	const ElementPairs* pairs;
	float reach;
} FindTask;

// Whether this face is the one to report a closest point with these weights.
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
	// On the edge opposite the corner without weight.
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
		Closest_PointTriangle(x[0], x[1], x[2], x[3], weights);
		weight[0] = 1.0f;
		for (int k = 0; k < 3; ++k)
			weight[k + 1] = -weights[k];
		return Reports(feature->owned, weights);
	}
	float s, t;
	Closest_SegmentSegment(x[0], x[1], x[2], x[3], &s, &t);
	weight[0] = 1.0f - s;
	weight[1] = s;
	weight[2] = t - 1.0f;
	weight[3] = -t;
	return s > 0.0f && s < 1.0f && t > 0.0f && t < 1.0f;
}

static bool BoxesMeet(const Vec3 x[4], uint32_t firstCount, float reach)
{
	for (uint32_t axis = 0; axis < 3; ++axis)
	{
		float low[2] = {INFINITY, INFINITY}, high[2] = {-INFINITY, -INFINITY};
		for (uint32_t k = 0; k < 4; ++k)
		{
			uint32_t side = k >= firstCount;
			float at = (&x[k].x)[axis];
			low[side] = at < low[side] ? at : low[side];
			high[side] = at > high[side] ? at : high[side];
		}
		if (low[0] > high[1] + reach || low[1] > high[0] + reach)
			return false;
	}
	return true;
}

// Corners of two elements that lie on each other: both find the other's, once is enough.
typedef struct CornerPairs
{
	uint32_t count;
	uint32_t corner[6][2];
} CornerPairs;

static bool WasFound(CornerPairs* corners, const ContactFeature* feature, const float weight[4])
{
	if (!feature->isFace)
		return false;
	for (uint32_t k = 1; k < 4; ++k)
	{
		if (weight[k] != -1.0f)
			continue;
		for (uint32_t i = 0; i < corners->count; ++i)
		{
			if (corners->corner[i][0] == feature->vertex[k] && corners->corner[i][1] == feature->vertex[0])
				return true;
		}
		corners->corner[corners->count][0] = feature->vertex[0];
		corners->corner[corners->count++][1] = feature->vertex[k];
	}
	return false;
}

static float ShortestEdge2(const ContactBodies* bodies, const ContactElement* element)
{
	float square = INFINITY;
	for (uint32_t k = 0; k < 3; ++k)
	{
		Vec3 edge =
			V3Sub(V4Xyz(bodies->from.data[element->vertex[(k + 1) % 3]]), V4Xyz(bodies->from.data[element->vertex[k]]));
		square = fminf(square, V3Dot(edge, edge));
	}
	return square;
}

// Triangles that share a corner are as near as that. They touch where they are folded onto each other: when they are
// nearer than a part of their size.
static float FoldReach(const FindTask* task, const ContactElement* a, const ContactElement* b)
{
	const float part = 0.25f;
	float square = INFINITY;
	for (uint32_t i = 0; i < 9; ++i)
	{
		if (a->vertex[i / 3] == b->vertex[i % 3])
			square = fminf(square, fminf(ShortestEdge2(task->bodies, a), ShortestEdge2(task->bodies, b)));
	}
	return fminf(task->reach, part * sqrtf(square));
}

static void TestFeature(const FindTask* task, const ContactFeature* feature, float radius, float own, float friction,
                        CornerPairs* corners, ProximityChunk* chunk)
{
	Vec3 x[4];
	float weight[4], reach = radius + own;
	for (int k = 0; k < 4; ++k)
		x[k] = V4Xyz(task->bodies->from.data[feature->vertex[k]]);
	if (!BoxesMeet(x, feature->isFace ? 1 : 2, reach) || !ClosestOf(feature, x, weight))
		return;
	Vec3 between = {0.0f, 0.0f, 0.0f};
	for (int k = 1; k < 4; ++k)
		between = V3Add(between, V3Scale(weight[k], V3Sub(x[k], x[0])));
	float length = V3Length(between);
	if (!(length < reach) || !(length > 0.0f) || WasFound(corners, feature, weight))
		return;
	if (chunk->wanted < chunk->found.capacity)
	{
		Proximity* point = &chunk->found.data[chunk->wanted];
		*point = (Proximity){
			.normal = V3Scale(1.0f / length, between), .distance = length - radius, .reach = own, .friction = friction};
		memcpy(point->vertex, feature->vertex, sizeof point->vertex);
		memcpy(point->weight, weight, sizeof weight);
	}
	chunk->wanted++;
}

static void FindRange(uint32_t start, uint32_t end, uint32_t worker, void* context)
{
	(void)worker;
	const FindTask* task = context;
	ProximityChunk* chunk = &task->proximities->chunks.data[start / pairGrain];
	chunk->wanted = 0;
	for (uint32_t i = start; i < end; ++i)
	{
		const ContactElement *a = &task->bodies->elements.data[task->pairs->data[i].a],
							 *b = &task->bodies->elements.data[task->pairs->data[i].b];
		const ContactBody *first = &task->bodies->bodies.data[a->body], *second = &task->bodies->bodies.data[b->body];
		float radius = first->radius + second->radius;
		if (ContactElement_AreApart(a, b, task->bodies->from.data, task->bodies->from.data, radius + task->reach))
			continue;
		ContactFeature features[contactMaxFeatures];
		uint32_t count = ContactElement_Features(a, b, features);
		CornerPairs corners = {0};
		float own = FoldReach(task, a, b);
		for (uint32_t k = 0; k < count; ++k)
			TestFeature(task, &features[k], radius, own, first->friction * second->friction, &corners, chunk);
	}
}

// Chunks that found more than they have room for are given it. True when there were none.
static bool GiveRoom(Proximities* proximities, uint32_t chunks, bool* isShort)
{
	bool fits = true;
	for (uint32_t i = 0; i < chunks; ++i)
	{
		ProximityChunk* chunk = &proximities->chunks.data[i];
		if (chunk->wanted <= chunk->found.capacity)
			continue;
		fits = false;
		*isShort |= !ArrayReserve(&chunk->found, chunk->wanted);
	}
	return fits;
}

static bool ReserveChunks(Proximities* proximities, uint32_t chunks)
{
	uint32_t before = proximities->chunks.capacity;
	if (!ArrayReserve(&proximities->chunks, chunks))
		return false;
	if (proximities->chunks.capacity > before)
		memset(proximities->chunks.data + before, 0,
		       (proximities->chunks.capacity - before) * sizeof *proximities->chunks.data);
	return true;
}

bool Proximities_Find(Proximities* proximities, const ContactBodies* bodies, const ElementPairs* pairs, float reach,
                      TaskPool* tasks)
{
	uint32_t chunks = TaskPool_ChunkCount(pairs->count, pairGrain);
	size_t sum = 0;
	bool isShort = false;
	proximities->points.count = 0;
	if (!ReserveChunks(proximities, chunks))
		return false;
	FindTask task = {proximities, bodies, pairs, reach};
	TaskPool_For(tasks, pairs->count, pairGrain, FindRange, &task);
	if (!GiveRoom(proximities, chunks, &isShort) && !isShort)
		TaskPool_For(tasks, pairs->count, pairGrain, FindRange, &task);
	for (uint32_t i = 0; i < chunks; ++i)
		sum += proximities->chunks.data[i].wanted;
	if (isShort || !ArrayReserve(&proximities->points, sum))
		return false;
	for (uint32_t i = 0; i < chunks; ++i)
	{
		const ProximityChunk* chunk = &proximities->chunks.data[i];
		if (chunk->wanted > 0)
			memcpy(proximities->points.data + proximities->points.count, chunk->found.data,
			       chunk->wanted * sizeof(Proximity));
		proximities->points.count += chunk->wanted;
	}
	return true;
}
