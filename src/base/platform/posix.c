// SPDX-License-Identifier: MIT
#if defined(__linux__) && !defined(_DEFAULT_SOURCE)
#define _DEFAULT_SOURCE // for madvise
#endif

#include "base/platform/platform.h"

#include "base/alloc.h"

// A file without declarations is no C, so that the declarations above stand outside of this condition.
#ifndef _WIN32

#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <time.h>
#if defined(__linux__)
#include <sys/mman.h>
#endif

enum
{
	hugePage = 2 << 20, // bytes
};

_Static_assert(sizeof(pthread_mutex_t) <= sizeof(Mutex) && sizeof(pthread_cond_t) <= sizeof(Condition),
               "the objects of the system fit");
_Static_assert(_Alignof(pthread_mutex_t) <= _Alignof(Mutex) && _Alignof(pthread_cond_t) <= _Alignof(Condition),
               "the objects of the system are aligned");
_Static_assert(sizeof(pthread_t) <= sizeof(uintptr_t), "a thread's handle fits");

static void* ThreadMain(void* argument)
{
	const Thread* thread = argument;
	thread->fcn(thread->context);
	return NULL;
}

bool drapeThread_Start(Thread* thread, ThreadFcn* fcn, void* context)
{
	DRAPE_ASSERT(thread && fcn);
	thread->fcn = fcn;
	thread->context = context;
	pthread_t handle;
	if (pthread_create(&handle, NULL, ThreadMain, thread) != 0)
		return false;
	thread->handle = (uintptr_t)handle;
	return true;
}

void drapeThread_Join(Thread* thread)
{
	pthread_join((pthread_t)thread->handle, NULL);
}

void drapeThread_Yield(void)
{
	sched_yield();
}

bool drapeMutex_Init(Mutex* mutex)
{
	return pthread_mutex_init((pthread_mutex_t*)(void*)mutex->system, NULL) == 0;
}

void drapeMutex_Destroy(Mutex* mutex)
{
	pthread_mutex_destroy((pthread_mutex_t*)(void*)mutex->system);
}

void drapeMutex_Lock(Mutex* mutex)
{
	pthread_mutex_lock((pthread_mutex_t*)(void*)mutex->system);
}

void drapeMutex_Unlock(Mutex* mutex)
{
	pthread_mutex_unlock((pthread_mutex_t*)(void*)mutex->system);
}

bool drapeCondition_Init(Condition* condition)
{
	return pthread_cond_init((pthread_cond_t*)(void*)condition->system, NULL) == 0;
}

void drapeCondition_Destroy(Condition* condition)
{
	pthread_cond_destroy((pthread_cond_t*)(void*)condition->system);
}

void drapeCondition_Wait(Condition* condition, Mutex* mutex)
{
	pthread_cond_wait((pthread_cond_t*)(void*)condition->system, (pthread_mutex_t*)(void*)mutex->system);
}

void drapeCondition_WakeAll(Condition* condition)
{
	pthread_cond_broadcast((pthread_cond_t*)(void*)condition->system);
}

uint64_t drapePlatform_Now(void)
{
	struct timespec now;
	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

// Loops over large meshes stream through hundreds of megabytes. Huge pages spare most misses of the TLB, and hardware
// prefetches, which end at the border of a page, run on. The end of a block that fills no huge page has small ones, so
// that blocks take no more memory.
static void* AllocHuge(size_t size)
{
	void* memory = NULL;
	DRAPE_ASSERT(size >= hugePage);
	if (posix_memalign(&memory, hugePage, size) != 0)
		return NULL;
#if defined(__linux__) && defined(MADV_HUGEPAGE)
	madvise(memory, size / hugePage * hugePage, MADV_HUGEPAGE); // systems without huge pages refuse
#endif
	return memory;
}

void* drapePlatform_Alloc(size_t size)
{
	if (size > SIZE_MAX - hugePage)
		return NULL;
	if (size >= hugePage)
		return AllocHuge(size);
	return aligned_alloc(DRAPE_ALIGNMENT, (size + DRAPE_ALIGNMENT - 1) / DRAPE_ALIGNMENT * DRAPE_ALIGNMENT);
}

void drapePlatform_Free(void* memory)
{
	free(memory);
}

#endif
