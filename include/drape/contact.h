// SPDX-License-Identifier: MIT
#pragma once

/// @file contact.h
/// Contacts and crossings of cloths, for drawing and for checks.
///
/// Thread rule: as world.h.

#include "drape/id.h"

/// A contact of a cloth with itself, another cloth or a collider.
typedef struct drapeContactPoint
{
	drapeVec3 position; ///< m, on the cloth as it is now
	drapeVec3 normal;   ///< unit, from the other side to this one
	float distance;     ///< m, between both sides at the start of the last step
} drapeContactPoint;

/// Returns the number of contacts that the solver used in the last step, and writes at most @p capacity of them. Only
/// cloths with ::drape_contactAll have contacts: with themselves, with other cloths, and with colliders between their
/// particles. For particles on colliders use drapeCloth_IsTouching. After an edit of the mesh by hand the number is 0
/// until the next step.
DRAPE_API uint32_t drapeCloth_GetContactPoints(drapeClothId cloth, drapeContactPoint* points, uint32_t capacity);

/// A triangle of a cloth, and the triangle or shape that it crosses.
typedef struct drapeCrossing
{
	drapeClothId cloth;
	uint32_t triangle;        ///< index in the cloth's view
	drapeClothId otherCloth;  ///< the same cloth if it crosses itself; null for a collider
	drapeColliderId collider; ///< null for a cloth
	uint32_t otherTriangle;   ///< index in the view of that cloth or mesh; DRAPE_NONE for other colliders
	drapeVec3 position;       ///< m: a point that both share
} drapeCrossing;

/// Finds every crossing of a cloth, for any value of drapeClothDef::contact:
/// - pairs of a cloth's triangle with a triangle of the same cloth, of another cloth or of a mesh collider that share a
///   point. The test is exact, so that it finds no pair only if there is none. Triangles of one cloth that share a
///   vertex are left out, and so are triangles that an active stitch joins (drapeCreateStitch);
/// - triangles of a cloth that reach into another shape with a corner, an edge or their interior, or lie inside it.
///   Touching does not count, and neither does cloth outside at its thickness or nearer: a triangle must reach in by
///   more than two millionths of its coordinates. Cylinders are tested with a radius smaller by one part in 200,
///   because ::drape_contactAll approximates them with 32 sides.
///
/// @p count receives the number of crossings; at most @p capacity are written. Errors set it to 0: ::drape_errorMemory.
/// The cost is about that of a step with ::drape_contactAll.
DRAPE_API drapeResult drapeWorld_FindCrossings(drapeWorldId world, drapeCrossing* list, uint32_t capacity,
                                               uint32_t* count);
