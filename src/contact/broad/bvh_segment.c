// SPDX-License-Identifier: MIT
#include "contact/broad/bvh_inner.h"
#include "contact/shapes/triangle.h"

// The first triangle on a segment: nodes are taken nearest first, and those that are farther than what has been found
// are left out.

static float InverseOf(double x)
{
	float inverse = (float)(1.0 / x);
	return isfinite(inverse) ? inverse : INFINITY;
}

SegmentWalk drapeSegmentWalk_Begin(const Bvh* bvh, Vec3 from, Vec3 to, float pad)
{
	Double3 way = D3Between(from, to);
	SegmentWalk walk;
	walk.from = from;
	walk.inverse = (Vec3){InverseOf(way.x), InverseOf(way.y), InverseOf(way.z)};
	walk.pad = pad;
	walk.stack.depth = 0;
	if (bvh->primitiveCount > 0)
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

uint32_t drapeSegmentWalk_Next(SegmentWalk* walk, const Bvh* bvh, float limit, uint32_t* block)
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

bool drapeBvh_FirstHit(const Bvh* bvh, const Primitives* primitives, Vec3 from, Vec3 to, PrimitiveHit* hit)
{
	DRAPE_ASSERT(bvh->cornerCount == 3 || bvh->primitiveCount == 0);
	Double3 way = D3Between(from, to);
	SegmentWalk walk = drapeSegmentWalk_Begin(bvh, from, to, 0.0f);
	uint32_t block, lanes;
	*hit = (PrimitiveHit){.primitive = DRAPE_NONE, .fraction = INFINITY};
	while ((lanes = drapeSegmentWalk_Next(&walk, bvh, hit->fraction, &block)) != 0)
	{
		while (lanes != 0)
		{
			uint32_t primitive = bvh->order.data[8 * block + TakeBit(&lanes)];
			SeenTriangle seen = Triangle_SeenFrom(primitives->to, primitives->corners + 3 * (size_t)primitive, from);
			PrimitiveHit_Cut(hit, primitive, &seen, way);
		}
	}
	PrimitiveHit_Finish(hit, from, way);
	return hit->primitive != DRAPE_NONE;
}

bool drapeBvh_Winding(const Bvh* bvh, const Primitives* primitives, Vec3 from, Vec3 to, int* winding)
{
	Double3 way = D3Between(from, to);
	SegmentWalk walk = drapeSegmentWalk_Begin(bvh, from, to, 0.0f);
	uint32_t block, lanes;
	*winding = 0;
	while ((lanes = drapeSegmentWalk_Next(&walk, bvh, 1.0f, &block)) != 0)
	{
		while (lanes != 0)
		{
			uint32_t primitive = bvh->order.data[8 * block + TakeBit(&lanes)];
			SeenTriangle seen = Triangle_SeenFrom(primitives->to, primitives->corners + 3 * (size_t)primitive, from);
			int crossing;
			if (!Triangle_Crossing(&seen, way, &crossing))
				return false;
			*winding += crossing;
		}
	}
	return true;
}
