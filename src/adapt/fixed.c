// SPDX-License-Identifier: MIT
#include "adapt/adapt.h"

#include <string.h>

// The scheme without refinement, for cloth that is fine enough already and for comparison. Particles, triangles and
// edges of the active mesh are the vertices, triangles and edges of the pattern, in the same order and with the same
// names.

static void Destroy(Scheme* scheme)
{
	drapeMemFree(scheme, sizeof *scheme);
}

static drapeResult Adapt(Scheme* scheme, const AdaptRequest* request, AdaptCounts* counts)
{
	(void)scheme;
	(void)request;
	*counts = (AdaptCounts){0};
	return drape_ok;
}

static const char* Validate(const Scheme* scheme)
{
	const ActiveMesh* active = scheme->active;
	const PatternMesh* pattern = scheme->pattern;
	if (active->particleCount != pattern->vertexCount || active->triangleCount != pattern->triangleCount ||
	    active->edgeCount != pattern->edgeCount)
		return "a fixed mesh has changed";
	return drapeActiveMesh_Validate(active, pattern->area);
}

static size_t Bytes(const Scheme* scheme)
{
	return sizeof *scheme;
}

static uint32_t ParticleOf(const Scheme* scheme, uint32_t vertexId)
{
	(void)scheme;
	return vertexId;
}

static void SetShares(const PatternMesh* pattern, ActiveMesh* active, const int64_t* twelfths)
{
	memset(active->share, 0, pattern->vertexCount * sizeof *active->share);
	for (uint32_t i = 0; i < 3 * pattern->triangleCount; ++i)
		active->share[pattern->triangles[i]] += 4 * twelfths[i / 3];
}

static bool Weigh(Scheme* scheme, const double* factors)
{
	const PatternMesh* pattern = scheme->pattern;
	size_t size = pattern->triangleCount * sizeof(int64_t);
	int64_t* twelfths = drapeMemAlloc(size);
	if (!twelfths)
		return false;
	scheme->active->areaUnit = drapeScheme_AreaTwelfths(pattern, factors, 1, twelfths);
	SetShares(pattern, scheme->active, twelfths);
	drapeActiveMesh_UpdateMasses(scheme->active);
	drapeMemFree(twelfths, size);
	return true;
}

static const SchemeClass fixedSchemeClass = {
	.name = "fixed",
	.destroy = Destroy,
	.adapt = Adapt,
	.validate = Validate,
	.bytes = Bytes,
	.particleOf = ParticleOf,
	.weigh = Weigh,
};

static void CopyTriangles(const PatternMesh* pattern, ActiveMesh* active)
{
	for (uint32_t t = 0; t < pattern->triangleCount; ++t)
	{
		for (int k = 0; k < 3; ++k)
		{
			uint32_t particle = pattern->triangles[3 * t + k];
			active->triangle[t][k] = particle;
			active->material[t].corner[k] = pattern->material[3 * t + k];
			if (active->hasTexcoords)
				active->texcoord[t].corner[k] = pattern->texcoords[3 * t + k];
		}
		active->area[t] = (float)drapePatternMesh_TriangleArea(pattern, t);
		active->triangleId[t] = active->patternTriangle[t] = t;
		active->triangleLevel[t] = 0;
		active->bendSet[t] = (Vec4){0};
	}
	active->triangleCount = pattern->triangleCount;
}

static float SideLength(const PatternMesh* pattern, uint32_t half)
{
	uint32_t t = half >> 2, k = half & 3;
	Vec2 d = V2Sub(pattern->material[3 * t + (k + 1) % 3], pattern->material[3 * t + k]);
	return sqrtf(V2Dot(d, d));
}

static void CopyEdges(const PatternMesh* pattern, ActiveMesh* active)
{
	for (uint32_t e = 0; e < pattern->edgeCount; ++e)
	{
		const PatternEdge* edge = &pattern->edges[e];
		active->edgeFrom[e] = edge->vertex[0];
		active->edgeTo[e] = edge->vertex[1];
		active->edgeFlags[e] = (uint8_t)(pattern->seam[e] ? drape_edgeSeam : 0);
		active->edgeId[e] = e;
		active->edgeLevel[e] = 0;
		active->wings[e] = (EdgeWings){.triangle = {DRAPE_NONE, DRAPE_NONE}, .opposite = {DRAPE_NONE, DRAPE_NONE}};
		float length = 0.0f;
		int sides = 0;
		for (int side = 0; side < 2; ++side)
		{
			uint32_t half = edge->half[side];
			if (half == DRAPE_NONE)
			{
				active->edgeFlags[e] |= drape_edgeBoundary;
				continue;
			}
			active->wings[e].triangle[side] = half >> 2;
			active->wings[e].opposite[side] = pattern->triangles[3 * (half >> 2) + ((half & 3) + 2) % 3];
			length += SideLength(pattern, half);
			sides++;
		}
		active->restLength[e] = length / (float)sides;
		DRAPE_ASSERT(active->restLength[e] > 0.0f);
	}
	active->edgeCount = pattern->edgeCount;
}

drapeResult drapeFixedScheme_Create(Scheme** result, const PatternMesh* pattern, ActiveMesh* active)
{
	DRAPE_ASSERT(result && pattern && active);
	DRAPE_ASSERT(active->particleCount == 0 && active->triangleCount == 0);
	*result = NULL;
	size_t twelfthsSize = pattern->triangleCount * sizeof(int64_t);
	int64_t* twelfths = drapeMemAlloc(twelfthsSize);
	Scheme* scheme = drapeMemAllocZero(sizeof *scheme);
	if (!twelfths || !scheme || !drapeActiveMesh_ReserveParticles(active, pattern->vertexCount) ||
	    !drapeActiveMesh_ReserveTriangles(active, pattern->triangleCount) ||
	    !drapeActiveMesh_ReserveEdges(active, pattern->edgeCount))
	{
		drapeMemFree(twelfths, twelfthsSize);
		drapeMemFree(scheme, sizeof *scheme);
		return drape_errorMemory;
	}
	*scheme = (Scheme){.type = &fixedSchemeClass, .pattern = pattern, .active = active};
	active->areaUnit = drapeScheme_AreaTwelfths(pattern, NULL, 1, twelfths);
	for (uint32_t i = 0; i < pattern->vertexCount; ++i)
		drapeActiveMesh_AddParticle(active, pattern->positions[i], i);
	CopyTriangles(pattern, active);
	SetShares(pattern, active, twelfths);
	CopyEdges(pattern, active);
	drapeActiveMesh_UpdateMasses(active);
	drapeMemFree(twelfths, twelfthsSize);
	*result = scheme;
	return drape_ok;
}

drapeResult drapeFixedScheme_CreateCopy(Scheme** result, const Scheme* lender, ActiveMesh* active)
{
	DRAPE_ASSERT(lender->type == &fixedSchemeClass && active->particleCount == lender->pattern->vertexCount);
	*result = drapeMemAlloc(sizeof **result);
	if (!*result)
		return drape_errorMemory;
	**result = (Scheme){.type = &fixedSchemeClass, .pattern = lender->pattern, .active = active};
	return drape_ok;
}
