// SPDX-License-Identifier: MIT
#pragma once

// Implicit integration of finite-element cloth.
//
// Euler, midpoint and BDF2 are one solve in disguise: with s = gamma dt, the new positions x minimise
//
//   1/2 |x - x0 - s v0|^2_M + s^2 V(x)       and   v = (x - x0) / s
//
// where x0 and v0 are those of the last moment (Euler: s = dt; midpoint: s = dt/2, after which the step goes on as far
// again) or drawn from the last two (BDF2). Each Newton iteration solves (M + s^2 K + s D) dx = -gradient with the
// tangent made positive semidefinite; one iteration is the linearly implicit method of Baraff and Witkin 1998.
//
// Particles that lie on a collider are part of the solve: the nearer they are, the harder it pushes them off, by the
// law of barrier.h. Coulomb's friction holds them to where they were until they have slipped by a small way, which is
// kept from step to step with what presses them, or pulls against the way they slide.

#include "model/curvature.h"
#include "model/membrane.h"
#include "solve/barrier.h"
#include "solve/bend_sum.h"
#include "solve/pcg.h"

typedef struct ImplicitSolver
{
	BaseLevels base;
	Hierarchy hierarchy;
	BendSum bending;
	Multigrid multigrid;
	Pcg pcg;
	uint32_t revision;    // of the mesh that all this describes; 0 for none
	uint32_t bendChanges; // of the curvature, likewise
	uint32_t triangleCount;
	ARRAY(uint32_t) edgeSources; // [2 * edges] elementBlock row << 1 | transposed, of the triangles beside an edge
	ARRAY(uint32_t) cornerStart; // [groups + 1] slots of eight
	ARRAY(uint32_t) corners;     // rows of elementForce
	ARRAY(Vec4) elementForce, elementBlock;
	ARRAY(Vec4) touchNormal, touchDisplacement; // by particle, at x now
	ARRAY(TouchLaw) touches;                    // by row: with what it lies on
	ARRAY(Vec4) frictionState;                  // by row: ImplicitDef::frictionState as it will be
	ARRAY(Vec4) start;                          // by row: x0 - x at the beginning
	ARRAY(Vec4) inertia;                        // by row: where it would go by itself, likewise
	ARRAY(Vec4) moved;                          // by row: x now - x at the beginning
	ARRAY(Vec4) shape;                          // by row: what bending looks at
	ARRAY(Vec4) bendFriction;                   // by particle, with the room that drapeCurvature_FindFriction wants
	ARRAY(Vec4) position, velocity;             // by particle: x now, v now
	ARRAY(uint32_t) counts, edgeNumber;         // scratch of the build
} ImplicitSolver;

// What particles at these positions, when the step ends, lie on or are in: as drapeContact_FindContacts gives it.
typedef void TouchFcn(const Vec4* position, Vec4* contactNormal, Vec4* surfaceDisplacement, void* context);

typedef struct ImplicitDef
{
	const ActiveMesh* mesh;
	const Membrane* membrane;
	const Curvature* curvature;
	const drapeSolverDef* solver;
	float dampingTime; // s
	Vec3 gravity;      // m/s^2
	const Vec4* force; // N, by particle, from outside; w is the drag coefficient N s/m that holds against changes of
					   // velocity. NULL for none.
	const Vec4 *previousPosition, *previousVelocity; // for BDF2
	float previousStep;                              // s; 0 when there is none
	const Vec4* target;                              // by particle: where pinned ones are to be
	float thickness;                                 // m: of the cloth
	const Vec4 *contactNormal,
		*surfaceDisplacement; // as drapeContact_FindContacts gives them: particles that lie on something. NULL for none.
	Vec4* bendSet;            // by triangle, kept from step to step: ActiveMesh::bendSet
	Vec4*
		frictionState; // by particle, kept from step to step: how far it has slipped, m, and what presses it, N; zeros at first
	TouchFcn*
		touch; // asked between Newton iterations, for what the last one took into something; goes with contactNormal
	void* touchContext;
	float dt;
	TaskPool* tasks;
} ImplicitDef;

typedef struct ImplicitResult
{
	uint32_t iterations, solves;
	float residual; // of the last linear solve
	bool converged;
} ImplicitResult;

// Nearer than this to a collider, particles of a cloth of this thickness lie on it, m.
float drapeImplicit_ContactActivationDistance(float thickness);

// The coarser levels of the pattern, once. False when memory is short.
bool drapeImplicitSolver_Init(ImplicitSolver* solver, const PatternMesh* pattern);
void drapeImplicitSolver_Destroy(ImplicitSolver* solver);

// Brings structures in step with the mesh; membrane and curvature must be. False when memory is short.
bool drapeImplicitSolver_Follow(ImplicitSolver* solver, const ActiveMesh* mesh, const Curvature* curvature,
                                TaskPool* tasks);

// One step. Writes the new positions and velocities, w apart, to `position` and `velocity`, which may be the mesh's.
ImplicitResult drapeImplicitSolver_Step(ImplicitSolver* solver, const ImplicitDef* def, Vec4* position, Vec4* velocity);

// One of several cloths that make a step together.
typedef struct ImplicitJob
{
	ImplicitSolver* solver;
	ImplicitDef def; // all have the same dt
	Vec4 *position, *velocity;
	// Of the step under way:
	float s;         // s
	float history;   // x0 = x + history (x - previous x)
	float reach;     // the whole step is this times the solved part
	float penalty;   // kg, beside masses
	const Vec4* now; // by particle: x now
} ImplicitJob;

// At most pairMaxSystems cloths, with the forces where they lie on each other and themselves: one system of equations.
// The strictest of their tolerances and the most of their iterations hold for all.
ImplicitResult drapeImplicitSolver_StepTogether(ImplicitJob* jobs, uint32_t count, PairForces* pairs,
                                                const ContactPoint* points, uint32_t pointCount, TaskPool* tasks);
