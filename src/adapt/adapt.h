// SPDX-License-Identifier: MIT
#pragma once

// adapt — where triangles are spent and given back.
//
// A scheme owns a refinement hierarchy over a pattern mesh and keeps an active mesh (mesh/active.h) in step with it.
// Criteria look at the active mesh only and ask for splits and joins; the scheme grants what its rules allow, one level
// at a time. Schemes: `edge` (edge.h, Simnett 2012 chapter 3 and Simnett et al. 2010 sections 3 to 6), `sqrt3`
// (sqrt3.h, Bender and Deul 2012 section 5 after Kobbelt 2000), `fixed` (fixed.c, no refinement).
//
//   config.h       the eleven ways to cut a triangle, and every transition between two of them, from one table
//   edge_pools.h   storage of the edge-based hierarchy, shared by the cloths of a world
//   edge.h         the scheme: split, join, retriangulate; edge_active.c brings the active mesh in step,
//                  edge_transfer.c moves mass and momentum, edge_check.c proves that the hierarchy is whole
//   sqrt3.h        the scheme that works on the active mesh itself: sqrt3.c the pass, sqrt3_ops.c split, flip and back,
//                  sqrt3_compact.c what died and moved, sqrt3_check.c proves that it is whole
//   criteria/      criterion.h: one row per criterion, each in its own criterion_NAME.c; criteria.h: combines them
//                  budget.h, sleep.h, split_join_hysteresis.h: what else decides about a pass
//
// Invariants (DESIGN section 5): the active mesh is conforming; area and mass stay the pattern's exactly, momentum up
// to rounding; neighbouring levels differ by at most one; joining everything gives back the pattern.
//
// Memory is reserved before a pass changes anything. A pass that has begun cannot fail.

#include "base/bitset.h"
#include "mesh/active.h"
#include "mesh/pattern.h"
#include "mesh/surface_sweep.h"

// How a tie between two configurations of states 4 to 6 is broken (Simnett 2012, 3.3.5).
typedef enum TieRule
{
	tieDefault,
	tieLength,
	tieRestLength,
	tieCurvature,
} TieRule;

// False when something is in the way of the new surface.
typedef bool SweepIsFreeFcn(const SurfaceSweep* sweep, void* context);

// What the criteria ask of a pass.
typedef struct AdaptRequest
{
	const BitSet* split; // over the active edges
	const BitSet*
		mustSplit; // over the active edges: when such an edge is blocked, what blocks it is split; may be NULL
	const BitSet* forceable; // over the active edges, with mustSplit: edges that may be split to unblock another; NULL
							 // for all
	const BitSet* refine;    // over the active triangles: those that should get finer as a whole; may be NULL
	const BitSet* join;      // over the particles: those that should go
	SweepIsFreeFcn* isFree;  // asked before a flip and before a particle goes; NULL when nothing can be in the way
	void* isFreeContext;
	uint32_t maxTriangles; // no split goes beyond it; 0 for no cap
	uint8_t maxLevel;
	uint8_t joinWait; // passes before a new particle may be asked again
	TieRule tieRule;
} AdaptRequest;

typedef struct AdaptCounts
{
	uint32_t splits, joins;               // done: particles born and died
	uint32_t splitsBlocked, joinsBlocked; // asked for, but the neighbourhood forbids it
	bool rebuilt;                         // the active mesh was rebuilt, not patched
} AdaptCounts;

typedef struct Scheme Scheme;

typedef struct SchemeClass
{
	const char* name;
	void (*destroy)(Scheme* scheme);
	// One pass. drape_errorMemory leaves everything as it was.
	drapeResult (*adapt)(Scheme* scheme, const AdaptRequest* request, AdaptCounts* counts);
	// NULL when all is well, else a sentence.
	const char* (*validate)(const Scheme* scheme);
	size_t (*bytes)(const Scheme* scheme);
	// Where the particle of this name (ActiveMesh::vertexId) is now.
	uint32_t (*particleOf)(const Scheme* scheme, uint32_t vertexId);
} SchemeClass;

struct Scheme
{
	const SchemeClass* type;
	const PatternMesh* pattern;
	ActiveMesh* active;
};

// The active mesh is the pattern mesh, for good.
drapeResult drapeFixedScheme_Create(Scheme** scheme, const PatternMesh* pattern, ActiveMesh* active);

// Rest areas of the pattern triangles in twelfths of a whole number of units, each divisible by `divisor`, so that a
// scheme can deal them out in integers. Fills `twelfths` and returns the unit, m^2.
double drapeScheme_AreaTwelfths(const PatternMesh* pattern, int64_t divisor, int64_t* twelfths);
