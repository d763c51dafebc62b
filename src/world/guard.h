// SPDX-License-Identifier: MIT
#pragma once

#include "world/cloth.h"

// The guard against explosions. It saves the cloths when a step begins, chooses the number of substeps and checks the
// result. When numbers are out of range or energy has appeared, it undoes the step and repeats it with more substeps. A
// cloth that explodes with every number of substeps is damped, and held if that does not help; a step never fails for
// it. The number of attempts is bounded.

// Makes a step of dt seconds with one cloth, or with several that are solved together. Returns false when out of memory;
// nothing has changed then. A cloth that was damped or held is reported in world->warning.
bool drapeCloths_Simulate(drapeWorld* world, Cloth* const* cloths, uint32_t count, float dt);

// Takes a cloth back to the beginning of the step.
void drapeCloth_Undo(Cloth* cloth);
