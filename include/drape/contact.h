// SPDX-License-Identifier: MIT
#pragma once

/// @file contact.h
/// Contacts, contact events and crossings of cloths.
///
/// Thread rule: as world.h.

#include "drape/id.h"

/// A contact of a cloth with a collider, another cloth or itself.
typedef struct drapeContactPoint
{
	drapeColliderId collider; ///< null for a contact with cloth
	drapeClothId otherCloth;  ///< null for a contact with a collider; the cloth itself if it touches itself
	/// The point of this cloth: particles of its view, and their weights, which add up to 1. A particle has one entry,
	/// a point of an edge two, a point of a triangle three; the others are DRAPE_NONE and 0.
	uint32_t particles[3];
	float weights[3];
	/// The same for the other cloth. Without entries for colliders, and for cloths with explicit integrators.
	uint32_t otherParticles[3];
	float otherWeights[3];
	drapeVec3 position; ///< m, of the point of this cloth now
	drapeVec3 normal;   ///< unit, from the other side to this one
	float distance; ///< m, between both surfaces: of a particle on a collider now, of others when the last step began
	float load;     ///< N, the normal force of the last step; 0 for explicit integrators
	drapeVec3 slip; ///< m, the tangential displacement that friction still holds; 0 for explicit integrators
} drapeContactPoint;

/// Writes at most @p capacity contacts of a cloth after the last step, and returns their number. @p list may be NULL if
/// the capacity is 0. First the particles that touch colliders (drapeCloth_IsTouching), each with the nearest collider.
/// Then, for cloths with ::drape_contactAll, the points at which the solver kept them from other cloths, from themselves,
/// and from colliders between particles. Cloths with explicit integrators have only the first kind. After an edit of the
/// mesh by hand only particles are listed until the next step.
DRAPE_API uint32_t drapeCloth_GetContacts(drapeClothId cloth, drapeContactPoint* list, uint32_t capacity);

/// --- events ---------------------------------------------------------------------------------------------------------

/// A cloth and a collider, or two cloths, that touch. The first of two cloths has the lower slot.
typedef struct drapeContactPair
{
	drapeClothId cloth;
	drapeColliderId collider; ///< null for two cloths
	drapeClothId otherCloth;  ///< null for a collider
} drapeContactPair;

/// A pair that began to touch in the last step.
typedef struct drapeContactBegin
{
	drapeClothId cloth;
	drapeColliderId collider; ///< null for two cloths
	drapeClothId otherCloth;  ///< null for a collider
	uint32_t count;           ///< contacts between both: particles, and points of the solver
	drapeVec3 position;       ///< m, of the contact with the least distance
	drapeVec3 normal;         ///< unit, of the same contact, towards `cloth`
	float approachSpeed;      ///< m/s, >= 0: the largest speed along a normal at which both approached each other
} drapeContactBegin;

/// The contacts that began and ended in the last step, one for each pair, in ascending order of the cloths, then of
/// what they touch. The arrays belong to the world and are valid until the next step, or until a snapshot is loaded.
typedef struct drapeContactEvents
{
	const drapeContactBegin* begins;
	const drapeContactPair* ends;
	uint32_t beginCount, endCount;
} drapeContactEvents;

/// Returns the contact events of the last step; zeros before the first step and after a step that failed.
///
/// A contact begins when a particle touches the collider, or when the solver has a contact point between both sides. It
/// ends when all particles are at least twice as far away as contact begins, about twice the thickness, and when there
/// was no contact point for 0.05 s; so cloth at rest has no events. When one side is destroyed, or a filter or the times
/// of a collider part both, it ends with the next step. The event then has the handle as it was, which may not be valid
/// any more. A cloth that touches itself has no events, and neither have cloths with each other unless both have
/// ::drape_contactAll.
///
/// Pairs that touch are part of snapshots: a resumed world has the events of the original one.
DRAPE_API drapeContactEvents drapeWorld_GetContactEvents(drapeWorldId world);

/// Writes at most @p capacity pairs that touch after the last step, in the order of events, and returns their number.
/// @p pairs may be NULL if the capacity is 0.
DRAPE_API uint32_t drapeWorld_GetTouchingPairs(drapeWorldId world, drapeContactPair* pairs, uint32_t capacity);

/// --- crossings ------------------------------------------------------------------------------------------------------

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
/// Pairs that filters keep from touching (filter.h) do not count. @p count receives the number of crossings; at most
/// @p capacity are written. Errors set it to 0: ::drape_errorMemory.
/// The cost is about that of a step with ::drape_contactAll.
DRAPE_API drapeResult drapeWorld_FindCrossings(drapeWorldId world, drapeCrossing* list, uint32_t capacity,
                                               uint32_t* count);
