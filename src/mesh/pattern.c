// SPDX-License-Identifier: MIT
#include "mesh/pattern.h"
#include "base/alloc.h"
#include "mesh/check.h"
#include "mesh/geometry.h"

#include <string.h>

static bool Allocate(PatternMesh* pattern, const drapeMesh* mesh)
{
	size_t corners = 3 * (size_t)pattern->triangleCount;
	bool textured = mesh->texcoordTriangles && mesh->texcoordCount > 0;
	pattern->positions = drapeMemAllocArray(pattern->vertexCount, sizeof *pattern->positions);
	pattern->triangles = drapeMemAllocArray(corners, sizeof *pattern->triangles);
	pattern->triangleEdges = drapeMemAllocArray(corners, sizeof *pattern->triangleEdges);
	pattern->edges = drapeMemAllocArray(pattern->edgeCount, sizeof *pattern->edges);
	pattern->material = drapeMemAllocArray(corners, sizeof *pattern->material);
	pattern->texcoords = textured ? drapeMemAllocArray(corners, sizeof *pattern->texcoords) : NULL;
	pattern->seam = drapeMemAllocArray(pattern->edgeCount, sizeof *pattern->seam);
	return pattern->positions && pattern->triangles && pattern->triangleEdges && pattern->edges && pattern->material &&
	       (pattern->texcoords || !textured) && pattern->seam;
}

static void CopyCorners(PatternMesh* pattern, const Exam* exam)
{
	const drapeMesh* mesh = exam->mesh;
	size_t corners = 3 * (size_t)pattern->triangleCount;
	DRAPE_ASSERT(exam->material && exam->seam);
	memcpy(pattern->positions, mesh->positions, pattern->vertexCount * sizeof *pattern->positions);
	memcpy(pattern->triangles, mesh->triangles, corners * sizeof *pattern->triangles);
	memcpy(pattern->material, exam->material, corners * sizeof *pattern->material);
	memcpy(pattern->seam, exam->seam, pattern->edgeCount * sizeof *pattern->seam);
	for (size_t corner = 0; pattern->texcoords && corner < corners; ++corner)
	{
		uint32_t texcoord = mesh->texcoordTriangles[corner];
		pattern->texcoords[corner] = texcoord == DRAPE_NONE ? (Vec2){0.0f, 0.0f} : mesh->texcoords[texcoord];
	}
	for (uint32_t triangle = 0; triangle < pattern->triangleCount; ++triangle)
		pattern->area += drapePatternMesh_TriangleArea(pattern, triangle);
}

static void FillEdges(PatternMesh* pattern, const Topology* topology)
{
	for (uint32_t edge = 0; edge < pattern->edgeCount; ++edge)
	{
		uint32_t sides = Topology_EdgeSize(topology, edge);
		DRAPE_ASSERT(sides == 1 || sides == 2);
		const uint32_t* corners = topology->corners + topology->edgeFirst[edge];
		PatternEdge* out = pattern->edges + edge;
		out->vertex[0] = topology->triangles[corners[0]];
		out->vertex[1] = topology->triangles[NextCorner(corners[0])];
		out->half[1] = DRAPE_NONE;
		for (uint32_t side = 0; side < sides; ++side)
		{
			DRAPE_ASSERT(topology->triangles[corners[side]] == out->vertex[side]);
			out->half[side] = corners[side] / 3 << 2 | corners[side] % 3;
			pattern->triangleEdges[corners[side]] = edge << 1 | side;
		}
	}
}

drapeResult drapePatternMesh_Create(PatternMesh* pattern, const drapeMesh* mesh, const drapeRestDef* rest,
                                    drapeMeshReport* report)
{
	DRAPE_ASSERT(pattern && report);
	*pattern = (PatternMesh){0};
	Exam exam;
	drapeResult result = drapeExam_Run(&exam, mesh, rest, report);
	if (result == drape_ok)
	{
		pattern->vertexCount = mesh->vertexCount;
		pattern->triangleCount = mesh->triangleCount;
		pattern->edgeCount = exam.topology.edgeCount;
		if (Allocate(pattern, mesh))
		{
			CopyCorners(pattern, &exam);
			FillEdges(pattern, &exam.topology);
		}
		else
		{
			drapePatternMesh_Destroy(pattern);
			result = drape_errorMemory;
		}
	}
	drapeExam_Destroy(&exam);
	return result;
}

void drapePatternMesh_Destroy(PatternMesh* pattern)
{
	size_t corners = 3 * (size_t)pattern->triangleCount;
	drapeMemFree(pattern->positions, pattern->vertexCount * sizeof *pattern->positions);
	drapeMemFree(pattern->triangles, corners * sizeof *pattern->triangles);
	drapeMemFree(pattern->triangleEdges, corners * sizeof *pattern->triangleEdges);
	drapeMemFree(pattern->edges, pattern->edgeCount * sizeof *pattern->edges);
	drapeMemFree(pattern->material, corners * sizeof *pattern->material);
	drapeMemFree(pattern->texcoords, corners * sizeof *pattern->texcoords);
	drapeMemFree(pattern->seam, pattern->edgeCount * sizeof *pattern->seam);
	*pattern = (PatternMesh){0};
}

double drapePatternMesh_TriangleArea(const PatternMesh* pattern, uint32_t triangle)
{
	DRAPE_ASSERT(triangle < pattern->triangleCount);
	return 0.5 * FlatTwiceArea(pattern->material + 3 * (size_t)triangle);
}
