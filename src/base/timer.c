// SPDX-License-Identifier: MIT
#include "base/timer.h"

#include "base/platform/platform.h"

uint64_t drapeTimer_Now(void)
{
	return drapePlatform_Now();
}

double drapeTimer_Ms(uint64_t from)
{
	return (double)(drapeTimer_Now() - from) * 1e-6;
}
