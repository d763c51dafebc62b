// SPDX-License-Identifier: MIT
#pragma once

// Preconditioned conjugate gradients that filter pinned rows out of the search (Baraff and Witkin 1998, 5.2; Ascher and
// Boxerman 2003). Pinned rows keep their initial value.

#include "base/deadline.h"
#include "solve/multigrid.h"
#include "solve/pair_forces.h"

typedef struct Pcg
{
	ARRAY(uint32_t) pinned; // rows
	ARRAY(Vec4) b, x, p, q; // per row, padded
} Pcg;

typedef struct PcgResult
{
	uint32_t iterations;
	float residual; // |b - A x| over its initial value, without pinned rows
	bool converged;
	bool isCut; // the deadline ended it
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

// Solves A x = b with the finest matrix, starting from x. With x as the displacement at constant velocity, this is the
// system for changes of velocity of Baraff and Witkin 1998. The tolerance is then relative to the effect of forces, not
// to the speed of the cloth as a whole.
PcgResult drapePcg_Solve(Pcg* pcg, Multigrid* multigrid, const PcgDef* def, TaskPool* tasks);

// When a solve ends. The residual alone is a poor measure: where a collider pushes particles over centimetres, the stiff
// contact rows make up nearly all of it, and they are solved at once, long before the cloth has followed. The same holds
// for a large force on a single particle. The last update must be small, too.
typedef struct PcgLimits
{
	float tolerance; // ratio of the residual to that at the start
	float update;    // m: root mean square of the last update over all rows, within 60 iterations; INFINITY for any
	uint32_t maxIterations; // > 0
	Deadline* deadline;     // NULL for none; a solve makes its first iterations all the same
} PcgLimits;

// Solves at most pairMaxSystems such systems, coupled by the forces between them; pairs may be NULL. With pairs, r . z must
// have fallen by the square of the tolerance as well: the preconditioner's estimate of the energy of the error.
PcgResult drapePcg_SolveTogether(const PcgSystem* systems, uint32_t count, PairForces* pairs, const PcgLimits* limits,
                                 TaskPool* tasks);

// Sets the pinned rows of a vector to zero.
void drapePcg_Filter(const Pcg* pcg, Vec4* rows);
