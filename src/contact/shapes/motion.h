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

// Returns false when the definition is invalid; *reason (reason may be NULL) is then a static sentence.
bool drapeMotion_IsValid(const drapeMotionDef* def, const char** reason);

// The definition must be valid. ::drape_errorMemory leaves the motion zero.
drapeResult drapeMotion_Create(Motion* motion, const drapeMotionDef* def);

// A zeroed motion is allowed.
void drapeMotion_Destroy(Motion* motion);

// Returns the placement at `time`, s. A NULL motion is the identity.
drapeTransform drapeMotion_Evaluate(const Motion* motion, double time);
