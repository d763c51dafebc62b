// SPDX-License-Identifier: MIT
#include "adapt/config.h"

#include <string.h>

#define NO_TRIANGLE                                                                                                    \
	{                                                                                                                  \
		localNone, localNone, localNone                                                                                \
	}

// The one table: for each configuration the triangle in each slot, counter-clockwise.
static const uint8_t table[configCount][configSlots][3] = {
	{NO_TRIANGLE, NO_TRIANGLE, NO_TRIANGLE, NO_TRIANGLE}, // C0   S0
	{{0, 3, 2}, NO_TRIANGLE, NO_TRIANGLE, {3, 1, 2}},     // C1   S1  edge 0
	{NO_TRIANGLE, {1, 4, 0}, NO_TRIANGLE, {4, 2, 0}},     // C2   S2  edge 1
	{NO_TRIANGLE, NO_TRIANGLE, {2, 5, 1}, {5, 0, 1}},     // C3   S3  edge 2
	{{0, 3, 2}, {3, 1, 4}, NO_TRIANGLE, {3, 4, 2}},       // C4   S4  edges 0 1
	{{0, 3, 4}, {3, 1, 4}, NO_TRIANGLE, {4, 2, 0}},       // C5   S4
	{NO_TRIANGLE, {1, 4, 0}, {5, 4, 2}, {4, 5, 0}},       // C6   S5  edges 1 2
	{NO_TRIANGLE, {1, 4, 5}, {5, 4, 2}, {5, 0, 1}},       // C7   S5
	{{0, 3, 5}, NO_TRIANGLE, {2, 5, 1}, {5, 3, 1}},       // C8   S6  edges 2 0
	{{0, 3, 5}, NO_TRIANGLE, {2, 5, 3}, {3, 1, 2}},       // C9   S6
	{{0, 3, 5}, {3, 1, 4}, {5, 4, 2}, {3, 4, 5}},         // C10  S7
};

// The six possible inner edges, from side 0's point of view, by slot: three between middles, three from a middle to the
// corner opposite. The two that share a slot never occur in one configuration.
static const uint8_t innerEdges[configInner][2][2] = {
	{{3, 4}, {5, 1}},
	{{4, 5}, {3, 2}},
	{{5, 3}, {4, 0}},
};

static uint8_t SideOf(uint8_t a, uint8_t b)
{
	for (uint8_t k = 0; k < 3; ++k)
	{
		uint8_t next = (uint8_t)((k + 1) % 3), middle = (uint8_t)(3 + k);
		if (a == k && b == next)
			return (uint8_t)(sideOuter + k);
		if (a == k && b == middle)
			return (uint8_t)(sideHalf + 2 * k);
		if (a == middle && b == next)
			return (uint8_t)(sideHalf + 2 * k + 1);
		for (int i = 0; i < 2; ++i)
		{
			const uint8_t* ends = innerEdges[k][i];
			if (a == ends[0] && b == ends[1])
				return (uint8_t)(sideInner + 2 * k);
			if (a == ends[1] && b == ends[0])
				return (uint8_t)(sideInner + 2 * k + 1);
		}
	}
	DRAPE_ASSERT(false && "the table has a side that is no edge");
	return 0;
}

// Twelfths of the parent's area that a corner of this triangle carries: a third of a quarter, or of a half when a side
// is one of the parent's whole edges and another of its sides halves the parent.
static uint8_t CornerShare(const uint8_t* corner)
{
	// In barycentric coordinates doubled, so that corners and middles are whole: corner k is 2 e_k, middle k is e_k +
	// e_k+1.
	int point[3][2];
	for (int i = 0; i < 3; ++i)
	{
		int weight[3] = {0, 0, 0};
		if (corner[i] < 3)
			weight[corner[i]] = 2;
		else
			weight[corner[i] - 3] = weight[(corner[i] - 2) % 3] = 1;
		point[i][0] = weight[1];
		point[i][1] = weight[2];
	}
	int quarters = (point[1][0] - point[0][0]) * (point[2][1] - point[0][1]) -
	               (point[2][0] - point[0][0]) * (point[1][1] - point[0][1]);
	DRAPE_ASSERT(quarters == 1 || quarters == 2);
	return (uint8_t)quarters;
}

static void DeriveConfig(Configs* configs, int c)
{
	memset(configs->inner[c], localNone, sizeof configs->inner[c]);
	memset(configs->side[c], localNone, sizeof configs->side[c]);
	for (int slot = 0; slot < configSlots; ++slot)
	{
		const uint8_t* corner = table[c][slot];
		memcpy(configs->corner[c][slot], corner, 3);
		if (corner[0] == localNone)
			continue;
		uint8_t share = CornerShare(corner);
		for (int k = 0; k < 3; ++k)
		{
			uint8_t side = SideOf(corner[k], corner[(k + 1) % 3]);
			configs->side[c][slot][k] = side;
			configs->share[c][corner[k]] = (uint8_t)(configs->share[c][corner[k]] + share);
			if (corner[k] >= 3)
				configs->middles[c] |= (uint8_t)(1 << (corner[k] - 3));
			if (side >= sideInner && (side - sideInner) % 2 == 0)
			{
				uint8_t* inner = configs->inner[c][(side - sideInner) / 2];
				inner[0] = corner[k];
				inner[1] = corner[(k + 1) % 3];
			}
		}
	}
	if (c == configWhole)
		memset(configs->share[c], 4, 3);
}

static int CountBits(unsigned bits)
{
	int count = 0;
	for (; bits; bits &= bits - 1)
		count++;
	return count;
}

static Transition DeriveTransition(const Configs* configs, int from, int to)
{
	Transition transition = {0};
	for (int slot = 0; slot < configSlots; ++slot)
	{
		const uint8_t *before = configs->corner[from][slot], *after = configs->corner[to][slot];
		uint8_t bit = (uint8_t)(1 << slot);
		bool same = memcmp(before, after, 3) == 0;
		if (before[0] != localNone)
			*(same ? &transition.triangleKept : &transition.triangleRemoved) |= bit;
		if (after[0] != localNone && !same)
			transition.triangleCreated |= bit;
	}
	for (int slot = 0; slot < configInner; ++slot)
	{
		const uint8_t *before = configs->inner[from][slot], *after = configs->inner[to][slot];
		uint8_t bit = (uint8_t)(1 << slot);
		bool same = memcmp(before, after, 2) == 0;
		if (before[0] != localNone)
			*(same ? &transition.edgeKept : &transition.edgeRemoved) |= bit;
		if (after[0] != localNone && !same)
			transition.edgeCreated |= bit;
	}
	transition.change = (uint8_t)(CountBits(transition.triangleCreated) + CountBits(transition.triangleRemoved) +
	                              CountBits(transition.edgeCreated) + CountBits(transition.edgeRemoved));
	return transition;
}

void drapeConfigs_Init(Configs* configs)
{
	memset(configs, 0, sizeof *configs);
	memset(configs->choice, localNone, sizeof configs->choice);
	for (int c = 0; c < configCount; ++c)
	{
		DeriveConfig(configs, c);
		uint8_t* choice = configs->choice[configs->middles[c]];
		choice[choice[0] == localNone ? 0 : 1] = (uint8_t)c;
	}
	for (int from = 0; from < configCount; ++from)
	{
		for (int to = 0; to < configCount; ++to)
			configs->transition[from][to] = DeriveTransition(configs, from, to);
	}
}

uint8_t drapeConfigs_Choose(const Configs* configs, uint8_t from, uint8_t splitEdges, bool* tied)
{
	DRAPE_ASSERT(from < configCount && splitEdges < 8 && tied);
	const uint8_t* choice = configs->choice[splitEdges];
	*tied = false;
	if (choice[1] == localNone)
		return choice[0];
	uint8_t first = configs->transition[from][choice[0]].change, second = configs->transition[from][choice[1]].change;
	*tied = first == second;
	return second < first ? choice[1] : choice[0];
}
