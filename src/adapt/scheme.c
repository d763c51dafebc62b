// SPDX-License-Identifier: MIT
#include "adapt/adapt.h"

double Scheme_AreaTwelfths(const PatternMesh* pattern, int64_t divisor, int64_t* twelfths)
{
	// The whole cloth is 2^60 units: sums of shares stay within 63 bits, and a pattern triangle's area is rounded to
	// 12 divisor / 2^60 of the cloth, below 1e-9 of it for the deepest hierarchy.
	double unit = pattern->area * 0x1p-60;
	for (uint32_t i = 0; i < pattern->triangleCount; ++i)
	{
		double area = PatternMesh_TriangleArea(pattern, i);
		int64_t steps = (int64_t)(area / (unit * 12.0 * (double)divisor) + 0.5);
		twelfths[i] = (steps > 0 ? steps : 1) * divisor;
	}
	return unit;
}
