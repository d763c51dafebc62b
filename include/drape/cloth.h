// SPDX-License-Identifier: MIT
#pragma once

/// @file cloth.h
/// Cloths: their definition, views of the active mesh, and editing by hand. pin.h, column.h and constraint.h have what
/// belongs to them.
///
/// Thread rule: as world.h.

#include "drape/adapt.h"
#include "drape/filter.h"
#include "drape/id.h"
#include "drape/material.h"
#include "drape/mesh.h"
#include "drape/model.h"
#include "drape/pattern.h"
#include "drape/solver.h"
#include "drape/transform.h"
#include "drape/vertex.h"

/// The cost that a cloth may have. The budget controller moves the curvature thresholds of the cloth until it reaches
/// the number of triangles that fits (Simnett 2012, 5.5.2). With both distances set, that number falls with the distance
/// to the camera: from the full budget at nearDistance to `farShare` of it at farDistance.
///
/// `seconds` and `work` are limits. The limit of a step is the sum over all cloths; there is none if a cloth has
/// none. When it is used up, the step gives up accuracy: iterations, substeps, repetitions. It never gives up contact, so
/// that it may take longer: drapeCounters::overrun.
typedef struct drapeBudgetDef
{
	uint32_t triangles; ///< target number of triangles; 0 for no such budget
	float seconds;      ///< limit of the wall-clock time of a step of this cloth; 0 for no such budget
	/// Limit of the work of a step of this cloth, in millions of operations (drapeCounters::work); 0 for no such budget. The
	/// result does not depend on the machine or on the number of threads.
	float work;
	float nearDistance; ///< m, >= 0; the full budget applies up to this distance
	float farDistance;  ///< m, > nearDistance; `farShare` applies from this distance on; 0 ignores the distance
	float farShare;     ///< 0 to 1
} drapeBudgetDef;

/// Returns the parameters of drapeBudgetDef and sets @p count. Static, never freed. Any thread.
DRAPE_API const drapeParameter* drapeBudgetDef_GetParameters(uint32_t* count);

/// The kind of contact that a cloth has.
typedef enum drapeContactMode
{
	/// Particles stay outside colliders. Cheap. Thin obstacles may pass between the particles.
	drape_contactParticles = 0,
	/// Vertices, edges and faces stay outside colliders, outside the cloth itself and outside other cloths that have
	/// this value, at any speed. Implicit integrators solve resting contact together with the cloth, so that piles come
	/// to rest. Explicit integrators only stop impacts.
	drape_contactAll,
} drapeContactMode;

/// How much a cloth feels the motion of its frame (drapeCloth_SetFrame), for cloth on characters that start, stop and
/// turn faster than bodies do.
typedef struct drapeInertia
{
	float linear;  ///< 0 to 1: share of the frame's translation that the cloth feels; 1 by default, as in nature
	float angular; ///< 0 to 1: share of its rotation; 1 by default
} drapeInertia;

/// When a cloth falls asleep. Sleeping cloth takes no part in steps and costs nothing.
typedef struct drapeSleepDef
{
	float speed; ///< m/s, >= 0: all particles must be slower, e.g. 0.01; 0, the default: the cloth never falls asleep
	float time;  ///< s, >= 0: for so long without a break; 1 by default
} drapeSleepDef;

/// Describes a cloth. Get one from drapeDefaultClothDef, then change it.
typedef struct drapeClothDef
{
	/// The pattern mesh; copied. It becomes a pattern of this cloth alone. NULL with `pattern`.
	const drapeMesh* mesh;
	drapeRestDef rest; ///< with `mesh`: source of the undeformed shape
	/// A pattern that cloths share, in place of `mesh`. The cloth keeps it alive.
	const drapePattern* pattern;
	/// Where the cloth begins: scale, then rotation, then translation of the mesh; the identity by default. The scale is
	/// part of the pattern, so that a rest shape from the positions (::drape_restShape) scales with it; with `pattern` it
	/// must be 1. Material coordinates that are given in metres or made from texture coordinates keep their own unit, and
	/// so does `rest.warp`, a direction in the mesh as given.
	drapeTransform transform;
	drapeMaterial material;
	drapeModel model;
	drapeSpringDef springs;
	drapeSolverDef solver;
	drapeAdaptDef adapt;
	drapeBudgetDef budget;
	drapeContactMode contact;
	drapeFilter filter;   ///< the colliders and the other cloths that it touches
	float gravityScale;   ///< factor of the world's gravity; 0 for none, negative to rise; 1 by default
	drapeInertia inertia; ///< has an effect together with drapeCloth_SetFrame
	drapeSleepDef sleep;
	bool pinMiddles; ///< pin particles that adaptation creates between pinned particles; false leaves them free
	/// Values of the pattern's vertices, by drapeVertexValue: arrays of drapeMesh::vertexCount floats, or NULL for none;
	/// copied. drapeCloth_SetVertexValues changes them later.
	const float* vertexValues[drape_vertexValueCount];
	drapeMeshReport* report; ///< out, may be NULL: the problems of the mesh, when it is refused
	void* userData;
	uint32_t cookie; ///< set by drapeDefaultClothDef; catches a definition that was not initialised
} drapeClothDef;

/// Finite elements with the implicit solver, the fabric "curtain", which is light and hard to stretch, the rest shape of
/// the mesh, and the defaults of the other headers. Any thread.
DRAPE_API drapeClothDef drapeDefaultClothDef(void);

/// Creates a cloth and writes its handle to @p cloth. It lives until drapeDestroyCloth or drapeDestroyWorld. Returns
/// ::drape_errorArgument for a value out of range or values that contradict each other, such as both a mesh and a
/// pattern, ::drape_errorData for a mesh that cannot become cloth (drapeClothDef::report says why), ::drape_errorLimit or
/// ::drape_errorMemory; @p cloth is then null and the world unchanged.
DRAPE_API drapeResult drapeCreateCloth(drapeWorldId world, const drapeClothDef* def, drapeClothId* cloth);

/// Destroys a cloth with its pins and columns, and constraints that name it. Views of it become invalid. The handle may
/// be null.
DRAPE_API drapeResult drapeDestroyCloth(drapeClothId cloth);

/// Tells whether the handle names a cloth that exists. Never asserts (id.h).
DRAPE_API bool drapeCloth_IsValid(drapeClothId cloth);

/// Returns the world of a cloth; null for a handle that is not valid.
DRAPE_API drapeWorldId drapeCloth_GetWorld(drapeClothId cloth);

/// Sets and returns the pointer of the application, which the library does not read. NULL for a handle that is not valid.
DRAPE_API drapeResult drapeCloth_SetUserData(drapeClothId cloth, void* userData);
DRAPE_API void* drapeCloth_GetUserData(drapeClothId cloth);

/// Write at most @p capacity handles of the pins, or of the columns, of a cloth, and return their number. @p pins and
/// @p columns may be NULL if the capacity is 0.
DRAPE_API uint32_t drapeCloth_GetPins(drapeClothId cloth, drapePinId* pins, uint32_t capacity);
DRAPE_API uint32_t drapeCloth_GetColumns(drapeClothId cloth, drapeColumnId* columns, uint32_t capacity);

/// Returns the definition with the present values. It has the pattern of the cloth in place of a mesh, so that
/// drapeCreateCloth makes another cloth of it as long as the pattern exists. The pointer to a report is NULL. The defaults for
/// a handle that is not valid.
DRAPE_API drapeClothDef drapeCloth_GetDef(drapeClothId cloth);

/// Returns the pattern of a cloth, also of one that was made from a mesh. It exists as long as a cloth uses it, or until the
/// program destroys it if it created it. A second cloth of it, made by any thread, may share its data. NULL for a handle
/// that is not valid.
DRAPE_API const drapePattern* drapeCloth_GetPattern(drapeClothId cloth);

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

/// Returns a view of the active mesh. Copies nothing. Zeros for a handle that is not valid.
DRAPE_API drapeClothView drapeCloth_GetView(drapeClothId cloth);

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
DRAPE_API drapeClothChanges drapeCloth_GetChanges(drapeClothId cloth);

/// The particles between which a particle was created, with their weights. `count` is 0 for a vertex of the pattern.
typedef struct drapeParticleOrigin
{
	uint32_t count;
	uint32_t parents[3];
	float weights[3]; ///< they add up to 1
} drapeParticleOrigin;

/// Returns the parents of a particle. @p particle is an index below drapeClothView::particleCount; zeros for another one.
DRAPE_API drapeParticleOrigin drapeCloth_GetOrigin(drapeClothId cloth, uint32_t particle);

/// Tells whether a collider touched the particle at the end of the last step; see drapeCounters::contacts. False before
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
/// ::drape_contactAll and its distance from cloth; particles keep the thickness from colliders in any case. Vertices may
/// have factors (::drape_vertexThickness): `carried` then holds for parts whose factor is 1.
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

/// Returns the adaptation settings. The budget controller does not change them. The defaults for a handle that is not
/// valid.
DRAPE_API drapeAdaptDef drapeCloth_GetAdapt(drapeClothId cloth);

/// Changes criteria and maximum level. Returns ::drape_errorArgument and changes nothing if a value is out of range, the
/// values contradict each other or the scheme differs.
DRAPE_API drapeResult drapeCloth_SetAdapt(drapeClothId cloth, const drapeAdaptDef* adapt);

/// Changes the budget, for example its target. Returns ::drape_errorArgument and changes nothing if a value is out of
/// range.
DRAPE_API drapeResult drapeCloth_SetBudget(drapeClothId cloth, const drapeBudgetDef* budget);

/// Returns the budget.
DRAPE_API drapeBudgetDef drapeCloth_GetBudget(drapeClothId cloth);

/// --- settings of a living cloth -------------------------------------------------------------------------------------

/// The functions below change the definition of a cloth from the next step on. The state stays: refinement, positions,
/// velocities, pins, constraints, columns, contacts and their friction. If a value is refused (::drape_errorArgument) or
/// memory runs out (::drape_errorMemory), nothing changes. The values are part of snapshots. Getters return the default
/// material, springs and solver for a handle that is not valid, and zeros otherwise.

/// Changes the fabric. A new density changes masses and keeps velocities.
DRAPE_API drapeResult drapeCloth_SetMaterial(drapeClothId cloth, const drapeMaterial* material);
DRAPE_API drapeMaterial drapeCloth_GetMaterial(drapeClothId cloth);

/// Changes drapeMaterial::thickness alone, in metres, >= 0. Costs nothing. A cloth that becomes thicker is pushed out of
/// colliders and off other layers by the next steps.
DRAPE_API drapeResult drapeCloth_SetThickness(drapeClothId cloth, float thickness);
DRAPE_API float drapeCloth_GetThickness(drapeClothId cloth);

/// Changes the force model. @p springs may be NULL: the present springs stay. They matter for ::drape_modelSprings only.
DRAPE_API drapeResult drapeCloth_SetModel(drapeClothId cloth, drapeModel model, const drapeSpringDef* springs);
DRAPE_API drapeModel drapeCloth_GetModel(drapeClothId cloth);
DRAPE_API drapeSpringDef drapeCloth_GetSprings(drapeClothId cloth);

/// Changes the time integration: integrator, substeps, rate, limit of stretch, accuracy. Another integrator begins
/// without the positions and velocities of earlier steps. An explicit one forgets the friction of particles on
/// colliders, which implicit ones keep from step to step.
DRAPE_API drapeResult drapeCloth_SetSolver(drapeClothId cloth, const drapeSolverDef* solver);
DRAPE_API drapeSolverDef drapeCloth_GetSolver(drapeClothId cloth);

/// Changes the kind of contact. Cloth that crosses something when it gets ::drape_contactAll comes out of it during the
/// following steps, as far as drapeCounters::crossings says.
DRAPE_API drapeResult drapeCloth_SetContact(drapeClothId cloth, drapeContactMode contact);
DRAPE_API drapeContactMode drapeCloth_GetContact(drapeClothId cloth);

/// Changes the factor of the world's gravity, -1000 to 1000.
DRAPE_API drapeResult drapeCloth_SetGravityScale(drapeClothId cloth, float scale);
DRAPE_API float drapeCloth_GetGravityScale(drapeClothId cloth);

/// Sets the filter, from the next step on. ::drape_errorMemory changes nothing.
DRAPE_API drapeResult drapeCloth_SetFilter(drapeClothId cloth, drapeFilter filter);
DRAPE_API drapeFilter drapeCloth_GetFilter(drapeClothId cloth);

/// Changes the shares of the motion of its frame that the cloth feels.
DRAPE_API drapeResult drapeCloth_SetInertia(drapeClothId cloth, drapeInertia inertia);
DRAPE_API drapeInertia drapeCloth_GetInertia(drapeClothId cloth);

/// Sets the frame of a cloth at the end of the next step, such as the root of the character that wears it. The
/// application sets it before each step; otherwise the frame rests. The first call, and the first one after
/// drapeCloth_ClearFrame, places the frame without a motion. The scale does not matter. Returns ::drape_errorArgument for
/// a scale that is not above 0, a rotation that has not unit length, or numbers that are not finite.
///
/// At the beginning of a step, the cloth is carried along rigidly by the part of the frame's motion that it does not
/// feel: 1 - linear of the translation and 1 - angular of the rotation about the frame's origin. Its velocities turn
/// with it. So do the places where the step begins of its pins and of colliders that the frame's motion brings nearer to
/// where the step ends. Nothing is swept for the carried part. With both shares 0 and colliders that move with the
/// frame, the cloth moves in the frame as it would in a frame at rest, and velocities, drag and wind count relative to
/// it. Obstacles that do not move with the frame, such as the ground, are met by the remaining motion: a cloth that is
/// carried through a thin one in a single step is not stopped. Give all cloths of a character the same frame and shares.
DRAPE_API drapeResult drapeCloth_SetFrame(drapeClothId cloth, drapeTransform frame);

/// Returns the frame that was set last; the identity without one.
DRAPE_API drapeTransform drapeCloth_GetFrame(drapeClothId cloth);

/// Forgets the frame: nothing carries the cloth along any more.
DRAPE_API drapeResult drapeCloth_ClearFrame(drapeClothId cloth);

/// Changes when the cloth falls asleep, and wakes it.
///
/// A cloth falls asleep together with its island: the cloths that constraints join to it, and with ::drape_contactAll
/// those whose bounds overlap its own. It stays awake while anything near it moves, while the mesh changes, and in gusting
/// or turbulent wind. While it sleeps, positions stay bit for bit, velocities are zero, and drapeCounters of the cloth are
/// zero but for `particles`, `triangles`, `edges` and `asleep`. It wakes before the next step when
/// - a collider near its bounds moves, deforms, appears, disappears or gets another friction or filter;
/// - an awake cloth comes near (contact all), or one that a constraint joins to it is awake;
/// - one of its pins moves, starts or ends, or its frame or its skinned positions move;
/// - a constraint on it is created, destroyed, starts, ends or breaks;
/// - gravity or wind are set;
/// - a function of the application changes it: positions, velocities, mesh, settings, pins, teleport.
/// The application's own obstacles (drapeInsideFcn), the camera and written columns do not wake it. Sleep is part of
/// snapshots and of the state hash.
DRAPE_API drapeResult drapeCloth_SetSleep(drapeClothId cloth, drapeSleepDef sleep);
DRAPE_API drapeSleepDef drapeCloth_GetSleep(drapeClothId cloth);

/// Puts a cloth to sleep at once, whatever its settings, or wakes it. The causes above wake it from the next step on.
DRAPE_API drapeResult drapeCloth_SetAsleep(drapeClothId cloth, bool isAsleep);
DRAPE_API bool drapeCloth_IsAsleep(drapeClothId cloth);

/// --- editing --------------------------------------------------------------------------------------------------------

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
/// in the columns that both cloths have under the same name with the same number of components. @p to also takes over
/// skinned positions, and the vertex values (vertex.h) that it does not have itself. Pins, friction state
/// and waiting times are not copied. The cloths may belong to different worlds. Time is linear in the number of
/// triangles of both. Returns ::drape_errorArgument and changes nothing if a cloth does not exist, both are the same or
/// their pattern triangles differ. After ::drape_errorMemory @p to is usable, but its refinement and positions are
/// unspecified. Not thread-safe.
DRAPE_API drapeResult drapeCloth_TransferState(drapeClothId from, drapeClothId to);

/// --- pattern points -------------------------------------------------------------------------------------------------

/// A pattern point: a position on a pattern triangle, given by barycentric coordinates. It survives adaptation.
typedef struct drapePatternPoint
{
	uint32_t triangle; ///< index in the pattern mesh
	float weights[3];  ///< weights of its corners, each 0 to 1, adding up to 1, with a tolerance of 0.001
} drapePatternPoint;

/// Computes the present positions (m) and normals (unit) of pattern points, for a mesh whose topology must not change.
/// @p normals may be NULL. Time is linear in the number of points and triangles. On ::drape_errorMemory and
/// ::drape_errorArgument nothing is written.
DRAPE_API drapeResult drapeCloth_Evaluate(drapeClothId cloth, const drapePatternPoint* points, uint32_t count,
                                          drapeVec3* positions, drapeVec3* normals);
