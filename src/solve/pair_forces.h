// SPDX-License-Identifier: MIT
#pragma once

// Forces between parts of cloths that lie on each other, and on other things, in an implicit solve of all these cloths
// together.
//
// A pair is two closest points, given by weights of four particles; weights of what is not solved for, such as
// colliders, are left out, and what those do is known. Closer than their reach they push each other apart by the law of
// barrier.h, whose strength is in weights of what they would move. Damped along the normal so that nothing bounces.
// Friction is Coulomb's and holds them to where they were, as far as what they have slipped is told from step to step.
//
// A face that lies on something round, a sphere for one, rolls on it: when it tilts by little, the point where it is
// pushed goes far. That resists tilting, by the push times how far the middle of the round thing is, and a solve that
// did not know would tilt it to and fro for ever. So it is part of the stiffness, as pairs of its own: tilts.
//
// As a matrix, each pair couples its particles: diagonal parts are put on the ground of the rows, where preconditioners
// see them, the others are added to products here.

#include "contact/contact_point.h"
#include "solve/barrier.h"
#include "solve/block_matrix.h"
#include "solve/hierarchy.h"

enum
{
	pairMaxSystems = 63, // cloths that are solved together

	pairRowBits = 26,
	pairRowMask = (1 << pairRowBits) - 1,
};

// A row of one of several vectors: system << pairRowBits | row.
DRAPE_INLINE Vec4* PairRow(Vec4* const* rows, uint32_t place)
{
	return &rows[place >> pairRowBits][place & pairRowMask];
}

// Of the particles of a pair: of a point ContactPoint::weight; of a tilt those that say by how much it tilts, 1/m.
typedef struct PairWeights
{
	float corner[4];
} PairWeights;

typedef struct PairTilt
{
	uint32_t point;
	float arm; // m: its stiffness over the push of the point
} PairTilt;

typedef struct PairForces
{
	uint32_t count;             // points, which are the first pairs
	uint32_t pairCount;         // with the tilts, which follow
	ARRAY(ContactPoint) points; // [count]
	ARRAY(PairTilt) tilts;      // [pairCount - count]
	ARRAY(PairWeights) weights; // [pairCount]
	ARRAY(uint32_t) rows;       // [4 * pairCount] place; DRAPE_NONE likewise
	ARRAY(TouchLaw) laws;       // [pairCount] s^2 times forces and stiffness
	ARRAY(Vec4) frictionState;  // [count] ContactPoint::frictionState as it will be
	ARRAY(float) compliance;    // [count] 1/kg: what a push on it moves
	ARRAY(Vec4) flow;           // [pairCount] scratch: force of a pair
	uint32_t touchedCount;      // rows that have pairs
	ARRAY(uint32_t) touched;    // [touchedCount] their places
	ARRAY(uint32_t) start;      // [touchedCount + 1] entries of a row
	ARRAY(uint32_t) entries;    // pair << 2 | corner
	ARRAY(uint32_t) firstOf;    // [rows of all systems] scratch
	ARRAY(double) partials;     // scratch
} PairForces;

// One of the cloths: its rows, and what its step under way has of them (see implicit.h).
typedef struct PairSystem
{
	const Hierarchy* hierarchy;
	const ActiveMesh* mesh;
	BlockMatrix* matrix;
	Vec4 *moved, *start; // by row
	Vec4* onward;        // by row: the way it would go on, or `moved`
	Vec4* b;             // by row
	Vec4* x;             // by row: what the solve finds
} PairSystem;

void drapePairForces_Destroy(PairForces* forces);

// Takes over the points. False when memory is short: there are none then.
bool drapePairForces_Begin(PairForces* forces, const ContactPoint* points, uint32_t count, const PairSystem* systems,
                           uint32_t systemCount);

// Forces and stiffness where the systems are now. Adds s^2 times the forces to b and the diagonal parts to the ground
// of the matrices. `s` is that of implicit.h, and the whole step is `reach` times the solved part.
void drapePairForces_Assemble(PairForces* forces, const PairSystem* systems, uint32_t systemCount, float s,
                              float reach);

// After a solve: what the next step is to know of the points.
void drapePairForces_Finish(PairForces* forces, const PairSystem* systems, uint32_t systemCount, float s);

// y += sign times the other parts times x; returns x . (what was added)
double drapePairForces_Multiply(PairForces* forces, Vec4* const* x, Vec4* const* y, float sign, TaskPool* tasks);
