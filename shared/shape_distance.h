// SPDX-License-Identifier: MIT
#pragma once

#include "drape/drape.h"

// How far two shapes are apart, m: the mean distance of the points of each surface from the nearest point of the other,
// over area, in the mean of both directions. Three points stand for each triangle. NAN when memory is short.
double ShapeDistance(drapeClothView a, drapeClothView b);
