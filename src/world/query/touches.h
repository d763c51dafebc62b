// SPDX-License-Identifier: MIT
#pragma once

#include "contact/contact_stage.h"
#include "drape/contact.h"
#include "world/handles.h"

// Touches: the pairs of a cloth and a collider, or of two cloths, that are in contact. Comparing them with those of the
// last step gives the contact events.
//
// A touch begins when a particle that touches colliders is within the activation distance of this one, or when the
// contact stage has a contact point between both. It ends by hysteresis, so that resting contact does not flicker:
//
//   collider      no particle is within twice that distance, and no contact point was there for touchGrace seconds;
//   two cloths    no contact point was there for touchGrace seconds.
//
// It ends at once when one side was destroyed, or when a filter or the times of a collider part the pair. Only the pairs
// are state; a step that finds nothing new reads one particle of each pair with a collider.

typedef struct Cloth Cloth;

// The first cloth has the lower slot. Slots count from 1; 0 for none.
typedef struct TouchKey
{
	uint32_t cloth1, clothGeneration;
	uint32_t collider1, colliderGeneration;
	uint32_t other1, otherGeneration;
} TouchKey;

typedef struct TouchPair
{
	TouchKey key;
	uint32_t witness; // a particle that was near the collider; the first one to look at
	float age;        // s since the last contact point
} TouchPair;

_Static_assert(sizeof(TouchPair) == 32, "snapshots hold no padding");

// Zeroed, there are none.
typedef struct Touches
{
	ARRAY(TouchPair) pairs; // in ascending order of their keys; part of snapshots
	ARRAY(TouchPair) next;  // after the step in progress
	ARRAY(drapeContactBegin) begins;
	ARRAY(drapeContactPair) ends;
	ARRAY(uint32_t) particles; // a cloth's particles that touch colliders; scratch
	bool hasEvents;            // the events are those of the last step
} Touches;

void drapeTouches_Destroy(Touches* touches);

// Before a step: its events are not known yet.
void drapeTouches_Begin(Touches* touches);

// After contact was resolved in a step of dt seconds: finds the pairs and the events. False when out of memory; the pairs
// are then as before.
bool drapeTouches_Find(drapeWorld* world, float dt);

// The step has succeeded: its pairs are the present ones.
void drapeTouches_Commit(Touches* touches);

// The collider that a particle of a cloth touches, as both are after the last step.
typedef struct TouchedCollider
{
	uint32_t slot;  // DRAPE_NONE for none
	float distance; // m, from the surface
	Vec3 normal;    // unit, outward
	Vec3 way;       // m, of the surface within the last step
} TouchedCollider;

// Finds the nearest collider that the cloth touches by its filter, up to `reach` metres away.
TouchedCollider drapeTouches_Nearest(const Cloth* cloth, Vec3 point, float reach);

// The distance up to which a particle touches colliders, m, and the one beyond which it has left them.
float drapeTouches_Reach(const Cloth* cloth, uint32_t particle);
float drapeTouches_LeavingDistance(const Cloth* cloth, uint32_t particle);
