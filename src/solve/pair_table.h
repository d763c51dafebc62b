// SPDX-License-Identifier: MIT
#pragma once

// Pairs of weighted points as part of the matrix of an implicit solve.
//
// A pair is two points. Each point is a weighted sum of particles, which may belong to different cloths; kinematic
// points have no particles here. A law gives the force on the first point and a stiffness; the second point feels the
// opposite force. With w_i the weight of particle i (positive for the first point, negative for the second):
//
//   force on i      w_i f
//   matrix block    w_i w_j (across I + (along - across) n n^T)
//
// Coarse levels have the pairs too (pair_levels.h). Without them, the diagonal blocks are added to the anchor terms of the
// rows, where preconditioners and coarse levels see them, and the other blocks exist only in drapePairTable_Multiply.
//
// Contacts have four particles in total, constraints up to eight. The number of slots is a constant in each loop.

#include "base/simd.h"
#include "base/array.h"
#include "base/tasks.h"
#include "solve/barrier.h"
#include "solve/block_matrix.h"
#include "solve/hierarchy.h"

enum
{
	pairMaxSystems = matrixMostSystems, // cloths in one solve

	pairRowBits = 26,
	pairRowMask = (1 << pairRowBits) - 1,

	contactSlots = 4,    // particles of a contact
	constraintSlots = 8, // particles of a constraint
};

// A row of one of several vectors. `code` is system << pairRowBits | row.
DRAPE_INLINE Vec4* PairRow(Vec4* const* rows, uint32_t code)
{
	return &rows[code >> pairRowBits][code & pairRowMask];
}

// One cloth of a solve: its rows and the vectors of the step in progress (see implicit.h).
typedef struct PairSystem
{
	const Hierarchy* hierarchy;
	const ActiveMesh* mesh;
	BlockMatrix* matrix;
	Vec4 *moved, *start;         // m, by row
	Vec4* onward;                // m, by row: the predicted displacement in the first iteration, then `moved`
	Vec4* b;                     // kg m, by row
	Vec4* x;                     // m, by row: the solution
	float hardStiffness;         // kg: s^2 times the stiffness of hard constraints of this cloth
	struct Multigrid* multigrid; // its coarse levels, for constraints; NULL without
} PairSystem;

typedef struct PairTable
{
	uint32_t slots;          // particles per pair: contactSlots or constraintSlots
	uint32_t count;          // pairs
	bool isWhole;            // products have the diagonal blocks; the anchor terms do not
	ARRAY(float) weights;    // [slots * count]
	ARRAY(uint32_t) rows;    // [slots * count] system << pairRowBits | row; DRAPE_NONE for unused slots
	ARRAY(TouchLaw) laws;    // [count] s^2 times forces and stiffness
	uint32_t touchedCount;   // rows with pairs
	ARRAY(uint32_t) touched; // [touchedCount] their codes, in windows by their number of pairs
	ARRAY(uint32_t) start;   // [touchedCount + 1] first entry of a row
	ARRAY(uint32_t) entries; // slots * pair + slot

	// For products, eight pairs or eight touched rows at a time.
	ARRAY(uint32_t) pairRow;   // per pair, [slots] of lanes: 16 * index in `touched`; 0 for unused slots
	ARRAY(float) pairWeight;   // likewise; 0 for unused slots
	ARRAY(float) pairLaw;      // per pair, [5] of lanes: normal, across, along - across
	ARRAY(uint32_t) rowStart;  // [groups of touched rows + 1] first slot of a group; a slot has eight entries
	ARRAY(uint32_t) rowPair;   // per slot: 16 * pair
	ARRAY(float) rowWeight;    // likewise; 0 for unused entries
	ARRAY(float) rowDiagonal;  // [6] of lanes: diagonal block of a row, unless isWhole
	ARRAY(Vec4) rowValue;      // [touchedCount] scratch: rows of x
	ARRAY(Vec4) flow;          // [count] scratch: force of a pair
	ARRAY(uint32_t) number;    // [rows of all systems] scratch
	ARRAY(uint32_t) listed;    // [slots * listedCount] `rows` when the pairs were last listed
	uint32_t listedCount;      // pairs
	uint32_t listedTouched;    // touchedCount
	uint32_t lists;            // how often they were listed
	ARRAY(uint32_t) unordered; // scratch: rows before they are sorted
	ARRAY(double) partials;    // scratch
} PairTable;

void drapePairTable_Destroy(PairTable* table);

// Reserves memory for `count` pairs in systems with `rowCount` rows in all. False when out of memory.
bool drapePairTable_Reserve(PairTable* table, uint32_t slots, uint32_t count, uint32_t rowCount);

// Lists the pairs of each row after `rows` was filled for `count` pairs. Lists of the same pairs as before, such as the
// contacts of cloth at rest, are kept; only the weights are new.
void drapePairTable_FindRows(PairTable* table, const PairSystem* systems, uint32_t systemCount, TaskPool* tasks);

// Adds the forces of all laws to b, and the diagonal blocks to the anchor terms of the matrices.
void drapePairTable_Apply(PairTable* table, const PairSystem* systems, TaskPool* tasks);

// Adds the forces to b, and half of the bound |w_i| sum_j |w_j| K to the surplus of the matrices.
void drapePairTable_ApplyWhole(PairTable* table, const PairSystem* systems, TaskPool* tasks);

// Sets the rows with pairs to zero.
void drapePairTable_ClearRows(const PairTable* table, Vec4* const* rows);

// The rows with pairs of y become the product; the others stay. The table must be whole.
void drapePairTable_Write(PairTable* table, Vec4* const* x, Vec4* const* y, TaskPool* tasks);

// y += sign * (all blocks if isWhole, else off-diagonal ones) x. Returns x . (the added vector).
double drapePairTable_Multiply(PairTable* table, Vec4* const* x, Vec4* const* y, float sign, TaskPool* tasks);

DRAPE_INLINE Vec4 PairTable_Row(Vec3 a)
{
	return (Vec4){a.x, a.y, a.z, 0.0f};
}

// The weighted sum of a vector's rows over the particles of a pair. `slots` is a constant at each call.
DRAPE_INLINE Vec3 PairTable_Weighted(const PairTable* table, uint32_t slots, uint32_t pair, Vec4* const* rows)
{
	Vec3 sum = {0.0f, 0.0f, 0.0f};
	for (uint32_t k = 0; k < slots; ++k)
	{
		uint32_t code = table->rows.data[slots * pair + k];
		if (code != DRAPE_NONE)
			sum = V3Add(sum, V3Scale(table->weights.data[slots * pair + k], V4Xyz(*PairRow(rows, code))));
	}
	return sum;
}
