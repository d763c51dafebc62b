// SPDX-License-Identifier: MIT
#pragma once

/// @file cloth.h
/// Cloths: what they are made from, views of the mesh in use, pins, and editing by hand.

#include "drape/adapt.h"
#include "drape/material.h"
#include "drape/mesh.h"
#include "drape/motion.h"

/// A world. Zero is null.
typedef struct drapeWorldId
{
	drapeWorld* world;
} drapeWorldId;

/// A cloth of a world. Zero is null. A handle to a destroyed cloth is recognised, also after its place was given to
/// another.
typedef struct drapeClothId
{
	drapeWorld* world;
	uint32_t index1;
	uint32_t generation;
} drapeClothId;

/// How much a cloth may cost: its curvature thresholds are moved until it does (Simnett 2012, 5.5.2).
/// With both distances set, the budget changes between them with the distance to the camera, from the full one to
/// `farShare` of it.
typedef struct drapeBudgetDef
{
	uint32_t triangles; ///< wanted number; 0 for no such budget
	float milliseconds; ///< wanted cost of a step of this cloth; 0 for no such budget
	float nearDistance; ///< m; up to here the full budget
	float farDistance;  ///< m, > nearDistance; from here on farShare of it; 0: distance does not matter
	float farShare;     ///< 0 to 1
} drapeBudgetDef;

/// What of a cloth is kept out of what.
typedef enum drapeContact
{
	drape_contactParticles = 0, ///< particles out of colliders: cheap; thin things may come through between them
	/// Faces and edges too, out of colliders, out of the cloth itself and of other cloths that have this: nothing
	/// passes through anything, at any speed. Implicit integrators hold up what lies on what within the solve, which
	/// lets it come to rest; others only stop it.
	drape_contactAll,
} drapeContact;

typedef struct drapeClothDef
{
	const drapeMesh* mesh; ///< the pattern; copied
	drapeRestDef rest;     ///< where the undeformed shape comes from
	drapeMaterial material;
	drapeModel model;
	drapeSpringDef springs;
	drapeSolverDef solver;
	drapeAdaptDef adapt;
	drapeBudgetDef budget;
	drapeContact contact;
	bool pinMiddles; ///< what is born between pins, such as the middle of an edge between two, is pinned between them;
					 ///< else it is free
	drapeMeshReport* report; ///< out, may be NULL: what is wrong with the mesh, when it is refused
	drapeResult* result;     ///< out, may be NULL: why drapeCreateCloth returned null
	uint32_t cookie;         ///< set by drapeDefaultClothDef
} drapeClothDef;

/// Cotton, springs, rest shape from the mesh, the defaults of the other headers.
DRAPE_API drapeClothDef drapeDefaultClothDef(void);

/// Null on failure; drapeClothDef::result and drapeClothDef::report then say why, and nothing has changed.
DRAPE_API drapeClothId drapeCreateCloth(drapeWorldId world, const drapeClothDef* def);
DRAPE_API void drapeDestroyCloth(drapeClothId cloth);
DRAPE_API bool drapeCloth_IsValid(drapeClothId cloth);

/// The mesh in use, in the library's own arrays: valid until the next call that steps, adapts, edits or destroys the
/// cloth. Indices of particles, triangles and edges change when the mesh does; `revision` tells.
typedef struct drapeClothView
{
	uint32_t revision; ///< changes with every change of topology

	uint32_t particleCount;
	const drapeVec4* positions;  ///< m; w is the inverse mass, 1/kg, 0 for a pinned particle
	const drapeVec4* velocities; ///< m/s; w is the mass, kg
	const drapeVec4* normals;    ///< unit length, or zero where triangles cancel out; w is 0
	const uint8_t* particleLevels;

	uint32_t triangleCount;
	const uint32_t* triangles;  ///< [3 * triangleCount] particles, counter-clockwise: an index buffer
	const drapeVec2* materials; ///< [3 * triangleCount] material coordinates per corner, m
	const drapeVec2* texcoords; ///< [3 * triangleCount] texture coordinates per corner; NULL when the mesh has none
	const uint32_t* patternTriangles; ///< [triangleCount] the triangle of the pattern that each is part of, or with
									  ///< drape_schemeSqrt3 partly so: a flipped one reaches into its neighbour
	const uint8_t* triangleLevels;

	uint32_t edgeCount;
	const uint32_t* edgeFrom; ///< [edgeCount] particle
	const uint32_t* edgeTo;   ///< [edgeCount] particle
	const float* restLengths; ///< m
	const uint8_t* edgeLevels;
} drapeClothView;

DRAPE_API drapeClothView drapeCloth_View(drapeClothId cloth);

typedef struct drapeParticleMove
{
	uint32_t from, to;
} drapeParticleMove;

/// What the last change of topology did to the particles, for data that a program keeps for each: first some died, new
/// ones were added at the end, then the holes were filled from the end. `died` and `moved.from` are indices before the
/// change, `born` and `moved.to` after it. Same lifetime as a view.
typedef struct drapeClothChanges
{
	uint32_t revision;
	uint32_t bornCount, diedCount, movedCount;
	const uint32_t* born;
	const uint32_t* died;
	const drapeParticleMove* moved;
} drapeClothChanges;

DRAPE_API drapeClothChanges drapeCloth_Changes(drapeClothId cloth);

/// Where a particle comes from: up to three others and their weights; count 0 for a vertex of the pattern.
typedef struct drapeParticleOrigin
{
	uint32_t count;
	uint32_t parents[3];
	float weights[3];
} drapeParticleOrigin;

DRAPE_API drapeParticleOrigin drapeCloth_Origin(drapeClothId cloth, uint32_t particle);

/// True when a collider touched the particle at the end of the last step; see drapeStats::contacts. False before the
/// first step.
DRAPE_API bool drapeCloth_IsTouching(drapeClothId cloth, uint32_t particle);

/// What a pass of adaptation did.
typedef struct drapeAdaptResult
{
	uint32_t splits, joins;               ///< particles born and gone: edges split and rejoined, with drape_schemeSqrt3
										  ///< triangles too
	uint32_t splitsBlocked, joinsBlocked; ///< asked for by the criteria, but not possible yet
	bool rebuilt;                         ///< the mesh changed so much that it was written anew
} drapeAdaptResult;

/// One pass of the criteria. @p result may be NULL. ::drape_errorMemory leaves the cloth as it was.
DRAPE_API drapeResult drapeCloth_Adapt(drapeClothId cloth, drapeAdaptResult* result);

DRAPE_API drapeAdaptDef drapeCloth_GetAdapt(drapeClothId cloth);

/// Changes criteria and maximum level. ::drape_errorArgument, with no change, when they contradict each other or the
/// scheme differs;
/// @p reason (may be NULL) then receives a static sentence.
DRAPE_API drapeResult drapeCloth_SetAdapt(drapeClothId cloth, const drapeAdaptDef* adapt, const char** reason);

/// Changes the budget, e.g. its target. ::drape_errorArgument, with no change, when it makes no sense.
DRAPE_API drapeResult drapeCloth_SetBudget(drapeClothId cloth, const drapeBudgetDef* budget);

/// Splits an edge of the view. ::drape_errorBlocked when it is at the maximum level, or when a triangle beside it may
/// not refine yet. With drape_schemeSqrt3 the triangles beside it are split, the coarser one if they differ, and before
/// them whatever they depend on.
DRAPE_API drapeResult drapeCloth_SplitEdge(drapeClothId cloth, uint32_t edge);

/// Rejoins the edge in whose middle a particle lies. ::drape_errorBlocked when finer triangles depend on it, or when it
/// is a vertex of the pattern. With drape_schemeSqrt3 the triangle in whose centre it lies; the thirds of an edge go
/// together.
DRAPE_API drapeResult drapeCloth_JoinParticle(drapeClothId cloth, uint32_t particle);

/// Splits every edge that may be split, or rejoins every edge that may be rejoined: one level.
DRAPE_API drapeResult drapeCloth_Refine(drapeClothId cloth);
DRAPE_API drapeResult drapeCloth_Coarsen(drapeClothId cloth);

/// Moves particles and brings the normals up to date. @p positions has drapeClothView::particleCount entries, in
/// metres.
/// ::drape_errorArgument, with no change, when one is not finite or beyond 10^9;
/// ::drape_errorMemory likewise.
DRAPE_API drapeResult drapeCloth_SetPositions(drapeClothId cloth, const drapeVec3* positions);

/// As drapeCloth_SetPositions, in metres per second.
DRAPE_API drapeResult drapeCloth_SetVelocities(drapeClothId cloth, const drapeVec3* velocities);

/// --- pins
/// ------------------------------------------------------------------------------------------------------------

/// A pin of a cloth: a particle that goes where it is told. Zero is null. While it exists, its particle is not removed
/// by adaptation.
typedef struct drapePinId
{
	uint32_t index1;
} drapePinId;

/// Holds a particle where it is. The vertices of the pattern are the particles with the same indices, always. Returns
/// the pin there is when the particle is pinned already; null when memory is short.
DRAPE_API drapePinId drapeCloth_Pin(drapeClothId cloth, uint32_t particle);

/// Where the pin shall be at the end of the next step; on the way it moves evenly. As a mouse drags.
DRAPE_API void drapeCloth_MovePin(drapeClothId cloth, drapePinId pin, drapeVec3 position);

/// The pin follows a motion: where the motion takes the pin's position of now.
DRAPE_API void drapeCloth_PinToMotion(drapeClothId cloth, drapePinId pin, drapeMotionId motion);
DRAPE_API void drapeCloth_Unpin(drapeClothId cloth, drapePinId pin);

/// The pinned particle, DRAPE_NONE for a pin that is gone.
DRAPE_API uint32_t drapeCloth_PinParticle(drapeClothId cloth, drapePinId pin);

/// --- carrying another mesh along
/// -------------------------------------------------------------------------------------

/// Points that stay fixed on the pattern, as a corner-weighted point of a pattern triangle.
typedef struct drapePatternPoint
{
	uint32_t triangle; ///< of the pattern
	float weights[3];  ///< of its corners, adding up to 1
} drapePatternPoint;

/// Where points of the pattern are now, on the triangles in use: for a mesh whose topology may not change. @p normals
/// may be NULL. Time is linear in the points and the triangles. ::drape_errorMemory or ::drape_errorArgument, with
/// nothing written.
DRAPE_API drapeResult drapeCloth_Evaluate(drapeClothId cloth, const drapePatternPoint* points, uint32_t count,
                                          drapeVec3* positions, drapeVec3* normals);
