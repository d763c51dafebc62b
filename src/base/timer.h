// SPDX-License-Identifier: MIT
#pragma once

#include "base/base.h"

// Nanoseconds of a clock that never goes back. Only differences mean something. Any thread.
uint64_t Timer_Now(void);

// Milliseconds since an earlier Timer_Now.
double Timer_Ms(uint64_t from);
