// SPDX-License-Identifier: MIT
#pragma once

// What crosses at the start of a scene, by the names that its file has for it.

#include "drape/scene.h"

// All crossings of the same two things.
typedef struct CrossingPair
{
	uint32_t cloth;
	uint32_t other; // cloths by their number, then colliders
	uint32_t count;
	drapeVec3 place; // m: of the first
	bool isHeld;     // both have contact "all", which keeps apart only what starts apart
} CrossingPair;

typedef struct Crossings
{
	drapeCrossing* list;
	uint32_t count;
	CrossingPair* pairs;
	uint32_t pairCount;
} Crossings;

// drape_errorMemory leaves none.
drapeResult Crossings_Find(Crossings* crossings, const drapeScene* scene, const drapeSceneWorld* made);
void Crossings_Free(Crossings* crossings);

// "itself", "cloth \"shirt\"", "collider 2".
void CrossingPair_Other(const CrossingPair* pair, const drapeScene* scene, char* text, size_t capacity);

// file:line:column: what crosses what, how often and where first.
void CrossingPair_Format(const CrossingPair* pair, const drapeScene* scene, char* text, size_t capacity);
