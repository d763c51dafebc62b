// SPDX-License-Identifier: MIT
#pragma once

#include "drape/drape.h"

// The distance of two surfaces, m: the mean distance of the points of one surface, weighted by area, to the nearest
// point of the other, averaged over both directions. Three points sample each triangle. NAN when out of memory.
double ShapeDistance(drapeClothView a, drapeClothView b);
