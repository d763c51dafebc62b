// SPDX-License-Identifier: MIT
#include "adapt/adapt.h"

static double WeighedArea(const PatternMesh* pattern, const double* factors, uint32_t triangle)
{
	double area = drapePatternMesh_TriangleArea(pattern, triangle);
	DRAPE_ASSERT(!factors || factors[triangle] > 0.0);
	return factors ? area * factors[triangle] : area;
}

static double SumOfAreas(const PatternMesh* pattern, const double* factors)
{
	double sum = 0.0;
	for (uint32_t i = 0; factors && i < pattern->triangleCount; ++i)
		sum += WeighedArea(pattern, factors, i);
	return factors ? sum : pattern->area;
}

double drapeScheme_AreaTwelfths(const PatternMesh* pattern, const double* factors, int64_t divisor, int64_t* twelfths)
{
	DRAPE_ASSERT(divisor > 0 && pattern->area > 0.0);
	// The whole cloth is 2^60 units: sums of shares stay within 63 bits, and a pattern triangle's area is rounded to
	// 12 divisor / 2^60 of the cloth, below 1e-9 of it for the deepest hierarchy. The rounding error of a triangle is
	// carried to the next one: equal triangles would all be rounded alike, and the error of the sum would grow.
	double unit = SumOfAreas(pattern, factors) * 0x1p-60, carried = 0.0;
	for (uint32_t i = 0; i < pattern->triangleCount; ++i)
	{
		double exact = WeighedArea(pattern, factors, i) / (unit * 12.0 * (double)divisor) + carried;
		int64_t steps = exact < 1.0 ? 1 : (int64_t)(exact + 0.5);
		carried = exact - (double)steps;
		twelfths[i] = steps * divisor;
		DRAPE_ASSERT(twelfths[i] > 0);
	}
	return unit;
}
