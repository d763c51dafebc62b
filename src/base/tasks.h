// SPDX-License-Identifier: MIT
#pragma once

#include "base/base.h"

// One parallel loop. The range is cut into chunks of `grain` items, whatever the number of threads, and each call of
// the task gets exactly one chunk: partial sums kept per chunk and added in the order of chunks are the same bit for
// bit for any number of workers. Which worker takes which chunk is open.
//
// A pool runs one loop at a time, started from one thread at a time. What that thread wrote before the loop is seen by
// every task, and what the tasks wrote is seen by it after the loop; tasks of one loop see nothing of each other.
typedef struct TaskPool TaskPool;

// With enqueue and finish NULL the pool has workerCount - 1 threads of its own, and the thread that starts a loop is
// worker 0. When the system refuses threads the pool has fewer workers; ask drapeTaskPool_WorkerCount. With enqueue and
// finish the host runs the chunks and promises worker indices below workerCount.
// NULL when memory is short.
TaskPool* drapeTaskPool_Create(uint32_t workerCount, drapeEnqueueTaskFcn* enqueue, drapeFinishTaskFcn* finish,
                               void* userContext);

// NULL is allowed. No loop may be running.
void drapeTaskPool_Destroy(TaskPool* pool);

uint32_t drapeTaskPool_WorkerCount(const TaskPool* pool);

// Chunks of a loop.
DRAPE_INLINE uint32_t TaskPool_ChunkCount(uint32_t count, uint32_t grain)
{
	return count / grain + (count % grain != 0);
}

// Calls fcn(start, end, worker, context) once for each chunk [k * grain, min(count, (k + 1) * grain)) and returns when
// all are done. With one worker or one chunk all runs on the calling thread, in order. Allocates nothing. A task must
// not start a loop of the same pool.
void drapeTaskPool_For(TaskPool* pool, uint32_t count, uint32_t grain, drapeTaskFcn* fcn, void* context);

// While alert, workers that wait do not go to sleep: for a stretch of many short loops, such as a step, in which waking
// up would cost more than the loops. A sleeping worker is woken by the next loop.
void drapeTaskPool_SetAlert(TaskPool* pool, bool alert);
