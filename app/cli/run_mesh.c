// SPDX-License-Identifier: MIT
#include "run.h"

#include <stdlib.h>
#include <string.h>

void RunMesh_Free(RunMesh* mesh)
{
	free(mesh->positions);
	free(mesh->normals);
	free(mesh->triangles);
	free(mesh->cornerTexcoords);
	free(mesh->parts);
	free(mesh->weldVertices);
	free(mesh->weldTexcoords);
	free(mesh->weldTriangles);
	*mesh = (RunMesh){0};
}

// --- welding ---

static bool SameTexcoord(drapeVec2 a, drapeVec2 b)
{
	return a.x == b.x && a.y == b.y;
}

// `first` and `next` chain the entries of each vertex, which are few.
static void Weld(RunMesh* mesh, uint32_t* first, uint32_t* next)
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

drapeResult RunMesh_Weld(RunMesh* mesh)
{
	if (!mesh->cornerTexcoords)
		return drape_ok;
	size_t corners = 3 * (size_t)mesh->triangleCount;
	uint32_t *first = malloc(mesh->vertexCount * sizeof *first), *next = malloc(corners * sizeof *next);
	mesh->weldCount = 0;
	mesh->weldVertices = malloc(corners * sizeof *mesh->weldVertices);
	mesh->weldTexcoords = malloc(corners * sizeof *mesh->weldTexcoords);
	mesh->weldTriangles = malloc(corners * sizeof *mesh->weldTriangles);
	bool memory = first && next && mesh->weldVertices && mesh->weldTexcoords && mesh->weldTriangles;
	if (memory)
		Weld(mesh, first, next);
	free(first);
	free(next);
	return memory ? drape_ok : drape_errorMemory;
}

// --- the mesh in use ---

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

// Counts the triangles of each part, which are at least those of the pattern, and gives parts their place in the file.
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

// Where each triangle goes: sorted by part, in their own order within a part.
static drapeResult OrderTriangles(RunMesh* mesh, const drapeClothView* view, const drapeObj* pattern, uint32_t* place)
{
	for (uint32_t i = 0; i < view->triangleCount; ++i)
		place[i] = i;
	if (pattern->partCount == 0)
		return drape_ok;
	uint32_t* cursor = malloc(pattern->partCount * sizeof *cursor);
	mesh->parts = malloc(pattern->partCount * sizeof *mesh->parts);
	mesh->partCount = pattern->partCount;
	if (cursor && mesh->parts)
	{
		CountParts(view, pattern, place, mesh->parts);
		for (uint32_t i = 0; i < pattern->partCount; ++i)
			cursor[i] = mesh->parts[i].firstTriangle;
		for (uint32_t i = 0; i < view->triangleCount; ++i)
			place[i] = cursor[place[i]]++;
	}
	bool memory = cursor && mesh->parts;
	free(cursor);
	return memory ? drape_ok : drape_errorMemory;
}

static void CopyView(RunMesh* mesh, const drapeClothView* view, const uint32_t* place)
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

drapeResult RunMesh_Gather(RunMesh* mesh, drapeClothId cloth, const drapeObj* pattern)
{
	drapeClothView view = drapeCloth_View(cloth);
	size_t corners = 3 * (size_t)view.triangleCount;
	*mesh = (RunMesh){.vertexCount = view.particleCount, .triangleCount = view.triangleCount};
	mesh->positions = malloc(view.particleCount * sizeof *mesh->positions);
	mesh->normals = malloc(view.particleCount * sizeof *mesh->normals);
	mesh->triangles = malloc(corners * sizeof *mesh->triangles);
	mesh->cornerTexcoords = view.texcoords ? malloc(corners * sizeof *mesh->cornerTexcoords) : NULL;
	uint32_t* place = malloc(view.triangleCount * sizeof *place);
	bool memory =
		mesh->positions && mesh->normals && mesh->triangles && place && (mesh->cornerTexcoords || !view.texcoords);
	drapeResult result = memory ? OrderTriangles(mesh, &view, pattern, place) : drape_errorMemory;
	if (result == drape_ok)
	{
		CopyView(mesh, &view, place);
		result = RunMesh_Weld(mesh);
	}
	free(place);
	if (result != drape_ok)
		RunMesh_Free(mesh);
	return result;
}
