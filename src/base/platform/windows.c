// SPDX-License-Identifier: MIT
#include "base/platform/platform.h"

#include "base/alloc.h"

#ifdef _WIN32

#define WIN32_LEAN_AND_MEAN
#include <windows.h>

#include <malloc.h>

_Static_assert(sizeof(SRWLOCK) <= sizeof(Mutex) && sizeof(CONDITION_VARIABLE) <= sizeof(Condition),
               "the objects of the system fit");
_Static_assert(sizeof(HANDLE) <= sizeof(uintptr_t), "a thread's handle fits");

static DWORD WINAPI ThreadMain(void* argument)
{
	const Thread* thread = argument;
	thread->fcn(thread->context);
	return 0;
}

bool drapeThread_Start(Thread* thread, ThreadFcn* fcn, void* context)
{
	DRAPE_ASSERT(thread && fcn);
	thread->fcn = fcn;
	thread->context = context;
	HANDLE handle = CreateThread(NULL, 0, ThreadMain, thread, 0, NULL);
	thread->handle = (uintptr_t)handle;
	return handle != NULL;
}

void drapeThread_Join(Thread* thread)
{
	WaitForSingleObject((HANDLE)thread->handle, INFINITE);
	CloseHandle((HANDLE)thread->handle);
}

void drapeThread_Yield(void)
{
	SwitchToThread();
}

bool drapeMutex_Init(Mutex* mutex)
{
	InitializeSRWLock((SRWLOCK*)(void*)mutex->system);
	return true;
}

void drapeMutex_Destroy(Mutex* mutex)
{
	(void)mutex; // holds nothing
}

void drapeMutex_Lock(Mutex* mutex)
{
	AcquireSRWLockExclusive((SRWLOCK*)(void*)mutex->system);
}

void drapeMutex_Unlock(Mutex* mutex)
{
	ReleaseSRWLockExclusive((SRWLOCK*)(void*)mutex->system);
}

bool drapeCondition_Init(Condition* condition)
{
	InitializeConditionVariable((CONDITION_VARIABLE*)(void*)condition->system);
	return true;
}

void drapeCondition_Destroy(Condition* condition)
{
	(void)condition; // holds nothing
}

void drapeCondition_Wait(Condition* condition, Mutex* mutex)
{
	SleepConditionVariableSRW((CONDITION_VARIABLE*)(void*)condition->system, (SRWLOCK*)(void*)mutex->system, INFINITE,
	                          0);
}

void drapeCondition_WakeAll(Condition* condition)
{
	WakeAllConditionVariable((CONDITION_VARIABLE*)(void*)condition->system);
}

// The product of the counter and 10^9 does not fit 64 bits after some minutes, so that whole seconds are split off.
uint64_t drapePlatform_Now(void)
{
	LARGE_INTEGER frequency, counter;
	QueryPerformanceFrequency(&frequency);
	QueryPerformanceCounter(&counter);
	uint64_t perSecond = (uint64_t)frequency.QuadPart, count = (uint64_t)counter.QuadPart;
	return count / perSecond * 1000000000u + count % perSecond * 1000000000u / perSecond;
}

void* drapePlatform_Alloc(size_t size)
{
	// The function of msvcrt.dll adds to the size without a check, and returns a small block if the sum wraps.
	return size <= PTRDIFF_MAX ? _aligned_malloc(size, DRAPE_ALIGNMENT) : NULL;
}

void drapePlatform_Free(void* memory)
{
	_aligned_free(memory);
}

#endif
