// SPDX-License-Identifier: MIT
#pragma once

#include "contact/contact.h"

// Particles between two collider surfaces that leave less than two thicknesses of space, and particles inside colliders.
//
//        |<- space ->|            Surfaces that face each other may close to zero and overlap: two colliders, or two
//   /////|          |\\\\\        parts of one mesh, such as an arm and the trunk. No position keeps a particle a
//   /////|  o       |\\\\\        thickness away from both. Pushing it out of one of them pushes it into the other, and
//   /////| -> mid   |\\\\\        in the next step back again, until the cloth explodes. A pinched particle is held in
//        n1        n2             the middle instead, where it may be inside both, and moves with the mean of both
//                                 surfaces. It counts as released: colliders pass through it until there is space again.
//
// A released particle is tracked by its depth, because searches around it must reach a surface. When there is space but
// the particle is inside a collider, it is pushed out at a bounded speed.

// The state of a particle between colliders within a substep.
typedef struct Pinch
{
	bool isPinched;
	float depth;       // m, > 0: the particle is released; 0 when it is outside with space around it
	Vec3 axis;         // unit, from the one surface to the other; the outward normal of a particle that is only inside
	Vec3 displacement; // m: pinched: displacement within the substep to the middle between the surfaces
} Pinch;

// Least depth of a released particle, m.
static const float pinchLeastDepth = 1e-6f;

// Tests a particle that touches a collider, or that was released with a depth, m, > 0. For a particle that touches,
// `normal` and `surface` are those of drapeContact_FindContacts; both may be changed: a pinched particle gets the axis
// with -1 in normal->w and the displacement in `surface`; a particle inside gets its contact, as deep as it may leave
// within the substep.
Pinch drapeContact_FindPinch(const ContactDef* def, Vec3 point, float depth, Vec4* normal, Vec4* surface);
