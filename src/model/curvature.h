// SPDX-License-Identifier: MIT
#pragma once

// Bending as a continuum. Each triangle has the second derivatives of the surface by the material coordinates u and v,
// computed from its own corners and those of the triangles around it. They are linear in the positions. For a sheet
// that hardly stretches they are the curvature tensor times the normal, so that the energy
//
//   A / 2 (B1 |x_uu|^2 + B2 |x_vv|^2 + 2 X |x_uv|^2)
//
// is quadratic with a constant Hessian. It is exact for quadratic surfaces on every mesh and in every direction.
//
// First each triangle gets the quadratic through its corners and the vertices across its edges. Neighbours are unfolded
// into the triangle's own material plane, which also transmits bending across seams. If an edge has no neighbour, or
// the six vertices determine a curvature badly, vertices up to two triangles away replace the missing ones. At a free
// edge the fit is one-sided, but equally exact. If there are no such vertices, the fit takes the smallest curvature
// that agrees with the others.
//
// The fits of neighbours have different slopes at their common edge, and a sheet of such fits is too soft: its
// particles yield by the size of a quad's sag and lower the energy of a cylinder by up to a quarter. Each edge
// therefore has one slope, the mean of the two fits. A triangle has the second derivatives that follow from the slopes
// of its edges. Uniform curvature then exerts no force on any inner particle, by the divergence theorem.
//
// A triangle between three pins is a clamp. It is rigid, has no energy, and the slope at its edges is that of its own
// fit, which uses pinned triangles only. A fit beside a clamp uses the slope of the clamp's plane instead of the vertex
// behind its edge, which is not on the bent surface. A clamp that bends would hold the cloth a quarter of a quad behind
// its edge.

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
	uint32_t node[curvatureFitNodes];   // corners, then the particles across edges (0, 1), (1, 2), (2, 0), or their
										// replacements; a missing one repeats corner 0 and has no weight
	float weight[3][curvatureFitNodes]; // 1/m^2; x_uu, x_vv and x_uv
	float slope[3][curvatureFitNodes];  // 1/m; along the outer normal in the middle of edges (0, 1), (1, 2), (2, 0)
	float trust;                        // weight of the fit in the slopes of edges: 0 if the particles determine no
										// curvature, FLT_MAX for a rigid triangle
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
	ARRAY(CurvatureFit) fits;         // per triangle; empty when released
	ARRAY(CurvatureElement) elements; // per triangle
	ARRAY(uint32_t) sideEdge;         // [3 * triangles] edge from corner k to corner k + 1; likewise
	BitSet isRigid;                   // triangles whose corners are all pinned
	BitSet reachesFar;                // triangles whose fit uses more than their neighbours
	ARRAY(uint32_t) changed;          // scratch: triangles to compute again,
	BitSet isChanged;                 // and the same as a set, empty between calls
	BitSet fitChanged;                // likewise: triangles whose fits have changed
	ARRAY(CurvatureFit) batchFits;    // scratch: computed, but not yet stored
	ARRAY(CurvatureElement) batchElements;
	ARRAY(uint8_t) batchIsFar;
	uint32_t revision;       // the mesh's; 0 for none
	uint32_t pinRevision;    // the mesh's
	uint32_t particleCount;  // the mesh's
	uint32_t oldCount;       // scratch: elements before the current change,
	bool anyChanged;         // and true once it has changed any
	uint32_t unchangedCalls; // of drapeCurvature_Follow since all was built: fits that nobody needs are released
	bool isPatched;          // the elements have changed since all was built: fits are kept
	uint32_t changes;        // raised whenever elements change
	bool allChanged;         // the last change concerned all elements;
	BitSet nodesChanged;     // else only elements whose nodes, before and after, are these particles (present indices)
} Curvature;

void drapeCurvature_Init(Curvature* curvature, const drapeMaterial* material);

// Replaces the law. Elements that exist keep the rest curvature of the old material until they are computed again.
void drapeCurvature_SetMaterial(Curvature* curvature, const drapeMaterial* material);

void drapeCurvature_Destroy(Curvature* curvature);

// Turns a copy of the struct into one that borrows elements and fits of the original, which outlives it and does not
// change: drapeCurvature_Follow copies them before it changes any. Returns false, and leaves an empty struct, when out
// of memory.
bool drapeCurvature_Borrow(Curvature* curvature);

// Releases the memory that a lender does not need.
void drapeCurvature_ReleaseScratch(Curvature* curvature);

// Updates the elements after a change of the mesh or of pins: only touched triangles, triangles that became rigid or
// ceased to be so, and those near them, when the change log allows it. False when out of memory; the next call computes
// all of them.
bool drapeCurvature_Follow(Curvature* curvature, const ActiveMesh* mesh, TaskPool* tasks);

// The elements as a quadratic energy. The pointers are valid until the next call of drapeCurvature_Follow.
QuadraticEnergy drapeCurvature_Describe(const Curvature* curvature);

// The constant Hessian of a triangle: the coefficient of node a and node b, the same for x, y and z. Only the first
// `count` rows and columns are set. N/m
void drapeCurvature_Hessian(const CurvatureElement* element, const BendLaw* law,
                            float hessian[curvatureNodes][curvatureNodes]);

// Adds the forces of rest curvature, N. Its moments act along the triangle's present normal.
void drapeCurvature_AddRestForces(const Curvature* curvature, const Vec4* position, Vec4* force);

// curvature_friction.c: internal friction. The factor by which it makes bending stiffer until it slips.
float drapeCurvature_FrictionStiffness(const Curvature* curvature);

// Forces per particle, N, at the end of the expected displacement. `force` has drapeCurvature_FrictionRows rows.
void drapeCurvature_FindFriction(const Curvature* curvature, const InternalFrictionQuery* query, Vec4* force,
                                 TaskPool* tasks);
size_t drapeCurvature_FrictionRows(const Curvature* curvature, uint32_t particleCount);

// J
double drapeCurvature_Energy(const Curvature* curvature, const Vec4* position);

// curvature.c: fit and element of one triangle, for curvature_follow.c. `sideEdge` and `isRigid` must be up to date,
// and for the element the fits of the triangle and its neighbours.

// Fits the triangle and its neighbours alone; false if they do not suffice.
bool drapeCurvature_FitNear(const Curvature* curvature, const ActiveMesh* mesh, uint32_t triangle,
                            CurvatureFit* stored);

// Fits with triangles beyond the neighbours, too.
void drapeCurvature_FitFar(const Curvature* curvature, const ActiveMesh* mesh, uint32_t triangle, CurvatureFit* stored);

void drapeCurvature_Combine(const Curvature* curvature, const ActiveMesh* mesh, uint32_t triangle,
                            CurvatureElement* element);

DRAPE_INLINE uint32_t Curvature_CornerOf(const ActiveMesh* mesh, uint32_t triangle, uint32_t particle)
{
	const uint32_t* corner = mesh->triangle[triangle];
	DRAPE_ASSERT(corner[0] == particle || corner[1] == particle || corner[2] == particle);
	return corner[0] == particle ? 0 : corner[1] == particle ? 1 : 2;
}
