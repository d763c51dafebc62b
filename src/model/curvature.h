// SPDX-License-Identifier: MIT
#pragma once

// Bending as a continuum: the second derivatives of the surface by the material coordinates u and v, per triangle, from
// its own corners and those of the triangles around. They are linear in the positions, and for a sheet that hardly
// stretches they are the curvature tensor times the normal, so that the energy
//
//   A / 2 (B1 |x_uu|^2 + B2 |x_vv|^2 + 2 X |x_uv|^2)
//
// is quadratic with a constant Hessian. It is exact for quadratic surfaces on every mesh and in every direction.
//
// First each triangle gets the quadratic through its corners and the vertices across its edges. Neighbours are unfolded
// into the triangle's own material plane, which also carries bending across seams. Where an edge has no neighbour, or
// the six tell a curvature badly, vertices up to two triangles further in stand in; at a free edge the fit is
// one-sided, but no less exact. Where there are none either, the smallest curvature that agrees with the others is
// taken.
//
// Fits of neighbours have different slopes at the edge between them, and a sheet of such fits is too soft: its
// particles give way by the size of a quad's sag and lower the energy of a cylinder by up to a quarter. So each edge
// gets one slope, the mean of the two fits, and a triangle the second derivatives that go with the slopes of its edges.
// By the divergence theorem uniform curvature then leaves no force on any particle inside.
//
// A triangle between three pins is a clamp: it is rigid, has no energy, and the slope at its edges is that of its own
// fit, which knows pinned triangles only. A fit beside it knows the slope of its plane instead of the vertex behind the
// clamp's edge, which is not on the bent surface. Were the pinned triangle to bend as well, cloth would be held a
// quarter of a quad behind the clamp's edge.

#include "base/bitset.h"
#include "base/tasks.h"
#include "drape/material.h"
#include "mesh/active.h"
#include "model/energy.h"

enum
{
	curvatureFitNodes = 6,
	curvatureNodes = quadraticNodes,
};

// Order of the components.
enum
{
	curvatureUu,
	curvatureVv,
	curvatureUv,
};

// A quadratic through the corners and three more particles.
typedef struct CurvatureFit
{
	uint32_t node[curvatureFitNodes];   // corners, then the particles across edges (0, 1), (1, 2), (2, 0), or what
										// stands in for them; a missing one repeats corner 0 and has no weight
	float weight[3][curvatureFitNodes]; // 1/m^2; x_uu, x_vv and x_uv
	float slope[3][curvatureFitNodes];  // 1/m; along the outer normal in the middle of edges (0, 1), (1, 2), (2, 0)
	float trust;                        // how well the particles tell the curvatures: 0 when not at all, FLT_MAX for
										// a rigid triangle
} CurvatureFit;

// Weights in 1/m^2: x_uu, x_vv and x_uv are these sums of positions. `rest` is the rest curvature in 1/m, along the
// normal. A rigid triangle has no nodes.
typedef QuadraticElement CurvatureElement;

typedef struct BendLaw
{
	float warp, weft; // N m: B1, B2
	float twist;      // N m: X
} BendLaw;

BendLaw drapeBendLaw_Of(const drapeMaterial* material);

typedef struct Curvature
{
	BendLaw law;
	float curl[2];                    // 1/m, the material's
	float hold;                       // 1/m, its bendFriction
	ARRAY(CurvatureFit) fits;         // per triangle
	ARRAY(CurvatureElement) elements; // per triangle
	ARRAY(uint32_t) sideEdge;         // [3 * triangles] edge from corner k to corner k + 1
	BitSet isRigid;                   // triangles whose corners are all pinned
	BitSet reachesFar;                // triangles that need more than their neighbours
	ARRAY(uint32_t) changed;          // scratch: triangles to compute anew,
	BitSet isChanged;                 // and the same as a set, empty between calls
	BitSet fitChanged;                // likewise: those whose fits are not what they were
	ARRAY(CurvatureFit) batchFits;    // scratch: computed, but not yet stored
	ARRAY(CurvatureElement) batchElements;
	ARRAY(uint8_t) batchIsFar;
	uint32_t revision;      // of the mesh; 0 for none
	uint32_t pinRevision;   // of the mesh
	uint32_t particleCount; // of the mesh
	uint32_t oldCount;      // scratch: elements before the change under way,
	bool anyChanged;        // and whether it has changed any
	uint32_t changes;       // raised whenever elements change
	bool allChanged;        // the last change was of everything;
	BitSet nodesChanged;    // else of elements that have or had no nodes but these particles, by their names now
} Curvature;

void drapeCurvature_Init(Curvature* curvature, const drapeMaterial* material);
void drapeCurvature_Destroy(Curvature* curvature);

// Only triangles that were touched or became rigid or ceased to be so, and those near them, when the log allows it.
// False when out of memory; the next call starts afresh.
bool drapeCurvature_Follow(Curvature* curvature, const ActiveMesh* mesh, TaskPool* tasks);

// The elements as a quadratic energy. The pointers are valid until the next call of drapeCurvature_Follow.
QuadraticEnergy drapeCurvature_Describe(const Curvature* curvature);

// The constant Hessian of a triangle: the coefficient of node a and node b, the same for x, y and z. Only the first
// `count` rows and columns are set. N/m
void drapeCurvature_Hessian(const CurvatureElement* element, const BendLaw* law,
                            float hessian[curvatureNodes][curvatureNodes]);

// Adds to `force` what rest curvature does: its moments act along the triangle's present normal. N
void drapeCurvature_AddRestForces(const Curvature* curvature, const Vec4* position, Vec4* force);

// curvature_friction.c: internal friction. By how many times it makes bending stiffer until it slips.
float drapeCurvature_FrictionStiffness(const Curvature* curvature);

// Forces by particle, N, at the end of the expected displacement. `force` has room for drapeCurvature_FrictionRoom rows.
void drapeCurvature_FindFriction(const Curvature* curvature, const BendFrictionQuery* query, Vec4* force,
                                 TaskPool* tasks);
size_t drapeCurvature_FrictionRoom(const Curvature* curvature, uint32_t particleCount);

// J
double drapeCurvature_Energy(const Curvature* curvature, const Vec4* position);

// curvature.c: what one triangle has, for curvature_follow.c. `sideEdge` and `isRigid` must be right, and for the
// element the fits of the triangle and its neighbours.

// From the triangle and its neighbours alone; false where these do not suffice.
bool drapeCurvature_FitNear(const Curvature* curvature, const ActiveMesh* mesh, uint32_t triangle,
                            CurvatureFit* stored);

// With what is beyond the neighbours, too.
void drapeCurvature_FitFar(const Curvature* curvature, const ActiveMesh* mesh, uint32_t triangle, CurvatureFit* stored);

void drapeCurvature_Combine(const Curvature* curvature, const ActiveMesh* mesh, uint32_t triangle,
                            CurvatureElement* element);

DRAPE_INLINE uint32_t Curvature_CornerOf(const ActiveMesh* mesh, uint32_t triangle, uint32_t particle)
{
	const uint32_t* corner = mesh->triangle[triangle];
	DRAPE_ASSERT(corner[0] == particle || corner[1] == particle || corner[2] == particle);
	return corner[0] == particle ? 0 : corner[1] == particle ? 1 : 2;
}
