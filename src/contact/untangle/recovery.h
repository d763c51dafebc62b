// SPDX-License-Identifier: MIT
#pragma once

#include "contact/narrow/narrow.h"
#include "contact/untangle/tangle.h"

// Recovery: removes crossings of cloth with cloth gradually during a run.
//
// Contact keeps apart what is apart. Cloth that crosses all the same, because a scene starts so or because kinematic
// geometry has forced it, would be held in its knot: to leave, it has to pass through the surface that it crosses, which
// contact forbids. Recovery finds the knots when a step begins, and for each of them the direction and the distance by
// which its two patches come apart soonest, as the untangler does (untangle.h). Then
//
// - contacts between the two patches that act against the direction are ignored: contact points and impacts. Those that
//   act along it stay, so that the knot does not grow;
// - after the solve, the patches move on along the direction if they have not come apart by a bounded distance in this
//   step. The cloth around them follows, less with growing distance, and velocities change to match. Impacts with
//   everything else are stopped afterwards as usual, so that no other crossing is created.
//
// The only memory from step to step is for how long cloth has crossed: patches grow with this time, so that sheets that
// block each other come apart as wholes. The direction of least depth becomes better with each step along it. Cloth that
// is stretched already moves on slowly, and so does all of it when knots last for seconds. Results do not depend on the
// number of threads. A step without crossings does nothing here.
//
// Measured: two sheets that are through each other by a corner or from rim to rim, and a fold through itself, are free
// after 0.02 to 0.4 s, for 64 to 4,608 triangles per sheet. 19 of 24 random worlds of two to five wavy sheets through
// each other are free after 0.2 to 0.6 s (test_recovery has some of them); in the other five, four or five sheets of 1 m^2
// cross each other in more than 300 pairs. Moving only one of two knots that share vertices freed 11 of 24.

struct Untangler;

// A vertex that moves with a knot.
typedef struct RecoveryVertex
{
	uint32_t vertex;
	float share; // of the displacement between the sides; negative on the first side
} RecoveryVertex;

// A knot that comes apart.
typedef struct RecoveryKnot
{
	Vec3 direction;      // unit: the second side moves along it relative to the first
	float distance;      // m: to move in this step
	uint32_t start, end; // its vertices in Recovery::moving
	uint32_t seedStart;  // its seeds in Recovery::seeds: of the first side, then of the second
	uint32_t seedCount[2];
} RecoveryKnot;

// Zeroed, it is empty. Vertices are those of the tangle: the particles of the cloths in turn.
typedef struct Recovery
{
	bool isActive;                // there are knots in this step
	float age;                    // s: for how long cloth has crossed cloth; part of snapshots
	Tangle tangle;                // the cloths when the step begins, and their crossings
	ARRAY(RecoveryKnot) knots;    // of this step
	ARRAY(RecoveryVertex) moving; // vertices of the knots in turn
	ARRAY(uint32_t) seeds;        // vertices that move as a whole
	ARRAY(uint32_t) marks;        // [2 * vertices] knot and side, see MarkOf; 0 for none
	ARRAY(Vec3) moved;            // per vertex: m, by which the step has moved it so far, and recovery beyond that
	ARRAY(uint8_t) isStretched;   // per vertex: 1 when recovery would stretch an edge there too much
	struct Untangler* untangler;  // NULL before the first crossing
} Recovery;

void drapeRecovery_Destroy(Recovery* recovery);

// Forgets the cloths and knots of the last step and keeps the memory.
void drapeRecovery_Clear(Recovery* recovery);

// Adds a cloth, in the order of the bodies. Returns false when out of memory.
bool drapeRecovery_AddCloth(Recovery* recovery, const TangleSurface* like, const ActiveMesh* mesh);

// Adds a crossing of two triangles, which count over all cloths. Returns false when out of memory.
bool drapeRecovery_AddCrossing(Recovery* recovery, uint32_t triangle, uint32_t other);

// Finds the knots. `dt` is the length of the step, s. Returns false when out of memory.
bool drapeRecovery_Run(Recovery* recovery, float dt, TaskPool* tasks);

// Computes the displacements of all vertices, m, that take the knots apart. On call, `moved` has by how much the step has
// moved each vertex; the displacements to add replace it.
void drapeRecovery_Move(Recovery* recovery);

// Reduces the displacements in `moved` where they would stretch edges of a cloth too much. `surface` is its number in the
// tangle; the mesh has its present positions.
void drapeRecovery_Spare(Recovery* recovery, uint32_t surface, const ActiveMesh* mesh);

// Returns whether a contact of two features must be ignored: it acts against the motion that takes a knot apart. The
// first `firstCount` vertices are one side of the contact, the others of the four the other one; `normal` points from
// the other side to the first. Vertices are those of the tangle; DRAPE_NONE for others.
bool drapeRecovery_Frees(const Recovery* recovery, const uint32_t vertex[4], uint32_t firstCount, Vec3 normal);
