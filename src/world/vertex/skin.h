// SPDX-License-Identifier: MIT
#pragma once

#include "world/substeps.h"

// Limits of motion about skinned positions (drapeCloth_SetSkinTargets).
//
//      skinned normal             A particle stays within its maximum distance d from its skinned position, and outside the
//            |                    back stop, a sphere of radius r whose surface is b behind it.
//         .--+--.
//       /    |    \  d            Each limit is a one-sided constraint between the particle and a kinematic point, the
//      |     o     |              skinned position or the centre of the back stop. Implicit integrators have the limits that
//       \    |b   /               may act in their matrix (constraint.h). After the solve, whatever is still beyond its limit
//         `--|--'                 is moved back: very little, unless the solve did not see the limit come. Limits that act
//        ----+----                are remembered as loads, so that the next solve begins with them. Explicit integrators
//      /     r     \              have the second part only.
//     |  back stop  |

typedef struct SolvedSkin
{
	Cloth* cloth;
	uint32_t particle;
	bool isBackstop;
} SolvedSkin;

// True when particles of the cloth have limits.
bool drapeSkin_HasLimits(const Cloth* cloth);

// The most constraints that a substep has for a cloth.
uint32_t drapeSkin_MostConstraints(const Cloth* cloth);

// Describes a limit of a particle in a substep. False when there is none, or when it cannot act in this substep.
bool drapeSkin_Describe(const drapeWorld* world, const Substep* substep, uint32_t system, SolvedSkin skin,
                        Constraint* constraint);

// After the solve: stores the force on the particle. Returns whether the limit acted before.
bool drapeSkin_StoreForce(const SolvedSkin* skin, const Constraint* constraint, Vec3 force);

// After integration: moves particles back that are beyond their limits.
void drapeSkin_Project(const Substep* substep, TaskPool* tasks);

// The fastest limit in a step of dt seconds, with the speed at which particles that are beyond one return, m/s.
float drapeSkin_TopSpeed(const Cloth* cloth, float dt);

// After a step: its end becomes the beginning of the next one.
void drapeSkin_Finish(Cloth* cloth);
