// SPDX-License-Identifier: MIT
#include "contact/broad/bvh_inner.h"
#include "contact/shapes/triangle.h"

// The nearest triangle to a point: nodes are taken nearest first, and those that are farther than what has been found
// are left out. A list of what else is near makes the next search around there short.

// Squared distances of a point from the boxes of a block.
static F8 BoxSquares(const float* rows, Vec3 point)
{
	const float p[3] = {point.x, point.y, point.z};
	F8 sum = F8_Splat(0.0f);
	for (uint32_t a = 0; a < 3; ++a)
	{
		F8 below = F8_Sub(F8_Load(rows + 16 * a), F8_Splat(p[a]));
		F8 above = F8_Sub(F8_Splat(p[a]), F8_Load(rows + 16 * a + 8));
		F8 out = F8_Max(F8_Max(below, above), F8_Splat(0.0f));
		sum = F8_Add(sum, F8_Mul(out, out));
	}
	return sum;
}

// At least and at most so far are eight triangles, whatever rounding does. Corners in rows of eight.
static void DistancesBetween(const Primitives* primitives, const uint32_t* corners, Vec3 point, F8* least, F8* most)
{
	V8 p = V8_Splat(point);
	V8 a = V8_Sub(V8_Gather(primitives->to, corners), p), b = V8_Sub(V8_Gather(primitives->to, corners + 8), p);
	V8 c = V8_Sub(V8_Gather(primitives->to, corners + 16), p);
	F8 far = F8_Max(V8_Dot(a, a), F8_Max(V8_Dot(b, b), V8_Dot(c, c)));
	F8 error = F8_Mul(F8_Splat(TRIANGLE_ROUNDING), F8_Sqrt(far)), distance = F8_Sqrt(Triangle_Square8(a, b, c));
	*least = F8_Sub(distance, error);
	*most = F8_Add(distance, error);
}

typedef struct NearSearch
{
	const Primitives* primitives;
	Vec3 point;
	double square; // of the best so far, or of the reach
	float limit;   // its root, rounded up
	NearestPrimitive best;
	// Where a list is made. Those that did not fit are not nearer than `cut`, m.
	NearList* list;
	float slack, cut, least[nearListSize];
} NearSearch;

static void BeginSearch(NearSearch* search, const Primitives* primitives, Vec3 point, float reach)
{
	search->primitives = primitives;
	search->point = point;
	search->square = (double)reach * (double)reach;
	search->limit = reach;
	search->best.primitive = DRAPE_NONE;
	search->list = NULL;
	search->slack = 0.0f;
	search->cut = INFINITY;
}

// What is farther need not be looked at.
static float Horizon(const NearSearch* search)
{
	return search->list ? MaxF(search->limit, MinF(search->limit + search->slack, search->cut)) : search->limit;
}

static void TakeNearer(NearSearch* search, uint32_t primitive)
{
	const Primitives* primitives = search->primitives;
	SeenTriangle seen = Triangle_SeenFrom(primitives->to, primitives->corners + 3 * (size_t)primitive, search->point);
	TrianglePoint near = Triangle_Closest(&seen);
	if (!(near.square < search->square || (near.square == search->square && primitive < search->best.primitive)))
		return;
	search->square = near.square;
	search->limit = (float)sqrt(near.square) * (1.0f + KDOP_ROUNDING);
	search->best.primitive = primitive;
	search->best.near = near;
}

// In place of the farthest one, when the list is full.
static void AddToList(NearSearch* search, uint32_t primitive, float least)
{
	NearList* list = search->list;
	uint32_t at = list->count;
	if (at < nearListSize)
		list->count++;
	else
	{
		at = 0;
		for (uint32_t i = 1; i < nearListSize; ++i)
			at = search->least[i] > search->least[at] ? i : at;
		search->cut = MinF(search->cut, MaxF(search->least[at], least));
		if (!(least < search->least[at]))
			return;
	}
	list->primitive[at] = primitive;
	search->least[at] = least;
}

// Lanes of eight primitives. Those that are beyond another one are not the nearest. Returns how far all eight are at least.
static float TestPrimitives(NearSearch* search, const uint32_t* item8, const uint32_t* corners, uint32_t lanes)
{
	F8 least, most;
	float leasts[8];
	DistancesBetween(search->primitives, corners, search->point, &least, &most);
	float nearest = F8_MinLanes(most), limit = nearest < search->limit ? nearest : search->limit;
	uint32_t nearer = lanes & ~M8_Bits(F8_Gt(least, F8_Splat(limit)));
	while (nearer != 0)
		TakeNearer(search, item8[TakeBit(&nearer)]);
	if (!search->list)
		return F8_MinLanes(least);
	F8_Store(leasts, least);
	lanes &= ~M8_Bits(F8_Gt(least, F8_Splat(Horizon(search))));
	while (lanes != 0)
	{
		uint32_t lane = TakeBit(&lanes);
		AddToList(search, item8[lane], leasts[lane]);
	}
	return F8_MinLanes(least);
}

static void SearchTree(NearSearch* search, const Bvh* bvh)
{
	NearStack stack;
	stack.depth = 0;
	if (bvh->primitiveCount > 0)
		stack.nodes[stack.depth++] = (NearNode){0.0f, bvh->levelCount - 1, 0};
	while (stack.depth > 0)
	{
		uint32_t block;
		float squares[8];
		NearNode node = stack.nodes[--stack.depth];
		float horizon = Horizon(search), limit = horizon * horizon * (1.0f + 4.0f * KDOP_ROUNDING);
		if (node.distance > limit)
			continue;
		uint32_t lanes = Bvh_Children(bvh, (BvhNode){node.level, node.node}, &block);
		if (node.level == 1)
		{
			TestPrimitives(search, bvh->order.data + 8 * (size_t)block, bvh->corners.data + 24 * (size_t)block, lanes);
			continue;
		}
		F8 square = BoxSquares(Bvh_Bounds(bvh, node.level - 1, block), search->point);
		lanes &= M8_Bits(F8_Le(square, F8_Splat(limit)));
		F8_Store(squares, square);
		NearStack_Push(&stack, lanes, squares, node.level - 1, block);
	}
}

bool drapeBvh_NearestPrimitive(const Bvh* bvh, const Primitives* primitives, Vec3 point, float reach,
                               NearestPrimitive* nearest)
{
	DRAPE_ASSERT(bvh->cornerCount == 3 || bvh->primitiveCount == 0);
	NearSearch search;
	BeginSearch(&search, primitives, point, reach);
	SearchTree(&search, bvh);
	*nearest = search.best;
	return nearest->primitive != DRAPE_NONE;
}

// What is not in the list is not nearer than this, m.
static float BeyondList(const NearList* list, Vec3 point)
{
	return list->reach - 1.0001f * V3Length(V3Sub(point, list->place));
}

// Looked up once, so that a look at the list need not.
static void FindCorners(NearList* list, const Primitives* primitives)
{
	for (uint32_t i = 0; i < nearListSize && list->count > 0; ++i)
	{
		uint32_t primitive = list->primitive[i < list->count ? i : 0];
		for (uint32_t k = 0; k < 3; ++k)
			list->corner[k][i] = primitives->corners[3 * (size_t)primitive + k];
	}
}

// The nearest one of the list; true when nothing else can be. Farther than *clearance are all.
static bool SearchList(NearSearch* search, const NearList* list, float* clearance)
{
	float beyond = BeyondList(list, search->point);
	*clearance = beyond;
	if (!(beyond > 0.0f))
		return false;
	if (list->count > 0)
		*clearance = MinF(TestPrimitives(search, list->primitive, list->corner[0], (1u << list->count) - 1), beyond);
	return search->limit < beyond;
}

float drapeNearList_Clearance(const NearList* list, const Primitives* primitives, Vec3 point)
{
	float beyond = BeyondList(list, point);
	if (!(beyond > 0.0f))
		return 0.0f;
	if (list->count == 0)
		return beyond;
	F8 least, most;
	DistancesBetween(primitives, list->corner[0], point, &least, &most);
	return MaxF(MinF(beyond, F8_MinLanes(least)), 0.0f);
}

bool drapeNearList_Along(const NearList* list, const Primitives* primitives, Vec3 from, Vec3 to, float margin,
                         uint32_t* lanes)
{
	const float touching = 1.0001f * margin;
	*lanes = 0;
	if (!(BeyondList(list, from) > touching && BeyondList(list, to) > touching))
		return false;
	if (list->count == 0)
		return true;
	F8 least, most;
	DistancesBetween(primitives, list->corner[0], from, &least, &most);
	float farthest = touching + 1.0001f * V3Length(V3Sub(to, from));
	*lanes = ((1u << list->count) - 1) & M8_Bits(F8_Le(least, F8_Splat(farthest)));
	return true;
}

bool drapeBvh_NearestAround(const Bvh* bvh, const Primitives* primitives, const NearQuery* query, NearList* list,
                            NearestPrimitive* nearest, float* clearance)
{
	DRAPE_ASSERT(bvh->cornerCount == 3 || bvh->primitiveCount == 0);
	NearSearch search;
	BeginSearch(&search, primitives, query->point, query->need);
	if (!SearchList(&search, list, clearance))
	{
		if (search.best.primitive == DRAPE_NONE)
			BeginSearch(&search, primitives, query->point, query->reach);
		search.slack = query->slack;
		search.list = list;
		list->count = 0;
		SearchTree(&search, bvh);
		FindCorners(list, primitives);
		list->place = query->point;
		list->reach = 0.9999f * MinF(search.limit + query->slack, search.cut);
		*clearance = search.limit;
	}
	*nearest = search.best;
	return nearest->primitive != DRAPE_NONE;
}

bool drapeBvh_Nearest(const Bvh* bvh, const Primitives* primitives, Vec3 point, float reach, PrimitiveHit* hit)
{
	NearestPrimitive nearest;
	if (!drapeBvh_NearestPrimitive(bvh, primitives, point, reach, &nearest))
		return false;
	Double3 at = nearest.near.toPoint;
	*hit = (PrimitiveHit){.primitive = nearest.primitive, .distance = (float)sqrt(nearest.near.square)};
	hit->point =
		(Vec3){(float)((double)point.x + at.x), (float)((double)point.y + at.y), (float)((double)point.z + at.z)};
	return true;
}
