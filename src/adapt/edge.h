// SPDX-License-Identifier: MIT
#pragma once

#include "adapt/adapt.h"
#include "adapt/edge_pools.h"

// The edge-based adaptive mesh.
//
// An edge is split in its middle and later rejoined; the triangles beside it follow. A pass goes
//
//   drapeEdgeScheme_Begin       reserve everything
//   drapeEdgeScheme_Split ...   halve edges, tag the triangles beside them        (all splits come before the first join)
//   drapeEdgeScheme_Join ...    mark edges as whole again, tag likewise
//   drapeEdgeScheme_End         retriangulate each tagged triangle once; then particles, mass and momentum, active mesh;
//   then
//                          give back what died
//
// Rules: an edge may split when the triangles on both sides may refine, that is when their parents are cut in four; it
// may rejoin when no triangle beside it has a child that is refined or about to be. Together they keep neighbours
// within one level and let a pass change a place by one level only.
//
// A particle that is not a pattern vertex is the middle of exactly one split edge, so "rejoin that edge" is said by
// naming the particle.

typedef struct DirtyTriangle
{
	uint32_t triangle;
	uint8_t from, to; // configurations
} DirtyTriangle;

// The particles at a tagged triangle's six local vertices, and what of its area each gains.
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
	int64_t* twelfths;   // [pattern triangles] a twelfth of the rest area, in areaUnit; divisible by 4^DRAPE_MAX_LEVEL
	uint8_t maxLevel;
	uint8_t joinWait;
	TieRule tieRule;
	uint32_t trianglesAdded; // by the splits of the pass so far

	// The pass under way.
	ARRAY(DirtyTriangle) dirty;
	ARRAY(uint32_t) bornVertices;
	ARRAY(JoinedEdge) joined;
	ARRAY(uint32_t) bornTriangles, diedTriangles; // names of leaves born; active indices of leaves died
	ARRAY(uint32_t) bornEdges, diedEdges;
	ARRAY(LocalParticles) locals; // scratch of the transfer, one per tagged triangle
	ARRAY(Vec4) impulse;          // scratch of the transfer, one per particle
	BitSet forced;                // scratch: split requests with what insisting adds
} EdgeScheme;

drapeResult drapeEdgeScheme_Create(Scheme** scheme, EdgePools* pools, const PatternMesh* pattern, ActiveMesh* active);

// The steps of a pass, for the scheme's own adapt, for tests and for benchmarks.
bool drapeEdgeScheme_Begin(EdgeScheme* scheme, uint32_t splits, uint32_t joins);
bool drapeEdgeScheme_MaySplit(const EdgeScheme* scheme, uint32_t edge);
bool drapeEdgeScheme_MayJoin(const EdgeScheme* scheme, uint32_t edge);
void drapeEdgeScheme_Split(EdgeScheme* scheme, uint32_t edge);
void drapeEdgeScheme_Join(EdgeScheme* scheme, uint32_t edge);
void drapeEdgeScheme_Retriangulate(EdgeScheme* scheme);
void drapeEdgeScheme_UpdateActive(EdgeScheme* scheme, bool* rebuilt); // particles, transfer, triangles and edges
void drapeEdgeScheme_End(EdgeScheme* scheme, bool* rebuilt);          // both of these

// To measure and test one transition: tag a triangle by hand, and bring all tagged ones into one configuration, which
// must fit their split edges.
void drapeEdgeScheme_Touch(EdgeScheme* scheme, uint32_t triangle);
void drapeEdgeScheme_RetriangulateTo(EdgeScheme* scheme, uint8_t config);

// edge_transfer.c: moves rest area and momentum from the old triangulations to the new ones.
void drapeEdgeScheme_Transfer(EdgeScheme* scheme);

// edge_active.c: triangles and edges of the active mesh, from nothing or from the pass's lists.
void drapeEdgeScheme_RebuildActive(EdgeScheme* scheme);
void drapeEdgeScheme_PatchActive(EdgeScheme* scheme);
float drapeEdgeScheme_RestLength(const EdgeScheme* scheme, const TreeEdge* edge);

// edge_check.c
const char* drapeEdgeScheme_Validate(const Scheme* scheme);

DRAPE_INLINE bool TreeEdge_IsSplit(const TreeEdge* edge)
{
	return edge->child != DRAPE_NONE;
}

// Twice the fraction of the pattern triangle that a place covers, in 2^-28: exact.
DRAPE_INLINE int64_t TreePlace_Fraction(const TreePlace* place)
{
	int32_t x[3], y[3];
	for (int k = 0; k < 3; ++k)
	{
		x[k] = (int32_t)(place->corner[k] & 0xffff);
		y[k] = (int32_t)(place->corner[k] >> 16);
	}
	return (int64_t)(x[1] - x[0]) * (y[2] - y[0]) - (int64_t)(x[2] - x[0]) * (y[1] - y[0]);
}
