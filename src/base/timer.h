// SPDX-License-Identifier: MIT
#pragma once

#include "base/base.h"

// Returns the nanoseconds of a monotonic clock. Only differences have a meaning. Any thread.
uint64_t drapeTimer_Now(void);

// Returns the milliseconds since an earlier drapeTimer_Now. Any thread.
double drapeTimer_Ms(uint64_t from);
