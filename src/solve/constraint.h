// SPDX-License-Identifier: MIT
#pragma once

// Constraints: persistent pairs of points, and their laws.
//
// The gap of a constraint is the vector from its second point to its first, in metres. A law turns the gap and its
// velocity into a force on the first point and a positive semidefinite stiffness. The second point feels the opposite
// force. Implicit solvers put both into the matrix (pair_table.h). Explicit integrators use the same law to project
// positions: with m the mass that a force on the gap moves, the gap changes by (m + K)^-1 f.
//
//   attachment   holds the gap at zero, as a spring with a damper, or hard.
//   tether       limits the length of the gap. It pulls, and never pushes.
//   stitch       closes the gap with a motor: the pull is `maxForce` at rest and falls to zero at `speed`. A closed stitch
//                (speed 0) is an attachment of its two points.
//   pin          holds the gap at zero with a force that never exceeds `maxForce`. A pin whose force would be larger slips:
//                it pulls with the constant force `maxForce`. Whether it slips is found out by the solve: it is repeated
//                when a pin that holds would need too much, or when one that slips has passed its place.
//
//   back stop    keeps the gap at a length at least. It pushes, and never pulls.
//
// A new law is a kind (drape/constraint.h), a row of the table in constraint.c, and a function that creates it
// (world/constraint/constraint_create.c). No other file distinguishes kinds: they read the properties of the row.

#include "drape/constraint.h"
#include "solve/pair_table.h"

// Laws that the world uses beside those of drapeConstraintKind: a pin with a force limit, and a back stop.
#define constraintPin ((drapeConstraintKind)drape_constraintKindCount)
#define constraintBackstop ((drapeConstraintKind)(drape_constraintKindCount + 1))

enum
{
	constraintKinds = drape_constraintKindCount + 2,
};

// Properties of a law. A row of the table in constraint.c has them beside the function of the law.
typedef struct ConstraintTraits
{
	bool hasLength;     // compares the length of the gap with Constraint::length; other laws hold the gap at zero
	bool isOneSided;    // pulls, and never pushes: exerts no force on a gap that is shorter than its length
	bool pushes;        // one-sided the other way round: exerts no force on a gap that is longer
	bool closes;        // a motor closes the gap at Constraint::speed; the constraint is closed afterwards
	bool isLinear;      // holds the gap at zero by a force that is linear in it; if it closes, then once it is closed
	bool isLimited;     // the force never exceeds Constraint::maxForce
	bool joinsElements; // contact ignores elements that the constraint joins; both points are on cloths
} ConstraintTraits;

// A constraint during a substep.
typedef struct Constraint
{
	drapeConstraintKind kind;
	uint32_t particle[constraintSlots]; // DRAPE_NONE for unused slots
	uint8_t system[constraintSlots];    // cloth of each particle, below pairMaxSystems
	float weight[constraintSlots];      // positive for the first point; negative for the second
	Vec3 gap;                           // m, when the substep begins
	Vec3 way;                           // m: the change of the gap in the substep by kinematic points
	Vec3 velocity;                      // m/s: the same as a velocity
	float stiffness;                    // N/m; INFINITY for a hard constraint
	float damping;                      // N s/m
	float length;                       // m: of a law that has a length
	float speed;                        // m/s: at which the gap closes; 0 when it is closed
	float maxForce;                     // N: of the motor that closes it, or of a law that is limited
	bool slips;                         // a limited law begins with its largest force
	// A limit about a point that may move by more than the length within the substep. The law is linearised where the
	// gap is expected to be, and Newton iterations find out whether it acts.
	bool isLimit;
	float load; // N: tension at the end of the last substep, 0 for none
} Constraint;

// The state in which a law is evaluated.
typedef struct ConstraintState
{
	Vec3 gap;               // m, now
	Vec3 change;            // m: of the gap since the substep began
	Vec3 expected;          // m: the predicted gap at the end of the substep
	Vec3 velocity;          // m/s: of the gap, as far as it depends on the displacement made so far
	Vec3 predictedVelocity; // m/s: of the gap, from its motion before the solve
	float s;                // s: see implicit.h
	float hardStiffness;    // kg: s^2 times the stiffness of a hard constraint
	bool isEngaged;         // a one-sided law acts, whatever the prediction is
	bool isReleased;        // a one-sided law that would push in this substep, or a limited one that slips
	Vec3 pull;              // N: the force of a limited law that slips
} ConstraintState;

// s^2 times the force on the first point, and the stiffness. TouchLaw::friction and TouchLaw::most have no meaning
// here.
TouchLaw drapeConstraint_Evaluate(const Constraint* constraint, const ConstraintState* state);

// The properties of a kind. The tension of a one-sided constraint is checked after a solve.
const ConstraintTraits* drapeConstraint_TraitsOf(drapeConstraintKind kind);

// Tells whether the constraint is rigid. It is not while a motor closes it.
bool drapeConstraint_IsHard(const Constraint* constraint);

// The force on the first point after it moved on by x since the evaluation, N.
Vec3 drapeConstraint_Force(const TouchLaw* law, Vec3 x, float s);

// Moves particles such that the constraint holds at the end of a substep of dt seconds, and changes their velocities
// accordingly. `meshes` has the mesh of each system. `gap` is the gap at the end of the substep, and Constraint::gap
// that at its beginning. Returns the force on the first point, N.
Vec3 drapeConstraint_Project(const Constraint* constraint, ActiveMesh* const* meshes, Vec3 gap, float dt);

// Moves particles by the least masses times squares such that the gap changes by `change`, m, and their velocities such
// that its velocity changes by `velocityChange`, m/s.
void drapeConstraint_Shift(const Constraint* constraint, ActiveMesh* const* meshes, Vec3 change, Vec3 velocityChange);

// The velocity of the gap, m/s, with that of kinematic points.
Vec3 drapeConstraint_GapVelocity(const Constraint* constraint, ActiveMesh* const* meshes);
