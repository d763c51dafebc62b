// SPDX-License-Identifier: MIT
#pragma once

/// @file cloth.h
/// Cloths: their definition, views of the active mesh, pins, and editing by hand.
///
/// Thread rule: one thread at a time may call functions for one world, its cloths included. Different worlds are
/// independent. A function that is given a handle to something destroyed asserts in debug builds. In release builds it
/// does nothing, or returns zeros.

#include "drape/adapt.h"
#include "drape/material.h"
#include "drape/mesh.h"
#include "drape/motion.h"

/// A world. Zero is null.
typedef struct drapeWorldId
{
	drapeWorld* world;
} drapeWorldId;

/// A cloth of a world. Zero is null. The generation tells a handle to a destroyed cloth from a handle to the cloth that
/// reuses its slot.
typedef struct drapeClothId
{
	drapeWorld* world;
	uint32_t index1;
	uint32_t generation;
} drapeClothId;

/// The cost that a cloth may have. The budget controller moves the curvature thresholds of the cloth until it reaches
/// the number of triangles that fits (Simnett 2012, 5.5.2). With both distances set, that number falls with the distance
/// to the camera: from the full budget at nearDistance to `farShare` of it at farDistance.
///
/// `milliseconds` and `work` are limits. The limit of a step is the sum over all cloths; there is none if a cloth has
/// none. When it is used up, the step gives up accuracy: iterations, substeps, repetitions. It never gives up contact, so
/// that it may take longer: drapeStats::overrun.
typedef struct drapeBudgetDef
{
	uint32_t triangles; ///< target number of triangles; 0 for no such budget
	float milliseconds; ///< limit of the wall-clock time of a step of this cloth; 0 for no such budget
	/// Limit of the work of a step of this cloth, in millions of operations (drapeStats::work); 0 for no such budget. The
	/// result does not depend on the machine or on the number of threads.
	float work;
	float nearDistance; ///< m, >= 0; the full budget applies up to this distance
	float farDistance;  ///< m, > nearDistance; `farShare` applies from this distance on; 0 ignores the distance
	float farShare;     ///< 0 to 1
} drapeBudgetDef;

/// The kind of contact that a cloth has.
typedef enum drapeContact
{
	/// Particles stay outside colliders. Cheap. Thin obstacles may pass between the particles.
	drape_contactParticles = 0,
	/// Vertices, edges and faces stay outside colliders, outside the cloth itself and outside other cloths that have
	/// this value, at any speed. Implicit integrators solve resting contact together with the cloth, so that piles come
	/// to rest. Explicit integrators only stop impacts.
	drape_contactAll,
} drapeContact;

/// Describes a cloth. Get one from drapeDefaultClothDef, then change it.
typedef struct drapeClothDef
{
	const drapeMesh* mesh; ///< the pattern mesh; copied
	drapeRestDef rest;     ///< source of the undeformed shape
	drapeMaterial material;
	drapeModel model;
	drapeSpringDef springs;
	drapeSolverDef solver;
	drapeAdaptDef adapt;
	drapeBudgetDef budget;
	drapeContact contact;
	bool pinMiddles;         ///< pin particles that adaptation creates between pinned particles; false leaves them free
	drapeMeshReport* report; ///< out, may be NULL: the problems of the mesh, when it is refused
	drapeResult* result;     ///< out, may be NULL: the reason why drapeCreateCloth returned null
	uint32_t cookie;         ///< set by drapeDefaultClothDef; catches a definition that was not initialised
} drapeClothDef;

/// Cotton, springs, rest shape from the mesh, and the defaults of the other headers. Any thread.
DRAPE_API drapeClothDef drapeDefaultClothDef(void);

/// Creates a cloth. Returns null on failure; drapeClothDef::result and drapeClothDef::report then give the reason, and
/// the world is unchanged. The cloth lives until drapeDestroyCloth or drapeDestroyWorld.
DRAPE_API drapeClothId drapeCreateCloth(drapeWorldId world, const drapeClothDef* def);

/// Destroys a cloth with its pins. Views of it become invalid.
DRAPE_API void drapeDestroyCloth(drapeClothId cloth);

/// Tells whether the handle names a cloth that exists. Never asserts.
DRAPE_API bool drapeCloth_IsValid(drapeClothId cloth);

/// The active mesh in the library's own arrays. A view is valid until the next call that steps, adapts, edits or
/// destroys the cloth. Indices of particles, triangles and edges change with the mesh; compare `revision`.
typedef struct drapeClothView
{
	uint32_t revision; ///< raised by each change of topology

	uint32_t particleCount;
	const drapeVec4* positions;  ///< m; w is the inverse mass in 1/kg, 0 for a pinned particle without a force limit
	const drapeVec4* velocities; ///< m/s; w is the mass in kg
	const drapeVec4* normals;    ///< unit length, or zero if the triangles' normals cancel out; w is 0
	const uint8_t* particleLevels;

	uint32_t triangleCount;
	const uint32_t* triangles;  ///< [3 * triangleCount] particles, counter-clockwise: an index buffer
	const drapeVec2* materials; ///< [3 * triangleCount] material coordinates per corner, m
	const drapeVec2* texcoords; ///< [3 * triangleCount] texture coordinates per corner; NULL if the mesh has none
	/// [triangleCount] The pattern triangle that contains each triangle. With drape_schemeSqrt3 a flipped triangle lies
	/// partly in the neighbour of that pattern triangle.
	const uint32_t* patternTriangles;
	const uint8_t* triangleLevels;

	uint32_t edgeCount;
	const uint32_t* edgeFrom; ///< [edgeCount] particle
	const uint32_t* edgeTo;   ///< [edgeCount] particle
	const float* restLengths; ///< [edgeCount] m
	const uint8_t* edgeLevels;
} drapeClothView;

/// Returns a view of the active mesh. Copies nothing.
DRAPE_API drapeClothView drapeCloth_View(drapeClothId cloth);

/// A particle that got another index.
typedef struct drapeParticleMove
{
	uint32_t from, to;
} drapeParticleMove;

/// The particles that the last change of topology removed, created and moved, for data that an application keeps per
/// particle. Apply it in this order: drop `removed`, append `created`, then fill the holes with `moved`. `removed` and
/// `moved.from` are indices before the change; `created` and `moved.to` are indices after it. Valid as long as a view.
typedef struct drapeClothChanges
{
	uint32_t revision;
	uint32_t createdCount, removedCount, movedCount;
	const uint32_t* created;
	const uint32_t* removed;
	const drapeParticleMove* moved;
} drapeClothChanges;

/// Returns the change log of the last change of topology.
DRAPE_API drapeClothChanges drapeCloth_Changes(drapeClothId cloth);

/// The particles between which a particle was created, with their weights. `count` is 0 for a vertex of the pattern.
typedef struct drapeParticleOrigin
{
	uint32_t count;
	uint32_t parents[3];
	float weights[3]; ///< they add up to 1
} drapeParticleOrigin;

/// Returns the parents of a particle. @p particle is an index below drapeClothView::particleCount.
DRAPE_API drapeParticleOrigin drapeCloth_Origin(drapeClothId cloth, uint32_t particle);

/// Tells whether a collider touched the particle at the end of the last step; see drapeStats::contacts. False before
/// the first step.
DRAPE_API bool drapeCloth_IsTouching(drapeClothId cloth, uint32_t particle);

/// The thickness that contact keeps between layers of a cloth.
typedef struct drapeCarriedThickness
{
	float asked;        ///< m, drapeMaterial::thickness
	float carried;      ///< m, the least that any part of the mesh can carry now; at most @p asked
	uint32_t triangles; ///< triangles that carry less than @p asked, because all of their edges are shorter
} drapeCarriedThickness;

/// Returns the thickness that the active mesh can carry. Layers lie nearer to each other where triangles are smaller than
/// the thickness: choose a smaller thickness, a coarser mesh, or fewer levels of refinement. It concerns cloth with
/// ::drape_contactAll and its distance from cloth; particles keep the thickness from colliders in any case.
DRAPE_API drapeCarriedThickness drapeCloth_GetCarriedThickness(drapeClothId cloth);

/// The changes that an adaptation pass made.
typedef struct drapeAdaptResult
{
	uint32_t splits, joins;               ///< particles that the pass created and removed
	uint32_t splitsBlocked, joinsBlocked; ///< requests of the criteria that the mesh does not allow yet
	bool rebuilt;                         ///< the pass rewrote the whole active mesh because it changed too much
} drapeAdaptResult;

/// Runs one pass of the criteria and the scheme. @p result may be NULL. ::drape_errorMemory leaves the cloth unchanged.
DRAPE_API drapeResult drapeCloth_Adapt(drapeClothId cloth, drapeAdaptResult* result);

/// Returns the adaptation settings. The budget controller does not change them.
DRAPE_API drapeAdaptDef drapeCloth_GetAdapt(drapeClothId cloth);

/// Changes criteria and maximum level. Returns ::drape_errorArgument and changes nothing if the values contradict each
/// other or the scheme differs; @p reason (may be NULL) then receives a static sentence.
DRAPE_API drapeResult drapeCloth_SetAdapt(drapeClothId cloth, const drapeAdaptDef* adapt, const char** reason);

/// Changes the budget, for example its target. Returns ::drape_errorArgument and changes nothing if a value is out of
/// range.
DRAPE_API drapeResult drapeCloth_SetBudget(drapeClothId cloth, const drapeBudgetDef* budget);

/// Splits an edge of the view. Returns ::drape_errorBlocked if the edge has the maximum level or a triangle beside it
/// may not be refined yet. With drape_schemeSqrt3 the function splits the triangles beside the edge, or the coarser one
/// if their levels differ, and first the triangles on which they depend.
DRAPE_API drapeResult drapeCloth_SplitEdge(drapeClothId cloth, uint32_t edge);

/// Joins the edge whose midpoint is @p particle. Returns ::drape_errorBlocked if finer triangles depend on the particle
/// or it is a vertex of the pattern. With drape_schemeSqrt3 the function joins the triangle whose centre is @p
/// particle; the two particles that divide an edge in thirds are removed together.
DRAPE_API drapeResult drapeCloth_JoinParticle(drapeClothId cloth, uint32_t particle);

/// Splits every edge that may be split: one level. ::drape_errorMemory leaves the cloth unchanged.
DRAPE_API drapeResult drapeCloth_Refine(drapeClothId cloth);

/// Joins every edge that may be joined: one level. ::drape_errorMemory leaves the cloth unchanged.
DRAPE_API drapeResult drapeCloth_Coarsen(drapeClothId cloth);

/// Sets the positions of all particles and updates the normals. @p positions has drapeClothView::particleCount entries
/// in metres. Returns ::drape_errorArgument and changes nothing if an entry is not finite or beyond 10^9.
/// ::drape_errorMemory changes nothing either.
DRAPE_API drapeResult drapeCloth_SetPositions(drapeClothId cloth, const drapeVec3* positions);

/// Sets the velocities of all particles, in metres per second. Errors are those of drapeCloth_SetPositions.
DRAPE_API drapeResult drapeCloth_SetVelocities(drapeClothId cloth, const drapeVec3* velocities);

/// Copies the state of @p from to @p to: a cloth of the same pattern with another material, model, solver, scheme or
/// rest shape. @p to refines where @p from is refined, as far as its scheme and maximum level allow (drape_schemeFixed
/// does not refine). Each particle of @p to takes over the position and velocity of its pattern point, and its values
/// in the columns that both cloths have under the same name with the same number of components. Pins, friction state
/// and waiting times are not copied. The cloths may belong to different worlds. Time is linear in the number of
/// triangles of both. Returns ::drape_errorArgument and changes nothing if a cloth does not exist, both are the same or
/// their pattern triangles differ. After ::drape_errorMemory @p to is usable, but its refinement and positions are
/// unspecified. Not thread-safe.
DRAPE_API drapeResult drapeCloth_TransferState(drapeClothId from, drapeClothId to);

/// --- pins -----------------------------------------------------------------------------------------------------------

/// A pin of a cloth: a kinematic particle, or one that is held with a limited force. Zero is null. Adaptation does not
/// remove the particle while the pin exists.
typedef struct drapePinId
{
	uint32_t index1;
} drapePinId;

/// Pins a particle at its position. The vertices of the pattern are always the particles with the same indices. Returns
/// the existing pin if the particle is already pinned, and null if memory ran out.
DRAPE_API drapePinId drapeCloth_Pin(drapeClothId cloth, uint32_t particle);

/// Sets the position in metres that the pin has at the end of the next step. The pin moves there at constant velocity.
/// If all pins of a cloth jump alike, further than bodies move within a step, the cloth is carried along. If only some
/// do, these slip with a force of at most ten weights of the cloth, until they have caught their particles again
/// (docs/contact.md).
DRAPE_API void drapeCloth_MovePin(drapeClothId cloth, drapePinId pin, drapeVec3 position);

/// Lets the pin follow a motion. The pin keeps its present position relative to the motion's transform.
DRAPE_API void drapeCloth_PinToMotion(drapeClothId cloth, drapePinId pin, drapeMotionId motion);

/// Lets the pin follow a collider that moves, turns, scales or deforms. The pin keeps its present offset from the
/// collider: on a mesh, from the nearest triangle and in its frame. A null collider leaves the pin where it is, and so
/// does the destruction of the collider.
DRAPE_API void drapeCloth_PinToCollider(drapeClothId cloth, drapePinId pin, drapeColliderId collider);

/// Sets the times in seconds from which and until which the pin holds its particle; an @p end of 0 is never. A pin that
/// starts later holds the particle where it is then. A pin that ends is removed. Returns ::drape_errorArgument and
/// changes nothing if a time is not finite, if @p end is not after @p start, or if @p start is in the future and the
/// particle is not a vertex of the pattern.
DRAPE_API drapeResult drapeCloth_SetPinTimes(drapeClothId cloth, drapePinId pin, float start, float end);

/// Sets the largest force in newtons with which the pin holds its particle, 0 to 10^9; 0 is no limit, as at first. A pin
/// with a limit does not make the particle kinematic. It holds it at the place of the pin as long as the force suffices.
/// Otherwise the pin slips: it pulls with the largest force towards its place, and catches the particle when it arrives.
/// Fingers that hold a sheet, or the mouse of an editor, are such pins. When the limit is removed, the pin takes the
/// particle to its place within the next step. Returns ::drape_errorArgument and changes nothing if the pin does not
/// exist or the force is out of range.
DRAPE_API drapeResult drapeCloth_SetPinForce(drapeClothId cloth, drapePinId pin, float maxForce);

/// The state of a pin after the last step.
typedef struct drapePinState
{
	drapeVec3 target; ///< m, the place of the pin; after drapeCloth_MovePin, that at the end of the next step
	float maxForce;   ///< N; 0 for no limit
	drapeVec3 force;  ///< N, on the particle, at the end of the last substep; zero for a pin without a limit
	float lag;        ///< m, distance of the particle from the place of the pin; zero without a limit
	bool isSlipping;  ///< the pin needs more than its largest force, or has jumped away from its cloth
	bool isActive;    ///< the pin holds its particle; false before its start
} drapePinState;

/// Returns the state of a pin; zeros for a pin that was removed.
DRAPE_API drapePinState drapeCloth_GetPinState(drapeClothId cloth, drapePinId pin);

/// Removes a pin. The particle keeps its velocity.
DRAPE_API void drapeCloth_Unpin(drapeClothId cloth, drapePinId pin);

/// Returns the pinned particle, or DRAPE_NONE for a pin that was removed.
DRAPE_API uint32_t drapeCloth_PinParticle(drapeClothId cloth, drapePinId pin);

/// --- columns --------------------------------------------------------------------------------------------------------

/// The most floats that one value of a column may have.
#define DRAPE_MAX_COLUMN_COMPONENTS 16

/// A column of a cloth: an array with one value per particle that the application uses as it likes, for wetness, dirt
/// or a weight that was painted on the pattern. It follows adaptation: values stay with their particles when indices
/// change, and new particles get a value by the column's rule. Zero is null. Handles stay valid as long as the cloth.
typedef struct drapeColumnId
{
	uint32_t index1;
} drapeColumnId;

/// The value that a particle gets when adaptation creates it. Values of removed particles are lost.
typedef enum drapeColumnInherit
{
	drape_inheritMean = 0,      ///< the mean of its parents' values by their weights (drapeCloth_Origin)
	drape_inheritNearestParent, ///< that of the parent with the greatest weight, the first one of equals: for labels
	drape_inheritZero,          ///< zero
} drapeColumnInherit;

/// Describes a column. Get one from drapeDefaultColumnDef, then change it.
typedef struct drapeColumnDef
{
	const char* name;        ///< 1 to 63 bytes, unique in the cloth, not beginning with "drape."; copied
	uint32_t componentCount; ///< floats per value, 1 to DRAPE_MAX_COLUMN_COMPONENTS
	drapeColumnInherit inherit;
	const float* constant; ///< [componentCount] initial value of all particles; NULL for zero; copied
	/// [vertices of the pattern * componentCount] initial values of the pattern's vertices, instead of `constant`;
	/// finer particles get theirs by the rule; may be NULL; copied.
	const float* vertexValues;
	uint32_t cookie; ///< set by drapeDefaultColumnDef
} drapeColumnDef;

/// One float, the mean rule, zero everywhere. The name is not set.
DRAPE_API drapeColumnDef drapeDefaultColumnDef(void);

/// Adds a column to a cloth and writes its handle to @p column. The cloth frees it when it is destroyed. Snapshots and
/// the state hash include it: a snapshot can only be loaded into a world whose cloths have the same columns, created in
/// the same order.
///
/// Returns ::drape_errorArgument if the cloth does not exist, the definition is not initialised or out of range, or the
/// name is already used; ::drape_errorLimit if the cloth has too many columns (16 are always possible);
/// ::drape_errorMemory. On failure nothing has changed, @p column is null, and @p reason (may be NULL) receives a
/// static sentence. Changes nothing about the simulation.
DRAPE_API drapeResult drapeCloth_CreateColumn(drapeClothId cloth, const drapeColumnDef* def, drapeColumnId* column,
                                              const char** reason);

/// Returns the column with this name, or null.
DRAPE_API drapeColumnId drapeCloth_FindColumn(drapeClothId cloth, const char* name);

/// Returns the values of a column, [drapeClothView::particleCount * componentCount] floats by particle. The application
/// may read and write them. The pointer is valid until the next call that steps, adapts, edits or destroys the cloth,
/// adds a column to it, or loads a snapshot. Returns NULL for a handle that is null or not of this cloth.
DRAPE_API float* drapeCloth_GetColumn(drapeClothId cloth, drapeColumnId column);

/// --- pattern points -------------------------------------------------------------------------------------------------

/// A pattern point: a position on a pattern triangle, given by barycentric coordinates. It survives adaptation.
typedef struct drapePatternPoint
{
	uint32_t triangle; ///< index in the pattern mesh
	float weights[3];  ///< weights of its corners, adding up to 1
} drapePatternPoint;

/// Computes the present positions (m) and normals (unit) of pattern points, for a mesh whose topology must not change.
/// @p normals may be NULL. Time is linear in the number of points and triangles. On ::drape_errorMemory and
/// ::drape_errorArgument nothing is written.
DRAPE_API drapeResult drapeCloth_Evaluate(drapeClothId cloth, const drapePatternPoint* points, uint32_t count,
                                          drapeVec3* positions, drapeVec3* normals);
