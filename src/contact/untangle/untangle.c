// SPDX-License-Identifier: MIT
#include "contact/untangle/untangle_inner.h"

#include "contact/narrow/continuous.h"
#include "contact/narrow/crossing.h"

#include <string.h>

enum
{
	patientRounds = 4, // without a better state, before patches grow
	widestStage = 6,
	maxGapPasses = 40,
};

// Extra motion in edge lengths for each round without progress, so that knots that oscillate take another path.
static const float overshootStep = 0.02f;

// --- set-up ---------------------------------------------------------------------------------------------------------

static void Untangler_Destroy(Untangler* u)
{
	ArrayFree(&u->ringStart);
	ArrayFree(&u->ring);
	ArrayFree(&u->edgeLength);
	ArrayFree(&u->distance);
	ArrayFree(&u->side);
	ArrayFree(&u->visited);
	ArrayFree(&u->heap);
	ArrayFree(&u->seeds);
	for (int i = 0; i < 2; ++i)
	{
		ArrayFree(&u->patch[i].corners);
		drapeBvh_Destroy(&u->patch[i].tree);
	}
	BitSet_Free(&u->core);
	ArrayFree(&u->leader);
	ArrayFree(&u->next);
	ArrayFree(&u->owner);
	ArrayFree(&u->knot);
	ArrayFree(&u->isSwapped);
	ArrayFree(&u->points);
	ArrayFree(&u->best);
}

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

static float MeanEdge(const Tangle* tangle, const TangleSurface* surface)
{
	double sum = 0.0;
	for (uint32_t t = surface->triangleStart; t < surface->triangleEnd; ++t)
	{
		Vec3 c[3];
		drapeTangle_Corners(tangle, t, c);
		for (int k = 0; k < 3; ++k)
			sum += (double)V3Length(V3Sub(c[k], c[(k + 1) % 3]));
	}
	uint32_t count = 3 * (surface->triangleEnd - surface->triangleStart);
	return count > 0 ? (float)(sum / count) : 0.0f;
}

static bool Untangler_Begin(Untangler* u)
{
	const Tangle* tangle = u->tangle;
	uint32_t vertices = tangle->position.count;
	drapeBvh_Init(&u->patch[0].tree, bvhDefaultK, bvhDefaultArity);
	drapeBvh_Init(&u->patch[1].tree, bvhDefaultK, bvhDefaultArity);
	if (!MakeRings(u) || !ArrayReserve(&u->edgeLength, tangle->surfaces.count) ||
	    !ArrayReserve(&u->distance, vertices) || !ArrayReserve(&u->side, vertices) ||
	    !ArrayReserve(&u->visited, vertices) || !ArrayReserve(&u->seeds, vertices) ||
	    !ArrayReserve(&u->owner, vertices) || !ArrayReserve(&u->best, vertices) || !BitSet_Reserve(&u->core, vertices))
		return false;
	for (uint32_t i = 0; i < tangle->surfaces.count; ++i)
		ArrayPush(&u->edgeLength, MeanEdge(tangle, &tangle->surfaces.data[i]));
	for (uint32_t v = 0; v < vertices; ++v)
	{
		u->distance.data[v] = INFINITY;
		u->side.data[v] = sideNone;
		u->owner.data[v] = DRAPE_NONE;
	}
	BitSet_ClearAll(&u->core, vertices);
	return true;
}

// --- knots ----------------------------------------------------------------------------------------------------------

static uint32_t LeaderOf(Untangler* u, uint32_t crossing)
{
	uint32_t* leader = u->leader.data;
	for (; leader[crossing] != crossing; crossing = leader[crossing])
		leader[crossing] = leader[leader[crossing]];
	return crossing;
}

// The lower crossing becomes the leader.
static void Join(Untangler* u, uint32_t a, uint32_t b)
{
	a = LeaderOf(u, a);
	b = LeaderOf(u, b);
	u->leader.data[MaxU32(a, b)] = MinU32(a, b);
}

static bool AreAlike(const TangleCrossing* a, const TangleCrossing* b)
{
	return a->surface == b->surface && a->other == b->other &&
	       (a->other != DRAPE_NONE || a->otherTriangle == b->otherTriangle);
}

static void JoinAt(Untangler* u, uint32_t crossing, uint32_t triangle)
{
	for (int k = 0; k < 3; ++k)
	{
		uint32_t* owner = &u->owner.data[u->tangle->corners.data[3 * triangle + k]];
		if (*owner != DRAPE_NONE)
			Join(u, crossing, *owner);
		*owner = crossing;
	}
}

static void ForgetOwners(Untangler* u, uint32_t triangle)
{
	for (int k = 0; k < 3; ++k)
		u->owner.data[u->tangle->corners.data[3 * triangle + k]] = DRAPE_NONE;
}

// Crossings [start, end) of the same two surfaces form one knot when their triangles share corners.
static void JoinAlike(Untangler* u, uint32_t start, uint32_t end)
{
	DRAPE_ASSERT(start < end && end <= u->tangle->crossings.count);
	const TangleCrossing* list = u->tangle->crossings.data;
	bool hasTriangles = list[start].other != DRAPE_NONE;
	for (uint32_t i = start; i < end; ++i)
	{
		JoinAt(u, i, list[i].triangle);
		if (hasTriangles)
			JoinAt(u, i, list[i].otherTriangle);
	}
	for (uint32_t i = start; i < end; ++i)
	{
		ForgetOwners(u, list[i].triangle);
		if (hasTriangles)
			ForgetOwners(u, list[i].otherTriangle);
	}
}

static bool FindKnots(Untangler* u)
{
	const TangleCrossing* list = u->tangle->crossings.data;
	uint32_t count = u->tangle->crossings.count;
	if (!ArrayReserve(&u->leader, count) || !ArrayReserve(&u->next, count) || !ArrayReserve(&u->knot, count) ||
	    !ArrayReserve(&u->isSwapped, count) || !ArrayReserve(&u->points, count))
		return false;
	for (uint32_t i = 0; i < count; ++i)
	{
		u->leader.data[i] = i;
		u->next.data[i] = DRAPE_NONE;
	}
	for (uint32_t start = 0, end; start < count; start = end)
	{
		for (end = start; end < count && AreAlike(&list[start], &list[end]); ++end)
			continue;
		JoinAlike(u, start, end);
	}
	// Builds the list of each leader in ascending order; the leader comes first.
	for (uint32_t i = count; i-- > 0;)
	{
		uint32_t leader = LeaderOf(u, i);
		if (leader == i)
			continue;
		u->next.data[i] = u->next.data[leader];
		u->next.data[leader] = i;
	}
	return true;
}

static bool StillCrosses(const Tangle* tangle, const TangleCrossing* crossing)
{
	Vec3 a[3], b[3];
	if (crossing->other == DRAPE_NONE)
		return drapeTangle_Intrusion(tangle, crossing->triangle, crossing->otherTriangle, NULL);
	drapeTangle_Corners(tangle, crossing->triangle, a);
	drapeTangle_Corners(tangle, crossing->otherTriangle, b);
	return drapeCrossing_TriangleTriangle(a, b);
}

// Skips crossings that the resolution of another knot has removed.
static bool ResolveKnot(Untangler* u, uint32_t leader)
{
	const Tangle* tangle = u->tangle;
	u->knot.count = 0;
	for (uint32_t i = leader; i != DRAPE_NONE; i = u->next.data[i])
	{
		if (!StillCrosses(tangle, &tangle->crossings.data[i]))
			continue;
		ArrayPush(&u->knot, i);
		u->points.data[u->knot.count - 1] = drapeTangle_CommonPoint(tangle, &tangle->crossings.data[i]);
	}
	if (u->knot.count == 0)
		return true;
	DRAPE_ASSERT(u->leader.data[leader] == leader);
	const TangleCrossing* like = &tangle->crossings.data[leader];
	bool isSolid = like->other == DRAPE_NONE ||
	               (tangle->surfaces.data[like->other].shape && tangle->surfaces.data[like->other].shape->closed);
	return isSolid ? drapeUntangler_ResolveSolid(u, like) : drapeUntangler_ResolveSurfaces(u, like);
}

static bool Round(Untangler* u)
{
	if (!FindKnots(u))
		return false;
	for (uint32_t i = 0; i < u->tangle->crossings.count; ++i)
	{
		if (u->leader.data[i] == i && !ResolveKnot(u, i))
			return false;
	}
	return true;
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

bool drapeUntangler_Shift(Untangler* u, Vec3 displacement, float edgeLength)
{
	float radius = fmaxf(6.0f * V3Length(displacement), 3.0f * edgeLength);
	bool isDone = true;
	for (uint32_t i = 0; isDone && i < u->seeds.count; ++i)
		isDone = drapeUntangler_Visit(u, u->seeds.data[i], 0.0f, sideSecond);
	isDone = isDone && drapeUntangler_Spread(u, radius);
	for (uint32_t i = 0; isDone && i < u->visited.count; ++i)
	{
		uint32_t v = u->visited.data[i];
		Vec4* x = &u->tangle->position.data[v];
		float left = 1.0f - u->distance.data[v] / radius, share = left * left * (3.0f - 2.0f * left);
		if (x->w > 0.0f)
			*x = (Vec4){x->x + share * displacement.x, x->y + share * displacement.y, x->z + share * displacement.z,
			            x->w};
	}
	drapeUntangler_Forget(u);
	return isDone;
}

// --- smoothing ------------------------------------------------------------------------------------------------------

// Finds the mean of the neighbours of a vertex; on the boundary, of its neighbours along the boundary. Returns false
// when it has none.
static bool MeanAround(const Untangler* u, uint32_t vertex, Vec3* mean)
{
	const Tangle* tangle = u->tangle;
	Vec3 sum = {0.0f, 0.0f, 0.0f}, boundarySum = {0.0f, 0.0f, 0.0f};
	float count = 0.0f, boundaryCount = 0.0f;
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
			boundarySum = V3Add(boundarySum, x);
			boundaryCount += 1.0f;
		}
	}
	*mean = boundaryCount > 0.0f ? V3Scale(1.0f / boundaryCount, boundarySum)
	                             : V3Scale(count > 0.0f ? 1.0f / count : 0.0f, sum);
	return count > 0.0f;
}

bool drapeUntangler_Smooth(Untangler* u, float radius, float edgeLength)
{
	const Tangle* tangle = u->tangle;
	bool isDone = true;
	for (uint32_t i = 0; isDone && i < u->seeds.count; ++i)
		isDone = drapeUntangler_Visit(u, u->seeds.data[i], 0.0f, sideSecond);
	isDone = isDone && drapeUntangler_Spread(u, radius);
	uint32_t sweeps = (uint32_t)fminf(fmaxf(2.0f * radius / edgeLength, 8.0f), 200.0f);
	for (uint32_t sweep = 0; isDone && sweep < sweeps; ++sweep)
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

// --- gaps -----------------------------------------------------------------------------------------------------------

// Features that are too close are separated one after the other, each in the positions that the last one left
// (Gauss-Seidel, as in position based dynamics, Mueller et al. 2007). Two close triangles are tested with all their
// corners and edges; shared features come up several times and then need no motion.

// The distance after a separation, in gaps: rounding must not leave less than the gap.
static const float separationFactor = 1.5f;

typedef struct Feature
{
	uint32_t vertex[4];
	float weight[4]; // their sum is 0; the weighted sum of positions is the vector from one side to the other
	float square;    // squared distance, m^2
} Feature;

// Moves both sides apart when they are closer than the gap. Returns whether they were.
static bool Separate(Tangle* tangle, const Feature* feature, float gap)
{
	Vec4* position = tangle->position.data;
	float distance = sqrtf(feature->square), mobility = 0.0f;
	if (!(distance < gap) || !(distance > 0.0f))
		return distance < gap;
	Vec3 between = {0.0f, 0.0f, 0.0f}, first = V4Xyz(position[feature->vertex[0]]);
	for (int k = 0; k < 4; ++k)
	{
		Vec3 x = V3Sub(V4Xyz(position[feature->vertex[k]]), first);
		between = V3Add(between, V3Scale(feature->weight[k], x));
		mobility += position[feature->vertex[k]].w * feature->weight[k] * feature->weight[k];
	}
	if (!(mobility > 0.0f))
		return false; // neither side can move
	Vec3 push = V3Scale((separationFactor * gap - distance) / (mobility * distance), between);
	for (int k = 0; k < 4; ++k)
	{
		Vec4* x = &position[feature->vertex[k]];
		float share = x->w * feature->weight[k];
		*x = (Vec4){x->x + share * push.x, x->y + share * push.y, x->z + share * push.z, x->w};
	}
	return true;
}

// Separates a corner of one triangle from another triangle.
static bool SeparateCorner(Tangle* tangle, uint32_t corner, const uint32_t* face, float gap)
{
	const Vec4* x = tangle->position.data;
	Feature feature = {.vertex = {corner, face[0], face[1], face[2]}, .weight = {1.0f}};
	float weight[3];
	feature.square =
		drapeClosest_PointTriangle(V4Xyz(x[corner]), V4Xyz(x[face[0]]), V4Xyz(x[face[1]]), V4Xyz(x[face[2]]), weight);
	for (int k = 0; k < 3; ++k)
		feature.weight[k + 1] = -weight[k];
	return Separate(tangle, &feature, gap);
}

static bool SeparateEdges(Tangle* tangle, uint32_t a, uint32_t b, uint32_t c, uint32_t d, float gap)
{
	const Vec4* x = tangle->position.data;
	float s, t;
	Feature feature = {.vertex = {a, b, c, d}};
	feature.square = drapeClosest_SegmentSegment(V4Xyz(x[a]), V4Xyz(x[b]), V4Xyz(x[c]), V4Xyz(x[d]), &s, &t);
	feature.weight[0] = 1.0f - s;
	feature.weight[1] = s;
	feature.weight[2] = t - 1.0f;
	feature.weight[3] = -t;
	return Separate(tangle, &feature, gap);
}

static bool SeparateTriangles(Tangle* tangle, uint32_t triangle, uint32_t other, float gap)
{
	const uint32_t *a = tangle->corners.data + 3 * (size_t)triangle, *b = tangle->corners.data + 3 * (size_t)other;
	bool isTooClose = false;
	for (int i = 0; i < 3; ++i)
	{
		isTooClose |= SeparateCorner(tangle, a[i], b, gap);
		isTooClose |= SeparateCorner(tangle, b[i], a, gap);
		for (int k = 0; k < 3; ++k)
			isTooClose |= SeparateEdges(tangle, a[i], a[(i + 1) % 3], b[k], b[(k + 1) % 3], gap);
	}
	return isTooClose;
}

bool drapeTangle_OpenGaps(Tangle* tangle, TaskPool* tasks, uint32_t* missing)
{
	float widest = 0.0f;
	*missing = 0;
	for (uint32_t i = 0; i < tangle->clothCount; ++i)
		widest = fmaxf(widest, tangle->surfaces.data[i].gap);
	if (!drapeTangle_Fit(tangle, widest, tasks))
		return false;
	for (uint32_t i = 0; i < tangle->clothCount; ++i)
	{
		for (uint32_t k = i; k < tangle->surfaces.count; ++k)
		{
			const TangleSurface *one = &tangle->surfaces.data[i], *other = &tangle->surfaces.data[k];
			if (!drapeTangle_Pairs(tangle, i, k, tasks))
				return false;
			for (uint32_t p = 0; p < tangle->pairs.pairs.count; ++p)
			{
				PrimitivePair pair = tangle->pairs.pairs.data[p];
				*missing += SeparateTriangles(tangle, one->triangleStart + pair.a, other->triangleStart + pair.b,
				                              fmaxf(one->gap, other->gap));
			}
		}
	}
	return true;
}

// --- rounds ---------------------------------------------------------------------------------------------------------

static void Copy(Vec4* to, const Vec4* from, uint32_t count)
{
	if (count > 0)
		memcpy(to, from, count * sizeof(Vec4));
}

static bool Run(Untangler* u, uint32_t rounds, UntangleResult* result)
{
	Tangle* tangle = u->tangle;
	uint32_t idle = 0, stage = 0;
	bool isDone = true;
	for (; isDone && result->after > 0 && result->rounds < rounds && stage <= widestStage; result->rounds++)
	{
		u->widen = (float)(1u << stage);
		u->overshoot = overshootStep * (float)(idle + stage * patientRounds);
		isDone = Round(u) && drapeTangle_Find(tangle, u->tasks);
		if (isDone && tangle->crossings.count < result->after)
		{
			result->after = tangle->crossings.count;
			Copy(u->best.data, tangle->position.data, tangle->position.count);
			idle = 0;
		}
		else if (isDone && ++idle == patientRounds)
		{
			idle = 0;
			stage++;
			Copy(tangle->position.data, u->best.data, tangle->position.count);
			isDone = drapeTangle_Find(tangle, u->tasks);
		}
	}
	return isDone;
}

// Opens gaps as long as that creates no crossing.
static bool OpenGaps(Untangler* u, uint32_t crossings)
{
	Tangle* tangle = u->tangle;
	for (int i = 0; i < maxGapPasses; ++i)
	{
		uint32_t missing;
		if (!drapeTangle_OpenGaps(tangle, u->tasks, &missing) || !drapeTangle_Find(tangle, u->tasks))
			return false;
		if (tangle->crossings.count > crossings)
			break;
		Copy(u->best.data, tangle->position.data, tangle->position.count);
		if (missing == 0)
			break;
	}
	return true;
}

UntangleResult drapeTangle_Untangle(Tangle* tangle, const UntangleDef* def)
{
	DRAPE_ASSERT(tangle->clothCount <= tangle->surfaces.count);
	Untangler u = {.tangle = tangle, .tasks = def->tasks};
	UntangleResult result = {0};
	bool isDone = drapeTangle_Find(tangle, def->tasks) && Untangler_Begin(&u);
	if (isDone)
	{
		result.before = result.after = tangle->crossings.count;
		Copy(u.best.data, tangle->position.data, tangle->position.count);
		isDone = Run(&u, def->rounds, &result);
		Copy(tangle->position.data, u.best.data, tangle->position.count);
		isDone = isDone && OpenGaps(&u, result.after);
		Copy(tangle->position.data, u.best.data, tangle->position.count);
		isDone = isDone && drapeTangle_Find(tangle, def->tasks);
		result.after = isDone ? tangle->crossings.count : result.after;
	}
	Untangler_Destroy(&u);
	result.outOfMemory = !isDone;
	return result;
}
