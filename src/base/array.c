// SPDX-License-Identifier: MIT
#include "base/array.h"

bool drapeArrayReserveBytes(void** data, uint32_t* capacity, size_t needed, size_t elementSize)
{
	DRAPE_ASSERT(elementSize > 0);
	DRAPE_ASSERT(*data || *capacity == 0);
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
