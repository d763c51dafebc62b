// SPDX-License-Identifier: MIT
#include "surface/surface.h"

#include <string.h>

// The cross product of two edges is twice the area times the unit normal: summing it weights by area by itself.
void Surface_UpdateNormals(ActiveMesh* mesh)
{
	memset(mesh->normal, 0, mesh->particleCount * sizeof(Vec4));
	for (uint32_t t = 0; t < mesh->triangleCount; ++t)
	{
		const uint32_t* corner = mesh->triangle[t];
		Vec3 a = V4Xyz(mesh->position[corner[0]]);
		Vec3 ab = V3Sub(V4Xyz(mesh->position[corner[1]]), a), ac = V3Sub(V4Xyz(mesh->position[corner[2]]), a);
		Vec3 normal = V3Cross(ab, ac);
		for (int k = 0; k < 3; ++k)
		{
			Vec4* sum = &mesh->normal[corner[k]];
			sum->x += normal.x;
			sum->y += normal.y;
			sum->z += normal.z;
		}
	}
	for (uint32_t i = 0; i < mesh->particleCount; ++i)
	{
		Vec3 unit = V3Normalize(V4Xyz(mesh->normal[i]));
		mesh->normal[i] = (Vec4){unit.x, unit.y, unit.z, 0.0f};
	}
}
