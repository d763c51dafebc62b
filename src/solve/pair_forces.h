// SPDX-License-Identifier: MIT
#pragma once

// Forces between pairs of points in an implicit solve of one or several cloths: contacts and constraints.
//
// A contact is two closest points, given by weights of four particles. Weights of kinematic vertices, such as those of
// colliders, are left out; their displacement is known. Closer than the activation distance the points push each other
// apart by the law of barrier.h, whose strength is in weights of the particles that it moves. The push is damped along
// the normal so that it does not bounce. Friction is Coulomb's; it is stateful, and the slip is carried from step to
// step.
//
// A face that lies on a round collider, such as a sphere, rolls on it: when the face tilts a little, the point where it
// is pushed moves far. The push times the distance to the centre of curvature resists tilting. A solve without this
// stiffness would tilt the face to and fro forever, so tilts are pairs of their own.
//
// Constraints are the persistent pairs of constraint.h. Both kinds become part of the matrix by pair_table.h.

#include "contact/contact_point.h"
#include "solve/constraint.h"
#include "solve/pair_levels.h"
#include "solve/pair_table.h"

typedef struct PairTilt
{
	uint32_t point;
	float arm; // m: stiffness of the tilt over the push of the point
} PairTilt;

// The pairs of a substep.
typedef struct PairInput
{
	const ContactPoint* points;
	uint32_t pointCount;
	const Constraint* constraints;
	uint32_t constraintCount;
} PairInput;

// One-sided constraints without force, and limited ones that slip, in this substep.
typedef enum ReleaseState
{
	pairHolds,
	pairIsReleased,
	pairStaysReleased, // a limited constraint that held, and would have needed too much
	pairIsEngaged,     // a limit that acts, whatever the prediction was
	pairStaysEngaged,  // a limit that was released, and missed without it
} ReleaseState;

typedef struct PairForces
{
	uint32_t count;             // contact points
	ARRAY(ContactPoint) points; // [count]
	ARRAY(PairTilt) tilts;      // [contacts.count - count]
	ARRAY(Vec4) frictionState;  // [count] ContactPoint::frictionState after the substep
	ARRAY(float) compliance;    // [count] 1/kg: inverse of the mass that a push on the point moves
	PairTable contacts;         // points, then tilts. Weights of a tilt give its angle, 1/m

	uint32_t constraintCount;
	ARRAY(Constraint) constraints;     // [constraintCount]
	ARRAY(float) constraintCompliance; // [constraintCount] 1/kg
	ARRAY(Vec4) constraintForce;       // [constraintCount] N: on the first point, after the substep
	ARRAY(uint8_t) isReleased;         // [constraintCount] ReleaseState
	ARRAY(Vec4) pull;                  // [constraintCount] N: force of limited constraints that slip
	PairTable joints;                  // the constraints
	bool hasLimited; // some are limited: large forces on single particles make up most of b, or there are limits

	uint32_t rounds;   // calls of drapePairForces_Release in this substep
	bool limitsChange; // the last solve missed limits (Constraint::isLimit), or was held back by some

	PairLevels levels; // contacts and constraints on coarse levels
} PairForces;

void drapePairForces_Destroy(PairForces* forces);

// Reserves memory for constraints in systems with `rowCount` rows in all, so that drapePairForces_Begin cannot fail for
// them. Returns false when out of memory.
bool drapePairForces_ReserveConstraints(PairForces* forces, uint32_t constraintCount, uint32_t rowCount);

// Copies the pairs. Returns false when out of memory: there are no contacts then, and no constraints unless memory
// for them was reserved.
bool drapePairForces_Begin(PairForces* forces, const PairInput* input, const PairSystem* systems, uint32_t systemCount,
                           TaskPool* tasks);

// Evaluates forces and stiffness at the present displacements. Adds s^2 times the forces to b. The stiffness goes to the
// coarse levels, or its diagonal blocks to the anchor terms of the matrices. `s` is that of implicit.h, and the whole
// step is `reach` times the solved part.
void drapePairForces_Assemble(PairForces* forces, const PairSystem* systems, uint32_t systemCount, float s, float reach,
                              TaskPool* tasks);

// After a solve: releases one-sided constraints that push and limited ones that need too much force. Limited ones that
// have slipped past their place hold again. True when there were some: the solve has to be repeated. Before the last
// repetition, limited constraints keep the forces that they have, within their limits. Limits about moving points
// (Constraint::isLimit) need no repetition: they act or not from the next Newton iteration on. `s` and `reach` are those of
// drapePairForces_Assemble.
bool drapePairForces_Release(PairForces* forces, const PairSystem* systems, uint32_t systemCount, float s, float reach,
                             bool isLast);

// After a solve: friction state and forces for the next step.
void drapePairForces_Finish(PairForces* forces, const PairSystem* systems, uint32_t systemCount, float s,
                            TaskPool* tasks);

// As drapePairTable_Multiply, for contacts and constraints. `forces` may be NULL.
double drapePairForces_Multiply(PairForces* forces, Vec4* const* x, Vec4* const* y, float sign, TaskPool* tasks);
