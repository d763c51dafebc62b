// SPDX-License-Identifier: MIT
#pragma once

#include "base/simd.h"
#include "base/transform.h"
#include "contact/broad/bodies.h"
#include "drape/collider.h"

// Analytic collider shapes in their own unscaled space. Each function looks the shape up in the table of shape classes
// (shape_class.h) and calls its row. The functions read the shape and its measures from the definition; they ignore its
// transform, motion and friction. Triangle meshes have no row here: see mesh_shape.h.

// One collider during a step. It moves evenly between two placements (drapeCollider_At).
typedef struct Collider
{
	drapeColliderDef def;
	drapeTransform from, to; // world placement when the step begins and ends, the motion included
	uint32_t slot;           // the same from step to step, and of no other collider
} Collider;

// Placement at a fraction of the step, 0 to 1: position and scale linear, rotation along the shorter arc.
drapeTransform drapeCollider_At(const Collider* collider, float fraction);

// Appends the collider as one body of vertices and elements. Allocates memory; false when out of memory.
bool drapeCollider_Join(const Collider* collider, ContactBodies* bodies);

typedef struct Closest
{
	Vec3 point;     // m, on the surface
	Vec3 normal;    // outward, unit length
	float distance; // m, below zero inside
} Closest;

Closest drapeShape_Closest(const drapeColliderDef* def, Vec3 local);

// True when the point is inside: the sign of that distance, for much less work.
bool drapeShape_Contains(const drapeColliderDef* def, Vec3 local);

// The closest points of eight points, in floats throughout.
void drapeShape_ClosestWide(const drapeColliderDef* def, const V8* local, F8* distance, V8* normal);

// The first time, as a fraction of the segment, when the segment enters the shape inflated by `margin` >= 0, m. An
// inflated shape has rounded edges. False when the segment starts inside or never enters. A segment that starts on the
// surface and goes in enters at 0; rounding decides about a segment that only touches.
bool drapeShape_Sweep(const drapeColliderDef* def, float margin, Vec3 from, Vec3 to, float* fraction, Vec3* normal);

// Radius of the sphere about the origin that contains the shape, m; INFINITY for an unbounded shape.
float drapeShape_BoundingRadius(const drapeColliderDef* def);

// The smallest t >= 0 for which local + t * direction is outside. The caller knows that no t above `size` is inside.
// 0 for a point outside; INFINITY when the direction never leaves the shape.
float drapeShape_Exit(const drapeColliderDef* def, Vec3 local, Vec3 direction, float size);

// Refuses an unknown shape, and a measure of it out of range.
drapeResult drapeShape_Check(const drapeColliderDef* def, drapeMessage* message);

// Shrinks the measures to the shape that the elements of drapeCollider_Join enclose. Contact keeps edges and faces out
// of the elements, which for a curved shape lie a little below its surface.
void drapeShape_ShrinkToElements(drapeColliderDef* def);
