// SPDX-License-Identifier: MIT
#pragma once

#include "base/base.h"

// A validation rule of a definition. Definitions are checked by tables of rules, so that a test can prove that each
// rule fires.
typedef struct Rule
{
	bool holds;
	const char* reason; // a static sentence
} Rule;

// Returns true if all rules hold. Otherwise *reason (may be NULL) receives the reason of the first broken rule.
static inline bool Rules_Hold(const Rule* rules, size_t count, const char** reason)
{
	for (size_t i = 0; i < count; ++i)
	{
		DRAPE_ASSERT(rules[i].reason);
		if (rules[i].holds)
			continue;
		if (reason)
			*reason = rules[i].reason;
		return false;
	}
	return true;
}
