// SPDX-License-Identifier: MIT
#include "support.h"

#include "base/chunks.h"
#include "drape/base.h"

enum
{
	grain = 7,
	total = 1000,
	mostWorkers = 4,
};

typedef struct Found
{
	uint32_t number, turn;
	float half;
} Found;

static uint32_t TurnsOf(uint32_t number)
{
	return number % 11 == 0 ? 40 : number % 3;
}

// As many of each number as its turns.
static void FillNumbers(const void* context, uint32_t start, uint32_t end, Chunk* chunk)
{
	const uint32_t* first = context;
	for (uint32_t i = start; i < end; ++i)
	{
		chunk->tests++;
		for (uint32_t k = 0; k < TurnsOf(*first + i); ++k)
		{
			Found* found = Chunk_Add(chunk, sizeof *found);
			if (found)
				*found = (Found){*first + i, k, 0.5f * (float)i};
		}
	}
}

typedef struct FoundList
{
	ARRAY(Found) found;
	ChunkList chunks;
} FoundList;

static bool Fill(FoundList* list, uint32_t first, uint32_t count, TaskPool* tasks)
{
	return drapeChunkList_Fill(&list->chunks, sizeof(Found), count, grain, FillNumbers, &first, tasks) &&
	       ChunkList_Join(&list->chunks, &list->found);
}

static void Free(FoundList* list)
{
	drapeChunkList_Free(&list->chunks);
	ArrayFree(&list->found);
}

// That elements from `at` on are those of a loop in order; returns where they end.
static uint32_t Check(const FoundList* list, uint32_t at, uint32_t first, uint32_t count)
{
	for (uint32_t i = 0; i < count; ++i)
	{
		for (uint32_t k = 0; k < TurnsOf(first + i); ++k, ++at)
		{
			assert_true(at < list->found.count);
			assert_int_equal(list->found.data[at].number, first + i);
			assert_int_equal(list->found.data[at].turn, k);
		}
	}
	return at;
}

static void OrderDoesNotDependOnWorkers(void** state)
{
	(void)state;
	for (uint32_t workers = 1; workers <= mostWorkers; ++workers)
	{
		TaskPool* tasks = drapeTaskPool_Create(workers, NULL, NULL, NULL);
		FoundList list = {0};
		assert_true(tasks && Fill(&list, 0, total, tasks));
		assert_int_equal(drapeChunkList_Tests(&list.chunks), total);
		// Less, then what overflows other chunks, behind what is there.
		assert_true(Fill(&list, 3, 50, tasks) && Fill(&list, 5, total, tasks));
		uint32_t end = Check(&list, Check(&list, Check(&list, 0, 0, total), 3, 50), 5, total);
		assert_int_equal(list.found.count, end);
		assert_true(Fill(&list, 0, 0, tasks));
		assert_int_equal(list.found.count, end);
		Free(&list);
		drapeTaskPool_Destroy(tasks);
	}
}

static void UsedListsAllocateNothing(void** state)
{
	(void)state;
	TaskPool* tasks = drapeTaskPool_Create(2, NULL, NULL, NULL);
	FoundList list = {0};
	assert_true(tasks && Fill(&list, 0, total, tasks));
	uint64_t before = drapeGetMemoryUse().allocations;
	list.found.count = 0;
	assert_true(Fill(&list, 0, total, tasks));
	assert_int_equal(drapeGetMemoryUse().allocations, before);
	Free(&list);
	drapeTaskPool_Destroy(tasks);
}

static void ShortOfMemoryNothingIsAdded(void** state)
{
	(void)state;
	TaskPool* tasks = drapeTaskPool_Create(1, NULL, NULL, NULL);
	bool isDone = false;
	assert_non_null(tasks);
	for (size_t number = 1; !isDone; ++number)
	{
		FoundList list = {0};
		Test_FailAllocation(number, false);
		isDone = Fill(&list, 0, 100, tasks);
		assert_int_equal(list.found.count, isDone ? Check(&list, 0, 0, 100) : 0);
		Free(&list);
		Test_FailAllocation(0, false);
	}
	drapeTaskPool_Destroy(tasks);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(OrderDoesNotDependOnWorkers),
		cmocka_unit_test(UsedListsAllocateNothing),
		cmocka_unit_test(ShortOfMemoryNothingIsAdded),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
