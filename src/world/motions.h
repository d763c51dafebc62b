// SPDX-License-Identifier: MIT
#pragma once

#include "base/array.h"
#include "contact/shapes/motion.h"
#include "drape/id.h"

// Motions of a world. Colliders and pins store the index of theirs + 1; 0 is none.

typedef struct drapeWorld drapeWorld;

typedef struct MotionSlot
{
	uint32_t generation; // odd while in use
	Motion motion;
	void* userData;
} MotionSlot;

typedef ARRAY(MotionSlot) MotionList;

void drapeMotions_Destroy(drapeWorld* world);

// The transform of a motion at a time, s, then by `base`, which may be NULL. 0 gives the identity.
drapeTransform drapeMotions_At(const drapeWorld* world, uint32_t motion1, const drapeTransform* base, double time);

drapeMotionId drapeMotion_Id(const drapeWorld* world, uint32_t motion1);

// The index + 1 of a motion of this world. False, with a sentence, if there is no such motion. 0 for null.
bool drapeMotion_Find(drapeWorld* world, drapeMotionId id, uint32_t* motion1);
