// SPDX-License-Identifier: MIT
#include "contact/untangle/untangle_inner.h"

#include <string.h>

// Patches of cloth: distances over the surface, the triangles of a patch, and its motion.

// --- connections ----------------------------------------------------------------------------------------------------

static bool MakeRings(Untangler* u)
{
	const Tangle* tangle = u->tangle;
	uint32_t vertices = tangle->position.count, corners = tangle->corners.count;
	if (!ArrayReserve(&u->ringStart, vertices + 1) || !ArrayReserve(&u->ring, corners))
		return false;
	memset(u->ringStart.data, 0, (vertices + 1) * sizeof(uint32_t));
	for (uint32_t i = 0; i < corners; ++i)
		u->ringStart.data[tangle->corners.data[i]]++;
	for (uint32_t v = 0, sum = 0; v <= vertices; ++v)
	{
		sum += v < vertices ? u->ringStart.data[v] : 0;
		u->ringStart.data[v] = sum;
	}
	// Filled from the end: each list ascends, and its start ends up in the right slot.
	for (uint32_t i = corners; i-- > 0;)
		u->ring.data[--u->ringStart.data[tangle->corners.data[i]]] = i / 3;
	return true;
}

// Adds a vertex to the neighbours of the last vertex, or counts another triangle with it.
static void CountNeighbour(Untangler* u, uint32_t start, uint32_t vertex, uint8_t* triangles)
{
	for (uint32_t i = start; i < u->neighbours.count; ++i)
	{
		if (u->neighbours.data[i] != vertex)
			continue;
		triangles[i] = (uint8_t)MinU32(triangles[i] + 1u, UINT8_MAX);
		return;
	}
	triangles[u->neighbours.count] = 1;
	ArrayPush(&u->neighbours, vertex);
}

// A vertex with edges of one triangle is on the boundary: keeps the neighbours along these edges only.
static void KeepBoundary(Untangler* u, uint32_t start, const uint8_t* triangles)
{
	uint32_t kept = start;
	for (uint32_t i = start; i < u->neighbours.count; ++i)
	{
		if (triangles[i] == 1)
			u->neighbours.data[kept++] = u->neighbours.data[i];
	}
	if (kept > start)
		u->neighbours.count = kept;
}

static bool MakeNeighbours(Untangler* u)
{
	const Tangle* tangle = u->tangle;
	uint32_t vertices = tangle->position.count, capacity = 2 * tangle->corners.count;
	ARRAY(uint8_t) triangles = {0};
	u->neighbours.count = 0;
	if (!ArrayReserve(&u->neighbourStart, vertices + 1) || !ArrayReserve(&u->neighbours, capacity) ||
	    !ArrayReserve(&triangles, capacity))
	{
		ArrayFree(&triangles);
		return false;
	}
	for (uint32_t v = 0; v < vertices; ++v)
	{
		uint32_t start = u->neighbours.count;
		u->neighbourStart.data[v] = start;
		for (uint32_t i = 3 * u->ringStart.data[v]; i < 3 * u->ringStart.data[v + 1]; ++i)
		{
			uint32_t other = tangle->corners.data[3 * u->ring.data[i / 3] + i % 3];
			if (other != v)
				CountNeighbour(u, start, other, triangles.data);
		}
		KeepBoundary(u, start, triangles.data);
	}
	u->neighbourStart.data[vertices] = u->neighbours.count;
	ArrayFree(&triangles);
	return true;
}

bool drapeUntangler_Connect(Untangler* u)
{
	return MakeRings(u) && (!u->smooths || MakeNeighbours(u));
}

// --- distances over surfaces ----------------------------------------------------------------------------------------

static bool Heap_Push(Untangler* u, HeapEntry entry)
{
	if (!ArrayGrow(&u->heap))
		return false;
	HeapEntry* heap = u->heap.data;
	uint32_t i = u->heap.count - 1;
	for (; i > 0 && heap[(i - 1) / 2].distance > entry.distance; i = (i - 1) / 2)
		heap[i] = heap[(i - 1) / 2];
	heap[i] = entry;
	return true;
}

static HeapEntry Heap_Pop(Untangler* u)
{
	DRAPE_ASSERT(u->heap.count > 0);
	HeapEntry *heap = u->heap.data, top = heap[0], last = heap[--u->heap.count];
	uint32_t i = 0, count = u->heap.count;
	for (uint32_t child; (child = 2 * i + 1) < count; i = child)
	{
		if (child + 1 < count && heap[child + 1].distance < heap[child].distance)
			child++;
		if (heap[child].distance >= last.distance)
			break;
		heap[i] = heap[child];
	}
	heap[i] = last;
	return top;
}

bool drapeUntangler_Visit(Untangler* u, uint32_t vertex, float distance, uint8_t side)
{
	DRAPE_ASSERT(vertex < u->tangle->position.count && distance >= 0.0f);
	if (!(distance < u->distance.data[vertex]))
		return true;
	u->distance.data[vertex] = distance;
	u->side.data[vertex] = side;
	return Heap_Push(u, (HeapEntry){distance, vertex});
}

bool drapeUntangler_Spread(Untangler* u, float limit)
{
	const Tangle* tangle = u->tangle;
	while (u->heap.count > 0)
	{
		HeapEntry at = Heap_Pop(u);
		if (at.distance > u->distance.data[at.vertex])
			continue;
		if (u->visited.count < u->visited.capacity)
			ArrayPush(&u->visited, at.vertex);
		Vec3 here = V4Xyz(tangle->position.data[at.vertex]);
		for (uint32_t i = u->ringStart.data[at.vertex]; i < u->ringStart.data[at.vertex + 1]; ++i)
		{
			for (uint32_t k = 0; k < 3; ++k)
			{
				uint32_t to = tangle->corners.data[3 * u->ring.data[i] + k];
				float distance = at.distance + V3Length(V3Sub(V4Xyz(tangle->position.data[to]), here));
				if (distance <= limit && !drapeUntangler_Visit(u, to, distance, u->side.data[at.vertex]))
					return false;
			}
		}
	}
	return true;
}

void drapeUntangler_Forget(Untangler* u)
{
	u->visits += u->visited.count;
	for (uint32_t i = 0; i < u->visited.count; ++i)
	{
		u->distance.data[u->visited.data[i]] = INFINITY;
		u->side.data[u->visited.data[i]] = sideNone;
	}
	for (uint32_t i = 0; i < u->heap.count; ++i)
	{
		u->distance.data[u->heap.data[i].vertex] = INFINITY;
		u->side.data[u->heap.data[i].vertex] = sideNone;
	}
	u->visited.count = u->heap.count = 0;
}

// --- patches --------------------------------------------------------------------------------------------------------

void drapeUntangler_AddSeeds(Untangler* u, uint32_t triangle)
{
	for (uint32_t k = 0; k < 3; ++k)
	{
		uint32_t v = u->tangle->corners.data[3 * triangle + k];
		DRAPE_ASSERT(u->seeds.count < u->seeds.capacity || BitSet_Get(&u->core, v));
		if (!BitSet_Get(&u->core, v))
			ArrayPush(&u->seeds, v);
		BitSet_Set(&u->core, v);
	}
}

Primitives drapePatch_Primitives(const Untangler* u, const Patch* patch)
{
	return (Primitives){
		.from = u->tangle->position.data,
		.to = u->tangle->position.data,
		.corners = patch->corners.data,
		.cornerCount = 3,
		.count = patch->corners.count / 3,
	};
}

bool drapeUntangler_MakePatch(Untangler* u, uint8_t side)
{
	DRAPE_ASSERT(side == sideFirst || side == sideSecond);
	Patch* patch = &u->patch[side - 1];
	patch->corners.count = 0;
	for (uint32_t i = 0; i < u->visited.count; ++i)
	{
		uint32_t v = u->visited.data[i];
		for (uint32_t r = u->ringStart.data[v]; r < u->ringStart.data[v + 1]; ++r)
		{
			const uint32_t* c = u->tangle->corners.data + 3 * (size_t)u->ring.data[r];
			bool isAll = u->side.data[c[0]] == side && u->side.data[c[1]] == side && u->side.data[c[2]] == side;
			if (!isAll || MinU32(c[0], MinU32(c[1], c[2])) != v)
				continue;
			if (!ArrayReserve(&patch->corners, patch->corners.count + 3))
				return false;
			for (int k = 0; k < 3; ++k)
				ArrayPush(&patch->corners, c[k]);
		}
	}
	Primitives primitives = drapePatch_Primitives(u, patch);
	return drapeBvh_Build(&patch->tree, &primitives, bvhMorton, u->tasks);
}

// --- moving ---------------------------------------------------------------------------------------------------------

float drapeUntangler_SpreadSeeds(Untangler* u, float displacement, float edgeLength)
{
	float radius = MaxNumF(6.0f * displacement, 3.0f * edgeLength);
	bool isDone = true;
	for (uint32_t i = 0; isDone && i < u->seeds.count; ++i)
		isDone = drapeUntangler_Visit(u, u->seeds.data[i], 0.0f, sideSecond);
	return isDone && drapeUntangler_Spread(u, radius) ? radius : -1.0f;
}

bool drapeUntangler_Shift(Untangler* u, Vec3 displacement, float edgeLength)
{
	float radius = drapeUntangler_SpreadSeeds(u, V3Length(displacement), edgeLength);
	for (uint32_t i = 0; radius >= 0.0f && i < u->visited.count; ++i)
	{
		Vec4* x = &u->tangle->position.data[u->visited.data[i]];
		float share = Untangler_ShareOf(u, u->visited.data[i], radius);
		if (x->w > 0.0f)
			*x = (Vec4){x->x + share * displacement.x, x->y + share * displacement.y, x->z + share * displacement.z,
			            x->w};
	}
	drapeUntangler_Forget(u);
	return radius >= 0.0f;
}

// --- smoothing ------------------------------------------------------------------------------------------------------

// Finds the mean of the neighbours of a vertex; on the boundary, of its neighbours along the boundary. Returns false
// when it has none.
static bool MeanAround(const Untangler* u, uint32_t vertex, Vec3* mean)
{
	uint32_t start = u->neighbourStart.data[vertex], end = u->neighbourStart.data[vertex + 1];
	Vec3 sum = {0.0f, 0.0f, 0.0f};
	for (uint32_t i = start; i < end; ++i)
		sum = V3Add(sum, V4Xyz(u->tangle->position.data[u->neighbours.data[i]]));
	*mean = V3Scale(1.0f / (float)MaxU32(end - start, 1), sum);
	return end > start;
}

bool drapeUntangler_Smooth(Untangler* u, float radius, float edgeLength)
{
	const Tangle* tangle = u->tangle;
	bool isDone = true;
	for (uint32_t i = 0; isDone && i < u->seeds.count; ++i)
		isDone = drapeUntangler_Visit(u, u->seeds.data[i], 0.0f, sideSecond);
	isDone = isDone && drapeUntangler_Spread(u, radius);
	uint32_t sweeps = (uint32_t)MinNumF(MaxNumF(2.0f * radius / edgeLength, 8.0f), 200.0f);
	for (uint32_t sweep = 0; isDone && sweep < sweeps && !drapeUntangler_MustStop(u); ++sweep)
	{
		for (uint32_t i = 0; i < u->visited.count; ++i)
		{
			uint32_t v = u->visited.data[i];
			Vec4* x = &tangle->position.data[v];
			float share = 1.0f - u->distance.data[v] / radius;
			Vec3 mean;
			if (x->w <= 0.0f || !MeanAround(u, v, &mean))
				continue;
			*x = (Vec4){x->x + share * (mean.x - x->x), x->y + share * (mean.y - x->y), x->z + share * (mean.z - x->z),
			            x->w};
		}
	}
	drapeUntangler_Forget(u);
	return isDone;
}
