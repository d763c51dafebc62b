// SPDX-License-Identifier: MIT
#pragma once

#include "base/alloc.h"

// A growable array is three fields in any struct: ARRAY(uint32_t) slots;
// Call ArrayReserve while a failure can still be handled, then ArrayPush, which cannot fail. A pass that has begun can
// therefore always finish.
//
// An array may lend its elements to others (ArrayBorrow). A borrowed array has data and no capacity. It is read only:
// ArrayReserve, which precedes every change, gives it a copy of its own. The lender outlives it and does not change.

#define ARRAY(Type)                                                                                                    \
	struct                                                                                                             \
	{                                                                                                                  \
		Type* data;                                                                                                    \
		uint32_t count, capacity;                                                                                      \
	}

// Ensures a capacity of `needed` elements in all, and that the array owns its elements. False if memory runs out; the
// array is then unchanged.
#define ArrayReserve(array, needed)                                                                                    \
	drapeArrayReserveBytes((void**)&(array)->data, (array)->count, &(array)->capacity, (needed), sizeof(*(array)->data))

// Appends an uninitialised element, data[count - 1]. False if memory runs out; the array is then unchanged.
#define ArrayGrow(array) (ArrayReserve((array), (array)->count + 1) ? ((array)->count++, true) : false)

#define ArrayPush(array, value) ((array)->data[(array)->count++] = (value))

#define ArrayFree(array)                                                                                               \
	do                                                                                                                 \
	{                                                                                                                  \
		if ((array)->capacity > 0)                                                                                     \
			drapeMemFree((array)->data, (size_t)(array)->capacity * sizeof(*(array)->data));                           \
		(array)->data = NULL;                                                                                          \
		(array)->count = (array)->capacity = 0;                                                                        \
	} while (0)

// Turns a copy of the struct of another array into a borrowed array.
#define ArrayBorrow(array) ((array)->capacity = 0)

// Turns a copy of the struct of another array into an empty array.
#define ArrayForget(array) ((array)->data = NULL, (array)->count = (array)->capacity = 0)

// Doubles the capacity, so that a push takes constant time on average: new pages cost milliseconds in a frame.
bool drapeArrayReserveBytes(void** data, uint32_t count, uint32_t* capacity, size_t needed, size_t elementSize);
