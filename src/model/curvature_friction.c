// SPDX-License-Identifier: MIT
#include "model/curvature.h"

#include "base/simd.h"

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

enum
{
	secondStart = curvatureNodes - 8, // start of the second eight nodes; two nodes are in both
};

// 1 for lanes of the second eight that are not in the first.
static const float isSecond[8] = {0.0f, 0.0f, 1.0f, 1.0f, 1.0f, 1.0f, 1.0f, 1.0f};
_Static_assert(secondStart == 6, "two lanes are left out");

// A number for each node. Weights are zero in lanes that do not count.
typedef struct NodeValues
{
	F8 first, second;
} NodeValues;

DRAPE_INLINE NodeValues LoadWeights(const float weight[curvatureNodes])
{
	return (NodeValues){F8_Load(weight), F8_Mul(F8_Load(isSecond), F8_Load(weight + secondStart))};
}

DRAPE_INLINE float SumNodes(NodeValues weights, F8 first, F8 second)
{
	return F8_SumLanes(F8_Add(F8_Mul(weights.first, first), F8_Mul(weights.second, second)));
}

static NodeValues DisplacementAlong(const CurvatureElement* element, const InternalFrictionQuery* query, Vec3 n)
{
	uint32_t row[curvatureNodes];
	for (uint32_t i = 0; i < curvatureNodes; ++i)
		row[i] = query->rowOf[element->node[i]];
	V8 direction = V8_Splat(n);
	return (NodeValues){V8_Dot(direction, V8_Gather(query->displacement, row)),
	                    V8_Dot(direction, V8_Gather(query->displacement, row + secondStart))};
}

static float Clamped(float value)
{
	return fminf(fmaxf(value, -give), give);
}

static void AddTo(Vec4* force, Vec3 value)
{
	*force = (Vec4){force->x + value.x, force->y + value.y, force->z + value.z, force->w};
}

// Adds the forces of moments along the normal n of a triangle with these sides, whose cross product has this length.
// The change of the second derivatives acts on all nodes, that of the normal on the corners, as for rest curvature
// (curvature_energy.c).
static void AddMoments(const CurvatureElement* element, const float moment[3], const NodeValues weights[3],
                       const V8 x[2], Vec3 n, float length, const Vec3 side[2], Vec4* force)
{
	F8 first = F8_Splat(0.0f), second = first;
	for (int c = 0; c < 3; ++c)
	{
		first = F8_Add(first, F8_Mul(F8_Splat(moment[c]), weights[c].first));
		second = F8_Add(second, F8_Mul(F8_Splat(moment[c]), weights[c].second));
	}
	const NodeValues all = {first, second};
	float weight[curvatureNodes];
	F8_Store(weight + secondStart, second);
	F8_Store(weight, first);
	for (uint32_t i = 0; i < element->count; ++i)
		AddTo(&force[element->node[i]], V3Scale(weight[i], n));
	Vec3 m = {SumNodes(all, x[0].x, x[1].x), SumNodes(all, x[0].y, x[1].y), SumNodes(all, x[0].z, x[1].z)};
	Vec3 turn = V3Scale(1.0f / length, V3Sub(m, V3Scale(V3Dot(m, n), n)));
	Vec3 one = V3Cross(side[1], turn), two = V3Cross(turn, side[0]);
	AddTo(&force[element->node[1]], one);
	AddTo(&force[element->node[2]], two);
	AddTo(&force[element->node[0]], V3Scale(-1.0f, V3Add(one, two)));
}

static void AddElement(const CurvatureElement* element, const float stiffness[3], const InternalFrictionQuery* query,
                       Vec4* set, Vec4* force)
{
	DRAPE_ASSERT(element->count >= 3 && element->count <= curvatureNodes);
	const Vec4* position = query->position;
	Vec3 origin = V4Xyz(position[element->node[0]]);
	const Vec3 side[2] = {V3Sub(V4Xyz(position[element->node[1]]), origin),
	                      V3Sub(V4Xyz(position[element->node[2]]), origin)};
	Vec3 cross = V3Cross(side[0], side[1]);
	float length = V3Length(cross);
	if (!(length > 0.0f))
		return;
	Vec3 n = V3Scale(1.0f / length, cross);
	// Relative to corner 0, to stay accurate far from the origin.
	const V8 x[2] = {V8_Sub(V8_Gather(position, element->node), V8_Splat(origin)),
	                 V8_Sub(V8_Gather(position, element->node + secondStart), V8_Splat(origin))};
	const NodeValues at = {V8_Dot(V8_Splat(n), x[0]), V8_Dot(V8_Splat(n), x[1])};
	NodeValues ahead = {F8_Splat(0.0f), F8_Splat(0.0f)};
	if (query->begins)
		ahead = DisplacementAlong(element, query, n);
	float slider[3] = {set->x, set->y, set->z}, moment[3];
	NodeValues weights[3];
	for (int c = 0; c < 3; ++c)
	{
		weights[c] = LoadWeights(element->weight[c]);
		float curvature = SumNodes(weights[c], at.first, at.second);
		if (set->w <= 0.0f)
			slider[c] = curvature;
		else if (query->begins)
			slider[c] = curvature - Clamped(curvature - slider[c]);
		float change = SumNodes(weights[c], ahead.first, ahead.second);
		moment[c] = -element->area * stiffness[c] * Clamped(curvature - slider[c] + change);
	}
	*set = (Vec4){slider[0], slider[1], slider[2], 1.0f};
	AddMoments(element, moment, weights, x, n, length, side, force);
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
	const BendLaw* law = &curvature->law;
	float times = drapeCurvature_FrictionStiffness(curvature);
	const float stiffness[3] = {times * law->warp, times * law->weft, 2.0f * times * law->twist};
	uint64_t count = curvature->elements.count, parts = PartCount(curvature);
	for (uint32_t part = start; part < end; ++part)
	{
		size_t particles = task->query->particleCount;
		Vec4* force = &task->force[part * particles];
		memset(force, 0, particles * sizeof *force);
		for (uint32_t t = (uint32_t)(part * count / parts); t < (uint32_t)((part + 1) * count / parts); ++t)
		{
			const CurvatureElement* element = &curvature->elements.data[t];
			if (element->count > 0)
				AddElement(element, stiffness, task->query, &task->query->set[t], force);
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
			AddTo(&task->force[i], V4Xyz(own[i]));
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
