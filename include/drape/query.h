// SPDX-License-Identifier: MIT
#pragma once

/// @file query.h
/// Queries of the present surfaces: rays, closest points, bounds and boxes.
///
/// Cloths are hit from both sides, as they are after the last step or the last call that moved them. The first query of a
/// cloth reserves memory for a tree over its triangles; the first one after a step fits the tree, which takes about as
/// long as a hundred rays. A query that finds nothing succeeds: drapeSurfaceHit::isHit is false then.
///
/// The functions return ::drape_errorArgument for numbers that are not finite or beyond 10^9 m, and for a ray without
/// length, and ::drape_errorMemory. Hits are zeros then. Answers are the same for any number of threads.
///
/// Thread rule: as world.h, also for queries. drapeWorld_CastRays and drapeWorld_FindClosestPoints use the threads of the
/// world.

#include "drape/cloth.h"
#include "drape/collider.h"

/// A straight path from `origin` to `origin + translation`.
typedef struct drapeRay
{
	drapeVec3 origin;      ///< m
	drapeVec3 translation; ///< m; its length is how far the ray goes, > 0
} drapeRay;

/// A point on a cloth.
typedef struct drapeSurfaceHit
{
	bool isHit; ///< false: nothing was found, and the other members are zero
	drapeClothId cloth;
	uint32_t triangle; ///< index in the cloth's view
	float weights[3];  ///< the triangle's corners have these weights: >= 0, adding up to 1
	/// The same point on the pattern. It survives adaptation: pins, constraints and drapeCloth_Evaluate take it.
	drapePatternPoint pattern;
	drapeVec3 point;  ///< m
	drapeVec3 normal; ///< unit, of the triangle, on the side of the ray's origin or of the asked point
	bool isFront;     ///< that side is the front, from which the triangle's corners are counter-clockwise
	float fraction;   ///< position along the ray, 0 to 1; 0 for closest points
	float distance;   ///< m, from the origin or the asked point
} drapeSurfaceHit;

/// Finds the first point in which a ray hits a cloth of the world whose filter touches @p filter. A ray hits edges and
/// vertices like faces: none slips through between triangles. A ray in the plane of a triangle misses that triangle.
DRAPE_API drapeResult drapeWorld_CastRay(drapeWorldId world, drapeRay ray, drapeFilter filter, drapeSurfaceHit* hit);

/// The same for many rays, on all threads of the world: hits[i] is that of rays[i]. One ray that is refused refuses all.
DRAPE_API drapeResult drapeWorld_CastRays(drapeWorldId world, const drapeRay* rays, uint32_t count, drapeFilter filter,
                                          drapeSurfaceHit* hits);

/// The same for one cloth, whatever its filter.
DRAPE_API drapeResult drapeCloth_CastRay(drapeClothId cloth, drapeRay ray, drapeSurfaceHit* hit);

/// Finds the point nearest to @p point on the cloths whose filters touch @p filter, up to @p maxDistance metres away,
/// >= 0; INFINITY for any distance.
DRAPE_API drapeResult drapeWorld_FindClosestPoint(drapeWorldId world, drapeVec3 point, float maxDistance,
                                                  drapeFilter filter, drapeSurfaceHit* hit);

/// The same for many points, on all threads of the world: hits[i] is that of points[i].
DRAPE_API drapeResult drapeWorld_FindClosestPoints(drapeWorldId world, const drapeVec3* points, uint32_t count,
                                                   float maxDistance, drapeFilter filter, drapeSurfaceHit* hits);

/// The same for one cloth, whatever its filter.
DRAPE_API drapeResult drapeCloth_FindClosestPoint(drapeClothId cloth, drapeVec3 point, float maxDistance,
                                                  drapeSurfaceHit* hit);

/// An axis-aligned box.
typedef struct drapeBox
{
	drapeVec3 low, high; ///< m; low <= high
} drapeBox;

/// Returns the bounds of a cloth's present positions; zeros for a handle that is not valid.
DRAPE_API drapeBox drapeCloth_GetBounds(drapeClothId cloth);

/// Finds the cloths whose filters touch @p filter and that share a point with a box. @p count receives their number; at
/// most @p capacity handles are written, in the order of drapeWorld_GetCloths. @p cloths may be NULL if the capacity is 0.
DRAPE_API drapeResult drapeWorld_FindClothsInBox(drapeWorldId world, drapeBox box, drapeFilter filter,
                                                 drapeClothId* cloths, uint32_t capacity, uint32_t* count);

/// Finds the particles of a cloth in a box, in ascending order. @p count receives their number; at most @p capacity are
/// written. @p particles may be NULL if the capacity is 0.
DRAPE_API drapeResult drapeCloth_FindParticlesInBox(drapeClothId cloth, drapeBox box, uint32_t* particles,
                                                    uint32_t capacity, uint32_t* count);

/// A point on a collider.
typedef struct drapeColliderHit
{
	bool isHit;        ///< false: the ray misses the collider, and the other members are zero
	uint32_t triangle; ///< index in drapeColliderView for a mesh; DRAPE_NONE for other shapes
	drapeVec3 point;   ///< m
	drapeVec3 normal;  ///< unit, outward; of an open mesh, on the side of the ray's origin
	float fraction;    ///< position along the ray, 0 to 1
	float distance;    ///< m, from the origin
} drapeColliderHit;

/// Finds the first point in which a ray enters a collider, as it was after the last step. Shapes and closed meshes are
/// hit from outside only: a ray that begins inside misses until it has left. An open mesh is hit from both sides.
DRAPE_API drapeResult drapeCollider_CastRay(drapeColliderId collider, drapeRay ray, drapeColliderHit* hit);
