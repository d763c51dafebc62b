// SPDX-License-Identifier: MIT
#include "support.h"

#include "mesh/mesh.h"
#include "mesh/topology.h"
#include "meshes.h"

#include <string.h>

#define COUNT(array) (sizeof(array) / sizeof(array)[0])

// Everything the header of the pattern mesh promises about its edges.
static void AssertEdgesAgree(const PatternMesh* pattern)
{
	uint32_t met = 0, sides = 0;
	for (uint32_t corner = 0; corner < 3 * pattern->triangleCount; ++corner)
	{
		uint32_t edge = pattern->triangleEdges[corner] >> 1, side = pattern->triangleEdges[corner] & 1;
		assert_true(edge <= met); // in the order in which triangles meet them
		met += edge == met;
		const PatternEdge* e = pattern->edges + edge;
		assert_int_equal(e->half[side], corner / 3 << 2 | corner % 3);
		assert_int_equal(e->vertex[side], pattern->triangles[corner]);
		assert_int_equal(e->vertex[1 - side], pattern->triangles[NextCorner(corner)]);
	}
	assert_int_equal(met, pattern->edgeCount);
	for (uint32_t edge = 0; edge < pattern->edgeCount; ++edge)
	{
		assert_int_not_equal(pattern->edges[edge].half[0], DRAPE_NONE);
		sides += 1 + (pattern->edges[edge].half[1] != DRAPE_NONE);
	}
	assert_int_equal(sides, 3 * pattern->triangleCount);
}

static void EdgesAndTrianglesAgree(void** state)
{
	(void)state;
	drapeMesh shapes[] = {
		TestMesh_Grid(6, 5, 1.0f, 1.0f, 0.24f, 3),
		TestMesh_Holes(3),
		TestMesh_Sphere(3, 0.5f),
		TestMesh_Torus(12, 9, 1.0f, 0.3f),
		TestMesh_Tube(3, 1, 1.0f, 1.0f),
		TestMesh_Fan(3, true),
		TestMesh_Fan(1, false),
		TestMesh_Fan(50, true),
		TestMesh_TwoSquares(),
	};
	for (size_t i = 0; i < COUNT(shapes); ++i)
	{
		PatternMesh pattern;
		drapeMeshReport report;
		assert_int_equal(drapePatternMesh_Create(&pattern, shapes + i, NULL, &report), drape_ok);
		AssertEdgesAgree(&pattern);
		assert_int_equal(pattern.edgeCount, report.edges);
		assert_int_equal(pattern.vertexCount, shapes[i].vertexCount);
		assert_int_equal(pattern.triangleCount, shapes[i].triangleCount);
		assert_memory_equal(pattern.positions, shapes[i].positions, pattern.vertexCount * sizeof(Vec3));
		assert_null(pattern.texcoords);
		drapePatternMesh_Destroy(&pattern);
		assert_null(pattern.edges);
		TestMesh_Free(shapes + i);
	}
}

static void AnUnusableMeshGivesNoPattern(void** state)
{
	(void)state;
	drapeMesh mesh = TestMesh_Moebius(9);
	PatternMesh pattern;
	drapeMeshReport report;
	memset(&pattern, 0x55, sizeof pattern);
	size_t blocks = drapeGetMemoryUse().blocks;
	assert_int_equal(drapePatternMesh_Create(&pattern, &mesh, NULL, &report), drape_errorData);
	assert_int_equal(report.problemTotals[drape_problemNotOrientable], 1);
	assert_null(pattern.positions);
	assert_int_equal(pattern.triangleCount, 0);
	assert_int_equal(drapeGetMemoryUse().blocks, blocks);
	TestMesh_Free(&mesh);
}

static void AnUnusedVertexWouldHaveNoMass(void** state)
{
	(void)state;
	drapeMesh mesh = TestMesh_Grid(3, 2, 1.0f, 1.0f, 0.0f, 1);
	mesh.triangleCount -= 1; // the last triangle has the far corner to itself
	PatternMesh pattern;
	drapeMeshReport report;
	assert_int_equal(drapePatternMesh_Create(&pattern, &mesh, NULL, &report), drape_errorData);
	assert_int_equal(report.problemTotals[drape_problemUnusedVertex], 1);
	TestMesh_Free(&mesh);
}

static void PanelsMayTouch(void** state)
{
	(void)state;
	drapeMesh mesh = TestMesh_TwoSquares();
	for (uint32_t i = 4; i < 8; ++i)
		TestMesh_Positions(&mesh)[i].x -= 1.0f;
	PatternMesh pattern;
	drapeMeshReport report;
	assert_int_equal(drapePatternMesh_Create(&pattern, &mesh, NULL, &report), drape_ok);
	assert_int_equal(report.problemTotals[drape_problemDuplicateVertex], 2);
	assert_int_equal(report.components, 2);
	drapePatternMesh_Destroy(&pattern);
	TestMesh_Free(&mesh);
}

static void CornersWithoutTextureAreZero(void** state)
{
	(void)state;
	drapeMesh mesh = TestMesh_TwoSquares();
	TestMesh_AddTexcoords(&mesh, 1.0f);
	((uint32_t*)mesh.texcoordTriangles)[7] = DRAPE_NONE;
	PatternMesh pattern;
	drapeMeshReport report;
	assert_int_equal(drapePatternMesh_Create(&pattern, &mesh, NULL, &report), drape_ok);
	assert_float_equal(pattern.texcoords[6].x, 2.0f, 0.0f);
	assert_float_equal(pattern.texcoords[7].x, 0.0f, 0.0f);
	assert_float_equal(pattern.texcoords[8].x, 3.0f, 0.0f);
	drapePatternMesh_Destroy(&pattern);
	TestMesh_Free(&mesh);
}

static void EveryFailedAllocationIsReported(void** state)
{
	(void)state;
	drapeMesh mesh = TestMesh_Grid(3, 3, 1.0f, 1.0f, 0.2f, 1);
	TestMesh_AddTexcoords(&mesh, 1.0f);
	drapeResult result = drape_errorMemory;
	for (size_t number = 1; result == drape_errorMemory; ++number)
	{
		PatternMesh pattern;
		drapeMeshReport report;
		Test_FailAllocation(number, number % 2 == 1);
		result = drapePatternMesh_Create(&pattern, &mesh, NULL, &report);
		assert_int_equal(result, Test_AllocationCount() >= number ? drape_errorMemory : drape_ok);
		if (result != drape_ok)
			assert_null(pattern.positions);
		drapePatternMesh_Destroy(&pattern);
		Test_FailAllocation(0, false);
	}
	TestMesh_Free(&mesh);
}

static void LargePatternsTakeLinearTime(void** state)
{
	(void)state;
	drapeMesh shapes[] = {
		TestMesh_Fan(100000, true),
		TestMesh_Grid(400, 250, 2.0f, 2.0f, 0.24f, 8),
		TestMesh_Torus(400, 250, 1.0f, 0.4f),
	};
	for (size_t i = 0; i < COUNT(shapes); ++i)
	{
		PatternMesh pattern;
		drapeMeshReport report;
		assert_int_equal(drapePatternMesh_Create(&pattern, shapes + i, NULL, &report), drape_ok);
		AssertEdgesAgree(&pattern);
		assert_true(report.seams == 0 || i == 2); // the fan and the sheet are flat
		drapePatternMesh_Destroy(&pattern);
		TestMesh_Free(shapes + i);
	}
}

// --- topology ---

static void AllTrianglesLeftOutLeaveNoEdge(void** state)
{
	(void)state;
	const uint32_t triangles[] = {0, 0, 0, 1, 1, 2};
	const uint8_t leftOut[] = {1, 1};
	Topology topology;
	assert_true(drapeTopology_Create(&topology, triangles, 2, 3, leftOut));
	assert_int_equal(topology.edgeCount, 0);
	assert_int_equal(topology.cornerCount, 0);
	drapeTopology_Destroy(&topology);
}

static void CornersOfAnEdgeAscend(void** state)
{
	(void)state;
	uint32_t seed = 3, triangles[3 * 200];
	for (uint32_t i = 0; i < COUNT(triangles); i += 3)
	{
		triangles[i] = TestMesh_Random(&seed) % 10;
		triangles[i + 1] = (triangles[i] + 1 + TestMesh_Random(&seed) % 4) % 10;
		triangles[i + 2] = (triangles[i] + 5 + TestMesh_Random(&seed) % 5) % 10;
	}
	Topology topology;
	assert_true(drapeTopology_Create(&topology, triangles, 200, 10, NULL));
	assert_int_equal(topology.edgeFirst[topology.edgeCount], 600);
	for (uint32_t edge = 0; edge < topology.edgeCount; ++edge)
	{
		uint32_t first = topology.corners[topology.edgeFirst[edge]];
		uint32_t a = triangles[first], b = triangles[NextCorner(first)];
		for (uint32_t i = topology.edgeFirst[edge]; i < topology.edgeFirst[edge + 1]; ++i)
		{
			uint32_t corner = topology.corners[i], c = triangles[corner], d = triangles[NextCorner(corner)];
			assert_int_equal(topology.edgeOf[corner], edge);
			assert_true((a == c && b == d) || (a == d && b == c));
			assert_true(i == topology.edgeFirst[edge] || topology.corners[i - 1] < corner);
		}
	}
	drapeTopology_Destroy(&topology);
}

static void FansAreCountedRoundAVertex(void** state)
{
	(void)state;
	//	  2---1 5        Vertex 0 has the fan of triangles 0 and 1 and, apart, triangle 2.
	//	 / \ / / \       .
	//	3---0-----4
	const uint32_t triangles[] = {0, 1, 2, 0, 2, 3, 0, 4, 5};
	Topology topology;
	uint32_t fan[9];
	assert_true(drapeTopology_Create(&topology, triangles, 3, 6, NULL));
	drapeTopology_FindFans(&topology, fan);
	const uint32_t expected[] = {0, 1, 2, 0, 2, 5, 6, 7, 8};
	assert_memory_equal(fan, expected, sizeof expected);
	drapeTopology_Destroy(&topology);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(EdgesAndTrianglesAgree),        cmocka_unit_test(AnUnusableMeshGivesNoPattern),
		cmocka_unit_test(AnUnusedVertexWouldHaveNoMass), cmocka_unit_test(PanelsMayTouch),
		cmocka_unit_test(CornersWithoutTextureAreZero),  cmocka_unit_test(EveryFailedAllocationIsReported),
		cmocka_unit_test(LargePatternsTakeLinearTime),   cmocka_unit_test(AllTrianglesLeftOutLeaveNoEdge),
		cmocka_unit_test(CornersOfAnEdgeAscend),         cmocka_unit_test(FansAreCountedRoundAVertex),
	};
	return cmocka_run_group_tests_name("pattern", tests, NULL, NULL);
}
