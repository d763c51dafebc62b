// SPDX-License-Identifier: MIT
#pragma once

/// @file vertex.h
/// Values of the pattern's vertices, as an artist paints them: mass, thickness, friction, and limits of motion.
///
/// A particle that adaptation creates has the mean of its parents' values by their weights (drapeCloth_GetOrigin), so
/// that values are linear between the vertices of the pattern. Mass is the exception, see ::drape_vertexMass. A kind of
/// value that no vertex has costs nothing. Values are part of snapshots and of the state hash.
///
/// Thread rule: as world.h.

#include "drape/id.h"
#include "drape/parameter.h"

/// The kinds of values that a vertex of the pattern may have.
typedef enum drapeVertexValue
{
	/// Factor of drapeMaterial::density, 0.001 to 1000. The mass per area of a pattern triangle is the mean of its corners'
	/// and is constant in the triangle. So the mass of the cloth does not depend on the refinement, and adaptation keeps it
	/// exactly: it is the sum over pattern triangles of rest area, density and mean factor.
	drape_vertexMass = 0,
	/// Factor of drapeMaterial::thickness, 0 to 100. A particle keeps its own distance from colliders. Between two points of
	/// cloths with ::drape_contactAll, the larger thickness of the two materials is multiplied by the mean of both factors.
	/// Points within edges and triangles have the factor between their vertices.
	drape_vertexThickness,
	/// Factor of drapeMaterial::friction, 0 to 100. Between a particle and a collider the coefficient is the material's
	/// times the factor times the collider's. Points within edges and triangles have the factor between their vertices.
	drape_vertexFriction,
	/// m, >= 0: a particle stays within this distance from its skinned position (drapeCloth_SetSkinTargets). At 0 it
	/// follows the skinned position. 10^6 and more, such as INFINITY, is free.
	drape_vertexMaxDistance,
	/// m, >= 0: a particle stays outside a sphere behind its skinned position, the back stop. Its surface is this far behind
	/// the skinned position, against the skinned normal. 10^6 and more, such as INFINITY, is no back stop; without values
	/// of this kind it is 0.
	drape_vertexBackstopDistance,
	/// m, >= 0: radius of that sphere. Large radii make a plane; 0 is no back stop.
	drape_vertexBackstopRadius,
	drape_vertexValueCount,
} drapeVertexValue;

/// Returns the name, unit and range of a kind of value; NULL for a kind that does not exist. Static, never freed. Any
/// thread.
DRAPE_API const drapeParameter* drapeVertexValue_GetParameter(drapeVertexValue kind);

/// Sets the values of one kind of all vertices of the pattern. @p values has @p count entries, the number of vertices of
/// the pattern mesh; copied. NULL removes the kind: factors are then 1, and limits are none. Velocities do not change.
/// Returns ::drape_errorArgument, with the index of the vertex, and changes nothing if a value is out of range or @p count
/// differs from the number of vertices. ::drape_errorMemory changes nothing either.
DRAPE_API drapeResult drapeCloth_SetVertexValues(drapeClothId cloth, drapeVertexValue kind, const float* values,
                                                 uint32_t count);

/// Writes at most @p capacity values of one kind, by vertex of the pattern, and returns the number of vertices; 0 if the
/// cloth has no values of this kind. @p values may be NULL if the capacity is 0. Limits that are free are INFINITY.
DRAPE_API uint32_t drapeCloth_GetVertexValues(drapeClothId cloth, drapeVertexValue kind, float* values,
                                              uint32_t capacity);

/// Sets the skinned positions, m, of the pattern's vertices at the end of the next step: the vertices of a mesh that a
/// skeleton moves. Limits of motion refer to them: ::drape_vertexMaxDistance, ::drape_vertexBackstopDistance and
/// ::drape_vertexBackstopRadius. Within the step they move linearly from where they were; the first call begins at
/// @p positions. @p normals, of any length above 0, point away from the body; only back stops need them, and NULL or a
/// zero vector is no back stop. Both have @p count entries, the number of vertices of the pattern mesh; copied. NULL for
/// @p positions ends all limits. Skinned positions of finer particles are the means of their parents'.
///
/// Implicit integrators have the limits in their system of equations. Others move particles to satisfy them after each
/// substep. Contact is stronger: a limit never moves a particle into a collider.
///
/// Returns ::drape_errorArgument, with the index of the vertex, and changes nothing if a vector is not finite or beyond
/// 10^9, or if @p count differs from the number of vertices. ::drape_errorMemory changes nothing either.
DRAPE_API drapeResult drapeCloth_SetSkinTargets(drapeClothId cloth, const drapeVec3* positions,
                                                const drapeVec3* normals, uint32_t count);
