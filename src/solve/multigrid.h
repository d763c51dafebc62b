// SPDX-License-Identifier: MIT
#pragma once

// Preconditioners on the levels of a hierarchy, for a symmetric matrix on its finest one.
//
// The coarse matrices are Galerkin products P^T A P with the interpolation P of hierarchy.h. The build finds once per
// mesh which fine blocks add up to which coarse block; each step only takes the sums. Coarse levels smooth and never
// multiply exactly, so they have the Laplacian in place of the quadratic energy. Pins and contacts act on them as stiff
// anchor terms.

#include "solve/block_matrix.h"
#include "solve/hierarchy.h"

#include "drape/solver.h"

enum
{
	denseRows = 48, // the coarsest level is solved exactly up to this many rows
};

// A share of a coarse block.
typedef struct GalerkinTerm
{
	uint32_t source; // block of the finer level << 1 | transposed
	float weight;
} GalerkinTerm;

// The same before coarse blocks are numbered: `number` counts the blocks of its lower row from 0.
typedef struct EmittedTerm
{
	GalerkinTerm term;
	uint32_t number, high;
} EmittedTerm;

typedef struct MultigridLevel
{
	BlockMatrix matrix;
	ARRAY(uint32_t) termStart; // [edgeCount + 1] terms of each block; not on the finest level
	ARRAY(GalerkinTerm) terms;
	ARRAY(Vec4) r, z, t;     // right-hand side, solution, scratch
	ARRAY(Vec4) pairProduct; // product of the pairs of pair_levels.h with z, if hasPairs; zero in rows without pairs
} MultigridLevel;

// The coarsest level, factorised.
typedef struct DenseFactor
{
	uint32_t size, stride;
	ARRAY(float) upper; // [size * stride] Cholesky
	ARRAY(float) rhs, solution;
	bool isUsable;
} DenseFactor;

typedef struct Multigrid
{
	uint32_t levelCount;
	MultigridLevel levels[hierarchyLevels]; // 0 is the coarsest
	const Hierarchy* hierarchy;
	uint32_t elementParticles; // most particles of an element of the finest matrix
	DenseFactor dense;
	bool hasPairs; // pair_levels.h: pairs act on all levels, and the smoothers have a surplus
	bool isJoined; // with pairs: the coarsest level is solved together with those of other cloths
	// The PairLevels whose lists of pairs were made for the present levels; NULL for none.
	const struct PairLevels* listedBy;
	// Scratch of the build.
	ARRAY(EmittedTerm) emitted; // [workers * mostEmitted] terms of one coarse row
	uint32_t mostEmitted;       // most that a coarse row could emit, and one more
	ARRAY(uint32_t) termCount;  // per coarse row
	ARRAY(uint32_t) marks;      // [workers * coarse rows]
	ARRAY(float) diagonal;      // per fine row: of the Laplacian that replaces the quadratic energy
} Multigrid;

void drapeMultigrid_Destroy(Multigrid* multigrid);
// Turns a copy of the struct into a multigrid on a copy of the hierarchy, without values. It borrows the structure of the
// original until it is built again. drapeMultigrid_ReserveValues follows.
void drapeMultigrid_Borrow(Multigrid* multigrid, const Hierarchy* hierarchy);
// Reserves and releases the values of all levels. False when out of memory.
bool drapeMultigrid_ReserveValues(Multigrid* multigrid);
void drapeMultigrid_ReleaseValues(Multigrid* multigrid);
// Releases memory that only drapeMultigrid_Build needs, which reserves it again.
void drapeMultigrid_ReleaseScratch(Multigrid* multigrid);

// The finest level. The caller fills its matrix with the quadratic energy, except the slices of edges, before
// drapeMultigrid_Build.
MultigridLevel* drapeMultigrid_Finest(Multigrid* multigrid, const Hierarchy* hierarchy);

// Builds the structure and the Laplacians of the coarser levels. False when out of memory.
bool drapeMultigrid_Build(Multigrid* multigrid, TaskPool* tasks);

// Computes the values of all levels, after blocks, anchor and quadraticScale of the finest one have changed.
void drapeMultigrid_Update(Multigrid* multigrid, drapePreconditioner kind, TaskPool* tasks);

// The damping of the first sweep on the finest level: the caller computes z = omega D^-1 r before drapeMultigrid_Apply.
float drapeMultigrid_Omega(const Multigrid* multigrid, drapePreconditioner kind);

// Turns z of the finest level into an approximate solution for its r. Returns r . z. The preconditioner is symmetric
// and positive definite, so that this is positive unless r = 0.
double drapeMultigrid_Apply(Multigrid* multigrid, drapePreconditioner kind, TaskPool* tasks);

// Reserves and clears surplus and pairProduct of all levels. False when out of memory.
bool drapeMultigrid_ReservePairs(Multigrid* multigrid);

// The steps of a cycle on level k of one or several multigrids (pair_levels.h), which all have this level.
// z = omega D^-1 r
void drapeMultigrid_SmoothFromZero(Multigrid* const* grids, uint32_t count, uint32_t k, TaskPool* tasks);
// t = r - pairProduct - S z, then r of level k - 1 = P^T t, and the first sweep there unless it is the coarsest
void drapeMultigrid_Descend(Multigrid* const* grids, uint32_t count, uint32_t k, TaskPool* tasks);
// z += P z of level k - 1
void drapeMultigrid_Prolong(Multigrid* const* grids, uint32_t count, uint32_t k, TaskPool* tasks);
// z += omega D^-1 (r - pairProduct - S z). Returns the sum of r . z
double drapeMultigrid_Smooth(Multigrid* const* grids, uint32_t count, uint32_t k, TaskPool* tasks);
// Sweeps on level k beside the first, before and after the coarser levels. The finest two levels have one sweep, the next
// ones two, four and eight: coarse levels cost little, and with single sweeps the iterations grow with the levels.
// Levels of thousands of rows have twice as many. They still fit into the caches, which the finest two levels then do not.
uint32_t drapeMultigrid_ExtraSweeps(const Multigrid* multigrid, uint32_t k);
// One of several sweeps over the coarsest level, whose matrix is solved exactly if it is small enough.
void drapeMultigrid_SweepCoarsest(Multigrid* multigrid, bool isFirst, TaskPool* tasks);

// dense.c
bool drapeDenseFactor_Reserve(DenseFactor* dense, uint32_t rows);
void drapeDenseFactor_Destroy(DenseFactor* dense);
// Clears the matrix, adds matrices and blocks in any rows, and factorises their sum.
void drapeDenseFactor_Clear(DenseFactor* dense);
// The surplus of the smoother is half a bound of the pairs. With `hasBound`, all of the bound is added.
void drapeDenseFactor_AddMatrix(DenseFactor* dense, const BlockMatrix* matrix, uint32_t firstRow, bool hasBound);
void drapeDenseFactor_AddBlock(DenseFactor* dense, uint32_t i, uint32_t j, const float* block9, float sign);
void drapeDenseFactor_Factorise(DenseFactor* dense);
// All of these for one matrix.
void drapeDenseFactor_Update(DenseFactor* dense, const BlockMatrix* matrix);
void drapeDenseFactor_Solve(DenseFactor* dense, const Vec4* b, Vec4* x);
// x += the solution for b
void drapeDenseFactor_AddSolution(DenseFactor* dense, const Vec4* b, Vec4* x);
