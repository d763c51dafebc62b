// SPDX-License-Identifier: MIT
#include "support.h"

#include <stdlib.h>

static struct
{
	size_t failAt, count, held;
	bool forever, active;
} failing;

static void* FailingAlloc(size_t size, size_t alignment, void* context)
{
	(void)context;
	failing.count++;
	if (failing.count == failing.failAt || (failing.forever && failing.count > failing.failAt))
		return NULL;
	failing.held++;
	return aligned_alloc(alignment, (size + alignment - 1) / alignment * alignment);
}

static void FailingFree(void* memory, size_t size, void* context)
{
	(void)size;
	(void)context;
	failing.held--;
	free(memory);
}

void Test_FailAllocation(size_t number, bool forever)
{
	assert_int_equal(failing.held, 0);
	failing.failAt = number;
	failing.forever = forever;
	failing.count = 0;
	if (number == 0)
		drapeSetAllocator(NULL, NULL, NULL);
	else
		drapeSetAllocator(FailingAlloc, FailingFree, NULL);
}

size_t Test_AllocationCount(void)
{
	return failing.count;
}
