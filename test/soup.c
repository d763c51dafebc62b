// SPDX-License-Identifier: MIT
#include "soup.h"

#include "support.h"

#include <stdlib.h>

Vec4 Soup_Point(Random* random, float size)
{
	return (Vec4){Random_Range(random, -size, size), Random_Range(random, -size, size),
	              Random_Range(random, -size, size), 1.0f};
}

Vec4 Soup_Near(Random* random, Vec4 p, float size)
{
	Vec4 d = Soup_Point(random, size);
	return (Vec4){p.x + d.x, p.y + d.y, p.z + d.z, 1.0f};
}

// A corner of its own, or, now and then, one that there is.
static uint32_t PickCorner(Random* random, uint32_t i)
{
	return i > 3 && Random_Below(random, 5) == 0 ? Random_Below(random, i) : i;
}

void Soup_Make(Soup* soup, uint32_t count, uint64_t seed, float size)
{
	Random random = Random_Seed(seed, 7);
	for (uint32_t i = 0; i < 3 * count; ++i)
	{
		soup->from[i] = i % 3 ? Soup_Near(&random, soup->from[i - i % 3], 0.15f * size) : Soup_Point(&random, size);
		soup->to[i] = Soup_Near(&random, soup->from[i], 0.05f * size);
		soup->corners[i] = PickCorner(&random, i);
	}
	soup->items = (Items){soup->from, soup->to, soup->corners, 3, count, 0.01f * size};
}

void Soup_MakeOfSizes(Soup* soup, uint32_t count, uint64_t seed, float small, float large)
{
	Random random = Random_Seed(seed, 3);
	for (uint32_t i = 0; i < 3 * count; ++i)
	{
		float size = small * powf(large / small, Random_Float(&random));
		soup->from[i] = i % 3 ? Soup_Near(&random, soup->from[i - i % 3], size) : Soup_Point(&random, 1.0f);
		soup->to[i] = Soup_Near(&random, soup->from[i], 0.02f);
		soup->corners[i] = PickCorner(&random, i);
	}
	soup->items = (Items){soup->from, soup->to, soup->corners, 3, count, 0.005f};
}

int Soup_ComparePairs(const void* a, const void* b)
{
	const ItemPair *p = a, *q = b;
	if (p->a != q->a)
		return p->a < q->a ? -1 : 1;
	return p->b < q->b ? -1 : p->b > q->b;
}

void Soup_SortPairs(PairList* list)
{
	if (list->pairs.count > 0)
		qsort(list->pairs.data, list->pairs.count, sizeof(ItemPair), Soup_ComparePairs);
}

void Soup_AssertSamePairs(PairList* found, const ItemPair* wanted, uint32_t count)
{
	Soup_SortPairs(found);
	assert_int_equal(found->pairs.count, count);
	if (count > 0)
		assert_memory_equal(found->pairs.data, wanted, count * sizeof(ItemPair));
}
