// SPDX-License-Identifier: MIT
#include "run.h"

#include <stdlib.h>
#include <string.h>

// Triangles of the refined pattern keep the order of the pattern triangles, so that parts stay contiguous.

typedef struct Corner
{
	float weights[3]; // weights of the corners of the pattern triangle
} Corner;

// Triangles at one depth of refinement.
typedef struct Layer
{
	uint32_t vertexCount, triangleCount;
	uint32_t* triangles; // [3 * triangleCount]
	Corner* corners;     // [3 * triangleCount]
} Layer;

static void FreeLayer(Layer* layer)
{
	free(layer->triangles);
	free(layer->corners);
	*layer = (Layer){0};
}

static bool AllocateLayer(Layer* layer, uint32_t triangleCount)
{
	layer->triangleCount = triangleCount;
	layer->triangles = malloc(3 * (size_t)triangleCount * sizeof *layer->triangles);
	layer->corners = malloc(3 * (size_t)triangleCount * sizeof *layer->corners);
	return layer->triangles && layer->corners;
}

// --- middles of edges ---

typedef struct Middles
{
	uint64_t* edges;    // both ends, the lower one first; 0 marks a free slot and is no valid edge
	uint32_t* vertices; // the middle
	size_t mask;
} Middles;

static bool CreateMiddles(Middles* middles, uint32_t triangleCount)
{
	size_t size = 16;
	while (size < 6 * (size_t)triangleCount)
		size *= 2;
	middles->mask = size - 1;
	middles->edges = calloc(size, sizeof *middles->edges);
	middles->vertices = malloc(size * sizeof *middles->vertices);
	return middles->edges && middles->vertices;
}

static void FreeMiddles(Middles* middles)
{
	free(middles->edges);
	free(middles->vertices);
}

// Returns the vertex in the middle of an edge; creates it if `layer` has none.
static uint32_t FindMiddle(Middles* middles, Layer* layer, uint32_t a, uint32_t b)
{
	uint64_t edge = a < b ? (uint64_t)a << 32 | b : (uint64_t)b << 32 | a;
	size_t slot = (size_t)(edge * 0x9E3779B97F4A7C15u >> 20) & middles->mask;
	for (; middles->edges[slot] != edge; slot = (slot + 1) & middles->mask)
	{
		if (middles->edges[slot] != 0)
			continue;
		middles->edges[slot] = edge;
		middles->vertices[slot] = layer->vertexCount++;
		break;
	}
	return middles->vertices[slot];
}

// --- refining ---

static Corner Between(const Corner* a, const Corner* b)
{
	Corner middle;
	for (int i = 0; i < 3; ++i)
		middle.weights[i] = 0.5f * (a->weights[i] + b->weights[i]);
	return middle;
}

static void CutInFour(const Layer* coarse, Layer* fine, Middles* middles, uint32_t triangle)
{
	static const uint8_t children[12] = {0, 3, 5, 3, 1, 4, 5, 4, 2, 3, 4, 5};
	const uint32_t* old = &coarse->triangles[3 * (size_t)triangle];
	const Corner* oldCorners = &coarse->corners[3 * (size_t)triangle];
	uint32_t vertices[6];
	Corner corners[6];
	for (int i = 0; i < 3; ++i)
	{
		int j = i == 2 ? 0 : i + 1;
		vertices[i] = old[i];
		corners[i] = oldCorners[i];
		vertices[3 + i] = FindMiddle(middles, fine, old[i], old[j]);
		corners[3 + i] = Between(&oldCorners[i], &oldCorners[j]);
	}
	for (size_t i = 0; i < 12; ++i)
	{
		fine->triangles[12 * (size_t)triangle + i] = vertices[children[i]];
		fine->corners[12 * (size_t)triangle + i] = corners[children[i]];
	}
}

static drapeResult Refine(Layer* layer)
{
	if (layer->triangleCount > (1u << 28) / 4)
		return drape_errorLimit;
	Layer fine = {.vertexCount = layer->vertexCount};
	Middles middles = {0};
	bool memory = AllocateLayer(&fine, 4 * layer->triangleCount) && CreateMiddles(&middles, layer->triangleCount);
	for (uint32_t i = 0; memory && i < layer->triangleCount; ++i)
		CutInFour(layer, &fine, &middles, i);
	FreeMiddles(&middles);
	if (!memory)
	{
		FreeLayer(&fine);
		return drape_errorMemory;
	}
	FreeLayer(layer);
	*layer = fine;
	return drape_ok;
}

static drapeResult CreateLayer(Layer* layer, const drapeMesh* mesh, uint32_t level)
{
	*layer = (Layer){.vertexCount = mesh->vertexCount};
	if (!AllocateLayer(layer, mesh->triangleCount))
		return drape_errorMemory;
	memcpy(layer->triangles, mesh->triangles, 3 * (size_t)mesh->triangleCount * sizeof *layer->triangles);
	for (size_t i = 0; i < 3 * (size_t)mesh->triangleCount; ++i)
	{
		layer->corners[i] = (Corner){{0.0f, 0.0f, 0.0f}};
		layer->corners[i].weights[i % 3] = 1.0f;
	}
	drapeResult result = drape_ok;
	for (uint32_t i = 0; result == drape_ok && i < level; ++i)
		result = Refine(layer);
	return result;
}

// --- the mesh ---

// A vertex uses its first triangle. Unused vertices use the first triangle of the mesh.
static void FillPoints(RunFixed* fixed, const Layer* layer, uint32_t shift)
{
	for (uint32_t i = 0; i < layer->vertexCount; ++i)
		fixed->points[i] = (drapePatternPoint){.triangle = 0, .weights = {1.0f, 0.0f, 0.0f}};
	for (size_t i = 3 * (size_t)layer->triangleCount; i-- > 0;)
	{
		drapePatternPoint* point = &fixed->points[layer->triangles[i]];
		point->triangle = (uint32_t)(i / 3) >> shift;
		memcpy(point->weights, layer->corners[i].weights, sizeof point->weights);
	}
}

// A triangle without texture coordinates gets zeros.
static void FillTexcoords(drapeClothMesh* mesh, const drapeMesh* pattern, const Layer* layer, uint32_t shift)
{
	for (size_t i = 0; i < 3 * (size_t)layer->triangleCount; ++i)
	{
		const uint32_t* corners = &pattern->texcoordTriangles[3 * ((i / 3) >> shift)];
		drapeVec2 sum = {0.0f, 0.0f};
		for (int k = 0; k < 3 && corners[k] != DRAPE_NONE; ++k)
		{
			sum.x += layer->corners[i].weights[k] * pattern->texcoords[corners[k]].x;
			sum.y += layer->corners[i].weights[k] * pattern->texcoords[corners[k]].y;
		}
		mesh->cornerTexcoords[i] = sum;
	}
}

static void FillParts(drapeClothMesh* mesh, const drapeObj* pattern, uint32_t shift)
{
	for (uint32_t i = 0; i < pattern->partCount; ++i)
	{
		mesh->parts[i] = pattern->parts[i];
		mesh->parts[i].firstTriangle <<= shift;
		mesh->parts[i].triangleCount <<= shift;
	}
}

static drapeResult BuildMesh(RunFixed* fixed, const drapeObj* pattern, Layer* layer, uint32_t level)
{
	drapeClothMesh* mesh = &fixed->mesh;
	bool textured = pattern->mesh.texcoordTriangles != NULL;
	size_t corners = 3 * (size_t)layer->triangleCount;
	mesh->vertexCount = layer->vertexCount;
	mesh->triangleCount = layer->triangleCount;
	mesh->positions = drapeAlloc(layer->vertexCount * sizeof *mesh->positions);
	mesh->normals = drapeAlloc(layer->vertexCount * sizeof *mesh->normals);
	mesh->triangles = drapeAlloc(corners * sizeof *mesh->triangles);
	mesh->cornerTexcoords = textured ? drapeAlloc(corners * sizeof *mesh->cornerTexcoords) : NULL;
	mesh->parts = pattern->partCount > 0 ? drapeAlloc(pattern->partCount * sizeof *mesh->parts) : NULL;
	mesh->partCount = pattern->partCount;
	fixed->points = malloc(layer->vertexCount * sizeof *fixed->points);
	if (!mesh->positions || !mesh->normals || !mesh->triangles || (textured && !mesh->cornerTexcoords) ||
	    (pattern->partCount > 0 && !mesh->parts) || !fixed->points)
		return drape_errorMemory;
	FillPoints(fixed, layer, 2 * level);
	if (textured)
		FillTexcoords(mesh, &pattern->mesh, layer, 2 * level);
	FillParts(mesh, pattern, 2 * level);
	memset(mesh->positions, 0, layer->vertexCount * sizeof *mesh->positions);
	memset(mesh->normals, 0, layer->vertexCount * sizeof *mesh->normals);
	memcpy(mesh->triangles, layer->triangles, corners * sizeof *mesh->triangles);
	return drapeClothMesh_Weld(mesh, NULL);
}

drapeResult RunFixed_Create(RunFixed* fixed, const drapeObj* pattern, uint32_t level)
{
	*fixed = (RunFixed){0};
	Layer layer;
	drapeResult result = CreateLayer(&layer, &pattern->mesh, level);
	if (result == drape_ok)
		result = BuildMesh(fixed, pattern, &layer, level);
	FreeLayer(&layer);
	if (result != drape_ok)
		RunFixed_Free(fixed);
	return result;
}

drapeResult RunFixed_Carry(RunFixed* fixed, drapeClothId cloth)
{
	return drapeCloth_Evaluate(cloth, fixed->points, fixed->mesh.vertexCount, fixed->mesh.positions,
	                           fixed->mesh.normals);
}

void RunFixed_Free(RunFixed* fixed)
{
	drapeClothMesh_Free(&fixed->mesh);
	free(fixed->points);
	*fixed = (RunFixed){0};
}
