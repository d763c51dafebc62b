// SPDX-License-Identifier: MIT
#include "model/curvature.h"

#include "base/simd.h"

#include <stddef.h>
#include <string.h>

// Friction between threads: the moments of bending and unbending differ by a constant, and cloth keeps a part of its
// last shape. Laboratories measure the width of this loop, 2HB, beside the rigidity B (Kawabata 1980). The model is a
// spring with a slider in parallel with each elastic moment:
//
//   m = B hold / give * clamp(k - set, -give, give)
//
// Beyond `give` the slider is dragged along (Prandtl; cloth: Miguel et al. 2013). k is the curvature along the
// triangle's normal, so that rigid motion meets no resistance.
//
// A solver needs the moment at the end of its step, and its stiffness. The law is not smooth, but it is the derivative
// of a convex function whose curvature is largest while it sticks. The moment is therefore taken at the expected
// position, with the stiffness of sticking from there on. A step with such a bound lowers the true function, and it is
// exact for sticking and for steady sliding. The matrix keeps the form of elastic bending, times a number.

static const float give = 5.0f; // 1/m

float drapeCurvature_FrictionStiffness(const Curvature* curvature)
{
	return curvature->hold / give;
}

// --- eight triangles ------------------------------------------------------------------------------------------------

// Eight elements, one per lane.
typedef struct Eight
{
	uint32_t element[8];
	uint32_t count; // lanes in use; the others repeat the first
	uint32_t nodes; // most nodes of an element
	uint32_t node[curvatureNodes][8];
	F8 weight[3][curvatureNodes];
	F8 area;
	V8 x[curvatureNodes]; // m, relative to corner 0, to stay accurate far from the origin
	V8 normal;
	F8 length; // of the cross product of two sides
	M8 isThere;
} Eight;

// Turns four consecutive words of eight elements into columns.
DRAPE_INLINE void LoadWords(const void* words, const uint32_t* offset8, F8 column[4])
{
	F8_GatherAt(words, offset8, &column[0], &column[1], &column[2], &column[3]);
}

// Loads nodes and weights, four nodes at a time; the last four overlap the ones before.
static void LoadElements(Eight* eight, const CurvatureElement* elements)
{
	const CurvatureElement* first = &elements[eight->element[0]];
	uint32_t offset[8];
	F8 column[4];
	eight->nodes = 0;
	for (uint32_t l = 0; l < 8; ++l)
	{
		offset[l] = (uint32_t)((eight->element[l] - eight->element[0]) * sizeof(CurvatureElement));
		eight->nodes = MaxU32(eight->nodes, elements[eight->element[l]].count);
	}
	for (uint32_t block = 0; block < eight->nodes; block += 4)
	{
		uint32_t start = MinU32(block, curvatureNodes - 4);
		for (uint32_t c = 0; c < 3; ++c)
			LoadWords(&first->weight[c][start], offset, &eight->weight[c][start]);
		LoadWords(&first->node[start], offset, column);
		for (uint32_t i = 0; i < 4; ++i)
			memcpy(eight->node[start + i], &column[i], sizeof eight->node[0]);
	}
	LoadWords(first->rest, offset, column);
	eight->area = column[3];
}

_Static_assert(offsetof(CurvatureElement, area) == offsetof(CurvatureElement, rest) + 3 * sizeof(float),
               "one load reads both");
_Static_assert(sizeof(F8) == 8 * sizeof(uint32_t), "columns of nodes are copied");

static void LoadPositions(Eight* eight, const Vec4* position)
{
	V8 origin = V8_Gather(position, eight->node[0]);
	for (uint32_t i = 0; i < eight->nodes; ++i)
		eight->x[i] = V8_Sub(V8_Gather(position, eight->node[i]), origin);
	V8 cross = V8_Cross(eight->x[1], eight->x[2]);
	eight->length = F8_Sqrt(V8_Dot(cross, cross));
	eight->isThere = F8_Gt(eight->length, F8_Splat(0.0f));
	eight->normal = V8_Scale(F8_Div(F8_Splat(1.0f), eight->length), cross);
}

// The sum of weights times values over the nodes, by a tree with eight leaves.
DRAPE_INLINE F8 SumNodes(const Eight* eight, const F8* weight, const F8* value)
{
	F8 leaf[8];
	for (uint32_t i = 0; i < 8; ++i)
		leaf[i] = i < eight->nodes ? F8_Mul(weight[i], value[i]) : F8_Splat(0.0f);
	for (uint32_t i = 8; i < eight->nodes; ++i)
		leaf[i + 8 - curvatureNodes] = F8_Add(leaf[i + 8 - curvatureNodes], F8_Mul(weight[i], value[i]));
	return F8_Add(F8_Add(F8_Add(leaf[0], leaf[4]), F8_Add(leaf[2], leaf[6])),
	              F8_Add(F8_Add(leaf[1], leaf[5]), F8_Add(leaf[3], leaf[7])));
}

// One number for each second derivative.
typedef struct Forms
{
	F8 form[3];
} Forms;

DRAPE_INLINE F8 Clamped(F8 value)
{
	return F8_Min(F8_Max(value, F8_Splat(-give)), F8_Splat(give));
}

// Finds the moments, and moves the sliders.
static Forms FindMoments(const Eight* eight, const float stiffness[3], const InternalFrictionQuery* query)
{
	const F8 zero = F8_Splat(0.0f);
	F8 at[curvatureNodes], ahead[curvatureNodes], slider[3], isSet;
	Forms moments;
	for (uint32_t i = 0; i < eight->nodes; ++i)
	{
		at[i] = V8_Dot(eight->normal, eight->x[i]);
		ahead[i] = zero;
		if (!query->begins)
			continue;
		uint32_t row[8];
		for (uint32_t l = 0; l < 8; ++l)
			row[l] = query->rowOf[eight->node[i][l]];
		ahead[i] = V8_Dot(eight->normal, V8_Gather(query->displacement, row));
	}
	F8_GatherRows4(query->set, eight->element, &slider[0], &slider[1], &slider[2], &isSet);
	for (int c = 0; c < 3; ++c)
	{
		F8 curvature = SumNodes(eight, eight->weight[c], at), change = SumNodes(eight, eight->weight[c], ahead);
		F8 moved = F8_Sub(curvature, Clamped(F8_Sub(curvature, slider[c])));
		slider[c] = F8_Blend(F8_Gt(isSet, zero), query->begins ? moved : slider[c], curvature);
		F8 bent = Clamped(F8_Add(F8_Sub(curvature, slider[c]), change));
		moments.form[c] = F8_Mul(F8_Mul(F8_Neg(eight->area), F8_Splat(stiffness[c])), bent);
	}
	Vec4 set[8];
	V8_StoreRows(set, (V8){slider[0], slider[1], slider[2]});
	for (uint32_t l = 0; l < eight->count; ++l)
	{
		if (M8_Bits(eight->isThere) >> l & 1)
			query->set[eight->element[l]] = (Vec4){set[l].x, set[l].y, set[l].z, 1.0f};
	}
	return moments;
}

DRAPE_INLINE void AddRow(Vec4* sum, Vec4 add)
{
	*sum = (Vec4){sum->x + add.x, sum->y + add.y, sum->z + add.z, sum->w + add.w};
}

// Adds the forces of moments along the normals. The change of the second derivatives acts on all nodes, that of the
// normal on the corners, as for rest curvature (curvature_energy.c).
static void AddMoments(const Eight* eight, const CurvatureElement* elements, const Forms* moments, Vec4* force)
{
	V8 n = eight->normal;
	F8 weight[curvatureNodes], x[3][curvatureNodes];
	Vec4 rows[curvatureNodes + 3][8]; // nodes, then corners
	for (uint32_t i = 0; i < eight->nodes; ++i)
	{
		weight[i] = F8_Splat(0.0f);
		for (int c = 0; c < 3; ++c)
			weight[i] = F8_Add(weight[i], F8_Mul(moments->form[c], eight->weight[c][i]));
		x[0][i] = eight->x[i].x;
		x[1][i] = eight->x[i].y;
		x[2][i] = eight->x[i].z;
		V8_StoreRows(rows[i], V8_Scale(weight[i], n));
	}
	V8 m = {SumNodes(eight, weight, x[0]), SumNodes(eight, weight, x[1]), SumNodes(eight, weight, x[2])};
	V8 turn = V8_Scale(F8_Div(F8_Splat(1.0f), eight->length), V8_Sub(m, V8_Scale(V8_Dot(m, n), n)));
	V8 one = V8_Cross(eight->x[2], turn), two = V8_Cross(turn, eight->x[1]);
	V8_StoreRows(rows[curvatureNodes], V8_Scale(F8_Splat(-1.0f), V8_Add(one, two)));
	V8_StoreRows(rows[curvatureNodes + 1], one);
	V8_StoreRows(rows[curvatureNodes + 2], two);
	for (uint32_t l = 0; l < eight->count; ++l)
	{
		uint32_t count = elements[eight->element[l]].count;
		if (!(M8_Bits(eight->isThere) >> l & 1))
			continue;
		for (uint32_t i = 0; i < count; ++i)
			AddRow(&force[eight->node[i][l]], rows[i][l]);
		for (uint32_t i = 0; i < 3; ++i)
			AddRow(&force[eight->node[i][l]], rows[curvatureNodes + i][l]);
	}
}

static void AddElements(Eight* eight, const CurvatureElement* elements, const float stiffness[3],
                        const InternalFrictionQuery* query, Vec4* force)
{
	DRAPE_ASSERT(eight->count > 0 && eight->count <= 8);
	for (uint32_t l = eight->count; l < 8; ++l)
		eight->element[l] = eight->element[0];
	LoadElements(eight, elements);
	DRAPE_ASSERT(eight->nodes >= 3 && eight->nodes <= curvatureNodes);
	LoadPositions(eight, query->position);
	Forms moments = FindMoments(eight, stiffness, query);
	AddMoments(eight, elements, &moments, force);
}

// --- all triangles --------------------------------------------------------------------------------------------------

// Elements overlap. The triangles are divided into parts, whose number does not depend on threads. Each part sums its
// own forces, and then the parts are added in order.

enum
{
	mostParts = 8,
	partSize = 512, // least number of triangles
	particleGrain = 1024,
};

static uint32_t PartCount(const Curvature* curvature)
{
	return MinU32(1 + curvature->elements.count / partSize, mostParts);
}

size_t drapeCurvature_FrictionRows(const Curvature* curvature, uint32_t particleCount)
{
	return (size_t)PartCount(curvature) * particleCount;
}

typedef struct FrictionTask
{
	const Curvature* curvature;
	const InternalFrictionQuery* query;
	Vec4* force; // [parts * particles]
} FrictionTask;

static void PartRange(uint32_t start, uint32_t end, uint32_t worker, void* context)
{
	(void)worker;
	const FrictionTask* task = context;
	const Curvature* curvature = task->curvature;
	const CurvatureElement* elements = curvature->elements.data;
	const BendLaw* law = &curvature->law;
	float times = drapeCurvature_FrictionStiffness(curvature);
	const float stiffness[3] = {times * law->warp, times * law->weft, 2.0f * times * law->twist};
	uint64_t count = curvature->elements.count, parts = PartCount(curvature);
	for (uint32_t part = start; part < end; ++part)
	{
		size_t particles = task->query->particleCount;
		Vec4* force = &task->force[part * particles];
		memset(force, 0, particles * sizeof *force);
		uint32_t last = (uint32_t)((part + 1) * count / parts);
		Eight eight = {.count = 0};
		for (uint32_t t = (uint32_t)(part * count / parts); t < last; ++t)
		{
			for (uint32_t line = 0; line < sizeof *elements; line += 64)
				DRAPE_PREFETCH((const char*)&elements[MinU32(t + 24, last - 1)] + line);
			eight.element[eight.count] = t;
			eight.count += elements[t].count > 0;
			if (eight.count < 8 && !(t + 1 == last && eight.count > 0))
				continue;
			AddElements(&eight, elements, stiffness, task->query, force);
			eight.count = 0;
		}
	}
}

static void SumRange(uint32_t start, uint32_t end, uint32_t worker, void* context)
{
	(void)worker;
	const FrictionTask* task = context;
	for (uint32_t part = 1; part < PartCount(task->curvature); ++part)
	{
		const Vec4* own = &task->force[(size_t)part * task->query->particleCount];
		for (uint32_t i = start; i < end; ++i)
			AddRow(&task->force[i], own[i]);
	}
}

void drapeCurvature_FindFriction(const Curvature* curvature, const InternalFrictionQuery* query, Vec4* force,
                                 TaskPool* tasks)
{
	DRAPE_ASSERT(curvature->hold > 0.0f && query->set);
	DRAPE_ASSERT(query->particleCount == curvature->particleCount);
	FrictionTask task = {curvature, query, force};
	drapeTaskPool_For(tasks, PartCount(curvature), 1, PartRange, &task);
	drapeTaskPool_For(tasks, query->particleCount, particleGrain, SumRange, &task);
}
