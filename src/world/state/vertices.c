// SPDX-License-Identifier: MIT
#include "surface/vertices.h"

#include "world/world.h"

#include <string.h>

// Vertices for a renderer, and the positions before the last step. The latter are a column that a cloth has once they
// were asked for. It is no part of snapshots: every step begins with the present positions.

// The attributes of a layout.
static const struct
{
	const char* name;
	size_t offset, size;
} attributes[] = {
	{"positions", offsetof(drapeVertexLayout, positions), sizeof(Vec3)},
	{"normals", offsetof(drapeVertexLayout, normals), sizeof(Vec3)},
	{"tangents", offsetof(drapeVertexLayout, tangents), sizeof(Vec4)},
	{"texcoords", offsetof(drapeVertexLayout, texcoords), sizeof(Vec2)},
	{"previousPositions", offsetof(drapeVertexLayout, previousPositions), sizeof(Vec3)},
};

// --- previous positions ---------------------------------------------------------------------------------------------

void drapeCloth_RememberPositions(Cloth* cloth)
{
	if (cloth->previousPositions != DRAPE_NONE)
		memcpy(Cloth_Rows(cloth, cloth->previousPositions), cloth->active.position,
		       cloth->active.particleCount * sizeof(Vec4));
}

// Adds the column unless the cloth has it. False when out of memory.
static bool KeepPositions(Cloth* cloth)
{
	const ColumnDef def = {"drape.previousPosition", sizeof(Vec4), columnMean, NULL, 0};
	if (cloth->previousPositions != DRAPE_NONE)
		return true;
	cloth->previousPositions = drapeColumns_Add(&cloth->active, &def);
	drapeCloth_RememberPositions(cloth);
	return cloth->previousPositions != DRAPE_NONE;
}

// --- sizes ----------------------------------------------------------------------------------------------------------

uint32_t drapeCloth_GetRevision(drapeClothId id)
{
	const Cloth* cloth = drapeCloth_Get(id);
	return cloth ? cloth->active.revision : 0;
}

static drapeResult CheckKind(const Cloth* cloth, drapeVertexKind kind)
{
	if ((unsigned)kind <= drape_verticesPerCorner)
		return drape_ok;
	return drapeWorld_Refuse(cloth->world, "kind is %u, expected a drapeVertexKind", (unsigned)kind);
}

// Finds the size of a cloth's buffers. Follows the mesh first, if vertices depend on corners.
static drapeResult FindSize(Cloth* cloth, drapeVertexKind kind, drapeVertexSize* size)
{
	if (CheckKind(cloth, kind) != drape_ok)
		return drape_errorArgument;
	const bool isPerCorner = kind == drape_verticesPerCorner;
	if (isPerCorner && !drapeVertexMap_Follow(&cloth->vertices, &cloth->active))
		return drapeWorld_FailMemory(cloth->world);
	*size = (drapeVertexSize){isPerCorner ? cloth->vertices.particle.count : cloth->active.particleCount,
	                          3 * cloth->active.triangleCount};
	return drape_ok;
}

drapeResult drapeCloth_GetVertexSize(drapeClothId id, drapeVertexKind kind, drapeVertexSize* size)
{
	Cloth* cloth = drapeCloth_Get(id);
	if (size)
		*size = (drapeVertexSize){0};
	if (!cloth)
		return drape_errorArgument;
	return size ? FindSize(cloth, kind, size) : drapeWorld_Refuse(cloth->world, "size is NULL");
}

// --- vertices -------------------------------------------------------------------------------------------------------

// Replaces strides of 0 by the sizes of the elements.
static drapeResult CheckLayout(const Cloth* cloth, drapeVertexLayout* layout)
{
	for (size_t i = 0; i < sizeof attributes / sizeof attributes[0]; ++i)
	{
		drapeVertexAttribute* attribute = (drapeVertexAttribute*)((char*)layout + attributes[i].offset);
		if (attribute->stride == 0)
			attribute->stride = attributes[i].size;
		if (attribute->data && attribute->stride < attributes[i].size)
			return drapeWorld_Refuse(cloth->world, "%s.stride is %zu bytes, expected 0 or at least %zu",
			                         attributes[i].name, attribute->stride, attributes[i].size);
	}
	return drape_ok;
}

// Brings everything that the layout needs in step with the mesh. False when out of memory.
static bool Prepare(Cloth* cloth, VertexWriter* writer)
{
	const drapeVertexLayout* layout = &writer->layout;
	if (layout->texcoords.data && !drapeVertexMap_Follow(&cloth->vertices, &cloth->active))
		return false;
	if (layout->tangents.data && !drapeVertexMap_FollowAround(&cloth->vertices, &cloth->active))
		return false;
	if (!layout->previousPositions.data)
		return true;
	if (!KeepPositions(cloth))
		return false;
	writer->previousPositions = Cloth_Rows(cloth, cloth->previousPositions);
	return true;
}

drapeResult drapeCloth_WriteVertices(drapeClothId id, const drapeVertexLayout* layout, uint32_t capacity)
{
	Cloth* cloth = drapeCloth_Get(id);
	if (!cloth)
		return drape_errorArgument;
	if (!layout)
		return drapeWorld_Refuse(cloth->world, "layout is NULL");
	VertexWriter writer = {.mesh = &cloth->active, .map = &cloth->vertices, .layout = *layout};
	drapeVertexSize size = {0};
	drapeResult result = CheckLayout(cloth, &writer.layout);
	if (result == drape_ok)
		result = FindSize(cloth, layout->kind, &size);
	if (result != drape_ok)
		return result;
	if (size.vertexCount > capacity)
		return drapeWorld_Fail(cloth->world, drape_errorLimit, "capacity is %u vertices, but the cloth has %u",
		                       capacity, size.vertexCount);
	if (!Prepare(cloth, &writer))
		return drapeWorld_FailMemory(cloth->world);
	writer.vertexCount = size.vertexCount;
	drapeVertices_Write(&writer, cloth->world->tasks);
	return drape_ok;
}

// --- indices --------------------------------------------------------------------------------------------------------

static drapeResult CheckIndices(const Cloth* cloth, const drapeVertexSize* size, uint32_t indexSize, uint32_t capacity)
{
	const uint32_t mostShort = UINT16_MAX;
	if (size->indexCount > capacity)
		return drapeWorld_Fail(cloth->world, drape_errorLimit, "capacity is %u indices, but the cloth has %u", capacity,
		                       size->indexCount);
	if (indexSize == sizeof(uint16_t) && size->vertexCount > mostShort)
		return drapeWorld_Fail(cloth->world, drape_errorLimit,
		                       "indexSize is 2 bytes, which is enough for %u vertices, but the cloth has %u", mostShort,
		                       size->vertexCount);
	return drape_ok;
}

drapeResult drapeCloth_WriteIndices(drapeClothId id, drapeVertexKind kind, void* indices, uint32_t indexSize,
                                    uint32_t capacity)
{
	Cloth* cloth = drapeCloth_Get(id);
	if (!cloth)
		return drape_errorArgument;
	if (!indices)
		return drapeWorld_Refuse(cloth->world, "indices is NULL");
	if (indexSize != sizeof(uint16_t) && indexSize != sizeof(uint32_t))
		return drapeWorld_Refuse(cloth->world, "indexSize is %u bytes, expected 2 or 4", indexSize);
	drapeVertexSize size = {0};
	drapeResult result = FindSize(cloth, kind, &size);
	if (result == drape_ok)
		result = CheckIndices(cloth, &size, indexSize, capacity);
	if (result != drape_ok)
		return result;
	const bool isPerCorner = kind == drape_verticesPerCorner;
	const uint32_t* from = isPerCorner ? cloth->vertices.vertex.data : &cloth->active.triangle[0][0];
	if (indexSize == sizeof(uint32_t))
		memcpy(indices, from, size.indexCount * sizeof(uint32_t));
	for (uint32_t i = 0; i < size.indexCount && indexSize == sizeof(uint16_t); ++i)
	{
		uint16_t index = (uint16_t)from[i];
		memcpy((char*)indices + i * sizeof index, &index, sizeof index);
	}
	return drape_ok;
}
