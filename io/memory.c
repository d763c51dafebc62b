// SPDX-License-Identifier: MIT
#include "io.h"

#include <string.h>

static bool Resize(void** data, size_t* capacity, size_t count, size_t newCapacity, size_t elementSize)
{
	assert(count <= *capacity && count <= newCapacity);
	void* moved = drapeAlloc(newCapacity * elementSize);
	if (!moved)
		return false;
	if (count > 0)
		memcpy(moved, *data, count * elementSize);
	drapeFree(*data, *capacity * elementSize);
	*data = moved;
	*capacity = newCapacity;
	return true;
}

bool drapeIoArray_GrowBytes(void** data, size_t* capacity, size_t count, size_t extra, size_t elementSize)
{
	size_t most = SIZE_MAX / 2 / elementSize;
	if (extra > most || count > most - extra)
		return false;
	size_t needed = count + extra;
	size_t grown = *capacity + *capacity / 2;
	if (grown < 16)
		grown = 16;
	if (grown < needed || grown > most)
		grown = needed;
	return Resize(data, capacity, count, grown, elementSize);
}

bool drapeIoArray_TrimBytes(void** data, size_t* capacity, size_t count, size_t elementSize)
{
	if (count == *capacity)
		return true;
	if (count > 0)
		return Resize(data, capacity, count, count, elementSize);
	drapeFree(*data, *capacity * elementSize);
	*data = NULL;
	*capacity = 0;
	return true;
}
