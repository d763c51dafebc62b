// SPDX-License-Identifier: MIT
#pragma once

#include "base/base.h"

// Nanoseconds of a clock that never goes back. Only differences mean something. Any thread.
uint64_t drapeTimer_Now(void);

// Milliseconds since an earlier drapeTimer_Now.
double drapeTimer_Ms(uint64_t from);
