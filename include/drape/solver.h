// SPDX-License-Identifier: MIT
#pragma once

/// @file solver.h
/// Time integration of a cloth.

#include "drape/parameter.h"

/// The time integrator of a cloth.
typedef enum drapeIntegrator
{
	drape_integratorSymplecticEuler = 0,
	drape_integratorExplicitEuler,
	drape_integratorMidpoint,
	drape_integratorVerlet, ///< position form
	drape_integratorRungeKutta4,
	drape_integratorImplicitEuler,    ///< implicit like those below: stable at any step; damps motion
	drape_integratorImplicitMidpoint, ///< conserves energy and angular momentum; stiff motion keeps oscillating
	drape_integratorBdf2,             ///< second order; damps only motion that is too fast for the step
} drapeIntegrator;

/// Returns the lower-case name with dashes ("runge-kutta-4"), or NULL for an unknown value. Any thread.
DRAPE_API const char* drapeIntegrator_GetName(drapeIntegrator integrator);

/// Tells whether the integrator is implicit. Every integrator works with every model. Any thread.
DRAPE_API bool drapeIntegrator_IsImplicit(drapeIntegrator integrator);

/// The preconditioner of the conjugate gradient solver.
typedef enum drapePreconditioner
{
	drape_preconditionerMultigrid = 0, ///< a V-cycle over the levels of the mesh
	drape_preconditionerBpx,           ///< the sum of block Jacobi over the levels (Bramble, Pasciak and Xu)
	drape_preconditionerJacobi,        ///< the inverse of the diagonal blocks
} drapePreconditioner;

/// Returns the lower-case name with dashes, or NULL for an unknown value. Any thread.
DRAPE_API const char* drapePreconditioner_GetName(drapePreconditioner preconditioner);

/// Describes the time integration of a cloth.
typedef struct drapeSolverDef
{
	drapeIntegrator integrator;
	uint32_t substeps;    ///< per step; 0 chooses the number from the stability limit of the stiffest spring
	/// Hz, >= 0: substeps per second of simulated time, for any length of step. A step of dt seconds takes the nearest
	/// whole number of them, at least one. 0 leaves the number to `substeps`; only one of both may be above 0. Cloths that
	/// contact or constraints join take the largest number of any of them.
	float stepRate;
	uint32_t maxSubsteps; ///< the largest number that may be chosen, retries of unstable steps included; 1 to 65536
	float globalDamping;  ///< 1/s, >= 0: velocities decay by exp(-globalDamping t)
	/// The largest length over rest length, e.g. 1.05. 0 for the default: 1.3 times the length at the end of the
	/// fabric's stress curves. A large value such as 100 switches the limit off. Springs with explicit integrators:
	/// longer edges are shortened. Springs with implicit ones, and finite elements: the cloth becomes much stiffer
	/// beyond it.
	float maxStretch;
	uint32_t stretchIterations; ///< coarse-to-fine sweeps per substep, 1 to 100
	// Implicit integrators:
	drapePreconditioner preconditioner;
	/// 1e-6 to 0.5: a linear solve ends at this ratio of its residual to the residual of the state that continues the
	/// last motion
	float tolerance;
	uint32_t maxIterations;    ///< per linear solve, 1 to 10000; if it ends far from the tolerance, the step is divided
	uint32_t newtonIterations; ///< linear solves per substep, 1 to 100; further ones stop at newtonTolerance
	float newtonTolerance;     ///< 0 to 0.5: ratio of the residual to that at the start of the substep
} drapeSolverDef;

/// Returns the defaults: BDF2 with two linear solves per step, no damping except the fabric's own, and the default limit
/// of stretch. For every model. Any thread.
DRAPE_API drapeSolverDef drapeDefaultSolverDef(void);

/// Returns defaults for explicit integrators: symplectic Euler, with a limit of stretch for the soft fabrics that they
/// need. Any thread.
DRAPE_API drapeSolverDef drapeDefaultExplicitSolverDef(void);

/// Returns the parameters of drapeSolverDef and sets @p count. Static, never freed. Any thread.
DRAPE_API const drapeParameter* drapeSolverDef_GetParameters(uint32_t* count);
