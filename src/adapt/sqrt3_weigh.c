// SPDX-License-Identifier: MIT
#include "adapt/sqrt3.h"
#include "base/portable/sort.h"

// Distributes mass anew over a refined mesh (SchemeClass::weigh).
//
// Shares of finer triangles follow from those of coarser ones: a part has a third of the triangle that was split, and
// two flipped triangles have those of the two parts that they came from, by their areas. Coarser triangles that no
// longer exist are in the records of the particles that split them. So triangles and records are visited together, by
// generation.

typedef struct Weighed
{
	uint32_t corner[3];
	uint32_t generation;
	uint32_t item; // the triangle, or the particle whose record it is
	uint32_t isRecord;
	float area; // m^2
} Weighed;

static int64_t* ShareOf(Sqrt3Scheme* scheme, const Weighed* triangle)
{
	return triangle->isRecord ? &scheme->births.data[triangle->item].share
	                          : &scheme->triangles.data[triangle->item].share;
}

// Coarse ones first. Flipped triangles come from two parts, and have the centres of these as their first two corners:
// they are neighbours in this order.
static int Compare(const void* first, const void* second)
{
	const Weighed *a = first, *b = second;
	const uint32_t x[] = {a->generation, MinU32(a->corner[0], a->corner[1]), MaxU32(a->corner[0], a->corner[1]),
	                      a->corner[2], a->isRecord};
	const uint32_t y[] = {b->generation, MinU32(b->corner[0], b->corner[1]), MaxU32(b->corner[0], b->corner[1]),
	                      b->corner[2], b->isRecord};
	for (int k = 0; k < 5; ++k)
	{
		if (x[k] != y[k])
			return x[k] < y[k] ? -1 : 1;
	}
	return 0;
}

// The third corner of a triangle whose edge was cut in thirds. The triangle was a part of one that this particle split,
// two generations before, so that both ends of the edge are parents of the particle.
static uint32_t ApexOf(const ActiveMesh* active, uint32_t third)
{
	const uint32_t* end = active->parents[third].parent;
	for (uint32_t i = 0; i < active->particleCount; ++i)
	{
		const uint32_t* parent = active->parents[i].parent;
		for (uint32_t k = 0; active->level[i] + 2 == active->level[third] && k < 3; ++k)
		{
			if (parent[k] == end[0] && parent[(k + 1) % 3] == end[1])
				return i;
		}
	}
	DRAPE_ASSERT(false);
	return 0;
}

static Weighed RecordOf(const Sqrt3Scheme* scheme, uint32_t particle)
{
	const ActiveMesh* active = scheme->base.active;
	const Sqrt3Birth* birth = &scheme->births.data[particle];
	const uint32_t* parent = active->parents[particle].parent;
	uint32_t apex = birth->twin == DRAPE_NONE ? parent[2] : ApexOf(active, particle);
	return (Weighed){{parent[0], parent[1], apex}, (uint32_t)active->level[particle] - 1, particle, true, birth->area};
}

static uint32_t List(const Sqrt3Scheme* scheme, Weighed* list)
{
	const ActiveMesh* active = scheme->base.active;
	uint32_t count = 0;
	for (uint32_t t = 0; t < active->triangleCount; ++t)
	{
		const uint32_t* corner = active->triangle[t];
		list[count++] =
			(Weighed){{corner[0], corner[1], corner[2]}, Sqrt3_Generation(scheme, t), t, false, active->area[t]};
	}
	for (uint32_t i = scheme->base.pattern->vertexCount; i < active->particleCount; ++i)
	{
		if (scheme->births.data[i].triangle != DRAPE_NONE)
			list[count++] = RecordOf(scheme, i);
	}
	drapeSort(list, count, sizeof *list, Compare);
	return count;
}

static int64_t PartShare(const Sqrt3Scheme* scheme, uint32_t a, uint32_t b, uint32_t apex)
{
	const uint32_t corner[3] = {a, b, apex};
	bool thirds;
	uint32_t part;
	const Sqrt3Birth* birth = drapeSqrt3_FindBirth(scheme, corner, &thirds, &part);
	return drapeSqrt3_PartRest(birth, thirds, part).share;
}

// Two triangles of one flip. Their parts are those that drapeSqrt3_Unflip restores.
static void WeighPair(Sqrt3Scheme* scheme, const Weighed* first, const Weighed* second)
{
	const uint32_t *a = first->corner, *b = second->corner;
	DRAPE_ASSERT(a[0] == b[1] && a[1] == b[0] && first->generation == second->generation);
	int64_t sum = PartShare(scheme, b[2], a[2], a[0]) + PartShare(scheme, a[2], b[2], b[0]);
	double part = (double)first->area / ((double)first->area + (double)second->area);
	int64_t own = (int64_t)(part * (double)sum);
	*ShareOf(scheme, first) = own;
	*ShareOf(scheme, second) = sum - own;
	DRAPE_ASSERT(own > 0 && sum > own);
}

// Weighs a triangle, or both of a pair, whose coarser ones are weighed. Returns the number.
static uint32_t Weigh(Sqrt3Scheme* scheme, const Weighed* triangle, const int64_t* twelfths)
{
	const uint8_t* level = scheme->base.active->level;
	const uint32_t *corner = triangle->corner, generation = triangle->generation;
	int64_t* share = ShareOf(scheme, triangle);
	if (generation == 0)
	{
		uint32_t index = triangle->isRecord ? scheme->births.data[triangle->item].triangle : triangle->item;
		DRAPE_ASSERT(index < scheme->base.pattern->triangleCount);
		*share = 4 * twelfths[index];
	}
	else if (level[corner[2]] + 1u == generation + generation % 2)
		*share = PartShare(scheme, corner[0], corner[1], corner[2]);
	else if (scheme->births.data[corner[0]].twin == corner[1])
		*share = drapeSqrt3_PartRest(&scheme->births.data[corner[0]], true, 0).share;
	else
	{
		WeighPair(scheme, triangle, triangle + 1);
		return 2;
	}
	return 1;
}

bool drapeSqrt3Scheme_Weigh(Scheme* base, const double* factors)
{
	Sqrt3Scheme* scheme = (Sqrt3Scheme*)base;
	ActiveMesh* active = base->active;
	size_t twelfthsSize = base->pattern->triangleCount * sizeof(int64_t);
	size_t most = (size_t)active->triangleCount + active->particleCount;
	int64_t* twelfths = drapeMemAlloc(twelfthsSize);
	Weighed* list = drapeMemAllocArray(most, sizeof *list);
	bool isReserved = twelfths && list;
	if (isReserved)
		active->areaUnit = drapeScheme_AreaTwelfths(base->pattern, factors, sqrt3ShareDivisor, twelfths);
	uint32_t count = isReserved ? List(scheme, list) : 0;
	for (uint32_t i = 0; i < count;)
		i += Weigh(scheme, &list[i], twelfths);
	for (uint32_t i = 0; i < active->particleCount && count > 0; ++i)
		active->share[i] = 0;
	for (uint32_t t = 0; t < active->triangleCount && count > 0; ++t)
	{
		for (int k = 0; k < 3; ++k)
			active->share[active->triangle[t][k]] += scheme->triangles.data[t].share;
	}
	if (isReserved)
		drapeActiveMesh_UpdateMasses(active);
	drapeMemFree(list, most * sizeof *list);
	drapeMemFree(twelfths, twelfthsSize);
	return isReserved;
}
