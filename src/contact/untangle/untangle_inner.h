// SPDX-License-Identifier: MIT
#pragma once

#include "contact/untangle/untangle.h"

// Shared by the parts of the untangler: rounds and the limit of time (untangle.c), patches and their motion
// (untangle_patches.c), gaps (untangle_gaps.c), cloth that is a little inside solids (untangle_push_out.c), knots of two
// surfaces (untangle_knots.c), and knots of a cloth and a solid (untangle_solids.c).

enum
{
	sideNone = 0,
	sideFirst = 1,  // the side of a knot that stays, in the definition of depth
	sideSecond = 2, // the side that moves along the direction
};

typedef struct HeapEntry
{
	float distance;
	uint32_t vertex;
} HeapEntry;

// The triangles of one side of a knot, with a tree.
typedef struct Patch
{
	ARRAY(uint32_t) corners;
	Bvh tree;
} Patch;

enum
{
	maxDirections = 40,
};

typedef struct Directions
{
	Vec3 list[maxDirections]; // unit
	uint32_t count;
} Directions;

// The shortest motion that takes the sides of a knot apart.
typedef struct KnotMotion
{
	Vec3 direction;        // unit: the second side moves along it, the first side against it
	float distance;        // m: of both sides together; 0 when there is no direction
	float secondShare;     // share of the distance that the second side moves
	float edge;            // m: mean length of edges
	uint32_t seedCount[2]; // vertices that move as a whole, in Untangler::seeds: of the first side, then of the second
} KnotMotion;

// The part of the other side that is ahead of a vertex.
typedef struct KnotHit
{
	float depth;        // m: how far ahead
	uint32_t primitive; // triangle of the other patch; DRAPE_NONE for none
} KnotHit;

// A solid is a shape or a closed mesh. It has an inside.
typedef struct Solid
{
	const TangleSolid* shape;
	const MeshShape* mesh;
	float size; // m: length of the longest chord; INFINITY for a plane
} Solid;

// A part of a line, m, on which a moved point is inside a solid.
typedef struct InsideInterval
{
	float start, end;
} InsideInterval;

typedef struct Untangler
{
	Tangle* tangle;
	const UntangleDef* def;
	TaskPool* tasks;
	bool smooths;                    // needs the neighbours
	ARRAY(uint32_t) ringStart, ring; // per vertex: the triangles around it
	// Per vertex: the vertices that smoothing averages. On the boundary, the neighbours along the boundary.
	ARRAY(uint32_t) neighbourStart, neighbours;
	ARRAY(float) edgeLength; // per surface: the mean, m

	// Vertices near the current knot:
	ARRAY(float) distance;   // per vertex: m over the surface; INFINITY when not visited
	ARRAY(uint8_t) side;     // per vertex
	ARRAY(uint32_t) visited; // in the order of distance
	ARRAY(HeapEntry) heap;
	ARRAY(uint32_t) seeds;
	Patch patch[2];
	BitSet core;         // over vertices: the other side is ahead of it
	ARRAY(KnotHit) hits; // per vertex

	// Knots:
	ARRAY(uint32_t) leader, next; // per crossing: union-find; the next crossing of the same knot
	ARRAY(uint32_t) owner;        // per vertex: a crossing of the current group; DRAPE_NONE for none
	ARRAY(uint32_t) knot;         // the crossings of the current knot
	ARRAY(uint8_t) isSwapped;     // per crossing of the knot: 1 when its second triangle is on the first side
	uint32_t nextCrossing;        // where the next round begins
	uint64_t visits;              // vertices that were visited in this round
	ARRAY(Vec3) points;           // per crossing of the knot: m, a common point

	// A patch and solids:
	ContactFilter filter;           // of the cloth of the patch
	ARRAY(const MeshShape*) meshes; // closed, that the patch must be out of
	ARRAY(Vec3) probes;             // m: the vertices of the patch and the middles of its triangles
	ARRAY(int8_t) winding;          // per closed mesh and probe: the winding number
	ChunkList intervalChunks;
	ARRAY(InsideInterval) intervals;

	// Cloth that is pushed out of solids:
	ARRAY(uint32_t) part;          // per vertex: its connected part of the pushed vertices; DRAPE_NONE for others
	ARRAY(uint32_t) partCrossings; // per part: crossings after pushing, then those before
	ARRAY(Vec4) start;             // positions before

	ARRAY(Vec4) best;
	uint32_t bestCount; // crossings of the best state
	float widen;        // factor on the radius of patches
	float overshoot;    // extra motion, in edge lengths

	// The limit of time:
	uint64_t began, reported; // ns: drapeTimer_Now at the start and at the last call of the progress function
	float stageShare;         // share of the stages that are over
	float share;              // share of the work that was reported last
	uint32_t before, rounds;
	UntangleEnd end;
} Untangler;

// --- untangle.c ---

// Prepares for the surfaces of u->tangle. An untangler that was used before keeps its memory. Returns false when out of
// memory.
bool drapeUntangler_Begin(Untangler* u);
void drapeUntangler_Destroy(Untangler* u);

// Joins connected crossings of the tangle to knots: u->leader has the first crossing of each knot. Returns false when
// out of memory.
bool drapeUntangler_FindKnots(Untangler* u);

// Makes the crossings of a leader that can be removed and still exist the current knot. Returns false when there are
// none.
bool drapeUntangler_TakeKnot(Untangler* u, uint32_t leader);

// Returns whether the untangler has to stop: the time is over or the application wants it. Reports progress now and
// then. Long loops call it about every millisecond, on the thread that untangles.
bool drapeUntangler_MustStop(Untangler* u);

// Returns whether two crossings have the same two sides.
bool drapeTangle_AreAlike(const TangleCrossing* a, const TangleCrossing* b);

// Returns whether the other side of a crossing is a solid: a shape or a closed mesh.
bool drapeTangle_IsSolid(const Tangle* tangle, const TangleCrossing* crossing);

// Keeps the present positions as the best state. The crossings in the tangle are those of these positions.
void drapeUntangler_Keep(Untangler* u);

// --- untangle_patches.c ---

// Builds the rings of triangles of all vertices and, for smoothing, their neighbours. Returns false when out of memory.
bool drapeUntangler_Connect(Untangler* u);

// Visits a vertex at a distance, m, over the surface from a side. Returns false when out of memory.
bool drapeUntangler_Visit(Untangler* u, uint32_t vertex, float distance, uint8_t side);

// Spreads from the visited vertices along edges up to `limit`, m. Every vertex belongs to the nearer side. Returns
// false when out of memory.
bool drapeUntangler_Spread(Untangler* u, float limit);

void drapeUntangler_Forget(Untangler* u);

// Adds the corners of a triangle to the seeds, each once. Seeds are marked in `core`; the caller clears the marks.
void drapeUntangler_AddSeeds(Untangler* u, uint32_t triangle);

// Collects the triangles whose corners were all visited from one side. Returns false when out of memory.
bool drapeUntangler_MakePatch(Untangler* u, uint8_t side);
Primitives drapePatch_Primitives(const Untangler* u, const Patch* patch);

// Visits the seeds and the vertices around them, up to the distance at which the surface no longer follows a
// displacement of the seeds. Returns that distance, m; a negative number when out of memory.
float drapeUntangler_SpreadSeeds(Untangler* u, float displacement, float edgeLength);

// Returns the share of the displacement of the seeds that a visited vertex has.
DRAPE_INLINE float Untangler_ShareOf(const Untangler* u, uint32_t vertex, float radius)
{
	float left = 1.0f - u->distance.data[vertex] / radius;
	return left * left * (3.0f - 2.0f * left);
}

// Moves the seeds by a displacement, m. The vertices around them follow, less with distance. Returns false when out of
// memory.
bool drapeUntangler_Shift(Untangler* u, Vec3 displacement, float edgeLength);

// Smooths the cloth around the seeds: each vertex moves towards the mean of its neighbours, in several sweeps, so that
// folds that pass through each other vanish. Vertices beyond `radius`, m, stay. Returns false when out of memory.
bool drapeUntangler_Smooth(Untangler* u, float radius, float edgeLength);

// --- untangle_gaps.c ---

// Opens gaps as long as that creates no crossing and the time is not over. Keeps the best state. Returns false when out
// of memory.
bool drapeUntangler_OpenGaps(Untangler* u);

// --- untangle_knots.c ---

// Adds a direction and its opposite. Ignores a zero vector.
void drapeDirections_AddBoth(Directions* directions, Vec3 direction);

// Adds the 26 directions to the faces, edges and corners of a cube.
void drapeDirections_AddCube(Directions* directions);

// Returns a vector along the normal with twice the area as its length.
Vec3 drapeTangle_AreaVector(const Tangle* tangle, uint32_t triangle);

// Returns how far the second side of the knot's crossings has to move along `direction` until no pair of triangles
// crosses. The result may be inexact above `enough`.
float drapeUntangler_KnotDepth(const Untangler* u, Vec3 direction, float enough);

// Returns the extent of the points of the knot, m.
float drapeUntangler_KnotSize(const Untangler* u);

// Finds how the sides of the current knot between two surfaces come apart soonest. `like` is one of its crossings. The
// vertices of both patches stay visited; the caller forgets them. Returns false when out of memory.
bool drapeUntangler_FindMotion(Untangler* u, const TangleCrossing* like, KnotMotion* motion);

// Resolves the current knot between two surfaces. `like` is one of its crossings. Returns false when out of memory.
bool drapeUntangler_ResolveSurfaces(Untangler* u, const TangleCrossing* like);

// --- untangle_push_out.c ---

// Pushes cloth that is a little inside solids to their surfaces. Keeps the result where it removes most crossings.
// Returns false when out of memory.
bool drapeUntangler_PushOut(Untangler* u);

// --- untangle_solids.c ---

// Returns the solid of a crossing; the other side of the crossing must be one.
Solid drapeUntangler_SolidOf(const Tangle* tangle, const TangleCrossing* crossing);

// Seeds the triangles of the current knot and the cloth inside the solid that is connected with them.
void drapeUntangler_FloodSolid(Untangler* u, const Solid* solid);

// Resolves the current knot between a cloth and a solid. Returns false when out of memory.
bool drapeUntangler_ResolveSolid(Untangler* u, const TangleCrossing* like);
