// SPDX-License-Identifier: MIT
#include "adapt/sqrt3.h"

#include <string.h>

// Validates the data of the scheme against the active mesh. It prefers simplicity over speed.

#define REQUIRE(condition, sentence)                                                                                   \
	do                                                                                                                 \
	{                                                                                                                  \
		if (!(condition))                                                                                              \
			return sentence;                                                                                           \
	} while (0)

static const char* CheckSides(const Sqrt3Scheme* scheme, uint32_t t)
{
	const ActiveMesh* active = scheme->base.active;
	for (uint32_t k = 0; k < 3; ++k)
	{
		uint32_t edge = scheme->triangles.data[t].edge[k] >> 1, side = scheme->triangles.data[t].edge[k] & 1;
		REQUIRE(edge < active->edgeCount, "a triangle's edge is out of range");
		const uint32_t end[2] = {active->edgeFrom[edge], active->edgeTo[edge]};
		REQUIRE(end[side] == active->triangle[t][k] && end[1 - side] == active->triangle[t][(k + 1) % 3],
		        "a triangle's edge has the wrong ends");
		REQUIRE(active->wings[edge].triangle[side] == t, "a triangle and an edge do not name each other");
		uint32_t n = active->wings[edge].triangle[1 - side];
		uint32_t own = active->triangleLevel[t], other = n == DRAPE_NONE ? own : active->triangleLevel[n];
		REQUIRE(own <= other + 1 && other <= own + 1, "neighbours differ by more than one generation");
		REQUIRE(active->edgeLevel[edge] == (own < other ? own : other), "an edge has the wrong level");
	}
	return NULL;
}

// In generations 2 modulo 4, edges that cannot be flipped are edge 0; edges kept for their shape exist only there.
static const char* CheckKeptEdges(const Sqrt3Scheme* scheme, uint32_t t)
{
	const ActiveMesh* active = scheme->base.active;
	bool isSecond = Sqrt3_Generation(scheme, t) % 4 == 2;
	for (uint32_t k = 0; k < 3; ++k)
	{
		uint8_t flags = active->edgeFlags[scheme->triangles.data[t].edge[k] >> 1];
		REQUIRE(!(flags & drape_edgeSeam) || (flags & drape_edgeCrease), "a seam is no crease");
		REQUIRE(!isSecond || k == 0 || !(flags & (drape_edgeBoundary | drape_edgeCrease)),
		        "a boundary or a crease is where it cannot be split in thirds");
		REQUIRE(!(flags & drape_edgeKept) || (isSecond && k == 0), "an edge is kept for nothing");
	}
	if (isSecond && Sqrt3_KeepsMateEdge(scheme, t))
	{
		uint32_t mate = Sqrt3_Neighbour(scheme, t, 0);
		REQUIRE(active->level[active->triangle[t][2]] + 1 == active->triangleLevel[t],
		        "an edge that must be kept was flipped");
		REQUIRE(mate == DRAPE_NONE || active->triangleLevel[mate] == active->triangleLevel[t],
		        "the two sides of a crease are not of one generation");
	}
	return NULL;
}

// An odd triangle is an unchanged part of a split triangle, and waits for its mate.
static const char* CheckWaiting(const Sqrt3Scheme* scheme, uint32_t t)
{
	const ActiveMesh* active = scheme->base.active;
	const uint32_t* corner = active->triangle[t];
	uint32_t generation = Sqrt3_Generation(scheme, t), mate = Sqrt3_Neighbour(scheme, t, 0);
	REQUIRE(mate != DRAPE_NONE, "a triangle waits for a mate beyond the boundary");
	uint32_t other = Sqrt3_Generation(scheme, mate);
	bool faces = scheme->triangles.data[mate].edge[0] >> 1 == scheme->triangles.data[t].edge[0] >> 1;
	REQUIRE(other + 1 == generation || (other == generation && faces && scheme->waiting > 0),
	        "a triangle has passed its mate");
	REQUIRE(active->level[corner[2]] == generation, "a triangle is older or younger than its apex");
	bool thirds;
	uint32_t part;
	const Sqrt3Birth* birth = drapeSqrt3_FindBirth(scheme, corner, &thirds, &part);
	REQUIRE(birth->triangle != DRAPE_NONE, "a part has no record");
	Sqrt3Rest rest = drapeSqrt3_PartRest(birth, thirds, part);
	REQUIRE(memcmp(&rest.material, &active->material[t], sizeof rest.material) == 0 && rest.area == active->area[t],
	        "a part's rest shape does not fit its record");
	REQUIRE(rest.share == scheme->triangles.data[t].share, "a part's share does not fit its record");
	REQUIRE((part == 0) == (birth->triangle == t), "a record does not name its first part");
	return NULL;
}

static const char* CheckTriangles(const Sqrt3Scheme* scheme)
{
	const ActiveMesh* active = scheme->base.active;
	REQUIRE(scheme->triangles.count == active->triangleCount,
	        "there are more or fewer triangles than numbers for them");
	for (uint32_t t = 0; t < active->triangleCount; ++t)
	{
		uint32_t generation = Sqrt3_Generation(scheme, t);
		REQUIRE(generation == active->triangleLevel[t] && generation <= DRAPE_MAX_LEVEL,
		        "a triangle has the wrong generation");
		REQUIRE(active->triangleId[t] == t, "a triangle has the wrong name");
		REQUIRE(scheme->triangles.data[t].share > 0, "a triangle has no share of the area");
		REQUIRE(active->patternTriangle[t] < scheme->base.pattern->triangleCount, "a triangle has no origin");
		const char* wrong = CheckSides(scheme, t);
		if (!wrong)
			wrong = CheckKeptEdges(scheme, t);
		if (!wrong && generation % 2 == 1)
			wrong = CheckWaiting(scheme, t);
		if (wrong)
			return wrong;
	}
	return NULL;
}

static const char* CheckBirth(const Sqrt3Scheme* scheme, uint32_t i)
{
	const ActiveMesh* active = scheme->base.active;
	const Sqrt3Birth* birth = &scheme->births.data[i];
	const ParticleParents* parents = &active->parents[i];
	REQUIRE((birth->twin != DRAPE_NONE) == (ParticleParents_Count(parents) == 2), "only thirds have a twin");
	if (birth->twin != DRAPE_NONE)
	{
		const ParticleParents* other = &active->parents[birth->twin];
		REQUIRE(birth->twin < active->particleCount && scheme->births.data[birth->twin].twin == i,
		        "two thirds do not name each other");
		REQUIRE(parents->parent[0] == other->parent[1] && parents->parent[1] == other->parent[0],
		        "two thirds have different parents");
		REQUIRE(birth->triangle != DRAPE_NONE || scheme->births.data[birth->twin].triangle != DRAPE_NONE,
		        "a third has no record");
	}
	else
		REQUIRE(birth->triangle != DRAPE_NONE, "a centre has no record");
	if (birth->triangle == DRAPE_NONE)
		return NULL;
	REQUIRE(birth->triangle < active->triangleCount, "a record's triangle is out of range");
	REQUIRE(active->level[i] % 2 == 1, "a particle was created in a triangle of odd generation");
	REQUIRE(scheme->triangles.data[birth->triangle].word & Sqrt3_MateBit(active->level[i]),
	        "a record's triangle does not know that it keeps the mate edge");
	REQUIRE(active->level[i] <= Sqrt3_Generation(scheme, birth->triangle),
	        "a particle is finer than the triangle it was created in");
	return NULL;
}

static const char* CheckParticles(const Sqrt3Scheme* scheme)
{
	const ActiveMesh* active = scheme->base.active;
	REQUIRE(scheme->births.count == active->particleCount && scheme->names.used == active->particleCount,
	        "there are more or fewer particles than records");
	for (uint32_t i = 0; i < active->particleCount; ++i)
	{
		REQUIRE(active->vertexId[i] < scheme->names.next && scheme->particleOf.data[active->vertexId[i]] == i,
		        "a particle has the wrong name");
		REQUIRE((i < scheme->base.pattern->vertexCount) == (active->level[i] == 0), "a pattern vertex was moved");
		const char* wrong = active->level[i] == 0 ? NULL : CheckBirth(scheme, i);
		if (wrong)
			return wrong;
	}
	return NULL;
}

// Each mate edge that a triangle stores belongs to one particle.
static const char* CheckMateEdges(const Sqrt3Scheme* scheme)
{
	const ActiveMesh* active = scheme->base.active;
	uint32_t* known = drapeMemAllocZero(active->triangleCount * sizeof *known);
	if (!known)
		return NULL; // out of memory: the mesh may be valid
	bool isWhole = true;
	for (uint32_t i = 0; i < active->particleCount; ++i)
	{
		uint32_t t = scheme->births.data[i].triangle, bit = Sqrt3_MateBit(active->level[i]);
		if (t == DRAPE_NONE)
			continue;
		isWhole &= (known[t] & bit) == 0;
		known[t] |= bit;
	}
	for (uint32_t t = 0; t < active->triangleCount; ++t)
		isWhole &= known[t] == (scheme->triangles.data[t].word & ~31u);
	drapeMemFree(known, active->triangleCount * sizeof *known);
	return isWhole ? NULL : "a triangle keeps a mate edge for no particle, or for two";
}

// The share of a particle is exactly the sum over its triangles.
static const char* CheckShares(const Sqrt3Scheme* scheme)
{
	const ActiveMesh* active = scheme->base.active;
	int64_t* share = drapeMemAllocZero(active->particleCount * sizeof *share);
	if (!share)
		return NULL; // out of memory: the mesh may be valid
	for (uint32_t t = 0; t < active->triangleCount; ++t)
	{
		for (int k = 0; k < 3; ++k)
			share[active->triangle[t][k]] += scheme->triangles.data[t].share;
	}
	bool isSame = memcmp(share, active->share, active->particleCount * sizeof *share) == 0;
	drapeMemFree(share, active->particleCount * sizeof *share);
	return isSame ? NULL : "a particle's share is not the sum of its triangles'";
}

const char* drapeSqrt3Scheme_Validate(const Scheme* base)
{
	const Sqrt3Scheme* scheme = (const Sqrt3Scheme*)base;
	const char* wrong = drapeActiveMesh_Validate(base->active, base->pattern->area);
	if (!wrong)
		wrong = CheckTriangles(scheme);
	if (!wrong)
		wrong = CheckParticles(scheme);
	if (!wrong)
		wrong = CheckMateEdges(scheme);
	return wrong ? wrong : CheckShares(scheme);
}
