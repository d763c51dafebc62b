// SPDX-License-Identifier: MIT
#pragma once

#include "base/base.h"

// A small seeded random generator: PCG-XSH-RR 64/32 of O'Neill 2014, "PCG: A Family of Simple Fast Space-Efficient
// Statistically Good Algorithms for Random Number Generation". It gives the same numbers on every machine. It is a
// plain value: copy it to repeat a sequence, and give each user its own.
typedef struct Random
{
	uint64_t state;
	uint64_t increment; // odd
} Random;

DRAPE_INLINE uint32_t Random_U32(Random* random)
{
	uint64_t state = random->state;
	random->state = state * 6364136223846793005u + random->increment;
	uint32_t shifted = (uint32_t)((state >> 18 ^ state) >> 27);
	uint32_t rotation = (uint32_t)(state >> 59);
	return shifted >> rotation | shifted << (-rotation & 31);
}

// Any seed is allowed. Generators with the same seed and different streams give unrelated numbers.
DRAPE_INLINE Random Random_Seed(uint64_t seed, uint64_t stream)
{
	Random random = {.state = 0, .increment = stream << 1 | 1};
	Random_U32(&random);
	random.state += seed;
	Random_U32(&random);
	return random;
}

// Returns 0 <= result < n, all values with equal probability. Lemire 2019, "Fast Random Integer Generation in an
// Interval": the function draws again for the 2^32 mod n products that would favour some values.
DRAPE_INLINE uint32_t Random_Below(Random* random, uint32_t n)
{
	DRAPE_ASSERT(n > 0);
	uint64_t product = (uint64_t)Random_U32(random) * n;
	if ((uint32_t)product < n)
	{
		uint32_t excess = -n % n; // 2^32 mod n
		while ((uint32_t)product < excess)
			product = (uint64_t)Random_U32(random) * n;
	}
	return (uint32_t)(product >> 32);
}

// Returns 0 <= result < 1, a multiple of 2^-24.
DRAPE_INLINE float Random_Float(Random* random)
{
	return (float)(Random_U32(random) >> 8) * 0x1p-24f;
}

// Returns a <= result <= b, for a finite b - a. The product is below the rounded b - a by at least half a unit in its
// last digit, so the sum cannot exceed b; it may round to b.
DRAPE_INLINE float Random_Range(Random* random, float a, float b)
{
	DRAPE_ASSERT(a <= b);
	return a + (b - a) * Random_Float(random);
}
