// SPDX-License-Identifier: MIT
#pragma once

#include "contact/broad/bvh.h"

// What the files of bvh.h share.

// Writes the rows (low, high, low, ...) of the nodes above a block of a level, in an array with `rowCount` rows per
// block.
void drapeBvh_Raise(const Bvh* bvh, float* rows, uint32_t rowCount, uint32_t level, uint32_t block);

// A node to be looked into.
typedef struct BvhNode
{
	uint32_t level, node;
} BvhNode;

enum
{
	// A node is taken off for up to eight that are put on.
	bvhStack = 7 * bvhMaxLevels + 8,
};

DRAPE_INLINE BvhNode Bvh_Root(const Bvh* bvh)
{
	return (BvhNode){bvh->levelCount - 1, 0};
}

// Children of a node: lanes of one block of the level below, as bits.
DRAPE_INLINE uint32_t Bvh_Children(const Bvh* bvh, BvhNode node, uint32_t* block)
{
	uint32_t first = node.node << bvh->shift;
	uint32_t count = MinU32(1u << bvh->shift, bvh->nodeCount[node.level - 1] - first);
	*block = first / 8;
	return ((1u << count) - 1) << first % 8;
}

// Bits of the lanes of a block that overlap bounds whose lows and highs are `stride` apart.
DRAPE_INLINE uint32_t Bvh_OverlapsAt(const float* rows, uint32_t axisCount, const float* low, const float* high,
                                     uint32_t stride)
{
	M8 overlaps = M8_And(F8_Le(F8_Load(rows), F8_Splat(high[0])), F8_Le(F8_Splat(low[0]), F8_Load(rows + 8)));
	for (uint32_t a = 1; a < 3; ++a)
	{
		overlaps = M8_And(overlaps, F8_Le(F8_Load(rows + 16 * a), F8_Splat(high[stride * a])));
		overlaps = M8_And(overlaps, F8_Le(F8_Splat(low[stride * a]), F8_Load(rows + 16 * a + 8)));
	}
	for (uint32_t a = 3; a < axisCount && M8_Bits(overlaps) != 0; ++a)
	{
		overlaps = M8_And(overlaps, F8_Le(F8_Load(rows + 16 * a), F8_Splat(high[stride * a])));
		overlaps = M8_And(overlaps, F8_Le(F8_Splat(low[stride * a]), F8_Load(rows + 16 * a + 8)));
	}
	return M8_Bits(overlaps);
}

DRAPE_INLINE uint32_t Bvh_Overlaps(const float* rows, uint32_t axisCount, const float* low, const float* high)
{
	return Bvh_OverlapsAt(rows, axisCount, low, high, 1);
}

// Bits of the lanes of a block that overlap lane `lane` of another.
DRAPE_INLINE uint32_t Bvh_OverlapsLane(const float* rows, uint32_t axisCount, const float* others, uint32_t lane)
{
	return Bvh_OverlapsAt(rows, axisCount, others + lane, others + 8 + lane, 16);
}

// The lowest set bit, taken away.
DRAPE_INLINE uint32_t TakeBit(uint32_t* bits)
{
	uint32_t bit = (uint32_t)__builtin_ctz(*bits);
	*bits &= *bits - 1;
	return bit;
}

// --- nodes in the order of their distance ---------------------------------------------------------------------------

typedef struct NearNode
{
	float distance; // squared, or the fraction of a segment
	uint32_t level, node;
} NearNode;

typedef struct NearStack
{
	uint32_t depth;
	NearNode nodes[bvhStack];
} NearStack;

// Puts the lanes on the stack, the nearest one last.
DRAPE_INLINE void NearStack_Push(NearStack* stack, uint32_t lanes, const float* distance, uint32_t level,
                                 uint32_t block)
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

// The leaves whose bounds a segment comes within `pad`, m, of, roughly in the order in which it does.
typedef struct SegmentWalk
{
	Vec3 from;
	Vec3 inverse; // of the way; infinite where it does not go
	float pad;
	float enters[8]; // of the lanes of the last leaf: the fraction at which it is near
	NearStack stack;
} SegmentWalk;

SegmentWalk drapeSegmentWalk_Begin(const Bvh* bvh, Vec3 from, Vec3 to, float pad);

// The next ones before the fraction `limit` of the way: lanes of a block of primitives, 0 at the end.
uint32_t drapeSegmentWalk_Next(SegmentWalk* walk, const Bvh* bvh, float limit, uint32_t* block);

// --- curvature culling ----------------------------------------------------------------------------------------------

// Material places of blocks [start, end) of primitives; the corners are in place.
void drapeSelfCulling_Place(Bvh* bvh, const Charts* charts, uint32_t start, uint32_t end);

// Deformation of the primitives of a block.
void drapeSelfCulling_Strain(Bvh* bvh, const Primitives* primitives, uint32_t block);

// Which nodes are calm, when everything is fitted.
void drapeSelfCulling_Mark(Bvh* bvh, TaskPool* tasks);

// Whether a node is. Nodes of few primitives are never asked, because looking at them costs no more.
DRAPE_INLINE bool SelfCulling_Is(const Bvh* bvh, uint32_t level, uint32_t node)
{
	return bvh->calm.isCulled.data[8 * bvh->firstBlock[level] + node] != 0;
}

DRAPE_INLINE uint32_t SelfCulling_FirstLevel(const Bvh* bvh)
{
	return 6 / bvh->shift; // 64 primitives
}
