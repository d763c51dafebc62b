// SPDX-License-Identifier: MIT
#include "surface/vertices.h"

#include <string.h>

// Writing of vertices. Elements are copied with memcpy, which needs no alignment, and never beyond their end: the bytes
// between them belong to the application, and other threads may write the neighbours.

enum
{
	vertexGrain = 16384, // waking a thread takes as long as writing thousands of vertices
	tangentGrain = 2048,
};

// --- copies ---------------------------------------------------------------------------------------------------------

// Copies the first three floats of rows. `index` has the row of each vertex; NULL if they are the same.
static void CopyRows(const drapeVertexAttribute* to, const Vec4* rows, const uint32_t* index, uint32_t start,
                     uint32_t end)
{
	char* element = (char*)to->data + start * to->stride;
	if (!index)
	{
		for (uint32_t i = start; i < end; ++i, element += to->stride)
			memcpy(element, &rows[i], sizeof(Vec3));
		return;
	}
	for (uint32_t i = start; i < end; ++i, element += to->stride)
		memcpy(element, &rows[index[i]], sizeof(Vec3));
}

// A vertex that no triangle uses has the texture coordinate 0.
static void CopyTexcoords(const drapeVertexAttribute* to, const Vec2* texcoords, const uint32_t* corner, uint32_t start,
                          uint32_t end)
{
	char* element = (char*)to->data + start * to->stride;
	for (uint32_t i = start; i < end; ++i, element += to->stride)
	{
		Vec2 texcoord = corner[i] == DRAPE_NONE ? (Vec2){0.0f, 0.0f} : texcoords[corner[i]];
		memcpy(element, &texcoord, sizeof texcoord);
	}
}

static void WriteRows(uint32_t start, uint32_t end, uint32_t worker, void* context)
{
	(void)worker;
	const VertexWriter* writer = context;
	const drapeVertexLayout* layout = &writer->layout;
	const bool isPerCorner = layout->kind == drape_verticesPerCorner;
	const uint32_t* particle = isPerCorner ? writer->map->particle.data : NULL;
	DRAPE_ASSERT(start <= end && end <= writer->vertexCount);
	if (layout->positions.data)
		CopyRows(&layout->positions, writer->mesh->position, particle, start, end);
	if (layout->normals.data)
		CopyRows(&layout->normals, writer->mesh->normal, particle, start, end);
	if (layout->previousPositions.data)
		CopyRows(&layout->previousPositions, writer->previousPositions, particle, start, end);
	if (layout->texcoords.data)
		CopyTexcoords(&layout->texcoords, ActiveMesh_Texcoords(writer->mesh), writer->map->corner.data, start, end);
}

// --- tangents -------------------------------------------------------------------------------------------------------

// The direction of larger u in a triangle, weighted by the area of the texture that the triangle has, and in w that area,
// negative if mirrored. Both twice. Zero for a triangle whose texture has no area.
//
//     dP/du = (e1 dv2 - e2 dv1) / (du1 dv2 - du2 dv1)
static Vec4 Slope(const ActiveMesh* mesh, const Vec2* texcoords, uint32_t triangle)
{
	const uint32_t* corner = mesh->triangle[triangle];
	const Vec2* texcoord = &texcoords[3 * (size_t)triangle];
	Vec3 origin = V4Xyz(mesh->position[corner[0]]);
	Vec3 e1 = V3Sub(V4Xyz(mesh->position[corner[1]]), origin), e2 = V3Sub(V4Xyz(mesh->position[corner[2]]), origin);
	Vec2 d1 = V2Sub(texcoord[1], texcoord[0]), d2 = V2Sub(texcoord[2], texcoord[0]);
	float area = V2Cross(d1, d2), sign = area < 0.0f ? -1.0f : area > 0.0f ? 1.0f : 0.0f;
	Vec3 slope = V3Scale(sign, V3Sub(V3Scale(d2.y, e1), V3Scale(d1.y, e2)));
	return (Vec4){slope.x, slope.y, slope.z, area};
}

static void FindSlopes(uint32_t start, uint32_t end, uint32_t worker, void* context)
{
	(void)worker;
	const VertexWriter* writer = context;
	const Vec2* texcoords = ActiveMesh_Texcoords(writer->mesh);
	for (uint32_t i = start; i < end; ++i)
		writer->map->slopes.data[i] = Slope(writer->mesh, texcoords, i);
}

static Vec3 Across(Vec3 vector, Vec3 normal)
{
	return V3Sub(vector, V3Scale(V3Dot(vector, normal), normal));
}

// The unit vector of the part of a vector that is orthogonal to a normal. Any one if there is no such part.
static Vec3 OrthogonalUnit(Vec3 vector, Vec3 normal)
{
	const float least = 1e-6f; // share of the squared length
	Vec3 across = Across(vector, normal);
	if (!(V3Dot(across, across) > least * V3Dot(vector, vector)))
		across = Across(fabsf(normal.x) < 0.6f ? (Vec3){1.0f, 0.0f, 0.0f} : (Vec3){0.0f, 1.0f, 0.0f}, normal);
	// The difference has lost digits if the vector was almost parallel to the normal.
	across = V3Normalize(across);
	return V3Normalize(Across(across, normal));
}

static Vec4 TangentOf(const VertexWriter* writer, uint32_t vertex)
{
	const VertexMap* map = writer->map;
	const bool isPerCorner = writer->layout.kind == drape_verticesPerCorner;
	const uint32_t particle = isPerCorner ? map->particle.data[vertex] : vertex;
	Vec3 sum = {0.0f, 0.0f, 0.0f};
	float area = 0.0f;
	for (uint32_t i = map->start.data[particle]; i < map->start.data[particle + 1]; ++i)
	{
		uint32_t corner = map->around.data[i];
		if (isPerCorner && map->vertex.data[corner] != vertex)
			continue;
		Vec4 slope = map->slopes.data[corner / 3];
		sum = V3Add(sum, V4Xyz(slope));
		area += slope.w;
	}
	Vec3 unit = OrthogonalUnit(sum, V4Xyz(writer->mesh->normal[particle]));
	return (Vec4){unit.x, unit.y, unit.z, area < 0.0f ? -1.0f : 1.0f};
}

static void WriteTangents(uint32_t start, uint32_t end, uint32_t worker, void* context)
{
	(void)worker;
	const VertexWriter* writer = context;
	const drapeVertexAttribute* to = &writer->layout.tangents;
	for (uint32_t i = start; i < end; ++i)
	{
		Vec4 tangent = TangentOf(writer, i);
		memcpy((char*)to->data + i * to->stride, &tangent, sizeof tangent);
	}
}

// --- all ------------------------------------------------------------------------------------------------------------

void drapeVertices_Write(const VertexWriter* writer, TaskPool* tasks)
{
	const ActiveMesh* mesh = writer->mesh;
	const bool isPerCorner = writer->layout.kind == drape_verticesPerCorner;
	DRAPE_ASSERT(!isPerCorner || writer->map->revision == mesh->revision);
	DRAPE_ASSERT(!writer->layout.previousPositions.data || writer->previousPositions);
	DRAPE_ASSERT(!writer->layout.tangents.data || writer->map->aroundRevision == mesh->revision);
	drapeTaskPool_For(tasks, writer->vertexCount, vertexGrain, WriteRows, (void*)(uintptr_t)writer);
	if (!writer->layout.tangents.data)
		return;
	drapeTaskPool_For(tasks, mesh->triangleCount, tangentGrain, FindSlopes, (void*)(uintptr_t)writer);
	drapeTaskPool_For(tasks, writer->vertexCount, tangentGrain, WriteTangents, (void*)(uintptr_t)writer);
}
