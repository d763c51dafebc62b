// SPDX-License-Identifier: MIT
#pragma once

#include "base/base.h"
#include "drape/filter.h"

// Collision filters. Every place that pairs a cloth with a collider or with another cloth asks Filters_Touch; particles
// get lists of the colliders that their cloth touches (world/scenery.h).

DRAPE_INLINE bool Filters_Touch(drapeFilter a, drapeFilter b)
{
	return (a.category & b.mask) != 0 && (b.category & a.mask) != 0;
}

// A filter by its complement: a zeroed description touches everything.
typedef struct ContactFilter
{
	uint64_t notCategory, notMask;
} ContactFilter;

DRAPE_INLINE ContactFilter ContactFilter_Make(drapeFilter filter)
{
	return (ContactFilter){~filter.category, ~filter.mask};
}

DRAPE_INLINE bool ContactFilters_Touch(ContactFilter a, ContactFilter b)
{
	return (~a.notCategory & ~b.notMask) != 0 && (~b.notCategory & ~a.notMask) != 0;
}

DRAPE_INLINE bool Filters_Equal(drapeFilter a, drapeFilter b)
{
	return a.category == b.category && a.mask == b.mask;
}
