// SPDX-License-Identifier: MIT
#pragma once

// solve — advances particles in time.
//
//   integrate.c   explicit integrators behind one interface (tutorial P 3.1; Simnett 2012, 3.6.4; misprints corrected)
//   stretch.c     edges that are too long are shortened, coarse levels first (Provot 1995; Simnett 2012, 3.6.6)

#include "base/tasks.h"
#include "base/checks/message.h"
#include "drape/material.h"
#include "drape/solver.h"
#include "mesh/active.h"
#include "mesh/color_graph.h"

// Refuses values out of range.
drapeResult drapeSolver_Check(const drapeSolverDef* def, const char* prefix, drapeMessage* message);

// --- integrators ----------------------------------------------------------------------------------------------------

// Computes accelerations, m/s^2, at the given positions and velocities. Fourth components are not used.
typedef void AccelerationFcn(const Vec4* position, const Vec4* velocity, double time, Vec4* acceleration,
                             void* context);

// x' = v, v' = a(x, v, t). The arrays' fourth components (mass) are kept.
typedef struct Dynamics
{
	uint32_t count;
	Vec4* position;
	Vec4* velocity;
	AccelerationFcn* acceleration;
	void* context;
	TaskPool* tasks;
	Vec4* scratch;      // drapeIntegrator_ScratchRows(integrator) * count rows
	float previousStep; // s; 0 at the start. The position form of Verlet uses it when the step changes.
} Dynamics;

// Makes one step of `dt` seconds from `time`.
void drapeDynamics_Step(Dynamics* dynamics, drapeIntegrator integrator, double time, float dt);

// Rows of scratch per particle.
uint32_t drapeIntegrator_ScratchRows(drapeIntegrator integrator);

// --- stretch --------------------------------------------------------------------------------------------------------

// A limit on the distance of a particle's parents, which may not exceed the rest length between them. Their inverse
// masses, 1/kg, divide a correction between them.
typedef struct ParentLimit
{
	uint32_t a, b;
	uint32_t slotA, slotB;    // slots of `byLevel`
	float length;             // m, at rest
	float longest;            // m, in this substep
	float inverseA, inverseB; // inverse masses including all descendants, pinned or not
} ParentLimit;

// Data for the sweeps over coarser levels; follows the active mesh.
typedef struct StretchLimit
{
	ARRAY(uint32_t) byLevel;         // particles sorted by level
	ARRAY(uint32_t) slot;            // per particle: its slot in `byLevel`
	ARRAY(ParentLimit) parentLimits; // sorted by level
	uint32_t levelStart[DRAPE_MAX_LEVEL + 3], parentLimitStart[DRAPE_MAX_LEVEL + 3]; // level l: [l] to [l + 1]
	ARRAY(uint32_t) parent[3]; // per slot: rows of the parents, in bytes; the first one is repeated if there is none
	ARRAY(float) weight[3];    // per slot: weights of the parents; 0 if there is none
	bool hasThirds;            // some particles have three parents
	ARRAY(Vec4) row;           // scratch, per slot: positions with inverse masses; held particles count as heavy
	ARRAY(float) follows;      // scratch, per slot: 0 for particles that do not follow their parents
	ARRAY(Vec4) displacement;  // scratch, per slot
	ARRAY(float) mass;         // scratch
	ARRAY(float) longest;      // scratch, m, per edge in the order of colours, each colour at a multiple of eight
	ARRAY(uint32_t) end[2];    // in the same order: rows of the ends, in bytes
	uint64_t endVersion;       // ColorGraph::version of these edges
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
	float keptExcess;     // fraction of the excess length at that time that may remain
} StretchDef;

// Moves particles so that edges are at most `maxStretch` times their rest length, as far as `iterations` sweeps achieve
// it. The centre of mass is kept, except that pinned particles do not move and held ones count as heavy. `edges` has
// the coloured active edges.
void drapeStretchLimit_Apply(StretchLimit* limit, ActiveMesh* mesh, const ColorGraph* edges, const StretchDef* def,
                             TaskPool* tasks);
