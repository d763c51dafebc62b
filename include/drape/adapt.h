// SPDX-License-Identifier: MIT
#pragma once

/// @file adapt.h
/// Refinement and coarsening of a cloth: the scheme, and the criteria that drive it.
///
/// Criteria look at edges. A pass splits an edge when any criterion asks for it and the scheme allows it. A pass joins
/// a split edge when drapeAdaptDef::joinRule is satisfied and no criterion would split the edge again at once.
/// drape_schemeSqrt3 splits triangles instead of edges: a split request for an edge splits the triangles beside it, and
/// the particle in the centre of a triangle is removed only when the criteria agree on all three edges of the triangle.

#include "drape/parameter.h"

typedef enum drapeScheme
{
	drape_schemeEdge = 0, ///< edges split at their midpoint, triangles follow in eleven configurations (Simnett 2012)
	drape_schemeFixed,    ///< no refinement
	drape_schemeSqrt3,    ///< triangles split at their centre, edges flip between them (Bender and Deul 2012)
} drapeScheme;

/// Selects the diagonal of the quadrilateral that remains when two edges of a triangle are split and both diagonals
/// change equally few triangles. The differences are small; the default is the cheapest.
typedef enum drapeTieRule
{
	drape_tieDefault = 0,
	drape_tieLength,     ///< the shorter diagonal
	drape_tieRestLength, ///< the diagonal that is shorter at rest
	drape_tieCurvature,  ///< the diagonal from the midpoint of the more curved edge
} drapeTieRule;

/// Decides when a split edge is joined that no criterion would split again.
typedef enum drapeJoinRule
{
	drape_joinAll = 0, ///< every enabled criterion agrees: each keeps its own tolerance
	drape_joinAny,     ///< at least one enabled criterion asks for it
	drape_joinAlways,  ///< no criterion needs to ask for it
} drapeJoinRule;

/// Bounds the distance between the mesh and the smooth surface that it samples. An edge splits where that surface
/// deviates from it by more than a length, estimated from the normals at its ends: an arc with the curvature k along an
/// edge of length l deviates by k l^2 / 8. An edge joins where the deviation afterwards stays below half of the length.
/// The length means the same on every mesh. It holds within a factor of 4/3 on surfaces that the pattern resolves, as
/// far as drapeAdaptDef::maxLevel and drapeAdaptDef::maxTriangles allow.
typedef struct drapeAccuracyCriterion
{
	bool enabled;
	float deviation; ///< m, above 0
} drapeAccuracyCriterion;

/// Compares the angle between the surface normals at the ends of an edge with two thresholds.
typedef struct drapeCurvatureCriterion
{
	bool enabled;
	float splitAngle; ///< radians, 0 to pi; edges above it split
	float joinAngle;  ///< radians, at most splitAngle; edges below it join
} drapeCurvatureCriterion;

/// Compares the largest mean curvature at the corners of a triangle with limits that grow linearly with the level
/// (Bender and Deul 2012, section 5): at level l of m a triangle refines above
/// baseLimit + l / m (finestLimit - baseLimit).
typedef struct drapeMeanCurvatureCriterion
{
	bool enabled;
	float baseLimit;       ///< 1/m, above 0; limit for triangles of the pattern
	float finestLimit;     ///< 1/m, above 0; limit at the maximum level
	float coarsenFraction; ///< 0 to 1; a triangle coarsens below this fraction of the limit of its parent's level
} drapeMeanCurvatureCriterion;

/// Compares the length of an edge with its rest length: compressed cloth refines, so that it can buckle.
typedef struct drapeLengthCriterion
{
	bool enabled;
	float splitRatio; ///< length over rest length; edges below it split, e.g. 0.98
	float joinRatio;  ///< at least splitRatio; edges above it join, e.g. 0.99
	/// Above 0, at most 1; both ratios are multiplied by this to the power of the edge's level (Simnett 2012, eq.
	/// 6.2.20).
	float levelFactor;
} drapeLengthCriterion;

/// Returns true when @p point (metres) is inside an obstacle. Called on the thread that steps the world.
typedef bool drapeInsideFcn(drapeVec3 point, void* context);

/// Splits an edge whose midpoint is inside an obstacle; drape_schemeSqrt3 also splits a triangle whose centre is.
typedef struct drapeCollisionCriterion
{
	bool colliders;         ///< test against the colliders of the world
	drapeInsideFcn* inside; ///< test against the program's own obstacles; NULL for none
	void* context;
	uint32_t maxLevel; ///< this criterion does not refine beyond this level
} drapeCollisionCriterion;

/// Returns true when a particle is visible. Called on the thread that steps the world.
typedef bool drapeVisibleFcn(drapeVec3 position, drapeVec3 normal, void* context);

/// Filters the other criteria: invisible edges do not split, and join whatever the other criteria say. An edge is
/// visible when one of its ends is. An invisible neighbour that blocks the split of a visible edge is split first.
typedef struct drapeVisibilityCriterion
{
	bool enabled;
	drapeVec3 camera;         ///< metres; a particle is visible when its normal points towards the camera
	drapeVisibleFcn* visible; ///< replaces that test when not NULL
	void* context;
} drapeVisibilityCriterion;

/// The answer of a program's own criterion.
typedef enum drapeWish
{
	drape_wishNone = 0, ///< no opinion: the other criteria decide; without any, the edge stays as it is
	drape_wishSplit,    ///< split the edge; keep it when it is split already
	drape_wishJoin,     ///< join the edge
} drapeWish;

/// An edge as a program's own criterion sees it.
typedef struct drapeEdgeInfo
{
	drapeVec3 from, to;             ///< positions of the ends, m
	drapeVec3 fromNormal, toNormal; ///< unit normals at the ends
	float restLength;               ///< m
	uint32_t level;
	bool isSplit; ///< the edge is split now, and the question is whether to join it
} drapeEdgeInfo;

typedef drapeWish drapeEdgeFcn(const drapeEdgeInfo* edge, void* context);

/// A criterion of the program's own. Called on the thread that steps the world, for edges that the other criteria left
/// undecided.
typedef struct drapeUserCriterion
{
	drapeEdgeFcn* wish; ///< NULL disables it
	void* context;
} drapeUserCriterion;

/// The refinement of one cloth. Start from drapeDefaultAdaptDef.
typedef struct drapeAdaptDef
{
	drapeScheme scheme; ///< fixed for the life of the cloth
	/// 0 to DRAPE_MAX_LEVEL; may be changed at any time, deeper triangles then join. With drape_schemeSqrt3 it counts
	/// generations, two of which make three triangles of one; an odd number has the effect of the even one below it.
	uint32_t maxLevel;
	/// The criteria never give the cloth more triangles than this or its pattern; 0 for no cap. When not all requested
	/// splits fit, edges with the largest deviation (drapeAccuracyCriterion) are split first, and the accuracy criterion
	/// joins at a larger deviation. A cloth with more triangles, after a lower cap or drapeCloth_Refine, coarsens over
	/// some passes.
	uint32_t maxTriangles;
	drapeTieRule tieRule;
	drapeJoinRule joinRule;
	/// 0 to 255; adaptation passes between two attempts to join an edge. It avoids flicker and spreads the cost. An
	/// edge that is split again soon after a join waits four times as long each time, up to 255 passes, until it has
	/// been quiet; 0 switches that off. Particles that have been slower than 1 cm/s for 30 passes sleep: criteria that
	/// read the shape neither split nor join them until they move or the thresholds change. An enabled user or
	/// visibility criterion prevents sleep.
	uint32_t joinWait;
	drapeAccuracyCriterion accuracy;
	drapeCurvatureCriterion curvature;
	drapeMeanCurvatureCriterion meanCurvature;
	drapeLengthCriterion length;
	drapeCollisionCriterion collision;
	drapeVisibilityCriterion visibility;
	drapeUserCriterion user;
} drapeAdaptDef;

/// The edge scheme, six levels, accuracy of 2 mm, at most 10,000 triangles, ten passes of waiting. The other criteria are
/// disabled, with sensible thresholds. The accuracy means the same on every mesh, and edges shorter than 6 mm never
/// split. A program that enables another criterion instead sets accuracy.enabled to false. Any thread.
DRAPE_API drapeAdaptDef drapeDefaultAdaptDef(void);

/// Describes a criterion and its parameters, for scene files and panels. Parameter offsets count from the criterion's
/// own struct. All pointers are static.
typedef struct drapeCriterionInfo
{
	const char* key;   ///< name in scene files and of the member of drapeAdaptDef
	const char* label; ///< name in panels
	const char* help;  ///< one or two sentences
	size_t offset;     ///< bytes from the start of drapeAdaptDef to the criterion's struct
	size_t size;       ///< bytes of that struct
	size_t enabled;    ///< bytes from the start of the struct to the bool that enables the criterion
	bool isInitial;    ///< enabled by default
	bool readsShape;   ///< refines by the shape of the cloth: a scene file that names it replaces the default criterion
	const drapeParameter* parameters;
	uint32_t parameterCount;
} drapeCriterionInfo;

/// Returns criterion @p index; NULL past the last. A program's own criterion has no description. Any thread.
DRAPE_API const drapeCriterionInfo* drapeCriterion_GetInfo(uint32_t index);
