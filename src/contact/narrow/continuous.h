// SPDX-License-Identifier: MIT
#pragma once

#include "base/maths.h"

// A vertex and a triangle, or two edges, whose corners go straight from `from` to `to` while time goes from 0 to 1:
// when do they meet? And the closest points of such primitives that stand still. continuous.c says why nothing is
// missed.

// Where and when two primitives come too close.
typedef struct Impact
{
	// To stop at, 0 to 1. Until then, inclusively, they have not crossed, and, where there is a gap, they have not been
	// closer than it: in exact arithmetic, for the corners interpolated between the floats given. Rounding of corners
	// that are moved to this time is the caller's; a gap of some units in their last place covers it.
	float time;

	// Of the four corners at that time: the sum of weight[i] * corner[i] is the vector from the closest point of the
	// second primitive to that of the first. So they add up to zero: {1, -u, -v, -w} for a vertex and a triangle,
	// {1 - s, s, -(1 - t), -t} for two edges.
	float weight[4];

	// Unit length, from the second primitive to the first: for a triangle, the side that the vertex is on. Primitives
	// that touch at time 0 have no such side; then it is the one that they come from, as far as that can be told.
	Vec3 normal;
} Impact;

// Corner 0 is the vertex, 1 to 3 are the triangle. True when they come as close as `gap` >= 0, m, or touch; with a
// `radius` > 0, m, one of them is that thick, as the centre of a sphere is, and distances are those between surfaces
// (what is within the radius already may come as close as 0.9 of the distance it has to the centre). Whatever
// touches in exact arithmetic is found, with a time no later than the first touch. What stays farther apart than the
// gap and 2^-24 of the largest distance between corners along an axis is not, save for a few that take more steps than
// allowed, such as those that turn by a large angle very close to each other.
//
// Primitives that begin closer than 1.1 gaps are not held to the gap, for they might never get away from each other:
// they may come as close as 0.9 of the distance they have. Those closer than 2^-20 of the largest distance between
// corners may count as touching.
//
// Any finite floats are allowed, and corners may coincide. Others give true at time 0.
bool drapeContinuous_VertexTriangle(const Vec3 from[4], const Vec3 to[4], float radius, float gap, Impact* impact);

// The same for two edges, corners 0 and 1, and 2 and 3.
bool drapeContinuous_EdgeEdge(const Vec3 from[4], const Vec3 to[4], float radius, float gap, Impact* impact);

// The point of a triangle closest to p has these weights: none below zero, their sum is 1. Returns the squared
// distance, m^2. Triangles without area are segments or points.
float drapeClosest_PointTriangle(Vec3 p, Vec3 a, Vec3 b, Vec3 c, float weights[3]);

// The closest points of segments ab and cd are a + s (b - a) and c + t (d - c), s and t from 0 to 1. Returns the
// squared distance, m^2. Among parallel segments any closest points are given; segments without length are points.
float drapeClosest_SegmentSegment(Vec3 a, Vec3 b, Vec3 c, Vec3 d, float* s, float* t);
