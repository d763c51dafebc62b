// SPDX-License-Identifier: MIT
#pragma once

/// @file material.h
/// Fabrics, force models and integrators of a cloth.

#include "drape/base.h"

/// The largest number of points of a stress curve.
#define DRAPE_CURVE_POINTS 6

/// A measured curve of stress over strain. The curve starts at the origin and is linear between the points. Beyond the
/// last point it continues with the slope of the last piece. It is mirrored for compression and for negative shear.
typedef struct drapeStressCurve
{
	uint32_t count;                   ///< number of points; 0 for a straight line with the material's modulus
	float strain[DRAPE_CURVE_POINTS]; ///< relative elongation (shear: the angle's tangent), > 0 and rising, at most 10
	float stress[DRAPE_CURVE_POINTS]; ///< N/m, > 0 and rising
} drapeStressCurve;

/// A fabric, in SI units, independent of the mesh. The warp is the first material direction u, the weft the second, v.
typedef struct drapeMaterial
{
	float density;     ///< kg/m^2, 1e-6 to 1e6
	float stretchWarp; ///< N/m, >= 0: Young's modulus of the sheet along the warp
	float stretchWeft; ///< N/m, >= 0: along the weft
	float shear;       ///< N/m, >= 0: shear modulus
	/// 0 to 0.5: contraction of the weft per elongation of the warp. The other ratio follows from symmetry: poisson *
	/// stretchWeft / stretchWarp, and their product must be below 1.
	float poisson;
	float bendWarp; ///< N m, >= 0: bending rigidity along the warp
	float bendWeft; ///< N m, >= 0: along the weft
	/// N m, rigidity at 45 degrees, at least a quarter of the sum of the other two; 0 chooses it so that the root of
	/// the rigidity turns smoothly from warp to weft. Finite elements only.
	float bendBias;
	float curlWarp; ///< 1/m, curvature along the warp without load. Finite elements only.
	float curlWeft; ///< 1/m, along the weft
	/// 1/m, 0 to 1e4: the curvature that the fabric keeps after it was bent further and released, because of friction
	/// between its threads. It is half of 2HB / B as laboratories measure it; woven fabrics have 20 to 60. It brings
	/// hanging folds to rest. Finite elements with implicit integrators only.
	float bendFriction;
	float dampingTime; ///< s, >= 0: internal damping is dampingTime times the stiffness
	/// Coulomb coefficient, >= 0, of the fabric against itself, and against colliders, whose own is a factor. Between
	/// two fabrics, with ::drape_contactAll, it is the geometric mean.
	float friction;
	float thickness; ///< m, >= 0: the cloth stays this far from colliders
	float drag;      ///< air drag coefficient, >= 0; about 1 for closed fabric
	float lift;      ///< air lift coefficient, >= 0
	/// Stress curves that replace the moduli, measured on a strip of fixed width. Finite elements only.
	drapeStressCurve warpCurve, weftCurve, shearCurve;
} drapeMaterial;

/// Returns a soft cotton, as drapeMaterial_Preset("cotton") does. Any thread.
DRAPE_API drapeMaterial drapeDefaultMaterial(void);

/// Fills @p material with a named fabric. Returns false and leaves @p material unchanged for an unknown name.
///
/// "cotton", "silk", "denim", "wool" and "jersey" are soft enough for explicit integrators. "curtain" is the fabric of
/// Bender and Deul. The others, from "11oz-black-denim" to "white-swim-solid", are the ten fabrics that Wang, O'Brien
/// and Ramamoorthi measured (Data-driven elastic models for cloth, 2011), with stress curves. Any thread.
DRAPE_API bool drapeMaterial_Preset(const char* name, drapeMaterial* material);

/// Return the name and a one-line description of preset @p index, counted from 0; NULL beyond the last. Any thread.
DRAPE_API const char* drapeMaterial_PresetName(uint32_t index);
DRAPE_API const char* drapeMaterial_PresetHelp(uint32_t index);

/// Returns the source of the values of preset @p index: the paper, and the values that were chosen. NULL beyond the
/// last. Any thread.
DRAPE_API const char* drapeMaterial_PresetSource(uint32_t index);

/// The force model of a cloth.
typedef enum drapeModel
{
	drape_modelSprings = 0, ///< a spring on every edge, bending across every edge
	drape_modelFem,         ///< finite elements with the fabric's measured properties, the same at any resolution
} drapeModel;

/// The rule that computes the constant of an edge's spring from the fabric.
typedef enum drapeSpringLaw
{
	/// k = E (A1 + A2) / l^2 with the rest areas of the two triangles beside the edge (Van Gelder 1998). The material
	/// is the same at any resolution.
	drape_springArea = 0,
	/// k = k_g / l (2/3)^level, Simnett 2012 eq. 3.6.5; k_g in newtons has the value of E.
	drape_springLength,
} drapeSpringLaw;

/// The damping of springs.
typedef enum drapeDamping
{
	drape_dampingProjected = 0, ///< along the spring only; rigid motion and bending are not damped
	drape_dampingSimple,        ///< the whole velocity difference
} drapeDamping;

/// The bending model of mass-spring cloth.
typedef enum drapeBending
{
	/// A turning force on the two triangles beside an edge (Simnett 2012, 3.6.3, without its net torque).
	drape_bendElements = 0,
	drape_bendSprings, ///< springs between the particles opposite an edge
	drape_bendNone,
} drapeBending;

/// Describes mass-spring cloth.
typedef struct drapeSpringDef
{
	drapeSpringLaw law;
	drapeDamping damping;
	drapeBending bending;
	float bendSpringRatio; ///< for drape_bendSprings: their constant over that of the edge's own spring, 0 to 1
} drapeSpringDef;

DRAPE_API drapeSpringDef drapeDefaultSpringDef(void);

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
DRAPE_API const char* drapeIntegrator_Name(drapeIntegrator integrator);

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
DRAPE_API const char* drapePreconditioner_Name(drapePreconditioner preconditioner);

/// Describes the time integration of a cloth.
typedef struct drapeSolverDef
{
	drapeIntegrator integrator;
	uint32_t substeps;    ///< per step; 0 chooses the number from the stability limit of the stiffest spring
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

/// Returns defaults for explicit integrators: symplectic Euler, with a stretch limit for the soft fabrics that they
/// need. Any thread.
DRAPE_API drapeSolverDef drapeDefaultSolverDef(void);

/// Returns defaults for implicit integrators, which are also those of ::drape_modelFem: BDF2 with two linear solves per
/// step, no damping except the fabric's own, and no stretch limit, because measured fabrics are stiff enough. Any
/// thread.
DRAPE_API drapeSolverDef drapeDefaultFemSolverDef(void);
