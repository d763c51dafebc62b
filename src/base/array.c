// SPDX-License-Identifier: MIT
#include "base/array.h"

#include <string.h>

// Replaces borrowed elements by a copy of them.
static bool OwnBytes(void** data, uint32_t count, uint32_t* capacity, size_t needed, size_t elementSize)
{
	size_t owned = needed < count ? count : needed;
	DRAPE_ASSERT(*data && *capacity == 0);
	if (owned == 0)
		owned = 1;
	if (owned > UINT32_MAX)
		return false;
	void* copy = drapeMemAllocArray(owned, elementSize);
	if (!copy)
		return false;
	memcpy(copy, *data, count * elementSize);
	*data = copy;
	*capacity = (uint32_t)owned;
	return true;
}

bool drapeArrayReserveBytes(void** data, uint32_t count, uint32_t* capacity, size_t needed, size_t elementSize)
{
	DRAPE_ASSERT(elementSize > 0);
	DRAPE_ASSERT(*data || *capacity == 0);
	if (*data && *capacity == 0)
		return OwnBytes(data, count, capacity, needed, elementSize);
	if (needed <= *capacity)
		return true;
	if (needed > UINT32_MAX || needed > SIZE_MAX / elementSize)
		return false;
	size_t grown = 2 * (size_t)*capacity;
	if (grown < 16)
		grown = 16;
	if (grown < needed)
		grown = needed;
	if (grown > UINT32_MAX || grown > SIZE_MAX / elementSize)
		grown = needed;
	void* moved = drapeMemResize(*data, *capacity * elementSize, grown * elementSize);
	if (!moved)
		return false;
	*data = moved;
	*capacity = (uint32_t)grown;
	return true;
}
