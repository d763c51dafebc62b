// SPDX-License-Identifier: MIT
#pragma once

#include "contact/broad/broad_phase.h"

// Parts that lie on each other when a step begins: the closest points of features that are nearer than a reach. Solvers
// push them apart (solve/pair_forces.h), so that what rests needs no impacts to be held up.
//
// Where the closest point of a face lies on one of its edges or corners, the face that owns that edge or corner reports
// it, and two edges only where both are met between their ends: so that each place is reported once.

typedef struct Proximity
{
	uint32_t vertex[4]; // of the broadPhase
	float weight[4];    // the sum of weights times positions is the vector from the second point to the first
	Vec3 normal;        // unit, in that direction
	float distance;     // m, between surfaces
	float reach;        // m: when it is less than this
	float friction;
} Proximity;

typedef struct Proximities
{
	ARRAY(Proximity) points;
	ChunkList chunks; // of these
} Proximities;

void drapeProximities_Destroy(Proximities* proximities);

// For the pairs of elements given, where the bodies are at the beginning of the step. False when memory is short: there
// are no points then.
bool drapeProximities_Find(Proximities* proximities, const ContactBodies* bodies, const ElementPairs* pairs,
                           ContactReach reach, TaskPool* tasks);

// Adds the corners of a cloth's triangles that are pressed onto the opposite edge, within the cloth: as two parts of it
// they are neighbours, and no pair of elements shows them. `patch` says by triangle which are calm (drapeBvh_FindCulledPatches)
// and so cannot be. False when memory is short: there are none of these then.
bool drapeProximities_AddSqueezed(Proximities* proximities, const ContactBodies* bodies, uint32_t body,
                                  const uint32_t* patch, float reach, TaskPool* tasks);
