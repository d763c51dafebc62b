// SPDX-License-Identifier: MIT
#pragma once

// base — the ground everything else stands on, and the only room that depends on no other.
//
//   alloc.h    memory through the host's hooks, counted; failure comes back as false, never as an abort
//   array.h    growable arrays in three macros; pool.h hands out indices; arena.h for scratch that dies with a pass
//   maths.h    vectors in plain structs; simd.h eight floats at a time with a scalar twin that gives the same bits
//   transform.h  rotations and placements
//   bitset.h   one bit per element, scanned a word at a time;  hash.h hashes for tables and for state comparison
//   tasks.h    one parallel loop, whose cuts do not depend on the number of threads
//   random.h   a seeded generator;  timer.h a monotonic clock
//
// Rules of the house: no globals but the hooks of drape/base.h; no printing; nothing allocates in a loop that runs
// every step.

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

// Elements of a mesh are named by 30 bits, so that a triangle and a corner, or an edge and a side, fit into 32.
#define DRAPE_MAX_ELEMENTS ((1u << 30) - 1)

DRAPE_INLINE uint32_t MinU32(uint32_t a, uint32_t b)
{
	return a < b ? a : b;
}

DRAPE_INLINE uint32_t MaxU32(uint32_t a, uint32_t b)
{
	return a > b ? a : b;
}
