// SPDX-License-Identifier: MIT
#pragma once

// Forces between parts of a cloth that lie on each other, and on what is not of this cloth, in an implicit solve.
//
// A pair is two closest points, given by weights of up to four particles; weights of particles that are not of this
// cloth are left out, and what those do is known. Closer than the thickness they push each other apart, as stiff as the
// masses allow at this step: what weighs on them gives by a small part of the way it would fall. Damped along the
// normal so that nothing bounces. Friction holds against the way made within the step: Coulomb's, with the normal force
// of the last iterate, softened below a small speed.
//
// As a matrix, each pair couples its particles: diagonal parts are put on the ground of the rows, where preconditioners
// see them, the others are added to products here.

#include "solve/block_matrix.h"
#include "solve/hierarchy.h"

typedef struct ContactPoint
{
	uint32_t particle[4]; // DRAPE_NONE for what is not of this cloth
	float weight[4];      // their sum is zero
	Vec3 normal;          // unit
	float distance;       // m, when the step begins
	Vec3 way;             // m: the weighted way of what is not of this cloth during the step
	float friction;
} ContactPoint;

typedef struct PairForces
{
	uint32_t count;
	ARRAY(ContactPoint) points;
	ARRAY(uint32_t) rows;    // [4 * count] row; DRAPE_NONE likewise
	ARRAY(float) along;      // [count] s^2 times stiffness along the normal
	ARRAY(float) across;     // [count] and across it
	ARRAY(float) compliance; // [count] 1/kg: what a push on it moves
	ARRAY(Vec4) flow;        // [count] scratch: force of a pair
	uint32_t touchedCount;   // rows that have pairs
	ARRAY(uint32_t) touched; // [touchedCount] those rows
	ARRAY(uint32_t) start;   // [touchedCount + 1] entries of a row
	ARRAY(uint32_t) entries; // pair << 2 | corner
	ARRAY(uint32_t) firstOf; // [rows] scratch
	ARRAY(double) partials;  // scratch
} PairForces;

typedef struct PairDef
{
	float s;         // s: see implicit.h
	float reach;     // the whole step is this times the solved part
	float thickness; // m
} PairDef;

void PairForces_Destroy(PairForces* forces);

// Takes over the points, for the rows of this hierarchy. False when memory is short.
bool PairForces_Begin(PairForces* forces, const ContactPoint* points, uint32_t count, const Hierarchy* hierarchy,
                      const ActiveMesh* mesh);

// Forces and stiffness at x: `moved` since the step began, `start` as ImplicitSolver's. Adds s^2 times the forces to b
// and the diagonal parts to the ground of the matrix.
void PairForces_Assemble(PairForces* forces, const PairDef* def, const Vec4* moved, const Vec4* start,
                         const Vec4* onward, Vec4* b, BlockMatrix* matrix);

// y += the other parts times x; returns x . (what was added)
double PairForces_Multiply(PairForces* forces, const Vec4* x, Vec4* y, float sign, TaskPool* tasks);
