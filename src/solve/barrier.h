// SPDX-License-Identifier: MIT
#pragma once

#include "base/maths.h"

// The law of touching: how hard two things that are this far apart push each other. Between `reach`, where it begins,
// and `floor`, where it would be infinite, the force is strength times (room / (distance - floor) - 1)^2.
//
//   smooth:  what rests does not flicker between touching and not, and many points share a load;
//   convex:  a Newton step from too near leads out without overshooting;
//   steep:   what carries a thousand times as much comes nearer by little.
//
// Nearer than a small part of the room it goes on evenly, so that it is defined everywhere, and solvers can bear it.
typedef struct Barrier
{
	float reach, floor; // m
	float strength;     // N, or in whatever unit the push is to be
	float least;        // the part of the room below which it goes on evenly
} Barrier;

// Strengths are chosen in weights of what is pushed, at this acceleration, m/s^2.
static const float barrierWeighing = 10.0f;

// Where nothing is remembered of it, friction gives way below this speed, m/s.
static const float barrierStickSpeed = 1e-4f;

// Where it is, things stick to where they were: friction is whole once they have slipped so far, m.
static const float barrierGive = 2e-5f;

// What comes nearer or parts is braked by the stiffness times this, s: nothing bounces, and what was pressed together
// is not shot off.
static const float barrierDamping = 0.02f;

// Returns the push, and in *stiffness by how much it falls per metre.
DRAPE_INLINE float Barrier_Push(const Barrier* barrier, float distance, float* stiffness)
{
	*stiffness = 0.0f;
	if (!(distance < barrier->reach))
		return 0.0f;
	float room = barrier->reach - barrier->floor, least = barrier->least * room,
		  left = fmaxf(distance - barrier->floor, least);
	float excess = room / left - 1.0f;
	*stiffness = 2.0f * barrier->strength * excess * room / (left * left);
	return barrier->strength * excess * excess + *stiffness * (left - (distance - barrier->floor));
}

// Two things that touch, seen in an implicit step of s seconds. Ways are those of the first relative to the other.
typedef struct Touch
{
	Vec3 normal;    // unit, towards the first
	float distance; // m, now
	float friction;
	float mass;    // kg: what a push moves
	float load;    // what presses them together, in units of the push; INFINITY when that is not known
	float give;    // m: how far they slip until friction is whole
	Vec3 slipped;  // m, across: how far they had when the step began, at most `give`
	Vec3 way;      // m: made so far
	Vec3 expected; // m: as it will be, for all that is known
	Vec3 start;    // m: what the way made is counted from to be s times the velocity
} Touch;

DRAPE_INLINE Vec3 Touch_Across(const Touch* touch, Vec3 a)
{
	return V3Sub(a, V3Scale(V3Dot(a, touch->normal), touch->normal));
}

// The force on the first, and in *along and *across by how much it falls per metre that it moves along the normal and
// across. Friction is Coulomb's: it grows with what is slipped until it is whole, and then stays.
DRAPE_INLINE Vec3 Touch_Force(const Touch* touch, const Barrier* barrier, float s, float* along, float* across)
{
	float stiffness, push = Barrier_Push(barrier, touch->distance, &stiffness), drag = barrierDamping / s * stiffness;
	float opened = V3Dot(touch->normal, V3Sub(touch->way, touch->start));
	float most = push > 0.0f ? touch->friction * fmaxf(touch->load < INFINITY ? touch->load : push, 0.0f) : 0.0f;
	Vec3 force = V3Scale(push - drag * opened, touch->normal);
	*along = stiffness + drag;
	*across = 0.0f;
	if (!(most > 0.0f))
		return force;
	Vec3 sliding = Touch_Across(touch, touch->expected), slipped = V3Add(touch->slipped, sliding);
	float length = fmaxf(V3Length(slipped), touch->give);
	// What slides so fast that friction will not stop it now is pulled by all of it, however fast it gets.
	float stops = fminf(fmaxf(2.0f - touch->mass * V3Length(sliding) / most, 0.0f), 1.0f);
	*across = stops * most / length;
	force = V3Sub(force, V3Scale(*across, V3Add(touch->slipped, Touch_Across(touch, touch->way))));
	return V3Sub(force, V3Scale((1.0f - stops) * most / length, slipped));
}
