// SPDX-License-Identifier: MIT
#include "base/timer.h"

#include <time.h>

uint64_t drapeTimer_Now(void)
{
	struct timespec now;
	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

double drapeTimer_Ms(uint64_t from)
{
	return (double)(drapeTimer_Now() - from) * 1e-6;
}
