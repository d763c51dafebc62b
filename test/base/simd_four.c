// SPDX-License-Identifier: MIT
#ifndef DRAPE_FOUR
#define DRAPE_FOUR 1
#endif
#include "simd_ops.h"

SimdTwin Simd_FourTwin(void)
{
	return (SimdTwin){DRAPE_SIMD_NAME, simdOps, sizeof simdOps / sizeof simdOps[0]};
}
