// SPDX-License-Identifier: MIT
#pragma once

// Implicit integration of cloth, for every model.
//
// Euler, midpoint and BDF2 solve the same problem with different constants. With s = gamma dt, the new positions x
// minimise
//
//   1/2 |x - x0 - s v0|^2_M + s^2 V(x)       and   v = (x - x0) / s.
//
// Here x0 and v0 are the last positions and velocities (Euler: s = dt; midpoint: s = dt/2, and the step is then
// extrapolated to twice the displacement) or extrapolated from the last two (BDF2). Each Newton iteration solves
// (M + s^2 K + s D) dx = -gradient with a positive semidefinite tangent; one iteration is the linearly implicit method
// of Baraff and Witkin 1998.
//
// The energy V is the sum of the model's energies (model/energy.h). The solver evaluates them element by element, adds
// up blocks by pairs of rows and forces by rows, and knows none of them by name. The pairs are the edges of the mesh,
// and the far pairs of elements that extend across an edge.
//
// Particles in contact with a collider are part of the solve: the nearer they are, the harder the collider pushes them
// off, by the law of barrier.h. Coulomb friction holds them until they have slipped by a small distance, or pulls
// against the direction in which they slide. Slip and load are kept from step to step.

#include "model/model.h"
#include "solve/barrier.h"
#include "solve/quadratic_sum.h"
#include "solve/pcg.h"

// The elements of one energy within elementForce and elementBlock.
typedef struct ElementSpan
{
	uint32_t count;
	uint32_t forceStart, blockStart; // rows
} ElementSpan;

typedef struct ImplicitSolver
{
	BaseLevels base;
	Hierarchy hierarchy;
	QuadraticSum quadraticSum;
	Multigrid multigrid;
	Pcg pcg;
	uint32_t revision;         // the mesh's that all this describes; 0 for none
	uint32_t quadraticChanges; // QuadraticEnergy::changes, likewise; 0 without such an energy
	uint32_t unchangedCalls;   // of drapeImplicitSolver_Follow since the last build
	ElementSpan elements[modelEnergies];
	uint32_t zeroForce, zeroBlock; // rows of zeros in elementForce and elementBlock while these are in use
	ARRAY(uint32_t) sourceStart;   // [pairs + 1] in `sources`; a pair has two at least
	ARRAY(uint32_t) sources;       // row of elementBlock << 1 | transposed: the blocks that a pair of rows adds up
	ARRAY(uint32_t) forceStart;    // [groups + 1] slots of eight
	ARRAY(uint32_t) forceRows;     // rows of elementForce that a row adds up
	// Forces and blocks of elements. They share the memory of the slices of the finest matrix (BlockMatrix::ring), which
	// are written after the last of them has been read.
	Vec4 *elementForce, *elementBlock;
	// Reserved by the first step with colliders:
	ARRAY(Vec4) touchNormal, touchDisplacement; // per particle, at x now
	ARRAY(TouchLaw) touches;                    // per row: contact with colliders
	ARRAY(Vec4) frictionState;                  // per row: ImplicitDef::frictionState after the step

	ARRAY(Vec4) start;              // per row: x0 - x at the beginning of the step
	ARRAY(Vec4) inertia;            // per row: displacement without forces of the model, likewise
	ARRAY(Vec4) moved;              // per row: x now - x at the beginning
	ARRAY(Vec4) internalFriction;   // per particle, with QuadraticClass::frictionRows rows
	ARRAY(Vec4) position, velocity; // per particle: x now, v now
	// Scratch of the build.
	ARRAY(uint32_t) counts, edgeNumber;
	ARRAY(RowPair) farPairs, sortedFarPairs; // pairs of rows that elements couple and no edge joins
	ARRAY(uint32_t) pairOf;                  // per pair of an element: its number << 1 | transposed
} ImplicitSolver;

// Finds contacts with colliders of particles at these positions at the end of the step, as drapeContact_FindContacts.
typedef void TouchFcn(const Vec4* position, Vec4* contactNormal, Vec4* surfaceDisplacement, void* context);

typedef struct ImplicitDef
{
	const ActiveMesh* mesh;
	const Model* model; // has followed the mesh, with its elements
	const drapeSolverDef* solver;
	float dampingTime; // s
	Vec3 gravity;      // m/s^2
	// N, by particle: forces from outside the model; w is the drag coefficient, N s/m, against changes of velocity.
	// NULL for none.
	const Vec4* force;
	const Vec4 *previousPosition, *previousVelocity; // for BDF2
	float previousStep;                              // s; 0 when there is none
	const Vec4* target;                              // per particle: the positions of pinned ones after the step
	float thickness;                                 // m, of the cloth
	const float* thicknessFactor;                    // factors of the thickness, by particle; NULL for 1
	// Contacts with colliders, as drapeContact_FindContacts gives them. NULL for none.
	const Vec4 *contactNormal, *surfaceDisplacement;
	Vec4* bendSet; // per triangle, kept from step to step: ActiveMesh::bendSet
	// Per particle, kept from step to step: slip, m, and in w load, N; zeros at first.
	Vec4* frictionState;
	TouchFcn* touch; // called between Newton iterations; not NULL when contactNormal is not
	void* touchContext;
	uint32_t newtonIterations; // at least so many, even if the solver definition asks for fewer
	bool surfacesMove;         // colliders move: linear solves are loose
	bool contactsChange; // contacts may open or close within the step: several Newton iterations (docs/contact.md)
	float dt;
	TaskPool* tasks;
	Deadline* deadline; // of the first job: cuts iterations of all; NULL for none
} ImplicitDef;

typedef struct ImplicitResult
{
	uint32_t iterations, solves;
	float residual; // the last linear solve's
	bool converged;
	bool isCut; // the deadline ended a solve, or left out a Newton iteration
} ImplicitResult;

// Particles of a cloth of this thickness are in contact with a collider below this distance, m.
float drapeImplicit_ContactActivationDistance(float thickness);

// Builds the coarser levels of the pattern, once. False when out of memory.
bool drapeImplicitSolver_Init(ImplicitSolver* solver, const PatternMesh* pattern);
void drapeImplicitSolver_Destroy(ImplicitSolver* solver);

// The model is another one: the next call of drapeImplicitSolver_Follow builds everything again.
void drapeImplicitSolver_Forget(ImplicitSolver* solver);

// The same with coarser levels that the solver borrows. They outlive it.
void drapeImplicitSolver_InitOn(ImplicitSolver* solver, const BaseLevels* base);

// Initialises a solver for a mesh that another one has followed, `lender`, which outlives it and does not change. Memory
// for values is its own; structures are borrowed until drapeImplicitSolver_Follow has to change them. Returns false when
// out of memory: the solver is to be destroyed.
bool drapeImplicitSolver_Borrow(ImplicitSolver* solver, const ImplicitSolver* lender, uint32_t particleCount);

// Releases everything that a lender does not need.
void drapeImplicitSolver_ReleaseValues(ImplicitSolver* solver);

// Updates the structure after a change of the mesh; the model must have followed it. False when out of memory.
bool drapeImplicitSolver_Follow(ImplicitSolver* solver, const ActiveMesh* mesh, const Model* model, TaskPool* tasks);

// One of several cloths that make a step together.
typedef struct ImplicitJob
{
	ImplicitSolver* solver;
	ImplicitDef def;           // all have the same dt
	Vec4 *position, *velocity; // the result; may be the mesh's. Fourth components are kept.
	// The current step:
	float s;             // s
	float history;       // x0 = x + history (x - previous x)
	float stepScale;     // the displacement of the whole step is this times the solved one
	float penalty;       // kg, beside masses
	float frictionScale; // QuadraticEnergy::frictionScale
	bool hasQuadratic;   // the model has a quadratic energy
	float mostUpdate;    // m: limit of an update of a Newton iteration, beyond the particle's own motion; 0 for none
	bool hasTouches;     // contacts with colliders are those at x now
	bool isDistorted;    // the first iteration distorted edges: a second one follows, and ends by its last update
	const Vec4* now;     // per particle: x now
} ImplicitJob;

// Solves at most pairMaxSystems cloths as one system of equations, with their contacts and constraints. The strictest
// of their tolerances and the most of their iterations hold for all.
ImplicitResult drapeImplicitSolver_StepTogether(ImplicitJob* jobs, uint32_t count, PairForces* pairs,
                                                const PairInput* input, TaskPool* tasks);
