// SPDX-License-Identifier: MIT
#pragma once

#include "shared/scenes.h"

// Measures when cloth comes to rest: its rms speed stays below 1.4 mm/s. Time counts from the last impact: the last
// step in which cloth touched a collider or cloth at more than 1 cm/s, or pins moved. One scene at a time.

static const double contactRestGoal = 1.4e-3; // m/s

typedef struct ContactRest
{
	double speed;             // m/s, rms, in the last step
	int lastImpact, lastFast; // the last steps with an impact and with a speed above the goal
	int steps;
} ContactRest;

// To be called after each step. `isMoved`: the scene moved pins in it.
void ContactRest_Add(ContactRest* rest, SharedScene* scene, bool isMoved);

// The time from the last impact until the cloth stays at rest, s.
double ContactRest_Seconds(const ContactRest* rest);
