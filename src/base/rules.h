// SPDX-License-Identifier: MIT
#pragma once

#include "base/base.h"

// What a definition must satisfy, one row per rule, so that a test can see that each fires.
typedef struct Rule
{
	bool holds;
	const char* reason; // a static sentence
} Rule;

// True when all hold; else the reason of the first that does not goes to *reason, which may be NULL.
static inline bool Rules_Hold(const Rule* rules, size_t count, const char** reason)
{
	for (size_t i = 0; i < count; ++i)
	{
		if (rules[i].holds)
			continue;
		if (reason)
			*reason = rules[i].reason;
		return false;
	}
	return true;
}
