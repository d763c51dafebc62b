// SPDX-License-Identifier: MIT
#pragma once

#include "contact/broad/kdop.h"
#include "contact/broad/primitives.h"

// A bounding volume hierarchy without pointers. The tree is an order of the primitives: a node of level 1 holds `arity`
// consecutive primitives, a node of level 2 holds as many nodes of level 1, and so on up to the root. Building is
// sorting, refitting is a sweep over arrays, and the tree is the same for any number of threads.
//
//   level 2   [ 0                 | 1                 | 2 ...       bounds of a level: blocks of eight lanes,
//   level 1   [ 0  | 1  | 2  | 3  | 4  | 5  | 6  | 7  | 8 ...       per axis eight lows, then eight highs
//   level 0   [ primitives, sorted by `order`                  ...       lanes without a primitive are empty
//
// Bounds are k-DOPs (kdop.h). A query tests eight at once; with arity 2 or 4 some of the lanes belong to other nodes
// and are masked out.
//
// Orders:
//   bvhMorton   along a space-filling curve through the centres of the bounds: linear time, for meshes that change often
//   bvhSplit    median cuts across the longest side: O(n log n), tighter, for meshes that are kept for long
// A caller can also sort the primitives itself (drapeBvh_BuildSorted): cloth is sorted along its charts, see
// self_culling.h.
//
// Arrays only grow. Every function after drapeBvh_Build works in place.
//
// Measured (`drape bench broad`, one thread of an AMD EPYC, minima, ms; cloth of 8,192 triangles that sweeps half a
// millimetre, margin 1 mm, chart order; `folds` hangs over, `layers` has ten folds 2 mm apart):
//
//                    build  refit   flat  folds         layers               cloth on a body of 67,000: refit, pairs
//    6-dop arity 8   0.32   0.09    0.00  0.43  9,893   0.91  78,491 pairs     0.22  0.85  90,746 pairs
//   14-dop arity 8   0.36   0.13    0.00                      43,045           0.44        69,677
//   18-dop arity 8   0.37   0.14    0.00  0.43      0   0.89  41,817           0.54  0.95  44,736     the default
//   26-dop arity 8   0.42   0.18    0.00        0             41,541           0.85        41,707
//   18-dop arity 4   1.4    0.75    0.00                      41,817           3.9
//   grid             0.9            2.8   4.2   12,107  11.   78,491          10.    4.5   90,746
//
// The box is not faster than the 18-DOP overall, and a needless pair costs more in the narrow phase than the axes that
// avoid it. So 18 is the default. Eight lanes suit eight children. For the body bvhSplit takes 10 to 20 ms once and
// bvhMorton 3 ms; queries test half as many bounds with bvhSplit. Without culling a flat sheet takes 0.6 ms and gives
// 19,971 pairs of second neighbours. From 2,048 to 32,768 triangles all times grow by a factor of 16 or less.

typedef enum BvhOrder
{
	bvhMorton = 0,
	bvhSplit,
} BvhOrder;

enum
{
	bvhDefaultK = 18,
	bvhDefaultArity = 8,
	bvhMaxLevels = 32, // enough for arity 2 and DRAPE_MAX_ELEMENTS primitives
};

typedef struct Bvh
{
	uint32_t k, axisCount;
	uint32_t shift; // logarithm of the arity
	uint32_t primitiveCount, cornerCount;
	uint32_t levelCount;               // level 0 holds the primitives, the last level the root; 0 for an empty tree
	uint32_t nodeCount[bvhMaxLevels];  // per level
	uint32_t firstBlock[bvhMaxLevels]; // per level
	uint32_t blockCount;               // total over all levels
	float builtCost;                   // drapeBvh_Cost after the last build

	ARRAY(uint32_t) order;   // [8 * blocks of level 0] primitive in a slot of level 0
	ARRAY(uint32_t) corners; // [blocks of level 0][cornerCount][8] in the order of slots; blank lanes repeat the last
	ARRAY(float) bounds;     // [blockCount][axisCount][low, high][8]
	ARRAY(Vec4) centres;     // [primitiveCount] sums of corners at the last build; scratch
	ARRAY(uint64_t) keys, spare; // [primitiveCount] sort keys, the primitive in the lower half
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

// Makes an empty tree. k is 6, 14, 18 or 26, arity 2, 4 or 8.
void drapeBvh_Init(Bvh* bvh, uint32_t k, uint32_t arity);
void drapeBvh_Destroy(Bvh* bvh);

// Sorts the primitives and fits all bounds. Returns false when out of memory; the tree is empty then.
bool drapeBvh_Build(Bvh* bvh, const Primitives* primitives, BvhOrder order, TaskPool* tasks);

// Writes the sorted keys of all primitives to bvh->keys: a permutation of 0 ... count - 1 in the lower halves. The
// arrays `spare` and `centres` are scratch.
typedef void BvhSortFcn(Bvh* bvh, const Primitives* primitives, const void* context, TaskPool* tasks);

// Like drapeBvh_Build in an order of the caller's.
bool drapeBvh_BuildSorted(Bvh* bvh, const Primitives* primitives, BvhSortFcn* sort, const void* context,
                          TaskPool* tasks);

// Sorts along the Morton curve: a BvhSortFcn without context.
void drapeBvh_SortMorton(Bvh* bvh, const Primitives* primitives, const void* context, TaskPool* tasks);

// Fits the bounds to primitives that moved. Their number and corners are those of the last build.
void drapeBvh_Refit(Bvh* bvh, const Primitives* primitives, TaskPool* tasks);

// Like drapeBvh_Refit, but keeps bounds that still hold their primitives. It grows the others by `slack`, m, beyond
// what they need, so that they hold for longer. Returns how many blocks of eight primitives it wrote; 0 when it left
// the levels above them alone as well.
uint32_t drapeBvh_RefitLazy(Bvh* bvh, const Primitives* primitives, float slack, TaskPool* tasks);

// Prepares the tree for a new step: builds when the mesh changed, refits otherwise, and builds when refitting has made
// the tree too loose. Returns false when out of memory.
bool drapeBvh_Update(Bvh* bvh, const Primitives* primitives, BvhOrder order, bool changed, TaskPool* tasks);

// Returns the mean size, m, of the nodes of level 1. Building again pays when it has doubled since the last build.
float drapeBvh_Cost(const Bvh* bvh);

// --- boxes ----------------------------------------------------------------------------------------------------------
// Queries of points and segments see the primitives at one time. The bounds of a tree hold all that the primitives sweep
// within a step, which is much more when they are fast. Boxes hold the positions at one time only.

typedef struct BvhBoxes
{
	ARRAY(float) rows; // [blockCount][3][low, high][8], as the bounds of a tree with 6 sides
} BvhBoxes;

enum
{
	bvhBoxRows = 6, // of eight lanes, per block
};

// The boxes of a block of a level.
DRAPE_INLINE const float* BvhBoxes_Rows(const BvhBoxes* boxes, const Bvh* bvh, uint32_t level, uint32_t block)
{
	return boxes->rows.data + (size_t)(bvh->firstBlock[level] + block) * bvhBoxRows * 8;
}

// Reserves memory for the boxes of a tree that was built. Returns false when out of memory.
bool drapeBvhBoxes_Reserve(BvhBoxes* boxes, const Bvh* bvh);
void drapeBvhBoxes_Free(BvhBoxes* boxes);

// Fits boxes to these positions of the corners, m. The tree is as in the last call of drapeBvhBoxes_Reserve.
void drapeBvhBoxes_Fit(BvhBoxes* boxes, Bvh* bvh, const Primitives* primitives, const Vec4* positions, TaskPool* tasks);

// Returns how loose the tree is: the mean size of the nodes of level 1 over that of the primitives. It depends neither
// on the size of the mesh nor on its speed.
float drapeBvhBoxes_Looseness(const BvhBoxes* boxes, const Bvh* bvh);

// The primitives of a tree at one time. Triangles only.
typedef struct BvhView
{
	const Bvh* bvh;
	const uint32_t* corners;
	const Vec4* positions; // m
	const float* rows;     // bounds of the nodes; the first three axes count
	uint32_t stride;       // floats per block of `rows`
	// A time between two others: positions and boxes are interpolated. NULL and 0 otherwise.
	const Vec4* nextPositions;
	const float* nextRows;
	float share; // of the next ones, 0 to 1
} BvhView;

// Returns a view of the positions `to` of the primitives, with the bounds of the tree or, if not NULL, with boxes.
BvhView drapeBvhView_Make(const Bvh* bvh, const Primitives* primitives, const BvhBoxes* boxes);

// --- queries (bvh_query.c) ------------------------------------------------------------------------------------------
// A query finds exactly the primitives whose own bounds overlap.

// Appends the primitives that overlap the k-DOP to the list. Returns false when out of memory.
bool drapeBvh_Query(const Bvh* bvh, const Kdop* dop, PrimitiveList* found);

// Finds pairs of a primitive of `a` and a primitive of `b`. Both trees have the same k.
bool drapeBvh_Pairs(const Bvh* a, const Bvh* b, PairList* list, TaskPool* tasks);

// Likewise, without pairs that do not overlap the boxes of `b`. NULL for no boxes.
bool drapeBvh_PairsWithin(const Bvh* a, const Bvh* b, const BvhBoxes* boxes, PairList* list, TaskPool* tasks);

// Marks nodes whose primitives need not be paired with each other.
typedef struct BvhSkip
{
	const uint8_t* nodes; // [8 * blockCount] 1 for a marked node, by 8 * firstBlock[level] + node
	uint32_t firstLevel;  // levels below it have no marks, except the root's, which always has one
} BvhSkip;

DRAPE_INLINE bool BvhSkip_Has(const BvhSkip* skip, const Bvh* bvh, uint32_t level, uint32_t node)
{
	return skip->nodes[8 * (size_t)bvh->firstBlock[level] + node] != 0;
}

// Finds pairs of primitives of one tree that share no corner, each once with a < b. `skip` may be NULL.
bool drapeBvh_SelfPairs(const Bvh* bvh, const BvhSkip* skip, PairList* list, TaskPool* tasks);

// The point in which a ray hits a triangle.
typedef struct RayHit
{
	uint32_t primitive; // DRAPE_NONE for none
	double fraction;    // of the ray; set a limit before the search, such as 1
	double weight[3];   // of the corners, >= 0; their sum is 1
} RayHit;

// Finds the first triangle, in its position at the end of the step, that a ray hits from either side before
// hit->fraction. The lowest primitive wins a tie. Exact for origins far away, unlike drapeBvh_FirstHit, whose result is
// in floats. Returns false, and leaves the hit as it is, for none.
bool drapeBvh_CastRay(const Bvh* bvh, const Primitives* primitives, Vec3 origin, Double3 translation, RayHit* hit);

// Finds the first triangle, in its position at the end of the step, that a segment hits from either side.
bool drapeBvh_FirstHit(const Bvh* bvh, const Primitives* primitives, Vec3 from, Vec3 to, PrimitiveHit* hit);

// Counts how often a segment leaves triangles through their fronts, minus how often it leaves through their backs. For
// a segment from a point to the outside this is the winding number. Returns false when the segment passes too close to
// an edge for a safe answer; the caller tries another segment.
bool drapeBvhView_Winding(const BvhView* view, Vec3 from, Vec3 to, int* winding);

// A point where a segment passes through a triangle.
typedef struct SegmentCut
{
	double fraction; // of the segment
	int sign;        // 1 when the segment leaves through the front, -1 through the back
} SegmentCut;

// Finds all triangles that a segment passes through, in the order of their fractions. Returns false when the segment
// passes too close to an edge for a safe answer, or when there are more than `capacity`.
bool drapeBvh_Cuts(const Bvh* bvh, const Primitives* primitives, Vec3 from, Vec3 to, SegmentCut* cuts,
                   uint32_t capacity, uint32_t* count);

typedef struct NearestPrimitive
{
	uint32_t primitive; // DRAPE_NONE when there is none
	TrianglePoint near; // relative to the query point
} NearestPrimitive;

// Finds the nearest point on the triangles, in their positions at the end of the step, within `searchRadius`, m. The
// lowest primitive wins a tie.
bool drapeBvh_NearestPrimitive(const Bvh* bvh, const Primitives* primitives, Vec3 point, float searchRadius,
                               NearestPrimitive* nearest);

enum
{
	nearListSize = 8,
};

// The primitives around a position. While they stand still, the list answers queries for points close by. After they
// moved, they are still the first to be tested, so that a search of the tree need not go farther. A zeroed list knows
// nothing.
typedef struct NearList
{
	Vec3 centre;       // m
	float radius;      // m: every primitive that is not listed is at least this far from the centre
	float clearance;   // m: every primitive is at least this far from the centre
	uint32_t revision; // of the positions for which both are so
	uint32_t count;
	uint32_t primitive[nearListSize];
	uint32_t corner[3][nearListSize]; // their corners; entries from `count` on repeat the first primitive
} NearList;

typedef struct NearQuery
{
	Vec3 point;
	float neededRadius; // m: primitives that are farther do not matter
	float searchRadius; // m: a search of the tree goes this far
	float slack;        // m: a new list holds primitives up to this much farther than the nearest, as far as they fit
	uint32_t revision;  // of the positions; another number for each set of positions that the list may meet
} NearQuery;

// Like drapeBvh_NearestPrimitive, bit for bit, within the needed radius. It searches the tree only when the list has no
// answer, and then fills the list again. Returns false when it found none; all primitives are then at least *clearance,
// m, away. The indices in the list may be those of another tree as long as they exist in this one, too.
bool drapeBvhView_NearestAround(const BvhView* view, const NearQuery* query, NearList* list, NearestPrimitive* nearest,
                                float* clearance);

// Like drapeBvhView_NearestAround, with one primitive to start with instead of a list. DRAPE_NONE is allowed.
bool drapeBvhView_NearestPrimitive(const BvhView* view, Vec3 point, float searchRadius, uint32_t first,
                                   NearestPrimitive* nearest);

// Returns a distance, m, that all primitives are at least away from the point, as far as the list knows. The list has
// the revision of the positions.
float drapeNearList_Clearance(const NearList* list, const Vec4* positions, Vec3 point);

// Sets the bits of the listed primitives that can be within `margin`, m, of a point of the segment. Returns false when
// other primitives can be, too. The list has the revision of the positions.
bool drapeNearList_Along(const NearList* list, const Vec4* positions, Vec3 from, Vec3 to, float margin,
                         uint32_t* lanes);
