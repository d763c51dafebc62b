// SPDX-License-Identifier: MIT
#include "api.h"

#include <stdio.h>

enum
{
	particleCount = 25,
	indexCount = 96,
};

static void RefuseLayouts(Api* api)
{
	drapeVec3 positions[particleCount];
	drapeVertexLayout layout = {.positions = {positions, 0}};
	BAD_HANDLE(drapeCloth_WriteVertices, drapeClothId, cloth, drapeCloth_WriteVertices(cloth, &layout, particleCount));
	REFUSED(drapeCloth_WriteVertices, layout, "layout is NULL",
	        drapeCloth_WriteVertices(api->cloth, NULL, particleCount));
	FAILED(drapeCloth_WriteVertices, capacity, drape_errorLimit, "capacity is 24 vertices, but the cloth has 25",
	       drapeCloth_WriteVertices(api->cloth, &layout, particleCount - 1));
	layout.kind = (drapeVertexKind)99;
	REFUSED(drapeCloth_WriteVertices, layout, "kind is 99, expected a drapeVertexKind",
	        drapeCloth_WriteVertices(api->cloth, &layout, particleCount));
	struct
	{
		size_t offset, stride;
		const char* sentence;
	} rows[] = {
		{offsetof(drapeVertexLayout, positions), 8, "positions.stride is 8 bytes, expected 0 or at least 12"},
		{offsetof(drapeVertexLayout, normals), 11, "normals.stride is 11 bytes, expected 0 or at least 12"},
		{offsetof(drapeVertexLayout, tangents), 12, "tangents.stride is 12 bytes, expected 0 or at least 16"},
		{offsetof(drapeVertexLayout, texcoords), 4, "texcoords.stride is 4 bytes, expected 0 or at least 8"},
		{offsetof(drapeVertexLayout, previousPositions), 1,
	     "previousPositions.stride is 1 bytes, expected 0 or at least"},
	};
	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; ++i)
	{
		layout = (drapeVertexLayout){0};
		drapeVertexAttribute* attribute = (drapeVertexAttribute*)(void*)((char*)&layout + rows[i].offset);
		*attribute = (drapeVertexAttribute){positions, rows[i].stride};
		REFUSED(drapeCloth_WriteVertices, layout, rows[i].sentence,
		        drapeCloth_WriteVertices(api->cloth, &layout, particleCount));
	}
}

void Rows_Vertices(Api* api)
{
	const drapeVertexKind kind = drape_verticesPerParticle, wrong = (drapeVertexKind)99;
	drapeVertexSize size;
	uint32_t indices[indexCount];
	BAD_ZERO(drapeCloth_GetRevision, drapeClothId, cloth, drapeCloth_GetRevision(cloth));
	BAD_HANDLE(drapeCloth_GetVertexSize, drapeClothId, cloth, drapeCloth_GetVertexSize(cloth, kind, &size));
	REFUSED(drapeCloth_GetVertexSize, kind, "kind is 99, expected a drapeVertexKind",
	        drapeCloth_GetVertexSize(api->cloth, wrong, &size));
	REFUSED(drapeCloth_GetVertexSize, size, "size is NULL", drapeCloth_GetVertexSize(api->cloth, kind, NULL));
	RefuseLayouts(api);
	BAD_HANDLE(drapeCloth_WriteIndices, drapeClothId, cloth,
	           drapeCloth_WriteIndices(cloth, kind, indices, 4, indexCount));
	REFUSED(drapeCloth_WriteIndices, kind, "kind is 99, expected a drapeVertexKind",
	        drapeCloth_WriteIndices(api->cloth, wrong, indices, 4, indexCount));
	REFUSED(drapeCloth_WriteIndices, indices, "indices is NULL",
	        drapeCloth_WriteIndices(api->cloth, kind, NULL, 4, indexCount));
	REFUSED(drapeCloth_WriteIndices, indexSize, "indexSize is 1 bytes, expected 2 or 4",
	        drapeCloth_WriteIndices(api->cloth, kind, indices, 1, indexCount));
	FAILED(drapeCloth_WriteIndices, capacity, drape_errorLimit, "capacity is 95 indices, but the cloth has 96",
	       drapeCloth_WriteIndices(api->cloth, kind, indices, 4, indexCount - 1));
}
