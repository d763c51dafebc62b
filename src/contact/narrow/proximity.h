// SPDX-License-Identifier: MIT
#pragma once

#include "contact/broad/broad_phase.h"

// Proximities: closest points of features that are nearer than the activation distance when a step begins. The solver
// pushes them apart (solve/pair_forces.h), so that resting cloth needs no impacts.
//
// Each contact is reported once. When the closest point of a face lies on an edge or corner, only the face that owns
// the edge or corner reports it. Two edges report their contact only when both closest points lie between their ends.
//
// Contact must not push neighbours within the material apart. The activation distance of two points of one cloth is
// therefore at most a quarter of their distance within the material. A flat or gently curved sheet has no contact points
// for any thickness. Layers have the full distance where the fold between them is six thicknesses away. The activation
// distance is also limited by the edges: a fine mesh would have hundreds of points for each particle.

typedef struct Proximity
{
	uint32_t vertex[4];       // gathered vertices
	float weight[4];          // the sum of weights times positions is the vector from the second point to the first
	Vec3 normal;              // unit, in that direction
	float distance;           // m, between surfaces
	float activationDistance; // m
	float friction;
} Proximity;

typedef struct Proximities
{
	ARRAY(Proximity) points;
	// m: no two features of the given pairs are nearer, reported or not. At most the smaller one of the searched
	// distances.
	float clearance;
	ElementPairs crossed; // pairs of triangles that cross at the start of the step, in the order of the pairs
	ChunkList chunks;     // proximities and crossings per chunk
	ARRAY(float) least;   // clearances per chunk
} Proximities;

void drapeProximities_Destroy(Proximities* proximities);

// Finds the proximities of the pairs of elements at the start of the step, and the pairs of triangles that cross
// (crossing.h; triangles that share a vertex do not count). Planes separate almost all pairs that do not cross.
// `distances` are the activation distances, and `perEdge` limits them to multiples of the longest edge of a point's
// triangles at rest. Points of one cloth also need a certain distance within the material (material_map.h). Returns
// false when out of memory; there are no points then.
bool drapeProximities_Find(Proximities* proximities, const ContactBodies* bodies, const ElementPairs* pairs,
                           ContactDistances distances, ContactDistances perEdge, TaskPool* tasks);

// Adds corners of a cloth's triangles that are pressed onto their opposite edge. Corner and edge are neighbours, so no
// pair of elements covers them. `patch` names the culled region of each triangle (drapeClothTree_FindCulledPatches);
// triangles of such regions cannot be pressed flat. Returns false when out of memory; it adds no points then.
bool drapeProximities_AddSqueezed(Proximities* proximities, const ContactBodies* bodies, uint32_t body,
                                  const uint32_t* patch, float activationDistance, TaskPool* tasks);
