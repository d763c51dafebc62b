// SPDX-License-Identifier: MIT
#pragma once

// Constraints on the coarse levels of the multigrid.
//
// The matrix of a constraint is w w^T K, with the weights w of its particles and the stiffness K. On a coarser level it
// is (P^T w) (P^T w)^T K, with the interpolation P of hierarchy.h. The levels of all cloths that constraints join go
// through one V-cycle together, coarsest on coarsest, so that a stitch couples both cloths on every level. A cloth with
// fewer levels rests on the additional levels of the others: it takes part with its finest rows and is not smoothed.
//
// The diagonal blocks of a constraint are part of the anchor terms of each level; the other blocks exist only here. Block
// Jacobi with the true diagonal would diverge on them: a constraint has up to eight particles. The smoother has
// |w_i| sum_j |w_j| K / 2 in place of a smaller w_i^2 K, which bounds the eigenvalues of constraints by two.
//
// All loops over constraints are serial, so that the number of threads does not matter.

#include "solve/multigrid.h"
#include "solve/pair_table.h"

enum
{
	jointDenseRows = 256, // most coarsest rows of all joined cloths; they are solved exactly, as one matrix
};

// A row of a constraint: `code` is system << pairRowBits | row of the level.
typedef struct JointRow
{
	uint32_t code;
	float weight;
} JointRow;

typedef struct JointLevel
{
	ARRAY(uint32_t) start; // [constraints + 1] in `rows`
	ARRAY(JointRow) rows;
} JointLevel;

typedef struct JointLevels
{
	bool isOff;                           // constraints are anchor terms on coarse levels, for comparisons
	uint32_t levelCount;                  // 0 when constraints are anchor terms only
	uint32_t systemCount;                 // joined systems
	uint32_t systems[pairMaxSystems];     // their numbers
	Multigrid* multigrid[pairMaxSystems]; // by number; NULL for systems that are not joined
	uint32_t firstRow[pairMaxSystems];    // by number: in `extra`
	JointLevel levels[hierarchyLevels];   // 0 is the coarsest
	ARRAY(float) extra;                   // [6 * rows] scratch: surplus of the smoother's diagonal
	ARRAY(Vec4) kept;                     // [PairTable::touchedCount] scratch: r of the finest levels
	DenseFactor dense;                    // the coarsest level of all joined systems
	ARRAY(Vec4) denseB, denseX;
} JointLevels;

void drapeJointLevels_Destroy(JointLevels* levels);

// Restricts the weights of all constraints to all levels. Constraints stay anchor terms when memory runs out, when a
// system with constraints has no coarse levels, or when the coarsest levels have more than jointDenseRows rows together.
void drapeJointLevels_Build(JointLevels* levels, const PairTable* joints, const PairSystem* systems,
                            uint32_t systemCount);

// Adds the constraints to the anchor terms and the smoothers of all levels. The multigrids have been updated without them.
void drapeJointLevels_Update(JointLevels* levels, const PairTable* joints);

DRAPE_INLINE bool JointLevels_Has(const JointLevels* levels, uint32_t system)
{
	return levels->levelCount > 0 && levels->multigrid[system];
}

// As drapeMultigrid_Apply, for all joined systems at once. Returns the sum of r . z.
double drapeJointLevels_Apply(JointLevels* levels, const PairTable* joints, TaskPool* tasks);
