// SPDX-License-Identifier: MIT
#pragma once

#include "base/alloc.h"

// A growable array is three fields wherever it is needed: ARRAY(uint32_t) died;
// Reserve first, where failure can still be handled, then Push, which cannot fail: that is how a pass that has begun is
// always able to finish.

#define ARRAY(Type)                                                                                                    \
	struct                                                                                                             \
	{                                                                                                                  \
		Type* data;                                                                                                    \
		uint32_t count, capacity;                                                                                      \
	}

// True when the array has room for `needed` elements in all.
#define ArrayReserve(array, needed)                                                                                    \
	drapeArrayReserveBytes((void**)&(array)->data, &(array)->capacity, (needed), sizeof(*(array)->data))

// Room for one more at the end, growing as needed; the new element is data[count - 1].
#define ArrayGrow(array) (ArrayReserve((array), (array)->count + 1) ? ((array)->count++, true) : false)

#define ArrayPush(array, value) ((array)->data[(array)->count++] = (value))

#define ArrayFree(array)                                                                                               \
	do                                                                                                                 \
	{                                                                                                                  \
		drapeMemFree((array)->data, (size_t)(array)->capacity * sizeof(*(array)->data));                               \
		(array)->data = NULL;                                                                                          \
		(array)->count = (array)->capacity = 0;                                                                        \
	} while (0)

// Doubles, to keep pushes constant in the mean: growing costs fresh pages, which shows in a frame.
bool drapeArrayReserveBytes(void** data, uint32_t* capacity, size_t needed, size_t elementSize);
