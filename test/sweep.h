// SPDX-License-Identifier: MIT
#pragma once

#include "base/maths.h"

// Moving vertices, triangles and edges by brute force, in long double: what continuous detection is measured against.
typedef struct Sweep
{
	Vec3 from[4], to[4];
	bool isEdges; // corners 0, 1 against 2, 3; else corner 0 against 1 to 3
} Sweep;

// The largest distance between corners along an axis, at either end.
long double Sweep_Extent(const Sweep* sweep);

// Between the primitives at a time.
long double Sweep_Distance(const Sweep* sweep, long double time);

typedef struct SweepLeast
{
	long double distance, time;
	long double bound; // the distance is nowhere below this; 0 when that took too long to find out
} SweepLeast;

// The least distance up to `until`, by branch and bound: no point moves faster, seen from the other primitive, than the
// fastest corner. `accuracy` is what the bound may be below the distance.
SweepLeast Sweep_FindLeast(const Sweep* sweep, long double until, long double accuracy);

// The sum of the weighted corners at a time.
void Sweep_Weigh(const Sweep* sweep, long double time, const float weights[4], long double sum[3]);
