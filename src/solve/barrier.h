// SPDX-License-Identifier: MIT
#pragma once

#include "base/maths.h"

#include <float.h>

// The contact law: the normal force between two surfaces as a function of their distance. The force begins at the
// activation distance and would be infinite at `floor`:
//
//   force = strength (range / (distance - floor) - 1)^2,   range = activation - floor
//
//   smooth:  resting contacts do not flicker, and many contacts share a load;
//   convex:  a Newton step from a small distance leads out without overshooting;
//   steep:   a thousandfold load reduces the distance only a little.
//
// Below a small share of the range the law continues linearly, so that it is defined for every distance and its
// stiffness is bounded.
typedef struct Barrier
{
	float activation, floor; // m
	float strength;          // N, or the unit of the force
	float linearShare;       // 0 to 1: share of the range below which the law is linear
} Barrier;

// m/s^2: strengths are given in weights of the pushed mass at this acceleration.
static const float barrierWeighing = 10.0f;

// m: the slip at which friction reaches its full force. Below it friction is elastic.
static const float barrierGive = 2e-5f;

// s: damping of the normal motion is this times the stiffness. Contacts do not bounce, and compressed contacts do not
// shoot apart.
static const float barrierDamping = 0.02f;

// A contact with a large load, for example under tight cloth, gets a strength of barrierShare times the load, so that
// it stays in the middle of the range. The stored load is at most barrierRise strengths: the strength at most doubles
// from step to step, so that one impact does not cause another.
static const float barrierShare = 0.5f, barrierRise = 4.0f;

// Returns the strength of a contact. `usual` is the strength for the weight of the pushed mass. The load is INFINITY if
// it is unknown.
DRAPE_INLINE float Barrier_Strength(float usual, float load)
{
	return load < INFINITY ? MaxNumF(usual, barrierShare * load) : usual;
}

// Returns the force, and in *stiffness its decrease per metre.
DRAPE_INLINE float Barrier_Push(const Barrier* barrier, float distance, float* stiffness)
{
	DRAPE_ASSERT(barrier->linearShare > 0.0f && barrier->linearShare <= 1.0f);
	*stiffness = 0.0f;
	float range = barrier->activation - barrier->floor;
	if (!(distance < barrier->activation && range > 0.0f))
		return 0.0f;
	float least = barrier->linearShare * range, left = MaxNumF(distance - barrier->floor, least);
	float excess = range / left - 1.0f;
	*stiffness = 2.0f * barrier->strength * excess * range / (left * left);
	return barrier->strength * excess * excess + *stiffness * (left - (distance - barrier->floor));
}

// A contact of two sides in an implicit step of s seconds. Displacements are those of the first side relative to the
// second.
typedef struct Touch
{
	Vec3 normal;       // unit, towards the first side
	float distance;    // m, present
	float friction;    // coefficient
	float mass;        // kg, effective mass of the contact
	float load;        // normal force of the last step, in units of the force; INFINITY if unknown
	Vec3 slip;         // m, tangential, at the start of the step; at most barrierGive
	Vec3 displacement; // m, since the start of the step
	Vec3 expected;     // m, predicted displacement of the whole step
	Vec3 start;        // m: displacement - start is s times the velocity
} Touch;

// Returns the tangential part of a vector.
DRAPE_INLINE Vec3 Touch_Tangential(const Touch* touch, Vec3 a)
{
	return V3Sub(a, V3Scale(V3Dot(a, touch->normal), touch->normal));
}

// Sets slip and load from the friction state of the last step (TouchLaw_FrictionState): the slip in metres, along the
// present surface, and in w the normal load in newtons, 0 if unknown. A slip beyond barrierGive pulls the sides on.
DRAPE_INLINE void Touch_Recall(Touch* touch, Vec4 frictionState, float s)
{
	Vec3 slipped = Touch_Tangential(touch, V4Xyz(frictionState));
	float length = V3Length(slipped);
	touch->load = frictionState.w > 0.0f ? s * s * frictionState.w : INFINITY;
	if (frictionState.w > 0.0f && length > barrierGive)
	{
		float pull = touch->friction * touch->load * (length / barrierGive - 1.0f) / touch->mass;
		touch->expected = V3Add(touch->expected, V3Scale(pull / length, slipped));
		slipped = V3Scale(barrierGive / length, slipped);
	}
	touch->slip = slipped;
}

// A linearised contact. After a further displacement x of the first side, the force on it is
//
//   force - along n n^T x - across (I - n n^T) x
typedef struct TouchLaw
{
	Vec3 normal;
	float friction; // coefficient; negative without contact
	Vec3 force;
	float along, across; // stiffness along the normal, and tangential stiffness
	float most;          // largest load that the friction state stores
} TouchLaw;

static const TouchLaw touchNone = {.friction = -1.0f};

// Linearises a contact. Friction is Coulomb's: it grows with the slip up to its full force, and then stays constant.
DRAPE_INLINE TouchLaw Touch_Law(const Touch* touch, const Barrier* barrier, float s)
{
	float stiffness, push = Barrier_Push(barrier, touch->distance, &stiffness), drag = barrierDamping / s * stiffness;
	float opened = V3Dot(touch->normal, V3Sub(touch->displacement, touch->start));
	float most = push > 0.0f ? touch->friction * MaxNumF(touch->load < INFINITY ? touch->load : push, 0.0f) : 0.0f;
	TouchLaw law = {.normal = touch->normal, .friction = touch->friction, .along = stiffness + drag};
	law.most = barrierRise * barrier->strength;
	law.force = V3Scale(push - drag * opened, touch->normal);
	if (!(most > 0.0f))
		return law;
	Vec3 sliding = Touch_Tangential(touch, touch->expected), slipped = V3Add(touch->slip, sliding);
	float length = MaxNumF(V3Length(slipped), barrierGive);
	// If friction cannot stop the sliding within the step, the full force acts, without stiffness.
	float stops = MinNumF(MaxNumF(2.0f - touch->mass * V3Length(sliding) / most, 0.0f), 1.0f);
	law.across = stops * most / length;
	law.force = V3Sub(law.force, V3Scale(law.across, V3Add(touch->slip, Touch_Tangential(touch, touch->displacement))));
	law.force = V3Sub(law.force, V3Scale((1.0f - stops) * most / length, slipped));
	return law;
}

// Returns the friction state for the next step, after a displacement x of the first side: slip and normal load. A slip
// beyond barrierGive measures by how much friction held too hard.
DRAPE_INLINE Vec4 TouchLaw_FrictionState(const TouchLaw* law, Vec3 x, float s)
{
	DRAPE_ASSERT(s > 0.0f);
	if (law->friction < 0.0f)
		return (Vec4){0};
	Vec3 n = law->normal, force = V3Sub(law->force, V3Scale(law->across, x));
	float push = V3Dot(n, law->force) - law->along * V3Dot(n, x);
	Vec3 held = V3Sub(V3Scale(V3Dot(n, force), n), force);
	float most = law->friction * MaxNumF(push, 0.0f);
	Vec3 slipped = most > 1e-6f * V3Length(held) ? V3Scale(barrierGive / most, held) : (Vec3){0.0f, 0.0f, 0.0f};
	return (Vec4){slipped.x, slipped.y, slipped.z, MinNumF(MaxNumF(push, 0.0f), law->most) / (s * s) + FLT_MIN};
}
