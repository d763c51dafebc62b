// SPDX-License-Identifier: MIT
#pragma once

// Preconditioned conjugate gradients with pinned rows filtered out of the search (Baraff and Witkin 1998, 5.2; Ascher
// and Boxerman 2003): they keep the change they were given.

#include "solve/multigrid.h"
#include "solve/pair_forces.h"

typedef struct Pcg
{
	ARRAY(uint32_t) pinned; // rows
	ARRAY(Vec4) b, x, p, q; // by row, padded
} Pcg;

typedef struct PcgResult
{
	uint32_t iterations;
	float residual; // |b - A x| over that at the start, pinned rows left out
	bool converged;
} PcgResult;

typedef struct PcgDef
{
	drapePreconditioner preconditioner;
	float tolerance;
	uint32_t maxIterations;
} PcgDef;

// A matrix, with its vectors and its preconditioner.
typedef struct PcgSystem
{
	Pcg* pcg;
	Multigrid* multigrid;
	drapePreconditioner preconditioner;
} PcgSystem;

bool drapePcg_Reserve(Pcg* pcg, uint32_t rowCount);
void drapePcg_Destroy(Pcg* pcg);

// Solves A x = b with the finest matrix, from the x there is, whose pinned rows stay as they are. When that x is
// the motion that cloth would go on with, this is the system for changes of velocity of Baraff and Witkin 1998, and the
// tolerance is relative to its right-hand side: what forces do, however fast the cloth as a whole is.
PcgResult drapePcg_Solve(Pcg* pcg, Multigrid* multigrid, const PcgDef* def, TaskPool* tasks);

// Several such systems, at most pairMaxSystems, that forces between them make one; pairs may be NULL.
PcgResult drapePcg_SolveTogether(const PcgSystem* systems, uint32_t count, PairForces* pairs, float tolerance,
                                 uint32_t maxIterations, TaskPool* tasks);

// Takes the pinned rows out of a vector.
void drapePcg_Filter(const Pcg* pcg, Vec4* rows);
