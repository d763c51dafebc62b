// SPDX-License-Identifier: MIT
#include "base/portable/sort.h"

static void Swap(char* a, char* b, size_t size)
{
	for (size_t i = 0; i < size; ++i)
	{
		char kept = a[i];
		a[i] = b[i];
		b[i] = kept;
	}
}

// Moves an item down the heap until no child is larger.
static void Sink(char* items, size_t parent, size_t count, size_t size, drapeCompareFcn* compare)
{
	for (;;)
	{
		size_t child = 2 * parent + 1;
		if (child >= count)
			return;
		if (child + 1 < count && compare(items + (child + 1) * size, items + child * size) > 0)
			child++;
		if (compare(items + child * size, items + parent * size) <= 0)
			return;
		Swap(items + parent * size, items + child * size, size);
		parent = child;
	}
}

void drapeSort(void* items, size_t count, size_t size, drapeCompareFcn* compare)
{
	DRAPE_ASSERT(size > 0 && compare && (items || count == 0));
	char* bytes = items;
	for (size_t i = count / 2; i-- > 0;)
		Sink(bytes, i, count, size, compare);
	for (size_t i = count; i-- > 1;)
	{
		Swap(bytes, bytes + i * size, size);
		Sink(bytes, 0, i, size, compare);
	}
}
