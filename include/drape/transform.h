// SPDX-License-Identifier: MIT
#pragma once

/// @file transform.h
/// Rotations and transforms.

#include "drape/base.h"

/// A rotation as a unit quaternion. (0, 0, 0, 1) is the identity.
typedef struct drapeQuat
{
	float x, y, z, w;
} drapeQuat;

/// A transform: scale, then rotate, then translate.
typedef struct drapeTransform
{
	drapeVec3 position; ///< m
	drapeQuat rotation; ///< unit length
	float scale;        ///< > 0
} drapeTransform;

/// Returns the identity. Any thread.
DRAPE_API drapeTransform drapeIdentityTransform(void);

/// Returns a rotation by @p angle radians about @p axis, which need not have unit length. Any thread.
DRAPE_API drapeQuat drapeQuat_FromAxisAngle(drapeVec3 axis, float angle);

/// Transforms a point. Any thread.
DRAPE_API drapeVec3 drapeTransform_Point(drapeTransform transform, drapeVec3 point);

/// Transforms a point by the inverse of @p transform. Any thread.
DRAPE_API drapeVec3 drapeTransform_InversePoint(drapeTransform transform, drapeVec3 point);
