// SPDX-License-Identifier: MIT
#pragma once

// Bending couples each particle with more particles than its edges lead to, by numbers that are the same for x, y and z
// and change only with the mesh: the sum of the elements' Hessians. It is kept by particle, each with all its partners,
// and only particles near a change are summed up anew. What a list has in it, and in which order, is a function of the
// elements alone, however it came about, and a pair has the same number on both sides, bit for bit.

#include "model/energy.h"
#include "solve/block_matrix.h"

typedef struct BendPartner
{
	uint32_t particle;
	float value; // N/m
} BendPartner;

typedef struct BendList
{
	uint32_t start; // in `partners`
	uint32_t count;
	uint32_t ringCount; // the first so many are corners of triangles around the particle, rigid ones apart
	float diagonal;     // how bending holds the particle when all others stay: minus the sum of the values
} BendList;

typedef struct BendSum
{
	ARRAY(BendList) lists;       // by particle
	ARRAY(BendPartner) partners; // of all lists, with gaps between them
	uint32_t partnersInUse;      // without the gaps
	bool isUnsorted;             // lists have not been put in the order of rows since all were summed up
	uint32_t changes;            // of the energy that the lists describe; 0 for none

	// Scratch.
	ARRAY(uint32_t) dirty;        // particles to sum up anew
	ARRAY(uint32_t) placeOf;      // by particle: its place among these, DRAPE_NONE for the others
	ARRAY(uint32_t) elements;     // that have such particles as nodes
	ARRAY(uint32_t) elementCount; // by task
	ARRAY(uint32_t) entryStart;   // by place: the elements it is a node of,
	ARRAY(uint32_t) entries;      // as element << nodeBits | node
	ARRAY(uint32_t) marks;        // [workers * particles] place in the list under way
	ARRAY(BendPartner) spare;     // where `partners` goes without its gaps
	ARRAY(BendList) batchLists;   // computed, but not yet stored
	ARRAY(BendPartner) batchPartners;
} BendSum;

void drapeBendSum_Destroy(BendSum* sum);

// Brings the lists in step. False when memory is short; the next call starts afresh.
bool drapeBendSum_Follow(BendSum* sum, const QuadraticEnergy* energy, TaskPool* tasks);

// Which particle is which row of a matrix.
typedef struct RowNames
{
	const uint32_t *rowOf, *particleOf;
} RowNames;

// The matrix's edgeBend and wide slices, and in edgeLump what stands for bending in the smoother: a row's whole
// resistance, spread over its edges. The edges must be listed. False when memory is short.
bool drapeBendSum_Fill(BendSum* sum, BlockMatrix* matrix, const RowNames* names, TaskPool* tasks);
