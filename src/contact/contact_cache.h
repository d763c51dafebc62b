// SPDX-License-Identifier: MIT
#pragma once

#include "base/hash.h"
#include "base/transform.h"
#include "contact/narrow/proximity.h"

// Contacts are found again in every step. The contact cache matches them to those of the last step and carries their
// friction state over. A contact is known by a hash of the vertices of its two features. Vertices of cloths are hashed
// by ActiveMesh::originKey, which adaptation elsewhere does not change. When a contact slides from one face to the
// next, it inherits from a contact between the same nearest vertices; otherwise it begins without slip.

typedef struct CachedContact
{
	Vec4 frictionState; // ContactPoint::frictionState
	uint64_t key;       // hash of both features
	uint64_t nearKey;   // hash of the nearest vertex of each feature
	uint32_t isTurned;  // in the order of `key`, the second feature is the first
	uint32_t nearIsTurned;
	uint32_t corner[4]; // hashes of the vertices, in the order of Proximity::vertex
	float weight[4];    // their weights
	float change[4];    // difference of the weights to the step before
	uint64_t unused;
} CachedContact;

_Static_assert(sizeof(CachedContact) == 96, "snapshots hold no padding");

typedef struct ContactCache
{
	ARRAY(CachedContact) now, last; // contacts of this step, in the order of the contact points, and of the last
	HashMap lastOf;                 // key or nearKey to index in `last`
} ContactCache;

void drapeContactCache_Free(ContactCache* cache);

// Begins a step: the contacts of this step become those of the last one. Reserves memory for `most` contacts. False
// when out of memory; nothing has changed then.
bool drapeContactCache_Begin(ContactCache* cache, uint32_t most);

// Stores contact `index` < now.count of this step and returns its friction state. May change the contact's weights,
// normal and distance: a closest point that oscillates between two steps is damped. The caller sets now.count before.
// Several threads may store different contacts.
Vec4 drapeContactCache_Recall(ContactCache* cache, const BroadPhase* broadPhase, uint32_t index, Proximity* point);

// Stores the friction states that a substep has left, in the order in which the contacts were added.
void drapeContactCache_Remember(ContactCache* cache, const Vec4* frictionState, uint32_t count);

// Turns the slip of all contacts of the last step, before the next one begins.
void drapeContactCache_Turn(ContactCache* cache, Quat rotation);

// The vertices of some cloths, to turn only contacts that have one. Zeroed, it is empty; drapeHashMap_Free frees it.
// AddCloth returns false when out of memory; `name` is ContactCloth::name.
typedef struct CachedVertices
{
	HashMap keys;
} CachedVertices;

bool drapeCachedVertices_AddCloth(CachedVertices* vertices, const ActiveMesh* mesh, uint64_t name);
void drapeContactCache_TurnOf(ContactCache* cache, const CachedVertices* vertices, Quat rotation);

// A step that failed: the next one begins without friction states.
void drapeContactCache_Forget(ContactCache* cache);
