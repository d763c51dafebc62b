// SPDX-License-Identifier: MIT
#pragma once

#include "contact/untangle/untangle.h"

// Shared by the parts of the untangler: rounds, patches and their motion (untangle.c), knots and their depth
// (untangle_knots.c).

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

typedef struct Untangler
{
	Tangle* tangle;
	TaskPool* tasks;
	ARRAY(uint32_t) ringStart, ring; // per vertex: the triangles around it
	ARRAY(float) edgeLength;         // per surface: the mean, m

	// Vertices near the current knot:
	ARRAY(float) distance;   // per vertex: m over the surface; INFINITY when not visited
	ARRAY(uint8_t) side;     // per vertex
	ARRAY(uint32_t) visited; // in the order of distance
	ARRAY(HeapEntry) heap;
	ARRAY(uint32_t) seeds;
	Patch patch[2];
	BitSet core; // over vertices: the other side is ahead of it

	// Knots:
	ARRAY(uint32_t) leader, next; // per crossing: union-find; the next crossing of the same knot
	ARRAY(uint32_t) owner;        // per vertex: a crossing of the current group; DRAPE_NONE for none
	ARRAY(uint32_t) knot;         // the crossings of the current knot
	ARRAY(uint8_t) isSwapped;     // per crossing of the knot: 1 when its second triangle is on the first side
	ARRAY(Vec3) points;           // per crossing of the knot: m, a common point

	ARRAY(Vec4) best;
	float widen;     // factor on the radius of patches
	float overshoot; // extra motion, in edge lengths
} Untangler;

// --- untangle.c ---

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

// Moves the seeds by a displacement, m. The vertices around them follow, less with distance. Returns false when out of
// memory.
bool drapeUntangler_Shift(Untangler* u, Vec3 displacement, float edgeLength);

// Smooths the cloth around the seeds: each vertex moves towards the mean of its neighbours, in several sweeps, so that
// folds that pass through each other vanish. Vertices beyond `radius`, m, stay. Returns false when out of memory.
bool drapeUntangler_Smooth(Untangler* u, float radius, float edgeLength);

// --- untangle_knots.c ---

// Resolve the current knot between two surfaces, or between a cloth and a solid. `like` is one of its crossings. Return
// false when out of memory.
bool drapeUntangler_ResolveSurfaces(Untangler* u, const TangleCrossing* like);
bool drapeUntangler_ResolveSolid(Untangler* u, const TangleCrossing* like);
