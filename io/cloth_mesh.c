// SPDX-License-Identifier: MIT
#include "io.h"

#include "drape/cloth.h"

#include <string.h>

// The active mesh of a cloth as files store it: triangles sorted by the named parts of the pattern, and texture
// coordinates that corners share. All memory comes from drapeAlloc.

void drapeClothMesh_Free(drapeClothMesh* mesh)
{
	if (!mesh)
		return;
	size_t corners = 3 * (size_t)mesh->triangleCount;
	drapeFree(mesh->positions, mesh->vertexCount * sizeof *mesh->positions);
	drapeFree(mesh->normals, mesh->vertexCount * sizeof *mesh->normals);
	drapeFree(mesh->triangles, corners * sizeof *mesh->triangles);
	drapeFree(mesh->cornerTexcoords, corners * sizeof *mesh->cornerTexcoords);
	drapeFree(mesh->parts, mesh->partCount * sizeof *mesh->parts);
	drapeFree(mesh->weldVertices, corners * sizeof *mesh->weldVertices);
	drapeFree(mesh->weldTexcoords, corners * sizeof *mesh->weldTexcoords);
	drapeFree(mesh->weldTriangles, corners * sizeof *mesh->weldTriangles);
	*mesh = (drapeClothMesh){0};
}

// --- welding ---

static bool SameTexcoord(drapeVec2 a, drapeVec2 b)
{
	return a.x == b.x && a.y == b.y;
}

// `first` and `next` chain the entries of each vertex, which are few.
static void Weld(drapeClothMesh* mesh, uint32_t* first, uint32_t* next)
{
	memset(first, 0xFF, mesh->vertexCount * sizeof *first);
	for (size_t corner = 0; corner < 3 * (size_t)mesh->triangleCount; ++corner)
	{
		uint32_t vertex = mesh->triangles[corner], entry = first[vertex];
		drapeVec2 texcoord = mesh->cornerTexcoords[corner];
		while (entry != DRAPE_NONE && !SameTexcoord(mesh->weldTexcoords[entry], texcoord))
			entry = next[entry];
		if (entry == DRAPE_NONE)
		{
			entry = mesh->weldCount++;
			mesh->weldVertices[entry] = vertex;
			mesh->weldTexcoords[entry] = texcoord;
			next[entry] = first[vertex];
			first[vertex] = entry;
		}
		mesh->weldTriangles[corner] = entry;
	}
}

drapeResult drapeClothMesh_Weld(drapeClothMesh* mesh, drapeMessage* error)
{
	if (!mesh)
		return drapeFileError_Refuse(error, "mesh is NULL");
	if (!mesh->cornerTexcoords)
		return drape_ok;
	size_t corners = 3 * (size_t)mesh->triangleCount;
	uint32_t* first = drapeAlloc(mesh->vertexCount * sizeof *first);
	uint32_t* next = drapeAlloc(corners * sizeof *next);
	mesh->weldCount = 0;
	mesh->weldVertices = drapeAlloc(corners * sizeof *mesh->weldVertices);
	mesh->weldTexcoords = drapeAlloc(corners * sizeof *mesh->weldTexcoords);
	mesh->weldTriangles = drapeAlloc(corners * sizeof *mesh->weldTriangles);
	bool memory = first && next && mesh->weldVertices && mesh->weldTexcoords && mesh->weldTriangles;
	if (memory)
		Weld(mesh, first, next);
	drapeFree(first, mesh->vertexCount * sizeof *first);
	drapeFree(next, corners * sizeof *next);
	return memory ? drape_ok : drapeFileError_Set(error, drape_errorMemory, "mesh", 0, "out of memory");
}

// --- the active mesh ---

// The part that has a triangle of the pattern. Parts are in order.
static uint32_t FindPart(const drapeObj* pattern, uint32_t triangle)
{
	uint32_t low = 0, high = pattern->partCount;
	while (high - low > 1)
	{
		uint32_t middle = low + (high - low) / 2;
		if (pattern->parts[middle].firstTriangle <= triangle)
			low = middle;
		else
			high = middle;
	}
	return low;
}

// Counts the triangles of each part and orders the parts as in the pattern.
static void CountParts(const drapeClothView* view, const drapeObj* pattern, uint32_t* partOf, drapeObjPart* parts)
{
	memcpy(parts, pattern->parts, pattern->partCount * sizeof *parts);
	for (uint32_t i = 0; i < pattern->partCount; ++i)
		parts[i].triangleCount = 0;
	for (uint32_t i = 0; i < view->triangleCount; ++i)
	{
		partOf[i] = FindPart(pattern, view->patternTriangles[i]);
		parts[partOf[i]].triangleCount++;
	}
	uint32_t first = 0;
	for (uint32_t i = 0; i < pattern->partCount; ++i)
	{
		parts[i].firstTriangle = first;
		first += parts[i].triangleCount;
	}
}

// Computes the new index of each triangle: sorted by part, in the present order within a part.
static drapeResult OrderTriangles(drapeClothMesh* mesh, const drapeClothView* view, const drapeObj* pattern,
                                  uint32_t* place)
{
	for (uint32_t i = 0; i < view->triangleCount; ++i)
		place[i] = i;
	if (pattern->partCount == 0)
		return drape_ok;
	uint32_t* cursor = drapeAlloc(pattern->partCount * sizeof *cursor);
	mesh->parts = drapeAlloc(pattern->partCount * sizeof *mesh->parts);
	mesh->partCount = pattern->partCount;
	bool memory = cursor && mesh->parts;
	if (memory)
	{
		CountParts(view, pattern, place, mesh->parts);
		for (uint32_t i = 0; i < pattern->partCount; ++i)
			cursor[i] = mesh->parts[i].firstTriangle;
		for (uint32_t i = 0; i < view->triangleCount; ++i)
			place[i] = cursor[place[i]]++;
	}
	drapeFree(cursor, pattern->partCount * sizeof *cursor);
	return memory ? drape_ok : drape_errorMemory;
}

static void CopyView(drapeClothMesh* mesh, const drapeClothView* view, const uint32_t* place)
{
	for (uint32_t i = 0; i < view->particleCount; ++i)
	{
		mesh->positions[i] = (drapeVec3){view->positions[i].x, view->positions[i].y, view->positions[i].z};
		mesh->normals[i] = (drapeVec3){view->normals[i].x, view->normals[i].y, view->normals[i].z};
	}
	for (uint32_t i = 0; i < view->triangleCount; ++i)
	{
		size_t from = 3 * (size_t)i, to = 3 * (size_t)place[i];
		memcpy(&mesh->triangles[to], &view->triangles[from], 3 * sizeof(uint32_t));
		if (mesh->cornerTexcoords)
			memcpy(&mesh->cornerTexcoords[to], &view->texcoords[from], 3 * sizeof(drapeVec2));
	}
}

static drapeResult CheckView(const drapeClothView* view, drapeMessage* error)
{
	const void* const arrays[] = {view->positions, view->normals, view->triangles, view->patternTriangles};
	return drapeFileError_CheckPointers(error, "view.positions|view.normals|view.triangles|view.patternTriangles",
	                                    arrays);
}

drapeResult drapeClothMesh_Create(drapeClothMesh* mesh, const drapeClothView* view, const drapeObj* pattern,
                                  drapeMessage* error)
{
	drapeResult result = drapeFileError_CheckPointers(error, "mesh|view|pattern", (const void*[]){mesh, view, pattern});
	if (mesh)
		*mesh = (drapeClothMesh){0};
	if (result == drape_ok)
		result = CheckView(view, error);
	if (result != drape_ok)
		return result;
	size_t corners = 3 * (size_t)view->triangleCount;
	*mesh = (drapeClothMesh){.vertexCount = view->particleCount, .triangleCount = view->triangleCount};
	mesh->positions = drapeAlloc(view->particleCount * sizeof *mesh->positions);
	mesh->normals = drapeAlloc(view->particleCount * sizeof *mesh->normals);
	mesh->triangles = drapeAlloc(corners * sizeof *mesh->triangles);
	mesh->cornerTexcoords = view->texcoords ? drapeAlloc(corners * sizeof *mesh->cornerTexcoords) : NULL;
	uint32_t* place = drapeAlloc(view->triangleCount * sizeof *place);
	bool memory =
		mesh->positions && mesh->normals && mesh->triangles && place && (mesh->cornerTexcoords || !view->texcoords);
	result = memory ? OrderTriangles(mesh, view, pattern, place) : drape_errorMemory;
	if (result == drape_ok)
	{
		CopyView(mesh, view, place);
		result = drapeClothMesh_Weld(mesh, error);
	}
	drapeFree(place, view->triangleCount * sizeof *place);
	if (result == drape_ok)
		return drape_ok;
	drapeClothMesh_Free(mesh);
	return drapeFileError_Set(error, result, "mesh", 0, "out of memory");
}

drapeResult drapeClothMesh_WriteObj(const drapeClothMesh* mesh, const char* materialLibrary, const char* comment,
                                    const char* path, drapeMessage* error)
{
	if (!mesh)
		return drapeFileError_Refuse(error, "mesh is NULL");
	drapeMesh arrays = {
		.positions = mesh->positions,
		.vertexCount = mesh->vertexCount,
		.triangles = mesh->triangles,
		.triangleCount = mesh->triangleCount,
		.texcoords = mesh->weldTexcoords,
		.texcoordCount = mesh->weldCount,
		.texcoordTriangles = mesh->weldTriangles,
		.normals = mesh->normals,
		.normalCount = mesh->vertexCount,
		.normalTriangles = mesh->triangles,
	};
	drapeObjWriteDef def = {
		.mesh = &arrays,
		.parts = mesh->parts,
		.partCount = mesh->partCount,
		.materialLibrary = materialLibrary,
		.comment = comment,
	};
	return drapeObj_Write(path, &def, error);
}
