// SPDX-License-Identifier: MIT
#pragma once

#include "base/hash.h"
#include "contact/broad/bodies.h"
#include "contact/narrow/narrow.h"

// Elements that stitches join. They touch by design, so contact ignores pairs of them: two elements are joined when a
// stitch joins a vertex of the one to a vertex of the other.

// A particle of a described cloth that a stitch joins to a particle of another, or of the same cloth.
typedef struct StitchedParticles
{
	uint32_t slot[2];     // slots of the two cloths
	uint32_t particle[2]; // particles of their meshes
} StitchedParticles;

// Zeroed, it is empty.
typedef struct StitchedVertices
{
	ARRAY(StitchedParticles) list;
	ARRAY(uint32_t) vertexStart; // scratch: by slot
	ARRAY(uint8_t) isStitched;   // [gathered vertices]
	HashMap pairs;               // pairs of gathered vertices, the lower one in the high half of the key
} StitchedVertices;

void drapeStitched_Destroy(StitchedVertices* stitched);

// Adds a pair to the description. False when out of memory.
bool drapeStitched_Add(StitchedVertices* stitched, StitchedParticles pair);

// After all bodies were gathered: `vertexStart` has the first vertex of the cloth of each slot below slotCount, or
// DRAPE_NONE if it was not gathered. False when out of memory.
bool drapeStitched_Build(StitchedVertices* stitched, const ContactBodies* bodies, const uint32_t* vertexStart,
                         uint32_t slotCount);

// Removes joined elements from the pairs from `first` on.
void drapeStitched_Filter(const StitchedVertices* stitched, const ContactBodies* bodies, ElementPairs* pairs,
                          uint32_t first);
