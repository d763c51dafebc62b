// SPDX-License-Identifier: MIT
#include "adapt/criteria/mean_curvature.h"

#include "adapt/criteria/deviation.h"
#include "base/simd.h"

#include <string.h>

enum
{
	curvatureGrain = 2048
};

typedef struct Work
{
	MeanCurvature* curvature;
	const ActiveMesh* mesh;
} Work;

void drapeMeanCurvature_Destroy(MeanCurvature* curvature)
{
	ArrayFree(&curvature->value);
	ArrayFree(&curvature->laplace);
	BitSet_Free(&curvature->isBoundary);
}

// Adds to the fourth component of each row.
DRAPE_INLINE void ScatterAddW(Vec4* rows, const uint32_t* index, uint32_t count, F8 w)
{
	float lanes[8];
	F8_Store(lanes, w);
	for (uint32_t i = 0; i < count; ++i)
		rows[index[i]].w += lanes[i];
}

// Adds the contributions of eight triangles to their corners.
DRAPE_INLINE void AddEight(const Work* work, const uint32_t* const corner[3], uint32_t count)
{
	const Vec4* position = work->mesh->position;
	Vec4* laplace = work->curvature->laplace.data;
	const F8 zero = F8_Splat(0.0f), half = F8_Splat(0.5f);
	V8 x[3], edge[3]; // edge k is opposite to corner k
	F8 cot[3], dot[3], length2[3];
	for (int k = 0; k < 3; ++k)
		x[k] = V8_Gather(position, corner[k]);
	for (int k = 0; k < 3; ++k)
	{
		edge[k] = V8_Sub(x[(k + 2) % 3], x[(k + 1) % 3]);
		length2[k] = V8_Dot(edge[k], edge[k]);
	}
	V8 normal = V8_Cross(edge[2], edge[0]);
	// Limits the cotangents of collapsed triangles.
	F8 largest = F8_Max(length2[0], F8_Max(length2[1], length2[2]));
	F8 least = F8_Max(F8_Mul(F8_Splat(1e-4f), largest), F8_Splat(1e-30f));
	F8 twiceArea = F8_Max(F8_Sqrt(V8_Dot(normal, normal)), least);
	for (int k = 0; k < 3; ++k)
	{
		dot[k] = F8_Neg(V8_Dot(edge[(k + 1) % 3], edge[(k + 2) % 3]));
		cot[k] = F8_Div(dot[k], twiceArea);
	}
	M8 obtuse = M8_Or(F8_Lt(dot[0], zero), M8_Or(F8_Lt(dot[1], zero), F8_Lt(dot[2], zero)));
	for (int k = 0; k < 3; ++k)
	{
		int next = (k + 1) % 3, last = (k + 2) % 3;
		// x_k - x_last is edge `next`, x_k - x_next is minus edge `last`.
		V8 sum = V8_Sub(V8_Scale(cot[next], edge[next]), V8_Scale(cot[last], edge[last]));
		F8 voronoi =
			F8_Mul(F8_Splat(0.125f), F8_Add(F8_Mul(length2[last], cot[last]), F8_Mul(length2[next], cot[next])));
		F8 cutOff = F8_Mul(F8_Blend(F8_Lt(dot[k], zero), F8_Splat(0.25f), F8_Splat(0.125f)), twiceArea);
		V8_ScatterAdd(laplace, corner[k], count, V8_Scale(half, sum));
		ScatterAddW(laplace, corner[k], count, F8_Blend(obtuse, cutOff, voronoi));
	}
}

static void AddColor(const GraphColor* color, uint32_t start, uint32_t end, void* context)
{
	uint32_t pad[3][8];
	for (uint32_t i = start; i < end; i += 8)
	{
		uint32_t count = MinU32(8, end - i);
		const uint32_t* corner[3];
		for (int k = 0; k < 3; ++k)
			corner[k] = Lanes(&color->particle[k][i], count, pad[k]);
		AddEight(context, corner, count);
	}
}

static void AddInOrder(const Work* work)
{
	const ActiveMesh* mesh = work->mesh;
	uint32_t pad[3][8];
	for (uint32_t t = 0; t < mesh->triangleCount; ++t)
	{
		const uint32_t* corner[3];
		for (int k = 0; k < 3; ++k)
			corner[k] = Lanes(&mesh->triangle[t][k], 1, pad[k]);
		AddEight(work, corner, 1);
	}
}

static void ClearRows(uint32_t start, uint32_t end, uint32_t worker, void* context)
{
	(void)worker;
	const Work* work = context;
	memset(&work->curvature->laplace.data[start], 0, (end - start) * sizeof(Vec4));
}

static void FinishRows(uint32_t start, uint32_t end, uint32_t worker, void* context)
{
	(void)worker;
	const Work* work = context;
	for (uint32_t i = start; i < end; ++i)
	{
		Vec4 row = work->curvature->laplace.data[i];
		float twice = BitSet_Get(&work->curvature->isBoundary, i)
		                  ? fabsf(V3Dot(V4Xyz(row), V4Xyz(work->mesh->normal[i])))
		                  : V3Length(V4Xyz(row));
		float value = 0.5f * twice / row.w;
		work->curvature->value.data[i] = isfinite(value) ? value : 0.0f;
	}
}

// Serial, in the order of the edges: the boundary has few edges.
static void SpreadToBoundary(MeanCurvature* curvature, const ActiveMesh* mesh)
{
	const BitSet* isBoundary = &curvature->isBoundary;
	Vec4* sum = curvature->laplace.data; // x: sum of the values, y: their number
	for (uint32_t i = BitSet_Next(isBoundary, 0, mesh->particleCount); i != DRAPE_NONE;
	     i = BitSet_Next(isBoundary, i + 1, mesh->particleCount))
		sum[i] = (Vec4){0};
	for (uint32_t e = 0; e < mesh->edgeCount; ++e)
	{
		uint32_t from = mesh->edgeFrom[e], to = mesh->edgeTo[e];
		bool isFromOnIt = BitSet_Get(isBoundary, from);
		if (isFromOnIt == BitSet_Get(isBoundary, to))
			continue;
		uint32_t outer = isFromOnIt ? from : to, inner = isFromOnIt ? to : from;
		sum[outer].x += curvature->value.data[inner];
		sum[outer].y += 1.0f;
	}
	for (uint32_t i = BitSet_Next(isBoundary, 0, mesh->particleCount); i != DRAPE_NONE;
	     i = BitSet_Next(isBoundary, i + 1, mesh->particleCount))
	{
		if (sum[i].y > 0.0f)
			curvature->value.data[i] = sum[i].x / sum[i].y;
	}
}

bool drapeMeanCurvature_Compute(MeanCurvature* curvature, const ActiveMesh* mesh, const ColorGraph* triangles,
                                TaskPool* tasks)
{
	DRAPE_ASSERT(curvature && mesh);
	if (!ArrayReserve(&curvature->value, mesh->particleCount) ||
	    !ArrayReserve(&curvature->laplace, mesh->particleCount) ||
	    !BitSet_Reserve(&curvature->isBoundary, mesh->particleCount))
		return false;
	Work work = {curvature, mesh};
	MarkBoundary(&curvature->isBoundary, mesh);
	drapeTaskPool_For(tasks, mesh->particleCount, curvatureGrain, ClearRows, &work);
	if (triangles)
		drapeColorGraph_For(triangles, tasks, AddColor, &work);
	else
		AddInOrder(&work);
	drapeTaskPool_For(tasks, mesh->particleCount, curvatureGrain, FinishRows, &work);
	SpreadToBoundary(curvature, mesh);
	return true;
}
