// SPDX-License-Identifier: MIT
#pragma once

#include "base/maths.h"
#include "drape/world.h"
#include "world/handles.h"
#include "world/constraint/anchor.h"

// Pins: particles that move as the application says.
//
// A pin with a force limit does not make its particle kinematic. It is a constraint between the particle and the place
// of the pin (solve/constraint.h), which the world's constraints describe to the solver.
//
// A pin without a limit that jumps away from the rest of its cloth becomes loose: it has a limit of some weights of the
// cloth until it has caught its particle again. Otherwise it would tear the cloth.

typedef struct Cloth Cloth;

typedef struct Pin
{
	uint32_t vertexId;   // the scheme's name of the vertex, which survives adaptation; DRAPE_NONE when the slot is free
	uint32_t handle;     // in the world's table of pins
	uint32_t motion1;    // index of the motion + 1; 0 for none
	drapeTransform base; // applied after the motion: where teleports have taken the pin. Valid if hasBase.
	uint32_t hasBase;
	Vec3 anchor;           // m, in the motion's space
	Vec3 from, to;         // m, when the step begins and ends. Without a motion the application sets `to`.
	SurfaceAnchor surface; // on the collider that it follows; collider1 is 0 for none
	float start, end;      // s: it pins from the one to the other; an end of 0 is never
	uint32_t isOff;        // the start has not come yet
	Vec3 way;              // m: of the pin in the step in progress
	Vec3 velocity;         // m/s: in the last step
	float maxForce;        // N: the largest force on the particle; 0 for a pin without a limit
	Vec3 force;            // N: on the particle of a limited pin, at the end of the last substep
	uint32_t slips;        // a limited pin needs more than its largest force
	Vec3 savedForce;       // the last two when the step began
	uint32_t savedSlips;
	float looseForce;      // N: the limit of a pin without one that has been torn from its cloth; 0 for others
	float savedLooseForce; // when the step began
} Pin;

// Pins particles whose pins start, removes pins that have ended, and finds where the others are when a step of dt
// seconds ends.
void drapePins_Animate(drapeWorld* world, Cloth* cloth, float dt);

// Gives pinned particles the velocity that takes them to where their pins are at a fraction of the step, in dt seconds.
void drapePins_Place(Cloth* cloth, float fraction, float dt);

// Writes where pinned particles are at a fraction of the step. Pinned particles without a pin of their own are placed
// between their parents. Other rows of `position` are neither read nor written.
void drapePins_Settle(Cloth* cloth, float fraction, Vec4* position);

// The particle that a pin holds with a limited force now; DRAPE_NONE for other pins.
uint32_t drapePin_LimitedParticle(const Cloth* cloth, const Pin* pin);

// The largest force of a pin, N; 0 for no limit.
float drapePin_MaxForce(const Pin* pin);

// Makes a pin without a limit loose.
void drapePin_Loosen(Cloth* cloth, Pin* pin);

// The position of a pin at a fraction of the step, 0 to 1.
Vec3 drapePin_At(const Pin* pin, float fraction);

// Restores the forces of limited pins when a step is repeated or fails. If it fails, pins that it has made loose are
// fast again.
void drapePins_RestoreForces(Cloth* cloth, bool isFailed);

// The work in J that limited pins may do within the step.
double drapePins_AllowedWork(const Cloth* cloth);

// The fastest pin without a limit during a step of dt seconds, m/s.
float drapePins_TopSpeed(const Cloth* cloth, float dt);

// After adaptation: pins new particles between pinned parents, if the cloth's definition asks for it.
void drapePins_PinCreated(Cloth* cloth);

// Pins that followed a motion or a collider that is destroyed stay where they are.
void drapePins_ForgetMotion(Cloth* cloth, uint32_t motion1);
void drapePins_ForgetCollider(Cloth* cloth, uint32_t slot);

// After a step of dt seconds: its end becomes the beginning of the next one.
void drapePins_Finish(Cloth* cloth, float dt);
