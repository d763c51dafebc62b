// SPDX-License-Identifier: MIT
#pragma once

#include "base/transform.h"

// A path through keys. Owns its copy of them.
typedef struct Motion
{
	drapeKey* keys; // [keyCount]; rotations are normalised
	uint32_t keyCount;
	bool smooth, repeat;
} Motion;

// False when no motion can be made of it; then *reason (reason may be NULL) is a static sentence.
bool drapeMotion_IsValid(const drapeMotionDef* def, const char** reason);

// The definition must be valid. ::drape_errorMemory leaves the motion zero.
drapeResult drapeMotion_Create(Motion* motion, const drapeMotionDef* def);

// A zeroed motion is allowed.
void drapeMotion_Destroy(Motion* motion);

// Where it is at `time`, s. NULL does not move: the identity.
drapeTransform drapeMotion_Evaluate(const Motion* motion, double time);
