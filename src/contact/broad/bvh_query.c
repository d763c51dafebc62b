// SPDX-License-Identifier: MIT
#include "contact/broad/bvh_inner.h"
#include "contact/shapes/triangle.h"

// Queries of a tree: overlaps, pairs, segments, the nearest triangle.

enum
{
	pairBlocks = 16, // per chunk
};

bool drapePairList_Fill(PairList* list, uint32_t count, uint32_t grain, ChunkFcn* fcn, const void* context,
                        TaskPool* tasks)
{
	list->pairs.count = 0;
	list->tests = 0;
	if (!drapeChunkList_Fill(&list->chunks, sizeof(PrimitivePair), count, grain, fcn, context, tasks))
		return false;
	list->tests = drapeChunkList_Tests(&list->chunks);
	return ChunkList_Join(&list->chunks, &list->pairs);
}

void drapePairList_Free(PairList* list)
{
	drapeChunkList_Free(&list->chunks);
	ArrayFree(&list->pairs);
	list->tests = 0;
}

// --- overlaps -------------------------------------------------------------------------------------------------------

// Pairs are found block by block: the bounds of eight primitives descend together, and in the leaves each of them tests
// eight at a time. On the way down only boxes are compared: for nodes the other axes cost more than they cull.

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

// Eight primitives that descend in a tree.
typedef struct Group
{
	const Bvh* bvh;
	uint32_t block, used; // lanes
	const float* rows;
	float low[3], high[3]; // bounds of all lanes
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

// Returns the lanes of a block whose primitives share a corner with the primitive in a slot.
DRAPE_INLINE uint32_t Neighbours(const Bvh* bvh, uint32_t slot, uint32_t block)
{
	const uint32_t perBlock = 8 * bvh->cornerCount;
	const uint32_t* own = bvh->corners.data + (size_t)(slot / 8) * perBlock + slot % 8;
	const uint32_t* others = bvh->corners.data + (size_t)block * perBlock;
	M8 shares = U8_Same(others, own[0]);
	for (uint32_t i = 0; i < perBlock; i += 8)
	{
		for (uint32_t k = 0; k < perBlock; k += 8)
			shares = M8_Or(shares, U8_Same(others + k, own[i]));
	}
	return M8_Bits(shares);
}

typedef struct PairContext
{
	const Bvh *a, *b; // the same for pairs of one tree
	const BvhSkip* skip;
	const BvhBoxes* boxes; // boxes of `b`, within its bounds; NULL for none
} PairContext;

// The boxes of a block of tree b, three axes: the first ones of its bounds unless there are others.
DRAPE_INLINE const float* BoxesOf(const PairContext* context, uint32_t level, uint32_t block)
{
	return context->boxes ? BvhBoxes_Rows(context->boxes, context->b, level, block)
	                      : Bvh_Bounds(context->b, level, block);
}

// Tests the primitives of a group against those below a node of level 1. Within one tree it tests later slots only and
// leaves out neighbours.
DRAPE_INLINE void TestGroup(uint32_t axisCount, const PairContext* context, const Group* group, uint32_t node,
                            Chunk* chunk)
{
	const Bvh* other = context->b;
	bool isSelf = group->bvh == other;
	uint32_t block;
	uint32_t children = Bvh_Children(other, (BvhNode){1, node}, &block);
	uint32_t lanes = group->used & Bvh_OverlapsLane(group->rows, 3, BoxesOf(context, 1, node / 8), node % 8);
	const float* rows = Bvh_Bounds(other, 0, block);
	chunk->tests += (uint32_t)__builtin_popcount(lanes) * (uint32_t)__builtin_popcount(children);
	while (lanes != 0)
	{
		uint32_t lane = TakeBit(&lanes), slot = 8 * group->block + lane, primitive = group->bvh->order.data[slot];
		uint32_t hits = children & Bvh_OverlapsLane(rows, axisCount, group->rows, lane);
		if (context->boxes && hits != 0)
			hits &= Bvh_OverlapsLane(BoxesOf(context, 0, block), 3, group->rows, lane);
		if (isSelf && block == group->block)
			hits &= ~((2u << lane) - 1);
		if (isSelf && hits != 0)
			hits &= ~Neighbours(other, slot, block);
		while (hits != 0)
		{
			uint32_t otherPrimitive = other->order.data[8 * block + TakeBit(&hits)];
			if (isSelf)
				Chunk_AddPair(chunk, MinU32(primitive, otherPrimitive), MaxU32(primitive, otherPrimitive));
			else
				Chunk_AddPair(chunk, primitive, otherPrimitive);
		}
	}
}

// Returns whether all slots of a node come before the first slot of a block.
static bool IsBefore(const Bvh* bvh, uint32_t level, uint32_t node, uint32_t block)
{
	return ((uint64_t)node + 1) << bvh->shift * level <= 8 * (uint64_t)block;
}

// Returns whether a marked node contains the block: its primitives need not be paired.
static bool IsSkipped(const Bvh* bvh, const BvhSkip* skip, BvhNode node, uint32_t block)
{
	return skip && node.level >= skip->firstLevel && 8 * block >> bvh->shift * node.level == node.node &&
	       BvhSkip_Has(skip, bvh, node.level, node.node);
}

DRAPE_INLINE void PairsOfBlock(uint32_t axisCount, const PairContext* context, uint32_t index, Chunk* chunk)
{
	const Bvh *a = context->a, *b = context->b;
	Group group = Group_Make(a, index);
	BvhNode stack[bvhStack];
	uint32_t depth = 0;
	stack[depth++] = Bvh_Root(b);
	while (depth > 0)
	{
		uint32_t block;
		BvhNode node = stack[--depth];
		if (a == b && (IsBefore(b, node.level, node.node, index) || IsSkipped(b, context->skip, node, index)))
			continue;
		if (node.level == 1)
		{
			TestGroup(axisCount, context, &group, node.node, chunk);
			continue;
		}
		uint32_t lanes = Bvh_Children(b, node, &block);
		lanes &= Bvh_Overlaps(BoxesOf(context, node.level - 1, block), 3, group.low, group.high);
		while (lanes != 0)
			stack[depth++] = (BvhNode){node.level - 1, 8 * block + TakeBit(&lanes)};
	}
}

static void PairTask(const void* taskContext, uint32_t start, uint32_t end, Chunk* chunk)
{
	const PairContext* context = taskContext;
	uint32_t axisCount = context->a->axisCount;
	for (uint32_t block = start; block < end; ++block)
	{
		// With a constant number the compiler keeps the axes in registers.
		if (axisCount == 3)
			PairsOfBlock(3, context, block, chunk);
		else if (axisCount == 9)
			PairsOfBlock(9, context, block, chunk);
		else
			PairsOfBlock(axisCount, context, block, chunk);
	}
}

bool drapeBvh_Pairs(const Bvh* a, const Bvh* b, PairList* list, TaskPool* tasks)
{
	return drapeBvh_PairsWithin(a, b, NULL, list, tasks);
}

bool drapeBvh_PairsWithin(const Bvh* a, const Bvh* b, const BvhBoxes* boxes, PairList* list, TaskPool* tasks)
{
	DRAPE_ASSERT(a != b && a->k == b->k);
	DRAPE_ASSERT(!boxes || boxes->rows.count == (size_t)b->blockCount * bvhBoxRows * 8);
	PairContext context = {a, b, NULL, boxes};
	uint32_t blocks = a->primitiveCount > 0 && b->primitiveCount > 0 ? Bvh_BlockCount(a, 0) : 0;
	return drapePairList_Fill(list, blocks, pairBlocks, PairTask, &context, tasks);
}

bool drapeBvh_SelfPairs(const Bvh* bvh, const BvhSkip* skip, PairList* list, TaskPool* tasks)
{
	PairContext context = {bvh, bvh, skip, NULL};
	uint32_t blocks = bvh->primitiveCount > 0 ? Bvh_BlockCount(bvh, 0) : 0;
	if (skip && blocks > 0 && BvhSkip_Has(skip, bvh, bvh->levelCount - 1, 0))
		blocks = 0;
	return drapePairList_Fill(list, blocks, pairBlocks, PairTask, &context, tasks);
}

// --- segments -------------------------------------------------------------------------------------------------------

// Nodes are visited nearest first, and nodes that are farther than the best hit so far are skipped.

// Pushes the lanes on the stack, the nearest one last.
DRAPE_INLINE void NearStack_Push(NearStack* stack, uint32_t lanes, const float* distance, uint32_t level,
                                 uint32_t block)
{
	uint32_t first = stack->depth;
	while (lanes != 0)
	{
		uint32_t lane = TakeBit(&lanes), at = stack->depth++;
		DRAPE_ASSERT(at < bvhStack);
		for (; at > first && stack->nodes[at - 1].distance < distance[lane]; --at)
			stack->nodes[at] = stack->nodes[at - 1];
		stack->nodes[at] = (NearNode){distance[lane], level, 8 * block + lane};
	}
}

static float InverseOf(double x)
{
	float inverse = (float)(1.0 / x);
	return isfinite(inverse) ? inverse : INFINITY;
}

static SegmentWalk BeginAlong(const Bvh* bvh, Vec3 from, Double3 displacement, float pad)
{
	SegmentWalk walk;
	walk.from = from;
	walk.inverse = (Vec3){InverseOf(displacement.x), InverseOf(displacement.y), InverseOf(displacement.z)};
	walk.pad = pad;
	walk.stack.depth = 0;
	if (bvh->primitiveCount > 0)
		walk.stack.nodes[walk.stack.depth++] = (NearNode){0.0f, bvh->levelCount - 1, 0};
	return walk;
}

SegmentWalk drapeSegmentWalk_Begin(const Bvh* bvh, Vec3 from, Vec3 to, float pad)
{
	return BeginAlong(bvh, from, D3Between(from, to), pad);
}

// Returns the lanes that the segment enters before `limit`, and the fractions at which it does. The test is rounded
// outward: see KDOP_ROUNDING.
static uint32_t EnteredLanes(const SegmentWalk* walk, const float* rows, float limit, float* enters)
{
	const float from[3] = {walk->from.x, walk->from.y, walk->from.z};
	const float inverse[3] = {walk->inverse.x, walk->inverse.y, walk->inverse.z};
	const F8 out = F8_Splat(1.0f + 4.0f * KDOP_ROUNDING), in = F8_Splat(1.0f - 4.0f * KDOP_ROUNDING);
	F8 first = F8_Splat(0.0f), last = F8_Splat(limit);
	M8 isInside = F8_Le(first, last);
	for (uint32_t a = 0; a < 3; ++a)
	{
		F8 low = F8_Sub(F8_Load(rows + 16 * a), F8_Splat(from[a] + walk->pad));
		F8 high = F8_Sub(F8_Load(rows + 16 * a + 8), F8_Splat(from[a] - walk->pad));
		if (isinf(inverse[a]))
		{
			isInside = M8_And(isInside, M8_And(F8_Le(low, F8_Splat(0.0f)), F8_Le(F8_Splat(0.0f), high)));
			continue;
		}
		F8 t0 = F8_Mul(low, F8_Splat(inverse[a])), t1 = F8_Mul(high, F8_Splat(inverse[a]));
		first = F8_Max(F8_Mul(F8_Min(t0, t1), in), first);
		last = F8_Min(F8_Mul(F8_Max(t0, t1), out), last);
	}
	F8_Store(enters, first);
	return M8_Bits(M8_And(isInside, F8_Le(first, last)));
}

// The bounds of a block of a level; `rows` are those of a view.
DRAPE_INLINE const float* RowsOf(const BvhView* view, const float* rows, uint32_t level, uint32_t block)
{
	return rows + (size_t)(view->bvh->firstBlock[level] + block) * view->stride;
}

uint32_t drapeSegmentWalk_Next(SegmentWalk* walk, const BvhView* view, float limit, uint32_t* block)
{
	NearStack* stack = &walk->stack;
	const Bvh* bvh = view->bvh;
	DRAPE_ASSERT(!view->nextPositions);
	limit = limit < 1.0f ? limit : 1.0f;
	while (stack->depth > 0)
	{
		float* enters = walk->enters;
		NearNode node = stack->nodes[--stack->depth];
		if (node.distance > limit)
			continue;
		uint32_t lanes = Bvh_Children(bvh, (BvhNode){node.level, node.node}, block);
		lanes &= EnteredLanes(walk, RowsOf(view, view->rows, node.level - 1, *block), limit, enters);
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
	Double3 displacement = D3Between(from, to);
	SegmentWalk walk = drapeSegmentWalk_Begin(bvh, from, to, 0.0f);
	BvhView view = drapeBvhView_Make(bvh, primitives, NULL);
	uint32_t block, lanes;
	*hit = (PrimitiveHit){.primitive = DRAPE_NONE, .fraction = INFINITY};
	while ((lanes = drapeSegmentWalk_Next(&walk, &view, hit->fraction, &block)) != 0)
	{
		while (lanes != 0)
		{
			uint32_t primitive = bvh->order.data[8 * block + TakeBit(&lanes)];
			SeenTriangle seen = Triangle_SeenFrom(primitives->to, primitives->corners + 3 * (size_t)primitive, from);
			PrimitiveHit_Cut(hit, primitive, &seen, displacement);
		}
	}
	PrimitiveHit_Finish(hit, from, displacement);
	return hit->primitive != DRAPE_NONE;
}

bool drapeBvh_CastRay(const Bvh* bvh, const Primitives* primitives, Vec3 origin, Double3 translation, RayHit* hit)
{
	DRAPE_ASSERT(bvh->cornerCount == 3 || bvh->primitiveCount == 0);
	DRAPE_ASSERT(hit->fraction >= 0.0);
	const float roundedUp = 1.0f + 4.0f * KDOP_ROUNDING;
	SegmentWalk walk = BeginAlong(bvh, origin, translation, 0.0f);
	BvhView view = drapeBvhView_Make(bvh, primitives, NULL);
	uint32_t block, lanes;
	bool isHit = false;
	while ((lanes = drapeSegmentWalk_Next(&walk, &view, (float)hit->fraction * roundedUp, &block)) != 0)
	{
		while (lanes != 0)
		{
			uint32_t primitive = bvh->order.data[8 * block + TakeBit(&lanes)];
			SeenTriangle seen = Triangle_SeenFrom(primitives->to, primitives->corners + 3 * (size_t)primitive, origin);
			double fraction, weight[3];
			if (!Triangle_Cut(&seen, translation, &fraction, weight) || fraction > hit->fraction ||
			    (isHit && fraction == hit->fraction && primitive > hit->primitive))
				continue;
			*hit = (RayHit){primitive, fraction, {weight[0], weight[1], weight[2]}};
			isHit = true;
		}
	}
	return isHit;
}

bool drapeBvhView_Winding(const BvhView* view, Vec3 from, Vec3 to, int* winding)
{
	Double3 displacement = D3Between(from, to);
	SegmentWalk walk = drapeSegmentWalk_Begin(view->bvh, from, to, 0.0f);
	uint32_t block, lanes;
	*winding = 0;
	while ((lanes = drapeSegmentWalk_Next(&walk, view, 1.0f, &block)) != 0)
	{
		while (lanes != 0)
		{
			uint32_t primitive = view->bvh->order.data[8 * block + TakeBit(&lanes)];
			SeenTriangle seen = Triangle_SeenFrom(view->positions, view->corners + 3 * (size_t)primitive, from);
			int crossing;
			if (!Triangle_Crossing(&seen, displacement, &crossing))
				return false;
			*winding += crossing;
		}
	}
	return true;
}

static void InsertCut(SegmentCut* cuts, uint32_t count, SegmentCut cut)
{
	for (; count > 0 && cuts[count - 1].fraction > cut.fraction; --count)
		cuts[count] = cuts[count - 1];
	cuts[count] = cut;
}

bool drapeBvh_Cuts(const Bvh* bvh, const Primitives* primitives, Vec3 from, Vec3 to, SegmentCut* cuts,
                   uint32_t capacity, uint32_t* count)
{
	Double3 displacement = D3Between(from, to);
	SegmentWalk walk = drapeSegmentWalk_Begin(bvh, from, to, 0.0f);
	BvhView view = drapeBvhView_Make(bvh, primitives, NULL);
	uint32_t block, lanes;
	*count = 0;
	while ((lanes = drapeSegmentWalk_Next(&walk, &view, 1.0f, &block)) != 0)
	{
		while (lanes != 0)
		{
			uint32_t primitive = bvh->order.data[8 * block + TakeBit(&lanes)];
			SeenTriangle seen = Triangle_SeenFrom(primitives->to, primitives->corners + 3 * (size_t)primitive, from);
			SegmentCut cut;
			double weight[3];
			if (!Triangle_Crossing(&seen, displacement, &cut.sign))
				return false;
			if (cut.sign == 0 || !Triangle_Cut(&seen, displacement, &cut.fraction, weight))
				continue;
			if (*count == capacity)
				return false;
			InsertCut(cuts, (*count)++, cut);
		}
	}
	return true;
}

// --- nearest triangle -----------------------------------------------------------------------------------------------

// Returns the squared distances of a point from the boxes of a block. Between two times the boxes are interpolated: the
// triangles are, too, so they stay inside.
DRAPE_INLINE F8 BoxSquares(const float* rows, const float* nextRows, float share, Vec3 point)
{
	const float p[3] = {point.x, point.y, point.z};
	F8 sum = F8_Splat(0.0f), kept = F8_Splat(1.0f - share), taken = F8_Splat(share);
	for (uint32_t a = 0; a < 3; ++a)
	{
		F8 low = F8_Load(rows + 16 * a), high = F8_Load(rows + 16 * a + 8);
		if (nextRows)
		{
			low = F8_Add(F8_Mul(kept, low), F8_Mul(taken, F8_Load(nextRows + 16 * a)));
			high = F8_Add(F8_Mul(kept, high), F8_Mul(taken, F8_Load(nextRows + 16 * a + 8)));
		}
		F8 below = F8_Sub(low, F8_Splat(p[a])), above = F8_Sub(F8_Splat(p[a]), high);
		F8 out = F8_Max(F8_Max(below, above), F8_Splat(0.0f));
		sum = F8_Add(sum, F8_Mul(out, out));
	}
	return sum;
}

// Corners of eight triangles relative to a point.
DRAPE_INLINE V8 GatherCorners(const BvhView* view, const uint32_t* corners, V8 point)
{
	V8 at = V8_Gather(view->positions, corners);
	if (view->nextPositions)
	{
		V8 next = V8_Gather(view->nextPositions, corners);
		at = V8_Add(V8_Scale(F8_Splat(1.0f - view->share), at), V8_Scale(F8_Splat(view->share), next));
	}
	return V8_Sub(at, point);
}

// The same for one triangle, with the same rounding.
static SeenTriangle SeeTriangle(const BvhView* view, uint32_t primitive, Vec3 point)
{
	const uint32_t* corners = view->corners + 3 * (size_t)primitive;
	SeenTriangle seen = Triangle_SeenFrom(view->positions, corners, point);
	if (!view->nextPositions)
		return seen;
	const float taken = view->share, kept = 1.0f - taken;
	for (uint32_t k = 0; k < 3; ++k)
	{
		Vec4 at = view->positions[corners[k]], next = view->nextPositions[corners[k]];
		Vec3 between = {kept * at.x + taken * next.x, kept * at.y + taken * next.y, kept * at.z + taken * next.z};
		seen.corner[k] = D3Between(point, between);
	}
	return seen;
}

// Lower and upper bounds of the distances to eight triangles that include rounding. Corners are in rows of eight.
static void DistancesBetween(const BvhView* view, const uint32_t* corners, Vec3 point, F8* least, F8* most)
{
	V8 p = V8_Splat(point);
	V8 a = GatherCorners(view, corners, p), b = GatherCorners(view, corners + 8, p);
	V8 c = GatherCorners(view, corners + 16, p);
	F8 far = F8_Max(V8_Dot(a, a), F8_Max(V8_Dot(b, b), V8_Dot(c, c)));
	F8 error = F8_Mul(F8_Splat(TRIANGLE_ROUNDING), F8_Sqrt(far)), distance = F8_Sqrt(Triangle_Square8(a, b, c));
	*least = F8_Sub(distance, error);
	*most = F8_Add(distance, error);
}

typedef struct NearSearch
{
	const BvhView* view;
	Vec3 point;
	double square; // square of the best distance so far, or of the search radius
	float limit;   // its root, rounded up
	NearestPrimitive best;
	// Set while a list is filled. Primitives that did not fit are at least `cut`, m, away.
	NearList* list;
	float slack, cut, least[nearListSize];
} NearSearch;

static void BeginSearch(NearSearch* search, const BvhView* view, Vec3 point, float searchRadius)
{
	search->view = view;
	search->point = point;
	search->square = (double)searchRadius * (double)searchRadius;
	search->limit = searchRadius;
	search->best.primitive = DRAPE_NONE;
	search->list = NULL;
	search->slack = 0.0f;
	search->cut = INFINITY;
}

// Returns the distance beyond which nothing needs to be tested.
static float Horizon(const NearSearch* search)
{
	return search->list ? MaxF(search->limit, MinF(search->limit + search->slack, search->cut)) : search->limit;
}

static void TakeNearer(NearSearch* search, uint32_t primitive)
{
	SeenTriangle seen = SeeTriangle(search->view, primitive, search->point);
	TrianglePoint near = Triangle_Closest(&seen);
	if (!(near.square < search->square || (near.square == search->square && primitive < search->best.primitive)))
		return;
	search->square = near.square;
	search->limit = (float)sqrt(near.square) * (1.0f + KDOP_ROUNDING);
	search->best.primitive = primitive;
	search->best.near = near;
}

// A full list replaces its farthest primitive.
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

// Tests lanes of eight primitives. A primitive that is farther than the upper bound of another is not the nearest.
// Returns a lower bound of the distance of all eight.
static float TestPrimitives(NearSearch* search, const uint32_t* primitives8, const uint32_t* corners, uint32_t lanes)
{
	F8 least, most;
	float leasts[8];
	DistancesBetween(search->view, corners, search->point, &least, &most);
	float nearest = F8_MinLanes(most), limit = nearest < search->limit ? nearest : search->limit;
	uint32_t nearer = lanes & ~M8_Bits(F8_Gt(least, F8_Splat(limit)));
	while (nearer != 0)
		TakeNearer(search, primitives8[TakeBit(&nearer)]);
	if (!search->list)
		return F8_MinLanes(least);
	F8_Store(leasts, least);
	lanes &= ~M8_Bits(F8_Gt(least, F8_Splat(Horizon(search))));
	while (lanes != 0)
	{
		uint32_t lane = TakeBit(&lanes);
		AddToList(search, primitives8[lane], leasts[lane]);
	}
	return F8_MinLanes(least);
}

static void SearchTree(NearSearch* search)
{
	const BvhView* view = search->view;
	const Bvh* bvh = view->bvh;
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
		const float* nextRows = view->nextRows ? RowsOf(view, view->nextRows, node.level - 1, block) : NULL;
		F8 square = BoxSquares(RowsOf(view, view->rows, node.level - 1, block), nextRows, view->share, search->point);
		lanes &= M8_Bits(F8_Le(square, F8_Splat(limit)));
		if (node.level == 1)
		{
			if (lanes != 0)
				TestPrimitives(search, bvh->order.data + 8 * (size_t)block, bvh->corners.data + 24 * (size_t)block,
				               lanes);
			continue;
		}
		F8_Store(squares, square);
		NearStack_Push(&stack, lanes, squares, node.level - 1, block);
	}
}

bool drapeBvhView_NearestPrimitive(const BvhView* view, Vec3 point, float searchRadius, uint32_t first,
                                   NearestPrimitive* nearest)
{
	DRAPE_ASSERT(first == DRAPE_NONE || first < view->bvh->primitiveCount);
	NearSearch search;
	BeginSearch(&search, view, point, searchRadius);
	if (first != DRAPE_NONE)
		TakeNearer(&search, first);
	SearchTree(&search);
	*nearest = search.best;
	return nearest->primitive != DRAPE_NONE;
}

bool drapeBvh_NearestPrimitive(const Bvh* bvh, const Primitives* primitives, Vec3 point, float searchRadius,
                               NearestPrimitive* nearest)
{
	BvhView view = drapeBvhView_Make(bvh, primitives, NULL);
	return drapeBvhView_NearestPrimitive(&view, point, searchRadius, DRAPE_NONE, nearest);
}

// Returns a lower bound, m, of the distance of primitives that are not listed.
static float BeyondList(const NearList* list, Vec3 point)
{
	return list->radius - 1.0001f * V3Length(V3Sub(point, list->centre));
}

// The corners are looked up once, so that queries of the list need not.
static void FindCorners(NearList* list, const uint32_t* corners)
{
	for (uint32_t i = 0; i < nearListSize && list->count > 0; ++i)
	{
		uint32_t primitive = list->primitive[i < list->count ? i : 0];
		for (uint32_t k = 0; k < 3; ++k)
			list->corner[k][i] = corners[3 * (size_t)primitive + k];
	}
}

// Finds the nearest primitive of the list. Returns true when no other primitive can be nearer. All primitives are at
// least *clearance away.
static bool SearchList(NearSearch* search, const NearList* list, uint32_t revision, float* clearance)
{
	float moved = 1.0001f * V3Length(V3Sub(search->point, list->centre)), beyond = 0.0f;
	if (list->revision == revision)
	{
		beyond = list->radius - moved;
		*clearance = list->clearance - moved;
		if (search->limit < *clearance)
			return true;
	}
	*clearance = beyond;
	if (list->count > 0)
		*clearance = MinF(TestPrimitives(search, list->primitive, list->corner[0], (1u << list->count) - 1), beyond);
	return beyond > 0.0f && search->limit < beyond;
}

float drapeNearList_Clearance(const NearList* list, const Vec4* positions, Vec3 point)
{
	float beyond = BeyondList(list, point);
	if (!(beyond > 0.0f))
		return 0.0f;
	if (list->count == 0)
		return beyond;
	F8 least, most;
	const BvhView view = {.positions = positions};
	DistancesBetween(&view, list->corner[0], point, &least, &most);
	return MaxF(MinF(beyond, F8_MinLanes(least)), 0.0f);
}

bool drapeNearList_Along(const NearList* list, const Vec4* positions, Vec3 from, Vec3 to, float margin, uint32_t* lanes)
{
	const float touching = 1.0001f * margin;
	*lanes = 0;
	if (!(BeyondList(list, from) > touching && BeyondList(list, to) > touching))
		return false;
	if (list->count == 0)
		return true;
	F8 least, most;
	const BvhView view = {.positions = positions};
	DistancesBetween(&view, list->corner[0], from, &least, &most);
	float farthest = touching + 1.0001f * V3Length(V3Sub(to, from));
	*lanes = ((1u << list->count) - 1) & M8_Bits(F8_Le(least, F8_Splat(farthest)));
	return true;
}

bool drapeBvhView_NearestAround(const BvhView* view, const NearQuery* query, NearList* list, NearestPrimitive* nearest,
                                float* clearance)
{
	NearSearch search;
	BeginSearch(&search, view, query->point, query->neededRadius);
	if (!SearchList(&search, list, query->revision, clearance))
	{
		if (search.best.primitive == DRAPE_NONE)
		{
			float unused;
			BeginSearch(&search, view, query->point, query->searchRadius);
			SearchList(&search, list, query->revision, &unused);
		}
		search.slack = query->slack;
		search.list = list;
		list->count = 0;
		SearchTree(&search);
		FindCorners(list, view->corners);
		list->centre = query->point;
		list->radius = 0.9999f * MinF(search.limit + query->slack, search.cut);
		list->clearance = 0.9999f * search.limit;
		list->revision = query->revision;
		*clearance = search.limit;
	}
	*nearest = search.best;
	return nearest->primitive != DRAPE_NONE;
}
