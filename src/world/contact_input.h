// SPDX-License-Identifier: MIT
#pragma once

#include "world/cloth.h"

// The world's side of the contact stage (contact/contact_stage.h): describes cloths and colliders to it.

// Describes all cloths, colliders and stitches in use to world->contact: once per step, and once for each adaptation pass
// or query. False when out of memory.
bool drapeWorld_DescribeContact(drapeWorld* world);

// Describes stitches again, after adaptation has changed a mesh. False when out of memory.
bool drapeWorld_DescribeStitches(drapeWorld* world);

// Finds the cloths that are solved together, describes everything and finds the contact points of a step of dt seconds.
// False when out of memory.
bool drapeWorld_PrepareContact(drapeWorld* world, float dt);

// Stops impacts after the cloths have moved. Particles that were moved restart their history. False when out of memory.
bool drapeWorld_ResolveContact(drapeWorld* world, float dt);
