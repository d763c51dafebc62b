// SPDX-License-Identifier: MIT
#include "contact/broad/bvh_inner.h"

// Overlapping primitives. One walk serves all: bounds go down a tree and meet the primitives below. Pairs are found block by
// block: the bounds of eight primitives go down together, and where they meet others each primitive looks at eight at a time. On
// the way down only boxes are compared: on nodes the other axes cost more than they cut off.

enum
{
	pairBlocks = 16, // of a chunk
};

bool drapeBvh_Query(const Bvh* bvh, const Kdop* dop, PrimitiveList* found)
{
	BvhNode stack[bvhStack];
	uint32_t depth = 0;
	if (bvh->primitiveCount > 0)
		stack[depth++] = Bvh_Root(bvh);
	while (depth > 0)
	{
		uint32_t block;
		BvhNode node = stack[--depth];
		uint32_t lanes = Bvh_Children(bvh, node, &block);
		lanes &= Bvh_Overlaps(Bvh_Bounds(bvh, node.level - 1, block), bvh->axisCount, dop->low, dop->high);
		if (node.level == 1 && lanes != 0 && !ArrayReserve(&found->primitives, (size_t)found->primitives.count + 8))
			return false;
		while (lanes != 0)
		{
			uint32_t child = 8 * block + TakeBit(&lanes);
			if (node.level == 1)
				ArrayPush(&found->primitives, bvh->order.data[child]);
			else
				stack[depth++] = (BvhNode){node.level - 1, child};
		}
	}
	return true;
}

// --- pairs ----------------------------------------------------------------------------------------------------------

// Eight primitives that go down a tree.
typedef struct Group
{
	const Bvh* bvh;
	uint32_t block, used; // lanes
	const float* rows;
	float low[3], high[3]; // of all
} Group;

static Group Group_Make(const Bvh* bvh, uint32_t block)
{
	Group group = {.bvh = bvh, .block = block, .rows = Bvh_Bounds(bvh, 0, block)};
	uint32_t count = MinU32(8, bvh->primitiveCount - 8 * block);
	group.used = (1u << count) - 1;
	for (uint32_t a = 0; a < 3; ++a)
	{
		group.low[a] = F8_MinLanes(F8_Load(group.rows + 16 * a));
		group.high[a] = F8_MaxLanes(F8_Load(group.rows + 16 * a + 8));
	}
	return group;
}

// Bits of the lanes of a block whose primitives have a corner in common with the one at a place.
DRAPE_INLINE uint32_t Neighbours(const Bvh* bvh, uint32_t place, uint32_t block)
{
	const uint32_t perBlock = 8 * bvh->cornerCount;
	const uint32_t* own = bvh->corners.data + (size_t)(place / 8) * perBlock + place % 8;
	const uint32_t* others = bvh->corners.data + (size_t)block * perBlock;
	M8 shares = U8_Same(others, own[0]);
	for (uint32_t i = 0; i < perBlock; i += 8)
	{
		for (uint32_t k = 0; k < perBlock; k += 8)
			shares = M8_Or(shares, U8_Same(others + k, own[i]));
	}
	return M8_Bits(shares);
}

// The primitives of a group against those below a node of level 1; of the same tree only against later places, and without
// neighbours.
DRAPE_INLINE void MeetPrimitives(uint32_t axisCount, const Group* group, const Bvh* other, uint32_t node, Chunk* chunk)
{
	bool isSelf = group->bvh == other;
	uint32_t block;
	uint32_t children = Bvh_Children(other, (BvhNode){1, node}, &block);
	uint32_t lanes = group->used & Bvh_OverlapsLane(group->rows, 3, Bvh_Bounds(other, 1, node / 8), node % 8);
	const float* rows = Bvh_Bounds(other, 0, block);
	chunk->tests += (uint32_t)__builtin_popcount(lanes) * (uint32_t)__builtin_popcount(children);
	while (lanes != 0)
	{
		uint32_t lane = TakeBit(&lanes), place = 8 * group->block + lane, primitive = group->bvh->order.data[place];
		uint32_t met = children & Bvh_OverlapsLane(rows, axisCount, group->rows, lane);
		if (isSelf && block == group->block)
			met &= ~((2u << lane) - 1);
		if (isSelf && met != 0)
			met &= ~Neighbours(other, place, block);
		while (met != 0)
		{
			uint32_t otherPrimitive = other->order.data[8 * block + TakeBit(&met)];
			if (isSelf)
				Chunk_AddPair(chunk, MinU32(primitive, otherPrimitive), MaxU32(primitive, otherPrimitive));
			else
				Chunk_AddPair(chunk, primitive, otherPrimitive);
		}
	}
}

// Whether a node has no place after the first one of a block.
static bool IsBefore(const Bvh* bvh, uint32_t level, uint32_t node, uint32_t block)
{
	return ((uint64_t)node + 1) << bvh->shift * level <= 8 * (uint64_t)block;
}

// Whether a node holds the block, and nothing in it can touch anything else in it.
static bool IsCulledAround(const Bvh* bvh, BvhNode node, uint32_t block)
{
	return bvh->hasCharts && node.level >= SelfCulling_FirstLevel(bvh) &&
	       8 * block >> bvh->shift * node.level == node.node && SelfCulling_Is(bvh, node.level, node.node);
}

DRAPE_INLINE void PairsOfBlock(uint32_t axisCount, const Bvh* a, const Bvh* b, uint32_t index, Chunk* chunk)
{
	Group group = Group_Make(a, index);
	BvhNode stack[bvhStack];
	uint32_t depth = 0;
	stack[depth++] = Bvh_Root(b);
	while (depth > 0)
	{
		uint32_t block;
		BvhNode node = stack[--depth];
		if (a == b && (IsBefore(b, node.level, node.node, index) || IsCulledAround(b, node, index)))
			continue;
		if (node.level == 1)
		{
			MeetPrimitives(axisCount, &group, b, node.node, chunk);
			continue;
		}
		uint32_t lanes = Bvh_Children(b, node, &block);
		lanes &= Bvh_Overlaps(Bvh_Bounds(b, node.level - 1, block), 3, group.low, group.high);
		while (lanes != 0)
			stack[depth++] = (BvhNode){node.level - 1, 8 * block + TakeBit(&lanes)};
	}
}

typedef struct PairContext
{
	const Bvh *a, *b; // the same for pairs of one tree
} PairContext;

static void PairTask(const void* taskContext, uint32_t start, uint32_t end, Chunk* chunk)
{
	const PairContext* context = taskContext;
	uint32_t axisCount = context->a->axisCount;
	for (uint32_t block = start; block < end; ++block)
	{
		// Written for these numbers: the axes are in registers then.
		if (axisCount == 3)
			PairsOfBlock(3, context->a, context->b, block, chunk);
		else if (axisCount == 9)
			PairsOfBlock(9, context->a, context->b, block, chunk);
		else
			PairsOfBlock(axisCount, context->a, context->b, block, chunk);
	}
}

bool drapeBvh_Pairs(const Bvh* a, const Bvh* b, PairList* list, TaskPool* tasks)
{
	DRAPE_ASSERT(a != b && a->k == b->k);
	PairContext context = {a, b};
	uint32_t blocks = a->primitiveCount > 0 && b->primitiveCount > 0 ? Bvh_BlockCount(a, 0) : 0;
	return drapePairList_Fill(list, blocks, pairBlocks, PairTask, &context, tasks);
}

bool drapeBvh_SelfPairs(const Bvh* bvh, PairList* list, TaskPool* tasks)
{
	PairContext context = {bvh, bvh};
	uint32_t blocks = bvh->primitiveCount > 0 ? Bvh_BlockCount(bvh, 0) : 0;
	if (bvh->hasCharts && blocks > 0 && SelfCulling_Is(bvh, bvh->levelCount - 1, 0))
		blocks = 0;
	return drapePairList_Fill(list, blocks, pairBlocks, PairTask, &context, tasks);
}
