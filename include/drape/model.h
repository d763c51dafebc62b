// SPDX-License-Identifier: MIT
#pragma once

/// @file model.h
/// Force models: the rules that turn a fabric into forces on the mesh.

#include "drape/parameter.h"

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

/// Returns springs by area, damped along their direction, with bending elements. Any thread.
DRAPE_API drapeSpringDef drapeDefaultSpringDef(void);

/// Returns the parameters of drapeSpringDef and sets @p count. Static, never freed. Any thread.
DRAPE_API const drapeParameter* drapeSpringDef_GetParameters(uint32_t* count);
