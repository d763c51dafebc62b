// SPDX-License-Identifier: MIT
#pragma once

/// @file material.h
/// What a cloth is made of, and how its forces are computed.

#include "drape/base.h"

/// Points that a measured stress curve may have.
#define DRAPE_CURVE_POINTS 6

/// Stress over strain as measured, straight between the points, through the origin. Past the last point it goes on with
/// the slope of the last piece. In compression, and for shear in the other direction, it is mirrored.
typedef struct drapeStressCurve
{
	uint32_t count;                   ///< points; 0 for a straight line with the material's modulus
	float strain[DRAPE_CURVE_POINTS]; ///< relative elongation (shear: the angle's tangent), > 0 and rising, at most 10
	float stress[DRAPE_CURVE_POINTS]; ///< N/m, > 0 and rising
} drapeStressCurve;

/// A fabric, in SI units, independent of the mesh. Warp is the first material direction u, weft the second, v.
typedef struct drapeMaterial
{
	float density;     ///< kg/m^2, 1e-6 to 1e6
	float stretchWarp; ///< N/m, Young's modulus of the sheet along the warp, >= 0
	float stretchWeft; ///< N/m
	float shear;       ///< N/m
	float poisson;     ///< how much the weft contracts when the warp is pulled, 0 to 0.5. The other ratio follows from
					   ///< symmetry: poisson * stretchWeft / stretchWarp, and their product must be below 1
	float bendWarp;    ///< N m, bending rigidity along the warp, >= 0
	float bendWeft;    ///< N m
	float bendBias;    ///< N m, rigidity at 45 degrees, at least a quarter of the sum of the other two; 0 chooses it so
					   ///< that the root of the rigidity turns smoothly from warp to weft. Finite elements only.
	float curlWarp;    ///< 1/m, curvature along the warp when nothing pulls. Finite elements only.
	float curlWeft;    ///< 1/m
	/// 1/m, 0 to 1e4: how much curvature the fabric keeps when it was bent further and is let go, since its threads rub
	/// on each other. Half of 2HB / B of laboratories; woven fabrics have 20 to 60. What hangs in folds comes to rest by
	/// it. Finite elements with implicit integrators only.
	float bendFriction;
	float dampingTime; ///< s, >= 0: internal damping is this times the stiffness
	float friction;    ///< Coulomb coefficient, >= 0, of the fabric against itself, and against colliders, whose own is
					   ///< a factor. Between two fabrics, with ::drape_contactAll, it is the geometric mean
	float thickness;   ///< m, >= 0: the cloth stays this far from colliders
	float drag;        ///< air drag coefficient, >= 0; about 1 for closed fabric
	float lift;        ///< air lift coefficient, >= 0
	/// Finite elements only: in place of the straight lines of the moduli, for a strip that is held at its width.
	drapeStressCurve warpCurve, weftCurve, shearCurve;
} drapeMaterial;

/// A soft cotton, as drapeMaterial_Preset("cotton").
DRAPE_API drapeMaterial drapeDefaultMaterial(void);

/// Fills @p material with a named fabric. False when there is none of this name, and @p material is left alone.
///
/// "cotton", "silk", "denim", "wool" and "jersey" are soft enough for explicit integrators. "curtain" is that of Bender
/// and Deul. The others, from "11oz-black-denim" to "white-swim-solid", are the ten fabrics that Wang, O'Brien and
/// Ramamoorthi measured (Data-driven elastic models for cloth, 2011), with stress curves. Any thread.
DRAPE_API bool drapeMaterial_Preset(const char* name, drapeMaterial* material);

/// Name and one-line description of preset @p index, from 0 on; NULL past the last. Any thread.
DRAPE_API const char* drapeMaterial_PresetName(uint32_t index);
DRAPE_API const char* drapeMaterial_PresetHelp(uint32_t index);

/// Where the values of preset @p index come from: the paper, and what was chosen. NULL past the last. Any thread.
DRAPE_API const char* drapeMaterial_PresetSource(uint32_t index);

typedef enum drapeModel
{
	drape_modelSprings = 0, ///< a spring on every edge, bending across every edge
	drape_modelFem, ///< finite elements: the same cloth at any resolution, with the fabric's measured properties
} drapeModel;

/// How the constant of an edge's spring follows from the fabric.
typedef enum drapeSpringLaw
{
	/// k = E (A1 + A2) / l^2 with the rest areas of the two triangles beside the edge: the same material at any
	/// resolution (Van Gelder 1998).
	drape_springArea = 0,
	/// k = k_g / l (2/3)^level, Simnett 2012 eq. 3.6.5; k_g in newtons has the value of E.
	drape_springLength,
} drapeSpringLaw;

typedef enum drapeDamping
{
	drape_dampingProjected = 0, ///< along the spring only: rigid motion and bending are not damped
	drape_dampingSimple,        ///< the whole velocity difference
} drapeDamping;

typedef enum drapeBending
{
	drape_bendElements =
		0, ///< a turning force on the two triangles beside an edge (Simnett 2012, 3.6.3, without its net torque)
	drape_bendSprings, ///< springs between the particles opposite an edge
	drape_bendNone,
} drapeBending;

typedef struct drapeSpringDef
{
	drapeSpringLaw law;
	drapeDamping damping;
	drapeBending bending;
	float bendSpringRatio; ///< for drape_bendSprings: their constant over that of the edge's own spring, 0 to 1
} drapeSpringDef;

DRAPE_API drapeSpringDef drapeDefaultSpringDef(void);

typedef enum drapeIntegrator
{
	drape_integratorSymplecticEuler = 0,
	drape_integratorExplicitEuler,
	drape_integratorMidpoint,
	drape_integratorVerlet, ///< position form
	drape_integratorRungeKutta4,
	drape_integratorImplicitEuler,    ///< as those below, stable at any step; damps motion
	drape_integratorImplicitMidpoint, ///< keeps energy and angular momentum; stiff motion rings on
	drape_integratorBdf2,             ///< second order, damps only what is too fast for the step
} drapeIntegrator;

/// Lower-case name with dashes ("runge-kutta-4"), NULL for an unknown one. Any thread.
DRAPE_API const char* drapeIntegrator_Name(drapeIntegrator integrator);

/// Whether it is one of the implicit ones. Every integrator works with every model. Any thread.
DRAPE_API bool drapeIntegrator_IsImplicit(drapeIntegrator integrator);

/// What conjugate gradients are helped with.
typedef enum drapePreconditioner
{
	drape_preconditionerMultigrid = 0, ///< a V-cycle over the levels of the mesh
	drape_preconditionerBpx,           ///< the sum of block Jacobi over the levels (Bramble, Pasciak and Xu)
	drape_preconditionerJacobi,        ///< the inverse of the diagonal blocks
} drapePreconditioner;

/// Lower-case name with dashes, NULL for an unknown one. Any thread.
DRAPE_API const char* drapePreconditioner_Name(drapePreconditioner preconditioner);

typedef struct drapeSolverDef
{
	drapeIntegrator integrator;
	uint32_t substeps;    ///< per step; 0 chooses them by the stability limit of the stiffest spring
	uint32_t maxSubsteps; ///< the most that may be chosen, also when an unstable step is retried; 1 to 65536
	float globalDamping;  ///< 1/s, >= 0: velocities decay by exp(-globalDamping t)
	/// The longest that cloth may get, over its rest length, e.g. 1.05; 0 for no limit. Springs: longer edges are
	/// shortened. Finite elements: warp, weft and bias become much stiffer there.
	float maxStretch;
	uint32_t stretchIterations; ///< coarse-to-fine sweeps per substep, 1 to 100
	// Implicit integrators:
	drapePreconditioner preconditioner;
	/// Residual over that at the start, when cloth goes on as it did, at which a linear solve ends; 1e-6 to 0.5
	float tolerance;
	uint32_t maxIterations;    ///< of a linear solve, 1 to 10000; when they end far from the tolerance the step is cut
	uint32_t newtonIterations; ///< linear solves per substep, 1 to 100; further ones stop at newtonTolerance
	float newtonTolerance;     ///< residual over that at the start of the substep, 0 to 0.5
} drapeSolverDef;

/// For explicit integrators: symplectic Euler, with a stretch limit for the soft fabrics that they need.
DRAPE_API drapeSolverDef drapeDefaultSolverDef(void);

/// For implicit integrators, and the default of ::drape_modelFem: BDF2 with two linear solves per step, no damping but the fabric's own, and no stretch limit,
/// as measured fabrics hold by themselves.
DRAPE_API drapeSolverDef drapeDefaultFemSolverDef(void);
