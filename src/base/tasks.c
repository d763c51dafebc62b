// SPDX-License-Identifier: MIT
#include "base/tasks.h"

#include "base/alloc.h"
#include "base/platform/platform.h"
#include "base/timer.h"

#include <stdatomic.h>

// The built-in pool.
//
// The caller publishes a loop through one 64-bit atomic, the ticket:
//
//     generation of the loop (20 bits) | first unclaimed chunk (22 bits) | number of unclaimed chunks (22 bits)
//
// A worker claims a chunk with a compare-and-swap: the caller claims the first unclaimed chunk, other workers the last.
// Each worker therefore gets a contiguous part of the range. Successive loops over the same elements find their part in
// the worker's own cache. If chunks were dealt out in turn, the cache lines of their results would move between cores
// in every loop.
//
// A loop cannot end while a chunk is unclaimed. A swap that succeeds therefore proves that the description of the loop,
// read just before, belongs to this generation. After a swap that fails, the worker discards the description. Workers
// that arrive late find the count at 0 and touch nothing. A loop therefore never waits for a sleeping worker.
//
// Memory order. The caller writes the description before it publishes the ticket (release). Workers read it after they
// see the ticket (acquire). Its fields are atomics only because a late worker may read them while the caller writes the
// next loop. Workers return results through `done`: a worker adds its chunks (release), and the caller waits for the
// full number (acquire). Publishing and falling asleep need sequential consistency: the caller publishes and then looks
// for sleepers, a worker counts itself as a sleeper and then looks for a loop, and the second of the two must see the
// first.
//
// Both sides wait with a short spin and then a condition variable: loops follow each other within microseconds inside a
// step, and milliseconds may pass between steps.

#define SPIN_NANOSECONDS 20000

enum
{
	ticketBits = 22, // bits of a number of chunks
};

#define TICKET_MASK (((uint64_t)1 << ticketBits) - 1)

typedef struct Loop
{
	drapeTaskFcn* fcn;
	void* context;
	uint32_t count, grain, chunkCount;
} Loop;

// Lets threads sleep until another thread changes an atomic.
typedef struct Waiter
{
	Mutex mutex;
	Condition wake;
	atomic_uint sleepers;
} Waiter;

typedef struct Worker
{
	TaskPool* pool;
	Thread thread;
	uint32_t index;
} Worker;

struct TaskPool
{
	// Constant after creation.
	_Alignas(DRAPE_ALIGNMENT) uint32_t workerCount;
	drapeEnqueueTaskFcn* enqueue;
	drapeFinishTaskFcn* finish;
	void* userContext;
	size_t size; // bytes of this block

	// The description of the loop, written by the caller between loops.
	_Alignas(DRAPE_ALIGNMENT) _Atomic(drapeTaskFcn*) fcn;
	_Atomic(void*) context;
	atomic_uint count, grain, chunkCount;
	atomic_bool running; // guards against loops within loops
	atomic_bool alert;   // loops follow soon: waiting workers spin and do not sleep
	atomic_bool stop;

	_Alignas(DRAPE_ALIGNMENT) _Atomic(uint64_t) ticket;
	_Alignas(DRAPE_ALIGNMENT) atomic_uint done; // chunks

	_Alignas(DRAPE_ALIGNMENT) Waiter workerWaiter;
	Waiter callerWaiter;

	Worker workers[]; // [workerCount]; the first is the caller and has no thread
};

static void RunChunk(const Loop* loop, uint32_t chunk, uint32_t worker)
{
	DRAPE_ASSERT(chunk < loop->chunkCount);
	uint32_t start = chunk * loop->grain;
	uint32_t end = loop->count - start > loop->grain ? start + loop->grain : loop->count;
	loop->fcn(start, end, worker, loop->context);
}

static bool Waiter_Init(Waiter* waiter)
{
	atomic_init(&waiter->sleepers, 0);
	if (!drapeMutex_Init(&waiter->mutex))
		return false;
	if (drapeCondition_Init(&waiter->wake))
		return true;
	drapeMutex_Destroy(&waiter->mutex);
	return false;
}

static void Waiter_Destroy(Waiter* waiter)
{
	drapeCondition_Destroy(&waiter->wake);
	drapeMutex_Destroy(&waiter->mutex);
}

// Wakes sleepers after the change that they wait for. Locking the mutex waits for threads that have counted themselves
// as sleepers and tested the condition, but do not sleep yet.
static void Waiter_Wake(Waiter* waiter)
{
	if (atomic_load(&waiter->sleepers) == 0)
		return;
	drapeMutex_Lock(&waiter->mutex);
	drapeMutex_Unlock(&waiter->mutex);
	drapeCondition_WakeAll(&waiter->wake);
}

// Waits until ready(pool) is true: spins first, then sleeps.
static void WaitUntil(TaskPool* pool, Waiter* waiter, bool ready(TaskPool* pool))
{
	uint64_t start = drapeTimer_Now();
	do
	{
		for (int i = 0; i < 16; ++i)
		{
			if (ready(pool))
				return;
			Platform_Pause();
		}
		drapeThread_Yield(); // lets a woken thread of this pool run on the same core
	} while (drapeTimer_Now() - start < SPIN_NANOSECONDS || atomic_load_explicit(&pool->alert, memory_order_relaxed));

	drapeMutex_Lock(&waiter->mutex);
	atomic_fetch_add(&waiter->sleepers, 1);
	while (!ready(pool))
		drapeCondition_Wait(&waiter->wake, &waiter->mutex);
	atomic_fetch_sub(&waiter->sleepers, 1);
	drapeMutex_Unlock(&waiter->mutex);
}

static bool HasWork(TaskPool* pool)
{
	return (atomic_load(&pool->ticket) & TICKET_MASK) != 0 || atomic_load(&pool->stop);
}

static bool IsDone(TaskPool* pool)
{
	return atomic_load(&pool->done) == atomic_load_explicit(&pool->chunkCount, memory_order_relaxed);
}

// Claims one chunk of the published loop. Returns false if none is left.
static bool ClaimChunk(TaskPool* pool, Loop* loop, uint32_t worker, uint32_t* chunk)
{
	const uint64_t oneUnclaimed = 1, oneFirst = (uint64_t)1 << ticketBits;
	uint64_t ticket = atomic_load_explicit(&pool->ticket, memory_order_acquire);
	while ((ticket & TICKET_MASK) != 0)
	{
		uint32_t unclaimed = (uint32_t)(ticket & TICKET_MASK), first = (uint32_t)(ticket >> ticketBits & TICKET_MASK);
		loop->fcn = atomic_load_explicit(&pool->fcn, memory_order_relaxed);
		loop->context = atomic_load_explicit(&pool->context, memory_order_relaxed);
		loop->count = atomic_load_explicit(&pool->count, memory_order_relaxed);
		loop->grain = atomic_load_explicit(&pool->grain, memory_order_relaxed);
		loop->chunkCount = atomic_load_explicit(&pool->chunkCount, memory_order_relaxed);
		uint64_t claimed = worker == 0 ? ticket + oneFirst - oneUnclaimed : ticket - oneUnclaimed;
		if (atomic_compare_exchange_weak_explicit(&pool->ticket, &ticket, claimed, memory_order_acq_rel,
		                                          memory_order_acquire))
		{
			*chunk = worker == 0 ? first : first + unclaimed - 1;
			return true;
		}
	}
	return false;
}

// Works on the published loop until every chunk is claimed, then reports the finished chunks together. The loop cannot
// end before that report, so all of them belong to one loop.
static void Work(TaskPool* pool, uint32_t worker)
{
	Loop loop = {0};
	uint32_t chunk;
	uint32_t finished = 0;
	while (ClaimChunk(pool, &loop, worker, &chunk))
	{
		RunChunk(&loop, chunk, worker);
		finished++;
	}
	if (finished > 0 && atomic_fetch_add(&pool->done, finished) + finished == loop.chunkCount && worker != 0)
		Waiter_Wake(&pool->callerWaiter);
}

static void WorkerMain(void* argument)
{
	Worker* worker = argument;
	TaskPool* pool = worker->pool;
	while (!atomic_load(&pool->stop))
	{
		Work(pool, worker->index);
		WaitUntil(pool, &pool->workerWaiter, HasWork);
	}
}

static void StartThreads(TaskPool* pool)
{
	uint32_t wanted = pool->workerCount;
	pool->workerCount = 1;
	for (uint32_t i = 1; i < wanted; ++i)
	{
		Worker* worker = &pool->workers[i];
		worker->pool = pool;
		worker->index = i;
		if (!drapeThread_Start(&worker->thread, WorkerMain, worker))
			break;
		pool->workerCount++;
	}
}

TaskPool* drapeTaskPool_Create(uint32_t workerCount, drapeEnqueueTaskFcn* enqueue, drapeFinishTaskFcn* finish,
                               void* userContext)
{
	DRAPE_ASSERT(workerCount > 0);
	DRAPE_ASSERT((enqueue == NULL) == (finish == NULL));
	workerCount = MaxU32(workerCount, 1);
	size_t size = sizeof(TaskPool) + (enqueue ? 0 : workerCount * sizeof(Worker));
	TaskPool* pool = drapeMemAllocZero(size);
	if (!pool)
		return NULL;
	pool->size = size;
	pool->workerCount = workerCount;
	pool->enqueue = enqueue;
	pool->finish = finish;
	pool->userContext = userContext;
	if (!Waiter_Init(&pool->workerWaiter))
	{
		drapeMemFree(pool, size);
		return NULL;
	}
	if (!Waiter_Init(&pool->callerWaiter))
	{
		Waiter_Destroy(&pool->workerWaiter);
		drapeMemFree(pool, size);
		return NULL;
	}
	if (!enqueue)
		StartThreads(pool);
	return pool;
}

void drapeTaskPool_Destroy(TaskPool* pool)
{
	if (!pool)
		return;
	DRAPE_ASSERT(!atomic_load_explicit(&pool->running, memory_order_relaxed));
	atomic_store(&pool->stop, true);
	Waiter_Wake(&pool->workerWaiter);
	if (!pool->enqueue)
	{
		for (uint32_t i = 1; i < pool->workerCount; ++i)
			drapeThread_Join(&pool->workers[i].thread);
	}
	Waiter_Destroy(&pool->workerWaiter);
	Waiter_Destroy(&pool->callerWaiter);
	drapeMemFree(pool, pool->size);
}

uint32_t drapeTaskPool_WorkerCount(const TaskPool* pool)
{
	return pool->workerCount;
}

static void RunOnThreads(TaskPool* pool, const Loop* loop)
{
	atomic_store_explicit(&pool->fcn, loop->fcn, memory_order_relaxed);
	atomic_store_explicit(&pool->context, loop->context, memory_order_relaxed);
	atomic_store_explicit(&pool->count, loop->count, memory_order_relaxed);
	atomic_store_explicit(&pool->grain, loop->grain, memory_order_relaxed);
	atomic_store_explicit(&pool->chunkCount, loop->chunkCount, memory_order_relaxed);
	atomic_store_explicit(&pool->done, 0, memory_order_relaxed);

	uint64_t ticket = atomic_load_explicit(&pool->ticket, memory_order_relaxed);
	DRAPE_ASSERT((ticket & TICKET_MASK) == 0);
	atomic_store(&pool->ticket, ((ticket >> 2 * ticketBits) + 1) << 2 * ticketBits | loop->chunkCount);
	Waiter_Wake(&pool->workerWaiter);

	Work(pool, 0);
	WaitUntil(pool, &pool->callerWaiter, IsDone);
}

typedef struct HostLoop
{
	const Loop* loop;
	uint32_t workerCount;
} HostLoop;

// Runs a range of chunks. The host may give several chunks to one call.
static void HostTask(uint32_t start, uint32_t end, uint32_t worker, void* taskContext)
{
	const HostLoop* host = taskContext;
	DRAPE_ASSERT(worker < host->workerCount);
	for (uint32_t chunk = start; chunk < end; ++chunk)
		RunChunk(host->loop, chunk, worker);
}

static void RunOnHost(TaskPool* pool, const Loop* loop)
{
	HostLoop host = {loop, pool->workerCount};
	void* task = pool->enqueue(HostTask, loop->chunkCount, 1, &host, pool->userContext);
	if (task)
		pool->finish(task, pool->userContext);
}

void drapeTaskPool_For(TaskPool* pool, uint32_t count, uint32_t grain, drapeTaskFcn* fcn, void* context)
{
	DRAPE_ASSERT(grain > 0);
	DRAPE_ASSERT(!atomic_load_explicit(&pool->running, memory_order_relaxed));
	atomic_store_explicit(&pool->running, true, memory_order_relaxed);
	Loop loop = {fcn, context, count, grain, TaskPool_ChunkCount(count, grain)};
	if (pool->workerCount == 1 || loop.chunkCount <= 1 || loop.chunkCount > TICKET_MASK)
	{
		for (uint32_t chunk = 0; chunk < loop.chunkCount; ++chunk)
			RunChunk(&loop, chunk, 0);
	}
	else if (pool->enqueue)
		RunOnHost(pool, &loop);
	else
		RunOnThreads(pool, &loop);
	atomic_store_explicit(&pool->running, false, memory_order_relaxed);
}

void drapeTaskPool_SetAlert(TaskPool* pool, bool alert)
{
	atomic_store_explicit(&pool->alert, alert, memory_order_relaxed);
}
