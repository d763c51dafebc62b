// SPDX-License-Identifier: MIT
#include "contact/bvh_inner.h"
#include "contact/triangle.h"

// The first triangle on a segment and the nearest one to a point: nodes are taken nearest first, and those that are
// farther than what has been found are left out.

// Puts the lanes on the stack, the nearest one last.
static void NearStack_Push(NearStack* stack, uint32_t lanes, const float* distance, uint32_t level, uint32_t block)
{
	uint32_t first = stack->depth;
	while (lanes != 0)
	{
		uint32_t lane = TakeBit(&lanes), at = stack->depth++;
		for (; at > first && stack->nodes[at - 1].distance < distance[lane]; --at)
			stack->nodes[at] = stack->nodes[at - 1];
		stack->nodes[at] = (NearNode){distance[lane], level, 8 * block + lane};
	}
}

// --- segments -------------------------------------------------------------------------------------------------------

static float InverseOf(double x)
{
	float inverse = (float)(1.0 / x);
	return isfinite(inverse) ? inverse : INFINITY;
}

SegmentWalk SegmentWalk_Begin(const Bvh* bvh, Vec3 from, Vec3 to, float pad)
{
	Double3 way = D3Between(from, to);
	SegmentWalk walk;
	walk.from = from;
	walk.inverse = (Vec3){InverseOf(way.x), InverseOf(way.y), InverseOf(way.z)};
	walk.pad = pad;
	walk.stack.depth = 0;
	if (bvh->itemCount > 0)
		walk.stack.nodes[walk.stack.depth++] = (NearNode){0.0f, bvh->levelCount - 1, 0};
	return walk;
}

// Lanes that the segment meets before `limit`, and where it enters them. Rounded outward: see KDOP_ROUNDING.
static uint32_t SegmentMeets(const SegmentWalk* walk, const float* rows, float limit, float* enters)
{
	const float from[3] = {walk->from.x, walk->from.y, walk->from.z};
	const float inverse[3] = {walk->inverse.x, walk->inverse.y, walk->inverse.z};
	const F8 out = F8_Splat(1.0f + 4.0f * KDOP_ROUNDING), in = F8_Splat(1.0f - 4.0f * KDOP_ROUNDING);
	F8 first = F8_Splat(0.0f), last = F8_Splat(limit);
	M8 meets = F8_Le(first, last);
	for (uint32_t a = 0; a < 3; ++a)
	{
		F8 low = F8_Sub(F8_Load(rows + 16 * a), F8_Splat(from[a] + walk->pad));
		F8 high = F8_Sub(F8_Load(rows + 16 * a + 8), F8_Splat(from[a] - walk->pad));
		if (isinf(inverse[a]))
		{
			meets = M8_And(meets, M8_And(F8_Le(low, F8_Splat(0.0f)), F8_Le(F8_Splat(0.0f), high)));
			continue;
		}
		F8 t0 = F8_Mul(low, F8_Splat(inverse[a])), t1 = F8_Mul(high, F8_Splat(inverse[a]));
		first = F8_Max(F8_Mul(F8_Min(t0, t1), in), first);
		last = F8_Min(F8_Mul(F8_Max(t0, t1), out), last);
	}
	F8_Store(enters, first);
	return M8_Bits(M8_And(meets, F8_Le(first, last)));
}

uint32_t SegmentWalk_Next(SegmentWalk* walk, const Bvh* bvh, float limit, uint32_t* block)
{
	NearStack* stack = &walk->stack;
	limit = limit < 1.0f ? limit : 1.0f;
	while (stack->depth > 0)
	{
		float* enters = walk->enters;
		NearNode node = stack->nodes[--stack->depth];
		if (node.distance > limit)
			continue;
		uint32_t lanes = Bvh_Children(bvh, (BvhNode){node.level, node.node}, block);
		lanes &= SegmentMeets(walk, Bvh_Bounds(bvh, node.level - 1, *block), limit, enters);
		if (node.level == 1 && lanes != 0)
			return lanes;
		if (node.level > 1)
			NearStack_Push(stack, lanes, enters, node.level - 1, *block);
	}
	return 0;
}

bool Bvh_FirstHit(const Bvh* bvh, const Items* items, Vec3 from, Vec3 to, ItemHit* hit)
{
	DRAPE_ASSERT(bvh->cornerCount == 3 || bvh->itemCount == 0);
	Double3 way = D3Between(from, to);
	SegmentWalk walk = SegmentWalk_Begin(bvh, from, to, 0.0f);
	uint32_t block, lanes;
	*hit = (ItemHit){.item = DRAPE_NONE, .fraction = INFINITY};
	while ((lanes = SegmentWalk_Next(&walk, bvh, hit->fraction, &block)) != 0)
	{
		while (lanes != 0)
		{
			uint32_t item = bvh->order.data[8 * block + TakeBit(&lanes)];
			SeenTriangle seen = Triangle_SeenFrom(items->to, items->corners + 3 * (size_t)item, from);
			ItemHit_Cut(hit, item, &seen, way);
		}
	}
	ItemHit_Finish(hit, from, way);
	return hit->item != DRAPE_NONE;
}

bool Bvh_Winding(const Bvh* bvh, const Items* items, Vec3 from, Vec3 to, int* winding)
{
	Double3 way = D3Between(from, to);
	SegmentWalk walk = SegmentWalk_Begin(bvh, from, to, 0.0f);
	uint32_t block, lanes;
	*winding = 0;
	while ((lanes = SegmentWalk_Next(&walk, bvh, 1.0f, &block)) != 0)
	{
		while (lanes != 0)
		{
			uint32_t item = bvh->order.data[8 * block + TakeBit(&lanes)];
			SeenTriangle seen = Triangle_SeenFrom(items->to, items->corners + 3 * (size_t)item, from);
			int crossing;
			if (!Triangle_Crossing(&seen, way, &crossing))
				return false;
			*winding += crossing;
		}
	}
	return true;
}

// --- points ---------------------------------------------------------------------------------------------------------

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

// Lanes of a block of items whose triangles may be the nearest, and nearer than `limit`: those that are not beyond
// another one, whatever rounding did.
static uint32_t MayBeNearest(const Bvh* bvh, const Items* items, uint32_t block, Vec3 point, float limit)
{
	const uint32_t* corners = bvh->corners.data + (size_t)block * 24;
	V8 p = V8_Splat(point);
	V8 a = V8_Sub(V8_Gather(items->to, corners), p), b = V8_Sub(V8_Gather(items->to, corners + 8), p);
	V8 c = V8_Sub(V8_Gather(items->to, corners + 16), p);
	F8 far = F8_Max(V8_Dot(a, a), F8_Max(V8_Dot(b, b), V8_Dot(c, c)));
	F8 error = F8_Mul(F8_Splat(TRIANGLE_ROUNDING), F8_Sqrt(far)), distance = F8_Sqrt(Triangle_Square8(a, b, c));
	float nearest = F8_MinLanes(F8_Add(distance, error));
	return ~M8_Bits(F8_Gt(F8_Sub(distance, error), F8_Splat(nearest < limit ? nearest : limit)));
}

typedef struct NearSearch
{
	Vec3 point;
	double square; // of the best so far, or of the reach
	float limit;   // its root, rounded up
	uint32_t item;
	Double3 toPoint;
} NearSearch;

static void NearItems(const Bvh* bvh, const Items* items, uint32_t node, NearSearch* search)
{
	uint32_t block;
	uint32_t lanes = Bvh_Children(bvh, (BvhNode){1, node}, &block);
	lanes &= MayBeNearest(bvh, items, block, search->point, search->limit);
	while (lanes != 0)
	{
		uint32_t item = bvh->order.data[8 * block + TakeBit(&lanes)];
		SeenTriangle seen = Triangle_SeenFrom(items->to, items->corners + 3 * (size_t)item, search->point);
		TrianglePoint near = Triangle_Closest(&seen);
		if (!(near.square < search->square || (near.square == search->square && item < search->item)))
			continue;
		search->square = near.square;
		search->limit = (float)sqrt(near.square) * (1.0f + KDOP_ROUNDING);
		search->item = item;
		search->toPoint = near.toPoint;
	}
}

bool Bvh_Nearest(const Bvh* bvh, const Items* items, Vec3 point, float reach, ItemHit* hit)
{
	DRAPE_ASSERT(bvh->cornerCount == 3 || bvh->itemCount == 0);
	NearStack stack;
	stack.depth = 0;
	NearSearch search = {point, (double)reach * (double)reach, reach, DRAPE_NONE, {0.0, 0.0, 0.0}};
	if (bvh->itemCount > 0)
		stack.nodes[stack.depth++] = (NearNode){0.0f, bvh->levelCount - 1, 0};
	while (stack.depth > 0)
	{
		uint32_t block;
		float squares[8];
		NearNode node = stack.nodes[--stack.depth];
		float limit = search.limit * search.limit * (1.0f + 4.0f * KDOP_ROUNDING);
		if (node.distance > limit)
			continue;
		if (node.level == 1)
		{
			NearItems(bvh, items, node.node, &search);
			continue;
		}
		uint32_t lanes = Bvh_Children(bvh, (BvhNode){node.level, node.node}, &block);
		F8 square = BoxSquares(Bvh_Bounds(bvh, node.level - 1, block), point);
		lanes &= M8_Bits(F8_Le(square, F8_Splat(limit)));
		F8_Store(squares, square);
		NearStack_Push(&stack, lanes, squares, node.level - 1, block);
	}
	if (search.item == DRAPE_NONE)
		return false;
	Double3 at = search.toPoint;
	*hit = (ItemHit){.item = search.item, .distance = (float)sqrt(search.square)};
	hit->point =
		(Vec3){(float)((double)point.x + at.x), (float)((double)point.y + at.y), (float)((double)point.z + at.z)};
	return true;
}
