// SPDX-License-Identifier: MIT
#pragma once

// The crossings at the start of a scene, with the names of its file.

#include "drape/scene.h"

// Shows on standard error how far untangling is. A zeroed one has shown nothing.
typedef struct UntangleView
{
	uint32_t tenths; // shown
	bool isShown;    // a line on a terminal that is redrawn
} UntangleView;

// A drapeUntangleProgressFcn; `context` is an UntangleView. Stops when a signal asks for it (Cli_CatchSignals).
bool UntangleView_Update(const drapeUntangleProgress* progress, void* context);

// Removes the line from the terminal.
void UntangleView_End(UntangleView* view);

// Returns ", stopped after 10 s" or the like if untangling ended early, "" otherwise.
const char* Untangle_EndText(const drapeUntangleReport* report, char* text, size_t capacity);

// All crossings of one pair of a cloth and a cloth or collider.
typedef struct CrossingPair
{
	uint32_t cloth;
	uint32_t other; // cloths by their number, then colliders
	uint32_t count;
	drapeVec3 place; // m: position of the first crossing
	bool isHeld;     // both have contact "all", which needs a start without crossings
} CrossingPair;

typedef struct Crossings
{
	drapeCrossing* list;
	uint32_t count;
	CrossingPair* pairs;
	uint32_t pairCount;
} Crossings;

// drape_errorMemory leaves an empty list.
drapeResult Crossings_Find(Crossings* crossings, const drapeScene* scene, const drapeSceneWorld* made);
void Crossings_Free(Crossings* crossings);

// "itself", "cloth \"shirt\"", "collider 2".
void CrossingPair_Other(const CrossingPair* pair, const drapeScene* scene, char* text, size_t capacity);

// Writes a sentence "file:line:column: ..." with both names, the number of crossings and the first position.
void CrossingPair_Format(const CrossingPair* pair, const drapeScene* scene, char* text, size_t capacity);

// Writes a sentence if the mesh of a cloth cannot carry its thickness now, and returns true. `when` is "at the start" or
// the like.
bool Thickness_Format(const drapeScene* scene, const drapeSceneWorld* made, uint32_t cloth, const char* when,
                      char* text, size_t capacity);
