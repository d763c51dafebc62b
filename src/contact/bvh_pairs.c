// SPDX-License-Identifier: MIT
#include "contact/bvh_inner.h"

// Overlapping items. One walk serves all: bounds go down a tree and meet the items below. Pairs are found block by
// block: the bounds of eight items go down together, and where they meet others each item looks at eight at a time.

enum
{
	pairBlocks = 16, // of a chunk
};

bool Bvh_Query(const Bvh* bvh, const Kdop* dop, ItemList* found)
{
	BvhNode stack[bvhStack];
	uint32_t depth = 0;
	if (bvh->itemCount > 0)
		stack[depth++] = Bvh_Root(bvh);
	while (depth > 0)
	{
		uint32_t block;
		BvhNode node = stack[--depth];
		uint32_t lanes = Bvh_Children(bvh, node, &block);
		lanes &= Bvh_Overlaps(Bvh_Bounds(bvh, node.level - 1, block), bvh->axisCount, dop->low, dop->high);
		if (node.level == 1 && lanes != 0 && !ArrayReserve(&found->items, (size_t)found->items.count + 8))
			return false;
		while (lanes != 0)
		{
			uint32_t child = 8 * block + TakeBit(&lanes);
			if (node.level == 1)
				ArrayPush(&found->items, bvh->order.data[child]);
			else
				stack[depth++] = (BvhNode){node.level - 1, child};
		}
	}
	return true;
}

// --- pairs ----------------------------------------------------------------------------------------------------------

// Eight items that go down a tree.
typedef struct Group
{
	const Bvh* bvh;
	uint32_t block;
	uint32_t used; // lanes
	const float* rows;
	float low[kdopMaxAxes], high[kdopMaxAxes]; // of all
} Group;

static Group Group_Make(const Bvh* bvh, uint32_t block)
{
	Group group = {.bvh = bvh, .block = block, .rows = Bvh_Bounds(bvh, 0, block)};
	uint32_t count = MinU32(8, bvh->itemCount - 8 * block);
	group.used = (1u << count) - 1;
	for (uint32_t a = 0; a < bvh->axisCount; ++a)
	{
		group.low[a] = F8_MinLanes(F8_Load(group.rows + 16 * a));
		group.high[a] = F8_MaxLanes(F8_Load(group.rows + 16 * a + 8));
	}
	return group;
}

static void LaneBounds(const float* rows, uint32_t axisCount, uint32_t lane, float* low, float* high)
{
	for (uint32_t a = 0; a < axisCount; ++a)
	{
		low[a] = rows[16 * a + lane];
		high[a] = rows[16 * a + 8 + lane];
	}
}

// Whether an item of a block and one of another have a corner in common.
static bool ShareCorner(const Bvh* bvh, uint32_t placeA, uint32_t placeB)
{
	const uint32_t* a = bvh->corners.data + (size_t)(placeA / 8) * bvh->cornerCount * 8 + placeA % 8;
	const uint32_t* b = bvh->corners.data + (size_t)(placeB / 8) * bvh->cornerCount * 8 + placeB % 8;
	uint32_t count = 8 * bvh->cornerCount;
	for (uint32_t i = 0; i < count; i += 8)
	{
		for (uint32_t j = 0; j < count; j += 8)
		{
			if (a[i] == b[j])
				return true;
		}
	}
	return false;
}

// Items of the group against the items below a node of level 1.
static void MeetItems(const Group* group, const Bvh* other, uint32_t node, PairChunk* chunk)
{
	uint32_t block, axisCount = other->axisCount;
	float low[kdopMaxAxes], high[kdopMaxAxes];
	uint32_t children = Bvh_Children(other, (BvhNode){1, node}, &block);
	LaneBounds(Bvh_Bounds(other, 1, node / 8), axisCount, node % 8, low, high);
	uint32_t lanes = group->used & Bvh_Overlaps(group->rows, axisCount, low, high);
	const float* rows = Bvh_Bounds(other, 0, block);
	chunk->tests += (uint32_t)__builtin_popcount(lanes) * (uint32_t)__builtin_popcount(children);
	while (lanes != 0)
	{
		uint32_t lane = TakeBit(&lanes);
		uint32_t item = group->bvh->order.data[8 * group->block + lane];
		LaneBounds(group->rows, axisCount, lane, low, high);
		uint32_t met = children & Bvh_Overlaps(rows, axisCount, low, high);
		while (met != 0)
			PairChunk_Push(chunk, item, other->order.data[8 * block + TakeBit(&met)]);
	}
}

typedef struct PairContext
{
	const Bvh *a, *b;
} PairContext;

static void PairsOfBlock(const PairContext* context, uint32_t index, PairChunk* chunk)
{
	const Bvh* b = context->b;
	Group group = Group_Make(context->a, index);
	BvhNode stack[bvhStack];
	uint32_t depth = 0;
	stack[depth++] = Bvh_Root(b);
	while (depth > 0)
	{
		uint32_t block;
		BvhNode node = stack[--depth];
		if (node.level == 1)
		{
			MeetItems(&group, b, node.node, chunk);
			continue;
		}
		uint32_t lanes = Bvh_Children(b, node, &block);
		lanes &= Bvh_Overlaps(Bvh_Bounds(b, node.level - 1, block), b->axisCount, group.low, group.high);
		while (lanes != 0)
			stack[depth++] = (BvhNode){node.level - 1, 8 * block + TakeBit(&lanes)};
	}
}

static void PairTask(const void* context, uint32_t start, uint32_t end, PairChunk* chunk)
{
	for (uint32_t block = start; block < end; ++block)
		PairsOfBlock(context, block, chunk);
}

bool Bvh_Pairs(const Bvh* a, const Bvh* b, PairList* list, TaskPool* tasks)
{
	DRAPE_ASSERT(a->k == b->k);
	PairContext context = {a, b};
	uint32_t blocks = a->itemCount > 0 && b->itemCount > 0 ? Bvh_BlockCount(a, 0) : 0;
	return PairList_Fill(list, blocks, pairBlocks, PairTask, &context, tasks);
}

// --- pairs of one tree ----------------------------------------------------------------------------------------------

// Items of the group against those at later places below a node of level 1.
static void MeetLater(const Group* group, uint32_t node, PairChunk* chunk)
{
	const Bvh* bvh = group->bvh;
	uint32_t block, axisCount = bvh->axisCount;
	float low[kdopMaxAxes], high[kdopMaxAxes];
	uint32_t children = Bvh_Children(bvh, (BvhNode){1, node}, &block);
	LaneBounds(Bvh_Bounds(bvh, 1, node / 8), axisCount, node % 8, low, high);
	uint32_t lanes = group->used & Bvh_Overlaps(group->rows, axisCount, low, high);
	const float* rows = Bvh_Bounds(bvh, 0, block);
	chunk->tests += (uint32_t)__builtin_popcount(lanes) * (uint32_t)__builtin_popcount(children);
	while (lanes != 0)
	{
		uint32_t lane = TakeBit(&lanes);
		uint32_t place = 8 * group->block + lane, item = bvh->order.data[place];
		LaneBounds(group->rows, axisCount, lane, low, high);
		uint32_t met = children & Bvh_Overlaps(rows, axisCount, low, high);
		if (block == group->block)
			met &= ~((2u << lane) - 1);
		while (met != 0)
		{
			uint32_t met_place = 8 * block + TakeBit(&met), other = bvh->order.data[met_place];
			if (!ShareCorner(bvh, place, met_place))
				PairChunk_Push(chunk, MinU32(item, other), MaxU32(item, other));
		}
	}
}

// Whether a node has no place after the first one of the block.
static bool IsBefore(const Bvh* bvh, uint32_t level, uint32_t node, uint32_t block)
{
	return ((uint64_t)node + 1) << bvh->shift * level <= 8 * (uint64_t)block;
}

static void SelfPairsOfBlock(const Bvh* bvh, uint32_t index, PairChunk* chunk)
{
	Group group = Group_Make(bvh, index);
	BvhNode stack[bvhStack];
	uint32_t depth = 0;
	stack[depth++] = Bvh_Root(bvh);
	while (depth > 0)
	{
		uint32_t block;
		BvhNode node = stack[--depth];
		if (node.level == 1)
		{
			MeetLater(&group, node.node, chunk);
			continue;
		}
		bool isMine = 8 * index >> bvh->shift * node.level == node.node;
		if (bvh->hasCharts && isMine && node.level >= Calm_FirstLevel(bvh) && Calm_Is(bvh, node.level, node.node))
			continue;
		uint32_t lanes = Bvh_Children(bvh, node, &block);
		lanes &= Bvh_Overlaps(Bvh_Bounds(bvh, node.level - 1, block), bvh->axisCount, group.low, group.high);
		while (lanes != 0)
		{
			uint32_t child = 8 * block + TakeBit(&lanes);
			if (!IsBefore(bvh, node.level - 1, child, index))
				stack[depth++] = (BvhNode){node.level - 1, child};
		}
	}
}

static void SelfPairTask(const void* context, uint32_t start, uint32_t end, PairChunk* chunk)
{
	for (uint32_t block = start; block < end; ++block)
		SelfPairsOfBlock(context, block, chunk);
}

bool Bvh_SelfPairs(const Bvh* bvh, PairList* list, TaskPool* tasks)
{
	uint32_t blocks = bvh->itemCount > 0 ? Bvh_BlockCount(bvh, 0) : 0;
	if (bvh->hasCharts && blocks > 0 && Calm_Is(bvh, bvh->levelCount - 1, 0))
		blocks = 0;
	return PairList_Fill(list, blocks, pairBlocks, SelfPairTask, bvh, tasks);
}
