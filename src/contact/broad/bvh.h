// SPDX-License-Identifier: MIT
#pragma once

#include "contact/broad/self_culling.h"
#include "contact/broad/primitives.h"
#include "contact/broad/kdop.h"

// A hierarchy of bounds without pointers. The tree is nothing but an order of the primitives: nodes of level 1 hold `arity`
// primitives that follow each other, nodes of level 2 as many nodes of level 1, and so on to a root. So building is sorting,
// refitting is a sweep over arrays, and the tree is the same for any number of threads.
//
//   level 2   [ 0                 | 1                 | 2 ...       bounds of a level: blocks of eight lanes,
//   level 1   [ 0  | 1  | 2  | 3  | 4  | 5  | 6  | 7  | 8 ...       per axis eight lows, then eight highs
//   level 0   [ primitives, sorted by `order`                    ...     lanes without an primitive are empty
//
// Bounds are k-DOPs (kdop.h). Eight are tested at once; with arity 2 or 4 some of them belong to other nodes and are
// masked out.
//
// Orders:
//   bvhMorton   along a space-filling curve through the centres of the bounds: linear time, for what changes often
//   bvhSplit    by halves, each cut across its longest side: O(n log n), tighter, for what is kept for long
//   bvhChart    along the curve through the charts of calm.h instead of space: for the cloth against itself, since
//               neighbours in the cloth stay neighbours and curvature culling needs patches of cloth
//
// Sizes of arrays only grow, and everything after drapeBvh_Build works in place.
//
// Measured (`drape bench broad`, one thread of an AMD EPYC, minima, ms; cloth of 8,192 triangles that sweeps half a
// millimetre, margin 1 mm, order bvhChart; `folds` hang over, `layers` has ten of them 2 mm apart):
//
//                    build  refit   flat  folds         layers               cloth on a body of 67,000: refit, pairs
//    6-dop arity 8   0.32   0.09    0.00  0.43  9,893   0.91  78,491 pairs     0.22  0.85  90,746 pairs
//   14-dop arity 8   0.36   0.13    0.00                      43,045           0.44        69,677
//   18-dop arity 8   0.37   0.14    0.00  0.43      0   0.89  41,817           0.54  0.95  44,736     the default
//   26-dop arity 8   0.42   0.18    0.00        0             41,541           0.85        41,707
//   18-dop arity 4   1.4    0.75    0.00                      41,817           3.9
//   grid             0.9            2.8   4.2   12,107  11.   78,491          10.    4.5   90,746
//
// The box is no faster than the 18-DOP over all, and each pair costs more later on than what it takes to avoid it: so
// 18. Eight lanes want eight children. For the body bvhSplit takes 10 to 20 ms once, bvhMorton 3, with half as many
// tests in bvhSplit. Without charts a flat sheet would take 0.6 ms and give 19,971 pairs of neighbours' neighbours (6).
// From 2,048 to 32,768 triangles everything grows by 16 times or less.

typedef enum BvhOrder
{
	bvhMorton = 0,
	bvhSplit,
	bvhChart,
} BvhOrder;

enum
{
	bvhDefaultK = 18,
	bvhDefaultArity = 8,
	bvhMaxLevels = 32, // arity 2 and DRAPE_MAX_ELEMENTS primitives
};

typedef struct Bvh
{
	uint32_t k, axisCount;
	uint32_t shift; // logarithm of the arity
	uint32_t primitiveCount, cornerCount;
	uint32_t levelCount;               // 0 is primitives, the last one the root; none without primitives
	uint32_t nodeCount[bvhMaxLevels];  // of a level
	uint32_t firstBlock[bvhMaxLevels]; // of a level
	uint32_t blockCount;               // of all levels
	bool hasCharts;                    // built with charts: self pairs are culled
	float builtCost;                   // drapeBvh_Cost when it was built

	ARRAY(uint32_t) order;       // [8 * blocks of level 0] primitive at a place of level 0
	ARRAY(uint32_t) corners;     // [blocks of level 0][cornerCount][8] in the order of places; blank lanes repeat one
	ARRAY(float) bounds;         // [blockCount][axisCount][low, high][8]
	SelfCullingTree calm;        // the same blocks for curvature culling
	ARRAY(Vec4) centres;         // [primitiveCount] when it was built; scratch
	ARRAY(uint64_t) keys, spare; // [primitiveCount] what is sorted: primitive in the lower half
	ARRAY(uint32_t) written;     // per chunk of a refit: blocks whose bounds it wrote
} Bvh;

DRAPE_INLINE uint32_t Bvh_BlockCount(const Bvh* bvh, uint32_t level)
{
	return bvh->nodeCount[level] / 8 + (bvh->nodeCount[level] % 8 != 0);
}

// Rows of a block of a level: eight lows of the first axis, eight highs, and so on.
DRAPE_INLINE const float* Bvh_Bounds(const Bvh* bvh, uint32_t level, uint32_t block)
{
	return bvh->bounds.data + (size_t)(bvh->firstBlock[level] + block) * bvh->axisCount * 16;
}

// A tree without primitives. k is 6, 14, 18 or 26, arity 2, 4 or 8.
void drapeBvh_Init(Bvh* bvh, uint32_t k, uint32_t arity);
void drapeBvh_Destroy(Bvh* bvh);

// Sorts the primitives and fits all bounds. `charts` may be NULL except for bvhChart; with them, drapeBvh_SelfPairs culls. False
// when memory is short: the tree has no primitives then.
bool drapeBvh_Build(Bvh* bvh, const Primitives* primitives, const Charts* charts, BvhOrder order, TaskPool* tasks);

// New bounds for primitives that moved; as many as the tree was built over, with the same corners.
void drapeBvh_Refit(Bvh* bvh, const Primitives* primitives, TaskPool* tasks);

// Like Refit, but bounds that still hold their primitives stay, and those that do not are made larger by `slack`, m, than
// they need be, so that they will the next time. Returns how many blocks of eight primitives had to be written; 0 when
// nothing had to be done above them either. Curvature culling is brought up to date in any case.
uint32_t drapeBvh_RefitLazy(Bvh* bvh, const Primitives* primitives, float slack, TaskPool* tasks);

// A rebuild in pieces, for what moves far but little by little: sorts the primitives of one node of `level` anew by halves
// and fits everything. Neighbourhoods across nodes of that level stay.
void drapeBvh_RebuildPart(Bvh* bvh, const Primitives* primitives, const Charts* charts, uint32_t level, uint32_t node,
                          TaskPool* tasks);

// Whatever a new step needs: builds when the mesh changed, refits otherwise, and builds when refitting has made the
// tree bad; in the order of charts it cannot get better than it is. False when memory is short.
bool drapeBvh_Update(Bvh* bvh, const Primitives* primitives, const Charts* charts, BvhOrder order, bool changed,
                     TaskPool* tasks);

// The mean size, m, of the nodes of level 1. When it has doubled since drapeBvh_Build (builtCost), building anew pays.
float drapeBvh_Cost(const Bvh* bvh);

// Bounds of one primitive as a tree has them, bit for bit.
Kdop drapeBvh_BoundsOf(const Primitives* primitives, uint32_t primitive, uint32_t k);

// --- queries --------------------------------------------------------------------------------------------------------
// All find the primitives whose own bounds overlap: no more, no less.

// Adds the primitives that overlap to the list. False when memory is short.
bool drapeBvh_Query(const Bvh* bvh, const Kdop* dop, PrimitiveList* found);

// Pairs of an primitive of one tree and one of another. Both have the same k.
bool drapeBvh_Pairs(const Bvh* a, const Bvh* b, PairList* list, TaskPool* tasks);

// Pairs of primitives of one tree that share no corner, each once with a < b. With charts, pairs within calm regions are
// left out: they cannot come closer in this step than cullingRatio times their distance in the material (calm.h).
bool drapeBvh_SelfPairs(const Bvh* bvh, PairList* list, TaskPool* tasks);

// By primitive: a number that those of one calm region have in common, which cannot touch each other in this step;
// DRAPE_NONE for those of none. The tree has charts.
void drapeBvh_FindCulledPatches(const Bvh* bvh, uint32_t* patch, TaskPool* tasks);

// The first triangle, as it is at the end of the step, that a segment meets, from either side. False when there is
// none.
bool drapeBvh_FirstHit(const Bvh* bvh, const Primitives* primitives, Vec3 from, Vec3 to, PrimitiveHit* hit);

// How often a segment leaves triangles through their fronts less how often through their backs: from a point to
// somewhere outside it is the winding number. False when it passes so near an edge that this cannot be told; try
// another one.
bool drapeBvh_Winding(const Bvh* bvh, const Primitives* primitives, Vec3 from, Vec3 to, int* winding);

// The nearest point on the triangles, as they are at the end of the step, within `reach`, m. Of equals the first primitive.
bool drapeBvh_Nearest(const Bvh* bvh, const Primitives* primitives, Vec3 point, float reach, PrimitiveHit* hit);

typedef struct NearestPrimitive
{
	uint32_t primitive; // DRAPE_NONE when there is none
	TrianglePoint near; // seen from the point
} NearestPrimitive;

// The same, with all that was found out about it.
bool drapeBvh_NearestPrimitive(const Bvh* bvh, const Primitives* primitives, Vec3 point, float reach,
                               NearestPrimitive* nearest);

// Primitives around a place: as long as they stand still, the nearest one to a point close by is found among them. Zero when
// nothing is known.
enum
{
	nearListSize = 8,
};

typedef struct NearList
{
	Vec3 place;  // m
	float reach; // m: whatever is not in the list is at least so far from there
	uint32_t count;
	uint32_t primitive[nearListSize];
	uint32_t corner[3][nearListSize]; // theirs; from `count` on those of the first
} NearList;

typedef struct NearQuery
{
	Vec3 point;
	float need;  // m: whatever is farther does not matter
	float reach; // m: but a search of the tree goes so far
	float slack; // m: and lists are of what is so much farther than the nearest, if there is room for that
} NearQuery;

// The same again, bit for bit, for what is within `need`. Searches the tree only when the list does not tell, and makes
// a new one then. False when nothing was found: *clearance is then how far all primitives are at least, m.
bool drapeBvh_NearestAround(const Bvh* bvh, const Primitives* primitives, const NearQuery* query, NearList* list,
                            NearestPrimitive* nearest, float* clearance);

// At least so far are all primitives, m, as far as the list can tell.
float drapeNearList_Clearance(const NearList* list, const Primitives* primitives, Vec3 point);

// Those of the list, as bits, that can be within `margin`, m, of somewhere on the straight way between two points.
// False when others can as well.
bool drapeNearList_Along(const NearList* list, const Primitives* primitives, Vec3 from, Vec3 to, float margin,
                         uint32_t* lanes);
