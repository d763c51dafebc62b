// SPDX-License-Identifier: MIT
#include "linear.h"
#include "render.h"

#include <string.h>

// --- memory ---

// Ensures a capacity of `count` elements in all. Returns false and changes nothing if memory runs out.
static bool Grow(void** data, uint32_t* capacity, uint64_t count, size_t size)
{
	if (count <= *capacity)
		return true;
	uint64_t grown = count + count / 2 + 64;
	if (grown > UINT32_MAX / 4)
		return false;
	void* memory = drapeAlloc((size_t)grown * size);
	if (!memory)
		return false;
	if (*data)
		memcpy(memory, *data, *capacity * size);
	drapeFree(*data, *capacity * size);
	*data = memory;
	*capacity = (uint32_t)grown;
	return true;
}

void drapeGeometry_Clear(Geometry* geometry)
{
	geometry->vertexCount = geometry->indexCount = geometry->batchCount = 0;
	geometry->failed = false;
}

void drapeGeometry_Free(Geometry* geometry)
{
	drapeFree(geometry->vertices, geometry->vertexCapacity * sizeof(Vertex));
	drapeFree(geometry->indices, geometry->indexCapacity * sizeof(uint32_t));
	drapeFree(geometry->scratch, geometry->scratchCapacity * sizeof(uint32_t));
	*geometry = (Geometry){0};
}

Batch* drapeGeometry_Begin(Geometry* geometry, BatchKind kind)
{
	if (geometry->batchCount == geometryMaxBatches)
	{
		geometry->failed = true;
		return &geometry->batches[geometryMaxBatches - 1];
	}
	Batch* batch = &geometry->batches[geometry->batchCount++];
	*batch = (Batch){.kind = kind, .castsShadow = kind != batch_lines, .firstIndex = geometry->indexCount};
	return batch;
}

Vertex* drapeGeometry_AddVertices(Geometry* geometry, uint32_t count)
{
	void* data = geometry->vertices;
	uint64_t wanted = (uint64_t)geometry->vertexCount + count;
	if (geometry->failed || !Grow(&data, &geometry->vertexCapacity, wanted, sizeof(Vertex)))
	{
		geometry->failed = true;
		return NULL;
	}
	geometry->vertices = data;
	geometry->vertexCount += count;
	return &geometry->vertices[wanted - count];
}

uint32_t* drapeGeometry_AddIndices(Geometry* geometry, uint32_t count)
{
	RENDER_ASSERT(geometry->batchCount > 0);
	void* data = geometry->indices;
	uint64_t wanted = (uint64_t)geometry->indexCount + count;
	if (geometry->failed || !Grow(&data, &geometry->indexCapacity, wanted, sizeof(uint32_t)))
	{
		geometry->failed = true;
		return NULL;
	}
	geometry->indices = data;
	geometry->indexCount += count;
	geometry->batches[geometry->batchCount - 1].indexCount += count;
	return &geometry->indices[wanted - count];
}

void drapeGeometry_AddLine(Geometry* geometry, drapeVec3 a, drapeVec3 b, const uint8_t colour[4])
{
	uint32_t first = geometry->vertexCount;
	uint32_t* indices = drapeGeometry_AddIndices(geometry, 2);
	Vertex* vertices = drapeGeometry_AddVertices(geometry, 2);
	if (!vertices || !indices)
		return;
	vertices[0] = (Vertex){.position = a};
	vertices[1] = (Vertex){.position = b};
	memcpy(vertices[0].colour, colour, 4);
	memcpy(vertices[1].colour, colour, 4);
	indices[0] = first;
	indices[1] = first + 1;
}

// --- cloths ---

static Vertex MakeVertex(const drapeClothView* mesh, size_t corner, const uint8_t (*colours)[4])
{
	uint32_t particle = mesh->triangles[corner];
	Vertex vertex = {.position = Vec3_From4(mesh->positions[particle]), .normal = Vec3_From4(mesh->normals[particle])};
	if (mesh->materials)
		vertex.material = mesh->materials[corner];
	if (colours)
		memcpy(vertex.colour, colours[particle], 4);
	return vertex;
}

// A particle on a seam or a dart has several material coordinates. Its vertices form a linked list.
typedef struct Weld
{
	uint32_t *first, *next; // [particleCount]; [vertices of the cloth]
	uint32_t base;
} Weld;

static uint32_t FindVertex(const Geometry* geometry, const Weld* weld, const drapeClothView* mesh, size_t corner)
{
	uint32_t at = weld->first[mesh->triangles[corner]];
	if (!mesh->materials)
		return at;
	drapeVec2 material = mesh->materials[corner];
	for (; at != DRAPE_NONE; at = weld->next[at - weld->base])
	{
		const Vertex* vertex = &geometry->vertices[at];
		if (fabsf(vertex->material.x - material.x) + fabsf(vertex->material.y - material.y) < 1e-5f)
			return at;
	}
	return DRAPE_NONE;
}

static void WeldCorners(Geometry* geometry, Weld* weld, const drapeClothView* mesh, const uint8_t (*colours)[4],
                        uint32_t* indices)
{
	memset(weld->first, 0xFF, mesh->particleCount * sizeof(uint32_t));
	for (size_t corner = 0; corner < 3 * (size_t)mesh->triangleCount; ++corner)
	{
		uint32_t vertex = FindVertex(geometry, weld, mesh, corner);
		if (vertex == DRAPE_NONE)
		{
			uint32_t particle = mesh->triangles[corner];
			vertex = geometry->vertexCount++;
			RENDER_ASSERT(vertex < geometry->vertexCapacity);
			geometry->vertices[vertex] = MakeVertex(mesh, corner, colours);
			weld->next[vertex - weld->base] = weld->first[particle];
			weld->first[particle] = vertex;
		}
		indices[corner] = vertex;
	}
}

void drapeGeometry_AddCloth(Geometry* geometry, const drapeClothView* mesh, const uint8_t (*colours)[4])
{
	uint32_t corners = 3 * mesh->triangleCount, base = geometry->vertexCount;
	void* scratch = geometry->scratch;
	uint64_t wanted = (uint64_t)mesh->particleCount + corners;
	if (corners == 0)
		return;
	if (!Grow(&scratch, &geometry->scratchCapacity, wanted, sizeof(uint32_t)))
	{
		geometry->failed = true;
		return;
	}
	geometry->scratch = scratch;
	uint32_t* indices = drapeGeometry_AddIndices(geometry, corners);
	// Reserve for the worst case and return the rest after welding.
	Vertex* vertices = drapeGeometry_AddVertices(geometry, corners);
	if (!indices || !vertices)
		return;
	geometry->vertexCount = base;
	Weld weld = {.first = geometry->scratch, .next = geometry->scratch + mesh->particleCount, .base = base};
	WeldCorners(geometry, &weld, mesh, colours, indices);
}

void drapeGeometry_AddCorners(Geometry* geometry, const drapeClothView* mesh, const uint8_t (*colours)[4],
                              const uint8_t (*triangleColours)[4])
{
	uint32_t corners = 3 * mesh->triangleCount, base = geometry->vertexCount;
	uint32_t* indices = drapeGeometry_AddIndices(geometry, corners);
	Vertex* vertices = drapeGeometry_AddVertices(geometry, corners);
	if (!indices || !vertices)
		return;
	for (uint32_t i = 0; i < corners; ++i)
	{
		vertices[i] = MakeVertex(mesh, i, colours);
		if (triangleColours)
			memcpy(vertices[i].colour, triangleColours[i / 3], 4);
		indices[i] = base + i;
	}
}
