// SPDX-License-Identifier: MIT
#pragma once

#include "base/hash.h"
#include "contact/broad/bodies.h"
#include "contact/narrow/narrow.h"

// Elements that stitches join. They touch by design, so contact ignores pairs of them: two elements are joined when a
// stitch joins a vertex of the one to a vertex of the other. Contact points, impacts, sweeps of adaptation, crossings
// and untangling share this rule. Each of them numbers the vertices of cloths in its own way:
//
//   Begin, SetRange ...   the vertices of each cloth
//   Build                 the vertices that stitches join
//   Joins, Filter         queries

// A particle of a described cloth that a stitch joins to a particle of another, or of the same cloth.
typedef struct StitchedParticles
{
	uint32_t slot[2];     // slots of the two cloths
	uint32_t particle[2]; // particles of their meshes
} StitchedParticles;

// The vertices of a cloth: its particles in their order.
typedef struct VertexRange
{
	uint32_t start, end; // both 0 for a cloth without vertices
} VertexRange;

// Zeroed, it is empty.
typedef struct StitchedVertices
{
	ARRAY(StitchedParticles) list;
	ARRAY(VertexRange) ranges; // by slot
	ARRAY(uint8_t) isStitched; // [vertices]
	HashMap pairs;             // pairs of vertices, the lower one in the high half of the key
} StitchedVertices;

void drapeStitched_Destroy(StitchedVertices* stitched);

// Adds a pair to the description. False when out of memory.
bool drapeStitched_Add(StitchedVertices* stitched, StitchedParticles pair);

// Begins to number vertices: cloths with slots below `slotCount` have none. False when out of memory.
bool drapeStitched_Begin(StitchedVertices* stitched, uint32_t slotCount);

// The particles of the cloth with this slot are the vertices from `start` on.
void drapeStitched_SetRange(StitchedVertices* stitched, uint32_t slot, uint32_t start, uint32_t count);

// After all ranges were set; vertexCount is above all of them. False when out of memory.
bool drapeStitched_Build(StitchedVertices* stitched, uint32_t vertexCount);

// The vertex of a particle; DRAPE_NONE if it has none, which includes particles that were created after Build.
uint32_t drapeStitched_VertexOf(const StitchedVertices* stitched, uint32_t slot, uint32_t particle);

// True when a stitch joins one of the vertices `a` to one of the vertices `b`. Entries may be DRAPE_NONE.
bool drapeStitched_Joins(const StitchedVertices* stitched, const uint32_t* a, uint32_t countA, const uint32_t* b,
                         uint32_t countB);

// Removes joined elements from the pairs from `first` on. Vertices are those of the bodies.
void drapeStitched_Filter(const StitchedVertices* stitched, const ContactBodies* bodies, ElementPairs* pairs,
                          uint32_t first);
