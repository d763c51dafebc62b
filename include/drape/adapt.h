// SPDX-License-Identifier: MIT
#pragma once

/// @file adapt.h
/// How a cloth refines and coarsens: the scheme, and the criteria that drive it.
///
/// Criteria look at edges. An edge is split when any criterion asks for it and the mesh allows it; it is rejoined when
/// drapeAdaptDef::joinRule says so and no criterion would split it again at once. With drape_schemeSqrt3 splitting an
/// edge means to split the triangles beside it, and what the criteria say about a split edge they must say about every
/// edge of a triangle before the particle in its centre goes.

#include "drape/base.h"

typedef enum drapeScheme
{
	drape_schemeEdge = 0, ///< edges split in the middle, triangles follow in eleven configurations (Simnett 2012)
	drape_schemeFixed,    ///< no refinement
	drape_schemeSqrt3,    ///< triangles split by their centres, edges flipped between them (Bender and Deul 2012)
} drapeScheme;

/// Which diagonal cuts the quadrilateral that remains when two edges of a triangle are split, when both change equally
/// little. The differences are small; the default costs nothing.
typedef enum drapeTieRule
{
	drape_tieDefault = 0,
	drape_tieLength,     ///< the shorter one
	drape_tieRestLength, ///< the shorter one at rest
	drape_tieCurvature,  ///< the one from the middle of the more curved edge
} drapeTieRule;

/// When a split edge that no criterion would split again is rejoined.
typedef enum drapeJoinRule
{
	drape_joinAll = 0, ///< every enabled criterion agrees: each keeps its own tolerance
	drape_joinAny,     ///< at least one enabled criterion asks for it
	drape_joinAlways,  ///< without being asked for
} drapeJoinRule;

/// The angle between the surface normals at the ends of an edge.
typedef struct drapeCurvatureCriterion
{
	bool enabled;
	float splitAngle; ///< radians, 0 to pi; split above
	float joinAngle;  ///< radians, below splitAngle; rejoin below
} drapeCurvatureCriterion;

/// Mean curvature at the corners of a triangle, of which the largest counts (Bender and Deul 2012, section 5). Limits
/// grow linearly with the level: at level l of m, refine above baseLimit + l / m (finestLimit - baseLimit).
typedef struct drapeMeanCurvatureCriterion
{
	bool enabled;
	float baseLimit;       ///< 1/m, above 0; for triangles of the pattern
	float finestLimit;     ///< 1/m, above 0; for those of the maximum level
	float coarsenFraction; ///< 0 to 1: rejoin below this part of the limit of the level it goes back to
} drapeMeanCurvatureCriterion;

/// The length of an edge over its rest length: compressed cloth refines, so that it can buckle.
typedef struct drapeLengthCriterion
{
	bool enabled;
	float splitRatio;  ///< split below, e.g. 0.98
	float joinRatio;   ///< above splitRatio; rejoin above, e.g. 0.99
	float levelFactor; ///< both ratios are multiplied by this to the power of the edge's level; 1 for none (Simnett
					   ///< 2012, eq. 6.2.20)
} drapeLengthCriterion;

/// True when @p point (metres) is inside an obstacle. Called on the thread that steps the world.
typedef bool drapeInsideFcn(drapeVec3 point, void* context);

/// Splits an edge whose middle is inside an obstacle; with drape_schemeSqrt3 also a triangle whose centre is.
typedef struct drapeCollisionCriterion
{
	bool colliders;         ///< inside a collider of the world
	drapeInsideFcn* inside; ///< inside what a program says; NULL for none
	void* context;
	uint32_t maxLevel; ///< refinement by this criterion alone goes no deeper
} drapeCollisionCriterion;

/// True when a vertex can be seen.
typedef bool drapeVisibleFcn(drapeVec3 position, drapeVec3 normal, void* context);

/// Edges that cannot be seen are not split, and rejoin, whatever the other criteria say. An edge is visible when one of
/// its ends is. Where the refinement of a visible edge is held up by an invisible neighbour, the neighbour refines.
typedef struct drapeVisibilityCriterion
{
	bool enabled;
	drapeVec3 camera;         ///< metres; a vertex is visible when its normal points towards it
	drapeVisibleFcn* visible; ///< replaces that test when not NULL
	void* context;
} drapeVisibilityCriterion;

typedef enum drapeWish
{
	drape_wishNone = 0, ///< no opinion: the other criteria decide; without any, the edge stays as it is
	drape_wishSplit,    ///< split it; a split edge: keep it split
	drape_wishJoin,     ///< rejoin it
} drapeWish;

/// What a user criterion is told about an edge.
typedef struct drapeEdgeInfo
{
	drapeVec3 from, to;             ///< m
	drapeVec3 fromNormal, toNormal; ///< unit
	float restLength;               ///< m
	uint32_t level;
	bool isSplit;
} drapeEdgeInfo;

typedef drapeWish drapeEdgeFcn(const drapeEdgeInfo* edge, void* context);

/// A criterion of your own. Called on the thread that steps the world, for edges that the other criteria left
/// undecided.
typedef struct drapeUserCriterion
{
	drapeEdgeFcn* wish; ///< NULL disables it
	void* context;
} drapeUserCriterion;

typedef struct drapeAdaptDef
{
	drapeScheme scheme; ///< fixed for the life of the cloth
	uint32_t maxLevel;  ///< 0 to DRAPE_MAX_LEVEL; may be changed at any time, deeper triangles then rejoin. Counts
						///< generations for drape_schemeSqrt3, of which two make three triangles of one; an odd number
						///< is as good as the even one below it
	drapeTieRule tieRule;
	drapeJoinRule joinRule;
	uint32_t
		joinWait; ///< adaptation passes between two attempts to rejoin an edge, 0 to 255; avoids flicker and spreads
				  ///< the cost. Where an edge is split again soon after it was rejoined, four times as long each
				  ///< time, up to 255, until it has been quiet; not with 0. What has been slower than 1 cm/s for
				  ///< 30 passes is not asked, nor split by curvature and length, until it moves or these limits
				  ///< change; with a wish of the user or visibility it is
	drapeCurvatureCriterion curvature;
	drapeMeanCurvatureCriterion meanCurvature;
	drapeLengthCriterion length;
	drapeCollisionCriterion collision;
	drapeVisibilityCriterion visibility;
	drapeUserCriterion user;
} drapeAdaptDef;

/// The edge scheme, three levels, curvature between 7 and 10 degrees, ten passes of waiting; other criteria off but
/// with sensible values.
DRAPE_API drapeAdaptDef drapeDefaultAdaptDef(void);
