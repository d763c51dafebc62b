// SPDX-License-Identifier: MIT
#include "support.h"

#include "base/array.h"

#include <stdlib.h>
#include <string.h>

static void MemoryUseCountsBytesBlocksAndCalls(void** state)
{
	(void)state;
	drapeMemoryUse before = drapeGetMemoryUse();
	void* a = drapeMemAlloc(100);
	void* b = drapeMemAllocZero(1);
	drapeMemoryUse held = drapeGetMemoryUse();
	assert_int_equal(held.bytes - before.bytes, 101);
	assert_int_equal(held.blocks - before.blocks, 2);
	assert_int_equal(held.allocations - before.allocations, 2);
	drapeMemFree(a, 100);
	drapeMemFree(b, 1);
	drapeMemoryUse after = drapeGetMemoryUse();
	assert_int_equal(after.bytes, before.bytes);
	assert_int_equal(after.blocks, before.blocks);
	assert_int_equal(after.allocations, held.allocations);
}

static void BlocksAreAlignedAndZeroedWhenAsked(void** state)
{
	(void)state;
	for (size_t size = 1; size < 300; size += 13)
	{
		uint8_t* memory = drapeMemAllocZero(size);
		assert_non_null(memory);
		assert_int_equal((uintptr_t)memory % DRAPE_ALIGNMENT, 0);
		for (size_t i = 0; i < size; ++i)
			assert_int_equal(memory[i], 0);
		memset(memory, 0xff, size);
		drapeMemFree(memory, size);
	}
}

// They use huge pages where the system has them, and small ones for the rest.
static void LargeBlocksCanBeWrittenUpToTheirEnd(void** state)
{
	(void)state;
	const size_t sizes[] = {((size_t)2 << 20) - 1, (size_t)2 << 20, ((size_t)2 << 20) + 1, ((size_t)7 << 20) + 100};
	drapeMemoryUse before = drapeGetMemoryUse();
	for (size_t i = 0; i < sizeof sizes / sizeof *sizes; ++i)
	{
		uint8_t* memory = drapeMemAllocZero(sizes[i]);
		assert_non_null(memory);
		assert_int_equal((uintptr_t)memory % DRAPE_ALIGNMENT, 0);
		assert_int_equal(drapeGetMemoryUse().bytes - before.bytes, sizes[i]);
		assert_true(memory[0] == 0 && memory[sizes[i] - 1] == 0);
		memset(memory, 0xff, sizes[i]);
		uint8_t* grown = drapeMemResize(memory, sizes[i], 2 * sizes[i]);
		assert_non_null(grown);
		assert_true(grown[0] == 0xff && grown[sizes[i] - 1] == 0xff);
		memset(grown, 0, 2 * sizes[i]);
		drapeMemFree(grown, 2 * sizes[i]);
	}
	assert_int_equal(drapeGetMemoryUse().bytes, before.bytes);
}

static void SizeZeroAllocatesNothingAndNullIsNotFreed(void** state)
{
	(void)state;
	drapeMemoryUse before = drapeGetMemoryUse();
	assert_null(drapeMemAlloc(0));
	assert_null(drapeMemAllocZero(0));
	assert_null(drapeMemAllocArray(0, 16));
	assert_null(drapeMemAllocArray(16, 0));
	drapeMemFree(NULL, 0);
	drapeMemoryUse after = drapeGetMemoryUse();
	assert_memory_equal(&before, &after, sizeof before);
}

static void SizesThatOverflowAreRefused(void** state)
{
	(void)state;
	drapeMemoryUse before = drapeGetMemoryUse();
	assert_null(drapeMemAlloc(SIZE_MAX));
	assert_null(drapeMemAlloc(SIZE_MAX - DRAPE_ALIGNMENT + 1));
	assert_null(drapeMemAllocArray(SIZE_MAX / 2, 3));
	assert_null(drapeMemAllocArray(SIZE_MAX / 4 + 1, 4)); // the product wraps to 0
	drapeMemoryUse after = drapeGetMemoryUse();
	assert_memory_equal(&before, &after, sizeof before);
}

static void ResizeKeepsWhatFits(void** state)
{
	(void)state;
	uint8_t* memory = drapeMemResize(NULL, 0, 10);
	for (uint8_t i = 0; i < 10; ++i)
		memory[i] = i;
	memory = drapeMemResize(memory, 10, 1000);
	for (uint8_t i = 0; i < 10; ++i)
		assert_int_equal(memory[i], i);
	memory = drapeMemResize(memory, 1000, 4);
	for (uint8_t i = 0; i < 4; ++i)
		assert_int_equal(memory[i], i);
	drapeMemFree(memory, 4);
}

static void FailedResizeLeavesTheOldBlock(void** state)
{
	(void)state;
	Test_FailAllocation(2, false);
	uint8_t* memory = drapeMemAlloc(10);
	memset(memory, 7, 10);
	drapeMemoryUse before = drapeGetMemoryUse();
	assert_null(drapeMemResize(memory, 10, 20));
	drapeMemoryUse after = drapeGetMemoryUse();
	assert_memory_equal(&before, &after, sizeof before);
	assert_int_equal(memory[9], 7);
	drapeMemFree(memory, 10);
	Test_FailAllocation(0, false);
}

static struct
{
	size_t allocs, frees, lastSize, lastAlignment, lastFreedSize;
	void* lastContext;
} hook;

static void* HookAlloc(size_t size, size_t alignment, void* context)
{
	hook.allocs++;
	hook.lastSize = size;
	hook.lastAlignment = alignment;
	hook.lastContext = context;
	return Test_AlignedAlloc(size, alignment);
}

static void HookFree(void* memory, size_t size, void* context)
{
	hook.frees++;
	hook.lastFreedSize = size;
	hook.lastContext = context;
	assert_non_null(memory);
	Test_AlignedFree(memory);
}

static void HooksReceiveSizeAlignmentAndContext(void** state)
{
	(void)state;
	int context = 0;
	memset(&hook, 0, sizeof hook);
	drapeSetAllocator(HookAlloc, HookFree, &context);
	void* memory = drapeMemAlloc(33);
	assert_int_equal(hook.allocs, 1);
	assert_int_equal(hook.lastSize, 33);
	assert_int_equal(hook.lastAlignment, DRAPE_ALIGNMENT);
	assert_ptr_equal(hook.lastContext, &context);
	hook.lastContext = NULL;
	drapeMemFree(memory, 33);
	drapeMemFree(NULL, 33);
	assert_int_equal(hook.frees, 1);
	assert_int_equal(hook.lastFreedSize, 33);
	assert_ptr_equal(hook.lastContext, &context);
	drapeSetAllocator(NULL, NULL, NULL);
	memory = drapeMemAlloc(8);
	drapeMemFree(memory, 8);
	assert_int_equal(hook.allocs, 1);
	assert_int_equal(hook.frees, 1);
}

static void FailingAllocatorFailsTheOneAskedFor(void** state)
{
	(void)state;
	for (int forever = 0; forever < 2; ++forever)
	{
		Test_FailAllocation(2, forever);
		void* first = drapeMemAlloc(1);
		void* second = drapeMemAlloc(1);
		void* third = drapeMemAlloc(1);
		assert_non_null(first);
		assert_null(second);
		assert_true((third == NULL) == (forever != 0));
		assert_int_equal(Test_AllocationCount(), 3);
		drapeMemFree(first, 1);
		drapeMemFree(third, 1);
		Test_FailAllocation(0, false);
	}
}

static void ArrayKeepsWhatWasPushed(void** state)
{
	(void)state;
	ARRAY(uint32_t) array = {0};
	for (uint32_t i = 0; i < 1000; ++i)
	{
		assert_true(ArrayGrow(&array));
		array.data[array.count - 1] = i * i;
	}
	assert_int_equal(array.count, 1000);
	for (uint32_t i = 0; i < 1000; ++i)
		assert_int_equal(array.data[i], i * i);
	ArrayFree(&array);
	assert_null(array.data);
	assert_int_equal(array.capacity, 0);
}

static void ArrayGrowsInFewSteps(void** state)
{
	(void)state;
	ARRAY(uint32_t) array = {0};
	size_t before = drapeGetMemoryUse().allocations;
	for (uint32_t i = 0; i < 100000; ++i)
		assert_true(ArrayGrow(&array));
	assert_true(drapeGetMemoryUse().allocations - before < 30);
	ArrayFree(&array);
}

static void PushAfterReserveAllocatesNothing(void** state)
{
	(void)state;
	ARRAY(double) array = {0};
	assert_true(ArrayReserve(&array, 100));
	size_t before = drapeGetMemoryUse().allocations;
	for (uint32_t i = 0; i < 100; ++i)
		ArrayPush(&array, i);
	assert_true(ArrayReserve(&array, 100));
	assert_int_equal(drapeGetMemoryUse().allocations, before);
	ArrayFree(&array);
}

static void ArrayTooLongIsRefused(void** state)
{
	(void)state;
	ARRAY(drapeVec4) array = {0};
#if SIZE_MAX > UINT32_MAX
	assert_false(ArrayReserve(&array, (size_t)UINT32_MAX + 1));
#endif
	assert_false(ArrayReserve(&array, SIZE_MAX));
	assert_null(array.data);
	assert_int_equal(array.capacity, 0);
}

static void FailedArrayReserveChangesNothing(void** state)
{
	(void)state;
	Test_FailAllocation(2, true);
	ARRAY(uint32_t) array = {0};
	assert_true(ArrayReserve(&array, 4));
	ArrayPush(&array, 42);
	uint32_t* data = array.data;
	uint32_t capacity = array.capacity;
	assert_false(ArrayReserve(&array, capacity + 1));
	array.count = capacity;
	assert_false(ArrayGrow(&array));
	assert_ptr_equal(array.data, data);
	assert_int_equal(array.capacity, capacity);
	assert_int_equal(array.count, capacity);
	assert_int_equal(array.data[0], 42);
	ArrayFree(&array);
	Test_FailAllocation(0, false);
}

#ifndef NDEBUG
static int assertions;

static bool CountAssertion(const char* condition, const char* file, int line)
{
	assert_string_equal(condition, "1 + 1 == 3");
	assert_non_null(strstr(file, "test_alloc.c"));
	assert_true(line > 0);
	assertions++;
	return false;
}
#endif

static void AssertHookIsCalledInDebugBuildsOnly(void** state)
{
	(void)state;
#ifdef NDEBUG
	int evaluated = 0;
	DRAPE_ASSERT(evaluated++ == 1);
	assert_int_equal(evaluated, 0);
#else
	drapeSetAssert(CountAssertion);
	DRAPE_ASSERT(1 + 1 == 3);
	DRAPE_ASSERT(1 + 1 == 2);
	drapeSetAssert(NULL);
	assert_int_equal(assertions, 1);
#endif
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(MemoryUseCountsBytesBlocksAndCalls),
		cmocka_unit_test(BlocksAreAlignedAndZeroedWhenAsked),
		cmocka_unit_test(LargeBlocksCanBeWrittenUpToTheirEnd),
		cmocka_unit_test(SizeZeroAllocatesNothingAndNullIsNotFreed),
		cmocka_unit_test(SizesThatOverflowAreRefused),
		cmocka_unit_test(ResizeKeepsWhatFits),
		cmocka_unit_test(FailedResizeLeavesTheOldBlock),
		cmocka_unit_test(HooksReceiveSizeAlignmentAndContext),
		cmocka_unit_test(FailingAllocatorFailsTheOneAskedFor),
		cmocka_unit_test(ArrayKeepsWhatWasPushed),
		cmocka_unit_test(ArrayGrowsInFewSteps),
		cmocka_unit_test(PushAfterReserveAllocatesNothing),
		cmocka_unit_test(ArrayTooLongIsRefused),
		cmocka_unit_test(FailedArrayReserveChangesNothing),
		cmocka_unit_test(AssertHookIsCalledInDebugBuildsOnly),
	};
	return cmocka_run_group_tests_name("alloc", tests, NULL, NULL);
}
