// SPDX-License-Identifier: MIT
#pragma once

#include "drape/cloth.h"
#include "world/handles.h"

// Sleep of whole cloths. (adapt/criteria/sleep.h is about adaptation at single particles.)
//
// A cloth sleeps when all of its particles have been slower than a speed for some time, together with all cloths of its
// island: those that constraints join to it, and those with contact "all" whose bounds overlap its own. No stage of the
// step looks at it then, but for a test of what could wake it:
//
//   objects     colliders that move, appear, disappear or change near its bounds; an awake cloth whose bounds, swept over
//               the step, come near; an awake cloth that a constraint joins to it
//   itself      a pin that moves, starts or ends; constraints that come or go; its frame
//   world       gravity, wind; wind that changes with time keeps cloth awake
//   application every function that changes the cloth
//
// An awake cloth cannot touch a sleeping one, because the test wakes that first. Contact therefore does without the
// sleeping ones. Velocities are zero in sleep, and integration begins without history after it; the friction state of
// particles on colliders stays.

typedef struct Cloth Cloth;

// Snapshots store these bytes.
typedef struct ClothSleep
{
	drapeSleepDef def;
	float quiet;          // s: for how long the cloth has been slow
	uint32_t isAsleep;    // no stage of the step runs for it
	uint32_t constraints; // active ones that hold it, when it fell asleep
	uint32_t isKept;      // a neighbour keeps it awake; scratch of the end of a step
	drapeVec3 low, high;  // m: bounds when it fell asleep
} ClothSleep;

drapeResult drapeSleepDef_Check(drapeSleepDef def, const char* prefix, drapeMessage* message);

// The application or the world changes something about the cloth.
void drapeCloth_Wake(Cloth* cloth);
void drapeClothSleep_WakeAll(drapeWorld* world);

// A collider appears, disappears or changes.
void drapeClothSleep_DisturbCollider(drapeWorld* world, uint32_t slot);

// A cloth is about to be destroyed.
void drapeClothSleep_ForgetCloth(drapeWorld* world, const Cloth* cloth);

// When a step begins and colliders and pins know where it ends: wakes what has to be.
void drapeClothSleep_Begin(drapeWorld* world, float dt);

// After a step of dt seconds: finds the cloths that fall asleep.
void drapeClothSleep_Finish(drapeWorld* world, float dt);
