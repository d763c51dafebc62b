// SPDX-License-Identifier: MIT
#include "support.h"

#include "meshes.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// --- hand-drawn meshes, one for each thing that can be wrong ---

#define NONE DRAPE_NONE
#define COUNT(array) (sizeof(array) / sizeof(array)[0])

typedef struct Drawing
{
	const char* name;
	drapeVec3 positions[8];
	uint32_t vertexCount;
	uint32_t triangles[15];
	uint32_t triangleCount;
	drapeResult result;
	uint32_t total;           // how often the first problem's kind is found
	drapeMeshProblem problem; // the first one listed
} Drawing;

//	3---2    A unit square. What spoils it follows as vertex 4.
//	|  /|
//	| / |
//	0---1
#define SQUARE                                                                                                         \
	{0, 0, 0}, {1, 0, 0}, {1, 1, 0},                                                                                   \
	{                                                                                                                  \
		0, 1, 0                                                                                                        \
	}

static const Drawing drawings[] = {
	{"a square is fine", {SQUARE}, 4, {0, 1, 2, 0, 2, 3}, 2, drape_ok, 0, {0}},
	{"no triangle", {SQUARE}, 4, {0}, 0, drape_errorData, 1, {drape_problemEmpty, NONE, NONE, NONE, NONE}},
	{"index out of range",
     {SQUARE},
     4,
     {0, 1, 2, 0, 2, 9},
     2,
     drape_errorData,
     1,
     {drape_problemIndexRange, 1, NONE, 9, NONE}},
	{"largest index",
     {SQUARE},
     4,
     {0, 1, 2, NONE, NONE, NONE},
     2,
     drape_errorData,
     1,
     {drape_problemIndexRange, 1, NONE, NONE, NONE}},
	{"not a number",
     {{0, 0, 0}, {1, 0, 0}, {1, NAN, 0}, {0, 1, 0}},
     4,
     {0, 1, 2, 0, 2, 3},
     2,
     drape_errorData,
     1,
     {drape_problemNotFinite, NONE, NONE, 2, NONE}},
	{"infinite",
     {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, -INFINITY}},
     4,
     {0, 1, 2, 0, 2, 3},
     2,
     drape_errorData,
     1,
     {drape_problemNotFinite, NONE, NONE, 3, NONE}},
	{"beyond the moon",
     {{0, 0, 0}, {1, 0, 0}, {1, 1e10f, 0}, {0, 1, 0}},
     4,
     {0, 1, 2, 0, 2, 3},
     2,
     drape_errorData,
     1,
     {drape_problemNotFinite, NONE, NONE, 2, NONE}},
	{"repeated corner",
     {SQUARE},
     4,
     {0, 1, 2, 0, 2, 3, 1, 2, 1},
     3,
     drape_errorData,
     1,
     {drape_problemRepeatedCorner, 2, NONE, 1, NONE}},
	{"zero area",
     {SQUARE, {0.5f, 0, 0}},
     5,
     {0, 4, 2, 4, 1, 2, 0, 2, 3, 1, 4, 0},
     4,
     drape_errorData,
     1,
     {drape_problemZeroArea, 3, NONE, NONE, NONE}},
	{"area of a sliver below the noise of its longest edge",
     {SQUARE, {0.5f, -4e-8f, 0}},
     5,
     {0, 1, 2, 0, 2, 3, 1, 0, 4},
     3,
     drape_errorData,
     1,
     {drape_problemZeroArea, 2, NONE, NONE, NONE}},
	{"a thin sliver is fine", {SQUARE, {0.5f, -4e-5f, 0}}, 5, {0, 1, 2, 0, 2, 3, 1, 0, 4}, 3, drape_ok, 0, {0}},
	{"repeated triangle, turned and flipped",
     {SQUARE},
     4,
     {0, 1, 2, 0, 2, 3, 1, 2, 0, 3, 2, 0},
     4,
     drape_errorData,
     2,
     {drape_problemRepeatedTriangle, 2, 0, NONE, NONE}},
	{"three triangles on an edge",
     {SQUARE, {0.5f, 0.5f, 1}},
     5,
     {0, 1, 2, 0, 2, 3, 0, 2, 4},
     3,
     drape_errorData,
     1,
     {drape_problemNonManifoldEdge, 0, 2, 2, 0}},
	{"flipped neighbour",
     {SQUARE},
     4,
     {0, 1, 2, 0, 3, 2},
     2,
     drape_errorData,
     1,
     {drape_problemFlippedNeighbour, 0, 1, 2, 0}},
	{"Moebius strip of five triangles",
     {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0.5f}, {0.5f, 0.5f, 1}},
     5,
     {0, 1, 2, 1, 3, 2, 2, 3, 4, 3, 0, 4, 4, 0, 1},
     5,
     drape_errorData,
     1,
     {drape_problemNotOrientable, 2, 3, 3, 4}},
	{"bow-tie",
     {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {-1, 0, 0}, {-1, -1, 0}},
     5,
     {0, 1, 2, 0, 3, 4},
     2,
     drape_errorData,
     1,
     {drape_problemBowTie, 0, 1, 0, NONE}},
	{"three fans are one bow-tie",
     {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {-1, 0, 0}, {-1, -1, 0}, {0, 0, 1}, {0, 1, 1}},
     7,
     {0, 1, 2, 0, 3, 4, 0, 5, 6},
     3,
     drape_errorData,
     1,
     {drape_problemBowTie, 0, 1, 0, NONE}},
	{"unused vertex",
     {SQUARE, {7, 7, 7}},
     5,
     {0, 1, 2, 0, 2, 3},
     2,
     drape_errorData,
     1,
     {drape_problemUnusedVertex, NONE, NONE, 4, NONE}},
	{"an unused vertex need not be a number",
     {SQUARE, {NAN, 7, 7}},
     5,
     {0, 1, 2, 0, 2, 3},
     2,
     drape_errorData,
     1,
     {drape_problemUnusedVertex, NONE, NONE, 4, NONE}},
	{"duplicate vertices are a note, and -0 is 0",
     {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {-0.0f, 0, 0}, {1, 1, -0.0f}, {0, 1, 0}},
     6,
     {0, 1, 2, 3, 4, 5},
     2,
     drape_ok,
     2,
     {drape_problemDuplicateVertex, NONE, NONE, 3, 0}},
};

static drapeMesh Drawn(const Drawing* drawing)
{
	return TestMesh_FromArrays(drawing->positions, drawing->vertexCount, drawing->triangles, drawing->triangleCount);
}

static void AssertProblem(const drapeMeshProblem* found, const drapeMeshProblem* expected)
{
	assert_int_equal(found->kind, expected->kind);
	assert_int_equal(found->triangle, expected->triangle);
	assert_int_equal(found->otherTriangle, expected->otherTriangle);
	assert_int_equal(found->vertex, expected->vertex);
	assert_int_equal(found->otherVertex, expected->otherVertex);
}

static void EachProblemIsFoundWhereItIs(void** state)
{
	(void)state;
	for (size_t i = 0; i < COUNT(drawings); ++i)
	{
		const Drawing* drawing = drawings + i;
		print_message("  %s\n", drawing->name);
		drapeMesh mesh = Drawn(drawing);
		drapeMeshReport report;
		assert_int_equal(drapeMesh_Check(&mesh, NULL, &report, NULL), drawing->result);
		uint32_t all = 0;
		for (int kind = 0; kind < drape_problemKindCount; ++kind)
			all += report.problemTotals[kind];
		assert_int_equal(all, drawing->total);
		assert_int_equal(report.problemCount, drawing->total);
		if (drawing->total > 0)
		{
			assert_int_equal(report.problemTotals[drawing->problem.kind], drawing->total);
			AssertProblem(report.problems, &drawing->problem);
		}
		TestMesh_Free(&mesh);
	}
}

static void EachKindHasAReasonableRow(void** state)
{
	(void)state;
	for (int kind = 0; kind < drape_problemKindCount; ++kind)
	{
		bool repairable = drapeProblem_GetSeverity((drapeProblemKind)kind) == drape_severityRepairable;
		bool fatal = drapeProblem_GetSeverity((drapeProblemKind)kind) == drape_severityFatal;
		uint32_t repair = drapeProblem_GetRepair((drapeProblemKind)kind);
		assert_true(!repairable || repair != 0);
		assert_true(!fatal || repair == 0);
		assert_int_equal(repair & ~(uint32_t)drape_repairAll, 0);

		drapeMeshProblem problem = {(drapeProblemKind)kind, 1, 2, 3, 4};
		char text[256];
		int length = drapeProblem_Format(&problem, 0, text, sizeof text);
		assert_in_range(length, 10, sizeof text - 1);
		assert_null(strpbrk(text, "{}[]?"));
	}
}

static void SentencesNameElementsFromTheirBase(void** state)
{
	(void)state;
	char text[128];
	drapeMeshProblem problem = {drape_problemRepeatedTriangle, 7, 2, NONE, NONE};
	int length = drapeProblem_Format(&problem, 1, text, sizeof text);
	assert_string_equal(text, "triangle 8 has the same vertices as triangle 3");
	assert_int_equal(length, strlen(text));

	problem = (drapeMeshProblem){drape_problemNotFinite, NONE, NONE, 5, NONE};
	drapeProblem_Format(&problem, 0, text, sizeof text);
	assert_string_equal(text, "vertex 5 has a coordinate that is not a number, infinite or beyond 1e9");
	problem.triangle = 0;
	drapeProblem_Format(&problem, 0, text, sizeof text);
	assert_string_equal(text, "vertex 5 has a coordinate in triangle 0 that is not a number, infinite or beyond 1e9");
}

static void SentencesAreCutLikeSnprintf(void** state)
{
	(void)state;
	drapeMeshProblem problem = {drape_problemZeroArea, 4294967294u, NONE, NONE, NONE};
	int whole = drapeProblem_Format(&problem, 1, NULL, 0);
	char text[64];
	for (size_t capacity = 1; capacity < sizeof text; ++capacity)
	{
		memset(text, '#', sizeof text);
		assert_int_equal(drapeProblem_Format(&problem, 1, text, capacity), whole);
		assert_int_equal(strlen(text), capacity - 1 < (size_t)whole ? capacity - 1 : (size_t)whole);
		for (size_t i = capacity; i < sizeof text; ++i)
			assert_int_equal(text[i], '#');
	}
	assert_string_equal(text, "triangle 4294967295 has no area");
}

// --- what a mesh is ---

static void ShapesHaveTheirEulerNumber(void** state)
{
	(void)state;
	const struct
	{
		drapeMesh mesh;
		int32_t euler;
		uint32_t loops, components;
	} shapes[] = {
		{TestMesh_Grid(4, 3, 1.0f, 1.0f, 0.24f, 5), 1, 1, 1},
		{TestMesh_Holes(3), 1 - 9, 10, 1},
		{TestMesh_Sphere(2, 1.0f), 2, 0, 1},
		{TestMesh_Torus(8, 6, 2.0f, 0.5f), 0, 0, 1},
		{TestMesh_Tube(8, 3, 0.5f, 1.0f), 0, 2, 1},
		{TestMesh_Fan(7, true), 1, 1, 1},
		{TestMesh_Fan(5, false), 1, 1, 1},
		{TestMesh_TwoSquares(), 2, 2, 2},
	};
	for (size_t i = 0; i < COUNT(shapes); ++i)
	{
		drapeMesh mesh = shapes[i].mesh;
		drapeMeshReport report;
		assert_int_equal(drapeMesh_Check(&mesh, NULL, &report, NULL), drape_ok);
		assert_int_equal(report.problemCount, 0);
		assert_int_equal(report.euler, shapes[i].euler);
		assert_int_equal(report.boundaryLoops, shapes[i].loops);
		assert_int_equal(report.components, shapes[i].components);
		assert_int_equal((int32_t)(report.vertices - report.edges + report.triangles), report.euler);
		TestMesh_Free(&mesh);
	}
}

static void SizesAreMeasured(void** state)
{
	(void)state;
	drapeMesh mesh = TestMesh_Grid(4, 2, 2.0f, 0.5f, 0.0f, 1);
	drapeMeshReport report;
	assert_int_equal(drapeMesh_Check(&mesh, NULL, &report, NULL), drape_ok);
	assert_float_equal(report.area, 1.0f, 1e-6f);
	assert_float_equal(report.lower.x, 0.0f, 0.0f);
	assert_float_equal(report.upper.x, 2.0f, 0.0f);
	assert_float_equal(report.upper.y, 0.5f, 0.0f);
	assert_float_equal(report.upper.z, 0.0f, 0.0f);
	assert_float_equal(report.shortestEdge, 0.25f, 1e-6f);
	assert_float_equal(report.longestEdge, sqrtf(0.25f + 0.0625f), 1e-6f);
	assert_float_equal(report.worstAngle, atanf(0.5f), 1e-6f);
	assert_int_equal(report.seams, 0);
	assert_int_equal(report.texcoordIslands, 0);
	TestMesh_Free(&mesh);
}

static void WorstAngleIsFoundInItsTriangle(void** state)
{
	(void)state;
	drapeMesh mesh = TestMesh_Grid(6, 6, 1.0f, 1.0f, 0.0f, 1);
	drapeVec3* moved = TestMesh_Positions(&mesh) + 3 * 7 + 3; // the middle, moved almost onto its right neighbour
	moved->x = 4.0f / 6.0f - 0.001f;
	drapeMeshReport report;
	assert_int_equal(drapeMesh_Check(&mesh, NULL, &report, NULL), drape_ok);
	assert_true(report.worstAngle < 0.01f);
	const uint32_t* corners = mesh.triangles + 3 * report.worstTriangle;
	assert_true(corners[0] == 24 || corners[1] == 24 || corners[2] == 24);
	TestMesh_Free(&mesh);
}

static void TextureRatiosAreMetresPerUnit(void** state)
{
	(void)state;
	drapeMesh mesh = TestMesh_Grid(5, 5, 1.0f, 1.0f, 0.2f, 3);
	TestMesh_AddTexcoords(&mesh, 4.0f);
	drapeMeshReport report;
	assert_int_equal(drapeMesh_Check(&mesh, NULL, &report, NULL), drape_ok);
	assert_int_equal(report.texcoordIslands, 1);
	assert_float_equal(report.texcoordRatioMin, 0.25f, 1e-5f);
	assert_float_equal(report.texcoordRatioMedian, 0.25f, 1e-5f);
	assert_float_equal(report.texcoordRatioMax, 0.25f, 1e-5f);

	// Twice as wide in the texture: edges along x shrink to 1/8, edges along y stay.
	for (uint32_t i = 0; i < mesh.texcoordCount; ++i)
		TestMesh_Texcoords(&mesh)[i].x *= 2.0f;
	assert_int_equal(drapeMesh_Check(&mesh, NULL, &report, NULL), drape_ok);
	assert_float_equal(report.texcoordRatioMin, 0.125f, 1e-5f);
	assert_float_equal(report.texcoordRatioMax, 0.25f, 1e-5f);
	assert_true(report.texcoordRatioMedian > 0.125f && report.texcoordRatioMedian < 0.25f);
	TestMesh_Free(&mesh);
}

static void IslandsAreJoinedByValueNotByIndex(void** state)
{
	(void)state;
	const drapeVec3 positions[] = {SQUARE};
	const uint32_t triangles[] = {0, 1, 2, 0, 2, 3};
	drapeVec2 texcoords[] = {{0, 0}, {1, 0}, {1, 1}, {0, 0}, {1, 1}, {0, 1}};
	uint32_t corners[] = {0, 1, 2, 3, 4, 5};
	drapeMesh mesh = {positions, 4, triangles, 2, texcoords, 6, corners, NULL, 0, NULL};
	drapeMeshReport report;
	assert_int_equal(drapeMesh_Check(&mesh, NULL, &report, NULL), drape_ok);
	assert_int_equal(report.texcoordIslands, 1);
	texcoords[4].x = 1.5f;
	assert_int_equal(drapeMesh_Check(&mesh, NULL, &report, NULL), drape_ok);
	assert_int_equal(report.texcoordIslands, 2);
	corners[5] = NONE;
	assert_int_equal(drapeMesh_Check(&mesh, NULL, &report, NULL), drape_ok);
	assert_int_equal(report.texcoordIslands, 1);
}

static void SeveralProblemsAreReportedTogether(void** state)
{
	(void)state;
	// A square with a repeated triangle, a triangle with a repeated corner, a flipped neighbour and an unused vertex.
	const drapeVec3 positions[] = {SQUARE, {5, 5, 5}};
	const uint32_t triangles[] = {0, 1, 2, 0, 3, 2, 1, 2, 0, 3, 3, 0};
	drapeMesh mesh = {.positions = positions, .vertexCount = 5, .triangles = triangles, .triangleCount = 4};
	drapeMeshReport report;
	assert_int_equal(drapeMesh_Check(&mesh, NULL, &report, NULL), drape_errorData);
	assert_int_equal(report.problemTotals[drape_problemRepeatedTriangle], 1);
	assert_int_equal(report.problemTotals[drape_problemRepeatedCorner], 1);
	assert_int_equal(report.problemTotals[drape_problemFlippedNeighbour], 1);
	assert_int_equal(report.problemTotals[drape_problemUnusedVertex], 1);
	assert_int_equal(report.problemTotals[drape_problemNonManifoldEdge], 0);
	assert_int_equal(report.problemCount, 4);
	assert_int_equal(report.edges, 5);
}

static void TotalsGoOnWhenTheListIsFull(void** state)
{
	(void)state;
	drapeMesh mesh = TestMesh_Grid(20, 20, 1.0f, 1.0f, 0.0f, 1);
	for (uint32_t triangle = 0; triangle < mesh.triangleCount; triangle += 2)
		TestMesh_Triangles(&mesh)[3 * triangle] = 100000;
	drapeMeshReport report;
	assert_int_equal(drapeMesh_Check(&mesh, NULL, &report, NULL), drape_errorData);
	assert_int_equal(report.problemTotals[drape_problemIndexRange], 400);
	assert_int_equal(report.problemCount, DRAPE_REPORT_PROBLEMS);
	TestMesh_Free(&mesh);
}

// --- input no mesh should be ---

static int assertions;

static bool CountAssertion(const char* condition, const char* file, int line)
{
	(void)condition;
	(void)file;
	(void)line;
	assertions++;
	return false;
}

static void MissingArraysAreRefused(void** state)
{
	(void)state;
	drapeMeshReport report;
	const drapeMesh missing[] = {
		{.vertexCount = 3},
		{.triangleCount = 1},
		{.texcoordCount = 1},
		{.normalCount = 1},
	};
	drapeMesh square = Drawn(drawings), repaired;
	drapeRestDef rest = drapeDefaultRestDef();
	drapeSetAssert(CountAssertion);
	for (size_t i = 0; i < COUNT(missing); ++i)
	{
		assert_int_equal(drapeMesh_Check(missing + i, NULL, &report, NULL), drape_errorArgument);
		assert_int_equal(drapeMesh_Repair(missing + i, drape_repairAll, &repaired, NULL, &report, NULL),
		                 drape_errorArgument);
	}
	assert_int_equal(drapeMesh_Check(NULL, NULL, &report, NULL), drape_errorArgument);
	assert_int_equal(drapeMesh_Check(&square, NULL, NULL, NULL), drape_errorArgument);
	assert_int_equal(drapeMesh_Repair(&square, 0, NULL, NULL, &report, NULL), drape_errorArgument);
	rest.source = drape_restMaterial;
	assert_int_equal(drapeMesh_Check(&square, &rest, &report, NULL), drape_errorArgument);
	rest.source = drape_restTexcoord;
	for (int i = 0; i < 3; ++i)
	{
		rest.metresPerUnit = (const float[]){0.0f, -1.0f, NAN}[i];
		assert_int_equal(drapeMesh_Check(&square, &rest, &report, NULL), drape_errorArgument);
	}
	rest = (drapeRestDef){.warp = {NAN, 0.0f, 0.0f}};
	assert_int_equal(drapeMesh_Check(&square, &rest, &report, NULL), drape_errorArgument);
	rest = (drapeRestDef){.source = (drapeRest)99};
	assert_int_equal(drapeMesh_Check(&square, &rest, &report, NULL), drape_errorArgument);
	drapeSetAssert(NULL);
	TestMesh_Free(&square);
}

static void NoInputIsEmpty(void** state)
{
	(void)state;
	drapeMesh mesh = {0};
	drapeMeshReport report;
	assert_int_equal(drapeMesh_Check(&mesh, NULL, &report, NULL), drape_errorData);
	assert_int_equal(report.problemTotals[drape_problemEmpty], 1);
	assert_int_equal(report.worstTriangle, NONE);
}

static void TooManyElementsAreRefusedUnread(void** state)
{
	(void)state;
	drapeMesh square = Drawn(drawings);
	drapeMesh huge = square;
	drapeMeshReport report;
	huge.vertexCount = 1u << 30;
	assert_int_equal(drapeMesh_Check(&huge, NULL, &report, NULL), drape_errorData);
	assert_int_equal(report.problemTotals[drape_problemTooLarge], 1);
	huge = square;
	huge.triangleCount = UINT32_MAX;
	assert_int_equal(drapeMesh_Check(&huge, NULL, &report, NULL), drape_errorData);
	assert_int_equal(report.problemTotals[drape_problemTooLarge], 1);
	TestMesh_Free(&square);
}

static void TextureIndicesMustExist(void** state)
{
	(void)state;
	for (int normals = 0; normals < 2; ++normals)
	{
		drapeMesh mesh = Drawn(drawings);
		const uint32_t corners[] = {NONE, 0, NONE, 0, 1, 5};
		const drapeVec2 texcoord = {0, 0};
		const drapeVec3 normal = {0, 0, 1};
		if (normals)
			mesh.normals = &normal, mesh.normalCount = 1, mesh.normalTriangles = corners;
		else
			mesh.texcoords = &texcoord, mesh.texcoordCount = 1, mesh.texcoordTriangles = corners;
		drapeMeshReport report;
		assert_int_equal(drapeMesh_Check(&mesh, NULL, &report, NULL), drape_errorData);
		assert_int_equal(report.problemTotals[drape_problemTexcoordRange], 1);
		AssertProblem(report.problems, &(drapeMeshProblem){drape_problemTexcoordRange, 1, NONE, 2, NONE});
		mesh.texcoords = NULL, mesh.texcoordTriangles = NULL, mesh.normals = NULL, mesh.normalTriangles = NULL;
		TestMesh_Free(&mesh);
	}
}

static void TextureCoordinatesMustBeNumbers(void** state)
{
	(void)state;
	drapeMesh mesh = Drawn(drawings);
	TestMesh_AddTexcoords(&mesh, 1.0f);
	TestMesh_Texcoords(&mesh)[3].y = NAN;
	drapeMeshReport report;
	assert_int_equal(drapeMesh_Check(&mesh, NULL, &report, NULL), drape_errorData);
	AssertProblem(report.problems, &(drapeMeshProblem){drape_problemNotFinite, 1, NONE, 3, NONE});
	TestMesh_Free(&mesh);
}

// --- repair ---

static drapeMesh Repaired(const drapeMesh* mesh, uint32_t repairs, uint32_t* source)
{
	drapeMesh repaired;
	drapeMeshReport report;
	assert_int_equal(drapeMesh_Repair(mesh, repairs, &repaired, source, &report, NULL), drape_ok);
	return repaired;
}

static void AssertClean(const drapeMesh* mesh)
{
	drapeMeshReport report;
	assert_int_equal(drapeMesh_Check(mesh, NULL, &report, NULL), drape_ok);
}

static void AssertTriangle(const drapeMesh* mesh, uint32_t triangle, uint32_t a, uint32_t b, uint32_t c)
{
	assert_int_equal(mesh->triangles[3 * triangle], a);
	assert_int_equal(mesh->triangles[3 * triangle + 1], b);
	assert_int_equal(mesh->triangles[3 * triangle + 2], c);
}

// Every drawing with one repairable kind is mended by the repair its table row names, and by no other one.
static void EachRepairableProblemIsMendedByItsRepair(void** state)
{
	(void)state;
	for (size_t i = 0; i < COUNT(drawings); ++i)
	{
		const Drawing* drawing = drawings + i;
		if (drawing->total == 0 || drapeProblem_GetSeverity(drawing->problem.kind) != drape_severityRepairable)
			continue;
		print_message("  %s\n", drawing->name);
		drapeMesh mesh = Drawn(drawing);
		for (uint32_t repairs = 0; repairs <= drape_repairAll; ++repairs)
		{
			drapeMesh repaired = Repaired(&mesh, repairs, NULL);
			drapeMeshReport report;
			bool mended = (repairs & drapeProblem_GetRepair(drawing->problem.kind)) != 0;
			assert_int_equal(drapeMesh_Check(&repaired, NULL, &report, NULL), mended ? drape_ok : drape_errorData);
			drapeMesh_Free(&repaired);
		}
		TestMesh_Free(&mesh);
	}
}

static void FatalProblemsAreRefused(void** state)
{
	(void)state;
	for (size_t i = 0; i < COUNT(drawings); ++i)
	{
		const Drawing* drawing = drawings + i;
		if (drawing->total == 0 || drapeProblem_GetSeverity(drawing->problem.kind) != drape_severityFatal)
			continue;
		drapeMesh mesh = Drawn(drawing);
		drapeMesh repaired = {.vertexCount = 77};
		drapeMeshReport report;
		assert_int_equal(drapeMesh_Repair(&mesh, drape_repairAll, &repaired, NULL, &report, NULL), drape_errorData);
		assert_int_equal(report.problemTotals[drawing->problem.kind], drawing->total);
		assert_null(repaired.positions);
		assert_int_equal(repaired.vertexCount, 0);
		TestMesh_Free(&mesh);
	}
}

static void ACleanMeshIsCopiedAsItIs(void** state)
{
	(void)state;
	drapeMesh mesh = TestMesh_Grid(5, 4, 1.0f, 1.0f, 0.24f, 9);
	TestMesh_AddTexcoords(&mesh, 1.0f);
	drapeMesh repaired = Repaired(&mesh, drape_repairAll, NULL);
	assert_int_equal(repaired.vertexCount, mesh.vertexCount);
	assert_int_equal(repaired.triangleCount, mesh.triangleCount);
	assert_memory_equal(repaired.positions, mesh.positions, mesh.vertexCount * sizeof(drapeVec3));
	assert_memory_equal(repaired.triangles, mesh.triangles, 3 * mesh.triangleCount * sizeof(uint32_t));
	assert_memory_equal(repaired.texcoords, mesh.texcoords, mesh.texcoordCount * sizeof(drapeVec2));
	assert_memory_equal(repaired.texcoordTriangles, mesh.texcoordTriangles, 3 * mesh.triangleCount * sizeof(uint32_t));
	drapeMesh_Free(&repaired);
	assert_null(repaired.triangles);
	TestMesh_Free(&mesh);
}

static void TheSmallerPartIsFlipped(void** state)
{
	(void)state;
	drapeMesh mesh = TestMesh_Grid(6, 6, 1.0f, 1.0f, 0.2f, 4);
	drapeMesh original = TestMesh_Grid(6, 6, 1.0f, 1.0f, 0.2f, 4);
	const uint32_t flipped[] = {0, 1, 2, 17, 40, 71};
	for (size_t i = 0; i < COUNT(flipped); ++i)
		TestMesh_FlipTriangle(&mesh, flipped[i]);
	drapeMesh repaired = Repaired(&mesh, drape_repairOrientation, NULL);
	AssertClean(&repaired);
	assert_memory_equal(repaired.triangles, original.triangles, 3 * mesh.triangleCount * sizeof(uint32_t));
	drapeMesh_Free(&repaired);
	TestMesh_Free(&mesh);
	TestMesh_Free(&original);
}

static void InATieTheFirstTriangleKeepsItsWinding(void** state)
{
	(void)state;
	drapeMesh mesh = TestMesh_TwoSquares();
	TestMesh_FlipTriangle(&mesh, 0);
	TestMesh_FlipTriangle(&mesh, 3);
	drapeMesh repaired = Repaired(&mesh, drape_repairOrientation, NULL);
	AssertClean(&repaired);
	AssertTriangle(&repaired, 0, 0, 2, 1);
	AssertTriangle(&repaired, 1, 0, 3, 2);
	AssertTriangle(&repaired, 2, 4, 5, 6);
	AssertTriangle(&repaired, 3, 4, 6, 7);
	drapeMesh_Free(&repaired);
	TestMesh_Free(&mesh);
}

static void AttributesStayWithTheirCorners(void** state)
{
	(void)state;
	// Triangle 0 goes, triangle 1 stays, triangle 2 is flipped: its corners 1 and 2 change places with all they carry.
	const drapeVec3 positions[] = {SQUARE, {2, 0, 0}};
	const uint32_t triangles[] = {1, 1, 0, 0, 1, 2, 0, 3, 2, 1, 4, 2};
	const drapeVec2 texcoords[] = {{0, 0}, {1, 0}, {2, 0}};
	const uint32_t texcoordCorners[] = {0, 0, 0, 0, 1, 2, 2, 1, 0, NONE, NONE, NONE};
	const drapeVec3 normals[] = {{0, 0, 1}};
	const uint32_t normalCorners[] = {NONE, NONE, NONE, 0, NONE, NONE, NONE, 0, NONE, NONE, NONE, 0};
	drapeMesh mesh = {positions, 5, triangles, 4, texcoords, 3, texcoordCorners, normals, 1, normalCorners};
	uint32_t source[4] = {77, 77, 77, 77};
	drapeMesh repaired = Repaired(&mesh, drape_repairAll, source);
	AssertClean(&repaired);
	assert_int_equal(repaired.triangleCount, 3);
	const uint32_t expectedSource[] = {1, 2, 3, 77};
	const uint32_t expectedTexcoords[] = {0, 1, 2, 2, 0, 1, NONE, NONE, NONE};
	const uint32_t expectedNormals[] = {0, NONE, NONE, NONE, NONE, 0, NONE, NONE, 0};
	assert_memory_equal(source, expectedSource, sizeof source);
	AssertTriangle(&repaired, 1, 0, 2, 3);
	assert_memory_equal(repaired.texcoordTriangles, expectedTexcoords, sizeof expectedTexcoords);
	assert_memory_equal(repaired.normalTriangles, expectedNormals, sizeof expectedNormals);
	assert_int_equal(repaired.texcoordCount, 3);
	assert_int_equal(repaired.normalCount, 1);
	drapeMesh_Free(&repaired);
}

// Every triangle of a mesh with its own three vertices, as files without indices have it.
static drapeMesh Exploded(const drapeMesh* mesh)
{
	uint32_t corners = 3 * mesh->triangleCount;
	drapeVec3* positions = malloc(corners * sizeof *positions);
	uint32_t* triangles = malloc(corners * sizeof *triangles);
	for (uint32_t i = 0; i < corners; ++i)
	{
		positions[i] = mesh->positions[mesh->triangles[i]];
		triangles[i] = i;
	}
	return (drapeMesh){
		.positions = positions, .vertexCount = corners, .triangles = triangles, .triangleCount = corners / 3};
}

static void AHeapOfSingleTrianglesIsWelded(void** state)
{
	(void)state;
	drapeMesh shapes[] = {TestMesh_Grid(7, 5, 1.0f, 1.0f, 0.24f, 2), TestMesh_Sphere(2, 1.0f), TestMesh_Holes(2)};
	for (size_t i = 0; i < COUNT(shapes); ++i)
	{
		drapeMesh heap = Exploded(shapes + i);
		drapeMesh repaired = Repaired(&heap, drape_repairVertices, NULL);
		AssertClean(&repaired);
		assert_int_equal(repaired.vertexCount, shapes[i].vertexCount);
		drapeMeshReport before, after;
		drapeMesh_Check(shapes + i, NULL, &before, NULL);
		drapeMesh_Check(&repaired, NULL, &after, NULL);
		assert_int_equal(before.edges, after.edges);
		assert_int_equal(before.euler, after.euler);
		drapeMesh_Free(&repaired);
		TestMesh_Free(&heap);
		TestMesh_Free(shapes + i);
	}
}

static void PanelsThatTouchInAPointStayApart(void** state)
{
	(void)state;
	const drapeVec3 positions[] = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 0, 0}, {-1, 0, 0}, {-1, -1, 0}};
	const uint32_t triangles[] = {0, 1, 2, 3, 4, 5};
	drapeMesh mesh = {.positions = positions, .vertexCount = 6, .triangles = triangles, .triangleCount = 2};
	drapeMesh repaired = Repaired(&mesh, drape_repairVertices, NULL);
	AssertClean(&repaired);
	assert_int_equal(repaired.vertexCount, 6);
	drapeMesh_Free(&repaired);
}

static void SheetsOnTopOfEachOtherStayApart(void** state)
{
	(void)state;
	const drapeVec3 positions[] = {SQUARE, SQUARE};
	const uint32_t triangles[] = {0, 1, 2, 0, 2, 3, 4, 5, 6, 4, 6, 7};
	drapeMesh mesh = {.positions = positions, .vertexCount = 8, .triangles = triangles, .triangleCount = 4};
	drapeMesh repaired = Repaired(&mesh, drape_repairAll, NULL);
	AssertClean(&repaired);
	assert_int_equal(repaired.vertexCount, 8);
	assert_int_equal(repaired.triangleCount, 4);
	drapeMesh_Free(&repaired);
}

static void ThreeSheetsOnOneEdgeStayApart(void** state)
{
	(void)state;
	const drapeVec3 positions[] = {{0, 0, 0},  {0, 1, 0}, {1, 0, 0}, {0, 0, 0}, {0, 1, 0},
	                               {-1, 0, 0}, {0, 0, 0}, {0, 1, 0}, {0, 0, 1}};
	const uint32_t triangles[] = {0, 2, 1, 3, 4, 5, 6, 8, 7};
	drapeMesh mesh = {.positions = positions, .vertexCount = 9, .triangles = triangles, .triangleCount = 3};
	drapeMesh repaired = Repaired(&mesh, drape_repairAll, NULL);
	AssertClean(&repaired);
	assert_int_equal(repaired.vertexCount, 9);
	drapeMesh_Free(&repaired);
}

static void ATwistedBandIsNotClosedToAMoebiusStrip(void** state)
{
	(void)state;
	drapeMesh strip = TestMesh_Moebius(12);
	drapeMesh open = Exploded(&strip);
	drapeMesh repaired;
	drapeMeshReport report;
	assert_int_equal(drapeMesh_Check(&strip, NULL, &report, NULL), drape_errorData);
	assert_int_equal(report.problemTotals[drape_problemNotOrientable], 1);
	assert_int_equal(drapeMesh_Repair(&open, drape_repairAll, &repaired, NULL, &report, NULL), drape_ok);
	AssertClean(&repaired);
	drapeMesh_Free(&repaired);
	TestMesh_Free(&strip);
	TestMesh_Free(&open);
}

static void MergingDoesNotFlipUnlessAsked(void** state)
{
	(void)state;
	const drapeVec3 positions[] = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 0, 0}, {1, 1, 0}, {0, 1, 0}};
	const uint32_t triangles[] = {0, 1, 2, 3, 5, 4};
	drapeMesh mesh = {.positions = positions, .vertexCount = 6, .triangles = triangles, .triangleCount = 2};
	drapeMesh apart = Repaired(&mesh, drape_repairVertices, NULL);
	AssertClean(&apart);
	assert_int_equal(apart.vertexCount, 6);
	drapeMesh joined = Repaired(&mesh, drape_repairVertices | drape_repairOrientation, NULL);
	AssertClean(&joined);
	assert_int_equal(joined.vertexCount, 4);
	AssertTriangle(&joined, 1, 0, 2, 5 - 2);
	drapeMesh_Free(&apart);
	drapeMesh_Free(&joined);
}

// A triangle without area between two others around a boundary vertex: dropping it alone would leave a bow-tie.
static void DroppingATriangleLeavesNoBowTie(void** state)
{
	(void)state;
	const drapeVec3 positions[] = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {2, 2, 0}, {0, 1, 0}};
	const uint32_t triangles[] = {0, 1, 2, 0, 2, 3, 0, 3, 4};
	drapeMesh mesh = {.positions = positions, .vertexCount = 5, .triangles = triangles, .triangleCount = 3};
	drapeMesh repaired = Repaired(&mesh, drape_repairDegenerate, NULL);
	AssertClean(&repaired);
	assert_int_equal(repaired.triangleCount, 2);
	assert_int_equal(repaired.vertexCount, 6);
	drapeMesh_Free(&repaired);
}

static void NeedlesAreDroppedAndTheirSlitClosed(void** state)
{
	(void)state;
	// Vertices 1 and 4 are one place; triangle 1 is the needle between.
	const drapeVec3 positions[] = {{0, 0, 0}, {1, 1, 0}, {2, 0, 0}, {0, 2, 0}, {1, 1, 0}};
	const uint32_t triangles[] = {0, 2, 1, 0, 1, 4, 0, 4, 3};
	drapeMesh mesh = {.positions = positions, .vertexCount = 5, .triangles = triangles, .triangleCount = 3};
	drapeMesh repaired = Repaired(&mesh, drape_repairAll, NULL);
	AssertClean(&repaired);
	assert_int_equal(repaired.triangleCount, 2);
	assert_int_equal(repaired.vertexCount, 4);
	drapeMeshReport report;
	drapeMesh_Check(&repaired, NULL, &report, NULL);
	assert_int_equal(report.components, 1);
	drapeMesh_Free(&repaired);
}

static void AMeshOfDegenerateTrianglesHasNothingToKeep(void** state)
{
	(void)state;
	const drapeVec3 positions[] = {{0, 0, 0}, {1, 1, 1}, {2, 2, 2}};
	const uint32_t triangles[] = {0, 1, 2, 1, 1, 0};
	drapeMesh mesh = {.positions = positions, .vertexCount = 3, .triangles = triangles, .triangleCount = 2};
	drapeMesh repaired;
	drapeMeshReport report;
	assert_int_equal(drapeMesh_Repair(&mesh, drape_repairAll, &repaired, NULL, &report, NULL), drape_errorData);
	assert_null(repaired.positions);
}

static void BowTiesGetAVertexForEachFan(void** state)
{
	(void)state;
	const Drawing* drawing = drawings;
	while (strcmp(drawing->name, "three fans are one bow-tie") != 0)
		++drawing;
	drapeMesh mesh = Drawn(drawing);
	drapeMesh repaired = Repaired(&mesh, drape_repairBowTies, NULL);
	assert_int_equal(repaired.vertexCount, 9);
	AssertTriangle(&repaired, 0, 0, 1, 2);
	AssertTriangle(&repaired, 1, 7, 3, 4);
	AssertTriangle(&repaired, 2, 8, 5, 6);
	assert_memory_equal(repaired.positions + 7, mesh.positions, sizeof(drapeVec3));
	assert_memory_equal(repaired.positions + 8, mesh.positions, sizeof(drapeVec3));
	drapeMesh_Free(&repaired);
	TestMesh_Free(&mesh);
}

// --- any input ---

// Few vertices at few places, so that everything happens at once.
static drapeMesh Soup(uint32_t* seed)
{
	drapeVec3 positions[24];
	uint32_t triangles[3 * 40];
	uint32_t vertexCount = TestMesh_Random(seed) % 24 + 1, triangleCount = TestMesh_Random(seed) % 41;
	uint32_t places = TestMesh_Random(seed) % 4 + 1;
	for (uint32_t i = 0; i < vertexCount; ++i)
	{
		float x = (float)(TestMesh_Random(seed) % places), y = (float)(TestMesh_Random(seed) % places);
		positions[i] = (drapeVec3){x, y, (float)(TestMesh_Random(seed) % places)};
		if (TestMesh_Random(seed) % 200 == 0)
			positions[i].x = (const float[]){NAN, INFINITY, 1e30f, 1e-30f}[TestMesh_Random(seed) % 4];
	}
	for (uint32_t i = 0; i < 3 * triangleCount; ++i)
	{
		triangles[i] = TestMesh_Random(seed) % vertexCount;
		if (TestMesh_Random(seed) % 2000 == 0)
			triangles[i] = TestMesh_Random(seed);
	}
	drapeMesh mesh = TestMesh_FromArrays(positions, vertexCount, triangles, triangleCount);
	TestMesh_AddTexcoords(&mesh, 1.0f);
	return mesh;
}

// True when everything wrong in a report is of a kind that these repairs mend.
static bool IsMendedBy(const drapeMeshReport* report, uint32_t repairs)
{
	for (int kind = 0; kind < drape_problemKindCount; ++kind)
	{
		bool wrong =
			report->problemTotals[kind] > 0 && drapeProblem_GetSeverity((drapeProblemKind)kind) > drape_severityNote;
		if (wrong && !(drapeProblem_GetRepair((drapeProblemKind)kind) & repairs))
			return false;
	}
	return true;
}

// What is left after the repairs it needed is usable; what is refused has a reason.
static void SoupsAreRepairedOrRefused(void** state)
{
	(void)state;
	uint32_t seed = 20260101, mendedCount = 0;
	for (int i = 0; i < 20000; ++i)
	{
		drapeMesh mesh = Soup(&seed);
		drapeMeshReport report;
		drapeResult before = drapeMesh_Check(&mesh, NULL, &report, NULL);
		assert_int_equal(before, IsMendedBy(&report, 0) ? drape_ok : drape_errorData);
		uint32_t repairs = i % 2 ? drape_repairAll : TestMesh_Random(&seed) % (drape_repairAll + 1);
		drapeMesh repaired;
		drapeResult result = drapeMesh_Repair(&mesh, repairs, &repaired, NULL, &report, NULL);
		assert_true(result == drape_ok || result == drape_errorData);
		if (result == drape_ok && (repairs == drape_repairAll || IsMendedBy(&report, repairs)))
		{
			AssertClean(&repaired);
			mendedCount++;
		}
		drapeMesh_Free(&repaired);
		TestMesh_Free(&mesh);
	}
	assert_true(mendedCount > 100);
}

// A surface that was good, spoiled in ways that repairs know, is good again.
static void SpoiledSurfacesAreMended(void** state)
{
	(void)state;
	uint32_t seed = 7;
	for (int i = 0; i < 500; ++i)
	{
		drapeMesh grid = TestMesh_Grid(4, 4, 1.0f, 1.0f, 0.24f, TestMesh_Random(&seed));
		drapeMesh heap = Exploded(&grid);
		drapeMesh mesh = i % 2 ? heap : grid;
		for (uint32_t k = 0; k < 4; ++k)
		{
			uint32_t triangle = TestMesh_Random(&seed) % mesh.triangleCount;
			uint32_t other = TestMesh_Random(&seed) % mesh.triangleCount;
			if (k < 2)
				TestMesh_FlipTriangle(&mesh, triangle);
			else if (k == 2)
				memcpy(TestMesh_Triangles(&mesh) + 3 * triangle, mesh.triangles + 3 * other, 3 * sizeof(uint32_t));
			else
				TestMesh_Triangles(&mesh)[3 * triangle] = mesh.triangles[3 * triangle + 1];
		}
		drapeMesh repaired = Repaired(&mesh, drape_repairAll, NULL);
		AssertClean(&repaired);
		drapeMesh_Free(&repaired);
		TestMesh_Free(&grid);
		TestMesh_Free(&heap);
	}
}

static void EveryFailedAllocationIsReported(void** state)
{
	(void)state;
	drapeMesh mesh = TestMesh_Grid(3, 3, 1.0f, 1.0f, 0.2f, 1);
	TestMesh_AddTexcoords(&mesh, 1.0f);
	drapeMeshReport report;
	drapeResult result = drape_errorMemory;
	for (size_t number = 1; result == drape_errorMemory; ++number)
	{
		Test_FailAllocation(number, number % 2 == 0);
		result = drapeMesh_Check(&mesh, NULL, &report, NULL);
		assert_int_equal(result, Test_AllocationCount() >= number ? drape_errorMemory : drape_ok);
		Test_FailAllocation(0, false);
	}

	// Two repeated triangles, one of them flipped, and an exploded half: every pass of the repair runs.
	drapeMesh heap = Exploded(&mesh);
	TestMesh_FlipTriangle(&heap, 2);
	memcpy(TestMesh_Triangles(&heap) + 3 * 5, heap.triangles + 3 * 2, 3 * sizeof(uint32_t));
	result = drape_errorMemory;
	for (size_t number = 1; result == drape_errorMemory; ++number)
	{
		drapeMesh repaired;
		Test_FailAllocation(number, number % 2 == 0);
		result = drapeMesh_Repair(&heap, drape_repairAll, &repaired, NULL, &report, NULL);
		assert_int_equal(result, Test_AllocationCount() >= number ? drape_errorMemory : drape_ok);
		if (result != drape_ok)
			assert_null(repaired.positions);
		drapeMesh_Free(&repaired);
		Test_FailAllocation(0, false);
	}
	TestMesh_Free(&heap);
	TestMesh_Free(&mesh);
}

// These would run for minutes if anything were quadratic.
static void LargeMeshesTakeLinearTime(void** state)
{
	(void)state;
	drapeMesh shapes[] = {
		TestMesh_Fan(100000, true),
		TestMesh_Grid(400, 250, 2.0f, 2.0f, 0.2f, 1),
		TestMesh_Sphere(7, 1.0f),
	};
	for (size_t i = 0; i < COUNT(shapes); ++i)
	{
		AssertClean(shapes + i);
		drapeMesh heap = Exploded(shapes + i);
		drapeMesh repaired = Repaired(&heap, drape_repairAll, NULL);
		assert_int_equal(repaired.vertexCount, shapes[i].vertexCount);
		drapeMesh_Free(&repaired);
		TestMesh_Free(&heap);
		TestMesh_Free(shapes + i);
	}
}

// Two hundred thousand triangles on one edge, and as many vertices in one place.
static void ManyTrianglesOnAnEdgeTakeLinearTime(void** state)
{
	(void)state;
	const uint32_t count = 200000;
	drapeMesh book = TestMesh_Grid(count, 1, 1.0f, 1.0f, 0.0f, 1);
	for (uint32_t i = 0; i < count; ++i)
	{
		uint32_t* corners = TestMesh_Triangles(&book) + 3 * i;
		corners[0] = 0;
		corners[1] = 1;
		corners[2] = i + 2;
	}
	book.triangleCount = count;
	drapeMeshReport report;
	assert_int_equal(drapeMesh_Check(&book, NULL, &report, NULL), drape_errorData);
	assert_int_equal(report.problemTotals[drape_problemNonManifoldEdge], 1);
	for (uint32_t i = 0; i < 3 * count; ++i)
		TestMesh_Triangles(&book)[i] = i % 3;
	assert_int_equal(drapeMesh_Check(&book, NULL, &report, NULL), drape_errorData);
	assert_int_equal(report.problemTotals[drape_problemRepeatedTriangle], count - 1);
	for (uint32_t i = 0; i < 3 * count; ++i)
	{
		TestMesh_Triangles(&book)[i] = i / 3 + i % 3;
		TestMesh_Positions(&book)[i / 3] = (drapeVec3){1.0f, 2.0f, 3.0f};
	}
	assert_int_equal(drapeMesh_Check(&book, NULL, &report, NULL), drape_errorData);
	assert_true(report.problemTotals[drape_problemDuplicateVertex] >= count - 3);
	TestMesh_Free(&book);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(EachProblemIsFoundWhereItIs),
		cmocka_unit_test(EachKindHasAReasonableRow),
		cmocka_unit_test(SentencesNameElementsFromTheirBase),
		cmocka_unit_test(SentencesAreCutLikeSnprintf),
		cmocka_unit_test(ShapesHaveTheirEulerNumber),
		cmocka_unit_test(SizesAreMeasured),
		cmocka_unit_test(WorstAngleIsFoundInItsTriangle),
		cmocka_unit_test(TextureRatiosAreMetresPerUnit),
		cmocka_unit_test(IslandsAreJoinedByValueNotByIndex),
		cmocka_unit_test(SeveralProblemsAreReportedTogether),
		cmocka_unit_test(TotalsGoOnWhenTheListIsFull),
		cmocka_unit_test(MissingArraysAreRefused),
		cmocka_unit_test(NoInputIsEmpty),
		cmocka_unit_test(TooManyElementsAreRefusedUnread),
		cmocka_unit_test(TextureIndicesMustExist),
		cmocka_unit_test(TextureCoordinatesMustBeNumbers),
		cmocka_unit_test(EachRepairableProblemIsMendedByItsRepair),
		cmocka_unit_test(FatalProblemsAreRefused),
		cmocka_unit_test(ACleanMeshIsCopiedAsItIs),
		cmocka_unit_test(TheSmallerPartIsFlipped),
		cmocka_unit_test(InATieTheFirstTriangleKeepsItsWinding),
		cmocka_unit_test(AttributesStayWithTheirCorners),
		cmocka_unit_test(AHeapOfSingleTrianglesIsWelded),
		cmocka_unit_test(PanelsThatTouchInAPointStayApart),
		cmocka_unit_test(SheetsOnTopOfEachOtherStayApart),
		cmocka_unit_test(ThreeSheetsOnOneEdgeStayApart),
		cmocka_unit_test(ATwistedBandIsNotClosedToAMoebiusStrip),
		cmocka_unit_test(MergingDoesNotFlipUnlessAsked),
		cmocka_unit_test(DroppingATriangleLeavesNoBowTie),
		cmocka_unit_test(NeedlesAreDroppedAndTheirSlitClosed),
		cmocka_unit_test(AMeshOfDegenerateTrianglesHasNothingToKeep),
		cmocka_unit_test(BowTiesGetAVertexForEachFan),
		cmocka_unit_test(SoupsAreRepairedOrRefused),
		cmocka_unit_test(SpoiledSurfacesAreMended),
		cmocka_unit_test(EveryFailedAllocationIsReported),
		cmocka_unit_test(LargeMeshesTakeLinearTime),
		cmocka_unit_test(ManyTrianglesOnAnEdgeTakeLinearTime),
	};
	return cmocka_run_group_tests_name("mesh_check", tests, NULL, NULL);
}
