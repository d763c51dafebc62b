// SPDX-License-Identifier: MIT
#pragma once

#include "base/maths.h"
#include "drape/mesh.h"
#include "mesh/topology.h"

// The rest shape: the position of each triangle in the flat fabric. Only differences within a triangle and the
// direction of the warp matter; the position in the plane has no meaning.

// Fills `material`, [3 * triangleCount], as `rest` says. The mesh is manifold and consistently oriented, its triangles
// have area, and every corner has the data that `rest` needs. False when out of memory.
bool drapeRest_Lay(Vec2* material, const drapeMesh* mesh, const Topology* topology, const drapeRestDef* rest);

// The two sides of an edge are one fabric when their lengths agree to one part in a thousand. That is less than the
// stretch of a thread and far above the rounding of coordinates, so that only intended cuts count as seams.
#define REST_SEAM_LENGTH 1e-3

// The warp must not turn by more than this between them either, rad. One degree is well above the rounding of triangles
// of usual shape, and a shear of one degree hardly loads a fabric.
#define REST_SEAM_ANGLE 0.017453292519943295

// Sets `seam`, [edgeCount], to 1 where the two sides differ. Returns the number of seams.
uint32_t drapeRest_FindSeams(uint8_t* seam, const Vec2* material, const Topology* topology);
