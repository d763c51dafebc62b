// SPDX-License-Identifier: MIT
#pragma once

#include "base/base.h"

// Every block is aligned to 64 bytes, a cache line and the widest SIMD load.
#define DRAPE_ALIGNMENT 64

// NULL when size is 0 or memory is short. The caller keeps the size for drapeMemFree.
void* drapeMemAlloc(size_t size);
void* drapeMemAllocZero(size_t size);
void drapeMemFree(void* memory, size_t size);

// count * size without overflow; NULL as drapeMemAlloc.
void* drapeMemAllocArray(size_t count, size_t size);

// Moves a block to a new size, keeping the first min(oldSize, newSize) bytes. On failure returns NULL and the old block
// stays.
void* drapeMemResize(void* memory, size_t oldSize, size_t newSize);
