// SPDX-License-Identifier: MIT
#pragma once

#include "base/maths.h"

// Whether triangles cross, without rounding: for statistics and checks that must be able to say "none". Any finite
// floats are allowed; triangles without area are segments or points. All sets are closed: touching is crossing, so is
// overlapping within a plane. Callers leave out triangles that share a vertex.

// The sign, -1, 0 or 1, of the volume (b - a) x (c - a) . (d - a): 1 when d is on the side from which a, b, c wind
// counter-clockwise, 0 when the four are in one plane.
int drapeOrient3(Vec3 a, Vec3 b, Vec3 c, Vec3 d);

// Whether segment pq and a triangle have a point in common.
bool drapeCrossing_SegmentTriangle(Vec3 p, Vec3 q, const Vec3 triangle[3]);

// Whether two triangles have a point in common: some edge of one then meets the other. Boxes are the caller's to
// compare first.
bool drapeCrossing_TriangleTriangle(const Vec3 a[3], const Vec3 b[3]);
