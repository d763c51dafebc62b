// SPDX-License-Identifier: MIT
#pragma once

#include "contact/untangle/untangle.h"

// What the parts of the untangler share: knots and how deep they are (untangle_surfaces.c, untangle_solids.c), patches
// and how they move (untangle_move.c), rounds (untangle.c).

enum
{
	sideNone = 0,
	sideFirst = 1,  // of a knot: what stays where it is, as far as directions are concerned
	sideSecond = 2, // and what goes along them
	maxDirections = 40,
};

typedef struct HeapEntry
{
	float distance;
	uint32_t vertex;
} HeapEntry;

// Triangles of one side of a knot, with a tree.
typedef struct Patch
{
	ARRAY(uint32_t) corners;
	Bvh tree;
} Patch;

typedef struct Untangler
{
	Tangle* tangle;
	TaskPool* tasks;
	ARRAY(uint32_t) ringStart, ring; // by vertex: the triangles around it
	ARRAY(float) edgeLength;         // by surface: the mean, m

	// vertices near the knot in hand
	ARRAY(float) distance;   // by vertex: m over the surface; INFINITY when not reached
	ARRAY(uint8_t) side;     // by vertex
	ARRAY(uint32_t) reached; // in the order of distances
	ARRAY(HeapEntry) heap;
	ARRAY(uint32_t) seeds;
	Patch patch[2];
	BitSet core; // over vertices: has something in its way

	// knots
	ARRAY(uint32_t) leader, next; // by crossing: union-find; the next one of the same knot
	ARRAY(uint32_t) owner;        // by vertex: a crossing of the group in hand; DRAPE_NONE
	ARRAY(uint32_t) knot;         // the crossings of the knot in hand
	ARRAY(uint8_t) isSwapped;     // for each of them: its second triangle is on the first side
	ARRAY(Vec3) places;           // m: and where it is

	ARRAY(Vec4) best;
	float widen;     // times as far as the knot reaches
	float overshoot; // edge lengths that everything goes farther than it has to
} Untangler;

typedef struct Directions
{
	Vec3 list[maxDirections];
	uint32_t count;
} Directions;

// --- untangle_move.c ---

// A vertex that is reached: by a way of `distance`, m, from a side. False when memory is short.
bool drapeUntangler_Reach(Untangler* u, uint32_t vertex, float distance, uint8_t side);

// Goes on from what has been reached, along edges, as far as `limit`, m. Every vertex belongs to the side that is
// nearer. False when memory is short.
bool drapeUntangler_Spread(Untangler* u, float limit);

void drapeUntangler_Forget(Untangler* u);

// Adds the corners of a triangle to the seeds, each once: those that are already are marked in `core`, which is the
// caller's to clear.
void drapeUntangler_AddSeeds(Untangler* u, uint32_t triangle);

// The triangles all of whose corners were reached from one side. False when memory is short.
bool drapeUntangler_MakePatch(Untangler* u, uint8_t side);
Primitives drapePatch_Primitives(const Untangler* u, const Patch* patch);

// The seeds go by `way`, what is around them goes along, less and less. False when memory is short.
bool drapeUntangler_Shift(Untangler* u, Vec3 way, float edgeLength);

// Everything near the seeds is drawn towards the middle of what is around it, again and again: folds and creases that
// go through each other come out, as under an iron. What is farther away than `reach` stays, and holds it. False when
// memory is short.
bool drapeUntangler_Iron(Untangler* u, float reach, float edgeLength);

// --- untangle_surfaces.c ---

void drapeDirections_AddBoth(Directions* directions, Vec3 way); // it and its opposite; not without a length
void drapeDirections_AddCube(Directions* directions);           // the 26 to sides, edges and corners of a cube

// Along the normal, as long as twice the area.
Vec3 drapeTangle_Area(const Tangle* tangle, uint32_t triangle);

// From the lowest to the highest place where the knot crosses, m.
Vec3 drapeUntangler_KnotSize(const Untangler* u);

// How far the second side of the knot's crossings has to go along `way` until none of them crosses; those of triangles.
// `enough` or more when it is at least that.
float drapeUntangler_KnotDepth(const Untangler* u, Vec3 way, float enough);

// One knot, of surfaces like those of the crossing. False when memory is short.
bool drapeUntangler_ResolveSurfaces(Untangler* u, const TangleCrossing* like);

// --- untangle_solids.c ---

bool drapeUntangler_ResolveSolid(Untangler* u, const TangleCrossing* like);
