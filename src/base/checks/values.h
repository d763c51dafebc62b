// SPDX-License-Identifier: MIT
#pragma once

#include "base/checks/message.h"
#include "base/transform.h"

// Checks of single arguments that many functions take. Each refuses a bad value with its name and the expected one. The
// message may be NULL.

// Three finite numbers; `unit` may be NULL.
drapeResult drapeVector_Check(const char* name, drapeVec3 value, const char* unit, drapeMessage* message);

// A finite number.
drapeResult drapeNumber_Check(const char* name, double value, const char* unit, drapeMessage* message);

// Positions of particles and vertices: no coordinate is beyond 10^9. The sentence is for element `index` of an array.
drapeResult drapeCoordinates_Refuse(const char* name, uint32_t index, drapeVec3 value, const char* unit,
                                    drapeMessage* message);

drapeResult drapeCoordinate_Refuse(const char* name, drapeVec3 value, const char* unit, drapeMessage* message);

// A finite position, a rotation of unit length, and a scale above 0. `name` is "transform" and the like.
drapeResult drapePlacement_Check(const char* name, const drapeTransform* value, drapeMessage* message);

// A finite start, and an end of 0 or after it.
drapeResult drapeTimes_Check(float start, float end, drapeMessage* message);

// An array that receives at most `capacity` elements. NULL is good for a capacity of 0.
drapeResult drapeArray_Check(const char* name, const void* array, uint32_t capacity, drapeMessage* message);

// One of `words`, "springs|fem", counted from 0.
drapeResult drapeChoice_Check(const char* prefix, const char* name, unsigned value, const char* words,
                              drapeMessage* message);
