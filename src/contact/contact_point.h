// SPDX-License-Identifier: MIT
#pragma once

#include "base/maths.h"

// The cloth or collider that has one of the points: its slot, counted from 1; 0 for the other kind.
typedef struct ContactSide
{
	uint32_t cloth1, collider1;
} ContactSide;

// Two points that are close enough to touch, as the contact stage gives them to the solver (solve/pair_forces.h).
// Each point is a weighted sum of up to four particles. Kinematic vertices, such as those of colliders, are left out:
// their displacement within the step is known and is summed up in `way`.
typedef struct ContactPoint
{
	uint32_t particle[4]; // DRAPE_NONE for vertices that are not solved for
	uint8_t system[4];    // index of the particle's cloth among those that are solved together
	float weight[4];      // their sum is zero: positive for the first point, negative for the second
	Vec3 normal;          // unit, from the second point to the first
	float distance;       // m, between the surfaces when the step begins
	Vec3 way;             // m, weighted displacement within the step of the vertices that are not solved for
	float friction;       // coefficient of friction
	float reach;          // m, activation distance: the contact law pushes below it
	float arm;            // m, from the centre of a round surface to the other point; 0 when both surfaces are flat
	ContactSide side[2];  // the owners of the first and the second point
	Vec3 position;        // m, of the first point when the step begins
	Vec4 frictionState;   // xyz slip, m, w normal load, N, from the last step (TouchLaw_FrictionState); zero at first
} ContactPoint;
