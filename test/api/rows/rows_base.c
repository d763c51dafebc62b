// SPDX-License-Identifier: MIT
#include "api.h"

#include <stdlib.h>
#include <string.h>

static void* Alloc(size_t size, size_t alignment, void* context)
{
	(void)context;
	return aligned_alloc(alignment, (size + alignment - 1) / alignment * alignment);
}

static void Free(void* memory, size_t size, void* context)
{
	(void)size;
	(void)context;
	free(memory);
}

void Rows_Base(Api* api)
{
	ACCEPTED(drapeResult_GetText, result, strcmp(drapeResult_GetText((drapeResult)99), "unknown result") == 0);
	ACCEPTED(drapeResult_GetText, result, strcmp(drapeResult_GetText((drapeResult)-1), "unknown result") == 0);
	CANNOT_FAIL(drapeGetVersion, ALL, "it returns constants");
	CANNOT_FAIL(drapeGetMemoryUse, ALL, "it returns counters");
	ASSERTED(drapeSetAllocator, allocFcn, "freeFcn is NULL, expected both or none of allocFcn and freeFcn",
	         (drapeSetAllocator(Alloc, NULL, NULL), true));
	ASSERTED(drapeSetAllocator, freeFcn, "allocFcn is NULL, expected both or none of allocFcn and freeFcn",
	         (drapeSetAllocator(NULL, Free, NULL), true));
	CANNOT_FAIL(drapeSetAllocator, context, "the library does not read it");
	CANNOT_FAIL(drapeSetAssert, assertFcn, "NULL restores the default");
	ACCEPTED(drapeAlloc, size, drapeAlloc(0) == NULL);
	ACCEPTED(drapeFree, memory, (drapeFree(NULL, 0), true));
	CANNOT_FAIL(drapeFree, size, "the library does not know the size of a block");
}
