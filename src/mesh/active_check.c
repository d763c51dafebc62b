// SPDX-License-Identifier: MIT
#include "mesh/active.h"
#include "mesh/geometry.h"

// The invariants of an active mesh.

#define REQUIRE(condition, sentence)                                                                                   \
	do                                                                                                                 \
	{                                                                                                                  \
		if (!(condition))                                                                                              \
			return sentence;                                                                                           \
	} while (0)

static const char* ValidateParticles(const ActiveMesh* mesh)
{
	int64_t share = 0;
	for (uint32_t i = 0; i < mesh->particleCount; ++i)
	{
		REQUIRE(V3IsFinite(V4Xyz(mesh->position[i])), "a particle's position is not finite");
		REQUIRE(V3IsFinite(V4Xyz(mesh->velocity[i])), "a particle's velocity is not finite");
		REQUIRE(V3IsFinite(V4Xyz(mesh->normal[i])), "a particle's normal is not finite");
		REQUIRE(mesh->share[i] > 0, "a particle has no mass");
		bool isPinned = (mesh->particleFlags[i] & drape_particlePinned) != 0;
		REQUIRE((mesh->position[i].w == 0.0f) == isPinned, "a particle's inverse mass does not fit its pin");
		share += mesh->share[i];
		const ParticleParents* parents = &mesh->parents[i];
		REQUIRE((parents->parent[0] == DRAPE_NONE) == (mesh->level[i] == 0), "only pattern vertices have no parents");
		for (int k = 0; k < 3; ++k)
		{
			uint32_t parent = parents->parent[k];
			REQUIRE(parent == DRAPE_NONE || parent < mesh->particleCount, "a particle's parent is out of range");
			REQUIRE(parent == DRAPE_NONE || mesh->level[parent] < mesh->level[i],
			        "a particle is not finer than its parents");
		}
	}
	double all = ActiveMesh_MassArea(mesh);
	REQUIRE(fabs((double)share * mesh->areaUnit - all) <= 1e-6 * all, "the particles' masses do not add up to the pattern's");
	return NULL;
}

// Allows for the effect on the area of coordinates that are rounded by a few units in the last place.
static bool AreaFits(const Vec2* uv, double area)
{
	double largest = 0.0, perimeter = 0.0;
	for (int k = 0; k < 3; ++k)
	{
		largest = MaxNum(largest, MaxNum(fabs((double)uv[k].x), fabs((double)uv[k].y)));
		perimeter += D2Length(D2Between(uv[k], uv[(k + 1) % 3]));
	}
	return fabs(0.5 * FlatTwiceArea(uv) - area) <=
	       1e-4 * area + 4.0 * 0x1p-23 * largest * (perimeter + 0x1p-23 * largest);
}

static const char* ValidateTriangles(const ActiveMesh* mesh, double patternArea)
{
	double area = 0.0;
	for (uint32_t t = 0; t < mesh->triangleCount; ++t)
	{
		const uint32_t* corner = mesh->triangle[t];
		for (int k = 0; k < 3; ++k)
			REQUIRE(corner[k] < mesh->particleCount, "a triangle's particle is out of range");
		REQUIRE(corner[0] != corner[1] && corner[1] != corner[2] && corner[2] != corner[0],
		        "a triangle repeats a corner");
		REQUIRE(mesh->area[t] > 0.0f, "a triangle has no rest area");
		REQUIRE(AreaFits(mesh->material[t].corner, (double)mesh->area[t]),
		        "a triangle's area does not fit its material coordinates");
		REQUIRE(V3IsFinite(V4Xyz(mesh->bendSet[t])), "a triangle's bend set is not finite");
		area += (double)mesh->area[t];
	}
	REQUIRE(fabs(area - patternArea) <= 1e-5 * patternArea, "the triangles' rest areas do not add up to the pattern's");
	return NULL;
}

// The corner k of a triangle whose edge to the next corner runs from a to b; 3 when there is none.
static int FindSide(const uint32_t* corner, uint32_t a, uint32_t b)
{
	for (int k = 0; k < 3; ++k)
	{
		if (corner[k] == a && corner[(k + 1) % 3] == b)
			return k;
	}
	return 3;
}

// Every side of every triangle is one side of one edge: `seen` has a bit for each side, and each edge claims at most
// two. A T-junction, a third triangle at an edge or a repeated edge leaves a side claimed twice or not at all.
static const char* ValidateEdges(const ActiveMesh* mesh, uint8_t* seen)
{
	uint32_t sides = 0;
	for (uint32_t e = 0; e < mesh->edgeCount; ++e)
	{
		const EdgeWings* wings = &mesh->wings[e];
		const uint32_t end[2] = {mesh->edgeFrom[e], mesh->edgeTo[e]};
		REQUIRE(wings->triangle[0] != DRAPE_NONE, "an edge has no triangle on its left");
		REQUIRE(mesh->restLength[e] > 0.0f, "an edge has no rest length");
		bool isBoundary = (mesh->edgeFlags[e] & drape_edgeBoundary) != 0;
		REQUIRE(isBoundary == (wings->triangle[1] == DRAPE_NONE), "an edge's boundary flag is wrong");
		for (int side = 0; side < 2; ++side)
		{
			uint32_t t = wings->triangle[side];
			if (t == DRAPE_NONE)
				continue;
			REQUIRE(t < mesh->triangleCount, "an edge's triangle is out of range");
			int k = FindSide(mesh->triangle[t], end[side], end[1 - side]);
			REQUIRE(k < 3, "an edge's triangle does not contain it in the right direction");
			REQUIRE(wings->opposite[side] == mesh->triangle[t][(k + 2) % 3], "an edge's opposite particle is wrong");
			REQUIRE((seen[t] & 1 << k) == 0, "two edges claim one side of a triangle");
			seen[t] |= (uint8_t)(1 << k);
			sides++;
		}
	}
	REQUIRE(sides == 3 * mesh->triangleCount, "the triangles' sides are not all covered by edges");
	return NULL;
}

const char* drapeActiveMesh_Validate(const ActiveMesh* mesh, double patternArea)
{
	const char* wrong = ValidateParticles(mesh);
	if (!wrong)
		wrong = ValidateTriangles(mesh, patternArea);
	if (wrong)
		return wrong;
	uint8_t* seen = drapeMemAllocZero(mesh->triangleCount);
	wrong = seen ? ValidateEdges(mesh, seen) : NULL; // out of memory: the mesh is not broken
	drapeMemFree(seen, mesh->triangleCount);
	return wrong;
}
