// SPDX-License-Identifier: MIT
#include "base/alloc.h"

#include "base/checks/message.h"
#include "base/platform/platform.h"

#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

static struct
{
	drapeAllocFcn* alloc;
	drapeFreeFcn* free;
	void* context;
	drapeAssertFcn* assertFcn;
} hooks;

static atomic_size_t usedBytes, usedBlocks, allocationCount;
static _Thread_local int64_t threadBytes;

void drapeSetAllocator(drapeAllocFcn* allocFcn, drapeFreeFcn* freeFcn, void* context)
{
	if ((allocFcn == NULL) != (freeFcn == NULL))
	{
		drapeRefuse(NULL, "%s is NULL, expected both or none of allocFcn and freeFcn",
		            allocFcn ? "freeFcn" : "allocFcn");
		return;
	}
	hooks.alloc = allocFcn;
	hooks.free = freeFcn;
	hooks.context = context;
}

drapeMemoryUse drapeGetMemoryUse(void)
{
	return (drapeMemoryUse){
		.bytes = atomic_load_explicit(&usedBytes, memory_order_relaxed),
		.blocks = atomic_load_explicit(&usedBlocks, memory_order_relaxed),
		.allocations = atomic_load_explicit(&allocationCount, memory_order_relaxed),
	};
}

void drapeSetAssert(drapeAssertFcn* assertFcn)
{
	hooks.assertFcn = assertFcn;
}

bool drapeInternalAssert(const char* condition, const char* file, int line)
{
	if (hooks.assertFcn)
		return hooks.assertFcn(condition, file, line);
	fprintf(stderr, "drape: assertion failed: %s, %s:%d\n", condition, file, line);
	return true;
}

void* drapeMemAlloc(size_t size)
{
	if (size == 0)
		return NULL;
	void* memory = hooks.alloc ? hooks.alloc(size, DRAPE_ALIGNMENT, hooks.context) : drapePlatform_Alloc(size);
	if (!memory)
		return NULL;
	DRAPE_ASSERT(((uintptr_t)memory & (DRAPE_ALIGNMENT - 1)) == 0);
	atomic_fetch_add_explicit(&usedBytes, size, memory_order_relaxed);
	atomic_fetch_add_explicit(&usedBlocks, 1, memory_order_relaxed);
	atomic_fetch_add_explicit(&allocationCount, 1, memory_order_relaxed);
	threadBytes += (int64_t)size;
	return memory;
}

int64_t drapeMemOfThread(void)
{
	return threadBytes;
}

void* drapeMemAllocZero(size_t size)
{
	void* memory = drapeMemAlloc(size);
	if (memory)
		memset(memory, 0, size);
	return memory;
}

void* drapeMemAllocArray(size_t count, size_t size)
{
	if (size != 0 && count > SIZE_MAX / size)
		return NULL;
	return drapeMemAlloc(count * size);
}

void drapeMemFree(void* memory, size_t size)
{
	if (!memory)
		return;
	DRAPE_ASSERT(size > 0);
	DRAPE_ASSERT(atomic_load_explicit(&usedBytes, memory_order_relaxed) >= size);
	atomic_fetch_sub_explicit(&usedBytes, size, memory_order_relaxed);
	atomic_fetch_sub_explicit(&usedBlocks, 1, memory_order_relaxed);
	threadBytes -= (int64_t)size;
	if (hooks.free)
		hooks.free(memory, size, hooks.context);
	else
		drapePlatform_Free(memory);
}

void* drapeMemResize(void* memory, size_t oldSize, size_t newSize)
{
	DRAPE_ASSERT(memory || oldSize == 0);
	void* moved = drapeMemAlloc(newSize);
	if (!moved)
		return NULL;
	if (memory)
		memcpy(moved, memory, oldSize < newSize ? oldSize : newSize);
	drapeMemFree(memory, oldSize);
	return moved;
}

void* drapeAlloc(size_t size)
{
	return drapeMemAlloc(size);
}

void drapeFree(void* memory, size_t size)
{
	drapeMemFree(memory, size);
}
