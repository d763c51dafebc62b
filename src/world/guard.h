// SPDX-License-Identifier: MIT
#pragma once

#include "world/cloth.h"

// The guard against explosions. It saves the cloths when a step begins, chooses the number of substeps and checks the
// result. When numbers are out of range or energy has appeared, it undoes the step and repeats it with more substeps.

// Makes a step of dt seconds with one cloth, or with several that are solved together. On drape_errorUnstable `text`
// says why, *failed is the cloth in which it happened, and all of them are as they were when the step began.
drapeResult drapeCloths_Simulate(drapeWorld* world, Cloth* const* cloths, uint32_t count, float dt, Cloth** failed,
                                 char* text, size_t capacity);

// Takes a cloth back to the beginning of the step.
void drapeCloth_Undo(Cloth* cloth);
