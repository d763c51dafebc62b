// SPDX-License-Identifier: MIT
#pragma once

#include "adapt/adapt.h"
#include "base/pool.h"

// The square-root-3 scheme (Bender and Deul 2012, section 5; Kobbelt 2000), without smoothing and with exact
// coarsening.
//
// A particle in its centre splits a triangle of even generation g into three of generation g + 1. Two of those that
// face each other across an edge of the old mesh flip this edge, and both get generation g + 2. Every triangle stores
// that edge, its mate edge, as its edge 0:
//
//            v2                      c                        c
//           /|\                     /^\                      /|\           (a, b, c) and (b, a, d) become
//          / | \                   /   \                    / | \          (c, d, b) and (d, c, a),
//         /  P  \                 a ----> b                a  |  b         each at its own index; the same rule
//        / /   \ \                 \   /                    \ | /          backwards gives (a, b, c) back
//       v0 ----- v1                 \v/                      \|/
//                                    d                        d
//
// So the active mesh is the hierarchy. There is no tree: each triangle has a few numbers, and each particle a record of
// the triangle in which it was created. Coarsening restores elements from the records, bit for bit. The first child
// keeps the index of its parent: pattern elements never move, and coarsening everything restores the arrays of the
// pattern in their order.
//
// Some edges must not be flipped: boundaries, creases (seams, and edges at which texture coordinates differ) and edges
// whose flip would turn a triangle over in the rest shape. They take two steps. A triangle with such a mate edge gets
// its even generation without a change; at a crease both sides get it together. If that generation is 2 modulo 4, the
// next split divides the edge in thirds:
//
//              P                     X and Y divide the edge AB. The outer two are of generation g + 1 and flip PA and
//             /|\                    BP with the neighbours' children later; the middle one is of generation g + 2 at
//            / | \                   once. Both sides of a crease are split together.
//           /  /\ \                  So two steps, four generations, cut any triangle in nine (figure 3 of the paper).
//          A--X--Y-B
//
// Rules: generations of neighbours differ by at most one. An even triangle may be split when no neighbour has a lower
// generation. Neighbours of a lower generation are odd and wait for their mates, which are split first. A centre may be
// removed when each of its three sectors is unchanged, or is flipped and has no finer neighbours.

enum
{
	// Every second generation divides a share by three; it must stay above zero.
	sqrt3ShareDivisor = 3 * 3 * 3 * 3 * 3 * 3 * 3 * 3,
};

_Static_assert(DRAPE_MAX_LEVEL / 2 + 2 <= 8, "shares can be divided down to the deepest generation");

typedef struct Sqrt3Triangle
{
	uint32_t edge[3]; // edge << 1 | side; the k-th runs from corner k to corner k + 1
	uint32_t word;    // generation in the low five bits; above, a bit for each odd generation in which it is the part
					  // with the index of its parent and stores the parent's mate edge
	int64_t share;    // area of each corner, as ActiveMesh::share
} Sqrt3Triangle;

// The triangle in which a particle was created. The two particles that divide an edge in thirds each record the
// triangle in whose edge 0 they come first; on a boundary one of them has no record.
typedef struct Sqrt3Birth
{
	TriangleMaterial material, texcoord;
	int64_t share;
	uint32_t triangle; // index of its first part; DRAPE_NONE when there is no record
	uint32_t twin;     // the other third; DRAPE_NONE for a centre
	float area;        // m^2
	uint32_t unused;
} Sqrt3Birth;

typedef struct Sqrt3Scheme
{
	Scheme base;
	ARRAY(Sqrt3Triangle) triangles; // [active triangles]
	ARRAY(Sqrt3Birth) births;       // [particles]
	IndexPool names;                // names of particles
	ARRAY(uint32_t) particleOf;     // [names]
	uint32_t waiting;               // number of refused flips, which the next pass tries again

	// State of the current pass. Removed elements keep their indices until its end.
	const AdaptRequest* request;
	uint32_t maxGeneration;           // even
	bool hasBegun;                    // the pass has changed something and owns the change log
	BitSet marks;                     // over the triangles: will be split
	ARRAY(uint32_t) marked;           // the same as a list
	BitSet busy;                      // over the particles: the pass has changed a neighbouring triangle; keeps them
	ARRAY(uint32_t) removedTriangles; // active indices
	ARRAY(uint32_t) removedEdges;
	ARRAY(uint32_t) rename; // scratch: new indices of moved elements
} Sqrt3Scheme;

drapeResult drapeSqrt3Scheme_Create(Scheme** scheme, const PatternMesh* pattern, ActiveMesh* active);

// Creates a scheme on a copy of the active mesh of another one, `lender`, which has not changed since it was created.
drapeResult drapeSqrt3Scheme_CreateCopy(Scheme** scheme, const Sqrt3Scheme* lender, ActiveMesh* active);

// sqrt3_ops.c. None of these can fail; memory has been reserved.
void drapeSqrt3_Touch(Sqrt3Scheme* scheme, uint32_t triangle);         // records a change of the triangle and its edges
void drapeSqrt3_Split(Sqrt3Scheme* scheme, uint32_t triangle);         // at its centre
void drapeSqrt3_SplitInThirds(Sqrt3Scheme* scheme, uint32_t triangle); // and the neighbour at its edge 0
void drapeSqrt3_Flip(Sqrt3Scheme* scheme, uint32_t edge);
void drapeSqrt3_Unflip(Sqrt3Scheme* scheme, uint32_t edge);
void drapeSqrt3_SetGeneration(Sqrt3Scheme* scheme, uint32_t triangle, uint32_t generation);
bool drapeSqrt3_FlipKeepsShape(const Sqrt3Scheme* scheme, uint32_t edge); // both triangles stay well shaped at rest
float drapeSqrt3_RestLength(const Sqrt3Scheme* scheme, uint32_t edge);

// Merges three parts, which are as they were created.
void drapeSqrt3_Join(Sqrt3Scheme* scheme, uint32_t centre, const uint32_t parts[3]);
void drapeSqrt3_JoinThirds(Sqrt3Scheme* scheme, uint32_t first, const uint32_t parts[2][3]); // [side]; none: DRAPE_NONE

// The rest data of a part of a triangle. `thirds`: the triangle was split in thirds, else at its centre.
typedef struct Sqrt3Rest
{
	TriangleMaterial material, texcoord;
	int64_t share;
	float area;
} Sqrt3Rest;
Sqrt3Rest drapeSqrt3_PartRest(const Sqrt3Birth* birth, bool thirds, uint32_t part);

// Finds the record and the part number of a triangle that is as it was created, by its corners.
const Sqrt3Birth* drapeSqrt3_FindBirth(const Sqrt3Scheme* scheme, const uint32_t corner[3], bool* thirds,
                                       uint32_t* part);

// sqrt3_compact.c: removes dead elements from the arrays, fills the holes and writes the change log.
void drapeSqrt3_Compact(Sqrt3Scheme* scheme);

// sqrt3_weigh.c
bool drapeSqrt3Scheme_Weigh(Scheme* scheme, const double* factors);

// sqrt3_check.c
const char* drapeSqrt3Scheme_Validate(const Scheme* scheme);

DRAPE_INLINE uint32_t Sqrt3_Generation(const Sqrt3Scheme* scheme, uint32_t triangle)
{
	return scheme->triangles.data[triangle].word & 31;
}

// The bit of an odd generation.
DRAPE_INLINE uint32_t Sqrt3_MateBit(uint32_t generation)
{
	return 1u << (5 + generation / 2);
}

// The neighbour across edge k; DRAPE_NONE at the boundary.
DRAPE_INLINE uint32_t Sqrt3_Neighbour(const Sqrt3Scheme* scheme, uint32_t triangle, uint32_t k)
{
	uint32_t side = scheme->triangles.data[triangle].edge[k];
	return scheme->base.active->wings[side >> 1].triangle[1 - (side & 1)];
}

// True when edge 0 must not be flipped.
DRAPE_INLINE bool Sqrt3_KeepsMateEdge(const Sqrt3Scheme* scheme, uint32_t triangle)
{
	const uint8_t kept = drape_edgeBoundary | drape_edgeCrease | drape_edgeKept;
	return (scheme->base.active->edgeFlags[scheme->triangles.data[triangle].edge[0] >> 1] & kept) != 0;
}

// True when an even triangle is split in thirds, not at its centre.
DRAPE_INLINE bool Sqrt3_SplitsInThirds(const Sqrt3Scheme* scheme, uint32_t triangle)
{
	return Sqrt3_Generation(scheme, triangle) % 4 == 2 && Sqrt3_KeepsMateEdge(scheme, triangle);
}
