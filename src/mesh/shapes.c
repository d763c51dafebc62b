// SPDX-License-Identifier: MIT
#include "base/alloc.h"
#include "base/checks/message.h"
#include "base/maths.h"
#include "drape/mesh.h"

// Meshes to start with, for programs, scenes and benchmarks that need no file.

typedef struct GridArrays
{
	Vec3* positions;
	Vec2* texcoords;
	uint32_t *triangles, *texcoordTriangles;
} GridArrays;

static void FillGrid(const GridArrays* grid, uint32_t columns, uint32_t rows, float width, float depth)
{
	uint32_t v = 0;
	for (uint32_t j = 0; j <= rows; ++j)
	{
		for (uint32_t i = 0; i <= columns; ++i, ++v)
		{
			float s = (float)i / (float)columns, t = (float)j / (float)rows;
			grid->positions[v] = (Vec3){(s - 0.5f) * width, 0.0f, (0.5f - t) * depth};
			grid->texcoords[v] = (Vec2){s, t};
		}
	}
	uint32_t c = 0;
	for (uint32_t j = 0; j < rows; ++j)
	{
		for (uint32_t i = 0; i < columns; ++i, c += 6)
		{
			uint32_t a = j * (columns + 1) + i, b = a + 1, d = a + columns + 1, e = d + 1;
			const uint32_t corners[6] = {a, b, e, a, e, d};
			for (int k = 0; k < 6; ++k)
				grid->triangles[c + k] = grid->texcoordTriangles[c + k] = corners[k];
		}
	}
}

static drapeResult CheckGrid(uint32_t columns, uint32_t rows, float width, float depth, drapeMessage* message)
{
	if (columns == 0 || rows == 0)
		return drapeRefuse(message, "%s is 0, expected at least 1", columns == 0 ? "columns" : "rows");
	if (!(width > 0.0f) || !isfinite(width))
		return drapeRefuse(message, "width is %g, expected a number above 0 m", (double)width);
	if (!(depth > 0.0f) || !isfinite(depth))
		return drapeRefuse(message, "depth is %g, expected a number above 0 m", (double)depth);
	return drape_ok;
}

drapeResult drapeMesh_CreateGrid(uint32_t columns, uint32_t rows, float width, float depth, drapeMesh* mesh,
                                 drapeMessage* message)
{
	if (!mesh)
		return drapeRefuse(message, "there is nowhere to write the mesh to");
	*mesh = (drapeMesh){0};
	drapeResult result = CheckGrid(columns, rows, width, depth, message);
	if (result != drape_ok)
		return result;
	uint64_t vertices = ((uint64_t)columns + 1) * ((uint64_t)rows + 1), triangles = 2 * (uint64_t)columns * rows;
	if (vertices > DRAPE_MAX_ELEMENTS || triangles > DRAPE_MAX_ELEMENTS / 3)
		return drapeFail(message, drape_errorLimit, "%u by %u quads are too many, expected at most %u triangles",
		                 columns, rows, DRAPE_MAX_ELEMENTS / 3);
	GridArrays grid = {
		.positions = drapeMemAllocArray((size_t)vertices, sizeof(Vec3)),
		.texcoords = drapeMemAllocArray((size_t)vertices, sizeof(Vec2)),
		.triangles = drapeMemAllocArray(3 * (size_t)triangles, sizeof(uint32_t)),
		.texcoordTriangles = drapeMemAllocArray(3 * (size_t)triangles, sizeof(uint32_t)),
	};
	*mesh = (drapeMesh){
		.positions = grid.positions,
		.vertexCount = (uint32_t)vertices,
		.triangles = grid.triangles,
		.triangleCount = (uint32_t)triangles,
		.texcoords = grid.texcoords,
		.texcoordCount = (uint32_t)vertices,
		.texcoordTriangles = grid.texcoordTriangles,
	};
	if (!grid.positions || !grid.texcoords || !grid.triangles || !grid.texcoordTriangles)
	{
		drapeMesh_Free(mesh);
		return drapeFail_Memory(message);
	}
	FillGrid(&grid, columns, rows, width, depth);
	return drape_ok;
}
