// SPDX-License-Identifier: MIT
#pragma once

#include "contact/broad/bvh.h"

// Shared by the files that look into the tree: bvh.c, bvh_query.c, self_culling.c.

enum
{
	bvhChunk = 512, // primitives per chunk of a fitting loop: with any arity they fill whole blocks of some level
};

// Intervals that a caller keeps beside the bounds lie in an array with `rowCount` rows (low, high, low, ...) per block.

// Writes the rows of the nodes above a block of a level.
void drapeBvh_Raise(const Bvh* bvh, float* rows, uint32_t rowCount, uint32_t level, uint32_t block);

// Writes the rows of all nodes that hold primitives of the chunk [start, end) alone.
void drapeBvh_RaiseChunk(const Bvh* bvh, float* rows, uint32_t rowCount, uint32_t start, uint32_t end);

// Writes the rows of the nodes above those of the chunks.
void drapeBvh_RaiseTop(const Bvh* bvh, float* rows, uint32_t rowCount);

// Empties the last block of each level: no node writes its unused lanes.
void drapeBvh_ClearTails(const Bvh* bvh, float* rows, uint32_t rowCount);

// A node of the tree.
typedef struct BvhNode
{
	uint32_t level, node;
} BvhNode;

enum
{
	// A walk replaces a node on the stack by up to eight children.
	bvhStack = 7 * bvhMaxLevels + 8,
};

DRAPE_INLINE BvhNode Bvh_Root(const Bvh* bvh)
{
	return (BvhNode){bvh->levelCount - 1, 0};
}

// Returns the children of a node: lanes of one block of the level below, as bits.
DRAPE_INLINE uint32_t Bvh_Children(const Bvh* bvh, BvhNode node, uint32_t* block)
{
	uint32_t first = node.node << bvh->shift;
	uint32_t count = MinU32(1u << bvh->shift, bvh->nodeCount[node.level - 1] - first);
	*block = first / 8;
	return ((1u << count) - 1) << first % 8;
}

// Returns the lanes of a block that overlap bounds whose lows and highs are `stride` apart.
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

// Returns the lanes of a block that overlap lane `lane` of another.
DRAPE_INLINE uint32_t Bvh_OverlapsLane(const float* rows, uint32_t axisCount, const float* others, uint32_t lane)
{
	return Bvh_OverlapsAt(rows, axisCount, others + lane, others + 8 + lane, 16);
}

// Clears the lowest set bit and returns its index.
DRAPE_INLINE uint32_t TakeBit(uint32_t* bits)
{
	uint32_t bit = (uint32_t)__builtin_ctz(*bits);
	*bits &= *bits - 1;
	return bit;
}

// --- walk along a segment -------------------------------------------------------------------------------------------

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

// Walks over the leaves whose bounds are within `pad`, m, of a segment, roughly in the order along it.
typedef struct SegmentWalk
{
	Vec3 from;
	Vec3 inverse; // reciprocal of the displacement; infinite along axes without displacement
	float pad;
	float enters[8]; // per lane of the last leaf: the fraction at which the segment enters
	NearStack stack;
} SegmentWalk;

SegmentWalk drapeSegmentWalk_Begin(const Bvh* bvh, Vec3 from, Vec3 to, float pad);

// Returns the lanes of the next block of primitives that the segment enters before the fraction `limit`; 0 at the end.
// The view is not of a time between two others.
uint32_t drapeSegmentWalk_Next(SegmentWalk* walk, const BvhView* view, float limit, uint32_t* block);
