// SPDX-License-Identifier: MIT
#pragma once

/// @file base.h
/// Types, result codes and process-wide hooks that every drape header shares.
///
/// All units are SI: metres, kilograms, seconds, newtons, radians. Axes are right-handed. Triangles are
/// counter-clockwise seen from the side to which their normal points.
///
/// "Any thread" marks functions that any thread may call at any time.

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#if defined(DRAPE_SHARED) && defined(_WIN32)
#ifdef DRAPE_BUILDING
#define DRAPE_EXPORT __declspec(dllexport)
#else
#define DRAPE_EXPORT __declspec(dllimport)
#endif
#elif defined(DRAPE_SHARED) && defined(__GNUC__)
#define DRAPE_EXPORT __attribute__((visibility("default")))
#else
#define DRAPE_EXPORT
#endif

#ifdef __cplusplus
#define DRAPE_API extern "C" DRAPE_EXPORT
#else
#define DRAPE_API DRAPE_EXPORT
#endif

#define DRAPE_VERSION_MAJOR 0
#define DRAPE_VERSION_MINOR 2
#define DRAPE_VERSION_PATCH 0

/// Marks the absence of a vertex, edge or triangle. A mesh has at most 2^30 - 1 of each.
#define DRAPE_NONE UINT32_MAX

/// The largest refinement level of a cloth. One level of the edge scheme splits a triangle in four.
#define DRAPE_MAX_LEVEL 12

typedef struct drapeVec2
{
	float x, y;
} drapeVec2;

typedef struct drapeVec3
{
	float x, y, z;
} drapeVec3;

/// Three coordinates and a fourth value whose meaning the owner states. 16 bytes: one load reads it.
typedef struct drapeVec4
{
	float x, y, z, w;
} drapeVec4;

/// The result of a call that can fail. Zero is success.
typedef enum drapeResult
{
	drape_ok = 0,         ///< success
	drape_errorArgument,  ///< the caller passed an invalid argument; asserts in debug builds of the core
	drape_errorMemory,    ///< an allocation failed; nothing was changed
	drape_errorData,      ///< a mesh, file or scene is not usable; a report says where and why
	drape_errorFile,      ///< a file could not be opened, read or written
	drape_errorLimit,     ///< too large for 32-bit indices or for a fixed limit of the library
	drape_errorCancelled, ///< the application cancelled the work; nothing was changed
	drape_errorBlocked,   ///< the neighbourhood forbids a split or join at present
} drapeResult;

/// Returns a short lower-case English phrase, never NULL, in static storage. Any thread.
DRAPE_API const char* drapeResult_GetText(drapeResult result);

/// A sentence about a failure, such as "shirt.obj:17: face names vertex 9, but there are only 8". An empty text means no
/// failure. Functions that take one write it only when they fail; NULL is allowed everywhere.
typedef struct drapeMessage
{
	drapeResult result;
	uint32_t line; ///< line of a file, counted from 1; 0 for a failure without a line
	char text[512];
} drapeMessage;

/// The version of the library. Compare it with the DRAPE_VERSION_ macros of the headers.
typedef struct drapeVersion
{
	int major, minor, patch;
} drapeVersion;

/// Returns the version of the library. Any thread.
DRAPE_API drapeVersion drapeGetVersion(void);

/// Memory hooks. @p alignment is a power of two and at least 16. The allocation hook returns NULL on failure, which the
/// library reports as ::drape_errorMemory. The free hook receives the size given at allocation and never receives NULL.
/// The library calls both on the thread that calls into drape, never on worker threads.
typedef void* drapeAllocFcn(size_t size, size_t alignment, void* context);
typedef void drapeFreeFcn(void* memory, size_t size, void* context);

/// Replaces the allocator. Two NULL functions restore the built-in one; with one NULL function nothing changes, and debug
/// builds assert. Call it before the first world or mesh is made: the allocator that gave memory must free it. Not
/// thread-safe.
DRAPE_API void drapeSetAllocator(drapeAllocFcn* allocFcn, drapeFreeFcn* freeFcn, void* context);

/// Memory that all worlds hold through the allocator at present.
typedef struct drapeMemoryUse
{
	size_t bytes;
	size_t blocks;
	size_t allocations; ///< calls so far; a settled step makes none
} drapeMemoryUse;

/// Returns the present use of memory. Any thread.
DRAPE_API drapeMemoryUse drapeGetMemoryUse(void);

/// Memory through the hooks above, for code beside the core, such as drape_io. drapeAlloc returns NULL if @p size is 0
/// or the allocation fails. drapeFree takes the size given at allocation; @p memory may be NULL. Any thread, if the
/// hooks allow it.
DRAPE_API void* drapeAlloc(size_t size);
DRAPE_API void drapeFree(void* memory, size_t size);

/// Receives a failed assertion of a debug build, or a failed validation of any build with DRAPE_VALIDATE. Returns true
/// to break into the debugger (abort), and false to continue.
typedef bool drapeAssertFcn(const char* condition, const char* file, int line);

/// Replaces the assertion handler. NULL restores the default, which writes to stderr and breaks. Not thread-safe.
DRAPE_API void drapeSetAssert(drapeAssertFcn* assertFcn);

/// A task for a host's job system. It processes items start <= i < end. @p worker is below the world's worker count.
/// Tasks that run at the same time must have different worker indices.
typedef void drapeTaskFcn(uint32_t start, uint32_t end, uint32_t worker, void* taskContext);

/// The host runs @p task over @p count items, in ranges of at least @p minRange. It may run the task at once and return
/// NULL.
typedef void* drapeEnqueueTaskFcn(drapeTaskFcn* task, uint32_t count, uint32_t minRange, void* taskContext,
                                  void* userContext);

/// The host waits for a task that drapeEnqueueTaskFcn returned. The library never passes NULL.
typedef void drapeFinishTaskFcn(void* userTask, void* userContext);
