// SPDX-License-Identifier: MIT
#pragma once

/// @file world.h
/// Worlds: the data that cloths share, and the step that moves everything.
///
/// Thread rule for this header and cloth.h: one thread at a time may call functions for one world. Different worlds are
/// independent. A function that is given a handle to something destroyed asserts in debug builds. In release builds it
/// does nothing, or returns zeros.

#include "drape/cloth.h"
#include "drape/constraint.h"
#include "drape/motion.h"

#define DRAPE_MAX_WORKERS 64

/// Describes a world. Get one from drapeDefaultWorldDef, then change it.
typedef struct drapeWorldDef
{
	/// Threads to use, the calling one included, 1 to DRAPE_MAX_WORKERS. The results do not depend on this number.
	uint32_t workerCount;
	drapeEnqueueTaskFcn* enqueueTask; ///< the host's job system; NULL for the built-in threads
	drapeFinishTaskFcn* finishTask;   ///< required with enqueueTask
	void* taskContext;                ///< passed to both
	drapeVec3 gravity;                ///< m/s^2
	drapeWindDef wind;
	/// Hz, > 0: adaptation passes per second of simulated time, for any length of step. Bender and Deul adapt in every
	/// fifth step of 5 ms, which is 40 Hz.
	float adaptRate;
	uint32_t cookie; ///< set by drapeDefaultWorldDef; catches a definition that was not initialised
} drapeWorldDef;

/// One thread, the Earth's gravity, no wind. Any thread.
DRAPE_API drapeWorldDef drapeDefaultWorldDef(void);

/// Creates a world. Returns null if memory runs out, if the definition is unusable, or if the processor lacks the
/// instructions that the library was built for. Destroy it with drapeDestroyWorld. Any thread.
DRAPE_API drapeWorldId drapeCreateWorld(const drapeWorldDef* def);

/// Destroys the world with its cloths, colliders and motions. The handle may be null.
DRAPE_API void drapeDestroyWorld(drapeWorldId world);

/// Checks every invariant of every cloth (docs/architecture.md lists them). Returns true if all hold. Otherwise @p text
/// receives a sentence that names the cloth and the invariant. Slow: for tests and debugging.
DRAPE_API bool drapeWorld_Validate(drapeWorldId world, char* text, size_t capacity);

/// The memory of elements in use. drapeGetMemoryUse counts all memory.
typedef struct drapeWorldMemory
{
	size_t hierarchyBytes; ///< refinement hierarchies of all cloths
	size_t activeBytes;    ///< active meshes of all cloths
} drapeWorldMemory;

DRAPE_API drapeWorldMemory drapeWorld_GetMemory(drapeWorldId world);

/// --- the step -------------------------------------------------------------------------------------------------------

/// A cloth that a step had to damp or to hold.
typedef struct drapeStepWarning
{
	uint64_t count;     ///< warnings since the world was created; 0: the other fields are zero
	double time;        ///< s, at the start of the step
	drapeClothId cloth; ///< the cloth
	drapeVec3 position; ///< m, the middle of the cloth
	char text[160];     ///< a sentence: the problem, the attempts to avoid it, and the measure that was taken
} drapeStepWarning;

/// Advances the world by @p dt seconds, > 0. The step moves motions and colliders, adapts the cloths at their own rate
/// (at most one pass per step), moves each cloth in substeps with contact, and computes normals.
///
/// If a cloth yields a value that is not finite, or gains energy that no force can explain, its step is repeated with
/// more substeps. If that fails too, the cloth is damped for this step. If that does not help, it stays where it is,
/// and only its pins move. The step goes on, and drapeWorld_GetWarning tells which cloth it was. The work of a step is
/// bounded.
///
/// Returns ::drape_errorArgument if @p dt is not a positive number, ::drape_errorMemory, or ::drape_errorCancelled after
/// drapeWorld_Cancel. Positions, velocities and time are then those before the step; an adaptation pass may have
/// refined the meshes.
DRAPE_API drapeResult drapeWorld_Step(drapeWorldId world, float dt);

/// Cancels the step that is under way in another thread, which returns ::drape_errorCancelled within milliseconds. If no
/// step is under way, the next one is cancelled. Any thread, also while a step is under way, and from a signal handler;
/// the only condition is that the world exists.
DRAPE_API void drapeWorld_Cancel(drapeWorldId world);

/// Returns the last warning.
DRAPE_API drapeStepWarning drapeWorld_GetWarning(drapeWorldId world);

/// Returns the simulated seconds since the world was created.
DRAPE_API double drapeWorld_GetTime(drapeWorldId world);

/// Counts, times and energies of the last step. Times are wall clock, in milliseconds. The fields marked "contact all"
/// count only cloths with ::drape_contactAll.
typedef struct drapeStats
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
	uint32_t limitedEdges;       ///< edges that changed too much in a substep and were corrected; 0 if explicit
	uint32_t splits, joins;      ///< edges
	uint32_t solves, iterations; ///< linear solves, and conjugate gradient iterations in them; 0 if explicit
	float work;                  ///< work of the step, in millions of counted operations, of all cloths together
	float overrun;               ///< share of the budget that the step used beyond it; 0 within it; all cloths together
	/// Times that the budget cut optional work: solves, Newton iterations, substeps, repetitions, rounds of impacts and
	/// adaptation passes, of all cloths together.
	uint32_t cuts;
	float animateMs;  ///< stage: placements of colliders and pins, of all cloths together
	float adaptMs;    ///< stage: adaptation, with the update of the active mesh
	float simulateMs; ///< stage: the substeps
	float contactMs;  ///< stage: contact points before the substeps, impacts after them, of all cloths; contact all
	float surfaceMs;  ///< stage: normals
	float publishMs;  ///< stage: time and statistics, of all cloths together
	float followMs;   ///< part of simulateMs: the update of model and solver after a change of the mesh
	float collideMs;  ///< part of simulateMs: particles against colliders
	float kineticEnergy, stretchEnergy, bendEnergy, gravityEnergy; ///< J; gravity relative to the origin
	float stretchMedian, stretch99, stretchMax; ///< edge length over rest length: percentiles over all edges
	float deepest; ///< m: the largest depth of a touching particle inside a collider; 0 if all are outside
} drapeStats;

/// Returns the statistics of all cloths. This call computes energies, percentiles and depth.
DRAPE_API drapeStats drapeWorld_GetStats(drapeWorldId world);

/// Returns the statistics of one cloth. Fields that count all cloths together are zero.
DRAPE_API drapeStats drapeCloth_GetStats(drapeClothId cloth);

/// Returns the statistics without energies, percentiles and depth, which are zero. The call takes constant time.
DRAPE_API drapeStats drapeWorld_GetCosts(drapeWorldId world);

/// --- motions, colliders, wind ---------------------------------------------------------------------------------------

/// Creates a motion. Returns null if memory runs out or the keys are unusable.
DRAPE_API drapeMotionId drapeCreateMotion(drapeWorldId world, const drapeMotionDef* def);

/// Returns the transform of the motion at @p time in seconds. A null motion gives the identity.
DRAPE_API drapeTransform drapeMotion_At(drapeMotionId motion, double time);

/// Creates a collider. Returns null if memory runs out or the definition is unusable. The collider lives until
/// drapeDestroyCollider or drapeDestroyWorld.
DRAPE_API drapeColliderId drapeCreateCollider(drapeWorldId world, const drapeColliderDef* def);
DRAPE_API void drapeDestroyCollider(drapeColliderId collider);

/// Tells whether the handle names a collider that exists. Never asserts.
DRAPE_API bool drapeCollider_IsValid(drapeColliderId collider);

/// Returns the distance in metres of a point from the collider's surface, as it was after the last step. It is negative
/// inside, except for a mesh that is not closed. 0 for a collider that does not exist.
DRAPE_API float drapeCollider_Distance(drapeColliderId collider, drapeVec3 point);

/// Sets the transform of a collider that follows no motion. The next step moves it there from its present transform.
DRAPE_API void drapeCollider_SetTransform(drapeColliderId collider, drapeTransform transform);

/// Sets the vertices (m) that a mesh collider has at the end of the next step, in its own space. @p count is that of
/// its mesh. The vertices move there at constant velocity and carry touching cloth along by friction. Returns
/// ::drape_errorArgument if the collider is no mesh, and ::drape_errorData, without a change, if a position is not
/// finite or beyond 10^9 m. Where parts of a closed mesh overlap that were apart in the mesh that the collider was
/// created with, contact sees them moved apart (docs/contact.md).
DRAPE_API drapeResult drapeCollider_SetPositions(drapeColliderId collider, const drapeVec3* positions, uint32_t count);

/// Returns the present transform, its motion included.
DRAPE_API drapeTransform drapeCollider_GetTransform(drapeColliderId collider);

/// Returns the definition. Pointers in it are NULL.
DRAPE_API drapeColliderDef drapeCollider_GetDef(drapeColliderId collider);

/// The present triangles of a mesh collider in world space, as the application gave them, without those that have no
/// area, in the library's own arrays. A view is valid until the next call that steps the world or destroys the collider.
/// Zeros for other shapes.
typedef struct drapeColliderView
{
	uint32_t vertexCount;
	const drapeVec4* positions; ///< m; w is 0
	uint32_t triangleCount;
	const uint32_t* triangles; ///< [3 * triangleCount] counter-clockwise seen from outside
} drapeColliderView;

DRAPE_API drapeColliderView drapeCollider_View(drapeColliderId collider);

/// Sets gravity in m/s^2, from the next step on.
DRAPE_API void drapeWorld_SetGravity(drapeWorldId world, drapeVec3 gravity);

/// Sets the wind, from the next step on.
DRAPE_API void drapeWorld_SetWind(drapeWorldId world, const drapeWindDef* wind);

/// Returns the wind velocity in m/s at a point (m) and time (s).
DRAPE_API drapeVec3 drapeWorld_WindAt(drapeWorldId world, drapeVec3 point, double time);

/// Sets the camera position (m) for cloths whose budget depends on the distance to it.
DRAPE_API void drapeWorld_SetCamera(drapeWorldId world, drapeVec3 position);

/// --- contact, for drawing and for checks ----------------------------------------------------------------------------

/// A contact of a cloth with itself, another cloth or a collider.
typedef struct drapeContactPoint
{
	drapeVec3 position; ///< m, on the cloth as it is now
	drapeVec3 normal;   ///< unit, from the other side to this one
	float distance;     ///< m, between both sides at the start of the last step
} drapeContactPoint;

/// Returns the number of contacts that the solver used in the last step, and writes at most @p capacity of them. Only
/// cloths with ::drape_contactAll have contacts: with themselves, with other cloths, and with colliders between their
/// particles. For particles on colliders use drapeCloth_IsTouching. After an edit of the mesh by hand the number is 0
/// until the next step.
DRAPE_API uint32_t drapeCloth_ContactPoints(drapeClothId cloth, drapeContactPoint* points, uint32_t capacity);

/// A triangle of a cloth, and the triangle or shape that it crosses.
typedef struct drapeCrossing
{
	drapeClothId cloth;
	uint32_t triangle;        ///< index in the cloth's view
	drapeClothId otherCloth;  ///< the same cloth if it crosses itself; null for a collider
	drapeColliderId collider; ///< null for a cloth
	uint32_t otherTriangle;   ///< index in the view of that cloth or mesh; DRAPE_NONE for other colliders
	drapeVec3 position;       ///< m: a point that both share
} drapeCrossing;

/// Finds every crossing of a cloth, for any value of drapeClothDef::contact:
/// - pairs of a cloth's triangle with a triangle of the same cloth, of another cloth or of a mesh collider that share a
///   point. The test is exact, so that it finds no pair only if there is none. Triangles of one cloth that share a
///   vertex are left out, and so are triangles that an active stitch joins (drapeCloth_Stitch);
/// - triangles of a cloth that reach into another shape with a corner, an edge or their interior, or lie inside it.
///   Touching does not count, and neither does cloth outside at its thickness or nearer: a triangle must reach in by
///   more than two millionths of its coordinates. Cylinders are tested with a radius smaller by one part in 200,
///   because ::drape_contactAll approximates them with 32 sides.
///
/// @p count receives the number of crossings; at most @p capacity are written. ::drape_errorMemory sets it to 0.
/// The cost is about that of a step with ::drape_contactAll.
DRAPE_API drapeResult drapeWorld_FindCrossings(drapeWorldId world, drapeCrossing* list, uint32_t capacity,
                                               uint32_t* count);

/// The state of untangling while it runs.
typedef struct drapeUntangleProgress
{
	float share;     ///< share of the work that is done, 0 to 1; never falls
	uint32_t before; ///< crossings at the start
	uint32_t left;   ///< crossings of the best state so far
	uint32_t rounds; ///< passes begun
	float seconds;   ///< s since the start
} drapeUntangleProgress;

/// Receives the progress of untangling, about every 50 ms, on the thread that called drapeWorld_Untangle. Return true to
/// go on and false to stop. The function must not call other functions with this world.
typedef bool drapeUntangleProgressFcn(const drapeUntangleProgress* progress, void* context);

/// Describes how to untangle. Get one from drapeDefaultUntangleDef.
typedef struct drapeUntangleDef
{
	uint32_t rounds; ///< 1 to 10,000: the largest number of passes over all crossings; default 200
	/// s, 0 to 10^6: the longest time to take; 0 for no limit; default 10. Where the limit ends the work, the result
	/// depends on the speed of the machine.
	float seconds;
	drapeUntangleProgressFcn* progress; ///< may be NULL
	void* context;                      ///< passed to it
	uint32_t cookie; ///< set by drapeDefaultUntangleDef; catches a definition that was not initialised
} drapeUntangleDef;

/// Returns the defaults. Any thread.
DRAPE_API drapeUntangleDef drapeDefaultUntangleDef(void);

/// The reason why untangling ended.
typedef enum drapeUntangleEnd
{
	drape_untangleDone = 0,  ///< nothing crosses any more, or the method knows no further way
	drape_untangleTimeOver,  ///< drapeUntangleDef::seconds were over
	drape_untangleCancelled, ///< drapeUntangleDef::progress returned false
} drapeUntangleEnd;

/// The result of untangling.
typedef struct drapeUntangleReport
{
	uint32_t before, after; ///< crossings, as drapeWorld_FindCrossings counts them
	uint32_t rounds;        ///< passes made
	uint32_t moved;         ///< particles moved
	float farthest;         ///< m: the longest displacement of a particle
	float seconds;          ///< s: the time that it took
	drapeUntangleEnd end;   ///< tells whether it stopped early
} drapeUntangleReport;

/// Removes the crossings that drapeWorld_FindCrossings finds: of cloth with itself, with other cloths and with
/// colliders. The function moves particles together with their neighbourhood, so that the cloth keeps its shape as far
/// as possible. Pinned particles, velocities and colliders stay as they are. The function cannot know the intended
/// side; it takes the shortest displacement. It also separates surfaces that are nearer than a tenth of their
/// thickness, because ::drape_contactAll needs that distance.
///
/// Crossings that cannot be removed, such as a pin inside a collider, stay: @p report (may be NULL) counts them, and
/// drapeWorld_FindCrossings lists them. The function always ends, and it can be stopped: by the limit of time, and by
/// the progress function. The result is always the state with the fewest crossings so far, never with more than at the
/// start, and drapeUntangleReport::end tells why it ended. Unless the work is stopped early, the result is the same for
/// any number of threads. Use it for start states, not in every step: it takes as long as a few steps with
/// ::drape_contactAll, and a few seconds for thousands of crossings. ::drape_errorMemory changes nothing.
/// ::drape_errorArgument reports a definition that is not initialised or out of range.
DRAPE_API drapeResult drapeWorld_Untangle(drapeWorldId world, const drapeUntangleDef* def, drapeUntangleReport* report);

/// --- snapshots ------------------------------------------------------------------------------------------------------

/// Writes a snapshot: all state that changes. A world made by the same calls that loads the snapshot continues bit for
/// bit as this world would. Returns the size in bytes; writes only if @p capacity is large enough. 0 bytes of capacity
/// ask for the size.
DRAPE_API size_t drapeWorld_Save(drapeWorldId world, void* data, size_t capacity);

/// Loads a snapshot. Returns ::drape_errorData and changes nothing if the data is damaged or belongs to another world;
/// @p reason (may be NULL) then receives a static sentence. Views become invalid.
DRAPE_API drapeResult drapeWorld_Load(drapeWorldId world, const void* data, size_t size, const char** reason);

/// Returns a hash over the whole state of all cloths. Equal states have equal hashes; different states practically
/// never do.
DRAPE_API uint64_t drapeWorld_Hash(drapeWorldId world);
