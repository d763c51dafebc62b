// SPDX-License-Identifier: MIT
#pragma once

#include "base/maths.h"
#include "drape/mesh.h"
#include "mesh/topology.h"

// The rest shape: where each triangle lies in the flat fabric. Only differences within a triangle and directions
// against the warp matter; where a triangle lies in the plane means nothing.

// Fills `material`, [3 * triangleCount], as `rest` says. The mesh is manifold and consistently wound, its triangles
// have area, and every corner has what `rest` needs. False when memory is short.
bool drapeRest_Lay(Vec2* material, const drapeMesh* mesh, const Topology* topology, const drapeRestDef* rest);

// Two sides of an edge are one fabric when their lengths agree to one part in a thousand: less than what a thread
// gives, and far above the rounding of coordinates, so that only cuts made on purpose count.
#define REST_SEAM_LENGTH 1e-3

// ... and when the warp turns by at most this between them, radians. One degree is well above the rounding of a
// triangle of usual shape, and a shear of one degree is nothing to a fabric.
#define REST_SEAM_ANGLE 0.017453292519943295

// Sets `seam`, [edgeCount], to 1 where the sides disagree and returns how many there are.
uint32_t drapeRest_FindSeams(uint8_t* seam, const Vec2* material, const Topology* topology);
