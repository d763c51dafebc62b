// SPDX-License-Identifier: MIT
#pragma once

#include "base/base.h"

#include <stdatomic.h>

// Counts the users of an object that threads share. The last one destroys it.
typedef struct UseCount
{
	atomic_uint users;
} UseCount;

// One user: the creator.
DRAPE_INLINE void UseCount_Init(UseCount* count)
{
	atomic_init(&count->users, 1);
}

// The caller has a user's right to the object, so that it exists.
DRAPE_INLINE void UseCount_Add(UseCount* count)
{
	uint32_t before = atomic_fetch_add_explicit(&count->users, 1, memory_order_relaxed);
	DRAPE_ASSERT(before > 0);
	(void)before;
}

// Returns true for the last user, which sees everything that the others have written.
DRAPE_INLINE bool UseCount_Remove(UseCount* count)
{
	uint32_t before = atomic_fetch_sub_explicit(&count->users, 1, memory_order_acq_rel);
	DRAPE_ASSERT(before > 0);
	return before == 1;
}
