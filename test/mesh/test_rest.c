// SPDX-License-Identifier: MIT
#include "support.h"

#include "mesh/geometry.h"
#include "mesh/pattern.h"
#include "mesh/rest.h"
#include "meshes.h"

#include <string.h>

#define PI 3.14159265358979f

static PatternMesh Made(const drapeMesh* mesh, const drapeRestDef* rest)
{
	PatternMesh pattern;
	drapeMeshReport report;
	assert_int_equal(drapePatternMesh_Create(&pattern, mesh, rest, &report), drape_ok);
	uint32_t seams = 0;
	for (uint32_t edge = 0; edge < pattern.edgeCount; ++edge)
		seams += pattern.seam[edge];
	assert_int_equal(seams, report.seams);
	return pattern;
}

static uint32_t SeamCount(const PatternMesh* pattern)
{
	uint32_t seams = 0;
	for (uint32_t edge = 0; edge < pattern->edgeCount; ++edge)
		seams += pattern->seam[edge];
	return seams;
}

// Material coordinates of an edge's ends as one of its sides has them.
static void EdgeMaterial(const PatternMesh* pattern, uint32_t edge, int side, Vec2* start, Vec2* end)
{
	uint32_t half = pattern->edges[edge].half[side];
	uint32_t triangle = half >> 2, k = half & 3;
	Vec2 first = pattern->material[3 * triangle + k], second = pattern->material[3 * triangle + (k + 1) % 3];
	*start = side == 0 ? first : second;
	*end = side == 0 ? second : first;
}

// Every triangle has its 3D lengths, relative to the longest of them.
static void AssertIsometric(const PatternMesh* pattern, double tolerance)
{
	for (uint32_t corner = 0; corner < 3 * pattern->triangleCount; ++corner)
	{
		uint32_t next = NextCorner(corner);
		double metres = D3Length(
			D3Between(pattern->positions[pattern->triangles[corner]], pattern->positions[pattern->triangles[next]]));
		double rest = D2Length(D2Between(pattern->material[corner], pattern->material[next]));
		assert_true(fabs(metres - rest) <= tolerance * metres);
	}
}

// Both sides of every inner edge agree up to a translation; up to nothing at all when `exactly`.
static void AssertContinuous(const PatternMesh* pattern, bool exactly)
{
	for (uint32_t edge = 0; edge < pattern->edgeCount; ++edge)
	{
		if (pattern->edges[edge].half[1] == DRAPE_NONE)
			continue;
		Vec2 a0, b0, a1, b1;
		EdgeMaterial(pattern, edge, 0, &a0, &b0);
		EdgeMaterial(pattern, edge, 1, &a1, &b1);
		Double2 d0 = D2Between(a0, b0), d1 = D2Between(a1, b1);
		assert_true(D2Length((Double2){d0.x - d1.x, d0.y - d1.y}) <= 1e-5 * D2Length(d0));
		if (exactly)
			assert_true(D2Length(D2Between(a0, a1)) <= 1e-5);
	}
}

static void AssertCounterClockwise(const PatternMesh* pattern)
{
	double area = 0.0;
	for (uint32_t triangle = 0; triangle < pattern->triangleCount; ++triangle)
	{
		assert_true(drapePatternMesh_TriangleArea(pattern, triangle) > 0.0);
		area += drapePatternMesh_TriangleArea(pattern, triangle);
	}
	assert_true(fabs(area - pattern->area) <= 1e-12 * area);
}

// A flat sheet bent so that lengths within it stay: x runs around a cylinder, or around the tip of a cone.
static void RollToCylinder(drapeMesh* mesh, float radius)
{
	for (uint32_t i = 0; i < mesh->vertexCount; ++i)
	{
		drapeVec3* p = TestMesh_Positions(mesh) + i;
		float angle = p->x / radius;
		*p = (drapeVec3){radius * sinf(angle), p->y, radius * (1.0f - cosf(angle))};
	}
}

static drapeMesh ConePatch(void)
{
	// A ring sector of radii 1 to 2 and 2 radians. On a cone with half-angle 30 degrees, a point s from the tip is
	// s / 2 from the axis, so that angles around the axis are twice those in the flat.
	drapeMesh mesh = TestMesh_Grid(24, 12, 2.0f, 1.0f, 0.0f, 1);
	for (uint32_t i = 0; i < mesh.vertexCount; ++i)
	{
		drapeVec3* p = TestMesh_Positions(&mesh) + i;
		float s = 2.0f - p->y, around = 2.0f * p->x;
		*p = (drapeVec3){0.5f * s * cosf(around), 0.5f * s * sinf(around), -s * sqrtf(0.75f)};
	}
	return mesh;
}

static void AFlatSheetIsItsOwnRestShape(void** state)
{
	(void)state;
	drapeMesh mesh = TestMesh_Grid(9, 7, 1.2f, 0.8f, 0.24f, 11);
	PatternMesh pattern = Made(&mesh, NULL);
	for (uint32_t corner = 0; corner < 3 * pattern.triangleCount; ++corner)
	{
		Vec3 position = pattern.positions[pattern.triangles[corner]];
		assert_float_equal(pattern.material[corner].x, position.x, 1e-6f);
		assert_float_equal(pattern.material[corner].y, position.y, 1e-6f);
	}
	assert_int_equal(SeamCount(&pattern), 0);
	assert_true(fabs(pattern.area - 1.2 * 0.8) < 1e-6);
	drapePatternMesh_Destroy(&pattern);
	TestMesh_Free(&mesh);
}

static void ARolledSheetHasContinuousMaterialCoordinates(void** state)
{
	(void)state;
	drapeMesh mesh = TestMesh_Grid(30, 10, 1.5f, 0.5f, 0.0f, 11);
	RollToCylinder(&mesh, 0.5f); // three radians of it
	PatternMesh pattern = Made(&mesh, NULL);
	AssertIsometric(&pattern, 1e-5);
	AssertContinuous(&pattern, true);
	AssertCounterClockwise(&pattern);
	assert_int_equal(SeamCount(&pattern), 0);
	drapePatternMesh_Destroy(&pattern);
	TestMesh_Free(&mesh);
}

// A cone of flat facets: every generator is a fold, and each facet between two of them is planar.
static void AConePatchHasContinuousMaterialCoordinates(void** state)
{
	(void)state;
	drapeMesh mesh = ConePatch();
	PatternMesh pattern = Made(&mesh, NULL);
	AssertIsometric(&pattern, 1e-5);
	AssertContinuous(&pattern, true);
	AssertCounterClockwise(&pattern);
	assert_int_equal(SeamCount(&pattern), 0);
	drapePatternMesh_Destroy(&pattern);
	TestMesh_Free(&mesh);
}

static void ACreasedSheetUnfoldsFlat(void** state)
{
	(void)state;
	// Folded like a fan, by more than a right angle at every crease.
	drapeMesh mesh = TestMesh_Grid(8, 4, 1.6f, 1.0f, 0.0f, 1);
	for (uint32_t i = 0; i < mesh.vertexCount; ++i)
	{
		uint32_t column = i % 9;
		TestMesh_Positions(&mesh)[i].x = 0.1f * (float)column;
		TestMesh_Positions(&mesh)[i].z = column % 2 ? sqrtf(0.04f - 0.01f) : 0.0f;
	}
	PatternMesh pattern = Made(&mesh, NULL);
	AssertIsometric(&pattern, 1e-5);
	AssertContinuous(&pattern, true);
	assert_true(fabs(pattern.area - 1.6) < 1e-5);
	drapePatternMesh_Destroy(&pattern);
	TestMesh_Free(&mesh);
}

static void AClosedTubeHasNoSeam(void** state)
{
	(void)state;
	drapeMesh mesh = TestMesh_Tube(24, 6, 0.5f, 1.0f);
	PatternMesh pattern = Made(&mesh, NULL);
	AssertIsometric(&pattern, 1e-5);
	AssertContinuous(&pattern, false);
	assert_int_equal(SeamCount(&pattern), 0);
	drapePatternMesh_Destroy(&pattern);
	TestMesh_Free(&mesh);
}

static void ASphereHasSeams(void** state)
{
	(void)state;
	for (uint32_t levels = 0; levels < 5; ++levels)
	{
		drapeMesh mesh = TestMesh_Sphere(levels, 1.0f);
		PatternMesh pattern = Made(&mesh, NULL);
		AssertIsometric(&pattern, 1e-5);
		AssertCounterClockwise(&pattern);
		assert_true(SeamCount(&pattern) > 0);
		assert_true(SeamCount(&pattern) < pattern.edgeCount);
		drapePatternMesh_Destroy(&pattern);
		TestMesh_Free(&mesh);
	}
}

// A box without bottom: the walls are one belt, closed without a seam. The lid hangs on one wall, at a right angle to
// the warp of two others and upside down to the fourth.
static void ABoxHasSeamsOnlyAlongItsLid(void** state)
{
	(void)state;
	const drapeVec3 positions[] = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0},
	                               {0, 0, 1}, {1, 0, 1}, {1, 1, 1}, {0, 1, 1}};
	const uint32_t triangles[] = {0, 1, 5, 0, 5, 4, 1, 2, 6, 1, 6, 5, 2, 3, 7,
	                              2, 7, 6, 3, 0, 4, 3, 4, 7, 4, 5, 6, 4, 6, 7};
	drapeMesh mesh = {.positions = positions, .vertexCount = 8, .triangles = triangles, .triangleCount = 10};
	PatternMesh pattern = Made(&mesh, NULL);
	AssertIsometric(&pattern, 1e-6);
	for (uint32_t edge = 0; edge < pattern.edgeCount; ++edge)
	{
		const uint32_t* ends = pattern.edges[edge].vertex;
		bool lidRim = ends[0] >= 4 && ends[1] >= 4 && (ends[0] ^ ends[1]) != 2;
		assert_true(!pattern.seam[edge] || lidRim);
	}
	assert_int_equal(SeamCount(&pattern), 3);
	drapePatternMesh_Destroy(&pattern);
}

static void TheWarpFollowsTheDirectionAsked(void** state)
{
	(void)state;
	drapeMesh mesh = TestMesh_Grid(4, 4, 1.0f, 1.0f, 0.24f, 5);
	const struct
	{
		Vec3 warp;
		Vec2 uOfX; // material vector of the 3D direction +x
	} cases[] = {
		{{0, 0, 0}, {1, 0}},
		{{5, 0, 0}, {1, 0}},
		{{0, 2, 0}, {0, -1}},
		{{-1, 0, 9}, {-1, 0}},
		{{0, 0, 1}, {0, -1}}, // square to the sheet: +z is no help either, +y is
		{{3, 3, 0}, {0.70710678f, -0.70710678f}},
	};
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i)
	{
		drapeRestDef rest = drapeDefaultRestDef();
		rest.warp = cases[i].warp;
		PatternMesh pattern = Made(&mesh, &rest);
		for (uint32_t corner = 0; corner < 3 * pattern.triangleCount; ++corner)
		{
			uint32_t next = NextCorner(corner);
			Vec3 edge = V3Sub(pattern.positions[pattern.triangles[next]], pattern.positions[pattern.triangles[corner]]);
			Vec2 laid = V2Sub(pattern.material[next], pattern.material[corner]);
			assert_float_equal(laid.x, edge.x * cases[i].uOfX.x - edge.y * cases[i].uOfX.y, 1e-6f);
			assert_float_equal(laid.y, edge.x * cases[i].uOfX.y + edge.y * cases[i].uOfX.x, 1e-6f);
		}
		drapePatternMesh_Destroy(&pattern);
	}
	TestMesh_Free(&mesh);
}

static void EveryPieceStartsWithTheWarpAsked(void** state)
{
	(void)state;
	drapeMesh mesh = TestMesh_TwoSquares();
	drapeRestDef rest = drapeDefaultRestDef();
	rest.warp = (Vec3){0, 1, 0};
	PatternMesh pattern = Made(&mesh, &rest);
	for (uint32_t triangle = 0; triangle < 4; triangle += 2)
	{
		Vec2 side = V2Sub(pattern.material[3 * triangle + 1], pattern.material[3 * triangle]);
		assert_float_equal(side.x, 0.0f, 1e-6f);
		assert_float_equal(side.y, -1.0f, 1e-6f);
	}
	drapePatternMesh_Destroy(&pattern);
	TestMesh_Free(&mesh);
}

// Rounding far from where the unfolding began must neither flip slivers nor look like a seam.
static void SmallTrianglesFarOutKeepTheirShape(void** state)
{
	(void)state;
	drapeMesh mesh = TestMesh_Grid(2000, 2, 500.0f, 0.0004f, 0.0f, 1);
	PatternMesh pattern = Made(&mesh, NULL);
	AssertCounterClockwise(&pattern);
	assert_int_equal(SeamCount(&pattern), 0);
	drapePatternMesh_Destroy(&pattern);
	TestMesh_Free(&mesh);
}

static void TextureCoordinatesAreMaterialWhenAsked(void** state)
{
	(void)state;
	drapeMesh mesh = TestMesh_Grid(4, 4, 2.0f, 2.0f, 0.2f, 1);
	TestMesh_AddTexcoords(&mesh, 0.5f);
	drapeRestDef rest = {.source = drape_restTexcoord, .metresPerUnit = 3.0f};
	PatternMesh pattern = Made(&mesh, &rest);
	for (uint32_t corner = 0; corner < 3 * pattern.triangleCount; ++corner)
	{
		Vec3 position = pattern.positions[pattern.triangles[corner]];
		assert_float_equal(pattern.material[corner].x, 1.5f * position.x, 1e-6f);
		assert_float_equal(pattern.material[corner].y, 1.5f * position.y, 1e-6f);
		assert_float_equal(pattern.texcoords[corner].x, 0.5f * position.x, 1e-6f);
	}
	assert_int_equal(SeamCount(&pattern), 0);
	drapePatternMesh_Destroy(&pattern);
	TestMesh_Free(&mesh);
}

static void ATextureSeenFromBehindIsTurnedOver(void** state)
{
	(void)state;
	drapeMesh mesh = TestMesh_Grid(3, 3, 1.0f, 1.0f, 0.2f, 1);
	TestMesh_AddTexcoords(&mesh, 1.0f);
	for (uint32_t i = 0; i < mesh.texcoordCount; ++i)
		TestMesh_Texcoords(&mesh)[i].x *= -1.0f;
	drapeRestDef rest = {.source = drape_restTexcoord, .metresPerUnit = 1.0f};
	PatternMesh pattern = Made(&mesh, &rest);
	AssertCounterClockwise(&pattern);
	AssertIsometric(&pattern, 1e-5);
	assert_int_equal(SeamCount(&pattern), 0);
	drapePatternMesh_Destroy(&pattern);
	TestMesh_Free(&mesh);
}

static void SomeMirroredTrianglesAreRefused(void** state)
{
	(void)state;
	drapeMesh mesh = TestMesh_TwoSquares();
	TestMesh_AddTexcoords(&mesh, 1.0f);
	for (uint32_t i = 4; i < 8; ++i)
		TestMesh_Texcoords(&mesh)[i].x *= -1.0f;
	drapeRestDef rest = {.source = drape_restTexcoord, .metresPerUnit = 1.0f};
	drapeMeshReport report;
	assert_int_equal(drapeMesh_Check(&mesh, &rest, &report, NULL), drape_errorData);
	assert_int_equal(report.problemTotals[drape_problemFlippedRest], 2);
	assert_int_equal(report.problems[0].triangle, 2);
	assert_int_equal(report.problems[1].triangle, 3);
	TestMesh_Free(&mesh);
}

static void CornersWithoutTextureAreRefusedWhenItIsTheRestShape(void** state)
{
	(void)state;
	drapeMesh mesh = TestMesh_TwoSquares();
	drapeRestDef rest = {.source = drape_restTexcoord, .metresPerUnit = 1.0f};
	drapeMeshReport report;
	assert_int_equal(drapeMesh_Check(&mesh, &rest, &report, NULL), drape_errorData);
	assert_int_equal(report.problemTotals[drape_problemMissingTexcoord], 4);
	TestMesh_AddTexcoords(&mesh, 1.0f);
	assert_int_equal(drapeMesh_Check(&mesh, &rest, &report, NULL), drape_ok);
	((uint32_t*)mesh.texcoordTriangles)[3 * 2 + 1] = DRAPE_NONE;
	assert_int_equal(drapeMesh_Check(&mesh, &rest, &report, NULL), drape_errorData);
	assert_int_equal(report.problemTotals[drape_problemMissingTexcoord], 1);
	assert_int_equal(report.problems[0].triangle, 2);
	assert_int_equal(report.problems[0].vertex, 5);
	assert_int_equal(drapeMesh_Check(&mesh, NULL, &report, NULL), drape_ok);
	TestMesh_Free(&mesh);
}

static void ARestShapeWithoutAreaIsRefused(void** state)
{
	(void)state;
	drapeMesh mesh = TestMesh_TwoSquares();
	TestMesh_AddTexcoords(&mesh, 1.0f);
	TestMesh_Texcoords(&mesh)[1] = (Vec2){0.5f, 0.5f}; // onto the diagonal
	drapeRestDef rest = {.source = drape_restTexcoord, .metresPerUnit = 1.0f};
	drapeMeshReport report;
	assert_int_equal(drapeMesh_Check(&mesh, &rest, &report, NULL), drape_errorData);
	assert_int_equal(report.problemTotals[drape_problemZeroArea], 1);
	assert_int_equal(report.problems[0].triangle, 0);
	rest.metresPerUnit = 3e38f;
	assert_int_equal(drapeMesh_Check(&mesh, &rest, &report, NULL), drape_errorData);
	assert_true(report.problemTotals[drape_problemNotFinite] > 0);
	TestMesh_Free(&mesh);
}

// Two triangles that share the edge from (0, 0) to (0, 1); the second one's side of it is stretched and turned.
static uint32_t SeamsWith(float stretch, float degrees)
{
	const drapeVec3 positions[] = {{0, 0, 0}, {0, 1, 0}, {1, 0, 0}, {-1, 0, 0}};
	const uint32_t triangles[] = {0, 2, 1, 0, 1, 3};
	Vec2 material[6];
	float c = stretch * cosf(degrees * PI / 180.0f), s = stretch * sinf(degrees * PI / 180.0f);
	for (int i = 0; i < 6; ++i)
	{
		drapeVec3 p = positions[triangles[i]];
		material[i] = i < 3 ? (Vec2){p.x, p.y} : (Vec2){5.0f + c * p.x - s * p.y, 7.0f + s * p.x + c * p.y};
	}
	drapeMesh mesh = {.positions = positions, .vertexCount = 4, .triangles = triangles, .triangleCount = 2};
	drapeRestDef rest = {.source = drape_restMaterial, .material = material};
	PatternMesh pattern = Made(&mesh, &rest);
	assert_memory_equal(pattern.material, material, sizeof material);
	uint32_t seams = SeamCount(&pattern);
	drapePatternMesh_Destroy(&pattern);
	return seams;
}

static void SidesThatDifferInLengthOrWarpAreASeam(void** state)
{
	(void)state;
	assert_int_equal(SeamsWith(1.0f, 0.0f), 0); // moved only
	assert_int_equal(SeamsWith(1.0005f, 0.0f), 0);
	assert_int_equal(SeamsWith(1.002f, 0.0f), 1);
	assert_int_equal(SeamsWith(0.998f, 0.0f), 1);
	assert_int_equal(SeamsWith(1.0f, 0.9f), 0);
	assert_int_equal(SeamsWith(1.0f, 1.1f), 1);
	assert_int_equal(SeamsWith(1.0f, -1.1f), 1);
	assert_int_equal(SeamsWith(1.0f, 180.0f), 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(AFlatSheetIsItsOwnRestShape),
		cmocka_unit_test(ARolledSheetHasContinuousMaterialCoordinates),
		cmocka_unit_test(AConePatchHasContinuousMaterialCoordinates),
		cmocka_unit_test(ACreasedSheetUnfoldsFlat),
		cmocka_unit_test(AClosedTubeHasNoSeam),
		cmocka_unit_test(ASphereHasSeams),
		cmocka_unit_test(ABoxHasSeamsOnlyAlongItsLid),
		cmocka_unit_test(TheWarpFollowsTheDirectionAsked),
		cmocka_unit_test(EveryPieceStartsWithTheWarpAsked),
		cmocka_unit_test(SmallTrianglesFarOutKeepTheirShape),
		cmocka_unit_test(TextureCoordinatesAreMaterialWhenAsked),
		cmocka_unit_test(ATextureSeenFromBehindIsTurnedOver),
		cmocka_unit_test(SomeMirroredTrianglesAreRefused),
		cmocka_unit_test(CornersWithoutTextureAreRefusedWhenItIsTheRestShape),
		cmocka_unit_test(ARestShapeWithoutAreaIsRefused),
		cmocka_unit_test(SidesThatDifferInLengthOrWarpAreASeam),
	};
	return cmocka_run_group_tests_name("rest", tests, NULL, NULL);
}
