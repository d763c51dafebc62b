// SPDX-License-Identifier: MIT
#pragma once

#include "contact/contact.h"

// Particles between two collider surfaces that leave less than two thicknesses of space, and particles inside colliders.
//
//      |<- space ->|          Surfaces that face each other may close to zero and overlap: two colliders, or two parts of
//   ///|          |\\\        one mesh, such as an arm and the trunk. No position keeps a particle a thickness away from
//   ///|o         |\\\        both. Pushing it out of one of them pushes it into the other, and in the next step back
//   ///|home      |\\\        again, until the cloth explodes. A pinched particle stays on its home instead, the surface
//                             that is on the inner side of the cloth when the pinch began. Other surfaces pass through
//                             it, until its home has space again. In a space that is left, it is in the middle.
//
// The inner side of a cloth is the one that most of its contacts are on: a shirt between arm and trunk stays on the
// trunk, its sleeve on the arm. Without such a side, the home is the surface that the particle touched first.
//
// The home is followed from triangle to neighbouring triangle, so that a particle never changes over to the surface that
// passes through it. Layers of cloth with different homes press against each other and share the space, because contact
// of cloth with cloth is not released. A part may disappear in another one: an arm that is deep in the trunk has passed
// through the particles on it, and passes back through them when it comes out. Such particles stay pinched as long as a
// surface is buried below their home.
//
// A particle that is inside a collider and not pinched is pushed out at a bounded speed.
//
// After a pinch, cloth may be caught on a part that comes out. A collider that stretches such cloth far beyond its limit
// passes through the particles of the stretched edges: they yield.

// The state of a particle between colliders. Zeroed, it is free.
typedef struct PinchState
{
	float depth;       // m; > 0: inside a collider; < 0: pinched
	uint32_t collider; // of the home of a pinched particle: index among shapes, then meshes; else 0, or one of below
	uint32_t triangle; // of a mesh
} PinchState;

// PinchState::collider of a particle that yields in this step. Its depth is positive.
static const uint32_t pinchYields = UINT32_MAX;

// PinchState::collider of a particle that a part on the wrong side (passed.h) passes through. Its depth is positive.
static const uint32_t pinchLetsPass = UINT32_MAX - 1;

DRAPE_INLINE bool PinchState_Yields(const PinchState* state)
{
	return state->depth > 0.0f && state->collider == pinchYields;
}

// Least absolute depth of a particle that is inside or pinched, m.
static const float pinchLeastDepth = 1e-6f;

// Returns whether surfaces close on a particle that touches a collider, with the `normal` and `surface` of
// drapeContact_FindContacts.
bool drapeContact_IsNarrow(const ContactDef* def, Vec3 point, Vec4 normal, Vec4 surface);

// Updates the state of a particle that touches a collider, is inside one, or is pinched. `outside` is the unit normal of
// the cloth on its outer side, zero when it has none. For a particle that touches,
// `normal` and `surface` are those of drapeContact_FindContacts; both may be changed: a pinched particle gets the normal
// of its home with minus the firmness of its hold, 1 or more, in normal->w, and in `surface` the displacement within the substep that it follows; a particle
// inside gets its contact, as deep as it may leave within the substep.
void drapeContact_FindPinch(const ContactDef* def, Vec3 point, Vec3 outside, PinchState* state, Vec4* normal,
                            Vec4* surface);
