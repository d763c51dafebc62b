// SPDX-License-Identifier: MIT
#include "contact/untangle/untangle_inner.h"

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

bool drapeUntangler_Reach(Untangler* u, uint32_t vertex, float distance, uint8_t side)
{
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
		if (u->reached.count < u->reached.capacity)
			ArrayPush(&u->reached, at.vertex);
		Vec3 here = V4Xyz(tangle->position.data[at.vertex]);
		for (uint32_t i = u->ringStart.data[at.vertex]; i < u->ringStart.data[at.vertex + 1]; ++i)
		{
			for (uint32_t k = 0; k < 3; ++k)
			{
				uint32_t to = tangle->corners.data[3 * u->ring.data[i] + k];
				float distance = at.distance + V3Length(V3Sub(V4Xyz(tangle->position.data[to]), here));
				if (distance <= limit && !drapeUntangler_Reach(u, to, distance, u->side.data[at.vertex]))
					return false;
			}
		}
	}
	return true;
}

void drapeUntangler_Forget(Untangler* u)
{
	for (uint32_t i = 0; i < u->reached.count; ++i)
	{
		u->distance.data[u->reached.data[i]] = INFINITY;
		u->side.data[u->reached.data[i]] = sideNone;
	}
	for (uint32_t i = 0; i < u->heap.count; ++i)
	{
		u->distance.data[u->heap.data[i].vertex] = INFINITY;
		u->side.data[u->heap.data[i].vertex] = sideNone;
	}
	u->reached.count = u->heap.count = 0;
}

// --- patches --------------------------------------------------------------------------------------------------------

void drapeUntangler_AddSeeds(Untangler* u, uint32_t triangle)
{
	for (uint32_t k = 0; k < 3; ++k)
	{
		uint32_t v = u->tangle->corners.data[3 * triangle + k];
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
	Patch* patch = &u->patch[side - 1];
	patch->corners.count = 0;
	for (uint32_t i = 0; i < u->reached.count; ++i)
	{
		uint32_t v = u->reached.data[i];
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

bool drapeUntangler_Shift(Untangler* u, Vec3 way, float edgeLength)
{
	float reach = fmaxf(6.0f * V3Length(way), 3.0f * edgeLength);
	bool isDone = true;
	for (uint32_t i = 0; isDone && i < u->seeds.count; ++i)
		isDone = drapeUntangler_Reach(u, u->seeds.data[i], 0.0f, sideSecond);
	isDone = isDone && drapeUntangler_Spread(u, reach);
	for (uint32_t i = 0; isDone && i < u->reached.count; ++i)
	{
		uint32_t v = u->reached.data[i];
		Vec4* x = &u->tangle->position.data[v];
		float left = 1.0f - u->distance.data[v] / reach, share = left * left * (3.0f - 2.0f * left);
		if (x->w > 0.0f)
			*x = (Vec4){x->x + share * way.x, x->y + share * way.y, x->z + share * way.z, x->w};
	}
	drapeUntangler_Forget(u);
	return isDone;
}

// --- ironing --------------------------------------------------------------------------------------------------------

// The mean of the vertices around one, and on a rim of those along the rim. False when there are none.
static bool MeanAround(const Untangler* u, uint32_t vertex, Vec3* mean)
{
	const Tangle* tangle = u->tangle;
	Vec3 sum = {0.0f, 0.0f, 0.0f}, rimSum = {0.0f, 0.0f, 0.0f};
	float count = 0.0f, rimCount = 0.0f;
	uint32_t start = u->ringStart.data[vertex], end = u->ringStart.data[vertex + 1];
	for (uint32_t i = start; i < end; ++i)
	{
		for (uint32_t k = 0; k < 3; ++k)
		{
			uint32_t other = tangle->corners.data[3 * u->ring.data[i] + k];
			if (other == vertex)
				continue;
			uint32_t triangles = 0;
			for (uint32_t r = start; r < end; ++r)
			{
				const uint32_t* c = tangle->corners.data + 3 * (size_t)u->ring.data[r];
				triangles += c[0] == other || c[1] == other || c[2] == other;
			}
			Vec3 x = V4Xyz(tangle->position.data[other]);
			sum = V3Add(sum, x);
			count += 1.0f;
			if (triangles != 1)
				continue;
			rimSum = V3Add(rimSum, x);
			rimCount += 1.0f;
		}
	}
	*mean = rimCount > 0.0f ? V3Scale(1.0f / rimCount, rimSum) : V3Scale(count > 0.0f ? 1.0f / count : 0.0f, sum);
	return count > 0.0f;
}

bool drapeUntangler_Iron(Untangler* u, float reach, float edgeLength)
{
	const Tangle* tangle = u->tangle;
	bool isDone = true;
	for (uint32_t i = 0; isDone && i < u->seeds.count; ++i)
		isDone = drapeUntangler_Reach(u, u->seeds.data[i], 0.0f, sideSecond);
	isDone = isDone && drapeUntangler_Spread(u, reach);
	uint32_t sweeps = (uint32_t)fminf(fmaxf(2.0f * reach / edgeLength, 8.0f), 200.0f);
	for (uint32_t sweep = 0; isDone && sweep < sweeps; ++sweep)
	{
		for (uint32_t i = 0; i < u->reached.count; ++i)
		{
			uint32_t v = u->reached.data[i];
			Vec4* x = &tangle->position.data[v];
			float share = 1.0f - u->distance.data[v] / reach;
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
