// SPDX-License-Identifier: MIT
#pragma once

/// @file world.h
/// Worlds: what is shared by the cloths in them, and the step that moves everything.
///
/// Thread rule for everything here and in cloth.h: one thread at a time per world; different worlds are independent.
/// A function given something that no longer exists asserts in debug builds and does nothing, or returns zeros, in
/// release.

#include "drape/cloth.h"
#include "drape/motion.h"

#define DRAPE_MAX_WORKERS 64

typedef struct drapeWorldDef
{
	uint32_t workerCount; ///< threads to use, the calling one included, 1 to DRAPE_MAX_WORKERS. Results are the same
						  ///< for any number.
	drapeEnqueueTaskFcn* enqueueTask; ///< the host's job system; NULL for the built-in threads
	drapeFinishTaskFcn* finishTask;   ///< goes with enqueueTask
	void* taskContext;                ///< passed to both
	drapeVec3 gravity;                ///< m/s^2
	drapeWindDef wind;
	float adaptRate; ///< Hz, > 0: passes of adaptation per second of simulated time, whatever the step. Bender and Deul
					 ///< adapt in every fifth step of 5 ms, which is 40
	uint32_t cookie; ///< set by drapeDefaultWorldDef; catches a definition that was not initialised
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

/// --- the step -------------------------------------------------------------------------------------------------------

/// Why a step could not be made.
typedef struct drapeStepFailure
{
	double time;        ///< s, of the world when the step began; its state is that of this time
	drapeClothId cloth; ///< in which it happened
	char text[160];     ///< a sentence: what happened, and what was tried
} drapeStepFailure;

/// Advances everything by @p dt seconds, > 0: motions and colliders, adaptation at its own rate (at most one pass per
/// step), substeps of each cloth with contact, normals. A step that yields a number that is not finite, or gains energy
/// that it cannot have, is repeated with more substeps. When that does not help either, ::drape_errorUnstable is
/// returned and drapeWorld_GetFailure says why; positions, velocities and the time are then those before the step,
/// though a pass of adaptation may have refined the meshes. The same holds for ::drape_errorMemory.
DRAPE_API drapeResult drapeWorld_Step(drapeWorldId world, float dt);

/// About the last call of drapeWorld_Step that failed.
DRAPE_API drapeStepFailure drapeWorld_GetFailure(drapeWorldId world);

/// Simulated seconds since the world was created.
DRAPE_API double drapeWorld_GetTime(drapeWorldId world);

/// What the last step did and cost. Times are wall clock, milliseconds.
typedef struct drapeStats
{
	uint32_t particles, triangles, edges; ///< at the end of the step
	uint32_t substeps;                    ///< most of any cloth
	uint32_t retries;                     ///< times the step was repeated with more substeps
	uint32_t contacts;                    ///< particles touched by a collider at the end of the step
	uint32_t contactPoints; ///< places where cloths lie on themselves and on others; those with ::drape_contactAll only
	uint32_t impacts;       ///< meetings that the step had to stop, of all cloths together; likewise
	uint32_t heldVertices;  ///< vertices that had to be held back because nothing else helped; likewise
	uint32_t unresolved;    ///< meetings that could not be stopped, for all that meets goes where it is told: cloth
							///< caught between colliders or pins, which may end crossed; likewise
	uint32_t splits, joins; ///< edges
	uint32_t solves, iterations; ///< linear solves, and conjugate gradient iterations in them; 0 when explicit
	float animateMs, adaptMs, simulateMs, contactMs, surfaceMs; ///< adaptMs includes the update of the active mesh
	float collideMs; ///< keeping faces and edges apart, of all cloths together; not part of the others
	float followMs;  ///< part of simulateMs: model and solver follow a mesh that has changed
	float kineticEnergy, stretchEnergy, bendEnergy, gravityEnergy; ///< J; gravity relative to the origin
	float stretchMedian, stretch99, stretchMax; ///< edge length over rest length: percentiles over all edges
	float deepest; ///< m: how far inside a collider any of the particles is that touch one; 0 when all are outside
} drapeStats;

/// Over all cloths, or for one cloth. Energies, percentiles and depth are computed by this call. What is of all cloths
/// together is zero for one cloth.
DRAPE_API drapeStats drapeWorld_GetStats(drapeWorldId world);
DRAPE_API drapeStats drapeCloth_GetStats(drapeClothId cloth);

/// As drapeWorld_GetStats without energies, percentiles and depth, which are left zero: takes no time.
DRAPE_API drapeStats drapeWorld_GetCosts(drapeWorldId world);

/// --- motions, colliders, wind ---------------------------------------------------------------------------------------

/// Null when memory is short or the keys are unusable.
DRAPE_API drapeMotionId drapeCreateMotion(drapeWorldId world, const drapeMotionDef* def);

/// Where the motion is at @p time, s. The identity for a null motion.
DRAPE_API drapeTransform drapeMotion_At(drapeMotionId motion, double time);

/// Null when memory is short or the definition is unusable.
DRAPE_API drapeColliderId drapeCreateCollider(drapeWorldId world, const drapeColliderDef* def);
DRAPE_API void drapeDestroyCollider(drapeColliderId collider);
DRAPE_API bool drapeCollider_IsValid(drapeColliderId collider);

/// Moves a collider that follows no motion; the next step sweeps it from where it was.
DRAPE_API void drapeCollider_SetTransform(drapeColliderId collider, drapeTransform transform);

/// New vertices for a mesh collider, in its own space, as many as its mesh has: where they are when the next step ends.
/// They go there evenly, and carry what touches them along. ::drape_errorArgument when it is no mesh,
/// ::drape_errorData, with no change, when a position is not finite or beyond 10^9 m.
DRAPE_API drapeResult drapeCollider_SetPositions(drapeColliderId collider, const drapeVec3* positions, uint32_t count);

/// Where it is now, its motion included.
DRAPE_API drapeTransform drapeCollider_GetTransform(drapeColliderId collider);
DRAPE_API drapeColliderDef drapeCollider_GetDef(drapeColliderId collider);

/// The triangles of a mesh collider where they are now, in the world, those without area left out, in the library's own
/// arrays: valid until the next call that steps or destroys it. Zeros for other shapes.
typedef struct drapeColliderView
{
	uint32_t vertexCount;
	const drapeVec4* positions; ///< m; w is 0
	uint32_t triangleCount;
	const uint32_t* triangles; ///< [3 * triangleCount] counter-clockwise seen from outside
} drapeColliderView;

DRAPE_API drapeColliderView drapeCollider_View(drapeColliderId collider);

DRAPE_API void drapeWorld_SetGravity(drapeWorldId world, drapeVec3 gravity);
DRAPE_API void drapeWorld_SetWind(drapeWorldId world, const drapeWindDef* wind);

/// Wind velocity at a point and time, m/s.
DRAPE_API drapeVec3 drapeWorld_WindAt(drapeWorldId world, drapeVec3 point, double time);

/// The camera, for cloths whose budget depends on the distance to it.
DRAPE_API void drapeWorld_SetCamera(drapeWorldId world, drapeVec3 position);

/// --- contact, for drawing and for checks ----------------------------------------------------------------------------

/// A place where a cloth lies on itself or on something else.
typedef struct drapeContactPoint
{
	drapeVec3 position; ///< m, on the cloth as it is now
	drapeVec3 normal;   ///< unit, towards this side from the other
	float distance;     ///< m, between both sides when the last step began
} drapeContactPoint;

/// The places that the solver was told of in the last step. Only cloths with ::drape_contactAll have some: on
/// themselves, on other cloths, and on colliders that come between their particles; for particles on colliders there is
/// drapeCloth_IsTouching. Returns how many there are; writes no more than @p capacity of them. None after the mesh was
/// changed by hand, until the next step.
DRAPE_API uint32_t drapeCloth_ContactPoints(drapeClothId cloth, drapeContactPoint* points, uint32_t capacity);

/// A triangle of a cloth, and what it crosses.
typedef struct drapeCrossing
{
	drapeClothId cloth;
	uint32_t triangle;        ///< of its view
	drapeClothId otherCloth;  ///< the same one for a cloth that crosses itself; null when it is a collider
	drapeColliderId collider; ///< null when it is a cloth
	uint32_t otherTriangle;   ///< of the view of that cloth or mesh; DRAPE_NONE for other colliders
	drapeVec3 position;       ///< m: a point that both have in common
} drapeCrossing;

/// Finds everything of cloths that crosses something now, whatever drapeClothDef::contact says:
/// - triangles of a cloth and of itself, of another cloth or of a mesh collider that have a point in common, without
///   rounding, so that none are none. Triangles of one cloth that share a vertex are left out;
/// - triangles of a cloth that come into one of the other shapes, with a corner, an edge or between them, or are wholly
///   inside. Touching does not count, nor does what cloth at its thickness or nearer does outside: a triangle has to
///   come in by more than two millionths of its coordinates. Cylinders are taken a two hundredth thinner, since
///   ::drape_contactAll sees them with 32 sides.
///
/// @p count receives how many there are; no more than @p capacity are written. ::drape_errorMemory leaves 0.
/// For checks: about as slow as a step with ::drape_contactAll.
DRAPE_API drapeResult drapeWorld_FindCrossings(drapeWorldId world, drapeCrossing* list, uint32_t capacity,
                                               uint32_t* count);

typedef struct drapeUntangleDef
{
	uint32_t rounds; ///< 1 to 10,000: how often all that crosses is looked at, at most
	uint32_t cookie; ///< set by drapeDefaultUntangleDef; catches a definition that was not initialised
} drapeUntangleDef;

DRAPE_API drapeUntangleDef drapeDefaultUntangleDef(void);

typedef struct drapeUntangleReport
{
	uint32_t before, after; ///< crossings, as drapeWorld_FindCrossings counts them
	uint32_t rounds;        ///< that were made
	uint32_t moved;         ///< particles
	float farthest;         ///< m: the longest way that one of them was moved
} drapeUntangleReport;

/// Takes apart what crosses, as drapeWorld_FindCrossings finds it: cloth through itself, through other cloths and
/// through colliders. Positions of particles are changed, along with their neighbourhood, so that the cloth keeps its
/// shape as far as it can; pinned particles stay, velocities stay, colliders stay. Which side is the right one nobody
/// knows: the shortest way is taken. What is nearer than a tenth of its thickness is moved apart as well, so that
/// ::drape_contactAll has the room it needs.
///
/// What cannot be taken apart, such as a pin inside a collider, is left: @p report (may be NULL) says how much, and
/// drapeWorld_FindCrossings where. There are never more crossings than before, and it always ends; the result is the
/// same for any number of threads. For states that are to begin with, not for every step: it takes from as long as a
/// few steps with ::drape_contactAll to some seconds for hundreds of tangled places. ::drape_errorMemory changes
/// nothing;
/// ::drape_errorArgument for a definition that is not initialised or out of range.
DRAPE_API drapeResult drapeWorld_Untangle(drapeWorldId world, const drapeUntangleDef* def, drapeUntangleReport* report);

/// --- the whole state ------------------------------------------------------------------------------------------------

/// A snapshot is everything that changes: a world made by the same calls, given the snapshot, goes on bit for bit as
/// this one would. Returns the size in bytes; writes only when @p capacity is large enough.
DRAPE_API size_t drapeWorld_Save(drapeWorldId world, void* data, size_t capacity);

/// ::drape_errorData, with no change, when the data is damaged or belongs to another world; @p reason (may be NULL)
/// then receives a static sentence.
DRAPE_API drapeResult drapeWorld_Load(drapeWorldId world, const void* data, size_t size, const char** reason);

/// A hash over the whole state of all cloths: equal states, and in practice only those, have equal hashes.
DRAPE_API uint64_t drapeWorld_Hash(drapeWorldId world);
