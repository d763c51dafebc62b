// SPDX-License-Identifier: MIT
#pragma once

#include "contact_scene.h"

// When cloth comes to rest: its rms speed stays below 1.4 mm/s. That is counted from the last impact: the last step in
// which something came to touch a collider or cloth, or was stopped, faster than 1 cm/s, or held ends were moved.

static const double contactRestGoal = 1.4e-3; // m/s

typedef struct ContactRest
{
	double speed;             // m/s, rms, in the last step
	int lastImpact, lastFast; // steps: in which something was hit, and in which it was not at rest
	int steps;
} ContactRest;

// After each step, and whether ends were moved in it.
void ContactRest_Add(ContactRest* rest, ContactScene* scene, bool isMoved);

// How long after the last impact it was at rest for good, s.
double ContactRest_Seconds(const ContactRest* rest);
