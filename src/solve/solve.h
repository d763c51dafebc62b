// SPDX-License-Identifier: MIT
#pragma once

// solve — advances particles in time.
//
//   integrate.c   explicit integrators behind one interface (tutorial P 3.1; Simnett 2012, 3.6.4; misprints corrected)
//   stretch.c     edges that are too long are shortened, coarse levels first (Provot 1995; Simnett 2012, 3.6.6)

#include "base/tasks.h"
#include "drape/material.h"
#include "mesh/active.h"
#include "mesh/color_graph.h"

// --- integrators ----------------------------------------------------------------------------------------------------

// Accelerations, m/s^2, at positions and velocities of a moment. The fourth components of all rows are not used.
typedef void AccelerationFcn(const Vec4* position, const Vec4* velocity, double time, Vec4* acceleration,
                             void* context);

// x' = v, v' = a(x, v, t). The arrays' fourth components (mass) are left alone.
typedef struct Dynamics
{
	uint32_t count;
	Vec4* position;
	Vec4* velocity;
	AccelerationFcn* acceleration;
	void* context;
	TaskPool* tasks;
	Vec4* scratch;      // drapeIntegrator_ScratchRows(integrator) * count rows
	float previousStep; // s; 0 at the start: the position form of Verlet needs it to begin, and when the step changes
} Dynamics;

// One step of `dt` seconds from `time`.
void drapeDynamics_Step(Dynamics* dynamics, drapeIntegrator integrator, double time, float dt);

// Rows of scratch per particle.
uint32_t drapeIntegrator_ScratchRows(drapeIntegrator integrator);

// Evaluations of the acceleration per step.
uint32_t drapeIntegrator_Evaluations(drapeIntegrator integrator);

// --- stretch --------------------------------------------------------------------------------------------------------

// The parents of a particle may be no farther apart than the rest length between them. Their inverse masses, 1/kg,
// share out a correction.
typedef struct Tether
{
	uint32_t a, b;
	uint32_t placeA, placeB;  // theirs in the order of levels
	float length;             // m, at rest
	float longest;            // m, in the substep under way
	float inverseA, inverseB; // of all that they surfaceDisplacement along, pinned or not
} Tether;

// What the sweeps over coarser levels need; follows the active mesh.
typedef struct StretchLimit
{
	ARRAY(uint32_t) byLevel;                                                    // particles sorted by level
	ARRAY(uint32_t) place;                                                      // by particle: where it is in that
	ARRAY(Tether) tethers;                                                      // sorted by level
	uint32_t levelStart[DRAPE_MAX_LEVEL + 3], tetherStart[DRAPE_MAX_LEVEL + 3]; // those of level l: [l] to [l + 1]
	ARRAY(uint32_t) carrier[3]; // by place: rows of the parents, in bytes; that of the first where there is none
	ARRAY(float) weight[3];     // by place: theirs; 0 where there is none
	bool hasThirds;             // some particles have three parents
	ARRAY(Vec4) row;            // scratch, by place: positions with inverse masses, what is held as heavy as it counts
	ARRAY(float) follows;       // scratch, by place: 0 for what is not carried along
	ARRAY(Vec4) displacement;   // scratch, by place
	ARRAY(float) mass;          // scratch
	ARRAY(float) longest;       // scratch, m, by edge in the order of colours, each at a multiple of eight
	ARRAY(uint32_t) end[2];     // in the same order: rows of the ends, in bytes
	uint64_t endVersion;        // of the edges they are of
	bool hasEnds;
	BitSet isParent; // scratch, over particles
	uint32_t revision;
} StretchLimit;

void drapeStretchLimit_Destroy(StretchLimit* limit);
bool drapeStretchLimit_Follow(StretchLimit* limit, const ActiveMesh* mesh);

typedef struct StretchDef
{
	float maxStretch; // over the rest length
	uint32_t iterations;
	const Vec4* previous; // positions at the beginning of the substep
	float keptExcess;     // of what was too long then, this share may remain
} StretchDef;

// Moves particles until edges are at most `maxStretch` times their rest length, as far as so many sweeps reach. The
// centre of mass stays, but for pinned particles, which do not move, and held ones, which count as heavy. `edges` has
// the active edges, coloured.
void drapeStretchLimit_Apply(StretchLimit* limit, ActiveMesh* mesh, const ColorGraph* edges, const StretchDef* def,
                             TaskPool* tasks);
