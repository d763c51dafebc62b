// SPDX-License-Identifier: MIT
#pragma once

#include "base/bitset.h"
#include "base/simd.h"
#include "mesh/active.h"

// Estimates the distance, in metres, between the triangles at an edge and the smooth surface that the mesh samples.
//
// The normals at the ends a and b of an edge e = b - a give the slopes of the surface over the chord: n_a . e and
// n_b . e, in metres. The cubic with these slopes has two parts. Slopes of opposite signs make an arc; its height over
// the chord is |n_b . e - n_a . e| / 8. That is the sagitta k l^2 / 8 of an arc with the normal curvature k along an
// edge of length l. Equal slopes make an S around the chord; its height is sqrt(3) / 36 |n_a . e + n_b . e|, the
// extremum of t - 3 t^2 + 2 t^3. The sum of both heights is an upper bound of the height of the cubic. Triangles
// deviate more than their edges: on a sphere the centre of an equilateral triangle by k l^2 / 6, which is 4/3 of
// k l^2 / 8. So
//
//   d = 4/3 (|n_b . e - n_a . e| / 8 + sqrt(3) / 36 |n_a . e + n_b . e|)
//
// d is 0 on a plane, has the dimension of a length, and depends on the surface and the edge alone: neither the level of
// the edge nor the size of its neighbours enters. Twisting about the edge does not count.
//
// The normal of a boundary particle sees triangles on one side only and lags behind the surface. When its slope is the
// smaller one, it is replaced by the mirrored slope of the other end: the curvature is taken as constant along e.

#define DEVIATION_ARC 0.16666667f // 4/3 * 1/8
#define DEVIATION_S 0.06415003f   // 4/3 * sqrt(3) / 36

// Boundary particles of the mesh. `isBoundary` has memory for all particles.
static inline void MarkBoundary(BitSet* isBoundary, const ActiveMesh* mesh)
{
	BitSet_ClearAll(isBoundary, mesh->particleCount);
	for (uint32_t e = 0; e < mesh->edgeCount; ++e)
	{
		if (!(mesh->edgeFlags[e] & drape_edgeBoundary))
			continue;
		BitSet_Set(isBoundary, mesh->edgeFrom[e]);
		BitSet_Set(isBoundary, mesh->edgeTo[e]);
	}
}

// The deviation of one pair of particles, m.
static inline float Deviation_OfPair(const ActiveMesh* mesh, const BitSet* isBoundary, uint32_t from, uint32_t to)
{
	DRAPE_ASSERT(from < mesh->particleCount && to < mesh->particleCount);
	Vec3 along = V3Sub(V4Xyz(mesh->position[to]), V4Xyz(mesh->position[from]));
	float a = V3Dot(V4Xyz(mesh->normal[from]), along), b = V3Dot(V4Xyz(mesh->normal[to]), along);
	float slopeA = BitSet_Get(isBoundary, from) && fabsf(a) < fabsf(b) ? -b : a;
	float slopeB = BitSet_Get(isBoundary, to) && fabsf(b) < fabsf(a) ? -a : b;
	return DEVIATION_ARC * fabsf(slopeB - slopeA) + DEVIATION_S * fabsf(slopeA + slopeB);
}

// Lanes whose particle is on the boundary.
DRAPE_INLINE M8 Deviation_BoundaryLanes(const BitSet* isBoundary, const uint32_t* particle8)
{
	float flag[8];
	for (uint32_t i = 0; i < 8; ++i)
		flag[i] = BitSet_Get(isBoundary, particle8[i]) ? 1.0f : 0.0f;
	return F8_Gt(F8_Load(flag), F8_Splat(0.5f));
}

// The deviations of eight pairs of particles, m. The same bits as Deviation_OfPair.
DRAPE_INLINE F8 Deviation_OfEight(const ActiveMesh* mesh, const BitSet* isBoundary, const uint32_t* from,
                                  const uint32_t* to)
{
	V8 along = V8_Sub(V8_Gather(mesh->position, to), V8_Gather(mesh->position, from));
	F8 a = V8_Dot(V8_Gather(mesh->normal, from), along), b = V8_Dot(V8_Gather(mesh->normal, to), along);
	M8 takesB = M8_And(Deviation_BoundaryLanes(isBoundary, from), F8_Lt(F8_Abs(a), F8_Abs(b)));
	M8 takesA = M8_And(Deviation_BoundaryLanes(isBoundary, to), F8_Lt(F8_Abs(b), F8_Abs(a)));
	F8 slopeA = F8_Blend(takesB, F8_Neg(b), a), slopeB = F8_Blend(takesA, F8_Neg(a), b);
	return F8_Add(F8_Mul(F8_Splat(DEVIATION_ARC), F8_Abs(F8_Sub(slopeB, slopeA))),
	              F8_Mul(F8_Splat(DEVIATION_S), F8_Abs(F8_Add(slopeA, slopeB))));
}

// The deviation at a particle when it is removed, m: its distance, along its normal, from the point between its
// parents. As above, triangles deviate by 4/3 of what their edges do; the centre of a triangle is the largest deviation
// itself.
static inline float Deviation_OfParticle(const ActiveMesh* mesh, uint32_t particle)
{
	const ParticleParents* parents = &mesh->parents[particle];
	Vec3 offset = V4Xyz(mesh->position[particle]);
	DRAPE_ASSERT(ParticleParents_Count(parents) > 0);
	for (uint32_t k = 0; k < ParticleParents_Count(parents); ++k)
		offset = V3Sub(offset, V3Scale(parents->weight[k], V4Xyz(mesh->position[parents->parent[k]])));
	float factor = ParticleParents_Count(parents) == 2 ? 4.0f / 3.0f : 1.0f;
	return factor * fabsf(V3Dot(offset, V4Xyz(mesh->normal[particle])));
}
