// SPDX-License-Identifier: MIT
#pragma once

/// @file world.h
/// Worlds: the data that cloths share, and the step that moves everything.
///
/// Thread rule for all headers of worlds and their objects: one thread at a time may call functions for one world.
/// Different worlds are independent. Functions that are marked "Any thread" have no such rule.
///
/// Functions that can fail return a drapeResult. When one refuses an argument or fails, the world keeps a sentence that
/// names the offending value and the expected one: drapeWorld_GetMessage. Handles of destroyed objects are refused, too
/// (id.h). Debug builds assert when an argument is refused.
///
/// ::drape_errorArgument changes nothing. Every function with a result may return it, for a handle that is not valid, a
/// pointer that is NULL although the function needs it, a number that is not finite, and a value out of the range that the
/// comment names. Getters refuse an array that is NULL with a capacity above 0, and return 0.

#include "drape/cloth.h"
#include "drape/collider.h"
#include "drape/column.h"
#include "drape/constraint.h"
#include "drape/contact.h"
#include "drape/filter.h"
#include "drape/id.h"
#include "drape/motion.h"
#include "drape/pin.h"
#include "drape/query.h"
#include "drape/stats.h"
#include "drape/teleport.h"
#include "drape/untangle.h"
#include "drape/vertices.h"
#include "drape/wind.h"

#define DRAPE_MAX_WORKERS 64

/// Describes a world. Get one from drapeDefaultWorldDef, then change it.
typedef struct drapeWorldDef
{
	/// Threads to use, the calling one included, 1 to DRAPE_MAX_WORKERS. The results do not depend on this number.
	uint32_t workerCount;
	drapeEnqueueTaskFcn* enqueueTask; ///< the host's job system; NULL for the built-in threads
	drapeFinishTaskFcn* finishTask;   ///< required with enqueueTask
	void* taskContext;                ///< passed to both
	drapeVec3 gravity;                ///< m/s^2
	drapeWindDef wind;
	/// Hz, > 0: adaptation passes per second of simulated time, for any length of step. Bender and Deul adapt in every
	/// fifth step of 5 ms, which is 40 Hz.
	float adaptRate;
	void* userData;
	uint32_t cookie; ///< set by drapeDefaultWorldDef; catches a definition that was not initialised
} drapeWorldDef;

/// One thread, the Earth's gravity, no wind. Any thread.
DRAPE_API drapeWorldDef drapeDefaultWorldDef(void);

/// Creates a world and writes its handle to @p world. Destroy it with drapeDestroyWorld. Returns ::drape_errorArgument
/// for a value out of range, ::drape_errorLimit if DRAPE_MAX_WORLDS worlds exist, or ::drape_errorMemory; @p world is
/// then null, and @p message (may be NULL) receives a sentence. Any thread.
DRAPE_API drapeResult drapeCreateWorld(const drapeWorldDef* def, drapeWorldId* world, drapeMessage* message);

/// Destroys the world with its cloths, colliders and motions. The handle may be null. Any thread.
DRAPE_API drapeResult drapeDestroyWorld(drapeWorldId world);

/// Tells whether the handle names a world that exists. Never asserts. Any thread.
DRAPE_API bool drapeWorld_IsValid(drapeWorldId world);

/// Returns the sentence of the last call for this world that failed, a getter with a bad argument included, such as "material.density is -1, expected a number
/// from 1e-06 to 1e+06 kg/m^2"; "" if none has failed. Valid until the next failure or the destruction of the world.
DRAPE_API const char* drapeWorld_GetMessage(drapeWorldId world);

/// Sets and returns the pointer of the application, which the library does not read. NULL for a handle that is not valid.
DRAPE_API drapeResult drapeWorld_SetUserData(drapeWorldId world, void* userData);
DRAPE_API void* drapeWorld_GetUserData(drapeWorldId world);

/// Write at most @p capacity handles of the objects of a world, in the order of their slots, and return their number.
/// The array may be NULL if the capacity is 0.
DRAPE_API uint32_t drapeWorld_GetCloths(drapeWorldId world, drapeClothId* cloths, uint32_t capacity);
DRAPE_API uint32_t drapeWorld_GetColliders(drapeWorldId world, drapeColliderId* colliders, uint32_t capacity);
DRAPE_API uint32_t drapeWorld_GetMotions(drapeWorldId world, drapeMotionId* motions, uint32_t capacity);
DRAPE_API uint32_t drapeWorld_GetConstraints(drapeWorldId world, drapeConstraintId* constraints, uint32_t capacity);

/// Checks every invariant of every cloth (docs/architecture.md lists them). Returns ::drape_errorData, with a sentence
/// that names the cloth and the invariant, if one does not hold. Slow: for tests and debugging.
DRAPE_API drapeResult drapeWorld_Validate(drapeWorldId world);

/// The memory of elements in use. drapeGetMemoryUse counts all memory.
typedef struct drapeWorldMemory
{
	size_t hierarchyBytes; ///< refinement hierarchies of all cloths
	size_t activeBytes;    ///< active meshes of all cloths
} drapeWorldMemory;

/// Returns the memory of the world's cloths. Time is linear in the number of cloths.
DRAPE_API drapeWorldMemory drapeWorld_GetMemory(drapeWorldId world);

/// --- the step -------------------------------------------------------------------------------------------------------

/// A cloth that a step had to damp or to hold.
typedef struct drapeStepWarning
{
	uint64_t count;     ///< warnings since the world was created; 0: the other fields are zero
	double time;        ///< s, at the start of the step
	drapeClothId cloth; ///< the cloth
	drapeVec3 position; ///< m, the middle of the cloth
	char text[160];     ///< a sentence: the problem, the attempts to avoid it, and the measure that was taken
} drapeStepWarning;

/// Advances the world by @p dt seconds, > 0. The step moves motions and colliders, adapts the cloths at their own rate
/// (at most one pass per step), moves each cloth in substeps with contact, and computes normals.
///
/// If a cloth yields a value that is not finite, or gains energy that no force can explain, its step is repeated with
/// more substeps. If that fails too, the cloth is damped for this step. If that does not help, it stays where it is,
/// and only its pins move. The step goes on, and drapeWorld_GetWarning tells which cloth it was. The work of a step is
/// bounded.
///
/// Returns ::drape_errorArgument if @p dt is not a positive number, ::drape_errorMemory, or ::drape_errorCancelled after
/// drapeWorld_Cancel. Positions, velocities and time are then those before the step; an adaptation pass may have
/// refined the meshes.
DRAPE_API drapeResult drapeWorld_Step(drapeWorldId world, float dt);

/// Cancels the step that is under way in another thread, which returns ::drape_errorCancelled within milliseconds. If no
/// step is under way, the next one is cancelled. Any thread, also while a step is under way, and from a signal handler;
/// the only condition is that the world exists.
DRAPE_API void drapeWorld_Cancel(drapeWorldId world);

/// Returns the last warning; zeros if there was none.
DRAPE_API drapeStepWarning drapeWorld_GetWarning(drapeWorldId world);

/// Returns the simulated seconds since the world was created.
DRAPE_API double drapeWorld_GetTime(drapeWorldId world);

/// --- gravity, wind, camera ------------------------------------------------------------------------------------------

/// Sets gravity in m/s^2, from the next step on. Any finite vector.
DRAPE_API drapeResult drapeWorld_SetGravity(drapeWorldId world, drapeVec3 gravity);
DRAPE_API drapeVec3 drapeWorld_GetGravity(drapeWorldId world);

/// Sets the wind, from the next step on. drapeWindDef names the range of each value.
DRAPE_API drapeResult drapeWorld_SetWind(drapeWorldId world, const drapeWindDef* wind);
DRAPE_API drapeWindDef drapeWorld_GetWind(drapeWorldId world);

/// Returns the wind velocity in m/s at a point (m) and time (s); zero for numbers that are not finite.
DRAPE_API drapeVec3 drapeWorld_GetWindVelocity(drapeWorldId world, drapeVec3 point, double time);

/// Sets the camera position (m) for cloths whose budget depends on the distance to it. Any finite vector.
DRAPE_API drapeResult drapeWorld_SetCamera(drapeWorldId world, drapeVec3 position);
DRAPE_API drapeVec3 drapeWorld_GetCamera(drapeWorldId world);

/// Sets the adaptation passes per second of simulated time, > 0.
DRAPE_API drapeResult drapeWorld_SetAdaptRate(drapeWorldId world, float adaptRate);
DRAPE_API float drapeWorld_GetAdaptRate(drapeWorldId world);

/// --- snapshots ------------------------------------------------------------------------------------------------------

/// Writes a snapshot: all state that changes. A world made by the same calls that loads the snapshot continues bit for
/// bit as this world would. @p size receives its size in bytes. If @p capacity is smaller, nothing is written and the
/// function returns ::drape_errorLimit; ask for the size with a capacity of 0. ::drape_errorMemory is possible.
DRAPE_API drapeResult drapeWorld_Save(drapeWorldId world, void* data, size_t capacity, size_t* size);

/// Loads a snapshot. Returns ::drape_errorData if the data is damaged or belongs to another world, or
/// ::drape_errorMemory; nothing has then changed. Views become invalid. Handles name the objects that they named when the snapshot was written.
DRAPE_API drapeResult drapeWorld_Load(drapeWorldId world, const void* data, size_t size);

/// Returns a hash over the whole state of all cloths. Equal states have equal hashes; different states practically
/// never do.
DRAPE_API uint64_t drapeWorld_GetHash(drapeWorldId world);
