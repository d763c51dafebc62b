// SPDX-License-Identifier: MIT
#include "support.h"

#include "meshes.h"
#include "pools.h"
#include "rig.h"

#include "contact/broad/broad_phase.h"

// Distances within the material, on meshes whose distances are known.

typedef struct Mapped
{
	drapeMesh mesh;
	Rig rig;
	BroadPhaseCloth cloth;
} Mapped;

static void Map(Mapped* mapped, drapeMesh mesh, float reach)
{
	*mapped = (Mapped){.mesh = mesh};
	Rig_Create(&mapped->rig, &mapped->mesh);
	mapped->rig.active.revision = 1;
	drapeBroadPhaseCloth_Init(&mapped->cloth);
	assert_true(drapeBroadPhaseCloth_Follow(&mapped->cloth, &mapped->rig.pattern, &mapped->rig.active, testPools[1]));
	assert_true(drapeBroadPhaseCloth_FollowMap(&mapped->cloth, &mapped->rig.active, reach));
}

static void Unmap(Mapped* mapped)
{
	drapeBroadPhaseCloth_Destroy(&mapped->cloth);
	Rig_Destroy(&mapped->rig);
	TestMesh_Free(&mapped->mesh);
}

static float CentreDistance(const Mapped* mapped, uint32_t a, uint32_t b)
{
	const float third = 1.0f / 3.0f;
	const MaterialPoint points[2] = {{a, {third, third, third}}, {b, {third, third, third}}};
	float distance = drapeMaterialMap_Distance(&mapped->cloth.map, &points[0], &points[1]);
	assert_float_equal(drapeMaterialMap_Distance(&mapped->cloth.map, &points[1], &points[0]), distance,
	                   1e-4f * distance);
	return distance;
}

static Vec3 Centre(const Mapped* mapped, uint32_t triangle)
{
	const ActiveMesh* mesh = &mapped->rig.active;
	Vec3 sum = {0.0f, 0.0f, 0.0f};
	for (int k = 0; k < 3; ++k)
		sum = V3Add(sum, V4Xyz(mesh->position[mesh->triangle[triangle][k]]));
	return V3Scale(1.0f / 3.0f, sum);
}

static void AFlatSheetHasItsOwnDistances(void** state)
{
	(void)state;
	Mapped mapped;
	Map(&mapped, TestMesh_Grid(9, 7, 1.0f, 1.0f, 0.3f, 3), 0.3f);
	assert_false(mapped.cloth.map.hasCuts);
	for (uint32_t a = 0; a < mapped.rig.active.triangleCount; a += 5)
	{
		for (uint32_t b = 0; b < mapped.rig.active.triangleCount; b += 3)
			assert_float_equal(CentreDistance(&mapped, a, b), V3Length(V3Sub(Centre(&mapped, a), Centre(&mapped, b))),
			                   1e-5f);
	}
	Unmap(&mapped);
}

// A tube is unrolled and cut somewhere. The cut must not be seen.
static void DistancesLeadOverSeams(void** state)
{
	(void)state;
	const float radius = 0.2f, reach = 0.3f;
	Mapped mapped;
	Map(&mapped, TestMesh_Tube(24, 12, radius, 0.6f), reach);
	assert_true(mapped.cloth.map.hasCuts);
	uint32_t near = 0;
	for (uint32_t a = 0; a < mapped.rig.active.triangleCount; ++a)
	{
		for (uint32_t b = a; b < mapped.rig.active.triangleCount; ++b)
		{
			Vec3 p = Centre(&mapped, a), q = Centre(&mapped, b);
			float turn = fabsf(atan2f(p.x * q.y - p.y * q.x, p.x * q.x + p.y * q.y)) * radius;
			float expected = sqrtf(turn * turn + (p.z - q.z) * (p.z - q.z));
			if (expected > reach / 1.5f)
				continue;
			// Straight within the chart and away from the cut, and a lower bound near it.
			float distance = CentreDistance(&mapped, a, b);
			assert_true(distance < 1.01f * expected + 1e-6f);
			assert_true(distance > expected / 2.1f - 0.1f);
			near++;
		}
	}
	assert_true(near > 10000);
	Unmap(&mapped);
}

// The two sides of a slit have the same material coordinates. The path between them leads around its end.
static void DistancesLeadAroundSlits(void** state)
{
	(void)state;
	const uint32_t columns = 8, rows = 8;
	drapeMesh mesh = TestMesh_Grid(columns, rows, 0.8f, 0.8f, 0.0f, 1);
	// Splits the vertices of the middle column, all but the upper three.
	uint32_t count = mesh.vertexCount;
	drapeVec3 positions[200];
	uint32_t triangles[600], copies = 0;
	assert_true(count + rows < 200 && 3 * mesh.triangleCount <= 600);
	for (uint32_t i = 0; i < count; ++i)
		positions[i] = TestMesh_Positions(&mesh)[i];
	for (uint32_t i = 0; i < 3 * mesh.triangleCount; ++i)
		triangles[i] = TestMesh_Triangles(&mesh)[i];
	for (uint32_t j = 0; j + 3 <= rows; ++j, ++copies)
	{
		uint32_t vertex = j * (columns + 1) + columns / 2;
		positions[count + copies] = positions[vertex];
		for (uint32_t t = 0; t < mesh.triangleCount; ++t)
		{
			float x = 0.0f;
			for (uint32_t k = 0; k < 3; ++k)
				x += TestMesh_Positions(&mesh)[TestMesh_Triangles(&mesh)[3 * t + k]].x / 3.0f;
			for (uint32_t k = 0; k < 3 && x > 0.4f; ++k)
				triangles[3 * t + k] = triangles[3 * t + k] == vertex ? count + copies : triangles[3 * t + k];
		}
	}
	Mapped mapped;
	Map(&mapped, TestMesh_FromArrays(positions, count + copies, triangles, mesh.triangleCount), 0.7f);
	TestMesh_Free(&mesh);
	assert_true(mapped.cloth.map.hasCuts);
	uint32_t left = DRAPE_NONE, right = DRAPE_NONE;
	for (uint32_t t = 0; t < mapped.rig.active.triangleCount; ++t)
	{
		Vec3 p = Centre(&mapped, t);
		if (fabsf(p.y - 0.25f) < 0.05f && p.x > 0.3f && p.x < 0.4f)
			left = t;
		if (fabsf(p.y - 0.25f) < 0.05f && p.x > 0.4f && p.x < 0.5f)
			right = t;
	}
	assert_true(left != DRAPE_NONE && right != DRAPE_NONE);
	assert_true(CentreDistance(&mapped, left, right) > 0.2f);
	Unmap(&mapped);
}

// Pieces that touch nowhere are far apart, although their material coordinates may be equal.
static void PiecesAreFarApart(void** state)
{
	(void)state;
	Mapped mapped;
	Map(&mapped, TestMesh_TwoSquares(), 0.5f);
	assert_true(CentreDistance(&mapped, 0, 1) < 1.0f);
	assert_true(CentreDistance(&mapped, 0, 2) == INFINITY);
	Unmap(&mapped);
}

static void RunningOutOfMemoryKeepsTheMapWhole(void** state)
{
	(void)state;
	Mapped mapped;
	Map(&mapped, TestMesh_Tube(12, 6, 0.2f, 0.4f), 0.1f);
	float before = CentreDistance(&mapped, 0, 5);
	size_t number = 1;
	for (bool isDone = false; !isDone; ++number)
	{
		assert_true(number < 10);
		drapeMaterialMap_Free(&mapped.cloth.map);
		Test_FailAllocation(number, false);
		isDone = drapeBroadPhaseCloth_FollowMap(&mapped.cloth, &mapped.rig.active, 0.1f);
		if (isDone)
			assert_float_equal(CentreDistance(&mapped, 0, 5), before, 0.0f);
		drapeMaterialMap_Free(&mapped.cloth.map);
		Test_FailAllocation(0, false);
	}
	assert_true(number > 3);
	Unmap(&mapped);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(AFlatSheetHasItsOwnDistances),       cmocka_unit_test(DistancesLeadOverSeams),
		cmocka_unit_test(DistancesLeadAroundSlits),           cmocka_unit_test(PiecesAreFarApart),
		cmocka_unit_test(RunningOutOfMemoryKeepsTheMapWhole),
	};
	return cmocka_run_group_tests(tests, Pools_Start, Pools_Stop);
}
