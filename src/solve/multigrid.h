// SPDX-License-Identifier: MIT
#pragma once

// Preconditioners on the levels of a hierarchy, for a symmetric matrix on its finest one.
//
// The coarse matrices are Galerkin products, P^T A P with P the interpolation of hierarchy.h: which fine blocks add up
// to which coarse block is found once per mesh; each step only the sums are taken. Coarse levels smooth and never
// multiply exactly, so they know bending only by the Laplacian that stands for it. Pins and contacts reach them as a
// stiff ground under their rows.

#include "solve/block_matrix.h"
#include "solve/hierarchy.h"

#include "drape/material.h"

enum
{
	denseRows = 48, // at most, for the coarsest level to be solved exactly
};

// A share of a coarse block.
typedef struct GalerkinItem
{
	uint32_t source; // block of the finer level << 1 | transposed
	float weight;
} GalerkinItem;

// The same before the coarse blocks have their numbers: those of its lower row are counted from 0.
typedef struct EmittedItem
{
	GalerkinItem item;
	uint32_t number, high;
} EmittedItem;

typedef struct MultigridLevel
{
	BlockMatrix matrix;
	ARRAY(uint32_t) itemStart; // [edgeCount + 1] what the blocks are made of; not on the finest level
	ARRAY(GalerkinItem) items;
	ARRAY(Vec4) r, z, t; // right-hand side, solution, scratch
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
	uint32_t elementParticles; // at most, of the elements whose sum the finest matrix is
	DenseFactor dense;
	// Scratch of the build.
	ARRAY(EmittedItem) emitted; // by task, where there is room for the most it could emit
	ARRAY(uint32_t) taskStart;  // where in that
	ARRAY(uint32_t) itemCount;  // by coarse row
	ARRAY(uint32_t) marks;      // [workers * coarse rows]
	ARRAY(float) diagonal;      // by fine row: what stands for bending
} Multigrid;

void drapeMultigrid_Destroy(Multigrid* multigrid);

// The finest level, whose matrix and bending the caller fills before drapeMultigrid_Build, all but the slices of edges.
MultigridLevel* drapeMultigrid_Finest(Multigrid* multigrid, const Hierarchy* hierarchy);

// Structure and bending of the coarser levels. False when memory is short.
bool drapeMultigrid_Build(Multigrid* multigrid, TaskPool* tasks);

// Values: the finest level's blocks, ground and bendScale have changed.
void drapeMultigrid_Update(Multigrid* multigrid, drapePreconditioner kind, TaskPool* tasks);

// The damping of the first sweep on the finest level: z = omega D^-1 r, which the caller has done before
// drapeMultigrid_Apply.
float drapeMultigrid_Omega(const Multigrid* multigrid, drapePreconditioner kind);

// z of the finest level becomes an approximate solution for its r. Returns r . z; the preconditioner is symmetric and
// positive, so that is positive but for r = 0.
double drapeMultigrid_Apply(Multigrid* multigrid, drapePreconditioner kind, TaskPool* tasks);

// dense.c
bool drapeDenseFactor_Reserve(DenseFactor* dense, uint32_t rows);
void drapeDenseFactor_Destroy(DenseFactor* dense);
void drapeDenseFactor_Update(DenseFactor* dense, const BlockMatrix* matrix);
void drapeDenseFactor_Solve(DenseFactor* dense, const Vec4* b, Vec4* x);
