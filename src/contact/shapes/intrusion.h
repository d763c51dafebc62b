// SPDX-License-Identifier: MIT
#pragma once

#include "contact/shapes/shape.h"
#include "mesh/geometry.h"

// Tests whether a triangle enters an analytic shape with a corner, an edge or the inside of its face. Works in doubles,
// with a depth below which the triangle only touches. All coordinates are in the shape's own space.

enum
{
	intrusionMaxPoints = 26,
	polygonMaxCorners = 9, // of a triangle after six cuts
};

// Points of the triangle that are in the shape or on its surface: corners of the common part, the nearest point to a
// centre or an axis, and last the mean of all.
typedef struct Intrusion
{
	Vec3 point[intrusionMaxPoints];
	uint32_t count;
} Intrusion;

// `slop` >= 0, m: a shallower intrusion does not count. `intrusion` may be NULL.
bool drapeIntrusion_Find(const drapeColliderDef* def, const Vec3 triangle[3], float slop, Intrusion* intrusion);

// --- parts of shapes: each adds its points and returns false when it has none ---------------------------------------

void drapeIntrusion_Add(Intrusion* intrusion, Double3 point);
bool drapeIntrusion_AddBox(Intrusion* intrusion, Vec3 halfExtents, const Vec3 triangle[3], double slop);
bool drapeIntrusion_AddSphere(Intrusion* intrusion, Vec3 centre, double radius, const Vec3 triangle[3], double slop);

// A cylinder about y. Its end discs count as open: `slop` shortens it.
bool drapeIntrusion_AddCylinder(Intrusion* intrusion, double radius, double halfHeight, const Vec3 triangle[3],
                                double slop);

// --- convex polygons ------------------------------------------------------------------------------------------------

typedef struct Polygon
{
	Double3 corner[polygonMaxCorners + 1];
	int count;
} Polygon;

Polygon drapePolygon_OfTriangle(const Vec3 triangle[3]);

// Keeps the part where normal . x <= limit.
Polygon drapePolygon_Cut(const Polygon* from, Double3 normal, double limit);
