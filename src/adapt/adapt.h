// SPDX-License-Identifier: MIT
#pragma once

// adapt: refines and coarsens cloth.
//
// A scheme owns a refinement hierarchy over a pattern mesh and keeps an active mesh (mesh/active.h) consistent with it.
// Criteria read the active mesh only and request splits and joins. The scheme performs the requests that its rules
// allow, one level per pass. Schemes: `edge` (edge.h, Simnett 2012 chapter 3 and Simnett et al. 2010 sections 3 to 6),
// `sqrt3` (sqrt3.h, Bender and Deul 2012 section 5 after Kobbelt 2000), `fixed` (fixed.c, no refinement).
//
//   config.h       the eleven configurations of a triangle and all transitions between them, from one table
//   edge_pools.h   storage of the edge-based hierarchy, shared by the cloths of a world
//   edge.h         the scheme: split, join, retriangulate; edge_active.c updates the active mesh,
//                  edge_transfer.c moves mass and momentum, edge_check.c validates the hierarchy
//   sqrt3.h        the scheme that works on the active mesh itself: sqrt3.c runs a pass, sqrt3_ops.c has the operations
//                  and their inverses, sqrt3_compact.c removes dead elements, sqrt3_weigh.c
//                  distributes mass anew, sqrt3_check.c validates
//   criteria/      criterion.h: one row per criterion, each in its own criterion_NAME.c; criteria.h: combines them
//                  budget.h, triangle_cap.h, sleep.h and split_join_hysteresis.h limit the requests
//
// Invariants: the active mesh is conforming. Area and mass equal those of the pattern exactly; a pass conserves
// momentum up to rounding. Mass per area is constant in a pattern triangle (SchemeClass::weigh), so that it does not
// depend on the refinement. The levels of neighbours differ by at most one. Joining everything restores the pattern.
//
// Memory is reserved before a pass changes anything. A pass that has begun cannot fail.

#include "base/bitset.h"
#include "mesh/active.h"
#include "mesh/pattern.h"
#include "mesh/surface_sweep.h"

// Selects one of the two configurations of states 4 to 6 when both change equally little (Simnett 2012, 3.3.5).
typedef enum TieRule
{
	tieDefault,
	tieLength,
	tieRestLength,
	tieCurvature,
} TieRule;

// Returns false when an obstacle or another surface intersects the swept volume.
typedef bool SweepIsFreeFcn(const SurfaceSweep* sweep, void* context);

// The requests of the criteria for one pass.
typedef struct AdaptRequest
{
	const BitSet* split;     // over the active edges
	const BitSet* mustSplit; // over the active edges: splits that also split the edges that block them; may be NULL
	const BitSet* forceable; // over the active edges, with mustSplit: edges that may be split to unblock another; NULL
							 // for all
	const BitSet* refine;    // over the active triangles: should be refined as a whole; may be NULL
	const BitSet* join;      // over the particles: should be removed
	SweepIsFreeFcn* isFree;  // called before a flip and before a particle is removed; NULL when there are no obstacles
	void* isFreeContext;
	uint32_t maxTriangles; // no split goes beyond it; 0 for no cap
	uint8_t maxLevel;
	uint8_t joinWait; // passes before the criteria ask about a new particle
	TieRule tieRule;
} AdaptRequest;

typedef struct AdaptCounts
{
	uint32_t splits, joins;               // performed: particles created and removed
	uint32_t splitsBlocked, joinsBlocked; // requested, but forbidden by the neighbourhood
	bool rebuilt;                         // the active mesh was rebuilt, not patched
} AdaptCounts;

typedef struct Scheme Scheme;

typedef struct SchemeClass
{
	const char* name;
	void (*destroy)(Scheme* scheme);
	// Runs one pass. drape_errorMemory leaves everything unchanged.
	drapeResult (*adapt)(Scheme* scheme, const AdaptRequest* request, AdaptCounts* counts);
	// Returns NULL when all invariants hold, else a static sentence.
	const char* (*validate)(const Scheme* scheme);
	size_t (*bytes)(const Scheme* scheme);
	// Returns the index of the particle with this name (ActiveMesh::vertexId).
	uint32_t (*particleOf)(const Scheme* scheme, uint32_t vertexId);
	// Distributes mass anew. `factors` has the mass per area of each pattern triangle, over the cloth's density; NULL for
	// 1. False when out of memory: nothing has changed.
	bool (*weigh)(Scheme* scheme, const double* factors);
} SchemeClass;

struct Scheme
{
	const SchemeClass* type;
	const PatternMesh* pattern;
	ActiveMesh* active;
};

// Creates a scheme without refinement: the active mesh is the pattern mesh.
drapeResult drapeFixedScheme_Create(Scheme** scheme, const PatternMesh* pattern, ActiveMesh* active);

// Creates such a scheme on a copy of the active mesh of another one.
drapeResult drapeFixedScheme_CreateCopy(Scheme** scheme, const Scheme* lender, ActiveMesh* active);

// Rounds the rest areas of the pattern triangles, times their factors, to integers, so that a scheme can distribute them
// exactly. `factors` may be NULL. `twelfths` receives a twelfth of each area, divisible by `divisor`, in units. Returns
// the unit, m^2; all areas are 2^60 units (ActiveMesh_MassArea).
double drapeScheme_AreaTwelfths(const PatternMesh* pattern, const double* factors, int64_t divisor, int64_t* twelfths);
