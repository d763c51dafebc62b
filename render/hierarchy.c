// SPDX-License-Identifier: MIT
#include "linear.h"
#include "render.h"

#include <stdlib.h>
#include <string.h>

// The hierarchy in 3D (Simnett 2012, 3.7): each level on a plane of its own, in material coordinates; triangles that
// have children are darker; lines join a vertex with itself on the planes above.
//
// A view contains only active triangles, but their ancestors follow from them. A split cuts a triangle at the middles
// of its edges, so the ancestors at level l are cells of a grid of 2^l by 2^l over the pattern triangle. The cell of a
// leaf is the one that contains its centre. The corners of the pattern triangle are the particles of level 0 among its
// leaves.

typedef struct PatternTriangle
{
	uint32_t particles[3];
	drapeVec2 corners[3];
	uint32_t count; // number of corners found
} PatternTriangle;

typedef struct Hierarchy
{
	const drapeClothView* mesh;
	PatternTriangle* patterns;
	uint32_t patternCount;
	uint64_t* cells; // ancestors: pattern, level, row, column, which half, packed; with repeats
	uint32_t cellCount, cellCapacity;
	uint8_t* tops; // [particleCount] highest level of a triangle at a particle
	drapeVec2 origin;
	drapeVec3 corner; // position of the origin
	float gap;        // m between planes
} Hierarchy;

static drapeVec3 Place(const Hierarchy* h, drapeVec2 material, uint32_t level)
{
	return Vec3_Add(h->corner, Vec3_Make(material.x - h->origin.x, (float)level * h->gap, material.y - h->origin.y));
}

static void FindCorners(Hierarchy* h)
{
	const drapeClothView* mesh = h->mesh;
	for (size_t corner = 0; corner < 3 * (size_t)mesh->triangleCount; ++corner)
	{
		PatternTriangle* pattern = &h->patterns[mesh->patternTriangles[corner / 3]];
		uint32_t particle = mesh->triangles[corner];
		bool known = mesh->particleLevels[particle] > 0 || pattern->count == 3;
		for (uint32_t i = 0; i < pattern->count; ++i)
			known = known || pattern->particles[i] == particle;
		if (known)
			continue;
		pattern->particles[pattern->count] = particle;
		pattern->corners[pattern->count++] = mesh->materials[corner];
	}
}

// Weights of the second and third corner.
static bool Weights(const PatternTriangle* pattern, drapeVec2 p, float* s, float* t)
{
	const drapeVec2* c = pattern->corners;
	float ax = c[1].x - c[0].x, ay = c[1].y - c[0].y, bx = c[2].x - c[0].x, by = c[2].y - c[0].y;
	float determinant = ax * by - ay * bx;
	if (pattern->count < 3 || fabsf(determinant) < 1e-20f)
		return false;
	float x = p.x - c[0].x, y = p.y - c[0].y;
	*s = (x * by - y * bx) / determinant;
	*t = (ax * y - ay * x) / determinant;
	return true;
}

static uint64_t PackCell(uint32_t pattern, uint32_t level, float s, float t)
{
	float size = ldexpf(1.0f, (int)level);
	uint32_t last = (1u << level) - 1;
	uint32_t column = (uint32_t)fmaxf(s * size, 0.0f), row = (uint32_t)fmaxf(t * size, 0.0f);
	column = column < last ? column : last;
	row = row < last ? row : last;
	bool upper = s * size - (float)column + t * size - (float)row > 1.0f;
	return (uint64_t)pattern << 32 | (uint64_t)level << 27 | (uint64_t)row << 14 | (uint64_t)column << 1 | upper;
}

static drapeVec2 CellPoint(const PatternTriangle* pattern, uint32_t column, uint32_t row, uint32_t level)
{
	float size = ldexpf(1.0f, -(int)level), s = (float)column * size, t = (float)row * size;
	const drapeVec2* c = pattern->corners;
	return (drapeVec2){c[0].x + s * (c[1].x - c[0].x) + t * (c[2].x - c[0].x),
	                   c[0].y + s * (c[1].y - c[0].y) + t * (c[2].y - c[0].y)};
}

static void CollectCells(Hierarchy* h)
{
	const drapeClothView* mesh = h->mesh;
	for (uint32_t i = 0; i < mesh->triangleCount; ++i)
	{
		const drapeVec2* m = &mesh->materials[3 * (size_t)i];
		drapeVec2 middle = {(m[0].x + m[1].x + m[2].x) / 3.0f, (m[0].y + m[1].y + m[2].y) / 3.0f};
		float s, t;
		uint32_t pattern = mesh->patternTriangles[i];
		if (!Weights(&h->patterns[pattern], middle, &s, &t))
			continue;
		for (uint32_t level = 0; level < mesh->triangleLevels[i]; ++level)
			h->cells[h->cellCount++] = PackCell(pattern, level, s, t);
		RENDER_ASSERT(h->cellCount <= h->cellCapacity);
	}
}

static int CompareCells(const void* a, const void* b)
{
	uint64_t x = *(const uint64_t*)a, y = *(const uint64_t*)b;
	return (x > y) - (x < y);
}

static void AddTriangle(Geometry* geometry, const Hierarchy* h, const drapeVec2 points[3], uint32_t level, float shade)
{
	uint32_t base = geometry->vertexCount;
	Vertex* vertices = drapeGeometry_AddVertices(geometry, 3);
	uint32_t* indices = drapeGeometry_AddIndices(geometry, 3);
	if (!vertices || !indices)
		return;
	uint8_t colour[4];
	drapeLevel_Colour(level, colour);
	for (int i = 0; i < 3; ++i)
		colour[i] = (uint8_t)((float)colour[i] * shade);
	// All triangles face up, for any orientation of the pattern in the material.
	float x1 = points[1].x - points[0].x, y1 = points[1].y - points[0].y;
	float x2 = points[2].x - points[0].x, y2 = points[2].y - points[0].y;
	bool down = x1 * y2 - y1 * x2 > 0.0f;
	for (uint32_t i = 0; i < 3; ++i)
	{
		vertices[i] = (Vertex){.position = Place(h, points[down ? 2 - i : i], level), .normal = {0.0f, 1.0f, 0.0f}};
		memcpy(vertices[i].colour, colour, 4);
		indices[i] = base + i;
	}
}

static void AddAncestors(Geometry* geometry, Hierarchy* h)
{
	qsort(h->cells, h->cellCount, sizeof *h->cells, CompareCells);
	for (uint32_t i = 0; i < h->cellCount; ++i)
	{
		uint64_t cell = h->cells[i];
		if (i > 0 && cell == h->cells[i - 1])
			continue;
		const PatternTriangle* pattern = &h->patterns[cell >> 32];
		uint32_t level = (uint32_t)(cell >> 27) & 31, row = (uint32_t)(cell >> 14) & 0x1FFF;
		uint32_t column = (uint32_t)(cell >> 1) & 0x1FFF, upper = (uint32_t)cell & 1;
		const drapeVec2 points[3] = {CellPoint(pattern, column + upper, row + upper, level),
		                             CellPoint(pattern, column + 1, row, level),
		                             CellPoint(pattern, column, row + 1, level)};
		AddTriangle(geometry, h, points, level, 0.72f);
	}
}

static void AddLeaves(Geometry* geometry, const Hierarchy* h)
{
	for (uint32_t i = 0; i < h->mesh->triangleCount; ++i)
		AddTriangle(geometry, h, &h->mesh->materials[3 * (size_t)i], h->mesh->triangleLevels[i], 1.0f);
}

// Draws lines for vertices on more than one plane. A particle on a seam has one line for each material coordinate.
static void AddLines(Geometry* geometry, Hierarchy* h)
{
	static const uint8_t grey[4] = {96, 92, 96, 255};
	const drapeClothView* mesh = h->mesh;
	size_t corners = 3 * (size_t)mesh->triangleCount;
	memset(h->tops, 0, mesh->particleCount);
	for (size_t corner = 0; corner < corners; ++corner)
	{
		uint8_t level = mesh->triangleLevels[corner / 3], *top = &h->tops[mesh->triangles[corner]];
		*top = level > *top ? level : *top;
	}
	drapeGeometry_Begin(geometry, batch_lines);
	for (size_t corner = 0; corner < corners; ++corner)
	{
		uint32_t particle = mesh->triangles[corner];
		uint8_t from = mesh->particleLevels[particle], top = h->tops[particle];
		if (mesh->triangleLevels[corner / 3] != top || from >= top)
			continue;
		drapeGeometry_AddLine(geometry, Place(h, mesh->materials[corner], from), Place(h, mesh->materials[corner], top),
		                      grey);
		h->tops[particle] = 0;
	}
}

static bool Prepare(Hierarchy* h)
{
	const drapeClothView* mesh = h->mesh;
	drapeVec2 low = {INFINITY, INFINITY}, high = {-INFINITY, -INFINITY};
	for (uint32_t i = 0; i < mesh->triangleCount; ++i)
	{
		h->patternCount =
			mesh->patternTriangles[i] + 1 > h->patternCount ? mesh->patternTriangles[i] + 1 : h->patternCount;
		h->cellCapacity += mesh->triangleLevels[i];
	}
	for (size_t i = 0; i < 3 * (size_t)mesh->triangleCount; ++i)
	{
		drapeVec2 m = mesh->materials[i];
		low = (drapeVec2){fminf(low.x, m.x), fminf(low.y, m.y)};
		high = (drapeVec2){fmaxf(high.x, m.x), fmaxf(high.y, m.y)};
	}
	h->origin = low;
	h->gap = 0.16f * fmaxf(high.x - low.x, high.y - low.y);
	h->patterns = drapeAlloc(h->patternCount * sizeof *h->patterns);
	h->cells = drapeAlloc((h->cellCapacity + 1) * sizeof *h->cells);
	h->tops = drapeAlloc(mesh->particleCount);
	if (h->patterns)
		memset(h->patterns, 0, h->patternCount * sizeof *h->patterns);
	return h->patterns && h->cells && h->tops;
}

void drapeGeometry_AddHierarchy(Geometry* geometry, const drapeClothView* mesh, drapeVec3 corner)
{
	Hierarchy h = {.mesh = mesh, .corner = corner};
	if (mesh->triangleCount == 0)
		return;
	if (Prepare(&h))
	{
		FindCorners(&h);
		CollectCells(&h);
		Batch* batch = drapeGeometry_Begin(geometry, batch_solid);
		batch->wire = true;
		batch->castsShadow = false;
		AddAncestors(geometry, &h);
		AddLeaves(geometry, &h);
		AddLines(geometry, &h);
	}
	else
		geometry->failed = true;
	drapeFree(h.patterns, h.patternCount * sizeof *h.patterns);
	drapeFree(h.cells, (h.cellCapacity + 1) * sizeof *h.cells);
	drapeFree(h.tops, mesh->particleCount);
}
