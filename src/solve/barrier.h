// SPDX-License-Identifier: MIT
#pragma once

#include "base/maths.h"

#include <float.h>

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

// Things stick to where they were: friction is whole once they have slipped so far, m.
static const float barrierGive = 2e-5f;

// What comes nearer or parts is braked by the stiffness times this, s: nothing bounces, and what was pressed together
// is not shot off.
static const float barrierDamping = 0.02f;

// What is pressed harder than usual, by tight cloth for one, gets a law that carries that in the middle of the room and
// not at its end: a strength of this part of the load. A blow must not be answered by another: the load that is
// remembered is at most so many strengths, so that the strength at most doubles from step to step.
static const float barrierShare = 0.5f, barrierRise = 4.0f;

// `usual` is the strength for what weighs; the load is INFINITY when it is not known.
DRAPE_INLINE float Barrier_Strength(float usual, float load)
{
	return load < INFINITY ? fmaxf(usual, barrierShare * load) : usual;
}

// Returns the push, and in *stiffness by how much it falls per metre.
DRAPE_INLINE float Barrier_Push(const Barrier* barrier, float distance, float* stiffness)
{
	*stiffness = 0.0f;
	float room = barrier->reach - barrier->floor;
	if (!(distance < barrier->reach && room > 0.0f))
		return 0.0f;
	float least = barrier->least * room, left = fmaxf(distance - barrier->floor, least);
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
	Vec3 slipped;  // m, across: how far they had slipped when the step began, at most barrierGive
	Vec3 way;      // m: made so far
	Vec3 expected; // m: as it will be, for all that is known
	Vec3 start;    // m: what the way made is counted from to be s times the velocity
} Touch;

DRAPE_INLINE Vec3 Touch_Across(const Touch* touch, Vec3 a)
{
	return V3Sub(a, V3Scale(V3Dot(a, touch->normal), touch->normal));
}

// Takes up what is left of the last step (TouchLaw_FrictionState): how far they had slipped, along the surface as it is now, m,
// and in w what pressed them together, N, 0 when that is not known. What is more than friction gives pulls them on.
DRAPE_INLINE void Touch_Recall(Touch* touch, Vec4 frictionState, float s)
{
	Vec3 slipped = Touch_Across(touch, V4Xyz(frictionState));
	float length = V3Length(slipped);
	touch->load = frictionState.w > 0.0f ? s * s * frictionState.w : INFINITY;
	if (frictionState.w > 0.0f && length > barrierGive)
	{
		float pull = touch->friction * touch->load * (length / barrierGive - 1.0f) / touch->mass;
		touch->expected = V3Add(touch->expected, V3Scale(pull / length, slipped));
		slipped = V3Scale(barrierGive / length, slipped);
	}
	touch->slipped = slipped;
}

// A touch as a solve sees it: when the first moves on by x, the force on it is
//
//   force - along n n^T x - across (I - n n^T) x
typedef struct TouchLaw
{
	Vec3 normal;
	float friction; // negative where there is no touch
	Vec3 force;
	float along, across;
	float most; // the greatest load to be remembered
} TouchLaw;

static const TouchLaw touchNone = {.friction = -1.0f};

// Friction is Coulomb's: it grows with what is slipped until it is whole, and then stays.
DRAPE_INLINE TouchLaw Touch_Law(const Touch* touch, const Barrier* barrier, float s)
{
	float stiffness, push = Barrier_Push(barrier, touch->distance, &stiffness), drag = barrierDamping / s * stiffness;
	float opened = V3Dot(touch->normal, V3Sub(touch->way, touch->start));
	float most = push > 0.0f ? touch->friction * fmaxf(touch->load < INFINITY ? touch->load : push, 0.0f) : 0.0f;
	TouchLaw law = {.normal = touch->normal, .friction = touch->friction, .along = stiffness + drag};
	law.most = barrierRise * barrier->strength;
	law.force = V3Scale(push - drag * opened, touch->normal);
	if (!(most > 0.0f))
		return law;
	Vec3 sliding = Touch_Across(touch, touch->expected), slipped = V3Add(touch->slipped, sliding);
	float length = fmaxf(V3Length(slipped), barrierGive);
	// What slides so fast that friction will not stop it now is pulled by all of it, however fast it gets.
	float stops = fminf(fmaxf(2.0f - touch->mass * V3Length(sliding) / most, 0.0f), 1.0f);
	law.across = stops * most / length;
	law.force = V3Sub(law.force, V3Scale(law.across, V3Add(touch->slipped, Touch_Across(touch, touch->way))));
	law.force = V3Sub(law.force, V3Scale((1.0f - stops) * most / length, slipped));
	return law;
}

// What the next step is to know of this one, in which the first moved on by x. Slipped farther than friction gives
// says by how much too hard it was held.
DRAPE_INLINE Vec4 TouchLaw_FrictionState(const TouchLaw* law, Vec3 x, float s)
{
	if (law->friction < 0.0f)
		return (Vec4){0};
	Vec3 n = law->normal, force = V3Sub(law->force, V3Scale(law->across, x));
	float push = V3Dot(n, law->force) - law->along * V3Dot(n, x);
	Vec3 held = V3Sub(V3Scale(V3Dot(n, force), n), force);
	float most = law->friction * fmaxf(push, 0.0f);
	Vec3 slipped = most > 1e-6f * V3Length(held) ? V3Scale(barrierGive / most, held) : (Vec3){0.0f, 0.0f, 0.0f};
	return (Vec4){slipped.x, slipped.y, slipped.z, fminf(fmaxf(push, 0.0f), law->most) / (s * s) + FLT_MIN};
}
