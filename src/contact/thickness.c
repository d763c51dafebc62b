// SPDX-License-Identifier: MIT
#include "contact/thickness.h"

static float LongestEdge(const TriangleMaterial* material)
{
	float longest = 0.0f;
	for (uint32_t k = 0; k < 3; ++k)
	{
		Vec2 edge = V2Sub(material->corner[(k + 1) % 3], material->corner[k]);
		longest = MaxF(longest, V2Dot(edge, edge));
	}
	return sqrtf(longest);
}

// The largest factor of the corners of a triangle.
static float FactorOf(const ActiveMesh* mesh, uint32_t triangle, const float* factors)
{
	const uint32_t* corner = mesh->triangle[triangle];
	return factors ? MaxF(factors[corner[0]], MaxF(factors[corner[1]], factors[corner[2]])) : 1.0f;
}

CarriedThickness drapeThickness_Examine(const ActiveMesh* mesh, float thickness, const float* factors)
{
	DRAPE_ASSERT(thickness >= 0.0f);
	CarriedThickness carried = {.least = thickness};
	for (uint32_t t = 0; t < mesh->triangleCount; ++t)
	{
		float factor = FactorOf(mesh, t, factors), longest = LongestEdge(&mesh->material[t]);
		float own = factor > 0.0f ? MinF(thickness, longest / factor) : thickness;
		carried.most = MaxF(carried.most, own);
		carried.least = MinF(carried.least, own);
		carried.triangles += own < thickness;
	}
	DRAPE_ASSERT(carried.least <= carried.most || mesh->triangleCount == 0);
	return carried;
}

float drapeThickness_Most(const ActiveMesh* mesh, float thickness)
{
	DRAPE_ASSERT(thickness >= 0.0f);
	float most = 0.0f;
	for (uint32_t t = 0; t < mesh->triangleCount && most < thickness; ++t)
		most = MaxF(most, LongestEdge(&mesh->material[t]));
	return MinF(thickness, most);
}
