// SPDX-License-Identifier: MIT
#pragma once

#include "base/base.h"

// Every block is aligned to 64 bytes, a cache line and the widest SIMD load.
#define DRAPE_ALIGNMENT 64

// Returns NULL if size is 0 or the allocation fails. The caller keeps the size for drapeMemFree.
void* drapeMemAlloc(size_t size);
void* drapeMemAllocZero(size_t size);
void drapeMemFree(void* memory, size_t size);

// Returns the bytes that this thread has allocated and not freed, less those that it has freed for others. Only
// differences have a meaning.
int64_t drapeMemOfThread(void);

// Allocates count * size bytes. Returns NULL if the product overflows, and in the cases of drapeMemAlloc.
void* drapeMemAllocArray(size_t count, size_t size);

// Moves a block to one of another size and copies the first min(oldSize, newSize) bytes. Returns NULL on failure; the
// old block then stays valid.
void* drapeMemResize(void* memory, size_t oldSize, size_t newSize);
