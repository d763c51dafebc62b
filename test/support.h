// SPDX-License-Identifier: MIT
#pragma once

// What the tests share: cmocka with its includes, meshes drawn by hand, allocators that count and fail.

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "drape/mesh.h"

// An allocator that fails the allocation with this number (1 is the next one), and every one after it when `forever`.
// Test_FailAllocation(0, false) puts the usual allocator back and asserts that nothing it gave is still held.
void Test_FailAllocation(size_t number, bool forever);

// Allocations asked for since the last Test_FailAllocation.
size_t Test_AllocationCount(void);

// Builds in which long tests are cut short.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__) || !defined(NDEBUG)
enum
{
	isSlow = 1
};
#else
enum
{
	isSlow = 0
};
#endif
