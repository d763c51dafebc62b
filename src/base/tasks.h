// SPDX-License-Identifier: MIT
#pragma once

#include "base/base.h"

// A parallel loop. The pool cuts the range into chunks of `grain` items for any number of threads, and each call of the
// task gets exactly one chunk. Partial sums per chunk, added in the order of the chunks, are therefore the same bit for
// bit for any number of workers. Any worker may take any chunk.
//
// A pool runs one loop at a time, and one thread at a time may start it. Tasks see everything that this thread wrote
// before the loop. The thread sees everything that the tasks wrote after the loop. Tasks of one loop must not read each
// other's results.
typedef struct TaskPool TaskPool;

// Creates a pool. If enqueue and finish are NULL, the pool has workerCount - 1 threads of its own, and the thread that
// starts a loop is worker 0. If the system refuses threads, the pool has fewer workers: see drapeTaskPool_WorkerCount.
// With enqueue and finish the host runs the chunks; its worker indices are below workerCount. Returns NULL if memory
// runs out.
TaskPool* drapeTaskPool_Create(uint32_t workerCount, drapeEnqueueTaskFcn* enqueue, drapeFinishTaskFcn* finish,
                               void* userContext);

// Ends the threads and frees the pool. The pool may be NULL. No loop may be running.
void drapeTaskPool_Destroy(TaskPool* pool);

uint32_t drapeTaskPool_WorkerCount(const TaskPool* pool);

// Returns the number of chunks of a loop.
DRAPE_INLINE uint32_t TaskPool_ChunkCount(uint32_t count, uint32_t grain)
{
	DRAPE_ASSERT(grain > 0);
	return count / grain + (count % grain != 0);
}

// Calls fcn(start, end, worker, context) once for each chunk [k * grain, min(count, (k + 1) * grain)) and returns when
// all are done. With one worker or one chunk, the calling thread runs all chunks in order. The function allocates
// nothing. A task must not start a loop of the same pool.
void drapeTaskPool_For(TaskPool* pool, uint32_t count, uint32_t grain, drapeTaskFcn* fcn, void* context);

// While alert is set, waiting workers spin and do not sleep. Set it during many short loops, such as a step, in which
// waking a thread would cost more than a loop. The next loop wakes workers that sleep already.
void drapeTaskPool_SetAlert(TaskPool* pool, bool alert);
