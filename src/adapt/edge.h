// SPDX-License-Identifier: MIT
#pragma once

#include "adapt/adapt.h"
#include "adapt/edge_pools.h"

// The edge-based scheme.
//
// An edge is split at its midpoint and later joined; the triangles beside it follow. The steps of a pass:
//
//   drapeEdgeScheme_Begin       reserve everything
//   drapeEdgeScheme_Split ...   halve edges, mark the triangles beside them dirty (all splits precede the first join)
//   drapeEdgeScheme_Join ...    make edges whole, mark the triangles likewise
//   drapeEdgeScheme_End         retriangulate each dirty triangle once; update particles, mass, momentum and the active
//                               mesh; free removed elements
//
// Rules: an edge may split when the parents of the triangles on both sides are cut in four. It may join when no
// triangle beside it has a child that is refined or about to be. Both rules together keep neighbours within one level
// and limit a pass to one level of change.
//
// A particle that is not a pattern vertex is the midpoint of exactly one split edge, so a join request names the
// particle.

typedef struct DirtyTriangle
{
	uint32_t triangle;
	uint8_t from, to; // configurations
} DirtyTriangle;

// The particles at the six local vertices of a dirty triangle, and the area that each gains.
typedef struct LocalParticles
{
	uint32_t particle[6]; // DRAPE_NONE where neither triangulation has a vertex
	int8_t gain[6];       // twelfths of the triangle's area
} LocalParticles;

typedef struct JoinedEdge
{
	uint32_t edge, child;
} JoinedEdge;

typedef struct EdgeScheme
{
	Scheme base;
	EdgePools* pools;
	uint32_t* vertices;  // [pattern vertices] names in the pools
	uint32_t* edges;     // [pattern edges]
	uint32_t* triangles; // [pattern triangles]
	double* areas;       // [pattern triangles] rest area, m^2
	bool borrowsAreas;
	int64_t* twelfths;   // [pattern triangles] a twelfth of the area, as ActiveMesh::share; divisible by 4^DRAPE_MAX_LEVEL
	uint8_t maxLevel;
	uint8_t joinWait;
	TieRule tieRule;
	uint32_t trianglesAdded; // number of triangles that the splits of the pass have added so far

	// State of the current pass.
	ARRAY(DirtyTriangle) dirty;
	ARRAY(uint32_t) createdVertices;
	ARRAY(JoinedEdge) joined;
	ARRAY(uint32_t) createdTriangles, removedTriangles; // names of new leaves; active indices of removed leaves
	ARRAY(uint32_t) createdEdges, removedEdges;
	ARRAY(LocalParticles) locals; // scratch of the transfer, one per dirty triangle
	ARRAY(Vec4) impulse;          // scratch of the transfer, one per particle
	BitSet forced;                // scratch: splits that must-split and refine requests add
} EdgeScheme;

drapeResult drapeEdgeScheme_Create(Scheme** scheme, EdgePools* pools, const PatternMesh* pattern, ActiveMesh* active);

// Creates a scheme on a copy of the active mesh of another one, `lender`, which may have other pools. The lender has not
// changed since it was created, outlives the scheme and does not change.
drapeResult drapeEdgeScheme_CreateCopy(Scheme** scheme, EdgePools* pools, const EdgeScheme* lender, ActiveMesh* active);

// The steps of a pass, for the scheme's own adapt, for tests and for benchmarks.
bool drapeEdgeScheme_Begin(EdgeScheme* scheme, uint32_t splits, uint32_t joins);
bool drapeEdgeScheme_MaySplit(const EdgeScheme* scheme, uint32_t edge);
bool drapeEdgeScheme_MayJoin(const EdgeScheme* scheme, uint32_t edge);
void drapeEdgeScheme_Split(EdgeScheme* scheme, uint32_t edge);
void drapeEdgeScheme_Join(EdgeScheme* scheme, uint32_t edge);
void drapeEdgeScheme_Retriangulate(EdgeScheme* scheme);
void drapeEdgeScheme_UpdateActive(EdgeScheme* scheme, bool* rebuilt); // particles, transfer, triangles and edges
void drapeEdgeScheme_End(EdgeScheme* scheme, bool* rebuilt);          // Retriangulate and UpdateActive

// For tests and benchmarks of one transition: marks a triangle dirty; brings all dirty triangles into one
// configuration, which must fit their split edges.
void drapeEdgeScheme_Touch(EdgeScheme* scheme, uint32_t triangle);
void drapeEdgeScheme_RetriangulateTo(EdgeScheme* scheme, uint8_t config);

// edge_transfer.c: moves rest area and momentum from the old triangulations to the new ones.
void drapeEdgeScheme_Transfer(EdgeScheme* scheme);

// SchemeClass::weigh
bool drapeEdgeScheme_Weigh(Scheme* scheme, const double* factors);

// edge_active.c: rebuilds triangles and edges of the active mesh, or patches them from the lists of the pass.
void drapeEdgeScheme_RebuildActive(EdgeScheme* scheme);
void drapeEdgeScheme_PatchActive(EdgeScheme* scheme);
float drapeEdgeScheme_RestLength(const EdgeScheme* scheme, const TreeEdge* edge);

// edge_check.c
const char* drapeEdgeScheme_Validate(const Scheme* scheme);

DRAPE_INLINE bool TreeEdge_IsSplit(const TreeEdge* edge)
{
	return edge->child != DRAPE_NONE;
}

// The part of the pattern triangle's area that a triangle covers, in 2^-28; exact.
DRAPE_INLINE int64_t PatternCorners_Fraction(const PatternCorners* corners)
{
	int32_t x[3], y[3];
	for (int k = 0; k < 3; ++k)
	{
		x[k] = (int32_t)(corners->corner[k] & 0xffff);
		y[k] = (int32_t)(corners->corner[k] >> 16);
	}
	return (int64_t)(x[1] - x[0]) * (y[2] - y[0]) - (int64_t)(x[2] - x[0]) * (y[1] - y[0]);
}
