// SPDX-License-Identifier: MIT
#pragma once

#include "base/base.h"

// Threads, locks, the clock and aligned memory of the operating system. posix.c and windows.c implement
// the functions; no other file of the core includes a header of an operating system.

typedef void ThreadFcn(void* context);

// Memory for the system's own objects, so that this header needs none of its headers.
typedef struct Thread
{
	ThreadFcn* fcn;
	void* context;
	uintptr_t handle;
} Thread;

typedef struct Mutex
{
	_Alignas(16) unsigned char system[64];
} Mutex;

typedef struct Condition
{
	_Alignas(16) unsigned char system[64];
} Condition;

// Starts a thread that calls the function and ends with it. `thread` stays where it is until it is joined. Returns false
// if the system refuses.
bool drapeThread_Start(Thread* thread, ThreadFcn* fcn, void* context);

// Waits for the end of a thread.
void drapeThread_Join(Thread* thread);

// Lets another thread run on this core.
void drapeThread_Yield(void);

// Returns false if the system refuses. The objects stay where they are until they are destroyed.
bool drapeMutex_Init(Mutex* mutex);
void drapeMutex_Destroy(Mutex* mutex);
void drapeMutex_Lock(Mutex* mutex);
void drapeMutex_Unlock(Mutex* mutex);

bool drapeCondition_Init(Condition* condition);
void drapeCondition_Destroy(Condition* condition);

// Unlocks the mutex, sleeps until another thread wakes all sleepers, and locks the mutex again. May wake by itself.
void drapeCondition_Wait(Condition* condition, Mutex* mutex);
void drapeCondition_WakeAll(Condition* condition);

// Nanoseconds of a monotonic clock; only differences have a meaning.
uint64_t drapePlatform_Now(void);

// Memory at a multiple of DRAPE_ALIGNMENT, or NULL.
void* drapePlatform_Alloc(size_t size);
void drapePlatform_Free(void* memory);

// Eases a loop that waits for another thread.
DRAPE_INLINE void Platform_Pause(void)
{
#if defined(__x86_64__) || defined(__i386__)
	__builtin_ia32_pause();
#elif defined(__aarch64__)
	__asm__ volatile("yield");
#endif
}
