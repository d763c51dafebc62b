// SPDX-License-Identifier: MIT
#include "surface/vertices.h"

#include <string.h>

// Two material coordinates of one particle that are nearer than this are the same one, m. They are computed from both
// sides of an edge, and round differently.
static const float sameMaterial = 1e-5f;

void drapeVertexMap_Destroy(VertexMap* map)
{
	ArrayFree(&map->particle);
	ArrayFree(&map->corner);
	ArrayFree(&map->next);
	ArrayFree(&map->vertex);
	ArrayFree(&map->start);
	ArrayFree(&map->around);
	ArrayFree(&map->slopes);
	map->revision = map->aroundRevision = 0;
}

// --- vertices -------------------------------------------------------------------------------------------------------

// True for a triangle whose texture coordinates are clockwise.
static bool IsMirrored(const Vec2* texcoords, uint32_t triangle)
{
	const Vec2* corner = &texcoords[3 * (size_t)triangle];
	return V2Cross(V2Sub(corner[1], corner[0]), V2Sub(corner[2], corner[0])) < 0.0f;
}

static bool IsSame(const Vec2* texcoords, uint32_t a, uint32_t b, float tolerance)
{
	Vec2 d = V2Sub(texcoords[a], texcoords[b]);
	return fabsf(d.x) + fabsf(d.y) <= tolerance && IsMirrored(texcoords, a / 3) == IsMirrored(texcoords, b / 3);
}

// Appends a vertex. False when out of memory.
static bool AddVertex(VertexMap* map, uint32_t particle, uint32_t corner)
{
	uint32_t count = map->particle.count + 1;
	if (!ArrayReserve(&map->particle, count) || !ArrayReserve(&map->corner, count) || !ArrayReserve(&map->next, count))
		return false;
	ArrayPush(&map->particle, particle);
	ArrayPush(&map->corner, corner);
	ArrayPush(&map->next, DRAPE_NONE);
	return true;
}

// The vertex that a corner uses, appended when it is new; DRAPE_NONE when out of memory.
static uint32_t FindVertex(VertexMap* map, const ActiveMesh* mesh, uint32_t corner)
{
	const Vec2* texcoords = ActiveMesh_Texcoords(mesh);
	const float tolerance = mesh->hasTexcoords ? 0.0f : sameMaterial;
	const uint32_t particle = mesh->triangle[corner / 3][corner % 3];
	DRAPE_ASSERT(particle < mesh->particleCount);
	uint32_t vertex = particle, last = particle;
	if (map->corner.data[particle] == DRAPE_NONE)
		map->corner.data[particle] = corner;
	for (; vertex != DRAPE_NONE; vertex = map->next.data[vertex])
	{
		if (IsSame(texcoords, map->corner.data[vertex], corner, tolerance))
			return vertex;
		last = vertex;
	}
	vertex = map->particle.count;
	if (!AddVertex(map, particle, corner))
		return DRAPE_NONE;
	map->next.data[last] = vertex;
	return vertex;
}

bool drapeVertexMap_Follow(VertexMap* map, const ActiveMesh* mesh)
{
	const uint32_t corners = 3 * mesh->triangleCount;
	if (map->revision == mesh->revision)
		return true;
	map->revision = 0;
	map->particle.count = map->corner.count = map->next.count = map->vertex.count = 0;
	if (!ArrayReserve(&map->vertex, corners))
		return false;
	for (uint32_t i = 0; i < mesh->particleCount; ++i)
	{
		if (!AddVertex(map, i, DRAPE_NONE))
			return false;
	}
	for (uint32_t corner = 0; corner < corners; ++corner)
	{
		uint32_t vertex = FindVertex(map, mesh, corner);
		if (vertex == DRAPE_NONE)
			return false;
		ArrayPush(&map->vertex, vertex);
	}
	map->revision = mesh->revision;
	return true;
}

// --- corners around particles ---------------------------------------------------------------------------------------

bool drapeVertexMap_FollowAround(VertexMap* map, const ActiveMesh* mesh)
{
	const uint32_t particles = mesh->particleCount, corners = 3 * mesh->triangleCount;
	const uint32_t* particleOf = &mesh->triangle[0][0];
	if (map->aroundRevision == mesh->revision)
		return true;
	map->aroundRevision = 0;
	if (!ArrayReserve(&map->start, particles + 1) || !ArrayReserve(&map->around, corners) ||
	    !ArrayReserve(&map->slopes, mesh->triangleCount))
		return false;
	uint32_t* start = map->start.data;
	memset(start, 0, (particles + 1) * sizeof *start);
	for (uint32_t c = 0; c < corners; ++c)
		start[particleOf[c]]++;
	for (uint32_t i = 0, sum = 0; i <= particles; ++i)
	{
		sum += start[i];
		start[i] = sum;
	}
	// Filling from the end takes each start from its end back to its beginning.
	for (uint32_t c = corners; c-- > 0;)
		map->around.data[--start[particleOf[c]]] = c;
	DRAPE_ASSERT(start[0] == 0 && start[particles] == corners);
	map->aroundRevision = mesh->revision;
	return true;
}
