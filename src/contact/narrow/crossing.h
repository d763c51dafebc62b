// SPDX-License-Identifier: MIT
#pragma once

#include "base/maths.h"

// Exact tests of crossing triangles, for statistics and checks that must be able to say "none". Any finite floats are
// allowed; triangles without area are segments or points. All sets are closed: touching counts as crossing, and so does
// overlapping within a plane. Callers leave out triangles that share a vertex.

// Returns the sign, -1, 0 or 1, of the volume (b - a) x (c - a) . (d - a): 1 when d is on the side from which a, b, c
// wind counter-clockwise, 0 when the four are in one plane.
int drapeOrient3(Vec3 a, Vec3 b, Vec3 c, Vec3 d);

// Returns whether segment pq and a triangle share a point.
bool drapeCrossing_SegmentTriangle(Vec3 p, Vec3 q, const Vec3 triangle[3]);

// Returns whether two triangles share a point: an edge of one then crosses the other. Callers compare boxes first.
bool drapeCrossing_TriangleTriangle(const Vec3 a[3], const Vec3 b[3]);
