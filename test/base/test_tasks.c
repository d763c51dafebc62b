// SPDX-License-Identifier: MIT
#include "support.h"

#include "base/alloc.h"
#include "base/platform/platform.h"
#include "base/tasks.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <string.h>
#include <time.h>

#define MAX_WORKERS 8
#define MAX_ITEMS 20000

// Threads the system still grants. Where the linker has --wrap, it puts __wrap_drapeThread_Start in the place of
// drapeThread_Start. The name of that function may be a macro, because the core is compiled once per instruction set.
static atomic_int threadsGranted = 1000;
static atomic_int threadsAskedFor;

#ifdef DRAPE_TEST_WRAP
#define JOINED(a, b) a##b
#define PREFIXED(prefix, name) JOINED(prefix, name)

bool PREFIXED(__real_, drapeThread_Start)(Thread* thread, ThreadFcn* fcn, void* context);
bool PREFIXED(__wrap_, drapeThread_Start)(Thread* thread, ThreadFcn* fcn, void* context);

bool PREFIXED(__wrap_, drapeThread_Start)(Thread* thread, ThreadFcn* fcn, void* context)
{
	atomic_fetch_add(&threadsAskedFor, 1);
	if (atomic_fetch_sub(&threadsGranted, 1) <= 0)
		return false;
	return PREFIXED(__real_, drapeThread_Start)(thread, fcn, context);
}
#endif

// What a loop did: written by tasks without locks, so that the thread sanitizer sees an item that is given to two.
typedef struct Record
{
	uint32_t count, grain, workerCount;
	uint8_t visits[MAX_ITEMS];
	uint32_t cutEnd[MAX_ITEMS]; // per chunk
	atomic_flag busy[MAX_WORKERS];
	atomic_uint calls, errors; // cmocka cannot fail from another thread
} Record;

static Record record;

static void RecordTask(uint32_t start, uint32_t end, uint32_t worker, void* context)
{
	Record* r = context;
	atomic_fetch_add_explicit(&r->calls, 1, memory_order_relaxed);
	bool fits = worker < r->workerCount && start < end && end <= r->count && start % r->grain == 0;
	if (!fits || atomic_flag_test_and_set_explicit(&r->busy[worker], memory_order_relaxed))
	{
		atomic_fetch_add_explicit(&r->errors, 1, memory_order_relaxed);
		return;
	}
	for (uint32_t i = start; i < end; ++i)
		r->visits[i]++;
	r->cutEnd[start / r->grain] = end;
	atomic_flag_clear_explicit(&r->busy[worker], memory_order_relaxed);
}

static void RunRecorded(TaskPool* pool, uint32_t count, uint32_t grain)
{
	record.count = count;
	record.grain = grain;
	record.workerCount = drapeTaskPool_WorkerCount(pool);
	memset(record.visits, 0, count);
	memset(record.cutEnd, 0, sizeof record.cutEnd[0] * TaskPool_ChunkCount(count, grain));
	atomic_store(&record.calls, 0);
	atomic_store(&record.errors, 0);
	drapeTaskPool_For(pool, count, grain, RecordTask, &record);
}

static void AssertEachItemVisitedOnceInFixedCuts(uint32_t count, uint32_t grain)
{
	uint32_t chunkCount = (uint32_t)(((uint64_t)count + grain - 1) / grain);
	assert_int_equal(atomic_load(&record.errors), 0);
	assert_int_equal(atomic_load(&record.calls), chunkCount);
	for (uint32_t i = 0; i < count; ++i)
		assert_int_equal(record.visits[i], 1);
	for (uint32_t i = 0; i < chunkCount; ++i)
		assert_int_equal(record.cutEnd[i], i + 1 < chunkCount ? (i + 1) * grain : count);
}

static const uint32_t counts[] = {0, 1, 2, 7, 64, 65, 1000, 4097, MAX_ITEMS};
static const uint32_t grains[] = {1, 2, 3, 64, 1000, 5000, UINT32_MAX};

static void RunAllShapes(TaskPool* pool)
{
	for (size_t i = 0; i < sizeof counts / sizeof counts[0]; ++i)
	{
		for (size_t k = 0; k < sizeof grains / sizeof grains[0]; ++k)
		{
			RunRecorded(pool, counts[i], grains[k]);
			AssertEachItemVisitedOnceInFixedCuts(counts[i], grains[k]);
		}
	}
}

static void EveryItemIsVisitedOnceInCutsThatThreadsDoNotMove(void** state)
{
	(void)state;
	for (uint32_t workers = 1; workers <= MAX_WORKERS; ++workers)
	{
		TaskPool* pool = drapeTaskPool_Create(workers, NULL, NULL, NULL);
		assert_non_null(pool);
		assert_int_equal(drapeTaskPool_WorkerCount(pool), workers);
		RunAllShapes(pool);
		drapeTaskPool_Destroy(pool);
	}
}

typedef struct InOrder
{
	pthread_t caller;
	uint32_t next;
} InOrder;

static void CallerTask(uint32_t start, uint32_t end, uint32_t worker, void* context)
{
	(void)end;
	InOrder* order = context;
	assert_int_equal(worker, 0);
	assert_true(pthread_equal(order->caller, pthread_self()));
	assert_int_equal(start, order->next);
	order->next += 10;
}

static void OneWorkerOrOneChunkRunsInOrderOnTheCaller(void** state)
{
	(void)state;
	InOrder context = {.caller = pthread_self()};
	TaskPool* one = drapeTaskPool_Create(1, NULL, NULL, NULL);
	drapeTaskPool_For(one, 95, 10, CallerTask, &context);
	assert_int_equal(context.next, 100);
	drapeTaskPool_Destroy(one);

	TaskPool* many = drapeTaskPool_Create(4, NULL, NULL, NULL);
	context.next = 0;
	drapeTaskPool_For(many, 10, 10, CallerTask, &context);
	assert_int_equal(context.next, 10);
	drapeTaskPool_For(many, 0, 10, CallerTask, &context);
	assert_int_equal(context.next, 10);
	drapeTaskPool_Destroy(many);
}

typedef struct Meeting
{
	atomic_uint arrived, workersSeen;
	uint32_t expected;
} Meeting;

// Returns only when all chunks are being worked on at once.
static void MeetTask(uint32_t start, uint32_t end, uint32_t worker, void* context)
{
	(void)start;
	(void)end;
	Meeting* meeting = context;
	atomic_fetch_or(&meeting->workersSeen, 1u << worker);
	atomic_fetch_add(&meeting->arrived, 1);
	while (atomic_load(&meeting->arrived) < meeting->expected)
		sched_yield();
}

static void AllWorkersTakePartWithTheirOwnIndex(void** state)
{
	(void)state;
	for (uint32_t workers = 2; workers <= MAX_WORKERS; ++workers)
	{
		TaskPool* pool = drapeTaskPool_Create(workers, NULL, NULL, NULL);
		Meeting meeting = {.expected = workers};
		drapeTaskPool_For(pool, workers, 1, MeetTask, &meeting);
		assert_int_equal(atomic_load(&meeting.workersSeen), (1u << workers) - 1);
		drapeTaskPool_Destroy(pool);
	}
}

typedef struct Sums
{
	const uint32_t* input;
	uint64_t* perChunk;
	uint32_t grain;
} Sums;

static void SumTask(uint32_t start, uint32_t end, uint32_t worker, void* context)
{
	(void)worker;
	const Sums* sums = context;
	uint64_t sum = 0;
	for (uint32_t i = start; i < end; ++i)
		sum += sums->input[i];
	sums->perChunk[start / sums->grain] = sum;
}

// Plain reads and writes on both sides of each loop: the order the header promises is all that keeps them apart.
static void TenThousandShortLoopsInARow(void** state)
{
	(void)state;
	enum
	{
		itemCount = 256,
		chunkSize = 32
	};
	for (uint32_t workers = 2; workers <= 4; workers += 2)
	{
		TaskPool* pool = drapeTaskPool_Create(workers, NULL, NULL, NULL);
		uint32_t input[itemCount];
		uint64_t perChunk[itemCount / chunkSize];
		Sums sums = {input, perChunk, chunkSize};
		size_t allocations = drapeGetMemoryUse().allocations;
		for (uint32_t round = 0; round < 10000; ++round)
		{
			uint32_t count = 1 + round % itemCount;
			for (uint32_t i = 0; i < count; ++i)
				input[i] = round + i;
			drapeTaskPool_For(pool, count, chunkSize, SumTask, &sums);
			uint64_t sum = 0;
			for (uint32_t i = 0; i < TaskPool_ChunkCount(count, chunkSize); ++i)
				sum += perChunk[i];
			assert_int_equal(sum, (uint64_t)count * round + (uint64_t)count * (count - 1) / 2);
		}
		assert_int_equal(drapeGetMemoryUse().allocations, allocations);
		drapeTaskPool_Destroy(pool);
	}
}

static void LoopsAfterAPauseWakeSleepingWorkers(void** state)
{
	(void)state;
	TaskPool* pool = drapeTaskPool_Create(3, NULL, NULL, NULL);
	for (uint32_t round = 0; round < 100; ++round)
	{
		struct timespec pause = {.tv_nsec = 1000 * (round % 10) * (round % 10) * 5}; // 0 to 400 microseconds
		nanosleep(&pause, NULL);
		Meeting meeting = {.expected = 3};
		drapeTaskPool_For(pool, 3, 1, MeetTask, &meeting);
		assert_int_equal(atomic_load(&meeting.workersSeen), 7);
	}
	drapeTaskPool_Destroy(pool);
}

static void PoolsAreMadeAndDestroyedAtAnyMoment(void** state)
{
	(void)state;
	drapeMemoryUse before = drapeGetMemoryUse();
	drapeTaskPool_Destroy(NULL);
	for (uint32_t round = 0; round < 100; ++round)
	{
		TaskPool* pool = drapeTaskPool_Create(1 + round % 5, NULL, NULL, NULL);
		for (uint32_t i = 0; i < round % 3; ++i)
		{
			RunRecorded(pool, 100, 10);
			AssertEachItemVisitedOnceInFixedCuts(100, 10);
		}
		drapeTaskPool_Destroy(pool);
	}
	assert_int_equal(drapeGetMemoryUse().blocks, before.blocks);
}

// A host that runs everything before it returns, in ranges of several chunks, the last first.
static void* EnqueueAtOnce(drapeTaskFcn* task, uint32_t count, uint32_t minRange, void* taskContext, void* userContext)
{
	uint32_t range = *(uint32_t*)userContext;
	assert_int_equal(minRange, 1);
	for (uint32_t end = count; end > 0;)
	{
		uint32_t start = end > range ? end - range : 0;
		task(start, end, end % 3, taskContext);
		end = start;
	}
	return NULL;
}

static void FinishNever(void* userTask, void* userContext)
{
	(void)userTask;
	(void)userContext;
	fail_msg("finish is not called for NULL");
}

static void HostRangesBecomeSingleChunks(void** state)
{
	(void)state;
	for (uint32_t range = 1; range < 10; range += 2)
	{
		TaskPool* pool = drapeTaskPool_Create(3, EnqueueAtOnce, FinishNever, &range);
		assert_int_equal(drapeTaskPool_WorkerCount(pool), 3);
		RunAllShapes(pool);
		drapeTaskPool_Destroy(pool);
	}
}

// A host with threads of its own: each takes every third chunk, and finish joins them.
typedef struct HostThread
{
	drapeTaskFcn* task;
	void* taskContext;
	uint32_t index, count;
	pthread_t thread;
} HostThread;

typedef struct Host
{
	HostThread threads[3];
	uint32_t enqueued, finished;
} Host;

static void* HostThreadMain(void* argument)
{
	HostThread* thread = argument;
	for (uint32_t i = thread->index; i < thread->count; i += 3)
		thread->task(i, i + 1, thread->index, thread->taskContext);
	return NULL;
}

static void* EnqueueOnThreads(drapeTaskFcn* task, uint32_t count, uint32_t minRange, void* taskContext,
                              void* userContext)
{
	(void)minRange;
	Host* host = userContext;
	host->enqueued++;
	for (uint32_t i = 0; i < 3; ++i)
	{
		host->threads[i] = (HostThread){.task = task, .taskContext = taskContext, .index = i, .count = count};
		assert_int_equal(pthread_create(&host->threads[i].thread, NULL, HostThreadMain, &host->threads[i]), 0);
	}
	return host;
}

static void FinishOnThreads(void* userTask, void* userContext)
{
	Host* host = userContext;
	assert_ptr_equal(userTask, host);
	for (uint32_t i = 0; i < 3; ++i)
		pthread_join(host->threads[i].thread, NULL);
	host->finished++;
}

static void HostThreadsRunTheLoop(void** state)
{
	(void)state;
	Host host = {0};
	TaskPool* pool = drapeTaskPool_Create(3, EnqueueOnThreads, FinishOnThreads, &host);
	RunAllShapes(pool);
	assert_true(host.enqueued > 0);
	assert_int_equal(host.enqueued, host.finished);
	drapeTaskPool_Destroy(pool);
}

static void RefusedThreadsLeaveFewerWorkers(void** state)
{
	(void)state;
	for (int granted = 0; granted < 4; ++granted)
	{
		atomic_store(&threadsAskedFor, 0);
		atomic_store(&threadsGranted, granted);
		TaskPool* pool = drapeTaskPool_Create(4, NULL, NULL, NULL);
		atomic_store(&threadsGranted, 1000);
		assert_non_null(pool);
		if (atomic_load(&threadsAskedFor) == 0) // the linker cannot replace the function
		{
			drapeTaskPool_Destroy(pool);
			skip();
		}
		assert_int_equal(drapeTaskPool_WorkerCount(pool), granted + 1);
		RunAllShapes(pool);
		drapeTaskPool_Destroy(pool);
	}
}

static void ShortMemoryGivesNoPool(void** state)
{
	(void)state;
	Test_FailAllocation(1, true);
	assert_null(drapeTaskPool_Create(4, NULL, NULL, NULL));
	assert_int_equal(Test_AllocationCount(), 1);
	Test_FailAllocation(0, false);
}

#ifndef NDEBUG
static atomic_uint assertions;

static bool CountAssertion(const char* condition, const char* file, int line)
{
	(void)condition;
	(void)file;
	(void)line;
	atomic_fetch_add(&assertions, 1);
	return false;
}

static void NothingTask(uint32_t start, uint32_t end, uint32_t worker, void* context)
{
	(void)start;
	(void)end;
	(void)worker;
	(void)context;
}

static void NestingTask(uint32_t start, uint32_t end, uint32_t worker, void* context)
{
	(void)start;
	(void)end;
	(void)worker;
	drapeTaskPool_For(context, 1, 1, NothingTask, NULL);
}

static void LoopWithinALoopAsserts(void** state)
{
	(void)state;
	for (uint32_t workers = 1; workers <= 2; ++workers)
	{
		TaskPool* pool = drapeTaskPool_Create(workers, NULL, NULL, NULL);
		drapeSetAssert(CountAssertion);
		atomic_store(&assertions, 0);
		drapeTaskPool_For(pool, 1, 1, NestingTask, pool);
		drapeSetAssert(NULL);
		assert_int_equal(atomic_load(&assertions), 1);
		drapeTaskPool_Destroy(pool);
	}
}
#endif

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(EveryItemIsVisitedOnceInCutsThatThreadsDoNotMove),
		cmocka_unit_test(OneWorkerOrOneChunkRunsInOrderOnTheCaller),
		cmocka_unit_test(AllWorkersTakePartWithTheirOwnIndex),
		cmocka_unit_test(TenThousandShortLoopsInARow),
		cmocka_unit_test(LoopsAfterAPauseWakeSleepingWorkers),
		cmocka_unit_test(PoolsAreMadeAndDestroyedAtAnyMoment),
		cmocka_unit_test(HostRangesBecomeSingleChunks),
		cmocka_unit_test(HostThreadsRunTheLoop),
		cmocka_unit_test(RefusedThreadsLeaveFewerWorkers),
		cmocka_unit_test(ShortMemoryGivesNoPool),
#ifndef NDEBUG
		cmocka_unit_test(LoopWithinALoopAsserts),
#endif
	};
	return cmocka_run_group_tests_name("tasks", tests, NULL, NULL);
}
