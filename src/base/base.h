// SPDX-License-Identifier: MIT
#pragma once

// base: memory, containers, vectors and threads. The module depends on no other module.
//
//   alloc.h      counted memory through the host's hooks; a failure returns NULL and never aborts
//   array.h      growable arrays in macros
//   pool.h       indices that are handed out and returned
//   maths.h      vectors as plain structs
//   portable/    elementary functions and sorting whose results are the same on every platform
//   simd.h       eight floats at a time; simd/ has the back ends, which give the same bits
//   transform.h  rotations and transforms
//   bitset.h     one bit per element, scanned a word at a time
//   checks/      checks of arguments: sentences about failures, tables of parameters, rules
//   slot_table.h the table of worlds, without locks
//   hash.h       hashes for tables and for comparing states, and a hash table
//   tasks.h      a parallel loop whose chunks do not depend on the number of threads
//   chunks.h     lists that a parallel loop fills in a fixed order
//   random.h     a seeded random generator
//   timer.h      a monotonic clock
//   platform/    threads, locks, clock and memory of the operating system
//
// Rules: no globals except the hooks of drape/base.h and the table of worlds; no printing; no allocation in a loop that runs every step.

#include "drape/base.h"

#include <assert.h>

bool drapeInternalAssert(const char* condition, const char* file, int line);

#if defined(_MSC_VER)
#define DRAPE_BREAK() __debugbreak()
#else
#define DRAPE_BREAK() __builtin_trap()
#endif

#ifdef NDEBUG
#define DRAPE_ASSERT(condition) ((void)sizeof((condition) ? 1 : 0))
#else
#define DRAPE_ASSERT(condition)                                                                                        \
	do                                                                                                                 \
	{                                                                                                                  \
		if (!(condition) && drapeInternalAssert(#condition, __FILE__, __LINE__))                                       \
			DRAPE_BREAK();                                                                                             \
	} while (0)
#endif

#if defined(__GNUC__)
#define DRAPE_INLINE static inline __attribute__((always_inline))
#define DRAPE_LIKELY(x) __builtin_expect(!!(x), 1)
#define DRAPE_UNLIKELY(x) __builtin_expect(!!(x), 0)
#define DRAPE_PREFETCH(p) __builtin_prefetch(p)
#define DRAPE_PREFETCH_WRITE(p) __builtin_prefetch(p, 1)
#else
#define DRAPE_INLINE static inline
#define DRAPE_LIKELY(x) (x)
#define DRAPE_UNLIKELY(x) (x)
#define DRAPE_PREFETCH(p) ((void)(p))
#define DRAPE_PREFETCH_WRITE(p) ((void)(p))
#endif

// An index of a mesh element has 30 bits, so that a triangle with a corner, or an edge with a side, fits into 32 bits.
#define DRAPE_MAX_ELEMENTS ((1u << 30) - 1)

DRAPE_INLINE uint32_t MinU32(uint32_t a, uint32_t b)
{
	return a < b ? a : b;
}

DRAPE_INLINE uint32_t MaxU32(uint32_t a, uint32_t b)
{
	return a > b ? a : b;
}
