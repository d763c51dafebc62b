// SPDX-License-Identifier: MIT
#pragma once

/// @file stats.h
/// Statistics of the last step: counters, the profile of the stages, and measures of the state.
///
/// Thread rule: as world.h.

#include "drape/id.h"

/// Counts of the last step. The fields marked "contact all" count only cloths with ::drape_contactAll.
typedef struct drapeCounters
{
	uint32_t particles, triangles, edges; ///< at the end of the step
	uint32_t substeps;                    ///< the largest number of any cloth
	uint32_t retries;                     ///< times that the step was repeated with more substeps
	uint32_t contacts;                    ///< particles that a collider touches at the end of the step
	uint32_t contactPoints;               ///< contacts of cloths with themselves and with others; contact all
	uint32_t impacts;                     ///< impacts that the step stopped, of all cloths together; contact all
	uint32_t frozenVertices;              ///< vertices that impact zones froze, as the last resort; contact all
	/// Impacts left unresolved because every participant is kinematic, such as cloth caught between two colliders or
	/// pins. The cloth may end crossed; contact all.
	uint32_t unresolved;
	/// Particles between surfaces of colliders that leave less than two thicknesses of space. They stay on the surface that
	/// they touched first and may be inside the other one; 0 if explicit.
	uint32_t pinched;
	/// Pairs of triangles that crossed when the step began: of a cloth with itself, with another cloth, and with a
	/// collider of triangles. Cloth comes out of cloth, of closed meshes and of boxes during the following steps; contact
	/// all.
	uint32_t crossings;
	uint32_t damped, held;       ///< cloths that the step damped, and held in place; see drapeWorld_GetWarning
	uint32_t carried;            ///< cloths that were carried along with a body or pins that jumped (docs/contact.md)
	uint32_t asleep;             ///< cloths that sleep at the end of the step (drapeCloth_SetSleep)
	uint32_t limitedEdges;       ///< edges that changed too much in a substep and were corrected; 0 if explicit
	uint32_t splits, joins;      ///< edges
	uint32_t solves, iterations; ///< linear solves, and conjugate gradient iterations in them; 0 if explicit
	float work;                  ///< work of the step, in millions of counted operations, of all cloths together
	float overrun;               ///< share of the budget that the step used beyond it; 0 within it; all cloths together
	/// Times that the budget cut optional work: solves, Newton iterations, substeps, repetitions, rounds of impacts and
	/// adaptation passes, of all cloths together.
	uint32_t cuts;
} drapeCounters;

/// Returns the counters of all cloths. The call takes constant time.
DRAPE_API drapeCounters drapeWorld_GetCounters(drapeWorldId world);

/// Returns the counters of one cloth. Fields that count all cloths together are zero.
DRAPE_API drapeCounters drapeCloth_GetCounters(drapeClothId cloth);

/// The wall-clock time of the stages of the last step, in seconds.
typedef struct drapeProfile
{
	float animate;  ///< stage: placements of colliders and pins, of all cloths together
	float adapt;    ///< stage: adaptation, with the update of the active mesh
	float simulate; ///< stage: the substeps
	float contact;  ///< stage: contact points before the substeps, impacts after them, of all cloths; contact all
	float surface;  ///< stage: normals
	float publish;  ///< stage: time and statistics, of all cloths together
	float follow;   ///< part of `simulate`: the update of model and solver after a change of the mesh
	float collide;  ///< part of `simulate`: particles against colliders
} drapeProfile;

/// Returns the profile of all cloths. The call takes constant time.
DRAPE_API drapeProfile drapeWorld_GetProfile(drapeWorldId world);

/// Returns the profile of one cloth. Stages of all cloths together are zero.
DRAPE_API drapeProfile drapeCloth_GetProfile(drapeClothId cloth);

/// Measures of the state after the last step.
typedef struct drapeMeasures
{
	float kineticEnergy, stretchEnergy, bendEnergy, gravityEnergy; ///< J; gravity relative to the origin
	float stretchMedian, stretch99, stretchMax; ///< edge length over rest length: percentiles over all edges
	float deepest; ///< m: the largest depth of a touching particle inside a collider; 0 if all are outside
} drapeMeasures;

/// Computes the measures of all cloths, or of one. Time is linear in the number of triangles.
DRAPE_API drapeMeasures drapeWorld_GetMeasures(drapeWorldId world);
DRAPE_API drapeMeasures drapeCloth_GetMeasures(drapeClothId cloth);
