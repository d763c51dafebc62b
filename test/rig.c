// SPDX-License-Identifier: MIT
#include "rig.h"

#include "mesh/geometry.h"
#include "meshes.h"

void Rig_Create(Rig* rig, const drapeMesh* mesh)
{
	drapeRestDef rest = drapeDefaultRestDef();
	static drapeMeshReport report;
	Scheme* scheme = NULL;
	*rig = (Rig){.active.density = 0.25f};
	assert_true(drapeEdgePools_Create(&rig->pools));
	assert_int_equal(drapePatternMesh_Create(&rig->pattern, mesh, &rest, &report), drape_ok);
	rig->active.hasTexcoords = rig->pattern.texcoords != NULL;
	assert_int_equal(drapeEdgeScheme_Create(&scheme, &rig->pools, &rig->pattern, &rig->active), drape_ok);
	rig->scheme = (EdgeScheme*)scheme;
	rig->scheme->maxLevel = DRAPE_MAX_LEVEL;
}

void Rig_Destroy(Rig* rig)
{
	rig->scheme->base.type->destroy(&rig->scheme->base);
	// The family of stand-ins is all that a pool without cloths holds.
	assert_int_equal(rig->pools.familyPool.used, 1);
	assert_int_equal(rig->pools.vertexPool.used, 0);
	assert_int_equal(rig->pools.edgesUsed, 0);
	drapeActiveMesh_Destroy(&rig->active);
	drapePatternMesh_Destroy(&rig->pattern);
	drapeEdgePools_Destroy(&rig->pools);
}

void Rig_Check(const Rig* rig)
{
	const char* wrong = drapeEdgeScheme_Validate(&rig->scheme->base);
	if (wrong)
		fail_msg("%s", wrong);
}

uint32_t Rig_RefineAll(Rig* rig)
{
	bool rebuilt;
	uint32_t done = 0, count = rig->active.edgeCount;
	assert_true(drapeEdgeScheme_Begin(rig->scheme, count, 0));
	for (uint32_t i = 0; i < count; ++i)
	{
		if (!drapeEdgeScheme_MaySplit(rig->scheme, rig->active.edgeId[i]))
			continue;
		drapeEdgeScheme_Split(rig->scheme, rig->active.edgeId[i]);
		done++;
	}
	drapeEdgeScheme_End(rig->scheme, &rebuilt);
	return done;
}

static uint32_t JoinIfAllowed(Rig* rig, uint32_t particle)
{
	uint32_t edge = rig->pools.vertices.data[rig->active.vertexId[particle]].edge;
	if (edge == DRAPE_NONE || !drapeEdgeScheme_MayJoin(rig->scheme, edge))
		return 0;
	drapeEdgeScheme_Join(rig->scheme, edge);
	return 1;
}

uint32_t Rig_CoarsenAll(Rig* rig)
{
	bool rebuilt;
	uint32_t done = 0;
	assert_true(drapeEdgeScheme_Begin(rig->scheme, 0, rig->active.particleCount));
	for (uint32_t i = 0; i < rig->active.particleCount; ++i)
		done += JoinIfAllowed(rig, i);
	drapeEdgeScheme_End(rig->scheme, &rebuilt);
	return done;
}

uint32_t Rig_RandomPass(Rig* rig, Random* random, uint32_t edits, float splitChance)
{
	bool rebuilt;
	uint32_t splits = 0, done = 0;
	for (uint32_t i = 0; i < edits; ++i)
		splits += Random_Float(random) < splitChance;
	assert_true(drapeEdgeScheme_Begin(rig->scheme, splits, edits - splits));
	for (uint32_t i = 0; i < splits; ++i)
	{
		uint32_t edge = rig->active.edgeId[Random_Below(random, rig->active.edgeCount)];
		if (!drapeEdgeScheme_MaySplit(rig->scheme, edge))
			continue;
		drapeEdgeScheme_Split(rig->scheme, edge);
		done++;
	}
	for (uint32_t i = splits; i < edits; ++i)
		done += JoinIfAllowed(rig, Random_Below(random, rig->active.particleCount));
	drapeEdgeScheme_End(rig->scheme, &rebuilt);
	return done;
}

double Rig_LeastAngle(const ActiveMesh* active)
{
	const double degree = 3.14159265358979323846 / 180.0;
	double least = 180.0;
	for (uint32_t t = 0; t < active->triangleCount; ++t)
	{
		const Vec2* corner = active->material[t].corner;
		for (int k = 0; k < 3; ++k)
		{
			Double2 a = D2Between(corner[k], corner[(k + 1) % 3]), b = D2Between(corner[k], corner[(k + 2) % 3]);
			least = fmin(least, atan2(D2Cross(a, b), D2Dot(a, b)) / degree);
		}
	}
	return least;
}

drapeMesh Rig_Mesh(int index)
{
	switch (index)
	{
		case 0:
			return TestMesh_Grid(1, 1, 1.0f, 1.0f, 0.0f, 1);
		case 1:
			return TestMesh_Grid(4, 4, 1.0f, 1.0f, 0.0f, 1);
		case 2:
			return TestMesh_Grid(7, 5, 1.4f, 1.0f, 0.3f, 2);
		case 3:
			return TestMesh_Holes(3);
		case 4:
			return TestMesh_Sphere(1, 0.5f);
		case 5:
			return TestMesh_Torus(8, 6, 1.0f, 0.3f);
		case 6:
			return TestMesh_Tube(8, 4, 0.3f, 1.0f);
		case 7:
			return TestMesh_Fan(3, true);
		case 8:
			return TestMesh_Fan(20, true);
		case 9:
			return TestMesh_Fan(9, false);
		case 10:
			return TestMesh_TwoSquares();
		default:
			return TestMesh_Sphere(0, 1.0f); // valence 4 everywhere
	}
}
