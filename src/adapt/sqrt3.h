// SPDX-License-Identifier: MIT
#pragma once

#include "adapt/adapt.h"
#include "base/pool.h"

// The square-root-3 scheme (Bender and Deul 2012, section 5; Kobbelt 2000), without smoothing and with a way back.
//
// A triangle of even generation g is split by a particle in its centre into three of generation g + 1. Two of those
// that face each other across an edge of the old mesh flip it, and both are of generation g + 2. Every triangle keeps
// that edge, its mate edge, as its edge 0:
//
//            v2                      c                        c
//           /|\                     /^\                      /|\           (a, b, c) and (b, a, d) become
//          / | \                   /   \                    / | \          (c, d, b) and (d, c, a),
//         /  P  \                 a ----> b                a  |  b         each in its own place; the same rule
//        / /   \ \                 \   /                    \ | /          backwards gives (a, b, c) back
//       v0 ----- v1                 \v/                      \|/
//                                    d                        d
//
// So the active mesh is the hierarchy: no tree, but a few numbers beside each triangle and a record for each particle
// of the triangle it was born in. Whatever is taken back is written from the record, bit for bit. The first child stays
// where its parent was: what belongs to the pattern is never moved, and coarsening everything gives the pattern's
// arrays back in their order.
//
// Edges that must not be flipped: boundaries, creases (seams, and where texture coordinates differ) and edges whose
// flip would turn a triangle over in the rest shape. They take two steps. A triangle with such a mate edge gets its
// even generation without a change, at a crease when both sides can. If that is 2 modulo 4, it is split in thirds next:
//
//              P                     X and Y divide the edge AB. The outer two are of generation g + 1 and flip PA and
//             /|\                    BP with the neighbours' children later; the middle one is of generation g + 2 at
//            / | \                   once. Both sides of a crease are split together.
//           /  /\ \                  So two steps, four generations, cut any triangle in nine (figure 3 of the paper).
//          A--X--Y-B
//
// Rules: generations of neighbours differ by at most one. An even triangle may be split when no neighbour is of a lower
// generation; the lower ones are odd, and wait for their mates, which are split first. A centre may go when each of its
// three sectors is as it was born, or flipped and nothing finer lies around it.

typedef struct Sqrt3Triangle
{
	uint32_t edge[3]; // edge << 1 | side; the k-th runs from corner k to corner k + 1
	uint32_t word;    // generation in the low five bits; above, a bit for each odd generation in which it was the part
					  // that stays in its parent's place and so knows the parent's mate edge
	int64_t share;    // what each corner gets of its rest area, in areaUnit
} Sqrt3Triangle;

// The triangle a particle was born in. Of two thirds on an edge, each keeps that of the side on which it comes first,
// seen along the triangle's edge 0; on a boundary one of them has none.
typedef struct Sqrt3Birth
{
	TriangleMaterial material, texcoord;
	int64_t share;
	uint32_t triangle; // where its first part is; DRAPE_NONE when there is no record
	uint32_t twin;     // the other third; DRAPE_NONE for a centre
	float area;        // m^2
	uint32_t unused;
} Sqrt3Birth;

typedef struct Sqrt3Scheme
{
	Scheme base;
	ARRAY(Sqrt3Triangle) triangles; // per active triangle
	ARRAY(Sqrt3Birth) births;       // per particle
	IndexPool names;                // of particles
	ARRAY(uint32_t) particleOf;     // per name
	uint32_t waiting;               // flips that were refused: tried again in the next pass

	// The pass under way. Elements that die keep their places until its end.
	const AdaptRequest* request;
	uint32_t maxGeneration;        // even
	bool hasBegun;                 // something has changed; the change log is this pass's from then on
	BitSet marks;                  // over the triangles: to be split
	ARRAY(uint32_t) marked;        // the same as a list
	BitSet busy;                   // over the particles: this pass has changed something beside them, so they stay
	ARRAY(uint32_t) diedTriangles; // active indices
	ARRAY(uint32_t) diedEdges;
	ARRAY(uint32_t) rename; // scratch: new places of what was moved
} Sqrt3Scheme;

drapeResult drapeSqrt3Scheme_Create(Scheme** scheme, const PatternMesh* pattern, ActiveMesh* active);

// sqrt3_ops.c. None of these can fail; memory has been reserved.
void drapeSqrt3_Touch(Sqrt3Scheme* scheme, uint32_t triangle);         // notes a change of it and of its edges
void drapeSqrt3_Split(Sqrt3Scheme* scheme, uint32_t triangle);         // by its centre
void drapeSqrt3_SplitInThirds(Sqrt3Scheme* scheme, uint32_t triangle); // and what lies beyond its edge 0
void drapeSqrt3_Flip(Sqrt3Scheme* scheme, uint32_t edge);
void drapeSqrt3_Unflip(Sqrt3Scheme* scheme, uint32_t edge);
void drapeSqrt3_SetGeneration(Sqrt3Scheme* scheme, uint32_t triangle, uint32_t generation);
bool drapeSqrt3_FlipKeepsShape(const Sqrt3Scheme* scheme, uint32_t edge); // no triangle is turned over at rest
float drapeSqrt3_RestLength(const Sqrt3Scheme* scheme, uint32_t edge);

// Three parts into one again. They are as they were born.
void drapeSqrt3_Join(Sqrt3Scheme* scheme, uint32_t centre, const uint32_t parts[3]);
void drapeSqrt3_JoinThirds(Sqrt3Scheme* scheme, uint32_t first, const uint32_t parts[2][3]); // [side]; none: DRAPE_NONE

// The rest data of a part of a triangle. `thirds` says in which way it was split.
typedef struct Sqrt3Rest
{
	TriangleMaterial material, texcoord;
	int64_t share;
	float area;
} Sqrt3Rest;
Sqrt3Rest drapeSqrt3_PartRest(const Sqrt3Birth* birth, bool thirds, uint32_t part);

// Of which record a triangle is which part, by its corners, when it is as it was born.
const Sqrt3Birth* drapeSqrt3_FindBirth(const Sqrt3Scheme* scheme, const uint32_t corner[3], bool* thirds,
                                       uint32_t* part);

// sqrt3_compact.c: takes what died out of the arrays, fills the holes and writes the change log.
void drapeSqrt3_Compact(Sqrt3Scheme* scheme);

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

// Across edge k; DRAPE_NONE beyond the boundary.
DRAPE_INLINE uint32_t Sqrt3_Neighbour(const Sqrt3Scheme* scheme, uint32_t triangle, uint32_t k)
{
	uint32_t side = scheme->triangles.data[triangle].edge[k];
	return scheme->base.active->wings[side >> 1].triangle[1 - (side & 1)];
}

// Whether edge 0 must not be flipped.
DRAPE_INLINE bool Sqrt3_KeepsMateEdge(const Sqrt3Scheme* scheme, uint32_t triangle)
{
	const uint8_t kept = drape_edgeBoundary | drape_edgeCrease | drape_edgeKept;
	return (scheme->base.active->edgeFlags[scheme->triangles.data[triangle].edge[0] >> 1] & kept) != 0;
}

// Whether an even triangle is split in thirds, not by its centre.
DRAPE_INLINE bool Sqrt3_SplitsInThirds(const Sqrt3Scheme* scheme, uint32_t triangle)
{
	return Sqrt3_Generation(scheme, triangle) % 4 == 2 && Sqrt3_KeepsMateEdge(scheme, triangle);
}
