// SPDX-License-Identifier: MIT
#pragma once

#include "base/maths.h"
#include "base/tasks.h"

// Orders of primitives for bvh.h. A key has the primitive in its lower 32 bits, and in the upper ones what it is sorted by; so no
// two keys are equal, and every order is the only one.

enum
{
	orderMaxCharts = 256,
};

// Places on a curve through the centres (x, y, z): 10 bits each of their bounding cube, interleaved (Morton).
void drapeOrder_MortonKeys(uint64_t* keys, const Vec4* centres, uint32_t count, TaskPool* tasks);

// Places on a curve through the plane (x, y), chart by chart (z, below orderMaxCharts): 12 bits each.
void drapeOrder_ChartKeys(uint64_t* keys, const Vec4* centres, uint32_t count);

// Ascending by the upper halves, and where they are equal as before; linear time. `spare` is of the same size.
void drapeOrder_Sort(uint64_t* keys, uint64_t* spare, uint32_t count);

// Cuts the primitives in `keys` (upper halves are not looked at) in two across the longest side of their centres, and goes
// on with both parts, down to 2^shift primitives. Cuts are where nodes of a tree of that arity meet. O(n log n).
void drapeOrder_Split(uint64_t* keys, const Vec4* centres, uint32_t count, uint32_t shift, TaskPool* tasks);

// The bits of a float as a number that sorts as it does.
uint32_t drapeOrder_SortableBits(float x);
