// SPDX-License-Identifier: MIT
#pragma once

#include "base/maths.h"
#include "base/tasks.h"

// Orders of primitives for bvh.h. A key has the primitive in its lower 32 bits and the sort value in its upper ones. No
// two keys are equal, so every order is unique.

enum
{
	orderMaxCharts = 256,
};

// Writes positions on the Morton curve through the centres (x, y, z): 10 bits each of their bounding cube, interleaved.
void drapeOrder_MortonKeys(uint64_t* keys, const Vec4* centres, uint32_t count, TaskPool* tasks);

// Writes positions on the Morton curve through the plane (x, y), chart by chart (z, below orderMaxCharts): 12 bits
// each.
void drapeOrder_ChartKeys(uint64_t* keys, const Vec4* centres, uint32_t count);

// Sorts ascending by the upper halves. The sort is stable and takes linear time. `spare` has the same size.
void drapeOrder_Sort(uint64_t* keys, uint64_t* spare, uint32_t count);

// Splits the primitives in `keys` (ignoring the upper halves) in two across the longest side of their centres, and
// continues with both parts down to 2^shift primitives. Splits are at boundaries of nodes of that arity. O(n log n).
void drapeOrder_Split(uint64_t* keys, const Vec4* centres, uint32_t count, uint32_t shift, TaskPool* tasks);

// Returns the bits of a float as an integer with the same order.
uint32_t drapeOrder_SortableBits(float x);
