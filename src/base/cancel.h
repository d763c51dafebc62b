// SPDX-License-Identifier: MIT
#pragma once

#include "base/base.h"

#include <stdatomic.h>

// A request to stop the work under way. Any thread may set it, also a signal handler. Long loops test it.
typedef struct CancelFlag
{
	atomic_bool isSet;
} CancelFlag;

DRAPE_INLINE void CancelFlag_Set(CancelFlag* flag)
{
	atomic_store_explicit(&flag->isSet, true, memory_order_relaxed);
}

DRAPE_INLINE void CancelFlag_Clear(CancelFlag* flag)
{
	atomic_store_explicit(&flag->isSet, false, memory_order_relaxed);
}

// `flag` may be NULL.
DRAPE_INLINE bool CancelFlag_IsSet(const CancelFlag* flag)
{
	return flag && atomic_load_explicit(&flag->isSet, memory_order_relaxed);
}
