// SPDX-License-Identifier: MIT
#pragma once

#include "world/cloth.h"

// The substeps of one cloth, or of several cloths with implicit integrators that are solved together. A substep is
//
//   pins -> forces and integration -> damping -> pins -> stretch limit -> constraints -> colliders
//
// Explicit integrators run for one cloth at a time. Implicit ones solve one system for all cloths of the substep, with
// the constraints and the contact points between them (contact/contact_stage.h).

enum
{
	// Particles of a task; a multiple of 64, so that tasks write different words of the contact bits.
	particleGrain = 1024,
};

// A substep of one cloth.
typedef struct Substep
{
	drapeWorld* world;
	Cloth* cloth;
	float dt;                       // s
	float fromFraction, toFraction; // begin and end, as fractions of the step
	float decay;                    // factor of velocities for global damping
	ContactDef contact;
	const Vec4* start; // positions when the substep begins
	// Contact sweeps from `swept` to the present positions. In the first substep it is the beginning of the step, so
	// that drapeCloth_DrawIn does not move particles through colliders; in the others it is `start`.
	const Vec4* swept;
	bool isStill;     // the deadline cut the rest of the step: an explicit integrator leaves the cloth where it is
	bool hasAttached; // hard constraints to kinematic points hold particles (ClothSimulation::attached)
	// For the guard:
	ClothSurvey before, after; // when the step begins, and after the last attempt
	double allowed;            // J that the step may gain
	const char* problem;       // why the last attempt cannot be kept; NULL when it can
	bool wasDamped;            // the cloth begins the attempt with damped velocities
	bool needsMore;            // an attempt was too long for the cloth
	bool isRepeated;           // an attempt with fewer substeps came before
} Substep;

// Reserves memory for the particles that the cloth has now. False when out of memory.
bool drapeSubsteps_Reserve(drapeWorld* world, Cloth* cloth);

// Shortens edges that are too long when a step begins, without changing velocities.
void drapeCloth_DrawIn(drapeWorld* world, Cloth* cloth);

// Runs `count` substeps of a step of dt seconds for the cloths in world->substeps. The deadline may cut them: one substep
// then covers the rest of the step. Implicit integrators take it at once. Explicit ones would be unstable: their cloths
// stand still while pins and colliders move on. Returns the number of substeps that were made.
uint32_t drapeSubsteps_Run(drapeWorld* world, float dt, uint32_t count);

// Copies rows in parallel.
void drapeRows_Copy(TaskPool* tasks, Vec4* to, const Vec4* from, uint32_t count);
