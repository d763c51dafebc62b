// SPDX-License-Identifier: MIT
#pragma once

#include "contact/broad/bodies.h"
#include "contact/broad/primitives.h"

// From pairs of elements to pairs of features that are worth a closer look. Most are told apart by little, eight at a
// time: elements by planes along their faces, what is left of them feature by feature by boxes. Nothing is left out
// that comes within reach.

// Two elements.
typedef PrimitivePair ElementPair;

typedef ARRAY(ElementPair) ElementPairs;

// How near surfaces are looked at, m; never less than the gap that is to be left between them.
typedef struct ContactReach
{
	float cloth;    // of two cloths
	float collider; // of a cloth and a collider
} ContactReach;

typedef struct Narrow
{
	const ContactBodies* bodies;
	const ElementPairs* pairs;
	const Vec4* from;       // by vertex: where ways begin
	const Vec4* to;         // and end; the same array for one moment
	const uint8_t* changed; // by element: pairs without one of these are left out; NULL for none
	ContactReach reach;
} Narrow;

// Called for what is left of pairs [start, end), in their order; `pair` is the index of the feature's pair.
typedef void NarrowFcn(void* context, const ContactFeature* feature, uint32_t pair);

void drapeNarrow_Find(const Narrow* narrow, uint32_t start, uint32_t end, NarrowFcn* fcn, void* context);
