// SPDX-License-Identifier: MIT
#pragma once

#include "contact_check.h"
#include "narrow_places.h"

// The faults of a frame in motion: those of ContactCheck_Crossings, and particles inside a body, without those that
// are excused as pinched. A crossing is excused when the bodies alone leave less than two thicknesses of space
// (narrow_places.h) where it is, or at a corner of the cloth's triangle. Crossings of cloth with cloth are never
// excused.

typedef struct MotionFaults
{
	uint32_t selfIntersections;
	uint32_t bodyCrossings; // crossings and particles inside that are not excused
	uint32_t pinched;       // particles in narrow places
} MotionFaults;

typedef struct MotionCheck
{
	ContactCheck contact;
	NarrowPlaces narrow;
	ARRAY(uint8_t) isNarrow; // [particles of all cloths]
} MotionCheck;

// `thickness`, m, is the largest of all cloths.
void MotionCheck_Init(MotionCheck* check, drapeWorldId world, float thickness);
void MotionCheck_Destroy(MotionCheck* check);

MotionFaults MotionCheck_Run(MotionCheck* check, drapeWorldId world);
