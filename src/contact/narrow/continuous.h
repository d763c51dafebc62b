// SPDX-License-Identifier: MIT
#pragma once

#include "base/maths.h"

// Continuous collision detection of a vertex and a triangle, or of two edges. Their corners move straight from `from`
// to `to` while time goes from 0 to 1. Also: closest points of such primitives at rest. continuous.c proves that no
// impact is missed.

// The impact of two primitives.
typedef struct Impact
{
	// The time to stop at, 0 to 1. Up to and including this time the primitives have not crossed and, with a gap, have
	// not been closer than it. This holds in exact arithmetic for corners interpolated between the given floats. The
	// caller covers the rounding of corners that it moves to this time; a gap of some units in their last place does.
	float time;

	// Weights of the four corners at that time: the sum of weight[i] * corner[i] is the vector from the closest point
	// of the second primitive to that of the first. The weights add up to zero: {1, -u, -v, -w} for a vertex and a
	// triangle, {1 - s, s, -(1 - t), -t} for two edges.
	float weight[4];

	// Unit vector from the second primitive to the first; for a triangle, towards the side of the vertex. Primitives
	// that touch at time 0 have no such side; the normal then points against their relative velocity.
	Vec3 normal;
} Impact;

// Corner 0 is the vertex, 1 to 3 are the triangle. Returns true when they touch or come as close as `gap` >= 0, m. With
// a `radius` > 0, m, one of them is that thick, like the centre of a sphere, and distances are those between surfaces.
// A vertex that starts within the radius may come as close as 0.9 of its distance to the centre. The function finds
// every contact that exists in exact arithmetic, with a time no later than the first touch. It does not report
// primitives that stay farther apart than the gap and 2^-24 of the largest distance between corners along an axis,
// except a few that take more steps than allowed, such as primitives that rotate by a large angle very close to each
// other.
//
// Primitives that start closer than 1.1 gaps need not keep the gap, because they might never separate: they may come as
// close as 0.9 of their distance. Primitives closer than 2^-20 of the largest distance between corners may count as
// touching.
//
// Any finite floats are allowed, and corners may coincide. Other values give true at time 0.
bool drapeContinuous_VertexTriangle(const Vec3 from[4], const Vec3 to[4], float radius, float gap, Impact* impact);

// The same for two edges, corners 0 and 1, and 2 and 3.
bool drapeContinuous_EdgeEdge(const Vec3 from[4], const Vec3 to[4], float radius, float gap, Impact* impact);

// Finds the weights of the point of a triangle closest to p: none is negative, their sum is 1. Returns the squared
// distance, m^2. Triangles without area are segments or points.
float drapeClosest_PointTriangle(Vec3 p, Vec3 a, Vec3 b, Vec3 c, float weights[3]);

// Finds the closest points a + s (b - a) and c + t (d - c) of two segments, s and t from 0 to 1. Returns the squared
// distance, m^2. For parallel segments it gives any closest points; segments without length are points.
float drapeClosest_SegmentSegment(Vec3 a, Vec3 b, Vec3 c, Vec3 d, float* s, float* t);
