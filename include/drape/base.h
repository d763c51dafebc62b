// SPDX-License-Identifier: MIT
#pragma once

/// @file base.h
/// Types, result codes and process-wide hooks shared by every drape header.
///
/// Units are SI throughout the library: metres, kilograms, seconds, newtons, radians.
/// Axes are right-handed; triangles wind counter-clockwise seen from the side their normal points to.

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
#define DRAPE_VERSION_MINOR 1
#define DRAPE_VERSION_PATCH 0

/// "No such vertex, edge or triangle." Also the reason why a mesh can have at most 2^30 - 1 of each.
#define DRAPE_NONE UINT32_MAX

/// The deepest refinement level a cloth may ask for. One level splits a triangle in four.
#define DRAPE_MAX_LEVEL 12

typedef struct drapeVec2
{
	float x, y;
} drapeVec2;

typedef struct drapeVec3
{
	float x, y, z;
} drapeVec3;

/// Three coordinates and a fourth value whose meaning the owner states. 16 bytes, so that one load fetches it.
typedef struct drapeVec4
{
	float x, y, z, w;
} drapeVec4;

/// What a call that can fail returns. Zero is success.
typedef enum drapeResult
{
	drape_ok = 0,
	drape_errorArgument, ///< the program passed something no caller may pass; asserts in debug builds
	drape_errorMemory,   ///< an allocation failed; nothing was changed
	drape_errorData,     ///< a mesh, file or scene is not usable; a report says where and why
	drape_errorFile,     ///< a file could not be opened, read or written
	drape_errorLimit,    ///< too large for 32-bit indices or for a fixed limit of the library
	drape_errorUnstable, ///< a step could not be made at any number of substeps
	drape_errorBlocked,  ///< a split or join that the neighbourhood forbids right now
} drapeResult;

/// A short lower-case English phrase, never NULL. Static storage. Any thread.
DRAPE_API const char* drapeResult_String(drapeResult result);

/// The library's version, to compare with the DRAPE_VERSION_ macros the program was compiled with.
typedef struct drapeVersion
{
	int major, minor, patch;
} drapeVersion;

DRAPE_API drapeVersion drapeGetVersion(void);

/// Memory hooks. @p alignment is a power of two and at least 16. Allocation returns NULL on failure,
/// which the library reports as ::drape_errorMemory. Free receives the size given at allocation and is never called
/// with NULL. Both are called from the thread that calls into drape, never from worker threads.
typedef void* drapeAllocFcn(size_t size, size_t alignment, void* context);
typedef void drapeFreeFcn(void* memory, size_t size, void* context);

/// Replaces the allocator. Both NULL restores the built-in one.
/// Set it before the first world or mesh is made: memory must be freed by the allocator that gave it. Not thread-safe.
DRAPE_API void drapeSetAllocator(drapeAllocFcn* allocFcn, drapeFreeFcn* freeFcn, void* context);

/// Bytes and blocks held through the allocator right now, over all worlds. Any thread.
typedef struct drapeMemoryUse
{
	size_t bytes;
	size_t blocks;
	size_t allocations; ///< calls so far, so that a test can see that a settled step makes none
} drapeMemoryUse;

DRAPE_API drapeMemoryUse drapeGetMemoryUse(void);

/// Memory through the hooks above, for code that works beside the core, such as drape_io. drapeAlloc returns NULL when
/// @p size is 0 or memory is short. drapeFree takes the size given at allocation; NULL is allowed. Any thread, as far
/// as the hooks allow it.
DRAPE_API void* drapeAlloc(size_t size);
DRAPE_API void drapeFree(void* memory, size_t size);

/// Called when an assertion fails in a debug build, or a check of the heavy kind in any build with DRAPE_VALIDATE.
/// Return true to break into the debugger (abort), false to go on. NULL restores the default, which writes to stderr
/// and breaks.
typedef bool drapeAssertFcn(const char* condition, const char* file, int line);
DRAPE_API void drapeSetAssert(drapeAssertFcn* assertFcn);

/// A task for a host's job system: works on items start <= i < end. The worker index is below the world's worker count
/// and no two tasks that run at the same time have the same one.
typedef void drapeTaskFcn(uint32_t start, uint32_t end, uint32_t worker, void* taskContext);

/// Asks the host to run @p task over @p count items, cut into ranges of at least @p minRange. May run it at once and
/// return NULL.
typedef void* drapeEnqueueTaskFcn(drapeTaskFcn* task, uint32_t count, uint32_t minRange, void* taskContext,
                                  void* userContext);

/// Waits for a task that drapeEnqueueTaskFcn returned. Not called for NULL.
typedef void drapeFinishTaskFcn(void* userTask, void* userContext);
