// SPDX-License-Identifier: MIT
#pragma once

#include "bench.h"

// The figure of Simnett et al. 2010, 8: a T-shirt of 316 base triangles, refined to about 6,000 of 20,224, worn by a
// standing body of 67,000 triangles. One pass of adaptation and four substeps of springs with contact at 30 Hz, on one
// thread: 22 ms there, on an i7-920.
json_t* ContactShirt_Measure(const BenchOptions* options);
