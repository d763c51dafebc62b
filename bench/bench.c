// SPDX-License-Identifier: MIT
#include "bench.h"

#include <stdlib.h>

static int CompareDoubles(const void* a, const void* b)
{
	double x = *(const double*)a, y = *(const double*)b;
	return (x > y) - (x < y);
}

BenchTimes Bench_Summarise(double* times, int count)
{
	qsort(times, (size_t)count, sizeof *times, CompareDoubles);
	return (BenchTimes){times[0], times[count / 2]};
}
