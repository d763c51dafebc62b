// SPDX-License-Identifier: MIT
#include "contact/narrow/narrow.h"

#include "base/simd.h"
#include "contact/broad/material_map.h"

#include <string.h>

enum
{
	// A batch of eight pairs adds all its features to fewer than eight waiting ones.
	queueSize = 8 * contactMaxFeatures + 8,
};

// Pairs that wait until there are eight. Unused lanes repeat the vertices of another pair.
typedef struct PairBatch
{
	uint32_t count;
	uint32_t pair[8];
	uint32_t vertex[6][8];   // vertices of the first element, then of the second
	float hasFace[2][8];     // 1 for elements with a face
	float distance[8];       // m, between elements
	float isNear[8];         // 1 for triangles of one cloth whose material coordinates tell their distance at rest
	bool hasNear;            // some are
	float material[6][2][8]; // m: material coordinates of their vertices; of other lanes any numbers
} PairBatch;

// Features that wait until there are eight.
typedef struct FeatureQueue
{
	uint32_t count;
	ContactFeature feature[queueSize];
	uint32_t pair[queueSize];
	float distance[queueSize];
} FeatureQueue;

typedef struct Search
{
	const Narrow* narrow;
	NarrowFcn* fcn;
	void* context;
	PairBatch batch;
	FeatureQueue queue;
} Search;

// --- features -------------------------------------------------------------------------------------------------------

// Eight features: the positions of their vertices at the start and the end.
typedef struct WideFeatures
{
	V8 from[4], to[4];
	M8 isFace;
	F8 distance; // m
	bool moves;
} WideFeatures;

// How far the first side of features is ahead of the second along an axis, and how far it is behind; negative where they
// overlap.
typedef struct SideGaps
{
	F8 ahead, behind; // m
} SideGaps;

DRAPE_INLINE SideGaps GapsAlong(M8 isFace, const F8 x[4])
{
	F8 low23 = F8_Min(x[2], x[3]), high23 = F8_Max(x[2], x[3]);
	F8 low[2] = {F8_Blend(isFace, x[0], F8_Min(x[0], x[1])), F8_Blend(isFace, F8_Min(x[1], low23), low23)};
	F8 high[2] = {F8_Blend(isFace, x[0], F8_Max(x[0], x[1])), F8_Blend(isFace, F8_Max(x[1], high23), high23)};
	return (SideGaps){F8_Sub(low[0], high[1]), F8_Sub(low[1], high[0])};
}

// Returns the lanes whose sides are farther apart than the distance along an axis throughout the step. The smallest
// coordinate of linear motions is concave in time and the largest one convex, so a bound that holds at both ends holds
// in between.
DRAPE_INLINE M8 AxisSeparates(M8 isFace, const F8 from[4], const F8 to[4], F8 distance)
{
	SideGaps start = GapsAlong(isFace, from), end = GapsAlong(isFace, to);
	F8 size = F8_Add(F8_Max(F8_Abs(from[0]), F8_Abs(to[0])), F8_Max(F8_Abs(from[3]), F8_Abs(to[3])));
	F8 least = F8_Add(distance, F8_Mul(F8_Splat(4.0f * 0x1p-23f), size));
	return M8_Or(F8_Gt(F8_Min(start.ahead, end.ahead), least), F8_Gt(F8_Min(start.behind, end.behind), least));
}

// Returns the lanes whose features are separated by boxes that move with them.
static uint32_t BoxesSeparate(const WideFeatures* wide)
{
	const V8 *from = wide->from, *to = wide->to;
	const F8 fromX[4] = {from[0].x, from[1].x, from[2].x, from[3].x}, toX[4] = {to[0].x, to[1].x, to[2].x, to[3].x};
	const F8 fromY[4] = {from[0].y, from[1].y, from[2].y, from[3].y}, toY[4] = {to[0].y, to[1].y, to[2].y, to[3].y};
	const F8 fromZ[4] = {from[0].z, from[1].z, from[2].z, from[3].z}, toZ[4] = {to[0].z, to[1].z, to[2].z, to[3].z};
	M8 isFace = wide->isFace;
	return M8_Bits(M8_Or(
		AxisSeparates(isFace, fromX, toX, wide->distance),
		M8_Or(AxisSeparates(isFace, fromY, toY, wide->distance), AxisSeparates(isFace, fromZ, toZ, wide->distance))));
}

// Corners 1 to 3 of eight features relative to corner 0.
typedef struct WideCorners
{
	V8 at[3];
} WideCorners;

// Returns how far the first side of the features, the vertex or the first edge, is ahead of the second along a direction.
DRAPE_INLINE F8 Lead(M8 isFace, const WideCorners* x, V8 direction)
{
	F8 zero = F8_Splat(0.0f), a = V8_Dot(direction, x->at[0]);
	F8 others = F8_Max(V8_Dot(direction, x->at[1]), V8_Dot(direction, x->at[2]));
	return F8_Sub(F8_Blend(isFace, zero, F8_Min(zero, a)), F8_Blend(isFace, F8_Max(a, others), others));
}

// Returns the vector from the closest point of a segment to p.
DRAPE_INLINE V8 FromSegment(V8 p, V8 a, V8 b)
{
	V8 along = V8_Sub(b, a), fromA = V8_Sub(p, a);
	F8 t = F8_Div(V8_Dot(fromA, along), V8_Dot(along, along)); // NaN without length
	t = F8_Min(F8_Max(t, F8_Splat(0.0f)), F8_Splat(1.0f));
	return V8_Sub(fromA, V8_Scale(t, along));
}

// Returns direction number i of those in which static features can be closest, from the second side to the first. These
// are the directions of continuous.c.
DRAPE_INLINE V8 ProposeDirection(M8 isFace, const WideCorners* x, int i)
{
	const V8 *at = x->at, zero = V8_Splat((Vec3){0.0f, 0.0f, 0.0f});
	if (i == 0)
	{
		V8 u = V8_Blend(isFace, V8_Sub(at[1], at[0]), at[0]);
		V8 n = V8_Cross(u, V8_Sub(at[2], V8_Blend(isFace, at[0], at[1])));
		return V8_Blend(F8_Gt(V8_Dot(n, at[1]), F8_Splat(0.0f)), V8_Sub(zero, n), n);
	}
	if (i == 1)
		return FromSegment(zero, V8_Blend(isFace, at[0], at[1]), V8_Blend(isFace, at[1], at[2]));
	if (i == 2)
		return FromSegment(V8_Blend(isFace, zero, at[0]), at[1], at[2]);
	V8 p = i == 3 ? at[1] : at[2], n = FromSegment(V8_Blend(isFace, zero, p), V8_Blend(isFace, at[2], zero), at[0]);
	return V8_Blend(isFace, n, V8_Sub(zero, n));
}

// Adds to `apart` the lanes that a direction keeps apart by the distance throughout. The lead of a corner along a fixed
// direction is linear in time, so a bound that holds at both ends holds in between. The rounding error is below 1e-6 of
// the size; the rest of the tolerance is that of proximity.c.
static uint32_t DirectionsSeparate(const WideFeatures* wide, uint32_t apart)
{
	enum
	{
		directions = 5
	};
	WideCorners start, end;
	F8 size = F8_Splat(0.0f);
	for (int k = 0; k < 3; ++k)
	{
		start.at[k] = V8_Sub(wide->from[k + 1], wide->from[0]);
		end.at[k] = wide->moves ? V8_Sub(wide->to[k + 1], wide->to[0]) : start.at[k];
		size = F8_Add(size, F8_Add(V8_MaxAbs(start.at[k]), V8_MaxAbs(end.at[k])));
	}
	F8 needed = F8_Add(wide->distance, F8_Mul(F8_Splat(2e-5f), size));
	for (int i = 0; i < (wide->moves ? 2 * directions : directions) && apart != 0xff; ++i)
	{
		V8 n = ProposeDirection(wide->isFace, i < directions ? &start : &end, i % directions);
		F8 square = V8_Dot(n, n), least = F8_Mul(needed, F8_Sqrt(square));
		M8 isApart = M8_And(F8_Gt(square, F8_Splat(1e-30f)), F8_Gt(Lead(wide->isFace, &start, n), least));
		if (wide->moves)
			isApart = M8_And(isApart, F8_Gt(Lead(wide->isFace, &end, n), least));
		apart |= M8_Bits(isApart);
	}
	return apart;
}

// Tests up to eight features of the queue from `first` on.
static void TestFeatures(const Search* search, uint32_t first, uint32_t count)
{
	const FeatureQueue* queue = &search->queue;
	const Narrow* narrow = search->narrow;
	uint32_t vertex[4][8];
	float isFace[8], distance[8];
	for (uint32_t i = 0; i < 8; ++i)
	{
		uint32_t at = first + (i < count ? i : 0);
		for (int k = 0; k < 4; ++k)
			vertex[k][i] = queue->feature[at].vertex[k];
		isFace[i] = queue->feature[at].isFace ? 1.0f : 0.0f;
		distance[i] = queue->distance[at];
	}
	WideFeatures wide = {
		.isFace = F8_Gt(F8_Load(isFace), F8_Splat(0.0f)),
		.distance = F8_Load(distance),
		.moves = narrow->to != narrow->from,
	};
	for (int k = 0; k < 4; ++k)
	{
		wide.from[k] = V8_Gather(narrow->from, vertex[k]);
		wide.to[k] = wide.moves ? V8_Gather(narrow->to, vertex[k]) : wide.from[k];
	}
	// The directions find out about all static features, but not about moving ones.
	uint32_t apart = 0xff & ~((1u << count) - 1);
	if (wide.moves)
		apart |= BoxesSeparate(&wide);
	apart = DirectionsSeparate(&wide, apart);
	for (uint32_t i = 0; i < count; ++i)
	{
		if (!(apart >> i & 1))
			search->fcn(search->context, &queue->feature[first + i], queue->pair[first + i]);
	}
}

// Tests the queue in batches of eight; at the end also the rest.
static void EmptyQueue(Search* search, bool isEnd)
{
	FeatureQueue* queue = &search->queue;
	uint32_t first = 0;
	for (; first + (isEnd ? 1 : 8) <= queue->count; first += MinU32(8, queue->count - first))
		TestFeatures(search, first, MinU32(8, queue->count - first));
	for (uint32_t i = first; i < queue->count; ++i)
	{
		queue->feature[i - first] = queue->feature[i];
		queue->pair[i - first] = queue->pair[i];
		queue->distance[i - first] = queue->distance[i];
	}
	queue->count -= first;
}

// --- elements -------------------------------------------------------------------------------------------------------

// Extent of elements along a direction.
typedef struct WideExtent
{
	F8 low, high;
} WideExtent;

DRAPE_INLINE WideExtent ExtentOf(const V8 corner[3], V8 origin, V8 direction)
{
	F8 a = V8_Dot(V8_Sub(corner[0], origin), direction), b = V8_Dot(V8_Sub(corner[1], origin), direction);
	F8 c = V8_Dot(V8_Sub(corner[2], origin), direction);
	return (WideExtent){F8_Min(F8_Min(a, b), c), F8_Max(F8_Max(a, b), c)};
}

DRAPE_INLINE F8 SizeOf(WideExtent a, WideExtent b)
{
	return F8_Max(F8_Max(a.high, F8_Neg(a.low)), F8_Max(b.high, F8_Neg(b.low)));
}

// Lanes that planes separate: by more than their distance throughout the step, and at all at its start.
typedef struct Separation
{
	M8 apart, beside;
} Separation;

// Returns the lanes in which planes parallel to the initial face separate the elements. The distance of a vertex from
// such a plane is linear in time, so a bound that holds at both ends holds throughout.
DRAPE_INLINE Separation FaceSeparates(const V8 face[2][3], const V8 other[2][3], F8 distance)
{
	V8 origin = face[0][0], n = V8_Cross(V8_Sub(face[0][1], origin), V8_Sub(face[0][2], origin));
	WideExtent own = ExtentOf(face[0], origin, n), others = ExtentOf(other[0], origin, n);
	WideExtent ownEnd = ExtentOf(face[1], origin, n), othersEnd = ExtentOf(other[1], origin, n);
	// Includes the rounding error.
	F8 size = F8_Max(SizeOf(own, others), SizeOf(ownEnd, othersEnd)), error = F8_Mul(F8_Splat(1e-5f), size);
	F8 least = F8_Add(F8_Mul(distance, F8_Sqrt(V8_Dot(n, n))), error);
	F8 up = F8_Sub(others.low, own.high), down = F8_Sub(own.low, others.high);
	M8 above = M8_And(F8_Gt(up, least), F8_Gt(F8_Sub(othersEnd.low, ownEnd.high), least));
	M8 below = M8_And(F8_Gt(down, least), F8_Gt(F8_Sub(ownEnd.low, othersEnd.high), least));
	return (Separation){M8_Or(above, below), M8_Or(F8_Gt(up, error), F8_Gt(down, error))};
}

// Eight pairs of elements: the positions of their vertices, per element, at the start and the end.
typedef struct WideElements
{
	V8 at[2][2][3];
} WideElements;

static void GatherElements(const Narrow* narrow, const PairBatch* batch, WideElements* wide)
{
	for (int i = 0; i < 6; ++i)
	{
		V8* at = &wide->at[i / 3][0][i % 3];
		*at = V8_Gather(narrow->from, batch->vertex[i]);
		wide->at[i / 3][1][i % 3] = narrow->to == narrow->from ? *at : V8_Gather(narrow->to, batch->vertex[i]);
	}
}

// Returns the lanes whose elements are separated by a face of one of them. *beside receives the lanes that faces
// separate at the start, whatever the distance, or that are no two faces.
static uint32_t FacesSeparate(const PairBatch* batch, const WideElements* wide, uint32_t* beside)
{
	F8 distance = F8_Load(batch->distance), none = F8_Splat(0.0f);
	M8 isFace = F8_Gt(F8_Load(batch->hasFace[0]), none), isOtherFace = F8_Gt(F8_Load(batch->hasFace[1]), none);
	Separation first = FaceSeparates(wide->at[0], wide->at[1], distance);
	uint32_t apart = M8_Bits(M8_And(isFace, first.apart));
	*beside = 0xff;
	if (apart == 0xff)
		return apart;
	Separation second = FaceSeparates(wide->at[1], wide->at[0], distance);
	*beside = M8_Bits(M8_Or(first.beside, second.beside)) | (0xff & ~M8_Bits(M8_And(isFace, isOtherFace)));
	return apart | M8_Bits(M8_And(isOtherFace, second.apart));
}

// Returns the sum of the corners of eight elements.
static V8 CornerSum(const V8 corner[3])
{
	return V8_Add(V8_Add(corner[0], corner[1]), corner[2]);
}

// Returns the lanes whose elements are separated along the line between their centres by their distance.
static uint32_t CentresSeparate(const PairBatch* batch, const WideElements* wide, int moments)
{
	V8 n = V8_Sub(CornerSum(wide->at[1][0]), CornerSum(wide->at[0][0]));
	F8 square = V8_Dot(n, n), length = F8_Sqrt(square);
	// Includes the rounding error.
	F8 least = F8_Mul(length, F8_Add(F8_Load(batch->distance), F8_Mul(F8_Splat(1e-5f), length)));
	M8 apart = F8_Gt(square, F8_Splat(0.0f));
	for (int moment = 0; moment < moments; ++moment)
	{
		for (int i = 0; i < 9; ++i)
		{
			F8 along = V8_Dot(n, V8_Sub(wide->at[1][moment][i % 3], wide->at[0][moment][i / 3]));
			apart = M8_And(apart, F8_Gt(along, least));
		}
	}
	return M8_Bits(apart);
}

// Returns the lanes whose elements are separated along the line between their centres, so that points of one cloth are
// farther apart than the share of their distance at rest. Along a direction n, the difference
//
//    n . (x(q) - x(p)) - share |q - p|
//
// is concave in the points p and q of two triangles, so that its minimum is at two corners.
static uint32_t MaterialSeparates(const Narrow* narrow, const PairBatch* batch, const WideElements* wide, int moments)
{
	V8 n = V8_Sub(CornerSum(wide->at[1][0]), CornerSum(wide->at[0][0]));
	F8 square = V8_Dot(n, n), none = F8_Splat(0.0f);
	F8 share = F8_Mul(F8_Splat(1.001f * narrow->materialShare), F8_Sqrt(square));
	M8 asAtRest = M8_And(F8_Gt(square, none), F8_Gt(F8_Load(batch->isNear), none));
	for (int moment = 0; moment < moments; ++moment)
	{
		for (int i = 0; i < 9; ++i)
		{
			int a = i / 3, b = 3 + i % 3;
			F8 along = V8_Dot(n, V8_Sub(wide->at[1][moment][b - 3], wide->at[0][moment][a]));
			F8 u = F8_Sub(F8_Load(batch->material[b][0]), F8_Load(batch->material[a][0]));
			F8 v = F8_Sub(F8_Load(batch->material[b][1]), F8_Load(batch->material[a][1]));
			F8 rest = F8_Sqrt(F8_Add(F8_Mul(u, u), F8_Mul(v, v)));
			asAtRest = M8_And(asAtRest, F8_Gt(along, F8_Mul(share, rest)));
		}
	}
	return M8_Bits(asAtRest);
}

// Returns the lanes whose elements are separated, and *beside as FacesSeparate.
static uint32_t ElementsSeparate(const Narrow* narrow, const PairBatch* batch, uint32_t* beside)
{
	WideElements wide;
	int moments = narrow->to == narrow->from ? 1 : 2;
	GatherElements(narrow, batch, &wide);
	uint32_t apart = FacesSeparate(batch, &wide, beside);
	if (apart != 0xff)
		apart |= CentresSeparate(batch, &wide, moments);
	if (apart != 0xff && batch->hasNear)
		apart |= MaterialSeparates(narrow, batch, &wide, moments);
	return apart;
}

static void EmptyBatch(Search* search)
{
	PairBatch* batch = &search->batch;
	DRAPE_ASSERT(batch->count > 0 && batch->count <= 8);
	FeatureQueue* queue = &search->queue;
	const ContactElement* elements = search->narrow->bodies->elements.data;
	uint32_t beside, apart = ElementsSeparate(search->narrow, batch, &beside);
	for (uint32_t i = 0; i < batch->count; ++i)
	{
		if (apart >> i & 1)
			continue;
		if (!(beside >> i & 1) && search->narrow->pairFcn)
			search->narrow->pairFcn(search->context, batch->pair[i]);
		ElementPair pair = search->narrow->pairs->data[batch->pair[i]];
		uint32_t count =
			drapeContactElement_Features(&elements[pair.a], &elements[pair.b], queue->feature + queue->count);
		DRAPE_ASSERT(queue->count + count <= queueSize);
		for (uint32_t k = 0; k < count; ++k)
		{
			queue->pair[queue->count + k] = batch->pair[i];
			queue->distance[queue->count + k] = batch->distance[i];
		}
		queue->count += count;
	}
	batch->count = 0;
	batch->hasNear = false;
	EmptyQueue(search, false);
}

static float DistanceOf(const Narrow* narrow, const ContactElement* a, const ContactElement* b)
{
	const ContactBody *first = &narrow->bodies->bodies.data[a->body], *second = &narrow->bodies->bodies.data[b->body];
	float distance = first->isCloth && second->isCloth ? narrow->distances.cloth : narrow->distances.collider;
	distance = distance > first->gap ? distance : first->gap;
	return first->radius + second->radius + (distance > second->gap ? distance : second->gap);
}

static void SetMaterial(const Narrow* narrow, PairBatch* batch, uint32_t lane, const ContactElement* a,
                        const ContactElement* b)
{
	const ContactBody* body = &narrow->bodies->bodies.data[a->body];
	const MaterialMap* map = a->body == b->body && narrow->materialShare > 0.0f ? body->map : NULL;
	const ContactElement* first = narrow->bodies->elements.data + body->elementStart;
	const uint32_t triangle[2] = {(uint32_t)(a - first), (uint32_t)(b - first)};
	bool isNear = map && MaterialMap_IsPlane(map, triangle[0], triangle[1]);
	batch->isNear[lane] = isNear ? 1.0f : 0.0f;
	batch->hasNear |= isNear;
	for (uint32_t i = 0; i < 6 && isNear; ++i)
	{
		Vec4 at = map->material[3 * (size_t)triangle[i / 3] + i % 3];
		batch->material[i][0][lane] = at.x;
		batch->material[i][1][lane] = at.y;
	}
}

static void SetLane(const Narrow* narrow, PairBatch* batch, uint32_t lane, ElementPair pair)
{
	const ContactElement *a = &narrow->bodies->elements.data[pair.a], *b = &narrow->bodies->elements.data[pair.b];
	for (int k = 0; k < 3; ++k)
	{
		batch->vertex[k][lane] = a->vertex[k];
		batch->vertex[3 + k][lane] = b->vertex[k];
	}
	batch->hasFace[0][lane] = a->owns & ownsFace ? 1.0f : 0.0f;
	batch->hasFace[1][lane] = b->owns & ownsFace ? 1.0f : 0.0f;
	batch->distance[lane] = DistanceOf(narrow, a, b);
	SetMaterial(narrow, batch, lane, a, b);
}

void drapeNarrow_Find(const Narrow* narrow, uint32_t start, uint32_t end, NarrowFcn* fcn, void* context)
{
	DRAPE_ASSERT(start <= end && end <= narrow->pairs->count);
	DRAPE_ASSERT(narrow->distances.cloth >= 0.0f && narrow->distances.collider >= 0.0f);
	Search search;
	search.narrow = narrow;
	search.fcn = fcn;
	search.context = context;
	search.batch.count = search.queue.count = 0;
	search.batch.hasNear = false;
	memset(search.batch.material, 0, sizeof search.batch.material);
	for (uint32_t i = start; i < end; ++i)
	{
		ElementPair pair = narrow->pairs->data[i];
		if (narrow->changed && !(narrow->changed[pair.a] | narrow->changed[pair.b]))
			continue;
		search.batch.pair[search.batch.count] = i;
		SetLane(narrow, &search.batch, search.batch.count, pair);
		if (++search.batch.count == 8)
			EmptyBatch(&search);
	}
	if (search.batch.count > 0)
	{
		for (uint32_t i = search.batch.count; i < 8; ++i)
			SetLane(narrow, &search.batch, i, narrow->pairs->data[search.batch.pair[0]]);
		EmptyBatch(&search);
	}
	EmptyQueue(&search, true);
}
