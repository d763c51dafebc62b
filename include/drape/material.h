// SPDX-License-Identifier: MIT
#pragma once

/// @file material.h
/// Fabrics.

#include "drape/parameter.h"

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

/// Returns a soft cotton, as the preset "cotton". Any thread.
DRAPE_API drapeMaterial drapeDefaultMaterial(void);

/// Fills @p material with a named fabric. Returns ::drape_errorArgument, with a sentence in @p message (may be NULL), and
/// leaves @p material unchanged for an unknown name.
///
/// "cotton", "silk", "denim", "wool" and "jersey" are soft enough for explicit integrators. "curtain" is the fabric of
/// Bender and Deul. The others, from "11oz-black-denim" to "white-swim-solid", are the ten fabrics that Wang, O'Brien
/// and Ramamoorthi measured (Data-driven elastic models for cloth, 2011), with stress curves. Any thread.
DRAPE_API drapeResult drapeMaterial_GetPreset(const char* name, drapeMaterial* material, drapeMessage* message);

/// Return the name and a one-line description of preset @p index, counted from 0; NULL beyond the last. Any thread.
DRAPE_API const char* drapeMaterial_GetPresetName(uint32_t index);
DRAPE_API const char* drapeMaterial_GetPresetHelp(uint32_t index);

/// Returns the source of the values of preset @p index: the paper, and the values that were chosen. NULL beyond the
/// last. Any thread.
DRAPE_API const char* drapeMaterial_GetPresetSource(uint32_t index);

/// Returns the parameters of drapeMaterial and sets @p count. Static, never freed. Any thread.
DRAPE_API const drapeParameter* drapeMaterial_GetParameters(uint32_t* count);
