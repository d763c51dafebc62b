// SPDX-License-Identifier: MIT
#ifndef DRAPE_SCALAR
#define DRAPE_SCALAR 1
#endif
#include "simd_ops.h"

SimdTwin Simd_ScalarTwin(void)
{
	return (SimdTwin){DRAPE_SIMD_NAME, simdOps, sizeof simdOps / sizeof simdOps[0]};
}
