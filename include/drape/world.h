// SPDX-License-Identifier: MIT
#pragma once

/// @file world.h
/// Worlds and the cloths in them.
///
/// Thread rule for everything here: one thread at a time per world; different worlds are independent.
/// A function given a cloth that no longer exists asserts in debug builds and does nothing, or returns zeros, in
/// release.

#include "drape/adapt.h"
#include "drape/mesh.h"

typedef struct drapeWorld drapeWorld;

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

#define DRAPE_MAX_WORKERS 64

typedef struct drapeWorldDef
{
	uint32_t workerCount; ///< threads to use, the calling one included, 1 to DRAPE_MAX_WORKERS. Results are the same
	                      ///< for any number.
	drapeEnqueueTaskFcn* enqueueTask; ///< the host's job system; NULL for the built-in threads
	drapeFinishTaskFcn* finishTask;   ///< goes with enqueueTask
	void* taskContext;                ///< passed to both
	uint32_t cookie;                  ///< set by drapeDefaultWorldDef; catches a definition that was not initialised
} drapeWorldDef;

DRAPE_API drapeWorldDef drapeDefaultWorldDef(void);

/// Null when memory is short, when the definition is unusable, or when the processor lacks the instructions the library
/// was built for.
DRAPE_API drapeWorldId drapeCreateWorld(const drapeWorldDef* def);

/// Destroys the world and every cloth in it. The handle may be null.
DRAPE_API void drapeDestroyWorld(drapeWorldId world);

/// Checks every invariant of every cloth (docs/architecture.md lists them). True when all hold; else @p text receives a
/// sentence that says which cloth breaks which. Slow: for tests and debugging.
DRAPE_API bool drapeWorld_Validate(drapeWorldId world, char* text, size_t capacity);

typedef struct drapeWorldMemory
{
	size_t hierarchyBytes; ///< refinement hierarchies of all cloths, elements in use
	size_t activeBytes;    ///< active meshes of all cloths, elements in use
} drapeWorldMemory;

DRAPE_API drapeWorldMemory drapeWorld_GetMemory(drapeWorldId world);

typedef struct drapeClothDef
{
	const drapeMesh* mesh; ///< the pattern; copied
	drapeRestDef rest;     ///< where the undeformed shape comes from
	float density;         ///< kg/m^2, > 0
	drapeAdaptDef adapt;
	drapeMeshReport* report; ///< out, may be NULL: what is wrong with the mesh, when it is refused
	drapeResult* result;     ///< out, may be NULL: why drapeCreateCloth returned null
	uint32_t cookie;         ///< set by drapeDefaultClothDef
} drapeClothDef;

/// 0.2 kg/m^2, rest shape from the mesh, drapeDefaultAdaptDef.
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
	const drapeVec4* normals;    ///< unit length; w is 0
	const uint8_t* particleLevels;

	uint32_t triangleCount;
	const uint32_t* triangles;  ///< [3 * triangleCount] particles, counter-clockwise: an index buffer
	const drapeVec2* materials; ///< [3 * triangleCount] material coordinates per corner, m
	const drapeVec2* texcoords; ///< [3 * triangleCount] texture coordinates per corner; NULL when the mesh has none
	const uint32_t* patternTriangles; ///< [triangleCount] the triangle of the pattern that each is part of
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

/// What a pass of adaption did.
typedef struct drapeAdaptResult
{
	uint32_t splits, joins;               ///< edges split and rejoined
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

/// Splits an edge of the view. ::drape_errorBlocked when it is at the maximum level, or when a triangle beside it may
/// not refine yet.
DRAPE_API drapeResult drapeCloth_SplitEdge(drapeClothId cloth, uint32_t edge);

/// Rejoins the edge in whose middle a particle lies. ::drape_errorBlocked when finer triangles depend on it, or when it
/// is a vertex of the pattern.
DRAPE_API drapeResult drapeCloth_JoinParticle(drapeClothId cloth, uint32_t particle);

/// Splits every edge that may be split, or rejoins every edge that may be rejoined: one level.
DRAPE_API drapeResult drapeCloth_Refine(drapeClothId cloth);
DRAPE_API drapeResult drapeCloth_Coarsen(drapeClothId cloth);

/// Moves particles and brings the normals up to date. @p positions has drapeClothView::particleCount entries, in
/// metres.
/// ::drape_errorArgument, with no change, when one is not finite or beyond 10^9.
DRAPE_API drapeResult drapeCloth_SetPositions(drapeClothId cloth, const drapeVec3* positions);

/// As drapeCloth_SetPositions, in metres per second.
DRAPE_API drapeResult drapeCloth_SetVelocities(drapeClothId cloth, const drapeVec3* velocities);

/// A hash over the whole state of all cloths: equal states, and in practice only those, have equal hashes.
DRAPE_API uint64_t drapeWorld_Hash(drapeWorldId world);
