// SPDX-License-Identifier: MIT
#pragma once

// Contacts and constraints on the coarse levels of the multigrid.
//
// The matrix of a pair is w w^T K, with the weights w of its particles and the stiffness K. On a coarser level it is
// (P^T w) (P^T w)^T K, with the interpolation P of hierarchy.h. The levels of all cloths that pairs join go through one
// V-cycle together, coarsest on coarsest, so that a pair couples both of its cloths on every level. A cloth with fewer
// levels rests on the additional levels of the others: it takes part with its finest rows and is not smoothed.
//
// On the finest level the products are those of pair_table.h. On coarser levels the pairs are added up to blocks between
// rows, in differences as in block_matrix.h:
//
//   (S z)_i = G_i z_i + sum_j S_ij (z_j - z_i)
//
// There are a few blocks per row, however many pairs there are. Block Jacobi with the true diagonal would diverge: a pair
// couples many rows. The smoother has T_i / 2 in place of the diagonal of S, with T_i = sum |w_i| sum_j |w_j| K over the
// pairs of a row. S <= T, so that the eigenvalues of the pairs are at most two. P^T T bounds S on the coarser level in
// the same way.

#include "solve/multigrid.h"
#include "solve/pair_table.h"

enum
{
	pairTables = 2,       // contacts and constraints
	pairDenseRows = 96,   // most coarsest rows of all joined cloths that are solved exactly, as one matrix
	jointDenseRows = 256, // the same with constraints, which leave most of the matrix empty
};

typedef struct PairLevelRow
{
	uint32_t row; // a code (pair_table.h), or an index of a PairLevel
	float weight;
} PairLevelRow;

// The couplings of one level. Only rows with pairs are stored, eight at a time.
typedef struct PairLevel
{
	uint32_t rowCount, groupCount;
	uint32_t firstRow[pairMaxSystems]; // of each system, in a numbering of all rows of the level
	ARRAY(uint32_t) number;            // per row in that numbering: its index here, or DRAPE_NONE
	ARRAY(uint32_t) codes;             // [8 * groupCount] ascending; the last one is repeated
	ARRAY(PairLevelRow) parents;       // [3 * rowCount] indices on the next coarser level
	ARRAY(uint32_t) degree;            // [8 * groupCount] couplings of each row
	ARRAY(uint32_t) start;             // [groupCount + 1] first slot of a group; a slot has eight entries
	ARRAY(uint32_t) column;            // [8 * slots] indices; rows with fewer entries are padded with themselves
	ARRAY(float) block;                // [48 * slots] S_ij: xx xy xz yy yz zz, eight lanes each
	ARRAY(float) anchor;               // [48 * groupCount] G_i, likewise
	ARRAY(Vec4) z;                     // [8 * groupCount] scratch
} PairLevel;

typedef struct PairLevels
{
	bool isOff;                           // pairs are anchor terms on coarse levels, for comparisons
	uint32_t levelCount;                  // 0 when pairs are anchor terms only
	uint32_t systemCount;                 // joined systems
	uint32_t systems[pairMaxSystems];     // their numbers
	Multigrid* multigrid[pairMaxSystems]; // by number; NULL for systems that are not joined
	bool rests;                           // some systems have fewer levels than others
	PairTable* tables[pairTables];        // contacts and constraints
	PairLevel levels[hierarchyLevels];    // 0 is the coarsest; that of the finest rows is not used
	// When the levels were listed: lists of the same pairs in the same systems are kept.
	uint32_t listedLevels;                        // levelCount; 0 when nothing is listed
	uint32_t listNumber[pairTables];              // PairTable::lists
	uint32_t listedCount[pairTables];             // pairs
	const Multigrid* listedGrids[pairMaxSystems]; // `multigrid`
	// The pairs on the level below the finest.
	ARRAY(PairLevelRow) rows[pairTables]; // three for each slot of a pair; unused ones follow the last
	ARRAY(uint8_t) pairRows[pairTables];  // rows of each pair
	ARRAY(float) stiffness[pairTables];   // [8 * pairs] K: xx xy xz yy yz zz, and two zeros
	ARRAY(uint32_t) entryStart;           // [rows of that level + 1] first entry of a row
	ARRAY(uint32_t) entries;              // index in `rows` << 1 | table
	ARRAY(uint32_t) marks, lists;         // [workers * rows] scratch
	ARRAY(float) sums;                    // [workers * 8 * rows] scratch
	ARRAY(uint32_t) columns;              // scratch: columns of each row of the level being built, if they are few
	ARRAY(Vec4) kept[pairTables];         // scratch: r of the finest rows
	DenseFactor dense;                    // the coarsest level of all joined systems
	ARRAY(Vec4) denseB, denseX;
} PairLevels;

void drapePairLevels_Destroy(PairLevels* levels);

// Restricts the weights of all pairs and finds the couplings of all levels. Pairs stay anchor terms when memory runs out,
// or when a system with pairs has no coarse levels. The tables must stay where they are. The multigrids have no
// pairs yet.
void drapePairLevels_Build(PairLevels* levels, PairTable* const tables[pairTables], const PairSystem* systems,
                           uint32_t systemCount, TaskPool* tasks);

// Computes the couplings of all levels and the diagonals of the smoothers, from the laws. Before drapeMultigrid_Update.
void drapePairLevels_Update(PairLevels* levels, TaskPool* tasks);

// Factorises the coarsest level of all systems, after drapeMultigrid_Update.
void drapePairLevels_Factorise(PairLevels* levels);

DRAPE_INLINE bool PairLevels_Has(const PairLevels* levels, uint32_t system)
{
	return levels->levelCount > 0 && levels->multigrid[system];
}

// As drapeMultigrid_Apply, for all joined systems at once. Returns the sum of r . z.
double drapePairLevels_Apply(PairLevels* levels, TaskPool* tasks);
