// SPDX-License-Identifier: MIT
#pragma once

#include "base/maths.h"
#include "drape/world.h"
#include "world/handles.h"

// A point that a collider carries along: for attachments, tethers and pins.
//
// On a mesh it is bound to a triangle: barycentric coordinates and an offset in the triangle's frame (the first edge,
// the normal and their cross product), so that it follows a mesh that deforms. On other shapes it is fixed in the
// collider's own space. Within a step the mesh or the placement is interpolated.

typedef struct SurfaceAnchor
{
	uint32_t collider1; // slot of the collider + 1; 0 for a point that is fixed in space
	uint32_t triangle;  // index in the mesh; DRAPE_NONE for other shapes
	float weight[3];    // weights of its corners
	Vec3 offset;        // m: in the triangle's frame, in the collider's space, or in the world
} SurfaceAnchor;

typedef enum AnchorTime
{
	anchorStepBegins, // beginning of the step in progress
	anchorStepEnds,   // the same as now, between two steps
} AnchorTime;

// Binds a point of the world to a collider in use, or to space when `slot` is DRAPE_NONE.
SurfaceAnchor drapeAnchor_Bind(const drapeWorld* world, uint32_t slot, Vec3 point, AnchorTime when);

// The point `offset` metres above the nearest point of the collider's surface.
Vec3 drapeAnchor_Above(const drapeWorld* world, uint32_t slot, Vec3 point, float offset, AnchorTime when);

// The position at a fraction of the step, 0 to 1.
Vec3 drapeAnchor_At(const drapeWorld* world, const SurfaceAnchor* anchor, float fraction);

// True when something acts at this time, s. An end of 0 is never.
bool drapeTime_IsWithin(double time, float start, float end);
