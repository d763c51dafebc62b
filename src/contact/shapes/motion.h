// SPDX-License-Identifier: MIT
#pragma once

#include "base/checks/message.h"
#include "base/transform.h"
#include "drape/motion.h"

// A path through keys. Owns its copy of them.
typedef struct Motion
{
	drapeMotionKey* keys; // [keyCount]; rotations are normalised
	uint32_t keyCount;
	bool smooth, repeat;
} Motion;

// Refuses a definition that cannot be used.
drapeResult drapeMotionDef_Check(const drapeMotionDef* def, drapeMessage* message);

// The definition must be valid. ::drape_errorMemory leaves the motion zero.
drapeResult drapeMotion_Create(Motion* motion, const drapeMotionDef* def);

// A zeroed motion is allowed.
void drapeMotion_Destroy(Motion* motion);

// Returns the placement at `time`, s. A NULL motion is the identity.
drapeTransform drapeMotion_Evaluate(const Motion* motion, double time);
