// SPDX-License-Identifier: MIT
#include "edits.h"
#include "meshes.h"
#include "rig.h"

#include <stdio.h>
#include <string.h>

// --- the pattern, to compare with -----------------------------------------------------------------------------------

typedef struct Snapshot
{
	uint32_t particles, triangles, edges;
	uint32_t (*corner)[3];
	TriangleMaterial* material;
	float* area;
	int64_t* share;
	float* restLength;
} Snapshot;

static void* Copy(const void* data, size_t size)
{
	void* copy = malloc(size);
	assert_non_null(copy);
	return memcpy(copy, data, size);
}

// In pattern order: by the scheme's names, since the active mesh's order means nothing.
static Snapshot TakeSnapshot(const Rig* rig)
{
	const ActiveMesh* active = &rig->active;
	const EdgePools* pools = &rig->pools;
	const EdgeScheme* scheme = rig->scheme;
	assert_int_equal(active->triangleCount, rig->pattern.triangleCount);
	assert_int_equal(active->edgeCount, rig->pattern.edgeCount);
	assert_int_equal(active->particleCount, rig->pattern.vertexCount);
	Snapshot shot = {
		.particles = active->particleCount,
		.triangles = active->triangleCount,
		.edges = active->edgeCount,
		.corner = malloc(active->triangleCount * sizeof *shot.corner),
		.material = malloc(active->triangleCount * sizeof *shot.material),
		.area = malloc(active->triangleCount * sizeof *shot.area),
		.share = malloc(active->particleCount * sizeof *shot.share),
		.restLength = malloc(active->edgeCount * sizeof *shot.restLength),
	};
	uint32_t* nameOf = malloc(active->particleCount * sizeof *nameOf);
	for (uint32_t v = 0; v < shot.particles; ++v)
	{
		uint32_t particle = pools->vertices.data[scheme->vertices[v]].particle;
		nameOf[particle] = v;
		shot.share[v] = active->share[particle];
	}
	for (uint32_t t = 0; t < shot.triangles; ++t)
	{
		uint32_t index = pools->triangleActive.data[scheme->triangles[t]];
		for (int k = 0; k < 3; ++k)
			shot.corner[t][k] = nameOf[active->triangle[index][k]];
		shot.material[t] = active->material[index];
		shot.area[t] = active->area[index];
	}
	for (uint32_t e = 0; e < shot.edges; ++e)
		shot.restLength[e] = active->restLength[pools->edges.data[scheme->edges[e]].active];
	free(nameOf);
	return shot;
}

static void FreeSnapshot(Snapshot* shot)
{
	free(shot->corner);
	free(shot->material);
	free(shot->area);
	free(shot->share);
	free(shot->restLength);
}

static void AssertIsPattern(const Rig* rig, const Snapshot* pattern)
{
	Snapshot now = TakeSnapshot(rig);
	assert_memory_equal(now.corner, pattern->corner, now.triangles * sizeof *now.corner);
	assert_memory_equal(now.material, pattern->material, now.triangles * sizeof *now.material);
	assert_memory_equal(now.area, pattern->area, now.triangles * sizeof *now.area);
	assert_memory_equal(now.share, pattern->share, now.particles * sizeof *now.share);
	assert_memory_equal(now.restLength, pattern->restLength, now.edges * sizeof *now.restLength);
	FreeSnapshot(&now);
}

static void CoarsenToPattern(Rig* rig, const Snapshot* pattern)
{
	while (Rig_CoarsenAll(rig) > 0)
		Rig_Check(rig);
	AssertIsPattern(rig, pattern);
}

// --- uniform refinement ---------------------------------------------------------------------------------------------

static void UniformRefinementHasTheCountsOfTheThesis(void** state)
{
	(void)state;
	// Simnett 2012, tables 3.7 and 3.11, the 4 x 4 mesh.
	static const uint32_t expected[5][5] = {{25, 56, 32, 56, 32},
	                                        {81, 208, 128, 264, 160},
	                                        {289, 800, 512, 1064, 672},
	                                        {1089, 3136, 2048, 4200, 2720},
	                                        {4225, 12416, 8192, 16616, 10912}};
	drapeMesh mesh = Rig_Mesh(1);
	Rig rig;
	Rig_Create(&rig, &mesh);
	for (int level = 0; level < 5; ++level)
	{
		Rig_Check(&rig);
		assert_int_equal(rig.active.particleCount, expected[level][0]);
		assert_int_equal(rig.active.edgeCount, expected[level][1]);
		assert_int_equal(rig.active.triangleCount, expected[level][2]);
		assert_int_equal(rig.pools.vertexPool.used, expected[level][0]);
		assert_int_equal(rig.pools.edgesUsed, expected[level][3]);
		assert_int_equal(4 * (rig.pools.familyPool.used - 1), expected[level][4]);
		Rig_RefineAll(&rig);
	}
	Rig_Destroy(&rig);
	TestMesh_Free(&mesh);
}

static void CoarseningARefinedMeshGivesThePatternBack(void** state)
{
	(void)state;
	for (int i = 0; i < rigMeshCount; ++i)
	{
		drapeMesh mesh = Rig_Mesh(i);
		Rig rig;
		Rig_Create(&rig, &mesh);
		Snapshot pattern = TakeSnapshot(&rig);
		for (int level = 0; level < 3; ++level)
		{
			Rig_RefineAll(&rig);
			Rig_Check(&rig);
			assert_int_equal(rig.active.triangleCount, pattern.triangles << (2 * (level + 1)));
		}
		for (int level = 2; level >= 0; --level)
		{
			Rig_CoarsenAll(&rig);
			assert_int_equal(rig.active.triangleCount, pattern.triangles << (2 * level));
		}
		AssertIsPattern(&rig, &pattern);
		FreeSnapshot(&pattern);
		Rig_Destroy(&rig);
		TestMesh_Free(&mesh);
	}
}

static void AMiddleLiesBetweenItsParents(void** state)
{
	(void)state;
	drapeMesh mesh = Rig_Mesh(4);
	Rig rig;
	Rig_Create(&rig, &mesh);
	for (uint32_t i = 0; i < rig.active.particleCount; ++i)
		rig.active.velocity[i] = (Vec4){(float)i, 1.0f, -2.0f * (float)i, rig.active.velocity[i].w};
	Rig_RefineAll(&rig);
	for (uint32_t i = mesh.vertexCount; i < rig.active.particleCount; ++i)
	{
		uint32_t a = rig.active.parents[i].parent[0], b = rig.active.parents[i].parent[1];
		assert_true(rig.active.position[i].x == 0.5f * (rig.active.position[a].x + rig.active.position[b].x));
		assert_true(rig.active.velocity[i].z == 0.5f * (rig.active.velocity[a].z + rig.active.velocity[b].z));
		assert_true(rig.active.parents[i].weight[0] == 0.5f && rig.active.parents[i].weight[1] == 0.5f);
		assert_int_equal(rig.active.parents[i].parent[2], DRAPE_NONE);
	}
	Rig_Destroy(&rig);
	TestMesh_Free(&mesh);
}

// --- the rules ------------------------------------------------------------------------------------------------------

static uint32_t OnlyTriangleEdge(const Rig* rig, uint32_t t, int k)
{
	return rig->pools.triangles.data[t].edge[k] >> 1;
}

static void SplitOne(Rig* rig, uint32_t edge)
{
	bool rebuilt;
	assert_true(drapeEdgeScheme_Begin(rig->scheme, 1, 0));
	assert_true(drapeEdgeScheme_MaySplit(rig->scheme, edge));
	drapeEdgeScheme_Split(rig->scheme, edge);
	drapeEdgeScheme_End(rig->scheme, &rebuilt);
	Rig_Check(rig);
}

static void JoinOne(Rig* rig, uint32_t edge)
{
	bool rebuilt;
	assert_true(drapeEdgeScheme_Begin(rig->scheme, 0, 1));
	assert_true(drapeEdgeScheme_MayJoin(rig->scheme, edge));
	drapeEdgeScheme_Join(rig->scheme, edge);
	drapeEdgeScheme_End(rig->scheme, &rebuilt);
	Rig_Check(rig);
}

static void OneTriangle(Rig* rig)
{
	static const drapeVec3 positions[] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}};
	static const uint32_t corners[] = {0, 1, 2};
	drapeMesh mesh = {.positions = positions, .vertexCount = 3, .triangles = corners, .triangleCount = 1};
	Rig_Create(rig, &mesh);
}

static void ChildrenMaySplitOnlyBelowAFullCut(void** state)
{
	(void)state;
	Rig rig;
	OneTriangle(&rig);
	uint32_t t = rig.scheme->triangles[0];
	for (int k = 0; k < 3; ++k)
	{
		uint32_t edge = OnlyTriangleEdge(&rig, t, k);
		SplitOne(&rig, edge);
		bool full = k == 2;
		for (uint32_t i = 0; i < rig.active.edgeCount; ++i)
		{
			bool isChild = rig.active.edgeLevel[i] > 0;
			assert_int_equal(drapeEdgeScheme_MaySplit(rig.scheme, rig.active.edgeId[i]), full || !isChild);
		}
	}
	assert_int_equal(rig.pools.triangles.data[t].config, configFull);
	Rig_Destroy(&rig);
}

static void AnEdgeRejoinsOnlyWhenNothingBelowOrBesideForbidsIt(void** state)
{
	(void)state;
	Rig rig;
	OneTriangle(&rig);
	uint32_t t = rig.scheme->triangles[0];
	Rig_RefineAll(&rig);
	// An inner edge of the full cut is split: none of the three outer edges may rejoin, though their halves are whole.
	uint32_t inner = rig.pools.families.data[rig.pools.triangles.data[t].family].inner;
	SplitOne(&rig, inner);
	for (int k = 0; k < 3; ++k)
		assert_false(drapeEdgeScheme_MayJoin(rig.scheme, OnlyTriangleEdge(&rig, t, k)));
	JoinOne(&rig, inner);
	// The half of an edge is split: that edge is blocked from below, the others from beside.
	uint32_t half = rig.pools.edges.data[OnlyTriangleEdge(&rig, t, 0)].child;
	SplitOne(&rig, half);
	for (int k = 0; k < 3; ++k)
		assert_false(drapeEdgeScheme_MayJoin(rig.scheme, OnlyTriangleEdge(&rig, t, k)));
	JoinOne(&rig, half);
	JoinOne(&rig, OnlyTriangleEdge(&rig, t, 0));
	assert_int_equal(rig.active.triangleCount, 3);
	Rig_Destroy(&rig);
}

static void APassChangesAPlaceByOneLevelOnly(void** state)
{
	(void)state;
	drapeMesh mesh = Rig_Mesh(1);
	Rig rig;
	Rig_Create(&rig, &mesh);
	for (int level = 0; level < 3; ++level)
		Rig_RefineAll(&rig);
	Rig_CoarsenAll(&rig);
	for (uint32_t i = 0; i < rig.active.triangleCount; ++i)
		assert_int_equal(rig.active.triangleLevel[i], 2);
	Rig_Destroy(&rig);
	TestMesh_Free(&mesh);
}

static void TheMaximumLevelHolds(void** state)
{
	(void)state;
	drapeMesh mesh = Rig_Mesh(0);
	Rig rig;
	Rig_Create(&rig, &mesh);
	rig.scheme->maxLevel = 2;
	Rig_RefineAll(&rig);
	Rig_RefineAll(&rig);
	assert_int_equal(Rig_RefineAll(&rig), 0);
	rig.scheme->maxLevel = 3;
	assert_true(Rig_RefineAll(&rig) > 0);
	Rig_Destroy(&rig);
	TestMesh_Free(&mesh);
}

static void TheDeepestLevelIsExact(void** state)
{
	(void)state;
	Rig rig;
	OneTriangle(&rig);
	Snapshot pattern = TakeSnapshot(&rig);
	// Down towards one corner: each level cuts the triangle there, and what must follow, in four.
	for (int pass = 0; pass < 40 * DRAPE_MAX_LEVEL; ++pass)
	{
		bool rebuilt;
		uint32_t corner = rig.pools.vertices.data[rig.scheme->vertices[0]].particle, count = rig.active.edgeCount;
		assert_true(drapeEdgeScheme_Begin(rig.scheme, count, 0));
		for (uint32_t i = 0; i < count; ++i)
		{
			uint32_t edge = rig.active.edgeId[i];
			const EdgeWings* wings = &rig.active.wings[i];
			bool nearCorner = rig.active.edgeFrom[i] == corner || rig.active.edgeTo[i] == corner ||
			                  wings->opposite[0] == corner || wings->opposite[1] == corner;
			if (nearCorner && drapeEdgeScheme_MaySplit(rig.scheme, edge))
				drapeEdgeScheme_Split(rig.scheme, edge);
		}
		drapeEdgeScheme_End(rig.scheme, &rebuilt);
	}
	Rig_Check(&rig);
	uint8_t deepest = 0;
	for (uint32_t i = 0; i < rig.active.triangleCount; ++i)
		deepest = rig.active.triangleLevel[i] > deepest ? rig.active.triangleLevel[i] : deepest;
	assert_int_equal(deepest, DRAPE_MAX_LEVEL);
	CoarsenToPattern(&rig, &pattern);
	FreeSnapshot(&pattern);
	Rig_Destroy(&rig);
}

// Every pair of configurations that edge changes in one pass can lead between, on a triangle with a neighbour on each
// side.
static void EveryTransitionKeepsTheInvariants(void** state)
{
	(void)state;
	drapeMesh mesh = Rig_Mesh(11);
	Rig rig;
	Rig_Create(&rig, &mesh);
	uint32_t t = rig.scheme->triangles[0];
	bool seen[configCount][configCount] = {0};
	Random random = Random_Seed(7, 1);
	for (int i = 0; i < 4000; ++i)
	{
		bool rebuilt;
		uint8_t from = rig.pools.triangles.data[t].config;
		unsigned target = Random_Below(&random, 8), now = rig.pools.configs.middles[from];
		assert_true(drapeEdgeScheme_Begin(rig.scheme, 3, 3));
		for (int k = 0; k < 3; ++k)
		{
			if (target & ~now & 1u << k)
				drapeEdgeScheme_Split(rig.scheme, OnlyTriangleEdge(&rig, t, k));
		}
		for (int k = 0; k < 3; ++k)
		{
			if (now & ~target & 1u << k)
				drapeEdgeScheme_Join(rig.scheme, OnlyTriangleEdge(&rig, t, k));
		}
		if (target != now)
			drapeEdgeScheme_End(rig.scheme, &rebuilt);
		Rig_Check(&rig);
		seen[from][rig.pools.triangles.data[t].config] = true;
	}
	// All but those that change least never choose: 22 states' pairs to single ones stay, plus what minimal change
	// reaches.
	int count = 0;
	for (int i = 0; i < configCount * configCount; ++i)
		count += seen[i / configCount][i % configCount] && i / configCount != i % configCount;
	assert_true(count >= 70);
	Rig_Destroy(&rig);
	TestMesh_Free(&mesh);
}

static void EveryDirectTransitionKeepsTheInvariants(void** state)
{
	(void)state;
	Rig rig;
	OneTriangle(&rig);
	uint32_t t = rig.scheme->triangles[0];
	Snapshot pattern = TakeSnapshot(&rig);
	for (int pair = 0; pair < configCount * configCount; ++pair)
	{
		const uint8_t route[3] = {(uint8_t)(pair / configCount), (uint8_t)(pair % configCount), 0};
		for (int i = 0; i < 3; ++i)
		{
			bool rebuilt;
			uint8_t from = rig.pools.triangles.data[t].config;
			unsigned before = rig.pools.configs.middles[from], after = rig.pools.configs.middles[route[i]];
			assert_true(drapeEdgeScheme_Begin(rig.scheme, 3, 3));
			for (int k = 0; k < 3; ++k)
			{
				if (after & ~before & 1u << k)
					drapeEdgeScheme_Split(rig.scheme, OnlyTriangleEdge(&rig, t, k));
			}
			for (int k = 0; k < 3; ++k)
			{
				if (before & ~after & 1u << k)
					drapeEdgeScheme_Join(rig.scheme, OnlyTriangleEdge(&rig, t, k));
			}
			drapeEdgeScheme_Touch(rig.scheme, t);
			drapeEdgeScheme_RetriangulateTo(rig.scheme, route[i]);
			drapeEdgeScheme_UpdateActive(rig.scheme, &rebuilt);
			Rig_Check(&rig);
			assert_int_equal(rig.pools.triangles.data[t].config, route[i]);
		}
		AssertIsPattern(&rig, &pattern);
	}
	FreeSnapshot(&pattern);
	Rig_Destroy(&rig);
}

static bool NothingIsFree(const SurfaceSweep* sweep, void* context)
{
	uint32_t* asked = context;
	*asked += 1;
	assert_false(sweep->isFlip);
	return false;
}

static void ARefusedJoinKeepsTheMiddle(void** state)
{
	(void)state;
	drapeMesh mesh = Rig_Mesh(1);
	Rig rig;
	Rig_Create(&rig, &mesh);
	Rig_RefineAll(&rig);
	BitSet split = {0}, join = {0};
	assert_true(BitSet_Reserve(&split, rig.active.edgeCount) && BitSet_Reserve(&join, rig.active.particleCount));
	BitSet_Set(&join, rig.pattern.vertexCount + 3);
	uint32_t asked = 0, before = rig.active.particleCount;
	AdaptRequest request = {
		.split = &split, .join = &join, .maxLevel = 3, .isFree = NothingIsFree, .isFreeContext = &asked};
	AdaptCounts counts;
	assert_int_equal(rig.scheme->base.type->adapt(&rig.scheme->base, &request, &counts), drape_ok);
	assert_true(counts.joins == 0 && counts.joinsBlocked == 1 && asked == 1);
	request.isFree = NULL;
	assert_int_equal(rig.scheme->base.type->adapt(&rig.scheme->base, &request, &counts), drape_ok);
	assert_int_equal(counts.joins, 1);
	assert_int_equal(rig.active.particleCount, before - 1);
	Rig_Check(&rig);
	BitSet_Free(&split);
	BitSet_Free(&join);
	Rig_Destroy(&rig);
	TestMesh_Free(&mesh);
}

// --- random edits ---------------------------------------------------------------------------------------------------

static uint32_t PassOf(void* rig, Random* random, uint32_t edits, float splitChance)
{
	return Rig_RandomPass(rig, random, edits, splitChance);
}

static void CheckOf(const void* rig)
{
	Rig_Check(rig);
}

static void AMillionRandomEditsKeepEveryInvariant(void** state)
{
	(void)state;
	uint64_t total = 0;
	for (int i = 0; i < rigMeshCount; ++i)
	{
		drapeMesh mesh = Rig_Mesh(i);
		Rig rig;
		Rig_Create(&rig, &mesh);
		rig.scheme->maxLevel = 5;
		Snapshot pattern = TakeSnapshot(&rig);
		Random random = Random_Seed(100 + (uint64_t)i, 1);
		EditSummary summary = Edits_Breathe(&(EditedMesh){&rig, &rig.active, PassOf, CheckOf, 0.8f, 0.35f}, &random);
		printf("mesh %d: least angle %.1f degrees in the pattern, %.1f in all edits\n", i, summary.patternAngle,
		       summary.leastAngle);
		total += summary.done;
		CoarsenToPattern(&rig, &pattern);
		FreeSnapshot(&pattern);
		Rig_Destroy(&rig);
		TestMesh_Free(&mesh);
	}
	assert_true(total >= editsInAll);
}

static void MassAreaAndMomentumOutliveRandomEdits(void** state)
{
	(void)state;
	for (int i = 0; i < rigMeshCount; ++i)
	{
		drapeMesh mesh = Rig_Mesh(i);
		Rig rig;
		Rig_Create(&rig, &mesh);
		rig.scheme->maxLevel = 4;
		Random random = Random_Seed(17, (uint64_t)i);
		Edits_KeepMassAndMomentum(&(EditedMesh){&rig, &rig.active, PassOf, CheckOf, 0.7f, 0.3f}, &random, 2e-6);
		Rig_Destroy(&rig);
		TestMesh_Free(&mesh);
	}
}

static void APatchedMeshEqualsARebuiltOne(void** state)
{
	(void)state;
	drapeMesh mesh = Rig_Mesh(3);
	TestMesh_AddTexcoords(&mesh, 1.0f);
	Rig rig;
	Rig_Create(&rig, &mesh);
	Random random = Random_Seed(5, 5);
	for (int level = 0; level < 2; ++level)
		Rig_RefineAll(&rig);
	int patched = 0;
	for (int pass = 0; pass < 100; ++pass)
	{
		Rig_RandomPass(&rig, &random, 1 + Random_Below(&random, 30), 0.5f);
		patched += !rig.active.log.rebuilt;
		ActiveMesh* active = &rig.active;
		uint32_t triangles = active->triangleCount, edges = active->edgeCount;
		uint32_t* ids = Copy(active->triangleId, triangles * sizeof *ids);
		TriangleMaterial* texcoord = Copy(active->texcoord, triangles * sizeof *texcoord);
		TriangleMaterial* material = Copy(active->material, triangles * sizeof *material);
		float* area = Copy(active->area, triangles * sizeof *area);
		uint32_t* edgeIds = Copy(active->edgeId, edges * sizeof *edgeIds);
		float* rest = Copy(active->restLength, edges * sizeof *rest);
		drapeEdgeScheme_RebuildActive(rig.scheme);
		Rig_Check(&rig);
		assert_int_equal(active->triangleCount, triangles);
		assert_int_equal(active->edgeCount, edges);
		for (uint32_t i = 0; i < triangles; ++i)
		{
			uint32_t index = rig.pools.triangleActive.data[ids[i]];
			assert_memory_equal(&active->material[index], &material[i], sizeof *material);
			assert_memory_equal(&active->texcoord[index], &texcoord[i], sizeof *texcoord);
			assert_true(active->area[index] == area[i]);
		}
		for (uint32_t i = 0; i < edges; ++i)
			assert_true(active->restLength[rig.pools.edges.data[edgeIds[i]].active] == rest[i]);
		free(ids);
		free(texcoord);
		free(material);
		free(area);
		free(edgeIds);
		free(rest);
	}
	assert_true(patched > 50);
	Rig_Destroy(&rig);
	TestMesh_Free(&mesh);
}

// Somebody who keeps a number per particle, and follows the log, still has the right number for each.
static void TheChangeLogCarriesDataAlong(void** state)
{
	(void)state;
	drapeMesh mesh = Rig_Mesh(2);
	Rig rig;
	Rig_Create(&rig, &mesh);
	Random random = Random_Seed(9, 9);
	uint32_t* kept = malloc(100000 * sizeof *kept);
	for (uint32_t i = 0; i < rig.active.particleCount; ++i)
		kept[i] = rig.active.vertexId[i];
	uint32_t count = rig.active.particleCount, moves = 0;
	for (int pass = 0; pass < 500; ++pass)
	{
		if (Rig_RandomPass(&rig, &random, 1 + Random_Below(&random, 40), pass / 25 % 2 ? 0.2f : 0.7f) == 0)
			continue;
		const ChangeLog* log = &rig.active.log;
		assert_int_equal(rig.active.particleCount, count + log->created.count - log->removed.count);
		for (uint32_t i = 0; i < log->moved.count; ++i)
			kept[log->moved.data[i].to] = kept[log->moved.data[i].from];
		for (uint32_t i = 0; i < log->created.count; ++i)
			kept[log->created.data[i]] = rig.active.vertexId[log->created.data[i]];
		moves += log->moved.count;
		count = rig.active.particleCount;
		assert_true(count < 100000);
		assert_memory_equal(kept, rig.active.vertexId, count * sizeof *kept);
	}
	assert_true(moves > 100);
	free(kept);
	Rig_Destroy(&rig);
	TestMesh_Free(&mesh);
}

static void TieRulesChooseTheShorterDiagonal(void** state)
{
	(void)state;
	// The middle of edge 0 is nearer to its opposite corner than the middle of edge 1 is to its own, or the other way
	// round.
	for (int flip = 0; flip < 2; ++flip)
	{
		for (int rule = tieLength; rule <= tieRestLength; ++rule)
		{
			drapeVec3 positions[] = {{0, 0, 0}, {1, 0, 0}, {0.5f, flip ? 0.2f : 2.0f, 0}};
			static const uint32_t corners[] = {0, 1, 2};
			drapeMesh mesh = {.positions = positions, .vertexCount = 3, .triangles = corners, .triangleCount = 1};
			Rig rig;
			bool rebuilt;
			Rig_Create(&rig, &mesh);
			rig.scheme->tieRule = (TieRule)rule;
			uint32_t t = rig.scheme->triangles[0];
			assert_true(drapeEdgeScheme_Begin(rig.scheme, 2, 0));
			drapeEdgeScheme_Split(rig.scheme, OnlyTriangleEdge(&rig, t, 0));
			drapeEdgeScheme_Split(rig.scheme, OnlyTriangleEdge(&rig, t, 1));
			drapeEdgeScheme_End(rig.scheme, &rebuilt);
			// From the middle (0.5, 0) to the tip is 2 or 0.2; from the middle of the right side to the left corner it
			// is longer than 0.75 and shorter than 1.26.
			assert_int_equal(rig.pools.triangles.data[t].config, flip ? 4 : 5);
			Rig_Check(&rig);
			Rig_Destroy(&rig);
		}
	}
}

static void TheCurvatureTieRuleKeepsTheLineFromTheMoreCurvedEdge(void** state)
{
	(void)state;
	for (int curved = 0; curved < 2; ++curved)
	{
		Rig rig;
		bool rebuilt;
		OneTriangle(&rig);
		rig.scheme->tieRule = tieCurvature;
		// Corner 0 or corner 2 bends away, so that edge 0 or edge 1 is curved.
		for (uint32_t i = 0; i < 3; ++i)
			rig.active.normal[i] = (Vec4){0, 0, 1, 0};
		rig.active.normal[curved == 0 ? 0 : 2] = (Vec4){0.6f, 0, 0.8f, 0};
		uint32_t t = rig.scheme->triangles[0];
		assert_true(drapeEdgeScheme_Begin(rig.scheme, 2, 0));
		drapeEdgeScheme_Split(rig.scheme, OnlyTriangleEdge(&rig, t, 0));
		drapeEdgeScheme_Split(rig.scheme, OnlyTriangleEdge(&rig, t, 1));
		drapeEdgeScheme_End(rig.scheme, &rebuilt);
		assert_int_equal(rig.pools.triangles.data[t].config, curved == 0 ? 4 : 5);
		Rig_Destroy(&rig);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(UniformRefinementHasTheCountsOfTheThesis),
		cmocka_unit_test(CoarseningARefinedMeshGivesThePatternBack),
		cmocka_unit_test(AMiddleLiesBetweenItsParents),
		cmocka_unit_test(ChildrenMaySplitOnlyBelowAFullCut),
		cmocka_unit_test(AnEdgeRejoinsOnlyWhenNothingBelowOrBesideForbidsIt),
		cmocka_unit_test(APassChangesAPlaceByOneLevelOnly),
		cmocka_unit_test(TheMaximumLevelHolds),
		cmocka_unit_test(TheDeepestLevelIsExact),
		cmocka_unit_test(EveryTransitionKeepsTheInvariants),
		cmocka_unit_test(EveryDirectTransitionKeepsTheInvariants),
		cmocka_unit_test(ARefusedJoinKeepsTheMiddle),
		cmocka_unit_test(AMillionRandomEditsKeepEveryInvariant),
		cmocka_unit_test(MassAreaAndMomentumOutliveRandomEdits),
		cmocka_unit_test(APatchedMeshEqualsARebuiltOne),
		cmocka_unit_test(TheChangeLogCarriesDataAlong),
		cmocka_unit_test(TieRulesChooseTheShorterDiagonal),
		cmocka_unit_test(TheCurvatureTieRuleKeepsTheLineFromTheMoreCurvedEdge),
	};
	return cmocka_run_group_tests_name("edge", tests, NULL, NULL);
}
