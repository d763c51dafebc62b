// SPDX-License-Identifier: MIT
#pragma once

#include "contact/broad/bodies.h"
#include "contact/broad/primitives.h"

// Reduces pairs of elements to pairs of features that need an exact test. Cheap tests of eight at a time discard most
// of them: planes along faces separate elements, boxes and directions separate the features of the others. The tests are
// conservative: they keep every pair that comes within its distance.

// Two elements.
typedef PrimitivePair ElementPair;

typedef ARRAY(ElementPair) ElementPairs;

// Distances, m, below which pairs are kept; the gap between two bodies is the minimum.
typedef struct ContactDistances
{
	float cloth;    // between cloths
	float collider; // between a cloth and a collider
} ContactDistances;

typedef struct Narrow
{
	const ContactBodies* bodies;
	const ElementPairs* pairs;
	const Vec4* from;       // per vertex: start of the trajectory
	const Vec4* to;         // per vertex: its end; the same array for a static test
	const uint8_t* changed; // per element: pairs without a changed element are skipped; NULL tests all
	ContactDistances distances;
	// Pairs of one cloth are also discarded when all of their points are farther apart than this share of their distance
	// within the material (material_map.h). 0 for none.
	float materialShare;
	// Called for each pair of faces whose planes do not separate them at the start, in the order of the pairs; they may
	// cross. `pair` is its index. NULL for none.
	void (*pairFcn)(void* context, uint32_t pair);
} Narrow;

// Called for each kept feature of the pairs [start, end), in their order. `pair` is the index of the feature's pair.
typedef void NarrowFcn(void* context, const ContactFeature* feature, uint32_t pair);

void drapeNarrow_Find(const Narrow* narrow, uint32_t start, uint32_t end, NarrowFcn* fcn, void* context);
