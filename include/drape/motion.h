// SPDX-License-Identifier: MIT
#pragma once

/// @file motion.h
/// Motions: transforms over time that colliders and pins follow.
///
/// Thread rule: as world.h.

#include "drape/id.h"
#include "drape/transform.h"

/// A transform at a time. Between two keys, position and scale are linear, or eased in and out if `smooth` is set, and
/// the rotation follows the shorter arc. Before the first key and after the last, the motion stands still.
typedef struct drapeMotionKey
{
	float time; ///< s
	drapeTransform
		transform; ///< finite; a rotation of length 1 with a tolerance of 0.001; a scale above 0, at most 10^9
} drapeMotionKey;

/// Describes a motion.
typedef struct drapeMotionDef
{
	const drapeMotionKey* keys; ///< [keyCount], times strictly increasing; copied
	uint32_t keyCount;          ///< >= 1
	bool smooth;                ///< ease in and out of every key, so that the velocity is continuous
	bool repeat;                ///< start again after the last key, which must have the rotation of the first
	void* userData;
	uint32_t cookie; ///< set by drapeDefaultMotionDef; catches a definition that was not initialised
} drapeMotionDef;

/// No key; linear, once. Any thread.
DRAPE_API drapeMotionDef drapeDefaultMotionDef(void);

/// Creates a motion and writes its handle to @p motion. It lives until drapeDestroyMotion or drapeDestroyWorld. Returns
/// ::drape_errorArgument for keys that are not usable, or ::drape_errorMemory; @p motion is then null.
DRAPE_API drapeResult drapeCreateMotion(drapeWorldId world, const drapeMotionDef* def, drapeMotionId* motion);

/// Destroys a motion. Colliders and pins that follow it stay where they are. The handle may be null.
DRAPE_API drapeResult drapeDestroyMotion(drapeMotionId motion);

/// Tells whether the handle names a motion that exists. Never asserts (id.h).
DRAPE_API bool drapeMotion_IsValid(drapeMotionId motion);

/// Returns the world of a motion; null for a handle that is not valid.
DRAPE_API drapeWorldId drapeMotion_GetWorld(drapeMotionId motion);

/// Replaces the keys, `smooth` and `repeat` of a motion; its user data stays. Colliders and pins that follow it move to
/// their new places within the next step. Errors are those of drapeCreateMotion; nothing has then changed.
DRAPE_API drapeResult drapeMotion_SetDef(drapeMotionId motion, const drapeMotionDef* def);

/// Returns the definition. Its keys belong to the library and are valid until the motion is changed or destroyed. Zeros
/// for a handle that is not valid.
DRAPE_API drapeMotionDef drapeMotion_GetDef(drapeMotionId motion);

/// Returns the transform of the motion at @p time in seconds. A null motion gives the identity. A handle that is not valid
/// and a time that is not finite are refused and give it, too.
DRAPE_API drapeTransform drapeMotion_GetTransform(drapeMotionId motion, double time);

/// Sets and returns the pointer of the application, which the library does not read. NULL for a handle that is not valid.
DRAPE_API drapeResult drapeMotion_SetUserData(drapeMotionId motion, void* userData);
DRAPE_API void* drapeMotion_GetUserData(drapeMotionId motion);
