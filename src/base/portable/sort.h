// SPDX-License-Identifier: MIT
#pragma once

#include "base/base.h"

// Sorts items in place, as qsort does. The order of equal items is the same on every platform, unlike that of qsort, which
// C libraries implement in different ways; it is not the order they had. Heap sort: n log n comparisons at most, and no
// memory.
typedef int drapeCompareFcn(const void* a, const void* b);
void drapeSort(void* items, size_t count, size_t size, drapeCompareFcn* compare);
