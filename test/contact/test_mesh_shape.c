// SPDX-License-Identifier: MIT
#include "meshes.h"
#include "soup.h"
#include "support.h"

#include "base/random.h"
#include "contact/shapes/mesh_shape.h"

#include <float.h>
#include <stdlib.h>
#include <string.h>

static TaskPool* tasks;

static int StartTasks(void** state)
{
	(void)state;
	tasks = drapeTaskPool_Create(2, NULL, NULL, NULL);
	return tasks ? 0 : -1;
}

static int StopTasks(void** state)
{
	(void)state;
	drapeTaskPool_Destroy(tasks);
	return drapeGetMemoryUse().blocks == 0 ? 0 : -1;
}

static drapeResult CreateFrom(MeshShape* shape, const drapeMesh* mesh, MeshShapeReport* report)
{
	return drapeMeshShape_Create(shape, mesh->positions, mesh->vertexCount, mesh->triangles, mesh->triangleCount, tasks,
	                             report);
}

static MeshShape Create(const drapeMesh* mesh, MeshShapeReport* report)
{
	MeshShape shape;
	assert_int_equal(CreateFrom(&shape, mesh, report), drape_ok);
	assert_null(report->problem);
	return shape;
}

static Vec3 RandomPoint(Random* random, float size)
{
	return (Vec3){Random_Range(random, -size, size), Random_Range(random, -size, size),
	              Random_Range(random, -size, size)};
}

// A cube of two triangles a side, from -1 to 1, wound outward.
static const drapeVec3 cubeCorners[8] = {{-1, -1, -1}, {1, -1, -1}, {-1, 1, -1}, {1, 1, -1},
                                         {-1, -1, 1},  {1, -1, 1},  {-1, 1, 1},  {1, 1, 1}};
static const uint32_t cubeTriangles[36] = {0, 2, 1, 1, 2, 3, 4, 5, 6, 5, 7, 6, 0, 1, 4, 1, 5, 4,
                                           2, 6, 3, 3, 6, 7, 0, 4, 2, 2, 4, 6, 1, 3, 5, 3, 7, 5};

static drapeMesh Cube(void)
{
	return TestMesh_FromArrays(cubeCorners, 8, cubeTriangles, 12);
}

static void AppendTriangle(drapeMesh* mesh, uint32_t a, uint32_t b, uint32_t c)
{
	uint32_t* triangles = calloc(3 * ((size_t)mesh->triangleCount + 1), sizeof *triangles);
	assert_non_null(triangles);
	memcpy(triangles, mesh->triangles, 3 * (size_t)mesh->triangleCount * sizeof *triangles);
	triangles[3 * mesh->triangleCount] = a;
	triangles[3 * mesh->triangleCount + 1] = b;
	triangles[3 * mesh->triangleCount + 2] = c;
	drapeMesh longer = TestMesh_FromArrays(mesh->positions, mesh->vertexCount, triangles, mesh->triangleCount + 1);
	free(triangles);
	TestMesh_Free(mesh);
	*mesh = longer;
}

// --- what is accepted -----------------------------------------------------------------------------------------------

static void ClosedMeshesAreKnown(void** state)
{
	(void)state;
	drapeMesh meshes[] = {Cube(),
	                      TestMesh_Sphere(2, 1.0f),
	                      TestMesh_Torus(12, 8, 1.0f, 0.3f),
	                      TestMesh_Grid(4, 4, 1.0f, 1.0f, 0.0f, 1),
	                      TestMesh_Tube(8, 3, 1.0f, 1.0f),
	                      TestMesh_Moebius(9)};
	for (int i = 0; i < 6; ++i)
	{
		MeshShapeReport report;
		MeshShape shape = Create(&meshes[i], &report);
		assert_int_equal(report.closed, i < 3);
		assert_int_equal(shape.closed, i < 3);
		assert_int_equal(report.boundaryEdges == 0, i < 3);
		assert_int_equal(report.dropped + report.nonManifoldEdges, 0);
		assert_false(report.turned || report.tangled);
		drapeMeshShape_Destroy(&shape);
		TestMesh_Free(&meshes[i]);
	}
}

static void InsideOutMeshIsTurnedOver(void** state)
{
	(void)state;
	drapeMesh cube = Cube();
	uint32_t* triangles = TestMesh_Triangles(&cube);
	for (uint32_t i = 0; i < 12; ++i)
	{
		uint32_t swap = triangles[3 * i];
		triangles[3 * i] = triangles[3 * i + 1];
		triangles[3 * i + 1] = swap;
	}
	MeshShapeReport report;
	MeshPoint point;
	MeshShape shape = Create(&cube, &report);
	assert_true(report.closed && report.turned);
	assert_true(drapeMeshShape_Closest(&shape, (Vec3){0.1f, 0.2f, 0.9f}, 1.0f, &point));
	assert_float_equal(point.distance, -0.1f, 1e-6f);
	assert_float_equal(point.normal.z, 1.0f, 1e-6f);
	for (uint32_t i = 0; i < 36; ++i)
	{
		uint32_t other = shape.neighbour[i], a = shape.triangle[i], b = shape.triangle[i - i % 3 + (i + 1) % 3];
		bool agrees = false;
		for (uint32_t k = 0; k < 3; ++k)
			agrees = agrees || (shape.triangle[3 * other + k] == b && shape.triangle[3 * other + (k + 1) % 3] == a);
		assert_true(agrees);
	}
	drapeMeshShape_Destroy(&shape);
	TestMesh_Free(&cube);
}

static void TrianglesWithoutAreaAreDroppedAndCounted(void** state)
{
	(void)state;
	drapeMesh cube = Cube();
	AppendTriangle(&cube, 0, 0, 1);
	AppendTriangle(&cube, 5, 5, 5);
	MeshShapeReport report;
	MeshShape shape = Create(&cube, &report);
	assert_int_equal(report.dropped, 2);
	assert_int_equal(report.firstDropped, 12);
	assert_int_equal(shape.triangleCount, 12);
	assert_true(shape.closed);
	assert_int_equal(report.nonManifoldEdges, 0);
	drapeMeshShape_Destroy(&shape);
	TestMesh_Free(&cube);
}

// An edge of a cube is split on one side only, and a triangle without area fills the gap.
static void TrianglesWithoutAreaMayCloseGaps(void** state)
{
	(void)state;
	drapeVec3 positions[9];
	uint32_t triangles[42];
	memcpy(positions, cubeCorners, sizeof cubeCorners);
	memcpy(triangles, cubeTriangles, sizeof cubeTriangles);
	positions[8] = (drapeVec3){0, -1, -1}; // between 0 and 1
	const uint32_t replaced[] = {0, 8, 4, 8, 1, 4, 0, 1, 8};
	memcpy(triangles + 12, replaced, 3 * sizeof(uint32_t));
	memcpy(triangles + 36, replaced + 3, 6 * sizeof(uint32_t));
	drapeMesh mesh = TestMesh_FromArrays(positions, 9, triangles, 14);
	MeshShapeReport report;
	MeshShape shape = Create(&mesh, &report);
	assert_int_equal(report.dropped, 1);
	assert_true(shape.closed);
	Random random = Random_Seed(1, 8);
	for (int i = 0; i < 2000; ++i)
	{
		// About the edge that is split.
		Vec3 p = {Random_Range(&random, -0.9f, 0.9f), Random_Range(&random, -1.3f, -0.7f),
		          Random_Range(&random, -1.3f, -0.7f)};
		MeshPoint point;
		bool inside = p.y > -1.0f && p.z > -1.0f;
		assert_int_equal(drapeMeshShape_Contains(&shape, p), inside);
		assert_true(drapeMeshShape_Closest(&shape, p, 1.0f, &point));
		assert_int_equal(point.distance < 0.0f, inside);
	}
	drapeMeshShape_Destroy(&shape);
	TestMesh_Free(&mesh);
}

static void VerticesAtOnePlaceAreOne(void** state)
{
	(void)state;
	drapeVec3 positions[36];
	uint32_t triangles[36];
	for (uint32_t i = 0; i < 36; ++i)
	{
		positions[i] = cubeCorners[cubeTriangles[i]];
		triangles[i] = i;
	}
	drapeMesh soup = TestMesh_FromArrays(positions, 36, triangles, 12);
	MeshShapeReport report;
	MeshPoint point;
	MeshShape shape = Create(&soup, &report);
	assert_true(report.closed);
	assert_true(drapeMeshShape_Closest(&shape, (Vec3){1.1f, 1.1f, 1.1f}, 1.0f, &point));
	assert_true(point.distance > 0.17f && point.distance < 0.18f);
	assert_true(drapeMeshShape_Contains(&shape, (Vec3){0.99f, 0.99f, 0.99f}));
	drapeMeshShape_Destroy(&shape);
	TestMesh_Free(&soup);
}

static void InvalidMeshesAreRefused(void** state)
{
	(void)state;
	const float bad[] = {NAN, INFINITY, -INFINITY, 2e9f};
	MeshShape shape;
	MeshShapeReport report;
	for (int i = 0; i < 4; ++i)
	{
		drapeMesh cube = Cube();
		TestMesh_Positions(&cube)[5].y = bad[i];
		assert_int_equal(CreateFrom(&shape, &cube, &report), drape_errorData);
		assert_int_equal(report.badVertex, 5);
		assert_non_null(report.problem);
		TestMesh_Free(&cube);
	}
	drapeMesh cube = Cube();
	TestMesh_Triangles(&cube)[10] = 8;
	assert_int_equal(CreateFrom(&shape, &cube, &report), drape_errorData);
	assert_int_equal(report.badTriangle, 3);
	for (uint32_t i = 0; i < 36; ++i)
		TestMesh_Triangles(&cube)[i] = i % 2;
	assert_int_equal(CreateFrom(&shape, &cube, &report), drape_errorData);
	assert_int_equal(report.dropped, 12);
	assert_int_equal(drapeMeshShape_Create(&shape, NULL, 0, NULL, 0, tasks, &report), drape_errorData);
	assert_int_equal(drapeMeshShape_Create(&shape, NULL, 1u << 30, NULL, 0, tasks, &report), drape_errorLimit);
	drapeMeshShape_Destroy(&shape);
	TestMesh_Free(&cube);
}

// A wing stands on an edge of the cube: closed no more, but nothing breaks.
static void NonManifoldAndFlippedMeshesHaveTwoSides(void** state)
{
	(void)state;
	drapeMesh winged = Cube();
	AppendTriangle(&winged, 0, 7, 1);
	drapeMesh flipped = Cube();
	uint32_t* triangles = TestMesh_Triangles(&flipped);
	triangles[0] = 2;
	triangles[1] = 0;
	MeshShapeReport report;
	MeshPoint point;
	MeshShape shape = Create(&winged, &report);
	assert_false(shape.closed);
	assert_int_equal(report.nonManifoldEdges, 1);
	assert_int_equal(report.boundaryEdges, 2);
	assert_true(drapeMeshShape_Closest(&shape, (Vec3){0.5f, 0.5f, 0.9f}, 1.0f, &point));
	assert_true(point.distance > 0.0f && point.normal.z < -0.9f); // towards the point
	assert_false(drapeMeshShape_Contains(&shape, (Vec3){0, 0, 0.5f}));
	drapeMeshShape_Destroy(&shape);
	shape = Create(&flipped, &report);
	assert_false(shape.closed);
	assert_int_equal(report.flippedEdges, 3);
	drapeMeshShape_Destroy(&shape);
	TestMesh_Free(&winged);
	TestMesh_Free(&flipped);
}

// --- closest points -------------------------------------------------------------------------------------------------

static void CubeDistancesAreExact(void** state)
{
	(void)state;
	drapeMesh cube = Cube();
	MeshShapeReport report;
	MeshShape shape = Create(&cube, &report);
	Random random = Random_Seed(2, 2);
	for (int i = 0; i < 5000; ++i)
	{
		MeshPoint point;
		Vec3 p = RandomPoint(&random, 2.0f), sum = {0, 0, 0};
		if (i % 10 == 0) // beyond corners and edges, evenly
			p = V3Scale(1.5f, cubeCorners[i % 8]);
		Vec3 q = {fabsf(p.x) - 1.0f, fabsf(p.y) - 1.0f, fabsf(p.z) - 1.0f};
		Vec3 out = {fmaxf(q.x, 0.0f), fmaxf(q.y, 0.0f), fmaxf(q.z, 0.0f)};
		float wanted = V3Length(out) + fminf(fmaxf(q.x, fmaxf(q.y, q.z)), 0.0f);
		assert_true(drapeMeshShape_Closest(&shape, p, 10.0f, &point));
		assert_float_equal(point.distance, wanted, 1e-5f);
		assert_int_equal(drapeMeshShape_Contains(&shape, p), wanted < 0.0f);
		assert_float_equal(V3Length(point.normal), 1.0f, 1e-5f);
		// The point is where distance and normal say, and where the weights say.
		Vec3 away = V3Sub(V3Add(point.point, V3Scale(point.distance, point.normal)), p);
		assert_true(V3Length(away) < 1e-5f);
		for (int k = 0; k < 3; ++k)
			sum = V3Add(sum, V3Scale(point.weight[k], cubeCorners[shape.triangle[3 * point.triangle + k]]));
		assert_true(V3Length(V3Sub(sum, point.point)) < 1e-5f);
		assert_int_equal(drapeMeshShape_Closest(&shape, p, fabsf(wanted) * 0.999f, &point), wanted == 0.0f);
	}
	drapeMeshShape_Destroy(&shape);
	TestMesh_Free(&cube);
}

// Spikes: at their tips and rims all faces but the right ones would give the wrong sign.
static void SignsAgreeWithWindingNumbers(void** state)
{
	(void)state;
	drapeMesh mesh = TestMesh_Sphere(3, 1.0f);
	Random random = Random_Seed(3, 3);
	drapeVec3* positions = TestMesh_Positions(&mesh);
	for (uint32_t i = 0; i < mesh.vertexCount; ++i)
		positions[i] = V3Scale(Random_Range(&random, 0.5f, 1.5f), positions[i]);
	MeshShapeReport report;
	MeshShape shape = Create(&mesh, &report);
	assert_true(report.closed && !report.tangled);
	uint32_t inside = 0;
	for (int i = 0; i < 20000; ++i)
	{
		MeshPoint point;
		Vec3 p = RandomPoint(&random, 1.3f);
		assert_true(drapeMeshShape_Closest(&shape, p, 10.0f, &point));
		if (fabsf(point.distance) > 1e-6f)
			assert_int_equal(point.distance < 0.0f, drapeMeshShape_Contains(&shape, p));
		inside += point.distance < 0.0f;
	}
	assert_true(inside > 1000 && inside < 19000);
	drapeMeshShape_Destroy(&shape);
	TestMesh_Free(&mesh);
}

// Rays through vertices and along edges: points straight beneath them are inside all the same.
static void PointsBelowEdgesAndVerticesAreInside(void** state)
{
	(void)state;
	drapeMesh mesh = TestMesh_Sphere(3, 1.0f);
	MeshShapeReport report;
	MeshShape shape = Create(&mesh, &report);
	for (uint32_t i = 0; i < mesh.vertexCount; ++i)
	{
		assert_true(drapeMeshShape_Contains(&shape, V3Scale(0.9f, mesh.positions[i])));
		assert_false(drapeMeshShape_Contains(&shape, V3Scale(1.0001f, mesh.positions[i])));
	}
	assert_true(drapeMeshShape_Contains(&shape, (Vec3){0, 0, 0}));
	drapeMeshShape_Destroy(&shape);
	TestMesh_Free(&mesh);
}

// Two cubes in one mesh, through each other: what is in either is inside.
static void InsideOfTangledMeshIsTheUnion(void** state)
{
	(void)state;
	drapeVec3 positions[16];
	uint32_t triangles[72];
	for (uint32_t i = 0; i < 8; ++i)
	{
		positions[i] = cubeCorners[i];
		positions[8 + i] = V3Add(cubeCorners[i], (Vec3){0.9f, 0.8f, 0.7f});
	}
	for (uint32_t i = 0; i < 36; ++i)
	{
		triangles[i] = cubeTriangles[i];
		triangles[36 + i] = 8 + cubeTriangles[i];
	}
	drapeMesh mesh = TestMesh_FromArrays(positions, 16, triangles, 24);
	MeshShapeReport report;
	MeshShape shape = Create(&mesh, &report);
	assert_true(report.closed && report.tangled && shape.tangled);
	Random random = Random_Seed(2, 9);
	for (int i = 0; i < 5000; ++i)
	{
		MeshPoint point;
		Vec3 p = RandomPoint(&random, 2.0f), q = V3Sub(p, (Vec3){0.9f, 0.8f, 0.7f});
		bool inside = fmaxf(fabsf(p.x), fmaxf(fabsf(p.y), fabsf(p.z))) < 1.0f ||
		              fmaxf(fabsf(q.x), fmaxf(fabsf(q.y), fabsf(q.z))) < 1.0f;
		assert_int_equal(drapeMeshShape_Contains(&shape, p), inside);
		assert_true(drapeMeshShape_Closest(&shape, p, 10.0f, &point));
		assert_int_equal(point.distance < 0.0f, inside);
	}
	drapeMeshShape_Destroy(&shape);
	TestMesh_Free(&mesh);
}

// --- sweeps ---------------------------------------------------------------------------------------------------------

// The first time the distance falls below the margin, found by small steps.
static float SlowSweep(const MeshShape* shape, float margin, Vec3 from, Vec3 to, float step)
{
	MeshPoint point;
	for (float t = 0.0f; t <= 1.0f; t += step)
	{
		Vec3 p = V3Add(from, V3Scale(t, V3Sub(to, from)));
		if (drapeMeshShape_Closest(shape, p, margin, &point))
			return t;
	}
	return INFINITY;
}

static void SweepsAreThoseOfSmallSteps(void** state)
{
	(void)state;
	drapeMesh meshes[] = {Cube(), TestMesh_Grid(3, 3, 1.0f, 1.0f, 0.3f, 2), TestMesh_Sphere(2, 0.8f)};
	Random random = Random_Seed(5, 5);
	for (int m = 0; m < 3; ++m)
	{
		MeshShapeReport report;
		MeshShape shape = Create(&meshes[m], &report);
		uint32_t hits = 0;
		for (int i = 0; i < (isSlow ? 60 : 400); ++i)
		{
			float fraction, margin = Random_Range(&random, 0.01f, 0.3f), step = 0.001f;
			Vec3 from = RandomPoint(&random, 2.0f), to = RandomPoint(&random, 1.0f);
			MeshPoint hit, start;
			if (drapeMeshShape_Closest(&shape, from, 10.0f, &start) && start.distance < 1.01f * margin)
				continue;
			float wanted = SlowSweep(&shape, margin, from, to, step);
			bool found = drapeMeshShape_Sweep(&shape, margin, from, to, &fraction, &hit);
			if (found && wanted == INFINITY) // it grazes between two steps
				assert_true(SlowSweep(&shape, 1.02f * margin, from, to, step) <= fraction + step);
			else
				assert_true(found == (wanted != INFINITY));
			if (!found || wanted == INFINITY)
				continue;
			hits++;
			assert_true(fraction <= wanted + 1e-5f && fraction > wanted - 20.0f * step);
			Vec3 centre = V3Add(from, V3Scale(fraction, V3Sub(to, from)));
			assert_float_equal(V3Length(V3Sub(centre, hit.point)), margin, 1e-5f);
			assert_true(V3Dot(hit.normal, V3Sub(to, from)) < 0.0f);
			assert_float_equal(hit.distance, margin, 1e-5f);
			assert_true(V3Length(V3Sub(V3Add(hit.point, V3Scale(margin, hit.normal)), centre)) < 1e-5f);
			assert_true(drapeMeshShape_Closest(&shape, centre, 10.0f, &start));
			assert_float_equal(start.distance, margin, 1e-5f);
		}
		assert_true(hits > (isSlow ? 5 : 40));
		drapeMeshShape_Destroy(&shape);
		TestMesh_Free(&meshes[m]);
	}
}

// However it comes along: next to an edge, or beyond its ends and in line with it.
static void TooShortDisplacementsDoNotHitTheSurface(void** state)
{
	(void)state;
	drapeMesh meshes[] = {Cube(), TestMesh_Grid(3, 3, 1.0f, 1.0f, 0.3f, 2), TestMesh_Sphere(2, 0.8f)};
	Random random = Random_Seed(6, 5);
	for (int m = 0; m < 3; ++m)
	{
		MeshShapeReport report;
		MeshShape shape = Create(&meshes[m], &report);
		uint32_t tried = 0;
		for (int i = 0; i < (isSlow ? 2000 : 20000); ++i)
		{
			MeshPoint near, hit;
			float fraction, margin = Random_Range(&random, 0.01f, 0.3f);
			Vec3 from = RandomPoint(&random, 1.5f), way = RandomPoint(&random, 1.0f);
			if (!drapeMeshShape_Closest(&shape, from, 10.0f, &near) || !(near.distance > margin))
				continue;
			float length = 0.999f * (near.distance - margin) * Random_Float(&random);
			Vec3 to = V3Add(from, V3Scale(length / V3Length(way), way));
			assert_false(drapeMeshShape_Sweep(&shape, margin, from, to, &fraction, &hit));
			tried++;
		}
		assert_true(tried > (isSlow ? 500 : 5000));
		drapeMeshShape_Destroy(&shape);
		TestMesh_Free(&meshes[m]);
	}
}

static void SweepsWithAListAreTheSame(void** state)
{
	(void)state;
	drapeMesh meshes[] = {Cube(), TestMesh_Grid(12, 12, 1.0f, 1.0f, 0.3f, 2), TestMesh_Sphere(4, 0.8f)};
	Random random = Random_Seed(7, 5);
	for (int m = 0; m < 3; ++m)
	{
		MeshShapeReport report;
		MeshShape shape = Create(&meshes[m], &report);
		uint32_t hits = 0, told = 0;
		for (int i = 0; i < (isSlow ? 2000 : 20000); ++i)
		{
			MeshPoint unused, hit, wanted;
			float clearance, fraction, first, margin = Random_Range(&random, 0.005f, 0.05f);
			Vec3 vertex = V4Xyz(shape.to[Random_Below(&random, shape.vertexCount)]);
			Vec3 place = V3Add(vertex, RandomPoint(&random, 0.1f)), from = V3Add(place, RandomPoint(&random, 0.04f));
			Vec3 to = V3Add(from, RandomPoint(&random, 0.1f));
			NearList list = {0};
			NearQuery query = {place, 0.2f, 0.2f, 0.1f, 0};
			drapeMeshShape_ClosestAround(&shape, &query, &list, &unused, &clearance);
			bool isHit = drapeMeshShape_Sweep(&shape, margin, from, to, &first, &wanted);
			assert_int_equal(drapeMeshShape_SweepAround(&shape, margin, from, to, &list, &fraction, &hit), isHit);
			uint32_t lanes;
			bool tells = drapeNearList_Along(&list, shape.to, from, to, margin, &lanes);
			told += tells;
			if (!isHit)
				continue;
			hits += tells;
			assert_true(fraction == first);
			assert_memory_equal(&hit, &wanted, sizeof hit);
		}
		assert_true(told > (isSlow ? 50 : 500) && hits > (isSlow ? 5 : 50));
		drapeMeshShape_Destroy(&shape);
		TestMesh_Free(&meshes[m]);
	}
}

static void TouchingElementsHitOnlyIfTheyApproach(void** state)
{
	(void)state;
	drapeMesh cube = Cube();
	MeshShapeReport report;
	MeshShape shape = Create(&cube, &report);
	float fraction;
	MeshPoint hit;
	Vec3 at = {0.2f, 0.1f, 1.05f};
	assert_true(drapeMeshShape_Sweep(&shape, 0.05f, at, V3Add(at, (Vec3){0.1f, 0, -0.01f}), &fraction, &hit));
	assert_true(fraction == 0.0f);
	assert_float_equal(hit.normal.z, 1.0f, 1e-6f);
	assert_false(drapeMeshShape_Sweep(&shape, 0.05f, at, V3Add(at, (Vec3){0.1f, 0, 0.01f}), &fraction, &hit));
	assert_false(drapeMeshShape_Sweep(&shape, 0.05f, at, V3Add(at, (Vec3){0.1f, 0, 0}), &fraction, &hit));
	drapeMeshShape_Destroy(&shape);
	TestMesh_Free(&cube);
}

static void ClosedMeshIsHitFromOutsideAndOpenFromBothSides(void** state)
{
	(void)state;
	drapeMesh cube = Cube(), sheet = TestMesh_Grid(2, 2, 2.0f, 2.0f, 0.0f, 1);
	MeshShapeReport report;
	float fraction;
	MeshPoint hit;
	for (int i = 0; i < 2; ++i)
	{
		float margin = i ? 0.1f : 0.0f;
		MeshShape shape = Create(&cube, &report);
		assert_false(
			drapeMeshShape_Sweep(&shape, margin, (Vec3){0, 0, 0.1f}, (Vec3){0.3f, 0.1f, 4.0f}, &fraction, &hit));
		assert_true(
			drapeMeshShape_Sweep(&shape, margin, (Vec3){0.3f, 0.1f, 3.0f}, (Vec3){0.3f, 0.1f, -3.0f}, &fraction, &hit));
		assert_float_equal(fraction, (2.0f - margin) / 6.0f, 1e-6f);
		assert_float_equal(hit.normal.z, 1.0f, 1e-6f);
		drapeMeshShape_Destroy(&shape);
		shape = Create(&sheet, &report);
		for (float side = -1.0f; side <= 1.0f; side += 2.0f)
		{
			assert_true(drapeMeshShape_Sweep(&shape, margin, (Vec3){0.7f, 0.4f, 1.5f * side},
			                                 (Vec3){0.7f, 0.4f, -1.5f * side}, &fraction, &hit));
			assert_float_equal(fraction, (1.5f - margin) / 3.0f, 1e-6f);
			assert_float_equal(hit.normal.z, side, 1e-6f);
		}
		drapeMeshShape_Destroy(&shape);
	}
	TestMesh_Free(&cube);
	TestMesh_Free(&sheet);
}

// However long the way, however large the mesh.
static void AnyDistanceAndSizeWorks(void** state)
{
	(void)state;
	drapeMesh cube = Cube();
	for (uint32_t i = 0; i < 8; ++i)
		TestMesh_Positions(&cube)[i] = V3Scale(1e6f, cubeCorners[i]);
	MeshShapeReport report;
	float fraction;
	MeshPoint hit;
	MeshShape shape = Create(&cube, &report);
	assert_true(
		drapeMeshShape_Sweep(&shape, 0.5f, (Vec3){1, 2, 1e6f + 2.0f}, (Vec3){1, 2, 1e6f - 2.0f}, &fraction, &hit));
	assert_float_equal(fraction, 0.375f, 1e-3f);
	assert_true(drapeMeshShape_Closest(&shape, (Vec3){0, 0, 0}, INFINITY, &hit));
	assert_float_equal(hit.distance, -1e6f, 1.0f);
	assert_true(drapeMeshShape_Contains(&shape, (Vec3){1, 2, 3}));
	assert_true(drapeMeshShape_Sweep(&shape, 0.0f, (Vec3){5, 6, 1e30f}, (Vec3){7, 8, -1e30f}, &fraction, &hit));
	drapeMeshShape_Destroy(&shape);
	TestMesh_Free(&cube);
}

// --- motion ---------------------------------------------------------------------------------------------------------

static void MovedMeshIsWhereItWasMovedTo(void** state)
{
	(void)state;
	drapeMesh mesh = TestMesh_Sphere(3, 1.0f);
	MeshShapeReport report;
	MeshPoint point;
	MeshShape shape = Create(&mesh, &report);
	drapeVec3* positions = calloc(mesh.vertexCount, sizeof *positions);
	assert_non_null(positions);
	for (int step = 1; step <= 10; ++step)
	{
		Vec3 shift = {0.3f * (float)step, 0, 0};
		for (uint32_t i = 0; i < mesh.vertexCount; ++i)
			positions[i] = V3Add(mesh.positions[i], shift);
		size_t allocations = drapeGetMemoryUse().allocations;
		assert_int_equal(drapeMeshShape_Move(&shape, positions, tasks), drape_ok);
		assert_int_equal(drapeGetMemoryUse().allocations, allocations);
		assert_true(drapeMeshShape_Contains(&shape, shift));
		assert_false(drapeMeshShape_Contains(&shape, V3Sub(shift, (Vec3){1.1f, 0, 0})));
		assert_true(drapeMeshShape_Closest(&shape, V3Add(shift, (Vec3){0, 1.5f, 0}), 1.0f, &point));
		assert_float_equal(point.distance, 0.5f, 1e-4f);
		assert_float_equal(drapeMeshShape_Displacement(&shape, point.triangle, point.weight).x, 0.3f, 1e-5f);
		// The tree holds the whole way of the step.
		Primitives primitives = drapeMeshShape_Primitives(&shape, 0.0f);
		for (uint32_t i = 0; i < shape.triangleCount; i += 7)
		{
			Kdop bounds = Soup_BoundsOf(&primitives, i, bvhDefaultK);
			assert_true(bounds.high[0] - bounds.low[0] > 0.3f);
		}
	}
	positions[3].z = NAN;
	assert_int_equal(drapeMeshShape_Move(&shape, positions, tasks), drape_errorData);
	assert_true(drapeMeshShape_Contains(&shape, (Vec3){3, 0, 0}));
	drapeMeshShape_Rest(&shape, tasks);
	assert_true(drapeMeshShape_Displacement(&shape, 0, (const float[3]){1, 0, 0}).x == 0.0f);
	// Jumps, and turns inside out.
	for (uint32_t i = 0; i < mesh.vertexCount; ++i)
		positions[i] = V3Scale(-100.0f, mesh.positions[mesh.vertexCount - 1 - i]);
	assert_int_equal(drapeMeshShape_Move(&shape, positions, tasks), drape_ok);
	drapeMeshShape_Rest(&shape, tasks);
	assert_true(drapeMeshShape_Closest(&shape, (Vec3){0, 250, 0}, INFINITY, &point));
	free(positions);
	drapeMeshShape_Destroy(&shape);
	TestMesh_Free(&mesh);
}

// A mesh that shrinks to a point has no normals, but distances.
static void CollapsedMeshGivesNumbers(void** state)
{
	(void)state;
	drapeMesh mesh = TestMesh_Sphere(2, 1.0f);
	MeshShapeReport report;
	MeshPoint point;
	float fraction;
	MeshShape shape = Create(&mesh, &report);
	drapeVec3* positions = calloc(mesh.vertexCount, sizeof *positions);
	assert_non_null(positions);
	assert_int_equal(drapeMeshShape_Move(&shape, positions, tasks), drape_ok);
	assert_true(drapeMeshShape_Closest(&shape, (Vec3){0, 2, 0}, 10.0f, &point));
	assert_true(fabsf(fabsf(point.distance) - 2.0f) < 1e-6f && V3IsFinite(point.normal));
	assert_true(drapeMeshShape_Closest(&shape, (Vec3){0, 0, 0}, 10.0f, &point));
	assert_true(point.distance == 0.0f && V3IsFinite(point.normal));
	drapeMeshShape_Contains(&shape, (Vec3){0, 0, 0});
	if (drapeMeshShape_Sweep(&shape, 0.1f, (Vec3){0, 2, 0}, (Vec3){0, -2, 0}, &fraction, &point))
		assert_true(V3IsFinite(point.normal) && fraction >= 0.0f && fraction <= 1.0f);
	free(positions);
	drapeMeshShape_Destroy(&shape);
	TestMesh_Free(&mesh);
}

static void EveryFailedAllocationIsReported(void** state)
{
	(void)state;
	drapeMesh mesh = TestMesh_Sphere(2, 1.0f);
	drapeResult result = drape_errorMemory;
	for (size_t number = 1; result != drape_ok; ++number)
	{
		MeshShape shape;
		MeshShapeReport report;
		assert_true(number < 200);
		Test_FailAllocation(number, number % 2);
		result = CreateFrom(&shape, &mesh, &report);
		assert_true((result == drape_ok) == (Test_AllocationCount() < number));
		assert_true(result == drape_ok || result == drape_errorMemory);
		if (result != drape_ok)
			assert_null(shape.triangle);
		drapeMeshShape_Destroy(&shape);
		Test_FailAllocation(0, false);
	}
	TestMesh_Free(&mesh);
}

// The nearest point at a fraction of the step, by testing all triangles: its squared distance and its displacement.
static double NearestOfAll(const MeshShape* shape, float fraction, Vec3 point, Vec3* displacement)
{
	double least = HUGE_VAL;
	Vec4 corners[3];
	const uint32_t own[3] = {0, 1, 2};
	for (uint32_t t = 0; t < shape->triangleCount; ++t)
	{
		for (int k = 0; k < 3; ++k)
		{
			Vec4 a = shape->from[shape->triangle[3 * t + k]], b = shape->to[shape->triangle[3 * t + k]];
			float kept = 1.0f - fraction;
			corners[k] =
				(Vec4){kept * a.x + fraction * b.x, kept * a.y + fraction * b.y, kept * a.z + fraction * b.z, 0};
			corners[k] = fraction >= 1.0f ? b : fraction <= 0.0f ? a : corners[k];
		}
		SeenTriangle seen = Triangle_SeenFrom(corners, own, point);
		TrianglePoint near = Triangle_Closest(&seen);
		if (!(near.square < least))
			continue;
		least = near.square;
		const float weight[3] = {(float)near.weight[0], (float)near.weight[1], (float)near.weight[2]};
		*displacement = drapeMeshShape_Displacement(shape, t, weight);
	}
	return least;
}

// A mesh moves, turns and deforms step by step, slowly and by leaps. Queries at all times of the step, with lists that
// are carried from step to step, agree with a test of all triangles.
static void MovingMeshesAreFoundAsByTestingAllTriangles(void** state)
{
	(void)state;
	enum
	{
		points = 30,
	};
	MeshShape shape;
	MeshShapeReport report;
	drapeMesh mesh = TestMesh_Sphere(3, 1.0f);
	Vec3* positions = malloc(mesh.vertexCount * sizeof *positions);
	static NearList lists[points][2];
	memset(lists, 0, sizeof lists);
	assert_non_null(positions);
	assert_int_equal(CreateFrom(&shape, &mesh, &report), drape_ok);
	Random random = Random_Seed(71, 1);
	uint32_t found = 0;
	for (int step = 0; step < 24; ++step)
	{
		float leap = step % 6 == 5 ? 1.0f : 0.05f;
		Vec3 shift = RandomPoint(&random, leap), bend = RandomPoint(&random, leap);
		for (uint32_t i = 0; i < mesh.vertexCount; ++i)
		{
			Vec3 p = V4Xyz(shape.to[i]);
			positions[i] = V3Add(V3Add(p, shift), V3Scale(sinf(3.0f * p.x), bend));
		}
		assert_int_equal(drapeMeshShape_Move(&shape, positions, tasks), drape_ok);
		for (uint32_t i = 0; i < 4 * points; ++i)
		{
			const float fractions[4] = {0.0f, 0.37f, 1.0f, 1.0f};
			float fraction = fractions[i / points], radius = Random_Range(&random, 0.0f, 0.5f), clearance;
			Vec3 at =
				V3Add(V4Xyz((fraction > 0.0f ? shape.to : shape.from)[5 * (i % points)]), RandomPoint(&random, 0.1f));
			Vec3 wanted = {0};
			double square = NearestOfAll(&shape, fraction, at, &wanted);
			NearList* list = &lists[i % points][(fraction > 0.0f ? shape.toRevision : shape.fromRevision) % 2];
			const NearQuery query = {at, radius, radius, 0.05f, 0};
			bool isNear = square <= (double)radius * (double)radius;
			wanted = isNear ? wanted : (Vec3){0};
			Vec3 got = drapeMeshShape_DisplacementNear(&shape, fraction, &query, list);
			assert_memory_equal(&got, &wanted, sizeof got);
			found += isNear;
			MeshPoint closest;
			MeshShape start = drapeMeshShape_AtStart(&shape);
			const MeshShape* seen = fraction <= 0.0f ? &start : &shape;
			if (fraction > 0.0f && fraction < 1.0f)
				continue;
			assert_true(drapeMeshShape_Closest(seen, at, INFINITY, &closest));
			assert_true(fabsf(closest.distance) == (float)sqrt(square));
			if (drapeMeshShape_ClosestAround(seen, &query, list, &closest, &clearance))
				assert_true(fabsf(closest.distance) == (float)sqrt(square));
			else
				assert_true(!isNear && clearance <= 1.0001f * (float)sqrt(square));
		}
	}
	assert_true(found > 500);
	free(positions);
	drapeMeshShape_Destroy(&shape);
	TestMesh_Free(&mesh);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(ClosedMeshesAreKnown),
		cmocka_unit_test(InsideOutMeshIsTurnedOver),
		cmocka_unit_test(TrianglesWithoutAreaAreDroppedAndCounted),
		cmocka_unit_test(TrianglesWithoutAreaMayCloseGaps),
		cmocka_unit_test(VerticesAtOnePlaceAreOne),
		cmocka_unit_test(InvalidMeshesAreRefused),
		cmocka_unit_test(NonManifoldAndFlippedMeshesHaveTwoSides),
		cmocka_unit_test(CubeDistancesAreExact),
		cmocka_unit_test(SignsAgreeWithWindingNumbers),
		cmocka_unit_test(PointsBelowEdgesAndVerticesAreInside),
		cmocka_unit_test(InsideOfTangledMeshIsTheUnion),
		cmocka_unit_test(SweepsAreThoseOfSmallSteps),
		cmocka_unit_test(TooShortDisplacementsDoNotHitTheSurface),
		cmocka_unit_test(SweepsWithAListAreTheSame),
		cmocka_unit_test(TouchingElementsHitOnlyIfTheyApproach),
		cmocka_unit_test(ClosedMeshIsHitFromOutsideAndOpenFromBothSides),
		cmocka_unit_test(AnyDistanceAndSizeWorks),
		cmocka_unit_test(MovedMeshIsWhereItWasMovedTo),
		cmocka_unit_test(CollapsedMeshGivesNumbers),
		cmocka_unit_test(EveryFailedAllocationIsReported),
		cmocka_unit_test(MovingMeshesAreFoundAsByTestingAllTriangles),
	};
	return cmocka_run_group_tests_name("mesh_shape", tests, StartTasks, StopTasks);
}
