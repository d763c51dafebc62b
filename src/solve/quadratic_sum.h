// SPDX-License-Identifier: MIT
#pragma once

// The constant Hessian of a quadratic energy (model/energy.h), summed over its elements. It couples each particle with
// more partners than its edges do, by numbers that are the same for x, y and z and change only with the mesh. Each
// particle has a list of its partners; only lists near a change are summed again. Content and order of a list are a
// function of the elements alone, whatever changes led to them. A pair has the same number in both lists, bit for bit.

#include "model/energy.h"
#include "solve/block_matrix.h"

typedef struct QuadraticPartner
{
	uint32_t particle;
	float value; // N/m
} QuadraticPartner;

typedef struct QuadraticList
{
	uint32_t start; // in `partners`
	uint32_t count;
	uint32_t ringCount; // partners that are corners of triangles around the particle; they come first. Rigid
						// triangles do not count.
	float diagonal;     // minus the sum of the values
} QuadraticList;

typedef struct QuadraticSum
{
	ARRAY(QuadraticList) lists;       // per particle
	ARRAY(QuadraticPartner) partners; // all lists, with gaps between them
	uint32_t partnersInUse;           // without the gaps
	bool isUnsorted;                  // lists have not been sorted by rows since all were summed
	bool isPatched;                   // lists have been summed one by one since all were
	uint32_t changes;                 // QuadraticEnergy::changes that the lists describe; 0 for none

	// Scratch.
	ARRAY(uint32_t) dirty;           // particles whose lists are summed again
	ARRAY(uint32_t) slotOf;          // per particle: its slot in `dirty`; DRAPE_NONE for the others
	ARRAY(uint32_t) elements;        // elements that have dirty nodes
	ARRAY(uint32_t) elementCount;    // per task
	ARRAY(uint32_t) entryStart;      // per slot of `dirty`: its first entry
	ARRAY(uint32_t) entries;         // element << nodeBits | node
	ARRAY(uint32_t) marks;           // [workers * particles] index in the list being built
	ARRAY(QuadraticList) batchLists; // computed, but not yet stored
	ARRAY(QuadraticPartner) batchPartners;
} QuadraticSum;

void drapeQuadraticSum_Destroy(QuadraticSum* sum);

// Turns a copy of the struct into one that borrows the lists of the original, which outlives it and does not change:
// drapeQuadraticSum_Follow copies them before it changes any.
void drapeQuadraticSum_Borrow(QuadraticSum* sum);

// Releases the memory that only drapeQuadraticSum_Follow needs, which reserves it again.
void drapeQuadraticSum_ReleaseScratch(QuadraticSum* sum);

// Releases all memory, unless isPatched: the next call of drapeQuadraticSum_Follow sums all lists again.
void drapeQuadraticSum_Release(QuadraticSum* sum);

// Updates the lists after a change of the energy. False when out of memory; the next call sums all lists again.
bool drapeQuadraticSum_Follow(QuadraticSum* sum, const QuadraticEnergy* energy, TaskPool* tasks);

// The rows of particles in a matrix.
typedef struct RowNames
{
	const uint32_t *rowOf, *particleOf;
} RowNames;

// After drapeQuadraticSum_Follow: fills edgeQuadratic, the wide slices, and edgeLump: the smoother's Laplacian, which
// spreads the diagonal of a row over its edges. The edges must be listed. False when out of memory.
bool drapeQuadraticSum_Fill(QuadraticSum* sum, BlockMatrix* matrix, const RowNames* names, TaskPool* tasks);
