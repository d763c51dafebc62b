// SPDX-License-Identifier: MIT
#include "surface/surface.h"

#include "base/simd.h"

#include <string.h>

enum
{
	normalGrain = 2048
};

// The cross product of two edges is the unit normal times twice the area, so the plain sum is weighted by area.
static void AddNormals(const GraphColor* color, uint32_t start, uint32_t end, void* context)
{
	ActiveMesh* mesh = context;
	uint32_t pad[3][8];
	for (uint32_t i = start; i < end; i += 8)
	{
		uint32_t count = MinU32(8, end - i);
		const uint32_t* corner[3];
		for (int k = 0; k < 3; ++k)
			corner[k] = Lanes(&color->particle[k][i], count, pad[k]);
		V8 a = V8_Gather(mesh->position, corner[0]);
		V8 ab = V8_Sub(V8_Gather(mesh->position, corner[1]), a), ac = V8_Sub(V8_Gather(mesh->position, corner[2]), a);
		V8 normal = V8_Cross(ab, ac);
		for (int k = 0; k < 3; ++k)
			V8_ScatterAdd(mesh->normal, corner[k], count, normal);
	}
}

static void ClearNormals(uint32_t start, uint32_t end, uint32_t worker, void* context)
{
	(void)worker;
	memset(&((ActiveMesh*)context)->normal[start], 0, (end - start) * sizeof(Vec4));
}

static void NormalizeNormals(uint32_t start, uint32_t end, uint32_t worker, void* context)
{
	(void)worker;
	ActiveMesh* mesh = context;
	for (uint32_t i = start; i < end; ++i)
	{
		Vec3 unit = V3Normalize(V4Xyz(mesh->normal[i]));
		mesh->normal[i] = (Vec4){unit.x, unit.y, unit.z, 0.0f};
	}
}

void drapeSurface_UpdateNormals(ActiveMesh* mesh, const ColorGraph* triangles, TaskPool* tasks)
{
	DRAPE_ASSERT(triangles->arity == 3);
	DRAPE_ASSERT(triangles->taken.count >= mesh->particleCount);
	drapeTaskPool_For(tasks, mesh->particleCount, normalGrain, ClearNormals, mesh);
	drapeColorGraph_For(triangles, tasks, AddNormals, mesh);
	drapeTaskPool_For(tasks, mesh->particleCount, normalGrain, NormalizeNormals, mesh);
}
