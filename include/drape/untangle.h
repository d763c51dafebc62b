// SPDX-License-Identifier: MIT
#pragma once

/// @file untangle.h
/// The removal of crossings from the start state of cloths.
///
/// Thread rule: as world.h.

#include "drape/id.h"

/// The state of untangling while it runs.
typedef struct drapeUntangleProgress
{
	float share;     ///< share of the work that is done, 0 to 1; never falls
	uint32_t before; ///< crossings at the start
	uint32_t left;   ///< crossings of the best state so far
	uint32_t rounds; ///< passes begun
	float seconds;   ///< s since the start
} drapeUntangleProgress;

/// Receives the progress of untangling, about every 50 ms, on the thread that called drapeWorld_Untangle. Return true to
/// go on and false to stop. The function must not call other functions with this world.
typedef bool drapeUntangleProgressFcn(const drapeUntangleProgress* progress, void* context);

/// Describes how to untangle. Get one from drapeDefaultUntangleDef.
typedef struct drapeUntangleDef
{
	uint32_t rounds; ///< 1 to 10,000: the largest number of passes over all crossings; default 200
	/// s, 0 to 10^6: the longest time to take; 0 for no limit; default 10. Where the limit ends the work, the result
	/// depends on the speed of the machine.
	float seconds;
	drapeUntangleProgressFcn* progress; ///< may be NULL
	void* context;                      ///< passed to it
	uint32_t cookie; ///< set by drapeDefaultUntangleDef; catches a definition that was not initialised
} drapeUntangleDef;

/// Returns the defaults. Any thread.
DRAPE_API drapeUntangleDef drapeDefaultUntangleDef(void);

/// The reason why untangling ended.
typedef enum drapeUntangleEnd
{
	drape_untangleDone = 0,  ///< nothing crosses any more, or the method knows no further way
	drape_untangleTimeOver,  ///< drapeUntangleDef::seconds were over
	drape_untangleCancelled, ///< drapeUntangleDef::progress returned false
} drapeUntangleEnd;

/// The result of untangling.
typedef struct drapeUntangleReport
{
	uint32_t before, after; ///< crossings, as drapeWorld_FindCrossings counts them
	uint32_t rounds;        ///< passes made
	uint32_t moved;         ///< particles moved
	float farthest;         ///< m: the longest displacement of a particle
	float seconds;          ///< s: the time that it took
	drapeUntangleEnd end;   ///< tells whether it stopped early
} drapeUntangleReport;

/// Removes the crossings that drapeWorld_FindCrossings finds: of cloth with itself, with other cloths and with
/// colliders. The function moves particles together with their neighbourhood, so that the cloth keeps its shape as far
/// as possible. Pinned particles, velocities and colliders stay as they are. The function cannot know the intended
/// side; it takes the shortest displacement. It also separates surfaces that are nearer than a tenth of their
/// thickness, because ::drape_contactAll needs that distance.
///
/// Crossings that cannot be removed, such as a pin inside a collider, stay: @p report (may be NULL) counts them, and
/// drapeWorld_FindCrossings lists them. The function always ends, and it can be stopped: by the limit of time, and by
/// the progress function. The result is always the state with the fewest crossings so far, never with more than at the
/// start, and drapeUntangleReport::end tells why it ended. Unless the work is stopped early, the result is the same for
/// any number of threads. Use it for start states, not in every step: it takes as long as a few steps with
/// ::drape_contactAll, and a few seconds for thousands of crossings. ::drape_errorMemory changes nothing.
/// ::drape_errorArgument reports a definition that is not initialised or out of range.
DRAPE_API drapeResult drapeWorld_Untangle(drapeWorldId world, const drapeUntangleDef* def, drapeUntangleReport* report);
