// SPDX-License-Identifier: MIT
#pragma once

// Triangles at random for trees and grids, and lists of pairs to be compared.

#include "base/random.h"
#include "contact/items.h"

enum
{
	soupTriangles = 700,
};

// Triangles that move, some of them sharing corners.
typedef struct Soup
{
	Vec4 from[3 * soupTriangles], to[3 * soupTriangles];
	uint32_t corners[3 * soupTriangles];
	Items items;
} Soup;

// Anywhere in a cube from -size to size, and that far around a point.
Vec4 Soup_Point(Random* random, float size);
Vec4 Soup_Near(Random* random, Vec4 p, float size);

// Alike, in such a cube; or of sizes from `small` to `large`, in one of 2 m.
void Soup_Make(Soup* soup, uint32_t count, uint64_t seed, float size);
void Soup_MakeOfSizes(Soup* soup, uint32_t count, uint64_t seed, float small, float large);

// As qsort wants it.
int Soup_ComparePairs(const void* a, const void* b);
void Soup_SortPairs(PairList* list);

// Sorts what was found; the others are sorted.
void Soup_AssertSamePairs(PairList* found, const ItemPair* wanted, uint32_t count);
